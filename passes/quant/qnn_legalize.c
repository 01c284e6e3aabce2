/*
 * qnn-legalize: write quantized operators as plain ones.
 *
 *     qnn.requantize(%x, 0.5f, 3, 0.25f, 0, out_dtype="int8")
 *                        becomes
 *     %0 = cast(%x, dtype="int32");
 *     %1 = subtract(%0, 3);
 *     %2 = fixed_point_multiply(%1, multiplier=1073741824, shift=2);
 *     %3 = clip(%2, a_min=-128f, a_max=127f);
 *     cast(%3, dtype="int8")
 *
 * The result is the same to the bit. A call whose scales are no constants
 * stays, because fixed-point multipliers are attributes; so do operators that
 * have no plain form.
 *
 * Level: function. Needs: types.
 */
#include "passes/pass.h"
#include "passes/quant/qnn_lower.h"

static const ir_expr *
rewrite_call(const ir_expr *e, const ir_expr *old, void *env)
{
	pass_ctx *cx = env;
	const ir_op *op = ir_called_op(e);
	qnn_lower_fn *lower = op ? qnn_lower(op->id) : NULL;
	struct qnn_site s;
	const ir_expr *out;

	if (!lower)
		return e;
	s = (struct qnn_site){
		.b = {cx->module, e->loc},
		.scratch = cx->scratch,
		.call = ir_as_call(e),
		.old = ir_as_call(old),
	};
	out = lower(&s);
	if (!out) {
		pass_remark(cx, e->loc,
			    "'%s' stays: its scales are no constants",
			    op->name);
		return e;
	}
	pass_count(cx, "calls expanded", 1);
	return out;
}

static const struct ir_rules rules = {
	.on = {[IR_CALL] = rewrite_call},
	.counted = true,
};

const struct ir_function *
pass_qnn_legalize(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	(void)def;
	return ir_as_function(ir_rewrite(cx->module, &fn->base, &rules, cx));
}
