#include "passes/purity.h"

#include "passes/call_graph.h"

static void
mark(struct ir_set *impure, const ir_expr *e, bool pure, bool *changed)
{
	if (!pure)
		*changed |= ir_set_add(impure, e);
}

static bool
operands_pure(const struct purity *p, const ir_expr *e)
{
	for (uint32_t i = 0; i < ir_num_operands(e); i++)
		if (ir_set_has(&p->impure_eval, ir_operand(e, i)))
			return false;
	return true;
}

static bool
call_pure(const struct purity *p, const ir_expr *e)
{
	return !ir_set_has(&p->impure_call, e);
}

struct walk {
	struct purity *p;
	struct ir_map bound; /* value of a let -> its variable */
	bool changed;
};

static void
mark_call_impure(const struct ir_var *v, void *env)
{
	struct walk *w = env;

	mark(&w->p->impure_call, &v->base, false, &w->changed);
}

static bool
clauses_call_pure(const struct purity *p, const struct ir_match *x)
{
	for (uint32_t i = 0; i < x->nclauses; i++)
		if (!call_pure(p, x->clauses[i].body))
			return false;
	return true;
}

static bool
global_call_pure(const struct purity *p, const struct ir_global *g)
{
	if (!g->def || g->def->kind != DEF_FUNCTION || !g->def->fn->body)
		return false;
	return !ir_set_has(&p->impure_eval, g->def->fn->body);
}

/* Binders come before their uses, so that a use finds its answer. */
static bool
enter(const ir_expr *e, void *env)
{
	struct walk *w = env;

	if (e->kind == IR_FUNCTION) {
		const struct ir_function *f = ir_as_function(e);

		for (uint32_t i = 0; i < f->nparams; i++)
			mark_call_impure(f->params[i], w);
	} else if (e->kind == IR_LET) {
		const struct ir_let *l = ir_as_let(e);

		ir_map_put(&w->bound, l->value, l->var);
	} else if (e->kind == IR_MATCH) {
		const struct ir_match *x = ir_as_match(e);

		for (uint32_t i = 0; i < x->nclauses; i++)
			ir_pattern_vars(x->clauses[i].pattern, mark_call_impure,
					w);
	}
	return true;
}

static void
classify(const ir_expr *e, void *env)
{
	struct walk *w = env;
	struct purity *p = w->p;
	const struct ir_var *var = ir_map_get(&w->bound, e);
	bool eval = operands_pure(p, e);
	bool call = false;

	ir_set_add(&p->known, e);
	switch ((enum ir_kind)e->kind) {
	case IR_VAR: /* its binder decided */
		call = call_pure(p, e);
		break;
	case IR_CONSTANT:
	case IR_CTOR:
	case IR_HOLE:
		call = true;
		break;
	case IR_OP:
		call = ir_op_is_pure(ir_as_op_ref(e)->op);
		break;
	case IR_GLOBAL:
		call = global_call_pure(p, ir_as_global(e));
		break;
	case IR_FUNCTION:
		call = eval && ir_as_function(e)->body;
		eval = true;
		break;
	case IR_CALL:
		eval = eval && call_pure(p, ir_as_call(e)->callee);
		break;
	case IR_LET: {
		const struct ir_let *l = ir_as_let(e);

		mark(&p->impure_call, &l->var->base, call_pure(p, l->value),
		     &w->changed);
		call = call_pure(p, l->body);
		break;
	}
	case IR_IF:
		call = call_pure(p, ir_as_if(e)->then_branch) &&
		       call_pure(p, ir_as_if(e)->else_branch);
		break;
	case IR_MATCH:
		call = clauses_call_pure(p, ir_as_match(e));
		break;
	case IR_REF_READ:
	case IR_REF_WRITE:
		eval = false;
		break;
	case IR_TUPLE:
	case IR_PROJ:
	case IR_REF_NEW:
	case IR_KIND_COUNT:
		break;
	}
	mark(&p->impure_eval, e, eval, &w->changed);
	mark(&p->impure_call, e, call, &w->changed);
	if (var)
		mark(&p->impure_call, &var->base, call, &w->changed);
}

/*
 * Everything starts as pure and only ever loses that, so repeating until
 * nothing changes ends. Callees and values of lets go before their uses, so
 * only recursion needs more than two rounds.
 */
void
purity_compute(struct purity *p, const ir_module *m)
{
	struct arena scratch = {0};
	struct walk w = {.p = p};
	struct call_graph g;

	*p = (struct purity){0};
	call_graph_build(&g, m, &scratch);
	do {
		w.changed = false;
		for (uint32_t i = 0; i < g.n; i++) {
			const ir_def *def = g.nodes[g.order[i]].def;

			if (def->kind == DEF_FUNCTION)
				ir_walk(&def->fn->base, enter, classify, &w);
		}
	} while (w.changed);
	ir_map_free(&w.bound);
	call_graph_free(&g);
	arena_free(&scratch);
}

/* Leave alone what is known. */
static bool
enter_new(const ir_expr *e, void *env)
{
	struct walk *w = env;

	return !ir_set_has(&w->p->known, e) && enter(e, env);
}

void
purity_add(struct purity *p, const ir_expr *e)
{
	struct walk w = {.p = p};

	ir_walk(e, enter_new, classify, &w);
	ir_map_free(&w.bound);
}

void
purity_free(struct purity *p)
{
	ir_set_free(&p->impure_eval);
	ir_set_free(&p->impure_call);
	ir_set_free(&p->known);
}

static bool
look_for_effects(const ir_expr *e, void *env)
{
	bool *found = env;

	if (e->kind == IR_REF_READ || e->kind == IR_REF_WRITE ||
	    (e->kind == IR_OP && !ir_op_is_pure(ir_as_op_ref(e)->op)) ||
	    (e->kind == IR_FUNCTION && !ir_as_function(e)->body) ||
	    (e->kind == IR_GLOBAL && !ir_as_global(e)->def))
		*found = true;
	return !*found;
}

bool
purity_no_effects(const ir_module *m)
{
	bool found = false;

	for (size_t i = 0; i < m->defs.len && !found; i++) {
		if (m->defs.at[i]->kind != DEF_FUNCTION)
			return false;
		ir_walk(&m->defs.at[i]->fn->base, look_for_effects, NULL,
			&found);
	}
	return !found;
}

bool
purity_is_pure(const struct purity *p, const ir_expr *e)
{
	if (p->all_pure)
		return true;
	return ir_set_has(&p->known, e) && !ir_set_has(&p->impure_eval, e);
}
