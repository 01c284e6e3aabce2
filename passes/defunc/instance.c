/*
 * Copies of polymorphic definitions for the types that they are used with.
 */
#include "passes/defunc/defunc.h"

#include "ir/print.h"

enum { MAX_INSTANCES = 10000 };

/* What is called, as its definition says. */
struct signature {
	const ir_type *const *vars;
	uint32_t nvars;
	const ir_type **params;
	uint32_t nparams;
	const ir_type *ret;
	const ir_type **args; /* found for VARS; NULL: not yet */
};

static void
function_signature(struct defunc *d, const struct ir_function *fn,
		   struct signature *s)
{
	struct arena *a = d->cx->scratch;

	*s = (struct signature){.vars = fn->type_params,
				.nvars = fn->ntype_params,
				.nparams = fn->nparams,
				.ret = fn->ret_type};
	s->params = ARENA_NEW_ARRAY(a, fn->nparams, const ir_type *);
	s->args = ARENA_NEW_ARRAY(a, fn->ntype_params, const ir_type *);
	for (uint32_t i = 0; i < fn->nparams; i++)
		s->params[i] = fn->params[i]->annotation;
}

static void
ctor_signature(struct defunc *d, const struct ir_ctor *ctor,
	       struct signature *s)
{
	struct arena *a = d->cx->scratch;
	const ir_type_def *adt = ctor->adt;

	*s = (struct signature){.vars = adt->params,
				.nvars = adt->nparams,
				.nparams = ctor->nfields,
				.ret = ir_type_adt(d->m->cx, adt->name,
						   adt->params, adt->nparams)};
	s->params = ARENA_NEW_ARRAY(a, ctor->nfields, const ir_type *);
	s->args = ARENA_NEW_ARRAY(a, adt->nparams, const ir_type *);
	for (uint32_t i = 0; i < ctor->nfields; i++)
		s->params[i] = ctor->fields[i];
}

static void match_type(struct signature *s, const ir_type *p, const ir_type *t);

static void
match_types(struct signature *s, const ir_type *const *p,
	    const ir_type *const *t, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		match_type(s, p[i], t[i]);
}

static void
match_var(struct signature *s, const ir_type *var, const ir_type *t)
{
	for (uint32_t i = 0; i < s->nvars; i++)
		if (s->vars[i] == var && !s->args[i] &&
		    !(t->flags & TYPE_HAS_VAR))
			s->args[i] = t;
}

/* Take from T what the type parameters in P stand for. */
static void
match_type(struct signature *s, const ir_type *p, const ir_type *t)
{
	const struct ir_func_type *f;

	if (p->kind == TYPE_VAR)
		match_var(s, p, t);
	if (p->kind != t->kind || !(p->flags & TYPE_HAS_VAR))
		return;
	switch ((enum ir_type_kind)p->kind) {
	case TYPE_REF:
		match_type(s, ir_as_ref_type(p)->value,
			   ir_as_ref_type(t)->value);
		break;
	case TYPE_TUPLE:
		if (ir_as_tuple_type(p)->nfields ==
		    ir_as_tuple_type(t)->nfields)
			match_types(s, ir_as_tuple_type(p)->fields,
				    ir_as_tuple_type(t)->fields,
				    ir_as_tuple_type(p)->nfields);
		break;
	case TYPE_ADT:
		if (ir_as_adt_type(p)->nargs == ir_as_adt_type(t)->nargs)
			match_types(s, ir_as_adt_type(p)->args,
				    ir_as_adt_type(t)->args,
				    ir_as_adt_type(p)->nargs);
		break;
	case TYPE_FUNC:
		f = ir_as_func_type(p);
		if (f->nparams != ir_as_func_type(t)->nparams)
			break;
		match_types(s, f->params, ir_as_func_type(t)->params,
			    f->nparams);
		match_type(s, f->ret, ir_as_func_type(t)->ret);
		break;
	default:
		break;
	}
}

static void
match_use(struct defunc *d, struct signature *s, const ir_type *const *params,
	  uint32_t n, const ir_type *ret)
{
	for (uint32_t i = 0; i < n && i < s->nparams; i++)
		match_type(s, s->params[i], defunc_old_type(d, params[i]));
	match_type(s, s->ret, defunc_old_type(d, ret));
}

static const ir_type *
found_argument(const ir_type *t, void *env)
{
	const struct signature *s = env;

	for (uint32_t i = 0; i < s->nvars; i++)
		if (s->vars[i] == t && s->args[i])
			return s->args[i];
	return t;
}

static void
match_call(struct defunc *d, struct signature *s, const struct ir_call *call)
{
	const ir_type **types =
		ARENA_NEW_ARRAY(d->cx->scratch, call->nargs, const ir_type *);

	for (uint32_t i = 0; i < call->nargs; i++)
		types[i] = call->args[i]->type;
	match_use(d, s, types, call->nargs, call->base.type);
}

const ir_type **
defunc_param_types(struct defunc *d, const struct ir_call *call)
{
	const ir_expr *callee = call->callee;
	const struct ir_func_type *f;
	const ir_type **out;
	struct signature s;

	if (callee->kind == IR_GLOBAL) {
		function_signature(d, ir_as_global(callee)->def->fn, &s);
		match_call(d, &s, call);
	} else if (callee->kind == IR_CTOR) {
		ctor_signature(d, ir_as_ctor(callee), &s);
		match_call(d, &s, call);
	} else {
		f = ir_as_func_type(ir_type_of(callee));
		out = ARENA_NEW_ARRAY(d->cx->scratch, f->nparams,
				      const ir_type *);
		for (uint32_t i = 0; i < f->nparams; i++)
			out[i] = defunc_old_type(d, f->params[i]);
		return out;
	}
	for (uint32_t i = 0; i < s.nparams; i++)
		s.params[i] = defunc_old_type(
			d, ir_type_substitute(d->m->cx, s.params[i],
					      found_argument, &s));
	return s.params;
}

/* The instance of DEF for ARGS. */
static const struct ir_global *
find_instance(struct defunc *d, ir_def *def, const ir_type *const *args)
{
	ir_context *cx = d->m->cx;
	uint32_t n = def->fn->ntype_params;
	struct instance x = {.def = def, .args = args};
	const ir_type *key = ir_type_adt(cx, def->name, args, n);
	const struct ir_global *known = ptrmap_get(&d->known, key);

	if (known)
		return known;
	x.global = defunc_new_global(d, defunc_mangle(d, "", key));
	ptrmap_put(&d->known, key, x.global);
	vec_push(&d->instances, x);
	return x.global;
}

const struct ir_global *
defunc_instance(struct defunc *d, ir_def *def, struct loc loc,
		const ir_type *const *params, uint32_t n, const ir_type *ret)
{
	struct signature s;

	if (!ir_map_get(&d->special, &def->global->base) || d->cx->failed)
		return def->global;
	function_signature(d, def->fn, &s);
	match_use(d, &s, params, n, ret);
	for (uint32_t i = 0; i < s.nvars; i++) {
		if (s.args[i])
			continue;
		pass_error(d->cx, loc,
			   "type argument '%s' of '@%s' is not known here",
			   ir_type_text(d->m->cx, s.vars[i]), def->name);
		return def->global;
	}
	if (d->instances.len < MAX_INSTANCES)
		return find_instance(d, def, s.args);
	pass_error(d->cx, def->loc,
		   "'@%s' is needed for too many combinations of types",
		   def->name);
	return def->global;
}
