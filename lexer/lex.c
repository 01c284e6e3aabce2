/*
 * Decisions of the scanner that need a look at the text around a match.
 */
#include "lexer/lex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "parser/relay.tab.h"

/* Of longer runs no shorter name is tried: that would take quadratic time. */
enum { LONGEST_RUN = 1024 };

size_t
lex_read(struct parse_ctx *cx, char *to, size_t max)
{
	size_t n = cx->src->len - cx->lex.read_pos;

	if (n > max)
		n = max;
	memcpy(to, cx->src->text + cx->lex.read_pos, n);
	cx->lex.read_pos += n;
	return n;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/*
 * The offset behind the comment that starts at OFF, comments inside included;
 * SIZE_MAX if it does not end.
 */
static size_t
comment_end(const struct source *s, size_t off)
{
	const char *at = s->text + off + 2, *end = s->text + s->len;
	unsigned depth = 1;

	while (depth > 0) {
		const char *star = memchr(at, '*', (size_t)(end - at));

		if (!star)
			return SIZE_MAX;
		if (star > at && star[-1] == '/') {
			depth++;
			at = star + 1;
		} else if (star + 1 < end && star[1] == '/') {
			depth--;
			at = star + 2;
		} else {
			at = star + 1;
		}
	}
	return (size_t)(at - s->text);
}

size_t
lex_skip_blanks(const struct parse_ctx *cx, size_t off)
{
	const struct source *s = cx->src;

	for (;;) {
		while (off < s->len && is_blank(s->text[off]))
			off++;
		if (off + 1 >= s->len ||
		    (s->text[off] != '/' && s->text[off] != '\r'))
			return off;
		if (s->text[off] == '\r') {
			if (s->text[off + 1] != '\n')
				return off;
			off += 2;
		} else if (s->text[off + 1] == '/') {
			const char *end =
				memchr(s->text + off, '\n', s->len - off);

			off = end ? (size_t)(end - s->text) : s->len;
		} else if (s->text[off + 1] == '*') {
			size_t end = comment_end(s, off);

			if (end == SIZE_MAX)
				return off;
			off = end;
		} else {
			return off;
		}
	}
}

bool
lex_equals_follows(const struct parse_ctx *cx)
{
	const struct source *s = cx->src;
	size_t off = cx->lex.off;

	if (cx->lex.prev == ':' || cx->lex.prev == TOK_ARROW ||
	    (off < s->len && (s->text[off] == '(' || s->text[off] == ',')))
		return false;
	off = lex_skip_blanks(cx, off);
	return off < s->len && s->text[off] == '=' &&
	       (off + 1 == s->len ||
		(s->text[off + 1] != '=' && s->text[off + 1] != '>'));
}

const char *
lex_name(struct parse_ctx *cx, size_t off, size_t len)
{
	const char *s = cx->src->text + off;
	char buf[256];
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (is_blank(s[i]))
			goto squeeze;
	}
	return ir_name_n(cx->cx, s, len);
squeeze:
	for (size_t i = 0; i < len && n < sizeof(buf); i++) {
		if (!is_blank(s[i]))
			buf[n++] = s[i];
	}
	return ir_name_n(cx->cx, buf, n);
}

size_t
lex_dotted_length(struct parse_ctx *cx, size_t off, size_t len)
{
	const struct source *s = cx->src;
	size_t end = off + len;

	for (;;) {
		size_t at = end;

		while (at < s->len && is_blank(s->text[at]))
			at++;
		if (at >= s->len || s->text[at] != '.')
			return end - off;
		at++;
		while (at < s->len && is_blank(s->text[at]))
			at++;
		if (at >= s->len || !is_letter(s->text[at]))
			return end - off;
		while (at < s->len &&
		       (is_letter(s->text[at]) || is_digit(s->text[at]) ||
			s->text[at] == '/'))
			at++;
		end = at;
	}
}

/*
 * The end of the longest run at OFF that could be a name an importer wrote.
 * A ':' before a blank or a letter starts a type, a '-' before '>' an arrow.
 */
static size_t
run_end(const struct source *s, size_t off)
{
	size_t start = off;

	for (; off < s->len; off++) {
		char c = s->text[off];
		char next = off + 1 < s->len ? s->text[off + 1] : ' ';

		if (is_letter(c) || is_digit(c) || c == '/' || c == '.' ||
		    c == '$' || c == '|' || (unsigned char)c >= 0x80)
			continue;
		if (c == '-' && next != '>')
			continue;
		if (c == ':' && (next == ':' || is_digit(next) ||
				 (off > start && s->text[off - 1] == ':')))
			continue;
		break;
	}
	while (off > start && s->text[off - 1] == '.')
		off--;
	return off;
}

/* A name in a run may end at AT: before a sign, or at the end of the run. */
static bool
may_end(const struct source *s, size_t at, size_t end)
{
	return at == end || !(is_letter(s->text[at]) || is_digit(s->text[at]));
}

/* The next token names something new. */
static bool
at_binder(const struct parse_ctx *cx)
{
	const struct lex_state *lex = &cx->lex;

	if (lex->prev == TOK_LET || lex->prev == TOK_FREE_VAR)
		return true;
	if (lex->open.len == 0)
		return false;
	switch (vec_last(&lex->open).kind) {
	case BRACKET_PARAMS:
		return lex->prev == '(' || lex->prev == ',';
	case BRACKET_PATTERN:
	case BRACKET_ARM_PATTERN:
		return true;
	default:
		return false;
	}
}

static bool
is_local(const struct parse_ctx *cx, size_t off, size_t len)
{
	const char *name =
		intern_find(&cx->cx->names, cx->src->text + off, len);

	return name && (scope_find(&cx->locals, name) ||
			name_map_get(&cx->free_vars, (uintptr_t)name));
}

size_t
lex_local_length(struct parse_ctx *cx, size_t off, size_t len)
{
	size_t end = run_end(cx->src, off), slashes = 0;

	if (end == off + len) {
		for (size_t i = 0; i < len; i++)
			slashes += cx->src->text[off + i] == '/';
		if (slashes == 0)
			return len;
	}
	if (at_binder(cx))
		return end - off;
	if (end - off > LONGEST_RUN)
		return len;
	for (size_t n = end - off; n > 0; n--) {
		if (may_end(cx->src, off + n, end) && is_local(cx, off, n))
			return n;
	}
	return len;
}

/* WORD stands before OFF. */
static bool
ends_with(const struct source *s, size_t off, const char *word)
{
	size_t len = strlen(word);

	return off >= len && memcmp(s->text + off - len, word, len) == 0;
}

/* Intern all names that stand behind "def @" or begin a raw function. */
static void
find_globals(struct parse_ctx *cx)
{
	const struct source *s = cx->src;
	const char *at = s->text, *end = s->text + s->len;

	while ((at = memchr(at, '@', (size_t)(end - at))) != NULL) {
		size_t off = (size_t)(++at - s->text);
		size_t before = off - 1;
		const char *name;

		while (before > 0 && is_blank(s->text[before - 1]))
			before--;
		if (!ends_with(s, before, "def") &&
		    !ends_with(s, before, "te") &&
		    !ends_with(s, before, "primfn"))
			continue;
		name = ir_name_n(cx->cx, at, run_end(s, off) - off);
		name_map_set(&cx->lex.globals, (uintptr_t)name, name);
	}
	cx->lex.globals_known = true;
}

static bool
is_global(const struct parse_ctx *cx, size_t off, size_t len)
{
	const char *name =
		intern_find(&cx->cx->names, cx->src->text + off, len);

	return name && (name_map_get(&cx->lex.globals, (uintptr_t)name) ||
			ir_module_find(cx->m, name));
}

size_t
lex_global_length(struct parse_ctx *cx, size_t off, size_t len)
{
	size_t end = run_end(cx->src, off);

	if (end == off + len)
		return len;
	if (cx->lex.prev == TOK_DEF || cx->lex.prev == TOK_TE ||
	    cx->lex.prev == TOK_PRIMFN)
		return end - off;
	if (!cx->lex.globals_known)
		find_globals(cx);
	if (end - off > LONGEST_RUN)
		return len;
	for (size_t n = end - off; n > 0; n--) {
		if (may_end(cx->src, off + n, end) && is_global(cx, off, n))
			return n;
	}
	return len;
}

uint64_t
lex_digits(const char *s, size_t len)
{
	uint64_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (!is_digit(s[i]))
			continue;
		if (n > (UINT64_MAX - 9) / 10)
			return UINT64_MAX - 1;
		n = n * 10 + (uint64_t)(s[i] - '0');
	}
	return n;
}

static struct number *
new_number(struct parse_ctx *cx, enum number_kind kind)
{
	struct number *n = &cx->lex.numbers[cx->lex.nnumbers++ % 8];

	memset(n, 0, sizeof(*n));
	n->kind = (uint8_t)kind;
	return n;
}

struct number *
lex_int(struct parse_ctx *cx, const char *s, size_t len)
{
	struct number *out = new_number(cx, NUM_INT);
	size_t i = 0;

	for (; i < len && is_digit(s[i]); i++) {
		unsigned digit = (unsigned)(s[i] - '0');

		if (out->magnitude > (UINT64_MAX - digit) / 10)
			out->overflow = true;
		out->magnitude = out->magnitude * 10 + digit;
	}
	if (i < len)
		out->width = i + 1 < len ? (uint8_t)atoi(s + i + 1) : 32;
	return out;
}

/* A float of WIDTH bits can hold VALUE; digits that round to it count. */
static bool
fits_float(unsigned width, double value)
{
	if (width == 16)
		return value <= 65504.0;
	return width == 32 ? !isinf((float)value) : !isinf(value);
}

struct number *
lex_float(struct parse_ctx *cx, const char *s, size_t len, struct loc loc)
{
	struct number *out = new_number(cx, NUM_FLOAT);
	const char *f = memrchr(s, 'f', len);
	size_t digits = (size_t)(f - s);
	size_t tail = len - digits - 1;
	char *text = arena_strndup(&cx->m->arena, s, digits);

	out->width = tail ? (uint8_t)atoi(f + 1) : 32;
	if (s[0] == 'n')
		out->value = (double)NAN;
	else
		out->value = strtod(text, NULL);
	if (is_digit(s[0]) && !fits_float(out->width, out->value)) {
		diag_error(cx->d, loc, "float%u cannot hold %s", out->width,
			   text);
		return NULL;
	}
	return out;
}

struct number *
lex_unsigned(struct parse_ctx *cx, const char *s, size_t len)
{
	struct number *n = lex_int(cx, s, len);

	n->is_unsigned = true;
	return n;
}

/* "1bf16": read as a float of 32 bits, the suffix left out. */
struct number *
lex_bfloat(struct parse_ctx *cx, const char *s, size_t len, struct loc loc)
{
	char *text = arena_strndup(&cx->m->arena, s, len - 3);
	struct number *n;

	text[len - 4] = 'f';
	n = lex_float(cx, text, len - 3, loc);
	if (n) {
		n->width = 16;
		n->is_bfloat = true;
	}
	return n;
}

static int
hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One escape at S (behind the backslash); returns the bytes it takes. */
static size_t
escape(const char *s, size_t len, char *out)
{
	static const char from[] = "\"\\tnr", to[] = "\"\\\t\n\r";
	const char *known = len ? memchr(from, s[0], 5) : NULL;

	if (known) {
		*out = to[known - from];
		return 1;
	}
	if (len >= 3 && s[0] == 'x' && hex_digit(s[1]) >= 0 &&
	    hex_digit(s[2]) >= 0) {
		*out = (char)(hex_digit(s[1]) * 16 + hex_digit(s[2]));
		return 3;
	}
	*out = '\\';
	return 0;
}

const char *
lex_string(struct parse_ctx *cx, const char *s, size_t len)
{
	const char *name;
	char *text;
	size_t n = 0;

	if (!memchr(s, '\\', len))
		return ir_name_n(cx->cx, s, len);
	text = xmalloc(len);
	for (size_t i = 0; i < len; i++) {
		text[n] = s[i];
		if (s[i] == '\\')
			i += escape(s + i + 1, len - i - 1, &text[n]);
		n++;
	}
	name = ir_name_n(cx->cx, text, n);
	free(text);
	return name;
}

struct meta_ref *
lex_meta_ref(struct parse_ctx *cx, const char *s, size_t len, struct loc loc)
{
	struct meta_ref *out = &cx->lex.metas[cx->lex.nmetas++ % 8];
	const char *key = s + 5, *end = memchr(key, ']', len - 5);
	const char *index = end + 2;
	size_t digits = (size_t)(s + len - 1 - index);
	uint64_t n = lex_digits(index, digits);

	for (size_t i = 0; i < digits; i++) {
		if (!is_digit(index[i]))
			n = UINT64_MAX;
	}
	if (digits == 0 || n >= UINT32_MAX) {
		diag_error(cx->d, loc, "'%.*s' is no index of the metadata",
			   (int)digits, index);
		return NULL;
	}
	out->key = ir_name_n(cx->cx, key, (size_t)(end - key));
	out->index = (uint32_t)n;
	return out;
}

bool
lex_is_record(const struct parse_ctx *cx, const struct meta_ref *ref)
{
	size_t next;

	if (strncmp(ref->key, "relay.attrs.", 12) != 0 &&
	    strcmp(ref->key, "DictAttrs") != 0)
		return false;
	next = lex_skip_blanks(cx, cx->lex.off);
	return next < cx->src->len && cx->src->text[next] == ')';
}

/* The end of the body in braces at or after OFF; strings are skipped. */
static size_t
raw_end(const struct parse_ctx *cx, size_t off)
{
	const struct source *s = cx->src;
	unsigned depth = 0;
	size_t end = off;

	while ((off = lex_skip_blanks(cx, off)) < s->len) {
		char c = s->text[off++];

		if (c == '"') {
			while (off < s->len && s->text[off] != '"')
				off += 1 + (s->text[off] == '\\');
			off += off < s->len;
		} else if (c == '{') {
			depth++;
		} else if (c == '}' && depth > 0 && --depth == 0) {
			end = off;
		} else if (depth == 0 &&
			   (c == '#' || c == '@' ||
			    (off >= 4 &&
			     !memcmp(s->text + off - 4, "\ndef", 4)))) {
			break;
		}
	}
	return end;
}

bool
lex_raw_follows(struct parse_ctx *cx, size_t *end)
{
	const struct source *s = cx->src;
	size_t off;

	if (cx->lex.open.len > 0 || cx->lex.prev == TOK_DEF ||
	    !lex_equals_follows(cx))
		return false;
	off = lex_skip_blanks(cx, cx->lex.off) + 1;
	off = lex_skip_blanks(cx, off);
	if (off + 6 > s->len || memcmp(s->text + off, "primfn", 6) != 0)
		return false;
	*end = raw_end(cx, off);
	return *end > off;
}
