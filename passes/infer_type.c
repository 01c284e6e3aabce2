/*
 * InferType: what ir/infer.h does, as a pass.
 */
#include "passes/pass.h"

bool
pass_infer_type(pass_ctx *cx)
{
	cx->keeps_types = true;
	if (cx->module->types_valid)
		return false;
	if (!ir_infer_module(cx->module, cx->diag))
		cx->failed = true;
	return true;
}
