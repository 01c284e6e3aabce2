#include "support/vec.h"

#include <stdint.h>

#include "support/arena.h"
#include "support/memory.h"

void *
vec_reserve_bytes(void *at, size_t *cap, size_t n, size_t size)
{
	if (n <= *cap)
		return at;
	/* At least double, so that reserving bit by bit is linear, too. */
	if (n < *cap * 2)
		n = *cap * 2;
	if (n > SIZE_MAX / size)
		out_of_memory();
	*cap = n;
	return xrealloc(at, n * size);
}

void *
vec_grow(void *at, size_t *cap, size_t size)
{
	return vec_reserve_bytes(at, cap, *cap ? *cap * 2 : 8, size);
}
