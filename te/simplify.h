/*
 * Simplification of index arithmetic.
 *
 * Sums of loop variables are brought into one canonical form; quotients,
 * remainders, minima and comparisons are decided by the ranges of variables.
 * A rule is applied only where it is exact: overflow in the type of the
 * expression is taken into account, so values read from tensors may take
 * part. Floating point is only folded (te/fold.h).
 */
#ifndef RELAY_TE_SIMPLIFY_H
#define RELAY_TE_SIMPLIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/module.h"
#include "ir/tir.h"

struct te_range {
	int64_t lo; /* both inclusive */
	int64_t hi;
};

/* Zeros and a module: knows of no variable. */
struct te_simplifier {
	ir_module *m;
	struct te_range_slot *slots; /* private */
	uint32_t nslots;
	uint32_t used;
	struct te_memo *memo; /* private: within one te_simplify */
};

void te_simplifier_free(struct te_simplifier *s);

/* From now on V is in [LO, HI]. */
void te_set_range(struct te_simplifier *s, const struct tir_var *v, int64_t lo,
		  int64_t hi);
bool te_get_range(const struct te_simplifier *s, const struct tir_var *v,
		  struct te_range *out);

const tir_expr *te_simplify(struct te_simplifier *s, const tir_expr *e);

/* The range of an integer expression; false: unknown, or it may wrap. */
struct te_linear;
bool te_range_of_linear(const struct te_simplifier *s,
			const struct te_linear *a, struct te_range *out);
bool te_range_of(const struct te_simplifier *s, const tir_expr *e,
		 struct te_range *out);

/* COND always holds, as far as can be seen. */
bool te_prove(struct te_simplifier *s, const tir_expr *cond);

/*
 * Narrow ranges by what COND says about single variables. The old ranges go
 * to SAVED (room for TE_MAX_NARROWED), for te_widen.
 */
enum { TE_MAX_NARROWED = 16 };
struct te_narrowed {
	uint32_t n;
	const struct tir_var *var[TE_MAX_NARROWED];
	struct te_range old[TE_MAX_NARROWED];
};
void te_narrow(struct te_simplifier *s, const tir_expr *cond,
	       struct te_narrowed *saved);
void te_widen(struct te_simplifier *s, const struct te_narrowed *saved);

#endif
