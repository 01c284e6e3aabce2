/*
 * Private to te/interp_*.c: the code of a function and the machine.
 *
 * A function is compiled to cells, one per node that it owns: a node belongs
 * to the innermost function that holds all its uses. What a function takes
 * from outside - variables and nodes shared with the function around it - are
 * cells, too, filled from the closure.
 */
#ifndef RELAY_TE_INTERP_INTERNAL_H
#define RELAY_TE_INTERP_INTERNAL_H

#include "ir/expr.h"
#include "ir/module.h"
#include "support/arena.h"
#include "support/vec.h"
#include "te/interp.h"

/*
 * One node; its value lies in the slot of the same number. Operands are those
 * of the node, without an operator as callee; a let has its variable as a
 * third one, a match the variables of all its patterns after the bodies.
 */
struct interp_cell {
	const ir_expr *node;
	uint32_t nops;
	uint32_t uses;       /* by other cells of the function */
	const uint32_t *ops; /* cells */
	/* FUNCTION: its code. The operands are the cells to capture. */
	const struct interp_code *code;
};

#define INTERP_NO_CELL UINT32_MAX

struct interp_code {
	const struct ir_function *fn; /* NULL: a bare expression */
	uint32_t nparams;             /* cells [0, nparams) */
	uint32_t ncaptures;
	uint32_t *captures; /* cells that the closure fills */
	uint32_t self;      /* the closure itself, or NO_CELL */
	uint32_t ncells;
	struct interp_cell *cells;
	uint32_t root;
};

/* What the compiler notes of a node; all zeros between its runs. */
struct interp_note {
	uint32_t owner;    /* scope + 1 */
	uint32_t fn_scope; /* of a function literal: scope + 1 */
	uint32_t cell;     /* in its owner, + 1 */
};

struct interp_notes {
	struct interp_note *at; /* by node */
	uint32_t n;
};

/* The code of the function or expression E; lives in A. */
const struct interp_code *interp_compile(struct arena *a,
					 struct interp_notes *notes,
					 const ir_module *m, const ir_expr *e);

/* An activation. Its slots start at BASE of the stack of values. */
struct interp_frame {
	const struct interp_code *code;
	struct interp_value *closure; /* or NULL */
	size_t base;
	size_t work; /* where its entries on the stack of work start */
};

/* A cell that is being computed. */
struct interp_entry {
	uint32_t cell;
	uint32_t step;
};

struct interp_slot {
	struct interp_value *value;
	uint32_t left; /* uses to come */
};

struct interp {
	ir_module *m;
	struct diag *d;
	struct arena arena;
	struct arena scratch; /* of one operator */
	struct eval_machine *machine;
	const struct interp_code **codes; /* by id of the function's node */
	uint32_t ncodes;
	struct interp_notes notes;
	VEC(struct interp_frame) frames;
	VEC(struct interp_slot) slots;
	VEC(struct interp_entry) work;
	VEC(struct interp_value *) args; /* scratch of one call */
	struct interp_value *refs;       /* all cells of memory */
	struct interp_kernels *kernels;  /* private to interp_kernel.c */
	uint64_t limit; /* calls that may still begin, + 1; 0: any */
	unsigned depth; /* of kernels called by operators */
};

struct interp_value *interp_new_value(enum interp_kind kind, uint32_t n);
struct interp_value *interp_unit(void);

/* The code of the definition of a function; made on first use. */
const struct interp_code *interp_code_of(struct interp *x,
					 const struct ir_function *f);

/*
 * Run CALL, a call of an operator, on ARGS (borrowed). NULL after reporting.
 */
struct interp_value *interp_operator(struct interp *x,
				     const struct ir_call *call,
				     struct interp_value *const *args);

/* Run DEF, a kernel of a level below Relay. NULL after reporting, at LOC. */
struct interp_value *interp_lowered(struct interp *x, const ir_def *def,
				    struct interp_value *const *args,
				    uint32_t n, struct loc loc);

/* The same for operators that no kernel does; NULL if CALL is none. */
struct interp_value *interp_native(const struct ir_call *call, const ir_op *op,
				   struct interp_value *const *args);
void interp_kernels_free(struct interp *x);

/* Operators of the virtual machine; interp_vm_op is NULL after reporting. */
bool interp_is_vm_op(const ir_op *op);
struct interp_value *interp_vm_op(struct interp *x, const struct ir_call *call,
				  const ir_op *op,
				  struct interp_value *const *args);

/*
 * Call a function from inside of an operator; ARGS stay the caller's. NULL
 * after reporting, at LOC.
 */
struct interp_value *interp_apply(struct interp *x, struct interp_value *f,
				  struct interp_value *const *args, uint32_t n,
				  struct loc loc);

/* The value of CELL in the activation at the top; no reference is taken. */
struct interp_value *interp_value_of(struct interp *x, uint32_t cell);

/* One use of CELL is over. */
void interp_used(struct interp *x, uint32_t cell);

/* CELL is computed; takes V over. A value that nobody uses goes at once. */
void interp_set_value(struct interp *x, uint32_t cell, struct interp_value *v);

/* The clause of the match C that fits; binds its variables. NCLAUSES: none. */
uint32_t interp_select_clause(struct interp *x, const struct interp_cell *c);

#endif
