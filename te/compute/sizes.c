/*
 * Sizes of results: for each rule that can do with dimensions that are known
 * at run time only, how they follow from those of the inputs.
 *
 * The row of a rule gives the whole shape of each result; where its type says
 * a number, this is taken and checked. What a rule cannot do with a size, its
 * row refuses.
 */
#include "te/compute/sizes.h"

#include <string.h>

#include "te/compute/computes.h"

bool
sizes_refuse(struct te_call *c, const char *what)
{
	return te_error(c, "%s must be known to be compiled", what);
}

void
sizes_copy(int64_t *out, const struct te_tensor *t)
{
	if (t->ndim)
		memcpy(out, t->shape, t->ndim * sizeof(*out));
}

/* All results are like the first input. */
static bool
same(struct te_call *c, int64_t *const *out)
{
	for (uint32_t i = 0; i < c->nout; i++)
		sizes_copy(out[i], c->in[0]);
	return true;
}

static bool
each_same(struct te_call *c, int64_t *const *out)
{
	for (uint32_t i = 0; i < c->nout; i++)
		sizes_copy(out[i], c->in[i]);
	return true;
}

/* The extent of axes of A and B broadcast together. */
bool
sizes_broadcast(struct te_call *c, int64_t a, int64_t b, int64_t *out)
{
	const tir_expr *one = te_dim(c, 1), *x = te_dim(c, a);
	const tir_expr *y = te_dim(c, b), *ok;

	*out = a == 1 ? b : a;
	if (a == b || a == 1 || b == 1)
		return true;
	if (!te_is_size(a) && !te_is_size(b))
		return te_error(c, "%lld and %lld cannot be broadcast",
				(long long)a, (long long)b);
	ok = te_cmp(c, TIR_EQ, x, y);
	if (te_is_size(a))
		ok = te_or(c, ok, te_cmp(c, TIR_EQ, x, one));
	if (te_is_size(b))
		ok = te_or(c, ok, te_cmp(c, TIR_EQ, y, one));
	if (!te_is_size(b))
		*out = b;
	else if (te_is_size(a))
		*out = te_dim_of(c,
				 te_select(c, te_cmp(c, TIR_EQ, x, one), y, x));
	return te_require(c, ok, a, b, "dimensions cannot be broadcast");
}

/* All inputs from FIRST on, broadcast together, to OUT[0]. */
static bool
broadcast_all(struct te_call *c, int64_t *const *out, uint32_t first,
	      uint32_t n)
{
	uint32_t ndim = te_out_ndim(c, 0);

	for (uint32_t d = 0; d < ndim; d++)
		out[0][d] = 1;
	for (uint32_t i = first; i < first + n; i++) {
		const struct te_tensor *t = c->in[i];
		int64_t *to = out[0] + (ndim - t->ndim);

		for (uint32_t d = 0; d < t->ndim; d++)
			if (!sizes_broadcast(c, to[d], t->shape[d], &to[d]))
				return false;
	}
	return true;
}

static bool
broadcast(struct te_call *c, int64_t *const *out)
{
	return broadcast_all(c, out, 0, c->nin);
}

/* Only the first two: scales and zero points come behind. */
static bool
broadcast_two(struct te_call *c, int64_t *const *out)
{
	return broadcast_all(c, out, 0, 2);
}

static bool
along_axis(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t axis = te_axis_of(te_attr_int(c, "axis", 1), x->ndim);

	return same(c, out) &&
	       te_require_equal(c, x->shape[axis], c->in[1]->shape[0],
				"the data and the vector along its axis "
				"differ");
}

static bool
reduce(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t axes[TE_MAX_RANK];
	int n = te_attr_ints(c, "axis", axes, TE_MAX_RANK);
	bool exclude = te_attr_bool(c, "exclude");
	bool keep = te_attr_bool(c, "keepdims");
	bool reduced[TE_MAX_RANK];
	uint32_t k = 0;

	for (uint32_t i = 0; i < x->ndim; i++)
		reduced[i] = n <= 0;
	for (int i = 0; i < n; i++)
		reduced[te_axis_of(axes[i], x->ndim)] = true;
	for (uint32_t i = 0; i < x->ndim; i++) {
		if (exclude && n > 0)
			reduced[i] = !reduced[i];
		if (!reduced[i])
			out[0][k++] = x->shape[i];
		else if (keep)
			out[0][k++] = 1;
	}
	return true;
}

static bool
matmul(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0], *w = c->in[1];
	bool dense = c->op->id == OP_nn_dense;
	bool ta = !dense && te_attr_bool(c, "transpose_a");
	bool tb = dense || te_attr_bool(c, "transpose_b");
	uint32_t last = x->ndim - 1;

	if (w->ndim != 2 || (ta && x->ndim < 2))
		return te_error(c, "the weight must have rank 2");
	for (uint32_t i = 0; i <= last; i++)
		out[0][i] = x->shape[i];
	if (ta)
		out[0][last - 1] = x->shape[last];
	out[0][last] = w->shape[tb ? 0 : 1];
	return te_require_equal(c, x->shape[ta ? last - 1 : last],
				w->shape[tb ? 1 : 0],
				"the inner dimensions differ");
}

static bool
batch_matmul(struct te_call *c, int64_t *const *out)
{
	const int64_t *x = c->in[0]->shape, *y = c->in[1]->shape;
	bool ta = te_attr_bool(c, "transpose_a");
	bool tb = te_attr_bool(c, "transpose_b");

	out[0][1] = x[ta ? 2 : 1];
	out[0][2] = y[tb ? 1 : 2];
	return sizes_broadcast(c, x[0], y[0], &out[0][0]) &&
	       te_require_equal(c, x[ta ? 1 : 2], y[tb ? 2 : 1],
				"the inner dimensions differ");
}

/* qnn.dense, qnn.batch_matmul: the second factor is transposed. */
static bool
qnn_matmul(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0], *w = c->in[1];
	uint32_t last = x->ndim - 1;
	bool batched = c->op->id == OP_qnn_batch_matmul;

	sizes_copy(out[0], x);
	out[0][last] = w->shape[batched ? 1 : 0];
	if (batched && x->shape[0] == 1)
		out[0][0] = w->shape[0];
	else if (batched && w->shape[0] != 1 &&
		 !te_require_equal(c, x->shape[0], w->shape[0],
				   "the batches differ"))
		return false;
	return te_require_equal(c, x->shape[last], w->shape[w->ndim - 1],
				"the inner dimensions differ");
}

static bool
transpose(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t axes[TE_MAX_RANK];
	int n = te_attr_ints(c, "axes", axes, TE_MAX_RANK);

	for (uint32_t i = 0; i < x->ndim; i++)
		out[0][i] = x->shape[n > 0 ? te_axis_of(axes[i], x->ndim)
					   : (int64_t)(x->ndim - 1 - i)];
	return true;
}

static bool
concatenate(struct te_call *c, int64_t *const *out)
{
	uint32_t ndim = te_out_ndim(c, 0);
	uint32_t axis = (uint32_t)te_axis_of(te_attr_int(c, "axis", 0), ndim);

	/* Scales and zero points may come behind the tensors. */
	sizes_copy(out[0], c->in[0]);
	for (uint32_t i = 1; i < c->first[1]; i++)
		for (uint32_t d = 0; d < ndim; d++) {
			int64_t n = c->in[i]->shape[d];

			if (d == axis)
				out[0][d] = te_dim_add(c, out[0][d], n);
			else if (!te_require_equal(c, out[0][d], n,
						   "the inputs differ beside "
						   "the axis"))
				return false;
			else if (te_is_size(out[0][d]))
				out[0][d] = n;
		}
	return true;
}

static bool
stack(struct te_call *c, int64_t *const *out)
{
	uint32_t ndim = te_out_ndim(c, 0);
	uint32_t axis = (uint32_t)te_axis_of(te_attr_int(c, "axis", 0), ndim);

	for (uint32_t d = 0, k = 0; d < ndim; d++)
		out[0][d] = d == axis ? c->nin : c->in[0]->shape[k++];
	for (uint32_t i = 1; i < c->nin; i++)
		for (uint32_t d = 0; d + 1 < ndim; d++)
			if (!te_require_equal(c, c->in[0]->shape[d],
					      c->in[i]->shape[d],
					      "the inputs differ"))
				return false;
	return true;
}

static bool
split(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	uint32_t axis =
		(uint32_t)te_axis_of(te_attr_int(c, "axis", 0), x->ndim);
	const ir_attr *at = ir_attrs_get(c->attrs, "indices_or_sections");
	int64_t start = 0, n = c->nout;

	for (uint32_t i = 0; i < c->nout; i++) {
		int64_t end = x->shape[axis];

		sizes_copy(out[i], x);
		if (at && at->kind == ATTR_INT) {
			out[i][axis] = te_dim_div(c, end, n);
			continue;
		}
		if (at && at->kind == ATTR_ARRAY && i < at->n)
			end = te_dim_min(c, at->elems[i].i, end);
		out[i][axis] = te_dim_max(c, te_dim_sub(c, end, start), 0);
		start = te_dim_max(c, start, end);
	}
	if (!at || at->kind != ATTR_INT || !te_is_size(x->shape[axis]))
		return true;
	return te_require(c,
			  te_cmp(c, TIR_EQ,
				 te_modi(c, te_dim(c, x->shape[axis]), n),
				 te_dim(c, 0)),
			  x->shape[axis], n, "the axis cannot be split evenly");
}

static bool
tile(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t reps[TE_MAX_RANK];
	int n = c->op->id == OP_tile
			? te_attr_ints(c, "reps", reps, TE_MAX_RANK)
			: -1;
	int ndim = (int)te_out_ndim(c, 0), rank = (int)x->ndim;

	if (c->op->id == OP_dyn_tile)
		return sizes_dyn_tile(c, out);
	if (n < 0)
		return sizes_refuse(c, "the repetitions");
	for (int d = 0; d < ndim; d++) {
		int i = d - (ndim - rank), k = d - (ndim - n);

		out[0][d] = te_dim_mul(c, i < 0 ? 1 : x->shape[i],
				       k < 0 ? 1 : reps[k]);
	}
	return true;
}

static bool
repeat(struct te_call *c, int64_t *const *out)
{
	int64_t axis = te_axis_of(te_attr_int(c, "axis", 0), c->in[0]->ndim);

	sizes_copy(out[0], c->in[0]);
	out[0][axis] =
		te_dim_mul(c, out[0][axis], te_attr_int(c, "repeats", 1));
	return true;
}

static bool
pad(struct te_call *c, int64_t *const *out)
{
	const ir_attr *w = ir_attrs_get(c->attrs, "pad_width");
	const struct te_tensor *x = c->in[0];

	if (!w || w->kind != ATTR_ARRAY || w->n != x->ndim)
		return sizes_refuse(c, "pad_width");
	for (uint32_t d = 0; d < x->ndim; d++) {
		const ir_attr *pair = &w->elems[d];

		if (pair->kind != ATTR_ARRAY || pair->n != 2)
			return sizes_refuse(c, "pad_width");
		out[0][d] = te_dim_add(c, x->shape[d],
				       pair->elems[0].i + pair->elems[1].i);
	}
	return true;
}

static bool
take(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0], *at = c->in[1];
	const ir_attr *axis = ir_attrs_get(c->attrs, "axis");
	int64_t batch = te_attr_int(c, "batch_dims", 0), a;
	uint32_t n = 0;

	if (!axis || axis->kind == ATTR_NULL) {
		sizes_copy(out[0], at);
		return true;
	}
	a = te_axis_of(axis->i, x->ndim);
	if (batch < 0)
		batch += at->ndim;
	for (int64_t d = 0; d < a; d++)
		out[0][n++] = x->shape[d];
	for (int64_t d = batch; d < at->ndim; d++)
		out[0][n++] = at->shape[d];
	for (int64_t d = a + 1; d < x->ndim; d++)
		out[0][n++] = x->shape[d];
	for (int64_t d = 0; d < batch; d++)
		if (!te_require_equal(c, x->shape[d], at->shape[d],
				      "data and indices differ in a common "
				      "axis"))
			return false;
	return true;
}

static bool
gather(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0], *at = c->in[1];
	int64_t axis = te_axis_of(te_attr_int(c, "axis", 0), x->ndim);

	sizes_copy(out[0], at);
	for (int64_t d = 0; d < x->ndim; d++)
		if (d != axis &&
		    !te_require_equal(c, x->shape[d], at->shape[d],
				      "data and indices differ beside the "
				      "axis"))
			return false;
	return true;
}

static bool
gather_nd(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0], *at = c->in[1];
	int64_t batch = te_attr_int(c, "batch_dims", 0);
	int64_t m = at->shape[0];
	uint32_t n = 0;

	if (te_is_size(m))
		return sizes_refuse(c, "the number of coordinates");
	for (uint32_t d = 1; d < at->ndim; d++)
		out[0][n++] = at->shape[d];
	for (int64_t d = batch + m; d < x->ndim; d++)
		out[0][n++] = x->shape[d];
	for (int64_t d = 0; d < batch; d++)
		if (!te_require_equal(c, x->shape[d], at->shape[d + 1],
				      "data and indices differ in a common "
				      "axis"))
			return false;
	return true;
}

static bool
one_hot(struct te_call *c, int64_t *const *out)
{
	int64_t axis = te_attr_int(c, "axis", -1);
	uint32_t ndim = te_out_ndim(c, 0);

	if (c->op->id == OP_dyn_one_hot)
		return sizes_dyn_one_hot(c, out);
	if (axis < 0)
		axis += ndim;
	for (uint32_t d = 0, k = 0; d < ndim; d++)
		out[0][d] = d == axis ? te_attr_int(c, "depth", 0)
				      : c->in[0]->shape[k++];
	return true;
}

/* The results are of static shape, or scalars. */
static bool
by_type(struct te_call *c, int64_t *const *out)
{
	for (uint32_t i = 0; i < c->nout; i++)
		for (uint32_t d = 0; d < te_out_ndim(c, i); d++)
			if (ir_dim_is_const(c->out_type[i]->shape[d]))
				out[i][d] = c->out_type[i]->shape[d].value;
			else
				return sizes_refuse(c, "a dimension");
	return true;
}

/* The first; results behind it are like vectors among the inputs. */
static bool
batch_norm(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t axis = te_axis_of(te_attr_int(c, "axis", 1), x->ndim);

	sizes_copy(out[0], x);
	for (uint32_t i = 1; i < c->nout; i++)
		sizes_copy(out[i], c->in[i + 2]);
	for (uint32_t i = 1; i < c->nin; i++)
		if (!te_require_equal(c, x->shape[axis], c->in[i]->shape[0],
				      "the data and its statistics differ"))
			return false;
	return true;
}

/* gamma and beta lie along the axis. */
static bool
normalize(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t deflt = c->op->id == OP_nn_layer_norm ? -1 : 1;
	int64_t axis = te_axis_of(te_attr_int(c, "axis", deflt), x->ndim);

	sizes_copy(out[0], x);
	for (uint32_t i = 1; i < c->nin; i++)
		if (!te_require_equal(c, x->shape[axis], c->in[i]->shape[0],
				      "the data and its scale differ"))
			return false;
	return true;
}

static bool
scan(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t n = 1;

	if (te_out_ndim(c, 0) == x->ndim && x->ndim != 1)
		return same(c, out);
	for (uint32_t d = 0; d < x->ndim; d++)
		n = te_dim_mul(c, n, x->shape[d]);
	out[0][0] = n;
	return true;
}

/* Counted along the axis. */
static bool
topk(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t axis = te_axis_of(te_attr_int(c, "axis", -1), x->ndim);
	int64_t k = c->op->id == OP_topk ? te_attr_int(c, "k", 1) : 1;

	if (c->op->id == OP_dyn_topk)
		return sizes_dyn_topk(c, out);
	if (!same(c, out))
		return false;
	for (uint32_t i = 0; i < c->nout && k >= 1; i++)
		out[i][axis] = k;
	if (k < 1 || !te_is_size(x->shape[axis]))
		return true;
	return te_require(
		c, te_cmp(c, TIR_LE, te_dim(c, k), te_dim(c, x->shape[axis])),
		k, x->shape[axis], "k is larger than the axis");
}

/* The length of each sequence stands in a vector along the batch. */
static bool
sequences(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t along =
		c->op->id == OP_sequence_mask
			? te_attr_int(c, "axis", 0) == 0
			: te_axis_of(te_attr_int(c, "batch_axis", 0), x->ndim);

	return same(c, out) &&
	       te_require_equal(c, x->shape[along], c->in[1]->shape[0],
				"there are not as many lengths as sequences");
}

/* The last; what is in front goes through. */
static bool
slice_like(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0], *like = c->in[1];
	int64_t axes[TE_MAX_RANK];
	int n = te_attr_ints(c, "axes", axes, TE_MAX_RANK);

	sizes_copy(out[0], x);
	for (int64_t i = 0; i < (n > 0 ? n : (int64_t)like->ndim); i++) {
		int64_t d = n > 0 ? te_axis_of(axes[i], x->ndim) : i;
		const tir_expr *fits;

		out[0][d] = like->shape[d];
		if (!te_is_size(x->shape[d]) && !te_is_size(like->shape[d]))
			continue;
		fits = te_cmp(c, TIR_LE, te_dim(c, like->shape[d]),
			      te_dim(c, x->shape[d]));
		if (!te_require(c, fits, like->shape[d], x->shape[d],
				"the slice is larger than the data"))
			return false;
	}
	return true;
}

/* Both layouts say all. */
static bool
by_parts(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t want[TE_MAX_RANK];
	struct ir_parts from;

	if (!ir_parts_parse(te_attr_string(c, "src_layout"), &from) ||
	    from.n > TE_MAX_RANK)
		return te_error(c, "the layouts do not fit the data");
	for (uint32_t i = 0; i < from.n; i++)
		want[i] = from.part[i].extent;
	return by_type(c, out) && te_expect_shape(c, 0, want, x->ndim);
}

static bool
arange(struct te_call *c, int64_t *const *out)
{
	struct dtype f = DTYPE(FLOAT, 64);
	const tir_expr *v[3], *n;

	for (uint32_t i = 0; i < 3; i++)
		if (!sizes_read(c, i, 0, &v[i]))
			return false;
	n = te_div(c, te_sub(c, te_cast(c, f, v[1]), te_cast(c, f, v[0])),
		   te_cast(c, f, v[2]));
	n = te_cast(c, DTYPE(INT, 64), te_unary(c, INTRIN_CEIL, n));
	out[0][0] = te_dim_of(c, te_max(c, n, te_dim(c, 0)));
	return true;
}

static const struct {
	te_compute_fn *rule;
	bool (*sizes)(struct te_call *c, int64_t *const *out);
} table[] = {
	{compute_abs, same},
	{compute_adv_index, sizes_adv_index},
	{compute_arange, arange},
	{compute_arg_reduce, reduce},
	{compute_argwhere, sizes_argwhere},
	{compute_auto_scheduler_layout_transform, by_parts},
	{compute_binary, broadcast},
	{compute_bitwise_not, same},
	{compute_broadcast_to, sizes_broadcast_to},
	{compute_cast, same},
	{compute_classify, same},
	{compute_clip, same},
	{compute_collapse_sum, sizes_collapse},
	{compute_concatenate, concatenate},
	{compute_dft, sizes_dft},
	{compute_dyn_pad, sizes_dyn_pad},
	{compute_dyn_strided_slice, sizes_dyn_slice},
	{compute_einsum, sizes_einsum},
	{compute_fast_math, same},
	{compute_fill, sizes_fill},
	{compute_fixed_point_multiply, same},
	{compute_fixed_point_multiply_per_axis, sizes_per_axis},
	{compute_gather, gather},
	{compute_gather_nd, gather_nd},
	{compute_identity, each_same},
	{compute_image_affine_grid, sizes_affine_grid},
	{compute_image_crop_and_resize, sizes_crops},
	{compute_image_dilation2d, sizes_dilation},
	{compute_image_grid_sample, sizes_grid_sample},
	{compute_image_resize, sizes_resize},
	{compute_intrinsic, same},
	{compute_invert_permutation, same},
	{compute_layout_transform, sizes_layout_transform},
	{compute_logical_not, same},
	{compute_matrix_set_diag, sizes_matrix_set_diag},
	{compute_mean, reduce},
	{compute_meshgrid, sizes_meshgrid},
	{compute_ndarray_size, by_type},
	{compute_negative, same},
	{compute_nn_adaptive_pool, sizes_adaptive_pool},
	{compute_nn_avg_pool, sizes_pool},
	{compute_nn_avg_pool2d_grad, sizes_pool_grad},
	{compute_nn_batch_matmul, batch_matmul},
	{compute_nn_batch_norm, batch_norm},
	{compute_nn_batch_to_space_nd, sizes_batch_to_space},
	{compute_nn_bias_add, along_axis},
	{compute_nn_bitpack, sizes_bitpack},
	{compute_nn_bitserial_conv2d, sizes_bitserial_conv},
	{compute_nn_bitserial_dense, sizes_bitserial_dense},
	{compute_nn_contrib_dense_pack, sizes_dense_pack},
	{compute_nn_conv, sizes_conv},
	{compute_nn_conv_transpose, sizes_conv_transpose},
	{compute_nn_conv2d_backward_weight, sizes_backward_weight},
	{compute_nn_correlation, sizes_correlation},
	{compute_nn_cross_entropy, sizes_cross_entropy},
	{compute_nn_deformable_conv2d, sizes_deformable_conv},
	{compute_nn_depth_to_space, sizes_space_to_depth},
	{compute_nn_dilate, sizes_dilate},
	{compute_nn_dropout, same},
	{compute_nn_fifo_buffer, sizes_fifo},
	{compute_nn_gemm, sizes_blind_conv},
	{compute_nn_gemm_weight, sizes_gemm_weight},
	{compute_nn_group_norm, normalize},
	{compute_nn_instance_norm, normalize},
	{compute_nn_l2_normalize, same},
	{compute_nn_layer_norm, normalize},
	{compute_nn_leaky_relu, same},
	{compute_nn_lrn, same},
	{compute_nn_matmul, matmul},
	{compute_nn_max_pool, sizes_pool},
	{compute_nn_max_pool2d_grad, sizes_pool_grad},
	{compute_nn_mirror_pad, pad},
	{compute_nn_nll_loss, sizes_nll_loss},
	{compute_nn_pad, pad},
	{compute_nn_prelu, along_axis},
	{compute_nn_relu, same},
	{compute_nn_softmax, same},
	{compute_nn_space_to_batch_nd, sizes_space_to_batch},
	{compute_nn_space_to_depth, sizes_space_to_depth},
	{compute_nn_sparse_add, sizes_sparse_add},
	{compute_nn_sparse_conv2d, sizes_sparse_conv},
	{compute_nn_sparse_dense, sizes_sparse_dense},
	{compute_nn_sparse_transpose, sizes_sparse_transpose},
	{compute_nn_upsampling, sizes_upsampling},
	{compute_nn_winograd, sizes_blind_conv},
	{compute_nn_winograd_nnpack_weight, sizes_nnpack_weight},
	{compute_nn_winograd_weight, sizes_winograd_weight},
	{compute_one_hot, one_hot},
	{compute_qnn_binary, broadcast_two},
	{compute_qnn_concatenate, concatenate},
	{compute_qnn_contrib_dense_pack, sizes_dense_pack},
	{compute_qnn_dequantize, sizes_along_axis},
	{compute_qnn_leaky_relu, same},
	{compute_qnn_matmul, qnn_matmul},
	{compute_qnn_quantize, sizes_along_axis},
	{compute_qnn_requantize, sizes_along_axis},
	{compute_qnn_simulated, same},
	{compute_qnn_softmax, same},
	{compute_qnn_unary, same},
	{compute_random_distribution, by_type},
	{compute_random_multinomial, sizes_multinomial},
	{compute_random_threefry_generate, by_type},
	{compute_random_threefry_split, by_type},
	{compute_reduce, reduce},
	{compute_reinterpret, same},
	{compute_relay_simulated_quantize, same},
	{compute_repeat, repeat},
	{compute_reshape, sizes_reshape},
	{compute_reverse, same},
	{compute_reverse_sequence, sequences},
	{compute_scan, scan},
	{compute_scatter_elements, sizes_scatter},
	{compute_scatter_nd, sizes_scatter},
	{compute_searchsorted, sizes_searchsorted},
	{compute_sequence_mask, sequences},
	{compute_shape_of, by_type},
	{compute_sign, same},
	{compute_slice_like, slice_like},
	{compute_sliding_window, sizes_sliding_window},
	{compute_sort, same},
	{compute_sparse_reshape, sizes_sparse_reshape},
	{compute_sparse_to_dense, sizes_sparse_to_dense},
	{compute_split, split},
	{compute_stack, stack},
	{compute_stft, sizes_stft},
	{compute_strided_set, same},
	{compute_strided_slice, sizes_strided_slice},
	{compute_take, take},
	{compute_tile, tile},
	{compute_topk, topk},
	{compute_transpose, transpose},
	{compute_trilu, same},
	{compute_unique, sizes_unique},
	{compute_unravel_index, sizes_unravel_index},
	{compute_variance, reduce},
	{compute_vision_all_class_nms, sizes_all_class_nms},
	{compute_vision_get_valid_counts, sizes_valid_counts},
	{compute_vision_multibox_prior, sizes_multibox_prior},
	{compute_vision_multibox_transform_loc, sizes_multibox_loc},
	{compute_vision_non_max_suppression, sizes_nms},
	{compute_vision_proposal, sizes_proposal},
	{compute_vision_regular_nms, sizes_regular_nms},
	{compute_vision_roi_align, sizes_regions},
	{compute_vision_roi_pool, sizes_regions},
	{compute_vision_yolo_reorg, sizes_yolo_reorg},
	{compute_where, broadcast},
};

/* Numbers of the type win; they must be what was computed. */
static bool
merge(struct te_call *c, int64_t *const *out)
{
	for (uint32_t i = 0; i < c->nout; i++)
		for (uint32_t d = 0; d < te_out_ndim(c, i); d++) {
			struct ir_dim t = c->out_type[i]->shape[d];

			if (!ir_dim_is_const(t))
				continue;
			if (!te_require_equal(c, out[i][d], t.value,
					      "a dimension of the result is "
					      "not what its type says"))
				return false;
			out[i][d] = t.value;
		}
	return true;
}

bool
te_output_sizes(struct te_call *c, int64_t *const *out)
{
	te_compute_fn *rule = te_compute_rule(c->op->id);

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].rule == rule)
			return table[i].sizes(c, out) && merge(c, out);
	return te_error(c, "cannot be compiled with unknown shapes yet");
}
