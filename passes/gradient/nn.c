/*
 * Gradients of products of matrices, convolutions and pools.
 */
#include <string.h>

#include "passes/gradient/gradient.h"

/* Factors and product have one element type: the gradients do, too. */
static bool
is_uniform(struct gradient *g)
{
	const struct ir_tensor_type *out =
		ir_as_tensor_type(g->call->base.type);

	for (uint32_t i = 0; i < 2; i++)
		if (!dtype_equal(
			    ir_as_tensor_type(gradient_arg(g, i)->type)->dtype,
			    out->dtype))
			return gradient_unsupported(
				g, "of different element types");
	return true;
}

/* X with all axes but the last made one. */
static const ir_expr *
flatten(struct gradient *g, const ir_expr *x, const struct ir_tensor_type *t)
{
	struct ir_dim last = t->shape[t->ndim - 1];
	int64_t shape[] = {-1, last.value};

	if (t->ndim == 2)
		return x;
	return opcall_reshape(&g->b, x, shape, 2);
}

static const ir_expr *
transposed(struct gradient *g, const ir_expr *x)
{
	return gradient_call(g, OP_transpose, gradient_attrs(g, OP_transpose),
			     1, x);
}

static const ir_expr *
dense(struct gradient *g, const ir_expr *x, const ir_expr *w, int64_t units)
{
	ir_context *cx = g->b.m->cx;
	const ir_attrs *a = gradient_attrs(g, OP_nn_dense);

	a = ir_attrs_with(cx, a, "units", ATTR_INT32(units));
	return gradient_call(g, OP_nn_dense, a, 2, x, w);
}

bool
gradient_of_dense(struct gradient *g)
{
	const ir_expr *x = gradient_arg(g, 0);
	const ir_expr *w = gradient_arg(g, 1);
	const struct ir_tensor_type *xt = gradient_static(g, x);
	const struct ir_tensor_type *wt = xt ? gradient_static(g, w) : NULL;
	const struct ir_tensor_type *ot =
		wt ? gradient_static(g, &g->call->base) : NULL;
	int64_t inputs;

	if (!ot || !is_uniform(g))
		return false;
	inputs = wt->shape[1].value;
	g->to[0] = gradient_collapse(
		g, dense(g, g->grad, transposed(g, w), inputs), x);
	g->to[1] = gradient_collapse(
		g,
		dense(g, transposed(g, flatten(g, g->grad, ot)),
		      transposed(g, flatten(g, x, xt)), inputs),
		w);
	return true;
}

/* OP (matmul or batch_matmul) of X and Y, transposed where TX, TY say so. */
static const ir_expr *
product(struct gradient *g, enum op_id op, const ir_expr *x, bool tx,
	const ir_expr *y, bool ty)
{
	ir_context *cx = g->b.m->cx;
	const ir_attrs *a = gradient_attrs(g, op);

	a = ir_attrs_with(cx, a, "transpose_a", ATTR_BOOLEAN(tx));
	a = ir_attrs_with(cx, a, "transpose_b", ATTR_BOOLEAN(ty));
	return gradient_call(g, op, a, 2, x, y);
}

/* Both arguments of z = xy, each maybe transposed. */
static void
product_rule(struct gradient *g, enum op_id op, const ir_expr *x,
	     const ir_expr *y, const ir_expr *z)
{
	bool tx = ir_attrs_bool(g->call->attrs, "transpose_a");
	bool ty = ir_attrs_bool(g->call->attrs, "transpose_b");

	g->to[0] = tx ? product(g, op, y, ty, g->grad, true)
		      : product(g, op, g->grad, false, y, !ty);
	g->to[1] = ty ? product(g, op, z, true, x, tx)
		      : product(g, op, x, !tx, z, false);
}

bool
gradient_of_matmul(struct gradient *g)
{
	const ir_expr *x = gradient_arg(g, 0);
	const struct ir_tensor_type *xt = gradient_static(g, x);
	const struct ir_tensor_type *ot =
		xt ? gradient_static(g, &g->call->base) : NULL;

	if (!ot || !is_uniform(g))
		return false;
	product_rule(g, OP_nn_matmul, flatten(g, x, xt), gradient_arg(g, 1),
		     flatten(g, g->grad, ot));
	return true;
}

bool
gradient_of_batch_matmul(struct gradient *g)
{
	const ir_expr *x = gradient_arg(g, 0);
	const ir_expr *y = gradient_arg(g, 1);

	if (!is_uniform(g))
		return false;
	product_rule(g, OP_nn_batch_matmul, x, y, g->grad);
	g->to[0] = gradient_collapse(g, g->to[0], x);
	g->to[1] = gradient_collapse(g, g->to[1], y);
	return true;
}

/* Number I of a list; 1 where there is none. */
static int64_t
number(const struct gradient *g, const char *name, uint32_t i)
{
	const ir_attr *a = ir_attrs_get(g->call->attrs, name);

	if (!a || a->kind != ATTR_ARRAY || a->n == 0)
		return 1;
	return ir_attr_elem_int(a, i < a->n ? i : a->n - 1);
}

/* Padding at the top, left, bottom and right. */
static void
padding_of(const struct gradient *g, int64_t pad[4])
{
	const ir_attr *a = ir_attrs_get(g->call->attrs, "padding");
	uint32_t n = a && a->kind == ATTR_ARRAY ? a->n : 0;

	for (uint32_t i = 0; i < 4; i++)
		pad[i] = n ? ir_attr_elem_int(a, i % n) : 0;
}

static int64_t
extent(const struct ir_tensor_type *t, const char *layout, char axis)
{
	const char *at = strchr(layout, axis);

	return at && at - layout < t->ndim ? t->shape[at - layout].value : -1;
}

/* The letters O and I of a layout of kernels trade places. */
static const char *
swapped_kernel_layout(struct gradient *g, const char *layout)
{
	char *s = arena_strndup(g->cx->scratch, layout, strlen(layout));

	for (char *p = s; *p; p++)
		*p = *p == 'O' ? 'I' : *p == 'I' ? 'O' : *p;
	return ir_name(g->b.m->cx, s);
}

struct conv {
	const struct ir_tensor_type *x, *w, *out;
	const char *data_layout, *kernel_layout, *out_layout;
	int64_t kernel[2];
	int64_t pad[4];
};

static bool
is_plain_layout(const char *layout)
{
	return strlen(layout) == 4;
}

static bool
conv_init(struct conv *c, struct gradient *g)
{
	const ir_attrs *a = g->call->attrs;

	c->x = gradient_static(g, gradient_arg(g, 0));
	c->w = c->x ? gradient_static(g, gradient_arg(g, 1)) : NULL;
	c->out = c->w ? gradient_static(g, &g->call->base) : NULL;
	if (!c->out)
		return false;
	c->data_layout = ir_attrs_string(a, "data_layout");
	c->kernel_layout = ir_attrs_string(a, "kernel_layout");
	c->out_layout = ir_attrs_string(a, "out_layout");
	if (!*c->out_layout)
		c->out_layout = c->data_layout;
	if (!is_plain_layout(c->data_layout) ||
	    !is_plain_layout(c->kernel_layout) ||
	    !is_plain_layout(c->out_layout))
		return gradient_unsupported(g, "in blocked layouts");
	c->kernel[0] = extent(c->w, c->kernel_layout, 'H');
	c->kernel[1] = extent(c->w, c->kernel_layout, 'W');
	padding_of(g, c->pad);
	return true;
}

/* Attributes that the two operators have in common with conv2d. */
static const ir_attrs *
conv_attrs(struct gradient *g, const struct conv *c, enum op_id op,
	   int64_t channels)
{
	static const char *const same[] = {"strides", "dilation", "groups"};
	ir_context *cx = g->b.m->cx;
	const ir_attrs *a = gradient_attrs(g, op);

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		a = ir_attrs_with(cx, a, same[i],
				  *ir_attrs_get(g->call->attrs, same[i]));
	a = gradient_with_ints(g, a, "padding", c->pad, 4);
	a = gradient_with_ints(g, a, "kernel_size", c->kernel, 2);
	return ir_attrs_with(cx, a, "channels", ATTR_INT32(channels));
}

/* What the transposed convolution would leave out at the end of an axis. */
static int64_t
missing(const struct gradient *g, const struct conv *c, uint32_t i, char axis)
{
	int64_t n = extent(c->out, c->out_layout, axis);
	int64_t span = (c->kernel[i] - 1) * number(g, "dilation", i) + 1;
	int64_t all = (n - 1) * number(g, "strides", i) + span - c->pad[i] -
		      c->pad[i + 2];

	return extent(c->x, c->data_layout, axis) - all;
}

bool
gradient_of_conv2d(struct gradient *g)
{
	ir_context *cx = g->b.m->cx;
	int64_t inputs, outputs, more[2];
	const ir_attrs *a;
	struct conv c;

	if (!conv_init(&c, g) || !is_uniform(g))
		return false;
	if (strcmp(c.data_layout, c.out_layout) != 0)
		return gradient_unsupported(g, "that changes the layout");
	inputs = extent(c.x, c.data_layout, 'C');
	outputs = extent(c.out, c.out_layout, 'C');
	more[0] = missing(g, &c, 0, 'H');
	more[1] = missing(g, &c, 1, 'W');
	a = conv_attrs(g, &c, OP_nn_conv2d_transpose, inputs);
	a = gradient_with_ints(g, a, "output_padding", more, 2);
	a = ir_attrs_with(cx, a, "data_layout", ATTR_STR(c.data_layout));
	a = ir_attrs_with(cx, a, "kernel_layout",
			  ATTR_STR(swapped_kernel_layout(g, c.kernel_layout)));
	g->to[0] = gradient_call(g, OP_nn_conv2d_transpose, a, 2, g->grad,
				 gradient_arg(g, 1));
	a = conv_attrs(g, &c, OP_nn_conv2d_backward_weight, outputs);
	a = ir_attrs_with(cx, a, "data_layout", ATTR_STR(c.out_layout));
	a = ir_attrs_with(cx, a, "kernel_layout", ATTR_STR(c.data_layout));
	a = ir_attrs_with(cx, a, "out_layout", ATTR_STR(c.kernel_layout));
	g->to[1] = gradient_call(g, OP_nn_conv2d_backward_weight, a, 2, g->grad,
				 gradient_arg(g, 0));
	return true;
}

static bool
pool(struct gradient *g, enum op_id op)
{
	g->to[0] = gradient_call(g, op, g->call->attrs, 2, g->grad,
				 gradient_arg(g, 0));
	return true;
}

bool
gradient_of_max_pool2d(struct gradient *g)
{
	return pool(g, OP_nn_max_pool2d_grad);
}

bool
gradient_of_avg_pool2d(struct gradient *g)
{
	return pool(g, OP_nn_avg_pool2d_grad);
}

bool
gradient_of_global_avg_pool2d(struct gradient *g)
{
	const struct ir_tensor_type *t = gradient_static(g, gradient_arg(g, 0));
	const char *layout = ir_attrs_string(g->call->attrs, "layout");
	int64_t size;

	if (!t)
		return false;
	size = extent(t, layout, 'H') * extent(t, layout, 'W');
	g->to[0] = gradient_binary(
		g, OP_broadcast_to_like,
		gradient_div(g, g->grad, gradient_scalar(g, (double)size)),
		gradient_arg(g, 0));
	return true;
}
