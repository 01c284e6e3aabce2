/*
 * Index arithmetic, in 64 bits.
 *
 * Since it does not overflow, sums and products of 32-bit variables can be
 * formed in the width of a pointer, which is what addressing wants.
 */
#include "codegen/llvm/internal.h"

static bool
nonneg(struct lgen *g, const tir_expr *e, unsigned depth)
{
	if (depth > 32)
		return false;
	switch ((enum tir_kind)e->kind) {
	case TIR_INT:
		return e->i >= 0;
	case TIR_VAR:
		/* Loops that start at no less than 0 are noted by name. */
		return lmap_get(&g->vars, &e->var->id) != NULL;
	case TIR_ADD:
	case TIR_MUL:
	case TIR_MIN:
	case TIR_DIV:
		return nonneg(g, e->arg[0], depth + 1) &&
		       nonneg(g, e->arg[1], depth + 1);
	case TIR_MAX:
		return nonneg(g, e->arg[0], depth + 1) ||
		       nonneg(g, e->arg[1], depth + 1);
	case TIR_MOD:
		return nonneg(g, e->arg[1], depth + 1);
	case TIR_SELECT:
		return nonneg(g, e->arg[1], depth + 1) &&
		       nonneg(g, e->arg[2], depth + 1);
	default:
		return false;
	}
}

bool
lgen_nonneg(struct lgen *g, const tir_expr *e)
{
	return nonneg(g, e, 0);
}

static LLVMValueRef
widen(struct lgen *g, const tir_expr *e)
{
	LLVMValueRef v = lgen_expr(g, e);

	if (e->dtype.bits == 64)
		return v;
	if (e->dtype.code == DTYPE_UINT)
		return LLVMBuildZExt(g->b, v, g->i64, "");
	return LLVMBuildSExt(g->b, v, g->i64, "");
}

static LLVMValueRef
compare(struct lgen *g, LLVMIntPredicate p, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, p, a, b, ""), a, b,
			       "");
}

static LLVMValueRef
index_of(struct lgen *g, const tir_expr *e)
{
	LLVMValueRef a, b;

	switch ((enum tir_kind)e->kind) {
	case TIR_INT:
		return LLVMConstInt(g->i64, (uint64_t)e->i, true);
	case TIR_ADD:
	case TIR_SUB:
	case TIR_MUL:
	case TIR_DIV:
	case TIR_MOD:
	case TIR_MIN:
	case TIR_MAX:
		break;
	default:
		return widen(g, e);
	}
	a = lgen_index(g, e->arg[0]);
	b = lgen_index(g, e->arg[1]);
	switch ((enum tir_kind)e->kind) {
	case TIR_ADD:
		return LLVMBuildNSWAdd(g->b, a, b, "");
	case TIR_SUB:
		return LLVMBuildNSWSub(g->b, a, b, "");
	case TIR_MUL:
		return LLVMBuildNSWMul(g->b, a, b, "");
	case TIR_MIN:
		return compare(g, LLVMIntSLT, a, b);
	case TIR_MAX:
		return compare(g, LLVMIntSGT, a, b);
	default:
		return lgen_divide(g, e, a, b, lgen_nonneg(g, e->arg[0]));
	}
}

LLVMValueRef
lgen_index(struct lgen *g, const tir_expr *e)
{
	/* The same node is known as an index by another address. */
	const void *key = &e->n;
	LLVMValueRef v;

	if (e->dtype.lanes > 1 || e->dtype.code == DTYPE_UINT)
		return widen(g, e);
	v = lmap_get(&g->exprs, key);
	if (v)
		return v;
	if (g->depth >= LGEN_MAX_DEPTH) {
		lgen_fail(g, "an expression this deep");
		return LLVMConstNull(g->i64);
	}
	g->depth++;
	v = index_of(g, e);
	g->depth--;
	lmap_put(&g->exprs, key, v, g->scope);
	return v;
}
