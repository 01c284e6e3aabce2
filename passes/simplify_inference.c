/*
 * simplify-inference: expand normalisations that only training needs whole.
 *
 *     nn.batch_norm(%x, %g, %b, %m, %v).0
 *                        becomes
 *     %x * expand(%g / sqrt(%v + eps)) + expand(-%m * (..) + %b)
 *
 * Likewise dropout (its first result is its input), layer, group and instance
 * norm, and l2_normalize, which lose their affine parts where the attributes
 * say so. Of tuples only projection 0 of the call itself is rewritten; calls
 * whose other results are used stay. Group norm needs known extents.
 *
 * Level: function. Needs: types.
 */
#include "passes/opcall.h"
#include "passes/pass.h"

#include <stdlib.h>

struct norm {
	struct opcall b;
	const struct ir_call *call;
	const ir_attrs *attrs;
	const struct ir_tensor_type *data;
	int64_t axis; /* not negative */
};

static bool
norm_init(struct norm *n, ir_module *m, const ir_expr *e, const ir_expr *old)
{
	const ir_type *t = ir_type_of(ir_as_call(old)->args[0]);

	if (t->kind != TYPE_TENSOR)
		return false;
	n->b = (struct opcall){m, e->loc};
	n->call = ir_as_call(e);
	n->attrs = n->call->attrs;
	n->data = ir_as_tensor_type(t);
	n->axis = 0;
	if (ir_attrs_get(n->attrs, "axis") &&
	    ir_attrs_get(n->attrs, "axis")->kind == ATTR_INT)
		n->axis = ir_attrs_int(n->attrs, "axis", 0);
	if (n->axis < 0)
		n->axis += n->data->ndim;
	return true;
}

static const ir_expr *
epsilon_of(const struct norm *n, const char *name)
{
	return opcall_scalar(&n->b, n->data->dtype,
			     (double)(float)ir_attrs_double(n->attrs, name));
}

static const ir_expr *
at_axis(const struct norm *n, const ir_expr *bias)
{
	return opcall_bias_at(&n->b, bias, n->data->ndim, n->axis);
}

static const ir_expr *
expand_batch_norm(const struct norm *n)
{
	const struct opcall *b = &n->b;
	const ir_expr *const *a = n->call->args;
	const ir_expr *eps = epsilon_of(n, "epsilon");
	const ir_expr *root =
		opcall_unary(b, OP_sqrt, opcall_binary(b, OP_add, a[4], eps));
	const ir_expr *scale = opcall_binary(
		b, OP_divide, opcall_scalar(b, n->data->dtype, 1), root);
	const ir_expr *shift;

	if (ir_attrs_bool(n->attrs, "scale"))
		scale = opcall_binary(b, OP_multiply, scale, a[1]);
	shift = opcall_binary(b, OP_multiply,
			      opcall_unary(b, OP_negative, a[3]), scale);
	if (ir_attrs_bool(n->attrs, "center"))
		shift = opcall_binary(b, OP_add, shift, a[2]);
	scale = opcall_binary(b, OP_multiply, a[0], at_axis(n, scale));
	return opcall_binary(b, OP_add, scale, at_axis(n, shift));
}

/* (x - mean) / sqrt(variance + eps) over AXES. */
static const ir_expr *
normalized(const struct norm *n, const ir_expr *x, const int64_t *axes,
	   uint32_t naxes)
{
	const struct opcall *b = &n->b;
	ir_context *cx = b->m->cx;
	const ir_expr *eps = epsilon_of(n, "epsilon");
	const ir_expr *mean = opcall_reduce(b, OP_mean, x, axes, naxes);
	const ir_attrs *va =
		ir_attrs_defaults(cx, ir_op_info(OP_variance)->attrs);
	const ir_expr *args[] = {x, mean};
	const ir_expr *variance;
	const ir_expr *root;

	va = ir_attrs_with(cx, va, "axis",
			   ir_attr_int_array(cx, axes, naxes, 32));
	va = ir_attrs_with(cx, va, "keepdims", ATTR_BOOLEAN(true));
	variance = ir_new_op_call(b->m, b->loc, OP_variance, args, 2, va);
	root = opcall_unary(b, OP_sqrt,
			    opcall_binary(b, OP_add, variance, eps));
	return opcall_binary(b, OP_divide,
			     opcall_binary(b, OP_subtract, x, mean), root);
}

/* Times gamma, plus beta, where the attributes want them. */
static const ir_expr *
affine(const struct norm *n, const ir_expr *x)
{
	if (ir_attrs_bool(n->attrs, "scale"))
		x = opcall_binary(&n->b, OP_multiply, x,
				  at_axis(n, n->call->args[1]));
	if (ir_attrs_bool(n->attrs, "center"))
		x = opcall_binary(&n->b, OP_add, x,
				  at_axis(n, n->call->args[2]));
	return x;
}

static const ir_expr *
expand_layer_norm(const struct norm *n)
{
	int64_t axis = ir_attrs_int(n->attrs, "axis", -1);

	return affine(n, normalized(n, n->call->args[0], &axis, 1));
}

static const ir_expr *
expand_instance_norm(const struct norm *n)
{
	int64_t *axes = xcalloc(n->data->ndim, sizeof(*axes));
	uint32_t naxes = 0;
	const ir_expr *x;

	for (uint32_t i = 1; i < n->data->ndim; i++)
		if (i != n->axis)
			axes[naxes++] = i;
	x = affine(n, normalized(n, n->call->args[0], axes, naxes));
	free(axes);
	return x;
}

/* Channels are split into (groups, channels per group) and back. */
static const ir_expr *
expand_group_norm(const struct norm *n)
{
	const struct opcall *b = &n->b;
	uint32_t ndim = n->data->ndim;
	int64_t groups = ir_attrs_int(n->attrs, "num_groups", 1);
	int64_t *old_shape = xcalloc(ndim, sizeof(*old_shape));
	int64_t *new_shape = xcalloc(ndim + 1, sizeof(*new_shape));
	int64_t *axes = xcalloc(ndim + 1, sizeof(*axes));
	uint32_t nnew = 0;
	uint32_t naxes = 0;
	const ir_expr *x;

	for (uint32_t i = 0; i < ndim; i++) {
		old_shape[i] = n->data->shape[i].value;
		if (i >= n->axis)
			axes[naxes++] = i + 1;
		if (i == n->axis) {
			new_shape[nnew++] = groups;
			new_shape[nnew++] = old_shape[i] / groups;
		} else {
			new_shape[nnew++] = old_shape[i];
		}
	}
	x = opcall_reshape(b, n->call->args[0], new_shape, nnew);
	x = opcall_reshape(b, normalized(n, x, axes, naxes), old_shape, ndim);
	free(old_shape);
	free(new_shape);
	free(axes);
	return affine(n, x);
}

static const ir_expr *
expand_l2_normalize(const struct norm *n)
{
	const struct opcall *b = &n->b;
	ir_context *cx = b->m->cx;
	const ir_expr *x = n->call->args[0];
	const ir_expr *sum = opcall_reduce(
		b, OP_sum, opcall_binary(b, OP_multiply, x, x), NULL, 0);
	const ir_attrs *a = ir_attrs_with(cx, ir_as_call(sum)->attrs, "axis",
					  *ir_attrs_get(n->attrs, "axis"));

	sum = ir_new_op_call(b->m, b->loc, OP_sum, ir_as_call(sum)->args, 1, a);
	sum = opcall_binary(b, OP_maximum, sum, epsilon_of(n, "eps"));
	return opcall_binary(b, OP_divide, x, opcall_unary(b, OP_sqrt, sum));
}

static const ir_expr *
rewrite_proj(const ir_expr *e, const ir_expr *old, void *env)
{
	pass_ctx *cx = env;
	const ir_expr *call = ir_as_proj(e)->tuple;
	const ir_expr *old_call = ir_as_proj(old)->tuple;
	struct norm n;

	if (ir_as_proj(e)->index != 0 || call->kind != IR_CALL ||
	    old_call->kind != IR_CALL)
		return e;
	if (ir_is_call_of(call, OP_nn_dropout))
		return ir_as_call(call)->args[0];
	if (ir_is_call_of(call, OP_nn_batch_norm) &&
	    norm_init(&n, cx->module, call, old_call))
		return expand_batch_norm(&n);
	return e;
}

static const ir_expr *
rewrite_call(const ir_expr *e, const ir_expr *old, void *env)
{
	pass_ctx *cx = env;
	const ir_op *op = ir_called_op(e);
	struct norm n;

	if (!op ||
	    (op->id != OP_nn_layer_norm && op->id != OP_nn_group_norm &&
	     op->id != OP_nn_instance_norm && op->id != OP_nn_l2_normalize))
		return e;
	if (!norm_init(&n, cx->module, e, old))
		return e;
	if (op->id == OP_nn_layer_norm)
		return expand_layer_norm(&n);
	if (op->id == OP_nn_instance_norm)
		return expand_instance_norm(&n);
	if (op->id == OP_nn_l2_normalize)
		return expand_l2_normalize(&n);
	if (!ir_shape_is_static(n.data) ||
	    ir_attrs_int(n.attrs, "num_groups", 1) <= 0)
		return e;
	return expand_group_norm(&n);
}

static const struct ir_rules rules = {
	.on =
		{
			[IR_PROJ] = rewrite_proj,
			[IR_CALL] = rewrite_call,
		},
	.counted = true,
};

const struct ir_function *
pass_simplify_inference(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	(void)def;
	return ir_as_function(ir_rewrite(cx->module, &fn->base, &rules, cx));
}
