/*
 * Objects of the metadata as values: expressions, types, records, scalars.
 *
 * Objects refer to each other by number. Each is made once, on demand; one
 * that is being made already refers to itself, and that is an error.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "parser/meta_internal.h"
#include "support/base64.h"

enum { MOST_DEPTH = 500 };

bool
meta_fail(struct meta_reader *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_report(r->pc->d, DIAG_ERROR, r->loc, fmt, ap);
	va_end(ap);
	return false;
}

const char *
meta_field_text(const json_t *node, const char *name)
{
	return json_string_value(
		json_object_get(json_object_get(node, "attrs"), name));
}

/* A whole text that is a number below LIMIT. */
static bool
read_index(const char *s, size_t limit, size_t *out)
{
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	*out = strtoul(s, &end, 10);
	return *end == '\0' && *out < limit;
}

bool
meta_index(struct meta_reader *r, const json_t *node, const char *name,
	   size_t *index)
{
	const char *s = meta_field_text(node, name);

	*index = 0;
	return !s || read_index(s, r->nnodes, index);
}

static const json_t *
node_at(const struct meta_reader *r, size_t i)
{
	return json_array_get(r->nodes, i);
}

static const char *
key_of(const json_t *node)
{
	return json_string_value(json_object_get(node, "type_key"));
}

/* The bytes of a string object, interned; NULL after a report. */
static const char *
string_object(struct meta_reader *r, const json_t *node)
{
	const json_t *b64 = json_object_get(node, "repr_b64");
	const json_t *plain = json_object_get(node, "repr_str");
	struct loc loc;
	const char *s, *name = NULL;
	size_t len = 0, size;
	char *bytes;

	if (!b64) {
		s = json_is_string(plain) ? meta_text(r, plain, &len, &loc)
					  : "";
		return ir_name_n(r->pc->cx, s, len);
	}
	s = json_is_string(b64) ? meta_text(r, b64, &len, &loc) : "";
	bytes = xmalloc(len + 3);
	if (base64_decode(bytes, s, len) >= 8 && base64_size(s, len, &size))
		name = ir_name_n(r->pc->cx, bytes + 8, size - 8);
	free(bytes);
	if (!name)
		meta_fail(r, "a string of the metadata is broken");
	return name;
}

const char *
meta_name(struct meta_reader *r, const json_t *node, const char *name)
{
	const char *s = meta_field_text(node, name);
	size_t i;

	if (!s)
		return ir_name(r->pc->cx, "");
	if (!read_index(s, r->nnodes, &i))
		return ir_name(r->pc->cx, s);
	if (i == 0)
		return ir_name(r->pc->cx, "");
	if (!key_of(node_at(r, i)) ||
	    strcmp(key_of(node_at(r, i)), "runtime.String") != 0)
		return ir_name(r->pc->cx, s);
	return string_object(r, node_at(r, i));
}

static bool
make_string(struct meta_reader *r, const json_t *node, const char *key,
	    ir_attr *out)
{
	(void)key;
	*out = ATTR_STR(string_object(r, node));
	return out->s != NULL;
}

/* Item I of the list LIST as a value. */
static bool
list_item(struct meta_reader *r, const json_t *list, size_t i, ir_attr *out)
{
	const json_t *n = json_array_get(list, i);

	if (!json_is_integer(n) || json_integer_value(n) < 0)
		return meta_fail(r, "the metadata has a broken list");
	return meta_node(r, (size_t)json_integer_value(n), out);
}

static bool
make_array(struct meta_reader *r, const json_t *node, const char *key,
	   ir_attr *out)
{
	const json_t *data = json_object_get(node, "data");
	size_t first = r->stack.len, n = json_array_size(data);
	bool ok = true;
	ir_attr v;

	(void)key;
	for (size_t i = 0; ok && i < n; i++) {
		ok = list_item(r, data, i, &v);
		vec_push(&r->stack, v);
	}
	if (ok)
		*out = ir_attr_array(r->pc->cx, n ? r->stack.at + first : NULL,
				     (uint32_t)n);
	r->stack.len = first;
	return ok;
}

/* Maps whose keys are no strings are kept as they are. */
static bool
make_map(struct meta_reader *r, const json_t *node, const char *key,
	 ir_attr *out)
{
	size_t index = r->at;
	const json_t *keys = json_object_get(node, "keys");
	const json_t *data = json_object_get(node, "data");
	size_t n = json_array_size(keys);
	VEC(struct ir_dict_entry) entries = {0};
	struct ir_dict_entry e;
	bool ok = n == json_array_size(data);

	(void)key;
	if (n == 0 && json_array_size(data) > 0)
		return meta_object(r, index, out);
	if (!ok)
		meta_fail(r, "the metadata has a broken map");
	for (size_t i = 0; ok && i < n; i++) {
		e.key = meta_word(r, json_array_get(keys, i));
		ok = list_item(r, data, i, &e.value);
		vec_push(&entries, e);
	}
	*out = (ir_attr){.kind = ATTR_DICT};
	if (ok && n > 0)
		out->dict = ir_dict_new(r->pc->cx, entries.at, (uint32_t)n);
	vec_free(&entries);
	return ok;
}

static bool
make_boxed(struct meta_reader *r, const json_t *node, const char *key,
	   ir_attr *out)
{
	const char *s = json_string_value(json_object_get(node, "repr_str"));

	if (!s)
		return meta_fail(r, "the metadata has a broken number");
	*out = (ir_attr){.bits = 64, .boxed = true};
	if (strcmp(key, "runtime.BoxInt") == 0) {
		out->kind = ATTR_INT;
		out->i = strtoll(s, NULL, 10);
	} else if (strcmp(key, "runtime.BoxFloat") == 0) {
		out->kind = ATTR_FLOAT;
		out->f = strtod(s, NULL);
	} else {
		out->kind = ATTR_BOOL;
		out->b = s[0] == 't' || s[0] == '1';
	}
	return true;
}

/* IntImm, UIntImm (version 0.6) and FloatImm. */
static bool
make_number(struct meta_reader *r, const json_t *node, const char *key,
	    ir_attr *out)
{
	const char *type = meta_field_text(node, "dtype");
	const char *value = meta_field_text(node, "value");
	struct dtype t = DTYPE(INT, 32);

	if (!value || (type && !dtype_parse(type, strlen(type), &t)))
		return meta_fail(r, "the metadata has a broken number");
	*out = (ir_attr){.bits = t.bits};
	if (strcmp(key, "FloatImm") == 0) {
		out->kind = ATTR_FLOAT;
		out->f = strtod(value, NULL);
	} else if (dtype_is_bool(t)) {
		*out = ATTR_BOOLEAN(strtoll(value, NULL, 10) != 0);
	} else {
		out->kind = ATTR_INT;
		out->i = strtoll(value, NULL, 10);
	}
	return true;
}

static bool
make_any(struct meta_reader *r, const json_t *node, const char *key,
	 ir_attr *out)
{
	(void)r;
	(void)node;
	(void)key;
	*out = (ir_attr){.kind = ATTR_ANY};
	return true;
}

/* An object field that must be a device; NULL if unconstrained. */
static bool
device_field(struct meta_reader *r, const json_t *node, const ir_meta **out)
{
	ir_attr v;
	size_t i;

	*out = NULL;
	if (!meta_index(r, node, "virtual_device_", &i))
		return meta_fail(r, "the metadata has a broken device");
	if (i == 0)
		return true;
	if (!meta_node(r, i, &v))
		return false;
	*out = v.kind == ATTR_META ? v.meta : NULL;
	return true;
}

static unsigned
span_number(const json_t *span, const char *name, unsigned otherwise)
{
	const char *s = meta_field_text(span, name);
	long n = s ? atol(s) : 0;

	return n > 0 && n < UINT_MAX ? (unsigned)n : otherwise;
}

/* The span of NODE, or else the place in the text that mentions it. */
static bool
place_of(struct meta_reader *r, const json_t *node, struct loc *out)
{
	const json_t *span, *source;
	struct ir_span *s;
	const char *name;
	size_t i, k;

	*out = r->pc->no_locs ? LOC_NONE : r->loc;
	if (!meta_index(r, node, "span", &i))
		return meta_fail(r, "the metadata has a broken span");
	span = node_at(r, i);
	if (i == 0 || !meta_index(r, span, "source_name", &k) || k == 0)
		return true;
	source = node_at(r, k);
	name = string_object(r, source);
	if (!name)
		return false;
	*out = ir_module_add_span(r->pc->m, name, span_number(span, "line", 1),
				  span_number(span, "column", 1));
	s = &r->pc->m->spans.at[out->off];
	s->end_line = span_number(span, "end_line", s->line);
	s->end_column = span_number(span, "end_column", s->column);
	return true;
}

/* The type that a constant was written with, if it is one. */
static bool
told_type(struct meta_reader *r, const json_t *node, ir_attr *out)
{
	size_t i;

	*out = ATTR_NONE;
	if (!meta_index(r, node, "_checked_type_", &i))
		return meta_fail(r, "the metadata has a broken type");
	if (i == 0 || !key_of(node_at(r, i)) ||
	    !meta_is_type(key_of(node_at(r, i))))
		return true;
	return meta_node(r, i, out);
}

static bool
make_constant(struct meta_reader *r, const json_t *node, const char *key,
	      ir_attr *out)
{
	const char *data = meta_field_text(node, "data");
	struct ir_constant *c;
	const ir_meta *device;
	const ir_expr *e;
	struct loc loc;
	ir_tensor *t;
	ir_attr type;
	size_t i;

	(void)key;
	if (!data || !read_index(data, SIZE_MAX, &i))
		return meta_fail(r, "this constant has no data");
	t = meta_tensor(r, i);
	if (!t || !device_field(r, node, &device) ||
	    !told_type(r, node, &type) || !place_of(r, node, &loc))
		return false;
	e = ir_new_constant(r->pc->m, loc, t);
	c = (struct ir_constant *)(uintptr_t)ir_as_constant(e);
	c->vdevice = device;
	c->told_type = type.kind == ATTR_TYPE ? type.type : NULL;
	*out = (ir_attr){.kind = ATTR_EXPR, .expr = e};
	return true;
}

static bool
make_array_object(struct meta_reader *r, const json_t *node, const char *key,
		  ir_attr *out)
{
	const json_t *repr = json_object_get(node, "repr_str");
	ir_tensor *t = repr ? meta_decode(r, repr) : NULL;
	const ir_expr *e;

	(void)key;
	if (!t)
		return repr ? false : meta_fail(r, "this array has no data");
	e = ir_new_constant(r->pc->m, r->loc, t);
	ir_tensor_unref(t);
	*out = (ir_attr){.kind = ATTR_EXPR, .expr = e};
	return true;
}

static bool
make_global(struct meta_reader *r, const json_t *node, const char *key,
	    ir_attr *out)
{
	const char *name = meta_name(r, node, "name_hint");

	(void)key;
	out->kind = ATTR_EXPR;
	out->expr = name ? &ir_module_global(r->pc->m, name)->base : NULL;
	return name != NULL;
}

/* The name of a variable stands in an object of its own. */
static bool
make_var(struct meta_reader *r, const json_t *node, const char *key,
	 ir_attr *out)
{
	const char *name;
	ir_attr type = ATTR_NONE;
	size_t id, annotation;

	(void)key;
	if (!meta_index(r, node, "vid", &id) ||
	    !meta_index(r, node, "type_annotation", &annotation))
		return meta_fail(r, "the metadata has a broken variable");
	if (annotation && (!meta_node(r, annotation, &type)))
		return false;
	name = meta_name(r, id ? node_at(r, id) : node, "name_hint");
	if (!name)
		return false;
	out->kind = ATTR_EXPR;
	out->expr = ir_new_var(r->pc->m, r->pc->no_locs ? LOC_NONE : r->loc,
			       name, type.kind == ATTR_TYPE ? type.type : NULL);
	return true;
}

/* The plain number in field NAME, -1 if there is none, as text. */
static const char *
device_number(struct meta_reader *r, const json_t *node, const char *name)
{
	const char *s = meta_field_text(node, name);

	return ir_namef(r->pc->cx, "%d", s ? atoi(s) : -1);
}

/* Devices have just these fields. Those without constraints are none. */
static bool
make_device(struct meta_reader *r, const json_t *node, const char *key,
	    ir_attr *out)
{
	ir_context *cx = r->pc->cx;
	ir_meta scope = {.type_key = ir_name(cx, "runtime.String"),
			 .repr = meta_name(r, node, "memory_scope")};
	ir_meta device = {.type_key = ir_name(cx, "VirtualDevice"),
			  .nfields = 4};
	struct ir_meta_field f[4] = {
		{.name = ir_name(cx, "device_type_int"),
		 .text = device_number(r, node, "device_type_int")},
		{.name = ir_name(cx, "memory_scope")},
		{.name = ir_name(cx, "target")},
		{.name = ir_name(cx, "virtual_device_id"),
		 .text = device_number(r, node, "virtual_device_id")},
	};
	size_t target;

	(void)key;
	if (!json_object_get(node, "attrs"))
		return meta_object(r, r->at, out);
	*out = ATTR_NONE;
	if (!scope.repr)
		return false;
	if (!meta_index(r, node, "target", &target))
		return meta_fail(r, "the metadata has a broken device");
	if (target && !meta_object(r, target, out))
		return false;
	f[2].object = target ? out->meta : NULL;
	scope.serial = ++r->pc->nserials; /* two devices of a text are two */
	device.serial = ++r->pc->nserials;
	f[1].object = ir_meta_new(cx, &scope);
	device.fields = f;
	*out = ATTR_NONE;
	if (f[0].text[0] == '-' && f[3].text[0] == '-' && !target &&
	    scope.repr[0] == '\0')
		return true;
	out->kind = ATTR_META;
	out->meta = ir_meta_new(cx, &device);
	return true;
}

struct maker {
	const char *key;
	bool (*make)(struct meta_reader *r, const json_t *node, const char *key,
		     ir_attr *out);
};

static const struct maker makers[] = {
	{"Array", make_array},
	{"Map", make_map},
	{"StrMap", make_map},
	{"runtime.String", make_string},
	{"runtime.BoxInt", make_boxed},
	{"runtime.BoxFloat", make_boxed},
	{"runtime.BoxBool", make_boxed},
	{"runtime.NDArray", make_array_object},
	{"IntImm", make_number},
	{"UIntImm", make_number},
	{"FloatImm", make_number},
	{"tir.Any", make_any},
	{"Any", make_any},
	{"relay.Constant", make_constant},
	{"GlobalVar", make_global},
	{"relay.GlobalVar", make_global},
	{"relay.Var", make_var},
	{"VirtualDevice", make_device},
	{"SEScope", make_device},
};

static bool
make(struct meta_reader *r, size_t index, ir_attr *out)
{
	const json_t *node = node_at(r, index);
	const char *key = key_of(node);

	if (!key)
		return meta_fail(r, "node %zu of the metadata has no type key",
				 index);
	if (key[0] == '\0') {
		*out = ATTR_NONE;
		return true;
	}
	r->at = index;
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
		if (strcmp(makers[i].key, key) == 0)
			return makers[i].make(r, node, key, out);
	}
	if (strncmp(key, "relay.attrs.", 12) == 0 ||
	    strcmp(key, "DictAttrs") == 0)
		return meta_record(r, node, key, out);
	if (meta_is_type(key))
		return meta_type(r, node, key, out);
	return meta_object(r, index, out);
}

bool
meta_node(struct meta_reader *r, size_t index, ir_attr *out)
{
	struct meta_memo *memo;

	*out = ATTR_NONE;
	if (index >= r->nnodes)
		return meta_fail(r, "the metadata has no node %zu", index);
	memo = &r->values[index];
	if (memo->state == META_BUSY)
		return meta_fail(r,
				 "node %zu of the metadata is part of "
				 "itself",
				 index);
	if (memo->state == META_FAILED)
		return false;
	if (memo->state == META_NEW) {
		if (r->depth >= MOST_DEPTH)
			return meta_fail(r, "the metadata nests too deep");
		memo->state = META_BUSY;
		r->depth++;
		memo->state =
			make(r, index, &memo->value) ? META_DONE : META_FAILED;
		r->depth--;
	}
	*out = memo->value;
	return memo->state == META_DONE;
}

/* The list of objects under KEY, or NULL. */
static const json_t *
list_of(struct meta_reader *r, const char *key)
{
	for (size_t i = 0; i < json_array_size(r->keys); i++) {
		const char *k = json_string_value(json_array_get(r->keys, i));
		const json_t *index = json_array_get(r->lists, i);

		if (!k || strcmp(k, key) != 0 || !json_is_integer(index))
			continue;
		return json_object_get(
			node_at(r, (size_t)json_integer_value(index)), "data");
	}
	return NULL;
}

bool
meta_has_list(struct meta_reader *r, const char *key)
{
	return list_of(r, key) != NULL;
}

bool
meta_value(struct meta_reader *r, struct loc loc, struct meta_ref ref,
	   ir_attr *out)
{
	const json_t *list = list_of(r, ref.key);
	const json_t *index = json_array_get(list, ref.index);

	*out = ATTR_NONE;
	r->loc = loc;
	if (!list)
		return meta_fail(r, "the metadata has no '%s'", ref.key);
	if (!json_is_integer(index) || json_integer_value(index) < 0)
		return meta_fail(r, "the metadata has no '%s' number %u",
				 ref.key, ref.index);
	return meta_node(r, (size_t)json_integer_value(index), out);
}
