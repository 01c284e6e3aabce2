/*
 * Quantized operators as plain integer and floating arithmetic, exactly as
 * they are defined (te/compute/qnn.c): one function per operator.
 */
#ifndef RELAY_PASSES_QUANT_QNN_LOWER_H
#define RELAY_PASSES_QUANT_QNN_LOWER_H

#include "ir/expr.h"
#include "ir/module.h"
#include "passes/opcall.h"
#include "support/arena.h"

struct qnn_site {
	struct opcall b;
	struct arena *scratch;
	const struct ir_call *call; /* with new arguments */
	const struct ir_call *old;  /* typed */
};

/* NULL: it cannot be written so, because a scale is no constant. */
typedef const ir_expr *qnn_lower_fn(const struct qnn_site *s);

/* How OP is lowered, or NULL. */
qnn_lower_fn *qnn_lower(enum op_id op);

/* Scale and zero point are inputs SCALE and SCALE + 1, along AXIS. */
struct qnn_param {
	const ir_expr *scale;
	const ir_expr *zero;
	int64_t axis;  /* not negative */
	uint32_t rank; /* of what they belong to */
};

/* For the rules. The type of argument I; argument I as a parameter. */
const struct ir_tensor_type *qnn_type(const struct qnn_site *s, uint32_t i);
struct qnn_param qnn_param(const struct qnn_site *s, uint32_t scale,
			   uint32_t zero, uint32_t rank, int64_t axis);

/* PARAM, a scalar or a vector, so that it lines up with the axis of P. */
const ir_expr *qnn_along(const struct qnn_site *s, const ir_expr *param,
			 const struct qnn_param *p);

/* A constant all of whose elements are zero. */
bool qnn_is_zero(const ir_expr *e);

/* E as DTYPE less ZERO, which lines up with it. */
const ir_expr *qnn_shift(const struct qnn_site *s, const ir_expr *e,
			 struct dtype from, const ir_expr *zero,
			 struct dtype dtype);

struct qnn_rounding {
	bool to_nearest;     /* halves away from zero, else up */
	const char *compute; /* "float32", "float64"; else integers */
};

/* Q (integers) from IN to OUT as int32, not cut; NULL as above. */
const ir_expr *qnn_rescale(const struct qnn_site *s, const ir_expr *q,
			   struct dtype from, const struct qnn_param *in,
			   const struct qnn_param *out,
			   struct qnn_rounding how);

/* The int32 E times REAL in fixed point; NULL if that is out of reach. */
const ir_expr *qnn_times(const struct qnn_site *s, const ir_expr *e,
			 double real);

/* The same with halves away from zero. E may be int64; int32 comes of it. */
const ir_expr *qnn_times_nearest(const struct qnn_site *s, const ir_expr *e,
				 double real);

/* The int32 E cut to what DTYPE holds, as DTYPE. */
const ir_expr *qnn_saturate(const struct qnn_site *s, const ir_expr *e,
			    struct dtype dtype);
const ir_expr *qnn_clip(const struct qnn_site *s, const ir_expr *e, double low,
			double high);

const ir_expr *qnn_int(const struct qnn_site *s, struct dtype t, int64_t v);

/* The reals of Q; reals X quantized to DTYPE. */
const ir_expr *qnn_real(const struct qnn_site *s, const ir_expr *q,
			struct dtype from, const struct qnn_param *p);
const ir_expr *qnn_quantized(const struct qnn_site *s, const ir_expr *x,
			     const struct qnn_param *p, struct dtype dtype);

qnn_lower_fn qnn_lower_conv2d, qnn_lower_conv2d_transpose, qnn_lower_dense;
qnn_lower_fn qnn_lower_batch_matmul;
qnn_lower_fn qnn_lower_quantize, qnn_lower_dequantize, qnn_lower_requantize;
qnn_lower_fn qnn_lower_sum, qnn_lower_mul, qnn_lower_concatenate;
qnn_lower_fn qnn_lower_avg_pool2d, qnn_lower_unary, qnn_lower_leaky_relu;
qnn_lower_fn qnn_lower_softmax;

#endif
