/*
 * Folding of constants as rules, for passes that fold as they go.
 */
#ifndef RELAY_PASSES_FOLD_CONSTANT_H
#define RELAY_PASSES_FOLD_CONSTANT_H

#include "passes/pass.h"

struct interp;

struct folder {
	pass_ctx *cx;
	ir_module *m;
	bool fold_qnn;
	struct interp *interp; /* made when first needed */
	struct diag quiet;
	struct ir_map values; /* variable -> constant */
	struct ir_set tuples; /* looked at: do they hold constants only? */
	struct ir_set constant_tuples; /* those that do */
};

/* Folds quantized operators, too, if FOLD_QNN. */
void folder_init(struct folder *f, pass_ctx *cx, bool fold_qnn);
void folder_free(struct folder *f);

/*
 * All rules; their environment is a struct folder, or a struct that begins
 * with one. Nodes need types.
 */
extern const struct ir_rules folder_rules;

/*
 * Is the value of call E, which has types, too large to stand in the text in
 * its place: over 1 MB, and more than its arguments?
 */
bool fold_grows_too_much(const ir_expr *e);

#endif
