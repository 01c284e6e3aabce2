/*
 * Primitives that make two nests of one: cache_write and rfactor; and inline,
 * which makes one of two.
 */
#include <stdlib.h>
#include <string.h>

#include "te/build.h"
#include "te/fold.h"
#include "te/plan.h"

static bool
name_is_new(struct te_plan *p, const struct te_prim *prim)
{
	if (!te_plan_find(p, prim->out[0]))
		return true;
	diag_error(p->diag, prim->loc, "there is a stage '%s' already",
		   prim->out[0]);
	return false;
}

/* N as it was before any primitive touched its loops. */
static bool
is_untouched(struct te_plan *p, const struct te_nest *n,
	     const struct te_prim *prim)
{
	if (n->relations.len == 0 && n->op->kind == TE_COMPUTE)
		return true;
	diag_error(p->diag, prim->loc,
		   "cache_write comes before other primitives of a compute");
	return false;
}

/* Axes like those of OP with variables of their own, EXTRA more of them. */
static struct te_axis *
copy_axes(struct te_plan *p, const struct te_op *op, uint32_t extra)
{
	struct te_axis *axes = ARENA_NEW_ARRAY(&p->m->arena, op->naxes + extra,
					       struct te_axis);

	for (uint32_t i = 0; i < op->naxes; i++) {
		axes[i].var =
			tir_new_var(p->m, op->axes[i].var->name, p->index);
		axes[i].extent = op->axes[i].extent;
	}
	return axes;
}

/* E, over the axes of OP, over AXES instead. */
static const tir_expr *
over_axes(struct te_plan *p, const tir_expr *e, const struct te_op *op,
	  const struct te_axis *axes)
{
	struct te_substitution s = {.n = op->naxes};

	if (!op->naxes)
		return e;
	s.var = ARENA_NEW_ARRAY(&p->m->arena, s.n, const struct tir_var *);
	s.value = ARENA_NEW_ARRAY(&p->m->arena, s.n, const tir_expr *);
	for (uint32_t i = 0; i < s.n; i++) {
		s.var[i] = op->axes[i].var;
		s.value[i] = tir_var_ref(p->m, axes[i].var);
	}
	return te_substitute(p->m, e, &s);
}

static const tir_expr *
read_at_axes(struct te_plan *p, const struct te_tensor *t,
	     const struct te_axis *axes, const struct tir_var *last)
{
	const tir_expr **at =
		ARENA_NEW_ARRAY(&p->m->arena, t->ndim + 1, const tir_expr *);
	uint32_t n = t->ndim - (last != NULL);

	for (uint32_t i = 0; i < n; i++)
		at[i] = tir_var_ref(p->m, axes[i].var);
	if (last)
		at[n] = tir_var_ref(p->m, last);
	return tir_read(p->m, t, at, t->ndim);
}

bool
te_plan_cache_write(struct te_plan *p, struct te_nest *n,
		    const struct te_prim *prim)
{
	const struct te_op *old = n->op;
	struct te_op *op;
	struct te_nest *cache;

	if (!is_untouched(p, n, prim) || !name_is_new(p, prim))
		return false;
	op = te_plan_new_op(p, prim->out[0], old->noutputs);
	op->loc = old->loc;
	op->naxes = old->naxes;
	op->axes = copy_axes(p, old, 0);
	for (uint32_t i = 0; i < old->noutputs; i++) {
		te_set_output(p->m, op, i, old->outputs[i].dtype,
			      old->outputs[i].shape, old->outputs[i].ndim);
		if (n->body[i])
			op->body[i] = over_axes(p, n->body[i], old, op->axes);
	}
	cache = te_plan_insert(p, op, n);
	cache->scope = prim->string;
	for (uint32_t i = 0; i < old->noutputs; i++)
		n->body[i] = read_at_axes(p, &op->outputs[i], old->axes, NULL);
	n->nreduce = 0;
	vec_clear(&n->leaves);
	for (uint32_t i = 0; i < n->naxes; i++)
		vec_push(&n->leaves, n->roots[i]);
	return true;
}

/* The leaf that PRIM factors out; NULL after reporting. */
static struct te_iter *
factored_leaf(struct te_plan *p, struct te_nest *n, const struct te_prim *prim)
{
	const struct te_reduce *r = te_nest_fold(n);

	for (size_t i = 0; i < n->leaves.len; i++)
		if (n->leaves.at[i]->name == prim->in[0] &&
		    n->leaves.at[i]->reduce && r->nvalues == 1)
			return n->leaves.at[i];
	diag_error(p->diag, prim->loc,
		   "'%s' is no loop of stage '%s' that a fold of one value "
		   "runs over",
		   prim->in[0], n->op->name);
	return NULL;
}

/*
 * The loops of the fold of N other than KI become the axes of a new fold R,
 * KI a data axis; the values of the old axes go to S. The condition that
 * splits of the fold need is returned, or NULL.
 */
static const tir_expr *
factor_axes(struct te_plan *p, struct te_nest *n, struct te_iter *ki,
	    const struct tir_var *ki_var, struct te_reduce *r,
	    struct te_substitution *s)
{
	const struct te_reduce *old = te_nest_fold(n);
	te_expr_vec guards = {0};
	const tir_expr *cond = NULL;
	struct te_axis *axes =
		ARENA_NEW_ARRAY(&p->m->arena, n->leaves.len, struct te_axis);

	r->naxes = 0;
	r->axes = axes;
	for (size_t i = 0; i < n->leaves.len; i++) {
		struct te_iter *it = n->leaves.at[i];
		const struct tir_var *v = ki_var;

		if (it != ki)
			v = tir_new_var(p->m, it->name, p->index);
		it->value = tir_var_ref(p->m, v);
		if (it->reduce && it != ki)
			axes[r->naxes++] = (struct te_axis){v, it->extent};
	}
	te_nest_values(p->m, n, &guards);
	for (size_t i = 0; i < guards.len; i++)
		cond = cond ? te_fold_binary(p->m, TIR_AND, cond, guards.at[i])
			    : guards.at[i];
	vec_free(&guards);
	s->n = old->naxes;
	s->var = ARENA_NEW_ARRAY(&p->m->arena, s->n, const struct tir_var *);
	s->value = ARENA_NEW_ARRAY(&p->m->arena, s->n, const tir_expr *);
	for (uint32_t i = 0; i < old->naxes; i++) {
		s->var[i] = old->axes[i].var;
		s->value[i] = n->roots[n->naxes + i]->value;
	}
	return cond;
}

/* N's fold becomes one over KI alone, of the partial results T. */
static void
fold_partials(struct te_plan *p, struct te_nest *n, struct te_iter *ki,
	      const struct te_tensor *t)
{
	const struct te_reduce *old = te_nest_fold(n);
	struct te_axis axis = {tir_new_var(p->m, ki->name, p->index),
			       ki->extent};
	struct te_reduce r = {
		.combiner = old->combiner,
		.naxes = 1,
		.axes = &axis,
		.nvalues = 1,
	};
	const tir_expr *value = read_at_axes(p, t, n->op->axes, axis.var);
	size_t k = 0;

	n->body[0] = te_new_reduce(p->m, &r, &value, NULL);
	for (size_t i = 0; i < n->leaves.len; i++)
		if (!n->leaves.at[i]->reduce || n->leaves.at[i] == ki)
			n->leaves.at[k++] = n->leaves.at[i];
	n->leaves.len = k;
	k = 0;
	for (size_t i = 0; i < n->relations.len; i++)
		if (!n->relations.at[i].parent->reduce)
			n->relations.at[k++] = n->relations.at[i];
	n->relations.len = k;
	n->nreduce = 1;
	n->roots = arena_copy(&p->m->arena, n->roots,
			      (n->naxes + 1) * sizeof(struct te_iter *));
	n->roots[n->naxes] = ki;
}

/* The fold's axes are numbers: those of a new one must be. */
static bool
lengths_known(struct te_plan *p, const struct te_nest *n,
	      const struct te_prim *prim)
{
	for (uint32_t i = n->naxes; i < n->naxes + n->nreduce; i++) {
		if (!n->roots[i]->count)
			continue;
		diag_error(p->diag, prim->loc,
			   "the length of '%s' is not known: the fold of "
			   "stage '%s' cannot be factored",
			   n->roots[i]->name, n->op->name);
		return false;
	}
	return true;
}

bool
te_plan_rfactor(struct te_plan *p, struct te_nest *n,
		const struct te_prim *prim)
{
	const struct te_op *old = n->op;
	struct te_substitution s = {0};
	struct te_reduce r = {.nvalues = 1};
	int64_t *shape;
	struct te_iter *ki;
	const struct tir_var *ki_var;
	const tir_expr *value;
	const tir_expr *cond;
	struct te_op *op;

	if (!te_nest_fold(n) || !name_is_new(p, prim) ||
	    !(ki = factored_leaf(p, n, prim)) || !lengths_known(p, n, prim)) {
		if (!te_nest_fold(n))
			diag_error(p->diag, prim->loc, "stage '%s' is no fold",
				   old->name);
		return false;
	}
	te_nest_extents(p->m, n);
	op = te_plan_new_op(p, prim->out[0], 1);
	op->loc = old->loc;
	op->naxes = old->naxes + 1;
	op->axes = copy_axes(p, old, 1);
	ki_var = tir_new_var(p->m, ki->name, p->index);
	op->axes[old->naxes] = (struct te_axis){ki_var, ki->extent};
	cond = factor_axes(p, n, ki, ki_var, &r, &s);
	r.combiner = te_nest_fold(n)->combiner;
	value = te_substitute(p->m, n->body[0]->arg[0], &s);
	if (te_nest_fold(n)->has_cond) {
		const tir_expr *c = te_substitute(p->m, n->body[0]->arg[1], &s);

		cond = cond ? te_fold_binary(p->m, TIR_AND, cond, c) : c;
	}
	r.has_cond = cond != NULL;
	op->body[0] = over_axes(p, te_new_reduce(p->m, &r, &value, cond), old,
				op->axes);
	shape = ARENA_NEW_ARRAY(&p->m->arena, op->naxes, int64_t);
	for (uint32_t i = 0; i < op->naxes; i++)
		shape[i] = op->axes[i].extent;
	te_set_output(p->m, op, 0, old->outputs[0].dtype, shape, op->naxes);
	te_plan_insert(p, op, n);
	fold_partials(p, n, ki, &op->outputs[0]);
	return true;
}

/* A read of an inlined nest becomes its formula. */
static const tir_expr *
inline_read(const tir_expr *e, void *env)
{
	struct te_plan *p = env;
	struct te_nest *n = te_plan_nest(p, e->tensor);
	struct te_substitution s = {0};

	if (!n || n->attach != TE_AT_INLINE)
		return e;
	if (!n->naxes)
		return n->body[0];
	s.n = n->naxes;
	s.var = xmalloc(s.n * sizeof(*s.var));
	s.value = xmalloc(s.n * sizeof(*s.value));
	for (uint32_t i = 0; i < n->naxes; i++) {
		s.var[i] = n->op->axes[i].var;
		s.value[i] = e->arg[i];
	}
	e = te_substitute(p->m, n->body[0], &s);
	free(s.var);
	free(s.value);
	return e;
}

/* Extern calls see whole tensors in memory. */
static bool
check_extern(struct te_plan *p, const struct te_nest *n)
{
	for (uint32_t i = 0; i < n->op->nargs; i++) {
		const struct te_tensor *t = n->op->args[i].tensor;
		struct te_nest *in = t ? te_plan_nest(p, t) : NULL;

		if (!in || in->attach == TE_AT_ROOT)
			continue;
		diag_error(p->diag, n->op->loc,
			   "stage '%s' is read by extern '%s' and must be "
			   "computed at root",
			   in->op->name, n->op->name);
		return false;
	}
	return true;
}

/* E unfolds to no more nodes than BUDGET. */
static bool
is_small(const tir_expr *e, long *budget)
{
	if (--*budget < 0)
		return false;
	for (uint32_t i = 0; i < e->n; i++)
		if (!is_small(e->arg[i], budget))
			return false;
	return true;
}

/* Formulas double with each inlined stage that is read twice. */
static bool
check_size(struct te_plan *p, const struct te_nest *n, const tir_expr *e)
{
	long budget = 1000000;

	if (e->depth <= TIR_MAX_DEPTH && is_small(e, &budget))
		return true;
	diag_error(p->diag, n->op->loc,
		   "the formula of stage '%s' becomes too large by inlining",
		   n->op->name);
	return false;
}

bool
te_plan_inline(struct te_plan *p)
{
	struct te_substitution s = {.read = inline_read, .env = p};
	size_t len = 0;

	for (struct te_nest *n = p->first; n; n = n->next)
		p->nests.at[len++] = n;
	for (size_t i = 0; i < p->nests.len; i++) {
		struct te_nest *n = p->nests.at[i];

		n->order = (uint32_t)i;
		if (!check_extern(p, n))
			return false;
		for (uint32_t k = 0; k < n->op->noutputs; k++) {
			if (n->op->kind != TE_COMPUTE || !n->body[k])
				continue;
			n->body[k] = te_substitute(p->m, n->body[k], &s);
			if (!check_size(p, n, n->body[k]))
				return false;
		}
	}
	return true;
}
