/*
 * Type inference: Hindley-Milner with the relations of operators.
 *
 * Fills in the type of every node, missing annotations of variables and
 * result types of functions. Definitions are taken callees first, so a callee
 * needs no written result type; recursive groups are solved together.
 */
#ifndef RELAY_IR_INFER_H
#define RELAY_IR_INFER_H

#include <stdbool.h>

#include "ir/fwd.h"
#include "support/diag.h"

/* False after reporting to D. Sets m->types_valid. */
bool ir_infer_module(ir_module *m, struct diag *d);

/*
 * Types for E and all below it. Types that nodes have already are trusted
 * when all their operands have one too; free variables need an annotation or
 * a type.
 */
bool ir_infer_expr(ir_module *m, const ir_expr *e, struct diag *d);

/*
 * Forget inferred types: of nodes, and annotations that only inference made.
 * For passes that change what a value is.
 */
void ir_forget_types(ir_module *m);

/*
 * The cases that M leaves out as text: "Nil, Cons(_, Nil)". False if there are
 * none.
 */
struct buf;
struct ir_match;
bool ir_unmatched_cases(const struct ir_match *m, struct buf *out);

#endif
