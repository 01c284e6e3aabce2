/*
 * label-ops: give functions a hash of their own, and the layouts inside.
 *
 *     fn (%p: ..., Primitive=1) { nn.conv2d(%p, ...) }
 *                        becomes
 *     fn (%p: ..., Primitive=1, hash="0123456789abcdef",
 *         data_layout="NCHW", kernel_layout="OIHW", out_layout="") { ... }
 *
 * The hash is that of the structure: equal functions have equal ones, in every
 * run. Attributes of calls whose names contain "layout" are copied up to the
 * function that they stand in; where calls differ, the first one counts.
 * Functions that have a hash stay.
 *
 * Level: function.
 */
#include <inttypes.h>
#include <string.h>

#include "ir/equal.h"
#include "passes/pass.h"

/* The layouts of E, a call, into D. */
static const ir_dict *
add_layouts(pass_ctx *p, const ir_dict *d, const ir_expr *e)
{
	ir_context *cx = p->module->cx;
	const ir_attrs *a = ir_as_call(e)->attrs;

	for (uint32_t i = 0; a && i < a->n; i++) {
		const char *name = a->schema->fields[i].name;
		const ir_attr *old;

		if (!strstr(name, "layout"))
			continue;
		old = ir_dict_get(d, ir_name(cx, name));
		if (!old)
			d = ir_dict_with(cx, d, ir_name(cx, name), a->value[i]);
		else if (!ir_attr_equal(old, &a->value[i]))
			pass_remark(p, e->loc,
				    "another '%s' than that of the function",
				    name);
	}
	return d;
}

/* Into D those of the calls in FN that are in no function inside it. */
static const ir_dict *
add_all_layouts(pass_ctx *cx, const ir_dict *d, const ir_expr *fn)
{
	ir_expr_vec todo = {0};
	struct ir_set seen = {0};

	vec_push(&todo, fn);
	while (todo.len > 0) {
		const ir_expr *e = vec_pop(&todo);

		if (!ir_set_add(&seen, e) ||
		    (e != fn && e->kind == IR_FUNCTION))
			continue;
		if (e->kind == IR_CALL)
			d = add_layouts(cx, d, e);
		for (uint32_t i = ir_num_operands(e); i-- > 0;)
			vec_push(&todo, ir_operand(e, i));
	}
	vec_free(&todo);
	ir_set_free(&seen);
	return d;
}

static const ir_expr *
label(const ir_expr *e, const ir_expr *old, void *env)
{
	pass_ctx *cx = env;
	ir_context *c = cx->module->cx;
	const struct ir_function *fn = ir_as_function(e);
	struct ir_function_parts parts = ir_function_parts(fn);
	const char *key = ir_name(c, "hash");
	const char *hash;

	(void)old;
	if (ir_dict_get(fn->attrs, key) || !fn->body)
		return e;
	hash = ir_namef(c, "%016" PRIx64, ir_hash(e));
	parts.attrs = ir_dict_with(c, fn->attrs, key, ATTR_STR(hash));
	parts.attrs = add_all_layouts(cx, parts.attrs, e);
	return ir_new_function(cx->module, e->loc, &parts);
}

static const struct ir_rules rules = {
	.on = {[IR_FUNCTION] = label},
};

const struct ir_function *
pass_label_ops(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	(void)def;
	return ir_as_function(ir_rewrite(cx->module, &fn->base, &rules, cx));
}
