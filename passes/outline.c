/*
 * Outlining of primitive functions: literals become definitions, equal ones
 * the same definition.
 */
#include "passes/outline.h"

#include <stdlib.h>
#include <string.h>

#include "ir/equal.h"
#include "passes/outline_wrap.h"
#include "support/buf.h"
#include "support/ptrmap.h"

enum { NAME_MAX_LEN = 80 };

/* A definition made so far, by structural hash. */
struct group {
	uint64_t hash;
	const ir_expr *fn;
	const struct ir_global *global;
};

struct outline {
	pass_ctx *cx;
	const struct outline_options *options;
	struct group *groups; /* open addressing; fn NULL: free */
	size_t ngroups;
	size_t used;
	struct ptrmap names;       /* base, interned, -> the next number */
	struct ir_map bound;       /* let variable -> literal */
	struct ir_map callee_uses; /* let variable -> count, as pointer */
	struct ir_map uses;        /* of the function at hand: counts */
	bool changed;
};

bool
is_own_primitive(const ir_def *def)
{
	return def->kind == DEF_FUNCTION && def->fn && def->fn->body &&
	       ir_dict_int(def->fn->attrs, "Primitive", 0) &&
	       !ir_dict_get(def->fn->attrs, "Compiler") &&
	       !ir_dict_get(def->fn->attrs, "Extern");
}

/*
 * E is a literal that should become a definition. One whose types depend on
 * parameters of the function around it cannot.
 */
static bool
is_candidate(const ir_expr *e)
{
	ir_expr_vec free_vars = {0};
	bool closed;

	if (!ir_is_primitive(e) || !ir_as_function(e)->body ||
	    ir_dict_get(ir_as_function(e)->attrs, "Compiler") ||
	    (e->type && e->type->flags & TYPE_HAS_VAR))
		return false;
	ir_free_vars(e, &free_vars);
	closed = free_vars.len == 0;
	vec_free(&free_vars);
	return closed;
}

/* "fused" and the names of the operators in post-order. */
static const char *
name_of(struct outline *o, const struct ir_function *fn, uint64_t hash)
{
	ir_context *cx = o->cx->module->cx;
	struct buf name = {0};
	ir_expr_vec nodes = {0};
	const char *s;

	if (o->options->prefix && *o->options->prefix)
		buf_printf(&name, "%s_", o->options->prefix);
	buf_puts(&name, "fused");
	ir_postorder(fn->body, &nodes);
	for (size_t i = 0; i < nodes.len; i++) {
		const ir_op *op = ir_called_op(nodes.at[i]);

		if (op)
			buf_printf(&name, "_%s", op->name);
	}
	vec_free(&nodes);
	for (char *p = name.at; *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
			    *p))
			*p = '_';
	if (name.len > NAME_MAX_LEN)
		s = ir_namef(cx, "%.*s_%llx_", NAME_MAX_LEN, name.at,
			     (unsigned long long)hash);
	else
		s = ir_name(cx, name.at);
	buf_free(&name);
	return s;
}

/* BASE, or the next of BASE_1, BASE_2, ... that nothing is called. */
static const char *
fresh_name(struct outline *o, const char *base)
{
	ir_module *m = o->cx->module;
	uintptr_t *next = ptrmap_add(&o->names, base, NULL);
	const char *name;

	do {
		name = *next ? ir_namef(m->cx, "%s_%u", base, (unsigned)*next)
			     : base;
		++*next;
	} while (ir_module_find(m, name));
	return name;
}

static struct group *
find_group(struct outline *o, struct group *groups, size_t n, uint64_t hash,
	   const ir_expr *fn)
{
	size_t i = hash & (n - 1);

	for (; groups[i].fn; i = (i + 1) & (n - 1)) {
		if (groups[i].hash != hash)
			continue;
		if (!fn || groups[i].fn == fn ||
		    ir_equal(o->cx->module->cx, groups[i].fn, fn, NULL, NULL))
			break;
	}
	return &groups[i];
}

static void
grow_groups(struct outline *o)
{
	size_t n = o->ngroups ? 2 * o->ngroups : 64;
	struct group *more = xcalloc(n, sizeof(*more));

	for (size_t i = 0; i < o->ngroups; i++) {
		size_t k = o->groups[i].hash & (n - 1);

		if (!o->groups[i].fn)
			continue;
		while (more[k].fn)
			k = (k + 1) & (n - 1);
		more[k] = o->groups[i];
	}
	free(o->groups);
	o->groups = more;
	o->ngroups = n;
}

/* The definition for literal E, made if there is no equal one yet. */
static const struct ir_global *
global_for(struct outline *o, const ir_expr *e)
{
	ir_module *m = o->cx->module;
	uint64_t hash = ir_hash(e);
	struct ir_function_parts parts;
	struct group *g;
	const char *name;
	const ir_expr *fn;

	if (2 * (o->used + 1) > o->ngroups)
		grow_groups(o);
	g = find_group(o, o->groups, o->ngroups, hash, e);
	if (g->fn)
		return g->global;
	name = fresh_name(o, name_of(o, ir_as_function(e), hash));
	parts = ir_function_parts(ir_as_function(e));
	parts.attrs =
		ir_dict_with(m->cx, parts.attrs,
			     ir_name(m->cx, "global_symbol"), ATTR_STR(name));
	fn = ir_new_function(m, e->loc, &parts);
	ir_set_type(fn, e->type);
	o->used++;
	g->hash = hash;
	g->fn = e;
	g->global = ir_module_add_function(m, name, fn, e->loc)->global;
	ir_set_type(&g->global->base, e->type);
	return g->global;
}

/* Literal primitives are left as they are until their call is met. */
static bool
enter(const ir_expr *e, void *env)
{
	(void)env;
	return !ir_is_primitive(e);
}

static const ir_expr *
outline_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct outline *o = env;
	const struct ir_call *call = ir_as_call(e);
	const ir_expr *callee = call->callee;
	const struct ir_global *g;
	const ir_expr *out;

	if (callee->kind == IR_VAR && ir_map_get(&o->bound, callee))
		callee = ir_map_get(&o->bound, callee);
	if (callee->kind == IR_OP && o->options->wrap_operators)
		return outline_wrap(o->cx, e, old, o, global_for);
	if (callee->kind != IR_FUNCTION || !is_candidate(callee))
		return e;
	g = global_for(o, callee);
	o->changed = true;
	out = ir_new_call(o->cx->module, e->loc, &g->base, call->args,
			  call->nargs, call->attrs);
	ir_set_type(out, old->type);
	return out;
}

/* A binding of a literal that is only called has done its work. */
static const ir_expr *
drop_binding(const ir_expr *e, const ir_expr *old, void *env)
{
	struct outline *o = env;
	const ir_expr *var = ir_var_expr(ir_as_let(old)->var);
	uintptr_t calls = (uintptr_t)ir_map_get(&o->callee_uses, var);

	if (!ir_map_get(&o->bound, var) ||
	    (uintptr_t)ir_map_get(&o->uses, var) != calls)
		return e;
	return ir_as_let(e)->body;
}

/* Which let variables stand for primitives, and how often they are called. */
static void
find_bindings(struct outline *o, const ir_expr *root)
{
	ir_expr_vec nodes = {0};

	ir_postorder(root, &nodes);
	for (size_t i = 0; i < nodes.len; i++) {
		const ir_expr *e = nodes.at[i];

		if (e->kind == IR_LET && is_candidate(ir_as_let(e)->value))
			ir_map_put(&o->bound, ir_var_expr(ir_as_let(e)->var),
				   ir_as_let(e)->value);
		if (e->kind == IR_CALL &&
		    ir_as_call(e)->callee->kind == IR_VAR) {
			const ir_expr *v = ir_as_call(e)->callee;
			uintptr_t n = (uintptr_t)ir_map_get(&o->callee_uses, v);

			ir_map_put(&o->callee_uses, v, (void *)(n + 1));
		}
	}
	vec_free(&nodes);
}

static const struct ir_rules rules = {
	.on = {[IR_CALL] = outline_call, [IR_LET] = drop_binding},
	.enter = enter,
};

static void
outline_function(struct outline *o, ir_def *def)
{
	ir_module *m = o->cx->module;
	const ir_expr *body = def->fn->body;
	const ir_expr *out;

	find_bindings(o, body);
	ir_use_counts(body, &o->uses);
	out = ir_rewrite(m, body, &rules, o);
	ir_map_free(&o->uses);
	if (out != body) {
		def->fn = ir_function_with_body(m, def->fn, out);
		o->changed = true;
	}
}

bool
outline_primitives(pass_ctx *cx, const struct outline_options *options)
{
	struct outline o = {.cx = cx, .options = options};
	ir_def **defs = ir_module_sorted(cx->module);
	size_t n = cx->module->defs.len;

	for (size_t i = 0; i < n; i++)
		if (defs[i]->kind == DEF_FUNCTION && defs[i]->fn &&
		    defs[i]->fn->body &&
		    !ir_dict_int(defs[i]->fn->attrs, "Primitive", 0) &&
		    !ir_dict_get(defs[i]->fn->attrs, "Compiler"))
			outline_function(&o, defs[i]);
	free(defs);
	free(o.groups);
	ptrmap_free(&o.names);
	ir_map_free(&o.bound);
	ir_map_free(&o.callee_uses);
	return o.changed;
}
