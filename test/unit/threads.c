/*
 * The thread pool of the runtime: every number of a range is visited once,
 * whatever the number of threads, and pools do not disturb each other.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "include/relay_rt.h"
#include "test/unit/unit.h"

enum { MOST = 10007 };

static void
mark(void *ctx, int32_t begin, int32_t end)
{
	atomic_uchar *seen = ctx;

	for (int32_t i = begin; i < end; i++)
		seen[i]++;
}

static int
each_once(const atomic_uchar *seen, int32_t n)
{
	for (int32_t i = 0; i < MOST; i++)
		if (seen[i] != (i < n))
			return 0;
	return 1;
}

static void
test_ranges(relay_threads *pool)
{
	static const int32_t sizes[] = {0, 1, 2, 3, 7, 64, 1000, MOST};

	for (int repeat = 0; repeat < 50; repeat++)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			atomic_uchar seen[MOST];

			memset(seen, 0, sizeof seen);
			pool->parallel_for(pool, mark, seen, sizes[i]);
			CHECK(each_once(seen, sizes[i]));
		}
}

static void *
use_own_pool(void *unused)
{
	relay_threads *pool = relay_threads_new(3);

	test_ranges(pool);
	relay_threads_free(pool);
	return unused;
}

int
main(void)
{
	static const int32_t counts[] = {1, 2, 5};
	pthread_t other;

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		relay_threads *pool = relay_threads_new(counts[i]);

		CHECK(relay_threads_count(pool) == counts[i]);
		test_ranges(pool);
		relay_threads_free(pool);
	}
	relay_threads_free(NULL);
	CHECK(pthread_create(&other, NULL, use_own_pool, NULL) == 0);
	use_own_pool(NULL);
	CHECK(pthread_join(other, NULL) == 0);
	return unit_result();
}
