/*
 * Tokens of rule files: names, %names, numbers with suffixes as in Relay,
 * strings, signs. Comments are those of Relay.
 */
#include "passes/rewrite/rw_scan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 64 };

static bool
is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool
is_digit(int c)
{
	return c >= '0' && c <= '9';
}

/* The character at offset AT; 0 behind the end. */
static int
peek(const struct rw_scan *x, size_t at)
{
	return at < x->s->len ? (unsigned char)x->s->text[at] : 0;
}

static bool
skip_comment(struct rw_scan *x)
{
	size_t start = x->at;

	if (peek(x, x->at + 1) == '/') {
		while (x->at < x->s->len && peek(x, x->at) != '\n')
			x->at++;
		return true;
	}
	for (x->at += 2; x->at < x->s->len; x->at++) {
		if (peek(x, x->at) == '*' && peek(x, x->at + 1) == '/') {
			x->at += 2;
			return true;
		}
	}
	diag_error(x->d, loc_make((uint32_t)start, 2),
		   "comment without an end");
	return false;
}

/* False after a comment that does not end. */
static bool
skip_blanks(struct rw_scan *x)
{
	for (;;) {
		int c = peek(x, x->at);

		if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
			x->at++;
		} else if (c == '/' && (peek(x, x->at + 1) == '/' ||
					peek(x, x->at + 1) == '*')) {
			if (!skip_comment(x))
				return false;
		} else {
			return true;
		}
	}
}

/* Letters, digits and, with DOTS, dots between them. */
static size_t
word_end(const struct rw_scan *x, size_t at, bool dots)
{
	for (;; at++) {
		int c = peek(x, at);

		if (is_letter(c) || is_digit(c))
			continue;
		if (dots && c == '.' && is_letter(peek(x, at + 1)))
			continue;
		return at;
	}
}

static void
take(struct rw_scan *x, int token, size_t end)
{
	x->token = token;
	x->loc = loc_make((uint32_t)x->at, (uint32_t)(end - x->at));
	x->at = end;
}

/* 2f and 2f16 are floats, 2i8 and 2u8 integers of that width. */
static bool
number_suffix(struct rw_scan *x, const char *s, size_t len)
{
	char name[16];
	int n;

	x->dtype = DTYPE_VOID;
	if (len == 0)
		return true;
	n = snprintf(name, sizeof(name), "%s%.*s",
		     *s == 'f'   ? "float"
		     : *s == 'u' ? "uint"
				 : "int",
		     (int)len - 1, s + 1);
	if (n >= (int)sizeof(name) || !strchr("fiu", *s))
		return false;
	if (*s == 'f')
		x->is_float = true;
	return dtype_parse(name, (size_t)n, &x->dtype);
}

static size_t
digits_end(const struct rw_scan *x, size_t at)
{
	while (is_digit(peek(x, at)))
		at++;
	return at;
}

static void
scan_number(struct rw_scan *x)
{
	size_t end = digits_end(x, x->at + (peek(x, x->at) == '-'));
	size_t last;
	char text[LONGEST_NUMBER];
	bool index = x->token == '.';
	bool fits;

	x->is_float = false;
	if (!index && peek(x, end) == '.' && is_digit(peek(x, end + 1))) {
		x->is_float = true;
		end = digits_end(x, end + 1);
	}
	if (peek(x, end) == 'e' || peek(x, end) == 'E') {
		size_t exp = end + 1;

		exp += peek(x, exp) == '-' || peek(x, exp) == '+';
		if (is_digit(peek(x, exp))) {
			x->is_float = true;
			end = digits_end(x, exp);
		}
	}
	last = word_end(x, end, false);
	fits = end - x->at < sizeof(text) &&
	       number_suffix(x, x->s->text + end, last - end);
	if (fits) {
		memcpy(text, x->s->text + x->at, end - x->at);
		text[end - x->at] = '\0';
		errno = 0;
		x->number = strtod(text, NULL);
		x->integer = x->is_float ? 0 : strtoll(text, NULL, 10);
		fits = errno == 0 || isfinite(x->number);
		fits = fits && !(errno == ERANGE && !x->is_float);
	}
	take(x, fits ? RW_T_NUMBER : RW_T_BAD, last);
	if (!fits)
		diag_error(x->d, x->loc, "malformed number '%.*s'",
			   (int)(x->loc.len), x->s->text + x->loc.off);
}

static void
scan_string(struct rw_scan *x)
{
	size_t end = x->at + 1;

	while (end < x->s->len && peek(x, end) != '"' && peek(x, end) != '\n')
		end++;
	if (peek(x, end) != '"') {
		take(x, RW_T_BAD, end);
		diag_error(x->d, x->loc, "string without an end");
		return;
	}
	x->name = ir_name_n(x->cx, x->s->text + x->at + 1, end - x->at - 1);
	take(x, RW_T_STRING, end + 1);
}

static void
scan_sign(struct rw_scan *x)
{
	static const struct {
		char text[3];
		enum rw_token token;
	} pairs[] = {
		{"=>", RW_T_ARROW}, {"==", RW_T_EQ}, {"!=", RW_T_NE},
		{"<=", RW_T_LE},    {">=", RW_T_GE}, {"..", RW_T_DOTS},
	};
	int c = peek(x, x->at);

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		if (c == pairs[i].text[0] &&
		    peek(x, x->at + 1) == pairs[i].text[1]) {
			take(x, pairs[i].token, x->at + 2);
			return;
		}
	}
	if (c > ' ' && c < 0x7f && strchr("(){}[]<>=,;:|?!*.", c)) {
		take(x, c, x->at + 1);
		return;
	}
	take(x, RW_T_BAD, x->at + 1);
	if (c > ' ' && c < 0x7f)
		diag_error(x->d, x->loc, "unexpected character '%c'", c);
	else
		diag_error(x->d, x->loc, "unexpected byte 0x%02x", (unsigned)c);
}

void
rw_scan_next(struct rw_scan *x)
{
	int c;

	x->last = x->loc;
	if (!skip_blanks(x)) {
		x->at = x->s->len;
		take(x, RW_T_BAD, x->at);
		return;
	}
	c = peek(x, x->at);
	if (x->at >= x->s->len) {
		take(x, RW_T_END, x->at);
	} else if (is_letter(c)) {
		size_t end = word_end(x, x->at, true);

		x->name = ir_name_n(x->cx, x->s->text + x->at, end - x->at);
		take(x, RW_T_NAME, end);
	} else if ((c == '%' || c == '@') && (is_letter(peek(x, x->at + 1)) ||
					      is_digit(peek(x, x->at + 1)))) {
		size_t end = word_end(x, x->at + 1, false);

		x->name = ir_name_n(x->cx, x->s->text + x->at + 1,
				    end - x->at - 1);
		take(x, c == '%' ? RW_T_SLOT : RW_T_GLOBAL, end);
	} else if (is_digit(c) || (c == '-' && is_digit(peek(x, x->at + 1)))) {
		scan_number(x);
	} else if (c == '"') {
		scan_string(x);
	} else {
		if (c == '%' && peek(x, x->at + 1) == '*')
			x->at++;
		scan_sign(x);
	}
}

const char *
rw_scan_found(struct rw_scan *x)
{
	static char text[64];

	if (x->token == RW_T_END)
		return "the end of the file";
	snprintf(text, sizeof(text), "'%.*s'",
		 (int)(x->loc.len > 40 ? 40 : x->loc.len),
		 x->s->text + x->loc.off);
	return text;
}

void
rw_scan_start(struct rw_scan *x, ir_context *cx, struct source *s,
	      struct diag *d)
{
	*x = (struct rw_scan){.cx = cx, .s = s, .d = d};
	rw_scan_next(x);
}
