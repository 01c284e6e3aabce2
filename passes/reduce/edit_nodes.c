/*
 * Edits that put something simpler in the place of a node.
 */
#include "ir/rewrite.h"
#include "passes/reduce/reduce.h"

/* Rewrite the bodies of all functions. */
static void
each_body(struct reduce_edit *x, const struct ir_rules *rules, void *env)
{
	for (size_t i = 0; i < x->m->defs.len; i++) {
		ir_def *def = x->m->defs.at[i];

		if (def->kind == DEF_FUNCTION && def->fn)
			def->fn = ir_as_function(
				ir_rewrite(x->m, &def->fn->base, rules, env));
	}
}

/* ------------------------------------------------------------ operands -- */

/* An argument of the type of the call, or else the first; a site for each. */
static const ir_expr *
take_argument(const ir_expr *e, const ir_expr *old, void *env)
{
	struct reduce_edit *x = env;
	const struct ir_call *before = ir_as_call(old);
	const struct ir_call *call = ir_as_call(e);
	const ir_expr *out = e;
	bool found = false;

	for (uint32_t i = 0; i < call->nargs; i++) {
		if (!before->args[i]->type ||
		    before->args[i]->type != old->type)
			continue;
		found = true;
		if (reduce_site(x) && out == e)
			out = call->args[i];
	}
	if (!found && call->nargs > 0 && reduce_site(x))
		out = call->args[0];
	return out;
}

static const ir_expr *
take_branch(const ir_expr *e, const ir_expr *old, void *env)
{
	const struct ir_if *x = ir_as_if(e);
	const ir_expr *out = e;

	(void)old;
	if (reduce_site(env))
		out = x->then_branch;
	if (reduce_site(env) && out == e)
		out = x->else_branch;
	return out;
}

static const ir_expr *
take_clause(const ir_expr *e, const ir_expr *old, void *env)
{
	const struct ir_match *x = ir_as_match(e);
	const ir_expr *out = e;

	(void)old;
	for (uint32_t i = 0; i < x->nclauses; i++)
		if (reduce_site(env) && out == e)
			out = x->clauses[i].body;
	return out;
}

static const ir_expr *
take_field(const ir_expr *e, const ir_expr *old, void *env)
{
	const struct ir_proj *x = ir_as_proj(e);

	(void)old;
	if (x->tuple->kind != IR_TUPLE || !reduce_site(env))
		return e;
	return ir_as_tuple(x->tuple)->fields[x->index];
}

void
reduce_take_operand(struct reduce_edit *x)
{
	static const struct ir_rules rules = {
		.on = {[IR_CALL] = take_argument,
		       [IR_IF] = take_branch,
		       [IR_MATCH] = take_clause,
		       [IR_PROJ] = take_field},
	};

	each_body(x, &rules, x);
}

/* --------------------------------------------------------------- zeros -- */

static const ir_expr *
zeros_of(ir_module *m, const struct ir_tensor_type *t, struct loc loc)
{
	const ir_attrs *attrs =
		ir_attrs_defaults(m->cx, ir_op_info(OP_zeros)->attrs);
	int64_t shape[64];

	for (uint32_t i = 0; i < t->ndim; i++)
		shape[i] = t->shape[i].value;
	attrs = ir_attrs_with(m->cx, attrs, "shape",
			      ir_attr_int_array(m->cx, shape, t->ndim, 32));
	attrs = ir_attrs_with(m->cx, attrs, "dtype", ATTR_DT(t->dtype));
	return ir_new_op_call(m, loc, OP_zeros, NULL, 0, attrs);
}

static const ir_expr *
put_zero(const ir_expr *e, const ir_expr *old, void *env)
{
	struct reduce_edit *x = env;
	const struct ir_tensor_type *t;

	if (!old->type || old->type->kind != TYPE_TENSOR ||
	    ir_is_call_of(old, OP_zeros))
		return e;
	t = ir_as_tensor_type(old->type);
	if (!ir_shape_is_static(t) || t->ndim > 64 || !reduce_site(x))
		return e;
	if (t->ndim == 0)
		return ir_new_scalar(x->m, e->loc, t->dtype, 0);
	return zeros_of(x->m, t, e->loc);
}

void
reduce_put_zeros(struct reduce_edit *x)
{
	static const struct ir_rules rules = {
		.on = {[IR_CALL] = put_zero,
		       [IR_IF] = put_zero,
		       [IR_MATCH] = put_zero},
	};

	each_body(x, &rules, x);
}

/* ---------------------------------------------------------------- lets -- */

struct inliner {
	struct reduce_edit *x;
	struct ir_map values;
};

static void
choose_let(const struct ir_let *let, const ir_expr *value, void *env)
{
	struct inliner *in = env;

	if (reduce_site(in->x))
		ir_map_put(&in->values, &let->var->base, value);
}

static const ir_expr *
inline_var(const ir_expr *e, const ir_expr *old, void *env)
{
	struct inliner *in = env;

	(void)old;
	return ir_map_get(&in->values, e);
}

static const ir_expr *
drop_let(const ir_expr *e, const ir_expr *old, void *env)
{
	struct inliner *in = env;

	if (!ir_map_get(&in->values, &ir_as_let(old)->var->base))
		return e;
	return ir_as_let(e)->body;
}

void
reduce_inline_lets(struct reduce_edit *x)
{
	static const struct ir_rules rules = {
		.on = {[IR_VAR] = inline_var, [IR_LET] = drop_let},
		.bound = choose_let,
	};
	struct inliner in = {.x = x};

	each_body(x, &rules, &in);
	ir_map_free(&in.values);
}
