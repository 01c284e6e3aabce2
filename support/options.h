/*
 * Command lines, described by tables.
 *
 * "-name" and "--name" are the same; "--name=value" and "--name value" too
 * where a value is needed. A flag takes "--no-name" and "--name=true|false|1|0".
 * Of repeated options the last wins; lists grow. "--" ends the options, "-" is
 * an operand, "@FILE" stands for the words in FILE. One-letter options do not
 * cluster. Help, the manual pages' check and shell completion come from the
 * same tables.
 */
#ifndef RELAY_SUPPORT_OPTIONS_H
#define RELAY_SUPPORT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "support/arena.h"
#include "support/buf.h"
#include "support/diag.h"
#include "support/vec.h"

enum option_kind {
	OPTION_HEADING, /* NAME is a title in the help */
	OPTION_FLAG,    /* bool */
	OPTION_TEXT,    /* const char * */
	OPTION_NUMBER,  /* long long; VALUE "INT": any sign */
	OPTION_CHOICE,  /* int: which word of VALUE "a|b|c" */
	OPTION_LIST,    /* struct option_list, split at ',' */
	OPTION_EACH,    /* struct option_list, not split */
};

enum option_trait {
	OPTION_SHOWN = 0,
	OPTION_HIDDEN = 1, /* only in --help-hidden */
	OPTION_ALIAS = 2,  /* another name, in no help */
	OPTION_JOINED = 4, /* one letter, value follows: -O2 */
};

struct option_list {
	const char **at;
	size_t len;
	size_t cap;
};

struct option_def {
	const char *name;
	enum option_kind kind;
	size_t field;      /* offsetof in the tool's struct */
	const char *value; /* placeholder, or choices by '|' */
	const char *bare;  /* what no value means, or NULL */
	const char *summary;
	unsigned traits;
};

/* Names that are no row of the table: the passes of relay-opt. */
struct option_others {
	/* False if NAME (without dashes) is none; VALUE is NULL without '='. */
	bool (*take)(void *env, const char *name, const char *value);
	/* Name number I, NULL after the last one. */
	const char *(*name)(size_t i);
	void *env;
};

struct option_set {
	const char *tool; /* "relay-opt" */
	const char *overview;
	const char *usage; /* "[options] [file]" */
	const struct option_def *table;
	size_t count;
	const struct option_others *others; /* or NULL */
	bool *given; /* of each row: the words have it; or NULL */
};

/*
 * Store the options of the N words at WORDS in VALUES, operands in OPERANDS.
 * All faults are reported to D; false if there were any. Strings are borrowed
 * from WORDS or live in A, which also holds the lists.
 */
bool options_parse(const struct option_set *set, size_t n,
		   const char *const *words, void *values,
		   struct option_list *operands, struct arena *a,
		   struct diag *d);

/* Did the words that options_parse was given have an option of FIELD? */
bool options_given(const struct option_set *set, size_t field);

/*
 * Put the options that the words of UNDER had, with the values at MORE, behind
 * what those of SET had, as if they had stood before those words: lists grow
 * at the front. Options are the same if their names are. Lists live in A.
 */
void options_put_under(const struct option_set *set, void *values,
		       const struct option_set *under, const void *more,
		       struct arena *a);

/* Append S to a list that lives in A. */
void option_list_add(struct option_list *list, const char *s, struct arena *a);

/*
 * The words of TEXT: split at blanks, with quotes '' and "" and the backslash
 * as in a shell.
 */
void options_split(const char *text, size_t len, struct option_list *words,
		   struct arena *a);

/* The text of --help; HIDDEN: of --help-hidden. At most 79 columns. */
void options_help(struct buf *out, const struct option_set *set, bool hidden);

/* A completion script; false if SHELL is none of bash, zsh, fish. */
bool options_completion(struct buf *out, const struct option_set *set,
			const char *shell);

/* Break TEXT into lines of at most 79 columns that begin at column INDENT. */
void options_wrap(struct buf *out, const char *text, size_t indent);

#endif
