/*
 * Operators whose shape is in a tensor: extents that it decides are unknown,
 * the rank is its length, which must be known.
 */
#include <inttypes.h>

#include "ir/relations/common.h"

static void
forget(struct rel_shape *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		s->at[i] = DIM_UNKNOWN;
}

/* The data, and a shape as input AT. */
static enum rel_result
data_and_shape(struct rel *r, uint32_t at, const struct ir_tensor_type **data,
	       struct rel_shape *out)
{
	*data = rel_tensor(r, 0);
	if (!*data)
		return rel_wait(r, 0);
	if (!rel_tensor(r, at))
		return rel_wait(r, at);
	return rel_shape_of_input(r, at, out) ? REL_DONE : REL_FAIL;
}

enum rel_result
rel_dyn_reshape(struct rel *r)
{
	const struct ir_tensor_type *data;
	struct rel_shape out;
	enum rel_result ok = data_and_shape(r, 1, &data, &out);

	return ok == REL_DONE ? rel_finish(r, data->dtype, &out) : ok;
}

enum rel_result
rel_dyn_broad_cast_to(struct rel *r)
{
	const struct ir_tensor_type *data;
	struct rel_shape out;
	enum rel_result ok = data_and_shape(r, 1, &data, &out);

	if (ok != REL_DONE)
		return ok;
	if (out.n < data->ndim)
		return rel_error_at(r, 0, "%u axes can't be broadcast to %u",
				    data->ndim, out.n);
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_dyn_full(struct rel *r)
{
	const struct ir_tensor_type *fill;
	struct rel_shape out;
	enum rel_result ok = data_and_shape(r, 1, &fill, &out);

	if (ok != REL_DONE)
		return ok;
	if (!rel_check_rank(r, 0, fill, 0))
		return REL_FAIL;
	return rel_finish(r, rel_dtype(r, "dtype", fill->dtype), &out);
}

enum rel_result
rel_dyn_init_op(struct rel *r)
{
	const struct ir_tensor_type *shape;
	struct dtype t = ir_attrs_dtype(r->attrs, "dtype");
	struct rel_shape out;
	enum rel_result ok = data_and_shape(r, 0, &shape, &out);

	if (ok != REL_DONE)
		return ok;
	if (dtype_is_void(t))
		return rel_error(r, "attribute 'dtype' must be given");
	return rel_finish(r, t, &out);
}

enum rel_result
rel_dyn_tile(struct rel *r)
{
	const struct ir_tensor_type *data;
	struct rel_shape out;
	enum rel_result ok = data_and_shape(r, 1, &data, &out);

	if (ok != REL_DONE)
		return ok;
	if (out.n < data->ndim)
		out = rel_new_shape(r, data->ndim);
	forget(&out);
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_dyn_strided_slice(struct rel *r)
{
	const struct ir_tensor_type *data;
	struct rel_shape begin, other, out;
	enum rel_result ok = data_and_shape(r, 1, &data, &begin);

	if (ok != REL_DONE)
		return ok;
	for (uint32_t i = 2; i < 4; i++) {
		ok = data_and_shape(r, i, &data, &other);
		if (ok != REL_DONE)
			return ok;
		if (other.n != begin.n)
			return rel_error(r, "'begin', 'end' and 'strides' "
					    "must have one length");
	}
	if (begin.n > data->ndim)
		return rel_error_at(r, 0, "there are more cuts than axes in %s",
				    rel_show_arg(r, 0));
	out = rel_copy_shape(r, data);
	for (uint32_t i = 0; i < begin.n; i++)
		out.at[i] = DIM_UNKNOWN;
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_dyn_one_hot(struct rel *r)
{
	const struct ir_tensor_type *index = rel_tensor(r, 0);
	const struct ir_tensor_type *on = rel_tensor(r, 1);
	struct rel_shape out;

	if (!index)
		return rel_wait(r, 0);
	if (!on)
		return rel_wait(r, 1);
	if (!rel_one_hot_shape(r, DIM_UNKNOWN, &out))
		return REL_FAIL;
	return rel_finish(r, rel_dtype(r, "dtype", on->dtype), &out);
}

enum rel_result
rel_dyn_top_k(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct ir_dim k = DIM_UNKNOWN;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_tensor(r, 1))
		return rel_wait(r, 1);
	return rel_finish_top_k(r, data, &k);
}

/* Pairs of widths, one for each axis. */
enum rel_result
rel_dyn_pad(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const struct ir_tensor_type *width = rel_tensor(r, 1);
	struct rel_shape out;

	if (!data)
		return rel_wait(r, 0);
	if (!width)
		return rel_wait(r, 1);
	if (!rel_check_rank(r, 1, width, 2))
		return REL_FAIL;
	if (!ir_dim_may_equal(width->shape[0], DIM(data->ndim)) ||
	    !ir_dim_may_equal(width->shape[1], DIM(2)))
		return rel_error_at(r, 0, "widths %s don't fit %s",
				    rel_show_arg(r, 1), rel_show_arg(r, 0));
	out = rel_copy_shape(r, data);
	forget(&out);
	return rel_finish(r, data->dtype, &out);
}

/* Spatial extents of the layout CANON are unknown. */
static enum rel_result
resampled(struct rel *r, const char *canon)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct rel_shape s, out;
	struct ir_layout l;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_layout_like(r, "layout", NULL, canon, &l) ||
	    !rel_to_canon(r, 0, data, &l, canon, &s))
		return REL_FAIL;
	for (uint32_t i = 2; i < s.n; i++)
		s.at[i] = DIM_UNKNOWN;
	if (!rel_from_canon(r, &s, canon, &l, &out))
		return REL_FAIL;
	return rel_finish(r, rel_dtype(r, "out_dtype", data->dtype), &out);
}

enum rel_result
rel_dyn_up_sampling(struct rel *r)
{
	return resampled(r, "NCHW");
}

enum rel_result
rel_dyn_up_sampling3d(struct rel *r)
{
	return resampled(r, "NCDHW");
}

enum rel_result
rel_dyn_resize2d(struct rel *r)
{
	return resampled(r, "NCHW");
}

enum rel_result
rel_dyn_expand_dims(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	int64_t n = ir_attrs_int(r->attrs, "num_newaxis", 1);
	struct rel_shape out;

	if (!data)
		return rel_wait(r, 0);
	if (n < 0 || n > 4096)
		return rel_error(r,
				 "attribute 'num_newaxis' must not be "
				 "%" PRId64,
				 n);
	out = rel_new_shape(r, data->ndim + (uint32_t)n);
	forget(&out);
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_dyn_squeeze(struct rel *r)
{
	const struct ir_tensor_type *data;
	struct rel_shape axes, out;
	enum rel_result ok = data_and_shape(r, 1, &data, &axes);

	if (ok != REL_DONE)
		return ok;
	if (axes.n > data->ndim)
		return rel_error_at(r, 0,
				    "%" PRIu32 " axes are more than %s has",
				    axes.n, rel_show_arg(r, 0));
	out = rel_new_shape(r, data->ndim - axes.n);
	forget(&out);
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_dyn_sparse_to_dense(struct rel *r)
{
	const struct ir_tensor_type *indices;
	const struct ir_tensor_type *values = rel_tensor(r, 1);
	struct rel_shape out;
	enum rel_result ok;

	if (!values)
		return rel_wait(r, 1);
	ok = data_and_shape(r, 3, &indices, &out);
	return ok == REL_DONE ? rel_finish(r, values->dtype, &out) : ok;
}
