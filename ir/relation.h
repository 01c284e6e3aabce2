/*
 * Type relations of operators: ir/relations, one file per family.
 *
 * A relation sees the types of the inputs and the attributes of one call. It
 * either assigns the type of the result (REL_DONE), or waits (REL_DEFER) for
 * an input whose type is not known yet, or reports and fails (REL_FAIL). It
 * is called again whenever something it looked at became known; it must not
 * keep state.
 */
#ifndef RELAY_IR_RELATION_H
#define RELAY_IR_RELATION_H

#include "ir/expr.h"
#include "ir/fwd.h"
#include "ir/module.h"
#include "ir/op.h"
#include "ir/type.h"

struct rel {
	ir_context *cx;
	struct infer *infer;        /* private to ir/infer.c */
	const struct ir_call *call; /* for places and constant inputs */
	const ir_op *op;
	const ir_attrs *attrs; /* NULL if the operator takes none */
	uint32_t nargs;
	const ir_type **args;  /* resolved as far as known */
	struct arena *scratch; /* lives until the relation returns */
};

/* Input I as a tensor; NULL if it is not known yet (then: REL_DEFER). */
const struct ir_tensor_type *rel_tensor(struct rel *r, uint32_t i);

/* Input I as a tuple all of whose fields are tensors; NULL as above. */
const struct ir_tuple_type *rel_tuple(struct rel *r, uint32_t i);

/*
 * Input I is known but no tensor (no tuple): report that and give true, so
 * that the relation can fail. Relations start with
 *     if (!(data = rel_tensor(r, 0))) return rel_wait(r, 0);
 * where rel_wait gives REL_FAIL after reporting a wrong kind, else REL_DEFER.
 */
enum rel_result rel_wait(struct rel *r, uint32_t i);

/* Unify the result (or input I) with T. REL_FAIL after reporting. */
enum rel_result rel_assign(struct rel *r, const ir_type *t);
enum rel_result rel_assign_input(struct rel *r, uint32_t i, const ir_type *t);

/* The usual last line: the result is a tensor. */
enum rel_result rel_assign_tensor(struct rel *r, struct dtype dtype,
				  const struct ir_dim *shape, uint32_t ndim);

/*
 * Report at the call: "operator 'NAME': ...", or at an attribute if the text
 * begins with "attribute 'NAME'" and the call shows it. Returns REL_FAIL.
 */
enum rel_result rel_error(struct rel *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The same about input I, and at the argument where it can be found. */
enum rel_result rel_error_at(struct rel *r, uint32_t i, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same at attribute NAME, if the call shows it. */
enum rel_result rel_error_attr(struct rel *r, const char *name, const char *fmt,
			       ...) __attribute__((format(printf, 3, 4)));

/* Where argument I or an attribute stands in the text, or the call itself. */
struct loc rel_place(const struct rel *r, uint32_t i);
struct loc rel_attr_place(const struct rel *r, const char *name, size_t len);

/* The relation of operators whose relation is not written yet: an error. */
ir_relation_fn rel_missing;

/*
 * Arithmetic on dimensions. Unknown in, unknown out, except where the rule of
 * TVM says otherwise (ir_dim_broadcast). Checked: overflow gives DIM_ANY and
 * sets no error, so callers check products with ir_shape_size.
 */
struct ir_dim ir_dim_add(struct ir_dim a, struct ir_dim b);
struct ir_dim ir_dim_sub(struct ir_dim a, struct ir_dim b);
struct ir_dim ir_dim_mul(struct ir_dim a, struct ir_dim b);
struct ir_dim ir_dim_div(struct ir_dim a, int64_t by); /* floor */

/* False: the two can't be broadcast together. */
bool ir_dim_broadcast(struct ir_dim a, struct ir_dim b, struct ir_dim *out);

/* False: certainly different (TVM's AssertEQ). */
bool ir_dim_may_equal(struct ir_dim a, struct ir_dim b);

#include "ir/relations/relations.h"

#endif
