/*
 * The data types that stand for functions, and the functions that apply them.
 */
#include "passes/defunc/defunc.h"

#include <ctype.h>
#include <string.h>

#include "ir/print.h"

enum { MAX_NAME = 60 };

const char *
defunc_mangle(struct defunc *d, const char *prefix, const ir_type *t)
{
	const char *text = ir_type_text(d->m->cx, t);
	struct buf out = {0};
	const char *name;

	buf_puts(&out, prefix);
	for (const char *s = text; *s && out.len < MAX_NAME; s++) {
		if (isalnum((unsigned char)*s))
			buf_putc(&out, *s);
		else if (out.at[out.len - 1] != '_')
			buf_putc(&out, '_');
	}
	while (out.len > 1 && out.at[out.len - 1] == '_')
		out.at[--out.len] = '\0';
	name = ir_name(d->m->cx, out.at);
	buf_free(&out);
	return name;
}

const struct ir_global *
defunc_new_global(struct defunc *d, const char *hint)
{
	const char *name = hint;

	for (unsigned i = 1; ir_module_find_global(d->m, name); i++)
		name = ir_namef(d->m->cx, "%s_%u", hint, i);
	return ir_module_global(d->m, name);
}

static const char *
fresh_type_name(struct defunc *d, const char *hint)
{
	const char *name = hint;

	for (unsigned i = 1;
	     ir_module_find_type(d->m, name) || ir_module_find_ctor(d->m, name);
	     i++)
		name = ir_namef(d->m->cx, "%s_%u", hint, i);
	return name;
}

static struct encoding *
new_encoding(struct defunc *d, const struct ir_func_type *f)
{
	struct encoding *e = ARENA_NEW(d->cx->scratch, struct encoding);
	ir_module *m = d->m;
	const char *name =
		fresh_type_name(d, defunc_mangle(d, "Defunc_", &f->base));

	e->type = f;
	e->data = ir_type_adt(m->cx, name, NULL, 0);
	e->adt = ir_module_add_type(m, name, NULL, 0, LOC_NONE);
	e->apply = defunc_new_global(d, defunc_mangle(d, "apply_", &f->base));
	e->self = ir_new_var(m, LOC_NONE, ir_name(m->cx, "f"), e->data);
	e->params =
		ARENA_NEW_ARRAY(d->cx->scratch, f->nparams, const ir_expr *);
	for (uint32_t i = 0; i < f->nparams; i++)
		e->params[i] = ir_new_var(m, LOC_NONE, ir_name(m->cx, "y"),
					  f->params[i]);
	vec_push(&d->encodings, e);
	ptrmap_put(&d->encoding_of, &f->base, e);
	ptrmap_put(&d->encoding_of, e->data, e);
	return e;
}

/* The data type for functions of these new types. */
static struct encoding *
find_encoding(struct defunc *d, const ir_type *const *params, uint32_t n,
	      const ir_type *ret)
{
	const ir_type *key = ir_type_func(d->m->cx, params, n, ret, NULL, 0);
	const struct encoding *e = ptrmap_get(&d->encoding_of, key);

	return e ? (struct encoding *)(uintptr_t)e
		 : new_encoding(d, ir_as_func_type(key));
}

static const ir_type *
encode_func(const struct ir_func_type *f, const ir_type *const *params,
	    const ir_type *ret, void *env)
{
	struct defunc *d = env;

	if (f->nvars && !d->cx->failed)
		pass_error(d->cx, d->instances.at[d->at].def->loc,
			   "a function with type parameters is a value: %s",
			   ir_type_text(d->m->cx, &f->base));
	return find_encoding(d, params, f->nparams, ret)->data;
}

static const ir_type *
type_argument(const struct defunc *d, const ir_type *t)
{
	const struct instance *x = &d->instances.at[d->at];

	for (uint32_t i = 0; x->args && i < x->def->fn->ntype_params; i++)
		if (x->def->fn->type_params[i] == t)
			return x->args[i];
	return NULL;
}

static const ir_type *
encode_type_var(const ir_type *t, void *env)
{
	struct defunc *d = env;
	const ir_type *arg = type_argument(d, t);

	return arg ? retype_type(&d->types, arg) : t;
}

static const ir_type *
replace_type_var(const ir_type *t, void *env)
{
	const ir_type *arg = type_argument(env, t);

	return arg ? arg : t;
}

const ir_type *
defunc_old_type(struct defunc *d, const ir_type *t)
{
	return ir_type_substitute(d->m->cx, t, replace_type_var, d);
}

const ir_type *
defunc_type(struct defunc *d, const ir_type *t)
{
	d->types.env = d;
	d->types.func = encode_func;
	d->types.var = encode_type_var;
	return retype_type(&d->types, t);
}

struct encoding *
defunc_encoding(struct defunc *d, const ir_type *t)
{
	return (struct encoding *)(uintptr_t)ptrmap_get(&d->encoding_of,
							defunc_type(d, t));
}

/* ------------------------------------------------------------- clauses -- */

/* A constructor of E for what is called HINT, with fields for VARS. */
static const struct ir_ctor *
add_ctor(struct defunc *d, struct encoding *e, const char *hint,
	 const ir_expr_vec *vars, struct loc loc)
{
	const ir_type **fields = ARENA_NEW_ARRAY(
		d->cx->scratch, vars ? vars->len : 0, const ir_type *);
	const char *name =
		fresh_type_name(d, ir_namef(d->m->cx, "Fn_%s", hint));
	uint32_t n = vars ? (uint32_t)vars->len : 0;

	for (uint32_t i = 0; i < n; i++)
		fields[i] = ir_as_var(vars->at[i])->annotation;
	return ir_module_add_ctor(d->m, e->adt, name, fields, n, loc);
}

static void
add_clause(struct defunc *d, struct encoding *e, const struct ir_ctor *ctor,
	   const ir_expr *const *vars, const ir_expr *body)
{
	struct arena *a = &d->m->arena;
	const ir_pattern **sub =
		ARENA_NEW_ARRAY(a, ctor->nfields, const ir_pattern *);
	ir_pattern *p = ARENA_NEW(a, ir_pattern);
	struct ir_clause clause = {p, body};

	for (uint32_t i = 0; i < ctor->nfields; i++) {
		ir_pattern *v = ARENA_NEW(a, ir_pattern);

		v->kind = PATTERN_VAR;
		v->var = ir_as_var(vars[i]);
		v->loc = vars[i]->loc;
		sub[i] = v;
	}
	p->kind = PATTERN_CTOR;
	p->ctor = ctor;
	p->n = ctor->nfields;
	p->sub = sub;
	p->loc = body->loc;
	vec_push(&e->clauses, clause);
}

/* Variables that NOW captures, but SELF, its own name. */
static void
captured(const ir_expr *now, const ir_expr *self, ir_expr_vec *out)
{
	size_t n = 0;

	ir_free_vars(now, out);
	for (size_t i = 0; i < out->len; i++)
		if (out->at[i] != self)
			out->at[n++] = out->at[i];
	out->len = n;
}

const ir_expr *
defunc_literal(struct defunc *d, const ir_expr *now, const ir_expr *old)
{
	const struct ir_function *fn = ir_as_function(now);
	struct encoding *e = defunc_encoding(d, ir_type_of(old));
	const struct ir_var *let = ir_map_get(&d->self_of, old);
	const ir_expr *self = let ? &retype_var(&d->types, let)->base : NULL;
	ir_expr_vec vars = {0};
	struct ir_map with = {0};
	const struct ir_ctor *ctor;
	const ir_expr **inner;
	const ir_expr *body, *again, *data;

	if (!e)
		return now;
	captured(now, self, &vars);
	ctor = add_ctor(d, e, d->instances.at[d->at].global->name, &vars,
			now->loc);
	inner = ARENA_NEW_ARRAY(d->cx->scratch, vars.len, const ir_expr *);
	for (size_t i = 0; i < vars.len; i++) {
		inner[i] = ir_new_var(d->m, vars.at[i]->loc,
				      ir_as_var(vars.at[i])->name,
				      ctor->fields[i]);
		ir_map_put(&with, vars.at[i], inner[i]);
	}
	for (uint32_t i = 0; i < fn->nparams; i++)
		ir_map_put(&with, &fn->params[i]->base, e->params[i]);
	again = self ? ir_new_var(d->m, self->loc, let->name, e->data) : NULL;
	if (self)
		ir_map_put(&with, self, again);
	body = ir_substitute(d->m, fn->body, &with);
	if (self)
		body = ir_new_let(d->m, now->loc, ir_as_var(again),
				  ir_new_call(d->m, now->loc, &ctor->base,
					      inner, ctor->nfields, NULL),
				  body);
	add_clause(d, e, ctor, inner, body);
	data = ir_new_call(d->m, now->loc, &ctor->base, vars.at,
			   (uint32_t)vars.len, NULL);
	vec_free(&vars);
	ir_map_free(&with);
	return data;
}

const ir_expr *
defunc_value(struct defunc *d, const ir_expr *value, const ir_type *t)
{
	struct encoding *e = defunc_encoding(d, t);
	const struct ir_ctor *ctor;
	const ir_expr *callee = value;
	struct loc loc = value->loc;
	const char *name;

	if (!e || e->type->nparams != ir_as_func_type(t)->nparams)
		return value;
	if (value->kind == IR_GLOBAL) {
		const struct ir_func_type *f = ir_as_func_type(t);
		const struct ir_global *g =
			defunc_instance(d, ir_as_global(value)->def, value->loc,
					f->params, f->nparams, f->ret);

		callee = &g->base;
		name = g->name;
		if (!loc_is_known(loc)) /* mentions share one node */
			loc = ir_as_global(value)->def->loc;
	} else if (value->kind == IR_CTOR) {
		callee = &retype_ctor(&d->types, ir_as_ctor(value))->base;
		name = ir_as_ctor(value)->name;
	} else {
		name = "kernel";
	}
	ctor = ir_map_get(&e->of_value, callee);
	if (!ctor) {
		ctor = add_ctor(d, e, name, NULL, loc);
		ir_map_put(&e->of_value, callee, ctor);
		add_clause(d, e, ctor, NULL,
			   ir_new_call(d->m, loc, callee, e->params,
				       e->type->nparams, NULL));
	}
	return ir_new_call(d->m, loc, &ctor->base, NULL, 0, NULL);
}

/* ----------------------------------------------------- apply functions -- */

static void
add_apply(struct defunc *d, struct encoding *e)
{
	uint32_t n = e->type->nparams + 1;
	const struct ir_var **params =
		ARENA_NEW_ARRAY(d->cx->scratch, n, const struct ir_var *);
	struct ir_function_parts parts = {
		.params = params,
		.nparams = n,
		.ret_type = e->type->ret,
	};

	params[0] = ir_as_var(e->self);
	for (uint32_t i = 1; i < n; i++)
		params[i] = ir_as_var(e->params[i - 1]);
	parts.body = ir_new_match(d->m, LOC_NONE, e->self, e->clauses.at,
				  (uint32_t)e->clauses.len, true);
	ir_module_add_function(d->m, e->apply->name,
			       ir_new_function(d->m, LOC_NONE, &parts),
			       LOC_NONE);
}

bool
defunc_finish_encodings(struct defunc *d)
{
	for (size_t i = 0; i < d->encodings.len && !d->cx->failed; i++) {
		struct encoding *e = d->encodings.at[i];

		if (e->clauses.len == 0)
			pass_error(d->cx, LOC_NONE,
				   "no function of the module becomes a value "
				   "of type %s",
				   ir_type_text(d->m->cx, &e->type->base));
		else
			add_apply(d, e);
	}
	return !d->cx->failed;
}

void
defunc_free_encodings(struct defunc *d)
{
	for (size_t i = 0; i < d->encodings.len; i++) {
		vec_free(&d->encodings.at[i]->clauses);
		ir_map_free(&d->encodings.at[i]->of_value);
	}
	vec_free(&d->encodings);
	ptrmap_free(&d->encoding_of);
}
