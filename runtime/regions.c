/*
 * Pooling of regions of interest: every region becomes an image of one size.
 * Images are NCHW, or NHWC (CHANNELS_LAST); a region is a row of batch, x1,
 * y1, x2, y2.
 */
#include <math.h>

#include "include/relay_rt.h"
#include "runtime/element.h"
#include "runtime/routines.h"

struct image {
	const void *data;
	int64_t batch, channels, height, width, dtype;
	bool channels_last;
};

static double
pixel(const struct image *m, int64_t b, int64_t c, int64_t y, int64_t x)
{
	int64_t at =
		m->channels_last
			? ((b * m->height + y) * m->width + x) * m->channels + c
			: ((b * m->channels + c) * m->height + y) * m->width +
				  x;

	return element_double(m->data, at, m->dtype);
}

/* Between pixels; outside of the image and its border it is 0. */
static double
sample(const struct image *m, int64_t b, int64_t c, double y, double x)
{
	if (y < -1 || x < -1 || y > (double)m->height || x > (double)m->width ||
	    m->height == 0 || m->width == 0)
		return 0;
	y = fmax(0, fmin(y, (double)(m->height - 1)));
	x = fmax(0, fmin(x, (double)(m->width - 1)));
	int64_t y0 = (int64_t)y, x0 = (int64_t)x;
	int64_t y1 = y0 + 1 < m->height ? y0 + 1 : y0;
	int64_t x1 = x0 + 1 < m->width ? x0 + 1 : x0;
	double v = y - (double)y0, u = x - (double)x0;

	return (1 - v) * ((1 - u) * pixel(m, b, c, y0, x0) +
			  u * pixel(m, b, c, y0, x1)) +
	       v * ((1 - u) * pixel(m, b, c, y1, x0) +
		    u * pixel(m, b, c, y1, x1));
}

struct region {
	int64_t batch;
	double x1, y1, x2, y2;
};

static struct region
region_at(const void *rois, int64_t i, int64_t dtype)
{
	return (struct region){
		(int64_t)element_double(rois, 5 * i, dtype),
		element_double(rois, 5 * i + 1, dtype),
		element_double(rois, 5 * i + 2, dtype),
		element_double(rois, 5 * i + 3, dtype),
		element_double(rois, 5 * i + 4, dtype),
	};
}

/* The cell of an output: where it starts, its size, samples along it. */
struct cell {
	double y, x, height, width;
	int64_t rows, columns;
};

static double
fold_cell(const struct image *m, int64_t b, int64_t c, const struct cell *cell,
	  bool max)
{
	double best = -INFINITY, sum = 0;

	for (int64_t i = 0; i < cell->rows; i++)
		for (int64_t k = 0; k < cell->columns; k++) {
			double v = sample(
				m, b, c,
				cell->y + ((double)i + 0.5) * cell->height /
						  (double)cell->rows,
				cell->x + ((double)k + 0.5) * cell->width /
						  (double)cell->columns);

			sum += v;
			best = fmax(best, v);
		}
	return max ? best : sum / (double)(cell->rows * cell->columns);
}

/* Where output (R, C, I, K) lies. */
static int64_t
place(const struct image *m, int64_t r, int64_t c, int64_t i, int64_t k,
      int64_t h, int64_t w)
{
	if (m->channels_last)
		return ((r * h + i) * w + k) * m->channels + c;
	return ((r * m->channels + c) * h + i) * w + k;
}

int32_t
relay_roi_align(void *out, const void *data, const void *rois, int64_t batch,
		int64_t channels, int64_t height, int64_t width,
		int64_t channels_last, int64_t nrois, int64_t h, int64_t w,
		double scale, int64_t samples, int64_t max, int64_t dtype)
{
	struct image m = {data,  batch, channels,          height,
			  width, dtype, channels_last != 0};

	if (!element_size(dtype))
		return RELAY_E_DTYPE;
	for (int64_t r = 0; r < nrois; r++) {
		struct region g = region_at(rois, r, dtype);
		double tall = fmax((g.y2 - g.y1) * scale, 1) / (double)h;
		double wide = fmax((g.x2 - g.x1) * scale, 1) / (double)w;
		struct cell cell = {0, 0, tall, wide, samples, samples};

		if (g.batch < 0 || g.batch >= batch)
			return RELAY_E_ARG;
		if (samples <= 0) {
			cell.rows = (int64_t)ceil(tall);
			cell.columns = (int64_t)ceil(wide);
		}
		for (int64_t c = 0; c < channels; c++)
			for (int64_t i = 0; i < h * w; i++) {
				cell.y = g.y1 * scale + (double)(i / w) * tall;
				cell.x = g.x1 * scale + (double)(i % w) * wide;
				element_put_double(
					out,
					place(&m, r, c, i / w, i % w, h, w),
					dtype,
					fold_cell(&m, g.batch, c, &cell,
						  max != 0));
			}
	}
	return RELAY_OK;
}

static int64_t
limited(double v, int64_t high)
{
	return v<0 ? 0 : v>(double) high ? high : (int64_t)v;
}

/* The largest pixel of a cell with whole borders; 0 if it is empty. */
static double
max_of_cell(const struct image *m, int64_t b, int64_t c, double y0, double y1,
	    double x0, double x1)
{
	int64_t top = limited(y0, m->height), bottom = limited(y1, m->height);
	int64_t left = limited(x0, m->width), right = limited(x1, m->width);
	double best = -INFINITY;

	for (int64_t y = top; y < bottom; y++)
		for (int64_t x = left; x < right; x++)
			best = fmax(best, pixel(m, b, c, y, x));
	return bottom <= top || right <= left ? 0 : best;
}

int32_t
relay_roi_pool(void *out, const void *data, const void *rois, int64_t batch,
	       int64_t channels, int64_t height, int64_t width,
	       int64_t channels_last, int64_t nrois, int64_t h, int64_t w,
	       double scale, int64_t dtype)
{
	struct image m = {data,  batch, channels,          height,
			  width, dtype, channels_last != 0};

	if (!element_size(dtype))
		return RELAY_E_DTYPE;
	for (int64_t r = 0; r < nrois; r++) {
		struct region g = region_at(rois, r, dtype);
		double x = round(g.x1 * scale), y = round(g.y1 * scale);
		double wide = fmax(round(g.x2 * scale) - x + 1, 1) / (double)w;
		double tall = fmax(round(g.y2 * scale) - y + 1, 1) / (double)h;

		if (g.batch < 0 || g.batch >= batch)
			return RELAY_E_ARG;
		for (int64_t c = 0; c < channels; c++)
			for (int64_t i = 0; i < h * w; i++) {
				double row = (double)(i / w);
				double col = (double)(i % w);

				element_put_double(
					out,
					place(&m, r, c, i / w, i % w, h, w),
					dtype,
					max_of_cell(
						&m, g.batch, c,
						floor(row * tall + 1e-5) + y,
						ceil((row + 1) * tall - 1e-5) +
							y,
						floor(col * wide + 1e-5) + x,
						ceil((col + 1) * wide - 1e-5) +
							x));
			}
	}
	return RELAY_OK;
}
