/* Element-wise and broadcasting operators, casts, constants of a shape. */
#include "ir/relations/common.h"

/*
 * The result is the first input, whatever it is: annotations, copies. Waits
 * for the type after linking, so that an unknown one is noticed.
 */
enum rel_result
rel_identity_any(struct rel *r)
{
	if (rel_assign(r, r->args[0]) != REL_DONE)
		return REL_FAIL;
	return r->args[0]->kind == TYPE_HOLE ? REL_DEFER : REL_DONE;
}

/* The same for operators that compute: the input must be a tensor. */
enum rel_result
rel_identity(struct rel *r)
{
	const ir_type *t = r->args[0];

	if (t->kind == TYPE_TENSOR || t->kind == TYPE_VAR)
		return rel_assign(r, t);
	if (rel_wait(r, 0) == REL_FAIL)
		return REL_FAIL;
	return rel_assign(r, t) == REL_FAIL ? REL_FAIL : REL_DEFER;
}

enum rel_result
rel_identity_comp(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);

	if (!data)
		return rel_wait(r, 0);
	return rel_assign_tensor(r, DTYPE_BOOL, data->shape, data->ndim);
}

static enum rel_result
broadcast(struct rel *r, bool compare)
{
	const struct ir_tensor_type *a = rel_tensor(r, 0);
	const struct ir_tensor_type *b = rel_tensor(r, 1);
	struct rel_shape sa, sb, out;

	if (!a)
		return rel_wait(r, 0);
	if (!b)
		return rel_wait(r, 1);
	if (!rel_same_dtype(r, 0, a, 1, b))
		return REL_FAIL;
	sa = rel_copy_shape(r, a);
	sb = rel_copy_shape(r, b);
	if (!rel_try_broadcast(r, &sa, &sb, &out))
		return rel_error_at(r, 1,
				    "'lhs' and 'rhs' can't be broadcast "
				    "together: %s and %s",
				    rel_show_arg(r, 0), rel_show_arg(r, 1));
	return rel_finish(r, compare ? DTYPE_BOOL : a->dtype, &out);
}

enum rel_result
rel_broadcast(struct rel *r)
{
	return broadcast(r, false);
}

enum rel_result
rel_broadcast_comp(struct rel *r)
{
	return broadcast(r, true);
}

enum rel_result
rel_where(struct rel *r)
{
	const struct ir_tensor_type *t[3];
	struct rel_shape s[3], xy, out;

	for (uint32_t i = 0; i < 3; i++) {
		t[i] = rel_tensor(r, i);
		if (!t[i])
			return rel_wait(r, i);
		s[i] = rel_copy_shape(r, t[i]);
	}
	if (!rel_same_dtype(r, 1, t[1], 2, t[2]) ||
	    !rel_broadcast_shapes(r, &s[1], &s[2], &xy) ||
	    !rel_broadcast_shapes(r, &s[0], &xy, &out))
		return REL_FAIL;
	return rel_finish(r, t[1]->dtype, &out);
}

/* FROM broadcast to TO is TO again. */
static bool
broadcasts_to(struct rel *r, const struct rel_shape *from,
	      const struct rel_shape *to)
{
	struct rel_shape out;
	bool same;

	if (!rel_broadcast_shapes(r, from, to, &out))
		return false;
	same = out.n == to->n;
	for (uint32_t i = 0; same && i < out.n; i++)
		same = ir_dim_may_equal(out.at[i], to->at[i]);
	if (!same)
		rel_error(r, "shape %s can't be broadcast to %s",
			  rel_show_shape(r, from->at, from->n),
			  rel_show_shape(r, to->at, to->n));
	return same;
}

/* The shape that an operator without shape of its own is given. */
static bool
given_shape(struct rel *r, struct rel_shape *out)
{
	bool given;

	if (!rel_dims(r, "shape", out, &given))
		return false;
	if (!given)
		rel_error(r, "attribute 'shape' must be given");
	return given;
}

enum rel_result
rel_broad_cast_to(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct rel_shape from, to;

	if (!data)
		return rel_wait(r, 0);
	from = rel_copy_shape(r, data);
	if (!given_shape(r, &to) || !broadcasts_to(r, &from, &to))
		return REL_FAIL;
	return rel_finish(r, data->dtype, &to);
}

enum rel_result
rel_broad_cast_to_like(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const struct ir_tensor_type *like = rel_tensor(r, 1);
	struct rel_shape from, to;

	if (!data)
		return rel_wait(r, 0);
	if (!like)
		return rel_wait(r, 1);
	from = rel_copy_shape(r, data);
	to = rel_copy_shape(r, like);
	if (!rel_same_dtype(r, 0, data, 1, like) ||
	    !broadcasts_to(r, &from, &to))
		return REL_FAIL;
	return rel_finish(r, like->dtype, &to);
}

enum rel_result
rel_collapse_sum_like(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const struct ir_tensor_type *like = rel_tensor(r, 1);
	struct rel_shape from, to;

	if (!data)
		return rel_wait(r, 0);
	if (!like)
		return rel_wait(r, 1);
	from = rel_copy_shape(r, like);
	to = rel_copy_shape(r, data);
	if (!rel_same_dtype(r, 0, data, 1, like) ||
	    !broadcasts_to(r, &from, &to))
		return REL_FAIL;
	return rel_finish(r, like->dtype, &from);
}

enum rel_result
rel_collapse_sum_to(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct rel_shape out, in;
	bool given;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_dims(r, "shape", &out, &given))
		return REL_FAIL;
	if (!given && !rel_tensor(r, 1))
		return rel_wait(r, 1);
	if (!given && !rel_shape_of_input(r, 1, &out))
		return REL_FAIL;
	in = rel_copy_shape(r, data);
	if (!broadcasts_to(r, &out, &in))
		return REL_FAIL;
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_cast(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct dtype t = ir_attrs_dtype(r->attrs, "dtype");

	if (!data)
		return rel_wait(r, 0);
	if (dtype_is_void(t))
		return rel_error(r, "attribute 'dtype' must be given");
	return rel_assign_tensor(r, t, data->shape, data->ndim);
}

enum rel_result
rel_cast_like(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const struct ir_tensor_type *like = rel_tensor(r, 1);

	if (!data)
		return rel_wait(r, 0);
	if (!like)
		return rel_wait(r, 1);
	return rel_assign_tensor(r, like->dtype, data->shape, data->ndim);
}

enum rel_result
rel_full_like(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const struct ir_tensor_type *fill = rel_tensor(r, 1);

	if (!data)
		return rel_wait(r, 0);
	if (!fill)
		return rel_wait(r, 1);
	if (!rel_check_rank(r, 1, fill, 0))
		return REL_FAIL;
	return rel_assign(r, &data->base);
}

enum rel_result
rel_full(struct rel *r)
{
	const struct ir_tensor_type *fill = rel_tensor(r, 0);
	struct rel_shape shape;

	if (!fill)
		return rel_wait(r, 0);
	if (!rel_check_rank(r, 0, fill, 0) || !given_shape(r, &shape))
		return REL_FAIL;
	return rel_finish(r, rel_dtype(r, "dtype", fill->dtype), &shape);
}

enum rel_result
rel_init_op(struct rel *r)
{
	struct dtype t = ir_attrs_dtype(r->attrs, "dtype");
	struct rel_shape shape;

	if (dtype_is_void(t))
		return rel_error(r, "attribute 'dtype' must be given");
	if (!given_shape(r, &shape))
		return REL_FAIL;
	return rel_finish(r, t, &shape);
}

/* A vector with the extents; without a type, the extents are int32. */
enum rel_result
rel_shape_of(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);

	if (!data)
		return rel_wait(r, 0);
	return rel_assign(
		r, rel_vector_type(r, rel_dtype(r, "dtype", DTYPE(INT, 32)),
				   DIM(data->ndim)));
}

enum rel_result
rel_ndarray_size(struct rel *r)
{
	if (!rel_tensor(r, 0))
		return rel_wait(r, 0);
	return rel_assign_tensor(r, rel_dtype(r, "dtype", DTYPE(INT, 32)), NULL,
				 0);
}

enum rel_result
rel_trilu(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const struct ir_tensor_type *k = rel_tensor(r, 1);

	if (!data)
		return rel_wait(r, 0);
	if (!k)
		return rel_wait(r, 1);
	if (!rel_check_rank(r, 1, k, 0))
		return REL_FAIL;
	return rel_assign(r, &data->base);
}

enum rel_result
rel_fixed_point_multiply_per_axis(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct rel_ints axes;
	uint32_t axis;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_ints(r, "axes", &axes))
		return REL_FAIL;
	for (uint32_t i = 0; i < axes.n; i++)
		if (!rel_axis(r, "axis", axes.at[i], data->ndim, &axis))
			return REL_FAIL;
	return rel_assign(r, &data->base);
}
