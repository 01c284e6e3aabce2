/*
 * Arguments and attributes of calls, checked against the operator.
 */
#include "passes/rewrite/rw_reader.h"

#include <string.h>

#include "support/suggest.h"

/* A value that is written out must be of the kind of the field. */
static void
check_value(struct rw_reader *r, const struct attr_field *f,
	    const struct rw_node *v)
{
	ir_attr copy = v->value;
	const char *why = "fit";

	for (uint32_t i = 0; v->kind == RW_ALT && i < v->n; i++)
		check_value(r, f, v->sub[i]);
	if (v->kind == RW_VALUE && copy.kind != ATTR_NULL &&
	    !ir_attr_convert(r->cx, f, &copy, &why))
		rw_fail(r, v->loc, "attribute '%s' must be %s", f->name, why);
}

static void
check_attr(struct rw_reader *r, const ir_op *op, const struct rw_attr *a)
{
	const struct attrs_schema *s = op->attrs;
	int at = s ? attrs_field_index(s, a->name) : -1;
	struct suggest near;

	if (at >= 0) {
		check_value(r, &s->fields[at], a->value);
		return;
	}
	suggest_start(&near, a->name);
	for (unsigned i = 0; s && i < s->nfields; i++)
		suggest_offer(&near, s->fields[i].name);
	rw_fail(r, a->loc, "operator '%s' has no attribute '%s'%s", op->name,
		a->name, suggest_text(&near));
}

/* NAME=VALUE; the name has been read. */
static struct rw_attr
read_attr(struct rw_reader *r, const char *name, struct loc loc)
{
	struct rw_attr a = {.name = name, .loc = loc};

	a.value = r->part == RW_IN_PATTERN ? rw_read_alternatives(r)
					   : rw_read_value(r);
	return a;
}

typedef VEC(struct rw_attr) attr_vec;

/* One argument of a call: an expression, an attribute, or "..". */
static bool
read_argument(struct rw_reader *r, struct rw_node *call, rw_node_vec *args,
	      attr_vec *attrs)
{
	const struct rw_node *e;

	if (r->scan.token == RW_T_DOTS) {
		if (r->part != RW_IN_PATTERN)
			return rw_not_here(r, r->scan.loc, "'..'") != NULL;
		rw_scan_next(&r->scan);
		call->open = true;
		return true;
	}
	if (r->scan.token == RW_T_NAME) {
		const char *name = r->scan.name;
		struct rw_scan before = r->scan;

		rw_scan_next(&r->scan);
		if (rw_accept(r, '=')) {
			vec_push(attrs, read_attr(r, name, before.loc));
			return !r->failed;
		}
		r->scan = before;
	}
	if (call->open || attrs->len) {
		rw_fail(r, r->scan.loc,
			"inputs stand before '..' and "
			"attributes");
		return false;
	}
	e = rw_read_expr(r);
	if (e)
		vec_push(args, e);
	return e != NULL;
}

/* '(' has been read. */
void
rw_read_arguments(struct rw_reader *r, struct rw_node *call)
{
	rw_node_vec args = {0};
	attr_vec attrs = {0};

	while (r->scan.token != ')') {
		if (!read_argument(r, call, &args, &attrs))
			break;
		if (!rw_accept(r, ','))
			break;
	}
	if (!r->failed)
		rw_expect(r, ')', "',' or ')'");
	rw_set_sub(r, call, &args);
	call->nattrs = (uint32_t)attrs.len;
	if (attrs.len)
		call->attrs = arena_copy(&r->file->arena, attrs.at,
					 attrs.len * sizeof(*attrs.at));
	vec_free(&args);
	vec_free(&attrs);
}

/* Attributes without a default must be said in a replacement. */
static void
check_required(struct rw_reader *r, const struct rw_node *call)
{
	const struct attrs_schema *s = call->op->attrs;

	for (unsigned i = 0; s && i < s->nfields; i++) {
		const struct attr_field *f = &s->fields[i];
		bool given =
			f->need != ATTR_REQUIRED || f->type == ATTR_TYPE_DTYPE;

		for (uint32_t k = 0; k < call->nattrs && !given; k++)
			given = strcmp(call->attrs[k].name, f->name) == 0;
		if (!given)
			rw_fail(r, call->loc,
				"operator '%s' needs the attribute '%s'",
				call->op->name, f->name);
	}
}

static void
check_call(struct rw_reader *r, const struct rw_node *call)
{
	const ir_op *op = call->op;

	for (uint32_t i = 0; op && i < call->nattrs; i++)
		check_attr(r, op, &call->attrs[i]);
	if (op && r->part == RW_IN_RESULT)
		check_required(r, call);
	if (!op) {
		if (call->nattrs && r->part == RW_IN_RESULT)
			rw_fail(r, call->attrs[0].loc,
				"only calls of operators have attributes");
		return;
	}
	if (op->ninputs == OP_MANY_INPUTS || call->n == (uint32_t)op->ninputs ||
	    (call->open && call->n < (uint32_t)op->ninputs))
		return;
	rw_fail(r, call->loc, "operator '%s' takes %d input%s, but %u %s given",
		op->name, op->ninputs, op->ninputs == 1 ? "" : "s", call->n,
		call->n == 1 ? "is" : "are");
}

struct loc
rw_up_to_here(const struct rw_reader *r, struct loc from)
{
	const struct loc *last = &r->scan.last;

	return loc_make(from.off, last->off + last->len - from.off);
}

const struct rw_node *
rw_read_call(struct rw_reader *r, struct rw_node *call)
{
	rw_read_arguments(r, call);
	if (r->failed)
		return NULL;
	call->loc = rw_up_to_here(r, call->loc);
	check_call(r, call);
	return r->failed ? NULL : call;
}
