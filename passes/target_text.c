#include "passes/target_text.h"

#include <ctype.h>
#include <jansson.h>
#include <string.h>

#include "passes/target_kind.h"
#include "support/options.h"
#include "support/source.h"

/* Hosts in hosts; every level of quotes doubles what is inside. */
enum { DEEPEST = 4 };

struct reader {
	const char *option;
	struct arena *arena;
	struct diag *diag;
	unsigned depth;
};

static const char *read_text(struct reader *r, const char *text);
static const char *read_object(struct reader *r, const json_t *object);

static bool
refuse(struct reader *r, const char *key, const char *what)
{
	diag_error(r->diag, LOC_NONE, "option '%s': '%s' of a target %s",
		   r->option, key, what);
	return false;
}

/* Go into a target, unless it is in too many others. */
static bool
enter(struct reader *r)
{
	if (r->depth == DEEPEST)
		return refuse(r, "host", "is nested too deep");
	r->depth++;
	return true;
}

/* -------------------------------------------------------------- writing -- */

static bool
needs_quotes(const char *word)
{
	return strpbrk(word, " \t\r\n'\"\\") != NULL;
}

/* " -KEY=VALUE", as options_split reads it. */
static void
put_option(struct buf *out, const char *key, const char *value)
{
	buf_printf(out, " -%s=", key);
	if (!needs_quotes(value)) {
		buf_puts(out, value);
		return;
	}
	buf_putc(out, '"');
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			buf_putc(out, '\\');
		buf_putc(out, *value);
	}
	buf_putc(out, '"');
}

static const char *
finish(struct reader *r, struct buf *out, bool ok)
{
	const char *text =
		ok ? arena_strndup(r->arena, out->at, out->len) : NULL;

	buf_free(out);
	return text;
}

/* ---------------------------------------------------------------- words -- */

static bool
is_key(const char *key, size_t len)
{
	if (len == 0)
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)key[i]) && !strchr("_-.", key[i]))
			return false;
	return key[0] != '-';
}

/*
 * The option in word *I of WORDS: "-key=value", "-key value", or "-key", which
 * means 1; one dash or two.
 */
static bool
put_word(struct reader *r, struct buf *out, const struct option_list *words,
	 size_t *i)
{
	const char *word = words->at[*i];
	const char *key =
		word + (*word == '-') + (*word == '-' && word[1] == '-');
	size_t len = strcspn(key, "=");
	const char *value = "1";

	if (key == word || !is_key(key, len)) {
		diag_error(r->diag, LOC_NONE,
			   "option '%s': expected -KEY=VALUE in a target, not "
			   "'%s'",
			   r->option, word);
		return false;
	}
	if (key[len])
		value = key + len + 1;
	else if (*i + 1 < words->len && *words->at[*i + 1] != '-')
		value = words->at[++*i];
	key = arena_strndup(r->arena, key, len);
	if (strcmp(key, "host") == 0)
		value = read_text(r, value);
	if (value)
		put_option(out, key, value);
	return value != NULL;
}

static const char *
read_words(struct reader *r, const char *text)
{
	struct option_list words = {0};
	struct buf out = {0};
	bool ok;

	if (!enter(r))
		return NULL;
	options_split(text, strlen(text), &words, r->arena);
	buf_puts(&out, words.len ? words.at[0] : "");
	buf_putc(&out, '\0');
	ok = target_check_kind(r->option, out.at, r->diag);
	out.len--;
	for (size_t i = 1; ok && i < words.len; i++)
		ok = put_word(r, &out, &words, &i);
	r->depth--;
	return finish(r, &out, ok);
}

/* ----------------------------------------------------------------- JSON -- */

/* A target inside a target: an object or text. */
static const char *
read_inner(struct reader *r, const char *key, const json_t *value)
{
	if (json_is_string(value))
		return read_text(r, json_string_value(value));
	if (json_is_object(value))
		return read_object(r, value);
	refuse(r, key, "is neither an object nor text");
	return NULL;
}

/* Text, a number, true, false; in composite targets, a target. */
static bool
put_plain(struct reader *r, struct buf *out, const char *key,
	  const json_t *value)
{
	const char *inner;

	if (json_is_string(value)) {
		buf_puts(out, json_string_value(value));
	} else if (json_is_integer(value)) {
		buf_printf(out, "%" JSON_INTEGER_FORMAT,
			   json_integer_value(value));
	} else if (json_is_real(value)) {
		buf_printf(out, "%.17g", json_real_value(value));
	} else if (json_is_boolean(value)) {
		buf_putc(out, json_is_true(value) ? '1' : '0');
	} else if (json_is_object(value) && strcmp(key, "devices") == 0) {
		inner = read_object(r, value);
		buf_puts(out, inner ? inner : "");
		return inner != NULL;
	} else {
		return refuse(r, key,
			      "is neither text nor a number, true, false or a "
			      "list of those");
	}
	return true;
}

static bool
put_value(struct reader *r, struct buf *out, const char *key,
	  const json_t *value)
{
	bool ok = true;

	if (!json_is_array(value))
		return put_plain(r, out, key, value);
	for (size_t i = 0; ok && i < json_array_size(value); i++) {
		if (i)
			buf_putc(out, ',');
		ok = put_plain(r, out, key, json_array_get(value, i));
	}
	return ok;
}

/* An empty list and null say nothing. */
static bool
is_empty(const json_t *value)
{
	return json_is_null(value) ||
	       (json_is_array(value) && json_array_size(value) == 0);
}

static bool
put_member(struct reader *r, struct buf *out, const char *key,
	   const json_t *value)
{
	struct buf text = {0};
	const char *host = NULL;
	bool ok;

	if (strcmp(key, "kind") == 0 || strcmp(key, "tag") == 0 ||
	    is_empty(value))
		return true;
	if (!is_key(key, strlen(key)))
		return refuse(r, key, "is not a key");
	if (strcmp(key, "host") == 0)
		ok = (host = read_inner(r, key, value)) != NULL;
	else
		ok = put_value(r, &text, key, value);
	buf_putc(&text, '\0');
	if (ok)
		put_option(out, key, host ? host : text.at);
	buf_free(&text);
	return ok;
}

static const char *
read_object(struct reader *r, const json_t *object)
{
	const json_t *kind = json_object_get(object, "kind");
	struct buf out = {0};
	const char *key;
	json_t *value;
	bool ok;

	if (!json_is_string(kind)) {
		refuse(r, "kind", kind ? "is not text" : "is missing");
		return NULL;
	}
	if (!target_check_kind(r->option, json_string_value(kind), r->diag) ||
	    !enter(r))
		return NULL;
	buf_puts(&out, json_string_value(kind));
	ok = true;
	json_object_foreach((json_t *)(uintptr_t)object, key, value)
	{
		ok = ok && put_member(r, &out, key, value);
	}
	r->depth--;
	return finish(r, &out, ok);
}

static const char *
read_json(struct reader *r, const char *text)
{
	struct source *before = r->diag->source;
	struct source s;
	const char *out = NULL;
	json_error_t e;
	json_t *object = json_loads(text, 0, &e);

	if (object) {
		out = read_object(r, object);
		json_decref(object);
		return out;
	}
	source_init(&s, NULL, text, strlen(text));
	r->diag->source = &s;
	diag_error(r->diag,
		   (struct loc){.off = e.position > 0 ? (uint32_t)e.position - 1
						      : 0,
				.len = 1},
		   "option '%s': %s", r->option, e.text);
	r->diag->source = before;
	source_free(&s);
	return NULL;
}

static const char *
read_text(struct reader *r, const char *text)
{
	const char *tag = target_tag_text(text);

	if (tag)
		return tag;
	text += strspn(text, " \t\r\n");
	return *text == '{' ? read_json(r, text) : read_words(r, text);
}

const char *
target_read(const char *option, const char *text, struct arena *a,
	    struct diag *d)
{
	struct reader r = {.option = option, .arena = a, .diag = d};

	return read_text(&r, text);
}
