/*
 * Plans of memory: values that live at once are apart, and no more memory is
 * used than need be, by each of the ways to plan.
 */
#include <stdlib.h>

#include "passes/memory_plan.h"
#include "support/arena.h"
#include "test/unit/unit.h"

static uint32_t state = 1;

static uint32_t
below(uint32_t n)
{
	state = state * 1103515245 + 12345;
	return (state >> 16) % n;
}

static bool
meet(const struct plan_value *a, const struct plan_value *b)
{
	return a->bytes && b->bytes && a->first <= b->last &&
	       b->first <= a->last && a->offset < b->offset + b->bytes &&
	       b->offset < a->offset + a->bytes;
}

/* N values, each alive for less than LIFE steps. */
static void
test_plan(uint32_t n, uint32_t life, int64_t percent)
{
	struct plan_value *v = xcalloc(n, sizeof(*v));
	int64_t size;

	for (uint32_t i = 0; i < n; i++) {
		v[i].first = i;
		v[i].last = i + below(life);
		v[i].bytes = below(8) ? 1 + below(1000) : 64 * below(100);
	}
	size = memory_plan(v, n, true);
	CHECK(size <= memory_plan_peak(v, n) * percent / 100);
	for (uint32_t i = 0; i < n; i++) {
		CHECK(v[i].offset % MEMORY_PLAN_ALIGN == 0);
		CHECK(v[i].offset + v[i].bytes <= size);
		for (uint32_t k = 0; k < i; k++)
			CHECK(!meet(&v[i], &v[k]));
	}
	free(v);
}

int
main(void)
{
	test_plan(600, 30, 120);
	test_plan(4100, 30, 140);
	test_plan(4100, 2000, 140);
	return unit_result();
}
