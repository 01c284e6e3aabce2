/*
 * The metadata section: the objects that the text refers to, flattened to a
 * list of JSON nodes as TVM writes it.
 *
 * Nodes are numbered depth first, each when it is first met and before its
 * parts. Since a node names its parts by number, all numbers are given first
 * and the text is made afterwards. Payloads of tensors are encoded straight
 * into the output.
 */
#include "ir/print_internal.h"

#include <stdio.h>
#include <string.h>

#include "support/base64.h"
#include "support/hash.h"

enum ref_kind {
	REF_NULL,
	REF_ROOT, /* map from keys to lists */
	REF_LIST, /* struct print_meta_list */
	REF_EXPR,
	REF_META,
	REF_RECORD,
	REF_DICT,
	REF_ATTR,
	REF_TYPE,
	REF_SHAPE, /* of a tensor type */
	REF_DIM,
	REF_TYPES,  /* struct type_list */
	REF_STRING, /* interned */
	REF_VAR_ID, /* the name of a variable */
	REF_DEVICE, /* the device without constraint */
};

/* An object, and where its number belongs. */
struct ref {
	enum ref_kind kind;
	const void *object;
	uint32_t *slot;
};

struct type_list {
	const ir_type *const *at;
	uint32_t n;
};

/* One "name": "..." of a node: TEXT, or the number of a part. */
struct field {
	const char *name;
	const char *text;
	uint32_t number;
};

struct node {
	const char *type_key;
	const char *repr; /* or NULL */
	size_t repr_len;
	uint32_t nfields;
	uint32_t nkeys;
	uint32_t ndata;
	struct field *fields;
	const char *const *keys;
	uint32_t *data;
};

struct shared_slot {
	const void *object;
	uint32_t number;
};

struct json {
	struct print *p;
	struct buf *out;
	struct arena *arena;
	VEC(struct node) nodes;
	VEC(struct ref) todo;
	VEC(struct ref) parts; /* of the node being made */
	VEC(struct field) fields;
	VEC(const ir_tensor *) tensors;
	struct shared_slot *shared;
	size_t nshared_slots;
	size_t nshared;
};

/* ---------------------------------------------------------- numbering -- */

static size_t
shared_at(const struct shared_slot *slots, size_t nslots, const void *object)
{
	size_t mask = nslots - 1;
	size_t i = hash_mix(1, (uint64_t)(uintptr_t)object) & mask;

	while (slots[i].object && slots[i].object != object)
		i = (i + 1) & mask;
	return i;
}

static struct shared_slot *
shared_slot(struct json *j, const void *object)
{
	if (j->nshared * 2 >= j->nshared_slots) {
		size_t n = j->nshared_slots ? j->nshared_slots * 2 : 64;
		struct shared_slot *slots = xcalloc(n, sizeof(*slots));

		for (size_t i = 0; i < j->nshared_slots; i++)
			if (j->shared[i].object)
				slots[shared_at(slots, n,
						j->shared[i].object)] =
					j->shared[i];
		free(j->shared);
		j->shared = slots;
		j->nshared_slots = n;
	}
	return &j->shared[shared_at(j->shared, j->nshared_slots, object)];
}

/*
 * Objects of which TVM has one for all users. The others it makes afresh for
 * each: numbers, shapes, lists, empty strings.
 */
static bool
is_shared(const struct ref *r)
{
	const ir_meta *m = r->object;
	const ir_type *t = r->object;

	switch (r->kind) {
	case REF_EXPR:
	case REF_DEVICE:
	case REF_DICT:
		return r->object != NULL;
	case REF_TYPE:
		return t->kind == TYPE_VAR || t->kind == TYPE_HOLE;
	case REF_META:
		if (strcmp(m->type_key, "runtime.String") == 0)
			return m->repr && *m->repr;
		return strcmp(m->type_key, "Array") != 0 &&
		       strcmp(m->type_key, "Map") != 0;
	default:
		return false;
	}
}

/* Number for tensor T; payloads are shared by pointer. */
static uint32_t
tensor_number(struct json *j, const ir_tensor *t)
{
	struct shared_slot *slot = shared_slot(j, t);

	if (!slot->object) {
		*slot = (struct shared_slot){t, (uint32_t)j->tensors.len};
		j->nshared++;
		vec_push(&j->tensors, t);
	}
	return slot->number;
}

/* ------------------------------------------------------ making a node -- */

static void
add_text(struct json *j, const char *name, const char *text)
{
	vec_push(&j->fields, ((struct field){name, text, 0}));
}

static void
add_int(struct json *j, const char *name, long long value)
{
	add_text(j, name, arena_printf(j->arena, "%lld", value));
}

static void
add_dtype(struct json *j, const char *name, struct dtype d)
{
	char text[DTYPE_TEXT];

	dtype_text(d, text);
	add_text(j, name, arena_strndup(j->arena, text, strlen(text)));
}

/* A field that is an object; its number is filled in when it is known. */
static void
add_part(struct json *j, const char *name, enum ref_kind kind,
	 const void *object)
{
	add_text(j, name, NULL);
	vec_push(&j->parts, ((struct ref){kind, object, NULL}));
}

static void
add_item(struct json *j, enum ref_kind kind, const void *object)
{
	vec_push(&j->parts, ((struct ref){kind, object, NULL}));
}

static void
set_repr(struct node *n, const char *s, size_t len)
{
	n->repr = s;
	n->repr_len = len;
}

static void
make_string(struct node *n, const char *s)
{
	n->type_key = "runtime.String";
	set_repr(n, s, intern_len(s));
}

static void
make_number(struct json *j, struct node *n, struct dtype d, const char *value)
{
	n->type_key = d.code == DTYPE_FLOAT ? "FloatImm" : "IntImm";
	add_dtype(j, "dtype", d);
	add_text(j, "value", value);
	add_text(j, "span", "0");
}

static const char *
double_text(struct json *j, double value)
{
	return arena_printf(j->arena, "%.17g", value);
}

static void
make_dim(struct json *j, struct node *n, const struct ir_dim *d)
{
	if (d->kind == DIM_ANY) {
		n->type_key = "tir.Any";
		add_text(j, "dtype", "int32");
		add_text(j, "span", "0");
		return;
	}
	make_number(j, n, DTYPE(INT, d->kind == DIM_INT64 ? 64 : 32),
		    arena_printf(j->arena, "%lld", (long long)d->value));
}

static void
make_types(struct json *j, struct node *n, const struct type_list *list)
{
	n->type_key = "Array";
	for (uint32_t i = 0; i < list->n; i++)
		add_item(j, REF_TYPE, list->at[i]);
}

static void
add_types(struct json *j, const char *name, const ir_type *const *at,
	  uint32_t n)
{
	struct type_list *list = ARENA_NEW(j->arena, struct type_list);

	list->at = at;
	list->n = n;
	add_part(j, name, REF_TYPES, list);
}

static void
make_func_type(struct json *j, const struct ir_func_type *t)
{
	add_types(j, "arg_types", t->params, t->nparams);
	add_part(j, "ret_type", REF_TYPE, t->ret);
	add_types(j, "type_params", t->vars, t->nvars);
	add_types(j, "type_constraints", NULL, 0);
}

static void
make_type(struct json *j, struct node *n, const ir_type *t)
{
	n->type_key = print_type_key(t);
	switch ((enum ir_type_kind)t->kind) {
	case TYPE_TENSOR:
		add_part(j, "shape", REF_SHAPE, t);
		add_dtype(j, "dtype", ir_as_tensor_type(t)->dtype);
		break;
	case TYPE_TUPLE:
		add_types(j, "fields", ir_as_tuple_type(t)->fields,
			  ir_as_tuple_type(t)->nfields);
		break;
	case TYPE_FUNC:
		make_func_type(j, ir_as_func_type(t));
		break;
	case TYPE_REF:
		add_part(j, "value", REF_TYPE, ir_as_ref_type(t)->value);
		break;
	case TYPE_ADT:
		add_part(j, "func", REF_STRING, ir_as_adt_type(t)->name);
		add_types(j, "args", ir_as_adt_type(t)->args,
			  ir_as_adt_type(t)->nargs);
		break;
	case TYPE_VAR:
		add_part(j, "name_hint", REF_STRING, ir_as_type_var(t)->name);
		add_text(j, "kind", "0");
		break;
	case TYPE_HOLE:
		add_text(j, "kind", "0");
		break;
	}
	add_text(j, "span", "0");
}

static void
make_shape(struct json *j, struct node *n, const struct ir_tensor_type *t)
{
	n->type_key = "Array";
	for (uint32_t i = 0; i < t->ndim; i++) {
		if (t->shape[i].kind == DIM_SYM)
			add_item(j, REF_META, t->shape[i].sym);
		else
			add_item(j, REF_DIM, &t->shape[i]);
	}
}

static void
make_device(struct json *j, struct node *n)
{
	n->type_key = "VirtualDevice";
	add_text(j, "device_type_int", "-1");
	add_text(j, "virtual_device_id", "-1");
	add_text(j, "target", "0");
	add_part(j, "memory_scope", REF_STRING, intern_str(&j->p->names, ""));
}

/* What relay expressions have in common. */
static void
add_expr_fields(struct json *j, const ir_expr *e, const ir_meta *vdevice)
{
	static const char any;

	if (vdevice)
		add_part(j, "virtual_device_", REF_META, vdevice);
	else
		add_part(j, "virtual_device_", REF_DEVICE, &any);
	add_text(j, "span", "0");
	add_part(j, "_checked_type_", e->type ? REF_TYPE : REF_NULL, e->type);
}

static void
make_expr(struct json *j, struct node *n, const ir_expr *e)
{
	const struct ir_var *v;

	switch ((enum ir_kind)e->kind) {
	case IR_CONSTANT:
		n->type_key = "relay.Constant";
		add_int(j, "data", tensor_number(j, ir_as_constant(e)->data));
		add_expr_fields(j, e, ir_as_constant(e)->vdevice);
		break;
	case IR_GLOBAL:
		n->type_key = "GlobalVar";
		add_part(j, "name_hint", REF_STRING, ir_as_global(e)->name);
		add_expr_fields(j, e, NULL);
		add_text(j, "struct_info_", "0");
		break;
	default:
		v = ir_as_var(e);
		n->type_key = "relay.Var";
		add_part(j, "vid", REF_VAR_ID, v->name);
		add_part(j, "type_annotation",
			 v->annotation ? REF_TYPE : REF_NULL, v->annotation);
		add_expr_fields(j, e, v->vdevice);
		break;
	}
}

/* The fields of objects that TVM visits in another order than by name. */
static const char *const *
field_order(const char *type_key)
{
	static const char *const device[] = {"device_type_int",
					     "virtual_device_id", "target",
					     "memory_scope", NULL};
	static const char *const target[] = {
		"kind", "tag", "keys", "attrs", "features", "host", NULL};
	static const char *const constant[] = {"data", "virtual_device_",
					       "span", "_checked_type_", NULL};

	if (strcmp(type_key, "VirtualDevice") == 0)
		return device;
	if (strcmp(type_key, "Target") == 0)
		return target;
	if (strcmp(type_key, "relay.Constant") == 0)
		return constant;
	return NULL;
}

static void
add_meta_field(struct json *j, const struct ir_meta_field *f)
{
	if (f->text)
		add_text(j, f->name, strcmp(f->name, "span") ? f->text : "0");
	else if (f->tensor)
		add_int(j, f->name, tensor_number(j, f->tensor));
	else if (f->type)
		add_part(j, f->name, REF_TYPE, f->type);
	else if (f->object && strcmp(f->name, "span") != 0)
		add_part(j, f->name, REF_META, f->object);
	else
		add_text(j, f->name, "0");
}

static void
add_meta_fields(struct json *j, const ir_meta *m)
{
	const char *const *order = field_order(m->type_key);

	for (; order && *order; order++)
		for (uint32_t i = 0; i < m->nfields; i++)
			if (strcmp(m->fields[i].name, *order) == 0)
				add_meta_field(j, &m->fields[i]);
	for (uint32_t i = 0; i < m->nfields; i++) {
		const char *const *known = field_order(m->type_key);

		while (known && *known && strcmp(*known, m->fields[i].name))
			known++;
		if (!known || !*known)
			add_meta_field(j, &m->fields[i]);
	}
}

static void
make_meta(struct json *j, struct node *n, const ir_meta *m)
{
	n->type_key = m->type_key;
	if (m->repr)
		set_repr(n, m->repr, intern_len(m->repr));
	add_meta_fields(j, m);
	n->nkeys = m->nkeys;
	n->keys = m->keys;
	for (uint32_t i = 0; i < m->ndata; i++)
		add_item(j, m->data[i] ? REF_META : REF_NULL, m->data[i]);
}

/* Fields of C++ type String: nodes, where other strings stand inline. */
static bool
is_string_object(const struct attrs_schema *s, const struct attr_field *f)
{
	return (s->id == ATTRS_DensePack &&
		strcmp(f->name, "weight_layout") == 0) ||
	       (s->id == ATTRS_ScatterElements &&
		strcmp(f->name, "reduction") == 0) ||
	       (s->id == ATTRS_ScatterND && strcmp(f->name, "mode") == 0);
}

/* A plain field of a record; false if it is an object. */
static bool
add_plain_field(struct json *j, const struct attr_field *f, const ir_attr *a)
{
	switch (f->type) {
	case ATTR_TYPE_INT:
	case ATTR_TYPE_INT64:
		if (a->kind != ATTR_INT || a->boxed)
			return false;
		add_int(j, f->name, a->i);
		return true;
	case ATTR_TYPE_FLOAT:
		if (a->kind != ATTR_FLOAT || f->need == ATTR_NULLABLE)
			return false;
		add_text(j, f->name, double_text(j, a->f));
		return true;
	case ATTR_TYPE_BOOL:
		if (a->kind != ATTR_BOOL)
			return false;
		add_text(j, f->name, a->b ? "1" : "0");
		return true;
	case ATTR_TYPE_STRING:
		if (a->kind != ATTR_STRING)
			return false;
		add_text(j, f->name, a->s);
		return true;
	case ATTR_TYPE_DTYPE:
		if (a->kind != ATTR_DTYPE)
			add_text(j, f->name, "");
		else
			add_dtype(j, f->name, a->dtype);
		return true;
	default:
		return false;
	}
}

static void
make_record(struct json *j, struct node *n, const ir_attrs *a)
{
	n->type_key = a->schema->key;
	for (uint32_t i = 0; i < a->n; i++) {
		const struct attr_field *f = &a->schema->fields[i];

		if (is_string_object(a->schema, f) ||
		    !add_plain_field(j, f, &a->value[i]))
			add_part(j, f->name, REF_ATTR, &a->value[i]);
	}
}

static void
make_dict(struct json *j, struct node *n, const ir_dict *d)
{
	const char **keys;

	n->type_key = "Map";
	if (!d || d->n == 0)
		return;
	keys = ARENA_NEW_ARRAY(j->arena, d->n, const char *);
	for (uint32_t i = 0; i < d->n; i++) {
		keys[i] = d->entry[i].key;
		add_item(j, REF_ATTR, &d->entry[i].value);
	}
	n->nkeys = d->n;
	n->keys = keys;
}

static void
make_boxed(struct json *j, struct node *n, const ir_attr *a)
{
	const char *text;

	if (a->kind == ATTR_INT) {
		n->type_key = "runtime.BoxInt";
		text = arena_printf(j->arena, "%lld", (long long)a->i);
	} else if (a->kind == ATTR_FLOAT) {
		n->type_key = "runtime.BoxFloat";
		text = double_text(j, a->f);
	} else {
		n->type_key = "runtime.BoxBool";
		text = a->b ? "true" : "false";
	}
	set_repr(n, text, strlen(text));
}

static void
make_attr(struct json *j, struct node *n, const ir_attr *a)
{
	char text[DTYPE_TEXT];

	if (a->boxed) {
		make_boxed(j, n, a);
		return;
	}
	switch ((enum ir_attr_kind)a->kind) {
	case ATTR_INT:
		make_number(j, n, (struct dtype){DTYPE_INT, a->bits, 1},
			    arena_printf(j->arena, "%lld", (long long)a->i));
		break;
	case ATTR_FLOAT:
		make_number(j, n, (struct dtype){DTYPE_FLOAT, a->bits, 1},
			    double_text(j, a->f));
		break;
	case ATTR_BOOL:
		make_number(j, n, DTYPE_BOOL, a->b ? "1" : "0");
		break;
	case ATTR_STRING:
		make_string(n, a->s);
		break;
	case ATTR_DTYPE:
		dtype_text(a->dtype, text);
		make_string(n, intern_str(&j->p->names, text));
		break;
	case ATTR_ANY:
		make_dim(j, n, &(struct ir_dim){.kind = DIM_ANY});
		break;
	default:
		n->type_key = "Array";
		for (uint32_t i = 0; i < a->n; i++)
			add_item(j, REF_ATTR, &a->elems[i]);
		break;
	}
}

static void
make_list(struct json *j, struct node *n, const struct print_meta_list *list)
{
	static const enum ref_kind kinds[] = {
		[PRINT_META_EXPR] = REF_EXPR, [PRINT_META_RECORD] = REF_RECORD,
		[PRINT_META_DICT] = REF_DICT, [PRINT_META_ATTR] = REF_ATTR,
		[PRINT_META_TYPE] = REF_TYPE, [PRINT_META_OBJECT] = REF_META,
	};

	n->type_key = "Array";
	for (size_t i = 0; i < list->items.len; i++) {
		struct print_meta_item it = list->items.at[i];

		add_item(j, it.object ? kinds[it.kind] : REF_NULL, it.object);
	}
}

/*
 * The order of keys is that of TVM's map, which it fills from a table that
 * has the newest key first.
 */
static void
make_root(struct json *j, struct node *n)
{
	uint32_t nkeys = (uint32_t)j->p->meta.len;
	struct ir_dict_entry *e =
		ARENA_NEW_ARRAY(j->arena, nkeys, struct ir_dict_entry);
	const char **keys = ARENA_NEW_ARRAY(j->arena, nkeys, const char *);
	const ir_dict *d;

	for (uint32_t i = 0; i < nkeys; i++) {
		const struct print_meta_list *list =
			&j->p->meta.at[nkeys - 1 - i];

		e[i].key = ir_name(j->p->m->cx, list->key);
		e[i].value = ATTR_INT32(nkeys - 1 - i);
	}
	d = ir_dict_new(j->p->m->cx, e, nkeys);
	n->type_key = "Map";
	n->nkeys = nkeys;
	n->keys = keys;
	for (uint32_t i = 0; i < nkeys; i++) {
		keys[i] = d->entry[i].key;
		add_item(j, REF_LIST, &j->p->meta.at[d->entry[i].value.i]);
	}
}

/* Values that stand for another object are that object. */
static struct ref
resolve(struct ref r)
{
	const ir_attr *a = r.object;

	if (r.kind != REF_ATTR)
		return r;
	switch ((enum ir_attr_kind)a->kind) {
	case ATTR_NULL:
		r.kind = REF_NULL;
		break;
	case ATTR_DICT:
		r.kind = REF_DICT;
		r.object = a->dict;
		break;
	case ATTR_EXPR:
		r.kind = a->expr->kind == IR_VAR ||
					 a->expr->kind == IR_GLOBAL ||
					 (a->expr->kind == IR_CONSTANT &&
					  ir_as_constant(a->expr)->data)
				 ? REF_EXPR
				 : REF_NULL;
		r.object = a->expr;
		break;
	case ATTR_TYPE:
		r.kind = REF_TYPE;
		r.object = a->type;
		break;
	case ATTR_RECORD:
		r.kind = REF_RECORD;
		r.object = a->record;
		break;
	case ATTR_META:
		r.kind = REF_META;
		r.object = a->meta;
		break;
	default:
		break;
	}
	return r;
}

static void
make_node(struct json *j, struct node *n, struct ref r)
{
	switch (r.kind) {
	case REF_NULL:
		break;
	case REF_ROOT:
		make_root(j, n);
		break;
	case REF_LIST:
		make_list(j, n, r.object);
		break;
	case REF_EXPR:
		make_expr(j, n, r.object);
		break;
	case REF_META:
		make_meta(j, n, r.object);
		break;
	case REF_RECORD:
		make_record(j, n, r.object);
		break;
	case REF_DICT:
		make_dict(j, n, r.object);
		break;
	case REF_ATTR:
		make_attr(j, n, r.object);
		break;
	case REF_TYPE:
		make_type(j, n, r.object);
		break;
	case REF_SHAPE:
		make_shape(j, n, r.object);
		break;
	case REF_DIM:
		make_dim(j, n, r.object);
		break;
	case REF_TYPES:
		make_types(j, n, r.object);
		break;
	case REF_STRING:
		make_string(n, r.object);
		break;
	case REF_VAR_ID:
		n->type_key = "relay.Id";
		add_part(j, "name_hint", REF_STRING, r.object);
		break;
	case REF_DEVICE:
		make_device(j, n);
		break;
	}
}

/* Keep what was collected for N; parts go onto the stack, first on top. */
static void
close_node(struct json *j, struct node *n)
{
	uint32_t part = 0;
	uint32_t named = 0;

	n->nfields = (uint32_t)j->fields.len;
	n->fields = arena_copy(j->arena, j->fields.at,
			       j->fields.len * sizeof(*n->fields));
	for (uint32_t i = 0; i < n->nfields; i++)
		if (!n->fields[i].text)
			j->parts.at[named++].slot = &n->fields[i].number;
	n->ndata = (uint32_t)j->parts.len - named;
	n->data = ARENA_NEW_ARRAY(j->arena, n->ndata, uint32_t);
	for (part = named; part < j->parts.len; part++)
		j->parts.at[part].slot = &n->data[part - named];
	for (size_t i = j->parts.len; i > 0; i--)
		vec_push(&j->todo, j->parts.at[i - 1]);
	j->fields.len = 0;
	j->parts.len = 0;
}

static void
number_one(struct json *j, struct ref r)
{
	struct node n = {.type_key = ""};
	struct shared_slot *slot = NULL;

	r = resolve(r);
	if (r.kind == REF_NULL) {
		*r.slot = 0;
		return;
	}
	if (is_shared(&r)) {
		slot = shared_slot(j, r.object);
		if (slot->object) {
			*r.slot = slot->number;
			return;
		}
		slot->object = r.object;
		slot->number = (uint32_t)j->nodes.len;
		j->nshared++;
	}
	*r.slot = (uint32_t)j->nodes.len;
	make_node(j, &n, r);
	close_node(j, &n);
	vec_push(&j->nodes, n);
}

/* -------------------------------------------------------------- text -- */

static void
put_json_string(struct buf *out, const char *s, size_t len)
{
	static const char from[] = "\"\\\t\r\n";
	static const char to[] = "\"\\trn";

	buf_putc(out, '"');
	for (size_t i = 0; i < len; i++) {
		const char *at = s[i] ? strchr(from, s[i]) : NULL;

		if (at) {
			buf_putc(out, '\\');
			buf_putc(out, to[at - from]);
		} else {
			buf_putc(out, s[i]);
		}
	}
	buf_putc(out, '"');
}

static bool
is_printable(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] < 0x20 || s[i] > 0x7e)
			return false;
	return true;
}

static void
put_word(unsigned char *to, uint64_t value, int nbytes)
{
	for (int i = 0; i < nbytes; i++)
		to[i] = (unsigned char)(value >> (8 * i));
}

/* ", " and a new line between the members of a node. */
static void
put_member(struct buf *out, const char *name)
{
	buf_puts(out, ", \n      \"");
	buf_puts(out, name);
	buf_puts(out, "\": ");
}

static void
put_repr(struct buf *out, const struct node *n)
{
	struct base64_encoder e = {0};
	unsigned char size[8];

	if (is_printable(n->repr, n->repr_len)) {
		put_member(out, "repr_str");
		put_json_string(out, n->repr, n->repr_len);
		return;
	}
	put_member(out, "repr_b64");
	put_word(size, n->repr_len, 8);
	buf_putc(out, '"');
	base64_put(&e, out, size, sizeof(size));
	base64_put(&e, out, n->repr, n->repr_len);
	base64_end(&e, out);
	buf_putc(out, '"');
}

static int
compare_fields(const void *a, const void *b)
{
	return strcmp(((const struct field *)a)->name,
		      ((const struct field *)b)->name);
}

static void
put_fields(struct buf *out, struct node *n)
{
	bool one = n->nfields == 1;

	qsort(n->fields, n->nfields, sizeof(*n->fields), compare_fields);
	put_member(out, "attrs");
	buf_putc(out, '{');
	for (uint32_t i = 0; i < n->nfields; i++) {
		const struct field *f = &n->fields[i];

		if (!one)
			buf_puts(out, i ? ", \n        " : "\n        ");
		put_json_string(out, f->name, strlen(f->name));
		buf_puts(out, ": ");
		if (f->text) {
			put_json_string(out, f->text, strlen(f->text));
		} else {
			buf_putc(out, '"');
			buf_int(out, f->number);
			buf_putc(out, '"');
		}
	}
	buf_puts(out, one ? "}" : "\n      }");
}

static void
put_keys(struct buf *out, const struct node *n)
{
	put_member(out, "keys");
	buf_putc(out, '[');
	for (uint32_t i = 0; i < n->nkeys; i++) {
		buf_puts(out, i ? ", \n        " : "\n        ");
		put_json_string(out, n->keys[i], intern_len(n->keys[i]));
	}
	buf_puts(out, "\n      ]");
}

static void
put_data(struct buf *out, const struct node *n)
{
	bool one_line = n->ndata <= 10;

	put_member(out, "data");
	buf_putc(out, '[');
	for (uint32_t i = 0; i < n->ndata; i++) {
		if (i)
			buf_puts(out, ", ");
		if (!one_line)
			buf_puts(out, "\n        ");
		buf_int(out, n->data[i]);
	}
	buf_puts(out, one_line ? "]" : "\n      ]");
}

static void
put_node(struct buf *out, struct node *n)
{
	buf_puts(out, "\n    {\n      \"type_key\": ");
	put_json_string(out, n->type_key, strlen(n->type_key));
	if (n->repr && n->repr_len)
		put_repr(out, n);
	if (n->nfields)
		put_fields(out, n);
	if (n->nkeys)
		put_keys(out, n);
	if (n->ndata)
		put_data(out, n);
	buf_puts(out, "\n    }");
}

/* T as TVM writes it in files, as base64. */
static void
put_tensor(struct buf *out, const ir_tensor *t)
{
	struct base64_encoder e = {0};
	unsigned char head[32] = {0};
	unsigned char word[8];

	put_word(head, UINT64_C(0xDD5E40F096B4A13F), 8);
	put_word(head + 16, 1, 4);
	put_word(head + 24, t->ndim, 4);
	head[28] = t->dtype.code;
	head[29] = t->dtype.bits;
	put_word(head + 30, t->dtype.lanes, 2);
	base64_put(&e, out, head, sizeof(head));
	for (uint32_t i = 0; i < t->ndim; i++) {
		put_word(word, (uint64_t)t->shape[i], 8);
		base64_put(&e, out, word, sizeof(word));
	}
	put_word(word, t->nbytes / (t->dtype.lanes ? t->dtype.lanes : 1), 8);
	base64_put(&e, out, word, sizeof(word));
	base64_put(&e, out, t->data, t->nbytes);
	base64_end(&e, out);
}

static void
put_tensors(struct json *j)
{
	struct buf *out = j->out;

	buf_puts(out, "\n  ], \n  \"b64ndarrays\": [");
	for (size_t i = 0; i < j->tensors.len; i++) {
		buf_puts(out, i ? ", \n    \"" : "\n    \"");
		put_tensor(out, j->tensors.at[i]);
		buf_putc(out, '"');
	}
	buf_puts(out, j->tensors.len ? "\n  ], \n" : "], \n");
}

void
print_json(struct print *p)
{
	struct json j = {.p = p, .out = p->out, .arena = &p->arena};
	uint32_t root = 0;

	vec_push(&j.nodes, ((struct node){.type_key = ""}));
	vec_push(&j.todo, ((struct ref){REF_ROOT, NULL, &root}));
	while (j.todo.len)
		number_one(&j, vec_pop(&j.todo));
	buf_puts(p->out, "{\n  \"root\": 1, \n  \"nodes\": [");
	for (size_t i = 0; i < j.nodes.len; i++) {
		if (i)
			buf_puts(p->out, ", ");
		put_node(p->out, &j.nodes.at[i]);
	}
	put_tensors(&j);
	buf_puts(p->out, "  \"attrs\": {\"tvm_version\": \"0.18.0\"}\n}");
	vec_free(&j.nodes);
	vec_free(&j.todo);
	vec_free(&j.parts);
	vec_free(&j.fields);
	vec_free(&j.tensors);
	free(j.shared);
}
