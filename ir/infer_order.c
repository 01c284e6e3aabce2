/*
 * The order in which definitions are typed: strongly connected components of
 * the call graph, callees first (Tarjan's algorithm, with its own stack).
 *
 * A node that two definitions share is typed with the first of them, so the
 * second counts as a caller of the first, and the other way round.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/infer_internal.h"

typedef VEC(uint32_t) index_vec;

struct graph {
	ir_def **defs; /* Relay functions */
	uint32_t n;
	index_vec *callees; /* by definition */
	uint32_t *owner;    /* by node: definition + 1 */
	uint32_t *noted;    /* by definition: last caller + 1 */
};

static void
add_edge(struct graph *g, uint32_t from, uint32_t to)
{
	if (g->noted[to] == from + 1)
		return;
	g->noted[to] = from + 1;
	vec_push(&g->callees[from], to);
}

/* The leaves that definitions may share without harm. */
static bool
is_leaf(const ir_expr *e)
{
	switch (e->kind) {
	case IR_VAR:
	case IR_CONSTANT:
	case IR_OP:
	case IR_CTOR:
	case IR_HOLE:
		return true;
	default:
		return false;
	}
}

/* Find what definition I refers to. */
static void
scan(struct graph *g, uint32_t i, ir_expr_vec *stack)
{
	vec_push(stack, &g->defs[i]->fn->base);
	while (stack->len > 0) {
		const ir_expr *e = vec_pop(stack);
		uint32_t owner;

		if (is_leaf(e))
			continue;
		owner = g->owner[e->id];
		if (e->kind == IR_GLOBAL) {
			if (owner)
				add_edge(g, i, owner - 1);
			continue;
		}
		if (owner) {
			if (owner - 1 != i) {
				add_edge(g, i, owner - 1);
				vec_push(&g->callees[owner - 1], i);
			}
			continue;
		}
		g->owner[e->id] = i + 1;
		for (uint32_t k = ir_num_operands(e); k-- > 0;)
			vec_push(stack, ir_operand(e, k));
	}
}

static void
build_graph(struct graph *g, const ir_module *m)
{
	ir_expr_vec stack = {0};

	g->defs = xcalloc(m->defs.len + 1, sizeof(*g->defs));
	for (size_t i = 0; i < m->defs.len; i++)
		if (m->defs.at[i]->kind == DEF_FUNCTION && m->defs.at[i]->fn)
			g->defs[g->n++] = m->defs.at[i];
	g->callees = xcalloc(g->n + 1, sizeof(*g->callees));
	if (g->n <= 1)
		return;
	g->owner = xcalloc(m->next_id, sizeof(*g->owner));
	g->noted = xcalloc(g->n, sizeof(*g->noted));
	for (uint32_t i = 0; i < g->n; i++)
		g->owner[g->defs[i]->global->base.id] = i + 1;
	for (uint32_t i = 0; i < g->n; i++)
		scan(g, i, &stack);
	vec_free(&stack);
}

static void
free_graph(struct graph *g)
{
	for (uint32_t i = 0; i < g->n; i++)
		vec_free(&g->callees[i]);
	free(g->callees);
	free(g->owner);
	free(g->noted);
	free(g->defs);
}

struct frame {
	uint32_t def;
	uint32_t next; /* callee to look at next */
};

struct tarjan {
	const struct graph *g;
	struct infer_order *out;
	uint32_t *index; /* 0: not met */
	uint32_t *low;
	bool *open; /* on the stack of components */
	uint32_t counter;
	uint32_t ndefs;
	index_vec component;
	VEC(struct frame) calls;
};

static void
enter(struct tarjan *t, uint32_t def)
{
	struct frame f = {.def = def};

	t->index[def] = t->low[def] = ++t->counter;
	t->open[def] = true;
	vec_push(&t->component, def);
	vec_push(&t->calls, f);
}

/* DEF is the root of a component: everything above it on the stack. */
static void
close_component(struct tarjan *t, uint32_t def)
{
	struct infer_order *o = t->out;
	size_t first = t->component.len;

	while (t->component.at[--first] != def)
		;
	for (size_t i = first; i < t->component.len; i++) {
		t->open[t->component.at[i]] = false;
		o->defs[t->ndefs++] = t->g->defs[t->component.at[i]];
	}
	t->component.len = first;
	o->group[++o->ngroups] = t->ndefs;
}

static void
lower(struct tarjan *t, uint32_t def, uint32_t to)
{
	if (to < t->low[def])
		t->low[def] = to;
}

static void
visit(struct tarjan *t, uint32_t root)
{
	enter(t, root);
	while (t->calls.len > 0) {
		struct frame *f = &vec_last(&t->calls);
		uint32_t def = f->def;
		const index_vec *callees = &t->g->callees[def];

		if (f->next < callees->len) {
			uint32_t callee = callees->at[f->next++];

			if (!t->index[callee])
				enter(t, callee);
			else if (t->open[callee])
				lower(t, def, t->index[callee]);
			continue;
		}
		(void)vec_pop(&t->calls);
		if (t->low[def] == t->index[def])
			close_component(t, def);
		if (t->calls.len > 0)
			lower(t, vec_last(&t->calls).def, t->low[def]);
	}
}

void
infer_order_init(struct infer_order *o, const ir_module *m)
{
	struct graph g = {0};
	struct tarjan t = {.g = &g, .out = o};

	build_graph(&g, m);
	o->ngroups = 0;
	o->defs = xcalloc(g.n + 1, sizeof(*o->defs));
	o->group = xcalloc(g.n + 1, sizeof(*o->group));
	t.index = xcalloc(g.n + 1, sizeof(*t.index));
	t.low = xcalloc(g.n + 1, sizeof(*t.low));
	t.open = xcalloc(g.n + 1, sizeof(*t.open));
	for (uint32_t i = 0; i < g.n; i++)
		if (!t.index[i])
			visit(&t, i);
	free(t.index);
	free(t.low);
	free(t.open);
	vec_free(&t.component);
	vec_free(&t.calls);
	free_graph(&g);
}

void
infer_order_free(struct infer_order *o)
{
	free(o->defs);
	free(o->group);
}
