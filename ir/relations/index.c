/* Operators that pick, place and order elements by index. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ir/relations/common.h"

static bool
check_integer(struct rel *r, uint32_t i, const struct ir_tensor_type *t,
	      bool is_signed)
{
	if (t->dtype.code == DTYPE_INT ||
	    (!is_signed && dtype_is_int(t->dtype)))
		return true;
	rel_error_at(r, i, "'%s' must be %sintegers, but is %s",
		     rel_input(r, i), is_signed ? "signed " : "",
		     rel_show(r, &t->base));
	return false;
}

/* data[:axis] + indices[batch:] + data[axis + 1:] */
static enum rel_result
take_along(struct rel *r, const struct ir_tensor_type *data,
	   const struct ir_tensor_type *index, uint32_t axis)
{
	int64_t batch = ir_attrs_int(r->attrs, "batch_dims", 0);
	struct rel_shape out = rel_new_shape(r, data->ndim + index->ndim);

	if (batch < 0)
		batch += index->ndim;
	if (batch < 0 || batch > (int64_t)axis || batch > (int64_t)index->ndim)
		return rel_error(r, "attribute 'batch_dims' is out of range");
	for (int64_t i = 0; i < batch; i++)
		if (!ir_dim_may_equal(data->shape[i], index->shape[i]))
			return rel_error_at(
				r, 1, "%s and %s differ in a batch axis",
				rel_show_arg(r, 0), rel_show_arg(r, 1));
	out.n = 0;
	for (uint32_t i = 0; i < axis; i++)
		out.at[out.n++] = data->shape[i];
	for (uint32_t i = (uint32_t)batch; i < index->ndim; i++)
		out.at[out.n++] = index->shape[i];
	for (uint32_t i = axis + 1; i < data->ndim; i++)
		out.at[out.n++] = data->shape[i];
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_take(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const struct ir_tensor_type *index = rel_tensor(r, 1);
	const ir_attr *given = ir_attrs_get(r->attrs, "axis");
	struct rel_shape out;
	uint32_t axis;

	if (!data)
		return rel_wait(r, 0);
	if (!index)
		return rel_wait(r, 1);
	if (!check_integer(r, 1, index, false))
		return REL_FAIL;
	if (given->kind == ATTR_NULL) {
		out = rel_copy_shape(r, index);
		return rel_finish(r, data->dtype, &out);
	}
	if (!rel_axis_attr(r, "axis", data->ndim, &axis))
		return REL_FAIL;
	return take_along(r, data, index, axis);
}

enum rel_result
rel_gather(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const struct ir_tensor_type *index = rel_tensor(r, 1);
	struct rel_shape out;
	uint32_t axis;

	if (!data)
		return rel_wait(r, 0);
	if (!index)
		return rel_wait(r, 1);
	if (!rel_check_rank(r, 1, index, data->ndim) ||
	    !check_integer(r, 1, index, true) ||
	    !rel_axis_attr(r, "axis", data->ndim, &axis))
		return REL_FAIL;
	for (uint32_t i = 0; i < data->ndim; i++)
		if (i != axis &&
		    !ir_dim_may_equal(data->shape[i], index->shape[i]))
			return rel_error_at(
				r, 1, "%s and %s differ in axis %" PRIu32,
				rel_show_arg(r, 0), rel_show_arg(r, 1), i);
	out = rel_copy_shape(r, index);
	return rel_finish(r, data->dtype, &out);
}

/* How many axes of the data the first axis of the indices addresses. */
static bool
index_rank(struct rel *r, const struct ir_tensor_type *index, int64_t limit,
	   uint32_t *out)
{
	if (index->ndim == 0 || !ir_dim_is_const(index->shape[0])) {
		rel_error_at(r, 1,
			     "the first axis of 'indices' must be known, but "
			     "it is %s",
			     rel_show(r, &index->base));
		return false;
	}
	if (index->shape[0].value > limit) {
		rel_error_at(r, 0, "%s has too many coordinates for %s",
			     rel_show(r, &index->base), rel_show_arg(r, 0));
		return false;
	}
	*out = (uint32_t)index->shape[0].value;
	return true;
}

enum rel_result
rel_gather_nd(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const struct ir_tensor_type *index = rel_tensor(r, 1);
	int64_t batch = ir_attrs_int(r->attrs, "batch_dims", 0);
	struct rel_shape out;
	uint32_t m;

	if (!data)
		return rel_wait(r, 0);
	if (!index)
		return rel_wait(r, 1);
	if (batch < 0 || batch > (int64_t)data->ndim ||
	    batch >= (int64_t)index->ndim + (batch == 0))
		return rel_error(r, "attribute 'batch_dims' is out of range");
	if (!index_rank(r, index, data->ndim - batch, &m))
		return REL_FAIL;
	for (uint32_t i = 0; i < batch; i++)
		if (!ir_dim_may_equal(data->shape[i], index->shape[i + 1]))
			return rel_error_at(
				r, 1, "%s and %s differ in a batch axis",
				rel_show_arg(r, 0), rel_show_arg(r, 1));
	out = rel_new_shape(r, data->ndim + index->ndim);
	out.n = 0;
	for (uint32_t i = 1; i < index->ndim; i++)
		out.at[out.n++] = index->shape[i];
	for (uint32_t i = m + (uint32_t)batch; i < data->ndim; i++)
		out.at[out.n++] = data->shape[i];
	return rel_finish(r, data->dtype, &out);
}

/* The three inputs of the scatter operators. */
static enum rel_result
scatter_inputs(struct rel *r, const struct ir_tensor_type **t)
{
	for (uint32_t i = 0; i < 3; i++) {
		t[i] = rel_tensor(r, i);
		if (!t[i])
			return rel_wait(r, i);
	}
	if (!check_integer(r, 1, t[1], false) ||
	    !rel_same_dtype(r, 0, t[0], 2, t[2]))
		return REL_FAIL;
	return REL_DONE;
}

enum rel_result
rel_scatter_elements(struct rel *r)
{
	const struct ir_tensor_type *t[3];
	enum rel_result ok = scatter_inputs(r, t);
	uint32_t axis;

	if (ok != REL_DONE)
		return ok;
	if (!rel_axis_attr(r, "axis", t[0]->ndim, &axis) ||
	    !rel_check_rank(r, 1, t[1], t[0]->ndim) ||
	    !rel_check_rank(r, 2, t[2], t[0]->ndim))
		return REL_FAIL;
	return rel_assign(r, &t[0]->base);
}

enum rel_result
rel_scatter_nd(struct rel *r)
{
	const struct ir_tensor_type *t[3];
	enum rel_result ok = scatter_inputs(r, t);
	uint32_t m;

	if (ok != REL_DONE)
		return ok;
	if (!index_rank(r, t[1], t[0]->ndim, &m))
		return REL_FAIL;
	uint32_t k = t[1]->ndim - 1;
	bool fits = t[2]->ndim == k + t[0]->ndim - m;

	for (uint32_t i = 0; fits && i < t[2]->ndim; i++)
		fits = ir_dim_may_equal(t[2]->shape[i],
					i < k ? t[1]->shape[i + 1]
					      : t[0]->shape[m + i - k]);
	if (!fits)
		return rel_error_at(r, 1,
				    "updates %s don't fit %s with indices %s",
				    rel_show_arg(r, 2), rel_show_arg(r, 0),
				    rel_show_arg(r, 1));
	return rel_assign(r, &t[0]->base);
}

/* A tuple: data, then index tensors that are broadcast together. */
enum rel_result
rel_adv_index(struct rel *r)
{
	const struct ir_tuple_type *in = rel_tuple(r, 0);
	struct rel_shape index = {0}, s, sum, out;

	if (!in)
		return rel_wait(r, 0);
	if (in->nfields < 2)
		return rel_error_at(r, 0,
				    "'inputs' must hold data and indices");
	const struct ir_tensor_type *data = ir_as_tensor_type(in->fields[0]);
	uint32_t n = in->nfields - 1;

	if (n > data->ndim)
		return rel_error_at(r, 0,
				    "%" PRIu32 " indices are too many for %s",
				    n, rel_show(r, in->fields[0]));
	for (uint32_t i = 1; i <= n; i++) {
		const struct ir_tensor_type *t =
			ir_as_tensor_type(in->fields[i]);

		if (!check_integer(r, 0, t, false))
			return REL_FAIL;
		s = rel_copy_shape(r, t);
		if (!rel_broadcast_shapes(r, &index, &s, &sum))
			return REL_FAIL;
		index = sum;
	}
	out = rel_new_shape(r, index.n + data->ndim - n);
	memcpy(out.at, index.at, index.n * sizeof(*out.at));
	memcpy(out.at + index.n, data->shape + n,
	       (data->ndim - n) * sizeof(*out.at));
	return rel_finish(r, data->dtype, &out);
}

/* The indices with the depth as a new axis. */
bool
rel_one_hot_shape(struct rel *r, struct ir_dim depth, struct rel_shape *out)
{
	const struct ir_tensor_type *index = rel_tensor(r, 0);
	uint32_t axis;

	if (!rel_axis_attr(r, "axis", index->ndim + 1, &axis))
		return false;
	*out = rel_new_shape(r, index->ndim + 1);
	out->n = 0;
	for (uint32_t i = 0; i <= index->ndim; i++) {
		if (i == axis)
			out->at[out->n++] = depth;
		if (i < index->ndim)
			out->at[out->n++] = index->shape[i];
	}
	return true;
}

enum rel_result
rel_one_hot(struct rel *r)
{
	const struct ir_tensor_type *index = rel_tensor(r, 0);
	const struct ir_tensor_type *on = rel_tensor(r, 1);
	int64_t depth = ir_attrs_int(r->attrs, "depth", 0);
	struct rel_shape out;

	if (!index)
		return rel_wait(r, 0);
	if (!on)
		return rel_wait(r, 1);
	if (depth < 1)
		return rel_error(r,
				 "attribute 'depth' must be positive, but "
				 "is %" PRId64,
				 depth);
	if (!rel_one_hot_shape(r, DIM(depth), &out))
		return REL_FAIL;
	return rel_finish(r, rel_dtype(r, "dtype", on->dtype), &out);
}

enum rel_result
rel_arg_where(struct rel *r)
{
	const struct ir_tensor_type *t = rel_tensor(r, 0);
	struct ir_dim at[2] = {DIM_UNKNOWN};
	struct rel_shape out = {2, at};

	if (!t)
		return rel_wait(r, 0);
	at[1] = DIM(t->ndim);
	return rel_finish(r, DTYPE(INT, 32), &out);
}

enum rel_result
rel_un_ravel_index(struct rel *r)
{
	const struct ir_tensor_type *index = rel_tensor(r, 0);
	const struct ir_tensor_type *shape = rel_tensor(r, 1);
	struct ir_dim at[2];
	struct rel_shape out = {1, at};

	if (!index)
		return rel_wait(r, 0);
	if (!shape)
		return rel_wait(r, 1);
	if (!check_integer(r, 0, index, false) ||
	    !check_integer(r, 1, shape, false) ||
	    !rel_check_rank(r, 1, shape, 1))
		return REL_FAIL;
	if (index->ndim > 1)
		return rel_error_at(r, 0,
				    "'data' must be a scalar or a vector, but "
				    "is %s",
				    rel_show_arg(r, 0));
	at[0] = shape->shape[0];
	if (index->ndim == 1)
		at[out.n++] = index->shape[0];
	return rel_finish(r, index->dtype, &out);
}

enum rel_result
rel_sequence_mask(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const struct ir_tensor_type *length = rel_tensor(r, 1);
	int64_t axis = ir_attrs_int(r->attrs, "axis", 0);
	struct rel_shape s = rel_new_shape(r, 1);

	if (!data)
		return rel_wait(r, 0);
	if (!length)
		return rel_wait(r, 1);
	if (axis != 0 && axis != 1)
		return rel_error_attr(r, "axis",
				      "axis %" PRId64 " must be 0 or 1", axis);
	if (data->ndim < 2)
		return rel_error_at(r, 0,
				    "'data' must have rank 2 at least, but is "
				    "%s",
				    rel_show_arg(r, 0));
	s.at[0] = data->shape[1 - axis];
	if (rel_input_shape(r, 1, length->dtype, &s) != REL_DONE)
		return REL_FAIL;
	return rel_assign(r, &data->base);
}

enum rel_result
rel_sort(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	uint32_t axis;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_axis_attr(r, "axis", data->ndim, &axis))
		return REL_FAIL;
	return rel_assign(r, &data->base);
}

enum rel_result
rel_argsort(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	uint32_t axis;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_axis_attr(r, "axis", data->ndim, &axis))
		return REL_FAIL;
	return rel_assign_tensor(r, rel_dtype(r, "dtype", DTYPE(INT, 32)),
				 data->shape, data->ndim);
}

/* Values, indices or both, with K along the axis. */
enum rel_result
rel_finish_top_k(struct rel *r, const struct ir_tensor_type *data,
		 const struct ir_dim *k)
{
	const char *want = ir_attrs_string(r->attrs, "ret_type");
	struct dtype index = rel_dtype(r, "dtype", DTYPE(INT, 32));
	struct rel_shape s = rel_copy_shape(r, data);
	const ir_type *fields[2];
	uint32_t axis;

	if (!rel_axis_attr(r, "axis", data->ndim, &axis))
		return REL_FAIL;
	if (k)
		s.at[axis] = *k;
	if (strcmp(want, "values") == 0)
		return rel_finish(r, data->dtype, &s);
	if (strcmp(want, "indices") == 0)
		return rel_finish(r, index, &s);
	if (strcmp(want, "both") != 0)
		return rel_error(r, "attribute 'ret_type' must be \"both\", "
				    "\"values\" or \"indices\"");
	fields[0] = rel_tensor_type(r, data->dtype, &s);
	fields[1] = rel_tensor_type(r, index, &s);
	return rel_finish_tuple(r, fields, 2);
}

enum rel_result
rel_top_k(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const ir_attr *k = ir_attrs_get(r->attrs, "k");
	struct ir_dim d;

	if (!data)
		return rel_wait(r, 0);
	if (k->kind != ATTR_INT)
		return rel_error(r, "attribute 'k' must be given");
	d = DIM(k->i);
	return rel_finish_top_k(r, data, k->i < 1 ? NULL : &d);
}

enum rel_result
rel_search_sorted(struct rel *r)
{
	const struct ir_tensor_type *sorted = rel_tensor(r, 0);
	const struct ir_tensor_type *values = rel_tensor(r, 1);
	bool fits;

	if (!sorted)
		return rel_wait(r, 0);
	if (!values)
		return rel_wait(r, 1);
	if (sorted->ndim == 0)
		return rel_error_at(r, 0,
				    "'sorted_sequence' must not be a scalar");
	fits = sorted->ndim == 1 || sorted->ndim == values->ndim;
	for (uint32_t i = 0; fits && i + 1 < sorted->ndim; i++)
		fits = ir_dim_may_equal(sorted->shape[i], values->shape[i]);
	if (!fits)
		return rel_error_at(r, 1, "%s and %s differ in an outer axis",
				    rel_show_arg(r, 0), rel_show_arg(r, 1));
	return rel_assign_tensor(r, rel_dtype(r, "dtype", DTYPE(INT, 32)),
				 values->shape, values->ndim);
}

/* values, indices, inverse, count, and counts on demand */
enum rel_result
rel_unique(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct dtype index = DTYPE(INT, 32);
	const ir_type *fields[5];

	if (!data)
		return rel_wait(r, 0);
	if (!rel_check_rank(r, 0, data, 1))
		return REL_FAIL;
	fields[0] = &data->base;
	fields[1] = rel_vector_type(r, index, data->shape[0]);
	fields[2] = fields[1];
	fields[3] = rel_vector_type(r, index, DIM(1));
	fields[4] = fields[1];
	return rel_finish_tuple(
		r, fields, ir_attrs_bool(r->attrs, "return_counts") ? 5 : 4);
}

/* cumsum, cumprod: without axis over all elements in a row. */
enum rel_result
rel_scanop(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const ir_attr *given = ir_attrs_get(r->attrs, "axis");
	struct rel_shape out;
	struct ir_dim n = DIM(1);
	uint32_t axis;

	if (!data)
		return rel_wait(r, 0);
	out = rel_copy_shape(r, data);
	if (given->kind != ATTR_NULL) {
		if (!rel_axis_attr(r, "axis", data->ndim, &axis))
			return REL_FAIL;
	} else {
		for (uint32_t i = 0; i < data->ndim; i++)
			if (!rel_mul(r, n, data->shape[i], &n))
				return REL_FAIL;
		out = rel_new_shape(r, 1);
		out.at[0] = n;
	}
	return rel_finish(r, rel_dtype(r, "dtype", data->dtype), &out);
}

/* The value of a scalar constant in an attribute. */
static bool
scalar_value(const ir_attr *a, double *out)
{
	const struct ir_constant *c;

	if (!a || a->kind != ATTR_EXPR || a->expr->kind != IR_CONSTANT)
		return false;
	c = ir_as_constant(a->expr);
	if (!c->data || ir_tensor_size(c->data) != 1)
		return false;
	*out = ir_tensor_get_double(c->data, 0);
	return true;
}

enum rel_result
rel_arange(struct rel *r)
{
	struct dtype t = ir_attrs_dtype(r->attrs, "dtype");
	double start, stop, step, n;
	struct ir_dim length = DIM_UNKNOWN;

	if (dtype_is_void(t))
		return rel_error(r, "attribute 'dtype' must be given");
	for (uint32_t i = 0; i < 3; i++)
		if (rel_scalar(r, i, t) != REL_DONE)
			return REL_FAIL;
	if (scalar_value(ir_attrs_get(r->attrs, "start"), &start) &&
	    scalar_value(ir_attrs_get(r->attrs, "stop"), &stop) &&
	    scalar_value(ir_attrs_get(r->attrs, "step"), &step)) {
		n = ceil((stop - start) / step);
		if (!(n > 0) || n > INT32_MAX)
			return rel_error(r,
					 "from %g to %g in steps of %g there "
					 "is no valid range",
					 start, stop, step);
		length = DIM((int64_t)n);
	}
	return rel_assign(r, rel_vector_type(r, t, length));
}
