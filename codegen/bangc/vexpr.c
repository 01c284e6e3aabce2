/*
 * An expression along one loop as vector instructions.
 *
 * What is read along the loop is copied into vectors on the chip, what stays
 * the same is a scalar operand, and each other part of the expression becomes
 * one instruction with a vector for its result, or a loop over the elements
 * where there is none (lanes.c). Equal parts are computed once. Vectors hold
 * floats or integers of 32 bits: halves, bytes, truths are converted when they
 * are loaded and stored.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "codegen/bangc/internal.h"

void
bang_vectors_init(struct bang_vectors *v, struct bang_kernel *k,
		  const struct bang_nest *n, const struct tir_var *along)
{
	*v = (struct bang_vectors){.k = k,
				   .nest = n,
				   .along = along,
				   .indent = "        ",
				   .copy = "__memcpy",
				   .places = 2,
				   .ok = true};
	for (uint32_t i = 0; i < n->nmerged; i++)
		vec_push(&v->names, ((struct bang_name){n->merged[i], "0"}));
	if (along)
		vec_push(&v->names, ((struct bang_name){along, "start"}));
}

void
bang_vectors_free(struct bang_vectors *v)
{
	vec_free(&v->names);
	buf_free(&v->loads);
	buf_free(&v->code);
}

static bool
is_float32(struct dtype t)
{
	return t.code == DTYPE_FLOAT && t.bits == 32 && t.lanes == 1;
}

static bool
is_half(struct dtype t)
{
	return t.code == DTYPE_FLOAT && t.bits == 16 && t.lanes == 1;
}

static unsigned
new_vector(struct bang_vectors *v, const tir_expr *e)
{
	if (v->n == BANG_MAX_VECTORS) {
		v->ok = false;
		return 0;
	}
	v->at[v->n] = e;
	return v->n++;
}

unsigned
bang_new_vector(struct bang_vectors *v)
{
	return new_vector(v, NULL);
}

bool
bang_is_constant(const struct bang_vectors *v, const tir_expr *e)
{
	const struct bang_places *p = v->names.places;

	for (uint32_t i = 0; p && p->whole && i < p->nunits; i++)
		if (bang_mentions(e, p->units[i]))
			return false;
	return !v->along || !bang_mentions(e, v->along);
}

/* E where the loop's variable is zero: only for what is constant. */
static void
put_number(struct bang_vectors *v, const tir_expr *e)
{
	v->ok &= bang_put_expr(&v->code, e, &v->names);
}

static void
call(struct bang_vectors *v, const char *name, unsigned d)
{
	buf_printf(&v->code, "%s%s(x%u", v->indent, name, d);
}

static unsigned
fill(struct bang_vectors *v, const tir_expr *e)
{
	unsigned d = new_vector(v, e);

	buf_printf(&v->code, "%s__bang_write_value(x%u, count, (%s)(",
		   v->indent, d, bang_word(e->dtype));
	put_number(v, e);
	buf_puts(&v->code, "));\n");
	return d;
}

/* The copy of a tile from E's buffer; elements have BYTES each. */
static void
put_load(struct bang_vectors *v, const tir_expr *e, const char *to, int bytes)
{
	const char *from = bang_load_direction(v->k, e->buffer);
	int64_t stride;

	v->from_sram |= bang_in_sram(v->k, e->buffer);
	v->ok &= bang_stride(e->arg[0], v->along, &stride);
	buf_printf(&v->loads, "%s%s(%s, %s + ", v->indent, v->copy, to,
		   e->buffer->name);
	v->ok &= bang_put_expr(&v->loads, e->arg[0], &v->names);
	if (stride == 1)
		buf_printf(&v->loads, ", real * %d, %s);\n", bytes, from);
	else
		buf_printf(&v->loads, ", %d, %s, %d, %" PRId64 ", real - 1);\n",
			   bytes, from, bytes, bytes * stride);
	v->ok &= stride > 0 && stride < (1 << 24);
}

/* Do elements of E's buffer lie one after the other along the loop? */
static bool
in_order(const struct bang_vectors *v, const tir_expr *e)
{
	int64_t stride;

	return bang_stride(e->arg[0], v->along, &stride) && stride > 0 &&
	       stride < (1 << 22);
}

/* Narrow elements are widened from the end of the vector they were copied to. */
static void
load_narrow(struct bang_vectors *v, const tir_expr *e, unsigned d, bool as_ints)
{
	bool wide = e->dtype.bits == 16;
	char at[48];

	snprintf(at, sizeof(at),
		 wide ? "(int16_t *)x%u + tile" : "(int8_t *)x%u + 3 * tile",
		 d);
	put_load(v, e, at, wide ? 2 : 1);
	buf_printf(&v->code, "%s__bang_int%d2float(x%u, %s, count, 0);\n",
		   v->indent, wide ? 16 : 8, d, at);
	if (as_ints)
		buf_printf(&v->code, "%srelay_vint((int *)x%u, x%u, count);\n",
			   v->indent, d, d);
	if (e->dtype.code == DTYPE_UINT && !dtype_is_bool(e->dtype))
		bang_wrap(v, d, d, e->dtype);
}

/* May a vector begin at INDEX, all the way along the other loops? */
static bool
is_aligned(const struct bang_vectors *v, const tir_expr *index, int64_t low)
{
	int64_t at, stride;

	if (v->k->arch->code >= 300 || v->names.places->whole)
		return true;
	if (!bang_origin(index, &at))
		return false;
	for (uint32_t i = 0; i < v->nest->nloops; i++) {
		const struct bang_loop *l = &v->nest->loops[i];

		if (!bang_stride(index, l->var, &stride) ||
		    (l->var != v->along && stride % 16 != 0))
			return false;
		at += stride * l->min;
	}
	return (at - low) % 16 == 0;
}

/* What is on the chip already: as it lies there, or else brought in order. */
static unsigned
load_on_chip(struct bang_vectors *v, const tir_expr *e)
{
	const struct bang_place *place = bang_place_of(&v->names, e->buffer);
	unsigned d = new_vector(v, e);
	struct buf at = {0};
	int64_t stride = 1;

	v->ok &= place && bang_put_place(&at, e->buffer, e->arg[0], &v->names);
	if (v->ok && v->along)
		v->ok &= bang_stride(e->arg[0], v->along, &stride);
	if (!v->ok) {
		buf_free(&at);
		return d;
	}
	if (stride == 1 && is_aligned(v, e->arg[0], place->low)) {
		v->alias[d] = true;
		v->row[d] = v->along &&
			    !strcmp(bang_text(&at),
				    arena_printf(v->k->arena, "%s + start",
						 place->text)) &&
			    place->pitch % v->k->arch->line == 0;
		buf_printf(&v->loads, "%sfloat *x%u = %s;\n", v->indent, d,
			   bang_text(&at));
	} else if (stride == 1) {
		buf_printf(&v->loads,
			   "%s__memcpy(x%u, %s, real * 4, NRAM2NRAM, real * 4, "
			   "real * 4, 0);\n",
			   v->indent, d, bang_text(&at));
	} else {
		buf_printf(&v->loads,
			   "%s__memcpy(x%u, %s, 4, NRAM2NRAM, 4, %" PRId64
			   ", real - 1);\n",
			   v->indent, d, bang_text(&at), 4 * stride);
	}
	buf_free(&at);
	return d;
}

static unsigned
load(struct bang_vectors *v, const tir_expr *e)
{
	bool ordered = !v->along || in_order(v, e);
	unsigned d;
	char at[48];

	if (v->load)
		return v->load(v, e);
	if (!ordered || bang_class_of(e->dtype) == BANG_NO_VECTOR)
		return bang_lanes(v, e);
	if (v->names.places)
		return load_on_chip(v, e);
	d = new_vector(v, e);
	v->loaded[d] = true;
	if (dtype_is_bool(e->dtype)) {
		load_narrow(v, e, d, false);
	} else if (e->dtype.bits == 32) {
		snprintf(at, sizeof(at), "x%u", d);
		put_load(v, e, at, 4);
	} else if (is_half(e->dtype)) {
		snprintf(at, sizeof(at), "(half *)x%u + tile", d);
		put_load(v, e, at, 2);
		buf_printf(&v->code, "%s__bang_half2float(x%u, %s, count);\n",
			   v->indent, d, at);
	} else {
		load_narrow(v, e, d, true);
	}
	return d;
}

bool
bang_load_floats(struct bang_vectors *v, const tir_expr *e, unsigned *d)
{
	if (e->kind != TIR_LOAD || e->dtype.bits > 16 ||
	    e->dtype.code != DTYPE_INT || v->load || v->names.places ||
	    !in_order(v, e))
		return false;
	*d = new_vector(v, NULL);
	v->loaded[*d] = true;
	load_narrow(v, e, *d, false);
	return true;
}

/* NAME(d, a, count), or of the library, whose count comes first. */
static unsigned
unary(struct bang_vectors *v, const tir_expr *e, const char *name)
{
	unsigned a = bang_vector_of(v, e->arg[0]), d = new_vector(v, e);

	if (!strncmp(name, "__cn_", 5))
		buf_printf(&v->code, "%s%s(count, x%u, x%u);\n", v->indent,
			   name, d, a);
	else
		buf_printf(&v->code, "%s%s(x%u, x%u, count);\n", v->indent,
			   name, d, a);
	return d;
}

static unsigned
two_vectors(struct bang_vectors *v, const tir_expr *e, const char *name)
{
	unsigned a = bang_vector_of(v, e->arg[0]);
	unsigned b = bang_vector_of(v, e->arg[1]);
	unsigned d = new_vector(v, e);

	if (!strncmp(name, "__cn_", 5))
		buf_printf(&v->code, "%s%s(count, x%u, x%u, x%u);\n", v->indent,
			   name, d, a, b);
	else
		buf_printf(&v->code, "%s%s(x%u, x%u, x%u, count);\n", v->indent,
			   name, d, a, b);
	return d;
}

/* Vector op number */
static unsigned
with_number(struct bang_vectors *v, const tir_expr *e, const tir_expr *vector,
	    const tir_expr *n, const char *name)
{
	unsigned a = bang_vector_of(v, vector), d = new_vector(v, e);

	call(v, name, d);
	buf_printf(&v->code, ", x%u, (float)(", a);
	put_number(v, n);
	buf_puts(&v->code, "), count);\n");
	return d;
}

struct binary_names {
	const char *vectors;
	const char *right; /* vector op number */
	const char *left;  /* number op vector: the same turned */
};

static const struct binary_names binaries[TIR_KIND_COUNT] = {
	[TIR_ADD] = {"__bang_add", "__bang_add_scalar", "__bang_add_scalar"},
	[TIR_SUB] = {"__bang_sub", "__bang_sub_scalar", NULL},
	[TIR_MUL] = {"__bang_mul", "__bang_mul_scalar", "__bang_mul_scalar"},
	[TIR_DIV] = {"relay_div", NULL, NULL},
	[TIR_MIN] = {"relay_vmin", NULL, NULL},
	[TIR_MAX] = {"relay_vmax", NULL, NULL},
	[TIR_EQ] = {"__bang_eq", "__bang_eq_scalar", "__bang_eq_scalar"},
	[TIR_NE] = {"__bang_ne", "__bang_ne_scalar", "__bang_ne_scalar"},
	[TIR_LT] = {"__bang_lt", "__bang_lt_scalar", "__bang_gt_scalar"},
	[TIR_LE] = {"__bang_le", "__bang_le_scalar", "__bang_ge_scalar"},
	[TIR_GT] = {"__bang_gt", "__bang_gt_scalar", "__bang_lt_scalar"},
	[TIR_GE] = {"__bang_ge", "__bang_ge_scalar", "__bang_le_scalar"},
	[TIR_AND] = {"__bang_and", NULL, NULL},
	[TIR_OR] = {"__bang_or", NULL, NULL},
};

static bool
compares(const tir_expr *e)
{
	return e->kind >= TIR_EQ && e->kind <= TIR_GE;
}

/* Does a name of the table do it on E's operands? */
static bool
has_instruction(const tir_expr *e)
{
	struct dtype t = e->arg[0]->dtype;

	if (!binaries[e->kind].vectors)
		return false;
	if (e->kind == TIR_AND || e->kind == TIR_OR || dtype_is_bool(t))
		return dtype_is_bool(t) &&
		       (compares(e) || e->kind == TIR_AND || e->kind == TIR_OR);
	return is_float32(t) || is_half(t);
}

/*
 * NaN wins. The older architectures give the second operand if either is NaN:
 * right if the first is a number, else NaNs of the first are added.
 */
static unsigned
extreme(struct bang_vectors *v, const tir_expr *e)
{
	bool turned = e->arg[1]->kind == TIR_FLOAT && !isnan(e->arg[1]->f);
	unsigned first = bang_vector_of(v, e->arg[0]);
	unsigned second = bang_vector_of(v, e->arg[1]);
	unsigned a = turned ? second : first, b = turned ? first : second;
	unsigned d = new_vector(v, e), t;
	const char *which = e->kind == TIR_MAX ? "max" : "min";

	if (v->k->arch->code >= 300 || turned) {
		buf_printf(&v->code, "%srelay_v%s(x%u, x%u, x%u, count);\n",
			   v->indent, which, d, a, b);
		return d;
	}
	t = bang_new_vector(v);
	buf_printf(&v->code, "%srelay_v%s_nan(x%u, x%u, x%u, x%u, count);\n",
		   v->indent, which, d, a, b, t);
	return d;
}

static unsigned
binary(struct bang_vectors *v, const tir_expr *e)
{
	const struct binary_names *names = &binaries[e->kind];

	if (bang_class_of(e->arg[0]->dtype) == BANG_INTS)
		return bang_int_binary(v, e);
	if (!has_instruction(e))
		return bang_lanes(v, e);
	if (e->kind == TIR_MIN || e->kind == TIR_MAX)
		return extreme(v, e);
	if (names->right && bang_is_constant(v, e->arg[1]))
		return with_number(v, e, e->arg[0], e->arg[1], names->right);
	if (names->left && bang_is_constant(v, e->arg[0]))
		return with_number(v, e, e->arg[1], e->arg[0], names->left);
	return two_vectors(v, e, names->vectors);
}

static const char *
function_of(enum tir_intrin f)
{
	static const char *const names[INTRIN_COUNT] = {
		[INTRIN_ABS] = "__cn_vector_abs_f32",
		[INTRIN_ACOS] = "__cn_vector_acos_f32",
		[INTRIN_ASIN] = "__cn_vector_asin_f32",
		[INTRIN_ATAN] = "__cn_vector_atan_f32",
		[INTRIN_CEIL] = "__cn_vector_ceil_f32",
		[INTRIN_COS] = "__cn_vector_cos_f32",
		[INTRIN_COSH] = "__cn_vector_cosh_f32",
		[INTRIN_ERF] = "__cn_vector_erf_f32",
		[INTRIN_EXP] = "relay_exp",
		[INTRIN_FLOOR] = "__cn_vector_floor_f32",
		[INTRIN_LOG] = "__cn_vector_log_f32",
		[INTRIN_LOG10] = "__cn_vector_log10_f32",
		[INTRIN_LOG2] = "__cn_vector_log2_f32",
		[INTRIN_POW] = "__cn_vector_pow_f32",
		[INTRIN_ROUND] = "__cn_vector_round_f32",
		[INTRIN_RSQRT] = "__cn_vector_rsqrt_f32",
		[INTRIN_SIGMOID] = "relay_sigmoid_vector",
		[INTRIN_SIN] = "__cn_vector_sin_f32",
		[INTRIN_SINH] = "__cn_vector_sinh_f32",
		[INTRIN_SQRT] = "__cn_vector_sqrt_f32",
		[INTRIN_TAN] = "__cn_vector_tan_f32",
		[INTRIN_TANH] = "__cn_vector_tanh_f32",
		[INTRIN_TRUNC] = "__cn_vector_trunc_f32",
	};

	return names[f];
}

/* Bit by bit; narrow integers stay extended as they are. */
static unsigned
bits(struct bang_vectors *v, const tir_expr *e)
{
	static const char *const names[INTRIN_COUNT] = {
		[INTRIN_BIT_AND] = "__bang_band",
		[INTRIN_BIT_OR] = "__bang_bor",
		[INTRIN_BIT_XOR] = "__bang_bxor",
		[INTRIN_BIT_NOT] = "__bang_bnot",
	};
	const char *name = names[e->intrin];
	unsigned a, b, d;

	if (!name || dtype_is_bool(e->dtype) ||
	    (e->n == 1 && e->dtype.code == DTYPE_UINT && e->dtype.bits < 32))
		return bang_lanes(v, e);
	a = bang_vector_of(v, e->arg[0]);
	b = e->n == 2 ? bang_vector_of(v, e->arg[1]) : a;
	d = new_vector(v, e);
	buf_printf(&v->code, "%s%s((int8_t *)x%u, (int8_t *)x%u, ", v->indent,
		   name, d, a);
	if (e->n == 2)
		buf_printf(&v->code, "(int8_t *)x%u, ", b);
	buf_puts(&v->code, "4 * count);\n");
	return d;
}

static bool
is_word(struct dtype t)
{
	return t.bits == 32 && bang_class_of(t) != BANG_NO_VECTOR;
}

static unsigned
intrinsic(struct bang_vectors *v, const tir_expr *e)
{
	const char *name = function_of(e->intrin);

	if (e->intrin == INTRIN_REINTERPRET)
		return is_word(e->dtype) && is_word(e->arg[0]->dtype)
			       ? bang_vector_of(v, e->arg[0])
			       : bang_lanes(v, e);
	if (bang_class_of(e->arg[0]->dtype) == BANG_INTS)
		return bits(v, e);
	if (name && e->n == 1)
		return unary(v, e, name);
	if (name && e->n == 2)
		return two_vectors(v, e, name);
	return bang_lanes(v, e);
}

static unsigned
choose(struct bang_vectors *v, const tir_expr *e)
{
	unsigned c = bang_vector_of(v, e->arg[0]);
	unsigned a = bang_vector_of(v, e->arg[1]);
	unsigned b = bang_vector_of(v, e->arg[2]);
	unsigned d = new_vector(v, e), t = bang_new_vector(v);

	buf_printf(&v->code,
		   "%srelay_select(x%u, x%u, x%u, x%u, x%u, count);\n",
		   v->indent, d, c, a, b, t);
	return d;
}

static unsigned
compute(struct bang_vectors *v, const tir_expr *e)
{
	if (!v->ok || bang_class_of(e->dtype) == BANG_NO_VECTOR) {
		v->ok = false;
		return 0;
	}
	if (bang_is_constant(v, e))
		return fill(v, e);
	if (bang_is_scaling(e))
		return bang_scale(v, e);
	for (uint32_t i = 0; i < e->n && e->kind != TIR_LOAD; i++)
		if (bang_class_of(e->arg[i]->dtype) == BANG_NO_VECTOR)
			return bang_lanes(v, e);
	switch ((enum tir_kind)e->kind) {
	case TIR_LOAD:
		return load(v, e);
	case TIR_CALL:
		return intrinsic(v, e);
	case TIR_NOT:
		return unary(v, e, "__bang_not");
	case TIR_SELECT:
		return choose(v, e);
	case TIR_CAST:
		return bang_convert(v, e);
	case TIR_VAR:
	case TIR_GUARD:
		return bang_lanes(v, e);
	default:
		return binary(v, e);
	}
}

unsigned
bang_vector_of(struct bang_vectors *v, const tir_expr *e)
{
	for (unsigned i = 0; i < v->n; i++)
		if (v->at[i] && bang_same(v->at[i], e))
			return i;
	return compute(v, e);
}

/* Vector X to elements of T in place, into CONVERT; how they are called. */
static const char *
narrowed(struct bang_vectors *v, struct buf *convert, unsigned x,
	 struct dtype t)
{
	if (is_half(t)) {
		buf_printf(convert,
			   "%s__bang_float2half_rn((half *)x%u, x%u, count);\n",
			   v->indent, x, x);
		return "(half *)";
	}
	if (t.bits == 32)
		return "";
	if (!dtype_is_bool(t)) {
		struct buf code = v->code;

		if (convert != &v->code)
			v->code = *convert;
		if (t.code == DTYPE_UINT)
			bang_wrap(v, x, x,
				  (struct dtype){DTYPE_INT, t.bits, 1});
		if (convert != &v->code) {
			*convert = v->code;
			v->code = code;
		}
		buf_printf(convert, "%srelay_vfloat(x%u, (int *)x%u, count);\n",
			   v->indent, x, x);
	}
	buf_printf(convert,
		   "%s__bang_float2int%d_rn((int%d_t *)x%u, x%u, count, 0);\n",
		   v->indent, t.bits == 16 ? 16 : 8, t.bits == 16 ? 16 : 8, x,
		   x);
	return t.bits == 16 ? "(int16_t *)" : "(int8_t *)";
}

void
bang_put_vector_store(struct bang_vectors *v, struct buf *convert,
		      struct buf *out, unsigned x)
{
	const struct bang_nest *n = v->nest;
	struct dtype t = n->buffer->dtype;
	const char *to = bang_store_direction(v->k, n->buffer);
	int bytes = dtype_is_bool(t) ? 1 : t.bits / 8;
	int64_t stride = 0;
	const char *as;

	if (bang_class_of(t) == BANG_NO_VECTOR) {
		v->ok = false;
		return;
	}
	as = narrowed(v, convert, x, t);
	v->ok &= bang_stride(n->index, v->along, &stride) && stride > 0 &&
		 stride < (1 << 22);
	buf_printf(out, "%s%s(%s + ", v->indent, v->copy, n->buffer->name);
	v->ok &= bang_put_expr(out, n->index, &v->names);
	if (stride == 1)
		buf_printf(out, ", %sx%u, real * %d, %s);\n", as, x, bytes, to);
	else
		buf_printf(out,
			   ", %sx%u, %d, %s, %" PRId64 ", %d, real - 1);\n", as,
			   x, bytes, to, bytes * stride, bytes);
}
