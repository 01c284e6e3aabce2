/*
 * Brackets: how deep they nest, and what stands in them.
 *
 * Whether a name is bound or used decides how far it reaches ("%a.0"), and
 * that the scanner must know before the grammar does. Parameters and patterns
 * are told by their brackets.
 */
#include "lexer/lex.h"
#include "parser/relay.tab.h"

/* More brackets than these are not looked through for one that matches. */
enum { LOST_MOST = 64 };

static bool
is_open_arm(const struct lex_state *lex)
{
	return lex->open.len > 0 &&
	       (vec_last(&lex->open).kind == BRACKET_PATTERN ||
		vec_last(&lex->open).kind == BRACKET_ARM_PATTERN);
}

static enum bracket_kind
kind_of(struct lex_state *lex, int token)
{
	if (token == '(' && lex->params_next) {
		lex->params_next = false;
		return BRACKET_PARAMS;
	}
	if (token == '{' && lex->matches.len > 0 &&
	    vec_last(&lex->matches) == lex->open.len) {
		(void)vec_pop(&lex->matches);
		return BRACKET_ARM_PATTERN;
	}
	if (token == '(' && is_open_arm(lex))
		return BRACKET_PATTERN;
	return BRACKET_PLAIN;
}

/* Loops are walked recursively: their blocks may not nest without end. */
enum { MAX_BLOCKS = 2000 };

static bool
open_bracket(struct parse_ctx *cx, int token, struct loc loc)
{
	struct lex_state *lex = &cx->lex;
	struct open_bracket b = {.off = loc.off, .opener = (char)token};

	if (cx->o.max_nesting && lex->open.len >= cx->o.max_nesting) {
		diag_error(cx->d, loc, "brackets nest more than %u deep",
			   cx->o.max_nesting);
		diag_note(cx->d, LOC_NONE, "--max-nesting=N allows more");
		lex->ended = true;
		return false;
	}
	if (cx->low.active && lex->open.len >= MAX_BLOCKS && token == '{') {
		diag_error(cx->d, loc, "blocks nest more than %d deep",
			   MAX_BLOCKS);
		lex->ended = true;
		return false;
	}
	if (token == '(' && lex->prev == TOK_NAME)
		b.callee = lex->prev_name;
	b.kind = (uint8_t)kind_of(lex, token);
	vec_push(&lex->open, b);
	return true;
}

static bool
matches(char opener, int closer)
{
	return (opener == '(' && closer == ')') ||
	       (opener == '[' && closer == ']') ||
	       (opener == '{' && closer == '}');
}

/* Brackets that were not closed inside of those that are go with them. */
static void
close_bracket(struct lex_state *lex, int token)
{
	size_t n = lex->open.len;
	size_t last = n > LOST_MOST ? n - LOST_MOST : 0;

	while (n > last && !matches(lex->open.at[n - 1].opener, token))
		n--;
	if (n > last)
		lex->open.len = n - 1;
	while (lex->matches.len > 0 && vec_last(&lex->matches) > lex->open.len)
		(void)vec_pop(&lex->matches);
}

bool
lex_bracket(struct parse_ctx *cx, int token, struct loc loc)
{
	if (token == '(' || token == '[' || token == '{')
		return open_bracket(cx, token, loc);
	close_bracket(&cx->lex, token);
	return true;
}

uint32_t
lex_close_all(struct lex_state *lex)
{
	uint32_t braces = 0;

	for (size_t i = 0; i < lex->open.len; i++)
		braces += lex->open.at[i].opener == '{';
	lex->open.len = lex->matches.len = 0;
	return braces;
}

void
lex_recover(struct parse_ctx *cx, struct loc loc)
{
	struct lex_state *lex = &cx->lex;
	size_t n = lex->open.len;

	lex->skip_depth = 0;
	if (lex->prev == ';' || lex->prev == '}' || lex->prev == 0)
		return;
	if (lex->prev == TOK_DEF) {
		lex->closing = lex_close_all(lex);
		lex->held = lex->closing ? TOK_DEF : 0;
		lex->held_loc = loc;
		return;
	}
	if (lex->prev == '{' && n > 0)
		n--;
	while (n > 0 && lex->open.at[n - 1].opener != '{')
		n--;
	lex->skip_depth = (uint32_t)n;
}
