/*
 * manifest-alloc: kernels write their results into memory that the caller
 * gives them.
 *
 *     let %y = %k(%x);
 *
 * becomes, %k being a primitive function of one result of 24 bytes,
 *
 *     let %storage_0 = memory.alloc_storage(24i64, SHAPE, 64i64, ...);
 *     let %tensor_0 = memory.alloc_tensor(%storage_0, 0i64, SHAPE, ...);
 *     let %x_0 = vm.invoke_tvm_op(%k, (%x,), (%tensor_0,), ...);
 *     let %y = %tensor_0;
 *
 * Where shapes are known at run time only, a shape function is invoked before,
 * in the same way (passes/memory/shape_function.h). A kernel of which no such
 * function is known, since only its run tells how much comes out, stays a call.
 * What only reshapes becomes vm.reshape_tensor, which takes no memory.
 *
 * Where devices are planned, all that is made here says where it is.
 *
 * Level: module. Needs: types, A-normal form if it is to be linear.
 */
#include "ir/rewrite.h"
#include "passes/devices/plan.h"
#include "passes/memory/allocate.h"

/* What the value of a let became, and bindings in front of it. */
struct expansion {
	const ir_expr *value;
	struct let_binding *at;
	size_t n;
};

/* ---------------------------------------------------------------- blocks -- */

static bool
is_fixed(const ir_expr *e)
{
	const struct ir_call *c = as_on_device(e);

	return c && binds_body(c) && binds_result(c);
}

static void
enter_device(struct allocator *a, const ir_expr *e)
{
	struct vdevice d =
		vdevice_attr(a->m->cx, ir_as_call(e), "virtual_device");

	vec_push(&a->devices, d);
}

/* OLD, on_device, holds NOW. */
static const ir_expr *
leave_device(struct allocator *a, const ir_expr *now)
{
	struct vdevice d = vec_pop(&a->devices);

	return place_on_device(a->m, now, &d);
}

static const ir_expr *
expand_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct allocator *a = env;
	struct kernel_call k;

	if (is_fixed(old))
		return leave_device(a, ir_as_call(e)->args[0]);
	return as_kernel_call(a, e, &k) ? allocate_for(a, e, &k) : e;
}

/* Constants that are more than a number do not stand in tuples. */
static const ir_expr *
expand_tuple(const ir_expr *e, const ir_expr *old, void *env)
{
	struct allocator *a = env;
	const struct ir_tuple *t = ir_as_tuple(e);
	const ir_expr **fields =
		ARENA_NEW_ARRAY(a->cx->scratch, t->nfields, const ir_expr *);
	struct vdevice d = allocator_here(a);

	(void)old;
	for (uint32_t i = 0; i < t->nfields; i++) {
		const ir_tensor *c = NULL;

		fields[i] = t->fields[i];
		if (fields[i]->kind == IR_CONSTANT)
			c = ir_as_constant(fields[i])->data;
		if (c && (c->ndim > 0 ||
			  (!dtype_is_bool(c->dtype) && c->dtype.bits < 32)))
			fields[i] = allocator_bind(a, "const", fields[i], &d);
	}
	return ir_with_operands(a->m, e, fields, true);
}

static bool
is_leaf(const ir_expr *e)
{
	return e->kind <= IR_CTOR || e->kind == IR_FUNCTION;
}

/* Branches are blocks of their own. */
static bool
enter_expression(const ir_expr *e, void *env)
{
	struct allocator *a = env;

	if (e->kind == IR_FUNCTION || e->kind == IR_LET ||
	    ir_set_has(&a->clean, e) || ir_set_has(&a->blocks, e))
		return false;
	if (e->kind == IR_IF || e->kind == IR_MATCH)
		for (uint32_t i = 1; i < ir_num_operands(e); i++)
			ir_set_add(&a->blocks, ir_operand(e, i));
	if (is_fixed(e))
		enter_device(a, e);
	return true;
}

static const struct ir_rules expression_rules = {
	.on = {[IR_CALL] = expand_call, [IR_TUPLE] = expand_tuple},
	.enter = enter_expression,
};

/* E alone, all operands of which are leaves. */
static const ir_expr *
expand_flat(struct allocator *a, const ir_expr *e)
{
	if (e->kind == IR_CALL)
		return expand_call(e, e, a);
	return e->kind == IR_TUPLE ? expand_tuple(e, e, a) : e;
}

static bool
is_flat(const ir_expr *e)
{
	for (uint32_t i = 0; i < ir_num_operands(e); i++)
		if (!is_leaf(ir_operand(e, i)))
			return false;
	return true;
}

/* E with the kernels called in it expanded; bindings before it are added. */
static const ir_expr *
expand(struct allocator *a, const ir_expr *e)
{
	const ir_expr *inner = is_fixed(e) ? ir_as_call(e)->args[0] : e;
	const ir_expr *now;

	if (is_leaf(e) || e->kind == IR_LET || ir_set_has(&a->clean, e))
		return e;
	if (inner->kind != IR_IF && inner->kind != IR_MATCH &&
	    inner->kind != IR_LET && is_flat(inner)) {
		if (inner == e)
			return expand_flat(a, e);
		enter_device(a, e);
		return leave_device(a, expand_flat(a, inner));
	}
	now = ir_rewrite(a->m, e, &expression_rules, a);
	ir_set_add(&a->clean, now);
	return now;
}

/* The last expression of a block, within what must be bound before it. */
static const ir_expr *
close_block(struct allocator *a, const ir_expr *e)
{
	size_t mark = a->bindings.len;

	if (e->kind == IR_LET)
		return e;
	e = expand(a, e);
	return let_list_close(&a->bindings, a->m, mark, e);
}

static void
expand_value(const struct ir_let *let, const ir_expr *value, void *env)
{
	struct allocator *a = env;
	struct expansion *x = ARENA_NEW(a->cx->scratch, struct expansion);
	size_t mark = a->bindings.len;

	if (ir_is_primitive(below_on_device(value)))
		ir_map_put(&a->kernels, &let->var->base,
			   below_on_device(value));
	x->value = expand(a, value);
	if (x->value == value && a->bindings.len == mark)
		return;
	x->n = a->bindings.len - mark;
	x->at = arena_copy(a->cx->scratch, a->bindings.at + mark,
			   x->n * sizeof(*x->at));
	a->bindings.len = mark;
	ir_map_put(&a->expansions, &let->base, x);
}

static const ir_expr *
close_let(const ir_expr *e, const ir_expr *old, void *env)
{
	struct allocator *a = env;
	const struct ir_let *l = ir_as_let(e);
	const struct expansion *x = ir_map_get(&a->expansions, old);
	const ir_expr *operands[] = {x ? x->value : l->value,
				     close_block(a, l->body)};
	const ir_expr *now = ir_with_operands(a->m, e, operands, true);

	for (size_t i = x ? x->n : 0; i-- > 0;)
		now = ir_new_let(a->m, e->loc, x->at[i].var, x->at[i].value,
				 now);
	return now;
}

static const ir_expr *
close_branches(const ir_expr *e, const ir_expr *old, void *env)
{
	struct allocator *a = env;
	uint32_t n = ir_num_operands(e);
	const ir_expr **operands =
		ARENA_NEW_ARRAY(a->cx->scratch, n, const ir_expr *);

	(void)old;
	operands[0] = ir_operand(e, 0);
	for (uint32_t i = 1; i < n; i++)
		operands[i] = close_block(a, ir_operand(e, i));
	return ir_with_operands(a->m, e, operands, true);
}

static const ir_expr *
close_function(const ir_expr *e, const ir_expr *old, void *env)
{
	struct allocator *a = env;
	const struct ir_function *f = ir_as_function(e);
	const ir_expr *now;

	(void)old;
	now = f->body ? &ir_function_with_body(a->m, f, close_block(a, f->body))
				 ->base
		      : e;
	(void)vec_pop(&a->devices);
	return now;
}

static const ir_expr *
close_call(const ir_expr *e, const ir_expr *old, void *env)
{
	if (is_fixed(old))
		(void)vec_pop(&((struct allocator *)env)->devices);
	return e;
}

static bool
enter(const ir_expr *e, void *env)
{
	struct allocator *a = env;
	struct vdevice d;

	if (ir_is_primitive(e))
		return false;
	if (is_fixed(e))
		enter_device(a, e);
	if (e->kind != IR_FUNCTION)
		return true;
	d = vdevice_of(a->m->cx, ir_as_function(e)->vdevice);
	vec_push(&a->devices, d);
	return true;
}

static const struct ir_rules rules = {
	.on = {[IR_LET] = close_let,
	       [IR_IF] = close_branches,
	       [IR_MATCH] = close_branches,
	       [IR_FUNCTION] = close_function,
	       [IR_CALL] = close_call},
	.enter = enter,
	.bound = expand_value,
};

/* The type of storages; false after reporting. */
static bool
import_storage(pass_ctx *cx, bool *changed)
{
	ir_module *m = cx->module;
	const char *name = ir_name(m->cx, "Storage");
	const ir_type_def *def = ir_module_find_type(m, name);

	if (!def) {
		(void)ir_module_add_type(m, name, NULL, 0, LOC_NONE);
		*changed = true;
		return true;
	}
	if (def->nparams == 0)
		return true;
	pass_error(cx, def->loc,
		   "type 'Storage' has parameters, but means memory");
	return false;
}

bool
pass_manifest_alloc(pass_ctx *cx)
{
	struct allocator a = {
		.cx = cx,
		.m = cx->module,
		.host = vdevice_of_type(cx->module->cx, VDEVICE_CPU),
	};
	bool changed = false;

	if (!import_storage(cx, &changed))
		return false;
	fresh_names_init(&a.names, a.m, "x_");
	for (size_t i = 0; i < a.m->defs.len; i++) {
		ir_def *def = a.m->defs.at[i];
		const struct ir_function *fn = def->fn;

		if (!is_plannable(def) || ir_is_primitive(&fn->base))
			continue;
		def->fn =
			ir_as_function(ir_rewrite(a.m, &fn->base, &rules, &a));
		changed |= def->fn != fn;
	}
	fresh_names_free(&a.names);
	vec_free(&a.devices);
	vec_free(&a.bindings);
	ir_map_free(&a.kernels);
	ir_map_free(&a.shapes);
	ir_map_free(&a.attrs);
	ir_map_free(&a.expansions);
	ir_set_free(&a.clean);
	ir_set_free(&a.blocks);
	return changed;
}
