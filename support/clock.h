/* Time that passes, and what runs took. */
#ifndef RELAY_SUPPORT_CLOCK_H
#define RELAY_SUPPORT_CLOCK_H

#include <stddef.h>

/* Seconds since some moment; never goes back. */
double clock_now(void);

/* A line to stderr about N > 0 runs of T seconds, which are sorted. */
void clock_print_runs(double *t, size_t n);

#endif
