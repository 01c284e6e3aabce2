/*
 * Records of attributes, and objects that are kept as they are.
 */
#include <stdlib.h>
#include <string.h>

#include "parser/meta_internal.h"

/* The object that field F of a record holds. */
static bool
object_field(struct meta_reader *r, const json_t *node,
	     const struct attr_field *f, ir_attr *out)
{
	size_t i;

	if (!meta_index(r, node, f->name, &i))
		return meta_fail(r, "the metadata has a broken '%s'", f->name);
	return meta_node(r, i, out);
}

/* A field whose value stands there as text. */
static bool
plain_field(struct meta_reader *r, const json_t *node,
	    const struct attr_field *f, const char *text, ir_attr *out)
{
	struct dtype t;

	switch (f->type) {
	case ATTR_TYPE_INT:
	case ATTR_TYPE_INT64:
		*out = ATTR_INT32(strtoll(text, NULL, 10));
		return true;
	case ATTR_TYPE_FLOAT:
		*out = ATTR_DOUBLE(strtod(text, NULL));
		return true;
	case ATTR_TYPE_BOOL:
		*out = ATTR_BOOLEAN(text[0] == '1' || text[0] == 't');
		return true;
	case ATTR_TYPE_STRING:
		*out = ATTR_STR(meta_name(r, node, f->name));
		return out->s != NULL;
	case ATTR_TYPE_DTYPE:
		if (!dtype_parse(text, strlen(text), &t))
			return meta_fail(r, "the metadata has an unknown "
					    "element type");
		*out = ATTR_DT(t);
		return true;
	default:
		return object_field(r, node, f, out);
	}
}

static bool
record_field(struct meta_reader *r, const json_t *node,
	     const struct attrs_schema *s, unsigned i, ir_attr *out)
{
	const struct attr_field *f = &s->fields[i];
	const char *text = meta_field_text(node, f->name);
	const char *why;

	if (!text)
		return true;
	if (attrs_field_is_object(s, i) && f->type != ATTR_TYPE_STRING) {
		if (!object_field(r, node, f, out))
			return false;
		if (out->kind == ATTR_NULL)
			return true;
	} else if (!plain_field(r, node, f, text, out)) {
		return false;
	}
	if (ir_attr_convert(r->pc->cx, f, out, &why))
		return true;
	return meta_fail(r, "in the metadata, '%s' is not %s", f->name, why);
}

static bool
dict_record(struct meta_reader *r, const json_t *node, ir_attr *out)
{
	size_t i;

	if (!meta_index(r, node, "__dict__", &i))
		return meta_fail(r, "the metadata has a broken map");
	if (!meta_node(r, i, out))
		return false;
	if (out->kind == ATTR_NULL)
		*out = (ir_attr){.kind = ATTR_DICT};
	out->boxed = true;
	return out->kind == ATTR_DICT ||
	       meta_fail(r, "the metadata has a broken map");
}

bool
meta_record(struct meta_reader *r, const json_t *node, const char *key,
	    ir_attr *out)
{
	const struct attrs_schema *s = attrs_schema_find(key);
	ir_attr fields[MAX_FIELDS];
	const ir_attrs *defaults;

	if (r->pc->o.allow_unknown_ops &&
	    (!s || (s->nfields > 0 && !json_object_get(node, "attrs"))))
		return meta_object(r, r->at, out);
	if (!s)
		return meta_fail(r, "unknown record of attributes '%s'", key);
	if (s->id == ATTRS_Dict)
		return dict_record(r, node, out);
	defaults = ir_attrs_defaults(r->pc->cx, s);
	for (unsigned i = 0; i < s->nfields; i++) {
		fields[i] = defaults->value[i];
		if (!record_field(r, node, s, i, &fields[i]))
			return false;
	}
	out->kind = ATTR_RECORD;
	out->record = ir_attrs_new(r->pc->cx, s, fields);
	return true;
}

/* Fields that hold text, whatever it looks like. */
static bool
is_plain(const char *name, const char *key)
{
	static const char *const plain[] = {
		"dtype",      "line", "column",          "end_line",
		"end_column", "kind", "device_type_int", "virtual_device_id",
		"lanes",
	};

	if (strcmp(name, "kind") == 0 && strcmp(key, "Target") == 0)
		return false;
	if (strcmp(name, "value") == 0)
		return strcmp(key, "IntImm") == 0 ||
		       strcmp(key, "UIntImm") == 0 ||
		       strcmp(key, "FloatImm") == 0;
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (strcmp(plain[i], name) == 0)
			return true;
	}
	return false;
}

static const ir_meta *object_at(struct meta_reader *r, size_t index);

static bool
object_fields(struct meta_reader *r, json_t *attrs, const char *key,
	      struct ir_meta_field *out, uint32_t *n)
{
	const char *name;
	json_t *value;

	json_object_foreach(attrs, name, value)
	{
		struct ir_meta_field f = {.name = ir_name(r->pc->cx, name)};
		const char *text = json_string_value(value);
		char *end;
		size_t i;

		if (!text)
			return meta_fail(r, "the metadata has a field that "
					    "is no string");
		i = strtoul(text, &end, 10);
		if (is_plain(name, key) || *end != '\0' || end == text ||
		    *text < '0' || *text > '9' || i >= r->nnodes) {
			f.text = ir_name(r->pc->cx, text);
		} else if (i > 0 && strcmp(name, "span") != 0) {
			f.object = object_at(r, i);
			if (!f.object)
				return false;
		}
		out[(*n)++] = f;
	}
	return true;
}

static bool
object_items(struct meta_reader *r, const json_t *data, const ir_meta **out)
{
	for (size_t i = 0; i < json_array_size(data); i++) {
		const json_t *item = json_array_get(data, i);
		json_int_t index = json_integer_value(item);

		if (!json_is_integer(item) || index < 0 ||
		    (size_t)index >= r->nnodes)
			return meta_fail(r, "the metadata has a broken list");
		if (index == 0)
			continue;
		out[i] = object_at(r, (size_t)index);
		if (!out[i])
			return false;
	}
	return true;
}

/*
 * Two objects of the text are two, even if the same is written in them; so
 * they print again as two. Arithmetic on dimensions is its value.
 */
static bool
has_identity(const char *key)
{
	static const char *const values[] = {
		"IntImm",
		"FloatImm",
		"PrimType",
		"relay.TensorType",
	};

	if (strcmp(key, "tir.Var") == 0 || strcmp(key, "tir.SizeVar") == 0)
		return true;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (strcmp(key, values[i]) == 0)
			return false;
	return strncmp(key, "tir.", 4) != 0;
}

/* The name that version 0.18 has for KEY. */
static const char *
current_key(const char *key)
{
	if (strcmp(key, "SEScope") == 0)
		return "VirtualDevice";
	if (strcmp(key, "Variable") == 0)
		return "tir.Var";
	return key;
}

static const ir_meta *
make_object(struct meta_reader *r, const json_t *node, const char *key)
{
	struct arena *a = &r->pc->m->arena;
	json_t *attrs = json_object_get(node, "attrs");
	const json_t *keys = json_object_get(node, "keys");
	const json_t *data = json_object_get(node, "data");
	const json_t *repr = json_object_get(node, "repr_str");
	size_t ndata = json_array_size(data), nkeys = json_array_size(keys);
	ir_meta m = {.type_key = ir_name(r->pc->cx, current_key(key))};
	const char **names = ARENA_NEW_ARRAY(a, nkeys + 1, const char *);
	const ir_meta **items = ARENA_NEW_ARRAY(a, ndata + 1, const ir_meta *);
	struct ir_meta_field *fields = ARENA_NEW_ARRAY(
		a, json_object_size(attrs) + 1, struct ir_meta_field);

	if (json_is_string(repr))
		m.repr = meta_word(r, repr);
	for (size_t i = 0; i < nkeys; i++)
		names[i] = meta_word(r, json_array_get(keys, i));
	if (!object_fields(r, attrs, key, fields, &m.nfields) ||
	    !object_items(r, data, items))
		return NULL;
	m.fields = fields;
	m.keys = names;
	m.nkeys = (uint32_t)nkeys;
	m.data = items;
	m.ndata = (uint32_t)ndata;
	if (has_identity(key))
		m.serial = ++r->pc->nserials;
	return ir_meta_new(r->pc->cx, &m);
}

/* KEY can stand in "meta[KEY][0]". */
static bool
is_writable(const char *key)
{
	return *key && !key[strcspn(key, "[]\n\r")];
}

/* Node INDEX as an object, whatever it is; NULL after a report. */
static const ir_meta *
object_at(struct meta_reader *r, size_t index)
{
	const json_t *node = json_array_get(r->nodes, index);
	const char *key = json_string_value(json_object_get(node, "type_key"));
	struct meta_object_memo *memo = &r->objects[index];

	if (memo->object)
		return memo->object;
	if (!key || !is_writable(key) || memo->busy || r->depth > 500) {
		meta_fail(r, "node %zu of the metadata is broken", index);
		return NULL;
	}
	memo->busy = true;
	r->depth++;
	memo->object = make_object(r, node, key);
	r->depth--;
	memo->busy = false;
	return memo->object;
}

bool
meta_object(struct meta_reader *r, size_t index, ir_attr *out)
{
	out->kind = ATTR_META;
	out->meta = object_at(r, index);
	return out->meta != NULL;
}
