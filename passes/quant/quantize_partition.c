/*
 * quantize-partition: mark where integers of the input type flow between
 * regions that may be computed on integers.
 *
 *     %1 = nn.conv2d(%0, %w); nn.conv2d(%1, %v)
 *                        becomes
 *     %1 = nn.conv2d(%0, %w);
 *     %2 = annotation.cast_hint(%1, dtype="int8");
 *     %3 = annotation.stop_fusion(%2);
 *     nn.conv2d(%3, %v)
 *
 * What a convolution gives is open; relu, clip, max pooling, sums with
 * constants and products keep it open. It is closed, by the two annotations,
 * before the next convolution, where it meets another value, and before any
 * other operator.
 *
 * Level: function. Needs: types.
 */
#include "passes/opcall.h"
#include "passes/quant/quantize.h"

struct partition {
	ir_module *m;
	struct dtype dtype;
	struct ir_set open;   /* new nodes */
	struct ir_map closed; /* open node -> its stop_fusion */
};

static bool
is_open(const struct partition *p, const ir_expr *e)
{
	return ir_set_has(&p->open, e);
}

/* E behind a cast hint and a stop of fusion. */
static const ir_expr *
close_value(struct partition *p, const ir_expr *e)
{
	struct opcall b = {p->m, e->loc};
	const ir_attrs *a =
		ir_attrs_defaults(p->m->cx, attrs_schema(ATTRS_CastHint));

	a = ir_attrs_with(p->m->cx, a, "dtype", ATTR_DT(p->dtype));
	e = ir_new_op_call(p->m, e->loc, OP_annotation_cast_hint, &e, 1, a);
	return opcall_unary(&b, OP_annotation_stop_fusion, e);
}

/* E for a user that needs it closed; such users share one. */
static const ir_expr *
finish(const ir_expr *e, void *env)
{
	struct partition *p = env;
	const ir_expr *c;

	if (!is_open(p, e))
		return e;
	c = ir_map_get(&p->closed, e);
	if (!c) {
		c = close_value(p, e);
		ir_map_put(&p->closed, e, c);
	}
	return c;
}

static const ir_expr *
open_value(struct partition *p, const ir_expr *e)
{
	ir_set_add(&p->open, e);
	return e;
}

/* A constant, or an expression of constants only. */
static bool
is_constant(const ir_expr *e)
{
	return e->kind == IR_CONSTANT;
}

static const ir_expr *
rewrite_add(struct partition *p, const ir_expr *e)
{
	const struct ir_call *c = ir_as_call(e);
	const ir_expr *args[2] = {c->args[0], c->args[1]};
	bool left = is_open(p, args[0]);
	bool right = is_open(p, args[1]);

	if (left && !right && is_constant(args[1]))
		return open_value(p, e);
	for (int i = 0; i < 2; i++)
		if (is_open(p, args[i]))
			args[i] = close_value(p, args[i]);
	e = quant_call(p->m, e, args);
	return left && right ? open_value(p, e) : e;
}

static const ir_expr *
rewrite_multiply(struct partition *p, const ir_expr *e)
{
	const struct ir_call *c = ir_as_call(e);
	const ir_expr *args[2] = {c->args[0], c->args[1]};

	if (!is_open(p, args[0]) && !is_open(p, args[1]))
		return e;
	for (int i = 0; i < 2; i++)
		if (is_open(p, args[i]))
			args[i] = close_value(p, args[i]);
	return open_value(p, quant_call(p->m, e, args));
}

static const ir_expr *
rewrite_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct partition *p = env;
	const struct ir_call *c = ir_as_call(e);
	const ir_op *op = ir_called_op(e);
	const ir_expr *args[2];

	(void)old;
	switch (op ? op->id : OP_UNKNOWN) {
	case OP_nn_conv2d:
		args[0] = c->args[0];
		args[1] = finish(c->args[1], p);
		if (is_open(p, args[0]))
			args[0] = close_value(p, args[0]);
		return open_value(p, quant_call(p->m, e, args));
	case OP_clip:
	case OP_nn_relu:
	case OP_nn_max_pool2d:
		return is_open(p, c->args[0]) ? open_value(p, e) : e;
	case OP_add:
		return rewrite_add(p, e);
	case OP_multiply:
		return rewrite_multiply(p, e);
	default:
		return quant_finish_operands(p->m, e, finish, p);
	}
}

static const ir_expr *
rewrite_other(const ir_expr *e, const ir_expr *old, void *env)
{
	struct partition *p = env;

	(void)old;
	return quant_finish_operands(p->m, e, finish, p);
}

const struct ir_function *
quant_partition(pass_ctx *cx, const struct qconfig *q,
		const struct ir_function *fn)
{
	struct partition p = {.m = cx->module, .dtype = q->input};
	struct ir_rules rules = quant_rules(rewrite_call, rewrite_other);
	const ir_expr *out = ir_rewrite(p.m, &fn->base, &rules, &p);

	ir_set_free(&p.open);
	ir_map_free(&p.closed);
	return ir_as_function(out);
}

const struct ir_function *
pass_quantize_partition(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	(void)def;
	return quant_run(cx, fn, quant_partition);
}
