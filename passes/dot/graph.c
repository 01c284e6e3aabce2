#include "passes/dot/graph.h"

#include <string.h>

#include "ir/print.h"
#include "support/glob.h"

struct builder {
	struct dot_graph *g;
	const struct dot_options *o;
	const ir_module *m;
	const ir_def *def; /* whose nodes come now */
	uint32_t def_cluster;
	uint32_t fused;      /* clusters so far */
	struct ir_map alias; /* a node is drawn as another */
	struct ir_map drawn; /* node -> its number + 1 */
	struct ir_map owner; /* node -> its cluster + 1 */
	struct ir_map names; /* node -> struct label */
};

struct label {
	const char *name;
	const char *detail;
};

/* ------------------------------------------------------------ clusters -- */

static bool
has_compiler(const struct ir_function *f)
{
	for (uint32_t i = 0; f->attrs && i < f->attrs->n; i++)
		if (strcmp(f->attrs->entry[i].key, "Compiler") == 0)
			return true;
	return false;
}

static const char *
dict_text(const struct ir_function *f, const char *key)
{
	for (uint32_t i = 0; f->attrs && i < f->attrs->n; i++)
		if (strcmp(f->attrs->entry[i].key, key) == 0 &&
		    f->attrs->entry[i].value.kind == ATTR_STRING)
			return f->attrs->entry[i].value.s;
	return NULL;
}

static uint32_t
add_cluster(struct builder *b, enum dot_cluster_kind kind, uint32_t parent,
	    const char *label)
{
	struct dot_cluster c = {.kind = kind, .parent = parent, .label = label};

	if (kind == DOT_FUSED)
		c.number = ++b->fused;
	vec_push(&b->g->clusters, c);
	return (uint32_t)b->g->clusters.len - 1;
}

struct owning {
	struct builder *b;
	uint32_t cluster;
};

/* Nodes of inner functions have their owner already. */
static bool
take(const ir_expr *e, void *env)
{
	struct owning *o = env;

	if (ir_map_get(&o->b->owner, e))
		return false;
	ir_map_put(&o->b->owner, e, (void *)(uintptr_t)(o->cluster + 1));
	return true;
}

static void
make_cluster(struct builder *b, const struct ir_function *f)
{
	struct owning o = {.b = b};
	const char *label = dict_text(f, "Composite");
	enum dot_cluster_kind kind = DOT_CLOSURE;

	if (b->o->clusters == DOT_BY_NONE ||
	    (b->o->clusters == DOT_BY_COMPILER && !has_compiler(f)))
		return;
	if (has_compiler(f)) {
		kind = DOT_COMPILER;
		label = dict_text(f, "Compiler");
	} else if (ir_is_primitive(&f->base)) {
		kind = DOT_FUSED;
		label = label ? label : "fused";
	}
	o.cluster = add_cluster(b, kind, DOT_NONE, label ? label : "fn");
	b->g->clusters.at[o.cluster].body = f->body;
	ir_walk(f->body, take, NULL, &o);
	for (uint32_t i = 0; i < f->nparams; i++)
		take(&f->params[i]->base, &o);
}

static uint32_t
owner_of(const struct builder *b, const ir_expr *e)
{
	uintptr_t owner = (uintptr_t)ir_map_get(&b->owner, e);

	return owner ? (uint32_t)owner - 1 : b->def_cluster;
}

/* ------------------------------------------------------------- aliases -- */

/* The body of a primitive function literal, if E calls one. */
static const struct ir_function *
called_primitive(const ir_expr *e)
{
	const ir_expr *callee;

	if (e->kind != IR_CALL)
		return NULL;
	callee = ir_as_call(e)->callee;
	return ir_is_primitive(callee) && ir_as_function(callee)->body
		       ? ir_as_function(callee)
		       : NULL;
}

static bool
note_alias(const ir_expr *e, void *env)
{
	struct builder *b = env;
	const struct ir_function *f = called_primitive(e);

	if (e->kind == IR_LET) {
		ir_map_put(&b->alias, &ir_as_let(e)->var->base,
			   ir_as_let(e)->value);
		ir_map_put(&b->alias, e, ir_as_let(e)->body);
	} else if (f) {
		const struct ir_call *c = ir_as_call(e);

		ir_map_put(&b->alias, e, f->body);
		for (uint32_t i = 0; i < f->nparams && i < c->nargs; i++)
			ir_map_put(&b->alias, &f->params[i]->base, c->args[i]);
	}
	return true;
}

static const ir_expr *
resolve(const struct builder *b, const ir_expr *e)
{
	const ir_expr *next;

	while ((next = ir_map_get(&b->alias, e)) != NULL)
		e = next;
	return e;
}

/* --------------------------------------------------------------- nodes -- */

static const char *
label_of(struct builder *b, const ir_expr *e, enum dot_kind *kind)
{
	const ir_expr *callee;

	*kind = DOT_CONTROL;
	switch ((enum ir_kind)e->kind) {
	case IR_VAR:
		*kind = DOT_PARAM;
		return "";
	case IR_CONSTANT:
		*kind = DOT_CONSTANT;
		return "constant";
	case IR_GLOBAL:
		*kind = DOT_FUNCTION;
		return arena_printf(&b->g->arena, "@%s", ir_as_global(e)->name);
	case IR_OP:
		*kind = DOT_FUNCTION;
		return ir_as_op_ref(e)->op->name;
	case IR_CTOR:
		*kind = DOT_CALL;
		return ir_as_ctor(e)->name;
	case IR_TUPLE:
		*kind = DOT_TUPLE;
		return "tuple";
	case IR_PROJ:
		*kind = DOT_TUPLE;
		return arena_printf(&b->g->arena, ".%u", ir_as_proj(e)->index);
	case IR_FUNCTION:
		*kind = DOT_FUNCTION;
		return "fn";
	case IR_IF:
		return "if";
	case IR_MATCH:
		return "match";
	case IR_REF_NEW:
		return "ref";
	case IR_REF_READ:
		return "ref read";
	case IR_REF_WRITE:
		return "ref write";
	case IR_CALL:
		callee = ir_as_call(e)->callee;
		*kind = callee->kind == IR_OP ? DOT_OPERATOR : DOT_CALL;
		if (callee->kind == IR_OP || callee->kind == IR_GLOBAL ||
		    callee->kind == IR_CTOR) {
			enum dot_kind unused;

			return label_of(b, callee, &unused);
		}
		return "call";
	default:
		return "?";
	}
}

static enum dot_mark
mark_of(const struct builder *b, const ir_expr *e)
{
	if (!b->o->pairs)
		return DOT_SAME;
	if (b->o->changed && ir_set_has(b->o->changed, e))
		return DOT_CHANGED;
	return ptrmap_get(b->o->pairs, e) || e->kind == IR_OP ||
			       e->kind == IR_CTOR
		       ? DOT_SAME
		       : DOT_NEW;
}

static uint32_t
add_node(struct builder *b, const ir_expr *e)
{
	const struct label *l = ir_map_get(&b->names, e);
	struct dot_node n = {.e = e,
			     .name = l ? l->name : "",
			     .detail = l ? l->detail : "",
			     .cluster = owner_of(b, e),
			     .mark = mark_of(b, e)};

	n.label = label_of(b, e, &n.kind);
	if (n.kind == DOT_CONSTANT && !b->o->constants)
		n.hidden = true;
	vec_push(&b->g->nodes, n);
	ir_map_put(&b->drawn, e, (void *)(uintptr_t)b->g->nodes.len);
	return (uint32_t)b->g->nodes.len - 1;
}

/* The node that E is drawn as. */
static uint32_t
node_of(struct builder *b, const ir_expr *e)
{
	uintptr_t at;

	e = resolve(b, e);
	at = (uintptr_t)ir_map_get(&b->drawn, e);
	return at ? (uint32_t)at - 1 : add_node(b, e);
}

static void
add_edge(struct builder *b, uint32_t to, const ir_expr *from, const char *label)
{
	struct dot_edge e = {node_of(b, from), label};

	vec_push(&b->g->nodes.at[to].in, e);
}

static bool
is_named_callee(const ir_expr *e)
{
	return e->kind == IR_OP || e->kind == IR_GLOBAL || e->kind == IR_CTOR;
}

static const char *
edge_label(struct builder *b, const ir_expr *e, uint32_t i)
{
	static const char *const branches[] = {"cond", "then", "else"};
	const ir_pattern *p;

	if (e->kind == IR_IF)
		return branches[i];
	if (e->kind == IR_CALL)
		return i ? "" : "fn";
	if (e->kind != IR_MATCH || i == 0)
		return "";
	p = ir_as_match(e)->clauses[i - 1].pattern;
	return p->kind == PATTERN_CTOR ? p->ctor->name
				       : arena_printf(&b->g->arena, "%u", i);
}

static void
draw(const ir_expr *e, void *env)
{
	struct builder *b = env;
	uint32_t n;
	uint32_t first = 0;

	if (ir_map_get(&b->alias, e) || e->kind == IR_OP ||
	    e->kind == IR_GLOBAL || e->kind == IR_CTOR || ir_is_primitive(e) ||
	    e == &b->def->fn->base)
		return;
	n = node_of(b, e);
	if (e->kind == IR_CALL && is_named_callee(ir_as_call(e)->callee))
		first = 1;
	for (uint32_t i = first; i < ir_num_operands(e); i++)
		add_edge(b, n, ir_operand(e, i), edge_label(b, e, i));
}

/* ---------------------------------------------------------- definitions -- */

static void
make_clusters(struct builder *b, const struct ir_function *fn)
{
	ir_expr_vec nodes = {0};
	size_t first = b->g->clusters.len;
	size_t at = first;

	ir_postorder(fn->body, &nodes);
	for (size_t i = 0; i < nodes.len; i++)
		if (nodes.at[i]->kind == IR_FUNCTION &&
		    ir_as_function(nodes.at[i])->body)
			make_cluster(b, ir_as_function(nodes.at[i]));
	for (size_t i = 0; i < nodes.len && at < b->g->clusters.len; i++) {
		const ir_expr *e = nodes.at[i];

		if (e->kind != IR_FUNCTION || !ir_as_function(e)->body ||
		    owner_of(b, ir_as_function(e)->body) != at)
			continue;
		b->g->clusters.at[at++].parent = owner_of(b, e);
	}
	for (; at < b->g->clusters.len; at++)
		b->g->clusters.at[at].parent = b->def_cluster;
	vec_free(&nodes);
}

static void
draw_def(struct builder *b, const ir_def *def)
{
	struct dot_node result = {.kind = DOT_RESULT,
				  .label = "result",
				  .name = "",
				  .detail = ""};
	uint32_t n;

	b->def = def;
	b->def_cluster =
		add_cluster(b, DOT_DEF, DOT_NONE,
			    arena_printf(&b->g->arena, "@%s", def->name));
	make_clusters(b, def->fn);
	ir_walk(&def->fn->base, note_alias, NULL, b);
	for (uint32_t i = 0; i < def->fn->nparams; i++)
		node_of(b, &def->fn->params[i]->base);
	ir_walk(&def->fn->base, NULL, draw, b);
	result.cluster = b->def_cluster;
	vec_push(&b->g->nodes, result);
	n = (uint32_t)b->g->nodes.len - 1;
	add_edge(b, n, def->fn->body, "");
	for (size_t i = b->def_cluster + 1; i < b->g->clusters.len; i++) {
		struct dot_cluster *c = &b->g->clusters.at[i];

		c->root = node_of(b, c->body);
	}
	/* Mentions of globals and operators are drawn for each function. */
	ir_map_free(&b->drawn);
}

static void
keep_label(void *env, const ir_def *def, const ir_expr *e, const char *name,
	   const char *detail)
{
	struct builder *b = env;
	struct label *l;

	(void)def;
	if (!*name && !*detail)
		return;
	l = ARENA_NEW(&b->g->arena, struct label);
	l->name = arena_strndup(&b->g->arena, name, strlen(name));
	l->detail = arena_strndup(&b->g->arena, detail, strlen(detail));
	ir_map_put(&b->names, e, l);
}

static bool
is_wanted(const struct dot_options *o, const ir_def *def)
{
	if (def->kind != DEF_FUNCTION || !def->fn || !def->fn->body)
		return false;
	for (size_t i = 0; i < o->functions.len; i++)
		if (glob_match(o->functions.at[i], def->name))
			return true;
	return o->functions.len == 0;
}

void
dot_graph_build(struct dot_graph *g, const ir_module *m,
		const struct dot_options *o)
{
	struct print_options print = {.types = PRINT_TYPES_NONE,
				      .no_header = true};
	struct builder b = {.g = g, .o = o, .m = m};
	ir_def **defs = ir_module_sorted(m);

	ir_print_labels(m, &print, keep_label, &b);
	for (size_t i = 0; i < m->defs.len; i++)
		if (is_wanted(o, defs[i]))
			draw_def(&b, defs[i]);
	free(defs);
	ir_map_free(&b.alias);
	ir_map_free(&b.drawn);
	ir_map_free(&b.owner);
	ir_map_free(&b.names);
}

void
dot_graph_free(struct dot_graph *g)
{
	for (size_t i = 0; i < g->nodes.len; i++)
		vec_free(&g->nodes.at[i].in);
	vec_free(&g->nodes);
	vec_free(&g->clusters);
	arena_free(&g->arena);
}
