/*
 * Intermediate values: what extract-intermediate-expr numbers.
 */
#ifndef RELAY_PASSES_ANALYSIS_INTERMEDIATE_H
#define RELAY_PASSES_ANALYSIS_INTERMEDIATE_H

#include <stdbool.h>

#include "ir/expr.h"

/* Calls, tuples and projections count, in post-order from 0. */
static inline bool
is_intermediate(const ir_expr *e)
{
	return e->kind == IR_CALL || e->kind == IR_TUPLE || e->kind == IR_PROJ;
}

#endif
