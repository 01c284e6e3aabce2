/*
 * fast-math: exp, tanh, erf and softmax by faster functions that are right to
 * a few units in the last place. The rules: passes/rewrites/fast-math.rules.
 *
 * Level: function. Needs: types.
 */
#include "passes/pass.h"
#include "passes/rewrite/rw_pass.h"
#include "passes/rewrites/rewrites.h"

const struct ir_function *
pass_fast_math(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct rw_options o = {.reassoc = true};

	(void)def;
	return rw_pass(cx, fn, rules_fast_math, NULL, &o);
}
