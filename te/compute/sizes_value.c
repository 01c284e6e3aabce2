/*
 * Sizes that values of tensors decide, and those of routines that see whole
 * tensors.
 */
#include <string.h>

#include "te/compute/routine.h"
#include "te/compute/sizes.h"

/* Far outside of any axis, and far from the end of int64. */
static const int64_t far = INT64_C(1) << 50;

static const tir_expr *
clamp(struct te_call *c, const tir_expr *i, const tir_expr *low,
      const tir_expr *high)
{
	return te_max(c, te_min(c, i, high), low);
}

/* I from the start of an axis of N, within what the direction allows. */
static const tir_expr *
canonical(struct te_call *c, const tir_expr *i, const tir_expr *n,
	  const tir_expr *up)
{
	const tir_expr *zero = te_dim(c, 0), *one = te_dim(c, 1);
	const tir_expr *low = te_select(c, up, zero, te_dim(c, -1));
	const tir_expr *high = te_select(c, up, n, te_sub(c, n, one));

	i = te_select(c, te_cmp(c, TIR_LT, i, zero), te_add(c, i, n), i);
	return clamp(c, i, low, high);
}

bool
sizes_read_cut(struct te_call *c, uint32_t d, struct sizes_cut *out)
{
	bool by_size = te_attr_string(c, "slice_mode")[0] == 's';
	const tir_expr *n = te_dim(c, c->in[0]->shape[d]);
	const tir_expr *zero = te_dim(c, 0), *b, *e, *s, *up;

	if (!sizes_read(c, 1, d, &b) || !sizes_read(c, 2, d, &e) ||
	    !sizes_read(c, 3, d, &s))
		return false;
	b = clamp(c, b, te_dim(c, -far), te_dim(c, far));
	e = clamp(c, e, te_dim(c, -far), te_dim(c, far));
	if (by_size) {
		const tir_expr *sum = te_add(c, b, e);
		const tir_expr *over = te_and(c, te_cmp(c, TIR_LT, b, zero),
					      te_cmp(c, TIR_GE, sum, zero));

		over = te_or(c, over, te_cmp(c, TIR_LT, e, zero));
		e = te_select(c, over, te_dim(c, far), sum);
		s = te_dim(c, 1);
	}
	up = te_cmp(c, TIR_GT, s, zero);
	out->stride = s;
	out->begin = canonical(c, b, n, up);
	out->end = canonical(c, e, n, up);
	return true;
}

bool
sizes_dyn_slice(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	const tir_expr *zero = te_dim(c, 0);

	sizes_copy(out[0], x);
	for (uint32_t d = 0; d < c->in[1]->shape[0]; d++) {
		struct sizes_cut k;
		const tir_expr *up, *span, *step;

		if (!sizes_read_cut(c, d, &k))
			return false;
		up = te_cmp(c, TIR_GT, k.stride, zero);
		span = te_select(c, up, te_sub(c, k.end, k.begin),
				 te_sub(c, k.begin, k.end));
		step = te_select(c, up, k.stride, te_sub(c, zero, k.stride));
		out[0][d] = te_dim_of(
			c,
			te_div(c, te_addi(c, te_add(c, span, step), -1), step));
		if (!te_require(c,
				te_and(c, te_cmp(c, TIR_NE, k.stride, zero),
				       te_cmp(c, TIR_GE, span, zero)),
				x->shape[d], out[0][d],
				"the slice ends before it begins, or its "
				"stride is 0"))
			return false;
	}
	return true;
}

bool
sizes_dyn_pad(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	const int64_t pairs[] = {x->ndim, 2};

	if (!te_expect_shape(c, 1, pairs, 2))
		return false;
	for (uint32_t d = 0; d < x->ndim; d++) {
		const tir_expr *before, *after;

		if (!sizes_read(c, 1, 2 * (int64_t)d, &before) ||
		    !sizes_read(c, 1, 2 * (int64_t)d + 1, &after))
			return false;
		out[0][d] = te_dim_of(
			c, te_add(c, te_add(c, te_dim(c, x->shape[d]), before),
				  after));
	}
	return true;
}

bool
sizes_dyn_tile(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	int ndim = (int)te_out_ndim(c, 0), rank = (int)x->ndim;
	int n = (int)c->in[1]->shape[0];

	for (int d = 0; d < ndim; d++) {
		int i = d - (ndim - rank), k = d - (ndim - n);
		const tir_expr *reps = te_dim(c, 1);

		if (k >= 0 && !sizes_read(c, 1, k, &reps))
			return false;
		out[0][d] = te_dim_of(
			c, te_mul(c, te_dim(c, i < 0 ? 1 : x->shape[i]), reps));
	}
	return true;
}

bool
sizes_dyn_one_hot(struct te_call *c, int64_t *const *out)
{
	int64_t axis = te_attr_int(c, "axis", -1);
	uint32_t ndim = te_out_ndim(c, 0);
	const tir_expr *depth;

	if (axis < 0)
		axis += ndim;
	if (!sizes_read(c, 3, 0, &depth))
		return false;
	for (uint32_t d = 0, k = 0; d < ndim; d++)
		out[0][d] =
			d == axis ? te_dim_of(c, depth) : c->in[0]->shape[k++];
	return true;
}

bool
sizes_dyn_topk(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t axis = te_axis_of(te_attr_int(c, "axis", -1), x->ndim);
	int64_t n = x->shape[axis], k;
	const tir_expr *v;

	if (!sizes_read(c, 1, 0, &v))
		return false;
	v = te_select(c, te_cmp(c, TIR_LT, v, te_dim(c, 1)), te_dim(c, n), v);
	k = te_dim_of(c, v);
	for (uint32_t i = 0; i < c->nout; i++) {
		sizes_copy(out[i], x);
		out[i][axis] = k;
	}
	return te_require(c, te_cmp(c, TIR_LE, te_dim(c, k), te_dim(c, n)), k,
			  n, "k is larger than the axis");
}

bool
sizes_sparse_to_dense(struct te_call *c, int64_t *const *out)
{
	for (uint32_t d = 0; d < te_out_ndim(c, 0); d++) {
		const tir_expr *v;

		out[0][d] = c->out_type[0]->shape[d].value;
		if (c->op->id != OP_dyn_sparse_to_dense)
			continue;
		if (!sizes_read(c, 3, d, &v))
			return false;
		out[0][d] = te_dim_of(c, v);
	}
	return true;
}

/* As many rows as elements are not 0. */
bool
sizes_argwhere(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	const tir_expr *at[TE_MAX_RANK], *args[3], *count;
	int64_t n = 1;

	if (x->op->kind != TE_PARAM)
		return te_error(c, "what decides a shape is computed in the "
				   "same kernel");
	for (uint32_t d = 0; d < x->ndim; d++) {
		at[d] = te_dim(c, 0);
		n = te_dim_mul(c, n, x->shape[d]);
	}
	args[0] = te_get(c, x, at);
	args[1] = te_dim(c, n);
	args[2] = te_dim(c, routine_dtype(x->dtype));
	count = tir_call_extern(c->m, ir_name(c->m->cx, "relay_count_nonzero"),
				DTYPE(INT, 32), args, 3);
	out[0][0] = te_dim_of(c, te_cast(c, DTYPE(INT, 64), count));
	out[0][1] = x->ndim;
	return true;
}

bool
sizes_unique(struct te_call *c, int64_t *const *out)
{
	for (uint32_t i = 0; i < c->nout; i++)
		out[i][0] = i == 3 ? 1 : c->in[0]->shape[0];
	return true;
}

/* Counts, boxes, places. */
bool
sizes_valid_counts(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];

	out[0][0] = x->shape[0];
	sizes_copy(out[1], x);
	out[2][0] = x->shape[0];
	out[2][1] = x->shape[1];
	return true;
}

bool
sizes_nms(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];

	if (!te_require_equal(c, x->shape[0], c->in[1]->shape[0],
			      "boxes and counts differ in the batch") ||
	    !te_require_equal(c, x->shape[0], c->in[2]->shape[0],
			      "boxes and indices differ in the batch") ||
	    !te_require_equal(c, x->shape[1], c->in[2]->shape[1],
			      "there are not as many indices as boxes"))
		return false;
	if (!te_attr_bool(c, "return_indices")) {
		sizes_copy(out[0], x);
		return true;
	}
	out[0][0] = out[1][0] = x->shape[0];
	out[0][1] = x->shape[1];
	out[1][1] = 1;
	return true;
}

/* Updates are [points.., slice..]. */
static bool
sizes_updates(struct te_call *c)
{
	const struct te_tensor *x = c->in[0], *at = c->in[1], *u = c->in[2];
	uint32_t k = 0;

	for (uint32_t d = 1; d < at->ndim && k < u->ndim; d++, k++)
		if (!te_require_equal(c, at->shape[d], u->shape[k],
				      "indices and updates differ"))
			return false;
	for (uint32_t d = (uint32_t)at->shape[0]; d < x->ndim && k < u->ndim;
	     d++, k++)
		if (!te_require_equal(c, x->shape[d], u->shape[k],
				      "data and updates differ"))
			return false;
	return true;
}

bool
sizes_scatter(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *at = c->in[1], *updates = c->in[2];

	if (c->op->id == OP_scatter_nd && te_is_size(at->shape[0]))
		return sizes_refuse(c, "the number of coordinates");
	sizes_copy(out[0], c->in[0]);
	if (c->op->id != OP_scatter_elements || at->ndim != updates->ndim)
		return c->op->id == OP_scatter_nd ? sizes_updates(c) : true;
	for (uint32_t d = 0; d < at->ndim; d++)
		if (!te_require(c,
				te_cmp(c, TIR_LE, te_dim(c, at->shape[d]),
				       te_dim(c, updates->shape[d])),
				at->shape[d], updates->shape[d],
				"there are more indices than updates"))
			return false;
	return true;
}
