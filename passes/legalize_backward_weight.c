/*
 * legalize: the gradient of a convolution for its weight, as a convolution.
 *
 *     nn.conv2d_backward_weight(%g, %x, padding=[1, 1, 1, 1], channels=8,
 *                               kernel_size=[3, 3])
 *                        becomes
 *     %0 = tile(%g, reps=[1, 4, 1, 1]);
 *     %1 = reshape(%x, newshape=[1, -1, 0, 0]);
 *     %2 = reshape(%0, newshape=[-1, 1, 0, 0]);
 *     %3 = nn.conv2d(%1, %2, padding=[1, 1, 1, 1], groups=4 * batch);
 *     %4 = reshape(%3, newshape=[batch, 4, 8, 3, 3]);
 *     %5 = sum(%4, axis=[0]);
 *     transpose(%5, axes=[1, 0, 2, 3])
 *
 * Each channel of each image is a group, and the images of the gradient are
 * its filters. Strides and dilations trade places; where the stride does not
 * divide, a row or column too many comes out and is cut off.
 *
 * With groups the filters meet the channels that they belong to only if there
 * is one group or one channel in each. TVM 0.18 does the same to all groups,
 * with wrong numbers; here other calls stay.
 */
#include <string.h>

#include "passes/legalize_rules.h"

struct site {
	const struct opcall *b;
	const ir_attrs *attrs;
	int64_t batch, inputs, outputs, groups;
	int64_t in[2], grad[2], kernel[2]; /* height and width */
	int64_t stride[2], dilation[2];
	int64_t pad[4]; /* top, left, bottom, right */
};

/* Element I of the list NAME, which may be shorter: it repeats. */
static int64_t
element(const ir_attrs *attrs, const char *name, uint32_t i, int64_t deflt)
{
	const ir_attr *a = ir_attrs_get(attrs, name);

	return a && a->kind == ATTR_ARRAY && a->n
		       ? ir_attr_elem_int(a, i % a->n)
		       : deflt;
}

/* Gradient, data and result are NCHW, NCHW and OIHW. */
static bool
is_plain(const ir_attrs *a)
{
	const char *out = ir_attrs_string(a, "out_layout");

	return strcmp(ir_attrs_string(a, "data_layout"), "NCHW") == 0 &&
	       strcmp(ir_attrs_string(a, "kernel_layout"), "NCHW") == 0 &&
	       (!*out || strcmp(out, "OIHW") == 0);
}

static const struct ir_tensor_type *
static_type(const ir_expr *e)
{
	const struct ir_tensor_type *t = legalize_type(e);

	return t && t->ndim == 4 && ir_shape_is_static(t) ? t : NULL;
}

static bool
site_init(struct site *s, const struct ir_call *old)
{
	const struct ir_tensor_type *grad = static_type(old->args[0]);
	const struct ir_tensor_type *data = static_type(old->args[1]);

	if (!grad || !data || !is_plain(s->attrs))
		return false;
	s->groups = ir_attrs_int(s->attrs, "groups", 1);
	s->batch = data->shape[0].value;
	s->inputs = data->shape[1].value;
	s->outputs = grad->shape[1].value;
	for (uint32_t i = 0; i < 2; i++) {
		s->in[i] = data->shape[2 + i].value;
		s->grad[i] = grad->shape[2 + i].value;
		s->kernel[i] = element(s->attrs, "kernel_size", i, 0);
		s->stride[i] = element(s->attrs, "strides", i, 1);
		s->dilation[i] = element(s->attrs, "dilation", i, 1);
	}
	for (uint32_t i = 0; i < 4; i++)
		s->pad[i] = element(s->attrs, "padding", i, 0);
	return s->groups == 1 || s->groups == s->inputs;
}

static const ir_expr *
convolve(const struct site *s, const ir_expr *grad, const ir_expr *data)
{
	static const int64_t filters[] = {-1, 1, 0, 0};
	static const int64_t image[] = {1, -1, 0, 0};
	int64_t reps[] = {1, s->inputs / s->groups, 1, 1};
	ir_context *cx = s->b->m->cx;
	const ir_attrs *a = opcall_attrs(s->b, OP_nn_conv2d, NULL);
	const ir_expr *args[2];

	grad = opcall_unary_ints(s->b, OP_tile, grad, "reps", reps, 4);
	args[0] = opcall_reshape(s->b, data, image, 4);
	args[1] = opcall_reshape(s->b, grad, filters, 4);
	a = ir_attrs_with(cx, a, "strides",
			  ir_attr_int_array(cx, s->dilation, 2, 32));
	a = ir_attrs_with(cx, a, "dilation",
			  ir_attr_int_array(cx, s->stride, 2, 32));
	a = ir_attrs_with(cx, a, "padding",
			  ir_attr_int_array(cx, s->pad, 4, 32));
	a = ir_attrs_with(cx, a, "groups", ATTR_INT32(s->inputs * s->batch));
	a = ir_attrs_with(cx, a, "out_dtype",
			  *ir_attrs_get(s->attrs, "out_dtype"));
	return ir_new_op_call(s->b->m, s->b->loc, OP_nn_conv2d, args, 2, a);
}

/* E, as large as SIZE says, without what is beyond the kernel. */
static const ir_expr *
cut(const struct site *s, const ir_expr *e, const int64_t size[2])
{
	const int64_t end[] = {s->outputs, s->inputs / s->groups, s->kernel[0],
			       s->kernel[1]};

	if (size[0] == s->kernel[0] && size[1] == s->kernel[1])
		return e;
	return opcall_head(s->b, e, end, 4, false);
}

const ir_expr *
legalize_backward_weight(const struct opcall *b, const ir_expr *e,
			 const ir_expr *old)
{
	static const int64_t axes[] = {1, 0, 2, 3};
	const struct ir_call *c = ir_as_call(e);
	struct site s = {.b = b, .attrs = c->attrs};
	const int64_t first = 0;
	int64_t size[2];

	if (!site_init(&s, ir_as_call(old)))
		return e;
	for (uint32_t i = 0; i < 2; i++) {
		int64_t span = (s.grad[i] - 1) * s.stride[i] + 1;
		int64_t room = s.in[i] + s.pad[i] + s.pad[i + 2] - span;

		size[i] = room < 0 ? 0 : room / s.dilation[i] + 1;
		if (size[i] < s.kernel[i])
			return e;
	}
	int64_t parts[] = {s.batch, s.inputs / s.groups, s.outputs, size[0],
			   size[1]};

	e = convolve(&s, c->args[0], c->args[1]);
	e = opcall_reshape(b, e, parts, 5);
	e = opcall_unary_ints(b, OP_sum, e, "axis", &first, 1);
	e = opcall_unary_ints(b, OP_transpose, e, "axes", axes, 4);
	return cut(&s, e, size);
}
