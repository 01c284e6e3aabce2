/*
 * combine-parallel-op-batch: calls of OP-NAME by one call of BATCH-OP-NAME.
 *
 *     (transpose(%a), transpose(%b))    becomes, for two operators
 *     %0 = split(BATCH(stack((%a, ..)), ..), 2);
 *     (squeeze(%0.0, axis=[0]), squeeze(%0.1, axis=[0]))
 *
 * The calls share their first argument, and all arguments have equal types.
 *
 * Level: function. Needs: types.
 */
#include <string.h>

#include "passes/combine/batch.h"

/* Axes that argument I lacks where the operator lines them up at the end. */
static uint32_t
missing_axes(const struct ir_call *call, uint32_t i)
{
	uint32_t rank = combine_tensor(call->args[i])->ndim;
	uint32_t most = rank;

	if (ir_called_op(&call->base)->pattern > PAT_BROADCAST)
		return 0;
	for (uint32_t k = 0; k < call->nargs; k++)
		if (combine_tensor(call->args[k])->ndim > most)
			most = combine_tensor(call->args[k])->ndim;
	return most - rank;
}

const ir_expr *
batch_stack(struct combine *c, const struct branch_group *g, uint32_t i)
{
	const ir_expr **xs = xcalloc(g->n, sizeof(const ir_expr *));
	uint32_t missing = missing_axes(g->at[0].at[0], i);
	const ir_expr *e;

	for (uint32_t k = 0; k < g->n; k++)
		xs[k] = opcall_expand_dims(&c->b, g->at[k].at[0]->args[i], 0,
					   missing);
	e = opcall_join(&c->b, OP_stack, xs, g->n, 0);
	free(xs);
	return e;
}

bool
batch_arg_fits(const struct combine *c, const struct ir_call *a,
	       const struct ir_call *b, uint32_t i)
{
	(void)c;
	return combine_same_shape(combine_tensor(a->args[i]),
				  combine_tensor(b->args[i]), -1);
}

/*
 * Operands of a lower rank get the missing axes before they are stacked, so
 * that the new axis lines up with that of the chained operand.
 */
const ir_expr *
batch_join_args(struct combine *c, const struct branch_group *g, uint32_t depth,
		uint32_t parent, uint32_t i)
{
	const struct ir_call *call = g->at[0].at[depth];
	const ir_expr **xs = xcalloc(g->n, sizeof(const ir_expr *));
	uint32_t rank = combine_tensor(call->args[parent])->ndim;
	uint32_t arg_rank = combine_tensor(call->args[i])->ndim;
	const ir_expr *e;

	for (uint32_t k = 0; k < g->n; k++)
		xs[k] = opcall_expand_dims(&c->b, g->at[k].at[depth]->args[i],
					   0, (int64_t)rank - arg_rank);
	e = opcall_join(&c->b, OP_stack, xs, g->n, 0);
	free(xs);
	return e;
}

/* One more axis in front means the same to operators without attributes. */
bool
batch_follows(const struct combine *c, const struct branch_group *g,
	      uint32_t depth)
{
	const struct ir_call *call = g->at[0].at[depth];
	uint32_t rank = combine_tensor(&g->at[0].at[depth - 1]->base)->ndim;

	(void)c;
	if (call->attrs && ir_attrs_get(call->attrs, "axis"))
		return false;
	for (uint32_t i = 0; i < call->nargs; i++)
		if (combine_tensor(call->args[i])->ndim > rank)
			return false;
	return combine_tensor(&call->base)->ndim == rank;
}

void
batch_cut(struct combine *c, const struct branch_group *g, uint32_t depth,
	  const ir_expr *all, const ir_expr **parts)
{
	const ir_expr *split = opcall_split(&c->b, all, g->n, 0);

	(void)depth;
	for (uint32_t k = 0; k < g->n; k++)
		parts[k] = opcall_squeeze(
			&c->b, ir_new_proj(c->b.m, c->b.loc, split, k), 0);
}

static bool
fits(const struct combine *c, const struct ir_call *a, const struct ir_call *b)
{
	if (a->nargs != b->nargs || a->attrs != b->attrs)
		return false;
	for (uint32_t i = 0; i < a->nargs; i++)
		if (!batch_arg_fits(c, a, b, i))
			return false;
	return true;
}

/*
 * Attributes of OP by default, but switches and dtypes as the calls have them:
 * whether operands are transposed, what a sum is made in.
 */
static const ir_attrs *
batch_attrs(struct combine *c, const ir_op *op, const ir_attrs *given)
{
	const ir_attrs *base = ir_attrs_defaults(c->b.m->cx, op->attrs);
	ir_attr *values = ARENA_NEW_ARRAY(c->cx->scratch, base->n, ir_attr);

	for (uint32_t i = 0; i < base->n; i++) {
		const ir_attr *v = NULL;

		if (given)
			v = ir_attrs_get(given, base->schema->fields[i].name);
		values[i] = v && v->kind == base->value[i].kind &&
					    (v->kind == ATTR_BOOL ||
					     v->kind == ATTR_DTYPE)
				    ? *v
				    : base->value[i];
	}
	return ir_attrs_new(c->b.m->cx, base->schema, values);
}

static const ir_expr *
join(struct combine *c, const struct branch_group *g)
{
	uint32_t n = g->at[0].at[0]->nargs;
	const ir_op *op = ir_op_info(c->batch_op);
	const ir_expr **args = xcalloc(n, sizeof(const ir_expr *));
	const ir_expr *e;

	for (uint32_t i = 0; i < n; i++)
		args[i] = batch_stack(c, g, i);
	e = ir_new_op_call(c->b.m, c->b.loc, c->batch_op, args, n,
			   op->attrs ? batch_attrs(c, op, g->at[0].at[0]->attrs)
				     : NULL);
	free(args);
	return e;
}

static const struct combine_kind kind = {
	NULL,          fits,      join, batch_arg_fits, batch_join_args,
	batch_follows, batch_cut,
};

/* The operator that option NAME names; NULL after reporting. */
static const ir_op *
option_op(pass_ctx *cx, const struct ir_function *fn, const char *name)
{
	const char *text = pass_option(cx, name);
	const ir_op *op = ir_op_find(text, strlen(text));

	if (!op)
		pass_error(cx, fn->base.loc, "option '%s': %s '%s'", name,
			   *text ? "no operator is called"
				 : "needs a name, not",
			   text);
	return op;
}

const struct ir_function *
pass_combine_parallel_op_batch(pass_ctx *cx, ir_def *def,
			       const struct ir_function *fn)
{
	struct combine c = {.cx = cx, .kind = &kind};
	const ir_op *op = option_op(cx, fn, "op-name");
	const ir_op *batch = op ? option_op(cx, fn, "batch-op-name") : NULL;

	(void)def;
	if (!op || !batch)
		return fn;
	if (op->ninputs != batch->ninputs) {
		pass_error(cx, fn->base.loc,
			   "'%s' and '%s' take different numbers of arguments",
			   op->name, batch->name);
		return fn;
	}
	c.op = op->id;
	c.batch_op = batch->id;
	return combine_parallel(&c, fn);
}
