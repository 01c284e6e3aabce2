/*
 * Functions of one float that the evaluator calls.
 *
 * float32 uses the float forms of libm, so results differ from compiled code
 * only in the last places; narrower types pass through float32.
 */
#include "te/eval_code.h"

#include <math.h>

/* id, function of double, function of float */
#define FUNCTIONS(F)                       \
	F(ACOS, acos, acosf)               \
	F(ACOSH, acosh, acoshf)            \
	F(ASIN, asin, asinf)               \
	F(ASINH, asinh, asinhf)            \
	F(ATAN, atan, atanf)               \
	F(ATANH, atanh, atanhf)            \
	F(COS, cos, cosf)                  \
	F(COSH, cosh, coshf)               \
	F(ERF, erf, erff)                  \
	F(EXP, exp, expf)                  \
	F(LOG, log, logf)                  \
	F(LOG10, log10, log10f)            \
	F(LOG2, log2, log2f)               \
	F(RSQRT, rsqrt, rsqrt_float)       \
	F(SIGMOID, sigmoid, sigmoid_float) \
	F(SIN, sin, sinf)                  \
	F(SINH, sinh, sinhf)               \
	F(TAN, tan, tanf)                  \
	F(TANH, tanh, tanhf)

enum {
#define ENTRY(id, f64, f32) FN_##id, FN_##id##_32,
	FUNCTIONS(ENTRY)
#undef ENTRY
};

static double
rsqrt(double x)
{
	return 1 / sqrt(x);
}

static float
rsqrt_float(float x)
{
	return 1 / sqrtf(x);
}

static double
sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

static float
sigmoid_float(float x)
{
	return 1 / (1 + expf(-x));
}

double
eval_call1(int64_t which, double x)
{
	switch (which) {
#define ENTRY(id, f64, f32)    \
	case FN_##id:          \
		return f64(x); \
	case FN_##id##_32:     \
		return f32((float)x);
		FUNCTIONS(ENTRY)
#undef ENTRY
	}
	return NAN;
}

int
eval_call1_number(enum tir_intrin f, unsigned bits)
{
	switch (f) {
#define ENTRY(id, f64, f32) \
	case INTRIN_##id:   \
		return bits == 64 ? FN_##id : FN_##id##_32;
		FUNCTIONS(ENTRY)
#undef ENTRY
	default:
		return -1;
	}
}
