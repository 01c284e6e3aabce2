/*
 * Sums of terms.
 */
#include "te/linear.h"

#include <stdlib.h>
#include <string.h>

#include "ir/te.h"
#include "te/fold.h"

static int
compare_int(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int
compare_float(double a, double b)
{
	uint64_t x;
	uint64_t y;

	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	return (x > y) - (x < y);
}

/* The tensor or buffer that E names, as a number that is stable. */
static int
compare_payload(const tir_expr *a, const tir_expr *b)
{
	int c;

	switch (a->kind) {
	case TIR_INT:
		return compare_int(a->i, b->i);
	case TIR_FLOAT:
		return compare_float(a->f, b->f);
	case TIR_STRING:
	case TIR_CALL_EXTERN:
		return strcmp(a->s, b->s);
	case TIR_VAR:
	case TIR_LET:
		return compare_int(a->var->id, b->var->id);
	case TIR_CALL:
		return compare_int(a->intrin, b->intrin);
	case TIR_LOAD:
	case TIR_ADDRESS_OF:
		return compare_int(a->buffer->id, b->buffer->id);
	case TIR_READ:
		c = compare_int(a->tensor->op->id, b->tensor->op->id);
		return c ? c
			 : compare_int(a->tensor->output, b->tensor->output);
	case TIR_REDUCE:
		return a->reduce == b->reduce ? 0 : -1;
	default:
		return 0;
	}
}

int
te_expr_compare(const tir_expr *a, const tir_expr *b)
{
	int c;

	if (a == b)
		return 0;
	if (a->kind != b->kind)
		return compare_int(a->kind, b->kind);
	c = memcmp(&a->dtype, &b->dtype, sizeof(a->dtype));
	if (!c)
		c = compare_payload(a, b);
	if (!c)
		c = compare_int(a->n, b->n);
	for (uint32_t i = 0; !c && i < a->n; i++)
		c = te_expr_compare(a->arg[i], b->arg[i]);
	return c;
}

bool
te_linear_add_term(struct te_linear *out, const tir_expr *e, int64_t coef)
{
	uint32_t i;

	if (coef == 0)
		return true;
	for (i = 0; i < out->n; i++)
		if (te_expr_compare(out->term[i].e, e) == 0)
			break;
	if (i == out->n) {
		if (out->n == TE_LINEAR_MAX)
			return false;
		out->term[out->n++] = (struct te_term){e, coef};
		return true;
	}
	if (__builtin_add_overflow(out->term[i].coef, coef, &out->term[i].coef))
		return false;
	if (out->term[i].coef == 0) {
		out->n--;
		memmove(&out->term[i], &out->term[i + 1],
			(out->n - i) * sizeof(out->term[0]));
	}
	return true;
}

bool
te_linear_add(struct te_linear *out, const struct te_linear *a, int64_t coef)
{
	int64_t x;

	if (__builtin_mul_overflow(a->k, coef, &x) ||
	    __builtin_add_overflow(out->k, x, &out->k))
		return false;
	for (uint32_t i = 0; i < a->n; i++) {
		if (__builtin_mul_overflow(a->term[i].coef, coef, &x))
			return false;
		if (!te_linear_add_term(out, a->term[i].e, x))
			return false;
	}
	return true;
}

/* OUT += COEF * E. */
static bool
gather(const tir_expr *e, int64_t coef, struct te_linear *out)
{
	struct te_linear k = {.k = 1};
	int64_t x;

	switch (e->kind) {
	case TIR_INT:
		k.k = e->i;
		return te_linear_add(out, &k, coef);
	case TIR_ADD:
		return gather(e->arg[0], coef, out) &&
		       gather(e->arg[1], coef, out);
	case TIR_SUB:
		return !__builtin_sub_overflow((int64_t)0, coef, &x) &&
		       gather(e->arg[0], coef, out) &&
		       gather(e->arg[1], x, out);
	case TIR_MUL:
		if (e->arg[1]->kind == TIR_INT)
			return !__builtin_mul_overflow(coef, e->arg[1]->i,
						       &x) &&
			       gather(e->arg[0], x, out);
		if (e->arg[0]->kind == TIR_INT)
			return !__builtin_mul_overflow(coef, e->arg[0]->i,
						       &x) &&
			       gather(e->arg[1], x, out);
		return te_linear_add_term(out, e, coef);
	default:
		return te_linear_add_term(out, e, coef);
	}
}

bool
te_linear_of(const tir_expr *e, struct te_linear *out)
{
	out->k = 0;
	out->n = 0;
	return gather(e, 1, out);
}

/* Large coefficients first, then by structure. */
static int
compare_terms(const void *pa, const void *pb)
{
	const struct te_term *a = pa;
	const struct te_term *b = pb;
	uint64_t x = a->coef < 0 ? -(uint64_t)a->coef : (uint64_t)a->coef;
	uint64_t y = b->coef < 0 ? -(uint64_t)b->coef : (uint64_t)b->coef;

	if (x != y)
		return x < y ? 1 : -1;
	if ((a->coef < 0) != (b->coef < 0))
		return a->coef < 0 ? 1 : -1;
	return te_expr_compare(a->e, b->e);
}

static const tir_expr *
scaled(ir_module *m, const tir_expr *e, int64_t coef)
{
	if (coef == 1)
		return e;
	return tir_binary(m, TIR_MUL, e, tir_int(m, e->dtype, coef));
}

const tir_expr *
te_linear_expr(ir_module *m, struct te_linear *a, struct dtype t)
{
	const tir_expr *sum = NULL;
	uint32_t first = 0;

	a->k = te_wrap(t, a->k);
	for (uint32_t i = 0; i < a->n; i++)
		a->term[i].coef = te_wrap(t, a->term[i].coef);
	qsort(a->term, a->n, sizeof(a->term[0]), compare_terms);
	while (first < a->n && a->term[first].coef < 0)
		first++;
	if (first < a->n)
		sum = scaled(m, a->term[first].e, a->term[first].coef);
	for (uint32_t i = 0; i < a->n; i++) {
		int64_t coef = a->term[i].coef;

		if (i == first)
			continue;
		if (!sum && coef == INT64_MIN)
			sum = scaled(m, a->term[i].e, coef);
		else if (coef > 0 || coef == INT64_MIN)
			sum = tir_binary(m, TIR_ADD, sum,
					 scaled(m, a->term[i].e, coef));
		else
			sum = tir_binary(m, TIR_SUB,
					 sum ? sum : tir_int(m, t, a->k),
					 scaled(m, a->term[i].e, -coef));
		if (first == a->n && i == 0)
			a->k = coef == INT64_MIN ? a->k : 0;
	}
	if (!sum)
		return tir_int(m, t, a->k);
	if (a->k > 0 || a->k == INT64_MIN)
		return tir_binary(m, TIR_ADD, sum, tir_int(m, t, a->k));
	if (a->k < 0)
		return tir_binary(m, TIR_SUB, sum, tir_int(m, t, -a->k));
	return sum;
}

bool
te_mentions(const tir_expr *e, const struct tir_var *v)
{
	if (e->kind == TIR_VAR)
		return e->var == v;
	for (uint32_t i = 0; i < e->n; i++)
		if (te_mentions(e->arg[i], v))
			return true;
	return false;
}
