/*
 * alter-op-layout: give convolutions the layout that the target likes.
 *
 * For processors that is channels in blocks of one or two vector registers:
 *
 *     nn.conv2d(%x, %w)
 *                        becomes
 *     nn.contrib_conv2d_NCHWc(%x', %w', data_layout="NCHW16c",
 *                             kernel_layout="OIHW16i16o")
 *
 * with transforms at the borders, as convert-layout puts them, and likewise
 * for depthwise ones. Convolutions in other groups, or with channels that
 * cannot be cut so, stay; and so do those whose weights would be transformed
 * again in every run for little work.
 *
 * Level: function. Needs: types.
 */
#include "passes/layout/conv_layout.h"
#include "passes/layout/layout_rewrite.h"

#include "te/target.h"

/* Outputs per weight below which only constant weights are transformed. */
enum { MIN_USES = 256 };

static bool
is_worth_it(const struct ir_call *call)
{
	const struct ir_tensor_type *t = ir_as_tensor_type(call->base.type);
	const struct ir_tensor_type *w = ir_as_tensor_type(call->args[1]->type);
	int64_t outputs;

	if (call->args[1]->kind == IR_CONSTANT)
		return true;
	return ir_shape_is_static(w) && ir_shape_size(t, &outputs) &&
	       outputs / (w->shape[0].value ? w->shape[0].value : 1) >=
		       MIN_USES;
}

static bool
choose_block(ir_context *cx, const struct ir_call *call,
	     struct layout_choice *c, unsigned block)
{
	return conv_layout_block(cx, call, c, ir_namef(cx, "NCHW%uc", block),
				 ir_namef(cx, "OIHW%ui%uo", block, block)) ||
	       conv_layout_block_depthwise(cx, call, c, block);
}

static bool
choose(pass_ctx *cx, const struct ir_call *call, struct layout_choice *c,
       void *env)
{
	const struct te_target *target = env;
	const struct ir_tensor_type *t;
	unsigned lanes;

	if (c->op != OP_nn_conv2d || call->base.type->kind != TYPE_TENSOR)
		return false;
	t = ir_as_tensor_type(call->base.type);
	if (!dtype_is_float(t->dtype) || !is_worth_it(call))
		return false;
	lanes = te_target_lanes(target, t->dtype);
	for (unsigned block = 2 * lanes; block >= lanes && block > 1;
	     block /= 2)
		if (choose_block(cx->module->cx, call, c, block))
			return true;
	return false;
}

const struct ir_function *
pass_alter_op_layout(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct te_target target = te_target_parse(pass_target(cx));

	(void)def;
	if (target.kind != TE_TARGET_CPU)
		return fn;
	return layout_rewrite(cx, fn, choose, &target);
}
