/* Operators that move blocks between channels, space and batch. */
#include <inttypes.h>

#include "ir/relations/common.h"

enum rel_result
rel_layout_transform(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct ir_layout from, to;
	struct rel_shape out;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_layout(r, "src_layout", NULL, &from) ||
	    !rel_layout(r, "dst_layout", NULL, &to))
		return REL_FAIL;
	if (!ir_layout_convertible(&from, &to))
		return rel_error_attr(
			r, "src_layout",
			"layout \"%s\" can't be converted to \"%s\"",
			ir_attrs_string(r->attrs, "src_layout"),
			ir_attrs_string(r->attrs, "dst_layout"));
	if (!rel_check_rank(r, 0, data, from.n))
		return REL_FAIL;
	out = rel_new_shape(r, to.n);
	if (!ir_layout_convert(&from, &to, data->shape, out.at))
		return rel_error_at(r, 0, "%s is too large",
				    rel_show_arg(r, 0));
	return rel_finish(r, data->dtype, &out);
}

static bool
block_size(struct rel *r, int64_t *block)
{
	*block = ir_attrs_int(r->attrs, "block_size", 1);
	if (*block >= 1 && *block <= INT32_MAX / 4)
		return true;
	rel_error(r,
		  "attribute 'block_size' must be positive, but is "
		  "%" PRId64,
		  *block);
	return false;
}

/* The data as NCHW, and the layout to go back. */
static bool
as_nchw(struct rel *r, const struct ir_tensor_type *data, struct ir_layout *l,
	struct rel_shape *out)
{
	return rel_layout_like(r, "layout", NULL, "NCHW", l) &&
	       rel_to_canon(r, 0, data, l, "NCHW", out);
}

enum rel_result
rel_depth_to_space(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct ir_layout l;
	struct rel_shape s, out;
	int64_t b;

	if (!data)
		return rel_wait(r, 0);
	if (!block_size(r, &b) || !as_nchw(r, data, &l, &s))
		return REL_FAIL;
	s.at[1] = ir_dim_div(s.at[1], b * b);
	if (!rel_mul(r, s.at[2], DIM(b), &s.at[2]) ||
	    !rel_mul(r, s.at[3], DIM(b), &s.at[3]) ||
	    !rel_from_canon(r, &s, "NCHW", &l, &out))
		return REL_FAIL;
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_space_to_depth(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct ir_layout l;
	struct rel_shape s, out;
	int64_t b;

	if (!data)
		return rel_wait(r, 0);
	if (!block_size(r, &b) || !as_nchw(r, data, &l, &s))
		return REL_FAIL;
	s.at[2] = ir_dim_div(s.at[2], b);
	s.at[3] = ir_dim_div(s.at[3], b);
	if (!rel_mul(r, s.at[1], DIM(b * b), &s.at[1]) ||
	    !rel_from_canon(r, &s, "NCHW", &l, &out))
		return REL_FAIL;
	return rel_finish(r, data->dtype, &out);
}

/* "block_shape", and as many pairs in ATTR. */
static bool
read_blocks(struct rel *r, const struct ir_tensor_type *data, const char *attr,
	    struct rel_ints *block, int64_t (**pairs)[2])
{
	if (!rel_ints(r, "block_shape", block))
		return false;
	if (data->ndim < 2 || block->n + 1 > data->ndim) {
		rel_error_attr(r, "block_shape",
			       "%" PRIu32 " blocks don't fit %s", block->n,
			       rel_show(r, &data->base));
		return false;
	}
	for (uint32_t i = 0; i < block->n; i++)
		if (block->at[i] < 1) {
			rel_error_attr(r, "block_shape",
				       "a block must be positive, but is "
				       "%" PRId64,
				       block->at[i]);
			return false;
		}
	*pairs = arena_array(r->scratch, block->n, sizeof(**pairs));
	return rel_pairs(r, attr, block->n, 0, *pairs);
}

enum rel_result
rel_space_to_batch_nd(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	int64_t(*pad)[2];
	struct rel_ints block;
	struct rel_shape out;

	if (!data)
		return rel_wait(r, 0);
	if (!read_blocks(r, data, "paddings", &block, &pad))
		return REL_FAIL;
	out = rel_copy_shape(r, data);
	for (uint32_t i = 0; i < block.n; i++) {
		struct ir_dim d =
			ir_dim_add(out.at[i + 1], DIM(pad[i][0] + pad[i][1]));

		if (ir_dim_is_const(d) && d.value % block.at[i] != 0)
			return rel_error_attr(r, "block_shape",
					      "padded extent %" PRId64
					      " is no multiple of %" PRId64,
					      d.value, block.at[i]);
		out.at[i + 1] = ir_dim_div(d, block.at[i]);
		if (!rel_mul(r, out.at[0], DIM(block.at[i]), &out.at[0]))
			return REL_FAIL;
	}
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_batch_to_space_nd(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	int64_t(*crop)[2];
	struct rel_ints block;
	struct rel_shape out;

	if (!data)
		return rel_wait(r, 0);
	if (!read_blocks(r, data, "crops", &block, &crop))
		return REL_FAIL;
	out = rel_copy_shape(r, data);
	for (uint32_t i = 0; i < block.n; i++) {
		struct ir_dim *d = &out.at[i + 1];

		out.at[0] = ir_dim_div(out.at[0], block.at[i]);
		if (!rel_mul(r, *d, DIM(block.at[i]), d))
			return REL_FAIL;
		*d = ir_dim_sub(*d, DIM(crop[i][0] + crop[i][1]));
	}
	return rel_finish(r, data->dtype, &out);
}

/* Channels times s * s, height and width over s. */
enum rel_result
rel_yolo_reorg(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	int64_t s = ir_attrs_int(r->attrs, "stride", 1);
	struct rel_shape out;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_check_rank(r, 0, data, 4))
		return REL_FAIL;
	if (s < 1 || s > INT32_MAX / 4)
		return rel_error(r,
				 "attribute 'stride' must be positive, but "
				 "is %" PRId64,
				 s);
	out = rel_copy_shape(r, data);
	out.at[2] = ir_dim_div(out.at[2], s);
	out.at[3] = ir_dim_div(out.at[3], s);
	if (!rel_mul(r, out.at[1], DIM(s * s), &out.at[1]))
		return REL_FAIL;
	return rel_finish(r, data->dtype, &out);
}

/* (n, c, ...) with fresh data behind what stays. */
enum rel_result
rel_fifo_buffer(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const struct ir_tensor_type *buffer = rel_tensor(r, 1);
	uint32_t axis;

	if (!data)
		return rel_wait(r, 0);
	if (!buffer)
		return rel_wait(r, 1);
	if (!rel_check_rank(r, 1, buffer, data->ndim) ||
	    !rel_same_dtype(r, 0, data, 1, buffer) ||
	    !rel_axis_attr(r, "axis", data->ndim, &axis))
		return REL_FAIL;
	for (uint32_t i = 0; i < data->ndim; i++) {
		struct ir_dim d = data->shape[i], b = buffer->shape[i];
		bool both = ir_dim_is_const(d) && ir_dim_is_const(b);

		if (i == axis ? both && d.value >= b.value
			      : !ir_dim_may_equal(d, b))
			return rel_error_at(r, 1, "%s does not fit into %s",
					    rel_show_arg(r, 0),
					    rel_show_arg(r, 1));
	}
	return rel_assign(r, &buffer->base);
}

/* One axis of the diagonal is as long as the longest of the band. */
static bool
check_diagonal(struct rel *r, const struct ir_tensor_type *in,
	       const struct ir_tensor_type *diagonal, int64_t k1, int64_t k2)
{
	struct ir_dim rows = in->shape[in->ndim - 2];
	struct ir_dim cols = in->shape[in->ndim - 1];
	uint32_t rank = k1 == k2 ? in->ndim - 1 : in->ndim;
	bool ok = diagonal->ndim == rank;
	int64_t a, b;

	for (uint32_t i = 0; ok && i + 2 < in->ndim; i++)
		ok = ir_dim_may_equal(in->shape[i], diagonal->shape[i]);
	if (ok && k1 != k2)
		ok = ir_dim_may_equal(diagonal->shape[rank - 2],
				      DIM(k2 - k1 + 1));
	if (ok && ir_dim_is_const(rows) && ir_dim_is_const(cols)) {
		a = rows.value + (k2 < 0 ? k2 : 0);
		b = cols.value - (k1 > 0 ? k1 : 0);
		ok = ir_dim_may_equal(diagonal->shape[rank - 1],
				      DIM(a < b ? a : b));
	}
	if (!ok)
		rel_error_at(r, 1,
			     "diagonals %" PRId64 " to %" PRId64
			     " of %s are not %s",
			     k1, k2, rel_show_arg(r, 0), rel_show_arg(r, 1));
	return ok;
}

enum rel_result
rel_matrix_set_diag(struct rel *r)
{
	const struct ir_tensor_type *in = rel_tensor(r, 0);
	const struct ir_tensor_type *diagonal = rel_tensor(r, 1);
	int64_t k1 = ir_attrs_int(r->attrs, "k1", 0);
	int64_t k2 = ir_attrs_int(r->attrs, "k2", 0);

	if (!in)
		return rel_wait(r, 0);
	if (!diagonal)
		return rel_wait(r, 1);
	if (in->ndim < 2)
		return rel_error_at(r, 0,
				    "'input' must have rank 2 at least, but "
				    "is %s",
				    rel_show_arg(r, 0));
	if (k1 > k2)
		return rel_error(r, "attribute 'k1' must not be above 'k2'");
	if (!rel_same_dtype(r, 0, in, 1, diagonal) ||
	    !check_diagonal(r, in, diagonal, k1, k2))
		return REL_FAIL;
	return rel_assign(r, &in->base);
}
