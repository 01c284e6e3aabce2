/*
 * Statements of loops to instructions of the evaluator, and the bookkeeping
 * of its compiler.
 */
#include "te/eval_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEAD UINT32_MAX

static uint32_t
map_slot(const struct eval_map *m, const void *key)
{
	uint64_t h = (uint64_t)(uintptr_t)key;
	uint32_t i;

	h = (h >> 3) * UINT64_C(0x9e3779b97f4a7c15);
	i = (uint32_t)(h >> 32) & (m->cap - 1);
	while (m->keys[i] && m->keys[i] != key)
		i = (i + 1) & (m->cap - 1);
	return i;
}

struct eval_value *
eval_map_get(const struct eval_map *m, const void *key)
{
	uint32_t i;

	if (!m->cap)
		return NULL;
	i = map_slot(m, key);
	return m->keys[i] && m->values[i].level != DEAD ? &m->values[i] : NULL;
}

static void
map_grow(struct eval_map *m)
{
	struct eval_map old = *m;

	m->cap = old.cap ? 2 * old.cap : 64;
	m->keys = xcalloc(m->cap, sizeof(*m->keys));
	m->values = xcalloc(m->cap, sizeof(*m->values));
	m->used = 0;
	for (uint32_t i = 0; i < old.cap; i++)
		if (old.keys[i] && old.values[i].level != DEAD)
			eval_map_put(m, old.keys[i], old.values[i]);
	free(old.keys);
	free(old.values);
}

void
eval_map_put(struct eval_map *m, const void *key, struct eval_value v)
{
	uint32_t i;

	if (2 * (m->used + 1) > m->cap)
		map_grow(m);
	i = map_slot(m, key);
	m->used += !m->keys[i];
	m->keys[i] = key;
	m->values[i] = v;
}

void
eval_map_drop(struct eval_map *m, const void *key)
{
	struct eval_value *v = eval_map_get(m, key);

	if (v)
		v->level = DEAD;
}

void
eval_map_free(struct eval_map *m)
{
	free(m->keys);
	free(m->values);
}

void
eval_fail(struct eval_compiler *c, const char *fmt, ...)
{
	char what[200];
	va_list ap;

	if (c->failed)
		return;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	diag_error(c->diag, c->func->loc,
		   "the evaluator cannot run kernel '%s': %s", c->func->name,
		   what);
	c->failed = true;
}

uint32_t
eval_slots(struct eval_compiler *c, uint32_t n)
{
	uint32_t at = c->nslots;

	if (n > UINT32_MAX / 2 - at) {
		eval_fail(c, "a kernel this large");
		return 0;
	}
	c->nslots += n;
	return at;
}

void
eval_emit(struct eval_compiler *c, uint32_t level, struct eval_insn i)
{
	vec_push(&c->segs.at[level].code, i);
}

void
eval_open(struct eval_compiler *c)
{
	struct eval_segment s = {0};

	vec_push(&c->segs, s);
	c->top = (uint32_t)c->segs.len - 1;
}

struct eval_segment
eval_close(struct eval_compiler *c)
{
	struct eval_segment s = vec_pop(&c->segs);

	for (size_t i = 0; i < s.known.len; i++)
		eval_map_drop(&c->exprs, s.known.at[i]);
	vec_free(&s.known);
	c->top = (uint32_t)c->segs.len - 1;
	return s;
}

void
eval_append(struct eval_compiler *c, struct eval_segment *s)
{
	for (size_t i = 0; i < s->code.len; i++)
		eval_emit(c, c->top, s->code.at[i]);
	vec_free(&s->code);
}

void
eval_forget_loads(struct eval_compiler *c)
{
	for (size_t i = 0; i < c->loads.len; i++)
		eval_map_drop(&c->exprs, c->loads.at[i]);
	vec_clear(&c->loads);
}

uint32_t
eval_buffer(struct eval_compiler *c, const struct tir_buffer *b)
{
	struct eval_value *known = eval_map_get(&c->buffers, b);
	struct eval_value v = {(uint32_t)c->buffer_list.len, 0, false};

	if (known)
		return known->slot;
	eval_map_put(&c->buffers, b, v);
	vec_push(&c->buffer_list, b);
	return v.slot;
}

static enum eval_arg_kind
arg_kind(struct dtype t)
{
	if (t.code == DTYPE_HANDLE)
		return EVAL_ARG_HANDLE;
	return dtype_is_float(t) ? EVAL_ARG_FLOAT : EVAL_ARG_INT;
}

/* The slots of a string: its address, as a handle. */
static uint32_t
string_arg(struct eval_compiler *c, const tir_expr *e)
{
	uint32_t d = eval_slots(c, 2);

	eval_emit(c, 0,
		  (struct eval_insn){.op = EV_CONST_I,
				     .lanes = 1,
				     .d = d,
				     .imm.i = (int64_t)(intptr_t)e->s});
	return d;
}

void
eval_emit_call(struct eval_compiler *c, enum eval_op op, const char *name,
	       const tir_expr *const *args, uint32_t n, uint32_t d,
	       struct loc loc)
{
	uint32_t *slots = ARENA_NEW_ARRAY(c->arena, n, uint32_t);
	uint8_t *kinds = ARENA_NEW_ARRAY(c->arena, n, uint8_t);
	struct eval_call call = {name, loc, slots, n, kinds};

	for (uint32_t i = 0; i < n; i++) {
		bool s = args[i]->kind == TIR_STRING;

		kinds[i] = (uint8_t)(s ? EVAL_ARG_HANDLE
				       : arg_kind(args[i]->dtype));
		slots[i] =
			s ? string_arg(c, args[i]) : eval_expr(c, args[i]).slot;
	}
	eval_emit(c, c->top,
		  (struct eval_insn){.op = (uint16_t)op,
				     .lanes = 1,
				     .d = d,
				     .imm.i = (int64_t)c->calls.len});
	vec_push(&c->calls, call);
}

static void stmt(struct eval_compiler *c, const tir_stmt *s);

static void
emit_jump(struct eval_compiler *c, enum eval_op op, uint32_t a, int64_t skip)
{
	eval_emit(
		c, c->top,
		(struct eval_insn){
			.op = (uint16_t)op, .lanes = 1, .a = a, .imm.i = skip});
}

static void
loop(struct eval_compiler *c, const tir_stmt *s)
{
	struct eval_value min = eval_expr(c, s->loop.min);
	struct eval_value extent = eval_expr(c, s->loop.extent);
	struct eval_value var = {eval_slots(c, 2), c->top + 1, false};
	struct eval_segment body;
	int64_t n;

	eval_open(c);
	eval_map_put(&c->vars, s->loop.var, var);
	stmt(c, s->loop.body);
	body = eval_close(c);
	n = (int64_t)body.code.len + 1;
	eval_emit(c, c->top,
		  (struct eval_insn){.op = EV_LOOP,
				     .lanes = 1,
				     .d = var.slot,
				     .a = min.slot,
				     .b = extent.slot,
				     .imm.i = n});
	eval_append(c, &body);
	eval_emit(
		c, c->top,
		(struct eval_insn){
			.op = EV_NEXT, .lanes = 1, .d = var.slot, .imm.i = -n});
}

static struct eval_segment
segment_of(struct eval_compiler *c, const tir_stmt *s)
{
	eval_open(c);
	stmt(c, s);
	return eval_close(c);
}

static void
branch(struct eval_compiler *c, const tir_stmt *s)
{
	struct eval_value v = eval_expr(c, s->if_.cond);
	struct eval_segment yes = segment_of(c, s->if_.then_), no = {0};

	if (s->if_.else_)
		no = segment_of(c, s->if_.else_);
	emit_jump(c, EV_JUMP_IF_NOT, v.slot, (int64_t)yes.code.len + 1);
	eval_append(c, &yes);
	emit_jump(c, EV_JUMP, 0, (int64_t)no.code.len);
	eval_append(c, &no);
}

static void
while_loop(struct eval_compiler *c, const tir_stmt *s)
{
	struct eval_segment cond, body;
	struct eval_value v;
	int64_t n;

	eval_open(c);
	v = eval_expr(c, s->while_.cond);
	body = segment_of(c, s->while_.body);
	n = (int64_t)body.code.len;
	emit_jump(c, EV_JUMP_IF_NOT, v.slot, n + 1);
	eval_append(c, &body);
	cond = eval_close(c);
	n = (int64_t)cond.code.len;
	eval_append(c, &cond);
	emit_jump(c, EV_JUMP, 0, -n - 1);
}

static void
let_stmt(struct eval_compiler *c, const tir_stmt *s)
{
	struct eval_value v = eval_expr(c, s->let.value);
	struct eval_segment body;

	eval_open(c);
	v.level = c->top;
	v.impure = false;
	eval_map_put(&c->vars, s->let.var, v);
	stmt(c, s->let.body);
	body = eval_close(c);
	eval_append(c, &body);
}

static void
alloc(struct eval_compiler *c, const tir_stmt *s)
{
	const struct tir_buffer *b = s->alloc.buffer;
	struct dtype elem = b->dtype;
	struct eval_value n = {eval_slots(c, 1), 0, false};

	elem.lanes = 1;
	if (b->size >= 0)
		eval_emit(
			c, 0,
			(struct eval_insn){.op = EV_CONST_I,
					   .lanes = 1,
					   .d = n.slot,
					   .imm.i = b->size * b->dtype.lanes});
	else
		n = eval_expr(c, b->extent);
	eval_emit(c, c->top,
		  (struct eval_insn){.op = EV_ALLOC,
				     .lanes = 1,
				     .d = eval_buffer(c, b),
				     .a = n.slot,
				     .b = (uint32_t)dtype_size(elem)});
	stmt(c, s->alloc.body);
}

static void
check(struct eval_compiler *c, const tir_stmt *s)
{
	struct eval_value v = eval_expr(c, s->assert_.cond);

	eval_emit(c, c->top,
		  (struct eval_insn){.op = EV_ASSERT,
				     .lanes = 1,
				     .a = v.slot,
				     .imm.s = s->assert_.message});
}

static void
give_back(struct eval_compiler *c, const tir_stmt *s)
{
	struct eval_value v = eval_expr(c, s->ret);

	emit_jump(c, EV_RETURN, v.slot, 0);
}

/* A call for its effect; the status of an extern routine must be 0. */
static void
effect(struct eval_compiler *c, const tir_stmt *s)
{
	struct eval_value v = eval_expr(c, s->eval), zero, ok;

	if (s->eval->kind != TIR_CALL_EXTERN ||
	    s->eval->dtype.code != DTYPE_INT)
		return;
	zero.slot = eval_slots(c, 1);
	eval_emit(c, 0,
		  (struct eval_insn){
			  .op = EV_CONST_I, .lanes = 1, .d = zero.slot});
	ok.slot = eval_slots(c, 1);
	eval_emit(c, c->top,
		  (struct eval_insn){.op = EV_EQ,
				     .lanes = 1,
				     .d = ok.slot,
				     .a = v.slot,
				     .b = zero.slot});
	eval_emit(c, c->top,
		  (struct eval_insn){.op = EV_ASSERT,
				     .lanes = 1,
				     .a = ok.slot,
				     .imm.s = s->eval->s});
}

static void
stmt(struct eval_compiler *c, const tir_stmt *s)
{
	if (c->failed)
		return;
	if (c->depth >= EVAL_MAX_DEPTH) {
		eval_fail(c, "statements this deep");
		return;
	}
	eval_forget_loads(c);
	c->depth++;
	switch (s->kind) {
	case TIR_STORE:
		eval_store(c, s);
		break;
	case TIR_FOR:
		loop(c, s);
		break;
	case TIR_WHILE:
		while_loop(c, s);
		break;
	case TIR_IF:
		branch(c, s);
		break;
	case TIR_LET_STMT:
		let_stmt(c, s);
		break;
	case TIR_ALLOC:
		alloc(c, s);
		break;
	case TIR_EVAL:
		effect(c, s);
		break;
	case TIR_ASSERT:
		check(c, s);
		break;
	case TIR_SEQ:
		for (uint32_t i = 0; i < s->seq.n; i++)
			stmt(c, s->seq.at[i]);
		break;
	case TIR_RETURN:
		give_back(c, s);
		break;
	case TIR_CALL_FUNC:
		eval_emit_call(c, EV_CALL_FUNC, s->call.func, s->call.args,
			       s->call.n, 0, s->loc);
		break;
	}
	c->depth--;
	eval_forget_loads(c);
}

/* Parameters: their handles take the first slots, two each. */
static void
bind_params(struct eval_compiler *c)
{
	static const struct tir_buffer none;

	for (uint32_t i = 0; i < c->func->nparams; i++) {
		const struct tir_buffer *b = c->func->params[i].buffer;
		struct eval_value v = {eval_slots(c, 2), 0, false};

		eval_map_put(&c->vars, c->func->params[i].var, v);
		eval_buffer(c, b ? b : &none);
	}
}

static struct eval_code *
finish(struct eval_compiler *c, struct eval_segment *s)
{
	struct eval_code *code = ARENA_NEW(c->arena, struct eval_code);

	code->func = c->func;
	code->ninsns = (uint32_t)s->code.len;
	code->insns = arena_copy(c->arena, s->code.at,
				 s->code.len * sizeof(*s->code.at));
	code->nslots = c->nslots;
	code->nbuffers = (uint32_t)c->buffer_list.len;
	code->buffers =
		arena_copy(c->arena, c->buffer_list.at,
			   c->buffer_list.len * sizeof(*c->buffer_list.at));
	code->ncalls = (uint32_t)c->calls.len;
	code->calls = arena_copy(c->arena, c->calls.at,
				 c->calls.len * sizeof(*c->calls.at));
	return code;
}

struct eval_code *
eval_compile(const tir_func *f, struct arena *a, struct diag *d)
{
	struct eval_compiler c = {
		.arena = a, .diag = d, .func = f, .mask = EVAL_NO_SLOT};
	struct eval_code *code = NULL;
	struct eval_segment s;

	eval_open(&c);
	bind_params(&c);
	stmt(&c, f->body);
	c.nslots += 2;
	s = eval_close(&c);
	if (!c.failed)
		code = finish(&c, &s);
	vec_free(&s.code);
	vec_free(&c.segs);
	vec_free(&c.loads);
	vec_free(&c.calls);
	vec_free(&c.buffer_list);
	eval_map_free(&c.exprs);
	eval_map_free(&c.vars);
	eval_map_free(&c.buffers);
	return code;
}
