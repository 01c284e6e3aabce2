/*
 * Structural equality and hash, with the meaning of TVM's.
 *
 * Equal up to the names of bound variables and type parameters; sharing
 * counts (add(%0, %0) with one %0 differs from two equal nodes) except that
 * of constants; attributes and constants by value; types of nodes, places and
 * spans are ignored, written annotations are not. Free variables are equal to
 * themselves only, unless MAP_FREE_VARS pairs them up in order of appearance.
 * Constants without data are equal if the text gave them the same index.
 */
#ifndef RELAY_IR_EQUAL_H
#define RELAY_IR_EQUAL_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/fwd.h"
#include "support/ptrmap.h"
#include "support/vec.h"

struct ir_equal_options {
	bool map_free_vars;
	bool ignore_inferred; /* annotations only inference added */
	bool ignore_annotations;
	bool ignore_consts;              /* values; types must agree */
	double const_rtol;               /* floats may differ so much */
	const char *const *ignore_attrs; /* names, NULL at the end */
	const char *const *only;         /* definitions, NULL at the end */
};

/* Where two things first differ: innermost pair of nodes, and a sentence. */
struct ir_difference {
	const ir_expr *a;
	const ir_expr *b;
	const ir_def *def_a;
	const ir_def *def_b;
	const char *what; /* static, or lives in the context */
	const char *path; /* "@main.body.args[0]"; likewise */
};

/* FIRST may be NULL. */
bool ir_equal(ir_context *cx, const ir_expr *a, const ir_expr *b,
	      const struct ir_equal_options *o, struct ir_difference *first);
bool ir_module_equal(const ir_module *a, const ir_module *b,
		     const struct ir_equal_options *o,
		     struct ir_difference *first);

/*
 * The same, but going on after a difference where that makes sense. ALL are
 * differences in order (the first 1000); PAIRS leads from nodes of B to the
 * nodes of A that stand for them. Zeros to start; free with the function.
 */
struct ir_comparison {
	VEC(struct ir_difference) all;
	struct ptrmap pairs;
};

bool ir_module_compare(const ir_module *a, const ir_module *b,
		       const struct ir_equal_options *o,
		       struct ir_comparison *out);
void ir_comparison_free(struct ir_comparison *c);

/*
 * Equal expressions have equal hashes, on every machine. Annotations count;
 * so use it only with options that do not ignore anything.
 */
uint64_t ir_hash(const ir_expr *e);
uint64_t ir_module_hash(const ir_module *m);

#endif
