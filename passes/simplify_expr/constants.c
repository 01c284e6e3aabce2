/*
 * When simplify-expr may join two constants, and how it factors binomials.
 */
#include "passes/rewrite/rw_fn.h"

#include <math.h>

#include "passes/opcall.h"

/* A sum that is smaller than its parts by this factor lost digits. */
static const double cancelled = 1.0 / 16;

/* Two constants whose elements go together: I-th with I-th, or all with one. */
struct pair {
	const ir_tensor *a, *b;
	int64_t n, na, nb;
};

/* False: shapes that would broadcast into each other. */
static bool
pair_init(struct pair *p, const ir_expr *x, const ir_expr *y)
{
	p->a = rw_payload(x);
	p->b = rw_payload(y);
	if (!p->a || !p->b || !dtype_equal(p->a->dtype, p->b->dtype))
		return false;
	p->na = ir_tensor_size(p->a);
	p->nb = ir_tensor_size(p->b);
	p->n = p->na > p->nb ? p->na : p->nb;
	if (p->na == 1 || p->nb == 1)
		return true;
	if (p->a->ndim != p->b->ndim)
		return false;
	for (uint32_t i = 0; i < p->a->ndim; i++)
		if (p->a->shape[i] != p->b->shape[i])
			return false;
	return true;
}

static double
left(const struct pair *p, int64_t i)
{
	return ir_tensor_get_double(p->a, p->na == 1 ? 0 : i);
}

static double
right(const struct pair *p, int64_t i)
{
	return ir_tensor_get_double(p->b, p->nb == 1 ? 0 : i);
}

/* The largest finite number of type T. */
static double
largest(struct dtype t)
{
	if (t.code == DTYPE_BFLOAT)
		return 0x1.fep127;
	return t.bits == 64   ? 0x1.fffffffffffffp1023
	       : t.bits == 32 ? (double)0x1.fffffep127f
			      : 65504;
}

/* The smallest positive number of type T that has all its digits. */
static double
smallest(struct dtype t)
{
	if (t.code == DTYPE_FLOAT && t.bits == 64)
		return 0x1p-1022;
	return t.code == DTYPE_FLOAT && t.bits == 16 ? 0x1p-14 : 0x1p-126;
}

bool
rw_fn_sum_is_safe(struct rw_env *env, const union rw_arg *a, union rw_arg *out)
{
	struct pair p;

	(void)env;
	(void)out;
	if (!pair_init(&p, a[0].e, a[1].e))
		return false;
	for (int64_t i = 0; dtype_is_float(p.a->dtype) && i < p.n; i++) {
		double x = left(&p, i), y = right(&p, i);
		double size = fmax(fabs(x), fabs(y));

		if (!(fabs(x + y) <= largest(p.a->dtype)) ||
		    (x + y != 0 && fabs(x + y) < size * cancelled) ||
		    (x + y == 0 && size != 0))
			return false;
	}
	return true;
}

bool
rw_fn_product_is_safe(struct rw_env *env, const union rw_arg *a,
		      union rw_arg *out)
{
	struct pair p;

	(void)env;
	(void)out;
	if (!pair_init(&p, a[0].e, a[1].e))
		return false;
	for (int64_t i = 0; dtype_is_float(p.a->dtype) && i < p.n; i++) {
		double x = left(&p, i), y = right(&p, i);

		if (!(fabs(x * y) <= largest(p.a->dtype)))
			return false;
		if (x != 0 && y != 0 && fabs(x * y) < smallest(p.a->dtype))
			return false;
	}
	return true;
}

/* The number that the constant E holds in all places; 1 without E. */
static bool
coefficient(const ir_expr *e, double *out)
{
	const ir_tensor *t;

	*out = 1;
	if (!e)
		return true;
	t = rw_payload(e);
	if (!t || ir_tensor_size(t) == 0)
		return false;
	*out = ir_tensor_get_double(t, 0);
	for (int64_t i = 1; i < ir_tensor_size(t); i++)
		if (ir_tensor_get_double(t, i) != *out)
			return false;
	return true;
}

/* The numbers P, Q with P + Q = B / A, P * Q = C / A; whole if T asks. */
static bool
roots(struct dtype t, double a, double b, double c, double *p, double *q)
{
	double d = b * b - 4 * a * c;

	if (a == 0 || !(d >= 0))
		return false;
	*p = (b + sqrt(d)) / (2 * a);
	*q = (b - sqrt(d)) / (2 * a);
	if (!dtype_is_int(t))
		return true;
	return *p == floor(*p) && *q == floor(*q) && a * (*p + *q) == b &&
	       a * *p * *q == c && fabs(*p) < 0x1p31 && fabs(*q) < 0x1p31 &&
	       (t.code == DTYPE_INT || (*p >= 0 && *q >= 0));
}

/* X + K Y, without a product by 1. */
static const ir_expr *
factor(const struct opcall *b, struct dtype t, const ir_expr *x, double k,
       const ir_expr *y)
{
	if (k != 1)
		y = opcall_binary(b, OP_multiply, y, opcall_scalar(b, t, k));
	return opcall_binary(b, OP_add, x, y);
}

bool
rw_fn_factor_binomial(struct rw_env *env, const union rw_arg *arg,
		      union rw_arg *out)
{
	const struct ir_tensor_type *t = rw_tensor(arg[0].e);
	struct opcall b = {env->m, env->match->root->loc};
	const ir_expr *x = arg[0].e, *y = arg[1].e;
	const ir_expr *left_factor, *right_factor;
	double k[3], p, q;

	if (!t || x == y)
		return false;
	for (int i = 0; i < 3; i++)
		if (!coefficient(arg[2 + i].e, &k[i]))
			return false;
	if (!roots(t->dtype, k[0], k[1], k[2], &p, &q))
		return false;
	left_factor = factor(&b, t->dtype, x, p, y);
	right_factor = p == q ? left_factor : factor(&b, t->dtype, x, q, y);
	out->e = opcall_binary(&b, OP_multiply, left_factor, right_factor);
	if (k[0] != 1)
		out->e = opcall_binary(&b, OP_multiply,
				       opcall_scalar(&b, t->dtype, k[0]),
				       out->e);
	return true;
}
