/*
 * Code in memory: the object that the back end makes, linked by ORC.
 */
#include "codegen/llvm/internal.h"

#include <stdlib.h>
#include <string.h>

#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>

#include "runtime/extern.h"

struct llvm_jit {
	LLVMOrcLLJITRef jit;
};

static bool
failed(LLVMErrorRef error, struct diag *d)
{
	char *text;

	if (!error)
		return false;
	text = LLVMGetErrorMessage(error);
	diag_error(d, LOC_NONE, "JIT: %s", text);
	LLVMDisposeErrorMessage(text);
	return true;
}

/* Routines of the runtime, which is linked into this program. */
static LLVMErrorRef
define_routines(LLVMOrcLLJITRef jit, LLVMOrcJITDylibRef lib)
{
	LLVMOrcCSymbolMapPair *pairs;
	uint32_t n = 0;
	LLVMErrorRef error;

	while (relay_extern_at(n))
		n++;
	pairs = xcalloc(n + 1, sizeof(*pairs));
	for (uint32_t i = 0; i < n; i++) {
		const struct relay_extern *r = relay_extern_at(i);

		pairs[i].Name = LLVMOrcLLJITMangleAndIntern(jit, r->name);
		pairs[i].Sym.Address =
			(LLVMOrcExecutorAddress)(uintptr_t)r->address;
		pairs[i].Sym.Flags.GenericFlags =
			LLVMJITSymbolGenericFlagsExported;
	}
	error = LLVMOrcJITDylibDefine(lib, LLVMOrcAbsoluteSymbols(pairs, n));
	free(pairs);
	return error;
}

/* The C library: exp and its like, memcpy. */
static LLVMErrorRef
define_process(LLVMOrcLLJITRef jit, LLVMOrcJITDylibRef lib)
{
	LLVMOrcDefinitionGeneratorRef gen;
	LLVMErrorRef error =
		LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
			&gen, LLVMOrcLLJITGetGlobalPrefix(jit), NULL, NULL);

	if (!error)
		LLVMOrcJITDylibAddGenerator(lib, gen);
	return error;
}

static bool
add_object(struct llvm_jit *j, struct llvm_unit *u, struct diag *d)
{
	LLVMOrcJITDylibRef lib = LLVMOrcLLJITGetMainJITDylib(j->jit);
	LLVMMemoryBufferRef mem;
	char *error = NULL;

	if (failed(define_routines(j->jit, lib), d) ||
	    failed(define_process(j->jit, lib), d))
		return false;
	if (LLVMTargetMachineEmitToMemoryBuffer(u->tm, u->mod, LLVMObjectFile,
						&error, &mem)) {
		diag_error(d, LOC_NONE, "LLVM: %s", error);
		LLVMDisposeMessage(error);
		return false;
	}
	return !failed(LLVMOrcLLJITAddObjectFile(j->jit, lib, mem), d);
}

struct llvm_jit *
llvm_jit_new(struct llvm_unit *u, struct diag *d)
{
	struct llvm_jit *j = xcalloc(1, sizeof(*j));

	if (failed(LLVMOrcCreateLLJIT(&j->jit, NULL), d)) {
		free(j);
		return NULL;
	}
	if (add_object(j, u, d))
		return j;
	llvm_jit_free(j);
	return NULL;
}

void
llvm_jit_free(struct llvm_jit *j)
{
	if (!j)
		return;
	LLVMConsumeError(LLVMOrcDisposeLLJIT(j->jit));
	free(j);
}

void *
llvm_jit_symbol(struct llvm_jit *j, const char *name, struct diag *d)
{
	LLVMOrcExecutorAddress at = 0;

	if (failed(LLVMOrcLLJITLookup(j->jit, &at, name), d))
		return NULL;
	return (void *)(uintptr_t)at;
}
