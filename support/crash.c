#include "support/crash.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/memory.h"
#include "support/outfile.h"
#include "support/version.h"

static struct {
	const char *tool;
	int argc;
	char **argv;
	const char *what;
	const char *name;
	const char *function;
	const char *path;
	const char *text;
	size_t len;
	char stack[16384]; /* the usual one may be used up */
} state;

static void
say(const char *s)
{
	if (write(STDERR_FILENO, s, strlen(s)) < 0)
		return;
}

static void
write_reproducer(void)
{
	int fd;

	if (!state.path)
		return;
	fd = open(state.path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0 || write(fd, state.text, state.len) < 0) {
		say("cannot write the reproducer\n");
		return;
	}
	close(fd);
	say("reproducer: ");
	say(state.path);
	say("\n");
}

/* What was going on. */
static void
say_doing(const char *before)
{
	if (!state.what)
		return;
	say(before);
	say(state.what);
	say(": ");
	say(state.name);
	if (state.function) {
		say(" on @");
		say(state.function);
	}
	say("\n");
}

static void
say_what(void)
{
	say(state.tool);
	say(": crashed; please report this together with what follows\n"
	    "version: " RELAY_VERSION "\narguments:");
	for (int i = 0; i < state.argc; i++) {
		say(" ");
		say(state.argv[i]);
	}
	say("\n");
	say_doing("");
}

/* End as an error of the user's, who set a limit. */
static _Noreturn void
end_at_limit(const char *error, int status)
{
	outfile_remove_pending();
	say(state.tool);
	say(error);
	if (state.what) {
		say(state.tool);
		say_doing(": note: ");
	}
	_exit(status);
}

static void
on_crash(int sig)
{
	outfile_remove_pending();
	say_what();
	write_reproducer();
	raise(sig);
}

/* Interrupted from outside: no fault of ours, but no half files either. */
static void
on_interrupt(int sig)
{
	outfile_remove_pending();
	raise(sig);
}

static void
on_timeout(int sig)
{
	(void)sig;
	end_at_limit(": error: timeout\n", 124);
}

static void
on_no_memory(void)
{
	end_at_limit(": error: more memory is needed than --max-memory "
		     "allows\n",
		     1);
}

static void
handle(int sig, void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

	sigemptyset(&action.sa_mask);
	sigaction(sig, &action, NULL);
}

void
crash_install(const char *tool, int argc, char **argv)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	stack_t stack = {.ss_sp = state.stack, .ss_size = sizeof(state.stack)};
	int flags = (int)SA_RESETHAND | SA_NODEFER | SA_ONSTACK;

	state.tool = tool;
	state.argc = argc;
	state.argv = argv;
	handle(SIGPIPE, SIG_IGN, 0);
	handle(SIGINT, on_interrupt, flags);
	handle(SIGTERM, on_interrupt, flags);
	handle(SIGHUP, on_interrupt, flags);
#if !defined(__SANITIZE_ADDRESS__)
	if (sigaltstack(&stack, NULL) == 0)
		for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
			handle(faults[i], on_crash, flags);
#else
	(void)stack;
	(void)faults;
	(void)on_crash;
#endif
}

void
crash_doing(const char *what, const char *name, const char *function)
{
	state.what = what;
	state.name = name;
	state.function = function;
}

void
crash_reproducer(const char *path, const char *text, size_t len)
{
	state.path = path;
	state.text = text;
	state.len = len;
}

void
crash_max_memory(size_t bytes)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) != 0)
		return;
	limit.rlim_cur = (rlim_t)bytes;
	setrlimit(RLIMIT_AS, &limit);
	memory_gone = on_no_memory;
}

void
crash_timeout(unsigned seconds)
{
	handle(SIGALRM, on_timeout, 0);
	alarm(seconds);
}
