#include "passes/scale/scale.h"

#include <math.h>
#include <string.h>

#include "ir/layout.h"

struct scale_axes
scale_axes_meet(struct scale_axes a, struct scale_axes b)
{
	if (!scale_axes_equal(a, b))
		return (struct scale_axes){0};
	a.positive |= b.positive;
	a.nonzero |= b.nonzero;
	return a;
}

bool
scale_axes_equal(struct scale_axes a, struct scale_axes b)
{
	return a.n == b.n && memcmp(a.at, b.at, a.n) == 0;
}

static const struct ir_tensor_type *
tensor_of(const ir_type *t)
{
	return t && t->kind == TYPE_TENSOR ? ir_as_tensor_type(t) : NULL;
}

static bool
is_conv(const ir_expr *e)
{
	return ir_is_call_of(e, OP_nn_conv2d) || ir_is_call_of(e, OP_nn_conv3d);
}

static bool
read_layout(const struct ir_call *call, const char *field,
	    struct ir_layout *out)
{
	return ir_layout_parse(ir_attrs_string(call->attrs, field), out);
}

/* The axis of LETTER and, in a blocked layout, that of its inner part. */
static struct scale_axes
axes_of(const struct ir_layout *l, char letter, bool blocked)
{
	struct scale_axes out = {.n = 1};
	char inner = (char)(letter - 'A' + 'a');

	out.at[0] = (uint8_t)ir_layout_index(l, letter);
	if (blocked)
		out.at[out.n++] = (uint8_t)ir_layout_index(l, inner);
	return out;
}

/* One group, or as many as channels, each with a kernel of its own. */
static bool
is_depthwise(const struct ir_call *call, const struct ir_layout *kernel,
	     const struct ir_tensor_type *weight)
{
	int64_t groups = ir_attrs_int(call->attrs, "groups", 1);
	int i = ir_layout_index(kernel, 'I');
	int o = ir_layout_index(kernel, 'O');
	struct ir_dim in = weight->shape[i];
	struct ir_dim out = weight->shape[o];

	return ir_dim_is_const(in) && ir_dim_is_const(out) &&
	       in.value * ir_layout_factor(kernel, 'I') == 1 &&
	       out.value * ir_layout_factor(kernel, 'O') == groups;
}

static bool
conv_target(const struct ir_call *call, bool output, struct scale_target *out)
{
	const struct ir_tensor_type *w = tensor_of(call->args[1]->type);
	struct ir_layout kernel;
	struct ir_layout data;
	bool blocked;
	bool depthwise;
	const char *field = "data_layout";

	if (output && *ir_attrs_string(call->attrs, "out_layout"))
		field = "out_layout";
	if (!w || !read_layout(call, field, &data) ||
	    !read_layout(call, "kernel_layout", &kernel) ||
	    kernel.n != w->ndim || ir_layout_index(&data, 'C') < 0 ||
	    ir_layout_index(&kernel, 'O') < 0 ||
	    ir_layout_index(&kernel, 'I') < 0)
		return false;
	blocked = ir_layout_index(&data, 'c') >= 0;
	if ((ir_layout_index(&kernel, 'o') >= 0) != blocked ||
	    (ir_layout_index(&kernel, 'i') >= 0) != blocked)
		return false;
	depthwise = is_depthwise(call, &kernel, w);
	if (ir_attrs_int(call->attrs, "groups", 1) != 1 && !depthwise)
		return false;
	out->data = axes_of(&data, 'C', blocked);
	out->weight =
		axes_of(&kernel, output || depthwise ? 'O' : 'I', blocked);
	out->weight_ndim = w->ndim;
	return out->data.n == 1 || ir_shape_is_static(w);
}

bool
scale_target_of(const struct ir_call *call, bool output,
		struct scale_target *out)
{
	const struct ir_tensor_type *t;
	const struct ir_tensor_type *w;

	*out = (struct scale_target){0};
	if (!is_conv(&call->base) && !ir_is_call_of(&call->base, OP_nn_dense))
		return false;
	t = tensor_of(output ? call->base.type : call->args[0]->type);
	w = tensor_of(call->args[1]->type);
	if (!t || !w || !dtype_is_float(t->dtype) ||
	    !dtype_equal(t->dtype, w->dtype))
		return false;
	if (is_conv(&call->base))
		return conv_target(call, output, out);
	if (t->ndim == 0 || t->ndim > UINT8_MAX)
		return false;
	out->data = (struct scale_axes){.n = 1, .at = {(uint8_t)(t->ndim - 1)}};
	out->weight = (struct scale_axes){.n = 1, .at = {output ? 0 : 1}};
	out->weight_ndim = 2;
	return true;
}

static bool
has_axis(struct scale_axes axes, uint32_t i)
{
	for (uint8_t k = 0; k < axes.n; k++)
		if (axes.at[k] == i)
			return true;
	return false;
}

bool
scale_matches(const ir_type *l, const ir_type *r, struct scale_axes axes,
	      int64_t *squeeze, uint32_t *n)
{
	const struct ir_tensor_type *tl = tensor_of(l);
	const struct ir_tensor_type *tr = tensor_of(r);
	uint32_t base;

	if (n)
		*n = 0;
	if (!tl || !tr || axes.n == 0 || tl->ndim < tr->ndim)
		return false;
	base = tl->ndim - tr->ndim;
	for (uint32_t i = 0; i < tl->ndim; i++) {
		if (has_axis(axes, i)) {
			if (i < base || !ir_dim_is_const(tl->shape[i]) ||
			    !ir_dim_equal(tl->shape[i], tr->shape[i - base]))
				return false;
		} else if (i >= base) {
			if (!ir_dim_is_const(tr->shape[i - base]) ||
			    tr->shape[i - base].value != 1)
				return false;
			if (squeeze)
				squeeze[(*n)++] = i - base;
		}
	}
	return true;
}

bool
scale_is_operand(const struct ir_call *call, uint32_t i, struct scale_axes axes,
		 const struct scale_facts *f)
{
	const ir_expr *scale = call->args[i];

	return scale_matches(call->args[1 - i]->type, scale->type, axes, NULL,
			     NULL) &&
	       ir_set_has(&f->weight, scale) &&
	       (!axes.nonzero || ir_set_has(&f->nonzero, scale)) &&
	       (!axes.positive || ir_set_has(&f->positive, scale));
}

const ir_expr *
scale_flatten(const struct opcall *b, const ir_expr *scale, const ir_type *l,
	      const ir_type *r, struct scale_axes axes)
{
	int64_t *squeeze =
		xcalloc(ir_as_tensor_type(r)->ndim + 1, sizeof(*squeeze));
	ir_context *cx = b->m->cx;
	const ir_attrs *a;
	uint32_t n;

	(void)scale_matches(l, r, axes, squeeze, &n);
	if (n > 0) {
		a = ir_attrs_defaults(cx, attrs_schema(ATTRS_Squeeze));
		a = ir_attrs_with(cx, a, "axis",
				  ir_attr_int_array(cx, squeeze, n, 32));
		scale = ir_new_op_call(b->m, b->loc, OP_squeeze, &scale, 1, a);
	}
	free(squeeze);
	return scale;
}

const ir_expr *
scale_at(const struct opcall *b, const ir_expr *scale,
	 const struct ir_tensor_type *t, struct scale_axes axes)
{
	int64_t *shape;
	const ir_expr *e;

	if (axes.n == 1)
		return opcall_bias_at(b, scale, t->ndim, axes.at[0]);
	shape = xcalloc(t->ndim, sizeof(*shape));
	for (uint32_t i = 0; i < t->ndim; i++)
		shape[i] = has_axis(axes, i) ? t->shape[i].value : 1;
	e = opcall_reshape(b, scale, shape, t->ndim);
	free(shape);
	return e;
}

/* E is computed element by element of what OUT holds. */
static bool
made_of_weights(const ir_expr *e, const struct ir_set *out)
{
	const ir_op *op = ir_called_op(e);

	if (e->kind == IR_CONSTANT || e->kind == IR_VAR)
		return true;
	if (!op || op->pattern > PAT_INJECTIVE || !ir_op_is_pure(op))
		return false;
	for (uint32_t i = 0; i < ir_as_call(e)->nargs; i++)
		if (!ir_set_has(out, ir_as_call(e)->args[i]))
			return false;
	return true;
}

static void
append(const ir_expr *e, void *env)
{
	ir_expr_vec *order = env;

	vec_push(order, e);
}

/* Kernels are met, but not entered. */
static bool
enter(const ir_expr *e, void *env)
{
	if (!ir_is_primitive(e))
		return true;
	append(e, env);
	return false;
}

static void
add_bound(const struct ir_var *v, void *env)
{
	ir_set_add(env, &v->base);
}

/* Variables of lets and patterns may stand for anything. */
static void
find_bound(const ir_expr *e, struct ir_set *bound)
{
	if (e->kind == IR_LET)
		ir_set_add(bound, &ir_as_let(e)->var->base);
	for (uint32_t i = 0;
	     e->kind == IR_MATCH && i < ir_as_match(e)->nclauses; i++)
		ir_pattern_vars(ir_as_match(e)->clauses[i].pattern, add_bound,
				bound);
}

/* A constant with more elements is no scale, and not worth reading. */
static const int64_t most_channels = 1 << 16;

/* A constant: enter it where it belongs. */
static void
judge_constant(struct scale_facts *f, const ir_expr *e)
{
	const ir_tensor *t = ir_as_constant(e)->data;
	int64_t size = t ? ir_tensor_size(t) : 0;
	bool nonzero = t && size <= most_channels;
	bool positive = nonzero;

	for (int64_t i = 0; i < size && nonzero; i++) {
		double v = ir_tensor_get_double(t, i);

		nonzero = isfinite(v) && v != 0;
		positive &= v > 0;
	}
	if (nonzero)
		ir_set_add(&f->nonzero, e);
	if (nonzero && positive)
		ir_set_add(&f->positive, e);
}

static void
judge_call(struct scale_facts *f, const ir_expr *e)
{
	const ir_op *op = ir_called_op(e);
	const ir_expr *const *args = ir_as_call(e)->args;
	bool nonzero = false;

	switch (op ? op->id : OP_UNKNOWN) {
	case OP_reshape:
	case OP_expand_dims:
	case OP_squeeze:
	case OP_transpose:
		nonzero = ir_set_has(&f->nonzero, args[0]);
		if (ir_set_has(&f->positive, args[0]))
			ir_set_add(&f->positive, e);
		break;
	case OP_divide:
	case OP_negative:
		nonzero = ir_set_has(&f->nonzero, args[0]);
		break;
	default:
		break;
	}
	if (nonzero)
		ir_set_add(&f->nonzero, e);
}

void
scale_facts_find(struct scale_facts *f, const struct ir_function *fn)
{
	struct ir_set bound = {0};

	ir_walk(&fn->base, enter, append, &f->order);
	for (size_t i = 0; i < f->order.len; i++)
		find_bound(f->order.at[i], &bound);
	for (size_t i = 0; i < f->order.len; i++) {
		const ir_expr *e = f->order.at[i];

		if (!ir_set_has(&bound, e) && made_of_weights(e, &f->weight))
			ir_set_add(&f->weight, e);
		if (e->kind == IR_CONSTANT)
			judge_constant(f, e);
		else if (e->kind == IR_CALL)
			judge_call(f, e);
	}
	ir_set_free(&bound);
}

void
scale_facts_free(struct scale_facts *f)
{
	vec_free(&f->order);
	ir_set_free(&f->weight);
	ir_set_free(&f->nonzero);
	ir_set_free(&f->positive);
}
