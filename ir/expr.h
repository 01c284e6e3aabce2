/*
 * Relay expressions.
 *
 * An expression is a node in an immutable DAG. Nodes are made by the ir_new_*
 * functions below, live in their module's arena and are never freed one by
 * one: a pass that wants a different node builds a new one. Two uses of one
 * node are two equal pointers, and that sharing has meaning: the node is
 * evaluated once.
 *
 * Three things are filled in later, by type inference alone: the type of a
 * node, the annotation of a variable and the result type of a function, where
 * they were not written (ANNOTATION_INFERRED tells).
 *
 * Every kind of node is a struct that starts with an ir_expr; ir_as_call()
 * and its like go from that common part to the whole and check the kind.
 */
#ifndef RELAY_IR_EXPR_H
#define RELAY_IR_EXPR_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "ir/attr.h"
#include "ir/fwd.h"
#include "ir/op.h"
#include "ir/type.h"
#include "support/loc.h"

enum ir_kind {
#define EXPR(id, name) IR_##id,
#include "ir/exprs.def"
	IR_KIND_COUNT
};

enum ir_expr_flags {
	/* VAR: annotation, FUNCTION: result type came from inference. */
	IR_ANNOTATION_INFERRED = 1,
	/* VAR: declared by "free_var", bound by nobody. */
	IR_FREE_VAR = 2,
};

struct ir_expr {
	uint8_t kind;
	uint8_t flags;
	uint32_t id;         /* dense in the module */
	const ir_type *type; /* NULL until inferred */
	struct loc loc;
};

/* One object per binding; a use is the same pointer as the binder. */
struct ir_var {
	ir_expr base;
	const char *name;          /* interned hint; not unique */
	const ir_type *annotation; /* NULL: none */
	const ir_meta *vdevice;    /* NULL: unconstrained */
};

/* One object per name and module. */
struct ir_global {
	ir_expr base;
	const char *name; /* interned */
	ir_def *def;      /* NULL: not defined */
};

/*
 * DATA is NULL for a constant that the text named but did not give
 * (meta[relay.Constant][3] without a metadata section): a placeholder, equal
 * to itself only.
 */
struct ir_constant {
	ir_expr base;
	ir_tensor *data;     /* borrowed from the module's list */
	uint32_t meta_index; /* of a placeholder */
	const ir_meta *vdevice;
	const ir_type *told_type; /* by its metadata, or NULL */
};

struct ir_op_ref {
	ir_expr base;
	const ir_op *op;
};

/* A constructor of a data type, as a value. One object per constructor. */
struct ir_ctor {
	ir_expr base;
	const char *name; /* interned */
	const ir_type_def *adt;
	uint32_t tag; /* position in its data type */
	uint32_t nfields;
	const ir_type *const *fields;
};

struct ir_tuple {
	ir_expr base;
	uint32_t nfields;
	const ir_expr *fields[];
};

struct ir_proj {
	ir_expr base;
	const ir_expr *tuple;
	uint32_t index;
};

struct ir_call {
	ir_expr base;
	const ir_expr *callee;
	const ir_attrs *attrs; /* NULL: none */
	uint32_t nargs;
	const ir_expr *args[];
};

struct ir_function {
	ir_expr base;
	const struct ir_var *const *params;
	uint32_t nparams;
	uint32_t ntype_params;
	const ir_type *const *type_params; /* TYPE_VAR */
	const ir_type *ret_type;           /* NULL: not annotated */
	const ir_expr *body;               /* NULL: declared only (Extern) */
	const ir_dict *attrs;
	const ir_meta *vdevice; /* of the result */
};

struct ir_let {
	ir_expr base;
	const struct ir_var *var;
	const ir_expr *value;
	const ir_expr *body;
};

struct ir_if {
	ir_expr base;
	const ir_expr *cond;
	const ir_expr *then_branch;
	const ir_expr *else_branch;
};

enum ir_pattern_kind {
	PATTERN_WILDCARD,
	PATTERN_VAR,
	PATTERN_CTOR,
	PATTERN_TUPLE,
};

struct ir_pattern {
	enum ir_pattern_kind kind;
	const struct ir_var *var;   /* PATTERN_VAR */
	const struct ir_ctor *ctor; /* PATTERN_CTOR */
	uint32_t n;                 /* sub-patterns of CTOR and TUPLE */
	const ir_pattern *const *sub;
	struct loc loc;
};

struct ir_clause {
	const ir_pattern *pattern;
	const ir_expr *body;
};

struct ir_match {
	ir_expr base;
	const ir_expr *value;
	bool complete; /* false: match? */
	uint32_t nclauses;
	struct ir_clause clauses[];
};

struct ir_ref_new {
	ir_expr base;
	const ir_expr *value;
};

struct ir_ref_read {
	ir_expr base;
	const ir_expr *ref;
};

struct ir_ref_write {
	ir_expr base;
	const ir_expr *ref;
	const ir_expr *value;
};

/* Stands where the text was wrong, so that later stages stay quiet. */
struct ir_hole {
	ir_expr base;
};

/*
 * Constructors. Arrays are copied; strings must be interned in the module's
 * context. The new node has no type.
 */
const ir_expr *ir_new_var(ir_module *m, struct loc loc, const char *name,
			  const ir_type *annotation);
const ir_expr *ir_new_constant(ir_module *m, struct loc loc, ir_tensor *data);
const ir_expr *ir_new_placeholder(ir_module *m, struct loc loc,
				  uint32_t meta_index, const ir_type *type);
const ir_expr *ir_new_tuple(ir_module *m, struct loc loc,
			    const ir_expr *const *fields, uint32_t n);
const ir_expr *ir_new_proj(ir_module *m, struct loc loc, const ir_expr *tuple,
			   uint32_t index);
const ir_expr *ir_new_call(ir_module *m, struct loc loc, const ir_expr *callee,
			   const ir_expr *const *args, uint32_t n,
			   const ir_attrs *attrs);
const ir_expr *ir_new_op_call(ir_module *m, struct loc loc, enum op_id op,
			      const ir_expr *const *args, uint32_t n,
			      const ir_attrs *attrs);
const ir_expr *ir_new_let(ir_module *m, struct loc loc,
			  const struct ir_var *var, const ir_expr *value,
			  const ir_expr *body);
const ir_expr *ir_new_if(ir_module *m, struct loc loc, const ir_expr *cond,
			 const ir_expr *then_branch,
			 const ir_expr *else_branch);
const ir_expr *ir_new_match(ir_module *m, struct loc loc, const ir_expr *value,
			    const struct ir_clause *clauses, uint32_t n,
			    bool complete);
const ir_expr *ir_new_ref_new(ir_module *m, struct loc loc,
			      const ir_expr *value);
const ir_expr *ir_new_ref_read(ir_module *m, struct loc loc,
			       const ir_expr *ref);
const ir_expr *ir_new_ref_write(ir_module *m, struct loc loc,
				const ir_expr *ref, const ir_expr *value);
const ir_expr *ir_new_hole(ir_module *m, struct loc loc);

/* What a function is made of; arrays are copied by ir_new_function. */
struct ir_function_parts {
	const struct ir_var *const *params;
	uint32_t nparams;
	const ir_type *const *type_params;
	uint32_t ntype_params;
	const ir_type *ret_type;
	bool ret_inferred;
	const ir_expr *body;
	const ir_dict *attrs;
	const ir_meta *vdevice;
};
const ir_expr *ir_new_function(ir_module *m, struct loc loc,
			       const struct ir_function_parts *parts);

/* The parts of F, to change some and build another. */
struct ir_function_parts ir_function_parts(const struct ir_function *f);

/* The node of an operator; one per operator and module. */
const ir_expr *ir_op_node(ir_module *m, const ir_op *op);

/* A float32, int32, ... rank-0 constant. */
const ir_expr *ir_new_scalar(ir_module *m, struct loc loc, struct dtype dtype,
			     double value);
const ir_expr *ir_new_scalar_int(ir_module *m, struct loc loc,
				 struct dtype dtype, int64_t value);

/* Set by type inference, and by passes that know the type of a new node. */
static inline void
ir_set_type(const ir_expr *e, const ir_type *type)
{
	((ir_expr *)(uintptr_t)e)->type = type;
}

/*
 * Operands, in the order in which TVM visits them: callee then arguments,
 * value then body, condition then branches, scrutinee then clause bodies.
 * Binders (parameters, let and pattern variables) are not operands.
 */
static inline uint32_t ir_num_operands(const ir_expr *e);
static inline const ir_expr *ir_operand(const ir_expr *e, uint32_t i);

/*
 * E with other operands: E itself when all are the same pointers. Otherwise a
 * new node that keeps E's place, attributes and, with KEEP_TYPE, its type.
 */
const ir_expr *ir_with_operands(ir_module *m, const ir_expr *e,
				const ir_expr *const *operands, bool keep_type);

/*
 * A new node like E with these operands, the same or not; without a type. A
 * node that has none (a variable, a constant, ...) is E itself.
 */
const ir_expr *ir_rebuild(ir_module *m, const ir_expr *e,
			  const ir_expr *const *operands);

#define EXPR(id, name)                                                       \
	static inline const struct ir_##name *ir_as_##name(const ir_expr *e) \
	{                                                                    \
		assert(e && e->kind == IR_##id);                             \
		return (const struct ir_##name *)(const void *)e;            \
	}
#include "ir/exprs.def"

/* The same of nodes that are neither leaves nor calls. */
uint32_t ir_num_inner_operands(const ir_expr *e);
const ir_expr *ir_inner_operand(const ir_expr *e, uint32_t i);

static inline uint32_t
ir_num_operands(const ir_expr *e)
{
	if (e->kind <= IR_CTOR)
		return 0;
	if (e->kind == IR_CALL)
		return ir_as_call(e)->nargs + 1;
	return ir_num_inner_operands(e);
}

static inline const ir_expr *
ir_operand(const ir_expr *e, uint32_t i)
{
	const struct ir_call *call;

	if (e->kind != IR_CALL)
		return ir_inner_operand(e, i);
	call = ir_as_call(e);
	assert(i <= call->nargs);
	return i == 0 ? call->callee : call->args[i - 1];
}

/* The common part of a variable: what an expression uses. */
static inline const ir_expr *
ir_var_expr(const struct ir_var *v)
{
	return &v->base;
}

/* The operator that E calls, or NULL if E is no call of an operator. */
const ir_op *ir_called_op(const ir_expr *e);

/* E is a call of operator ID. */
bool ir_is_call_of(const ir_expr *e, enum op_id id);

/* E is a literal of a function with Primitive=1. */
bool ir_is_primitive(const ir_expr *e);

/* A checked type of E that must be there. */
static inline const ir_type *
ir_type_of(const ir_expr *e)
{
	assert(e->type);
	return e->type;
}

#endif
