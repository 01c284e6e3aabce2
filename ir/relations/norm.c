/* Normalization, activations with parameters, losses. */
#include <inttypes.h>
#include <string.h>

#include "ir/relations/common.h"

/* Inputs FIRST.. (COUNT) are vectors along the axis of the data. */
static bool
assign_vectors(struct rel *r, const struct ir_tensor_type *data, uint32_t axis,
	       uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++)
		if (rel_vector(r, i, data->dtype, data->shape[axis]) !=
		    REL_DONE)
			return false;
	return true;
}

enum rel_result
rel_batch_norm(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	int64_t given = ir_attrs_int(r->attrs, "axis", 1);
	const ir_type *fields[3];
	uint32_t axis;

	if (!data)
		return rel_wait(r, 0);
	if (given < -1)
		return rel_error_attr(r, "axis",
				      "axis %" PRId64 " must be at least -1",
				      given);
	if (!rel_axis(r, "axis", given, data->ndim, &axis) ||
	    !assign_vectors(r, data, axis, 1, 4))
		return REL_FAIL;
	fields[0] = &data->base;
	fields[1] = rel_vector_type(r, data->dtype, data->shape[axis]);
	fields[2] = fields[1];
	return rel_finish_tuple(r, fields, 3);
}

/* Scale and shift along an axis; the result is like the data. */
static enum rel_result
axis_norm(struct rel *r, uint32_t params, uint32_t least_rank)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	uint32_t axis;

	if (!data)
		return rel_wait(r, 0);
	if (data->ndim < least_rank)
		return rel_error_at(r, 0,
				    "'data' must have rank %" PRIu32
				    " at least, but is %s",
				    least_rank, rel_show_arg(r, 0));
	if (!rel_axis_attr(r, "axis", data->ndim, &axis) ||
	    !assign_vectors(r, data, axis, 1, params))
		return REL_FAIL;
	return rel_assign(r, &data->base);
}

enum rel_result
rel_instance_norm(struct rel *r)
{
	return axis_norm(r, 2, 3);
}

enum rel_result
rel_layer_norm(struct rel *r)
{
	return axis_norm(r, 2, 1);
}

enum rel_result
rel_group_norm(struct rel *r)
{
	return axis_norm(r, 2, 1);
}

enum rel_result
rel_p_relu(struct rel *r)
{
	return axis_norm(r, 1, 1);
}

enum rel_result
rel_bias_add(struct rel *r)
{
	return axis_norm(r, 1, 1);
}

enum rel_result
rel_softmax(struct rel *r)
{
	return axis_norm(r, 0, 1);
}

enum rel_result
rel_dropout(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const ir_type *fields[2];

	if (!data)
		return rel_wait(r, 0);
	fields[0] = fields[1] = &data->base;
	return rel_finish_tuple(r, fields, 2);
}

enum rel_result
rel_batch_flatten(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct rel_shape out = rel_new_shape(r, 2);

	if (!data)
		return rel_wait(r, 0);
	if (data->ndim == 0)
		return rel_error_at(r, 0, "'data' must not be a scalar");
	out.at[0] = data->shape[0];
	out.at[1] = DIM(1);
	for (uint32_t i = 1; i < data->ndim; i++) {
		if (data->shape[i].kind == DIM_ANY) {
			out.at[1] = DIM_UNKNOWN;
			break;
		}
		if (!rel_mul(r, out.at[1], data->shape[i], &out.at[1]))
			return REL_FAIL;
	}
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_cross_entropy(struct rel *r)
{
	const struct ir_tensor_type *x = rel_tensor(r, 0);
	const struct ir_tensor_type *y = rel_tensor(r, 1);

	if (!x)
		return rel_wait(r, 0);
	if (!y)
		return rel_wait(r, 1);
	if (!rel_check_rank(r, 0, x, 2) || !rel_check_rank(r, 1, y, 2) ||
	    !rel_same_dtype(r, 0, x, 1, y))
		return REL_FAIL;
	for (uint32_t i = 0; i < 2; i++)
		if (!ir_dim_may_equal(x->shape[i], y->shape[i]))
			return rel_error_at(
				r, 1, "%s and %s must have one shape",
				rel_show_arg(r, 0), rel_show_arg(r, 1));
	return rel_assign_tensor(r, x->dtype, NULL, 0);
}

/* Predictions are targets with an axis of classes at 1. */
static bool
check_targets(struct rel *r, const struct ir_tensor_type *predictions,
	      const struct ir_tensor_type *targets)
{
	bool ok = predictions->ndim == targets->ndim + 1 &&
		  predictions->ndim >= 2;

	for (uint32_t i = 0; ok && i < targets->ndim; i++)
		ok = ir_dim_may_equal(predictions->shape[i ? i + 1 : 0],
				      targets->shape[i]);
	if (!ok)
		rel_error_at(r, 1, "predictions %s don't fit targets %s",
			     rel_show_arg(r, 0), rel_show_arg(r, 1));
	return ok;
}

enum rel_result
rel_nll_loss(struct rel *r)
{
	const struct ir_tensor_type *t[3];
	const char *reduction = ir_attrs_string(r->attrs, "reduction");

	for (uint32_t i = 0; i < 3; i++) {
		t[i] = rel_tensor(r, i);
		if (!t[i])
			return rel_wait(r, i);
	}
	if (!check_targets(r, t[0], t[1]) || !rel_check_rank(r, 2, t[2], 1) ||
	    !rel_same_dtype(r, 0, t[0], 2, t[2]))
		return REL_FAIL;
	if (!ir_dim_may_equal(t[0]->shape[1], t[2]->shape[0]))
		return rel_error_at(r, 0,
				    "weights %s don't fit the classes of %s",
				    rel_show_arg(r, 2), rel_show_arg(r, 0));
	if (!dtype_is_float(t[0]->dtype))
		return rel_error_at(r, 0,
				    "'predictions' must be floats, but are %s",
				    rel_show_arg(r, 0));
	if (t[1]->dtype.code != DTYPE_INT)
		return rel_error_at(r, 1,
				    "'targets' must be signed integers, but "
				    "are %s",
				    rel_show_arg(r, 1));
	if (strcmp(reduction, "none") == 0)
		return rel_assign_tensor(r, t[0]->dtype, t[1]->shape,
					 t[1]->ndim);
	if (strcmp(reduction, "mean") != 0 && strcmp(reduction, "sum") != 0)
		return rel_error(r, "attribute 'reduction' must be \"mean\", "
				    "\"sum\" or \"none\"");
	return rel_assign_tensor(r, t[0]->dtype, NULL, 0);
}
