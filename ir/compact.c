/*
 * Copies of modules, and compaction: what is live goes into a fresh module,
 * which then takes the place of the old one. Node ids become dense again.
 */
#include "ir/module.h"

#include <stdlib.h>
#include <string.h>

#include "ir/walk.h"

struct compactor {
	ir_module *to;
	struct ir_map done; /* old node -> new node */
	VEC(const ir_expr *) operands;
};

struct frame {
	const ir_expr *e;
	uint32_t next;
};

static const ir_expr *copy_leaf(struct compactor *c, const ir_expr *e);
static const ir_expr *copy_expr(struct compactor *c, const ir_expr *root);

static const ir_expr *
mapped(struct compactor *c, const ir_expr *e)
{
	const ir_expr *to = ir_map_get(&c->done, e);

	return to ? to : copy_leaf(c, e);
}

static const struct ir_var *
copy_var(struct compactor *c, const struct ir_var *v)
{
	struct ir_var *to = ir_map_get(&c->done, &v->base);

	if (to)
		return to;
	to = (struct ir_var *)(uintptr_t)ir_new_var(c->to, v->base.loc, v->name,
						    v->annotation);
	to->base.flags = v->base.flags;
	to->base.type = v->base.type;
	to->vdevice = v->vdevice;
	ir_map_put(&c->done, &v->base, to);
	return to;
}

static const ir_expr *
copy_constant(struct compactor *c, const struct ir_constant *k)
{
	struct ir_constant *to;

	if (k->data)
		to = (struct ir_constant *)(uintptr_t)ir_new_constant(
			c->to, k->base.loc, k->data);
	else
		to = (struct ir_constant *)(uintptr_t)ir_new_placeholder(
			c->to, k->base.loc, k->meta_index, NULL);
	to->vdevice = k->vdevice;
	to->told_type = k->told_type;
	to->base.type = k->base.type;
	return &to->base;
}

/* Variables, constants, globals, operators, constructors. */
static const ir_expr *
copy_leaf(struct compactor *c, const ir_expr *e)
{
	const ir_expr *to;

	switch ((enum ir_kind)e->kind) {
	case IR_VAR:
		return &copy_var(c, ir_as_var(e))->base;
	case IR_CONSTANT:
		to = copy_constant(c, ir_as_constant(e));
		break;
	case IR_GLOBAL:
		to = &ir_module_global(c->to, ir_as_global(e)->name)->base;
		ir_set_type(to, e->type);
		break;
	case IR_OP:
		to = ir_op_node(c->to, ir_as_op_ref(e)->op);
		break;
	case IR_CTOR:
		to = &ir_module_find_ctor(c->to, ir_as_ctor(e)->name)->base;
		ir_set_type(to, e->type);
		break;
	default:
		to = ir_new_hole(c->to, e->loc);
		break;
	}
	ir_map_put(&c->done, e, to);
	return to;
}

/* A value with the expressions in it moved; false if there are none. */
static bool
move_value(struct compactor *c, ir_attr *v)
{
	bool moved = false;
	ir_attr *elems;

	if (v->kind == ATTR_EXPR) {
		v->expr = copy_expr(c, v->expr);
		return true;
	}
	if (v->kind != ATTR_ARRAY || v->n == 0)
		return false;
	elems = arena_copy(&c->to->cx->arena, v->elems, v->n * sizeof(*elems));
	for (uint32_t i = 0; i < v->n; i++)
		moved |= move_value(c, &elems[i]);
	if (moved)
		v->elems = elems;
	return moved;
}

static bool
holds_expr(const ir_attr *v)
{
	if (v->kind == ATTR_ARRAY)
		for (uint32_t i = 0; i < v->n; i++)
			if (holds_expr(&v->elems[i]))
				return true;
	return v->kind == ATTR_EXPR;
}

static const ir_attrs *
copy_attrs(struct compactor *c, const ir_attrs *a)
{
	ir_attr *values;
	const ir_attrs *to;
	bool any = false;

	for (uint32_t i = 0; a && i < a->n; i++)
		any |= holds_expr(&a->value[i]);
	if (!any)
		return a;
	values = xcalloc(a->n, sizeof(*values));
	memcpy(values, a->value, a->n * sizeof(*values));
	for (uint32_t i = 0; i < a->n; i++)
		move_value(c, &values[i]);
	to = ir_attrs_new(c->to->cx, a->schema, values);
	free(values);
	return to;
}

static const ir_pattern *
copy_pattern(struct compactor *c, const ir_pattern *p)
{
	struct arena *a = &c->to->arena;
	ir_pattern *to = arena_copy(a, p, sizeof(*p));
	const ir_pattern **sub = ARENA_NEW_ARRAY(a, p->n, const ir_pattern *);

	if (p->kind == PATTERN_VAR)
		to->var = copy_var(c, p->var);
	if (p->kind == PATTERN_CTOR)
		to->ctor = ir_as_ctor(mapped(c, &p->ctor->base));
	for (uint32_t i = 0; i < p->n; i++)
		sub[i] = copy_pattern(c, p->sub[i]);
	to->sub = sub;
	return to;
}

static const ir_expr *
copy_match(struct compactor *c, const struct ir_match *x,
	   const ir_expr *const *ops)
{
	struct ir_match *to = (struct ir_match *)(uintptr_t)ir_new_match(
		c->to, x->base.loc, ops[0], x->clauses, x->nclauses,
		x->complete);

	for (uint32_t i = 0; i < x->nclauses; i++) {
		to->clauses[i].pattern = copy_pattern(c, x->clauses[i].pattern);
		to->clauses[i].body = ops[i + 1];
	}
	return &to->base;
}

static const ir_expr *
copy_function(struct compactor *c, const struct ir_function *f,
	      const ir_expr *body)
{
	struct ir_function_parts parts = ir_function_parts(f);
	const struct ir_var **params = xcalloc(f->nparams, sizeof(*params));
	const ir_expr *to;

	for (uint32_t i = 0; i < f->nparams; i++)
		params[i] = copy_var(c, f->params[i]);
	parts.params = params;
	parts.body = body;
	to = ir_new_function(c->to, f->base.loc, &parts);
	free(params);
	return to;
}

/* E with operands OPS; ATTRS are those of a call. */
static const ir_expr *
copy_node(struct compactor *c, const ir_expr *e, const ir_expr *const *ops,
	  const ir_attrs *attrs)
{
	ir_module *m = c->to;

	switch ((enum ir_kind)e->kind) {
	case IR_CALL:
		return ir_new_call(m, e->loc, ops[0], ops + 1,
				   ir_as_call(e)->nargs, attrs);
	case IR_FUNCTION:
		return copy_function(c, ir_as_function(e),
				     ir_num_operands(e) ? ops[0] : NULL);
	case IR_LET:
		return ir_new_let(m, e->loc, copy_var(c, ir_as_let(e)->var),
				  ops[0], ops[1]);
	case IR_MATCH:
		return copy_match(c, ir_as_match(e), ops);
	case IR_VAR:
	case IR_GLOBAL:
	case IR_CONSTANT:
	case IR_OP:
	case IR_CTOR:
	case IR_HOLE:
		return copy_leaf(c, e);
	default:
		return ir_rebuild(m, e, ops);
	}
}

static void
finish(struct compactor *c, const ir_expr *e)
{
	uint32_t n = ir_num_operands(e);
	const ir_attrs *attrs = NULL;
	const ir_expr *to;

	/* Before the operands: copying what is in them uses that array. */
	if (e->kind == IR_CALL)
		attrs = copy_attrs(c, ir_as_call(e)->attrs);
	vec_reserve(&c->operands, n);
	for (uint32_t i = 0; i < n; i++)
		c->operands.at[i] = mapped(c, ir_operand(e, i));
	to = copy_node(c, e, c->operands.at, attrs);
	ir_set_type(to, e->type);
	ir_map_put(&c->done, e, to);
}

static const ir_expr *
copy_expr(struct compactor *c, const ir_expr *root)
{
	VEC(struct frame) stack = {0};
	const ir_expr *e = root;

	for (;;) {
		struct frame *top;

		if (e && !ir_map_get(&c->done, e))
			vec_push(&stack, ((struct frame){e, 0}));
		if (stack.len == 0)
			break;
		top = &vec_last(&stack);
		e = NULL;
		if (top->next < ir_num_operands(top->e)) {
			e = ir_operand(top->e, top->next++);
			continue;
		}
		if (!ir_map_get(&c->done, top->e))
			finish(c, top->e);
		(void)vec_pop(&stack);
	}
	vec_free(&stack);
	return ir_map_get(&c->done, root);
}

static void
copy_type_defs(struct compactor *c, const ir_module *m)
{
	for (size_t i = 0; i < m->types.len; i++) {
		const ir_type_def *t = m->types.at[i];
		ir_type_def *to = ir_module_add_type(c->to, t->name, t->params,
						     t->nparams, t->loc);

		to->is_extern = t->is_extern;
		for (uint32_t k = 0; k < t->nctors; k++)
			ir_module_add_ctor(c->to, to, t->ctors[k]->name,
					   t->ctors[k]->fields,
					   t->ctors[k]->nfields,
					   t->ctors[k]->base.loc);
	}
}

/* Loops and tensor expressions, and operators from outside, stay put. */
static bool
can_move(const ir_module *m)
{
	for (size_t i = 0; i < m->defs.len; i++)
		if (m->defs.at[i]->kind != DEF_FUNCTION)
			return false;
	return m->unknown_op_nodes.len == 0;
}

/*
 * Objects of the metadata borrow tensors from the module, so all stay. The
 * list of M holds a reference to each already.
 */
static void
take_tensors(ir_module *to, ir_module *m)
{
	ir_tensor **old = m->tensors.at;
	size_t n = m->tensors.len;

	for (size_t i = 0; i < to->tensors.len; i++)
		ir_tensor_unref(to->tensors.at[i]);
	vec_clear(&to->tensors);
	for (size_t i = 0; i < n; i++)
		vec_push(&to->tensors, old[i]);
	vec_clear(&m->tensors);
}

void
ir_module_swap(ir_module *a, ir_module *b)
{
	ir_module t = *a;

	*a = *b;
	*b = t;
}

/* A copy of M without the list of its tensors beyond those of constants. */
static ir_module *
copy_module(const ir_module *m)
{
	struct compactor c = {0};

	c.to = ir_module_new(m->cx);
	copy_type_defs(&c, m);
	for (size_t i = 0; i < m->defs.len; i++) {
		const ir_def *def = m->defs.at[i];
		const ir_expr *fn = copy_expr(&c, &def->fn->base);
		ir_def *to =
			ir_module_add_function(c.to, def->name, fn, def->loc);

		ir_set_type(&to->global->base, def->global->base.type);
	}
	c.to->types_valid = m->types_valid;
	c.to->has_placeholders = m->has_placeholders;
	for (size_t i = 0; i < m->spans.len; i++)
		vec_push(&c.to->spans, m->spans.at[i]);
	ir_map_free(&c.done);
	vec_free(&c.operands);
	return c.to;
}

void
ir_module_compact(ir_module *m)
{
	ir_module *to;

	if (!can_move(m))
		return;
	to = copy_module(m);
	take_tensors(to, m);
	ir_module_swap(m, to);
	ir_module_free(to);
}

ir_module *
ir_module_copy(const ir_module *m)
{
	ir_module *to;

	if (!can_move(m))
		return NULL;
	to = copy_module(m);
	for (size_t i = 0; i < m->tensors.len; i++)
		vec_push(&to->tensors, ir_tensor_ref(m->tensors.at[i]));
	return to;
}
