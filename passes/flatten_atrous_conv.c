/*
 * flatten-atrous-conv: one dilated convolution instead of three operators.
 *
 *     %0 = nn.space_to_batch_nd(%x, block_shape=[2, 2], ...);
 *     %1 = nn.conv2d(%0, %w, ...);
 *     nn.batch_to_space_nd(%1, block_shape=[2, 2], ...)
 *                        becomes
 *     nn.conv2d(%x, %w, padding=..., dilation=[2, 2], ...)
 *
 * The batches hold every B-th row and column, so a step of the kernel in them
 * is B steps in %x. What is padded first and what the convolution pads, B
 * times, is padding of the dilated one; what is cropped at the end is taken
 * from it. Strides must be 1, and nobody else may use the values between.
 *
 * Level: function. Needs: types.
 */
#include "passes/padding.h"
#include "passes/pass.h"

#include <string.h>

struct flatten {
	pass_ctx *cx;
	struct ir_map uses;
};

static bool
used_once(const struct flatten *f, const ir_expr *e)
{
	return (uintptr_t)ir_map_get(&f->uses, e) == 1;
}

static bool
is_zero(const ir_expr *e)
{
	const ir_tensor *t;

	if (e->kind != IR_CONSTANT || !ir_as_constant(e)->data)
		return false;
	t = ir_as_constant(e)->data;
	return ir_tensor_size(t) == 1 && ir_tensor_get_double(t, 0) == 0;
}

static bool
is_plain_conv(const struct ir_call *conv)
{
	const ir_attr *strides = ir_attrs_get(conv->attrs, "strides");
	const char *out = ir_attrs_string(conv->attrs, "out_layout");

	if (strcmp(ir_attrs_string(conv->attrs, "data_layout"), "NHWC") != 0 ||
	    (*out && strcmp(out, "NHWC") != 0))
		return false;
	for (uint32_t i = 0; i < strides->n; i++)
		if (strides->elems[i].kind != ATTR_INT ||
		    strides->elems[i].i != 1)
			return false;
	return !ir_is_call_of(&conv->base, OP_qnn_conv2d) ||
	       is_zero(conv->args[2]);
}

/* Row I of WIDTHS, a list of two pairs. */
static bool
read_pair(const ir_attr *widths, uint32_t i, int64_t out[2])
{
	const ir_attr *pair;

	if (widths->kind != ATTR_ARRAY || widths->n != 2)
		return false;
	pair = &widths->elems[i];
	if (pair->kind != ATTR_ARRAY || pair->n != 2 ||
	    pair->elems[0].kind != ATTR_INT || pair->elems[1].kind != ATTR_INT)
		return false;
	out[0] = pair->elems[0].i;
	out[1] = pair->elems[1].i;
	return true;
}

/* Padding and dilation of the one convolution; false if there is none. */
static bool
flat_attrs(const struct ir_call *to_batch, const struct ir_call *conv,
	   const struct ir_call *to_space, int64_t padding[4],
	   int64_t dilation[2])
{
	const ir_attr *block = ir_attrs_get(to_batch->attrs, "block_shape");
	const ir_attr *d = ir_attrs_get(conv->attrs, "dilation");
	int64_t own[4];

	if (!ir_attr_equal(block,
			   ir_attrs_get(to_space->attrs, "block_shape")) ||
	    block->kind != ATTR_ARRAY || block->n != 2 ||
	    d->kind != ATTR_ARRAY || d->n != 2 ||
	    ir_attrs_double(to_batch->attrs, "pad_value") != 0 ||
	    !padding_widths(ir_attrs_get(conv->attrs, "padding"), 2, own))
		return false;
	for (uint32_t i = 0; i < 2; i++) {
		int64_t b = ir_attr_elem_int(block, i);
		int64_t pad[2];
		int64_t crop[2];

		if (!read_pair(ir_attrs_get(to_batch->attrs, "paddings"), i,
			       pad) ||
		    !read_pair(ir_attrs_get(to_space->attrs, "crops"), i,
			       crop) ||
		    d->elems[i].kind != ATTR_INT)
			return false;
		padding[i] = pad[0] + own[i] * b - crop[0];
		padding[i + 2] = pad[1] + own[i + 2] * b - crop[1];
		dilation[i] = d->elems[i].i * b;
		if (padding[i] < 0 || padding[i + 2] < 0)
			return false;
	}
	return true;
}

static const ir_expr *
rewrite_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct flatten *f = env;
	ir_module *m = f->cx->module;
	const ir_expr *args[6];
	const struct ir_call *conv;
	const struct ir_call *to_batch;
	const ir_attrs *a;
	int64_t padding[4];
	int64_t dilation[2];

	if (!ir_is_call_of(e, OP_nn_batch_to_space_nd) ||
	    (!ir_is_call_of(ir_as_call(e)->args[0], OP_nn_conv2d) &&
	     !ir_is_call_of(ir_as_call(e)->args[0], OP_qnn_conv2d)))
		return e;
	conv = ir_as_call(ir_as_call(e)->args[0]);
	if (!ir_is_call_of(conv->args[0], OP_nn_space_to_batch_nd) ||
	    !used_once(f, ir_as_call(old)->args[0]) ||
	    !used_once(f, ir_as_call(ir_as_call(old)->args[0])->args[0]))
		return e;
	to_batch = ir_as_call(conv->args[0]);
	if (!is_plain_conv(conv) ||
	    !flat_attrs(to_batch, conv, ir_as_call(e), padding, dilation))
		return e;
	a = ir_attrs_with(m->cx, conv->attrs, "padding",
			  ir_attr_int_array(m->cx, padding, 4, 32));
	a = ir_attrs_with(m->cx, a, "dilation",
			  ir_attr_int_array(m->cx, dilation, 2, 32));
	assert(conv->nargs <= 6);
	memcpy(args, conv->args, conv->nargs * sizeof(*args));
	args[0] = to_batch->args[0];
	pass_count(f->cx, "convolutions flattened", 1);
	return ir_new_call(m, conv->base.loc, conv->callee, args, conv->nargs,
			   a);
}

static const struct ir_rules rules = {
	.on = {[IR_CALL] = rewrite_call},
	.counted = true,
};

const struct ir_function *
pass_flatten_atrous_conv(pass_ctx *cx, ir_def *def,
			 const struct ir_function *fn)
{
	struct flatten f = {.cx = cx};
	const ir_expr *result;

	(void)def;
	ir_use_counts(&fn->base, &f.uses);
	result = ir_rewrite(cx->module, &fn->base, &rules, &f);
	ir_map_free(&f.uses);
	return ir_as_function(result);
}
