/*
 * How reads move with the loops around them.
 */
#include <stdlib.h>

#include "te/build.h"
#include "te/fold.h"
#include "te/linear.h"
#include "te/schedule/analysis.h"

struct gather {
	struct te_plan *p;
	const struct te_nest *n;
	struct te_access *out;
	const struct tir_var **vars; /* by root */
	uint32_t cap;
	long budget;
};

/* Roots that E mentions, into FLAGS. */
static void
mark(struct gather *g, const tir_expr *e, bool *flags)
{
	if (--g->budget < 0)
		return;
	if (e->kind == TIR_VAR)
		for (uint32_t i = 0; i < g->out->nroots; i++)
			if (g->vars[i] == e->var)
				flags[i] = true;
	for (uint32_t i = 0; i < e->n; i++)
		mark(g, e->arg[i], flags);
}

static void
note_size(struct te_access *a, struct dtype t)
{
	unsigned size = (unsigned)dtype_size(t);

	if (!a->narrowest || size < a->narrowest)
		a->narrowest = size;
	if (size > a->widest)
		a->widest = size;
}

static void
note_read(struct gather *g, const tir_expr *e)
{
	struct te_access *a = g->out;
	const struct te_tensor *t = e->tensor;
	const tir_expr *at = tir_int(g->p->m, g->p->index, 0);
	struct te_linear sum;
	int64_t *coef;

	for (uint32_t d = 0; d < t->ndim; d++)
		at = te_fold_binary(
			g->p->m, TIR_ADD,
			te_fold_binary(g->p->m, TIR_MUL, at,
				       te_extent_expr(g->p->m, g->p->index,
						      t->shape[d])),
			e->arg[d]);
	at = te_simplify(&g->p->ranges, at);
	note_size(a, t->dtype);
	if (a->nreads == g->cap) {
		g->cap = g->cap ? 2 * g->cap : 8;
		a->coef = xrealloc(a->coef,
				   g->cap * (a->nroots + 1) * sizeof(*a->coef));
	}
	coef = &a->coef[a->nreads++ * a->nroots];
	for (uint32_t i = 0; i < a->nroots; i++)
		coef[i] = 0;
	if (!te_linear_of(at, &sum)) {
		mark(g, at, a->odd);
		return;
	}
	for (uint32_t k = 0; k < sum.n; k++) {
		const tir_expr *term = sum.term[k].e;

		if (term->kind != TIR_VAR) {
			mark(g, term, a->odd);
			continue;
		}
		for (uint32_t i = 0; i < a->nroots; i++)
			if (g->vars[i] == term->var)
				coef[i] = sum.term[k].coef;
	}
}

static void
walk(struct gather *g, const tir_expr *e)
{
	if (--g->budget < 0)
		return;
	if (e->kind == TIR_READ) {
		note_read(g, e);
		return;
	}
	if (e->kind == TIR_VAR) {
		mark(g, e, g->out->guarded);
		return;
	}
	for (uint32_t i = 0; i < e->n; i++)
		walk(g, e->arg[i]);
}

void
te_access_of(struct te_plan *p, const struct te_nest *n, struct te_access *out)
{
	struct gather g = {.p = p, .n = n, .out = out, .budget = 20000};
	const struct te_reduce *r = te_nest_fold(n);
	uint32_t nroots = n->naxes + n->nreduce;

	*out = (struct te_access){.nroots = nroots};
	out->odd = xcalloc(nroots + 1, sizeof(bool));
	out->guarded = xcalloc(nroots + 1, sizeof(bool));
	g.vars = xcalloc(nroots + 1, sizeof(*g.vars));
	for (uint32_t i = 0; i < n->naxes; i++)
		g.vars[i] = n->op->axes[i].var;
	for (uint32_t i = 0; i < n->nreduce; i++)
		g.vars[n->naxes + i] = r->axes[i].var;
	for (uint32_t i = 0; i < nroots; i++)
		te_set_range(&p->ranges, g.vars[i], 0,
			     n->roots[i]->extent > 0 ? n->roots[i]->extent - 1
						     : 0);
	for (uint32_t k = 0; k < n->op->noutputs; k++) {
		note_size(out, n->op->outputs[k].dtype);
		if (n->body[k])
			walk(&g, te_simplify(&p->ranges, n->body[k]));
	}
	for (uint32_t i = 0; g.budget < 0 && i < nroots; i++)
		out->odd[i] = true;
	free(g.vars);
}

void
te_access_free(struct te_access *a)
{
	free(a->coef);
	free(a->odd);
	free(a->guarded);
}

int64_t
te_stride(const struct te_access *a, uint32_t root)
{
	int64_t most = 0;

	if (a->odd[root])
		return -1;
	for (uint32_t r = 0; r < a->nreads; r++) {
		int64_t c = te_coef(a, r, root);

		c = c < 0 ? -c : c;
		most = c > most ? c : most;
	}
	return most;
}

bool
te_can_fuse(const struct te_access *a, const struct te_nest *n, uint32_t i)
{
	if (i + 1 >= a->nroots || a->odd[i] || a->odd[i + 1] || a->guarded[i] ||
	    a->guarded[i + 1] || i + 1 == n->naxes)
		return false;
	for (uint32_t r = 0; r < a->nreads; r++)
		if (te_coef(a, r, i) !=
		    te_coef(a, r, i + 1) * n->roots[i + 1]->extent)
			return false;
	return true;
}

/* Cycles per step of the fold for a tile of M rows and V vectors. */
static double
cycles(const struct te_target *t, int64_t m, int64_t v)
{
	double fma = (double)(m * v) / t->fma_ports;
	double load = (double)(m + v) / 2;
	double wait = t->fma_latency;

	fma = load > fma ? load : fma;
	return wait > fma ? wait : fma;
}

/* Registers that N elements take: whole vectors, then halves and so on. */
static int64_t
registers_for(int64_t n, unsigned lanes)
{
	int64_t count = n / lanes;

	for (int64_t rest = n % lanes; rest; rest &= rest - 1)
		count++;
	return count;
}

struct te_tile
te_choose_tile(const struct te_target *t, int64_t ea, int64_t ej,
	       unsigned lanes)
{
	struct te_tile best = {1, 1};
	double least = 0;

	for (int64_t v = 1; v <= 4; v++)
		for (int64_t m = 1; m <= 8 && m <= ea; m++) {
			int64_t width = v * lanes;
			int64_t rv = registers_for(ej % width, lanes);
			int64_t used = m * v + v + !t->broadcast_operand;
			double sum;

			if (used > t->registers || (v > 1 && width > ej))
				continue;
			sum = (double)(ea / m) *
			      ((double)(ej / width) * (cycles(t, m, v) + 0.5) +
			       (rv ? cycles(t, m, rv) + 0.5 : 0));
			if (ea % m)
				sum += (double)(ej / width) *
					       (cycles(t, ea % m, v) + 0.5) +
				       (rv ? cycles(t, ea % m, rv) + 0.5 : 0);
			/* Each kind of remainder is code of its own. */
			sum *= 1 + 0.05 * (ea % m != 0) + 0.05 * (rv != 0);
			if (least == 0 || sum < least) {
				least = sum;
				best = (struct te_tile){m, v};
			}
		}
	return best;
}
