/*
 * A set of rules with its index; private to rw_set.c and what runs it.
 */
#ifndef RELAY_PASSES_REWRITE_RW_SET_H
#define RELAY_PASSES_REWRITE_RW_SET_H

#include "passes/purity.h"
#include "passes/rewrite/rw_run.h"

struct rw_set {
	uint32_t *start; /* by root: first of its rules */
	const struct rw_rule **list;
	const struct rw_rule **once; /* rules of this kind, in no index */
	uint32_t nonce;
	bool looked;  /* for effects in the module */
	bool effects; /* there are some: PURITY is set */
	struct purity purity;
};

/* Nodes of M have effects; found out at the first call. */
bool rw_set_has_effects(struct rw_set *s, const ir_module *m);

/* The rules, in order, that can fit at E. */
const struct rw_rule *const *rw_set_at(const struct rw_set *s, const ir_expr *e,
				       uint32_t *n);

#endif
