#include "passes/retype.h"

/* What is left to look at of the fields of data types. */
struct parts {
	VEC(const ir_type *) types;
	VEC(const char *) names; /* of data types */
	bool found;
};

static const char *twin_name(struct retype *r, const char *name);

static const ir_type **
retype_all(struct retype *r, const ir_type *const *types, uint32_t n)
{
	const ir_type **out = ARENA_NEW_ARRAY(r->arena, n, const ir_type *);

	for (uint32_t i = 0; i < n; i++)
		out[i] = retype_type(r, types[i]);
	return out;
}

static const ir_type *
retype_func(struct retype *r, const struct ir_func_type *f)
{
	const ir_type **params = retype_all(r, f->params, f->nparams);
	const ir_type *ret = retype_type(r, f->ret);

	if (r->func)
		return r->func(f, params, ret, r->env);
	return ir_type_func(r->m->cx, params, f->nparams, ret, f->vars,
			    f->nvars);
}

/* T and what stands in it, but for what a data type's arguments are. */
static void
push_parts(const struct retype *r, struct parts *p, const ir_type *t)
{
	vec_push(&p->types, t);
	while (p->types.len) {
		t = vec_pop(&p->types);
		p->found |= (t->kind == TYPE_TENSOR && r->tensor) ||
			    (t->kind == TYPE_FUNC && r->func);
		if (t->kind == TYPE_REF)
			vec_push(&p->types, ir_as_ref_type(t)->value);
		for (uint32_t i = 0;
		     t->kind == TYPE_TUPLE && i < ir_as_tuple_type(t)->nfields;
		     i++)
			vec_push(&p->types, ir_as_tuple_type(t)->fields[i]);
		if (t->kind != TYPE_ADT)
			continue;
		vec_push(&p->names, ir_as_adt_type(t)->name);
		for (uint32_t i = 0; i < ir_as_adt_type(t)->nargs; i++)
			vec_push(&p->types, ir_as_adt_type(t)->args[i]);
	}
}

/* Values of DEF hold what R changes, whatever its arguments are. */
static bool
holds_by_definition(const struct retype *r, const ir_type_def *def)
{
	struct parts p = {.found = false};
	struct ptrmap seen = {0};

	vec_push(&p.names, def->name);
	for (size_t at = 0; at < p.names.len && !p.found; at++) {
		bool is_new;

		def = ir_module_find_type(r->m, p.names.at[at]);
		if (!def)
			continue;
		ptrmap_add(&seen, def, &is_new);
		for (uint32_t i = 0; is_new && i < def->nctors; i++)
			for (uint32_t k = 0; k < def->ctors[i]->nfields; k++)
				push_parts(r, &p, def->ctors[i]->fields[k]);
	}
	vec_free(&p.types);
	vec_free(&p.names);
	ptrmap_free(&seen);
	return p.found;
}

static const char *
fresh(struct retype *r, const char *name, bool is_type)
{
	ir_context *cx = r->m->cx;
	const char *hint = ir_namef(cx, "%s_%s", name, r->twin_suffix);

	name = hint;
	for (unsigned i = 1; is_type ? ir_module_find_type(r->m, name) != NULL
				     : ir_module_find_ctor(r->m, name) != NULL;
	     i++)
		name = ir_namef(cx, "%s_%u", hint, i);
	return name;
}

static const ir_type_def *
new_twin(struct retype *r, const ir_type_def *def)
{
	ir_type_def *twin =
		ir_module_add_type(r->m, fresh(r, def->name, true), def->params,
				   def->nparams, def->loc);

	ptrmap_put(&r->twins, def, twin);
	for (uint32_t i = 0; i < def->nctors; i++) {
		const struct ir_ctor *c = def->ctors[i];
		const ir_type **fields = retype_all(r, c->fields, c->nfields);

		ir_module_add_ctor(r->m, twin, fresh(r, c->name, false), fields,
				   c->nfields, c->base.loc);
	}
	return twin;
}

/* What stands for DEF: its twin if it needs one. */
static const ir_type_def *
twin_of(struct retype *r, const ir_type_def *def)
{
	const ir_type_def *twin;

	if (!r->twin_suffix)
		return def;
	twin = ptrmap_get(&r->twins, def);
	if (twin)
		return twin;
	if (holds_by_definition(r, def))
		return new_twin(r, def);
	ptrmap_put(&r->twins, def, def);
	return def;
}

static const char *
twin_name(struct retype *r, const char *name)
{
	const ir_type_def *def = ir_module_find_type(r->m, name);

	return def ? twin_of(r, def)->name : name;
}

const struct ir_ctor *
retype_ctor(struct retype *r, const struct ir_ctor *c)
{
	return twin_of(r, c->adt)->ctors[c->tag];
}

const ir_type *
retype_type(struct retype *r, const ir_type *t)
{
	ir_context *cx = r->m->cx;
	const struct ir_tuple_type *tuple;
	const struct ir_adt_type *adt;

	if (!t)
		return NULL;
	switch ((enum ir_type_kind)t->kind) {
	case TYPE_TENSOR:
		return r->tensor ? r->tensor(t, r->env) : t;
	case TYPE_TUPLE:
		tuple = ir_as_tuple_type(t);
		return ir_type_tuple(
			cx, retype_all(r, tuple->fields, tuple->nfields),
			tuple->nfields);
	case TYPE_FUNC:
		return retype_func(r, ir_as_func_type(t));
	case TYPE_REF:
		return ir_type_ref(cx,
				   retype_type(r, ir_as_ref_type(t)->value));
	case TYPE_ADT:
		adt = ir_as_adt_type(t);
		return ir_type_adt(cx, twin_name(r, adt->name),
				   retype_all(r, adt->args, adt->nargs),
				   adt->nargs);
	case TYPE_VAR:
		return r->var ? r->var(t, r->env) : t;
	case TYPE_HOLE:
		break;
	}
	return t;
}

const struct ir_var *
retype_var(struct retype *r, const struct ir_var *v)
{
	const struct ir_var *to = ir_map_get(&r->vars, &v->base);
	struct ir_var *copy;

	if (to)
		return to;
	copy = (struct ir_var *)(uintptr_t)ir_new_var(
		r->m, v->base.loc, v->name, retype_type(r, v->annotation));
	copy->base.flags = v->base.flags;
	copy->vdevice = v->vdevice;
	ir_map_put(&r->vars, &v->base, copy);
	return copy;
}

const ir_expr *
retype_let(struct retype *r, const ir_expr *e)
{
	const struct ir_let *l = ir_as_let(e);

	return ir_new_let(r->m, e->loc, retype_var(r, l->var), l->value,
			  l->body);
}

static const ir_pattern *
retype_pattern(struct retype *r, const ir_pattern *p)
{
	struct arena *a = &r->m->arena;
	ir_pattern *copy = arena_copy(a, p, sizeof(*p));
	const ir_pattern **sub = ARENA_NEW_ARRAY(a, p->n, const ir_pattern *);

	if (p->kind == PATTERN_VAR)
		copy->var = retype_var(r, p->var);
	if (p->kind == PATTERN_CTOR)
		copy->ctor = retype_ctor(r, p->ctor);
	for (uint32_t i = 0; i < p->n; i++)
		sub[i] = retype_pattern(r, p->sub[i]);
	copy->sub = sub;
	return copy;
}

const ir_expr *
retype_match(struct retype *r, const ir_expr *e)
{
	const struct ir_match *x = ir_as_match(e);
	struct ir_clause *clauses =
		ARENA_NEW_ARRAY(r->arena, x->nclauses, struct ir_clause);

	for (uint32_t i = 0; i < x->nclauses; i++) {
		clauses[i].pattern = retype_pattern(r, x->clauses[i].pattern);
		clauses[i].body = x->clauses[i].body;
	}
	return ir_new_match(r->m, e->loc, x->value, clauses, x->nclauses,
			    x->complete);
}

struct ir_function_parts
retype_parts(struct retype *r, const struct ir_function *f)
{
	struct ir_function_parts parts = ir_function_parts(f);
	const struct ir_var **params =
		ARENA_NEW_ARRAY(r->arena, f->nparams, const struct ir_var *);

	for (uint32_t i = 0; i < f->nparams; i++)
		params[i] = retype_var(r, f->params[i]);
	parts.params = params;
	parts.ret_type = retype_type(r, f->ret_type);
	return parts;
}

void
retype_add_param(struct arena *a, struct ir_function_parts *parts,
		 const struct ir_var *v)
{
	const struct ir_var **params =
		ARENA_NEW_ARRAY(a, parts->nparams + 1, const struct ir_var *);

	if (parts->nparams)
		memcpy(params, parts->params, parts->nparams * sizeof(*params));
	params[parts->nparams++] = v;
	parts->params = params;
}

const ir_type *
retype_func_with(ir_module *m, struct arena *a, const struct ir_func_type *f,
		 const ir_type *const *params, const ir_type *more,
		 const ir_type *ret)
{
	const ir_type **all =
		ARENA_NEW_ARRAY(a, f->nparams + 1, const ir_type *);

	if (f->nparams)
		memcpy(all, params, f->nparams * sizeof(*all));
	all[f->nparams] = more;
	return ir_type_func(m->cx, all, f->nparams + 1, ret, f->vars, f->nvars);
}

void
retype_free(struct retype *r)
{
	ir_map_free(&r->vars);
	ptrmap_free(&r->twins);
}

bool
type_is_data(const ir_type *t)
{
	if (t->kind != TYPE_TUPLE)
		return t->kind == TYPE_TENSOR;
	for (uint32_t i = 0; i < ir_as_tuple_type(t)->nfields; i++)
		if (!type_is_data(ir_as_tuple_type(t)->fields[i]))
			return false;
	return true;
}

/* No tensor stands in T by definition. */
static bool
type_is_generic(const ir_type *t)
{
	switch ((enum ir_type_kind)t->kind) {
	case TYPE_TENSOR:
	case TYPE_FUNC:
		return false;
	case TYPE_TUPLE:
		for (uint32_t i = 0; i < ir_as_tuple_type(t)->nfields; i++)
			if (!type_is_generic(ir_as_tuple_type(t)->fields[i]))
				return false;
		return true;
	case TYPE_REF:
		return type_is_generic(ir_as_ref_type(t)->value);
	case TYPE_ADT:
		for (uint32_t i = 0; i < ir_as_adt_type(t)->nargs; i++)
			if (!type_is_generic(ir_as_adt_type(t)->args[i]))
				return false;
		return true;
	case TYPE_VAR:
	case TYPE_HOLE:
		break;
	}
	return true;
}

bool
ctor_is_generic(const struct ir_ctor *c)
{
	for (uint32_t i = 0; i < c->nfields; i++)
		if (!type_is_generic(c->fields[i]))
			return false;
	return true;
}

bool
pattern_is_generic(const ir_pattern *p)
{
	if (p->kind == PATTERN_CTOR && !ctor_is_generic(p->ctor))
		return false;
	for (uint32_t i = 0; i < p->n; i++)
		if (!pattern_is_generic(p->sub[i]))
			return false;
	return true;
}
