/* Reductions. */
#include "ir/relations/common.h"

/*
 * Which of RANK axes are reduced, as bytes: all of them where none are given,
 * the others where "exclude" says so.
 */
static bool
reduced_axes(struct rel *r, uint32_t rank, bool **out)
{
	bool *in = ARENA_NEW_ARRAY(r->scratch, rank, bool);
	bool exclude = ir_attrs_bool(r->attrs, "exclude");
	struct rel_ints axes;
	uint32_t axis;

	*out = in;
	if (!rel_ints(r, "axis", &axes))
		return false;
	if (axes.n == 0) {
		for (uint32_t i = 0; i < rank; i++)
			in[i] = true;
		return true;
	}
	for (uint32_t i = 0; i < axes.n; i++) {
		if (!rel_axis(r, "axis", axes.at[i], rank, &axis))
			return false;
		in[axis] = true;
	}
	for (uint32_t i = 0; i < rank && exclude; i++)
		in[i] = !in[i];
	return true;
}

static enum rel_result
reduce(struct rel *r, const struct ir_tensor_type *data, struct dtype t)
{
	bool keep = ir_attrs_bool(r->attrs, "keepdims");
	struct rel_shape out = rel_new_shape(r, data->ndim);
	bool *reduced;

	if (!reduced_axes(r, data->ndim, &reduced))
		return REL_FAIL;
	out.n = 0;
	for (uint32_t i = 0; i < data->ndim; i++)
		if (!reduced[i])
			out.at[out.n++] = data->shape[i];
		else if (keep)
			out.at[out.n++] = DIM(1);
	return rel_finish(r, t, &out);
}

enum rel_result
rel_reduce(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);

	if (!data)
		return rel_wait(r, 0);
	return reduce(r, data, data->dtype);
}

/* argmax, argmin: the indices are as wide as the extents are written. */
enum rel_result
rel_generic_reduce(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);

	if (!data)
		return rel_wait(r, 0);
	if (data->ndim == 0)
		return rel_error_at(r, 0, "'data' must not be a scalar");
	return reduce(r, data,
		      data->shape[0].kind == DIM_INT64 ? DTYPE(INT, 64)
						       : DTYPE(INT, 32));
}

enum rel_result
rel_variance(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const struct ir_tensor_type *mean = rel_tensor(r, 1);

	if (!data)
		return rel_wait(r, 0);
	if (!mean)
		return rel_wait(r, 1);
	if (!rel_check_rank(r, 1, mean, data->ndim))
		return REL_FAIL;
	return reduce(r, data, data->dtype);
}
