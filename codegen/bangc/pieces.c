/*
 * Steps that copy rows of an array as they are, or fill them with one number:
 * the parts of a split, slices, borders. Each is one call of relay_copy_rows,
 * and many equal ones are a loop.
 */
#include <inttypes.h>

#include "codegen/bangc/rows.h"

/*
 * Rows shorter than that are better loaded together; bytes from one to the
 * next; copies that a loop is worth.
 */
enum { LEAST_BYTES = 64, MOST_STEP = 1 << 30, LEAST_ALIKE = 4 };

struct rows_copy {
	int64_t to, from; /* the first element */
	int64_t to_step, from_step;
	int64_t rows, n;
};

/* The strides of what N writes and of what it copies, if it does, along V. */
static bool
strides_of(const struct bang_nest *n, const struct tir_var *v, int64_t *to,
	   int64_t *from)
{
	*from = 0;
	return bang_stride(n->index, v, to) &&
	       (n->value->kind != TIR_LOAD ||
		bang_stride(n->value->arg[0], v, from));
}

/* The loop L of N, which is around those that C has. */
static bool
add_loop(struct rows_copy *c, const struct bang_nest *n,
	 const struct bang_loop *l)
{
	bool copies = n->value->kind == TIR_LOAD;
	int64_t to, from;

	if (!strides_of(n, l->var, &to, &from) || l->extent <= 0)
		return false;
	c->to += to * l->min;
	c->from += from * l->min;
	if (l->extent == 1)
		return true;
	if (c->rows == 1 && to == c->n && (!copies || from == c->n)) {
		c->n *= l->extent;
		return true;
	}
	if (c->rows > 1 && to == c->to_step * c->rows &&
	    (!copies || from == c->from_step * c->rows)) {
		c->rows *= l->extent;
		return true;
	}
	if (c->rows > 1 || to < c->n || from < 0)
		return false;
	c->rows = l->extent;
	c->to_step = to;
	c->from_step = from;
	return true;
}

static bool
is_small(const struct rows_copy *c, int64_t size)
{
	return c->to_step * size < MOST_STEP &&
	       c->from_step * size < MOST_STEP && c->n * size < MOST_STEP &&
	       c->rows * c->n < INT32_MAX;
}

/* N writes rows of what it reads, or of one number. */
static bool
rows_of(const struct bang_nest *n, struct rows_copy *c)
{
	struct dtype t = n->buffer->dtype;
	bool copies = n->value->kind == TIR_LOAD;

	*c = (struct rows_copy){.rows = 1, .n = 1};
	if (n->reduce || t.lanes != 1 || !bang_type(t) ||
	    !dtype_equal(n->value->dtype, t) ||
	    !bang_origin(n->index, &c->to) ||
	    (copies && !bang_origin(n->value->arg[0], &c->from)))
		return false;
	for (uint32_t i = n->nloops; i-- > 0;)
		if (!add_loop(c, n, &n->loops[i]))
			return false;
	return is_small(c, t.bits >= 8 ? t.bits / 8 : 1);
}

static bool
rows_copy_of(const struct bang_nest *n, struct rows_copy *c)
{
	int64_t bits = n->buffer->dtype.bits;

	return n->value->kind == TIR_LOAD && rows_of(n, c) &&
	       (c->rows == 1 ||
		c->n * (bits >= 8 ? bits / 8 : 1) >= LEAST_BYTES);
}

bool
bang_is_copy(const struct bang_nest *n)
{
	struct rows_copy c;

	return rows_copy_of(n, &c);
}

static void
put_place(struct buf *out, const char *name, int64_t at, int64_t step)
{
	buf_puts(out, name);
	if (at)
		buf_printf(out, " %c %" PRId64, at < 0 ? '-' : '+',
			   at < 0 ? -at : at);
	buf_printf(out, ", %" PRId64 ", ", step);
}

/* The call for C from FROM_NAME to TO. */
static void
put_call(struct bang_kernel *k, const struct bang_nest *n,
	 const struct rows_copy *c, const char *to, const char *from)
{
	buf_printf(k->out, "    done = relay_copy_rows<%s, %s>(done, ",
		   bang_load_direction(k, n->value->buffer),
		   bang_store_direction(k, n->buffer));
	put_place(k->out, to, c->to, c->to_step);
	put_place(k->out, from, c->from, c->from_step);
	buf_printf(k->out, "%" PRId64 ", %" PRId64 ");\n", c->rows, c->n);
}

/* Is B what A is, STEP elements further in the same array? */
static bool
goes_on(const struct bang_kernel *k, const struct bang_nest *an,
	const struct rows_copy *a, const struct bang_nest *bn,
	const struct rows_copy *b, int64_t step)
{
	return an->value->buffer == bn->value->buffer &&
	       dtype_equal(an->buffer->dtype, bn->buffer->dtype) &&
	       bang_in_sram(k, an->buffer) == bang_in_sram(k, bn->buffer) &&
	       a->to == b->to && a->to_step == b->to_step &&
	       a->from_step == b->from_step && a->rows == b->rows &&
	       a->n == b->n && b->from - a->from == step;
}

/* How many of the N statements AT are alike; C: the first, STEP from then on. */
static uint32_t
alike(struct bang_kernel *k, tir_stmt *const *at, uint32_t n,
      const struct bang_nest *first, const struct rows_copy *c, int64_t *step)
{
	struct rows_copy last = *c, next;
	struct bang_nest nest;
	uint32_t i = 1;

	for (;
	     i < n && bang_nest_of(at[i], &nest) && rows_copy_of(&nest, &next);
	     i++) {
		if (i == 1)
			*step = next.from - c->from;
		if (!goes_on(k, first, &last, &nest, &next, *step))
			break;
		last = next;
	}
	return i;
}

/* N copies that are alike, as a loop over a table of what they write. */
static void
put_loop(struct bang_kernel *k, tir_stmt *const *at, uint32_t n,
	 const struct bang_nest *first, const struct rows_copy *c, int64_t step)
{
	struct bang_nest nest;

	buf_printf(k->out, "    %s *const parts_%u[] = {",
		   bang_type(first->buffer->dtype), k->nparts);
	for (uint32_t i = 0; i < n && bang_nest_of(at[i], &nest); i++)
		buf_printf(k->out, "%s%s", i ? ", " : "", nest.buffer->name);
	buf_printf(k->out, "};\n    for (int i = 0; i < %u; i++)\n  ", n);
	put_call(k, first, c,
		 arena_printf(k->arena, "parts_%u[i]", k->nparts++),
		 arena_printf(k->arena, "%s + i * %" PRId64,
			      first->value->buffer->name, step));
}

bool
bang_put_copies(struct bang_kernel *k, tir_stmt *const *at, uint32_t n)
{
	size_t mark = k->out->len;

	buf_puts(k->out, "    int done = 0;\n");
	for (uint32_t i = 0, some; i < n; i += some) {
		struct bang_nest nest;
		struct rows_copy c;
		int64_t step = 0;

		if (!bang_nest_of(at[i], &nest) || !rows_copy_of(&nest, &c)) {
			k->out->len = mark;
			return false;
		}
		some = alike(k, at + i, n - i, &nest, &c, &step);
		if (some >= LEAST_ALIKE) {
			put_loop(k, at + i, some, &nest, &c, step);
			continue;
		}
		put_call(k, &nest, &c, nest.buffer->name,
			 nest.value->buffer->name);
		some = 1;
	}
	return true;
}

static bool
is_number(const struct bang_nest *n)
{
	struct dtype t = n->buffer->dtype;

	return (n->value->kind == TIR_INT || n->value->kind == TIR_FLOAT) &&
	       !dtype_is_bool(t) && t.bits <= 32;
}

/* A part that stores one number. */
static void
put_fill(struct bang_kernel *k, const struct bang_nest *n,
	 const struct rows_copy *c, bool *ok)
{
	buf_printf(k->out, "    done = relay_fill_rows<%s>(done, ",
		   bang_store_direction(k, n->buffer));
	put_place(k->out, n->buffer->name, c->to, c->to_step);
	buf_printf(k->out, "%" PRId64 ", %" PRId64 ", (%s)(", c->rows, c->n,
		   bang_type(n->buffer->dtype));
	*ok &= bang_put_expr(k->out, n->value, NULL);
	buf_puts(k->out, "));\n");
}

bool
bang_put_pieces(struct bang_kernel *k, const tir_stmt *s)
{
	struct rows *r = ARENA_NEW(k->arena, struct rows);
	size_t mark = k->out->len;
	bool ok = rows_parts_of(r, k, s);

	buf_puts(k->out, "    int done = 0;\n");
	for (unsigned i = 0; ok && i < r->nsteps; i++) {
		const struct bang_nest *n = &r->steps[i].nest;
		struct rows_copy c;

		ok = (n->value->kind == TIR_LOAD || is_number(n)) &&
		     rows_of(n, &c);
		if (ok && is_number(n))
			put_fill(k, n, &c, &ok);
		else if (ok)
			put_call(k, n, &c, n->buffer->name,
				 n->value->buffer->name);
	}
	if (!ok)
		k->out->len = mark;
	return ok;
}
