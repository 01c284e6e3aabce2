#include "ir/meta.h"

#include <stdlib.h>
#include <string.h>

#include "ir/context_internal.h"
#include "ir/module.h"
#include "support/buf.h"
#include "support/hash.h"
#include "support/hashset.h"

struct ir_meta_table {
	struct hashset set;
};

struct ir_meta_table *
ir_meta_table_new(void)
{
	return xcalloc(1, sizeof(struct ir_meta_table));
}

void
ir_meta_table_free(struct ir_meta_table *t)
{
	hashset_free(&t->set);
	free(t);
}

/*
 * Operands are interned, so their addresses identify them. The hash only
 * finds equal objects; no output depends on it.
 */
static uint64_t
hash_pointer(uint64_t h, const void *p)
{
	return hash_mix(h, (uint64_t)(uintptr_t)p);
}

static uint64_t
meta_hash(const ir_meta *m)
{
	uint64_t h = hash_pointer(m->serial, m->type_key);

	h = hash_pointer(h, m->repr);
	for (uint32_t i = 0; i < m->nfields; i++) {
		const struct ir_meta_field *f = &m->fields[i];

		h = hash_pointer(hash_pointer(h, f->name), f->text);
		h = hash_pointer(hash_pointer(h, f->object), f->tensor);
		h = hash_pointer(h, f->type);
	}
	for (uint32_t i = 0; i < m->nkeys; i++)
		h = hash_pointer(h, m->keys[i]);
	for (uint32_t i = 0; i < m->ndata; i++)
		h = hash_pointer(h, m->data[i]);
	return h;
}

static bool
same_field(const struct ir_meta_field *a, const struct ir_meta_field *b)
{
	return a->name == b->name && a->text == b->text &&
	       a->object == b->object && a->tensor == b->tensor &&
	       a->type == b->type;
}

static bool
same_meta(const void *item, const void *key)
{
	const ir_meta *a = item, *b = key;

	if (a->type_key != b->type_key || a->repr != b->repr ||
	    a->serial != b->serial || a->nfields != b->nfields ||
	    a->nkeys != b->nkeys || a->ndata != b->ndata)
		return false;
	for (uint32_t i = 0; i < a->nfields; i++)
		if (!same_field(&a->fields[i], &b->fields[i]))
			return false;
	for (uint32_t i = 0; i < a->nkeys; i++)
		if (a->keys[i] != b->keys[i])
			return false;
	for (uint32_t i = 0; i < a->ndata; i++)
		if (a->data[i] != b->data[i])
			return false;
	return true;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct ir_meta_field *)a)->name,
		      ((const struct ir_meta_field *)b)->name);
}

/* The interned object like *KEY, whose fields are in the order of names. */
static const ir_meta *
intern_meta(ir_context *cx, const ir_meta *key)
{
	const void **place =
		hashset_place(&cx->metas->set, meta_hash(key), same_meta, key);
	struct arena *a = &cx->arena;
	ir_meta *m;

	if (*place)
		return *place;
	m = arena_copy(a, key, sizeof(*key));
	m->fields = arena_copy(a, m->fields, m->nfields * sizeof(*m->fields));
	m->keys = arena_copy(a, m->keys, m->nkeys * sizeof(*m->keys));
	m->data = arena_copy(a, m->data, m->ndata * sizeof(*m->data));
	*place = m;
	return m;
}

/* Texts may give fields in any order; it has no meaning. */
const ir_meta *
ir_meta_new(ir_context *cx, const ir_meta *template)
{
	ir_meta key = *template;
	struct ir_meta_field *fields = xcalloc(key.nfields, sizeof(*fields));
	const ir_meta *m;

	if (key.nfields) {
		memcpy(fields, key.fields, key.nfields * sizeof(*fields));
		qsort(fields, key.nfields, sizeof(*fields), by_name);
	}
	key.fields = fields;
	m = intern_meta(cx, &key);
	free(fields);
	return m;
}

static const struct ir_meta_field *
find_field(const ir_meta *m, const char *name)
{
	for (uint32_t i = 0; i < m->nfields; i++)
		if (strcmp(m->fields[i].name, name) == 0)
			return &m->fields[i];
	return NULL;
}

const char *
ir_meta_text(const ir_meta *m, const char *name)
{
	const struct ir_meta_field *f = find_field(m, name);

	return f ? f->text : NULL;
}

const ir_meta *
ir_meta_object(const ir_meta *m, const char *name)
{
	const struct ir_meta_field *f = find_field(m, name);

	return f ? f->object : NULL;
}

static const ir_meta *
new_device(ir_context *cx, int device_type, int device_id,
	   const char *memory_scope)
{
	const ir_meta scope = {
		.type_key = ir_name(cx, "runtime.String"),
		.repr = ir_name(cx, memory_scope),
	};
	const struct ir_meta_field fields[] = {
		{.name = ir_name(cx, "device_type_int"),
		 .text = ir_namef(cx, "%d", device_type)},
		{.name = ir_name(cx, "memory_scope"),
		 .object = ir_meta_new(cx, &scope)},
		{.name = ir_name(cx, "target")},
		{.name = ir_name(cx, "virtual_device_id"),
		 .text = ir_namef(cx, "%d", device_id)},
	};
	const ir_meta device = {
		.type_key = ir_name(cx, "VirtualDevice"),
		.nfields = sizeof(fields) / sizeof(fields[0]),
		.fields = fields,
	};

	return ir_meta_new(cx, &device);
}

const ir_meta *
ir_meta_vdevice(ir_context *cx, int device_type, int device_id,
		const char *memory_scope)
{
	if (device_type < 0 && device_id < 0 && memory_scope[0] == '\0')
		return NULL;
	return new_device(cx, device_type, device_id, memory_scope);
}

void
ir_meta_put_device(struct buf *out, const ir_meta *device)
{
	const char *type = ir_meta_text(device, "device_type_int");
	const char *id = ir_meta_text(device, "virtual_device_id");
	const ir_meta *scope = ir_meta_object(device, "memory_scope");
	bool has_type = type && atoi(type) > 0, has_id = id && atoi(id) >= 0;
	bool has_scope = scope && scope->repr && *scope->repr;

	buf_puts(out, "VirtualDevice(");
	if (has_type)
		buf_printf(out, "device_type=%s", type);
	if (has_id)
		buf_printf(out, "%svirtual_device_id=%s", has_type ? ", " : "",
			   id);
	if (has_scope)
		buf_printf(out, "%smemory_scope='%s'",
			   has_type || has_id ? ", " : "", scope->repr);
	buf_puts(out, has_type || has_id || has_scope ? ")" : "?)");
}

const ir_meta *
ir_meta_free_device(ir_context *cx)
{
	return new_device(cx, -1, -1, "");
}
