#include "passes/call_graph.h"

static bool
collect_global(const ir_expr *e, void *env)
{
	ir_expr_vec *out = env;

	if (e->kind == IR_GLOBAL)
		vec_push(out, e);
	return true;
}

void
call_graph_mentions(const ir_expr *e, ir_expr_vec *out)
{
	ir_walk(e, collect_global, NULL, out);
}

struct call_node *
call_graph_node(const struct call_graph *g, const ir_expr *global)
{
	return ir_map_get(&g->index, global);
}

static void
add_edges(struct call_graph *g, struct call_node *node, struct arena *arena)
{
	ir_expr_vec mentioned = {0};

	if (node->def->kind == DEF_FUNCTION)
		call_graph_mentions(&node->def->fn->base, &mentioned);
	node->callees = ARENA_NEW_ARRAY(arena, mentioned.len, uint32_t);
	for (size_t i = 0; i < mentioned.len; i++) {
		struct call_node *callee = call_graph_node(g, mentioned.at[i]);

		if (!callee)
			continue;
		callee->ncallers++;
		node->callees[node->ncallees++] = (uint32_t)(callee - g->nodes);
		node->recursive |= callee == node;
	}
	vec_free(&mentioned);
}

struct tarjan_frame {
	uint32_t node;
	uint32_t next; /* callee to look at next */
};

/* Tarjan's algorithm with an explicit stack. */
struct tarjan {
	struct call_graph *g;
	uint32_t *low;
	uint32_t *seen; /* order of discovery + 1; 0: not yet */
	bool *on_stack;
	VEC(uint32_t) stack;
	VEC(struct tarjan_frame) frames;
	uint32_t counter;
	uint32_t ordered;
	uint32_t groups;
};

static void
discover(struct tarjan *t, uint32_t node)
{
	t->seen[node] = t->low[node] = ++t->counter;
	t->on_stack[node] = true;
	vec_push(&t->stack, node);
	vec_push(&t->frames, ((struct tarjan_frame){node, 0}));
}

static void
close_group(struct tarjan *t, uint32_t root)
{
	size_t first = t->stack.len;

	while (t->stack.at[first - 1] != root)
		first--;
	first--;
	for (size_t i = first; i < t->stack.len; i++) {
		uint32_t member = t->stack.at[i];

		t->on_stack[member] = false;
		t->g->nodes[member].group = t->groups;
		t->g->nodes[member].recursive |= t->stack.len - first > 1;
		t->g->order[t->ordered++] = member;
	}
	t->stack.len = first;
	t->groups++;
}

static uint32_t
min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void
search_from(struct tarjan *t, uint32_t start)
{
	discover(t, start);
	while (t->frames.len) {
		uint32_t node = vec_last(&t->frames).node;
		const struct call_node *n = &t->g->nodes[node];

		if (vec_last(&t->frames).next < n->ncallees) {
			uint32_t to = n->callees[vec_last(&t->frames).next++];

			if (!t->seen[to])
				discover(t, to);
			else if (t->on_stack[to])
				t->low[node] =
					min_u32(t->low[node], t->seen[to]);
			continue;
		}
		t->frames.len--;
		if (t->low[node] == t->seen[node])
			close_group(t, node);
		if (t->frames.len) {
			uint32_t up = vec_last(&t->frames).node;

			t->low[up] = min_u32(t->low[up], t->low[node]);
		}
	}
}

void
call_graph_build(struct call_graph *g, const ir_module *m, struct arena *arena)
{
	uint32_t n = (uint32_t)m->defs.len;
	struct tarjan t = {.g = g};

	*g = (struct call_graph){.n = n};
	g->nodes = ARENA_NEW_ARRAY(arena, n, struct call_node);
	g->order = ARENA_NEW_ARRAY(arena, n, uint32_t);
	for (uint32_t i = 0; i < n; i++) {
		g->nodes[i].def = m->defs.at[i];
		ir_map_put(&g->index, &m->defs.at[i]->global->base,
			   &g->nodes[i]);
	}
	for (uint32_t i = 0; i < n; i++)
		add_edges(g, &g->nodes[i], arena);
	t.low = ARENA_NEW_ARRAY(arena, n, uint32_t);
	t.seen = ARENA_NEW_ARRAY(arena, n, uint32_t);
	t.on_stack = ARENA_NEW_ARRAY(arena, n, bool);
	for (uint32_t i = 0; i < n; i++)
		if (!t.seen[i])
			search_from(&t, i);
	vec_free(&t.stack);
	vec_free(&t.frames);
}

void
call_graph_free(struct call_graph *g)
{
	ir_map_free(&g->index);
}
