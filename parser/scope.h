/*
 * What names mean while a text is read.
 *
 * A scope is a hash table from keys (interned names by address) to values,
 * with a stack of what each binding hid: entering is taking a mark, leaving
 * is going back to it. Lookups and bindings take constant time however deep
 * the nesting.
 */
#ifndef RELAY_PARSER_SCOPE_H
#define RELAY_PARSER_SCOPE_H

#include <stddef.h>
#include <stdint.h>

#include "support/vec.h"

struct name_slot {
	uint64_t key; /* 0: empty */
	const void *value;
};

struct name_map {
	struct name_slot *slots;
	size_t nslots; /* zero or a power of two */
	size_t count;
};

/* The value of KEY (not 0), or NULL. */
const void *name_map_get(const struct name_map *m, uint64_t key);
void name_map_set(struct name_map *m, uint64_t key, const void *value);
void name_map_free(struct name_map *m);

struct scope {
	struct name_map map;
	VEC(struct name_slot) hidden; /* what to put back, oldest first */
};

static inline size_t
scope_mark(const struct scope *s)
{
	return s->hidden.len;
}

static inline const void *
scope_find(const struct scope *s, const char *name)
{
	return name_map_get(&s->map, (uintptr_t)name);
}

void scope_bind(struct scope *s, const char *name, const void *value);

/* Undo all bindings made since MARK was taken. */
void scope_leave(struct scope *s, size_t mark);
void scope_free(struct scope *s);

/*
 * The values of %0, %1, ...: one flat table for the whole text. Numbers near
 * those in use are an index into an array, others go to a hash table.
 */
struct graph_binding {
	const void *value;
	uint32_t epoch; /* number of the definition */
};

struct graph_table {
	VEC(struct graph_binding) dense;
	struct name_map sparse;
	uint32_t epoch;
};

/* The node bound to %NUMBER, or NULL. */
const void *graph_find(const struct graph_table *t, uint64_t number);

/*
 * Bind %NUMBER. False when the definition being read has bound it already;
 * the first binding then stays.
 */
int graph_bind(struct graph_table *t, uint64_t number, const void *value);
void graph_free(struct graph_table *t);

#endif
