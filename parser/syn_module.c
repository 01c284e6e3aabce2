/*
 * The text as a whole: header, definitions, data types, metadata.
 */
#include <string.h>

#include "parser/syn.h"
#include "parser/low.h"
#include "parser/meta.h"

void
syn_no_version(struct parse_ctx *cx, struct loc loc)
{
	(void)loc;
	if (!cx->o.strict || cx->lex.text_kind != TEXT_MODULE)
		return;
	diag_error(cx->d, (struct loc){0, 1, 0},
		   "the text must start with '#[version = \"0.0.5\"]'");
}

/* The number in the header: "#[version = "0.0.5"]" or "v0.0.4". */
void
syn_version(struct parse_ctx *cx, struct loc loc)
{
	const char *s = cx->src->text + loc.off;
	const char *equals = memchr(s, '=', loc.len);
	const char *at = equals ? equals + 1 : s + 1;
	const char *end = s + loc.len;
	int strict_only = '5';

	while (at < end && (*at == ' ' || *at == '\t' || *at == '"'))
		at++;
	if (end - at >= 5 && memcmp(at, "0.0.", 4) == 0 && at[4] >= '1' &&
	    at[4] <= '5' && (at + 5 == end || at[5] == '"') &&
	    (!cx->o.strict || at[4] == strict_only))
		return;
	diag_error(cx->d, loc, "unknown version of the text format");
	diag_note(cx->d, LOC_NONE, "it is written '#[version = \"0.0.5\"]'");
}

void
syn_metadata(struct parse_ctx *cx, struct loc loc)
{
	size_t end = loc.off + loc.len;

	if (!cx->meta_tried) {
		cx->meta_tried = true;
		cx->meta = meta_open(cx, end);
	}
}

/* Start the next definition with clean stacks. */
void
syn_next_definition(struct parse_ctx *cx)
{
	cx->args.len = cx->attrs.len = cx->lets.len = 0;
	cx->dims.len = cx->patterns.len = cx->clauses.len = 0;
	cx->values.len = cx->entries.len = 0;
	while (cx->frames.len > 0)
		syn_close_frame(cx);
	scope_leave(&cx->locals, 0);
	scope_leave(&cx->type_vars, 0);
	cx->types.len = cx->params.len = 0;
	low_reset(cx);
	cx->def = NULL;
	cx->type_def = NULL;
	cx->tainted = false;
	cx->graph.epoch++;
	cx->ndefs++;
}

/* After an error the rest up to the next definition is skipped. */
void
syn_lost_definition(struct parse_ctx *cx)
{
	syn_next_definition(cx);
	cx->tainted = true;
	if (cx->lex.text_kind == TEXT_EXPR)
		cx->lex.ended = true;
}

void
syn_raw(struct parse_ctx *cx, struct loc loc)
{
	const char *s = cx->src->text + loc.off;
	size_t n = 1;
	const char *name;
	ir_def *def;

	while (n < loc.len && s[n] != ' ' && s[n] != '=' && s[n] != '\t' &&
	       s[n] != '\n')
		n++;
	name = ir_name_n(cx->cx, s + 1, n - 1);
	if (ir_module_find(cx->m, name)) {
		diag_error(cx->d, loc, "'@%s' is defined twice", name);
		return;
	}
	def = ir_module_add(cx->m, name, DEF_RAW, loc);
	def->raw = arena_strndup(&cx->m->arena, s, loc.len);
	def->raw_len = loc.len;
}

void
syn_type_open(struct parse_ctx *cx, struct loc loc, const char *name,
	      bool is_extern)
{
	cx->type_name = name;
	cx->type_loc = loc;
	cx->type_extern = is_extern;
	cx->type_def = NULL;
	syn_fn_open(cx, loc);
}

void
syn_type_intro(struct parse_ctx *cx, uint32_t names)
{
	uint32_t n = count_items(names, cx->types.len);
	struct loc loc = cx->no_locs ? LOC_NONE : cx->type_loc;
	struct ir_type_def *old = ir_module_find_type(cx->m, cx->type_name);

	if (old) {
		diag_error(cx->d, loc, "type '%s' is defined twice",
			   cx->type_name);
		diag_note(cx->d, old->loc, "the first definition is here");
		return;
	}
	cx->type_def = ir_module_add_type(
		cx->m, cx->type_name, n ? cx->types.at + names : NULL, n, loc);
	cx->type_def->is_extern = cx->type_extern;
}

void
syn_ctor(struct parse_ctx *cx, struct loc loc, const char *name,
	 uint32_t fields)
{
	uint32_t n = count_items(fields, cx->types.len);
	size_t first = cx->types.len - n;

	if (cx->type_def && cx->type_extern) {
		diag_error(cx->d, loc, "an extern type has no constructors");
	} else if (cx->type_def &&
		   !ir_module_add_ctor(cx->m, cx->type_def, name,
				       n ? cx->types.at + first : NULL, n,
				       cx->no_locs ? LOC_NONE : loc)) {
		diag_error(cx->d, loc, "there is a constructor '%s' already",
			   name);
		diag_note(cx->d, ir_module_find_ctor(cx->m, name)->base.loc,
			  "the first one is here");
	}
	cx->types.len = first;
}

void
syn_type_def(struct parse_ctx *cx)
{
	syn_close_frame(cx);
}

/* Standard definitions are found by their names; there is nothing to load. */
void
syn_import(struct parse_ctx *cx, struct loc loc, const char *file)
{
	static const char *const known[] = {"prelude.rly", "core.rly",
					    "gradient.rly", "nat.rly"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(file, known[i]) == 0)
			return;
	}
	diag_error(cx->d, loc, "there is no module '%s' to import", file);
}
