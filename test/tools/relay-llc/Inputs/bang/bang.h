/*
 * A stand-in for the vendor's header: what the emitted kernels use, on the
 * host. NRAM operands are checked to be whole lines.
 */
#include <assert.h>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#define __mlu_entry__
#define __mlu_func__ static inline
#define __nram__ alignas(128)
#define __BANG_ARCH__ 592

enum direction { GDRAM2NRAM, NRAM2GDRAM };
extern int taskId, taskDim;

static inline bool
__is_mpu()
{
	return false;
}

static inline void
__memcpy(void *d, const void *s, int size, direction)
{
	memcpy(d, s, size);
}

static inline void
__memcpy(void *d, const void *s, int size, direction, int dstride, int sstride,
	 int segments)
{
	assert(segments >= 0 && segments < 65536);
	for (int i = 0; i <= segments; i++)
		memcpy((char *)d + i * dstride, (const char *)s + i * sstride,
		       size);
}

static inline void
check(const void *p, int n)
{
	assert((uintptr_t)p % 128 == 0 && n * 4 % 128 == 0);
}

#define VECTOR(name, params, expr)                         \
	static inline void name params                     \
	{                                                  \
		check(d, n);                               \
		for (int i = 0; i < n; i++)                \
			d[i] = expr;                       \
	}
VECTOR(__bang_add, (float *d, float *a, float *b, int n), a[i] + b[i])
VECTOR(__bang_sub, (float *d, float *a, float *b, int n), a[i] - b[i])
VECTOR(__bang_mul, (float *d, float *a, float *b, int n), a[i] * b[i])
VECTOR(__bang_div, (float *d, float *a, float *b, int n), a[i] / b[i])
VECTOR(__bang_add_scalar, (float *d, float *a, float c, int n), a[i] + c)
VECTOR(__bang_sub_scalar, (float *d, float *a, float c, int n), a[i] - c)
VECTOR(__bang_mul_scalar, (float *d, float *a, float c, int n), a[i] * c)
VECTOR(__bang_write_value, (float *d, int n, float c), c)
VECTOR(__bang_nan_maximum, (float *d, float *a, float *b, int n),
       fmaxf(a[i], b[i]))
VECTOR(__bang_nan_minimum, (float *d, float *a, float *b, int n),
       fminf(a[i], b[i]))
VECTOR(__bang_pow2, (float *d, float *a, int n), exp2f(a[i]))
VECTOR(__bang_log2, (float *d, float *a, int n), log2f(a[i]))
VECTOR(__bang_recip, (float *d, float *a, int n), 1 / a[i])
VECTOR(__cn_vector_tanh_f32, (int n, float *d, const float *a), tanhf(a[i]))
