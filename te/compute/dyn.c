/*
 * Operators that are told by tensors how large their result is, beyond what
 * the rules of their static counterparts can do: slices, borders, places.
 * Their sizes are in te/compute/sizes_value.c.
 */
#include "te/compute/routine.h"
#include "te/compute/sizes.h"

#include <string.h>

/* Where the slice begins along axis D, counted from the start. */
bool
compute_dyn_strided_slice(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	const struct te_tensor *x = c->in[0];
	const tir_expr *index[TE_MAX_RANK];
	struct sizes_cut cut;

	for (uint32_t d = 0; d < b->ndim; d++) {
		index[d] = b->i[d];
		if (d >= c->in[1]->shape[0])
			continue;
		if (!sizes_read_cut(c, d, &cut))
			return false;
		index[d] = te_add(c, te_mul(c, b->i[d], cut.stride), cut.begin);
	}
	return te_output(c, 0, te_end(b, te_get(c, x, index)));
}

bool
compute_dyn_pad(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	const struct te_tensor *x = c->in[0];
	const tir_expr *index[TE_MAX_RANK], *before, *value;
	const tir_expr *inside = te_lit_int(c, DTYPE_BOOL, 1);

	if (te_attr_string(c, "pad_mode")[0] != 'c')
		return te_error(c, "only constants can be put around data "
				   "where the widths are values");
	for (uint32_t d = 0; d < b->ndim; d++) {
		if (!sizes_read(c, 1, 2 * (int64_t)d, &before))
			return false;
		index[d] = te_sub(c, b->i[d], before);
		inside = te_and(c, inside,
				te_within(c, index[d], 0, x->shape[d]));
	}
	value = te_cast(c, x->dtype, te_get0(c, c->in[2]));
	return te_output(
		c, 0,
		te_end(b, te_guard(c, inside, te_get(c, x, index), value)));
}

bool
compute_argwhere(struct te_call *c)
{
	enum { MAX_RANK = 6 };
	const struct te_tensor *x = c->in[0];
	struct te_extern *e;
	int64_t n = 1;

	if (x->ndim > MAX_RANK)
		return te_error(c, "the data has more than %d axes", MAX_RANK);
	for (uint32_t d = 0; d < x->ndim; d++)
		n = te_dim_mul(c, n, x->shape[d]);
	e = routine_begin(c, "relay_argwhere");
	routine_inputs(c, e, 1);
	te_extern_int(e, n);
	te_extern_int(e, x->ndim);
	te_extern_int(e, routine_dtype(x->dtype));
	for (uint32_t d = 0; d < MAX_RANK; d++)
		te_extern_int(e, d < x->ndim ? x->shape[d] : 1);
	return routine_end(c, e);
}
