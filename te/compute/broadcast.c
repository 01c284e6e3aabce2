/*
 * Operators of two or three inputs that are broadcast together.
 */
#include "te/compute/computes.h"

static const tir_expr *
operand(struct te_call *c, const struct te_body *b, uint32_t i)
{
	return te_get_broadcast(c, c->in[i], b->i, b->ndim);
}

/* Integers: toward zero. */
static const tir_expr *
divided(struct te_call *c, const tir_expr *x, const tir_expr *y)
{
	return dtype_is_float(x->dtype) ? te_div(c, x, y)
					: te_truncdiv(c, x, y);
}

static const tir_expr *
rounded_quotient(struct te_call *c, enum tir_intrin f, const tir_expr *x,
		 const tir_expr *y)
{
	return te_unary(c, f, te_div(c, x, y));
}

static const tir_expr *
float_remainder(struct te_call *c, enum tir_intrin f, const tir_expr *x,
		const tir_expr *y)
{
	return te_sub(c, x, te_mul(c, rounded_quotient(c, f, x, y), y));
}

static const tir_expr *
quotient(struct te_call *c, const tir_expr *x, const tir_expr *y)
{
	bool is_float = dtype_is_float(x->dtype);

	switch ((int)c->op->id) {
	case OP_floor_divide:
		return is_float ? rounded_quotient(c, INTRIN_FLOOR, x, y)
				: te_div(c, x, y);
	case OP_trunc_divide:
		return is_float ? rounded_quotient(c, INTRIN_TRUNC, x, y)
				: te_truncdiv(c, x, y);
	case OP_floor_mod:
		return is_float ? float_remainder(c, INTRIN_FLOOR, x, y)
				: te_mod(c, x, y);
	case OP_trunc_mod:
		if (is_float)
			return float_remainder(c, INTRIN_TRUNC, x, y);
		break;
	default: /* mod */
		if (is_float)
			return te_intrin2(c, INTRIN_FMOD, x, y);
		break;
	}
	return tir_binary(c->m, TIR_TRUNCMOD, x, y);
}

static const tir_expr *
bitwise(struct te_call *c, const tir_expr *x, const tir_expr *y)
{
	enum op_id op = c->op->id;
	bool is_bool = dtype_is_bool(x->dtype);

	if (op == OP_bitwise_and || op == OP_logical_and)
		return is_bool ? te_and(c, x, y)
			       : te_intrin2(c, INTRIN_BIT_AND, x, y);
	if (op == OP_bitwise_or || op == OP_logical_or)
		return is_bool ? te_or(c, x, y)
			       : te_intrin2(c, INTRIN_BIT_OR, x, y);
	return is_bool ? te_cmp(c, TIR_NE, x, y)
		       : te_intrin2(c, INTRIN_BIT_XOR, x, y);
}

static const tir_expr *
element(struct te_call *c, const tir_expr *x, const tir_expr *y)
{
	switch ((int)c->op->id) {
	case OP_add:
		return te_add(c, x, y);
	case OP_subtract:
		return te_sub(c, x, y);
	case OP_multiply:
		return te_mul(c, x, y);
	case OP_divide:
		return divided(c, x, y);
	case OP_power:
		return te_intrin2(c, INTRIN_POW, x, y);
	case OP_maximum:
		return te_max(c, x, y);
	case OP_minimum:
		return te_min(c, x, y);
	case OP_equal:
		return te_cmp(c, TIR_EQ, x, y);
	case OP_not_equal:
		return te_cmp(c, TIR_NE, x, y);
	case OP_less:
		return te_cmp(c, TIR_LT, x, y);
	case OP_less_equal:
		return te_cmp(c, TIR_LE, x, y);
	case OP_greater:
		return te_cmp(c, TIR_GT, x, y);
	case OP_greater_equal:
		return te_cmp(c, TIR_GE, x, y);
	case OP_left_shift:
		return te_intrin2(c, INTRIN_SHL, x, y);
	case OP_right_shift:
		return te_intrin2(c, INTRIN_SHR, x, y);
	case OP_logical_and:
	case OP_logical_or:
	case OP_logical_xor:
		return bitwise(c, te_cast(c, DTYPE_BOOL, x),
			       te_cast(c, DTYPE_BOOL, y));
	case OP_bitwise_and:
	case OP_bitwise_or:
	case OP_bitwise_xor:
		return bitwise(c, x, y);
	default:
		return quotient(c, x, y);
	}
}

/* add, subtract, less, logical_and, left_shift, ... */
bool
compute_binary(struct te_call *c)
{
	struct te_body *b;
	const tir_expr *v;
	bool is_float = dtype_is_float(c->in[0]->dtype);

	if (c->op->id == OP_power && !is_float)
		return te_error(c, "the inputs must be floats");
	if (is_float &&
	    (c->op->id == OP_left_shift || c->op->id == OP_right_shift ||
	     c->op->id == OP_bitwise_and || c->op->id == OP_bitwise_or ||
	     c->op->id == OP_bitwise_xor))
		return te_error(c, "the inputs must be integers");
	b = te_begin_out(c, NULL, 0);
	v = element(c, operand(c, b, 0), operand(c, b, 1));
	return te_output(c, 0, te_end(b, te_cast(c, te_out_dtype(c, 0), v)));
}

bool
compute_where(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *cond = te_cast(c, DTYPE_BOOL, operand(c, b, 0));

	return te_output(c, 0,
			 te_end(b, te_select(c, cond, operand(c, b, 1),
					     operand(c, b, 2))));
}

/* A vector along one axis of the data: the index into it. */
static const tir_expr *
along_axis(struct te_call *c, const struct te_body *b)
{
	int64_t axis = te_axis_of(te_attr_int(c, "axis", 1), b->ndim);

	return te_at(c, c->in[1], b->i[axis]);
}

bool
compute_nn_bias_add(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);

	return te_output(c, 0,
			 te_end(b, te_add(c, te_get(c, c->in[0], b->i),
					  along_axis(c, b))));
}

bool
compute_nn_prelu(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *x = te_get(c, c->in[0], b->i);

	return te_output(
		c, 0,
		te_end(b,
		       te_select(c, te_cmp(c, TIR_GT, x, te_zero(c, x->dtype)),
				 x, te_mul(c, x, along_axis(c, b)))));
}

/* broadcast_to and its likes: the data, spread over a larger box. */
bool
compute_broadcast_to(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);

	return te_output(c, 0, te_end(b, operand(c, b, 0)));
}
