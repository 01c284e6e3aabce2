/*
 * The routines themselves; see runtime/extern.h for how they are called.
 *
 * DTYPE is 256 * code + bits of an element type (codes of relay_rt.h).
 * Arrays are seen as [outer, n, inner]; the routine works along the middle.
 */
#ifndef RELAY_RUNTIME_ROUTINES_H
#define RELAY_RUNTIME_ROUTINES_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

/*
 * Shapes that are known at run time only (runtime/dynamic.c). ERROR is the
 * beginning of a network's arena, SLOT a pointer to a block in it.
 */
int32_t relay_dyn_place(void *error, const char *place);
int32_t relay_dyn_check(void *error, int64_t ok, const char *what, int64_t a,
			int64_t b);
/* INT64_MAX if the product is no number of elements. */
int64_t relay_dyn_mul(int64_t a, int64_t b);
/* SLOT becomes a block of COUNT elements of SIZE bytes, or stays one. */
int32_t relay_dyn_alloc(void *error, void *slot, int64_t count, int64_t size);
/* How many of N elements are not 0, or an error below 0; and where. */
int32_t relay_count_nonzero(const void *data, int64_t n, int64_t dtype);
int32_t relay_argwhere(void *out, const void *data, int64_t n, int64_t rank,
		       int64_t dtype, int64_t d0, int64_t d1, int64_t d2,
		       int64_t d3, int64_t d4, int64_t d5);

/* Stable, equal keys keep their order in both directions. */
int32_t relay_sort(void *out, const void *data, int64_t outer, int64_t n,
		   int64_t inner, int64_t ascending, int64_t dtype);
int32_t relay_argsort(void *out, const void *data, int64_t outer, int64_t n,
		      int64_t inner, int64_t ascending, int64_t dtype,
		      int64_t out_dtype);
/* The K best, best first; [outer, k, inner]. VALUES or INDICES alone. */
int32_t relay_topk(void *values, void *indices, const void *data, int64_t outer,
		   int64_t n, int64_t inner, int64_t k, int64_t ascending,
		   int64_t dtype, int64_t out_dtype);
int32_t relay_topk_values(void *values, const void *data, int64_t outer,
			  int64_t n, int64_t inner, int64_t k,
			  int64_t ascending, int64_t dtype);
int32_t relay_topk_indices(void *indices, const void *data, int64_t outer,
			   int64_t n, int64_t inner, int64_t k,
			   int64_t ascending, int64_t dtype, int64_t out_dtype);
/* Running sum, or product, in the type of OUT. */
int32_t relay_scan(void *out, const void *data, int64_t outer, int64_t n,
		   int64_t inner, int64_t product, int64_t exclusive,
		   int64_t dtype, int64_t out_dtype);
/*
 * DATA with updates put at indices along AXIS; HOW: 0 update, 1 add, 2 mul,
 * 3 mean, 4 min, 5 max. D0... and I0... are the extents of the data and of
 * the indices, RANK of each.
 */
int32_t relay_scatter_elements(void *out, const void *data, const void *indices,
			       const void *updates, int64_t axis, int64_t how,
			       int64_t dtype, int64_t index_dtype, int64_t rank,
			       int64_t d0, int64_t d1, int64_t d2, int64_t d3,
			       int64_t d4, int64_t d5, int64_t i0, int64_t i1,
			       int64_t i2, int64_t i3, int64_t i4, int64_t i5);
/*
 * DATA with slices put at POINTS places; the indices are [coordinates,
 * points]. D0... are the extents that the coordinates count in.
 */
int32_t relay_scatter_nd(void *out, const void *data, const void *indices,
			 const void *updates, int64_t how, int64_t dtype,
			 int64_t index_dtype, int64_t coordinates,
			 int64_t points, int64_t slice, int64_t d0, int64_t d1,
			 int64_t d2, int64_t d3, int64_t d4, int64_t d5);

/*
 * vision.*, as in the table of operators. BATCH images have N boxes each, a
 * row of WIDTH numbers with score, class (-1: none) and corners at places.
 */
int32_t relay_valid_counts(int32_t *count, void *out, int32_t *places,
			   const void *data, const void *threshold,
			   double fixed, int64_t use_fixed, int64_t batch,
			   int64_t n, int64_t width, int64_t score_at,
			   int64_t id_at, int64_t dtype,
			   int64_t threshold_dtype);
int32_t relay_nms(void *out, const void *data, const int32_t *valid,
		  const int32_t *original, const void *max_output,
		  const void *least, int64_t batch, int64_t n, int64_t width,
		  int64_t top_k, int64_t coord, int64_t score, int64_t id,
		  int64_t force, int64_t bottom, int64_t dtype,
		  int64_t max_dtype, int64_t least_dtype);
int32_t relay_nms_indices(int32_t *indices, int32_t *count, const void *data,
			  const int32_t *valid, const int32_t *original,
			  const void *max_output, const void *least,
			  int64_t batch, int64_t n, int64_t width,
			  int64_t top_k, int64_t coord, int64_t score,
			  int64_t id, int64_t force, int64_t dtype,
			  int64_t max_dtype, int64_t least_dtype);
/* Rows of (batch, class, box), packed; or per batch, padded with zeros. */
int32_t relay_all_class_nms(int64_t *rows, int64_t *count, const void *boxes,
			    const void *scores, const void *limit,
			    const void *least_overlap, const void *least_score,
			    int64_t batch, int64_t classes, int64_t n,
			    int64_t dtype, int64_t limit_dtype);
int32_t relay_all_class_nms_padded(int64_t *rows, float *best, int64_t *count,
				   const void *boxes, const void *scores,
				   const void *limit, const void *least_overlap,
				   const void *least_score, int64_t batch,
				   int64_t classes, int64_t n, int64_t dtype,
				   int64_t limit_dtype);
int32_t relay_multibox_transform_loc(void *out, int32_t *count,
				     const void *scores, const void *offsets,
				     const void *anchors, double threshold,
				     double v0, double v1, double v2, double v3,
				     int64_t clip, int64_t background,
				     int64_t batch, int64_t classes, int64_t n,
				     int64_t dtype);
/* SAMPLES along each axis of a cell; 0 or less: as many as it has pixels. */
int32_t relay_roi_align(void *out, const void *data, const void *rois,
			int64_t batch, int64_t channels, int64_t height,
			int64_t width, int64_t channels_last, int64_t nrois,
			int64_t h, int64_t w, double scale, int64_t samples,
			int64_t max, int64_t dtype);
int32_t relay_roi_pool(void *out, const void *data, const void *rois,
		       int64_t batch, int64_t channels, int64_t height,
		       int64_t width, int64_t channels_last, int64_t nrois,
		       int64_t h, int64_t w, double scale, int64_t dtype);

/*
 * vision.proposal: boxes at each of H x W places, one for each of the ANCHORS
 * (float32, [count, 4]), moved by deltas; the best BEFORE, thinned out, AFTER
 * of them. vision.regular_non_max_suppression: scores have COLUMNS, of which
 * the last CLASSES count.
 */
int32_t relay_proposal(void *out, const void *scores, const void *deltas,
		       const void *info, const float *anchors, double threshold,
		       int64_t batch, int64_t anchor_count, int64_t h,
		       int64_t w, int64_t stride, int64_t before, int64_t after,
		       int64_t min_size, int64_t plain, int64_t dtype);
int32_t relay_regular_nms(float *boxes_out, float *labels, float *scores_out,
			  int32_t *count, const void *boxes, const void *scores,
			  double least_overlap, double least_score,
			  int64_t batch, int64_t n, int64_t columns,
			  int64_t classes, int64_t per_class, int64_t limit,
			  int64_t dtype);

/*
 * REST everywhere but at N places, rows of RANK coordinates in the extents
 * D0...; SCALAR: all have one value.
 */
int32_t relay_sparse_to_dense(void *out, const void *places, const void *values,
			      const void *rest, int64_t n, int64_t scalar,
			      int64_t dtype, int64_t place_dtype, int64_t rank,
			      int64_t d0, int64_t d1, int64_t d2, int64_t d3,
			      int64_t d4, int64_t d5);
/*
 * Distinct elements, by value or in order of first appearance; where each
 * stood first (N behind the last); its number for each element; how many.
 */
int32_t relay_unique(void *values, int32_t *indices, int32_t *inverse,
		     int32_t *count, const void *data, int64_t n,
		     int64_t sorted, int64_t dtype);
int32_t relay_unique_counts(void *values, int32_t *indices, int32_t *inverse,
			    int32_t *count, int32_t *counts, const void *data,
			    int64_t n, int64_t sorted, int64_t dtype);

/* Numbers from the state of a generator, and the state behind them. */
int32_t relay_threefry_generate(uint64_t *out_state, uint64_t *out,
				const uint64_t *state, int64_t n);
int32_t relay_threefry_split(uint64_t *left, uint64_t *right,
			     const uint64_t *state);
int32_t relay_uniform(uint64_t *out_state, void *out, const uint64_t *state,
		      const void *low, const void *high, int64_t n,
		      int64_t dtype);
int32_t relay_normal(uint64_t *out_state, void *out, const uint64_t *state,
		     const void *mean, const void *scale, int64_t n,
		     int64_t dtype);
int32_t relay_multinomial(uint64_t *out_state, int32_t *out,
			  const uint64_t *state, const void *weights,
			  int64_t rows, int64_t n, int64_t samples,
			  int64_t dtype);

/*
 * Products with a sparse matrix of UNITS rows of blocks BR x BC, sums, and
 * the transpose of a square one. Indices and row starts have one type.
 */
int32_t relay_sparse_dense(void *out, const void *dense, const void *data,
			   const void *indices, const void *indptr,
			   int64_t rows, int64_t inner, int64_t units,
			   int64_t br, int64_t bc, int64_t transposed,
			   int64_t dtype, int64_t index_dtype);
/*
 * A convolution whose kernel, of 1 x 1 or 3 x 3 elements with a border of zeros
 * around the data, is such a matrix: a row for each output channel. CHANNELS_LAST
 * says how data lies, and columns: height, width and channel of the kernel, or
 * else channel, height and width.
 */
int32_t relay_sparse_conv2d(void *out, const void *x, const void *data,
			    const void *indices, const void *indptr,
			    int64_t batch, int64_t height, int64_t width,
			    int64_t channels, int64_t units, int64_t br,
			    int64_t bc, int64_t kernel, int64_t channels_last,
			    int64_t dtype, int64_t index_dtype);
int32_t relay_sparse_add(void *out, const void *dense, const void *data,
			 const void *indices, const void *indptr, int64_t rows,
			 int64_t cols, int64_t n, int64_t dtype,
			 int64_t index_dtype);
int32_t relay_sparse_transpose(void *out, void *out_indices, void *out_indptr,
			       const void *data, const void *indices,
			       const void *indptr, int64_t entries, int64_t n,
			       int64_t dtype, int64_t index_dtype);
/*
 * METHOD: 0 nearest, 1 linear, 2 cubic; PADDING: 0 zeros, 1 border, 2
 * reflection. DIMS is 2 (then D and OUT_D are 1) or 3.
 */
int32_t relay_grid_sample(void *out, const void *data, const void *grid,
			  int64_t batch, int64_t channels, int64_t d, int64_t h,
			  int64_t w, int64_t out_d, int64_t out_h,
			  int64_t out_w, int64_t dims, int64_t method,
			  int64_t padding, int64_t align, int64_t dtype);
/* [outer, h, w, inner]; sizes, strides, dilations, padding in front. */
int32_t relay_max_pool2d_grad(void *out, const void *grad, const void *data,
			      int64_t outer, int64_t h, int64_t w,
			      int64_t inner, int64_t grad_h, int64_t grad_w,
			      int64_t kh, int64_t kw, int64_t sh, int64_t sw,
			      int64_t dh, int64_t dw, int64_t ph, int64_t pw,
			      int64_t dtype);

#pragma GCC visibility pop

#endif
