#include "passes/devices/domains.h"

void
domains_init(struct domains *ds, pass_ctx *cx, const struct vdevice *preferred)
{
	*ds = (struct domains){
		.cx = cx,
		.m = cx->module,
		.arena = cx->scratch,
		.preferred = *preferred,
		.open = vdevice_of(cx->module->cx, NULL),
		.host = vdevice_of_type(cx->module->cx, VDEVICE_CPU),
	};
	ds->on_host = domain_new(ds, NULL, &ds->host);
}

void
domains_free(struct domains *ds)
{
	ir_map_free(&ds->of);
	ir_map_free(&ds->callees);
	ir_map_free(&ds->bound);
	vec_free(&ds->log);
}

/* ----------------------------------------------------------- the classes -- */

static struct domain *
new_function(struct domains *ds, uint32_t nparams)
{
	struct domain *d = arena_alloc(
		ds->arena, sizeof(*d) + (nparams + 1) * sizeof(d->at[0]));

	*d = (struct domain){.n = nparams + 1};
	return d;
}

struct domain *
domain_new(struct domains *ds, const ir_type *t, const struct vdevice *device)
{
	const struct ir_func_type *f;
	struct domain *d;

	if (!t || t->kind != TYPE_FUNC) {
		d = arena_alloc(ds->arena, sizeof(*d));
		*d = (struct domain){.device = *device};
		return d;
	}
	f = ir_as_func_type(t);
	d = new_function(ds, f->nparams);
	for (uint32_t i = 0; i < f->nparams; i++)
		d->at[i] = domain_new(ds, f->params[i], &ds->open);
	d->at[f->nparams] = domain_new(ds, f->ret, device);
	return d;
}

static struct domain *
free_domain(struct domains *ds, const ir_type *t)
{
	return domain_new(ds, t, &ds->open);
}

static void
remember(struct domains *ds, struct domain *d)
{
	struct undo u = {d, d->same, d->device};

	if (ds->trying)
		vec_push(&ds->log, u);
}

struct domain *
domain_find(struct domains *ds, struct domain *d)
{
	while (d->same) {
		if (d->same->same) {
			remember(ds, d);
			d->same = d->same->same;
		}
		d = d->same;
	}
	return d;
}

static void
merge(struct domains *ds, struct domain *from, struct domain *to)
{
	remember(ds, from);
	from->same = to;
}

/* All of the function FN is where ONE is. */
static bool
collapse(struct domains *ds, struct domain *one, struct domain *fn)
{
	for (uint32_t i = 0; i < fn->n; i++)
		if (!domain_unify(ds, one, fn->at[i]))
			return false;
	return true;
}

bool
domain_unify(struct domains *ds, struct domain *a, struct domain *b)
{
	struct vdevice joined;

	a = domain_find(ds, a);
	b = domain_find(ds, b);
	if (a == b)
		return true;
	if (a->n == 0 && b->n == 0) {
		if (!vdevice_join(ds->m->cx, &a->device, &b->device, &joined))
			return false;
		remember(ds, a);
		a->device = joined;
		merge(ds, b, a);
		return true;
	}
	if (a->n == 0)
		return collapse(ds, a, b);
	if (b->n == 0)
		return collapse(ds, b, a);
	if (a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (!domain_unify(ds, a->at[i], b->at[i]))
			return false;
	if (domain_find(ds, a) != domain_find(ds, b))
		merge(ds, domain_find(ds, b), domain_find(ds, a));
	return true;
}

bool
domain_try(struct domains *ds, struct domain *a, struct domain *b)
{
	bool ok;

	ds->trying = true;
	ok = domain_unify(ds, a, b);
	ds->trying = false;
	while (!ok && ds->log.len) {
		struct undo u = vec_pop(&ds->log);

		u.d->same = u.same;
		u.d->device = u.device;
	}
	vec_clear(&ds->log);
	return ok;
}

static struct domain *
result_of(struct domains *ds, struct domain *d)
{
	for (d = domain_find(ds, d); d->n; d = domain_find(ds, d))
		d = d->at[d->n - 1];
	return d;
}

static void
fill(struct domains *ds, struct domain *d, const struct vdevice *from)
{
	d = domain_find(ds, d);
	if (d->n == 0)
		d->device = vdevice_default(ds->m->cx, &d->device, from);
	for (uint32_t i = 0; i < d->n; i++)
		fill(ds, d->at[i], from);
}

void
domain_default(struct domains *ds, struct domain *d, const struct vdevice *to)
{
	struct vdevice result;

	d = domain_find(ds, d);
	fill(ds, result_of(ds, d), to);
	result = domain_device(ds, d);
	fill(ds, d, &result);
}

struct vdevice
domain_device(struct domains *ds, struct domain *d)
{
	return result_of(ds, d)->device;
}

struct vdevice
device_of_expr(struct domains *ds, const ir_expr *e)
{
	return domain_device(ds, domain_of(ds, below_on_device(e)));
}

/* -------------------------------------------------------------- of nodes -- */

struct domain *
domain_of(struct domains *ds, const ir_expr *e)
{
	struct domain *d;

	/* One node serves all mentions of these, on whatever device. */
	if (e->kind == IR_CTOR || e->kind == IR_OP)
		return free_domain(ds, e->type);
	d = ir_map_get(&ds->of, e);
	if (!d) {
		const ir_type *t = e->type;

		if (e->kind == IR_GLOBAL && ir_as_global(e)->def &&
		    ir_as_global(e)->def->fn)
			t = ir_as_global(e)->def->fn->base.type;
		d = free_domain(ds, t);
		ir_map_put(&ds->of, e, d);
	}
	return domain_find(ds, d);
}

/* Every operand of CALL and its result on one device. */
static struct domain *
uniform(struct domains *ds, const struct ir_call *call)
{
	struct domain *one = free_domain(ds, NULL);
	struct domain *d = new_function(ds, call->nargs);

	for (uint32_t i = 0; i <= call->nargs; i++)
		d->at[i] = one;
	return d;
}

/* The same, but for the operands in the set of bits HOST. */
static struct domain *
with_host(struct domains *ds, const struct ir_call *call, unsigned host)
{
	struct domain *d = uniform(ds, call);

	for (uint32_t i = 0; i < call->nargs && i < 8; i++)
		if (host >> i & 1)
			d->at[i] = ds->on_host;
	return d;
}

static struct domain *
of_on_device(struct domains *ds, const struct ir_call *call)
{
	struct vdevice at = vdevice_attr(ds->m->cx, call, "virtual_device");
	const ir_type *t = call->args[0]->type;
	struct domain *d = new_function(ds, 1);

	d->at[0] = domain_new(ds, t, binds_body(call) ? &at : &ds->open);
	d->at[1] = domain_new(ds, t, binds_result(call) ? &at : &ds->open);
	return d;
}

static struct domain *
of_copy(struct domains *ds, const struct ir_call *call)
{
	struct vdevice from =
		vdevice_attr(ds->m->cx, call, "src_virtual_device");
	struct vdevice to = vdevice_attr(ds->m->cx, call, "dst_virtual_device");
	const ir_type *t = call->args[0]->type;
	struct domain *d = new_function(ds, 1);

	d->at[0] = domain_new(ds, t, &from);
	d->at[1] = domain_new(ds, t, &to);
	return d;
}

static struct domain *
of_operator(struct domains *ds, const struct ir_call *call, const ir_op *op)
{
	struct vdevice at;
	struct domain *d;

	switch (op->id) {
	case OP_on_device:
		return as_on_device(&call->base) ? of_on_device(ds, call)
						 : uniform(ds, call);
	case OP_device_copy:
		return as_device_copy(&call->base) ? of_copy(ds, call)
						   : uniform(ds, call);
	case OP_memory_alloc_storage:
		at = vdevice_attr(ds->m->cx, call, "virtual_device");
		d = with_host(ds, call, 7);
		d->at[call->nargs] = domain_new(ds, NULL, &at);
		return d;
	case OP_memory_alloc_tensor:
		return with_host(ds, call, 6);
	case OP_vm_shape_of:
		d = uniform(ds, call);
		d->at[call->nargs] = ds->on_host;
		return d;
	case OP_vm_reshape_tensor:
		return with_host(ds, call, 2);
	case OP_vm_invoke_tvm_op:
	case OP_call_lowered:
		d = uniform(ds, call);
		d->at[0] = free_domain(ds, call->args[0]->type);
		return d;
	default:
		return uniform(ds, call);
	}
}

bool
is_lowered_kernel(const ir_expr *e)
{
	const ir_def *def;

	if (e->kind != IR_GLOBAL)
		return false;
	def = ir_as_global(e)->def;
	return def && def->kind != DEF_FUNCTION;
}

static bool
note_kernel(const ir_expr *e, void *env)
{
	struct domains *ds = env;

	if (e->kind == IR_LET && ir_is_primitive(ir_as_let(e)->value))
		ir_map_put(&ds->bound, &ir_as_let(e)->var->base,
			   ir_as_let(e)->value);
	return !ir_is_primitive(e);
}

void
domains_note_kernels(struct domains *ds, const ir_expr *fn)
{
	ir_walk(fn, note_kernel, NULL, ds);
}

const struct ir_function *
kernel_called(struct domains *ds, const ir_expr *callee)
{
	if (callee->kind == IR_VAR)
		callee = ir_map_get(&ds->bound, callee);
	else if (callee->kind == IR_GLOBAL && ir_as_global(callee)->def)
		callee = ir_as_global(callee)->def->fn
				 ? &ir_as_global(callee)->def->fn->base
				 : NULL;
	return callee && ir_is_primitive(callee) ? ir_as_function(callee)
						 : NULL;
}

const struct ir_call *
kernel_as_copy(const struct ir_function *f)
{
	return f->body && f->nparams == 1 ? as_device_copy(f->body) : NULL;
}

bool
kernel_says_devices(const struct ir_function *f)
{
	bool says = f->vdevice != NULL;

	for (uint32_t i = 0; i < f->nparams; i++)
		says |= f->params[i]->vdevice != NULL;
	return says;
}

/*
 * A kernel runs on one device, unless it is a copy, or says where it wants its
 * operands.
 */
static struct domain *
of_kernel(struct domains *ds, const struct ir_call *call,
	  const struct ir_function *f)
{
	const struct ir_call *copy = kernel_as_copy(f);
	struct vdevice at;
	struct domain *d;

	if (copy)
		return of_copy(ds, copy);
	if (!kernel_says_devices(f) || f->nparams != call->nargs)
		return uniform(ds, call);
	d = new_function(ds, f->nparams);
	for (uint32_t i = 0; i < f->nparams; i++) {
		at = vdevice_of(ds->m->cx, f->params[i]->vdevice);
		d->at[i] = domain_new(ds, call->args[i]->type, &at);
	}
	at = vdevice_of(ds->m->cx, f->vdevice);
	d->at[f->nparams] = domain_new(ds, call->base.type, &at);
	return d;
}

static struct domain *
make_callee(struct domains *ds, const struct ir_call *call)
{
	const ir_op *op = ir_called_op(&call->base);
	const struct ir_function *kernel = kernel_called(ds, call->callee);

	if (op)
		return of_operator(ds, call, op);
	if (kernel)
		return of_kernel(ds, call, kernel);
	if (is_lowered_kernel(call->callee) || call->callee->kind == IR_CTOR)
		return uniform(ds, call);
	return domain_of(ds, call->callee);
}

struct domain *
domain_of_callee(struct domains *ds, const struct ir_call *call)
{
	struct domain *d = ir_map_get(&ds->callees, &call->base);

	if (!d) {
		d = make_callee(ds, call);
		ir_map_put(&ds->callees, &call->base, d);
	}
	return domain_find(ds, d);
}
