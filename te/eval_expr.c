/*
 * Expressions of loops to instructions of the evaluator: choices, lets,
 * vectors, memory. What computes is in te/eval_arith.c.
 */
#include "te/eval_internal.h"

#include <assert.h>

static struct eval_value
select_of(struct eval_compiler *c, struct dtype t, unsigned cond_lanes,
	  struct eval_value v, struct eval_value a, struct eval_value b)
{
	uint32_t level =
		eval_max_level(v.level, eval_max_level(a.level, b.level));
	struct eval_value d = eval_new_value(c, t.lanes, level,
					     v.impure || a.impure || b.impure);

	eval_emit(c, level,
		  (struct eval_insn){.op = cond_lanes > 1 ? EV_SELECT
							  : EV_SELECT1,
				     .lanes = t.lanes,
				     .d = d.slot,
				     .a = v.slot,
				     .b = a.slot,
				     .imm.i = b.slot});
	return d;
}

/* An arm of a guard, into the slots of D, in a segment of its own. */
static struct eval_segment
arm(struct eval_compiler *c, const tir_expr *e, uint32_t d)
{
	struct eval_value v;

	eval_open(c);
	v = eval_expr(c, e);
	eval_emit(c, c->top,
		  (struct eval_insn){.op = EV_MOVE,
				     .lanes = e->dtype.lanes,
				     .d = d,
				     .a = v.slot});
	return eval_close(c);
}

static struct eval_value
scalar_guard(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value v = eval_expr(c, e->arg[0]);
	struct eval_value d = eval_new_value(c, e->dtype.lanes, c->top, true);
	struct eval_segment yes, no;

	yes = arm(c, e->arg[1], d.slot);
	no = arm(c, e->arg[2], d.slot);
	eval_emit(c, c->top,
		  (struct eval_insn){.op = EV_JUMP_IF_NOT,
				     .lanes = 1,
				     .a = v.slot,
				     .imm.i = (int64_t)yes.code.len + 1});
	eval_append(c, &yes);
	eval_emit(c, c->top,
		  (struct eval_insn){.op = EV_JUMP,
				     .lanes = 1,
				     .imm.i = (int64_t)no.code.len});
	eval_append(c, &no);
	return d;
}

/* E with the lanes of V switched on among those that are. */
static struct eval_value
masked(struct eval_compiler *c, const tir_expr *e, struct eval_value v)
{
	uint32_t mask = c->mask, level = c->mask_level;
	uint16_t lanes = c->mask_lanes;
	struct eval_segment s;
	struct eval_value r;

	if (mask != EVAL_NO_SLOT) {
		struct eval_value outer = {mask, level, true};

		v = eval_emit2(c, EV_AND, e->dtype.lanes, v, outer);
	}
	c->mask = v.slot;
	c->mask_level = v.level;
	c->mask_lanes = e->dtype.lanes;
	eval_open(c);
	r = eval_expr(c, e);
	s = eval_close(c);
	eval_append(c, &s);
	c->mask = mask;
	c->mask_level = level;
	c->mask_lanes = lanes;
	if (r.level > c->top)
		r.level = c->top;
	r.impure = true;
	return r;
}

static struct eval_value
guard(struct eval_compiler *c, const tir_expr *e)
{
	unsigned lanes = e->arg[0]->dtype.lanes;
	struct eval_value v, a, b;

	if (lanes == 1)
		return scalar_guard(c, e);
	v = eval_expr(c, e->arg[0]);
	a = masked(c, e->arg[1], v);
	b = masked(c, e->arg[2], eval_emit1(c, EV_NOT, lanes, v, 0));
	return select_of(c, e->dtype, lanes, v, a, b);
}

static struct eval_value
let(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value v = eval_expr(c, e->arg[0]);
	struct eval_segment s;

	eval_open(c);
	v.level = c->top;
	v.impure = false;
	eval_map_put(&c->vars, e->var, v);
	v = eval_expr(c, e->arg[1]);
	s = eval_close(c);
	eval_append(c, &s);
	if (v.level > c->top)
		v.level = c->top;
	v.impure = true;
	return v;
}

static struct eval_value
ramp(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value a = eval_expr(c, e->arg[0]);
	struct eval_value b = eval_expr(c, e->arg[1]);
	struct eval_value d = eval_new_value(c, e->dtype.lanes,
					     eval_max_level(a.level, b.level),
					     a.impure || b.impure);

	eval_emit(c, d.level,
		  (struct eval_insn){.op = EV_RAMP,
				     .lanes = e->dtype.lanes,
				     .d = d.slot,
				     .a = a.slot,
				     .b = b.slot,
				     .imm.i = 64 - e->dtype.bits});
	return d;
}

static struct eval_value
splat(struct eval_compiler *c, struct eval_value a, unsigned lanes)
{
	struct eval_value d = eval_new_value(c, lanes, a.level, a.impure);

	eval_emit(c, d.level,
		  (struct eval_insn){.op = EV_SPLAT,
				     .lanes = (uint16_t)lanes,
				     .d = d.slot,
				     .a = a.slot});
	return d;
}

/* The load of element type T; its stores are three further on; or -1. */
static int
memory_op(struct dtype t)
{
	unsigned bytes = (t.bits + 7) / 8;

	switch (eval_class_of(t)) {
	case EVAL_FLOAT_CLASS:
		return t.code == DTYPE_BFLOAT ? EV_LOAD_BF16
		       : bytes == 8           ? EV_LOAD_F64
		       : bytes == 4           ? EV_LOAD_F32
					      : EV_LOAD_F16;
	case EVAL_INT_CLASS:
		return bytes == 8   ? EV_LOAD_I64
		       : bytes == 4 ? EV_LOAD_I32
		       : bytes == 2 ? EV_LOAD_I16
		       : bytes == 1 ? EV_LOAD_I8
				    : -1;
	case EVAL_UINT_CLASS:
		return bytes == 8   ? EV_LOAD_I64
		       : bytes == 4 ? EV_LOAD_U32
		       : bytes == 2 ? EV_LOAD_U16
		       : bytes == 1 ? EV_LOAD_U8
				    : -1;
	case EVAL_OTHER_CLASS:
		break;
	}
	return -1;
}

/* How an access walks through its buffer. */
struct access {
	int form; /* 0 one element, 1 in a row, 2 lane by lane */
	struct eval_value at;
};

static struct access
access_of(struct eval_compiler *c, const struct tir_buffer *b,
	  const tir_expr *index)
{
	struct access x = {0, {0, 0, false}};

	if (b->dtype.lanes > 1) {
		struct dtype t = index->dtype;
		struct eval_value k = eval_new_value(c, 1, 0, false);

		eval_emit(c, 0,
			  (struct eval_insn){.op = EV_CONST_I,
					     .lanes = 1,
					     .d = k.slot,
					     .imm.i = b->dtype.lanes});
		if (t.lanes > 1)
			eval_fail(c, "a vector of vectors");
		x.form = 1;
		x.at = eval_emit2(c, EV_MUL, 1, eval_expr(c, index), k);
		return x;
	}
	if (index->kind == TIR_RAMP && c->mask == EVAL_NO_SLOT &&
	    tir_is_const_int(index->arg[1], 1)) {
		x.form = 1;
		x.at = eval_expr(c, index->arg[0]);
		return x;
	}
	x.form = index->dtype.lanes > 1 ? 2 : 0;
	x.at = eval_expr(c, index);
	return x;
}

/* A slot that says whether any lane of the mask is on. */
static uint32_t
any_lane(struct eval_compiler *c)
{
	uint32_t d = eval_slots(c, 1);

	eval_emit(c, c->top,
		  (struct eval_insn){.op = EV_ANY,
				     .lanes = c->mask_lanes,
				     .d = d,
				     .a = c->mask});
	return d;
}

static struct eval_value
load(struct eval_compiler *c, const tir_expr *e)
{
	struct access x = access_of(c, e->buffer, e->arg[0]);
	int op = memory_op(e->buffer->dtype);
	struct eval_value d = eval_new_value(c, e->dtype.lanes, c->top, true);
	uint32_t mask = c->mask;

	if (op < 0) {
		eval_fail(c, "memory of this element type");
		return d;
	}
	if (x.form == 0 && mask != EVAL_NO_SLOT) {
		mask = any_lane(c);
		x.form = 2;
	}
	eval_emit(c, c->top,
		  (struct eval_insn){.op = (uint16_t)(op + x.form),
				     .lanes = e->dtype.lanes,
				     .d = d.slot,
				     .a = x.at.slot,
				     .b = mask,
				     .imm.i = eval_buffer(c, e->buffer)});
	return d;
}

void
eval_store(struct eval_compiler *c, const tir_stmt *s)
{
	const struct tir_buffer *b = s->store.buffer;
	unsigned lanes = s->store.index->dtype.lanes * b->dtype.lanes;
	int op = memory_op(b->dtype);
	struct eval_value v, mask = {EVAL_NO_SLOT, 0, false};
	struct access x;

	if (s->store.mask) {
		mask = eval_expr(c, s->store.mask);
		if (s->store.mask->dtype.lanes < lanes)
			mask = splat(c, mask, lanes);
		c->mask = mask.slot;
		c->mask_level = mask.level;
		c->mask_lanes = (uint16_t)lanes;
	}
	v = eval_expr(c, s->store.value);
	if (s->store.value->dtype.lanes < lanes)
		v = splat(c, v, lanes);
	x = access_of(c, b, s->store.index);
	c->mask = EVAL_NO_SLOT;
	if (mask.slot != EVAL_NO_SLOT && x.form == 0)
		x.form = 2;
	if (op < 0) {
		eval_fail(c, "memory of this element type");
		return;
	}
	eval_emit(c, c->top,
		  (struct eval_insn){.op = (uint16_t)(op + 3 + x.form),
				     .lanes = (uint16_t)lanes,
				     .d = v.slot,
				     .a = x.at.slot,
				     .b = mask.slot,
				     .imm.i = eval_buffer(c, b)});
}

static struct eval_value
address_of(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value at = eval_expr(c, e->arg[0]);
	struct eval_value d = eval_new_value(c, 2, c->top, true);

	eval_emit(
		c, c->top,
		(struct eval_insn){.op = EV_ADDRESS,
				   .lanes = 1,
				   .d = d.slot,
				   .a = at.slot,
				   .b = (uint32_t)dtype_size(e->buffer->dtype),
				   .imm.i = eval_buffer(c, e->buffer)});
	return d;
}

static struct eval_value
variable(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value *v = eval_map_get(&c->vars, e->var);

	if (v)
		return *v;
	eval_fail(c, "the unbound variable '%s'", e->var->name);
	return (struct eval_value){0, 0, false};
}

static struct eval_value
call_extern(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value d = eval_new_value(c, 2, c->top, true);

	eval_emit_call(c, EV_CALL_EXTERN, e->s, e->arg, e->n, d.slot,
		       c->func->loc);
	return d;
}

static struct eval_value
compile(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value a, b;

	switch ((enum tir_kind)e->kind) {
	case TIR_INT:
	case TIR_FLOAT:
		return eval_constant(c, e);
	case TIR_VAR:
		return variable(c, e);
	case TIR_NOT:
		return eval_emit1(c, EV_NOT, e->dtype.lanes,
				  eval_expr(c, e->arg[0]), 0);
	case TIR_SELECT:
		a = eval_expr(c, e->arg[1]);
		b = eval_expr(c, e->arg[2]);
		return select_of(c, e->dtype, e->arg[0]->dtype.lanes,
				 eval_expr(c, e->arg[0]), a, b);
	case TIR_GUARD:
		return guard(c, e);
	case TIR_CAST:
		return eval_cast(c, e);
	case TIR_CALL:
		return eval_intrinsic(c, e);
	case TIR_CALL_EXTERN:
		return call_extern(c, e);
	case TIR_LOAD:
		return load(c, e);
	case TIR_ADDRESS_OF:
		return address_of(c, e);
	case TIR_RAMP:
		return ramp(c, e);
	case TIR_BROADCAST:
		return splat(c, eval_expr(c, e->arg[0]), e->dtype.lanes);
	case TIR_LET:
		return let(c, e);
	case TIR_STRING:
	case TIR_READ:
	case TIR_REDUCE:
	case TIR_KIND_COUNT:
		eval_fail(c, "a tensor expression among loops");
		return (struct eval_value){0, 0, false};
	default:
		return eval_binary(c, e);
	}
}

struct eval_value
eval_expr(struct eval_compiler *c, const tir_expr *e)
{
	struct eval_value *known = eval_map_get(&c->exprs, e);
	struct eval_value v = {0, 0, false};

	if (known)
		return *known;
	if (c->failed)
		return v;
	if (c->depth >= EVAL_MAX_DEPTH) {
		eval_fail(c, "an expression this deep");
		return v;
	}
	c->depth++;
	v = compile(c, e);
	c->depth--;
	/* What was computed under a mask holds for its lanes alone. */
	if (c->mask != EVAL_NO_SLOT && v.impure)
		return v;
	eval_map_put(&c->exprs, e, v);
	vec_push(&c->segs.at[v.level].known, e);
	if (v.impure)
		vec_push(&c->loads, e);
	return v;
}
