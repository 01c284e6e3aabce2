#include "passes/quant/affine.h"

#include <math.h>

static const struct dtype float32 = {DTYPE_FLOAT, 32, 1};
static const struct dtype int32 = {DTYPE_INT, 32, 1};

const ir_tensor *
affine_data(const ir_expr *e)
{
	return e->kind == IR_CONSTANT ? ir_as_constant(e)->data : NULL;
}

static bool
is_vector(const ir_tensor *t)
{
	return t->ndim <= 1;
}

bool
affine_close(const ir_expr *a, const ir_expr *b)
{
	const ir_tensor *x = affine_data(a);
	const ir_tensor *y = affine_data(b);
	int64_t nx;
	int64_t ny;

	if (a == b)
		return true;
	if (!x || !y || !is_vector(x) || !is_vector(y))
		return false;
	nx = ir_tensor_size(x);
	ny = ir_tensor_size(y);
	if (nx != ny && nx != 1 && ny != 1)
		return false;
	for (int64_t i = 0; i < nx || i < ny; i++) {
		double v = ir_tensor_get_double(x, nx == 1 ? 0 : i);
		double w = ir_tensor_get_double(y, ny == 1 ? 0 : i);

		if (!(v == w || fabs(v - w) <= 1e-8 + 1e-5 * fabs(w)))
			return false;
	}
	return true;
}

bool
affine_same(const struct affine *a, const struct affine *b)
{
	return affine_close(a->scale, b->scale) &&
	       affine_close(a->zero, b->zero) &&
	       dtype_equal(a->dtype, b->dtype);
}

static int64_t
extent(const ir_expr *e)
{
	const ir_tensor *d = affine_data(e);
	const struct ir_tensor_type *t;

	if (d)
		return d->ndim == 0 ? 0 : ir_tensor_size(d);
	if (!e->type || e->type->kind != TYPE_TENSOR)
		return -1;
	t = ir_as_tensor_type(e->type);
	if (t->ndim == 0)
		return 0;
	return t->ndim == 1 && ir_dim_is_const(t->shape[0]) ? t->shape[0].value
							    : -1;
}

int64_t
affine_channels(const struct affine *t)
{
	int64_t s = extent(t->scale);

	return s ? s : extent(t->zero);
}

bool
affine_per_channel(const struct affine *t)
{
	int64_t s = extent(t->scale);
	int64_t z = extent(t->zero);

	return s < 0 || s > 1 || z < 0 || z > 1;
}

const ir_expr *
affine_scalar(const struct opcall *b, const ir_expr *e)
{
	const ir_tensor *d = affine_data(e);

	if (!d || d->ndim != 1 || ir_tensor_size(d) != 1)
		return e;
	return ir_new_scalar(b->m, e->loc, d->dtype,
			     ir_tensor_get_double(d, 0));
}

static const ir_expr *
take_constant(const struct opcall *b, ir_tensor *t)
{
	const ir_expr *e = ir_new_constant(b->m, b->loc, t);

	ir_tensor_unref(t);
	return e;
}

const ir_expr *
affine_product(const struct opcall *b, const ir_expr *x, const ir_expr *y)
{
	const ir_tensor *p = affine_data(x);
	const ir_tensor *q = affine_data(y);
	const ir_tensor *big;
	ir_tensor *out;
	int64_t np;
	int64_t nq;

	if (!p || !q || p->ndim > 1 || q->ndim > 1)
		return opcall_binary(b, OP_multiply, x, y);
	np = ir_tensor_size(p);
	nq = ir_tensor_size(q);
	if (np != nq && np != 1 && nq != 1)
		return opcall_binary(b, OP_multiply, x, y);
	big = np > nq || (np == nq && p->ndim > q->ndim) ? p : q;
	out = ir_tensor_new(float32, big->shape, big->ndim);
	for (int64_t i = 0; i < ir_tensor_size(big); i++) {
		float v = (float)ir_tensor_get_double(p, np == 1 ? 0 : i);
		float w = (float)ir_tensor_get_double(q, nq == 1 ? 0 : i);

		ir_tensor_set_double(out, i, (double)(v * w));
	}
	return take_constant(b, out);
}

const ir_expr *
affine_zeros(const struct opcall *b, const ir_expr *scale)
{
	int64_t n = extent(scale);

	if (n < 0)
		return opcall_cast(b, opcall_unary(b, OP_zeros_like, scale),
				   int32);
	return take_constant(b, ir_tensor_new(int32, &n, n ? 1 : 0));
}

bool
affine_rank(const ir_expr *e, uint32_t *rank)
{
	if (!e->type || e->type->kind != TYPE_TENSOR)
		return false;
	*rank = ir_as_tensor_type(e->type)->ndim;
	return true;
}

const ir_expr *
affine_call(const struct opcall *b, enum op_id op, const ir_expr *const *args,
	    uint32_t n, const ir_attrs *attrs)
{
	return ir_new_op_call(b->m, b->loc, op, args, n,
			      opcall_attrs(b, op, attrs));
}

const ir_expr *
affine_requantize(const struct opcall *b, const ir_expr *e,
		  const struct affine *t, const struct affine *out,
		  struct dtype dtype)
{
	const ir_expr *args[] = {e, t->scale, t->zero, out->scale, out->zero};
	const ir_attrs *a =
		ir_attrs_defaults(b->m->cx, attrs_schema(ATTRS_Requantize));

	a = ir_attrs_with(b->m->cx, a, "axis", ATTR_INT32(t->axis));
	a = ir_attrs_with(b->m->cx, a, "out_dtype", ATTR_DT(dtype));
	return ir_new_op_call(b->m, b->loc, OP_qnn_requantize, args, 5, a);
}

/* quantize or dequantize: both have an axis and a result type. */
static const ir_expr *
convert(const struct opcall *b, enum op_id op, const ir_expr *e,
	const struct affine *t, int64_t axis, struct dtype dtype)
{
	const ir_expr *args[] = {e, t->scale, t->zero};
	const ir_attrs *a = ir_attrs_defaults(b->m->cx, ir_op_info(op)->attrs);

	a = ir_attrs_with(b->m->cx, a, "out_dtype", ATTR_DT(dtype));
	a = ir_attrs_with(b->m->cx, a, "axis", ATTR_INT32(axis));
	return ir_new_op_call(b->m, b->loc, op, args, 3, a);
}

const ir_expr *
affine_quantize(const struct opcall *b, const ir_expr *e,
		const struct affine *t, int64_t axis)
{
	return convert(b, OP_qnn_quantize, e, t, axis, t->dtype);
}

const ir_expr *
affine_dequantize(const struct opcall *b, const ir_expr *e,
		  const struct affine *t, struct dtype dtype)
{
	return convert(b, OP_qnn_dequantize, e, t, t->axis, dtype);
}
