/*
 * The operator table: X-macro rows of ir/ops.
 */
#ifndef RELAY_IR_OP_H
#define RELAY_IR_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/attr.h"
#include "ir/fwd.h"

enum op_id {
#define OP(id, ...) OP_##id,
#include "ir/ops/dyn.def"
#define OP(id, ...) OP_##id,
#include "ir/ops/image.def"
#define OP(id, ...) OP_##id,
#include "ir/ops/nn.def"
#define OP(id, ...) OP_##id,
#include "ir/ops/qnn.def"
#define OP(id, ...) OP_##id,
#include "ir/ops/random.def"
#define OP(id, ...) OP_##id,
#include "ir/ops/system.def"
#define OP(id, ...) OP_##id,
#include "ir/ops/tensor.def"
#define OP(id, ...) OP_##id,
#include "ir/ops/vision.def"
	OP_COUNT,
	OP_UNKNOWN = OP_COUNT /* kept opaque: --allow-unknown-ops */
};

/* The numbers are TVM's; fusion compares them. */
enum op_pattern {
	PAT_ELEMWISE = 0,
	PAT_BROADCAST = 1,
	PAT_INJECTIVE = 2,
	PAT_COMM_REDUCE = 3,
	PAT_OUT_ELEMWISE = 4,
	PAT_TUPLE = 7,
	PAT_OPAQUE = 8,
	PAT_UNSET = 9, /* not registered: taken as opaque */
};

enum op_trait {
	OP_TRAIT_STATEFUL = 1,
	OP_TRAIT_NON_COMPUTATIONAL = 2,
	OP_TRAIT_RESHAPE = 4,      /* only the shape changes */
	OP_TRAIT_UNREGISTERED = 8, /* TVM never declared the record */
	OP_TRAIT_MISMATCH = 16,    /* TVM declared another record */
	OP_TRAIT_BY_VALUE = 32,    /* how large the result is, values say */
	OP_TRAIT_NO_VALUE = 64,    /* for passes, machines: computes none */
	OP_TRAIT_ROUTINE = 128,    /* computed by a routine of runtime/ */
};

enum { OP_MANY_INPUTS = -1 };

struct rel; /* ir/relation.h */
enum rel_result { REL_DONE, REL_DEFER, REL_FAIL };
typedef enum rel_result ir_relation_fn(struct rel *r);

struct ir_op {
	enum op_id id;
	const char *name;                 /* static, or interned when unknown */
	int ninputs;                      /* or OP_MANY_INPUTS */
	const struct attrs_schema *attrs; /* NULL: takes none */
	ir_relation_fn *relation;         /* NULL: has no type of its own */
	enum op_pattern pattern;
	unsigned traits;
	unsigned tier;
	const char *inputs; /* "data,weight" */
	const char *summary;
};

/* "element-wise", "output-fusable", ...; PAT_UNSET: "none". */
const char *ir_op_pattern_name(enum op_pattern p);

/* Row ID of the table, or the operator added under that number. */
const ir_op *ir_op_info(enum op_id id);

/*
 * Add an operator behind those of the table: a copy of ROW with a number of
 * its own, which lives to the end of the process, as what ROW points to must.
 * Only before the first module is made. NULL: there is one of that name, or
 * there are too many. Numbers run up to ir_op_limit(), OP_UNKNOWN among them.
 */
const ir_op *ir_op_add(const ir_op *row);
unsigned ir_op_limit(void);

/* The operator called NAME, or NULL. */
const ir_op *ir_op_find(const char *name, size_t len);

/* Calls of OP may be removed, duplicated and merged. */
static inline bool
ir_op_is_pure(const ir_op *op)
{
	return op->id != OP_UNKNOWN && !(op->traits & OP_TRAIT_STATEFUL);
}

#endif
