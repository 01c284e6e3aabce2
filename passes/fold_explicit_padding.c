/*
 * fold-explicit-padding: let an operator pad its input itself.
 *
 *     nn.conv2d(nn.pad(%x, 0, pad_width=P), %w, padding=Q)
 *                        becomes
 *     nn.conv2d(%x, %w, padding=P+Q)
 *
 * The value that is padded must be the one that the operator would use: 0 for
 * convolutions and average pools, the lowest value for maximum pools, the zero
 * point for qnn.conv2d; and only spatial axes may be padded. An average pool
 * counts the padding from then on, so one that pads without counting stays.
 *
 * Level: function. Needs: types.
 */
#include "passes/pass.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "passes/padding.h"

enum { MAX_SPATIAL = PADDING_MAX_SPATIAL };

enum padded { CONV, QNN_CONV, MAX_POOL, AVG_POOL, OTHER };

static enum padded
classify(enum op_id op)
{
	switch (op) {
	case OP_nn_conv1d:
	case OP_nn_conv2d:
	case OP_nn_conv3d:
	case OP_nn_contrib_conv2d_NCHWc:
		return CONV;
	case OP_qnn_conv2d:
		return QNN_CONV;
	case OP_nn_max_pool1d:
	case OP_nn_max_pool2d:
	case OP_nn_max_pool3d:
		return MAX_POOL;
	case OP_nn_avg_pool1d:
	case OP_nn_avg_pool2d:
	case OP_nn_avg_pool3d:
		return AVG_POOL;
	default:
		return OTHER;
	}
}

static bool
scalar_of(const ir_expr *e, double *value)
{
	const ir_tensor *t;

	if (e->kind != IR_CONSTANT || !ir_as_constant(e)->data)
		return false;
	t = ir_as_constant(e)->data;
	if (ir_tensor_size(t) != 1)
		return false;
	*value = ir_tensor_get_double(t, 0);
	return true;
}

/* The lowest finite value of T; NaN, which nothing equals, if unknown. */
static double
lowest(struct dtype t)
{
	if (dtype_is_float(t) && t.code != DTYPE_FLOAT)
		return NAN;
	if (t.code == DTYPE_FLOAT)
		return t.bits == 64   ? -DBL_MAX
		       : t.bits == 32 ? -(double)FLT_MAX
				      : -65504.0;
	return t.code == DTYPE_INT ? -ldexp(1, t.bits - 1) : 0;
}

static bool
is_neutral(enum padded kind, const struct ir_call *call, const ir_expr *pad)
{
	const ir_type *t = call->base.type;
	double zero_point;
	double value;

	if (!scalar_of(pad, &value))
		return false;
	switch (kind) {
	case CONV:
	case AVG_POOL:
		return value == 0;
	case QNN_CONV:
		return scalar_of(call->args[2], &zero_point) &&
		       value == zero_point;
	case MAX_POOL:
		return t && t->kind == TYPE_TENSOR &&
		       value == lowest(ir_as_tensor_type(t)->dtype);
	case OTHER:
		break;
	}
	return false;
}

/*
 * The widths of PAD as an operator with LAYOUT writes them: before each
 * spatial axis, then behind each. False if other axes are padded.
 */
static bool
spatial_widths(const ir_attr *pad, const char *layout, int64_t *out,
	       uint32_t *n)
{
	uint32_t axes = 0;
	uint32_t spatial = 0;
	int64_t after[MAX_SPATIAL];

	for (const char *p = layout; *p; p++) {
		int64_t w[2];

		if (*p >= '0' && *p <= '9')
			continue;
		if (axes == pad->n || spatial == MAX_SPATIAL)
			return false;
		w[0] = ir_attr_elem_int(&pad->elems[axes], 0);
		w[1] = ir_attr_elem_int(&pad->elems[axes], 1);
		axes++;
		if (w[0] < 0 || w[1] < 0)
			return false;
		if (strchr("DHW", *p)) {
			out[spatial] = w[0];
			after[spatial++] = w[1];
		} else if (w[0] || w[1]) {
			return false;
		}
	}
	memcpy(out + spatial, after, spatial * sizeof(*after));
	*n = spatial;
	return axes == pad->n;
}

/* Add what the operator pads by itself; *PADS says whether that is any. */
static bool
add_padding(const ir_attr *padding, int64_t *widths, uint32_t n, bool *pads)
{
	int64_t own[2 * MAX_SPATIAL];

	if (!padding_widths(padding, n, own))
		return false;
	*pads = false;
	for (uint32_t i = 0; i < 2 * n; i++) {
		widths[i] += own[i];
		*pads |= own[i] != 0;
	}
	return true;
}

static const ir_expr *
fold(ir_module *m, const struct ir_call *call, enum padded kind)
{
	const ir_expr *args[6];
	const struct ir_call *pad = ir_as_call(call->args[0]);
	bool conv = kind == CONV || kind == QNN_CONV;
	const char *layout =
		ir_attrs_string(call->attrs, conv ? "data_layout" : "layout");
	const ir_attrs *a = call->attrs;
	int64_t widths[2 * MAX_SPATIAL];
	uint32_t n;
	bool pads;

	if (!spatial_widths(ir_attrs_get(pad->attrs, "pad_width"), layout,
			    widths, &n) ||
	    !add_padding(ir_attrs_get(a, "padding"), widths, n, &pads))
		return NULL;
	if (kind == AVG_POOL) {
		if (pads && !ir_attrs_bool(a, "count_include_pad"))
			return NULL;
		a = ir_attrs_with(m->cx, a, "count_include_pad",
				  ATTR_BOOLEAN(true));
	}
	a = ir_attrs_with(m->cx, a, "padding",
			  ir_attr_int_array(m->cx, widths, 2 * n, 32));
	assert(call->nargs <= 6);
	memcpy(args, call->args, call->nargs * sizeof(*args));
	args[0] = pad->args[0];
	return ir_new_call(m, call->base.loc, call->callee, args, call->nargs,
			   a);
}

static const ir_expr *
rewrite_call(const ir_expr *e, const ir_expr *old, void *env)
{
	pass_ctx *cx = env;
	const ir_op *op = ir_called_op(e);
	const struct ir_call *call = ir_as_call(e);
	const struct ir_call *pad;
	const ir_attr *width;
	enum padded kind;
	const ir_expr *new;

	if (!op || (kind = classify(op->id)) == OTHER ||
	    !ir_is_call_of(call->args[0], OP_nn_pad))
		return e;
	pad = ir_as_call(call->args[0]);
	width = ir_attrs_get(pad->attrs, "pad_width");
	if (pad->nargs != 2 || width->kind != ATTR_ARRAY ||
	    strcmp(ir_attrs_string(pad->attrs, "pad_mode"), "constant") != 0 ||
	    !is_neutral(kind, ir_as_call(old), pad->args[1]))
		return e;
	new = fold(cx->module, call, kind);
	if (!new)
		return e;
	pass_count(cx, "paddings folded", 1);
	return new;
}

static const struct ir_rules rules = {
	.on = {[IR_CALL] = rewrite_call},
	.counted = true,
};

const struct ir_function *
pass_fold_explicit_padding(pass_ctx *cx, ir_def *def,
			   const struct ir_function *fn)
{
	(void)def;
	return ir_as_function(ir_rewrite(cx->module, &fn->base, &rules, cx));
}
