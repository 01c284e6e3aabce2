/*
 * tir-vectorize: the iterations of a loop marked so become lanes.
 *
 * An expression over the loop variable is uniform (the same in all lanes), a
 * ramp (an index that grows by a fixed stride) or any other vector. What has
 * no vector form, such as a branch that lanes disagree about, makes the loop
 * a serial one.
 */
#include <stdlib.h>

#include "te/fold.h"
#include "te/linear.h"
#include "te/lower.h"
#include "te/simplify.h"
#include "te/tir_rewrite.h"

enum { MAX_LANES = 256 };

struct lanes {
	ir_module *m;
	const struct tir_var *var;
	const tir_expr *min;
	unsigned n;
	bool failed;
	struct te_simplifier sums; /* knows no ranges: merges sums */
};

static const tir_expr *vector(struct lanes *v, const tir_expr *e);

static const tir_expr *
spread(struct lanes *v, const tir_expr *e)
{
	return e->dtype.lanes == 1 ? tir_broadcast(v->m, e, v->n) : e;
}

static const tir_expr *
give_up(struct lanes *v, const tir_expr *e)
{
	v->failed = true;
	return e;
}

static const tir_expr *
combine(struct lanes *v, enum tir_kind k, const tir_expr *a, const tir_expr *b)
{
	return te_simplify(&v->sums, te_fold_binary(v->m, k, a, b));
}

/* A ramp in spite of the operation, or NULL. */
static const tir_expr *
ramp_of(struct lanes *v, enum tir_kind k, const tir_expr *a, const tir_expr *b)
{
	ir_module *m = v->m;
	const tir_expr *base;
	const tir_expr *stride;

	if (k == TIR_ADD && a->kind != TIR_RAMP && a->dtype.lanes == 1) {
		const tir_expr *t = a;

		a = b;
		b = t;
	}
	if (a->kind == TIR_RAMP && b->dtype.lanes == 1) {
		if (k != TIR_ADD && k != TIR_SUB && k != TIR_MUL)
			return NULL;
		base = combine(v, k, a->arg[0], b);
		stride = a->arg[1];
		if (k == TIR_MUL)
			stride = te_fold_binary(m, k, stride, b);
		return tir_ramp(m, base, stride, v->n);
	}
	if (k == TIR_MUL && b->kind == TIR_RAMP && a->dtype.lanes == 1)
		return ramp_of(v, k, b, a);
	if (k == TIR_SUB && b->kind == TIR_RAMP && a->dtype.lanes == 1) {
		base = combine(v, k, a, b->arg[0]);
		stride = te_fold_binary(m, k, tir_int(m, a->dtype, 0),
					b->arg[1]);
		return tir_ramp(m, base, stride, v->n);
	}
	if ((k == TIR_ADD || k == TIR_SUB) && a->kind == TIR_RAMP &&
	    b->kind == TIR_RAMP) {
		base = combine(v, k, a->arg[0], b->arg[0]);
		stride = combine(v, k, a->arg[1], b->arg[1]);
		if (tir_is_const_int(stride, 0))
			return tir_broadcast(m, base, v->n);
		return tir_ramp(m, base, stride, v->n);
	}
	return NULL;
}

static const tir_expr *
vector_binary(struct lanes *v, const tir_expr *e)
{
	const tir_expr *a = vector(v, e->arg[0]);
	const tir_expr *b = vector(v, e->arg[1]);
	const tir_expr *out;

	if (v->failed)
		return e;
	out = ramp_of(v, (enum tir_kind)e->kind, a, b);
	if (out)
		return out;
	return tir_binary(v->m, (enum tir_kind)e->kind, spread(v, a),
			  spread(v, b));
}

static const tir_expr *
vector_choice(struct lanes *v, const tir_expr *e)
{
	const tir_expr *cond = vector(v, e->arg[0]);
	const tir_expr *a = vector(v, e->arg[1]);
	const tir_expr *b = vector(v, e->arg[2]);

	if (v->failed)
		return e;
	a = spread(v, a);
	b = spread(v, b);
	if (e->kind == TIR_SELECT)
		return tir_select(v->m, spread(v, cond), a, b);
	if (cond->dtype.lanes > 1)
		return give_up(v, e);
	return tir_guard(v->m, cond, a, b);
}

static const tir_expr *
vector_call(struct lanes *v, const tir_expr *e)
{
	const tir_expr *args[4];
	struct dtype t = e->dtype;

	if (e->n > 4 || e->intrin == INTRIN_Q_MULTIPLY_SHIFT)
		return give_up(v, e);
	for (uint32_t i = 0; i < e->n; i++) {
		args[i] = vector(v, e->arg[i]);
		if (v->failed)
			return e;
		args[i] = spread(v, args[i]);
	}
	t.lanes = (uint16_t)v->n;
	return tir_call(v->m, e->intrin, t, args, e->n);
}

/* E with a value per lane; E itself if it is the same in all of them. */
static const tir_expr *
vector(struct lanes *v, const tir_expr *e)
{
	const tir_expr *a;

	if (v->failed || !te_mentions(e, v->var))
		return e;
	switch (e->kind) {
	case TIR_VAR:
		return tir_ramp(v->m, v->min, tir_int(v->m, v->var->dtype, 1),
				v->n);
	case TIR_NOT:
		a = vector(v, e->arg[0]);
		return v->failed ? e : tir_not(v->m, a);
	case TIR_CAST:
		a = vector(v, e->arg[0]);
		return v->failed ? e : tir_cast(v->m, e->dtype, a);
	case TIR_LOAD:
		a = vector(v, e->arg[0]);
		if (v->failed || a->kind != TIR_RAMP)
			return give_up(v, e);
		return tir_load(v->m, e->buffer, a);
	case TIR_SELECT:
	case TIR_GUARD:
		return vector_choice(v, e);
	case TIR_CALL:
		return vector_call(v, e);
	default:
		if (e->kind >= TIR_ADD && e->kind <= TIR_OR)
			return vector_binary(v, e);
		return give_up(v, e);
	}
}

static const tir_expr *
must_be_uniform(struct lanes *v, const tir_expr *e)
{
	if (te_mentions(e, v->var))
		v->failed = true;
	return e;
}

static const tir_expr *
rewrite_expr(struct tir_rewriter *r, const tir_expr *e)
{
	return must_be_uniform(r->env, e);
}

static tir_stmt *
rewrite_stmt(struct tir_rewriter *r, const tir_stmt *s)
{
	struct lanes *v = r->env;
	const tir_expr *index;
	const tir_expr *value;

	if (v->failed)
		return tir_seq(r->m);
	switch (s->kind) {
	case TIR_STORE:
		index = vector(v, s->store.index);
		value = vector(v, s->store.value);
		if (v->failed || index->kind != TIR_RAMP || s->store.mask) {
			v->failed = true;
			return tir_seq(r->m);
		}
		return tir_store(r->m, s->store.buffer, index,
				 spread(v, value));
	case TIR_FOR:
	case TIR_IF:
	case TIR_SEQ:
		return NULL;
	default:
		v->failed = true;
		return tir_seq(r->m);
	}
}

/* Loops nested in each other that are both vectors: the inner one wins. */
static void
find_vector_loop(const tir_stmt *s, void *env)
{
	bool *found = env;

	if (s->kind == TIR_FOR && s->loop.kind == TIR_VECTORIZED)
		*found = true;
}

static tir_stmt *
vectorize_loop(struct tir_rewriter *r, const tir_stmt *s)
{
	struct lanes v = {.m = r->m, .var = s->loop.var};
	struct tir_rewriter inner = {
		.m = r->m,
		.stmt = rewrite_stmt,
		.expr = rewrite_expr,
		.env = &v,
	};
	bool nested = false;
	tir_stmt *out;

	if (s->kind != TIR_FOR || s->loop.kind != TIR_VECTORIZED)
		return NULL;
	tir_each_stmt(s->loop.body, find_vector_loop, &nested);
	v.min = s->loop.min;
	v.sums.m = r->m;
	if (!nested && s->loop.extent->kind == TIR_INT &&
	    s->loop.extent->i >= 2 && s->loop.extent->i <= MAX_LANES) {
		v.n = (unsigned)s->loop.extent->i;
		out = tir_rewrite(&inner, s->loop.body);
		if (!v.failed)
			return out;
	}
	out = tir_rewrite_parts(r, s);
	if (out->kind == TIR_FOR)
		out->loop.kind = TIR_SERIAL;
	return out;
}

void
tir_vectorize(ir_module *m, tir_func *f)
{
	struct tir_rewriter r = {.m = m, .stmt = vectorize_loop};

	f->body = tir_rewrite(&r, f->body);
}
