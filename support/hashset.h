/*
 * A set of pointers to things that are equal by what they hold: one of each is
 * kept. A set of zeros is empty.
 *
 *     const void **place = hashset_place(&set, hash, same, &key);
 *     if (!*place)
 *             *place = copy of key;
 *     return *place;
 */
#ifndef RELAY_SUPPORT_HASHSET_H
#define RELAY_SUPPORT_HASHSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hashset {
	struct hashset_slot *slots;
	size_t nslots; /* zero or a power of two */
	size_t count;
};

/* Is ITEM what KEY says? Their hashes are the same. */
typedef bool hashset_same(const void *item, const void *key);

/*
 * Where the item that is SAME as KEY stands. If there is none, *RESULT is NULL,
 * and the caller puts one there before the next call.
 */
const void **hashset_place(struct hashset *s, uint64_t hash, hashset_same *same,
			   const void *key);

void hashset_free(struct hashset *s);

#endif
