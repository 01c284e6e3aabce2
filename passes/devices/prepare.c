/*
 * Phases 0 and 1 of plan-devices.
 */
#include "passes/devices/plan.h"

#include <stdlib.h>

#include "ir/rewrite.h"

/* ------------------------------------------------- annotations of results -- */

/* on_device that binds what is in it alone, or NULL. */
static const struct ir_call *
as_plain_on_device(const ir_expr *e)
{
	const struct ir_call *c = as_on_device(e);

	return c && binds_body(c) && !binds_result(c) ? c : NULL;
}

static const ir_expr *
with_bound_result(ir_module *m, const ir_expr *e)
{
	const struct ir_call *c = as_plain_on_device(e);
	struct vdevice d;

	if (!c)
		return e;
	d = vdevice_attr(m->cx, c, "virtual_device");
	return new_on_device(m, c->args[0], &d);
}

static const ir_expr *
annotate_proj(const ir_expr *e, const ir_expr *old, void *env)
{
	const struct ir_call *c = as_plain_on_device(ir_as_proj(e)->tuple);
	const ir_expr *call;

	if (!c)
		return e;
	ir_set_type(e, old->type);
	call = ir_new_call(env, e->loc, c->callee, &e, 1, c->attrs);
	ir_set_type(call, old->type);
	return call;
}

static const ir_expr *
annotate_let(const ir_expr *e, const ir_expr *old, void *env)
{
	const struct ir_let *l = ir_as_let(e);
	const ir_expr *operands[] = {with_bound_result(env, l->value), l->body};

	(void)old;
	return ir_with_operands(env, e, operands, true);
}

static const ir_expr *
annotate_function(const ir_expr *e, const ir_expr *old, void *env)
{
	const struct ir_function *f = ir_as_function(e);

	(void)old;
	if (!f->body)
		return e;
	return &ir_function_with_body(env, f, with_bound_result(env, f->body))
			->base;
}

static const ir_expr *
copyable_fields(ir_module *m, const ir_expr *e)
{
	uint32_t n = ir_num_operands(e);
	const ir_expr **fields = xcalloc(n, sizeof(*fields));
	const ir_expr *now;

	for (uint32_t i = 0; i < n; i++)
		fields[i] = allow_copy(m, ir_operand(e, i));
	now = ir_with_operands(m, e, fields, true);
	ir_set_type(now, e->type);
	free(fields);
	return now;
}

/*
 * What was lowered has its memory scopes already: operands and results that
 * are elsewhere are copied.
 */
static const ir_expr *
annotate_kernel_call(const ir_expr *e, const ir_expr *old, void *env)
{
	const struct ir_call *c = ir_as_call(e);
	bool direct = is_lowered_kernel(c->callee);
	bool lowered = ir_is_call_of(e, OP_call_lowered) && c->nargs == 2 &&
		       is_lowered_kernel(c->args[0]);
	const ir_expr **operands, *now;

	if (!direct && !lowered)
		return e;
	operands = xcalloc(c->nargs + 1, sizeof(*operands));
	operands[0] = c->callee;
	for (uint32_t i = 0; i < c->nargs; i++) {
		const ir_expr *arg = c->args[i];

		if (direct)
			arg = allow_copy(env, arg);
		else if (arg->kind == IR_TUPLE)
			arg = copyable_fields(env, arg);
		operands[i + 1] = arg;
	}
	now = ir_with_operands(env, e, operands, true);
	free(operands);
	ir_set_type(now, old->type);
	return allow_copy(env, now);
}

static bool
enter(const ir_expr *e, void *env)
{
	(void)env;
	return !ir_is_primitive(e);
}

const ir_expr *
annotate_results(ir_module *m, const ir_expr *fn)
{
	static const struct ir_rules rules = {
		.on = {[IR_CALL] = annotate_kernel_call,
		       [IR_PROJ] = annotate_proj,
		       [IR_LET] = annotate_let,
		       [IR_FUNCTION] = annotate_function},
		.enter = enter,
	};

	return ir_rewrite(m, fn, &rules, m);
}

/* ------------------------------------------------------ contested values -- */

struct contest {
	pass_ctx *cx;
	struct domains *ds;
	ir_context *names;
	struct vdevice open;
	struct ir_map devices; /* expression -> struct vdevice wished so far */
	struct ir_set contested;
	bool ok;
};

static struct vdevice
wished(struct contest *c, const ir_expr *e)
{
	const struct vdevice *d = ir_map_get(&c->devices, e);

	return d ? *d : c->open;
}

/* Someone wants E on D. False: someone else wants it elsewhere. */
static bool
wish(struct contest *c, const ir_expr *e, const struct vdevice *d)
{
	struct vdevice now = wished(c, e), joined;

	if (!vdevice_join(c->names, &now, d, &joined))
		return false;
	if (joined.meta != now.meta)
		ir_map_put(&c->devices, e,
			   arena_copy(c->cx->scratch, &joined, sizeof(joined)));
	return true;
}

/* The copy that CALL is, as such or as a kernel; or NULL. */
static const struct ir_call *
copy_of_call(struct contest *c, const struct ir_call *call)
{
	const struct ir_function *kernel = kernel_called(c->ds, call->callee);

	return kernel ? kernel_as_copy(kernel) : as_device_copy(&call->base);
}

/* Where CALL has its operands, as far as it says. */
static struct vdevice
wish_of_call(struct contest *c, const struct ir_call *call)
{
	const struct ir_function *kernel = kernel_called(c->ds, call->callee);
	const struct ir_call *copy = copy_of_call(c, call);

	if (copy)
		return vdevice_attr(c->names, copy, "src_virtual_device");
	if (kernel && kernel_says_devices(kernel))
		return c->open;
	if (as_on_device(&call->base) && binds_body(call))
		return vdevice_attr(c->names, call, "virtual_device");
	return wished(c, &call->base);
}

static bool
contest_call(const ir_expr *e, void *env)
{
	struct contest *c = env;
	const struct ir_call *call, *copy;
	struct vdevice d, here;

	if (e->kind != IR_CALL)
		return c->ok && !ir_is_primitive(e);
	call = ir_as_call(e);
	d = wish_of_call(c, call);
	copy = copy_of_call(c, call);
	if (copy) {
		here = vdevice_attr(c->names, copy, "dst_virtual_device");
		if (!wish(c, e, &here)) {
			pass_error(c->cx, e->loc,
				   "this is copied to %s, but used on another "
				   "device",
				   vdevice_text(c->names, &here));
			c->ok = false;
		}
	}
	for (uint32_t i = 0; i < call->nargs; i++)
		if (!wish(c, call->args[i], &d) && !as_on_device(call->args[i]))
			ir_set_add(&c->contested, call->args[i]);
	return c->ok;
}

static const ir_expr *
copy_operands(const ir_expr *e, const ir_expr *old, void *env)
{
	struct contest *c = env;
	const struct ir_call *call = ir_as_call(e);
	const struct ir_call *before = ir_as_call(old);
	struct vdevice to = wish_of_call(c, before), from;
	const ir_expr **operands;

	if (copy_of_call(c, before) || !to.meta)
		return e;
	operands = ARENA_NEW_ARRAY(c->cx->scratch, call->nargs + 1,
				   const ir_expr *);
	operands[0] = call->callee;
	for (uint32_t i = 0; i < call->nargs; i++) {
		operands[i + 1] = call->args[i];
		if (!ir_set_has(&c->contested, before->args[i]))
			continue;
		from = wished(c, before->args[i]);
		if (from.meta && from.meta != to.meta)
			operands[i + 1] = new_device_copy(
				c->cx->module, call->args[i], &from, &to);
	}
	return ir_with_operands(c->cx->module, e, operands, true);
}

bool
copy_contested(struct domains *ds, ir_def *const *defs, size_t n)
{
	static const struct ir_rules rules = {
		.on = {[IR_CALL] = copy_operands},
		.enter = enter,
	};
	struct contest c = {
		.cx = ds->cx,
		.ds = ds,
		.names = ds->m->cx,
		.open = ds->open,
		.ok = true,
	};
	bool any = false;

	for (size_t i = 0; i < n && c.ok; i++)
		ir_walk(&defs[i]->fn->base, contest_call, NULL, &c);
	for (size_t i = 0; i < c.contested.nwords; i++)
		any |= c.contested.bits[i] != 0;
	for (size_t i = 0; i < n && c.ok && any; i++)
		defs[i]->fn = ir_as_function(
			ir_rewrite(ds->m, &defs[i]->fn->base, &rules, &c));
	ir_map_free(&c.devices);
	ir_set_free(&c.contested);
	return c.ok;
}
