/*
 * Walks over and copies of statements.
 */
#include "te/tir_rewrite.h"

#include <string.h>

bool
tir_is_empty(const tir_stmt *s)
{
	return s->kind == TIR_SEQ && s->seq.n == 0;
}

static const tir_expr *
expr(struct tir_rewriter *r, const tir_expr *e)
{
	return e && r->expr ? r->expr(r, e) : e;
}

static tir_stmt *
copy(struct tir_rewriter *r, const tir_stmt *s)
{
	tir_stmt *out = tir_new_stmt(r->m, s->kind);

	*out = *s;
	return out;
}

/* Sequences inside of sequences dissolve. */
static void
append(struct tir_rewriter *r, tir_stmt *seq, tir_stmt *s)
{
	if (s->kind != TIR_SEQ) {
		tir_seq_add(r->m, seq, s);
		return;
	}
	for (uint32_t i = 0; i < s->seq.n; i++)
		tir_seq_add(r->m, seq, s->seq.at[i]);
}

static tir_stmt *
rewrite_seq(struct tir_rewriter *r, const tir_stmt *s)
{
	tir_stmt *seq = tir_seq(r->m);

	for (uint32_t i = 0; i < s->seq.n; i++)
		append(r, seq, tir_rewrite(r, s->seq.at[i]));
	return seq->seq.n == 1 ? seq->seq.at[0] : seq;
}

static tir_stmt *
rewrite_call(struct tir_rewriter *r, const tir_stmt *s)
{
	tir_stmt *out = copy(r, s);

	out->call.args = arena_copy(&r->m->arena, s->call.args,
				    s->call.n * sizeof(*s->call.args));
	for (uint32_t i = 0; i < s->call.n; i++)
		out->call.args[i] = expr(r, s->call.args[i]);
	return out;
}

static tir_stmt *
rewrite_if(struct tir_rewriter *r, const tir_stmt *s)
{
	tir_stmt *out = copy(r, s);

	out->if_.cond = expr(r, s->if_.cond);
	out->if_.then_ = tir_rewrite(r, s->if_.then_);
	if (s->if_.else_)
		out->if_.else_ = tir_rewrite(r, s->if_.else_);
	return out;
}

tir_stmt *
tir_rewrite_parts(struct tir_rewriter *r, const tir_stmt *s)
{
	tir_stmt *out;

	if (s->kind == TIR_SEQ)
		return rewrite_seq(r, s);
	if (s->kind == TIR_CALL_FUNC)
		return rewrite_call(r, s);
	if (s->kind == TIR_IF)
		return rewrite_if(r, s);
	out = copy(r, s);
	switch (s->kind) {
	case TIR_STORE:
		out->store.index = expr(r, s->store.index);
		out->store.value = expr(r, s->store.value);
		out->store.mask = expr(r, s->store.mask);
		break;
	case TIR_FOR:
		out->loop.min = expr(r, s->loop.min);
		out->loop.extent = expr(r, s->loop.extent);
		out->loop.body = tir_rewrite(r, s->loop.body);
		return tir_is_empty(out->loop.body) ? out->loop.body : out;
	case TIR_WHILE:
		out->while_.cond = expr(r, s->while_.cond);
		out->while_.body = tir_rewrite(r, s->while_.body);
		break;
	case TIR_LET_STMT:
		out->let.value = expr(r, s->let.value);
		out->let.body = tir_rewrite(r, s->let.body);
		break;
	case TIR_ALLOC:
		out->alloc.body = tir_rewrite(r, s->alloc.body);
		break;
	case TIR_ASSERT:
		out->assert_.cond = expr(r, s->assert_.cond);
		break;
	case TIR_EVAL:
		out->eval = expr(r, s->eval);
		break;
	case TIR_RETURN:
		out->ret = expr(r, s->ret);
		break;
	default:
		break;
	}
	return out;
}

tir_stmt *
tir_rewrite(struct tir_rewriter *r, const tir_stmt *s)
{
	tir_stmt *out = r->stmt ? r->stmt(r, s) : NULL;

	return out ? out : tir_rewrite_parts(r, s);
}

void
tir_each_expr(const tir_stmt *s, void (*visit)(const tir_expr *, void *),
	      void *env)
{
	switch (s->kind) {
	case TIR_STORE:
		visit(s->store.index, env);
		visit(s->store.value, env);
		if (s->store.mask)
			visit(s->store.mask, env);
		break;
	case TIR_FOR:
		visit(s->loop.min, env);
		visit(s->loop.extent, env);
		break;
	case TIR_WHILE:
		visit(s->while_.cond, env);
		break;
	case TIR_IF:
		visit(s->if_.cond, env);
		break;
	case TIR_LET_STMT:
		visit(s->let.value, env);
		break;
	case TIR_ASSERT:
		visit(s->assert_.cond, env);
		break;
	case TIR_EVAL:
		visit(s->eval, env);
		break;
	case TIR_RETURN:
		visit(s->ret, env);
		break;
	case TIR_CALL_FUNC:
		for (uint32_t i = 0; i < s->call.n; i++)
			visit(s->call.args[i], env);
		break;
	case TIR_ALLOC:
	case TIR_SEQ:
		break;
	}
}

void
tir_each_stmt(const tir_stmt *s, void (*visit)(const tir_stmt *, void *),
	      void *env)
{
	visit(s, env);
	switch (s->kind) {
	case TIR_FOR:
		tir_each_stmt(s->loop.body, visit, env);
		break;
	case TIR_WHILE:
		tir_each_stmt(s->while_.body, visit, env);
		break;
	case TIR_IF:
		tir_each_stmt(s->if_.then_, visit, env);
		if (s->if_.else_)
			tir_each_stmt(s->if_.else_, visit, env);
		break;
	case TIR_LET_STMT:
		tir_each_stmt(s->let.body, visit, env);
		break;
	case TIR_ALLOC:
		tir_each_stmt(s->alloc.body, visit, env);
		break;
	case TIR_SEQ:
		for (uint32_t i = 0; i < s->seq.n; i++)
			tir_each_stmt(s->seq.at[i], visit, env);
		break;
	default:
		break;
	}
}

bool
tir_loop_range(const tir_stmt *loop, struct te_range *out)
{
	const tir_expr *min = loop->loop.min;
	const tir_expr *extent = loop->loop.extent;

	if (min->kind != TIR_INT || extent->kind != TIR_INT)
		return false;
	out->lo = min->i;
	out->hi = min->i + (extent->i > 0 ? extent->i - 1 : 0);
	return true;
}

static void
set_range(const tir_stmt *s, void *env)
{
	struct te_range r;

	if (s->kind == TIR_FOR && tir_loop_range(s, &r))
		te_set_range(env, s->loop.var, r.lo, r.hi);
}

void
tir_set_loop_ranges(struct te_simplifier *s, const tir_stmt *stmt)
{
	tir_each_stmt(stmt, set_range, s);
}
