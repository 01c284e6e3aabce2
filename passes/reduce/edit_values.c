/*
 * Edits of numbers: shapes, constants, attributes; and of annotations. The
 * module is a copy that is printed and thrown away, so nodes are written to.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/walk.h"
#include "passes/reduce/reduce.h"

static void
each_node(ir_module *m, void (*visit)(const ir_expr *e, void *env), void *env)
{
	for (size_t i = 0; i < m->defs.len; i++)
		if (m->defs.at[i]->fn)
			ir_walk(&m->defs.at[i]->fn->base, NULL, visit, env);
}

/* -------------------------------------------------------------- shapes -- */

/* Every extent FROM becomes TO. */
struct resize {
	ir_module *m;
	int64_t from;
	int64_t to;
};

static const ir_type *resize_type(const struct resize *r, const ir_type *t);

static const ir_type *
resize_tensor(const struct resize *r, const struct ir_tensor_type *t)
{
	struct ir_dim *shape = xcalloc(t->ndim + 1, sizeof(*shape));
	const ir_type *out;

	for (uint32_t i = 0; i < t->ndim; i++) {
		shape[i] = t->shape[i];
		if (ir_dim_is_const(shape[i]) && shape[i].value == r->from)
			shape[i].value = r->to;
	}
	out = ir_type_tensor(r->m->cx, t->dtype, shape, t->ndim);
	free(shape);
	return out;
}

/* The N types at T, resized; the caller frees. */
static const ir_type **
resize_types(const struct resize *r, const ir_type *const *t, uint32_t n)
{
	const ir_type **out = xcalloc(n + 1, sizeof(*out));

	for (uint32_t i = 0; i < n; i++)
		out[i] = resize_type(r, t[i]);
	return out;
}

static const ir_type *
resize_type(const struct resize *r, const ir_type *t)
{
	ir_context *cx = r->m->cx;
	const ir_type **parts = NULL;
	const ir_type *out = t;

	if (!t)
		return t;
	if (t->kind == TYPE_TENSOR)
		return resize_tensor(r, ir_as_tensor_type(t));
	if (t->kind == TYPE_REF)
		return ir_type_ref(cx,
				   resize_type(r, ir_as_ref_type(t)->value));
	if (t->kind == TYPE_TUPLE) {
		const struct ir_tuple_type *x = ir_as_tuple_type(t);

		parts = resize_types(r, x->fields, x->nfields);
		out = ir_type_tuple(cx, parts, x->nfields);
	} else if (t->kind == TYPE_FUNC) {
		const struct ir_func_type *x = ir_as_func_type(t);

		parts = resize_types(r, x->params, x->nparams);
		out = ir_type_func(cx, parts, x->nparams,
				   resize_type(r, x->ret), x->vars, x->nvars);
	} else if (t->kind == TYPE_ADT) {
		const struct ir_adt_type *x = ir_as_adt_type(t);

		parts = resize_types(r, x->args, x->nargs);
		out = ir_type_adt(cx, x->name, parts, x->nargs);
	}
	free(parts);
	return out;
}

static void
resize_var(const struct ir_var *v, void *env)
{
	const struct resize *r = env;
	struct ir_var *var = (struct ir_var *)(uintptr_t)v;

	var->annotation = resize_type(r, v->annotation);
	var->base.type = NULL;
}

static ir_attr
resize_attr(const struct resize *r, ir_attr a)
{
	ir_attr *elems;

	if (a.kind == ATTR_INT && a.i == r->from)
		a.i = r->to;
	if (a.kind != ATTR_ARRAY)
		return a;
	elems = xcalloc(a.n + 1, sizeof(*elems));
	for (uint32_t i = 0; i < a.n; i++)
		elems[i] = resize_attr(r, a.elems[i]);
	a = ir_attr_array(r->m->cx, elems, a.n);
	free(elems);
	return a;
}

static const ir_attrs *
resize_attrs(const struct resize *r, const ir_attrs *attrs)
{
	ir_attr *values;

	if (!attrs || attrs->n == 0)
		return attrs;
	values = xcalloc(attrs->n, sizeof(*values));
	for (uint32_t i = 0; i < attrs->n; i++)
		values[i] = resize_attr(r, attrs->value[i]);
	attrs = ir_attrs_new(r->m->cx, attrs->schema, values);
	free(values);
	return attrs;
}

/* The first elements of T, as many as the new shape has. */
static ir_tensor *
resize_data(const struct resize *r, const ir_tensor *t)
{
	int64_t *shape = xcalloc(t->ndim + 1, sizeof(*shape));
	ir_tensor *out;

	for (uint32_t i = 0; i < t->ndim; i++)
		shape[i] = t->shape[i] == r->from ? r->to : t->shape[i];
	out = ir_tensor_new(t->dtype, shape, t->ndim);
	if (out)
		memcpy(out->data, t->data, out->nbytes);
	free(shape);
	return out;
}

static void
resize_node(const ir_expr *e, void *env)
{
	struct resize *r = env;

	if (e->kind == IR_FUNCTION) {
		struct ir_function *f =
			(struct ir_function *)(uintptr_t)ir_as_function(e);

		f->ret_type = resize_type(r, f->ret_type);
		for (uint32_t i = 0; i < f->nparams; i++)
			resize_var(f->params[i], r);
	} else if (e->kind == IR_LET) {
		resize_var(ir_as_let(e)->var, r);
	} else if (e->kind == IR_CALL) {
		struct ir_call *c = (struct ir_call *)(uintptr_t)ir_as_call(e);

		c->attrs = resize_attrs(r, c->attrs);
	} else if (e->kind == IR_CONSTANT && ir_as_constant(e)->data) {
		struct ir_constant *c =
			(struct ir_constant *)(uintptr_t)ir_as_constant(e);
		ir_tensor *t = resize_data(r, c->data);

		if (t) {
			vec_push(&r->m->tensors, t);
			c->data = t;
		}
	}
}

typedef VEC(int64_t) extent_vec;

static void
note_extents(extent_vec *out, const ir_type *t)
{
	const struct ir_tensor_type *x;

	if (!t || t->kind != TYPE_TENSOR)
		return;
	x = ir_as_tensor_type(t);
	for (uint32_t i = 0; i < x->ndim; i++)
		if (ir_dim_is_const(x->shape[i]) && x->shape[i].value > 1)
			vec_push(out, x->shape[i].value);
}

static void
note_node(const ir_expr *e, void *env)
{
	const struct ir_function *f;

	note_extents(env, e->type);
	if (e->kind != IR_FUNCTION)
		return;
	f = ir_as_function(e);
	for (uint32_t i = 0; i < f->nparams; i++)
		note_extents(env, f->params[i]->annotation);
}

static int
by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void
resize_all(struct reduce_edit *x, int64_t from, int64_t to)
{
	struct resize r = {x->m, from, to};

	if (to < from && reduce_site(x))
		each_node(x->m, resize_node, &r);
}

/* An extent becomes 1, 2, its half, wherever it stands. */
void
reduce_shrink_shapes(struct reduce_edit *x)
{
	extent_vec extents = {0};

	each_node(x->m, note_node, &extents);
	if (extents.len)
		qsort(extents.at, extents.len, sizeof(*extents.at), by_value);
	for (size_t i = 0; i < extents.len; i++) {
		int64_t n = extents.at[i];

		if (i > 0 && extents.at[i - 1] == n)
			continue;
		resize_all(x, n, 1);
		resize_all(x, n, 2);
		if (n > 5)
			resize_all(x, n, n / 2);
	}
	vec_free(&extents);
}

/* ----------------------------------------------------------- constants -- */

/* A tensor becomes its first element, and an element that is not 0, 0. */
static void
simplify_constant(const ir_expr *e, void *env)
{
	struct reduce_edit *x = env;
	struct ir_constant *c;
	ir_tensor *t;

	if (e->kind != IR_CONSTANT || !ir_as_constant(e)->data)
		return;
	c = (struct ir_constant *)(uintptr_t)ir_as_constant(e);
	if (c->data->ndim == 0 && ir_tensor_get_double(c->data, 0) == 0)
		return;
	if (!reduce_site(x))
		return;
	t = ir_tensor_new(c->data->dtype, NULL, 0);
	if (c->data->ndim > 0 && ir_tensor_size(c->data) > 0)
		memcpy(t->data, c->data->data, t->nbytes);
	vec_push(&x->m->tensors, t);
	c->data = t;
}

void
reduce_simplify_constants(struct reduce_edit *x)
{
	each_node(x->m, simplify_constant, x);
}

/* ---------------------------------------------------------- attributes -- */

static void
drop_call_attrs(struct reduce_edit *x, struct ir_call *c)
{
	ir_context *cx = x->m->cx;

	if (!c->attrs || !c->attrs->schema)
		return;
	for (uint32_t i = 0; i < c->attrs->n; i++) {
		const struct attr_field *f = &c->attrs->schema->fields[i];
		ir_attr a = ir_attrs_default(cx, c->attrs->schema, i);

		if (f->need == ATTR_REQUIRED ||
		    ir_attr_equal(&a, &c->attrs->value[i]))
			continue;
		if (reduce_site(x))
			c->attrs = ir_attrs_with(cx, c->attrs, f->name, a);
	}
}

static void
drop_function_attrs(struct reduce_edit *x, struct ir_function *f)
{
	const ir_dict *before = f->attrs;

	for (uint32_t i = 0; before && i < before->n; i++)
		if (reduce_site(x))
			f->attrs = ir_dict_without(x->m->cx, f->attrs,
						   before->entry[i].key);
}

static void
drop_attrs(const ir_expr *e, void *env)
{
	if (e->kind == IR_CALL)
		drop_call_attrs(env,
				(struct ir_call *)(uintptr_t)ir_as_call(e));
	else if (e->kind == IR_FUNCTION)
		drop_function_attrs(
			env,
			(struct ir_function *)(uintptr_t)ir_as_function(e));
}

void
reduce_drop_attributes(struct reduce_edit *x)
{
	each_node(x->m, drop_attrs, x);
}

/* --------------------------------------------------------- annotations -- */

static void
drop_annotation(const ir_expr *e, void *env)
{
	struct ir_function *f;
	struct ir_var *v;

	if (e->kind == IR_FUNCTION) {
		f = (struct ir_function *)(uintptr_t)ir_as_function(e);
		if (f->ret_type && !(e->flags & IR_ANNOTATION_INFERRED) &&
		    reduce_site(env))
			f->ret_type = NULL;
	} else if (e->kind == IR_LET) {
		v = (struct ir_var *)(uintptr_t)ir_as_let(e)->var;
		if (v->annotation &&
		    !(v->base.flags & IR_ANNOTATION_INFERRED) &&
		    reduce_site(env))
			v->annotation = NULL;
	}
}

void
reduce_drop_annotations(struct reduce_edit *x)
{
	each_node(x->m, drop_annotation, x);
}
