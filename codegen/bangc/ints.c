/*
 * Vectors of integers of up to 32 bits, which lie extended in words: what
 * instructions and the library have, or what is put together from that.
 */
#include <inttypes.h>
#include <math.h>

#include "codegen/bangc/internal.h"

/* Beyond sums and differences, the library has extremes only. */
static bool
has_products(const struct bang_vectors *v)
{
	return v->k->arch->code >= 300;
}

void
bang_wrap(struct bang_vectors *v, unsigned d, unsigned a, struct dtype t)
{
	unsigned spare = bang_new_vector(v);

	buf_printf(&v->code,
		   "%srelay_wrap((int *)x%u, (int *)x%u, (int *)x%u, %d, %s, "
		   "count);\n",
		   v->indent, d, a, spare, t.bits,
		   t.code == DTYPE_INT ? "true" : "false");
}

/* The vector of E is D, computed from words of more bits than E has. */
static unsigned
done(struct bang_vectors *v, const tir_expr *e, unsigned d)
{
	if (e->dtype.bits < 32)
		bang_wrap(v, d, d, e->dtype);
	v->at[d] = e;
	return d;
}

static unsigned
with_number(struct bang_vectors *v, const tir_expr *e, const char *name,
	    bool turned)
{
	unsigned a = bang_vector_of(v, e->arg[turned]);
	unsigned d = bang_new_vector(v);

	buf_printf(&v->code, "%s%s_scalar((int *)x%u, (int *)x%u, (int)(",
		   v->indent, name, d, a);
	v->ok &= bang_put_expr(&v->code, e->arg[!turned], &v->names);
	buf_puts(&v->code, "), count);\n");
	return done(v, e, d);
}

/* Has E numbers of so few bits that floats hold products of two of them? */
static bool
is_small(const tir_expr *e)
{
	while (e->kind == TIR_CAST &&
	       bang_class_of(e->arg[0]->dtype) == BANG_INTS)
		e = e->arg[0];
	return e->dtype.bits <= 8 ||
	       (e->kind == TIR_INT && e->i > -4096 && e->i < 4096);
}

/* The product of small numbers, one of which may stay the same. */
static unsigned
float_product(struct bang_vectors *v, const tir_expr *e, bool turned)
{
	const tir_expr *other = e->arg[!turned];
	bool number = bang_is_constant(v, other);
	unsigned a = bang_vector_of(v, e->arg[turned]);
	unsigned b = number ? a : bang_vector_of(v, other);
	unsigned d = bang_new_vector(v), t = number ? d : bang_new_vector(v);

	buf_printf(&v->code, "%srelay_vfloat(x%u, (int *)x%u, count);\n",
		   v->indent, d, a);
	if (number) {
		buf_printf(&v->code, "%s__bang_mul_scalar(x%u, x%u, (float)(",
			   v->indent, d, d);
		v->ok &= bang_put_expr(&v->code, other, &v->names);
		buf_puts(&v->code, "), count);\n");
	} else {
		buf_printf(&v->code,
			   "%srelay_vfloat(x%u, (int *)x%u, count);\n"
			   "%s__bang_mul(x%u, x%u, x%u, count);\n",
			   v->indent, t, b, v->indent, d, d, t);
	}
	buf_printf(&v->code, "%srelay_vint((int *)x%u, x%u, count);\n",
		   v->indent, d, d);
	return done(v, e, d);
}

static unsigned
arithmetic(struct bang_vectors *v, const tir_expr *e)
{
	static const char *const names[TIR_KIND_COUNT] = {
		[TIR_ADD] = "__bang_add",
		[TIR_SUB] = "__bang_sub",
		[TIR_MUL] = "__bang_mul",
	};
	bool number = bang_is_constant(v, e->arg[1]);
	bool turned =
		!number && e->kind != TIR_SUB && bang_is_constant(v, e->arg[0]);
	unsigned a, b, d;

	if (!has_products(v) && e->kind == TIR_MUL)
		return is_small(e->arg[0]) && is_small(e->arg[1])
			       ? float_product(v, e, turned)
			       : bang_lanes(v, e);
	if (has_products(v) && (number || turned))
		return with_number(v, e, names[e->kind], turned);
	a = bang_vector_of(v, e->arg[0]);
	b = bang_vector_of(v, e->arg[1]);
	d = bang_new_vector(v);
	buf_printf(&v->code,
		   "%s%s((int *)x%u, (int *)x%u, (int *)x%u, count);\n",
		   v->indent,
		   e->kind == TIR_MUL   ? names[TIR_MUL]
		   : e->kind == TIR_ADD ? "relay_vadd"
					: "relay_vsub",
		   d, a, b);
	return done(v, e, d);
}

/* The library's extremes take signed integers, or those that have no sign. */
bool
bang_has_extremes(struct dtype t)
{
	return t.code == DTYPE_INT || t.bits < 32;
}

static unsigned
extreme(struct bang_vectors *v, const tir_expr *e, bool least)
{
	unsigned a = bang_vector_of(v, e->arg[0]);
	unsigned b = bang_vector_of(v, e->arg[1]);
	unsigned d = bang_new_vector(v);

	buf_printf(&v->code,
		   "%s__cn_vector_%s_s32(count, (int *)x%u, (int *)x%u, "
		   "(int *)x%u);\n",
		   v->indent, least ? "min" : "max", d, a, b);
	return d;
}

/*
 * What differs is no zero as a float. A < B if the greater of them is not A.
 */
static unsigned
comparison(struct bang_vectors *v, const tir_expr *e)
{
	unsigned a = bang_vector_of(v, e->arg[0]);
	unsigned b = bang_vector_of(v, e->arg[1]), d;
	bool differs =
		e->kind == TIR_NE || e->kind == TIR_LT || e->kind == TIR_GT;

	if (e->kind != TIR_EQ && e->kind != TIR_NE) {
		unsigned greater = extreme(v, e, false);

		b = e->kind == TIR_LT || e->kind == TIR_GE ? a : b;
		a = greater;
	}
	d = bang_new_vector(v);
	buf_printf(&v->code,
		   "%srelay_vsub((int *)x%u, (int *)x%u, (int *)x%u, count);\n"
		   "%srelay_vfloat(x%u, (int *)x%u, count);\n"
		   "%s__bang_%s_scalar(x%u, x%u, 0.0f, count);\n",
		   v->indent, d, a, b, v->indent, d, d, v->indent,
		   differs ? "ne" : "eq", d, d);
	v->at[d] = e;
	return d;
}

unsigned
bang_int_binary(struct bang_vectors *v, const tir_expr *e)
{
	struct dtype t = e->arg[0]->dtype;
	unsigned d;

	switch ((enum tir_kind)e->kind) {
	case TIR_ADD:
	case TIR_SUB:
	case TIR_MUL:
		return arithmetic(v, e);
	case TIR_MIN:
	case TIR_MAX:
		if (!bang_has_extremes(t))
			return bang_lanes(v, e);
		d = extreme(v, e, e->kind == TIR_MIN);
		v->at[d] = e;
		return d;
	case TIR_EQ:
	case TIR_NE:
		return comparison(v, e);
	case TIR_LT:
	case TIR_LE:
	case TIR_GT:
	case TIR_GE:
		return bang_has_extremes(t) ? comparison(v, e)
					    : bang_lanes(v, e);
	default:
		return bang_lanes(v, e);
	}
}

/* ------------------------------------------------------------- casts -- */

/* Is E between LOW and HIGH, as a cast to a narrow type makes sure? */
static bool
is_within(const tir_expr *e, double low, double high)
{
	bool below = false, above = false;

	for (; e->kind == TIR_MIN || e->kind == TIR_MAX; e = e->arg[0]) {
		const tir_expr *bound = e->arg[1];
		double at =
			bound->kind == TIR_INT ? (double)bound->i : bound->f;

		if ((bound->kind != TIR_FLOAT && bound->kind != TIR_INT) ||
		    !(at >= low && at <= high))
			return false;
		below |= e->kind == TIR_MIN;
		above |= e->kind == TIR_MAX;
	}
	return below && above;
}

/* The numbers that an integer of type T has, all of which a word holds. */
static bool
fits(const tir_expr *e, struct dtype t)
{
	double all = ldexp(1, t.bits);

	return t.code == DTYPE_INT ? is_within(e, -all / 2, all / 2 - 1)
				   : is_within(e, 0, all - 1);
}

/* Does every value of type FROM have the same words as one of type TO? */
static bool
keeps_words(struct dtype from, struct dtype to)
{
	return to.bits == 32 ||
	       (to.bits > from.bits &&
		(from.code == DTYPE_UINT || to.code == DTYPE_INT)) ||
	       dtype_equal(from, to);
}

static unsigned
int_to_int(struct bang_vectors *v, const tir_expr *e)
{
	unsigned a = bang_vector_of(v, e->arg[0]), d;

	if (keeps_words(e->arg[0]->dtype, e->dtype) ||
	    fits(e->arg[0], e->dtype))
		return a;
	d = bang_new_vector(v);
	bang_wrap(v, d, a, e->dtype);
	v->at[d] = e;
	return d;
}

/* Float to integer, where the instruction does what the cast means. */
static bool
truncates(const tir_expr *e)
{
	struct dtype from = e->arg[0]->dtype, to = e->dtype;

	return dtype_is_bool(from) || (to.code == DTYPE_INT && to.bits == 32) ||
	       (to.bits < 32 && fits(e->arg[0], to));
}

static unsigned
to_bool(struct bang_vectors *v, const tir_expr *e)
{
	unsigned a = bang_vector_of(v, e->arg[0]), d;

	if (dtype_is_bool(e->arg[0]->dtype))
		return a;
	d = bang_new_vector(v);
	if (bang_class_of(e->arg[0]->dtype) == BANG_INTS) {
		buf_printf(&v->code,
			   "%srelay_vfloat(x%u, (int *)x%u, count);\n",
			   v->indent, d, a);
		a = d;
	}
	buf_printf(&v->code, "%s__bang_ne_scalar(x%u, x%u, 0.0f, count);\n",
		   v->indent, d, a);
	v->at[d] = e;
	return d;
}

/* Halves and truths are floats already. */
unsigned
bang_convert(struct bang_vectors *v, const tir_expr *e)
{
	struct dtype from = e->arg[0]->dtype;
	bool ints = bang_class_of(from) == BANG_INTS;
	bool to_ints = bang_class_of(e->dtype) == BANG_INTS;
	unsigned a, d;

	if (dtype_is_bool(e->dtype))
		return to_bool(v, e);
	if (!ints && !to_ints)
		return bang_vector_of(v, e->arg[0]);
	if (ints && to_ints)
		return int_to_int(v, e);
	if (ints ? from.code == DTYPE_UINT && from.bits == 32 : !truncates(e))
		return bang_lanes(v, e);
	if (ints && bang_load_floats(v, e->arg[0], &d)) {
		v->at[d] = e;
		return d;
	}
	a = bang_vector_of(v, e->arg[0]);
	d = bang_new_vector(v);
	if (ints)
		buf_printf(&v->code,
			   "%srelay_vfloat(x%u, (int *)x%u, count);\n",
			   v->indent, d, a);
	else
		buf_printf(&v->code, "%srelay_vint((int *)x%u, x%u, count);\n",
			   v->indent, d, a);
	v->at[d] = e;
	return d;
}

/* ----------------------------------------------------------- scaling -- */

struct scaling {
	const tir_expr *x;
	int64_t m, h, shift;
};

static bool
is_call(const tir_expr *e, enum tir_intrin f)
{
	return e->kind == TIR_CALL && e->intrin == f;
}

static bool
is_word(const tir_expr *e)
{
	return e->dtype.code == DTYPE_INT && e->dtype.bits == 32 &&
	       e->dtype.lanes == 1;
}

/* "((x << 0) * m + h) >> shift" with 64 bits, back to 32. */
static bool
find_long(const tir_expr *e, struct scaling *s)
{
	const tir_expr *sum, *product, *x;

	if (e->kind != TIR_CAST || !is_call(e->arg[0], INTRIN_SHR))
		return false;
	sum = e->arg[0]->arg[0];
	if (sum->kind != TIR_ADD || sum->dtype.bits != 64 ||
	    sum->arg[0]->kind != TIR_MUL || sum->arg[1]->kind != TIR_INT ||
	    e->arg[0]->arg[1]->kind != TIR_INT)
		return false;
	product = sum->arg[0];
	x = product->arg[0];
	if (is_call(x, INTRIN_SHL) && x->arg[1]->kind == TIR_INT &&
	    x->arg[1]->i == 0)
		x = x->arg[0];
	if (x->kind != TIR_CAST || product->arg[1]->kind != TIR_INT)
		return false;
	s->x = x->arg[0];
	s->m = product->arg[1]->i;
	s->h = sum->arg[1]->i;
	s->shift = e->arg[0]->arg[1]->i;
	return true;
}

static bool
find_scaling(const tir_expr *e, struct scaling *s)
{
	if (!is_word(e) || !find_long(e, s))
		return false;
	return is_word(s->x) && s->m >= 0 && s->m <= INT32_MAX && s->h >= 0 &&
	       s->shift >= 31 && s->shift <= 54 &&
	       s->h < (int64_t)1 << s->shift;
}

bool
bang_is_scaling(const tir_expr *e)
{
	struct scaling s;

	return find_scaling(e, &s);
}

unsigned
bang_scale(struct bang_vectors *v, const tir_expr *e)
{
	struct scaling s = {0};
	unsigned x, d, spare[5];

	(void)find_scaling(e, &s);
	x = bang_vector_of(v, s.x);
	d = bang_new_vector(v);
	for (int i = 0; i < 5; i++)
		spare[i] = bang_new_vector(v);
	buf_printf(&v->code,
		   "%srelay_scale((int *)x%u, (int *)x%u, x%u, x%u, x%u, x%u, "
		   "x%u, %" PRId64 ", %" PRId64 ", %" PRId64 ", count);\n",
		   v->indent, d, x, spare[0], spare[1], spare[2], spare[3],
		   spare[4], s.m, s.h, s.shift);
	v->at[d] = e;
	return d;
}
