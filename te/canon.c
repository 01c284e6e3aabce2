/*
 * Canonical form of tensor expressions: simplified formulas, no dead
 * operations.
 */
#include <stdlib.h>

#include "te/build.h"
#include "te/sizes.h"
#include "te/simplify.h"

static void
set_ranges(struct te_simplifier *s, const struct te_axis *axes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		int64_t last = te_is_size(axes[i].extent) ? TE_MAX_SIZE
			       : axes[i].extent > 0       ? axes[i].extent - 1
							  : 0;

		te_set_range(s, axes[i].var, 0, last);
	}
}

void
te_set_axis_ranges(struct te_simplifier *s, const struct te_op *op)
{
	set_ranges(s, op->axes, op->naxes);
	if (op->body[0] && op->body[0]->kind == TIR_REDUCE)
		set_ranges(s, op->body[0]->reduce->axes,
			   op->body[0]->reduce->naxes);
}

static void
simplify_op(ir_module *m, const te_func *f, struct te_op *op)
{
	struct te_simplifier s = {.m = m};

	for (uint32_t i = 0; i < f->nsizes; i++)
		te_set_range(&s, f->sizes[i].var, 0, TE_MAX_SIZE);
	te_set_axis_ranges(&s, op);
	for (uint32_t i = 0; i < op->noutputs; i++)
		if (op->body[i])
			op->body[i] = te_simplify(&s, op->body[i]);
	te_simplifier_free(&s);
}

/* A growing set of expressions that were looked at. */
struct seen {
	const tir_expr **slots;
	uint32_t nslots;
	uint32_t used;
};

static bool
first_time(struct seen *seen, const tir_expr *e)
{
	uint32_t i;

	if (2 * (seen->used + 1) > seen->nslots) {
		struct seen more = {.nslots = seen->nslots * 2};

		if (!more.nslots)
			more.nslots = 64;
		more.slots = xcalloc(more.nslots, sizeof(*more.slots));
		for (i = 0; i < seen->nslots; i++)
			if (seen->slots[i])
				first_time(&more, seen->slots[i]);
		free(seen->slots);
		*seen = more;
	}
	i = (uint32_t)(((uintptr_t)e >> 4) * UINT64_C(0x9e3779b97f4a7c15) >>
		       32);
	for (;; i++) {
		const tir_expr **slot = &seen->slots[i & (seen->nslots - 1)];

		if (*slot == e)
			return false;
		if (!*slot) {
			*slot = e;
			seen->used++;
			return true;
		}
	}
}

static void
mark_reads(const tir_expr *e, bool *live, struct seen *seen)
{
	if (e->n == 0 && e->kind != TIR_READ)
		return;
	if (!first_time(seen, e))
		return;
	if (e->kind == TIR_READ)
		live[e->tensor->op->id] = true;
	for (uint32_t i = 0; i < e->n; i++)
		mark_reads(e->arg[i], live, seen);
}

static void
mark_inputs(const struct te_op *op, bool *live)
{
	struct seen seen = {0};

	for (uint32_t i = 0; i < op->nargs; i++)
		if (op->args[i].tensor)
			live[op->args[i].tensor->op->id] = true;
	for (uint32_t i = 0; i < op->noutputs; i++)
		if (op->kind == TE_COMPUTE && op->body[i])
			mark_reads(op->body[i], live, &seen);
	free(seen.slots);
}

void
te_drop_dead(te_func *f)
{
	bool *live = xcalloc(f->nops + 1, sizeof(*live));
	uint32_t n = f->nparams;

	for (uint32_t i = 0; i < f->noutputs; i++)
		live[f->outputs[i]->op->id] = true;
	for (uint32_t i = f->nops; i-- > f->nparams;)
		if (live[i])
			mark_inputs(f->ops[i], live);
	for (uint32_t i = f->nparams; i < f->nops; i++) {
		if (!live[i])
			continue;
		f->ops[n] = f->ops[i];
		f->ops[n]->id = n;
		n++;
	}
	f->nops = n;
	free(live);
}

void
te_canon(ir_module *m, te_func *f)
{
	for (uint32_t i = f->nparams; i < f->nops; i++)
		if (f->ops[i]->kind == TE_COMPUTE)
			simplify_op(m, f, f->ops[i]);
	te_drop_dead(f);
}
