/*
 * Division of integers.
 *
 * A divisor that is not known is replaced by one where the machine would
 * trap: where it is zero, and for the lowest number over -1.
 */
#include "codegen/llvm/internal.h"

static bool
constant_of(const tir_expr *e, int64_t *value)
{
	if (e->kind == TIR_BROADCAST)
		e = e->arg[0];
	if (e->kind != TIR_INT)
		return false;
	*value = e->i;
	return true;
}

static LLVMValueRef
safe_divisor(struct lgen *g, LLVMValueRef a, LLVMValueRef b, bool is_signed)
{
	LLVMTypeRef t = LLVMTypeOf(b);
	LLVMTypeRef s = LLVMGetTypeKind(t) == LLVMVectorTypeKind
				? LLVMGetElementType(t)
				: t;
	unsigned bits = LLVMGetIntTypeWidth(s);
	LLVMValueRef bad =
		LLVMBuildICmp(g->b, LLVMIntEQ, b, LLVMConstNull(t), "");

	if (is_signed) {
		LLVMValueRef lowest =
			lgen_int(g, t, (int64_t)(UINT64_C(1) << (bits - 1)));
		LLVMValueRef trap = LLVMBuildAnd(
			g->b,
			LLVMBuildICmp(g->b, LLVMIntEQ, b, lgen_int(g, t, -1),
				      ""),
			LLVMBuildICmp(g->b, LLVMIntEQ, a, lowest, ""), "");

		bad = LLVMBuildOr(g->b, bad, trap, "");
	}
	return LLVMBuildSelect(g->b, bad, lgen_int(g, t, 1), b, "");
}

/* 1 where the remainder R has another sign than B, as a mask. */
static LLVMValueRef
off_by_one(struct lgen *g, LLVMValueRef r, LLVMValueRef b)
{
	LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(r));
	LLVMValueRef differ = LLVMBuildICmp(
		g->b, LLVMIntSLT, LLVMBuildXor(g->b, r, b, ""), zero, "");

	return LLVMBuildAnd(g->b, differ,
			    LLVMBuildICmp(g->b, LLVMIntNE, r, zero, ""), "");
}

static LLVMValueRef
floor_division(struct lgen *g, bool mod, LLVMValueRef a, LLVMValueRef b)
{
	LLVMTypeRef t = LLVMTypeOf(a);
	LLVMValueRef r = LLVMBuildSRem(g->b, a, b, "");
	LLVMValueRef off = off_by_one(g, r, b);

	if (mod)
		return LLVMBuildAdd(
			g->b, r,
			LLVMBuildSelect(g->b, off, b, LLVMConstNull(t), ""),
			"");
	return LLVMBuildAdd(g->b, LLVMBuildSDiv(g->b, a, b, ""),
			    LLVMBuildSExt(g->b, off, t, ""), "");
}

/* N if VALUE is 2 to the power N, else -1. */
static int
log2_of(int64_t value)
{
	if (value <= 0 || (value & (value - 1)))
		return -1;
	return __builtin_ctzll((uint64_t)value);
}

LLVMValueRef
lgen_divide(struct lgen *g, const tir_expr *e, LLVMValueRef a, LLVMValueRef b,
	    bool nonneg)
{
	bool mod = e->kind == TIR_MOD || e->kind == TIR_TRUNCMOD;
	bool floor = e->kind == TIR_DIV || e->kind == TIR_MOD;
	bool is_signed = e->dtype.code == DTYPE_INT && !nonneg;
	LLVMTypeRef t = LLVMTypeOf(a);
	int64_t d = 0;
	bool known = constant_of(e->arg[1], &d);

	if (!known || d == 0 || d == -1)
		b = safe_divisor(g, a, b, e->dtype.code == DTYPE_INT);
	if (known && log2_of(d) >= 0 && (floor || !is_signed)) {
		if (mod)
			return LLVMBuildAnd(g->b, a, lgen_int(g, t, d - 1), "");
		b = lgen_int(g, t, log2_of(d));
		return is_signed ? LLVMBuildAShr(g->b, a, b, "")
				 : LLVMBuildLShr(g->b, a, b, "");
	}
	if (!is_signed)
		return mod ? LLVMBuildURem(g->b, a, b, "")
			   : LLVMBuildUDiv(g->b, a, b, "");
	if (floor)
		return floor_division(g, mod, a, b);
	return mod ? LLVMBuildSRem(g->b, a, b, "")
		   : LLVMBuildSDiv(g->b, a, b, "");
}
