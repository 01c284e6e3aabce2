/*
 * A primitive function around one operator call. Tuples that are written in
 * the call and scalar constants go inside, all else becomes a parameter.
 */
#include "passes/outline_wrap.h"

#include "ir/tensor.h"
#include "support/ptrmap.h"

struct wrap {
	pass_ctx *cx;
	struct loc loc;
	VEC(const struct ir_var *) params;
	ir_expr_vec args;
	struct ptrmap inside; /* argument -> parameter */
};

static bool
is_scalar(const ir_expr *e)
{
	return e->kind == IR_CONSTANT && ir_as_constant(e)->data &&
	       ir_as_constant(e)->data->ndim == 0;
}

/* What stands for argument E, of type TYPE, inside the function. */
static const ir_expr *
inside(struct wrap *w, const ir_expr *e, const ir_type *type)
{
	ir_module *m = w->cx->module;
	const ir_expr *v;

	if (is_scalar(e))
		return e;
	v = ptrmap_get(&w->inside, e);
	if (v)
		return v;
	v = ir_new_var(m, w->loc, ir_namef(m->cx, "p%zu", w->args.len), type);
	ir_set_type(v, type);
	vec_push(&w->params, ir_as_var(v));
	vec_push(&w->args, e);
	ptrmap_put(&w->inside, e, v);
	return v;
}

static const ir_expr *
inside_tuple(struct wrap *w, const ir_expr *e, const ir_type *type)
{
	const struct ir_tuple *t = ir_as_tuple(e);
	const ir_expr **fields = ARENA_NEW_ARRAY(w->cx->scratch, t->nfields + 1,
						 const ir_expr *);
	const ir_expr *out;

	for (uint32_t i = 0; i < t->nfields; i++)
		fields[i] = inside(w, t->fields[i],
				   ir_as_tuple_type(type)->fields[i]);
	out = ir_new_tuple(w->cx->module, e->loc, fields, t->nfields);
	ir_set_type(out, type);
	return out;
}

const ir_expr *
outline_wrap(pass_ctx *cx, const ir_expr *e, const ir_expr *old,
	     struct outline *o,
	     const struct ir_global *(*global_for)(struct outline *,
						   const ir_expr *))
{
	ir_module *m = cx->module;
	const struct ir_call *call = ir_as_call(e);
	const struct ir_call *typed = ir_as_call(old);
	struct wrap w = {.cx = cx, .loc = e->loc};
	const ir_expr **args =
		ARENA_NEW_ARRAY(cx->scratch, call->nargs + 1, const ir_expr *);
	const ir_type **types;
	struct ir_function_parts parts = {0};
	const ir_expr *out;

	for (uint32_t i = 0; i < call->nargs; i++) {
		const ir_type *t = ir_type_of(typed->args[i]);

		args[i] = call->args[i]->kind == IR_TUPLE
				  ? inside_tuple(&w, call->args[i], t)
				  : inside(&w, call->args[i], t);
	}
	out = ir_new_call(m, e->loc, call->callee, args, call->nargs,
			  call->attrs);
	ir_set_type(out, ir_type_of(old));
	parts.params = w.params.at;
	parts.nparams = (uint32_t)w.params.len;
	parts.ret_type = ir_type_of(old);
	parts.body = out;
	parts.attrs = ir_dict_with(m->cx, NULL, ir_name(m->cx, "Primitive"),
				   ATTR_INT32(1));
	out = ir_new_function(m, e->loc, &parts);
	types = ARENA_NEW_ARRAY(cx->scratch, parts.nparams + 1,
				const ir_type *);
	for (uint32_t i = 0; i < parts.nparams; i++)
		types[i] = parts.params[i]->annotation;
	ir_set_type(out, ir_type_func(m->cx, types, parts.nparams,
				      ir_type_of(old), NULL, 0));
	pass_remark(cx, e->loc,
		    "operator '%s' stands outside of any primitive function",
		    ir_called_op(old)->name);
	out = ir_new_call(m, e->loc, &global_for(o, out)->base, w.args.at,
			  (uint32_t)w.args.len, NULL);
	ir_set_type(out, ir_type_of(old));
	vec_free(&w.params);
	vec_free(&w.args);
	ptrmap_free(&w.inside);
	return out;
}
