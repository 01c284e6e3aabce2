/*
 * Tensor expressions (TE): what a kernel computes, one formula per tensor,
 * and schedules: in which order, as data.
 *
 * A te_func is a list of operations in order of definition. An operation has
 * one or more output tensors of static shape:
 *
 *   PARAM    comes from outside; one output
 *   COMPUTE  one formula per output over common axes; or a single fold of
 *            several values, one per output
 *   EXTERN   filled by a C routine of runtime/ that sees whole tensors
 *
 * Formulas are tir_exprs (ir/tir.h) over the variables of the axes, with
 * TIR_READ for elements of other tensors. A fold (TIR_REDUCE) is never part
 * of a larger formula: it is the whole of it.
 *
 * The text, as printed by te_print_func and te_print_schedule (terminals
 * quoted; NAME may hold dots followed by a letter; a dtype is a NAME):
 *
 *   te       : 'te' '@'NAME '(' [param {',' param}] ')' '{' {item}
 *              'return' ref {',' ref} ';' '}'
 *   param    : '%'NAME ':' type ['const' [STRING]]
 *   type     : 'Tensor' '[' '(' [dim {',' dim}] ')' ',' dtype ']'
 *   dim      : INT | NAME                             NAME: a size
 *   item     : 'attr' STRING '=' attr-value ';'
 *            | 'size' NAME '=' expr ';'
 *            | 'require' expr ',' expr ',' expr ',' STRING ';'
 *            | 'compute' NAME '(' [axis {',' axis}] ')' ':' dtypes '='
 *              exprs ';'
 *            | 'extern' NAME ':' types '=' NAME '(' [xarg {',' xarg}] ')' ';'
 *   axis     : NAME ':' (INT | NAME)                    3i64: an int64 axis
 *   dtypes   : dtype | '(' dtype {',' dtype} ')'      one per output
 *   types    : type | '(' type {',' type} ')'
 *   exprs    : expr | '(' expr ',' expr {',' expr} ')'
 *   xarg     : ref (the whole tensor) | literal | NAME (a size)
 *   ref      : '%'NAME | NAME ['.' INT]               output INT, default 0
 *   fold     : combiner '(' axis {',' axis} ';' expr {',' expr}
 *              ['where' expr] ')'                     names: te_combiner
 *   read     : ref '[' [expr {',' expr}] ']'
 *   expr     : fold | read | NAME (an axis)
 *            | the expressions of ir/tir.h
 *
 *   schedule : 'schedule' '@'NAME ['for' STRING] '{'
 *              {'stage' NAME '{' {prim ';'} '}'} '}'
 *   prim     : WORD [names] ['->' names] [WORD INT] ['in'] [STRING]
 *   names    : NAME | '(' NAME {',' NAME} ')'
 *
 * attr-value is a literal as in attributes of Relay functions, or a Relay
 * type (for "relay.type", present where a parameter or the result is a nest
 * of tuples). A fold with several values belongs to a compute with as many
 * outputs. What a primitive looks like says ir/prims.def.
 *
 * A dimension that is known at run time only is a size: an int64 variable
 * with a name. The sizes of a parameter are new where they first appear in
 * its type; others are computed ("size"), from sizes before them and, in an
 * operator that is told a shape by a tensor, from elements of parameters.
 * What must hold of them says "require": a condition, two numbers to report
 * with it, a text. Sizes are checked and computed before anything else, by a
 * function of their own (te/sizes.h).
 */
#ifndef RELAY_IR_TE_H
#define RELAY_IR_TE_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/attr.h"
#include "ir/dtype.h"
#include "ir/fwd.h"
#include "ir/tir.h"
#include "support/loc.h"

enum te_op_kind { TE_PARAM, TE_COMPUTE, TE_EXTERN };

struct te_axis {
	const struct tir_var *var; /* runs over [0, extent) */
	int64_t extent;            /* or a size: te_is_size */
};

struct te_size {
	const struct tir_var *var; /* int64 */
	int32_t param;             /* a dimension of this parameter, or -1 */
	int32_t dim;
	const tir_expr *value; /* without a parameter: what it is */
};

struct te_require {
	const tir_expr *cond; /* over sizes */
	const tir_expr *a;    /* int64: reported */
	const tir_expr *b;
	const char *message; /* interned: "nn.dense: ..." */
	struct loc loc;
};

struct te_tensor {
	struct te_op *op;
	uint32_t output; /* which output of OP */
	struct dtype dtype;
	uint32_t ndim;
	const int64_t *shape;
};

struct te_op {
	enum te_op_kind kind;
	const char *name; /* interned, unique in its function */
	uint32_t id;      /* position in te_func.ops */
	struct loc loc;
	uint32_t noutputs;
	struct te_tensor *outputs; /* array of NOUTPUTS */

	/* PARAM */
	bool is_const;          /* always bound to a constant */
	const char *const_name; /* interned, or NULL */

	/* COMPUTE */
	uint32_t naxes; /* == outputs[i].ndim */
	struct te_axis *axes;
	const tir_expr **body; /* one per output; or only body[0], */
			       /* a TIR_REDUCE of NOUTPUTS values */
	/* EXTERN: int32_t symbol(outputs..., args...), 0 = well */
	const char *symbol; /* interned */
	const char *from;   /* the operator that it is for, or NULL */
	uint32_t nargs;
	struct te_extern_arg *args;
};

/* A tensor (passed as a pointer to its first element) or a literal. */
struct te_extern_arg {
	struct te_tensor *tensor; /* or NULL */
	const tir_expr *scalar;   /* INT (int64), FLOAT or STRING */
};

/*
 * How two partial results become one. All are associative and commutative
 * and have an identity, so a fold may be reordered and split. SUM takes any
 * number of values, each for itself; ARG* take (index, value): the better
 * value wins, of equal ones the smaller (ARG*_LAST: the larger) index.
 */
enum te_combiner {
	TE_SUM,         /* "sum": 0 */
	TE_PROD,        /* "prod": 1 */
	TE_MIN,         /* "min": the largest finite value */
	TE_MAX,         /* "max": the lowest finite value */
	TE_ANY,         /* "any": False */
	TE_ALL,         /* "all": True */
	TE_ARGMIN,      /* "argmin": (largest, largest) */
	TE_ARGMAX,      /* "argmax": (largest, lowest) */
	TE_ARGMIN_LAST, /* "argmin_last": (-1, largest) */
	TE_ARGMAX_LAST, /* "argmax_last": (-1, lowest) */
	TE_COMBINER_COUNT
};

extern const char *const te_combiner_names[TE_COMBINER_COUNT];

/*
 * The payload of TIR_REDUCE. The operands of the expression are the values,
 * then the condition if HAS_COND: elements where it is false do not count.
 */
struct te_reduce {
	enum te_combiner combiner;
	uint32_t naxes;
	const struct te_axis *axes;
	uint32_t nvalues;
	bool has_cond;
};

struct te_func {
	const char *name; /* interned */
	struct loc loc;
	const ir_type *relay_type; /* fn (...) -> ..., for callers */
	const ir_dict *attrs;      /* as printed */
	uint32_t nops;
	uint32_t nparams; /* the first of them are PARAMs */
	struct te_op **ops;
	uint32_t noutputs;
	struct te_tensor **outputs;
	uint32_t nsizes;
	struct te_size *sizes;
	uint32_t nrequires;
	struct te_require *
		requires;
	uint32_t sizes_cap, requires_cap; /* private, as is this: */
	uint32_t ops_cap, outputs_cap;
	struct te_name *names; /* operations by name */
	uint32_t nnames;
};

enum te_prim_kind {
#define PRIM(id, word, nin, nout, number, string) TE_PRIM_##id,
#include "ir/prims.def"
	TE_PRIM_COUNT
};

/* What a primitive takes; counts: -1 = one or more. */
struct te_prim_info {
	const char *word;
	int nin;
	int nout;
	const char *number; /* word before the number, or NULL */
	const char *string; /* "in", "" (bare string), or NULL */
};
extern const struct te_prim_info te_prim_info[TE_PRIM_COUNT];

/* The primitive called WORD, or -1. */
int te_prim_find(const char *word);

struct te_prim {
	enum te_prim_kind kind;
	struct loc loc;
	uint32_t nin;
	const char **in; /* interned names of axes or stages */
	uint32_t nout;
	const char **out;
	int64_t number;
	const char *string; /* interned */
};

struct te_stage {
	const char *name; /* of an operation, or made by a */
	struct loc loc;   /* primitive of an earlier stage */
	uint32_t nprims;
	struct te_prim *prims;
	uint32_t prims_cap; /* private */
};

struct te_schedule {
	const char *name;   /* of the te_func */
	const char *target; /* interned, or NULL */
	struct loc loc;
	uint32_t nstages;
	struct te_stage *stages;
	uint32_t stages_cap; /* private, as what follows */
	uint32_t nslots;
	uint32_t *slots; /* by name: number plus 1; all, if many */
};

/* Empty ones, in M's arena, as is all that is added to them. */
te_func *te_new_func(ir_module *m, const char *name);
te_schedule *te_new_schedule(ir_module *m, const char *name);

/*
 * Append an operation with NOUTPUTS outputs, dtype and shape of which the
 * caller fills in (te_set_output), as the body. NAME is made unique.
 */
struct te_op *te_add_op(ir_module *m, te_func *f, enum te_op_kind kind,
			const char *name, uint32_t noutputs);
void te_set_output(ir_module *m, struct te_op *op, uint32_t i,
		   struct dtype dtype, const int64_t *shape, uint32_t ndim);

/*
 * Extents that are sizes: numbers below all that a dimension may be, which
 * say which variable it is. Equal sizes are equal numbers.
 */
bool te_is_size(int64_t extent);
int64_t te_size_extent(const struct tir_var *v);
const struct tir_var *te_size_var(int64_t extent);
/* The extent as an expression of integer type T, whether size or number. */
const tir_expr *te_extent_expr(ir_module *m, struct dtype t, int64_t extent);

/* Another size called NAME (made unique); see struct te_size. */
int64_t te_add_size(ir_module *m, te_func *f, const char *name,
		    const tir_expr *value);
void te_add_require(ir_module *m, te_func *f, const struct te_require *r);
/* The place of V among the sizes, or -1. */
int te_find_size(const te_func *f, const struct tir_var *v);

/* The operation called NAME (interned), or NULL. */
struct te_op *te_find_op(const te_func *f, const char *name);

/* T[INDEX]; one index for each of the N dimensions of T. */
const tir_expr *tir_read(ir_module *m, const struct te_tensor *t,
			 const tir_expr *const *index, uint32_t n);

/* A fold; VALUES has R->nvalues elements; COND is NULL without has_cond. */
const tir_expr *te_new_reduce(ir_module *m, const struct te_reduce *r,
			      const tir_expr *const *values,
			      const tir_expr *cond);

/* Append T to what F returns. */
void te_add_output(ir_module *m, te_func *f, struct te_tensor *t);

/*
 * The stage called NAME (interned) of S or NULL; the same, appended if it is
 * not there. The pointer dies when another stage is added.
 */
struct te_stage *te_schedule_find(const te_schedule *s, const char *name);
struct te_stage *te_schedule_stage(ir_module *m, te_schedule *s,
				   const char *name);

/* Append a primitive, the rest of which the caller fills in. */
struct te_prim *te_stage_add(ir_module *m, struct te_stage *st,
			     enum te_prim_kind kind);

/*
 * The type by which Relay calls F: F->relay_type if set, else
 * fn (params) -> output or tuple of outputs, which is te_func_flat_type.
 */
const ir_type *te_func_type(ir_context *cx, te_func *f);
const ir_type *te_func_flat_type(ir_context *cx, const te_func *f);

/*
 * Form: every read names an earlier operation with as many indices as it
 * has dimensions, variables are axes of the operation, types agree, folds
 * stand alone. False and a message otherwise.
 */
struct diag;
bool te_verify(const ir_module *m, const te_func *f, struct diag *d);

#endif
