#include "ir/copy.h"

#include "ir/module.h"

struct copier {
	ir_module *m;
	const struct ir_copy_options *o;
	struct ir_map done;
	VEC(const ir_expr *) operands;
};

struct frame {
	const ir_expr *e;
	uint32_t next;
};

static const ir_type *
copy_type(const struct copier *c, const ir_type *t)
{
	if (!t || !c->o->map_type)
		return t;
	return ir_type_substitute(c->m->cx, t, c->o->map_type, c->o->env);
}

static void
copy_binder(const struct ir_var *v, void *env)
{
	struct copier *c = env;
	struct ir_var *copy;

	if (ir_map_get(&c->done, &v->base))
		return;
	copy = (struct ir_var *)(uintptr_t)ir_new_var(
		c->m, v->base.loc, v->name, copy_type(c, v->annotation));
	copy->base.flags = v->base.flags;
	copy->base.type = copy_type(c, v->base.type);
	copy->vdevice = v->vdevice;
	ir_map_put(&c->done, &v->base, copy);
}

/* New variables for what E binds, before anything below it is copied. */
static void
copy_binders(struct copier *c, const ir_expr *e)
{
	ir_binders(e, copy_binder, c);
}

static const ir_pattern *
copy_pattern(const struct copier *c, const ir_pattern *p)
{
	struct arena *a = &c->m->arena;
	ir_pattern *copy = arena_copy(a, p, sizeof(*p));
	const ir_pattern **sub = ARENA_NEW_ARRAY(a, p->n, const ir_pattern *);

	if (p->kind == PATTERN_VAR)
		copy->var = ir_map_get(&c->done, &p->var->base);
	for (uint32_t i = 0; i < p->n; i++)
		sub[i] = copy_pattern(c, p->sub[i]);
	copy->sub = sub;
	return copy;
}

static const ir_expr *
copy_function(const struct copier *c, const struct ir_function *f,
	      const ir_expr *body)
{
	struct ir_function_parts parts = ir_function_parts(f);
	struct arena scratch = {0};
	const struct ir_var **params =
		ARENA_NEW_ARRAY(&scratch, f->nparams, const struct ir_var *);
	const ir_type **vars =
		ARENA_NEW_ARRAY(&scratch, f->ntype_params, const ir_type *);
	const ir_expr *copy;

	for (uint32_t i = 0; i < f->nparams; i++)
		params[i] = ir_map_get(&c->done, &f->params[i]->base);
	for (uint32_t i = 0; i < f->ntype_params; i++) {
		const ir_type *t = copy_type(c, f->type_params[i]);

		vars[i] = t->kind == TYPE_VAR ? t : f->type_params[i];
	}
	parts.params = params;
	parts.type_params = vars;
	parts.body = body;
	parts.ret_type = copy_type(c, f->ret_type);
	copy = ir_new_function(c->m, f->base.loc, &parts);
	arena_free(&scratch);
	return copy;
}

static const ir_expr *
copy_match(const struct copier *c, const struct ir_match *x,
	   const ir_expr *const *ops)
{
	struct ir_match *copy = (struct ir_match *)(uintptr_t)ir_new_match(
		c->m, x->base.loc, ops[0], x->clauses, x->nclauses,
		x->complete);

	for (uint32_t i = 0; i < x->nclauses; i++) {
		copy->clauses[i].pattern =
			copy_pattern(c, x->clauses[i].pattern);
		copy->clauses[i].body = ops[i + 1];
	}
	return &copy->base;
}

/* A node that is worth its own copy: all that computes or binds. */
static const ir_expr *
copy_node(struct copier *c, const ir_expr *e, const ir_expr *const *ops)
{
	ir_module *m = c->m;

	switch ((enum ir_kind)e->kind) {
	case IR_FUNCTION:
		return copy_function(c, ir_as_function(e),
				     ir_num_operands(e) ? ops[0] : NULL);
	case IR_LET:
		return ir_new_let(
			m, e->loc,
			ir_map_get(&c->done, &ir_as_let(e)->var->base), ops[0],
			ops[1]);
	case IR_MATCH:
		return copy_match(c, ir_as_match(e), ops);
	default:
		return ir_rebuild(m, e, ops);
	}
}

static const ir_expr *
finish(struct copier *c, const ir_expr *e)
{
	uint32_t n = ir_num_operands(e);
	const ir_expr *copy;

	vec_reserve(&c->operands, n);
	for (uint32_t i = 0; i < n; i++)
		c->operands.at[i] = ir_map_get(&c->done, ir_operand(e, i));
	copy = copy_node(c, e, c->operands.at);
	if (copy != e)
		ir_set_type(copy, copy_type(c, e->type));
	return copy;
}

static const ir_expr *
replacement(const struct copier *c, const ir_expr *e)
{
	if (e->kind != IR_VAR || !c->o->vars)
		return NULL;
	return ir_map_get(c->o->vars, e);
}

const ir_expr *
ir_copy(ir_module *m, const ir_expr *root, const struct ir_copy_options *o)
{
	struct copier c = {.m = m, .o = o};
	VEC(struct frame) stack = {0};
	const ir_expr *e = root;
	const ir_expr *out;

	for (;;) {
		struct frame *top;

		if (e && !ir_map_get(&c.done, e)) {
			const ir_expr *to = replacement(&c, e);

			copy_binders(&c, e);
			if (to)
				ir_map_put(&c.done, e, to);
			else
				vec_push(&stack, ((struct frame){e, 0}));
		}
		if (stack.len == 0)
			break;
		top = &vec_last(&stack);
		e = NULL;
		if (top->next < ir_num_operands(top->e)) {
			e = ir_operand(top->e, top->next++);
			continue;
		}
		ir_map_put(&c.done, top->e, finish(&c, top->e));
		(void)vec_pop(&stack);
	}
	out = ir_map_get(&c.done, root);
	vec_free(&stack);
	vec_free(&c.operands);
	ir_map_free(&c.done);
	return out;
}
