/*
 * plan-devices: give every value a device.
 *
 *     def @main(%a, %b) { add(%a, on_device(negative(%b), CPU)) }
 *
 * becomes, where GPU is the device of whatever nothing is said of,
 *
 *     def @main(%a {GPU}, %b {CPU}, virtual_device=GPU) {
 *       %0 = negative(%b);
 *       %1 = on_device(%0, CPU, constrain_result=True);
 *       %2 = device_copy(%1, src_virtual_device=CPU, dst_virtual_device=GPU);
 *       add(%a, %2)
 *     }
 *
 * What on_device, device_copy, parameters and results say spreads to all that
 * is connected: operands of an operator and its result are on one device, a
 * variable is where its value is, parameters where the arguments of all calls
 * are. on_device alone allows a copy. What stays open follows the result of
 * the function around it.
 *
 * Level: module. Needs: types.
 */
#include <stdlib.h>
#include <string.h>

#include "passes/devices/plan.h"
#include "passes/target_kind.h"

bool
is_plannable(const ir_def *def)
{
	const ir_dict *attrs;

	if (def->kind != DEF_FUNCTION || !def->fn || !def->fn->body)
		return false;
	attrs = def->fn->attrs;
	return !ir_dict_get(attrs, "Compiler") &&
	       !ir_dict_int(attrs, "Extern", 0) &&
	       !ir_dict_int(attrs, "SkipOptimization", 0);
}

/* Up to the first comma that is not inside of JSON. */
static size_t
length_of_target(const char *list)
{
	size_t i = 0;
	unsigned depth = 0;
	bool quoted = false;

	for (; list[i] && (depth || list[i] != ','); i++) {
		if (quoted && list[i] == '\\' && list[i + 1])
			i++;
		else if (depth && list[i] == '"')
			quoted = !quoted;
		else if (!quoted && (list[i] == '{' || list[i] == '['))
			depth++;
		else if (!quoted && depth && (list[i] == '}' || list[i] == ']'))
			depth--;
	}
	return i;
}

/* One bit for each kind of device that the targets are for; 0: any. */
static bool
read_targets(pass_ctx *cx, uint32_t *types)
{
	const char *list = pass_option(cx, "targets");

	for (*types = 0; *list;) {
		size_t len = length_of_target(list);
		const char *name = pass_read_target(
			cx, "targets", arena_strndup(cx->scratch, list, len));
		int type;

		if (!name)
			return false;
		type = target_device_type(name);
		if (type < 0) {
			pass_error(cx, LOC_NONE,
				   "option 'targets': no device is known for "
				   "target '%s'",
				   name);
			return false;
		}
		*types |= 1u << type;
		list += len + (list[len] == ',');
	}
	return true;
}

/* The kind of device of what nothing is said of; -1 after reporting. */
static int
preferred_type(pass_ctx *cx, uint32_t types)
{
	const char *fallback = pass_config(cx, "relay.fallback_device_type");
	int type = target_device_type(pass_target(cx));

	if (types && (types & (types - 1)) == 0)
		for (type = 0; types >> type != 1;)
			type++;
	else if (types || type < 0)
		type = VDEVICE_CPU;
	if (fallback)
		type = atoi(fallback);
	if (type <= 0 || (types && !(type < 32 && types >> type & 1))) {
		pass_error(cx, LOC_NONE,
			   "no target is given for device type %d, the "
			   "default one",
			   type);
		return -1;
	}
	return type;
}

struct search {
	pass_ctx *cx;
	uint32_t types;
	bool found; /* something about devices */
};

static void
check_device(struct search *s, struct loc loc, const struct vdevice *d)
{
	s->found |= d->meta != NULL;
	if (s->types && d->type > 0 &&
	    !(d->type < 32 && s->types >> d->type & 1))
		pass_error(s->cx, loc, "no target is given for device type %d",
			   d->type);
}

static void
check_function(struct search *s, const struct ir_function *f)
{
	ir_context *cx = s->cx->module->cx;
	struct vdevice d = vdevice_of(cx, f->vdevice);

	check_device(s, f->base.loc, &d);
	for (uint32_t i = 0; i < f->nparams; i++) {
		d = vdevice_of(cx, f->params[i]->vdevice);
		check_device(s, f->params[i]->base.loc, &d);
	}
}

static bool
search_node(const ir_expr *e, void *env)
{
	struct search *s = env;
	const struct ir_call *c;

	if (e->kind == IR_FUNCTION)
		check_function(s, ir_as_function(e));
	if (e->kind != IR_CALL || !ir_as_call(e)->attrs)
		return true;
	c = ir_as_call(e);
	for (uint32_t i = 0; i < c->attrs->n; i++) {
		const ir_attr *a = &c->attrs->value[i];
		struct vdevice d;

		if (c->attrs->schema->fields[i].type != ATTR_TYPE_VDEVICE ||
		    a->kind != ATTR_META)
			continue;
		d = vdevice_of(s->cx->module->cx, a->meta);
		check_device(s, e->loc, &d);
	}
	return true;
}

static bool
plan(pass_ctx *cx, ir_def *const *defs, size_t n, const struct vdevice *d)
{
	struct domains ds;
	bool ok;

	for (size_t i = 0; i < n; i++)
		defs[i]->fn = ir_as_function(
			annotate_results(cx->module, &defs[i]->fn->base));
	domains_init(&ds, cx, d);
	for (size_t i = 0; i < n; i++)
		domains_note_kernels(&ds, &defs[i]->fn->base);
	ok = copy_contested(&ds, defs, n) && analyze_devices(&ds, defs, n);
	for (size_t i = 0; i < n && ok; i++)
		defs[i]->fn = ir_as_function(
			capture_devices(&ds, &defs[i]->fn->base));
	domains_free(&ds);
	return ok;
}

/* The definitions to plan, by name: so defaults do not depend on order. */
static ir_def **
plannable(const ir_module *m, size_t *n)
{
	ir_def **all = ir_module_sorted(m);

	*n = 0;
	for (size_t i = 0; i < m->defs.len; i++)
		if (is_plannable(all[i]))
			all[(*n)++] = all[i];
	return all;
}

static bool
plan_all(pass_ctx *cx, ir_def **defs, size_t n, const struct vdevice *d)
{
	const struct ir_function **before =
		ARENA_NEW_ARRAY(cx->scratch, n, const struct ir_function *);
	bool changed = false, ok;

	for (size_t i = 0; i < n; i++)
		before[i] = defs[i]->fn;
	ok = plan(cx, defs, n, d);
	for (size_t i = 0; i < n; i++) {
		changed |= defs[i]->fn != before[i];
		if (!ok)
			defs[i]->fn = before[i];
	}
	return ok && changed;
}

bool
pass_plan_devices(pass_ctx *cx)
{
	struct search s = {.cx = cx};
	struct vdevice preferred;
	bool changed = false;
	ir_def **defs;
	size_t n;
	int type;

	if (!read_targets(cx, &s.types))
		return false;
	type = preferred_type(cx, s.types);
	if (type < 0)
		return false;
	preferred = vdevice_of_type(cx->module->cx, type);
	defs = plannable(cx->module, &n);
	for (size_t i = 0; i < n; i++)
		ir_walk(&defs[i]->fn->base, search_node, NULL, &s);
	if (!cx->failed && (s.found || pass_option_bool(cx, "single-device")))
		changed = plan_all(cx, defs, n, &preferred);
	free(defs);
	return changed;
}
