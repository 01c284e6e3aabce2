/*
 * BANG-C: a network, or kernels alone, as text for Cambricon's compiler.
 */
#ifndef RELAY_CODEGEN_BANGC_BANGC_H
#define RELAY_CODEGEN_BANGC_BANGC_H

#include <stdbool.h>

#include "codegen/interface.h"
#include "ir/fwd.h"
#include "support/buf.h"
#include "support/diag.h"

enum bangc_shape {
	BANGC_LAUNCHES, /* a kernel per primitive, launched */
	BANGC_SINGLE,   /* one kernel calls all of them */
};

struct bangc_options {
	const char *name; /* of the network, a C identifier */
	const char *arch; /* mlu270, mlu290, mlu370, mlu590 */
	enum bangc_shape shape;
	int api;      /* of CNRT: 4 or 6 */
	bool remarks; /* say what is done one by one */
	bool part;    /* behind bangc_prologue, so that many share a file */
	bool all_clusters;  /* single: use them all, and no SRAM */
	int64_t tile_bytes; /* a part: of NRAM for tiles; 0: all */

	/* Kernels that have no BANG-C are functions of the host. */
	bool host_fallback;
	bool *uses_runtime; /* NULL, or set: such ones call librelayrt */

	/* Single: as many entry kernels as it takes to keep to this. */
	struct bangc_limits {
		int64_t steps;  /* calls of kernels in one; 0: any number */
		int64_t code;   /* bytes of the text of what it calls */
		int64_t params; /* bytes that it is launched with */
	} most;
};

/* Whether there is such an architecture. False after reporting to D. */
bool bangc_has_arch(const char *arch, struct diag *d);

/*
 * Limits as text: "N" or "steps=N", "code=BYTES", "params=BYTES", several with
 * commas between; no limits for NULL. False after reporting to D, as for a
 * shape that has no use for it.
 */
bool bangc_limits_parse(struct bangc_limits *out, const char *text,
			enum bangc_shape shape, struct diag *d);

/*
 * All kernels of M, which are loops, and if NET is not NULL the function
 * that runs the network: int NAME(queue, inputs..., outputs..., constants,
 * workspace) on device memory, and NAME_run on the host's. False after
 * reporting to D.
 */
bool bangc_emit(struct buf *out, const ir_module *m,
		const struct interface *net, const struct bangc_options *o,
		struct diag *d);

/*
 * What stands before kernels for ARCH, with everything that any of them may
 * call. False after reporting to D.
 */
bool bangc_prologue(struct buf *out, const char *arch, struct diag *d);

/* A main program for the network, and a Makefile: see project.c. */
void bangc_project_main(struct buf *out, const struct interface *net,
			const struct bangc_options *o);
void bangc_project_makefile(struct buf *out, const struct bangc_options *o);

#endif
