/*
 * The state of one run of type inference; private to ir/infer*.c and
 * ir/relation.c.
 *
 * A type that is not known yet is a hole. Holes form a union-find forest:
 * a root is free, or bound to a type that may hold other holes. Index 0 is
 * the error hole: what met an error has this type, unifies with everything
 * and is never reported again.
 */
#ifndef RELAY_IR_INFER_INTERNAL_H
#define RELAY_IR_INFER_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/expr.h"
#include "ir/module.h"
#include "ir/relation.h"
#include "ir/type.h"
#include "ir/walk.h"
#include "support/arena.h"
#include "support/diag.h"
#include "support/vec.h"

struct infer_hole {
	const ir_type *type;  /* the TYPE_HOLE with this index */
	const ir_type *bound; /* root: what it stands for, or NULL */
	uint32_t parent;      /* own index: a root */
	uint32_t size;        /* root: holes in its class */
	uint32_t waiters;     /* root: list of waiter cells + 1 */
};

/* A cell of the list of calls that wait for a hole. */
struct infer_waiter {
	uint32_t call; /* index into calls */
	uint32_t next; /* next cell + 1 */
};

/* An operator call whose relation could not be decided at once. */
struct infer_call {
	const struct ir_call *call;
	const ir_type *result;
	bool queued;
	bool done;
};

/* What a node whose type held holes gets in the end. */
struct infer_fixup {
	const ir_expr *node;
	const ir_type *type;
};

struct infer {
	ir_module *m;
	ir_context *cx;
	struct diag *d;
	struct arena scratch; /* for one relation */
	const ir_type *error; /* the error hole */
	VEC(struct infer_hole) holes;
	VEC(struct infer_waiter) waiters;
	VEC(struct infer_call) calls;
	VEC(uint32_t) queue; /* calls to try again */
	size_t queue_head;
	struct rel *running;   /* relation that runs just now */
	const ir_type *result; /* its result, NULL: not assigned */
};

/* Holes and unification: ir/infer_solve.c. */
void infer_solver_init(struct infer *in);
void infer_solver_reset(struct infer *in);
void infer_solver_free(struct infer *in);
const ir_type *infer_new_hole(struct infer *in);

/* T with all bound holes replaced, as deep as they go. */
const ir_type *infer_resolve(struct infer *in, const ir_type *t);

/* T itself resolved, what is inside it not. */
const ir_type *infer_head(struct infer *in, const ir_type *t);

/* A resolved type that holds the error hole somewhere. */
bool infer_is_poisoned(struct infer *in, const ir_type *t);

/*
 * Make A and B the same type. The result is what both have become: a
 * dimension that one of them does not know is unknown in it. NULL if they do
 * not match; holes may have been bound until then.
 */
const ir_type *infer_unify(struct infer *in, const ir_type *a,
			   const ir_type *b);

#endif
