/*
 * Sets and tables of nodes, by id.
 *
 * Most are about a few nodes of a large module, some about all of them. A
 * table therefore begins as a hash table of what is in it, and becomes an
 * array over all ids once that is not much larger: its size is linear in the
 * number of entries either way.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/visits.h"
#include "ir/walk.h"
#include "support/arena.h"

/* An array may be so many times as long as the hash table it replaces. */
enum { first_slots = 16, dense_factor = 4 };

static _Thread_local uint64_t visits;

uint64_t
ir_visits(void)
{
	return visits;
}

static size_t
hash_key(uint32_t key)
{
	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* The slot of KEY among N (a power of two) keys, of which 0 is free. */
static size_t
find_slot(const uint32_t *keys, size_t n, uint32_t key)
{
	size_t i = hash_key(key) & (n - 1);

	while (keys[i] && keys[i] != key)
		i = (i + 1) & (n - 1);
	return i;
}

static size_t
power_above(size_t n)
{
	size_t p = first_slots;

	while (p <= n)
		p *= 2;
	return p;
}

static void
set_densify(struct ir_set *s, size_t n)
{
	uint64_t *bits = xcalloc(n, sizeof(*bits));

	for (size_t i = 0; s->keys && i < s->nwords; i++)
		if (s->keys[i])
			bits[s->keys[i] - 1] = s->bits[i];
	if (!s->keys && s->nwords)
		memcpy(bits, s->bits, s->nwords * sizeof(*bits));
	free(s->keys);
	free(s->bits);
	s->keys = NULL;
	s->bits = bits;
	s->nwords = n;
}

static void
set_rehash(struct ir_set *s, size_t n)
{
	uint64_t *bits = xcalloc(n, sizeof(*bits));
	uint32_t *keys = xcalloc(n, sizeof(*keys));

	for (size_t i = 0; i < s->nwords; i++) {
		uint32_t key = s->keys ? s->keys[i] : (uint32_t)i + 1;
		size_t slot;

		if (!key || !s->bits[i])
			continue;
		slot = find_slot(keys, n, key);
		keys[slot] = key;
		bits[slot] = s->bits[i];
	}
	free(s->keys);
	free(s->bits);
	s->keys = keys;
	s->bits = bits;
	s->nwords = n;
}

/* Is an array up to index TOP small enough for USED entries? */
static bool
is_dense(size_t top, size_t used)
{
	return used >= first_slots / 2 && top / dense_factor < 2 * used;
}

/* Make room for word W, in one form or the other. */
static void
set_reserve(struct ir_set *s, uint32_t w)
{
	if (w > s->top)
		s->top = w;
	if (s->keys && 2 * s->used < s->nwords)
		return;
	if (is_dense(s->top, s->used))
		set_densify(s, power_above(s->top));
	else
		set_rehash(s, power_above(4 * s->used));
}

bool
ir_set_has(const struct ir_set *s, const ir_expr *e)
{
	uint32_t w = e->id / 64;
	size_t i = w;

	if (s->keys) {
		i = find_slot(s->keys, s->nwords, w + 1);
		if (!s->keys[i])
			return false;
	}
	return i < s->nwords && (s->bits[i] >> (e->id % 64) & 1);
}

bool
ir_set_add(struct ir_set *s, const ir_expr *e)
{
	uint32_t w = e->id / 64;
	uint64_t bit = UINT64_C(1) << (e->id % 64);
	size_t i = w;
	bool had;

	visits++;
	if (s->keys || w >= s->nwords)
		set_reserve(s, w);
	if (s->keys) {
		i = find_slot(s->keys, s->nwords, w + 1);
		s->keys[i] = w + 1;
	}
	s->used += s->bits[i] == 0;
	had = s->bits[i] & bit;
	s->bits[i] |= bit;
	return !had;
}

/* A set that was large once must not make it slow to clear few entries. */
void
ir_set_clear(struct ir_set *s)
{
	if (s->nwords > first_slots && s->used < s->nwords / 16) {
		ir_set_free(s);
		return;
	}
	if (s->keys)
		memset(s->keys, 0, s->nwords * sizeof(*s->keys));
	if (s->nwords)
		memset(s->bits, 0, s->nwords * sizeof(*s->bits));
	s->used = 0;
}

void
ir_set_free(struct ir_set *s)
{
	free(s->bits);
	free(s->keys);
	*s = (struct ir_set){0};
}

static void
map_densify(struct ir_map *map, size_t n)
{
	void **values = xcalloc(n, sizeof(*values));

	for (size_t i = 0; map->keys && i < map->nslots; i++)
		if (map->keys[i])
			values[map->keys[i] - 1] = map->values[i];
	if (!map->keys && map->nslots)
		memcpy(values, map->values, map->nslots * sizeof(*values));
	free(map->keys);
	free(map->values);
	map->keys = NULL;
	map->values = values;
	map->nslots = n;
}

static void
map_rehash(struct ir_map *map, size_t n)
{
	void **values = xcalloc(n, sizeof(*values));
	uint32_t *keys = xcalloc(n, sizeof(*keys));

	for (size_t i = 0; i < map->nslots; i++) {
		uint32_t key = map->keys ? map->keys[i] : (uint32_t)i + 1;
		size_t slot;

		if (!key || !map->values[i])
			continue;
		slot = find_slot(keys, n, key);
		keys[slot] = key;
		values[slot] = map->values[i];
	}
	free(map->keys);
	free(map->values);
	map->keys = keys;
	map->values = values;
	map->nslots = n;
}

static void
map_reserve(struct ir_map *map, uint32_t id)
{
	if (id > map->top)
		map->top = id;
	if (map->keys && 2 * map->used < map->nslots)
		return;
	if (is_dense(map->top, map->used))
		map_densify(map, power_above(map->top));
	else
		map_rehash(map, power_above(4 * map->used));
}

void *
ir_map_get(const struct ir_map *map, const ir_expr *e)
{
	if (map->keys) {
		size_t i = find_slot(map->keys, map->nslots, e->id + 1);

		return map->keys[i] ? map->values[i] : NULL;
	}
	return e->id < map->nslots ? map->values[e->id] : NULL;
}

void
ir_map_put(struct ir_map *map, const ir_expr *e, const void *value)
{
	size_t i = e->id;

	visits++;
	if (!value && !ir_map_get(map, e))
		return;
	if (map->keys || i >= map->nslots)
		map_reserve(map, e->id);
	if (map->keys) {
		i = find_slot(map->keys, map->nslots, e->id + 1);
		map->keys[i] = e->id + 1;
	}
	map->used += map->values[i] == NULL;
	map->values[i] = (void *)(uintptr_t)value;
}

void
ir_map_free(struct ir_map *map)
{
	free(map->values);
	free(map->keys);
	*map = (struct ir_map){0};
}
