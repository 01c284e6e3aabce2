/*
 * Tests of simplify-expr about element types: which casts and clips keep all
 * values.
 */
#include "passes/rewrite/rw_fn.h"

#include <math.h>
#include <string.h>

/* Bits of a value that a float of type T holds exactly. */
static int
mantissa_bits(struct dtype t)
{
	switch (t.code) {
	case DTYPE_FLOAT:
		return t.bits == 64 ? 53 : t.bits == 32 ? 24 : 11;
	case DTYPE_BFLOAT:
		return 8;
	case DTYPE_E4M3:
		return 4;
	default:
		return 3;
	}
}

static bool
float_keeps_float(struct dtype a, struct dtype b)
{
	if (a.code == b.code)
		return a.bits <= b.bits;
	if (b.code != DTYPE_FLOAT)
		return false;
	return a.code == DTYPE_BFLOAT ? b.bits >= 32 : b.bits >= 16;
}

/* Every value of A, a type of numbers, is a value of B. */
static bool
keeps_values(struct dtype a, struct dtype b)
{
	bool a_float = dtype_is_float(a);
	bool b_float = dtype_is_float(b);
	int bits = a.code == DTYPE_INT ? a.bits - 1 : a.bits;

	if (dtype_equal(a, b))
		return true;
	if (a.lanes != b.lanes || a.code >= DTYPE_CUSTOM ||
	    b.code >= DTYPE_CUSTOM)
		return false;
	if (a_float)
		return b_float && float_keeps_float(a, b);
	if (b_float)
		return bits <= mantissa_bits(b) &&
		       (b.code != DTYPE_FLOAT || b.bits > 16 || bits < 16);
	if (a.code == DTYPE_INT)
		return b.code == DTYPE_INT && a.bits <= b.bits;
	return b.code == DTYPE_INT ? a.bits < b.bits : a.bits <= b.bits;
}

static bool
dtype_of_value(const ir_attr *v, struct dtype *out)
{
	if (v->kind == ATTR_DTYPE)
		*out = v->dtype;
	return v->kind == ATTR_DTYPE ||
	       (v->kind == ATTR_STRING && dtype_parse(v->s, strlen(v->s), out));
}

bool
rw_fn_keeps_values(struct rw_env *env, const union rw_arg *a, union rw_arg *out)
{
	struct dtype from, to;

	(void)env;
	(void)out;
	return dtype_of_value(&a[0].v, &from) && dtype_of_value(&a[1].v, &to) &&
	       keeps_values(from, to);
}

/* The integers from LO to HI are all of type T. */
static bool
holds_range(struct dtype t, double lo, double hi)
{
	double top;

	if (dtype_is_float(t)) {
		top = ldexp(1, mantissa_bits(t));
		return lo >= -top && hi <= top;
	}
	if (!dtype_is_int(t))
		return false;
	if (t.code == DTYPE_UINT)
		return lo >= 0 && hi <= ldexp(1, t.bits) - 1;
	return lo >= -ldexp(1, t.bits - 1) && hi <= ldexp(1, t.bits - 1) - 1;
}

/*
 * clip -> MIDDLE -> LAST may skip the middle. From integers the middle must
 * hold the range. From floats it cuts fractions off, so the last must do so
 * too, and hold the range itself: what a float beyond it becomes is open.
 */
bool
rw_fn_skips_cast(struct rw_env *env, const union rw_arg *a, union rw_arg *out)
{
	const struct ir_tensor_type *clip = rw_tensor(a[0].e);
	const struct ir_tensor_type *middle = rw_tensor(a[1].e);
	const struct ir_tensor_type *last = rw_tensor(a[2].e);
	double lo, hi;

	(void)env;
	(void)out;
	if (!clip || !middle || !last || !ir_is_call_of(a[0].e, OP_clip))
		return false;
	lo = ir_attrs_double(ir_as_call(a[0].e)->attrs, "a_min");
	hi = ir_attrs_double(ir_as_call(a[0].e)->attrs, "a_max");
	if (dtype_is_int(clip->dtype))
		return holds_range(middle->dtype, lo, hi);
	if (!dtype_is_float(clip->dtype))
		return false;
	if (dtype_is_float(middle->dtype))
		return keeps_values(clip->dtype, middle->dtype);
	return dtype_is_int(last->dtype) &&
	       holds_range(middle->dtype, lo, hi) &&
	       holds_range(last->dtype, lo, hi);
}

bool
rw_fn_is_idle_clip(struct rw_env *env, const union rw_arg *a, union rw_arg *out)
{
	const struct ir_tensor_type *t = rw_tensor(a[0].e);
	const ir_attrs *attrs;
	double lo, hi;

	(void)env;
	(void)out;
	if (!t || !dtype_is_int(t->dtype) || !ir_is_call_of(a[0].e, OP_clip))
		return false;
	attrs = ir_as_call(a[0].e)->attrs;
	lo = ir_attrs_double(attrs, "a_min");
	hi = ir_attrs_double(attrs, "a_max");
	if (t->dtype.code == DTYPE_UINT)
		return lo <= 0 && hi >= ldexp(1, t->dtype.bits) - 1;
	return lo <= -ldexp(1, t->dtype.bits - 1) &&
	       hi >= ldexp(1, t->dtype.bits - 1) - 1;
}
