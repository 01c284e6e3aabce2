/*
 * What the parts of the verifier share.
 */
#ifndef RELAY_IR_VERIFY_INTERNAL_H
#define RELAY_IR_VERIFY_INTERNAL_H

#include "ir/expr.h"
#include "ir/module.h"
#include "ir/verify.h"
#include "ir/walk.h"
#include "support/arena.h"
#include "support/diag.h"
#include "support/ptrmap.h"
#include "support/vec.h"

/*
 * A region of text in which one binder's variables are known. Scopes form a
 * tree; JUMP leads to some ancestor further up, so that two scopes find their
 * common ancestor in logarithmic time however long a chain of lets is.
 */
struct verify_scope {
	uint32_t parent;
	uint32_t jump;
	uint32_t depth;
	uint32_t function; /* depth of the innermost function around; 0: none */
	bool has_value;    /* of a let: the next scope is that of its value */
};

struct verify {
	const ir_module *m;
	struct diag *d;
	unsigned errors;
	bool open; /* free variables are allowed */
	VEC(struct verify_scope) scopes;
	uint32_t *scope_of;  /* by node id; 0: not met yet */
	uint32_t *binder_of; /* by id of a variable: its scope; 0: none */
	VEC(uint32_t) bound; /* variables that have one */
	struct ptrmap seen;  /* types and records looked at */

	/* Scratch for one definition, kept for the next. */
	ir_expr_vec order;
	VEC(uint32_t) first; /* by place in ORDER: scopes that it opens */
};

void verify_error(struct verify *v, struct loc loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* verify_scope.c: variables of one definition. */
void verify_scopes(struct verify *v, const ir_expr *root);

/* verify_node.c: one node, and a type that stands at LOC. */
void verify_node(struct verify *v, const ir_expr *e);
void verify_type(struct verify *v, const ir_type *t, struct loc loc);

#endif
