/*
 * Convolutions that nn.sparse_conv2d can do.
 */
#ifndef RELAY_PASSES_SPARSE_CONV_H
#define RELAY_PASSES_SPARSE_CONV_H

#include "passes/pass.h"

/* Which: the layout of data, and the extent of kernels, 1 or 3. */
struct sparse_conv {
	const char *layout;
	int64_t kernel;
};

/*
 * CALL is an nn.conv2d with such a kernel, with strides of 1, padding that
 * keeps the size of images, without groups, and its data and weight have the
 * layouts that go with that of O.
 */
bool sparse_conv_fits(const struct ir_call *call, const struct sparse_conv *o);

/* nn.sparse_conv2d of DATA and the three PARTS of its weight. */
const ir_expr *sparse_conv_call(ir_module *m, struct loc loc,
				const ir_expr *data,
				const ir_expr *const *parts,
				const struct sparse_conv *o);

/* Reads layout and kernel-size of the pass; false after reporting at LOC. */
bool sparse_conv_options(pass_ctx *cx, struct loc loc, struct sparse_conv *o);

#endif
