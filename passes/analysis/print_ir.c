/*
 * print-ir: the module as it is at this place of the pipeline.
 *
 * Level: analysis. Needs: nothing.
 */
#include "ir/print.h"

#include "passes/manager.h"
#include "support/buf.h"

bool
pass_print_ir(pass_ctx *cx)
{
	struct print_options o = cx->manager->print;
	const char *header = pass_option(cx, "header");
	struct buf text = {0};

	if (!pass_option_bool(cx, "meta"))
		o.meta = PRINT_META_OMIT;
	ir_print_module(&text, cx->module, &o);
	pass_print(cx, arena_printf(cx->scratch, "PrintIR(%s)", header), &text);
	buf_free(&text);
	return false;
}
