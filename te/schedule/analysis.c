/*
 * Costs and readers of operations, and the choice of what is inlined.
 */
#include "te/schedule/analysis.h"

#include <stdlib.h>

/* In flops of a vector unit; a library call is some twenty. */
static double
cost_of_call(enum tir_intrin f)
{
	switch (f) {
	case INTRIN_ABS:
	case INTRIN_BIT_AND:
	case INTRIN_BIT_NOT:
	case INTRIN_BIT_OR:
	case INTRIN_BIT_XOR:
	case INTRIN_CEIL:
	case INTRIN_FLOOR:
	case INTRIN_NEARBYINT:
	case INTRIN_REINTERPRET:
	case INTRIN_SHL:
	case INTRIN_SHR:
	case INTRIN_TRUNC:
		return 1;
	case INTRIN_FMA:
	case INTRIN_ISFINITE:
	case INTRIN_ISINF:
	case INTRIN_ISNAN:
	case INTRIN_ROUND:
		return 2;
	case INTRIN_SQRT:
	case INTRIN_RSQRT:
		return 8;
	default:
		return 20;
	}
}

static double
cost_of_node(const tir_expr *e)
{
	switch (e->kind) {
	case TIR_INT:
	case TIR_FLOAT:
	case TIR_VAR:
	case TIR_READ:
	case TIR_REDUCE:
		return 0;
	case TIR_CALL:
		return cost_of_call(e->intrin);
	case TIR_DIV:
	case TIR_MOD:
	case TIR_TRUNCDIV:
	case TIR_TRUNCMOD:
		return dtype_is_float(e->dtype) ? 4 : 10;
	default:
		return 1;
	}
}

/* The formula of one operation, walked. */
struct count {
	struct te_info *info;
	struct te_info *self;
	double iterations;
	bool fold;
	bool final; /* inlining was chosen already */
	uint32_t limit;
};

static void
count_expr(struct count *c, const tir_expr *e)
{
	if (++c->self->size > c->limit)
		return;
	c->self->cost += cost_of_node(e);
	if (e->kind == TIR_GUARD)
		c->self->has_guard = true;
	if (e->kind != TIR_READ) {
		for (uint32_t i = 0; i < e->n; i++)
			count_expr(c, e->arg[i]);
		return;
	}
	if (!c->final) {
		struct te_info *in = &c->info[e->tensor->op->id];
		double elements = 1;

		for (uint32_t i = 0; i < e->tensor->ndim; i++)
			elements *= (double)te_nominal(e->tensor->shape[i]);
		in->reads++;
		in->read_by_fold = in->read_by_fold || c->fold;
		in->uses += c->iterations / (elements > 0 ? elements : 1);
	} else if (c->info[e->tensor->op->id].inlined) {
		const struct te_info *in = &c->info[e->tensor->op->id];

		c->self->cost += in->cost;
		c->self->size += in->size;
		c->self->has_guard = c->self->has_guard || in->has_guard;
	}
}

double
te_iterations(const struct te_op *op)
{
	double n = 1;
	const tir_expr *e = op->noutputs ? op->body[0] : NULL;

	for (uint32_t i = 0; i < op->naxes; i++)
		n *= (double)te_nominal(op->axes[i].extent);
	if (e && e->kind == TIR_REDUCE)
		for (uint32_t i = 0; i < e->reduce->naxes; i++)
			n *= (double)te_nominal(e->reduce->axes[i].extent);
	return n;
}

static void
count_op(const te_func *f, struct te_info *info, uint32_t i, bool final)
{
	const struct te_op *op = f->ops[i];
	struct count c = {
		.info = info,
		.self = &info[i],
		.iterations = te_iterations(op),
		.final = final,
		.limit = 100000,
	};

	info[i].cost = 0;
	info[i].size = 0;
	if (op->kind != TE_COMPUTE)
		return;
	c.fold = op->body[0]->kind == TIR_REDUCE;
	for (uint32_t k = 0; k < op->noutputs; k++)
		if (op->body[k])
			count_expr(&c, op->body[k]);
}

struct te_info *
te_analyse(const te_func *f)
{
	struct te_info *info = xcalloc(f->nops + 1, sizeof(*info));

	for (uint32_t i = 0; i < f->nops; i++)
		count_op(f, info, i, false);
	for (uint32_t i = 0; i < f->noutputs; i++)
		info[f->outputs[i]->op->id].is_output = true;
	for (uint32_t i = 0; i < f->nops; i++)
		for (uint32_t k = 0; k < f->ops[i]->nargs; k++)
			if (f->ops[i]->args[k].tensor)
				info[f->ops[i]->args[k].tensor->op->id]
					.read_by_extern = true;
	return info;
}

/*
 * A temporary costs a store and a load per element. Formulas that are read
 * in several places are copied only if they are next to nothing, and large
 * ones never, so that the code stays linear in the input.
 */
static bool
should_inline(const struct te_op *op, const struct te_info *in)
{
	if (op->kind != TE_COMPUTE || op->noutputs > 1 || in->is_output ||
	    in->read_by_extern || op->body[0]->kind == TIR_REDUCE)
		return false;
	if (op->body[0]->n == 0)
		return true;
	if (in->size > 200)
		return false;
	if (in->reads > 1 && in->cost > 2)
		return false;
	if (in->has_guard && (in->uses > 2 || in->read_by_fold))
		return false;
	return in->uses * in->cost <= 2 * (in->cost + 2);
}

void
te_choose_inlined(const te_func *f, struct te_info *info)
{
	for (uint32_t i = 0; i < f->nops; i++) {
		count_op(f, info, i, true);
		info[i].inlined = should_inline(f->ops[i], &info[i]);
	}
}
