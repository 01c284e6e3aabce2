/* Losses. */
#include "te/compute/computes.h"

#include <string.h>

/* -sum(y log(x)) / n; x may hold logarithms already. */
bool
compute_nn_cross_entropy(struct te_call *c)
{
	const struct te_tensor *x = c->in[0], *y = c->in[1];
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *i = te_fold_axis(b, "k", x->shape[0]);
	const tir_expr *j = te_fold_axis(b, "l", x->shape[1]);
	const tir_expr *v = te_at(c, x, i, j);

	if (c->op->id == OP_nn_cross_entropy)
		v = te_unary(c, INTRIN_LOG, v);
	v = te_mul(c, v, te_at(c, y, i, j));
	if (te_is_size(x->shape[0]))
		v = te_div(c, te_sub(c, te_zero(c, x->dtype), v),
			   te_lit_extent(c, x->dtype, x->shape[0]));
	else
		v = te_mul(c, v, te_lit(c, x->dtype, -1 / (double)x->shape[0]));
	return te_output(c, 0, te_end_fold(b, TE_SUM, v));
}

/* The sum of all elements of T. */
static struct te_tensor *
total(struct te_call *c, struct te_tensor *t, const char *name)
{
	const tir_expr *index[TE_MAX_RANK];
	struct te_body *b;

	if (t->ndim == 0)
		return t;
	b = te_begin(c, name, NULL, NULL, 0);
	for (uint32_t i = 0; i < t->ndim; i++)
		index[i] = te_fold_axis(b, "k", t->shape[i]);
	return te_end_fold(b, TE_SUM, te_get(c, t, index));
}

/* For each target the weight, or the weighted loss; 0 where it is ignored. */
static struct te_tensor *
weighted(struct te_call *c, bool loss)
{
	const struct te_tensor *pred = c->in[0], *target = c->in[1];
	struct te_body *b = te_begin_like(c, loss ? "loss" : "weight", target);
	const tir_expr *index[TE_MAX_RANK], *v, *used;
	const tir_expr *class = te_get(c, target, b->i);
	struct dtype t = pred->dtype;
	int64_t ignored = te_attr_int(c, "ignore_index", -100);

	for (uint32_t i = 0; i < target->ndim; i++)
		index[i ? i + 1 : 0] = b->i[i];
	index[1] = te_cast(c, c->index, class);
	v = te_at(c, c->in[2], index[1]);
	if (loss)
		v = te_sub(c, te_zero(c, t),
			   te_mul(c, te_get(c, pred, index), v));
	used = te_and(
		c, te_within(c, index[1], 0, pred->shape[1]),
		te_not(c, te_cmp(c, TIR_EQ, index[1], te_int(c, ignored))));
	return te_end(b, te_guard(c, used, v, te_zero(c, t)));
}

bool
compute_nn_nll_loss(struct te_call *c)
{
	const char *how = te_attr_string(c, "reduction");
	struct te_tensor *loss = weighted(c, true), *weight;
	struct te_body *b;

	if (strcmp(how, "none") == 0)
		return te_output(c, 0, loss);
	loss = total(c, loss, "loss_sum");
	if (strcmp(how, "sum") == 0)
		return te_output(c, 0, loss);
	weight = total(c, weighted(c, false), "weight_sum");
	b = te_begin_out(c, NULL, 0);
	return te_output(
		c, 0,
		te_end(b, te_div(c, te_get0(c, loss), te_get0(c, weight))));
}
