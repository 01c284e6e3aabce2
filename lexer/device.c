/*
 * Devices spelled out, as they print without metadata:
 *
 *     VirtualDevice(device_type=1, virtual_device_id=0,
 *                   target=Target(...), memory_scope='global')
 *
 * All fields may be missing; "?" stands for none of them. What is said of
 * targets only the metadata can hold: it is skipped here.
 */
#include <limits.h>
#include <string.h>

#include "ir/meta.h"
#include "lexer/lex.h"

struct device_reader {
	struct parse_ctx *cx;
	const char *text;
	size_t len;
	size_t at;
	int type, id;
	const char *scope;
};

static char
peek(struct device_reader *r)
{
	r->at = lex_skip_blanks(r->cx, r->at);
	return r->at < r->len ? r->text[r->at] : '\0';
}

static bool
take(struct device_reader *r, char c)
{
	if (peek(r) != c)
		return false;
	r->at++;
	return true;
}

static bool
fail(struct device_reader *r, size_t at, size_t len, const char *what)
{
	diag_error(r->cx->d, loc_make((uint32_t)at, (uint32_t)len), "%s", what);
	return false;
}

/* The length of the word that comes. */
static size_t
word(const struct device_reader *r)
{
	size_t n = 0;

	while (r->at + n < r->len &&
	       (r->text[r->at + n] == '_' ||
		(r->text[r->at + n] >= 'a' && r->text[r->at + n] <= 'z')))
		n++;
	return n;
}

static bool
read_number(struct device_reader *r, int *out)
{
	bool negative = take(r, '-');
	size_t from = (peek(r), r->at), n = 0;
	uint64_t value;

	while (from + n < r->len && r->text[from + n] >= '0' &&
	       r->text[from + n] <= '9')
		n++;
	value = lex_digits(r->text + from, n);
	if (n == 0 || value > INT_MAX)
		return fail(r, from, n ? n : 1,
			    "expected a number of a device");
	r->at = from + n;
	*out = negative ? -1 : (int)value;
	return true;
}

static bool
read_scope(struct device_reader *r)
{
	char quote = peek(r);
	const char *from = r->text + r->at + 1, *end;

	end = quote == '\'' || quote == '"'
		      ? memchr(from, quote, r->len - r->at - 1)
		      : NULL;
	if (!end || memchr(from, '\n', (size_t)(end - from)))
		return fail(r, r->at, 1, "expected a memory scope in quotes");
	r->scope = ir_name_n(r->cx->cx, from, (size_t)(end - from));
	r->at = (size_t)(end + 1 - r->text);
	return true;
}

/* Targets hold brackets, strings and further targets. */
static bool
skip_target(struct device_reader *r)
{
	size_t from = r->at;
	unsigned depth = 0;
	char quote = '\0';

	for (; r->at < r->len; r->at++) {
		char c = r->text[r->at];

		if (quote)
			quote = c == quote ? '\0' : quote;
		else if (c == '\'' || c == '"')
			quote = c;
		else if (c && strchr("([{", c))
			depth++;
		else if (depth == 0 && (c == ',' || c == ')'))
			return true;
		else if (c && strchr(")]}", c) && depth-- == 0)
			break;
	}
	r->at = from;
	return fail(r, from, 1, "this target does not end");
}

static bool
is_word(const struct device_reader *r, size_t len, const char *name)
{
	return strlen(name) == len && memcmp(r->text + r->at, name, len) == 0;
}

static bool
read_field(struct device_reader *r)
{
	size_t len = (peek(r), word(r)), from = r->at;
	bool type = is_word(r, len, "device_type");
	bool id = is_word(r, len, "virtual_device_id");
	bool scope = is_word(r, len, "memory_scope");

	if (!type && !id && !scope && !is_word(r, len, "target"))
		return fail(r, from, len ? len : 1,
			    "expected device_type, virtual_device_id, target "
			    "or memory_scope");
	r->at += len;
	if (!take(r, '='))
		return fail(r, r->at, 1, "expected '='");
	if (type || id)
		return read_number(r, type ? &r->type : &r->id);
	return scope ? read_scope(r) : skip_target(r);
}

static bool
read_fields(struct device_reader *r)
{
	if (!take(r, '('))
		return fail(r, r->at, 1, "expected '('");
	if (take(r, '?') || peek(r) == ')')
		return take(r, ')') || fail(r, r->at, 1, "expected ')'");
	do {
		if (!read_field(r))
			return false;
	} while (take(r, ','));
	return take(r, ')') || fail(r, r->at, 1, "expected ',' or ')'");
}

/* After a report, reading goes on behind the bracket or in the next line. */
static size_t
line_or_bracket(const struct device_reader *r)
{
	size_t at = r->at;

	while (at < r->len && r->text[at] != '\n' && r->text[at] != ')')
		at++;
	return at + (at < r->len && r->text[at] == ')');
}

const ir_meta *
lex_device(struct parse_ctx *cx, size_t *end)
{
	struct device_reader r = {
		.cx = cx,
		.text = cx->src->text,
		.len = cx->src->len,
		.at = cx->lex.off,
		.type = -1,
		.id = -1,
		.scope = "",
	};

	if (!read_fields(&r)) {
		*end = line_or_bracket(&r);
		return NULL;
	}
	*end = r.at;
	return ir_meta_vdevice(cx->cx, r.type, r.id, r.scope);
}
