/*
 * Words of tensor expressions and loops. They are keywords only there, and
 * even there a word before '[' or ':' is a name somebody chose.
 */
#include <string.h>

#include "lexer/lex.h"
#include "parser/relay.tab.h"

static const struct keyword {
	const char *word;
	int token;
} keywords[] = {
	{"te", TOK_TE},
	{"schedule", TOK_SCHEDULE},
	{"primfn", TOK_PRIMFN},
	{"attr", TOK_ATTR},
	{"size", TOK_SIZE},
	{"require", TOK_REQUIRE},
	{"compute", TOK_COMPUTE},
	{"extern", TOK_EXTERN_OP},
	{"stage", TOK_STAGE},
	{"const", TOK_CONST},
	{"where", TOK_WHERE},
	{"return", TOK_RETURN},
	{"for", TOK_FOR},
	{"while", TOK_WHILE},
	{"if", TOK_IF},
	{"else", TOK_ELSE},
	{"let", TOK_LET},
	{"fn", TOK_FN},
	{"ref", TOK_REF},
	{"Tensor", TOK_TENSOR},
	{"allocate", TOK_ALLOCATE},
	{"assert", TOK_ASSERT},
	{"buffers", TOK_BUFFERS},
	{"buffer_map", TOK_BUFFER_MAP},
	{"align", TOK_ALIGN},
	{"storage_scope", TOK_STORAGE_SCOPE},
	{"Buffer", TOK_BUFFER},
	{"Pointer", TOK_POINTER},
	{"True", TOK_BOOL},
	{"False", TOK_BOOL},
};

enum { NKEYWORDS = sizeof(keywords) / sizeof(keywords[0]) };

static void
fill_keywords(struct parse_ctx *cx)
{
	for (unsigned i = 0; i < NKEYWORDS; i++) {
		const char *name = ir_name(cx->cx, keywords[i].word);

		name_map_set(&cx->low.keywords, (uintptr_t)name, &keywords[i]);
	}
}

/* The character that stands next. */
static char
next_char(const struct parse_ctx *cx)
{
	size_t at = lex_skip_blanks(cx, cx->lex.off);

	return at < cx->src->len ? cx->src->text[at] : '\0';
}

bool
lex_starts_low(const struct parse_ctx *cx, const char *name)
{
	if (cx->lex.open.len > 0 ||
	    (strcmp(name, "te") != 0 && strcmp(name, "schedule") != 0 &&
	     strcmp(name, "primfn") != 0))
		return false;
	return next_char(cx) == '@';
}

bool
lex_ends_low(const struct parse_ctx *cx, const char *name)
{
	return cx->lex.open.len == 0 &&
	       (strcmp(name, "def") == 0 || strcmp(name, "type") == 0 ||
		strcmp(name, "extern") == 0 || strcmp(name, "import") == 0);
}

int
lex_low_token(struct parse_ctx *cx, const char *name, bool *flag)
{
	const struct keyword *k;
	struct dtype t;
	char next;

	if (cx->low.keywords.count == 0)
		fill_keywords(cx);
	next = next_char(cx);
	k = name_map_get(&cx->low.keywords, (uintptr_t)name);
	if (next == ':' || (next == '[' && (!k || k->token != TOK_TENSOR)))
		return TOK_NAME;
	if (k && (k->token == TOK_SIZE || k->token == TOK_REQUIRE) &&
	    cx->lex.prev != ';' && cx->lex.prev != '{')
		return TOK_NAME;
	if (k) {
		*flag = name[0] == 'T';
		return k->token;
	}
	return name[0] && dtype_parse(name, intern_len(name), &t) ? TOK_DTYPE
								  : TOK_NAME;
}
