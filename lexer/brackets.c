/*
 * Brackets: how deep they nest, and what stands in them.
 *
 * Whether a name is bound or used decides how far it reaches ("%a.0"), and
 * that the scanner must know before the grammar does. Parameters and patterns
 * are told by their brackets.
 */
#include "lexer/lex.h"
#include "parser/relay.tab.h"

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

static bool
open_bracket(struct parse_ctx *cx, int token, struct loc loc)
{
	struct lex_state *lex = &cx->lex;
	struct open_bracket b = { loc.off, (char)token, BRACKET_PLAIN };

	if (cx->o.max_nesting && lex->open.len >= cx->o.max_nesting) {
		diag_error(cx->d, loc, "brackets nest more than %u deep",
			   cx->o.max_nesting);
		diag_note(cx->d, LOC_NONE, "--max-nesting=N allows more");
		lex->ended = true;
		return false;
	}
	b.kind = (uint8_t)kind_of(lex, token);
	vec_push(&lex->open, b);
	return true;
}

bool
lex_bracket(struct parse_ctx *cx, int token, struct loc loc)
{
	struct lex_state *lex = &cx->lex;

	if (token == '(' || token == '[' || token == '{')
		return open_bracket(cx, token, loc);
	if (lex->open.len > 0)
		(void)vec_pop(&lex->open);
	while (lex->matches.len > 0 &&
	       vec_last(&lex->matches) > lex->open.len)
		(void)vec_pop(&lex->matches);
	return true;
}
