/*
 * The network as several entry kernels.
 *
 * What the host does stands between kernels. Calls between two such places are
 * one kernel, or as many as it takes to keep to the limits that somebody set
 * (Cambricon's public texts state none for code or parameters). A cut costs a
 * launch, and it costs the bytes that cross it: once, and once more for each
 * use of a value that could have stayed on the chip. The cheapest cuts come
 * from the left: what the calls up to I cost is the least, over the places J
 * where a kernel that ends before I may begin, of what those up to J cost and
 * of the cut there. J only moves on, so a queue of candidates does for all.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/bangc/internal.h"

/* A launch costs about the time in which so many bytes move. */
enum { LAUNCH_BYTES = 1 << 20, POINTER_BYTES = 8 };

struct window {
	const struct bang_network *n;
	const struct bangc_limits *most;
	uint32_t nparams;  /* that there are */
	size_t first, end; /* the calls in it */
	int64_t code;      /* bytes of theirs */
	unsigned *uses;    /* of each parameter in them */
	unsigned nused;    /* parameters */
};

/* -------------------------------------------------------------- limits -- */

static bool
parse_limit(struct bangc_limits *out, const char *text, size_t len)
{
	static const char *const names[] = {"steps=", "code=", "params="};
	int64_t *const fields[] = {&out->steps, &out->code, &out->params};
	char number[32], *end;
	int64_t *field = &out->steps;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t n = strlen(names[i]);

		if (len >= n && !strncmp(text, names[i], n)) {
			field = fields[i];
			text += n;
			len -= n;
			break;
		}
	}
	if (len == 0 || len >= sizeof(number) || *text < '0' || *text > '9')
		return false;
	memcpy(number, text, len);
	number[len] = '\0';
	errno = 0;
	*field = strtoll(number, &end, 10);
	return !*end && !errno && *field > 0;
}

bool
bangc_limits_parse(struct bangc_limits *out, const char *text,
		   enum bangc_shape shape, struct diag *d)
{
	*out = (struct bangc_limits){0};
	if (!text)
		return true;
	if (shape != BANGC_SINGLE) {
		diag_error(d, LOC_NONE,
			   "option '--bang-split' goes with "
			   "--bang-shape=single");
		return false;
	}
	for (const char *at = text;; at++) {
		size_t n = strcspn(at, ",");

		if (!parse_limit(out, at, n)) {
			diag_error(
				d, LOC_NONE,
				"option '--bang-split': '%.*s' is none of N, "
				"steps=N, code=BYTES, params=BYTES",
				(int)n, at);
			return false;
		}
		at += n;
		if (!*at)
			return true;
	}
}

/* -------------------------------------------------------------- window -- */

static int64_t
code_of(const struct bang_call *c)
{
	return (int64_t)strlen(c->kernel->body);
}

/* Take the call C in (BY is 1), or out (-1). */
static void
count_call(struct window *w, const struct bang_call *c, int by)
{
	w->code += by * code_of(c);
	for (uint32_t i = 0; i < c->kernel->func->nparams; i++) {
		unsigned *uses = &w->uses[bang_param_of(w->n, c, i)];

		w->nused -= *uses > 0;
		*uses += (unsigned)by;
		w->nused += *uses > 0;
	}
}

static bool
is_too_large(const struct window *w)
{
	const struct bangc_limits *most = w->most;

	return (most->steps && (int64_t)(w->end - w->first) > most->steps) ||
	       (most->code && w->code > most->code) ||
	       (most->params &&
		(int64_t)w->nused * POINTER_BYTES > most->params);
}

/* Make W end behind the call that follows, and begin where that fits. */
static bool
move_on(struct window *w, struct diag *d)
{
	const struct bang_call *c = &w->n->calls[w->end++];

	count_call(w, c, 1);
	while (w->first + 1 < w->end && is_too_large(w))
		count_call(w, &w->n->calls[w->first++], -1);
	if (!is_too_large(w))
		return true;
	diag_error(d, c->kernel->func->loc,
		   "kernel '@%s' alone is larger than --bang-split allows: "
		   "%" PRId64 " bytes of code, %u bytes of parameters",
		   c->kernel->func->name, w->code,
		   w->nused * (unsigned)POINTER_BYTES);
	return false;
}

/* ---------------------------------------------------------------- cuts -- */

struct cuts {
	int64_t *crosses; /* by call: bytes that a cut before it makes cross */
	int64_t *costs;   /* the same with what does not stay on the chip */
	int64_t *start;   /* cost of all before it, if a kernel begins there */
	size_t *from;     /* where the last kernel of those begins */
	size_t *queue;
};

static void
weigh_cuts(struct cuts *c, const struct bang_network *n,
	   const struct bang_values *values)
{
	for (size_t i = 0; i < values->len; i++) {
		const struct bang_value *v = &values->at[i];
		int64_t bytes = v->to - v->from;
		int64_t cost = v->fixed ? bytes : bytes * (1 + v->uses);

		if (v->first == v->last)
			continue;
		c->crosses[v->first + 1] += bytes;
		c->crosses[v->last + 1] -= bytes;
		c->costs[v->first + 1] += cost;
		c->costs[v->last + 1] -= cost;
	}
	for (size_t i = 0; i < n->ncalls; i++) {
		c->crosses[i + 1] += c->crosses[i];
		c->costs[i + 1] += c->costs[i];
	}
}

static void
add_part(struct bang_parts *out, const struct cuts *c, size_t first, size_t end)
{
	struct bang_part p = {
		.first = first, .n = end - first, .crosses = c->crosses[first]};

	vec_push(out, p);
}

static void
turn_round(struct bang_part *at, size_t n)
{
	for (size_t i = 0; i + i + 1 < n; i++) {
		struct bang_part p = at[i];

		at[i] = at[n - 1 - i];
		at[n - 1 - i] = p;
	}
}

/* Kernels for the calls FIRST .. END - 1, all of them the device's. */
static bool
cut(struct bang_parts *out, struct cuts *c, struct window *w, size_t first,
    size_t end, struct diag *d)
{
	size_t head = 0, tail = 0, mark = out->len;

	w->first = w->end = first;
	w->code = 0;
	w->nused = 0;
	memset(w->uses, 0, w->nparams * sizeof(*w->uses));
	c->start[first] = 0;
	for (size_t i = first; i < end; i++) {
		while (tail > head &&
		       c->start[c->queue[tail - 1]] >= c->start[i])
			tail--;
		c->queue[tail++] = i;
		if (!move_on(w, d))
			return false;
		while (c->queue[head] < w->first)
			head++;
		c->from[i + 1] = c->queue[head];
		c->start[i + 1] = c->start[c->queue[head]] + LAUNCH_BYTES +
				  c->costs[i + 1];
	}
	for (size_t at = end; at > first; at = c->from[at])
		add_part(out, c, c->from[at], at);
	turn_round(out->at + mark, out->len - mark);
	return true;
}

/* What of main's parameters P takes. */
static void
note_params(struct bang_part *p, const struct window *w)
{
	bool *takes = ARENA_NEW_ARRAY(w->n->arena, w->nparams, bool);

	for (size_t i = p->first; i < p->first + p->n; i++)
		for (uint32_t k = 0; k < w->n->calls[i].kernel->func->nparams;
		     k++)
			takes[bang_param_of(w->n, &w->n->calls[i], k)] = true;
	p->params = takes;
}

static void
name_parts(struct bang_parts *out, const struct window *w)
{
	const struct bang_network *n = w->n;
	unsigned number = 0;

	for (size_t i = 0; i < out->len; i++) {
		struct bang_part *p = &out->at[i];

		if (p->on_host)
			continue;
		p->name = arena_printf(n->arena, "%s_kernel", n->o->name);
		if (out->len > 1)
			p->name = arena_printf(n->arena, "%s_%u", p->name,
					       number++);
		if (out->len > 1 || w->most->params)
			note_params(p, w);
	}
}

/* "kernel 'net_kernel_0': calls 1 to 4 of 9, ...", of all that are several. */
static void
put_remarks(const struct bang_parts *parts, const struct bang_network *n,
	    struct diag *d)
{
	for (size_t i = 0; parts->len > 1 && i < parts->len; i++) {
		const struct bang_part *p = &parts->at[i];
		int64_t code = 0;
		unsigned taken = 0;

		if (p->on_host)
			continue;
		for (size_t k = 0; k < p->n; k++)
			code += code_of(&n->calls[p->first + k]);
		for (uint32_t k = 0; k <= n->net->main->nparams; k++)
			taken += p->params[k];
		diag_remark(d, n->net->main->loc,
			    "kernel '%s': calls %zu to %zu of %zu, %" PRId64
			    " bytes of code, %u parameters; %" PRId64
			    " bytes come from those before [bang-c]",
			    p->name, p->first + 1, p->first + p->n, n->ncalls,
			    code, taken, p->crosses);
	}
}

bool
bang_split(struct bang_parts *out, const struct bang_network *n,
	   const struct bang_values *values, struct diag *d)
{
	struct window w = {.n = n,
			   .most = &n->o->most,
			   .nparams = n->net->main->nparams + 1};
	size_t most = n->ncalls + 2;
	struct cuts c = {ARENA_NEW_ARRAY(n->arena, most, int64_t),
			 ARENA_NEW_ARRAY(n->arena, most, int64_t),
			 ARENA_NEW_ARRAY(n->arena, most, int64_t),
			 ARENA_NEW_ARRAY(n->arena, most, size_t),
			 ARENA_NEW_ARRAY(n->arena, most, size_t)};
	size_t from = 0, to;

	w.uses = ARENA_NEW_ARRAY(n->arena, w.nparams, unsigned);
	weigh_cuts(&c, n, values);
	for (; from < n->ncalls; from = to) {
		bool host = n->calls[from].kernel->on_host;

		to = from + 1;
		while (!host && to < n->ncalls && !n->calls[to].kernel->on_host)
			to++;
		if (host) {
			add_part(out, &c, from, to);
			out->at[out->len - 1].on_host = true;
		} else if (!cut(out, &c, &w, from, to, d)) {
			return false;
		}
	}
	name_parts(out, &w);
	if (n->o->remarks)
		put_remarks(out, n, d);
	return true;
}
