/*
 * What all tools have in common: the options of every tool, the environment,
 * help, colour, crashes.
 *
 *     struct my_options { struct tool_options tool; const char *output; };
 *     static const struct option_def table[] = {
 *             { "o", OPTION_TEXT, offsetof(struct my_options, output), ... },
 *             TOOL_OPTIONS(struct my_options, tool)
 *     };
 *
 *     int main(int argc, char **argv)
 *     {
 *             struct tool t = { .set = ..., .targets = ... };
 *
 *             if (!tool_start(&t, argc, argv, &options, &options.tool))
 *                     return tool_end(&t);
 *             ... t.operands, t.diag, t.arena ...
 *             return tool_end(&t);
 *     }
 */
#ifndef RELAY_SUPPORT_TOOL_H
#define RELAY_SUPPORT_TOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "support/arena.h"
#include "support/diag.h"
#include "support/options.h"

struct tool_options {
	const char *help; /* a topic, or "" */
	bool help_hidden;
	bool version;
	int color;  /* auto, always, never */
	int format; /* of diagnostics: text, json */
	bool strict;
	bool warnings;
	bool no_env;
	long long max_errors;
	long long timeout;
	long long max_memory;
	const char *completion;
};

struct tool {
	struct option_set set;
	const char *targets; /* third line of --version, or NULL */
	/* Prints a topic of --help=TOPIC to OUT; false: no such topic. */
	bool (*topic)(struct buf *out, const char *topic);

	/* Filled in by tool_start. */
	struct arena arena;
	struct diag diag;
	struct option_list operands;
	struct option_list words; /* all arguments in force */
	int status;               /* exit status so far */
};

/*
 * Parse the command line into VALUES, of which COMMON is a part. False if
 * there is nothing left to do but to return tool_end: help was asked for, or
 * the options are wrong.
 */
bool tool_start(struct tool *t, int argc, char **argv, void *values,
		struct tool_options *common);

/* Free T; the exit status: t->status, or 1 after errors. */
int tool_end(struct tool *t);

/*
 * The input named by the operands: at most one, else "-". NULL after
 * reporting that there are too many. Says so when a terminal is read.
 */
const char *tool_input(struct tool *t);

#define TOOL_FIELD(type, member, field) \
	(offsetof(type, member) + offsetof(struct tool_options, field))

/* Rows of an option table. */
/* clang-format off */
#define TOOL_OPTIONS(type, member)                                             \
	{ "General options", OPTION_HEADING, 0, NULL, NULL, NULL, 0 },         \
	{ "help", OPTION_TEXT, TOOL_FIELD(type, member, help), "TOPIC", "",    \
	  "this text, or help on a topic", 0 },                                \
	{ "h", OPTION_TEXT, TOOL_FIELD(type, member, help), "TOPIC", "",       \
	  "same as --help", OPTION_ALIAS },                                    \
	{ "?", OPTION_TEXT, TOOL_FIELD(type, member, help), "TOPIC", "",       \
	  "same as --help", OPTION_ALIAS },                                    \
	{ "help-hidden", OPTION_FLAG, TOOL_FIELD(type, member, help_hidden),   \
	  NULL, NULL, "all options", 0 },                                      \
	{ "version", OPTION_FLAG, TOOL_FIELD(type, member, version), NULL,     \
	  NULL, "print the version", 0 },                                      \
	{ "color", OPTION_CHOICE, TOOL_FIELD(type, member, color),             \
	  "auto|always|never", "always", "colour in messages", 0 },            \
	{ "diagnostics-format", OPTION_CHOICE,                                 \
	  TOOL_FIELD(type, member, format), "text|json", NULL,                 \
	  "how messages look; json: one object per line", OPTION_HIDDEN },     \
	{ "max-errors", OPTION_NUMBER, TOOL_FIELD(type, member, max_errors),   \
	  "N", NULL, "errors shown (20; 0 = all)", OPTION_HIDDEN },            \
	{ "strict", OPTION_FLAG, TOOL_FIELD(type, member, strict), NULL, NULL, \
	  "take warnings as errors", 0 },                                      \
	{ "warnings", OPTION_FLAG, TOOL_FIELD(type, member, warnings), NULL,   \
	  NULL, "show warnings (true)", OPTION_HIDDEN },                       \
	{ "timeout", OPTION_NUMBER, TOOL_FIELD(type, member, timeout), "N",    \
	  NULL, "give up after N seconds, with status 124", OPTION_HIDDEN },   \
	{ "max-memory", OPTION_NUMBER, TOOL_FIELD(type, member, max_memory),   \
	  "N", NULL, "use at most N bytes of memory", OPTION_HIDDEN },         \
	{ "no-env", OPTION_FLAG, TOOL_FIELD(type, member, no_env), NULL, NULL, \
	  "ignore RELAY_OPTS and the tool's own variable", OPTION_HIDDEN },    \
	{ "completion", OPTION_TEXT, TOOL_FIELD(type, member, completion),     \
	  "SHELL", NULL, "print a completion script: bash, zsh, fish",         \
	  OPTION_HIDDEN },
/* clang-format on */

#endif
