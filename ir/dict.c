/*
 * Dictionaries that iterate in the order of TVM's map.
 *
 * Up to four entries the order is that of insertion. Setting an entry while
 * there are four already moves the map to a hash table, for good; a literal
 * of four or more entries starts there. Iteration then goes by slot. The
 * table is simulated here: a dictionary holds its entries in the order that
 * comes out, and where each stands, so that a copy of it goes on from there.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/attr.h"
#include "ir/module.h"
#include "support/hash.h"
#include "support/ptrmap.h"

enum {
	SMALL_MAX = 4,
	NPROBES = 126,
	FREE = -1,
};

/* TVM's hash of a string: words of eight bytes, little-endian. */
static uint64_t
key_hash(const char *key)
{
	size_t len = intern_len(key);
	uint64_t r = 0;

	for (size_t i = 0; i < len; i += 8) {
		uint64_t w = 0;

		for (size_t j = 0; j < 8 && i + j < len; j++)
			w |= (uint64_t)(unsigned char)key[i + j] << (8 * j);
		r = (r * UINT64_C(1099511628211) + w) % UINT64_C(2147483647);
	}
	return r;
}

/* Distances tried from the end of a chain: 1..15, then triangular numbers. */
static uint64_t
probe_distance(unsigned i)
{
	uint64_t k = i - 15 + 5;

	return i < 15 ? i + 1 : (k + 1) * (k + 2) / 2;
}

struct table {
	uint32_t nslots;
	uint32_t count;
	int32_t *entry; /* index into entries, or FREE */
	int32_t *next;  /* slot of the next in the chain */
	bool *is_head;
	const struct ir_dict_entry *entries;
	struct arena *arena;
};

static void
table_init(struct table *t, uint32_t nslots)
{
	t->nslots = nslots;
	t->count = 0;
	t->entry = ARENA_NEW_ARRAY(t->arena, nslots, int32_t);
	t->next = ARENA_NEW_ARRAY(t->arena, nslots, int32_t);
	t->is_head = ARENA_NEW_ARRAY(t->arena, nslots, bool);
	for (uint32_t i = 0; i < nslots; i++)
		t->entry[i] = t->next[i] = FREE;
}

static uint32_t
home_of(const struct table *t, const char *key)
{
	unsigned shift = 64;

	for (uint32_t n = t->nslots; n > 1; n /= 2)
		shift--;
	return (uint32_t)((key_hash(key) * UINT64_C(11400714819323198485)) >>
			  shift);
}

/* First empty slot at a probe distance from FROM; FREE if none. */
static int32_t
find_empty(const struct table *t, uint32_t from, int64_t avoid)
{
	for (unsigned i = 0; i < NPROBES; i++) {
		uint64_t d = probe_distance(i);
		uint32_t s;

		if (d >= t->nslots)
			return FREE;
		s = (uint32_t)((from + d) & (t->nslots - 1));
		if (t->entry[s] == FREE && (int64_t)s != avoid)
			return (int32_t)s;
	}
	return FREE;
}

static void
put_at(struct table *t, uint32_t slot, int32_t entry, bool head)
{
	t->entry[slot] = entry;
	t->is_head[slot] = head;
	t->next[slot] = FREE;
}

/*
 * The home of a new key holds a member of somebody else's chain: that member
 * and those behind it move on, so that the key can head a chain of its own.
 */
static bool
evict(struct table *t, uint32_t slot)
{
	uint32_t prev = home_of(t, t->entries[t->entry[slot]].key);
	int32_t at = (int32_t)slot;
	bool first = true;

	while (t->next[prev] != (int32_t)slot)
		prev = (uint32_t)t->next[prev];
	while (at != FREE) {
		int32_t to = find_empty(t, prev, slot);
		int32_t after = t->next[at];

		if (to == FREE)
			return false;
		put_at(t, (uint32_t)to, t->entry[at], false);
		t->next[prev] = to;
		t->entry[at] = FREE;
		t->next[at] = FREE;
		t->is_head[at] = false;
		if (first)
			t->entry[slot] = FREE;
		first = false;
		prev = (uint32_t)to;
		at = after;
	}
	return true;
}

static bool
try_insert(struct table *t, int32_t entry)
{
	uint32_t home = home_of(t, t->entries[entry].key);
	uint32_t last = home;
	int32_t to;

	if (t->entry[home] == FREE) {
		put_at(t, home, entry, true);
		t->count++;
		return true;
	}
	if (t->count + 1 > t->nslots * 0.99)
		return false;
	if (!t->is_head[home]) {
		if (!evict(t, home))
			return false;
		put_at(t, home, entry, true);
		t->count++;
		return true;
	}
	while (t->next[last] != FREE)
		last = (uint32_t)t->next[last];
	to = find_empty(t, last, FREE);
	if (to == FREE)
		return false;
	put_at(t, (uint32_t)to, entry, false);
	t->next[last] = to;
	t->count++;
	return true;
}

static void
insert(struct table *t, int32_t entry)
{
	while (!try_insert(t, entry)) {
		struct table old = *t;

		table_init(t, old.nslots * 2);
		insert(t, entry);
		for (uint32_t i = 0; i < old.nslots; i++)
			if (old.entry[i] != FREE)
				insert(t, old.entry[i]);
		return;
	}
}

static uint32_t
find_key(const struct ir_dict_entry *e, uint32_t n, const char *key)
{
	uint32_t i = 0;

	while (i < n && e[i].key != key)
		i++;
	return i;
}

static ir_dict *
dict_alloc(ir_context *cx, const struct ir_dict_entry *e, uint32_t n)
{
	size_t size = n * sizeof(*e);
	ir_dict *d = arena_alloc(&cx->arena, sizeof(*d) + size);

	d->n = n;
	if (size)
		memcpy(d->entry, e, size);
	return d;
}

/* T as D left it; the entries of T begin with those of D. */
static void
load(struct table *t, const ir_dict *d)
{
	table_init(t, d->nslots);
	for (uint32_t i = 0; i < d->n; i++) {
		uint32_t slot = (uint32_t)d->place[i].slot;

		t->entry[slot] = (int32_t)i;
		t->next[slot] = d->place[i].next;
		t->is_head[slot] = slot == home_of(t, d->entry[i].key);
	}
	t->count = d->n;
}

/* T as a dictionary. */
static ir_dict *
save(ir_context *cx, const struct table *t)
{
	struct ir_dict_place *place =
		ARENA_NEW_ARRAY(&cx->arena, t->count, struct ir_dict_place);
	ir_dict *d = dict_alloc(cx, t->entries, t->count);
	uint32_t k = 0;

	for (uint32_t i = 0; i < t->nslots; i++) {
		if (t->entry[i] == FREE)
			continue;
		place[k] = (struct ir_dict_place){(int32_t)i, t->next[i]};
		d->entry[k++] = t->entries[t->entry[i]];
	}
	d->nslots = t->nslots;
	d->place = place;
	return d;
}

/* FROM with what E[0..N) has behind it; NULL: a new table of NSLOTS. */
static ir_dict *
dict_hashed(ir_context *cx, const ir_dict *from, const struct ir_dict_entry *e,
	    uint32_t n, uint32_t nslots)
{
	struct arena scratch = {0};
	struct table t = {.entries = e, .arena = &scratch};
	ir_dict *d;

	if (from)
		load(&t, from);
	else
		table_init(&t, nslots);
	for (uint32_t i = from ? from->n : 0; i < n; i++)
		insert(&t, (int32_t)i);
	d = save(cx, &t);
	arena_free(&scratch);
	return d;
}

const ir_dict *
ir_dict_new(ir_context *cx, const struct ir_dict_entry *e, uint32_t n)
{
	struct arena scratch = {0};
	struct ir_dict_entry *unique =
		ARENA_NEW_ARRAY(&scratch, n, struct ir_dict_entry);
	struct ptrmap places = {0};
	uint32_t count = 0;
	uint32_t nslots = 1;
	const ir_dict *d;

	for (uint32_t i = 0; i < n; i++) {
		bool is_new;
		uintptr_t *at = ptrmap_add(&places, e[i].key, &is_new);

		if (is_new)
			*at = count++;
		unique[*at] = e[i];
	}
	ptrmap_free(&places);
	while (nslots <= n)
		nslots *= 2;
	if (nslots < 2 * n)
		nslots *= 2;
	if (count == 0)
		d = NULL;
	else if (n < SMALL_MAX)
		d = dict_alloc(cx, unique, count);
	else
		d = dict_hashed(cx, NULL, unique, count, nslots);
	arena_free(&scratch);
	return d;
}

const ir_dict *
ir_dict_with(ir_context *cx, const ir_dict *d, const char *key, ir_attr value)
{
	uint32_t n = d ? d->n : 0;
	uint32_t at = find_key(d ? d->entry : NULL, n, key = ir_name(cx, key));
	struct arena scratch = {0};
	struct ir_dict_entry *e;
	ir_dict *out;

	e = ARENA_NEW_ARRAY(&scratch, n + 1, struct ir_dict_entry);
	if (n)
		memcpy(e, d->entry, n * sizeof(*e));
	e[at] = (struct ir_dict_entry){key, value};
	n += at == n;
	if (d && d->nslots && at == d->n) {
		out = dict_hashed(cx, d, e, n, 0);
	} else if (d && !d->nslots && d->n == SMALL_MAX) {
		out = dict_hashed(cx, NULL, e, n, 2 * SMALL_MAX);
	} else {
		out = dict_alloc(cx, e, n);
		out->nslots = d ? d->nslots : 0;
		out->place = d ? d->place : NULL;
	}
	arena_free(&scratch);
	return out;
}

/* A table of the N entries of T, set one by one. */
static void
fill(struct table *t, uint32_t n)
{
	arena_reset(t->arena);
	table_init(t, 2 * SMALL_MAX);
	for (uint32_t i = 0; i < n; i++)
		insert(t, (int32_t)i);
}

/* T iterates in the order of E. */
static bool
is_in_order(const struct table *t, const struct ir_dict_entry *e)
{
	for (uint32_t i = 0; i < t->nslots; i++)
		if (t->entry[i] != FREE &&
		    t->entries[t->entry[i]].key != e++->key)
			return false;
	return true;
}

static void
shuffle(struct ir_dict_entry *e, uint32_t n, uint64_t *dice)
{
	for (uint32_t i = n; i > 1; i--) {
		struct ir_dict_entry last = e[i - 1];
		uint32_t k;

		*dice = hash_mix(*dice, i);
		k = (uint32_t)(*dice >> 33) % i;
		e[i - 1] = e[k];
		e[k] = last;
	}
}

const ir_dict *
ir_dict_as_written(ir_context *cx, const struct ir_dict_entry *e, uint32_t n)
{
	enum { TRIES = 200, MOST = 16 };
	struct arena scratch = {0};
	struct ir_dict_entry *order;
	struct table t = {.arena = &scratch};
	uint64_t dice = 1;
	const ir_dict *d;

	if (n <= SMALL_MAX)
		return n ? dict_alloc(cx, e, n) : NULL;
	order = xmalloc(n * sizeof(*order));
	memcpy(order, e, n * sizeof(*order));
	t.entries = order;
	fill(&t, n);
	for (int i = 0; n <= MOST && i < TRIES && !is_in_order(&t, e); i++) {
		shuffle(order, n, &dice);
		fill(&t, n);
	}
	if (!is_in_order(&t, e)) {
		memcpy(order, e, n * sizeof(*order));
		fill(&t, n);
	}
	d = save(cx, &t);
	arena_free(&scratch);
	free(order);
	return d;
}

/* The last of the chain behind SLOT moves into it. */
static void
erase(struct table *t, uint32_t slot)
{
	uint32_t last = slot, prev = home_of(t, t->entries[t->entry[slot]].key);

	while (prev != slot && t->next[prev] != (int32_t)slot)
		prev = (uint32_t)t->next[prev];
	while (t->next[last] != FREE) {
		prev = last;
		last = (uint32_t)t->next[last];
	}
	t->entry[slot] = t->entry[last];
	t->entry[last] = FREE;
	t->next[prev] = FREE;
	t->count--;
}

const ir_dict *
ir_dict_without(ir_context *cx, const ir_dict *d, const char *key)
{
	uint32_t at = find_key(d ? d->entry : NULL, d ? d->n : 0, key);
	struct arena scratch = {0};
	struct table t = {.arena = &scratch};
	ir_dict *out;

	if (!d || at == d->n)
		return d;
	if (d->n == 1)
		return NULL;
	if (!d->nslots) {
		out = dict_alloc(cx, d->entry, d->n - 1);
		for (uint32_t i = at; i + 1 < d->n; i++)
			out->entry[i] = d->entry[i + 1];
		return out;
	}
	t.entries = d->entry;
	load(&t, d);
	erase(&t, (uint32_t)d->place[at].slot);
	out = save(cx, &t);
	arena_free(&scratch);
	return out;
}

const ir_attr *
ir_dict_get(const ir_dict *d, const char *key)
{
	for (uint32_t i = 0; d && i < d->n; i++)
		if (d->entry[i].key == key || strcmp(d->entry[i].key, key) == 0)
			return &d->entry[i].value;
	return NULL;
}

int64_t
ir_dict_int(const ir_dict *d, const char *key, int64_t deflt)
{
	const ir_attr *v = ir_dict_get(d, key);

	if (v && v->kind == ATTR_BOOL)
		return v->b;
	return v && v->kind == ATTR_INT ? v->i : deflt;
}

const char *
ir_dict_string(const ir_dict *d, const char *key)
{
	const ir_attr *v = ir_dict_get(d, key);

	return v && v->kind == ATTR_STRING ? v->s : NULL;
}
