/*
 * Sizes of results that attributes or values of tensors decide: reshapes,
 * slices, fills.
 */
#include <string.h>

#include "te/compute/sizes.h"

/* T has more than AT elements. */
static bool
has_element(struct te_call *c, const struct te_tensor *t, int64_t at)
{
	int64_t n = 1;

	for (uint32_t d = 0; d < t->ndim; d++)
		n = te_dim_mul(c, n, t->shape[d]);
	return te_require(c, te_cmp(c, TIR_LT, te_dim(c, at), te_dim(c, n)), at,
			  n, "what decides a shape is too short");
}

/* Indices of element REST of the first D + 1 axes. */
static void
unknown_index(struct te_call *c, const struct te_tensor *t, uint32_t d,
	      int64_t rest, const tir_expr **index)
{
	const tir_expr *left = te_dim(c, rest);

	for (; d > 0; d--) {
		const tir_expr *n =
			te_max(c, te_dim(c, t->shape[d]), te_dim(c, 1));

		index[d] = te_mod(c, left, n);
		left = te_div(c, left, n);
	}
	index[0] = left;
}

bool
sizes_read(struct te_call *c, uint32_t i, int64_t at, const tir_expr **out)
{
	const struct te_tensor *t = c->in[i];
	const tir_expr *index[TE_MAX_RANK];
	const ir_tensor *k = c->constant[i];
	int64_t rest = at;

	if (k && dtype_is_float(k->dtype)) {
		*out = tir_float(c->m, k->dtype, ir_tensor_get_double(k, at));
		return true;
	}
	if (k) {
		*out = te_dim(c, ir_tensor_get_int(k, at));
		return true;
	}
	if (t->op->kind != TE_PARAM)
		return te_error(c, "what decides a shape is computed in the "
				   "same kernel");
	if (!has_element(c, t, at))
		return false;
	for (uint32_t d = t->ndim; d-- > 0;) {
		if (te_is_size(t->shape[d])) {
			unknown_index(c, t, d, rest, index);
			break;
		}
		index[d] = te_dim(c, rest % t->shape[d]);
		rest /= t->shape[d];
	}
	*out = te_get(c, t, index);
	if (!dtype_is_float(t->dtype))
		*out = te_cast(c, DTYPE(INT, 64), *out);
	return true;
}

/* Elements of a shape. */
static int64_t
product(struct te_call *c, const int64_t *shape, uint32_t n, const bool *skip)
{
	int64_t p = 1;

	for (uint32_t i = 0; i < n; i++)
		if (!skip || !skip[i])
			p = te_dim_mul(c, p, shape[i]);
	return p;
}

static bool
same_elements(struct te_call *c, const int64_t *shape, uint32_t ndim)
{
	const struct te_tensor *x = c->in[0];

	return te_require_equal(c, product(c, x->shape, x->ndim, NULL),
				product(c, shape, ndim, NULL),
				"the elements do not fit the new shape");
}

/* What is known of the result of a reshape. */
struct reshape {
	struct te_call *c;
	const ir_attr *code;
	uint32_t ncode;
	uint32_t next; /* input axis */
	uint32_t n;    /* axes made */
	int infer;     /* place of -1, or -1 */
	bool used_in[TE_MAX_RANK], used_out[TE_MAX_RANK];
	int64_t in[TE_MAX_RANK];
	int64_t *out;
};

static bool
emit(struct reshape *s, int64_t extent, bool used)
{
	if (s->n == TE_MAX_RANK)
		return te_error(s->c, "more than 16 dimensions");
	s->used_out[s->n] = used;
	s->out[s->n++] = extent;
	return true;
}

static bool
take(struct reshape *s, int64_t *extent)
{
	if (s->next >= s->c->in[0]->ndim)
		return te_error(s->c, "the new shape has too many codes");
	s->used_in[s->next] = true;
	*extent = s->in[s->next++];
	return true;
}

static bool
split_axis(struct reshape *s, uint32_t i)
{
	struct te_call *c = s->c;
	int64_t whole = 1, a, b;

	if (i + 2 >= s->ncode || !take(s, &whole))
		return te_error(c, "code -4 needs two extents");
	a = s->code[i + 1].i;
	b = s->code[i + 2].i;
	if (a == -1)
		a = te_dim_div(c, whole, b);
	if (b == -1)
		b = te_dim_div(c, whole, a);
	return te_require_equal(c, te_dim_mul(c, a, b), whole,
				"the split axis does not fit its parts") &&
	       emit(s, a, true) && emit(s, b, true);
}

static bool
apply(struct reshape *s, uint32_t *i)
{
	const ir_attr *code = &s->code[*i];
	const struct te_tensor *x = s->c->in[0];
	int64_t a = 1, b = 1;

	if (code->kind != ATTR_INT)
		return sizes_refuse(s->c, "newshape");
	if (code->i > 0 ||
	    (code->i == 0 && ir_attrs_bool(s->c->attrs, "allowzero"))) {
		s->next++;
		return emit(s, code->i, false);
	}
	switch (code->i) {
	case 0:
		return take(s, &a) && emit(s, a, true);
	case -1:
		s->infer = (int)s->n;
		s->next++;
		return emit(s, 1, false);
	case -2:
		while (s->next < x->ndim)
			if (!take(s, &a) || !emit(s, a, true))
				return false;
		return true;
	case -3:
		return take(s, &a) && take(s, &b) &&
		       emit(s, te_dim_mul(s->c, a, b), true);
	case -4:
		*i += 2;
		return split_axis(s, *i - 2);
	default:
		return te_error(s->c, "the new shape has a wrong code");
	}
}

static void
turn_round(int64_t *v, uint32_t n)
{
	for (uint32_t i = 0; i < n / 2; i++) {
		int64_t x = v[i];

		v[i] = v[n - 1 - i];
		v[n - 1 - i] = x;
	}
}

static bool
by_codes(struct te_call *c, int64_t *out, bool reverse)
{
	const ir_attr *a = ir_attrs_get(c->attrs, "newshape");
	const struct te_tensor *x = c->in[0];
	struct reshape s = {.c = c, .infer = -1, .out = out};
	ir_attr code[TE_MAX_RANK * 3];
	int64_t p, q;
	bool ok = true;

	if (!a || a->kind != ATTR_ARRAY || a->n > TE_MAX_RANK * 3)
		return sizes_refuse(c, "newshape");
	for (uint32_t i = 0; i < a->n; i++)
		code[i] = a->elems[reverse ? a->n - 1 - i : i];
	s.code = code;
	s.ncode = a->n;
	sizes_copy(s.in, x);
	if (reverse)
		turn_round(s.in, x->ndim);
	for (uint32_t i = 0; i < s.ncode; i++)
		if (!apply(&s, &i))
			return false;
	if (s.infer >= 0) {
		p = product(c, s.in, x->ndim, s.used_in);
		q = product(c, out, s.n, s.used_out);
		out[s.infer] = te_dim_div(c, p, q);
		ok = te_require_equal(c, te_dim_mul(c, out[s.infer], q), p,
				      "the elements do not fit the new shape");
	}
	if (reverse)
		turn_round(out, s.n);
	return ok && (s.infer >= 0 || same_elements(c, out, s.n));
}

static const tir_expr *
is_value(struct te_call *c, const tir_expr *v, int64_t value)
{
	return te_cmp(c, TIR_EQ, v, te_dim(c, value));
}

/* The extent of X's axis AT, which is known at run time only; -2: none. */
static const tir_expr *
extent_at(struct te_call *c, const tir_expr *at)
{
	const struct te_tensor *x = c->in[0];
	const tir_expr *e = te_dim(c, -2);

	for (uint32_t d = x->ndim; d-- > 0;)
		e = te_select(c, is_value(c, at, d), te_dim(c, x->shape[d]), e);
	return e;
}

/*
 * The new shape is the second input: 0 copies an axis, -1 is what is left
 * over, -3 is the product of two axes. Other codes would change the rank.
 */
static bool
by_values(struct te_call *c, int64_t *out)
{
	const struct te_tensor *x = c->in[0];
	const tir_expr *v[TE_MAX_RANK], *rest = te_dim(c, 1), *all;
	const tir_expr *at = te_dim(c, 0); /* the input axis that is next */
	uint32_t ndim = te_out_ndim(c, 0);

	all = te_dim(c, product(c, x->shape, x->ndim, NULL));
	for (uint32_t d = 0; d < ndim; d++) {
		const tir_expr *two, *copy;

		if (!sizes_read(c, 1, d, &v[d]))
			return false;
		copy = extent_at(c, at);
		two = te_mul(c, copy, extent_at(c, te_addi(c, at, 1)));
		at = te_select(c, is_value(c, v[d], -3), te_addi(c, at, 2),
			       te_addi(c, at, 1));
		v[d] = te_select(
			c, is_value(c, v[d], 0), copy,
			te_select(c, is_value(c, v[d], -3), two, v[d]));
		rest = te_mul(c, rest,
			      te_select(c, is_value(c, v[d], -1), te_dim(c, 1),
					v[d]));
	}
	rest = te_div(c, all, te_dim(c, te_dim_of(c, rest)));
	for (uint32_t d = 0; d < ndim; d++)
		out[d] = te_dim_of(
			c, te_select(c, is_value(c, v[d], -1), rest, v[d]));
	return same_elements(c, out, ndim);
}

static bool
squeeze(struct te_call *c, int64_t *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t axes[TE_MAX_RANK];
	int n = te_attr_ints(c, "axis", axes, TE_MAX_RANK);
	bool gone[TE_MAX_RANK] = {false};
	uint32_t k = 0;

	for (uint32_t d = 0; d < x->ndim; d++)
		gone[d] = n < 0 && x->shape[d] == 1;
	for (int i = 0; i < n; i++)
		gone[te_axis_of(axes[i], x->ndim)] = true;
	for (uint32_t d = 0; d < x->ndim; d++) {
		if (!gone[d])
			out[k++] = x->shape[d];
		else if (!te_require_equal(c, x->shape[d], 1,
					   "an axis to be dropped is not 1"))
			return false;
	}
	return k == te_out_ndim(c, 0) || sizes_refuse(c, "the rank");
}

static bool
reshape_like(struct te_call *c, int64_t *out)
{
	const struct te_tensor *x = c->in[0], *y = c->in[1];
	int64_t from = te_attr_int(c, "lhs_begin", 0);
	int64_t to = te_attr_int(c, "lhs_end", x->ndim);
	int64_t first = te_attr_int(c, "rhs_begin", 0);
	int64_t last = te_attr_int(c, "rhs_end", y->ndim);
	uint32_t k = 0;

	from = te_axis_of(from, x->ndim);
	to = te_axis_of(to, x->ndim);
	first = te_axis_of(first, y->ndim);
	last = te_axis_of(last, y->ndim);
	if (from + (last - first) + (x->ndim - to) != te_out_ndim(c, 0))
		return sizes_refuse(c, "the rank");
	for (int64_t d = 0; d < from; d++)
		out[k++] = x->shape[d];
	for (int64_t d = first; d < last; d++)
		out[k++] = y->shape[d];
	for (int64_t d = to; d < x->ndim; d++)
		out[k++] = x->shape[d];
	return same_elements(c, out, k);
}

static bool
expand_dims(struct te_call *c, int64_t *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t n = te_attr_int(c, "num_newaxis", 1);
	int64_t axis = te_attr_int(c, "axis", 0);
	uint32_t k = 0;

	if (axis < 0)
		axis += x->ndim + 1;
	for (int64_t d = 0; d <= x->ndim; d++) {
		for (int64_t i = 0; d == axis && i < n; i++)
			out[k++] = 1;
		if (d < x->ndim)
			out[k++] = x->shape[d];
	}
	return true;
}

/* The input axis that is number K of those that stay, if GONE[d] are not. */
static const tir_expr *
staying(struct te_call *c, const tir_expr *const *gone, uint32_t k)
{
	const struct te_tensor *x = c->in[0];
	const tir_expr *extent = te_dim(c, 1), *place = te_dim(c, 0);

	for (uint32_t d = 0; d < x->ndim; d++) {
		const tir_expr *here =
			te_and(c, te_not(c, gone[d]), is_value(c, place, k));

		extent = te_select(c, here, te_dim(c, x->shape[d]), extent);
		place = te_select(c, gone[d], place, te_addi(c, place, 1));
	}
	return extent;
}

/* The axes to drop are the second input. */
static bool
dyn_squeeze(struct te_call *c, int64_t *out)
{
	const struct te_tensor *x = c->in[0];
	const tir_expr *gone[TE_MAX_RANK], *v;
	const tir_expr *never = te_lit_int(c, DTYPE_BOOL, 0);
	uint32_t ndim = te_out_ndim(c, 0);

	for (uint32_t d = 0; d < x->ndim; d++)
		gone[d] = never;
	for (uint32_t i = 0; i < x->ndim - ndim; i++) {
		if (!sizes_read(c, 1, i, &v))
			return false;
		for (uint32_t d = 0; d < x->ndim; d++)
			gone[d] = te_or(
				c, gone[d],
				te_or(c, is_value(c, v, d),
				      is_value(c, v, (int64_t)d - x->ndim)));
	}
	for (uint32_t k = 0; k < ndim; k++)
		out[k] = te_dim_of(c, staying(c, gone, k));
	return same_elements(c, out, ndim);
}

/* Where the new axes go is the second input. */
static bool
dyn_expand_dims(struct te_call *c, int64_t *out)
{
	const struct te_tensor *x = c->in[0];
	uint32_t ndim = te_out_ndim(c, 0), n = ndim - x->ndim;
	const tir_expr *axis;

	if (!sizes_read(c, 1, 0, &axis))
		return false;
	axis = te_select(c, te_cmp(c, TIR_LT, axis, te_dim(c, 0)),
			 te_addi(c, axis, x->ndim + 1), axis);
	for (uint32_t k = 0; k < ndim; k++) {
		const tir_expr *in_front =
			te_cmp(c, TIR_LT, te_dim(c, k), axis);
		const tir_expr *behind =
			te_cmp(c, TIR_GE, te_dim(c, k), te_addi(c, axis, n));
		const tir_expr *e = te_dim(c, 1);

		if (k >= n)
			e = te_select(c, behind, te_dim(c, x->shape[k - n]), e);
		if (k < x->ndim)
			e = te_select(c, in_front, te_dim(c, x->shape[k]), e);
		out[k] = te_dim_of(c, e);
	}
	return te_require(c,
			  te_and(c, te_cmp(c, TIR_GE, axis, te_dim(c, 0)),
				 te_cmp(c, TIR_LE, axis, te_dim(c, x->ndim))),
			  x->ndim, n, "there is no such axis") &&
	       same_elements(c, out, ndim);
}

bool
sizes_reshape(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];

	switch ((int)c->op->id) {
	case OP_reshape:
		return by_codes(c, out[0], false);
	case OP_contrib_reverse_reshape:
		return by_codes(c, out[0], true);
	case OP_dyn_expand_dims:
		return dyn_expand_dims(c, out[0]);
	case OP_dyn_squeeze:
		return dyn_squeeze(c, out[0]);
	case OP_dyn_reshape:
	case OP_vm_reshape_tensor:
		return by_values(c, out[0]);
	case OP_nn_batch_flatten:
		out[0][0] = x->shape[0];
		out[0][1] = product(c, x->shape + 1, x->ndim - 1, NULL);
		return true;
	case OP_squeeze:
		return squeeze(c, out[0]);
	case OP_reshape_like:
		return reshape_like(c, out[0]);
	case OP_expand_dims:
		return expand_dims(c, out[0]);
	default:
		return sizes_refuse(c, "the shape");
	}
}

/* A shape in the values of input I. */
static bool
read_shape(struct te_call *c, uint32_t i, int64_t *out)
{
	for (uint32_t d = 0; d < te_out_ndim(c, 0); d++) {
		const tir_expr *v;

		if (!sizes_read(c, i, d, &v))
			return false;
		out[d] = te_dim_of(c, v);
	}
	return true;
}

bool
sizes_fill(struct te_call *c, int64_t *const *out)
{
	switch ((int)c->op->id) {
	case OP_zeros_like:
	case OP_ones_like:
	case OP_full_like:
		sizes_copy(out[0], c->in[0]);
		return true;
	case OP_dyn_zeros:
	case OP_dyn_ones:
		return read_shape(c, 0, out[0]);
	case OP_dyn_full:
		return read_shape(c, 1, out[0]);
	default:
		return sizes_refuse(c, "the shape");
	}
}

bool
sizes_broadcast_to(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	uint32_t ndim = te_out_ndim(c, 0);
	int64_t *to = out[0] + (ndim - x->ndim), n;

	if (c->op->id == OP_dyn_broadcast_to) {
		if (!read_shape(c, 1, out[0]))
			return false;
	} else if (c->op->id == OP_broadcast_to_like) {
		sizes_copy(out[0], c->in[1]);
	} else {
		for (uint32_t d = 0; d < ndim; d++) {
			if (!ir_dim_is_const(c->out_type[0]->shape[d]))
				return sizes_refuse(c, "the shape");
			out[0][d] = c->out_type[0]->shape[d].value;
		}
	}
	for (uint32_t d = 0; d < x->ndim; d++)
		if (!sizes_broadcast(c, x->shape[d], to[d], &n) ||
		    !te_require_equal(c, n, to[d],
				      "the data does not fit the shape"))
			return false;
	return true;
}

/* One axis of a slice, over expressions of type int64. */
struct cut {
	const tir_expr *begin, *end;
	int64_t stride;
};

/* I counted from the start, limited to what STRIDE allows. */
static const tir_expr *
canonical(struct te_call *c, const tir_expr *i, int64_t n, int64_t stride)
{
	const tir_expr *extent = te_dim(c, n), *zero = te_dim(c, 0);
	const tir_expr *low = stride > 0 ? zero : te_dim(c, -1);
	const tir_expr *high = stride > 0 ? extent : te_addi(c, extent, -1);

	i = te_max(c, te_min(c, i, te_dim(c, INT64_C(1) << 50)),
		   te_dim(c, -(INT64_C(1) << 50)));
	i = te_select(c, te_cmp(c, TIR_LT, i, zero), te_add(c, i, extent), i);
	return te_max(c, te_min(c, i, high), low);
}

static bool
cut_axis(struct te_call *c, const struct cut *k, int64_t n, int64_t *out)
{
	const tir_expr *b = canonical(c, k->begin, n, k->stride);
	const tir_expr *e = canonical(c, k->end, n, k->stride), *span;
	int64_t step = k->stride > 0 ? k->stride : -k->stride;

	span = k->stride > 0 ? te_sub(c, e, b) : te_sub(c, b, e);
	*out = te_dim_of(c, te_divi(c, te_addi(c, span, step - 1), step));
	if (!te_is_size(n))
		return true;
	return te_require(c, te_cmp(c, TIR_GE, span, te_dim(c, 0)), n,
			  k->stride, "the slice ends before it begins");
}

bool
sizes_strided_slice(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t begin[TE_MAX_RANK], end[TE_MAX_RANK], stride[TE_MAX_RANK];
	int64_t axes[TE_MAX_RANK];
	int nbegin = te_attr_ints(c, "begin", begin, TE_MAX_RANK);
	int nend = te_attr_ints(c, "end", end, TE_MAX_RANK);
	int nstride = te_attr_ints(c, "strides", stride, TE_MAX_RANK);
	int naxes = te_attr_ints(c, "axes", axes, TE_MAX_RANK);
	bool by_size = te_attr_string(c, "slice_mode")[0] == 's';

	if (nbegin < 0 || nend < 0)
		return sizes_refuse(c, "the bounds");
	sizes_copy(out[0], x);
	for (int i = 0; i < (naxes > 0 ? naxes : (int)x->ndim); i++) {
		int64_t d = naxes > 0 ? te_axis_of(axes[i], x->ndim) : i;
		struct cut k = {.stride = i < nstride && !by_size ? stride[i]
								  : 1};
		int64_t b = i < nbegin     ? begin[i]
			    : k.stride < 0 ? INT64_MAX
					   : 0;
		int64_t e = INT64_MAX;

		if (i >= nend && k.stride < 0)
			e = 0;
		else if (i < nend && !by_size)
			e = end[i];
		else if (i < nend && end[i] >= 0 && !(b < 0 && b + end[i] >= 0))
			e = b + end[i];
		k.begin = te_dim(c, b);
		k.end = te_dim(c, e);
		if (!cut_axis(c, &k, x->shape[d], &out[0][d]))
			return false;
	}
	return true;
}
