/*
 * Entry kernels: primitives called one after the other, with a barrier before
 * each that touches what another task may have written.
 */
#include <inttypes.h>

#include "codegen/bangc/internal.h"

/* Bytes of a parameter of main, or of SRAM (NULL). */
struct range {
	const struct tir_buffer *buffer;
	int64_t from, to;
};

struct ranges {
	struct range *at;
	size_t len, cap;
};

struct entry {
	struct ranges read, written; /* since the last barrier */
};

static int64_t
bytes_of(const struct tir_buffer *b)
{
	return b->size * ((b->dtype.bits + 7) / 8);
}

static bool
overlaps(const struct ranges *all, struct range r)
{
	for (size_t i = 0; i < all->len; i++)
		if (all->at[i].buffer == r.buffer && all->at[i].from < r.to &&
		    r.from < all->at[i].to)
			return true;
	return false;
}

/* The bytes that operand I of C is, of device memory or SRAM (NULL). */
static struct range
range_of(const struct bang_call *c, uint32_t i)
{
	const tir_expr *a = c->stmt->call.args[i];
	int64_t n = bytes_of(c->kernel->func->params[i].buffer);

	if (c->sram && c->sram[i] >= 0)
		return (struct range){NULL, c->sram[i], c->sram[i] + n};
	return (struct range){a->buffer, a->arg[0]->i, a->arg[0]->i + n};
}

/* Does the call C touch what was written since the last barrier, ...? */
static bool
needs_barrier(struct entry *x, const struct bang_call *c)
{
	const tir_func *f = c->kernel->func;
	struct bang_buffers read = {0}, written = {0};
	bool needs = false;

	bang_collect(f, &read, &written);
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < f->nparams; i++) {
			const struct tir_buffer *b = f->params[i].buffer;
			struct range r = range_of(c, i);

			if (!bang_text_mentions(c->kernel->body, b->name))
				continue;
			if (pass == 0) {
				needs |= overlaps(&x->written, r) ||
					 (bang_has(&written, b) &&
					  overlaps(&x->read, r));
				continue;
			}
			if (bang_has(&written, b))
				vec_push(&x->written, r);
			if (bang_has(&read, b))
				vec_push(&x->read, r);
		}
		if (needs && pass == 0)
			x->read.len = x->written.len = 0;
	}
	bang_buffers_free(&read);
	bang_buffers_free(&written);
	return needs;
}

static void
put_call(struct buf *out, const struct bang_network *n,
	 const struct bang_call *c)
{
	buf_printf(out, "  %s(", c->kernel->name);
	for (uint32_t i = 0; i < c->kernel->func->nparams; i++) {
		buf_puts(out, i ? ", " : "");
		bang_put_arg(out, n, c, i);
	}
	buf_puts(out, ");\n");
}

/* Which steps of how many these are, if not all. */
static void
put_place(struct buf *out, const struct bang_network *n,
	  const struct bang_part *p)
{
	if (n->nparts < 2)
		return;
	buf_printf(out, p->n == 1 ? "\n/* Call %zu" : "\n/* Calls %zu to %zu",
		   p->first + 1, p->first + p->n);
	buf_printf(out, " of %zu; %" PRId64 " bytes come from those before. */",
		   n->ncalls, p->crosses);
}

void
bang_put_entry(struct buf *out, const struct bang_network *n,
	       const struct bang_part *p)
{
	struct entry x = {0};

	put_place(out, n, p);
	buf_printf(out, "\n__mlu_entry__ void %s(", p->name);
	bang_put_params(out, n, p->params);
	buf_puts(out, ") {\n  if (__is_mpu()) return;\n");
	for (size_t i = p->first; i < p->first + p->n; i++) {
		if (needs_barrier(&x, &n->calls[i]))
			buf_puts(out, "  __sync_all_ipu();\n");
		put_call(out, n, &n->calls[i]);
	}
	buf_puts(out, "}\n");
	vec_free(&x.read);
	vec_free(&x.written);
}
