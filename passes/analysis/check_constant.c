/*
 * check-constant: is the result of each function known now?
 *
 * Constants are, and tuples of what is; everything else in a result is an
 * error. function<main>(check-constant) asks about one function, behind
 * fold-constant for instance.
 *
 * Level: analysis. Needs: nothing.
 */
#include "passes/analysis/report.h"

static bool
check(const ir_expr *e, void *env)
{
	if (e->kind == IR_CONSTANT && ir_as_constant(e)->data)
		return false;
	if (e->kind == IR_TUPLE)
		return true;
	vec_push((ir_expr_vec *)env, e);
	return false;
}

bool
pass_check_constant(pass_ctx *cx)
{
	struct report r = {.cx = cx};

	for (ir_def **d = report_functions(cx); *d; d++) {
		ir_expr_vec others = {0};

		ir_walk((*d)->fn->body, check, NULL, &others);
		for (size_t i = 0; i < others.len; i++)
			pass_error(cx, others.at[i]->loc,
				   "the result of '@%s' is not constant: it "
				   "is '%s'",
				   (*d)->name, report_word(&r, others.at[i]));
		vec_free(&others);
	}
	ir_map_free(&r.names);
	return false;
}
