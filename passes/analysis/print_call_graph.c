/*
 * print-call-graph: which function mentions which.
 *
 *     // @main: entry
 *     //   @f
 *     // @f: 2 callers, recursive
 *     //   @f
 *
 * A function that is mentioned counts, called or not, and once for each
 * function that mentions it. An entry is a function that no other mentions;
 * a recursive one leads back to itself, maybe through others.
 *
 * Level: analysis. Needs: nothing.
 */
#include "passes/analysis/report.h"

#include <stdlib.h>

#include "passes/call_graph.h"

static bool
calls_itself(const struct call_graph *g, const struct call_node *node)
{
	for (uint32_t i = 0; i < node->ncallees; i++)
		if (&g->nodes[node->callees[i]] == node)
			return true;
	return false;
}

static void
print_node(struct report *r, const struct call_graph *g,
	   const struct call_node *node)
{
	bool entry = node->ncallers == (calls_itself(g, node) ? 1U : 0U);
	const char *callers =
		entry ? "entry"
		      : arena_printf(r->cx->scratch, "%u caller%s",
				     node->ncallers,
				     node->ncallers == 1 ? "" : "s");

	report_line(r, 0, "@%s: %s%s", node->def->name, callers,
		    node->recursive ? ", recursive" : "");
	for (uint32_t i = 0; i < node->ncallees; i++)
		report_line(r, 1, "@%s", g->nodes[node->callees[i]].def->name);
}

bool
pass_print_call_graph(pass_ctx *cx)
{
	struct report r = {.cx = cx};
	struct call_graph g;
	ir_def **defs = ir_module_sorted(cx->module);

	call_graph_build(&g, cx->module, cx->scratch);
	for (uint32_t i = 0; i < g.n; i++)
		print_node(&r, &g, call_graph_node(&g, &defs[i]->global->base));
	call_graph_free(&g);
	free(defs);
	report_end(&r);
	return false;
}
