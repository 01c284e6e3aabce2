/*
 * Walks over expression DAGs. No recursion: a chain of a million calls or
 * lets is ordinary input.
 */
#ifndef RELAY_IR_WALK_H
#define RELAY_IR_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/expr.h"
#include "support/arena.h"
#include "support/vec.h"

/* A set of nodes, by id. Zeros: empty. Grows as needed. */
struct ir_set {
	uint64_t *bits; /* words of 64 ids */
	uint32_t *keys; /* their numbers + 1; NULL: all */
	size_t nwords;
	size_t used;  /* of the keys */
	uint32_t top; /* highest word so far */
};

bool ir_set_has(const struct ir_set *s, const ir_expr *e);
bool ir_set_add(struct ir_set *s, const ir_expr *e); /* true: was new */
void ir_set_clear(struct ir_set *s);
void ir_set_free(struct ir_set *s);

/* A table from nodes to pointers, by id. Zeros: empty. Absent is NULL. */
struct ir_map {
	void **values;
	uint32_t *keys; /* ids + 1; NULL: by id */
	size_t nslots;
	size_t used;  /* of the keys */
	uint32_t top; /* highest id so far */
};

void *ir_map_get(const struct ir_map *map, const ir_expr *e);
void ir_map_put(struct ir_map *map, const ir_expr *e, const void *value);
void ir_map_free(struct ir_map *map);

typedef VEC(const ir_expr *) ir_expr_vec;

/*
 * Visit each node in reach of ROOT once. BEFORE (may be NULL) is called when
 * a node is first met; it returns false to leave its operands out. AFTER (may
 * be NULL) is called once all operands are done: a post-order. Operands are
 * taken in the order of ir_operand. Nested functions are entered, other
 * definitions are not.
 */
void ir_walk(const ir_expr *root, bool (*before)(const ir_expr *e, void *env),
	     void (*after)(const ir_expr *e, void *env), void *env);

/* The nodes in reach of ROOT in post-order; free with vec_free. */
void ir_postorder(const ir_expr *root, ir_expr_vec *out);

/* How often each node in reach of ROOT is an operand, as a uintptr_t. */
void ir_use_counts(const ir_expr *root, struct ir_map *counts);

/* Variables that ROOT uses but does not bind, in order of first use. */
void ir_free_vars(const ir_expr *root, ir_expr_vec *out);

/* Calls PUT for each variable that P binds, in order. */
void ir_pattern_vars(const ir_pattern *p,
		     void (*put)(const struct ir_var *v, void *env), void *env);

/*
 * The same for each variable that E itself binds: its parameters, the one of
 * a let, those in the patterns of a match.
 */
void ir_binders(const ir_expr *e,
		void (*put)(const struct ir_var *v, void *env), void *env);

#endif
