/* Thresholds from what was seen of a value. */
#include <math.h>
#include <stdlib.h>

#include "passes/quant/quant_profile.h"

enum { BINS = 8001, STEPS = 255, HALF = STEPS / 2, ZERO_BIN = BINS / 2 };

static int
by_value(const void *a, const void *b)
{
	float x = *(const float *)a;
	float y = *(const float *)b;

	return (x > y) - (x < y);
}

double
quant_percentile(const float *values, size_t n)
{
	float *sorted = xcalloc(n ? n : 1, sizeof(*sorted));
	size_t at = (size_t)((double)n * 0.99999);
	double out;

	for (size_t i = 0; i < n; i++)
		sorted[i] = fabsf(values[i]);
	qsort(sorted, n, sizeof(*sorted), by_value);
	out = n ? (double)sorted[at < n ? at : n - 1] : 0;
	free(sorted);
	return out;
}

/* Zeros get a little of what the others have; false: there is nothing. */
static bool
smooth(double *p, int n)
{
	const double eps = 0.0001;
	int zeros = 0;
	double taken;

	for (int i = 0; i < n; i++)
		zeros += p[i] == 0;
	if (zeros == n)
		return false;
	taken = eps * zeros / (n - zeros);
	if (taken >= 1)
		return false;
	for (int i = 0; i < n; i++)
		p[i] += p[i] == 0 ? eps : -taken;
	return true;
}

static double
divergence(const double *p, const double *q, int n)
{
	double p_sum = 0;
	double q_sum = 0;
	double out = 0;

	for (int i = 0; i < n; i++) {
		p_sum += p[i];
		q_sum += q[i];
	}
	for (int i = 0; i < n; i++)
		out += p[i] / p_sum * log(p[i] / p_sum / (q[i] / q_sum));
	return out;
}

/* Q: the N bins of HIST in STEPS steps, spread over those not empty. */
static void
quantized(const double *hist, const double *p, int n, double *q)
{
	int merged = n / STEPS;

	for (int j = 0; j < STEPS; j++) {
		int start = j * merged;
		int stop = j == STEPS - 1 ? n : start + merged;
		double sum = 0;
		int used = 0;

		for (int k = start; k < stop; k++) {
			sum += hist[k];
			used += hist[k] != 0;
		}
		for (int k = start; k < stop; k++)
			q[k] = used && p[k] != 0 ? sum / used : 0;
	}
}

/*
 * How much is lost if only the bins up to I from the middle are told apart;
 * BELOW[k] is how many values lie in the bins before K.
 */
static double
loss(const double *hist, const double *below, int i, double *work)
{
	int start = ZERO_BIN - i;
	int n = 2 * i + 1;
	double *inner = work;
	double *p = work + BINS;
	double *q = work + 2 * BINS;

	for (int k = 0; k < n; k++)
		inner[k] = p[k] = k == 0 ? 0 : hist[start + k];
	p[0] = below[start + 1];
	p[n - 1] += below[BINS] - below[start + n];
	quantized(inner, p, n, q);
	if (!smooth(p, n) || !smooth(q, n))
		return INFINITY;
	return divergence(p, q, n);
}

double
quant_kl_threshold(const float *values, size_t n)
{
	double *work = xcalloc(5 * BINS + 1, sizeof(*work));
	double *below = work + 4 * BINS;
	double high = 0;
	double least = INFINITY;
	double out;

	for (size_t i = 0; i < n; i++)
		high = fmax(high, (double)fabsf(values[i]));
	for (size_t i = 0; i < n && high > 0; i++) {
		int b = (int)(((double)values[i] + high) / (2 * high) * BINS);

		work[b < 0 ? 0 : b < BINS ? b : BINS - 1]++;
	}
	for (int i = 0; i < BINS; i++)
		below[i + 1] = below[i] + work[i];
	out = high;
	for (int i = HALF; i <= ZERO_BIN && high > 0; i++) {
		double l = loss(work, below, i, work + BINS);

		if (l < least) {
			least = l;
			out = -high + 2 * high * (ZERO_BIN + i + 1) / BINS;
		}
	}
	free(work);
	return out;
}
