/*
 * Private to passes/validate*.c: what the functions of a module compute.
 */
#ifndef RELAY_PASSES_VALIDATE_RUN_H
#define RELAY_PASSES_VALIDATE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/module.h"
#include "ir/npy.h"
#include "support/buf.h"
#include "support/vec.h"

/* A part of a result that has no parts: a tensor, or what stands there. */
struct validate_leaf {
	char *path; /* ".0.1", "" for the result itself */
	char *word; /* of a constructor or function: its name; or NULL */
	ir_tensor *tensor;
};

/* What came of one run. */
struct validate_run {
	VEC(struct validate_leaf) leaves;
	char *error; /* why nothing did, or NULL */
};

struct validate_function {
	const char *name;    /* interned */
	const ir_type *type; /* or NULL */
	VEC(struct validate_run) runs;
};

/* A module at one time, and what its functions compute. */
struct validate_state {
	struct buf text; /* without the data of constants */
	struct named_tensors constants;
	VEC(struct validate_function) functions;
	char *error; /* why nothing can be evaluated, or NULL */
};

/* The text of M and its constants, nothing evaluated yet. */
void validate_describe(struct validate_state *s, const ir_module *m);
bool validate_same_module(const struct validate_state *a,
			  const struct validate_state *b);

/* Read the text again into CX and run each function RUNS times. */
void validate_evaluate(struct validate_state *s, ir_context *cx, unsigned runs,
		       uint64_t seed);

void validate_state_free(struct validate_state *s);

#endif
