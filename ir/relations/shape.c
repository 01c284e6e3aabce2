/* Operators that move, join and cut axes. */
#include <inttypes.h>

#include "ir/relations/common.h"

enum rel_result
rel_transpose(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct rel_shape out;
	struct rel_ints axes;
	uint32_t axis;
	bool *seen;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_ints(r, "axes", &axes))
		return REL_FAIL;
	out = rel_new_shape(r, data->ndim);
	if (!axes.given || axes.n == 0) {
		for (uint32_t i = 0; i < data->ndim; i++)
			out.at[i] = data->shape[data->ndim - 1 - i];
		return rel_finish(r, data->dtype, &out);
	}
	if (axes.n != data->ndim)
		return rel_error(r,
				 "attribute 'axes' has %" PRIu32
				 " values for the rank %" PRIu32,
				 axes.n, data->ndim);
	seen = ARENA_NEW_ARRAY(r->scratch, data->ndim, bool);
	for (uint32_t i = 0; i < axes.n; i++) {
		if (!rel_axis(r, "axis", axes.at[i], data->ndim, &axis))
			return REL_FAIL;
		if (seen[axis])
			return rel_error_attr(r, "axes",
					      "axis %" PRId64 " stands twice",
					      axes.at[i]);
		seen[axis] = true;
		out.at[i] = data->shape[axis];
	}
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_expand_dims(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	int64_t count = ir_attrs_int(r->attrs, "num_newaxis", 1);
	uint32_t axis;
	struct rel_shape out;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_axis(r, "axis", ir_attrs_int(r->attrs, "axis", 0),
		      data->ndim + 1, &axis))
		return REL_FAIL;
	if (count < 0 || count > 4096)
		return rel_error(r,
				 "attribute 'num_newaxis' must not be "
				 "%" PRId64,
				 count);
	out = rel_new_shape(r, data->ndim + (uint32_t)count);
	out.n = 0;
	for (uint32_t i = 0; i <= data->ndim; i++) {
		for (int64_t k = 0; i == axis && k < count; k++)
			out.at[out.n++] = DIM(1);
		if (i < data->ndim)
			out.at[out.n++] = data->shape[i];
	}
	return rel_finish(r, data->dtype, &out);
}

/* Which axes go: the given ones, or all of extent 1. */
static bool
squeezed(struct rel *r, const struct ir_tensor_type *data, bool *drop)
{
	struct rel_ints axes;
	uint32_t axis;

	if (!rel_ints(r, "axis", &axes))
		return false;
	for (uint32_t i = 0; i < data->ndim && !axes.given; i++) {
		if (!ir_dim_is_const(data->shape[i])) {
			rel_error(r, "attribute 'axis' must be given for %s",
				  rel_show(r, &data->base));
			return false;
		}
		drop[i] = data->shape[i].value == 1;
	}
	for (uint32_t i = 0; i < axes.n; i++) {
		if (!rel_axis(r, "axis", axes.at[i], data->ndim, &axis))
			return false;
		if (ir_dim_is_const(data->shape[axis]) &&
		    data->shape[axis].value != 1) {
			rel_error_attr(r, "axis",
				       "axis %" PRId64 " of %s is not 1",
				       axes.at[i], rel_show(r, &data->base));
			return false;
		}
		drop[axis] = true;
	}
	return true;
}

enum rel_result
rel_squeeze(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct rel_shape out;
	bool *drop;

	if (!data)
		return rel_wait(r, 0);
	drop = ARENA_NEW_ARRAY(r->scratch, data->ndim, bool);
	if (!squeezed(r, data, drop))
		return REL_FAIL;
	out = rel_new_shape(r, data->ndim);
	out.n = 0;
	for (uint32_t i = 0; i < data->ndim; i++)
		if (!drop[i])
			out.at[out.n++] = data->shape[i];
	return rel_finish(r, data->dtype, &out);
}

static const struct ir_tensor_type *
field(const struct ir_tuple_type *t, uint32_t i)
{
	return ir_as_tensor_type(t->fields[i]);
}

static bool
same_rank(struct rel *r, const struct ir_tuple_type *in)
{
	for (uint32_t i = 1; i < in->nfields; i++)
		if (field(in, i)->ndim != field(in, 0)->ndim) {
			rel_error_at(
				r, 0,
				"the tensors must have one rank, but are %s "
				"and %s",
				rel_show(r, in->fields[0]),
				rel_show(r, in->fields[i]));
			return false;
		}
	return true;
}

/* The sum of the extents along the axis; '?' if one is unknown. */
static bool
joined(struct rel *r, const struct ir_tuple_type *in, uint32_t axis,
       struct ir_dim *out)
{
	*out = field(in, 0)->shape[axis];
	for (uint32_t i = 1; i < in->nfields; i++) {
		struct ir_dim d = field(in, i)->shape[axis];
		struct ir_dim sum = ir_dim_add(*out, d);

		if (ir_dim_is_const(*out) && ir_dim_is_const(d) &&
		    !ir_dim_is_const(sum)) {
			rel_error(r, "the joined extent is too large");
			return false;
		}
		*out = sum;
	}
	return true;
}

/*
 * The extent of an axis that is not joined. An unknown one among known ones
 * is taken as known only where the joined axis is unknown, too.
 */
static bool
common(struct rel *r, const struct ir_tuple_type *in, uint32_t axis,
       bool dynamic, struct ir_dim *out)
{
	bool all = true;

	*out = DIM_UNKNOWN;
	for (uint32_t i = 0; i < in->nfields; i++) {
		struct ir_dim d = field(in, i)->shape[axis];

		if (d.kind == DIM_ANY) {
			all = false;
		} else if (out->kind == DIM_ANY) {
			*out = d;
		} else if (!ir_dim_may_equal(*out, d)) {
			rel_error(r,
				  "axis %" PRIu32
				  " must be the same in all tensors, but is "
				  "%s and %s",
				  axis, rel_show_dim(r, *out),
				  rel_show_dim(r, d));
			return false;
		}
	}
	if (!all && !dynamic)
		*out = DIM_UNKNOWN;
	return true;
}

bool
rel_concatenated(struct rel *r, const struct ir_tuple_type *in,
		 struct dtype *dtype, struct rel_shape *out)
{
	uint32_t axis;
	bool dynamic = false;

	if (!rel_tuple_dtype(r, 0, in, dtype) || !same_rank(r, in) ||
	    !rel_axis_attr(r, "axis", field(in, 0)->ndim, &axis))
		return false;
	*out = rel_new_shape(r, field(in, 0)->ndim);
	if (!joined(r, in, axis, &out->at[axis]))
		return false;
	for (uint32_t i = 0; i < in->nfields; i++)
		dynamic |= field(in, i)->shape[axis].kind == DIM_ANY;
	for (uint32_t i = 0; i < out->n; i++)
		if (i != axis && !common(r, in, i, dynamic, &out->at[i]))
			return false;
	return true;
}

enum rel_result
rel_concatenate(struct rel *r)
{
	const struct ir_tuple_type *in = rel_tuple(r, 0);
	struct rel_shape out;
	struct dtype dtype;

	if (!in)
		return rel_wait(r, 0);
	if (!rel_concatenated(r, in, &dtype, &out))
		return REL_FAIL;
	return rel_finish(r, dtype, &out);
}

enum rel_result
rel_stack(struct rel *r)
{
	const struct ir_tuple_type *in = rel_tuple(r, 0);
	struct rel_shape out;
	struct dtype dtype;
	struct ir_dim d;
	uint32_t axis, rank;

	if (!in)
		return rel_wait(r, 0);
	if (!rel_tuple_dtype(r, 0, in, &dtype) || !same_rank(r, in))
		return REL_FAIL;
	rank = field(in, 0)->ndim;
	if (!rel_axis_attr(r, "axis", rank + 1, &axis))
		return REL_FAIL;
	out = rel_new_shape(r, rank + 1);
	out.n = 0;
	for (uint32_t i = 0; i <= rank; i++) {
		if (i == axis)
			out.at[out.n++] = DIM(in->nfields);
		if (i == rank)
			break;
		if (!common(r, in, i, false, &d))
			return REL_FAIL;
		out.at[out.n++] = field(in, 0)->shape[i];
	}
	return rel_finish(r, dtype, &out);
}

static enum rel_result
split_parts(struct rel *r, const struct ir_tensor_type *data, uint32_t axis,
	    const struct ir_dim *part, uint32_t n)
{
	const ir_type **fields =
		ARENA_NEW_ARRAY(r->scratch, n, const ir_type *);
	struct rel_shape s = rel_copy_shape(r, data);

	for (uint32_t i = 0; i < n; i++) {
		s.at[axis] = part[i];
		fields[i] = rel_tensor_type(r, data->dtype, &s);
	}
	return rel_finish_tuple(r, fields, n);
}

/* N equal parts. */
static enum rel_result
split_sections(struct rel *r, const struct ir_tensor_type *data, uint32_t axis,
	       int64_t n)
{
	struct ir_dim whole = data->shape[axis], *part;

	if (n < 1 || n > 1 << 20)
		return rel_error_attr(r, "indices_or_sections",
				      "can't split into %" PRId64 " parts", n);
	if (ir_dim_is_const(whole) && whole.value % n != 0)
		return rel_error_attr(r, "indices_or_sections",
				      "axis %" PRIu32
				      " of %s can't be split into "
				      "%" PRId64 " equal parts",
				      axis, rel_show(r, &data->base), n);
	part = ARENA_NEW_ARRAY(r->scratch, (size_t)n, struct ir_dim);
	for (int64_t i = 0; i < n; i++)
		part[i] = whole.kind == DIM_SYM ? rel_ratio(r, whole, 1, n)
						: ir_dim_div(whole, n);
	return split_parts(r, data, axis, part, (uint32_t)n);
}

/* Cuts at these positions. */
static enum rel_result
split_positions(struct rel *r, const struct ir_tensor_type *data, uint32_t axis,
		const struct rel_ints *at)
{
	struct ir_dim whole = data->shape[axis];
	struct ir_dim *part =
		ARENA_NEW_ARRAY(r->scratch, at->n + 1, struct ir_dim);
	int64_t last = 0;

	for (uint32_t i = 0; i < at->n; i++) {
		if (at->at[i] <= last)
			return rel_error_attr(
				r, "indices_or_sections",
				"positions to split at must ascend, "
				"but %" PRId64 " follows %" PRId64,
				at->at[i], last);
		part[i] = DIM(at->at[i] - last);
		last = at->at[i];
	}
	if (ir_dim_is_const(whole) && last >= whole.value)
		return rel_error(
			r, "can't split axis %" PRIu32 " of %s at %" PRId64,
			axis, rel_show(r, &data->base), last);
	part[at->n] = ir_dim_sub(whole, DIM(last));
	return split_parts(r, data, axis, part, at->n + 1);
}

enum rel_result
rel_split(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const ir_attr *how = ir_attrs_get(r->attrs, "indices_or_sections");
	struct rel_ints at;
	uint32_t axis;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_axis_attr(r, "axis", data->ndim, &axis))
		return REL_FAIL;
	if (how->kind == ATTR_INT)
		return split_sections(r, data, axis, how->i);
	if (!rel_ints(r, "indices_or_sections", &at))
		return REL_FAIL;
	if (!at.given)
		return rel_error(
			r, "attribute 'indices_or_sections' must be given");
	return split_positions(r, data, axis, &at);
}

enum rel_result
rel_tile(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct rel_shape out;
	struct rel_ints reps;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_ints(r, "reps", &reps))
		return REL_FAIL;
	if (reps.n == 0)
		return rel_error(r, "attribute 'reps' must not be empty");
	out = rel_new_shape(r, reps.n > data->ndim ? reps.n : data->ndim);
	uint32_t skip_data = out.n - data->ndim, skip_reps = out.n - reps.n;

	for (uint32_t i = 0; i < out.n; i++) {
		int64_t rep = i < skip_reps ? 1 : reps.at[i - skip_reps];
		struct ir_dim d =
			i < skip_data ? DIM(1) : data->shape[i - skip_data];

		if (rep < 1)
			return rel_error_attr(r, "reps",
					      "a tensor can't be repeated "
					      "%" PRId64 " times",
					      rep);
		if (!rel_mul(r, d, DIM(rep), &out.at[i]))
			return REL_FAIL;
	}
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_repeat(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	int64_t n = ir_attrs_int(r->attrs, "repeats", 0);
	struct rel_shape out;
	uint32_t axis;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_axis_attr(r, "axis", data->ndim, &axis))
		return REL_FAIL;
	if (n < 1)
		return rel_error(
			r, "elements can't be repeated %" PRId64 " times", n);
	out = rel_copy_shape(r, data);
	if (!rel_mul(r, out.at[axis], DIM(n), &out.at[axis]))
		return REL_FAIL;
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_reverse(struct rel *r)
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
rel_reverse_sequence(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const struct ir_tensor_type *lengths = rel_tensor(r, 1);
	uint32_t batch, seq;

	if (!data)
		return rel_wait(r, 0);
	if (!lengths)
		return rel_wait(r, 1);
	if (!rel_check_rank(r, 1, lengths, 1) ||
	    !rel_axis_attr(r, "seq_axis", data->ndim, &seq) ||
	    !rel_axis_attr(r, "batch_axis", data->ndim, &batch))
		return REL_FAIL;
	if (lengths->dtype.code != DTYPE_INT)
		return rel_error_at(r, 1,
				    "'seq_lengths' must be signed integers, "
				    "but is %s",
				    rel_show_arg(r, 1));
	if (!ir_dim_may_equal(lengths->shape[0], data->shape[batch]))
		return rel_error_at(r, 0,
				    "%s has not one length for each batch "
				    "of %s",
				    rel_show_arg(r, 1), rel_show_arg(r, 0));
	return rel_assign(r, &data->base);
}

/* Vectors span a grid; scalars count as vectors of one. */
enum rel_result
rel_meshgrid(struct rel *r)
{
	const struct ir_tuple_type *in = rel_tuple(r, 0);
	const char *indexing = ir_attrs_string(r->attrs, "indexing");
	const ir_type **fields;
	struct rel_shape grid;
	struct dtype dtype;

	if (!in)
		return rel_wait(r, 0);
	if (!rel_tuple_dtype(r, 0, in, &dtype))
		return REL_FAIL;
	grid = rel_new_shape(r, in->nfields);
	fields = ARENA_NEW_ARRAY(r->scratch, in->nfields, const ir_type *);
	for (uint32_t i = 0; i < in->nfields; i++) {
		const struct ir_tensor_type *t = field(in, i);

		if (t->ndim > 1)
			return rel_error_at(r, 0,
					    "the tensors must be vectors or "
					    "scalars, but one is %s",
					    rel_show(r, in->fields[i]));
		grid.at[i] = t->ndim ? t->shape[0] : DIM(1);
	}
	if (indexing[0] == 'x' && grid.n >= 2) {
		struct ir_dim d = grid.at[0];

		grid.at[0] = grid.at[1];
		grid.at[1] = d;
	}
	if (!rel_check_shape(r, &grid))
		return REL_FAIL;
	for (uint32_t i = 0; i < in->nfields; i++)
		fields[i] = rel_tensor_type(r, dtype, &grid);
	return rel_finish_tuple(r, fields, in->nfields);
}
