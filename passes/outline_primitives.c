/*
 * outline-primitives: make each distinct primitive function a definition.
 *
 *     %1 = fn (%p0, Primitive=1) { exp(%p0) };  %1(%x)
 *
 * becomes a call of
 *
 *     def @fused_exp(%p0, Primitive=1, global_symbol="fused_exp") { ... }
 *
 * and structurally equal literals share it. The inverse of inlining for
 * primitives; running it twice is running it once.
 *
 * Level: module. Needs: types.
 */
#include "passes/outline.h"

bool
pass_outline_primitives(pass_ctx *cx)
{
	struct outline_options o = {0};

	return outline_primitives(cx, &o);
}
