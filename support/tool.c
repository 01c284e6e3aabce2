#include "support/tool.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/crash.h"
#include "support/diag_json.h"
#include "support/outfile.h"
#include "support/version.h"

#ifdef NDEBUG
#define ASSERTIONS "off"
#else
#define ASSERTIONS "on"
#endif

static void
put_stdout(struct tool *t, struct buf *text)
{
	if (!outfile_write("-", text->at, text->len, &t->diag))
		t->status = 1;
	buf_free(text);
}

static void
print_version(struct tool *t)
{
	struct buf out = {0};

	buf_printf(&out, "%s %s (relay text %s, tvm 0.18 compatible)\n",
		   t->set.tool, RELAY_VERSION, RELAY_TEXT_VERSION);
	buf_printf(&out, "compiler %s, assertions " ASSERTIONS "\n",
		   __VERSION__);
	buf_printf(&out, "targets: %s\n", t->targets ? t->targets : "none");
	put_stdout(t, &out);
}

static void
print_help(struct tool *t, const struct tool_options *o)
{
	struct buf out = {0};
	const char *topic = o->help ? o->help : "";

	if (!*topic) {
		options_help(&out, &t->set, o->help_hidden);
		put_stdout(t, &out);
	} else if (t->topic && t->topic(&out, topic)) {
		put_stdout(t, &out);
	} else {
		diag_error(&t->diag, LOC_NONE, "no help on '%s'", topic);
	}
	buf_free(&out);
}

static void
print_completion(struct tool *t, const char *shell)
{
	struct buf out = {0};

	if (options_completion(&out, &t->set, shell))
		put_stdout(t, &out);
	else
		diag_error(&t->diag, LOC_NONE,
			   "no completion for '%s', but for bash, zsh, fish",
			   shell);
	buf_free(&out);
}

static bool
wants_color(int choice)
{
	const char *term = getenv("TERM");
	const char *no_color = getenv("NO_COLOR");

	if (choice)
		return choice == 1;
	return isatty(STDERR_FILENO) && !(no_color && *no_color) &&
	       !(term && strcmp(term, "dumb") == 0);
}

static void
add_environment(struct tool *t, const char *name)
{
	const char *value = getenv(name);

	if (value)
		options_split(value, strlen(value), &t->words, &t->arena);
}

/* RELAY_OPTS, RELAY_OPT_OPTS for relay-opt, then the command line. */
static void
collect_words(struct tool *t, int argc, char **argv)
{
	char *own = arena_printf(&t->arena, "%s_OPTS", t->set.tool);
	bool use_env = true;

	for (char *p = own; *p; p++)
		*p = (char)(*p == '-' ? '_' : toupper((unsigned char)*p));
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--no-env") == 0 ||
		    strcmp(argv[i], "-no-env") == 0)
			use_env = false;
	if (use_env) {
		add_environment(t, "RELAY_OPTS");
		add_environment(t, own);
	}
	for (int i = 1; i < argc; i++)
		option_list_add(&t->words, argv[i], &t->arena);
}

static void
apply(struct tool *t, const struct tool_options *o)
{
	t->diag.color = wants_color(o->color);
	t->diag.max_errors = (unsigned)o->max_errors;
	t->diag.werror = o->strict;
	t->diag.no_warnings = !o->warnings;
	if (o->format == 1)
		diag_use_json(&t->diag);
	if (o->timeout)
		crash_timeout((unsigned)o->timeout);
	if (o->max_memory)
		crash_max_memory((size_t)o->max_memory);
}

bool
tool_start(struct tool *t, int argc, char **argv, void *values,
	   struct tool_options *common)
{
	bool ok;

	crash_install(t->set.tool, argc, argv);
	diag_init(&t->diag, t->set.tool, NULL);
	common->max_errors = t->diag.max_errors;
	common->warnings = true;
	collect_words(t, argc, argv);
	t->diag.color = wants_color(0);
	t->set.given = ARENA_NEW_ARRAY(&t->arena, t->set.count, bool);
	ok = options_parse(&t->set, t->words.len, t->words.at, values,
			   &t->operands, &t->arena, &t->diag);
	if (common->help || common->help_hidden) {
		t->diag.errors = 0;
		print_help(t, common);
		return false;
	}
	if (!ok)
		return false;
	if (common->version)
		print_version(t);
	else if (common->completion)
		print_completion(t, common->completion);
	else {
		apply(t, common);
		return true;
	}
	return false;
}

int
tool_end(struct tool *t)
{
	int status = t->status ? t->status : t->diag.errors != 0;

	arena_free(&t->arena);
	return status;
}

const char *
tool_input(struct tool *t)
{
	if (t->operands.len > 1) {
		diag_error(&t->diag, LOC_NONE,
			   "too many input files: '%s' after '%s'",
			   t->operands.at[1], t->operands.at[0]);
		return NULL;
	}
	if (t->operands.len == 1)
		return t->operands.at[0];
	if (isatty(STDIN_FILENO))
		fprintf(stderr, "%s: reading from terminal, end with Ctrl-D\n",
			t->set.tool);
	return "-";
}
