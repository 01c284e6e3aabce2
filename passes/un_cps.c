/*
 * un-cps: give functions in continuation-passing style an ordinary face.
 *
 *     def @f[answer](%x: T, %k: fn (R) -> answer) -> answer { .. }    becomes
 *     def @f(%x: T) -> R {
 *       (fn (%x, %k: fn (R) -> R) { .. })(%x, fn (%r) { %r })
 *     }
 *
 * A function is in that style if it returns a type parameter that only what
 * its last parameter returns can make. Others stay, and so does a function
 * that another definition mentions.
 *
 * Level: module. Needs: types.
 */
#include "passes/call_graph.h"
#include "passes/retype.h"

struct face {
	const ir_type *answer;
	const ir_type *result;
};

static const ir_type *
map_answer(const ir_type *t, void *env)
{
	const struct face *f = env;

	return t == f->answer ? f->result : t;
}

/* What the last parameter of FN takes, or NULL. */
static const ir_type *
result_of(const struct ir_function *fn)
{
	const ir_type *k;

	if (!fn->body || !fn->nparams || !fn->ntype_params || !fn->ret_type ||
	    fn->ret_type != fn->type_params[fn->ntype_params - 1])
		return NULL;
	k = fn->params[fn->nparams - 1]->annotation;
	if (!k || k->kind != TYPE_FUNC || ir_as_func_type(k)->nparams != 1 ||
	    ir_as_func_type(k)->ret != fn->ret_type)
		return NULL;
	return ir_as_func_type(k)->params[0];
}

struct reface {
	struct retype types;
	struct face face;
};

static const ir_expr *
reface_var(const ir_expr *e, const ir_expr *old, void *env)
{
	struct reface *r = env;
	const struct ir_var *v = ir_as_var(e);

	(void)old;
	return &retype_var(&r->types, v)->base;
}

static const ir_type *
reface_type(struct reface *r, const ir_type *t)
{
	if (!t || !(t->flags & TYPE_HAS_VAR))
		return t;
	return ir_type_substitute(r->types.m->cx, t, map_answer, &r->face);
}

static const struct ir_var *
new_var(struct reface *r, const struct ir_var *v)
{
	const struct ir_var *to = ir_map_get(&r->types.vars, &v->base);
	struct ir_var *copy;

	if (to)
		return to;
	copy = (struct ir_var *)(uintptr_t)ir_new_var(
		r->types.m, v->base.loc, v->name,
		reface_type(r, v->annotation));
	copy->base.flags = v->base.flags;
	ir_map_put(&r->types.vars, &v->base, copy);
	return copy;
}

static void
note_binder(const struct ir_var *v, void *env)
{
	(void)new_var(env, v);
}

/* Make the new variables with types of their own, before retype does. */
static bool
note_binders(const ir_expr *e, void *env)
{
	ir_binders(e, note_binder, env);
	return true;
}

static const ir_expr *
reface_let(const ir_expr *e, const ir_expr *old, void *env)
{
	(void)old;
	return retype_let(&((struct reface *)env)->types, e);
}

static const ir_expr *
reface_match(const ir_expr *e, const ir_expr *old, void *env)
{
	(void)old;
	return retype_match(&((struct reface *)env)->types, e);
}

static const ir_expr *
reface_function(const ir_expr *e, const ir_expr *old, void *env)
{
	struct reface *r = env;
	struct ir_function_parts parts =
		retype_parts(&r->types, ir_as_function(e));

	(void)old;
	parts.ret_type = reface_type(r, ir_as_function(e)->ret_type);
	return ir_new_function(r->types.m, e->loc, &parts);
}

static const struct ir_rules rules = {
	.on =
		{
			[IR_VAR] = reface_var,
			[IR_LET] = reface_let,
			[IR_MATCH] = reface_match,
			[IR_FUNCTION] = reface_function,
		},
	.drop_types = true,
};

/* FN with its answer replaced by RESULT, as a literal. */
static const ir_expr *
literal(pass_ctx *cx, const struct ir_function *fn, const ir_type *result)
{
	struct ir_function_parts parts = ir_function_parts(fn);
	struct reface r = {
		.types = {.m = cx->module, .arena = cx->scratch},
		.face = {fn->ret_type, result},
	};
	const ir_expr *e;

	parts.ntype_params = 0;
	parts.attrs = NULL;
	e = ir_new_function(cx->module, fn->base.loc, &parts);
	ir_walk(e, note_binders, NULL, &r);
	e = ir_rewrite(cx->module, e, &rules, &r);
	retype_free(&r.types);
	return e;
}

static const struct ir_function *
wrap(pass_ctx *cx, const struct ir_function *fn, const ir_type *result)
{
	ir_module *m = cx->module;
	struct loc loc = fn->base.loc;
	struct ir_function_parts parts = ir_function_parts(fn);
	uint32_t n = fn->nparams - 1;
	const struct ir_var **params =
		ARENA_NEW_ARRAY(cx->scratch, n, const struct ir_var *);
	const ir_expr **args =
		ARENA_NEW_ARRAY(cx->scratch, n + 1, const ir_expr *);
	const ir_expr *r = ir_new_var(m, loc, ir_name(m->cx, "r"), result);
	const struct ir_var *rv = ir_as_var(r);
	struct ir_function_parts identity = {
		.params = &rv, .nparams = 1, .ret_type = result, .body = r};

	for (uint32_t i = 0; i < n; i++) {
		args[i] = ir_new_var(m, loc, fn->params[i]->name,
				     fn->params[i]->annotation);
		params[i] = ir_as_var(args[i]);
	}
	args[n] = ir_new_function(m, loc, &identity);
	parts.params = params;
	parts.nparams = n;
	parts.ntype_params--;
	parts.ret_type = result;
	parts.body =
		ir_new_call(m, loc, literal(cx, fn, result), args, n + 1, NULL);
	return ir_as_function(ir_new_function(m, loc, &parts));
}

bool
pass_un_cps(pass_ctx *cx)
{
	ir_module *m = cx->module;
	struct call_graph g;
	bool changed = false;

	call_graph_build(&g, m, cx->scratch);
	for (uint32_t i = 0; i < g.n; i++) {
		ir_def *def = g.nodes[i].def;
		const ir_type *result;

		if (def->kind != DEF_FUNCTION || g.nodes[i].ncallers)
			continue;
		result = result_of(def->fn);
		/* Parameters with the answer in their type have no face. */
		for (uint32_t k = 0; result && k + 1 < def->fn->nparams; k++) {
			const ir_type *t = def->fn->params[k]->annotation;

			if (t->flags & TYPE_HAS_FUNC)
				result = NULL;
		}
		if (!result || result->flags & TYPE_HAS_FUNC)
			continue;
		def->fn = wrap(cx, def->fn, result);
		changed = true;
	}
	call_graph_free(&g);
	if (!changed)
		return false;
	m->types_valid = false;
	cx->keeps_types = ir_infer_module(m, cx->diag);
	cx->failed |= !cx->keeps_types;
	return !cx->failed;
}
