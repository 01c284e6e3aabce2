/*
 * What forward- and backward-fold-scale-axis share: which axes of a value a
 * scale may lie on, what is a scale there, and how weights take it.
 */
#ifndef RELAY_PASSES_SCALE_SCALE_H
#define RELAY_PASSES_SCALE_SCALE_H

#include "passes/opcall.h"
#include "passes/pass.h"

/*
 * Axes, in rising order, along which a value may be scaled: n is 0 where it
 * may not. Two for a channel axis in blocks. Behind a relu the scale must be
 * positive; where something is divided by it, not zero.
 */
struct scale_axes {
	uint8_t n;
	uint8_t at[2];
	bool positive;
	bool nonzero;
};

/* The demands of both; no axes if A and B have others. */
struct scale_axes scale_axes_meet(struct scale_axes a, struct scale_axes b);
bool scale_axes_equal(struct scale_axes a, struct scale_axes b);

/* How a scale gets into the weight of an operator. */
struct scale_target {
	struct scale_axes data; /* of the operand or the result */
	uint32_t weight_ndim;
	struct scale_axes weight;
};

/*
 * CALL can take a scale of its input (OUTPUT false) or its result. False for
 * all but convolutions in one group or depthwise, and dense layers.
 */
bool scale_target_of(const struct ir_call *call, bool output,
		     struct scale_target *out);

/*
 * R, broadcast to L, varies along exactly AXES. SQUEEZE, of at least R's rank,
 * gets R's other axes and *N their number; both may be NULL.
 */
bool scale_matches(const ir_type *l, const ir_type *r, struct scale_axes axes,
		   int64_t *squeeze, uint32_t *n);

/*
 * What is known of nodes. Weights are what is computed of parameters and
 * constants element by element, as opposed to data. No element of a nonzero
 * one is 0; those of a positive one are constants.
 */
struct scale_facts {
	ir_expr_vec order; /* post-order, primitive functions not entered */
	struct ir_set weight;
	struct ir_set nonzero;
	struct ir_set positive;
};

void scale_facts_find(struct scale_facts *f, const struct ir_function *fn);
void scale_facts_free(struct scale_facts *f);

/*
 * Operand I of multiplication CALL scales the other one along AXES and
 * fulfils their demands.
 */
bool scale_is_operand(const struct ir_call *call, uint32_t i,
		      struct scale_axes axes, const struct scale_facts *f);

/* SCALE, of type R and broadcast to L, without its axes of extent 1. */
const ir_expr *scale_flatten(const struct opcall *b, const ir_expr *scale,
			     const ir_type *l, const ir_type *r,
			     struct scale_axes axes);

/* A flat SCALE shaped so that it lies on AXES of a tensor of type T. */
const ir_expr *scale_at(const struct opcall *b, const ir_expr *scale,
			const struct ir_tensor_type *t, struct scale_axes axes);

#endif
