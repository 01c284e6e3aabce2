/*
 * print-dependency-graph: the nodes of each function, operands first, each
 * with those that it reads.
 *
 *     // @main
 *     //   0: %x
 *     //   1: add(..) [0] <- 0 0
 *
 * The number in brackets is what extract-intermediate-expr takes.
 *
 * print-post-dominators: for each node that fusion looks at the nearest one
 * that everything made of it goes through, and how the way there reads.
 *
 * Level: analysis. Needs: nothing; types.
 */
#include "passes/analysis/report.h"

#include "passes/analysis/intermediate.h"
#include "passes/fuse_graph.h"

struct graph_printer {
	struct report *r;
	struct ir_map number; /* node -> number + 1 */
	uintptr_t next;
	unsigned next_index;
	struct buf uses;
};

static void
number_node(const ir_expr *e, void *env)
{
	struct graph_printer *g = env;
	const char *index = "";

	g->uses.len = 0;
	for (uint32_t i = 0; i < ir_num_operands(e); i++) {
		const ir_expr *x = ir_operand(e, i);

		if (x->kind == IR_OP)
			continue;
		buf_printf(&g->uses, "%s %zu", g->uses.len ? "" : " <-",
			   (uintptr_t)ir_map_get(&g->number, x) - 1);
	}
	if (e->kind == IR_OP)
		return;
	if (is_intermediate(e))
		index = arena_printf(g->r->cx->scratch, " [%u]",
				     g->next_index++);
	report_line(g->r, 1, "%zu: %s%s%s", g->next, report_word(g->r, e),
		    index, g->uses.len ? g->uses.at : "");
	ir_map_put(&g->number, e, (void *)++g->next);
}

bool
pass_print_dependency_graph(pass_ctx *cx)
{
	struct report r = {.cx = cx};

	for (ir_def **d = report_functions(cx); *d; d++) {
		struct graph_printer g = {.r = &r};

		report_line(&r, 0, "@%s", (*d)->name);
		ir_walk(&(*d)->fn->base, NULL, number_node, &g);
		ir_map_free(&g.number);
		buf_free(&g.uses);
	}
	report_end(&r);
	return false;
}

static const char *
node_text(struct report *r, const ir_expr *e)
{
	const char *name = report_name(r, e);
	const char *word = report_word(r, e);

	if (!name || e->kind == IR_VAR)
		return word;
	return arena_printf(r->cx->scratch, "%s = %s", name, word);
}

bool
pass_print_post_dominators(pass_ctx *cx)
{
	struct report r = {.cx = cx};

	for (ir_def **d = report_functions(cx); *d; d++) {
		struct fuse_graph g = {.n = 0};

		report_line(&r, 0, "@%s", (*d)->name);
		fuse_graph_build(&g, (*d)->fn, cx->scratch);
		for (uint32_t i = 0; i < g.n; i++) {
			const struct fuse_node *n = &g.nodes[i];

			if (n->parent == FUSE_NONE)
				report_line(&r, 1, "%s: none",
					    node_text(&r, n->expr));
			else
				report_line(
					&r, 1, "%s: %s, %s",
					node_text(&r, n->expr),
					node_text(&r, g.nodes[n->parent].expr),
					ir_op_pattern_name(n->tree_pattern));
		}
		fuse_graph_free(&g);
	}
	report_end(&r);
	return false;
}
