/*
 * Instructions on images and matrices: reductions, pooling, changes of
 * layout, convolution and matrix product.
 *
 * Images are height x width x channels. Filters lie in WRAM in the order that
 * __bang_reshape_filter makes: one of 64 banks after the other.
 */
#ifndef BANG_EMU_TENSOR_H
#define BANG_EMU_TENSOR_H

#include "vector.h"

namespace bang_emu
{

enum { BANKS = 64 };

template <class T>
constexpr int64_t
line()
{
	return (int64_t)BYTES_AT_ONCE / (int64_t)sizeof(T);
}

template <class T>
void
check_input(const char *what, const T *p, int64_t n)
{
	check_operand(what, p, n, false);
	check_written(what, NRAM, p, n * (int64_t)sizeof(T));
}

/* A window of a pooling or convolution over an image. */
struct window {
	int64_t channels, height, width, kh, kw, sh, sw;

	int64_t
	rows() const
	{
		return (height - kh) / sh + 1;
	}

	int64_t
	columns() const
	{
		return (width - kw) / sw + 1;
	}
};

inline void
check_window(const char *what, const window &w)
{
	if (w.channels <= 0 || w.height <= 0 || w.width <= 0 || w.kh <= 0 ||
	    w.kw <= 0)
		trap(what, "an extent is not positive");
	if (w.sh <= 0 || w.sw <= 0)
		trap(what, "a stride is not positive");
	if (w.kh > w.height || w.kw > w.width)
		trap(what, "the window is larger than the image");
}

template <class T, class F, class G>
void
pool(const char *what, T *d, const T *s, const window &w, float start, F op,
     G end)
{
	int64_t c = w.channels, out = w.rows() * w.columns() * c;

	check_window(what, w);
	if (BANG_EMU_ARCH < 300 && c * (int64_t)sizeof(T) % 128 != 0)
		trap(what, "bytes of the channels are no multiple of 128");
	check_input(what, s, c * w.height * w.width);
	check_operand(what, d, out, true);
	check_apart(what, d, out, s, c * w.height * w.width, APART);
	for (int64_t at = 0; at < out; at++) {
		int64_t y = at / c / w.columns() * w.sh;
		int64_t x = at / c % w.columns() * w.sw;
		float value = start;

		for (int64_t k = 0; k < w.kh * w.kw; k++)
			value = op(value, (float)s[((y + k / w.kw) * w.width +
						    x + k % w.kw) *
							   c +
						   at % c]);
		d[at] = (T)end(value);
	}
	finish(what, d, out, true);
	count.vector += (uint64_t)(out * (w.kh * w.kw - 1));
}

template <class T>
void
reduce_sum(const char *what, T *d, const T *a, int64_t n)
{
	if (n % line<T>() != 0)
		trap(what, "%lld elements are no whole lines of 128 bytes",
		     (long long)n);
	if (n != line<T>())
		trap(what, "more than one line: where the sums go is not "
			   "certain");
	check_input(what, a, n);
	check_operand(what, d, n, true);
	check_apart(what, d, n, a, n, IN_PLACE);
	float sum = 0;
	for (int64_t i = 0; i < n; i++)
		sum += (float)a[i];
	d[0] = (T)sum;
	finish(what, d, 1, true);
	count.vector += (uint64_t)n - 1;
}

/* The first extreme of N floats: its value, then 64 bits with its index. */
template <class F>
void
extreme(const char *what, float *d, const float *a, int64_t n, F better)
{
	int64_t best = 0;

	check_input(what, a, n);
	check_place(what, NRAM, d, 12);
	check_settled(what, d, 12, true);
	for (int64_t i = 1; i < n; i++)
		if (better(a[i], a[best]))
			best = i;
	float value = a[best];
	uint64_t index = (uint64_t)best;
	d[0] = value;
	memcpy(d + 1, &index, sizeof(index));
	finish(what, d, 3, true);
	count.vector += (uint64_t)n;
}

template <class T>
void
transpose(const char *what, T *d, const T *s, int64_t h, int64_t w)
{
	if (h <= 0 || w <= 0)
		trap(what, "an extent is not positive");
	if (BANG_EMU_ARCH < 300 && (h * (int64_t)sizeof(T) % 128 != 0 ||
				    w * (int64_t)sizeof(T) % 128 != 0))
		trap(what, "bytes of rows or columns are no multiple of 128");
	check_operand(what, s, h * w, false);
	check_operand(what, d, h * w, true);
	check_apart(what, d, h * w, s, h * w, APART);
	bool whole = is_written(NRAM, s, h * w * (int64_t)sizeof(T));
	std::vector<int64_t> junk;
	for (int64_t i = 0; i < h; i++)
		for (int64_t j = 0; j < w; j++) {
			d[j * h + i] = s[i * w + j];
			if (!whole && !written_at(s, i * w + j))
				junk.push_back(j * h + i);
		}
	finish(what, d, h * w, true);
	spoil(d, junk);
}

template <class T>
void
pad(const char *what, T *d, const T *s, int64_t c, int64_t h, int64_t w,
    int64_t top, int64_t bottom, int64_t left, int64_t right)
{
	int64_t width = left + w + right, n = (top + h + bottom) * width * c;

	if (c <= 0 || h <= 0 || w <= 0 || top < 0 || bottom < 0 || left < 0 ||
	    right < 0)
		trap(what, "an extent is not positive");
	check_input(what, s, c * h * w);
	check_operand(what, d, n, true);
	check_apart(what, d, n, s, c * h * w, APART);
	std::fill(d, d + n, (T)0);
	for (int64_t y = 0; y < h; y++)
		memcpy(d + ((top + y) * width + left) * c, s + y * w * c,
		       (size_t)(w * c) * sizeof(T));
	finish(what, d, n, true);
}

/* Where row I of N filters lies among the banks. */
inline int64_t
banked(int64_t i, int64_t n)
{
	return i % BANKS * (n / BANKS) + i / BANKS;
}

template <class T>
void
reshape_filter(const char *what, T *d, const T *s, int64_t n, int64_t each)
{
	if (n <= 0 || n % BANKS != 0)
		trap(what, "%lld filters are no multiple of 64", (long long)n);
	if (BANG_EMU_ARCH < 300 && each * (int64_t)sizeof(T) % 128 != 0)
		trap(what, "bytes of a filter are no multiple of 128");
	check_input(what, s, n * each);
	check_operand(what, d, n * each, true);
	check_apart(what, d, n * each, s, n * each, APART);
	for (int64_t i = 0; i < n; i++)
		memcpy(d + banked(i, n) * each, s + i * each,
		       (size_t)each * sizeof(T));
	finish(what, d, n * each, true);
}

template <class T>
void
check_weights(const char *what, const T *k, int64_t ci, int64_t n)
{
	if (ci * (int64_t)sizeof(T) % 64 != 0)
		trap(what, "%lld input channels are no multiple of 64 bytes",
		     (long long)ci);
	if ((uintptr_t)k % 32 != 0)
		trap(what, "address in WRAM is not a multiple of 32");
	check_place(what, WRAM, k, n * (int64_t)sizeof(T));
	check_settled(what, k, n * (int64_t)sizeof(T), false);
	check_written(what, WRAM, k, n * (int64_t)sizeof(T));
}

/* D = convolution of S with CO filters K, plus PARTIAL if there is one. */
template <class O, class I, class W>
void
conv(const char *what, O *d, const I *s, const W *k, const O *partial,
     const window &w, int64_t co)
{
	int64_t ci = w.channels, each = w.kh * w.kw * ci;
	int64_t pixels = w.rows() * w.columns();

	check_window(what, w);
	if (co <= 0 || co % BANKS != 0)
		trap(what, "%lld output channels are no multiple of 64",
		     (long long)co);
	check_weights(what, k, ci, co * each);
	check_input(what, s, w.height * w.width * ci);
	check_operand(what, d, pixels * co, true);
	check_apart(what, d, pixels * co, s, w.height * w.width * ci, APART);
	if (partial) {
		check_input(what, partial, pixels * co);
		check_apart(what, d, pixels * co, partial, pixels * co,
			    IN_PLACE);
	}
	for (int64_t at = 0; at < pixels * co; at++) {
		const W *filter = k + banked(at % co, co) * each;
		int64_t y = at / co / w.columns() * w.sh;
		int64_t x = at / co % w.columns() * w.sw;
		float sum = 0;

		for (int64_t i = 0; i < w.kh; i++) {
			const I *row = s + ((y + i) * w.width + x) * ci;

			for (int64_t j = 0; j < w.kw * ci; j++)
				sum += (float)row[j] *
				       (float)filter[i * w.kw * ci + j];
		}
		d[at] = (O)(partial ? sum + (float)partial[at] : sum);
	}
	finish(what, d, pixels * co, true);
	count.vector -= (uint64_t)(pixels * co);
	count.tensor += (uint64_t)(pixels * co * each);
}

} // namespace bang_emu

#define BANG_EMU_POOL(name, T, start, op, end)                              \
	inline void __bang_##name(T *d, T *s, int channel, int height,      \
				  int width, int kernel_height,             \
				  int kernel_width, int stride_width,       \
				  int stride_height)                        \
	{                                                                   \
		bang_emu::window w = {channel,       height,                \
				      width,         kernel_height,         \
				      kernel_width,  stride_height,         \
				      stride_width};                        \
		bang_emu::pool(                                             \
			"__bang_" #name, d, s, w, start,                    \
			[](float a, float b) -> float { return (op); },     \
			[w](float v) -> float { (void)w; return (end); });  \
	}
BANG_EMU_POOL(sumpool, float, 0, a + b, v)
BANG_EMU_POOL(sumpool, half, 0, a + b, v)
BANG_EMU_POOL(avgpool, float, 0, a + b, v / (float)(w.kh * w.kw))
BANG_EMU_POOL(avgpool, half, 0, a + b, v / (float)(w.kh * w.kw))
BANG_EMU_POOL(maxpool, float, -INFINITY, a > b ? a : b, v)
BANG_EMU_POOL(maxpool, half, -INFINITY, a > b ? a : b, v)
BANG_EMU_POOL(minpool, float, INFINITY, a < b ? a : b, v)
BANG_EMU_POOL(minpool, half, INFINITY, a < b ? a : b, v)

#define BANG_EMU_LAYOUT(T)                                                   \
	inline void __bang_transpose(T *d, T *s, int height, int width)      \
	{                                                                    \
		bang_emu::transpose("__bang_transpose", d, s, height, width); \
	}                                                                    \
	inline void __bang_pad(T *d, T *s, int channel, int height,          \
			       int width, int top, int bottom, int left,     \
			       int right)                                    \
	{                                                                    \
		bang_emu::pad("__bang_pad", d, s, channel, height, width,    \
			      top, bottom, left, right);                     \
	}                                                                    \
	inline void __bang_reshape_filter(T *d, T *s, int n, int h, int w,   \
					  int c)                             \
	{                                                                    \
		bang_emu::reshape_filter("__bang_reshape_filter", d, s, n,   \
					 (int64_t)h * w * c);                \
	}
BANG_EMU_LAYOUT(float)
BANG_EMU_LAYOUT(half)
BANG_EMU_LAYOUT(int8_t)

inline void
__bang_reduce_sum(float *d, float *a, int n)
{
	bang_emu::reduce_sum("__bang_reduce_sum", d, a, n);
}

inline void
__bang_reduce_sum(half *d, half *a, int n)
{
	bang_emu::reduce_sum("__bang_reduce_sum", d, a, n);
}

#if BANG_EMU_ARCH >= 300
inline void
__bang_argmax(float *d, float *a, int n)
{
	bang_emu::extreme("__bang_argmax", d, a, n,
			  [](float x, float y) { return x > y; });
}

inline void
__bang_argmin(float *d, float *a, int n)
{
	bang_emu::extreme("__bang_argmin", d, a, n,
			  [](float x, float y) { return x < y; });
}
#endif

#define BANG_EMU_CONV(O, I, W)                                               \
	inline void __bang_conv(O *d, I *s, W *k, int ci, int height,        \
				int width, int kh, int kw, int stride_w,     \
				int stride_h, int co)                        \
	{                                                                    \
		bang_emu::window w = {ci, height,   width,   kh,             \
				      kw, stride_h, stride_w};               \
		bang_emu::conv("__bang_conv", d, s, k, (const O *)nullptr,   \
			       w, co);                                       \
	}                                                                    \
	inline void __bang_conv_partial(O *d, I *s, W *k, O *partial,        \
					int ci, int height, int width,       \
					int kh, int kw, int stride_w,        \
					int stride_h, int co)                \
	{                                                                    \
		bang_emu::window w = {ci, height,   width,   kh,             \
				      kw, stride_h, stride_w};               \
		bang_emu::conv("__bang_conv_partial", d, s, k,               \
			       (const O *)partial, w, co);                   \
	}                                                                    \
	inline void __bang_matmul(O *d, I *a, W *b, int m, int k, int n)     \
	{                                                                    \
		bang_emu::window w = {k, m, 1, 1, 1, 1, 1};                  \
		bang_emu::conv("__bang_matmul", d, a, b, (const O *)nullptr, \
			       w, n);                                        \
	}
#if BANG_EMU_ARCH >= 300
BANG_EMU_CONV(float, float, float)
BANG_EMU_CONV(float, half, half)
BANG_EMU_CONV(half, half, half)
#endif

/* Integers: the result is the sum of products times 2^fix_position. */
#define BANG_EMU_FIX_CONV(O)                                                 \
	inline void __bang_conv(O *d, int8_t *s, int8_t *k, int ci,          \
				int height, int width, int kh, int kw,       \
				int stride_w, int stride_h, int co,          \
				int fix_position)                            \
	{                                                                    \
		bang_emu::window w = {ci, height,   width,   kh,             \
				      kw, stride_h, stride_w};               \
		bang_emu::conv("__bang_conv", d, s, k, (const O *)nullptr,   \
			       w, co);                                       \
		for (int64_t i = 0; i < w.rows() * w.columns() * co; i++)    \
			d[i] = (O)ldexpf((float)d[i], fix_position);         \
	}
BANG_EMU_FIX_CONV(float)
BANG_EMU_FIX_CONV(half)

#endif
