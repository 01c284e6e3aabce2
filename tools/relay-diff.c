/*
 * relay-diff: are two modules the same but for names, and where do they
 * first differ?
 */
#include <stdlib.h>
#include <string.h>

#include "ir/equal.h"
#include "ir/expr.h"
#include "ir/module.h"
#include "ir/print.h"
#include "parser/module_file.h"
#include "support/linediff.h"
#include "support/outfile.h"
#include "support/tool.h"

enum { OUT_UNIFIED, OUT_SIDE, OUT_PATHS, OUT_JSON, OUT_BRIEF, OUT_NONE };
enum { EXIT_SAME, EXIT_DIFFERENT, EXIT_TROUBLE };

struct diff_options {
	struct tool_options tool;
	int output;
	long long width;
	bool map_free_vars;
	bool hash;
	bool allow_unknown_ops;
	const char *const_rtol;
	struct option_list ignore;
	struct option_list functions;
};

#define FIELD(name) offsetof(struct diff_options, name)

#define ROW(name, kind, field, value, bare, text, traits) \
	{name, OPTION_##kind, FIELD(field), value, bare, text, traits}

/* clang-format off */
static const struct option_def table[] = {
	{ "Comparing", OPTION_HEADING, 0, NULL, NULL, NULL, 0 },
	ROW("ignore", LIST, ignore, "WHAT,..", NULL, "what does not count: attrs:NAME, types (written annotations), consts; names, spans and order never do", 0),
	ROW("const-rtol", TEXT, const_rtol, "X", NULL, "constants may differ by the fraction X", 0),
	ROW("map-free-vars", FLAG, map_free_vars, NULL, NULL, "pair free variables up in order", 0),
	ROW("function", LIST, functions, "NAME,..", NULL, "compare only these definitions", 0),
	ROW("allow-unknown-ops", FLAG, allow_unknown_ops, NULL, NULL, "keep unknown operators as they are", 0),
	{ "Output", OPTION_HEADING, 0, NULL, NULL, NULL, 0 },
	ROW("output", CHOICE, output, "unified|side|paths|json|brief|none", NULL, "how differences are told", 0),
	ROW("width", NUMBER, width, "N", NULL, "columns of --output=side (123)", 0),
	ROW("hash", FLAG, hash, NULL, NULL, "print the structural hash of each file instead", 0),
	TOOL_OPTIONS(struct diff_options, tool)
};
/* clang-format on */

struct run {
	struct diff_options o;
	struct tool tool;
	ir_context *cx;
	struct ir_equal_options equal;
	struct buf out;
};

static bool
read_file(struct run *r, struct module_file *f, const char *path)
{
	struct parse_options o = PARSE_OPTIONS_DEFAULT;

	o.allow_unknown_ops = r->o.allow_unknown_ops;
	return module_file_read(f, r->cx, path, &r->tool.diag, &o);
}

/* ------------------------------------------------------------ output -- */

/* " (a.relay:3:5, b.relay:4:5)", as far as places are known. */
static void
put_places(struct buf *out, const struct ir_difference *d,
	   struct module_file *a, struct module_file *b)
{
	const ir_expr *nodes[2] = {d->a, d->b};
	struct module_file *files[2] = {a, b};
	unsigned line;
	unsigned column;
	int known = 0;

	for (int i = 0; i < 2; i++) {
		if (!nodes[i] || !loc_is_known(nodes[i]->loc) ||
		    nodes[i]->loc.span)
			continue;
		source_position(&files[i]->source, nodes[i]->loc.off, &line,
				&column);
		buf_printf(out, "%s%s:%u:%u", known++ ? ", " : " (",
			   files[i]->source.name, line, column);
	}
	if (known)
		buf_putc(out, ')');
}

static void
put_difference(struct buf *out, const struct ir_difference *d,
	       struct module_file *a, struct module_file *b)
{
	buf_puts(out, d->path);
	put_places(out, d, a, b);
	if (*d->path)
		buf_puts(out, ": ");
	buf_puts(out, d->what);
	buf_putc(out, '\n');
}

static void
put_json_text(struct buf *out, const char *s)
{
	buf_putc(out, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			buf_printf(out, "\\%c", *s);
		else if ((unsigned char)*s < 0x20)
			buf_printf(out, "\\u%04x", (unsigned char)*s);
		else
			buf_putc(out, *s);
	}
	buf_putc(out, '"');
}

static void
put_json(struct buf *out, const struct ir_comparison *c)
{
	buf_printf(out, "{\"equal\": %s, \"differences\": [",
		   c->all.len ? "false" : "true");
	for (size_t i = 0; i < c->all.len; i++) {
		buf_puts(out, i ? ", {\"path\": " : "{\"path\": ");
		put_json_text(out, c->all.at[i].path);
		buf_puts(out, ", \"what\": ");
		put_json_text(out, c->all.at[i].what);
		buf_putc(out, '}');
	}
	buf_puts(out, "]}\n");
}

static void
put_texts(struct run *r, const struct ir_comparison *c, struct module_file *a,
	  struct module_file *b)
{
	struct print_options print = {.types = PRINT_TYPES_NONE,
				      .meta = PRINT_META_OMIT};
	struct buf x = {0};
	struct buf y = {0};
	size_t width = (size_t)r->o.width;

	put_difference(&r->out, &c->all.at[0], a, b);
	ir_print_aligned(&x, a->module, &y, b->module, &c->pairs, &print);
	if (r->o.output == OUT_SIDE) {
		linediff_side(&r->out, x.at, x.len, y.at, y.len,
			      width > 10 ? (width - 3) / 2 : 4, true);
	} else {
		buf_printf(&r->out, "--- %s\n+++ %s\n", a->path, b->path);
		linediff(&r->out, x.at, x.len, y.at, y.len);
	}
	buf_free(&x);
	buf_free(&y);
}

static void
tell(struct run *r, const struct ir_comparison *c, struct module_file *a,
     struct module_file *b)
{
	switch (r->o.output) {
	case OUT_JSON:
		put_json(&r->out, c);
		break;
	case OUT_PATHS:
		for (size_t i = 0; i < c->all.len; i++)
			put_difference(&r->out, &c->all.at[i], a, b);
		break;
	case OUT_BRIEF:
		if (c->all.len)
			put_difference(&r->out, &c->all.at[0], a, b);
		break;
	case OUT_NONE:
		break;
	default:
		if (c->all.len)
			put_texts(r, c, a, b);
		break;
	}
}

/* --------------------------------------------------------------- run -- */

/* The words of --ignore and --const-rtol. */
static bool
set_equal_options(struct run *r)
{
	struct diag *d = &r->tool.diag;
	struct option_list attrs = {0};
	char *end;

	for (size_t i = 0; i < r->o.ignore.len; i++) {
		const char *word = r->o.ignore.at[i];

		if (strncmp(word, "attrs:", 6) == 0)
			option_list_add(&attrs, word + 6, &r->tool.arena);
		else if (strcmp(word, "types") == 0)
			r->equal.ignore_annotations = true;
		else if (strcmp(word, "consts") == 0)
			r->equal.ignore_consts = true;
		else if (strcmp(word, "names") != 0 &&
			 strcmp(word, "spans") != 0 &&
			 strcmp(word, "order") != 0)
			diag_error(d, LOC_NONE,
				   "option '--ignore': '%s' is none of "
				   "attrs:NAME|types|consts|names|spans|order",
				   word);
	}
	if (r->o.const_rtol) {
		r->equal.const_rtol = strtod(r->o.const_rtol, &end);
		if (*end || end == r->o.const_rtol ||
		    !(r->equal.const_rtol >= 0))
			diag_error(d, LOC_NONE,
				   "option '--const-rtol': '%s' is no number",
				   r->o.const_rtol);
	}
	option_list_add(&attrs, NULL, &r->tool.arena);
	r->equal.ignore_attrs = (const char *const *)attrs.at;
	if (r->o.functions.len) {
		option_list_add(&r->o.functions, NULL, &r->tool.arena);
		r->equal.only = (const char *const *)r->o.functions.at;
	}
	r->equal.map_free_vars = r->o.map_free_vars;
	r->equal.ignore_inferred = true;
	return d->errors == 0;
}

/* A name in --function that nobody has would make any two modules equal. */
static bool
check_functions(struct run *r, const struct module_file *a,
		const struct module_file *b)
{
	const char *const *only = r->equal.only;
	const ir_module *both[] = {a->module, b->module};
	struct diag *d = &r->tool.diag;

	for (; only && *only; only++) {
		bool found = false;

		for (size_t k = 0; k < 2; k++)
			for (size_t i = 0; i < both[k]->defs.len; i++)
				found |= !strcmp(both[k]->defs.at[i]->name,
						 *only);
		if (!found)
			diag_error(d, LOC_NONE,
				   "option '--function': neither file has a "
				   "definition '@%s'",
				   *only);
	}
	return d->errors == 0;
}

static bool
compare(struct run *r)
{
	struct ir_comparison c = {0};
	struct module_file a;
	struct module_file b;

	if (r->tool.operands.len != 2) {
		diag_error(&r->tool.diag, LOC_NONE,
			   "two files are needed, not %zu",
			   r->tool.operands.len);
		return false;
	}
	if (!read_file(r, &a, r->tool.operands.at[0]))
		return false;
	if (!read_file(r, &b, r->tool.operands.at[1])) {
		module_file_free(&a);
		return false;
	}
	if (!check_functions(r, &a, &b))
		r->tool.status = EXIT_TROUBLE;
	else if (!ir_module_compare(a.module, b.module, &r->equal, &c))
		r->tool.status = EXIT_DIFFERENT;
	if (r->tool.status != EXIT_TROUBLE)
		tell(r, &c, &a, &b);
	ir_comparison_free(&c);
	module_file_free(&a);
	module_file_free(&b);
	return true;
}

static bool
print_hashes(struct run *r)
{
	struct module_file f;

	if (r->tool.operands.len == 0)
		diag_error(&r->tool.diag, LOC_NONE, "no file is given");
	for (size_t i = 0; i < r->tool.operands.len; i++) {
		if (!read_file(r, &f, r->tool.operands.at[i]))
			continue;
		buf_printf(&r->out, "%016llx  %s\n",
			   (unsigned long long)ir_module_hash(f.module),
			   f.path);
		module_file_free(&f);
	}
	return r->tool.diag.errors == 0;
}

static void
run(struct run *r)
{
	r->cx = ir_context_new();
	if (set_equal_options(r) &&
	    (r->o.hash ? print_hashes(r) : compare(r)) && r->out.len)
		outfile_write("-", r->out.at, r->out.len, &r->tool.diag);
	buf_free(&r->out);
	ir_context_free(r->cx);
}

int
main(int argc, char **argv)
{
	static struct run r = {.o = {.width = 123}};
	int status;

	r.tool.set = (struct option_set){
		.tool = "relay-diff",
		.overview = "compare two Relay modules by structure; exit "
			    "status 0: equal, 1: different, 2: trouble",
		.usage = "[options] file file",
		.table = table,
		.count = sizeof(table) / sizeof(*table),
	};
	if (tool_start(&r.tool, argc, argv, &r.o, &r.o.tool))
		run(&r);
	status = r.tool.diag.errors ? EXIT_TROUBLE : 0;
	return tool_end(&r.tool) && status ? status : r.tool.status;
}
