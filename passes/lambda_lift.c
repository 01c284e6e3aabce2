/*
 * lambda-lift: make function literals definitions of their own.
 *
 *     let %f = fn (%a) { %a + %x };
 *     %f(%y)                        becomes
 *     let %f = @lifted_name0(%x);
 *     %f(%y)
 *     def @lifted_name0(%x, Closure=1) { fn (%a) { %a + %x } }
 *
 * A literal that captures nothing becomes the definition itself. One that
 * captures variables becomes a function of them that makes the closure. A
 * function bound by let that mentions itself does so through its definition.
 * Equal literals that capture nothing share one definition. Primitive
 * functions, functions of a Compiler and closures made by this pass stay.
 *
 * Level: module. Needs: types. Keeps: types, but of calls that are new.
 */
#include "passes/pass.h"

#include "ir/equal.h"
#include "support/ptrmap.h"

struct lifted {
	const struct ir_global *global;
	const ir_expr *fn;
	struct lifted *next; /* of the same hash */
};

struct lifter {
	pass_ctx *cx;
	ir_module *m;
	struct ir_map self;  /* literal -> variable bound to it */
	struct ir_map names; /* literal -> its name */
	unsigned next;
	struct ptrmap closed; /* hash -> lifted */
	VEC(struct lifted) added;
	bool changed;
};

static bool
is_kept(const ir_expr *e)
{
	return e->kind == IR_FUNCTION &&
	       (ir_is_primitive(e) || !ir_as_function(e)->body ||
		ir_dict_get(ir_as_function(e)->attrs, "Compiler"));
}

static const char *
new_name(struct lifter *l)
{
	const char *name;

	do
		name = ir_namef(l->m->cx, "lifted_name%u", l->next++);
	while (ir_module_find(l->m, name));
	return name;
}

/* Names go to literals in the order in which they are met. */
static bool
name_literals(const ir_expr *e, void *env)
{
	struct lifter *l = env;

	if (is_kept(e))
		return false;
	if (e->kind == IR_LET && ir_as_let(e)->value->kind == IR_FUNCTION)
		ir_map_put(&l->self, ir_as_let(e)->value, ir_as_let(e)->var);
	else if (e->kind == IR_FUNCTION)
		ir_map_put(&l->names, e, new_name(l));
	return true;
}

static bool
enter(const ir_expr *e, void *env)
{
	(void)env;
	return !is_kept(e);
}

/* Type variables that occur free, each once, in order. */
struct type_vars {
	VEC(const ir_type *) bound;
	VEC(const ir_type *) found;
};

static void
note_type_var(struct type_vars *v, const ir_type *t)
{
	for (size_t i = 0; i < v->bound.len; i++)
		if (v->bound.at[i] == t)
			return;
	for (size_t i = 0; i < v->found.len; i++)
		if (v->found.at[i] == t)
			return;
	vec_push(&v->found, t);
}

static void note_type(struct type_vars *v, const ir_type *t);

static void
note_func_type(struct type_vars *v, const struct ir_func_type *f)
{
	size_t outer = v->bound.len;

	for (uint32_t i = 0; i < f->nvars; i++)
		vec_push(&v->bound, f->vars[i]);
	for (uint32_t i = 0; i < f->nparams; i++)
		note_type(v, f->params[i]);
	note_type(v, f->ret);
	v->bound.len = outer;
}

static void
note_type(struct type_vars *v, const ir_type *t)
{
	if (!t || !(t->flags & TYPE_HAS_VAR))
		return;
	switch ((enum ir_type_kind)t->kind) {
	case TYPE_VAR:
		note_type_var(v, t);
		break;
	case TYPE_TUPLE:
		for (uint32_t i = 0; i < ir_as_tuple_type(t)->nfields; i++)
			note_type(v, ir_as_tuple_type(t)->fields[i]);
		break;
	case TYPE_FUNC:
		note_func_type(v, ir_as_func_type(t));
		break;
	case TYPE_REF:
		note_type(v, ir_as_ref_type(t)->value);
		break;
	case TYPE_ADT:
		for (uint32_t i = 0; i < ir_as_adt_type(t)->nargs; i++)
			note_type(v, ir_as_adt_type(t)->args[i]);
		break;
	case TYPE_TENSOR:
	case TYPE_HOLE:
		break;
	}
}

static void
note_binder(const struct ir_var *var, void *env)
{
	note_type(env, var->annotation);
}

static bool
note_types(const ir_expr *e, void *env)
{
	struct type_vars *v = env;

	if (e->kind == IR_FUNCTION) {
		const struct ir_function *f = ir_as_function(e);

		for (uint32_t i = 0; i < f->ntype_params; i++)
			vec_push(&v->bound, f->type_params[i]);
		note_type(v, f->ret_type);
	}
	ir_binders(e, note_binder, v);
	return true;
}

/* Replacing the variables that a literal captures. */
struct rebind {
	ir_module *m;
	struct ir_map map;
	const ir_expr *self; /* its own name, or NULL */
};

static const ir_expr *
rebind_var(const ir_expr *e, const ir_expr *old, void *env)
{
	struct rebind *r = env;

	(void)old;
	return ir_map_get(&r->map, e);
}

/* A call of itself is a new call, without a type. */
static const ir_expr *
rebind_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct rebind *r = env;
	const struct ir_call *c = ir_as_call(e);

	if (!r->self || ir_as_call(old)->callee != r->self)
		return e;
	return ir_new_call(r->m, e->loc, c->callee, c->args, c->nargs,
			   c->attrs);
}

static const struct ir_rules rebinding = {
	.on = {[IR_VAR] = rebind_var, [IR_CALL] = rebind_call}};

static const ir_type *
type_of_var(const ir_expr *e)
{
	return ir_as_var(e)->annotation ? ir_as_var(e)->annotation : e->type;
}

/* FN as a function of the variables it CAPTURES that makes the closure. */
static const ir_expr *
wrap(struct lifter *l, const ir_expr *fn, const ir_expr *self,
     const struct ir_global *global, const ir_expr_vec *captured,
     const struct type_vars *types)
{
	ir_module *m = l->m;
	uint32_t n = (uint32_t)captured->len;
	struct rebind r = {.m = m, .self = self};
	const ir_expr **args =
		ARENA_NEW_ARRAY(l->cx->scratch, n, const ir_expr *);
	const struct ir_var **params =
		ARENA_NEW_ARRAY(l->cx->scratch, n, const struct ir_var *);
	struct ir_function_parts parts = {
		.params = params,
		.nparams = n,
		.type_params = types->found.at,
		.ntype_params = (uint32_t)types->found.len,
		.ret_type = fn->type,
		.attrs = ir_dict_with(m->cx, NULL, "Closure", ATTR_INT32(1)),
	};

	for (uint32_t i = 0; i < n; i++) {
		const ir_expr *v = captured->at[i];

		args[i] = ir_new_var(m, v->loc, ir_as_var(v)->name,
				     type_of_var(v));
		params[i] = ir_as_var(args[i]);
		ir_map_put(&r.map, v, args[i]);
	}
	if (self)
		ir_map_put(
			&r.map, self,
			ir_new_call(m, fn->loc, &global->base, args, n, NULL));
	parts.body = ir_rewrite(m, fn, &rebinding, &r);
	ir_map_free(&r.map);
	return ir_new_function(m, fn->loc, &parts);
}

/* FN, which captures nothing, as a definition. */
static const ir_expr *
close(struct lifter *l, const ir_expr *fn, const ir_expr *self,
      const struct ir_global *global, const struct type_vars *types)
{
	struct ir_function_parts parts = ir_function_parts(ir_as_function(fn));
	struct rebind r = {.m = l->m, .self = self};
	size_t n = types->found.len;
	const ir_type **vars = ARENA_NEW_ARRAY(
		l->cx->scratch, n + parts.ntype_params, const ir_type *);

	if (self) {
		ir_map_put(&r.map, self, &global->base);
		parts.body = ir_rewrite(l->m, parts.body, &rebinding, &r);
		ir_map_free(&r.map);
	}
	for (size_t i = 0; i < n; i++)
		vars[i] = types->found.at[i];
	for (uint32_t i = 0; i < parts.ntype_params; i++)
		vars[n + i] = parts.type_params[i];
	parts.type_params = vars;
	parts.ntype_params += (uint32_t)n;
	fn = ir_new_function(l->m, fn->loc, &parts);
	return fn;
}

static const ir_expr *
add(struct lifter *l, const struct ir_global *global, const ir_expr *fn)
{
	vec_push(&l->added, ((struct lifted){global, fn, NULL}));
	pass_count(l->cx, "functions lifted", 1);
	return &global->base;
}

/* The definition of FN, perhaps one that was made for an equal literal. */
static const ir_expr *
add_closed(struct lifter *l, const struct ir_global *global, const ir_expr *fn)
{
	static const struct ir_equal_options exact = {0};
	const void *key = (const void *)(uintptr_t)(ir_hash(fn) | 1);
	bool is_new;
	uintptr_t *slot = ptrmap_add(&l->closed, key, &is_new);
	struct lifted *found;

	for (found = is_new ? NULL : (struct lifted *)*slot; found;
	     found = found->next)
		if (ir_equal(l->m->cx, found->fn, fn, &exact, NULL))
			return &found->global->base;
	found = ARENA_NEW(l->cx->scratch, struct lifted);
	found->global = global;
	found->fn = fn;
	found->next = is_new ? NULL : (struct lifted *)*slot;
	*slot = (uintptr_t)found;
	return add(l, global, fn);
}

/* A literal whose inner literals are lifted already. */
static const ir_expr *
lift(const ir_expr *e, const ir_expr *old, void *env)
{
	struct lifter *l = env;
	const char *name = ir_map_get(&l->names, old);
	const struct ir_var *var = ir_map_get(&l->self, old);
	const ir_expr *self = NULL;
	const struct ir_global *global;
	ir_expr_vec captured = {0};
	struct type_vars types = {0};
	const ir_expr *out;
	size_t n = 0;

	if (!name || !pass_may_rewrite(l->cx))
		return e;
	l->changed = true;
	global = ir_module_global(l->m, name);
	ir_free_vars(e, &captured);
	for (size_t i = 0; i < captured.len; i++) {
		if (var && captured.at[i] == &var->base)
			self = &var->base;
		else
			captured.at[n++] = captured.at[i];
	}
	captured.len = n;
	for (size_t i = 0; i < n; i++)
		note_type(&types, type_of_var(captured.at[i]));
	ir_walk(e, note_types, NULL, &types);
	if (n == 0) {
		out = close(l, e, self, global, &types);
		out = self ? add(l, global, out) : add_closed(l, global, out);
	} else {
		out = add(l, global,
			  wrap(l, e, self, global, &captured, &types));
		out = ir_new_call(l->m, e->loc, out, captured.at, (uint32_t)n,
				  NULL);
	}
	vec_free(&captured);
	vec_free(&types.bound);
	vec_free(&types.found);
	return out;
}

static const struct ir_rules lifting = {
	.on = {[IR_FUNCTION] = lift},
	.enter = enter,
};

static const struct ir_function *
lift_in_definition(struct lifter *l, const struct ir_function *fn)
{
	const ir_expr *body;

	if (is_kept(&fn->base) || ir_dict_int(fn->attrs, "Closure", 0))
		return fn;
	ir_walk(fn->body, name_literals, NULL, l);
	body = ir_rewrite(l->m, fn->body, &lifting, l);
	return ir_function_with_body(l->m, fn, body);
}

bool
pass_lambda_lift(pass_ctx *cx)
{
	ir_module *m = cx->module;
	struct lifter l = {.cx = cx, .m = m};
	size_t n = m->defs.len;

	for (size_t i = 0; i < n; i++)
		if (m->defs.at[i]->kind == DEF_FUNCTION)
			m->defs.at[i]->fn =
				lift_in_definition(&l, m->defs.at[i]->fn);
	/* What literals share with what is around them binds variables, too. */
	for (size_t i = 0; i < l.added.len; i++)
		ir_module_add_function(m, l.added.at[i].global->name,
				       ir_refresh_binders(m, l.added.at[i].fn),
				       l.added.at[i].fn->loc);
	ir_map_free(&l.self);
	ir_map_free(&l.names);
	ptrmap_free(&l.closed);
	vec_free(&l.added);
	return l.changed;
}
