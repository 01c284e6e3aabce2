/*
 * Table of the rules, what they share, and those that move integers about
 * without looking at them.
 */
#include "passes/quant/fq_rules.h"

#include <string.h>

static const struct {
	fq_rule_fn *rule;
	bool optional;
} rules[OP_COUNT] = {
	[OP_abs] = {fq_unary, false},
	[OP_add] = {fq_binary, false},
	[OP_broadcast_to] = {fq_keep, false},
	[OP_clip] = {fq_clip, false},
	[OP_concatenate] = {fq_concatenate, false},
	[OP_erf] = {fq_unary, false},
	[OP_exp] = {fq_unary, false},
	[OP_expand_dims] = {fq_keep, false},
	[OP_image_resize2d] = {fq_keep, false},
	[OP_log] = {fq_unary, false},
	[OP_max] = {fq_keep, false},
	[OP_maximum] = {fq_choose, false},
	[OP_mean] = {fq_mean, false},
	[OP_min] = {fq_keep, false},
	[OP_minimum] = {fq_choose, false},
	[OP_multiply] = {fq_binary, false},
	[OP_nn_adaptive_avg_pool1d] = {fq_mean_pool, false},
	[OP_nn_avg_pool2d] = {fq_avg_pool2d, false},
	[OP_nn_batch_flatten] = {fq_keep, false},
	[OP_nn_batch_matmul] = {fq_batch_matmul, false},
	[OP_nn_bias_add] = {fq_bias_add, false},
	[OP_nn_conv2d] = {fq_conv2d, false},
	[OP_nn_conv2d_transpose] = {fq_conv2d_transpose, false},
	[OP_nn_dense] = {fq_dense, false},
	[OP_nn_depth_to_space] = {fq_keep, false},
	[OP_nn_global_avg_pool2d] = {fq_mean_pool, false},
	[OP_nn_leaky_relu] = {fq_leaky_relu, false},
	[OP_nn_max_pool2d] = {fq_keep, false},
	[OP_nn_pad] = {fq_pad, false},
	[OP_nn_relu] = {fq_relu, false},
	[OP_nn_softmax] = {fq_softmax, true},
	[OP_qnn_quantize] = {fq_quantize, false},
	[OP_reshape] = {fq_keep, false},
	[OP_rsqrt] = {fq_unary, false},
	[OP_sigmoid] = {fq_unary, false},
	[OP_split] = {fq_split, false},
	[OP_sqrt] = {fq_unary, false},
	[OP_squeeze] = {fq_keep, false},
	[OP_strided_slice] = {fq_keep, false},
	[OP_subtract] = {fq_binary, false},
	[OP_take] = {fq_take, false},
	[OP_tanh] = {fq_unary, false},
	[OP_topk] = {fq_topk, false},
	[OP_transpose] = {fq_keep, false},
};

fq_rule_fn *
fq_rule(enum op_id op, bool *optional)
{
	if (op >= OP_COUNT)
		return NULL;
	*optional = rules[op].optional;
	return rules[op].rule;
}

const struct affine *
fq_type(const struct fq_site *s, uint32_t i)
{
	const struct fq_value *v = s->args[i];

	return v->n == 1 && !v->tuple ? v->types : NULL;
}

bool
fq_result(const struct fq_site *s, struct fq_value *out, const ir_expr *e,
	  const struct affine *t)
{
	struct affine *copy = ARENA_NEW(s->cx->scratch, struct affine);

	*copy = *t;
	*out = (struct fq_value){e, 1, copy, false, false};
	return true;
}

const ir_expr *
fq_same_call(const struct fq_site *s)
{
	const struct ir_call *c = s->call;
	const ir_expr **args =
		ARENA_NEW_ARRAY(s->cx->scratch, c->nargs, const ir_expr *);

	for (uint32_t i = 0; i < c->nargs; i++)
		args[i] = s->args[i]->e;
	return ir_new_call(s->b.m, s->b.loc, c->callee, args, c->nargs,
			   c->attrs);
}

static int64_t
normal(int64_t axis, uint32_t rank)
{
	return axis < 0 ? axis + rank : axis;
}

/* Position of VALUE among the axes in A, or -1. */
static int64_t
find_axis(const ir_attr *a, int64_t value, uint32_t rank)
{
	for (uint32_t i = 0; i < a->n; i++)
		if (normal(ir_attr_elem_int(a, i), rank) == value)
			return i;
	return -1;
}

static bool
map_transpose(const ir_attrs *attrs, uint32_t rank, int64_t *axis)
{
	const ir_attr *axes = ir_attrs_get(attrs, "axes");

	if (axes->kind != ATTR_ARRAY || axes->n == 0)
		*axis = rank - 1 - *axis;
	else
		*axis = find_axis(axes, *axis, rank);
	return *axis >= 0;
}

static bool
map_expand_dims(const ir_attrs *attrs, uint32_t rank, int64_t *axis)
{
	int64_t at = ir_attrs_int(attrs, "axis", 0);

	if (at < 0)
		at += rank + 1;
	if (*axis >= at)
		*axis += ir_attrs_int(attrs, "num_newaxis", 1);
	return true;
}

static bool
map_squeeze(const ir_attrs *attrs, const struct ir_tensor_type *t,
	    int64_t *axis)
{
	const ir_attr *axes = ir_attrs_get(attrs, "axis");
	int64_t gone = 0;

	for (uint32_t i = 0; i <= *axis && i < t->ndim; i++) {
		bool out = axes->kind == ATTR_ARRAY
				   ? find_axis(axes, i, t->ndim) >= 0
				   : ir_dim_is_const(t->shape[i]) &&
					     t->shape[i].value == 1;

		if (out && i == *axis)
			return false;
		gone += out;
	}
	*axis -= gone;
	return true;
}

/* The letter of AXIS in a layout of single letters. */
static bool
is_channel(const ir_attrs *attrs, int64_t axis)
{
	const char *layout = ir_attrs_string(attrs, "layout");

	return (size_t)axis < strlen(layout) &&
	       (layout[axis] == 'C' || layout[axis] == 'N');
}

bool
fq_map_axis(const struct fq_site *s, int64_t *axis)
{
	const struct affine *t = fq_type(s, 0);
	const ir_attrs *attrs = s->call->attrs;
	const ir_attr *axes;
	uint32_t rank;
	int64_t at;

	*axis = t->axis;
	if (!affine_per_channel(t))
		return true;
	if (!affine_rank(s->call->args[0], &rank))
		return false;
	at = normal(t->axis, rank);
	switch (ir_called_op(&s->call->base)->id) {
	case OP_transpose:
		*axis = at;
		return map_transpose(attrs, rank, axis);
	case OP_expand_dims:
		*axis = at;
		return map_expand_dims(attrs, rank, axis);
	case OP_squeeze:
		*axis = at;
		return map_squeeze(
			attrs, ir_as_tensor_type(s->call->args[0]->type), axis);
	case OP_strided_slice:
		axes = ir_attrs_get(attrs, "axes");
		return axes->kind == ATTR_ARRAY &&
		       find_axis(axes, at, rank) < 0;
	case OP_nn_max_pool2d:
	case OP_image_resize2d:
		return is_channel(attrs, at);
	case OP_topk:
	case OP_split:
		return normal(ir_attrs_int(attrs, "axis", 0), rank) != at;
	default:
		return false;
	}
}

/* The operator gives the same on integers: it moves them, or compares. */
bool
fq_keep(const struct fq_site *s, struct fq_value *out)
{
	const struct affine *t = fq_type(s, 0);
	struct affine moved;

	if (!t || s->call->nargs != 1)
		return false;
	moved = *t;
	return fq_map_axis(s, &moved.axis) &&
	       fq_result(s, out, fq_same_call(s), &moved);
}

bool
fq_take(const struct fq_site *s, struct fq_value *out)
{
	const struct affine *t = fq_type(s, 0);

	return t && s->args[1]->n == 0 && !affine_per_channel(t) &&
	       fq_result(s, out, fq_same_call(s), t);
}

bool
fq_topk(const struct fq_site *s, struct fq_value *out)
{
	const char *what = ir_attrs_string(s->call->attrs, "ret_type");

	return strcmp(what, "values") == 0 && fq_keep(s, out);
}

bool
fq_split(const struct fq_site *s, struct fq_value *out)
{
	const ir_type *type = s->call->base.type;
	struct affine moved;
	struct affine *types;
	uint32_t n;

	if (!fq_type(s, 0) || type->kind != TYPE_TUPLE)
		return false;
	moved = *fq_type(s, 0);
	if (!fq_map_axis(s, &moved.axis))
		return false;
	n = ir_as_tuple_type(type)->nfields;
	types = ARENA_NEW_ARRAY(s->cx->scratch, n, struct affine);
	for (uint32_t i = 0; i < n; i++)
		types[i] = moved;
	*out = (struct fq_value){fq_same_call(s), n, types, true, false};
	return true;
}

/* The end of a region, or a quantize within one. */
bool
fq_quantize(const struct fq_site *s, struct fq_value *out)
{
	const struct affine *t = fq_type(s, 0);
	const ir_attrs *attrs = s->call->attrs;
	struct affine want = {
		.scale = s->args[1]->e,
		.zero = s->args[2]->e,
		.dtype = ir_attrs_dtype(attrs, "out_dtype"),
		.axis = ir_attrs_int(attrs, "axis", -1),
	};

	if (!t)
		return false;
	if (affine_same(t, &want))
		return fq_result(s, out, s->args[0]->e, &want);
	return fq_result(
		s, out,
		affine_requantize(&s->b, s->args[0]->e, t, &want, want.dtype),
		&want);
}
