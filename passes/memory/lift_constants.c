/*
 * lift-constants: bind constants at the top of the function that uses them.
 *
 *     fn (%x) { add(%x, 1f) }    becomes    fn (%x) { let %const0 = 1f;
 *                                                     add(%x, %const0) }
 *
 * A constant that several functions share, one in the other, is bound in the
 * outermost, and captured. Kernels stay as they are.
 *
 * Level: function. Needs: types.
 */
#include "ir/rewrite.h"
#include "passes/let_list.h"
#include "passes/pass.h"

struct lifter {
	pass_ctx *cx;
	ir_module *m;
	const ir_expr *root;
	unsigned count;
	struct ir_map owners; /* constant -> function */
	struct ir_map vars;   /* constant -> its variable */
	struct ir_map lists;  /* function -> its constants: ir_expr_vec */
	ir_expr_vec functions;
	const ir_expr *at; /* the function that is looked through */
	ir_expr_vec found; /* constants, in order */
};

/* Nested functions have their own turn. */
static bool
look(const ir_expr *e, void *env)
{
	struct lifter *l = env;
	const ir_expr *owner;

	if (ir_is_primitive(e))
		return false;
	if (e->kind == IR_FUNCTION && e != l->at) {
		vec_push(&l->functions, e);
		return false;
	}
	if (e->kind != IR_CONSTANT)
		return true;
	owner = ir_map_get(&l->owners, e);
	if (!owner)
		vec_push(&l->found, e);
	ir_map_put(&l->owners, e, owner && owner != l->at ? l->root : l->at);
	return true;
}

static void
find_constants(struct lifter *l)
{
	struct ir_set seen = {0};

	vec_push(&l->functions, l->root);
	for (size_t i = 0; i < l->functions.len; i++) {
		l->at = l->functions.at[i];
		if (ir_set_add(&seen, l->at))
			ir_walk(l->at, look, NULL, l);
	}
	ir_set_free(&seen);
}

static void
add_to_list(struct lifter *l, const ir_expr *constant)
{
	const ir_expr *owner = ir_map_get(&l->owners, constant);
	ir_expr_vec *list = ir_map_get(&l->lists, owner);
	const ir_expr *var =
		ir_new_var(l->m, constant->loc,
			   ir_namef(l->m->cx, "const%u", l->count++), NULL);

	if (!list) {
		list = ARENA_NEW(l->cx->scratch, ir_expr_vec);
		ir_map_put(&l->lists, owner, list);
	}
	ir_set_type(var, constant->type);
	vec_push(list, constant);
	ir_map_put(&l->vars, constant, var);
}

static const ir_expr *
use_variable(const ir_expr *e, const ir_expr *old, void *env)
{
	(void)old;
	return ir_map_get(&((struct lifter *)env)->vars, e);
}

static const ir_expr *
bind_constants(const ir_expr *e, const ir_expr *old, void *env)
{
	struct lifter *l = env;
	const struct ir_function *f = ir_as_function(e);
	ir_expr_vec *list = ir_map_get(&l->lists, old);
	const ir_expr *body = f->body;

	for (size_t i = list ? list->len : 0; i-- > 0;) {
		const ir_expr *var = ir_map_get(&l->vars, list->at[i]);

		body = ir_new_let(l->m, list->at[i]->loc, ir_as_var(var),
				  list->at[i], body);
		ir_set_type(body, f->body->type);
	}
	return list ? &ir_function_with_body(l->m, f, body)->base : e;
}

static bool
enter(const ir_expr *e, void *env)
{
	(void)env;
	return !ir_is_primitive(e);
}

const struct ir_function *
pass_lift_constants(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	static const struct ir_rules rules = {
		.on = {[IR_CONSTANT] = use_variable,
		       [IR_FUNCTION] = bind_constants},
		.enter = enter,
	};
	struct lifter l = {.cx = cx, .m = cx->module, .root = &fn->base};

	(void)def;
	if (!fn->body || ir_is_primitive(&fn->base))
		return fn;
	find_constants(&l);
	for (size_t i = 0; i < l.found.len; i++)
		add_to_list(&l, l.found.at[i]);
	if (l.found.len) {
		pass_count(cx, "constants", (unsigned)l.found.len);
		fn = ir_as_function(
			ir_rewrite(cx->module, &fn->base, &rules, &l));
	}
	for (size_t i = 0; i < l.functions.len; i++) {
		ir_expr_vec *list = ir_map_get(&l.lists, l.functions.at[i]);

		if (list)
			vec_free(list);
	}
	ir_map_free(&l.owners);
	ir_map_free(&l.vars);
	ir_map_free(&l.lists);
	vec_free(&l.functions);
	vec_free(&l.found);
	return fn;
}
