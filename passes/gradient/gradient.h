/*
 * Gradients of operators.
 *
 * A rule turns the gradient of what a call computes into the gradients of its
 * arguments, as expressions. The rules are the rows of
 * passes/gradient/rules.def.
 */
#ifndef RELAY_PASSES_GRADIENT_GRADIENT_H
#define RELAY_PASSES_GRADIENT_GRADIENT_H

#include "passes/opcall.h"
#include "passes/pass.h"

struct gradient {
	pass_ctx *cx;
	struct opcall b;            /* where new calls go */
	const struct ir_call *call; /* typed, as its arguments are */
	const ir_expr *out;         /* an atom: the value of the call */
	const ir_expr *grad;        /* of that */
	/* Filled in by the rule; NULL: nothing flows into this argument. */
	const ir_expr **to;
};

/*
 * Run the rule of the operator that G->call calls. False after reporting that
 * there is none, or that it does not cover this call.
 */
bool gradient_of_call(struct gradient *g);

/* Report that the rule does not cover WHAT; returns false. */
bool gradient_unsupported(struct gradient *g, const char *what);

typedef bool gradient_rule(struct gradient *g);
#define GRADIENT(op, rule) gradient_rule gradient_of_##rule;
#include "passes/gradient/rules.def"

/* Spelling out formulas. */
static inline const ir_expr *
gradient_arg(const struct gradient *g, uint32_t i)
{
	return g->call->args[i];
}

const ir_expr *gradient_neg(struct gradient *g, const ir_expr *x);
const ir_expr *gradient_add(struct gradient *g, const ir_expr *x,
			    const ir_expr *y);
const ir_expr *gradient_sub(struct gradient *g, const ir_expr *x,
			    const ir_expr *y);
const ir_expr *gradient_mul(struct gradient *g, const ir_expr *x,
			    const ir_expr *y);
const ir_expr *gradient_div(struct gradient *g, const ir_expr *x,
			    const ir_expr *y);
const ir_expr *gradient_unary(struct gradient *g, enum op_id op,
			      const ir_expr *x);
const ir_expr *gradient_binary(struct gradient *g, enum op_id op,
			       const ir_expr *x, const ir_expr *y);
const ir_expr *gradient_where(struct gradient *g, const ir_expr *c,
			      const ir_expr *x, const ir_expr *y);

/* A call with attributes: defaults of the operator, to be changed. */
const ir_attrs *gradient_attrs(struct gradient *g, enum op_id op);
const ir_attrs *gradient_with_ints(struct gradient *g, const ir_attrs *a,
				   const char *name, const int64_t *v,
				   uint32_t n);
const ir_expr *gradient_call(struct gradient *g, enum op_id op,
			     const ir_attrs *a, uint32_t n, ...);

/* A scalar of the type of argument 0 (or of the first of a tuple). */
const ir_expr *gradient_scalar(struct gradient *g, double v);

/* The tensor type of E, or NULL. */
const struct ir_tensor_type *gradient_tensor(const ir_expr *e);

/* A tensor type whose extents are known; NULL after reporting. */
const struct ir_tensor_type *gradient_static(struct gradient *g,
					     const ir_expr *e);

/* X summed to the shape of LIKE. */
const ir_expr *gradient_collapse(struct gradient *g, const ir_expr *x,
				 const ir_expr *like);

/* The axes over which the reduction G->call goes, rising; their number. */
uint32_t gradient_reduced(struct gradient *g, int64_t *axes);

/* Undo the reduction of argument 0: X, shaped like the result, repeated. */
const ir_expr *gradient_unreduce(struct gradient *g, const ir_expr *x);

/* How many elements of argument 0 each of the result stands for; 0: unknown. */
int64_t gradient_reduced_size(struct gradient *g);

enum { GRADIENT_MAX_NDIM = 32 };

#endif
