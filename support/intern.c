#include "support/intern.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "support/hash.h"

/* Length and hash stand in front of the text. */
struct head {
	uint64_t hash;
	size_t len;
	char text[];
};

struct intern_slot {
	struct head *head; /* NULL: free */
};

static const struct head *
head_of(const char *interned)
{
	return (const struct head *)(const void *)(interned -
						   offsetof(struct head, text));
}

void
interner_init(struct interner *in, struct arena *arena)
{
	*in = (struct interner){.arena = arena};
}

void
interner_free(struct interner *in)
{
	free(in->slots);
	*in = (struct interner){0};
}

static struct intern_slot *
find_slot(const struct interner *in, uint64_t hash, const char *s, size_t len)
{
	size_t mask = in->nslots - 1;

	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		struct head *h = in->slots[i].head;

		if (!h || (h->hash == hash && h->len == len &&
			   memcmp(h->text, s, len) == 0))
			return &in->slots[i];
	}
}

static void
grow(struct interner *in)
{
	struct interner bigger = *in;

	bigger.nslots = in->nslots ? in->nslots * 2 : 256;
	bigger.slots = xcalloc(bigger.nslots, sizeof(*bigger.slots));
	for (size_t i = 0; i < in->nslots; i++) {
		struct head *h = in->slots[i].head;

		if (h)
			find_slot(&bigger, h->hash, h->text, h->len)->head = h;
	}
	free(in->slots);
	*in = bigger;
}

const char *
intern(struct interner *in, const char *s, size_t len)
{
	uint64_t hash = hash_bytes(s, len);
	struct intern_slot *slot;

	if (in->count * 2 >= in->nslots)
		grow(in);
	slot = find_slot(in, hash, s, len);
	if (!slot->head) {
		struct head *h = arena_alloc(in->arena, sizeof(*h) + len + 1);

		h->hash = hash;
		h->len = len;
		if (len)
			memcpy(h->text, s, len);
		slot->head = h;
		in->count++;
	}
	return slot->head->text;
}

const char *
intern_str(struct interner *in, const char *s)
{
	return intern(in, s, strlen(s));
}

const char *
intern_find(const struct interner *in, const char *s, size_t len)
{
	struct intern_slot *slot;

	if (in->nslots == 0)
		return NULL;
	slot = find_slot(in, hash_bytes(s, len), s, len);
	return slot->head ? slot->head->text : NULL;
}

size_t
intern_len(const char *interned)
{
	return head_of(interned)->len;
}

uint64_t
intern_hash(const char *interned)
{
	return head_of(interned)->hash;
}
