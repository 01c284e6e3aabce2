/*
 * Places in a block of memory that grows, taken and given back one by one:
 * each in constant time, however many are taken.
 */
#ifndef RELAY_PASSES_MEMORY_BLOCKS_H
#define RELAY_PASSES_MEMORY_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "support/arena.h"

/* Four classes of sizes for each power of two. */
enum { MEMORY_CLASSES = 4 * 64 };

struct memory_block {
	int64_t offset;
	int64_t bytes;
	bool is_free;
	struct memory_block *before, *after;  /* in memory */
	struct memory_block *previous, *next; /* free ones of a class */
};

struct memory_blocks {
	struct arena arena;
	struct memory_block *last;
	struct memory_block *free[MEMORY_CLASSES];
	uint64_t some[MEMORY_CLASSES / 64]; /* bits of classes with blocks */
};

/*
 * Take BYTES, more than 0: a free block that is not much larger, else the end
 * of the memory. All zero is an empty memory; end with memory_blocks_free.
 */
struct memory_block *memory_blocks_take(struct memory_blocks *m, int64_t bytes);
void memory_blocks_give(struct memory_blocks *m, struct memory_block *b);
void memory_blocks_free(struct memory_blocks *m);

#endif
