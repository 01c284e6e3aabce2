/*
 * dense-to-sparse: dense layers with weights that are sparse.
 *
 *     nn.dense(%x, %w)
 *                        becomes
 *     nn.sparse_dense(%x, %w.data, %w.indices, %w.indptr)
 *
 * for the parameters that weight-name lists. The new parameters are the
 * blocks of %w, their columns and where rows begin; weight-shape gives, for
 * each, the three extents of the blocks and the numbers of the others. They
 * stand where %w stood.
 *
 * Level: function. Needs: types.
 */
#include "passes/sparse/params.h"

static const ir_expr *
rewrite_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct params *p = env;
	const struct ir_call *call = ir_as_call(e);
	ir_module *m = p->cx->module;
	const struct named_weight *w;
	const struct new_params *parts;

	(void)old;
	if (!ir_is_call_of(e, OP_nn_dense) ||
	    !(w = params_named(p, call->args[1])))
		return e;
	parts = params_sparse(p, call->args[1], w->sizes);
	const ir_expr *args[] = {call->args[0], parts->at[0], parts->at[1],
				 parts->at[2]};

	return ir_new_op_call(
		m, e->loc, OP_nn_sparse_dense, args, 4,
		ir_attrs_defaults(m->cx, attrs_schema(ATTRS_SparseDense)));
}

static const struct ir_rules rules = {
	.on = {[IR_CALL] = rewrite_call},
};

const struct ir_function *
pass_dense_to_sparse(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct params p;

	(void)def;
	if (!params_init(&p, cx, fn, "weight-name", "weight-shape", 5))
		return fn;
	return params_finish(&p, ir_rewrite(cx->module, fn->body, &rules, &p));
}
