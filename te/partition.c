/*
 * tir-partition: split loops where a condition changes its value.
 *
 * A comparison c*v + r < 0, where r is made of loops inside of the loop over
 * v, is true for all of r up to one value of v and false for all of r from
 * another one on. Splitting the loop there leaves a condition in the pieces
 * between only, which are short; inner loops then split in turn. A parallel
 * loop is not split, but its body chooses between the pieces.
 *
 * Where how often a loop runs is not known, its body chooses instead: if all
 * conditions c*v + r < n hold for every value of the loops inside, it goes
 * without them, else with them. So what a tile or a vector does at the end of
 * an axis of unknown length is done element by element.
 *
 * On the way everything is simplified with the ranges of the pieces.
 */
#include <stdlib.h>

#include "ir/attr.h"
#include "te/fold.h"
#include "te/linear.h"
#include "te/lower.h"
#include "te/sizes.h"
#include "te/tir_rewrite.h"

enum {
	MAX_POINTS = 64,   /* in one loop */
	MAX_GROWTH = 6000, /* statements and terms made anew */
};

struct partition {
	struct te_simplifier ranges;
	VEC(const struct tir_var *) outer;
	long budget;
	bool open; /* some loops run nobody knows how often */
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

/* Conditions in the body of a loop that may hold for all of its inside. */
struct tails {
	struct partition *p;
	const tir_stmt *loop;
	VEC(const tir_expr *) cond; /* as they stand */
	VEC(const tir_expr *) all;  /* that they hold everywhere inside */
	long size;
};

/*
 * That the sum A - B is below 0 for all values of the loops inside: *OUT, over
 * the loop's own variable and what is outside. False: cannot be said.
 */
static bool
holds_inside(struct tails *t, const tir_expr *a, const tir_expr *b,
	     const tir_expr **out)
{
	struct te_simplifier *s = &t->p->ranges;
	struct te_linear x, y, base = {0};
	bool own = false;

	if (!te_linear_of(a, &x) || !te_linear_of(b, &y) ||
	    !te_linear_add(&x, &y, -1))
		return false;
	base.k = x.k;
	for (uint32_t i = 0; i < x.n; i++) {
		const tir_expr *e = x.term[i].e;
		struct te_range r;
		int64_t lo, hi;

		own |= te_mentions(e, t->loop->loop.var);
		if (e->kind != TIR_VAR || !te_get_range(s, e->var, &r) ||
		    r.hi >= TE_MAX_SIZE || mentions_outer(t->p, e)) {
			if (!te_linear_add_term(&base, e, x.term[i].coef))
				return false;
			continue;
		}
		if (__builtin_mul_overflow(r.lo, x.term[i].coef, &lo) ||
		    __builtin_mul_overflow(r.hi, x.term[i].coef, &hi) ||
		    __builtin_add_overflow(base.k, lo > hi ? lo : hi, &base.k))
			return false;
	}
	if (!own)
		return false;
	*out = tir_binary(s->m, TIR_LT, te_linear_expr(s->m, &base, a->dtype),
			  tir_int(s->m, a->dtype, 0));
	return true;
}

/* E mentions a loop or a name that begins in BODY. */
static bool is_inside(const tir_expr *e, const tir_stmt *body);

static void
tail_of(struct tails *t, const tir_expr *e)
{
	const tir_expr *all;

	if (e->kind == TIR_AND) {
		tail_of(t, e->arg[0]);
		tail_of(t, e->arg[1]);
		return;
	}
	if (e->kind != TIR_LT || e->arg[0]->dtype.lanes != 1 ||
	    e->arg[0]->dtype.code != DTYPE_INT ||
	    !holds_inside(t, e->arg[0], e->arg[1], &all) ||
	    is_inside(all, t->loop->loop.body))
		return;
	vec_push(&t->cond, e);
	for (size_t i = 0; i < t->all.len; i++)
		if (!te_expr_compare(t->all.at[i], all))
			return;
	vec_push(&t->all, all);
}

static void
find_tails(const tir_stmt *s, void *env)
{
	struct tails *t = env;

	t->size++;
	if (s->kind == TIR_IF)
		tail_of(t, s->if_.cond);
}

struct inside {
	const tir_expr *e;
	bool any;
};

static void
find_inside(const tir_stmt *s, void *env)
{
	struct inside *in = env;

	if (s->kind == TIR_FOR)
		in->any |= te_mentions(in->e, s->loop.var);
	if (s->kind == TIR_LET_STMT)
		in->any |= te_mentions(in->e, s->let.var);
}

static bool
is_inside(const tir_expr *e, const tir_stmt *body)
{
	struct inside in = {e, false};

	tir_each_stmt(body, find_inside, &in);
	return in.any;
}

/* E without the conditions of T; NULL: nothing is left. */
static const tir_expr *
without(const struct tails *t, const tir_expr *e)
{
	const tir_expr *a, *b;

	for (size_t i = 0; i < t->cond.len; i++)
		if (t->cond.at[i] == e)
			return NULL;
	if (e->kind != TIR_AND)
		return e;
	a = without(t, e->arg[0]);
	b = without(t, e->arg[1]);
	return a && b ? te_fold_binary(t->p->ranges.m, TIR_AND, a, b)
	       : a    ? a
		      : b;
}

static tir_stmt *
drop_tails(struct tir_rewriter *r, const tir_stmt *s)
{
	const struct tails *t = r->env;
	const tir_expr *cond;

	if (s->kind != TIR_IF || s->if_.else_)
		return NULL;
	cond = without(t, s->if_.cond);
	if (cond)
		return tir_if(r->m, cond, tir_rewrite(r, s->if_.then_), NULL);
	return tir_rewrite(r, s->if_.then_);
}

/* A loop that runs nobody knows how often. */
static tir_stmt *
open_loop(struct tir_rewriter *r, const tir_stmt *loop)
{
	struct partition *p = r->env;
	struct tails t = {.p = p, .loop = loop};
	struct tir_rewriter drop = {.m = r->m, .stmt = drop_tails, .env = &t};
	const struct tir_var *v = loop->loop.var;
	tir_stmt *body = loop->loop.body, *fast;

	if (v->dtype.bits == 64 && loop->loop.min->kind == TIR_INT &&
	    loop->loop.min->i >= 0)
		te_set_range(&p->ranges, v, 0, TE_MAX_SIZE);
	tir_set_loop_ranges(&p->ranges, body);
	vec_push(&p->outer, v);
	if (body->kind != TIR_IF || !body->if_.else_)
		tir_each_stmt(body, find_tails, &t);
	if (t.all.len && t.size <= p->budget) {
		const tir_expr *all = t.all.at[0];

		for (size_t i = 1; i < t.all.len; i++)
			all = te_fold_binary(r->m, TIR_AND, all, t.all.at[i]);
		p->budget -= t.size;
		fast = tir_rewrite(&drop, body);
		body = tir_if(r->m, te_simplify(&p->ranges, all),
			      tir_rewrite(r, fast), tir_rewrite(r, body));
	} else {
		body = tir_rewrite(r, body);
	}
	p->outer.len--;
	vec_free(&t.cond);
	vec_free(&t.all);
	return tir_for(r->m, v, loop->loop.min,
		       te_simplify(&p->ranges, loop->loop.extent),
		       loop->loop.kind, body);
}

static tir_stmt *
rewrite_loop(struct tir_rewriter *r, const tir_stmt *loop)
{
	struct partition *p = r->env;
	struct points pts = {.p = p, .var = loop->loop.var};
	int64_t lo;
	tir_stmt *seq;

	if (p->open && !tir_loop_range(loop, &pts.range))
		return open_loop(r, loop);
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
	struct partition p = {
		.ranges = {.m = m},
		.budget = MAX_GROWTH,
		.open = ir_dict_get(f->attrs, "sizes") != NULL,
	};
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
