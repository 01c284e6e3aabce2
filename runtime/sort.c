/*
 * Sorting along an axis: keys of a line are copied out, their positions are
 * sorted by merging, and values or positions are written back.
 */
#include <stdlib.h>
#include <string.h>

#include "include/relay_rt.h"
#include "runtime/element.h"
#include "runtime/routines.h"

struct line {
	int64_t n;
	bool is_float;
	bool ascending;
	double *f; /* the keys */
	int64_t *i;
	int64_t *order; /* sorted positions */
	int64_t *spare;
};

static bool
line_init(struct line *l, int64_t n, int64_t ascending, int64_t dtype)
{
	size_t count = (size_t)n + 1;

	l->n = n;
	l->is_float = element_is_float(dtype);
	l->ascending = ascending != 0;
	l->f = malloc(count * sizeof(*l->f));
	l->i = malloc(count * sizeof(*l->i));
	l->order = malloc(count * sizeof(*l->order));
	l->spare = malloc(count * sizeof(*l->spare));
	return l->f && l->i && l->order && l->spare;
}

static void
line_free(struct line *l)
{
	free(l->f);
	free(l->i);
	free(l->order);
	free(l->spare);
}

/* Position B must come before position A, which stands before it. */
static bool
swapped(const struct line *l, int64_t a, int64_t b)
{
	if (l->is_float)
		return l->ascending ? l->f[b] < l->f[a] : l->f[b] > l->f[a];
	return l->ascending ? l->i[b] < l->i[a] : l->i[b] > l->i[a];
}

static void
merge(const struct line *l, int64_t *to, const int64_t *from, int64_t begin,
      int64_t middle, int64_t end)
{
	int64_t a = begin, b = middle;

	for (int64_t k = begin; k < end; k++) {
		bool second = a == middle ||
			      (b < end && swapped(l, from[a], from[b]));

		to[k] = second ? from[b++] : from[a++];
	}
}

static void
sort(struct line *l)
{
	for (int64_t i = 0; i < l->n; i++)
		l->order[i] = i;
	for (int64_t width = 1; width < l->n; width *= 2) {
		int64_t *t = l->spare;

		for (int64_t i = 0; i < l->n; i += 2 * width) {
			int64_t middle = i + width < l->n ? i + width : l->n;
			int64_t end =
				middle + width < l->n ? middle + width : l->n;

			merge(l, l->spare, l->order, i, middle, end);
		}
		l->spare = l->order;
		l->order = t;
	}
}

/* Sort the line that starts at element BASE and steps by INNER. */
static void
sort_line(struct line *l, const void *data, int64_t base, int64_t inner,
	  int64_t dtype)
{
	for (int64_t i = 0; i < l->n; i++) {
		int64_t at = base + i * inner;

		if (l->is_float)
			l->f[i] = element_double(data, at, dtype);
		else
			l->i[i] = element_int(data, at, dtype);
	}
	sort(l);
}

int32_t
relay_topk(void *values, void *indices, const void *data, int64_t outer,
	   int64_t n, int64_t inner, int64_t k, int64_t ascending,
	   int64_t dtype, int64_t out_dtype)
{
	size_t size = element_size(dtype);
	struct line l = {0};

	if (!size || (indices && !element_size(out_dtype)))
		return RELAY_E_DTYPE;
	if (!line_init(&l, n, ascending, dtype)) {
		line_free(&l);
		return RELAY_E_NOMEM;
	}
	if (k < 1)
		k = n;
	for (int64_t o = 0; o < outer * inner; o++) {
		int64_t base = o / inner * n * inner + o % inner;
		int64_t to = o / inner * k * inner + o % inner;

		sort_line(&l, data, base, inner, dtype);
		for (int64_t i = 0; i < k && i < n; i++) {
			int64_t at = base + l.order[i] * inner;

			if (values)
				memcpy((char *)values +
					       (size_t)(to + i * inner) * size,
				       (const char *)data + (size_t)at * size,
				       size);
			if (indices)
				element_put_int(indices, to + i * inner,
						out_dtype, l.order[i]);
		}
	}
	line_free(&l);
	return RELAY_OK;
}

int32_t
relay_topk_values(void *values, const void *data, int64_t outer, int64_t n,
		  int64_t inner, int64_t k, int64_t ascending, int64_t dtype)
{
	return relay_topk(values, NULL, data, outer, n, inner, k, ascending,
			  dtype, 0);
}

int32_t
relay_topk_indices(void *indices, const void *data, int64_t outer, int64_t n,
		   int64_t inner, int64_t k, int64_t ascending, int64_t dtype,
		   int64_t out_dtype)
{
	return relay_topk(NULL, indices, data, outer, n, inner, k, ascending,
			  dtype, out_dtype);
}

int32_t
relay_sort(void *out, const void *data, int64_t outer, int64_t n, int64_t inner,
	   int64_t ascending, int64_t dtype)
{
	return relay_topk(out, NULL, data, outer, n, inner, n, ascending, dtype,
			  0);
}

int32_t
relay_argsort(void *out, const void *data, int64_t outer, int64_t n,
	      int64_t inner, int64_t ascending, int64_t dtype,
	      int64_t out_dtype)
{
	return relay_topk(NULL, out, data, outer, n, inner, n, ascending, dtype,
			  out_dtype);
}
