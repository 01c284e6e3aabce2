/*
 * The printer: what TVM 0.18's astext() prints, byte for byte, and the text
 * of the two levels below.
 */
#ifndef RELAY_IR_PRINT_H
#define RELAY_IR_PRINT_H

#include <stdbool.h>

#include "ir/fwd.h"
#include "ir/type.h"
#include "support/buf.h"

enum print_types { PRINT_TYPES_AUTO, PRINT_TYPES_NONE };
enum print_floats { PRINT_FLOATS_EXACT, PRINT_FLOATS_TVM };
enum print_meta { PRINT_META_INLINE, PRINT_META_OMIT };

struct named_tensors; /* ir/npy.h */

struct print_options {
	enum print_types types;
	enum print_floats floats;
	enum print_meta meta; /* OMIT: TVM's notice instead */
	bool spans;
	bool stable_names; /* %N by structural hash */
	bool no_header;
	/* NULL, or only these definitions (an array that ends in NULL). */
	const char *const *only;
	/*
	 * NULL, or takes the tensors of constants, named as the text does, in
	 * place of the metadata section.
	 */
	struct named_tensors *constants;
};

void ir_print_module(struct buf *out, const ir_module *m,
		     const struct print_options *o);

/* A bare expression: header unless no_header, no final newline. */
void ir_print_expr(struct buf *out, const ir_module *m, const ir_expr *e,
		   const struct print_options *o);

/*
 * Print A and B so that nodes that stand for each other have the same names:
 * PAIRS leads from nodes of B to nodes of A (ir_module_compare makes it).
 */
struct ptrmap;
void ir_print_aligned(struct buf *out_a, const ir_module *a, struct buf *out_b,
		      const ir_module *b, const struct ptrmap *pairs,
		      const struct print_options *o);

/*
 * Call PUT for each node of each function of M, operands first: NAME is what
 * the text calls it ("%3", "%x"; "" if it stands in place), DETAIL the
 * attributes of a call ("axis=[1]"), a scalar constant ("1f"), or "".
 */
typedef void ir_label_fn(void *env, const ir_def *def, const ir_expr *e,
			 const char *name, const char *detail);
void ir_print_labels(const ir_module *m, const struct print_options *o,
		     ir_label_fn *put, void *env);

/* For messages. Symbolic dimensions print as the name of the variable. */
void ir_print_type(struct buf *out, const ir_type *t);
const char *ir_type_text(ir_context *cx, const ir_type *t);

/* A number as in the text: "0.5f", "1e-05f", "inff", "nanf16". */
void ir_print_float(struct buf *out, double value, unsigned bits,
		    enum print_floats how);

/* The text levels below Relay; see ir/te.h, ir/tir.h. */
void te_print_func(struct buf *out, const te_func *f);
void te_print_schedule(struct buf *out, const te_schedule *s);
void tir_print_func(struct buf *out, const tir_func *f);
void tir_print_expr(struct buf *out, const tir_expr *e);

#endif
