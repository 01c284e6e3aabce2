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
routine_expect(struct te_call *c, uint32_t i, struct dtype t,
	       const int64_t *shape, uint32_t ndim)
{
	char got[DTYPE_TEXT], want[DTYPE_TEXT];

	if (!dtype_equal(c->in[i]->dtype, t))
		return te_error(c, "input %u has type %s, not %s", i + 1,
				dtype_text(c->in[i]->dtype, got),
				dtype_text(t, want));
	return te_expect_shape(c, i, shape, ndim);
}

bool
routine_expect_value(struct te_call *c, uint32_t i)
{
	for (uint32_t d = 0; d < c->in[i]->ndim; d++)
		if (c->in[i]->shape[d] == 0)
			return te_error(c, "input %u is empty", i + 1);
	return true;
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
