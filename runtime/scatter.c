/*
 * Scattering updates into a copy of an array. Updates are taken in order, so
 * of several at one place the last one wins.
 */
#include <string.h>

#include "include/relay_rt.h"
#include "runtime/element.h"
#include "runtime/routines.h"

enum { MAX_RANK = 6 };

enum reduction { UPDATE, ADD, MUL, MEAN, MIN, MAX };

static void
put_float(void *out, int64_t at, const void *updates, int64_t from,
	  enum reduction how, int64_t dtype)
{
	double old = element_double(out, at, dtype);
	double x = element_double(updates, from, dtype);

	switch (how) {
	case UPDATE:
		break;
	case ADD:
		x = old + x;
		break;
	case MUL:
		x = old * x;
		break;
	case MEAN:
		x = (old + x) / 2;
		break;
	case MIN:
		x = old < x ? old : x;
		break;
	case MAX:
		x = old > x ? old : x;
		break;
	}
	element_put_double(out, at, dtype, x);
}

static void
put_int(void *out, int64_t at, const void *updates, int64_t from,
	enum reduction how, int64_t dtype)
{
	int64_t old = element_int(out, at, dtype);
	int64_t x = element_int(updates, from, dtype);

	switch (how) {
	case UPDATE:
		break;
	case ADD:
		x = (int64_t)((uint64_t)old + (uint64_t)x);
		break;
	case MUL:
		x = (int64_t)((uint64_t)old * (uint64_t)x);
		break;
	case MEAN:
		x = (int64_t)((uint64_t)old + (uint64_t)x) / 2;
		break;
	case MIN:
		x = old < x ? old : x;
		break;
	case MAX:
		x = old > x ? old : x;
		break;
	}
	element_put_int(out, at, dtype, x);
}

static void
put(void *out, int64_t at, const void *updates, int64_t from,
    enum reduction how, int64_t dtype)
{
	if (element_is_float(dtype))
		put_float(out, at, updates, from, how, dtype);
	else
		put_int(out, at, updates, from, how, dtype);
}

static int64_t
product(const int64_t *shape, int64_t rank)
{
	int64_t n = 1;

	for (int64_t i = 0; i < rank; i++)
		n *= shape[i];
	return n;
}

int32_t
relay_scatter_elements(void *out, const void *data, const void *indices,
		       const void *updates, int64_t axis, int64_t how,
		       int64_t dtype, int64_t index_dtype, int64_t rank,
		       int64_t d0, int64_t d1, int64_t d2, int64_t d3,
		       int64_t d4, int64_t d5, int64_t i0, int64_t i1,
		       int64_t i2, int64_t i3, int64_t i4, int64_t i5)
{
	const int64_t shape[MAX_RANK] = {d0, d1, d2, d3, d4, d5};
	const int64_t box[MAX_RANK] = {i0, i1, i2, i3, i4, i5};
	int64_t n = product(box, rank);

	if (!element_size(dtype) || !element_size(index_dtype))
		return RELAY_E_DTYPE;
	if (rank > MAX_RANK || axis < 0 || axis >= rank)
		return RELAY_E_SHAPE;
	memcpy(out, data, (size_t)product(shape, rank) * element_size(dtype));
	for (int64_t k = 0; k < n; k++) {
		int64_t rest = k;
		int64_t stride = 1;
		int64_t at = 0;

		for (int64_t i = rank; i-- > 0;) {
			int64_t x = rest % box[i];

			rest /= box[i];
			if (i == axis) {
				x = element_int(indices, k, index_dtype);
				x += x < 0 ? shape[i] : 0;
				if (x < 0 || x >= shape[i])
					return RELAY_E_ARG;
			}
			at += x * stride;
			stride *= shape[i];
		}
		put(out, at, updates, k, (enum reduction)how, dtype);
	}
	return RELAY_OK;
}

int32_t
relay_scatter_nd(void *out, const void *data, const void *indices,
		 const void *updates, int64_t how, int64_t dtype,
		 int64_t index_dtype, int64_t coordinates, int64_t points,
		 int64_t slice, int64_t d0, int64_t d1, int64_t d2, int64_t d3,
		 int64_t d4, int64_t d5)
{
	const int64_t shape[MAX_RANK] = {d0, d1, d2, d3, d4, d5};

	if (!element_size(dtype) || !element_size(index_dtype))
		return RELAY_E_DTYPE;
	if (coordinates < 0 || coordinates > MAX_RANK)
		return RELAY_E_SHAPE;
	memcpy(out, data,
	       (size_t)(product(shape, coordinates) * slice) *
		       element_size(dtype));
	for (int64_t p = 0; p < points; p++) {
		int64_t at = 0;

		for (int64_t i = 0; i < coordinates; i++) {
			int64_t x = element_int(indices, i * points + p,
						index_dtype);

			if (x < 0 || x >= shape[i])
				return RELAY_E_ARG;
			at = at * shape[i] + x;
		}
		for (int64_t k = 0; k < slice; k++)
			put(out, at * slice + k, updates, p * slice + k,
			    (enum reduction)how, dtype);
	}
	return RELAY_OK;
}
