/*
 * Rewriting expression DAGs, bottom-up and memoised.
 *
 * Rules see a node whose operands have been rewritten. Sharing survives: a
 * node used twice is rewritten once. A node none of whose operands changed is
 * handed on as it is, so "did it change?" is "new != old".
 */
#ifndef RELAY_IR_REWRITE_H
#define RELAY_IR_REWRITE_H

#include "ir/expr.h"
#include "ir/walk.h"

/*
 * One rewrite. E is the node with its new operands (OLD itself if none of
 * them changed); the result takes its place. OLD is the node before, whose
 * type, for example, is known. NULL leaves E.
 */
typedef const ir_expr *ir_rule_fn(const ir_expr *e, const ir_expr *old,
				  void *env);

struct ir_rules {
	ir_rule_fn *on[IR_KIND_COUNT]; /* NULL: keep the node */
	/* Return false to leave E and all below it alone (may be NULL). */
	bool (*enter)(const ir_expr *e, void *env);
	/*
	 * Called between the value and the body of a let (may be NULL): what
	 * the rule for IR_VAR answers in the body may depend on it.
	 */
	void (*bound)(const struct ir_let *let, const ir_expr *value,
		      void *env);
	bool drop_types; /* rebuilt nodes have no type */
	/*
	 * Each rule stands for itself: m->permits may refuse what one makes,
	 * and then the node stays as it is.
	 */
	bool counted;
};

const ir_expr *ir_rewrite(ir_module *m, const ir_expr *root,
			  const struct ir_rules *rules, void *env);

/*
 * ROOT with variables replaced: MAP gives the new expression by the id of the
 * old variable (absent: stays).
 */
const ir_expr *ir_substitute(ir_module *m, const ir_expr *root,
			     const struct ir_map *map);

/*
 * A copy of ROOT in which every binder inside is a new variable of the same
 * name. Nodes without binders below them and free variables are shared.
 */
const ir_expr *ir_refresh_binders(ir_module *m, const ir_expr *root);

/* F with another body; F itself if it is the same. Keeps the type. */
const struct ir_function *ir_function_with_body(ir_module *m,
						const struct ir_function *f,
						const ir_expr *body);

/* F with a body of another type, which inference finds. */
const struct ir_function *ir_function_giving(ir_module *m,
					     const struct ir_function *f,
					     const ir_expr *body);

#endif
