/*
 * check-match: report what a match leaves out.
 *
 * The cases that no clause handles are an error for match, and a warning for
 * match?, which may leave some out. Type inference checks match, too; this
 * pass looks without types.
 *
 * Level: analysis. Needs: nothing.
 */
#include "passes/analysis/report.h"

static bool
check(const ir_expr *e, void *env)
{
	pass_ctx *cx = env;
	struct buf cases = {0};

	if (e->kind != IR_MATCH || !ir_unmatched_cases(ir_as_match(e), &cases))
		return true;
	if (ir_as_match(e)->complete)
		pass_error(cx, e->loc, "the match does not handle %s",
			   cases.at);
	else
		pass_warning(cx, e->loc, "the match? does not handle %s",
			     cases.at);
	buf_free(&cases);
	return true;
}

bool
pass_check_match(pass_ctx *cx)
{
	for (ir_def **d = report_functions(cx); *d; d++)
		ir_walk((*d)->fn->body, check, NULL, cx);
	return false;
}
