/*
 * Functions: one per kernel.
 *
 * A kernel takes a pointer for each parameter, memory for what it keeps
 * while it runs, and the pool; it returns a status.
 */
#include "codegen/llvm/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
lgen_fail(struct lgen *g, const char *fmt, ...)
{
	struct loc loc = g->func ? g->func->loc : LOC_NONE;
	char what[200];
	va_list ap;

	if (g->failed)
		return;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	diag_error(g->diag, loc, "cannot generate code for '%s': %s",
		   g->func ? g->func->name : "the module", what);
	g->failed = true;
}

void
lgen_attribute(struct lgen *g, LLVMValueRef fn, LLVMAttributeIndex at,
	       const char *name, uint64_t value)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	LLVMAddAttributeAtIndex(fn, at,
				LLVMCreateEnumAttribute(g->cx, kind, value));
}

void
lgen_target_attributes(struct lgen *g, LLVMValueRef fn)
{
	const struct llvm_options *o = g->options;

	lgen_attribute(g, fn, LLVMAttributeFunctionIndex, "nounwind", 0);
	if (o->cpu)
		LLVMAddTargetDependentFunctionAttr(fn, "target-cpu", o->cpu);
	if (o->features)
		LLVMAddTargetDependentFunctionAttr(fn, "target-features",
						   o->features);
}

LLVMValueRef
lgen_declare_kernel(struct lgen *g, const tir_func *f)
{
	LLVMValueRef fn = LLVMGetNamedFunction(g->mod, f->name);
	LLVMTypeRef *params;

	if (fn)
		return fn;
	params = arena_alloc(g->arena, (f->nparams + 2) * sizeof(*params));
	for (uint32_t i = 0; i < f->nparams + 2; i++)
		params[i] = g->ptr;
	fn = LLVMAddFunction(
		g->mod, f->name,
		LLVMFunctionType(g->i32, params, f->nparams + 2, false));
	lgen_target_attributes(g, fn);
	for (uint32_t i = 0; i < f->nparams; i++) {
		const struct tir_buffer *b = f->params[i].buffer;

		lgen_attribute(g, fn, i + 1, "noalias", 0);
		lgen_attribute(g, fn, i + 1, "nocapture", 0);
		if (b && b->align >= 16)
			lgen_attribute(g, fn, i + 1, "align", 16);
	}
	return fn;
}

void
lgen_kernel(struct lgen *g, const tir_func *f)
{
	LLVMValueRef fn = lgen_declare_kernel(g, f);
	uint32_t scope;

	g->func = f;
	g->fn = fn;
	g->status = NULL;
	g->mask = NULL;
	g->scratch = LLVMGetParam(fn, f->nparams);
	g->pool = g->options->no_runtime ? NULL
					 : LLVMGetParam(fn, f->nparams + 1);
	g->scratch_used = 0;
	LLVMPositionBuilderAtEnd(g->b, lgen_block(g, ""));
	for (uint32_t i = 0; i < f->nparams; i++) {
		lmap_put(&g->vars, f->params[i].var, LLVMGetParam(fn, i), 0);
		if (!f->params[i].buffer)
			continue;
		lmap_put(&g->buffers, f->params[i].buffer, LLVMGetParam(fn, i),
			 0);
		vec_push(&g->live_buffers, f->params[i].buffer);
	}
	scope = lgen_open_scope(g);
	lgen_stmt(g, f->body);
	lgen_close_scope(g, scope);
	LLVMBuildRet(g->b, LLVMConstNull(g->i32));
	vec_clear(&g->live_buffers);
	vec_clear(&g->live_vars);
}
