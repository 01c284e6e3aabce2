/*
 * The stream of tokens that the grammar sees: the scanner's, behind a token
 * that says what kind of text it is, and with the semicolons that texts of
 * version 0.0.4 and older leave out.
 */
#include <string.h>

#include "lexer/lex.h"
#include "parser/relay.tab.h"

int relay_lex_scan(RELAY_YYSTYPE *val, struct loc *loc, void *scanner);

/* A statement may end with TOKEN. */
static bool
can_end(int token)
{
	switch (token) {
	case ')':
	case '}':
	case ']':
	case TOK_LOCAL:
	case TOK_GRAPH:
	case TOK_GLOBAL:
	case TOK_PROJ:
	case TOK_INT:
	case TOK_FLOAT:
	case TOK_BOOL:
	case TOK_NAME:
		return true;
	default:
		return false;
	}
}

/* A statement may start with TOKEN. */
static bool
can_start(int token)
{
	switch (token) {
	case TOK_GRAPH_DEF:
	case TOK_GRAPH:
	case TOK_LET:
	case TOK_FREE_VAR:
	case TOK_LOCAL:
	case TOK_GLOBAL:
	case TOK_IF:
	case TOK_NAME:
	case TOK_MATCH:
		return true;
	default:
		return false;
	}
}

/* A line ends between the last token and the one at LOC. */
static bool
newline_before(const struct parse_ctx *cx, size_t from, struct loc loc)
{
	return memchr(cx->src->text + from, '\n', loc.off - from) != NULL;
}

/* Statements stand here: in braces, or outside of all brackets. */
static bool
in_block(const struct lex_state *lex)
{
	return lex->open.len == 0 || vec_last(&lex->open).opener == '{';
}

/* The innermost bracket holds B from here on, if it held A. */
static void
turn(struct lex_state *lex, enum bracket_kind a, enum bracket_kind b)
{
	if (lex->open.len > 0 && vec_last(&lex->open).kind == a)
		vec_last(&lex->open).kind = (uint8_t)b;
}

/* Keep track of what the next brackets hold. */
static void
note(struct parse_ctx *cx, int token)
{
	struct lex_state *lex = &cx->lex;

	switch (token) {
	case TOK_FN:
	case TOK_DEF:
		lex->params_next = true;
		break;
	case TOK_MATCH:
	case TOK_MATCH_SOME:
		vec_push(&lex->matches, (uint32_t)lex->open.len);
		break;
	case TOK_FAT_ARROW:
		turn(lex, BRACKET_ARM_PATTERN, BRACKET_ARM_BODY);
		break;
	case ',':
		turn(lex, BRACKET_ARM_BODY, BRACKET_ARM_PATTERN);
		break;
	default:
		break;
	}
	lex->prev = token;
}

/* A ';' or '}' that ends what is skipped, or a token that ends a text. */
static bool
ends_skipping(const struct lex_state *lex, int token)
{
	if (token == ';')
		return lex->open.len == lex->skip_depth;
	if (token == '}')
		return lex->open.len < lex->skip_depth;
	return token == 0;
}

static void
hold(struct lex_state *lex, int token, const RELAY_YYSTYPE *val, struct loc loc)
{
	lex->held = token;
	lex->held_loc = loc;
	memcpy(lex->held_value, val, sizeof(*val));
}

/* The next token of the text. */
static int
scan(struct parse_ctx *cx, RELAY_YYSTYPE *val, struct loc *loc)
{
	int token = lex_quick(cx, val, loc);

	return token ? token : relay_lex_scan(val, loc, cx->scanner);
}

/*
 * The next token that counts after a syntax error. A definition that starts
 * in the middle of one says that braces are missing.
 */
static int
skip(struct parse_ctx *cx, int token, RELAY_YYSTYPE *val, struct loc *loc)
{
	struct lex_state *lex = &cx->lex;

	while (!ends_skipping(lex, token) && token != TOK_DEF &&
	       !cx->d->stopped)
		token = scan(cx, val, loc);
	lex->skip_depth = 0;
	if (token != TOK_DEF)
		return token;
	lex->closing = lex_close_all(lex);
	if (lex->closing == 0)
		return token;
	hold(lex, token, val, *loc);
	lex->closing--;
	return '}';
}

/* A token that was sent for later: the kind of text, a '}' or one held. */
static int
sent_before(struct parse_ctx *cx, RELAY_YYSTYPE *val, struct loc *loc)
{
	struct lex_state *lex = &cx->lex;
	int token = lex->start_token;

	if (token) {
		lex->start_token = 0;
		*loc = LOC_NONE;
		return token;
	}
	*loc = lex->held_loc;
	if (lex->closing > 0) {
		lex->closing--;
		return '}';
	}
	token = lex->held;
	lex->held = 0;
	*val = *(RELAY_YYSTYPE *)lex->held_value;
	note(cx, token);
	return token;
}

int
relay_yylex(RELAY_YYSTYPE *val, struct loc *loc, struct parse_ctx *cx)
{
	struct lex_state *lex = &cx->lex;
	size_t before = lex->off;
	int token = 0;

	if (lex->start_token || lex->closing > 0 || lex->held)
		return sent_before(cx, val, loc);
	if (!lex->ended && !cx->d->stopped)
		token = scan(cx, val, loc);
	if (lex->skip_depth > 0)
		token = skip(cx, token, val, loc);
	if (token == 0)
		*loc = (struct loc){(uint32_t)lex->off, lex->off == 0, 0};
	if (lex->old && can_end(lex->prev) && can_start(token) &&
	    in_block(lex) && newline_before(cx, before, *loc)) {
		hold(lex, token, val, *loc);
		token = ';';
	}
	if (token == TOK_NAME)
		lex->prev_name = val->name;
	note(cx, token);
	return token;
}
