/* Sampling images at the places of a grid; the gradient of max pooling. */
#include <math.h>
#include <string.h>

#include "include/relay_rt.h"
#include "runtime/element.h"
#include "runtime/routines.h"

enum { NEAREST, LINEAR, CUBIC };
enum { ZEROS, BORDER, REFLECTION };

/* One channel of one image, up to three axes; outermost first. */
struct volume {
	const void *data;
	int64_t base, dtype;
	int64_t size[3];
	int padding;
	bool align;
};

/* X mirrored at LOW and HIGH until it lies between them. */
static double
reflect(double x, double low, double high)
{
	double span = high - low, far;

	if (span <= 0)
		return low;
	far = fabs(x - low);
	x = fmod(far, 2 * span);
	return low + (x > span ? 2 * span - x : x);
}

/* The coordinate that stands for X along axis A, by the padding. */
static double
padded(const struct volume *v, int a, double x)
{
	double last = (double)(v->size[a] - 1);

	if (v->padding == REFLECTION)
		x = v->align ? reflect(x, 0, last)
			     : reflect(x, -0.5, last + 0.5);
	if (v->padding != ZEROS)
		x = fmax(0, fmin(last, x));
	return x;
}

static double
voxel(const struct volume *v, double z, double y, double x)
{
	if (z < 0 || y < 0 || x < 0 || z >= (double)v->size[0] ||
	    y >= (double)v->size[1] || x >= (double)v->size[2])
		return 0;
	return element_double(
		v->data,
		v->base + ((int64_t)z * v->size[1] + (int64_t)y) * v->size[2] +
			(int64_t)x,
		v->dtype);
}

static double
linear(const struct volume *v, const double *at)
{
	double low[3], t[3], sum = 0;

	for (int a = 0; a < 3; a++) {
		low[a] = floor(at[a]);
		t[a] = at[a] - low[a];
	}
	for (int corner = 0; corner < 8; corner++) {
		double weight = 1, p[3];

		for (int a = 0; a < 3; a++) {
			bool high = corner >> a & 1;

			weight *= high ? t[a] : 1 - t[a];
			p[a] = low[a] + high;
		}
		if (weight != 0)
			sum += weight * voxel(v, p[0], p[1], p[2]);
	}
	return sum;
}

/* Weights of four taps around a place T behind the second. */
static void
cubic_weights(double t, double *w)
{
	const double a = -0.75;
	double u = 1 - t;

	w[0] = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a;
	w[1] = ((a + 2) * t - (a + 3)) * t * t + 1;
	w[2] = ((a + 2) * u - (a + 3)) * u * u + 1;
	w[3] = 1 - w[0] - w[1] - w[2];
}

static double
cubic(const struct volume *v, double y, double x)
{
	double wy[4], wx[4], sum = 0;
	double y0 = floor(y), x0 = floor(x);

	cubic_weights(y - y0, wy);
	cubic_weights(x - x0, wx);
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 4; k++)
			sum += wy[i] * wx[k] *
			       voxel(v, 0, padded(v, 1, y0 + i - 1),
				     padded(v, 2, x0 + k - 1));
	return sum;
}

/* Grid coordinates in [-1, 1] as places along axis A. */
static double
unnormalized(const struct volume *v, int a, double g)
{
	double n = (double)v->size[a];

	return v->align ? (g + 1) * (n - 1) / 2 : (g + 1) * n / 2 - 0.5;
}

static double
sample(const struct volume *v, double *at, int dims, int method)
{
	if (method == CUBIC)
		return cubic(v, at[1], at[2]);
	for (int a = 3 - dims; a < 3; a++)
		at[a] = padded(v, a, at[a]);
	if (method == NEAREST)
		return voxel(v, nearbyint(at[0]), nearbyint(at[1]),
			     nearbyint(at[2]));
	return linear(v, at);
}

int32_t
relay_grid_sample(void *out, const void *data, const void *grid, int64_t batch,
		  int64_t channels, int64_t d, int64_t h, int64_t w,
		  int64_t out_d, int64_t out_h, int64_t out_w, int64_t dims,
		  int64_t method, int64_t padding, int64_t align, int64_t dtype)
{
	struct volume v = {data, 0, dtype, {d, h, w}, (int)padding, align != 0};
	int64_t points = out_d * out_h * out_w, n = 0;

	if (!element_size(dtype))
		return RELAY_E_DTYPE;
	for (int64_t b = 0; b < batch; b++)
		for (int64_t c = 0; c < channels; c++) {
			v.base = (b * channels + c) * d * h * w;
			for (int64_t i = 0; i < points; i++, n++) {
				double at[3] = {0, 0, 0};

				for (int64_t a = 0; a < dims; a++)
					at[2 - a] = unnormalized(
						&v, (int)(2 - a),
						element_double(grid,
							       (b * dims +
								a) * points +
								       i,
							       dtype));
				element_put_double(
					out, n, dtype,
					sample(&v, at, (int)dims, (int)method));
			}
		}
	return RELAY_OK;
}

/* The places along one axis that a window covers. */
struct span {
	int64_t n, size, stride, dilation, before;
};

static bool
tap(const struct span *s, int64_t o, int64_t k, int64_t *at)
{
	*at = o * s->stride - s->before + k * s->dilation;
	return *at >= 0 && *at < s->n;
}

/* Where the first maximum of window (Y, X) stands; -1 if all is padding. */
static int64_t
first_max(const void *data, int64_t base, int64_t inner, int64_t dtype,
	  const struct span *h, const struct span *w, int64_t y, int64_t x)
{
	int64_t best = -1, row, col;
	double max = 0;

	for (int64_t i = 0; i < h->size; i++)
		for (int64_t k = 0; k < w->size; k++) {
			if (!tap(h, y, i, &row) || !tap(w, x, k, &col))
				continue;
			int64_t at = base + (row * w->n + col) * inner;
			double v = element_double(data, at, dtype);

			if (best < 0 || v > max) {
				best = at;
				max = v;
			}
		}
	return best;
}

int32_t
relay_max_pool2d_grad(void *out, const void *grad, const void *data,
		      int64_t outer, int64_t h, int64_t w, int64_t inner,
		      int64_t grad_h, int64_t grad_w, int64_t kh, int64_t kw,
		      int64_t sh, int64_t sw, int64_t dh, int64_t dw,
		      int64_t ph, int64_t pw, int64_t dtype)
{
	struct span rows = {h, kh, sh, dh, ph}, cols = {w, kw, sw, dw, pw};
	int64_t n = outer * grad_h * grad_w * inner;

	if (!element_size(dtype))
		return RELAY_E_DTYPE;
	memset(out, 0, (size_t)(outer * h * w * inner) * element_size(dtype));
	for (int64_t g = 0; g < n; g++) {
		int64_t k = g % inner, x = g / inner % grad_w;
		int64_t y = g / inner / grad_w % grad_h;
		int64_t o = g / inner / grad_w / grad_h;
		int64_t at = first_max(data, o * h * w * inner + k, inner,
				       dtype, &rows, &cols, y, x);

		if (at >= 0)
			element_put_double(
				out, at, dtype,
				element_double(out, at, dtype) +
					element_double(grad, g, dtype));
	}
	return RELAY_OK;
}
