/*
 * The thread pool.
 *
 * A job is a function and a count; the range is split evenly, one piece per
 * thread, and the caller takes the first. Workers watch a sequence number for
 * a few ten microseconds after each job, because kernels of a network follow
 * each other closely; then they sleep until they are woken, so an idle pool
 * costs nothing. Whoever calls while a job runs does the work alone: that is
 * what nested loops and two models on one pool get.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "include/relay_rt.h"

enum { SPINS = 4000, MAX_THREADS = 256 };

struct worker {
	struct pool *pool;
	pthread_t thread;
	int32_t index;
};

struct pool {
	relay_threads base;
	int32_t nthreads; /* with the caller */
	int32_t started;  /* workers that run */
	atomic_flag busy;

	relay_body *body; /* the job, written before SEQ */
	void *ctx;
	int32_t n;

	atomic_uint seq;    /* bumped for each job */
	atomic_int pending; /* workers that are not done */
	atomic_int sleepers;
	atomic_bool stop;
	pthread_mutex_t lock; /* for sleeping and waking only */
	pthread_cond_t wake;
	struct worker worker[];
};

static inline void
pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Piece T of the job. */
static void
do_piece(struct pool *p, int32_t t)
{
	int64_t n = p->n, k = p->nthreads;
	int32_t begin = (int32_t)(t * n / k);
	int32_t end = (int32_t)((t + 1) * n / k);

	if (begin < end)
		p->body(p->ctx, begin, end);
}

/* The sequence number once it differs from SEEN. */
static unsigned
wait_for_job(struct pool *p, unsigned seen)
{
	unsigned now;

	for (int i = 0; i < SPINS; i++) {
		now = atomic_load_explicit(&p->seq, memory_order_acquire);
		if (now != seen)
			return now;
		pause_cpu();
	}
	pthread_mutex_lock(&p->lock);
	atomic_fetch_add(&p->sleepers, 1);
	while ((now = atomic_load(&p->seq)) == seen)
		pthread_cond_wait(&p->wake, &p->lock);
	atomic_fetch_sub(&p->sleepers, 1);
	pthread_mutex_unlock(&p->lock);
	return now;
}

static void *
work(void *env)
{
	struct worker *w = env;
	struct pool *p = w->pool;
	unsigned seen = 0;

	for (;;) {
		seen = wait_for_job(p, seen);
		if (atomic_load(&p->stop))
			return NULL;
		do_piece(p, w->index);
		atomic_fetch_sub_explicit(&p->pending, 1, memory_order_release);
	}
}

/* Let the workers see what was written to the job, or to STOP. */
static void
publish(struct pool *p)
{
	atomic_fetch_add(&p->seq, 1);
	if (!atomic_load(&p->sleepers))
		return;
	pthread_mutex_lock(&p->lock);
	pthread_cond_broadcast(&p->wake);
	pthread_mutex_unlock(&p->lock);
}

static void
join(struct pool *p)
{
	for (int i = 0; atomic_load_explicit(&p->pending, memory_order_acquire);
	     i++) {
		if (i < SPINS)
			pause_cpu();
		else
			sched_yield();
	}
}

static void
pool_parallel_for(relay_threads *self, relay_body *body, void *ctx, int32_t n)
{
	struct pool *p = (struct pool *)self;

	if (n <= 0)
		return;
	if (n == 1 || p->nthreads == 1 ||
	    atomic_flag_test_and_set_explicit(&p->busy, memory_order_acquire)) {
		body(ctx, 0, n);
		return;
	}
	p->body = body;
	p->ctx = ctx;
	p->n = n;
	atomic_store(&p->pending, p->nthreads - 1);
	publish(p);
	do_piece(p, 0);
	join(p);
	atomic_flag_clear_explicit(&p->busy, memory_order_release);
}

static int32_t
cpu_count(void)
{
	long n;
#ifdef __linux__
	cpu_set_t set;

	if (!sched_getaffinity(0, sizeof(set), &set))
		return CPU_COUNT(&set);
#endif
	n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (int32_t)n : 1;
}

relay_threads *
relay_threads_new(int32_t n)
{
	struct pool *p;

	if (n <= 0)
		n = cpu_count();
	if (n > MAX_THREADS)
		n = MAX_THREADS;
	p = calloc(1, sizeof(*p) + (size_t)n * sizeof(p->worker[0]));
	if (!p)
		return NULL;
	p->base.parallel_for = pool_parallel_for;
	p->nthreads = 1;
	atomic_flag_clear(&p->busy);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->wake, NULL);
	for (int32_t i = 1; i < n; i++) {
		struct worker *w = &p->worker[i];

		w->pool = p;
		w->index = i;
		if (pthread_create(&w->thread, NULL, work, w))
			break;
		p->started++;
	}
	p->nthreads = p->started + 1;
	return &p->base;
}

void
relay_threads_free(relay_threads *pool)
{
	struct pool *p = (struct pool *)pool;

	if (!p)
		return;
	atomic_store(&p->stop, true);
	publish(p);
	for (int32_t i = 1; i <= p->started; i++)
		pthread_join(p->worker[i].thread, NULL);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

int32_t
relay_threads_count(const relay_threads *pool)
{
	return ((const struct pool *)pool)->nthreads;
}
