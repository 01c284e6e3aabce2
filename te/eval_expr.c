/*
 * Expressions of loops to instructions of the evaluator.
 */
#include "te/eval_internal.h"

#include <assert.h>

enum class { INT_CLASS, UINT_CLASS, FLOAT_CLASS, OTHER_CLASS };

static enum class class_of(struct dtype t) {
	if (t.code == DTYPE_INT) return INT_CLASS;
	if (t.code == DTYPE_UINT) return UINT_CLASS;
	if ((t.code == DTYPE_FLOAT &&
	     (t.bits == 16 || t.bits == 32 || t.bits == 64)) ||
	    t.code == DTYPE_BFLOAT) return FLOAT_CLASS;
	return OTHER_CLASS;
}

static uint32_t
max_level(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* OP, or its form for vectors, which follows it. */
static uint16_t
for_lanes(int op, unsigned lanes)
{
	return (uint16_t)(lanes > 1 ? op + 1 : op);
}

static struct eval_value
new_value(struct eval_compiler *c, unsigned lanes, uint32_t level, bool impure)
{
	return (struct eval_value){eval_slots(c, lanes), level, impure};
}

static struct eval_value
emit1(struct eval_compiler *c, int op, unsigned lanes, struct eval_value a,
      int64_t imm)
{
	struct eval_value d = new_value(c, lanes, a.level, a.impure);

	eval_emit(c, d.level,
		  (struct eval_insn){.op = for_lanes(op, lanes),
				     .lanes = (uint16_t)lanes,
				     .d = d.slot,
				     .a = a.slot,
				     .imm.i = imm});
	return d;
}

static struct eval_value
emit2(struct eval_compiler *c, int op, unsigned lanes, struct eval_value a,
      struct eval_value b)
{
	struct eval_value d = new_value(c, lanes, max_level(a.level, b.level),
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
	return emit1(c, t.code == DTYPE_UINT ? EV_UWRAP : EV_WRAP, t.lanes, a,
		     64 - t.bits);
}

/* A, a double, rounded to float type T. */
static struct eval_value
round_to(struct eval_compiler *c, struct dtype t, struct eval_value a)
{
	if (t.code == DTYPE_BFLOAT)
		return emit1(c, EV_ROUNDB16, t.lanes, a, 0);
	if (t.bits == 64)
		return a;
	return emit1(c, t.bits == 32 ? EV_ROUND32 : EV_ROUND16, t.lanes, a, 0);
}

/* The result of arithmetic: bfloat16 computes in float. */
static struct eval_value
round_result(struct eval_compiler *c, struct dtype t, struct eval_value a)
{
	if (t.code == DTYPE_BFLOAT)
		return emit1(c, EV_ROUND32, t.lanes, a, 0);
	return round_to(c, t, a);
}

static bool
is_float32(struct dtype t)
{
	return t.code == DTYPE_FLOAT && t.bits == 32;
}

static struct eval_value
constant(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value d = new_value(c, e->dtype.lanes, 0, false);
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

static struct eval_value
binary(struct eval_compiler *c, const tir_expr *e)
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
	switch (class_of(t)) {
	case FLOAT_CLASS:
		op = is_float32(t) ? o.f32 : o.f64;
		if (op < 0)
			op = o.f64;
		break;
	case INT_CLASS:
		op = t.bits == 32 && int32_op(e->kind) >= 0 ? int32_op(e->kind)
							    : o.sint;
		break;
	case UINT_CLASS:
		op = o.uint;
		break;
	case OTHER_CLASS:
		break;
	}
	if (op < 0) {
		eval_fail(c, "this operation on this type");
		return a;
	}
	r = emit2(c, op, t.lanes, a, b);
	if (!o.wraps || op == EV_ADD32 || op == EV_SUB32 || op == EV_MUL32)
		return r;
	if (class_of(t) != FLOAT_CLASS)
		return wrap(c, t, r);
	return is_float32(t) && op == o.f32 ? r : round_result(c, t, r);
}

static struct eval_value
cast_to_bool(struct eval_compiler *c, struct dtype from, struct eval_value a)
{
	if (dtype_is_bool(from))
		return a;
	return emit1(c, class_of(from) == FLOAT_CLASS ? EV_FTOB : EV_NONZERO,
		     from.lanes, a, 0);
}

/* Every value of FROM is one of TO. */
static bool
widens(struct dtype from, struct dtype to)
{
	if (class_of(from) == FLOAT_CLASS)
		return to.code == DTYPE_FLOAT && from.bits <= to.bits &&
		       (from.code == to.code || to.bits >= 32);
	if (from.code == to.code)
		return from.bits <= to.bits;
	return from.code == DTYPE_UINT && from.bits < to.bits;
}

static struct eval_value
cast(struct eval_compiler *c, const tir_expr *e)
{
	struct dtype from = e->arg[0]->dtype, to = e->dtype;
	enum class x = class_of(from), y = class_of(to);
	struct eval_value a = eval_expr(c, e->arg[0]);

	if (dtype_equal(from, to))
		return a;
	if (x == OTHER_CLASS || y == OTHER_CLASS) {
		eval_fail(c, "a cast between these types");
		return a;
	}
	if (dtype_is_bool(to))
		return cast_to_bool(c, from, a);
	if (x == FLOAT_CLASS && y == FLOAT_CLASS)
		return widens(from, to) ? a : round_to(c, to, a);
	if (x == FLOAT_CLASS) {
		bool wide = y == UINT_CLASS && to.bits == 64;

		return wrap(c, to,
			    emit1(c, wide ? EV_FTOU : EV_FTOI, to.lanes, a, 0));
	}
	if (y == FLOAT_CLASS && is_float32(to))
		return emit1(c, x == INT_CLASS ? EV_ITOF32 : EV_UTOF32,
			     to.lanes, a, 0);
	if (y == FLOAT_CLASS)
		return round_to(c, to,
				emit1(c, x == INT_CLASS ? EV_ITOF : EV_UTOF,
				      to.lanes, a, 0));
	return widens(from, to) ? a : wrap(c, to, a);
}

static struct eval_value
reinterpret(struct eval_compiler *c, const tir_expr *e)
{
	struct dtype from = e->arg[0]->dtype, to = e->dtype;
	bool x = class_of(from) == FLOAT_CLASS;
	bool y = class_of(to) == FLOAT_CLASS;
	struct eval_value a = eval_expr(c, e->arg[0]);
	bool brain = (x ? from : to).code == DTYPE_BFLOAT;

	if (x && !y) {
		int op = brain             ? EV_BITSB16
			 : from.bits == 64 ? EV_BITS64
			 : from.bits == 32 ? EV_BITS32
					   : EV_BITS16;
		return wrap(c, to, emit1(c, op, to.lanes, a, 0));
	}
	if (!x && y) {
		int op = brain           ? EV_FROMB16
			 : to.bits == 64 ? EV_FROM64
			 : to.bits == 32 ? EV_FROM32
					 : EV_FROM16;
		return emit1(c, op, to.lanes, a, 0);
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
			       : wrap(c, t, emit1(c, EV_ABS, t.lanes, a, 0));
	case INTRIN_BIT_NOT:
		return wrap(c, t, emit1(c, EV_BITNOT, t.lanes, a, 0));
	case INTRIN_CLZ:
		return emit1(c, EV_CLZ, t.lanes, wrap(c, bits, a), 64 - t.bits);
	case INTRIN_POPCOUNT:
		return emit1(c, EV_POPCOUNT, t.lanes, wrap(c, bits, a), 0);
	case INTRIN_CEIL:
	case INTRIN_FLOOR:
	case INTRIN_NEARBYINT:
	case INTRIN_ROUND:
	case INTRIN_TRUNC:
		return a;
	case INTRIN_ISNAN:
	case INTRIN_ISINF:
	case INTRIN_ISFINITE: {
		struct eval_value d = new_value(c, t.lanes, 0, false);

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
		return emit1(c, op, t.lanes, a, 0);
	if (e->intrin == INTRIN_SQRT)
		return round_result(c, t, emit1(c, EV_SQRT, t.lanes, a, 0));
	call = eval_call1_number(e->intrin, t.bits);
	if (call < 0) {
		eval_fail(c, "'%s' of a float",
			  tir_intrin_info[e->intrin].name);
		return a;
	}
	a = emit1(c, EV_CALL1, t.lanes, a, call);
	return is_float32(t) ? a : round_result(c, t, a);
}

static struct eval_value
intrinsic2(struct eval_compiler *c, const tir_expr *e)
{
	struct dtype t = e->dtype;
	struct eval_value a = eval_expr(c, e->arg[0]);
	struct eval_value b = eval_expr(c, e->arg[1]);
	bool is_float = class_of(t) == FLOAT_CLASS;
	struct eval_value r;

	switch (e->intrin) {
	case INTRIN_BIT_AND:
		return emit2(c, EV_AND, t.lanes, a, b);
	case INTRIN_BIT_OR:
		return emit2(c, EV_OR, t.lanes, a, b);
	case INTRIN_BIT_XOR:
		return emit2(c, EV_XOR, t.lanes, a, b);
	case INTRIN_SHL:
		return wrap(c, t, emit2(c, EV_SHL, t.lanes, a, b));
	case INTRIN_SHR:
		return emit2(c, t.code == DTYPE_UINT ? EV_USHR : EV_SHR,
			     t.lanes, a, b);
	case INTRIN_POW:
		if (!is_float)
			break;
		r = emit2(c, t.bits == 64 ? EV_POW : EV_POWF32, t.lanes, a, b);
		return round_result(c, t, r);
	case INTRIN_FMOD:
		if (!is_float)
			break;
		return round_result(c, t, emit2(c, EV_FMOD, t.lanes, a, b));
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
		level = max_level(level, v[i].level);
		impure |= v[i].impure;
	}
	d = new_value(c, e->dtype.lanes, level, impure);
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

static struct eval_value
intrinsic(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value a;

	if (e->intrin == INTRIN_REINTERPRET)
		return reinterpret(c, e);
	if (e->n == 2)
		return intrinsic2(c, e);
	if (e->n > 2)
		return intrinsic_many(c, e);
	a = eval_expr(c, e->arg[0]);
	if (class_of(e->arg[0]->dtype) == FLOAT_CLASS)
		return float_intrinsic(c, e, a);
	return int_intrinsic(c, e, a);
}

static struct eval_value
select_of(struct eval_compiler *c, struct dtype t, unsigned cond_lanes,
	  struct eval_value v, struct eval_value a, struct eval_value b)
{
	uint32_t level = max_level(v.level, max_level(a.level, b.level));
	struct eval_value d =
		new_value(c, t.lanes, level, v.impure || a.impure || b.impure);

	eval_emit(c, level,
		  (struct eval_insn){.op = cond_lanes > 1 ? EV_SELECT
							  : EV_SELECT1,
				     .lanes = t.lanes,
				     .d = d.slot,
				     .a = v.slot,
				     .b = a.slot,
				     .imm.i = b.slot});
	return d;
}

/* An arm of a guard, into the slots of D, in a segment of its own. */
static struct eval_segment
arm(struct eval_compiler *c, const tir_expr *e, uint32_t d)
{
	struct eval_value v;

	eval_open(c);
	v = eval_expr(c, e);
	eval_emit(c, c->top,
		  (struct eval_insn){.op = EV_MOVE,
				     .lanes = e->dtype.lanes,
				     .d = d,
				     .a = v.slot});
	return eval_close(c);
}

static struct eval_value
scalar_guard(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value v = eval_expr(c, e->arg[0]);
	struct eval_value d = new_value(c, e->dtype.lanes, c->top, true);
	struct eval_segment yes, no;

	yes = arm(c, e->arg[1], d.slot);
	no = arm(c, e->arg[2], d.slot);
	eval_emit(c, c->top,
		  (struct eval_insn){.op = EV_JUMP_IF_NOT,
				     .lanes = 1,
				     .a = v.slot,
				     .imm.i = (int64_t)yes.code.len + 1});
	eval_append(c, &yes);
	eval_emit(c, c->top,
		  (struct eval_insn){.op = EV_JUMP,
				     .lanes = 1,
				     .imm.i = (int64_t)no.code.len});
	eval_append(c, &no);
	return d;
}

/* E with the lanes of V switched on among those that are. */
static struct eval_value
masked(struct eval_compiler *c, const tir_expr *e, struct eval_value v)
{
	uint32_t mask = c->mask, level = c->mask_level;
	uint16_t lanes = c->mask_lanes;
	struct eval_segment s;
	struct eval_value r;

	if (mask != EVAL_NO_SLOT) {
		struct eval_value outer = {mask, level, true};

		v = emit2(c, EV_AND, e->dtype.lanes, v, outer);
	}
	c->mask = v.slot;
	c->mask_level = v.level;
	c->mask_lanes = e->dtype.lanes;
	eval_open(c);
	r = eval_expr(c, e);
	s = eval_close(c);
	eval_append(c, &s);
	c->mask = mask;
	c->mask_level = level;
	c->mask_lanes = lanes;
	if (r.level > c->top)
		r.level = c->top;
	r.impure = true;
	return r;
}

static struct eval_value
guard(struct eval_compiler *c, const tir_expr *e)
{
	unsigned lanes = e->arg[0]->dtype.lanes;
	struct eval_value v, a, b;

	if (lanes == 1)
		return scalar_guard(c, e);
	v = eval_expr(c, e->arg[0]);
	a = masked(c, e->arg[1], v);
	b = masked(c, e->arg[2], emit1(c, EV_NOT, lanes, v, 0));
	return select_of(c, e->dtype, lanes, v, a, b);
}

static struct eval_value
let(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value v = eval_expr(c, e->arg[0]);
	struct eval_segment s;

	eval_open(c);
	v.level = c->top;
	v.impure = false;
	eval_map_put(&c->vars, e->var, v);
	v = eval_expr(c, e->arg[1]);
	s = eval_close(c);
	eval_append(c, &s);
	if (v.level > c->top)
		v.level = c->top;
	v.impure = true;
	return v;
}

static struct eval_value
ramp(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value a = eval_expr(c, e->arg[0]);
	struct eval_value b = eval_expr(c, e->arg[1]);
	struct eval_value d =
		new_value(c, e->dtype.lanes, max_level(a.level, b.level),
			  a.impure || b.impure);

	eval_emit(c, d.level,
		  (struct eval_insn){.op = EV_RAMP,
				     .lanes = e->dtype.lanes,
				     .d = d.slot,
				     .a = a.slot,
				     .b = b.slot,
				     .imm.i = 64 - e->dtype.bits});
	return d;
}

static struct eval_value
splat(struct eval_compiler *c, struct eval_value a, unsigned lanes)
{
	struct eval_value d = new_value(c, lanes, a.level, a.impure);

	eval_emit(c, d.level,
		  (struct eval_insn){.op = EV_SPLAT,
				     .lanes = (uint16_t)lanes,
				     .d = d.slot,
				     .a = a.slot});
	return d;
}

/* The load of element type T; its stores are three further on; or -1. */
static int
memory_op(struct dtype t)
{
	unsigned bytes = (t.bits + 7) / 8;

	switch (class_of(t)) {
	case FLOAT_CLASS:
		return t.code == DTYPE_BFLOAT ? EV_LOAD_BF16
		       : bytes == 8           ? EV_LOAD_F64
		       : bytes == 4           ? EV_LOAD_F32
					      : EV_LOAD_F16;
	case INT_CLASS:
		return bytes == 8   ? EV_LOAD_I64
		       : bytes == 4 ? EV_LOAD_I32
		       : bytes == 2 ? EV_LOAD_I16
		       : bytes == 1 ? EV_LOAD_I8
				    : -1;
	case UINT_CLASS:
		return bytes == 8   ? EV_LOAD_I64
		       : bytes == 4 ? EV_LOAD_U32
		       : bytes == 2 ? EV_LOAD_U16
		       : bytes == 1 ? EV_LOAD_U8
				    : -1;
	case OTHER_CLASS:
		break;
	}
	return -1;
}

/* How an access walks through its buffer. */
struct access {
	int form; /* 0 one element, 1 in a row, 2 lane by lane */
	struct eval_value at;
};

static struct access
access_of(struct eval_compiler *c, const struct tir_buffer *b,
	  const tir_expr *index)
{
	struct access x = {0, {0, 0, false}};

	if (b->dtype.lanes > 1) {
		struct dtype t = index->dtype;
		struct eval_value k = new_value(c, 1, 0, false);

		eval_emit(c, 0,
			  (struct eval_insn){.op = EV_CONST_I,
					     .lanes = 1,
					     .d = k.slot,
					     .imm.i = b->dtype.lanes});
		if (t.lanes > 1)
			eval_fail(c, "a vector of vectors");
		x.form = 1;
		x.at = emit2(c, EV_MUL, 1, eval_expr(c, index), k);
		return x;
	}
	if (index->kind == TIR_RAMP && c->mask == EVAL_NO_SLOT &&
	    tir_is_const_int(index->arg[1], 1)) {
		x.form = 1;
		x.at = eval_expr(c, index->arg[0]);
		return x;
	}
	x.form = index->dtype.lanes > 1 ? 2 : 0;
	x.at = eval_expr(c, index);
	return x;
}

/* A slot that says whether any lane of the mask is on. */
static uint32_t
any_lane(struct eval_compiler *c)
{
	uint32_t d = eval_slots(c, 1);

	eval_emit(c, c->top,
		  (struct eval_insn){.op = EV_ANY,
				     .lanes = c->mask_lanes,
				     .d = d,
				     .a = c->mask});
	return d;
}

static struct eval_value
load(struct eval_compiler *c, const tir_expr *e)
{
	struct access x = access_of(c, e->buffer, e->arg[0]);
	int op = memory_op(e->buffer->dtype);
	struct eval_value d = new_value(c, e->dtype.lanes, c->top, true);
	uint32_t mask = c->mask;

	if (op < 0) {
		eval_fail(c, "memory of this element type");
		return d;
	}
	if (x.form == 0 && mask != EVAL_NO_SLOT) {
		mask = any_lane(c);
		x.form = 2;
	}
	eval_emit(c, c->top,
		  (struct eval_insn){.op = (uint16_t)(op + x.form),
				     .lanes = e->dtype.lanes,
				     .d = d.slot,
				     .a = x.at.slot,
				     .b = mask,
				     .imm.i = eval_buffer(c, e->buffer)});
	return d;
}

void
eval_store(struct eval_compiler *c, const tir_stmt *s)
{
	const struct tir_buffer *b = s->store.buffer;
	unsigned lanes = s->store.index->dtype.lanes * b->dtype.lanes;
	int op = memory_op(b->dtype);
	struct eval_value v, mask = {EVAL_NO_SLOT, 0, false};
	struct access x;

	if (s->store.mask) {
		mask = eval_expr(c, s->store.mask);
		if (s->store.mask->dtype.lanes < lanes)
			mask = splat(c, mask, lanes);
		c->mask = mask.slot;
		c->mask_level = mask.level;
		c->mask_lanes = (uint16_t)lanes;
	}
	v = eval_expr(c, s->store.value);
	if (s->store.value->dtype.lanes < lanes)
		v = splat(c, v, lanes);
	x = access_of(c, b, s->store.index);
	c->mask = EVAL_NO_SLOT;
	if (mask.slot != EVAL_NO_SLOT && x.form == 0)
		x.form = 2;
	if (op < 0) {
		eval_fail(c, "memory of this element type");
		return;
	}
	eval_emit(c, c->top,
		  (struct eval_insn){.op = (uint16_t)(op + 3 + x.form),
				     .lanes = (uint16_t)lanes,
				     .d = v.slot,
				     .a = x.at.slot,
				     .b = mask.slot,
				     .imm.i = eval_buffer(c, b)});
}

static struct eval_value
address_of(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value at = eval_expr(c, e->arg[0]);
	struct eval_value d = new_value(c, 2, c->top, true);

	eval_emit(
		c, c->top,
		(struct eval_insn){.op = EV_ADDRESS,
				   .lanes = 1,
				   .d = d.slot,
				   .a = at.slot,
				   .b = (uint32_t)dtype_size(e->buffer->dtype),
				   .imm.i = eval_buffer(c, e->buffer)});
	return d;
}

static struct eval_value
variable(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value *v = eval_map_get(&c->vars, e->var);

	if (v)
		return *v;
	eval_fail(c, "the unbound variable '%s'", e->var->name);
	return (struct eval_value){0, 0, false};
}

static struct eval_value
call_extern(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value d = new_value(c, 2, c->top, true);

	eval_emit_call(c, EV_CALL_EXTERN, e->s, e->arg, e->n, d.slot,
		       c->func->loc);
	return d;
}

static struct eval_value
compile(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value a, b;

	switch ((enum tir_kind)e->kind) {
	case TIR_INT:
	case TIR_FLOAT:
		return constant(c, e);
	case TIR_VAR:
		return variable(c, e);
	case TIR_NOT:
		return emit1(c, EV_NOT, e->dtype.lanes, eval_expr(c, e->arg[0]),
			     0);
	case TIR_SELECT:
		a = eval_expr(c, e->arg[1]);
		b = eval_expr(c, e->arg[2]);
		return select_of(c, e->dtype, e->arg[0]->dtype.lanes,
				 eval_expr(c, e->arg[0]), a, b);
	case TIR_GUARD:
		return guard(c, e);
	case TIR_CAST:
		return cast(c, e);
	case TIR_CALL:
		return intrinsic(c, e);
	case TIR_CALL_EXTERN:
		return call_extern(c, e);
	case TIR_LOAD:
		return load(c, e);
	case TIR_ADDRESS_OF:
		return address_of(c, e);
	case TIR_RAMP:
		return ramp(c, e);
	case TIR_BROADCAST:
		return splat(c, eval_expr(c, e->arg[0]), e->dtype.lanes);
	case TIR_LET:
		return let(c, e);
	case TIR_STRING:
	case TIR_READ:
	case TIR_REDUCE:
	case TIR_KIND_COUNT:
		eval_fail(c, "a tensor expression among loops");
		return (struct eval_value){0, 0, false};
	default:
		return binary(c, e);
	}
}

struct eval_value
eval_expr(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value *known = eval_map_get(&c->exprs, e);
	struct eval_value v = {0, 0, false};

	if (known)
		return *known;
	if (c->failed)
		return v;
	if (c->depth >= EVAL_MAX_DEPTH) {
		eval_fail(c, "an expression this deep");
		return v;
	}
	c->depth++;
	v = compile(c, e);
	c->depth--;
	/* What was computed under a mask holds for its lanes alone. */
	if (c->mask != EVAL_NO_SLOT && v.impure)
		return v;
	eval_map_put(&c->exprs, e, v);
	vec_push(&c->segs.at[v.level].known, e);
	if (v.impure)
		vec_push(&c->loads, e);
	return v;
}
