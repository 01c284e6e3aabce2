/*
 * Attributes of calls and functions, and virtual devices.
 *
 * A value is either a plain field of a record (a C number: no suffix) or an
 * object (suffix by width; maps, records, devices and the like stand in the
 * metadata). Planning gives objects their indices in the order of the text.
 */
#include "ir/print_internal.h"

#include <string.h>

#include "support/hash.h"

const ir_attrs *
print_defaults(struct print *p, const struct attrs_schema *s)
{
	if (s->id >= ATTRS_COUNT)
		return ir_attrs_defaults(p->m->cx, s);
	if (!p->defaults)
		p->defaults = ARENA_NEW_ARRAY(&p->arena, ATTRS_COUNT,
					      const ir_attrs *);
	if (!p->defaults[s->id])
		p->defaults[s->id] = ir_attrs_defaults(p->m->cx, s);
	return p->defaults[s->id];
}

static bool
is_shown(struct print *p, const ir_attrs *a, uint32_t i)
{
	return a->schema->fields[i].need != ATTR_DEFAULT ||
	       !ir_attr_equal(&a->value[i],
			      &print_defaults(p, a->schema)->value[i]);
}

static bool
is_op_call(const struct ir_call *c)
{
	return c->callee->kind == IR_OP &&
	       ir_as_op_ref(c->callee)->op->id != OP_UNKNOWN;
}

/* The call's record can't be written as "key=value": TVM knows no other. */
static bool
is_opaque_record(struct print *p, const struct ir_call *c)
{
	const ir_op *op;

	if (!is_op_call(c) || p->o->meta == PRINT_META_OMIT)
		return false;
	op = ir_as_op_ref(c->callee)->op;
	return (op->attrs != c->attrs->schema ||
		(op->traits & (OP_TRAIT_UNREGISTERED | OP_TRAIT_MISMATCH)));
}

/* Attributes that were taken as they are, since nobody knows their record. */
static bool
is_flat(const struct ir_call *c)
{
	return c->attrs->schema->id == ATTRS_Dict && !is_op_call(c) &&
	       c->attrs->value[0].kind == ATTR_DICT &&
	       (c->callee->kind == IR_OP ||
		ir_dict_get(c->attrs->value[0].dict, "attrs_type_key"));
}

/* A device field without constraint: an object of its own in TVM. */
static const ir_meta *
free_device(struct print *p)
{
	return ir_meta_free_device(p->m->cx);
}

/* The metadata key of an object, or NULL if it has a text of its own. */
static const char *
meta_key(struct print *p, const ir_attr *a)
{
	bool inlined = p->o->meta == PRINT_META_INLINE;

	switch ((enum ir_attr_kind)a->kind) {
	case ATTR_INT:
		return a->boxed ? "runtime.BoxInt" : NULL;
	case ATTR_FLOAT:
		return a->boxed ? "runtime.BoxFloat" : NULL;
	case ATTR_BOOL:
		return a->boxed ? "runtime.BoxBool" : NULL;
	case ATTR_DICT:
		if (!inlined)
			return NULL;
		return a->boxed ? "DictAttrs" : "Map";
	case ATTR_RECORD:
		return inlined ? a->record->schema->key : NULL;
	case ATTR_TYPE:
		return print_type_key(a->type);
	case ATTR_META:
		return inlined || strcmp(a->meta->type_key, "VirtualDevice")
			       ? a->meta->type_key
			       : NULL;
	case ATTR_EXPR:
		switch (a->expr->kind) {
		case IR_CONSTANT:
			return "relay.Constant";
		case IR_GLOBAL:
			return inlined ? "GlobalVar" : NULL;
		case IR_VAR:
			return "relay.Var";
		default:
			return NULL;
		}
	default:
		return NULL;
	}
}

/*
 * Inference types the constants that are values, not those in attributes. One
 * that is both, and got a type, is two objects; the second has this identity.
 */
const void *
print_told_constant(const struct print *p, const ir_expr *e)
{
	const struct ir_constant *c;

	if (e->kind != IR_CONSTANT || p->o->types == PRINT_TYPES_NONE)
		return NULL;
	c = ir_as_constant(e);
	return c->data && c->told_type != e->type ? &c->told_type : NULL;
}

/*
 * What two references share if they mean the same object. Boxed numbers and
 * records belong to the call OWNER (may be NULL), whose field I they are.
 */
static const void *
meta_id(const struct print *p, const ir_attr *a, const void *owner, uint32_t i)
{
	const void *told;

	switch ((enum ir_attr_kind)a->kind) {
	case ATTR_DICT:
		return a->dict ? (const void *)a->dict : (const void *)a;
	case ATTR_TYPE:
		return a->type;
	case ATTR_META:
		return a->meta;
	case ATTR_EXPR:
		told = print_told_constant(p, a->expr);
		return told ? told : a->expr;
	default:
		return owner ? (const char *)owner + 1 + i : (const char *)a;
	}
}

static bool
is_placeholder(const ir_attr *a)
{
	return a->kind == ATTR_EXPR && a->expr->kind == IR_CONSTANT &&
	       !ir_as_constant(a->expr)->data;
}

static void
add_meta(struct print *p, const char *key, const void *id, const ir_attr *a)
{
	if (is_placeholder(a))
		p->mentions_meta = true;
	else if (a->kind == ATTR_EXPR)
		print_meta_add(p, key,
			       id == a->expr ? PRINT_META_EXPR
					     : PRINT_META_TOLD,
			       id, id);
	else if (a->kind == ATTR_META)
		print_meta_add(p, key, PRINT_META_OBJECT, id, id);
	else
		print_meta_add(p, key, PRINT_META_ATTR, id, a);
}

static void plan_record(struct print *p, const ir_attrs *a, const void *owner);

/*
 * Indices for A and what it is made of. Values nest as deep as brackets of
 * the text do, in practice once or twice.
 */
static void
plan_value(struct print *p, const ir_attr *a, const void *owner, uint32_t i)
{
	const char *key = meta_key(p, a);

	if (key)
		add_meta(p, key, meta_id(p, a, owner, i), a);
	else if (a->kind == ATTR_ARRAY)
		for (uint32_t k = 0; k < a->n; k++)
			plan_value(p, &a->elems[k], NULL, 0);
	else if (a->kind == ATTR_DICT)
		print_plan_dict(p, a->dict);
	else if (a->kind == ATTR_RECORD)
		plan_record(p, a->record, NULL);
}

static bool
is_free_device(const struct attr_field *f, const ir_attr *a)
{
	return f->type == ATTR_TYPE_VDEVICE && a->kind == ATTR_NULL;
}

static void
plan_record(struct print *p, const ir_attrs *a, const void *owner)
{
	for (uint32_t i = 0; i < a->n; i++) {
		if (!is_shown(p, a, i))
			continue;
		if (is_free_device(&a->schema->fields[i], &a->value[i]))
			print_meta_add(p, "VirtualDevice", PRINT_META_OBJECT,
				       free_device(p), free_device(p));
		else
			plan_value(p, &a->value[i], owner, i);
	}
}

void
print_plan_dict(struct print *p, const ir_dict *d)
{
	for (uint32_t i = 0; d && i < d->n; i++)
		plan_value(p, &d->entry[i].value, NULL, 0);
}

/* A holds no object that the metadata would have to hold. */
static bool
is_plain(struct print *p, const ir_attr *a)
{
	if (meta_key(p, a) || a->kind == ATTR_DICT || a->kind == ATTR_RECORD)
		return false;
	for (uint32_t i = 0; a->kind == ATTR_ARRAY && i < a->n; i++)
		if (!is_plain(p, &a->elems[i]))
			return false;
	return true;
}

static bool
is_plain_record(struct print *p, const ir_attrs *a)
{
	for (uint32_t i = 0; i < a->n; i++)
		if (is_shown(p, a, i) &&
		    (is_free_device(&a->schema->fields[i], &a->value[i]) ||
		     !is_plain(p, &a->value[i])))
			return false;
	return true;
}

static void put_fields(struct print *p, const ir_attrs *a, const void *owner,
		       bool *comma);

/* The text of A if it is the same wherever A stands; else AT is NULL. */
static const struct print_text *
record_text(struct print *p, const ir_attrs *a)
{
	struct buf text = {0};
	struct buf *out = p->out;
	struct print_text *t;
	bool comma = false;
	bool is_new;
	uintptr_t *known = ptrmap_add(&p->records, a, &is_new);

	if (!is_new)
		return (const struct print_text *)*known;
	t = ARENA_NEW(&p->arena, struct print_text);
	*known = (uintptr_t)t;
	if (!is_plain_record(p, a))
		return t;
	p->out = &text;
	put_fields(p, a, NULL, &comma);
	p->out = out;
	t->at = arena_strndup(&p->arena, text.at ? text.at : "", text.len);
	t->len = (uint32_t)text.len;
	buf_free(&text);
	return t;
}

/*
 * The call that the boxed values of C belong to: the first that came from the
 * same place of the text with the same record. A pass that copies a call
 * copies no values.
 */
static const struct ir_call *
first_copy(struct print *p, const struct ir_call *c)
{
	uint64_t place = (uint64_t)c->base.loc.off << 32 | c->base.loc.len;
	uint64_t key =
		((uintptr_t)c->attrs ^ place) * UINT64_C(0x9e3779b97f4a7c15);
	const struct ir_call *first;
	uintptr_t *known;
	bool is_new;

	if (!loc_is_known(c->base.loc))
		return c;
	known = ptrmap_add(&p->copies, (const void *)(uintptr_t)(key | 1),
			   &is_new);
	if (is_new)
		*known = (uintptr_t)c;
	first = (const struct ir_call *)*known;
	return first->attrs == c->attrs &&
			       memcmp(&first->base.loc, &c->base.loc,
				      sizeof(struct loc)) == 0
		       ? first
		       : c;
}

void
print_plan_call_attrs(struct print *p, const struct ir_call *c)
{
	if (!c->attrs)
		return;
	if (is_opaque_record(p, c))
		print_meta_add(p, c->attrs->schema->key, PRINT_META_RECORD, c,
			       c->attrs);
	else if (is_flat(c))
		print_plan_dict(p, c->attrs->value[0].dict);
	else if (!record_text(p, c->attrs)->at)
		plan_record(p, c->attrs, first_copy(p, c));
}

void
print_vdevice(struct print *p, const ir_meta *device)
{
	if (p->o->meta == PRINT_META_INLINE)
		print_meta_ref(p, device);
	else
		ir_meta_put_device(p->out, device);
}

static void put_value(struct print *p, const ir_attr *a, bool plain,
		      const void *owner, uint32_t i);

static void
put_fields(struct print *p, const ir_attrs *a, const void *owner, bool *comma)
{
	for (uint32_t i = 0; i < a->n; i++) {
		const struct attr_field *f = &a->schema->fields[i];

		if (!is_shown(p, a, i))
			continue;
		if (*comma)
			buf_puts(p->out, ", ");
		*comma = true;
		buf_puts(p->out, f->name);
		buf_putc(p->out, '=');
		if (is_free_device(f, &a->value[i]))
			print_vdevice(p, free_device(p));
		else
			put_value(p, &a->value[i],
				  f->type == ATTR_TYPE_INT ||
					  f->type == ATTR_TYPE_INT64 ||
					  f->type == ATTR_TYPE_FLOAT,
				  owner, i);
	}
}

static void
put_dict(struct print *p, const ir_dict *d)
{
	buf_putc(p->out, '{');
	for (uint32_t i = 0; d && i < d->n; i++) {
		if (i)
			buf_puts(p->out, ", ");
		print_string(p->out, d->entry[i].key,
			     intern_len(d->entry[i].key));
		buf_putc(p->out, '=');
		put_value(p, &d->entry[i].value, false, NULL, 0);
	}
	buf_putc(p->out, '}');
}

static void
put_number(struct print *p, const ir_attr *a, bool plain)
{
	if (a->kind == ATTR_INT) {
		buf_int(p->out, a->i);
		if (!plain && (a->bits == 16 || a->bits == 64)) {
			buf_putc(p->out, 'i');
			buf_int(p->out, a->bits);
		}
		return;
	}
	print_digits(p->out, a->f, 64, p->o->floats);
	buf_putc(p->out, 'f');
	if (!plain && (a->bits == 16 || a->bits == 64))
		buf_int(p->out, a->bits);
}

static void
put_array(struct print *p, const ir_attr *a)
{
	buf_putc(p->out, '[');
	for (uint32_t i = 0; i < a->n; i++) {
		if (i)
			buf_puts(p->out, ", ");
		put_value(p, &a->elems[i], false, NULL, 0);
	}
	buf_putc(p->out, ']');
}

/* An expression as a value: the ones that no metadata object stands for. */
static void
put_expr(struct print *p, const ir_expr *e)
{
	if (e->kind == IR_GLOBAL)
		buf_printf(p->out, "'%s'", ir_as_global(e)->name);
	else if (e->kind == IR_OP)
		buf_puts(p->out, ir_as_op_ref(e)->op->name);
	else
		buf_puts(p->out, "None");
}

static void
put_nested_record(struct print *p, const ir_attrs *a)
{
	bool comma = false;

	buf_putc(p->out, '{');
	put_fields(p, a, NULL, &comma);
	buf_putc(p->out, '}');
}

static void
put_dtype(struct print *p, struct dtype d)
{
	char text[DTYPE_TEXT];

	buf_putc(p->out, '"');
	buf_puts(p->out, dtype_text(d, text));
	buf_putc(p->out, '"');
}

/* PLAIN: a number is a C number, not an object with a width of its own. */
static void
put_value(struct print *p, const ir_attr *a, bool plain, const void *owner,
	  uint32_t i)
{
	if (is_placeholder(a)) {
		print_meta_placeholder(p, ir_as_constant(a->expr));
		return;
	}
	if (meta_key(p, a)) {
		print_meta_ref(p, meta_id(p, a, owner, i));
		return;
	}
	switch ((enum ir_attr_kind)a->kind) {
	case ATTR_NULL:
		buf_puts(p->out, "None");
		break;
	case ATTR_INT:
	case ATTR_FLOAT:
		put_number(p, a, plain);
		break;
	case ATTR_BOOL:
		buf_puts(p->out, a->b ? "True" : "False");
		break;
	case ATTR_STRING:
		print_string(p->out, a->s, intern_len(a->s));
		break;
	case ATTR_DTYPE:
		put_dtype(p, a->dtype);
		break;
	case ATTR_ARRAY:
		put_array(p, a);
		break;
	case ATTR_DICT:
		put_dict(p, a->dict);
		break;
	case ATTR_ANY:
		buf_putc(p->out, '?');
		break;
	case ATTR_RECORD:
		put_nested_record(p, a->record);
		break;
	case ATTR_EXPR:
		put_expr(p, a->expr);
		break;
	case ATTR_TYPE:
		print_type(p, a->type);
		break;
	case ATTR_META:
		ir_meta_put_device(p->out, a->meta);
		break;
	}
}

static void
put_record(struct print *p, const struct ir_call *c, bool *comma)
{
	const struct print_text *t = record_text(p, c->attrs);

	if (!t->at) {
		put_fields(p, c->attrs, first_copy(p, c), comma);
		return;
	}
	if (*comma && t->len)
		buf_puts(p->out, ", ");
	buf_put(p->out, t->at, t->len);
	*comma |= t->len != 0;
}

/* The attributes of C; true if anything stands in the parentheses now. */
bool
print_call_attrs(struct print *p, const struct ir_call *c, bool comma)
{
	if (!c->attrs)
		return comma;
	if (is_opaque_record(p, c)) {
		if (comma)
			buf_puts(p->out, ", ");
		print_meta_ref(p, c);
		return true;
	}
	if (is_flat(c))
		return print_dict_attrs(p, c->attrs->value[0].dict, comma);
	put_record(p, c, &comma);
	if (!is_op_call(c)) {
		if (comma)
			buf_puts(p->out, ", ");
		buf_puts(p->out, "attrs_type_key=\"");
		buf_puts(p->out, c->attrs->schema->key);
		buf_putc(p->out, '"');
		comma = true;
	}
	return comma;
}

bool
print_dict_attrs(struct print *p, const ir_dict *d, bool comma)
{
	for (uint32_t i = 0; d && i < d->n; i++) {
		if (comma)
			buf_puts(p->out, ", ");
		comma = true;
		buf_puts(p->out, d->entry[i].key);
		buf_putc(p->out, '=');
		put_value(p, &d->entry[i].value, false, NULL, 0);
	}
	return comma;
}
