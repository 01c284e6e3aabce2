/*
 * A module as a graph to look at: what is drawn, and how it hangs together.
 *
 * Lets are not drawn: a variable is what it stands for. A call of a primitive
 * function is its body, in a cluster, with the arguments in place of the
 * parameters; other functions are clusters with their own parameters.
 */
#ifndef RELAY_PASSES_DOT_GRAPH_H
#define RELAY_PASSES_DOT_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/module.h"
#include "ir/walk.h"
#include "support/arena.h"
#include "support/buf.h"
#include "support/options.h"
#include "support/ptrmap.h"
#include "support/vec.h"

enum dot_kind {
	DOT_PARAM,
	DOT_CONSTANT,
	DOT_OPERATOR,
	DOT_CALL, /* of a function or constructor */
	DOT_TUPLE,
	DOT_CONTROL, /* if, match, references */
	DOT_FUNCTION,
	DOT_RESULT,
	DOT_GROUP, /* a collapsed cluster */
};

enum dot_cluster_kind { DOT_DEF, DOT_FUSED, DOT_COMPILER, DOT_CLOSURE };

enum dot_mark { DOT_SAME, DOT_CHANGED, DOT_NEW };

#define DOT_NONE UINT32_MAX

struct dot_edge {
	uint32_t from;     /* a node */
	const char *label; /* "cond", "then", or "" */
};

struct dot_node {
	enum dot_kind kind;
	const ir_expr *e; /* NULL: a result or a group */
	const char *label;
	const char *name;   /* "%3" or "" */
	const char *detail; /* attributes, the value of a constant, or "" */
	uint32_t cluster;
	enum dot_mark mark;
	bool hidden;
	VEC(struct dot_edge) in;
};

struct dot_cluster {
	enum dot_cluster_kind kind;
	uint32_t parent; /* DOT_NONE: a definition */
	const char *label;
	uint32_t number; /* of fused ones, from 1 */
	const ir_expr *body;
	uint32_t root; /* the node whose value leaves */
};

enum dot_clusters { DOT_BY_FUSED, DOT_BY_COMPILER, DOT_BY_NONE };

struct dot_options {
	struct option_list functions; /* globs; empty: all */
	enum dot_clusters clusters;
	bool constants;
	/* NULL, or nodes to their counterparts: those without are new. */
	const struct ptrmap *pairs;
	const struct ir_set *changed;
};

struct dot_graph {
	struct arena arena;
	VEC(struct dot_node) nodes;
	VEC(struct dot_cluster) clusters;
};

void dot_graph_build(struct dot_graph *g, const ir_module *m,
		     const struct dot_options *o);
/* The same with what is not in the module BEFORE marked. */
void dot_graph_build_against(struct dot_graph *g, const ir_module *m,
			     const ir_module *before,
			     const struct dot_options *o);
void dot_graph_free(struct dot_graph *g);

/* How many nodes are not hidden. */
size_t dot_graph_visible(const struct dot_graph *g);

/* Hide what is more than RADIUS edges away; false: no node has that name. */
bool dot_graph_around(struct dot_graph *g, const char *name, unsigned radius);

/* Draw each cluster of fused operators as one node. */
void dot_graph_collapse(struct dot_graph *g);

enum dot_color { DOT_COLOR_OP, DOT_COLOR_DTYPE, DOT_COLOR_NONE };

struct dot_style {
	bool types;
	bool attrs;
	bool spans;
	bool left_to_right;
	enum dot_color color;
};

void dot_write_dot(struct buf *out, const struct dot_graph *g,
		   const ir_module *m, const struct dot_style *s);
void dot_write_json(struct buf *out, const struct dot_graph *g,
		    const ir_module *m, const struct dot_style *s);
void dot_write_text(struct buf *out, const struct dot_graph *g,
		    const ir_module *m, const struct dot_style *s);

/* What is said of N beside its label: type, attributes, place. */
void dot_put_extra(struct buf *out, const struct dot_node *n,
		   const ir_module *m, const struct dot_style *s,
		   const char *separator);

#endif
