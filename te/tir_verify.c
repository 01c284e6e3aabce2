/*
 * tir-verify: the form of loops.
 */
#include <stdlib.h>

#include "te/lower.h"
#include "te/tir_rewrite.h"

struct check {
	const tir_func *f;
	struct diag *diag;
	struct te_simplifier ranges;
	VEC(const struct tir_var *) vars;
	VEC(const struct tir_buffer *) buffers;
	struct loc loc;
	bool ok;
};

static void check_stmt(struct check *c, const tir_stmt *s);

static void
complain(struct check *c, const char *what, const char *name)
{
	diag_error(c->diag, c->loc, "kernel '%s': %s%s%s%s", c->f->name, what,
		   name ? " '" : "", name ? name : "", name ? "'" : "");
	c->ok = false;
}

static bool
has_var(const struct check *c, const struct tir_var *v)
{
	for (size_t i = c->vars.len; i-- > 0;)
		if (c->vars.at[i] == v)
			return true;
	return false;
}

static void
check_access(struct check *c, const struct tir_buffer *b, const tir_expr *index)
{
	struct te_range r;
	const tir_expr *at = index;
	int64_t span = 0;
	bool known = false;

	for (size_t i = c->buffers.len; i-- > 0 && !known;)
		known = c->buffers.at[i] == b;
	if (!known)
		complain(c, "there is no buffer", b->name);
	if (index->kind == TIR_RAMP && index->arg[1]->kind == TIR_INT) {
		at = index->arg[0];
		span = index->arg[1]->i * (index->dtype.lanes - 1);
	}
	if (b->size < 0 || at->dtype.lanes != 1 ||
	    at->dtype.code != DTYPE_INT || !te_range_of(&c->ranges, at, &r))
		return;
	if (r.hi + (span < 0 ? span : 0) < 0 ||
	    r.lo + (span > 0 ? span : 0) >= b->size)
		complain(c, "every access is outside of buffer", b->name);
}

static void
check_expr(const tir_expr *e, void *env)
{
	struct check *c = env;

	if (e->kind == TIR_VAR && !has_var(c, e->var))
		complain(c, "there is no variable", e->var->name);
	if (e->kind == TIR_READ || e->kind == TIR_REDUCE)
		complain(c, "a tensor expression is left", NULL);
	if (e->kind == TIR_LOAD)
		check_access(c, e->buffer, e->arg[0]);
	if (e->kind == TIR_LET) {
		check_expr(e->arg[0], c);
		vec_push(&c->vars, e->var);
		check_expr(e->arg[1], c);
		c->vars.len--;
		return;
	}
	if (e->kind >= TIR_ADD && e->kind <= TIR_OR &&
	    !dtype_equal(e->arg[0]->dtype, e->arg[1]->dtype))
		complain(c, "operands have different types", NULL);
	for (uint32_t i = 0; i < e->n; i++)
		check_expr(e->arg[i], c);
}

static void
check_bound(struct check *c, const struct tir_var *v, const tir_stmt *body)
{
	vec_push(&c->vars, v);
	check_stmt(c, body);
	c->vars.len--;
}

static void
check_store(struct check *c, const tir_stmt *s)
{
	struct dtype want = s->store.buffer->dtype;

	if (s->store.index->dtype.lanes > 1)
		want.lanes = s->store.index->dtype.lanes;
	if (!dtype_equal(want, s->store.value->dtype))
		complain(c, "a value of another type is stored to",
			 s->store.buffer->name);
	check_access(c, s->store.buffer, s->store.index);
}

static void
check_stmt(struct check *c, const tir_stmt *s)
{
	struct te_range r;

	if (loc_is_known(s->loc))
		c->loc = s->loc;
	tir_each_expr(s, check_expr, c);
	switch (s->kind) {
	case TIR_STORE:
		check_store(c, s);
		break;
	case TIR_FOR:
		if (tir_loop_range(s, &r))
			te_set_range(&c->ranges, s->loop.var, r.lo, r.hi);
		check_bound(c, s->loop.var, s->loop.body);
		break;
	case TIR_WHILE:
		check_stmt(c, s->while_.body);
		break;
	case TIR_IF:
		check_stmt(c, s->if_.then_);
		if (s->if_.else_)
			check_stmt(c, s->if_.else_);
		break;
	case TIR_LET_STMT:
		check_bound(c, s->let.var, s->let.body);
		break;
	case TIR_ALLOC:
		vec_push(&c->buffers, s->alloc.buffer);
		check_stmt(c, s->alloc.body);
		c->buffers.len--;
		break;
	case TIR_SEQ:
		for (uint32_t i = 0; i < s->seq.n; i++)
			check_stmt(c, s->seq.at[i]);
		break;
	default:
		break;
	}
}

bool
tir_verify(const ir_module *m, const tir_func *f, struct diag *d)
{
	struct check c = {.f = f, .diag = d, .loc = f->loc, .ok = true};

	c.ranges.m = (ir_module *)(uintptr_t)m;
	for (uint32_t i = 0; i < f->nparams; i++) {
		vec_push(&c.vars, f->params[i].var);
		if (f->params[i].buffer)
			vec_push(&c.buffers, f->params[i].buffer);
	}
	check_stmt(&c, f->body);
	te_simplifier_free(&c.ranges);
	vec_free(&c.vars);
	vec_free(&c.buffers);
	return c.ok;
}
