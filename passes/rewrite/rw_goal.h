/*
 * The inside of matching; private to rw_match.c, rw_path.c, rw_fits.c.
 */
#ifndef RELAY_PASSES_REWRITE_RW_GOAL_H
#define RELAY_PASSES_REWRITE_RW_GOAL_H

#include "passes/rewrite/rw.h"

/* P is to fit E, and then what follows. */
struct rw_goal {
	const struct rw_node *p;
	const ir_expr *e;
	const struct rw_goal *next;
};

bool rw_solve(struct rw_match *m, const struct rw_goal *g);

/* How much has been bound. */
struct rw_mark {
	size_t trail;
	size_t inner;
	size_t leaves;
};

struct rw_mark rw_mark_here(const struct rw_match *m);

/* Forget what was bound since MARK; always false. */
bool rw_undo(struct rw_match *m, struct rw_mark mark);

bool rw_solve_path(struct rw_match *m, const struct rw_node *p,
		   const ir_expr *e, const struct rw_goal *next);

bool rw_fits_type(const struct rw_type *t, const ir_type *type);

/* The attribute A (NULL: absent) has the value that N says. */
bool rw_fits_value(const struct rw_node *n, const ir_attr *a);

/* E is what P, which has no parts, says. */
bool rw_fits_leaf(const struct rw_node *p, const ir_expr *e);

/* The rw_class of OP, or 0. */
unsigned rw_class_of(const ir_op *op);

#endif
