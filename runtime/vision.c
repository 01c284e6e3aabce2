/*
 * Detection: choosing boxes by score, dropping those that overlap, decoding
 * anchors, pooling regions. Numbers are read as doubles, whatever their type.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "include/relay_rt.h"
#include "runtime/element.h"
#include "runtime/routines.h"

int32_t
relay_valid_counts(int32_t *count, void *out, int32_t *places, const void *data,
		   const void *threshold, double fixed, int64_t use_fixed,
		   int64_t batch, int64_t n, int64_t width, int64_t score_at,
		   int64_t id_at, int64_t dtype, int64_t threshold_dtype)
{
	double least = use_fixed
			       ? fixed
			       : element_double(threshold, 0, threshold_dtype);

	if (!element_size(dtype))
		return RELAY_E_DTYPE;
	if (score_at < 0 || score_at >= width || id_at >= width)
		return RELAY_E_ARG;
	for (int64_t b = 0; b < batch; b++) {
		int64_t kept = 0;

		for (int64_t i = 0; i < n; i++) {
			int64_t row = (b * n + i) * width;

			if (!(element_double(data, row + score_at, dtype) >
			      least) ||
			    (id_at >= 0 &&
			     element_double(data, row + id_at, dtype) < 0))
				continue;
			for (int64_t k = 0; k < width; k++)
				element_put_double(
					out, (b * n + kept) * width + k, dtype,
					element_double(data, row + k, dtype));
			places[b * n + kept++] = (int32_t)i;
		}
		count[b] = (int32_t)kept;
		for (int64_t i = kept; i < n; i++) {
			for (int64_t k = 0; k < width; k++)
				element_put_double(out, (b * n + i) * width + k,
						   dtype, -1);
			places[b * n + i] = -1;
		}
	}
	return RELAY_OK;
}

struct scored {
	double score;
	int64_t at;
};

/* Best first; equal ones as they stood. */
static int
better(const void *a, const void *b)
{
	const struct scored *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

struct box {
	double left, top, right, bottom;
};

static struct box
box_at(const double *p)
{
	return (struct box){fmin(p[0], p[2]), fmin(p[1], p[3]),
			    fmax(p[0], p[2]), fmax(p[1], p[3])};
}

/* Overlap over union. */
static float
overlap(const double *p, const double *q)
{
	struct box a = box_at(p), b = box_at(q);
	float w = (float)fmax(0, fmin(a.right, b.right) - fmax(a.left, b.left));
	float h = (float)fmax(0, fmin(a.bottom, b.bottom) - fmax(a.top, b.top));
	float both = w * h;
	float all = (float)((a.right - a.left) * (a.bottom - a.top)) +
		    (float)((b.right - b.left) * (b.bottom - b.top)) - both;

	return all <= 0 ? 0 : both / all;
}

/* One batch of non_max_suppression. */
struct nms {
	double *row;   /* [n, width], in order of score */
	int64_t *from; /* row of the input, -1 for dropped */
	int64_t n, width, valid;
	int64_t max_output, top_k, coord, score, id;
	double least; /* overlap that drops a box */
	bool force;
};

static void
drop(struct nms *s, int64_t i)
{
	for (int64_t k = 0; k < s->width; k++)
		s->row[i * s->width + k] = -1;
	s->from[i] = -1;
}

/* Does row K, which stands before J, drop it? */
static bool
suppresses(const struct nms *s, int64_t k, int64_t j)
{
	const double *a = s->row + j * s->width, *b = s->row + k * s->width;

	if (!(b[s->score] > 0) || (s->id >= 0 && b[s->id] < 0))
		return false;
	if (!s->force && s->id >= 0 && a[s->id] != b[s->id])
		return false;
	return overlap(a + s->coord, b + s->coord) >= (float)s->least;
}

static void
suppress(struct nms *s)
{
	int64_t kept = 0;

	for (int64_t j = 0; j < s->valid; j++) {
		bool keep = true;

		if (kept == s->max_output) {
			drop(s, j);
			continue;
		}
		if (!(s->row[j * s->width + s->score] > 0))
			continue;
		for (int64_t k = 0; k < j && keep; k++)
			keep = !suppresses(s, k, j);
		if (keep)
			kept++;
		else
			drop(s, j);
	}
}

/* Rows of DATA from BASE on into S, best first unless nothing is dropped. */
static bool
load(struct nms *s, const void *data, int64_t base, int64_t dtype)
{
	struct scored *order = malloc(((size_t)s->n + 1) * sizeof(*order));
	bool sort = s->least > 0;

	if (!order)
		return false;
	for (int64_t i = 0; i < s->n; i++) {
		order[i].at = i;
		order[i].score = element_double(
			data, base + i * s->width + s->score, dtype);
	}
	if (sort)
		qsort(order, (size_t)s->valid, sizeof(*order), better);
	for (int64_t i = 0; i < s->n; i++) {
		s->from[i] = order[i].at;
		for (int64_t k = 0; k < s->width; k++)
			s->row[i * s->width + k] = element_double(
				data, base + order[i].at * s->width + k, dtype);
		if (i >= s->valid || (sort && s->top_k > 0 && i >= s->top_k))
			drop(s, i);
	}
	free(order);
	return true;
}

static bool
nms_arguments_fit(const struct nms *s)
{
	return s->score >= 0 && s->score < s->width && s->coord >= 0 &&
	       s->coord + 4 <= s->width && s->id < s->width;
}

/* Kept rows to the front, the others behind them. */
static void
to_front(struct nms *s)
{
	int64_t kept = 0;

	for (int64_t i = 0; i < s->n; i++) {
		if (!(s->row[i * s->width + s->score] >= 0))
			continue;
		if (kept != i)
			memcpy(s->row + kept * s->width, s->row + i * s->width,
			       (size_t)s->width * sizeof(*s->row));
		kept++;
	}
	for (int64_t i = kept; i < s->n; i++)
		drop(s, i);
}

/* Indices of kept rows, as they were before the valid ones were picked. */
static void
put_indices(const struct nms *s, int32_t *out, int32_t *count,
	    const int32_t *original)
{
	int32_t kept = 0;

	for (int64_t i = 0; i < s->n; i++)
		if (s->from[i] >= 0)
			out[kept++] = original[s->from[i]];
	*count = kept;
	for (int64_t i = kept; i < s->n; i++)
		out[i] = -1;
}

static int32_t
run_nms(struct nms *s, const void *data, const int32_t *valid,
	const int32_t *original, int64_t batch, int64_t dtype, int32_t *indices,
	int32_t *count, void *out, bool bottom)
{
	int64_t size = s->n * s->width;

	for (int64_t b = 0; b < batch; b++) {
		s->valid = valid[b] < 0 ? 0 : valid[b] > s->n ? s->n : valid[b];
		if (!load(s, data, b * size, dtype))
			return RELAY_E_NOMEM;
		if (s->least > 0)
			suppress(s);
		if (indices) {
			put_indices(s, indices + b * s->n, count + b,
				    original + b * s->n);
			continue;
		}
		if (bottom)
			to_front(s);
		for (int64_t i = 0; i < size; i++)
			element_put_double(out, b * size + i, dtype, s->row[i]);
	}
	return RELAY_OK;
}

/* Both forms; OUT or INDICES and COUNT are filled. */
static int32_t
non_max_suppression(struct nms *s, const void *data, const int32_t *valid,
		    const int32_t *original, int64_t batch, int64_t dtype,
		    int32_t *indices, int32_t *count, void *out, bool bottom)
{
	size_t n = (size_t)s->n + 1;
	int32_t status = RELAY_E_NOMEM;

	if (!element_size(dtype))
		return RELAY_E_DTYPE;
	if (!nms_arguments_fit(s))
		return RELAY_E_ARG;
	s->row = malloc(n * (size_t)s->width * sizeof(*s->row));
	s->from = malloc(n * sizeof(*s->from));
	if (s->row && s->from)
		status = run_nms(s, data, valid, original, batch, dtype,
				 indices, count, out, bottom);
	free(s->row);
	free(s->from);
	return status;
}

int32_t
relay_nms(void *out, const void *data, const int32_t *valid,
	  const int32_t *original, const void *max_output, const void *least,
	  int64_t batch, int64_t n, int64_t width, int64_t top_k, int64_t coord,
	  int64_t score, int64_t id, int64_t force, int64_t bottom,
	  int64_t dtype, int64_t max_dtype, int64_t least_dtype)
{
	struct nms s = {
		.n = n,
		.width = width,
		.max_output = element_int(max_output, 0, max_dtype),
		.least = element_double(least, 0, least_dtype),
		.top_k = top_k,
		.coord = coord,
		.score = score,
		.id = id,
		.force = force != 0,
	};

	return non_max_suppression(&s, data, valid, original, batch, dtype,
				   NULL, NULL, out, bottom != 0);
}

int32_t
relay_nms_indices(int32_t *indices, int32_t *count, const void *data,
		  const int32_t *valid, const int32_t *original,
		  const void *max_output, const void *least, int64_t batch,
		  int64_t n, int64_t width, int64_t top_k, int64_t coord,
		  int64_t score, int64_t id, int64_t force, int64_t dtype,
		  int64_t max_dtype, int64_t least_dtype)
{
	struct nms s = {
		.n = n,
		.width = width,
		.max_output = element_int(max_output, 0, max_dtype),
		.least = element_double(least, 0, least_dtype),
		.top_k = top_k,
		.coord = coord,
		.score = score,
		.id = id,
		.force = force != 0,
	};

	return non_max_suppression(&s, data, valid, original, batch, dtype,
				   indices, count, NULL, false);
}

/* One class of one batch: the boxes that stay, best first; how many. */
static int64_t
choose(struct scored *order, int64_t n, const double *box, double least_score,
       float least_overlap, int64_t limit)
{
	int64_t kept = 0;

	qsort(order, (size_t)n, sizeof(*order), better);
	for (int64_t i = 0; i < n && order[i].score > least_score; i++) {
		bool keep = true;

		if (limit > 0 && kept == limit)
			break;
		for (int64_t k = 0; k < kept && keep; k++)
			keep = overlap(box + 4 * order[i].at,
				       box + 4 * order[k].at) < least_overlap;
		if (keep)
			order[kept++] = order[i];
	}
	return kept;
}

/* What all_class_non_max_suppression reads. */
struct all_class {
	const void *boxes, *scores;
	int64_t batch, classes, n, dtype;
	int64_t limit;
	double least_overlap, least_score;
	double *box;
	struct scored *order;
};

static bool
all_class_init(struct all_class *a, const void *boxes, const void *scores,
	       const void *limit, const void *least_overlap,
	       const void *least_score, int64_t batch, int64_t classes,
	       int64_t n, int64_t dtype, int64_t limit_dtype)
{
	size_t count = (size_t)n + 1;

	*a = (struct all_class){boxes,
				scores,
				batch,
				classes,
				n,
				dtype,
				element_int(limit, 0, limit_dtype),
				0,
				0,
				NULL,
				NULL};
	a->least_overlap = element_double(least_overlap, 0, 2 * 256 + 32);
	a->least_score = element_double(least_score, 0, 2 * 256 + 32);
	a->box = malloc(4 * count * sizeof(*a->box));
	a->order = malloc(count * sizeof(*a->order));
	return a->box && a->order;
}

static void
all_class_free(struct all_class *a)
{
	free(a->box);
	free(a->order);
}

static void
load_boxes(struct all_class *a, int64_t b)
{
	for (int64_t i = 0; i < 4 * a->n; i++)
		a->box[i] =
			element_double(a->boxes, b * 4 * a->n + i, a->dtype);
}

static int64_t
choose_class(struct all_class *a, int64_t b, int64_t c)
{
	for (int64_t i = 0; i < a->n; i++) {
		a->order[i].at = i;
		a->order[i].score = element_double(
			a->scores, (b * a->classes + c) * a->n + i, a->dtype);
	}
	return choose(a->order, a->n, a->box, a->least_score,
		      (float)a->least_overlap, a->limit);
}

int32_t
relay_all_class_nms(int64_t *rows, int64_t *count, const void *boxes,
		    const void *scores, const void *limit,
		    const void *least_overlap, const void *least_score,
		    int64_t batch, int64_t classes, int64_t n, int64_t dtype,
		    int64_t limit_dtype)
{
	struct all_class a;
	int64_t total = 0;
	bool ok = all_class_init(&a, boxes, scores, limit, least_overlap,
				 least_score, batch, classes, n, dtype,
				 limit_dtype);

	memset(rows, 0, (size_t)(batch * classes * n) * 3 * sizeof(*rows));
	for (int64_t b = 0; b < batch && ok; b++) {
		load_boxes(&a, b);
		for (int64_t c = 0; c < classes; c++) {
			int64_t kept = choose_class(&a, b, c);

			for (int64_t i = 0; i < kept; i++, total++) {
				rows[3 * total] = b;
				rows[3 * total + 1] = c;
				rows[3 * total + 2] = a.order[i].at;
			}
		}
	}
	*count = total;
	all_class_free(&a);
	return ok ? RELAY_OK : RELAY_E_NOMEM;
}

int32_t
relay_all_class_nms_padded(int64_t *rows, float *best, int64_t *count,
			   const void *boxes, const void *scores,
			   const void *limit, const void *least_overlap,
			   const void *least_score, int64_t batch,
			   int64_t classes, int64_t n, int64_t dtype,
			   int64_t limit_dtype)
{
	struct all_class a;
	size_t size = (size_t)(batch * classes * n);
	bool ok = all_class_init(&a, boxes, scores, limit, least_overlap,
				 least_score, batch, classes, n, dtype,
				 limit_dtype);

	memset(rows, 0, size * 2 * sizeof(*rows));
	memset(best, 0, size * sizeof(*best));
	for (int64_t b = 0; b < batch && ok; b++) {
		int64_t at = b * classes * n;

		load_boxes(&a, b);
		for (int64_t c = 0; c < classes; c++) {
			int64_t kept = choose_class(&a, b, c);

			for (int64_t i = 0; i < kept; i++, at++) {
				rows[2 * at] = c;
				rows[2 * at + 1] = a.order[i].at;
				best[at] = (float)a.order[i].score;
			}
		}
		count[b] = at - b * classes * n;
	}
	all_class_free(&a);
	return ok ? RELAY_OK : RELAY_E_NOMEM;
}

/* An anchor moved and scaled by an offset. */
static void
decode(const double *anchor, const double *by, const double *variance,
       bool clip, double *out)
{
	double w = anchor[2] - anchor[0], h = anchor[3] - anchor[1];
	double x = (anchor[0] + anchor[2]) / 2, y = (anchor[1] + anchor[3]) / 2;
	double cx = by[0] * variance[0] * w + x;
	double cy = by[1] * variance[1] * h + y;
	double half_w = exp(by[2] * variance[2]) * w / 2;
	double half_h = exp(by[3] * variance[3]) * h / 2;

	out[0] = cx - half_w;
	out[1] = cy - half_h;
	out[2] = cx + half_w;
	out[3] = cy + half_h;
	for (int k = 0; k < 4 && clip; k++)
		out[k] = fmax(0, fmin(1, out[k]));
}

/* The class with the best score, from FIRST on. */
static int64_t
best_class(const void *scores, int64_t base, int64_t classes, int64_t n,
	   int64_t first, int64_t dtype, double *score)
{
	int64_t best = 0;

	*score = -1;
	for (int64_t c = first; c < classes; c++) {
		double s = element_double(scores, base + c * n, dtype);

		if (s > *score) {
			*score = s;
			best = c;
		}
	}
	return best;
}

int32_t
relay_multibox_transform_loc(void *out, int32_t *count, const void *scores,
			     const void *offsets, const void *anchors,
			     double threshold, double v0, double v1, double v2,
			     double v3, int64_t clip, int64_t background,
			     int64_t batch, int64_t classes, int64_t n,
			     int64_t dtype)
{
	const double variance[4] = {v0, v1, v2, v3};

	if (!element_size(dtype))
		return RELAY_E_DTYPE;
	for (int64_t b = 0; b < batch; b++) {
		int64_t kept = 0;

		for (int64_t i = 0; i < n; i++) {
			double row[6], anchor[4], by[4], score;
			int64_t c = best_class(scores, b * classes * n + i,
					       classes, n, background ? 0 : 1,
					       dtype, &score);

			if (c > 0 && score < threshold)
				c = 0;
			if (c == 0 && !background)
				continue;
			for (int64_t k = 0; k < 4; k++) {
				anchor[k] = element_double(anchors, 4 * i + k,
							   dtype);
				by[k] = element_double(
					offsets, (b * n + i) * 4 + k, dtype);
			}
			row[0] = (double)(background ? c : c - 1);
			row[1] = score;
			decode(anchor, by, variance, clip != 0, row + 2);
			for (int64_t k = 0; k < 6; k++)
				element_put_double(out, (b * n + kept) * 6 + k,
						   dtype, row[k]);
			kept++;
		}
		count[b] = (int32_t)kept;
		for (int64_t i = 6 * kept; i < 6 * n; i++)
			element_put_double(out, b * n * 6 + i, dtype, -1);
	}
	return RELAY_OK;
}
