/*
 * print-mac-count: multiplications with addition that convolutions and matrix
 * products take, in each function and in all.
 *
 * A convolution takes as many for each element of its result as a kernel has
 * for one output channel; the count of a transposed one goes by its result,
 * too, so it is that of the convolution with the same data and result. A call
 * counts once, as does what it calls: a function that is called twice is
 * counted where it stands.
 *
 * Level: analysis. Needs: types.
 */
#include "passes/analysis/report.h"

#include <inttypes.h>

#include "ir/layout.h"

struct mac_counter {
	pass_ctx *cx;
	int64_t total;
};

static const struct ir_tensor_type *
arg_type(const struct ir_call *call, uint32_t i)
{
	return ir_as_tensor_type(ir_type_of(call->args[i]));
}

/* *N times the extent of dimension I counted from the end (-1: last). */
static bool
times_dim(int64_t *n, const struct ir_tensor_type *t, int i)
{
	struct ir_dim d = t->shape[(int)t->ndim + i];

	return ir_dim_is_const(d) && !__builtin_mul_overflow(*n, d.value, n);
}

/* Input channels by group times the elements of a kernel's window. */
static bool
conv_work(const struct ir_call *call, int64_t *n)
{
	const struct ir_tensor_type *data = arg_type(call, 0);
	const ir_attr *window = ir_attrs_get(call->attrs, "kernel_size");
	int64_t groups = ir_attrs_int(call->attrs, "groups", 1);
	struct ir_layout l;
	int64_t channels = 1;
	int at;

	if (!window || window->kind != ATTR_ARRAY || groups < 1 ||
	    !ir_layout_parse(ir_attrs_string(call->attrs, "data_layout"), &l) ||
	    l.n != data->ndim)
		return false;
	at = ir_layout_index(&l, 'C');
	if (at < 0 || !times_dim(&channels, data, at - (int)data->ndim))
		return false;
	at = ir_layout_index(&l, 'c');
	if (at >= 0 && !times_dim(&channels, data, at - (int)data->ndim))
		return false;
	if (__builtin_mul_overflow(*n, channels / groups, n))
		return false;
	for (uint32_t i = 0; i < window->n; i++)
		if (__builtin_mul_overflow(*n, ir_attr_elem_int(window, i), n))
			return false;
	return true;
}

/* The extent that a product of matrices sums over. */
static bool
product_work(const struct ir_call *call, const char *transpose, int64_t *n)
{
	bool transposed = transpose && ir_attrs_bool(call->attrs, transpose);

	return times_dim(n, arg_type(call, 0), transposed ? -2 : -1);
}

/* *N becomes what CALL takes for one element; false: not known. */
static bool
work_by_element(const struct ir_call *call, int64_t *n)
{
	bool known = true;

	*n = 1;
	switch (ir_as_op_ref(call->callee)->op->id) {
	case OP_nn_conv1d:
	case OP_nn_conv2d:
	case OP_nn_conv3d:
	case OP_nn_conv1d_transpose:
	case OP_nn_conv2d_transpose:
	case OP_nn_conv3d_transpose:
	case OP_nn_contrib_conv2d_NCHWc:
	case OP_nn_contrib_depthwise_conv2d_NCHWc:
	case OP_qnn_conv2d:
	case OP_qnn_conv2d_transpose:
		known = conv_work(call, n);
		break;
	case OP_nn_dense:
	case OP_nn_contrib_dense_pack:
	case OP_qnn_dense:
	case OP_qnn_contrib_dense_pack:
		known = product_work(call, NULL, n);
		break;
	case OP_nn_matmul:
		known = product_work(call, "transpose_a", n);
		break;
	case OP_nn_batch_matmul:
	case OP_qnn_batch_matmul:
		known = product_work(call, "transpose_a", n);
		break;
	default:
		*n = 0;
	}
	return known;
}

static void
count_call(const ir_expr *e, void *env)
{
	struct mac_counter *c = env;
	int64_t size, n;
	bool known;

	if (!ir_called_op(e) || e->type->kind != TYPE_TENSOR)
		return;
	known = work_by_element(ir_as_call(e), &n);
	if (known && n == 0)
		return;
	if (!known || !ir_shape_size(ir_as_tensor_type(e->type), &size) ||
	    __builtin_mul_overflow(n, size, &n) ||
	    __builtin_add_overflow(c->total, n, &c->total))
		pass_warning(c->cx, e->loc,
			     "not counted: extents of '%s' are not known",
			     ir_called_op(e)->name);
}

bool
pass_print_mac_count(pass_ctx *cx)
{
	struct report r = {.cx = cx};
	int64_t total = 0;
	size_t n = 0;

	for (ir_def **d = report_functions(cx); *d; d++) {
		struct mac_counter c = {.cx = cx};

		ir_walk(&(*d)->fn->base, NULL, count_call, &c);
		report_line(&r, 0, "@%s: %" PRId64, (*d)->name, c.total);
		total += c.total;
		n++;
	}
	if (n > 1)
		report_line(&r, 0, "total: %" PRId64, total);
	report_end(&r);
	return false;
}
