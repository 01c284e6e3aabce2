/*
 * The payload of a constant: a dense row-major array on the heap.
 *
 * Reference counted; data is aligned to 64 bytes, or to what a mapped file
 * gives. Passes share payloads, they never copy them.
 */
#ifndef RELAY_IR_TENSOR_H
#define RELAY_IR_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/dtype.h"
#include "ir/fwd.h"

struct ir_tensor {
	struct dtype dtype;
	uint32_t ndim;
	const int64_t *shape;
	size_t nbytes; /* elements * dtype_size */
	void *data;    /* little-endian; bool: 0 or 1 a byte */
	unsigned refs;
	void (*release)(void *data, size_t nbytes, void *env);
	void *env;
};

/*
 * A tensor with data of zeros and one reference. NULL if the size overflows
 * or a dimension is negative.
 */
ir_tensor *ir_tensor_new(struct dtype dtype, const int64_t *shape,
			 uint32_t ndim);

/* The same over DATA; RELEASE (may be NULL) is called at the end. */
ir_tensor *ir_tensor_wrap(struct dtype dtype, const int64_t *shape,
			  uint32_t ndim, void *data,
			  void (*release)(void *, size_t, void *), void *env);

ir_tensor *ir_tensor_ref(ir_tensor *t);
void ir_tensor_unref(ir_tensor *t); /* accepts NULL */

int64_t ir_tensor_size(const ir_tensor *t); /* number of elements */

/* Element I as a double or an integer, whatever the dtype; and back. */
double ir_tensor_get_double(const ir_tensor *t, int64_t i);
int64_t ir_tensor_get_int(const ir_tensor *t, int64_t i);
void ir_tensor_set_double(ir_tensor *t, int64_t i, double value);
void ir_tensor_set_int(ir_tensor *t, int64_t i, int64_t value);

/* Same dtype, shape and bytes. */
bool ir_tensor_equal(const ir_tensor *a, const ir_tensor *b);

#endif
