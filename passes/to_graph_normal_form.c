/*
 * to-graph-normal-form: replace lets by sharing.
 *
 *     let %y = exp(%x); add(%y, %y)    becomes    %0 = exp(%x); add(%0, %0)
 *
 * Bindings that nothing reads go. A let whose value has effects, or whose
 * variable occurs in its own value, stays: in a graph neither order nor
 * recursion can be said.
 *
 * Level: function. Needs: nothing.
 */
#include "passes/dead_code_elimination.h"

struct to_graph {
	struct purity purity;
	struct ir_map values; /* variable -> what replaces it */
	struct ir_set used;   /* variables met so far */
};

static void
take_value(const struct ir_let *let, const ir_expr *value, void *env)
{
	struct to_graph *g = env;

	if (ir_set_has(&g->used, &let->var->base))
		return; /* it occurs in its own value */
	if (purity_is_pure(&g->purity, let->value))
		ir_map_put(&g->values, &let->var->base, value);
}

static const ir_expr *
replace_var(const ir_expr *e, const ir_expr *old, void *env)
{
	struct to_graph *g = env;

	(void)old;
	ir_set_add(&g->used, e);
	return ir_map_get(&g->values, e);
}

static const ir_expr *
drop_let(const ir_expr *e, const ir_expr *old, void *env)
{
	struct to_graph *g = env;

	if (!ir_map_get(&g->values, &ir_as_let(old)->var->base))
		return e;
	return ir_as_let(e)->body;
}

static const struct ir_rules rules = {
	.on = {[IR_VAR] = replace_var, [IR_LET] = drop_let},
	.bound = take_value,
};

static bool
find_let(const ir_expr *e, void *env)
{
	bool *found = env;

	*found |= e->kind == IR_LET;
	return !*found;
}

const struct ir_function *
pass_to_graph_normal_form(pass_ctx *cx, ir_def *def,
			  const struct ir_function *fn)
{
	struct to_graph g = {0};
	const ir_expr *out;
	bool has_let = false;

	(void)def;
	ir_walk(&fn->base, find_let, NULL, &has_let);
	if (!has_let)
		return fn;
	if (purity_no_effects(cx->module))
		g.purity.all_pure = true;
	else
		purity_compute(&g.purity, cx->module);
	fn = drop_dead_lets(cx, &g.purity, fn);
	out = ir_rewrite(cx->module, &fn->base, &rules, &g);
	purity_free(&g.purity);
	ir_map_free(&g.values);
	ir_set_free(&g.used);
	return ir_as_function(out);
}
