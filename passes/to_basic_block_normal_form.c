/*
 * to-basic-block-normal-form: bind values that more than one block uses.
 *
 *     %0 = exp(%x);                        let %x_0 = exp(%x);
 *     if (%c) { %0 } else { add(%0, %0) }  if (%c) { %x_0 } else { ... }
 *
 * Blocks are function bodies, branches, clauses and bodies of lets. What one
 * block alone uses stays as it is, so fusion sees the graph inside a block
 * and never moves a value into a branch.
 *
 * Level: module. Needs: nothing. Keeps: types, but of calls.
 */
#include "passes/normal_form.h"

bool
pass_to_basic_block_normal_form(pass_ctx *cx)
{
	return normal_form_module(cx, BASIC_BLOCK_FORM);
}
