#include "passes/timing.h"

#include <stdlib.h>
#include <string.h>

#include "support/clock.h"
#include "support/diag_json.h"

/* Until it ends, an event holds its start as a negative duration. */
void
timing_begin(struct timing *t, const char *name)
{
	double start = clock_now();
	struct timed e = {.name = name,
			  .depth = (unsigned)t->open.len,
			  .start = start,
			  .seconds = -start};

	vec_push(&t->open, t->events.len);
	vec_push(&t->events, e);
}

void
timing_end(struct timing *t)
{
	struct timed *e = &t->events.at[vec_pop(&t->open)];

	e->seconds += clock_now();
	if (t->open.len)
		t->events.at[vec_last(&t->open)].inner += e->seconds;
}

void
timing_free(struct timing *t)
{
	vec_free(&t->events);
	vec_free(&t->open);
}

static double
total_time(const struct timing *t)
{
	double sum = 0;

	for (size_t i = 0; i < t->events.len; i++)
		if (t->events.at[i].depth == 0)
			sum += t->events.at[i].seconds;
	return sum;
}

static double
percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static void
print_tree(struct buf *out, const struct timing *t)
{
	double total = total_time(t);

	buf_puts(out, "   total (s)      %    self (s)  pass\n");
	for (size_t i = 0; i < t->events.len; i++) {
		const struct timed *e = &t->events.at[i];

		buf_printf(out, "%12.6f  %5.1f%12.6f  ", e->seconds,
			   percent(e->seconds, total), e->seconds - e->inner);
		buf_fill(out, ' ', 2 * (size_t)e->depth);
		buf_printf(out, "%s\n", e->name);
	}
}

/* The time of all runs of one pass, without what is nested in them. */
struct line {
	const char *name;
	size_t first;
	size_t runs;
	double seconds;
};

static int
compare_lines(const void *a, const void *b)
{
	const struct line *x = a;
	const struct line *y = b;

	if (x->seconds != y->seconds)
		return x->seconds < y->seconds ? 1 : -1;
	return x->first < y->first ? -1 : 1;
}

static void
print_list(struct buf *out, const struct timing *t)
{
	VEC(struct line) lines = {0};
	double total = total_time(t);

	for (size_t i = 0; i < t->events.len; i++) {
		const struct timed *e = &t->events.at[i];
		size_t k = 0;

		while (k < lines.len && strcmp(lines.at[k].name, e->name) != 0)
			k++;
		if (k == lines.len)
			vec_push(&lines,
				 ((struct line){.name = e->name, .first = i}));
		lines.at[k].runs++;
		lines.at[k].seconds += e->seconds - e->inner;
	}
	if (lines.len)
		qsort(lines.at, lines.len, sizeof(*lines.at), compare_lines);
	buf_puts(out, "    wall (s)      %   runs  pass\n");
	for (size_t i = 0; i < lines.len; i++)
		buf_printf(out, "%12.6f  %5.1f  %5zu  %s\n",
			   lines.at[i].seconds,
			   percent(lines.at[i].seconds, total),
			   lines.at[i].runs, lines.at[i].name);
	buf_printf(out, "%12.6f  100.0         total\n", total);
	vec_free(&lines);
}

static void
print_json(struct buf *out, const struct timing *t)
{
	buf_puts(out, "[");
	for (size_t i = 0; i < t->events.len; i++) {
		const struct timed *e = &t->events.at[i];

		buf_puts(out, i ? ",\n {\"pass\": " : "\n {\"pass\": ");
		json_put_string(out, e->name);
		buf_printf(out,
			   ", \"depth\": %u, \"seconds\": %.9f, "
			   "\"self\": %.9f}",
			   e->depth, e->seconds, e->seconds - e->inner);
	}
	buf_puts(out, "\n]\n");
}

void
timing_print(struct buf *out, const struct timing *t, enum timing_format format)
{
	if (format == TIMING_JSON) {
		print_json(out, t);
		return;
	}
	buf_puts(out, "===- Pass execution timing -===\n");
	if (format == TIMING_TREE)
		print_tree(out, t);
	else
		print_list(out, t);
}

void
timing_print_trace(struct buf *out, const struct timing *t)
{
	buf_puts(out, "{\"traceEvents\": [");
	for (size_t i = 0; i < t->events.len; i++) {
		const struct timed *e = &t->events.at[i];

		buf_puts(out, i ? ",\n {\"name\": " : "\n {\"name\": ");
		json_put_string(out, e->name);
		buf_printf(out,
			   ", \"ph\": \"X\", \"pid\": 1, \"tid\": 1, "
			   "\"ts\": %.3f, \"dur\": %.3f}",
			   1e6 * (e->start - t->events.at[0].start),
			   1e6 * e->seconds);
	}
	buf_puts(out, "\n], \"displayTimeUnit\": \"ms\"}\n");
}

void
stats_add(struct stats *s, const char *pass, const char *what,
	  unsigned long long n)
{
	struct stat_count count = {.pass = pass, .what = what, .n = n};

	for (size_t i = 0; i < s->counts.len; i++) {
		struct stat_count *c = &s->counts.at[i];

		if (strcmp(c->pass, pass) == 0 && strcmp(c->what, what) == 0) {
			c->n += n;
			return;
		}
	}
	vec_push(&s->counts, count);
}

void
stats_print(struct buf *out, const struct stats *s, enum stats_format format)
{
	if (format == STATS_TEXT)
		buf_puts(out, "===- Statistics -===\n");
	else
		buf_puts(out, "[");
	for (size_t i = 0; i < s->counts.len; i++) {
		const struct stat_count *c = &s->counts.at[i];

		if (format == STATS_TEXT) {
			buf_printf(out, "%10llu  %s - %s\n", c->n, c->pass,
				   c->what);
			continue;
		}
		buf_puts(out, i ? ",\n {\"pass\": " : "\n {\"pass\": ");
		json_put_string(out, c->pass);
		buf_puts(out, ", \"what\": ");
		json_put_string(out, c->what);
		buf_printf(out, ", \"count\": %llu}", c->n);
	}
	if (format == STATS_JSON)
		buf_puts(out, "\n]\n");
}

void
stats_free(struct stats *s)
{
	vec_free(&s->counts);
}
