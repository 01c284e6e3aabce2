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

/* Types nested deeper than this match only if they are the same. */
enum { INFER_MAX_DEPTH = 1000 };

struct infer_hole {
	const ir_type *type;  /* the TYPE_HOLE with this index */
	const ir_type *bound; /* root: what it stands for, or NULL */
	uint32_t parent;      /* own index: a root */
	uint32_t size;        /* root: holes in its class */
	uint32_t waiters;     /* root: list of waiter cells + 1 */
};

/* A cell of the list of nodes that wait for a hole. */
struct infer_waiter {
	uint32_t pending; /* index */
	uint32_t next;    /* next cell + 1 */
};

/*
 * A node that could not be typed at once: a call of an operator whose
 * relation waits for an input, or a projection out of an unknown tuple.
 */
struct infer_pending {
	const ir_expr *node;
	const ir_type *result;
	bool queued;
	bool done;
};

/* A type that an earlier inference wrote: taken if nothing else decides. */
struct infer_hint {
	const ir_type *type;
	const ir_type *annotation;
};

/* A node that is being typed; STEP counts how far it has come. */
struct infer_frame {
	const ir_expr *node;
	uint32_t step;
};

/* A set of ids whose size goes with the number of its members. */
struct infer_idset {
	uint32_t *slots; /* id + 1, 0: free */
	uint32_t nslots;
	uint32_t count;
};

struct infer {
	ir_module *m;
	ir_context *cx;
	struct diag *d;
	struct arena scratch; /* emptied after each relation */
	struct arena arena;   /* lives as long as the run */
	const ir_type *error; /* the error hole */
	const ir_type *boolean;
	VEC(struct infer_hole) holes;
	VEC(struct infer_waiter) waiters;
	VEC(struct infer_pending) pending;
	VEC(uint32_t) queue; /* pending nodes to try again */
	size_t queue_head;
	const ir_type *result; /* of the relation that runs */
	unsigned depth;        /* of unification */

	/*
	 * Relations run at once where they can. That makes no difference to
	 * waiting until calls of functions and the end of the group (LATE),
	 * unless a dimension that a relation gave was forgotten by meeting
	 * an unknown one (FORGOT): then the group is typed again, late.
	 */
	bool forgot;
	bool late;

	struct ir_set seen; /* nodes met; with trust: */
	struct infer_idset few;
	bool trust; /* in types that nodes have already */
	VEC(struct infer_frame) stack;
	VEC(const ir_expr *) fixups; /* nodes whose type holds holes */
	VEC(struct infer_hint) hints;
	VEC(const ir_expr *) untyped; /* globals that got no proper type */
	unsigned errors;              /* faults found by this run */
};

/* T with FROM[i] replaced by TO[i]. */
const ir_type *infer_replace(struct infer *in, const ir_type *t,
			     const ir_type *const *from,
			     const ir_type *const *to, uint32_t n);

/* Holes and unification: ir/infer_solve.c, ir/infer_unify.c. */
void infer_solver_init(struct infer *in);
void infer_solver_reset(struct infer *in);
void infer_solver_free(struct infer *in);
const ir_type *infer_new_hole(struct infer *in);

/* T is nested too deeply, or too large when written out, to work with. */
bool infer_is_too_big(const ir_type *t);

/* F with holes in place of its type parameters. */
const struct ir_func_type *infer_instantiate(struct infer *in,
					     const struct ir_func_type *f);

/* T with all bound holes replaced, as deep as they go. */
const ir_type *infer_resolve(struct infer *in, const ir_type *t);

/* T itself resolved, what is inside it not. */
const ir_type *infer_head(struct infer *in, const ir_type *t);

/* A resolved type that holds the error hole somewhere. */
bool infer_is_poisoned(struct infer *in, const ir_type *t);

/* All holes in T become the error hole: nothing more is said about them. */
void infer_poison(struct infer *in, const ir_type *t);

/* What is open in the arguments of data types in T becomes (). */
void infer_close_data(struct infer *in, const ir_type *t);

/*
 * Make A and B the same type. The result is what both have become: a
 * dimension that one of them does not know is unknown in it. NULL if they do
 * not match; holes may have been bound until then.
 */
const ir_type *infer_unify(struct infer *in, const ir_type *a,
			   const ir_type *b);

/* The case that at least one of A and B is a hole. */
const ir_type *infer_unify_hole(struct infer *in, const ir_type *a,
				const ir_type *b);

/* NODE is tried again when a type it needs becomes known. Its type: RESULT. */
void infer_add_pending(struct infer *in, const ir_expr *node,
		       const ir_type *result);

/* The same without trying at once what is known of it: see in->late. */
void infer_add_late(struct infer *in, const ir_expr *node,
		    const ir_type *result);
void infer_run_queue(struct infer *in);

/* Try all that is still pending once more, until nothing moves. */
void infer_run_all(struct infer *in);

/* Report at LOC, count the fault, give the error hole. */
const ir_type *infer_error(struct infer *in, struct loc loc, const char *fmt,
			   ...) __attribute__((format(printf, 3, 4)));

/* The text of T, as far as it is known. */
const char *infer_type_text(struct infer *in, const ir_type *t);

/* Has E been entered in this run? Enter it; true: for the first time. */
bool infer_has_seen(const struct infer *in, const ir_expr *e);
bool infer_see(struct infer *in, const ir_expr *e);

/* A definition gives the global G a type although this run did not. */
bool infer_known_global(struct infer *in, const struct ir_global *g);

/* Expressions: ir/infer_expr.c. */

/* Where to report E: variables stand at their declaration, so at its user. */
struct loc infer_place(const ir_expr *e, struct loc user);
void infer_set_type(struct infer *in, const ir_expr *e, const ir_type *t);

/* Give the parameters of F types, and F the type that they make. */
void infer_declare_function(struct infer *in, const struct ir_function *f);

/* Type F, declared before, and all below it. */
void infer_function(struct infer *in, const struct ir_function *f);
void infer_walk(struct infer *in, const ir_expr *root);
void infer_run(struct infer *in);

/* The type of the node is known: fill in what was not written. */
void infer_fill_var(const struct ir_var *v);
void infer_fill_function(const struct ir_function *f);

/* The variable V is bound to a value of type T at LOC. */
void infer_bind_var(struct infer *in, const struct ir_var *v, const ir_type *t,
		    struct loc loc);

/* Calls and projections: ir/infer_call.c. */
void infer_call(struct infer *in, const struct ir_call *c);
void infer_proj(struct infer *in, const struct ir_proj *p);
const ir_type *infer_op_value(struct infer *in, const struct ir_op_ref *ref);
const ir_type *infer_ctor_type(struct infer *in, const struct ir_ctor *c);

/* Try PENDING again; sets done if that decides it. */
void infer_retry(struct infer *in, uint32_t pending);

/* Match: ir/infer_match.c, ir/infer_exhaust.c. */
void infer_patterns(struct infer *in, const struct ir_match *m);
void infer_clauses(struct infer *in, const struct ir_match *m);
void infer_check_cases(struct infer *in, const struct ir_match *m);

/*
 * Relay functions in the order of inference: group I is made of
 * defs[group[I]] up to defs[group[I + 1]].
 */
struct infer_order {
	ir_def **defs;
	uint32_t *group;
	uint32_t ngroups;
};

void infer_order_init(struct infer_order *o, const ir_module *m);
void infer_order_free(struct infer_order *o);

#endif
