/*
 * What is made of option tables besides parsing: help and completion.
 */
#include "support/options.h"

#include <string.h>

enum { width = 79, text_column = 33 };

void
options_wrap(struct buf *out, const char *text, size_t indent)
{
	size_t column = indent;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (column > indent && column + 1 + len > width) {
			buf_putc(out, '\n');
			buf_fill(out, ' ', indent);
			column = indent;
		} else if (column > indent) {
			buf_putc(out, ' ');
			column++;
		}
		buf_put(out, text, len);
		column += len;
		text += len + (text[len] == ' ');
	}
	buf_putc(out, '\n');
}

/* "--color[=auto|always|never]" */
static void
put_usage(struct buf *out, const struct option_def *o)
{
	bool letter = !o->name[1];
	const char *value = o->value;

	if (o->bare && value && strncmp(value, "off|", 4) == 0)
		value += 4;
	buf_printf(out, "%s%s", letter ? "-" : "--", o->name);
	if (o->kind == OPTION_FLAG)
		return;
	if (o->traits & OPTION_JOINED)
		buf_printf(out, "<%s>", value);
	else if (o->bare)
		buf_printf(out, "[=%s]", value);
	else
		buf_printf(out, "%c%s", letter ? ' ' : '=', value);
}

static void
put_option(struct buf *out, const struct option_def *o)
{
	size_t start = out->len;
	size_t used;

	buf_puts(out, "  ");
	put_usage(out, o);
	used = out->len - start;
	if (used > text_column - 3) {
		buf_putc(out, '\n');
		used = 0;
	}
	buf_fill(out, ' ', text_column - 2 - used);
	buf_puts(out, "- ");
	options_wrap(out, o->summary, text_column);
}

static bool
is_shown(const struct option_def *o, bool hidden)
{
	return !(o->traits & OPTION_ALIAS) &&
	       (hidden || !(o->traits & OPTION_HIDDEN));
}

/* Has the heading at row I an option below it that is shown? */
static bool
heading_is_shown(const struct option_set *set, size_t i, bool hidden)
{
	for (i++; i < set->count; i++) {
		if (set->table[i].kind == OPTION_HEADING)
			return false;
		if (is_shown(&set->table[i], hidden))
			return true;
	}
	return false;
}

void
options_help(struct buf *out, const struct option_set *set, bool hidden)
{
	buf_printf(out, "OVERVIEW: %s\n\nUSAGE: %s %s\n\nOPTIONS:\n",
		   set->overview, set->tool, set->usage);
	for (size_t i = 0; i < set->count; i++) {
		const struct option_def *o = &set->table[i];

		if (o->kind == OPTION_HEADING) {
			if (heading_is_shown(set, i, hidden))
				buf_printf(out, "\n%s:\n", o->name);
		} else if (is_shown(o, hidden)) {
			put_option(out, o);
		}
	}
}

/* ------------------------------------------------- values to choose from -- */

/* The value of O is a pass, or names some. */
static bool
names_passes(const struct option_set *set, const struct option_def *o)
{
	static const char *const values[] = {"L", "A,B", "PASS", "PIPE"};

	for (size_t i = 0; i < 4 && set->others && o->value; i++)
		if (strcmp(o->value, values[i]) == 0)
			return true;
	return false;
}

/*
 * The words of "text|quiet|file:FILE" that can be written as they are; none
 * for "off", which is what there is without the option.
 */
static void
put_choices(struct buf *out, const char *choices)
{
	for (const char *p = choices; *p; p += strspn(p, "|")) {
		size_t n = strcspn(p, "|");
		bool plain = strncmp(p, "off|", 4) != 0;

		for (size_t i = 0; i < n; i++)
			plain &= (p[i] >= 'a' && p[i] <= 'z') || p[i] == '-' ||
				 (p[i] >= '0' && p[i] <= '9');
		if (plain)
			buf_printf(out, "%s%.*s", out->len ? " " : "", (int)n,
				   p);
		p += n;
	}
}

/* What may stand behind "=" of O, with blanks between; empty: anything. */
static void
put_values(struct buf *out, const struct option_set *set,
	   const struct option_def *o)
{
	out->len = 0;
	if (names_passes(set, o))
		for (size_t i = 0; set->others->name(i); i++)
			buf_printf(out, "%s%s", i ? " " : "",
				   set->others->name(i));
	else if (strcmp(o->name, "target") == 0)
		put_choices(out, "llvm|bang");
	else if (o->value && strchr(o->value, '|'))
		put_choices(out, o->value);
}

/* A word that may begin an argument, and what may stand behind its "=". */
struct word {
	const char *tool;
	const char *name;
	const char *tail; /* "=" if there must be a value, or "" */
	const char *summary;
	const char *values; /* with blanks between; "": anything */
};

static void
each_word(struct buf *out, const struct option_set *set,
	  void (*put)(struct buf *out, const struct word *w))
{
	struct buf values = {0};

	for (size_t i = 0; i < set->count; i++) {
		const struct option_def *o = &set->table[i];
		bool free = o->kind == OPTION_FLAG || o->bare;

		if (o->kind == OPTION_HEADING || !is_shown(o, true) ||
		    !o->name[1])
			continue;
		put_values(&values, set, o);
		buf_putc(&values, '\0');
		put(out, &(struct word){set->tool, o->name, free ? "" : "=",
					o->summary, values.at});
	}
	for (size_t i = 0; set->others && set->others->name(i); i++)
		put(out, &(struct word){set->tool, set->others->name(i), "",
					"a pass", ""});
	buf_free(&values);
}

static void
put_bash(struct buf *out, const struct word *w)
{
	buf_printf(out, "\t\t--%s%s \\\n", w->name, w->tail);
}

/* SUMMARY inside single quotes; zsh also minds brackets and colons. */
static void
put_quoted(struct buf *out, const char *summary)
{
	for (const char *p = summary; *p; p++) {
		if (*p == '\'')
			buf_puts(out, "'\\''");
		else if (strchr("[]:", *p))
			buf_printf(out, "\\%c", *p);
		else
			buf_putc(out, *p);
	}
}

static void
put_zsh(struct buf *out, const struct word *w)
{
	buf_printf(out, "\t'--%s%s[", w->name, w->tail);
	put_quoted(out, w->summary);
	if (*w->tail && *w->values)
		buf_printf(out, "]:value:(%s)' \\\n", w->values);
	else
		buf_printf(out, "]%s' \\\n", *w->tail ? ":value:_files" : "");
}

static void
put_fish(struct buf *out, const struct word *w)
{
	buf_printf(out, "complete -c %s -l %s%s", w->tool, w->name,
		   *w->tail ? " -r" : "");
	if (*w->values)
		buf_printf(out, " -f -a '%s'", w->values);
	buf_puts(out, " -d '");
	for (const char *p = w->summary; *p; p++) {
		if (*p == '\'')
			buf_putc(out, '\\');
		buf_putc(out, *p);
	}
	buf_puts(out, "'\n");
}

/* The cases of a choice by option: the words that its value is made of. */
static void
put_bash_cases(struct buf *out, const struct option_set *set)
{
	struct buf values = {0};

	for (size_t i = 0; i < set->count; i++) {
		const struct option_def *o = &set->table[i];

		if (o->kind == OPTION_HEADING)
			continue;
		put_values(&values, set, o);
		if (names_passes(set, o))
			buf_printf(out, "\t\t%s) words=$passes ;;\n", o->name);
		else if (values.len)
			buf_printf(out, "\t\t%s) words=\"%.*s\" ;;\n", o->name,
				   (int)values.len, values.at);
	}
	buf_free(&values);
}

static void
put_bash_passes(struct buf *out, const struct option_set *set)
{
	buf_puts(out, "\tlocal passes=\"");
	for (size_t i = 0; set->others && set->others->name(i); i++)
		buf_printf(out, "%s%s", i ? " " : "", set->others->name(i));
	buf_puts(out, "\"\n");
}

/* The shell takes "--option=value" for three words. */
static void
complete_bash(struct buf *out, const struct option_set *set)
{
	buf_printf(out, "_%s_words()\n{\n", set->tool);
	buf_puts(out,
		 "\tlocal word=${COMP_WORDS[COMP_CWORD]} option= words=\n");
	put_bash_passes(out, set);
	buf_puts(out, "\n\tCOMPREPLY=()\n"
		      "\tif [[ $word == = ]]; then\n"
		      "\t\toption=${COMP_WORDS[COMP_CWORD-1]} word=\n"
		      "\telif [[ ${COMP_WORDS[COMP_CWORD-1]} == = ]]; then\n"
		      "\t\toption=${COMP_WORDS[COMP_CWORD-2]}\n"
		      "\tfi\n"
		      "\tif [[ -n $option ]]; then\n"
		      "\t\toption=${option#-}\n"
		      "\t\tcase ${option#-} in\n");
	put_bash_cases(out, set);
	buf_puts(out,
		 "\t\tesac\n"
		 "\t\tif [[ -z $words ]]; then\n"
		 "\t\t\tCOMPREPLY=($(compgen -f -- \"$word\"))\n"
		 "\t\telse\n"
		 "\t\t\tCOMPREPLY=($(compgen -P \"${word%\"${word##*,}\"}\" "
		 "\\\n\t\t\t\t-W \"$words\" -- \"${word##*,}\"))\n"
		 "\t\tfi\n"
		 "\t\treturn\n"
		 "\tfi\n"
		 "\t[[ $word == -* ]] || return\n"
		 "\tCOMPREPLY=($(compgen -W \"\\\n");
	each_word(out, set, put_bash);
	buf_puts(out, "\t\t\" -- \"$word\"))\n"
		      "\t[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
		      "}\n");
	buf_printf(out, "complete -o default -F _%s_words %s\n", set->tool,
		   set->tool);
}

bool
options_completion(struct buf *out, const struct option_set *set,
		   const char *shell)
{
	if (strcmp(shell, "fish") == 0) {
		each_word(out, set, put_fish);
		return true;
	}
	if (strcmp(shell, "zsh") == 0) {
		buf_printf(out, "#compdef %s\n\n_arguments \\\n", set->tool);
		each_word(out, set, put_zsh);
		buf_puts(out, "\t'*:file:_files'\n");
		return true;
	}
	if (strcmp(shell, "bash") != 0)
		return false;
	complete_bash(out, set);
	return true;
}
