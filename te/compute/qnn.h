/*
 * What other rules need of quantized values: value = scale * (q - zero).
 */
#ifndef RELAY_TE_COMPUTE_QNN_H
#define RELAY_TE_COMPUTE_QNN_H

#include "te/compute.h"

/*
 * T as int32 less the zero point in input ZERO: one for all, or one for each
 * index along AXIS.
 */
struct te_tensor *te_without_zero(struct te_call *c, struct te_tensor *t,
				  uint32_t zero, uint32_t axis);

/*
 * T as int32 with the scale and zero point of inputs SCALE and SCALE + 1
 * brought to those of OUT_SCALE and OUT_SCALE + 1, not cut.
 */
struct te_tensor *te_requantize(struct te_call *c, struct te_tensor *t,
				uint32_t scale, uint32_t out_scale);

/* V, an int32, cut to what T can hold and converted. */
const tir_expr *te_saturate(struct te_call *c, struct dtype t,
			    const tir_expr *v);

#endif
