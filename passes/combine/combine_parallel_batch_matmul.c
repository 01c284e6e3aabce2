/*
 * combine-parallel-batch-matmul: products of one left operand by one product.
 *
 *     (nn.batch_matmul(%x, %a), nn.batch_matmul(%x, %b))
 *                        becomes
 *     %0 = nn.batch_matmul(%x, concatenate((%a, %b), axis=1));
 *     (strided_slice(%0, ...), strided_slice(%0, ...))
 *
 * Right operands are transposed, which makes axis 1 the columns of the result.
 *
 * Level: function. Needs: types.
 */
#include "passes/combine/combine.h"

static bool
supported(const struct combine *c, const struct ir_call *call)
{
	(void)c;
	return !ir_attrs_bool(call->attrs, "transpose_a") &&
	       ir_attrs_bool(call->attrs, "transpose_b");
}

static bool
fits(const struct combine *c, const struct ir_call *a, const struct ir_call *b)
{
	(void)c;
	return a->attrs == b->attrs &&
	       combine_same_shape(combine_tensor(a->args[1]),
				  combine_tensor(b->args[1]), 1);
}

static const ir_expr *
join(struct combine *c, const struct branch_group *g)
{
	const struct ir_call *first = g->at[0].at[0];
	const ir_expr **xs = xcalloc(g->n, sizeof(const ir_expr *));
	const ir_expr *args[2] = {first->args[0], NULL};

	for (uint32_t k = 0; k < g->n; k++)
		xs[k] = g->at[k].at[0]->args[1];
	args[1] = opcall_join(&c->b, OP_concatenate, xs, g->n, 1);
	free(xs);
	return ir_new_op_call(c->b.m, c->b.loc, OP_nn_batch_matmul, args, 2,
			      first->attrs);
}

/* The last axis of an operand is that of the columns, and not broadcast. */
static bool
has_columns(const struct ir_call *call, uint32_t i)
{
	const struct ir_tensor_type *t = combine_tensor(call->args[i]);
	const struct ir_tensor_type *out = combine_tensor(&call->base);

	return t->ndim > 0 && t->ndim <= 3 && out->ndim == 3 &&
	       t->shape[t->ndim - 1].value == out->shape[2].value;
}

static bool
arg_fits(const struct combine *c, const struct ir_call *a,
	 const struct ir_call *b, uint32_t i)
{
	const struct ir_tensor_type *t = combine_tensor(a->args[i]);

	(void)c;
	return has_columns(a, i) && has_columns(b, i) &&
	       combine_same_shape(t, combine_tensor(b->args[i]),
				  (int64_t)t->ndim - 1);
}

static int64_t
columns(const struct ir_call *call)
{
	return combine_tensor(call->args[1])->shape[1].value;
}

static bool
follows(const struct combine *c, const struct branch_group *g, uint32_t depth)
{
	(void)c;
	for (uint32_t k = 0; k < g->n; k++) {
		const struct ir_tensor_type *t =
			combine_tensor(&g->at[k].at[depth]->base);

		if (t->ndim != 3 ||
		    t->shape[2].value != columns(g->at[k].at[0]))
			return false;
	}
	return true;
}

static const ir_expr *
join_args(struct combine *c, const struct branch_group *g, uint32_t depth,
	  uint32_t parent, uint32_t i)
{
	const ir_expr **xs = xcalloc(g->n, sizeof(const ir_expr *));
	const ir_expr *e;

	(void)parent;
	for (uint32_t k = 0; k < g->n; k++)
		xs[k] = g->at[k].at[depth]->args[i];
	e = opcall_join(&c->b, OP_concatenate, xs, g->n, -1);
	free(xs);
	return e;
}

static void
cut(struct combine *c, const struct branch_group *g, uint32_t depth,
    const ir_expr *all, const ir_expr **parts)
{
	int64_t begin[3] = {0, 0, 0};
	int64_t size[3] = {-1, -1, 0};

	(void)depth;
	for (uint32_t k = 0; k < g->n; k++) {
		size[2] = columns(g->at[k].at[0]);
		parts[k] = opcall_slice(&c->b, all, begin, size, 3);
		begin[2] += size[2];
	}
}

static const struct combine_kind kind = {
	supported, fits, join, arg_fits, join_args, follows, cut,
};

const struct ir_function *
pass_combine_parallel_batch_matmul(pass_ctx *cx, ir_def *def,
				   const struct ir_function *fn)
{
	struct combine c = {.cx = cx, .kind = &kind, .op = OP_nn_batch_matmul};

	(void)def;
	return combine_parallel(&c, fn);
}
