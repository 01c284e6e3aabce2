/*
 * Whole tensors, attributes and known values for compute rules.
 */
#include <string.h>

#include "support/buf.h"
#include "te/compute.h"
#include "te/fold.h"

struct te_tensor *
te_pad_with(struct te_call *c, struct te_tensor *t, const char *name,
	    const int64_t *before, const int64_t *after, const tir_expr *value)
{
	int64_t shape[TE_MAX_RANK];
	const tir_expr *at[TE_MAX_RANK] = {NULL};
	const tir_expr *inside = te_lit_int(c, DTYPE_BOOL, 1);
	bool any = false;
	struct te_body *b;

	for (uint32_t i = 0; i < t->ndim; i++) {
		shape[i] = te_dim_add(c, t->shape[i],
				      te_dim_add(c, before[i], after[i]));
		any = any || before[i] || after[i];
	}
	if (!any)
		return t;
	b = te_begin(c, name, NULL, shape, t->ndim);
	for (uint32_t i = 0; i < t->ndim; i++) {
		int64_t end = te_dim_add(c, t->shape[i], before[i]);

		at[i] = te_addi(c, b->i[i], -before[i]);
		if (before[i] > 0)
			inside = te_and(c, inside,
					te_cmp(c, TIR_GE, b->i[i],
					       te_int(c, before[i])));
		if (after[i] > 0 || te_is_size(after[i]))
			inside = te_and(
				c, inside,
				te_cmp(c, TIR_LT, b->i[i], te_int(c, end)));
	}
	return te_end(b, te_guard(c, inside, te_get(c, t, at), value));
}

struct te_tensor *
te_fold_out(struct te_call *c, struct te_tensor *x, uint32_t axis,
	    enum te_combiner how, const char *name)
{
	int64_t shape[TE_MAX_RANK];
	const tir_expr *index[TE_MAX_RANK];
	struct te_body *b;

	for (uint32_t i = 0, k = 0; i < x->ndim; i++)
		if (i != axis)
			shape[k++] = x->shape[i];
	b = te_begin(c, name, NULL, shape, x->ndim - 1);
	for (uint32_t i = 0, k = 0; i < x->ndim; i++)
		if (i != axis)
			index[i] = b->i[k++];
	index[axis] = te_fold_axis(b, "k", x->shape[axis]);
	return te_end_fold(b, how, te_get(c, x, index));
}

const tir_expr *
te_get_folded(struct te_call *c, const struct te_body *b,
	      const struct te_tensor *t, uint32_t axis)
{
	const tir_expr *index[TE_MAX_RANK];

	for (uint32_t i = 0, k = 0; i < b->ndim; i++)
		if (i != axis)
			index[k++] = b->i[i];
	return te_get(c, t, index);
}

/*
 * Indices into T for element B->i of SHAPE, where an extent is a size. Equal
 * extents at both ends go from one to the other as they are; what is between
 * them is counted through.
 */
static void
match_shapes(struct te_call *c, const struct te_tensor *t,
	     const struct te_body *b, const int64_t *shape,
	     const tir_expr **index)
{
	uint32_t i = 0, k = 0, m = t->ndim, n = b->ndim;
	const tir_expr *flat;

	for (;;) {
		while (i < m && t->shape[i] == 1)
			index[i++] = te_int(c, 0);
		while (k < n && shape[k] == 1)
			k++;
		if (i == m || k == n || t->shape[i] != shape[k])
			break;
		index[i++] = b->i[k++];
	}
	for (;;) {
		while (m > i && t->shape[m - 1] == 1)
			index[--m] = te_int(c, 0);
		while (n > k && shape[n - 1] == 1)
			n--;
		if (m == i || n == k || t->shape[m - 1] != shape[n - 1])
			break;
		index[--m] = b->i[--n];
	}
	flat = te_flatten(c, b->i + k, shape + k, n - k);
	te_unflatten(c, flat, t->shape + i, m - i, index + i);
}

static bool
has_size(const int64_t *shape, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (te_is_size(shape[i]))
			return true;
	return false;
}

struct te_tensor *
te_reshape_to(struct te_call *c, struct te_tensor *t, const char *name,
	      const int64_t *shape, uint32_t ndim)
{
	struct te_body *b = te_begin(c, name, NULL, shape, ndim);
	const tir_expr *index[TE_MAX_RANK] = {NULL};

	if (has_size(shape, ndim) || has_size(t->shape, t->ndim)) {
		match_shapes(c, t, b, shape, index);
		return te_end(b, te_get(c, t, index));
	}

	return te_end(b, te_get_flat(c, t, te_flatten(c, b->i, shape, ndim)));
}

static bool
is_known(struct te_call *c, uint32_t i, int64_t at)
{
	return i < c->nin && c->constant[i] && at >= 0 &&
	       at < ir_tensor_size(c->constant[i]);
}

bool
te_const_int(struct te_call *c, uint32_t i, int64_t at, int64_t *out)
{
	if (!is_known(c, i, at))
		return false;
	*out = ir_tensor_get_int(c->constant[i], at);
	return true;
}

bool
te_const_double(struct te_call *c, uint32_t i, int64_t at, double *out)
{
	if (!is_known(c, i, at))
		return false;
	*out = ir_tensor_get_double(c->constant[i], at);
	return true;
}

/* V, unless it looks like a size, which no attribute is. */
static int64_t
no_size(struct te_call *c, const char *name, int64_t v)
{
	if (!te_is_size(v))
		return v;
	te_error(c, "attribute '%s' is too small", name);
	return 0;
}

int64_t
te_attr_int(struct te_call *c, const char *name, int64_t deflt)
{
	return no_size(c, name, ir_attrs_int(c->attrs, name, deflt));
}

bool
te_attr_bool(struct te_call *c, const char *name)
{
	return ir_attrs_bool(c->attrs, name);
}

const char *
te_attr_string(struct te_call *c, const char *name)
{
	return ir_attrs_string(c->attrs, name);
}

double
te_attr_double(struct te_call *c, const char *name)
{
	return ir_attrs_double(c->attrs, name);
}

int
te_attr_ints(struct te_call *c, const char *name, int64_t *out, int max)
{
	const ir_attr *a = ir_attrs_get(c->attrs, name);

	if (!a || max < 1)
		return -1;
	if (a->kind == ATTR_INT) {
		out[0] = no_size(c, name, a->i);
		return 1;
	}
	if (a->kind != ATTR_ARRAY || a->n > (uint32_t)max)
		return -1;
	for (uint32_t i = 0; i < a->n; i++) {
		if (a->elems[i].kind != ATTR_INT)
			return -1;
		out[i] = no_size(c, name, a->elems[i].i);
	}
	return (int)a->n;
}

int64_t
te_axis_of(int64_t axis, uint32_t ndim)
{
	return axis < 0 ? axis + ndim : axis;
}

bool
te_is_axis(struct te_call *c, int64_t axis, uint32_t ndim)
{
	if (axis >= -(int64_t)ndim && axis < (int64_t)ndim)
		return true;
	return te_error(c, "there is no axis %lld of %u", (long long)axis,
			ndim);
}

static void
put_shape(struct buf *out, const int64_t *shape, uint32_t ndim)
{
	buf_putc(out, '(');
	for (uint32_t i = 0; i < ndim; i++) {
		buf_puts(out, i ? ", " : "");
		if (shape[i] < 0)
			buf_putc(out, '_');
		else
			buf_int(out, shape[i]);
	}
	buf_putc(out, ')');
}

static bool
is_unknown(int64_t extent)
{
	return extent < 0;
}

/* Where only the run knows, it must turn out so. */
static bool
require_shape(struct te_call *c, uint32_t i, const int64_t *shape)
{
	const struct te_tensor *t = c->in[i];
	const char *what = ir_namef(c->m->cx,
				    "input %u has another shape than "
				    "it must",
				    i + 1);

	for (uint32_t d = 0; d < t->ndim; d++)
		if ((shape[d] >= 0 || te_is_size(shape[d])) &&
		    !te_require_equal(c, t->shape[d], shape[d], what))
			return false;
	return true;
}

bool
te_expect_shape(struct te_call *c, uint32_t i, const int64_t *shape,
		uint32_t ndim)
{
	const struct te_tensor *t = c->in[i];
	bool same = t->ndim == ndim;
	struct buf text = {0};

	for (uint32_t d = 0; d < ndim && same; d++)
		same = is_unknown(shape[d]) || is_unknown(t->shape[d]) ||
		       shape[d] == t->shape[d];
	if (same)
		return require_shape(c, i, shape);
	put_shape(&text, t->shape, t->ndim);
	buf_puts(&text, ", not ");
	put_shape(&text, shape, ndim);
	te_error(c, "input %u has shape %s", i + 1, text.at);
	buf_free(&text);
	return false;
}

uint32_t
te_out_shape(const struct te_call *c, uint32_t i, int64_t *out)
{
	const struct ir_tensor_type *t = c->out_type[i];

	for (uint32_t d = 0; d < t->ndim && d < TE_MAX_RANK; d++)
		out[d] = c->out_shape ? c->out_shape[i][d] : t->shape[d].value;
	return t->ndim;
}

struct te_tensor *
te_table(struct te_call *c, const char *name, struct dtype t,
	 const double *values, const int64_t *shape, uint32_t ndim)
{
	struct te_body *b = te_begin(c, name, NULL, shape, ndim);
	const tir_expr *flat = te_flatten(c, b->i, shape, ndim), *v;
	int64_t n = 1;

	for (uint32_t i = 0; i < ndim; i++)
		n *= shape[i];
	v = te_lit(c, t, n > 0 ? values[n - 1] : 0);
	for (int64_t k = n - 1; k-- > 0;)
		v = te_select(c, te_cmp(c, TIR_EQ, flat, te_int(c, k)),
			      te_lit(c, t, values[k]), v);
	return te_end(b, v);
}
