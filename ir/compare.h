/*
 * How far two tensors of numbers are apart.
 */
#ifndef RELAY_IR_COMPARE_H
#define RELAY_IR_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/tensor.h"
#include "support/buf.h"

struct tolerance {
	double rtol;
	double atol;
	bool equal_nan;
};

/*
 * Do GOT and WANT agree: shape, element type, and each float within ATOL +
 * RTOL * |want|, integers exactly? If not, OUT gets a few lines: the first
 * ten elements that differ, and the worst errors.
 */
bool tensors_agree(const ir_tensor *got, const ir_tensor *want,
		   const struct tolerance *tol, struct buf *out);

/* X as it is shown: the sign of a NaN is the processor's whim. */
double tensor_plain(double x);

/* One line of text: type, range, mean, sum, hash. */
void tensor_summary(struct buf *out, const ir_tensor *t);

/* "float32[1, 1000]" */
void tensor_type_text(struct buf *out, const ir_tensor *t);

#endif
