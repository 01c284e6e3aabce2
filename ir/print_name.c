/*
 * Names of variables: unique in the whole print, as TVM gives them.
 *
 * The first that asks for a name gets it; later ones get 1, 2, 3, ... behind
 * it. Bytes that the reader does not take in a name become '_'.
 */
#include <ctype.h>
#include <string.h>

#include "ir/print_internal.h"
#include "support/hash.h"

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The reader takes the byte at S[I] as part of a name. */
static bool
is_readable(const char *s, size_t i, size_t len)
{
	unsigned char c = (unsigned char)s[i];

	if (is_letter((char)c) || (c >= '0' && c <= '9') || c == '_' ||
	    c >= 0x80)
		return true;
	if (i + 1 == len)
		return c == '/' || c == '$';
	if (c == '-')
		return s[i + 1] != '>';
	return c != '\0' && strchr("/.$|:", c) != NULL;
}

/* Names come from two tables, so they are compared by text. */
static struct print_name_slot *
find_slot(struct print_name_slot *slots, size_t nslots, uint64_t hash,
	  const char *s, size_t len)
{
	size_t mask = nslots - 1;

	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		const char *name = slots[i].name;

		if (!name || name == s ||
		    (intern_hash(name) == hash && intern_len(name) == len &&
		     memcmp(name, s, len) == 0))
			return &slots[i];
	}
}

static void
grow(struct print *p)
{
	size_t n = p->nname_slots ? p->nname_slots * 2 : 256;
	struct print_name_slot *slots = xcalloc(n, sizeof(*slots));

	for (size_t i = 0; i < p->nname_slots; i++) {
		const char *name = p->name_slots[i].name;

		if (name)
			*find_slot(slots, n, intern_hash(name), name,
				   intern_len(name)) = p->name_slots[i];
	}
	free(p->name_slots);
	p->name_slots = slots;
	p->nname_slots = n;
}

/* The slot of NAME, made if it is not there: then its LAST is 0. */
static struct print_name_slot *
slot_of(struct print *p, const char *name, bool *is_new)
{
	struct print_name_slot *slot;

	if (p->nnames * 2 >= p->nname_slots)
		grow(p);
	slot = find_slot(p->name_slots, p->nname_slots, intern_hash(name), name,
			 intern_len(name));
	*is_new = slot->name == NULL;
	if (*is_new) {
		slot->name = name;
		p->nnames++;
	}
	return slot;
}

/* HINT reads back as it is. */
static bool
is_good(struct print *p, const char *hint, size_t len)
{
	bool dotted = false;

	if (len == 0 || !is_letter(hint[0]))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!is_readable(hint, i, len))
			return false;
		dotted |= hint[i] == '.';
	}
	p->dotted_names |= dotted;
	return true;
}

/* HINT as a name that reads back. */
static const char *
readable(struct print *p, const char *hint)
{
	size_t len = intern_len(hint);

	if (is_good(p, hint, len))
		return hint;
	p->scratch.len = 0;
	if (len == 0 || !is_letter(hint[0]))
		buf_putc(&p->scratch, 'v');
	for (size_t i = 0; i < len; i++) {
		bool good = is_readable(hint, i, len);

		buf_putc(&p->scratch, good ? hint[i] : '_');
		p->dotted_names |= good && hint[i] == '.';
	}
	return intern(&p->names, p->scratch.at, p->scratch.len);
}

const char *
print_unique_name(struct print *p, const char *hint)
{
	const char *name = readable(p, hint);
	bool is_new;
	uint32_t last = slot_of(p, name, &is_new)->last;
	const char *base = name;

	while (!is_new) {
		p->scratch.len = 0;
		buf_put(&p->scratch, base, intern_len(base));
		buf_int(&p->scratch, ++last);
		name = intern(&p->names, p->scratch.at, p->scratch.len);
		slot_of(p, name, &is_new);
	}
	if (name != base)
		slot_of(p, base, &is_new)->last = last;
	return name;
}

/* Let nobody have a name that a variable of OTHER has. */
void
print_take_names(struct print *p, const struct print *other)
{
	bool is_new;

	for (size_t i = 0; i < other->nname_slots; i++) {
		const char *name = other->name_slots[i].name;

		if (name)
			slot_of(p, intern(&p->names, name, intern_len(name)),
				&is_new);
	}
}

/* Is NAME the printed name of some variable? */
bool
print_name_taken(struct print *p, const char *name, size_t len)
{
	return p->nname_slots && find_slot(p->name_slots, p->nname_slots,
					   hash_bytes(name, len), name, len)
					 ->name;
}
