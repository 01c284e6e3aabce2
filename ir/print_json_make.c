/*
 * Objects of the metadata as JSON nodes: their type keys, fields and parts.
 */
#include <stddef.h>
#include <string.h>

#include "ir/print_json_internal.h"

struct type_list {
	const ir_type *const *at;
	uint32_t n;
};

/* Number for tensor T; payloads are shared by pointer. */
static uint32_t
tensor_number(struct json *j, const ir_tensor *t)
{
	bool is_new;
	uintptr_t *number = ptrmap_add(&j->shared, t, &is_new);

	if (is_new) {
		*number = j->tensors.len;
		vec_push(&j->tensors, t);
	}
	return (uint32_t)*number;
}

static void
add_text(struct json *j, const char *name, const char *text)
{
	vec_push(&j->fields, ((struct json_field){name, text, 0}));
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
add_part(struct json *j, const char *name, enum json_ref_kind kind,
	 const void *object)
{
	add_text(j, name, NULL);
	vec_push(&j->parts, ((struct json_ref){kind, object, NULL}));
}

static void
add_item(struct json *j, enum json_ref_kind kind, const void *object)
{
	vec_push(&j->parts, ((struct json_ref){kind, object, NULL}));
}

static void
set_repr(struct json_node *n, const char *s, size_t len)
{
	n->repr = s;
	n->repr_len = len;
}

static void
make_string(struct json_node *n, const char *s)
{
	n->type_key = "runtime.String";
	set_repr(n, s, intern_len(s));
}

static void
make_number(struct json *j, struct json_node *n, struct dtype d,
	    const char *value)
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
make_dim(struct json *j, struct json_node *n, const struct ir_dim *d)
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
make_types(struct json *j, struct json_node *n, const struct type_list *list)
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
make_type(struct json *j, struct json_node *n, const ir_type *t)
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
make_shape(struct json *j, struct json_node *n, const struct ir_tensor_type *t)
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
make_device(struct json *j, struct json_node *n)
{
	n->type_key = "VirtualDevice";
	add_text(j, "device_type_int", "-1");
	add_text(j, "virtual_device_id", "-1");
	add_text(j, "target", "0");
	add_part(j, "memory_scope", REF_STRING, intern_str(&j->p->names, ""));
}

static void
make_span(struct json *j, struct json_node *n, const struct ir_span *s)
{
	n->type_key = "Span";
	add_part(j, "source_name", REF_SOURCE, s->name);
	add_int(j, "line", s->line);
	add_int(j, "column", s->column);
	add_int(j, "end_line", s->end_line);
	add_int(j, "end_column", s->end_column);
}

/* What relay expressions have in common. */
static void
add_expr_fields(struct json *j, const ir_expr *e, const ir_type *type,
		const ir_meta *vdevice)
{
	static const char any;
	bool typed = type && j->p->o->types != PRINT_TYPES_NONE;

	if (vdevice)
		add_part(j, "virtual_device_", REF_META, vdevice);
	else
		add_part(j, "virtual_device_", REF_DEVICE, &any);
	if (j->p->o->spans && e->loc.span)
		add_part(j, "span", REF_SPAN, &j->p->m->spans.at[e->loc.off]);
	else
		add_text(j, "span", "0");
	add_part(j, "_checked_type_", typed ? REF_TYPE : REF_NULL, type);
}

static void
make_constant(struct json *j, struct json_node *n, const struct ir_constant *c,
	      const ir_type *type)
{
	n->type_key = "relay.Constant";
	add_int(j, "data", tensor_number(j, c->data));
	add_expr_fields(j, &c->base, type, c->vdevice);
}

/* The constant that has ID for its second identity. */
static const struct ir_constant *
told_constant(const void *id)
{
	return (const void *)((const char *)id -
			      offsetof(struct ir_constant, told_type));
}

static void
make_expr(struct json *j, struct json_node *n, const ir_expr *e)
{
	const struct ir_var *v;

	switch ((enum ir_kind)e->kind) {
	case IR_CONSTANT:
		make_constant(j, n, ir_as_constant(e), e->type);
		break;
	case IR_GLOBAL:
		n->type_key = "GlobalVar";
		add_part(j, "name_hint", REF_STRING, ir_as_global(e)->name);
		add_expr_fields(j, e, e->type, NULL);
		add_text(j, "struct_info_", "0");
		break;
	default:
		v = ir_as_var(e);
		n->type_key = "relay.Var";
		add_part(j, "vid", REF_VAR_ID, v->name);
		add_part(j, "type_annotation",
			 v->annotation ? REF_TYPE : REF_NULL, v->annotation);
		add_expr_fields(j, e, e->type, v->vdevice);
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
make_meta(struct json *j, struct json_node *n, const ir_meta *m)
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
make_record(struct json *j, struct json_node *n, const ir_attrs *a)
{
	n->type_key = a->schema->key;
	for (uint32_t i = 0; i < a->n; i++) {
		const struct attr_field *f = &a->schema->fields[i];

		if (attrs_field_is_object(a->schema, i) ||
		    !add_plain_field(j, f, &a->value[i]))
			add_part(j, f->name, REF_ATTR, &a->value[i]);
	}
}

static void
make_dict(struct json *j, struct json_node *n, const ir_dict *d)
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
make_boxed(struct json *j, struct json_node *n, const ir_attr *a)
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
make_attr(struct json *j, struct json_node *n, const ir_attr *a)
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
make_list(struct json *j, struct json_node *n,
	  const struct print_meta_list *list)
{
	static const enum json_ref_kind kinds[] = {
		[PRINT_META_EXPR] = REF_EXPR, [PRINT_META_RECORD] = REF_RECORD,
		[PRINT_META_DICT] = REF_DICT, [PRINT_META_ATTR] = REF_ATTR,
		[PRINT_META_TYPE] = REF_TYPE, [PRINT_META_OBJECT] = REF_META,
		[PRINT_META_TOLD] = REF_TOLD,
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
make_root(struct json *j, struct json_node *n)
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

void
print_json_make(struct json *j, struct json_node *n, struct json_ref r)
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
	case REF_DICT_ATTRS:
		n->type_key = "DictAttrs";
		add_part(j, "__dict__", REF_DICT, r.object);
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
	case REF_TOLD:
		make_constant(j, n, told_constant(r.object),
			      told_constant(r.object)->told_type);
		break;
	case REF_SPAN:
		make_span(j, n, r.object);
		break;
	case REF_SOURCE:
		n->type_key = "SourceName";
		set_repr(n, r.object, intern_len(r.object));
		break;
	}
}
