/*
 * A module as a graph in which stands out what another one has not.
 */
#include "ir/equal.h"
#include "passes/dot/graph.h"

void
dot_graph_build_against(struct dot_graph *g, const ir_module *m,
			const ir_module *before, const struct dot_options *o)
{
	struct ir_equal_options equal = {.ignore_inferred = true};
	struct dot_options marked = *o;
	struct ir_comparison c = {0};
	struct ir_set changed = {0};

	ir_module_compare(before, m, &equal, &c);
	for (size_t i = 0; i < c.all.len; i++)
		if (c.all.at[i].b)
			ir_set_add(&changed, c.all.at[i].b);
	marked.pairs = &c.pairs;
	marked.changed = &changed;
	dot_graph_build(g, m, &marked);
	ir_set_free(&changed);
	ir_comparison_free(&c);
}
