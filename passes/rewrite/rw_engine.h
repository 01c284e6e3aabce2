/*
 * The state of applying rules; private to rw_run.c and rw_once.c.
 */
#ifndef RELAY_PASSES_REWRITE_RW_ENGINE_H
#define RELAY_PASSES_REWRITE_RW_ENGINE_H

#include "passes/rewrite/rw_fn.h"
#include "passes/rewrite/rw_set.h"

/* E is worked on; at the end, REPLACED (if set) says what stands for it. */
struct rw_frame {
	const ir_expr *e;
	const ir_expr *replaced;
	uint32_t next;
};

/* A rule that fits at LOC, but may not be applied. */
struct rw_refusal {
	struct loc loc;
	const struct rw_rule *rule;
	const char *why;
};

struct rw_engine {
	pass_ctx *cx;
	ir_module *m;
	struct rw_set *set;
	bool effects; /* IMPURE tells of which nodes */
	struct rw_env env;
	struct rw_match match;
	struct ir_map memo;
	struct ir_map uses;
	struct ir_set impure;   /* nodes that have effects, or may */
	struct ir_set original; /* nodes counted before the round */
	VEC(struct rw_frame) stack;
	VEC(const ir_expr *) operands;
	VEC(const ir_expr *) built; /* slots of the replacement */
	const ir_expr *made;        /* by accept */
	bool remarks;
	VEC(struct rw_refusal) refusals; /* of this round */
	struct loc remarked;             /* the last remark's place */
	unsigned again;                  /* how often it was there */
	uint64_t applied;
	uint64_t fuel;
	bool first_round;    /* all nodes are those of the module */
	struct ir_set taken; /* nodes of matches, in a sweep */
	bool sweeping;
	bool failed;
};

/* Count the users of the nodes under ROOT, and find those with effects. */
void rw_begin_round(struct rw_engine *r, const ir_expr *root);
void rw_end_round(struct rw_engine *r);

/* A node that a rule made has effects if one of its operands has. */
void rw_mark_effects(struct rw_engine *r, const ir_expr *e);

/* What RULE makes of E, or NULL. */
const ir_expr *rw_try(struct rw_engine *r, const struct rw_rule *rule,
		      const ir_expr *e);

/*
 * rw_once.c: ROOT with RULE applied wherever it fits, from the results
 * backwards, each node in one match at most, and not to what it makes.
 */
const ir_expr *rw_sweep(struct rw_engine *r, const struct rw_rule *rule,
			const ir_expr *root);

#endif
