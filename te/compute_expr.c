/*
 * Scalar expressions for compute rules: constants, arithmetic, reading.
 */
#include <assert.h>
#include <float.h>
#include <math.h>

#include "te/compute.h"
#include "te/fold.h"

const tir_expr *
te_int(struct te_call *c, int64_t value)
{
	return te_extent_expr(c->m, c->index, value);
}

const tir_expr *
te_lit(struct te_call *c, struct dtype t, double value)
{
	if (dtype_is_float(t))
		return tir_float(c->m, t, te_round(t, value));
	if (dtype_is_bool(t))
		return tir_int(c->m, t, value != 0);
	return tir_int(c->m, t, te_wrap(t, (int64_t)value));
}

const tir_expr *
te_lit_int(struct te_call *c, struct dtype t, int64_t value)
{
	if (te_is_size(value))
		return te_fold_cast(c->m, t, te_dim(c, value));
	if (dtype_is_float(t))
		return tir_float(c->m, t, te_round(t, (double)value));
	if (dtype_is_bool(t))
		return tir_int(c->m, t, value != 0);
	return tir_int(c->m, t, te_wrap(t, value));
}

const tir_expr *
te_zero(struct te_call *c, struct dtype t)
{
	return te_lit_int(c, t, 0);
}

const tir_expr *
te_lowest(struct te_call *c, struct dtype t)
{
	return te_extreme(c->m, t, false);
}

const tir_expr *
te_highest(struct te_call *c, struct dtype t)
{
	return te_extreme(c->m, t, true);
}

/* B, which must be of A's type: inputs may have types that do not fit. */
static const tir_expr *
matched(struct te_call *c, const tir_expr *a, const tir_expr *b)
{
	char s[DTYPE_TEXT], t[DTYPE_TEXT];

	if (dtype_equal(a->dtype, b->dtype))
		return b;
	te_error(c, "types %s and %s do not go together",
		 dtype_text(a->dtype, s), dtype_text(b->dtype, t));
	return te_fold_cast(c->m, a->dtype, b);
}

#define BINARY(name, kind)                                              \
	const tir_expr *name(struct te_call *c, const tir_expr *a,      \
			     const tir_expr *b)                         \
	{                                                               \
		return te_fold_binary(c->m, kind, a, matched(c, a, b)); \
	}
BINARY(te_add, TIR_ADD)
BINARY(te_sub, TIR_SUB)
BINARY(te_mul, TIR_MUL)
BINARY(te_div, TIR_DIV)
BINARY(te_mod, TIR_MOD)
BINARY(te_truncdiv, TIR_TRUNCDIV)
BINARY(te_min, TIR_MIN)
BINARY(te_max, TIR_MAX)
BINARY(te_and, TIR_AND)
BINARY(te_or, TIR_OR)
#undef BINARY

#define WITH_NUMBER(name, kind)                                               \
	const tir_expr *name(struct te_call *c, const tir_expr *a, int64_t b) \
	{                                                                     \
		return te_fold_binary(c->m, kind, a,                          \
				      te_extent_expr(c->m, a->dtype, b));     \
	}
WITH_NUMBER(te_addi, TIR_ADD)
WITH_NUMBER(te_muli, TIR_MUL)
WITH_NUMBER(te_divi, TIR_DIV)
WITH_NUMBER(te_modi, TIR_MOD)
#undef WITH_NUMBER

const tir_expr *
te_cmp(struct te_call *c, enum tir_kind k, const tir_expr *a, const tir_expr *b)
{
	return te_fold_binary(c->m, k, a, matched(c, a, b));
}

const tir_expr *
te_not(struct te_call *c, const tir_expr *a)
{
	return te_fold_not(c->m, a);
}

const tir_expr *
te_within(struct te_call *c, const tir_expr *a, int64_t low, int64_t high)
{
	ir_module *m = c->m;

	return te_and(
		c,
		te_fold_binary(m, TIR_GE, a, te_extent_expr(m, a->dtype, low)),
		te_fold_binary(m, TIR_LT, a,
			       te_extent_expr(m, a->dtype, high)));
}

const tir_expr *
te_select(struct te_call *c, const tir_expr *cond, const tir_expr *a,
	  const tir_expr *b)
{
	return te_fold_choice(c->m, TIR_SELECT, cond, a, matched(c, a, b));
}

const tir_expr *
te_guard(struct te_call *c, const tir_expr *cond, const tir_expr *a,
	 const tir_expr *b)
{
	return te_fold_choice(c->m, TIR_GUARD, cond, a, matched(c, a, b));
}

const tir_expr *
te_cast(struct te_call *c, struct dtype t, const tir_expr *a)
{
	return te_fold_cast(c->m, t, a);
}

const tir_expr *
te_unary(struct te_call *c, enum tir_intrin f, const tir_expr *a)
{
	struct dtype t = a->dtype;

	if (f == INTRIN_ISNAN || f == INTRIN_ISINF || f == INTRIN_ISFINITE)
		t = DTYPE_BOOL;
	return tir_call(c->m, f, t, &a, 1);
}

const tir_expr *
te_intrin2(struct te_call *c, enum tir_intrin f, const tir_expr *a,
	   const tir_expr *b)
{
	const tir_expr *args[] = {a, matched(c, a, b)};

	return tir_call(c->m, f, a->dtype, args, 2);
}

const tir_expr *
te_reinterpret(struct te_call *c, struct dtype t, const tir_expr *a)
{
	if (dtype_equal(t, a->dtype))
		return a;
	return tir_call(c->m, INTRIN_REINTERPRET, t, &a, 1);
}

/* The value of a tensor that is a literal, or NULL. */
static const tir_expr *
literal_of(const struct te_tensor *t)
{
	const tir_expr *e;

	if (t->op->kind != TE_COMPUTE)
		return NULL;
	e = t->op->body[t->output];
	if (e && (e->kind == TIR_INT || e->kind == TIR_FLOAT))
		return e;
	return NULL;
}

const tir_expr *
te_get(struct te_call *c, const struct te_tensor *t,
       const tir_expr *const *index)
{
	const tir_expr *at[TE_MAX_RANK] = {NULL};
	const tir_expr *e = literal_of(t);

	if (e)
		return e;
	assert(t->ndim <= TE_MAX_RANK);
	for (uint32_t i = 0; i < t->ndim; i++)
		at[i] = te_fold_cast(c->m, c->index, index[i]);
	return tir_read(c->m, t, at, t->ndim);
}

const tir_expr *
te_get_n(struct te_call *c, const struct te_tensor *t,
	 const tir_expr *const *index, size_t n)
{
	if (n == t->ndim)
		return te_get(c, t, index);
	te_error(c, "an input has rank %u, not %zu", t->ndim, n);
	return te_zero(c, t->dtype);
}

const tir_expr *
te_get0(struct te_call *c, const struct te_tensor *t)
{
	const tir_expr *at[TE_MAX_RANK] = {NULL};

	for (uint32_t i = 0; i < t->ndim; i++)
		at[i] = te_int(c, 0);
	return te_get(c, t, at);
}

/* INDEX runs over an axis of EXTENT, a size. */
static bool
runs_over(struct te_call *c, const tir_expr *index, int64_t extent)
{
	for (uint32_t i = 0; i < c->naxes && index->kind == TIR_VAR; i++)
		if (c->axes[i].var == index->var)
			return c->axes[i].extent == extent;
	return false;
}

const tir_expr *
te_broadcast_index(struct te_call *c, int64_t extent, const tir_expr *index)
{
	if (extent == 1)
		return te_int(c, 0);
	if (!te_is_size(extent) || runs_over(c, index, extent))
		return index;
	return te_select(c, te_cmp(c, TIR_EQ, te_int(c, extent), te_int(c, 1)),
			 te_int(c, 0), index);
}

const tir_expr *
te_get_broadcast(struct te_call *c, const struct te_tensor *t,
		 const tir_expr *const *index, uint32_t ndim)
{
	const tir_expr *at[TE_MAX_RANK] = {NULL};

	if (t->ndim > ndim) {
		te_error(c, "an input has rank %u, the result %u", t->ndim,
			 ndim);
		return te_zero(c, t->dtype);
	}
	for (uint32_t i = 0; i < t->ndim; i++)
		at[i] = te_broadcast_index(c, t->shape[i],
					   index[ndim - t->ndim + i]);
	return te_get(c, t, at);
}

const tir_expr *
te_get_flat(struct te_call *c, const struct te_tensor *t, const tir_expr *index)
{
	const tir_expr *at[TE_MAX_RANK] = {NULL};

	te_unflatten(c, te_fold_cast(c->m, c->index, index), t->shape, t->ndim,
		     at);
	return te_get(c, t, at);
}

const tir_expr *
te_flatten(struct te_call *c, const tir_expr *const *index,
	   const int64_t *shape, uint32_t ndim)
{
	const tir_expr *e = te_int(c, 0);

	for (uint32_t i = 0; i < ndim; i++)
		e = te_add(c, te_muli(c, e, shape[i]), index[i]);
	return e;
}

void
te_unflatten(struct te_call *c, const tir_expr *flat, const int64_t *shape,
	     uint32_t ndim, const tir_expr **index)
{
	int64_t stride = 1;

	for (uint32_t i = ndim; i-- > 0;) {
		index[i] = te_divi(c, flat, stride);
		if (shape[i] == 1)
			index[i] = te_int(c, 0);
		else if (i > 0)
			index[i] = te_modi(c, index[i], shape[i]);
		stride = te_dim_mul(c, stride, shape[i] ? shape[i] : 1);
	}
}
