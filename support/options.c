#include "support/options.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/source.h"
#include "support/suggest.h"

struct parser {
	const struct option_set *set;
	struct option_list words;
	size_t at;
	void *values;
	struct option_list *operands;
	struct arena *arena;
	struct diag *diag;
	bool unknown; /* an unknown option was reported */
	bool failed;
};

static void fail(struct parser *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void
fail(struct parser *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_report(p->diag, DIAG_ERROR, LOC_NONE, fmt, ap);
	va_end(ap);
	p->failed = true;
}

void
option_list_add(struct option_list *list, const char *s, struct arena *a)
{
	if (list->len == list->cap) {
		size_t cap = list->cap ? list->cap * 2 : 8;
		const char **at = ARENA_NEW_ARRAY(a, cap, const char *);

		if (list->len)
			memcpy(at, list->at, list->len * sizeof(*at));
		list->at = at;
		list->cap = cap;
	}
	list->at[list->len++] = s;
}

static void
put_in_front(struct option_list *list, const struct option_list *more,
	     struct arena *a)
{
	struct option_list all = {0};

	for (size_t i = 0; i < more->len; i++)
		option_list_add(&all, more->at[i], a);
	for (size_t i = 0; i < list->len; i++)
		option_list_add(&all, list->at[i], a);
	*list = all;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void
options_split(const char *text, size_t len, struct option_list *words,
	      struct arena *a)
{
	struct buf word = {0};
	char quote = 0;
	bool inside = false;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (c == '\\' && quote != '\'' && i + 1 < len) {
			buf_putc(&word, text[++i]);
			inside = true;
		} else if (quote && c == quote) {
			quote = 0;
		} else if (!quote && (c == '\'' || c == '"')) {
			quote = c;
			inside = true;
		} else if (!quote && is_blank(c)) {
			if (inside)
				option_list_add(
					words,
					arena_strndup(a, word.at, word.len), a);
			word.len = 0;
			inside = false;
		} else {
			buf_putc(&word, c);
			inside = true;
		}
	}
	if (inside)
		option_list_add(words, arena_strndup(a, word.at, word.len), a);
	buf_free(&word);
}

/* Replace "@FILE" by the words in FILE; a name of no file stays as it is. */
static void
expand_files(struct parser *p, size_t n, const char *const *words)
{
	for (size_t i = 0; i < n; i++) {
		struct source s;
		const char *reason;

		if (words[i][0] != '@' ||
		    !source_open(&s, words[i] + 1, &reason)) {
			option_list_add(&p->words, words[i], p->arena);
			continue;
		}
		options_split(s.text, s.len, &p->words, p->arena);
		source_free(&s);
	}
}

/* NAME is LEN bytes long and compared with '_' and '-' the same. */
static bool
same_name(const char *name, size_t len, const char *known)
{
	for (size_t i = 0; i < len; i++) {
		char c = name[i] == '_' ? '-' : name[i];

		if (!known[i] || c != known[i])
			return false;
	}
	return known[len] == '\0';
}

static const struct option_def *
find(const struct option_set *set, const char *name, size_t len)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct option_def *o = &set->table[i];

		if (o->kind != OPTION_HEADING && same_name(name, len, o->name))
			return o;
	}
	return NULL;
}

static bool
parse_bool(const char *text, bool *value)
{
	static const char *const words[] = {"false", "true", "0", "1"};

	for (size_t i = 0; i < 4; i++) {
		if (strcmp(text, words[i]) == 0) {
			*value = i & 1;
			return true;
		}
	}
	return false;
}

/* Which of the words in "a|b|c" TEXT is, or -1. */
static int
find_choice(const char *choices, const char *text)
{
	size_t len = strlen(text);
	int n = 0;

	for (const char *p = choices;; n++) {
		size_t word = strcspn(p, "|");

		if (word == len && memcmp(p, text, len) == 0)
			return n;
		if (!p[word])
			return -1;
		p += word + 1;
	}
}

static void
set_number(struct parser *p, const struct option_def *o, const char *text,
	   long long *field)
{
	bool any_sign = strcmp(o->value, "INT") == 0;
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (!*text || *end || is_blank(*text))
		fail(p, "option '--%s' needs a number, not '%s'", o->name,
		     text);
	else if (errno || (value < 0 && !any_sign))
		fail(p, "option '--%s': %s is out of range", o->name, text);
	else
		*field = value;
}

static void
add_to_list(struct parser *p, const struct option_def *o, const char *text,
	    struct option_list *list)
{
	if (o->kind == OPTION_EACH) {
		option_list_add(list, text, p->arena);
		return;
	}
	for (;;) {
		size_t len = strcspn(text, ",");

		if (len)
			option_list_add(list,
					arena_strndup(p->arena, text, len),
					p->arena);
		if (!text[len])
			return;
		text += len + 1;
	}
}

static void
set_value(struct parser *p, const struct option_def *o, const char *text)
{
	void *field = (char *)p->values + o->field;
	int choice;

	if (p->set->given)
		p->set->given[o - p->set->table] = true;
	switch (o->kind) {
	case OPTION_HEADING:
		break;
	case OPTION_FLAG:
		if (!parse_bool(text, field))
			fail(p, "option '--%s' is true or false, not '%s'",
			     o->name, text);
		break;
	case OPTION_TEXT:
		*(const char **)field = text;
		break;
	case OPTION_NUMBER:
		set_number(p, o, text, field);
		break;
	case OPTION_CHOICE:
		choice = find_choice(o->value, text);
		if (choice < 0)
			fail(p, "option '--%s': '%s' is none of %s", o->name,
			     text, o->value);
		else
			*(int *)field = choice;
		break;
	case OPTION_LIST:
	case OPTION_EACH:
		add_to_list(p, o, text, field);
		break;
	}
}

/* Not worth a suggestion: one letter, another name, or no option. */
static bool
is_offered(const struct option_def *o)
{
	return o->kind != OPTION_HEADING && o->name[1] &&
	       !(o->traits & OPTION_ALIAS);
}

static void
report_unknown(struct parser *p, const char *name, size_t len)
{
	struct suggest s;
	const char *word = arena_strndup(p->arena, name, len);
	const struct option_others *others = p->set->others;

	suggest_start(&s, word);
	for (size_t i = 0; i < p->set->count; i++)
		if (is_offered(&p->set->table[i]))
			suggest_offer(&s, p->set->table[i].name);
	for (size_t i = 0; others && others->name(i); i++)
		suggest_offer(&s, others->name(i));
	if (s.best)
		s.best = arena_printf(p->arena, "--%s", s.best);
	fail(p, "unknown option '--%s'%s", word, suggest_text(&s));
	p->unknown = true;
}

/* A known option: its value stands behind '=', in the next word, or nowhere. */
static void
take_known(struct parser *p, const struct option_def *o, const char *value)
{
	if (value)
		set_value(p, o, value);
	else if (o->kind == OPTION_FLAG)
		set_value(p, o, "true");
	else if (o->bare)
		set_value(p, o, o->bare);
	else if (p->at < p->words.len)
		set_value(p, o, p->words.at[p->at++]);
	else
		fail(p, "option '--%s' needs a value", o->name);
}

/* "-O2": a letter and its value in one word. */
static bool
take_joined(struct parser *p, const char *name)
{
	const struct option_def *o = find(p->set, name, 1);

	if (!o || !(o->traits & OPTION_JOINED) || !name[1])
		return false;
	set_value(p, o, name + 1);
	return true;
}

static bool
take_negated(struct parser *p, const char *name, size_t len, const char *value)
{
	const struct option_def *o;

	if (value || len < 4 || memcmp(name, "no-", 3) != 0)
		return false;
	o = find(p->set, name + 3, len - 3);
	if (!o || o->kind != OPTION_FLAG)
		return false;
	set_value(p, o, "false");
	return true;
}

static void
take_option(struct parser *p, const char *word)
{
	const struct option_others *others = p->set->others;
	const char *name = word + 1 + (word[1] == '-');
	size_t len = strcspn(name, "=");
	const char *value = name[len] ? name + len + 1 : NULL;
	const struct option_def *o = find(p->set, name, len);

	if (o)
		take_known(p, o, value);
	else if (others &&
		 others->take(others->env, arena_strndup(p->arena, name, len),
			      value))
		return;
	else if (!take_negated(p, name, len, value) &&
		 !(word[1] != '-' && take_joined(p, name)))
		report_unknown(p, name, len);
}

bool
options_parse(const struct option_set *set, size_t n, const char *const *words,
	      void *values, struct option_list *operands, struct arena *a,
	      struct diag *d)
{
	struct parser p = {.set = set,
			   .values = values,
			   .operands = operands,
			   .arena = a,
			   .diag = d};
	unsigned errors = d->errors;
	bool ended = false;

	expand_files(&p, n, words);
	while (p.at < p.words.len) {
		const char *word = p.words.at[p.at++];

		if (ended || word[0] != '-' || !word[1])
			option_list_add(operands, word, a);
		else if (strcmp(word, "--") == 0)
			ended = true;
		else
			take_option(&p, word);
	}
	if (p.unknown)
		diag_note(d, LOC_NONE, "try '%s --help'", set->tool);
	return !p.failed && d->errors == errors;
}

bool
options_given(const struct option_set *set, size_t field)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->given[i] && set->table[i].field == field)
			return true;
	return false;
}

static void
copy_value(enum option_kind kind, void *to, const void *from)
{
	static const size_t sizes[] = {
		[OPTION_FLAG] = sizeof(bool),
		[OPTION_TEXT] = sizeof(const char *),
		[OPTION_NUMBER] = sizeof(long long),
		[OPTION_CHOICE] = sizeof(int),
	};

	memcpy(to, from, sizes[kind]);
}

void
options_put_under(const struct option_set *set, void *values,
		  const struct option_set *under, const void *more,
		  struct arena *a)
{
	for (size_t i = 0; i < under->count; i++) {
		const struct option_def *from = &under->table[i];
		const struct option_def *to =
			find(set, from->name, strlen(from->name));
		const void *value = (const char *)more + from->field;
		void *field;

		if (from->kind == OPTION_HEADING || !to ||
		    from->traits & OPTION_ALIAS ||
		    !options_given(under, from->field))
			continue;
		field = (char *)values + to->field;
		if (to->kind == OPTION_LIST || to->kind == OPTION_EACH)
			put_in_front(field, value, a);
		else if (!options_given(set, to->field))
			copy_value(to->kind, field, value);
	}
}
