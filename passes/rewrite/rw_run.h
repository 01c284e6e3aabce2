/*
 * Applying a set of rules to an expression until none fits.
 */
#ifndef RELAY_PASSES_REWRITE_RW_RUN_H
#define RELAY_PASSES_REWRITE_RW_RUN_H

#include "passes/pass.h"
#include "passes/rewrite/rw.h"

struct rw_set;

/*
 * The rules of F with a replacement, in their order; WANTED (may be NULL)
 * picks some of them. F must outlive the set.
 */
struct rw_set *rw_set_new(const struct rw_file *f,
			  bool (*wanted)(const struct rw_rule *r, void *env),
			  void *env);
void rw_set_free(struct rw_set *s); /* accepts NULL */

struct rw_options {
	bool reassoc; /* conditions may reorder sums of floats */
};

/*
 * ROOT, typed, with all rules applied. A node is looked at when its operands
 * are done, and what a rule makes is looked at again, so each application
 * costs the size of a rule. The first rule that fits wins; it is not applied
 * when its result has another type, when it would take away a node that
 * something else uses as well (unless the rule is "shared"), or when it would
 * lose an effect. Rules that never come to an end are an error of the pass.
 * S is for one module, which may not change until it is freed.
 */
const ir_expr *rw_set_run(struct rw_set *s, pass_ctx *cx, const ir_expr *root,
			  const struct rw_options *o);

#endif
