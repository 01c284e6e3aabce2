/*
 * Gradients of operators that move elements about.
 */
#include <string.h>

#include "passes/gradient/gradient.h"

bool
gradient_of_reshape(struct gradient *g)
{
	const ir_attrs *a = gradient_attrs(g, OP_reshape_like);

	g->to[0] = gradient_call(g, OP_reshape_like, a, 2, g->grad,
				 gradient_arg(g, 0));
	return true;
}

bool
gradient_of_collapse_sum(struct gradient *g)
{
	g->to[0] = gradient_binary(g, OP_broadcast_to_like, g->grad,
				   gradient_arg(g, 0));
	return true;
}

static const ir_expr *
transpose(struct gradient *g, const ir_expr *x, const int64_t *axes, uint32_t n)
{
	const ir_attrs *a = gradient_attrs(g, OP_transpose);

	return gradient_call(g, OP_transpose,
			     gradient_with_ints(g, a, "axes", axes, n), 1, x);
}

bool
gradient_of_transpose(struct gradient *g)
{
	const ir_attr *axes = ir_attrs_get(g->call->attrs, "axes");
	const struct ir_tensor_type *t = gradient_tensor(gradient_arg(g, 0));
	int64_t back[GRADIENT_MAX_NDIM];

	if (t->ndim > GRADIENT_MAX_NDIM)
		return gradient_unsupported(g, "of so many axes");
	if (!axes || axes->kind != ATTR_ARRAY || axes->n == 0) {
		g->to[0] = gradient_call(g, OP_transpose, g->call->attrs, 1,
					 g->grad);
		return true;
	}
	for (uint32_t i = 0; i < axes->n; i++) {
		int64_t a = ir_attr_elem_int(axes, i);

		back[a < 0 ? a + t->ndim : a] = i;
	}
	g->to[0] = transpose(g, g->grad, back, axes->n);
	return true;
}

/* X cut along AXIS at the N places AT. */
static const ir_expr *
cut(struct gradient *g, const ir_expr *x, const int64_t *at, uint32_t n,
    int64_t axis)
{
	const ir_attrs *a = gradient_attrs(g, OP_split);

	a = gradient_with_ints(g, a, "indices_or_sections", at, n);
	a = ir_attrs_with(g->b.m->cx, a, "axis", ATTR_INT32(axis));
	return gradient_call(g, OP_split, a, 1, x);
}

/* The fields of the argument; their number, or 0 if that is no tuple. */
static uint32_t
fields_of(struct gradient *g)
{
	const ir_type *t = gradient_arg(g, 0)->type;

	return t->kind == TYPE_TUPLE ? ir_as_tuple_type(t)->nfields : 0;
}

bool
gradient_of_concatenate(struct gradient *g)
{
	const struct ir_tuple_type *t =
		ir_as_tuple_type(gradient_arg(g, 0)->type);
	uint32_t n = fields_of(g);
	int64_t *at = ARENA_NEW_ARRAY(g->cx->scratch, n, int64_t);
	int64_t axis = ir_attrs_int(g->call->attrs, "axis", 0);
	int64_t end = 0;

	if (n == 1) {
		g->to[0] = ir_new_tuple(g->b.m, g->b.loc, &g->grad, 1);
		return true;
	}
	for (uint32_t i = 0; i + 1 < n; i++) {
		const struct ir_tensor_type *x =
			ir_as_tensor_type(t->fields[i]);
		struct ir_dim d = x->shape[axis < 0 ? axis + x->ndim : axis];

		if (!ir_dim_is_const(d))
			return gradient_unsupported(
				g, "where extents are unknown");
		at[i] = end += d.value;
	}
	g->to[0] = cut(g, g->grad, at, n - 1, axis);
	return true;
}

bool
gradient_of_split(struct gradient *g)
{
	int64_t axis = ir_attrs_int(g->call->attrs, "axis", 0);

	g->to[0] =
		opcall_unary_int(&g->b, OP_concatenate, g->grad, "axis", axis);
	return true;
}

bool
gradient_of_stack(struct gradient *g)
{
	uint32_t n = fields_of(g);
	const ir_expr **parts =
		ARENA_NEW_ARRAY(g->cx->scratch, n, const ir_expr *);
	int64_t axis = ir_attrs_int(g->call->attrs, "axis", 0);
	const ir_expr *split = opcall_split(&g->b, g->grad, n, axis);

	for (uint32_t i = 0; i < n; i++)
		parts[i] = opcall_squeeze(
			&g->b, ir_new_proj(g->b.m, g->b.loc, split, i), axis);
	g->to[0] = ir_new_tuple(g->b.m, g->b.loc, parts, n);
	return true;
}

static const ir_expr *
int64_vector(struct gradient *g, const int64_t *v, uint32_t n)
{
	int64_t shape = n;
	ir_tensor *t = ir_tensor_new(DTYPE(INT, 64), &shape, 1);
	const ir_expr *e;

	for (uint32_t i = 0; i < n; i++)
		ir_tensor_set_int(t, i, v[i]);
	e = ir_new_constant(g->b.m, g->b.loc, t);
	ir_tensor_unref(t);
	return e;
}

static int64_t
elem_or(const ir_attr *a, uint32_t i, int64_t deflt)
{
	if (!a || a->kind != ATTR_ARRAY || i >= a->n ||
	    a->elems[i].kind != ATTR_INT)
		return deflt;
	return ir_attr_elem_int(a, i);
}

/*
 * What strided_slice took, for all axes of a tensor of type T: from where, and
 * by which steps. How far is known from the result.
 */
static void
slice_places(struct gradient *g, const struct ir_tensor_type *t,
	     const struct ir_tensor_type *out, int64_t *begin, int64_t *end,
	     int64_t *step)
{
	const ir_attrs *a = g->call->attrs;
	const ir_attr *axes = ir_attrs_get(a, "axes");
	const ir_attr *from = ir_attrs_get(a, "begin");
	const ir_attr *by = ir_attrs_get(a, "strides");
	bool size_mode = !strcmp(ir_attrs_string(a, "slice_mode"), "size");
	uint32_t n = from && from->kind == ATTR_ARRAY ? from->n : 0;

	for (uint32_t i = 0; i < t->ndim; i++) {
		begin[i] = 0;
		step[i] = 1;
	}
	for (uint32_t k = 0; k < n; k++) {
		int64_t axis = elem_or(axes, k, k);
		int64_t extent, b;

		if (axis < 0)
			axis += t->ndim;
		extent = t->shape[axis].value;
		step[axis] = size_mode ? 1 : elem_or(by, k, 1);
		b = elem_or(from, k, step[axis] < 0 ? extent - 1 : 0);
		if (b < 0)
			b += extent;
		if (b < 0)
			b = 0;
		if (b >= extent)
			b = step[axis] < 0 ? extent - 1 : extent;
		begin[axis] = b;
	}
	for (uint32_t i = 0; i < t->ndim; i++) {
		end[i] = begin[i] + step[i] * out->shape[i].value;
		/* Below zero would count from the end. */
		if (end[i] < 0)
			end[i] -= t->shape[i].value;
	}
}

bool
gradient_of_strided_slice(struct gradient *g)
{
	const ir_expr *x = gradient_arg(g, 0);
	const struct ir_tensor_type *t = gradient_static(g, x);
	const struct ir_tensor_type *out =
		t ? gradient_static(g, &g->call->base) : NULL;
	int64_t begin[GRADIENT_MAX_NDIM];
	int64_t end[GRADIENT_MAX_NDIM];
	int64_t step[GRADIENT_MAX_NDIM];

	if (!out)
		return false;
	slice_places(g, t, out, begin, end, step);
	g->to[0] = gradient_call(
		g, OP_strided_set, NULL, 5, gradient_unary(g, OP_zeros_like, x),
		g->grad, int64_vector(g, begin, t->ndim),
		int64_vector(g, end, t->ndim), int64_vector(g, step, t->ndim));
	return true;
}

/* Zeros like INTO, plus UPDATES at INDICES. */
static const ir_expr *
scatter_add(struct gradient *g, const ir_expr *into, const ir_expr *indices,
	    const ir_expr *updates)
{
	const ir_attrs *a = gradient_attrs(g, OP_scatter_nd);
	ir_context *cx = g->b.m->cx;

	a = ir_attrs_with(cx, a, "mode", ATTR_STR(ir_name(cx, "add")));
	return gradient_call(g, OP_scatter_nd, a, 3, into, indices, updates);
}

bool
gradient_of_gather_nd(struct gradient *g)
{
	const ir_expr *x = gradient_arg(g, 0);

	if (ir_attrs_int(g->call->attrs, "batch_dims", 0) != 0)
		return gradient_unsupported(g, "with batch_dims");
	g->to[0] = scatter_add(g, gradient_unary(g, OP_zeros_like, x),
			       gradient_arg(g, 1), g->grad);
	return true;
}

/* Indices as take reads those that are out of range. */
static const ir_expr *
indices_in_range(struct gradient *g, int64_t extent)
{
	const ir_expr *i = gradient_arg(g, 1);
	struct dtype dtype = gradient_tensor(i)->dtype;
	const char *mode = ir_attrs_string(g->call->attrs, "mode");
	const ir_expr *zero = ir_new_scalar_int(g->b.m, g->b.loc, dtype, 0);
	const ir_expr *n;

	if (!strcmp(mode, "clip")) {
		n = ir_new_scalar_int(g->b.m, g->b.loc, dtype, extent - 1);
		i = gradient_binary(g, OP_minimum, i, n);
		return gradient_binary(g, OP_maximum, i, zero);
	}
	if (strcmp(mode, "wrap") != 0)
		return i;
	n = ir_new_scalar_int(g->b.m, g->b.loc, dtype, extent);
	return gradient_binary(g, OP_floor_mod, i, n);
}

static int64_t
product(const struct ir_tensor_type *t, uint32_t from, uint32_t to)
{
	int64_t n = 1;

	for (uint32_t i = from; i < to; i++)
		n *= t->shape[i].value;
	return n;
}

/*
 * The gradient as a matrix: a row for each index, which says where in x's
 * axis it goes; x is seen as (before, axis, behind).
 */
static void
take_along(struct gradient *g, const struct ir_tensor_type *t,
	   const struct ir_tensor_type *indices, uint32_t axis)
{
	static const int64_t swap[] = {1, 0, 2};
	ir_context *cx = g->b.m->cx;
	int64_t before = product(t, 0, axis);
	int64_t behind = product(t, axis + 1, t->ndim);
	int64_t extent = t->shape[axis].value;
	int64_t n = product(indices, 0, indices->ndim);
	int64_t rows[] = {1, n};
	int64_t blocks[] = {before, n, behind};
	int64_t shape[] = {extent, before, behind};
	const ir_attrs *a = gradient_attrs(g, OP_zeros);
	const ir_expr *sum;

	a = gradient_with_ints(g, a, "shape", shape, 3);
	a = ir_attrs_with(cx, a, "dtype", ATTR_DT(t->dtype));
	sum = scatter_add(
		g, gradient_call(g, OP_zeros, a, 0),
		opcall_reshape(&g->b, indices_in_range(g, extent), rows, 2),
		transpose(g, opcall_reshape(&g->b, g->grad, blocks, 3), swap,
			  3));
	g->to[0] = gradient_call(
		g, OP_reshape_like, gradient_attrs(g, OP_reshape_like), 2,
		transpose(g, sum, swap, 3), gradient_arg(g, 0));
}

bool
gradient_of_take(struct gradient *g)
{
	const struct ir_tensor_type *t = gradient_static(g, gradient_arg(g, 0));
	const struct ir_tensor_type *i =
		t ? gradient_static(g, gradient_arg(g, 1)) : NULL;
	const ir_attr *axis = ir_attrs_get(g->call->attrs, "axis");
	struct ir_tensor_type *flat;
	int64_t at;

	if (!i)
		return false;
	if (ir_attrs_int(g->call->attrs, "batch_dims", 0) != 0)
		return gradient_unsupported(g, "with batch_dims");
	if (axis && axis->kind == ATTR_INT) {
		at = ir_attrs_int(g->call->attrs, "axis", 0);
		take_along(g, t, i, (uint32_t)(at < 0 ? at + t->ndim : at));
		return true;
	}
	flat = arena_alloc(g->cx->scratch,
			   sizeof(*flat) + sizeof(struct ir_dim));
	flat->dtype = t->dtype;
	flat->ndim = 1;
	flat->shape[0] = DIM(product(t, 0, t->ndim));
	take_along(g, flat, i, 0);
	return true;
}

/* The value where the index is goes into "on", all others into "off". */
bool
gradient_of_one_hot(struct gradient *g)
{
	const ir_attrs *a = g->call->attrs;
	const struct ir_tensor_type *t = gradient_tensor(&g->call->base);
	const ir_expr *one = opcall_scalar(&g->b, t->dtype, 1);
	const ir_expr *zero = opcall_scalar(&g->b, t->dtype, 0);
	const ir_expr *hot = gradient_call(g, OP_one_hot, a, 3,
					   gradient_arg(g, 0), one, zero);
	const ir_attrs *all = gradient_attrs(g, OP_sum);
	const ir_expr *sum = gradient_call(g, OP_sum, all, 1, g->grad);

	g->to[1] =
		gradient_call(g, OP_sum, all, 1, gradient_mul(g, g->grad, hot));
	g->to[2] = gradient_sub(g, sum, g->to[1]);
	return true;
}
