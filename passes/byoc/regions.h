/*
 * Regions for external compilers: what stands between compiler_begin and
 * compiler_end annotations of one compiler, and hangs together.
 */
#ifndef RELAY_PASSES_BYOC_REGIONS_H
#define RELAY_PASSES_BYOC_REGIONS_H

#include "passes/pass.h"

struct region_link {
	const ir_expr *e;
	struct region_link *next;
};

struct region_list {
	struct region_link *first, *last;
};

struct region {
	uint32_t id;             /* in order of the first begin */
	uint32_t parent;         /* itself, or what it was merged into */
	const char *target;      /* interned */
	struct region_list ins;  /* compiler_begin calls */
	struct region_list outs; /* compiler_end calls */
	/* What is called inside and is a value: it has no compiler_begin. */
	struct region_list callees;
};

struct regions {
	struct arena *arena;
	VEC(struct region) all;
	struct ir_map of; /* node -> id + 1 */
};

/*
 * The regions under ROOT. False after reporting a region that mixes
 * compilers, or takes values without an annotation.
 */
bool regions_find(struct regions *r, pass_ctx *cx, const ir_expr *root);
void regions_free(struct regions *r);

/* Values that depend on nothing belong to any region. */
bool region_is_neutral(const ir_expr *e);

/* The region of E, or NULL. */
struct region *region_of(struct regions *r, const ir_expr *e);

/* FROM becomes part of INTO. */
void regions_merge(struct regions *r, struct region *from, struct region *into);

bool is_compiler_begin(const ir_expr *e);
bool is_compiler_end(const ir_expr *e);

/* The compiler that an annotation names. */
const char *annotated_compiler(const ir_expr *e);

/*
 * A rewriting whose edges are not those of the graph: nodes are finished after
 * their operands as COUNT and OPERAND say. NULL if an operand leads back to a
 * node that waits for it: then *CYCLE is that node.
 */
struct region_walk {
	uint32_t (*count)(const ir_expr *e, void *env);
	const ir_expr *(*operand)(const ir_expr *e, uint32_t i, void *env);
	const ir_expr *(*finish)(const ir_expr *e, const ir_expr *const *now,
				 void *env);
	void *env;
	struct ir_map memo;
	struct ir_set open;
	const ir_expr *cycle;
};

const ir_expr *region_rewrite(struct region_walk *w, const ir_expr *root);
void region_walk_free(struct region_walk *w);

#endif
