/*
 * Layouts of operators that have one in their attributes.
 */
#include <string.h>

#include "passes/layout/layout_infer.h"

/* Convolutions: what the attributes say, whatever is at hand. */
bool
layout_conv(const struct layout_query *q, struct layout_answer *a)
{
	const char *data = ir_attrs_string(q->attrs, "data_layout");
	const char *kernel = ir_attrs_string(q->attrs, "kernel_layout");
	const ir_attr *out = ir_attrs_get(q->attrs, "out_layout");
	uint32_t weight = q->op->id == OP_nn_deformable_conv2d ? 2 : 1;

	layout_fill(q, a, weight, data);
	if (q->n > weight)
		a->in[weight] = kernel;
	switch (q->op->id) {
	case OP_nn_contrib_conv2d_gemm_without_weight_transform:
	case OP_nn_contrib_conv2d_winograd_without_weight_transform:
	case OP_nn_contrib_conv3d_winograd_without_weight_transform:
		a->in[weight] = layout_any;
		break;
	default:
		break;
	}
	if (out && out->kind == ATTR_STRING && *out->s)
		a->out[0] = out->s;
	return true;
}

bool
layout_dense(const struct layout_query *q, struct layout_answer *a)
{
	const ir_attr *packed = ir_attrs_get(q->attrs, "weight_layout");

	layout_fill(q, a, 2, ir_name(q->cx, "NC"));
	if (packed)
		a->in[1] = packed->s;
	return true;
}

bool
layout_fixed(const struct layout_query *q, struct layout_answer *a)
{
	uint32_t n = q->op->id == OP_nn_correlation ? 2 : 1;

	layout_fill(q, a, n, ir_attrs_string(q->attrs, "layout"));
	return true;
}

static void
set_layout(const struct layout_query *q, struct layout_answer *a,
	   const char *layout)
{
	a->attrs = ir_attrs_with(q->cx, q->attrs, "layout", ATTR_STR(layout));
}

/* Pools follow their input unless a layout of the result is asked for. */
bool
layout_pool(const struct layout_query *q, struct layout_answer *a)
{
	const char *layout = ir_attrs_string(q->attrs, "layout");
	const char *out = ir_attrs_string(q->attrs, "out_layout");

	if (*out && strcmp(out, layout) != 0)
		return false;
	if (!*out && q->now) {
		layout = q->now[0];
		set_layout(q, a, layout);
	}
	layout_fill(q, a, 1, layout);
	return true;
}

bool
layout_resize(const struct layout_query *q, struct layout_answer *a)
{
	const char *layout = ir_attrs_string(q->attrs, "layout");
	struct ir_layout l;

	/* Whoever chose another layout than the old one meant it. */
	if (q->now && strcmp(layout, q->old[0]) == 0 &&
	    layout_read(q->now[0], &l) && layout_num_primal(&l) == l.n) {
		layout = q->now[0];
		set_layout(q, a, layout);
	}
	layout_fill(q, a, 1, layout);
	return true;
}

/* The spatial axes must stay where they are. */
static bool
same_places(const char *now, const char *was)
{
	struct ir_layout a;
	struct ir_layout b;

	if (!layout_read(now, &a) || !layout_read(was, &b))
		return false;
	for (const char *p = "DHW"; *p; p++)
		if (ir_layout_index(&a, *p) != ir_layout_index(&b, *p) ||
		    ir_layout_index(&a, (char)(*p - 'A' + 'a')) >= 0)
			return false;
	return true;
}

bool
layout_upsampling(const struct layout_query *q, struct layout_answer *a)
{
	const char *layout = ir_attrs_string(q->attrs, "layout");

	if (q->now && same_places(q->now[0], layout)) {
		layout = q->now[0];
		set_layout(q, a, layout);
	}
	layout_fill(q, a, 1, layout);
	return true;
}
