/*
 * check-kinds: what each name stands for in types, and whether types use it
 * so.
 *
 *     // List: AdtHandle, 1 parameter
 *     // @main: Type
 *
 * A name of a data type becomes a type with as many arguments as it has
 * parameters; whatever has a value has a type. Faults are errors. The reader
 * refuses them, too, so only a pass can bring them here.
 *
 * Level: analysis. Needs: types.
 */
#include "ir/verify.h"

#include "passes/analysis/report.h"

bool
pass_check_kinds(pass_ctx *cx)
{
	struct report r = {.cx = cx};
	const ir_module *m = cx->module;

	if (!ir_verify_types(m, cx->diag))
		cx->failed = true;
	for (size_t i = 0; i < m->types.len; i++) {
		const ir_type_def *t = m->types.at[i];

		report_line(&r, 0, "%s: AdtHandle, %u parameter%s", t->name,
			    t->nparams, t->nparams == 1 ? "" : "s");
	}
	for (ir_def **d = report_functions(cx); *d; d++)
		report_line(&r, 0, "@%s: Type", (*d)->name);
	report_end(&r);
	return false;
}
