/*
 * backward-fold-scale-axis: move a scale of channels into the weights that
 * made them.
 *
 *     nn.relu(nn.conv2d(%x, %w) + %b) * s
 *                        becomes
 *     nn.relu(nn.conv2d(%x, %w * s) + %b * s)
 *
 * Convolutions and dense layers offer to scale their output channels, relu
 * and sums pass the offer on, as long as nobody else reads the value; a
 * multiplication takes it up. Behind a relu a scale must be positive.
 *
 * Level: function. Needs: types.
 */
#include "passes/replace.h"
#include "passes/scale/scale.h"

enum side { NEITHER = 0, LEFT = 1, RIGHT = 2, BOTH = 3 };

/* What a node offers, and which operands it would scale for it. */
struct offer {
	struct scale_axes axes;
	enum side side;
};

struct backward {
	pass_ctx *cx;
	struct scale_facts facts;
	struct ir_map uses;
	struct ir_map offers; /* struct offer */
	struct ir_map scales; /* node -> flat scale to apply */
	struct ir_map with;   /* node -> what replaces it */
};

static const struct offer none;

static const struct offer *
offer_of(const struct backward *b, const ir_expr *e)
{
	const struct offer *o = ir_map_get(&b->offers, e);

	return o ? o : &none;
}

static struct offer
offer_sum(const struct backward *b, const struct ir_call *call)
{
	const ir_type *l = call->args[0]->type;
	const ir_type *r = call->args[1]->type;
	struct scale_axes x = offer_of(b, call->args[0])->axes;
	struct scale_axes y = offer_of(b, call->args[1])->axes;

	if (x.n && y.n && l == r && scale_axes_equal(x, y))
		return (struct offer){scale_axes_meet(x, y), BOTH};
	if (scale_matches(l, r, x, NULL, NULL))
		return (struct offer){x, LEFT};
	if (scale_matches(r, l, y, NULL, NULL))
		return (struct offer){y, RIGHT};
	return none;
}

/* The offer of the data if the bias lies on the one axis of it. */
static struct offer
offer_bias(const struct backward *b, const struct ir_call *call)
{
	struct scale_axes x = offer_of(b, call->args[0])->axes;
	int64_t axis = ir_attrs_int(call->attrs, "axis", 1);

	if (x.n != 1)
		return none;
	if (axis < 0)
		axis += ir_as_tensor_type(call->args[0]->type)->ndim;
	return axis == x.at[0] ? (struct offer){x, LEFT} : none;
}

static struct offer
make_offer(const struct backward *b, const struct ir_call *call)
{
	const ir_op *op = ir_called_op(&call->base);
	struct scale_target target;
	struct offer o = none;

	switch (op ? op->id : OP_UNKNOWN) {
	case OP_nn_relu:
	case OP_nn_leaky_relu:
		o.axes = offer_of(b, call->args[0])->axes;
		o.axes.positive = true;
		o.side = LEFT;
		return o;
	case OP_add:
	case OP_subtract:
		return offer_sum(b, call);
	case OP_nn_bias_add:
		return offer_bias(b, call);
	default:
		if (scale_target_of(call, true, &target))
			o.axes = target.data;
		return o;
	}
}

static void
collect_offers(struct backward *b, const struct ir_function *fn)
{
	scale_facts_find(&b->facts, fn);
	ir_use_counts(&fn->base, &b->uses);
	for (size_t i = 0; i < b->facts.order.len; i++) {
		const ir_expr *e = b->facts.order.at[i];
		struct offer o;
		struct offer *copy;

		if (e->kind != IR_CALL ||
		    (uintptr_t)ir_map_get(&b->uses, e) != 1)
			continue;
		o = make_offer(b, ir_as_call(e));
		if (o.axes.n == 0)
			continue;
		copy = ARENA_NEW(b->cx->scratch, struct offer);
		*copy = o;
		ir_map_put(&b->offers, e, copy);
	}
}

/* Multiplication CALL takes up the offer of one of its operands, if any. */
static void
take_offer(struct backward *b, const struct ir_call *call)
{
	struct opcall o = {b->cx->module, call->base.loc};

	for (uint32_t i = 2; i-- > 0;) {
		const ir_expr *value = call->args[1 - i];
		struct scale_axes axes = offer_of(b, value)->axes;
		const ir_expr *scale = call->args[i];

		if (!scale_is_operand(call, i, axes, &b->facts) ||
		    !pass_may_rewrite(b->cx))
			continue;
		scale = scale_flatten(&o, scale, value->type, scale->type,
				      axes);
		ir_map_put(&b->scales, value, scale);
		ir_map_put(&b->with, &call->base, value);
		pass_count(b->cx, "scales folded", 1);
		return;
	}
}

/* CALL with operand I times SCALE. */
static void
scale_operand(struct backward *b, const struct ir_call *call, uint32_t i,
	      const ir_expr *scale)
{
	struct opcall o = {b->cx->module, call->base.loc};
	const ir_expr *args[2] = {call->args[0], call->args[1]};

	args[i] = opcall_binary(&o, OP_multiply, args[i], scale);
	ir_map_put(&b->with, &call->base,
		   ir_new_call(b->cx->module, call->base.loc, call->callee,
			       args, 2, call->attrs));
}

/* CALL has to scale its result by the flat SCALE, as it offered. */
static void
apply_scale(struct backward *b, const struct ir_call *call,
	    const ir_expr *scale)
{
	struct opcall o = {b->cx->module, call->base.loc};
	const struct offer *offer = offer_of(b, &call->base);
	struct scale_target target;

	if (offer->side & LEFT)
		ir_map_put(&b->scales, call->args[0], scale);
	if (offer->side & RIGHT)
		ir_map_put(&b->scales, call->args[1], scale);
	if (offer->side == NEITHER) {
		(void)scale_target_of(call, true, &target);
		scale_operand(b, call, 1,
			      scale_at(&o, scale,
				       ir_as_tensor_type(call->args[1]->type),
				       target.weight));
	} else if (ir_is_call_of(&call->base, OP_nn_bias_add)) {
		scale_operand(b, call, 1, scale);
	} else if (call->nargs == 2 && offer->side != BOTH) {
		uint32_t i = offer->side == LEFT ? 0 : 1;

		scale_operand(b, call, 1 - i,
			      scale_at(&o, scale,
				       ir_as_tensor_type(call->args[i]->type),
				       offer->axes));
	}
}

static void
backward_free(struct backward *b)
{
	scale_facts_free(&b->facts);
	ir_map_free(&b->uses);
	ir_map_free(&b->offers);
	ir_map_free(&b->scales);
	ir_map_free(&b->with);
}

const struct ir_function *
pass_backward_fold_scale_axis(pass_ctx *cx, ir_def *def,
			      const struct ir_function *fn)
{
	struct backward b = {.cx = cx};
	const ir_expr *result;

	(void)def;
	collect_offers(&b, fn);
	for (size_t i = b.facts.order.len; i-- > 0;) {
		const ir_expr *e = b.facts.order.at[i];
		const ir_expr *scale = ir_map_get(&b.scales, e);

		if (scale)
			apply_scale(&b, ir_as_call(e), scale);
		else if (ir_is_call_of(e, OP_multiply))
			take_offer(&b, ir_as_call(e));
	}
	result = replace_nodes(cx->module, &fn->base, &b.with);
	backward_free(&b);
	return ir_as_function(result);
}
