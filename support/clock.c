#include "support/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double
clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

void
clock_print_runs(double *t, size_t n)
{
	double sum = 0;

	qsort(t, n, sizeof(*t), by_value);
	for (size_t i = 0; i < n; i++)
		sum += t[i];
	fprintf(stderr,
		"%zu runs: min %.3f ms, median %.3f, mean %.3f, max %.3f\n", n,
		1e3 * t[0], 1e3 * t[n / 2], 1e3 * sum / (double)n,
		1e3 * t[n - 1]);
}
