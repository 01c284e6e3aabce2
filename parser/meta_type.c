/*
 * Types of the metadata.
 */
#include <string.h>

#include "parser/meta_internal.h"

typedef const ir_type *type_maker(struct meta_reader *r, const json_t *node);

/* The type in field NAME; a hole where it is null. NULL after a report. */
static const ir_type *
field_type(struct meta_reader *r, const json_t *node, const char *name)
{
	ir_attr v;
	size_t i;

	if (!meta_index(r, node, name, &i)) {
		meta_fail(r, "the metadata has a broken type");
		return NULL;
	}
	if (!meta_node(r, i, &v))
		return NULL;
	if (v.kind == ATTR_TYPE)
		return v.type;
	return ir_type_new_hole(r->pc->cx, UINT32_MAX);
}

/*
 * Push the types of the list in field NAME; *N is their number. False after
 * a report.
 */
static bool
push_types(struct meta_reader *r, const json_t *node, const char *name,
	   uint32_t *n)
{
	ir_attr v;
	size_t i;

	*n = 0;
	if (!meta_index(r, node, name, &i))
		return meta_fail(r, "the metadata has a broken type");
	if (!meta_node(r, i, &v))
		return false;
	for (uint32_t k = 0; v.kind == ATTR_ARRAY && k < v.n; k++) {
		if (v.elems[k].kind != ATTR_TYPE)
			return meta_fail(r, "the metadata has a broken type");
		vec_push(&r->pc->types, v.elems[k].type);
		++*n;
	}
	return true;
}

static bool
dim_of(struct meta_reader *r, const ir_attr *v, struct ir_dim *out)
{
	*out = DIM_UNKNOWN;
	if (v->kind == ATTR_META) {
		out->kind = DIM_SYM;
		out->sym = v->meta;
	} else if (v->kind == ATTR_INT && v->i >= 0) {
		out->kind = v->bits == 64 ? DIM_INT64 : DIM_INT;
		out->value = v->i;
	} else if (v->kind != ATTR_ANY) {
		return meta_fail(r, "the metadata has a broken shape");
	}
	return true;
}

static const ir_type *
make_tensor_type(struct meta_reader *r, const json_t *node)
{
	const char *name = meta_field_text(node, "dtype");
	size_t first = r->pc->dims.len, i;
	const ir_type *t = NULL;
	struct dtype dtype;
	struct ir_dim dim;
	ir_attr v;

	if (!name || !dtype_parse(name, strlen(name), &dtype) ||
	    !meta_index(r, node, "shape", &i)) {
		meta_fail(r, "the metadata has a broken type");
		return NULL;
	}
	if (!meta_node(r, i, &v))
		return NULL;
	for (i = 0; v.kind == ATTR_ARRAY && i < v.n; i++) {
		if (!dim_of(r, &v.elems[i], &dim))
			break;
		vec_push(&r->pc->dims, dim);
	}
	if (v.kind != ATTR_ARRAY || i == v.n)
		t = ir_type_tensor(r->pc->cx, dtype,
				   i ? r->pc->dims.at + first : NULL,
				   (uint32_t)i);
	r->pc->dims.len = first;
	return t;
}

static const ir_type *
make_tuple_type(struct meta_reader *r, const json_t *node)
{
	size_t first = r->pc->types.len;
	const ir_type *t = NULL;
	uint32_t n;

	if (push_types(r, node, "fields", &n))
		t = ir_type_tuple(r->pc->cx, n ? r->pc->types.at + first : NULL,
				  n);
	r->pc->types.len = first;
	return t;
}

static const ir_type *
make_func_type(struct meta_reader *r, const json_t *node)
{
	size_t first = r->pc->types.len;
	const ir_type *ret = NULL, *t = NULL;
	uint32_t nvars, nparams;

	if (push_types(r, node, "type_params", &nvars) &&
	    push_types(r, node, "arg_types", &nparams))
		ret = field_type(r, node, "ret_type");
	if (ret) {
		const ir_type *const *at = items_from(&r->pc->types, first);

		t = ir_type_func(r->pc->cx, nparams ? at + nvars : NULL,
				 nparams, ret, nvars ? at : NULL, nvars);
	}
	r->pc->types.len = first;
	return t;
}

static const ir_type *
make_ref_type(struct meta_reader *r, const json_t *node)
{
	const ir_type *value = field_type(r, node, "value");

	return value ? ir_type_ref(r->pc->cx, value) : NULL;
}

static const ir_type *
make_type_var(struct meta_reader *r, const json_t *node)
{
	const char *name = meta_name(r, node, "name_hint");

	return name ? ir_type_new_var(r->pc->cx, name) : NULL;
}

static const ir_type *
make_named_type(struct meta_reader *r, const json_t *node)
{
	const char *name = meta_name(r, node, "name_hint");

	return name ? ir_type_adt(r->pc->cx, name, NULL, 0) : NULL;
}

/* The name of the data type: of a global type, or (ours) a plain string. */
static const char *
called_name(struct meta_reader *r, const json_t *node)
{
	ir_attr v;
	size_t i;

	if (!meta_index(r, node, "func", &i) || !meta_node(r, i, &v))
		return NULL;
	if (v.kind == ATTR_STRING)
		return v.s;
	if (v.kind == ATTR_TYPE && v.type->kind == TYPE_ADT)
		return ir_as_adt_type(v.type)->name;
	meta_fail(r, "the metadata has a broken type");
	return NULL;
}

static const ir_type *
make_type_call(struct meta_reader *r, const json_t *node)
{
	size_t first = r->pc->types.len;
	const char *name = called_name(r, node);
	const ir_type *t = NULL;
	uint32_t n;

	if (name && push_types(r, node, "args", &n))
		t = ir_type_adt(r->pc->cx, name,
				n ? r->pc->types.at + first : NULL, n);
	r->pc->types.len = first;
	return t;
}

static const ir_type *
make_hole(struct meta_reader *r, const json_t *node)
{
	(void)node;
	return ir_type_new_hole(r->pc->cx, UINT32_MAX);
}

static const struct {
	const char *key;
	type_maker *make;
} makers[] = {
	{"relay.TensorType", make_tensor_type},
	{"TupleType", make_tuple_type},
	{"relay.TupleType", make_tuple_type},
	{"FuncType", make_func_type},
	{"relay.FuncType", make_func_type},
	{"relay.RefType", make_ref_type},
	{"TypeVar", make_type_var},
	{"relay.TypeVar", make_type_var},
	{"GlobalTypeVar", make_named_type},
	{"relay.GlobalTypeVar", make_named_type},
	{"TypeCall", make_type_call},
	{"relay.TypeCall", make_type_call},
	{"IncompleteType", make_hole},
	{"relay.IncompleteType", make_hole},
};

bool
meta_is_type(const char *key)
{
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
		if (strcmp(makers[i].key, key) == 0)
			return true;
	}
	return false;
}

bool
meta_type(struct meta_reader *r, const json_t *node, const char *key,
	  ir_attr *out)
{
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
		if (strcmp(makers[i].key, key) != 0)
			continue;
		out->kind = ATTR_TYPE;
		out->type = makers[i].make(r, node);
		return out->type != NULL;
	}
	return false;
}
