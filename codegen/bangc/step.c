/*
 * A kernel as steps, with barriers between those that share arrays.
 */
#include <inttypes.h>
#include <string.h>

#include "codegen/bangc/rows.h"

/* Steps that are tried as one run. */
enum { MOST_TOGETHER = 12 };

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
	for (size_t i = 0; i < s->len; i++)
		if (s->at[i] == b)
			return true;
	return false;
}

void
bang_add_buffer(struct bang_buffers *s, const struct tir_buffer *b)
{
	if (!bang_has(s, b))
		vec_push(s, b);
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
		x->read.len = x->written.len = 0;
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
	vec_free(&read);
	vec_free(&written);
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
	vec_free(&read);
	vec_free(&written);
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
			       bang_nest_of(pair, &nest)
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
	struct bang_nest n;

	if (bang_int_sum_of(s, &n) && bang_put_matmul(k, &n))
		return "matrices";
	if (bang_nest_of(s, &n)) {
		if (n.reduce && bang_put_matmul(k, &n))
			return "matrices";
		if (!n.reduce && bang_put_vector(k, &n))
			return "vectors";
		if (n.reduce && bang_put_fold(k, &n))
			return "vectors, folded";
	} else if (put_group(k, s)) {
		return "in parts";
	}
	if (bang_put_routine(k, s))
		return "a routine";
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
		if (n == 2)
			vec_push(&x->items, pair);
		else
			flatten(x, s->seq.at[i]);
	}
}

/* Does the unit for matrices do S? */
static bool
is_matrix_step(struct bang_kernel *k, const tir_stmt *s)
{
	struct bang_kernel trial = *k;
	struct buf text = {0}, defines = {0};
	struct bang_nest n;
	bool does;

	trial.out = &text;
	trial.defines = &defines;
	does = bang_nest_of(s, &n) && n.reduce && bang_put_matmul(&trial, &n);
	buf_free(&text);
	buf_free(&defines);
	return does;
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
	vec_free(&later);
	vec_free(&unused);
	buf_free(&body);
	return ok;
}

static void
put_all(struct stepper *x)
{
	size_t n = x->items.len, i = 0;
	bool *matrix = ARENA_NEW_ARRAY(x->k->arena, n, bool);

	for (i = 0; i < n; i++)
		matrix[i] = is_matrix_step(x->k, x->items.at[i]);
	for (i = 0; i < n && x->ok;) {
		uint32_t most = 0;

		while (i + most < n && most < MOST_TOGETHER &&
		       !matrix[i + most])
			most++;
		while (most > 0 && !put_run(x, i, most))
			most--;
		if (most == 0)
			put_step(x, x->items.at[i]);
		i += most ? most : 1;
	}
}

bool
bang_put_steps(struct bang_kernel *k)
{
	struct stepper x = {.k = k, .ok = true};

	flatten(&x, k->func->body);
	put_all(&x);
	vec_free(&x.items);
	vec_free(&x.read);
	vec_free(&x.written);
	return x.ok;
}
