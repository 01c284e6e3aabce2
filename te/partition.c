/*
 * tir-partition: split loops where a condition changes its value.
 *
 * A comparison c*v + r < 0, where r is made of loops inside of the loop over
 * v, is true for all of r up to one value of v and false for all of r from
 * another one on. Splitting the loop there leaves a condition in the pieces
 * between only, which are short; inner loops then split in turn. A parallel
 * loop is not split, but its body chooses between the pieces.
 *
 * On the way everything is simplified with the ranges of the pieces.
 */
#include <stdlib.h>

#include "te/fold.h"
#include "te/linear.h"
#include "te/lower.h"
#include "te/tir_rewrite.h"

enum {
	MAX_POINTS = 64,   /* in one loop */
	MAX_GROWTH = 6000, /* statements and terms made anew */
};

struct partition {
	struct te_simplifier ranges;
	VEC(const struct tir_var *) outer;
	long budget;
};

/* The points at which one loop is to be split. */
struct points {
	struct partition *p;
	const struct tir_var *var;
	struct te_range range;
	int64_t at[MAX_POINTS];
	uint32_t n;
	bool full;
	long size; /* of what would be copied */
};

static void
add_point(struct points *pts, int64_t x)
{
	uint32_t i;

	if (x <= pts->range.lo || x > pts->range.hi)
		return;
	for (i = 0; i < pts->n && pts->at[i] < x; i++)
		;
	if (i < pts->n && pts->at[i] == x)
		return;
	if (pts->n == MAX_POINTS) {
		pts->full = true;
		return;
	}
	for (uint32_t k = pts->n++; k > i; k--)
		pts->at[k] = pts->at[k - 1];
	pts->at[i] = x;
}

/* C*v + R < 0 with R in RANGE. */
static void
add_less(struct points *pts, int64_t c, struct te_range r)
{
	if (c > 0) {
		add_point(pts, te_floordiv(-r.hi - 1, c) + 1);
		add_point(pts, -te_floordiv(r.lo, c));
	} else {
		add_point(pts, te_floordiv(r.lo, -c) + 1);
		add_point(pts, te_floordiv(r.hi, -c) + 1);
	}
}

static bool
mentions_outer(const struct partition *p, const tir_expr *e)
{
	struct te_range r;

	for (size_t i = 0; i < p->outer.len; i++)
		if (te_mentions(e, p->outer.at[i]) &&
		    !(te_get_range(&p->ranges, p->outer.at[i], &r) &&
		      r.lo == r.hi))
			return true;
	return false;
}

/* Take A - B apart: the coefficient of the variable, the range of the rest. */
static bool
split_difference(struct points *pts, const tir_expr *e, int64_t *coef,
		 struct te_range *rest)
{
	struct te_linear x;
	struct te_linear y;
	struct te_linear r = {0};
	struct te_range any;
	const struct te_simplifier *s = &pts->p->ranges;

	if (!te_range_of(s, e->arg[0], &any) ||
	    !te_range_of(s, e->arg[1], &any) || !te_linear_of(e->arg[0], &x) ||
	    !te_linear_of(e->arg[1], &y) || !te_linear_add(&x, &y, -1))
		return false;
	*coef = 0;
	r.k = x.k;
	for (uint32_t i = 0; i < x.n; i++) {
		const tir_expr *t = x.term[i].e;

		if (t->kind == TIR_VAR && t->var == pts->var) {
			*coef = x.term[i].coef;
			continue;
		}
		if (te_mentions(t, pts->var) || mentions_outer(pts->p, t))
			return false;
		r.term[r.n++] = x.term[i];
	}
	return *coef != 0 && *coef != INT64_MIN &&
	       te_range_of_linear(s, &r, rest) && rest->lo > INT64_MIN / 4 &&
	       rest->hi < INT64_MAX / 4;
}

static void
points_of_compare(struct points *pts, const tir_expr *e)
{
	int64_t c;
	struct te_range r;
	struct te_range minus;

	if (!split_difference(pts, e, &c, &r))
		return;
	minus = (struct te_range){-r.hi, -r.lo};
	switch (e->kind) {
	case TIR_LE:
		r.lo--;
		r.hi--;
		/* fall through */
	case TIR_LT:
		add_less(pts, c, r);
		break;
	case TIR_GE:
		minus.lo--;
		minus.hi--;
		/* fall through */
	case TIR_GT:
		add_less(pts, -c, minus);
		break;
	default:
		if (r.lo != r.hi || r.lo % c)
			break;
		add_point(pts, -r.lo / c);
		add_point(pts, -r.lo / c + 1);
		break;
	}
}

static void
points_of_cond(struct points *pts, const tir_expr *e)
{
	switch (e->kind) {
	case TIR_AND:
	case TIR_OR:
		points_of_cond(pts, e->arg[1]);
		/* fall through */
	case TIR_NOT:
		points_of_cond(pts, e->arg[0]);
		break;
	case TIR_EQ:
	case TIR_NE:
	case TIR_LT:
	case TIR_LE:
	case TIR_GT:
	case TIR_GE:
		points_of_compare(pts, e);
		break;
	default:
		break;
	}
}

/* Conditions of guards and selects in E. Budgeted: E may be a large DAG. */
static void
points_of_expr(const tir_expr *e, void *env)
{
	struct points *pts = env;

	if (++pts->size > MAX_GROWTH)
		return;
	if (e->kind == TIR_GUARD || e->kind == TIR_SELECT)
		points_of_cond(pts, e->arg[0]);
	for (uint32_t i = 0; i < e->n; i++)
		points_of_expr(e->arg[i], env);
}

static void
points_of_stmt(const tir_stmt *s, void *env)
{
	struct points *pts = env;

	if (s->kind == TIR_IF)
		points_of_cond(pts, s->if_.cond);
	tir_each_expr(s, points_of_expr, pts);
}

static const tir_expr *
simplify(struct tir_rewriter *r, const tir_expr *e)
{
	struct partition *p = r->env;

	return te_simplify(&p->ranges, e);
}

/* The body of LOOP for values of its variable in [LO, HI]. */
static tir_stmt *
body_for(struct tir_rewriter *r, const tir_stmt *loop, int64_t lo, int64_t hi)
{
	struct partition *p = r->env;
	tir_stmt *body;

	te_set_range(&p->ranges, loop->loop.var, lo, hi);
	tir_set_loop_ranges(&p->ranges, loop->loop.body);
	vec_push(&p->outer, loop->loop.var);
	body = tir_rewrite(r, loop->loop.body);
	p->outer.len--;
	return body;
}

static tir_stmt *
piece(struct tir_rewriter *r, const tir_stmt *loop, int64_t lo, int64_t hi)
{
	tir_stmt *body = body_for(r, loop, lo, hi);
	struct dtype t = loop->loop.var->dtype;

	if (lo == hi || tir_is_empty(body))
		return body;
	return tir_for(r->m, loop->loop.var, tir_int(r->m, t, lo),
		       tir_int(r->m, t, hi - lo + 1), loop->loop.kind, body);
}

/* "if v < x { ... } else ...", the pieces in order. */
static tir_stmt *
choose_pieces(struct tir_rewriter *r, const tir_stmt *loop,
	      const struct points *pts)
{
	const struct tir_var *v = loop->loop.var;
	int64_t lo = pts->n ? pts->at[pts->n - 1] : pts->range.lo;
	tir_stmt *s = body_for(r, loop, lo, pts->range.hi);

	for (uint32_t i = pts->n; i-- > 0;) {
		lo = i ? pts->at[i - 1] : pts->range.lo;
		s = tir_if(r->m,
			   tir_binary(r->m, TIR_LT, tir_var_ref(r->m, v),
				      tir_int(r->m, v->dtype, pts->at[i])),
			   body_for(r, loop, lo, pts->at[i] - 1), s);
	}
	return tir_for(r->m, v, loop->loop.min, loop->loop.extent, TIR_PARALLEL,
		       s);
}

static tir_stmt *
rewrite_loop(struct tir_rewriter *r, const tir_stmt *loop)
{
	struct partition *p = r->env;
	struct points pts = {.p = p, .var = loop->loop.var};
	int64_t lo;
	tir_stmt *seq;

	if (!tir_loop_range(loop, &pts.range))
		return NULL;
	if (loop->loop.extent->i <= 0)
		return tir_seq(r->m);
	if (loop->loop.kind != TIR_UNROLLED && pts.range.hi > pts.range.lo) {
		tir_set_loop_ranges(&p->ranges, loop);
		tir_each_stmt(loop->loop.body, points_of_stmt, &pts);
	}
	if (pts.full || pts.size * pts.n > p->budget)
		pts.n = 0;
	p->budget -= pts.size * pts.n;
	if (pts.n == 0)
		return piece(r, loop, pts.range.lo, pts.range.hi);
	if (loop->loop.kind == TIR_PARALLEL)
		return choose_pieces(r, loop, &pts);
	seq = tir_seq(r->m);
	lo = pts.range.lo;
	for (uint32_t i = 0; i <= pts.n; i++) {
		int64_t end = i < pts.n ? pts.at[i] : pts.range.hi + 1;

		tir_seq_add(r->m, seq, piece(r, loop, lo, end - 1));
		lo = end;
	}
	return seq;
}

static tir_stmt *
rewrite_if(struct tir_rewriter *r, const tir_stmt *s)
{
	struct partition *p = r->env;
	const tir_expr *cond = te_simplify(&p->ranges, s->if_.cond);
	struct te_narrowed narrowed;
	tir_stmt *then_;
	tir_stmt *else_ = NULL;

	if (cond->kind == TIR_INT) {
		if (cond->i)
			return tir_rewrite(r, s->if_.then_);
		return s->if_.else_ ? tir_rewrite(r, s->if_.else_)
				    : tir_seq(r->m);
	}
	te_narrow(&p->ranges, cond, &narrowed);
	then_ = tir_rewrite(r, s->if_.then_);
	te_widen(&p->ranges, &narrowed);
	if (s->if_.else_)
		else_ = tir_rewrite(r, s->if_.else_);
	if (tir_is_empty(then_) && (!else_ || tir_is_empty(else_)))
		return then_;
	return tir_if(r->m, cond, then_, else_);
}

static tir_stmt *
rewrite_stmt(struct tir_rewriter *r, const tir_stmt *s)
{
	if (s->kind == TIR_FOR)
		return rewrite_loop(r, s);
	if (s->kind == TIR_IF)
		return rewrite_if(r, s);
	return NULL;
}

void
tir_partition(ir_module *m, tir_func *f)
{
	struct partition p = {.ranges = {.m = m}, .budget = MAX_GROWTH};
	struct tir_rewriter r = {
		.m = m,
		.stmt = rewrite_stmt,
		.expr = simplify,
		.env = &p,
	};

	f->body = tir_rewrite(&r, f->body);
	te_simplifier_free(&p.ranges);
	vec_free(&p.outer);
}
