/*
 * Convolutions with their channels in blocks.
 */
#ifndef RELAY_PASSES_LAYOUT_CONV_LAYOUT_H
#define RELAY_PASSES_LAYOUT_CONV_LAYOUT_H

#include "passes/layout/layout_rewrite.h"

/*
 * Make CALL, an nn.conv2d, the blocked one with layouts DATA and KERNEL, in C.
 * False if its channels cannot be cut so, are unknown, or are in groups.
 */
bool conv_layout_block(ir_context *cx, const struct ir_call *call,
		       struct layout_choice *c, const char *data,
		       const char *kernel);

/* Likewise with a kernel for each channel; blocks of BLOCK channels. */
bool conv_layout_block_depthwise(ir_context *cx, const struct ir_call *call,
				 struct layout_choice *c, unsigned block);

/* A with its padding written out for every side of SPATIAL axes. */
const ir_attrs *conv_layout_pad(ir_context *cx, const ir_attrs *a,
				uint32_t spatial);

const ir_attrs *conv_layout_set(ir_context *cx, const ir_attrs *a,
				const char *field, const char *layout);

#endif
