/*
 * tir-verify: check the form of loops.
 *
 * Variables and buffers are defined where they are used, types agree, and
 * indices whose range is known stay within their buffer.
 *
 * Level: module. Needs: nothing.
 */
#include "passes/pass.h"
#include "te/lower.h"

bool
pass_tir_verify(pass_ctx *cx)
{
	const ir_module *m = cx->module;

	for (size_t i = 0; i < m->defs.len; i++)
		if (m->defs.at[i]->kind == DEF_TIR &&
		    !tir_verify(m, m->defs.at[i]->tir, cx->diag))
			cx->failed = true;
	return false;
}
