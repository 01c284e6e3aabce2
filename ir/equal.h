/*
 * Structural equality and hash, with the meaning of TVM's.
 *
 * Equal up to the names of bound variables and type parameters; sharing
 * counts (add(%0, %0) with one %0 differs from two equal nodes); attributes
 * and constants by value; types of nodes, places and spans are ignored,
 * written annotations are not. Free variables are equal to themselves only,
 * unless MAP_FREE_VARS pairs them up in order of appearance.
 */
#ifndef RELAY_IR_EQUAL_H
#define RELAY_IR_EQUAL_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/fwd.h"

struct ir_equal_options {
	bool map_free_vars;
	bool ignore_inferred;           /* annotations only inference added */
};

/* Where two things first differ: innermost pair of nodes, and a sentence. */
struct ir_difference {
	const ir_expr *a;
	const ir_expr *b;
	const ir_def *def_a;
	const ir_def *def_b;
	const char *what;               /* static, or lives in the context */
};

/* FIRST may be NULL. */
bool ir_equal(ir_context *cx, const ir_expr *a, const ir_expr *b,
	      const struct ir_equal_options *o, struct ir_difference *first);
bool ir_module_equal(const ir_module *a, const ir_module *b,
		     const struct ir_equal_options *o,
		     struct ir_difference *first);

/* Equal expressions have equal hashes, on every machine. */
uint64_t ir_hash(const ir_expr *e);
uint64_t ir_module_hash(const ir_module *m);

#endif
