/*
 * combine-parallel-dense: dense layers of one input by one call.
 *
 * With to-batch, layers of equal size are stacked into nn.batch_matmul and
 * split again. Without, weights are concatenated and the wide result is cut
 * along the axis that holds the units:
 *
 *     (nn.dense(%x, %a, units=3), nn.dense(%x, %b, units=5))
 *                        becomes
 *     %0 = nn.dense(%x, concatenate((%a, %b)), units=8);
 *     (strided_slice(%0, ...), strided_slice(%0, ...))
 *
 * Level: function. Needs: types.
 */
#include "passes/combine/batch.h"

static bool
same_out_dtype(const struct ir_call *a, const struct ir_call *b)
{
	return dtype_equal(ir_attrs_dtype(a->attrs, "out_dtype"),
			   ir_attrs_dtype(b->attrs, "out_dtype"));
}

static bool
batch_fits(const struct combine *c, const struct ir_call *a,
	   const struct ir_call *b)
{
	return same_out_dtype(a, b) && batch_arg_fits(c, a, b, 1);
}

/* batch_matmul wants matrices. */
static bool
batch_supported(const struct combine *c, const struct ir_call *call)
{
	(void)c;
	return combine_tensor(call->args[0])->ndim == 2;
}

static const ir_expr *
batch_join(struct combine *c, const struct branch_group *g)
{
	const ir_expr *args[] = {batch_stack(c, g, 0), batch_stack(c, g, 1)};
	ir_context *cx = c->b.m->cx;
	const ir_attrs *a =
		ir_attrs_defaults(cx, attrs_schema(ATTRS_BatchMatmul));

	a = ir_attrs_with(cx, a, "out_dtype",
			  *ir_attrs_get(g->at[0].at[0]->attrs, "out_dtype"));
	a = ir_attrs_with(cx, a, "transpose_b", ATTR_BOOLEAN(true));
	return ir_new_op_call(c->b.m, c->b.loc, OP_nn_batch_matmul, args, 2, a);
}

static const struct combine_kind batch_kind = {
	batch_supported, batch_fits,    batch_join, batch_arg_fits,
	batch_join_args, batch_follows, batch_cut,
};

static bool
flat_fits(const struct combine *c, const struct ir_call *a,
	  const struct ir_call *b)
{
	(void)c;
	return same_out_dtype(a, b) &&
	       combine_same_shape(combine_tensor(a->args[1]),
				  combine_tensor(b->args[1]), 0);
}

static int64_t
units_of(const struct ir_call *dense)
{
	return combine_tensor(dense->args[1])->shape[0].value;
}

static const ir_expr *
flat_join(struct combine *c, const struct branch_group *g)
{
	const struct ir_call *first = g->at[0].at[0];
	const ir_expr **w = xcalloc(g->n, sizeof(const ir_expr *));
	ir_context *cx = c->b.m->cx;
	int64_t units = 0;
	const ir_expr *args[2];
	const ir_attrs *a;

	for (uint32_t k = 0; k < g->n; k++) {
		w[k] = g->at[k].at[0]->args[1];
		units += units_of(g->at[k].at[0]);
	}
	args[0] = first->args[0];
	args[1] = opcall_join(&c->b, OP_concatenate, w, g->n, 0);
	a = ir_attrs_with(cx, first->attrs, "units", ATTR_INT32(units));
	free(w);
	return ir_new_op_call(c->b.m, c->b.loc, OP_nn_dense, args, 2, a);
}

/* Equal up to the last axis, which is the units' or 1. */
static bool
flat_arg_fits(const struct combine *c, const struct ir_call *a,
	      const struct ir_call *b, uint32_t i)
{
	const struct ir_tensor_type *ta = combine_tensor(a->args[i]);

	(void)c;
	return ta->ndim <= combine_tensor(&a->base)->ndim &&
	       combine_same_shape(ta, combine_tensor(b->args[i]),
				  (int64_t)ta->ndim - 1);
}

/* The axis of the units after the followers up to DEPTH; -1 if lost. */
static int
unit_axis(const struct branch *b, uint32_t depth)
{
	const struct ir_tensor_type *t = combine_tensor(&b->at[0]->base);
	int axis = (int)t->ndim - 1;

	for (uint32_t d = 1; d <= depth; d++) {
		const struct ir_call *call = b->at[d];
		const struct ir_tensor_type *now = combine_tensor(&call->base);

		if (ir_is_call_of(&call->base, OP_expand_dims)) {
			int64_t at = ir_attrs_int(call->attrs, "axis", 0);
			int64_t n = ir_attrs_int(call->attrs, "num_newaxis", 1);

			if (at < 0)
				at += t->ndim + 1;
			axis += at <= axis ? (int)n : 0;
		} else {
			int was = axis;

			axis += (int)now->ndim - (int)t->ndim;
			if (axis < 0 ||
			    now->shape[axis].value != t->shape[was].value)
				return -1;
		}
		t = now;
	}
	return axis;
}

/* CALL speaks of no axis, or of AXIS; expand_dims has been dealt with. */
static bool
names_axis(const struct ir_call *call, int axis)
{
	int64_t at;

	if (ir_is_call_of(&call->base, OP_expand_dims) ||
	    !ir_attrs_get(call->attrs, "axis"))
		return true;
	at = ir_attrs_int(call->attrs, "axis", -1);
	if (at < 0)
		at += combine_tensor(&call->base)->ndim;
	return at == axis;
}

/*
 * Operands other than the chained one are concatenated along their last axis,
 * which must be that of the units.
 */
static bool
flat_follows(const struct combine *c, const struct branch_group *g,
	     uint32_t depth)
{
	const struct ir_call *call = g->at[0].at[depth];

	(void)c;
	for (uint32_t k = 0; k < g->n; k++) {
		int axis = unit_axis(&g->at[k], depth);

		if (axis < 0 || !names_axis(call, axis) ||
		    (call->nargs > 1 &&
		     axis + 1 != (int)combine_tensor(&call->base)->ndim))
			return false;
	}
	return true;
}

/* X with a last axis as long as the units it goes with. */
static const ir_expr *
widen(struct combine *c, const ir_expr *x, int64_t units)
{
	const struct ir_tensor_type *t = combine_tensor(x);
	ir_context *cx = c->b.m->cx;
	uint32_t last = t->ndim ? t->ndim - 1 : 0;
	const ir_attrs *a;

	if (t->ndim > 0 && (t->shape[last].value != 1 || units == 1))
		return x;
	if (t->ndim == 0)
		x = opcall_expand_dims(&c->b, x, -1, 1);
	a = ir_attrs_defaults(cx, attrs_schema(ATTRS_Repeat));
	a = ir_attrs_with(cx, a, "repeats", ATTR_INT32(units));
	a = ir_attrs_with(cx, a, "axis", ATTR_INT32(last));
	return ir_new_op_call(c->b.m, c->b.loc, OP_repeat, &x, 1, a);
}

static const ir_expr *
flat_join_args(struct combine *c, const struct branch_group *g, uint32_t depth,
	       uint32_t parent, uint32_t i)
{
	const struct ir_tensor_type *t =
		combine_tensor(g->at[0].at[depth]->args[i]);
	const ir_expr **xs = xcalloc(g->n, sizeof(const ir_expr *));
	const ir_expr *e;

	(void)parent;
	for (uint32_t k = 0; k < g->n; k++)
		xs[k] = widen(c, g->at[k].at[depth]->args[i],
			      units_of(g->at[k].at[0]));
	e = opcall_join(&c->b, OP_concatenate, xs, g->n,
			t->ndim ? t->ndim - 1 : 0);
	free(xs);
	return e;
}

static void
flat_cut(struct combine *c, const struct branch_group *g, uint32_t depth,
	 const ir_expr *all, const ir_expr **parts)
{
	uint32_t n = combine_tensor(&g->at[0].at[depth]->base)->ndim;
	int axis = unit_axis(&g->at[0], depth);
	int64_t *begin = xcalloc(n, sizeof(*begin));
	int64_t *size = xcalloc(n, sizeof(*size));

	for (uint32_t i = 0; i < n; i++)
		size[i] = -1;
	for (uint32_t k = 0; k < g->n; k++) {
		size[axis] = units_of(g->at[k].at[0]);
		parts[k] = opcall_slice(&c->b, all, begin, size, n);
		begin[axis] += size[axis];
	}
	free(begin);
	free(size);
}

static const struct combine_kind flat_kind = {
	NULL,           flat_fits,    flat_join, flat_arg_fits,
	flat_join_args, flat_follows, flat_cut,
};

const struct ir_function *
pass_combine_parallel_dense(pass_ctx *cx, ir_def *def,
			    const struct ir_function *fn)
{
	struct combine c = {.cx = cx, .op = OP_nn_dense};

	(void)def;
	c.kind = pass_option_bool(cx, "to-batch") ? &batch_kind : &flat_kind;
	return combine_parallel(&c, fn);
}
