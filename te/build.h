/*
 * From a primitive Relay function to tensor expressions.
 */
#ifndef RELAY_TE_BUILD_H
#define RELAY_TE_BUILD_H

#include "ir/expr.h"
#include "ir/module.h"
#include "ir/te.h"
#include "ir/walk.h"
#include "support/diag.h"

struct te_build_request {
	const char *name;             /* interned: of the te_func */
	const struct ir_function *fn; /* typed; operators only */
	/*
	 * By parameter of FN: what is always passed for it (an IR_CONSTANT),
	 * or NULL; and whether a constant is. The arrays may be NULL.
	 */
	const ir_expr *const *bound;
	const bool *constant;
};

/*
 * The computes of a primitive function. Tuples are flattened: parameters and
 * results follow depth-first. Constants of rank 0 are part of the formulas;
 * each other constant in FN becomes one more parameter, and is appended to
 * EXTRA in that order, so that calls can pass it.
 *
 * The result is not added to M. NULL after reporting to D: an operator
 * without a rule, an unknown dimension, a construct that is no operator.
 */
te_func *te_build(ir_module *m, const struct te_build_request *r,
		  ir_expr_vec *extra, struct diag *d);

/* Simplify all formulas and drop operations that no result needs. */
void te_canon(ir_module *m, te_func *f);

/* The second half of that. */
void te_drop_dead(te_func *f);

/* Ranges of the axes of OP, folds included, for a simplifier. */
struct te_simplifier;
void te_set_axis_ranges(struct te_simplifier *s, const struct te_op *op);

#endif
