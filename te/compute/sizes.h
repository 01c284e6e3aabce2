/*
 * Sizes of the results of single operators, for te/compute/sizes.c: shapes by
 * attributes and values, and operators that take few sizes only.
 */
#ifndef RELAY_TE_COMPUTE_SIZES_H
#define RELAY_TE_COMPUTE_SIZES_H

#include "te/compute.h"

/* WHAT must be known. Always false. */
bool sizes_refuse(struct te_call *c, const char *what);
void sizes_copy(int64_t *out, const struct te_tensor *t);
bool sizes_broadcast(struct te_call *c, int64_t a, int64_t b, int64_t *out);

/*
 * Element AT of input I as an int64 (a float stays one), known before
 * anything is computed: a constant or a parameter. False after reporting.
 */
bool sizes_read(struct te_call *c, uint32_t i, int64_t at,
		const tir_expr **out);

/* One axis of dyn.strided_slice, of values that are limited to the axis. */
struct sizes_cut {
	const tir_expr *begin, *end, *stride;
};
bool sizes_read_cut(struct te_call *c, uint32_t d, struct sizes_cut *out);

bool sizes_argwhere(struct te_call *c, int64_t *const *out);
bool sizes_dyn_one_hot(struct te_call *c, int64_t *const *out);
bool sizes_dyn_pad(struct te_call *c, int64_t *const *out);
bool sizes_dyn_slice(struct te_call *c, int64_t *const *out);
bool sizes_dyn_tile(struct te_call *c, int64_t *const *out);
bool sizes_dyn_topk(struct te_call *c, int64_t *const *out);
bool sizes_nms(struct te_call *c, int64_t *const *out);
bool sizes_scatter(struct te_call *c, int64_t *const *out);
bool sizes_sparse_to_dense(struct te_call *c, int64_t *const *out);
bool sizes_unique(struct te_call *c, int64_t *const *out);
bool sizes_valid_counts(struct te_call *c, int64_t *const *out);
bool sizes_adv_index(struct te_call *c, int64_t *const *out);
bool sizes_broadcast_to(struct te_call *c, int64_t *const *out);
bool sizes_fill(struct te_call *c, int64_t *const *out);
bool sizes_images(struct te_call *c, int64_t *const *out);
bool sizes_layout_transform(struct te_call *c, int64_t *const *out);
bool sizes_reshape(struct te_call *c, int64_t *const *out);
bool sizes_strided_slice(struct te_call *c, int64_t *const *out);

#endif
