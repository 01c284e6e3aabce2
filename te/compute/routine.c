/* Rules that hand their work to one routine: see te/compute/routine.h. */
#include "te/compute/routine.h"

enum { MAX_OUTPUTS = 8 };

struct te_extern *
routine_begin(struct te_call *c, const char *symbol)
{
	struct te_extern *x = te_extern_begin(c, NULL, symbol);
	int64_t shape[TE_MAX_RANK];

	for (uint32_t i = 0; i < c->nout; i++) {
		uint32_t ndim = te_out_shape(c, i, shape);

		te_extern_output(x, te_out_dtype(c, i), shape, ndim);
	}
	return x;
}

bool
routine_end(struct te_call *c, struct te_extern *x)
{
	struct te_tensor *out[MAX_OUTPUTS];

	te_extern_end(x, out);
	for (uint32_t i = 0; i < c->nout; i++)
		te_output(c, i, out[i]);
	return true;
}

void
routine_inputs(struct te_call *c, struct te_extern *x, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		te_extern_tensor(x, c->in[i]);
}

void
routine_shape(struct te_extern *x, const struct te_tensor *t)
{
	for (uint32_t i = 0; i < t->ndim; i++)
		te_extern_int(x, t->shape[i]);
}
