/*
 * auto-scheduler-layout-rewrite, meta-schedule-layout-rewrite: keep weights in
 * the layout that the tuned schedule of a kernel reads.
 *
 * The layout comes from the tuning record of a kernel. Kernels without one are
 * left as they are, and a missed remark names the operator; as the schedules
 * of this compiler read weights as they are declared, that is all of them.
 *
 * Level: function. Needs: types.
 */
#include "passes/pass.h"

static bool
reads_weights(const ir_expr *e)
{
	return ir_is_call_of(e, OP_nn_conv2d) ||
	       ir_is_call_of(e, OP_nn_dense) ||
	       ir_is_call_of(e, OP_nn_batch_matmul) ||
	       ir_is_call_of(e, OP_nn_matmul);
}

static void
say_missed(const ir_expr *e, void *env)
{
	if (reads_weights(e))
		pass_remark_missed(env, e->loc,
				   "weights of '%s' keep their layout: no "
				   "tuning record says another",
				   ir_called_op(e)->name);
}

static bool
enter_kernel(const ir_expr *e, void *env)
{
	if (e->kind == IR_CALL && ir_is_primitive(ir_as_call(e)->callee))
		ir_walk(ir_as_call(e)->callee, NULL, say_missed, env);
	return e->kind != IR_FUNCTION || !ir_is_primitive(e);
}

static const struct ir_function *
look(pass_ctx *cx, const struct ir_function *fn)
{
	if (fn->body && pass_wants_missed_remarks(cx))
		ir_walk(fn->body, enter_kernel, NULL, cx);
	return fn;
}

const struct ir_function *
pass_auto_scheduler_layout_rewrite(pass_ctx *cx, ir_def *def,
				   const struct ir_function *fn)
{
	(void)def;
	return look(cx, fn);
}

const struct ir_function *
pass_meta_schedule_layout_rewrite(pass_ctx *cx, ir_def *def,
				  const struct ir_function *fn)
{
	(void)def;
	return look(cx, fn);
}
