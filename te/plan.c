/*
 * Plans: nests, and the primitives that reshape one nest.
 */
#include "te/plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "te/fold.h"
#include "te/sizes.h"

static struct te_iter *
new_iter(struct te_plan *p, const char *name, bool reduce, int64_t extent)
{
	struct te_iter *it = ARENA_NEW(&p->m->arena, struct te_iter);

	it->name = name;
	it->reduce = reduce;
	te_iter_set_extent(p->m, it, extent);
	return it;
}

void
te_iter_set_extent(ir_module *m, struct te_iter *it, int64_t extent)
{
	it->extent = te_nominal(extent);
	it->count = te_is_size(extent)
			    ? te_extent_expr(m, DTYPE(INT, 64), extent)
			    : NULL;
}

const tir_expr *
te_iter_count(ir_module *m, const struct te_iter *it, struct dtype t)
{
	return it->count ? te_fold_cast(m, t, it->count)
			 : tir_int(m, t, it->extent);
}

struct te_nest *
te_plan_nest(const struct te_plan *p, const struct te_tensor *t)
{
	return t->op->id < p->nby_op ? p->by_op[t->op->id] : NULL;
}

static void
add_roots(struct te_plan *p, struct te_nest *n)
{
	const struct te_reduce *r = te_nest_fold(n);
	uint32_t k = 0;

	n->naxes = n->op->naxes;
	n->nreduce = r ? r->naxes : 0;
	n->roots = ARENA_NEW_ARRAY(&p->m->arena, n->naxes + n->nreduce,
				   struct te_iter *);
	for (uint32_t i = 0; i < n->naxes; i++)
		n->roots[k++] = new_iter(p, n->op->axes[i].var->name, false,
					 n->op->axes[i].extent);
	for (uint32_t i = 0; i < n->nreduce; i++)
		n->roots[k++] = new_iter(p, r->axes[i].var->name, true,
					 r->axes[i].extent);
	vec_clear(&n->leaves);
	for (uint32_t i = 0; i < k; i++)
		vec_push(&n->leaves, n->roots[i]);
}

static void
link_before(struct te_plan *p, struct te_nest *n, struct te_nest *at)
{
	n->next = at;
	n->prev = at ? at->prev : p->last;
	*(n->prev ? &n->prev->next : &p->first) = n;
	*(at ? &at->prev : &p->last) = n;
}

struct te_nest *
te_plan_insert(struct te_plan *p, const struct te_op *op, struct te_nest *at)
{
	struct te_nest *n = ARENA_NEW(&p->m->arena, struct te_nest);

	n->op = op;
	n->body = arena_copy(&p->m->arena, op->body,
			     op->noutputs * sizeof(*op->body));
	add_roots(p, n);
	link_before(p, n, at);
	vec_push(&p->nests, n);
	ptrmap_put(&p->by_name, op->name, n);
	if (op->id >= p->nby_op) {
		uint32_t size = 2 * op->id + 8;

		p->by_op = xrealloc(p->by_op, size * sizeof(*p->by_op));
		memset(p->by_op + p->nby_op, 0,
		       (size - p->nby_op) * sizeof(*p->by_op));
		p->nby_op = size;
	}
	p->by_op[op->id] = n;
	return n;
}

struct te_op *
te_plan_new_op(struct te_plan *p, const char *name, uint32_t noutputs)
{
	struct te_op *op = ARENA_NEW(&p->m->arena, struct te_op);

	op->kind = TE_COMPUTE;
	op->name = name;
	op->id = p->next_op_id++;
	op->noutputs = noutputs;
	op->outputs = ARENA_NEW_ARRAY(&p->m->arena, noutputs, struct te_tensor);
	op->body = ARENA_NEW_ARRAY(&p->m->arena, noutputs, const tir_expr *);
	for (uint32_t i = 0; i < noutputs; i++) {
		op->outputs[i].op = op;
		op->outputs[i].output = i;
	}
	return op;
}

struct te_nest *
te_plan_find(const struct te_plan *p, const char *name)
{
	uintptr_t *n = ptrmap_find(&p->by_name, name);

	return n ? (struct te_nest *)*n : NULL;
}

static struct te_iter *
find_leaf(struct te_plan *p, struct te_nest *n, const char *name,
	  struct loc loc, size_t *at)
{
	for (size_t i = 0; i < n->leaves.len; i++) {
		if (n->leaves.at[i]->name != name)
			continue;
		if (at)
			*at = i;
		return n->leaves.at[i];
	}
	diag_error(p->diag, loc, "stage '%s' has no loop '%s'", n->op->name,
		   name);
	return NULL;
}

static bool
name_is_free(struct te_plan *p, struct te_nest *n, const struct te_prim *prim,
	     const char *name)
{
	for (size_t i = 0; i < n->leaves.len; i++)
		if (n->leaves.at[i]->name == name)
			goto taken;
	for (size_t i = 0; i < n->naxes + n->nreduce; i++)
		if (n->roots[i]->name == name)
			goto taken;
	return true;
taken:
	diag_error(p->diag, prim->loc, "stage '%s' has a loop '%s' already",
		   n->op->name, name);
	return false;
}

static bool
apply_split(struct te_plan *p, struct te_nest *n, const struct te_prim *prim)
{
	size_t at;
	struct te_iter *parent = find_leaf(p, n, prim->in[0], prim->loc, &at);
	struct te_relation r = {0};

	if (!parent || !name_is_free(p, n, prim, prim->out[0]) ||
	    !name_is_free(p, n, prim, prim->out[1]))
		return false;
	if (prim->number < 1) {
		diag_error(p->diag, prim->loc, "a factor is at least 1");
		return false;
	}
	r.parent = parent;
	r.factor = prim->number;
	r.outer = new_iter(p, prim->out[0], parent->reduce, 0);
	r.inner = new_iter(p, prim->out[1], parent->reduce, 0);
	if (r.outer->name == r.inner->name) {
		diag_error(p->diag, prim->loc, "both parts are called '%s'",
			   r.outer->name);
		return false;
	}
	vec_push(&n->relations, r);
	vec_push(&n->leaves, NULL);
	for (size_t i = n->leaves.len - 1; i > at + 1; i--)
		n->leaves.at[i] = n->leaves.at[i - 1];
	n->leaves.at[at] = r.outer;
	n->leaves.at[at + 1] = r.inner;
	return true;
}

static bool
apply_fuse(struct te_plan *p, struct te_nest *n, const struct te_prim *prim)
{
	struct te_relation r = {.is_fuse = true, .nparts = prim->nin};
	size_t first = 0;

	if (!name_is_free(p, n, prim, prim->out[0]))
		return false;
	r.parts = ARENA_NEW_ARRAY(&p->m->arena, prim->nin, struct te_iter *);
	for (uint32_t i = 0; i < prim->nin; i++) {
		size_t at;

		r.parts[i] = find_leaf(p, n, prim->in[i], prim->loc, &at);
		if (!r.parts[i])
			return false;
		if (i == 0)
			first = at;
		if (at == first + i && r.parts[i]->reduce == r.parts[0]->reduce)
			continue;
		diag_error(p->diag, prim->loc,
			   "'%s' and '%s' are not neighbours of one kind",
			   r.parts[i - 1]->name, r.parts[i]->name);
		return false;
	}
	r.parent = new_iter(p, prim->out[0], r.parts[0]->reduce, 0);
	vec_push(&n->relations, r);
	n->leaves.at[first] = r.parent;
	for (size_t i = first + r.nparts; i < n->leaves.len; i++)
		n->leaves.at[i - r.nparts + 1] = n->leaves.at[i];
	n->leaves.len -= r.nparts - 1;
	return true;
}

/* The named loops take the places that they have now, in the new order. */
static bool
apply_order(struct te_plan *p, struct te_nest *n, const struct te_prim *prim)
{
	struct te_iter **its =
		ARENA_NEW_ARRAY(&p->m->arena, prim->nin, struct te_iter *);
	uint32_t k = 0;

	for (uint32_t i = 0; i < prim->nin; i++) {
		its[i] = find_leaf(p, n, prim->in[i], prim->loc, NULL);
		if (!its[i])
			return false;
		for (uint32_t j = 0; j < i; j++) {
			if (its[j] != its[i])
				continue;
			diag_error(p->diag, prim->loc,
				   "'%s' stands twice in the order",
				   its[i]->name);
			return false;
		}
	}
	for (size_t i = 0; i < n->leaves.len; i++)
		for (uint32_t j = 0; j < prim->nin; j++)
			if (n->leaves.at[i] == its[j]) {
				n->leaves.at[i] = NULL;
				break;
			}
	for (size_t i = 0; i < n->leaves.len; i++)
		if (!n->leaves.at[i])
			n->leaves.at[i] = its[k++];
	return true;
}

static bool
apply_mark(struct te_plan *p, struct te_nest *n, const struct te_prim *prim)
{
	struct te_iter *it = find_leaf(p, n, prim->in[0], prim->loc, NULL);

	if (!it)
		return false;
	if (it->reduce && prim->kind != TE_PRIM_UNROLL) {
		diag_error(p->diag, prim->loc,
			   "'%s' is folded over: only rfactor may make it "
			   "parallel or a vector",
			   it->name);
		return false;
	}
	it->kind = prim->kind == TE_PRIM_VECTORIZE ? TIR_VECTORIZED
		   : prim->kind == TE_PRIM_UNROLL  ? TIR_UNROLLED
						   : TIR_PARALLEL;
	return true;
}

static bool
is_output(const struct te_plan *p, const struct te_nest *n)
{
	return ptrmap_find(&p->results, n->op) != NULL;
}

static bool
apply_at(struct te_plan *p, struct te_nest *n, const struct te_prim *prim)
{
	struct te_nest *to = te_plan_find(p, prim->in[0]);

	if (!to || to == n) {
		diag_error(p->diag, prim->loc, "there is no other stage '%s'",
			   prim->in[0]);
		return false;
	}
	if (is_output(p, n) || n->op->kind == TE_EXTERN) {
		diag_error(p->diag, prim->loc,
			   "stage '%s' must be computed at root", n->op->name);
		return false;
	}
	n->consumer_iter = find_leaf(p, to, prim->in[1], prim->loc, NULL);
	n->consumer = to;
	n->attach = TE_AT_ITER;
	return n->consumer_iter != NULL;
}

static bool
apply_inline(struct te_plan *p, struct te_nest *n, const struct te_prim *prim)
{
	if (is_output(p, n) || n->op->kind == TE_EXTERN || te_nest_fold(n) ||
	    n->op->noutputs > 1) {
		diag_error(p->diag, prim->loc,
			   "stage '%s' cannot be inlined: it is a result, a "
			   "fold, or an extern call",
			   n->op->name);
		return false;
	}
	n->attach = TE_AT_INLINE;
	return true;
}

static bool
apply_prim(struct te_plan *p, struct te_nest *n, const struct te_prim *prim)
{
	switch (prim->kind) {
	case TE_PRIM_SPLIT:
		return apply_split(p, n, prim);
	case TE_PRIM_FUSE:
		return apply_fuse(p, n, prim);
	case TE_PRIM_ORDER:
		return apply_order(p, n, prim);
	case TE_PRIM_VECTORIZE:
	case TE_PRIM_UNROLL:
	case TE_PRIM_PARALLEL:
		return apply_mark(p, n, prim);
	case TE_PRIM_AT:
		return apply_at(p, n, prim);
	case TE_PRIM_INLINE:
		return apply_inline(p, n, prim);
	case TE_PRIM_ROOT:
		n->attach = TE_AT_ROOT;
		return true;
	case TE_PRIM_SCOPE:
		n->scope = prim->string;
		return true;
	case TE_PRIM_CACHE_WRITE:
		return te_plan_cache_write(p, n, prim);
	case TE_PRIM_RFACTOR:
		return te_plan_rfactor(p, n, prim);
	case TE_PRIM_COUNT:
		break;
	}
	return false;
}

static bool
apply_schedule(struct te_plan *p, const te_schedule *s)
{
	for (uint32_t i = 0; i < s->nstages; i++) {
		const struct te_stage *st = &s->stages[i];
		struct te_nest *n = te_plan_find(p, st->name);

		if (!n) {
			diag_error(p->diag, st->loc, "there is no stage '%s'",
				   st->name);
			return false;
		}
		for (uint32_t k = 0; k < st->nprims; k++)
			if (!apply_prim(p, n, &st->prims[k]))
				return false;
	}
	return true;
}

/* An element of T may be too far from the first for 32 bits. */
static bool
is_large(const struct te_tensor *t)
{
	int64_t n = 1;

	for (uint32_t d = 0; d < t->ndim; d++)
		if (te_is_size(t->shape[d]) ||
		    __builtin_mul_overflow(n, t->shape[d], &n))
			return true;
	return n >= 1 << 30;
}

/* The type of the axes, of folds too, or what a scalar is read with. */
static struct dtype
index_type(const te_func *f)
{
	for (uint32_t i = 0; i < f->nops; i++) {
		const struct te_op *op = f->ops[i];
		const tir_expr *e = op->kind == TE_COMPUTE ? op->body[0] : NULL;

		if (op->naxes)
			return op->axes[0].var->dtype;
		if (e && e->kind == TIR_REDUCE && e->reduce->naxes)
			return e->reduce->axes[0].var->dtype;
	}
	for (uint32_t i = 0; i < f->nparams; i++)
		if (is_large(&f->ops[i]->outputs[0]))
			return DTYPE(INT, 64);
	return DTYPE(INT, 32);
}

static bool
are_of_type(const struct te_axis *axes, uint32_t n, struct dtype t)
{
	for (uint32_t i = 0; i < n; i++)
		if (!dtype_equal(axes[i].var->dtype, t))
			return false;
	return true;
}

/* Stages index each other, so that their axes have one type. */
static bool
check_axes(const struct te_plan *p)
{
	for (uint32_t i = 0; i < p->f->nops; i++) {
		const struct te_op *op = p->f->ops[i];
		const tir_expr *e = op->kind == TE_COMPUTE ? op->body[0] : NULL;
		const struct te_reduce *r =
			e && e->kind == TIR_REDUCE ? e->reduce : NULL;

		if (are_of_type(op->axes, op->naxes, p->index) &&
		    (!r || are_of_type(r->axes, r->naxes, p->index)))
			continue;
		diag_error(p->diag, op->loc,
			   "the axes of '%s' are not int%u, as those before: "
			   "write all extents alike",
			   op->name, p->index.bits);
		return false;
	}
	return true;
}

bool
te_plan_make(struct te_plan *p, ir_module *m, const te_func *f,
	     const te_schedule *s, struct diag *d)
{
	*p = (struct te_plan){.m = m, .f = f, .diag = d};
	p->ranges.m = m;
	for (uint32_t i = 0; i < f->nsizes; i++)
		te_set_range(&p->ranges, f->sizes[i].var, 0, TE_MAX_SIZE);
	p->index = index_type(f);
	p->next_op_id = f->nops;
	p->nby_op = f->nops + 1;
	p->by_op = xcalloc(p->nby_op, sizeof(*p->by_op));
	for (uint32_t i = f->nparams; i < f->nops; i++)
		te_plan_insert(p, f->ops[i], NULL);
	for (uint32_t i = 0; i < f->noutputs; i++) {
		ptrmap_add(&p->results, f->outputs[i], NULL);
		ptrmap_add(&p->results, f->outputs[i]->op, NULL);
	}
	if (!check_axes(p) || (s && !apply_schedule(p, s)))
		return false;
	return te_plan_inline(p);
}

void
te_plan_free(struct te_plan *p)
{
	for (size_t i = 0; i < p->nests.len; i++) {
		vec_free(&p->nests.at[i]->relations);
		vec_free(&p->nests.at[i]->leaves);
		vec_free(&p->nests.at[i]->guards);
		vec_free(&p->nests.at[i]->attached);
	}
	vec_free(&p->nests);
	free(p->by_op);
	ptrmap_free(&p->by_name);
	ptrmap_free(&p->results);
	te_simplifier_free(&p->ranges);
}

/* The product of the counts of R's parts; NULL if all are numbers. */
static const tir_expr *
fused_count(ir_module *m, const struct te_relation *r)
{
	struct dtype t = DTYPE(INT, 64);
	const tir_expr *all = tir_int(m, t, 1);
	bool any = false;

	for (uint32_t k = 0; k < r->nparts; k++) {
		any = any || r->parts[k]->count;
		all = te_fold_binary(m, TIR_MUL, all,
				     te_iter_count(m, r->parts[k], t));
	}
	return any ? all : NULL;
}

/* N / FACTOR, rounded up. */
static const tir_expr *
parts_count(ir_module *m, const tir_expr *n, int64_t factor)
{
	n = te_fold_binary(m, TIR_ADD, n, tir_int(m, n->dtype, factor - 1));
	return te_fold_binary(m, TIR_DIV, n, tir_int(m, n->dtype, factor));
}

void
te_nest_extents(ir_module *m, struct te_nest *n)
{
	for (size_t i = 0; i < n->relations.len; i++) {
		struct te_relation *r = &n->relations.at[i];

		if (r->is_fuse) {
			r->parent->extent = 1;
			for (uint32_t k = 0; k < r->nparts; k++)
				r->parent->extent *= r->parts[k]->extent;
			r->parent->count = fused_count(m, r);
		} else if (r->parent->count) {
			r->inner->extent = r->factor;
			r->outer->extent = TE_NOMINAL;
			r->inner->count = NULL;
			r->outer->count =
				parts_count(m, r->parent->count, r->factor);
		} else {
			r->inner->count = r->outer->count = NULL;
			int64_t ext = r->parent->extent;

			r->inner->extent =
				ext < r->factor && ext > 0 ? ext : r->factor;
			r->outer->extent = ext / r->inner->extent +
					   (ext % r->inner->extent != 0);
		}
	}
}

static const tir_expr *
number(ir_module *m, const tir_expr *like, int64_t value)
{
	return tir_int(m, like->dtype, value);
}

static void
fused_values(ir_module *m, struct te_relation *r)
{
	const tir_expr *rest = r->parent->value;

	for (uint32_t k = r->nparts; k-- > 0;) {
		const tir_expr *ext =
			te_iter_count(m, r->parts[k], rest->dtype);

		if (k == 0 ||
		    (r->parts[k]->extent == 0 && !r->parts[k]->count)) {
			r->parts[k]->value = rest;
			continue;
		}
		r->parts[k]->value = te_fold_binary(m, TIR_MOD, rest, ext);
		rest = te_fold_binary(m, TIR_DIV, rest, ext);
	}
}

void
te_nest_values(ir_module *m, struct te_nest *n, te_expr_vec *guards)
{
	for (size_t i = n->relations.len; i-- > 0;) {
		struct te_relation *r = &n->relations.at[i];
		const tir_expr *v;

		if (r->is_fuse) {
			fused_values(m, r);
			continue;
		}
		v = te_fold_binary(
			m, TIR_MUL, r->outer->value,
			number(m, r->outer->value, r->inner->extent));
		v = te_fold_binary(m, TIR_ADD, v, r->inner->value);
		r->parent->value = v;
		if (guards &&
		    (r->parent->count ||
		     (uint64_t)r->outer->extent * (uint64_t)r->inner->extent !=
			     (uint64_t)r->parent->extent))
			vec_push(guards,
				 te_fold_binary(m, TIR_LT, v,
						te_iter_count(m, r->parent,
							      v->dtype)));
	}
}
