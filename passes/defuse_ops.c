/*
 * defuse-ops: put the bodies of primitive functions back in place.
 *
 *     %1 = fn (%p0, Primitive=1) { exp(%p0) };  %1(%x)   becomes   exp(%x)
 *
 * The inverse of fuse-ops up to naming. Functions with a Compiler stay.
 *
 * Level: function. Needs: types.
 */
#include "ir/copy.h"
#include "passes/pass.h"

static const ir_expr *
splice_body(const ir_expr *e, const ir_expr *old, void *env)
{
	pass_ctx *cx = env;
	const struct ir_call *c = ir_as_call(e);
	const struct ir_function *f;
	struct ir_map vars = {0};
	const struct ir_copy_options o = {.vars = &vars};
	const ir_expr *out;

	(void)old;
	if (!ir_is_primitive(c->callee))
		return e;
	f = ir_as_function(c->callee);
	if (ir_dict_get(f->attrs, "Compiler") || !f->body ||
	    f->nparams != c->nargs)
		return e;
	for (uint32_t i = 0; i < f->nparams; i++)
		ir_map_put(&vars, &f->params[i]->base, c->args[i]);
	out = ir_copy(cx->module, f->body, &o);
	ir_map_free(&vars);
	return out;
}

static const struct ir_rules rules = {
	.on = {[IR_CALL] = splice_body},
	.counted = true,
};

const struct ir_function *
pass_defuse_ops(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	(void)def;
	return ir_as_function(ir_rewrite(cx->module, &fn->base, &rules, cx));
}
