/*
 * Asking whether candidates are interesting: a process for each, so that it
 * may crash or hang.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "parser/parser.h"
#include "passes/manager.h"
#include "passes/reduce/reduce.h"
#include "support/clock.h"
#include "support/outfile.h"

enum { INTERESTING = 0, DULL = 1 };
enum { VALIDATE_RUNS = 4 };

struct test {
	pid_t pid;
	char path[4096];
	bool done;
	bool interesting;
	bool no_command; /* the shell could not run it */
};

/* In the child: run the passes over the module. */
static int
run_passes(const struct reduce_oracle *o, const struct reduce_state *s)
{
	struct pass_options options = o->passes;
	struct parse_options parse = PARSE_OPTIONS_DEFAULT;
	struct pass_manager pm;
	struct pass_pipeline p;
	struct arena a = {0};
	struct source text;
	struct source pipe;
	struct diag d;
	ir_module *m;

	diag_init(&d, "relay-reduce", NULL);
	if (o->miscompile && options.validate < VALIDATE_RUNS)
		options.validate = VALIDATE_RUNS;
	source_init(&text, "<candidate>", s->module.at, s->module.len);
	source_init(&pipe, NULL, s->pipeline.at ? s->pipeline.at : "",
		    s->pipeline.len);
	d.source = &text;
	pass_pipeline_init(&p);
	parse.allow_unknown_ops = o->allow_unknown_ops;
	m = parse_module(ir_context_new(), &text, &d, &parse);
	if (!m || !pass_pipeline_parse(&p, &pipe, &a, &d) ||
	    !pass_manager_init(&pm, &d, &options, &a))
		return DULL;
	pm.allow_unknown_ops = o->allow_unknown_ops;
	pass_manager_run(&pm, &p, m, o->no_infer);
	return o->miscompile && pm.results_differ ? INTERESTING : DULL;
}

static void
silence(void)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0)
		return;
	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
}

/* In the child: COMMAND ARGUMENTS.. PATH, by the shell. */
static void
run_command(const struct reduce_oracle *o, const char *path)
{
	size_t n = o->arguments.len;
	const char **argv = xcalloc(n + 6, sizeof(*argv));
	struct buf script = {0};

	buf_printf(&script, "%s \"$@\"", o->command);
	argv[0] = "sh";
	argv[1] = "-c";
	argv[2] = script.at;
	argv[3] = "sh";
	for (size_t i = 0; i < n; i++)
		argv[4 + i] = o->arguments.at[i];
	argv[4 + n] = path;
	execv("/bin/sh", (char *const *)(uintptr_t)argv);
}

static bool
start(const struct reduce_oracle *o, const struct reduce_state *s,
      struct test *t, size_t number, struct diag *d)
{
	struct buf text = {0};
	bool ok = true;

	snprintf(t->path, sizeof(t->path), "%s/candidate%zu.relay",
		 o->directory, number);
	if (o->command) {
		reduce_state_text(&text, s);
		ok = outfile_write(t->path, text.at, text.len, d);
		buf_free(&text);
	}
	t->pid = ok ? fork() : -1;
	if (t->pid == 0) {
		setpgid(0, 0);
		if (!o->verbose || !o->command)
			silence();
		if (!o->command)
			_exit(run_passes(o, s));
		run_command(o, t->path);
		_exit(127);
	}
	if (t->pid > 0)
		setpgid(t->pid, t->pid);
	else if (ok)
		diag_error(d, LOC_NONE, "cannot start a process");
	return t->pid > 0;
}

/* Has T ended? If so, its answer is there. */
static void
look(const struct reduce_oracle *o, struct test *t)
{
	int status;

	if (t->done || waitpid(t->pid, &status, WNOHANG) != t->pid)
		return;
	t->done = true;
	if (o->crash && !o->command)
		t->interesting = WIFSIGNALED(status);
	else
		t->interesting = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	t->no_command =
		o->command && WIFEXITED(status) &&
		(WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127);
}

static void
stop(struct test *t)
{
	int status;

	if (t->done)
		return;
	kill(-t->pid, SIGKILL);
	waitpid(t->pid, &status, 0);
	t->done = true;
	t->interesting = false;
}

/* Wait until it is known which of the tests is the first interesting one. */
static size_t
wait_for(const struct reduce_oracle *o, struct test *tests, size_t n)
{
	double end = clock_now() + (double)o->timeout;
	struct timespec pause = {0, 200000};

	for (;;) {
		size_t first = 0;

		for (size_t i = 0; i < n; i++)
			look(o, &tests[i]);
		while (first < n && tests[first].done &&
		       !tests[first].interesting)
			first++;
		if (first == n || tests[first].done)
			return first;
		if (o->timeout && clock_now() > end)
			for (size_t i = 0; i < n; i++)
				stop(&tests[i]);
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 20000000)
			pause.tv_nsec += pause.tv_nsec / 4;
	}
}

size_t
reduce_ask(const struct reduce_oracle *o, const struct reduce_state *states,
	   size_t n, struct diag *d)
{
	struct test *tests = xcalloc(n + 1, sizeof(*tests));
	size_t started = 0;
	size_t first;

	while (started < n &&
	       start(o, &states[started], &tests[started], started, d))
		started++;
	first = wait_for(o, tests, started);
	for (size_t i = 0; i < started; i++) {
		stop(&tests[i]);
		if (o->command)
			unlink(tests[i].path);
		if (o->probe && tests[i].no_command)
			diag_error(d, LOC_NONE, "cannot run '%s'", o->command);
	}
	free(tests);
	return first < started ? first : n;
}
