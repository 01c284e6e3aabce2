/*
 * simplify-fc-transpose: keep weights of dense layers transposed.
 *
 *     nn.dense(%x, transpose(%w, axes=[1, 0]))
 *                        becomes
 *     nn.dense(%x, %w.T)
 *
 * for the parameters that target-weight-name lists. %w.T stands where %w
 * stood, and has its extents the other way round.
 *
 * Level: function. Needs: types.
 */
#include "passes/sparse/params.h"

/* E transposes a matrix. */
static bool
is_matrix_transpose(const ir_expr *e)
{
	const ir_attr *axes;

	if (!ir_is_call_of(e, OP_transpose))
		return false;
	axes = ir_attrs_get(ir_as_call(e)->attrs, "axes");
	if (axes->kind != ATTR_ARRAY)
		return true;
	return axes->n == 2 && ir_attr_elem_int(axes, 0) != 0 &&
	       ir_attr_elem_int(axes, 0) != -2;
}

static const ir_expr *
rewrite_call(const ir_expr *e, const ir_expr *old, void *env)
{
	static const char *const suffix[] = {"T"};
	struct params *p = env;
	const struct ir_call *call = ir_as_call(e);
	const ir_expr *args[2];
	const struct ir_tensor_type *t;
	struct ir_dim dims[2];
	const ir_type *type;
	const ir_expr *w;

	(void)old;
	if (!ir_is_call_of(e, OP_nn_dense) ||
	    !is_matrix_transpose(call->args[1]))
		return e;
	w = ir_as_call(call->args[1])->args[0];
	if (!params_named(p, w) || w->type->kind != TYPE_TENSOR)
		return e;
	t = ir_as_tensor_type(w->type);
	if (t->ndim != 2)
		return e;
	dims[0] = t->shape[1];
	dims[1] = t->shape[0];
	type = ir_type_tensor(p->cx->module->cx, t->dtype, dims, 2);
	args[0] = call->args[0];
	args[1] = params_replace(p, w, suffix, &type, 1)->at[0];
	return ir_new_op_call(p->cx->module, e->loc, OP_nn_dense, args, 2,
			      call->attrs);
}

static const struct ir_rules rules = {
	.on = {[IR_CALL] = rewrite_call},
};

const struct ir_function *
pass_simplify_fc_transpose(pass_ctx *cx, ir_def *def,
			   const struct ir_function *fn)
{
	struct params p;

	(void)def;
	if (!params_init(&p, cx, fn, "target-weight-name", NULL, 0))
		return fn;
	return params_finish(&p, ir_rewrite(cx->module, fn->body, &rules, &p));
}
