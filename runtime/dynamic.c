/*
 * Memory and checks of networks whose shapes are known at run time only.
 *
 * A network's arena begins with a place for an error, then come slots: a
 * pointer to a block each, which grows when a value needs more and is kept
 * from run to run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/relay_rt.h"
#include "runtime/element.h"
#include "runtime/routines.h"

enum { BLOCK_ALIGN = 64 };

static const int64_t max_bytes = INT64_C(1) << 46;

/* In front of the bytes of a block, in a line of its own. */
struct block {
	int64_t capacity;
};

/* What RELAY_ERROR_WORDS words hold. */
struct error {
	const char *place;
	char text[(RELAY_ERROR_WORDS - 1) * sizeof(void *)];
};

int32_t
relay_dyn_place(void *error, const char *place)
{
	((struct error *)error)->place = place;
	return RELAY_OK;
}

int32_t
relay_dyn_check(void *error, int64_t ok, const char *what, int64_t a, int64_t b)
{
	struct error *e = error;

	if (ok)
		return RELAY_OK;
	snprintf(e->text, sizeof(e->text),
		 "%s%s%s (%" PRId64 " and %" PRId64 ")",
		 e->place ? e->place : "", e->place ? ": " : "", what, a, b);
	return RELAY_E_SHAPE;
}

int64_t
relay_dyn_mul(int64_t a, int64_t b)
{
	int64_t c;

	if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &c))
		return INT64_MAX;
	return c;
}

static int32_t
no_memory(struct error *e, int64_t count, int64_t size)
{
	const char *place = e->place ? e->place : "";
	const char *colon = e->place ? ": " : "";

	if (count == INT64_MAX)
		snprintf(e->text, sizeof(e->text),
			 "%s%sa result has more than 2^63 elements", place,
			 colon);
	else
		snprintf(e->text, sizeof(e->text),
			 "%s%snot enough memory for a result of %" PRId64
			 " elements, %" PRId64 " bytes each",
			 place, colon, count, size);
	return RELAY_E_NOMEM;
}

int32_t
relay_dyn_alloc(void *error, void *slot, int64_t count, int64_t size)
{
	int64_t bytes = relay_dyn_mul(count, size);
	char *at;
	struct block *b;

	memcpy(&at, slot, sizeof(at));
	if (bytes > max_bytes)
		return no_memory(error, count, size);
	if (at && ((struct block *)(at - BLOCK_ALIGN))->capacity >= bytes)
		return RELAY_OK;
	if (at)
		free(at - BLOCK_ALIGN);
	bytes = (bytes + BLOCK_ALIGN) / BLOCK_ALIGN * BLOCK_ALIGN;
	b = aligned_alloc(BLOCK_ALIGN, (size_t)bytes + BLOCK_ALIGN);
	at = b ? (char *)b + BLOCK_ALIGN : NULL;
	memcpy(slot, &at, sizeof(at));
	if (!b)
		return no_memory(error, count, size);
	b->capacity = bytes;
	return RELAY_OK;
}

void
relay_dyn_free(void *arena, int32_t nslots)
{
	char **slot = (char **)arena + RELAY_ERROR_WORDS;

	for (int32_t i = 0; i < nslots; i++) {
		if (slot[i])
			free(slot[i] - BLOCK_ALIGN);
		slot[i] = NULL;
	}
}

const char *
relay_dyn_error(const void *arena)
{
	const struct error *e = arena;

	return e->text[0] ? e->text : NULL;
}

int32_t
relay_count_nonzero(const void *data, int64_t n, int64_t dtype)
{
	int64_t count = 0;

	if (!element_size(dtype))
		return RELAY_E_DTYPE;
	for (int64_t i = 0; i < n; i++)
		count += element_double(data, i, dtype) != 0;
	return count > INT32_MAX ? RELAY_E_SHAPE : (int32_t)count;
}

/* Row K is the place of the K-th element that is not 0. */
int32_t
relay_argwhere(void *out, const void *data, int64_t n, int64_t rank,
	       int64_t dtype, int64_t d0, int64_t d1, int64_t d2, int64_t d3,
	       int64_t d4, int64_t d5)
{
	const int64_t shape[] = {d0, d1, d2, d3, d4, d5};
	int32_t *row = out;

	if (!element_size(dtype))
		return RELAY_E_DTYPE;
	for (int64_t i = 0; i < n; i++) {
		int64_t rest = i;

		if (element_double(data, i, dtype) == 0)
			continue;
		for (int64_t d = rank; d-- > 0;) {
			row[d] = (int32_t)(rest % shape[d]);
			rest /= shape[d];
		}
		row += rank;
	}
	return RELAY_OK;
}
