/*
 * The scheme behind the combine-parallel passes.
 *
 * A branch is a call of the operator and the chain of elementwise calls that
 * follow it, each the only user of the one before. Branches that start from
 * one input and whose operators fit together make a group. A group becomes
 * one call; then, level by level, the followers become one call each, as long
 * as all branches do the same; at last every branch gets its part of the
 * result.
 *
 * A branch whose other operands need the result of another one is left out,
 * and branches of different scopes (arms, closures) do not meet.
 */
#ifndef RELAY_PASSES_COMBINE_COMBINE_H
#define RELAY_PASSES_COMBINE_COMBINE_H

#include "passes/opcall.h"
#include "passes/pass.h"

struct branch {
	const struct ir_call **at; /* the operator, then followers */
	uint32_t n;
	uint32_t position; /* of the operator in post-order */
};

struct branch_group {
	uint32_t scope;
	uint32_t n;
	uint32_t cap;
	struct branch *at;
};

struct combine;

/* One of the passes. Types in the calls that it sees are known tensors. */
struct combine_kind {
	/* CALL, of the operator, can be in a group at all (may be NULL). */
	bool (*supported)(const struct combine *c, const struct ir_call *call);
	bool (*fits)(const struct combine *c, const struct ir_call *a,
		     const struct ir_call *b);
	/* All operators of G as one call. */
	const ir_expr *(*join)(struct combine *c, const struct branch_group *g);
	/* Argument I of follower B can be joined with that of A. */
	bool (*arg_fits)(const struct combine *c, const struct ir_call *a,
			 const struct ir_call *b, uint32_t i);
	/* Arguments I of the followers at DEPTH; PARENT is the chained one. */
	const ir_expr *(*join_args)(struct combine *c,
				    const struct branch_group *g,
				    uint32_t depth, uint32_t parent,
				    uint32_t i);
	/* The followers at DEPTH may be one call (may be NULL). */
	bool (*follows)(const struct combine *c, const struct branch_group *g,
			uint32_t depth);
	/* The parts of ALL, which stands for the calls at DEPTH. */
	void (*cut)(struct combine *c, const struct branch_group *g,
		    uint32_t depth, const ir_expr *all, const ir_expr **parts);
};

struct combine {
	pass_ctx *cx;
	struct opcall b;
	const struct combine_kind *kind;
	enum op_id op;
	enum op_id batch_op; /* op-batch only */
	uint32_t channel;    /* conv2d only: axis of the result */
};

const struct ir_function *combine_parallel(struct combine *c,
					   const struct ir_function *fn);

/* The type of E, which must be a tensor, or NULL. */
const struct ir_tensor_type *combine_tensor(const ir_expr *e);

/* Same dtype, rank and extents, all known; axis EXCEPT (or -1) apart. */
bool combine_same_shape(const struct ir_tensor_type *a,
			const struct ir_tensor_type *b, int64_t except);

#endif
