/*
 * The evaluator of Relay modules: functions, closures, data types, matches,
 * references, recursion. Operators run as kernels of the evaluator of loops
 * (te/eval.h).
 *
 * Evaluation is by need within one activation of a function: a shared node is
 * computed once, a branch that is not taken not at all; let values come before
 * bodies, arguments before calls. Calls in tail position take no space.
 */
#ifndef RELAY_TE_INTERP_H
#define RELAY_TE_INTERP_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/fwd.h"
#include "ir/tensor.h"
#include "support/diag.h"

enum interp_kind {
	INTERP_TENSOR,
	INTERP_TUPLE,
	INTERP_DATA,    /* a constructor and its fields */
	INTERP_CLOSURE, /* a function and what it captured */
	INTERP_REF,     /* a cell: at[0] */
	INTERP_BUILTIN, /* an operator, constructor or kernel as a function */
};

/* Reference counted. All but the content of a cell is immutable. */
struct interp_value {
	enum interp_kind kind;
	unsigned refs;
	uint32_t n; /* values in AT */
	union {
		ir_tensor *tensor;              /* TENSOR: one reference held */
		const struct ir_ctor *ctor;     /* DATA */
		const struct interp_code *code; /* CLOSURE */
		const ir_expr *builtin; /* BUILTIN: op_ref, ctor or global */
		struct {
			struct interp_value **link;
			struct interp_value *next;
		} cell; /* REF: private, the list of all */
	};
	struct interp_value *at[];
};

/* New values with one reference; those of parts are taken over. */
struct interp_value *interp_tensor(ir_tensor *t);
struct interp_value *interp_tuple(struct interp_value *const *fields,
				  uint32_t n);

struct interp_value *interp_ref(struct interp_value *v);
void interp_unref(struct interp_value *v); /* accepts NULL */

struct interp;

/* M must be typed. Values may outlive the evaluator, but not the module. */
struct interp *interp_new(ir_module *m, struct diag *d);
void interp_free(struct interp *x); /* accepts NULL */

/* From now on fail after CALLS calls of functions; 0: never. */
void interp_limit(struct interp *x, uint64_t calls);

/*
 * Call the definition DEF (a Relay function) with ARGS, which stay the
 * caller's. NULL after reporting: a failing kernel, a match without a case, a
 * placeholder, too deep a recursion.
 */
struct interp_value *interp_call(struct interp *x, const ir_def *def,
				 struct interp_value *const *args, uint32_t n);

/* The value of E, which has no free variables. */
struct interp_value *interp_eval(struct interp *x, const ir_expr *e);

#endif
