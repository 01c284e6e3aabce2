/*
 * The edit of element types: all tensors of one type become float32, in
 * annotations, attributes and constants. The module is a copy that is printed
 * and thrown away, so nodes are written to.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/walk.h"
#include "passes/reduce/reduce.h"
#include "passes/retype.h"

struct redtype {
	ir_module *m;
	struct dtype from;
	struct retype types;
};

static const struct dtype float32 = {DTYPE_FLOAT, 32, 1};

static const ir_type *
as_float32(const ir_type *t, void *env)
{
	const struct redtype *r = env;
	const struct ir_tensor_type *x = ir_as_tensor_type(t);

	return dtype_equal(x->dtype, r->from)
		       ? ir_type_tensor(r->m->cx, float32, x->shape, x->ndim)
		       : t;
}

static void
redtype_var(const struct ir_var *v, void *env)
{
	struct redtype *r = env;
	struct ir_var *var = (struct ir_var *)(uintptr_t)v;

	var->annotation = retype_type(&r->types, v->annotation);
	var->base.type = NULL;
}

static const ir_attrs *
redtype_attrs(const struct redtype *r, const ir_attrs *attrs)
{
	ir_attr *values;

	if (!attrs || attrs->n == 0)
		return attrs;
	values = xcalloc(attrs->n, sizeof(*values));
	for (uint32_t i = 0; i < attrs->n; i++) {
		values[i] = attrs->value[i];
		if (values[i].kind == ATTR_DTYPE &&
		    dtype_equal(values[i].dtype, r->from))
			values[i].dtype = float32;
	}
	attrs = ir_attrs_new(r->m->cx, attrs->schema, values);
	free(values);
	return attrs;
}

static void
redtype_constant(struct redtype *r, struct ir_constant *c)
{
	ir_tensor *t;

	if (!c->data || !dtype_equal(c->data->dtype, r->from))
		return;
	t = ir_tensor_new(float32, c->data->shape, c->data->ndim);
	if (!t)
		return;
	for (int64_t i = 0; i < ir_tensor_size(t); i++)
		ir_tensor_set_double(t, i, ir_tensor_get_double(c->data, i));
	vec_push(&r->m->tensors, t);
	c->data = t;
}

static void
redtype_function(struct redtype *r, struct ir_function *f)
{
	f->ret_type = retype_type(&r->types, f->ret_type);
	for (uint32_t i = 0; i < f->nparams; i++)
		redtype_var(f->params[i], r);
}

static void
redtype_node(const ir_expr *e, void *env)
{
	struct redtype *r = env;
	struct ir_call *c;

	switch ((enum ir_kind)e->kind) {
	case IR_FUNCTION:
		redtype_function(
			r, (struct ir_function *)(uintptr_t)ir_as_function(e));
		break;
	case IR_LET:
		redtype_var(ir_as_let(e)->var, r);
		break;
	case IR_MATCH:
		for (uint32_t i = 0; i < ir_as_match(e)->nclauses; i++)
			ir_pattern_vars(ir_as_match(e)->clauses[i].pattern,
					redtype_var, r);
		break;
	case IR_CALL:
		c = (struct ir_call *)(uintptr_t)ir_as_call(e);
		c->attrs = redtype_attrs(r, c->attrs);
		break;
	case IR_CONSTANT:
		redtype_constant(
			r, (struct ir_constant *)(uintptr_t)ir_as_constant(e));
		break;
	default:
		break;
	}
}

typedef VEC(struct dtype) dtype_vec;

static void
note_type(dtype_vec *out, const ir_type *t)
{
	struct dtype d;

	if (!t || t->kind != TYPE_TENSOR)
		return;
	d = ir_as_tensor_type(t)->dtype;
	if (dtype_is_bool(d) || dtype_equal(d, float32))
		return;
	for (size_t i = 0; i < out->len; i++)
		if (dtype_equal(out->at[i], d))
			return;
	vec_push(out, d);
}

static void
note_node(const ir_expr *e, void *env)
{
	note_type(env, e->type);
	for (uint32_t i = 0;
	     e->kind == IR_FUNCTION && i < ir_as_function(e)->nparams; i++)
		note_type(env, ir_as_function(e)->params[i]->annotation);
}

static void
redtype_all(struct reduce_edit *x, struct dtype from)
{
	struct redtype r = {.m = x->m, .from = from};

	r.types = (struct retype){
		.m = x->m, .arena = x->arena, .env = &r, .tensor = as_float32};
	for (size_t i = 0; i < x->m->defs.len; i++)
		if (x->m->defs.at[i]->fn)
			ir_walk(&x->m->defs.at[i]->fn->base, NULL, redtype_node,
				&r);
}

void
reduce_simplify_dtypes(struct reduce_edit *x)
{
	dtype_vec found = {0};

	for (size_t i = 0; i < x->m->defs.len; i++)
		if (x->m->defs.at[i]->fn)
			ir_walk(&x->m->defs.at[i]->fn->base, NULL, note_node,
				&found);
	for (size_t i = 0; i < found.len; i++)
		if (reduce_site(x))
			redtype_all(x, found.at[i]);
	vec_free(&found);
}
