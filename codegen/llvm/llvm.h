/*
 * LLVM as a back end: loops to LLVM IR, and from there to text, bitcode,
 * assembly, objects, or into memory.
 *
 * The input is a module whose kernels are DEF_TIR definitions. If there is a
 * "main" (of aot-lower-main), the output has one function for the network,
 * NAME_run, and its descriptor NAME_model (see relay_rt.h); kernels are
 * internal. Without one every kernel is a function of its own.
 */
#ifndef RELAY_CODEGEN_LLVM_LLVM_H
#define RELAY_CODEGEN_LLVM_LLVM_H

#include <stdbool.h>

#include "ir/fwd.h"
#include "support/buf.h"
#include "support/diag.h"

struct llvm_options {
	const char *triple;   /* NULL: the host's */
	const char *cpu;      /* NULL: generic; "native" */
	const char *features; /* "+avx2,-fma", or NULL */
	int level;            /* 0 to 3 */
	const char *passes;   /* instead of the level's, or NULL */
	const char *name;     /* of the interface: "net" */
	bool no_runtime;      /* no pool, no descriptor */
	bool constants_in_file;
	bool shared; /* export relay_model_entry too */
	bool verify; /* LLVM's own check */
};

enum llvm_kind { LLVM_TEXT, LLVM_BITCODE, LLVM_ASSEMBLY, LLVM_OBJECT };

/*
 * Whether LLVM knows the machine, tried out where O names one (which takes a
 * process: 5 ms). False after reporting to D.
 */
bool llvm_has_target(const struct llvm_options *o, struct diag *d);

/* A module of LLVM. */
struct llvm_unit;

/* NULL after reporting to D. */
struct llvm_unit *llvm_unit_new(const ir_module *m,
				const struct llvm_options *o, struct diag *d);

/* Run the passes of LLVM that O asks for. */
bool llvm_unit_optimise(struct llvm_unit *u, const struct llvm_options *o,
			struct diag *d);
void llvm_unit_free(struct llvm_unit *u); /* accepts NULL */

bool llvm_unit_emit(struct llvm_unit *u, enum llvm_kind kind, struct buf *out,
		    struct diag *d);

/* Bytes of memory the network needs beside its inputs and outputs. */
size_t llvm_unit_arena_bytes(const struct llvm_unit *u);

/* Code in the memory of this process. */
struct llvm_jit;
struct llvm_jit *llvm_jit_new(struct llvm_unit *u, struct diag *d);
void llvm_jit_free(struct llvm_jit *j); /* accepts NULL */
void *llvm_jit_symbol(struct llvm_jit *j, const char *name, struct diag *d);

/* "x86-64 aarch64 riscv64 ...": for --version and --mtriple=help. */
const char *llvm_target_names(void);
const char *llvm_host_cpu(void); /* static */

#endif
