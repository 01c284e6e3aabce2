/*
 * Pooling over windows of one, two and three axes, in any layout.
 */
#include "te/compute/computes.h"

#include <string.h>

#include "te/compute/layout.h"
#include "te/compute/qnn.h"

struct pool {
	struct te_call *c;
	struct te_tensor *x;
	int n;       /* spatial axes */
	int axis[3]; /* where they stand */
	int64_t size[3], stride[3], dilation[3];
	int64_t before[3], after[3];
};

static bool
find_axes(struct pool *p, struct te_call *c)
{
	struct ir_layout l;
	char letters[4];

	*p = (struct pool){.c = c, .x = c->in[0]};
	if (!te_attr_layout(c, "layout", "NCHW", &l))
		return false;
	if (l.n != p->x->ndim)
		return te_error(c, "the layout does not fit the data");
	p->n = te_spatial_letters(&l, letters);
	for (int k = 0; k < p->n; k++)
		p->axis[k] = ir_layout_index(&l, letters[k]);
	return true;
}

static bool
spread(struct te_call *c, const char *name, int n, int64_t *out)
{
	int count = te_attr_ints(c, name, out, 3);

	if (count != 1 && count != n)
		return te_error(c, "%s is not known", name);
	for (int k = count; k < n; k++)
		out[k] = out[0];
	return true;
}

static bool
read_pool(struct pool *p, struct te_call *c)
{
	return find_axes(p, c) && spread(c, "pool_size", p->n, p->size) &&
	       spread(c, "strides", p->n, p->stride) &&
	       spread(c, "dilation", p->n, p->dilation) &&
	       te_attr_padding(c, p->n, p->before, p->after);
}

static bool
has_windows(struct pool *p)
{
	for (int k = 0; k < p->n; k++)
		if (p->size[k] < 1 || p->stride[k] < 1 || p->dilation[k] < 1)
			return te_error(p->c, "windows and their strides must "
					      "be positive");
	return true;
}

static bool
is_spatial(const struct pool *p, uint32_t axis)
{
	for (int k = 0; k < p->n; k++)
		if (p->axis[k] == (int)axis)
			return true;
	return false;
}

/* The same for an extent that only the run knows. */
static int64_t
unknown_back(struct pool *p, int k, int64_t out, int64_t in)
{
	struct te_call *c = p->c;
	const tir_expr *reach;

	/* Windows end where the data does, or before. */
	if (!ir_attrs_get(c->attrs, "ceil_mode") ||
	    !te_attr_bool(c, "ceil_mode"))
		return p->after[k];
	reach = te_muli(c, te_addi(c, te_dim(c, out), -1), p->stride[k]);
	reach = te_addi(c, reach,
			(p->size[k] - 1) * p->dilation[k] + 1 - p->before[k]);
	reach = te_sub(c, reach, te_dim(c, in));
	return te_dim_of(c, te_max(c, reach, te_dim(c, p->after[k])));
}

/* Fill up the back so that the last window (ceil_mode) stays inside. */
static struct te_tensor *
padded(struct pool *p, const tir_expr *value)
{
	struct te_call *c = p->c;
	int64_t front[TE_MAX_RANK] = {0};
	int64_t back[TE_MAX_RANK] = {0};
	int64_t shape[TE_MAX_RANK];

	te_out_shape(c, 0, shape);
	for (int k = 0; k < p->n; k++) {
		int64_t out = shape[p->axis[k]];
		int64_t in = p->x->shape[p->axis[k]];

		if (te_is_size(in) || te_is_size(out)) {
			front[p->axis[k]] = p->before[k];
			back[p->axis[k]] = unknown_back(p, k, out, in);
			continue;
		}
		int64_t reach = (out - 1) * p->stride[k] +
				(p->size[k] - 1) * p->dilation[k] + 1;

		front[p->axis[k]] = p->before[k];
		back[p->axis[k]] = reach - in - p->before[k];
		if (back[p->axis[k]] < p->after[k])
			back[p->axis[k]] = p->after[k];
	}
	return te_pad_with(c, p->x, "pad_temp", front, back, value);
}

/* V as it is added up: small integers would wrap. */
static const tir_expr *
summand(struct te_call *c, enum te_combiner how, const tir_expr *v)
{
	if (how == TE_SUM && dtype_is_int(v->dtype) && v->dtype.bits < 32)
		return te_cast(c, DTYPE(INT, 32), v);
	return v;
}

/* A fold over the window at the output's place, over tensor X. */
static struct te_tensor *
fold_window(struct pool *p, struct te_tensor *x, enum te_combiner how)
{
	static const char *const names[] = {"rv0", "rv1", "rv2"};
	struct te_call *c = p->c;
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *index[TE_MAX_RANK];

	for (uint32_t i = 0; i < b->ndim; i++)
		index[i] = b->i[i];
	for (int k = 0; k < p->n; k++) {
		const tir_expr *r = te_fold_axis(b, names[k], p->size[k]);

		index[p->axis[k]] =
			te_add(c, te_muli(c, b->i[p->axis[k]], p->stride[k]),
			       te_muli(c, r, p->dilation[k]));
	}
	return te_end_fold(b, how, summand(c, how, te_get(c, x, index)));
}

bool
compute_nn_max_pool(struct te_call *c)
{
	struct pool p;

	if (!read_pool(&p, c))
		return false;
	return te_output(
		c, 0,
		fold_window(&p, padded(&p, te_lowest(c, p.x->dtype)), TE_MAX));
}

/* How many taps of axis K count for output index O. */
static const tir_expr *
taps(struct pool *p, int k, const tir_expr *o, bool include_pad)
{
	struct te_call *c = p->c;
	int64_t in = p->x->shape[p->axis[k]];
	int64_t d = p->dilation[k];
	const tir_expr *start =
		te_addi(c, te_muli(c, o, p->stride[k]), -p->before[k]);
	const tir_expr *end = te_addi(c, start, (p->size[k] - 1) * d);
	const tir_expr *skip;

	if (include_pad) {
		end = te_min(c, end,
			     te_addi(c, te_int(c, in), p->after[k] - 1));
		return te_addi(c, te_divi(c, te_sub(c, end, start), d), 1);
	}
	end = te_min(c, end, te_addi(c, te_int(c, in), -1));
	skip = te_max(c, te_int(c, 0),
		      te_truncdiv(c, te_sub(c, te_int(c, d - 1), start),
				  te_int(c, d)));
	start = te_add(c, start, te_muli(c, skip, d));
	return te_addi(c, te_divi(c, te_sub(c, end, start), d), 1);
}

static bool
counts_the_same(const struct pool *p, bool include_pad)
{
	for (int k = 0; k < p->n; k++) {
		int64_t out, in = p->x->shape[p->axis[k]];

		if (te_is_size(in)) {
			if (te_attr_bool(p->c, "ceil_mode") ||
			    (!include_pad && (p->before[k] || p->after[k])))
				return false;
			continue;
		}
		out = p->c->out_type[0]->shape[p->axis[k]].value;
		int64_t last = (out - 1) * p->stride[k] - p->before[k] +
			       (p->size[k] - 1) * p->dilation[k];

		if (last >= in + (include_pad ? p->after[k] : 0))
			return false;
		if (!include_pad && p->before[k] > 0)
			return false;
	}
	return true;
}

static const tir_expr *
divide(struct te_call *c, const tir_expr *sum, const tir_expr *count)
{
	count = te_cast(c, sum->dtype, count);
	return dtype_is_float(sum->dtype) ? te_div(c, sum, count)
					  : te_truncdiv(c, sum, count);
}

bool
compute_nn_avg_pool(struct te_call *c)
{
	struct pool p;
	struct te_tensor *sum;
	struct te_body *b;
	const tir_expr *count = NULL;
	bool include_pad = te_attr_bool(c, "count_include_pad");

	if (!read_pool(&p, c))
		return false;
	if (c->op->id == OP_qnn_avg_pool2d)
		p.x = te_requantize(c, p.x, 1, 3);
	sum = fold_window(&p, padded(&p, te_zero(c, p.x->dtype)), TE_SUM);
	b = te_begin_out(c, NULL, 0);
	for (int k = 0; k < p.n; k++) {
		const tir_expr *t =
			counts_the_same(&p, include_pad)
				? te_int(c, p.size[k])
				: taps(&p, k, b->i[p.axis[k]], include_pad);

		count = count ? te_mul(c, count, t) : t;
	}
	if (!counts_the_same(&p, include_pad))
		count = te_max(c, count, te_int(c, 1));
	count = divide(c, te_get(c, sum, b->i), count);
	return te_output(c, 0,
			 te_end(b, te_saturate(c, te_out_dtype(c, 0), count)));
}

/* GRAD and the data agree in the axes that no window goes along. */
static bool
same_but_for_windows(const struct pool *p, const struct te_tensor *grad)
{
	bool ok = grad->ndim == p->x->ndim;

	for (uint32_t i = 0; ok && i < grad->ndim; i++) {
		bool pooled = false;

		for (int k = 0; k < p->n; k++)
			pooled = pooled || p->axis[k] == (int)i;
		ok = pooled || te_is_size(grad->shape[i]) ||
		     te_is_size(p->x->shape[i]) ||
		     grad->shape[i] == p->x->shape[i];
	}
	return ok;
}

/*
 * The gradient of the average, for (gradient of the result, data): each
 * element gets its share of every window that it is in.
 */
bool
compute_nn_avg_pool2d_grad(struct te_call *c)
{
	bool include_pad = te_attr_bool(c, "count_include_pad");
	const tir_expr *index[TE_MAX_RANK], *count = NULL, *cond = NULL, *v;
	const struct te_tensor *grad = c->in[0];
	struct te_body *b;
	struct pool p;

	if (!read_pool(&p, c) || !has_windows(&p))
		return false;
	if (c->in[1]->ndim != grad->ndim)
		return te_error(c, "gradient and data differ in rank");
	for (uint32_t i = 0; i < grad->ndim; i++)
		if (!is_spatial(&p, i) &&
		    !te_require_equal(c, c->in[1]->shape[i], grad->shape[i],
				      "gradient and data do not fit"))
			return false;
	p.x = c->in[1];
	if (!same_but_for_windows(&p, grad))
		return te_error(c, "the gradient does not fit the data");
	b = te_begin_out(c, NULL, 0);
	for (uint32_t i = 0; i < b->ndim; i++)
		index[i] = b->i[i];
	for (int k = 0; k < p.n; k++) {
		int axis = p.axis[k];
		const tir_expr *r =
			te_fold_axis(b, k ? "rv1" : "rv0", p.size[k]);
		const tir_expr *at =
			te_sub(c, te_addi(c, b->i[axis], p.before[k]),
			       te_muli(c, r, p.dilation[k]));
		const tir_expr *o = te_divi(c, at, p.stride[k]), *t;
		const tir_expr *ok =
			te_and(c,
			       te_cmp(c, TIR_EQ, te_modi(c, at, p.stride[k]),
				      te_int(c, 0)),
			       te_within(c, o, 0, grad->shape[axis]));

		cond = cond ? te_and(c, cond, ok) : ok;
		t = te_max(c, taps(&p, k, o, include_pad), te_int(c, 1));
		count = count ? te_mul(c, count, t) : t;
		index[axis] = o;
	}
	v = divide(c, te_get(c, grad, index), count);
	return te_output(
		c, 0,
		te_end_fold(b, TE_SUM,
			    te_guard(c, cond, v, te_zero(c, v->dtype))));
}

/*
 * Adaptive: output o of n takes [floor(o * in / n), ceil((o + 1) * in / n)).
 * Windows differ in size, so the fold runs over the largest and drops what is
 * outside.
 */
struct window {
	const tir_expr *begin;
	const tir_expr *end;
};

static struct window
window_at(struct pool *p, int k, const tir_expr *o)
{
	struct te_call *c = p->c;
	int64_t in = p->x->shape[p->axis[k]], shape[TE_MAX_RANK], n;
	struct window w;

	te_out_shape(c, 0, shape);
	n = shape[p->axis[k]];
	w.begin = te_divi(c, te_muli(c, o, in), n);
	w.end = te_muli(c, te_addi(c, o, 1), in);
	w.end = te_divi(c, te_addi(c, te_addi(c, w.end, n), -1), n);
	return w;
}

/* N windows of one size make up an axis of IN elements. */
static bool
divides(int64_t n, int64_t in)
{
	return n == 1 || n == in ||
	       (!te_is_size(in) && !te_is_size(n) && n > 0 && in % n == 0);
}

static struct te_tensor *
fold_adaptive(struct pool *p, enum te_combiner how)
{
	static const char *const names[] = {"rv0", "rv1", "rv2"};
	struct te_call *c = p->c;
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *index[TE_MAX_RANK];
	const tir_expr *cond = NULL;

	for (uint32_t i = 0; i < b->ndim; i++)
		index[i] = b->i[i];
	for (int k = 0; k < p->n; k++) {
		int64_t in = p->x->shape[p->axis[k]];
		int64_t n = b->shape[p->axis[k]];
		struct window w = window_at(p, k, b->i[p->axis[k]]);
		bool even = divides(n, in);
		int64_t most = n == in ? 1 : te_dim_div(c, in, n);
		const tir_expr *r;
		const tir_expr *ok;

		if (!even)
			most = te_dim_min(c, te_dim_add(c, most, 2), in);
		r = te_fold_axis(b, names[k], most);
		index[p->axis[k]] = te_add(c, w.begin, r);
		if (even)
			continue;
		ok = te_cmp(c, TIR_LT, index[p->axis[k]], w.end);
		cond = cond ? te_and(c, cond, ok) : ok;
		index[p->axis[k]] = te_min(c, index[p->axis[k]],
					   te_addi(c, te_int(c, in), -1));
	}
	return te_end_fold_where(b, how,
				 summand(c, how, te_get(c, p->x, index)), cond);
}

static bool
is_max(const struct te_call *c)
{
	return strstr(c->op->name, "max") != NULL;
}

/* Adaptive and global pools. */
bool
compute_nn_adaptive_pool(struct te_call *c)
{
	struct pool p;
	struct te_tensor *sum;
	struct te_body *b;
	const tir_expr *count = NULL;

	if (!find_axes(&p, c))
		return false;
	if (is_max(c))
		return te_output(c, 0, fold_adaptive(&p, TE_MAX));
	sum = fold_adaptive(&p, TE_SUM);
	b = te_begin_out(c, NULL, 0);
	for (int k = 0; k < p.n; k++) {
		struct window w = window_at(&p, k, b->i[p.axis[k]]);
		int64_t in = p.x->shape[p.axis[k]];
		int64_t n = b->shape[p.axis[k]];
		const tir_expr *t =
			divides(n, in)
				? te_int(c, n == in ? 1 : te_dim_div(c, in, n))
				: te_sub(c, w.end, w.begin);

		count = count ? te_mul(c, count, t) : t;
	}
	count = divide(c, te_get(c, sum, b->i), count);
	return te_output(c, 0,
			 te_end(b, te_cast(c, te_out_dtype(c, 0), count)));
}
