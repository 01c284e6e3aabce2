/*
 * Conditions, values and replacements of a match.
 */
#include "passes/rewrite/rw_fn.h"

#include <string.h>

#include "te/interp.h"

const struct ir_tensor_type *
rw_tensor(const ir_expr *e)
{
	if (!e->type || e->type->kind != TYPE_TENSOR)
		return NULL;
	return ir_as_tensor_type(e->type);
}

ir_tensor *
rw_payload(const ir_expr *e)
{
	return e->kind == IR_CONSTANT ? ir_as_constant(e)->data : NULL;
}

bool
rw_infer(struct rw_env *env, const ir_expr *e)
{
	return e->type || ir_infer_expr(env->m, e, &env->quiet);
}

const ir_expr *
rw_fold(struct rw_env *env, const ir_expr *e)
{
	struct interp_value *v;
	const ir_expr *out = NULL;

	if (!rw_infer(env, e))
		return NULL;
	if (!env->interp)
		env->interp = interp_new(env->m, &env->quiet);
	v = interp_eval(env->interp, e);
	if (v && v->kind == INTERP_TENSOR) {
		out = ir_new_constant(env->m, e->loc, v->tensor);
		ir_set_type(out, e->type);
	}
	interp_unref(v);
	return out;
}

/* One argument of the function N, as its parameter wants it. */
static bool
argument(struct rw_env *env, const struct rw_node *n, uint32_t i,
	 union rw_arg *out)
{
	if (n->fn->params[i] == 'v')
		return rw_value(env, n->sub[i], &out->v);
	if (n->fn->params[i] == 'o') {
		out->e = env->match->slots[n->sub[i]->slot];
		return true;
	}
	out->e = rw_build(env, n->sub[i]);
	return out->e && rw_infer(env, out->e);
}

static bool
call_fn(struct rw_env *env, const struct rw_node *n, union rw_arg *out)
{
	union rw_arg args[8];

	assert(n->n <= sizeof(args) / sizeof(*args));
	for (uint32_t i = 0; i < n->n; i++)
		if (!argument(env, n, i, &args[i]))
			return false;
	return n->fn->run(env, args, out);
}

static bool
list_value(struct rw_env *env, const struct rw_node *n, ir_attr *out)
{
	ir_attr *elems = ARENA_NEW_ARRAY(env->cx->scratch, n->n, ir_attr);

	for (uint32_t i = 0; i < n->n; i++)
		if (!rw_value(env, n->sub[i], &elems[i]))
			return false;
	*out = ir_attr_array(env->m->cx, elems, n->n);
	return true;
}

/* The attribute of the call that is bound to a name. */
static bool
attr_value(const struct rw_env *env, const struct rw_node *n, ir_attr *out)
{
	const ir_expr *e = env->match->slots[n->slot];
	const ir_attr *a = NULL;

	if (!e)
		return false;
	if (e->kind == IR_CALL)
		a = rw_call_attr(ir_as_call(e), n->name);
	else if (e->kind == IR_FUNCTION)
		a = ir_dict_get(ir_as_function(e)->attrs, n->name);
	if (a)
		*out = *a;
	return a != NULL;
}

bool
rw_value(struct rw_env *env, const struct rw_node *n, ir_attr *out)
{
	union rw_arg arg;

	switch (n->kind) {
	case RW_VALUE:
		*out = n->value;
		return true;
	case RW_LIST:
		return list_value(env, n, out);
	case RW_ATTR:
		return attr_value(env, n, out);
	case RW_FN:
		if (n->fn->kind == RW_TEST) {
			*out = ATTR_BOOLEAN(call_fn(env, n, &arg));
			return true;
		}
		if (!call_fn(env, n, &arg))
			return false;
		*out = arg.v;
		return true;
	default:
		return false;
	}
}

/* -1, 0, 1; 2 if A and B have no order. */
static int
order(const ir_attr *a, const ir_attr *b)
{
	double x = a->kind == ATTR_INT ? (double)a->i : a->f;
	double y = b->kind == ATTR_INT ? (double)b->i : b->f;

	if (a->kind == ATTR_INT && b->kind == ATTR_INT)
		return a->i < b->i ? -1 : a->i > b->i;
	if ((a->kind != ATTR_INT && a->kind != ATTR_FLOAT) ||
	    (b->kind != ATTR_INT && b->kind != ATTR_FLOAT) || x != x || y != y)
		return 2;
	return x < y ? -1 : x > y;
}

static bool
compare(struct rw_env *env, const struct rw_node *n)
{
	ir_attr a, b;
	int way;

	if (!rw_value(env, n->sub[0], &a) || !rw_value(env, n->sub[1], &b))
		return false;
	if (n->index == RW_EQ || n->index == RW_NE)
		return rw_value_equal(&a, &b) == (n->index == RW_EQ);
	way = order(&a, &b);
	switch ((enum rw_compare)n->index) {
	case RW_LT:
		return way == -1;
	case RW_LE:
		return way == -1 || way == 0;
	case RW_GT:
		return way == 1;
	default:
		return way == 1 || way == 0;
	}
}

bool
rw_holds(struct rw_env *env, const struct rw_node *n)
{
	ir_attr v;

	switch (n->kind) {
	case RW_NOT:
		return !rw_holds(env, n->sub[0]);
	case RW_AND:
		for (uint32_t i = 0; i < n->n; i++)
			if (!rw_holds(env, n->sub[i]))
				return false;
		return true;
	case RW_OR:
		for (uint32_t i = 0; i < n->n; i++)
			if (rw_holds(env, n->sub[i]))
				return true;
		return false;
	case RW_COMPARE:
		return compare(env, n);
	default:
		return rw_value(env, n, &v) && v.kind == ATTR_BOOL && v.b;
	}
}

/* The record that the attributes of N make for OP; NULL if one is missing. */
static bool
build_attrs(struct rw_env *env, const struct rw_node *n, const ir_attrs **out)
{
	const struct attrs_schema *s = n->op->attrs;
	ir_context *cx = env->m->cx;
	ir_attr *values;

	*out = NULL;
	if (!s || (n->nattrs == 0 && s->nfields == 0))
		return true;
	values = ARENA_NEW_ARRAY(env->cx->scratch, s->nfields, ir_attr);
	for (unsigned i = 0; i < s->nfields; i++)
		values[i] = ir_attrs_default(cx, s, i);
	for (uint32_t i = 0; i < n->nattrs; i++) {
		int at = attrs_field_index(s, n->attrs[i].name);
		const char *why;

		if (!rw_value(env, n->attrs[i].value, &values[at]) ||
		    !ir_attr_convert(cx, &s->fields[at], &values[at], &why))
			return false;
	}
	*out = ir_attrs_new(cx, s, values);
	return true;
}

static const ir_expr *
build_call(struct rw_env *env, const struct rw_node *n)
{
	const ir_expr **args =
		ARENA_NEW_ARRAY(env->cx->scratch, n->n, const ir_expr *);
	struct loc loc = env->match->root->loc;
	const ir_attrs *attrs = NULL;
	const ir_expr *callee;

	if (n->op && !build_attrs(env, n, &attrs))
		return NULL;
	for (uint32_t i = 0; i < n->n; i++) {
		args[i] = rw_build(env, n->sub[i]);
		if (!args[i])
			return NULL;
	}
	if (n->op)
		return ir_new_op_call(env->m, loc, n->op->id, args, n->n,
				      attrs);
	callee = rw_build(env, n->callee);
	return callee ? ir_new_call(env->m, loc, callee, args, n->n, NULL)
		      : NULL;
}

static const ir_expr *
build_tuple(struct rw_env *env, const struct rw_node *n)
{
	const ir_expr **fields =
		ARENA_NEW_ARRAY(env->cx->scratch, n->n, const ir_expr *);

	for (uint32_t i = 0; i < n->n; i++) {
		fields[i] = rw_build(env, n->sub[i]);
		if (!fields[i])
			return NULL;
	}
	return ir_new_tuple(env->m, env->match->root->loc, fields, n->n);
}

static const ir_expr *
build_slot(struct rw_env *env, const struct rw_node *n)
{
	const struct rw_slot *slot = &env->match->rule->slots[n->slot];

	if (!slot->in_result)
		return env->match->slots[n->slot];
	if (!env->built[n->slot])
		env->built[n->slot] = rw_build(env, slot->def);
	return env->built[n->slot];
}

const ir_expr *
rw_build(struct rw_env *env, const struct rw_node *n)
{
	struct loc loc = env->match->root->loc;
	const struct ir_global *global;
	const ir_expr *e;
	union rw_arg arg;

	switch (n->kind) {
	case RW_GLOBAL:
		global = ir_module_find_global(env->m, n->name);
		return global ? &global->base : NULL;
	case RW_SLOT:
		return build_slot(env, n);
	case RW_NUMBER:
		return n->value.kind == ATTR_INT
			       ? ir_new_scalar_int(env->m, loc, n->dtype,
						   n->value.i)
			       : ir_new_scalar(env->m, loc, n->dtype,
					       n->value.f);
	case RW_CALL:
		return build_call(env, n);
	case RW_OP:
		return ir_op_node(env->m, n->op);
	case RW_TUPLE:
		return build_tuple(env, n);
	case RW_PROJ:
		e = rw_build(env, n->sub[0]);
		return e ? ir_new_proj(env->m, loc, e, (uint32_t)n->index)
			 : NULL;
	default:
		assert(n->kind == RW_FN);
		return call_fn(env, n, &arg) ? arg.e : NULL;
	}
}
