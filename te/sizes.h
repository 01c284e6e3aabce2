/*
 * Arithmetic on extents, and the function that computes them at run time.
 */
#ifndef RELAY_TE_SIZES_H
#define RELAY_TE_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/module.h"
#include "ir/te.h"
#include "ir/tir.h"

/* A size is less than this: products with small numbers do not overflow. */
#define TE_MAX_SIZE (INT64_C(1) << 40)

/* VALUE, an int64, as an extent: a number, a size that F has, a new one. */
int64_t te_extent_of(ir_module *m, te_func *f, const tir_expr *value);

/* A K B, of extents. */
int64_t te_extent_binary(ir_module *m, te_func *f, enum tir_kind k, int64_t a,
			 int64_t b);

/*
 * What a caller of the kernel F must know, added to its attributes D:
 *
 *   "sizes": [[0, 1], []]     size 0 is dimension 1 of parameter 0; size 1
 *                             is computed
 *   "shapes": [[-1, 4]]       of each result: numbers, and -1 - I for size I
 *   "check": "f_sizes"        the function of te_lower_sizes, if there is one
 *
 * The array of sizes is the first parameter.
 */
const ir_dict *te_size_attrs(ir_module *m, const te_func *f, const ir_dict *d);

/*
 * The function NAME_sizes: it takes the inputs of the kernel, the array of
 * its sizes, of which those of parameters are filled in, and a place for an
 * error (runtime/dynamic.c). It checks what is required and fills in the
 * rest. NULL: there is nothing to do.
 */
tir_func *te_lower_sizes(ir_module *m, const te_func *f);

#endif
