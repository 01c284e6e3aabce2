/*
 * Rewriting statements, for the steps of lowering. Private to te/.
 */
#ifndef RELAY_TE_TIR_REWRITE_H
#define RELAY_TE_TIR_REWRITE_H

#include <stdbool.h>

#include "ir/module.h"
#include "ir/tir.h"
#include "te/simplify.h"

struct tir_rewriter {
	ir_module *m;
	/* The statement in place of S; NULL: S with its parts rewritten. */
	tir_stmt *(*stmt)(struct tir_rewriter *r, const tir_stmt *s);
	const tir_expr *(*expr)(struct tir_rewriter *r, const tir_expr *e);
	void *env;
};

/* A new statement; S is left as it is. Nothing left: an empty sequence. */
tir_stmt *tir_rewrite(struct tir_rewriter *r, const tir_stmt *s);

/* S with its parts rewritten, without asking r->stmt about S itself. */
tir_stmt *tir_rewrite_parts(struct tir_rewriter *r, const tir_stmt *s);

bool tir_is_empty(const tir_stmt *s);

/* Expressions of S itself, not of the statements in it. */
void tir_each_expr(const tir_stmt *s,
		   void (*visit)(const tir_expr *e, void *env), void *env);

/* Statements of S, S first. */
void tir_each_stmt(const tir_stmt *s,
		   void (*visit)(const tir_stmt *s, void *env), void *env);

/* The range of a loop variable whose bounds are constant. */
bool tir_loop_range(const tir_stmt *loop, struct te_range *out);

/* Tell S the ranges of all loops in STMT. */
void tir_set_loop_ranges(struct te_simplifier *s, const tir_stmt *stmt);

#endif
