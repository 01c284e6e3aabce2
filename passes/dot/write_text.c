/*
 * A graph as lines for a terminal: from the result of each function backwards,
 * what a node reads below it. The first operand stands right below at the
 * same depth, so that a chain is a list; the others are indented before it.
 * What was shown already is only named.
 *
 *     @main
 *     result
 *     %2 nn.relu: Tensor[(1, 4), float32] [fused 1]
 *     %1 add
 *     |- %b
 *     %0 nn.dense (%x, %w)
 */
#include "passes/dot/graph.h"

struct item {
	uint32_t node;
	unsigned depth;
	const char *label; /* of the edge */
};

struct lines {
	struct buf *out;
	const struct dot_graph *g;
	const ir_module *m;
	const struct dot_style *s;
	bool *shown;
	VEC(struct item) todo;
};

static void
put_title(struct buf *out, const struct dot_node *n)
{
	buf_puts(out, n->name);
	if (*n->name && *n->label)
		buf_putc(out, ' ');
	buf_puts(out, n->label);
}

/* A parameter or constant: named in the line of what reads it. */
static bool
is_leaf(const struct lines *l, uint32_t i)
{
	const struct dot_node *n = &l->g->nodes.at[i];

	return n->kind == DOT_PARAM || n->kind == DOT_CONSTANT;
}

static void
put_leaves(struct lines *l, const struct dot_node *n)
{
	const char *before = " (";

	for (size_t k = 0; k < n->in.len; k++) {
		uint32_t from = n->in.at[k].from;
		const struct dot_node *x = &l->g->nodes.at[from];

		if (!is_leaf(l, from))
			continue;
		buf_puts(l->out, before);
		before = ", ";
		if (x->kind == DOT_CONSTANT)
			buf_puts(l->out, *x->detail ? x->detail : x->label);
		else
			buf_puts(l->out, x->name);
	}
	if (*before == ',')
		buf_putc(l->out, ')');
}

static void
put_groups(struct lines *l, const struct dot_node *n)
{
	for (uint32_t c = n->cluster; c != DOT_NONE;
	     c = l->g->clusters.at[c].parent) {
		const struct dot_cluster *k = &l->g->clusters.at[c];

		if (k->kind == DOT_FUSED)
			buf_printf(l->out, " [%s %u]", k->label, k->number);
		else if (k->kind != DOT_DEF)
			buf_printf(l->out, " [%s]", k->label);
	}
}

static void
put_line(struct lines *l, const struct item *it, bool again)
{
	static const char marks[] = {' ', '~', '+'};
	const struct dot_node *n = &l->g->nodes.at[it->node];

	if (n->mark != DOT_SAME)
		buf_printf(l->out, "%c ", marks[n->mark]);
	for (unsigned i = 0; i < it->depth; i++)
		buf_puts(l->out, i + 1 < it->depth ? "|  " : "|- ");
	if (*it->label)
		buf_printf(l->out, "%s: ", it->label);
	put_title(l->out, n);
	if (again) {
		buf_puts(l->out, " (above)\n");
		return;
	}
	put_leaves(l, n);
	dot_put_extra(l->out, n, l->m, l->s, "  ");
	put_groups(l, n);
	buf_putc(l->out, '\n');
}

/* The operands of N, the first one last, as it is taken from the end. */
static void
push_operands(struct lines *l, const struct item *it)
{
	enum { MOST_DEPTH = 30 };
	const struct dot_node *n = &l->g->nodes.at[it->node];
	bool first = true;

	for (size_t k = 0; k < n->in.len; k++) {
		struct item x = {n->in.at[k].from, it->depth,
				 n->in.at[k].label};

		if (is_leaf(l, x.node) || l->g->nodes.at[x.node].hidden)
			continue;
		if (!first && x.depth < MOST_DEPTH)
			x.depth++;
		first = false;
		vec_push(&l->todo, x);
	}
}

static void
put_from(struct lines *l, uint32_t root)
{
	struct item first = {root, 0, ""};

	vec_push(&l->todo, first);
	while (l->todo.len > 0) {
		struct item it = vec_pop(&l->todo);
		bool again = l->shown[it.node];

		put_line(l, &it, again);
		l->shown[it.node] = true;
		if (!again)
			push_operands(l, &it);
	}
}

void
dot_write_text(struct buf *out, const struct dot_graph *g, const ir_module *m,
	       const struct dot_style *s)
{
	struct lines l = {.out = out, .g = g, .m = m, .s = s};
	uint32_t def = DOT_NONE;

	l.shown = xcalloc(g->nodes.len + 1, sizeof(*l.shown));
	for (uint32_t i = (uint32_t)g->nodes.len; i-- > 0;) {
		const struct dot_node *n = &g->nodes.at[i];

		if (n->hidden || l.shown[i] || n->kind == DOT_PARAM ||
		    n->kind == DOT_CONSTANT)
			continue;
		if (n->kind == DOT_RESULT) {
			buf_printf(out, "%s%s\n", def == DOT_NONE ? "" : "\n",
				   g->clusters.at[n->cluster].label);
			def = n->cluster;
		}
		put_from(&l, i);
	}
	free(l.shown);
	vec_free(&l.todo);
}
