/*
 * Values for tensors that no file gives: the same numbers for everyone.
 */
#ifndef RELAY_IR_FILL_H
#define RELAY_IR_FILL_H

#include <stdint.h>

#include "ir/tensor.h"

enum fill_kind { FILL_ZEROS, FILL_ONES, FILL_RANDOM, FILL_IOTA, FILL_HASH };

/*
 * Fill T, called NAME (without '%').
 *
 * HASH is a function of the name, the shape and the element type alone: noise
 * in [-0.5, 0.5), scaled so that networks with such weights neither die nor
 * explode: names that end in "var" get 1 + 0.5 u, in "gamma" 1 + 0.2 u;
 * matrices and kernels u * sqrt(12 / inputs), but for "data" and "x"; integers
 * are 0 to 9. RANDOM depends on SEED too, and is not scaled.
 */
void fill_tensor(ir_tensor *t, enum fill_kind how, const char *name,
		 uint64_t seed);

#endif
