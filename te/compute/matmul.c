/*
 * Products of matrices.
 */
#include "te/compute/computes.h"

static const tir_expr *
product(struct te_call *c, const tir_expr *x, const tir_expr *y)
{
	struct dtype t = te_out_dtype(c, 0);

	return te_mul(c, te_cast(c, t, x), te_cast(c, t, y));
}

/* nn.dense is nn.matmul with transpose_b; x may have batch axes in front. */
bool
compute_nn_matmul(struct te_call *c)
{
	struct te_tensor *x = c->in[0];
	struct te_tensor *w = c->in[1];
	bool dense = c->op->id == OP_nn_dense;
	bool ta = !dense && te_attr_bool(c, "transpose_a");
	bool tb = dense || te_attr_bool(c, "transpose_b");
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *at[TE_MAX_RANK];
	const tir_expr *j = b->i[b->ndim - 1];
	const tir_expr *k;
	uint32_t last = x->ndim - 1;

	k = te_fold_axis(b, "k", x->shape[ta ? last - 1 : last]);
	for (uint32_t i = 0; i < last; i++)
		at[i] = b->i[i];
	at[last] = k;
	if (ta) {
		at[last] = at[last - 1];
		at[last - 1] = k;
	}
	return te_output(c, 0,
			 te_end_fold(b, TE_SUM,
				     product(c, te_get(c, x, at),
					     tb ? te_at(c, w, j, k)
						: te_at(c, w, k, j))));
}

/* A matrix of batch BATCH (or the only one), transposed or not. */
static const tir_expr *
batch_element(struct te_call *c, const struct te_tensor *t,
	      const tir_expr *batch, const tir_expr *row, const tir_expr *col,
	      bool transposed)
{
	batch = te_broadcast_index(c, t->shape[0], batch);
	return transposed ? te_at(c, t, batch, col, row)
			  : te_at(c, t, batch, row, col);
}

bool
compute_nn_batch_matmul(struct te_call *c)
{
	struct te_tensor *x = c->in[0];
	bool ta = te_attr_bool(c, "transpose_a");
	bool tb = te_attr_bool(c, "transpose_b");
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *k = te_fold_axis(b, "k", x->shape[ta ? 1 : 2]);

	return te_output(
		c, 0,
		te_end_fold(
			b, TE_SUM,
			product(c, batch_element(c, x, b->i[0], b->i[1], k, ta),
				batch_element(c, c->in[1], b->i[0], k, b->i[2],
					      tb))));
}

/* Weights packed as [units / tile, k, tile]. */
bool
compute_nn_contrib_dense_pack(struct te_call *c)
{
	struct te_tensor *x = c->in[0];
	struct te_tensor *w = c->in[1];
	struct te_body *b = te_begin_out(c, NULL, 0);
	int64_t tile;
	const tir_expr *k;

	if (x->ndim != 2 || b->ndim != 2 ||
	    !te_expect_shape(c, 1, (const int64_t[]){-1, x->shape[1], -1}, 3))
		return te_error(c, "the data must have rank 2");
	tile = w->shape[2];
	if (!te_require_equal(c, b->shape[1], te_dim_mul(c, w->shape[0], tile),
			      "the weights do not make up the units"))
		return false;
	k = te_fold_axis(b, "k", x->shape[1]);
	return te_output(
		c, 0,
		te_end_fold(b, TE_SUM,
			    product(c, te_at(c, x, b->i[0], k),
				    te_at(c, w, te_divi(c, b->i[1], tile), k,
					  te_modi(c, b->i[1], tile)))));
}
