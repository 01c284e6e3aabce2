/*
 * Blocks, windows and gaps: operators that spread elements over other axes.
 */
#include "te/compute/computes.h"

/*
 * The index along an axis of N elements that is summed if axis D of the
 * result turns out to be 1.
 */
static const tir_expr *
maybe_summed(struct te_body *b, uint32_t d, int64_t n)
{
	struct te_call *c = b->call;
	const tir_expr *one = te_dim(c, 1), *to = te_dim(c, b->shape[d]);
	int64_t count = te_dim_of(
		c, te_select(c, te_cmp(c, TIR_EQ, to, one), te_dim(c, n), one));

	return te_add(c, te_fold_axis(b, "k", count), b->i[d]);
}

/* Axes that were broadcast are summed again: collapse_sum_like, _to. */
bool
compute_collapse_sum(struct te_call *c)
{
	const struct te_tensor *x = c->in[0];
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *index[TE_MAX_RANK];
	uint32_t extra = x->ndim - b->ndim;
	bool folds = false;

	for (uint32_t k = 0; k < x->ndim; k++) {
		int64_t to = k >= extra ? b->shape[k - extra] : 1;

		if (k >= extra && to == x->shape[k]) {
			index[k] = b->i[k - extra];
			continue;
		}
		if (te_is_size(to) || (te_is_size(x->shape[k]) && to != 1)) {
			index[k] = maybe_summed(b, k - extra, x->shape[k]);
			folds = true;
			continue;
		}
		index[k] = te_fold_axis(b, "k", x->shape[k]);
		folds = true;
	}
	if (!folds)
		return te_output(c, 0, te_end(b, te_get(c, x, index)));
	return te_output(c, 0, te_end_fold(b, TE_SUM, te_get(c, x, index)));
}

/* Vector K varies along one axis of the grid. */
bool
compute_meshgrid(struct te_call *c)
{
	bool xy = te_attr_string(c, "indexing")[0] == 'x' && c->nout > 1;

	for (uint32_t k = 0; k < c->nout; k++) {
		struct te_body *b = te_begin_out(c, NULL, k);
		uint32_t axis = xy && k < 2 ? 1 - k : k;
		const struct te_tensor *v = c->in[k];

		te_output(c, k,
			  te_end(b, v->ndim ? te_at(c, v, b->i[axis])
					    : te_get0(c, v)));
	}
	return true;
}

/* out[a.., w.., k..] = x[a.., w * stride + k..] */
bool
compute_sliding_window(struct te_call *c)
{
	const struct te_tensor *x = c->in[0];
	struct te_body *b = te_begin_out(c, NULL, 0);
	uint32_t axis =
		(uint32_t)te_axis_of(te_attr_int(c, "axis", 0), x->ndim);
	const tir_expr *index[TE_MAX_RANK];
	int64_t strides[TE_MAX_RANK];

	if (te_attr_ints(c, "strides", strides, TE_MAX_RANK) !=
	    (int)(x->ndim - axis))
		return te_error(c, "the strides do not fit the data");
	for (uint32_t k = 0; k < x->ndim; k++)
		index[k] =
			k < axis
				? b->i[k]
				: te_add(c,
					 te_muli(c, b->i[k], strides[k - axis]),
					 b->i[x->ndim + k - axis]);
	return te_output(c, 0, te_end(b, te_get(c, x, index)));
}

static const tir_expr *
both(struct te_call *c, const tir_expr *a, const tir_expr *b)
{
	return a ? te_and(c, a, b) : b;
}

/* Elements stand at multiples of the strides, a value between them. */
bool
compute_nn_dilate(struct te_call *c)
{
	const struct te_tensor *x = c->in[0];
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *index[TE_MAX_RANK], *hit = NULL, *v;
	int64_t strides[TE_MAX_RANK];

	if (te_attr_ints(c, "strides", strides, TE_MAX_RANK) != (int)x->ndim)
		return te_error(c, "the strides do not fit the data");
	for (uint32_t k = 0; k < x->ndim; k++) {
		index[k] = te_divi(c, b->i[k], strides[k]);
		if (strides[k] != 1)
			hit = both(c, hit,
				   te_cmp(c, TIR_EQ,
					  te_modi(c, b->i[k], strides[k]),
					  te_int(c, 0)));
	}
	v = te_get(c, x, index);
	if (hit)
		v = te_guard(c, hit, v,
			     te_lit(c, x->dtype,
				    te_attr_double(c, "dilation_value")));
	return te_output(c, 0, te_end(b, v));
}

/* Attribute NAME, N pairs, into OUT. */
static bool
pairs(struct te_call *c, const char *name, int n, int64_t (*out)[2])
{
	const ir_attr *a = ir_attrs_get(c->attrs, name);

	if (!a || a->kind != ATTR_ARRAY || (int)a->n != n)
		return te_error(c, "'%s' does not fit the blocks", name);
	for (int i = 0; i < n; i++)
		for (uint32_t k = 0; k < 2; k++)
			out[i][k] = ir_attr_elem_int(&a->elems[i], k);
	return true;
}

/* Batch entry block * N + n holds one pixel of each block. */
bool
compute_nn_space_to_batch_nd(struct te_call *c)
{
	const struct te_tensor *x = c->in[0];
	int64_t block[TE_MAX_RANK], pad[TE_MAX_RANK][2];
	int m = te_attr_ints(c, "block_shape", block, TE_MAX_RANK);
	const tir_expr *index[TE_MAX_RANK], *at[TE_MAX_RANK];
	const tir_expr *inside = NULL, *v;
	struct te_body *b;

	if (m < 0 || !pairs(c, "paddings", m, pad))
		return te_error(c, "the blocks do not fit the data");
	b = te_begin_out(c, NULL, 0);
	te_unflatten(c, te_divi(c, b->i[0], x->shape[0]), block, (uint32_t)m,
		     at);
	index[0] = te_modi(c, b->i[0], x->shape[0]);
	for (uint32_t k = 1; k < x->ndim; k++) {
		index[k] = b->i[k];
		if (k > (uint32_t)m)
			continue;
		index[k] = te_addi(
			c,
			te_add(c, te_muli(c, b->i[k], block[k - 1]), at[k - 1]),
			-pad[k - 1][0]);
		inside =
			both(c, inside, te_within(c, index[k], 0, x->shape[k]));
	}
	v = te_get(c, x, index);
	if (inside)
		v = te_guard(
			c, inside, v,
			te_lit(c, x->dtype, te_attr_double(c, "pad_value")));
	return te_output(c, 0, te_end(b, v));
}

bool
compute_nn_batch_to_space_nd(struct te_call *c)
{
	const struct te_tensor *x = c->in[0];
	int64_t block[TE_MAX_RANK], crop[TE_MAX_RANK][2];
	int m = te_attr_ints(c, "block_shape", block, TE_MAX_RANK);
	const tir_expr *index[TE_MAX_RANK], *at[TE_MAX_RANK];
	struct te_body *b;

	if (m < 0 || !pairs(c, "crops", m, crop))
		return te_error(c, "the blocks do not fit the data");
	b = te_begin_out(c, NULL, 0);
	for (uint32_t k = 1; k < x->ndim; k++) {
		index[k] = b->i[k];
		if (k > (uint32_t)m)
			continue;
		index[k] = te_addi(c, b->i[k], crop[k - 1][0]);
		at[k - 1] = te_modi(c, index[k], block[k - 1]);
		index[k] = te_divi(c, index[k], block[k - 1]);
	}
	index[0] = te_add(
		c,
		te_muli(c, te_flatten(c, at, block, (uint32_t)m), b->shape[0]),
		b->i[0]);
	return te_output(c, 0, te_end(b, te_get(c, x, index)));
}

/* The end of the buffer, then the data. */
bool
compute_nn_fifo_buffer(struct te_call *c)
{
	const struct te_tensor *x = c->in[0], *buffer = c->in[1];
	struct te_body *b = te_begin_out(c, NULL, 0);
	uint32_t axis =
		(uint32_t)te_axis_of(te_attr_int(c, "axis", 0), b->ndim);
	int64_t fresh = x->shape[axis];
	int64_t stay = te_dim_sub(c, buffer->shape[axis], fresh);
	const tir_expr *old[TE_MAX_RANK], *new[TE_MAX_RANK];

	for (uint32_t k = 0; k < b->ndim; k++)
		old[k] = new[k] = b->i[k];
	old[axis] = te_addi(c, b->i[axis], fresh);
	new[axis] = te_sub(c, b->i[axis], te_int(c, stay));
	return te_output(
		c, 0,
		te_end(b,
		       te_guard(c,
				te_cmp(c, TIR_LT, b->i[axis], te_int(c, stay)),
				te_get(c, buffer, old),
				te_guard(c,
					 te_cmp(c, TIR_GE, b->i[axis],
						te_int(c, stay)),
					 te_get(c, x, new),
					 te_zero(c, x->dtype)))));
}

/* Where diagonal D of a matrix of ROWS x COLS starts in its row of a band. */
static const tir_expr *
band_offset(struct te_call *c, const tir_expr *d, int64_t rows, int64_t cols,
	    int64_t longest)
{
	const tir_expr *zero = te_int(c, 0), *above, *below;

	above = te_min(c, te_sub(c, te_int(c, cols), d), te_int(c, rows));
	below = te_min(c, te_int(c, cols), te_addi(c, d, rows));
	above = te_attr_bool(c, "super_diag_right_align")
			? te_sub(c, te_int(c, longest), above)
			: zero;
	below = te_attr_bool(c, "sub_diag_right_align")
			? te_sub(c, te_int(c, longest), below)
			: zero;
	return te_select(c, te_cmp(c, TIR_GE, d, zero), above, below);
}

bool
compute_matrix_set_diag(struct te_call *c)
{
	const struct te_tensor *x = c->in[0], *diagonal = c->in[1];
	struct te_body *b = te_begin_out(c, NULL, 0);
	int64_t k1 = te_attr_int(c, "k1", 0), k2 = te_attr_int(c, "k2", 0);
	uint32_t n = x->ndim, last = diagonal->ndim - 1;
	const tir_expr *row = b->i[n - 2], *col = b->i[n - 1];
	const tir_expr *d = te_sub(c, col, row), *index[TE_MAX_RANK];

	for (uint32_t k = 0; k + 2 < n; k++)
		index[k] = b->i[k];
	index[last] =
		te_select(c, te_cmp(c, TIR_GE, d, te_int(c, 0)), row, col);
	if (k1 != k2) {
		index[last - 1] = te_sub(c, te_int(c, k2), d);
		index[last] = te_add(c, index[last],
				     band_offset(c, d, x->shape[n - 2],
						 x->shape[n - 1],
						 diagonal->shape[last]));
	}
	return te_output(c, 0,
			 te_end(b, te_guard(c, te_within(c, d, k1, k2 + 1),
					    te_get(c, diagonal, index),
					    te_get(c, x, b->i))));
}
