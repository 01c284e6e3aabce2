/*
 * extract-fused-functions: the kernels that a network needs, and nothing else.
 *
 * Runs simplify-inference and fuse-ops as at level 3, and leaves a module of
 * the primitive functions that come of it, each distinct one once, under the
 * names that outline-primitives gives.
 *
 * Level: module. Needs: types.
 */
#include "passes/outline.h"

#include <string.h>

#include "passes/registry.h"

/* Function pass FLAG with VALUES for its options on all of the module. */
static void
run(pass_ctx *cx, const char *flag, const char *const *values)
{
	const struct pass_info *info = pass_find(flag, strlen(flag));
	ir_module *m = cx->module;
	pass_ctx inner = pass_part(cx, info, values);

	assert(info && info->kind == PASS_FUNCTION);
	for (size_t i = 0; i < m->defs.len && !inner.failed; i++) {
		ir_def *def = m->defs.at[i];

		if (def->kind == DEF_FUNCTION && def->fn->body &&
		    !ir_dict_get(def->fn->attrs, ir_name(m->cx, "Compiler")))
			def->fn = info->run_function(&inner, def, def->fn);
	}
	pass_part_end(cx, &inner);
	m->types_valid = false;
	if (cx->failed || !ir_infer_module(m, cx->diag))
		cx->failed = true;
}

bool
pass_extract_fused_functions(pass_ctx *cx)
{
	static const char *const level[] = {"3", NULL, NULL, NULL};
	static const char *const none[] = {NULL};
	struct outline_options o = {0};
	ir_module *m = cx->module;

	run(cx, "simplify-inference", none);
	if (!cx->failed)
		run(cx, "fuse-ops", level);
	if (cx->failed)
		return false;
	outline_primitives(cx, &o);
	for (size_t i = m->defs.len; i-- > 0;)
		if (m->defs.at[i]->kind != DEF_FUNCTION ||
		    !is_own_primitive(m->defs.at[i]))
			ir_module_remove(m, m->defs.at[i]);
	return true;
}
