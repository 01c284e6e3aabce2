/*
 * Operators that only move elements: other shapes, orders and layouts.
 */
#include "te/compute/computes.h"

#include "te/compute/layout.h"

/* Row-major order stays: reshape, squeeze, expand_dims, batch_flatten, ... */
bool
compute_reshape(struct te_call *c)
{
	int64_t shape[TE_MAX_RANK];
	uint32_t ndim = te_out_shape(c, 0, shape);
	int64_t from = 1, to = 1;

	for (uint32_t i = 0; i < c->in[0]->ndim; i++)
		from = te_dim_mul(c, from, c->in[0]->shape[i]);
	for (uint32_t i = 0; i < ndim; i++)
		to = te_dim_mul(c, to, shape[i]);
	if (!te_is_size(from) && !te_is_size(to) && from != to)
		return te_error(c, "%lld elements do not become %lld",
				(long long)from, (long long)to);
	return te_output(c, 0, te_reshape_to(c, c->in[0], NULL, shape, ndim));
}

bool
compute_transpose(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *index[TE_MAX_RANK];
	int64_t axes[TE_MAX_RANK];
	int n = te_attr_ints(c, "axes", axes, TE_MAX_RANK);

	for (uint32_t i = 0; i < b->ndim; i++) {
		int64_t from = n > 0 ? te_axis_of(axes[i], b->ndim)
				     : (int64_t)(b->ndim - 1 - i);

		index[from] = b->i[i];
	}
	return te_output(c, 0, te_end(b, te_get(c, c->in[0], index)));
}

bool
compute_layout_transform(struct te_call *c)
{
	struct ir_layout from;
	struct ir_layout to;
	struct te_body *b;
	struct te_letters at;
	const tir_expr *index[TE_MAX_RANK];
	const struct te_tensor *x = c->in[0];
	const tir_expr *inside = NULL;
	const tir_expr *v;

	if (!ir_layout_parse(te_attr_string(c, "src_layout"), &from) ||
	    !ir_layout_parse(te_attr_string(c, "dst_layout"), &to) ||
	    !te_fits_layout(x, &from) || to.n != te_out_ndim(c, 0))
		return te_error(c, "the layouts do not fit the data");
	b = te_begin_out(c, NULL, 0);
	at = te_letters_of(c, &to, b->i);
	for (uint32_t k = 0; k < from.n; k++) {
		char letter = from.axis[k].letter;
		char primal =
			letter >= 'a' ? (char)(letter - 'a' + 'A') : letter;
		const tir_expr *p = at.at[primal - 'A'];

		index[k] = te_layout_part(c, &from, k, p);
		if (letter < 'a' && ir_layout_factor(&to, primal) != 1) {
			/* The last block may reach beyond the source. */
			const tir_expr *ok = te_within(
				c, p, 0,
				te_dim_mul(c, x->shape[k],
					   ir_layout_factor(&from, primal)));

			inside = inside ? te_and(c, inside, ok) : ok;
		}
	}
	v = te_get(c, x, index);
	if (inside)
		v = te_guard(c, inside, v, te_zero(c, v->dtype));
	return te_output(c, 0, te_end(b, v));
}

/* Channels to blocks of pixels: nn.depth_to_space. */
bool
compute_nn_depth_to_space(struct te_call *c)
{
	int64_t bs = te_attr_int(c, "block_size", 1);
	bool nchw = te_attr_string(c, "layout")[1] == 'C';
	bool dcr = te_attr_string(c, "mode")[0] == 'D';
	uint32_t ch = nchw ? 1 : 3;
	uint32_t h = nchw ? 2 : 1;
	struct te_body *b = te_begin_out(c, NULL, 0);
	int64_t channels = b->shape[ch];
	const tir_expr *index[4] = {b->i[0], NULL, NULL, NULL};
	const tir_expr *iy = te_modi(c, b->i[h], bs);
	const tir_expr *ix = te_modi(c, b->i[h + 1], bs);
	const tir_expr *block = te_add(c, te_muli(c, iy, bs), ix);

	index[h] = te_divi(c, b->i[h], bs);
	index[h + 1] = te_divi(c, b->i[h + 1], bs);
	index[ch] = dcr ? te_add(c, te_muli(c, block, channels), b->i[ch])
			: te_add(c, te_muli(c, b->i[ch], bs * bs), block);
	return te_output(c, 0, te_end(b, te_get(c, c->in[0], index)));
}

/* Blocks of pixels to channels: nn.space_to_depth. */
bool
compute_nn_space_to_depth(struct te_call *c)
{
	int64_t bs = te_attr_int(c, "block_size", 1);
	bool nchw = te_attr_string(c, "layout")[1] == 'C';
	uint32_t ch = nchw ? 1 : 3;
	uint32_t h = nchw ? 2 : 1;
	struct te_body *b = te_begin_out(c, NULL, 0);
	int64_t channels = c->in[0]->shape[ch];
	const tir_expr *index[4] = {b->i[0], NULL, NULL, NULL};
	const tir_expr *o = te_divi(c, b->i[ch], channels);

	index[ch] = te_modi(c, b->i[ch], channels);
	index[h] = te_add(c, te_muli(c, b->i[h], bs), te_divi(c, o, bs));
	index[h + 1] =
		te_add(c, te_muli(c, b->i[h + 1], bs), te_modi(c, o, bs));
	return te_output(c, 0, te_end(b, te_get(c, c->in[0], index)));
}
