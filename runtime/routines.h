/*
 * The routines themselves; see runtime/extern.h for how they are called.
 *
 * DTYPE is 256 * code + bits of an element type (codes of relay_rt.h).
 * Arrays are seen as [outer, n, inner]; the routine works along the middle.
 */
#ifndef RELAY_RUNTIME_ROUTINES_H
#define RELAY_RUNTIME_ROUTINES_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

/* Stable, equal keys keep their order in both directions. */
int32_t relay_sort(void *out, const void *data, int64_t outer, int64_t n,
		   int64_t inner, int64_t ascending, int64_t dtype);
int32_t relay_argsort(void *out, const void *data, int64_t outer, int64_t n,
		      int64_t inner, int64_t ascending, int64_t dtype,
		      int64_t out_dtype);
/* The K best, best first; [outer, k, inner]. VALUES or INDICES alone. */
int32_t relay_topk(void *values, void *indices, const void *data, int64_t outer,
		   int64_t n, int64_t inner, int64_t k, int64_t ascending,
		   int64_t dtype, int64_t out_dtype);
int32_t relay_topk_values(void *values, const void *data, int64_t outer,
			  int64_t n, int64_t inner, int64_t k,
			  int64_t ascending, int64_t dtype);
int32_t relay_topk_indices(void *indices, const void *data, int64_t outer,
			   int64_t n, int64_t inner, int64_t k,
			   int64_t ascending, int64_t dtype, int64_t out_dtype);
/* Running sum, or product, in the type of OUT. */
int32_t relay_scan(void *out, const void *data, int64_t outer, int64_t n,
		   int64_t inner, int64_t product, int64_t exclusive,
		   int64_t dtype, int64_t out_dtype);

#pragma GCC visibility pop

#endif
