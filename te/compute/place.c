/*
 * Places computed from values: coordinates, insertion points, lists of
 * entries, regions that begin where a tensor says.
 */
#include "te/compute/routine.h"

/* I, counted from the end if negative, kept inside of N. */
static const tir_expr *
safe_index(struct te_call *c, const tir_expr *i, int64_t n)
{
	i = te_cast(c, c->index, i);
	i = te_select(c, te_cmp(c, TIR_LT, i, te_int(c, 0)), te_addi(c, i, n),
		      i);
	return te_max(c, te_int(c, 0),
		      te_min(c, i, te_addi(c, te_int(c, n), -1)));
}

/* in[0] indexed by in[1].., which are broadcast together. */
bool
compute_adv_index(struct te_call *c)
{
	const struct te_tensor *x = c->in[0];
	struct te_body *b = te_begin_out(c, NULL, 0);
	uint32_t n = c->nin - 1, ndim = b->ndim + n - x->ndim;
	const tir_expr *index[TE_MAX_RANK];

	for (uint32_t k = 0; k < n; k++)
		if (x->shape[k] == 0)
			return te_error(c, "there is nothing to read from");
	for (uint32_t k = 0; k < n; k++)
		index[k] = safe_index(
			c, te_get_broadcast(c, c->in[k + 1], b->i, ndim),
			x->shape[k]);
	for (uint32_t k = n; k < x->ndim; k++)
		index[k] = b->i[ndim + k - n];
	return te_output(c, 0, te_end(b, te_get(c, x, index)));
}

/* Entry K of the vector T, or DEFLT where T is shorter. */
static const tir_expr *
entry(struct te_call *c, const struct te_tensor *t, uint32_t k, int64_t deflt)
{
	const tir_expr *v, *there;

	if (!te_is_size(t->shape[0]) && k >= t->shape[0])
		return te_int(c, deflt);
	v = te_cast(c, c->index, te_at(c, t, te_int(c, k)));
	if (!te_is_size(t->shape[0]))
		return v;
	there = te_cmp(c, TIR_LT, te_int(c, k), te_int(c, t->shape[0]));
	return te_guard(c, there, v, te_int(c, deflt));
}

/* Coordinate i[0] of a flat index, for the shape in in[1]. */
bool
compute_unravel_index(struct te_call *c)
{
	const struct te_tensor *x = c->in[0], *shape = c->in[1];
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *left = x->ndim ? te_at(c, x, b->i[1]) : te_get0(c, x);
	const tir_expr *v = te_zero(c, x->dtype), *extent;
	struct dtype t = x->dtype;
	int64_t n;

	n = te_is_size(shape->shape[0]) ? TE_MAX_RANK : shape->shape[0];
	if (n > TE_MAX_RANK)
		return te_error(c, "a shape of %lld extents", (long long)n);
	for (int64_t k = n - 1; k >= 0; k--) {
		extent = te_max(c, te_lit_int(c, t, 1),
				te_cast(c, t, entry(c, shape, (uint32_t)k, 1)));
		v = te_select(c, te_cmp(c, TIR_EQ, b->i[0], te_int(c, k)),
			      te_mod(c, left, extent), v);
		left = te_div(c, left, extent);
	}
	return te_output(c, 0, te_end(b, v));
}

/* How many elements of the sorted sequence stand before a value. */
bool
compute_searchsorted(struct te_call *c)
{
	const struct te_tensor *sorted = c->in[0], *values = c->in[1];
	struct te_body *b = te_begin_out(c, NULL, 0);
	enum tir_kind before = te_attr_bool(c, "right") ? TIR_LE : TIR_LT;
	const tir_expr *index[TE_MAX_RANK], *hit;
	struct dtype t = te_out_dtype(c, 0);
	uint32_t last = sorted->ndim - 1;

	for (uint32_t k = 0; k < last; k++)
		index[k] = b->i[k];
	index[last] = te_fold_axis(b, "k", sorted->shape[last]);
	hit = te_cmp(c, before, te_get(c, sorted, index),
		     te_cast(c, sorted->dtype, te_get(c, values, b->i)));
	return te_output(c, 0, te_end_fold(b, TE_SUM, te_cast(c, t, hit)));
}

/* out[x[k]] = k */
bool
compute_invert_permutation(struct te_call *c)
{
	const struct te_tensor *x = c->in[0];
	struct te_body *b;
	struct dtype t = x->dtype;
	struct te_tensor *none, *place, *out[1];
	struct te_extern *call;

	if (x->ndim != 1)
		return te_error(c, "a permutation has rank 1");
	b = te_begin_out(c, "none", 0);
	none = te_end(b, te_zero(c, t));
	b = te_begin_out(c, "place", 0);
	place = te_end(b, te_cast(c, t, b->i[0]));
	call = te_extern_begin(c, NULL, "relay_scatter_elements");
	te_extern_output(call, t, x->shape, 1);
	te_extern_tensor(call, none);
	te_extern_tensor(call, c->in[0]);
	te_extern_tensor(call, place);
	te_extern_int(call, 0);
	te_extern_int(call, 0);
	te_extern_int(call, routine_dtype(t));
	te_extern_int(call, routine_dtype(t));
	te_extern_int(call, 1);
	for (int i = 0; i < 12; i++)
		te_extern_int(call, i % 6 ? 1 : x->shape[0]);
	te_extern_end(call, out);
	return te_output(c, 0, out[0]);
}

/* T has no entry K. */
static const tir_expr *
is_short(struct te_call *c, const struct te_tensor *t, uint32_t k)
{
	return te_cmp(c, TIR_LE, te_int(c, t->shape[0]), te_int(c, k));
}

static const tir_expr *
from_end(struct te_call *c, const tir_expr *i, int64_t n)
{
	return te_select(c, te_cmp(c, TIR_LT, i, te_int(c, 0)),
			 te_addi(c, i, n), i);
}

/*
 * The place along axis K of element I in the region of strided_set; *INSIDE
 * says whether there is one.
 */
static const tir_expr *
region_place(struct te_call *c, const tir_expr *i, uint32_t k,
	     const tir_expr **inside)
{
	int64_t n = c->in[0]->shape[k];
	const tir_expr *zero = te_int(c, 0);
	const tir_expr *stride = entry(c, c->in[4], k, 1);
	const tir_expr *up = te_cmp(c, TIR_GT, stride, zero);
	const tir_expr *begin = from_end(c, entry(c, c->in[2], k, 0), n);
	const tir_expr *end =
		te_select(c, is_short(c, c->in[3], k),
			  te_select(c, up, te_int(c, n), te_int(c, -1)),
			  from_end(c, entry(c, c->in[3], k, n), n));
	const tir_expr *step =
		te_max(c, te_int(c, 1),
		       te_select(c, up, stride, te_sub(c, zero, stride)));
	const tir_expr *gone;

	begin = te_select(c, is_short(c, c->in[2], k),
			  te_select(c, up, zero, te_addi(c, te_int(c, n), -1)),
			  begin);
	gone = te_select(c, up, te_sub(c, i, begin), te_sub(c, begin, i));
	*inside = te_and(c, te_cmp(c, TIR_GE, gone, zero),
			 te_select(c, up, te_cmp(c, TIR_LT, i, end),
				   te_cmp(c, TIR_GT, i, end)));
	*inside = te_and(c, *inside,
			 te_cmp(c, TIR_EQ, te_mod(c, gone, step), zero));
	return te_div(c, gone, step);
}

bool
compute_strided_set(struct te_call *c)
{
	const struct te_tensor *x = c->in[0], *v = c->in[1];
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *index[TE_MAX_RANK], *all = NULL, *inside;

	if (v->ndim != x->ndim)
		return te_error(c, "data and values differ in rank");
	for (uint32_t k = 0; k < x->ndim; k++) {
		index[k] = region_place(c, b->i[k], k, &inside);
		inside = te_and(c, inside,
				te_within(c, index[k], 0, v->shape[k]));
		all = all ? te_and(c, all, inside) : inside;
	}
	if (!all)
		return te_output(c, 0, te_end(b, te_get0(c, v)));
	return te_output(c, 0,
			 te_end(b, te_guard(c, all, te_get(c, v, index),
					    te_get(c, x, b->i))));
}

enum { MAX_SPARSE_RANK = 6 };

/* Later entries win. */
/* T with elements of another type. */
static struct te_tensor *
as_type(struct te_call *c, struct te_tensor *t, struct dtype type)
{
	struct te_body *b;

	if (dtype_equal(t->dtype, type))
		return t;
	b = te_begin_like(c, "rest", t);
	return te_end(b, te_cast(c, type, te_get(c, t, b->i)));
}

bool
compute_sparse_to_dense(struct te_call *c)
{
	const struct te_tensor *at = c->in[0], *values = c->in[1];
	int64_t shape[TE_MAX_RANK];
	uint32_t ndim = te_out_shape(c, 0, shape);
	struct te_extern *x;

	if (ndim > MAX_SPARSE_RANK)
		return te_error(c, "the result has more than %d axes",
				MAX_SPARSE_RANK);
	if (at->ndim == 2 ? !te_is_size(at->shape[1]) && at->shape[1] != ndim
			  : ndim != 1)
		return te_error(c, "the places do not fit the result");
	if (at->ndim == 2 &&
	    !te_require_equal(c, at->shape[1], ndim,
			      "the places do not fit the result"))
		return false;
	if (values->ndim &&
	    !ROUTINE_EXPECT(c, 1, values->dtype, at->ndim ? at->shape[0] : 1))
		return false;
	if (!routine_expect_value(c, 2))
		return false;
	x = routine_begin(c, "relay_sparse_to_dense");
	routine_inputs(c, x, 2);
	te_extern_tensor(x, as_type(c, c->in[2], values->dtype));
	te_extern_int(x, at->ndim ? at->shape[0] : 1);
	te_extern_int(x, values->ndim == 0);
	te_extern_int(x, routine_dtype(values->dtype));
	te_extern_int(x, routine_dtype(at->dtype));
	te_extern_int(x, ndim);
	for (uint32_t i = 0; i < MAX_SPARSE_RANK; i++)
		te_extern_int(x, i < ndim ? shape[i] : 1);
	return routine_end(c, x);
}

/* How many entries the vector T has at most. */
static uint32_t
length(const struct te_tensor *t)
{
	return te_is_size(t->shape[0]) ? TE_MAX_RANK : (uint32_t)t->shape[0];
}

/* The product of the entries of the vector T that are not negative. */
static const tir_expr *
product(struct te_call *c, const struct te_tensor *t)
{
	const tir_expr *p = te_lit_int(c, t->dtype, 1), *e;

	for (uint32_t k = 0; k < length(t); k++) {
		e = te_cast(c, t->dtype, entry(c, t, k, 1));
		p = te_mul(c, p,
			   te_select(c,
				     te_cmp(c, TIR_LT, e, te_zero(c, e->dtype)),
				     te_lit_int(c, e->dtype, 1), e));
	}
	return p;
}

/* Coordinate K of place I, 0 where there are fewer. */
static const tir_expr *
coordinate(struct te_call *c, const tir_expr *i, uint32_t k)
{
	const struct te_tensor *at = c->in[0];
	const tir_expr *v = te_at(c, at, i, te_int(c, k)), *there;

	if (!te_is_size(at->shape[1]))
		return k < at->shape[1] ? v : te_zero(c, v->dtype);
	there = te_cmp(c, TIR_LT, te_int(c, k), te_int(c, at->shape[1]));
	return te_guard(c, there, v, te_zero(c, v->dtype));
}

/* The new shape, with -1 resolved, and the places in it. */
bool
compute_sparse_reshape(struct te_call *c)
{
	const struct te_tensor *at = c->in[0], *old = c->in[1];
	struct te_body *b = te_begin_out(c, "T_new_shape", 1);
	struct dtype t = at->dtype;
	const tir_expr *e = te_at(c, c->in[2], b->i[0]), *flat, *v, *extent;
	struct te_tensor *shape;
	int64_t places[] = {-1, old->shape[0]};

	if (length(old) > TE_MAX_RANK || length(c->in[2]) > TE_MAX_RANK)
		return te_error(c, "a shape of more than %d extents",
				TE_MAX_RANK);
	if (!te_expect_shape(c, 0, places, 2))
		return false;
	v = te_div(c, te_cast(c, e->dtype, product(c, old)),
		   te_max(c, te_lit_int(c, e->dtype, 1), product(c, c->in[2])));
	shape = te_end(
		b,
		te_select(c, te_cmp(c, TIR_LT, e, te_zero(c, e->dtype)), v, e));
	b = te_begin_out(c, NULL, 0);
	flat = te_zero(c, t);
	for (uint32_t k = 0; k < length(old); k++)
		flat = te_add(
			c, te_mul(c, flat, te_cast(c, t, entry(c, old, k, 1))),
			coordinate(c, b->i[0], k));
	v = te_zero(c, t);
	for (uint32_t k = length(shape); k-- > 0;) {
		extent = te_max(c, te_lit_int(c, t, 1),
				te_cast(c, t, entry(c, shape, k, 1)));
		v = te_select(c, te_cmp(c, TIR_EQ, b->i[1], te_int(c, k)),
			      te_mod(c, flat, extent), v);
		flat = te_div(c, flat, extent);
	}
	te_output(c, 0, te_end(b, v));
	return te_output(c, 1, shape);
}

/* Distinct elements of a vector. */
bool
compute_unique(struct te_call *c)
{
	bool counts = te_attr_bool(c, "return_counts");
	struct te_extern *x = routine_begin(c, counts ? "relay_unique_counts"
						      : "relay_unique");

	routine_inputs(c, x, 1);
	te_extern_int(x, c->in[0]->shape[0]);
	te_extern_int(x, te_attr_bool(c, "sorted"));
	te_extern_int(x, routine_dtype(c->in[0]->dtype));
	return routine_end(c, x);
}
