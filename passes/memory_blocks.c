/*
 * Free blocks stand in lists by class of size. All blocks of the classes above
 * that of a size are large enough for it; of its own class the first few are
 * tried. A block that is given back joins free neighbours.
 */
#include "passes/memory_blocks.h"

#include <assert.h>

enum { TRIES = 8 };

static unsigned
class_of(int64_t bytes)
{
	unsigned log = 63 - (unsigned)__builtin_clzll((uint64_t)bytes);
	unsigned quarter = 0;

	if (log >= 2)
		quarter = (unsigned)(bytes >> (log - 2)) & 3;
	return 4 * log + quarter;
}

static void
add_free(struct memory_blocks *m, struct memory_block *b)
{
	unsigned c = class_of(b->bytes);

	b->is_free = true;
	b->previous = NULL;
	b->next = m->free[c];
	if (b->next)
		b->next->previous = b;
	m->free[c] = b;
	m->some[c / 64] |= UINT64_C(1) << (c % 64);
}

static void
remove_free(struct memory_blocks *m, struct memory_block *b)
{
	unsigned c = class_of(b->bytes);

	b->is_free = false;
	if (b->next)
		b->next->previous = b->previous;
	if (b->previous)
		b->previous->next = b->next;
	else
		m->free[c] = b->next;
	if (!m->free[c])
		m->some[c / 64] &= ~(UINT64_C(1) << (c % 64));
}

/* The first class from C on that has blocks; MEMORY_CLASSES: none. */
static unsigned
class_from(const struct memory_blocks *m, unsigned c)
{
	for (unsigned w = c / 64; w < MEMORY_CLASSES / 64; w++) {
		uint64_t bits = m->some[w];

		if (w == c / 64)
			bits &= ~UINT64_C(0) << (c % 64);
		if (bits)
			return 64 * w + (unsigned)__builtin_ctzll(bits);
	}
	return MEMORY_CLASSES;
}

static struct memory_block *
find_free(const struct memory_blocks *m, int64_t bytes)
{
	unsigned c = class_of(bytes);
	struct memory_block *b = m->free[c];

	for (int i = 0; i < TRIES && b; i++, b = b->next)
		if (b->bytes >= bytes)
			return b;
	c = c + 1 < MEMORY_CLASSES ? class_from(m, c + 1) : MEMORY_CLASSES;
	return c < MEMORY_CLASSES ? m->free[c] : NULL;
}

/* A block behind B, of which it takes what is over BYTES. */
static void
split(struct memory_blocks *m, struct memory_block *b, int64_t bytes)
{
	struct memory_block *rest;

	if (b->bytes == bytes)
		return;
	rest = ARENA_NEW(&m->arena, struct memory_block);
	rest->offset = b->offset + bytes;
	rest->bytes = b->bytes - bytes;
	rest->before = b;
	rest->after = b->after;
	if (rest->after)
		rest->after->before = rest;
	else
		m->last = rest;
	b->after = rest;
	b->bytes = bytes;
	add_free(m, rest);
}

static struct memory_block *
grow(struct memory_blocks *m, int64_t bytes)
{
	struct memory_block *last = m->last;
	struct memory_block *b;

	if (last && last->is_free) {
		remove_free(m, last);
		last->bytes = bytes;
		return last;
	}
	b = ARENA_NEW(&m->arena, struct memory_block);
	b->offset = last ? last->offset + last->bytes : 0;
	b->bytes = bytes;
	b->before = last;
	if (last)
		last->after = b;
	m->last = b;
	return b;
}

struct memory_block *
memory_blocks_take(struct memory_blocks *m, int64_t bytes)
{
	struct memory_block *b;

	assert(bytes > 0);
	b = find_free(m, bytes);
	if (!b)
		return grow(m, bytes);
	remove_free(m, b);
	split(m, b, bytes);
	return b;
}

/* B takes over what is behind it. */
static void
join(struct memory_blocks *m, struct memory_block *b)
{
	struct memory_block *gone = b->after;

	b->bytes += gone->bytes;
	b->after = gone->after;
	if (b->after)
		b->after->before = b;
	else
		m->last = b;
}

void
memory_blocks_give(struct memory_blocks *m, struct memory_block *b)
{
	if (b->after && b->after->is_free) {
		remove_free(m, b->after);
		join(m, b);
	}
	if (b->before && b->before->is_free) {
		b = b->before;
		remove_free(m, b);
		join(m, b);
	}
	add_free(m, b);
}

void
memory_blocks_free(struct memory_blocks *m)
{
	arena_free(&m->arena);
}
