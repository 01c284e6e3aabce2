/*
 * Reading tensors by the letters of their layout, for rules that work in any
 * layout: the index along "C" of "NCHW8c" is outer * 8 + inner.
 */
#ifndef RELAY_TE_COMPUTE_LAYOUT_H
#define RELAY_TE_COMPUTE_LAYOUT_H

#include "ir/layout.h"
#include "te/compute.h"

/* Indices along primal axes, by letter - 'A'; NULL where there is none. */
struct te_letters {
	const tir_expr *at[26];
};

/* The indices that the axes I of a box in layout L stand for. */
struct te_letters te_letters_of(struct te_call *c, const struct ir_layout *l,
				const tir_expr *const *i);

/* The index along axis K of L that belongs to index P of its primal axis. */
const tir_expr *te_layout_part(struct te_call *c, const struct ir_layout *l,
			       uint32_t k, const tir_expr *p);

/* T, laid out as L, read at primal indices AT. */
const tir_expr *te_get_letters(struct te_call *c, const struct te_tensor *t,
			       const struct ir_layout *l,
			       const struct te_letters *at);

/* T has the axes of L, and blocks of the size that L says. */
bool te_fits_layout(const struct te_tensor *t, const struct ir_layout *l);

/* Extent along a primal axis, blocks included; 1 if L has no such axis. */
int64_t te_extent(struct te_call *c, const struct te_tensor *t,
		  const struct ir_layout *l, char primal);

/* Attribute NAME as a layout; DEFLT if it is empty. False after reporting. */
bool te_attr_layout(struct te_call *c, const char *name, const char *deflt,
		    struct ir_layout *out);

/* The spatial letters of L in order: "W", "HW" or "DHW"; how many. */
int te_spatial_letters(const struct ir_layout *l, char out[4]);

/*
 * Padding of N spatial axes in any of its written forms: one number for all,
 * one per axis, or all fronts and then all backs. False after reporting.
 */
bool te_attr_padding(struct te_call *c, int n, int64_t *before, int64_t *after);

#endif
