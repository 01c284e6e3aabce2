/*
 * Arithmetic, casts and intrinsics to instructions of the evaluator.
 */
#include "te/eval_internal.h"

#include <assert.h>

/* OP, or its form for vectors, which follows it. */
static uint16_t
for_lanes(int op, unsigned lanes)
{
	return (uint16_t)(lanes > 1 ? op + 1 : op);
}

struct eval_value
eval_new_value(struct eval_compiler *c, unsigned lanes, uint32_t level,
	       bool impure)
{
	return (struct eval_value){eval_slots(c, lanes), level, impure};
}

struct eval_value
eval_emit1(struct eval_compiler *c, int op, unsigned lanes, struct eval_value a,
	   int64_t imm)
{
	struct eval_value d = eval_new_value(c, lanes, a.level, a.impure);

	eval_emit(c, d.level,
		  (struct eval_insn){.op = for_lanes(op, lanes),
				     .lanes = (uint16_t)lanes,
				     .d = d.slot,
				     .a = a.slot,
				     .imm.i = imm});
	return d;
}

struct eval_value
eval_emit2(struct eval_compiler *c, int op, unsigned lanes, struct eval_value a,
	   struct eval_value b)
{
	struct eval_value d =
		eval_new_value(c, lanes, eval_max_level(a.level, b.level),
			       a.impure || b.impure);

	eval_emit(c, d.level,
		  (struct eval_insn){.op = for_lanes(op, lanes),
				     .lanes = (uint16_t)lanes,
				     .d = d.slot,
				     .a = a.slot,
				     .b = b.slot});
	return d;
}

/* A brought to the width of integer type T. */
static struct eval_value
wrap(struct eval_compiler *c, struct dtype t, struct eval_value a)
{
	if (t.bits >= 64)
		return a;
	return eval_emit1(c, t.code == DTYPE_UINT ? EV_UWRAP : EV_WRAP, t.lanes,
			  a, 64 - t.bits);
}

/* A, a double, rounded to float type T. */
static struct eval_value
round_to(struct eval_compiler *c, struct dtype t, struct eval_value a)
{
	if (t.code == DTYPE_BFLOAT)
		return eval_emit1(c, EV_ROUNDB16, t.lanes, a, 0);
	if (t.bits == 64)
		return a;
	return eval_emit1(c, t.bits == 32 ? EV_ROUND32 : EV_ROUND16, t.lanes, a,
			  0);
}

/* The result of arithmetic: bfloat16 computes in float. */
static struct eval_value
round_result(struct eval_compiler *c, struct dtype t, struct eval_value a)
{
	if (t.code == DTYPE_BFLOAT)
		return eval_emit1(c, EV_ROUND32, t.lanes, a, 0);
	return round_to(c, t, a);
}

static bool
is_float32(struct dtype t)
{
	return t.code == DTYPE_FLOAT && t.bits == 32;
}

struct eval_value
eval_constant(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value d = eval_new_value(c, e->dtype.lanes, 0, false);
	struct eval_insn in = {
		.op = EV_CONST_I, .lanes = e->dtype.lanes, .d = d.slot};

	if (e->kind == TIR_FLOAT) {
		in.op = EV_CONST_F;
		in.imm.f = e->f;
		eval_emit(c, 0, in);
		return round_to(c, e->dtype, d);
	}
	in.imm.i = e->i;
	eval_emit(c, 0, in);
	return d;
}

struct kind_ops {
	int sint, uint, f32, f64; /* -1: none */
	bool swap, wraps;
};

/* The instructions for a kind of expression with two operands. */
static bool
binary_ops(enum tir_kind k, struct kind_ops *o)
{
#define ROW(kind, s, u, f, d, sw, w)                       \
	case kind:                                         \
		*o = (struct kind_ops){s, u, f, d, sw, w}; \
		return true
	switch (k) {
		ROW(TIR_ADD, EV_ADD, EV_ADD, EV_ADDF32, EV_ADDF, false, true);
		ROW(TIR_SUB, EV_SUB, EV_SUB, EV_SUBF32, EV_SUBF, false, true);
		ROW(TIR_MUL, EV_MUL, EV_MUL, EV_MULF32, EV_MULF, false, true);
		ROW(TIR_DIV, EV_FLOORDIV, EV_UDIV, EV_DIVF32, EV_DIVF, false,
		    true);
		ROW(TIR_MOD, EV_FLOORMOD, EV_UMOD, -1, EV_FLOORMODF, false,
		    true);
		ROW(TIR_TRUNCDIV, EV_TRUNCDIV, EV_UDIV, -1, -1, false, true);
		ROW(TIR_TRUNCMOD, EV_TRUNCMOD, EV_UMOD, -1, EV_FMOD, false,
		    true);
		ROW(TIR_MIN, EV_MIN, EV_UMIN, EV_MINF, EV_MINF, false, false);
		ROW(TIR_MAX, EV_MAX, EV_UMAX, EV_MAXF, EV_MAXF, false, false);
		ROW(TIR_EQ, EV_EQ, EV_EQ, EV_EQF, EV_EQF, false, false);
		ROW(TIR_NE, EV_NE, EV_NE, EV_NEF, EV_NEF, false, false);
		ROW(TIR_LT, EV_LT, EV_ULT, EV_LTF, EV_LTF, false, false);
		ROW(TIR_LE, EV_LE, EV_ULE, EV_LEF, EV_LEF, false, false);
		ROW(TIR_GT, EV_LT, EV_ULT, EV_LTF, EV_LTF, true, false);
		ROW(TIR_GE, EV_LE, EV_ULE, EV_LEF, EV_LEF, true, false);
		ROW(TIR_AND, EV_AND, EV_AND, -1, -1, false, false);
		ROW(TIR_OR, EV_OR, EV_OR, -1, -1, false, false);
	default:
		return false;
	}
#undef ROW
}

/* The one-step form of arithmetic on int32, or -1. */
static int
int32_op(enum tir_kind k)
{
	switch (k) {
	case TIR_ADD:
		return EV_ADD32;
	case TIR_SUB:
		return EV_SUB32;
	case TIR_MUL:
		return EV_MUL32;
	default:
		return -1;
	}
}

struct eval_value
eval_binary(struct eval_compiler *c, const tir_expr *e)
{
	struct dtype t = e->arg[0]->dtype;
	struct eval_value a = eval_expr(c, e->arg[0]);
	struct eval_value b = eval_expr(c, e->arg[1]);
	struct kind_ops o;
	bool ok = binary_ops(e->kind, &o);
	struct eval_value r;
	int op = -1;

	assert(ok);
	(void)ok;
	if (o.swap) {
		r = a;
		a = b;
		b = r;
	}
	switch (eval_class_of(t)) {
	case EVAL_FLOAT_CLASS:
		op = is_float32(t) ? o.f32 : o.f64;
		if (op < 0)
			op = o.f64;
		break;
	case EVAL_INT_CLASS:
		op = t.bits == 32 && int32_op(e->kind) >= 0 ? int32_op(e->kind)
							    : o.sint;
		break;
	case EVAL_UINT_CLASS:
		op = o.uint;
		break;
	case EVAL_OTHER_CLASS:
		break;
	}
	if (op < 0) {
		eval_fail(c, "this operation on this type");
		return a;
	}
	r = eval_emit2(c, op, t.lanes, a, b);
	if (!o.wraps || op == EV_ADD32 || op == EV_SUB32 || op == EV_MUL32)
		return r;
	if (eval_class_of(t) != EVAL_FLOAT_CLASS)
		return wrap(c, t, r);
	return is_float32(t) && op == o.f32 ? r : round_result(c, t, r);
}

static struct eval_value
cast_to_bool(struct eval_compiler *c, struct dtype from, struct eval_value a)
{
	if (dtype_is_bool(from))
		return a;
	return eval_emit1(c,
			  eval_class_of(from) == EVAL_FLOAT_CLASS ? EV_FTOB
								  : EV_NONZERO,
			  from.lanes, a, 0);
}

/* Every value of FROM is one of TO. */
static bool
widens(struct dtype from, struct dtype to)
{
	if (eval_class_of(from) == EVAL_FLOAT_CLASS)
		return to.code == DTYPE_FLOAT && from.bits <= to.bits &&
		       (from.code == to.code || to.bits >= 32);
	if (from.code == to.code)
		return from.bits <= to.bits;
	return from.code == DTYPE_UINT && from.bits < to.bits;
}

struct eval_value
eval_cast(struct eval_compiler *c, const tir_expr *e)
{
	struct dtype from = e->arg[0]->dtype, to = e->dtype;
	enum eval_class x = eval_class_of(from), y = eval_class_of(to);
	struct eval_value a = eval_expr(c, e->arg[0]);

	if (dtype_equal(from, to))
		return a;
	if (x == EVAL_OTHER_CLASS || y == EVAL_OTHER_CLASS) {
		eval_fail(c, "a cast between these types");
		return a;
	}
	if (dtype_is_bool(to))
		return cast_to_bool(c, from, a);
	if (x == EVAL_FLOAT_CLASS && y == EVAL_FLOAT_CLASS)
		return widens(from, to) ? a : round_to(c, to, a);
	if (x == EVAL_FLOAT_CLASS) {
		bool wide = y == EVAL_UINT_CLASS && to.bits == 64;

		return wrap(c, to,
			    eval_emit1(c, wide ? EV_FTOU : EV_FTOI, to.lanes, a,
				       0));
	}
	if (y == EVAL_FLOAT_CLASS && is_float32(to))
		return eval_emit1(c,
				  x == EVAL_INT_CLASS ? EV_ITOF32 : EV_UTOF32,
				  to.lanes, a, 0);
	if (y == EVAL_FLOAT_CLASS)
		return round_to(
			c, to,
			eval_emit1(c, x == EVAL_INT_CLASS ? EV_ITOF : EV_UTOF,
				   to.lanes, a, 0));
	return widens(from, to) ? a : wrap(c, to, a);
}

static struct eval_value
reinterpret(struct eval_compiler *c, const tir_expr *e)
{
	struct dtype from = e->arg[0]->dtype, to = e->dtype;
	bool x = eval_class_of(from) == EVAL_FLOAT_CLASS;
	bool y = eval_class_of(to) == EVAL_FLOAT_CLASS;
	struct eval_value a = eval_expr(c, e->arg[0]);
	bool brain = (x ? from : to).code == DTYPE_BFLOAT;

	if (x && !y) {
		int op = brain             ? EV_BITSB16
			 : from.bits == 64 ? EV_BITS64
			 : from.bits == 32 ? EV_BITS32
					   : EV_BITS16;
		return wrap(c, to, eval_emit1(c, op, to.lanes, a, 0));
	}
	if (!x && y) {
		int op = brain           ? EV_FROMB16
			 : to.bits == 64 ? EV_FROM64
			 : to.bits == 32 ? EV_FROM32
					 : EV_FROM16;
		return eval_emit1(c, op, to.lanes, a, 0);
	}
	if (x && y)
		return a;
	return wrap(c, to, a);
}

/* Intrinsics of one integer or bool. */
static struct eval_value
int_intrinsic(struct eval_compiler *c, const tir_expr *e, struct eval_value a)
{
	struct dtype t = e->arg[0]->dtype;
	struct dtype bits = {DTYPE_UINT, t.bits, t.lanes};

	switch (e->intrin) {
	case INTRIN_ABS:
		return t.code == DTYPE_UINT
			       ? a
			       : wrap(c, t,
				      eval_emit1(c, EV_ABS, t.lanes, a, 0));
	case INTRIN_BIT_NOT:
		return wrap(c, t, eval_emit1(c, EV_BITNOT, t.lanes, a, 0));
	case INTRIN_CLZ:
		return eval_emit1(c, EV_CLZ, t.lanes, wrap(c, bits, a),
				  64 - t.bits);
	case INTRIN_POPCOUNT:
		return eval_emit1(c, EV_POPCOUNT, t.lanes, wrap(c, bits, a), 0);
	case INTRIN_CEIL:
	case INTRIN_FLOOR:
	case INTRIN_NEARBYINT:
	case INTRIN_ROUND:
	case INTRIN_TRUNC:
		return a;
	case INTRIN_ISNAN:
	case INTRIN_ISINF:
	case INTRIN_ISFINITE: {
		struct eval_value d = eval_new_value(c, t.lanes, 0, false);

		eval_emit(c, 0,
			  (struct eval_insn){.op = EV_CONST_I,
					     .lanes = t.lanes,
					     .d = d.slot,
					     .imm.i = e->intrin ==
						      INTRIN_ISFINITE});
		return d;
	}
	default:
		eval_fail(c, "'%s' of an integer",
			  tir_intrin_info[e->intrin].name);
		return a;
	}
}

/* The instruction for a function of one float that is exact, or -1. */
static int
exact_op(enum tir_intrin f)
{
	switch (f) {
	case INTRIN_ABS:
		return EV_FABS;
	case INTRIN_CEIL:
		return EV_CEIL;
	case INTRIN_FLOOR:
		return EV_FLOOR;
	case INTRIN_NEARBYINT:
		return EV_NEARBYINT;
	case INTRIN_ROUND:
		return EV_ROUND;
	case INTRIN_TRUNC:
		return EV_TRUNC;
	case INTRIN_ISNAN:
		return EV_ISNAN;
	case INTRIN_ISINF:
		return EV_ISINF;
	case INTRIN_ISFINITE:
		return EV_ISFINITE;
	default:
		return -1;
	}
}

static struct eval_value
float_intrinsic(struct eval_compiler *c, const tir_expr *e, struct eval_value a)
{
	struct dtype t = e->arg[0]->dtype;
	int op = exact_op(e->intrin), call;

	if (op >= 0)
		return eval_emit1(c, op, t.lanes, a, 0);
	if (e->intrin == INTRIN_SQRT)
		return round_result(c, t,
				    eval_emit1(c, EV_SQRT, t.lanes, a, 0));
	call = eval_call1_number(e->intrin, t.bits);
	if (call < 0) {
		eval_fail(c, "'%s' of a float",
			  tir_intrin_info[e->intrin].name);
		return a;
	}
	a = eval_emit1(c, EV_CALL1, t.lanes, a, call);
	return is_float32(t) ? a : round_result(c, t, a);
}

static struct eval_value
intrinsic2(struct eval_compiler *c, const tir_expr *e)
{
	struct dtype t = e->dtype;
	struct eval_value a = eval_expr(c, e->arg[0]);
	struct eval_value b = eval_expr(c, e->arg[1]);
	bool is_float = eval_class_of(t) == EVAL_FLOAT_CLASS;
	struct eval_value r;

	switch (e->intrin) {
	case INTRIN_BIT_AND:
		return eval_emit2(c, EV_AND, t.lanes, a, b);
	case INTRIN_BIT_OR:
		return eval_emit2(c, EV_OR, t.lanes, a, b);
	case INTRIN_BIT_XOR:
		return eval_emit2(c, EV_XOR, t.lanes, a, b);
	case INTRIN_SHL:
		return wrap(c, t, eval_emit2(c, EV_SHL, t.lanes, a, b));
	case INTRIN_SHR:
		return eval_emit2(c, t.code == DTYPE_UINT ? EV_USHR : EV_SHR,
				  t.lanes, a, b);
	case INTRIN_POW:
		if (!is_float)
			break;
		r = eval_emit2(c, t.bits == 64 ? EV_POW : EV_POWF32, t.lanes, a,
			       b);
		return round_result(c, t, r);
	case INTRIN_FMOD:
		if (!is_float)
			break;
		return round_result(c, t,
				    eval_emit2(c, EV_FMOD, t.lanes, a, b));
	default:
		break;
	}
	eval_fail(c, "'%s' on this type", tir_intrin_info[e->intrin].name);
	return a;
}

/* Intrinsics of three and four operands. */
static struct eval_value
intrinsic_many(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value v[4] = {{0}}, d;
	bool fma = e->intrin == INTRIN_FMA;
	uint32_t level = 0;
	bool impure = false;

	for (uint32_t i = 0; i < e->n && i < 4; i++) {
		v[i] = eval_expr(c, e->arg[i]);
		level = eval_max_level(level, v[i].level);
		impure |= v[i].impure;
	}
	d = eval_new_value(c, e->dtype.lanes, level, impure);
	eval_emit(c, level,
		  (struct eval_insn){
			  .op = !fma                   ? EV_QMULSHIFT
				: is_float32(e->dtype) ? EV_FMA32
						       : EV_FMA,
			  .lanes = e->dtype.lanes,
			  .d = d.slot,
			  .a = v[0].slot,
			  .b = v[1].slot,
			  .imm.i = (int64_t)(v[2].slot | (uint64_t)v[3].slot
								 << 32)});
	return fma ? round_result(c, e->dtype, d) : wrap(c, e->dtype, d);
}

struct eval_value
eval_intrinsic(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value a;

	if (e->intrin == INTRIN_REINTERPRET)
		return reinterpret(c, e);
	if (e->n == 2)
		return intrinsic2(c, e);
	if (e->n > 2)
		return intrinsic_many(c, e);
	a = eval_expr(c, e->arg[0]);
	if (eval_class_of(e->arg[0]->dtype) == EVAL_FLOAT_CLASS)
		return float_intrinsic(c, e, a);
	return int_intrinsic(c, e, a);
}
