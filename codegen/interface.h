/*
 * The interface of a compiled network: what its entry takes and gives.
 */
#ifndef RELAY_CODEGEN_INTERFACE_H
#define RELAY_CODEGEN_INTERFACE_H

#include <stdbool.h>
#include <stdint.h>

#include "include/relay_rt.h"
#include "ir/fwd.h"
#include "ir/tir.h"
#include "support/arena.h"
#include "support/buf.h"

/* One input or output, as a tensor. */
struct interface_slot {
	const char *name;  /* a C identifier */
	const char *label; /* as in the text */
	struct dtype dtype;
	uint32_t ndim;
	const int64_t *shape;
	int64_t nbytes;
};

struct interface_constant {
	const ir_tensor *data; /* NULL: has no value */
	int64_t offset;
};

/*
 * "main" after aot-lower-main has a handle for each input, for each output,
 * then one for the constants and one for the workspace.
 */
struct interface {
	const tir_func *main;
	uint32_t ninputs;
	uint32_t noutputs;
	struct interface_slot *slots; /* inputs, then outputs */
	int64_t workspace_bytes;
	uint32_t nconstants;
	struct interface_constant *constants;
	int64_t constants_bytes;
	bool incomplete; /* a constant has no value */

	/*
	 * Shapes that are known at run time only: unknown extents are -1, and
	 * the bytes of such tensors 0. The workspace holds a place for an
	 * error and slots, then sizes, in words of 8 bytes; "main" has a
	 * handle for the sizes, for each input, for the constants and for the
	 * memory. See passes/aot_sizes.c.
	 */
	bool sized;
	uint32_t nslots;
	uint32_t nsizes;
};

/* Where the sizes begin in the workspace. */
static inline int64_t
interface_sizes_at(const struct interface *x)
{
	return 8 * (RELAY_ERROR_WORDS + (int64_t)x->nslots);
}

/* False if M has no such main. */
bool interface_of(const ir_module *m, struct interface *out, struct arena *a);

/* NAME as a C identifier. */
const char *interface_identifier(struct arena *a, const char *name);

/* The C header of a model called NAME. */
void interface_header(struct buf *out, const struct interface *x,
		      const char *name, int64_t arena_bytes, bool no_runtime);

#endif
