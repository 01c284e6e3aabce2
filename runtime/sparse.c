/* Sparse matrices: rows of entries (CSR) or of blocks (BSR). */
#include <string.h>

#include "include/relay_rt.h"
#include "runtime/element.h"
#include "runtime/routines.h"

/* The entries of row R are [*BEGIN, *END) of at most COUNT. */
static bool
row_range(const void *indptr, int64_t r, int64_t index_dtype, int64_t *begin,
	  int64_t *end)
{
	*begin = element_int(indptr, r, index_dtype);
	*end = element_int(indptr, r + 1, index_dtype);
	return *begin >= 0 && *begin <= *end;
}

/* Row I of a row of blocks times row M of the dense matrix. */
static int32_t
block_row(const void *dense, const void *data, const void *indices,
	  int64_t begin, int64_t end, int64_t m, int64_t inner, int64_t i,
	  int64_t br, int64_t bc, int64_t dtype, int64_t index_dtype,
	  double *sum)
{
	*sum = 0;
	for (int64_t e = begin; e < end; e++) {
		int64_t col = element_int(indices, e, index_dtype) * bc;

		if (col < 0 || col + bc > inner)
			return RELAY_E_ARG;
		for (int64_t k = 0; k < bc; k++)
			*sum += element_double(data, (e * br + i) * bc + k,
					       dtype) *
				element_double(dense, m * inner + col + k,
					       dtype);
	}
	return RELAY_OK;
}

int32_t
relay_sparse_dense(void *out, const void *dense, const void *data,
		   const void *indices, const void *indptr, int64_t rows,
		   int64_t inner, int64_t units, int64_t br, int64_t bc,
		   int64_t transposed, int64_t dtype, int64_t index_dtype)
{
	int64_t begin, end;

	if (!element_size(dtype) || !element_size(index_dtype))
		return RELAY_E_DTYPE;
	for (int64_t u = 0; u < units; u++) {
		if (!row_range(indptr, u, index_dtype, &begin, &end))
			return RELAY_E_ARG;
		for (int64_t m = 0; m < rows; m++)
			for (int64_t i = 0; i < br; i++) {
				double sum;
				int64_t col = u * br + i;
				int32_t status =
					block_row(dense, data, indices, begin,
						  end, m, inner, i, br, bc,
						  dtype, index_dtype, &sum);

				if (status != RELAY_OK)
					return status;
				element_put_double(out,
						   transposed ? col * rows + m
							      : m * units * br +
									col,
						   dtype, sum);
			}
	}
	return RELAY_OK;
}

/* The data of a convolution, or a place in its result. */
struct image {
	const void *x;
	int64_t height;
	int64_t width;
	int64_t channels;
	int64_t kernel;
	bool last;
	int64_t dtype;
};

static int64_t
image_index(const struct image *m, int64_t n, int64_t c, int64_t y, int64_t x,
	    int64_t channels)
{
	if (m->last)
		return ((n * m->height + y) * m->width + x) * channels + c;
	return ((n * channels + c) * m->height + y) * m->width + x;
}

/* What column COL of the kernel is multiplied with for the result at Y, X. */
static double
under_kernel(const struct image *m, int64_t n, int64_t y, int64_t x,
	     int64_t col)
{
	int64_t k = m->kernel, window = k * k;
	int64_t c = m->last ? col % m->channels : col / window;
	int64_t at = m->last ? col / m->channels : col % window;

	y += at / k - k / 2;
	x += at % k - k / 2;
	if (y < 0 || y >= m->height || x < 0 || x >= m->width)
		return 0;
	return element_double(m->x, image_index(m, n, c, y, x, m->channels),
			      m->dtype);
}

/* Row I of the blocks [BEGIN, END) at one place of the result. */
static double
block_sum(const struct image *m, const void *data, const void *indices,
	  int64_t begin, int64_t end, int64_t n, int64_t y, int64_t x,
	  int64_t i, int64_t br, int64_t bc, int64_t index_dtype)
{
	double sum = 0;

	for (int64_t e = begin; e < end; e++) {
		int64_t col = element_int(indices, e, index_dtype) * bc;

		for (int64_t k = 0; k < bc; k++)
			sum += element_double(data, (e * br + i) * bc + k,
					      m->dtype) *
			       under_kernel(m, n, y, x, col + k);
	}
	return sum;
}

static bool
columns_fit(const void *indices, int64_t begin, int64_t end, int64_t bc,
	    int64_t columns, int64_t index_dtype)
{
	for (int64_t e = begin; e < end; e++) {
		int64_t col = element_int(indices, e, index_dtype);

		if (col < 0 || col >= columns / bc)
			return false;
	}
	return true;
}

int32_t
relay_sparse_conv2d(void *out, const void *x, const void *data,
		    const void *indices, const void *indptr, int64_t batch,
		    int64_t height, int64_t width, int64_t channels,
		    int64_t units, int64_t br, int64_t bc, int64_t kernel,
		    int64_t channels_last, int64_t dtype, int64_t index_dtype)
{
	struct image m = {
		x, height, width, channels, kernel, channels_last != 0, dtype};
	int64_t begin, end;

	if (!element_size(dtype) || !element_size(index_dtype))
		return RELAY_E_DTYPE;
	for (int64_t r = 0; r < units * br; r++) {
		if (!row_range(indptr, r / br, index_dtype, &begin, &end) ||
		    !columns_fit(indices, begin, end, bc,
				 channels * kernel * kernel, index_dtype))
			return RELAY_E_ARG;
		for (int64_t p = 0; p < batch * height * width; p++) {
			int64_t n = p / (height * width);
			int64_t py = p / width % height, px = p % width;
			int64_t to = image_index(&m, n, r, py, px, units * br);
			double sum =
				block_sum(&m, data, indices, begin, end, n, py,
					  px, r % br, br, bc, index_dtype);

			element_put_double(out, to, dtype, sum);
		}
	}
	return RELAY_OK;
}

int32_t
relay_sparse_add(void *out, const void *dense, const void *data,
		 const void *indices, const void *indptr, int64_t rows,
		 int64_t cols, int64_t n, int64_t dtype, int64_t index_dtype)
{
	int64_t begin, end;

	if (!element_size(dtype) || !element_size(index_dtype))
		return RELAY_E_DTYPE;
	memcpy(out, dense, (size_t)(rows * cols) * element_size(dtype));
	for (int64_t r = 0; r < n && r < rows; r++) {
		if (!row_range(indptr, r, index_dtype, &begin, &end))
			return RELAY_E_ARG;
		for (int64_t e = begin; e < end; e++) {
			int64_t c = element_int(indices, e, index_dtype);
			int64_t at = r * cols + c;

			if (c < 0 || c >= cols)
				return RELAY_E_ARG;
			element_put_double(
				out, at, dtype,
				element_double(out, at, dtype) +
					element_double(data, e, dtype));
		}
	}
	return RELAY_OK;
}

int32_t
relay_sparse_transpose(void *out, void *out_indices, void *out_indptr,
		       const void *data, const void *indices,
		       const void *indptr, int64_t entries, int64_t n,
		       int64_t dtype, int64_t index_dtype)
{
	int64_t begin, end, at = 0;

	if (!element_size(dtype) || !element_size(index_dtype))
		return RELAY_E_DTYPE;
	for (int64_t c = 0; c < n; c++) {
		element_put_int(out_indptr, c, index_dtype, at);
		for (int64_t r = 0; r < n; r++) {
			if (!row_range(indptr, r, index_dtype, &begin, &end) ||
			    end > entries)
				return RELAY_E_ARG;
			for (int64_t e = begin; e < end; e++) {
				if (element_int(indices, e, index_dtype) != c)
					continue;
				element_put_double(
					out, at, dtype,
					element_double(data, e, dtype));
				element_put_int(out_indices, at++, index_dtype,
						r);
			}
		}
	}
	element_put_int(out_indptr, n, index_dtype, at);
	return RELAY_OK;
}
