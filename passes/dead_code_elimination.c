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
#include "passes/dead_code_elimination.h"

struct needed {
	const ir_expr *e;
	uint32_t depth; /* functions around it */
};

struct dce {
	pass_ctx *cx;
	bool inline_once;
	bool ignore_impurity;
	const struct purity *purity;
	struct ir_map lets; /* variable -> its let */
	uint32_t *depth;    /* of the let, by id of the variable */
	uint32_t *uses;     /* by id of the variable */
	struct ir_set seen;
	VEC(struct needed) todo;
	struct ir_map values; /* variable -> value put at its use */
};

static bool
is_pure(const struct dce *d, const ir_expr *e)
{
	return d->ignore_impurity || purity_is_pure(d->purity, e);
}

static void
need(struct dce *d, const ir_expr *e, uint32_t depth)
{
	struct needed n = {e, depth};

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

/* VALUE stays after all: nothing that it reads may go, or move. */
static void
keep_what_is_read(struct dce *d, const ir_expr *value)
{
	ir_expr_vec vars = {0};

	ir_free_vars(value, &vars);
	for (size_t i = 0; i < vars.len; i++)
		d->uses[vars.at[i]->id] += 2;
	vec_free(&vars);
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
	if (d->uses[let->var->base.id] == 0 && !pass_may_rewrite(d->cx)) {
		keep_what_is_read(d, let->value);
		return e;
	}
	pass_count(d->cx, "bindings dropped", 1);
	return ir_as_let(e)->body;
}

static const struct ir_rules rules = {
	.on = {[IR_VAR] = replace_var, [IR_LET] = drop_let},
	.bound = take_value,
};

static struct dce
dce_new(pass_ctx *cx, const struct purity *purity)
{
	uint32_t n = cx->module->next_id;

	return (struct dce){
		.cx = cx,
		.purity = purity,
		.depth = ARENA_NEW_ARRAY(cx->scratch, n, uint32_t),
		.uses = ARENA_NEW_ARRAY(cx->scratch, n, uint32_t),
	};
}

static void
dce_free(struct dce *d)
{
	ir_map_free(&d->lets);
	ir_map_free(&d->values);
	ir_set_free(&d->seen);
	vec_free(&d->todo);
}

static const struct ir_function *
run_on(struct dce *d, const struct ir_function *fn)
{
	if (!fn->body)
		return fn;
	count_uses(d, fn->body);
	return ir_as_function(ir_rewrite(d->cx->module, &fn->base, &rules, d));
}

const struct ir_function *
drop_dead_lets(pass_ctx *cx, const struct purity *purity,
	       const struct ir_function *fn)
{
	struct dce d = dce_new(cx, purity);

	fn = run_on(&d, fn);
	dce_free(&d);
	return fn;
}

bool
pass_dead_code_elimination(pass_ctx *cx)
{
	ir_module *m = cx->module;
	struct purity purity;
	struct dce d = dce_new(cx, &purity);
	bool changed = false;

	d.inline_once = pass_option_bool(cx, "inline-once");
	d.ignore_impurity = pass_option_bool(cx, "ignore-impurity");
	purity_compute(&purity, m);
	for (size_t i = 0; i < m->defs.len; i++) {
		ir_def *def = m->defs.at[i];
		const struct ir_function *fn = def->fn;

		if (def->kind != DEF_FUNCTION)
			continue;
		def->fn = run_on(&d, fn);
		changed |= def->fn != fn;
	}
	purity_free(&purity);
	dce_free(&d);
	return changed;
}
