/*
 * Interned strings: equal text is one pointer, so names compare by pointer.
 */
#ifndef RELAY_SUPPORT_INTERN_H
#define RELAY_SUPPORT_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "support/arena.h"

struct interner {
	struct arena *arena; /* borrowed: holds the text */
	struct intern_slot *slots;
	size_t nslots; /* zero or a power of two */
	size_t count;
};

void interner_init(struct interner *in, struct arena *arena);
void interner_free(struct interner *in);

/* The one copy of S[0..LEN), zero-terminated; it may hold NUL bytes. */
const char *intern(struct interner *in, const char *s, size_t len);
const char *intern_str(struct interner *in, const char *s);

/* The same without adding: NULL when the text was never interned. */
const char *intern_find(const struct interner *in, const char *s, size_t len);

/* The length, in constant time, and the hash of an interned string. */
size_t intern_len(const char *interned);
uint64_t intern_hash(const char *interned);

#endif
