/*
 * Fake-quantized regions: what a qnn.quantize depends on, back to dequantizes.
 */
#ifndef RELAY_PASSES_QUANT_FQ_REGION_H
#define RELAY_PASSES_QUANT_FQ_REGION_H

#include "ir/expr.h"

/*
 * The operands of E that belong to its region: none of a dequantize, the data
 * of a quantize, all of other calls, tuples and projections. Returns how many.
 */
uint32_t fq_region_operands(const ir_expr *e, const ir_expr *const **operands);

#endif
