/*
 * Weights in tiles, and products with them; layouts that a tuner chose.
 */
#include "te/compute/computes.h"

#include <string.h>

#include "te/compute/layout.h"
#include "te/compute/qnn.h"

/*
 * HWIO weights as a matrix [H * W * I, O], in tiles [O / n, K / k, k, n], or
 * [.., n, k] for elements of 8 bits; zeros behind the end.
 */
bool
compute_nn_gemm_weight(struct te_call *c)
{
	const struct te_tensor *w = c->in[0];
	bool bytes = w->dtype.bits == 8;
	struct te_body *b = te_begin_out(c, NULL, 0);
	int64_t rows = te_dim_mul(c, te_dim_mul(c, w->shape[0], w->shape[1]),
				  w->shape[2]);
	int64_t cols = w->shape[3];
	const tir_expr *row, *col, *at[4], *inside;

	row = te_add(c, te_muli(c, b->i[1], b->shape[bytes ? 3 : 2]),
		     b->i[bytes ? 3 : 2]);
	col = te_add(c, te_muli(c, b->i[0], b->shape[bytes ? 2 : 3]),
		     b->i[bytes ? 2 : 3]);
	inside = te_and(c, te_within(c, row, 0, rows),
			te_within(c, col, 0, cols));
	te_unflatten(c, row, w->shape, 3, at);
	at[3] = col;
	return te_output(c, 0,
			 te_end(b, te_guard(c, inside, te_get(c, w, at),
					    te_zero(c, w->dtype))));
}

/* The element [ROW, COL] of a weight in such tiles. */
static const tir_expr *
tiled(struct te_call *c, const struct te_tensor *w, const tir_expr *row,
      const tir_expr *col)
{
	bool bytes = w->dtype.bits == 8;
	int64_t k = w->shape[bytes ? 3 : 2], n = w->shape[bytes ? 2 : 3];
	const tir_expr *in_k = te_modi(c, row, k), *in_n = te_modi(c, col, n);

	return te_at(c, w, te_divi(c, col, n), te_divi(c, row, k),
		     bytes ? in_n : in_k, bytes ? in_k : in_n);
}

/* A weight in tiles holds a matrix of ROWS x COLS. */
static bool
tiles_fit(struct te_call *c, const struct te_tensor *w, int64_t rows,
	  int64_t cols)
{
	static const char what[] =
		"the weight does not hold the tiles of the kernel";
	bool bytes = w->dtype.bits == 8;
	int64_t k = w->shape[bytes ? 3 : 2], n = w->shape[bytes ? 2 : 3];

	if (k == 0 || n == 0)
		return te_error(c, "%s", what);
	return te_require(c,
			  te_cmp(c, TIR_GE,
				 te_muli(c, te_dim(c, w->shape[1]), k),
				 te_dim(c, rows)),
			  w->shape[1], rows, what) &&
	       te_require(c,
			  te_cmp(c, TIR_GE,
				 te_muli(c, te_dim(c, w->shape[0]), n),
				 te_dim(c, cols)),
			  w->shape[0], cols, what);
}

/* A convolution, channels last, with such a weight. */
bool
compute_nn_gemm(struct te_call *c)
{
	const struct te_tensor *w = c->in[1];
	struct te_tensor *x = c->in[0];
	int64_t size[2], stride[2], dilation[2];
	int64_t before[4] = {0}, after[4] = {0}, channels = x->shape[3];
	struct dtype t = te_out_dtype(c, 0);
	struct te_body *b;
	const tir_expr *r[3], *row;

	if (strcmp(te_attr_string(c, "data_layout"), "NHWC") != 0 ||
	    te_attr_int(c, "groups", 1) != 1 || w->ndim != 4)
		return te_error(c, "only NHWC without groups is supported");
	if (te_attr_ints(c, "kernel_size", size, 2) != 2 ||
	    te_attr_ints(c, "strides", stride, 2) != 2 ||
	    te_attr_ints(c, "dilation", dilation, 2) != 2)
		return te_error(c, "there must be two sizes and strides");
	if (!te_attr_padding(c, 2, before + 1, after + 1))
		return false;
	x = te_pad_with(c, x, "pad_temp", before, after, te_zero(c, x->dtype));
	b = te_begin_out(c, NULL, 0);
	if (!tiles_fit(c, w, te_dim_mul(c, channels, size[0] * size[1]),
		       b->shape[3]))
		return false;
	r[0] = te_fold_axis(b, "ry", size[0]);
	r[1] = te_fold_axis(b, "rx", size[1]);
	r[2] = te_fold_axis(b, "rc", channels);
	row = te_add(c, te_muli(c, r[0], size[1]), r[1]);
	row = te_add(c, te_muli(c, row, channels), r[2]);
	for (int k = 0; k < 2; k++)
		r[k] = te_add(c, te_muli(c, b->i[1 + k], stride[k]),
			      te_muli(c, r[k], dilation[k]));
	return te_output(
		c, 0,
		te_end_fold(
			b, TE_SUM,
			te_mul(c,
			       te_cast(c, t,
				       te_at(c, x, b->i[0], r[0], r[1], r[2])),
			       te_cast(c, t, tiled(c, w, row, b->i[3])))));
}

/* Weights as [units / n, k / b, n, b], zero points dropped. */
bool
compute_qnn_contrib_dense_pack(struct te_call *c)
{
	struct te_tensor *x = te_without_zero(c, c->in[0], 2, 0);
	struct te_tensor *w = c->in[1];
	int64_t n, block;
	struct te_body *b;
	const tir_expr *k, *unit, *v;

	if (w->ndim != 4 || c->in[3]->ndim != 0)
		return te_error(c, "the weight must have rank 4 and one zero "
				   "point");
	n = w->shape[2];
	block = w->shape[3];
	if (n == 0 || block == 0)
		return te_error(c, "the weight does not fit the data");
	if (!te_require(c,
			te_cmp(c, TIR_GE,
			       te_muli(c, te_dim(c, w->shape[1]), block),
			       te_dim(c, x->shape[1])),
			w->shape[1], x->shape[1],
			"the weight does not fit the data"))
		return false;
	w = te_without_zero(c, w, 3, 0);
	b = te_begin_out(c, NULL, 0);
	k = te_fold_axis(b, "k", x->shape[1]);
	unit = b->i[1];
	v = te_at(c, w, te_divi(c, unit, n), te_divi(c, k, block),
		  te_modi(c, unit, n), te_modi(c, k, block));
	v = te_mul(c, te_at(c, x, b->i[0], k), v);
	return te_output(
		c, 0,
		te_end_fold(b, TE_SUM, te_cast(c, te_out_dtype(c, 0), v)));
}

/* An index of the source is made of those of its parts in the result. */
bool
compute_auto_scheduler_layout_transform(struct te_call *c)
{
	const tir_expr *at[TE_MAX_RANK];
	struct ir_parts from, to;
	struct te_body *b;

	if (!ir_parts_parse(te_attr_string(c, "src_layout"), &from) ||
	    !ir_parts_parse(te_attr_string(c, "dst_layout"), &to) ||
	    from.n != c->in[0]->ndim || to.n != te_out_ndim(c, 0))
		return te_error(c, "the layouts do not fit the data");
	b = te_begin_out(c, NULL, 0);
	for (uint32_t i = 0; i < from.n; i++) {
		at[i] = te_int(c, 0);
		for (uint32_t k = 0; k < to.n; k++)
			if (ir_parts_same(&to.part[k], &from.part[i]))
				at[i] = te_add(
					c, te_muli(c, at[i], to.part[k].extent),
					b->i[k]);
	}
	return te_output(c, 0, te_end(b, te_get(c, c->in[0], at)));
}
