#include "ir/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "ir/module.h"

/*
 * The post-order is driven by an explicit stack; MEMO maps each finished node
 * to what took its place.
 */
struct rewriter {
	ir_module *m;
	const struct ir_rules *rules;
	void *env;
	struct ir_map memo;
	VEC(const ir_expr *) operands; /* scratch for one node */
	/* Set: rebuild binders by this map (ir_refresh_binders). */
	const struct ir_map *binders;
};

struct frame {
	const ir_expr *e;
	uint32_t next;
};

static const struct ir_var *
new_binder(const struct rewriter *r, const struct ir_var *v)
{
	const struct ir_var *to = ir_map_get(r->binders, &v->base);

	return to ? to : v;
}

static const ir_pattern *
new_pattern(const struct rewriter *r, const ir_pattern *p)
{
	struct arena *a = &r->m->arena;
	ir_pattern *copy = arena_copy(a, p, sizeof(*p));
	const ir_pattern **sub = ARENA_NEW_ARRAY(a, p->n, const ir_pattern *);

	if (p->kind == PATTERN_VAR)
		copy->var = new_binder(r, p->var);
	for (uint32_t i = 0; i < p->n; i++)
		sub[i] = new_pattern(r, p->sub[i]);
	copy->sub = sub;
	return copy;
}

static const ir_expr *
function_with_binders(const struct rewriter *r, const struct ir_function *f)
{
	struct ir_function_parts parts = ir_function_parts(f);
	const struct ir_var **params = ARENA_NEW_ARRAY(&r->m->arena, f->nparams,
						       const struct ir_var *);

	for (uint32_t i = 0; i < f->nparams; i++)
		params[i] = new_binder(r, f->params[i]);
	parts.params = params;
	return ir_new_function(r->m, f->base.loc, &parts);
}

static const ir_expr *
match_with_binders(const struct rewriter *r, const struct ir_match *x)
{
	struct ir_match *copy = (struct ir_match *)(uintptr_t)ir_new_match(
		r->m, x->base.loc, x->value, x->clauses, x->nclauses,
		x->complete);

	for (uint32_t i = 0; i < x->nclauses; i++)
		copy->clauses[i].pattern =
			new_pattern(r, x->clauses[i].pattern);
	return &copy->base;
}

/* E, whose operands are new, with new binders too. */
static const ir_expr *
with_binders(const struct rewriter *r, const ir_expr *e)
{
	const ir_expr *copy = e;

	if (e->kind == IR_FUNCTION && ir_as_function(e)->nparams) {
		copy = function_with_binders(r, ir_as_function(e));
	} else if (e->kind == IR_LET) {
		const struct ir_let *l = ir_as_let(e);

		copy = ir_new_let(r->m, e->loc, new_binder(r, l->var), l->value,
				  l->body);
	} else if (e->kind == IR_MATCH) {
		copy = match_with_binders(r, ir_as_match(e));
	}
	if (copy != e)
		ir_set_type(copy, e->type);
	return copy;
}

static bool
permits(const ir_module *m)
{
	return !m->permits || m->permits(m->permits_env);
}

static const ir_expr *
finish(struct rewriter *r, const ir_expr *old)
{
	uint32_t n = ir_num_operands(old);
	const ir_expr *e;
	ir_rule_fn *rule = r->rules->on[old->kind];

	vec_reserve(&r->operands, n);
	for (uint32_t i = 0; i < n; i++)
		r->operands.at[i] = ir_map_get(&r->memo, ir_operand(old, i));
	e = ir_with_operands(r->m, old, r->operands.at, !r->rules->drop_types);
	if (r->binders)
		e = with_binders(r, e);
	if (rule) {
		const ir_expr *to = rule(e, old, r->env);

		if (to && (to == e || !r->rules->counted || permits(r->m)))
			e = to;
	}
	return e;
}

static const ir_expr *
run(struct rewriter *r, const ir_expr *root)
{
	VEC(struct frame) stack = {0};
	const ir_expr *e = root;

	for (;;) {
		struct frame *top;

		if (e && !ir_map_get(&r->memo, e)) {
			struct frame f = {e, 0};

			if (r->rules->enter && !r->rules->enter(e, r->env))
				ir_map_put(&r->memo, e, e);
			else
				vec_push(&stack, f);
		}
		if (stack.len == 0)
			break;
		top = &vec_last(&stack);
		e = NULL;
		if (top->next == 1 && top->e->kind == IR_LET && r->rules->bound)
			r->rules->bound(
				ir_as_let(top->e),
				ir_map_get(&r->memo, ir_operand(top->e, 0)),
				r->env);
		if (top->next < ir_num_operands(top->e)) {
			e = ir_operand(top->e, top->next++);
			continue;
		}
		ir_map_put(&r->memo, top->e, finish(r, top->e));
		(void)vec_pop(&stack);
	}
	vec_free(&stack);
	return ir_map_get(&r->memo, root);
}

static void
rewriter_free(struct rewriter *r)
{
	vec_free(&r->operands);
	ir_map_free(&r->memo);
}

const ir_expr *
ir_rewrite(ir_module *m, const ir_expr *root, const struct ir_rules *rules,
	   void *env)
{
	struct rewriter r = {.m = m, .rules = rules, .env = env};
	const ir_expr *out = run(&r, root);

	rewriter_free(&r);
	return out;
}

static const ir_expr *
replace_var(const ir_expr *e, const ir_expr *old, void *env)
{
	(void)old;
	return ir_map_get(env, e);
}

static const struct ir_rules replace_vars = {.on = {[IR_VAR] = replace_var}};

const ir_expr *
ir_substitute(ir_module *m, const ir_expr *root, const struct ir_map *map)
{
	return ir_rewrite(m, root, &replace_vars, (void *)(uintptr_t)map);
}

struct refresh {
	ir_module *m;
	struct ir_map binders;
};

static void
refresh_var(const struct ir_var *v, void *env)
{
	struct refresh *r = env;
	struct ir_var *copy;

	if (ir_map_get(&r->binders, &v->base))
		return;
	copy = (struct ir_var *)(uintptr_t)ir_new_var(r->m, v->base.loc,
						      v->name, v->annotation);
	copy->base.flags = v->base.flags;
	copy->base.type = v->base.type;
	copy->vdevice = v->vdevice;
	ir_map_put(&r->binders, &v->base, copy);
}

static bool
refresh_binders(const ir_expr *e, void *env)
{
	ir_binders(e, refresh_var, env);
	return true;
}

const ir_expr *
ir_refresh_binders(ir_module *m, const ir_expr *root)
{
	struct refresh fresh = {.m = m};
	struct rewriter r = {.m = m, .rules = &replace_vars};
	const ir_expr *out;

	ir_walk(root, refresh_binders, NULL, &fresh);
	r.binders = &fresh.binders;
	r.env = &fresh.binders;
	out = run(&r, root);
	rewriter_free(&r);
	ir_map_free(&fresh.binders);
	return out;
}

const struct ir_function *
ir_function_with_body(ir_module *m, const struct ir_function *f,
		      const ir_expr *body)
{
	return ir_as_function(ir_with_operands(m, &f->base, &body, true));
}

const struct ir_function *
ir_function_giving(ir_module *m, const struct ir_function *f,
		   const ir_expr *body)
{
	struct ir_function_parts parts = ir_function_parts(f);

	parts.body = body;
	parts.ret_type = NULL;
	return ir_as_function(ir_new_function(m, f->base.loc, &parts));
}
