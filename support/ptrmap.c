#include "support/ptrmap.h"

#include <stdlib.h>

#include "support/arena.h"
#include "support/hash.h"

static struct ptrmap_slot *
find_slot(struct ptrmap_slot *slots, size_t nslots, const void *key)
{
	size_t mask = nslots - 1;
	size_t i = hash_mix(0, (uint64_t)(uintptr_t)key) & mask;

	while (slots[i].key && slots[i].key != key)
		i = (i + 1) & mask;
	return &slots[i];
}

static void
grow(struct ptrmap *m)
{
	size_t n = m->nslots ? m->nslots * 2 : 32;
	struct ptrmap_slot *slots = xcalloc(n, sizeof(*slots));

	for (size_t i = 0; i < m->nslots; i++)
		if (m->slots[i].key)
			*find_slot(slots, n, m->slots[i].key) = m->slots[i];
	free(m->slots);
	m->slots = slots;
	m->nslots = n;
}

uintptr_t *
ptrmap_find(const struct ptrmap *m, const void *key)
{
	struct ptrmap_slot *slot;

	if (m->nslots == 0)
		return NULL;
	slot = find_slot(m->slots, m->nslots, key);
	return slot->key ? &slot->value : NULL;
}

uintptr_t *
ptrmap_add(struct ptrmap *m, const void *key, bool *is_new)
{
	struct ptrmap_slot *slot;

	if (m->count * 2 >= m->nslots)
		grow(m);
	slot = find_slot(m->slots, m->nslots, key);
	if (is_new)
		*is_new = slot->key == NULL;
	if (!slot->key) {
		slot->key = key;
		m->count++;
	}
	return &slot->value;
}

void
ptrmap_free(struct ptrmap *m)
{
	free(m->slots);
	*m = (struct ptrmap){0};
}
