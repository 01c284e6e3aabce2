/*
 * Scalar expressions as text: shared by the printers of tensor expressions
 * and of loops. Private to ir/.
 */
#ifndef RELAY_IR_PRINT_TIR_H
#define RELAY_IR_PRINT_TIR_H

#include "ir/attr.h"
#include "ir/te.h"
#include "ir/tir.h"
#include "support/arena.h"
#include "support/buf.h"
#include "support/intern.h"
#include "support/ptrmap.h"
#include "support/vec.h"

/* Variables in scope and what they are called. Zeros are none. */
struct tir_names {
	VEC(struct tir_named {
		const struct tir_var *var;
		const char *name;
		uintptr_t hidden; /* what WHERE said of VAR before */
	})
	live;
	struct arena arena; /* of the names */
	struct interner names;
	struct ptrmap taken; /* names that are in use: 1 */
	struct ptrmap where; /* variables: place in LIVE plus 1 */
};

/* V comes into scope: its hint, with a number if that is taken. */
const char *tir_names_push(struct tir_names *n, const struct tir_var *v);
void tir_names_pop(struct tir_names *n);
void tir_names_free(struct tir_names *n);

void tir_put_expr(struct buf *out, struct tir_names *n, const tir_expr *e);
void tir_put_float(struct buf *out, struct dtype t, double value);
void tir_put_string(struct buf *out, const char *s);
/* How to refer to a constant, in a module that has a metadata section. */
struct tir_meta {
	void (*put)(const ir_expr *e, void *env);
	void *env;
};

/* META may be NULL: there are no constants. */
void tir_put_attr(struct buf *out, const ir_attr *a,
		  const struct tir_meta *meta);
void tir_print_func_with(struct buf *out, const tir_func *f,
			 const struct tir_meta *meta);
void te_put_axes(struct buf *out, struct tir_names *n,
		 const struct te_axis *axes, uint32_t naxes);
void te_put_ref(struct buf *out, const struct te_tensor *t);
void te_put_type(struct buf *out, const struct te_tensor *t);

#endif
