/*
 * fuzz-passes [--seed=N] [--pass=PIPE] [--chains=N] [--dir=DIR] [FILE]
 * fuzz-passes --list
 *
 * Runs every pass over each module of FILE, in a child process; when the child
 * dies or hangs, another goes on after the pipeline that did it. Each finding
 * is a line, and a file in DIR that relay-opt --run-reproducer runs. The last
 * lines are counts: "count OUTCOME N", and for each pipeline how many modules it
 * changed: "pipe N TEXT". Status 1 if anything was found.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/vec.h"
#include "utils/fuzz-passes/fuzz_passes.h"

#ifdef __SANITIZE_ADDRESS__
enum { SECONDS = 60 };
#else
enum { SECONDS = 10 };
#endif
#define MOST_MEMORY ((rlim_t)4 << 30)

static const char *const names[FUZZ_OUTCOMES] = {
	"not run", "unchanged",  "changed", "uncompared", "refused",
	"unknown", "invalid",    "numbers", "text",       "unsteady",
	"spoilt",  "bad module", "crash",   "hang",
};

/* What parent and child both see. */
struct shared {
	size_t module, pipe; /* at work; PIPE 0: reading the module */
	size_t count[FUZZ_OUTCOMES];
	size_t changed[]; /* how many modules each pipeline changed */
};

struct run {
	VEC(struct fuzz_module) modules;
	struct fuzz_pipes pipes;
	struct shared *shared;
	uint64_t seed;
	unsigned chains;
	const char *only;
	const char *dir;
	bool list;
};

static void
add_module(struct run *r, const char *p, const char *end)
{
	struct fuzz_module m = {.text = p, .len = (size_t)(end - p)};
	char *rest;

	m.number = strtoull(p + strlen("//: case "), &rest, 10);
	m.discrete = strncmp(rest, " discrete", 9) == 0;
	vec_push(&r->modules, m);
}

static void
split(struct run *r, const char *text)
{
	static const char head[] = "//: case ";
	const char *start = strstr(text, head);

	while (start) {
		const char *end = strstr(start + 1, head);

		add_module(r, start, end ? end : start + strlen(start));
		start = end;
	}
}

/* The module before PIPE in a file, with the way to run it. */
static void
save(struct run *r, const struct fuzz_module *m, const char *pipe,
     const char *kind, const char *text, size_t len, struct buf *path)
{
	size_t n = strcspn(pipe, ",<");
	FILE *f;

	buf_printf(path, "%s/%llu-%llu-%s-%.*s%s.relay", r->dir,
		   (unsigned long long)r->seed, (unsigned long long)m->number,
		   kind, (int)n, pipe, pipe[n] ? "-etc" : "");
	for (size_t i = strlen(r->dir); i < path->len; i++)
		if (path->at[i] == ' ')
			path->at[i] = '-';
	f = fopen(path->at, "w");
	if (!f)
		return;
	fprintf(f, "// relay-opt: --passes='%s'\n", pipe);
	fwrite(text, 1, len, f);
	fclose(f);
}

static void
tell(struct run *r, const struct fuzz_module *m, struct fuzz_subject *s,
     const char *pipe, enum fuzz_outcome o, const char *pass, const char *why)
{
	const char *text = s ? fuzz_subject_text(s)->at : m->text;
	size_t len = s ? fuzz_subject_text(s)->len : m->len;
	struct buf path = {0};

	save(r, m, pipe, names[o], text, len, &path);
	printf("FINDING %s: seed %llu case %llu: %s: %s%s%s\n  %s\n", names[o],
	       (unsigned long long)r->seed, (unsigned long long)m->number, pipe,
	       pass ? pass : "", pass ? ": " : "", why, path.at);
	fflush(stdout);
	buf_free(&path);
}

static bool
is_finding(enum fuzz_outcome o)
{
	return o >= FUZZ_UNKNOWN;
}

/* Pipelines FROM on (counted from 1) of a module. */
static void
try_module(struct run *r, const struct fuzz_module *m, size_t from)
{
	struct shared *sh = r->shared;
	struct buf why = {0}, pipe = {0};
	struct fuzz_subject *s;

	alarm(SECONDS);
	sh->pipe = from ? from : 0;
	s = fuzz_subject_new(m, r->seed, &why);
	if (!s) {
		sh->count[FUZZ_BAD_MODULE]++;
		tell(r, m, s, "infer-type", FUZZ_BAD_MODULE, NULL, why.at);
	}
	for (size_t i = from ? from - 1 : 0; s && i < r->pipes.len; i++) {
		const char *pass = NULL;
		enum fuzz_outcome o;

		why.len = 0;
		buf_putc(&why, '\0');
		why.len = 0;
		fuzz_pipe_text(&r->pipes, i, m->number, &pipe);
		sh->pipe = i + 1;
		alarm(SECONDS);
		o = fuzz_try(s, pipe.at, &why, &pass);
		sh->count[o]++;
		sh->changed[i] += o == FUZZ_CHANGED || o == FUZZ_UNCOMPARED;
		if (is_finding(o))
			tell(r, m, s, pipe.at, o, pass, why.at);
	}
	fuzz_subject_free(s);
	buf_free(&why);
	buf_free(&pipe);
}

static void
work(struct run *r, size_t module, size_t pipe)
{
#ifndef __SANITIZE_ADDRESS__
	struct rlimit limit = {MOST_MEMORY, MOST_MEMORY};

	setrlimit(RLIMIT_AS, &limit);
#endif
	for (size_t i = module; i < r->modules.len; i++) {
		r->shared->module = i;
		try_module(r, &r->modules.at[i], i == module ? pipe : 0);
	}
	alarm(0);
	fflush(NULL);
	_exit(0);
}

/* In a child of its own: the module of a crash is made anew to save it. */
static void
tell_death(struct run *r, const struct fuzz_module *m, const char *pipe,
	   enum fuzz_outcome o, int status, bool reading)
{
	struct buf why = {0};
	pid_t pid = fork();

	if (pid == 0) {
		struct fuzz_subject *s = NULL;
		struct buf error = {0};

		if (!reading)
			s = fuzz_subject_new(m, r->seed, &error);
		buf_printf(&why, "signal %d, status %d",
			   WIFSIGNALED(status) ? WTERMSIG(status) : 0,
			   WIFEXITED(status) ? WEXITSTATUS(status) : 0);
		tell(r, m, s, pipe, o, NULL, why.at);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* Go on behind what the child died of; false: there is no more. */
static bool
bury(struct run *r, int status, size_t *module, size_t *pipe)
{
	const struct fuzz_module *m = &r->modules.at[r->shared->module];
	bool hang = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
	enum fuzz_outcome o = hang ? FUZZ_HANG : FUZZ_CRASH;
	size_t at = r->shared->pipe;
	struct buf text = {0};

	r->shared->count[o]++;
	if (at)
		fuzz_pipe_text(&r->pipes, at - 1, m->number, &text);
	else
		buf_puts(&text, "infer-type");
	tell_death(r, m, text.at, o, status, at == 0);
	buf_free(&text);
	*module = r->shared->module;
	*pipe = at + 1;
	if (at == 0 || at == r->pipes.len) {
		++*module;
		*pipe = 0;
	}
	return *module < r->modules.len;
}

static void
run_all(struct run *r)
{
	size_t module = 0, pipe = 0;
	bool more = r->modules.len > 0;

	while (more) {
		pid_t pid;
		int status = 0;

		fflush(NULL);
		pid = fork();
		if (pid == 0)
			work(r, module, pipe);
		if (pid < 0 || waitpid(pid, &status, 0) < 0) {
			perror("fuzz-passes");
			exit(2);
		}
		more = status && bury(r, status, &module, &pipe);
	}
}

static int
sum_up(const struct run *r)
{
	size_t bad = 0;

	for (int k = 0; k < FUZZ_OUTCOMES; k++) {
		printf("count %s %zu\n", names[k], r->shared->count[k]);
		if (is_finding((enum fuzz_outcome)k))
			bad += r->shared->count[k];
	}
	printf("count pipelines %zu\n", r->pipes.len);
	for (size_t i = 0; i < r->pipes.fixed; i++)
		printf("pipe %zu %s\n", r->shared->changed[i], r->pipes.at[i]);
	return bad != 0;
}

static bool
options(struct run *r, int argc, char **argv, const char **path)
{
	for (int i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "--seed=", 7))
			r->seed = strtoull(argv[i] + 7, NULL, 10);
		else if (!strncmp(argv[i], "--pass=", 7))
			r->only = argv[i] + 7;
		else if (!strncmp(argv[i], "--chains=", 9))
			r->chains = (unsigned)atoi(argv[i] + 9);
		else if (!strncmp(argv[i], "--dir=", 6))
			r->dir = argv[i] + 6;
		else if (!strcmp(argv[i], "--list"))
			r->list = true;
		else if (argv[i][0] == '-' && argv[i][1])
			return false;
		else
			*path = argv[i];
	}
	return true;
}

int
main(int argc, char **argv)
{
	struct buf text = {0}; /* cases point into it */
	static struct run r = {.seed = 1, .chains = 2, .dir = "."};
	const char *path = "-";
	size_t size;
	FILE *f;

	if (!options(&r, argc, argv, &path)) {
		fprintf(stderr, "usage: fuzz-passes [--seed=N] [--pass=PIPE] "
				"[--chains=N] [--dir=DIR] [FILE]\n");
		return 2;
	}
	fuzz_pipes_init(&r.pipes, r.only, r.chains, r.seed);
	if (r.list)
		return !fuzz_pipes_list(&r.pipes);
	f = strcmp(path, "-") ? fopen(path, "r") : stdin;
	if (!f) {
		perror(path);
		return 2;
	}
	buf_read(&text, f);
	split(&r, text.at ? text.at : "");
	size = sizeof(*r.shared) + r.pipes.len * sizeof(r.shared->changed[0]);
	r.shared = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r.shared == MAP_FAILED) {
		perror("mmap");
		return 2;
	}
	run_all(&r);
	return sum_up(&r);
}
