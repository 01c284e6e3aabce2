/*
 * Partition of a fusion graph into groups, each of which becomes one kernel.
 */
#ifndef RELAY_PASSES_FUSE_GROUPS_H
#define RELAY_PASSES_FUSE_GROUPS_H

#include "passes/fuse_graph.h"

struct fuse_group {
	uint32_t parent; /* union-find; itself at a root */
	enum op_pattern pattern;
	uint32_t sink;   /* the node whose value leaves */
	bool has_anchor; /* a convolution or the like in it */
	uint32_t nnodes;
	uint32_t nargs;
};

struct fuse_limits {
	int opt_level;       /* 0: every node alone */
	uint32_t max_depth;  /* most nodes in a group */
	uint32_t max_args;   /* most parameters; 0: no limit */
	struct pass_ctx *cx; /* for remarks and counters */
};

/* One group per node of G, merged as far as the rules allow; in ARENA. */
struct fuse_group *fuse_groups_build(const struct fuse_graph *g,
				     const struct fuse_limits *limits,
				     struct arena *arena);

/* Tell which groups there are, and why no more was merged. */
void fuse_groups_remark(const struct fuse_graph *g,
			const struct fuse_limits *limits,
			struct fuse_group *groups);

/* The root of the group that node I is in. */
uint32_t fuse_group_root(struct fuse_group *groups, uint32_t i);

#endif
