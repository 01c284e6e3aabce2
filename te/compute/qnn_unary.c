/* Quantized activations in integers, and quantization simulated in floats. */
#include "te/compute/computes.h"

#include <math.h>

#include "te/compute/qnn.h"

static const struct dtype i32 = {DTYPE_INT, 32, 1};
static const struct dtype i64 = {DTYPE_INT, 64, 1};

/* The int32 T times a real number in fixed point, halves up. */
static const tir_expr *
times(struct te_call *c, const tir_expr *t, double real)
{
	int e;
	int64_t m = llround(frexp(real, &e) * 2147483648.0);
	const tir_expr *y;
	int64_t right = 31 - e;

	if (m == 0 || right > 62)
		return te_zero(c, i32);
	y = te_mul(c, te_cast(c, i64, t), te_lit_int(c, i64, m));
	if (right < 1)
		return te_cast(c, i32,
			       te_intrin2(c, INTRIN_SHL, y,
					  te_lit_int(c, i64, -right)));
	y = te_add(c, y, te_lit_int(c, i64, INT64_C(1) << (right - 1)));
	return te_cast(c, i32,
		       te_intrin2(c, INTRIN_SHR, y, te_lit_int(c, i64, right)));
}

bool
compute_qnn_leaky_relu(struct te_call *c)
{
	double alpha = te_attr_double(c, "alpha");
	struct te_tensor *r = te_requantize(c, c->in[0], 1, 3);
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *q = te_cast(c, i32, te_get(c, c->in[0], b->i));
	const tir_expr *in_zero = te_cast(c, i32, te_get0(c, c->in[2]));
	const tir_expr *out_zero = te_cast(c, i32, te_get0(c, c->in[4]));
	const tir_expr *v = te_get(c, r, b->i);

	v = te_select(
		c, te_cmp(c, TIR_LT, q, in_zero),
		te_add(c, times(c, v, alpha), times(c, out_zero, 1 - alpha)),
		v);
	return te_output(c, 0,
			 te_end(b, te_saturate(c, te_out_dtype(c, 0), v)));
}

static const tir_expr *
shift(struct te_call *c, enum tir_intrin f, const tir_expr *a, int64_t by)
{
	return te_intrin2(c, f, a, te_lit_int(c, a->dtype, by));
}

/* Powers of two with whole exponents and linear rests, for x <= 0. */
struct powers {
	struct te_tensor *exponent; /* n */
	struct te_tensor *mantissa; /* b: the power is b << (max - n) */
};

/* P = x log2(e) in units of 1 / X0; p = -n x0 + r. */
static struct powers
powers_of(struct te_call *c, struct te_tensor *p, int64_t x0)
{
	struct powers out;
	struct te_body *b = te_begin_like(c, "exponent", p);
	const tir_expr *v =
		te_truncdiv(c, te_get(c, p, b->i), te_lit_int(c, i32, -x0));

	v = te_max(c, te_zero(c, i32), te_min(c, v, te_lit_int(c, i32, 20)));
	out.exponent = te_end(b, v);
	b = te_begin_like(c, "mantissa", p);
	v = te_add(c, te_get(c, p, b->i),
		   te_mul(c, te_get(c, out.exponent, b->i),
			  te_lit_int(c, i32, x0)));
	v = te_add(c, shift(c, INTRIN_SHR, v, 1), te_lit_int(c, i32, x0));
	out.mantissa = te_end(b, v);
	return out;
}

/* x + (x >> 1) - (x >> 4) for x = q - max(q): about x log2(e). */
static struct te_tensor *
logarithms(struct te_call *c, struct te_tensor *x, struct te_tensor *max,
	   uint32_t axis)
{
	struct te_body *b = te_begin_like(c, "scaled", x);
	const tir_expr *d =
		te_sub(c, te_cast(c, i32, te_get(c, x, b->i)),
		       te_cast(c, i32, te_get_folded(c, b, max, axis)));

	d = te_sub(c, te_add(c, d, shift(c, INTRIN_SHR, d, 1)),
		   shift(c, INTRIN_SHR, d, 4));
	return te_end(b, d);
}

bool
compute_qnn_softmax(struct te_call *c)
{
	struct te_tensor *x = c->in[0], *max, *sum, *power;
	uint32_t axis =
		(uint32_t)te_axis_of(te_attr_int(c, "axis", -1), x->ndim);
	double scale, out_scale;
	struct powers p;
	struct te_body *b;
	const tir_expr *v;
	int64_t x0;

	if (!te_const_double(c, 1, 0, &scale) ||
	    !te_const_double(c, 3, 0, &out_scale) || scale <= 0 || scale > 1 ||
	    out_scale <= 0)
		return te_error(c, "the scales must be constants, that of the "
				   "input at most 1");
	x0 = llround(1 / scale);
	max = te_fold_out(c, x, axis, TE_MAX, "T_softmax_maxelem");
	p = powers_of(c, logarithms(c, x, max, axis), x0);
	max = te_fold_out(c, p.exponent, axis, TE_MAX, "exponent_max");
	b = te_begin_like(c, "power", x);
	v = te_sub(c, te_get_folded(c, b, max, axis),
		   te_get(c, p.exponent, b->i));
	power = te_end(
		b, te_intrin2(c, INTRIN_SHL, te_get(c, p.mantissa, b->i), v));
	sum = te_fold_out(c, power, axis, TE_SUM, "T_softmax_expsum");
	b = te_begin_out(c, NULL, 0);
	v = te_truncdiv(c, te_lit_int(c, i32, 1 << 30),
			te_max(c, te_lit_int(c, i32, 1),
			       te_get_folded(c, b, sum, axis)));
	v = shift(c, INTRIN_SHR, te_mul(c, v, te_get(c, power, b->i)), 23);
	v = times(c, v, 1.0 / 128 / out_scale);
	v = te_add(c, v, te_cast(c, i32, te_get0(c, c->in[4])));
	return te_output(c, 0,
			 te_end(b, te_saturate(c, te_out_dtype(c, 0), v)));
}

/* Element of the vector T for index I along the channels. */
static const tir_expr *
channel(struct te_call *c, const struct te_tensor *t, const tir_expr *i,
	struct dtype type)
{
	if (t->ndim == 0)
		return te_cast(c, type, te_get0(c, t));
	return te_cast(c, type, te_at(c, t, te_modi(c, i, t->shape[0])));
}

/* One of three numbers by the code of a type: int8, uint8, int32. */
static const tir_expr *
by_code(struct te_call *c, struct dtype t, const tir_expr *code, double i8,
	double u8, double other)
{
	const tir_expr *v = te_lit(c, t, other);

	v = te_select(c, te_cmp(c, TIR_EQ, code, te_lit_int(c, code->dtype, 2)),
		      te_lit(c, t, u8), v);
	return te_select(c,
			 te_cmp(c, TIR_EQ, code, te_lit_int(c, code->dtype, 1)),
			 te_lit(c, t, i8), v);
}

/* Code 0 leaves the data alone. */
bool
compute_qnn_simulated(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *x = te_get(c, c->in[0], b->i), *v;
	const tir_expr *code = te_get0(c, c->in[1]);
	struct dtype t = x->dtype;
	uint32_t axis = b->ndim ? (uint32_t)te_axis_of(
					  te_attr_int(c, "axis", -1), b->ndim)
				: 0;
	const tir_expr *at = axis < b->ndim ? b->i[axis] : te_int(c, 0);
	const tir_expr *scale = channel(c, c->in[2], at, t);
	const tir_expr *zero = channel(c, c->in[3], at, t);

	for (uint32_t i = 1; i < 4; i++)
		for (uint32_t d = 0; d < c->in[i]->ndim; d++)
			if (c->in[i]->shape[d] == 0)
				return te_error(c, "input %u is empty", i + 1);
	if (b->ndim && !te_is_axis(c, te_attr_int(c, "axis", -1), b->ndim))
		return false;
	if (c->op->id == OP_qnn_simulated_dequantize) {
		v = te_mul(c, te_sub(c, x, zero), scale);
	} else {
		v = te_add(c, te_unary(c, INTRIN_ROUND, te_div(c, x, scale)),
			   zero);
		v = te_min(c, v, by_code(c, t, code, 127, 255, 2147483647.0));
		v = te_max(c, v, by_code(c, t, code, -128, 0, -2147483648.0));
	}
	v = te_select(c, te_cmp(c, TIR_EQ, code, te_zero(c, code->dtype)), x,
		      v);
	return te_output(c, 0, te_end(b, v));
}

/* In quantize's passes: cut, rounded, and a float as before. */
bool
compute_relay_simulated_quantize(struct te_call *c)
{
	const tir_expr *x, *s, *low, *high;
	struct te_body *b;

	if (te_attr_int(c, "kind", 0) == 0)
		return te_output(c, 0, c->in[0]);
	b = te_begin_out(c, NULL, 0);
	x = te_get(c, c->in[0], b->i);
	s = te_cast(c, x->dtype, te_get0(c, c->in[1]));
	low = te_cast(c, x->dtype, te_get0(c, c->in[2]));
	high = te_cast(c, x->dtype, te_get0(c, c->in[3]));
	x = te_max(c, te_min(c, te_div(c, x, s), high), low);
	return te_output(c, 0,
			 te_end(b, te_mul(c, te_unary(c, INTRIN_ROUND, x), s)));
}
