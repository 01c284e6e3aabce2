/*
 * legalize: write operators so that a target can do them.
 *
 * Each call is asked once; what comes of it is not asked again. Which rules
 * there are depends on attr:
 *
 * FTVMLegalize: a clip to the range of what qnn.requantize gives anyway goes;
 * erf of 16-bit floats is done in float32; transposed convolutions get the
 * layout NCHW (NCDHW) and kernels IOHW (IODHW); the gradient of a convolution
 * for its weight becomes a convolution; on x86 with SSE 4.2 products of bytes
 * become such of unsigned data and signed weights.
 * FTVMQnnLegalize: quantized convolutions and dense layers become such of
 * unsigned data and signed weights there, elsewhere plain ones on differences
 * of 16 bits; quantized functions of one argument a look into a table.
 * FTVMQnnCanonicalize: all quantized operators become plain ones, as in
 * qnn-legalize.
 *
 * Level: function. Needs: types.
 */
#include "passes/legalize_rules.h"
#include "passes/opcall.h"
#include "passes/pass.h"
#include "passes/quant/qnn_lower.h"
#include "te/target.h"

#include <string.h>

struct legalize {
	pass_ctx *cx;
	bool qnn; /* FTVMQnnLegalize */
	bool canonicalize;
	struct te_target target;
};

static const struct dtype float32 = {DTYPE_FLOAT, 32, 1};

static const ir_expr *
legalize_clip(const ir_expr *e, const ir_expr *old)
{
	const struct ir_call *c = ir_as_call(e);
	const struct ir_tensor_type *t =
		legalize_type(ir_as_call(old)->args[0]);
	double high;
	double low;

	if (!t || t->dtype.bits > 32 || !dtype_is_int(t->dtype) ||
	    !ir_is_call_of(c->args[0], OP_qnn_requantize))
		return e;
	high = (double)((INT64_C(1)
			 << (t->dtype.bits - (t->dtype.code == DTYPE_INT))) -
			1);
	low = t->dtype.code == DTYPE_INT ? -high - 1 : 0;
	if (ir_attrs_double(c->attrs, "a_min") > low ||
	    ir_attrs_double(c->attrs, "a_max") < high)
		return e;
	return c->args[0];
}

static const ir_expr *
legalize_erf(const struct opcall *b, const ir_expr *e, const ir_expr *old)
{
	const struct ir_tensor_type *t =
		legalize_type(ir_as_call(old)->args[0]);

	if (!t || !dtype_is_float(t->dtype) || t->dtype.bits >= 32)
		return e;
	e = opcall_unary(b, OP_erf,
			 opcall_cast(b, ir_as_call(e)->args[0], float32));
	return opcall_cast(b, e, t->dtype);
}

static const ir_expr *
to_layout(const struct opcall *b, const ir_expr *x, const char *from,
	  const char *to)
{
	return strcmp(from, to) == 0 ? x
				     : opcall_layout_transform(b, x, from, to);
}

/* DATA and KERNEL: the layouts to compute in; LAST: channels at the end. */
static const ir_expr *
legalize_transposed(const struct opcall *b, const ir_expr *e, const char *data,
		    const char *last, const char *kernel)
{
	ir_context *cx = b->m->cx;
	const struct ir_call *c = ir_as_call(e);
	const char *has = ir_attrs_string(c->attrs, "data_layout");
	const char *has_kernel = ir_attrs_string(c->attrs, "kernel_layout");
	const ir_attrs *a = c->attrs;
	const ir_expr *args[2];

	if ((strcmp(has, data) != 0 && strcmp(has, last) != 0) ||
	    strlen(has_kernel) != strlen(kernel) ||
	    ir_attrs_string(a, "out_layout")[0] != '\0' ||
	    (strcmp(has, data) == 0 && strcmp(has_kernel, kernel) == 0))
		return e;
	args[0] = to_layout(b, c->args[0], has, data);
	args[1] = to_layout(b, c->args[1], has_kernel, kernel);
	a = ir_attrs_with(cx, a, "data_layout", ATTR_STR(ir_name(cx, data)));
	a = ir_attrs_with(cx, a, "kernel_layout",
			  ATTR_STR(ir_name(cx, kernel)));
	e = ir_new_op_call(b->m, b->loc, ir_called_op(e)->id, args, 2, a);
	return to_layout(b, e, data, has);
}

/*
 * Most processors have no products of 8-bit integers with zero points: these
 * become products of 16 bits. FTVMQnnLegalize is about them, and about what a
 * table of 256 entries does.
 */
static bool
is_qnn_legalized(enum op_id op)
{
	return op == OP_qnn_conv2d || op == OP_qnn_conv2d_transpose ||
	       op == OP_qnn_dense || qnn_lower(op) == qnn_lower_unary;
}

static const ir_expr *
canonicalize(const struct legalize *l, const ir_expr *e, const ir_expr *old)
{
	qnn_lower_fn *lower = qnn_lower(ir_called_op(e)->id);
	struct qnn_site s = {
		.b = {l->cx->module, e->loc},
		.scratch = l->cx->scratch,
		.call = ir_as_call(e),
		.old = ir_as_call(old),
	};
	const ir_expr *out = lower ? lower(&s) : NULL;

	return out ? out : e;
}

static const ir_expr *
rewrite_call(const ir_expr *e, const ir_expr *old, void *env)
{
	const struct legalize *l = env;
	const ir_op *op = ir_called_op(e);
	struct opcall b = {l->cx->module, e->loc};

	if (!op)
		return e;
	if (l->qnn && l->target.int8_pairs &&
	    (op->id == OP_qnn_conv2d || op->id == OP_qnn_dense))
		return legalize_int8_quantized(&b, e, old);
	if (l->qnn)
		return is_qnn_legalized(op->id) ? canonicalize(l, e, old) : e;
	if (l->canonicalize)
		return canonicalize(l, e, old);
	switch (op->id) {
	case OP_clip:
		return legalize_clip(e, old);
	case OP_erf:
		return legalize_erf(&b, e, old);
	case OP_nn_batch_matmul:
	case OP_nn_dense:
		return l->target.int8_wide ? legalize_int8_matmul(&b, e, old)
					   : e;
	case OP_nn_conv2d:
		return l->target.int8_pairs ? legalize_int8_conv2d(&b, e, old)
					    : e;
	case OP_nn_conv2d_backward_weight:
		return legalize_backward_weight(&b, e, old);
	case OP_nn_conv2d_transpose:
		return legalize_transposed(&b, e, "NCHW", "NHWC", "IOHW");
	case OP_nn_conv3d_transpose:
		return legalize_transposed(&b, e, "NCDHW", "NDHWC", "IODHW");
	default:
		return e;
	}
}

static const struct ir_rules rules = {
	.on = {[IR_CALL] = rewrite_call},
	.counted = true,
};

const struct ir_function *
pass_legalize(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	const char *attr = pass_option(cx, "attr");
	struct legalize l = {
		.cx = cx,
		.canonicalize = strcmp(attr, "FTVMQnnCanonicalize") == 0,
		.qnn = strcmp(attr, "FTVMQnnLegalize") == 0,
		.target = te_target_parse(pass_target(cx)),
	};

	(void)def;
	if (!l.canonicalize && !l.qnn && strcmp(attr, "FTVMLegalize") != 0) {
		pass_error(cx, fn->base.loc,
			   "attr must be FTVMLegalize, FTVMQnnLegalize or "
			   "FTVMQnnCanonicalize, but is '%s'",
			   attr);
		return fn;
	}
	return ir_as_function(ir_rewrite(cx->module, &fn->base, &rules, &l));
}
