/*
 * Does a value that somebody wrote fit a field? Conversions are TVM's.
 */
#include "ir/attr.h"

#include <string.h>

#include "ir/module.h"
#include "support/intern.h"
#include "support/utf8.h"

static bool
to_int(ir_attr *v, const char **why)
{
	*why = "an integer";
	if (v->kind == ATTR_BOOL)
		*v = ATTR_INT32(v->b);
	if (v->kind != ATTR_INT)
		return false;
	v->boxed = false;
	v->bits = 32;
	return true;
}

static bool
to_float(ir_attr *v, const char **why)
{
	*why = "a number";
	if (v->kind == ATTR_INT)
		*v = ATTR_DOUBLE((double)v->i);
	if (v->kind != ATTR_FLOAT)
		return false;
	v->bits = 64;
	v->boxed = false;
	return true;
}

static bool
to_bool(ir_attr *v, const char **why)
{
	*why = "True or False";
	if (v->kind == ATTR_INT)
		*v = ATTR_BOOLEAN(v->i != 0);
	return v->kind == ATTR_BOOL;
}

/* In the metadata a string of a record is plain JSON. */
static bool
to_string(ir_attr *v, const char **why)
{
	*why = "a string";
	if (v->kind != ATTR_STRING)
		return false;
	*why = "text in UTF-8";
	return utf8_is_text(v->s, intern_len(v->s));
}

static bool
to_dtype(ir_attr *v, const char **why)
{
	struct dtype t;

	*why = "the name of an element type in quotes";
	if (v->kind == ATTR_NULL) {
		*v = ATTR_DT(DTYPE_VOID);
	} else if (v->kind == ATTR_STRING) {
		if (!dtype_parse(v->s, strlen(v->s), &t))
			return false;
		*v = ATTR_DT(t);
	}
	return v->kind == ATTR_DTYPE;
}

/* An element of an index list; bool counts as int, as in TVM. */
static bool
is_index(const ir_attr *v)
{
	return v->kind == ATTR_INT || v->kind == ATTR_ANY ||
	       v->kind == ATTR_FLOAT || v->kind == ATTR_BOOL ||
	       v->kind == ATTR_META || v->kind == ATTR_EXPR;
}

static bool
is_int(const ir_attr *v)
{
	return v->kind == ATTR_INT || v->kind == ATTR_BOOL;
}

static bool
is_number(const ir_attr *v)
{
	return v->kind == ATTR_INT || v->kind == ATTR_FLOAT;
}

static bool
is_array_of(const ir_attr *v, bool (*is)(const ir_attr *))
{
	if (v->kind != ATTR_ARRAY)
		return false;
	for (uint32_t i = 0; i < v->n; i++)
		if (!is(&v->elems[i]))
			return false;
	return true;
}

static bool
is_indices(const ir_attr *v)
{
	return is_array_of(v, is_index);
}

static bool
is_ints(const ir_attr *v)
{
	return is_array_of(v, is_int);
}

static bool
fits(bool ok, const char *what, const char **why)
{
	*why = what;
	return ok;
}

/* TVM keeps these as references, which may be null whatever the default. */
static bool
holds_object(enum attr_type t)
{
	switch (t) {
	case ATTR_TYPE_INT:
	case ATTR_TYPE_INT64:
	case ATTR_TYPE_FLOAT:
	case ATTR_TYPE_BOOL:
	case ATTR_TYPE_STRING:
	case ATTR_TYPE_DTYPE:
		return false;
	default:
		return true;
	}
}

/* Integers of a field that may hold one or several are boxes of their own. */
static void
box_ints(ir_context *cx, ir_attr *v)
{
	ir_attr *elems;

	if (v->kind == ATTR_INT) {
		v->bits = 64;
		v->boxed = true;
	}
	if (v->kind != ATTR_ARRAY)
		return;
	elems = xmalloc((v->n + 1) * sizeof(*elems));
	for (uint32_t i = 0; i < v->n; i++) {
		elems[i] = v->elems[i];
		elems[i].bits = 64;
		elems[i].boxed = true;
	}
	*v = ir_attr_array(cx, elems, v->n);
	free(elems);
}

bool
ir_attr_convert(ir_context *cx, const struct attr_field *f, ir_attr *v,
		const char **why)
{
	(void)cx;
	if (v->kind == ATTR_NULL &&
	    (f->need == ATTR_NULLABLE || holds_object(f->type) ||
	     (f->need == ATTR_DEFAULT && strcmp(f->default_text, "null") == 0)))
		return true;
	switch (f->type) {
	case ATTR_TYPE_INT:
	case ATTR_TYPE_INT64:
		return to_int(v, why);
	case ATTR_TYPE_FLOAT:
		return to_float(v, why);
	case ATTR_TYPE_BOOL:
		return to_bool(v, why);
	case ATTR_TYPE_STRING:
		return to_string(v, why);
	case ATTR_TYPE_DTYPE:
		return to_dtype(v, why);
	case ATTR_TYPE_EXPR:
		return fits(is_index(v), "an integer", why);
	case ATTR_TYPE_EXPRS:
		return fits(is_indices(v), "a list of integers", why);
	case ATTR_TYPE_EXPRSS:
		return fits(is_array_of(v, is_indices),
			    "a list of lists of integers", why);
	case ATTR_TYPE_INTS:
		return fits(is_ints(v), "a list of integers", why);
	case ATTR_TYPE_INTSS:
		return fits(is_array_of(v, is_ints),
			    "a list of lists of integers", why);
	case ATTR_TYPE_FLOATS:
		return fits(is_array_of(v, is_number), "a list of numbers",
			    why);
	case ATTR_TYPE_INT_OR_INTS:
		if (!fits(is_int(v) || is_ints(v),
			  "an integer or a list of integers", why))
			return false;
		box_ints(cx, v);
		return true;
	case ATTR_TYPE_RELAY:
		return fits(v->kind == ATTR_EXPR || v->kind == ATTR_NULL,
			    "an expression", why);
	case ATTR_TYPE_VDEVICE:
		return fits(v->kind == ATTR_META || v->kind == ATTR_NULL,
			    "a virtual device", why);
	case ATTR_TYPE_MAP:
		return fits(v->kind == ATTR_DICT || v->kind == ATTR_META,
			    "a map", why);
	case ATTR_TYPE_OBJECT:
		return true;
	}
	return false;
}
