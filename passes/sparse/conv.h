/*
 * Convolutions that nn.sparse_conv2d can do.
 */
#ifndef RELAY_PASSES_SPARSE_CONV_H
#define RELAY_PASSES_SPARSE_CONV_H

#include "passes/pass.h"

/*
 * CALL is an nn.conv2d of one pixel with strides of 1, without padding and
 * groups, and its data and weight have the layouts that go with LAYOUT.
 */
bool sparse_conv_fits(const struct ir_call *call, const char *layout);

/* nn.sparse_conv2d of DATA and the three PARTS of its weight. */
const ir_expr *sparse_conv_call(ir_module *m, struct loc loc,
				const ir_expr *data,
				const ir_expr *const *parts,
				const char *layout);

/* Checks layout and kernel-size of the pass; false after reporting at LOC. */
bool sparse_conv_options(pass_ctx *cx, struct loc loc, const char **layout);

#endif
