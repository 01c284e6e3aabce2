/*
 * partial-evaluate: calls, and the functions that are written down.
 *
 * A call of a known function becomes its body as long as there is fuel: some
 * argument must be older, or a smaller number, than in all calls of it that
 * are going on. A function is also written down itself, with its parameters
 * unknown, for those who call what is left.
 */
#include "passes/partial_machine.h"

#include "ir/tensor.h"
#include "passes/fold_constant.h"
#include "te/interp.h"

static const ir_expr *
residual_call(struct partial *p, const struct ir_call *e, const ir_expr *callee,
	      struct partial_value *const *args)
{
	const ir_expr **atoms =
		ARENA_NEW_ARRAY(p->a, e->nargs, const ir_expr *);

	for (uint32_t i = 0; i < e->nargs; i++)
		atoms[i] = args[i]->atom;
	return ir_new_call(p->m, e->base.loc, callee, atoms, e->nargs,
			   e->attrs);
}

static void
push_unknown(struct partial *p, const ir_expr *value)
{
	const ir_expr *atom = partial_emit(p, value, NULL);

	vec_push(&p->values, partial_new(p, PARTIAL_UNKNOWN, atom));
}

/* V as constants and tuples of such; NULL if part of it is unknown. */
static const ir_expr *
reflect(struct partial *p, const struct partial_value *v)
{
	const ir_expr **fields;

	if (v->kind == PARTIAL_TENSOR)
		return ir_new_constant(p->m, v->atom->loc, v->tensor);
	if (v->kind != PARTIAL_TUPLE)
		return NULL;
	fields = ARENA_NEW_ARRAY(p->a, v->n, const ir_expr *);
	for (uint32_t i = 0; i < v->n; i++) {
		fields[i] = reflect(p, v->fields[i]);
		if (!fields[i])
			return NULL;
	}
	return ir_new_tuple(p->m, v->atom->loc, fields, v->n);
}

/* The opposite: write V down. NULL if it holds anything else. */
static struct partial_value *
reify(struct partial *p, struct loc loc, const struct interp_value *v)
{
	struct partial_value *out;
	struct partial_value **fields;
	const ir_expr **atoms;

	if (v->kind == INTERP_TENSOR) {
		const ir_expr *c = ir_new_constant(p->m, loc, v->tensor);

		out = partial_new(p, PARTIAL_TENSOR, partial_emit(p, c, NULL));
		out->tensor = ir_as_constant(c)->data;
		return out;
	}
	if (v->kind != INTERP_TUPLE)
		return NULL;
	fields = ARENA_NEW_ARRAY(p->a, v->n, struct partial_value *);
	atoms = ARENA_NEW_ARRAY(p->a, v->n, const ir_expr *);
	for (uint32_t i = 0; i < v->n; i++) {
		fields[i] = reify(p, loc, v->at[i]);
		if (!fields[i])
			return NULL;
		atoms[i] = fields[i]->atom;
	}
	out = partial_new(
		p, PARTIAL_TUPLE,
		partial_emit(p, ir_new_tuple(p->m, loc, atoms, v->n), NULL));
	out->n = v->n;
	out->fields = fields;
	return out;
}

/* Compute a call of an operator; NULL if that cannot be. */
static struct partial_value *
compute(struct partial *p, const struct ir_call *e, const ir_expr *op,
	struct partial_value *const *args)
{
	const ir_expr **known;
	struct partial_value *out = NULL;
	struct interp_value *v;
	const ir_expr *call;

	if (!ir_op_is_pure(ir_as_op_ref(op)->op) ||
	    ir_as_op_ref(op)->op->traits & OP_TRAIT_NO_VALUE)
		return NULL;
	known = ARENA_NEW_ARRAY(p->a, e->nargs, const ir_expr *);
	for (uint32_t i = 0; i < e->nargs; i++) {
		known[i] = reflect(p, args[i]);
		if (!known[i])
			return NULL;
	}
	call = ir_new_call(p->m, e->base.loc, op, known, e->nargs, e->attrs);
	if (!ir_infer_expr(p->m, call, &p->quiet) || fold_grows_too_much(call))
		return NULL;
	if (!p->interp)
		p->interp = interp_new(p->m, &p->quiet);
	v = interp_eval(p->interp, call);
	if (v)
		out = reify(p, e->base.loc, v);
	interp_unref(v);
	if (out)
		pass_count(p->cx, "calls computed", 1);
	return out;
}

static void
call_builtin(struct partial *p, const struct ir_call *e,
	     const struct partial_env *env, const struct partial_value *f,
	     struct partial_value *const *args)
{
	struct partial_value *out;
	const ir_expr *atom;

	if (f->builtin->kind == IR_OP) {
		out = compute(p, e, f->builtin, args);
		if (out)
			vec_push(&p->values, out);
		else
			push_unknown(p, residual_call(p, e, f->atom, args));
		return;
	}
	atom = partial_emit(p, residual_call(p, e, f->atom, args), NULL);
	ir_map_put(&p->data_types, atom, partial_type(p->m, env, e->base.type));
	out = partial_new(p, PARTIAL_DATA, atom);
	out->ctor = ir_as_ctor(f->builtin);
	out->n = e->nargs;
	out->fields = arena_copy(p->a, args,
				 e->nargs * sizeof(struct partial_value *));
	vec_push(&p->values, out);
}

/* The activation of F with ARGS; types come from the call E if there is one. */
static struct partial_env *
enter_function(struct partial *p, struct partial_value *f,
	       struct partial_value *const *args, const struct ir_call *e,
	       const struct partial_env *caller)
{
	const struct ir_function *fn = f->closure.fn;
	struct partial_env *env = partial_new_env(p, f->closure.env);

	if (f->closure.self)
		partial_env_put(env, f->closure.self, f);
	for (uint32_t i = 0; i < fn->nparams; i++)
		partial_env_put(env, fn->params[i], args[i]);
	if (!e || !fn->ntype_params)
		return env;
	for (uint32_t i = 0; i < fn->nparams; i++)
		partial_types_match(
			p->m->cx, p->a, fn->params[i]->annotation,
			partial_type(p->m, caller, e->args[i]->type),
			&env->types);
	partial_types_match(p->m->cx, p->a, fn->ret_type,
			    partial_type(p->m, caller, e->base.type),
			    &env->types);
	return env;
}

static void
unfold(struct partial *p, const struct ir_call *e, struct partial_env *env,
       struct partial_value *f, struct partial_value *const *args,
       const struct partial_fuel *left)
{
	const struct ir_function *fn = f->closure.fn;
	struct partial_env *inner = enter_function(p, f, args, e, env);

	vec_push(&p->tasks, ((struct partial_task){
				    .step = STEP_UNFOLDED,
				    .called = fn,
				    .fuel = ir_map_get(&p->fuel, &fn->base),
			    }));
	ir_map_put(&p->fuel, &fn->base, left);
	pass_count(p->cx, "calls unfolded", 1);
	p->steps++;
	partial_eval(p, fn->body, inner, NULL);
}

static void
call_closure(struct partial *p, const struct ir_call *e,
	     struct partial_env *env, struct partial_value *f,
	     struct partial_value *const *args)
{
	const struct ir_function *fn = f->closure.fn;
	const struct partial_fuel *left = NULL;

	if (p->steps < p->budget && !ir_is_primitive(&fn->base))
		left = partial_fuel_burn(p->a, ir_map_get(&p->fuel, &fn->base),
					 args, e->nargs);
	if (left && pass_may_rewrite(p->cx)) {
		unfold(p, e, env, f, args, left);
		return;
	}
	if (ir_set_has(&p->purity.impure_call, &fn->base))
		partial_store_forget(&p->store);
	push_unknown(p, residual_call(p, e, f->atom, args));
}

void
partial_call(struct partial *p, const struct ir_call *e,
	     struct partial_env *env, struct partial_value *f,
	     struct partial_value *const *args)
{
	switch (f->kind) {
	case PARTIAL_BUILTIN:
		call_builtin(p, e, env, f, args);
		return;
	case PARTIAL_CLOSURE:
		call_closure(p, e, env, f, args);
		return;
	default:
		partial_store_forget(&p->store);
		push_unknown(p, residual_call(p, e, f->atom, args));
	}
}

/* Write the body of VALUE, a closure, with unknown parameters. */
static void
begin_residual(struct partial *p, struct partial_value *value,
	       const struct partial_env *env, const struct ir_var *var,
	       ir_def *def)
{
	const struct ir_function *fn = value->closure.fn;
	struct partial_residual *r = ARENA_NEW(p->a, struct partial_residual);
	struct partial_value **args =
		ARENA_NEW_ARRAY(p->a, fn->nparams, struct partial_value *);
	const struct partial_fuel *had = ir_map_get(&p->fuel, &fn->base);
	const struct partial_fuel *left;

	*r = (struct partial_residual){
		.fn = fn, .value = value, .var = var, .def = def};
	r->params = ARENA_NEW_ARRAY(p->a, fn->nparams, const struct ir_var *);
	for (uint32_t i = 0; i < fn->nparams; i++) {
		r->params[i] = partial_copy_var(p, env, fn->params[i]);
		args[i] = partial_new(p, PARTIAL_UNKNOWN, &r->params[i]->base);
	}
	partial_store_push(&p->store);
	partial_store_forget(&p->store);
	vec_push(&p->tasks, ((struct partial_task){
				    .step = STEP_RESIDUAL,
				    .residual = r,
				    .lets = p->lets.len,
				    .env = value->closure.env,
				    .fuel = had,
			    }));
	left = partial_fuel_burn(p->a, had, args, fn->nparams);
	if (left)
		ir_map_put(&p->fuel, &fn->base, left);
	partial_eval(p, fn->body, enter_function(p, value, args, NULL, NULL),
		     NULL);
}

/* FN, which stays as it is, with what its free variables are now. */
static const ir_expr *
rename_free(struct partial *p, const struct ir_function *fn,
	    const struct partial_env *env)
{
	ir_expr_vec free_vars = {0};
	struct ir_map map = {0};
	const ir_expr *out = &fn->base;
	bool changed = false;

	ir_free_vars(out, &free_vars);
	for (size_t i = 0; i < free_vars.len; i++) {
		const ir_expr *v = free_vars.at[i];
		const struct partial_value *now = partial_env_get(env, v);

		if (!now || now->atom == v)
			continue;
		ir_map_put(&map, v, now->atom);
		changed = true;
	}
	if (changed) {
		out = ir_refresh_binders(p->m, ir_substitute(p->m, out, &map));
		ir_set_type(out, fn->base.type);
	}
	ir_map_free(&map);
	vec_free(&free_vars);
	return out;
}

void
partial_literal(struct partial *p, const struct ir_function *fn,
		struct partial_env *env, const struct ir_var *name)
{
	const struct ir_var *var =
		name ? partial_copy_var(p, env, name)
		     : ir_as_var(ir_new_var(p->m, fn->base.loc,
					    fresh_name(&p->names), NULL));
	struct partial_value *value;

	if (!fn->body || ir_is_primitive(&fn->base)) {
		partial_emit(p, rename_free(p, fn, env), var);
		value = partial_new(p, PARTIAL_CLOSURE, &var->base);
		value->closure.fn = fn;
		vec_push(&p->values, value);
		return;
	}
	value = partial_new(p, PARTIAL_CLOSURE, &var->base);
	value->closure.fn = fn;
	value->closure.env = env;
	value->closure.self = name;
	begin_residual(p, value, env, var, NULL);
}

static bool
is_open(const struct ir_def *def)
{
	return def && def->kind == DEF_FUNCTION && def->fn->body &&
	       !ir_is_primitive(&def->fn->base) &&
	       !ir_dict_get(def->fn->attrs, "Compiler");
}

void
partial_global(struct partial *p, const ir_expr *global)
{
	struct partial_value *v = ir_map_get(&p->globals, global);
	ir_def *def = ir_as_global(global)->def;

	if (v) {
		vec_push(&p->values, v);
		return;
	}
	v = partial_new(p, is_open(def) ? PARTIAL_CLOSURE : PARTIAL_UNKNOWN,
			global);
	ir_map_put(&p->globals, global, v);
	if (v->kind == PARTIAL_UNKNOWN) {
		vec_push(&p->values, v);
		return;
	}
	v->closure.fn = def->fn;
	begin_residual(p, v, NULL, NULL, def);
}

void
partial_end_residual(struct partial *p, const struct partial_task *t)
{
	struct partial_residual *r = t->residual;
	struct ir_function_parts parts = ir_function_parts(r->fn);
	const ir_expr *body = vec_pop(&p->values)->atom;
	const ir_expr *out;

	partial_store_pop(&p->store);
	ir_map_put(&p->fuel, &r->fn->base, t->fuel);
	parts.body = partial_close(p, t->lets, body);
	parts.params = r->params;
	parts.ret_type = partial_type(p->m, t->env, parts.ret_type);
	out = ir_new_function(p->m, r->fn->base.loc, &parts);
	ir_set_type(out, partial_type(p->m, t->env, r->fn->base.type));
	if (r->def) {
		size_t i = (uintptr_t)ir_map_get(&p->def_index,
						 &r->def->global->base);

		p->done[i - 1] = ir_as_function(out);
	} else {
		partial_emit(p, out, r->var);
	}
	vec_push(&p->values, r->value);
}
