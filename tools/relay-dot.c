/*
 * relay-dot: draw a module.
 */
#include <string.h>

#include "ir/infer.h"
#include "ir/verify.h"
#include "parser/module_file.h"
#include "passes/dot/graph.h"
#include "passes/input.h"
#include "support/outfile.h"
#include "support/tool.h"

enum { FORMAT_DOT, FORMAT_JSON, FORMAT_TEXT };

struct dot_tool_options {
	struct tool_options tool;
	const char *output;
	const char *around;
	const char *diff;
	struct option_list functions;
	struct option_list show;
	int format;
	int cluster;
	int color_by;
	int rankdir;
	long long radius;
	long long max_nodes;
	bool allow_unknown_ops;
};

#define FIELD(name) offsetof(struct dot_tool_options, name)

#define ROW(name, kind, field, value, bare, text, traits) \
	{name, OPTION_##kind, FIELD(field), value, bare, text, traits}

/* clang-format off */
static const struct option_def table[] = {
	{ "What is drawn", OPTION_HEADING, 0, NULL, NULL, NULL, 0 },
	ROW("function", LIST, functions, "NAME,..", NULL, "only these functions (globs)", 0),
	ROW("around", TEXT, around, "NAME", NULL, "only what is near %NAME, or the operator NAME", 0),
	ROW("radius", NUMBER, radius, "N", NULL, "how many edges away that is (2)", 0),
	ROW("cluster", CHOICE, cluster, "fused|compiler|none", NULL, "which functions become boxes", 0),
	ROW("show", LIST, show, "WHAT,..", NULL, "of each node: types, attrs, spans; consts as nodes; or nothing (types)", 0),
	ROW("max-nodes", NUMBER, max_nodes, "N", NULL, "draw groups as one node beyond N (2000)", 0),
	ROW("diff", TEXT, diff, "FILE", NULL, "mark what is not the same in FILE, the module before", 0),
	ROW("allow-unknown-ops", FLAG, allow_unknown_ops, NULL, NULL, "keep unknown operators as they are", OPTION_HIDDEN),
	{ "Output", OPTION_HEADING, 0, NULL, NULL, NULL, 0 },
	ROW("format", CHOICE, format, "dot|json|text", NULL, "for Graphviz, for scripts, for the terminal", 0),
	ROW("o", TEXT, output, "FILE", NULL, "write to FILE instead of standard output", 0),
	ROW("color-by", CHOICE, color_by, "op|dtype|none", NULL, "what the colour of a node tells", 0),
	ROW("rankdir", CHOICE, rankdir, "TB|LR", NULL, "from top to bottom, or left to right", 0),
	TOOL_OPTIONS(struct dot_tool_options, tool)
};
/* clang-format on */

struct run {
	struct dot_tool_options o;
	struct tool tool;
	ir_context *cx;
	struct dot_options graph;
	struct dot_style style;
};

static bool
read_file(struct run *r, struct module_file *f, const char *path)
{
	struct parse_options o = PARSE_OPTIONS_DEFAULT;

	o.allow_unknown_ops = r->o.allow_unknown_ops;
	return module_file_read(f, r->cx, path, &r->tool.diag, &o);
}

static bool
take_show(struct run *r)
{
	r->style.types = r->o.show.len == 0;
	for (size_t i = 0; i < r->o.show.len; i++) {
		const char *word = r->o.show.at[i];

		if (strcmp(word, "types") == 0)
			r->style.types = true;
		else if (strcmp(word, "attrs") == 0)
			r->style.attrs = true;
		else if (strcmp(word, "spans") == 0)
			r->style.spans = true;
		else if (strcmp(word, "consts") == 0)
			r->graph.constants = true;
		else if (strcmp(word, "nothing") != 0)
			diag_error(&r->tool.diag, LOC_NONE,
				   "option '--show': '%s' is none of "
				   "types|attrs|spans|consts|nothing",
				   word);
	}
	return r->tool.diag.errors == 0;
}

static void
set_options(struct run *r)
{
	r->graph.functions = r->o.functions;
	r->graph.clusters = (enum dot_clusters)r->o.cluster;
	r->style.color = (enum dot_color)r->o.color_by;
	r->style.left_to_right = r->o.rankdir == 1;
}

/*
 * Types are shown if they can be inferred, which takes a module that is well
 * formed; a faulty one is drawn, too.
 */
static void
infer_quietly(ir_module *m)
{
	struct diag d;

	diag_init(&d, "relay-dot", NULL);
	d.quiet = true;
	if (ir_verify_module(m, &d))
		ir_infer_module(m, &d);
}

static bool
select_nodes(struct run *r, struct dot_graph *g)
{
	size_t n;

	if (r->o.functions.len && g->nodes.len == 0) {
		diag_error(&r->tool.diag, LOC_NONE,
			   "option '--function': no function has such a name");
		return false;
	}
	if (r->o.around &&
	    !dot_graph_around(g, r->o.around, (unsigned)r->o.radius)) {
		diag_error(&r->tool.diag, LOC_NONE, "there is no node '%s'",
			   r->o.around);
		return false;
	}
	if (dot_graph_visible(g) > (size_t)r->o.max_nodes)
		dot_graph_collapse(g);
	n = dot_graph_visible(g);
	if (n > (size_t)r->o.max_nodes)
		diag_warning(&r->tool.diag, LOC_NONE,
			     "the graph has %zu nodes; see --around and "
			     "--function",
			     n);
	return true;
}

/* BEFORE: NULL, or the module against which differences are marked. */
static void
draw(struct run *r, const ir_module *m, const ir_module *before)
{
	struct dot_graph g = {0};
	struct buf out = {0};

	if (before)
		dot_graph_build_against(&g, m, before, &r->graph);
	else
		dot_graph_build(&g, m, &r->graph);
	if (select_nodes(r, &g)) {
		if (r->o.format == FORMAT_DOT)
			dot_write_dot(&out, &g, m, &r->style);
		else if (r->o.format == FORMAT_JSON)
			dot_write_json(&out, &g, m, &r->style);
		else
			dot_write_text(&out, &g, m, &r->style);
		outfile_write(r->o.output ? r->o.output : "-", out.at, out.len,
			      &r->tool.diag);
	}
	buf_free(&out);
	dot_graph_free(&g);
}

static void
run(struct run *r)
{
	const char *path = tool_input(&r->tool);
	struct module_file f;
	struct module_file before;

	if (!path || !take_show(r))
		return;
	set_options(r);
	r->cx = ir_context_new();
	if (read_file(r, &f, path)) {
		infer_quietly(f.module);
		if (!r->o.diff) {
			draw(r, f.module, NULL);
		} else if (read_file(r, &before, r->o.diff)) {
			infer_quietly(before.module);
			draw(r, f.module, before.module);
			module_file_free(&before);
		}
		module_file_free(&f);
	}
	ir_context_free(r->cx);
}

int
main(int argc, char **argv)
{
	static struct run r = {.o = {.radius = 2, .max_nodes = 2000}};

	r.tool.set = (struct option_set){
		.tool = "relay-dot",
		.overview = "draw a Relay module: relay-dot net.relay | dot "
			    "-Tsvg > net.svg",
		.usage = "[options] [file]",
		.table = table,
		.count = sizeof(table) / sizeof(*table),
	};
	if (tool_start(&r.tool, argc, argv, &r.o, &r.o.tool))
		run(&r);
	return tool_end(&r.tool);
}
