/*
 * Which function mentions which, and an order in which callees come first.
 *
 * Any mention of a global counts, called or not. Strongly connected groups of
 * functions are recursive; they stand together in the order.
 */
#ifndef RELAY_PASSES_CALL_GRAPH_H
#define RELAY_PASSES_CALL_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/module.h"
#include "ir/walk.h"

struct call_node {
	ir_def *def;
	uint32_t *callees; /* indices into nodes, distinct */
	uint32_t ncallees;
	uint32_t ncallers; /* distinct, itself included */
	uint32_t group;    /* strongly connected component */
	bool recursive;    /* calls itself, maybe through others */
};

struct call_graph {
	struct call_node *nodes; /* one per definition, in order */
	uint32_t n;
	uint32_t *order;     /* callees first */
	struct ir_map index; /* global -> node */
};

/* The graph of M; its arrays live in ARENA. Free with call_graph_free. */
void call_graph_build(struct call_graph *g, const ir_module *m,
		      struct arena *arena);
void call_graph_free(struct call_graph *g);

/* The node of a global, or NULL if it has no definition. */
struct call_node *call_graph_node(const struct call_graph *g,
				  const ir_expr *global);

/* The globals that E mentions, each once, in order of first mention. */
void call_graph_mentions(const ir_expr *e, ir_expr_vec *out);

#endif
