#include "passes/bisect.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/source.h"

struct trials {
	const struct bisect *b;
	struct arena *arena;
	struct diag *d;
	const char *module; /* files of a trial */
	const char *messages;
	const char *what; /* the last run of the last trial, or NULL */
	bool no_command;  /* the shell could not run it */
	long long runs;   /* how many it had */
	unsigned count;
};

static void
redirect(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0)
		_exit(127);
	dup2(fd, 2);
	dup2(fd, 1);
	close(fd);
}

/* Wait for CHILD; its status, or -1 if it has none. */
static int
status_of(pid_t child)
{
	int status;

	return child > 0 && waitpid(child, &status, 0) == child &&
			       WIFEXITED(status)
		       ? WEXITSTATUS(status)
		       : -1;
}

static bool
run_passes(struct trials *t, long long limit)
{
	pid_t child = fork();

	if (child != 0)
		return status_of(child) == 0;
	if (t->b->timeout)
		alarm((unsigned)t->b->timeout);
	redirect(t->messages);
	_exit(t->b->run(t->b->env, limit, t->module) ? 0 : 1);
}

/* Does the command read its standard input: has it a word "-"? */
static bool
reads_input(const char *command)
{
	for (const char *p = command; (p = strchr(p, '-')); p++)
		if ((p == command || p[-1] == ' ') &&
		    (p[1] == ' ' || p[1] == '\0'))
			return true;
	return false;
}

/* In the process of the command: it reads the module, and is not heard. */
static void
exec_command(struct trials *t)
{
	bool input = reads_input(t->b->command);
	const char *script = arena_printf(t->arena, input ? "%s" : "%s \"$1\"",
					  t->b->command);
	int fd = open(t->module, O_RDONLY);

	if (t->b->timeout)
		alarm((unsigned)t->b->timeout);
	if (fd >= 0)
		dup2(fd, 0);
	redirect("/dev/null");
	execl("/bin/sh", "sh", "-c", script, "sh", t->module, (char *)NULL);
	_exit(127);
}

static bool
run_command(struct trials *t)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		exec_command(t);
	status = status_of(child);
	t->no_command = status == 126 || status == 127;
	return status == 0;
}

/*
 * From the lines "BISECT: running pass (N) NAME on WHAT": the number of runs,
 * and what the last one that happened was.
 */
static void
read_messages(struct trials *t)
{
	static const char before[] = "BISECT: ";
	struct source s;
	const char *reason;

	t->runs = 0;
	t->what = NULL;
	if (!source_open(&s, t->messages, &reason))
		return;
	for (unsigned i = 1; i == 1 || i <= s.nlines; i++) {
		size_t len;
		const char *line = source_line(&s, i, &len);
		const char *end;

		if (len < sizeof(before) ||
		    memcmp(line, before, sizeof(before) - 1) != 0)
			continue;
		t->runs++;
		if (memcmp(line + sizeof(before) - 1, "running", 7) != 0)
			continue;
		end = memchr(line, ')', len);
		if (end && end + 2 < line + len)
			t->what = arena_strndup(t->arena, end + 2,
						(size_t)(line + len - end - 2));
	}
	source_free(&s);
}

/* Is what comes out good if only the first LIMIT runs happen? */
static bool
is_good(struct trials *t, long long limit)
{
	bool good = run_passes(t, limit);

	t->count++;
	read_messages(t);
	return good && (!*t->b->command || run_command(t));
}

/* The number of the first run that makes it bad. */
static long long
search(struct trials *t, long long runs)
{
	long long good = 0;
	long long bad = runs;

	while (bad - good > 1) {
		long long middle = good + (bad - good) / 2;

		if (is_good(t, middle))
			good = middle;
		else
			bad = middle;
	}
	return bad;
}

static bool
find(struct trials *t, struct buf *out)
{
	long long runs;
	long long bad;

	if (!is_good(t, 0)) {
		if (t->no_command)
			diag_error(t->d, LOC_NONE, "bisect: cannot run '%s'",
				   t->b->command);
		else
			diag_error(t->d, LOC_NONE,
				   "bisect: it is bad already before the "
				   "first pass");
		return false;
	}
	if (is_good(t, -1)) {
		diag_error(t->d, LOC_NONE,
			   "bisect: it is good even after all passes");
		return false;
	}
	runs = t->runs;
	if (runs == 0) {
		diag_error(t->d, LOC_NONE, "bisect: no pass runs");
		return false;
	}
	bad = search(t, runs);
	is_good(t, bad);
	buf_printf(out, "pass %lld of %lld: %s (%u trials)\n", bad, runs,
		   t->what ? t->what : "?", t->count);
	return true;
}

bool
bisect_run(const struct bisect *b, struct buf *out, struct arena *a,
	   struct diag *d)
{
	struct trials t = {.b = b, .arena = a, .d = d};
	const char *tmp = getenv("TMPDIR");
	char *folder = arena_printf(a, "%s/relay-bisect-XXXXXX",
				    tmp && *tmp ? tmp : "/tmp");
	bool ok;

	if (!mkdtemp(folder)) {
		diag_error(d, LOC_NONE, "cannot make a temporary folder");
		return false;
	}
	t.module = arena_printf(a, "%s/module.relay", folder);
	t.messages = arena_printf(a, "%s/messages", folder);
	ok = find(&t, out);
	unlink(t.module);
	unlink(t.messages);
	rmdir(folder);
	return ok;
}
