/*
 * What a compute rule sees: one call of an operator, and the functions with
 * which it adds tensor expressions to the kernel being built.
 *
 *     bool
 *     compute_nn_relu(struct te_call *c)
 *     {
 *             struct te_body *b = te_begin_out(c, NULL, 0);
 *             const tir_expr *x = te_get(c, c->in[0], b->i);
 *
 *             return te_output(c, 0, te_end(b, te_max(c, x,
 *                                                    te_zero(c, x->dtype))));
 *     }
 *
 *     // out[n, j] = sum(k; x[n, k] * w[j, k])
 *     struct te_body *b = te_begin_out(c, NULL, 0);
 *     const tir_expr *k = te_fold_axis(b, "k", c->in[0]->shape[1]);
 *     te_end_fold(b, TE_SUM, te_mul(c, te_at(c, x, b->i[0], k),
 *                                      te_at(c, w, b->i[1], k)));
 *
 * A rule is the value of the column "compute" of ir/ops: a function
 * compute_NAME declared in te/compute/computes.h and defined in
 * te/compute/FAMILY.c. It sets every c->out[i] to a tensor of the shape and
 * element type of c->out_type[i] and returns true; or reports with te_error
 * and returns false.
 *
 * Extents are numbers, or sizes that are known at run time only (te_is_size
 * of ir/te.h): these may be passed on wherever an extent is taken, te_int,
 * te_muli and their like included, but C's arithmetic must not touch them:
 * te_dim_add and its like do. What the sizes of the results are says a row of
 * te/compute/sizes.c; rules without a row there see numbers only. Indices are
 * scalars of type c->index (int32, or int64 in
 * huge kernels). Rules write plain formulas: index arithmetic is simplified,
 * small computes are inlined and scalar constants propagated afterwards, so
 * one compute per mathematical step is right and a reshape costs nothing.
 *
 * Every formula is evaluated for each index of its box; what must not be read
 * outside of it stands behind te_guard. A fold must be the whole formula:
 * mean is one tensor for the sum and another for the division.
 */
#ifndef RELAY_TE_COMPUTE_H
#define RELAY_TE_COMPUTE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "ir/attr.h"
#include "ir/module.h"
#include "ir/op.h"
#include "ir/te.h"
#include "ir/tensor.h"
#include "ir/tir.h"
#include "ir/type.h"
#include "support/diag.h"

enum { TE_MAX_RANK = 16 };

struct te_call {
	ir_module *m;
	te_func *func;
	struct diag *diag;
	struct loc loc;
	const ir_op *op;
	const ir_attrs *attrs; /* NULL: the operator has none */
	struct dtype index;    /* of all index arithmetic */

	/* Inputs; an argument that is a tuple is flattened. */
	uint32_t nin;
	struct te_tensor *const *in;
	/* Its value, where known at compile time, else NULL. */
	const ir_tensor *const *constant;
	/* Arguments as written: argument A is in[first[A]] ... */
	uint32_t nargs;
	const uint32_t *first; /* nargs + 1 entries */

	uint32_t nout;
	const struct ir_tensor_type *const *out_type;
	struct te_tensor **out; /* to be filled in */
	bool failed;            /* te_error was called */

	/* Where something is a size, else NULL: the shapes of the results. */
	int64_t *const *out_shape;
	struct te_axis *axes; /* private: those that run over sizes */
	uint32_t naxes;
};

typedef bool te_compute_fn(struct te_call *c);

/* The rule of operator ID, or NULL: it has none yet. */
te_compute_fn *te_compute_rule(enum op_id id);

/* Give the operator just added (ir_op_add) its rule, which may be NULL. */
void te_compute_add(enum op_id id, te_compute_fn *rule);

/*
 * The shapes of the results of C, something of which is a size, to OUT, whose
 * rows have room for TE_MAX_RANK. False after reporting: the operator cannot
 * do with such a size.
 */
bool te_output_sizes(struct te_call *c, int64_t *const *out);

/* One formula under construction. */
struct te_body {
	struct te_call *call;
	const char *name;
	uint32_t noutputs;
	uint32_t ndim;
	const int64_t *shape;
	const tir_expr *i[TE_MAX_RANK]; /* the axes, as index expressions */
	/* private */
	uint32_t nfold;
	struct te_axis fold[TE_MAX_RANK];
};

/*
 * Begin a compute. NAME NULL: "T_" and the last part of the operator's name;
 * a taken name gets a number. AXES names the axes, separated by commas
 * ("n,c,h,w"); NULL: i, j, or i0, i1, ... from rank 3 on. A body with N > 1
 * outputs of one shape is begun with te_begin_many.
 */
struct te_body *te_begin(struct te_call *c, const char *name, const char *axes,
			 const int64_t *shape, uint32_t ndim);
struct te_body *te_begin_many(struct te_call *c, const char *name,
			      const char *axes, const int64_t *shape,
			      uint32_t ndim, uint32_t noutputs);

/* te_begin with the shape of output I of the operator, or of tensor T. */
struct te_body *te_begin_out(struct te_call *c, const char *name, uint32_t i);
struct te_body *te_begin_like(struct te_call *c, const char *name,
			      const struct te_tensor *t);

/* Another axis to fold over, of this extent (may be 0). */
const tir_expr *te_fold_axis(struct te_body *b, const char *name,
			     int64_t extent);

/* Finish with a formula; the element type is VALUE's. */
struct te_tensor *te_end(struct te_body *b, const tir_expr *value);

/* Finish with a fold over the fold axes (none: one element). */
struct te_tensor *te_end_fold(struct te_body *b, enum te_combiner how,
			      const tir_expr *value);
struct te_tensor *te_end_fold_where(struct te_body *b, enum te_combiner how,
				    const tir_expr *value,
				    const tir_expr *cond);

/* Finish with N formulas, or a fold of N values; out[k] is output k. */
void te_end_many(struct te_body *b, const tir_expr *const *values,
		 struct te_tensor **out);
void te_end_fold_many(struct te_body *b, enum te_combiner how,
		      const tir_expr *const *values, const tir_expr *cond,
		      struct te_tensor **out);

/*
 * A tensor filled by int32_t SYMBOL(outputs..., args...) of runtime/, which
 * returns 0 when all is well. Arguments follow in order.
 */
struct te_extern;
struct te_extern *te_extern_begin(struct te_call *c, const char *name,
				  const char *symbol);
void te_extern_output(struct te_extern *x, struct dtype t, const int64_t *shape,
		      uint32_t ndim);
void te_extern_tensor(struct te_extern *x, struct te_tensor *t);
void te_extern_int(struct te_extern *x, int64_t value);   /* int64_t */
void te_extern_double(struct te_extern *x, double value); /* double */
void te_extern_string(struct te_extern *x, const char *s);
void te_extern_end(struct te_extern *x, struct te_tensor **out);

/*
 * Arithmetic on extents: numbers give numbers. te_dim_clamp keeps A within
 * [LOW, HIGH].
 */
int64_t te_dim_add(struct te_call *c, int64_t a, int64_t b);
int64_t te_dim_sub(struct te_call *c, int64_t a, int64_t b);
int64_t te_dim_mul(struct te_call *c, int64_t a, int64_t b);
int64_t te_dim_div(struct te_call *c, int64_t a, int64_t b); /* floor */
int64_t te_dim_max(struct te_call *c, int64_t a, int64_t b);
int64_t te_dim_min(struct te_call *c, int64_t a, int64_t b);
/* The extent that an int64 expression over te_dim's and inputs gives. */
int64_t te_dim_of(struct te_call *c, const tir_expr *e);
/* An extent as an int64. */
const tir_expr *te_dim(struct te_call *c, int64_t extent);
/* An extent as a value of type T. */
const tir_expr *te_lit_extent(struct te_call *c, struct dtype t,
			      int64_t extent);
/*
 * COND must hold at run time; it is about A and B, which the message gives.
 * False after reporting if it is known not to.
 */
bool te_require(struct te_call *c, const tir_expr *cond, int64_t a, int64_t b,
		const char *what);
bool te_require_equal(struct te_call *c, int64_t a, int64_t b,
		      const char *what);
/* INDEX into an axis of EXTENT, 0 where that is 1. */
const tir_expr *te_broadcast_index(struct te_call *c, int64_t extent,
				   const tir_expr *index);

/* Set output I. Always true, so that rules can end in it. */
bool te_output(struct te_call *c, uint32_t i, struct te_tensor *t);

/* Report at the call, as "nn.conv2d: ...". Always false. */
bool te_error(struct te_call *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Reading. Indices may be of any integer type. te_at takes as many indices
 * as T has dimensions, any other number is an error of the call; te_get reads
 * them from an array.
 */
const tir_expr *te_get(struct te_call *c, const struct te_tensor *t,
		       const tir_expr *const *index);
const tir_expr *te_get_n(struct te_call *c, const struct te_tensor *t,
			 const tir_expr *const *index, size_t n);
#define te_at(c, t, ...)                                           \
	te_get_n((c), (t), (const tir_expr *const[]){__VA_ARGS__}, \
		 sizeof((const tir_expr *const[]){__VA_ARGS__}) /  \
			 sizeof(tir_expr *))
/* The only element, whatever the rank. */
const tir_expr *te_get0(struct te_call *c, const struct te_tensor *t);
/* T[index] as if T were broadcast to a box of NDIM dimensions. */
const tir_expr *te_get_broadcast(struct te_call *c, const struct te_tensor *t,
				 const tir_expr *const *index, uint32_t ndim);
/* Element number INDEX in row-major order. */
const tir_expr *te_get_flat(struct te_call *c, const struct te_tensor *t,
			    const tir_expr *index);
/* Row-major number of INDEX in a box, and back. */
const tir_expr *te_flatten(struct te_call *c, const tir_expr *const *index,
			   const int64_t *shape, uint32_t ndim);
void te_unflatten(struct te_call *c, const tir_expr *flat, const int64_t *shape,
		  uint32_t ndim, const tir_expr **index);

/* Constants. te_int is an index; te_lit a value of type T. */
const tir_expr *te_int(struct te_call *c, int64_t value);
const tir_expr *te_lit(struct te_call *c, struct dtype t, double value);
const tir_expr *te_lit_int(struct te_call *c, struct dtype t, int64_t value);
const tir_expr *te_zero(struct te_call *c, struct dtype t);
/* Extreme finite values. */
const tir_expr *te_lowest(struct te_call *c, struct dtype t);
const tir_expr *te_highest(struct te_call *c, struct dtype t);

/*
 * Arithmetic; operands of one type, else the call is in error. Constant
 * operands are folded.
 */
const tir_expr *te_add(struct te_call *c, const tir_expr *a, const tir_expr *b);
const tir_expr *te_sub(struct te_call *c, const tir_expr *a, const tir_expr *b);
const tir_expr *te_mul(struct te_call *c, const tir_expr *a, const tir_expr *b);
/* Integers: floor. te_truncdiv as C does; floats: division. */
const tir_expr *te_div(struct te_call *c, const tir_expr *a, const tir_expr *b);
const tir_expr *te_mod(struct te_call *c, const tir_expr *a, const tir_expr *b);
const tir_expr *te_truncdiv(struct te_call *c, const tir_expr *a,
			    const tir_expr *b);
const tir_expr *te_min(struct te_call *c, const tir_expr *a, const tir_expr *b);
const tir_expr *te_max(struct te_call *c, const tir_expr *a, const tir_expr *b);
/* Index arithmetic with a number. */
const tir_expr *te_addi(struct te_call *c, const tir_expr *a, int64_t b);
const tir_expr *te_muli(struct te_call *c, const tir_expr *a, int64_t b);
const tir_expr *te_divi(struct te_call *c, const tir_expr *a, int64_t b);
const tir_expr *te_modi(struct te_call *c, const tir_expr *a, int64_t b);

/* K: TIR_EQ ... TIR_GE, TIR_AND, TIR_OR. */
const tir_expr *te_cmp(struct te_call *c, enum tir_kind k, const tir_expr *a,
		       const tir_expr *b);
const tir_expr *te_and(struct te_call *c, const tir_expr *a, const tir_expr *b);
const tir_expr *te_or(struct te_call *c, const tir_expr *a, const tir_expr *b);
const tir_expr *te_not(struct te_call *c, const tir_expr *a);
/* LOW <= A and A < HIGH. */
const tir_expr *te_within(struct te_call *c, const tir_expr *a, int64_t low,
			  int64_t high);
const tir_expr *te_select(struct te_call *c, const tir_expr *cond,
			  const tir_expr *a, const tir_expr *b);
const tir_expr *te_guard(struct te_call *c, const tir_expr *cond,
			 const tir_expr *a, const tir_expr *b);
/* To type T by the rules of Relay's cast (to bool: x != 0). */
const tir_expr *te_cast(struct te_call *c, struct dtype t, const tir_expr *a);
const tir_expr *te_unary(struct te_call *c, enum tir_intrin f,
			 const tir_expr *a);
const tir_expr *te_intrin2(struct te_call *c, enum tir_intrin f,
			   const tir_expr *a, const tir_expr *b);
const tir_expr *te_reinterpret(struct te_call *c, struct dtype t,
			       const tir_expr *a);

/* A fold of X over AXIS by HOW, without that axis in the result. */
struct te_tensor *te_fold_out(struct te_call *c, struct te_tensor *x,
			      uint32_t axis, enum te_combiner how,
			      const char *name);

/* The element of T, such a result, that belongs to element B->i. */
const tir_expr *te_get_folded(struct te_call *c, const struct te_body *b,
			      const struct te_tensor *t, uint32_t axis);

/*
 * Whole tensors. te_pad_with puts BEFORE[d] and AFTER[d] elements of VALUE
 * around each axis (negative: crops) and returns T itself if all are 0.
 * te_reshape_to sees T in row-major order in another shape.
 */
struct te_tensor *te_pad_with(struct te_call *c, struct te_tensor *t,
			      const char *name, const int64_t *before,
			      const int64_t *after, const tir_expr *value);
struct te_tensor *te_reshape_to(struct te_call *c, struct te_tensor *t,
				const char *name, const int64_t *shape,
				uint32_t ndim);

/* Numbers known now, in row-major order. */
struct te_tensor *te_table(struct te_call *c, const char *name, struct dtype t,
			   const double *values, const int64_t *shape,
			   uint32_t ndim);

/* Input I at compile time: its elements as integers or doubles. */
bool te_const_int(struct te_call *c, uint32_t i, int64_t at, int64_t *out);
bool te_const_double(struct te_call *c, uint32_t i, int64_t at, double *out);

/* Attributes: shorthands of ir_attrs_*, which also say what DEFLT is for. */
int64_t te_attr_int(struct te_call *c, const char *name, int64_t deflt);
bool te_attr_bool(struct te_call *c, const char *name);
const char *te_attr_string(struct te_call *c, const char *name);
double te_attr_double(struct te_call *c, const char *name);
/*
 * An array of integers (or one integer) into OUT, which has room for MAX;
 * the number of elements, or -1 if it is null, longer, or not all integers.
 */
int te_attr_ints(struct te_call *c, const char *name, int64_t *out, int max);
/* An axis attribute: negative values count from the end. */
int64_t te_axis_of(int64_t axis, uint32_t ndim);
/* There is such an axis; false after te_error. */
bool te_is_axis(struct te_call *c, int64_t axis, uint32_t ndim);

static inline uint32_t
te_out_ndim(const struct te_call *c, uint32_t i)
{
	return c->out_type[i]->ndim;
}

/*
 * Input I has the extents SHAPE, -1 standing for any. False after te_error:
 * a relation need not look at every extent, but loops and routines that read
 * by the extents of another input rely on them.
 */
bool te_expect_shape(struct te_call *c, uint32_t i, const int64_t *shape,
		     uint32_t ndim);

/* The shape of output I into OUT (room for TE_MAX_RANK); the rank. */
uint32_t te_out_shape(const struct te_call *c, uint32_t i, int64_t *out);

static inline struct dtype
te_out_dtype(const struct te_call *c, uint32_t i)
{
	return c->out_type[i]->dtype;
}

#endif
