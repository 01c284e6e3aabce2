/*
 * What the functions of a module compute, for those who compare states of it.
 */
#ifndef RELAY_PASSES_VALIDATE_RUN_H
#define RELAY_PASSES_VALIDATE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/module.h"
#include "ir/npy.h"
#include "support/buf.h"
#include "support/diag.h"
#include "support/vec.h"

struct validate_cache;

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

/*
 * A module at one time: its text, the constants beside it, and what its
 * functions compute. Reference counted.
 */
struct validate_state {
	unsigned refs;
	uint64_t hash;               /* of the text */
	struct validate_state *next; /* in the cache, of the same hash */
	struct buf text;             /* without the data of constants */
	struct named_tensors constants;
	bool is_cached;
	bool is_evaluated;
	ir_module *copy; /* what the text says, typed; or NULL */
	VEC(struct validate_function) functions;
	char *error; /* why nothing can be evaluated, or NULL */
};

/*
 * The state of M, not evaluated unless it is known. With a CACHE (may be
 * NULL) two modules of the same text and constants have one state.
 */
struct validate_state *validate_state_of(struct validate_cache *cache,
					 const ir_module *m);
struct validate_state *validate_state_ref(struct validate_state *s);
void validate_state_unref(struct validate_state *s); /* accepts NULL */

/* May be called for states without a cache, too. */
bool validate_same_state(const struct validate_state *a,
			 const struct validate_state *b);

/*
 * What the text of S says, in CX, typed: S keeps it until it was evaluated, or
 * as long as the cache is there. Constants that had no data have none. NULL
 * after reporting to D, which has a source for the text.
 */
ir_module *validate_read(struct validate_state *s, ir_context *cx,
			 struct diag *d);

/*
 * Does M, printed without types, read back with all of its types? False after
 * reporting to D, the source of which is set to the text meanwhile.
 */
bool validate_reads_bare(const ir_module *m, struct diag *d);

/* Read the text into CX and run each function RUNS times. Once for a state. */
void validate_evaluate(struct validate_state *s, ir_context *cx, unsigned runs,
		       uint64_t seed);

#endif
