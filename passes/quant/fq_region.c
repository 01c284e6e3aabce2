#include "passes/quant/fq_region.h"

uint32_t
fq_region_operands(const ir_expr *e, const ir_expr *const **operands)
{
	switch (e->kind) {
	case IR_CALL:
		*operands = ir_as_call(e)->args;
		if (ir_is_call_of(e, OP_qnn_dequantize))
			return 0;
		return ir_is_call_of(e, OP_qnn_quantize) ? 1
							 : ir_as_call(e)->nargs;
	case IR_TUPLE:
		*operands = ir_as_tuple(e)->fields;
		return ir_as_tuple(e)->nfields;
	case IR_PROJ:
		*operands = &ir_as_proj(e)->tuple;
		return 1;
	default:
		return 0;
	}
}
