/*
 * Detection in two stages: proposing regions from anchors, and choosing boxes
 * class by class as TFLite does. Numbers are float32, as decisions about
 * overlaps depend on the last bit.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "include/relay_rt.h"
#include "runtime/element.h"
#include "runtime/routines.h"

struct candidate {
	float box[4];
	float score;
	int64_t at;
	int64_t label;
};

/* Best first; equal ones as they stood. */
static int
better(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* Corners left, top, right, bottom; pixels have a width, so END is in. */
static float
overlap_of_pixels(const float *a, const float *b)
{
	float w = fmaxf(0, fminf(a[2], b[2]) - fmaxf(a[0], b[0]) + 1);
	float h = fmaxf(0, fminf(a[3], b[3]) - fmaxf(a[1], b[1]) + 1);
	float both = w * h;
	float all = (a[2] - a[0] + 1) * (a[3] - a[1] + 1) +
		    (b[2] - b[0] + 1) * (b[3] - b[1] + 1) - both;

	return both / all;
}

/* What proposal reads. */
struct proposal {
	const void *scores, *deltas, *info;
	const float *anchors;
	int64_t anchor_count, h, w, stride, min_size, dtype;
	bool plain; /* deltas move the corners */
};

static float
number(const void *data, int64_t i, int64_t dtype)
{
	return (float)element_double(data, i, dtype);
}

/* BOX moved by D: the corners, or the centre and the logarithm of the size. */
static void
move_box(const struct proposal *p, const float *d, float *box)
{
	float w = box[2] - box[0] + 1, h = box[3] - box[1] + 1, x, y;

	if (p->plain) {
		for (int k = 0; k < 4; k++)
			box[k] += d[k];
		return;
	}
	x = d[0] * w + box[0] + 0.5f * (w - 1);
	y = d[1] * h + box[1] + 0.5f * (h - 1);
	w *= expf(d[2]);
	h *= expf(d[3]);
	box[0] = x - 0.5f * (w - 1);
	box[1] = y - 0.5f * (h - 1);
	box[2] = x + 0.5f * (w - 1);
	box[3] = y + 0.5f * (h - 1);
}

/* The box of anchor K at (Y, X) of image B. */
static void
predict(const struct proposal *p, int64_t b, int64_t k, int64_t y, int64_t x,
	struct candidate *out)
{
	int64_t area = p->h * p->w, pixel = y * p->w + x;
	float height = number(p->info, 3 * b, p->dtype);
	float width = number(p->info, 3 * b + 1, p->dtype);
	float least = number(p->info, 3 * b + 2, p->dtype) * (float)p->min_size;
	float delta[4];

	for (int i = 0; i < 4; i++) {
		delta[i] = number(p->deltas,
				  ((b * p->anchor_count + k) * 4 + i) * area +
					  pixel,
				  p->dtype);
		out->box[i] = p->anchors[4 * k + i] +
			      (float)((i % 2 ? y : x) * p->stride);
	}
	move_box(p, delta, out->box);
	for (int i = 0; i < 4; i++)
		out->box[i] = fmaxf(
			fminf(out->box[i], (i % 2 ? height : width) - 1), 0);
	out->score = number(
		p->scores,
		(2 * b * p->anchor_count + p->anchor_count + k) * area + pixel,
		p->dtype);
	if (y >= (int64_t)(height / (float)p->stride) ||
	    x >= (int64_t)(width / (float)p->stride))
		out->score = -1;
	if (out->box[2] - out->box[0] + 1 < least ||
	    out->box[3] - out->box[1] + 1 < least) {
		for (int i = 0; i < 4; i++)
			out->box[i] += (i < 2 ? -least : least) / 2;
		out->score = -1;
	}
}

/* The first N of LIST without those that overlap better ones; how many. */
static int64_t
thin_out(struct candidate *list, int64_t n, float threshold,
	 float (*overlap)(const float *, const float *))
{
	int64_t kept = 0;

	for (int64_t i = 0; i < n; i++) {
		bool keep = true;

		for (int64_t k = 0; k < kept && keep; k++)
			keep = !(overlap(list[k].box, list[i].box) > threshold);
		if (keep)
			list[kept++] = list[i];
	}
	return kept;
}

int32_t
relay_proposal(void *out, const void *scores, const void *deltas,
	       const void *info, const float *anchors, double threshold,
	       int64_t batch, int64_t anchor_count, int64_t h, int64_t w,
	       int64_t stride, int64_t before, int64_t after, int64_t min_size,
	       int64_t plain, int64_t dtype)
{
	const struct proposal p = {scores,       deltas, info,      anchors,
				   anchor_count, h,      w,         stride,
				   min_size,     dtype,  plain != 0};
	int64_t n = anchor_count * h * w;
	struct candidate *list = malloc(((size_t)n + 1) * sizeof(*list));

	if (!list || !element_size(dtype)) {
		free(list);
		return list ? RELAY_E_DTYPE : RELAY_E_NOMEM;
	}
	for (int64_t b = 0; b < batch; b++) {
		int64_t kept = before > 0 && before < n ? before : n;

		for (int64_t i = 0; i < n; i++) {
			list[i].at = i;
			predict(&p, b, i % anchor_count, i / anchor_count / w,
				i / anchor_count % w, &list[i]);
		}
		qsort(list, (size_t)n, sizeof(*list), better);
		kept = thin_out(list, kept, (float)threshold,
				overlap_of_pixels);
		for (int64_t i = 0; i < 5 * after; i++)
			element_put_double(
				out, 5 * b * after + i, dtype,
				kept == 0 ? 0
				: i % 5   ? list[i / 5 % kept].box[i % 5 - 1]
					  : (double)b);
	}
	free(list);
	return RELAY_OK;
}

/* Corners top, left, bottom, right. */
static float
overlap_of_areas(const float *a, const float *b)
{
	float x = (a[2] - a[0]) * (a[3] - a[1]);
	float y = (b[2] - b[0]) * (b[3] - b[1]);
	float h = fmaxf(0, fminf(a[2], b[2]) - fmaxf(a[0], b[0]));
	float w = fmaxf(0, fminf(a[3], b[3]) - fmaxf(a[1], b[1]));

	return x <= 0 || y <= 0 ? 0 : h * w / (x + y - h * w);
}

/* What regular_non_max_suppression reads. */
struct regular {
	const void *boxes, *scores;
	int64_t n, columns, classes, per_class, limit;
	double least_overlap, least_score;
	int64_t dtype;
	struct candidate *list; /* of one class */
	struct candidate *best; /* of all so far; room for one class more */
};

/* The boxes of class C of image B that stay, into r->list; how many. */
static int64_t
choose_of_class(struct regular *r, int64_t b, int64_t c)
{
	int64_t m = 0;

	for (int64_t i = 0; i < r->n; i++) {
		struct candidate *x = &r->list[m];
		int64_t column = c + r->columns - r->classes;

		x->score =
			number(r->scores, (b * r->n + i) * r->columns + column,
			       r->dtype);
		if (!(x->score >= (float)r->least_score))
			continue;
		for (int k = 0; k < 4; k++)
			x->box[k] = number(r->boxes, (b * r->n + i) * 4 + k,
					   r->dtype);
		x->at = i;
		x->label = c;
		m++;
	}
	qsort(r->list, (size_t)m, sizeof(*r->list), better);
	m = thin_out(r->list, m, (float)r->least_overlap, overlap_of_areas);
	return m < r->per_class ? m : r->per_class;
}

/* The best of all classes of image B into r->best; how many. */
static int64_t
choose_of_image(struct regular *r, int64_t b)
{
	int64_t kept = 0;

	for (int64_t c = 0; c < r->classes; c++) {
		int64_t m = choose_of_class(r, b, c);

		memcpy(r->best + kept, r->list, (size_t)m * sizeof(*r->best));
		kept += m;
		for (int64_t i = 0; i < kept; i++)
			r->best[i].at = i;
		qsort(r->best, (size_t)kept, sizeof(*r->best), better);
		kept = kept < r->limit ? kept : r->limit;
	}
	return kept;
}

int32_t
relay_regular_nms(float *boxes_out, float *labels, float *scores_out,
		  int32_t *count, const void *boxes, const void *scores,
		  double least_overlap, double least_score, int64_t batch,
		  int64_t n, int64_t columns, int64_t classes,
		  int64_t per_class, int64_t limit, int64_t dtype)
{
	size_t room = (size_t)n + 1, total = (size_t)(batch * limit);
	struct regular r = {boxes,       scores,    n,     columns,
			    classes,     per_class, limit, least_overlap,
			    least_score, dtype,     NULL,  NULL};

	if (!element_size(dtype))
		return RELAY_E_DTYPE;
	if (classes > columns || per_class < 0 || classes < 0)
		return RELAY_E_ARG;
	r.list = malloc(room * sizeof(*r.list));
	r.best = malloc((room + (size_t)limit) * sizeof(*r.best));
	memset(boxes_out, 0, 4 * total * sizeof(*boxes_out));
	memset(labels, 0, total * sizeof(*labels));
	memset(scores_out, 0, total * sizeof(*scores_out));
	for (int64_t b = 0; b < batch && r.list && r.best; b++) {
		int64_t kept = choose_of_image(&r, b);

		for (int64_t i = 0; i < kept; i++) {
			memcpy(boxes_out + 4 * (b * limit + i), r.best[i].box,
			       sizeof(r.best[i].box));
			labels[b * limit + i] = (float)r.best[i].label;
			scores_out[b * limit + i] = r.best[i].score;
		}
		count[b] = (int32_t)kept;
	}
	total = r.list && r.best;
	free(r.list);
	free(r.best);
	return total ? RELAY_OK : RELAY_E_NOMEM;
}
