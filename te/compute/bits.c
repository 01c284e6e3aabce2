/*
 * Numbers of a few bits. A product of bit planes, each counted with its
 * weight, is the product of the numbers; with unipolar weights a bit that is
 * not set counts -1.
 */
#include "te/compute/computes.h"

#include "te/compute/layout.h"

/* Bits of one plane, the first element in the highest place of a word. */
bool
compute_nn_bitpack(struct te_call *c)
{
	const struct te_tensor *x = c->in[0];
	int64_t plane = te_attr_int(c, "bit_axis", -1);
	int64_t pack = te_attr_int(c, "pack_axis", 1);
	struct dtype t = te_out_dtype(c, 0), u = DTYPE(UINT, 64);
	const tir_expr *index[TE_MAX_RANK], *k, *v, *one;
	struct te_body *b;

	if (plane < 0)
		return te_error(c, "'bit_axis' must be given");
	b = te_begin_out(c, NULL, 0);
	one = te_lit_int(c, u, 1);
	k = te_fold_axis(b, "k", t.bits);
	for (int64_t i = 0; i < x->ndim; i++)
		index[i] = b->i[i >= plane ? i + 1 : i];
	index[pack] = te_add(c, te_muli(c, index[pack], t.bits), k);
	v = te_intrin2(c, INTRIN_SHR, te_cast(c, u, te_get(c, x, index)),
		       te_cast(c, u, b->i[plane]));
	v = te_intrin2(c, INTRIN_BIT_AND, v, one);
	v = te_intrin2(c, INTRIN_SHL, v,
		       te_cast(c, u, te_sub(c, te_int(c, t.bits - 1), k)));
	return te_output(c, 0, te_end_fold(b, TE_SUM, te_cast(c, t, v)));
}

/* The lowest BITS of V as a number of type T. */
static const tir_expr *
low_bits(struct te_call *c, const tir_expr *v, int64_t bits, struct dtype t)
{
	struct dtype u = DTYPE(UINT, 32);

	v = te_intrin2(c, INTRIN_BIT_AND, te_cast(c, u, v),
		       te_lit_int(c, u, (INT64_C(1) << bits) - 1));
	return te_cast(c, t, v);
}

static const tir_expr *
product(struct te_call *c, const tir_expr *x, const tir_expr *w,
	const char *data_bits)
{
	struct dtype t = te_out_dtype(c, 0);
	int64_t bits = te_attr_int(c, "weight_bits", 1);

	x = low_bits(c, x, te_attr_int(c, data_bits, 1), t);
	w = low_bits(c, w, bits, t);
	if (te_attr_bool(c, "unipolar"))
		w = te_sub(c, te_add(c, w, w),
			   te_lit_int(c, t, (INT64_C(1) << bits) - 1));
	return te_mul(c, x, w);
}

/* Numbers of a few bits; false after te_error. */
static bool
bits_are_few(struct te_call *c, const char *data_bits)
{
	int64_t x = te_attr_int(c, data_bits, 1);
	int64_t w = te_attr_int(c, "weight_bits", 1);

	if (x >= 1 && x <= 32 && w >= 1 && w <= 32)
		return true;
	return te_error(c, "numbers have 1 to 32 bits");
}

bool
compute_nn_bitserial_dense(struct te_call *c)
{
	const struct te_tensor *x = c->in[0], *w = c->in[1];
	struct te_body *b;
	const tir_expr *k;

	if (x->ndim != 2 || w->ndim != 2)
		return te_error(c, "data and weights must have rank 2");
	b = te_begin_out(c, NULL, 0);
	if (!te_require_equal(c, b->shape[1], w->shape[0],
			      "units and rows of weights differ") ||
	    !te_require_equal(c, x->shape[1], w->shape[1],
			      "rows of data and weights differ") ||
	    !bits_are_few(c, "data_bits"))
		return false;
	k = te_fold_axis(b, "k", x->shape[1]);
	return te_output(
		c, 0,
		te_end_fold(b, TE_SUM,
			    product(c, te_at(c, x, b->i[0], k),
				    te_at(c, w, b->i[1], k), "data_bits")));
}

#define AT(letters, c) ((letters).at[(c) - 'A'])

bool
compute_nn_bitserial_conv2d(struct te_call *c)
{
	const struct te_tensor *x = c->in[0], *weight = c->in[1];
	struct ir_layout data, kernel;
	struct te_letters in, w = {{NULL}};
	int64_t strides[2], size[2], before[2], after[2];
	const tir_expr *inside = NULL;
	struct te_body *b;

	if (!te_attr_layout(c, "data_layout", "NCHW", &data) ||
	    !te_attr_layout(c, "kernel_layout", "OIHW", &kernel) ||
	    !te_attr_padding(c, 2, before, after))
		return false;
	if (kernel.n != weight->ndim ||
	    te_attr_ints(c, "strides", strides, 2) != 2 ||
	    te_attr_ints(c, "kernel_size", size, 2) != 2)
		return te_error(c, "weights packed before are not supported");
	if (!bits_are_few(c, "activation_bits"))
		return false;
	b = te_begin_out(c, NULL, 0);
	if (!te_require_equal(c, te_extent(c, x, &data, 'C'),
			      te_extent(c, weight, &kernel, 'I'),
			      "the weights do not fit the channels") ||
	    !te_require_equal(c, b->shape[ir_layout_index(&data, 'C')],
			      te_extent(c, weight, &kernel, 'O'),
			      "the weights do not fit the result"))
		return false;
	for (int k = 0; k < 2; k++)
		if (!te_require_equal(c, te_extent(c, weight, &kernel, "HW"[k]),
				      size[k],
				      "the weights do not fit the "
				      "kernel"))
			return false;
	in = te_letters_of(c, &data, b->i);
	AT(w, 'O') = AT(in, 'C');
	AT(w, 'I') = te_fold_axis(b, "i", te_extent(c, x, &data, 'C'));
	AT(in, 'C') = AT(w, 'I');
	for (int k = 0; k < 2; k++) {
		char l = "HW"[k];
		const tir_expr *ok;

		AT(w, l) = te_fold_axis(b, k ? "kx" : "ky",
					te_extent(c, weight, &kernel, l));
		AT(in, l) = te_addi(
			c,
			te_add(c, te_muli(c, AT(in, l), strides[k]), AT(w, l)),
			-before[k]);
		ok = te_within(c, AT(in, l), 0, te_extent(c, x, &data, l));
		inside = inside ? te_and(c, inside, ok) : ok;
	}
	return te_output(c, 0,
			 te_end_fold_where(
				 b, TE_SUM,
				 product(c, te_get_letters(c, x, &data, &in),
					 te_get_letters(c, weight, &kernel, &w),
					 "activation_bits"),
				 inside));
}
