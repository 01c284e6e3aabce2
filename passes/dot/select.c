/*
 * Less to look at: what is near a node, clusters as one node.
 */
#include <string.h>

#include "passes/dot/graph.h"

size_t
dot_graph_visible(const struct dot_graph *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->nodes.len; i++)
		n += !g->nodes.at[i].hidden;
	return n;
}

/* One step outwards along the edges in both directions. */
static void
widen(const struct dot_graph *g, const bool *in, bool *out)
{
	for (size_t i = 0; i < g->nodes.len; i++) {
		const struct dot_node *n = &g->nodes.at[i];

		out[i] |= in[i];
		for (size_t k = 0; k < n->in.len; k++) {
			uint32_t from = n->in.at[k].from;

			out[i] |= in[from];
			out[from] |= in[i];
		}
	}
}

bool
dot_graph_around(struct dot_graph *g, const char *name, unsigned radius)
{
	size_t n = g->nodes.len;
	bool *near = xcalloc(n + 1, sizeof(*near));
	bool *next = xcalloc(n + 1, sizeof(*next));
	bool found = false;

	for (size_t i = 0; i < n; i++) {
		const struct dot_node *x = &g->nodes.at[i];

		near[i] = strcmp(x->name, name) == 0 ||
			  strcmp(x->label, name) == 0;
		found |= near[i];
	}
	for (unsigned r = 0; found && r < radius && r < n; r++) {
		widen(g, near, next);
		memcpy(near, next, n * sizeof(*near));
	}
	for (size_t i = 0; found && i < n; i++)
		g->nodes.at[i].hidden |= !near[i];
	free(near);
	free(next);
	return found;
}

/* The fused cluster that C is or lies in; DOT_NONE: none. */
static uint32_t
fused_cluster(const struct dot_graph *g, uint32_t c)
{
	uint32_t found = DOT_NONE;

	for (; c != DOT_NONE; c = g->clusters.at[c].parent)
		if (g->clusters.at[c].kind == DOT_FUSED)
			found = c;
	return found;
}

/* The node that stands for the group that NODE is in, or NODE. */
static uint32_t
group_of(const struct dot_graph *g, uint32_t node)
{
	uint32_t c = fused_cluster(g, g->nodes.at[node].cluster);

	return c == DOT_NONE ? node : g->clusters.at[c].root;
}

/* Move what PART reads over to the node TO. */
static void
move_edges(struct dot_graph *g, struct dot_node *part, uint32_t to)
{
	struct dot_node *n = &g->nodes.at[to];
	size_t count = part->in.len;
	size_t kept = 0;

	for (size_t k = 0; k < count; k++) {
		struct dot_edge e = part->in.at[k];

		e.from = group_of(g, e.from);
		if (e.from == to)
			continue;
		if (part == n)
			n->in.at[kept++] = e;
		else
			vec_push(&n->in, e);
	}
	part->in.len = part == n ? kept : 0;
}

void
dot_graph_collapse(struct dot_graph *g)
{
	struct buf *labels = xcalloc(g->nodes.len + 1, sizeof(*labels));

	for (uint32_t i = 0; i < g->nodes.len; i++) {
		uint32_t to = group_of(g, i);
		struct dot_node *part = &g->nodes.at[i];
		struct dot_node *n = &g->nodes.at[to];

		move_edges(g, part, to);
		if (fused_cluster(g, part->cluster) == DOT_NONE)
			continue;
		if (part->kind == DOT_OPERATOR)
			buf_printf(&labels[to], "%s%s",
				   labels[to].len ? ", " : "", part->label);
		if (part->mark > n->mark)
			n->mark = part->mark;
		part->hidden |= to != i;
	}
	for (size_t i = 0; i < g->nodes.len; i++) {
		struct dot_node *n = &g->nodes.at[i];

		if (labels[i].len) {
			n->kind = DOT_GROUP;
			n->detail = "";
			n->label = arena_strndup(&g->arena, labels[i].at,
						 labels[i].len);
		}
		buf_free(&labels[i]);
	}
	free(labels);
}
