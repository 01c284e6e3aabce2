/*
 * Vector instructions: fills, arithmetic, comparisons, conversions, functions.
 *
 * Only those overloads exist that the modelled architecture has, so that a
 * call of another does not compile, as with the real compiler. Sums and
 * products of halves are computed in float and rounded once.
 */
#ifndef BANG_EMU_VECTOR_H
#define BANG_EMU_VECTOR_H

#include "copies.h"

#include <limits>

typedef _Float16 half;
typedef int8_t int8;
typedef int16_t int16;

#define MAX_HALF_VALUE 65504
#define MIN_HALF_VALUE -65504

namespace bang_emu
{

/* Address, count and hazards of an operand of N elements. */
template <class T>
void
check_operand(const char *what, const T *p, int64_t n, bool write)
{
	int64_t bytes = n * (int64_t)sizeof(T);

	if (n <= 0)
		trap(what, "%lld elements", (long long)n);
	if ((uintptr_t)p % sizeof(T) != 0)
		trap(what, "address is not a multiple of the element size");
	if (BANG_EMU_ARCH < 300 && (uintptr_t)p % 64 != 0)
		trap(what, "address is not a multiple of 64");
	if (BANG_EMU_ARCH < 300 && bytes % (int64_t)BYTES_AT_ONCE != 0)
		trap(what, "%lld bytes; this architecture works on multiples "
			   "of 128",
		     (long long)bytes);
	check_place(what, NRAM, p, bytes);
	check_settled(what, p, bytes, write);
}

template <class T>
void
finish(const char *what, T *p, int64_t n, bool written)
{
	mark_written(NRAM, p, n * (int64_t)sizeof(T), written);
	note_computed(self(what), p, n * (int64_t)sizeof(T));
	count.vector += (uint64_t)n;
}

/* N bytes at A and M at B share bytes. */
inline bool
overlap(const void *a, int64_t n, const void *b, int64_t m)
{
	return (const char *)a < (const char *)b + m &&
	       (const char *)b < (const char *)a + n;
}

enum aliasing { IN_PLACE, APART };

template <class T, class U>
void
check_apart(const char *what, const T *d, int64_t n, const U *s, int64_t m,
	    aliasing how)
{
	if (how == IN_PLACE && (const void *)d == (const void *)s)
		return;
	if (overlap(d, n * (int64_t)sizeof(T), s, m * (int64_t)sizeof(U)))
		trap(what, "source and destination overlap");
}

template <class T>
bool
written_at(const T *p, int64_t i)
{
	return is_written(NRAM, p + i, sizeof(T));
}

/* Elements I of D were computed from bytes that nobody wrote. */
template <class T>
void
spoil(T *d, const std::vector<int64_t> &junk)
{
	for (int64_t i : junk) {
		memset((void *)(d + i), POISON, sizeof(T));
		mark_written(NRAM, d + i, sizeof(T), false);
	}
}

/* D[i] = OP(A[i], B[i % BN]) */
template <class D, class A, class B, class F>
void
zip(const char *what, D *d, const A *a, int64_t n, const B *b, int64_t bn,
    F op, aliasing with_a, aliasing with_b)
{
	std::vector<int64_t> junk;

	check_operand(what, a, n, false);
	check_operand(what, b, bn, false);
	check_operand(what, d, n, true);
	check_apart(what, d, n, a, n, with_a);
	check_apart(what, d, n, b, bn, with_b);
	if (!is_written(NRAM, a, n * (int64_t)sizeof(A)) ||
	    !is_written(NRAM, b, bn * (int64_t)sizeof(B)))
		for (int64_t i = 0; i < n; i++)
			if (!written_at(a, i) || !written_at(b, i % bn))
				junk.push_back(i);
	if (bn == n)
		for (int64_t i = 0; i < n; i++)
			d[i] = op(a[i], b[i]);
	else
		for (int64_t i = 0; i < n; i++)
			d[i] = op(a[i], b[i % bn]);
	finish(what, d, n, true);
	spoil(d, junk);
}

/* D[i] = OP(A[i]) */
template <class D, class A, class F>
void
each(const char *what, D *d, const A *a, int64_t n, F op,
     aliasing how = IN_PLACE)
{
	std::vector<int64_t> junk;

	check_operand(what, a, n, false);
	check_operand(what, d, n, true);
	check_apart(what, d, n, a, n, how);
	if (!is_written(NRAM, a, n * (int64_t)sizeof(A)))
		for (int64_t i = 0; i < n; i++)
			if (!written_at(a, i))
				junk.push_back(i);
	for (int64_t i = 0; i < n; i++)
		d[i] = op(a[i]);
	finish(what, d, n, true);
	spoil(d, junk);
}

/*
 * The same where elements of D are larger: A may lie in the end of D. What
 * is read is copied first.
 */
template <class D, class A, class F>
void
widen(const char *what, D *d, const A *a, int64_t n, F op)
{
	std::vector<A> source(a, a + n);
	std::vector<int64_t> junk;
	int64_t gap = n * (int64_t)(sizeof(D) - sizeof(A));

	check_operand(what, a, n, false);
	check_operand(what, d, n, true);
	if (overlap(d, n * (int64_t)sizeof(D), a, n * (int64_t)sizeof(A)) &&
	    (const char *)a < (const char *)d + gap)
		trap(what, "source must lie in the end of the destination, "
			   "or apart");
	for (int64_t i = 0; i < n; i++)
		if (!written_at(a, i))
			junk.push_back(i);
	for (int64_t i = 0; i < n; i++)
		d[i] = op(source[(size_t)i]);
	finish(what, d, n, true);
	spoil(d, junk);
}

} // namespace bang_emu

/* -------------------------------------------------------------- fills -- */

template <class T>
void
__bang_write_value(void *dst, int n, T value)
{
	T *d = (T *)dst;

	bang_emu::check_operand("__bang_write_value", d, n, true);
	std::fill(d, d + n, value);
	bang_emu::finish("__bang_write_value", d, n, true);
}

/* --------------------------------------------------------- arithmetic -- */

#define BANG_EMU_BINARY(name, T, formula, with_a, with_b)                   \
	inline void __bang_##name(T *d, T *a, T *b, int n)                  \
	{                                                                   \
		bang_emu::zip("__bang_" #name, d, a, n, b, n,               \
			      [](T x, T y) -> T { return (T)(formula); },   \
			      bang_emu::with_a, bang_emu::with_b);          \
	}
#define BANG_EMU_SCALAR(name, T, formula)                                   \
	inline void __bang_##name(T *d, T *a, T y, int n)                   \
	{                                                                   \
		bang_emu::each("__bang_" #name, d, a, n,                    \
			       [y](T x) -> T { return (T)(formula); });     \
	}
#define BANG_EMU_CYCLE(name, T, formula)                                    \
	inline void __bang_cycle_##name(T *d, T *a, T *b, int n, int bn)    \
	{                                                                   \
		if (bn <= 0 || n % bn != 0)                                 \
			bang_emu::trap("__bang_cycle_" #name,               \
				       "%d elements are no multiple of %d", \
				       n, bn);                              \
		bang_emu::zip("__bang_cycle_" #name, d, a, n, b, bn,        \
			      [](T x, T y) -> T { return (T)(formula); },   \
			      bang_emu::IN_PLACE, bang_emu::APART);         \
	}
#define BANG_EMU_UNARY(name, T, formula)                                    \
	inline void __bang_##name(T *d, T *a, int n)                        \
	{                                                                   \
		bang_emu::each("__bang_" #name, d, a, n,                    \
			       [](T x) -> T { return (T)(formula); });      \
	}
#define BANG_EMU_UNARY_APART(name, T, formula)                              \
	inline void __bang_##name(T *d, T *a, int n)                        \
	{                                                                   \
		bang_emu::each(                                             \
			"__bang_" #name, d, a, n,                           \
			[](T x) -> T { return (T)(formula); },              \
			bang_emu::APART);                                   \
	}
/* All three forms of an operation on floats and halves. */
#define BANG_EMU_FORMS(name, formula)                     \
	BANG_EMU_BINARY(name, float, formula, IN_PLACE, IN_PLACE) \
	BANG_EMU_BINARY(name, half, formula, IN_PLACE, IN_PLACE)  \
	BANG_EMU_SCALAR(name##_scalar, float, formula)    \
	BANG_EMU_SCALAR(name##_scalar, half, formula)     \
	BANG_EMU_CYCLE(name, float, formula)              \
	BANG_EMU_CYCLE(name, half, formula)

BANG_EMU_FORMS(add, (float)x + (float)y)
BANG_EMU_FORMS(sub, (float)x - (float)y)
BANG_EMU_FORMS(mul, (float)x *(float)y)
BANG_EMU_FORMS(eq, x == y)
BANG_EMU_FORMS(ne, x != y)
BANG_EMU_FORMS(gt, x > y)
BANG_EMU_FORMS(ge, x >= y)
BANG_EMU_FORMS(lt, x < y)
BANG_EMU_FORMS(le, x <= y)
BANG_EMU_FORMS(and, x != 0 && y != 0)
BANG_EMU_FORMS(or, x != 0 || y != 0)
BANG_EMU_FORMS(xor, (x != 0) != (y != 0))
BANG_EMU_UNARY(not, float, x == 0)
BANG_EMU_UNARY(not, half, x == 0)
BANG_EMU_BINARY(maxequal, float, x > y ? x : y, IN_PLACE, APART)
BANG_EMU_BINARY(maxequal, half, x > y ? x : y, IN_PLACE, APART)
BANG_EMU_BINARY(minequal, float, x < y ? x : y, IN_PLACE, APART)
BANG_EMU_BINARY(minequal, half, x < y ? x : y, IN_PLACE, APART)
BANG_EMU_CYCLE(maxequal, float, x > y ? x : y)
BANG_EMU_CYCLE(maxequal, half, x > y ? x : y)
BANG_EMU_CYCLE(minequal, float, x < y ? x : y)
BANG_EMU_CYCLE(minequal, half, x < y ? x : y)
BANG_EMU_UNARY(square, float, x *x)
BANG_EMU_UNARY(square, half, (float)x *(float)x)
BANG_EMU_UNARY(active_relu, float, x > 0 ? x : 0)
BANG_EMU_UNARY(active_relu, half, x > 0 ? x : (half)0)
BANG_EMU_UNARY(active_abs, float, fabsf(x))
BANG_EMU_UNARY(active_abs, half, fabsf((float)x))

#if BANG_EMU_ARCH >= 300
BANG_EMU_BINARY(add, int, (int)((unsigned)x + (unsigned)y), IN_PLACE, IN_PLACE)
BANG_EMU_BINARY(sub, int, (int)((unsigned)x - (unsigned)y), IN_PLACE, IN_PLACE)
BANG_EMU_BINARY(mul, int, (int)((unsigned)x *(unsigned)y), IN_PLACE, IN_PLACE)
BANG_EMU_SCALAR(add_scalar, int, (int)((unsigned)x + (unsigned)y))
BANG_EMU_SCALAR(sub_scalar, int, (int)((unsigned)x - (unsigned)y))
BANG_EMU_SCALAR(mul_scalar, int, (int)((unsigned)x *(unsigned)y))
BANG_EMU_BINARY(nan_maximum, float, x > y || x != x ? x : y, IN_PLACE, IN_PLACE)
BANG_EMU_BINARY(nan_maximum, half, x > y || x != x ? x : y, IN_PLACE, IN_PLACE)
BANG_EMU_BINARY(nan_minimum, float, x < y || x != x ? x : y, IN_PLACE, IN_PLACE)
BANG_EMU_BINARY(nan_minimum, half, x < y || x != x ? x : y, IN_PLACE, IN_PLACE)
BANG_EMU_SCALAR(maxeq_scalar, float, x > y ? x : y)
BANG_EMU_SCALAR(maxeq_scalar, half, x > y ? x : y)
BANG_EMU_SCALAR(mineq_scalar, float, x < y ? x : y)
BANG_EMU_SCALAR(mineq_scalar, half, x < y ? x : y)
BANG_EMU_UNARY(abs, float, fabsf(x))
BANG_EMU_UNARY(abs, half, fabsf((float)x))
BANG_EMU_UNARY(neg, float, -x)
BANG_EMU_UNARY(neg, half, -x)
BANG_EMU_UNARY(recip, float, 1 / x)
BANG_EMU_UNARY(rsqrt, float, 1 / sqrtf(x))
BANG_EMU_UNARY(sqrt, float, sqrtf(x))
BANG_EMU_UNARY(pow2, float, exp2f(x))
BANG_EMU_UNARY(log2, float, log2f(x))
BANG_EMU_UNARY(sin, float, sinf(x))
BANG_EMU_UNARY(cos, float, cosf(x))
BANG_EMU_UNARY_APART(floor, float, floorf(x))
BANG_EMU_UNARY_APART(round, float, roundf(x))

/* What the instruction leaves in its second source is not defined. */
#define BANG_EMU_CLOBBERING(name, T, formula)                               \
	inline void __bang_##name(T *d, T *a, T *b, int n)                  \
	{                                                                   \
		bang_emu::zip("__bang_" #name, d, a, n, b, n,               \
			      [](T x, T y) -> T { return (T)(formula); },   \
			      bang_emu::APART, bang_emu::APART);            \
		if (BANG_EMU_ARCH == 372)                                   \
			memset((void *)b, bang_emu::POISON,                 \
			       (size_t)n * sizeof(T));                      \
	}
BANG_EMU_CLOBBERING(maximum, float, fmaxf(x, y))
BANG_EMU_CLOBBERING(minimum, float, fminf(x, y))
#endif

#if BANG_EMU_ARCH >= 300 && BANG_EMU_ARCH != 372
BANG_EMU_BINARY(div, float, x / y, IN_PLACE, IN_PLACE)
BANG_EMU_BINARY(div, half, (float)x / (float)y, IN_PLACE, IN_PLACE)
#endif

/* --------------------------------------------------------- activations -- */

/* Tables of few digits: the result has no more. Where none is: poison. */
namespace bang_emu
{

inline float
rough(float exact, float x, float low, float high)
{
	uint32_t bits;

	if (!(x >= low && x <= high))
		return NAN;
	memcpy(&bits, &exact, sizeof(bits));
	bits &= ~(uint32_t)0xffff;
	memcpy(&exact, &bits, sizeof(bits));
	return exact;
}

} // namespace bang_emu

BANG_EMU_UNARY(active_exp, float,
	       bang_emu::rough(expf(x), x, -3.4e38f, 10.25f))
BANG_EMU_UNARY(active_exphp, float, bang_emu::rough(expf(x), x, -3.4e38f, 16))
BANG_EMU_UNARY(active_loghp, float,
	       bang_emu::rough(logf(x), x, 7.2e-9f, 507903))
BANG_EMU_UNARY(active_sqrthp, float, bang_emu::rough(sqrtf(x), x, 0, 677268))
BANG_EMU_UNARY(active_reciphp, float,
	       bang_emu::rough(1 / x, x, 0.00391f, 2e6f))
BANG_EMU_UNARY(active_sigmoid, float,
	       bang_emu::rough(1 / (1 + expf(-x)), x, -3.4e38f, 3.4e38f))
BANG_EMU_UNARY(active_tanh, float,
	       bang_emu::rough(tanhf(x), x, -3.4e38f, 3.4e38f))

/* ---------------------------------------------------------- libdevice -- */

/* The count comes first. */
#define BANG_EMU_CN(name, formula)                                         \
	inline void __cn_vector_##name##_f32(int n, float *y,              \
					     const float *x)               \
	{                                                                  \
		bang_emu::each("__cn_vector_" #name "_f32", y, x, n,       \
			       [](float v) -> float { return (formula); }); \
	}
#define BANG_EMU_CN2(name, formula)                                        \
	inline void __cn_vector_##name##_f32(int n, float *z,              \
					     const float *x,               \
					     const float *y)               \
	{                                                                  \
		bang_emu::zip("__cn_vector_" #name "_f32", z, x, n, y, n,  \
			      [](float v, float w) -> float {              \
				      return (formula);                    \
			      },                                           \
			      bang_emu::IN_PLACE, bang_emu::IN_PLACE);     \
	}
BANG_EMU_CN(abs, fabsf(v))
BANG_EMU_CN(exp, expf(v))
BANG_EMU_CN(exp10, powf(10, v))
BANG_EMU_CN(log, logf(v))
BANG_EMU_CN(log2, log2f(v))
BANG_EMU_CN(log10, log10f(v))
BANG_EMU_CN(sqrt, sqrtf(v))
BANG_EMU_CN(rsqrt, 1 / sqrtf(v))
BANG_EMU_CN(sin, sinf(v))
BANG_EMU_CN(cos, cosf(v))
BANG_EMU_CN(tan, tanf(v))
BANG_EMU_CN(asin, asinf(v))
BANG_EMU_CN(acos, acosf(v))
BANG_EMU_CN(atan, atanf(v))
BANG_EMU_CN(sinh, sinhf(v))
BANG_EMU_CN(cosh, coshf(v))
BANG_EMU_CN(tanh, tanhf(v))
BANG_EMU_CN(erf, erff(v))
BANG_EMU_CN(floor, floorf(v))
BANG_EMU_CN(ceil, ceilf(v))
BANG_EMU_CN(round, roundf(v))
BANG_EMU_CN(trunc, truncf(v))
BANG_EMU_CN2(pow, powf(v, w))
BANG_EMU_CN2(atan2, atan2f(v, w))
BANG_EMU_CN2(hypot, hypotf(v, w))

inline void
__cn_vector_div_f32_rn(int n, float *z, const float *x, const float *y)
{
	bang_emu::zip(
		"__cn_vector_div_f32_rn", z, x, n, y, n,
		[](float v, float w) { return v / w; }, bang_emu::IN_PLACE,
		bang_emu::IN_PLACE);
}

inline void
__cn_vector_rcp_f32_rn(int n, float *y, const float *x)
{
	bang_emu::each("__cn_vector_rcp_f32_rn", y, x, n,
		       [](float v) { return 1 / v; });
}

/* -------------------------------------------------------- conversions -- */

#define BANG_EMU_CONVERT(name, to, from, formula, how)                     \
	inline void __bang_##name(to *d, from *a, int n)                   \
	{                                                                  \
		bang_emu::each(                                            \
			"__bang_" #name, d, a, n,                          \
			[](from x) -> to { return (to)(formula); },        \
			bang_emu::how);                                    \
	}
#define BANG_EMU_CONVERT_POS(name, to, from, formula, how)                 \
	inline void __bang_##name(to *d, from *a, int n, int pos)          \
	{                                                                  \
		bang_emu::each(                                            \
			"__bang_" #name, d, a, n,                          \
			[pos](from x) -> to { return (to)(formula); },     \
			bang_emu::how);                                    \
	}

namespace bang_emu
{

template <class I>
I
saturate(float x)
{
	float low = (float)std::numeric_limits<I>::min();
	float high = (float)std::numeric_limits<I>::max();

	if (x != x)
		return 0;
	return x <= low ? std::numeric_limits<I>::min()
	       : x >= high ? std::numeric_limits<I>::max()
			   : (I)x;
}

} // namespace bang_emu

BANG_EMU_CONVERT(float2half_rn, half, float, x, IN_PLACE)
BANG_EMU_CONVERT(float2half_tz, half, float,
		 fabsf((float)(half)x) > fabsf(x)
			 ? nextafterf((float)(half)x, 0)
			 : x,
		 IN_PLACE)
BANG_EMU_CONVERT_POS(float2int8_rd, int8_t, float,
		     bang_emu::saturate<int8_t>(roundf(ldexpf(x, -pos))),
		     IN_PLACE)
BANG_EMU_CONVERT_POS(float2int8_rn, int8_t, float,
		     bang_emu::saturate<int8_t>(nearbyintf(ldexpf(x, -pos))),
		     IN_PLACE)
BANG_EMU_CONVERT_POS(float2int8_tz, int8_t, float,
		     bang_emu::saturate<int8_t>(truncf(ldexpf(x, -pos))),
		     IN_PLACE)
BANG_EMU_CONVERT_POS(float2int16_rn, int16_t, float,
		     bang_emu::saturate<int16_t>(nearbyintf(ldexpf(x, -pos))),
		     IN_PLACE)

inline void
__bang_half2float(float *d, half *a, int n)
{
	bang_emu::widen("__bang_half2float", d, a, n,
			[](half x) { return (float)x; });
}

inline void
__bang_int82float(float *d, int8_t *a, int n, int pos)
{
	bang_emu::widen("__bang_int82float", d, a, n,
			[pos](int8_t x) { return ldexpf(x, pos); });
}

inline void
__bang_int162float(float *d, int16_t *a, int n, int pos)
{
	bang_emu::widen("__bang_int162float", d, a, n,
			[pos](int16_t x) { return ldexpf(x, pos); });
}

/* Integers of 32 bits by the library. */
#define BANG_EMU_CN_S32(name, formula)                                     \
	inline void __cn_vector_##name##_s32(int n, int *z, const int *x,  \
					     const int *y)                 \
	{                                                                  \
		bang_emu::zip(                                             \
			"__cn_vector_" #name "_s32", z, x, n, y, n,        \
			[](int v, int w) -> int { return (formula); },     \
			bang_emu::IN_PLACE, bang_emu::IN_PLACE);           \
	}
BANG_EMU_CN_S32(add, (int)((unsigned)v + (unsigned)w))
BANG_EMU_CN_S32(sub, (int)((unsigned)v - (unsigned)w))
BANG_EMU_CN_S32(max, v > w ? v : w)
BANG_EMU_CN_S32(min, v < w ? v : w)

inline void
__cn_vector_cast_f32_to_s32_tz(int n, int *y, const float *x)
{
	bang_emu::each("__cn_vector_cast_f32_to_s32_tz", y, x, n, [](float v) {
		return bang_emu::saturate<int>(truncf(v));
	});
}

inline void
__cn_vector_cast_s32_to_f32_rn(int n, float *y, const int *x)
{
	bang_emu::each("__cn_vector_cast_s32_to_f32_rn", y, x, n,
		       [](int v) { return (float)v; });
}

#if BANG_EMU_ARCH >= 300
BANG_EMU_CONVERT(float2int32_tz, int, float,
		 bang_emu::saturate<int>(truncf(x)), IN_PLACE)
BANG_EMU_CONVERT(float2int32_rn, int, float,
		 bang_emu::saturate<int>(nearbyintf(x)), IN_PLACE)
BANG_EMU_CONVERT(int322float_rn, float, int, x, IN_PLACE)
BANG_EMU_CONVERT(int322float, float, int, x, IN_PLACE)
#endif

/* Bit by bit, on bytes. */
#define BANG_EMU_BITS(name, formula)                                        \
	inline void __bang_##name(int8_t *d, int8_t *a, int8_t *b, int n)   \
	{                                                                   \
		bang_emu::zip("__bang_" #name, d, a, n, b, n,               \
			      [](int8_t x, int8_t y) -> int8_t {            \
				      return (int8_t)(formula);             \
			      },                                            \
			      bang_emu::IN_PLACE, bang_emu::IN_PLACE);      \
	}
BANG_EMU_BITS(band, x &y)
BANG_EMU_BITS(bor, x | y)
BANG_EMU_BITS(bxor, x ^ y)
BANG_EMU_UNARY(bnot, int8_t, ~x)

#endif
