/*
 * What a pattern says of one node alone: its type, attributes, value, kind of
 * operator.
 */
#include "passes/rewrite/rw_goal.h"

#include <string.h>

static bool
fits_tensor(const struct rw_type *t, const ir_type *type)
{
	const struct ir_tensor_type *tt;

	if (type->kind != TYPE_TENSOR)
		return false;
	tt = ir_as_tensor_type(type);
	if (!t->any_dtype && !dtype_equal(t->dtype, tt->dtype))
		return false;
	if (t->ndim < 0)
		return true;
	if ((uint32_t)t->ndim != tt->ndim)
		return false;
	for (uint32_t i = 0; i < tt->ndim; i++)
		if (t->dims[i] >= 0 && (!ir_dim_is_const(tt->shape[i]) ||
					tt->shape[i].value != t->dims[i]))
			return false;
	return true;
}

bool
rw_fits_type(const struct rw_type *t, const ir_type *type)
{
	const struct ir_tuple_type *tuple;

	if (!type)
		return false;
	if (!t->tuple)
		return fits_tensor(t, type);
	if (type->kind != TYPE_TUPLE)
		return false;
	tuple = ir_as_tuple_type(type);
	if (tuple->nfields != t->nfields)
		return false;
	for (uint32_t i = 0; i < t->nfields; i++)
		if (!rw_fits_type(t->fields[i], tuple->fields[i]))
			return false;
	return true;
}

bool
rw_value_equal(const ir_attr *a, const ir_attr *v)
{
	struct dtype t;

	if (a->kind == ATTR_DTYPE && v->kind == ATTR_STRING)
		return dtype_parse(v->s, strlen(v->s), &t) &&
		       dtype_equal(t, a->dtype);
	if (a->kind == ATTR_STRING && v->kind == ATTR_DTYPE)
		return rw_value_equal(v, a);
	if (a->kind == ATTR_INT && v->kind == ATTR_INT)
		return a->i == v->i;
	if (a->kind == ATTR_FLOAT && v->kind == ATTR_INT)
		return a->f == (double)v->i;
	if (a->kind == ATTR_INT && v->kind == ATTR_FLOAT)
		return (double)a->i == v->f;
	if (a->kind != v->kind)
		return false;
	if (a->kind != ATTR_ARRAY)
		return a->kind == ATTR_FLOAT ? a->f == v->f
					     : ir_attr_equal(a, v);
	if (a->n != v->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (!rw_value_equal(&a->elems[i], &v->elems[i]))
			return false;
	return true;
}

/* Does the attribute A (NULL: absent) have the value that N says? */
bool
rw_fits_value(const struct rw_node *n, const ir_attr *a)
{
	if (n->kind == RW_ALT) {
		for (uint32_t i = 0; i < n->n; i++)
			if (rw_fits_value(n->sub[i], a))
				return true;
		return false;
	}
	if (!a)
		return n->kind == RW_VALUE && n->value.kind == ATTR_NULL;
	if (n->kind == RW_VALUE)
		return rw_value_equal(a, &n->value);
	if (a->kind != ATTR_ARRAY || a->n != n->n)
		return false;
	for (uint32_t i = 0; i < n->n; i++)
		if (!rw_fits_value(n->sub[i], &a->elems[i]))
			return false;
	return true;
}

/* A scalar constant, or one of one element, with the value of P. */
static bool
fits_number(const struct rw_node *p, const ir_expr *e)
{
	const ir_tensor *t;

	if (e->kind != IR_CONSTANT || !ir_as_constant(e)->data)
		return false;
	t = ir_as_constant(e)->data;
	if (ir_tensor_size(t) != 1 ||
	    (!dtype_is_void(p->dtype) && !dtype_equal(p->dtype, t->dtype)))
		return false;
	if (p->value.kind == ATTR_INT && !dtype_is_float(t->dtype))
		return ir_tensor_get_int(t, 0) == p->value.i;
	return ir_tensor_get_double(t, 0) ==
	       (p->value.kind == ATTR_INT ? (double)p->value.i : p->value.f);
}

bool
rw_fits_leaf(const struct rw_node *p, const ir_expr *e)
{
	switch (p->kind) {
	case RW_ANY:
		return true;
	case RW_CONST:
		return e->kind == IR_CONSTANT;
	case RW_VAR:
		return e->kind == IR_VAR &&
		       (!p->name || ir_as_var(e)->name == p->name);
	case RW_GLOBAL:
		return e->kind == IR_GLOBAL && ir_as_global(e)->name == p->name;
	case RW_ANY_TUPLE:
		return e->kind == IR_TUPLE;
	case RW_NUMBER:
		return fits_number(p, e);
	default:
		return e->kind == IR_OP && ir_as_op_ref(e)->op == p->op;
	}
}

unsigned
rw_class_of(const ir_op *op)
{
	switch (op->pattern) {
	case PAT_ELEMWISE:
		return RW_ELEMENTWISE;
	case PAT_BROADCAST:
		return RW_BROADCAST;
	case PAT_INJECTIVE:
		return RW_INJECTIVE;
	case PAT_COMM_REDUCE:
		return RW_REDUCTION;
	case PAT_OUT_ELEMWISE:
		return RW_OUTPUT_FUSABLE;
	case PAT_OPAQUE:
		return RW_OPAQUE;
	default:
		return 0;
	}
}
