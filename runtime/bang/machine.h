/*
 * The machine that bang_emu.h stands for: its sizes, its memories, its tasks.
 *
 * On-chip arrays lie in linker sections, so that a pointer tells its space
 * and the linker counts their bytes. A task is a fiber with images of NRAM
 * and WRAM of its own, which take the place of the sections while it runs
 * (images.h). Tasks run one at a time until they meet a barrier or return;
 * BANG_EMU_SEED=N other than 0 shuffles them each time.
 *
 * Every on-chip byte has a shadow that says whether it was written. Vector
 * instructions may compute on bytes that nobody wrote (the tail of a padded
 * vector) and pass the mark on; a copy to device memory, a reduction or a
 * convolution may not read them.
 *
 * What a device would do wrong, silently or not, is a trap: a message on
 * stderr and exit status 86.
 */
#ifndef BANG_EMU_MACHINE_H
#define BANG_EMU_MACHINE_H

#include "images.h"

#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/* 270, 290, 372 or 592. */
#ifndef BANG_EMU_ARCH
#define BANG_EMU_ARCH 372
#endif

#define __BANG__ 1
#define __MLU__ 1
#define __BANG_ARCH__ BANG_EMU_ARCH
#if BANG_EMU_ARCH == 270
#define __MLU_NRAM_SIZE__ 512
#define __MLU_WRAM_SIZE__ 1024
#define __MLU_SRAM_SIZE__ 2048
#define BANG_EMU_NRAM_BUDGET 384
#elif BANG_EMU_ARCH == 290 || BANG_EMU_ARCH == 592
#define __MLU_NRAM_SIZE__ 512
#define __MLU_WRAM_SIZE__ 512
#define __MLU_SRAM_SIZE__ 2048
#define BANG_EMU_NRAM_BUDGET 384
#elif BANG_EMU_ARCH == 372
#define __MLU_NRAM_SIZE__ 768
#define __MLU_WRAM_SIZE__ 1024
#define __MLU_SRAM_SIZE__ 4096
#define BANG_EMU_NRAM_BUDGET 640
#else
#error "BANG_EMU_ARCH: one of 270, 290, 372, 592"
#endif

#define __mlu_entry__
#define __mlu_global__
#define __mlu_func__ static inline
#define __mlu_device__
#define __mlu_host__
#define __mlu_builtin__
#define __mlu_const__ static const
/* A precompiled header declares arrays; clang would make them constants. */
#ifdef BANG_EMU_PRECOMPILED
#define BANG_EMU_SPACE(name) extern BANG_EMU_HIDDEN
#else
#define BANG_EMU_SPACE(name) \
	__attribute__((section(name), aligned(128), used)) static
#endif
#define __nram__ BANG_EMU_SPACE("bang_nram")
#define __wram__ BANG_EMU_SPACE("bang_wram")
#define __mlu_shared__ BANG_EMU_SPACE("bang_sram")
#define __ldram__ static

extern "C" BANG_EMU_HIDDEN char __start_bang_nram[], __stop_bang_nram[];
extern "C" BANG_EMU_HIDDEN char __start_bang_wram[], __stop_bang_wram[];
extern "C" BANG_EMU_HIDDEN char __start_bang_sram[], __stop_bang_sram[];

namespace bang_emu
{

/* So that the sections exist in every program. Not counted as used. */
enum { ANCHOR = 128 };
__nram__ char nram_anchor[ANCHOR];
__wram__ char wram_anchor[ANCHOR];
__mlu_shared__ char sram_anchor[ANCHOR];

enum { CORES = 4, CLUSTERS = 16, REDZONE = 64, STACK_BYTES = 256 * 1024 };
constexpr size_t BYTES_AT_ONCE = 128;   /* of the vector unit */

inline const char *
space_name(space s)
{
	static const char *const names[] = {"GDRAM", "NRAM", "WRAM", "SRAM",
					    "host memory"};

	return names[s];
}

/* ---------------------------------------------------------- counting -- */

struct counters {
	uint64_t read, written;         /* bytes of GDRAM */
	uint64_t onchip;                /* bytes copied between other spaces */
	uint64_t vector;                /* elements of vector instructions */
	uint64_t tensor;                /* multiplications of conv, matmul */
	uint64_t scalar;                /* told by RELAY_SCALAR_OPS */
	uint64_t copies, barriers, launches;
};

BANG_EMU_HIDDEN inline counters count;

/* The same by kernel, in the order of their names. */
BANG_EMU_HIDDEN inline std::map<std::string, counters> &
counts_by_kernel()
{
	static std::map<std::string, counters> all;

	return all;
}

inline void
add_counters(counters &to, const counters &now, const counters &before)
{
	uint64_t counters::*const all[] = {
		&counters::read,   &counters::written, &counters::onchip,
		&counters::vector, &counters::tensor,  &counters::scalar,
		&counters::copies, &counters::barriers, &counters::launches};

	for (uint64_t counters::*c : all)
		to.*c += now.*c - before.*c;
}

inline void
print_counters(const char *who, const counters &c)
{
	fprintf(stderr,
		"bang_emu: %slaunches %llu, barriers %llu, copies %llu, read "
		"%llu, written %llu, on-chip %llu, vector %llu, tensor %llu, "
		"scalar %llu\n",
		who, (unsigned long long)c.launches,
		(unsigned long long)c.barriers, (unsigned long long)c.copies,
		(unsigned long long)c.read, (unsigned long long)c.written,
		(unsigned long long)c.onchip, (unsigned long long)c.vector,
		(unsigned long long)c.tensor, (unsigned long long)c.scalar);
}

/* All of it; each kernel, too, if EACH. */
inline void
print_all_counters(bool each)
{
	print_counters("", count);
	for (const auto &k : counts_by_kernel())
		if (each)
			print_counters(("kernel " + k.first + ": ").c_str(),
				       k.second);
}

/* -------------------------------------------------------------- tasks -- */

BANG_EMU_HIDDEN inline memory &
memory_of(space s)
{
	static memory all[] = {
		{NRAM, __start_bang_nram,
		 (size_t)(__stop_bang_nram - __start_bang_nram), nullptr},
		{WRAM, __start_bang_wram,
		 (size_t)(__stop_bang_wram - __start_bang_wram), nullptr},
		{SRAM, __start_bang_sram,
		 (size_t)(__stop_bang_sram - __start_bang_sram), nullptr},
	};

	return all[s - NRAM];
}

enum barrier { NO_BARRIER, ALL, ALL_IPU, CLUSTER, CLUSTER_IPU };

/* COUNT chunks of SIZE bytes, a step apart, ROWS times. */
struct side {
	char *base;
	int64_t step, count;
	int64_t row_step, rows;
};

struct copy {
	side dst, src;
	int64_t size;
	space to, from;
	const char *what;
	bool off_chip;                  /* in the IO queue, else in Move */
};

struct range {
	const char *from, *to;
};

struct task {
	ucontext_t context;
	std::unique_ptr<char[]> stack;
	image nram, wram;
	int id, group, cluster, core;
	bool done, mpu;
	barrier waits;
	std::vector<copy> pending;      /* asynchronous, not waited for */
	std::vector<range> computed;    /* since the last sync of Compute */
};

/* A call with no arguments, of something that outlives it. */
struct call {
	void (*run)(const void *of);
	const void *of;
};

template <class F>
call
call_of(const F &f)
{
	return {[](const void *of) { (*(const F *)of)(); }, &f};
}

struct job {
	const char *kernel;
	unsigned x, y, z;
	int clusters;                   /* of a union; 0: independent tasks */
	call body;
	std::vector<task> tasks;
	std::map<std::pair<int, int>, image> sram;
	ucontext_t home;
	task *now;
	bool partial;                   /* barriers of some tasks: races.h */
};

BANG_EMU_HIDDEN inline job *running;
BANG_EMU_HIDDEN inline uint64_t period = 1;             /* barriers of all, and launches */

[[noreturn]] inline void
trap(const char *what, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("bang_emu: ", stderr);
	if (running && running->now)
		fprintf(stderr, "kernel %s, task %d: ", running->kernel,
			running->now->id);
	fprintf(stderr, "%s: ", what);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	_exit(TRAP_STATUS);
}

inline task &
self(const char *what)
{
	if (!running || !running->now)
		trap(what, "called outside of a kernel");
	return *running->now;
}

inline long
setting(const char *name)
{
	const char *text = getenv(name);

	return text ? strtol(text, nullptr, 10) : 0;
}

/* ------------------------------------------------------------- memory -- */

/* Blocks of device memory: start to size. */
BANG_EMU_HIDDEN inline std::map<const char *, size_t> &
blocks()
{
	static std::map<const char *, size_t> all;

	return all;
}

inline space
space_of(const void *p)
{
	for (space s : {NRAM, WRAM, SRAM})
		if (memory_of(s).holds(p))
			return s;
	auto after = blocks().upper_bound((const char *)p);
	if (after != blocks().begin()) {
		--after;
		if ((const char *)p < after->first + after->second)
			return GDRAM;
	}
	return HOST;
}

/* N bytes at P lie in space S, within one block of it. */
inline void
check_place(const char *what, space s, const void *p, int64_t n)
{
	space is = space_of(p);
	const char *end;

	if (n < 0)
		trap(what, "negative size");
	if (is != s)
		trap(what, "operand lies in %s, not in %s", space_name(is),
		     space_name(s));
	if (s == GDRAM) {
		auto block = --blocks().upper_bound((const char *)p);
		end = block->first + block->second;
	} else {
		end = memory_of(s).start + memory_of(s).size;
	}
	if ((const char *)p + n > end)
		trap(what, "%lld bytes beyond the end of %s",
		     (long long)((const char *)p + n - end), space_name(s));
	if ((s == NRAM || s == WRAM) && self(what).mpu)
		trap(what, "the memory core has no %s", space_name(s));
}

/*
 * Was every byte written? No mark is made by scalar stores; these are told by
 * what they wrote: some byte of the word is not poison.
 */
inline bool
is_written(space s, const void *p, int64_t n)
{
	const uint8_t *mark;

	if (s == GDRAM || s == HOST)
		return true;
	mark = memory_of(s).shadow(p);
	if (!memchr(mark, 0, (size_t)n))
		return true;
	for (int64_t i = 0; i < n; i++) {
		uintptr_t word = ((uintptr_t)p + (uintptr_t)i) & ~(uintptr_t)3;
		uint32_t bits;

		memcpy(&bits, (const void *)word, sizeof(bits));
		if (!mark[i] && bits == UINT32_MAX)
			return false;
	}
	return true;
}

inline void
mark_written(space s, const void *p, int64_t n, bool written)
{
	if (s != GDRAM && s != HOST)
		memset(memory_of(s).shadow(p), written, (size_t)n);
}

inline void
check_written(const char *what, space s, const void *p, int64_t n)
{
	if (!is_written(s, p, n))
		trap(what, "reads bytes of %s that were never written",
		     space_name(s));
}

/* ------------------------------------------------------------ hazards -- */

inline bool
chunk_overlaps(const char *row, int64_t step, int64_t count, int64_t size,
	       const char *p, int64_t n)
{
	int64_t low = p - row - size + 1, high = p + n - row - 1;

	/* Some i in [0, count) with low <= i * step <= high? */
	if (step == 0 || count == 1)
		return low <= 0 && high >= 0;
	if (step < 0) {
		row += step * (count - 1);
		return chunk_overlaps(row, -step, count, size, p, n);
	}
	low = low <= 0 ? 0 : (low + step - 1) / step;
	high = high < 0 ? -1 : high / step;
	return low <= std::min(high, count - 1);
}

inline bool
side_overlaps(const side &s, int64_t size, const void *p, int64_t n)
{
	for (int64_t r = 0; r < s.rows; r++)
		if (chunk_overlaps(s.base + r * s.row_step, s.step, s.count,
				   size, (const char *)p, n))
			return true;
	return false;
}

/* No copy that was not waited for touches what is used now. */
inline void
check_settled(const char *what, const void *p, int64_t n, bool write)
{
	for (const copy &c : self(what).pending) {
		if (side_overlaps(c.dst, c.size, p, n))
			trap(what, "operand is still written by an "
				   "asynchronous copy");
		if (write && side_overlaps(c.src, c.size, p, n))
			trap(what, "result is still read by an asynchronous "
				   "copy");
	}
}

/* The compute queue may still be writing N bytes at P. */
inline void
note_computed(task &t, const void *p, int64_t n)
{
	const char *from = (const char *)p;

	for (range &r : t.computed) {
		if (from <= r.to && r.from <= from + n) {
			r.from = std::min(r.from, from);
			r.to = std::max(r.to, from + n);
			return;
		}
	}
	t.computed.push_back({from, from + n});
}

/* ----------------------------------------------------------- barriers -- */

void drain(task &t, bool io, bool move);        /* copies.h */

inline void
wait_at(const char *what, barrier b)
{
	task &t = self(what);

	drain(t, true, true);
	t.computed.clear();
	if (running->clusters == 0)
		return;
	t.waits = b;
	swapcontext(&t.context, &running->home);
}

/* Does barrier B of T need U? */
inline bool
concerns(barrier b, const task &t, const task &u)
{
	if (u.group != t.group)
		return false;
	if ((b == ALL_IPU || b == CLUSTER_IPU) && u.mpu)
		return false;
	return b == ALL || b == ALL_IPU || u.cluster == t.cluster;
}

/* Let go all tasks of barriers that everybody has reached. */
inline bool
release(job &j)
{
	std::vector<task *> free;

	for (task &t : j.tasks) {
		bool all = !t.done && t.waits != NO_BARRIER;

		for (const task &u : j.tasks)
			if (all && concerns(t.waits, t, u))
				all = u.waits == t.waits;
		if (all)
			free.push_back(&t);
	}
	size_t waiting = 0;
	for (const task &t : j.tasks)
		waiting += !t.done;
	if (free.size() == waiting)
		period++;
	else
		j.partial |= !free.empty();
	for (task *t : free)
		t->waits = NO_BARRIER;
	count.barriers += !free.empty();
	return !free.empty();
}

/* ------------------------------------------------------------- launch -- */

inline void
enter()
{
	running->body.run(running->body.of);
	drain(*running->now, true, true);
	running->now->done = true;
	swapcontext(&running->now->context, &running->home);
}

inline void
check_redzones(const char *what)
{
	for (const auto &b : blocks())
		for (size_t i = 0; i < REDZONE; i++)
			if (b.first[-1 - (int64_t)i] != (char)POISON ||
			    b.first[b.second + i] != (char)POISON)
				trap(what, "wrote outside of a block of "
					   "device memory");
}

inline void
check_budget(const char *kernel, space s, size_t kib)
{
	size_t used = memory_of(s).size - ANCHOR;

	if (used > kib * 1024)
		trap(kernel, "%zu bytes of %s, of %zu", used, space_name(s),
		     kib * 1024);
}

inline void
make_task(job &j, int id, bool mpu, int group, int cluster, int core)
{
	task t = {};

	t.id = id;
	t.mpu = mpu;
	t.group = group;
	t.cluster = cluster;
	t.core = core;
	j.tasks.push_back(std::move(t));
}

inline void
make_tasks(job &j, int type)
{
	int n = (int)(j.x * j.y * j.z), width = j.clusters * CORES;

	for (int id = 0; id < n; id++) {
		int in = width ? id % width : 0;

		make_task(j, id, false, width ? id / width : id, in / CORES,
			  in % CORES);
	}
	for (int first = 0; type > 1 && first < n; first += CORES)
		make_task(j, first, true, first / width,
			  first % width / CORES, 0x80);
}

inline void
run_until_blocked(job &j, task &t)
{
	auto cluster = std::make_pair(t.group, t.cluster);

	memory_of(SRAM).load(j.sram[cluster]);
	memory_of(NRAM).load(t.nram);
	memory_of(WRAM).load(t.wram);
	j.now = &t;
	swapcontext(&j.home, &t.context);
	j.now = nullptr;
	if (t.done) {
		memory_of(NRAM).drop(t.nram);
		memory_of(WRAM).drop(t.wram);
		t.stack.reset();
	}
}

inline void
start_tasks(job &j)
{
	for (task &t : j.tasks) {
		t.stack.reset(new char[STACK_BYTES]);
		getcontext(&t.context);
		t.context.uc_stack.ss_sp = t.stack.get();
		t.context.uc_stack.ss_size = STACK_BYTES;
		t.context.uc_link = &j.home;
		makecontext(&t.context, enter, 0);
	}
}

inline void
schedule(job &j)
{
	std::mt19937 random((unsigned)setting("BANG_EMU_SEED"));
	std::vector<size_t> order(j.tasks.size());

	for (size_t i = 0; i < order.size(); i++)
		order[i] = i;
	for (;;) {
		bool left = false;

		if (setting("BANG_EMU_SEED"))
			std::shuffle(order.begin(), order.end(), random);
		for (size_t i : order) {
			task &t = j.tasks[i];

			if (!t.done && t.waits == NO_BARRIER)
				run_until_blocked(j, t);
			left |= !t.done;
		}
		if (!left)
			return;
		if (!release(j))
			trap(j.kernel, "a barrier that not all of its tasks "
				       "reach");
	}
}

void forget_clusters();                         /* races.h */

/* TYPE as in cnrtFunctionType_t: 1 for Block, 4 for each cluster of a union. */
inline void
launch(const char *kernel, unsigned x, unsigned y, unsigned z, int type,
       call body)
{
	job j = {};
	counters before = count;

	check_budget(kernel, NRAM, BANG_EMU_NRAM_BUDGET);
	check_budget(kernel, WRAM, __MLU_WRAM_SIZE__);
	check_budget(kernel, SRAM, __MLU_SRAM_SIZE__);
	if (x == 0 || y == 0 || z == 0)
		trap(kernel, "launched without tasks");
	if (type > 1 && x % (unsigned)type != 0)
		trap(kernel, "dim.x is %u; a union of this type needs a "
			     "multiple of %d",
		     x, type);
	if (type == 1 && memory_of(SRAM).size > ANCHOR)
		trap(kernel, "independent tasks share no SRAM");
	j.kernel = kernel;
	j.x = x;
	j.y = y;
	j.z = z;
	j.clusters = type > 1 ? type / CORES : 0;
	j.body = body;
	make_tasks(j, type);
	start_tasks(j);
	running = &j;
	period++;
	count.launches++;
	schedule(j);
	running = nullptr;
	for (auto &s : j.sram)
		memory_of(SRAM).drop(s.second);
	forget_clusters();
	add_counters(counts_by_kernel()[kernel], count, before);
	check_redzones(kernel);
}

} // namespace bang_emu

#define taskId (bang_emu::running->now->id)
#define taskIdX (taskId % (int)bang_emu::running->x)
#define taskIdY \
	(taskId / (int)bang_emu::running->x % (int)bang_emu::running->y)
#define taskIdZ \
	(taskId / (int)bang_emu::running->x / (int)bang_emu::running->y)
#define taskDimX ((int)bang_emu::running->x)
#define taskDimY ((int)bang_emu::running->y)
#define taskDimZ ((int)bang_emu::running->z)
#define taskDim (taskDimX * taskDimY * taskDimZ)
#define clusterId (bang_emu::running->now->cluster)
#define clusterDim (bang_emu::running->clusters)
#define coreId (bang_emu::running->now->core)
#define coreDim ((int)bang_emu::CORES)

inline bool
__is_mpu()
{
	return coreId == 0x80;
}

inline bool
__is_ipu()
{
	return !__is_mpu();
}

#define LAUNCH(kernel, dim, type, queue, ...)                            \
	((void)(queue),                                                  \
	 bang_emu::launch(#kernel, (dim).x, (dim).y, (dim).z, (int)(type), \
			  bang_emu::call_of([&] { kernel(__VA_ARGS__); })))

/* A pointer into WRAM counts all bytes, not those of one bank. */
#define RELAY_WRAM_AT(bytes) (bytes)

/* Emitted code says how much it computes element by element. */
#define RELAY_SCALAR_OPS(n) ((void)(bang_emu::count.scalar += (uint64_t)(n)))

#endif
