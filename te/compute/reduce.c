/*
 * Folds over axes: sum, mean, max, argmax, variance and their like.
 */
#include "te/compute/computes.h"

#include <string.h>

struct reduction {
	struct te_call *c;
	struct te_tensor *x;
	bool reduced[TE_MAX_RANK];
	int64_t count; /* elements folded into one */
};

/* Which axes: none given are all; exclude takes the others. */
static void
find_axes(struct reduction *r, struct te_call *c)
{
	int64_t axes[TE_MAX_RANK];
	int n = te_attr_ints(c, "axis", axes, TE_MAX_RANK);
	bool exclude = te_attr_bool(c, "exclude");
	uint32_t ndim = c->in[0]->ndim;

	memset(r, 0, sizeof(*r));
	r->c = c;
	r->x = c->in[0];
	r->count = 1;
	for (uint32_t i = 0; i < ndim; i++)
		r->reduced[i] = n <= 0;
	for (int i = 0; i < n; i++)
		r->reduced[te_axis_of(axes[i], ndim)] = true;
	if (exclude && n > 0)
		for (uint32_t i = 0; i < ndim; i++)
			r->reduced[i] = !r->reduced[i];
	for (uint32_t i = 0; i < ndim; i++)
		if (r->reduced[i])
			r->count = te_dim_mul(c, r->count, r->x->shape[i]);
}

/*
 * The index of an element of the data: fold variables for reduced axes, the
 * output's own for the others. With keepdims they stand at their place.
 */
static void
data_index(const struct reduction *r, struct te_body *b, const tir_expr **index)
{
	static const char *const names[] = {"k",  "k1", "k2", "k3",
					    "k4", "k5", "k6", "k7"};
	bool keep = te_attr_bool(r->c, "keepdims");
	uint32_t out = 0;
	uint32_t folds = 0;

	for (uint32_t i = 0; i < r->x->ndim; i++) {
		if (!r->reduced[i]) {
			index[i] = b->i[keep ? i : out++];
			continue;
		}
		index[i] = te_fold_axis(b, names[folds % 8], r->x->shape[i]);
		folds++;
	}
}

static bool
nothing_reduced(const struct reduction *r)
{
	for (uint32_t i = 0; i < r->x->ndim; i++)
		if (r->reduced[i])
			return false;
	return true;
}

static bool
copy_input(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);

	return te_output(c, 0, te_end(b, te_get(c, c->in[0], b->i)));
}

static enum te_combiner
combiner_of(const struct te_call *c)
{
	switch ((int)c->op->id) {
	case OP_prod:
		return TE_PROD;
	case OP_max:
		return TE_MAX;
	case OP_min:
		return TE_MIN;
	case OP_all:
		return TE_ALL;
	case OP_any:
		return TE_ANY;
	default:
		return dtype_is_bool(c->in[0]->dtype) ? TE_ANY : TE_SUM;
	}
}

/* sum, prod, max, min, all, any. */
bool
compute_reduce(struct te_call *c)
{
	struct reduction r;
	struct te_body *b;
	const tir_expr *index[TE_MAX_RANK];
	enum te_combiner how = combiner_of(c);
	const tir_expr *v;

	find_axes(&r, c);
	if (nothing_reduced(&r))
		return copy_input(c);
	b = te_begin_out(c, NULL, 0);
	data_index(&r, b, index);
	v = te_get(c, r.x, index);
	if (how == TE_ALL || how == TE_ANY)
		v = te_cast(c, DTYPE_BOOL, v);
	return te_output(c, 0, te_end_fold(b, how, v));
}

static bool
is_half(struct dtype t)
{
	return dtype_is_float(t) && t.bits < 32;
}

/* Sums of 16-bit floats are kept in 32 bits. */
static struct dtype
sum_type(struct dtype t)
{
	return is_half(t) ? DTYPE(FLOAT, 32) : t;
}

/* SUM / DIVISOR, in the element type of output 0. */
static bool
divide_sum(struct te_call *c, struct te_tensor *sum, int64_t divisor)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *s = te_get(c, sum, b->i);
	const tir_expr *n = te_lit_extent(c, s->dtype, divisor);
	const tir_expr *v = dtype_is_float(s->dtype) ? te_div(c, s, n)
						     : te_truncdiv(c, s, n);

	return te_output(c, 0, te_end(b, te_cast(c, te_out_dtype(c, 0), v)));
}

bool
compute_mean(struct te_call *c)
{
	struct reduction r;
	struct te_body *b;
	const tir_expr *index[TE_MAX_RANK];

	find_axes(&r, c);
	if (nothing_reduced(&r))
		return copy_input(c);
	if (!dtype_is_float(r.x->dtype) &&
	    !te_require(c, te_cmp(c, TIR_GT, te_dim(c, r.count), te_dim(c, 0)),
			r.count, 1, "the mean of no integers"))
		return false;
	b = te_begin_out(c, NULL, 0);
	data_index(&r, b, index);
	return divide_sum(c,
			  te_end_fold(b, TE_SUM,
				      te_cast(c, sum_type(r.x->dtype),
					      te_get(c, r.x, index))),
			  r.count);
}

/* sum((x - mean)^2) / count; the mean is the second input. */
bool
compute_variance(struct te_call *c)
{
	struct reduction r;
	struct te_body *b;
	const tir_expr *index[TE_MAX_RANK];
	const tir_expr *d;
	struct dtype t;

	for (uint32_t i = 0; i < c->in[0]->ndim; i++)
		if (c->in[1]->shape[i] != 1 &&
		    !te_is_size(c->in[1]->shape[i]) &&
		    !te_is_size(c->in[0]->shape[i]) &&
		    c->in[1]->shape[i] != c->in[0]->shape[i])
			return te_error(c, "the mean does not fit the data");
	find_axes(&r, c);
	t = sum_type(r.x->dtype);
	b = te_begin_out(c, NULL, 0);
	data_index(&r, b, index);
	d = te_sub(
		c, te_cast(c, t, te_get(c, r.x, index)),
		te_cast(c, t, te_get_broadcast(c, c->in[1], index, r.x->ndim)));
	return divide_sum(c, te_end_fold(b, TE_SUM, te_mul(c, d, d)),
			  te_dim_sub(c, r.count, te_attr_bool(c, "unbiased")));
}

static enum te_combiner
arg_combiner(struct te_call *c)
{
	bool last = te_attr_bool(c, "select_last_index");

	if (c->op->id == OP_argmax)
		return last ? TE_ARGMAX_LAST : TE_ARGMAX;
	return last ? TE_ARGMIN_LAST : TE_ARGMIN;
}

/* argmax, argmin: the place, in row-major order over the reduced axes. */
bool
compute_arg_reduce(struct te_call *c)
{
	struct reduction r;
	struct te_body *b;
	const tir_expr *index[TE_MAX_RANK];
	const tir_expr *values[2];
	const tir_expr *place = NULL;
	struct te_tensor *out[2];
	int64_t shape[TE_MAX_RANK];
	uint32_t ndim = te_out_shape(c, 0, shape);

	find_axes(&r, c);
	b = te_begin_many(c, NULL, NULL, shape, ndim, 2);
	data_index(&r, b, index);
	for (uint32_t i = 0; i < r.x->ndim; i++) {
		if (!r.reduced[i])
			continue;
		place = place ? te_add(c, te_muli(c, place, r.x->shape[i]),
				       index[i])
			      : index[i];
	}
	if (!place) {
		b = te_begin_out(c, NULL, 0);
		return te_output(c, 0,
				 te_end(b, te_zero(c, te_out_dtype(c, 0))));
	}
	values[0] = te_cast(c, te_out_dtype(c, 0), place);
	values[1] = te_get(c, r.x, index);
	te_end_fold_many(b, arg_combiner(c), values, NULL, out);
	return te_output(c, 0, out[0]);
}
