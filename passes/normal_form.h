/*
 * The engine behind to-a-normal-form and to-basic-block-normal-form: binds
 * values by lets, each in the innermost scope that encloses all its uses.
 */
#ifndef RELAY_PASSES_NORMAL_FORM_H
#define RELAY_PASSES_NORMAL_FORM_H

#include <stdbool.h>

#include "passes/pass.h"

enum normal_form {
	A_NORMAL_FORM,    /* bind everything that is no atom */
	BASIC_BLOCK_FORM, /* bind what more than one block uses */
};

/* Bring every function into FORM but kernels and those of a Compiler. True if
 * one changed. */
bool normal_form_module(pass_ctx *cx, enum normal_form form);

/*
 * The nodes of BODY that basic block form would bind and no let does, operands
 * first: more than one block uses them.
 */
void normal_form_unbound(pass_ctx *cx, const ir_expr *body, ir_expr_vec *out);

#endif
