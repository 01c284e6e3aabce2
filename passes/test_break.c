/*
 * test-break: wrong on purpose, to try the tools that look for wrong passes.
 *
 * Calls of the operator "op" with two arguments become subtractions, others
 * their first argument (mode=number; mode=place: and their place is lost); or
 * they are an error, end the process, never end (mode=error, crash, loop).
 *
 * Level: function. Needs: nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "passes/pass.h"

static bool
is_target(pass_ctx *cx, const ir_expr *e)
{
	const ir_op *op = ir_called_op(e);
	const char *wanted = pass_option(cx, "op");

	return op && strcmp(op->name, wanted) == 0;
}

static const ir_expr *
break_call(const ir_expr *e, const ir_expr *old, void *env)
{
	pass_ctx *cx = env;
	const char *mode = pass_option(cx, "mode");
	const struct ir_call *call = ir_as_call(e);

	(void)old;
	if (!is_target(cx, e) || cx->failed)
		return e;
	if (strcmp(mode, "crash") == 0)
		abort();
	while (strcmp(mode, "loop") == 0)
		pause();
	if (strcmp(mode, "error") == 0) {
		pass_error(cx, e->loc, "this pass does not like '%s'",
			   ir_called_op(e)->name);
		return e;
	}
	if (call->nargs == 0)
		return e;
	if (call->nargs == 2)
		return ir_new_op_call(cx->module,
				      strcmp(mode, "place") ? e->loc : LOC_NONE,
				      OP_subtract, call->args, 2, NULL);
	return call->args[0];
}

static bool
mode_is_known(pass_ctx *cx)
{
	static const char *const modes[] = {"number", "place", "error", "crash",
					    "loop"};
	const char *mode = pass_option(cx, "mode");

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (strcmp(mode, modes[i]) == 0)
			return true;
	pass_error(cx, LOC_NONE,
		   "option 'mode': number, place, error, crash or loop, not "
		   "'%s'",
		   mode);
	return false;
}

const struct ir_function *
pass_test_break(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	static const struct ir_rules rules = {
		.on = {[IR_CALL] = break_call},
		.counted = true,
	};

	(void)def;
	if (!mode_is_known(cx))
		return fn;
	return ir_as_function(ir_rewrite(cx->module, &fn->base, &rules, cx));
}
