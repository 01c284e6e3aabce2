/*
 * mark-compiler-functions-as-extern: definitions of external compilers, once
 * these have done their part, are Extern.
 *
 *     def @f(.., Compiler="ext", global_symbol="f") { .. }    becomes
 *     def @f(.., Extern=1) { .. }
 *
 * The body stays, for the types in it.
 *
 * Level: module. Needs: nothing. Keeps: types.
 */
#include "passes/byoc/compiler_functions.h"

bool
pass_mark_compiler_functions_as_extern(pass_ctx *cx)
{
	ir_module *m = cx->module;
	const char *filter = pass_option(cx, "compiler-filter");
	bool changed = false;

	for (size_t i = 0; i < m->defs.len; i++) {
		ir_def *def = m->defs.at[i];
		struct ir_function_parts parts;
		const ir_expr *fn;

		if (def->kind != DEF_FUNCTION ||
		    !is_compiler_function(def->fn, filter))
			continue;
		parts = ir_function_parts(def->fn);
		parts.attrs =
			ir_dict_with(m->cx, NULL, "Extern", ATTR_INT32(1));
		fn = ir_new_function(m, def->fn->base.loc, &parts);
		ir_set_type(fn, def->fn->base.type);
		def->fn = ir_as_function(fn);
		changed = true;
	}
	cx->keeps_types = true;
	return changed;
}
