/*
 * Constant folding of scalar expressions.
 */
#include "te/fold.h"

#include <assert.h>
#include <float.h>
#include <math.h>

int64_t
te_wrap(struct dtype t, int64_t value)
{
	uint64_t u = (uint64_t)value;
	unsigned bits = t.bits;

	if (bits >= 64)
		return value;
	u &= (UINT64_C(1) << bits) - 1;
	if (t.code == DTYPE_INT && (u >> (bits - 1)) & 1)
		u |= ~((UINT64_C(1) << bits) - 1);
	return (int64_t)u;
}

double
te_round(struct dtype t, double value)
{
	if (t.code == DTYPE_FLOAT && t.bits == 32)
		return (float)value;
	if (t.code == DTYPE_FLOAT && t.bits == 16)
		return half_to_float(double_to_half(value));
	if (t.code == DTYPE_BFLOAT)
		return bfloat_to_float(float_to_bfloat((float)value));
	return value;
}

const tir_expr *
te_extreme(ir_module *m, struct dtype t, bool highest)
{
	double f = DBL_MAX;
	uint64_t all = ~UINT64_C(0);

	if (dtype_is_float(t)) {
		if (t.code == DTYPE_BFLOAT)
			f = bfloat_to_float(0x7f7f);
		else if (t.bits == 16)
			f = 65504.0;
		else if (t.bits == 32)
			f = FLT_MAX;
		return tir_float(m, t, highest ? f : -f);
	}
	if (t.code == DTYPE_UINT)
		return tir_int(m, t, highest ? te_wrap(t, (int64_t)all) : 0);
	all >>= 65 - t.bits;
	return tir_int(m, t, (int64_t)(highest ? all : ~all));
}

static bool
is_int(const tir_expr *e)
{
	return e->kind == TIR_INT;
}

static const tir_expr *
boolean(ir_module *m, bool b)
{
	return tir_int(m, DTYPE_BOOL, b);
}

/* A and B are integer literals of type T; false: cannot be folded. */
static bool
int_op(enum tir_kind k, struct dtype t, int64_t a, int64_t b, int64_t *out)
{
	bool is_unsigned = t.code == DTYPE_UINT && t.bits == 64;

	switch (k) {
	case TIR_ADD:
		*out = (int64_t)((uint64_t)a + (uint64_t)b);
		return true;
	case TIR_SUB:
		*out = (int64_t)((uint64_t)a - (uint64_t)b);
		return true;
	case TIR_MUL:
		*out = (int64_t)((uint64_t)a * (uint64_t)b);
		return true;
	case TIR_MIN:
	case TIR_MAX:
		if (is_unsigned)
			return false;
		*out = (k == TIR_MIN) == (a < b) ? a : b;
		return true;
	default:
		break;
	}
	if (b == 0 || b == -1 || is_unsigned)
		return false;
	switch (k) {
	case TIR_DIV:
		*out = te_floordiv(a, b);
		return true;
	case TIR_MOD:
		*out = te_floormod(a, b);
		return true;
	case TIR_TRUNCDIV:
		*out = a / b;
		return true;
	case TIR_TRUNCMOD:
		*out = a % b;
		return true;
	default:
		return false;
	}
}

static bool
int_compare(enum tir_kind k, int64_t a, int64_t b)
{
	switch (k) {
	case TIR_EQ:
		return a == b;
	case TIR_NE:
		return a != b;
	case TIR_LT:
		return a < b;
	case TIR_LE:
		return a <= b;
	case TIR_GT:
		return a > b;
	default:
		return a >= b;
	}
}

static const tir_expr *
fold_ints(ir_module *m, enum tir_kind k, const tir_expr *a, const tir_expr *b)
{
	struct dtype t = a->dtype;
	int64_t value;

	if (k >= TIR_EQ && k <= TIR_GE) {
		if (t.code == DTYPE_UINT && t.bits == 64 && (a->i | b->i) < 0)
			return NULL;
		return boolean(m, int_compare(k, a->i, b->i));
	}
	if (!int_op(k, t, a->i, b->i, &value))
		return NULL;
	return tir_int(m, t, te_wrap(t, value));
}

static const tir_expr *
fold_floats(ir_module *m, enum tir_kind k, const tir_expr *a, const tir_expr *b)
{
	struct dtype t = a->dtype;

	switch (k) {
	case TIR_ADD:
		return tir_float(m, t, te_round(t, a->f + b->f));
	case TIR_SUB:
		return tir_float(m, t, te_round(t, a->f - b->f));
	case TIR_MUL:
		return tir_float(m, t, te_round(t, a->f * b->f));
	case TIR_DIV:
		return tir_float(m, t, te_round(t, a->f / b->f));
	case TIR_MIN:
		return a->f < b->f || a->f != a->f ? a : b;
	case TIR_MAX:
		return a->f > b->f || a->f != a->f ? a : b;
	default:
		return NULL;
	}
}

/* x + 0, x * 1 and the like on integers; NULL: no such thing. */
static const tir_expr *
fold_neutral(ir_module *m, enum tir_kind k, const tir_expr *a,
	     const tir_expr *b)
{
	switch (k) {
	case TIR_ADD:
		if (tir_is_const_int(b, 0))
			return a;
		return tir_is_const_int(a, 0) ? b : NULL;
	case TIR_SUB:
		return tir_is_const_int(b, 0) ? a : NULL;
	case TIR_MUL:
		if (tir_is_const_int(b, 1) || tir_is_const_int(a, 0))
			return a;
		if (tir_is_const_int(a, 1) || tir_is_const_int(b, 0))
			return b;
		return NULL;
	case TIR_DIV:
	case TIR_TRUNCDIV:
		return tir_is_const_int(b, 1) ? a : NULL;
	case TIR_MOD:
	case TIR_TRUNCMOD:
		return tir_is_const_int(b, 1) ? tir_int(m, a->dtype, 0) : NULL;
	case TIR_MIN:
	case TIR_MAX:
		return a == b ? a : NULL;
	default:
		return NULL;
	}
}

static const tir_expr *
fold_logic(ir_module *m, enum tir_kind k, const tir_expr *a, const tir_expr *b)
{
	bool neutral = k == TIR_AND;

	if (is_int(a) && a->dtype.lanes == 1)
		return (a->i != 0) == neutral ? b : a;
	if (is_int(b) && b->dtype.lanes == 1)
		return (b->i != 0) == neutral ? a : b;
	if (a == b)
		return a;
	return tir_binary(m, k, a, b);
}

const tir_expr *
te_fold_binary(ir_module *m, enum tir_kind k, const tir_expr *a,
	       const tir_expr *b)
{
	const tir_expr *e = NULL;

	assert(dtype_equal(a->dtype, b->dtype));
	if (k == TIR_AND || k == TIR_OR)
		return fold_logic(m, k, a, b);
	if (is_int(a) && is_int(b))
		e = fold_ints(m, k, a, b);
	else if (a->kind == TIR_FLOAT && b->kind == TIR_FLOAT)
		e = fold_floats(m, k, a, b);
	if (!e && dtype_is_int(a->dtype) && a->dtype.lanes == 1)
		e = fold_neutral(m, k, a, b);
	return e ? e : tir_binary(m, k, a, b);
}

const tir_expr *
te_fold_not(ir_module *m, const tir_expr *a)
{
	if (is_int(a))
		return boolean(m, !a->i);
	if (a->kind == TIR_NOT)
		return a->arg[0];
	return tir_not(m, a);
}

const tir_expr *
te_fold_choice(ir_module *m, enum tir_kind k, const tir_expr *cond,
	       const tir_expr *a, const tir_expr *b)
{
	if (is_int(cond))
		return cond->i ? a : b;
	if (a == b)
		return a;
	return k == TIR_SELECT ? tir_select(m, cond, a, b)
			       : tir_guard(m, cond, a, b);
}

/* A float literal to an integer type, where that is defined. */
static const tir_expr *
cast_float(ir_module *m, struct dtype t, double f)
{
	double limit = ldexp(1.0, t.bits - (t.code == DTYPE_INT));
	double low = t.code == DTYPE_INT ? -limit : 0;

	f = trunc(f);
	if (!(f >= low && f < limit) || t.bits == 64)
		return NULL;
	return tir_int(m, t, (int64_t)f);
}

const tir_expr *
te_fold_cast(ir_module *m, struct dtype t, const tir_expr *a)
{
	const tir_expr *e = NULL;
	bool wide = a->dtype.code == DTYPE_UINT && a->dtype.bits == 64;

	if (dtype_equal(t, a->dtype))
		return a;
	if (dtype_is_bool(t)) {
		if (dtype_is_float(a->dtype))
			return te_fold_binary(m, TIR_NE, a,
					      tir_float(m, a->dtype, 0));
		return te_fold_binary(m, TIR_NE, a, tir_int(m, a->dtype, 0));
	}
	if (is_int(a) && dtype_is_int(t))
		e = tir_int(m, t, te_wrap(t, a->i));
	else if (is_int(a) && dtype_is_float(t) && !(wide && a->i < 0))
		e = tir_float(m, t, te_round(t, (double)a->i));
	else if (a->kind == TIR_FLOAT && dtype_is_float(t))
		e = tir_float(m, t, te_round(t, a->f));
	else if (a->kind == TIR_FLOAT && dtype_is_int(t))
		e = cast_float(m, t, a->f);
	return e ? e : tir_cast(m, t, a);
}

const tir_expr *
te_fold_with_args(ir_module *m, const tir_expr *e, const tir_expr *const *args)
{
	switch (e->kind) {
	case TIR_NOT:
		return te_fold_not(m, args[0]);
	case TIR_SELECT:
	case TIR_GUARD:
		return te_fold_choice(m, e->kind, args[0], args[1], args[2]);
	case TIR_CAST:
		if (e->dtype.lanes == 1)
			return te_fold_cast(m, e->dtype, args[0]);
		return tir_with_args(m, e, args);
	default:
		break;
	}
	if (e->kind >= TIR_ADD && e->kind <= TIR_OR) {
		if (args[0] == e->arg[0] && args[1] == e->arg[1])
			return e;
		return te_fold_binary(m, e->kind, args[0], args[1]);
	}
	return tir_with_args(m, e, args);
}
