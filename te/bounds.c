/*
 * Bounds: which box of each tensor is computed, and by which loops.
 *
 * Consumers come first. A nest at root computes everything; one attached
 * inside a loop of its consumer computes the box that the iterations inside
 * of that loop read. The box has a corner, an expression over the loops
 * outside, and constant extents. Where it is not certain that the box lies
 * within the tensor, guards keep the rest from being computed.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "te/build.h"
#include "te/fold.h"
#include "te/linear.h"
#include "te/plan.h"
#include "te/sizes.h"

/* The box under construction for one attached nest. */
struct box {
	struct te_plan *p;
	struct te_nest *producer;
	const struct te_nest *reader;
	const struct tir_var **fixed; /* loops outside of the box */
	uint32_t nfixed;
	bool any;
	bool failed;
};

static bool
is_fixed(const struct box *b, const struct tir_var *v)
{
	for (uint32_t i = 0; i < b->nfixed; i++)
		if (b->fixed[i] == v)
			return true;
	return false;
}

/* E mentions a loop inside of the box. */
static bool
varies(const struct box *b, const tir_expr *e)
{
	if (e->kind == TIR_VAR)
		return !is_fixed(b, e->var);
	if (e->kind == TIR_LOAD || e->kind == TIR_READ)
		return true;
	for (uint32_t i = 0; i < e->n; i++)
		if (varies(b, e->arg[i]))
			return true;
	return false;
}

/*
 * The range of index E while the loops inside of the box run: OUT + [0,
 * EXTENT). False: anything.
 */
static bool
range_inside(struct box *b, const tir_expr *e, const tir_expr **min,
	     int64_t *extent)
{
	struct te_linear all;
	struct te_linear base = {0};
	int64_t lo = 0;
	int64_t hi = 0;

	if (!te_linear_of(e, &all))
		return false;
	base.k = all.k;
	for (uint32_t i = 0; i < all.n; i++) {
		struct te_range r;
		int64_t x;
		int64_t y;

		if (!varies(b, all.term[i].e)) {
			if (!te_linear_add_term(&base, all.term[i].e,
						all.term[i].coef))
				return false;
			continue;
		}
		if (!te_range_of(&b->p->ranges, all.term[i].e, &r) ||
		    __builtin_mul_overflow(r.lo, all.term[i].coef, &x) ||
		    __builtin_mul_overflow(r.hi, all.term[i].coef, &y))
			return false;
		if (__builtin_add_overflow(lo, x < y ? x : y, &lo) ||
		    __builtin_add_overflow(hi, x < y ? y : x, &hi))
			return false;
	}
	if (__builtin_add_overflow(base.k, lo, &base.k) ||
	    __builtin_sub_overflow(hi, lo, &hi) || hi == INT64_MAX)
		return false;
	*min = te_linear_expr(b->p->m, &base, e->dtype);
	*extent = hi + 1;
	return true;
}

static void
whole_dimension(struct te_nest *n, struct te_plan *p, uint32_t d)
{
	n->min[d] = tir_int(p->m, p->index, 0);
	n->extent[d] = n->op->axes[d].extent;
}

/* A box of EXTENT may as well be an axis of ALL, a number or a size. */
static bool
is_whole(int64_t extent, int64_t all)
{
	enum { MAX_BOX = 1 << 20 };

	return te_is_size(all) ? extent > MAX_BOX : extent >= all;
}

/* Widen the box to what one read needs. */
static void
cover_read(struct box *b, const tir_expr *read)
{
	struct te_nest *n = b->producer;

	for (uint32_t d = 0; d < n->naxes; d++) {
		const tir_expr *min;
		int64_t extent;
		struct te_linear x;
		struct te_linear y;

		if (b->any && n->extent[d] == n->op->axes[d].extent &&
		    tir_is_const_int(n->min[d], 0))
			continue;
		if (!range_inside(b, read->arg[d], &min, &extent) ||
		    is_whole(extent, n->op->axes[d].extent)) {
			whole_dimension(n, b->p, d);
			continue;
		}
		if (!b->any) {
			n->min[d] = min;
			n->extent[d] = extent;
			continue;
		}
		if (!te_linear_of(n->min[d], &x) || !te_linear_of(min, &y) ||
		    !te_linear_add(&y, &x, -1) || y.n > 0) {
			whole_dimension(n, b->p, d);
			continue;
		}
		if (y.k < 0) {
			n->extent[d] -= y.k;
			n->min[d] = min;
			y.k = 0;
		}
		if (y.k + extent > n->extent[d])
			n->extent[d] = y.k + extent;
		if (is_whole(n->extent[d], n->op->axes[d].extent))
			whole_dimension(n, b->p, d);
	}
	b->any = true;
}

/* Reads of the producer in E, whose indices are over loop variables. */
static const tir_expr *
visit_read(const tir_expr *e, void *env)
{
	struct box *b = env;

	if (te_plan_nest(b->p, e->tensor) == b->producer)
		cover_read(b, e);
	return e;
}

/* The axes of N and of its fold as expressions over loops. */
static void
axis_values(struct te_plan *p, const struct te_nest *n,
	    struct te_substitution *s)
{
	const struct te_reduce *r = te_nest_fold(n);

	s->n = n->naxes + n->nreduce;
	s->var = xmalloc((s->n + 1) * sizeof(*s->var));
	s->value = xmalloc((s->n + 1) * sizeof(*s->value));
	for (uint32_t i = 0; i < n->naxes; i++) {
		s->var[i] = n->op->axes[i].var;
		s->value[i] = n->index[i];
	}
	for (uint32_t i = 0; i < n->nreduce; i++) {
		s->var[n->naxes + i] = r->axes[i].var;
		s->value[n->naxes + i] =
			te_simplify(&p->ranges, n->roots[n->naxes + i]->value);
	}
}

/* N stands inside of loop IT of CONSUMER, directly or in a nest there. */
static bool
stands_inside(const struct te_nest *n, const struct te_nest *consumer,
	      const struct te_iter *it)
{
	size_t want = 0;
	size_t at;

	for (; n->attach == TE_AT_ITER; n = n->consumer) {
		if (n->consumer != consumer)
			continue;
		for (at = 0; consumer->leaves.at[at] != n->consumer_iter;)
			at++;
		while (consumer->leaves.at[want] != it)
			want++;
		return at >= want;
	}
	return n == consumer;
}

/* The loops around the place (CONSUMER, IT), that one included. */
static uint32_t
loops_around(const struct te_nest *consumer, const struct te_iter *it,
	     const struct tir_var **out)
{
	uint32_t n = 0;

	for (;;) {
		for (size_t i = 0; i < consumer->leaves.len; i++) {
			if (out)
				out[n] = consumer->leaves.at[i]->var;
			n++;
			if (consumer->leaves.at[i] == it)
				break;
		}
		if (consumer->attach != TE_AT_ITER)
			return n;
		it = consumer->consumer_iter;
		consumer = consumer->consumer;
	}
}

/* The nests that read each operation, by its id, in order. */
typedef VEC(struct te_nest *) nest_vec;

struct readers {
	struct te_plan *p;
	struct te_nest *in;
	nest_vec *of;
	uint32_t n;
};

static const tir_expr *
note_read(const tir_expr *e, void *env)
{
	struct readers *r = env;
	nest_vec *all;

	if (!te_plan_nest(r->p, e->tensor))
		return e;
	all = &r->of[e->tensor->op->id];
	if (all->len == 0 || all->at[all->len - 1] != r->in)
		vec_push(all, r->in);
	return e;
}

static void
find_readers(struct readers *r, struct te_plan *p)
{
	struct te_substitution s = {.read = note_read, .env = r};

	*r = (struct readers){.p = p, .n = p->nby_op};
	r->of = xcalloc(r->n + 1, sizeof(*r->of));
	for (size_t i = 0; i < p->nests.len; i++) {
		r->in = p->nests.at[i];
		if (r->in->attach == TE_AT_INLINE ||
		    r->in->op->kind != TE_COMPUTE)
			continue;
		for (uint32_t k = 0; k < r->in->op->noutputs; k++)
			if (r->in->body[k])
				te_substitute(p->m, r->in->body[k], &s);
	}
}

static void
free_readers(struct readers *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		vec_free(&r->of[i]);
	free(r->of);
}

/* What nest READER needs of the producer. */
static void
cover_reader(struct box *b, const struct te_nest *reader)
{
	struct te_substitution s = {.read = visit_read, .env = b};

	axis_values(b->p, reader, &s);
	for (uint32_t k = 0; k < reader->op->noutputs; k++) {
		const tir_expr *e = reader->body[k];

		if (!e)
			continue;
		s.read = NULL;
		e = te_simplify(&b->p->ranges, te_substitute(b->p->m, e, &s));
		s.read = visit_read;
		te_substitute(b->p->m, e, &s);
	}
	free(s.var);
	free(s.value);
}

static bool
find_box(struct te_plan *p, struct te_nest *n, const struct readers *r)
{
	const nest_vec *readers = &r->of[n->op->id];
	struct box b = {.p = p, .producer = n};

	if (n->attach != TE_AT_ITER) {
		for (uint32_t d = 0; d < n->naxes; d++)
			whole_dimension(n, p, d);
		return true;
	}
	b.nfixed = loops_around(n->consumer, n->consumer_iter, NULL);
	b.fixed = xmalloc(b.nfixed * sizeof(*b.fixed));
	loops_around(n->consumer, n->consumer_iter, b.fixed);
	for (size_t i = 0; i < readers->len && !b.failed; i++) {
		struct te_nest *reader = readers->at[i];

		if (reader->order <= n->order)
			continue;
		if (stands_inside(reader, n->consumer, n->consumer_iter)) {
			cover_reader(&b, reader);
			continue;
		}
		diag_error(p->diag, n->op->loc,
			   "stage '%s' is attached to '%s' but also read by "
			   "'%s'",
			   n->op->name, n->consumer->op->name,
			   reader->op->name);
		b.failed = true;
	}
	for (uint32_t d = 0; !b.any && d < n->naxes; d++)
		whole_dimension(n, p, d);
	free(b.fixed);
	return !b.failed;
}

static bool
check_leaf(struct te_plan *p, struct te_nest *n, struct te_iter *it)
{
	static const int64_t limit = 4096;

	if (it->kind != TIR_UNROLLED && it->kind != TIR_VECTORIZED)
		return true;
	if (it->count) {
		diag_error(p->diag, n->op->loc,
			   "how often loop '%s' of stage '%s' runs is not "
			   "known",
			   it->name, n->op->name);
		return false;
	}
	if (it->extent <= limit)
		return true;
	diag_error(p->diag, n->op->loc,
		   "loop '%s' of stage '%s' runs %lld times, which is too "
		   "often to %s it",
		   it->name, n->op->name, (long long)it->extent,
		   it->kind == TIR_UNROLLED ? "unroll" : "vectorize");
	return false;
}

static bool
make_loops(struct te_plan *p, struct te_nest *n)
{
	for (size_t i = 0; i < n->leaves.len; i++) {
		struct te_iter *it = n->leaves.at[i];

		if (!check_leaf(p, n, it))
			return false;
		it->var = tir_new_var(p->m, it->name, p->index);
		te_set_range(&p->ranges, it->var, 0,
			     it->count        ? TE_MAX_SIZE
			     : it->extent > 0 ? it->extent - 1
					      : 0);
		it->value = it->extent == 1 && !it->count
				    ? tir_int(p->m, p->index, 0)
				    : tir_var_ref(p->m, it->var);
	}
	return true;
}

static void
add_guard(struct te_plan *p, struct te_nest *n, enum tir_kind k,
	  const tir_expr *a, int64_t b)
{
	const tir_expr *e = te_simplify(
		&p->ranges,
		te_fold_binary(p->m, k, a, te_extent_expr(p->m, a->dtype, b)));

	if (!tir_is_const_int(e, 1))
		vec_push(&n->guards, e);
}

/* What is computed inside of a loop has a size that is known. */
static bool
memory_known(struct te_plan *p, const struct te_nest *n)
{
	for (uint32_t d = 0; n->attach == TE_AT_ITER && d < n->naxes; d++) {
		if (!te_is_size(n->extent[d]))
			continue;
		diag_error(p->diag, n->op->loc,
			   "stage '%s' is attached where its size is not known",
			   n->op->name);
		return false;
	}
	return true;
}

static bool
bound_nest(struct te_plan *p, struct te_nest *n, const struct readers *r)
{
	te_expr_vec guards = {0};

	n->min = ARENA_NEW_ARRAY(&p->m->arena, n->naxes, const tir_expr *);
	n->index = ARENA_NEW_ARRAY(&p->m->arena, n->naxes, const tir_expr *);
	n->extent = ARENA_NEW_ARRAY(&p->m->arena, n->naxes, int64_t);
	if (!find_box(p, n, r))
		return false;
	for (uint32_t d = 0; d < n->naxes; d++)
		te_iter_set_extent(p->m, n->roots[d], n->extent[d]);
	if (!memory_known(p, n))
		return false;
	te_nest_extents(p->m, n);
	if (!make_loops(p, n))
		return false;
	te_nest_values(p->m, n, &guards);
	for (size_t i = 0; i < guards.len; i++) {
		const tir_expr *e = te_simplify(&p->ranges, guards.at[i]);

		if (!tir_is_const_int(e, 1))
			vec_push(&n->guards, e);
	}
	vec_free(&guards);
	for (uint32_t d = 0; d < n->naxes; d++) {
		n->index[d] = te_simplify(
			&p->ranges, te_fold_binary(p->m, TIR_ADD, n->min[d],
						   n->roots[d]->value));
		if (n->attach != TE_AT_ITER)
			continue;
		add_guard(p, n, TIR_GE, n->index[d], 0);
		add_guard(p, n, TIR_LT, n->index[d], n->op->axes[d].extent);
	}
	return true;
}

bool
te_bounds(struct te_plan *p)
{
	struct readers r;
	bool ok = true;

	find_readers(&r, p);
	for (size_t i = p->nests.len; ok && i-- > 0;) {
		struct te_nest *n = p->nests.at[i];

		ok = n->attach == TE_AT_INLINE || bound_nest(p, n, &r);
	}
	free_readers(&r);
	return ok;
}
