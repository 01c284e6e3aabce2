/*
 * merge-composite: make what fits a pattern one function with the pattern's
 * name.
 *
 *     pattern "dnnl.dense_relu" { nn.relu(nn.dense(%x, %w)) }
 *
 *     %0 = nn.dense(%a, %b); nn.relu(%0)
 *                                           becomes
 *     %1 = fn (%FunctionVar_0_0, %FunctionVar_0_1,
 *              PartitionedFromPattern="nn.dense_nn.relu_",
 *              Composite="dnnl.dense_relu") { .. };
 *     %1(%a, %b)
 *
 * Patterns (docs/rewrites.md) are taken in the order of the file, each over
 * the whole function, from the results backwards, so that the largest match
 * wins. A value inside a match that something outside uses prevents it, but
 * for users that lead nowhere but back to the result of the match: they get a
 * copy. A node belongs to one composite only.
 *
 * The literal's parameters are what the pattern ends at, in its order.
 * Constants that the pattern speaks of are inside; functions that it calls
 * stay what they are.
 *
 * Level: function. Needs: types.
 */
#include <string.h>

#include "passes/byoc/regions.h"
#include "passes/fuse_graph.h"
#include "passes/rewrite/rw_fn.h"
#include "support/buf.h"
#include "te/interp.h"

struct patterns {
	struct source source;
	struct rw_file file;
	bool ok;
};

/* A match: what it takes in, and what it consists of. */
struct group {
	const struct rw_rule *rule;
	uint32_t id;
	ir_expr_vec inputs;
	struct ir_map inside; /* node of the match -> its root */
	struct ir_map params; /* input -> parameter */
	struct ir_set local;  /* nodes of functions inside, and their like */
};

struct composer {
	pass_ctx *cx;
	ir_module *m;
	struct rw_env env;
	struct rw_match match;
	struct ir_map uses;
	const struct ir_function *fn; /* what is worked on */
	struct fuse_graph graph;      /* of it, once it is asked for */
	bool has_graph;
	struct ir_set taken;  /* nodes of groups */
	struct ir_map groups; /* root -> group */
	VEC(struct group *) all;
	uint32_t *next_id; /* of composites, in the module */
	struct group *current;
};

static bool
is_sealed(const ir_expr *e)
{
	return e->kind == IR_FUNCTION &&
	       (ir_is_primitive(e) ||
		ir_dict_get(ir_as_function(e)->attrs, "Composite"));
}

static bool
enter(const ir_expr *e, void *env)
{
	(void)env;
	return !is_sealed(e);
}

static void
append(const ir_expr *e, void *env)
{
	ir_expr_vec *nodes = env;

	vec_push(nodes, e);
}

/* All users of E outside of the match lead to its root and nowhere else. */
static bool
comes_back(struct composer *c, const struct rw_match *m, const ir_expr *e)
{
	const struct fuse_graph *g = &c->graph;
	uint32_t root = fuse_graph_index(g, m->root);
	uint32_t at = fuse_graph_index(g, e);

	if (root == FUSE_NONE || at == FUSE_NONE || g->nodes[at].external)
		return false;
	for (struct fuse_edge *o = g->nodes[at].outputs; o; o = o->next)
		if (!rw_match_has(m, g->nodes[o->user].expr) &&
		    !fuse_graph_post_dominates(g, root, o->user))
			return false;
	return true;
}

static bool
all_come_back(struct composer *c, const struct rw_match *m)
{
	if (!c->has_graph)
		fuse_graph_build(&c->graph, c->fn, c->cx->scratch);
	c->has_graph = true;
	for (size_t i = 0; i < m->inner.len; i++) {
		const ir_expr *e = m->inner.at[i];

		if (e != m->root && e->kind != IR_FUNCTION &&
		    !comes_back(c, m, e))
			return false;
	}
	return true;
}

static bool
accept(struct rw_match *m, void *env)
{
	struct composer *c = env;

	if (!m->rule->shared && !rw_match_is_private(m, &c->uses) &&
	    !all_come_back(c, m))
		return false;
	for (size_t i = 0; i < m->inner.len; i++)
		if (ir_set_has(&c->taken, m->inner.at[i]))
			return false;
	c->env.match = m;
	return !m->rule->when || rw_holds(&c->env, m->rule->when);
}

static void
add_binder(const struct ir_var *v, void *env)
{
	struct composer *c = env;

	(void)ir_set_add(&c->current->local, &v->base);
}

/* Variables that are not bound inside may be inputs all the same. */
static void
add_local(const ir_expr *e, void *env)
{
	struct composer *c = env;

	ir_binders(e, add_binder, c);
	if (e->kind == IR_VAR)
		return;
	(void)ir_set_add(&c->current->local, e);
	(void)ir_set_add(&c->taken, e);
}

/* What functions and lets of the match bind and hold is no input. */
static void
find_local(struct composer *c)
{
	const struct rw_match *m = &c->match;

	for (size_t i = 0; i < m->inner.len; i++) {
		const ir_expr *e = m->inner.at[i];

		if (e->kind == IR_FUNCTION)
			ir_walk(e, NULL, add_local, c);
		ir_binders(e, add_binder, c);
	}
	for (size_t i = 0; i < m->leaves.len; i++)
		if (m->leaves.at[i].e->kind == IR_FUNCTION)
			ir_walk(m->leaves.at[i].e, NULL, add_local, c);
}

static bool
stays(const struct group *g, const ir_expr *e)
{
	return e->kind == IR_OP || e->kind == IR_CTOR || e->kind == IR_GLOBAL ||
	       e->kind == IR_FUNCTION || ir_set_has(&g->local, e);
}

static void
add_input(struct composer *c, struct group *g, const ir_expr *e)
{
	const ir_expr *v;

	if (ir_map_get(&g->params, e) || ir_map_get(&g->inside, e) ||
	    stays(g, e))
		return;
	v = ir_new_var(
		c->m, e->loc,
		ir_namef(c->m->cx, "FunctionVar_%u_%zu", g->id, g->inputs.len),
		e->type);
	vec_push(&g->inputs, e);
	ir_map_put(&g->params, e, v);
}

/* What the pattern ends at, but for constants that it asks for. */
static void
find_inputs(struct composer *c, struct group *g)
{
	const struct rw_match *m = &c->match;

	for (size_t i = 0; i < m->leaves.len; i++) {
		const struct rw_leaf *leaf = &m->leaves.at[i];
		const ir_expr *e = leaf->e;

		switch (leaf->p->kind) {
		case RW_ANY_TUPLE:
			for (uint32_t k = 0; k < ir_as_tuple(e)->nfields; k++)
				add_input(c, g, ir_as_tuple(e)->fields[k]);
			ir_map_put(&g->inside, e, m->root);
			break;
		case RW_CONST:
		case RW_NUMBER:
			break;
		default:
			add_input(c, g, e);
		}
	}
}

static uint32_t
group_count(const ir_expr *e, void *env)
{
	const struct group *g = ((struct composer *)env)->current;

	return ir_map_get(&g->inside, e) && !stays(g, e) ? ir_num_operands(e)
							 : 0;
}

static const ir_expr *
any_operand(const ir_expr *e, uint32_t i, void *env)
{
	(void)env;
	return ir_operand(e, i);
}

/* Nodes beside a path are inputs that no leaf has told of. */
static const ir_expr *
group_finish(const ir_expr *e, const ir_expr *const *now, void *env)
{
	struct composer *c = env;
	struct group *g = c->current;

	if (stays(g, e))
		return e;
	if (ir_map_get(&g->inside, e))
		return ir_with_operands(c->m, e, now, true);
	if (e->kind == IR_CONSTANT && !ir_map_get(&g->params, e))
		return e;
	add_input(c, g, e);
	return ir_map_get(&g->params, e);
}

static void
put_name(struct buf *out, const ir_expr *e)
{
	const ir_op *op = ir_called_op(e);

	switch ((enum ir_kind)e->kind) {
	case IR_CALL:
		buf_printf(out, "%s_", op ? op->name : "Call");
		break;
	case IR_TUPLE:
		buf_puts(out, "Tuple_");
		break;
	case IR_PROJ:
		buf_printf(out, "TupleGetItem%u_", ir_as_proj(e)->index);
		break;
	case IR_FUNCTION:
		buf_puts(out, "Function");
		break;
	case IR_LET:
		buf_puts(out, "Let_");
		break;
	case IR_IF:
		buf_puts(out, "If_");
		break;
	case IR_MATCH:
		buf_puts(out, "Match_");
		break;
	default:
		break;
	}
}

/* What BODY is made of, operands first, in TVM's words. */
static const char *
names_of(struct composer *c, const ir_expr *body)
{
	ir_expr_vec nodes = {0};
	struct buf text = {0};
	const char *name;

	ir_postorder(body, &nodes);
	for (size_t i = 0; i < nodes.len; i++)
		put_name(&text, nodes.at[i]);
	name = ir_name_n(c->m->cx, text.at, text.len);
	vec_free(&nodes);
	buf_free(&text);
	return name;
}

/* The literal for the match that was just made. */
static const ir_expr *
literal_of(struct composer *c, struct group *g)
{
	ir_context *cx = c->m->cx;
	const ir_expr *root = c->match.root;
	struct region_walk w = {
		.count = group_count,
		.operand = any_operand,
		.finish = group_finish,
		.env = c,
	};
	const ir_expr *body;
	const struct ir_var **params;
	const ir_type **types;
	const ir_expr *fn;
	struct ir_function_parts parts = {0};
	uint32_t n;

	c->current = g;
	find_local(c);
	find_inputs(c, g);
	body = region_rewrite(&w, root);
	region_walk_free(&w);
	n = (uint32_t)g->inputs.len;
	params = ARENA_NEW_ARRAY(c->cx->scratch, n, const struct ir_var *);
	types = ARENA_NEW_ARRAY(c->cx->scratch, n, const ir_type *);
	for (uint32_t i = 0; i < n; i++) {
		params[i] = ir_as_var(ir_map_get(&g->params, g->inputs.at[i]));
		types[i] = g->inputs.at[i]->type;
	}
	parts.params = params;
	parts.nparams = n;
	parts.ret_type = root->type;
	parts.body = body;
	parts.attrs = ir_dict_with(cx, NULL, "PartitionedFromPattern",
				   ATTR_STR(names_of(c, body)));
	parts.attrs = ir_dict_with(cx, parts.attrs, "Composite",
				   ATTR_STR(g->rule->name));
	fn = ir_new_function(c->m, root->loc, &parts);
	ir_set_type(fn, ir_type_func(cx, types, n, root->type, NULL, 0));
	return fn;
}

struct finished {
	struct group group;
	const ir_expr *literal;
};

static void
try_at(struct composer *c, const struct rw_rule *rule, const ir_expr *e)
{
	struct finished *f;

	if (!e->type || ir_set_has(&c->taken, e))
		return;
	if (!rw_match_at(&c->match, rule, e)) {
		if (c->match.tired)
			pass_error(c->cx, e->loc,
				   "pattern \"%s\" has too many ways to fit "
				   "here",
				   rule->name);
		return;
	}
	if (c->match.inner.len == 0 || !pass_may_rewrite(c->cx))
		return;
	f = ARENA_NEW(c->cx->scratch, struct finished);
	f->group.rule = rule;
	f->group.id = (*c->next_id)++;
	for (size_t i = 0; i < c->match.inner.len; i++) {
		ir_set_add(&c->taken, c->match.inner.at[i]);
		ir_map_put(&f->group.inside, c->match.inner.at[i], e);
	}
	f->literal = literal_of(c, &f->group);
	ir_map_put(&c->groups, e, f);
	vec_push(&c->all, &f->group);
	pass_count(c->cx, "composites", 1);
}

static uint32_t
outer_count(const ir_expr *e, void *env)
{
	struct composer *c = env;
	const struct finished *f = ir_map_get(&c->groups, e);

	if (f)
		return (uint32_t)f->group.inputs.len;
	return is_sealed(e) ? 0 : ir_num_operands(e);
}

static const ir_expr *
outer_operand(const ir_expr *e, uint32_t i, void *env)
{
	struct composer *c = env;
	const struct finished *f = ir_map_get(&c->groups, e);

	return f ? f->group.inputs.at[i] : ir_operand(e, i);
}

static const ir_expr *
outer_finish(const ir_expr *e, const ir_expr *const *now, void *env)
{
	struct composer *c = env;
	const struct finished *f = ir_map_get(&c->groups, e);
	const ir_expr *call;

	if (is_sealed(e))
		return e;
	if (!f)
		return ir_with_operands(c->m, e, now, true);
	call = ir_new_call(c->m, e->loc, f->literal, now,
			   (uint32_t)f->group.inputs.len, NULL);
	ir_set_type(call, e->type);
	return call;
}

/* FN with all matches of RULE merged. */
static const struct ir_function *
merge(pass_ctx *cx, const struct rw_rule *rule, const struct ir_function *fn,
      uint32_t *next_id)
{
	const ir_expr *body = fn->body;
	struct composer c = {
		.cx = cx,
		.m = cx->module,
		.env = {.cx = cx, .m = cx->module},
		.match = {.accept = accept},
		.fn = fn,
		.next_id = next_id,
	};
	struct region_walk w = {
		.count = outer_count,
		.operand = outer_operand,
		.finish = outer_finish,
		.env = &c,
	};
	ir_expr_vec nodes = {0};

	c.match.env = &c;
	diag_init(&c.env.quiet, cx->info->flag, NULL);
	c.env.quiet.quiet = true;
	ir_use_counts(body, &c.uses);
	ir_walk(body, enter, append, &nodes);
	for (size_t i = nodes.len; i-- > 0 && !cx->failed;)
		try_at(&c, rule, nodes.at[i]);
	vec_free(&nodes);
	if (c.all.len)
		body = region_rewrite(&w, body);
	assert(body);
	for (size_t i = 0; i < c.all.len; i++) {
		vec_free(&c.all.at[i]->inputs);
		ir_map_free(&c.all.at[i]->inside);
		ir_map_free(&c.all.at[i]->params);
		ir_set_free(&c.all.at[i]->local);
	}
	if (c.has_graph)
		fuse_graph_free(&c.graph);
	region_walk_free(&w);
	interp_free(c.env.interp);
	rw_match_free(&c.match);
	ir_map_free(&c.uses);
	ir_set_free(&c.taken);
	ir_map_free(&c.groups);
	vec_free(&c.all);
	return ir_function_with_body(cx->module, fn, body);
}

static void
free_patterns(void *p)
{
	struct patterns *s = p;

	rw_file_free(&s->file);
	source_free(&s->source);
	free(s);
}

/* The file of patterns, read once. */
static const struct patterns *
read_patterns(pass_ctx *cx)
{
	struct patterns *s = xcalloc(1, sizeof(*s));
	const char *path = pass_option(cx, "patterns");
	const char *reason;
	struct diag d = *cx->diag;

	cx->state = s;
	cx->free_state = free_patterns;
	if (!*path) {
		pass_error(cx, LOC_NONE, "option 'patterns' must name a file");
		return s;
	}
	if (!source_open(&s->source, path, &reason)) {
		pass_error(cx, LOC_NONE, "cannot read '%s': %s", path, reason);
		return s;
	}
	d.source = &s->source;
	d.span_of = NULL;
	s->ok = rw_read(&s->file, cx->module->cx, &s->source, &d);
	cx->failed |= !s->ok;
	cx->diag->errors = d.errors;
	cx->diag->warnings = d.warnings;
	cx->diag->stopped = d.stopped;
	return s;
}

const struct ir_function *
pass_merge_composite(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	const struct patterns *s = cx->state ? cx->state : read_patterns(cx);
	uint32_t next_id = 0;

	(void)def;
	if (!s->ok || !fn->body || is_sealed(&fn->base))
		return fn;
	for (size_t i = 0; i < s->file.rules.len; i++)
		if (!s->file.rules.at[i]->result)
			fn = merge(cx, s->file.rules.at[i], fn, &next_id);
	return fn;
}
