#include "passes/replace.h"

struct frame {
	const ir_expr *old;
	const ir_expr *node; /* OLD, or what replaces it */
	uint32_t next;       /* operand */
};

typedef VEC(struct frame) frame_vec;

static void
push(frame_vec *stack, const struct ir_map *with, const ir_expr *e)
{
	const ir_expr *node = e;
	const ir_expr *to;

	while ((to = ir_map_get(with, node)) != NULL)
		node = to;
	vec_push(stack, ((struct frame){e, node, 0}));
}

static const ir_expr *
rebuild(ir_module *m, const ir_expr *e, const struct ir_map *done)
{
	uint32_t n = ir_num_operands(e);
	const ir_expr **operands;
	const ir_expr *new;

	if (n == 0)
		return e;
	operands = xcalloc(n, sizeof(const ir_expr *));
	for (uint32_t i = 0; i < n; i++)
		operands[i] = ir_map_get(done, ir_operand(e, i));
	new = ir_with_operands(m, e, operands, true);
	free(operands);
	return new;
}

const ir_expr *
replace_nodes(ir_module *m, const ir_expr *root, const struct ir_map *with)
{
	frame_vec stack = {0};
	struct ir_map done = {0};
	const ir_expr *result;

	push(&stack, with, root);
	while (stack.len > 0) {
		struct frame *f = &vec_last(&stack);

		if (f->next < ir_num_operands(f->node)) {
			const ir_expr *x = ir_operand(f->node, f->next++);

			if (!ir_map_get(&done, x))
				push(&stack, with, x);
			continue;
		}
		if (!ir_map_get(&done, f->old))
			ir_map_put(&done, f->old, rebuild(m, f->node, &done));
		(void)vec_pop(&stack);
	}
	result = ir_map_get(&done, root);
	vec_free(&stack);
	ir_map_free(&done);
	return result;
}
