/*
 * canonicalize-ops: nn.bias_add becomes add, with the bias expanded so that
 * it lines up. The rule: passes/rewrites/canonicalize-ops.rules.
 *
 * Level: function. Needs: types.
 */
#include "passes/pass.h"
#include "passes/rewrite/rw_pass.h"
#include "passes/rewrites/rewrites.h"

const struct ir_function *
pass_canonicalize_ops(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct rw_options o = {.reassoc = true};

	(void)def;
	return rw_pass(cx, fn, rules_canonicalize_ops, NULL, &o);
}
