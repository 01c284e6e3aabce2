/*
 * What the evaluator of loops executes: a list of instructions over a file
 * of slots. Private to te/eval_*.c.
 *
 * A value takes one slot per lane. Integers are kept sign- or zero-extended
 * to 64 bits, floats of every width as a double that the narrower type can
 * hold: rounding a double result of + - * / and sqrt once more to a narrower
 * type gives what the narrower operation gives. (bfloat16 is a format of
 * storage: it computes as float32 and is rounded by stores and casts.) A handle takes two slots, the
 * pointer and the number of bytes behind it.
 */
#ifndef RELAY_TE_EVAL_CODE_H
#define RELAY_TE_EVAL_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/tir.h"
#include "support/arena.h"
#include "support/diag.h"
#include "support/vec.h"

enum eval_op {
	EV_ANY,         /* d = 1 if a lane of a is not 0 */
	EV_JUMP,        /* skip imm instructions */
	EV_JUMP_IF_NOT, /* a */
	EV_LOOP,        /* d = a, d+1 = end; if none skip imm */
	EV_NEXT,        /* d += 1; skip imm (back) while before the end */
	EV_ADDRESS,     /* d, d+1 = of buffer imm at a; b: bytes an element */
	EV_ALLOC,       /* buffer d, a: scalar elements, b: bytes each */
	EV_CALL_FUNC,   /* call number imm */
	EV_CALL_EXTERN, /* the same; d = result */
	EV_ASSERT,      /* a; message imm */
	EV_RETURN,      /* a: status */
#define INT2(id, expr) EV_##id, EV_##id##_V,
#define FLT2(id, expr) EV_##id, EV_##id##_V,
#define CMP2(id, expr) EV_##id, EV_##id##_V,
#define INT1(id, expr) EV_##id, EV_##id##_V,
#define FLT1(id, expr) EV_##id, EV_##id##_V,
#define FTOI(id, expr) EV_##id, EV_##id##_V,
#define ITOF(id, expr) EV_##id, EV_##id##_V,
/* LOAD d = buffer imm [a]; _R: at a, a+1, ...; _V: lane by lane, b: mask. */
#define MEM(id, type, field, get, set)                                   \
	EV_LOAD_##id, EV_LOAD_##id##_R, EV_LOAD_##id##_V, EV_STORE_##id, \
		EV_STORE_##id##_R, EV_STORE_##id##_V,
#define LANES(id, set) EV_##id,
#include "te/eval_ops.def"
	EV_COUNT
};

#define EVAL_NO_SLOT UINT32_MAX

union eval_slot {
	int64_t i;
	double f;
	char *p;
};

struct eval_insn {
	uint16_t op;
	uint16_t lanes;
	uint32_t d;
	uint32_t a;
	uint32_t b;
	union {
		int64_t i;
		double f;
		const char *s;
	} imm;
};

enum eval_arg_kind { EVAL_ARG_INT, EVAL_ARG_FLOAT, EVAL_ARG_HANDLE };

/* A call: the callee and the slots of its arguments. */
struct eval_call {
	const char *name;
	struct loc loc;
	const uint32_t *args;
	uint32_t nargs;
	const uint8_t *kinds; /* eval_arg_kind of each */
};

struct eval_code {
	const tir_func *func;
	struct eval_insn *insns;
	uint32_t ninsns;
	uint32_t nslots;
	uint32_t nbuffers; /* the first are the parameters' */
	const struct tir_buffer **buffers;
	const struct eval_call *calls;
	uint32_t ncalls;
};

/*
 * The code of F, in A. NULL after reporting to D what the evaluator cannot
 * do.
 */
struct eval_code *eval_compile(const tir_func *f, struct arena *a,
			       struct diag *d);

/* A function of one float by number: the operand imm of CALL1. */
double eval_call1(int64_t which, double x);

/* The number for intrinsic F on floats of BITS, or -1. */
int eval_call1_number(enum tir_intrin f, unsigned bits);

#endif
