#include "passes/layout/conv_layout.h"

#include "passes/layout/layout_infer.h"
#include "passes/padding.h"

const ir_attrs *
conv_layout_set(ir_context *cx, const ir_attrs *a, const char *field,
		const char *layout)
{
	return ir_attrs_with(cx, a, field, ATTR_STR(ir_name(cx, layout)));
}

const ir_attrs *
conv_layout_pad(ir_context *cx, const ir_attrs *a, uint32_t spatial)
{
	const ir_attr *padding = ir_attrs_get(a, "padding");
	int64_t widths[2 * PADDING_MAX_SPATIAL];

	if (!padding || !padding_widths(padding, spatial, widths))
		return a;
	return ir_attrs_with(cx, a, "padding",
			     ir_attr_int_array(cx, widths, 2 * spatial, 32));
}

/* Extent of axis LETTER, blocks included, of operand I; 0 if unknown. */
static int64_t
extent(const struct ir_call *call, uint32_t i, const char *field, char letter)
{
	const struct ir_tensor_type *t = ir_as_tensor_type(call->args[i]->type);
	struct ir_layout l;
	int at;

	if (!layout_read(ir_attrs_string(call->attrs, field), &l) ||
	    l.n != t->ndim || (at = ir_layout_index(&l, letter)) < 0 ||
	    !ir_dim_is_const(t->shape[at]))
		return 0;
	return t->shape[at].value * ir_layout_factor(&l, letter);
}

/* Channels can be cut into the blocks of DATA and KERNEL. */
static bool
blocks_fit(const struct ir_call *call, const char *data, const char *kernel)
{
	int64_t in = extent(call, 0, "data_layout", 'C');
	int64_t out = extent(call, 1, "kernel_layout", 'O');
	struct ir_layout d;
	struct ir_layout k;

	return in && out && layout_read(data, &d) && layout_read(kernel, &k) &&
	       in % ir_layout_factor(&d, 'C') == 0 &&
	       in % ir_layout_factor(&k, 'I') == 0 &&
	       out % ir_layout_factor(&d, 'C') == 0 &&
	       out % ir_layout_factor(&k, 'O') == 0;
}

/* The blocked operator wants to be told what the others read from weights. */
static const ir_attrs *
write_sizes(ir_context *c, const struct ir_call *call, const ir_attrs *a)
{
	int64_t kernel[2] = {
		extent(call, 1, "kernel_layout", 'H'),
		extent(call, 1, "kernel_layout", 'W'),
	};

	if (ir_attrs_get(a, "channels")->kind == ATTR_NULL)
		a = ir_attrs_with(
			c, a, "channels",
			ATTR_INT32(extent(call, 1, "kernel_layout", 'O')));
	if (ir_attrs_get(a, "kernel_size")->kind == ATTR_NULL)
		a = ir_attrs_with(c, a, "kernel_size",
				  ir_attr_int_array(c, kernel, 2, 32));
	return a;
}

static void
choose_blocks(ir_context *cx, const struct ir_call *call,
	      struct layout_choice *c, enum op_id op, const char *data,
	      const char *kernel)
{
	const ir_attrs *a = write_sizes(cx, call, c->attrs);

	a = conv_layout_set(cx, a, "data_layout", data);
	a = conv_layout_set(cx, a, "kernel_layout", kernel);
	if (*ir_attrs_string(a, "out_layout"))
		a = conv_layout_set(cx, a, "out_layout", data);
	c->op = op;
	c->attrs = conv_layout_pad(cx, a, 2);
}

bool
conv_layout_block(ir_context *cx, const struct ir_call *call,
		  struct layout_choice *c, const char *data, const char *kernel)
{
	if (ir_attrs_int(call->attrs, "groups", 1) != 1 ||
	    !blocks_fit(call, data, kernel))
		return false;
	choose_blocks(cx, call, c, OP_nn_contrib_conv2d_NCHWc, data, kernel);
	return true;
}

bool
conv_layout_block_depthwise(ir_context *cx, const struct ir_call *call,
			    struct layout_choice *c, unsigned block)
{
	int64_t groups = ir_attrs_int(call->attrs, "groups", 1);

	if (groups == 1 || groups % block ||
	    extent(call, 0, "data_layout", 'C') != groups ||
	    extent(call, 1, "kernel_layout", 'O') != groups ||
	    extent(call, 1, "kernel_layout", 'I') != 1)
		return false;
	choose_blocks(cx, call, c, OP_nn_contrib_depthwise_conv2d_NCHWc,
		      ir_namef(cx, "NCHW%uc", block),
		      ir_namef(cx, "OIHW1i%uo", block));
	return true;
}
