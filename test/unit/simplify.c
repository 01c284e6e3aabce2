/*
 * The simplifier against brute force: random index expressions over small
 * ranges must keep their value for every value of their variables.
 *
 *     simplify [CASES [SEED]]
 */
#include <stdio.h>
#include <stdlib.h>

#include "ir/module.h"
#include "te/fold.h"
#include "te/simplify.h"

enum { NVARS = 4 };

static uint64_t seed = 1;
static ir_module *m;
static const struct tir_var *vars[NVARS];
static int64_t lo[NVARS];
static int64_t hi[NVARS];
static int64_t at[NVARS];

static uint32_t
rnd(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

static const tir_expr *random_bool(int depth);

static const tir_expr *
random_leaf(void)
{
	static const int64_t big[] = {INT32_MAX, INT32_MIN, 65536, -70000};

	if (rnd(3))
		return tir_var_ref(m, vars[rnd(NVARS)]);
	if (rnd(40) == 0)
		return tir_int(m, DTYPE(INT, 32), big[rnd(4)]);
	return tir_int(m, DTYPE(INT, 32), (int64_t)rnd(24) - 6);
}

static const tir_expr *
random_int(int depth)
{
	static const enum tir_kind kinds[] = {
		TIR_ADD, TIR_ADD, TIR_SUB, TIR_MUL,
		TIR_DIV, TIR_MOD, TIR_MIN, TIR_MAX,
	};
	enum tir_kind k = kinds[rnd(8)];
	const tir_expr *a;
	const tir_expr *b;

	if (depth == 0 || rnd(8) == 0)
		return random_leaf();
	a = random_int(depth - 1);
	if (rnd(12) == 0)
		return tir_guard(m, random_bool(depth - 1), a,
				 random_int(depth - 1));
	if (k == TIR_DIV || k == TIR_MOD || (k == TIR_MUL && rnd(4)))
		b = tir_int(m, DTYPE(INT, 32), 1 + rnd(12));
	else
		b = random_int(depth - 1);
	return tir_binary(m, k, a, b);
}

static const tir_expr *
random_bool(int depth)
{
	enum tir_kind k = TIR_EQ + rnd(6);
	const tir_expr *e;

	if (depth > 0 && rnd(4) == 0)
		return tir_binary(m, rnd(2) ? TIR_AND : TIR_OR,
				  random_bool(depth - 1),
				  random_bool(depth - 1));
	e = tir_binary(m, k, random_int(depth), random_int(depth));
	return rnd(6) ? e : tir_not(m, e);
}

static int64_t
value_of(const tir_expr *e)
{
	int64_t a;
	int64_t b;

	switch (e->kind) {
	case TIR_INT:
		return e->i;
	case TIR_VAR:
		for (int i = 0; i < NVARS; i++)
			if (vars[i] == e->var)
				return at[i];
		abort();
	case TIR_NOT:
		return !value_of(e->arg[0]);
	case TIR_SELECT:
	case TIR_GUARD:
		return value_of(e->arg[value_of(e->arg[0]) ? 1 : 2]);
	default:
		break;
	}
	a = value_of(e->arg[0]);
	b = value_of(e->arg[1]);
	switch (e->kind) {
	case TIR_ADD:
		return te_wrap(e->dtype, a + b);
	case TIR_SUB:
		return te_wrap(e->dtype, a - b);
	case TIR_MUL:
		return te_wrap(e->dtype, a * b);
	case TIR_DIV:
		return te_wrap(e->dtype, te_floordiv(a, b));
	case TIR_MOD:
		return te_floormod(a, b);
	case TIR_MIN:
		return a < b ? a : b;
	case TIR_MAX:
		return a > b ? a : b;
	case TIR_EQ:
		return a == b;
	case TIR_NE:
		return a != b;
	case TIR_LT:
		return a < b;
	case TIR_LE:
		return a <= b;
	case TIR_GT:
		return a > b;
	case TIR_GE:
		return a >= b;
	case TIR_AND:
		return a && b;
	case TIR_OR:
		return a || b;
	default:
		abort();
	}
}

static void
show(const tir_expr *e)
{
	static const char *const op[] = {
		[TIR_ADD] = "+",   [TIR_SUB] = "-",       [TIR_MUL] = "*",
		[TIR_DIV] = "/",   [TIR_MOD] = "%",       [TIR_MIN] = "min",
		[TIR_MAX] = "max", [TIR_EQ] = "==",       [TIR_NE] = "!=",
		[TIR_LT] = "<",    [TIR_LE] = "<=",       [TIR_GT] = ">",
		[TIR_GE] = ">=",   [TIR_AND] = "&&",      [TIR_OR] = "||",
		[TIR_NOT] = "!",   [TIR_GUARD] = "guard",
	};

	if (e->kind == TIR_INT) {
		printf("%lld", (long long)e->i);
	} else if (e->kind == TIR_VAR) {
		printf("%s", e->var->name);
	} else {
		printf("(%s", op[e->kind]);
		for (uint32_t i = 0; i < e->n; i++) {
			putchar(' ');
			show(e->arg[i]);
		}
		putchar(')');
	}
}

/* The next assignment; false after the last. */
static bool
next(void)
{
	for (int i = 0; i < NVARS; i++) {
		if (at[i] < hi[i]) {
			at[i]++;
			return true;
		}
		at[i] = lo[i];
	}
	return false;
}

static bool
check(const tir_expr *e, const tir_expr *f, struct te_simplifier *s)
{
	struct te_range r;
	bool ranged = te_range_of(s, e, &r);

	for (int i = 0; i < NVARS; i++)
		at[i] = lo[i];
	do {
		int64_t x = value_of(e);
		int64_t y = value_of(f);

		if (x == y && (!ranged || (x >= r.lo && x <= r.hi)))
			continue;
		show(e);
		printf(" became\n");
		show(f);
		printf("\n%lld became %lld in [%lld, %lld] where", (long long)x,
		       (long long)y, (long long)(ranged ? r.lo : INT64_MIN),
		       (long long)(ranged ? r.hi : INT64_MAX));
		for (int i = 0; i < NVARS; i++)
			printf(" %s=%lld", vars[i]->name, (long long)at[i]);
		printf("\n");
		return false;
	} while (next());
	return true;
}

int
main(int argc, char **argv)
{
	long cases = argc > 1 ? strtol(argv[1], NULL, 10) : 4000;
	static const char *const names[NVARS] = {"i", "j", "k", "l"};
	ir_context *cx = ir_context_new();
	long bad = 0;

	if (argc > 2)
		seed = strtoull(argv[2], NULL, 10);
	for (long n = 0; n < cases && bad < 5; n++) {
		struct te_simplifier s = {0};
		const tir_expr *e;

		m = ir_module_new(cx);
		s.m = m;
		for (int i = 0; i < NVARS; i++) {
			vars[i] = tir_new_var(m, names[i], DTYPE(INT, 32));
			lo[i] = rnd(4) ? 0 : (int64_t)rnd(5) - 2;
			hi[i] = lo[i] + (rnd(5) ? rnd(6) : 20);
			te_set_range(&s, vars[i], lo[i], hi[i]);
		}
		e = rnd(4) ? random_int(1 + (int)rnd(4)) : random_bool(2);
		bad += !check(e, te_simplify(&s, e), &s);
		te_simplifier_free(&s);
		ir_module_free(m);
	}
	ir_context_free(cx);
	return bad != 0;
}
