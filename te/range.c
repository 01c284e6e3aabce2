/*
 * Ranges of integer expressions, by interval arithmetic on sums.
 */
#include <assert.h>
#include <stdlib.h>

#include "support/arena.h"
#include "te/fold.h"
#include "te/linear.h"
#include "te/simplify.h"

struct te_range_slot {
	const struct tir_var *var; /* NULL: free */
	struct te_range range;
};

static struct te_range_slot *
find_slot(struct te_range_slot *slots, uint32_t nslots, const struct tir_var *v)
{
	uint32_t i = v->id * 2654435761u & (nslots - 1);

	while (slots[i].var && slots[i].var != v)
		i = (i + 1) & (nslots - 1);
	return &slots[i];
}

static void
rehash(struct te_simplifier *s)
{
	uint32_t n = s->nslots ? 2 * s->nslots : 64;
	struct te_range_slot *slots = xcalloc(n, sizeof(*slots));

	for (uint32_t i = 0; i < s->nslots; i++)
		if (s->slots[i].var)
			*find_slot(slots, n, s->slots[i].var) = s->slots[i];
	free(s->slots);
	s->slots = slots;
	s->nslots = n;
}

void
te_simplifier_free(struct te_simplifier *s)
{
	free(s->slots);
	s->slots = NULL;
	s->nslots = s->used = 0;
}

void
te_set_range(struct te_simplifier *s, const struct tir_var *v, int64_t lo,
	     int64_t hi)
{
	struct te_range_slot *slot;

	if (2 * (s->used + 1) > s->nslots)
		rehash(s);
	slot = find_slot(s->slots, s->nslots, v);
	if (!slot->var)
		s->used++;
	slot->var = v;
	slot->range = (struct te_range){lo, hi};
}

bool
te_get_range(const struct te_simplifier *s, const struct tir_var *v,
	     struct te_range *out)
{
	const struct te_range_slot *slot;

	if (!s->nslots)
		return false;
	slot = find_slot(s->slots, s->nslots, v);
	if (!slot->var)
		return false;
	*out = slot->range;
	return true;
}

/* What the type itself allows; false: more than int64 holds. */
static bool
range_of_type(struct dtype t, struct te_range *out)
{
	if (t.lanes != 1)
		return false;
	if (t.code == DTYPE_INT) {
		out->hi = (int64_t)(~UINT64_C(0) >> (65 - t.bits));
		out->lo = ~out->hi;
		return true;
	}
	if (t.code == DTYPE_UINT && t.bits < 64) {
		out->lo = 0;
		out->hi = (int64_t)((UINT64_C(1) << t.bits) - 1);
		return true;
	}
	return false;
}

static bool
scale(struct te_range *r, int64_t coef)
{
	int64_t a;
	int64_t b;

	if (__builtin_mul_overflow(r->lo, coef, &a) ||
	    __builtin_mul_overflow(r->hi, coef, &b))
		return false;
	r->lo = coef < 0 ? b : a;
	r->hi = coef < 0 ? a : b;
	return true;
}

/* Exact, whatever the type of the terms. */
bool
te_range_of_linear(const struct te_simplifier *s, const struct te_linear *a,
		   struct te_range *out)
{
	out->lo = out->hi = a->k;
	for (uint32_t i = 0; i < a->n; i++) {
		struct te_range r;

		if (!te_range_of(s, a->term[i].e, &r) ||
		    !scale(&r, a->term[i].coef) ||
		    __builtin_add_overflow(out->lo, r.lo, &out->lo) ||
		    __builtin_add_overflow(out->hi, r.hi, &out->hi))
			return false;
	}
	return true;
}

/* The range of a sum or a multiple. */
static bool
range_of_sum(const struct te_simplifier *s, const tir_expr *e,
	     struct te_range *out)
{
	struct te_linear sum;

	return te_linear_of(e, &sum) && te_range_of_linear(s, &sum, out);
}

static bool
range_of_product(const struct te_range *a, const struct te_range *b,
		 struct te_range *out)
{
	int64_t x[4];

	if (__builtin_mul_overflow(a->lo, b->lo, &x[0]) ||
	    __builtin_mul_overflow(a->lo, b->hi, &x[1]) ||
	    __builtin_mul_overflow(a->hi, b->lo, &x[2]) ||
	    __builtin_mul_overflow(a->hi, b->hi, &x[3]))
		return false;
	out->lo = out->hi = x[0];
	for (int i = 1; i < 4; i++) {
		out->lo = x[i] < out->lo ? x[i] : out->lo;
		out->hi = x[i] > out->hi ? x[i] : out->hi;
	}
	return true;
}

/* K of ranges A and B. */
static bool
range_of_pair(enum tir_kind k, const struct te_range *a,
	      const struct te_range *b, struct te_range *out)
{
	switch (k) {
	case TIR_MUL:
		return range_of_product(a, b, out);
	case TIR_DIV:
	case TIR_TRUNCDIV:
		if (b->lo != b->hi || b->lo <= 0 ||
		    (k == TIR_TRUNCDIV && a->lo < 0))
			return false;
		out->lo = te_floordiv(a->lo, b->lo);
		out->hi = te_floordiv(a->hi, b->lo);
		return true;
	case TIR_MOD:
	case TIR_TRUNCMOD:
		if (b->lo != b->hi || b->lo <= 0 ||
		    (k == TIR_TRUNCMOD && a->lo < 0))
			return false;
		if (te_floordiv(a->lo, b->lo) == te_floordiv(a->hi, b->lo)) {
			out->lo = te_floormod(a->lo, b->lo);
			out->hi = te_floormod(a->hi, b->lo);
			return true;
		}
		out->lo = 0;
		out->hi = b->lo - 1;
		return true;
	case TIR_MIN:
		out->lo = a->lo < b->lo ? a->lo : b->lo;
		out->hi = a->hi < b->hi ? a->hi : b->hi;
		return true;
	case TIR_MAX:
		out->lo = a->lo > b->lo ? a->lo : b->lo;
		out->hi = a->hi > b->hi ? a->hi : b->hi;
		return true;
	default:
		return false;
	}
}

/* The exact range of E's value before it is reduced to E's type. */
static bool
exact_range(const struct te_simplifier *s, const tir_expr *e,
	    struct te_range *out)
{
	struct te_range a;
	struct te_range b;

	switch (e->kind) {
	case TIR_INT:
		out->lo = out->hi = e->i;
		return true;
	case TIR_VAR:
		return te_get_range(s, e->var, out) ||
		       range_of_type(e->dtype, out);
	case TIR_ADD:
	case TIR_SUB:
		return range_of_sum(s, e, out);
	case TIR_MUL:
		if (e->arg[0]->kind == TIR_INT || e->arg[1]->kind == TIR_INT)
			return range_of_sum(s, e, out);
		/* fall through */
	case TIR_DIV:
	case TIR_MOD:
	case TIR_TRUNCDIV:
	case TIR_TRUNCMOD:
	case TIR_MIN:
	case TIR_MAX:
		return te_range_of(s, e->arg[0], &a) &&
		       te_range_of(s, e->arg[1], &b) &&
		       range_of_pair(e->kind, &a, &b, out);
	case TIR_SELECT:
	case TIR_GUARD:
		if (!te_range_of(s, e->arg[1], &a) ||
		    !te_range_of(s, e->arg[2], &b))
			return false;
		out->lo = a.lo < b.lo ? a.lo : b.lo;
		out->hi = a.hi > b.hi ? a.hi : b.hi;
		return true;
	case TIR_CAST:
		if (!dtype_is_float(e->arg[0]->dtype) &&
		    te_range_of(s, e->arg[0], out))
			return true;
		/* fall through */
	default:
		return range_of_type(e->dtype, out);
	}
}

bool
te_range_of(const struct te_simplifier *s, const tir_expr *e,
	    struct te_range *out)
{
	struct te_range t;

	if (dtype_is_float(e->dtype) || !range_of_type(e->dtype, &t))
		return false;
	if (exact_range(s, e, out) && out->lo >= t.lo && out->hi <= t.hi)
		return true;
	return false;
}
