/*
 * Loops of a bounded plan: nests inside each other where they are attached,
 * reads as loads, folds as an initial store and an update.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "te/fold.h"
#include "te/linear.h"
#include "te/plan.h"
#include "te/simplify.h"

/* A temporary up to this many bytes may stand on the stack. */
enum { STACK_BYTES = 16384 };

static enum tir_scope
scope_of(const struct te_nest *n, int64_t bytes)
{
	if (n->scope && !strcmp(n->scope, "local.reg"))
		return TIR_REG;
	if (n->scope && !strcmp(n->scope, "stack"))
		return TIR_STACK;
	if (n->scope && !strcmp(n->scope, "local"))
		return TIR_LOCAL;
	if (n->scope && !strcmp(n->scope, "nram"))
		return TIR_NRAM;
	if (n->scope && !strcmp(n->scope, "wram"))
		return TIR_WRAM;
	if (n->attach == TE_AT_ITER)
		return bytes <= STACK_BYTES ? TIR_STACK : TIR_LOCAL;
	return TIR_GLOBAL;
}

static const char *
buffer_name(struct te_plan *p, const struct te_tensor *t)
{
	if (t->output == 0)
		return t->op->name;
	return ir_namef(p->m->cx, "%s_v%u", t->op->name, t->output);
}

/* The size in the array of sizes that V is. */
static const tir_expr *
from_array(struct te_plan *p, const struct tir_var *v)
{
	int i = te_find_size(p->f, v);

	assert(i >= 0);
	return tir_load(p->m, p->sizes, tir_int(p->m, DTYPE(INT, 32), i));
}

const tir_expr *
te_count(struct te_plan *p, const int64_t *shape, uint32_t ndim, int64_t *size)
{
	const tir_expr *all = tir_int(p->m, DTYPE(INT, 64), 1);
	bool known = true;

	*size = 1;
	for (uint32_t d = 0; d < ndim; d++) {
		const tir_expr *e;

		if (!te_is_size(shape[d])) {
			*size *= shape[d];
			continue;
		}
		e = from_array(p, te_size_var(shape[d]));
		all = te_fold_binary(p->m, TIR_MUL, all, e);
		known = false;
	}
	return known ? NULL
		     : te_fold_binary(p->m, TIR_MUL, all,
				      tir_int(p->m, all->dtype, *size));
}

static const struct tir_buffer *
new_buffer(struct te_plan *p, const struct te_nest *n, uint32_t k)
{
	const struct te_tensor *t = &n->op->outputs[k];
	const int64_t *shape = n->op->kind == TE_COMPUTE ? n->extent : t->shape;
	int64_t size = 1;
	const tir_expr *count = te_count(p, shape, t->ndim, &size);
	enum tir_scope scope =
		scope_of(n, size * (int64_t)dtype_size(t->dtype));
	struct tir_buffer *b = tir_new_buffer(p->m, buffer_name(p, t), t->dtype,
					      count ? -1 : size, scope);

	b->extent = count;
	return b;
}

static const struct tir_buffer *
buffer_of(struct te_plan *p, const struct te_tensor *t)
{
	const struct te_nest *n = te_plan_nest(p, t);

	return n ? n->buffers[t->output] : p->params[t->op->id];
}

/* The place of element INDEX of T in its buffer. */
static const tir_expr *
flat_index(struct te_plan *p, const struct te_tensor *t,
	   const tir_expr *const *index)
{
	const struct te_nest *n = te_plan_nest(p, t);
	const tir_expr *at = tir_int(p->m, p->index, 0);

	for (uint32_t d = 0; d < t->ndim; d++) {
		const tir_expr *x = te_fold_cast(p->m, p->index, index[d]);
		bool boxed = n && n->op->kind == TE_COMPUTE;
		int64_t extent = boxed ? n->extent[d] : t->shape[d];

		if (boxed)
			x = te_fold_binary(p->m, TIR_SUB, x, n->min[d]);
		at = te_fold_binary(
			p->m, TIR_ADD,
			te_fold_binary(p->m, TIR_MUL, at,
				       te_extent_expr(p->m, p->index, extent)),
			x);
	}
	return te_simplify(&p->ranges, at);
}

static const tir_expr *
load_read(const tir_expr *e, void *env)
{
	struct te_plan *p = env;

	return tir_load(p->m, buffer_of(p, e->tensor),
			flat_index(p, e->tensor, e->arg));
}

/* E, a formula of N, over loops and buffers. */
static const tir_expr *
formula(struct te_plan *p, const struct te_nest *n, const tir_expr *e)
{
	const struct te_reduce *r = te_nest_fold(n);
	struct te_substitution s = {.n = n->naxes + n->nreduce};

	s.var = xmalloc((s.n + 1) * sizeof(*s.var));
	s.value = xmalloc((s.n + 1) * sizeof(*s.value));
	for (uint32_t i = 0; i < n->naxes; i++) {
		s.var[i] = n->op->axes[i].var;
		s.value[i] = n->index[i];
	}
	for (uint32_t i = 0; i < n->nreduce; i++) {
		s.var[n->naxes + i] = r->axes[i].var;
		s.value[n->naxes + i] = n->roots[n->naxes + i]->value;
	}
	e = te_simplify(&p->ranges, te_substitute(p->m, e, &s));
	free(s.var);
	free(s.value);
	s = (struct te_substitution){.read = load_read, .env = p};
	return te_substitute(p->m, e, &s);
}

/* ARG*: an index that loses to any other when the values are equal. */
static const tir_expr *
arg_identity(ir_module *m, enum te_combiner c, uint32_t k, struct dtype t)
{
	bool low = c == TE_ARGMAX || c == TE_ARGMAX_LAST;
	bool last = c == TE_ARGMAX_LAST || c == TE_ARGMIN_LAST;

	if (k == 0)
		return last ? tir_int(m, t, te_wrap(t, -1))
			    : te_extreme(m, t, true);
	if (dtype_is_float(t))
		return tir_float(m, t, low ? -INFINITY : INFINITY);
	return te_extreme(m, t, !low);
}

static const tir_expr *
identity(ir_module *m, enum te_combiner c, uint32_t k, struct dtype t)
{
	bool low = c == TE_MAX;

	if (c >= TE_ARGMIN)
		return arg_identity(m, c, k, t);
	if (c == TE_MIN || c == TE_MAX)
		return te_extreme(m, t, !low);
	if (dtype_is_float(t))
		return tir_float(m, t, c == TE_PROD);
	return tir_int(m, t, c == TE_PROD || c == TE_ALL);
}

static const tir_expr *
combined(ir_module *m, enum te_combiner c, const tir_expr *a, const tir_expr *b)
{
	static const enum tir_kind kinds[] = {
		[TE_SUM] = TIR_ADD, [TE_PROD] = TIR_MUL, [TE_MIN] = TIR_MIN,
		[TE_MAX] = TIR_MAX, [TE_ANY] = TIR_OR,   [TE_ALL] = TIR_AND,
	};

	if (c == TE_SUM && dtype_is_bool(a->dtype))
		return tir_binary(m, TIR_OR, a, b);
	if (c == TE_PROD && dtype_is_bool(a->dtype))
		return tir_binary(m, TIR_AND, a, b);
	return tir_binary(m, kinds[c], a, b);
}

/* OLD and NEW are (index, value): which of them, of component K. */
static const tir_expr *
better(ir_module *m, enum te_combiner c, uint32_t k, const tir_expr *const *old,
       const tir_expr *const *new)
{
	bool max = c == TE_ARGMAX || c == TE_ARGMAX_LAST;
	bool last = c == TE_ARGMAX_LAST || c == TE_ARGMIN_LAST;
	const tir_expr *wins =
		tir_binary(m, max ? TIR_GT : TIR_LT, old[1], new[1]);
	const tir_expr *tie;

	if (k == 0) {
		tie = tir_binary(m, TIR_EQ, old[1], new[1]);
		tie = tir_binary(
			m, TIR_AND, tie,
			tir_binary(m, last ? TIR_GT : TIR_LT, old[0], new[0]));
		wins = tir_binary(m, TIR_OR, wins, tie);
	}
	return tir_select(m, wins, old[k], new[k]);
}

static tir_stmt *
store(struct te_plan *p, struct te_nest *n, uint32_t k, const tir_expr *value)
{
	tir_stmt *s =
		tir_store(p->m, n->buffers[k],
			  flat_index(p, &n->op->outputs[k], n->index), value);

	s->loc = n->op->loc;
	return s;
}

static const tir_expr *
current(struct te_plan *p, struct te_nest *n, uint32_t k)
{
	return tir_load(p->m, n->buffers[k],
			flat_index(p, &n->op->outputs[k], n->index));
}

static tir_stmt *
one_or_seq(struct te_plan *p, tir_stmt **s, uint32_t n)
{
	tir_stmt *seq;

	if (n == 1)
		return s[0];
	seq = tir_seq(p->m);
	for (uint32_t i = 0; i < n; i++)
		tir_seq_add(p->m, seq, s[i]);
	return seq;
}

static tir_stmt *
initial_stores(struct te_plan *p, struct te_nest *n)
{
	enum te_combiner c = te_nest_fold(n)->combiner;
	uint32_t nout = n->op->noutputs;
	tir_stmt **s = ARENA_NEW_ARRAY(&p->m->arena, nout, tir_stmt *);

	for (uint32_t k = 0; k < nout; k++)
		s[k] = store(p, n, k,
			     identity(p->m, c, k, n->op->outputs[k].dtype));
	return one_or_seq(p, s, nout);
}

static tir_stmt *
updates(struct te_plan *p, struct te_nest *n)
{
	const struct te_reduce *r = te_nest_fold(n);
	uint32_t nout = n->op->noutputs;
	tir_stmt **s = ARENA_NEW_ARRAY(&p->m->arena, nout, tir_stmt *);
	const tir_expr **old =
		ARENA_NEW_ARRAY(&p->m->arena, nout, const tir_expr *);
	const tir_expr **new =
		ARENA_NEW_ARRAY(&p->m->arena, nout, const tir_expr *);
	tir_stmt *all;

	for (uint32_t k = 0; k < nout; k++) {
		old[k] = current(p, n, k);
		new[k] = formula(p, n, n->body[0]->arg[k]);
	}
	for (uint32_t k = 0; k < nout; k++)
		s[k] = store(
			p, n, k,
			r->combiner >= TE_ARGMIN
				? better(p->m, r->combiner, k, old, new)
				: combined(p->m, r->combiner, old[k], new[k]));
	all = one_or_seq(p, s, nout);
	if (r->has_cond)
		all = tir_if(p->m, formula(p, n, n->body[0]->arg[r->nvalues]),
			     all, NULL);
	return all;
}

static tir_stmt *
plain_stores(struct te_plan *p, struct te_nest *n)
{
	uint32_t nout = n->op->noutputs;
	tir_stmt **s = ARENA_NEW_ARRAY(&p->m->arena, nout, tir_stmt *);

	for (uint32_t k = 0; k < nout; k++)
		s[k] = store(p, n, k, formula(p, n, n->body[k]));
	return one_or_seq(p, s, nout);
}

/* The first leaf that is folded over; the number of leaves if none is. */
static size_t
first_fold(const struct te_nest *n)
{
	size_t i = 0;

	while (i < n->leaves.len && !n->leaves.at[i]->reduce)
		i++;
	return i;
}

/* What is emitted for one nest. */
struct emit {
	struct te_plan *p;
	struct te_nest *n;
	bool initial; /* only the stores of the identity */
	size_t from;  /* first leaf of those loops */
};

/* Guard G of nest N can be tested right inside of leaf DEPTH - 1. */
static bool
ripe_at(const struct te_nest *n, const tir_expr *g, size_t depth)
{
	for (size_t i = depth; i < n->leaves.len; i++)
		if (te_mentions(g, n->leaves.at[i]->var))
			return false;
	return depth == 0 || te_mentions(g, n->leaves.at[depth - 1]->var);
}

/* S behind the guards of leaf DEPTH - 1; the initial part skips folds. */
static tir_stmt *
guarded(struct emit *e, size_t depth, tir_stmt *s)
{
	const tir_expr *cond = NULL;

	for (size_t i = 0; i < e->n->guards.len; i++) {
		const tir_expr *g = e->n->guards.at[i];

		if (!ripe_at(e->n, g, depth))
			continue;
		cond = cond ? te_fold_binary(e->p->m, TIR_AND, cond, g) : g;
	}
	return cond ? tir_if(e->p->m, cond, s, NULL) : s;
}

static tir_stmt *emit_nest(struct te_plan *p, struct te_nest *n);

/* The nests attached to leaf IT of E's nest, then S, in their buffers. */
static tir_stmt *
with_attached(struct emit *e, const struct te_iter *it, tir_stmt *s)
{
	struct te_plan *p = e->p;
	tir_stmt *seq = NULL;

	for (size_t i = 0; i < e->n->attached.len; i++) {
		struct te_nest *n = e->n->attached.at[i];

		if (n->consumer_iter != it)
			continue;
		if (!seq)
			seq = tir_seq(p->m);
		tir_seq_add(p->m, seq, emit_nest(p, n));
	}
	if (!seq)
		return s;
	tir_seq_add(p->m, seq, s);
	s = seq;
	for (size_t i = e->n->attached.len; i-- > 0;) {
		struct te_nest *n = e->n->attached.at[i];

		if (n->consumer_iter != it)
			continue;
		for (uint32_t k = 0; k < n->op->noutputs; k++) {
			tir_stmt *a = tir_new_stmt(p->m, TIR_ALLOC);

			a->alloc.buffer = n->buffers[k];
			a->alloc.body = s;
			s = a;
		}
	}
	return s;
}

static tir_stmt *
loop(struct emit *e, struct te_iter *it, tir_stmt *body)
{
	struct te_plan *p = e->p;

	if (it->extent == 1 && !it->count)
		return body;
	return tir_for(
		p->m, it->var, tir_int(p->m, p->index, 0),
		te_simplify(&p->ranges, te_iter_count(p->m, it, p->index)),
		it->kind, body);
}

static tir_stmt *
initial_loops(struct te_plan *p, struct te_nest *n, size_t from)
{
	struct emit e = {p, n, true, from};
	tir_stmt *s = initial_stores(p, n);

	for (size_t i = n->leaves.len; i-- > from;) {
		if (n->leaves.at[i]->reduce)
			continue;
		s = loop(&e, n->leaves.at[i], guarded(&e, i + 1, s));
	}
	return s;
}

static tir_stmt *
emit_nest(struct te_plan *p, struct te_nest *n)
{
	struct emit e = {.p = p, .n = n};
	bool fold = te_nest_fold(n) != NULL;
	size_t first = fold ? first_fold(n) : n->leaves.len + 1;
	tir_stmt *s = fold ? updates(p, n) : plain_stores(p, n);

	for (size_t i = n->leaves.len; i-- > 0;) {
		struct te_iter *it = n->leaves.at[i];

		if (i + 1 == first) {
			tir_stmt *two[] = {initial_loops(p, n, first), s};

			s = one_or_seq(p, two, 2);
		}
		s = with_attached(&e, it, s);
		s = loop(&e, it, guarded(&e, i + 1, s));
	}
	if (first == 0) {
		tir_stmt *two[] = {initial_loops(p, n, 0), s};

		s = one_or_seq(p, two, 2);
	}
	return guarded(&e, 0, s);
}

static tir_stmt *
emit_extern(struct te_plan *p, const struct te_nest *n)
{
	const struct te_op *op = n->op;
	const tir_expr *zero = tir_int(p->m, p->index, 0);
	const tir_expr **args = ARENA_NEW_ARRAY(
		&p->m->arena, op->noutputs + op->nargs, const tir_expr *);
	uint32_t k = 0;
	tir_stmt *s = tir_new_stmt(p->m, TIR_ASSERT);
	const tir_expr *call;

	for (uint32_t i = 0; i < op->noutputs; i++)
		args[k++] = tir_address_of(p->m, n->buffers[i], zero);
	for (uint32_t i = 0; i < op->nargs; i++)
		args[k++] = op->args[i].tensor
				    ? tir_address_of(
					      p->m,
					      buffer_of(p, op->args[i].tensor),
					      zero)
				    : op->args[i].scalar;
	call = tir_call_extern(p->m, op->symbol, DTYPE(INT, 32), args, k);
	s->loc = op->loc;
	s->assert_.cond = tir_binary(p->m, TIR_EQ, call,
				     tir_int(p->m, DTYPE(INT, 32), 0));
	s->assert_.from = op->from;
	s->assert_.message = ir_namef(p->m->cx, "%s failed", op->symbol);
	return s;
}

/* Buffers of all nests; the results are parameters. */
static void
make_buffers(struct te_plan *p)
{
	for (size_t i = 0; i < p->nests.len; i++) {
		struct te_nest *n = p->nests.at[i];
		uint32_t nout = n->op->noutputs;

		if (n->attach == TE_AT_INLINE)
			continue;
		n->buffers = ARENA_NEW_ARRAY(&p->m->arena, nout,
					     const struct tir_buffer *);
		for (uint32_t k = 0; k < nout; k++)
			n->buffers[k] = new_buffer(p, n, k);
		if (n->attach == TE_AT_ITER)
			vec_push(&n->consumer->attached, n);
	}
}

/* S where the sizes of the function have their names. */
static tir_stmt *
name_sizes(struct te_plan *p, tir_stmt *s)
{
	for (uint32_t i = p->f->nsizes; i-- > 0;) {
		tir_stmt *let = tir_new_stmt(p->m, TIR_LET_STMT);

		let->let.var = p->f->sizes[i].var;
		let->let.value = from_array(p, let->let.var);
		let->let.body = s;
		s = let;
	}
	return s;
}

tir_stmt *
te_emit(struct te_plan *p)
{
	tir_stmt *s = tir_seq(p->m);
	tir_stmt *ret = tir_new_stmt(p->m, TIR_RETURN);

	make_buffers(p);
	for (size_t i = 0; i < p->nests.len; i++) {
		struct te_nest *n = p->nests.at[i];

		if (n->attach != TE_AT_ROOT)
			continue;
		tir_seq_add(p->m, s,
			    n->op->kind == TE_EXTERN ? emit_extern(p, n)
						     : emit_nest(p, n));
	}
	ret->ret = tir_int(p->m, DTYPE(INT, 32), 0);
	tir_seq_add(p->m, s, ret);
	for (size_t i = p->nests.len; i-- > 0;) {
		struct te_nest *n = p->nests.at[i];

		for (uint32_t k = 0;
		     n->attach == TE_AT_ROOT && k < n->op->noutputs; k++) {
			tir_stmt *a;

			if (ptrmap_find(&p->results, &n->op->outputs[k]))
				continue;
			a = tir_new_stmt(p->m, TIR_ALLOC);
			a->alloc.buffer = n->buffers[k];
			a->alloc.body = s;
			s = a;
		}
	}
	return p->f->nsizes ? name_sizes(p, s) : s;
}
