/*
 * What the parts of the BANG-C emitter share. Private to codegen/bangc.
 */
#ifndef RELAY_CODEGEN_BANGC_INTERNAL_H
#define RELAY_CODEGEN_BANGC_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/tir.h"
#include "support/arena.h"
#include "support/buf.h"
#include "support/diag.h"

enum { BANG_MAX_LOOPS = 16, BANG_NRAM_BYTES = 320 * 1024, BANG_LINE = 128 };

struct bang_loop {
	const struct tir_var *var;
	int64_t min;
	int64_t extent;
};

/* A kernel that is one store inside of loops, outermost first. */
struct bang_nest {
	const tir_func *func;
	uint32_t nloops;
	struct bang_loop loops[BANG_MAX_LOOPS];
	const tir_stmt *store;
};

/* False if F is not of that form, or reads what it writes. */
bool bang_nest_of(const tir_func *f, struct bang_nest *out);

/*
 * How E changes when V grows by one, if that does not depend on where V is:
 * false if it does.
 */
bool bang_stride(const tir_expr *e, const struct tir_var *v, int64_t *stride);

/* Same text: same structure, variables and numbers. */
bool bang_same(const tir_expr *a, const tir_expr *b);

/* The C type of elements of type T, or NULL. */
const char *bang_type(struct dtype t);

/*
 * E as C. Loops go by the names of their variables, but ZERO (may be NULL),
 * which is replaced by the text INSTEAD. False if there is no C for it.
 */
bool bang_put_expr(struct buf *out, const tir_expr *e,
		   const struct tir_var *zero, const char *instead);

/*
 * The body of a kernel on vectors of NRAM, or element by element. False if
 * this kernel cannot be done so.
 */
bool bang_put_vector(struct buf *out, const struct bang_nest *n);
bool bang_put_scalar(struct buf *out, const struct bang_nest *n);

#endif
