/*
 * Random values of a type, as expressions: tensors become constants, data
 * types calls of constructors, function types literals.
 */
#ifndef RELAY_TE_INTERP_RANDOM_H
#define RELAY_TE_INTERP_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/expr.h"
#include "ir/module.h"

struct interp_random {
	ir_module *module; /* where nodes are made */
	uint64_t state;    /* the seed, and what becomes of it */
	bool positive;     /* no negative numbers, no zero among floats */
	int64_t any;       /* what an unknown dimension is */
};

/* The next number of the sequence. */
uint64_t interp_random_next(struct interp_random *r);

/*
 * A closed expression of type T, which the same seed gives again. Type
 * parameters stand for float32 scalars. NULL if there is no such value: T is
 * opaque, without end, or too large.
 */
const ir_expr *interp_random_expr(struct interp_random *r, const ir_type *t);

#endif
