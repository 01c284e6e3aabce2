/*
 * Form of single nodes: numbers of inputs and fields, attributes against
 * their schema, names that must be defined.
 */
#include "ir/verify_internal.h"

#include <string.h>

static bool
is_first_look(struct verify *v, const void *what)
{
	bool is_new;

	ptrmap_add(&v->seen, what, &is_new);
	return is_new;
}

/* ------------------------------------------------------------ types -- */

typedef VEC(const ir_type *) type_vec;

/* The type of buffers that memory operators give is known to all. */
static bool
is_builtin(const struct ir_adt_type *t)
{
	return strcmp(t->name, "Storage") == 0 && t->nargs == 0;
}

static void
check_adt(struct verify *v, const struct ir_adt_type *t, struct loc loc)
{
	const ir_type_def *def = ir_module_find_type(v->m, t->name);

	if (!def) {
		if (!is_builtin(t))
			verify_error(v, loc, "type '%s' is not defined",
				     t->name);
	} else if (def->nparams != t->nargs) {
		verify_error(v, loc, "type '%s' takes %u argument%s, not %u",
			     t->name, def->nparams,
			     def->nparams == 1 ? "" : "s", t->nargs);
	}
}

static void
push_all(type_vec *todo, const ir_type *const *at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		vec_push(todo, at[i]);
}

void
verify_type(struct verify *v, const ir_type *t, struct loc loc)
{
	type_vec todo = {0};

	if (t->kind == TYPE_TENSOR)
		return;
	vec_push(&todo, t);
	while (todo.len) {
		t = vec_pop(&todo);
		if (t->kind == TYPE_TENSOR || !is_first_look(v, t))
			continue;
		switch ((enum ir_type_kind)t->kind) {
		case TYPE_TUPLE:
			push_all(&todo, ir_as_tuple_type(t)->fields,
				 ir_as_tuple_type(t)->nfields);
			break;
		case TYPE_FUNC:
			push_all(&todo, ir_as_func_type(t)->params,
				 ir_as_func_type(t)->nparams);
			vec_push(&todo, ir_as_func_type(t)->ret);
			break;
		case TYPE_REF:
			vec_push(&todo, ir_as_ref_type(t)->value);
			break;
		case TYPE_ADT:
			check_adt(v, ir_as_adt_type(t), loc);
			push_all(&todo, ir_as_adt_type(t)->args,
				 ir_as_adt_type(t)->nargs);
			break;
		default:
			break;
		}
	}
	vec_free(&todo);
}

/* ------------------------------------------------------------ nodes -- */

static void
check_record(struct verify *v, const ir_attrs *a, struct loc loc)
{
	if (!is_first_look(v, a))
		return;
	for (uint32_t i = 0; i < a->n; i++) {
		const struct attr_field *f = &a->schema->fields[i];
		ir_attr copy = a->value[i];
		const char *why = "fit";

		if (copy.kind != ATTR_NULL &&
		    !ir_attr_convert(v->m->cx, f, &copy, &why))
			verify_error(v, loc, "attribute '%s' must be %s",
				     f->name, why);
	}
}

static bool
needs_record(const struct attrs_schema *s)
{
	for (unsigned i = 0; i < s->nfields; i++)
		if (s->fields[i].need == ATTR_REQUIRED)
			return true;
	return false;
}

static void
check_op_call(struct verify *v, const struct ir_call *c, const ir_op *op)
{
	struct loc loc = c->base.loc;

	if (op->id == OP_UNKNOWN)
		return;
	if (op->ninputs != OP_MANY_INPUTS && (uint32_t)op->ninputs != c->nargs)
		verify_error(v, loc, "operator '%s' takes %d input%s, not %u",
			     op->name, op->ninputs, op->ninputs == 1 ? "" : "s",
			     c->nargs);
	if (!c->attrs) {
		if (op->attrs && needs_record(op->attrs))
			verify_error(v, loc, "operator '%s' needs attributes",
				     op->name);
	} else if (!op->attrs) {
		verify_error(v, loc, "operator '%s' takes no attributes",
			     op->name);
	} else if (op->attrs != c->attrs->schema) {
		verify_error(v, loc, "operator '%s' takes a record %s, not %s",
			     op->name, op->attrs->key, c->attrs->schema->key);
	}
}

static void
check_ctor_fields(struct verify *v, const struct ir_ctor *ctor, uint32_t n,
		  struct loc loc)
{
	if (ctor->nfields != n)
		verify_error(v, loc, "constructor '%s' has %u field%s, not %u",
			     ctor->name, ctor->nfields,
			     ctor->nfields == 1 ? "" : "s", n);
}

static void
check_call(struct verify *v, const struct ir_call *c)
{
	if (c->callee->kind == IR_OP)
		check_op_call(v, c, ir_as_op_ref(c->callee)->op);
	else if (c->callee->kind == IR_CTOR)
		check_ctor_fields(v, ir_as_ctor(c->callee), c->nargs,
				  c->base.loc);
	if (c->attrs)
		check_record(v, c->attrs, c->base.loc);
}

/* Patterns nest as deep as the brackets of the text. */
static void
check_pattern(struct verify *v, const ir_pattern *p)
{
	if (p->kind == PATTERN_CTOR)
		check_ctor_fields(v, p->ctor, p->n, p->loc);
	for (uint32_t i = 0; i < p->n; i++)
		check_pattern(v, p->sub[i]);
}

/* Globals have one node in a module: the place is that of their user. */
static void
check_globals(struct verify *v, const ir_expr *e)
{
	for (uint32_t i = 0; i < ir_num_operands(e); i++) {
		const ir_expr *operand = ir_operand(e, i);

		if (operand->kind == IR_GLOBAL && !ir_as_global(operand)->def)
			verify_error(v, e->loc, "'@%s' is not defined",
				     ir_as_global(operand)->name);
	}
}

void
verify_node(struct verify *v, const ir_expr *e)
{
	check_globals(v, e);
	switch ((enum ir_kind)e->kind) {
	case IR_CALL:
		check_call(v, ir_as_call(e));
		break;
	case IR_FUNCTION:
		if (ir_as_function(e)->ret_type)
			verify_type(v, ir_as_function(e)->ret_type, e->loc);
		break;
	case IR_MATCH:
		for (uint32_t i = 0; i < ir_as_match(e)->nclauses; i++)
			check_pattern(v, ir_as_match(e)->clauses[i].pattern);
		break;
	case IR_HOLE:
		verify_error(v, e->loc, "an expression is missing here");
		break;
	default:
		break;
	}
}
