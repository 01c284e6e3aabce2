/*
 * canonicalize-cast: each elementwise user of a widening cast has the cast to
 * itself.
 *
 *     %1 = cast(%0, dtype="int32");        %1 = cast(%0, dtype="int32");
 *     %2 = add(%1, 1);                     %2 = add(%1, 1);
 *     %3 = multiply(%1, 2)          =>     %3 = cast(%0, dtype="int32");
 *                                          %4 = multiply(%3, 2)
 *
 * Then fusion puts the cast into the group of each user, and what goes from
 * group to group is the narrow tensor. The first user keeps the cast.
 *
 * Level: function. Needs: types.
 */
#include "passes/pass.h"

struct canonicalizer {
	pass_ctx *cx;
	struct ir_set used; /* casts, as they were, that have a user */
};

static unsigned
bits_of(const ir_expr *e)
{
	if (!e->type || e->type->kind != TYPE_TENSOR)
		return 0;
	return ir_as_tensor_type(e->type)->dtype.bits;
}

static bool
is_widening_cast(const ir_expr *e)
{
	unsigned from;

	if (!ir_is_call_of(e, OP_cast))
		return false;
	from = bits_of(ir_as_call(e)->args[0]);
	return from && from < bits_of(e);
}

static bool
is_elementwise(const ir_expr *e)
{
	const ir_op *op = ir_called_op(e);

	return op && op->pattern <= PAT_BROADCAST;
}

static const ir_expr *
rewrite_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct canonicalizer *c = env;
	ir_module *m = c->cx->module;
	const struct ir_call *call = ir_as_call(e);
	const struct ir_call *before = ir_as_call(old);
	const ir_expr **args = NULL;
	const ir_expr *out;

	if (!is_elementwise(e))
		return e;
	for (uint32_t i = 0; i < call->nargs; i++) {
		const struct ir_call *cast;

		if (!is_widening_cast(before->args[i]) ||
		    ir_set_add(&c->used, before->args[i]))
			continue;
		if (!args)
			args = arena_copy(c->cx->scratch, call->args,
					  call->nargs * sizeof(*args));
		cast = ir_as_call(call->args[i]);
		args[i] = ir_new_call(m, cast->base.loc, cast->callee,
				      cast->args, cast->nargs, cast->attrs);
		ir_set_type(args[i], cast->base.type);
		pass_count(c->cx, "casts copied", 1);
	}
	if (!args)
		return e;
	out = ir_new_call(m, e->loc, call->callee, args, call->nargs,
			  call->attrs);
	ir_set_type(out, e->type);
	return out;
}

static bool
enter(const ir_expr *e, void *env)
{
	(void)env;
	return !ir_is_primitive(e);
}

static const struct ir_rules rules = {
	.on = {[IR_CALL] = rewrite_call},
	.enter = enter,
	.counted = true,
};

const struct ir_function *
pass_canonicalize_cast(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct canonicalizer c = {.cx = cx};
	const ir_expr *out;

	(void)def;
	out = ir_rewrite(cx->module, &fn->base, &rules, &c);
	ir_set_free(&c.used);
	return ir_as_function(out);
}
