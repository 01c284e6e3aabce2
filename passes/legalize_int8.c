/*
 * legalize: products of bytes for x86, whose instructions multiply unsigned
 * data with signed weights, four in a lane of 32 bits.
 *
 *     nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=10,
 *               kernel_size=[3, 3], out_dtype="int32")      x of 3 channels
 *                        becomes
 *     %0 = cast(%x, dtype="int32");
 *     %1 = add(%0, 128);
 *     %2 = cast(%1, dtype="uint8");
 *     %3 = nn.pad(%2, 128, pad_width=[.., [1, 1], [1, 1]]);
 *     %4 = nn.pad(%3, 0, pad_width=[.., [0, 1], ..]);
 *     %5 = nn.pad(nn.pad(%w, 0, ..), 0, ..);         4 channels to 16
 *     %6 = nn.conv2d(%4, %5, padding=[0, 0], channels=16, ..);
 *     %7 = strided_slice(%6, ..);
 *     %8 = sum(cast(%w, dtype="int32"), axis=[1, 2, 3]);
 *     subtract(%7, multiply(expand_dims(%8, ..), 128))
 *
 * Sums wrap around at 32 bits before and after, so the result is the same to
 * the bit; it must be int32 for that. Data that is unsigned stays. The same
 * goes for quantized products, where zero points take up the difference.
 *
 * Where TVM 0.18 pads the outputs of a dense layer but not its attribute units,
 * or cuts the batch of a product down to that of the first factor, this does
 * not.
 */
#include <string.h>

#include "passes/legalize_rules.h"
#include "passes/padding.h"
#include "passes/quant/affine.h"

enum { LANES = 16, GROUP = 4, HALF = 128 };

static const struct dtype int8 = {DTYPE_INT, 8, 1};
static const struct dtype uint8 = {DTYPE_UINT, 8, 1};
static const struct dtype int32 = {DTYPE_INT, 32, 1};

/* A product that is rewritten: of X and W, with the types that they had. */
struct site {
	const struct opcall *b;
	const ir_attrs *attrs;
	const ir_expr *x, *w;
	const struct ir_tensor_type *xt, *wt, *out;
};

static bool
site_init(struct site *s, const struct opcall *b, const ir_expr *e,
	  const ir_expr *old)
{
	const struct ir_call *c = ir_as_call(e);

	*s = (struct site){
		.b = b,
		.attrs = c->attrs,
		.x = c->args[0],
		.w = c->args[1],
		.xt = legalize_type(ir_as_call(old)->args[0]),
		.wt = legalize_type(ir_as_call(old)->args[1]),
		.out = legalize_type(old),
	};
	return s->xt && s->wt && s->out && dtype_equal(s->out->dtype, int32);
}

static bool
is_byte(struct dtype t)
{
	return dtype_equal(t, int8) || dtype_equal(t, uint8);
}

/* What is added to N to make it a multiple of MOD. */
static int64_t
missing(int64_t n, int64_t mod)
{
	return (mod - n % mod) % mod;
}

static const ir_expr *
int_of(const struct site *s, int64_t v)
{
	return ir_new_scalar_int(s->b->m, s->b->loc, int32, v);
}

/* X with VALUE around, BEFORE[i] and BEHIND[i] elements on axis I of N. */
static const ir_expr *
pad(const struct site *s, const ir_expr *x, int64_t value,
    const int64_t *before, const int64_t *behind, uint32_t n)
{
	ir_context *cx = s->b->m->cx;
	const ir_attrs *a = opcall_attrs(s->b, OP_nn_pad, NULL);
	const ir_expr *args[] = {x, int_of(s, value)};
	ir_attr widths[8];

	for (uint32_t i = 0; i < n; i++) {
		int64_t both[] = {before ? before[i] : 0, behind[i]};

		widths[i] = ir_attr_int_array(cx, both, 2, 32);
	}
	a = ir_attrs_with(cx, a, "pad_width", ir_attr_array(cx, widths, n));
	return ir_new_op_call(s->b->m, s->b->loc, OP_nn_pad, args, 2, a);
}

/* X with zeros behind on one axis of N, which may be none. */
static const ir_expr *
pad_behind(const struct site *s, const ir_expr *x, uint32_t axis, int64_t more,
	   uint32_t n)
{
	int64_t behind[8] = {0};

	behind[axis] = more;
	return more ? pad(s, x, 0, NULL, behind, n) : x;
}

/* The values of signed X as unsigned ones, 128 more. */
static const ir_expr *
as_unsigned(const struct site *s)
{
	const ir_expr *x = opcall_cast(s->b, s->x, int32);

	x = opcall_binary(s->b, OP_add, x, int_of(s, HALF));
	return opcall_cast(s->b, x, uint8);
}

/* What 128 in each element of X adds: 128 times sums of W over AXES. */
static const ir_expr *
sums_of_weights(const struct site *s, const int64_t *axes, uint32_t n)
{
	return opcall_unary_ints(s->b, OP_sum, opcall_cast(s->b, s->w, int32),
				 "axis", axes, n);
}

/* The part of E, which is larger, that the result was. */
static const ir_expr *
cut(const struct site *s, const ir_expr *e, bool by_size)
{
	int64_t end[8];

	for (uint32_t i = 0; i < s->out->ndim; i++)
		end[i] = ir_dim_is_const(s->out->shape[i])
				 ? s->out->shape[i].value
				 : -1;
	return opcall_head(s->b, e, end, s->out->ndim,
			   by_size || !ir_shape_is_static(s->out));
}

/* --------------------------------------------------------- convolutions -- */

/* Where the axes are: channels of the data, inputs and outputs of kernels. */
struct layout {
	const char *data, *kernel;
	uint32_t channels, rows, inputs, outputs;
	int64_t summed[3]; /* axes of a kernel */
	bool last;         /* channels are the last axis */
};

static const struct layout *
layout_of(const ir_attrs *a)
{
	static const struct layout all[] = {
		{"NCHW", "OIHW", 1, 2, 1, 0, {1, 2, 3}, false},
		{"NHWC", "HWIO", 3, 1, 2, 3, {0, 1, 2}, true},
	};
	const char *data = ir_attrs_string(a, "data_layout");
	const char *kernel = ir_attrs_string(a, "kernel_layout");
	const char *out = ir_attrs_string(a, "out_layout");

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (strcmp(all[i].data, data) == 0 &&
		    strcmp(all[i].kernel, kernel) == 0 &&
		    (!*out || strcmp(out, data) == 0))
			return &all[i];
	return NULL;
}

static bool
all_ones(const ir_attr *a)
{
	for (uint32_t i = 0; i < a->n; i++)
		if (ir_attr_elem_int(a, i) != 1)
			return false;
	return true;
}

static bool
is_known(const struct ir_tensor_type *t, uint32_t axis)
{
	return t->ndim == 4 && ir_dim_is_const(t->shape[axis]);
}

/* The data around which 128 stands for 0; the call pads nothing then. */
static const ir_expr *
pad_outside(struct site *s, const struct layout *l, const int64_t *around)
{
	ir_context *cx = s->b->m->cx;
	int64_t before[4] = {0}, behind[4] = {0}, none[2] = {0};
	const ir_expr *x = as_unsigned(s);
	bool any = false;

	for (uint32_t i = 0; i < 2; i++) {
		before[l->rows + i] = around[i];
		behind[l->rows + i] = around[i + 2];
		any |= around[i] || around[i + 2];
	}
	s->attrs = ir_attrs_with(cx, s->attrs, "padding",
				 ir_attr_int_array(cx, none, 2, 32));
	return any ? pad(s, x, HALF, before, behind, 4) : x;
}

const ir_expr *
legalize_int8_conv2d(const struct opcall *b, const ir_expr *e,
		     const ir_expr *old)
{
	ir_context *cx = b->m->cx;
	struct site s;
	const struct layout *l;
	int64_t around[4], inputs, outputs;
	const ir_expr *args[2], *sums = NULL;

	if (!site_init(&s, b, e, old) || !(l = layout_of(s.attrs)) ||
	    !is_known(s.xt, l->channels) || !is_known(s.wt, l->outputs) ||
	    !dtype_equal(s.wt->dtype, int8) || !is_byte(s.xt->dtype) ||
	    !all_ones(ir_attrs_get(s.attrs, "dilation")) ||
	    ir_attrs_int(s.attrs, "groups", 1) != 1 ||
	    !padding_widths(ir_attrs_get(s.attrs, "padding"), 2, around))
		return e;
	inputs = missing(s.xt->shape[l->channels].value, GROUP);
	outputs = missing(s.wt->shape[l->outputs].value, LANES);
	args[0] = s.x;
	if (dtype_equal(s.xt->dtype, int8)) {
		args[0] = pad_outside(&s, l, around);
		sums = sums_of_weights(&s, l->summed, 3);
		if (!l->last)
			sums = opcall_expand_dims(b, sums, 1, 2);
		sums = opcall_binary(b, OP_multiply, sums, int_of(&s, HALF));
	} else if (!inputs && !outputs) {
		return e;
	}
	args[0] = pad_behind(&s, args[0], l->channels, inputs, 4);
	args[1] = pad_behind(&s, s.w, l->inputs, inputs, 4);
	args[1] = pad_behind(&s, args[1], l->outputs, outputs, 4);
	if (outputs)
		s.attrs = ir_attrs_with(
			cx, s.attrs, "channels",
			ATTR_INT32(s.wt->shape[l->outputs].value + outputs));
	e = ir_new_op_call(b->m, b->loc, OP_nn_conv2d, args, 2, s.attrs);
	if (outputs)
		e = cut(&s, e, false);
	return sums ? opcall_binary(b, OP_subtract, e, sums) : e;
}

/* ------------------------------------------------------------- matrices -- */

/* Is it x * transpose(w)? */
static bool
is_plain(enum op_id op, const ir_attrs *a)
{
	return op == OP_nn_dense || (!ir_attrs_int(a, "transpose_a", 0) &&
				     ir_attrs_int(a, "transpose_b", 0));
}

const ir_expr *
legalize_int8_matmul(const struct opcall *b, const ir_expr *e,
		     const ir_expr *old)
{
	enum op_id op = ir_called_op(e)->id;
	static const int64_t last = -1;
	struct site s;
	uint32_t n;
	int64_t k, rows;
	const ir_expr *args[2], *sums;
	const ir_attr *units;

	if (!site_init(&s, b, e, old) || !is_plain(op, s.attrs) ||
	    !dtype_equal(s.xt->dtype, int8) || !is_byte(s.wt->dtype) ||
	    s.wt->ndim < 2 || s.xt->ndim > 8 ||
	    !ir_dim_is_const(s.wt->shape[s.wt->ndim - 1]) ||
	    !ir_dim_is_const(s.wt->shape[s.wt->ndim - 2]))
		return e;
	n = s.wt->ndim;
	k = missing(s.wt->shape[n - 1].value, GROUP);
	rows = missing(s.wt->shape[n - 2].value, LANES);
	sums = opcall_binary(b, OP_multiply, int_of(&s, HALF),
			     sums_of_weights(&s, &last, 1));
	if (op == OP_nn_batch_matmul)
		sums = opcall_expand_dims(b, sums, 1, 1);
	args[0] =
		pad_behind(&s, as_unsigned(&s), s.xt->ndim - 1, k, s.xt->ndim);
	args[1] = s.w;
	if (k || rows) {
		int64_t behind[8] = {0};

		behind[n - 2] = rows;
		behind[n - 1] = k;
		args[1] = pad(&s, s.w, 0, NULL, behind, n);
	}
	units = op == OP_nn_dense ? ir_attrs_get(s.attrs, "units") : NULL;
	if (units && units->kind == ATTR_INT)
		s.attrs = ir_attrs_with(b->m->cx, s.attrs, "units",
					ATTR_INT32(units->i + rows));
	e = ir_new_op_call(b->m, b->loc, op, args, 2, s.attrs);
	if (rows)
		e = cut(&s, e, true);
	return opcall_binary(b, OP_subtract, e, sums);
}

/* ------------------------------------------------------------ quantized -- */

/* ZERO, an int32, and BY more. */
static const ir_expr *
moved_zero(const struct opcall *b, const ir_expr *zero, int64_t by)
{
	const ir_tensor *d = affine_data(zero);
	const ir_expr *out;
	ir_tensor *t;

	if (!d)
		return opcall_binary(
			b, OP_add, zero,
			ir_new_scalar_int(b->m, b->loc, int32, by));
	t = ir_tensor_new(int32, d->shape, d->ndim);
	for (int64_t i = 0; i < ir_tensor_size(d); i++)
		ir_tensor_set_int(t, i, ir_tensor_get_int(d, i) + by);
	out = ir_new_constant(b->m, b->loc, t);
	ir_tensor_unref(t);
	return out;
}

/* Argument I and its zero point as T, which is BY more. */
static void
move(const struct opcall *b, const ir_expr **args, uint32_t i, struct dtype t,
     int64_t by)
{
	const ir_expr *x = opcall_cast(b, args[i], int32);

	x = opcall_binary(b, OP_add, x,
			  ir_new_scalar_int(b->m, b->loc, int32, by));
	args[i] = opcall_cast(b, x, t);
	args[i + 2] = moved_zero(b, args[i + 2], by);
}

const ir_expr *
legalize_int8_quantized(const struct opcall *b, const ir_expr *e,
			const ir_expr *old)
{
	const struct ir_call *c = ir_as_call(e);
	const struct ir_tensor_type *x =
		legalize_type(ir_as_call(old)->args[0]);
	const struct ir_tensor_type *w =
		legalize_type(ir_as_call(old)->args[1]);
	const ir_expr *args[6];
	bool change_x = x && dtype_equal(x->dtype, int8);
	bool change_w = w && dtype_equal(w->dtype, uint8);

	if (!change_x && !change_w)
		return e;
	memcpy(args, c->args, sizeof(args));
	if (change_x)
		move(b, args, 0, uint8, HALF);
	if (change_w)
		move(b, args, 1, int8, -HALF);
	return ir_new_op_call(b->m, b->loc, ir_called_op(e)->id, args, 6,
			      c->attrs);
}
