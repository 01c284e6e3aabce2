/*
 * Arithmetic on extents, some of which are sizes, and what must hold of them.
 */
#include "te/compute.h"

#include <stdio.h>

#include "te/fold.h"
#include "te/sizes.h"

#define DIM_BINARY(name, kind, number)                              \
	int64_t name(struct te_call *c, int64_t a, int64_t b)       \
	{                                                           \
		if (!te_is_size(a) && !te_is_size(b))               \
			return number;                              \
		return te_extent_binary(c->m, c->func, kind, a, b); \
	}
DIM_BINARY(te_dim_add, TIR_ADD, a + b)
DIM_BINARY(te_dim_sub, TIR_SUB, a - b)
DIM_BINARY(te_dim_mul, TIR_MUL, a *b)
DIM_BINARY(te_dim_div, TIR_DIV, b ? te_floordiv(a, b) : a)
DIM_BINARY(te_dim_max, TIR_MAX, a > b ? a : b)
DIM_BINARY(te_dim_min, TIR_MIN, a < b ? a : b)
#undef DIM_BINARY

int64_t
te_dim_of(struct te_call *c, const tir_expr *e)
{
	return te_extent_of(c->m, c->func, e);
}

const tir_expr *
te_dim(struct te_call *c, int64_t extent)
{
	return te_extent_expr(c->m, DTYPE(INT, 64), extent);
}

const tir_expr *
te_lit_extent(struct te_call *c, struct dtype t, int64_t extent)
{
	if (te_is_size(extent))
		return te_fold_cast(c->m, t, te_dim(c, extent));
	return te_lit(c, t, (double)extent);
}

static bool
same_requirement(const struct te_require *a, const struct te_require *b)
{
	return a->cond == b->cond ||
	       (a->message == b->message && a->a->kind == b->a->kind &&
		a->b->kind == b->b->kind && a->a->kind == TIR_VAR &&
		a->a->var == b->a->var &&
		(b->b->kind == TIR_VAR
			 ? a->b->var == b->b->var
			 : b->b->kind == TIR_INT && a->b->i == b->b->i));
}

bool
te_require(struct te_call *c, const tir_expr *cond, int64_t a, int64_t b,
	   const char *what)
{
	struct te_require r = {
		.cond = cond,
		.a = te_dim(c, a),
		.b = te_dim(c, b),
		.message = ir_namef(c->m->cx, "%s: %s", c->op->name, what),
		.loc = c->loc,
	};

	if (cond->kind == TIR_INT)
		return cond->i || te_error(c, "%s", what);
	for (uint32_t i = 0; i < c->func->nrequires; i++)
		if (same_requirement(&c->func->requires[i], &r))
			return true;
	te_add_require(c->m, c->func, &r);
	return true;
}

bool
te_require_equal(struct te_call *c, int64_t a, int64_t b, const char *what)
{
	if (a == b)
		return true;
	if (!te_is_size(a) && !te_is_size(b))
		return te_error(c, "%s (%lld and %lld)", what, (long long)a,
				(long long)b);
	return te_require(
		c, te_fold_binary(c->m, TIR_EQ, te_dim(c, a), te_dim(c, b)), a,
		b, what);
}
