/*
 * Literals with type parameters:
 *
 *     let %f = fn [A](%x: A) -> A { %x };
 *     (@apply(%f, 1), %f(2f))
 *
 * becomes
 *
 *     (@apply(fn (%x) { %x }, 1), (fn (%x) { %x })(2f))
 *
 * and inference finds one type for each. Those that call themselves, and those
 * that are neither called nor passed, stay.
 */
#include "passes/defunc/defunc.h"

enum { MAX_NODES = 1000000 };

struct copier {
	struct defunc *d;
	struct ir_map bound; /* variable -> literal */
	size_t nodes;        /* in all copies */
};

static bool
is_generic(const ir_expr *e)
{
	return e->kind == IR_FUNCTION && ir_as_function(e)->ntype_params &&
	       ir_as_function(e)->body && !ir_is_primitive(e) &&
	       !ir_dict_get(ir_as_function(e)->attrs, "Compiler");
}

struct mention {
	const struct ir_function *f;
	bool found;
};

static const ir_type *
look_for(const ir_type *t, void *env)
{
	struct mention *x = env;

	for (uint32_t i = 0; i < x->f->ntype_params; i++)
		x->found |= x->f->type_params[i] == t;
	return t;
}

/* T names a type parameter of F. */
static bool
mentions(ir_context *cx, const ir_type *t, const struct ir_function *f)
{
	struct mention x = {.f = f};

	if (t && t->flags & TYPE_HAS_VAR)
		(void)ir_type_substitute(cx, t, look_for, &x);
	return x.found;
}

struct opening {
	struct copier *c;
	const struct ir_function *of;
};

/* The copy is ours alone: annotations are taken out of it in place. */
static void
open_var(const struct ir_var *v, void *env)
{
	struct opening *o = env;

	if (mentions(o->c->d->m->cx, v->annotation, o->of))
		((struct ir_var *)(uintptr_t)v)->annotation = NULL;
}

static void
open_node(const ir_expr *e, void *env)
{
	struct opening *o = env;
	const struct ir_function *f;

	o->c->nodes++;
	if (e->kind == IR_VAR)
		open_var(ir_as_var(e), env);
	if (e->kind == IR_LET)
		open_var(ir_as_let(e)->var, env);
	for (uint32_t i = 0;
	     e->kind == IR_MATCH && i < ir_as_match(e)->nclauses; i++)
		ir_pattern_vars(ir_as_match(e)->clauses[i].pattern, open_var,
				env);
	if (e->kind != IR_FUNCTION)
		return;
	f = ir_as_function(e);
	for (uint32_t i = 0; i < f->nparams; i++)
		open_var(f->params[i], env);
	if (mentions(o->c->d->m->cx, f->ret_type, o->of))
		((struct ir_function *)(uintptr_t)f)->ret_type = NULL;
}

/* A copy of E for one use: without type parameters, types left open. */
static const ir_expr *
copy_for_use(struct copier *c, const ir_expr *e)
{
	ir_module *m = c->d->m;
	struct opening o = {c, ir_as_function(e)};
	struct ir_function_parts parts;

	if (c->nodes > MAX_NODES) {
		if (!c->d->cx->failed)
			pass_error(c->d->cx, e->loc,
				   "this literal is needed for too many uses");
		return e;
	}
	e = ir_refresh_binders(m, e);
	parts = ir_function_parts(ir_as_function(e));
	parts.ntype_params = 0;
	e = ir_new_function(m, e->loc, &parts);
	ir_walk(e, NULL, open_node, &o);
	return e;
}

static const ir_expr *
copy_operands(const ir_expr *e, const ir_expr *old, void *env)
{
	struct copier *c = env;
	uint32_t n = ir_num_operands(e);
	const ir_expr **now = NULL;

	(void)old;
	for (uint32_t i = 0; i < n; i++) {
		const ir_expr *x = ir_operand(e, i);

		if (!is_generic(x))
			continue;
		if (!now) {
			now = ARENA_NEW_ARRAY(c->d->cx->scratch, n,
					      const ir_expr *);
			for (uint32_t k = 0; k < n; k++)
				now[k] = ir_operand(e, k);
		}
		now[i] = copy_for_use(c, x);
	}
	return now ? ir_rebuild(c->d->m, e, now) : e;
}

static bool
calls_itself(const struct ir_let *let)
{
	ir_expr_vec vars = {0};
	bool found = false;

	ir_free_vars(let->value, &vars);
	for (size_t i = 0; i < vars.len; i++)
		found |= vars.at[i] == &let->var->base;
	vec_free(&vars);
	return found;
}

static void
note_bound(const struct ir_let *let, const ir_expr *value, void *env)
{
	if (is_generic(value) && !calls_itself(let))
		ir_map_put(&((struct copier *)env)->bound, &let->var->base,
			   value);
}

static const ir_expr *
replace_var(const ir_expr *e, const ir_expr *old, void *env)
{
	(void)e;
	return ir_map_get(&((struct copier *)env)->bound, old);
}

static const ir_expr *
drop_let(const ir_expr *e, const ir_expr *old, void *env)
{
	const struct copier *c = env;

	return ir_map_get(&c->bound, &ir_as_let(old)->var->base)
		       ? ir_as_let(e)->body
		       : e;
}

static const struct ir_rules rules = {
	.on = {[IR_VAR] = replace_var,
	       [IR_LET] = drop_let,
	       [IR_CALL] = copy_operands},
	.bound = note_bound,
	.drop_types = true,
};

void
defunc_copy_literals(struct defunc *d)
{
	struct copier c = {.d = d};

	for (size_t i = 0; i < d->m->defs.len; i++) {
		ir_def *def = d->m->defs.at[i];

		if (def->kind == DEF_FUNCTION && def->fn->body)
			def->fn = ir_function_with_body(
				d->m, def->fn,
				ir_rewrite(d->m, def->fn->body, &rules, &c));
	}
	ir_map_free(&c.bound);
}
