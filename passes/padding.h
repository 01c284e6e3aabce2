/*
 * The padding of convolutions and pools.
 */
#ifndef RELAY_PASSES_PADDING_H
#define RELAY_PASSES_PADDING_H

#include "ir/attr.h"

enum { PADDING_MAX_SPATIAL = 8 };

/*
 * PADDING of N spatial axes written out: before each axis, then behind each,
 * 2N numbers. It may have one value for all, one per axis, or all of them.
 * False for anything else.
 */
bool padding_widths(const ir_attr *padding, uint32_t n, int64_t *out);

#endif
