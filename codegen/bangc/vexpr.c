/*
 * An expression along one loop as vector instructions.
 *
 * What is read along the loop is copied into vectors on the chip, what stays
 * the same is a scalar operand, and each other part of the expression becomes
 * one instruction with a vector for its result. Equal parts are computed
 * once. All vectors hold floats: halves, bytes and truths are converted when
 * they are loaded and stored.
 */
#include <inttypes.h>
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
				   .ok = true};
	for (uint32_t i = 0; i < n->nmerged; i++)
		vec_push(&v->names, ((struct bang_name){n->merged[i], "0"}));
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

/* Does E stay the same along the loop, so that one number will do? */
static bool
is_constant(const struct bang_vectors *v, const tir_expr *e)
{
	return !bang_mentions(e, v->along);
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

	buf_printf(&v->code, "%s__bang_write_value(x%u, count, (float)(",
		   v->indent, d);
	put_number(v, e);
	buf_puts(&v->code, "));\n");
	return d;
}

/* The copy of a tile from E's buffer; elements have BYTES each. */
static void
put_load(struct bang_vectors *v, const tir_expr *e, const char *to, int bytes)
{
	int64_t stride;

	v->ok &= bang_stride(e->arg[0], v->along, &stride);
	buf_printf(&v->loads, "%s%s(%s, %s + ", v->indent, v->copy, to,
		   e->buffer->name);
	v->ok &= bang_put_expr(&v->loads, e->arg[0], &v->names);
	if (stride == 1)
		buf_printf(&v->loads, ", real * %d, GDRAM2NRAM);\n", bytes);
	else
		buf_printf(&v->loads,
			   ", %d, GDRAM2NRAM, %d, %" PRId64 ", real - 1);\n",
			   bytes, bytes, bytes * stride);
	v->ok &= stride > 0 && stride < (1 << 24);
}

static unsigned
load(struct bang_vectors *v, const tir_expr *e)
{
	unsigned d = new_vector(v, e);
	char at[48];

	v->loaded[d] = true;
	snprintf(at, sizeof(at), "x%u", d);
	if (is_float32(e->dtype)) {
		put_load(v, e, at, 4);
	} else if (is_half(e->dtype)) {
		snprintf(at, sizeof(at), "(half *)x%u + tile", d);
		put_load(v, e, at, 2);
		buf_printf(&v->code, "%s__bang_half2float(x%u, %s, count);\n",
			   v->indent, d, at);
	} else if (dtype_is_bool(e->dtype) ||
		   (e->dtype.code == DTYPE_INT && e->dtype.bits == 8)) {
		snprintf(at, sizeof(at), "(int8_t *)x%u + 3 * tile", d);
		put_load(v, e, at, 1);
		buf_printf(&v->code,
			   "%s__bang_int82float(x%u, %s, count, 0);\n",
			   v->indent, d, at);
	} else {
		v->ok = false;
	}
	return d;
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

/* Are the operands floats, or truths for and and or? */
static bool
has_vector_operands(const tir_expr *e)
{
	struct dtype t = e->arg[0]->dtype;

	if (e->kind == TIR_AND || e->kind == TIR_OR)
		return dtype_is_bool(t);
	return is_float32(t) || is_half(t);
}

static unsigned
binary(struct bang_vectors *v, const tir_expr *e)
{
	const struct binary_names *names = &binaries[e->kind];

	if (!names->vectors || !has_vector_operands(e)) {
		v->ok = false;
		return 0;
	}
	if (names->right && is_constant(v, e->arg[1]))
		return with_number(v, e, e->arg[0], e->arg[1], names->right);
	if (names->left && is_constant(v, e->arg[0]))
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

static unsigned
intrinsic(struct bang_vectors *v, const tir_expr *e)
{
	const char *name = function_of(e->intrin);

	if (name && e->n == 1)
		return unary(v, e, name);
	if (name && e->n == 2)
		return two_vectors(v, e, name);
	v->ok = false;
	return 0;
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

/* Between halves and floats, and from truths and bytes: the same vector. */
static unsigned
convert(struct bang_vectors *v, const tir_expr *e)
{
	const tir_expr *a = e->arg[0];
	bool from = is_float32(a->dtype) || is_half(a->dtype) ||
		    dtype_is_bool(a->dtype) ||
		    (a->kind == TIR_LOAD && a->dtype.code == DTYPE_INT &&
		     a->dtype.bits == 8);

	if (from && (is_float32(e->dtype) || is_half(e->dtype)))
		return bang_vector_of(v, a);
	v->ok = false;
	return 0;
}

static unsigned
compute(struct bang_vectors *v, const tir_expr *e)
{
	if (!v->ok)
		return 0;
	if (is_constant(v, e))
		return fill(v, e);
	switch ((enum tir_kind)e->kind) {
	case TIR_LOAD:
		return load(v, e);
	case TIR_CALL:
		return is_float32(e->dtype) || is_half(e->dtype)
			       ? intrinsic(v, e)
			       : (v->ok = false, 0u);
	case TIR_NOT:
		return unary(v, e, "__bang_not");
	case TIR_SELECT:
		return choose(v, e);
	case TIR_CAST:
		return convert(v, e);
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

void
bang_put_vector_store(struct bang_vectors *v, struct buf *convert,
		      struct buf *out, unsigned x)
{
	const struct bang_nest *n = v->nest;
	struct dtype t = n->buffer->dtype;
	int64_t stride = 0;
	const char *as = "";
	int bytes = 4;

	v->ok &= bang_stride(n->index, v->along, &stride) && stride == 1;
	if (is_half(t)) {
		buf_printf(convert,
			   "%s__bang_float2half_rn((half *)x%u, x%u, count);\n",
			   v->indent, x, x);
		as = "(half *)";
		bytes = 2;
	} else if (dtype_is_bool(t)) {
		buf_printf(convert,
			   "%s__bang_float2int8_rn((int8_t *)x%u, x%u, count, "
			   "0);\n",
			   v->indent, x, x);
		as = "(int8_t *)";
		bytes = 1;
	} else {
		v->ok &= is_float32(t);
	}
	buf_printf(out, "%s%s(%s + ", v->indent, v->copy, n->buffer->name);
	v->ok &= bang_put_expr(out, n->index, &v->names);
	buf_printf(out, ", %sx%u, real * %d, NRAM2GDRAM);\n", as, x, bytes);
}
