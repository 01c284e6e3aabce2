/*
 * Which values of the workspace stay on the chip.
 *
 * The network as one kernel runs on one cluster, whose cores share SRAM. What
 * one call writes and later ones read need not leave the chip, if there is
 * room for it from the first to the last of them, and no call touches it
 * element by element. The bytes of the workspace that it has then stay unused.
 *
 * A value begins where a call writes a range of the workspace; whatever lay
 * there before is over. A later range that lies within one value is a part of
 * it. One that goes across several (slices written one by one) ties these to
 * device memory, as does a use in another entry kernel or on the host.
 */
#include <stdlib.h>
#include <string.h>

#include "codegen/bangc/internal.h"

/* Placing compares values with each other: fewer calls in a part than this. */
enum { MOST_CALLS = 4096, ALIGNMENT = 128 };

struct plan {
	struct bang_call *calls;
	const struct tir_buffer *workspace;
	struct arena *arena;
	struct bang_values *values;
	VEC(size_t) live; /* those that nothing was written over yet */
	int64_t bytes;
};

struct span {
	int64_t from, to;
};

static struct span
span_of(const struct bang_call *c, uint32_t operand)
{
	const struct tir_buffer *b = c->kernel->func->params[operand].buffer;
	int64_t from = c->stmt->call.args[operand]->arg[0]->i;

	return (struct span){from, from + b->size * ((b->dtype.bits + 7) / 8)};
}

/* Does the text of the kernel index B, so that no copy moves it? */
static bool
is_indexed(const struct bang_kernel *k, const struct tir_buffer *b)
{
	size_t n = strlen(b->name);

	for (const char *at = k->body; (at = strstr(at, b->name)); at += n)
		if (at[n] == '[' &&
		    (at == k->body || !strchr("abcdefghijklmnopqrstuvwxyz"
					      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					      "0123456789_",
					      at[-1])))
			return true;
	return false;
}

static bool
overlap(const struct bang_value *v, struct span s)
{
	return v->from < s.to && s.from < v->to;
}

/* A new value, which ends those that lay there. */
static int64_t
define(struct plan *p, struct span s, size_t call)
{
	struct bang_value v = {.from = s.from,
			       .to = s.to,
			       .first = call,
			       .last = call,
			       .uses = 1,
			       .at = -1};
	size_t kept = 0;

	for (size_t i = 0; i < p->live.len; i++)
		if (!overlap(&p->values->at[p->live.at[i]], s))
			p->live.at[kept++] = p->live.at[i];
	p->live.len = kept;
	vec_push(&p->live, p->values->len);
	vec_push(p->values, v);
	return (int64_t)p->values->len - 1;
}

/* The value that S is, or is a part of; -1: none alone. */
static int64_t
find(struct plan *p, struct span s, size_t call)
{
	for (size_t i = p->live.len; i-- > 0;) {
		struct bang_value *v = &p->values->at[p->live.at[i]];

		if (v->from > s.from || v->to < s.to)
			continue;
		v->last = call;
		v->uses++;
		return (int64_t)p->live.at[i];
	}
	/* Of several, some of which others may have written over in part. */
	for (size_t i = 0; i < p->values->len; i++)
		p->values->at[i].fixed |= overlap(&p->values->at[i], s);
	return -1;
}

static void
add_call(struct plan *p, size_t call)
{
	const struct bang_call *c = &p->calls[call];
	const tir_func *f = c->kernel->func;
	bool host = c->kernel->on_host;
	struct bang_buffers read = {0}, written = {0};
	int64_t *of = arena_alloc(p->arena, f->nparams * sizeof(*of));

	p->values->of[call] = of;
	bang_collect(f, &read, &written);
	for (int writes = 0; writes < 2; writes++)
		for (uint32_t i = 0; i < f->nparams; i++) {
			const struct tir_buffer *b = f->params[i].buffer;
			const tir_expr *a = c->stmt->call.args[i];

			if (writes ? !bang_has(&written, b)
				   : bang_has(&written, b) &&
					     !(host && i < c->kernel->ntaken))
				continue;
			of[i] = -1;
			if (a->buffer != p->workspace || b->size == 0 ||
			    !bang_text_mentions(c->kernel->body, b->name))
				continue;
			of[i] = writes ? define(p, span_of(c, i), call)
				       : find(p, span_of(c, i), call);
			if (of[i] >= 0 && (host || is_indexed(c->kernel, b)))
				p->values->at[of[i]].fixed = true;
		}
	bang_buffers_free(&read);
	bang_buffers_free(&written);
}

/* More uses in a shorter time first, then smaller ones; then in order. */
static int
before(const void *a, const void *b)
{
	const struct bang_value *x = *(struct bang_value *const *)a;
	const struct bang_value *y = *(struct bang_value *const *)b;
	size_t left = x->uses * (y->last - y->first + 1);
	size_t right = y->uses * (x->last - x->first + 1);

	if (left != right)
		return left > right ? -1 : 1;
	if (x->to - x->from != y->to - y->from)
		return x->to - x->from < y->to - y->from ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The lowest place for V beside the N values placed before. */
static int64_t
place(struct bang_value *const *placed, size_t n, const struct bang_value *v,
      int64_t budget)
{
	int64_t size = v->to - v->from, at = 0;
	bool moved = true;

	while (moved && at + size <= budget) {
		moved = false;
		for (size_t i = 0; i < n; i++) {
			const struct bang_value *u = placed[i];
			int64_t end = u->at + u->to - u->from;

			if (u->at < 0 || u->last < v->first ||
			    v->last < u->first || end <= at ||
			    at + size <= u->at)
				continue;
			at = (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
			moved = true;
		}
	}
	return at + size <= budget ? at : -1;
}

/* The N values at V, which are those of one kernel. */
static void
place_all(struct plan *p, struct bang_value *v, size_t n, int64_t budget)
{
	struct bang_value **order = xcalloc(n + 1, sizeof(*order));
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (!v[i].fixed)
			order[count++] = &v[i];
	qsort(order, count, sizeof(*order), before);
	for (size_t i = 0; i < count; i++) {
		int64_t size = order[i]->to - order[i]->from;

		order[i]->at = place(order, i, order[i], budget);
		if (order[i]->at >= 0 && order[i]->at + size > p->bytes)
			p->bytes = order[i]->at + size;
	}
	free(order);
}

static void
tell_call(struct plan *p, size_t call)
{
	struct bang_call *c = &p->calls[call];
	uint32_t n = c->kernel->func->nparams;

	c->sram = arena_alloc(p->arena, n * sizeof(*c->sram));
	for (uint32_t i = 0; i < n; i++) {
		int64_t of = p->values->of[call][i];
		const struct bang_value *v = of < 0 ? NULL : &p->values->at[of];

		c->sram[i] = v && v->at >= 0
				     ? v->at + span_of(c, i).from - v->from
				     : -1;
	}
}

void
bang_find_values(struct bang_values *out, struct bang_call *calls, size_t n,
		 const struct tir_buffer *workspace, struct arena *a)
{
	struct plan p = {.calls = calls,
			 .workspace = workspace,
			 .arena = a,
			 .values = out};

	out->of = arena_alloc(a, n * sizeof(*out->of));
	for (size_t i = 0; i < n; i++)
		add_call(&p, i);
	vec_free(&p.live);
}

int64_t
bang_plan_sram(struct bang_values *values, struct bang_call *calls,
	       const struct bang_part *parts, size_t nparts, int64_t room,
	       struct arena *a)
{
	struct plan p = {.calls = calls, .arena = a, .values = values};
	size_t from = 0, to;

	for (size_t i = 0; i < nparts; i++, from = to) {
		size_t end = parts[i].first + parts[i].n;

		for (to = from; to < values->len && values->at[to].first < end;
		     to++)
			values->at[to].fixed |= values->at[to].last >= end;
		if (parts[i].n <= MOST_CALLS)
			place_all(&p, values->at + from, to - from, room);
	}
	for (size_t i = 0; p.bytes && i < nparts; i++)
		for (size_t k = 0; k < parts[i].n; k++)
			tell_call(&p, parts[i].first + k);
	return p.bytes;
}
