/*
 * Any statement, element by element: what no faster way fits, and kernels that
 * the host does.
 *
 * A loop whose points don't depend on each other is shared out among the
 * tasks; around it, and where there is none, one task does the work. Elements
 * lie in device memory. This is slow, and counted (RELAY_SCALAR_OPS).
 */
#include <inttypes.h>
#include <string.h>

#include "codegen/bangc/internal.h"

struct scalar {
	struct bang_kernel *k;
	struct bang_names names;
	unsigned nrenamed;
	bool ok;
	bool shared; /* inside of a loop shared out */
};

static const char *
type_of(const struct scalar *x, struct dtype t)
{
	return x->names.on_host ? bang_host_type(t) : bang_type(t);
}

/* Make V's name one that no variable around it has. */
static const char *
open_name(struct scalar *x, const struct tir_var *v)
{
	const char *text = v->name;

	for (size_t i = 0; i < x->names.len; i++)
		if (!strcmp(x->names.at[i].text, text)) {
			text = arena_printf(x->k->arena, "%s_%u", v->name,
					    ++x->nrenamed);
			break;
		}
	vec_push(&x->names, ((struct bang_name){v, text}));
	return text;
}

static void
put_expr(struct scalar *x, const tir_expr *e)
{
	x->ok &= bang_put_expr(x->k->out, e, &x->names);
}

static void put(struct scalar *x, const tir_stmt *s, size_t depth,
		int64_t times);

static void
put_store(struct scalar *x, const tir_stmt *s, size_t depth, int64_t times)
{
	struct buf *out = x->k->out;
	const char *type = type_of(x, s->store.buffer->dtype);

	x->k->scalar_ops += times * bang_arithmetic(s->store.value);
	x->ok &= type && !s->store.mask && s->store.value->dtype.lanes == 1;
	buf_fill(out, ' ', depth);
	buf_printf(out, "%s[", s->store.buffer->name);
	put_expr(x, s->store.index);
	buf_puts(out, "] = ");
	if (s->store.buffer->dtype.code == DTYPE_BFLOAT)
		buf_printf(out, "(%s)", type ? type : "?");
	put_expr(x, s->store.value);
	buf_puts(out, ";\n");
}

static int64_t
repeated(int64_t times, const tir_expr *extent)
{
	int64_t n;

	if (extent->kind != TIR_INT ||
	    __builtin_mul_overflow(times, extent->i, &n))
		return times;
	return n;
}

static void
put_for(struct scalar *x, const tir_stmt *s, size_t depth, int64_t times)
{
	struct buf *out = x->k->out;
	size_t mark = x->names.len;
	bool share = s->loop.kind == TIR_PARALLEL && !x->shared;
	bool outer = x->shared;
	const char *name;

	x->shared |= share;
	buf_fill(out, ' ', depth);
	name = open_name(x, s->loop.var);
	buf_printf(out, "for (%s %s = ",
		   x->names.on_host ? type_of(x, s->loop.var->dtype) : "int",
		   name);
	put_expr(x, s->loop.min);
	buf_printf(out, "%s; %s < ", share ? " + taskId" : "", name);
	if (!tir_is_const_int(s->loop.min, 0)) {
		put_expr(x, s->loop.min);
		buf_puts(out, " + ");
	}
	put_expr(x, s->loop.extent);
	buf_printf(out, share ? "; %s += taskDim) {\n" : "; %s++) {\n", name);
	put(x, s->loop.body, depth + 2, repeated(times, s->loop.extent));
	buf_fill(out, ' ', depth);
	buf_puts(out, "}\n");
	x->names.len = mark;
	x->shared = outer;
}

static void
put_if(struct scalar *x, const tir_stmt *s, size_t depth, int64_t times)
{
	struct buf *out = x->k->out;

	buf_fill(out, ' ', depth);
	buf_puts(out, "if (");
	put_expr(x, s->if_.cond);
	buf_puts(out, ") {\n");
	put(x, s->if_.then_, depth + 2, times);
	if (s->if_.else_) {
		buf_fill(out, ' ', depth);
		buf_puts(out, "} else {\n");
		put(x, s->if_.else_, depth + 2, times);
	}
	buf_fill(out, ' ', depth);
	buf_puts(out, "}\n");
}

static void
put_let(struct scalar *x, const tir_stmt *s, size_t depth, int64_t times)
{
	const char *type = s->let.var->dtype.code == DTYPE_BFLOAT
				   ? "float"
				   : type_of(x, s->let.var->dtype);
	struct buf *out = x->k->out;
	size_t mark = x->names.len;
	struct buf value = {0};

	x->ok &= type && bang_put_expr(&value, s->let.value, &x->names);
	buf_fill(out, ' ', depth);
	buf_printf(out, "{\n");
	buf_fill(out, ' ', depth + 2);
	buf_printf(out, "const %s %s = %s;\n", type ? type : "?",
		   open_name(x, s->let.var), bang_text(&value));
	put(x, s->let.body, depth + 2, times);
	buf_fill(out, ' ', depth);
	buf_puts(out, "}\n");
	x->names.len = mark;
	buf_free(&value);
}

static void
put_alloc(struct scalar *x, const tir_stmt *s, size_t depth, int64_t times)
{
	const struct tir_buffer *b = s->alloc.buffer;
	const char *type = type_of(x, b->dtype);
	struct buf *out = x->k->out;
	bool large = b->size > 4096 && x->names.on_host;

	x->ok &= type && b->size > 0 && (b->size <= 4096 || large) && x->shared;
	buf_fill(out, ' ', depth);
	buf_puts(out, "{\n");
	buf_fill(out, ' ', depth + 2);
	if (large)
		buf_printf(out,
			   "host_array<%s> %s_block(nullptr, %" PRId64 ");\n"
			   "%s *%s = %s_block.at;\n",
			   type ? type : "?", b->name, b->size,
			   type ? type : "?", b->name, b->name);
	else
		buf_printf(out, "%s %s[%" PRId64 "];\n", type ? type : "?",
			   b->name, b->size);
	put(x, s->alloc.body, depth + 2, times);
	buf_fill(out, ' ', depth);
	buf_puts(out, "}\n");
}

static void
put_while(struct scalar *x, const tir_stmt *s, size_t depth, int64_t times)
{
	buf_fill(x->k->out, ' ', depth);
	buf_puts(x->k->out, "while (");
	put_expr(x, s->while_.cond);
	buf_puts(x->k->out, ") {\n");
	put(x, s->while_.body, depth + 2, times);
	buf_fill(x->k->out, ' ', depth);
	buf_puts(x->k->out, "}\n");
}

static bool
calls_routine(const tir_expr *e)
{
	if (e->kind == TIR_CALL_EXTERN)
		return true;
	for (uint32_t i = 0; i < e->n; i++)
		if (calls_routine(e->arg[i]))
			return true;
	return false;
}

static void
refuse_routine(struct scalar *x, const tir_stmt *s)
{
	const char *from = s->kind == TIR_ASSERT ? s->assert_.from : NULL;
	const tir_expr *call = bang_call_of(s);

	x->k->why = from   ? arena_printf(x->k->arena, "operator '%s'", from)
		    : call ? arena_printf(x->k->arena, "function '%s'", call->s)
			   : "a routine";
	x->k->where = s->loc;
	x->ok = false;
}

/* On the host: what S asserts; of a routine, that it returns 0. */
static void
put_assert(struct scalar *x, const tir_stmt *s)
{
	const tir_expr *call = bang_call_of(s);
	struct buf *out = x->k->out;

	if (call) {
		buf_puts(out, "{\nint failed = ");
		put_expr(x, call);
		buf_puts(out, ";\nif (failed) {\n");
	} else {
		buf_puts(out, "if (!(");
		put_expr(x, s->assert_.cond);
		buf_puts(out, ")) {\n");
	}
	buf_puts(out, "fprintf(stderr, \"%s\\n\", ");
	bang_put_string(out, s->assert_.message);
	buf_puts(out, call ? ");\nreturn 1;\n}\n}\n" : ");\nreturn 1;\n}\n");
}

static void
put_eval(struct scalar *x, const tir_stmt *s)
{
	put_expr(x, s->eval);
	buf_puts(x->k->out, ";\n");
}

static void
put(struct scalar *x, const tir_stmt *s, size_t depth, int64_t times)
{
	switch (s->kind) {
	case TIR_STORE:
		put_store(x, s, depth, times);
		break;
	case TIR_FOR:
		put_for(x, s, depth, times);
		break;
	case TIR_IF:
		put_if(x, s, depth, times);
		break;
	case TIR_SEQ:
		for (uint32_t i = 0; i < s->seq.n; i++)
			put(x, s->seq.at[i], depth, times);
		break;
	case TIR_LET_STMT:
		put_let(x, s, depth, times);
		break;
	case TIR_ALLOC:
		put_alloc(x, s, depth, times);
		break;
	case TIR_WHILE:
		put_while(x, s, depth, times);
		break;
	case TIR_RETURN:
		break;
	case TIR_ASSERT:
		if (x->names.on_host)
			put_assert(x, s);
		else if (calls_routine(s->assert_.cond))
			refuse_routine(x, s);
		break;
	case TIR_EVAL:
		if (x->names.on_host)
			put_eval(x, s);
		else
			refuse_routine(x, s);
		break;
	case TIR_CALL_FUNC:
		x->ok = false;
		break;
	}
}

bool
bang_put_scalar(struct bang_kernel *k, const tir_stmt *s)
{
	struct scalar x = {.k = k, .ok = true};
	bool alone = !k->alone &&
		     (s->kind != TIR_FOR || s->loop.kind != TIR_PARALLEL);
	size_t mark = k->out->len;

	x.shared = k->alone;
	if (alone) {
		buf_puts(k->out, "    if (taskId == 0) {\n");
		x.shared = true;
	}
	put(&x, s, alone ? 6 : 4, 1);
	if (alone)
		buf_puts(k->out, "    }\n");
	if (!x.ok)
		k->out->len = mark;
	vec_free(&x.names);
	return x.ok;
}

bool
bang_put_host_body(struct bang_kernel *k)
{
	struct scalar x = {.k = k, .ok = true, .shared = true};

	x.names.on_host = true;
	put(&x, k->func->body, 2, 1);
	vec_free(&x.names);
	return x.ok;
}
