#include "passes/combine/combine.h"

#include <string.h>

#include "passes/replace.h"

/* The calls that use a node, in order; once for each use. */
struct users {
	const struct ir_call **at;
	uint32_t n;
	uint32_t cap;
};

struct finder {
	struct combine *c;
	struct arena *a;
	ir_expr_vec nodes;      /* in post-order */
	struct ir_map position; /* of nodes, + 1 */
	struct ir_map scopes;   /* of candidates, + 1 */
	struct ir_map users;
	struct ir_map uses; /* how many, of any kind */
	struct ir_map seen_roots;
	ir_expr_vec roots;
	VEC(struct branch_group) groups;
	uint32_t *rank; /* by position; see below */
};

#define NEVER UINT32_MAX

const struct ir_tensor_type *
combine_tensor(const ir_expr *e)
{
	if (!e->type || e->type->kind != TYPE_TENSOR)
		return NULL;
	return ir_as_tensor_type(e->type);
}

bool
combine_same_shape(const struct ir_tensor_type *a,
		   const struct ir_tensor_type *b, int64_t except)
{
	if (!a || !b || a->ndim != b->ndim || !dtype_equal(a->dtype, b->dtype))
		return false;
	for (uint32_t i = 0; i < a->ndim; i++) {
		if (i == except)
			continue;
		if (!ir_dim_is_const(a->shape[i]) ||
		    !ir_dim_is_const(b->shape[i]) ||
		    a->shape[i].value != b->shape[i].value)
			return false;
	}
	return true;
}

static uint32_t
position_of(const struct finder *f, const ir_expr *e)
{
	return (uint32_t)(uintptr_t)ir_map_get(&f->position, e) - 1;
}

static uint32_t
uses_of(const struct finder *f, const ir_expr *e)
{
	return (uint32_t)(uintptr_t)ir_map_get(&f->uses, e);
}

/* All operands and the result are tensors of known shape. */
static bool
is_static(const ir_expr *e)
{
	const struct ir_tensor_type *t = combine_tensor(e);

	if (!t || !ir_shape_is_static(t))
		return false;
	for (uint32_t i = 0; i < ir_as_call(e)->nargs; i++) {
		t = combine_tensor(ir_as_call(e)->args[i]);
		if (!t || !ir_shape_is_static(t))
			return false;
	}
	return true;
}

static bool
is_candidate(const struct finder *f, const ir_expr *e)
{
	const struct combine *c = f->c;

	return ir_is_call_of(e, c->op) && ir_as_call(e)->nargs > 0 &&
	       is_static(e) &&
	       (!c->kind->supported || c->kind->supported(c, ir_as_call(e)));
}

static void
add_user(struct finder *f, const ir_expr *e, const struct ir_call *user)
{
	struct users *u = ir_map_get(&f->users, e);

	if (!u) {
		u = arena_alloc(f->a, sizeof(*u));
		ir_map_put(&f->users, e, u);
	}
	if (u->n == u->cap) {
		const struct ir_call **old = u->at;

		u->cap = u->cap ? 2 * u->cap : 2;
		u->at = arena_alloc(f->a, u->cap * sizeof(*u->at));
		if (u->n)
			memcpy(u->at, old, u->n * sizeof(*u->at));
	}
	u->at[u->n++] = user;
}

static void
meet(struct finder *f, const ir_expr *e, uint32_t scope)
{
	const struct ir_call *call;

	vec_push(&f->nodes, e);
	ir_map_put(&f->position, e, (void *)(uintptr_t)f->nodes.len);
	for (uint32_t i = 0; i < ir_num_operands(e); i++) {
		const ir_expr *x = ir_operand(e, i);

		ir_map_put(&f->uses, x,
			   (void *)((uintptr_t)ir_map_get(&f->uses, x) + 1));
	}
	if (e->kind != IR_CALL)
		return;
	call = ir_as_call(e);
	if (!is_candidate(f, e)) {
		for (uint32_t i = 0; i < call->nargs; i++)
			add_user(f, call->args[i], call);
		return;
	}
	ir_map_put(&f->scopes, e, (void *)((uintptr_t)scope + 1));
	if (!ir_map_get(&f->seen_roots, call->args[0])) {
		ir_map_put(&f->seen_roots, call->args[0], call);
		vec_push(&f->roots, call->args[0]);
	}
	add_user(f, call->args[0], call);
}

struct visit {
	const ir_expr *e;
	uint32_t next;
	uint32_t scope;
};

static bool
opens_scope(const ir_expr *e, uint32_t operand)
{
	return e->kind == IR_FUNCTION ||
	       ((e->kind == IR_IF || e->kind == IR_MATCH) && operand > 0);
}

/* Post-order with scopes; primitive functions are not entered. */
static void
find_users(struct finder *f, const struct ir_function *fn)
{
	VEC(struct visit) stack = {0};
	struct ir_set seen = {0};
	uint32_t nscopes = 0;

	vec_push(&stack, ((struct visit){&fn->base, 0, 0}));
	while (stack.len > 0) {
		struct visit *v = &vec_last(&stack);
		uint32_t n = ir_is_primitive(v->e) ? 0 : ir_num_operands(v->e);
		const ir_expr *x;
		uint32_t scope;

		if (v->next == n) {
			struct visit done = vec_pop(&stack);

			meet(f, done.e, done.scope);
			continue;
		}
		scope = opens_scope(v->e, v->next) ? ++nscopes : v->scope;
		x = ir_operand(v->e, v->next++);
		if (ir_set_add(&seen, x))
			vec_push(&stack, ((struct visit){x, 0, scope}));
	}
	vec_free(&stack);
	ir_set_free(&seen);
}

/* ATTRS say how large the result is, so that a wider one needs others. */
static bool
fixes_shape(const ir_attrs *attrs)
{
	static const char *const fields[] = {"shape", "newshape", "reps",
					     "repeats"};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (ir_attrs_get(attrs, fields[i]))
			return true;
	return false;
}

static struct branch
new_branch(struct finder *f, const struct ir_call *head)
{
	VEC(const struct ir_call *) calls = {0};
	const struct users *u;
	struct branch b;

	vec_push(&calls, head);
	while ((u = ir_map_get(&f->users, &vec_last(&calls)->base)) &&
	       u->n == 1 && uses_of(f, &vec_last(&calls)->base) == 1) {
		const ir_op *op = ir_called_op(&u->at[0]->base);

		if (!op || op->pattern > PAT_BROADCAST ||
		    !is_static(&u->at[0]->base) || fixes_shape(u->at[0]->attrs))
			break;
		vec_push(&calls, u->at[0]);
	}
	b.n = (uint32_t)calls.len;
	b.at = arena_alloc(f->a, calls.len * sizeof(*b.at));
	memcpy(b.at, calls.at, calls.len * sizeof(*b.at));
	b.position = position_of(f, &head->base);
	vec_free(&calls);
	return b;
}

static void
add_branch(struct finder *f, struct branch_group *g, struct branch b)
{
	if (g->n == g->cap) {
		struct branch *old = g->at;

		g->cap = g->cap ? 2 * g->cap : 4;
		g->at = arena_alloc(f->a, g->cap * sizeof(*g->at));
		if (g->n)
			memcpy(g->at, old, g->n * sizeof(*g->at));
	}
	g->at[g->n++] = b;
}

/*
 * Put the candidates that start from ROOT into groups. A root has few kinds
 * of candidates, so that looking through its groups is no search in a list
 * that grows with the graph; the bound is for input that has many.
 */
static void
group_root(struct finder *f, const ir_expr *root)
{
	enum { MAX_GROUPS = 64 };
	const struct users *u = ir_map_get(&f->users, root);
	const struct combine *c = f->c;
	size_t first = f->groups.len;

	for (uint32_t i = 0; i < u->n; i++) {
		const struct ir_call *call = u->at[i];
		void *scope = ir_map_get(&f->scopes, &call->base);
		size_t g = first;

		if (!scope || call->args[0] != root)
			continue;
		while (g < f->groups.len &&
		       (f->groups.at[g].scope != (uintptr_t)scope ||
			!c->kind->fits(c, call, f->groups.at[g].at[0].at[0])))
			g++;
		if (g - first == MAX_GROUPS)
			continue;
		if (g == f->groups.len)
			vec_push(&f->groups,
				 ((struct branch_group){
					 .scope = (uint32_t)(uintptr_t)scope}));
		add_branch(f, &f->groups.at[g], new_branch(f, call));
	}
}

/*
 * The rank of a node is the position of the last node of a branch that it
 * depends on, + 1; 0 is none. Variables of lets and patterns are visible in
 * some places only, and rank as NEVER.
 *
 * The call that replaces a group whose first operator has position P may use
 * operands of rank <= P: what uses the group's results has a higher rank, so
 * no cycle can arise, through other groups either.
 */
static void
compute_ranks(struct finder *f, const struct ir_set *in_branch,
	      const struct ir_set *params)
{
	f->rank = xcalloc(f->nodes.len, sizeof(*f->rank));
	for (uint32_t i = 0; i < f->nodes.len; i++) {
		const ir_expr *e = f->nodes.at[i];
		uint32_t rank = 0;

		for (uint32_t k = 0; k < ir_num_operands(e); k++) {
			const ir_expr *x = ir_operand(e, k);
			uint32_t r = ir_map_get(&f->position, x)
					     ? f->rank[position_of(f, x)]
					     : NEVER;

			rank = r > rank ? r : rank;
		}
		if (ir_set_has(in_branch, e) && rank != NEVER)
			rank = i + 1;
		if (e->kind == IR_VAR && !ir_set_has(params, e))
			rank = NEVER;
		f->rank[i] = rank;
	}
}

static void
rank_nodes(struct finder *f, uint32_t min)
{
	struct ir_set in_branch = {0};
	struct ir_set params = {0};

	for (size_t i = 0; i < f->groups.len; i++) {
		const struct branch_group *g = &f->groups.at[i];

		for (uint32_t k = 0; g->n >= min && k < g->n; k++)
			for (uint32_t j = 0; j < g->at[k].n; j++)
				ir_set_add(&in_branch, &g->at[k].at[j]->base);
	}
	for (size_t i = 0; i < f->nodes.len; i++) {
		const ir_expr *e = f->nodes.at[i];
		const struct ir_function *fn;

		if (e->kind != IR_FUNCTION)
			continue;
		fn = ir_as_function(e);
		for (uint32_t k = 0; k < fn->nparams; k++)
			ir_set_add(&params, &fn->params[k]->base);
	}
	compute_ranks(f, &in_branch, &params);
	ir_set_free(&in_branch);
	ir_set_free(&params);
}

static bool
usable(const struct finder *f, const ir_expr *e, uint32_t first)
{
	return f->rank[position_of(f, e)] <= first;
}

/* Drop branches whose operator needs what another branch computes. */
static void
drop_dependent(const struct finder *f, struct branch_group *g)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < g->n; k++) {
		const struct ir_call *head = g->at[k].at[0];
		bool ok = true;

		for (uint32_t i = 1; i < head->nargs; i++)
			ok &= usable(f, head->args[i], g->at[0].position);
		if (ok)
			g->at[n++] = g->at[k];
	}
	g->n = n;
}

static uint32_t
chained_arg(const struct branch *b, uint32_t depth)
{
	const struct ir_call *call = b->at[depth];
	uint32_t i = 0;

	while (call->args[i] != &b->at[depth - 1]->base)
		i++;
	return i;
}

/* All branches of G do the same at DEPTH. */
static bool
level_fits(const struct finder *f, const struct branch_group *g, uint32_t depth,
	   uint32_t parent)
{
	const struct combine *c = f->c;
	const struct ir_call *a = g->at[0].at[depth];

	for (uint32_t k = 0; k < g->n; k++) {
		const struct ir_call *b = g->at[k].at[depth];

		if (b->callee != a->callee || b->attrs != a->attrs ||
		    b->nargs != a->nargs ||
		    chained_arg(&g->at[k], depth) != parent)
			return false;
		for (uint32_t i = 0; i < b->nargs; i++)
			if (i != parent &&
			    (!usable(f, b->args[i], g->at[0].position) ||
			     !c->kind->arg_fits(c, a, b, i)))
				return false;
	}
	return !c->kind->follows || c->kind->follows(c, g, depth);
}

static const ir_expr *
join_level(struct combine *c, const struct branch_group *g, uint32_t depth,
	   uint32_t parent, const ir_expr *all)
{
	const struct ir_call *call = g->at[0].at[depth];
	const ir_expr **args = xcalloc(call->nargs, sizeof(const ir_expr *));
	const ir_expr *e;

	for (uint32_t i = 0; i < call->nargs; i++)
		args[i] = i == parent
				  ? all
				  : c->kind->join_args(c, g, depth, parent, i);
	e = ir_new_call(c->b.m, call->base.loc, call->callee, args, call->nargs,
			call->attrs);
	free(args);
	return e;
}

static void
combine_group(struct finder *f, const struct branch_group *g,
	      struct ir_map *with)
{
	struct combine *c = f->c;
	const ir_expr **parts;
	uint32_t levels = g->at[0].n;
	uint32_t depth;
	const ir_expr *all;

	if (!pass_may_rewrite(c->cx))
		return;
	parts = xcalloc(g->n, sizeof(const ir_expr *));
	c->b.loc = g->at[0].at[0]->base.loc;
	all = c->kind->join(c, g);
	for (uint32_t k = 1; k < g->n; k++)
		levels = g->at[k].n < levels ? g->at[k].n : levels;
	for (depth = 1; depth < levels; depth++) {
		uint32_t parent = chained_arg(&g->at[0], depth);

		if (!level_fits(f, g, depth, parent))
			break;
		all = join_level(c, g, depth, parent, all);
	}
	c->kind->cut(c, g, depth - 1, all, parts);
	for (uint32_t k = 0; k < g->n; k++)
		ir_map_put(with, &g->at[k].at[depth - 1]->base, parts[k]);
	pass_count(c->cx, "calls combined", g->n);
	free(parts);
}

static void
finder_free(struct finder *f)
{
	vec_free(&f->nodes);
	vec_free(&f->roots);
	vec_free(&f->groups);
	ir_map_free(&f->position);
	ir_map_free(&f->scopes);
	ir_map_free(&f->users);
	ir_map_free(&f->uses);
	ir_map_free(&f->seen_roots);
	free(f->rank);
}

const struct ir_function *
combine_parallel(struct combine *c, const struct ir_function *fn)
{
	struct finder f = {.c = c, .a = c->cx->scratch};
	int64_t option = pass_option_int(c->cx, "min-num-branches");
	uint32_t min = option < 2 ? 2 : (uint32_t)option;
	struct ir_map with = {0};
	const ir_expr *result;

	c->b.m = c->cx->module;
	find_users(&f, fn);
	for (size_t i = 0; i < f.roots.len; i++)
		group_root(&f, f.roots.at[i]);
	rank_nodes(&f, min);
	for (size_t i = 0; i < f.groups.len; i++) {
		struct branch_group *g = &f.groups.at[i];

		if (g->n >= min)
			drop_dependent(&f, g);
		if (g->n >= min)
			combine_group(&f, g, &with);
	}
	result = replace_nodes(c->b.m, &fn->base, &with);
	ir_map_free(&with);
	finder_free(&f);
	return ir_as_function(result);
}
