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

/*
 * Input I must have element type T and these extents (-1: any): a routine
 * trusts what it is told. False after te_error.
 */
bool routine_expect(struct te_call *c, uint32_t i, struct dtype t,
		    const int64_t *shape, uint32_t ndim);
#define ROUTINE_EXPECT(c, i, t, ...)                                  \
	routine_expect((c), (i), (t), (const int64_t[]){__VA_ARGS__}, \
		       sizeof((const int64_t[]){__VA_ARGS__}) /       \
			       sizeof(int64_t))

/* Input I has an element to read; false after te_error. */
bool routine_expect_value(struct te_call *c, uint32_t i);

/* End it; true. */
bool routine_end(struct te_call *c, struct te_extern *x);

/* Arguments: the first N inputs; the extents of T. */
void routine_inputs(struct te_call *c, struct te_extern *x, uint32_t n);
void routine_shape(struct te_extern *x, const struct te_tensor *t);

#endif
