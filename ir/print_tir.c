/*
 * Loops as text; the grammar is in ir/tir.h.
 */
#include "ir/print.h"
#include "ir/print_tir.h"

/* Lists in the head of a function go on after this column. */
enum { HEAD_WIDTH = 130, BODY_WIDTH = 80 };

static const char *const for_kinds[] = {
	[TIR_SERIAL] = "",
	[TIR_PARALLEL] = " \"parallel\"",
	[TIR_VECTORIZED] = " \"vectorized\"",
	[TIR_UNROLLED] = " \"unroll\"",
};

const char *const tir_scope_names[] = {
	[TIR_GLOBAL] = "global", [TIR_STACK] = "stack", [TIR_LOCAL] = "local",
	[TIR_REG] = "local.reg", [TIR_NRAM] = "nram",   [TIR_WRAM] = "wram",
	[TIR_SHARED] = "shared",
};

static void put_stmt(struct buf *out, struct tir_names *n, const tir_stmt *s,
		     size_t indent);

static bool
is_simple(const tir_stmt *s)
{
	return s->kind == TIR_STORE || s->kind == TIR_EVAL ||
	       s->kind == TIR_CALL_FUNC || s->kind == TIR_ASSERT ||
	       s->kind == TIR_RETURN;
}

/* "{ ... }" after a head that began at LINE in OUT. */
static void
put_block(struct buf *out, struct tir_names *n, const tir_stmt *s,
	  size_t indent, size_t line)
{
	struct buf one = {0};

	if (s->kind == TIR_SEQ && s->seq.n == 1)
		s = s->seq.at[0];
	if (is_simple(s)) {
		put_stmt(&one, n, s, 0);
		if (out->len - line + one.len + 4 <= BODY_WIDTH) {
			buf_printf(out, " { %.*s }", (int)one.len - 1, one.at);
			buf_free(&one);
			return;
		}
		buf_free(&one);
	}
	buf_puts(out, " {\n");
	put_stmt(out, n, s, indent + 2);
	buf_fill(out, ' ', indent);
	buf_putc(out, '}');
}

static void
put_store(struct buf *out, struct tir_names *n, const tir_stmt *s)
{
	buf_printf(out, "%s[", s->store.buffer->name);
	tir_put_expr(out, n, s->store.index);
	buf_puts(out, "] = ");
	tir_put_expr(out, n, s->store.value);
	if (s->store.mask) {
		buf_puts(out, " where ");
		tir_put_expr(out, n, s->store.mask);
	}
	buf_puts(out, ";");
}

/* MIN + EXTENT as a number, a plain extent, or a sum. */
static void
put_end(struct buf *out, struct tir_names *n, const tir_expr *min,
	const tir_expr *extent)
{
	if (min->kind == TIR_INT && extent->kind == TIR_INT) {
		tir_expr end = *extent;

		end.i = min->i + extent->i;
		tir_put_expr(out, n, &end);
		return;
	}
	if (!tir_is_const_int(min, 0)) {
		tir_put_expr(out, n, min);
		buf_puts(out, " + ");
	}
	tir_put_expr(out, n, extent);
}

static void
put_for(struct buf *out, struct tir_names *n, const tir_stmt *s, size_t indent,
	size_t line)
{
	char text[DTYPE_TEXT];
	struct buf range = {0};

	tir_put_expr(&range, n, s->loop.min);
	buf_puts(&range, ", ");
	put_end(&range, n, s->loop.min, s->loop.extent);
	buf_printf(out, "for (%s: %s, %s)%s", tir_names_push(n, s->loop.var),
		   dtype_text(s->loop.var->dtype, text), range.at,
		   for_kinds[s->loop.kind]);
	buf_free(&range);
	put_block(out, n, s->loop.body, indent, line);
	tir_names_pop(n);
}

static void
put_if(struct buf *out, struct tir_names *n, const tir_stmt *s, size_t indent,
       size_t line)
{
	buf_puts(out, "if ");
	tir_put_expr(out, n, s->if_.cond);
	put_block(out, n, s->if_.then_, indent, s->if_.else_ ? 0 : line);
	if (s->if_.else_) {
		buf_puts(out, " else");
		put_block(out, n, s->if_.else_, indent, 0);
	}
}

static void
put_let(struct buf *out, struct tir_names *n, const tir_stmt *s, size_t indent)
{
	char text[DTYPE_TEXT];
	struct buf value = {0};

	tir_put_expr(&value, n, s->let.value);
	buf_printf(out, "let %s: %s = %s", tir_names_push(n, s->let.var),
		   dtype_text(s->let.var->dtype, text), value.at);
	buf_free(&value);
	put_block(out, n, s->let.body, indent, 0);
	tir_names_pop(n);
}

/* Elements of B. */
static void
put_size(struct buf *out, struct tir_names *n, const struct tir_buffer *b)
{
	if (b->extent)
		tir_put_expr(out, n, b->extent);
	else
		buf_int(out, b->size);
}

static void
put_alloc(struct buf *out, struct tir_names *n, const tir_stmt *s,
	  size_t indent)
{
	const struct tir_buffer *b = s->alloc.buffer;
	char text[DTYPE_TEXT];

	dtype_text(b->dtype, text);
	buf_printf(out, "allocate(%s: Pointer(%s), %s, [", b->name, text, text);
	put_size(out, n, b);
	buf_printf(out, "]), storage_scope = \"%s\"",
		   tir_scope_names[b->scope]);
	put_block(out, n, s->alloc.body, indent, 0);
}

static void
put_call(struct buf *out, struct tir_names *n, const tir_stmt *s)
{
	buf_printf(out, "@%s(", s->call.func);
	for (uint32_t i = 0; i < s->call.n; i++) {
		if (i)
			buf_puts(out, ", ");
		tir_put_expr(out, n, s->call.args[i]);
	}
	buf_puts(out, ");");
}

static void
put_stmt(struct buf *out, struct tir_names *n, const tir_stmt *s, size_t indent)
{
	size_t line = out->len;

	if (s->kind == TIR_SEQ) {
		for (uint32_t i = 0; i < s->seq.n; i++)
			put_stmt(out, n, s->seq.at[i], indent);
		return;
	}
	buf_fill(out, ' ', indent);
	switch (s->kind) {
	case TIR_STORE:
		put_store(out, n, s);
		break;
	case TIR_FOR:
		put_for(out, n, s, indent, line);
		break;
	case TIR_WHILE:
		buf_puts(out, "while ");
		tir_put_expr(out, n, s->while_.cond);
		put_block(out, n, s->while_.body, indent, 0);
		break;
	case TIR_IF:
		put_if(out, n, s, indent, line);
		break;
	case TIR_LET_STMT:
		put_let(out, n, s, indent);
		break;
	case TIR_ALLOC:
		put_alloc(out, n, s, indent);
		break;
	case TIR_EVAL:
		tir_put_expr(out, n, s->eval);
		buf_putc(out, ';');
		break;
	case TIR_ASSERT:
		buf_puts(out, "assert(");
		tir_put_expr(out, n, s->assert_.cond);
		buf_puts(out, ", ");
		tir_put_string(out, s->assert_.message);
		buf_puts(out, ");");
		break;
	case TIR_RETURN:
		buf_puts(out, "return ");
		tir_put_expr(out, n, s->ret);
		buf_putc(out, ';');
		break;
	case TIR_CALL_FUNC:
		put_call(out, n, s);
		break;
	case TIR_SEQ:
		break;
	}
	buf_putc(out, '\n');
}

static void
put_attrs(struct buf *out, const tir_func *f, const struct tir_meta *meta)
{
	const char *sep = "";

	buf_puts(out, "  attr = {");
	if (f->relay_type) {
		buf_puts(out, "\"relay.type\": ");
		ir_print_type(out, f->relay_type);
		sep = ", ";
	}
	for (uint32_t i = 0; f->attrs && i < f->attrs->n; i++) {
		buf_puts(out, sep);
		tir_put_string(out, f->attrs->entry[i].key);
		buf_puts(out, ": ");
		tir_put_attr(out, &f->attrs->entry[i].value, meta);
		sep = ", ";
	}
	buf_puts(out, "}\n");
}

static void
put_buffer(struct buf *out, struct tir_names *n, const struct tir_buffer *b)
{
	char text[DTYPE_TEXT];

	dtype_text(b->dtype, text);
	buf_printf(out, "%s: Buffer(%s_2: Pointer(%s), %s, [", b->name, b->name,
		   text, text);
	put_size(out, n, b);
	buf_puts(out, "], []");
	if (b->align)
		buf_printf(out, ", align=%u", b->align);
	buf_putc(out, ')');
}

static void
put_buffers(struct buf *out, struct tir_names *names, const tir_func *f)
{
	static const char head[] = "  buffers = {";
	size_t line = out->len;
	bool first = true;

	buf_puts(out, head);
	for (uint32_t i = 0; i < f->nparams; i++) {
		struct buf one = {0};

		if (!f->params[i].buffer)
			continue;
		put_buffer(&one, names, f->params[i].buffer);
		if (!first)
			buf_putc(out, ',');
		if (!first && out->len - line + one.len + 2 > HEAD_WIDTH) {
			buf_putc(out, '\n');
			line = out->len;
			buf_fill(out, ' ', sizeof(head) - 1);
		} else if (!first) {
			buf_putc(out, ' ');
		}
		buf_put(out, one.at, one.len);
		buf_free(&one);
		first = false;
	}
	buf_puts(out, "}\n");
}

void
tir_print_func(struct buf *out, const tir_func *f)
{
	tir_print_func_with(out, f, NULL);
}

void
tir_print_func_with(struct buf *out, const tir_func *f,
		    const struct tir_meta *meta)
{
	struct tir_names names = {0};
	const char *sep = "";

	buf_printf(out, "primfn @%s(", f->name);
	for (uint32_t i = 0; i < f->nparams; i++)
		buf_printf(out, "%s%s: handle", i ? ", " : "",
			   tir_names_push(&names, f->params[i].var));
	buf_puts(out, ") -> int32\n");
	put_attrs(out, f, meta);
	put_buffers(out, &names, f);
	buf_puts(out, "  buffer_map = {");
	for (uint32_t i = 0; i < f->nparams; i++) {
		if (!f->params[i].buffer)
			continue;
		buf_printf(out, "%s%s: %s", sep, names.live.at[i].name,
			   f->params[i].buffer->name);
		sep = ", ";
	}
	buf_puts(out, "} {\n");
	put_stmt(out, &names, f->body, 2);
	buf_puts(out, "}\n");
	tir_names_free(&names);
}
