/*
 * div-to-mul: divisions by constants become products with reciprocals, each
 * element with its own. The rule: passes/rewrites/div-to-mul.rules.
 *
 * Level: function. Needs: types.
 */
#include "passes/pass.h"
#include "passes/rewrite/rw_pass.h"
#include "passes/rewrites/rewrites.h"

const struct ir_function *
pass_div_to_mul(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct rw_options o = {.reassoc = true};

	(void)def;
	return rw_pass(cx, fn, rules_div_to_mul, NULL, &o);
}
