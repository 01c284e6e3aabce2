/*
 * One case on its way: what the ways to try it share (try.c, bang.c).
 */
#ifndef RELAY_FUZZ_OPS_ATTEMPT_H
#define RELAY_FUZZ_OPS_ATTEMPT_H

#include "codegen/feed.h"
#include "codegen/interface.h"
#include "support/arena.h"
#include "support/diag.h"
#include "support/source.h"
#include "utils/fuzz-ops/fuzz_ops.h"

struct attempt {
	const struct fuzz_case *c;
	size_t index;
	const struct fuzz_options *o;
	struct buf *out;
	struct arena arena;
	struct source source;
	struct diag diag;
	char first[400]; /* first error of the engine at work */
	ir_context *cx;
	ir_module *m;
	struct feed feed;
	ir_tensor **want; /* of the evaluator */
	uint32_t nwant;
	bool sized; /* kernels may not do for unknown shapes */
	ir_tensor **got;
	struct interface x;
};

/* C's text as a typed module; its main, or NULL after an error. */
const ir_def *attempt_begin(struct attempt *a, const struct fuzz_case *c,
			    size_t index, const struct fuzz_options *o,
			    struct buf *out);
void attempt_end(struct attempt *a);

/* Lower the module to calls of kernels for TARGET. */
bool attempt_lower(struct attempt *a, const char *target);

/* More elements than one should run. */
bool attempt_too_large(const struct ir_function *main);

/* A->want and GOT agree; if not, WHY tells. */
bool attempt_agree(struct attempt *a, ir_tensor **got, struct buf *why);

/* "WHAT: case ...: first error" and the text of the case. */
void attempt_finding(struct attempt *a, const char *what);

/* Tensors for the outputs, and the inputs in their order. */
ir_tensor **attempt_inputs(struct attempt *a);
ir_tensor **attempt_outputs(struct attempt *a);
void attempt_free(ir_tensor **t, uint32_t n); /* accepts NULL */

#endif
