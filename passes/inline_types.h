/*
 * What the type parameters of a function stand for in one of its calls.
 */
#ifndef RELAY_PASSES_INLINE_TYPES_H
#define RELAY_PASSES_INLINE_TYPES_H

#include "ir/expr.h"
#include "support/arena.h"

/* A call of a global, in whatever form it is written. */
struct inline_call {
	const ir_expr *callee;
	const ir_expr *const *args; /* one for each parameter */
	const ir_type *type;        /* of the result */
};

struct inline_types {
	const struct ir_function *f;
	const ir_type **to; /* by index of the type parameter */
};

/* Types of parameters against those of arguments; TO lives in SCRATCH. */
void inline_find_types(struct inline_types *ta, const struct ir_function *f,
		       const struct inline_call *call, struct arena *scratch);

/* What T stands for; ENV is a struct inline_types. For ir_type_substitute. */
const ir_type *inline_map_type(const ir_type *t, void *env);

#endif
