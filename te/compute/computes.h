/*
 * The compute rules: one line per function that the column "compute" of
 * ir/ops names. One rule may serve several operators (it asks c->op->id).
 */
#ifndef RELAY_TE_COMPUTE_COMPUTES_H
#define RELAY_TE_COMPUTE_COMPUTES_H

#include "te/compute.h"

te_compute_fn compute_abs;
te_compute_fn compute_arange;
te_compute_fn compute_arg_reduce;
te_compute_fn compute_binary;
te_compute_fn compute_bitwise_not;
te_compute_fn compute_broadcast_to;
te_compute_fn compute_cast;
te_compute_fn compute_classify;
te_compute_fn compute_clip;
te_compute_fn compute_concatenate;
te_compute_fn compute_fast_math;
te_compute_fn compute_fill;
te_compute_fn compute_fixed_point_multiply;
te_compute_fn compute_fixed_point_multiply_per_axis;
te_compute_fn compute_gather;
te_compute_fn compute_gather_nd;
te_compute_fn compute_identity;
te_compute_fn compute_intrinsic;
te_compute_fn compute_layout_transform;
te_compute_fn compute_logical_not;
te_compute_fn compute_mean;
te_compute_fn compute_ndarray_size;
te_compute_fn compute_negative;
te_compute_fn compute_nn_adaptive_pool;
te_compute_fn compute_nn_avg_pool;
te_compute_fn compute_nn_batch_matmul;
te_compute_fn compute_nn_batch_norm;
te_compute_fn compute_nn_bias_add;
te_compute_fn compute_nn_contrib_dense_pack;
te_compute_fn compute_nn_conv;
te_compute_fn compute_nn_conv_transpose;
te_compute_fn compute_nn_depth_to_space;
te_compute_fn compute_nn_dropout;
te_compute_fn compute_nn_group_norm;
te_compute_fn compute_nn_instance_norm;
te_compute_fn compute_nn_l2_normalize;
te_compute_fn compute_nn_layer_norm;
te_compute_fn compute_nn_leaky_relu;
te_compute_fn compute_nn_lrn;
te_compute_fn compute_nn_matmul;
te_compute_fn compute_nn_max_pool;
te_compute_fn compute_nn_mirror_pad;
te_compute_fn compute_nn_pad;
te_compute_fn compute_nn_prelu;
te_compute_fn compute_nn_relu;
te_compute_fn compute_nn_softmax;
te_compute_fn compute_nn_space_to_depth;
te_compute_fn compute_one_hot;
te_compute_fn compute_reduce;
te_compute_fn compute_reinterpret;
te_compute_fn compute_repeat;
te_compute_fn compute_reshape;
te_compute_fn compute_reverse;
te_compute_fn compute_reverse_sequence;
te_compute_fn compute_scan;
te_compute_fn compute_sequence_mask;
te_compute_fn compute_shape_of;
te_compute_fn compute_sign;
te_compute_fn compute_slice_like;
te_compute_fn compute_sort;
te_compute_fn compute_split;
te_compute_fn compute_stack;
te_compute_fn compute_strided_slice;
te_compute_fn compute_take;
te_compute_fn compute_tile;
te_compute_fn compute_topk;
te_compute_fn compute_transpose;
te_compute_fn compute_trilu;
te_compute_fn compute_variance;
te_compute_fn compute_where;

#endif
