/*
 * Activations.
 */
#include "te/compute/computes.h"

bool
compute_nn_relu(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *x = te_get(c, c->in[0], b->i);

	return te_output(c, 0, te_end(b, te_max(c, x, te_zero(c, x->dtype))));
}
