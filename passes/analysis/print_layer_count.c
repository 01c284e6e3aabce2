/*
 * print-layer-count: the longest chain of calls of some operators in each
 * function, the number of layers of a network. Parallel branches count as the
 * longest of them.
 *
 * What a call of a function adds is the longest chain in there. Callees are
 * counted first; within a recursive group, calls of functions that come later
 * add nothing.
 *
 * Level: analysis. Needs: nothing.
 */
#include <string.h>

#include "passes/analysis/report.h"
#include "passes/call_graph.h"

struct layers {
	pass_ctx *cx;
	bool chosen[OP_COUNT];
	struct call_graph graph;
	uintptr_t *of_def;    /* by number of the call graph */
	struct ir_map length; /* node -> the longest chain up to it */
	struct ir_map value;  /* variable of a let -> what it stands for */
	uintptr_t longest;
};

static uintptr_t
length_of(const struct layers *l, const ir_expr *e)
{
	return (uintptr_t)ir_map_get(&l->length, e);
}

/* What E, which is called, adds. */
static uintptr_t
called_length(const struct layers *l, const ir_expr *e)
{
	const struct call_node *n;

	if (e->kind == IR_OP)
		return ir_as_op_ref(e)->op->id < OP_COUNT &&
		       l->chosen[ir_as_op_ref(e)->op->id];
	if (e->kind != IR_GLOBAL)
		return length_of(l, e);
	n = call_graph_node(&l->graph, e);
	return n ? l->of_def[n - l->graph.nodes] : 0;
}

static bool
bind(const ir_expr *e, void *env)
{
	struct layers *l = env;

	if (e->kind == IR_LET)
		ir_map_put(&l->value, ir_var_expr(ir_as_let(e)->var),
			   ir_as_let(e)->value);
	return true;
}

static void
measure(const ir_expr *e, void *env)
{
	struct layers *l = env;
	uintptr_t most = 0;
	const ir_expr *value = ir_map_get(&l->value, e);

	if (value)
		most = length_of(l, value);
	for (uint32_t i = e->kind == IR_CALL; i < ir_num_operands(e); i++)
		if (length_of(l, ir_operand(e, i)) > most)
			most = length_of(l, ir_operand(e, i));
	if (e->kind == IR_CALL)
		most += called_length(l, ir_as_call(e)->callee);
	ir_map_put(&l->length, e, (const void *)most);
	if (most > l->longest)
		l->longest = most;
}

static uintptr_t
count_layers(struct layers *l, const struct ir_function *fn)
{
	l->longest = 0;
	ir_walk(fn->body, bind, measure, l);
	ir_map_free(&l->length);
	ir_map_free(&l->value);
	return l->longest;
}

bool
pass_print_layer_count(pass_ctx *cx)
{
	struct layers l = {.cx = cx};
	struct report r = {.cx = cx};

	if (!pass_option_ops(cx, "ops", l.chosen))
		return false;
	call_graph_build(&l.graph, cx->module, cx->scratch);
	l.of_def = ARENA_NEW_ARRAY(cx->scratch, l.graph.n + 1, uintptr_t);
	for (uint32_t i = 0; i < l.graph.n; i++) {
		uint32_t at = l.graph.order[i];
		const ir_def *d = l.graph.nodes[at].def;

		if (d->kind == DEF_FUNCTION && d->fn->body)
			l.of_def[at] = count_layers(&l, d->fn);
	}
	for (ir_def **d = report_functions(cx); *d; d++) {
		const struct ir_global *g =
			ir_module_find_global(cx->module, (*d)->name);
		const struct call_node *n =
			g ? call_graph_node(&l.graph, &g->base) : NULL;

		if (n)
			report_line(&r, 0, "@%s: %zu", (*d)->name,
				    (size_t)l.of_def[n - l.graph.nodes]);
	}
	report_end(&r);
	call_graph_free(&l.graph);
	return false;
}
