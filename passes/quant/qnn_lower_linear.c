/*
 * Quantized products: those of integers that have lost their zero points. The
 * data is shifted before it is padded, so padding stands for the real 0.
 */
#include "passes/quant/qnn_lower.h"

#include <string.h>

#include "passes/quant/affine.h"

static const struct dtype int16 = {DTYPE_INT, 16, 1};
static const struct dtype int32 = {DTYPE_INT, 32, 1};
static const struct dtype int64 = {DTYPE_INT, 64, 1};

/* Differences of 8-bit values and ZERO fit 16 bits. */
static bool
is_small(struct dtype t, const ir_expr *zero)
{
	const ir_tensor *d = affine_data(zero);

	if (t.bits > 8 || !d)
		return false;
	for (int64_t i = 0; i < ir_tensor_size(d); i++)
		if (ir_tensor_get_int(d, i) < -255 ||
		    ir_tensor_get_int(d, i) > 255)
			return false;
	return true;
}

/* What to multiply in: as is if there is nothing to subtract. */
static struct dtype
factor_type(const struct qnn_site *s)
{
	struct dtype x = qnn_type(s, 0)->dtype;
	struct dtype w = qnn_type(s, 1)->dtype;
	const ir_expr *x_zero = s->call->args[2];
	const ir_expr *w_zero = s->call->args[3];

	if (qnn_is_zero(x_zero) && qnn_is_zero(w_zero) && dtype_equal(x, w))
		return x;
	return is_small(x, x_zero) && is_small(w, w_zero) ? int16 : int32;
}

/* OP on both arguments, shifted; the channels of the weight along AXIS. */
static const ir_expr *
product(const struct qnn_site *s, enum op_id op, int64_t axis)
{
	ir_context *cx = s->b.m->cx;
	struct dtype out = ir_attrs_dtype(s->call->attrs, "out_dtype");
	struct dtype sum = dtype_equal(out, int64) ? int64 : int32;
	struct dtype t = factor_type(s);
	const ir_attrs *attrs = opcall_attrs(&s->b, op, s->call->attrs);
	struct qnn_param x = qnn_param(s, 4, 2, qnn_type(s, 0)->ndim, 0);
	struct qnn_param w = qnn_param(s, 5, 3, qnn_type(s, 1)->ndim, axis);
	const ir_expr *args[2];
	const ir_expr *e;

	args[0] = qnn_shift(s, s->call->args[0], qnn_type(s, 0)->dtype, x.zero,
			    t);
	args[1] = qnn_shift(s, s->call->args[1], qnn_type(s, 1)->dtype,
			    qnn_along(s, w.zero, &w), t);
	attrs = ir_attrs_with(cx, attrs, "out_dtype", ATTR_DT(sum));
	if (op == OP_nn_batch_matmul) {
		attrs = ir_attrs_with(cx, attrs, "transpose_a",
				      ATTR_BOOLEAN(false));
		attrs = ir_attrs_with(cx, attrs, "transpose_b",
				      ATTR_BOOLEAN(true));
	}
	e = ir_new_op_call(s->b.m, s->b.loc, op, args, 2, attrs);
	return dtype_equal(sum, out) ? e : opcall_cast(&s->b, e, out);
}

static const ir_expr *
convolution(const struct qnn_site *s, enum op_id op, char letter)
{
	const char *layout = ir_attrs_string(s->call->attrs, "kernel_layout");
	const char *at = strchr(layout, letter);

	if (strlen(layout) != 4 || !at)
		return NULL;
	return product(s, op, at - layout);
}

const ir_expr *
qnn_lower_conv2d(const struct qnn_site *s)
{
	return convolution(s, OP_nn_conv2d, 'O');
}

const ir_expr *
qnn_lower_conv2d_transpose(const struct qnn_site *s)
{
	return convolution(s, OP_nn_conv2d_transpose, 'I');
}

const ir_expr *
qnn_lower_dense(const struct qnn_site *s)
{
	return product(s, OP_nn_dense, 0);
}

/* Its second operand is transposed, whatever the attributes say. */
const ir_expr *
qnn_lower_batch_matmul(const struct qnn_site *s)
{
	return product(s, OP_nn_batch_matmul, 0);
}
