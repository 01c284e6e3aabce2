/*
 * Passes that are a set of rules, compiled in or from a file.
 */
#ifndef RELAY_PASSES_REWRITE_RW_PASS_H
#define RELAY_PASSES_REWRITE_RW_PASS_H

#include "passes/pass.h"
#include "passes/rewrite/rw_run.h"

/*
 * FN rewritten by the rules of TEXT, which is read once for the run of the
 * pass. WANTED (may be NULL) says which rules, by name.
 */
const struct ir_function *
rw_pass(pass_ctx *cx, const struct ir_function *fn, const char *text,
	bool (*wanted)(const struct rw_rule *r, void *env),
	const struct rw_options *o);

/* The same with the rules of the file PATH; what is wrong is reported. */
const struct ir_function *
rw_pass_file(pass_ctx *cx, const struct ir_function *fn, const char *path,
	     bool (*wanted)(const struct rw_rule *r, void *env), void *env,
	     const struct rw_options *o);

#endif
