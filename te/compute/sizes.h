/*
 * Sizes of the results of single operators, for te/compute/sizes.c: shapes by
 * attributes and values, and operators that take few sizes only.
 */
#ifndef RELAY_TE_COMPUTE_SIZES_H
#define RELAY_TE_COMPUTE_SIZES_H

#include "ir/layout.h"
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

/* The extents of a tensor by capital letter of its layout. */
struct sizes_letters {
	int64_t at[26];
};
/* Those of input I; false after reporting. */
bool sizes_letters(struct te_call *c, uint32_t i, const struct ir_layout *l,
		   struct sizes_letters *out);
/* And back: the shape of the result, laid out as L. */
bool sizes_from_letters(struct te_call *c, const struct sizes_letters *s,
			const struct ir_layout *l, int64_t *out);

/* A window that slides along an axis; BORDER is what is put around that. */
struct sizes_window {
	int64_t size, stride, dilation, border;
	bool ceil; /* the last may reach beyond the end */
};
/* How many places it has on an axis of N elements. */
bool sizes_slide(struct te_call *c, int64_t n, const struct sizes_window *w,
		 int64_t *out);

/* Entry K of an attribute that holds one number, or one for each axis. */
int64_t sizes_number(struct te_call *c, const char *name, int k, int64_t deflt);

bool sizes_adaptive_pool(struct te_call *c, int64_t *const *out);
bool sizes_adv_index(struct te_call *c, int64_t *const *out);
bool sizes_affine_grid(struct te_call *c, int64_t *const *out);
bool sizes_all_class_nms(struct te_call *c, int64_t *const *out);
bool sizes_along_axis(struct te_call *c, int64_t *const *out);
bool sizes_argwhere(struct te_call *c, int64_t *const *out);
bool sizes_backward_weight(struct te_call *c, int64_t *const *out);
bool sizes_batch_to_space(struct te_call *c, int64_t *const *out);
bool sizes_bitpack(struct te_call *c, int64_t *const *out);
bool sizes_bitserial_conv(struct te_call *c, int64_t *const *out);
bool sizes_bitserial_dense(struct te_call *c, int64_t *const *out);
bool sizes_blind_conv(struct te_call *c, int64_t *const *out);
bool sizes_broadcast_to(struct te_call *c, int64_t *const *out);
bool sizes_collapse(struct te_call *c, int64_t *const *out);
bool sizes_conv(struct te_call *c, int64_t *const *out);
bool sizes_conv_transpose(struct te_call *c, int64_t *const *out);
bool sizes_correlation(struct te_call *c, int64_t *const *out);
bool sizes_crops(struct te_call *c, int64_t *const *out);
bool sizes_cross_entropy(struct te_call *c, int64_t *const *out);
bool sizes_deformable_conv(struct te_call *c, int64_t *const *out);
bool sizes_dense_pack(struct te_call *c, int64_t *const *out);
bool sizes_dft(struct te_call *c, int64_t *const *out);
bool sizes_dilate(struct te_call *c, int64_t *const *out);
bool sizes_dilation(struct te_call *c, int64_t *const *out);
bool sizes_dyn_one_hot(struct te_call *c, int64_t *const *out);
bool sizes_dyn_pad(struct te_call *c, int64_t *const *out);
bool sizes_dyn_slice(struct te_call *c, int64_t *const *out);
bool sizes_dyn_tile(struct te_call *c, int64_t *const *out);
bool sizes_dyn_topk(struct te_call *c, int64_t *const *out);
bool sizes_einsum(struct te_call *c, int64_t *const *out);
bool sizes_fifo(struct te_call *c, int64_t *const *out);
bool sizes_fill(struct te_call *c, int64_t *const *out);
bool sizes_gemm_weight(struct te_call *c, int64_t *const *out);
bool sizes_grid_sample(struct te_call *c, int64_t *const *out);
bool sizes_layout_transform(struct te_call *c, int64_t *const *out);
bool sizes_matrix_set_diag(struct te_call *c, int64_t *const *out);
bool sizes_meshgrid(struct te_call *c, int64_t *const *out);
bool sizes_multibox_loc(struct te_call *c, int64_t *const *out);
bool sizes_multibox_prior(struct te_call *c, int64_t *const *out);
bool sizes_multinomial(struct te_call *c, int64_t *const *out);
bool sizes_nll_loss(struct te_call *c, int64_t *const *out);
bool sizes_nms(struct te_call *c, int64_t *const *out);
bool sizes_nnpack_weight(struct te_call *c, int64_t *const *out);
bool sizes_per_axis(struct te_call *c, int64_t *const *out);
bool sizes_pool(struct te_call *c, int64_t *const *out);
bool sizes_pool_grad(struct te_call *c, int64_t *const *out);
bool sizes_proposal(struct te_call *c, int64_t *const *out);
bool sizes_regions(struct te_call *c, int64_t *const *out);
bool sizes_regular_nms(struct te_call *c, int64_t *const *out);
bool sizes_reshape(struct te_call *c, int64_t *const *out);
bool sizes_resize(struct te_call *c, int64_t *const *out);
bool sizes_scatter(struct te_call *c, int64_t *const *out);
bool sizes_searchsorted(struct te_call *c, int64_t *const *out);
bool sizes_sliding_window(struct te_call *c, int64_t *const *out);
bool sizes_space_to_batch(struct te_call *c, int64_t *const *out);
bool sizes_space_to_depth(struct te_call *c, int64_t *const *out);
bool sizes_sparse_add(struct te_call *c, int64_t *const *out);
bool sizes_sparse_conv(struct te_call *c, int64_t *const *out);
bool sizes_sparse_dense(struct te_call *c, int64_t *const *out);
bool sizes_sparse_reshape(struct te_call *c, int64_t *const *out);
bool sizes_sparse_to_dense(struct te_call *c, int64_t *const *out);
bool sizes_sparse_transpose(struct te_call *c, int64_t *const *out);
bool sizes_stft(struct te_call *c, int64_t *const *out);
bool sizes_strided_slice(struct te_call *c, int64_t *const *out);
bool sizes_unique(struct te_call *c, int64_t *const *out);
bool sizes_unravel_index(struct te_call *c, int64_t *const *out);
bool sizes_upsampling(struct te_call *c, int64_t *const *out);
bool sizes_valid_counts(struct te_call *c, int64_t *const *out);
bool sizes_winograd_weight(struct te_call *c, int64_t *const *out);
bool sizes_yolo_reorg(struct te_call *c, int64_t *const *out);

#endif
