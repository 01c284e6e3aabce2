/*
 * capture-post-dfs-index-in-spans: number the nodes of each function, in their
 * spans.
 *
 *     nn.relu(%x) span=index:4:5
 *
 * The first number is the position of the node in post-order (parameters
 * first, then callees before arguments); the second that of the first node
 * through which all its uses lead to the result, for which the last node
 * stands for itself. Partitioners name nodes so.
 *
 * Level: function.
 */
#include "ir/copy.h"
#include "passes/pass.h"

struct numbering {
	pass_ctx *cx;
	ir_expr_vec nodes;
	struct ir_map index; /* + 1 */
	uint32_t *above;     /* the dominator; 0 until known */
	uint32_t *depth;     /* steps to the last node */
	uint32_t *jump;      /* a dominator further up */
};

static void
number(struct numbering *n, const ir_expr *e)
{
	if (ir_map_get(&n->index, e))
		return;
	vec_push(&n->nodes, e);
	ir_map_put(&n->index, e, (void *)(uintptr_t)n->nodes.len);
}

static uint32_t
index_of(const struct numbering *n, const ir_expr *e)
{
	return (uint32_t)(uintptr_t)ir_map_get(&n->index, e) - 1;
}

static void
number_binder(const struct ir_var *v, void *env)
{
	number(env, &v->base);
}

static bool
number_binders(const ir_expr *e, void *env)
{
	ir_binders(e, number_binder, env);
	return true;
}

static void
number_node(const ir_expr *e, void *env)
{
	number(env, e);
}

/* Climb from A to DEPTH, in steps that grow as those of a skew heap do. */
static uint32_t
climb(const struct numbering *n, uint32_t a, uint32_t depth)
{
	while (n->depth[a] > depth)
		a = n->depth[n->jump[a]] >= depth ? n->jump[a] : n->above[a];
	return a;
}

/* The nearest node above both A and B, in a logarithmic number of steps. */
static uint32_t
meet(const struct numbering *n, uint32_t a, uint32_t b)
{
	uint32_t depth = n->depth[a] < n->depth[b] ? n->depth[a] : n->depth[b];

	a = climb(n, a, depth);
	b = climb(n, b, depth);
	while (a != b) {
		bool far = n->jump[a] != n->jump[b];

		a = far ? n->jump[a] : n->above[a];
		b = far ? n->jump[b] : n->above[b];
	}
	return a;
}

/* Enter node I, whose dominator UP has been entered. */
static void
enter_tree(struct numbering *n, uint32_t i, uint32_t up)
{
	uint32_t j = n->jump[up];

	n->above[i] = up;
	n->depth[i] = n->depth[up] + 1;
	n->jump[i] =
		n->depth[up] - n->depth[j] == n->depth[j] - n->depth[n->jump[j]]
			? n->jump[j]
			: up;
}

/* Users come later in post-order than what they use. */
static void
find_dominators(struct numbering *n)
{
	uint32_t last = (uint32_t)n->nodes.len - 1;
	bool *used = xcalloc(n->nodes.len, sizeof(*used));

	n->above = xcalloc(n->nodes.len, sizeof(*n->above));
	n->depth = xcalloc(n->nodes.len, sizeof(*n->depth));
	n->jump = xcalloc(n->nodes.len, sizeof(*n->jump));
	n->above[last] = last;
	n->jump[last] = last;
	for (uint32_t i = last + 1; i-- > 0;) {
		const ir_expr *e = n->nodes.at[i];

		if (i != last)
			enter_tree(n, i, used[i] ? n->above[i] : last);
		for (uint32_t k = 0; k < ir_num_operands(e); k++) {
			uint32_t x = index_of(n, ir_operand(e, k));

			n->above[x] = used[x] ? meet(n, n->above[x], i) : i;
			used[x] = true;
		}
	}
	free(used);
}

/* Constants are shared by copies; here each place has its own. */
static const ir_expr *
copy_constant(const ir_expr *e, const ir_expr *old, void *env)
{
	pass_ctx *cx = env;
	const struct ir_constant *c = ir_as_constant(e);
	const ir_expr *new;

	(void)old;
	new = c->data ? ir_new_constant(cx->module, e->loc, c->data)
		      : ir_new_placeholder(cx->module, e->loc, c->meta_index,
					   e->type);
	((struct ir_constant *)(uintptr_t)ir_as_constant(new))->vdevice =
		c->vdevice;
	ir_set_type(new, e->type);
	return new;
}

static const struct ir_rules rules = {
	.on = {[IR_CONSTANT] = copy_constant},
};

static bool
is_shared(const ir_expr *e)
{
	return e->kind == IR_OP || e->kind == IR_GLOBAL || e->kind == IR_CTOR;
}

const struct ir_function *
pass_capture_post_dfs_index_in_spans(pass_ctx *cx, ir_def *def,
				     const struct ir_function *fn)
{
	struct ir_copy_options options = {0};
	struct numbering n = {.cx = cx};
	const char *name = ir_name(cx->module->cx, "index");
	const ir_expr *copy;

	(void)def;
	copy = ir_rewrite(cx->module, &fn->base, &rules, cx);
	copy = ir_copy(cx->module, copy, &options);
	ir_walk(copy, number_binders, number_node, &n);
	find_dominators(&n);
	for (uint32_t i = 0; i < n.nodes.len; i++) {
		ir_expr *own = (ir_expr *)(uintptr_t)n.nodes.at[i];

		if (!is_shared(own))
			own->loc = ir_module_add_span(cx->module, name, i,
						      n.above[i]);
	}
	vec_free(&n.nodes);
	ir_map_free(&n.index);
	free(n.above);
	free(n.depth);
	free(n.jump);
	return ir_as_function(copy);
}
