/*
 * Casts of expressions between floating types, each made once: a cast of a
 * cast that leads back is the expression itself.
 */
#ifndef RELAY_PASSES_QUANT_LOW_CASTS_H
#define RELAY_PASSES_QUANT_LOW_CASTS_H

#include "ir/module.h"
#include "ir/walk.h"
#include "support/arena.h"

struct low_casts {
	ir_module *m;
	struct arena *scratch;
	struct ir_map made; /* node -> list of casts of it */
};

void low_casts_free(struct low_casts *c);

/*
 * E, which is typed, with its floating elements as T says: a tensor type for
 * a tensor, tuples field by field. Types that are neither, and elements that
 * are no floats, stay. NULL for T: DTYPE everywhere. The result is typed.
 */
const ir_expr *low_cast(struct low_casts *c, const ir_expr *e, const ir_type *t,
			struct dtype dtype);

/* The same down to the end of a chain of lets. */
const ir_expr *low_cast_tail(struct low_casts *c, const ir_expr *e,
			     const ir_type *t);

/* The type of a tuple of these typed expressions. */
const ir_type *low_tuple_type(struct low_casts *c, const ir_expr *const *fields,
			      uint32_t n);

#endif
