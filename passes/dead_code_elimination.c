/*
 * dead-code-elimination: drop bindings that nothing reads.
 *
 *     let %x = exp(%a); let %y = ref_read(%r); %a
 *                                    becomes    let %y = ref_read(%r); %a
 *
 * A binding goes if its value has no effects and no value that is needed
 * itself reads it; with inline-once, a binding that is read once, and not
 * from inside a function that might run many times, is put at its use.
 * ignore-impurity takes every value as free of effects.
 *
 * Level: module. Needs: types. Keeps: types.
 */
#include "passes/pass.h"
#include "passes/purity.h"

struct needed {
	const ir_expr *e;
	uint32_t depth;                 /* functions around it */
};

struct dce {
	pass_ctx *cx;
	bool inline_once;
	bool ignore_impurity;
	struct purity purity;
	struct ir_map lets;             /* variable -> its let */
	uint32_t *depth;                /* of the let, by id of the variable */
	uint32_t *uses;                 /* by id of the variable */
	struct ir_set seen;
	VEC(struct needed) todo;
	struct ir_map values;           /* variable -> value put at its use */
};

static bool
is_pure(const struct dce *d, const ir_expr *e)
{
	return d->ignore_impurity || purity_is_pure(&d->purity, e);
}

static void
need(struct dce *d, const ir_expr *e, uint32_t depth)
{
	struct needed n = { e, depth };

	vec_push(&d->todo, n);
}

static void
need_let(struct dce *d, const struct ir_let *let, uint32_t depth)
{
	ir_map_put(&d->lets, &let->var->base, let);
	d->depth[let->var->base.id] = depth;
	if (!is_pure(d, let->value))
		need(d, let->value, depth);
	need(d, let->body, depth);
}

/* A use makes the value needed; a closure may use it more than once. */
static void
use_var(struct dce *d, const ir_expr *var, uint32_t depth)
{
	const struct ir_let *let = ir_map_get(&d->lets, var);
	uint32_t bound_at = d->depth[var->id];

	if (!let)
		return;
	d->uses[var->id] += depth > bound_at ? 2 : 1;
	need(d, let->value, bound_at);
}

static void
count_uses(struct dce *d, const ir_expr *root)
{
	need(d, root, 0);
	while (d->todo.len) {
		struct needed n = vec_pop(&d->todo);

		if (n.e->kind == IR_VAR) {
			use_var(d, n.e, n.depth);
			continue;
		}
		if (!ir_set_add(&d->seen, n.e))
			continue;
		if (n.e->kind == IR_LET) {
			need_let(d, ir_as_let(n.e), n.depth);
			continue;
		}
		for (uint32_t i = ir_num_operands(n.e); i-- > 0;)
			need(d, ir_operand(n.e, i),
			     n.depth + (n.e->kind == IR_FUNCTION));
	}
}

static bool
goes_to_its_use(const struct dce *d, const struct ir_let *let)
{
	return d->inline_once && d->uses[let->var->base.id] == 1 &&
	       is_pure(d, let->value);
}

static void
take_value(const struct ir_let *let, const ir_expr *value, void *env)
{
	struct dce *d = env;

	if (goes_to_its_use(d, let))
		ir_map_put(&d->values, &let->var->base, value);
}

static const ir_expr *
replace_var(const ir_expr *e, const ir_expr *old, void *env)
{
	struct dce *d = env;

	(void)old;
	return ir_map_get(&d->values, e);
}

static const ir_expr *
drop_let(const ir_expr *e, const ir_expr *old, void *env)
{
	struct dce *d = env;
	const struct ir_let *let = ir_as_let(old);

	if (!is_pure(d, let->value))
		return e;
	if (d->uses[let->var->base.id] > 0 && !goes_to_its_use(d, let))
		return e;
	pass_count(d->cx, "bindings dropped", 1);
	return ir_as_let(e)->body;
}

static const struct ir_rules rules = {
	.on = { [IR_VAR] = replace_var, [IR_LET] = drop_let },
	.bound = take_value,
};

static bool
run_on(struct dce *d, ir_def *def)
{
	const ir_expr *out;

	count_uses(d, def->fn->body);
	out = ir_rewrite(d->cx->module, &def->fn->base, &rules, d);
	if (out == &def->fn->base)
		return false;
	def->fn = ir_as_function(out);
	return true;
}

bool
pass_dead_code_elimination(pass_ctx *cx)
{
	ir_module *m = cx->module;
	struct dce d = {
		.cx = cx,
		.inline_once = pass_option_bool(cx, "inline-once"),
		.ignore_impurity = pass_option_bool(cx, "ignore-impurity"),
		.depth = ARENA_NEW_ARRAY(cx->scratch, m->next_id, uint32_t),
		.uses = ARENA_NEW_ARRAY(cx->scratch, m->next_id, uint32_t),
	};
	bool changed = false;

	purity_compute(&d.purity, m);
	for (size_t i = 0; i < m->defs.len; i++)
		if (m->defs.at[i]->kind == DEF_FUNCTION &&
		    m->defs.at[i]->fn->body)
			changed |= run_on(&d, m->defs.at[i]);
	purity_free(&d.purity);
	ir_map_free(&d.lets);
	ir_map_free(&d.values);
	ir_set_free(&d.seen);
	vec_free(&d.todo);
	return changed;
}
