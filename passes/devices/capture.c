/*
 * Phase 4 of plan-devices: say in the program what was found. on_device calls
 * that were there have done their work and go, as do copies from a device to
 * itself. New ones stand
 *
 * - around what a let binds;
 * - around arguments that are not where the result of the call is, and what
 *   is copied;
 *
 * and never around variables and functions, which say so themselves.
 */
#include "passes/devices/plan.h"

#include "ir/rewrite.h"

struct capture {
	struct domains *ds;
	ir_module *m;
	struct ir_map params; /* parameters -> those with their devices */
	bool has_kernels;     /* literals, which may use parameters, too */
};

/* NOW, which is on FROM, copied to TO. A row of copies is one. */
static const ir_expr *
copied(struct capture *c, const ir_expr *now, struct vdevice from,
       const struct vdevice *to)
{
	const ir_expr *x = below_on_device(now);

	if (as_device_copy(x)) {
		from = vdevice_attr(c->m->cx, ir_as_call(x),
				    "src_virtual_device");
		now = ir_as_call(x)->args[0];
	}
	if (from.meta == to->meta)
		return below_on_device(now);
	return new_device_copy(c->m, place_on_device(c->m, now, &from), &from,
			       to);
}

/*
 * NOW, which CHILD became, where it is expected on a device other than its
 * own or than the one around it, LEXICAL (NULL: none).
 */
static const ir_expr *
fit(struct capture *c, const ir_expr *now, const ir_expr *child,
    const struct vdevice *lexical, const struct vdevice *expected)
{
	struct vdevice d;

	if (child->kind == IR_OP || child->kind == IR_CTOR ||
	    is_lowered_kernel(child))
		return now;
	d = device_of_expr(c->ds, child);
	if (d.meta != expected->meta)
		now = copied(c, now, d, expected);
	if (!lexical || expected->meta != lexical->meta)
		now = place_on_device(c->m, now, expected);
	return now;
}

static const ir_expr *
capture_copy(struct capture *c, const struct ir_call *call,
	     const struct ir_call *old)
{
	const ir_expr *e = &old->base;
	struct vdevice to = domain_device(c->ds, domain_of(c->ds, e));
	struct vdevice from = device_of_expr(c->ds, old->args[0]);

	return from.meta == to.meta ? call->args[0]
				    : copied(c, call->args[0], from, &to);
}

static const ir_expr *
capture_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct capture *c = env;
	const struct ir_call *call = ir_as_call(e), *was = ir_as_call(old);
	const ir_expr **operands;
	struct vdevice here, there;
	struct domain *f;

	if (as_on_device(old))
		return call->args[0];
	if (as_device_copy(old))
		return capture_copy(c, call, was);
	here = device_of_expr(c->ds, old);
	f = domain_of_callee(c->ds, was);
	there = domain_device(c->ds, f);
	operands =
		ARENA_NEW_ARRAY(c->ds->arena, call->nargs + 1, const ir_expr *);
	operands[0] = kernel_called(c->ds, was->callee)
			      ? call->callee
			      : fit(c, call->callee, was->callee, &here, &here);
	for (uint32_t i = 0; i < call->nargs; i++) {
		there = domain_device(c->ds, f->at[i]);
		operands[i + 1] =
			fit(c, call->args[i], was->args[i], &here, &there);
	}
	return ir_with_operands(c->m, e, operands, true);
}

static const ir_expr *
capture_let(const ir_expr *e, const ir_expr *old, void *env)
{
	struct capture *c = env;
	const struct ir_let *was = ir_as_let(old);
	struct vdevice here = device_of_expr(c->ds, old);
	struct vdevice there = device_of_expr(c->ds, &was->var->base);
	const ir_expr *operands[] = {
		fit(c, ir_as_let(e)->value, was->value, NULL, &there),
		fit(c, ir_as_let(e)->body, was->body, &here, &here),
	};

	return ir_with_operands(c->m, e, operands, true);
}

/* Tuples and the like are where their parts are. */
static const ir_expr *
capture_parts(const ir_expr *e, const ir_expr *old, void *env)
{
	struct capture *c = env;
	struct vdevice here = device_of_expr(c->ds, old);
	uint32_t n = ir_num_operands(e);
	const ir_expr **operands =
		ARENA_NEW_ARRAY(c->ds->arena, n, const ir_expr *);

	for (uint32_t i = 0; i < n; i++)
		operands[i] = fit(c, ir_operand(e, i), ir_operand(old, i),
				  &here, &here);
	return ir_with_operands(c->m, e, operands, true);
}

static const ir_expr *
capture_var(const ir_expr *e, const ir_expr *old, void *env)
{
	(void)old;
	return ir_map_get(&((struct capture *)env)->params, e);
}

static const struct ir_var *
placed_param(struct capture *c, const struct ir_var *p)
{
	struct vdevice d = device_of_expr(c->ds, &p->base);
	const ir_expr *e;
	struct ir_var *v;

	if (p->vdevice == d.meta)
		return p;
	e = ir_new_var(c->m, p->base.loc, p->name, p->annotation);
	v = (struct ir_var *)(uintptr_t)ir_as_var(e);
	v->base.flags = p->base.flags;
	v->vdevice = d.meta;
	ir_set_type(e, p->base.type);
	return v;
}

static const ir_expr *
capture_function(const ir_expr *e, const ir_expr *old, void *env)
{
	struct capture *c = env;
	const struct ir_function *f = ir_as_function(e);
	const struct ir_function *was = ir_as_function(old);
	struct ir_function_parts parts = ir_function_parts(f);
	struct vdevice here = device_of_expr(c->ds, old);
	const struct ir_var **params;
	const ir_expr *now;
	bool changed = f->vdevice != here.meta;

	if (!f->body)
		return e;
	params = ARENA_NEW_ARRAY(c->ds->arena, f->nparams,
				 const struct ir_var *);
	for (uint32_t i = 0; i < f->nparams; i++) {
		const ir_expr *p = ir_map_get(&c->params, &f->params[i]->base);

		params[i] = p ? ir_as_var(p) : f->params[i];
		changed |= params[i] != f->params[i];
	}
	parts.params = params;
	parts.body = fit(c, f->body, was->body, &here, &here);
	parts.vdevice = here.meta;
	if (!changed && parts.body == f->body)
		return e;
	now = ir_new_function(c->m, e->loc, &parts);
	ir_set_type(now, old->type);
	return now;
}

/* Parameters are replaced before their uses are met. */
static bool
enter(const ir_expr *e, void *env)
{
	struct capture *c = env;
	const struct ir_function *f;

	if (ir_is_primitive(e)) {
		c->has_kernels = true;
		return false;
	}
	if (e->kind != IR_FUNCTION)
		return true;
	f = ir_as_function(e);
	for (uint32_t i = 0; i < f->nparams; i++) {
		const struct ir_var *v = placed_param(c, f->params[i]);

		if (v != f->params[i])
			ir_map_put(&c->params, &f->params[i]->base, &v->base);
	}
	return true;
}

const ir_expr *
capture_devices(struct domains *ds, const ir_expr *fn)
{
	static const struct ir_rules rules = {
		.on = {[IR_VAR] = capture_var,
		       [IR_CALL] = capture_call,
		       [IR_LET] = capture_let,
		       [IR_FUNCTION] = capture_function,
		       [IR_TUPLE] = capture_parts,
		       [IR_PROJ] = capture_parts,
		       [IR_IF] = capture_parts,
		       [IR_MATCH] = capture_parts,
		       [IR_REF_NEW] = capture_parts,
		       [IR_REF_READ] = capture_parts,
		       [IR_REF_WRITE] = capture_parts},
		.enter = enter,
	};
	struct capture c = {.ds = ds, .m = ds->m};
	const ir_expr *now = ir_rewrite(ds->m, fn, &rules, &c);

	if (c.has_kernels)
		now = ir_substitute(ds->m, now, &c.params);
	ir_map_free(&c.params);
	return now;
}
