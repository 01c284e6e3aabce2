/*
 * Integer expressions as sums: k + coef1 * term1 + coef2 * term2 + ...
 *
 * A term is an expression that the sum does not look into: a variable, a
 * quotient, a read. Private to te/simplify.c and the schedules, which ask how
 * an index depends on an axis.
 */
#ifndef RELAY_TE_LINEAR_H
#define RELAY_TE_LINEAR_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/tir.h"

enum { TE_LINEAR_MAX = 24 };

struct te_term {
	const tir_expr *e;
	int64_t coef; /* not 0 */
};

struct te_linear {
	int64_t k;
	uint32_t n;
	struct te_term term[TE_LINEAR_MAX];
};

/* A total order of expressions by structure; 0: equal. */
int te_expr_compare(const tir_expr *a, const tir_expr *b);

/* OUT += COEF * E, E taken as a term. False: too large, OUT is spoilt. */
bool te_linear_add_term(struct te_linear *out, const tir_expr *e, int64_t coef);
/* OUT += COEF * A, likewise. */
bool te_linear_add(struct te_linear *out, const struct te_linear *a,
		   int64_t coef);

/* E, of a signed integer type, as a sum. False: too large. */
bool te_linear_of(const tir_expr *e, struct te_linear *out);

/* The expression that A says, of type T; large coefficients first. */
const tir_expr *te_linear_expr(ir_module *m, struct te_linear *a,
			       struct dtype t);

/* E mentions variable V. */
bool te_mentions(const tir_expr *e, const struct tir_var *v);

#endif
