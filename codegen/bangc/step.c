/*
 * A kernel as steps, with barriers between those that share arrays.
 */
#include <inttypes.h>
#include <string.h>

#include "codegen/bangc/rows.h"

/* Steps that are tried as one run; copies that are one step. */
enum { MOST_TOGETHER = 12, LEAST_COPIES = 2 };

struct stepper {
	struct bang_kernel *k;
	struct bang_buffers read; /* since the last barrier */
	struct bang_buffers written;
	VEC(tir_stmt *) items;
	bool ok;
};

bool
bang_has(const struct bang_buffers *s, const struct tir_buffer *b)
{
	return ptrmap_find(&s->has, b) != NULL;
}

void
bang_add_buffer(struct bang_buffers *s, const struct tir_buffer *b)
{
	bool is_new;

	ptrmap_add(&s->has, b, &is_new);
	if (is_new)
		vec_push(s, b);
}

void
bang_buffers_free(struct bang_buffers *s)
{
	vec_free(s);
	ptrmap_free(&s->has);
}

static void
collect_reads(const tir_expr *e, struct bang_buffers *read)
{
	if (e->kind == TIR_LOAD || e->kind == TIR_ADDRESS_OF)
		bang_add_buffer(read, e->buffer);
	for (uint32_t i = 0; i < e->n; i++)
		collect_reads(e->arg[i], read);
}

/* What S reads and writes. Nesting is bounded by the loops of operators. */
static void
collect(const tir_stmt *s, struct bang_buffers *read,
	struct bang_buffers *written)
{
	switch (s->kind) {
	case TIR_STORE:
		bang_add_buffer(written, s->store.buffer);
		collect_reads(s->store.index, read);
		collect_reads(s->store.value, read);
		break;
	case TIR_FOR:
		collect(s->loop.body, read, written);
		break;
	case TIR_WHILE:
		collect_reads(s->while_.cond, read);
		collect(s->while_.body, read, written);
		break;
	case TIR_IF:
		collect_reads(s->if_.cond, read);
		collect(s->if_.then_, read, written);
		if (s->if_.else_)
			collect(s->if_.else_, read, written);
		break;
	case TIR_LET_STMT:
		collect_reads(s->let.value, read);
		collect(s->let.body, read, written);
		break;
	case TIR_ALLOC:
		collect(s->alloc.body, read, written);
		break;
	case TIR_SEQ:
		for (uint32_t i = 0; i < s->seq.n; i++)
			collect(s->seq.at[i], read, written);
		break;
	case TIR_EVAL:
		collect_reads(s->eval, read);
		break;
	case TIR_ASSERT:
		if (bang_call_of(s))
			bang_collect_call(bang_call_of(s), read, written);
		break;
	case TIR_RETURN:
	case TIR_CALL_FUNC:
		break;
	}
}

void
bang_collect(const tir_func *f, struct bang_buffers *read,
	     struct bang_buffers *written)
{
	collect(f->body, read, written);
}

static bool
any_in(const struct bang_buffers *a, const struct bang_buffers *b)
{
	for (size_t i = 0; i < a->len; i++)
		if (bang_has(b, a->at[i]))
			return true;
	return false;
}

/* A barrier, if a step touches what others since the last one did. */
static void
put_barrier_for(struct stepper *x, const struct bang_buffers *read,
		const struct bang_buffers *written)
{
	if (any_in(read, &x->written) || any_in(written, &x->written) ||
	    any_in(written, &x->read)) {
		buf_puts(x->k->out, "  __sync_all_ipu();\n");
		x->k->barriers = true;
		bang_buffers_free(&x->read);
		bang_buffers_free(&x->written);
	}
	for (size_t i = 0; i < read->len; i++)
		bang_add_buffer(&x->read, read->at[i]);
	for (size_t i = 0; i < written->len; i++)
		bang_add_buffer(&x->written, written->at[i]);
}

static void
put_barrier(struct stepper *x, const tir_stmt *s)
{
	struct bang_buffers read = {0}, written = {0};

	collect(s, &read, &written);
	put_barrier_for(x, &read, &written);
	bang_buffers_free(&read);
	bang_buffers_free(&written);
}

/* The same for a run on rows, most of whose arrays are its own. */
static void
put_rows_barrier(struct stepper *x, const struct rows *r)
{
	struct bang_buffers read = {0}, written = {0};

	for (unsigned i = 0; i < r->narrays; i++) {
		const struct rows_array *a = &r->arrays[i];

		if (a->kind == ROWS_OUT)
			bang_add_buffer(&written, a->buffer);
		else if (a->kind != ROWS_TEMP && !a->fill)
			bang_add_buffer(&read, a->buffer);
	}
	for (unsigned i = 0; i < r->nsteps; i++)
		if (r->steps[i].copies)
			bang_add_buffer(&read, r->steps[i].nest.value->buffer);
	put_barrier_for(x, &read, &written);
	bang_buffers_free(&read);
	bang_buffers_free(&written);
}

static const char *put_by_some_means(struct bang_kernel *k, const tir_stmt *s);

/* The number of S's parts that go together from the first on: 1 or 2. */
static uint32_t
together(tir_stmt *const *at, uint32_t n, tir_stmt *pair)
{
	struct bang_nest nest;

	*pair = (tir_stmt){.kind = TIR_SEQ};
	pair->seq.at = (tir_stmt **)(uintptr_t)at;
	pair->seq.n = 2;
	return n > 1 && at[0]->kind == TIR_STORE && at[1]->kind == TIR_FOR &&
			       (bang_nest_of(pair, &nest) ||
				bang_int_sum_of(pair, &nest))
		       ? 2
		       : 1;
}

/*
 * A loop whose points don't depend on each other and that holds more than one
 * statement: tasks share out the points and do each alone.
 */
static bool
put_group(struct bang_kernel *k, const tir_stmt *s)
{
	const tir_stmt *body = s->loop.body;
	size_t mark = k->out->len;
	bool ok = true;

	if (s->kind != TIR_FOR || s->loop.kind != TIR_PARALLEL || k->alone ||
	    body->kind != TIR_SEQ || s->loop.min->kind != TIR_INT ||
	    s->loop.extent->kind != TIR_INT)
		return false;
	buf_printf(k->out,
		   "    for (int %s = %" PRId64 " + taskId; %s < %" PRId64
		   "; %s += taskDim) {\n",
		   s->loop.var->name, s->loop.min->i, s->loop.var->name,
		   s->loop.min->i + s->loop.extent->i, s->loop.var->name);
	k->alone = true;
	for (uint32_t i = 0, n; ok && i < body->seq.n; i += n) {
		tir_stmt pair;

		n = together(body->seq.at + i, body->seq.n - i, &pair);
		buf_puts(k->out, "    {\n");
		ok = put_by_some_means(k, n == 2 ? &pair : body->seq.at[i]) !=
		     NULL;
		buf_puts(k->out, "    }\n");
		k->nsteps++;
	}
	k->alone = false;
	buf_puts(k->out, "    }\n");
	if (!ok)
		k->out->len = mark;
	return ok;
}

static const char *
put_by_some_means(struct bang_kernel *k, const tir_stmt *s)
{
	tir_stmt *at = (tir_stmt *)(uintptr_t)s;
	struct bang_nest n;

	if (bang_nest_of(s, &n)) {
		if (!n.reduce && bang_put_vector(k, &n))
			return "vectors";
		if (n.reduce && bang_put_fold(k, &n))
			return "vectors, folded";
	} else if (bang_int_sum_of(s, &n)) {
		if (bang_put_fold(k, &n))
			return "vectors, folded";
	} else if (put_group(k, s)) {
		return "in parts";
	}
	if (bang_put_routine(k, s))
		return "a routine";
	if (!k->alone && (bang_put_copies(k, &at, 1) || bang_put_pieces(k, s)))
		return "copies";
	return bang_put_scalar(k, s) ? "element by element" : NULL;
}

static void
put_body(struct stepper *x, const char *how, const char *body,
	 int64_t scalar_ops)
{
	buf_printf(x->k->out, "  { /* %s */\n", how);
	if (scalar_ops)
		buf_printf(x->k->out,
			   "    if (taskId == 0) RELAY_SCALAR_OPS(%" PRId64
			   ");\n",
			   scalar_ops);
	buf_puts(x->k->out, body);
	buf_puts(x->k->out, "  }\n");
}

static void
put_step(struct stepper *x, const tir_stmt *s)
{
	struct bang_kernel *k = x->k;
	struct buf *out = k->out, body = {0};
	const char *how;
	int64_t before = k->scalar_ops;

	put_barrier(x, s);
	k->nsteps++;
	k->out = &body;
	how = put_by_some_means(k, s);
	k->out = out;
	if (how)
		put_body(x, how, bang_text(&body), k->scalar_ops - before);
	x->ok &= how != NULL;
	buf_free(&body);
}

/* The only array that S writes, if S does not read it; or NULL. */
static const struct tir_buffer *
only_target(const tir_stmt *s)
{
	struct bang_buffers read = {0}, written = {0};
	const struct tir_buffer *b = NULL;

	collect(s, &read, &written);
	if (written.len == 1 && !bang_has(&read, written.at[0]))
		b = written.at[0];
	bang_buffers_free(&read);
	bang_buffers_free(&written);
	return b;
}

/* The number of statements from AT on that write parts of one array. */
static uint32_t
parts_of_one(tir_stmt *const *at, uint32_t n)
{
	const struct tir_buffer *b = only_target(at[0]);
	uint32_t parts = 1;

	while (b && parts < n && only_target(at[parts]) == b)
		parts++;
	return parts;
}

/* S's statements one after the other; what goes together is one. */
static void
flatten(struct stepper *x, tir_stmt *s)
{
	if (s->kind == TIR_RETURN)
		return;
	if (s->kind != TIR_SEQ) {
		vec_push(&x->items, s);
		return;
	}
	for (uint32_t i = 0, n; i < s->seq.n; i += n) {
		tir_stmt *pair = ARENA_NEW(x->k->arena, tir_stmt);

		n = together(s->seq.at + i, s->seq.n - i, pair);
		if (n == 1)
			n = parts_of_one(s->seq.at + i, s->seq.n - i);
		pair->seq.n = n;
		if (n > 1)
			vec_push(&x->items, pair);
		else
			flatten(x, s->seq.at[i]);
	}
}

/* S, or each of its parts if there are some that make no loops together. */
static void
put_steps(struct stepper *x, const tir_stmt *s)
{
	struct bang_nest n;

	if (s->kind != TIR_SEQ || bang_nest_of(s, &n) ||
	    bang_int_sum_of(s, &n)) {
		put_step(x, s);
		return;
	}
	for (uint32_t i = 0; i < s->seq.n; i++)
		put_step(x, s->seq.at[i]);
}

/* A product that the unit for matrices may take. */
static bool
product_nest(const tir_stmt *s, struct bang_nest *n)
{
	return bang_int_sum_of(s, n) || (bang_nest_of(s, n) && n->reduce);
}

/* Does it take that? */
static bool
is_product(struct bang_kernel *k, const tir_stmt *s)
{
	struct bang_kernel trial = *k;
	struct buf text = {0}, defines = {0}, helpers = {0};
	struct bang_nest n;
	bool does;

	trial.out = &text;
	trial.defines = &defines;
	trial.helpers = &helpers;
	does = product_nest(s, &n) && bang_put_product(&trial, NULL, &n, NULL);
	buf_free(&text);
	buf_free(&defines);
	buf_free(&helpers);
	return does;
}

static bool
touches(const tir_stmt *s, const struct tir_buffer *b, bool writing)
{
	struct bang_buffers read = {0}, written = {0};
	bool does;

	collect(s, &read, &written);
	does = bang_has(writing ? &written : &read, b);
	bang_buffers_free(&read);
	bang_buffers_free(&written);
	return does;
}

static bool
reads(const tir_stmt *s, const struct tir_buffer *b)
{
	return touches(s, b, false);
}

static bool
writes(const tir_stmt *s, const struct tir_buffer *b)
{
	return touches(s, b, true);
}

/* The only item from FIRST on that reads B, which is a temporary; or none. */
static size_t
only_reader(const struct stepper *x, size_t first, const struct tir_buffer *b)
{
	size_t found = x->items.len;

	if (!bang_is_temporary(x->k, b))
		return found;
	for (size_t i = first; i < x->items.len; i++)
		if (reads(x->items.at[i], b)) {
			if (found != x->items.len)
				return x->items.len;
			found = i;
		}
	return found;
}

/* The items from FIRST on, N of them, on rows kept on the chip. */
static bool
put_run(struct stepper *x, size_t first, uint32_t n)
{
	struct rows *r = ARENA_NEW(x->k->arena, struct rows);
	struct bang_buffers later = {0}, unused = {0};
	struct buf *out = x->k->out, body = {0};
	int64_t before = x->k->scalar_ops;
	bool ok;

	for (size_t i = first + n; i < x->items.len; i++)
		collect(x->items.at[i], &later, &unused);
	ok = rows_plan(r, x->k, x->items.at + first, n, &later);
	x->k->nsteps += ok;
	x->k->out = &body;
	ok = ok && rows_put(r);
	x->k->out = out;
	if (ok) {
		put_rows_barrier(x, r);
		put_body(x, "rows on the chip", bang_text(&body),
			 x->k->scalar_ops - before);
	}
	bang_buffers_free(&later);
	bang_buffers_free(&unused);
	buf_free(&body);
	return ok;
}

/*
 * The number of items from FIRST to END that copy rows of what none of them
 * writes to what the kernel gives.
 */
static uint32_t
copies_at(const struct stepper *x, size_t first, size_t end)
{
	struct bang_buffers read = {0}, written = {0};
	size_t i = first;
	struct bang_nest n;

	for (; i < end && bang_nest_of(x->items.at[i], &n) && bang_is_copy(&n);
	     i++) {
		const struct tir_buffer *from = n.value->buffer;

		if (bang_is_temporary(x->k, n.buffer) ||
		    bang_has(&written, from) || bang_has(&read, n.buffer) ||
		    from == n.buffer)
			break;
		bang_add_buffer(&read, from);
		bang_add_buffer(&written, n.buffer);
	}
	bang_buffers_free(&read);
	bang_buffers_free(&written);
	return (uint32_t)(i - first);
}

/* N items that copy, as one step. */
static void
put_copies(struct stepper *x, size_t first, uint32_t n)
{
	struct bang_buffers read = {0}, written = {0};
	struct buf *out = x->k->out, body = {0};

	for (size_t i = first; i < first + n; i++)
		collect(x->items.at[i], &read, &written);
	x->k->nsteps++;
	x->k->out = &body;
	x->ok &= bang_put_copies(x->k, x->items.at + first, n);
	x->k->out = out;
	put_barrier_for(x, &read, &written);
	put_body(x, "copies", bang_text(&body), 0);
	bang_buffers_free(&read);
	bang_buffers_free(&written);
	buf_free(&body);
}

static void put_range(struct stepper *x, size_t first, size_t end,
		      const bool *product);

/* The product at I, with the BORDER before it and the step END after. */
static bool
put_product(struct stepper *x, const tir_stmt *border, size_t i,
	    const tir_stmt *end)
{
	struct bang_kernel *k = x->k;
	struct bang_buffers read = {0}, written = {0};
	struct buf *out = k->out, body = {0};
	int64_t before = k->scalar_ops;
	struct bang_nest n, ends;
	bool ok;

	if (!product_nest(x->items.at[i], &n) ||
	    (end && !bang_nest_of(end, &ends)))
		return false;
	k->nsteps++;
	k->out = &body;
	ok = bang_put_product(k, border, &n, end ? &ends : NULL);
	k->out = out;
	if (ok) {
		if (border)
			collect(border, &read, &written);
		collect(x->items.at[i], &read, &written);
		if (end)
			collect(end, &read, &written);
		put_barrier_for(x, &read, &written);
		put_body(x,
			 border && end ? "matrices, from the border to the end"
			 : border      ? "matrices, with the border"
			 : end         ? "matrices, to the end"
				       : "matrices",
			 bang_text(&body), k->scalar_ops - before);
	} else {
		k->scalar_ops = before;
		k->nsteps--;
	}
	bang_buffers_free(&read);
	bang_buffers_free(&written);
	buf_free(&body);
	return ok;
}

/* Is the item before I a border that it alone reads? */
static const tir_stmt *
border_of(const struct stepper *x, size_t i)
{
	struct bang_nest n;

	if (i == 0 || !product_nest(x->items.at[i], &n))
		return NULL;
	for (uint32_t a = 0; a < n.value->n; a++) {
		const tir_expr *e = n.value->arg[a];

		e = e->kind == TIR_CAST ? e->arg[0] : e;
		if (e->kind == TIR_LOAD &&
		    writes(x->items.at[i - 1], e->buffer) &&
		    only_reader(x, i, e->buffer) == i)
			return x->items.at[i - 1];
	}
	return NULL;
}

/*
 * The product at *I, which may begin with the border at *I, and what follows
 * it: steps between do not read its result and come before it.
 */
static bool
put_product_at(struct stepper *x, size_t *i, size_t limit, const bool *product)
{
	size_t at = *i + !product[*i], end;
	const tir_stmt *border = NULL;
	struct bang_nest n;

	if (at >= limit || !product[at] || !product_nest(x->items.at[at], &n))
		return false;
	if (at != *i && !(border = border_of(x, at)))
		return false;
	end = only_reader(x, at + 1, n.buffer);
	if (end < limit && !product[end]) {
		struct bang_kernel trial = *x->k;
		struct buf text = {0}, defines = {0}, helpers = {0};
		struct bang_nest ends;

		trial.out = &text;
		trial.defines = &defines;
		trial.helpers = &helpers;
		if (!bang_nest_of(x->items.at[end], &ends) ||
		    !bang_put_product(&trial, border, &n, &ends))
			end = limit;
		buf_free(&text);
		buf_free(&defines);
		buf_free(&helpers);
	} else {
		end = limit;
	}
	if (end < limit) {
		put_range(x, at + 1, end, product);
		x->ok &= put_product(x, border, at, x->items.at[end]);
		*i = end + 1;
		return true;
	}
	if (!put_product(x, border, at, NULL))
		return false;
	*i = at + 1;
	return true;
}

/* Items FIRST to END - 1. */
static void
put_range(struct stepper *x, size_t first, size_t end, const bool *product)
{
	for (size_t i = first; i < end && x->ok;) {
		uint32_t most = 0, copies;

		if (put_product_at(x, &i, end, product))
			continue;
		copies = copies_at(x, i, end);
		if (copies >= LEAST_COPIES) {
			put_copies(x, i, copies);
			i += copies;
			continue;
		}
		while (i + most < end && most < MOST_TOGETHER &&
		       !product[i + most] &&
		       !(i + most + 1 < end && product[i + most + 1] &&
			 border_of(x, i + most + 1)))
			most++;
		while (most > 0 && !put_run(x, i, most))
			most--;
		if (most == 0)
			put_steps(x, x->items.at[i]);
		i += most ? most : 1;
	}
}

static void
put_all(struct stepper *x)
{
	size_t n = x->items.len;
	bool *product = ARENA_NEW_ARRAY(x->k->arena, n, bool);

	for (size_t i = 0; i < n; i++)
		product[i] = is_product(x->k, x->items.at[i]);
	put_range(x, 0, n, product);
}

bool
bang_put_steps(struct bang_kernel *k)
{
	struct stepper x = {.k = k, .ok = true};

	flatten(&x, k->func->body);
	put_all(&x);
	vec_free(&x.items);
	bang_buffers_free(&x.read);
	bang_buffers_free(&x.written);
	return x.ok;
}
