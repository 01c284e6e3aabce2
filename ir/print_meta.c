/*
 * meta[KEY][index]: which objects the text refers to, and as what.
 *
 * Indices count per key from 0 in the order in which the text is planned; an
 * object that is met again has its index already.
 */
#include "ir/print_internal.h"

#include <string.h>

#include "support/hash.h"

const char *
print_type_key(const ir_type *t)
{
	static const char *const keys[] = {
		[TYPE_TENSOR] = "relay.TensorType",
		[TYPE_TUPLE] = "TupleType",
		[TYPE_FUNC] = "FuncType",
		[TYPE_REF] = "relay.RefType",
		[TYPE_ADT] = "TypeCall",
		[TYPE_VAR] = "TypeVar",
		[TYPE_HOLE] = "IncompleteType",
	};

	return keys[t->kind];
}

static size_t
slot_at(const struct print_meta_slot *slots, size_t nslots, const void *id)
{
	size_t mask = nslots - 1;
	size_t i = hash_mix(0, (uint64_t)(uintptr_t)id) & mask;

	while (slots[i].id && slots[i].id != id)
		i = (i + 1) & mask;
	return i;
}

static void
grow(struct print *p)
{
	size_t n = p->nmeta_slots ? p->nmeta_slots * 2 : 64;
	struct print_meta_slot *slots = xcalloc(n, sizeof(*slots));

	for (size_t i = 0; i < p->nmeta_slots; i++)
		if (p->meta_slots[i].id)
			slots[slot_at(slots, n, p->meta_slots[i].id)] =
				p->meta_slots[i];
	free(p->meta_slots);
	p->meta_slots = slots;
	p->nmeta_slots = n;
}

/* The slot of ID; one that is new has ID NULL still. */
static struct print_meta_slot *
slot_of(struct print *p, const void *id)
{
	if (p->nmeta * 2 >= p->nmeta_slots)
		grow(p);
	return &p->meta_slots[slot_at(p->meta_slots, p->nmeta_slots, id)];
}

/* The number of the list of KEY. Its name has a slot as an object has. */
static uint32_t
list_of(struct print *p, const char *key)
{
	const char *name = intern_str(&p->names, key);
	struct print_meta_slot *slot = slot_of(p, name);

	if (!slot->id) {
		*slot = (struct print_meta_slot){name, (uint32_t)p->meta.len,
						 0};
		p->nmeta++;
		vec_push(&p->meta, ((struct print_meta_list){.key = name}));
	}
	return slot->list;
}

/* Leave out the indices that constants without data keep for themselves. */
static void
skip_reserved(struct print *p, struct print_meta_list *list)
{
	size_t low = 0;
	size_t high = p->reserved.len;

	if (strcmp(list->key, "relay.Constant") != 0)
		return;
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (p->reserved.at[mid] < list->items.len)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < p->reserved.len && p->reserved.at[low] == list->items.len;
	     low++)
		vec_push(&list->items, ((struct print_meta_item){0}));
}

void
print_meta_add(struct print *p, const char *key, enum print_meta_kind kind,
	       const void *id, const void *object)
{
	uint32_t number = list_of(p, key);
	struct print_meta_slot *slot = slot_of(p, id);
	struct print_meta_list *list = &p->meta.at[number];

	p->mentions_meta = true;
	if (slot->id)
		return;
	skip_reserved(p, list);
	*slot = (struct print_meta_slot){id, number, (uint32_t)list->items.len};
	p->nmeta++;
	vec_push(&list->items, ((struct print_meta_item){kind, object}));
}

static void
put_ref(struct buf *out, const char *key, uint32_t index)
{
	buf_puts(out, "meta[");
	buf_puts(out, key);
	buf_puts(out, "][");
	buf_int(out, index);
	buf_putc(out, ']');
}

void
print_meta_ref(struct print *p, const void *id)
{
	const struct print_meta_slot *slot = slot_of(p, id);

	assert(slot->id == id);
	put_ref(p->out, p->meta.at[slot->list].key, slot->index);
}

void
print_meta_placeholder(struct print *p, const struct ir_constant *c)
{
	put_ref(p->out, "relay.Constant", c->meta_index);
}

/* What stands behind the text: the objects, or a word about their absence. */
void
print_meta_section(struct print *p)
{
	if (p->o->meta == PRINT_META_INLINE) {
		if (p->meta.len == 0)
			return;
		buf_puts(p->out, "\n#[metadata]\n");
		print_json(p);
		return;
	}
	if (!p->mentions_meta)
		return;
	buf_puts(p->out,
		 "\n/* For debugging purposes the metadata section has been "
		 "omitted.\n"
		 " * If you would like to see the full metadata section you "
		 "can set the \n"
		 " * option to `True` when invoking `astext`. \n"
		 " */\n");
}
