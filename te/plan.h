/*
 * A schedule applied to a function: one nest of loops per operation.
 *
 * A nest has root iterators (the axes of the operation, then those of its
 * fold), relations that replaced iterators by others, and leaves: the loops,
 * outermost first. Private to te/.
 */
#ifndef RELAY_TE_PLAN_H
#define RELAY_TE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/module.h"
#include "ir/te.h"
#include "ir/tir.h"
#include "support/diag.h"
#include "support/ptrmap.h"
#include "support/vec.h"
#include "te/simplify.h"

struct te_iter {
	const char *name; /* interned */
	bool reduce;
	enum tir_for_kind kind;
	int64_t extent;            /* folds: at once; else by bounds */
	const tir_expr *count;     /* the extent if it is no number, or NULL; */
				   /* then EXTENT is TE_NOMINAL or so */
	const struct tir_var *var; /* of the loop, if a leaf */
	const tir_expr *value;     /* over loop variables; by bounds */
};

/* PARENT was split, or PARTS were fused to PARENT. */
struct te_relation {
	bool is_fuse;
	struct te_iter *parent;
	struct te_iter *outer; /* split */
	struct te_iter *inner;
	int64_t factor;
	uint32_t nparts; /* fuse */
	struct te_iter **parts;
};

/* What schedules take a dimension for that is known at run time only. */
enum { TE_NOMINAL = 4096 };

enum te_attach { TE_AT_ROOT, TE_AT_INLINE, TE_AT_ITER };

struct te_nest {
	const struct te_op *op;
	const tir_expr **body; /* as op->body, rewritten */
	uint32_t naxes;        /* data; roots[0 ...] */
	uint32_t nreduce;      /* behind them */
	struct te_iter **roots;
	VEC(struct te_relation) relations;
	VEC(struct te_iter *) leaves;
	enum te_attach attach;
	struct te_nest *consumer; /* AT_ITER */
	struct te_iter *consumer_iter;
	const char *scope;              /* NULL: by place */
	uint32_t order;                 /* position among the nests */
	struct te_nest *prev, *next;    /* while primitives make nests */
	VEC(struct te_nest *) attached; /* to its loops; for te_emit */

	/* Filled in by te_bounds: the box that is computed. */
	const tir_expr **min; /* over enclosing loops */
	int64_t *extent;
	const tir_expr **index;            /* of the element, over the loops */
	VEC(const tir_expr *) guards;      /* must hold to compute an element */
	const struct tir_buffer **buffers; /* per output */
};

struct te_plan {
	ir_module *m;
	const te_func *f;
	struct diag *diag;
	struct dtype index;
	uint32_t next_op_id;
	VEC(struct te_nest *) nests;  /* producers first; no PARAMs */
	struct te_nest *first, *last; /* the same, linked, while it grows */
	struct te_nest **by_op;       /* by id of operation */
	uint32_t nby_op;
	struct ptrmap by_name;
	struct ptrmap results; /* tensors of f->outputs, and their ops */
	const struct tir_buffer **params;
	const struct tir_buffer *sizes; /* the array of sizes, or NULL */
	struct te_simplifier ranges;    /* of loop variables */
};

/*
 * Apply S (NULL: all nests serial, at root) to F. False after reporting; free
 * the plan in any case.
 */
bool te_plan_make(struct te_plan *p, ir_module *m, const te_func *f,
		  const te_schedule *s, struct diag *d);
void te_plan_free(struct te_plan *p);

/* The nest that computes T, or NULL for a parameter. */
struct te_nest *te_plan_nest(const struct te_plan *p,
			     const struct te_tensor *t);

/* The nest of that name, which is interned, or NULL. */
struct te_nest *te_plan_find(const struct te_plan *p, const char *name);

/* A nest for OP, placed before nest AT; NULL: behind all. */
struct te_nest *te_plan_insert(struct te_plan *p, const struct te_op *op,
			       struct te_nest *at);

/* New operation beside those of the function, with its own axes. */
struct te_op *te_plan_new_op(struct te_plan *p, const char *name,
			     uint32_t noutputs);

/* The fold of N, or NULL. */
static inline const struct te_reduce *
te_nest_fold(const struct te_nest *n)
{
	const tir_expr *e = n->op->kind == TE_COMPUTE ? n->body[0] : NULL;

	return e && e->kind == TIR_REDUCE ? e->reduce : NULL;
}

/* cache_write and rfactor: split a nest in two. False after reporting. */
bool te_plan_cache_write(struct te_plan *p, struct te_nest *n,
			 const struct te_prim *prim);
bool te_plan_rfactor(struct te_plan *p, struct te_nest *n,
		     const struct te_prim *prim);

/* Put the formulas of inlined nests in place of reads of them. */
bool te_plan_inline(struct te_plan *p);

/* Boxes, extents, values of iterators, guards. False after reporting. */
bool te_bounds(struct te_plan *p);

/* Elements of SHAPE, if some is a size; else NULL and the number to *SIZE. */
const tir_expr *te_count(struct te_plan *p, const int64_t *shape, uint32_t ndim,
			 int64_t *size);

/* The loops of all nests. */
tir_stmt *te_emit(struct te_plan *p);

/*
 * VALUE of the root iterators of N from those of the leaves, which are set.
 * Conditions that a value is within its extent go to GUARDS (may be NULL).
 */
typedef VEC(const tir_expr *) te_expr_vec;
void te_nest_values(ir_module *m, struct te_nest *n, te_expr_vec *guards);
void te_nest_extents(ir_module *m, struct te_nest *n);

/* How often IT runs, as an expression like T. */
const tir_expr *te_iter_count(ir_module *m, const struct te_iter *it,
			      struct dtype t);
/* IT runs EXTENT times, a number or a size. */
void te_iter_set_extent(ir_module *m, struct te_iter *it, int64_t extent);
/* A number that stands for EXTENT where only its magnitude matters. */
static inline int64_t
te_nominal(int64_t extent)
{
	return te_is_size(extent) ? TE_NOMINAL : extent;
}

/* E with variables replaced, each shared node once. */
struct te_substitution {
	uint32_t n;
	const struct tir_var **var;
	const tir_expr **value;
	/* Called for reads after their operands; NULL: keep. */
	const tir_expr *(*read)(const tir_expr *e, void *env);
	void *env;
};
const tir_expr *te_substitute(ir_module *m, const tir_expr *e,
			      const struct te_substitution *s);

#endif
