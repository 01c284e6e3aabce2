/*
 * The way from a source to a module: set up, run the grammar, look at what
 * the whole text must fulfil.
 */
#include "parser/parser.h"

#include <string.h>

#include "lexer/lex.h"
#include "parser/syn.h"
#include "parser/low.h"
#include "parser/meta.h"
#include "parser/prelude.h"
#include "parser/relay.tab.h"

/*
 * "span=" occurs in the text. Its '=' is looked for, which is a rarer byte
 * than the others: most texts have no spans and are long.
 */
static bool
mentions_spans(const struct source *s)
{
	const char *at = s->text, *end = s->text + s->len;

	while (at && (at = memchr(at, '=', (size_t)(end - at))) != NULL) {
		if (at - s->text >= 4 && memcmp(at - 4, "span", 4) == 0)
			return true;
		at++;
	}
	return false;
}

static void
ctx_open(struct parse_ctx *cx, ir_module *m, struct source *s, struct diag *d,
	 const struct parse_options *o)
{
	memset(cx, 0, sizeof(*cx));
	cx->m = m;
	cx->cx = m->cx;
	cx->src = s;
	cx->d = d;
	cx->o = o ? *o : PARSE_OPTIONS_DEFAULT;
}

static void
ctx_close(struct parse_ctx *cx)
{
	scope_free(&cx->locals);
	scope_free(&cx->type_vars);
	name_map_free(&cx->free_vars);
	name_map_free(&cx->ops);
	name_map_free(&cx->placeholders);
	name_map_free(&cx->unknown_ops);
	name_map_free(&cx->dangling);
	name_map_free(&cx->lex.globals);
	graph_free(&cx->graph);
	vec_free(&cx->args);
	vec_free(&cx->attrs);
	vec_free(&cx->lets);
	vec_free(&cx->params);
	vec_free(&cx->types);
	vec_free(&cx->dims);
	vec_free(&cx->patterns);
	vec_free(&cx->clauses);
	vec_free(&cx->values);
	vec_free(&cx->entries);
	vec_free(&cx->frames);
	vec_free(&cx->exprs);
	vec_free(&cx->fields);
	slices_free(&cx->lex.slices);
	vec_free(&cx->lex.open);
	vec_free(&cx->lex.matches);
	low_free(cx);
	meta_close(cx->meta);
}

/* Run the grammar from KIND on. */
static void
run(struct parse_ctx *cx, enum text_kind kind)
{
	static const int start[] = {TOK_START_MODULE, TOK_START_EXPR,
				    TOK_START_TYPE};

	cx->lex.text_kind = kind;
	cx->lex.start_token = start[kind];
	if (lex_open(cx) != 0) {
		diag_error(cx->d, LOC_NONE, "out of memory");
		return;
	}
	if (relay_yyparse(cx) != 0 && cx->d->errors == 0)
		diag_error(cx->d, LOC_NONE, "this text cannot be read");
	lex_close(cx);
}

/* Nothing but blanks and comments. */
static bool
is_blank(struct parse_ctx *cx)
{
	if (lex_skip_blanks(cx, 0) < cx->src->len)
		return false;
	diag_error(cx->d, (struct loc){0, 1, 0}, "expected a module");
	return true;
}

ir_module *
parse_module(ir_context *cx, struct source *s, struct diag *d,
	     const struct parse_options *o)
{
	ir_module *m = ir_module_new(cx);
	unsigned before = d->errors;
	struct parse_ctx pc;

	ctx_open(&pc, m, s, d, o);
	pc.has_spans = mentions_spans(s);
	if (!is_blank(&pc))
		run(&pc, TEXT_MODULE);
	prelude_complete(&pc);
	ctx_close(&pc);
	if (d->errors == before)
		return m;
	ir_module_free(m);
	return NULL;
}

const ir_expr *
parse_expr(ir_module *m, struct source *s, struct diag *d,
	   const struct parse_options *o)
{
	unsigned before = d->errors;
	struct parse_ctx pc;

	ctx_open(&pc, m, s, d, o);
	pc.has_spans = mentions_spans(s);
	if (!is_blank(&pc))
		run(&pc, TEXT_EXPR);
	prelude_complete(&pc);
	ctx_close(&pc);
	return d->errors == before ? pc.result : NULL;
}

bool
parse_standard_text(struct parse_ctx *cx, const char *text)
{
	struct parse_options o = {.max_nesting = 0};
	struct parse_ctx pc;
	struct source s;
	struct diag d;

	source_init(&s, "<standard definitions>", text, strlen(text));
	diag_init(&d, "", &s);
	d.quiet = true;
	ctx_open(&pc, cx->m, &s, &d, &o);
	pc.no_locs = true;
	run(&pc, TEXT_MODULE);
	cx->std_types |= pc.std_types;
	ctx_close(&pc);
	source_free(&s);
	return d.errors == 0;
}

const ir_type *
parse_type_text(struct parse_ctx *cx, size_t from, size_t to)
{
	const char *span = memmem(cx->src->text + from, to - from, " span=", 6);
	struct source s = *cx->src;
	struct parse_ctx pc;
	struct diag quiet;

	s.len = span ? (size_t)(span - cx->src->text) : to;
	s.line_start = NULL;
	diag_init(&quiet, "", NULL);
	quiet.quiet = true;
	ctx_open(&pc, cx->m, &s, &quiet, &cx->o);
	pc.has_spans = cx->has_spans;
	pc.type_vars = cx->type_vars;
	pc.meta = cx->meta;
	pc.meta_tried = true;
	pc.no_metadata = cx->no_metadata;
	pc.lex.off = pc.lex.read_pos = from;
	run(&pc, TEXT_TYPE);
	cx->type_vars = pc.type_vars;
	memset(&pc.type_vars, 0, sizeof(pc.type_vars));
	pc.meta = NULL;
	ctx_close(&pc);
	return quiet.errors ? NULL : pc.result_type;
}
