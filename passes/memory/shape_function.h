/*
 * Shape functions: how large the results of a kernel are, as a Relay function
 * of the shapes, or where that decides, the values, of its inputs.
 */
#ifndef RELAY_PASSES_MEMORY_SHAPE_FUNCTION_H
#define RELAY_PASSES_MEMORY_SHAPE_FUNCTION_H

#include "passes/pass.h"

struct shape_input {
	uint32_t tensor; /* of the kernel: inputs, tuples flattened */
	bool is_data;    /* its values, not its shape */
};

struct shape_function {
	/*
	 * fn (inputs, Primitive=1), of the shape of the one result or a tuple
	 * of those of all, each a vector of int64.
	 */
	const ir_expr *fn;
	uint32_t ninputs;
	struct shape_input *inputs;
	uint32_t nresults;
	uint32_t *ranks;
};

/* What a kernel does: FN, or F in tensor expressions. Lives in A. */
struct shape_function *shape_function_of_relay(ir_module *m, struct arena *a,
					       const struct ir_function *fn);
struct shape_function *shape_function_of_te(ir_module *m, struct arena *a,
					    const te_func *f);
/* Both are NULL where no formula over the inputs is known. */

#endif
