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

/* Call PUT for every word that may begin an argument. */
static void
each_word(struct buf *out, const struct option_set *set,
	  void (*put)(struct buf *out, const char *tool, const char *name,
		      const char *tail, const char *summary))
{
	for (size_t i = 0; i < set->count; i++) {
		const struct option_def *o = &set->table[i];

		if (o->kind != OPTION_HEADING && is_shown(o, true) &&
		    o->name[1])
			put(out, set->tool, o->name,
			    o->kind == OPTION_FLAG || o->bare ? "" : "=",
			    o->summary);
	}
	for (size_t i = 0; set->others && set->others->name(i); i++)
		put(out, set->tool, set->others->name(i), "", "a pass");
}

static void
put_bash(struct buf *out, const char *tool, const char *name, const char *tail,
	 const char *summary)
{
	(void)tool;
	(void)summary;
	buf_printf(out, "\t\t--%s%s \\\n", name, tail);
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
put_zsh(struct buf *out, const char *tool, const char *name, const char *tail,
	const char *summary)
{
	(void)tool;
	buf_printf(out, "\t'--%s%s[", name, tail);
	put_quoted(out, summary);
	buf_printf(out, "]%s' \\\n", *tail ? ":value:_files" : "");
}

static void
put_fish(struct buf *out, const char *tool, const char *name, const char *tail,
	 const char *summary)
{
	buf_printf(out, "complete -c %s -l %s%s -d '", tool, name,
		   *tail ? " -r" : "");
	for (const char *p = summary; *p; p++) {
		if (*p == '\'')
			buf_putc(out, '\\');
		buf_putc(out, *p);
	}
	buf_puts(out, "'\n");
}

static void
complete_bash(struct buf *out, const struct option_set *set)
{
	buf_printf(out, "_%s_words()\n{\n", set->tool);
	buf_puts(out, "\tlocal word=${COMP_WORDS[COMP_CWORD]}\n\n"
		      "\tCOMPREPLY=()\n"
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
