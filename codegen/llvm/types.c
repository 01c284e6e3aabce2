/*
 * Types, constants, and the way between values and memory.
 */
#include "codegen/llvm/internal.h"

#include <string.h>

LLVMTypeRef
lgen_with_lanes(LLVMTypeRef scalar, unsigned lanes)
{
	return lanes > 1 ? LLVMVectorType(scalar, lanes) : scalar;
}

static bool
is_narrow_float(struct dtype t)
{
	return t.code == DTYPE_BFLOAT ||
	       (t.code == DTYPE_FLOAT && t.bits == 16);
}

static LLVMTypeRef
scalar_type(struct lgen *g, struct dtype t)
{
	switch (t.code) {
	case DTYPE_INT:
	case DTYPE_UINT:
		return LLVMIntTypeInContext(g->cx, t.bits);
	case DTYPE_BFLOAT:
		return g->f32;
	case DTYPE_FLOAT:
		if (t.bits == 64)
			return g->f64;
		if (t.bits == 32 || t.bits == 16)
			return g->f32;
		break;
	case DTYPE_HANDLE:
		return g->ptr;
	default:
		break;
	}
	lgen_fail(g, "this element type");
	return g->i32;
}

LLVMTypeRef
lgen_type(struct lgen *g, struct dtype t)
{
	return lgen_with_lanes(scalar_type(g, t), t.lanes);
}

LLVMTypeRef
lgen_memory_type(struct lgen *g, struct dtype t)
{
	if (is_narrow_float(t))
		return lgen_with_lanes(g->i16, t.lanes);
	if ((t.code == DTYPE_INT || t.code == DTYPE_UINT) && t.bits % 8)
		return lgen_with_lanes(
			LLVMIntTypeInContext(g->cx, (t.bits + 7u) / 8 * 8),
			t.lanes);
	return lgen_type(g, t);
}

unsigned
lgen_lanes(LLVMValueRef v)
{
	LLVMTypeRef t = LLVMTypeOf(v);

	return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t)
							: 1;
}

static LLVMTypeRef
element(LLVMTypeRef t)
{
	return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t)
							: t;
}

static LLVMValueRef
constant_splat(LLVMTypeRef t, LLVMValueRef c)
{
	LLVMValueRef lanes[1024];
	unsigned n = LLVMGetVectorSize(t);

	for (unsigned i = 0; i < n && i < 1024; i++)
		lanes[i] = c;
	return LLVMConstVector(lanes, n < 1024 ? n : 1024);
}

LLVMValueRef
lgen_int(struct lgen *g, LLVMTypeRef t, int64_t value)
{
	LLVMValueRef c = LLVMConstInt(element(t), (uint64_t)value, true);

	(void)g;
	return element(t) == t ? c : constant_splat(t, c);
}

LLVMValueRef
lgen_float(LLVMTypeRef t, double value)
{
	LLVMValueRef c = LLVMConstReal(element(t), value);

	return element(t) == t ? c : constant_splat(t, c);
}

LLVMValueRef
lgen_splat(struct lgen *g, LLVMValueRef v, unsigned lanes)
{
	LLVMTypeRef t = LLVMTypeOf(v);
	LLVMTypeRef vt = lgen_with_lanes(t, lanes);
	LLVMValueRef one;

	if (lanes == 1 || LLVMGetTypeKind(t) == LLVMVectorTypeKind)
		return v;
	if (LLVMIsConstant(v) && lanes <= 1024)
		return constant_splat(vt, v);
	one = LLVMBuildInsertElement(g->b, LLVMGetPoison(vt), v,
				     LLVMConstInt(g->i32, 0, false), "");
	return LLVMBuildShuffleVector(
		g->b, one, LLVMGetPoison(vt),
		LLVMConstNull(LLVMVectorType(g->i32, lanes)), "");
}

LLVMValueRef
lgen_intrinsic(struct lgen *g, const char *name, LLVMTypeRef over,
	       LLVMValueRef *args, unsigned n)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMValueRef fn = LLVMGetIntrinsicDeclaration(g->mod, id, &over, 1);
	LLVMTypeRef t = LLVMIntrinsicGetType(g->cx, id, &over, 1);

	return LLVMBuildCall2(g->b, t, fn, args, n, "");
}

LLVMValueRef
lgen_intrinsic1(struct lgen *g, const char *name, LLVMValueRef a)
{
	return lgen_intrinsic(g, name, LLVMTypeOf(a), &a, 1);
}

static LLVMValueRef
lane(struct lgen *g, LLVMValueRef v, unsigned i)
{
	return LLVMBuildExtractElement(g->b, v, LLVMConstInt(g->i32, i, false),
				       "");
}

LLVMValueRef
lgen_libm(struct lgen *g, const char *fn, LLVMValueRef a, LLVMValueRef b)
{
	LLVMTypeRef t = element(LLVMTypeOf(a)), params[] = {t, t};
	LLVMTypeRef ft = LLVMFunctionType(t, params, b ? 2 : 1, false);
	LLVMValueRef f = LLVMGetNamedFunction(g->mod, fn), out;
	unsigned n = lgen_lanes(a);

	if (!f)
		f = LLVMAddFunction(g->mod, fn, ft);
	if (n == 1) {
		LLVMValueRef args[] = {a, b};

		return LLVMBuildCall2(g->b, ft, f, args, b ? 2 : 1, "");
	}
	out = LLVMGetPoison(LLVMTypeOf(a));
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef args[] = {lane(g, a, i), b ? lane(g, b, i) : NULL};
		LLVMValueRef v =
			LLVMBuildCall2(g->b, ft, f, args, b ? 2 : 1, "");

		out = LLVMBuildInsertElement(
			g->b, out, v, LLVMConstInt(g->i32, i, false), "");
	}
	return out;
}

static LLVMValueRef
shift_right(struct lgen *g, LLVMValueRef v, int n)
{
	return LLVMBuildLShr(g->b, v, lgen_int(g, LLVMTypeOf(v), n), "");
}

static LLVMValueRef
shift_left(struct lgen *g, LLVMValueRef v, int n)
{
	return LLVMBuildShl(g->b, v, lgen_int(g, LLVMTypeOf(v), n), "");
}

static LLVMValueRef
bits_of(struct lgen *g, LLVMValueRef v)
{
	return LLVMBuildBitCast(g->b, v, lgen_with_lanes(g->i32, lgen_lanes(v)),
				"");
}

static LLVMValueRef
float_of(struct lgen *g, LLVMValueRef v)
{
	return LLVMBuildBitCast(g->b, v, lgen_with_lanes(g->f32, lgen_lanes(v)),
				"");
}

static LLVMValueRef
and_mask(struct lgen *g, LLVMValueRef v, int64_t mask)
{
	return LLVMBuildAnd(g->b, v, lgen_int(g, LLVMTypeOf(v), mask), "");
}

static LLVMValueRef
plus(struct lgen *g, LLVMValueRef v, int64_t n)
{
	return LLVMBuildAdd(g->b, v, lgen_int(g, LLVMTypeOf(v), n), "");
}

/*
 * The float nearest to V but with the last bit set when inexact. Rounding
 * that once more to half gives what rounding V at once gives.
 */
static LLVMValueRef
double_to_odd_float(struct lgen *g, LLVMValueRef v)
{
	LLVMTypeRef t = lgen_with_lanes(g->f32, lgen_lanes(v));
	LLVMValueRef r = LLVMBuildFPTrunc(g->b, v, t, "");
	LLVMValueRef back = LLVMBuildFPExt(g->b, r, LLVMTypeOf(v), "");
	LLVMValueRef inexact = LLVMBuildFCmp(g->b, LLVMRealONE, back, v, "");
	LLVMValueRef away = LLVMBuildFCmp(
		g->b, LLVMRealOGT, lgen_intrinsic1(g, "llvm.fabs", back),
		lgen_intrinsic1(g, "llvm.fabs", v), "");
	LLVMValueRef bits = bits_of(g, r), down;

	down = LLVMBuildSelect(g->b, away, plus(g, bits, -1), bits, "");
	down = LLVMBuildOr(g->b, down, lgen_int(g, LLVMTypeOf(down), 1), "");
	return float_of(g, LLVMBuildSelect(g->b, inexact, down, bits, ""));
}

/* The bits of the half nearest to float V, as i16. */
static LLVMValueRef
float_to_half_bits(struct lgen *g, LLVMValueRef v)
{
	unsigned n = lgen_lanes(v);
	LLVMTypeRef i16 = lgen_with_lanes(g->i16, n);
	LLVMTypeRef i32 = lgen_with_lanes(g->i32, n);
	LLVMValueRef u, sign, a, normal, tiny, r;

	if (g->has_half) {
		LLVMTypeRef h =
			lgen_with_lanes(LLVMHalfTypeInContext(g->cx), n);

		return LLVMBuildBitCast(g->b, LLVMBuildFPTrunc(g->b, v, h, ""),
					i16, "");
	}
	u = bits_of(g, v);
	sign = and_mask(g, shift_right(g, u, 16), 0x8000);
	a = and_mask(g, u, 0x7fffffff);
	normal = LLVMBuildAdd(g->b, plus(g, a, 0xfff - 0x38000000),
			      and_mask(g, shift_right(g, a, 13), 1), "");
	normal = shift_right(g, normal, 13);
	tiny = LLVMBuildFAdd(g->b, float_of(g, a),
			     lgen_float(lgen_with_lanes(g->f32, n), 0.5), "");
	tiny = plus(g, bits_of(g, tiny), -0x3f000000);
	r = LLVMBuildSelect(g->b,
			    LLVMBuildICmp(g->b, LLVMIntULT, a,
					  lgen_int(g, i32, 0x38800000), ""),
			    tiny, normal, "");
	r = LLVMBuildSelect(g->b,
			    LLVMBuildICmp(g->b, LLVMIntUGE, a,
					  lgen_int(g, i32, 0x477ff000), ""),
			    lgen_int(g, i32, 0x7c00), r, "");
	r = LLVMBuildSelect(g->b,
			    LLVMBuildICmp(g->b, LLVMIntUGT, a,
					  lgen_int(g, i32, 0x7f800000), ""),
			    lgen_int(g, i32, 0x7e00), r, "");
	return LLVMBuildTrunc(g->b, LLVMBuildOr(g->b, r, sign, ""), i16, "");
}

static LLVMValueRef
half_bits_to_float(struct lgen *g, LLVMValueRef h)
{
	unsigned n = lgen_lanes(h);
	LLVMTypeRef i32 = lgen_with_lanes(g->i32, n);
	LLVMTypeRef f32 = lgen_with_lanes(g->f32, n);
	LLVMValueRef u, sign, a, big, r;

	if (g->has_half) {
		LLVMTypeRef t =
			lgen_with_lanes(LLVMHalfTypeInContext(g->cx), n);

		return LLVMBuildFPExt(g->b, LLVMBuildBitCast(g->b, h, t, ""),
				      f32, "");
	}
	u = LLVMBuildZExt(g->b, h, i32, "");
	sign = shift_left(g, and_mask(g, u, 0x8000), 16);
	a = and_mask(g, u, 0x7fff);
	/* A float with the half's exponent, scaled: right for tiny ones too. */
	r = LLVMBuildFMul(g->b, float_of(g, shift_left(g, a, 13)),
			  lgen_float(f32, 0x1p112), "");
	big = LLVMBuildICmp(g->b, LLVMIntUGE, a, lgen_int(g, i32, 0x7c00), "");
	u = LLVMBuildOr(g->b, shift_left(g, a, 13),
			lgen_int(g, i32, 0x7f800000), "");
	u = LLVMBuildSelect(g->b, big, u, bits_of(g, r), "");
	return float_of(g, LLVMBuildOr(g->b, u, sign, ""));
}

/* The bits of the bfloat nearest to float V, in the upper half of an i32. */
static LLVMValueRef
float_to_bfloat_word(struct lgen *g, LLVMValueRef v)
{
	LLVMValueRef u = bits_of(g, v), r;
	LLVMTypeRef i32 = LLVMTypeOf(u);
	LLVMValueRef nan = LLVMBuildFCmp(g->b, LLVMRealUNO, v, v, "");

	r = LLVMBuildAdd(g->b, plus(g, u, 0x7fff),
			 and_mask(g, shift_right(g, u, 16), 1), "");
	u = LLVMBuildOr(g->b, u, lgen_int(g, i32, 0x400000), "");
	return and_mask(g, LLVMBuildSelect(g->b, nan, u, r, ""),
			(int64_t)0xffff0000);
}

static bool
is_double(LLVMValueRef v)
{
	return LLVMGetTypeKind(element(LLVMTypeOf(v))) == LLVMDoubleTypeKind;
}

LLVMValueRef
lgen_round_to(struct lgen *g, struct dtype t, LLVMValueRef v)
{
	if (!is_narrow_float(t)) {
		if (t.bits == 32 && is_double(v))
			return LLVMBuildFPTrunc(
				g->b, v, lgen_with_lanes(g->f32, lgen_lanes(v)),
				"");
		return v;
	}
	if (is_double(v))
		v = double_to_odd_float(g, v);
	if (t.code == DTYPE_BFLOAT)
		return float_of(g, float_to_bfloat_word(g, v));
	return half_bits_to_float(g, float_to_half_bits(g, v));
}

LLVMValueRef
lgen_round_result(struct lgen *g, struct dtype t, LLVMValueRef v)
{
	return t.code == DTYPE_BFLOAT ? v : lgen_round_to(g, t, v);
}

LLVMValueRef
lgen_from_memory(struct lgen *g, struct dtype t, LLVMValueRef v)
{
	unsigned n = lgen_lanes(v);

	if (t.code == DTYPE_FLOAT && t.bits == 16)
		return half_bits_to_float(g, v);
	if (t.code == DTYPE_BFLOAT) {
		v = LLVMBuildZExt(g->b, v, lgen_with_lanes(g->i32, n), "");
		return float_of(g, shift_left(g, v, 16));
	}
	if (dtype_is_bool(t))
		return LLVMBuildICmp(g->b, LLVMIntNE, v,
				     LLVMConstNull(LLVMTypeOf(v)), "");
	if ((t.code == DTYPE_INT || t.code == DTYPE_UINT) && t.bits % 8)
		return LLVMBuildTrunc(
			g->b, v,
			lgen_with_lanes(LLVMIntTypeInContext(g->cx, t.bits), n),
			"");
	return v;
}

LLVMValueRef
lgen_to_memory(struct lgen *g, struct dtype t, LLVMValueRef v)
{
	unsigned n = lgen_lanes(v);

	if (t.code == DTYPE_FLOAT && t.bits == 16)
		return float_to_half_bits(g, v);
	if (t.code == DTYPE_BFLOAT) {
		v = shift_right(g, float_to_bfloat_word(g, v), 16);
		return LLVMBuildTrunc(g->b, v, lgen_with_lanes(g->i16, n), "");
	}
	if ((t.code == DTYPE_INT || t.code == DTYPE_UINT) && t.bits % 8) {
		LLVMTypeRef m = lgen_with_lanes(
			LLVMIntTypeInContext(g->cx, (t.bits + 7u) / 8 * 8), n);

		return t.code == DTYPE_INT ? LLVMBuildSExt(g->b, v, m, "")
					   : LLVMBuildZExt(g->b, v, m, "");
	}
	return v;
}
