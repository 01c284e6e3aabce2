/*
 * A table from pointers to words. A table of zeros is empty.
 *
 * The order of its slots depends on addresses, so it is never walked.
 */
#ifndef RELAY_SUPPORT_PTRMAP_H
#define RELAY_SUPPORT_PTRMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ptrmap_slot {
	const void *key; /* NULL: free */
	uintptr_t value;
};

struct ptrmap {
	struct ptrmap_slot *slots;
	size_t nslots; /* zero or a power of two */
	size_t count;
};

/* The value of KEY, which is no NULL; NULL if it has none. */
uintptr_t *ptrmap_find(const struct ptrmap *m, const void *key);

/*
 * The same, made with value 0 if it was not there: then *IS_NEW (may be NULL)
 * is set. The pointer is good until the next call.
 */
uintptr_t *ptrmap_add(struct ptrmap *m, const void *key, bool *is_new);

void ptrmap_free(struct ptrmap *m);

/* For maps from pointers to pointers. */
static inline const void *
ptrmap_get(const struct ptrmap *m, const void *key)
{
	uintptr_t *value = ptrmap_find(m, key);

	return value ? (const void *)*value : NULL;
}

static inline void
ptrmap_put(struct ptrmap *m, const void *key, const void *value)
{
	*ptrmap_add(m, key, NULL) = (uintptr_t)value;
}

#endif
