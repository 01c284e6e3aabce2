/*
 * Calls: arguments, and attributes checked against the callee.
 */
#include <string.h>

#include "parser/syn.h"
#include "parser/meta.h"
#include "parser/old.h"

/* The attribute that holds a record which is not known here. */
#define FOREIGN "__meta__"

struct arg_list
syn_args(struct parse_ctx *cx, uint32_t args, uint32_t attrs)
{
	struct arg_list list = {args, attrs};

	cx->record = NULL;
	if (args == NO_ITEMS)
		list.args = (uint32_t)cx->args.len;
	if (attrs == NO_ITEMS)
		list.attrs = (uint32_t)cx->attrs.len;
	return list;
}

/* Attributes that were read and checked before for the same operator. */
struct arg_list
syn_known_args(struct parse_ctx *cx, uint32_t args, const ir_attrs *record)
{
	struct arg_list list = syn_args(cx, args, NO_ITEMS);

	cx->record = record;
	return list;
}

struct arg_list
syn_record_args(struct parse_ctx *cx, struct loc loc, uint32_t args,
		const struct meta_ref *ref)
{
	struct arg_list list = syn_args(cx, args, NO_ITEMS);
	ir_attr v = syn_meta_attr(cx, loc, ref);
	const ir_attrs *record = v.kind == ATTR_RECORD ? v.record : NULL;

	if (v.kind == ATTR_META)
		v.dict =
			ir_dict_with(cx->cx, NULL, ir_name(cx->cx, FOREIGN), v);
	if (v.kind == ATTR_META || v.kind == ATTR_DICT) {
		v.kind = ATTR_DICT;
		record = ir_attrs_new(cx->cx, attrs_schema(ATTRS_Dict), &v);
	}
	cx->record = record;
	return list;
}

/*
 * Version 0.6 let attributes be given by position. An item without
 * expression marks the place.
 */
uint32_t
syn_string_arg(struct parse_ctx *cx, struct loc loc, const char *text)
{
	uint32_t at = syn_item(cx, loc, NULL);

	cx->args.at[at].name = text;
	return at;
}

/* Move strings given by position from the arguments to the attributes. */
static void
move_strings(struct parse_ctx *cx, struct arg_list list)
{
	size_t to = list.args;

	for (size_t i = list.args; i < cx->args.len; i++) {
		struct arg_item item = cx->args.at[i];

		if (item.expr)
			cx->args.at[to++] = item;
		else if (cx->lex.old)
			syn_push_attr(cx, item.loc, NULL, ATTR_STR(item.name));
		else
			diag_error(cx->d, item.loc, "a string is no argument");
	}
	cx->args.len = to;
}

/*
 * The schema that an attribute attrs_type_key="..." names; it is taken out.
 * Records of TVM's extensions are not known here.
 */
static const struct attrs_schema *
take_type_key(struct parse_ctx *cx, uint32_t at)
{
	for (size_t i = at; i < cx->attrs.len; i++) {
		struct attr_item a = cx->attrs.at[i];
		const struct attrs_schema *s;

		if (!a.key || strcmp(a.key, "attrs_type_key") != 0)
			continue;
		for (; i + 1 < cx->attrs.len; i++)
			cx->attrs.at[i] = cx->attrs.at[i + 1];
		cx->attrs.len--;
		s = a.value.kind == ATTR_STRING ? attrs_schema_find(a.value.s)
						: NULL;
		if (!s)
			diag_error(cx->d, a.value_loc,
				   "'attrs_type_key' must name a record of "
				   "attributes");
		return s;
	}
	return NULL;
}

/* Any attributes as they are: a record that holds one dictionary. */
static const ir_attrs *
dict_record(struct parse_ctx *cx, uint32_t at)
{
	ir_attr v = {.kind = ATTR_DICT};
	bool whole = cx->attrs.len == at + 1 && cx->attrs.at[at].key &&
		     strcmp(cx->attrs.at[at].key, "__dict__") == 0 &&
		     cx->attrs.at[at].value.kind == ATTR_DICT;

	if (whole)
		v = cx->attrs.at[at].value;
	for (size_t i = at; !whole && i < cx->attrs.len; i++) {
		const struct attr_item *a = &cx->attrs.at[i];

		v.dict = ir_dict_with(cx->cx, v.dict,
				      a->key ? a->key : ir_name(cx->cx, ""),
				      a->value);
	}
	cx->attrs.len = at;
	return ir_attrs_new(cx->cx, attrs_schema(ATTRS_Dict), &v);
}

/* The attributes name a record that is not Relay's: they are kept as is. */
static bool
has_foreign_key(const struct parse_ctx *cx, uint32_t at)
{
	for (size_t i = at; i < cx->attrs.len; i++) {
		const struct attr_item *a = &cx->attrs.at[i];

		if (a->key && strcmp(a->key, "attrs_type_key") == 0)
			return a->value.kind == ATTR_STRING &&
			       strncmp(a->value.s, "relay.attrs.", 12) != 0;
	}
	return false;
}

/* Attributes of a call whose callee declares no record. */
static const ir_attrs *
free_attrs(struct parse_ctx *cx, struct arg_list list)
{
	const struct attrs_schema *s;
	struct loc loc;

	if (cx->attrs.len == list.attrs)
		return NULL;
	loc = cx->attrs.at[list.attrs].key_loc;
	if (has_foreign_key(cx, list.attrs))
		return dict_record(cx, list.attrs);
	s = take_type_key(cx, list.attrs);
	if (s)
		return syn_record(cx, loc, s, list.attrs);
	diag_error(cx->d, loc,
		   "this callee takes no attributes unless 'attrs_type_key' "
		   "names their record");
	cx->attrs.len = list.attrs;
	return NULL;
}

static const ir_attrs *
op_attrs(struct parse_ctx *cx, struct loc loc, const ir_op *op,
	 struct arg_list list)
{
	const struct attrs_schema *named;

	if (op->id == OP_UNKNOWN)
		return cx->record ? cx->record
		       : cx->attrs.len > list.attrs
			       ? dict_record(cx, list.attrs)
			       : NULL;
	if (cx->record) {
		if (op->attrs == cx->record->schema || !op->attrs ||
		    (op->traits & (OP_TRAIT_UNREGISTERED | OP_TRAIT_MISMATCH)))
			return cx->record;
		diag_error(cx->d, loc, "'%s' takes a record %s, not %s",
			   op->name, op->attrs->key, cx->record->schema->key);
		return NULL;
	}
	if (!op->attrs && cx->attrs.len == list.attrs)
		return NULL;
	named = take_type_key(cx, list.attrs);
	if (!op->attrs && !named) {
		diag_error(cx->d, cx->attrs.at[list.attrs].key_loc,
			   "'%s' takes no attributes", op->name);
		cx->attrs.len = list.attrs;
		return NULL;
	}
	return syn_record(cx, loc, named ? named : op->attrs, list.attrs);
}

static void
check_inputs(struct parse_ctx *cx, struct loc loc, const ir_op *op, size_t n)
{
	if (op->ninputs == OP_MANY_INPUTS || (size_t)op->ninputs == n ||
	    cx->tainted)
		return;
	diag_error(cx->d, loc, "'%s' takes %d argument%s, not %zu", op->name,
		   op->ninputs, op->ninputs == 1 ? "" : "s", n);
}

/* Types behind a constructor add nothing to it. */
const ir_expr *
syn_ctor_types(struct parse_ctx *cx, struct loc loc, const ir_expr *callee)
{
	if (callee->kind != IR_CTOR && callee->kind != IR_HOLE)
		diag_error(cx->d, loc, "types are no arguments");
	return callee;
}

/* The record of the call was read as a mere object. */
static bool
has_foreign_record(const struct parse_ctx *cx, struct arg_list list)
{
	if (!cx->o.allow_unknown_ops)
		return false;
	if (cx->record)
		return cx->record->schema->id == ATTRS_Dict &&
		       ir_dict_get(cx->record->value[0].dict, FOREIGN);
	return cx->attrs.len == list.attrs + 1 &&
	       cx->attrs.at[list.attrs].key &&
	       strcmp(cx->attrs.at[list.attrs].key, FOREIGN) == 0;
}

/* A and all in it are literals: the same text always says the same. */
static bool
is_literal(const ir_attrs *a)
{
	for (uint32_t i = 0; i < a->n; i++) {
		if (a->value[i].kind == ATTR_EXPR ||
		    a->value[i].kind == ATTR_META ||
		    a->value[i].kind == ATTR_DICT ||
		    a->value[i].kind == ATTR_RECORD)
			return false;
	}
	return true;
}

const ir_expr *
syn_call(struct parse_ctx *cx, struct loc loc, struct loc callee_loc,
	 const ir_expr *callee, struct arg_list list)
{
	const ir_attrs *attrs = cx->record;

	move_strings(cx, list);
	vec_clear(&cx->exprs);
	for (size_t i = list.args; i < cx->args.len; i++)
		vec_push(&cx->exprs, cx->args.at[i].expr);
	cx->args.len = list.args;
	if (callee->kind == IR_OP && has_foreign_record(cx, list))
		callee = syn_unknown_op(cx, ir_as_op_ref(callee)->op->name);
	if (callee->kind == IR_OP) {
		const ir_op *op = ir_as_op_ref(callee)->op;

		size_t given = cx->exprs.len;

		old_arguments(cx, callee_loc, op, list);
		check_inputs(cx, callee_loc, op, cx->exprs.len);
		attrs = op_attrs(cx, callee_loc, op, list);
		if (attrs && attrs->schema == op->attrs &&
		    given == cx->exprs.len && is_literal(attrs))
			lex_learn_attrs(cx, loc.off + loc.len - 1, attrs);
	} else if (callee->kind == IR_HOLE) {
		cx->attrs.len = list.attrs;
	} else if (!attrs) {
		attrs = free_attrs(cx, list);
	}
	return ir_new_call(cx->m, syn_loc(cx, loc), callee, cx->exprs.at,
			   (uint32_t)cx->exprs.len, attrs);
}
