/*
 * Combining calls of one operator into one call of a batched one: arguments
 * are stacked, results split again. combine-parallel-op-batch is this alone.
 */
#ifndef RELAY_PASSES_COMBINE_BATCH_H
#define RELAY_PASSES_COMBINE_BATCH_H

#include "passes/combine/combine.h"

/* Argument I of all operators of G, stacked. */
const ir_expr *batch_stack(struct combine *c, const struct branch_group *g,
			   uint32_t i);

bool batch_arg_fits(const struct combine *c, const struct ir_call *a,
		    const struct ir_call *b, uint32_t i);
const ir_expr *batch_join_args(struct combine *c, const struct branch_group *g,
			       uint32_t depth, uint32_t parent, uint32_t i);
bool batch_follows(const struct combine *c, const struct branch_group *g,
		   uint32_t depth);
void batch_cut(struct combine *c, const struct branch_group *g, uint32_t depth,
	       const ir_expr *all, const ir_expr **parts);

#endif
