/*
 * Values and records of attributes. Dictionaries are in ir/dict.c.
 */
#include "ir/attr.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/context_internal.h"
#include "ir/module.h"
#include "support/hash.h"
#include "support/hashset.h"

/* One array of fields per schema, then the schemas themselves. */
#define ATTRS(id, key) static const struct attr_field fields_##id[] = {
#define FIELD(name, type, need, deflt) \
	{#name, ATTR_TYPE_##type, ATTR_##need, deflt},
#define ATTRS_END                                       \
	{                                               \
		NULL, ATTR_TYPE_INT, ATTR_DEFAULT, NULL \
	}                                               \
	}                                               \
	;
#include "ir/attrs.def"

const struct attrs_schema attrs_schemas[ATTRS_COUNT] = {
#define ATTRS(id, key)                                                    \
	[ATTRS_##id] = {key, ATTRS_##id,                                  \
			sizeof(fields_##id) / sizeof(fields_##id[0]) - 1, \
			fields_##id},
#define FIELD(name, type, need, deflt)
#define ATTRS_END
#include "ir/attrs.def"
};

/* Schemas of plugins; the id of all is ATTRS_COUNT. */
enum { MAX_ADDED = 512 };
static const struct attrs_schema *added[MAX_ADDED];
static unsigned nadded;

const struct attrs_schema *
attrs_schema(enum attrs_id id)
{
	return id == ATTRS_NONE ? NULL : &attrs_schemas[id];
}

const struct attrs_schema *
attrs_schema_find(const char *key)
{
	for (unsigned i = 1; i < ATTRS_COUNT; i++)
		if (strcmp(attrs_schemas[i].key, key) == 0)
			return &attrs_schemas[i];
	for (unsigned i = 0; i < nadded; i++)
		if (strcmp(added[i]->key, key) == 0)
			return added[i];
	return NULL;
}

bool
attrs_schema_add(const struct attrs_schema *s)
{
	if (nadded == MAX_ADDED || attrs_schema_find(s->key))
		return false;
	added[nadded++] = s;
	return true;
}

int
attrs_field_index(const struct attrs_schema *s, const char *name)
{
	for (unsigned i = 0; i < s->nfields; i++)
		if (strcmp(s->fields[i].name, name) == 0)
			return (int)i;
	return -1;
}

bool
attrs_field_is_object(const struct attrs_schema *s, unsigned i)
{
	static const struct {
		enum attrs_id id;
		const char *name;
	} objects[] = {
		{ATTRS_DensePack, "weight_layout"},
		{ATTRS_DFT, "inverse"},
		{ATTRS_GetValidCounts, "score_threshold"},
		{ATTRS_Scanop, "axis"},
		{ATTRS_Scanop, "exclusive"},
		{ATTRS_ScatterElements, "axis"},
		{ATTRS_ScatterElements, "reduction"},
		{ATTRS_ScatterND, "mode"},
	};

	for (size_t k = 0; k < sizeof(objects) / sizeof(*objects); k++)
		if (s->id == objects[k].id &&
		    strcmp(s->fields[i].name, objects[k].name) == 0)
			return true;
	return false;
}

static uint64_t
hash_double(double d)
{
	uint64_t u;

	memcpy(&u, &d, sizeof(u));
	return u;
}

static uint64_t
hash_elems(const ir_attr *elems, uint32_t n)
{
	uint64_t h = n;

	for (uint32_t i = 0; i < n; i++)
		h = hash_mix(h, ir_attr_hash(&elems[i]));
	return h;
}

static uint64_t
hash_dict(const ir_dict *d)
{
	uint64_t h = d ? d->n : 0;

	for (uint32_t i = 0; d && i < d->n; i++) {
		uint64_t key = intern_hash(d->entry[i].key);

		/* A sum: the order of entries has no meaning. */
		h += hash_mix(key, ir_attr_hash(&d->entry[i].value));
	}
	return h;
}

uint64_t
ir_attr_hash(const ir_attr *a)
{
	uint64_t h = a->kind;

	switch ((enum ir_attr_kind)a->kind) {
	case ATTR_NULL:
	case ATTR_ANY:
	case ATTR_EXPR: /* by identity: contributes nothing stable */
	case ATTR_META:
		return h;
	case ATTR_INT:
		return hash_mix(h * 64 + a->bits, (uint64_t)a->i);
	case ATTR_FLOAT:
		return hash_mix(h * 64 + a->bits, hash_double(a->f));
	case ATTR_BOOL:
		return hash_mix(h, a->b);
	case ATTR_STRING:
		return hash_mix(h, intern_hash(a->s));
	case ATTR_DTYPE:
		return hash_mix(h, a->dtype.code | a->dtype.bits << 8 |
					   (uint32_t)a->dtype.lanes << 16);
	case ATTR_ARRAY:
		return hash_mix(h, hash_elems(a->elems, a->n));
	case ATTR_DICT:
		return hash_mix(h, hash_dict(a->dict));
	case ATTR_TYPE:
		return hash_mix(h, a->type->hash);
	case ATTR_RECORD:
		return hash_mix(h, a->record->hash);
	}
	return h;
}

static bool
equal_dicts(const ir_dict *a, const ir_dict *b)
{
	uint32_t na = a ? a->n : 0;

	if (na != (b ? b->n : 0))
		return false;
	for (uint32_t i = 0; i < na; i++) {
		const ir_attr *other = ir_dict_get(b, a->entry[i].key);

		if (!other || !ir_attr_equal(&a->entry[i].value, other))
			return false;
	}
	return true;
}

bool
ir_attr_equal(const ir_attr *a, const ir_attr *b)
{
	if (a->kind != b->kind)
		return false;
	switch ((enum ir_attr_kind)a->kind) {
	case ATTR_NULL:
	case ATTR_ANY:
		return true;
	case ATTR_INT:
		return a->i == b->i && a->bits == b->bits;
	case ATTR_FLOAT:
		return a->bits == b->bits &&
		       hash_double(a->f) == hash_double(b->f);
	case ATTR_BOOL:
		return a->b == b->b;
	case ATTR_STRING:
		return a->s == b->s;
	case ATTR_DTYPE:
		return dtype_equal(a->dtype, b->dtype);
	case ATTR_ARRAY:
		if (a->n != b->n)
			return false;
		for (uint32_t i = 0; i < a->n; i++)
			if (!ir_attr_equal(&a->elems[i], &b->elems[i]))
				return false;
		return true;
	case ATTR_DICT:
		return equal_dicts(a->dict, b->dict);
	case ATTR_EXPR:
		return a->expr == b->expr;
	case ATTR_TYPE:
		return ir_type_equal(a->type, b->type);
	case ATTR_RECORD:
		return a->record == b->record;
	case ATTR_META:
		return a->meta == b->meta;
	}
	return false;
}

ir_attr
ir_attr_array(ir_context *cx, const ir_attr *elems, uint32_t n)
{
	return (ir_attr){
		.kind = ATTR_ARRAY,
		.n = n,
		.elems = arena_copy(&cx->arena, elems, n * sizeof(*elems)),
	};
}

ir_attr
ir_attr_int_array(ir_context *cx, const int64_t *elems, uint32_t n,
		  unsigned bits)
{
	ir_attr *copy = ARENA_NEW_ARRAY(&cx->arena, n, ir_attr);

	for (uint32_t i = 0; i < n; i++)
		copy[i] = (ir_attr){
			.kind = ATTR_INT, .bits = (uint8_t)bits, .i = elems[i]};
	return (ir_attr){.kind = ATTR_ARRAY, .n = n, .elems = copy};
}

struct ir_attrs_table {
	struct hashset set;
	const ir_attrs *defaults[ATTRS_COUNT];
};

struct ir_attrs_table *
ir_attrs_table_new(void)
{
	return xcalloc(1, sizeof(struct ir_attrs_table));
}

void
ir_attrs_table_free(struct ir_attrs_table *t)
{
	hashset_free(&t->set);
	free(t);
}

struct record_key {
	const struct attrs_schema *schema;
	const ir_attr *values;
};

static bool
same_record(const void *item, const void *key)
{
	const ir_attrs *a = item;
	const struct record_key *k = key;

	if (a->schema != k->schema)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (!ir_attr_equal(&a->value[i], &k->values[i]))
			return false;
	return true;
}

const ir_attrs *
ir_attrs_new(ir_context *cx, const struct attrs_schema *s,
	     const ir_attr *values)
{
	struct record_key key = {s, values};
	uint64_t hash = hash_mix(hash_bytes(s->key, strlen(s->key)),
				 hash_elems(values, s->nfields));
	const void **place =
		hashset_place(&cx->attrs->set, hash, same_record, &key);

	if (!*place) {
		size_t size = s->nfields * sizeof(*values);
		ir_attrs *a = arena_alloc(&cx->arena, sizeof(*a) + size);

		a->schema = s;
		a->hash = hash;
		a->n = s->nfields;
		if (size)
			memcpy(a->value, values, size);
		*place = a;
	}
	return *place;
}

/* Defaults are written as text in the schema: "[1,1]", "1e-05", "void". */
static ir_attr
parse_scalar(const struct attr_field *f, const char *text, const char **end)
{
	char *after;
	double d = strtod(text, &after);
	bool is_float = f->type == ATTR_TYPE_FLOAT;

	for (const char *p = text; p < after; p++)
		is_float |= *p == '.' || *p == 'e';
	*end = after;
	if (f->type == ATTR_TYPE_FLOAT)
		return ATTR_DOUBLE(d);
	if (is_float) {
		*end += **end == 'f';
		return (ir_attr){.kind = ATTR_FLOAT, .bits = 32, .f = d};
	}
	return ATTR_INT32((int64_t)d);
}

static ir_attr
parse_array(ir_context *cx, const struct attr_field *f, const char *text)
{
	ir_attr elems[16];
	uint32_t n = 0;

	for (text++; *text != ']'; text += *text == ',') {
		assert(n < sizeof(elems) / sizeof(elems[0]));
		elems[n++] = parse_scalar(f, text, &text);
	}
	return ir_attr_array(cx, elems, n);
}

ir_attr
ir_attrs_default(ir_context *cx, const struct attrs_schema *s, unsigned i)
{
	const struct attr_field *f = &s->fields[i];
	const char *text = f->default_text;
	struct dtype t;

	if (f->need != ATTR_DEFAULT)
		return ATTR_NONE;
	if (f->type == ATTR_TYPE_STRING)
		return ATTR_STR(ir_name(cx, text));
	if (f->type == ATTR_TYPE_DTYPE && dtype_parse(text, strlen(text), &t))
		return ATTR_DT(t);
	if (strcmp(text, "null") == 0 || f->type == ATTR_TYPE_VDEVICE)
		return ATTR_NONE;
	if (f->type == ATTR_TYPE_BOOL)
		return ATTR_BOOLEAN(strcmp(text, "true") == 0);
	if (f->type == ATTR_TYPE_MAP)
		return (ir_attr){.kind = ATTR_DICT};
	if (text[0] == '[')
		return parse_array(cx, f, text);
	return parse_scalar(f, text, &text);
}

const ir_attrs *
ir_attrs_defaults(ir_context *cx, const struct attrs_schema *s)
{
	bool listed = s->id < ATTRS_COUNT;
	const ir_attrs *a = listed ? cx->attrs->defaults[s->id] : NULL;

	if (!a) {
		ir_attr *values = xcalloc(s->nfields + 1, sizeof(*values));

		for (unsigned i = 0; i < s->nfields; i++)
			values[i] = ir_attrs_default(cx, s, i);
		a = ir_attrs_new(cx, s, values);
		free(values);
	}
	if (listed)
		cx->attrs->defaults[s->id] = a;
	return a;
}

const ir_attrs *
ir_attrs_with(ir_context *cx, const ir_attrs *a, const char *name,
	      ir_attr value)
{
	int at = attrs_field_index(a->schema, name);
	ir_attr *values = xcalloc(a->n, sizeof(*values));
	const ir_attrs *changed;

	assert(at >= 0);
	memcpy(values, a->value, a->n * sizeof(*values));
	values[at] = value;
	changed = ir_attrs_new(cx, a->schema, values);
	free(values);
	return changed;
}

const ir_attr *
ir_attrs_get(const ir_attrs *a, const char *name)
{
	int at = a ? attrs_field_index(a->schema, name) : -1;

	return at < 0 ? NULL : &a->value[at];
}

static const ir_attr *
must_get(const ir_attrs *a, const char *name)
{
	const ir_attr *v = ir_attrs_get(a, name);

	assert(v && "no such attribute");
	return v;
}

int64_t
ir_attrs_int(const ir_attrs *a, const char *name, int64_t deflt)
{
	const ir_attr *v = must_get(a, name);

	if (v->kind == ATTR_BOOL)
		return v->b;
	return v->kind == ATTR_INT ? v->i : deflt;
}

double
ir_attrs_double(const ir_attrs *a, const char *name)
{
	const ir_attr *v = must_get(a, name);

	return v->kind == ATTR_INT ? (double)v->i : v->f;
}

bool
ir_attrs_bool(const ir_attrs *a, const char *name)
{
	const ir_attr *v = must_get(a, name);

	return v->kind == ATTR_BOOL ? v->b : v->kind == ATTR_INT && v->i != 0;
}

const char *
ir_attrs_string(const ir_attrs *a, const char *name)
{
	const ir_attr *v = must_get(a, name);

	return v->kind == ATTR_STRING ? v->s : "";
}

struct dtype
ir_attrs_dtype(const ir_attrs *a, const char *name)
{
	const ir_attr *v = must_get(a, name);

	return v->kind == ATTR_DTYPE ? v->dtype : DTYPE_VOID;
}

int64_t
ir_attr_elem_int(const ir_attr *array, uint32_t i)
{
	assert(array->kind == ATTR_ARRAY && i < array->n);
	return array->elems[i].i;
}
