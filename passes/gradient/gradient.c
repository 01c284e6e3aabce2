/*
 * The table of rules, and what they share.
 */
#include "passes/gradient/gradient.h"

#include <stdarg.h>

static gradient_rule *const rules[OP_COUNT] = {
#define GRADIENT(op, rule) [OP_##op] = gradient_of_##rule,
#include "passes/gradient/rules.def"
};

bool
gradient_of_call(struct gradient *g)
{
	const ir_op *op = ir_called_op(&g->call->base);
	gradient_rule *rule = op && op->id < OP_COUNT ? rules[op->id] : NULL;

	if (rule)
		return rule(g);
	pass_error(g->cx, g->call->base.loc, "operator '%s' has no gradient",
		   op ? op->name : "?");
	return false;
}

bool
gradient_unsupported(struct gradient *g, const char *what)
{
	pass_error(g->cx, g->call->base.loc, "no gradient of '%s' %s",
		   ir_called_op(&g->call->base)->name, what);
	return false;
}

const ir_expr *
gradient_unary(struct gradient *g, enum op_id op, const ir_expr *x)
{
	return opcall_unary(&g->b, op, x);
}

const ir_expr *
gradient_binary(struct gradient *g, enum op_id op, const ir_expr *x,
		const ir_expr *y)
{
	return opcall_binary(&g->b, op, x, y);
}

const ir_expr *
gradient_neg(struct gradient *g, const ir_expr *x)
{
	return opcall_unary(&g->b, OP_negative, x);
}

const ir_expr *
gradient_add(struct gradient *g, const ir_expr *x, const ir_expr *y)
{
	return opcall_binary(&g->b, OP_add, x, y);
}

const ir_expr *
gradient_sub(struct gradient *g, const ir_expr *x, const ir_expr *y)
{
	return opcall_binary(&g->b, OP_subtract, x, y);
}

const ir_expr *
gradient_mul(struct gradient *g, const ir_expr *x, const ir_expr *y)
{
	return opcall_binary(&g->b, OP_multiply, x, y);
}

const ir_expr *
gradient_div(struct gradient *g, const ir_expr *x, const ir_expr *y)
{
	return opcall_binary(&g->b, OP_divide, x, y);
}

const ir_expr *
gradient_where(struct gradient *g, const ir_expr *c, const ir_expr *x,
	       const ir_expr *y)
{
	return gradient_call(g, OP_where, NULL, 3, c, x, y);
}

const ir_attrs *
gradient_attrs(struct gradient *g, enum op_id op)
{
	return ir_attrs_defaults(g->b.m->cx, ir_op_info(op)->attrs);
}

const ir_attrs *
gradient_with_ints(struct gradient *g, const ir_attrs *a, const char *name,
		   const int64_t *v, uint32_t n)
{
	ir_context *cx = g->b.m->cx;

	return ir_attrs_with(cx, a, name, ir_attr_int_array(cx, v, n, 32));
}

const ir_expr *
gradient_call(struct gradient *g, enum op_id op, const ir_attrs *a, uint32_t n,
	      ...)
{
	const ir_expr *args[8];
	va_list ap;

	assert(n <= 8);
	va_start(ap, n);
	for (uint32_t i = 0; i < n; i++)
		args[i] = va_arg(ap, const ir_expr *);
	va_end(ap);
	return ir_new_op_call(g->b.m, g->b.loc, op, args, n, a);
}

const struct ir_tensor_type *
gradient_tensor(const ir_expr *e)
{
	if (!e->type || e->type->kind != TYPE_TENSOR)
		return NULL;
	return ir_as_tensor_type(e->type);
}

const struct ir_tensor_type *
gradient_static(struct gradient *g, const ir_expr *e)
{
	const struct ir_tensor_type *t = gradient_tensor(e);

	if (t && ir_shape_is_static(t) && t->ndim <= GRADIENT_MAX_NDIM)
		return t;
	gradient_unsupported(g, "where extents are unknown");
	return NULL;
}

const ir_expr *
gradient_scalar(struct gradient *g, double v)
{
	const ir_type *t = gradient_arg(g, 0)->type;

	if (t->kind == TYPE_TUPLE)
		t = ir_as_tuple_type(t)->fields[0];
	return opcall_scalar(&g->b, ir_as_tensor_type(t)->dtype, v);
}

const ir_expr *
gradient_collapse(struct gradient *g, const ir_expr *x, const ir_expr *like)
{
	return opcall_binary(&g->b, OP_collapse_sum_like, x, like);
}

uint32_t
gradient_reduced(struct gradient *g, int64_t *axes)
{
	uint32_t ndim = gradient_tensor(gradient_arg(g, 0))->ndim;
	const ir_attr *axis = ir_attrs_get(g->call->attrs, "axis");
	bool exclude = ir_attrs_bool(g->call->attrs, "exclude");
	bool named[GRADIENT_MAX_NDIM] = {false};
	bool all = !axis || axis->kind != ATTR_ARRAY || axis->n == 0;
	uint32_t n = 0;

	for (uint32_t i = 0; !all && i < axis->n; i++) {
		int64_t a = ir_attr_elem_int(axis, i);

		named[a < 0 ? a + ndim : a] = true;
	}
	for (uint32_t i = 0; i < ndim; i++)
		if (all || named[i] != exclude)
			axes[n++] = i;
	return n;
}

const ir_expr *
gradient_unreduce(struct gradient *g, const ir_expr *x)
{
	int64_t axes[GRADIENT_MAX_NDIM];
	uint32_t n;

	if (!ir_attrs_bool(g->call->attrs, "keepdims")) {
		n = gradient_reduced(g, axes);
		for (uint32_t i = 0; i < n; i++)
			x = opcall_expand_dims(&g->b, x, axes[i], 1);
	}
	return gradient_binary(g, OP_broadcast_to_like, x, gradient_arg(g, 0));
}

int64_t
gradient_reduced_size(struct gradient *g)
{
	const struct ir_tensor_type *t = gradient_static(g, gradient_arg(g, 0));
	int64_t axes[GRADIENT_MAX_NDIM];
	int64_t size = 1;
	uint32_t n;

	if (!t)
		return 0;
	n = gradient_reduced(g, axes);
	for (uint32_t i = 0; i < n; i++)
		size *= t->shape[axes[i]].value;
	return size > 0 ? size : 1;
}
