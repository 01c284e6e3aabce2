/*
 * Deep copies of expressions, for passes that put one body in several places.
 */
#ifndef RELAY_IR_COPY_H
#define RELAY_IR_COPY_H

#include "ir/expr.h"
#include "ir/walk.h"

struct ir_copy_options {
	/* What takes the place of variables, by id; not copied itself. */
	const struct ir_map *vars;
	/* What type parameters stand for; NULL: nothing changes. */
	const ir_type *(*map_type)(const ir_type *t, void *env);
	void *env;
};

/*
 * A copy of ROOT: new nodes for all but variables, constants, globals,
 * operators and constructors, with the sharing of the original; new variables
 * for all binders inside. Types, annotations and places are kept, types
 * mapped. Two copies evaluate separately and bind separately.
 */
const ir_expr *ir_copy(ir_module *m, const ir_expr *root,
		       const struct ir_copy_options *o);

#endif
