/*
 * Operators of one input whose element depends on that element alone.
 */
#include "te/compute/computes.h"

#include <math.h>

/* The same formula for every element: ELEMENT gives it. */
static bool
map(struct te_call *c,
    const tir_expr *(*element)(struct te_call *c, const tir_expr *x))
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *x = te_get(c, c->in[0], b->i);

	return te_output(c, 0, te_end(b, element(c, x)));
}

static const struct {
	enum op_id op;
	enum tir_intrin intrin;
} intrinsics[] = {
	{OP_acos, INTRIN_ACOS},   {OP_acosh, INTRIN_ACOSH},
	{OP_asin, INTRIN_ASIN},   {OP_asinh, INTRIN_ASINH},
	{OP_atan, INTRIN_ATAN},   {OP_atanh, INTRIN_ATANH},
	{OP_ceil, INTRIN_CEIL},   {OP_cos, INTRIN_COS},
	{OP_cosh, INTRIN_COSH},   {OP_erf, INTRIN_ERF},
	{OP_exp, INTRIN_EXP},     {OP_floor, INTRIN_FLOOR},
	{OP_log, INTRIN_LOG},     {OP_log10, INTRIN_LOG10},
	{OP_log2, INTRIN_LOG2},   {OP_round, INTRIN_ROUND},
	{OP_rsqrt, INTRIN_RSQRT}, {OP_sigmoid, INTRIN_SIGMOID},
	{OP_sin, INTRIN_SIN},     {OP_sinh, INTRIN_SINH},
	{OP_sqrt, INTRIN_SQRT},   {OP_tan, INTRIN_TAN},
	{OP_tanh, INTRIN_TANH},   {OP_trunc, INTRIN_TRUNC},
};

static bool
rounds(enum op_id op)
{
	return op == OP_ceil || op == OP_floor || op == OP_round ||
	       op == OP_trunc;
}

static enum tir_intrin
intrinsic_of(enum op_id op)
{
	size_t i = 0;

	while (intrinsics[i].op != op)
		i++;
	return intrinsics[i].intrin;
}

static const tir_expr *
apply_intrinsic(struct te_call *c, const tir_expr *x)
{
	if (!dtype_is_float(x->dtype))
		return x; /* rounding an integer */
	return te_unary(c, intrinsic_of(c->op->id), x);
}

/* Operators that are one intrinsic on floats. */
bool
compute_intrinsic(struct te_call *c)
{
	char name[DTYPE_TEXT];

	if (!dtype_is_float(c->in[0]->dtype) && !rounds(c->op->id))
		return te_error(c, "the input is %s, but must be a float",
				dtype_text(c->in[0]->dtype, name));
	return map(c, apply_intrinsic);
}

/* copy, and markers that mean something to passes only; of tuples, too. */
bool
compute_identity(struct te_call *c)
{
	for (uint32_t i = 0; i < c->nout; i++) {
		struct te_body *b = te_begin_out(c, NULL, i);

		if (!te_output(c, i, te_end(b, te_get(c, c->in[i], b->i))))
			return false;
	}
	return true;
}

static const tir_expr *
absolute(struct te_call *c, const tir_expr *x)
{
	if (dtype_is_float(x->dtype))
		return te_unary(c, INTRIN_ABS, x);
	if (x->dtype.code == DTYPE_UINT)
		return x;
	return te_select(c, te_cmp(c, TIR_GE, x, te_zero(c, x->dtype)), x,
			 te_sub(c, te_zero(c, x->dtype), x));
}

bool
compute_abs(struct te_call *c)
{
	return map(c, absolute);
}

static const tir_expr *
negated(struct te_call *c, const tir_expr *x)
{
	if (dtype_is_float(x->dtype))
		return te_mul(c, x, te_lit(c, x->dtype, -1));
	return te_sub(c, te_zero(c, x->dtype), x);
}

bool
compute_negative(struct te_call *c)
{
	return map(c, negated);
}

static const tir_expr *
sign_of(struct te_call *c, const tir_expr *x)
{
	const tir_expr *zero = te_zero(c, x->dtype);
	const tir_expr *negative = zero;

	if (dtype_is_float(x->dtype)) /* NaN has none */
		negative = te_select(c, te_cmp(c, TIR_EQ, x, zero), zero, x);
	if (x->dtype.code != DTYPE_UINT)
		negative = te_select(c, te_cmp(c, TIR_LT, x, zero),
				     te_lit(c, x->dtype, -1), negative);
	return te_select(c, te_cmp(c, TIR_GT, x, zero), te_lit(c, x->dtype, 1),
			 negative);
}

bool
compute_sign(struct te_call *c)
{
	return map(c, sign_of);
}

static const tir_expr *
logical_inverse(struct te_call *c, const tir_expr *x)
{
	return te_not(c, te_cast(c, DTYPE_BOOL, x));
}

bool
compute_logical_not(struct te_call *c)
{
	return map(c, logical_inverse);
}

static const tir_expr *
bitwise_inverse(struct te_call *c, const tir_expr *x)
{
	return dtype_is_bool(x->dtype) ? te_not(c, x)
				       : te_unary(c, INTRIN_BIT_NOT, x);
}

bool
compute_bitwise_not(struct te_call *c)
{
	return map(c, bitwise_inverse);
}

static const tir_expr *
converted(struct te_call *c, const tir_expr *x)
{
	return te_cast(c, te_out_dtype(c, 0), x);
}

/* cast, cast_like. */
bool
compute_cast(struct te_call *c)
{
	return map(c, converted);
}

static const tir_expr *
reinterpreted(struct te_call *c, const tir_expr *x)
{
	return te_reinterpret(c, te_out_dtype(c, 0), x);
}

bool
compute_reinterpret(struct te_call *c)
{
	struct dtype from = c->in[0]->dtype, to = te_out_dtype(c, 0);

	if (from.bits != to.bits)
		return te_error(c, "the types must have one size");
	return map(c, reinterpreted);
}

/* A bound of clip as a value of integer type T, cut to what T can hold. */
static const tir_expr *
bound(struct te_call *c, struct dtype t, double v)
{
	if (!dtype_is_float(t)) {
		bool is_signed = t.code == DTYPE_INT;
		double high = ldexp(1, t.bits - is_signed) - 1;
		double low = is_signed ? -ldexp(1, t.bits - 1) : 0;

		if (!(v < high))
			return te_highest(c, t);
		if (!(v > low))
			return te_lowest(c, t);
		return te_lit_int(c, t, (int64_t)v);
	}
	return te_lit(c, t, v);
}

static const tir_expr *
clipped(struct te_call *c, const tir_expr *x)
{
	const tir_expr *low = bound(c, x->dtype, te_attr_double(c, "a_min"));
	const tir_expr *high = bound(c, x->dtype, te_attr_double(c, "a_max"));

	return te_max(c, te_min(c, x, high), low);
}

bool
compute_clip(struct te_call *c)
{
	return map(c, clipped);
}

static const tir_expr *
classified(struct te_call *c, const tir_expr *x)
{
	enum op_id op = c->op->id;
	const tir_expr *args[] = {x};
	enum tir_intrin f = op == OP_isnan   ? INTRIN_ISNAN
			    : op == OP_isinf ? INTRIN_ISINF
					     : INTRIN_ISFINITE;

	if (!dtype_is_float(x->dtype))
		return te_lit_int(c, DTYPE_BOOL, op == OP_isfinite);
	return tir_call(c->m, f, DTYPE_BOOL, args, 1);
}

/* isnan, isinf, isfinite. */
bool
compute_classify(struct te_call *c)
{
	return map(c, classified);
}

static const tir_expr *
leaky(struct te_call *c, const tir_expr *x)
{
	const tir_expr *alpha = te_lit(c, x->dtype, te_attr_double(c, "alpha"));

	return te_select(c, te_cmp(c, TIR_GT, x, te_zero(c, x->dtype)), x,
			 te_mul(c, x, alpha));
}

bool
compute_nn_leaky_relu(struct te_call *c)
{
	return map(c, leaky);
}

/* ((a[0] * x + a[1]) * x + ...) + a[n - 1]. */
static const tir_expr *
horner(struct te_call *c, const tir_expr *x, const double *a, int n)
{
	const tir_expr *y = te_lit(c, x->dtype, a[0]);

	for (int i = 1; i < n; i++)
		y = te_add(c, te_mul(c, y, x), te_lit(c, x->dtype, a[i]));
	return y;
}

static const tir_expr *
clamped(struct te_call *c, const tir_expr *x, double low, double high)
{
	return te_max(c, te_min(c, x, te_lit(c, x->dtype, high)),
		      te_lit(c, x->dtype, low));
}

/* 2^n * e^f by bits: n goes into the exponent of a float32. */
static const tir_expr *
fast_exp(struct te_call *c, const tir_expr *x0)
{
	static const double poly[] = {
		1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
		4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1,
	};
	struct dtype f32 = DTYPE(FLOAT, 32);
	struct dtype i32 = DTYPE(INT, 32);
	const tir_expr *x = clamped(c, x0, -88.3762626647949, 88.3762626647950);
	const tir_expr *n = te_unary(
		c, INTRIN_FLOOR,
		te_add(c, te_mul(c, x, te_lit(c, f32, 1.44269504088896341)),
		       te_lit(c, f32, 0.5)));
	const tir_expr *f =
		te_sub(c, x, te_mul(c, n, te_lit(c, f32, 0.6931471805599453)));
	const tir_expr *y = horner(c, f, poly, 6);
	const tir_expr *bits;

	y = te_add(c, te_add(c, te_mul(c, y, te_mul(c, f, f)), f),
		   te_lit(c, f32, 1));
	bits = te_add(c, te_cast(c, i32, n), te_lit_int(c, i32, 127));
	bits = te_intrin2(c, INTRIN_SHL, bits, te_lit_int(c, i32, 23));
	return te_max(c, te_mul(c, te_reinterpret(c, f32, bits), y), x0);
}

static const tir_expr *
fast_tanh(struct te_call *c, const tir_expr *x0)
{
	static const double odd[] = {
		-2.76076847742355e-16, 2.00018790482477e-13,
		-8.60467152213735e-11, 5.12229709037114e-08,
		1.48572235717979e-05,  6.37261928875436e-04,
		4.89352455891786e-03,
	};
	static const double even[] = {
		1.19825839466702e-06,
		1.18534705686654e-04,
		2.26843463243900e-03,
		4.89352518554385e-03,
	};
	const tir_expr *x = clamped(c, x0, -9, 9);
	const tir_expr *x2 = te_mul(c, x, x);

	return te_div(c, te_mul(c, x, horner(c, x2, odd, 7)),
		      horner(c, x2, even, 4));
}

static const tir_expr *
fast_erf(struct te_call *c, const tir_expr *x0)
{
	static const double odd[] = {
		-2.72614225801306e-10, 2.77068142495902e-08,
		-2.10102402082508e-06, -5.69250639462346e-05,
		-7.34990630326855e-04, -2.95459980854025e-03,
		-1.60960333262415e-02,
	};
	static const double even[] = {
		-1.45660718464996e-05, -2.13374055278905e-04,
		-1.68282697438203e-03, -7.37332916720468e-03,
		-1.42647390514189e-02,
	};
	const tir_expr *x = clamped(c, x0, -4, 4);
	const tir_expr *x2 = te_mul(c, x, x);

	return te_div(c, te_mul(c, x, horner(c, x2, odd, 7)),
		      horner(c, x2, even, 5));
}

static const tir_expr *
fast_math(struct te_call *c, const tir_expr *x)
{
	bool is_f32 = dtype_equal(x->dtype, DTYPE(FLOAT, 32));
	bool is_f16 = dtype_equal(x->dtype, DTYPE(FLOAT, 16));

	switch ((int)c->op->id) {
	case OP_fast_exp:
		return is_f32 ? fast_exp(c, x) : te_unary(c, INTRIN_EXP, x);
	case OP_fast_tanh:
		return is_f32 ? fast_tanh(c, x) : te_unary(c, INTRIN_TANH, x);
	default:
		return is_f32 || is_f16 ? fast_erf(c, x)
					: te_unary(c, INTRIN_ERF, x);
	}
}

/* fast_exp, fast_tanh, fast_erf: polynomials, accurate to a few ulp. */
bool
compute_fast_math(struct te_call *c)
{
	if (!dtype_is_float(c->in[0]->dtype))
		return te_error(c, "the input must be a float");
	return map(c, fast_math);
}

/*
 * x * m * 2^(s-31) in 64-bit arithmetic, rounded half up; a multiplier of
 * 2^30 is a plain shift.
 */
static const tir_expr *
multiply_fixed_point(struct te_call *c, const tir_expr *x)
{
	struct dtype i64 = DTYPE(INT, 64);
	int64_t m = te_attr_int(c, "multiplier", 0);
	int64_t s = te_attr_int(c, "shift", 0);
	int64_t left = s > 0 ? s : 0;
	int64_t right = s < 0 ? -s : 0;
	const tir_expr *y = te_cast(c, i64, x);

	y = te_intrin2(c, INTRIN_SHL, y, te_lit_int(c, i64, left));
	y = te_mul(c, y, te_lit_int(c, i64, m));
	y = te_add(c, y, te_lit_int(c, i64, INT64_C(1) << (right + 30)));
	y = te_intrin2(c, INTRIN_SHR, y, te_lit_int(c, i64, right + 31));
	return te_cast(c, x->dtype, y);
}

bool
compute_fixed_point_multiply(struct te_call *c)
{
	int64_t s = te_attr_int(c, "shift", 0);

	if (s < -31 || s > 31)
		return te_error(c, "the shift %lld is not in [-31, 31]",
				(long long)s);
	return map(c, multiply_fixed_point);
}

/* Input I is a scalar, or has the extents of AXES of the data. */
static bool
fits_axes(struct te_call *c, uint32_t i, const int64_t *axes, int naxes)
{
	const struct te_tensor *x = c->in[0];
	int64_t shape[TE_MAX_RANK];

	for (int k = 0; k < naxes; k++) {
		if (!te_is_axis(c, axes[k], x->ndim))
			return false;
		shape[k] = x->shape[te_axis_of(axes[k], x->ndim)];
	}
	return c->in[i]->ndim == 0 ||
	       te_expect_shape(c, i, shape, (uint32_t)naxes);
}

/* The element of a per-axis tensor that goes with the indices I. */
static const tir_expr *
per_axis(struct te_call *c, const struct te_tensor *t, const tir_expr *const *i,
	 const int64_t *axes, int naxes)
{
	const tir_expr *at[TE_MAX_RANK];

	if (t->ndim == 0)
		return te_get0(c, t);
	for (int k = 0; k < naxes; k++)
		at[k] = i[te_axis_of(axes[k], c->in[0]->ndim)];
	return te_get(c, t, at);
}

bool
compute_fixed_point_multiply_per_axis(struct te_call *c)
{
	struct dtype i64 = DTYPE(INT, 64);
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *x = te_get(c, c->in[0], b->i);
	int64_t axes[TE_MAX_RANK];
	int naxes = te_attr_ints(c, "axes", axes, TE_MAX_RANK);
	const tir_expr *m;
	const tir_expr *right;
	const tir_expr *y = te_cast(c, i64, x);

	if (naxes < 0)
		return te_error(c, "the axes are not given");
	for (uint32_t i = 1; i < 4; i++)
		if (!fits_axes(c, i, axes, naxes))
			return false;
	m = te_cast(c, i64, per_axis(c, c->in[1], b->i, axes, naxes));
	right = te_cast(c, i64, per_axis(c, c->in[3], b->i, axes, naxes));
	if (te_attr_bool(c, "is_lshift_required"))
		y = te_intrin2(
			c, INTRIN_SHL, y,
			te_cast(c, i64,
				per_axis(c, c->in[2], b->i, axes, naxes)));
	y = te_mul(c, y, m);
	y = te_add(c, y,
		   te_intrin2(c, INTRIN_SHL, te_lit_int(c, i64, 1),
			      te_add(c, right, te_lit_int(c, i64, 30))));
	y = te_intrin2(c, INTRIN_SHR, y,
		       te_add(c, right, te_lit_int(c, i64, 31)));
	return te_output(c, 0, te_end(b, te_cast(c, x->dtype, y)));
}

/* Every element is the same value: zeros, ones, full and their likes. */
bool
compute_fill(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	struct dtype t = te_out_dtype(c, 0);
	const tir_expr *v;

	switch ((int)c->op->id) {
	case OP_zeros:
	case OP_zeros_like:
	case OP_dyn_zeros:
		v = te_zero(c, t);
		break;
	case OP_ones:
	case OP_ones_like:
	case OP_dyn_ones:
		v = te_lit(c, t, 1);
		break;
	case OP_full_like:
		v = te_cast(c, t, te_get0(c, c->in[1]));
		break;
	default: /* full, dyn.full */
		v = te_cast(c, t, te_get0(c, c->in[0]));
		break;
	}
	return te_output(c, 0, te_end(b, v));
}
