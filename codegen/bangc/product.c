/*
 * Steps that are sums of products: dense layers, products of matrices,
 * convolutions.
 *
 * What loops mean is read off their strides: those that only the first factor
 * follows are rows of the result, those that only the second follows are its
 * columns (filters), those that both follow are products of their own. A loop
 * over the filters of several groups, whose number is divided by that of the
 * filters of one, is two.
 */
#include <string.h>

#include "codegen/bangc/product.h"

static bool
is_type(struct dtype t, int code, int bits)
{
	return t.code == code && t.bits == bits && t.lanes == 1 &&
	       !dtype_is_bool(t);
}

/*
 * Factors and sum as the unit takes them: the older architectures multiply
 * bytes only.
 */
static bool
types_fit(const struct bang_arch *arch, struct dtype a, struct dtype b,
	  struct dtype sum)
{
	if (!dtype_equal(a, b))
		return false;
	if (is_type(a, DTYPE_INT, 8))
		return is_type(sum, DTYPE_INT, 32);
	if (!arch->float_conv)
		return false;
	if (is_type(a, DTYPE_FLOAT, 16))
		return is_type(sum, DTYPE_FLOAT, 16) ||
		       is_type(sum, DTYPE_FLOAT, 32);
	return is_type(a, DTYPE_FLOAT, 32) && is_type(sum, DTYPE_FLOAT, 32);
}

static bool
is_zero(const tir_expr *e)
{
	return (e->kind == TIR_FLOAT && e->f == 0) ||
	       (e->kind == TIR_INT && e->i == 0);
}

/* The load that E is, or widens. */
static const tir_expr *
factor(const tir_expr *e, struct dtype sum)
{
	if (e->kind == TIR_CAST && dtype_equal(e->dtype, sum))
		e = e->arg[0];
	return e->kind == TIR_LOAD ? e : NULL;
}

/* The number that V is divided by in E; 0: none. */
static int64_t
divisor(const tir_expr *e, const struct tir_var *v)
{
	int64_t d = 0;

	if (e->kind == TIR_DIV && e->arg[0]->kind == TIR_VAR &&
	    e->arg[0]->var == v && e->arg[1]->kind == TIR_INT)
		return e->arg[1]->i;
	for (uint32_t i = 0; !d && i < e->n; i++)
		d = divisor(e->arg[i], v);
	return d;
}

/*
 * How E changes when V grows by one, and by D, if "V / D" is all that is
 * divided.
 */
static bool
strides(const tir_expr *e, const struct tir_var *v, int64_t d, int64_t *one,
	int64_t *many)
{
	int64_t a, b, c, f;

	*one = *many = 0;
	if (!bang_mentions(e, v))
		return true;
	switch ((enum tir_kind)e->kind) {
	case TIR_VAR:
		*one = 1;
		*many = d;
		return true;
	case TIR_DIV:
		*many = 1;
		return divisor(e, v) == d && e->arg[0]->kind == TIR_VAR;
	case TIR_ADD:
	case TIR_SUB:
		if (!strides(e->arg[0], v, d, &a, &b) ||
		    !strides(e->arg[1], v, d, &c, &f))
			return false;
		*one = e->kind == TIR_ADD ? a + c : a - c;
		*many = e->kind == TIR_ADD ? b + f : b - f;
		return true;
	case TIR_MUL:
		if (e->arg[1]->kind != TIR_INT ||
		    !strides(e->arg[0], v, d, &a, &b))
			return false;
		*one = a * e->arg[1]->i;
		*many = b * e->arg[1]->i;
		return true;
	default:
		return false;
	}
}

static bool
add_loop(struct product *p, const struct bang_loop *l, const tir_expr *a,
	 const tir_expr *b, const tir_expr *out)
{
	int64_t d = divisor(a, l->var);
	struct product_loop one = {0}, many = {0};

	if (l->min != 0 || l->extent <= 0 || d < 0)
		return false;
	d = d ? d : 1;
	one.extent = d > 1 ? d : l->extent;
	many.extent = l->extent / d;
	if (!strides(a, l->var, d, &one.a, &many.a) ||
	    !strides(b, l->var, d, &one.b, &many.b) ||
	    !strides(out, l->var, d, &one.out, &many.out) || one.a < 0 ||
	    one.b < 0 || one.out < 0 || l->extent % d != 0)
		return false;
	if (d > 1)
		p->at[p->nloops++] = many;
	p->at[p->nloops++] = one;
	return true;
}

bool
product_of(const struct bang_kernel *k, const struct bang_nest *n,
	   struct product *p)
{
	const tir_expr *v = n->value, *a, *b;
	bool split = false;

	*p = (struct product){.out = n->buffer};
	if (!n->reduce || n->fold != TIR_ADD || v->kind != TIR_MUL ||
	    !is_zero(n->init))
		return false;
	a = factor(v->arg[0], n->buffer->dtype);
	b = factor(v->arg[1], n->buffer->dtype);
	if (!a || !b ||
	    !types_fit(k->arch, a->dtype, b->dtype, n->buffer->dtype))
		return false;
	p->a = a->buffer;
	p->b = b->buffer;
	for (uint32_t i = 0; i < n->nloops; i++) {
		uint32_t before = p->nloops;

		if (p->nloops + 2 > PRODUCT_MAX_LOOPS ||
		    !add_loop(p, &n->loops[i], a->arg[0], b->arg[0],
			      n->index) ||
		    (p->nloops == before + 2 && split))
			return false;
		split |= p->nloops == before + 2;
		if (i < n->nspatial)
			p->nspatial = p->nloops;
	}
	return bang_origin(a->arg[0], &p->a_at) &&
	       bang_origin(b->arg[0], &p->b_at) &&
	       bang_origin(n->index, &p->out_at);
}

void
product_merge(struct product *p)
{
	for (uint32_t i = p->nloops; i-- > 1;) {
		struct product_loop *outer = &p->at[i - 1], *inner = outer + 1;
		int64_t n = inner->extent;

		if (i == p->nspatial || outer->a != inner->a * n ||
		    outer->b != inner->b * n || outer->out != inner->out * n)
			continue;
		inner->extent *= outer->extent;
		memmove(outer, inner, (p->nloops - i) * sizeof(*outer));
		p->nloops--;
		p->nspatial -= i < p->nspatial;
	}
}
