/*
 * Attributes: values, and records that fit their schema.
 */
#include <string.h>

#include "parser/old.h"
#include "parser/syn.h"
#include "support/utf8.h"
#include "support/suggest.h"

uint32_t
syn_push_attr(struct parse_ctx *cx, struct loc loc, const char *key,
	      ir_attr value)
{
	struct attr_item item = {key, value, loc, loc};

	vec_push(&cx->attrs, item);
	return (uint32_t)cx->attrs.len - 1;
}

uint32_t
syn_attr(struct parse_ctx *cx, struct loc key_loc, struct loc value_loc,
	 const char *key)
{
	uint32_t at = syn_push_attr(cx, key_loc, key, vec_pop(&cx->values));

	cx->attrs.at[at].value_loc = value_loc;
	return at;
}

void
syn_value(struct parse_ctx *cx, ir_attr value)
{
	vec_push(&cx->values, value);
}

void
syn_number_value(struct parse_ctx *cx, struct loc loc, const struct number *n)
{
	ir_attr v = {.kind = ATTR_INT, .bits = 32};
	unsigned width;

	if (n->kind == NUM_FLOAT) {
		v.kind = ATTR_FLOAT;
		v.bits = n->width;
		v.f = n->negative ? -n->value : n->value;
	} else if (syn_integer(cx, loc, n, &v.i, &width)) {
		v.bits = (uint8_t)width;
	}
	syn_value(cx, v);
}

void
syn_name_value(struct parse_ctx *cx, struct loc loc, const char *name)
{
	if (strcmp(name, "None") == 0 || strcmp(name, "nullptr") == 0)
		syn_value(cx, ATTR_NONE);
	else
		syn_expr_value(cx, syn_named(cx, loc, name));
}

static ir_attr
expr_value(const ir_expr *e)
{
	return (ir_attr){.kind = ATTR_EXPR, .expr = e};
}

void
syn_expr_value(struct parse_ctx *cx, const ir_expr *e)
{
	syn_value(cx, expr_value(e));
}

/* A device without constraints is none. */
void
syn_device_value(struct parse_ctx *cx, const ir_meta *device)
{
	ir_attr v = {.kind = ATTR_META, .meta = device};

	syn_value(cx, device ? v : ATTR_NONE);
}

uint32_t
syn_last_value(const struct parse_ctx *cx)
{
	return (uint32_t)cx->values.len - 1;
}

void
syn_array_value(struct parse_ctx *cx, uint32_t at)
{
	uint32_t n = count_items(at, cx->values.len);
	size_t first = cx->values.len - n;
	ir_attr v = ir_attr_array(cx->cx, n ? cx->values.at + first : NULL, n);

	cx->values.len = first;
	syn_value(cx, v);
}

/* In the metadata section a key is plain JSON. */
uint32_t
syn_entry(struct parse_ctx *cx, struct loc loc, const char *key)
{
	struct ir_dict_entry e = {key, vec_pop(&cx->values)};

	if (!utf8_is_text(key, intern_len(key)))
		diag_error(cx->d, loc, "a key must be text in UTF-8");
	vec_push(&cx->entries, e);
	return (uint32_t)cx->entries.len - 1;
}

void
syn_dict_value(struct parse_ctx *cx, uint32_t at)
{
	uint32_t n = count_items(at, cx->entries.len);
	size_t first = cx->entries.len - n;
	ir_attr v = {.kind = ATTR_DICT};

	if (n > 0)
		v.dict = ir_dict_new(cx->cx, cx->entries.at + first, n);
	cx->entries.len = first;
	syn_value(cx, v);
}

static void
report_unknown_field(struct parse_ctx *cx, const struct attr_item *a,
		     const struct attrs_schema *s)
{
	struct suggest g;

	diag_error(cx->d, a->key_loc, "%s has no attribute '%s'", s->key,
		   a->key);
	suggest_start(&g, a->key);
	for (unsigned i = 0; i < s->nfields; i++)
		suggest_offer(&g, s->fields[i].name);
	if (suggest_best(&g))
		diag_note(cx->d, a->key_loc, "did you mean '%s'?",
			  suggest_best(&g));
}

/* Which field A gives: by name, or (version 0.6) the next by position. */
static int
field_of(const struct attr_item *a, const struct attrs_schema *s,
	 unsigned *next)
{
	if (a->key)
		return attrs_field_index(s, old_field(s, a->key));
	return *next < s->nfields ? (int)(*next)++ : -1;
}

/*
 * A number stands for a constant where an expression is wanted. Expressions
 * that only the metadata could give repeat an argument of the call: null.
 */
static void
adapt_expr(struct parse_ctx *cx, struct attr_item *a)
{
	ir_attr *v = &a->value;
	struct dtype t = DTYPE(INT, 32);

	t.bits = v->bits;
	if (v->kind == ATTR_INT) {
		*v = expr_value(
			ir_new_scalar_int(cx->m, a->value_loc, t, v->i));
	} else if (v->kind == ATTR_FLOAT) {
		t.code = DTYPE_FLOAT;
		*v = expr_value(ir_new_scalar(cx->m, a->value_loc, t, v->f));
	} else if (v->kind == ATTR_BOOL) {
		*v = expr_value(syn_bool(cx, a->value_loc, v->b));
	} else if (v->kind == ATTR_META) {
		*v = ATTR_NONE;
	}
}

/* Forms that TVM takes or once wrote, brought to what the field holds. */
static void
adapt_value(struct parse_ctx *cx, const struct attr_field *f, ir_attr deflt,
	    struct attr_item *a)
{
	ir_attr *v = &a->value;

	if (v->kind == ATTR_STRING)
		*v = old_value(cx->cx, f, *v);
	if (f->type == ATTR_TYPE_RELAY)
		adapt_expr(cx, a);
	else if (f->type == ATTR_TYPE_BOOL && v->kind == ATTR_NULL &&
		 f->need == ATTR_DEFAULT)
		*v = deflt;
}

/* Put the value of A into its field; GIVEN tells which were. */
static bool
set_field(struct parse_ctx *cx, struct attr_item *a,
	  const struct attrs_schema *s, unsigned *next, bool *given)
{
	int i = field_of(a, s, next);
	const char *why;

	if (i < 0 && !a->key) {
		diag_error(cx->d, a->value_loc, "a string is no argument");
		return false;
	}
	if (i < 0) {
		report_unknown_field(cx, a, s);
		return false;
	}
	if (given[i]) {
		diag_error(cx->d, a->key_loc, "attribute '%s' is given twice",
			   s->fields[i].name);
		return false;
	}
	given[i] = true;
	adapt_value(cx, &s->fields[i], cx->fields.at[i], a);
	if (a->value.kind == ATTR_EXPR && a->value.expr->kind == IR_HOLE)
		return false; /* reported */
	if (!ir_attr_convert(cx->cx, &s->fields[i], &a->value, &why)) {
		diag_error(cx->d, a->value_loc, "attribute '%s' must be %s",
			   s->fields[i].name, why);
		return false;
	}
	cx->fields.at[i] = a->value;
	return true;
}

static bool
check_required(struct parse_ctx *cx, struct loc loc,
	       const struct attrs_schema *s, const bool *given)
{
	bool ok = true;

	for (unsigned i = 0; i < s->nfields; i++) {
		if (given[i] || s->fields[i].need == ATTR_DEFAULT ||
		    old_default(s, i, &cx->fields.at[i]))
			continue;
		diag_error(cx->d, loc, "attribute '%s' is missing",
			   s->fields[i].name);
		ok = false;
	}
	return ok;
}

const ir_attrs *
syn_record(struct parse_ctx *cx, struct loc loc, const struct attrs_schema *s,
	   uint32_t at)
{
	const ir_attrs *defaults = ir_attrs_defaults(cx->cx, s);
	uint32_t n = count_items(at, cx->attrs.len);
	size_t first = cx->attrs.len - n;
	bool given[MAX_FIELDS] = {false};
	unsigned next = 0;
	bool ok = true;

	vec_clear(&cx->fields);
	for (unsigned i = 0; i < s->nfields; i++)
		vec_push(&cx->fields, defaults->value[i]);
	for (size_t i = first; i < cx->attrs.len; i++)
		ok &= set_field(cx, &cx->attrs.at[i], s, &next, given);
	cx->attrs.len = first;
	ok = ok && (cx->tainted || check_required(cx, loc, s, given));
	return ok ? ir_attrs_new(cx->cx, s, cx->fields.at) : NULL;
}
