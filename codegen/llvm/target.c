/*
 * A module of LLVM: how it is made, optimised and written.
 */
#include "codegen/llvm/internal.h"

#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>

static bool
has_feature(const char *features, const char *name)
{
	const char *at = strstr(features, name);
	size_t n = strlen(name);

	return at && (at[n] == ',' || !at[n]);
}

/* Whether half converts in one instruction. */
static bool
half_is_native(const struct llvm_unit *u)
{
	if (!strncmp(u->triple, "aarch64", 7))
		return true;
	return has_feature(u->features, "+f16c") ||
	       !strncmp(u->cpu, "znver", 5) || !strcmp(u->cpu, "haswell") ||
	       !strncmp(u->cpu, "skylake", 7) || !strcmp(u->cpu, "x86-64-v3") ||
	       !strcmp(u->cpu, "x86-64-v4");
}

static void
set_types(struct lgen *g, LLVMTargetDataRef data)
{
	g->i1 = LLVMInt1TypeInContext(g->cx);
	g->i8 = LLVMInt8TypeInContext(g->cx);
	g->i16 = LLVMInt16TypeInContext(g->cx);
	g->i32 = LLVMInt32TypeInContext(g->cx);
	g->i64 = LLVMInt64TypeInContext(g->cx);
	g->f32 = LLVMFloatTypeInContext(g->cx);
	g->f64 = LLVMDoubleTypeInContext(g->cx);
	g->ptr = LLVMPointerTypeInContext(g->cx, 0);
	g->none = LLVMVoidTypeInContext(g->cx);
	g->word = LLVMIntPtrTypeInContext(g->cx, data);
}

/* Kernels, then the entry. */
static void
generate(struct lgen *g, struct llvm_unit *u)
{
	struct interface x;
	bool network = interface_of(g->module, &x, g->arena);

	for (size_t i = 0; i < g->module->defs.len && !g->failed; i++) {
		const ir_def *def = g->module->defs.at[i];

		if (def->kind != DEF_TIR || (network && def->tir == x.main))
			continue;
		lgen_kernel(g, def->tir);
		if (network)
			LLVMSetLinkage(
				LLVMGetNamedFunction(g->mod, def->tir->name),
				LLVMInternalLinkage);
	}
	if (!network || g->failed)
		return;
	lgen_entry(g, &x);
	u->arena_bytes =
		(size_t)((x.workspace_bytes + 63) / 64 * 64 + g->scratch_max);
}

static bool
build(struct llvm_unit *u, const ir_module *m, const struct llvm_options *o,
      struct diag *d)
{
	LLVMTargetDataRef data = LLVMCreateTargetDataLayout(u->tm);
	struct arena arena = {0};
	struct llvm_options own = *o;
	struct lgen g = {.module = m,
			 .options = &own,
			 .diag = d,
			 .arena = &arena,
			 .cx = u->cx,
			 .mod = u->mod};

	own.cpu = *u->cpu ? u->cpu : NULL;
	own.features = *u->features ? u->features : NULL;
	if (!own.name)
		own.name = "model";
	g.exprs.active = &g.active;
	g.has_half = half_is_native(u);
	g.b = LLVMCreateBuilderInContext(u->cx);
	set_types(&g, data);
	LLVMSetTarget(u->mod, u->triple);
	LLVMSetModuleDataLayout(u->mod, data);
	generate(&g, u);
	LLVMDisposeBuilder(g.b);
	LLVMDisposeTargetData(data);
	lmap_free(&g.vars);
	lmap_free(&g.buffers);
	lmap_free(&g.exprs);
	vec_free(&g.live_vars);
	vec_free(&g.live_buffers);
	free(g.active);
	arena_free(&arena);
	return !g.failed;
}

static bool
verify(struct llvm_unit *u, struct diag *d)
{
	char *error = NULL;
	bool bad = LLVMVerifyModule(u->mod, LLVMReturnStatusAction, &error);

	if (bad)
		diag_error(d, LOC_NONE, "LLVM refuses the code: %s", error);
	LLVMDisposeMessage(error);
	return !bad;
}

static const char *
pipeline(const struct llvm_options *o)
{
	if (o->passes)
		return o->passes;
	switch (o->level) {
	case 0:
		return NULL;
	case 1:
		return "function(sroa,early-cse)";
	case 2:
		return "function(sroa,early-cse<memssa>,"
		       "instcombine<no-verify-fixpoint>,"
		       "simplifycfg,loop-mssa(licm),gvn,dce)";
	default:
		return "default<O3>";
	}
}

bool
llvm_unit_optimise(struct llvm_unit *u, const struct llvm_options *o,
		   struct diag *d)
{
	const char *passes = pipeline(o);
	LLVMPassBuilderOptionsRef options;
	LLVMErrorRef error;
	char *text;

	if (!passes)
		return true;
	options = LLVMCreatePassBuilderOptions();
	LLVMPassBuilderOptionsSetLoopUnrolling(options, 0);
	error = LLVMRunPasses(u->mod, passes, u->tm, options);
	LLVMDisposePassBuilderOptions(options);
	if (!error)
		return true;
	text = LLVMGetErrorMessage(error);
	diag_error(d, LOC_NONE, "LLVM passes '%s': %s", passes, text);
	LLVMDisposeErrorMessage(text);
	return false;
}

struct llvm_unit *
llvm_unit_new(const ir_module *m, const struct llvm_options *o, struct diag *d)
{
	struct llvm_unit *u = xcalloc(1, sizeof(*u));

	u->cx = LLVMContextCreate();
	u->mod = LLVMModuleCreateWithNameInContext(o->name ? o->name : "model",
						   u->cx);
	if (lgen_machine(u, o, d) && build(u, m, o, d) &&
	    (!o->verify || verify(u, d)))
		return u;
	llvm_unit_free(u);
	return NULL;
}

void
llvm_unit_free(struct llvm_unit *u)
{
	if (!u)
		return;
	if (u->tm)
		LLVMDisposeTargetMachine(u->tm);
	LLVMDisposeModule(u->mod);
	LLVMContextDispose(u->cx);
	if (u->triple)
		LLVMDisposeMessage(u->triple);
	free(u->cpu);
	free(u->features);
	free(u);
}

size_t
llvm_unit_arena_bytes(const struct llvm_unit *u)
{
	return u->arena_bytes;
}

static bool
emit_machine_code(struct llvm_unit *u, LLVMCodeGenFileType type,
		  struct buf *out, struct diag *d)
{
	LLVMMemoryBufferRef mem;
	char *error = NULL;

	if (LLVMTargetMachineEmitToMemoryBuffer(u->tm, u->mod, type, &error,
						&mem)) {
		diag_error(d, LOC_NONE, "LLVM: %s", error);
		LLVMDisposeMessage(error);
		return false;
	}
	buf_put(out, LLVMGetBufferStart(mem), LLVMGetBufferSize(mem));
	LLVMDisposeMemoryBuffer(mem);
	return true;
}

bool
llvm_unit_emit(struct llvm_unit *u, enum llvm_kind kind, struct buf *out,
	       struct diag *d)
{
	LLVMMemoryBufferRef mem;
	char *text;

	switch (kind) {
	case LLVM_TEXT:
		text = LLVMPrintModuleToString(u->mod);
		buf_puts(out, text);
		LLVMDisposeMessage(text);
		return true;
	case LLVM_BITCODE:
		mem = LLVMWriteBitcodeToMemoryBuffer(u->mod);
		buf_put(out, LLVMGetBufferStart(mem), LLVMGetBufferSize(mem));
		LLVMDisposeMemoryBuffer(mem);
		return true;
	case LLVM_ASSEMBLY:
		return emit_machine_code(u, LLVMAssemblyFile, out, d);
	case LLVM_OBJECT:
		return emit_machine_code(u, LLVMObjectFile, out, d);
	}
	return false;
}
