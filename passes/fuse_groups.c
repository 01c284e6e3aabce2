/*
 * Greedy grouping in three phases, by patterns (see passes/fuse_ops.c for the
 * rules in words). A node may join the group of its post-dominator if all
 * nodes on all paths between the two may join too.
 */
#include "passes/fuse_groups.h"

#include <string.h>

#include "passes/pass.h"
#include "support/buf.h"

struct grouper {
	const struct fuse_graph *g;
	const struct fuse_limits *limits;
	struct fuse_group *groups;
	uint32_t *visited; /* by node: number of the last walk */
	uint32_t walk;
	VEC(uint32_t) todo;
};

uint32_t
fuse_group_root(struct fuse_group *groups, uint32_t i)
{
	while (groups[i].parent != i) {
		groups[i].parent = groups[groups[i].parent].parent;
		i = groups[i].parent;
	}
	return i;
}

static void
merge(struct grouper *gr, uint32_t child, uint32_t into)
{
	struct fuse_group *c;
	struct fuse_group *p;

	child = fuse_group_root(gr->groups, child);
	into = fuse_group_root(gr->groups, into);
	if (child == into)
		return;
	c = &gr->groups[child];
	p = &gr->groups[into];
	p->nnodes += c->nnodes;
	p->nargs += c->nargs;
	c->parent = into;
	if (c->has_anchor) {
		assert(!p->has_anchor);
		p->has_anchor = true;
		if (c->pattern > p->pattern)
			p->pattern = c->pattern;
	}
}

static void
start_walk(struct grouper *gr)
{
	gr->walk++;
	vec_clear(&gr->todo);
}

static void
push_users(struct grouper *gr, uint32_t node)
{
	for (struct fuse_edge *e = gr->g->nodes[node].outputs; e; e = e->next) {
		if (gr->visited[e->user] == gr->walk)
			continue;
		gr->visited[e->user] = gr->walk;
		vec_push(&gr->todo, e->user);
	}
}

typedef bool may_join(enum op_pattern p, bool is_sink);

/* MAY holds for the groups of all nodes after SRC up to and with SINK. */
static bool
check_paths(struct grouper *gr, uint32_t src, uint32_t sink, may_join *may)
{
	start_walk(gr);
	push_users(gr, src);
	while (gr->todo.len) {
		uint32_t at = vec_pop(&gr->todo);
		uint32_t root = fuse_group_root(gr->groups, at);

		if (!may(gr->groups[root].pattern, at == sink))
			return false;
		if (at != sink)
			push_users(gr, at);
	}
	return true;
}

static void
commit(struct grouper *gr, uint32_t src, uint32_t sink)
{
	start_walk(gr);
	vec_push(&gr->todo, src);
	while (gr->todo.len) {
		uint32_t at = vec_pop(&gr->todo);

		if (at == sink)
			continue;
		merge(gr, at, sink);
		push_users(gr, at);
	}
}

/*
 * Would the group of SINK grow beyond the limit? The walk ends as soon as it
 * would, so its length is bounded by the limit.
 */
static bool
too_deep(struct grouper *gr, uint32_t src, uint32_t sink)
{
	uint32_t root = fuse_group_root(gr->groups, sink);
	uint64_t count = gr->groups[root].nnodes;

	start_walk(gr);
	vec_push(&gr->todo, src);
	while (gr->todo.len && count <= gr->limits->max_depth) {
		uint32_t at = vec_pop(&gr->todo);

		if (at == sink)
			continue;
		count += gr->groups[at].nnodes;
		push_users(gr, at);
	}
	return count > gr->limits->max_depth;
}

/* Extra arguments of a tensor with unknown sizes: sizes and strides. */
static uint32_t
dynamic_args(const ir_expr *e)
{
	const struct ir_tensor_type *t;
	uint32_t unknown = 0;

	if (ir_type_of(e)->kind != TYPE_TENSOR)
		return 0;
	t = ir_as_tensor_type(ir_type_of(e));
	for (uint32_t i = 0; i < t->ndim; i++)
		unknown += !ir_dim_is_const(t->shape[i]);
	return unknown ? unknown + t->ndim : 0;
}

static uint32_t
own_args(const ir_expr *e)
{
	uint32_t n = 0;

	if (e->kind != IR_CALL && e->kind != IR_TUPLE)
		return 0;
	for (uint32_t i = e->kind == IR_CALL; i < ir_num_operands(e); i++) {
		const ir_expr *arg = ir_operand(e, i);

		if (arg->kind == IR_VAR || arg->kind == IR_PROJ)
			n += 1 + dynamic_args(arg);
	}
	return n;
}

static bool
too_many_args(struct grouper *gr, uint32_t src, uint32_t sink)
{
	uint32_t outputs = 0;
	uint32_t a = fuse_group_root(gr->groups, src);
	uint32_t b = fuse_group_root(gr->groups, sink);

	if (gr->limits->max_args == 0)
		return false;
	for (struct fuse_edge *e = gr->g->nodes[src].outputs; e; e = e->next)
		outputs += 1 + dynamic_args(gr->g->nodes[src].expr);
	return outputs + gr->groups[a].nargs + gr->groups[b].nargs >
	       gr->limits->max_args;
}

static bool
up_to_broadcast(enum op_pattern p, bool is_sink)
{
	(void)is_sink;
	return p <= PAT_BROADCAST;
}

static bool
up_to_injective(enum op_pattern p, bool is_sink)
{
	(void)is_sink;
	return p <= PAT_INJECTIVE;
}

static bool
injective_or_heavy_sink(enum op_pattern p, bool is_sink)
{
	return p <= PAT_INJECTIVE ||
	       (is_sink && (p == PAT_COMM_REDUCE || p == PAT_OUT_ELEMWISE));
}

/* Phase 2: what feeds a tuple that was itself fused joins it. */
static bool
joins_fused_tuple(struct grouper *gr, uint32_t node, uint32_t sink)
{
	uint32_t root = fuse_group_root(gr->groups, sink);

	return gr->groups[node].pattern <= PAT_INJECTIVE &&
	       gr->groups[root].pattern != PAT_TUPLE &&
	       gr->groups[sink].pattern == PAT_TUPLE &&
	       gr->groups[root].pattern <= PAT_INJECTIVE &&
	       check_paths(gr, node, sink, up_to_injective);
}

static bool
joins(struct grouper *gr, uint32_t node, uint32_t sink, int phase)
{
	enum op_pattern own = gr->groups[node].pattern;
	enum op_pattern way = gr->g->nodes[node].tree_pattern;

	if (phase == 2)
		return joins_fused_tuple(gr, node, sink);
	if (fuse_group_root(gr->groups, node) ==
	    fuse_group_root(gr->groups, sink))
		return false;
	if (gr->groups[sink].pattern == PAT_TUPLE)
		return false;
	if (own == PAT_OUT_ELEMWISE)
		return phase == 0 && way == PAT_ELEMWISE &&
		       check_paths(gr, node, sink, up_to_broadcast);
	if (own <= PAT_BROADCAST)
		return (way <= PAT_INJECTIVE || way == PAT_COMM_REDUCE) &&
		       check_paths(gr, node, sink, injective_or_heavy_sink);
	if (own == PAT_INJECTIVE || own == PAT_TUPLE)
		return phase == 1 &&
		       check_paths(gr, node, sink, up_to_injective);
	return false;
}

static void
run_phase(struct grouper *gr, int phase)
{
	for (uint32_t i = 0; i < gr->g->n; i++) {
		uint32_t sink = gr->g->nodes[i].parent;

		if (gr->groups[i].pattern == PAT_OPAQUE || sink == FUSE_NONE)
			continue;
		if (too_deep(gr, i, sink) || too_many_args(gr, i, sink))
			continue;
		if (joins(gr, i, sink, phase) &&
		    (!gr->limits->cx || pass_may_rewrite(gr->limits->cx)))
			commit(gr, i, sink);
	}
}

struct fuse_group *
fuse_groups_build(const struct fuse_graph *g, const struct fuse_limits *limits,
		  struct arena *arena)
{
	struct grouper gr = {.g = g, .limits = limits};

	gr.groups = ARENA_NEW_ARRAY(arena, g->n, struct fuse_group);
	gr.visited = ARENA_NEW_ARRAY(arena, g->n, uint32_t);
	for (uint32_t i = 0; i < g->n; i++) {
		enum op_pattern p = g->nodes[i].pattern;

		gr.groups[i] = (struct fuse_group){
			.parent = i,
			.sink = i,
			.pattern = p,
			.has_anchor = p == PAT_OUT_ELEMWISE,
			.nnodes = 1,
			.nargs = limits->max_args ? own_args(g->nodes[i].expr)
						  : 0,
		};
	}
	for (int phase = 0; limits->opt_level > 0 && phase < 3; phase++)
		run_phase(&gr, phase);
	vec_free(&gr.todo);
	return gr.groups;
}

/* ------------------------------------------------------------- remarks -- */

static const char *
node_name(const struct fuse_graph *g, uint32_t i)
{
	const ir_op *op = ir_called_op(g->nodes[i].expr);

	if (op)
		return op->name;
	switch ((enum ir_kind)g->nodes[i].expr->kind) {
	case IR_TUPLE:
		return "a tuple";
	case IR_PROJ:
		return "a projection";
	default:
		return "a call of a function";
	}
}

/* Why node I, which has a post-dominator, is not in its group. */
static const char *
why_apart(struct grouper *gr, uint32_t i, struct buf *out)
{
	uint32_t sink = gr->g->nodes[i].parent;
	enum op_pattern own = gr->groups[i].pattern;
	enum op_pattern other =
		gr->groups[fuse_group_root(gr->groups, sink)].pattern;
	enum op_pattern way = gr->g->nodes[i].tree_pattern;
	const char *it = own == gr->g->nodes[i].pattern ? "it" : "its group";

	out->len = 0;
	if (gr->limits->opt_level == 0)
		return "at level 0 every operator is alone";
	if (own == PAT_OPAQUE)
		return "it is opaque";
	if (gr->groups[sink].pattern == PAT_TUPLE && own <= PAT_BROADCAST)
		return "a tuple is no kernel";
	if (other == PAT_OPAQUE)
		buf_printf(out, "'%s' is opaque", node_name(gr->g, sink));
	else if (too_deep(gr, i, sink))
		buf_printf(out, "the group would have more than %u operators",
			   gr->limits->max_depth);
	else if (too_many_args(gr, i, sink))
		buf_printf(out, "the kernel would have more than %u parameters",
			   gr->limits->max_args);
	else if (own == PAT_OUT_ELEMWISE && way != PAT_ELEMWISE)
		buf_printf(out,
			   "%s is output-fusable, and '%s' reads it in "
			   "another way than element by element",
			   it, node_name(gr->g, sink));
	else if (own == PAT_COMM_REDUCE)
		return "it is a reduction, which ends a group";
	else
		buf_printf(out,
			   "%s is of pattern %s, and '%s' or what lies "
			   "between of pattern %s",
			   it, ir_op_pattern_name(own), node_name(gr->g, sink),
			   ir_op_pattern_name(other > way ? other : way));
	return out->at;
}

/* Why node I, whose value leaves the data flow, ends its group; or NULL. */
static const char *
why_end(const struct grouper *gr, uint32_t i)
{
	const ir_expr *reader = gr->g->nodes[i].reader;

	if (gr->g->nodes[i].pattern == PAT_OPAQUE)
		return "it is opaque";
	if (!reader || reader->kind == IR_FUNCTION)
		return NULL;
	switch ((enum ir_kind)reader->kind) {
	case IR_LET:
		return "a let stands between it and what reads it";
	case IR_IF:
		return "a conditional reads it";
	case IR_MATCH:
		return "a match reads it";
	default:
		return "what reads it is no operator";
	}
}

static bool
is_operator(const struct fuse_graph *g, uint32_t i)
{
	return ir_called_op(g->nodes[i].expr) != NULL;
}

static void
remark_apart(struct grouper *gr, uint32_t i, struct buf *text)
{
	const ir_expr *e = gr->g->nodes[i].expr;
	uint32_t sink = gr->g->nodes[i].parent;

	if (!is_operator(gr->g, i) ||
	    (sink != FUSE_NONE && fuse_group_root(gr->groups, i) ==
					  fuse_group_root(gr->groups, sink)))
		return;
	if (sink != FUSE_NONE)
		pass_remark_missed(gr->limits->cx, e->loc,
				   "'%s' is not fused with '%s': %s",
				   node_name(gr->g, i), node_name(gr->g, sink),
				   why_apart(gr, i, text));
	else if (gr->g->nodes[i].outputs)
		pass_remark_missed(gr->limits->cx, e->loc,
				   "'%s' is not fused: no operator after it "
				   "needs all that is made of it",
				   node_name(gr->g, i));
	else if (why_end(gr, i))
		pass_remark_missed(gr->limits->cx, e->loc,
				   "'%s' is not fused with what follows: %s",
				   node_name(gr->g, i), why_end(gr, i));
}

/* One remark for each group of more than one operator, at its sink. */
static void
remark_groups(struct grouper *gr, struct buf *names)
{
	const struct fuse_graph *g = gr->g;

	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t root = fuse_group_root(gr->groups, i);
		uint32_t sink = gr->groups[root].sink;

		if (!is_operator(g, i))
			continue;
		buf_printf(&names[root], "%s%s", names[root].len ? ", " : "",
			   node_name(g, i));
		if (i == sink && strchr(names[root].at, ','))
			pass_remark(gr->limits->cx, g->nodes[i].expr->loc,
				    "fused: %s", names[root].at);
	}
}

void
fuse_groups_remark(const struct fuse_graph *g, const struct fuse_limits *limits,
		   struct fuse_group *groups)
{
	struct grouper gr = {.g = g, .limits = limits, .groups = groups};
	struct buf *names = xcalloc(g->n + 1, sizeof(*names));
	struct buf text = {0};

	gr.visited = xcalloc(g->n + 1, sizeof(*gr.visited));
	remark_groups(&gr, names);
	for (uint32_t i = 0; i < g->n; i++) {
		remark_apart(&gr, i, &text);
		buf_free(&names[i]);
	}
	free(names);
	free(gr.visited);
	vec_free(&gr.todo);
	buf_free(&text);
}
