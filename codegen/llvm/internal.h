/*
 * Loops to LLVM IR: the state of the generator. Private to codegen/llvm.
 *
 * Values of float16 and bfloat16 are kept as float and are narrow in memory
 * only. An operation on float16 is rounded, which gives what the narrow
 * operation would give; bfloat16 is a format of storage, rounded by stores and
 * casts. Indices are computed in 64 bits, since index
 * arithmetic never overflows.
 */
#ifndef RELAY_CODEGEN_LLVM_INTERNAL_H
#define RELAY_CODEGEN_LLVM_INTERNAL_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "codegen/interface.h"
#include "codegen/llvm/llvm.h"
#include "ir/module.h"
#include "ir/tir.h"
#include "support/arena.h"
#include "support/diag.h"

enum { LGEN_MAX_DEPTH = 5000 };

/* Hash table from pointers of the IR to values of LLVM. */
struct lmap {
	struct lmap_entry {
		const void *key;
		LLVMValueRef value;
		uint32_t scope;
	} *at;
	uint32_t cap;
	uint32_t used;
	uint8_t *const *active; /* by scope, or NULL: always */
};

struct lgen {
	const ir_module *module;
	const struct llvm_options *options;
	struct diag *diag;
	struct arena *arena;
	LLVMContextRef cx;
	LLVMModuleRef mod;
	LLVMBuilderRef b;
	LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, ptr, word, none;
	bool has_half; /* conversions are instructions */
	bool has_fma;

	/* the function being made */
	const tir_func *func;
	LLVMValueRef fn;
	LLVMValueRef pool;    /* NULL: there is none */
	LLVMValueRef status;  /* where a parallel body puts it */
	LLVMValueRef scratch; /* memory of this kernel */
	int64_t scratch_used;
	struct lmap vars;    /* variables and handles */
	struct lmap buffers; /* pointers */
	struct lmap exprs;   /* what was computed, by scope */
	uint8_t *active;     /* by scope */
	uint32_t nscopes;
	uint32_t cap_scopes;
	uint32_t scope;
	LLVMValueRef mask; /* lanes that count, or NULL */
	unsigned exact;    /* > 0: no products and sums rounded as one */
	VEC(const struct tir_var *) live_vars;
	VEC(const struct tir_buffer *) live_buffers;
	unsigned depth;
	unsigned counter; /* of outlined bodies */
	bool failed;
	int64_t scratch_max; /* of all kernels */
};

LLVMValueRef lmap_get(const struct lmap *m, const void *key);
void lmap_put(struct lmap *m, const void *key, LLVMValueRef v, uint32_t scope);
void lmap_drop(struct lmap *m, const void *key);
void lmap_free(struct lmap *m);

void lgen_fail(struct lgen *g, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* types.c */
LLVMTypeRef lgen_type(struct lgen *g, struct dtype t); /* of a value */
LLVMTypeRef lgen_memory_type(struct lgen *g, struct dtype t);
LLVMTypeRef lgen_with_lanes(LLVMTypeRef scalar, unsigned lanes);
unsigned lgen_lanes(LLVMValueRef v);
LLVMValueRef lgen_int(struct lgen *g, LLVMTypeRef t, int64_t value);
LLVMValueRef lgen_float(LLVMTypeRef t, double value);
LLVMValueRef lgen_splat(struct lgen *g, LLVMValueRef v, unsigned lanes);
LLVMValueRef lgen_intrinsic(struct lgen *g, const char *name, LLVMTypeRef over,
			    LLVMValueRef *args, unsigned n);
/* Intrinsic NAME of one or more values of the type of the first. */
LLVMValueRef lgen_intrinsic1(struct lgen *g, const char *name, LLVMValueRef a);
/* FN of each lane by a C function of one or two floats. */
LLVMValueRef lgen_libm(struct lgen *g, const char *fn, LLVMValueRef a,
		       LLVMValueRef b);
/* Rounded to T's width, where that is less than the value's. */
LLVMValueRef lgen_round_to(struct lgen *g, struct dtype t, LLVMValueRef v);
/* The same for the result of arithmetic, which bfloat16 does in float. */
LLVMValueRef lgen_round_result(struct lgen *g, struct dtype t, LLVMValueRef v);
LLVMValueRef lgen_from_memory(struct lgen *g, struct dtype t, LLVMValueRef v);
LLVMValueRef lgen_to_memory(struct lgen *g, struct dtype t, LLVMValueRef v);

/* math.c: functions of floats; vectors lane by lane */
LLVMValueRef lgen_math(struct lgen *g, enum tir_intrin f, struct dtype t,
		       LLVMValueRef a);
LLVMValueRef lgen_fma(struct lgen *g, LLVMValueRef a, LLVMValueRef b,
		      LLVMValueRef c);

/* divide.c */
LLVMValueRef lgen_divide(struct lgen *g, const tir_expr *e, LLVMValueRef a,
			 LLVMValueRef b, bool nonneg);

/* expr.c */
LLVMValueRef lgen_expr(struct lgen *g, const tir_expr *e);
LLVMValueRef lgen_intrin(struct lgen *g, const tir_expr *e);
LLVMValueRef lgen_cast(struct lgen *g, struct dtype from, struct dtype to,
		       LLVMValueRef v);
uint32_t lgen_open_scope(struct lgen *g); /* the scope before */
void lgen_close_scope(struct lgen *g, uint32_t before);

/* index.c: in 64 bits, or whatever a pointer has */
LLVMValueRef lgen_index(struct lgen *g, const tir_expr *e);
bool lgen_nonneg(struct lgen *g, const tir_expr *e);

/* memory.c */
LLVMValueRef lgen_load(struct lgen *g, const tir_expr *e);
void lgen_store(struct lgen *g, const tir_stmt *s);
LLVMValueRef lgen_address(struct lgen *g, const struct tir_buffer *b,
			  LLVMValueRef index);

/* stmt.c */
void lgen_stmt(struct lgen *g, const tir_stmt *s);
LLVMBasicBlockRef lgen_block(struct lgen *g, const char *name);
/* Leave the function with STATUS if it is not 0. */
void lgen_check_status(struct lgen *g, LLVMValueRef status);
LLVMValueRef lgen_alloca(struct lgen *g, LLVMTypeRef t, int64_t n,
			 unsigned align);

/* parallel.c */
void lgen_parallel(struct lgen *g, const tir_stmt *s);

/* function.c */
LLVMValueRef lgen_declare_kernel(struct lgen *g, const tir_func *f);
void lgen_kernel(struct lgen *g, const tir_func *f);
void lgen_attribute(struct lgen *g, LLVMValueRef fn, LLVMAttributeIndex at,
		    const char *name, uint64_t value);
void lgen_target_attributes(struct lgen *g, LLVMValueRef fn);

/* entry.c */
void lgen_entry(struct lgen *g, const struct interface *x);

/* target.c */
struct llvm_unit {
	LLVMContextRef cx;
	LLVMModuleRef mod;
	LLVMTargetMachineRef tm;
	char *triple;
	char *cpu;
	char *features;
	size_t arena_bytes;
};

/* The machine that O asks for, for a new U. False after reporting to D. */
bool lgen_machine(struct llvm_unit *u, const struct llvm_options *o,
		  struct diag *d);

#endif
