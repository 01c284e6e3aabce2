/*
 * Quantized operators, as the integer and float arithmetic that they are
 * defined by: value = scale * (q - zero_point).
 */
#include "te/compute/computes.h"

#include <math.h>
#include <string.h>

#include "te/compute/qnn.h"

static const struct dtype i32 = {DTYPE_INT, 32, 1};
static const struct dtype i64 = {DTYPE_INT, 64, 1};
static const struct dtype f32 = {DTYPE_FLOAT, 32, 1};

/*
 * A scale or zero point: one for all, or one per channel along AXIS. AT is
 * the index of the element that it is for.
 */
static const tir_expr *
param(struct te_call *c, const struct te_tensor *t, const tir_expr *const *at,
      int64_t axis)
{
	if (t->ndim == 0 || (t->ndim == 1 && t->shape[0] == 1))
		return te_get0(c, t);
	return te_at(c, t, te_broadcast_index(c, t->shape[0], at[axis]));
}

static const tir_expr *
param_int(struct te_call *c, uint32_t input, const tir_expr *const *at,
	  int64_t axis)
{
	return te_cast(c, i32, param(c, c->in[input], at, axis));
}

const tir_expr *
te_saturate(struct te_call *c, struct dtype t, const tir_expr *v)
{
	if (t.bits < v->dtype.bits || t.code != v->dtype.code) {
		int64_t high = t.code == DTYPE_INT
				       ? (INT64_C(1) << (t.bits - 1)) - 1
			       : t.bits < 32 ? (INT64_C(1) << t.bits) - 1
					     : INT32_MAX;
		int64_t low = t.code == DTYPE_INT ? -high - 1 : 0;

		v = te_max(c, te_min(c, v, te_lit_int(c, v->dtype, high)),
			   te_lit_int(c, v->dtype, low));
	}
	return te_cast(c, t, v);
}

/* The same for a float32 that is a whole number. */
static const tir_expr *
saturate_float(struct te_call *c, struct dtype t, const tir_expr *v)
{
	double high = ldexp(1, t.bits - (t.code == DTYPE_INT)) - 1;
	double low = t.code == DTYPE_INT ? -ldexp(1, t.bits - 1) : 0;

	if (t.bits >= 32)
		high = ldexp(1, t.bits - (t.code == DTYPE_INT)) - 128;
	v = te_max(c, te_min(c, v, te_lit(c, f32, high)), te_lit(c, f32, low));
	return te_cast(c, t, v);
}

bool
compute_qnn_quantize(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	int64_t axis = te_axis_of(te_attr_int(c, "axis", -1), b->ndim);
	const tir_expr *x = te_cast(c, f32, te_get(c, c->in[0], b->i));
	const tir_expr *s = te_cast(c, f32, param(c, c->in[1], b->i, axis));
	const tir_expr *z = te_cast(c, f32, param_int(c, 2, b->i, axis));
	const tir_expr *v = te_unary(c, INTRIN_ROUND, te_div(c, x, s));

	return te_output(c, 0,
			 te_end(b, saturate_float(c, te_out_dtype(c, 0),
						  te_add(c, v, z))));
}

bool
compute_qnn_dequantize(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	int64_t axis = te_axis_of(te_attr_int(c, "axis", -1), b->ndim);
	const tir_expr *q = te_cast(c, i32, te_get(c, c->in[0], b->i));
	const tir_expr *v =
		te_cast(c, f32, te_sub(c, q, param_int(c, 2, b->i, axis)));

	v = te_mul(c, v, te_cast(c, f32, param(c, c->in[1], b->i, axis)));
	if (te_out_dtype(c, 0).bits == 16)
		v = te_max(c, te_min(c, v, te_lit(c, f32, 65504)),
			   te_lit(c, f32, -65504));
	return te_output(c, 0, te_end(b, te_cast(c, te_out_dtype(c, 0), v)));
}

/* A ratio as m * 2^(e - 31), m below 2^31. */
struct fixed {
	const tir_expr *m, *e;
};

/* How one quantized value becomes another. Scales may be NULL: the same. */
struct requant {
	const tir_expr *in_scale, *in_zero;
	const tir_expr *out_scale, *out_zero;
	bool to_nearest; /* else upward */
	struct fixed by; /* the ratio, if it is known so */
};

static bool
same_number(const tir_expr *a, const tir_expr *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind)
		return false;
	return (a->kind == TIR_FLOAT && a->f == b->f) ||
	       (a->kind == TIR_INT && a->i == b->i);
}

/*
 * (q - z_in) * s_in / s_out + z_out as int32, in float type F; the quotient of
 * constant scales is taken in double and rounded once.
 */
static const tir_expr *
requantized_float(struct te_call *c, const tir_expr *q, const struct requant *r,
		  struct dtype f)
{
	const tir_expr *t = te_sub(c, te_cast(c, i32, q), r->in_zero);
	const tir_expr *ratio;

	if (same_number(r->in_scale, r->out_scale))
		return te_add(c, t, r->out_zero);
	if (r->in_scale->kind == TIR_FLOAT && r->out_scale->kind == TIR_FLOAT)
		ratio = te_lit(c, f, r->in_scale->f / r->out_scale->f);
	else
		ratio = te_div(c, te_cast(c, f, r->in_scale),
			       te_cast(c, f, r->out_scale));
	t = te_mul(c, te_cast(c, f, t), ratio);
	t = te_add(c, t, te_cast(c, f, r->out_zero));
	if (r->to_nearest)
		t = te_unary(c, INTRIN_ROUND, t);
	else
		t = te_unary(c, INTRIN_FLOOR, te_add(c, t, te_lit(c, f, 0.5)));
	return te_cast(c, i32, t);
}

static struct fixed
fixed_constant(struct te_call *c, double ratio)
{
	int e;
	int64_t m = llround(frexp(ratio, &e) * 2147483648.0);

	if (m == INT64_C(1) << 31) {
		m /= 2;
		e++;
	}
	return (struct fixed){te_lit_int(c, i64, m), te_lit_int(c, i64, e)};
}

/* The same at run time, from the bits of the double. */
static struct fixed
fixed_form(struct te_call *c, const struct requant *r)
{
	static const struct dtype f64 = {DTYPE_FLOAT, 64, 1};
	const tir_expr *full = te_lit_int(c, i64, INT64_C(1) << 31);
	const tir_expr *ratio, *bits, *sig, *over;
	struct fixed v;

	if (r->in_scale->kind == TIR_FLOAT && r->out_scale->kind == TIR_FLOAT)
		return fixed_constant(c, r->in_scale->f / r->out_scale->f);
	ratio = te_div(c, te_cast(c, f64, r->in_scale),
		       te_cast(c, f64, r->out_scale));
	bits = te_reinterpret(c, i64, ratio);
	v.e = te_intrin2(c, INTRIN_SHR, bits, te_lit_int(c, i64, 52));
	v.e = te_addi(c, v.e, -1022);
	sig = te_intrin2(c, INTRIN_BIT_AND, bits,
			 te_lit_int(c, i64, (INT64_C(1) << 52) - 1));
	sig = te_intrin2(c, INTRIN_BIT_OR, sig,
			 te_lit_int(c, i64, INT64_C(1022) << 52));
	sig = te_mul(c, te_reinterpret(c, f64, sig),
		     te_lit(c, f64, 2147483648.0));
	v.m = te_cast(c, i64, te_unary(c, INTRIN_ROUND, sig));
	over = te_cmp(c, TIR_EQ, v.m, full);
	v.m = te_select(c, over, te_lit_int(c, i64, INT64_C(1) << 30), v.m);
	v.e = te_select(c, over, te_addi(c, v.e, 1), v.e);
	return v;
}

/*
 * In 64-bit integers: times the fixed-point form of the ratio, rounded half
 * up, or half away from zero. A ratio below 2^-32 leaves nothing.
 */
static const tir_expr *
requantized(struct te_call *c, const tir_expr *q, const struct requant *r)
{
	const tir_expr *t = te_sub(c, te_cast(c, i32, q), r->in_zero);
	const tir_expr *zero = te_zero(c, i64), *one = te_lit_int(c, i64, 1);
	const tir_expr *left, *right, *y, *half;
	struct fixed by;

	if (same_number(r->in_scale, r->out_scale))
		return te_add(c, t, r->out_zero);
	by = r->by.m ? r->by : fixed_form(c, r);
	left = te_max(c, zero, te_min(c, by.e, te_lit_int(c, i64, 31)));
	right = te_max(c, zero, te_sub(c, zero, by.e));
	right = te_addi(c, te_min(c, right, te_lit_int(c, i64, 31)), 31);
	y = te_mul(c, te_intrin2(c, INTRIN_SHL, te_cast(c, i64, t), left),
		   by.m);
	half = te_intrin2(c, INTRIN_SHL, one, te_addi(c, right, -1));
	if (r->to_nearest)
		half = te_select(c, te_cmp(c, TIR_GE, y, zero), half,
				 te_addi(c, half, -1));
	y = te_intrin2(c, INTRIN_SHR, te_add(c, y, half), right);
	y = te_select(c, te_cmp(c, TIR_LT, by.e, te_lit_int(c, i64, -31)), zero,
		      y);
	return te_add(c, te_cast(c, i32, y), r->out_zero);
}

/* In integers, unless the attribute "compute_dtype" says otherwise. */
static const tir_expr *
rescale(struct te_call *c, const tir_expr *q, const struct requant *r,
	const char *compute)
{
	static const struct dtype f64 = {DTYPE_FLOAT, 64, 1};

	if (strcmp(compute, "float32") == 0)
		return requantized_float(c, q, r, f32);
	if (strcmp(compute, "float64") == 0)
		return requantized_float(c, q, r, f64);
	return requantized(c, q, r);
}

static const tir_expr *
param_scale(struct te_call *c, uint32_t input, const tir_expr *const *at,
	    int64_t axis)
{
	double v;

	if (c->in[input]->ndim == 0 && te_const_double(c, input, 0, &v))
		return te_lit(c, f32, v);
	return te_cast(c, f32, param(c, c->in[input], at, axis));
}

/* The form of each channel's ratio, worked out once: m (E: e). */
static struct te_tensor *
ratio_table(struct te_call *c, const struct te_tensor *channels, uint32_t scale,
	    uint32_t out_scale, bool e)
{
	struct te_body *b =
		te_begin_like(c, e ? "shift" : "multiplier", channels);
	struct requant r = {
		.in_scale = param_scale(c, scale, b->i, 0),
		.out_scale = param_scale(c, out_scale, b->i, 0),
	};
	struct fixed by = fixed_form(c, &r);

	return te_end(b, e ? by.e : by.m);
}

/* The ratio at channel AT, where the scales differ between channels. */
static struct fixed
ratio_at(struct te_call *c, uint32_t scale, uint32_t out_scale,
	 const tir_expr *at)
{
	const struct te_tensor *s = c->in[scale];

	if (s->ndim != 1 || s->shape[0] == 1)
		return (struct fixed){NULL, NULL};
	return (struct fixed){
		te_at(c, ratio_table(c, s, scale, out_scale, false), at),
		te_at(c, ratio_table(c, s, scale, out_scale, true), at),
	};
}

bool
compute_qnn_requantize(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	int64_t axis = te_axis_of(te_attr_int(c, "axis", -1), b->ndim);
	struct requant r = {
		param_scale(c, 1, b->i, axis),
		param_int(c, 2, b->i, axis),
		param_scale(c, 3, b->i, axis),
		param_int(c, 4, b->i, axis),
		strcmp(te_attr_string(c, "rounding"), "TONEAREST") == 0,
		b->ndim ? ratio_at(c, 1, 3, b->i[axis])
			: (struct fixed){NULL, NULL},
	};
	const tir_expr *v = rescale(c, te_get(c, c->in[0], b->i), &r,
				    te_attr_string(c, "compute_dtype"));

	return te_output(c, 0,
			 te_end(b, te_saturate(c, te_out_dtype(c, 0), v)));
}

struct te_tensor *
te_without_zero(struct te_call *c, struct te_tensor *t, uint32_t zero,
		uint32_t axis)
{
	struct te_body *b = te_begin_like(c, "shifted", t);
	const tir_expr *v = te_cast(c, i32, te_get(c, t, b->i));

	return te_end(b, te_sub(c, v, param_int(c, zero, b->i, axis)));
}

struct te_tensor *
te_requantize(struct te_call *c, struct te_tensor *t, uint32_t scale,
	      uint32_t out_scale)
{
	struct te_body *b = te_begin_like(c, "requantized", t);
	struct requant r = {
		param_scale(c, scale, b->i, 0),
		param_int(c, scale + 1, b->i, 0),
		param_scale(c, out_scale, b->i, 0),
		param_int(c, out_scale + 1, b->i, 0),
		false,
		{NULL, NULL},
	};

	return te_end(b, requantized(c, te_get(c, t, b->i), &r));
}

/* Operand K (0, 1) of a binary operator, requantized to the output. */
static const tir_expr *
operand(struct te_call *c, const struct te_body *b, uint32_t k)
{
	int64_t axis = te_axis_of(
		te_attr_int(c, k ? "rhs_axis" : "lhs_axis", -1), b->ndim);
	struct requant r = {
		param_scale(c, 2 + 2 * k, b->i, axis),
		param_int(c, 3 + 2 * k, b->i, axis),
		param_scale(c, 6, b->i, axis),
		param_int(c, 7, b->i, axis),
		false,
		b->ndim ? ratio_at(c, 2 + 2 * k, 6, b->i[axis])
			: (struct fixed){NULL, NULL},
	};

	return requantized(c, te_get_broadcast(c, c->in[k], b->i, b->ndim), &r);
}

/* (a - za) * (b - zb), requantized from the product of the scales. */
static const tir_expr *
multiplied(struct te_call *c, const struct te_body *b)
{
	const tir_expr *x[2];
	const tir_expr *s[2];
	struct requant r = {.to_nearest = false};

	for (uint32_t k = 0; k < 2; k++) {
		int64_t axis = te_axis_of(
			te_attr_int(c, k ? "rhs_axis" : "lhs_axis", -1),
			b->ndim);

		x[k] = te_cast(c, i32,
			       te_get_broadcast(c, c->in[k], b->i, b->ndim));
		x[k] = te_sub(c, x[k], param_int(c, 3 + 2 * k, b->i, axis));
		s[k] = param_scale(c, 2 + 2 * k, b->i, axis);
	}
	r.in_scale = te_mul(c, s[0], s[1]);
	r.in_zero = te_zero(c, i32);
	r.out_scale = param_scale(c, 6, b->i, b->ndim ? b->ndim - 1 : 0);
	r.out_zero = param_int(c, 7, b->i, b->ndim ? b->ndim - 1 : 0);
	return requantized(c, te_mul(c, x[0], x[1]), &r);
}

/* qnn.add, qnn.subtract, qnn.mul. */
bool
compute_qnn_binary(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *z = param_int(c, 7, b->i, 0);
	const tir_expr *v;

	if (c->op->id == OP_qnn_mul)
		v = multiplied(c, b);
	else if (c->op->id == OP_qnn_add)
		v = te_sub(c, te_add(c, operand(c, b, 0), operand(c, b, 1)), z);
	else
		v = te_add(c, te_sub(c, operand(c, b, 0), operand(c, b, 1)), z);
	return te_output(c, 0,
			 te_end(b, te_saturate(c, te_out_dtype(c, 0), v)));
}

/* qnn.dense, qnn.batch_matmul: products of values without zero points. */
bool
compute_qnn_matmul(struct te_call *c)
{
	bool batched = c->op->id == OP_qnn_batch_matmul;
	struct te_tensor *x = c->in[0];
	struct te_tensor *w = c->in[1];
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *at[TE_MAX_RANK];
	const tir_expr *k = te_fold_axis(b, "k", x->shape[x->ndim - 1]);
	const tir_expr *j = b->i[b->ndim - 1];
	const tir_expr *xv;
	const tir_expr *wv;

	for (uint32_t i = 0; i + 1 < x->ndim; i++)
		at[i] = b->i[i];
	at[x->ndim - 1] = k;
	if (batched && x->shape[0] == 1)
		at[0] = te_int(c, 0);
	xv = te_sub(c, te_cast(c, i32, te_get(c, x, at)),
		    param_int(c, 2, at, 0));
	wv = batched ? te_at(c, w, w->shape[0] == 1 ? te_int(c, 0) : b->i[0], j,
			     k)
		     : te_at(c, w, j, k);
	wv = te_sub(c, te_cast(c, i32, wv),
		    te_cast(c, i32, param(c, c->in[3], &j, 0)));
	return te_output(c, 0, te_end_fold(b, TE_SUM, te_mul(c, xv, wv)));
}

/* Each field requantized to the output's parameters, then joined. */
static struct te_tensor *
requantize_field(struct te_call *c, struct te_tensor *x,
		 const struct te_tensor *scale, const struct te_tensor *zero,
		 uint32_t out_scale)
{
	struct te_body *b = te_begin_like(c, "requantized", x);
	const tir_expr *const *at = b->i;
	struct requant r = {
		te_cast(c, f32, param(c, scale, at, 0)),
		te_cast(c, i32, param(c, zero, at, 0)),
		param_scale(c, out_scale, at, 0),
		param_int(c, out_scale + 1, at, 0),
		false,
		{NULL, NULL},
	};

	return te_end(b, te_saturate(c, x->dtype,
				     requantized(c, te_get(c, x, b->i), &r)));
}

bool
compute_qnn_concatenate(struct te_call *c)
{
	uint32_t n = c->first[1] - c->first[0];
	uint32_t axis = (uint32_t)te_axis_of(te_attr_int(c, "axis", 0),
					     te_out_ndim(c, 0));
	struct te_body *b;
	const tir_expr *v = NULL;
	struct te_tensor **part =
		ARENA_NEW_ARRAY(&c->m->arena, n, struct te_tensor *);
	int64_t start = 0;
	int64_t *starts = ARENA_NEW_ARRAY(&c->m->arena, n, int64_t);

	for (uint32_t i = 0; i < n; i++) {
		part[i] = requantize_field(c, c->in[i], c->in[n + i],
					   c->in[2 * n + i], 3 * n);
		starts[i] = start;
		start = te_dim_add(c, start, part[i]->shape[axis]);
	}
	b = te_begin_out(c, NULL, 0);
	for (uint32_t i = n; i-- > 0;) {
		const tir_expr *index[TE_MAX_RANK];
		const tir_expr *x;

		for (uint32_t k = 0; k < b->ndim; k++)
			index[k] = b->i[k];
		index[axis] = te_sub(c, b->i[axis], te_int(c, starts[i]));
		x = te_get(c, part[i], index);
		v = v ? te_guard(c,
				 te_cmp(c, TIR_LT, b->i[axis],
					te_int(c, starts[i + 1])),
				 x, v)
		      : x;
	}
	return te_output(c, 0, te_end(b, v));
}

/* abs, erf, exp, ... of the real value, quantized again. */
bool
compute_qnn_unary(struct te_call *c)
{
	static const struct {
		enum op_id op;
		enum tir_intrin f;
	} map[] = {
		{OP_qnn_abs, INTRIN_ABS},     {OP_qnn_erf, INTRIN_ERF},
		{OP_qnn_exp, INTRIN_EXP},     {OP_qnn_log, INTRIN_LOG},
		{OP_qnn_rsqrt, INTRIN_RSQRT}, {OP_qnn_sigmoid, INTRIN_SIGMOID},
		{OP_qnn_sqrt, INTRIN_SQRT},   {OP_qnn_tanh, INTRIN_TANH},
	};
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *v =
		te_sub(c, te_cast(c, i32, te_get(c, c->in[0], b->i)),
		       param_int(c, 2, b->i, 0));
	const tir_expr *h;

	v = te_mul(c, te_cast(c, f32, v), param_scale(c, 1, b->i, 0));
	if (c->op->id == OP_qnn_hardswish) {
		h = te_add(c, v, te_lit(c, f32, 3));
		h = te_max(c, te_min(c, h, te_lit(c, f32, 6)),
			   te_lit(c, f32, 0));
		v = te_div(c, te_mul(c, v, h), te_lit(c, f32, 6));
	}
	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++)
		if (map[i].op == c->op->id)
			v = te_unary(c, map[i].f, v);
	v = te_unary(c, INTRIN_ROUND, te_div(c, v, param_scale(c, 3, b->i, 0)));
	v = te_add(c, v, te_cast(c, f32, param_int(c, 4, b->i, 0)));
	return te_output(c, 0,
			 te_end(b, saturate_float(c, te_out_dtype(c, 0), v)));
}
