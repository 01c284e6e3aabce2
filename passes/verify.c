/*
 * Verify: form, then types. Types that are missing are filled in on the way.
 */
#include "ir/verify.h"

#include "passes/pass.h"

bool
pass_verify(pass_ctx *cx)
{
	bool stale = !cx->module->types_valid;

	cx->keeps_types = true;
	if (!ir_verify_module(cx->module, cx->diag) ||
	    (stale && !ir_infer_module(cx->module, cx->diag)))
		cx->failed = true;
	return stale;
}
