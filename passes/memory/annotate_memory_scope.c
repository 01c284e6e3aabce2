/*
 * annotate-memory-scope: say which values of kernels lie in texture memory.
 * No target has any, so that every function stays as it is; the pass is there
 * for pipelines that name it.
 *
 * Level: function. Needs: types.
 */
#include "passes/pass.h"

const struct ir_function *
pass_annotate_memory_scope(pass_ctx *cx, ir_def *def,
			   const struct ir_function *fn)
{
	(void)cx;
	(void)def;
	return fn;
}
