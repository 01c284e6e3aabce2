/* Comparison and summaries of tensors. */
#include "ir/compare.h"

#include <inttypes.h>
#include <math.h>

#include "support/hash.h"

enum { SHOWN = 10 };

void
tensor_type_text(struct buf *out, const ir_tensor *t)
{
	char text[DTYPE_TEXT];

	buf_printf(out, "%s[", dtype_text(t->dtype, text));
	for (uint32_t i = 0; i < t->ndim; i++)
		buf_printf(out, "%s%" PRId64, i ? ", " : "", t->shape[i]);
	buf_putc(out, ']');
}

static bool
same_type(const ir_tensor *a, const ir_tensor *b)
{
	if (!dtype_equal(a->dtype, b->dtype) || a->ndim != b->ndim)
		return false;
	for (uint32_t i = 0; i < a->ndim; i++)
		if (a->shape[i] != b->shape[i])
			return false;
	return true;
}

static bool
close_enough(double got, double want, const struct tolerance *tol)
{
	if (isnan(got) || isnan(want))
		return tol->equal_nan && isnan(got) && isnan(want);
	if (got == want)
		return true;
	return fabs(got - want) <= tol->atol + tol->rtol * fabs(want);
}

static void
put_index(struct buf *out, const ir_tensor *t, int64_t i)
{
	int64_t size = ir_tensor_size(t);

	buf_putc(out, '[');
	for (uint32_t d = 0; d < t->ndim; d++) {
		size /= t->shape[d];
		buf_printf(out, "%s%" PRId64, d ? ", " : "", i / size);
		i %= size;
	}
	buf_putc(out, ']');
}

static void
put_difference(struct buf *out, const ir_tensor *got, const ir_tensor *want,
	       int64_t i)
{
	buf_puts(out, "  ");
	put_index(out, got, i);
	if (dtype_is_float(got->dtype))
		buf_printf(out, ": %.9g, expected %.9g\n",
			   tensor_plain(ir_tensor_get_double(got, i)),
			   tensor_plain(ir_tensor_get_double(want, i)));
	else
		buf_printf(out, ": %" PRId64 ", expected %" PRId64 "\n",
			   ir_tensor_get_int(got, i),
			   ir_tensor_get_int(want, i));
}

double
tensor_plain(double x)
{
	return isnan(x) ? (double)NAN : x;
}

static bool
element_agrees(const ir_tensor *got, const ir_tensor *want, int64_t i,
	       const struct tolerance *tol)
{
	if (!dtype_is_float(got->dtype))
		return ir_tensor_get_int(got, i) == ir_tensor_get_int(want, i);
	return close_enough(ir_tensor_get_double(got, i),
			    ir_tensor_get_double(want, i), tol);
}

bool
tensors_agree(const ir_tensor *got, const ir_tensor *want,
	      const struct tolerance *tol, struct buf *out)
{
	int64_t n, bad = 0;
	double worst = 0, worst_relative = 0;

	if (!same_type(got, want)) {
		buf_puts(out, "  ");
		tensor_type_text(out, got);
		buf_puts(out, ", expected ");
		tensor_type_text(out, want);
		buf_putc(out, '\n');
		return false;
	}
	n = ir_tensor_size(got);
	for (int64_t i = 0; i < n; i++) {
		double x, y, e;

		if (element_agrees(got, want, i, tol))
			continue;
		if (bad++ < SHOWN)
			put_difference(out, got, want, i);
		x = ir_tensor_get_double(got, i);
		y = ir_tensor_get_double(want, i);
		e = fabs(x - y);
		if (e > worst)
			worst = e;
		if (y != 0 && e / fabs(y) > worst_relative)
			worst_relative = e / fabs(y);
	}
	if (bad)
		buf_printf(out,
			   "  %" PRId64 " of %" PRId64 " values differ; worst "
			   "absolute error %.3g, relative %.3g\n",
			   bad, n, worst, worst_relative);
	return !bad;
}

void
tensor_summary(struct buf *out, const ir_tensor *t)
{
	int64_t n = ir_tensor_size(t);
	double low = INFINITY, high = -INFINITY, sum = 0;

	for (int64_t i = 0; i < n; i++) {
		double x = ir_tensor_get_double(t, i);

		low = x < low ? x : low;
		high = x > high ? x : high;
		sum += x;
	}
	sum = tensor_plain(sum);
	tensor_type_text(out, t);
	if (n)
		buf_printf(out, " min=%.6g max=%.6g mean=%.6g sum=%.6g", low,
			   high, sum / (double)n, sum);
	buf_printf(out, " hash=%016" PRIx64, hash_bytes(t->data, t->nbytes));
}
