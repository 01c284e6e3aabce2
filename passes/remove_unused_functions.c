/*
 * remove-unused-functions: keep what the entry functions reach.
 *
 * Any mention of a global reaches it, called or not. Loops and tensor
 * expressions that nobody calls go too; types stay.
 *
 * Level: module. Needs: nothing. Keeps: types.
 */
#include "passes/call_graph.h"

#include <string.h>

#include "passes/pass.h"

static void
reach(const struct call_graph *g, uint32_t start, bool *reached)
{
	VEC(uint32_t) work = {0};

	vec_push(&work, start);
	while (work.len) {
		uint32_t at = vec_pop(&work);
		const struct call_node *n = &g->nodes[at];

		if (reached[at])
			continue;
		reached[at] = true;
		for (uint32_t i = 0; i < n->ncallees; i++)
			vec_push(&work, n->callees[i]);
	}
	vec_free(&work);
}

/* Reach from each name of the list "a,b". */
static void
reach_entries(pass_ctx *cx, const struct call_graph *g, bool *reached)
{
	const char *names = pass_option(cx, "entry-functions");

	while (*names) {
		size_t len = strcspn(names, ",");
		const char *name = ir_name_n(cx->module->cx, names, len);
		const struct ir_global *global =
			ir_module_find_global(cx->module, name);
		const struct call_node *node =
			global ? call_graph_node(g, &global->base) : NULL;

		if (node)
			reach(g, (uint32_t)(node - g->nodes), reached);
		else
			pass_error(cx, LOC_NONE,
				   "there is no entry function '@%s'", name);
		names += len + (names[len] == ',');
	}
}

bool
pass_remove_unused_functions(pass_ctx *cx)
{
	struct call_graph g;
	struct ir_set unused = {0};
	bool *reached;
	bool changed = false;

	call_graph_build(&g, cx->module, cx->scratch);
	reached = ARENA_NEW_ARRAY(cx->scratch, g.n, bool);
	reach_entries(cx, &g, reached);
	for (uint32_t i = 0; i < g.n && !cx->failed; i++)
		if (!reached[i] && !pass_may_rewrite(cx))
			reach(&g, i, reached);
	for (uint32_t i = 0; i < g.n && !cx->failed; i++) {
		if (reached[i])
			continue;
		ir_set_add(&unused, &g.nodes[i].def->global->base);
		changed = true;
	}
	if (changed)
		ir_module_remove_all(cx->module, &unused);
	ir_set_free(&unused);
	call_graph_free(&g);
	return changed;
}
