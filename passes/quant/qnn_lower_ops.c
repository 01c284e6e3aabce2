/*
 * Changes of scale, sums, products of two tensors, and activations.
 */
#include "passes/quant/qnn_lower.h"

#include <math.h>
#include <string.h>

#include "passes/quant/affine.h"

static const struct dtype int32 = {DTYPE_INT, 32, 1};
static const struct dtype float32 = {DTYPE_FLOAT, 32, 1};

static const struct qnn_rounding upward = {false, NULL};

static int64_t
axis_attr(const struct qnn_site *s, const char *name)
{
	return ir_attrs_int(s->call->attrs, name, -1);
}

const ir_expr *
qnn_lower_quantize(const struct qnn_site *s)
{
	struct qnn_param p =
		qnn_param(s, 1, 2, qnn_type(s, 0)->ndim, axis_attr(s, "axis"));

	return qnn_quantized(s, s->call->args[0], &p,
			     ir_attrs_dtype(s->call->attrs, "out_dtype"));
}

const ir_expr *
qnn_lower_dequantize(const struct qnn_site *s)
{
	struct qnn_param p =
		qnn_param(s, 1, 2, qnn_type(s, 0)->ndim, axis_attr(s, "axis"));
	struct dtype out = ir_attrs_dtype(s->call->attrs, "out_dtype");
	const ir_expr *e =
		qnn_real(s, s->call->args[0], qnn_type(s, 0)->dtype, &p);

	if (dtype_equal(out, float32))
		return e;
	if (out.bits == 16 && out.code == DTYPE_FLOAT)
		e = qnn_clip(s, e, -65504, 65504);
	return opcall_cast(&s->b, e, out);
}

const ir_expr *
qnn_lower_requantize(const struct qnn_site *s)
{
	uint32_t rank = qnn_type(s, 0)->ndim;
	struct qnn_param in = qnn_param(s, 1, 2, rank, axis_attr(s, "axis"));
	struct qnn_param out = qnn_param(s, 3, 4, rank, 0);
	const ir_attrs *a = s->call->attrs;
	struct qnn_rounding how = {
		strcmp(ir_attrs_string(a, "rounding"), "TONEAREST") == 0,
		ir_attrs_string(a, "compute_dtype"),
	};
	const ir_expr *e = qnn_rescale(s, s->call->args[0],
				       qnn_type(s, 0)->dtype, &in, &out, how);

	return e ? qnn_saturate(s, e, ir_attrs_dtype(a, "out_dtype")) : NULL;
}

static struct qnn_param
operand_param(const struct qnn_site *s, uint32_t k)
{
	return qnn_param(s, 2 + 2 * k, 3 + 2 * k, qnn_type(s, k)->ndim,
			 axis_attr(s, k ? "rhs_axis" : "lhs_axis"));
}

/* qnn.add and qnn.subtract, in the scale of the result. */
const ir_expr *
qnn_lower_sum(const struct qnn_site *s)
{
	const struct opcall *b = &s->b;
	bool add = ir_is_call_of(&s->call->base, OP_qnn_add);
	struct qnn_param out = qnn_param(s, 6, 7, 0, 0);
	const ir_expr *x[2];
	const ir_expr *e;

	for (uint32_t k = 0; k < 2; k++) {
		struct qnn_param in = operand_param(s, k);

		x[k] = qnn_rescale(s, s->call->args[k], qnn_type(s, k)->dtype,
				   &in, &out, upward);
		if (!x[k])
			return NULL;
	}
	e = opcall_binary(b, add ? OP_add : OP_subtract, x[0], x[1]);
	if (!qnn_is_zero(out.zero))
		e = opcall_binary(b, add ? OP_subtract : OP_add, e, out.zero);
	return qnn_saturate(s, e, qnn_type(s, 0)->dtype);
}

const ir_expr *
qnn_lower_mul(const struct qnn_site *s)
{
	uint32_t rank = ir_as_tensor_type(s->old->base.type)->ndim;
	struct qnn_param in[2] = {operand_param(s, 0), operand_param(s, 1)};
	struct qnn_param out = qnn_param(s, 6, 7, rank, 0);
	struct qnn_param both = {.rank = rank};
	const ir_expr *x[2];
	const ir_expr *e;

	for (uint32_t k = 0; k < 2; k++) {
		const ir_tensor *d = affine_data(in[k].scale);

		x[k] = qnn_shift(s, s->call->args[k], qnn_type(s, k)->dtype,
				 qnn_along(s, in[k].zero, &in[k]), int32);
		if (!d)
			return NULL;
		if (d->ndim == 0)
			continue;
		/* Axes of the operand are those of the result. */
		if (in[k].rank != rank)
			return NULL;
		if (k == 1 && affine_data(in[0].scale)->ndim > 0 &&
		    both.axis != in[k].axis)
			return NULL;
		both.axis = in[k].axis;
	}
	both.scale = affine_product(&s->b, in[0].scale, in[1].scale);
	both.zero = qnn_int(s, int32, 0);
	e = opcall_binary(&s->b, OP_multiply, x[0], x[1]);
	e = qnn_rescale(s, e, int32, &both, &out, upward);
	return e ? qnn_saturate(s, e, qnn_type(s, 0)->dtype) : NULL;
}

/* Field I of argument K, a tuple. */
static const ir_expr *
field(const struct qnn_site *s, uint32_t k, uint32_t i)
{
	const ir_expr *t = s->call->args[k];

	if (t->kind == IR_TUPLE)
		return ir_as_tuple(t)->fields[i];
	return ir_new_proj(s->b.m, s->b.loc, t, i);
}

const ir_expr *
qnn_lower_concatenate(const struct qnn_site *s)
{
	const struct ir_tuple_type *t = ir_as_tuple_type(s->old->args[0]->type);
	struct qnn_param out = qnn_param(s, 3, 4, 0, 0);
	const ir_expr **fields =
		ARENA_NEW_ARRAY(s->scratch, t->nfields, const ir_expr *);
	const ir_expr *tuple;

	for (uint32_t i = 0; i < t->nfields; i++) {
		struct dtype from = ir_as_tensor_type(t->fields[i])->dtype;
		struct qnn_param in = {
			.scale = affine_scalar(&s->b, field(s, 1, i)),
			.zero = affine_scalar(&s->b, field(s, 2, i)),
		};

		fields[i] = field(s, 0, i);
		if (affine_data(in.scale) && affine_data(out.scale) &&
		    affine_data(in.zero) && affine_data(out.zero) &&
		    ir_tensor_equal(affine_data(in.scale),
				    affine_data(out.scale)) &&
		    ir_tensor_equal(affine_data(in.zero),
				    affine_data(out.zero)))
			continue;
		fields[i] = qnn_rescale(s, fields[i], from, &in, &out, upward);
		if (!fields[i])
			return NULL;
		fields[i] = qnn_saturate(s, fields[i], from);
	}
	tuple = ir_new_tuple(s->b.m, s->b.loc, fields, t->nfields);
	return affine_call(&s->b, OP_concatenate, &tuple, 1, s->call->attrs);
}

/* The whole input in the scale of the result, as int32. */
static const ir_expr *
rescaled(const struct qnn_site *s)
{
	uint32_t rank = qnn_type(s, 0)->ndim;
	struct qnn_param in = qnn_param(s, 1, 2, rank, 0);
	struct qnn_param out = qnn_param(s, 3, 4, rank, 0);

	return qnn_rescale(s, s->call->args[0], qnn_type(s, 0)->dtype, &in,
			   &out, upward);
}

const ir_expr *
qnn_lower_avg_pool2d(const struct qnn_site *s)
{
	const ir_expr *e = rescaled(s);

	if (!e)
		return NULL;
	e = affine_call(&s->b, OP_nn_avg_pool2d, &e, 1, s->call->attrs);
	return qnn_saturate(s, e, qnn_type(s, 0)->dtype);
}

/* The real function of a unary operator. */
static const ir_expr *
real_function(const struct qnn_site *s, const ir_expr *x)
{
	const struct opcall *b = &s->b;
	const ir_expr *y;

	switch (ir_called_op(&s->call->base)->id) {
	case OP_qnn_abs:
		return opcall_unary(b, OP_abs, x);
	case OP_qnn_erf:
		return opcall_unary(b, OP_erf, x);
	case OP_qnn_exp:
		return opcall_unary(b, OP_exp, x);
	case OP_qnn_log:
		return opcall_unary(b, OP_log, x);
	case OP_qnn_rsqrt:
		return opcall_unary(b, OP_rsqrt, x);
	case OP_qnn_sigmoid:
		return opcall_unary(b, OP_sigmoid, x);
	case OP_qnn_sqrt:
		return opcall_unary(b, OP_sqrt, x);
	case OP_qnn_tanh:
		return opcall_unary(b, OP_tanh, x);
	case OP_qnn_hardswish:
		y = opcall_binary(b, OP_add, x, opcall_scalar(b, float32, 3));
		y = opcall_binary(b, OP_multiply, x, qnn_clip(s, y, 0, 6));
		return opcall_binary(b, OP_divide, y,
				     opcall_scalar(b, float32, 6));
	default:
		return NULL;
	}
}

const ir_expr *
qnn_lower_unary(const struct qnn_site *s)
{
	struct dtype t = qnn_type(s, 0)->dtype;
	struct qnn_param in = qnn_param(s, 1, 2, qnn_type(s, 0)->ndim, 0);
	struct qnn_param out = qnn_param(s, 3, 4, qnn_type(s, 0)->ndim, 0);
	const ir_expr *x =
		real_function(s, qnn_real(s, s->call->args[0], t, &in));

	return x ? qnn_quantized(s, x, &out, t) : NULL;
}

/* q < z_in: r alpha + z_out (1 - alpha), in fixed point; else r. */
const ir_expr *
qnn_lower_leaky_relu(const struct qnn_site *s)
{
	const struct opcall *b = &s->b;
	double alpha = ir_attrs_double(s->call->attrs, "alpha");
	struct dtype t = qnn_type(s, 0)->dtype;
	const ir_expr *r = rescaled(s);
	const ir_expr *q = opcall_cast(b, s->call->args[0], int32);
	const ir_expr *choice[3];
	const ir_expr *rest;

	if (!r || alpha < 0 || alpha > 1)
		return NULL;
	choice[0] = opcall_binary(b, OP_less, q,
				  affine_scalar(b, s->call->args[2]));
	choice[1] = qnn_times(s, r, alpha);
	rest = qnn_times(s, affine_scalar(b, s->call->args[4]), 1 - alpha);
	choice[1] = opcall_binary(b, OP_add, choice[1], rest);
	choice[2] = r;
	return qnn_saturate(
		s, ir_new_op_call(b->m, b->loc, OP_where, choice, 3, NULL), t);
}

static const ir_expr *
shift_by(const struct qnn_site *s, enum op_id op, const ir_expr *x, int64_t by)
{
	return opcall_binary(&s->b, op, x, qnn_int(s, int32, by));
}

/* x + (x >> 1) - (x >> 4) for x = q - max(q): about x log2(e). */
static const ir_expr *
logarithms(const struct qnn_site *s, int64_t axis)
{
	const struct opcall *b = &s->b;
	const ir_expr *q = opcall_cast(b, s->call->args[0], int32);
	const ir_expr *d = opcall_binary(b, OP_subtract, q,
					 opcall_reduce(b, OP_max, q, &axis, 1));
	const ir_expr *p =
		opcall_binary(b, OP_add, d, shift_by(s, OP_right_shift, d, 1));

	return opcall_binary(b, OP_subtract, p,
			     shift_by(s, OP_right_shift, d, 4));
}

/* Powers of two of P / X0, as (mantissa << (max exponent - exponent)). */
static const ir_expr *
powers(const struct qnn_site *s, const ir_expr *p, int64_t x0, int64_t axis)
{
	const struct opcall *b = &s->b;
	const ir_expr *n = shift_by(s, OP_divide, p, -x0);
	const ir_expr *r;

	n = qnn_clip(s, n, 0, 20);
	r = opcall_binary(b, OP_add, p, shift_by(s, OP_multiply, n, x0));
	r = shift_by(s, OP_add, shift_by(s, OP_right_shift, r, 1), x0);
	n = opcall_binary(b, OP_subtract, opcall_reduce(b, OP_max, n, &axis, 1),
			  n);
	return opcall_binary(b, OP_left_shift, r, n);
}

const ir_expr *
qnn_lower_softmax(const struct qnn_site *s)
{
	const struct opcall *b = &s->b;
	const ir_tensor *in = affine_data(s->call->args[1]);
	const ir_tensor *out = affine_data(s->call->args[3]);
	int64_t axis = ir_attrs_int(s->call->attrs, "axis", -1);
	const ir_expr *e;
	const ir_expr *sum;
	double scale;
	double to;

	if (!in || !out || ir_tensor_size(in) != 1 || ir_tensor_size(out) != 1)
		return NULL;
	scale = ir_tensor_get_double(in, 0);
	to = ir_tensor_get_double(out, 0);
	if (!(scale > 0 && scale <= 1 && to > 0))
		return NULL;
	e = powers(s, logarithms(s, axis), llround(1 / scale), axis);
	sum = opcall_reduce(b, OP_sum, e, &axis, 1);
	sum = opcall_binary(b, OP_maximum, sum, qnn_int(s, int32, 1));
	sum = opcall_binary(b, OP_divide, qnn_int(s, int32, 1 << 30), sum);
	e = opcall_binary(b, OP_multiply, sum, e);
	e = qnn_times(s, shift_by(s, OP_right_shift, e, 23), 1.0 / 128 / to);
	if (!e)
		return NULL;
	if (!qnn_is_zero(s->call->args[4]))
		e = opcall_binary(b, OP_add, e,
				  affine_scalar(b, s->call->args[4]));
	return qnn_saturate(s, e, qnn_type(s, 0)->dtype);
}
