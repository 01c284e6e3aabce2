/*
 * remove-standalone-reshapes: let the kernel before a reshape write the shape
 * that is wanted.
 *
 *     let %a = @fused_nn_dense(%x, %w);
 *     let %b = @fused_reshape(%a);
 *                        becomes
 *     let %b = @fused_nn_dense_reshape(%x, %w);
 *
 * for calls of kernels marked relay.reshape_only whose operand is the result
 * of a kernel that nothing else reads; with lets or without. Kernels that
 * nobody calls any more are dropped.
 *
 * Level: module. Needs: types.
 */
#include "ir/copy.h"
#include "passes/outline.h"
#include "passes/pass.h"
#include "passes/replace.h"

struct merged {
	const ir_def *producer;
	const ir_def *reshape;
	const struct ir_global *global;
	struct merged *next;
};

struct remover {
	pass_ctx *cx;
	ir_module *m;
	struct ir_map uses;
	struct ir_map values; /* variable of a let -> the let */
	struct ir_map with;
	struct ir_map merged;  /* producer -> struct merged */
	struct ir_set touched; /* kernels that lost a call */
	bool changed;
};

/* The kernel that E calls, or NULL. */
static const ir_def *
called_kernel(const ir_expr *e)
{
	const struct ir_global *g;

	if (e->kind != IR_CALL || ir_as_call(e)->callee->kind != IR_GLOBAL)
		return NULL;
	g = ir_as_global(ir_as_call(e)->callee);
	return g->def && g->def->fn && is_own_primitive(g->def) ? g->def : NULL;
}

static bool
is_reshape_only(ir_module *m, const ir_def *def)
{
	return def->fn->nparams == 1 &&
	       ir_dict_int(def->fn->attrs, ir_name(m->cx, "relay.reshape_only"),
			   0) != 0;
}

/* PRODUCER's function with what RESHAPE does behind it. */
static const struct ir_global *
merge(struct remover *r, const ir_def *producer, const ir_def *reshape)
{
	ir_context *cx = r->m->cx;
	struct ir_copy_options plain = {0};
	struct ir_map vars = {0};
	struct ir_copy_options at_result = {.vars = &vars};
	const struct ir_function *p =
		ir_as_function(ir_copy(r->m, &producer->fn->base, &plain));
	struct ir_function_parts parts = ir_function_parts(p);
	const char *name = ir_module_fresh_name(
		r->m, ir_namef(cx, "%s_reshape", producer->name));
	ir_def *def;

	ir_map_put(&vars, &reshape->fn->params[0]->base, p->body);
	parts.body = ir_copy(r->m, reshape->fn->body, &at_result);
	parts.ret_type = reshape->fn->ret_type;
	parts.attrs = ir_dict_with(cx, p->attrs, ir_name(cx, "global_symbol"),
				   ATTR_STR(name));
	ir_map_free(&vars);
	def = ir_module_add_function(
		r->m, name, ir_new_function(r->m, producer->loc, &parts),
		producer->loc);
	return def->global;
}

static const struct ir_global *
merged_kernel(struct remover *r, const ir_def *producer, const ir_def *reshape)
{
	const ir_expr *key = &producer->global->base;
	struct merged *first = ir_map_get(&r->merged, key);
	struct merged *x;

	for (x = first; x; x = x->next)
		if (x->reshape == reshape)
			return x->global;
	x = ARENA_NEW(r->cx->scratch, struct merged);
	*x = (struct merged){producer, reshape, merge(r, producer, reshape),
			     first};
	ir_map_put(&r->merged, key, x);
	return x->global;
}

/* What E is by now. */
static const ir_expr *
current(const struct remover *r, const ir_expr *e)
{
	const ir_expr *to;

	while ((to = ir_map_get(&r->with, e)) != NULL)
		e = to;
	return e;
}

static bool
is_used_once(const struct remover *r, const ir_expr *e)
{
	return (uintptr_t)ir_map_get(&r->uses, e) == 1;
}

/* CALL of a reshape becomes one of the kernel before it, if it may. */
static void
try_merge(struct remover *r, const struct ir_call *call)
{
	const ir_def *reshape = called_kernel(&call->base);
	const ir_expr *operand = call->args[0];
	const struct ir_let *let = ir_map_get(&r->values, operand);
	const ir_expr *value = let ? let->value : operand;
	const struct ir_call *before;
	const struct ir_global *kernel;
	const ir_def *producer;

	if (!is_used_once(r, operand) || (let && !is_used_once(r, value)))
		return;
	value = current(r, value);
	producer = called_kernel(value);
	if (!producer || !pass_may_rewrite(r->cx))
		return;
	before = ir_as_call(value);
	kernel = merged_kernel(r, producer, reshape);
	ir_map_put(&r->with, &call->base,
		   ir_new_call(r->m, call->base.loc, &kernel->base,
			       before->args, before->nargs, NULL));
	if (let)
		ir_map_put(&r->with, &let->base, let->body);
	ir_set_add(&r->touched, &producer->global->base);
	ir_set_add(&r->touched, &reshape->global->base);
	r->changed = true;
}

static void
visit(const ir_expr *e, void *env)
{
	struct remover *r = env;
	const ir_def *def = called_kernel(e);

	if (def && is_reshape_only(r->m, def) && ir_as_call(e)->nargs == 1)
		try_merge(r, ir_as_call(e));
}

static bool
note_let(const ir_expr *e, void *env)
{
	struct remover *r = env;

	if (e->kind == IR_LET)
		ir_map_put(&r->values, &ir_as_let(e)->var->base, e);
	return true;
}

static void
run_on(struct remover *r, ir_def *def)
{
	ir_use_counts(&def->fn->base, &r->uses);
	ir_walk(&def->fn->base, note_let, visit, r);
	def->fn = ir_as_function(replace_nodes(r->m, &def->fn->base, &r->with));
	ir_map_free(&r->uses);
	ir_map_free(&r->values);
	ir_map_free(&r->with);
}

static void
note_global(const ir_expr *e, void *env)
{
	if (e->kind == IR_GLOBAL)
		ir_set_add(env, e);
}

static void
drop_unused(struct remover *r)
{
	struct ir_set used = {0};
	struct ir_set unused = {0};

	for (size_t i = 0; i < r->m->defs.len; i++)
		if (r->m->defs.at[i]->fn)
			ir_walk(&r->m->defs.at[i]->fn->base, NULL, note_global,
				&used);
	for (size_t i = 0; i < r->m->defs.len; i++) {
		const ir_expr *g = &r->m->defs.at[i]->global->base;

		if (ir_set_has(&r->touched, g) && !ir_set_has(&used, g))
			ir_set_add(&unused, g);
	}
	ir_module_remove_all(r->m, &unused);
	ir_set_free(&unused);
	ir_set_free(&used);
}

bool
pass_remove_standalone_reshapes(pass_ctx *cx)
{
	struct remover r = {.cx = cx, .m = cx->module};
	size_t n = cx->module->defs.len;

	for (size_t i = 0; i < n; i++) {
		ir_def *def = cx->module->defs.at[i];

		if (def->kind == DEF_FUNCTION && def->fn &&
		    !is_own_primitive(def))
			run_on(&r, def);
	}
	if (r.changed)
		drop_unused(&r);
	ir_map_free(&r.merged);
	ir_set_free(&r.touched);
	return r.changed;
}
