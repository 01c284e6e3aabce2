#include "passes/spans.h"

#include "ir/walk.h"

struct counting {
	struct span_count *c;
	const ir_def *def;
};

static void
look_at(const ir_expr *e, void *env)
{
	struct counting *x = env;

	if (e->kind != IR_CALL)
		return;
	x->c->calls++;
	if (loc_is_known(e->loc))
		return;
	x->c->lost++;
	if (x->c->first)
		return;
	x->c->first = e;
	x->c->def = x->def;
}

void
spans_count(struct span_count *c, const ir_module *m)
{
	struct counting x = {.c = c};

	*c = (struct span_count){0};
	/* Definitions from nowhere, as standard ones, have nothing to lose. */
	for (size_t i = 0; i < m->defs.len; i++) {
		x.def = m->defs.at[i];
		if (x.def->kind == DEF_FUNCTION && x.def->fn &&
		    loc_is_known(x.def->loc))
			ir_walk(&x.def->fn->base, NULL, look_at, &x);
	}
}
