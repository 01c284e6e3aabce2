/*
 * Intrinsics of integers, and those of several operands.
 */
#include "codegen/llvm/internal.h"

static LLVMValueRef
lane_count(struct lgen *g, LLVMValueRef v, int64_t n)
{
	return lgen_int(g, LLVMTypeOf(v), n);
}

static LLVMValueRef
absolute(struct lgen *g, LLVMValueRef a)
{
	LLVMValueRef minus = LLVMBuildNeg(g->b, a, "");
	LLVMValueRef below = LLVMBuildICmp(g->b, LLVMIntSLT, a,
					   LLVMConstNull(LLVMTypeOf(a)), "");

	return LLVMBuildSelect(g->b, below, minus, a, "");
}

static LLVMValueRef
leading_zeros(struct lgen *g, LLVMValueRef a)
{
	LLVMValueRef args[] = {a, LLVMConstInt(g->i1, 0, false)};

	return lgen_intrinsic(g, "llvm.ctlz", LLVMTypeOf(a), args, 2);
}

static LLVMValueRef
int_intrinsic(struct lgen *g, const tir_expr *e, LLVMValueRef a)
{
	struct dtype t = e->arg[0]->dtype;

	switch (e->intrin) {
	case INTRIN_ABS:
		return t.code == DTYPE_UINT ? a : absolute(g, a);
	case INTRIN_BIT_NOT:
		return LLVMBuildNot(g->b, a, "");
	case INTRIN_CLZ:
		return leading_zeros(g, a);
	case INTRIN_POPCOUNT:
		return lgen_intrinsic1(g, "llvm.ctpop", a);
	case INTRIN_CEIL:
	case INTRIN_FLOOR:
	case INTRIN_NEARBYINT:
	case INTRIN_ROUND:
	case INTRIN_TRUNC:
		return a;
	case INTRIN_ISNAN:
	case INTRIN_ISINF:
	case INTRIN_ISFINITE:
		return lgen_int(g, lgen_type(g, e->dtype),
				e->intrin == INTRIN_ISFINITE);
	default:
		lgen_fail(g, "'%s' of an integer",
			  tir_intrin_info[e->intrin].name);
		return a;
	}
}

/* Shifts by amounts outside of the width give what the evaluator gives. */
static LLVMValueRef
shift(struct lgen *g, const tir_expr *e, LLVMValueRef a, LLVMValueRef b)
{
	LLVMTypeRef t = LLVMTypeOf(a);
	bool left = e->intrin == INTRIN_SHL;
	bool arithmetic = !left && e->dtype.code == DTYPE_INT;
	LLVMValueRef last = lane_count(g, a, e->dtype.bits - 1);
	LLVMValueRef fits = LLVMBuildICmp(g->b, LLVMIntULE, b, last, "");
	LLVMValueRef by = LLVMBuildSelect(g->b, fits, b, last, "");

	if (arithmetic)
		return LLVMBuildAShr(g->b, a, by, "");
	a = left ? LLVMBuildShl(g->b, a, by, "")
		 : LLVMBuildLShr(g->b, a, by, "");
	return LLVMBuildSelect(g->b, fits, a, LLVMConstNull(t), "");
}

static LLVMValueRef
power(struct lgen *g, const tir_expr *e, LLVMValueRef a, LLVMValueRef b)
{
	const tir_expr *k = e->arg[1]->kind == TIR_BROADCAST ? e->arg[1]->arg[0]
							     : e->arg[1];
	LLVMValueRef v;

	if (k->kind == TIR_FLOAT && k->f == 2)
		v = LLVMBuildFMul(g->b, a, a, "");
	else if (k->kind == TIR_FLOAT && k->f == 1)
		v = a;
	else
		v = lgen_libm(g, e->dtype.bits == 64 ? "pow" : "powf", a, b);
	return lgen_round_result(g, e->dtype, v);
}

static LLVMValueRef
intrinsic2(struct lgen *g, const tir_expr *e, LLVMValueRef a, LLVMValueRef b)
{
	bool is_float = dtype_is_float(e->dtype);

	switch (e->intrin) {
	case INTRIN_BIT_AND:
		return LLVMBuildAnd(g->b, a, b, "");
	case INTRIN_BIT_OR:
		return LLVMBuildOr(g->b, a, b, "");
	case INTRIN_BIT_XOR:
		return LLVMBuildXor(g->b, a, b, "");
	case INTRIN_SHL:
	case INTRIN_SHR:
		return shift(g, e, a, b);
	case INTRIN_POW:
		if (is_float)
			return power(g, e, a, b);
		break;
	case INTRIN_FMOD:
		if (is_float)
			return lgen_round_result(g, e->dtype,
						 lgen_libm(g,
							   e->dtype.bits == 64
								   ? "fmod"
								   : "fmodf",
							   a, b));
		break;
	default:
		break;
	}
	lgen_fail(g, "'%s' on this type", tir_intrin_info[e->intrin].name);
	return a;
}

/* (x * y, rounded half up) >> (q + s), in 64 bits. */
static LLVMValueRef
multiply_shift(struct lgen *g, const tir_expr *e, LLVMValueRef *v)
{
	LLVMTypeRef wide = lgen_with_lanes(g->i64, e->dtype.lanes);
	LLVMValueRef one = lgen_int(g, wide, 1), by, half;

	for (int i = 0; i < 4; i++)
		v[i] = LLVMBuildSExt(g->b, v[i], wide, "");
	by = LLVMBuildAdd(g->b, v[2], v[3], "");
	half = LLVMBuildShl(g->b, one, LLVMBuildSub(g->b, by, one, ""), "");
	v[0] = LLVMBuildMul(g->b, v[0], v[1], "");
	half = LLVMBuildAdd(g->b, v[0], half, "");
	half = LLVMBuildSelect(
		g->b,
		LLVMBuildICmp(g->b, LLVMIntSGT, by, LLVMConstNull(wide), ""),
		LLVMBuildAShr(g->b, half, by, ""), v[0], "");
	return LLVMBuildTrunc(g->b, LLVMBuildFreeze(g->b, half, ""),
			      lgen_type(g, e->dtype), "");
}

static LLVMValueRef
reinterpret(struct lgen *g, const tir_expr *e)
{
	struct dtype from = e->arg[0]->dtype, to = e->dtype;
	LLVMValueRef v = lgen_expr(g, e->arg[0]);

	if (dtype_is_float(from))
		v = lgen_to_memory(g, from, v);
	if (dtype_is_float(to)) {
		v = LLVMBuildBitCast(g->b, v, lgen_memory_type(g, to), "");
		return lgen_from_memory(g, to, v);
	}
	return LLVMBuildBitCast(g->b, v, lgen_type(g, to), "");
}

static bool
makes_integer(const tir_expr *e)
{
	return e->intrin == INTRIN_FLOOR || e->intrin == INTRIN_CEIL ||
	       e->intrin == INTRIN_ROUND || e->intrin == INTRIN_TRUNC ||
	       e->intrin == INTRIN_NEARBYINT;
}

LLVMValueRef
lgen_intrin(struct lgen *g, const tir_expr *e)
{
	bool exact = makes_integer(e);
	LLVMValueRef v[4] = {NULL};

	if (e->intrin == INTRIN_REINTERPRET)
		return reinterpret(g, e);
	g->exact += exact;
	for (uint32_t i = 0; i < e->n && i < 4; i++)
		v[i] = lgen_expr(g, e->arg[i]);
	g->exact -= exact;
	if (e->intrin == INTRIN_Q_MULTIPLY_SHIFT)
		return multiply_shift(g, e, v);
	if (e->intrin == INTRIN_FMA)
		return lgen_round_result(g, e->dtype,
					 lgen_fma(g, v[0], v[1], v[2]));
	if (e->n == 2)
		return intrinsic2(g, e, v[0], v[1]);
	if (dtype_is_float(e->arg[0]->dtype))
		return lgen_math(g, e->intrin, e->arg[0]->dtype, v[0]);
	return int_intrinsic(g, e, v[0]);
}
