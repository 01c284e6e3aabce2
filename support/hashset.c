#include "support/hashset.h"

#include <stdlib.h>

#include "support/arena.h"

struct hashset_slot {
	uint64_t hash;
	const void *item; /* NULL: free */
};

static void
grow(struct hashset *s)
{
	size_t n = s->nslots ? s->nslots * 2 : 64;
	struct hashset_slot *slots = xcalloc(n, sizeof(*slots));

	for (size_t i = 0; i < s->nslots; i++) {
		size_t to = s->slots[i].hash & (n - 1);

		if (!s->slots[i].item)
			continue;
		while (slots[to].item)
			to = (to + 1) & (n - 1);
		slots[to] = s->slots[i];
	}
	free(s->slots);
	s->slots = slots;
	s->nslots = n;
}

const void **
hashset_place(struct hashset *s, uint64_t hash, hashset_same *same,
	      const void *key)
{
	struct hashset_slot *slot;

	if (s->count * 2 >= s->nslots)
		grow(s);
	for (size_t i = hash;; i++) {
		slot = &s->slots[i & (s->nslots - 1)];
		if (!slot->item)
			break;
		if (slot->hash == hash && same(slot->item, key))
			return &slot->item;
	}
	slot->hash = hash;
	s->count++;
	return &slot->item;
}

void
hashset_free(struct hashset *s)
{
	free(s->slots);
	*s = (struct hashset){0};
}
