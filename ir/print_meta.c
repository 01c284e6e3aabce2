/*
 * meta[KEY][index]: which objects the text refers to, and as what.
 *
 * Indices count per key from 0 in the order in which the text is planned; an
 * object that is met again has its index already.
 */
#include "ir/print_internal.h"

#include <string.h>

#include "ir/npy.h"

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

/* The number of the list of KEY. Its name is in the map as objects are. */
static uint32_t
list_of(struct print *p, const char *key)
{
	const char *name = intern_str(&p->names, key);
	bool is_new;
	uintptr_t *number = ptrmap_add(&p->meta_numbers, name, &is_new);

	if (is_new) {
		*number = p->meta.len;
		vec_push(&p->meta, ((struct print_meta_list){.key = name}));
	}
	return (uint32_t)*number;
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
	struct print_meta_list *list = &p->meta.at[number];
	bool is_new;
	uintptr_t *place = ptrmap_add(&p->meta_numbers, id, &is_new);

	p->mentions_meta = true;
	if (!is_new)
		return;
	skip_reserved(p, list);
	*place = p->meta_places.len;
	vec_push(&p->meta_places, ((struct print_meta_place){
					  number, (uint32_t)list->items.len}));
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
	const uintptr_t *number = ptrmap_find(&p->meta_numbers, id);
	struct print_meta_place place;

	assert(number);
	place = p->meta_places.at[*number];
	put_ref(p->out, p->meta.at[place.list].key, place.index);
}

void
print_meta_placeholder(struct print *p, const struct ir_constant *c)
{
	put_ref(p->out, "relay.Constant", c->meta_index);
}

/* Give the tensors of constants away; their list is then empty. */
static void
move_constants(struct print *p)
{
	for (size_t i = 0; i < p->meta.len; i++) {
		struct print_meta_list *list = &p->meta.at[i];

		if (strcmp(list->key, "relay.Constant") != 0)
			continue;
		for (size_t k = 0; k < list->items.len; k++) {
			const ir_expr *e = list->items.at[k].object;
			struct buf name = {0};

			if (!e)
				continue;
			put_ref(&name, list->key, (uint32_t)k);
			named_tensors_add(
				p->o->constants, name.at, name.len,
				ir_tensor_ref(ir_as_constant(e)->data));
			buf_free(&name);
		}
		vec_free(&list->items);
		*list = vec_pop(&p->meta);
		return;
	}
}

/* Keep places for all constants without data, within reason. */
static void
pad_constants(struct print *p)
{
	enum { MOST = 1000000 };

	for (size_t i = 0; i < p->meta.len && p->reserved.len; i++) {
		struct print_meta_list *list = &p->meta.at[i];

		if (strcmp(list->key, "relay.Constant") != 0)
			continue;
		while (list->items.len <= vec_last(&p->reserved) &&
		       list->items.len < MOST)
			vec_push(&list->items, ((struct print_meta_item){0}));
	}
}

/* What stands behind the text: the objects, or a word about their absence. */
void
print_meta_section(struct print *p)
{
	if (p->o->constants)
		move_constants(p);
	if (p->o->meta == PRINT_META_INLINE) {
		if (p->meta.len == 0)
			return;
		pad_constants(p);
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
