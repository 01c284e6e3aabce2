/*
 * lower-tir: scheduled tensor expressions become loops.
 *
 * All steps in a row: te-to-tir, tir-partition, tir-unroll, tir-partition
 * again, tir-vectorize, tir-storage, each of which is a pass of its own too. Buffers are flat and
 * indices simplified from the first step on.
 *
 * Level: module. Needs: nothing.
 */
#include "passes/lower_tir.h"

#include "te/sizes.h"

/* The function that checks and computes the sizes of F, if there is one. */
static void
add_sizes(ir_module *m, const te_func *f)
{
	tir_func *sizes = te_lower_sizes(m, f);

	if (sizes && !ir_module_find(m, sizes->name))
		ir_module_add(m, sizes->name, DEF_TIR, f->loc)->tir = sizes;
}

bool
lower_all(pass_ctx *cx, tir_func *(*lower)(ir_module *, const te_func *,
					   const te_schedule *, struct diag *))
{
	ir_module *m = cx->module;
	bool changed = false;

	for (size_t i = 0; i < m->defs.len; i++) {
		ir_def *def = m->defs.at[i];
		tir_func *f;

		if (def->kind != DEF_TE || !def->te)
			continue;
		f = NULL;
		if (te_verify(m, def->te, cx->diag))
			f = lower(m, def->te, def->schedule, cx->diag);
		if (!f) {
			cx->failed = true;
			continue;
		}
		add_sizes(m, def->te);
		def = m->defs.at[i];
		def->kind = DEF_TIR;
		def->tir = f;
		def->te = NULL;
		def->schedule = NULL;
		changed = true;
	}
	return changed;
}

bool
lower_each(pass_ctx *cx, void (*step)(ir_module *, tir_func *))
{
	ir_module *m = cx->module;
	bool any = false;

	for (size_t i = 0; i < m->defs.len; i++) {
		if (m->defs.at[i]->kind != DEF_TIR)
			continue;
		step(m, m->defs.at[i]->tir);
		any = true;
	}
	return any;
}

bool
pass_lower_tir(pass_ctx *cx)
{
	return lower_all(cx, te_lower);
}
