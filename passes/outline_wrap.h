/*
 * Operator calls outside of any primitive as primitives of their own.
 */
#ifndef RELAY_PASSES_OUTLINE_WRAP_H
#define RELAY_PASSES_OUTLINE_WRAP_H

#include "passes/pass.h"

struct outline;

/*
 * The call of a definition that does what E, a call of an operator, does.
 * OLD is E before its operands changed, whose type is known; E itself where
 * nothing can be done. GLOBAL_FOR finds or makes the definition.
 */
const ir_expr *
outline_wrap(pass_ctx *cx, const ir_expr *e, const ir_expr *old,
	     struct outline *o,
	     const struct ir_global *(*global_for)(struct outline *o,
						   const ir_expr *fn));

#endif
