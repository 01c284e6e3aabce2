/*
 * inline: replace uses of global functions by their bodies.
 *
 *     def @f(%a: T, Inline=1) { exp(%a) }
 *     def @main(%x: T) { add(@f(%x), %x) }
 *                                        becomes
 *     def @main(%x: T) { %0 = exp(%x); add(%0, %x) }
 *
 * Functions are taken callees first, over strongly connected components of
 * the call graph, so one pass reaches the fixed point. A function is folded
 * into its callers if it is marked (Inline=1, or the option all), is not
 * recursive, and nothing is left in it that calls another global; a marked
 * function for which that fails stays, with a remark.
 *
 * A call becomes a copy of the body with the arguments in place of the
 * parameters. Each copy binds variables of its own, so a function can be
 * inlined any number of times; type parameters become the types of the call.
 * Of a body that is called once there is no copy: it moves, so that long
 * chains of functions take linear time.
 * Arguments with effects are bound by lets in front, in order, so that each
 * happens once. A function used as a value becomes a function literal. A
 * function with a Compiler becomes a literal that is called in place
 * (compiler-funcs=closure), stays a global (keep) or is treated as any other
 * (body). Primitive functions are kernels and stay as they are.
 *
 * A function that was folded into all its callers is dropped.
 *
 * Level: module. Needs: types. Keeps: types of nodes.
 */
#include "passes/inline.h"

#include <string.h>

#include "ir/copy.h"
#include "passes/call_graph.h"
#include "passes/inline_types.h"
#include "passes/pass.h"
#include "passes/purity.h"

enum compiler_funcs { AS_CLOSURE, KEEP_GLOBAL, AS_BODY };

struct inliner {
	pass_ctx *cx;
	ir_module *m;
	bool all;
	bool keep_globals;
	enum compiler_funcs compiler_funcs;
	uint32_t threshold; /* nodes; 0: none */
	struct call_graph graph;
	struct purity purity;
	struct ir_set foldable;   /* globals that may be folded in */
	struct ir_set once;       /* globals that a call uses first */
	struct ir_set often;      /* globals with more uses than that */
	struct ir_set unfolded;   /* globals that keep a call all the same */
	struct ir_set stand_ins;  /* parameters of bodies that moved */
	struct ir_set unresolved; /* globals with such bodies in them */
	const ir_expr *caller;    /* the global that is rewritten */
	struct ir_set kept;       /* of those, some use stays */
	struct ir_map literals;   /* global -> literal, per caller */
	bool changed;
};

static bool
is_extern_like(const struct ir_function *f)
{
	return ir_dict_get(f->attrs, "Compiler") ||
	       ir_dict_int(f->attrs, "Extern", 0) != 0;
}

static bool
is_marked(const struct inliner *in, const struct ir_function *f)
{
	if (ir_dict_int(f->attrs, "Inline", 0) != 0)
		return true;
	return in->all && !is_extern_like(f);
}

/* Why NODE is not to be folded, whatever it calls; NULL: it is. */
static const char *
unwanted(const struct inliner *in, const struct call_node *node)
{
	const ir_def *def = node->def;

	if (def->kind != DEF_FUNCTION)
		return "it is no Relay function";
	if (!is_marked(in, def->fn))
		return is_extern_like(def->fn)
			       ? "it is for an external compiler"
			       : "it is not marked Inline=1";
	if (is_extern_like(def->fn))
		return in->compiler_funcs == KEEP_GLOBAL ? "compiler-funcs=keep"
							 : NULL;
	if (!def->fn->body)
		return "it has no body";
	return ir_is_primitive(&def->fn->base) ? "it is a kernel" : NULL;
}

/*
 * Is a global left in what NODE became? All callees are decided by now. Not
 * by a look at the new body, which can be as large as all callees together.
 */
static bool
mentions_globals(const struct inliner *in, const struct call_node *node)
{
	for (uint32_t i = 0; i < node->ncallees; i++) {
		const ir_def *callee = in->graph.nodes[node->callees[i]].def;

		if (!ir_set_has(&in->foldable, &callee->global->base))
			return true;
	}
	return ir_set_has(&in->unfolded, &node->def->global->base);
}

static bool
too_large(const struct inliner *in, const struct ir_function *f)
{
	ir_expr_vec nodes = {0};
	bool large;

	if (in->threshold == 0)
		return false;
	ir_postorder(f->body, &nodes);
	large = nodes.len > in->threshold;
	vec_free(&nodes);
	return large;
}

/* Why NODE can't be folded into its callers; NULL if it can. */
static const char *
obstacle(const struct inliner *in, const struct call_node *node)
{
	if (node->recursive)
		return "it is recursive";
	if (!in->all && mentions_globals(in, node))
		return "it calls a function that stays";
	if (too_large(in, node->def->fn))
		return "it is larger than the threshold";
	return NULL;
}

static bool
is_atom(const ir_expr *e)
{
	return e->kind == IR_VAR || e->kind == IR_GLOBAL ||
	       e->kind == IR_CONSTANT || e->kind == IR_OP || e->kind == IR_CTOR;
}

static bool
has_effects(struct inliner *in, const ir_expr *e)
{
	if (is_atom(e))
		return false;
	purity_add(&in->purity, e);
	return !purity_is_pure(&in->purity, e);
}

static bool
any_has_effects(struct inliner *in, const ir_expr *const *args, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (has_effects(in, args[i]))
			return true;
	return false;
}

/* A let-bound stand-in for argument I of F; an atom needs none. */
static const ir_expr *
bind_argument(struct inliner *in, const struct ir_function *f, uint32_t i,
	      const ir_expr *arg)
{
	const ir_expr *v;

	if (is_atom(arg))
		return arg;
	v = ir_new_var(in->m, arg->loc, f->params[i]->name, NULL);
	ir_set_type(v, arg->type);
	return v;
}

static const ir_expr *
wrap_in_lets(struct inliner *in, const ir_expr *const *vars,
	     const ir_expr *const *args, uint32_t n, const ir_expr *body)
{
	for (uint32_t i = n; i-- > 0;) {
		if (vars[i] == args[i])
			continue;
		body = ir_new_let(in->m, args[i]->loc, ir_as_var(vars[i]),
				  args[i], body);
		ir_set_type(body, ir_as_let(body)->body->type);
	}
	return body;
}

static const ir_expr *
copied_body(struct inliner *in, const struct ir_function *f,
	    const ir_expr *const *stand_in, const struct inline_call *call)
{
	struct inline_types types;
	struct ir_map vars = {0};
	struct ir_copy_options o = {.vars = &vars};
	const ir_expr *body;

	for (uint32_t i = 0; i < f->nparams; i++)
		ir_map_put(&vars, &f->params[i]->base, stand_in[i]);
	if (f->ntype_params) {
		inline_find_types(&types, f, call, in->cx->scratch);
		o.map_type = inline_map_type;
		o.env = &types;
	}
	body = ir_copy(in->m, f->body, &o);
	ir_map_free(&vars);
	return body;
}

/*
 * The body itself, below lets of the parameters. They go in the end, all at
 * once (resolve): to replace the parameters here would walk through a body as
 * often as it moves on into the next caller.
 */
static const ir_expr *
moved_body(struct inliner *in, const struct ir_function *f,
	   const ir_expr *const *stand_in)
{
	const ir_expr *body = f->body;

	for (uint32_t i = f->nparams; i-- > 0;) {
		ir_set_add(&in->stand_ins, &f->params[i]->base);
		body = ir_new_let(in->m, body->loc, f->params[i], stand_in[i],
				  body);
		ir_set_type(body, f->body->type);
	}
	ir_set_add(&in->unresolved, in->caller);
	return body;
}

/* May the body of GLOBAL move to where it is called? */
static bool
moves(const struct inliner *in, const ir_expr *global)
{
	const ir_def *def = ir_as_global(global)->def;

	return !in->keep_globals && !in->threshold && def->fn &&
	       ir_set_has(&in->once, global) &&
	       !ir_set_has(&in->often, global) && !def->fn->ntype_params &&
	       !is_extern_like(def->fn) && strcmp(def->name, "main") != 0;
}

/* The body of the function of a global with arguments for its parameters. */
static const ir_expr *
inlined_body(struct inliner *in, const struct inline_call *call)
{
	const struct ir_function *f = ir_as_global(call->callee)->def->fn;
	const ir_expr **stand_in =
		ARENA_NEW_ARRAY(in->cx->scratch, f->nparams, const ir_expr *);
	bool bind = any_has_effects(in, call->args, f->nparams);
	const ir_expr *body;

	for (uint32_t i = 0; i < f->nparams; i++)
		stand_in[i] = bind ? bind_argument(in, f, i, call->args[i])
				   : call->args[i];
	if (moves(in, call->callee))
		body = moved_body(in, f, stand_in);
	else
		body = copied_body(in, f, stand_in, call);
	return wrap_in_lets(in, stand_in, call->args, f->nparams, body);
}

/* F as a literal; TVM makes it anew, so it has no type yet. */
static const ir_expr *
literal_of(struct inliner *in, const struct ir_function *f)
{
	const struct ir_copy_options o = {0};
	const ir_expr *literal = ir_copy(in->m, &f->base, &o);

	ir_set_type(literal, NULL);
	return literal;
}

static const struct ir_function *
foldable_function(const struct inliner *in, const ir_expr *e)
{
	if (e->kind != IR_GLOBAL || !ir_set_has(&in->foldable, e))
		return NULL;
	return ir_as_global(e)->def->fn;
}

static bool
becomes_literal(const struct inliner *in, const struct ir_function *f)
{
	return is_extern_like(f) && in->compiler_funcs == AS_CLOSURE;
}

/* What the value of global G turns into; one literal per caller. */
static const ir_expr *
value_of(struct inliner *in, const ir_expr *g)
{
	const struct ir_function *f = foldable_function(in, g);
	const ir_expr *literal;

	if (!f)
		return g;
	literal = ir_map_get(&in->literals, g);
	if (!literal) {
		literal = literal_of(in, f);
		ir_map_put(&in->literals, g, literal);
		in->changed = true;
	}
	return literal;
}

/* E with globals that are operands from FIRST on replaced by literals. */
static const ir_expr *
replace_values(struct inliner *in, const ir_expr *e, uint32_t first)
{
	uint32_t n = ir_num_operands(e);
	const ir_expr **ops;
	uint32_t i = first;

	while (i < n && !foldable_function(in, ir_operand(e, i)))
		i++;
	if (i >= n)
		return e;
	ops = ARENA_NEW_ARRAY(in->cx->scratch, n, const ir_expr *);
	for (i = 0; i < n; i++)
		ops[i] = i < first ? ir_operand(e, i)
				   : value_of(in, ir_operand(e, i));
	return ir_with_operands(in->m, e, ops, true);
}

/* call_lowered(@g, (a, b)): the callee and arguments stand in arguments. */
static bool
is_lowered_call(const struct inliner *in, const ir_expr *e)
{
	const struct ir_call *c = ir_as_call(e);

	return ir_is_call_of(e, OP_call_lowered) && c->nargs >= 2 &&
	       foldable_function(in, c->args[0]) &&
	       c->args[1]->kind == IR_TUPLE;
}

static const ir_expr *
fold_call(struct inliner *in, const ir_expr *e, const ir_expr *callee,
	  const ir_expr *const *args, uint32_t n)
{
	const struct ir_function *f = foldable_function(in, callee);
	const ir_expr *out;

	if (n != f->nparams || !pass_may_rewrite(in->cx)) {
		ir_set_add(&in->kept, callee);
		ir_set_add(&in->unfolded, in->caller);
		return e;
	}
	pass_remark(in->cx, e->loc, "'@%s' is inlined",
		    ir_as_global(callee)->name);
	in->changed = true;
	pass_count(in->cx, "calls inlined", 1);
	if (!becomes_literal(in, f))
		return inlined_body(
			in, &(struct inline_call){callee, args, e->type});
	out = ir_new_call(in->m, e->loc, literal_of(in, f), args, n,
			  ir_as_call(e)->attrs);
	ir_set_type(out, e->type);
	return out;
}

static const ir_expr *
rewrite_node(const ir_expr *e, const ir_expr *old, void *env)
{
	struct inliner *in = env;

	(void)old;
	return replace_values(in, e, 0);
}

static const ir_expr *
rewrite_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct inliner *in = env;
	const struct ir_call *c = ir_as_call(e);

	(void)old;
	if (is_lowered_call(in, e)) {
		const struct ir_tuple *t = ir_as_tuple(c->args[1]);

		return fold_call(in, e, c->args[0], t->fields, t->nfields);
	}
	e = replace_values(in, e, 1);
	c = ir_as_call(e);
	if (foldable_function(in, c->callee))
		return fold_call(in, e, c->callee, c->args, c->nargs);
	return e;
}

static const struct ir_rules rules = {
	.on =
		{
			[IR_CALL] = rewrite_call,
			[IR_TUPLE] = rewrite_node,
			[IR_PROJ] = rewrite_node,
			[IR_FUNCTION] = rewrite_node,
			[IR_LET] = rewrite_node,
			[IR_IF] = rewrite_node,
			[IR_MATCH] = rewrite_node,
			[IR_REF_NEW] = rewrite_node,
			[IR_REF_READ] = rewrite_node,
			[IR_REF_WRITE] = rewrite_node,
		},
};

static void
rewrite_function(struct inliner *in, ir_def *def)
{
	const ir_expr *e;

	if (def->kind != DEF_FUNCTION || !def->fn->body)
		return;
	ir_map_free(&in->literals);
	in->caller = &def->global->base;
	e = ir_rewrite(in->m, &def->fn->base, &rules, in);
	def->fn = ir_as_function(e);
}

struct resolver {
	const struct ir_set *stand_ins;
	struct ir_map values;
};

static void
note_value(const struct ir_let *let, const ir_expr *value, void *env)
{
	struct resolver *r = env;

	if (ir_set_has(r->stand_ins, &let->var->base))
		ir_map_put(&r->values, &let->var->base, value);
}

static const ir_expr *
resolve_var(const ir_expr *e, const ir_expr *old, void *env)
{
	struct resolver *r = env;

	(void)old;
	return ir_map_get(&r->values, e);
}

static const ir_expr *
resolve_let(const ir_expr *e, const ir_expr *old, void *env)
{
	struct resolver *r = env;
	const struct ir_let *l = ir_as_let(e);

	(void)old;
	return ir_set_has(r->stand_ins, &l->var->base) ? l->body : e;
}

/* Put arguments in place of the parameters of bodies that moved to DEF. */
static void
resolve(struct inliner *in, ir_def *def)
{
	static const struct ir_rules resolving = {
		.on = {[IR_VAR] = resolve_var, [IR_LET] = resolve_let},
		.bound = note_value,
	};
	struct resolver r = {.stand_ins = &in->stand_ins};

	if (!ir_set_has(&in->unresolved, &def->global->base))
		return;
	def->fn = ir_as_function(
		ir_rewrite(in->m, &def->fn->base, &resolving, &r));
	ir_map_free(&r.values);
}

/* Callees come first: when a caller is reached, all its callees are final. */
static void
fold_all(struct inliner *in)
{
	for (uint32_t i = 0; i < in->graph.n; i++) {
		struct call_node *node = &in->graph.nodes[in->graph.order[i]];
		const char *why;

		rewrite_function(in, node->def);
		if (!moves(in, &node->def->global->base))
			resolve(in, node->def);
		if (node->ncallers == 0)
			continue;
		why = unwanted(in, node);
		if (!why)
			why = obstacle(in, node);
		if (!why)
			ir_set_add(&in->foldable, &node->def->global->base);
		else
			pass_remark_missed(in->cx, node->def->loc,
					   "'@%s' is not inlined: %s",
					   node->def->name, why);
	}
}

static void
drop_folded(struct inliner *in)
{
	struct ir_set folded = {0};
	unsigned n = 0;

	for (uint32_t i = 0; i < in->graph.n; i++) {
		ir_def *def = in->graph.nodes[i].def;

		if (!ir_set_has(&in->foldable, &def->global->base) ||
		    ir_set_has(&in->kept, &def->global->base) ||
		    strcmp(def->name, "main") == 0) {
			if (moves(in, &def->global->base))
				resolve(in, def);
			continue;
		}
		ir_set_add(&folded, &def->global->base);
		n++;
	}
	if (n) {
		ir_module_remove_all(in->m, &folded);
		pass_count(in->cx, "functions dropped", n);
		in->changed = true;
	}
	ir_set_free(&folded);
}

/* Where globals are used, as often as a node has them for an operand. */
struct uses {
	struct inliner *in;
	struct ir_set seen;
};

static void
count_uses(const ir_expr *e, void *env)
{
	struct uses *u = env;

	for (uint32_t i = 0; i < ir_num_operands(e); i++) {
		const ir_expr *g = ir_operand(e, i);

		if (g->kind != IR_GLOBAL)
			continue;
		if (!ir_as_global(g)->def)
			ir_set_add(&u->in->unfolded, u->in->caller);
		if (ir_set_add(&u->seen, g) && e->kind == IR_CALL &&
		    ir_as_call(e)->callee == g)
			ir_set_add(&u->in->once, g);
		else
			ir_set_add(&u->in->often, g);
	}
}

static void
find_uses(struct inliner *in)
{
	struct uses u = {.in = in};

	for (uint32_t i = 0; i < in->graph.n; i++) {
		const ir_def *def = in->graph.nodes[i].def;

		in->caller = &def->global->base;
		if (def->kind == DEF_FUNCTION)
			ir_walk(&def->fn->base, NULL, count_uses, &u);
	}
	ir_set_free(&u.seen);
}

static bool
read_options(struct inliner *in, bool all)
{
	const char *funcs =
		all ? "closure" : pass_option(in->cx, "compiler-funcs");

	if (strcmp(funcs, "closure") == 0)
		in->compiler_funcs = AS_CLOSURE;
	else if (strcmp(funcs, "keep") == 0)
		in->compiler_funcs = KEEP_GLOBAL;
	else if (strcmp(funcs, "body") == 0)
		in->compiler_funcs = AS_BODY;
	else
		pass_error(in->cx, LOC_NONE,
			   "compiler-funcs is closure, keep or body, not '%s'",
			   funcs);
	in->all = all || pass_option_bool(in->cx, "all");
	in->keep_globals = !all && pass_option_bool(in->cx, "keep-globals");
	if (!all)
		in->threshold = (uint32_t)pass_option_int(in->cx, "threshold");
	return !in->cx->failed;
}

bool
inline_functions(pass_ctx *cx, bool all)
{
	struct inliner in = {.cx = cx, .m = cx->module};

	if (!read_options(&in, all))
		return false;
	call_graph_build(&in.graph, in.m, cx->scratch);
	purity_compute(&in.purity, in.m);
	find_uses(&in);
	fold_all(&in);
	if (!in.keep_globals)
		drop_folded(&in);
	call_graph_free(&in.graph);
	purity_free(&in.purity);
	ir_set_free(&in.foldable);
	ir_set_free(&in.kept);
	ir_set_free(&in.once);
	ir_set_free(&in.often);
	ir_set_free(&in.unfolded);
	ir_set_free(&in.stand_ins);
	ir_set_free(&in.unresolved);
	ir_map_free(&in.literals);
	return in.changed;
}

bool
pass_inline(pass_ctx *cx)
{
	return inline_functions(cx, false);
}
