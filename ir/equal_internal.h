/*
 * What the parts of structural equality share. A comparison keeps pairs of
 * nodes that are still to be compared on a stack; the first pair that does
 * not fit ends it.
 */
#ifndef RELAY_IR_EQUAL_INTERNAL_H
#define RELAY_IR_EQUAL_INTERNAL_H

#include "ir/equal.h"
#include "ir/expr.h"
#include "ir/meta.h"
#include "ir/module.h"
#include "support/ptrmap.h"
#include "support/vec.h"

enum edge_kind {
	EDGE_ROOT,
	EDGE_BODY,
	EDGE_CALLEE,
	EDGE_ARG,
	EDGE_FIELD,
	EDGE_TUPLE,
	EDGE_COND,
	EDGE_THEN,
	EDGE_ELSE,
	EDGE_VALUE,
	EDGE_CLAUSE,
	EDGE_REF,
	EDGE_ATTR,
};

/* How a node was reached: parent is an index into equal.visits. */
struct visit {
	uint32_t parent;
	uint32_t i;
	enum edge_kind edge;
};

struct pair {
	const ir_expr *a;
	const ir_expr *b;
	struct visit from;
};

struct equal {
	ir_context *cx;
	const struct ir_equal_options *o;
	struct ptrmap left; /* what of B stands for A's, in this definition */
	/* The other way round, of all so far: out of date unless LEFT agrees. */
	struct ptrmap right;
	VEC(struct pair) todo;
	VEC(struct visit) visits;
	struct ir_difference *first; /* or NULL */
	struct ir_comparison *all;   /* or NULL; then it goes on */
	const ir_def *def_a;
	const ir_def *def_b;
	bool differs;
};

/* equal.c */
void equal_start(struct equal *q, ir_context *cx,
		 const struct ir_equal_options *o, struct ir_difference *first);
void equal_run(struct equal *q, const ir_expr *a, const ir_expr *b);
bool equal_finish(struct equal *q);
void equal_differ(struct equal *q, const struct pair *p, const char *what);

/* Somebody reads the sentences. */
bool equal_wants_text(const struct equal *q);

/* Nothing more to find out. */
bool equal_is_decided(const struct equal *q);

/* Has A or B been paired up in this definition? */
bool equal_is_known(const struct equal *q, const void *a, const void *b);

/* Another definition begins: it may share parts with those before. */
void equal_forget_pairs(struct equal *q);

/* Pair A up with B; false if either belongs to another one. */
bool equal_bind(struct equal *q, const void *a, const void *b);

/* equal_type.c */
bool equal_types(struct equal *q, const ir_type *a, const ir_type *b);
bool equal_metas(struct equal *q, const ir_meta *a, const ir_meta *b);

/* equal_attr.c; the name of the first field that differs goes to *NAME. */
bool equal_records(struct equal *q, const ir_attrs *a, const ir_attrs *b,
		   const char **name);
bool equal_dicts(struct equal *q, const ir_dict *a, const ir_dict *b,
		 const char **name);
bool equal_constants(struct equal *q, const struct ir_constant *a,
		     const struct ir_constant *b);

/* Expressions inside attributes are compared later. */
void equal_later(struct equal *q, const ir_expr *a, const ir_expr *b);

#endif
