/*
 * Types, values of attributes, functions by name, conditions.
 */
#include "passes/rewrite/rw_reader.h"

#include <string.h>

#include "passes/rewrite/rw_fn.h"
#include "support/suggest.h"

static bool
read_dtype(struct rw_reader *r, struct rw_type *t)
{
	if (r->scan.token == '?' || r->scan.token == '*') {
		t->any_dtype = true;
	} else if (r->scan.token != RW_T_NAME ||
		   !dtype_parse(r->scan.name, strlen(r->scan.name),
				&t->dtype)) {
		rw_fail(r, r->scan.loc, "expected an element type, found %s",
			rw_scan_found(&r->scan));
		return false;
	}
	rw_scan_next(&r->scan);
	return true;
}

/* (1, ?, 3) or '*' */
static bool
read_shape(struct rw_reader *r, struct rw_type *t)
{
	VEC(int64_t) dims = {0};

	t->ndim = -1;
	if (rw_accept(r, '*'))
		return true;
	if (!rw_expect(r, '(', "a shape or '*'"))
		return false;
	while (r->scan.token != ')' && !r->failed) {
		bool number = r->scan.token == RW_T_NUMBER &&
			      !r->scan.is_float && r->scan.integer >= 0;

		if (!number && r->scan.token != '?' && r->scan.token != '*') {
			rw_fail(r, r->scan.loc,
				"expected an extent, '?' or '*'");
			break;
		}
		vec_push(&dims, number ? r->scan.integer : -1);
		rw_scan_next(&r->scan);
		if (!rw_accept(r, ','))
			break;
	}
	t->ndim = (int32_t)dims.len;
	t->dims = arena_copy(&r->file->arena, dims.len ? (void *)dims.at : "",
			     dims.len * sizeof(*dims.at));
	vec_free(&dims);
	return !r->failed && rw_expect(r, ')', "',' or ')'");
}

static bool
read_tuple_type(struct rw_reader *r, struct rw_type *t)
{
	VEC(const struct rw_type *) fields = {0};

	t->tuple = true;
	while (r->scan.token != ')' && !r->failed) {
		vec_push(&fields, rw_read_type(r));
		if (!rw_accept(r, ','))
			break;
	}
	t->nfields = (uint32_t)fields.len;
	if (fields.len)
		t->fields = arena_copy(&r->file->arena, fields.at,
				       fields.len * sizeof(*fields.at));
	vec_free(&fields);
	return !r->failed && rw_expect(r, ')', "',' or ')'");
}

const struct rw_type *
rw_read_type(struct rw_reader *r)
{
	struct rw_type *t = ARENA_NEW(&r->file->arena, struct rw_type);
	bool ok;

	if (!rw_enter(r))
		return NULL;
	if (rw_accept_word(r, "Tensor"))
		ok = rw_expect(r, '[', "'['") && read_shape(r, t) &&
		     rw_expect(r, ',', "','") && read_dtype(r, t) &&
		     rw_expect(r, ']', "']'");
	else if (rw_accept(r, '('))
		ok = read_tuple_type(r, t);
	else
		ok = read_dtype(r, t);
	rw_leave(r);
	return ok ? t : NULL;
}

static const struct rw_node *
new_value(struct rw_reader *r, struct loc loc, ir_attr v)
{
	struct rw_node *n = rw_new_node(r, RW_VALUE, loc);

	n->value = v;
	rw_scan_next(&r->scan);
	return n;
}

static const struct rw_node *
read_list(struct rw_reader *r, struct loc loc)
{
	struct rw_node *n = rw_new_node(r, RW_LIST, loc);
	rw_node_vec sub = {0};

	rw_scan_next(&r->scan);
	while (r->scan.token != ']' && !r->failed) {
		vec_push(&sub, rw_read_value(r));
		if (!rw_accept(r, ','))
			break;
	}
	rw_set_sub(r, n, &sub);
	vec_free(&sub);
	if (r->failed || !rw_expect(r, ']', "',' or ']'"))
		return NULL;
	return n;
}

/* %x.name, or %x alone as the argument of a function. */
static const struct rw_node *
read_slot_value(struct rw_reader *r, struct loc loc)
{
	struct rw_node *n = rw_new_node(r, RW_SLOT, loc);

	if (r->part == RW_IN_PATTERN)
		return rw_fail(r, loc,
			       "attributes in a pattern have fixed values");
	n->slot = rw_slot_of(r, r->scan.name, loc);
	rw_scan_next(&r->scan);
	if (!rw_accept(r, '.'))
		return n;
	n->kind = RW_ATTR;
	n->name = r->scan.name;
	if (!rw_expect(r, RW_T_NAME, "the name of an attribute"))
		return NULL;
	return n;
}

static const struct rw_node *
read_word_value(struct rw_reader *r, struct loc loc)
{
	const char *name = r->scan.name;

	if (strcmp(name, "True") == 0 || strcmp(name, "False") == 0)
		return new_value(r, loc, ATTR_BOOLEAN(*name == 'T'));
	if (strcmp(name, "None") == 0)
		return new_value(r, loc, ATTR_NONE);
	rw_scan_next(&r->scan);
	if (!rw_expect(r, '(', "'(' behind the name of a function"))
		return NULL;
	if (r->part == RW_IN_PATTERN)
		return rw_fail(r, loc,
			       "attributes in a pattern have fixed values");
	return rw_read_fn(r, name, loc);
}

static const struct rw_node *
read_plain_value(struct rw_reader *r)
{
	struct loc loc = r->scan.loc;

	switch (r->scan.token) {
	case RW_T_NUMBER:
		return new_value(r, loc,
				 r->scan.is_float
					 ? ATTR_DOUBLE(r->scan.number)
					 : ATTR_INT32(r->scan.integer));
	case RW_T_STRING:
		return new_value(r, loc, ATTR_STR(r->scan.name));
	case RW_T_SLOT:
		return read_slot_value(r, loc);
	case RW_T_NAME:
		return read_word_value(r, loc);
	case '[':
		return read_list(r, loc);
	default:
		if (r->scan.token == RW_T_BAD)
			r->failed = true;
		return rw_fail(r, loc, "expected a value, found %s",
			       rw_scan_found(&r->scan));
	}
}

const struct rw_node *
rw_read_value(struct rw_reader *r)
{
	const struct rw_node *n;

	if (!rw_enter(r))
		return NULL;
	n = read_plain_value(r);
	rw_leave(r);
	return n;
}

const struct rw_node *
rw_read_alternatives(struct rw_reader *r)
{
	struct rw_node *alt;
	rw_node_vec sub = {0};

	if (r->scan.token != '(')
		return rw_read_value(r);
	alt = rw_new_node(r, RW_ALT, r->scan.loc);
	rw_scan_next(&r->scan);
	do {
		vec_push(&sub, rw_read_value(r));
	} while (!r->failed && rw_accept(r, '|'));
	rw_set_sub(r, alt, &sub);
	vec_free(&sub);
	if (r->failed || !rw_expect(r, ')', "'|' or ')'"))
		return NULL;
	return alt;
}

static const struct rw_node *
unknown_function(struct rw_reader *r, const char *name, struct loc loc)
{
	struct suggest near;

	suggest_start(&near, name);
	for (const struct rw_fn *f = rw_fns; f->name; f++)
		suggest_offer(&near, f->name);
	for (int i = 0; r->part == RW_IN_RESULT && i < OP_COUNT; i++)
		suggest_offer(&near, ir_op_info((enum op_id)i)->name);
	return rw_fail(r, loc, "unknown %s '%s'%s",
		       r->part == RW_IN_RESULT ? "operator or function"
					       : "function",
		       name, suggest_text(&near));
}

static const struct rw_node *
read_fn_argument(struct rw_reader *r, char kind)
{
	const struct rw_node *n;
	enum rw_part part = r->part;

	if (kind == 'v')
		return rw_read_value(r);
	if (part == RW_IN_RESULT && kind == 'e')
		return rw_read_expr(r);
	n = rw_read_value(r);
	if (n && n->kind != RW_SLOT)
		return rw_fail(r, n->loc, "expected a name like '%%x'");
	return n;
}

const struct rw_node *
rw_read_fn(struct rw_reader *r, const char *name, struct loc loc)
{
	struct rw_node *n = rw_new_node(r, RW_FN, loc);
	const char *p;
	rw_node_vec sub = {0};

	n->fn = rw_fn_find(name);
	if (!n->fn || (n->fn->kind == RW_BUILDS && r->part != RW_IN_RESULT))
		return unknown_function(r, name, loc);
	for (p = n->fn->params; *p && !r->failed; p++) {
		const struct rw_node *a;

		if (p > n->fn->params && !rw_expect(r, ',', "','"))
			break;
		a = read_fn_argument(r, *p);
		vec_push(&sub, a);
	}
	rw_set_sub(r, n, &sub);
	vec_free(&sub);
	if (r->failed || !rw_expect(r, ')', "')'"))
		return NULL;
	return n;
}

/* A value that says yes or no, or a comparison. */
static const struct rw_node *
read_comparison(struct rw_reader *r)
{
	static const int signs[] = {RW_T_EQ, RW_T_NE, '<',
				    RW_T_LE, '>',     RW_T_GE};
	const struct rw_node *sides[2];
	struct rw_node *n;

	sides[0] = rw_read_value(r);
	if (!sides[0])
		return NULL;
	for (unsigned i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
		if (!rw_accept(r, signs[i]))
			continue;
		sides[1] = rw_read_value(r);
		n = rw_new_node(r, RW_COMPARE, sides[0]->loc);
		n->index = i;
		n->n = 2;
		n->sub = arena_copy(&r->file->arena, sides, sizeof(sides));
		return sides[1] ? n : NULL;
	}
	if (sides[0]->kind == RW_FN && sides[0]->fn->kind == RW_TEST)
		return sides[0];
	if (sides[0]->kind == RW_ATTR)
		return sides[0];
	return rw_fail(r, sides[0]->loc,
		       "expected a comparison or a test, not a value");
}

static const struct rw_node *
read_negated(struct rw_reader *r)
{
	const struct rw_node *e = NULL;
	struct rw_node *n;
	struct loc loc = r->scan.loc;

	if (!rw_enter(r))
		return NULL;
	if (rw_accept_word(r, "not")) {
		e = read_negated(r);
		n = rw_new_node(r, RW_NOT, loc);
		n->n = 1;
		n->sub = arena_copy(&r->file->arena, &e, sizeof(e));
		e = e ? n : NULL;
	} else if (rw_accept(r, '(')) {
		e = rw_read_condition(r);
		if (e && !rw_expect(r, ')', "')'"))
			e = NULL;
	} else {
		e = read_comparison(r);
	}
	rw_leave(r);
	return e;
}

/* A chain of READ joined by WORD. */
static const struct rw_node *
read_joined(struct rw_reader *r, const char *word, enum rw_kind kind,
	    const struct rw_node *(*read)(struct rw_reader *r))
{
	struct rw_node *n;
	rw_node_vec sub = {0};
	const struct rw_node *first = read(r);

	if (!first || !rw_at_word(r, word))
		return first;
	vec_push(&sub, first);
	while (!r->failed && rw_accept_word(r, word))
		vec_push(&sub, read(r));
	n = rw_new_node(r, kind, first->loc);
	rw_set_sub(r, n, &sub);
	vec_free(&sub);
	return r->failed ? NULL : n;
}

static const struct rw_node *
read_and(struct rw_reader *r)
{
	return read_joined(r, "and", RW_AND, read_negated);
}

const struct rw_node *
rw_read_condition(struct rw_reader *r)
{
	return read_joined(r, "or", RW_OR, read_and);
}
