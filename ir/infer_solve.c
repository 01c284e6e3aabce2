/*
 * Holes, and the queue of relations that wait.
 *
 * Recursion here goes over the nesting of types, which the text's nesting
 * bounds, never over the graph. Unification only binds holes and puts the
 * calls that waited for them into the queue; infer_run_queue runs them.
 */
#include "ir/infer_internal.h"

/* Larger types than any program needs; what copies or prints them would hang. */
enum { MAX_SIZE = 1 << 20 };

bool
infer_is_too_big(const ir_type *t)
{
	return t->depth > INFER_MAX_DEPTH || t->size > MAX_SIZE;
}

const ir_type *
infer_new_hole(struct infer *in)
{
	uint32_t index = (uint32_t)in->holes.len;
	struct infer_hole h = {
		.type = ir_type_new_hole(in->cx, index),
		.parent = index,
		.size = 1,
	};

	vec_push(&in->holes, h);
	return h.type;
}

void
infer_solver_init(struct infer *in)
{
	in->error = infer_new_hole(in);
}

void
infer_solver_reset(struct infer *in)
{
	in->holes.len = 1;
	in->holes.at[0].size = 1;
	in->holes.at[0].waiters = 0;
	vec_clear(&in->waiters);
	vec_clear(&in->pending);
	vec_clear(&in->queue);
	in->queue_head = 0;
}

void
infer_solver_free(struct infer *in)
{
	vec_free(&in->holes);
	vec_free(&in->waiters);
	vec_free(&in->pending);
	vec_free(&in->queue);
}

/* The root of a hole's class; halves the path to it. */
static uint32_t
find_root(struct infer *in, uint32_t i)
{
	struct infer_hole *h = in->holes.at;

	while (h[i].parent != i) {
		h[i].parent = h[h[i].parent].parent;
		i = h[i].parent;
	}
	return i;
}

static uint32_t
root_of(struct infer *in, const ir_type *hole)
{
	return find_root(in, ir_as_type_hole(hole)->index);
}

const ir_type *
infer_head(struct infer *in, const ir_type *t)
{
	while (t->kind == TYPE_HOLE) {
		struct infer_hole *h = &in->holes.at[root_of(in, t)];

		if (!h->bound)
			return h->type;
		t = h->bound;
	}
	return t;
}

/* What ir_type_substitute asks: the binding of a hole, as deep as it goes. */
static const ir_type *
resolve_one(const ir_type *t, void *env)
{
	const ir_type *head;

	if (t->kind != TYPE_HOLE)
		return t;
	head = infer_head(env, t);
	return head->kind == TYPE_HOLE ? head : infer_resolve(env, head);
}

const ir_type *
infer_resolve(struct infer *in, const ir_type *t)
{
	if (!(t->flags & TYPE_HAS_HOLE))
		return t;
	if (t->kind == TYPE_HOLE)
		return resolve_one(t, in);
	return ir_type_substitute(in->cx, t, resolve_one, in);
}

struct hole_search {
	const ir_type *first;
	const ir_type *wanted; /* or NULL: any */
};

static const ir_type *
note_hole(const ir_type *t, void *env)
{
	struct hole_search *s = env;

	if (t->kind == TYPE_HOLE && !s->first && (!s->wanted || s->wanted == t))
		s->first = t;
	return t;
}

/* The first hole in the resolved type T that is WANTED; NULL: none. */
static const ir_type *
find_hole(struct infer *in, const ir_type *t, const ir_type *wanted)
{
	struct hole_search s = {.wanted = wanted};

	if (!(t->flags & TYPE_HAS_HOLE))
		return NULL;
	if (t->kind == TYPE_HOLE)
		note_hole(t, &s);
	else
		ir_type_substitute(in->cx, t, note_hole, &s);
	return s.first;
}

bool
infer_is_poisoned(struct infer *in, const ir_type *t)
{
	return find_hole(in, t, in->error) != NULL;
}

/* What waits for hole ROOT is tried again. */
static void
wake(struct infer *in, uint32_t root)
{
	uint32_t cell = in->holes.at[root].waiters;

	in->holes.at[root].waiters = 0;
	while (cell) {
		struct infer_waiter *w = &in->waiters.at[cell - 1];
		struct infer_pending *c = &in->pending.at[w->pending];

		cell = w->next;
		if (c->done || c->queued)
			continue;
		c->queued = true;
		vec_push(&in->queue, w->pending);
	}
}

/* Join the lists of waiters of two classes; A is the shorter in general. */
static uint32_t
join_waiters(struct infer *in, uint32_t a, uint32_t b)
{
	uint32_t last;

	if (!a || !b)
		return a ? a : b;
	for (last = a; in->waiters.at[last - 1].next;)
		last = in->waiters.at[last - 1].next;
	in->waiters.at[last - 1].next = b;
	return a;
}

/* Two classes of free holes become one. The error hole stays a root. */
static const ir_type *
join_holes(struct infer *in, uint32_t a, uint32_t b)
{
	struct infer_hole *h = in->holes.at;

	if (a == b)
		return h[a].type;
	if (b != 0 && (a == 0 || h[a].size > h[b].size)) {
		uint32_t t = a;

		a = b;
		b = t;
	}
	h[a].parent = b;
	h[b].size += h[a].size;
	if (b == 0) {
		wake(in, a);
		return in->error;
	}
	h[b].waiters = join_waiters(in, h[a].waiters, h[b].waiters);
	return h[b].type;
}

static const ir_type *
poison_one(const ir_type *t, void *env)
{
	struct infer *in = env;
	const ir_type *head;

	if (t->kind != TYPE_HOLE)
		return t;
	head = infer_head(in, t);
	if (head->kind == TYPE_HOLE)
		join_holes(in, root_of(in, head), 0);
	else
		infer_poison(in, head);
	return t;
}

void
infer_poison(struct infer *in, const ir_type *t)
{
	if (!(t->flags & TYPE_HAS_HOLE))
		return;
	if (t->kind == TYPE_HOLE)
		poison_one(t, in);
	else
		ir_type_substitute(in->cx, t, poison_one, in);
}

static const ir_type *
close_one(const ir_type *t, void *env)
{
	struct infer *in = env;
	const ir_type *head;

	if (t->kind != TYPE_HOLE)
		return t;
	head = infer_head(in, t);
	if (head->kind == TYPE_HOLE)
		infer_unify(in, head, ir_type_tuple(in->cx, NULL, 0));
	else if (head->flags & TYPE_HAS_HOLE)
		ir_type_substitute(in->cx, head, close_one, in);
	return t;
}

/* The types in the list AT of a type. */
static void
close_all(struct infer *in, const ir_type *const *at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		infer_close_data(in, at[i]);
}

void
infer_close_data(struct infer *in, const ir_type *t)
{
	t = infer_head(in, t);
	if (!(t->flags & TYPE_HAS_HOLE))
		return;
	if (t->kind == TYPE_ADT) {
		ir_type_substitute(in->cx, t, close_one, in);
	} else if (t->kind == TYPE_TUPLE) {
		close_all(in, ir_as_tuple_type(t)->fields,
			  ir_as_tuple_type(t)->nfields);
	} else if (t->kind == TYPE_FUNC) {
		close_all(in, ir_as_func_type(t)->params,
			  ir_as_func_type(t)->nparams);
		infer_close_data(in, ir_as_func_type(t)->ret);
	} else if (t->kind == TYPE_REF) {
		infer_close_data(in, ir_as_ref_type(t)->value);
	}
}

/*
 * The free hole ROOT becomes T, unless T is made of the hole itself. Late, the
 * holes in T stay: what they are may change.
 */
static const ir_type *
bind_hole(struct infer *in, uint32_t root, const ir_type *t)
{
	const ir_type *whole = t;

	if (root == 0) {
		infer_poison(in, t);
		return in->error;
	}
	if (infer_is_too_big(t))
		return NULL;
	if (t->flags & TYPE_HAS_HOLE) {
		t = infer_resolve(in, t);
		if (find_hole(in, t, in->holes.at[root].type))
			return NULL;
	}
	in->holes.at[root].bound = in->late ? whole : t;
	wake(in, root);
	return t;
}

/* Of the bound hole T, or of the one that it follows. */
static uint32_t
last_root(struct infer *in, const ir_type *t)
{
	uint32_t root = root_of(in, t);

	while (in->holes.at[root].bound->kind == TYPE_HOLE)
		root = root_of(in, in->holes.at[root].bound);
	return root;
}

static const ir_type *
unify_hole(struct infer *in, const ir_type *a, const ir_type *b)
{
	uint32_t root;
	const ir_type *head;
	const ir_type *merged;

	if (a->kind != TYPE_HOLE) {
		head = infer_head(in, b);
		if (head->kind == TYPE_HOLE)
			return bind_hole(in, root_of(in, head), a);
		root = last_root(in, b);
		merged = infer_unify(in, a, head);
	} else if (b->kind != TYPE_HOLE) {
		head = infer_head(in, a);
		if (head->kind == TYPE_HOLE)
			return bind_hole(in, root_of(in, head), b);
		root = last_root(in, a);
		merged = infer_unify(in, head, b);
	} else {
		const ir_type *ha = infer_head(in, a);
		const ir_type *hb = infer_head(in, b);

		if (ha->kind == TYPE_HOLE && hb->kind == TYPE_HOLE)
			return join_holes(in, root_of(in, ha), root_of(in, hb));
		if (ha->kind == TYPE_HOLE)
			return bind_hole(in, root_of(in, ha), b);
		if (hb->kind == TYPE_HOLE)
			return bind_hole(in, root_of(in, hb), a);
		root = last_root(in, a);
		merged = infer_unify(in, ha, hb);
		if (merged)
			in->holes.at[last_root(in, b)].bound = merged;
	}
	if (merged)
		in->holes.at[root].bound = merged;
	return merged;
}

/*
 * What relations say in the end may still take from what a hole is known to
 * be, for all that met it, so late the hole itself is the result.
 */
const ir_type *
infer_unify_hole(struct infer *in, const ir_type *a, const ir_type *b)
{
	const ir_type *merged = unify_hole(in, a, b);

	if (!merged || !in->late)
		return merged;
	return a->kind == TYPE_HOLE ? a : b;
}

/* Pending node I is tried again once the hole T is known. */
static void
wait_for(struct infer *in, uint32_t i, const ir_type *t)
{
	struct infer_hole *h = &in->holes.at[root_of(in, t)];
	struct infer_waiter w = {.pending = i, .next = h->waiters};

	vec_push(&in->waiters, w);
	h->waiters = (uint32_t)in->waiters.len;
}

/* Wait for the first unknown part of each operand's type. */
static void
wait_for_operands(struct infer *in, uint32_t i)
{
	const ir_expr *e = in->pending.at[i].node;
	uint32_t first = e->kind == IR_CALL;

	for (uint32_t k = first; k < ir_num_operands(e); k++) {
		const ir_type *t = ir_operand(e, k)->type;
		const ir_type *hole = find_hole(in, infer_resolve(in, t), NULL);

		if (hole)
			wait_for(in, i, hole);
	}
}

void
infer_add_pending(struct infer *in, const ir_expr *node, const ir_type *result)
{
	struct infer_pending p = {.node = node, .result = result};

	vec_push(&in->pending, p);
	wait_for_operands(in, (uint32_t)in->pending.len - 1);
}

void
infer_add_late(struct infer *in, const ir_expr *node, const ir_type *result)
{
	struct infer_pending p = {
		.node = node,
		.result = result,
		.queued = true,
	};

	vec_push(&in->queue, (uint32_t)in->pending.len);
	vec_push(&in->pending, p);
}

void
infer_run_queue(struct infer *in)
{
	while (in->queue_head < in->queue.len) {
		uint32_t i = in->queue.at[in->queue_head++];

		in->pending.at[i].queued = false;
		if (in->pending.at[i].done)
			continue;
		infer_retry(in, i);
		if (!in->pending.at[i].done)
			wait_for_operands(in, i);
	}
	vec_clear(&in->queue);
	in->queue_head = 0;
}

void
infer_run_all(struct infer *in)
{
	bool moved;

	do {
		moved = false;
		for (uint32_t i = 0; i < in->pending.len; i++) {
			if (in->pending.at[i].done)
				continue;
			infer_retry(in, i);
			moved |= in->pending.at[i].done;
			infer_run_queue(in);
		}
	} while (moved);
}
