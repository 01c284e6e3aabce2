/*
 * Sizes of results of operators that no family fits: sums by letters, blocks
 * of batches, sparse matrices, packed weights, boxes.
 */
#include <string.h>

#include "te/compute/computes.h"
#include "te/compute/routine.h"
#include "te/compute/sizes.h"

/* Entry K of an array of pairs; false after reporting. */
static bool
pair_at(struct te_call *c, const char *name, uint32_t k, int64_t out[2])
{
	const ir_attr *a = ir_attrs_get(c->attrs, name);

	if (!a || a->kind != ATTR_ARRAY || k >= a->n ||
	    a->elems[k].kind != ATTR_ARRAY || a->elems[k].n != 2)
		return sizes_refuse(c, name);
	out[0] = a->elems[k].elems[0].i;
	out[1] = a->elems[k].elems[1].i;
	return true;
}

bool
sizes_space_to_batch(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t block[TE_MAX_RANK], pad[2];
	int m = te_attr_ints(c, "block_shape", block, TE_MAX_RANK);

	sizes_copy(out[0], x);
	for (int k = 0; k < m; k++) {
		int64_t n;

		if (!pair_at(c, "paddings", (uint32_t)k, pad))
			return false;
		n = te_dim_add(c, x->shape[k + 1], pad[0] + pad[1]);
		out[0][0] = te_dim_mul(c, out[0][0], block[k]);
		out[0][k + 1] = te_dim_div(c, n, block[k]);
	}
	return true;
}

bool
sizes_batch_to_space(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t block[TE_MAX_RANK], crop[2], all = 1;
	int m = te_attr_ints(c, "block_shape", block, TE_MAX_RANK);

	sizes_copy(out[0], x);
	for (int k = 0; k < m; k++) {
		const tir_expr *n;

		if (!pair_at(c, "crops", (uint32_t)k, crop))
			return false;
		if (__builtin_mul_overflow(all, block[k], &all))
			return te_error(c, "the blocks are too large");
		n = te_muli(c, te_dim(c, x->shape[k + 1]), block[k]);
		n = te_addi(c, n, -crop[0] - crop[1]);
		out[0][k + 1] = te_dim_of(c, n);
		if (!te_require(c, te_cmp(c, TIR_GE, n, te_dim(c, 0)),
				x->shape[k + 1], crop[0] + crop[1],
				"more is cut off than there is"))
			return false;
	}
	out[0][0] = te_dim_div(c, x->shape[0], all);
	return true;
}

bool
sizes_collapse(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	uint32_t ndim = te_out_ndim(c, 0), extra = x->ndim - ndim;

	for (uint32_t d = 0; d < ndim; d++) {
		struct ir_dim t = c->out_type[0]->shape[d];
		const tir_expr *ok;

		if (c->op->id == OP_collapse_sum_like)
			out[0][d] = c->in[1]->shape[d];
		else if (ir_dim_is_const(t))
			out[0][d] = t.value;
		else
			return sizes_refuse(c, "the shape");
		ok = te_or(
			c,
			te_cmp(c, TIR_EQ, te_dim(c, out[0][d]), te_dim(c, 1)),
			te_cmp(c, TIR_EQ, te_dim(c, out[0][d]),
			       te_dim(c, x->shape[extra + d])));
		if (!te_require(c, ok, x->shape[extra + d], out[0][d],
				"the data cannot be summed to the shape"))
			return false;
	}
	return true;
}

bool
sizes_adv_index(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	uint32_t n = c->nin - 1, ndim = te_out_ndim(c, 0) + n - x->ndim;

	for (uint32_t d = 0; d < ndim; d++)
		out[0][d] = 1;
	for (uint32_t i = 1; i <= n; i++) {
		const struct te_tensor *t = c->in[i];
		int64_t *to = out[0] + (ndim - t->ndim);

		for (uint32_t d = 0; d < t->ndim; d++)
			if (!sizes_broadcast(c, to[d], t->shape[d], &to[d]))
				return false;
	}
	for (uint32_t d = n; d < x->ndim; d++)
		out[0][ndim + d - n] = x->shape[d];
	return true;
}

bool
sizes_meshgrid(struct te_call *c, int64_t *const *out)
{
	bool xy = te_attr_string(c, "indexing")[0] == 'x' && c->nout > 1;

	for (uint32_t k = 0; k < c->nout; k++)
		for (uint32_t d = 0; d < c->nin; d++) {
			uint32_t i = xy && d < 2 ? 1 - d : d;

			out[k][d] = c->in[i]->ndim ? c->in[i]->shape[0] : 1;
		}
	return true;
}

bool
sizes_sliding_window(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	uint32_t axis =
		(uint32_t)te_axis_of(te_attr_int(c, "axis", 0), x->ndim);

	sizes_copy(out[0], x);
	for (uint32_t d = axis; d < x->ndim; d++) {
		int k = (int)(d - axis);
		struct sizes_window w = {
			.size = sizes_number(c, "window_shape", k, 1),
			.stride = sizes_number(c, "strides", k, 1),
			.dilation = 1,
		};

		out[0][x->ndim + d - axis] = w.size;
		if (!sizes_slide(c, x->shape[d], &w, &out[0][d]))
			return false;
	}
	return true;
}

bool
sizes_dilate(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];

	for (uint32_t d = 0; d < x->ndim; d++) {
		const tir_expr *n = te_addi(c, te_dim(c, x->shape[d]), -1);

		n = te_muli(c, n, sizes_number(c, "strides", (int)d, 1));
		out[0][d] =
			te_dim_of(c, te_max(c, te_addi(c, n, 1), te_dim(c, 0)));
	}
	return true;
}

/* The buffer's shape; the data differs along the axis only. */
bool
sizes_fifo(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0], *buffer = c->in[1];
	int64_t axis = te_axis_of(te_attr_int(c, "axis", 0), buffer->ndim);
	int64_t want[TE_MAX_RANK];

	sizes_copy(out[0], buffer);
	sizes_copy(want, buffer);
	want[axis] = -1;
	return te_expect_shape(c, 0, want, buffer->ndim) &&
	       te_require(c,
			  te_cmp(c, TIR_LT, te_dim(c, x->shape[axis]),
				 te_dim(c, buffer->shape[axis])),
			  x->shape[axis], buffer->shape[axis],
			  "the data does not fit into the buffer");
}

bool
sizes_matrix_set_diag(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0], *diagonal = c->in[1];
	int64_t k1 = te_attr_int(c, "k1", 0), k2 = te_attr_int(c, "k2", 0);
	uint32_t n = x->ndim, last = diagonal->ndim - 1;
	const tir_expr *rows, *cols, *longest;
	int64_t want[TE_MAX_RANK];

	sizes_copy(out[0], x);
	sizes_copy(want, x);
	rows = te_addi(c, te_dim(c, x->shape[n - 2]), k2 < 0 ? k2 : 0);
	cols = te_addi(c, te_dim(c, x->shape[n - 1]), k1 > 0 ? -k1 : 0);
	longest = te_max(c, te_min(c, rows, cols), te_dim(c, 0));
	want[last] = te_dim_of(c, longest);
	if (k1 != k2)
		want[last - 1] = k2 - k1 + 1;
	return te_expect_shape(c, 1, want, diagonal->ndim);
}

bool
sizes_searchsorted(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *sorted = c->in[0], *values = c->in[1];

	sizes_copy(out[0], values);
	for (uint32_t d = 0; d + 1 < sorted->ndim; d++)
		if (!te_require_equal(c, sorted->shape[d], values->shape[d],
				      "the values differ from the sequences in "
				      "an outer axis"))
			return false;
	return true;
}

/* A shape of N extents. */
static bool
is_rank(struct te_call *c, int64_t n)
{
	return te_require(
		c, te_cmp(c, TIR_LE, te_dim(c, n), te_dim(c, TE_MAX_RANK)), n,
		TE_MAX_RANK, "the shape is too long");
}

bool
sizes_unravel_index(struct te_call *c, int64_t *const *out)
{
	out[0][0] = c->in[1]->shape[0];
	if (c->in[0]->ndim)
		out[0][1] = c->in[0]->shape[0];
	return is_rank(c, out[0][0]);
}

/* Two lists: places, and the new shape. */
bool
sizes_sparse_reshape(struct te_call *c, int64_t *const *out)
{
	for (uint32_t i = 1; i < 3; i++)
		if (!is_rank(c, c->in[i]->shape[0]))
			return false;
	out[0][0] = c->in[0]->shape[0];
	out[0][1] = out[1][0] = c->in[2]->shape[0];
	return te_require_equal(c, c->in[0]->shape[1], c->in[1]->shape[0],
				"the places do not fit the shape");
}

bool
sizes_stft(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t n = te_attr_int(c, "n_fft", -1);
	int64_t len = te_attr_int(c, "win_length", -1);
	struct sizes_window w = {
		.size = n,
		.stride = te_attr_int(c, "hop_length", -1),
		.dilation = 1,
	};
	uint32_t k = 0;

	if (x->ndim == 2)
		out[0][k++] = x->shape[0];
	out[0][k++] = te_attr_bool(c, "onesided") ? n / 2 + 1 : n;
	out[0][k + 1] = 2;
	len = len < 0 ? n : len;
	return te_require(c,
			  te_cmp(c, TIR_GE, te_dim(c, c->in[1]->shape[0]),
				 te_dim(c, len)),
			  c->in[1]->shape[0], len, "the window does not fit") &&
	       sizes_slide(c, x->shape[x->ndim - 1], &w, &out[0][k]);
}

bool
sizes_dft(struct te_call *c, int64_t *const *out)
{
	sizes_copy(out[0], c->in[0]);
	sizes_copy(out[1], c->in[0]);
	return te_expect_shape(c, 1, c->in[0]->shape, c->in[0]->ndim);
}

/* Samples instead of the last axis. */
bool
sizes_multinomial(struct te_call *c, int64_t *const *out)
{
	out[0][0] = 10;
	sizes_copy(out[1], c->in[1]);
	out[1][c->in[1]->ndim - 1] = te_attr_int(c, "num_samples", 1);
	return true;
}

/* All entries of the second, third, ... input lie along the axis, or one. */
bool
sizes_along_axis(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t axis = te_axis_of(te_attr_int(c, "axis", -1), x->ndim);

	for (uint32_t i = 0; i < c->nout; i++)
		sizes_copy(out[i], x);
	for (uint32_t i = 1; i < c->nin && x->ndim; i++) {
		const struct te_tensor *t = c->in[i];
		const tir_expr *n, *ok;

		if (t->ndim != 1 || !te_is_size(t->shape[0]))
			continue;
		n = te_dim(c, t->shape[0]);
		ok = te_or(c, te_cmp(c, TIR_EQ, n, te_dim(c, 1)),
			   te_cmp(c, TIR_EQ, n, te_dim(c, x->shape[axis])));
		if (!te_require(c, ok, t->shape[0], x->shape[axis],
				"there are not as many scales as channels"))
			return false;
	}
	return true;
}

/* Inputs 1 and on have the axes that the attribute names. */
bool
sizes_per_axis(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t axes[TE_MAX_RANK], want[TE_MAX_RANK];
	int n = te_attr_ints(c, "axes", axes, TE_MAX_RANK);

	sizes_copy(out[0], x);
	for (int k = 0; k < n; k++)
		want[k] = x->shape[te_axis_of(axes[k], x->ndim)];
	for (uint32_t i = 1; i < 4; i++)
		if (c->in[i]->ndim &&
		    !te_expect_shape(c, i, want, (uint32_t)(n < 0 ? 0 : n)))
			return false;
	return true;
}

bool
sizes_cross_entropy(struct te_call *c, int64_t *const *out)
{
	(void)out;
	return te_expect_shape(c, 1, c->in[0]->shape, c->in[0]->ndim);
}

/* Predictions have an axis of classes behind the batch. */
bool
sizes_nll_loss(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0], *target = c->in[1];
	int64_t want[TE_MAX_RANK];

	want[0] = x->shape[0];
	for (uint32_t d = 2; d < x->ndim; d++)
		want[d - 1] = x->shape[d];
	if (strcmp(te_attr_string(c, "reduction"), "none") == 0)
		sizes_copy(out[0], target);
	return te_expect_shape(c, 1, want, x->ndim - 1) &&
	       te_expect_shape(c, 2, &x->shape[1], 1);
}

bool
sizes_affine_grid(struct te_call *c, int64_t *const *out)
{
	const int64_t want[] = {-1, 2, 3};

	out[0][0] = c->in[0]->shape[0];
	out[0][1] = 2;
	for (int k = 0; k < 2; k++)
		out[0][2 + k] = sizes_number(c, "target_shape", k, 1);
	return te_expect_shape(c, 0, want, 3);
}

bool
sizes_grid_sample(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0], *grid = c->in[1];

	sizes_copy(out[0], grid);
	out[0][0] = x->shape[0];
	out[0][1] = x->shape[1];
	return true;
}

bool
sizes_bitpack(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t pack = te_attr_int(c, "pack_axis", 1);
	int64_t plane = te_attr_int(c, "bit_axis", -1);
	uint32_t n = 0;

	for (int64_t d = 0; d <= x->ndim; d++) {
		if (d == plane)
			out[0][n++] = te_attr_int(c, "bits", 1);
		if (d < x->ndim)
			out[0][n++] =
				d == pack ? te_dim_div(c, x->shape[d],
						       te_out_dtype(c, 0).bits)
					  : x->shape[d];
	}
	return true;
}

bool
sizes_bitserial_dense(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0], *w = c->in[1];

	sizes_copy(out[0], x);
	out[0][x->ndim - 1] = te_attr_int(c, "units", 0);
	return w->ndim == 2 && x->ndim == 2
		       ? te_require_equal(c, w->shape[0], out[0][1],
					  "there are other rows of weights") &&
				 te_require_equal(c, w->shape[1], x->shape[1],
						  "the rows differ in length")
		       : te_error(c, "data and weights must have rank 2");
}

/* Weights in tiles of units, elements of a row in the second axis. */
bool
sizes_dense_pack(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0], *w = c->in[1];

	out[0][0] = x->shape[0];
	out[0][1] = te_dim_mul(c, w->shape[0], w->shape[2]);
	return true;
}

/* HWIO weights, as tiles: see compute_nn_gemm_weight. */
bool
sizes_gemm_weight(struct te_call *c, int64_t *const *out)
{
	const int64_t *w = c->in[0]->shape;
	int64_t n = te_attr_int(c, "tile_N", 1),
		k = te_attr_int(c, "tile_K", 1);
	bool bytes = c->in[0]->dtype.bits == 8;
	int64_t rows = te_dim_mul(c, te_dim_mul(c, w[0], w[1]), w[2]);

	out[0][0] = te_dim_div(c, te_dim_add(c, w[3], n - 1), n);
	rows = te_dim_div(c, te_dim_add(c, rows, 4 * k - 1), 4 * k);
	out[0][1] = te_dim_mul(c, rows, 4);
	out[0][2] = bytes ? n : k;
	out[0][3] = bytes ? k : n;
	return true;
}

/* Kernels must be known: they say what the transform is. */
bool
sizes_winograd_weight(struct te_call *c, int64_t *const *out)
{
	const int64_t *w = c->in[0]->shape;
	uint32_t n = c->in[0]->ndim;

	for (uint32_t d = 2; d < n; d++)
		if (te_is_size(w[d]))
			return sizes_refuse(c, "the kernel");
	for (uint32_t d = 0; d + 2 < n; d++)
		out[0][d] = c->out_type[0]->shape[d].value;
	out[0][n - 2] = w[0];
	out[0][n - 1] = w[1];
	return true;
}

bool
sizes_nnpack_weight(struct te_call *c, int64_t *const *out)
{
	const int64_t want[] = {-1, -1, 3, 3};

	out[0][0] = c->in[0]->shape[0];
	out[0][1] = c->in[0]->shape[1];
	out[0][2] = out[0][3] = 8;
	return te_expect_shape(c, 0, want, 4);
}

/* The rows of the sparse matrix whose data is input I. */
static int64_t
sparse_rows(struct te_call *c, uint32_t i)
{
	const struct te_tensor *data = c->in[i], *start = c->in[i + 2];
	int64_t rows = te_dim_sub(c, start->shape[0], 1);

	return data->ndim == 3 ? te_dim_mul(c, rows, data->shape[1]) : rows;
}

/* Row starts are there, and as many columns as elements. */
static bool
is_sparse(struct te_call *c, uint32_t i)
{
	return te_require(c,
			  te_cmp(c, TIR_GE, te_dim(c, c->in[i + 2]->shape[0]),
				 te_dim(c, 1)),
			  c->in[i + 2]->shape[0], 1,
			  "a sparse matrix has no row starts") &&
	       te_require_equal(c, c->in[i]->shape[0], c->in[i + 1]->shape[0],
				"a sparse matrix has not as many columns as "
				"elements");
}

bool
sizes_sparse_dense(struct te_call *c, int64_t *const *out)
{
	bool left = te_attr_bool(c, "sparse_lhs");

	out[0][left ? 0 : 1] = sparse_rows(c, 1);
	out[0][left ? 1 : 0] = c->in[0]->shape[0];
	return is_sparse(c, 1);
}

bool
sizes_sparse_conv(struct te_call *c, int64_t *const *out)
{
	sizes_copy(out[0], c->in[0]);
	out[0][strcmp(te_attr_string(c, "layout"), "NHWC") ? 1 : 3] =
		sparse_rows(c, 1);
	return is_sparse(c, 1);
}

bool
sizes_sparse_add(struct te_call *c, int64_t *const *out)
{
	sizes_copy(out[0], c->in[0]);
	return is_sparse(c, 1);
}

bool
sizes_sparse_transpose(struct te_call *c, int64_t *const *out)
{
	for (uint32_t i = 0; i < 3; i++)
		sizes_copy(out[i], c->in[i]);
	return is_sparse(c, 0);
}

bool
sizes_all_class_nms(struct te_call *c, int64_t *const *out)
{
	const int64_t *scores = c->in[1]->shape;
	int64_t each = te_dim_mul(c, scores[1], c->in[0]->shape[1]);

	if (strcmp(te_attr_string(c, "output_format"), "onnx") == 0) {
		out[0][0] = te_dim_mul(c, scores[0], each);
		out[0][1] = 3;
		out[1][0] = 1;
		return true;
	}
	out[0][0] = out[1][0] = out[2][0] = scores[0];
	out[0][1] = out[1][1] = each;
	out[0][2] = 2;
	return true;
}

bool
sizes_regular_nms(struct te_call *c, int64_t *const *out)
{
	int64_t n = te_attr_int(c, "max_detections", 0);

	for (uint32_t i = 0; i < 4; i++)
		out[i][0] = c->in[0]->shape[0];
	out[0][1] = out[1][1] = out[2][1] = n;
	out[0][2] = 4;
	return te_require(c,
			  te_cmp(c, TIR_LE,
				 te_dim(c, te_attr_int(c, "num_classes", 0)),
				 te_dim(c, c->in[1]->shape[2])),
			  te_attr_int(c, "num_classes", 0), c->in[1]->shape[2],
			  "there are no scores for so many classes");
}

bool
sizes_multibox_prior(struct te_call *c, int64_t *const *out)
{
	const ir_attr *sizes = ir_attrs_get(c->attrs, "sizes");
	const ir_attr *ratios = ir_attrs_get(c->attrs, "ratios");
	const int64_t *x = c->in[0]->shape;

	if (!sizes || !ratios)
		return sizes_refuse(c, "the anchors");
	out[0][0] = 1;
	out[0][1] = te_dim_mul(c, te_dim_mul(c, x[2], x[3]),
			       (int64_t)sizes->n + ratios->n - 1);
	out[0][2] = 4;
	return true;
}

bool
sizes_multibox_loc(struct te_call *c, int64_t *const *out)
{
	const int64_t *x = c->in[0]->shape;

	out[0][0] = out[1][0] = x[0];
	out[0][1] = x[2];
	out[0][2] = 6;
	return true;
}

bool
sizes_proposal(struct te_call *c, int64_t *const *out)
{
	out[0][0] = te_dim_mul(c, c->in[0]->shape[0],
			       te_attr_int(c, "rpn_post_nms_top_n", 300));
	out[0][1] = 5;
	return true;
}

bool
sizes_yolo_reorg(struct te_call *c, int64_t *const *out)
{
	const int64_t *x = c->in[0]->shape;
	int64_t s = te_attr_int(c, "stride", 1);

	if (s < 1 || s > 65535)
		return te_error(c, "the stride must be positive");
	out[0][0] = x[0];
	out[0][1] = te_dim_mul(c, x[1], s * s);
	out[0][2] = te_dim_div(c, x[2], s);
	out[0][3] = te_dim_div(c, x[3], s);
	return true;
}
