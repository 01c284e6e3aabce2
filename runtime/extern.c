/*
 * The table of routines, in order of their names.
 *
 * A row names a routine and its parameters: P pointer, I int64_t, F double.
 */
#include "runtime/extern.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/routines.h"

#define P(k) a[k].p
#define I(k) a[k].i
#define F(k) a[k].f

/* clang-format off */
#define ROUTINES(R)                                                           \
	R(relay_all_class_nms, 12,                                            \
	  (P(0), P(1), P(2), P(3), P(4), P(5), P(6), I(7), I(8), I(9), I(10), \
	   I(11)))                                                            \
	R(relay_all_class_nms_padded, 13,                                     \
	  (P(0), P(1), P(2), P(3), P(4), P(5), P(6), P(7), I(8), I(9), I(10), \
	   I(11), I(12)))                                                     \
	R(relay_argsort, 8, (P(0), P(1), I(2), I(3), I(4), I(5), I(6), I(7))) \
	R(relay_argwhere, 11,                                                 \
	  (P(0), P(1), I(2), I(3), I(4), I(5), I(6), I(7), I(8), I(9),        \
	   I(10)))                                                            \
	R(relay_count_nonzero, 3, (P(0), I(1), I(2)))                         \
	R(relay_dyn_alloc, 4, (P(0), P(1), I(2), I(3)))                       \
	R(relay_dyn_check, 5, (P(0), I(1), P(2), I(3), I(4)))                 \
	R(relay_dyn_mul, 2, (I(0), I(1)))                                     \
	R(relay_dyn_place, 2, (P(0), P(1)))                                   \
	R(relay_grid_sample, 16,                                              \
	  (P(0), P(1), P(2), I(3), I(4), I(5), I(6), I(7), I(8), I(9), I(10), \
	   I(11), I(12), I(13), I(14), I(15)))                                \
	R(relay_max_pool2d_grad, 18,                                          \
	  (P(0), P(1), P(2), I(3), I(4), I(5), I(6), I(7), I(8), I(9), I(10), \
	   I(11), I(12), I(13), I(14), I(15), I(16), I(17)))                  \
	R(relay_multibox_transform_loc, 16,                                   \
	  (P(0), P(1), P(2), P(3), P(4), F(5), F(6), F(7), F(8), F(9), I(10), \
	   I(11), I(12), I(13), I(14), I(15)))                                \
	R(relay_multinomial, 8,                                               \
	  (P(0), P(1), P(2), P(3), I(4), I(5), I(6), I(7)))                   \
	R(relay_nms, 18,                                                      \
	  (P(0), P(1), P(2), P(3), P(4), P(5), I(6), I(7), I(8), I(9), I(10), \
	   I(11), I(12), I(13), I(14), I(15), I(16), I(17)))                  \
	R(relay_nms_indices, 18,                                              \
	  (P(0), P(1), P(2), P(3), P(4), P(5), P(6), I(7), I(8), I(9), I(10), \
	   I(11), I(12), I(13), I(14), I(15), I(16), I(17)))                  \
	R(relay_normal, 7, (P(0), P(1), P(2), P(3), P(4), I(5), I(6)))        \
	R(relay_proposal, 16,                                                 \
	  (P(0), P(1), P(2), P(3), P(4), F(5), I(6), I(7), I(8), I(9), I(10), \
	   I(11), I(12), I(13), I(14), I(15)))                                \
	R(relay_regular_nms, 15,                                              \
	  (P(0), P(1), P(2), P(3), P(4), P(5), F(6), F(7), I(8), I(9), I(10), \
	   I(11), I(12), I(13), I(14)))                                       \
	R(relay_roi_align, 15,                                                \
	  (P(0), P(1), P(2), I(3), I(4), I(5), I(6), I(7), I(8), I(9), I(10), \
	   F(11), I(12), I(13), I(14)))                                       \
	R(relay_roi_pool, 13,                                                 \
	  (P(0), P(1), P(2), I(3), I(4), I(5), I(6), I(7), I(8), I(9), I(10), \
	   F(11), I(12)))                                                     \
	R(relay_scan, 9,                                                      \
	  (P(0), P(1), I(2), I(3), I(4), I(5), I(6), I(7), I(8)))             \
	R(relay_scatter_elements, 21,                                         \
	  (P(0), P(1), P(2), P(3), I(4), I(5), I(6), I(7), I(8), I(9), I(10), \
	   I(11), I(12), I(13), I(14), I(15), I(16), I(17), I(18), I(19),     \
	   I(20)))                                                            \
	R(relay_scatter_nd, 16,                                               \
	  (P(0), P(1), P(2), P(3), I(4), I(5), I(6), I(7), I(8), I(9), I(10), \
	   I(11), I(12), I(13), I(14), I(15)))                                \
	R(relay_sort, 7, (P(0), P(1), I(2), I(3), I(4), I(5), I(6)))          \
	R(relay_sparse_add, 10,                                               \
	  (P(0), P(1), P(2), P(3), P(4), I(5), I(6), I(7), I(8), I(9)))       \
	R(relay_sparse_conv2d, 16,                                            \
	  (P(0), P(1), P(2), P(3), P(4), I(5), I(6), I(7), I(8), I(9), I(10), \
	   I(11), I(12), I(13), I(14), I(15)))                                \
	R(relay_sparse_dense, 13,                                             \
	  (P(0), P(1), P(2), P(3), P(4), I(5), I(6), I(7), I(8), I(9), I(10), \
	   I(11), I(12)))                                                     \
	R(relay_sparse_to_dense, 15,                                          \
	  (P(0), P(1), P(2), P(3), I(4), I(5), I(6), I(7), I(8), I(9), I(10), \
	   I(11), I(12), I(13), I(14)))                                       \
	R(relay_sparse_transpose, 10,                                         \
	  (P(0), P(1), P(2), P(3), P(4), P(5), I(6), I(7), I(8), I(9)))       \
	R(relay_threefry_generate, 4, (P(0), P(1), P(2), I(3)))               \
	R(relay_threefry_split, 3, (P(0), P(1), P(2)))                        \
	R(relay_topk, 10,                                                     \
	  (P(0), P(1), P(2), I(3), I(4), I(5), I(6), I(7), I(8), I(9)))       \
	R(relay_topk_indices, 9,                                              \
	  (P(0), P(1), I(2), I(3), I(4), I(5), I(6), I(7), I(8)))             \
	R(relay_topk_values, 8,                                               \
	  (P(0), P(1), I(2), I(3), I(4), I(5), I(6), I(7)))                   \
	R(relay_uniform, 7, (P(0), P(1), P(2), P(3), P(4), I(5), I(6)))       \
	R(relay_unique, 8, (P(0), P(1), P(2), P(3), P(4), I(5), I(6), I(7)))  \
	R(relay_unique_counts, 9,                                             \
	  (P(0), P(1), P(2), P(3), P(4), P(5), I(6), I(7), I(8)))             \
	R(relay_valid_counts, 14,                                             \
	  (P(0), P(1), P(2), P(3), P(4), F(5), I(6), I(7), I(8), I(9), I(10), \
	   I(11), I(12), I(13)))
/* clang-format on */

#define ROUTINE(name, n, args)                               \
	static int32_t call_##name(const union relay_arg *a) \
	{                                                    \
		return (int32_t)name args;                   \
	}
ROUTINES(ROUTINE)
#undef ROUTINE

static int32_t
call_memcpy(const union relay_arg *a)
{
	memcpy(P(0), P(1), (size_t)I(2));
	return 0;
}

static const struct relay_extern table[] = {
	{"memcpy", 3, call_memcpy, (void (*)(void))memcpy},
#define ROUTINE(name, n, args) {#name, n, call_##name, (void (*)(void))name},
	ROUTINES(ROUTINE)
#undef ROUTINE
};

enum { NTABLE = sizeof(table) / sizeof(table[0]), MAX_ADDED = 512 };

/* Routines of plugins. */
static const struct relay_extern *added[MAX_ADDED];
static uint32_t nadded;

static int
by_name(const void *key, const void *row)
{
	return strcmp(key, ((const struct relay_extern *)row)->name);
}

const struct relay_extern *
relay_extern_find(const char *name)
{
	const struct relay_extern *r =
		bsearch(name, table, NTABLE, sizeof(table[0]), by_name);

	for (uint32_t i = 0; !r && i < nadded; i++)
		if (!strcmp(added[i]->name, name))
			r = added[i];
	return r;
}

const struct relay_extern *
relay_extern_at(uint32_t i)
{
	if (i < NTABLE)
		return &table[i];
	return i - NTABLE < nadded ? added[i - NTABLE] : NULL;
}

int
relay_extern_add(const struct relay_extern *r)
{
	if (nadded == MAX_ADDED || relay_extern_find(r->name))
		return 0;
	added[nadded++] = r;
	return 1;
}
