/*
 * extract-operators: how often each function calls each operator, in literals
 * inside of it, too.
 * print-fused-functions: the same for each primitive literal, at its calls.
 *
 * Level: analysis. Needs: nothing.
 */
#include "passes/analysis/report.h"

bool
pass_extract_operators(pass_ctx *cx)
{
	struct report r = {.cx = cx};

	for (ir_def **d = report_functions(cx); *d; d++) {
		report_line(&r, 0, "@%s", (*d)->name);
		report_operators(&r, 1, &(*d)->fn->base);
	}
	report_end(&r);
	return false;
}

static bool
print_group(const ir_expr *e, void *env)
{
	struct report *r = env;
	const ir_expr *fn = e->kind == IR_CALL ? ir_as_call(e)->callee : e;
	const char *name;

	if (e->kind != IR_CALL || !ir_is_primitive(fn))
		return !ir_is_primitive(e);
	name = report_name(r, e);
	report_line(r, 1, "%s: %s", name ? name : "result",
		    ir_type_text(r->cx->module->cx, ir_type_of(e)));
	report_operators(r, 2, fn);
	return true;
}

bool
pass_print_fused_functions(pass_ctx *cx)
{
	struct report r = {.cx = cx};

	for (ir_def **d = report_functions(cx); *d; d++) {
		report_line(&r, 0, "@%s", (*d)->name);
		ir_walk((*d)->fn->body, print_group, NULL, &r);
	}
	report_end(&r);
	return false;
}
