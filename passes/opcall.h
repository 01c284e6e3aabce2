/*
 * Short spellings for passes that build operator calls. All nodes take the
 * place LOC of what they replace.
 */
#ifndef RELAY_PASSES_OPCALL_H
#define RELAY_PASSES_OPCALL_H

#include "ir/expr.h"
#include "ir/module.h"

struct opcall {
	ir_module *m;
	struct loc loc;
};

const ir_expr *opcall_unary(const struct opcall *b, enum op_id op,
			    const ir_expr *x);
const ir_expr *opcall_binary(const struct opcall *b, enum op_id op,
			     const ir_expr *x, const ir_expr *y);
const ir_expr *opcall_scalar(const struct opcall *b, struct dtype t, double v);

/* OP's attributes: its defaults, but what SRC has under the same name. */
const ir_attrs *opcall_attrs(const struct opcall *b, enum op_id op,
			     const ir_attrs *src);

/* expand_dims at AXIS by COUNT axes; X itself if COUNT is 0. */
const ir_expr *opcall_expand_dims(const struct opcall *b, const ir_expr *x,
				  int64_t axis, int64_t count);

/* mean, sum, ... over AXES, keeping dimensions. */
const ir_expr *opcall_reduce(const struct opcall *b, enum op_id op,
			     const ir_expr *x, const int64_t *axes, uint32_t n);
const ir_expr *opcall_reshape(const struct opcall *b, const ir_expr *x,
			      const int64_t *shape, uint32_t n);

/* A 1-D bias with as many axes behind it as NDIM needs to line up at AXIS. */
const ir_expr *opcall_bias_at(const struct opcall *b, const ir_expr *bias,
			      uint32_t ndim, int64_t axis);

const ir_expr *opcall_cast(const struct opcall *b, const ir_expr *x,
			   struct dtype t);

/* OP of X with one attribute that lists N integers. */
const ir_expr *opcall_unary_ints(const struct opcall *b, enum op_id op,
				 const ir_expr *x, const char *field,
				 const int64_t *v, uint32_t n);

/* OP of X with one integer attribute other than its default. */
const ir_expr *opcall_unary_int(const struct opcall *b, enum op_id op,
				const ir_expr *x, const char *field,
				int64_t value);

/* concatenate or stack of the N values XS. */
const ir_expr *opcall_join(const struct opcall *b, enum op_id op,
			   const ir_expr *const *xs, uint32_t n, int64_t axis);

/* X in so many equal parts; a tuple. */
const ir_expr *opcall_split(const struct opcall *b, const ir_expr *x,
			    int64_t sections, int64_t axis);
const ir_expr *opcall_squeeze(const struct opcall *b, const ir_expr *x,
			      int64_t axis);

/* strided_slice in mode "size" over the first N axes; -1: all that follows. */
const ir_expr *opcall_slice(const struct opcall *b, const ir_expr *x,
			    const int64_t *begin, const int64_t *size,
			    uint32_t n);

/* strided_slice of X from its first element to END on each of N axes. */
const ir_expr *opcall_head(const struct opcall *b, const ir_expr *x,
			   const int64_t *end, uint32_t n, bool by_size);
const ir_expr *opcall_layout_transform(const struct opcall *b, const ir_expr *x,
				       const char *from, const char *to);

#endif
