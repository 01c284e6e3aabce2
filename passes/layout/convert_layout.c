/*
 * convert-layout: make operators work in the layouts that the user wants.
 *
 *     %0 = nn.conv2d(%x, %w);
 *     nn.relu(%0)
 *                        becomes, for desired-layouts=nn.conv2d=NHWC:default
 *     %0 = layout_transform(%x, src_layout="NCHW", dst_layout="NHWC");
 *     %1 = layout_transform(%w, src_layout="OIHW", dst_layout="HWIO");
 *     %2 = nn.conv2d(%0, %1, data_layout="NHWC", kernel_layout="HWIO");
 *     %3 = nn.relu(%2);
 *     layout_transform(%3, src_layout="NHWC", dst_layout="NCHW")
 *
 * What is between such operators follows, if it can, so that transforms stand
 * at the borders only.
 *
 * Level: function. Needs: types.
 */
#include <stdlib.h>
#include <string.h>

#include "passes/layout/conv_layout.h"
#include "passes/layout/layout_infer.h"
#include "passes/layout/layout_rewrite.h"

struct desired {
	const ir_op *op;
	const char *data;
	const char *kernel; /* "default" or missing: NULL */
};

struct converter {
	VEC(struct desired) desired;
	VEC(int64_t) skip; /* which convolutions to leave */
	int64_t convs;     /* seen so far */
};

/* Kernel layouts that go with data layouts. */
struct kernel_rule {
	const char *data;
	const char *kernel;
	const char *depthwise; /* NULL: the same */
};

static const struct kernel_rule conv1d_rules[] = {
	{"NCW", "OIW", NULL}, {"NWC", "WIO", NULL}, {NULL, NULL, NULL}};
static const struct kernel_rule conv2d_rules[] = {{"NCHW", "OIHW", NULL},
						  {"NHWC", "HWIO", "HWOI"},
						  {"HWNC", "HWOI", NULL},
						  {NULL, NULL, NULL}};
static const struct kernel_rule transposed_rules[] = {
	{"NCHW", "IOHW", NULL}, {"NHWC", "HWIO", NULL}, {NULL, NULL, NULL}};
static const struct kernel_rule plain_rules[] = {
	{"NCHW", "OIHW", NULL}, {"NHWC", "HWIO", NULL}, {NULL, NULL, NULL}};
static const struct kernel_rule conv3d_rules[] = {
	{"NCDHW", "OIDHW", NULL}, {"NDHWC", "DHWIO", NULL}, {NULL, NULL, NULL}};
static const struct kernel_rule transposed3d_rules[] = {
	{"NCDHW", "IODHW", NULL}, {"NDHWC", "DHWOI", NULL}, {NULL, NULL, NULL}};

static const struct kernel_rule *
rules_of(enum op_id op)
{
	switch (op) {
	case OP_nn_conv1d:
		return conv1d_rules;
	case OP_nn_conv2d:
	case OP_qnn_conv2d:
		return conv2d_rules;
	case OP_nn_conv2d_transpose:
	case OP_qnn_conv2d_transpose:
		return transposed_rules;
	case OP_nn_deformable_conv2d:
	case OP_nn_conv2d_backward_weight:
		return plain_rules;
	case OP_nn_conv3d:
		return conv3d_rules;
	case OP_nn_conv3d_transpose:
		return transposed3d_rules;
	default:
		return NULL;
	}
}

/* Operators with one layout in their attributes. */
static bool
has_one_layout(enum op_id op)
{
	switch (op) {
	case OP_nn_max_pool2d:
	case OP_nn_avg_pool2d:
	case OP_nn_global_max_pool2d:
	case OP_nn_global_avg_pool2d:
	case OP_qnn_avg_pool2d:
	case OP_image_resize1d:
	case OP_image_resize2d:
	case OP_vision_roi_align:
	case OP_vision_roi_pool:
		return true;
	default:
		return false;
	}
}

static bool
is_depthwise(const struct ir_call *call)
{
	const struct ir_tensor_type *w = ir_as_tensor_type(call->args[1]->type);
	int64_t groups = ir_attrs_int(call->attrs, "groups", 1);
	struct ir_layout kernel;
	int i;
	int o;

	if (groups == 1 ||
	    !layout_read(ir_attrs_string(call->attrs, "kernel_layout"),
			 &kernel) ||
	    kernel.n != w->ndim)
		return false;
	i = ir_layout_index(&kernel, 'I');
	o = ir_layout_index(&kernel, 'O');
	return i >= 0 && o >= 0 && ir_dim_is_const(w->shape[i]) &&
	       (w->shape[i].value == 1 || w->shape[o].value == 1);
}

static const char *
default_kernel(const struct kernel_rule *rule, const char *data, bool depthwise)
{
	for (; rule->data; rule++)
		if (strcmp(rule->data, data) == 0)
			return depthwise && rule->depthwise ? rule->depthwise
							    : rule->kernel;
	return NULL;
}

static bool
is_blocked(const char *layout)
{
	return strpbrk(layout, "0123456789") != NULL;
}

static bool
convert_conv(pass_ctx *cx, const struct ir_call *call, struct layout_choice *c,
	     const struct desired *want)
{
	const struct kernel_rule *rules = rules_of(c->op);
	const char *kernel = want->kernel;
	uint32_t spatial = (uint32_t)strlen(rules[0].data) - 2;

	if (is_blocked(want->data))
		return c->op == OP_nn_conv2d &&
		       conv_layout_block(cx->module->cx, call, c, want->data,
					 kernel);
	if (!kernel)
		kernel = default_kernel(rules, want->data, is_depthwise(call));
	c->attrs = conv_layout_set(cx->module->cx, c->attrs, "data_layout",
				   want->data);
	c->attrs = conv_layout_set(cx->module->cx, c->attrs, "kernel_layout",
				   kernel);
	c->attrs = conv_layout_pad(cx->module->cx, c->attrs, spatial);
	return true;
}

/* The gradient and the data are in one layout, the result is a kernel. */
static bool
convert_backward_weight(pass_ctx *cx, struct layout_choice *c,
			const struct desired *want)
{
	const char *kernel = want->kernel;

	if (is_blocked(want->data))
		return false;
	if (!kernel)
		kernel = default_kernel(rules_of(c->op), want->data, false);
	c->attrs = conv_layout_set(cx->module->cx, c->attrs, "data_layout",
				   want->data);
	c->attrs = conv_layout_set(cx->module->cx, c->attrs, "kernel_layout",
				   want->data);
	c->attrs =
		conv_layout_set(cx->module->cx, c->attrs, "out_layout", kernel);
	c->attrs = conv_layout_pad(cx->module->cx, c->attrs, 2);
	return true;
}

static bool
convert_one(pass_ctx *cx, struct layout_choice *c, const struct desired *want)
{
	c->attrs =
		conv_layout_set(cx->module->cx, c->attrs, "layout", want->data);
	if (ir_attrs_get(c->attrs, "out_layout"))
		c->attrs = conv_layout_set(cx->module->cx, c->attrs,
					   "out_layout", want->data);
	c->attrs = conv_layout_pad(cx->module->cx, c->attrs, 2);
	return true;
}

static bool
is_skipped(const struct converter *v, int64_t conv)
{
	for (size_t i = 0; i < v->skip.len; i++)
		if (v->skip.at[i] == conv)
			return true;
	return false;
}

static bool
choose(pass_ctx *cx, const struct ir_call *call, struct layout_choice *c,
       void *env)
{
	struct converter *v = env;
	const struct desired *want = NULL;

	for (size_t i = 0; i < v->desired.len; i++)
		if (v->desired.at[i].op->id == c->op)
			want = &v->desired.at[i];
	if (!want)
		return false;
	if (has_one_layout(c->op))
		return convert_one(cx, c, want);
	if (c->op == OP_nn_conv2d_backward_weight)
		return convert_backward_weight(cx, c, want);
	if (is_skipped(v, v->convs++))
		return false;
	return convert_conv(cx, call, c, want);
}

/* Check WANT, which stands as TEXT in the option. */
static bool
check_desired(pass_ctx *cx, struct loc loc, const struct desired *want,
	      const char *text)
{
	const struct kernel_rule *rules = rules_of(want->op->id);
	struct ir_layout l;

	if (!rules && !has_one_layout(want->op->id)) {
		pass_error(cx, loc, "the layout of '%s' cannot be chosen",
			   want->op->name);
		return false;
	}
	if (!layout_read(want->data, &l) || l.n == 0 ||
	    (want->kernel && !layout_read(want->kernel, &l))) {
		pass_error(cx, loc, "'%s' is no layout", text);
		return false;
	}
	if (rules && !want->kernel &&
	    !default_kernel(rules, want->data, false)) {
		pass_error(cx, loc,
			   "no kernel layout of '%s' goes with '%s' by "
			   "default; name one behind a colon",
			   want->op->name, want->data);
		return false;
	}
	return true;
}

/* One entry, OP=LAYOUT[:LAYOUT], cut in pieces in place. */
static bool
read_desired(pass_ctx *cx, struct loc loc, struct converter *v, char *entry)
{
	char *layouts = strchr(entry, '=');
	struct desired want = {0};
	char *next;

	if (!layouts) {
		pass_error(cx, loc,
			   "'%s' is not of the form OPERATOR=LAYOUT:LAYOUT",
			   entry);
		return false;
	}
	*layouts++ = 0;
	want.op = ir_op_find(entry, strlen(entry));
	if (!want.op) {
		pass_error(cx, loc, "no operator is called '%s'", entry);
		return false;
	}
	next = strchr(layouts, ':');
	if (next) {
		*next++ = 0;
		next[strcspn(next, ":")] = 0;
		if (strcmp(next, "default") != 0)
			want.kernel = ir_name(cx->module->cx, next);
	}
	want.data = ir_name(cx->module->cx, layouts);
	if (!check_desired(cx, loc, &want, layouts))
		return false;
	vec_push(&v->desired, want);
	return true;
}

static bool
read_options(pass_ctx *cx, struct loc loc, struct converter *v)
{
	const char *text = pass_option(cx, "desired-layouts");
	char *copy = arena_strndup(cx->scratch, text, strlen(text));
	char *skip;
	char *rest;

	if (!*text) {
		pass_error(cx, loc,
			   "option 'desired-layouts' is missing: "
			   "OPERATOR=LAYOUT:LAYOUT|...");
		return false;
	}
	for (char *p = strtok_r(copy, "|", &rest); p;
	     p = strtok_r(NULL, "|", &rest))
		if (!read_desired(cx, loc, v, p))
			return false;
	text = pass_option(cx, "skip-layers");
	skip = arena_strndup(cx->scratch, text, strlen(text));
	for (char *p = strtok_r(skip, ",", &rest); p;
	     p = strtok_r(NULL, ",", &rest)) {
		char *end;
		int64_t n = strtoll(p, &end, 10);

		if (*end || n < 0) {
			pass_error(cx, loc, "'%s' is no number of a layer", p);
			return false;
		}
		vec_push(&v->skip, n);
	}
	return true;
}

const struct ir_function *
pass_convert_layout(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct converter v = {0};

	(void)def;
	if (read_options(cx, fn->base.loc, &v))
		fn = layout_rewrite(cx, fn, choose, &v);
	vec_free(&v.desired);
	vec_free(&v.skip);
	return fn;
}
