/*
 * fold-scale-axis: backward-fold-scale-axis, forward-fold-scale-axis and
 * fold-constant, one after the other.
 *
 * Level: function. Needs: types.
 */
#include <string.h>

#include "passes/registry.h"
#include "passes/scale/scale.h"

/* What pass FLAG, with its default options, makes of FN; typed again. */
static const struct ir_function *
run(pass_ctx *cx, const char *flag, ir_def *def, const struct ir_function *fn)
{
	const struct pass_info *info = pass_find(flag, strlen(flag));
	pass_ctx inner = *cx;
	const struct ir_function *result;

	assert(info && info->kind == PASS_FUNCTION);
	inner.info = info;
	inner.values = NULL;
	result = info->run_function(&inner, def, fn);
	cx->failed |= inner.failed;
	if (result != fn && !cx->failed &&
	    !ir_infer_expr(cx->module, &result->base, cx->diag))
		cx->failed = true;
	return result;
}

const struct ir_function *
pass_fold_scale_axis(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	static const char *const steps[] = {
		"backward-fold-scale-axis",
		"forward-fold-scale-axis",
		"fold-constant",
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (!cx->failed)
			fn = run(cx, steps[i], def, fn);
	return fn;
}
