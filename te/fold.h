/*
 * Scalar expressions with constant operands folded and neutral elements
 * dropped. Nothing here needs to know the range of a variable: that is
 * te/simplify.h. Floats are folded only where the result is exact in every
 * rounding, that is when both operands are constants.
 */
#ifndef RELAY_TE_FOLD_H
#define RELAY_TE_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/module.h"
#include "ir/tir.h"

/* VALUE reduced to the width of T (sign- or zero-extended). */
int64_t te_wrap(struct dtype t, int64_t value);

/* VALUE rounded to what T can hold. */
double te_round(struct dtype t, double value);

/* The highest or lowest finite value of T. */
const tir_expr *te_extreme(ir_module *m, struct dtype t, bool highest);

static inline int64_t
te_floordiv(int64_t a, int64_t b)
{
	int64_t q = a / b;

	return a % b != 0 && (a % b < 0) != (b < 0) ? q - 1 : q;
}

static inline int64_t
te_floormod(int64_t a, int64_t b)
{
	int64_t r = a % b;

	return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

const tir_expr *te_fold_binary(ir_module *m, enum tir_kind k, const tir_expr *a,
			       const tir_expr *b);
const tir_expr *te_fold_not(ir_module *m, const tir_expr *a);

/* K is TIR_SELECT or TIR_GUARD. */
const tir_expr *te_fold_choice(ir_module *m, enum tir_kind k,
			       const tir_expr *cond, const tir_expr *a,
			       const tir_expr *b);
const tir_expr *te_fold_cast(ir_module *m, struct dtype t, const tir_expr *a);

/* E with other operands, folded. */
const tir_expr *te_fold_with_args(ir_module *m, const tir_expr *e,
				  const tir_expr *const *args);

#endif
