/*
 * forward-fold-scale-axis: move a scale of channels into the weights that
 * read them.
 *
 *     nn.conv2d(nn.relu(%x * s) + %b, %w)
 *                        becomes
 *     nn.conv2d(nn.relu(%x) + %b / s, %w * s)
 *
 * Convolutions and dense layers ask for a scale of their input channels; the
 * wish goes up through sums with a bias and through relu, which needs a
 * positive scale, and meets with those of other users. A multiplication that
 * gets a wish is taken away if its other operand lies on the axes wished for.
 * Nothing is divided by a scale that is not known to be other than zero.
 *
 * Level: function. Needs: types.
 */
#include "passes/scale/scale.h"

/* VALUE times a flat SCALE along AXES is what the node was. */
struct scaled {
	const ir_expr *value;
	const ir_expr *scale;
	struct scale_axes axes;
};

struct forward {
	pass_ctx *cx;
	struct scale_facts facts;
	struct ir_map index;     /* in the order, + 1 */
	struct scale_axes *wish; /* by index */
	bool *asked;             /* the wish is that of a user */
	struct ir_map done;      /* new nodes */
	struct ir_map scaled;    /* struct scaled */
};

static size_t
index_of(const struct forward *f, const ir_expr *e)
{
	return (size_t)(uintptr_t)ir_map_get(&f->index, e) - 1;
}

static void
ask(struct forward *f, const ir_expr *e, struct scale_axes wish)
{
	size_t i = index_of(f, e);

	f->wish[i] = f->asked[i] ? scale_axes_meet(f->wish[i], wish) : wish;
	f->asked[i] = true;
}

static bool
is_relu(const ir_expr *e)
{
	return ir_is_call_of(e, OP_nn_relu) ||
	       ir_is_call_of(e, OP_nn_leaky_relu);
}

static bool
is_sum(const ir_expr *e)
{
	return ir_is_call_of(e, OP_add) || ir_is_call_of(e, OP_subtract);
}

/* The operand of a sum that the wish goes to, -1 if none. */
static int
sum_operand(const struct ir_call *call, struct scale_axes wish)
{
	for (int i = 0; i < 2; i++)
		if (scale_matches(call->args[i]->type, call->args[1 - i]->type,
				  wish, NULL, NULL))
			return i;
	return -1;
}

/* Tell the operands of E what it wishes of them. */
static void
ask_operands(struct forward *f, const ir_expr *e, struct scale_axes wish)
{
	struct scale_axes in[2] = {{0}, {0}};
	const struct ir_call *call = e->kind == IR_CALL ? ir_as_call(e) : NULL;
	struct scale_target target;

	if (!call) {
		for (uint32_t i = 0; i < ir_num_operands(e); i++)
			ask(f, ir_operand(e, i), in[0]);
		return;
	}
	if (is_relu(e)) {
		in[0] = wish;
		in[0].positive = true;
	} else if (is_sum(e)) {
		int i = sum_operand(call, wish);

		if (i >= 0) {
			in[i] = wish;
			in[i].nonzero = true;
		}
	} else if (scale_target_of(call, false, &target)) {
		in[0] = target.data;
	}
	for (uint32_t i = 0; i < call->nargs; i++)
		ask(f, call->args[i], i < 2 ? in[i] : (struct scale_axes){0});
}

static void
collect_wishes(struct forward *f, const struct ir_function *fn)
{
	scale_facts_find(&f->facts, fn);
	f->wish = xcalloc(f->facts.order.len, sizeof(*f->wish));
	f->asked = xcalloc(f->facts.order.len, sizeof(*f->asked));
	for (size_t i = 0; i < f->facts.order.len; i++)
		ir_map_put(&f->index, f->facts.order.at[i],
			   (void *)(uintptr_t)(i + 1));
	for (size_t i = f->facts.order.len; i-- > 0;)
		if (!ir_is_primitive(f->facts.order.at[i]))
			ask_operands(f, f->facts.order.at[i], f->wish[i]);
}

static const ir_expr *
new_of(const struct forward *f, const ir_expr *e)
{
	return ir_map_get(&f->done, e);
}

static const ir_expr *
rebuild(struct forward *f, const ir_expr *e)
{
	uint32_t n = ir_is_primitive(e) ? 0 : ir_num_operands(e);
	const ir_expr **operands;
	const ir_expr *new;

	if (n == 0)
		return e;
	operands = xcalloc(n, sizeof(const ir_expr *));
	for (uint32_t i = 0; i < n; i++)
		operands[i] = new_of(f, ir_operand(e, i));
	new = ir_with_operands(f->cx->module, e, operands, true);
	free(operands);
	return new;
}

/* E becomes VALUE, still to be scaled as S says. */
static void
leave_scaled(struct forward *f, const ir_expr *e, const ir_expr *value,
	     const ir_expr *scale, struct scale_axes axes)
{
	struct scaled *s = ARENA_NEW(f->cx->scratch, struct scaled);

	*s = (struct scaled){value, scale, axes};
	ir_map_put(&f->scaled, e, s);
}

static const ir_expr *
call_with(struct forward *f, const struct ir_call *call, const ir_expr *a,
	  const ir_expr *b)
{
	const ir_expr *args[] = {a, b};

	return ir_new_call(f->cx->module, call->base.loc, call->callee, args,
			   call->nargs, call->attrs);
}

static bool
take_scale(struct forward *f, const struct ir_call *call,
	   struct scale_axes wish)
{
	struct opcall b = {f->cx->module, call->base.loc};
	const ir_expr *scale;
	const ir_expr *value;
	uint32_t i = 1;

	if (!scale_is_operand(call, i, wish, &f->facts)) {
		i = 0;
		if (!scale_is_operand(call, i, wish, &f->facts))
			return false;
	}
	if (!pass_may_rewrite(f->cx))
		return false;
	value = call->args[1 - i];
	scale = scale_flatten(&b, new_of(f, call->args[i]), value->type,
			      call->args[i]->type, wish);
	leave_scaled(f, &call->base, new_of(f, value), scale, wish);
	return true;
}

static void
pass_sum(struct forward *f, const struct ir_call *call, int i,
	 const struct scaled *s)
{
	struct opcall b = {f->cx->module, call->base.loc};
	const ir_expr *at = scale_at(
		&b, s->scale, ir_as_tensor_type(call->args[i]->type), s->axes);
	const ir_expr *other =
		opcall_binary(&b, OP_divide, new_of(f, call->args[1 - i]), at);
	const ir_expr *value = i == 0 ? call_with(f, call, s->value, other)
				      : call_with(f, call, other, s->value);

	leave_scaled(f, &call->base, value, s->scale, s->axes);
}

static const ir_expr *
scale_weight(struct forward *f, const struct ir_call *call,
	     const struct scaled *s)
{
	struct opcall b = {f->cx->module, call->base.loc};
	struct scale_target target;
	const ir_expr *at;
	const ir_expr *weight;

	(void)scale_target_of(call, false, &target);
	at = scale_at(&b, s->scale, ir_as_tensor_type(call->args[1]->type),
		      target.weight);
	weight = opcall_binary(&b, OP_multiply, new_of(f, call->args[1]), at);
	pass_count(f->cx, "scales folded", 1);
	return call_with(f, call, s->value, weight);
}

/* What becomes of E; its operands are done. */
static void
transform(struct forward *f, const ir_expr *e, struct scale_axes wish)
{
	const struct ir_call *call = e->kind == IR_CALL ? ir_as_call(e) : NULL;
	const struct scaled *s = NULL;
	uint32_t i = 0;

	for (uint32_t k = 0; call && k < call->nargs && !s; k++)
		if ((s = ir_map_get(&f->scaled, call->args[k])) != NULL)
			i = k;
	if (!s) {
		if (!ir_is_call_of(e, OP_multiply) ||
		    !take_scale(f, call, wish))
			ir_map_put(&f->done, e, rebuild(f, e));
	} else if (is_relu(e)) {
		leave_scaled(f, e, call_with(f, call, s->value, NULL), s->scale,
			     s->axes);
	} else if (is_sum(e)) {
		pass_sum(f, call, (int)i, s);
	} else {
		ir_map_put(&f->done, e, scale_weight(f, call, s));
	}
}

static void
forward_free(struct forward *f)
{
	scale_facts_free(&f->facts);
	ir_map_free(&f->index);
	ir_map_free(&f->done);
	ir_map_free(&f->scaled);
	free(f->wish);
	free(f->asked);
}

const struct ir_function *
pass_forward_fold_scale_axis(pass_ctx *cx, ir_def *def,
			     const struct ir_function *fn)
{
	struct forward f = {.cx = cx};
	const ir_expr *result;

	(void)def;
	collect_wishes(&f, fn);
	for (size_t i = 0; i < f.facts.order.len; i++)
		transform(&f, f.facts.order.at[i], f.wish[i]);
	result = new_of(&f, &fn->base);
	forward_free(&f);
	return ir_as_function(result);
}
