/*
 * Rules of operators that look at one value, or at a window of one channel.
 */
#include "passes/quant/fq_rules.h"

static const struct dtype int32 = {DTYPE_INT, 32, 1};

/* Broadcast X, a scalar, along the channels of an argument of rank RANK. */
static const ir_expr *
along_channels(const struct fq_site *s, const ir_expr *x, int64_t channels,
	       int64_t axis, uint32_t rank)
{
	ir_context *cx = s->b.m->cx;
	const ir_attrs *a =
		ir_attrs_defaults(cx, ir_op_info(OP_broadcast_to)->attrs);
	int64_t *shape = ARENA_NEW_ARRAY(s->cx->scratch, rank, int64_t);

	a = ir_attrs_with(cx, a, "shape",
			  ir_attr_int_array(cx, &channels, 1, 32));
	x = ir_new_op_call(s->b.m, s->b.loc, OP_broadcast_to, &x, 1, a);
	for (uint32_t i = 0; i < rank; i++)
		shape[i] = 1;
	shape[axis < 0 ? axis + rank : axis] = -1;
	return opcall_reshape(&s->b, x, shape, rank);
}

/* A constant of N values of DTYPE along AXIS; N = 0: a scalar. */
static const ir_expr *
channel_constant(const struct fq_site *s, struct dtype dtype,
		 const ir_tensor *values, int64_t n, int64_t axis,
		 uint32_t rank)
{
	int64_t *shape = ARENA_NEW_ARRAY(s->cx->scratch, rank + 1, int64_t);
	ir_tensor *t;
	const ir_expr *e;

	for (uint32_t i = 0; i < rank; i++)
		shape[i] = 1;
	if (n > 1)
		shape[axis < 0 ? axis + rank : axis] = n;
	t = ir_tensor_new(dtype, shape, n > 1 ? rank : values->ndim);
	for (int64_t i = 0; i < ir_tensor_size(t); i++)
		ir_tensor_set_double(
			t, i,
			ir_tensor_get_double(
				values, ir_tensor_size(values) == 1 ? 0 : i));
	e = ir_new_constant(s->b.m, s->b.loc, t);
	ir_tensor_unref(t);
	return e;
}

bool
fq_relu(const struct fq_site *s, struct fq_value *out)
{
	const struct affine *t = fq_type(s, 0);
	const ir_tensor *z;
	const ir_expr *zero;
	int64_t n;
	uint32_t rank;

	if (!t || !affine_rank(s->call->args[0], &rank))
		return false;
	n = affine_channels(t);
	z = affine_data(t->zero);
	if (n < 0)
		return false;
	if (z && z->ndim <= 1) {
		zero = channel_constant(s, t->dtype, z, n, t->axis, rank);
	} else {
		zero = t->zero;
		if (n > 1)
			zero = along_channels(s, zero, n, t->axis, rank);
		zero = opcall_cast(&s->b, zero, t->dtype);
	}
	return fq_result(s, out,
			 opcall_binary(&s->b, OP_maximum, s->args[0]->e, zero),
			 t);
}

static const ir_expr *
clip_bound(const struct fq_site *s, const struct affine *t, double bound,
	   uint32_t rank)
{
	ir_tensor *one = ir_tensor_new(DTYPE(FLOAT, 32), NULL, 0);
	const ir_expr *e;

	ir_tensor_set_double(one, 0, bound);
	e = channel_constant(s, DTYPE(FLOAT, 32), one, affine_channels(t),
			     t->axis, rank);
	ir_tensor_unref(one);
	return affine_quantize(&s->b, e, t, t->axis);
}

/* BOUND as an integer that a double attribute can hold. */
static double
stored(double bound, double scale, double zero)
{
	double v = bound / scale + zero;

	return v >= 9e18 || v <= -9e18 ? v : (double)(int64_t)v;
}

bool
fq_clip(const struct fq_site *s, struct fq_value *out)
{
	const struct affine *t = fq_type(s, 0);
	const ir_attrs *attrs = s->call->attrs;
	double low = ir_attrs_double(attrs, "a_min");
	double high = ir_attrs_double(attrs, "a_max");
	const ir_tensor *scale;
	const ir_tensor *zero;
	const ir_expr *e;
	uint32_t rank;

	if (!t || !affine_rank(s->call->args[0], &rank))
		return false;
	scale = affine_data(t->scale);
	zero = affine_data(t->zero);
	if (scale && zero && !affine_per_channel(t)) {
		double f = ir_tensor_get_double(scale, 0);
		double z = ir_tensor_get_double(zero, 0);

		attrs = ir_attrs_with(s->b.m->cx, attrs, "a_min",
				      ATTR_DOUBLE(stored(low, f, z)));
		attrs = ir_attrs_with(s->b.m->cx, attrs, "a_max",
				      ATTR_DOUBLE(stored(high, f, z)));
		e = affine_call(&s->b, OP_clip, &s->args[0]->e, 1, attrs);
		return fq_result(s, out, e, t);
	}
	if (affine_channels(t) < 0)
		return false;
	e = opcall_binary(&s->b, OP_maximum, s->args[0]->e,
			  clip_bound(s, t, low, rank));
	e = opcall_binary(&s->b, OP_minimum, e, clip_bound(s, t, high, rank));
	return fq_result(s, out, e, t);
}

/* Data, its scale and zero point, then those of the result. */
static const ir_expr *
unary_call(const struct fq_site *s, enum op_id op, const ir_attrs *attrs)
{
	const struct affine *t = fq_type(s, 0);
	const ir_expr *args[] = {s->args[0]->e, t->scale, t->zero,
				 fq_out(s)->scale, fq_out(s)->zero};

	return affine_call(&s->b, op, args, 5, attrs);
}

/* The wanted type fits an operator that keeps the element type. */
static bool
keeps_dtype(const struct fq_site *s)
{
	const struct affine *t = fq_type(s, 0);

	return t && fq_out(s) && dtype_equal(t->dtype, fq_out(s)->dtype) &&
	       !affine_per_channel(t) && !affine_per_channel(fq_out(s));
}

bool
fq_unary(const struct fq_site *s, struct fq_value *out)
{
	static const struct {
		enum op_id real;
		enum op_id op;
	} table[] = {
		{OP_abs, OP_qnn_abs},         {OP_erf, OP_qnn_erf},
		{OP_exp, OP_qnn_exp},         {OP_log, OP_qnn_log},
		{OP_rsqrt, OP_qnn_rsqrt},     {OP_sqrt, OP_qnn_sqrt},
		{OP_sigmoid, OP_qnn_sigmoid}, {OP_tanh, OP_qnn_tanh},
	};
	enum op_id real = ir_called_op(&s->call->base)->id;

	if (!keeps_dtype(s))
		return false;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].real == real)
			return fq_result(s, out,
					 unary_call(s, table[i].op, NULL),
					 fq_out(s));
	return false;
}

bool
fq_leaky_relu(const struct fq_site *s, struct fq_value *out)
{
	return keeps_dtype(s) &&
	       fq_result(s, out,
			 unary_call(s, OP_qnn_leaky_relu, s->call->attrs),
			 fq_out(s));
}

bool
fq_softmax(const struct fq_site *s, struct fq_value *out)
{
	return keeps_dtype(s) &&
	       fq_result(s, out, unary_call(s, OP_qnn_softmax, s->call->attrs),
			 fq_out(s));
}

bool
fq_mean(const struct fq_site *s, struct fq_value *out)
{
	const struct affine *t = fq_type(s, 0);
	const ir_expr *e;

	if (!t || affine_per_channel(t))
		return false;
	e = opcall_cast(&s->b, s->args[0]->e, int32);
	e = affine_call(&s->b, OP_mean, &e, 1, s->call->attrs);
	return fq_result(s, out, opcall_cast(&s->b, e, t->dtype), t);
}

/* Rescale to the type of the result first: the mean then rounds only once. */
bool
fq_mean_pool(const struct fq_site *s, struct fq_value *out)
{
	const struct affine *t = fq_type(s, 0);
	enum op_id op = ir_called_op(&s->call->base)->id;
	const ir_expr *e;
	struct affine mid;

	if (!t || !fq_out(s) || affine_per_channel(fq_out(s)))
		return false;
	mid = *fq_out(s);
	mid.dtype = int32;
	if (affine_close(t->scale, mid.scale) &&
	    affine_close(t->zero, mid.zero))
		e = opcall_cast(&s->b, s->args[0]->e, int32);
	else
		e = affine_requantize(&s->b, s->args[0]->e, t, &mid, int32);
	e = affine_call(&s->b, op, &e, 1, s->call->attrs);
	return fq_result(
		s, out,
		affine_requantize(&s->b, e, &mid, fq_out(s), fq_out(s)->dtype),
		fq_out(s));
}

bool
fq_avg_pool2d(const struct fq_site *s, struct fq_value *out)
{
	if (!keeps_dtype(s) || fq_out(s)->dtype.bits != 8)
		return fq_mean_pool(s, out);
	return fq_result(s, out,
			 unary_call(s, OP_qnn_avg_pool2d, s->call->attrs),
			 fq_out(s));
}
