/*
 * A graph as dot text, as JSON, and as lines for a terminal.
 */
#include <string.h>

#include "ir/print.h"
#include "passes/dot/graph.h"
#include "support/diag_json.h"

static void
put_type(struct buf *out, const ir_type *t)
{
	if (t)
		ir_print_type(out, t);
}

static void
put_span(struct buf *out, const ir_module *m, struct loc loc)
{
	if (loc.span && loc.off < m->spans.len)
		buf_printf(out, "%s:%u:%u", m->spans.at[loc.off].name,
			   m->spans.at[loc.off].line,
			   m->spans.at[loc.off].column);
}

void
dot_put_extra(struct buf *out, const struct dot_node *n, const ir_module *m,
	      const struct dot_style *s, const char *separator)
{
	if ((s->attrs || n->kind == DOT_CONSTANT) && *n->detail)
		buf_printf(out, "%s%s", separator, n->detail);
	if (s->types && n->e && n->e->type && n->kind != DOT_FUNCTION) {
		buf_puts(out, separator);
		put_type(out, n->e->type);
	}
	if (s->spans && n->e && n->e->loc.span) {
		buf_puts(out, separator);
		put_span(out, m, n->e->loc);
	}
}

/* ----------------------------------------------------------------- dot -- */

/* TEXT inside a quoted string of dot. */
static void
put_escaped(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			buf_putc(out, '\\');
		if (*text == '\n')
			buf_puts(out, "\\n");
		else
			buf_putc(out, *text);
	}
}

static const char *
fill_by_op(const struct dot_node *n)
{
	const ir_op *op = n->e ? ir_called_op(n->e) : NULL;

	if (n->kind == DOT_GROUP)
		return "#cfe2f3";
	if (n->kind != DOT_OPERATOR || !op)
		return n->kind == DOT_PARAM      ? "#ffffff"
		       : n->kind == DOT_CONSTANT ? "#eeeeee"
		       : n->kind == DOT_CONTROL  ? "#f4cccc"
						 : "#f7f7f7";
	switch (op->pattern) {
	case PAT_ELEMWISE:
		return "#d9ead3";
	case PAT_BROADCAST:
		return "#e2f0d9";
	case PAT_INJECTIVE:
		return "#fff2cc";
	case PAT_COMM_REDUCE:
		return "#fce5cd";
	case PAT_OUT_ELEMWISE:
		return "#cfe2f3";
	default:
		return "#ead1dc";
	}
}

static const char *
fill_by_dtype(const struct dot_node *n)
{
	const ir_type *t = n->e ? n->e->type : NULL;
	struct dtype d;

	if (!t || t->kind != TYPE_TENSOR)
		return "#f7f7f7";
	d = ir_as_tensor_type(t)->dtype;
	if (dtype_is_float(d))
		return d.bits == 16   ? "#fff2cc"
		       : d.bits == 64 ? "#cfe2f3"
				      : "#d9ead3";
	return dtype_is_bool(d) ? "#ead1dc" : "#fce5cd";
}

static const char *
shape_of(const struct dot_node *n)
{
	switch (n->kind) {
	case DOT_PARAM:
	case DOT_RESULT:
		return "ellipse";
	case DOT_CONSTANT:
		return "note";
	case DOT_CONTROL:
		return "diamond";
	case DOT_FUNCTION:
		return "hexagon";
	default:
		return "box";
	}
}

static void
put_dot_node(struct buf *out, uint32_t i, const struct dot_node *n,
	     const ir_module *m, const struct dot_style *s)
{
	static const char *const borders[] = {
		"", ", color=\"#e69138\", penwidth=3",
		", color=\"#cc0000\", penwidth=3"};
	struct buf extra = {0};
	const char *fill = s->color == DOT_COLOR_OP      ? fill_by_op(n)
			   : s->color == DOT_COLOR_DTYPE ? fill_by_dtype(n)
							 : "#ffffff";

	buf_printf(out, "n%u [label=\"", i);
	put_escaped(out, n->name);
	if (*n->name && *n->label)
		buf_putc(out, ' ');
	put_escaped(out, n->label);
	dot_put_extra(&extra, n, m, s, "\n");
	if (extra.len)
		put_escaped(out, extra.at);
	buf_printf(out, "\", shape=%s, fillcolor=\"%s\"%s];\n", shape_of(n),
		   fill, borders[n->mark]);
	buf_free(&extra);
}

static void
indent(struct buf *out, unsigned depth)
{
	buf_fill(out, '\t', depth);
}

/* Clusters with the nodes in them, in order; CHILD and NODE are lists. */
struct nesting {
	const struct dot_graph *g;
	uint32_t *first_child; /* by cluster */
	uint32_t *next_child;
	uint32_t *first_node;
	uint32_t *next_node;
};

static void
nest(struct nesting *x, const struct dot_graph *g)
{
	size_t nc = g->clusters.len;
	size_t nn = g->nodes.len;

	x->g = g;
	x->first_child = xmalloc((nc + 1) * sizeof(uint32_t));
	x->next_child = xmalloc((nc + 1) * sizeof(uint32_t));
	x->first_node = xmalloc((nc + 1) * sizeof(uint32_t));
	x->next_node = xmalloc((nn + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < nc; i++)
		x->first_child[i] = x->first_node[i] = DOT_NONE;
	for (uint32_t i = (uint32_t)nc; i-- > 0;) {
		uint32_t p = g->clusters.at[i].parent;

		if (p == DOT_NONE)
			continue;
		x->next_child[i] = x->first_child[p];
		x->first_child[p] = i;
	}
	for (uint32_t i = (uint32_t)nn; i-- > 0;) {
		uint32_t c = g->nodes.at[i].cluster;

		if (g->nodes.at[i].hidden)
			continue;
		x->next_node[i] = x->first_node[c];
		x->first_node[c] = i;
	}
}

static void
nest_free(struct nesting *x)
{
	free(x->first_child);
	free(x->next_child);
	free(x->first_node);
	free(x->next_node);
}

static void
open_cluster(struct buf *out, const struct nesting *x, uint32_t c,
	     unsigned depth, const ir_module *m, const struct dot_style *s)
{
	static const char *const styles[] = {"solid", "\"rounded,filled\"",
					     "dashed", "dotted"};
	const struct dot_cluster *k = &x->g->clusters.at[c];

	indent(out, depth);
	buf_printf(out, "subgraph cluster_%u {\n", c);
	indent(out, depth + 1);
	buf_puts(out, "label=\"");
	put_escaped(out, k->label);
	if (k->number)
		buf_printf(out, " %u", k->number);
	buf_printf(out, "\"; style=%s; fillcolor=\"#f3f6fa\";\n",
		   styles[k->kind]);
	for (uint32_t i = x->first_node[c]; i != DOT_NONE;
	     i = x->next_node[i]) {
		indent(out, depth + 1);
		put_dot_node(out, i, &x->g->nodes.at[i], m, s);
	}
}

/* The cluster ROOT and all in it. Functions may nest deep: no recursion. */
static void
put_clusters(struct buf *out, const struct nesting *x, uint32_t root,
	     const ir_module *m, const struct dot_style *s)
{
	VEC(uint32_t) open = {0};
	uint32_t next = root;

	do {
		if (next != DOT_NONE) {
			open_cluster(out, x, next, (unsigned)open.len + 1, m,
				     s);
			vec_push(&open, next);
			next = x->first_child[next];
			continue;
		}
		indent(out, (unsigned)open.len);
		buf_puts(out, "}\n");
		next = vec_pop(&open);
		next = next == root ? DOT_NONE : x->next_child[next];
	} while (open.len > 0 || next != DOT_NONE);
	vec_free(&open);
}

static void
put_edges(struct buf *out, const struct dot_graph *g)
{
	for (uint32_t i = 0; i < g->nodes.len; i++) {
		const struct dot_node *n = &g->nodes.at[i];

		for (size_t k = 0; k < n->in.len && !n->hidden; k++) {
			const struct dot_edge *e = &n->in.at[k];

			if (g->nodes.at[e->from].hidden)
				continue;
			buf_printf(out, "\tn%u -> n%u", e->from, i);
			if (*e->label) {
				buf_puts(out, " [label=\"");
				put_escaped(out, e->label);
				buf_puts(out, "\"]");
			}
			buf_puts(out, ";\n");
		}
	}
}

void
dot_write_dot(struct buf *out, const struct dot_graph *g, const ir_module *m,
	      const struct dot_style *s)
{
	struct nesting x;

	nest(&x, g);
	buf_printf(out,
		   "digraph relay {\n\trankdir=%s;\n"
		   "\tnode [style=filled, fontname=\"Helvetica\"];\n"
		   "\tgraph [fontname=\"Helvetica\"];\n",
		   s->left_to_right ? "LR" : "TB");
	for (uint32_t i = 0; i < g->clusters.len; i++)
		if (g->clusters.at[i].parent == DOT_NONE)
			put_clusters(out, &x, i, m, s);
	put_edges(out, g);
	buf_puts(out, "}\n");
	nest_free(&x);
}

/* ---------------------------------------------------------------- json -- */

static void
put_json_node(struct buf *out, uint32_t i, const struct dot_node *n)
{
	static const char *const kinds[] = {"param",    "constant", "operator",
					    "call",     "tuple",    "control",
					    "function", "result",   "group"};
	static const char *const marks[] = {"same", "changed", "new"};
	struct buf type = {0};

	buf_printf(out, "{\"id\": %u, \"kind\": \"%s\", \"label\": ", i,
		   kinds[n->kind]);
	json_put_string(out, n->label);
	buf_puts(out, ", \"name\": ");
	json_put_string(out, n->name);
	buf_puts(out, ", \"attrs\": ");
	json_put_string(out, n->detail);
	if (n->e && n->e->type) {
		put_type(&type, n->e->type);
		buf_puts(out, ", \"type\": ");
		json_put_string(out, type.at);
	}
	buf_printf(out, ", \"cluster\": %u, \"mark\": \"%s\"}", n->cluster,
		   marks[n->mark]);
	buf_free(&type);
}

static void
put_json_clusters(struct buf *out, const struct dot_graph *g)
{
	static const char *const kinds[] = {"definition", "fused", "compiler",
					    "function"};

	for (uint32_t i = 0; i < g->clusters.len; i++) {
		const struct dot_cluster *c = &g->clusters.at[i];

		buf_printf(out, "%s\n  {\"id\": %u, \"kind\": \"%s\", ",
			   i ? "," : "", i, kinds[c->kind]);
		buf_puts(out, "\"label\": ");
		json_put_string(out, c->label);
		if (c->parent != DOT_NONE)
			buf_printf(out, ", \"parent\": %u", c->parent);
		buf_putc(out, '}');
	}
}

void
dot_write_json(struct buf *out, const struct dot_graph *g, const ir_module *m,
	       const struct dot_style *s)
{
	const char *comma = "";

	(void)m;
	(void)s;
	buf_puts(out, "{\"clusters\": [");
	put_json_clusters(out, g);
	buf_puts(out, "],\n \"nodes\": [");
	for (uint32_t i = 0; i < g->nodes.len; i++) {
		if (g->nodes.at[i].hidden)
			continue;
		buf_printf(out, "%s\n  ", comma);
		put_json_node(out, i, &g->nodes.at[i]);
		comma = ",";
	}
	buf_puts(out, "],\n \"edges\": [");
	comma = "";
	for (uint32_t i = 0; i < g->nodes.len; i++) {
		const struct dot_node *n = &g->nodes.at[i];

		for (size_t k = 0; k < n->in.len && !n->hidden; k++) {
			if (g->nodes.at[n->in.at[k].from].hidden)
				continue;
			buf_printf(out,
				   "%s\n  {\"from\": %u, \"to\": %u, "
				   "\"label\": ",
				   comma, n->in.at[k].from, i);
			json_put_string(out, n->in.at[k].label);
			buf_putc(out, '}');
			comma = ",";
		}
	}
	buf_puts(out, "]}\n");
}
