/*
 * Phases 2 and 3 of plan-devices: constraints between the domains of all
 * values, then devices for what they leave open.
 */
#include "passes/devices/plan.h"

struct analysis {
	struct domains *ds;
	bool ok;
};

/* Of two functions that contradict each other, the parts that do. */
static void
find_parts(struct domains *ds, struct domain **x, struct domain **y)
{
	struct vdevice dx, dy, joined;
	struct domain *at, *bt;

	*x = domain_find(ds, *x);
	*y = domain_find(ds, *y);
	for (uint32_t i = 0; i < (*x)->n && (*x)->n == (*y)->n; i++) {
		at = (*x)->at[i];
		bt = (*y)->at[i];
		find_parts(ds, &at, &bt);
		dx = domain_device(ds, at);
		dy = domain_device(ds, bt);
		if (vdevice_join(ds->m->cx, &dx, &dy, &joined))
			continue;
		*x = at;
		*y = bt;
		return;
	}
}

static void
contradiction(struct analysis *a, const ir_expr *e, struct domain *x,
	      struct domain *y)
{
	ir_context *cx = a->ds->m->cx;
	struct vdevice dx, dy;

	find_parts(a->ds, &x, &y);
	dx = domain_device(a->ds, x);
	dy = domain_device(a->ds, y);

	if (dx.meta && dy.meta && dx.meta != dy.meta)
		pass_error(a->ds->cx, e->loc,
			   "this must be on %s and on %s at once",
			   vdevice_text(cx, &dx), vdevice_text(cx, &dy));
	else
		pass_error(a->ds->cx, e->loc,
			   "no devices fit all uses of this");
	a->ok = false;
}

static void
unify(struct analysis *a, const ir_expr *place, struct domain *x,
      struct domain *y)
{
	if (a->ok && !domain_unify(a->ds, x, y))
		contradiction(a, place, x, y);
}

/* Both on one device; one of them may be a function. */
static void
same(struct analysis *a, const ir_expr *x, const ir_expr *y)
{
	unify(a, x, domain_of(a->ds, x), domain_of(a->ds, y));
}

/* X is no function; all of Y is where it is. */
static void
holds(struct analysis *a, const ir_expr *x, const ir_expr *y)
{
	same(a, y, x);
}

static void
call(struct analysis *a, const struct ir_call *c)
{
	struct domain *f = domain_of_callee(a->ds, c);

	if (f->n != c->nargs + 1) {
		pass_error(a->ds->cx, c->base.loc,
			   "no devices are known for what is called here");
		a->ok = false;
		return;
	}
	for (uint32_t i = 0; i < c->nargs; i++)
		unify(a, c->args[i], f->at[i], domain_of(a->ds, c->args[i]));
	unify(a, &c->base, f->at[c->nargs], domain_of(a->ds, &c->base));
}

/* The device that the text gives for E, if it gives one. */
static void
given(struct analysis *a, const ir_expr *e, const ir_meta *device)
{
	struct vdevice d = vdevice_of(a->ds->m->cx, device);

	if (d.meta)
		unify(a, e, domain_of(a->ds, e),
		      domain_new(a->ds, e->type, &d));
}

/* Kernels too say where they want their operands and leave their result. */
static void
function(struct analysis *a, const struct ir_function *f)
{
	struct domain *d = domain_of(a->ds, &f->base);

	if (d->n != f->nparams + 1 || !f->body)
		return;
	unify(a, f->body, d->at[f->nparams], domain_of(a->ds, f->body));
	given(a, f->body, f->vdevice);
	for (uint32_t i = 0; i < f->nparams; i++) {
		const ir_expr *p = &f->params[i]->base;

		unify(a, p, d->at[i], domain_of(a->ds, p));
		given(a, p, f->params[i]->vdevice);
	}
}

struct pattern_env {
	struct analysis *a;
	const ir_expr *value;
};

static void
pattern_var(const struct ir_var *v, void *env)
{
	struct pattern_env *p = env;

	holds(p->a, p->value, &v->base);
}

static void
match(struct analysis *a, const struct ir_match *x)
{
	struct pattern_env env = {a, x->value};

	holds(a, x->value, &x->base);
	for (uint32_t i = 0; i < x->nclauses; i++) {
		ir_pattern_vars(x->clauses[i].pattern, pattern_var, &env);
		same(a, x->clauses[i].body, &x->base);
	}
}

static void
constrain(const ir_expr *e, void *env)
{
	struct analysis *a = env;

	switch ((enum ir_kind)e->kind) {
	case IR_CALL:
		call(a, ir_as_call(e));
		break;
	case IR_LET:
		same(a, ir_as_let(e)->value, &ir_as_let(e)->var->base);
		same(a, ir_as_let(e)->body, e);
		break;
	case IR_FUNCTION:
		function(a, ir_as_function(e));
		break;
	case IR_TUPLE:
		for (uint32_t i = 0; i < ir_as_tuple(e)->nfields; i++)
			holds(a, e, ir_as_tuple(e)->fields[i]);
		break;
	case IR_PROJ:
		holds(a, ir_as_proj(e)->tuple, e);
		break;
	case IR_MATCH:
		match(a, ir_as_match(e));
		break;
	case IR_IF:
		holds(a, ir_as_if(e)->cond, e);
		same(a, ir_as_if(e)->then_branch, e);
		same(a, ir_as_if(e)->else_branch, e);
		break;
	case IR_REF_NEW:
		holds(a, e, ir_as_ref_new(e)->value);
		break;
	case IR_REF_READ:
		holds(a, ir_as_ref_read(e)->ref, e);
		break;
	case IR_REF_WRITE:
		holds(a, ir_as_ref_write(e)->ref, ir_as_ref_write(e)->value);
		holds(a, e, ir_as_ref_write(e)->value);
		break;
	default:
		break;
	}
}

static bool
outside_kernels(const ir_expr *e, void *env)
{
	return ((struct analysis *)env)->ok && !ir_is_primitive(e);
}

static bool
enter_constrained(const ir_expr *e, void *env)
{
	if (outside_kernels(e, env))
		return true;
	if (ir_is_primitive(e))
		function(env, ir_as_function(e));
	return false;
}

/* on_device that binds nothing allows a copy; better is none. */
static void
avoid_copy(const ir_expr *e, void *env)
{
	struct analysis *a = env;
	const struct ir_call *c = as_on_device(e);

	if (c && !binds_body(c) && !binds_result(c))
		(void)domain_try(a->ds, domain_of(a->ds, e),
				 domain_of(a->ds, c->args[0]));
}

/*
 * Results of functions are on the preferred device, their parameters where
 * the result is, and what a let binds where its body is; operands first come
 * from the device of the call.
 */
static bool
choose(const ir_expr *e, void *env)
{
	struct domains *ds = ((struct analysis *)env)->ds;
	struct vdevice d;

	if (ir_is_primitive(e))
		return false;
	if (e->kind == IR_FUNCTION) {
		domain_default(ds, domain_of(ds, e), &ds->preferred);
	} else if (e->kind == IR_CALL) {
		domain_default(ds, domain_of_callee(ds, ir_as_call(e)),
			       &ds->preferred);
	} else if (e->kind == IR_LET) {
		d = domain_device(ds, domain_of(ds, e));
		domain_default(ds, domain_of(ds, &ir_as_let(e)->var->base), &d);
	}
	return true;
}

bool
analyze_devices(struct domains *ds, ir_def *const *defs, size_t n)
{
	struct analysis a = {.ds = ds, .ok = true};

	for (size_t i = 0; i < n && a.ok; i++) {
		same(&a, &defs[i]->fn->base, &defs[i]->global->base);
		ir_walk(&defs[i]->fn->base, enter_constrained, constrain, &a);
	}
	for (size_t i = 0; i < n && a.ok; i++)
		ir_walk(&defs[i]->fn->base, outside_kernels, avoid_copy, &a);
	for (size_t i = 0; i < n && a.ok; i++)
		ir_walk(&defs[i]->fn->base, choose, NULL, &a);
	return a.ok;
}
