/*
 * The graph that operator fusion works on: nodes of one function with edges
 * from producers to users, and its post-dominator tree.
 */
#ifndef RELAY_PASSES_FUSE_GRAPH_H
#define RELAY_PASSES_FUSE_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/expr.h"
#include "ir/module.h"
#include "ir/walk.h"
#include "support/arena.h"

struct fuse_edge {
	struct fuse_edge *next;
	uint32_t user;   /* index of the node that reads */
	uint8_t pattern; /* enum op_pattern: how it reads */
};

struct fuse_node {
	const ir_expr *expr;
	struct fuse_edge *outputs; /* in order of discovery */
	struct fuse_edge *last;

	/* The post-dominator tree; indices, FUSE_NONE at a root. */
	uint32_t parent;
	uint32_t depth;
	uint32_t jump;         /* an ancestor further up */
	uint8_t tree_pattern;  /* worst edge on the way to PARENT */
	uint8_t jump_pattern;  /* worst tree pattern before it */
	uint8_t pattern;       /* enum op_pattern, as those above */
	bool external;         /* read by something but data flow */
	const ir_expr *reader; /* that, or one of them; may be NULL */
};

#define FUSE_NONE UINT32_MAX

struct fuse_graph {
	struct fuse_node *nodes; /* producers before users */
	uint32_t n;
	struct ir_map index; /* expression -> number + 1 */
};

/* The number of the node of E, or FUSE_NONE. */
static inline uint32_t
fuse_graph_index(const struct fuse_graph *g, const ir_expr *e)
{
	return (uint32_t)(uintptr_t)ir_map_get(&g->index, e) - 1;
}

/* All that reads node E, or is made of it, goes through node BY. */
bool fuse_graph_post_dominates(const struct fuse_graph *g, uint32_t by,
			       uint32_t e);

/*
 * The graph of FN, which must have types. Functions with a Compiler and
 * Primitive functions are not looked into. Lives in ARENA,
 * but for what fuse_graph_free gives back.
 */
void fuse_graph_build(struct fuse_graph *g, const struct ir_function *fn,
		      struct arena *arena);

void fuse_graph_free(struct fuse_graph *g);

#endif
