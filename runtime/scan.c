/* Running sums and products. */
#include "include/relay_rt.h"
#include "runtime/element.h"
#include "runtime/routines.h"

static void
scan_int(void *out, const void *data, int64_t base, int64_t n, int64_t inner,
	 bool product, bool exclusive, int64_t dtype, int64_t out_dtype)
{
	uint64_t sum = product;

	for (int64_t i = 0; i < n; i++) {
		int64_t at = base + i * inner;
		uint64_t x = (uint64_t)element_int(data, at, dtype);

		if (exclusive)
			element_put_int(out, at, out_dtype, (int64_t)sum);
		sum = product ? sum * x : sum + x;
		if (out_dtype == 256 + 1)
			sum = sum != 0;
		if (!exclusive)
			element_put_int(out, at, out_dtype, (int64_t)sum);
	}
}

/* The sum is rounded to the type of the output at each step. */
static void
scan_float(void *out, const void *data, int64_t base, int64_t n, int64_t inner,
	   bool product, bool exclusive, int64_t dtype, int64_t out_dtype)
{
	double sum = product;

	for (int64_t i = 0; i < n; i++) {
		int64_t at = base + i * inner;
		double x = element_double(data, at, dtype);
		double next = product ? sum * x : sum + x;

		element_put_double(out, at, out_dtype, next);
		next = element_double(out, at, out_dtype);
		if (exclusive)
			element_put_double(out, at, out_dtype, sum);
		sum = next;
	}
}

int32_t
relay_scan(void *out, const void *data, int64_t outer, int64_t n, int64_t inner,
	   int64_t product, int64_t exclusive, int64_t dtype, int64_t out_dtype)
{
	if (!element_size(dtype) || !element_size(out_dtype))
		return RELAY_E_DTYPE;
	for (int64_t o = 0; o < outer * inner; o++) {
		int64_t base = o / inner * n * inner + o % inner;

		if (element_is_float(out_dtype))
			scan_float(out, data, base, n, inner, product != 0,
				   exclusive != 0, dtype, out_dtype);
		else
			scan_int(out, data, base, n, inner, product != 0,
				 exclusive != 0, dtype, out_dtype);
	}
	return RELAY_OK;
}
