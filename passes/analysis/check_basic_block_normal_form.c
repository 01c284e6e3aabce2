/*
 * check-basic-block-normal-form: is what two blocks use bound by a let?
 *
 * A block is a function's body, a branch of a conditional, a clause of a
 * match or the part of a let behind its binding. Every value that
 * to-basic-block-normal-form would bind is an error.
 *
 * Level: analysis. Needs: nothing.
 */
#include "passes/analysis/report.h"

#include "passes/normal_form.h"

bool
pass_check_basic_block_normal_form(pass_ctx *cx)
{
	struct report r = {.cx = cx};
	ir_expr_vec found = {0};

	for (ir_def **d = report_functions(cx); *d; d++) {
		if (ir_is_primitive(&(*d)->fn->base))
			continue;
		vec_clear(&found);
		normal_form_unbound(cx, (*d)->fn->body, &found);
		for (size_t i = 0; i < found.len; i++) {
			const char *name = report_name(&r, found.at[i]);

			pass_error(cx, found.at[i]->loc,
				   "'%s' is used by more than one block of "
				   "'@%s' and not bound by a let",
				   name ? name : report_word(&r, found.at[i]),
				   (*d)->name);
		}
	}
	vec_free(&found);
	ir_map_free(&r.names);
	return false;
}
