/*
 * May an expression be dropped, or evaluated twice, without anybody noticing?
 *
 * Reading and writing references, stateful operators, and calls of functions
 * that nobody can name (parameters, fields, contents of data) are effects.
 * Functions that call themselves are taken as pure if nothing else in them
 * says otherwise: whether they end is not asked.
 */
#ifndef RELAY_PASSES_PURITY_H
#define RELAY_PASSES_PURITY_H

#include <stdbool.h>

#include "ir/module.h"
#include "ir/walk.h"

struct purity {
	struct ir_set impure_eval; /* nodes whose evaluation has effects */
	struct ir_set impure_call; /* ... whose value has when called */
	struct ir_set known;       /* nodes looked at */
	bool all_pure;             /* nothing has effects */
};

/* Classify all nodes of all functions of M. */
void purity_compute(struct purity *p, const ir_module *m);
void purity_free(struct purity *p);

/*
 * No function of M does anything that could be noticed, so that it does not
 * matter either which of them is called.
 */
bool purity_no_effects(const ir_module *m);

/*
 * Classify what was made of classified nodes: E and what is below it, up to
 * nodes that are known. Each node is looked at once, however often this is
 * called.
 */
void purity_add(struct purity *p, const ir_expr *e);

/* Evaluating E has no effect. E must have been in M, or added. */
bool purity_is_pure(const struct purity *p, const ir_expr *e);

#endif
