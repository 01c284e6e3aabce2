/*
 * inline-compiler-functions-bound-to: undo the partitioning of some functions.
 *
 *     @ext_0(%x)    becomes    the body of @ext_0, with %x in it
 *
 * where global-vars names @ext_0. Composites in it are dissolved as well; the
 * definition goes.
 *
 * Level: module. Needs: types.
 */
#include <string.h>

#include "passes/byoc/compiler_functions.h"

struct dissolver {
	pass_ctx *cx;
	ir_module *m;
	struct ir_set named; /* globals to dissolve */
};

/* The body of F with ARGS in place of its parameters, and fresh binders. */
static const ir_expr *
apply(ir_module *m, const struct ir_function *f, const ir_expr *const *args)
{
	struct ir_map map = {0};
	const ir_expr *body = ir_refresh_binders(m, f->body);

	for (uint32_t i = 0; i < f->nparams; i++)
		ir_map_put(&map, &f->params[i]->base, args[i]);
	body = ir_substitute(m, body, &map);
	ir_map_free(&map);
	return body;
}

static const ir_expr *
dissolve_composite(const ir_expr *e, const ir_expr *old, void *env)
{
	struct dissolver *d = env;
	const struct ir_call *c = ir_as_call(e);

	(void)old;
	if (c->callee->kind != IR_FUNCTION ||
	    !ir_dict_get(ir_as_function(c->callee)->attrs, "Composite"))
		return e;
	return apply(d->m, ir_as_function(c->callee), c->args);
}

static const struct ir_rules composites = {
	.on = {[IR_CALL] = dissolve_composite}};

static const ir_expr *
dissolve_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct dissolver *d = env;
	const struct ir_call *c = ir_as_call(e);
	const ir_expr *body;

	(void)old;
	if (!ir_set_has(&d->named, c->callee))
		return e;
	body = apply(d->m, ir_as_global(c->callee)->def->fn, c->args);
	pass_count(d->cx, "calls dissolved", 1);
	return ir_rewrite(d->m, body, &composites, d);
}

static const struct ir_rules calls = {.on = {[IR_CALL] = dissolve_call}};

/* Another use than as a callee: the definition must stay. */
static bool
is_value(const ir_expr *e, void *env)
{
	struct dissolver *d = env;

	for (uint32_t i = e->kind == IR_CALL; i < ir_num_operands(e); i++) {
		const ir_expr *x = ir_operand(e, i);

		if (x->kind == IR_GLOBAL && ir_set_has(&d->named, x))
			pass_error(d->cx, e->loc, "'@%s' is used as a value",
				   ir_as_global(x)->name);
	}
	return !d->cx->failed;
}

static void
name_one(struct dissolver *d, const char *name, size_t len)
{
	const ir_def *def;

	if (len && *name == '@') {
		name++;
		len--;
	}
	def = ir_module_find(d->m, ir_name_n(d->m->cx, name, len));
	if (!def || def->kind != DEF_FUNCTION || !def->fn->body ||
	    !is_compiler_function(def->fn, ""))
		pass_error(d->cx, LOC_NONE,
			   "'@%.*s' is no function of a compiler", (int)len,
			   name);
	else
		ir_set_add(&d->named, &def->global->base);
}

static bool
is_named(const ir_expr *e, void *env)
{
	struct dissolver *d = env;

	if (ir_set_has(&d->named, e))
		pass_error(d->cx, e->loc,
			   "'@%s' is called by a function to be dissolved",
			   ir_as_global(e)->name);
	return !d->cx->failed;
}

static void
check_uses(struct dissolver *d)
{
	for (size_t i = 0; i < d->m->defs.len && !d->cx->failed; i++) {
		const ir_def *def = d->m->defs.at[i];

		if (def->kind == DEF_FUNCTION && def->fn->body)
			ir_walk(def->fn->body,
				ir_set_has(&d->named, &def->global->base)
					? is_named
					: is_value,
				NULL, d);
	}
}

static void
dissolve_all(struct dissolver *d)
{
	ir_module *m = d->m;

	check_uses(d);
	for (size_t i = 0; i < m->defs.len && !d->cx->failed; i++) {
		ir_def *def = m->defs.at[i];

		if (def->kind == DEF_FUNCTION &&
		    !ir_set_has(&d->named, &def->global->base))
			def->fn = ir_as_function(
				ir_rewrite(m, &def->fn->base, &calls, d));
	}
	if (!d->cx->failed)
		ir_module_remove_all(m, &d->named);
}

bool
pass_inline_compiler_functions_bound_to(pass_ctx *cx)
{
	struct dissolver d = {.cx = cx, .m = cx->module};
	const char *at = pass_option(cx, "global-vars");

	if (!*at)
		pass_error(cx, LOC_NONE,
			   "option 'global-vars' must name functions");
	while (*at && !cx->failed) {
		size_t len = strcspn(at, ",");

		name_one(&d, at, len);
		at += len + (at[len] == ',');
	}
	if (!cx->failed)
		dissolve_all(&d);
	ir_set_free(&d.named);
	return !cx->failed;
}
