/*
 * What the lowerings share: parameters along an axis, and the change of scale
 * in fixed point.
 */
#include "passes/quant/qnn_lower.h"

#include <math.h>
#include <string.h>

#include "passes/quant/affine.h"

static const struct dtype int32 = {DTYPE_INT, 32, 1};
static const struct dtype int64 = {DTYPE_INT, 64, 1};
static const struct dtype float32 = {DTYPE_FLOAT, 32, 1};
static const struct dtype float64 = {DTYPE_FLOAT, 64, 1};

qnn_lower_fn *
qnn_lower(enum op_id op)
{
	switch (op) {
	case OP_qnn_add:
	case OP_qnn_subtract:
		return qnn_lower_sum;
	case OP_qnn_mul:
		return qnn_lower_mul;
	case OP_qnn_avg_pool2d:
		return qnn_lower_avg_pool2d;
	case OP_qnn_batch_matmul:
		return qnn_lower_batch_matmul;
	case OP_qnn_concatenate:
		return qnn_lower_concatenate;
	case OP_qnn_conv2d:
		return qnn_lower_conv2d;
	case OP_qnn_conv2d_transpose:
		return qnn_lower_conv2d_transpose;
	case OP_qnn_dense:
		return qnn_lower_dense;
	case OP_qnn_dequantize:
		return qnn_lower_dequantize;
	case OP_qnn_quantize:
		return qnn_lower_quantize;
	case OP_qnn_requantize:
		return qnn_lower_requantize;
	case OP_qnn_leaky_relu:
		return qnn_lower_leaky_relu;
	case OP_qnn_softmax:
		return qnn_lower_softmax;
	case OP_qnn_abs:
	case OP_qnn_erf:
	case OP_qnn_exp:
	case OP_qnn_hardswish:
	case OP_qnn_log:
	case OP_qnn_rsqrt:
	case OP_qnn_sigmoid:
	case OP_qnn_sqrt:
	case OP_qnn_tanh:
		return qnn_lower_unary;
	default:
		return NULL;
	}
}

const struct ir_tensor_type *
qnn_type(const struct qnn_site *s, uint32_t i)
{
	return ir_as_tensor_type(s->old->args[i]->type);
}

struct qnn_param
qnn_param(const struct qnn_site *s, uint32_t scale, uint32_t zero,
	  uint32_t rank, int64_t axis)
{
	return (struct qnn_param){
		.scale = affine_scalar(&s->b, s->call->args[scale]),
		.zero = affine_scalar(&s->b, s->call->args[zero]),
		.axis = rank <= 1  ? 0
			: axis < 0 ? axis + rank
				   : axis,
		.rank = rank,
	};
}

/* A vector of more than one element; the type of E tells if E is new. */
static bool
is_vector(const ir_expr *e)
{
	const ir_tensor *d = affine_data(e);
	const struct ir_tensor_type *t;

	if (d)
		return d->ndim == 1 && ir_tensor_size(d) != 1;
	if (!e->type || e->type->kind != TYPE_TENSOR)
		return false;
	t = ir_as_tensor_type(e->type);
	return t->ndim == 1 &&
	       !(ir_dim_is_const(t->shape[0]) && t->shape[0].value == 1);
}

const ir_expr *
qnn_along(const struct qnn_site *s, const ir_expr *param,
	  const struct qnn_param *p)
{
	if (!is_vector(param))
		return param;
	return opcall_bias_at(&s->b, param, p->rank, p->axis);
}

bool
qnn_is_zero(const ir_expr *e)
{
	const ir_tensor *d = affine_data(e);

	if (!d)
		return false;
	for (int64_t i = 0; i < ir_tensor_size(d); i++)
		if (ir_tensor_get_double(d, i) != 0)
			return false;
	return true;
}

const ir_expr *
qnn_int(const struct qnn_site *s, struct dtype t, int64_t v)
{
	return ir_new_scalar_int(s->b.m, s->b.loc, t, v);
}

const ir_expr *
qnn_shift(const struct qnn_site *s, const ir_expr *e, struct dtype from,
	  const ir_expr *zero, struct dtype dtype)
{
	if (!dtype_equal(from, dtype))
		e = opcall_cast(&s->b, e, dtype);
	if (qnn_is_zero(zero))
		return e;
	if (!dtype_equal(dtype, int32))
		zero = opcall_cast(&s->b, zero, dtype);
	return opcall_binary(&s->b, OP_subtract, e, zero);
}

const ir_expr *
qnn_clip(const struct qnn_site *s, const ir_expr *e, double low, double high)
{
	ir_context *cx = s->b.m->cx;
	const ir_attrs *a = ir_attrs_defaults(cx, attrs_schema(ATTRS_Clip));

	a = ir_attrs_with(cx, a, "a_min", ATTR_DOUBLE(low));
	a = ir_attrs_with(cx, a, "a_max", ATTR_DOUBLE(high));
	return ir_new_op_call(s->b.m, s->b.loc, OP_clip, &e, 1, a);
}

const ir_expr *
qnn_saturate(const struct qnn_site *s, const ir_expr *e, struct dtype t)
{
	double high = ldexp(1, t.bits - (t.code == DTYPE_INT)) - 1;
	double low = t.code == DTYPE_INT ? -high - 1 : 0;

	if (dtype_equal(t, int32))
		return e;
	if (t.bits < 32)
		e = qnn_clip(s, e, low, high);
	return opcall_cast(&s->b, e, t);
}

/* A ratio as m * 2^(e - 31), m below 2^31; what is too small is 0. */
struct fixed {
	int64_t m;
	int e;
};

static struct fixed
fixed_of(double ratio)
{
	struct fixed f;

	f.m = llround(frexp(ratio, &f.e) * 2147483648.0);
	if (f.m == INT64_C(1) << 31) {
		f.m /= 2;
		f.e++;
	}
	if (f.m == 0 || f.e < -31)
		f = (struct fixed){0, 0};
	return f;
}

static bool
in_reach(struct fixed f)
{
	return f.e <= 31 && f.m >= 0;
}

static const ir_expr *
multiply_fixed(const struct qnn_site *s, const ir_expr *e, struct fixed f)
{
	ir_context *cx = s->b.m->cx;
	const ir_attrs *a =
		ir_attrs_defaults(cx, attrs_schema(ATTRS_FixedPointMultiply));

	a = ir_attrs_with(cx, a, "multiplier", ATTR_INT32(f.m));
	a = ir_attrs_with(cx, a, "shift", ATTR_INT32(f.e));
	return ir_new_op_call(s->b.m, s->b.loc, OP_fixed_point_multiply, &e, 1,
			      a);
}

const ir_expr *
qnn_times(const struct qnn_site *s, const ir_expr *e, double real)
{
	struct fixed f = fixed_of(real);

	return in_reach(f) ? multiply_fixed(s, e, f) : NULL;
}

/* Vectors of what each channel is multiplied with, and shifted by. */
struct channels {
	const ir_expr *m, *left, *right;
	bool any_left, any_right;
};

static const ir_expr *
take_constant(const struct qnn_site *s, ir_tensor *t)
{
	const ir_expr *e = ir_new_constant(s->b.m, s->b.loc, t);

	ir_tensor_unref(t);
	return e;
}

static bool
make_channels(const struct qnn_site *s, const ir_tensor *scale, double out,
	      struct dtype t, struct channels *c)
{
	int64_t n = ir_tensor_size(scale);
	ir_tensor *m = ir_tensor_new(t, &n, scale->ndim);
	ir_tensor *left = ir_tensor_new(t, &n, scale->ndim);
	ir_tensor *right = ir_tensor_new(t, &n, scale->ndim);
	bool ok = true;

	*c = (struct channels){NULL, NULL, NULL, false, false};
	for (int64_t i = 0; i < n; i++) {
		struct fixed f = fixed_of(ir_tensor_get_double(scale, i) / out);

		ok &= in_reach(f);
		ir_tensor_set_int(m, i, f.m);
		ir_tensor_set_int(left, i, f.e > 0 ? f.e : 0);
		ir_tensor_set_int(right, i, f.e < 0 ? -f.e : 0);
		c->any_left |= f.e > 0;
		c->any_right |= f.e < 0;
	}
	c->m = take_constant(s, m);
	c->left = take_constant(s, left);
	c->right = take_constant(s, right);
	return ok;
}

static const ir_expr *
multiply_per_axis(const struct qnn_site *s, const ir_expr *e,
		  const struct channels *c, int64_t axis)
{
	ir_context *cx = s->b.m->cx;
	const ir_expr *args[] = {e, c->m, c->left, c->right};
	const ir_attrs *a = ir_attrs_defaults(
		cx, attrs_schema(ATTRS_FixedPointMultiplyPerAxis));

	a = ir_attrs_with(cx, a, "is_lshift_required",
			  ATTR_BOOLEAN(c->any_left));
	a = ir_attrs_with(cx, a, "is_rshift_required",
			  ATTR_BOOLEAN(c->any_right));
	a = ir_attrs_with(cx, a, "axes", ir_attr_int_array(cx, &axis, 1, 32));
	return ir_new_op_call(s->b.m, s->b.loc,
			      OP_fixed_point_multiply_per_axis, args, 4, a);
}

/* ((int64)e << left) * m, rounded half away from zero, >> 31 + right. */
static const ir_expr *
multiply_nearest(const struct qnn_site *s, const ir_expr *e,
		 const struct channels *c, const struct qnn_param *p)
{
	const struct opcall *b = &s->b;
	const ir_expr *left = qnn_along(s, c->left, p);
	const ir_expr *m = qnn_along(s, c->m, p);
	const ir_expr *right = opcall_binary(
		b, OP_add, qnn_along(s, c->right, p), qnn_int(s, int64, 31));
	const ir_expr *one = qnn_int(s, int64, 1);
	const ir_expr *half =
		opcall_binary(b, OP_left_shift, one,
			      opcall_binary(b, OP_subtract, right, one));
	const ir_expr *y = opcall_cast(b, e, int64);
	const ir_expr *choice[3];

	y = opcall_binary(b, OP_left_shift, y, left);
	y = opcall_binary(b, OP_multiply, y, m);
	choice[0] = opcall_binary(b, OP_greater_equal, y, qnn_int(s, int64, 0));
	choice[1] = half;
	choice[2] = opcall_binary(b, OP_subtract, half, one);
	y = opcall_binary(
		b, OP_add, y,
		ir_new_op_call(b->m, b->loc, OP_where, choice, 3, NULL));
	y = opcall_binary(b, OP_right_shift, y, right);
	return opcall_cast(b, y, int32);
}

const ir_expr *
qnn_times_nearest(const struct qnn_site *s, const ir_expr *e, double real)
{
	struct qnn_param scalar = {.rank = 0};
	ir_tensor *one = ir_tensor_new(float64, NULL, 0);
	struct channels c;
	bool ok;

	ir_tensor_set_double(one, 0, real);
	ok = make_channels(s, one, 1, int64, &c);
	ir_tensor_unref(one);
	return ok ? multiply_nearest(s, e, &c, &scalar) : NULL;
}

static bool
same_scales(const ir_tensor *a, const ir_tensor *b)
{
	return ir_tensor_size(a) == 1 && ir_tensor_size(b) == 1 &&
	       ir_tensor_get_double(a, 0) == ir_tensor_get_double(b, 0);
}

static const ir_expr *
plus_zero(const struct qnn_site *s, const ir_expr *e, const ir_expr *zero)
{
	return qnn_is_zero(zero) ? e : opcall_binary(&s->b, OP_add, e, zero);
}

/* The same in floating point: the quotient of the scales rounds once. */
static const ir_expr *
rescale_float(const struct qnn_site *s, const ir_expr *e,
	      const struct qnn_param *in, const struct qnn_param *out,
	      struct qnn_rounding how)
{
	const struct opcall *b = &s->b;
	struct dtype f =
		strcmp(how.compute, "float64") == 0 ? float64 : float32;
	const ir_tensor *scale = affine_data(in->scale);
	double to = ir_tensor_get_double(affine_data(out->scale), 0);
	ir_tensor *ratio = ir_tensor_new(f, scale->shape, scale->ndim);

	for (int64_t i = 0; i < ir_tensor_size(scale); i++)
		ir_tensor_set_double(ratio, i,
				     ir_tensor_get_double(scale, i) / to);
	e = opcall_binary(b, OP_multiply, opcall_cast(b, e, f),
			  qnn_along(s, take_constant(s, ratio), in));
	e = opcall_binary(b, OP_add, e, opcall_cast(b, out->zero, f));
	if (how.to_nearest)
		e = opcall_unary(b, OP_round, e);
	else
		e = opcall_unary(
			b, OP_floor,
			opcall_binary(b, OP_add, e, opcall_scalar(b, f, 0.5)));
	return opcall_cast(b, e, int32);
}

const ir_expr *
qnn_rescale(const struct qnn_site *s, const ir_expr *q, struct dtype from,
	    const struct qnn_param *in, const struct qnn_param *out,
	    struct qnn_rounding how)
{
	const ir_tensor *x = affine_data(in->scale);
	const ir_tensor *y = affine_data(out->scale);
	struct channels c;
	const ir_expr *e;
	double to;

	if (!x || !y || x->ndim > 1 || ir_tensor_size(y) != 1)
		return NULL;
	to = ir_tensor_get_double(y, 0);
	e = qnn_shift(s, q, from, qnn_along(s, in->zero, in), int32);
	if (same_scales(x, y))
		return plus_zero(s, e, out->zero);
	if (to == 0)
		return NULL;
	if (how.compute && strncmp(how.compute, "float", 5) == 0)
		return rescale_float(s, e, in, out, how);
	if (x->ndim == 0 && !how.to_nearest) {
		e = qnn_times(s, e, ir_tensor_get_double(x, 0) / to);
		return e ? plus_zero(s, e, out->zero) : NULL;
	}
	if (!make_channels(s, x, to, how.to_nearest ? int64 : int32, &c))
		return NULL;
	if (how.to_nearest)
		e = multiply_nearest(s, e, &c, in);
	else
		e = multiply_per_axis(s, e, &c, in->axis);
	return plus_zero(s, e, out->zero);
}

const ir_expr *
qnn_real(const struct qnn_site *s, const ir_expr *q, struct dtype from,
	 const struct qnn_param *p)
{
	q = qnn_shift(s, q, from, qnn_along(s, p->zero, p), int32);
	return opcall_binary(&s->b, OP_multiply, opcall_cast(&s->b, q, float32),
			     qnn_along(s, p->scale, p));
}

const ir_expr *
qnn_quantized(const struct qnn_site *s, const ir_expr *x,
	      const struct qnn_param *p, struct dtype t)
{
	const struct opcall *b = &s->b;
	double high = ldexp(1, t.bits - (t.code == DTYPE_INT)) - 1;
	double low = t.code == DTYPE_INT ? -ldexp(1, t.bits - 1) : 0;

	/* The largest float that a conversion to 32 bits can take. */
	if (t.bits >= 32)
		high -= 127;
	x = opcall_binary(b, OP_divide, x, qnn_along(s, p->scale, p));
	x = opcall_unary(b, OP_round, x);
	x = opcall_binary(b, OP_add, x,
			  opcall_cast(b, qnn_along(s, p->zero, p), float32));
	return opcall_cast(b, qnn_clip(s, x, low, high), t);
}
