/*
 * Primitive functions as definitions of the module.
 */
#ifndef RELAY_PASSES_OUTLINE_H
#define RELAY_PASSES_OUTLINE_H

#include <stdbool.h>

#include "passes/pass.h"

struct outline_options {
	const char *prefix;  /* of names; NULL: none */
	bool wrap_operators; /* calls outside of any primitive */
};

/*
 * Give every called literal with Primitive=1, no Compiler and no free
 * variables a definition: @fused_OP_OP..., one for each group of structurally
 * equal literals. With wrap_operators, each call of an operator outside of
 * primitives first becomes a primitive of its own. True if anything changed.
 */
bool outline_primitives(pass_ctx *cx, const struct outline_options *o);

/* DEF is a primitive that this compiler lowers itself. */
bool is_own_primitive(const ir_def *def);

#endif
