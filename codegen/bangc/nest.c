/*
 * The shape of a kernel: loops around one store.
 */
#include "codegen/bangc/internal.h"

#include <stddef.h>

static bool
reads_buffer(const tir_expr *e, const struct tir_buffer *b)
{
	if (e->kind == TIR_LOAD && e->buffer == b)
		return true;
	for (uint32_t i = 0; i < e->n; i++)
		if (reads_buffer(e->arg[i], b))
			return true;
	return false;
}

/* The only statement of S that does something, or NULL. */
static const tir_stmt *
only(const tir_stmt *s)
{
	const tir_stmt *found = NULL;

	while (s->kind == TIR_SEQ) {
		found = NULL;
		for (uint32_t i = 0; i < s->seq.n; i++) {
			if (s->seq.at[i]->kind == TIR_RETURN)
				continue;
			if (found)
				return NULL;
			found = s->seq.at[i];
		}
		if (!found)
			return NULL;
		s = found;
	}
	return s;
}

bool
bang_nest_of(const tir_func *f, struct bang_nest *out)
{
	const tir_stmt *s = only(f->body);

	*out = (struct bang_nest){.func = f};
	while (s && s->kind == TIR_FOR) {
		if (out->nloops == BANG_MAX_LOOPS ||
		    s->loop.min->kind != TIR_INT ||
		    s->loop.extent->kind != TIR_INT)
			return false;
		out->loops[out->nloops++] = (struct bang_loop){
			s->loop.var, s->loop.min->i, s->loop.extent->i};
		s = only(s->loop.body);
	}
	out->store = s;
	return s && s->kind == TIR_STORE && !s->store.mask &&
	       s->store.value->dtype.lanes == 1 &&
	       !reads_buffer(s->store.value, s->store.buffer);
}

static bool
mentions(const tir_expr *e, const struct tir_var *v)
{
	if (e->kind == TIR_VAR)
		return e->var == v;
	for (uint32_t i = 0; i < e->n; i++)
		if (mentions(e->arg[i], v))
			return true;
	return false;
}

bool
bang_stride(const tir_expr *e, const struct tir_var *v, int64_t *stride)
{
	int64_t a, b;

	*stride = 0;
	if (!mentions(e, v))
		return true;
	switch ((enum tir_kind)e->kind) {
	case TIR_VAR:
		*stride = 1;
		return true;
	case TIR_ADD:
	case TIR_SUB:
		if (!bang_stride(e->arg[0], v, &a) ||
		    !bang_stride(e->arg[1], v, &b))
			return false;
		*stride = e->kind == TIR_ADD ? a + b : a - b;
		return true;
	case TIR_MUL:
		if (e->arg[1]->kind != TIR_INT ||
		    !bang_stride(e->arg[0], v, &a))
			return false;
		*stride = a * e->arg[1]->i;
		return true;
	default:
		return false;
	}
}

bool
bang_same(const tir_expr *a, const tir_expr *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind || !dtype_equal(a->dtype, b->dtype) ||
	    a->n != b->n)
		return false;
	switch ((enum tir_kind)a->kind) {
	case TIR_INT:
		return a->i == b->i;
	case TIR_FLOAT:
		return a->f == b->f;
	case TIR_VAR:
		return a->var == b->var;
	case TIR_LOAD:
		if (a->buffer != b->buffer)
			return false;
		break;
	case TIR_CALL:
		if (a->intrin != b->intrin)
			return false;
		break;
	case TIR_STRING:
	case TIR_CALL_EXTERN:
	case TIR_LET:
		return false;
	default:
		break;
	}
	for (uint32_t i = 0; i < a->n; i++)
		if (!bang_same(a->arg[i], b->arg[i]))
			return false;
	return true;
}
