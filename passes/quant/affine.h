/*
 * Affine types: what the integers of a quantized tensor stand for,
 *
 *     real = (integer - zero) * scale,
 *
 * and short spellings for building quantized calls.
 */
#ifndef RELAY_PASSES_QUANT_AFFINE_H
#define RELAY_PASSES_QUANT_AFFINE_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/expr.h"
#include "ir/module.h"
#include "passes/opcall.h"

/* SCALE and ZERO are scalars, or vectors along AXIS (-1: the last). */
struct affine {
	const ir_expr *scale;
	const ir_expr *zero;
	struct dtype dtype;
	int64_t axis;
};

/* The data of a constant, or NULL. */
const ir_tensor *affine_data(const ir_expr *e);

/* Constants that are nearly equal, as numpy's allclose; or the same node. */
bool affine_close(const ir_expr *a, const ir_expr *b);

/* Scale and zero point are close and the dtype is the same. */
bool affine_same(const struct affine *a, const struct affine *b);

/* Scale or zero point is a vector of more than one, or of unknown extent. */
bool affine_per_channel(const struct affine *t);

/* The extent of a vector scale or zero point; 0: both are scalars. */
int64_t affine_channels(const struct affine *t);

/* E, or the scalar in it if it is a constant vector of one. */
const ir_expr *affine_scalar(const struct opcall *b, const ir_expr *e);

/* The product of two scales; a constant if both are. */
const ir_expr *affine_product(const struct opcall *b, const ir_expr *x,
			      const ir_expr *y);

/* int32 zeros of the shape of SCALE. */
const ir_expr *affine_zeros(const struct opcall *b, const ir_expr *scale);

/* The rank of the type of E; false if it is no tensor or not known. */
bool affine_rank(const ir_expr *e, uint32_t *rank);

/* A call without the attributes of SRC that OP does not have. */
const ir_expr *affine_call(const struct opcall *b, enum op_id op,
			   const ir_expr *const *args, uint32_t n,
			   const ir_attrs *attrs);

/* E as T, converted to OUT with the element type DTYPE. */
const ir_expr *affine_requantize(const struct opcall *b, const ir_expr *e,
				 const struct affine *t,
				 const struct affine *out, struct dtype dtype);

/* The reals of E as integers of T, the channels of E along AXIS. */
const ir_expr *affine_quantize(const struct opcall *b, const ir_expr *e,
			       const struct affine *t, int64_t axis);
const ir_expr *affine_dequantize(const struct opcall *b, const ir_expr *e,
				 const struct affine *t, struct dtype dtype);

#endif
