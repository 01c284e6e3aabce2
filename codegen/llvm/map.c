/*
 * Tables from nodes to values. A value made in a scope that is closed is not
 * found any more.
 */
#include "codegen/llvm/internal.h"

#include <stdlib.h>

static struct lmap_entry *
place_of(const struct lmap *m, const void *key)
{
	uint64_t h = (uint64_t)(uintptr_t)key;
	uint32_t i;

	h = (h >> 2) * UINT64_C(0x9e3779b97f4a7c15);
	i = (uint32_t)(h >> 32) & (m->cap - 1);
	while (m->at[i].key && m->at[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->at[i];
}

LLVMValueRef
lmap_get(const struct lmap *m, const void *key)
{
	const struct lmap_entry *e;

	if (!m->cap)
		return NULL;
	e = place_of(m, key);
	if (!e->key || !e->value || (m->active && !(*m->active)[e->scope]))
		return NULL;
	return e->value;
}

static void
grow(struct lmap *m)
{
	struct lmap old = *m;

	m->cap = old.cap ? 2 * old.cap : 64;
	m->at = xcalloc(m->cap, sizeof(*m->at));
	m->used = 0;
	for (uint32_t i = 0; i < old.cap; i++) {
		const struct lmap_entry *e = &old.at[i];

		if (e->key && lmap_get(&old, e->key))
			lmap_put(m, e->key, e->value, e->scope);
	}
	free(old.at);
}

void
lmap_put(struct lmap *m, const void *key, LLVMValueRef v, uint32_t scope)
{
	struct lmap_entry *e;

	if (2 * (m->used + 1) > m->cap)
		grow(m);
	e = place_of(m, key);
	m->used += !e->key;
	*e = (struct lmap_entry){key, v, scope};
}

void
lmap_drop(struct lmap *m, const void *key)
{
	if (m->cap && place_of(m, key)->key)
		place_of(m, key)->value = NULL;
}

void
lmap_free(struct lmap *m)
{
	free(m->at);
	m->at = NULL;
	m->cap = m->used = 0;
}
