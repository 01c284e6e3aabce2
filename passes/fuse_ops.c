/*
 * fuse-ops: group operators into primitive functions, one per kernel.
 *
 *     %0 = nn.conv2d(%x, %w);            %1 = fn (%p0, %p1, Primitive=1) {
 *     nn.relu(%0)                          %0 = nn.conv2d(%p0, %p1);
 *                               becomes     nn.relu(%0)
 *                                         };
 *                                         %1(%x, %w)
 *
 * Each operator has a pattern: element-wise, broadcast, injective, reduction,
 * output-fusable (convolutions and the like), opaque. A node may be merged
 * with its immediate post-dominator P, and all nodes between the two with it:
 *
 *   output-fusable  if P is reached by element-wise edges only and all on the
 *                   way is at most broadcast;
 *   broadcast       if the way is injective at most, or P is a reduction or
 *                   output-fusable group;
 *   injective       if all on the way is injective (phase 1, so that heavy
 *                   operators have found their tails before);
 *
 * and in phase 2 the producers of a tuple that was merged itself join it. Two
 * output-fusable operators never share a group.
 *
 * Parameters are named p0, p1, ... in the order in which the operators of the
 * group, taken in post-order, first need them. annotation.stop_fusion keeps
 * its neighbours apart and vanishes.
 *
 * Level: function. Needs: types. Lets and branches are never crossed.
 */
#include "passes/pass.h"

#include <stdlib.h>
#include <string.h>

#include "passes/fuse_graph.h"
#include "passes/fuse_groups.h"

/* From so many parameters on they are found by an index. */
enum { first_indexed = 16 };

/* The parameters of a primitive function and what is passed for them. */
struct group_info {
	const struct ir_var **params;
	const ir_expr **args;
	uint32_t n;
	uint32_t cap;
	struct ir_map index; /* argument -> parameter */
};

struct fuser {
	ir_module *m;
	struct fuse_graph graph;
	struct fuse_group *groups;
	struct group_info **info; /* by root of the group, on demand */
	struct arena *arena;
	const ir_dict *primitive[2][2]; /* attributes: has call, reshapes */
	bool link_params;
};

static uint32_t
group_of(struct fuser *f, const ir_expr *e)
{
	uint32_t i = fuse_graph_index(&f->graph, e);

	return i == FUSE_NONE ? FUSE_NONE : fuse_group_root(f->groups, i);
}

static bool
is_sink(struct fuser *f, const ir_expr *e)
{
	uint32_t root = group_of(f, e);

	return f->graph.nodes[f->groups[root].sink].expr == e;
}

static struct group_info *
info_of(struct fuser *f, uint32_t group)
{
	if (!f->info[group])
		f->info[group] = ARENA_NEW(f->arena, struct group_info);
	return f->info[group];
}

static const struct ir_var *
find_param(const struct group_info *info, const ir_expr *arg)
{
	if (info->n >= first_indexed)
		return ir_map_get(&info->index, arg);
	for (uint32_t i = 0; i < info->n; i++)
		if (info->args[i] == arg)
			return info->params[i];
	return NULL;
}

static void
grow(struct group_info *info, struct arena *a)
{
	uint32_t cap = info->cap ? info->cap * 2 : 2;
	const struct ir_var **params =
		ARENA_NEW_ARRAY(a, cap, const struct ir_var *);
	const ir_expr **args = ARENA_NEW_ARRAY(a, cap, const ir_expr *);

	if (info->n) {
		memcpy(params, info->params, info->n * sizeof(*params));
		memcpy(args, info->args, info->n * sizeof(*args));
	}
	info->params = params;
	info->args = args;
	info->cap = cap;
}

static void
add_param(struct group_info *info, const struct ir_var *param,
	  const ir_expr *arg, struct arena *a)
{
	if (info->n == info->cap)
		grow(info, a);
	info->params[info->n] = param;
	info->args[info->n++] = arg;
	if (info->n == first_indexed)
		for (uint32_t i = 0; i < info->n; i++)
			ir_map_put(&info->index, info->args[i],
				   info->params[i]);
	else if (info->n > first_indexed)
		ir_map_put(&info->index, arg, param);
}

/* The parameter of GROUP that stands for VALUE, which was OLD before. */
static const ir_expr *
param_for(struct fuser *f, uint32_t group, const ir_expr *value,
	  const ir_expr *old)
{
	struct group_info *info = info_of(f, group);
	const struct ir_var *v = find_param(info, value);

	if (!v) {
		v = ir_as_var(ir_new_var(f->m, LOC_NONE,
					 ir_namef(f->m->cx, "p%u", info->n),
					 ir_type_of(old)));
		add_param(info, v, value, f->arena);
	}
	return ir_var_expr(v);
}

/*
 * E, whose operands have been rewritten, as a node inside its group: operands
 * of other groups are parameters. Operands before FIRST stay.
 */
static const ir_expr *
inside_group(struct fuser *f, const ir_expr *e, const ir_expr *old,
	     uint32_t first)
{
	uint32_t group = group_of(f, old);
	uint32_t n = ir_num_operands(old);
	const ir_expr **ops = xcalloc(n, sizeof(*ops));
	const ir_expr *out;

	for (uint32_t i = 0; i < n; i++) {
		const ir_expr *was = ir_operand(old, i);

		ops[i] = ir_operand(e, i);
		if (i < first || group_of(f, was) == group)
			continue;
		if (f->link_params && ops[i]->kind == IR_CONSTANT)
			continue;
		ops[i] = param_for(f, group, ops[i], was);
	}
	out = ir_with_operands(f->m, e, ops, true);
	free(ops);
	return out;
}

struct content {
	bool has_call;
	bool reshape_only;
};

static bool
look_at(const ir_expr *e, void *env)
{
	struct content *c = env;

	if (e->kind == IR_CALL) {
		const ir_op *op = ir_called_op(e);

		c->has_call = true;
		c->reshape_only &= op && (op->traits & OP_TRAIT_RESHAPE);
	} else if (e->kind == IR_VAR) {
		const ir_type *t = ir_as_var(e)->annotation;

		c->reshape_only &= t && t->kind == TYPE_TENSOR;
	} else if (e->kind == IR_TUPLE) {
		/* What comes of it may be something beside the reshape. */
		c->reshape_only = false;
	}
	return true;
}

/* The attributes of a primitive function; made once for each kind. */
static const ir_dict *
attributes(struct fuser *f, const struct content *c)
{
	bool reshapes = c->has_call && c->reshape_only;
	const ir_dict **d = &f->primitive[c->has_call][reshapes];
	ir_context *cx = f->m->cx;

	if (!*d) {
		*d = ir_dict_with(cx, NULL, ir_name(cx, "Primitive"),
				  ATTR_INT32(c->has_call));
		if (reshapes)
			*d = ir_dict_with(cx, *d,
					  ir_name(cx, "relay.reshape_only"),
					  ATTR_INT32(1));
	}
	return *d;
}

/* A call of a new primitive function with BODY, the sink of GROUP. */
static const ir_expr *
make_kernel_call(struct fuser *f, uint32_t group, const ir_expr *body,
		 const ir_expr *old)
{
	struct group_info *info = info_of(f, group);
	struct content c = {.reshape_only = true};
	struct ir_function_parts parts = {
		.params = info->params,
		.nparams = info->n,
		.ret_type = ir_type_of(old),
		.body = body,
	};
	const ir_expr *fn;

	ir_walk(body, look_at, NULL, &c);
	parts.attrs = attributes(f, &c);
	fn = ir_new_function(f->m, LOC_NONE, &parts);
	ir_map_free(&info->index);
	return ir_new_call(f->m, old->loc, fn, info->args, info->n, NULL);
}

static const ir_expr *
fuse_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct fuser *f = env;
	const ir_op *op = ir_called_op(old);
	const ir_expr *body;

	if (!op || (op->traits & OP_TRAIT_NON_COMPUTATIONAL &&
		    strncmp(op->name, "qnn.", 4) != 0))
		return e;
	if (op->id == OP_annotation_stop_fusion)
		return ir_as_call(e)->args[0];
	body = inside_group(f, e, old, 1);
	if (!is_sink(f, old))
		return body;
	return make_kernel_call(f, group_of(f, old), body, old);
}

static const ir_expr *
fuse_tuple(const ir_expr *e, const ir_expr *old, void *env)
{
	struct fuser *f = env;

	return is_sink(f, old) ? e : inside_group(f, e, old, 0);
}

static const ir_expr *
fuse_proj(const ir_expr *e, const ir_expr *old, void *env)
{
	struct fuser *f = env;
	uint32_t group = group_of(f, old);
	bool alone = group_of(f, ir_as_proj(old)->tuple) != group;

	if (is_sink(f, old) && alone)
		return e;
	e = inside_group(f, e, old, 0);
	return is_sink(f, old) ? make_kernel_call(f, group, e, old) : e;
}

static bool
enter(const ir_expr *e, void *env)
{
	(void)env;
	return !ir_is_primitive(e) &&
	       !(e->kind == IR_FUNCTION &&
		 ir_dict_get(ir_as_function(e)->attrs, "Compiler"));
}

static const struct ir_rules rules = {
	.on =
		{
			[IR_CALL] = fuse_call,
			[IR_TUPLE] = fuse_tuple,
			[IR_PROJ] = fuse_proj,
		},
	.enter = enter,
};

static struct fuse_limits
read_limits(pass_ctx *cx)
{
	struct fuse_limits l = {.cx = cx};
	int64_t level = pass_option_int(cx, "fuse-opt-level");

	if (level < -1 || level > 4)
		pass_error(cx, LOC_NONE,
			   "option 'fuse-opt-level': -1 to 4, not '%s'",
			   pass_option(cx, "fuse-opt-level"));
	l.opt_level = level < 0 ? pass_opt_level(cx) : (int)level;
	l.max_depth = (uint32_t)pass_option_int(cx, "max-depth");
	l.max_args = (uint32_t)pass_option_int(cx, "max-function-args");
	return l;
}

const struct ir_function *
pass_fuse_ops(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct fuser f = {.m = cx->module,
			  .link_params = pass_option_bool(cx, "link-params")};
	struct fuse_limits limits = read_limits(cx);
	const ir_expr *out;

	(void)def;
	if (cx->failed || !fn->body || ir_is_primitive(&fn->base))
		return fn;
	fuse_graph_build(&f.graph, fn, cx->scratch);
	f.groups = fuse_groups_build(&f.graph, &limits, cx->scratch);
	if (pass_wants_missed_remarks(cx))
		fuse_groups_remark(&f.graph, &limits, f.groups);
	f.arena = cx->scratch;
	f.info = ARENA_NEW_ARRAY(f.arena, f.graph.n, struct group_info *);
	out = ir_rewrite(f.m, &fn->base, &rules, &f);
	fuse_graph_free(&f.graph);
	return ir_as_function(out);
}
