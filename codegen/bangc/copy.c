/*
 * Copies of whole tensors, which a network asks the host's memcpy for, as
 * kernels: a loop over words, or bytes.
 */
#include <string.h>

#include "codegen/bangc/internal.h"

static tir_expr *
new_expr(struct arena *a, enum tir_kind kind, struct dtype t, uint32_t n)
{
	tir_expr *e = arena_alloc(a, sizeof(*e) + n * sizeof(const tir_expr *));

	memset(e, 0, sizeof(*e));
	e->kind = (uint8_t)kind;
	e->dtype = t;
	e->depth = 1;
	e->n = n;
	return e;
}

static const tir_expr *
number(struct arena *a, int64_t value)
{
	tir_expr *e = new_expr(a, TIR_INT, DTYPE(INT, 32), 0);

	e->i = value;
	return e;
}

static const struct tir_buffer *
new_buffer(struct arena *a, const char *name, struct dtype t, int64_t size)
{
	struct tir_buffer *b = ARENA_NEW(a, struct tir_buffer);

	*b = (struct tir_buffer){.name = name, .dtype = t, .size = size};
	return b;
}

/* for (i: 0 .. N) TO[i] = FROM[i] */
static tir_stmt *
loop(struct arena *a, const struct tir_buffer *to,
     const struct tir_buffer *from)
{
	struct tir_var *i = ARENA_NEW(a, struct tir_var);
	tir_stmt *store = ARENA_NEW(a, tir_stmt), *s = ARENA_NEW(a, tir_stmt);
	tir_expr *at = new_expr(a, TIR_VAR, DTYPE(INT, 32), 0);
	tir_expr *load = new_expr(a, TIR_LOAD, from->dtype, 1);

	*i = (struct tir_var){.name = "i", .dtype = DTYPE(INT, 32)};
	at->var = i;
	load->buffer = from;
	load->arg[0] = at;
	*store = (tir_stmt){.kind = TIR_STORE};
	store->store.buffer = to;
	store->store.index = at;
	store->store.value = load;
	*s = (tir_stmt){.kind = TIR_FOR};
	s->loop.var = i;
	s->loop.min = number(a, 0);
	s->loop.extent = number(a, to->size);
	s->loop.body = store;
	return s;
}

static const tir_func *
kernel(struct arena *a, const char *name, int64_t bytes)
{
	struct dtype t = bytes % 4 ? DTYPE(INT, 8) : DTYPE(INT, 32);
	tir_func *f = ARENA_NEW(a, tir_func);

	*f = (tir_func){.name = name, .nparams = 2};
	f->params = ARENA_NEW_ARRAY(a, 2, struct tir_param);
	f->params[0].buffer = new_buffer(a, "from", t, bytes / (t.bits / 8));
	f->params[1].buffer = new_buffer(a, "to", t, bytes / (t.bits / 8));
	f->body = loop(a, f->params[1].buffer, f->params[0].buffer);
	return f;
}

const tir_func *
bang_copy_kernel(struct arena *a, const tir_stmt *s, unsigned n,
		 tir_stmt **call)
{
	const tir_expr *e = s->kind == TIR_EVAL ? s->eval : NULL;
	const tir_func *f;

	if (!e || e->kind != TIR_CALL_EXTERN || strcmp(e->s, "memcpy") != 0 ||
	    e->n != 3 || e->arg[0]->kind != TIR_ADDRESS_OF ||
	    e->arg[1]->kind != TIR_ADDRESS_OF || e->arg[2]->kind != TIR_INT)
		return NULL;
	f = kernel(a, arena_printf(a, "relay_copy_%u", n), e->arg[2]->i);
	*call = ARENA_NEW(a, tir_stmt);
	**call = (tir_stmt){.kind = TIR_CALL_FUNC, .loc = s->loc};
	(*call)->call.func = f->name;
	(*call)->call.n = 2;
	(*call)->call.args = ARENA_NEW_ARRAY(a, 2, const tir_expr *);
	(*call)->call.args[0] = e->arg[1];
	(*call)->call.args[1] = e->arg[0];
	return f;
}
