/*
 * The machine of partial-evaluate: an evaluator with explicit stacks that
 * writes down, as lets, what it cannot compute.
 */
#ifndef RELAY_PASSES_PARTIAL_MACHINE_H
#define RELAY_PASSES_PARTIAL_MACHINE_H

#include "passes/fresh_names.h"
#include "passes/partial_value.h"
#include "passes/purity.h"

struct interp;

enum partial_step {
	STEP_OPERANDS, /* operand NEXT of E */
	STEP_LET,      /* the value of E */
	STEP_IF,       /* condition, then, else of E */
	STEP_MATCH,    /* scrutinee, then clauses of E */
	STEP_UNFOLDED, /* the body of a function called */
	STEP_RESIDUAL, /* the body of a function written */
};

/* A function that is being written. */
struct partial_residual {
	const struct ir_function *fn;
	const struct ir_var **params; /* new ones */
	struct partial_value *value;  /* the closure */
	const struct ir_var *var;     /* that it is bound to; or: */
	ir_def *def;                  /* the definition that it is */
};

struct partial_task {
	enum partial_step step;
	uint32_t next;
	const ir_expr *e;
	struct partial_env *env;
	size_t values; /* on the stack below */
	size_t lets;
	union {
		const ir_expr **branches; /* IF, MATCH: finished ones */
		const ir_pattern **patterns;
		struct partial_residual *residual;
		const struct ir_function *called;
	};
	const ir_pattern **clauses;      /* MATCH: with new variables */
	const struct partial_fuel *fuel; /* to put back */
};

struct partial_let {
	const struct ir_var *var;
	const ir_expr *value;
};

struct partial {
	pass_ctx *cx;
	ir_module *m;
	struct arena *a;
	struct fresh_names names;
	struct purity purity;
	struct interp *interp;
	struct diag quiet;

	VEC(struct partial_task) tasks;
	VEC(struct partial_value *) values;
	VEC(struct partial_let) lets;
	struct partial_store store;
	struct ir_set used; /* variables that are read */

	uint64_t time;
	size_t steps;  /* calls unfolded and lets written, in all */
	size_t budget; /* no unfolding above so many */
	struct partial_env *envs;
	struct ir_map globals;           /* global -> value */
	struct ir_map fuel;              /* function -> fuel left */
	struct ir_map var_types;         /* new variable -> its type */
	struct ir_map data_types;        /* variable of data -> its type */
	struct ir_set needed;            /* variables that results depend on */
	ir_expr_vec hints;               /* of data, not needed */
	const struct ir_function **done; /* by definition */
	struct ir_map def_index;         /* global -> index + 1 */
};

/* A new value for ATOM; the caller fills in what KIND needs. */
struct partial_value *partial_new(struct partial *p, enum partial_kind kind,
				  const ir_expr *atom);

struct partial_env *partial_new_env(struct partial *p,
				    struct partial_env *parent);

/* Write "let VAR = VALUE" (NULL: a new one); returns the use of it. */
const ir_expr *partial_emit(struct partial *p, const ir_expr *value,
			    const struct ir_var *var);

/* Wrap BODY in the lets written since there were MARK of them. */
const ir_expr *partial_close(struct partial *p, size_t mark,
			     const ir_expr *body);

/* A new variable like V, as seen from ENV. */
const struct ir_var *partial_copy_var(struct partial *p,
				      const struct partial_env *env,
				      const struct ir_var *v);

/* Begin to evaluate E: its value will be on the stack. */
void partial_eval(struct partial *p, const ir_expr *e, struct partial_env *env,
		  const struct ir_var *name);

/* passes/partial_call.c: call F (the callee of E) with ARGS. */
void partial_call(struct partial *p, const struct ir_call *e,
		  struct partial_env *env, struct partial_value *f,
		  struct partial_value *const *args);

/* Write the function literal FN, to be bound to a copy of NAME if any. */
void partial_literal(struct partial *p, const struct ir_function *fn,
		     struct partial_env *env, const struct ir_var *name);

/* The value of a global; its definition is written on first use. */
void partial_global(struct partial *p, const ir_expr *global);

/* The body of a function is done. */
void partial_end_residual(struct partial *p, const struct partial_task *t);

#endif
