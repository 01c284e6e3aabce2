/*
 * How an operator on dequantized reals is computed on the integers instead:
 * one rule per operator, used by fake-quantization-to-integer.
 */
#ifndef RELAY_PASSES_QUANT_FQ_RULES_H
#define RELAY_PASSES_QUANT_FQ_RULES_H

#include "passes/pass.h"
#include "passes/quant/affine.h"

/* What became of a node of the reals. */
struct fq_value {
	const ir_expr *e; /* integers, or reals if N is 0 */
	uint32_t n;
	const struct affine *types; /* N; of the fields if TUPLE */
	bool tuple;
	bool own; /* of one region: something in it asked for fq_out */
};

struct fq_site {
	pass_ctx *cx;
	struct opcall b;
	const struct ir_call *call; /* on reals; typed */
	const struct fq_value *const *args;
	const struct affine *out; /* by fq_out */
	bool *asked;              /* set by that */
};

/* False: this call cannot be done on integers. */
typedef bool fq_rule_fn(const struct fq_site *s, struct fq_value *out);

/* The rule of OP or NULL. OPTIONAL: to be used only if asked for. */
fq_rule_fn *fq_rule(enum op_id op, bool *optional);

/*
 * For the rules: what is wanted at the end of the region, or NULL: unknown.
 * What a rule gives without asking is shared by all regions.
 */
static inline const struct affine *
fq_out(const struct fq_site *s)
{
	*s->asked = true;
	return s->out;
}

/* For the rules: the type of argument I, or NULL if it is a real. */
const struct affine *fq_type(const struct fq_site *s, uint32_t i);

/* Set OUT to E of type T. */
bool fq_result(const struct fq_site *s, struct fq_value *out, const ir_expr *e,
	       const struct affine *t);

/* The call of the same operator with the integers as arguments. */
const ir_expr *fq_same_call(const struct fq_site *s);

/*
 * Where the channels of argument 0 are in the result. False if they are
 * mixed, cut or reordered. Scalars have no channels: the axis stays.
 */
bool fq_map_axis(const struct fq_site *s, int64_t *axis);

fq_rule_fn fq_keep, fq_take, fq_topk, fq_split;
fq_rule_fn fq_pad, fq_clip, fq_relu, fq_leaky_relu, fq_mean;
fq_rule_fn fq_avg_pool2d, fq_mean_pool, fq_unary, fq_softmax;
fq_rule_fn fq_conv2d, fq_conv2d_transpose, fq_dense, fq_batch_matmul;
fq_rule_fn fq_bias_add, fq_binary, fq_choose, fq_concatenate;
fq_rule_fn fq_quantize;

#endif
