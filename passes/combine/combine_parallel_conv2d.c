/*
 * combine-parallel-conv2d: convolutions of one input by one convolution.
 *
 *     (nn.conv2d(%x, %a), nn.conv2d(%x, %b))
 *                        becomes
 *     %0 = nn.conv2d(%x, concatenate((%a, %b)));
 *     (strided_slice(%0, ...), strided_slice(%0, ...))
 *
 * They must agree in everything but the number of output channels and have one
 * group. Followers are combined while their operands have the channel axis.
 *
 * Level: function. Needs: types.
 */
#include <string.h>

#include "ir/layout.h"
#include "passes/combine/combine.h"

static int
kernel_axis(const struct ir_call *call, char letter)
{
	struct ir_layout l;

	if (!ir_layout_parse(ir_attrs_string(call->attrs, "kernel_layout"), &l))
		return -1;
	return ir_layout_index(&l, letter);
}

/* Axis of the channels in the result; -1 for an unusual layout. */
static int
channel_axis(const struct ir_call *call)
{
	const char *layout = ir_attrs_string(call->attrs, "out_layout");
	struct ir_layout l;

	if (!*layout)
		layout = ir_attrs_string(call->attrs, "data_layout");
	return ir_layout_parse(layout, &l) ? ir_layout_index(&l, 'C') : -1;
}

static bool
supported(const struct combine *c, const struct ir_call *call)
{
	(void)c;
	return ir_attrs_int(call->attrs, "groups", 1) == 1 &&
	       kernel_axis(call, 'O') >= 0 && channel_axis(call) >= 0;
}

static bool
fits(const struct combine *c, const struct ir_call *a, const struct ir_call *b)
{
	static const char *const same[] = {
		"strides",       "padding",    "dilation",  "data_layout",
		"kernel_layout", "out_layout", "out_dtype",
	};

	(void)c;
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		if (!ir_attr_equal(ir_attrs_get(a->attrs, same[i]),
				   ir_attrs_get(b->attrs, same[i])))
			return false;
	return combine_same_shape(combine_tensor(a->args[1]),
				  combine_tensor(b->args[1]),
				  kernel_axis(a, 'O'));
}

static int64_t
filters(const struct ir_call *call)
{
	return combine_tensor(call->args[1])
		->shape[kernel_axis(call, 'O')]
		.value;
}

static const ir_expr *
join(struct combine *c, const struct branch_group *g)
{
	const struct ir_call *first = g->at[0].at[0];
	const ir_expr **w = xcalloc(g->n, sizeof(const ir_expr *));
	int64_t channels = 0;
	struct ir_layout l;
	const ir_expr *args[2];
	const ir_attrs *a;

	for (uint32_t k = 0; k < g->n; k++) {
		w[k] = g->at[k].at[0]->args[1];
		channels += filters(g->at[k].at[0]);
	}
	c->channel = (uint32_t)channel_axis(first);
	ir_layout_parse(ir_attrs_string(first->attrs, "kernel_layout"), &l);
	channels *= ir_layout_factor(&l, 'O');
	args[0] = first->args[0];
	args[1] = opcall_join(&c->b, OP_concatenate, w, g->n,
			      kernel_axis(first, 'O'));
	a = ir_attrs_with(c->b.m->cx, first->attrs, "channels",
			  ATTR_INT32(channels));
	free(w);
	return ir_new_op_call(c->b.m, c->b.loc, OP_nn_conv2d, args, 2, a);
}

/* The channel axis of an operand that is broadcast to OUT; -1 if none. */
static int64_t
arg_channel(const struct combine *c, const struct ir_tensor_type *arg,
	    const struct ir_tensor_type *out)
{
	return (int64_t)c->channel - out->ndim + arg->ndim;
}

static bool
has_channels(const struct combine *c, const struct ir_call *call, uint32_t i)
{
	const struct ir_tensor_type *t = combine_tensor(call->args[i]);
	const struct ir_tensor_type *out = combine_tensor(&call->base);
	int64_t axis = arg_channel(c, t, out);

	return axis >= 0 && c->channel < out->ndim &&
	       t->shape[axis].value == out->shape[c->channel].value;
}

static bool
arg_fits(const struct combine *c, const struct ir_call *a,
	 const struct ir_call *b, uint32_t i)
{
	const struct ir_tensor_type *t = combine_tensor(a->args[i]);

	return has_channels(c, a, i) && has_channels(c, b, i) &&
	       combine_same_shape(t, combine_tensor(b->args[i]),
				  arg_channel(c, t, combine_tensor(&a->base)));
}

/* Channels stay where they are: no follower changes the rank. */
static bool
follows(const struct combine *c, const struct branch_group *g, uint32_t depth)
{
	for (uint32_t k = 0; k < g->n; k++) {
		const struct ir_tensor_type *before =
			combine_tensor(&g->at[k].at[depth - 1]->base);
		const struct ir_tensor_type *after =
			combine_tensor(&g->at[k].at[depth]->base);

		if (before->ndim != after->ndim ||
		    before->shape[c->channel].value !=
			    after->shape[c->channel].value)
			return false;
	}
	return true;
}

static const ir_expr *
join_args(struct combine *c, const struct branch_group *g, uint32_t depth,
	  uint32_t parent, uint32_t i)
{
	const struct ir_call *call = g->at[0].at[depth];
	const ir_expr **xs = xcalloc(g->n, sizeof(const ir_expr *));
	const ir_expr *e;

	(void)parent;
	for (uint32_t k = 0; k < g->n; k++)
		xs[k] = g->at[k].at[depth]->args[i];
	e = opcall_join(&c->b, OP_concatenate, xs, g->n,
			arg_channel(c, combine_tensor(call->args[i]),
				    combine_tensor(&call->base)));
	free(xs);
	return e;
}

static void
cut(struct combine *c, const struct branch_group *g, uint32_t depth,
    const ir_expr *all, const ir_expr **parts)
{
	uint32_t n = c->channel + 1;
	int64_t *begin = xcalloc(n, sizeof(*begin));
	int64_t *size = xcalloc(n, sizeof(*size));

	(void)depth;
	for (uint32_t i = 0; i < n; i++)
		size[i] = -1;
	for (uint32_t k = 0; k < g->n; k++) {
		size[n - 1] = filters(g->at[k].at[0]);
		parts[k] = opcall_slice(&c->b, all, begin, size, n);
		begin[n - 1] += size[n - 1];
	}
	free(begin);
	free(size);
}

static const struct combine_kind kind = {
	supported, fits, join, arg_fits, join_args, follows, cut,
};

const struct ir_function *
pass_combine_parallel_conv2d(pass_ctx *cx, ir_def *def,
			     const struct ir_function *fn)
{
	struct combine c = {.cx = cx, .kind = &kind, .op = OP_nn_conv2d};

	(void)def;
	return combine_parallel(&c, fn);
}
