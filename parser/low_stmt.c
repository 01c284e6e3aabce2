/*
 * Loops: functions and statements.
 */
#include <string.h>

#include "parser/low.h"
#include "parser/syn.h"

void
low_primfn_open(struct parse_ctx *cx, struct loc loc, const char *name)
{
	tir_func *f = ARENA_NEW(&cx->m->arena, tir_func);

	f->name = name;
	f->loc = loc;
	cx->low.tir = f;
	if (ir_module_find(cx->m, name)) {
		diag_error(cx->d, loc, "'@%s' is defined twice", name);
		diag_note(cx->d, ir_module_find(cx->m, name)->loc,
			  "the first definition is here");
		return;
	}
	cx->low.def = ir_module_add(cx->m, name, DEF_TIR, loc);
}

void
low_primfn_end(struct parse_ctx *cx, tir_stmt *body)
{
	struct low_state *low = &cx->low;

	low->tir->body = body;
	low->tir->nparams = (uint32_t)low->params.len;
	low->tir->params =
		arena_copy(&cx->m->arena, low->params.at,
			   low->params.len * sizeof(*low->params.at));
	if (low->def)
		low->def->tir = low->tir;
}

void
low_handle(struct parse_ctx *cx, struct loc loc, const char *name,
	   const char *dtype)
{
	struct dtype t = low_dtype_of(dtype);
	struct tir_param p = {tir_new_var(cx->m, name, t), NULL};

	if (t.code != DTYPE_HANDLE)
		diag_error(cx->d, loc, "parameters here are handles");
	if (scope_find(&cx->low.vars, name))
		diag_error(cx->d, loc, "there are two parameters '%s'", name);
	scope_bind(&cx->low.vars, name, p.var);
	vec_push(&cx->low.params, p);
}

/* A number of elements or bytes. */
static int64_t
size_of(struct parse_ctx *cx, struct loc loc, const struct number *n)
{
	unsigned width;
	int64_t v;

	if (n->kind == NUM_FLOAT || !syn_integer(cx, loc, n, &v, &width) ||
	    v < -1) {
		diag_error(cx->d, loc, "this is no size");
		return 0;
	}
	return v;
}

static struct tir_buffer *
new_buffer(struct parse_ctx *cx, struct loc loc, const char *name,
	   const char *dtype, int64_t size, enum tir_scope scope)
{
	struct tir_buffer *b =
		tir_new_buffer(cx->m, name, low_dtype_of(dtype), size, scope);

	if (scope_find(&cx->low.buffers, name))
		diag_error(cx->d, loc, "there is a buffer '%s' already", name);
	scope_bind(&cx->low.buffers, name, b);
	return b;
}

void
low_buffer(struct parse_ctx *cx, struct loc loc, const char *name,
	   const char *dtype, const tir_expr *size, const struct number *align)
{
	bool known = size->kind == TIR_INT && size != low_poison();
	struct tir_buffer *b = new_buffer(cx, loc, name, dtype,
					  known ? size->i : -1, TIR_GLOBAL);
	int64_t bytes = align ? size_of(cx, loc, align) : 0;

	if (known && size->i < -1)
		diag_error(cx->d, loc, "this is no size");
	else if (!known && size != low_poison() && !dtype_is_int(size->dtype))
		diag_error(cx->d, loc, "a number of elements is an integer");
	else if (!known)
		b->extent = size;
	if (bytes < 0 || bytes > 1 << 30 || (bytes & (bytes - 1)) != 0)
		diag_error(cx->d, loc, "an alignment is a power of two");
	else
		b->align = (unsigned)bytes;
}

void
low_map(struct parse_ctx *cx, struct loc loc, const char *handle,
	const char *buffer)
{
	const struct tir_var *v = scope_find(&cx->low.vars, handle);
	const struct tir_buffer *b = scope_find(&cx->low.buffers, buffer);

	for (size_t i = 0; v && b && i < cx->low.params.len; i++) {
		if (cx->low.params.at[i].var == v) {
			cx->low.params.at[i].buffer = b;
			return;
		}
	}
	diag_error(cx->d, loc, "'%s' is no parameter or '%s' no buffer", handle,
		   buffer);
}

void
low_block_open(struct parse_ctx *cx)
{
	vec_push(&cx->low.blocks, tir_seq(cx->m));
}

/* A block of one statement is that statement. */
tir_stmt *
low_block_end(struct parse_ctx *cx)
{
	tir_stmt *s = vec_pop(&cx->low.blocks);

	return s->seq.n == 1 ? s->seq.at[0] : s;
}

static void
add(struct parse_ctx *cx, struct loc loc, tir_stmt *s)
{
	s->loc = loc;
	tir_seq_add(cx->m, vec_last(&cx->low.blocks), s);
}

/* E is a truth value; false after a report. */
static bool
is_condition(struct parse_ctx *cx, struct loc loc, const tir_expr *e)
{
	if (e == low_poison())
		return false;
	if (e->dtype.code == DTYPE_UINT && e->dtype.bits == 1)
		return true;
	diag_error(cx->d, loc, "a condition must be a truth value");
	return false;
}

void
low_store(struct parse_ctx *cx, struct loc loc, const tir_expr *to,
	  const tir_expr *value, const tir_expr *mask)
{
	tir_stmt *s;

	if (to == low_poison() || value == low_poison())
		return;
	if (to->kind != TIR_LOAD || !dtype_equal(to->dtype, value->dtype)) {
		diag_error(cx->d, loc,
			   "value and element have different types");
		return;
	}
	if (mask && !is_condition(cx, loc, mask))
		return;
	s = tir_store(cx->m, to->buffer, to->arg[0], value);
	s->store.mask = mask;
	add(cx, loc, s);
}

/*
 * The end of a loop is written as a sum that starts with its first number:
 * what is left of END without MIN. NULL if it does not start so.
 */
static const tir_expr *
without(struct parse_ctx *cx, const tir_expr *end, const tir_expr *min)
{
	const tir_expr *rest;

	if (end->kind != TIR_ADD && end->kind != TIR_SUB)
		return NULL;
	if (end->kind == TIR_ADD && low_same(end->arg[0], min))
		return end->arg[1];
	rest = without(cx, end->arg[0], min);
	return rest ? tir_binary(cx->m, (enum tir_kind)end->kind, rest,
				 end->arg[1])
		    : NULL;
}

static const tir_expr *
extent_of(struct parse_ctx *cx, const tir_expr *min, const tir_expr *end)
{
	const tir_expr *rest;

	if (tir_is_const_int(min, 0))
		return end;
	if (min->kind == TIR_INT && end->kind == TIR_INT)
		return tir_int(cx->m, end->dtype,
			       (int64_t)((uint64_t)end->i - (uint64_t)min->i));
	rest = without(cx, end, min);
	return rest ? rest : tir_binary(cx->m, TIR_SUB, end, min);
}

static void
open_frame(struct parse_ctx *cx, struct loc loc, const char *name,
	   struct dtype t, const tir_expr *first, const tir_expr *second)
{
	struct low_frame f = {.first = first, .second = second, .loc = loc};

	f.scope = (uint32_t)scope_mark(&cx->low.vars);
	f.var = tir_new_var(cx->m, name, t);
	scope_bind(&cx->low.vars, name, f.var);
	vec_push(&cx->low.frames, f);
}

static struct low_frame
close_frame(struct parse_ctx *cx)
{
	struct low_frame f = vec_pop(&cx->low.frames);

	scope_leave(f.buffer ? &cx->low.buffers : &cx->low.vars, f.scope);
	return f;
}

void
low_for(struct parse_ctx *cx, struct loc loc, const char *name,
	const char *dtype, const tir_expr *min, const tir_expr *end)
{
	struct dtype t = low_dtype_of(dtype);
	const tir_expr *extent = low_poison();

	if (min == low_poison() || end == low_poison())
		;
	else if (!dtype_is_int(t) || !dtype_equal(min->dtype, t) ||
		 !dtype_equal(end->dtype, t))
		diag_error(cx->d, loc,
			   "a loop runs over integers of the type it names");
	else
		extent = extent_of(cx, min, end);
	open_frame(cx, loc, name, t, min, extent);
}

void
low_for_kind(struct parse_ctx *cx, struct loc loc, const char *kind)
{
	static const char *const names[] = {"", "parallel", "vectorized",
					    "unroll"};

	for (unsigned i = 0; kind && i < 4; i++) {
		if (strcmp(names[i], kind) == 0) {
			vec_last(&cx->low.frames).kind = (enum tir_for_kind)i;
			return;
		}
	}
	if (kind)
		diag_error(cx->d, loc, "unknown kind of loop '%s'", kind);
}

void
low_for_end(struct parse_ctx *cx, tir_stmt *body)
{
	struct low_frame f = close_frame(cx);

	if (f.second != low_poison())
		add(cx, f.loc,
		    tir_for(cx->m, f.var, f.first, f.second, f.kind, body));
}

void
low_while(struct parse_ctx *cx, struct loc loc, const tir_expr *cond,
	  tir_stmt *body)
{
	tir_stmt *s;

	if (!is_condition(cx, loc, cond))
		return;
	s = tir_new_stmt(cx->m, TIR_WHILE);
	s->while_.cond = cond;
	s->while_.body = body;
	add(cx, loc, s);
}

void
low_if(struct parse_ctx *cx, struct loc loc, const tir_expr *cond,
       tir_stmt *then, tir_stmt *otherwise)
{
	if (is_condition(cx, loc, cond))
		add(cx, loc, tir_if(cx->m, cond, then, otherwise));
}

void
low_let(struct parse_ctx *cx, struct loc loc, const char *name,
	const char *dtype, const tir_expr *value)
{
	struct dtype t = low_dtype_of(dtype);

	if (value != low_poison() && !dtype_equal(value->dtype, t))
		diag_error(cx->d, loc, "the value of '%s' has another type",
			   name);
	open_frame(cx, loc, name, t, value, NULL);
}

void
low_let_end(struct parse_ctx *cx, tir_stmt *body)
{
	struct low_frame f = close_frame(cx);
	tir_stmt *s;

	if (f.first == low_poison())
		return;
	s = tir_new_stmt(cx->m, TIR_LET_STMT);
	s->let.var = f.var;
	s->let.value = f.first;
	s->let.body = body;
	add(cx, f.loc, s);
}

static enum tir_scope
scope_of(struct parse_ctx *cx, struct loc loc, const char *name)
{
	for (int i = TIR_GLOBAL; i <= TIR_SHARED; i++) {
		if (strcmp(tir_scope_names[i], name) == 0)
			return (enum tir_scope)i;
	}
	diag_error(cx->d, loc, "unknown memory '%s'", name);
	return TIR_LOCAL;
}

void
low_allocate(struct parse_ctx *cx, struct loc loc, const char *name,
	     const char *dtype, const tir_expr *size, const char *scope)
{
	struct low_frame f = {.loc = loc};
	struct tir_buffer *b;
	bool known = size->kind == TIR_INT && size != low_poison();

	f.scope = (uint32_t)scope_mark(&cx->low.buffers);
	b = new_buffer(cx, loc, name, dtype, known ? size->i : -1,
		       scope_of(cx, loc, scope));
	b->extent = known ? NULL : size;
	f.buffer = b;
	vec_push(&cx->low.frames, f);
}

void
low_allocate_end(struct parse_ctx *cx, tir_stmt *body)
{
	struct low_frame f = close_frame(cx);
	tir_stmt *s = tir_new_stmt(cx->m, TIR_ALLOC);

	s->alloc.buffer = f.buffer;
	s->alloc.body = body;
	add(cx, f.loc, s);
}

void
low_assert(struct parse_ctx *cx, struct loc loc, const tir_expr *cond,
	   const char *message)
{
	tir_stmt *s;

	if (!is_condition(cx, loc, cond))
		return;
	s = tir_new_stmt(cx->m, TIR_ASSERT);
	s->assert_.cond = cond;
	s->assert_.message = message;
	add(cx, loc, s);
}

void
low_eval(struct parse_ctx *cx, struct loc loc, const tir_expr *e)
{
	tir_stmt *s;

	if (e == low_poison())
		return;
	s = tir_new_stmt(cx->m, TIR_EVAL);
	s->eval = e;
	add(cx, loc, s);
}

void
low_call_func(struct parse_ctx *cx, struct loc loc, const char *name,
	      uint32_t args)
{
	uint32_t n = count_items(args, cx->low.exprs.len);
	const tir_expr **at;
	tir_stmt *s;

	cx->low.exprs.len -= n;
	at = arena_copy(&cx->m->arena,
			items_from(&cx->low.exprs, cx->low.exprs.len),
			n * sizeof(*at));
	for (uint32_t i = 0; i < n; i++) {
		if (at[i] == low_poison())
			return;
		if (at[i]->dtype.code == DTYPE_HANDLE &&
		    at[i]->kind != TIR_STRING)
			continue;
		diag_error(cx->d, loc, "arguments of '@%s' are handles", name);
		return;
	}
	s = tir_new_stmt(cx->m, TIR_CALL_FUNC);
	s->call.func = name;
	s->call.args = at;
	s->call.n = n;
	add(cx, loc, s);
}

void
low_return(struct parse_ctx *cx, struct loc loc, const tir_expr *e)
{
	tir_stmt *s;

	if (e == low_poison())
		return;
	s = tir_new_stmt(cx->m, TIR_RETURN);
	s->ret = e;
	add(cx, loc, s);
}
