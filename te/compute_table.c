/*
 * The rule of each operator: the column "compute" of ir/ops.
 */
#include <assert.h>

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

/* Rules of the operators that ir_op_add gave numbers, in their order. */
enum { MAX_ADDED = 512 };
static te_compute_fn *added[MAX_ADDED];
static unsigned nadded;

void
te_compute_add(enum op_id id, te_compute_fn *rule)
{
	assert(id == OP_UNKNOWN + 1 + nadded && nadded < MAX_ADDED);
	added[nadded++] = rule;
}

te_compute_fn *
te_compute_rule(enum op_id id)
{
	if (id > OP_UNKNOWN && id - OP_UNKNOWN - 1 < nadded)
		return added[id - OP_UNKNOWN - 1];
	return id < OP_COUNT ? rules[id] : NULL;
}
