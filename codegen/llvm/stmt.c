/*
 * Statements to blocks.
 */
#include "codegen/llvm/internal.h"

#include <llvm-c/DebugInfo.h>

LLVMBasicBlockRef
lgen_block(struct lgen *g, const char *name)
{
	return LLVMAppendBasicBlockInContext(g->cx, g->fn, name);
}

/* In the first block, where allocas belong. */
LLVMValueRef
lgen_alloca(struct lgen *g, LLVMTypeRef t, int64_t n, unsigned align)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(g->b);
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(g->fn);
	LLVMValueRef first = LLVMGetFirstInstruction(entry), a;

	if (first)
		LLVMPositionBuilderBefore(g->b, first);
	else
		LLVMPositionBuilderAtEnd(g->b, entry);
	a = LLVMBuildAlloca(g->b, LLVMArrayType2(t, (uint64_t)n), "");
	LLVMSetAlignment(a, align);
	LLVMPositionBuilderAtEnd(g->b, here);
	return a;
}

void
lgen_check_status(struct lgen *g, LLVMValueRef status)
{
	LLVMBasicBlockRef bad = lgen_block(g, "failed");
	LLVMBasicBlockRef good = lgen_block(g, "");
	LLVMValueRef is_bad = LLVMBuildICmp(
		g->b, LLVMIntNE, status, LLVMConstNull(LLVMTypeOf(status)), "");

	LLVMBuildCondBr(g->b, is_bad, bad, good);
	LLVMPositionBuilderAtEnd(g->b, bad);
	if (g->status) {
		LLVMBuildStore(g->b, status, g->status);
		LLVMBuildRetVoid(g->b);
	} else {
		LLVMBuildRet(g->b, status);
	}
	LLVMPositionBuilderAtEnd(g->b, good);
}

/* The loop is not to be touched by LLVM: the schedule decided. */
static void
keep_as_it_is(struct lgen *g, LLVMValueRef latch)
{
	static const char no_unroll[] = "llvm.loop.unroll.disable";
	LLVMMetadataRef self = LLVMTemporaryMDNode(g->cx, NULL, 0);
	LLVMMetadataRef text =
		LLVMMDStringInContext2(g->cx, no_unroll, sizeof(no_unroll) - 1);
	LLVMMetadataRef node = LLVMMDNodeInContext2(g->cx, &text, 1);
	LLVMMetadataRef parts[] = {self, node};
	LLVMMetadataRef loop = LLVMMDNodeInContext2(g->cx, parts, 2);

	LLVMMetadataReplaceAllUsesWith(self, loop);
	LLVMSetMetadata(latch, LLVMGetMDKindIDInContext(g->cx, "llvm.loop", 9),
			LLVMMetadataAsValue(g->cx, loop));
}

static LLVMTypeRef
int_type(struct lgen *g, const struct tir_var *v)
{
	return LLVMIntTypeInContext(g->cx, v->dtype.bits);
}

/* Let VAR be I, a 64-bit number. */
static void
bind_loop_var(struct lgen *g, const struct tir_var *var, LLVMValueRef i,
	      bool nonneg)
{
	if (var->dtype.bits < 64)
		lmap_put(&g->vars, var,
			 LLVMBuildTrunc(g->b, i, int_type(g, var), ""), 0);
	else
		lmap_put(&g->vars, var, i, 0);
	if (nonneg)
		lmap_put(&g->vars, &var->id, i, 0);
}

static void
unbind_loop_var(struct lgen *g, const struct tir_var *var)
{
	lmap_drop(&g->vars, var);
	lmap_drop(&g->vars, &var->id);
}

static void
loop(struct lgen *g, const tir_stmt *s)
{
	const struct tir_var *var = s->loop.var;
	LLVMValueRef min = lgen_index(g, s->loop.min);
	LLVMValueRef end =
		LLVMBuildNSWAdd(g->b, min, lgen_index(g, s->loop.extent), "");
	LLVMValueRef some = LLVMBuildICmp(g->b, LLVMIntSLT, min, end, "");
	LLVMBasicBlockRef before, head = lgen_block(g, "loop");
	LLVMBasicBlockRef after = lgen_block(g, "loop.end");
	LLVMValueRef i, next, latch;
	uint32_t scope;

	before = LLVMGetInsertBlock(g->b);
	LLVMBuildCondBr(g->b, some, head, after);
	LLVMPositionBuilderAtEnd(g->b, head);
	i = LLVMBuildPhi(g->b, g->i64, var->name);
	bind_loop_var(g, var, i, lgen_nonneg(g, s->loop.min));
	vec_push(&g->live_vars, var);
	scope = lgen_open_scope(g);
	lgen_stmt(g, s->loop.body);
	lgen_close_scope(g, scope);
	(void)vec_pop(&g->live_vars);
	unbind_loop_var(g, var);
	next = LLVMBuildNSWAdd(g->b, i, LLVMConstInt(g->i64, 1, false), "");
	latch = LLVMBuildCondBr(g->b,
				LLVMBuildICmp(g->b, LLVMIntSLT, next, end, ""),
				head, after);
	keep_as_it_is(g, latch);
	LLVMAddIncoming(
		i, (LLVMValueRef[]){min, next},
		(LLVMBasicBlockRef[]){before, LLVMGetInstructionParent(latch)},
		2);
	LLVMPositionBuilderAtEnd(g->b, after);
}

enum { MAX_UNROLL = 64 };

/* Repeat the body, if the loop is short and its bounds are known. */
static bool
unroll(struct lgen *g, const tir_stmt *s)
{
	const struct tir_var *var = s->loop.var;

	if (s->loop.min->kind != TIR_INT || s->loop.extent->kind != TIR_INT ||
	    s->loop.extent->i > MAX_UNROLL)
		return false;
	vec_push(&g->live_vars, var);
	for (int64_t k = 0; k < s->loop.extent->i; k++) {
		int64_t i = s->loop.min->i + k;
		uint32_t scope = lgen_open_scope(g);

		bind_loop_var(g, var, LLVMConstInt(g->i64, (uint64_t)i, true),
			      i >= 0);
		lgen_stmt(g, s->loop.body);
		lgen_close_scope(g, scope);
	}
	(void)vec_pop(&g->live_vars);
	unbind_loop_var(g, var);
	return true;
}

static void
for_loop(struct lgen *g, const tir_stmt *s)
{
	if (s->loop.kind == TIR_PARALLEL && g->pool)
		lgen_parallel(g, s);
	else if (s->loop.kind != TIR_UNROLLED || !unroll(g, s))
		loop(g, s);
}

static void
scoped(struct lgen *g, const tir_stmt *s)
{
	uint32_t scope = lgen_open_scope(g);

	lgen_stmt(g, s);
	lgen_close_scope(g, scope);
}

static void
branch(struct lgen *g, const tir_stmt *s)
{
	LLVMValueRef cond = lgen_expr(g, s->if_.cond);
	LLVMBasicBlockRef yes = lgen_block(g, "then");
	LLVMBasicBlockRef no = s->if_.else_ ? lgen_block(g, "else") : NULL;
	LLVMBasicBlockRef end = lgen_block(g, "endif");

	LLVMBuildCondBr(g->b, cond, yes, no ? no : end);
	LLVMPositionBuilderAtEnd(g->b, yes);
	scoped(g, s->if_.then_);
	LLVMBuildBr(g->b, end);
	if (no) {
		LLVMPositionBuilderAtEnd(g->b, no);
		scoped(g, s->if_.else_);
		LLVMBuildBr(g->b, end);
	}
	LLVMPositionBuilderAtEnd(g->b, end);
}

static void
while_loop(struct lgen *g, const tir_stmt *s)
{
	LLVMBasicBlockRef head = lgen_block(g, "while");
	LLVMBasicBlockRef body = lgen_block(g, "while.body");
	LLVMBasicBlockRef end = lgen_block(g, "while.end");
	uint32_t scope;

	LLVMBuildBr(g->b, head);
	LLVMPositionBuilderAtEnd(g->b, head);
	scope = lgen_open_scope(g);
	LLVMBuildCondBr(g->b, lgen_expr(g, s->while_.cond), body, end);
	LLVMPositionBuilderAtEnd(g->b, body);
	lgen_stmt(g, s->while_.body);
	LLVMBuildBr(g->b, head);
	lgen_close_scope(g, scope);
	LLVMPositionBuilderAtEnd(g->b, end);
}

static void
let(struct lgen *g, const tir_stmt *s)
{
	const struct tir_var *v = s->let.var;

	lmap_put(&g->vars, v, lgen_expr(g, s->let.value), 0);
	if (lgen_nonneg(g, s->let.value))
		lmap_put(&g->vars, &v->id, lmap_get(&g->vars, v), 0);
	vec_push(&g->live_vars, v);
	scoped(g, s->let.body);
	(void)vec_pop(&g->live_vars);
	lmap_drop(&g->vars, v);
	lmap_drop(&g->vars, &v->id);
}

enum { MAX_STACK = 1 << 18 };

static LLVMValueRef
from_scratch(struct lgen *g, int64_t bytes)
{
	LLVMValueRef at =
		LLVMConstInt(g->i64, (uint64_t)g->scratch_used, false);

	g->scratch_used += (bytes + 63) / 64 * 64;
	if (g->scratch_used > g->scratch_max)
		g->scratch_max = g->scratch_used;
	return LLVMBuildInBoundsGEP2(g->b, g->i8, g->scratch, &at, 1, "");
}

/* Small or threads' own memory lies on the stack, large in the arena. */
static void
alloc(struct lgen *g, const tir_stmt *s)
{
	const struct tir_buffer *b = s->alloc.buffer;
	struct dtype elem = b->dtype;
	int64_t n = b->size * elem.lanes, used = g->scratch_used, bytes;
	LLVMValueRef p;

	elem.lanes = 1;
	bytes = n * (int64_t)dtype_size(elem);
	if (b->size < 0) {
		lgen_fail(g, "memory of unknown size");
		return;
	}
	if (bytes > MAX_STACK && g->scratch)
		p = from_scratch(g, bytes);
	else
		p = lgen_alloca(g, lgen_memory_type(g, elem), n ? n : 1,
				b->align ? b->align : 64);
	lmap_put(&g->buffers, b, p, 0);
	vec_push(&g->live_buffers, b);
	lgen_stmt(g, s->alloc.body);
	(void)vec_pop(&g->live_buffers);
	g->scratch_used = used;
}

static void
check(struct lgen *g, const tir_stmt *s)
{
	LLVMValueRef ok = lgen_expr(g, s->assert_.cond);

	lgen_check_status(
		g,
		LLVMBuildSelect(g->b, ok, LLVMConstNull(g->i32),
				LLVMConstInt(g->i32, (uint64_t)-11, true), ""));
}

static void
effect(struct lgen *g, const tir_stmt *s)
{
	LLVMValueRef v = lgen_expr(g, s->eval);

	if (s->eval->kind == TIR_CALL_EXTERN &&
	    s->eval->dtype.code == DTYPE_INT)
		lgen_check_status(g, v);
}

static void
call_func(struct lgen *g, const tir_stmt *s)
{
	ir_def *def = ir_module_find(g->module, s->call.func);
	uint32_t n = s->call.n;
	LLVMValueRef *args = arena_alloc(g->arena, (n + 2) * sizeof(*args)), fn;

	if (!def || def->kind != DEF_TIR || def->tir->nparams != n) {
		lgen_fail(g, "a call of '%s'", s->call.func);
		return;
	}
	fn = lgen_declare_kernel(g, def->tir);
	for (uint32_t i = 0; i < n; i++)
		args[i] = lgen_expr(g, s->call.args[i]);
	args[n] = g->scratch ? g->scratch : LLVMConstNull(g->ptr);
	args[n + 1] = g->pool ? g->pool : LLVMConstNull(g->ptr);
	lgen_check_status(g, LLVMBuildCall2(g->b, LLVMGlobalGetValueType(fn),
					    fn, args, n + 2, ""));
}

/* The rest of the block is dead; it goes to one of its own. */
static void
give_back(struct lgen *g, const tir_stmt *s)
{
	if (g->status)
		LLVMBuildRetVoid(g->b);
	else
		LLVMBuildRet(g->b, lgen_expr(g, s->ret));
	LLVMPositionBuilderAtEnd(g->b, lgen_block(g, "dead"));
}

static void
one(struct lgen *g, const tir_stmt *s)
{
	switch (s->kind) {
	case TIR_STORE:
		lgen_store(g, s);
		break;
	case TIR_FOR:
		for_loop(g, s);
		break;
	case TIR_WHILE:
		while_loop(g, s);
		break;
	case TIR_IF:
		branch(g, s);
		break;
	case TIR_LET_STMT:
		let(g, s);
		break;
	case TIR_ALLOC:
		alloc(g, s);
		break;
	case TIR_EVAL:
		effect(g, s);
		break;
	case TIR_ASSERT:
		check(g, s);
		break;
	case TIR_SEQ:
		for (uint32_t i = 0; i < s->seq.n; i++)
			lgen_stmt(g, s->seq.at[i]);
		break;
	case TIR_RETURN:
		give_back(g, s);
		break;
	case TIR_CALL_FUNC:
		call_func(g, s);
		break;
	}
}

void
lgen_stmt(struct lgen *g, const tir_stmt *s)
{
	uint32_t scope;

	if (g->failed)
		return;
	if (g->depth >= LGEN_MAX_DEPTH) {
		lgen_fail(g, "statements this deep");
		return;
	}
	g->depth++;
	scope = lgen_open_scope(g);
	one(g, s);
	lgen_close_scope(g, scope);
	g->depth--;
}
