/*
 * The loop that executes the instructions of te/eval_code.h.
 *
 * Arithmetic comes from te/eval_ops.def, expanded to one case for scalars
 * and one for vectors.
 */
#include "te/eval_frame.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static int64_t
floor_div(int64_t x, int64_t y)
{
	int64_t q;

	if (y == 0)
		return x;
	if (y == -1)
		return (int64_t)(0 - (uint64_t)x);
	q = x / y;
	return q - (x % y != 0 && (x < 0) != (y < 0));
}

static int64_t
floor_mod(int64_t x, int64_t y)
{
	int64_t r;

	if (y == 0 || y == -1)
		return 0;
	r = x % y;
	return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

static int64_t
trunc_div(int64_t x, int64_t y)
{
	if (y == 0)
		return x;
	return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}

static int64_t
trunc_mod(int64_t x, int64_t y)
{
	return y == 0 || y == -1 ? 0 : x % y;
}

static int64_t
shift_left(int64_t x, int64_t y)
{
	return y < 0 || y > 63 ? 0 : (int64_t)((uint64_t)x << y);
}

static int64_t
shift_right(int64_t x, int64_t y)
{
	return x >> (y < 0 || y > 63 ? 63 : y);
}

static int64_t
shift_right_unsigned(int64_t x, int64_t y)
{
	return y < 0 || y > 63 ? 0 : (int64_t)((uint64_t)x >> y);
}

static int64_t
float_to_int(double x)
{
	return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;
}

static int64_t
float_to_uint(double x)
{
	return x >= 0x1p63 && x < 0x1p64 ? (int64_t)(uint64_t)x
					 : float_to_int(x);
}

static int64_t
bits_of(double x)
{
	int64_t i;

	memcpy(&i, &x, sizeof(i));
	return i;
}

static uint32_t
bits_of_float(float x)
{
	uint32_t i;

	memcpy(&i, &x, sizeof(i));
	return i;
}

static double
from_bits(int64_t i)
{
	double x;

	memcpy(&x, &i, sizeof(x));
	return x;
}

static double
from_bits_float(uint32_t i)
{
	float x;

	memcpy(&x, &i, sizeof(x));
	return (double)x;
}

static inline double
call1(int64_t which, double x)
{
	return eval_call1(which, x);
}

/* x * y, rounded half up, over 2 to the power SHIFT. */
static int64_t
mul_shift(int64_t x, int64_t y, int64_t shift)
{
	int64_t p = (int64_t)((uint64_t)x * (uint64_t)y);

	if (shift <= 0 || shift > 62)
		return shift <= 0 ? p : 0;
	return (p + (INT64_C(1) << (shift - 1))) >> shift;
}

static bool
out_of_bounds(struct eval_machine *x, const struct eval_frame *f,
	      const struct eval_insn *in, int64_t index)
{
	const struct tir_buffer *b = f->code->buffers[in->imm.i];

	diag_error(eval_diag(x), f->code->func->loc,
		   "kernel '%s': access to element %" PRId64
		   " of buffer '%s', which has %" PRId64,
		   f->code->func->name, index, b->name, f->memory[in->imm.i].n);
	return false;
}

static bool
check_failed(struct eval_machine *m, const struct eval_frame *f,
	     const char *what)
{
	diag_error(eval_diag(m), f->code->func->loc,
		   "kernel '%s': check failed: %s", f->code->func->name,
		   what ? what : "");
	return false;
}

/* Kernels return 0 where all is well. */
static bool
returned(struct eval_machine *m, const struct eval_frame *f, int64_t status)
{
	if (status != 0)
		diag_error(eval_diag(m), f->code->func->loc,
			   "kernel '%s' returned status %" PRId64,
			   f->code->func->name, status);
	return status == 0;
}

#define EACH for (unsigned l = 0; l < in->lanes; l++)

#define SLOT_i int64_t
#define SLOT_f double

/* b[at] = SET, an expression of v, which is slot FROM. */
#define PUT(type, field, set, at, from)                      \
	do {                                                 \
		const SLOT_##field v = (from).field;         \
		((type *)(void *)b->data)[at] = (type)(set); \
	} while (0)

#define UNARY(id, from, to, type, expr)                   \
	case EV_##id: {                                   \
		const int64_t imm = in->imm.i;            \
		const type x = s[in->a].from;             \
		(void)imm;                                \
		s[in->d].to = (expr);                     \
		break;                                    \
	}                                                 \
	case EV_##id##_V: {                               \
		const int64_t imm = in->imm.i;            \
		(void)imm;                                \
		EACH                                      \
		{                                         \
			const type x = s[in->a + l].from; \
			s[in->d + l].to = (expr);         \
		}                                         \
		break;                                    \
	}
#define BINARY(id, from, to, type, expr)                         \
	case EV_##id: {                                          \
		const type x = s[in->a].from, y = s[in->b].from; \
		s[in->d].to = (expr);                            \
		break;                                           \
	}                                                        \
	case EV_##id##_V:                                        \
		EACH                                             \
		{                                                \
			const type x = s[in->a + l].from;        \
			const type y = s[in->b + l].from;        \
			s[in->d + l].to = (expr);                \
		}                                                \
		break;

#define INT1(id, expr) UNARY(id, i, i, int64_t, expr)
#define FLT1(id, expr) UNARY(id, f, f, double, expr)
#define FTOI(id, expr) UNARY(id, f, i, double, expr)
#define ITOF(id, expr) UNARY(id, i, f, int64_t, expr)
#define INT2(id, expr) BINARY(id, i, i, int64_t, expr)
#define FLT2(id, expr) BINARY(id, f, f, double, expr)
#define CMP2(id, expr) BINARY(id, f, i, double, expr)

#define MEM(id, type, field, get, set)                                      \
	case EV_LOAD_##id: {                                                \
		const struct eval_memory *b = &f->memory[in->imm.i];        \
		const int64_t at = s[in->a].i;                              \
		type v;                                                     \
		if ((uint64_t)at >= (uint64_t)b->n)                         \
			return out_of_bounds(m, f, in, at);                 \
		v = ((const type *)(const void *)b->data)[at];              \
		s[in->d].field = (get);                                     \
		break;                                                      \
	}                                                                   \
	case EV_LOAD_##id##_R: {                                            \
		const struct eval_memory *b = &f->memory[in->imm.i];        \
		const int64_t at = s[in->a].i;                              \
		const type *p = (const type *)(const void *)b->data;        \
		if (at < 0 || at > b->n - in->lanes)                        \
			return out_of_bounds(m, f, in, at);                 \
		EACH                                                        \
		{                                                           \
			const type v = p[at + l];                           \
			s[in->d + l].field = (get);                         \
		}                                                           \
		break;                                                      \
	}                                                                   \
	case EV_LOAD_##id##_V: {                                            \
		const struct eval_memory *b = &f->memory[in->imm.i];        \
		const type *p = (const type *)(const void *)b->data;        \
		EACH                                                        \
		{                                                           \
			const int64_t at = s[in->a + l].i;                  \
			type v = 0;                                         \
			if (in->b == EVAL_NO_SLOT || s[in->b + l].i) {      \
				if ((uint64_t)at >= (uint64_t)b->n)         \
					return out_of_bounds(m, f, in, at); \
				v = p[at];                                  \
			}                                                   \
			s[in->d + l].field = (get);                         \
		}                                                           \
		break;                                                      \
	}                                                                   \
	case EV_STORE_##id: {                                               \
		const struct eval_memory *b = &f->memory[in->imm.i];        \
		const int64_t at = s[in->a].i;                              \
		if ((uint64_t)at >= (uint64_t)b->n)                         \
			return out_of_bounds(m, f, in, at);                 \
		PUT(type, field, set, at, s[in->d]);                        \
		break;                                                      \
	}                                                                   \
	case EV_STORE_##id##_R: {                                           \
		const struct eval_memory *b = &f->memory[in->imm.i];        \
		const int64_t at = s[in->a].i;                              \
		if (at < 0 || at > b->n - in->lanes)                        \
			return out_of_bounds(m, f, in, at);                 \
		EACH PUT(type, field, set, at + l, s[in->d + l]);           \
		break;                                                      \
	}                                                                   \
	case EV_STORE_##id##_V: {                                           \
		const struct eval_memory *b = &f->memory[in->imm.i];        \
		EACH                                                        \
		{                                                           \
			const int64_t at = s[in->a + l].i;                  \
			if (in->b != EVAL_NO_SLOT && !s[in->b + l].i)       \
				continue;                                   \
			if ((uint64_t)at >= (uint64_t)b->n)                 \
				return out_of_bounds(m, f, in, at);         \
			PUT(type, field, set, at, s[in->d + l]);            \
		}                                                           \
		break;                                                      \
	}
#define LANES(id, set)    \
	case EV_##id:     \
		EACH set; \
		break;

bool
eval_execute(struct eval_machine *m, struct eval_frame *f)
{
	const struct eval_insn *in = f->code->insns;
	const struct eval_insn *end = in + f->code->ninsns;
	union eval_slot *s = f->slots;
	bool any;

	for (; in < end; in++) {
		switch ((enum eval_op)in->op) {
		case EV_ANY:
			any = false;
			EACH any |= s[in->a + l].i != 0;
			s[in->d].i = any;
			break;
		case EV_JUMP:
			in += in->imm.i;
			break;
		case EV_JUMP_IF_NOT:
			if (!s[in->a].i)
				in += in->imm.i;
			break;
		case EV_LOOP:
			s[in->d].i = s[in->a].i;
			s[in->d + 1].i = s[in->a].i + s[in->b].i;
			if (s[in->b].i <= 0)
				in += in->imm.i;
			break;
		case EV_NEXT:
			if (++s[in->d].i < s[in->d + 1].i)
				in += in->imm.i;
			break;
		case EV_ADDRESS:
			eval_address(f, in);
			break;
		case EV_ALLOC:
			if (!eval_allocate(m, f, in))
				return false;
			break;
		case EV_CALL_FUNC:
			if (!eval_call_func(m, f, in))
				return false;
			break;
		case EV_CALL_EXTERN:
			if (!eval_call_extern(m, f, in))
				return false;
			break;
		case EV_ASSERT:
			if (s[in->a].i)
				break;
			return check_failed(m, f, in->imm.s);
		case EV_RETURN:
			return returned(m, f, s[in->a].i);

#include "te/eval_ops.def"
		case EV_COUNT:
			break;
		}
	}
	return true;
}
