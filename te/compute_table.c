/*
 * The rule of each operator: the column "compute" of ir/ops.
 */
#include "te/compute.h"
#include "te/compute/computes.h"

#define OP(id, name, in, attrs, relation, pattern, traits, compute, ...) \
	[OP_##id] = (compute),
static te_compute_fn *const rules[OP_COUNT] = {
#include "ir/ops/dyn.def"
#define OP(id, name, in, attrs, relation, pattern, traits, compute, ...) \
	[OP_##id] = (compute),
#include "ir/ops/image.def"
#define OP(id, name, in, attrs, relation, pattern, traits, compute, ...) \
	[OP_##id] = (compute),
#include "ir/ops/nn.def"
#define OP(id, name, in, attrs, relation, pattern, traits, compute, ...) \
	[OP_##id] = (compute),
#include "ir/ops/qnn.def"
#define OP(id, name, in, attrs, relation, pattern, traits, compute, ...) \
	[OP_##id] = (compute),
#include "ir/ops/random.def"
#define OP(id, name, in, attrs, relation, pattern, traits, compute, ...) \
	[OP_##id] = (compute),
#include "ir/ops/system.def"
#define OP(id, name, in, attrs, relation, pattern, traits, compute, ...) \
	[OP_##id] = (compute),
#include "ir/ops/tensor.def"
#define OP(id, name, in, attrs, relation, pattern, traits, compute, ...) \
	[OP_##id] = (compute),
#include "ir/ops/vision.def"
};

te_compute_fn *
te_compute_rule(enum op_id id)
{
	return id < OP_COUNT ? rules[id] : NULL;
}
