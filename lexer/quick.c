/*
 * Tokens that their first characters decide. Most of a text's tokens are
 * these; they are told here, before the scanner's tables are asked, which
 * know them too.
 */
#include "lexer/lex.h"
#include "parser/relay.tab.h"

/* The scanner's rules for names and numbers decide the rest. */
enum { MOST_DIGITS = 18 };

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

/* A token of N bytes at OFF. */
static void
take(struct parse_ctx *cx, size_t off, size_t n, struct loc *loc)
{
	struct lex_state *lex = &cx->lex;

	lex->behind += off + n - lex->off;
	lex->off = off + n;
	*loc = loc_make((uint32_t)off, (uint32_t)n);
}

static int
graph_variable(struct parse_ctx *cx, size_t off, RELAY_YYSTYPE *val,
	       struct loc *loc)
{
	const struct source *s = cx->src;
	uint64_t number = 0;
	size_t i = off + 1;

	while (i < s->len && is_digit(s->text[i])) {
		if (i - off > MOST_DIGITS)
			return 0;
		number = number * 10 + (uint64_t)(s->text[i++] - '0');
	}
	val->number = number;
	take(cx, off, i - off, loc);
	return lex_equals_follows(cx) ? TOK_GRAPH_DEF : TOK_GRAPH;
}

static int
local_variable(struct parse_ctx *cx, size_t off, RELAY_YYSTYPE *val,
	       struct loc *loc)
{
	const struct source *s = cx->src;
	size_t i = off + 1, len;

	while (i < s->len && (is_letter(s->text[i]) || is_digit(s->text[i]) ||
			      s->text[i] == '/'))
		i++;
	len = lex_local_length(cx, off + 1, i - off - 1);
	val->name = lex_name(cx, off + 1, len);
	take(cx, off, len + 1, loc);
	return TOK_LOCAL;
}

/* What begins with '%', but not of a tensor expression. */
static int
variable(struct parse_ctx *cx, size_t off, RELAY_YYSTYPE *val, struct loc *loc)
{
	char next = cx->src->text[off + 1];

	if (cx->low.active)
		return 0;
	if (is_digit(next))
		return graph_variable(cx, off, val, loc);
	return is_letter(next) ? local_variable(cx, off, val, loc) : 0;
}

int
lex_quick(struct parse_ctx *cx, RELAY_YYSTYPE *val, struct loc *loc)
{
	const struct source *s = cx->src;
	size_t off = lex_skip_blanks(cx, cx->lex.off);
	char next;
	int c;

	if (off + 1 >= s->len)
		return 0;
	c = s->text[off];
	next = s->text[off + 1];
	switch (c) {
	case '(':
	case ')':
	case '[':
	case ']':
	case '{':
	case '}':
		take(cx, off, 1, loc);
		return lex_bracket(cx, c, *loc) ? c : TOK_RELAY_YYerror;
	case '=':
		if (next == '=' || next == '>')
			return 0;
		break;
	case ':':
		if (next == '=')
			return 0;
		break;
	case ';':
		if (next == ';')
			return 0;
		break;
	case ',':
		break;
	case '%':
		return variable(cx, off, val, loc);
	default:
		return 0;
	}
	take(cx, off, 1, loc);
	return c;
}
