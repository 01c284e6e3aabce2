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
/*
 * DATA with updates put at indices along AXIS; HOW: 0 update, 1 add, 2 mul,
 * 3 mean, 4 min, 5 max. D0... and I0... are the extents of the data and of
 * the indices, RANK of each.
 */
int32_t relay_scatter_elements(void *out, const void *data,
			       const void *indices, const void *updates,
			       int64_t axis, int64_t how, int64_t dtype,
			       int64_t index_dtype, int64_t rank, int64_t d0,
			       int64_t d1, int64_t d2, int64_t d3, int64_t d4,
			       int64_t d5, int64_t i0, int64_t i1, int64_t i2,
			       int64_t i3, int64_t i4, int64_t i5);
/*
 * DATA with slices put at POINTS places; the indices are [coordinates,
 * points]. D0... are the extents that the coordinates count in.
 */
int32_t relay_scatter_nd(void *out, const void *data, const void *indices,
			 const void *updates, int64_t how, int64_t dtype,
			 int64_t index_dtype, int64_t coordinates,
			 int64_t points, int64_t slice, int64_t d0,
			 int64_t d1, int64_t d2, int64_t d3, int64_t d4,
			 int64_t d5);

#pragma GCC visibility pop

#endif
