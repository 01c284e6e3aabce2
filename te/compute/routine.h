/* Rules that hand their work to one routine of runtime/. */
#ifndef RELAY_TE_COMPUTE_ROUTINE_H
#define RELAY_TE_COMPUTE_ROUTINE_H

#include "te/compute/computes.h"

/* What routines take for an element type. */
static inline int64_t
routine_dtype(struct dtype t)
{
	return 256 * t.code + t.bits;
}

/* Begin a call of SYMBOL that fills all outputs of the operator. */
struct te_extern *routine_begin(struct te_call *c, const char *symbol);

/* End it; true. */
bool routine_end(struct te_call *c, struct te_extern *x);

/* Arguments: the first N inputs; the extents of T. */
void routine_inputs(struct te_call *c, struct te_extern *x, uint32_t n);
void routine_shape(struct te_extern *x, const struct te_tensor *t);

#endif
