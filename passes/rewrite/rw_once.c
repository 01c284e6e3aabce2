/*
 * Rules that are applied once: all matches of a function are found first, the
 * largest before those inside of them, and then replaced together. What a
 * replacement takes over of its match, the root itself for one, is not looked
 * at again.
 */
#include "passes/rewrite/rw_engine.h"

struct sweep {
	struct rw_engine *r;
	struct ir_map made;  /* root of a match -> what replaces it */
	struct ir_map plain; /* the same -> itself, with new operands */
	struct ir_set open;  /* roots being replaced */
};

static void
append(const ir_expr *e, void *env)
{
	ir_expr_vec *nodes = env;

	vec_push(nodes, e);
}

static void
find_matches(struct sweep *s, const struct rw_rule *rule, const ir_expr *root)
{
	struct rw_engine *r = s->r;
	ir_expr_vec nodes = {0};

	r->sweeping = true;
	ir_walk(root, NULL, append, &nodes);
	for (size_t i = nodes.len; i-- > 0 && !r->failed;) {
		const ir_expr *e = nodes.at[i];
		const ir_expr *made;

		if (!e->type || ir_set_has(&r->taken, e))
			continue;
		made = rw_try(r, rule, e);
		if (!made)
			continue;
		ir_map_put(&s->made, e, made);
		for (size_t k = 0; k < r->match.inner.len; k++)
			(void)ir_set_add(&r->taken, r->match.inner.at[k]);
	}
	r->sweeping = false;
	vec_free(&nodes);
}

/* What stands for E where its user is; NULL: not worked on yet. */
static const ir_expr *
now(const struct sweep *s, const ir_expr *e)
{
	const ir_expr *to = ir_map_get(&s->r->memo, e);

	return to || !ir_set_has(&s->open, e) ? to : ir_map_get(&s->plain, e);
}

static void
push(struct sweep *s, const ir_expr *e)
{
	struct rw_frame f = {.e = e};

	if (!ir_set_has(&s->open, e))
		f.replaced = ir_map_get(&s->made, e);
	if (f.replaced)
		(void)ir_set_add(&s->open, e);
	vec_push(&s->r->stack, f);
}

/* Work on what the frame F waits for; false: there is nothing left. */
static bool
descend(struct sweep *s, struct rw_frame *f)
{
	uint32_t n = f->replaced ? 1 : ir_num_operands(f->e);

	while (f->next < n) {
		const ir_expr *e =
			f->replaced ? f->replaced : ir_operand(f->e, f->next);

		f->next++;
		if (!now(s, e)) {
			push(s, e);
			return true;
		}
	}
	return false;
}

static void
finish(struct sweep *s, const struct rw_frame *f)
{
	struct rw_engine *r = s->r;
	uint32_t n = ir_num_operands(f->e);
	const ir_expr *to;

	if (f->replaced) {
		ir_map_put(&r->memo, f->e, now(s, f->replaced));
		return;
	}
	rw_mark_effects(r, f->e);
	vec_reserve(&r->operands, n);
	for (uint32_t i = 0; i < n; i++)
		r->operands.at[i] = now(s, ir_operand(f->e, i));
	to = n ? ir_with_operands(r->m, f->e, r->operands.at, true) : f->e;
	if (r->effects && ir_set_has(&r->impure, f->e))
		(void)ir_set_add(&r->impure, to);
	ir_map_put(ir_set_has(&s->open, f->e) ? &s->plain : &r->memo, f->e, to);
}

const ir_expr *
rw_sweep(struct rw_engine *r, const struct rw_rule *rule, const ir_expr *root)
{
	struct sweep s = {.r = r};
	const ir_expr *out = root;

	rw_begin_round(r, root);
	find_matches(&s, rule, root);
	if (r->applied && !r->failed) {
		push(&s, root);
		while (r->stack.len) {
			struct rw_frame f;

			if (descend(&s, &vec_last(&r->stack)))
				continue;
			f = vec_pop(&r->stack);
			finish(&s, &f);
		}
		out = ir_map_get(&r->memo, root);
	}
	rw_end_round(r);
	ir_map_free(&s.made);
	ir_map_free(&s.plain);
	ir_set_free(&s.open);
	ir_set_free(&r->taken);
	return out;
}
