/* Lists of entries: from sparse to dense, distinct elements. */
#include <stdlib.h>
#include <string.h>

#include "include/relay_rt.h"
#include "runtime/element.h"
#include "runtime/routines.h"

enum { MAX_RANK = 6 };

static void
copy_element(void *to, int64_t i, const void *from, int64_t k, size_t size)
{
	memcpy((char *)to + (size_t)i * size,
	       (const char *)from + (size_t)k * size, size);
}

int32_t
relay_sparse_to_dense(void *out, const void *places, const void *values,
		      const void *rest, int64_t n, int64_t scalar,
		      int64_t dtype, int64_t place_dtype, int64_t rank,
		      int64_t d0, int64_t d1, int64_t d2, int64_t d3,
		      int64_t d4, int64_t d5)
{
	const int64_t shape[MAX_RANK] = {d0, d1, d2, d3, d4, d5};
	size_t size = element_size(dtype);
	int64_t total = 1;

	if (!size || !element_size(place_dtype))
		return RELAY_E_DTYPE;
	for (int64_t i = 0; i < rank; i++)
		total *= shape[i];
	for (int64_t i = 0; i < total; i++)
		copy_element(out, i, rest, 0, size);
	for (int64_t k = 0; k < n; k++) {
		int64_t at = 0;

		for (int64_t i = 0; i < rank; i++) {
			int64_t x =
				element_int(places, k * rank + i, place_dtype);

			if (x < 0 || x >= shape[i])
				return RELAY_E_ARG;
			at = at * shape[i] + x;
		}
		copy_element(out, at, values, scalar ? 0 : k, size);
	}
	return RELAY_OK;
}

/* An element of unique's data and where it stood. */
struct item {
	int64_t value;
	int64_t at;
};

/* A number that orders like the element: floats by their bits. */
static int64_t
key_of(const void *data, int64_t i, int64_t dtype)
{
	double d;
	int64_t bits;

	if (!element_is_float(dtype))
		return element_int(data, i, dtype);
	d = element_double(data, i, dtype) + 0.0;
	memcpy(&bits, &d, sizeof(bits));
	return bits < 0 ? INT64_MIN - bits : bits;
}

static int
by_value(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static int
by_place(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Sorted elements; of equal ones the first stays. How many stay. */
static int64_t
distinct(struct item *items, int64_t n, struct item *out)
{
	int64_t m = 0;

	qsort(items, (size_t)n, sizeof(*items), by_value);
	for (int64_t i = 0; i < n; i++)
		if (i == 0 || items[i].value != items[i - 1].value)
			out[m++] = items[i];
	return m;
}

/* The rank of each of the M values in ITEMS, which are sorted by value. */
static void
put_inverse(const struct item *items, int64_t n, const int32_t *rank_of,
	    int32_t *inverse, int32_t *counts)
{
	int64_t k = -1;

	for (int64_t i = 0; i < n; i++) {
		if (i == 0 || items[i].value != items[i - 1].value)
			k++;
		inverse[items[i].at] = rank_of[k];
		if (counts)
			counts[rank_of[k]]++;
	}
}

int32_t
relay_unique_counts(void *values, int32_t *indices, int32_t *inverse,
		    int32_t *count, int32_t *counts, const void *data,
		    int64_t n, int64_t sorted, int64_t dtype)
{
	size_t room = (size_t)n + 1;
	struct item *items = malloc(room * sizeof(*items));
	struct item *kept = malloc(room * sizeof(*kept));
	int32_t *rank_of = malloc(room * sizeof(*rank_of));
	int64_t m = 0;
	bool ok = items && kept && rank_of;

	for (int64_t i = 0; i < n && ok; i++)
		items[i] = (struct item){key_of(data, i, dtype), i};
	if (ok) {
		m = distinct(items, n, kept);
		for (int64_t k = 0; k < m; k++)
			kept[k].value = k;
		if (!sorted)
			qsort(kept, (size_t)m, sizeof(*kept), by_place);
		for (int64_t k = 0; k < m; k++)
			rank_of[kept[k].value] = (int32_t)k;
		memset(values, 0, (size_t)n * element_size(dtype));
		for (int64_t i = 0; i < n; i++) {
			indices[i] = i < m ? (int32_t)kept[i].at : (int32_t)n;
			if (i < m)
				copy_element(values, i, data, kept[i].at,
					     element_size(dtype));
		}
		if (counts)
			memset(counts, 0, (size_t)n * sizeof(*counts));
		put_inverse(items, n, rank_of, inverse, counts);
		*count = (int32_t)m;
	}
	free(items);
	free(kept);
	free(rank_of);
	return ok ? RELAY_OK : RELAY_E_NOMEM;
}

int32_t
relay_unique(void *values, int32_t *indices, int32_t *inverse, int32_t *count,
	     const void *data, int64_t n, int64_t sorted, int64_t dtype)
{
	return relay_unique_counts(values, indices, inverse, count, NULL, data,
				   n, sorted, dtype);
}
