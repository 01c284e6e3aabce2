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

static struct print_name_slot *
find_slot(struct print_name_slot *slots, size_t nslots, const char *name)
{
	size_t mask = nslots - 1;
	size_t i = intern_hash(name) & mask;

	while (slots[i].name && slots[i].name != name)
		i = (i + 1) & mask;
	return &slots[i];
}

static void
grow(struct print *p)
{
	size_t n = p->nname_slots ? p->nname_slots * 2 : 256;
	struct print_name_slot *slots = xcalloc(n, sizeof(*slots));

	for (size_t i = 0; i < p->nname_slots; i++)
		if (p->name_slots[i].name)
			*find_slot(slots, n, p->name_slots[i].name) =
				p->name_slots[i];
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
	slot = find_slot(p->name_slots, p->nname_slots, name);
	*is_new = slot->name == NULL;
	if (*is_new) {
		slot->name = name;
		p->nnames++;
	}
	return slot;
}

/* HINT as a name that reads back. */
static const char *
readable(struct print *p, const char *hint)
{
	size_t len = intern_len(hint);

	buf_reserve(&p->scratch, len + 1);
	p->scratch.len = 0;
	if (len == 0 || !is_letter(hint[0]))
		buf_putc(&p->scratch, 'v');
	for (size_t i = 0; i < len; i++) {
		bool good = is_readable(hint, i, len);

		buf_putc(&p->scratch, good ? hint[i] : '_');
		if (good && hint[i] == '.')
			p->dotted_names = true;
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
	const char *known = intern_find(&p->names, name, len);

	return known && p->nname_slots &&
	       find_slot(p->name_slots, p->nname_slots, known)->name;
}
