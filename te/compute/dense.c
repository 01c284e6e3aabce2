/*
 * Products of matrices.
 */
#include "te/compute/computes.h"

/* out[.., j] = sum over k of data[.., k] * weight[j, k]. */
bool
compute_nn_dense(struct te_call *c)
{
	struct te_tensor *x = c->in[0];
	struct te_tensor *w = c->in[1];
	struct dtype t = te_out_dtype(c, 0);
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *at[TE_MAX_RANK] = { NULL };
	const tir_expr *k;

	k = te_fold_axis(b, "k", x->shape[x->ndim - 1]);
	for (uint32_t i = 0; i + 1 < x->ndim; i++)
		at[i] = b->i[i];
	at[x->ndim - 1] = k;
	return te_output(
		c, 0,
		te_end_fold(
			b, TE_SUM,
			te_mul(c, te_cast(c, t, te_get(c, x, at)),
			       te_cast(c, t,
				       te_at(c, w, b->i[b->ndim - 1], k)))));
}
