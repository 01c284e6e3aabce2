/*
 * fuzz-ops [--hostile] [--unknown] [--bang=HEADERS [--host]] [--jobs=N]
 *          [--counts] FILE
 *
 * Runs the cases of FILE in child processes. A child that dies or hangs is a
 * finding, and another goes on after it. Status 1 if anything was found.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/vec.h"
#include "utils/fuzz-ops/fuzz_ops.h"

enum { SECONDS = 20, MAX_JOBS = 64, MAX_BANG_JOBS = 4 };
#define MOST_MEMORY ((rlim_t)6 << 30)

static const char *const names[FUZZ_RESULTS] = {
	"not run", "same",   "evaluated", "not compiled", "refused",
	"large",   "differ", "one fails", "crash",        "hang",
};

/* What parent and children both see. */
struct shared {
	size_t current[MAX_JOBS];
	uint8_t result[];
};

struct run {
	struct fuzz_options o;
	unsigned jobs;
	bool counts;
	VEC(struct fuzz_case) cases;
	struct shared *shared;
	pid_t child[MAX_JOBS];
};

static bool
is_head(const char *p, const char *end)
{
	static const char head[] = "//: case ";

	return (size_t)(end - p) >= sizeof(head) - 1 &&
	       !memcmp(p, head, sizeof(head) - 1);
}

static void
add_case(struct run *r, const char *p, const char *end, unsigned line)
{
	struct fuzz_case c = {.text = p, .len = (size_t)(end - p)};
	const char *name = p + strlen("//: case ");
	size_t n = strcspn(name, "\n");
	char *copy = xmalloc(n + 1);

	memcpy(copy, name, n);
	copy[n] = '\0';
	c.name = copy;
	c.op = strrchr(copy, ' ');
	c.op = c.op ? c.op + 1 : copy;
	c.line = line;
	vec_push(&r->cases, c);
}

static void
split(struct run *r, const char *text)
{
	const char *end = text + strlen(text), *start = NULL;
	unsigned line = 1;

	for (const char *p = text; p < end; line++) {
		const char *eol = p + strcspn(p, "\n");

		if (is_head(p, end)) {
			if (start)
				add_case(r, start, p, line);
			start = p;
		}
		p = eol + (*eol != '\0');
	}
	if (start)
		add_case(r, start, end, line);
}

/* Messages of one case at once, so that those of two do not mix. */
static void
say(const struct buf *text)
{
	size_t done = 0;

	while (done < text->len) {
		ssize_t n = write(1, text->at + done, text->len - done);

		if (n <= 0)
			return;
		done += (size_t)n;
	}
}

/* SIGPROF after so much time of a processor: a busy machine hangs nothing. */
static void
limit_time(time_t seconds)
{
	struct itimerval t = {.it_value = {.tv_sec = seconds}};

	setitimer(ITIMER_PROF, &t, NULL);
}

/*
 * The first case of JOB from I on. Those for one kind of MLU go to the same
 * job, if there are enough of them, as they are compiled together.
 */
static size_t
next_of(const struct run *r, unsigned job, size_t i)
{
	while (i < r->cases.len &&
	       (r->o.bang ? fuzz_machine(&r->cases.at[i]) : i) % r->jobs != job)
		i++;
	return i;
}

static void
work_in_batches(struct run *r, unsigned job, size_t from)
{
	struct fuzz_batch *b = fuzz_batch_new(&r->o);

	for (size_t i = next_of(r, job, from); i < r->cases.len;
	     i = next_of(r, job, i + 1)) {
		r->shared->current[job] = i;
		fuzz_batch_add(b, &r->cases.at[i], i, &r->shared->result[i]);
	}
	fuzz_batch_end(b);
}

static void
work(struct run *r, unsigned job, size_t from)
{
	struct rlimit limit = {MOST_MEMORY, MOST_MEMORY};

#ifndef __SANITIZE_ADDRESS__
	setrlimit(RLIMIT_AS, &limit);
#else
	(void)limit;
#endif
	if (r->o.bang)
		work_in_batches(r, job, from);
	for (size_t i = next_of(r, job, from); !r->o.bang && i < r->cases.len;
	     i = next_of(r, job, i + 1)) {
		struct buf out = {0};

		r->shared->current[job] = i;
		limit_time(SECONDS);
		r->shared->result[i] =
			fuzz_try(&r->cases.at[i], i, &r->o, &out);
		say(&out);
		buf_free(&out);
	}
	limit_time(0);
	fflush(NULL);
	_exit(0);
}

static void
start(struct run *r, unsigned job, size_t from)
{
	fflush(NULL);
	r->child[job] = fork();
	if (r->child[job] == 0)
		work(r, job, from);
}

/* A child died over a case; go on after it. */
static void
bury(struct run *r, unsigned job, int status)
{
	size_t i = r->shared->current[job];
	const struct fuzz_case *c = &r->cases.at[i];
	bool hang = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF;
	struct buf out = {0};

	r->shared->result[i] = hang ? FUZZ_HANG : FUZZ_CRASH;
	buf_printf(&out, "%s: case %s: signal %d, status %d\n%.*s\n",
		   hang ? "HANG" : "CRASH", c->name,
		   WIFSIGNALED(status) ? WTERMSIG(status) : 0,
		   WIFEXITED(status) ? WEXITSTATUS(status) : 0, (int)c->len,
		   c->text);
	say(&out);
	buf_free(&out);
	i = next_of(r, job, i + 1);
	if (i < r->cases.len)
		start(r, job, i);
	else
		r->child[job] = 0;
}

static void
run_all(struct run *r)
{
	unsigned alive = 0;

	for (unsigned j = 0; j < r->jobs && j < r->cases.len; j++)
		start(r, j, 0);
	do {
		int status;
		pid_t pid = wait(&status);

		alive = 0;
		for (unsigned j = 0; j < r->jobs; j++) {
			if (pid > 0 && r->child[j] == pid) {
				r->child[j] = 0;
				if (status)
					bury(r, j, status);
			}
			alive += r->child[j] > 0;
		}
	} while (alive);
}

/* "count NAME same refused ...", for whoever sums up. */
static void
print_counts(const struct run *r)
{
	for (size_t i = 0; i < r->cases.len; i++)
		printf("count %s %s\n", r->cases.at[i].op,
		       names[r->shared->result[i]]);
}

static int
sum_up(const struct run *r)
{
	size_t n[FUZZ_RESULTS] = {0}, bad = 0;

	for (size_t i = 0; i < r->cases.len; i++)
		n[r->shared->result[i]]++;
	for (int k = 0; k < FUZZ_RESULTS; k++) {
		if (n[k])
			printf("%s%zu %s", bad++ ? ", " : "", n[k], names[k]);
	}
	putchar('\n');
	bad = n[FUZZ_NONE] + n[FUZZ_DIFFERS] + n[FUZZ_ONE_FAILS] +
	      n[FUZZ_CRASH] + n[FUZZ_HANG];
	if (!r->o.hostile && !r->o.unknown)
		bad += n[FUZZ_REFUSED];
	return bad != 0;
}

static bool
options(struct run *r, int argc, char **argv, const char **path)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--hostile"))
			r->o.hostile = true;
		else if (!strcmp(argv[i], "--unknown"))
			r->o.unknown = true;
		else if (!strcmp(argv[i], "--host"))
			r->o.host = true;
		else if (!strcmp(argv[i], "--counts"))
			r->counts = true;
		else if (!strncmp(argv[i], "--bang=", 7))
			r->o.headers = argv[i] + 7;
		else if (!strncmp(argv[i], "--jobs=", 7))
			r->jobs = (unsigned)atoi(argv[i] + 7);
		else if (argv[i][0] == '-' && argv[i][1])
			return false;
		else
			*path = argv[i];
	}
	r->o.bang = r->o.headers != NULL;
	if (r->o.bang && r->jobs > MAX_BANG_JOBS)
		r->jobs = MAX_BANG_JOBS;
	return r->jobs >= 1 && r->jobs <= MAX_JOBS;
}

int
main(int argc, char **argv)
{
	struct buf text = {0}; /* cases point into it */
	static struct run r = {.jobs = 2, .o.third = true};
	const char *path = "-";
	FILE *f;

	if (!options(&r, argc, argv, &path)) {
		fprintf(stderr, "usage: fuzz-ops [--hostile] [--unknown] "
				"[--bang=HEADERS [--host]] "
				"[--jobs=N] [--counts] [FILE]\n");
		return 1;
	}
	f = strcmp(path, "-") ? fopen(path, "r") : stdin;
	if (!f) {
		perror(path);
		return 1;
	}
	buf_read(&text, f);
	split(&r, text.at ? text.at : "");
	r.shared =
		mmap(NULL, sizeof(*r.shared) + r.cases.len + 1,
		     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r.shared == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	run_all(&r);
	if (r.counts)
		print_counts(&r);
	return sum_up(&r);
}
