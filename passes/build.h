/*
 * Short spellings for passes that build operator calls. All nodes take the
 * place LOC of what they replace.
 */
#ifndef RELAY_PASSES_BUILD_H
#define RELAY_PASSES_BUILD_H

#include "ir/expr.h"
#include "ir/module.h"

struct build {
	ir_module *m;
	struct loc loc;
};

const ir_expr *build_unary(const struct build *b, enum op_id op,
			   const ir_expr *x);
const ir_expr *build_binary(const struct build *b, enum op_id op,
			    const ir_expr *x, const ir_expr *y);
const ir_expr *build_scalar(const struct build *b, struct dtype t, double v);

/* expand_dims at AXIS by COUNT axes; X itself if COUNT is 0. */
const ir_expr *build_expand_dims(const struct build *b, const ir_expr *x,
				 int64_t axis, int64_t count);

/* mean, sum, ... over AXES, keeping dimensions. */
const ir_expr *build_reduce(const struct build *b, enum op_id op,
			    const ir_expr *x, const int64_t *axes, uint32_t n);
const ir_expr *build_reshape(const struct build *b, const ir_expr *x,
			     const int64_t *shape, uint32_t n);

/* A 1-D bias with as many axes behind it as NDIM needs to line up at AXIS. */
const ir_expr *build_bias_at(const struct build *b, const ir_expr *bias,
			     uint32_t ndim, int64_t axis);

#endif
