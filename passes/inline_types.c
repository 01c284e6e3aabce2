#include "passes/inline_types.h"

static uint32_t
type_param_index(const struct ir_function *f, const ir_type *t)
{
	uint32_t i = 0;

	while (i < f->ntype_params && f->type_params[i] != t)
		i++;
	return i;
}

static void match_types(struct inline_types *ta, const ir_type *param,
			const ir_type *arg);

static void
match_lists(struct inline_types *ta, const ir_type *const *params,
	    const ir_type *const *args, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		match_types(ta, params[i], args[i]);
}

static void
match_funcs(struct inline_types *ta, const struct ir_func_type *p,
	    const struct ir_func_type *a)
{
	if (p->nparams != a->nparams)
		return;
	match_lists(ta, p->params, a->params, p->nparams);
	match_types(ta, p->ret, a->ret);
}

static void
match_types(struct inline_types *ta, const ir_type *param, const ir_type *arg)
{
	if (!param || !arg || !(param->flags & TYPE_HAS_VAR))
		return;
	if (param->kind == TYPE_VAR) {
		uint32_t i = type_param_index(ta->f, param);

		if (i < ta->f->ntype_params && !ta->to[i])
			ta->to[i] = arg;
		return;
	}
	if (param->kind != arg->kind)
		return;
	if (param->kind == TYPE_TUPLE &&
	    ir_as_tuple_type(param)->nfields == ir_as_tuple_type(arg)->nfields)
		match_lists(ta, ir_as_tuple_type(param)->fields,
			    ir_as_tuple_type(arg)->fields,
			    ir_as_tuple_type(param)->nfields);
	else if (param->kind == TYPE_ADT &&
		 ir_as_adt_type(param)->nargs == ir_as_adt_type(arg)->nargs)
		match_lists(ta, ir_as_adt_type(param)->args,
			    ir_as_adt_type(arg)->args,
			    ir_as_adt_type(param)->nargs);
	else if (param->kind == TYPE_REF)
		match_types(ta, ir_as_ref_type(param)->value,
			    ir_as_ref_type(arg)->value);
	else if (param->kind == TYPE_FUNC)
		match_funcs(ta, ir_as_func_type(param), ir_as_func_type(arg));
}

const ir_type *
inline_map_type(const ir_type *t, void *env)
{
	const struct inline_types *ta = env;
	uint32_t i = type_param_index(ta->f, t);

	return i < ta->f->ntype_params && ta->to[i] ? ta->to[i] : t;
}

void
inline_find_types(struct inline_types *ta, const struct ir_function *f,
		  const struct inline_call *call, struct arena *scratch)
{
	ta->f = f;
	ta->to = ARENA_NEW_ARRAY(scratch, f->ntype_params, const ir_type *);
	for (uint32_t i = 0; i < f->nparams; i++)
		match_types(ta, f->params[i]->annotation, call->args[i]->type);
	match_types(ta, f->ret_type, call->type);
}
