/*
 * Substitution in scalar expressions, bottom-up, memoised by node.
 */
#include <stdlib.h>

#include "te/fold.h"
#include "te/plan.h"

struct memo {
	const tir_expr **key;
	const tir_expr **value;
	uint32_t nslots;
	uint32_t used;
};

struct run {
	ir_module *m;
	const struct te_substitution *s;
	struct memo memo;
};

static uint32_t
find(const struct memo *memo, const tir_expr *e)
{
	uint64_t h = ((uintptr_t)e >> 4) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t i = (uint32_t)(h >> 32) & (memo->nslots - 1);

	while (memo->key[i] && memo->key[i] != e)
		i = (i + 1) & (memo->nslots - 1);
	return i;
}

static void
put(struct memo *memo, const tir_expr *e, const tir_expr *value)
{
	uint32_t i;

	if (2 * (memo->used + 1) > memo->nslots) {
		struct memo more = {.nslots = memo->nslots * 2};

		if (!more.nslots)
			more.nslots = 64;
		more.used = memo->used;
		more.key = xcalloc(more.nslots, sizeof(*more.key));
		more.value = xcalloc(more.nslots, sizeof(*more.value));
		for (i = 0; i < memo->nslots; i++) {
			uint32_t k;

			if (!memo->key[i])
				continue;
			k = find(&more, memo->key[i]);
			more.key[k] = memo->key[i];
			more.value[k] = memo->value[i];
		}
		free(memo->key);
		free(memo->value);
		*memo = more;
	}
	i = find(memo, e);
	memo->used++;
	memo->key[i] = e;
	memo->value[i] = value;
}

static const tir_expr *
variable(struct run *r, const tir_expr *e)
{
	for (uint32_t i = 0; i < r->s->n; i++)
		if (r->s->var[i] == e->var)
			return r->s->value[i];
	return e;
}

static const tir_expr *
substitute(struct run *r, const tir_expr *e)
{
	const tir_expr *few[4] = {NULL};
	const tir_expr **args = few;
	const tir_expr *out;

	if (e->kind == TIR_VAR)
		return variable(r, e);
	if (e->n == 0 && (e->kind != TIR_READ || !r->s->read))
		return e;
	if (r->memo.nslots) {
		uint32_t i = find(&r->memo, e);

		if (r->memo.key[i])
			return r->memo.value[i];
	}
	if (e->n > 4)
		args = xmalloc(e->n * sizeof(*args));
	for (uint32_t i = 0; i < e->n; i++)
		args[i] = substitute(r, e->arg[i]);
	out = te_fold_with_args(r->m, e, args);
	if (args != few)
		free(args);
	if (out->kind == TIR_READ && e->kind == TIR_READ && r->s->read)
		out = r->s->read(out, r->s->env);
	put(&r->memo, e, out);
	return out;
}

const tir_expr *
te_substitute(ir_module *m, const tir_expr *e, const struct te_substitution *s)
{
	struct run r = {.m = m, .s = s};

	e = substitute(&r, e);
	free(r.memo.key);
	free(r.memo.value);
	return e;
}
