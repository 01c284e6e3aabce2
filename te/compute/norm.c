/*
 * Softmax and the normalisations.
 */
#include "te/compute/computes.h"

/* nn.softmax, nn.fast_softmax, nn.log_softmax. */
bool
compute_nn_softmax(struct te_call *c)
{
	struct te_tensor *x = c->in[0];
	uint32_t axis =
		(uint32_t)te_axis_of(te_attr_int(c, "axis", -1), x->ndim);
	struct te_tensor *max;
	struct te_tensor *exp;
	struct te_tensor *sum;
	struct te_body *b;
	const tir_expr *d;

	if (!dtype_is_float(x->dtype))
		return te_error(c, "the input must be a float");
	max = te_fold_out(c, x, axis, TE_MAX, "T_softmax_maxelem");
	b = te_begin_like(c, "T_softmax_exp", x);
	d = te_sub(c, te_get(c, x, b->i), te_get_folded(c, b, max, axis));
	exp = te_end(b, te_unary(c, INTRIN_EXP, d));
	sum = te_fold_out(c, exp, axis, TE_SUM, "T_softmax_expsum");
	b = te_begin_out(c, "T_softmax_norm", 0);
	if (c->op->id != OP_nn_log_softmax)
		return te_output(
			c, 0,
			te_end(b, te_div(c, te_get(c, exp, b->i),
					 te_get_folded(c, b, sum, axis))));
	d = te_sub(c, te_get(c, x, b->i), te_get_folded(c, b, max, axis));
	return te_output(
		c, 0,
		te_end(b, te_sub(c, d,
				 te_unary(c, INTRIN_LOG,
					  te_get_folded(c, b, sum, axis)))));
}

static const tir_expr *
epsilon(struct te_call *c, struct dtype t)
{
	return te_lit(c, t, (double)(float)te_attr_double(c, "epsilon"));
}

/* The element of a parameter vector that belongs to AXIS of body B. */
static const tir_expr *
param_at(struct te_call *c, const struct te_body *b, uint32_t input,
	 uint32_t axis)
{
	return te_at(c, c->in[input], b->i[axis]);
}

/* By channel: gamma / sqrt(variance + epsilon). */
static struct te_tensor *
batch_scale(struct te_call *c)
{
	struct te_body *b = te_begin_like(c, "scale", c->in[4]);
	struct dtype t = c->in[4]->dtype;
	const tir_expr *v =
		te_unary(c, INTRIN_SQRT,
			 te_add(c, te_get(c, c->in[4], b->i), epsilon(c, t)));

	v = te_div(c, te_lit(c, t, 1), v);
	if (te_attr_bool(c, "scale"))
		v = te_mul(c, v, te_get(c, c->in[1], b->i));
	return te_end(b, v);
}

/* By channel: beta - mean * scale. */
static struct te_tensor *
batch_shift(struct te_call *c, const struct te_tensor *scale)
{
	struct te_body *b = te_begin_like(c, "shift", c->in[3]);
	const tir_expr *mean = te_get(c, c->in[3], b->i);
	const tir_expr *v = te_mul(c, te_sub(c, te_zero(c, mean->dtype), mean),
				   te_get(c, scale, b->i));

	if (te_attr_bool(c, "center"))
		v = te_add(c, v, te_get(c, c->in[2], b->i));
	return te_end(b, v);
}

/*
 * nn.batch_norm with given statistics; results 1 and 2 are these. Scale and
 * shift by channel, as simplify-inference has it.
 */
bool
compute_nn_batch_norm(struct te_call *c)
{
	struct te_tensor *x = c->in[0];
	uint32_t axis =
		(uint32_t)te_axis_of(te_attr_int(c, "axis", 1), x->ndim);
	struct te_tensor *scale = batch_scale(c);
	struct te_tensor *shift = batch_shift(c, scale);
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *v =
		te_mul(c, te_get(c, x, b->i), te_at(c, scale, b->i[axis]));

	v = te_add(c, v, te_at(c, shift, b->i[axis]));
	te_output(c, 0, te_end(b, v));
	for (uint32_t i = 1; i < c->nout; i++) {
		b = te_begin_out(c, NULL, i);
		te_output(c, i, te_end(b, te_get(c, c->in[i + 2], b->i)));
	}
	return true;
}

/* Statistics of X over the axes marked in REDUCED, which stay with extent 1. */
struct moments {
	struct te_tensor *mean;
	struct te_tensor *variance;
};

static struct te_body *
begin_statistic(struct te_call *c, const struct te_tensor *x,
		const bool *reduced, const char *name, const tir_expr **index)
{
	int64_t shape[TE_MAX_RANK];
	struct te_body *b;

	for (uint32_t i = 0; i < x->ndim; i++)
		shape[i] = reduced[i] ? 1 : x->shape[i];
	b = te_begin(c, name, NULL, shape, x->ndim);
	for (uint32_t i = 0; i < x->ndim; i++)
		index[i] = reduced[i] ? te_fold_axis(b, "k", x->shape[i])
				      : b->i[i];
	return b;
}

static struct te_tensor *
scaled(struct te_call *c, struct te_tensor *t, const char *name, int64_t n)
{
	struct te_body *b = te_begin_like(c, name, t);

	return te_end(b, te_div(c, te_get(c, t, b->i),
				te_lit_extent(c, t->dtype, n)));
}

static struct moments
moments_of(struct te_call *c, struct te_tensor *x, const bool *reduced)
{
	const tir_expr *index[TE_MAX_RANK];
	struct dtype t = x->dtype.bits < 32 ? DTYPE(FLOAT, 32) : x->dtype;
	struct te_body *b;
	struct moments m;
	const tir_expr *d;
	int64_t n = 1;

	for (uint32_t i = 0; i < x->ndim; i++)
		n = te_dim_mul(c, n, reduced[i] ? x->shape[i] : 1);
	b = begin_statistic(c, x, reduced, "T_sum", index);
	m.mean = te_end_fold(b, TE_SUM, te_cast(c, t, te_get(c, x, index)));
	m.mean = scaled(c, m.mean, "T_mean", n);
	b = begin_statistic(c, x, reduced, "T_square_sum", index);
	d = te_sub(c, te_cast(c, t, te_get(c, x, index)),
		   te_get_broadcast(c, m.mean, index, x->ndim));
	m.variance = te_end_fold(b, TE_SUM, te_mul(c, d, d));
	m.variance = scaled(c, m.variance, "T_variance", n);
	return m;
}

/* (x - mean) / sqrt(variance + eps), then the affine part along AXIS. */
static bool
normalize(struct te_call *c, struct te_tensor *x, const struct moments *m,
	  uint32_t axis)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	struct dtype t = m->mean->dtype;
	const tir_expr *v = te_cast(c, t, te_get(c, x, b->i));
	const tir_expr *root = te_unary(
		c, INTRIN_SQRT,
		te_add(c, te_get_broadcast(c, m->variance, b->i, b->ndim),
		       epsilon(c, t)));

	v = te_div(c, te_sub(c, v, te_get_broadcast(c, m->mean, b->i, b->ndim)),
		   root);
	v = te_cast(c, x->dtype, v);
	if (te_attr_bool(c, "scale"))
		v = te_mul(c, v, param_at(c, b, 1, axis));
	if (te_attr_bool(c, "center"))
		v = te_add(c, v, param_at(c, b, 2, axis));
	return te_output(c, 0, te_end(b, v));
}

bool
compute_nn_layer_norm(struct te_call *c)
{
	struct te_tensor *x = c->in[0];
	uint32_t axis =
		(uint32_t)te_axis_of(te_attr_int(c, "axis", -1), x->ndim);
	bool reduced[TE_MAX_RANK] = {false};
	struct moments m;

	reduced[axis] = true;
	m = moments_of(c, x, reduced);
	return normalize(c, x, &m, axis);
}

bool
compute_nn_instance_norm(struct te_call *c)
{
	struct te_tensor *x = c->in[0];
	uint32_t axis =
		(uint32_t)te_axis_of(te_attr_int(c, "axis", 1), x->ndim);
	bool reduced[TE_MAX_RANK] = {false};
	struct moments m;

	for (uint32_t i = 1; i < x->ndim; i++)
		reduced[i] = i != axis;
	m = moments_of(c, x, reduced);
	return normalize(c, x, &m, axis);
}

/* The index into statistics of [.., groups, per group, ..]. */
bool
compute_nn_group_norm(struct te_call *c)
{
	struct te_tensor *x = c->in[0];
	uint32_t axis =
		(uint32_t)te_axis_of(te_attr_int(c, "axis", 1), x->ndim);
	int64_t groups = te_attr_int(c, "num_groups", 1);
	bool reduced[TE_MAX_RANK] = {false};
	int64_t shape[TE_MAX_RANK];
	const tir_expr *index[TE_MAX_RANK];
	struct te_tensor *split;
	struct moments m;
	struct te_body *b;
	const tir_expr *v;
	const tir_expr *root;
	struct dtype t;

	if (groups <= 0 ||
	    (!te_is_size(x->shape[axis]) && x->shape[axis] % groups))
		return te_error(c, "%lld groups do not divide %lld channels",
				(long long)groups, (long long)x->shape[axis]);
	if (te_is_size(x->shape[axis]) &&
	    !te_require_equal(
		    c,
		    te_dim_mul(c, te_dim_div(c, x->shape[axis], groups),
			       groups),
		    x->shape[axis], "the groups do not divide the channels"))
		return false;
	for (uint32_t i = 0; i <= x->ndim; i++) {
		shape[i] = i < axis    ? x->shape[i]
			   : i == axis ? groups
			   : i == axis + 1
				   ? te_dim_div(c, x->shape[axis], groups)
				   : x->shape[i - 1];
		reduced[i] = i > 0 && i != axis;
	}
	split = te_reshape_to(c, x, NULL, shape, x->ndim + 1);
	m = moments_of(c, split, reduced);
	t = m.mean->dtype;
	b = te_begin_out(c, NULL, 0);
	for (uint32_t i = 0; i <= x->ndim; i++)
		index[i] = i == axis ? te_divi(c, b->i[axis], shape[axis + 1])
			   : i == 0  ? b->i[0]
				     : te_int(c, 0);
	root = te_unary(c, INTRIN_SQRT,
			te_add(c, te_get(c, m.variance, index), epsilon(c, t)));
	v = te_div(c,
		   te_sub(c, te_cast(c, t, te_get(c, x, b->i)),
			  te_get(c, m.mean, index)),
		   root);
	v = te_cast(c, x->dtype, v);
	if (te_attr_bool(c, "scale"))
		v = te_mul(c, v, param_at(c, b, 1, axis));
	if (te_attr_bool(c, "center"))
		v = te_add(c, v, param_at(c, b, 2, axis));
	return te_output(c, 0, te_end(b, v));
}

/* x / sqrt(max(sum(x * x), eps)). */
bool
compute_nn_l2_normalize(struct te_call *c)
{
	struct te_tensor *x = c->in[0];
	int64_t axes[TE_MAX_RANK];
	int n = te_attr_ints(c, "axis", axes, TE_MAX_RANK);
	bool reduced[TE_MAX_RANK] = {false};
	const tir_expr *index[TE_MAX_RANK];
	struct te_tensor *sum;
	struct te_body *b;
	const tir_expr *v;

	for (uint32_t i = 0; i < x->ndim; i++)
		reduced[i] = n <= 0;
	for (int i = 0; i < n; i++) {
		if (!te_is_axis(c, axes[i], x->ndim))
			return false;
		reduced[te_axis_of(axes[i], x->ndim)] = true;
	}
	b = begin_statistic(c, x, reduced, "T_square_sum", index);
	v = te_get(c, x, index);
	sum = te_end_fold(b, TE_SUM, te_mul(c, v, v));
	b = te_begin_out(c, NULL, 0);
	v = te_max(
		c, te_get_broadcast(c, sum, b->i, b->ndim),
		te_lit(c, x->dtype, (double)(float)te_attr_double(c, "eps")));
	return te_output(c, 0,
			 te_end(b, te_div(c, te_get(c, x, b->i),
					  te_unary(c, INTRIN_SQRT, v))));
}

/* x / (bias + alpha * sum of squares nearby / size) ^ beta. */
bool
compute_nn_lrn(struct te_call *c)
{
	struct te_tensor *x = c->in[0];
	uint32_t axis =
		(uint32_t)te_axis_of(te_attr_int(c, "axis", 1), x->ndim);
	int64_t size = te_attr_int(c, "size", 5);
	int64_t around[TE_MAX_RANK] = {0};
	const tir_expr *index[TE_MAX_RANK];
	struct te_tensor *wide;
	struct te_tensor *sum;
	struct te_body *b;
	const tir_expr *v;

	if (!te_is_axis(c, te_attr_int(c, "axis", 1), x->ndim))
		return false;
	if (size < 1)
		return te_error(c, "'size' must be positive");
	around[axis] = size / 2;
	wide = te_pad_with(c, x, "pad_data", around, around,
			   te_zero(c, x->dtype));
	b = te_begin_like(c, "T_square_sum", x);
	for (uint32_t i = 0; i < x->ndim; i++)
		index[i] = b->i[i];
	index[axis] = te_add(c, b->i[axis], te_fold_axis(b, "k", size));
	v = te_get(c, wide, index);
	sum = te_end_fold(b, TE_SUM, te_mul(c, v, v));
	b = te_begin_out(c, NULL, 0);
	v = te_div(c,
		   te_mul(c, te_lit(c, x->dtype, te_attr_double(c, "alpha")),
			  te_get(c, sum, b->i)),
		   te_lit(c, x->dtype, (double)size));
	v = te_add(c, te_lit(c, x->dtype, te_attr_double(c, "bias")), v);
	v = te_intrin2(c, INTRIN_POW, v,
		       te_lit(c, x->dtype, te_attr_double(c, "beta")));
	return te_output(c, 0, te_end(b, te_div(c, te_get(c, x, b->i), v)));
}

/* At inference nothing is dropped: the data, and a mask of ones. */
bool
compute_nn_dropout(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);

	te_output(c, 0, te_end(b, te_get(c, c->in[0], b->i)));
	b = te_begin_out(c, NULL, 1);
	return te_output(c, 1, te_end(b, te_lit(c, te_out_dtype(c, 1), 1)));
}
