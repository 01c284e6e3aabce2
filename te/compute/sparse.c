/* Sparse matrices: CSR (blocks of 1 x 1) and BSR, by routines of runtime/. */
#include "te/compute/routine.h"

#include <string.h>

/* Extents of the blocks in T. */
static void
put_blocks(struct te_extern *x, const struct te_tensor *t)
{
	te_extern_int(x, t->ndim == 3 ? t->shape[1] : 1);
	te_extern_int(x, t->ndim == 3 ? t->shape[2] : 1);
}

/* The matrix of inputs 1 to 3 is sparse, and multiplied with its own kind. */
static bool
expect_sparse(struct te_call *c)
{
	const struct te_tensor *data = c->in[1], *indptr = c->in[3];

	if (!dtype_equal(c->in[2]->dtype, indptr->dtype))
		return te_error(c, "the indices must have one type");
	if (!dtype_equal(c->in[0]->dtype, data->dtype))
		return te_error(c, "the matrices must have one type");
	if (indptr->ndim != 1 || indptr->shape[0] == 0 ||
	    (data->ndim != 1 && data->ndim != 3) ||
	    !te_expect_shape(c, 2, data->shape, 1))
		return te_error(c, "the sparse matrix must be CSR or BSR");
	return true;
}

/* out[m, row] = sum(k; sparse[row, k] * dense[m, k]), or that transposed. */
static bool
sparse_product(struct te_call *c, int64_t rows, int64_t inner, bool transposed)
{
	const struct te_tensor *data = c->in[1], *indptr = c->in[3];
	struct te_extern *x;

	if (!expect_sparse(c))
		return false;
	x = routine_begin(c, "relay_sparse_dense");
	routine_inputs(c, x, 4);
	te_extern_int(x, rows);
	te_extern_int(x, inner);
	te_extern_int(x, te_dim_sub(c, indptr->shape[0], 1));
	put_blocks(x, data);
	te_extern_int(x, transposed);
	te_extern_int(x, routine_dtype(data->dtype));
	te_extern_int(x, routine_dtype(indptr->dtype));
	return routine_end(c, x);
}

bool
compute_nn_sparse_dense(struct te_call *c)
{
	return sparse_product(c, c->in[0]->shape[0], c->in[0]->shape[1],
			      te_attr_bool(c, "sparse_lhs"));
}

/* The data is a matrix of pixels, unless its channels or kernel lie apart. */
static bool
sparse_conv(struct te_call *c, int64_t kernel, bool last)
{
	const int64_t *shape = c->in[0]->shape;
	struct te_extern *x;

	if (!expect_sparse(c))
		return false;
	x = routine_begin(c, "relay_sparse_conv2d");
	routine_inputs(c, x, 4);
	te_extern_int(x, shape[0]);
	te_extern_int(x, shape[last ? 1 : 2]);
	te_extern_int(x, shape[last ? 2 : 3]);
	te_extern_int(x, shape[last ? 3 : 1]);
	te_extern_int(x, te_dim_sub(c, c->in[3]->shape[0], 1));
	put_blocks(x, c->in[1]);
	te_extern_int(x, kernel);
	te_extern_int(x, last);
	te_extern_int(x, routine_dtype(c->in[1]->dtype));
	te_extern_int(x, routine_dtype(c->in[3]->dtype));
	return routine_end(c, x);
}

/* Kernels of one pixel and of three by three, with a border of zeros. */
bool
compute_nn_sparse_conv2d(struct te_call *c)
{
	const char *layout = te_attr_string(c, "layout");
	const struct te_tensor *x = c->in[0];
	bool last = strcmp(layout, "NHWC") == 0;
	int64_t size[2];

	if ((!last && strcmp(layout, "NCHW") != 0) ||
	    te_attr_ints(c, "kernel_size", size, 2) != 2 ||
	    size[0] != size[1] || (size[0] != 1 && size[0] != 3))
		return te_error(c, "only NHWC and NCHW, with kernels of 1 x 1 "
				   "and 3 x 3, are supported");
	if (!last || size[0] != 1)
		return sparse_conv(c, size[0], last);
	return sparse_product(
		c,
		te_dim_mul(c, te_dim_mul(c, x->shape[0], x->shape[1]),
			   x->shape[2]),
		x->shape[3], false);
}

/* Inputs I to I + 2 are elements, columns and row starts. */
static bool
is_csr(struct te_call *c, uint32_t i)
{
	const struct te_tensor *data = c->in[i], *at = c->in[i + 1],
			       *start = c->in[i + 2];

	if (data->ndim == 1 && at->ndim == 1 && start->ndim == 1 &&
	    start->shape[0] != 0 && dtype_equal(at->dtype, start->dtype))
		return te_require_equal(c, at->shape[0], data->shape[0],
					"the sparse matrix must be CSR");
	return te_error(c, "the sparse matrix must be CSR");
}

bool
compute_nn_sparse_add(struct te_call *c)
{
	const struct te_tensor *indptr = c->in[3];
	struct te_extern *x;

	if (!is_csr(c, 1))
		return false;
	if (!dtype_equal(c->in[0]->dtype, c->in[1]->dtype) ||
	    c->in[0]->ndim != 2)
		return te_error(c, "the matrices must have one type");
	x = routine_begin(c, "relay_sparse_add");
	routine_inputs(c, x, 4);
	te_extern_int(x, c->in[0]->shape[0]);
	te_extern_int(x, c->in[0]->shape[1]);
	te_extern_int(x, te_dim_sub(c, indptr->shape[0], 1));
	te_extern_int(x, routine_dtype(c->in[0]->dtype));
	te_extern_int(x, routine_dtype(indptr->dtype));
	return routine_end(c, x);
}

bool
compute_nn_sparse_transpose(struct te_call *c)
{
	const struct te_tensor *indptr = c->in[2];
	struct te_extern *x;

	if (!is_csr(c, 0))
		return false;
	x = routine_begin(c, "relay_sparse_transpose");
	routine_inputs(c, x, 3);
	te_extern_int(x, c->in[0]->shape[0]);
	te_extern_int(x, te_dim_sub(c, indptr->shape[0], 1));
	te_extern_int(x, routine_dtype(c->in[0]->dtype));
	te_extern_int(x, routine_dtype(indptr->dtype));
	return routine_end(c, x);
}
