#include "te/interp_static.h"

#include "ir/tensor.h"

enum { MAX_VALUES = 64 };

/* The elements of constant argument I; -1: it is none, or has too many. */
static int
values_of(const struct ir_call *c, uint32_t i, int64_t *out)
{
	const ir_tensor *t;
	int64_t n;

	if (i >= c->nargs || c->args[i]->kind != IR_CONSTANT)
		return -1;
	t = ir_as_constant(c->args[i])->data;
	n = t ? ir_tensor_size(t) : -1;
	if (n < 0 || n > MAX_VALUES)
		return -1;
	for (int64_t k = 0; k < n; k++)
		out[k] = ir_tensor_get_int(t, k);
	return (int)n;
}

/* Set field NAME of *A to the integers of argument I. */
static bool
set_ints(ir_module *m, const struct ir_call *c, uint32_t i, const char *name,
	 const ir_attrs **a)
{
	int64_t v[MAX_VALUES];
	int n = values_of(c, i, v);

	if (n < 0)
		return false;
	*a = ir_attrs_with(m->cx, *a, name,
			   ir_attr_int_array(m->cx, v, (uint32_t)n, 32));
	return true;
}

/* The same for a field that holds one integer. */
static bool
set_int(ir_module *m, const struct ir_call *c, uint32_t i, const char *name,
	const ir_attrs **a)
{
	int64_t v[MAX_VALUES];

	if (values_of(c, i, v) != 1)
		return false;
	*a = ir_attrs_with(m->cx, *a, name, ATTR_INT32(v[0]));
	return true;
}

/* Floating-point numbers: one, or a list. */
static bool
set_floats(ir_module *m, const struct ir_call *c, uint32_t i, const char *name,
	   bool list, const ir_attrs **a)
{
	ir_attr v[MAX_VALUES];
	int64_t ints[MAX_VALUES];
	int n = values_of(c, i, ints);

	if (n < 0 || (!list && n != 1))
		return false;
	for (int k = 0; k < n; k++)
		v[k] = ATTR_DOUBLE(ir_tensor_get_double(
			ir_as_constant(c->args[i])->data, k));
	*a = ir_attrs_with(m->cx, *a, name,
			   list ? ir_attr_array(m->cx, v, (uint32_t)n) : v[0]);
	return true;
}

/* Pairs of integers, as pad_width has them. */
static bool
set_pairs(ir_module *m, const struct ir_call *c, uint32_t i, const char *name,
	  const ir_attrs **a)
{
	int64_t v[MAX_VALUES];
	ir_attr pairs[MAX_VALUES];
	int n = values_of(c, i, v);

	if (n < 0 || n % 2)
		return false;
	for (int k = 0; k < n / 2; k++)
		pairs[k] = ir_attr_int_array(m->cx, v + 2 * k, 2, 32);
	*a = ir_attrs_with(m->cx, *a, name,
			   ir_attr_array(m->cx, pairs, (uint32_t)n / 2));
	return true;
}

static const ir_expr *
call_with(ir_module *m, const struct ir_call *c, enum op_id op,
	  const ir_expr *const *args, uint32_t n, const ir_attrs *attrs)
{
	return ir_new_op_call(m, c->base.loc, op, args, n, attrs);
}

/* expand_dims counts from the end of the input, not of the result. */
static const ir_expr *
static_expand_dims(ir_module *m, const struct ir_call *c)
{
	const ir_attrs *a =
		ir_attrs_defaults(m->cx, attrs_schema(ATTRS_ExpandDims));
	const ir_attr *n = ir_attrs_get(c->attrs, "num_newaxis");

	if (n)
		a = ir_attrs_with(m->cx, a, "num_newaxis", *n);
	if (!set_int(m, c, 1, "axis", &a))
		return NULL;
	return call_with(m, c, OP_expand_dims, c->args, 1, a);
}

static const ir_expr *
static_one_hot(ir_module *m, const struct ir_call *c)
{
	const ir_attrs *a = c->attrs;

	if (!set_int(m, c, 3, "depth", &a))
		return NULL;
	return call_with(m, c, OP_one_hot, c->args, 3, a);
}

static const ir_expr *
static_slice(ir_module *m, const struct ir_call *c)
{
	const ir_attrs *a = c->attrs;

	if (!set_ints(m, c, 1, "begin", &a) || !set_ints(m, c, 2, "end", &a) ||
	    !set_ints(m, c, 3, "strides", &a))
		return NULL;
	a = ir_attrs_with(m->cx, a, "axes", ATTR_NONE);
	return call_with(m, c, OP_strided_slice, c->args, 1, a);
}

static const ir_expr *
static_resize(ir_module *m, const struct ir_call *c)
{
	const ir_attrs *a = c->attrs;

	if (!set_ints(m, c, 1, "size", &a) ||
	    !set_floats(m, c, 2, "roi", true, &a))
		return NULL;
	return call_with(m, c, OP_image_resize2d, c->args, 1, a);
}

static const ir_expr *
static_pad(ir_module *m, const struct ir_call *c)
{
	const ir_attrs *a = c->attrs;
	const ir_expr *args[2] = {c->args[0], c->args[2]};

	if (!set_pairs(m, c, 1, "pad_width", &a))
		return NULL;
	return call_with(m, c, OP_nn_pad, args, 2, a);
}

static const ir_expr *
static_upsampling(ir_module *m, const struct ir_call *c, bool volume)
{
	const ir_attrs *a = c->attrs;
	uint32_t i = 1;

	if (volume && !set_floats(m, c, i++, "scale_d", false, &a))
		return NULL;
	if (!set_floats(m, c, i, "scale_h", false, &a) ||
	    !set_floats(m, c, i + 1, "scale_w", false, &a))
		return NULL;
	return call_with(m, c, volume ? OP_nn_upsampling3d : OP_nn_upsampling,
			 c->args, 1, a);
}

static const ir_expr *
static_sparse_to_dense(ir_module *m, const struct ir_call *c)
{
	const ir_attrs *a =
		ir_attrs_defaults(m->cx, attrs_schema(ATTRS_SparseToDense));
	const ir_expr *args[3] = {c->args[0], c->args[1], c->args[2]};

	if (!set_ints(m, c, 3, "output_shape", &a))
		return NULL;
	return call_with(m, c, OP_sparse_to_dense, args, 3, a);
}

/* Operators whose last input is a list that becomes the attribute NAME. */
static const ir_expr *
static_list(ir_module *m, const struct ir_call *c, enum op_id op,
	    const char *name)
{
	const ir_attrs *a = c->attrs;

	if (!set_ints(m, c, c->nargs - 1, name, &a))
		return NULL;
	return call_with(m, c, op, c->args, c->nargs - 1, a);
}

/* arange keeps its inputs as attributes, too. */
static const ir_expr *
static_arange(ir_module *m, const struct ir_call *c)
{
	static const char *const names[] = {"start", "stop", "step"};
	const ir_attrs *a = c->attrs;

	for (uint32_t i = 0; i < 3; i++) {
		ir_attr v = {.kind = ATTR_EXPR, .expr = c->args[i]};

		if (c->args[i]->kind != IR_CONSTANT)
			return NULL;
		a = ir_attrs_with(m->cx, a, names[i], v);
	}
	return call_with(m, c, OP_arange, c->args, 3, a);
}

static const ir_expr *
static_topk(ir_module *m, const struct ir_call *c)
{
	const ir_attrs *a = c->attrs;

	if (!set_int(m, c, 1, "k", &a))
		return NULL;
	return call_with(m, c, OP_topk, c->args, 1, a);
}

const ir_expr *
interp_static_call(ir_module *m, const struct ir_call *c)
{
	const ir_op *op = ir_called_op(&c->base);

	switch (op ? op->id : OP_UNKNOWN) {
	case OP_dyn_reshape:
		return static_list(m, c, OP_reshape, "newshape");
	case OP_dyn_squeeze:
		return static_list(m, c, OP_squeeze, "axis");
	case OP_dyn_tile:
		return static_list(m, c, OP_tile, "reps");
	case OP_dyn_broadcast_to:
		return static_list(m, c, OP_broadcast_to, "shape");
	case OP_dyn_full:
		return static_list(m, c, OP_full, "shape");
	case OP_dyn_zeros:
		return static_list(m, c, OP_zeros, "shape");
	case OP_dyn_ones:
		return static_list(m, c, OP_ones, "shape");
	case OP_arange:
		return static_arange(m, c);
	case OP_dyn_topk:
		return static_topk(m, c);
	case OP_dyn_one_hot:
		return static_one_hot(m, c);
	case OP_dyn_expand_dims:
		return static_expand_dims(m, c);
	case OP_dyn_strided_slice:
		return static_slice(m, c);
	case OP_dyn_image_resize2d:
		return static_resize(m, c);
	case OP_dyn_nn_pad:
		return static_pad(m, c);
	case OP_dyn_nn_upsampling:
		return static_upsampling(m, c, false);
	case OP_dyn_nn_upsampling3d:
		return static_upsampling(m, c, true);
	case OP_dyn_sparse_to_dense:
		return static_sparse_to_dense(m, c);
	default:
		return NULL;
	}
}
