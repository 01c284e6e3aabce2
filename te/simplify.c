/*
 * Simplification: bottom-up, every node once per set of ranges.
 */
#include "te/simplify.h"

#include <assert.h>
#include <stdlib.h>

#include "support/arena.h"
#include "te/fold.h"
#include "te/linear.h"

/* Results of one run, by node and generation of ranges. */
struct te_memo {
	struct memo_slot {
		const tir_expr *key;
		uint32_t generation;
		const tir_expr *value;
	} *slots;
	uint32_t nslots;
	uint32_t used;
	uint32_t generation;
	uint32_t next_generation;
};

static const tir_expr *simplify(struct te_simplifier *s, const tir_expr *e);

static struct memo_slot *
memo_find(struct te_memo *memo, const tir_expr *e, uint32_t generation)
{
	uint64_t h = ((uintptr_t)e >> 4) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t i = (uint32_t)(h >> 32) + generation * 31;

	for (;; i++) {
		struct memo_slot *slot = &memo->slots[i & (memo->nslots - 1)];

		if (!slot->key ||
		    (slot->key == e && slot->generation == generation))
			return slot;
	}
}

static void
memo_put(struct te_memo *memo, const tir_expr *e, const tir_expr *value)
{
	struct memo_slot *slot;

	if (2 * (memo->used + 1) > memo->nslots) {
		struct te_memo bigger = *memo;

		bigger.nslots = memo->nslots ? 2 * memo->nslots : 64;
		bigger.slots = xcalloc(bigger.nslots, sizeof(*slot));
		for (uint32_t i = 0; i < memo->nslots; i++) {
			slot = &memo->slots[i];
			if (slot->key)
				*memo_find(&bigger, slot->key,
					   slot->generation) = *slot;
		}
		free(memo->slots);
		*memo = bigger;
	}
	slot = memo_find(memo, e, memo->generation);
	memo->used += !slot->key;
	slot->key = e;
	slot->generation = memo->generation;
	slot->value = value;
}

/* Sums may be taken apart for these. */
static bool
is_index(struct dtype t)
{
	return t.code == DTYPE_INT && t.lanes == 1 && t.bits >= 32;
}

static int64_t
gcd(int64_t a, int64_t b)
{
	a = a < 0 ? -a : a;
	while (b) {
		int64_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

static bool
is_pair(const tir_expr *e, enum tir_kind k)
{
	return e->kind == k && e->arg[1]->kind == TIR_INT && e->arg[1]->i > 0;
}

static void
remove_term(struct te_linear *a, uint32_t i)
{
	a->n--;
	for (; i < a->n; i++)
		a->term[i] = a->term[i + 1];
}

/*
 * Term I of A is a * (x % c). Look for a*c * (x / c), which together make
 * a * x, or for a*c * ((x / c) % b), which make a * (x % (c*b)).
 */
static bool
merge_remainder(struct te_simplifier *s, struct te_linear *a, uint32_t i)
{
	const tir_expr *x = a->term[i].e->arg[0];
	const tir_expr *c = a->term[i].e->arg[1];
	int64_t coef = a->term[i].coef;
	int64_t want;
	struct te_linear more;
	struct te_linear out;

	if (__builtin_mul_overflow(coef, c->i, &want))
		return false;
	for (uint32_t k = 0; k < a->n; k++) {
		const tir_expr *d = a->term[k].e;
		const tir_expr *q = is_pair(d, TIR_MOD) ? d->arg[0] : d;
		const tir_expr *whole = x;

		if (a->term[k].coef != want || !is_pair(q, TIR_DIV) ||
		    q->arg[1]->i != c->i || te_expr_compare(q->arg[0], x))
			continue;
		if (q != d)
			whole = simplify(
				s,
				te_fold_binary(s->m, TIR_MOD, x,
					       te_fold_binary(s->m, TIR_MUL, c,
							      d->arg[1])));
		out = *a;
		remove_term(&out, i > k ? i : k);
		remove_term(&out, i > k ? k : i);
		if (!te_linear_of(whole, &more) ||
		    !te_linear_add(&out, &more, coef))
			return false;
		*a = out;
		return true;
	}
	return false;
}

static void
merge_remainders(struct te_simplifier *s, struct te_linear *a)
{
	for (uint32_t i = 0; i < a->n;) {
		if (is_pair(a->term[i].e, TIR_MOD) && merge_remainder(s, a, i))
			i = 0;
		else
			i++;
	}
}

static const tir_expr *
simplify_sum(struct te_simplifier *s, const tir_expr *e)
{
	struct te_linear a;

	if (!te_linear_of(e, &a))
		return e;
	merge_remainders(s, &a);
	return te_linear_expr(s->m, &a, e->dtype);
}

static int64_t
common_factor(const struct te_linear *a, int64_t c)
{
	for (uint32_t i = 0; i < a->n; i++)
		c = gcd(a->term[i].coef, c);
	return c;
}

/* A / G, rounded down; all coefficients are multiples of G. */
static void
divide_linear(struct te_linear *a, int64_t g)
{
	for (uint32_t i = 0; i < a->n; i++)
		a->term[i].coef /= g;
	a->k = te_floordiv(a->k, g);
}

/* R fits type T and is non-negative enough: its range, or false. */
static bool
fits(struct te_simplifier *s, const struct te_linear *r, struct dtype t,
     struct te_range *out)
{
	int64_t limit = t.bits == 32 ? INT32_MAX : INT64_MAX;

	return te_range_of_linear(s, r, out) && out->lo >= -limit &&
	       out->hi <= limit;
}

/*
 * R as G*S + T with G dividing C and T in [0, G): the quotient of R by C is
 * that of S by C/G, the remainder G times that of S, plus T. The factor, S in
 * SMALLER and T in REST; 1 if there is no such factor.
 */
static int64_t
separate(struct te_simplifier *s, const struct te_linear *r, int64_t c,
	 struct te_linear *smaller, struct te_linear *rest)
{
	for (uint32_t i = 0; i < r->n; i++) {
		int64_t g = r->term[i].coef;
		struct te_range range;

		g = g < 0 ? -g : g;
		if (g <= 1 || g >= c || c % g)
			continue;
		smaller->n = rest->n = 0;
		smaller->k = te_floordiv(r->k, g);
		rest->k = te_floormod(r->k, g);
		for (uint32_t k = 0; k < r->n; k++) {
			struct te_term t = r->term[k];

			if (t.coef % g) {
				rest->term[rest->n++] = t;
				continue;
			}
			t.coef /= g;
			smaller->term[smaller->n++] = t;
		}
		if (te_range_of_linear(s, rest, &range) && range.lo >= 0 &&
		    range.hi < g)
			return g;
	}
	return 1;
}

/* R / C where R is a single quotient or remainder, or NULL. */
static const tir_expr *
nested_quotient(struct te_simplifier *s, const struct te_linear *r, int64_t c)
{
	const tir_expr *e;
	const tir_expr *d;
	struct dtype t;
	int64_t both;

	if (r->n != 1 || r->k != 0 || r->term[0].coef != 1)
		return NULL;
	e = r->term[0].e;
	t = e->dtype;
	if (is_pair(e, TIR_DIV) &&
	    !__builtin_mul_overflow(e->arg[1]->i, c, &both) &&
	    both == te_wrap(t, both)) {
		d = tir_int(s->m, t, both);
		return simplify(s, te_fold_binary(s->m, TIR_DIV, e->arg[0], d));
	}
	if (is_pair(e, TIR_MOD) && e->arg[1]->i % c == 0) {
		d = te_fold_binary(s->m, TIR_DIV, e->arg[0],
				   tir_int(s->m, t, c));
		return simplify(
			s, te_fold_binary(s->m, TIR_MOD, d,
					  tir_int(s->m, t, e->arg[1]->i / c)));
	}
	return NULL;
}

/* The quotient of R, which is small, by C, added to Q. NULL: too large. */
static const tir_expr *
finish_quotient(struct te_simplifier *s, struct te_linear *q,
		struct te_linear *r, int64_t c, struct dtype t)
{
	struct te_range range;
	const tir_expr *rest;
	struct te_linear more;
	struct te_linear tail;
	int64_t g;

	if (!fits(s, r, t, &range))
		return NULL;
	if (te_floordiv(range.lo, c) == te_floordiv(range.hi, c)) {
		q->k += te_floordiv(range.lo, c);
		return te_linear_expr(s->m, q, t);
	}
	g = separate(s, r, c, &more, &tail);
	if (g > 1) {
		*r = more;
		c /= g;
	}
	g = common_factor(r, c);
	divide_linear(r, g);
	c /= g;
	rest = c == 1 ? te_linear_expr(s->m, r, t) : nested_quotient(s, r, c);
	if (!rest)
		rest = tir_binary(s->m, TIR_DIV, te_linear_expr(s->m, r, t),
				  tir_int(s->m, t, c));
	if (!te_linear_of(rest, &more) || !te_linear_add(q, &more, 1))
		return NULL;
	merge_remainders(s, q);
	return te_linear_expr(s->m, q, t);
}

static const tir_expr *
simplify_quotient(struct te_simplifier *s, const tir_expr *e)
{
	int64_t c = e->arg[1]->i;
	struct te_linear a;
	struct te_linear q = {0};
	struct te_linear r = {0};
	struct te_range range;
	const tir_expr *out;

	if (!te_linear_of(e->arg[0], &a) || !fits(s, &a, e->dtype, &range))
		return e;
	for (uint32_t i = 0; i < a.n; i++) {
		int64_t coef = a.term[i].coef;

		if (!te_linear_add_term(&q, a.term[i].e, coef / c) ||
		    !te_linear_add_term(&r, a.term[i].e, coef % c))
			return e;
	}
	q.k = te_floordiv(a.k, c);
	r.k = te_floormod(a.k, c);
	out = finish_quotient(s, &q, &r, c, e->dtype);
	return out ? out : e;
}

/* OUT := A mod C up to multiples of C. */
static bool
reduce_terms(const struct te_linear *a, int64_t c, struct te_linear *out)
{
	out->n = 0;
	out->k = a->k;
	for (uint32_t i = 0; i < a->n; i++) {
		const tir_expr *e = a->term[i].e;
		int64_t coef = a->term[i].coef % c;
		struct te_linear inner;
		int64_t x;

		if (is_pair(e, TIR_MOD) &&
		    !__builtin_mul_overflow(coef, e->arg[1]->i, &x) &&
		    x % c == 0) {
			if (!te_linear_of(e->arg[0], &inner) ||
			    !te_linear_add(out, &inner, coef))
				return false;
		} else if (!te_linear_add_term(out, e, coef)) {
			return false;
		}
	}
	return true;
}

static const tir_expr *
finish_remainder(struct te_simplifier *s, struct te_linear *r, int64_t c,
		 struct dtype t)
{
	struct te_range range;
	struct te_linear out = {0};
	const tir_expr *rest;
	struct te_linear smaller;
	int64_t all = 1;
	int64_t g;

	for (uint32_t i = 0; i < r->n;) {
		r->term[i].coef %= c;
		if (r->term[i].coef == 0)
			remove_term(r, i);
		else
			i++;
	}
	r->k = te_floormod(r->k, c);
	if (!fits(s, r, t, &range))
		return NULL;
	if (te_floordiv(range.lo, c) == te_floordiv(range.hi, c)) {
		r->k -= te_floordiv(range.lo, c) * c;
		return te_linear_expr(s->m, r, t);
	}
	g = separate(s, r, c, &smaller, &out);
	if (g > 1) {
		*r = smaller;
		c /= g;
		all = g;
	} else {
		out = (struct te_linear){0};
	}
	g = common_factor(r, c);
	out.k += all * te_floormod(r->k, g);
	divide_linear(r, g);
	c /= g;
	if (c == 1)
		return te_linear_expr(s->m, &out, t);
	rest = tir_binary(s->m, TIR_MOD, te_linear_expr(s->m, r, t),
			  tir_int(s->m, t, c));
	if (!te_linear_add_term(&out, rest, all * g))
		return NULL;
	return te_linear_expr(s->m, &out, t);
}

static const tir_expr *
simplify_remainder(struct te_simplifier *s, const tir_expr *e)
{
	int64_t c = e->arg[1]->i;
	struct te_linear a;
	struct te_linear r;
	struct te_range range;
	const tir_expr *out;

	if (!te_linear_of(e->arg[0], &a) || !fits(s, &a, e->dtype, &range) ||
	    !reduce_terms(&a, c, &r))
		return e;
	out = finish_remainder(s, &r, c, e->dtype);
	return out ? out : e;
}

/* The range of A - B, exact; false: unknown. */
static bool
range_of_difference(struct te_simplifier *s, const tir_expr *a,
		    const tir_expr *b, struct te_range *out)
{
	struct te_linear x;
	struct te_linear y;
	struct te_range r;

	return te_range_of(s, a, &r) && te_range_of(s, b, &r) &&
	       te_linear_of(a, &x) && te_linear_of(b, &y) &&
	       te_linear_add(&x, &y, -1) && te_range_of_linear(s, &x, out);
}

/* What the range of A - B says about "A K B": 0, 1, or -1 for nothing. */
static int
decide(enum tir_kind k, const struct te_range *d)
{
	switch (k) {
	case TIR_LT:
		return d->hi < 0 ? 1 : d->lo >= 0 ? 0 : -1;
	case TIR_LE:
		return d->hi <= 0 ? 1 : d->lo > 0 ? 0 : -1;
	case TIR_GT:
		return d->lo > 0 ? 1 : d->hi <= 0 ? 0 : -1;
	case TIR_GE:
		return d->lo >= 0 ? 1 : d->hi < 0 ? 0 : -1;
	case TIR_EQ:
		return d->lo == 0 && d->hi == 0 ? 1
		       : d->lo > 0 || d->hi < 0 ? 0
						: -1;
	default:
		return d->lo == 0 && d->hi == 0 ? 0
		       : d->lo > 0 || d->hi < 0 ? 1
						: -1;
	}
}

static const tir_expr *
simplify_compare(struct te_simplifier *s, const tir_expr *e)
{
	struct te_range d;
	int known;

	if (!range_of_difference(s, e->arg[0], e->arg[1], &d))
		return e;
	known = decide((enum tir_kind)e->kind, &d);
	return known < 0 ? e : tir_int(s->m, DTYPE_BOOL, known);
}

static const tir_expr *
simplify_extremum(struct te_simplifier *s, const tir_expr *e)
{
	struct te_range d;

	if (!range_of_difference(s, e->arg[0], e->arg[1], &d))
		return e;
	if (d.hi <= 0)
		return e->arg[e->kind == TIR_MAX];
	if (d.lo >= 0)
		return e->arg[e->kind == TIR_MIN];
	return e;
}

/* E has simplified operands and was folded. */
static const tir_expr *
apply_rules(struct te_simplifier *s, const tir_expr *e)
{
	struct dtype t = e->n ? e->arg[0]->dtype : e->dtype;

	if (!is_index(t))
		return e;
	switch (e->kind) {
	case TIR_ADD:
	case TIR_SUB:
	case TIR_MUL:
		return simplify_sum(s, e);
	case TIR_DIV:
		return is_pair(e, TIR_DIV) ? simplify_quotient(s, e) : e;
	case TIR_MOD:
		return is_pair(e, TIR_MOD) ? simplify_remainder(s, e) : e;
	case TIR_EQ:
	case TIR_NE:
	case TIR_LT:
	case TIR_LE:
	case TIR_GT:
	case TIR_GE:
		return simplify_compare(s, e);
	case TIR_MIN:
	case TIR_MAX:
		return simplify_extremum(s, e);
	default:
		return e;
	}
}

/* What stands behind the condition may rely on it. */
static const tir_expr *
simplify_guard(struct te_simplifier *s, const tir_expr *e)
{
	const tir_expr *cond = simplify(s, e->arg[0]);
	const tir_expr *a;
	struct te_narrowed narrowed;
	uint32_t outer = s->memo->generation;

	if (cond->kind == TIR_INT)
		return simplify(s, e->arg[cond->i ? 1 : 2]);
	te_narrow(s, cond, &narrowed);
	if (narrowed.n)
		s->memo->generation = ++s->memo->next_generation;
	a = simplify(s, e->arg[1]);
	te_widen(s, &narrowed);
	s->memo->generation = outer;
	return te_fold_choice(s->m, TIR_GUARD, cond, a, simplify(s, e->arg[2]));
}

static const tir_expr *
simplify_operands(struct te_simplifier *s, const tir_expr *e)
{
	const tir_expr *few[4];
	const tir_expr **args = few;
	const tir_expr *out;

	if (e->n > 4)
		args = xmalloc(e->n * sizeof(*args));
	for (uint32_t i = 0; i < e->n; i++)
		args[i] = simplify(s, e->arg[i]);
	out = te_fold_with_args(s->m, e, args);
	if (args != few)
		free(args);
	return out;
}

static const tir_expr *
simplify(struct te_simplifier *s, const tir_expr *e)
{
	struct te_range r;
	const tir_expr *out;

	if (e->kind == TIR_VAR && te_get_range(s, e->var, &r) && r.lo == r.hi)
		return tir_int(s->m, e->dtype, r.lo);
	if (e->n == 0)
		return e;
	if (s->memo->nslots) {
		struct memo_slot *slot =
			memo_find(s->memo, e, s->memo->generation);

		if (slot->key)
			return slot->value;
	}
	if (e->kind == TIR_GUARD)
		out = simplify_guard(s, e);
	else
		out = apply_rules(s, simplify_operands(s, e));
	memo_put(s->memo, e, out);
	return out;
}

const tir_expr *
te_simplify(struct te_simplifier *s, const tir_expr *e)
{
	struct te_memo memo = {0};

	assert(!s->memo);
	s->memo = &memo;
	e = simplify(s, e);
	s->memo = NULL;
	free(memo.slots);
	return e;
}

bool
te_prove(struct te_simplifier *s, const tir_expr *cond)
{
	return tir_is_const_int(te_simplify(s, cond), 1);
}

/* COEF * v + K  KIND  0, for an integer v in R. */
static void
narrow_range(enum tir_kind kind, int64_t coef, int64_t k, struct te_range *r)
{
	/* COEF > 0 from here on: v < x, v <= x, ... with x = -K / COEF. */
	static const enum tir_kind mirrored[] = {
		[TIR_LT] = TIR_GT, [TIR_LE] = TIR_GE, [TIR_GT] = TIR_LT,
		[TIR_GE] = TIR_LE, [TIR_EQ] = TIR_EQ,
	};
	int64_t lo = r->lo;
	int64_t hi = r->hi;

	if (coef < 0) {
		kind = mirrored[kind];
		coef = -coef;
		k = -k;
	}
	if (kind == TIR_LT)
		hi = te_floordiv(-k - 1, coef);
	else if (kind == TIR_LE || kind == TIR_EQ)
		hi = te_floordiv(-k, coef);
	if (kind == TIR_GT)
		lo = te_floordiv(-k, coef) + 1;
	else if (kind == TIR_GE || kind == TIR_EQ)
		lo = -te_floordiv(k, coef);
	if (hi < r->hi)
		r->hi = hi;
	if (lo > r->lo)
		r->lo = lo;
}

static void
narrow_by_compare(struct te_simplifier *s, const tir_expr *cond,
		  struct te_narrowed *saved)
{
	struct te_linear x;
	struct te_linear y;
	struct te_range r;
	struct te_range old;
	const struct tir_var *v;

	if (saved->n == TE_MAX_NARROWED || !is_index(cond->arg[0]->dtype) ||
	    !te_range_of(s, cond->arg[0], &r) ||
	    !te_range_of(s, cond->arg[1], &r) ||
	    !te_linear_of(cond->arg[0], &x) ||
	    !te_linear_of(cond->arg[1], &y) || !te_linear_add(&x, &y, -1))
		return;
	if (x.n != 1 || x.term[0].e->kind != TIR_VAR || x.k == INT64_MIN ||
	    x.term[0].coef == INT64_MIN)
		return;
	v = x.term[0].e->var;
	if (!te_get_range(s, v, &old))
		return;
	r = old;
	narrow_range((enum tir_kind)cond->kind, x.term[0].coef, x.k, &r);
	if (r.lo > r.hi || (r.lo == old.lo && r.hi == old.hi))
		return;
	saved->var[saved->n] = v;
	saved->old[saved->n++] = old;
	te_set_range(s, v, r.lo, r.hi);
}

static void
narrow(struct te_simplifier *s, const tir_expr *cond, struct te_narrowed *saved)
{
	switch (cond->kind) {
	case TIR_AND:
		narrow(s, cond->arg[0], saved);
		narrow(s, cond->arg[1], saved);
		break;
	case TIR_EQ:
	case TIR_LT:
	case TIR_LE:
	case TIR_GT:
	case TIR_GE:
		narrow_by_compare(s, cond, saved);
		break;
	default:
		break;
	}
}

void
te_narrow(struct te_simplifier *s, const tir_expr *cond,
	  struct te_narrowed *saved)
{
	saved->n = 0;
	narrow(s, cond, saved);
}

void
te_widen(struct te_simplifier *s, const struct te_narrowed *saved)
{
	for (uint32_t i = saved->n; i-- > 0;)
		te_set_range(s, saved->var[i], saved->old[i].lo,
			     saved->old[i].hi);
}
