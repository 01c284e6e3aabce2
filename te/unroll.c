/*
 * tir-unroll: loops marked so become one copy of their body per value.
 */
#include "te/lower.h"
#include "te/tir_rewrite.h"

/* More statements than this are left as a serial loop. */
enum { MAX_STATEMENTS = 2048 };

/* Statements of S once loops in it are unrolled; at most a bit too many. */
static long
unrolled_size(const tir_stmt *s)
{
	long n = 1;

	switch (s->kind) {
	case TIR_SEQ:
		for (uint32_t i = 0; i < s->seq.n && n <= MAX_STATEMENTS; i++)
			n += unrolled_size(s->seq.at[i]);
		return n;
	case TIR_FOR:
		n = unrolled_size(s->loop.body) + 1;
		if (s->loop.kind == TIR_UNROLLED &&
		    s->loop.extent->kind == TIR_INT && n <= MAX_STATEMENTS &&
		    s->loop.extent->i > 0)
			n *= s->loop.extent->i < MAX_STATEMENTS
				     ? s->loop.extent->i
				     : MAX_STATEMENTS;
		return n;
	case TIR_IF:
		n += unrolled_size(s->if_.then_);
		if (s->if_.else_)
			n += unrolled_size(s->if_.else_);
		return n;
	case TIR_WHILE:
		return n + unrolled_size(s->while_.body);
	case TIR_LET_STMT:
		return n + unrolled_size(s->let.body);
	case TIR_ALLOC:
		return n + unrolled_size(s->alloc.body);
	default:
		return n;
	}
}

static const tir_expr *
simplify(struct tir_rewriter *r, const tir_expr *e)
{
	return te_simplify(r->env, e);
}

/* Which way a branch goes in this copy, if that is known by now. */
static tir_stmt *
take_branch(struct tir_rewriter *r, const tir_stmt *s)
{
	const tir_expr *cond = simplify(r, s->if_.cond);

	if (cond->kind != TIR_INT)
		return NULL;
	if (cond->i)
		return tir_rewrite(r, s->if_.then_);
	return s->if_.else_ ? tir_rewrite(r, s->if_.else_) : tir_seq(r->m);
}

static tir_stmt *
unroll(struct tir_rewriter *r, const tir_stmt *s)
{
	struct te_simplifier *ranges = r->env;
	struct te_range range;
	tir_stmt *seq;

	if (s->kind == TIR_IF)
		return take_branch(r, s);
	if (s->kind != TIR_FOR)
		return NULL;
	if (!tir_loop_range(s, &range))
		return NULL;
	te_set_range(ranges, s->loop.var, range.lo, range.hi);
	if (s->loop.kind != TIR_UNROLLED)
		return NULL;
	if (unrolled_size(s) > MAX_STATEMENTS) {
		seq = tir_rewrite_parts(r, s);
		if (seq->kind == TIR_FOR)
			seq->loop.kind = TIR_SERIAL;
		return seq;
	}
	seq = tir_seq(r->m);
	for (int64_t i = 0; i < s->loop.extent->i; i++) {
		te_set_range(ranges, s->loop.var, range.lo + i, range.lo + i);
		tir_seq_add(r->m, seq, tir_rewrite(r, s->loop.body));
	}
	return tir_rewrite(&(struct tir_rewriter){.m = r->m}, seq);
}

void
tir_unroll(ir_module *m, tir_func *f)
{
	struct te_simplifier ranges = {.m = m};
	struct tir_rewriter r = {
		.m = m,
		.stmt = unroll,
		.expr = simplify,
		.env = &ranges,
	};

	f->body = tir_rewrite(&r, f->body);
	te_simplifier_free(&ranges);
}
