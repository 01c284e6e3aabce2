/*
 * Hash tables for names, with a stack for undoing.
 */
#include "parser/scope.h"

#include <string.h>

#include "support/arena.h"

enum { FIRST_SLOTS = 64, DENSE_GAP = 1 << 16 };

static size_t
home(uint64_t key, size_t nslots)
{
	return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) &
	       (nslots - 1);
}

static struct name_slot *
probe(const struct name_map *m, uint64_t key)
{
	size_t i = home(key, m->nslots);

	while (m->slots[i].key != 0 && m->slots[i].key != key)
		i = (i + 1) & (m->nslots - 1);
	return &m->slots[i];
}

const void *
name_map_get(const struct name_map *m, uint64_t key)
{
	return m->nslots ? probe(m, key)->value : NULL;
}

static void
grow(struct name_map *m)
{
	struct name_map old = *m;

	m->nslots = old.nslots ? old.nslots * 2 : FIRST_SLOTS;
	m->slots = xcalloc(m->nslots, sizeof(*m->slots));
	for (size_t i = 0; i < old.nslots; i++) {
		if (old.slots[i].key != 0)
			*probe(m, old.slots[i].key) = old.slots[i];
	}
	free(old.slots);
}

void
name_map_set(struct name_map *m, uint64_t key, const void *value)
{
	struct name_slot *slot;

	if (m->count * 2 >= m->nslots)
		grow(m);
	slot = probe(m, key);
	m->count += slot->key == 0;
	slot->key = key;
	slot->value = value;
}

void
name_map_free(struct name_map *m)
{
	free(m->slots);
	memset(m, 0, sizeof(*m));
}

void
scope_bind(struct scope *s, const char *name, const void *value)
{
	uint64_t key = (uintptr_t)name;
	struct name_slot old = {key, name_map_get(&s->map, key)};

	vec_push(&s->hidden, old);
	name_map_set(&s->map, key, value);
}

void
scope_leave(struct scope *s, size_t mark)
{
	while (s->hidden.len > mark) {
		struct name_slot old = vec_pop(&s->hidden);

		name_map_set(&s->map, old.key, old.value);
	}
}

void
scope_free(struct scope *s)
{
	name_map_free(&s->map);
	vec_free(&s->hidden);
}

/* Keys of the sparse table: numbers, moved off the reserved 0. */
static uint64_t
sparse_key(uint64_t number)
{
	return number + 1;
}

const void *
graph_find(const struct graph_table *t, uint64_t number)
{
	if (number < t->dense.len)
		return t->dense.at[number].value;
	return name_map_get(&t->sparse, sparse_key(number));
}

int
graph_bind(struct graph_table *t, uint64_t number, const void *value)
{
	struct graph_binding empty = {NULL, 0};
	struct graph_binding *b;

	if (number >= t->dense.len + DENSE_GAP) {
		name_map_set(&t->sparse, sparse_key(number), value);
		return 1;
	}
	while (t->dense.len <= number)
		vec_push(&t->dense, empty);
	b = &t->dense.at[number];
	if (b->value && b->epoch == t->epoch)
		return 0;
	b->value = value;
	b->epoch = t->epoch;
	return 1;
}

void
graph_free(struct graph_table *t)
{
	vec_free(&t->dense);
	name_map_free(&t->sparse);
}
