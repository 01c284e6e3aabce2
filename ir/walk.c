#include "ir/walk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/module.h"

struct frame {
	const ir_expr *e;
	uint32_t next; /* operand to visit next */
	uint32_t end;  /* operands to visit */
};

void
ir_walk(const ir_expr *root, bool (*before)(const ir_expr *e, void *env),
	void (*after)(const ir_expr *e, void *env), void *env)
{
	VEC(struct frame) stack = {0};
	struct ir_set seen = {0};
	const ir_expr *e = root;

	for (;;) {
		struct frame *top;

		if (e && ir_set_add(&seen, e)) {
			struct frame f = {e, 0, ir_num_operands(e)};

			if (before && !before(e, env))
				f.next = UINT32_MAX;
			vec_push(&stack, f);
		}
		if (stack.len == 0)
			break;
		top = &vec_last(&stack);
		e = NULL;
		if (top->next < top->end) {
			e = ir_operand(top->e, top->next++);
			continue;
		}
		if (after && top->next != UINT32_MAX)
			after(top->e, env);
		(void)vec_pop(&stack);
	}
	vec_free(&stack);
	ir_set_free(&seen);
}

static void
append(const ir_expr *e, void *env)
{
	ir_expr_vec *out = env;

	vec_push(out, e);
}

void
ir_postorder(const ir_expr *root, ir_expr_vec *out)
{
	ir_walk(root, NULL, append, out);
}

static void
count_operands(const ir_expr *e, void *env)
{
	struct ir_map *counts = env;

	for (uint32_t i = 0; i < ir_num_operands(e); i++) {
		const ir_expr *operand = ir_operand(e, i);
		uintptr_t n = (uintptr_t)ir_map_get(counts, operand);

		ir_map_put(counts, operand, (void *)(n + 1));
	}
}

void
ir_use_counts(const ir_expr *root, struct ir_map *counts)
{
	ir_walk(root, NULL, count_operands, counts);
}

void
ir_pattern_vars(const ir_pattern *p,
		void (*put)(const struct ir_var *v, void *env), void *env)
{
	VEC(const ir_pattern *) todo = {0};

	vec_push(&todo, p);
	while (todo.len) {
		const ir_pattern *q = vec_pop(&todo);

		if (q->kind == PATTERN_VAR)
			put(q->var, env);
		for (uint32_t i = q->n; i-- > 0;)
			vec_push(&todo, q->sub[i]);
	}
	vec_free(&todo);
}

void
ir_binders(const ir_expr *e, void (*put)(const struct ir_var *v, void *env),
	   void *env)
{
	if (e->kind == IR_FUNCTION) {
		const struct ir_function *f = ir_as_function(e);

		for (uint32_t i = 0; i < f->nparams; i++)
			put(f->params[i], env);
	} else if (e->kind == IR_LET) {
		put(ir_as_let(e)->var, env);
	} else if (e->kind == IR_MATCH) {
		const struct ir_match *x = ir_as_match(e);

		for (uint32_t i = 0; i < x->nclauses; i++)
			ir_pattern_vars(x->clauses[i].pattern, put, env);
	}
}

/*
 * A variable is bound once in a well-formed program, so "free in ROOT" means:
 * used in reach of ROOT, bound nowhere in reach of it.
 */
struct free_vars {
	struct ir_set bound;
	ir_expr_vec *out;
};

static void
bind(const struct ir_var *v, void *env)
{
	struct free_vars *fv = env;

	ir_set_add(&fv->bound, &v->base);
}

static bool
find_binders(const ir_expr *e, void *env)
{
	struct free_vars *fv = env;

	ir_binders(e, bind, fv);
	if (e->kind == IR_VAR)
		vec_push(fv->out, e);
	return true;
}

void
ir_free_vars(const ir_expr *root, ir_expr_vec *out)
{
	struct free_vars fv = {.out = out};
	size_t start = out->len;
	size_t to = start;

	ir_walk(root, find_binders, NULL, &fv);
	for (size_t i = start; i < out->len; i++)
		if (!ir_set_has(&fv.bound, out->at[i]))
			out->at[to++] = out->at[i];
	out->len = to;
	ir_set_free(&fv.bound);
}
