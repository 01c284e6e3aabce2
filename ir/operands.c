/*
 * The operands of a node, whatever its kind: what walks and rewrites need to
 * know about expressions, in one place.
 */
#include "ir/expr.h"

#include <string.h>

#include "ir/module.h"

uint32_t
ir_num_inner_operands(const ir_expr *e)
{
	switch ((enum ir_kind)e->kind) {
	case IR_TUPLE:
		return ir_as_tuple(e)->nfields;
	case IR_FUNCTION:
		return ir_as_function(e)->body ? 1 : 0;
	case IR_PROJ:
	case IR_REF_NEW:
	case IR_REF_READ:
		return 1;
	case IR_LET:
	case IR_REF_WRITE:
		return 2;
	case IR_IF:
		return 3;
	case IR_MATCH:
		return ir_as_match(e)->nclauses + 1;
	case IR_CALL:
	case IR_VAR:
	case IR_GLOBAL:
	case IR_CONSTANT:
	case IR_OP:
	case IR_CTOR:
	case IR_HOLE:
	case IR_KIND_COUNT:
		break;
	}
	return 0;
}

static const ir_expr *
if_operand(const struct ir_if *x, uint32_t i)
{
	return i == 0 ? x->cond : i == 1 ? x->then_branch : x->else_branch;
}

const ir_expr *
ir_inner_operand(const ir_expr *e, uint32_t i)
{
	assert(i < ir_num_inner_operands(e));
	switch ((enum ir_kind)e->kind) {
	case IR_TUPLE:
		return ir_as_tuple(e)->fields[i];
	case IR_FUNCTION:
		return ir_as_function(e)->body;
	case IR_PROJ:
		return ir_as_proj(e)->tuple;
	case IR_REF_NEW:
		return ir_as_ref_new(e)->value;
	case IR_REF_READ:
		return ir_as_ref_read(e)->ref;
	case IR_LET:
		return i == 0 ? ir_as_let(e)->value : ir_as_let(e)->body;
	case IR_REF_WRITE:
		return i == 0 ? ir_as_ref_write(e)->ref
			      : ir_as_ref_write(e)->value;
	case IR_IF:
		return if_operand(ir_as_if(e), i);
	case IR_MATCH:
		return i == 0 ? ir_as_match(e)->value
			      : ir_as_match(e)->clauses[i - 1].body;
	case IR_CALL:
	case IR_VAR:
	case IR_GLOBAL:
	case IR_CONSTANT:
	case IR_OP:
	case IR_CTOR:
	case IR_HOLE:
	case IR_KIND_COUNT:
		break;
	}
	return NULL;
}

static const ir_expr *
match_with(ir_module *m, const struct ir_match *x, const ir_expr *const *ops)
{
	struct ir_match *copy = (struct ir_match *)(uintptr_t)ir_new_match(
		m, x->base.loc, ops[0], x->clauses, x->nclauses, x->complete);

	for (uint32_t i = 0; i < x->nclauses; i++)
		copy->clauses[i].body = ops[i + 1];
	return &copy->base;
}

static const ir_expr *
function_with(ir_module *m, const struct ir_function *f, const ir_expr *body)
{
	struct ir_function_parts parts = ir_function_parts(f);

	parts.body = body;
	return ir_new_function(m, f->base.loc, &parts);
}

const ir_expr *
ir_rebuild(ir_module *m, const ir_expr *e, const ir_expr *const *ops)
{
	struct loc loc = e->loc;

	switch ((enum ir_kind)e->kind) {
	case IR_TUPLE:
		return ir_new_tuple(m, loc, ops, ir_as_tuple(e)->nfields);
	case IR_CALL:
		return ir_new_call(m, loc, ops[0], ops + 1,
				   ir_as_call(e)->nargs, ir_as_call(e)->attrs);
	case IR_FUNCTION:
		return function_with(m, ir_as_function(e), ops[0]);
	case IR_PROJ:
		return ir_new_proj(m, loc, ops[0], ir_as_proj(e)->index);
	case IR_REF_NEW:
		return ir_new_ref_new(m, loc, ops[0]);
	case IR_REF_READ:
		return ir_new_ref_read(m, loc, ops[0]);
	case IR_LET:
		return ir_new_let(m, loc, ir_as_let(e)->var, ops[0], ops[1]);
	case IR_REF_WRITE:
		return ir_new_ref_write(m, loc, ops[0], ops[1]);
	case IR_IF:
		return ir_new_if(m, loc, ops[0], ops[1], ops[2]);
	case IR_MATCH:
		return match_with(m, ir_as_match(e), ops);
	case IR_VAR:
	case IR_GLOBAL:
	case IR_CONSTANT:
	case IR_OP:
	case IR_CTOR:
	case IR_HOLE:
	case IR_KIND_COUNT:
		break;
	}
	return e;
}

const ir_expr *
ir_with_operands(ir_module *m, const ir_expr *e, const ir_expr *const *ops,
		 bool keep_type)
{
	uint32_t n = ir_num_operands(e);
	const ir_expr *copy;
	uint32_t i = 0;

	while (i < n && ops[i] == ir_operand(e, i))
		i++;
	if (i == n)
		return e;
	copy = ir_rebuild(m, e, ops);
	if (keep_type)
		ir_set_type(copy, e->type);
	return copy;
}
