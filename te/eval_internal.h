/*
 * The compiler of the evaluator: its state, shared by te/eval_expr.c and
 * te/eval_stmt.c.
 *
 * Code is collected in segments, one per open loop, branch or let. What an
 * expression needs tells in which segment its instruction belongs: arithmetic
 * on values of outer loops goes to the end of the outer segment, which is the
 * place just before the loop, so index arithmetic moves out of loops by
 * itself. A segment is appended to the one around it when it closes; jumps
 * are relative.
 */
#ifndef RELAY_TE_EVAL_INTERNAL_H
#define RELAY_TE_EVAL_INTERNAL_H

#include "te/eval_code.h"

enum { EVAL_MAX_DEPTH = 5000 };

/* Where a value lies and from which segment on it is there. */
struct eval_value {
	uint32_t slot;
	uint32_t level;
	bool impure; /* came from memory: not to be remembered */
};

/* A hash table from pointers to values; entries can be taken out. */
struct eval_map {
	const void **keys;
	struct eval_value *values;
	uint32_t cap;  /* zero or a power of two */
	uint32_t used; /* keys in it, dead ones too */
};

struct eval_segment {
	VEC(struct eval_insn) code;
	VEC(const void *) known; /* expressions to forget at the end */
};

struct eval_compiler {
	struct arena *arena;
	struct diag *diag;
	const tir_func *func;
	struct eval_code *code;
	VEC(struct eval_segment) segs;
	uint32_t top; /* the innermost open segment */
	struct eval_map exprs;
	struct eval_map vars;
	struct eval_map buffers; /* slot: number of the buffer */
	VEC(const struct tir_buffer *) buffer_list;
	VEC(struct eval_call) calls;
	VEC(const void *) loads; /* keys of EXPRS that are impure */
	uint32_t nslots;
	uint32_t mask; /* slots of active lanes, or none */
	uint32_t mask_level;
	uint16_t mask_lanes;
	unsigned depth;
	bool failed;
};

struct eval_value *eval_map_get(const struct eval_map *m, const void *key);
void eval_map_put(struct eval_map *m, const void *key, struct eval_value v);
void eval_map_drop(struct eval_map *m, const void *key);
void eval_map_free(struct eval_map *m);

/* Report once what cannot be evaluated. */
void eval_fail(struct eval_compiler *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

uint32_t eval_slots(struct eval_compiler *c, uint32_t n);
void eval_emit(struct eval_compiler *c, uint32_t level, struct eval_insn i);

void eval_open(struct eval_compiler *c);
/* End the innermost segment; its code, which the caller frees. */
struct eval_segment eval_close(struct eval_compiler *c);
void eval_append(struct eval_compiler *c, struct eval_segment *s);

/* Forget what was loaded from memory. */
void eval_forget_loads(struct eval_compiler *c);

struct eval_value eval_expr(struct eval_compiler *c, const tir_expr *e);

/* te/eval_arith.c: kinds of numbers, and what computes with them. */
enum eval_class {
	EVAL_INT_CLASS,
	EVAL_UINT_CLASS,
	EVAL_FLOAT_CLASS,
	EVAL_OTHER_CLASS
};

static inline enum eval_class
eval_class_of(struct dtype t)
{
	if (t.code == DTYPE_INT)
		return EVAL_INT_CLASS;
	if (t.code == DTYPE_UINT)
		return EVAL_UINT_CLASS;
	if (t.code == DTYPE_BFLOAT ||
	    (t.code == DTYPE_FLOAT &&
	     (t.bits == 16 || t.bits == 32 || t.bits == 64)))
		return EVAL_FLOAT_CLASS;
	return EVAL_OTHER_CLASS;
}

static inline uint32_t
eval_max_level(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

struct eval_value eval_new_value(struct eval_compiler *c, unsigned lanes,
				 uint32_t level, bool impure);

/* An instruction on values, in the segment where they are there. */
struct eval_value eval_emit1(struct eval_compiler *c, int op, unsigned lanes,
			     struct eval_value a, int64_t imm);
struct eval_value eval_emit2(struct eval_compiler *c, int op, unsigned lanes,
			     struct eval_value a, struct eval_value b);

struct eval_value eval_constant(struct eval_compiler *c, const tir_expr *e);
struct eval_value eval_binary(struct eval_compiler *c, const tir_expr *e);
struct eval_value eval_cast(struct eval_compiler *c, const tir_expr *e);
struct eval_value eval_intrinsic(struct eval_compiler *c, const tir_expr *e);

void eval_store(struct eval_compiler *c, const tir_stmt *s);
/* A call of NAME; d gets the result, if any. */
void eval_emit_call(struct eval_compiler *c, enum eval_op op, const char *name,
		    const tir_expr *const *args, uint32_t n, uint32_t d,
		    struct loc loc);
uint32_t eval_buffer(struct eval_compiler *c, const struct tir_buffer *b);

#endif
