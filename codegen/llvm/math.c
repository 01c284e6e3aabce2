/*
 * Functions of floats, emitted as arithmetic.
 *
 * exp, log, tanh, sigmoid and erf of float32 are polynomials, so they work on
 * vectors of any width and on every target without a library. Their
 * coefficients interpolate the function at Chebyshev nodes of the interval;
 * errors are a few units in the last place. float64, and functions that no
 * network spends its time in, are calls of the C library, lane by lane.
 */
#include "codegen/llvm/internal.h"

#include <math.h>

static const double exp_poly[] = {0.5, 0.1666657703, 0.04166655466,
				  0.008363173075, 0.001392617612};
static const double log_poly[] = {0.3333333118,  -0.2499999696, 0.2000071575,
				  -0.1666780232, 0.1424905765,  -0.1242568733,
				  0.1168541992,  -0.1147973385, 0.06971611471};
static const double tanh_poly[] = {-0.3333332894, 0.1333276974, -0.05385090958,
				   0.020997179, -0.006096714166};
static const double erf_poly[] = {
	1.128379166,    -0.3761262667,    0.1128359472,  -0.02685421201,
	0.005189087423, -0.0008016864287, 7.875875063e-5};
/* -log(1 - erf(t + 2.5)) */
static const double erfc_poly[] = {
	7.806815273,     5.352680674,     0.9438937036,
	0.01085854164,   -0.002165303549, 0.0004201225235,
	-7.729137615e-5, 1.33150144e-5,   -1.637151415e-6};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

LLVMValueRef
lgen_fma(struct lgen *g, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
	LLVMValueRef args[] = {a, b, c};

	return lgen_intrinsic(g, "llvm.fmuladd", LLVMTypeOf(a), args, 3);
}

static LLVMValueRef
number(LLVMValueRef like, double x)
{
	return lgen_float(LLVMTypeOf(like), x);
}

static LLVMValueRef
add(struct lgen *g, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildFAdd(g->b, a, b, "");
}

static LLVMValueRef
sub(struct lgen *g, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildFSub(g->b, a, b, "");
}

static LLVMValueRef
mul(struct lgen *g, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildFMul(g->b, a, b, "");
}

static LLVMValueRef
over(struct lgen *g, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildFDiv(g->b, a, b, "");
}

static LLVMValueRef
choose(struct lgen *g, LLVMRealPredicate p, LLVMValueRef a, LLVMValueRef b,
       LLVMValueRef yes, LLVMValueRef no)
{
	return LLVMBuildSelect(g->b, LLVMBuildFCmp(g->b, p, a, b, ""), yes, no,
			       "");
}

static LLVMValueRef
magnitude(struct lgen *g, LLVMValueRef x)
{
	return lgen_intrinsic1(g, "llvm.fabs", x);
}

static LLVMValueRef
with_sign(struct lgen *g, LLVMValueRef a, LLVMValueRef sign)
{
	LLVMValueRef args[] = {a, sign};

	return lgen_intrinsic(g, "llvm.copysign", LLVMTypeOf(a), args, 2);
}

/* c[0] + c[1] x + ... by Horner's rule. */
static LLVMValueRef
polynomial(struct lgen *g, LLVMValueRef x, const double *c, size_t n)
{
	LLVMValueRef r = number(x, c[n - 1]);

	for (size_t i = n - 1; i-- > 0;)
		r = lgen_fma(g, r, x, number(x, c[i]));
	return r;
}

static LLVMTypeRef
int_type(struct lgen *g, LLVMValueRef v)
{
	return lgen_with_lanes(g->i32, lgen_lanes(v));
}

/* 2 to the power of integer N in -126 ... 127. */
static LLVMValueRef
power_of_two(struct lgen *g, LLVMValueRef n, LLVMTypeRef float_type)
{
	LLVMTypeRef t = LLVMTypeOf(n);

	n = LLVMBuildAdd(g->b, n, lgen_int(g, t, 127), "");
	n = LLVMBuildShl(g->b, n, lgen_int(g, t, 23), "");
	return LLVMBuildBitCast(g->b, n, float_type, "");
}

/*
 * x = n ln 2 + r; the result is scaled twice, so that it may be subnormal or
 * infinite. The clamps let NaN through.
 */
static LLVMValueRef
exp_float(struct lgen *g, LLVMValueRef x)
{
	LLVMTypeRef t = LLVMTypeOf(x);
	LLVMValueRef n, r, y, i, half;

	x = choose(g, LLVMRealOGT, x, number(x, 89), number(x, 89), x);
	x = choose(g, LLVMRealOLT, x, number(x, -104.5), number(x, -104.5), x);
	n = lgen_intrinsic1(g, "llvm.rint",
			    mul(g, x, number(x, 1.44269504088896341)));
	r = lgen_fma(g, n, number(x, -0.693359375), x);
	r = lgen_fma(g, n, number(x, 2.12194440054690583e-4), r);
	y = polynomial(g, r, exp_poly, COUNT(exp_poly));
	y = lgen_fma(g, mul(g, r, r), y, r);
	y = add(g, y, number(x, 1));
	n = choose(g, LLVMRealUNO, n, n, number(x, 0), n);
	i = LLVMBuildFPToSI(g->b, n, int_type(g, x), "");
	half = LLVMBuildAShr(g->b, i, lgen_int(g, LLVMTypeOf(i), 1), "");
	y = mul(g, y, power_of_two(g, half, t));
	i = LLVMBuildSub(g->b, i, half, "");
	return mul(g, y, power_of_two(g, i, t));
}

/* x = 2^e m with m about 1; log x = e ln 2 + log m. */
static LLVMValueRef
log_float(struct lgen *g, LLVMValueRef x)
{
	LLVMTypeRef t = LLVMTypeOf(x), it = int_type(g, x);
	LLVMValueRef tiny =
		LLVMBuildFCmp(g->b, LLVMRealOLT, x, number(x, 0x1p-126), "");
	LLVMValueRef y = LLVMBuildSelect(g->b, tiny,
					 mul(g, x, number(x, 0x1p24)), x, "");
	LLVMValueRef u = LLVMBuildBitCast(g->b, y, it, ""), e, f, z, r;

	/* Offsets so that m lies between sqrt(1/2) and sqrt(2). */
	e = LLVMBuildAShr(
		g->b, LLVMBuildSub(g->b, u, lgen_int(g, it, 0x3f3504f3), ""),
		lgen_int(g, it, 23), "");
	u = LLVMBuildSub(g->b, u,
			 LLVMBuildShl(g->b, e, lgen_int(g, it, 23), ""), "");
	f = sub(g, LLVMBuildBitCast(g->b, u, t, ""), number(x, 1));
	e = LLVMBuildSIToFP(g->b, e, t, "");
	e = LLVMBuildSelect(g->b, tiny, sub(g, e, number(x, 24)), e, "");
	z = mul(g, f, f);
	r = mul(g, polynomial(g, f, log_poly, COUNT(log_poly)), mul(g, f, z));
	r = lgen_fma(g, e, number(x, -2.12194440054690583e-4), r);
	r = lgen_fma(g, z, number(x, -0.5), r);
	r = add(g, r, f);
	r = lgen_fma(g, e, number(x, 0.693359375), r);
	r = choose(g, LLVMRealOEQ, x, number(x, INFINITY), x, r);
	r = choose(g, LLVMRealOEQ, x, number(x, 0), number(x, -INFINITY), r);
	r = choose(g, LLVMRealOLT, x, number(x, 0), number(x, NAN), r);
	return choose(g, LLVMRealUNO, x, x, x, r);
}

static LLVMValueRef
sigmoid(struct lgen *g, LLVMValueRef e)
{
	return over(g, number(e, 1), add(g, e, number(e, 1)));
}

static LLVMValueRef
tanh_float(struct lgen *g, LLVMValueRef x)
{
	LLVMValueRef a = magnitude(g, x), z = mul(g, x, x), small, big;

	small = mul(g, mul(g, polynomial(g, z, tanh_poly, COUNT(tanh_poly)), z),
		    x);
	small = add(g, small, x);
	big = exp_float(g, add(g, a, a));
	big = sub(g, number(x, 1),
		  over(g, number(x, 2), add(g, big, number(x, 1))));
	big = with_sign(g, big, x);
	return choose(g, LLVMRealOGT, a, number(x, 0.625), big, small);
}

static LLVMValueRef
erf_float(struct lgen *g, LLVMValueRef x)
{
	LLVMValueRef a = magnitude(g, x), small, big, c;

	small = mul(g, polynomial(g, mul(g, x, x), erf_poly, COUNT(erf_poly)),
		    x);
	c = choose(g, LLVMRealOGT, a, number(x, 4), number(x, 4), a);
	big = polynomial(g, sub(g, c, number(x, 2.5)), erfc_poly,
			 COUNT(erfc_poly));
	big = sub(g, number(x, 1), exp_float(g, LLVMBuildFNeg(g->b, big, "")));
	big = with_sign(g, big, x);
	return choose(g, LLVMRealOGT, a, number(x, 1), big, small);
}

/* What the C library calls F, or NULL. */
static const char *
libm_name(enum tir_intrin f, bool is_double)
{
#define ROW(id, name)     \
	case INTRIN_##id: \
		return is_double ? name : name "f";
	switch (f) {
		ROW(ACOS, "acos")
		ROW(ACOSH, "acosh")
		ROW(ASIN, "asin")
		ROW(ASINH, "asinh")
		ROW(ATAN, "atan")
		ROW(ATANH, "atanh")
		ROW(COS, "cos")
		ROW(COSH, "cosh")
		ROW(ERF, "erf")
		ROW(EXP, "exp")
		ROW(LOG, "log")
		ROW(LOG10, "log10")
		ROW(LOG2, "log2")
		ROW(SIN, "sin")
		ROW(SINH, "sinh")
		ROW(TAN, "tan")
		ROW(TANH, "tanh")
	default:
		return NULL;
	}
#undef ROW
}

/* The intrinsic of LLVM that is F, or NULL. */
static const char *
intrinsic_name(enum tir_intrin f)
{
	switch (f) {
	case INTRIN_ABS:
		return "llvm.fabs";
	case INTRIN_CEIL:
		return "llvm.ceil";
	case INTRIN_FLOOR:
		return "llvm.floor";
	case INTRIN_NEARBYINT:
		return "llvm.nearbyint";
	case INTRIN_SQRT:
		return "llvm.sqrt";
	case INTRIN_TRUNC:
		return "llvm.trunc";
	default:
		return NULL;
	}
}

/* Half away from zero: exact, since x - trunc(x) is. */
static LLVMValueRef
round_away(struct lgen *g, LLVMValueRef x)
{
	LLVMValueRef t = lgen_intrinsic1(g, "llvm.trunc", x);
	LLVMValueRef rest = magnitude(g, sub(g, x, t));
	LLVMValueRef one = with_sign(g, number(x, 1), x);

	return choose(g, LLVMRealOGE, rest, number(x, 0.5), add(g, t, one), t);
}

static LLVMValueRef
classify(struct lgen *g, enum tir_intrin f, LLVMValueRef x)
{
	if (f == INTRIN_ISNAN)
		return LLVMBuildFCmp(g->b, LLVMRealUNO, x, x, "");
	return LLVMBuildFCmp(g->b,
			     f == INTRIN_ISINF ? LLVMRealOEQ : LLVMRealONE,
			     magnitude(g, x), number(x, INFINITY), "");
}

static LLVMValueRef
float_function(struct lgen *g, enum tir_intrin f, LLVMValueRef x)
{
	switch (f) {
	case INTRIN_EXP:
		return exp_float(g, x);
	case INTRIN_LOG:
		return log_float(g, x);
	case INTRIN_TANH:
		return tanh_float(g, x);
	case INTRIN_ERF:
		return erf_float(g, x);
	case INTRIN_SIGMOID:
		return sigmoid(g, exp_float(g, LLVMBuildFNeg(g->b, x, "")));
	default:
		return NULL;
	}
}

LLVMValueRef
lgen_math(struct lgen *g, enum tir_intrin f, struct dtype t, LLVMValueRef a)
{
	const char *name = intrinsic_name(f);
	bool is_double = t.bits == 64;
	LLVMValueRef r = NULL;

	if (f == INTRIN_ISNAN || f == INTRIN_ISINF || f == INTRIN_ISFINITE)
		return classify(g, f, a);
	if (name)
		return lgen_round_result(g, t, lgen_intrinsic1(g, name, a));
	if (f == INTRIN_ROUND)
		return round_away(g, a);
	if (f == INTRIN_RSQRT)
		r = over(g, number(a, 1), lgen_intrinsic1(g, "llvm.sqrt", a));
	else if (!is_double)
		r = float_function(g, f, a);
	else if (f == INTRIN_SIGMOID)
		r = sigmoid(g, lgen_libm(g, "exp", LLVMBuildFNeg(g->b, a, ""),
					 NULL));
	if (!r) {
		name = libm_name(f, is_double);
		if (!name) {
			lgen_fail(g, "'%s' of a float",
				  tir_intrin_info[f].name);
			return a;
		}
		r = lgen_libm(g, name, a, NULL);
	}
	return lgen_round_result(g, t, r);
}
