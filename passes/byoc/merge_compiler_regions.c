/*
 * merge-compiler-regions: make regions for external compilers as large as
 * they can be.
 *
 *     compiler_begin(compiler_end(%a))    becomes    %a
 *
 * where both annotations are of regions of one compiler, and the later region
 * needs nothing else that depends on the earlier one: otherwise the merged
 * region would need its own result. Regions are looked at producers first; each
 * takes in the regions that feed it.
 *
 * Level: function. Needs: types.
 */
#include "passes/byoc/regions.h"

struct merger {
	pass_ctx *cx;
	struct regions regions;
	struct ir_map position; /* node -> place in post-order + 1 */
	struct ir_map let_of;   /* variable -> its let */
	struct ir_map outer;    /* let -> the let around it, directly */
	VEC(size_t) start;      /* least position, by region */
	VEC(bool) done;
};

static size_t
position_of(const struct merger *m, const ir_expr *e)
{
	return (size_t)(uintptr_t)ir_map_get(&m->position, e);
}

static void
push_inputs(ir_expr_vec *stack, const struct region *r)
{
	for (const struct region_link *l = r->ins.first; l; l = l->next)
		vec_push(stack, ir_as_call(l->e)->args[0]);
}

static void
push_callees(ir_expr_vec *stack, const struct region *r)
{
	for (const struct region_link *l = r->callees.first; l; l = l->next)
		vec_push(stack, l->e);
}

/* A variable is there once its let was reached, so behind those around it. */
static void
push_binding(struct merger *m, ir_expr_vec *stack, const ir_expr *var,
	     size_t start)
{
	const ir_expr *let = ir_map_get(&m->let_of, var);

	while (let && position_of(m, ir_as_let(let)->value) > start) {
		vec_push(stack, ir_as_let(let)->value);
		let = ir_map_get(&m->outer, let);
	}
}

/* Values that E needs, and that do not stand before START. */
static void
push_needs(struct merger *m, ir_expr_vec *stack, const ir_expr *e, size_t start)
{
	if (e->kind == IR_VAR) {
		push_binding(m, stack, e, start);
		return;
	}
	if (position_of(m, e) <= start)
		return;
	for (uint32_t i = 0; i < ir_num_operands(e); i++)
		vec_push(stack, ir_operand(e, i));
}

/*
 * Does R depend on P through anything that is in neither? Nodes that stand
 * before all of P cannot depend on it.
 */
static bool
depends_indirectly(struct merger *m, struct region *r, const struct region *p)
{
	ir_expr_vec stack = {0};
	struct ir_set seen = {0};
	bool found = false;

	for (const struct region_link *l = r->ins.first; l; l = l->next) {
		const ir_expr *x = ir_as_call(l->e)->args[0];

		if (region_of(&m->regions, x) != p)
			vec_push(&stack, x);
	}
	push_callees(&stack, r);
	while (stack.len && !found) {
		const ir_expr *e = vec_pop(&stack);
		struct region *s = region_of(&m->regions, e);

		if (s == p)
			found = true;
		if (found || s == r || !ir_set_add(&seen, e))
			continue;
		if (s) {
			if (!ir_set_add(&seen, s->ins.first->e))
				continue;
			push_inputs(&stack, s);
			push_callees(&stack, s);
		} else {
			push_needs(m, &stack, e, m->start.at[p->id]);
		}
	}
	vec_free(&stack);
	ir_set_free(&seen);
	return found;
}

static void
absorb(struct merger *m, struct region *r)
{
	ir_expr_vec inputs = {0};

	push_inputs(&inputs, r);
	for (size_t i = 0; i < inputs.len; i++) {
		struct region *p = region_of(&m->regions, inputs.at[i]);

		if (!p || p == r || p->target != r->target)
			continue;
		if (depends_indirectly(m, r, p)) {
			pass_remark(m->cx, inputs.at[i]->loc,
				    "not merged: the region of '%s' would need "
				    "its own result",
				    r->target);
			continue;
		}
		if (!pass_may_rewrite(m->cx))
			continue;
		regions_merge(&m->regions, p, r);
		if (m->start.at[p->id] < m->start.at[r->id])
			m->start.at[r->id] = m->start.at[p->id];
		pass_count(m->cx, "regions merged", 1);
	}
	vec_free(&inputs);
}

struct visit {
	struct region *region;
	const struct region_link *next; /* input to look at */
};

typedef VEC(struct visit) visits;

static void
enter(struct merger *m, visits *stack, struct region *r)
{
	m->done.at[r->id] = true;
	vec_push(stack, ((struct visit){r, r->ins.first}));
}

/* R after the regions that feed it. */
static void
visit(struct merger *m, struct region *r)
{
	visits stack = {0};

	enter(m, &stack, r);
	while (stack.len) {
		struct visit *top = &vec_last(&stack);
		const struct region_link *l = top->next;
		struct region *p;

		if (!l) {
			absorb(m, vec_pop(&stack).region);
			continue;
		}
		top->next = l->next;
		p = region_of(&m->regions, ir_as_call(l->e)->args[0]);
		if (p && !m->done.at[p->id])
			enter(m, &stack, p);
	}
	vec_free(&stack);
}

static const ir_expr *
drop_pair(const ir_expr *e, const ir_expr *old, void *env)
{
	struct merger *m = env;
	const struct ir_call *c = ir_as_call(old);

	if (!is_compiler_begin(old) || !is_compiler_end(c->args[0]) ||
	    region_of(&m->regions, old) != region_of(&m->regions, c->args[0]))
		return e;
	return ir_as_call(ir_as_call(e)->args[0])->args[0];
}

static const struct ir_rules rules = {.on = {[IR_CALL] = drop_pair}};

static void
note_let(struct merger *m, const ir_expr *e)
{
	const struct ir_let *let = ir_as_let(e);

	ir_map_put(&m->let_of, &let->var->base, (void *)(uintptr_t)e);
	if (let->body->kind == IR_LET)
		ir_map_put(&m->outer, let->body, (void *)(uintptr_t)e);
}

static void
merge_all(struct merger *m, const ir_expr *root)
{
	ir_expr_vec nodes = {0};

	ir_postorder(root, &nodes);
	for (size_t i = 0; i < m->regions.all.len; i++) {
		vec_push(&m->start, nodes.len);
		vec_push(&m->done, false);
	}
	for (size_t i = 0; i < nodes.len; i++) {
		struct region *r = region_of(&m->regions, nodes.at[i]);

		ir_map_put(&m->position, nodes.at[i],
			   (void *)(uintptr_t)(i + 1));
		if (r && i < m->start.at[r->id])
			m->start.at[r->id] = i;
		if (nodes.at[i]->kind == IR_LET)
			note_let(m, nodes.at[i]);
	}
	for (size_t i = 0; i < nodes.len; i++)
		if (is_compiler_end(nodes.at[i])) {
			struct region *r = region_of(&m->regions, nodes.at[i]);

			if (!m->done.at[r->id])
				visit(m, r);
		}
	vec_free(&nodes);
}

const struct ir_function *
pass_merge_compiler_regions(pass_ctx *cx, ir_def *def,
			    const struct ir_function *fn)
{
	struct merger m = {.cx = cx};
	const ir_expr *body = fn->body;

	(void)def;
	if (!body)
		return fn;
	if (regions_find(&m.regions, cx, body)) {
		merge_all(&m, body);
		body = ir_rewrite(cx->module, body, &rules, &m);
	}
	regions_free(&m.regions);
	ir_map_free(&m.position);
	ir_map_free(&m.let_of);
	ir_map_free(&m.outer);
	vec_free(&m.start);
	vec_free(&m.done);
	return ir_function_with_body(cx->module, fn, body);
}
