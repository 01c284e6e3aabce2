#include "passes/fuse_graph.h"

#include <string.h>

#include "ir/tensor.h"

struct builder {
	struct fuse_graph *g;
	struct arena *arena;
	ir_expr_vec order;         /* nodes, users first met first */
	const ir_type *last_tuple; /* that was asked about */
	bool last_is_tensors;
};

static bool
has_node(const ir_expr *e)
{
	switch ((enum ir_kind)e->kind) {
	case IR_GLOBAL:
	case IR_OP:
	case IR_CTOR:
	case IR_HOLE:
	case IR_FUNCTION:
		return false;
	default:
		return true;
	}
}

static struct fuse_node *
node_of(const struct builder *b, const ir_expr *e)
{
	uint32_t i = fuse_graph_index(b->g, e);

	return i == FUSE_NONE ? NULL : &b->g->nodes[i];
}

/* READER, which is no data flow, reads E; NULL: the function has it. */
static void
mark_external(const struct builder *b, const ir_expr *e, const ir_expr *reader)
{
	struct fuse_node *n = node_of(b, e);

	if (!n)
		return;
	n->external = true;
	if (!n->reader || n->reader->kind == IR_FUNCTION)
		n->reader = reader;
}

static void
add_edge(const struct builder *b, const ir_expr *from, const ir_expr *user,
	 enum op_pattern pattern)
{
	struct fuse_node *n = node_of(b, from);
	struct fuse_edge *edge;

	if (!n)
		return;
	edge = ARENA_NEW(b->arena, struct fuse_edge);
	edge->user = fuse_graph_index(b->g, user);
	edge->pattern = pattern;
	if (n->last)
		n->last->next = edge;
	else
		n->outputs = edge;
	n->last = edge;
}

static bool
is_tensor(const ir_expr *e)
{
	return ir_type_of(e)->kind == TYPE_TENSOR;
}

static bool
same_shape(const ir_type *a, const ir_type *b)
{
	const struct ir_tensor_type *x;
	const struct ir_tensor_type *y;

	if (a->kind != TYPE_TENSOR || b->kind != TYPE_TENSOR)
		return false;
	x = ir_as_tensor_type(a);
	y = ir_as_tensor_type(b);
	if (x->ndim != y->ndim)
		return false;
	for (uint32_t i = 0; i < x->ndim; i++)
		if (!ir_dim_equal(x->shape[i], y->shape[i]))
			return false;
	return true;
}

/*
 * Operators whose result shape depends on the values of an input: they can't
 * be compiled together with what makes their result's shape known.
 */
static bool
is_data_dependent(const ir_op *op)
{
	switch ((int)op->id) {
	case OP_arange:
	case OP_argwhere:
	case OP_unique:
	case OP_strided_slice:
	case OP_dyn_strided_slice:
	case OP_dyn_reshape:
	case OP_dyn_broadcast_to:
	case OP_dyn_full:
	case OP_dyn_zeros:
	case OP_dyn_ones:
	case OP_dyn_tile:
	case OP_dyn_topk:
	case OP_dyn_one_hot:
	case OP_dyn_nn_pad:
	case OP_dyn_nn_upsampling:
	case OP_dyn_nn_upsampling3d:
	case OP_dyn_image_resize2d:
	case OP_dyn_expand_dims:
	case OP_dyn_squeeze:
	case OP_dyn_sparse_to_dense:
	case OP_sparse_fill_empty_rows:
	case OP_sparse_reshape:
	case OP_repeat:
		return true;
	default:
		return false;
	}
}

static enum op_pattern
call_pattern(const ir_expr *call, const ir_op *op)
{
	if (op->pattern == PAT_UNSET)
		return PAT_OPAQUE;
	if ((ir_type_of(call)->flags & TYPE_HAS_ANY) && is_data_dependent(op))
		return PAT_OPAQUE;
	return op->pattern;
}

static void
add_call(const struct builder *b, struct fuse_node *n, const ir_expr *e)
{
	const struct ir_call *c = ir_as_call(e);
	const ir_op *op = ir_called_op(e);

	n->pattern = op ? call_pattern(e, op) : PAT_OPAQUE;
	mark_external(b, c->callee, e);
	for (uint32_t i = 0; i < c->nargs; i++) {
		enum op_pattern p = n->pattern;

		if (p == PAT_BROADCAST &&
		    same_shape(ir_type_of(e), ir_type_of(c->args[i])))
			p = PAT_ELEMWISE;
		add_edge(b, c->args[i], e, p);
	}
}

static void
add_tuple(const struct builder *b, struct fuse_node *n, const ir_expr *e)
{
	const struct ir_tuple *t = ir_as_tuple(e);

	n->pattern = PAT_TUPLE;
	for (uint32_t i = 0; i < t->nfields; i++) {
		if (is_tensor(t->fields[i]))
			add_edge(b, t->fields[i], e, PAT_INJECTIVE);
		else
			mark_external(b, t->fields[i], e);
	}
}

/* Asked for each projection of a tuple, so the last answer is kept. */
static bool
all_tensors(struct builder *b, const ir_type *t)
{
	const struct ir_tuple_type *tuple = ir_as_tuple_type(t);

	if (t == b->last_tuple)
		return b->last_is_tensors;
	b->last_tuple = t;
	b->last_is_tensors = false;
	for (uint32_t i = 0; i < tuple->nfields; i++)
		if (tuple->fields[i]->kind != TYPE_TENSOR)
			return false;
	b->last_is_tensors = true;
	return true;
}

static void
add_proj(struct builder *b, struct fuse_node *n, const ir_expr *e)
{
	const ir_expr *tuple = ir_as_proj(e)->tuple;

	if (!all_tensors(b, ir_type_of(tuple))) {
		mark_external(b, tuple, e);
		return;
	}
	n->pattern = PAT_INJECTIVE;
	add_edge(b, tuple, e, PAT_INJECTIVE);
}

/* Scalars that code generation can put into the code. */
static enum op_pattern
constant_pattern(const struct ir_constant *c)
{
	struct dtype t;

	if (!c->data || c->data->ndim != 0)
		return PAT_OPAQUE;
	t = c->data->dtype;
	if (t.lanes == 1 && (dtype_is_bool(t) ||
			     ((t.code == DTYPE_INT || t.code == DTYPE_FLOAT) &&
			      (t.bits == 32 || t.bits == 64))))
		return PAT_ELEMWISE;
	return PAT_OPAQUE;
}

static void
external_var(const struct ir_var *v, void *env)
{
	mark_external(env, &v->base, NULL);
}

static void
external_operands(const struct builder *b, const ir_expr *e)
{
	for (uint32_t i = 0; i < ir_num_operands(e); i++)
		mark_external(b, ir_operand(e, i), e);
	ir_binders(e, external_var, (void *)(uintptr_t)b);
}

static void
add_edges(struct builder *b, const ir_expr *e)
{
	struct fuse_node *n = node_of(b, e);

	switch ((enum ir_kind)e->kind) {
	case IR_CALL:
		add_call(b, n, e);
		break;
	case IR_TUPLE:
		add_tuple(b, n, e);
		break;
	case IR_PROJ:
		add_proj(b, n, e);
		break;
	case IR_CONSTANT:
		n->pattern = constant_pattern(ir_as_constant(e));
		break;
	default:
		external_operands(b, e);
		break;
	}
}

static bool
is_closed_to_fusion(const ir_expr *e)
{
	return ir_is_primitive(e) ||
	       (e->kind == IR_FUNCTION &&
		ir_dict_get(ir_as_function(e)->attrs, "Compiler"));
}

static bool
enter(const ir_expr *e, void *env)
{
	struct builder *b = env;

	vec_push(&b->order, e);
	return !is_closed_to_fusion(e);
}

static void
number(const ir_expr *e, void *env)
{
	struct builder *b = env;

	if (!has_node(e))
		return;
	ir_map_put(&b->g->index, e, (void *)(uintptr_t)(b->g->n + 1));
	b->g->nodes[b->g->n].expr = e;
	b->g->nodes[b->g->n].pattern = PAT_OPAQUE;
	b->g->n++;
}

static enum op_pattern
worse(enum op_pattern a, enum op_pattern b)
{
	return a > b ? a : b;
}

/*
 * Ancestors are found by skew-binary jumps: a value read by a million nodes
 * costs a logarithm each, not a walk up the whole chain.
 */
static void
set_jump(struct fuse_graph *g, struct fuse_node *n)
{
	struct fuse_node *p = &g->nodes[n->parent];
	struct fuse_node *j = p->jump == FUSE_NONE ? NULL : &g->nodes[p->jump];

	n->jump = n->parent;
	n->jump_pattern = n->tree_pattern;
	if (!j)
		return;
	if (p->depth - j->depth ==
	    (j->jump == FUSE_NONE ? 0 : j->depth - g->nodes[j->jump].depth)) {
		n->jump = j->jump;
		n->jump_pattern =
			worse(n->tree_pattern,
			      worse(p->jump_pattern, j->jump_pattern));
	}
}

/* Climb from AT to DEPTH, gathering the worst pattern on the way. */
static uint32_t
climb(const struct fuse_graph *g, uint32_t at, uint32_t depth,
      enum op_pattern *pattern)
{
	while (at != FUSE_NONE && g->nodes[at].depth > depth) {
		const struct fuse_node *n = &g->nodes[at];

		if (n->jump != FUSE_NONE && g->nodes[n->jump].depth >= depth) {
			*pattern = worse(*pattern, n->jump_pattern);
			at = n->jump;
		} else {
			*pattern = worse(*pattern, n->tree_pattern);
			at = n->parent;
		}
	}
	return at;
}

bool
fuse_graph_post_dominates(const struct fuse_graph *g, uint32_t by, uint32_t e)
{
	enum op_pattern pattern = PAT_ELEMWISE;

	return climb(g, e, g->nodes[by].depth, &pattern) == by;
}

static uint32_t
common_ancestor(const struct fuse_graph *g, uint32_t a, uint32_t b,
		enum op_pattern *pattern)
{
	if (a == FUSE_NONE || b == FUSE_NONE)
		return FUSE_NONE;
	a = climb(g, a, g->nodes[b].depth, pattern);
	b = climb(g, b, a == FUSE_NONE ? 0 : g->nodes[a].depth, pattern);
	while (a != b && a != FUSE_NONE && b != FUSE_NONE) {
		const struct fuse_node *x = &g->nodes[a];
		const struct fuse_node *y = &g->nodes[b];

		if (x->jump != FUSE_NONE && x->jump != y->jump) {
			*pattern = worse(*pattern, worse(x->jump_pattern,
							 y->jump_pattern));
			a = x->jump;
			b = y->jump;
		} else {
			*pattern = worse(*pattern, worse(x->tree_pattern,
							 y->tree_pattern));
			a = x->parent;
			b = y->parent;
		}
	}
	return a == b ? a : FUSE_NONE;
}

static void
find_post_dominators(struct fuse_graph *g)
{
	for (uint32_t i = g->n; i-- > 0;) {
		struct fuse_node *n = &g->nodes[i];
		enum op_pattern pattern = PAT_ELEMWISE;
		uint32_t parent = FUSE_NONE;

		n->parent = n->jump = FUSE_NONE;
		n->depth = 1;
		n->tree_pattern = PAT_OPAQUE;
		if (n->external)
			continue;
		for (struct fuse_edge *e = n->outputs; e; e = e->next) {
			parent = e == n->outputs
					 ? e->user
					 : common_ancestor(g, parent, e->user,
							   &pattern);
			pattern = worse(pattern, e->pattern);
		}
		n->tree_pattern = pattern;
		n->parent = parent;
		if (parent == FUSE_NONE)
			continue;
		n->depth = g->nodes[parent].depth + 1;
		set_jump(g, n);
	}
}

void
fuse_graph_build(struct fuse_graph *g, const struct ir_function *fn,
		 struct arena *arena)
{
	struct builder b = {.g = g, .arena = arena};

	*g = (struct fuse_graph){0};
	/* A first walk counts, so that the array of nodes never moves. */
	ir_walk(&fn->base, enter, NULL, &b);
	g->nodes = ARENA_NEW_ARRAY(arena, b.order.len, struct fuse_node);
	vec_clear(&b.order);
	ir_walk(&fn->base, enter, number, &b);
	for (uint32_t i = 0; i < fn->nparams; i++)
		mark_external(&b, &fn->params[i]->base, NULL);
	for (size_t i = 0; i < b.order.len; i++)
		if (b.order.at[i]->kind == IR_FUNCTION
			    ? !is_closed_to_fusion(b.order.at[i])
			    : has_node(b.order.at[i]))
			add_edges(&b, b.order.at[i]);
	vec_free(&b.order);
	find_post_dominators(g);
}

void
fuse_graph_free(struct fuse_graph *g)
{
	ir_map_free(&g->index);
}
