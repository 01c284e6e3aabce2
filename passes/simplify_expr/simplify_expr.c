/*
 * simplify-expr: algebra, shapes and casts that cancel, constants that join.
 * The rules stand in passes/rewrites/simplify-expr.rules.
 *
 * simplify-expr-post-alter-op applies those of them that clean up after a
 * change of layouts.
 *
 * Level: function. Needs: types.
 */
#include "passes/pass.h"
#include "passes/rewrite/rw_pass.h"
#include "passes/rewrites/rewrites.h"

#include <string.h>

const struct ir_function *
pass_simplify_expr(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct rw_options o = {.reassoc = pass_option_bool(cx, "reassoc")};

	(void)def;
	return rw_pass(cx, fn, rules_simplify_expr, NULL, &o);
}

static bool
cleans_up(const struct rw_rule *r, void *env)
{
	static const char *const names[] = {
		"identity",   "reshape-twice",   "same-cast",
		"cast-twice", "cast-of-clipped", "idle-clip",
	};

	(void)env;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(r->name, names[i]) == 0)
			return true;
	return false;
}

const struct ir_function *
pass_simplify_expr_post_alter_op(pass_ctx *cx, ir_def *def,
				 const struct ir_function *fn)
{
	struct rw_options o = {.reassoc = false};

	(void)def;
	return rw_pass(cx, fn, rules_simplify_expr, cleans_up, &o);
}
