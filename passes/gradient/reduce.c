/*
 * Gradients of reductions, and of what is made of them.
 */
#include "passes/gradient/gradient.h"

bool
gradient_of_sum(struct gradient *g)
{
	g->to[0] = gradient_unreduce(g, g->grad);
	return true;
}

bool
gradient_of_mean(struct gradient *g)
{
	int64_t size = gradient_reduced_size(g);

	if (size == 0)
		return false;
	g->to[0] = gradient_div(g, gradient_unreduce(g, g->grad),
				gradient_scalar(g, (double)size));
	return true;
}

/* Elements that are the greatest share the gradient. */
bool
gradient_of_max(struct gradient *g)
{
	const ir_expr *x = gradient_arg(g, 0);
	const ir_expr *hit = gradient_binary(
		g, OP_cast_like,
		gradient_binary(g, OP_equal, x, gradient_unreduce(g, g->out)),
		x);
	const ir_expr *count = ir_new_op_call(g->b.m, g->b.loc, OP_sum, &hit, 1,
					      g->call->attrs);
	const ir_expr *share = gradient_div(g, g->grad, count);

	g->to[0] = gradient_mul(g, hit, gradient_unreduce(g, share));
	return true;
}

bool
gradient_of_variance(struct gradient *g)
{
	int64_t size = gradient_reduced_size(g);
	const ir_expr *x = gradient_arg(g, 0);
	const ir_expr *mean = gradient_arg(g, 1);
	const ir_expr *slope;

	if (size == 0)
		return false;
	if (ir_attrs_bool(g->call->attrs, "unbiased"))
		size--;
	slope = gradient_mul(g, gradient_sub(g, x, mean),
			     gradient_scalar(g, 2.0 / (double)size));
	g->to[0] = gradient_mul(g, gradient_unreduce(g, g->grad), slope);
	g->to[1] = gradient_collapse(g, gradient_neg(g, g->to[0]), mean);
	return true;
}

static const ir_expr *
sum_along(struct gradient *g, const ir_expr *x, int64_t axis, bool exclude)
{
	ir_context *cx = g->b.m->cx;
	const ir_attrs *a = gradient_attrs(g, OP_sum);

	a = gradient_with_ints(g, a, "axis", &axis, 1);
	a = ir_attrs_with(cx, a, "keepdims", ATTR_BOOLEAN(!exclude));
	a = ir_attrs_with(cx, a, "exclude", ATTR_BOOLEAN(exclude));
	return gradient_call(g, OP_sum, a, 1, x);
}

bool
gradient_of_softmax(struct gradient *g)
{
	int64_t axis = ir_attrs_int(g->call->attrs, "axis", -1);
	const ir_expr *sum =
		sum_along(g, gradient_mul(g, g->grad, g->out), axis, false);

	g->to[0] = gradient_mul(g, gradient_sub(g, g->grad, sum), g->out);
	return true;
}

bool
gradient_of_log_softmax(struct gradient *g)
{
	int64_t axis = ir_attrs_int(g->call->attrs, "axis", -1);
	const ir_expr *sum = sum_along(g, g->grad, axis, false);
	const ir_expr *share = gradient_unary(g, OP_exp, g->out);

	g->to[0] = gradient_sub(g, g->grad, gradient_mul(g, sum, share));
	return true;
}

bool
gradient_of_bias_add(struct gradient *g)
{
	int64_t axis = ir_attrs_int(g->call->attrs, "axis", 1);

	g->to[0] = gradient_collapse(g, g->grad, gradient_arg(g, 0));
	g->to[1] = sum_along(g, g->grad, axis, true);
	return true;
}

/* G->grad for each sample of the batch, which the loss is the mean of. */
static const ir_expr *
grad_per_sample(struct gradient *g)
{
	const struct ir_tensor_type *t = gradient_static(g, gradient_arg(g, 0));

	if (!t)
		return NULL;
	return gradient_div(g, g->grad,
			    gradient_scalar(g, (double)t->shape[0].value));
}

bool
gradient_of_cross_entropy(struct gradient *g)
{
	const ir_expr *x = gradient_arg(g, 0);
	const ir_expr *y = gradient_arg(g, 1);
	const ir_expr *each = grad_per_sample(g);

	if (!each)
		return false;
	each = gradient_neg(g, each);
	g->to[0] = gradient_mul(g, each, gradient_div(g, y, x));
	g->to[1] = gradient_mul(g, each, gradient_unary(g, OP_log, x));
	return true;
}

bool
gradient_of_cross_entropy_with_logits(struct gradient *g)
{
	const ir_expr *each = grad_per_sample(g);

	if (!each)
		return false;
	each = gradient_neg(g, each);
	g->to[0] = gradient_mul(g, each, gradient_arg(g, 1));
	g->to[1] = gradient_mul(g, each, gradient_arg(g, 0));
	return true;
}
