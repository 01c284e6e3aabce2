/*
 * Rules of operators that combine values: products, sums, choices.
 */
#include "passes/quant/fq_rules.h"

#include <string.h>

static const struct dtype int32 = {DTYPE_INT, 32, 1};

/*
 * OP of both arguments with zero points, then scales; the result has the
 * product of the scales. AXIS: where its channels are.
 */
static bool
product(const struct fq_site *s, struct fq_value *out, enum op_id op,
	const ir_expr *x, const ir_expr *w, int64_t axis)
{
	const struct affine *x_t = fq_type(s, 0);
	const struct affine *w_t = fq_type(s, 1);
	const ir_expr *args[] = {x,         w,          x_t->zero,
				 w_t->zero, x_t->scale, w_t->scale};
	const ir_attrs *attrs = opcall_attrs(&s->b, op, s->call->attrs);
	struct affine t = {
		.scale = affine_product(&s->b, x_t->scale, w_t->scale),
		.dtype = int32,
		.axis = axis,
	};

	t.zero = affine_zeros(&s->b, t.scale);
	attrs = ir_attrs_with(s->b.m->cx, attrs, "out_dtype", ATTR_DT(int32));
	return fq_result(s, out,
			 ir_new_op_call(s->b.m, s->b.loc, op, args, 6, attrs),
			 &t);
}

static bool
is_real(const ir_expr *e)
{
	return e->type && e->type->kind == TYPE_TENSOR &&
	       dtype_is_float(ir_as_tensor_type(e->type)->dtype);
}

/* The position of LETTER in LAYOUT, or -1. */
static int64_t
position(const char *layout, char letter)
{
	const char *p = strchr(layout, letter);

	return p ? p - layout : -1;
}

static int64_t
normal(int64_t axis, uint32_t rank)
{
	return axis < 0 ? axis + rank : axis;
}

/* Channels of the weight lie where the operator looks for them. */
static bool
weight_channels_fit(const struct fq_site *s, char letter)
{
	const struct affine *t = fq_type(s, 1);
	const char *layout = ir_attrs_string(s->call->attrs, "kernel_layout");

	if (!affine_per_channel(t))
		return true;
	if (ir_attrs_int(s->call->attrs, "groups", 1) > 1)
		return true;
	return normal(t->axis, 4) == position(layout, letter);
}

static bool
convolution(const struct fq_site *s, struct fq_value *out, enum op_id op,
	    char letter)
{
	const ir_attrs *a = s->call->attrs;
	const char *layout = ir_attrs_string(a, "out_layout");

	if (!fq_type(s, 0) || !fq_type(s, 1) ||
	    affine_per_channel(fq_type(s, 0)) ||
	    !weight_channels_fit(s, letter))
		return false;
	if (layout[0] == '\0')
		layout = ir_attrs_string(a, "data_layout");
	if (strlen(layout) != 4 || position(layout, 'C') < 0)
		return false;
	return product(s, out, op, s->args[0]->e, s->args[1]->e,
		       position(layout, 'C'));
}

bool
fq_conv2d(const struct fq_site *s, struct fq_value *out)
{
	return convolution(s, out, OP_qnn_conv2d, 'O');
}

bool
fq_conv2d_transpose(const struct fq_site *s, struct fq_value *out)
{
	return convolution(s, out, OP_qnn_conv2d_transpose, 'O');
}

bool
fq_dense(const struct fq_site *s, struct fq_value *out)
{
	const struct affine *w = fq_type(s, 1);
	uint32_t rank;

	if (!fq_type(s, 0) || !w || affine_per_channel(fq_type(s, 0)) ||
	    !affine_rank(&s->call->base, &rank))
		return false;
	if (affine_per_channel(w) && normal(w->axis, 2) != 0)
		return false;
	return product(s, out, OP_qnn_dense, s->args[0]->e, s->args[1]->e,
		       rank - 1);
}

static const ir_expr *
swap_last(const struct fq_site *s, const ir_expr *e)
{
	static const int64_t axes[] = {0, 2, 1};
	ir_context *cx = s->b.m->cx;
	const ir_attrs *a =
		ir_attrs_defaults(cx, ir_op_info(OP_transpose)->attrs);

	a = ir_attrs_with(cx, a, "axes", ir_attr_int_array(cx, axes, 3, 32));
	return ir_new_op_call(s->b.m, s->b.loc, OP_transpose, &e, 1, a);
}

/* The quantized product takes its second operand transposed, always. */
bool
fq_batch_matmul(const struct fq_site *s, struct fq_value *out)
{
	const struct ir_call *c = s->call;
	const ir_expr *x = s->args[0]->e;
	const ir_expr *y = s->args[1]->e;
	struct ir_call *standard;
	struct fq_site site = *s;

	if (!fq_type(s, 0) || !fq_type(s, 1) ||
	    affine_per_channel(fq_type(s, 0)) ||
	    affine_per_channel(fq_type(s, 1)))
		return false;
	if (ir_attrs_bool(c->attrs, "transpose_a"))
		x = swap_last(s, x);
	if (!ir_attrs_bool(c->attrs, "transpose_b"))
		y = swap_last(s, y);
	standard = arena_alloc(s->cx->scratch, sizeof(*c));
	*standard = *c;
	standard->attrs = ir_attrs_with(s->b.m->cx, c->attrs, "transpose_a",
					ATTR_BOOLEAN(false));
	standard->attrs = ir_attrs_with(s->b.m->cx, standard->attrs,
					"transpose_b", ATTR_BOOLEAN(true));
	site.call = standard;
	return product(&site, out, OP_qnn_batch_matmul, x, y,
		       fq_type(s, 0)->axis);
}

/* Argument 1, as integers of the type of argument 0; NULL: cannot be. */
static const ir_expr *
bias(const struct fq_site *s)
{
	const struct affine *x_t = fq_type(s, 0);
	const struct affine *b_t = fq_type(s, 1);
	const ir_expr *e = s->args[1]->e;
	struct affine along;

	if (!b_t)
		return affine_data(e) && is_real(e)
			       ? affine_quantize(&s->b, e, x_t, 0)
			       : NULL;
	if (affine_same(x_t, b_t))
		return e;
	along = *b_t;
	along.axis = 0;
	return affine_requantize(&s->b, e, &along, x_t, x_t->dtype);
}

bool
fq_bias_add(const struct fq_site *s, struct fq_value *out)
{
	const ir_expr *args[2] = {s->args[0]->e};

	if (!fq_type(s, 0))
		return false;
	args[1] = bias(s);
	return args[1] && fq_result(s, out,
				    affine_call(&s->b, OP_nn_bias_add, args, 2,
						s->call->attrs),
				    fq_type(s, 0));
}

bool
fq_pad(const struct fq_site *s, struct fq_value *out)
{
	const struct affine *t = fq_type(s, 0);
	const struct affine *p = fq_type(s, 1);
	const ir_expr *args[2] = {s->args[0]->e, s->args[1]->e};

	if (!t || affine_per_channel(t))
		return false;
	if (p && (!affine_same(t, p) || t->axis != p->axis))
		args[1] = affine_requantize(&s->b, args[1], p, t, t->dtype);
	else if (!p && affine_data(args[1]) && is_real(args[1]))
		args[1] = affine_quantize(&s->b, args[1], t, -1);
	else if (!p)
		return false;
	return fq_result(s, out,
			 affine_call(&s->b, OP_nn_pad, args, 2, s->call->attrs),
			 t);
}

struct operands {
	const ir_expr *e[2];
	struct affine t[2];
	struct affine out;
};

/* A constant operand takes the type of the other one. */
static bool
get_operands(const struct fq_site *s, struct operands *o)
{
	if (!fq_out(s) || (!fq_type(s, 0) && !fq_type(s, 1)))
		return false;
	for (uint32_t i = 0; i < 2; i++) {
		const struct affine *t = fq_type(s, i);
		const struct affine *other = fq_type(s, 1 - i);

		o->e[i] = s->args[i]->e;
		o->t[i] = t ? *t : *other;
		if (t)
			continue;
		if (!affine_data(o->e[i]))
			return false;
		o->e[i] = affine_quantize(
			&s->b, o->e[i], other,
			affine_per_channel(other) ? other->axis : -1);
	}
	o->out = dtype_equal(o->t[0].dtype, fq_out(s)->dtype) ? *fq_out(s)
							      : o->t[0];
	return true;
}

/* A sum of accumulators is a bias: it needs no rescaling. */
static bool
is_plain_sum(enum op_id op, const struct operands *o)
{
	return op == OP_add && dtype_equal(o->t[0].dtype, int32) &&
	       affine_same(&o->t[0], &o->t[1]);
}

bool
fq_binary(const struct fq_site *s, struct fq_value *out)
{
	enum op_id op = ir_called_op(&s->call->base)->id;
	ir_context *cx = s->b.m->cx;
	struct operands o;
	const ir_attrs *a;

	if (!get_operands(s, &o))
		return false;
	if (is_plain_sum(op, &o))
		return fq_result(s, out,
				 opcall_binary(&s->b, OP_add, o.e[0], o.e[1]),
				 &o.t[0]);
	if (affine_channels(&o.out) != 0)
		return false;
	op = op == OP_add        ? OP_qnn_add
	     : op == OP_multiply ? OP_qnn_mul
				 : OP_qnn_subtract;
	a = ir_attrs_defaults(cx, attrs_schema(ATTRS_Broadcast));
	a = ir_attrs_with(cx, a, "lhs_axis", ATTR_INT32(o.t[0].axis));
	a = ir_attrs_with(cx, a, "rhs_axis", ATTR_INT32(o.t[1].axis));
	{
		const ir_expr *args[] = {
			o.e[0],       o.e[1],      o.t[0].scale, o.t[0].zero,
			o.t[1].scale, o.t[1].zero, o.out.scale,  o.out.zero};

		return fq_result(
			s, out,
			ir_new_op_call(s->b.m, s->b.loc, op, args, 8, a),
			&o.out);
	}
}

static bool
identical(const struct affine *a, const struct affine *b)
{
	return affine_same(a, b) && a->axis == b->axis &&
	       affine_channels(a) == affine_channels(b);
}

/* minimum and maximum: the order of integers of one type is that of reals. */
bool
fq_choose(const struct fq_site *s, struct fq_value *out)
{
	enum op_id op = ir_called_op(&s->call->base)->id;
	struct operands o;

	if (!get_operands(s, &o))
		return false;
	for (uint32_t i = 0; i < 2; i++)
		if (!identical(&o.t[i], &o.out))
			o.e[i] = affine_requantize(&s->b, o.e[i], &o.t[i],
						   &o.out, o.out.dtype);
	return fq_result(s, out, opcall_binary(&s->b, op, o.e[0], o.e[1]),
			 &o.out);
}

bool
fq_concatenate(const struct fq_site *s, struct fq_value *out)
{
	const struct fq_value *v = s->args[0];
	struct opcall b = s->b;
	const ir_expr **part[3];
	const ir_expr *args[5];
	bool changed = false;

	if (!v->tuple || v->n == 0 || !fq_out(s) || v->e->kind != IR_TUPLE)
		return false;
	for (int i = 0; i < 3; i++)
		part[i] =
			ARENA_NEW_ARRAY(s->cx->scratch, v->n, const ir_expr *);
	for (uint32_t i = 0; i < v->n; i++) {
		const struct affine *t = &v->types[i];

		part[0][i] = ir_as_tuple(v->e)->fields[i];
		if (!dtype_equal(t->dtype, fq_out(s)->dtype)) {
			part[0][i] = affine_requantize(
				&b, part[0][i], t, fq_out(s), fq_out(s)->dtype);
			t = fq_out(s);
			changed = true;
		}
		part[1][i] = t->scale;
		part[2][i] = t->zero;
	}
	args[0] = changed ? ir_new_tuple(b.m, b.loc, part[0], v->n) : v->e;
	args[1] = ir_new_tuple(b.m, b.loc, part[1], v->n);
	args[2] = ir_new_tuple(b.m, b.loc, part[2], v->n);
	args[3] = fq_out(s)->scale;
	args[4] = fq_out(s)->zero;
	return fq_result(
		s, out,
		affine_call(&b, OP_qnn_concatenate, args, 5, s->call->attrs),
		fq_out(s));
}
