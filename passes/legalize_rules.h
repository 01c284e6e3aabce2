/*
 * Rules of legalize that are files of their own. Each gets the call E, whose
 * arguments are done, and OLD, which has types, and returns E itself where
 * there is nothing to do.
 */
#ifndef RELAY_PASSES_LEGALIZE_RULES_H
#define RELAY_PASSES_LEGALIZE_RULES_H

#include "passes/opcall.h"

/* The type of E, or NULL if it is no tensor. */
static inline const struct ir_tensor_type *
legalize_type(const ir_expr *e)
{
	return e->type && e->type->kind == TYPE_TENSOR
		       ? ir_as_tensor_type(e->type)
		       : NULL;
}

const ir_expr *legalize_backward_weight(const struct opcall *b,
					const ir_expr *e, const ir_expr *old);

/* Products of bytes as of unsigned data with signed weights, for x86. */
const ir_expr *legalize_int8_conv2d(const struct opcall *b, const ir_expr *e,
				    const ir_expr *old);
const ir_expr *legalize_int8_matmul(const struct opcall *b, const ir_expr *e,
				    const ir_expr *old);
const ir_expr *legalize_int8_quantized(const struct opcall *b, const ir_expr *e,
				       const ir_expr *old);

#endif
