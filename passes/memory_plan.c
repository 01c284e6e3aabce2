/*
 * Memory planning: greedy by size, or by time for long programs.
 */
#include "passes/memory_plan.h"

#include <stdlib.h>
#include <string.h>

#include "passes/memory_blocks.h"
#include "support/arena.h"
#include "support/vec.h"

enum { MAX_BY_SIZE = 4000, MAX_ALIVE = 300 };

static int64_t
round_up(int64_t n)
{
	return (n + MEMORY_PLAN_ALIGN - 1) / MEMORY_PLAN_ALIGN *
	       MEMORY_PLAN_ALIGN;
}

static int
larger_first(const void *a, const void *b)
{
	const struct plan_value *x = *(struct plan_value *const *)a;
	const struct plan_value *y = *(struct plan_value *const *)b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int
earlier_first(const void *a, const void *b)
{
	const struct plan_value *x = *(struct plan_value *const *)a;
	const struct plan_value *y = *(struct plan_value *const *)b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int
ends_first(const void *a, const void *b)
{
	const struct plan_value *x = *(struct plan_value *const *)a;
	const struct plan_value *y = *(struct plan_value *const *)b;

	if (x->last != y->last)
		return x->last < y->last ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* PLACED is sorted by offset; V goes to the first gap. */
static void
place(struct plan_value **placed, uint32_t n, struct plan_value *v)
{
	int64_t at = 0;
	uint32_t i;

	for (i = 0; i < n; i++) {
		const struct plan_value *p = placed[i];

		if (p->last < v->first || v->last < p->first)
			continue;
		if (p->offset - at >= v->bytes)
			break;
		if (p->offset + p->bytes > at)
			at = round_up(p->offset + p->bytes);
	}
	v->offset = at;
	for (i = n; i > 0 && placed[i - 1]->offset > at; i--)
		placed[i] = placed[i - 1];
	placed[i] = v;
}

static void
by_size(struct plan_value **order, uint32_t n)
{
	struct plan_value **placed =
		xcalloc(n + 1, sizeof(struct plan_value *));

	qsort(order, n, sizeof(struct plan_value *), larger_first);
	for (uint32_t i = 0; i < n; i++)
		place(placed, i, order[i]);
	free(placed);
}

/* By time: those that live, by offset; V goes to the first gap. */
static void
by_time(struct plan_value **order, uint32_t n)
{
	VEC(struct plan_value *) live = {0};

	qsort(order, n, sizeof(struct plan_value *), earlier_first);
	for (uint32_t i = 0; i < n; i++) {
		size_t kept = 0;

		for (size_t k = 0; k < live.len; k++)
			if (live.at[k]->last >= order[i]->first)
				live.at[kept++] = live.at[k];
		live.len = kept;
		vec_reserve(&live, live.len + 1);
		place(live.at, (uint32_t)live.len, order[i]);
		live.len++;
	}
	vec_free(&live);
}

/* How many values live at the step where most do. */
static uint32_t
most_alive(const struct plan_value *values, uint32_t n)
{
	uint32_t steps = 0;
	int64_t now = 0, most = 0;
	int64_t *change;

	for (uint32_t i = 0; i < n; i++)
		if (values[i].last >= steps)
			steps = values[i].last + 1;
	change = xcalloc((size_t)steps + 1, sizeof(*change));
	for (uint32_t i = 0; i < n; i++) {
		change[values[i].first]++;
		change[values[i].last + 1]--;
	}
	for (uint32_t s = 0; s < steps; s++) {
		now += change[s];
		if (now > most)
			most = now;
	}
	free(change);
	return (uint32_t)most;
}

/*
 * By time, where many live at once: each takes a block when its life begins,
 * after all that have ended gave theirs back. VALUES are those of ORDER.
 */
static void
by_blocks(const struct plan_value *values, struct plan_value **order,
	  uint32_t n)
{
	struct plan_value **ends = xcalloc(n + 1, sizeof(*ends));
	struct memory_block **taken = xcalloc(n + 1, sizeof(*taken));
	struct memory_blocks memory = {0};
	uint32_t ended = 0;

	memcpy(ends, order, n * sizeof(*ends));
	qsort(order, n, sizeof(*order), earlier_first);
	qsort(ends, n, sizeof(*ends), ends_first);
	for (uint32_t i = 0; i < n; i++) {
		struct plan_value *v = order[i];

		for (; ends[ended]->last < v->first; ended++)
			if (taken[ends[ended] - values])
				memory_blocks_give(&memory,
						   taken[ends[ended] - values]);
		if (v->bytes == 0)
			continue;
		taken[v - values] =
			memory_blocks_take(&memory, round_up(v->bytes));
		v->offset = taken[v - values]->offset;
	}
	memory_blocks_free(&memory);
	free(taken);
	free(ends);
}

static int64_t
one_after_the_other(struct plan_value *values, uint32_t n)
{
	int64_t at = 0;

	for (uint32_t i = 0; i < n; i++) {
		values[i].offset = at;
		at += round_up(values[i].bytes);
	}
	return at;
}

int64_t
memory_plan(struct plan_value *values, uint32_t n, bool reuse)
{
	struct plan_value **order;
	int64_t end = 0;

	if (!reuse)
		return one_after_the_other(values, n);
	order = xcalloc(n + 1, sizeof(struct plan_value *));
	for (uint32_t i = 0; i < n; i++)
		order[i] = &values[i];
	if (n <= MAX_BY_SIZE)
		by_size(order, n);
	else if (most_alive(values, n) <= MAX_ALIVE)
		by_time(order, n);
	else
		by_blocks(values, order, n);
	free(order);
	for (uint32_t i = 0; i < n; i++)
		if (values[i].offset + values[i].bytes > end)
			end = values[i].offset + values[i].bytes;
	return round_up(end);
}

int64_t
memory_plan_peak(const struct plan_value *values, uint32_t n)
{
	uint32_t steps = 0;
	int64_t *change, now = 0, peak = 0;

	for (uint32_t i = 0; i < n; i++)
		if (values[i].last >= steps)
			steps = values[i].last + 1;
	change = xcalloc((size_t)steps + 1, sizeof(*change));
	for (uint32_t i = 0; i < n; i++) {
		change[values[i].first] += round_up(values[i].bytes);
		change[values[i].last + 1] -= round_up(values[i].bytes);
	}
	for (uint32_t s = 0; s < steps; s++) {
		now += change[s];
		if (now > peak)
			peak = now;
	}
	free(change);
	return peak;
}
