/*
 * gradient: make a program compute its gradients as well, whatever its control
 * flow.
 *
 * A tensor becomes a pair of the tensor and a reference to its gradient. Every
 * function gets a parameter more, a reference to the function that propagates
 * gradients back; each operator that is computed puts a new one there, which
 * adds what its arguments get to their references and then calls the one that
 * was there before:
 *
 *     exp(%a)    becomes    let %x_0 = exp(%a.0); let %x_1 = ref(zeros..);
 *                           let %x_2 = ref_read(%bp);
 *                           ref_write(%bp, fn () {
 *                             ref_write(%a.1, ref_read(%a.1) + ..);
 *                             %x_2()
 *                           });
 *                           (%x_0, %x_1)
 *
 * Data types that hold tensors or functions by definition get a twin, too.
 *
 * main (without one, each function that no other calls) returns its value and
 * the gradients of its parameters; what it calls gets a twin NAME_grad.
 * Everything is brought into A-normal form first. partial-evaluate and
 * dead-code-elimination remove most of what this makes.
 *
 * Level: module. Needs: types.
 */
#include <string.h>

#include "passes/call_graph.h"
#include "passes/fresh_names.h"
#include "passes/let_list.h"
#include "passes/gradient/gradient.h"
#include "passes/normal_form.h"
#include "passes/retype.h"

/* What is evaluated in one function, not in those inside of it. */
struct owner {
	const ir_expr *bp; /* the variable for the propagator */
	struct owner *outer;
	uint32_t depth;
};

struct tape {
	pass_ctx *cx;
	ir_module *m;
	struct retype types;
	struct fresh_names names;
	const ir_type *unit;    /* () */
	const ir_type *bp_type; /* ref(fn () -> ()) */
	struct ir_map owners;   /* node -> whose; literal -> itself as one */
	struct ir_map twins;    /* global -> that of its twin */
	struct let_list bindings;
};

static const ir_expr *
bp_of(const struct tape *p, const ir_expr *e)
{
	const struct owner *o = ir_map_get(&p->owners, e);

	return o->bp;
}

static const ir_type *
pair_type(const ir_type *t, void *env)
{
	struct tape *p = env;
	const ir_type *both[] = {t, ir_type_ref(p->m->cx, t)};

	return ir_type_tuple(p->m->cx, both, 2);
}

static const ir_type *
taped_func(const struct ir_func_type *f, const ir_type *const *params,
	   const ir_type *ret, void *env)
{
	struct tape *p = env;

	return retype_func_with(p->m, p->cx->scratch, f, params, p->bp_type,
				ret);
}

static const ir_expr *
bind(struct tape *p, const ir_expr *value, const ir_type *type)
{
	return let_list_bind(&p->bindings, p->m, &p->names, value, type);
}

static const ir_expr *
close(struct tape *p, size_t mark, const ir_expr *body)
{
	return let_list_close(&p->bindings, p->m, mark, body);
}

static const ir_expr *
proj(struct tape *p, const ir_expr *e, uint32_t i)
{
	return ir_new_proj(p->m, e->loc, e, i);
}

/*
 * ONE applied to each pair (or tensor) that makes up X, which is of type T
 * before tensors became pairs.
 */
static const ir_expr *
map_parts(struct tape *p, const ir_expr *x, const ir_type *t,
	  const ir_expr *(*one)(struct tape *p, const ir_expr *x))
{
	const struct ir_tuple_type *tt;
	const ir_expr **fields;

	if (t->kind != TYPE_TUPLE)
		return one(p, x);
	tt = ir_as_tuple_type(t);
	fields = ARENA_NEW_ARRAY(p->cx->scratch, tt->nfields, const ir_expr *);
	for (uint32_t i = 0; i < tt->nfields; i++)
		fields[i] = map_parts(p, proj(p, x, i), tt->fields[i], one);
	return ir_new_tuple(p->m, x->loc, fields, tt->nfields);
}

static const ir_expr *
value_of(struct tape *p, const ir_expr *pair)
{
	return proj(p, pair, 0);
}

static const ir_expr *
gradient_read(struct tape *p, const ir_expr *pair)
{
	return ir_new_ref_read(p->m, pair->loc, proj(p, pair, 1));
}

/* The tensor X and a new reference to zeros. */
static const ir_expr *
new_pair(struct tape *p, const ir_expr *x)
{
	const ir_expr *tensor = x->kind == IR_VAR ? x : bind(p, x, NULL);
	const ir_expr *zeros =
		ir_new_op_call(p->m, x->loc, OP_zeros_like, &tensor, 1, NULL);
	const ir_expr *both[] = {
		tensor,
		bind(p, ir_new_ref_new(p->m, x->loc, zeros), NULL),
	};

	return ir_new_tuple(p->m, x->loc, both, 2);
}

/*
 * The gradient of OUT, of type T before, is that of its first tensor: in a
 * tuple, what is behind is by the way.
 */
static void
seed(struct tape *p, const ir_expr *out, const ir_type *t)
{
	const ir_expr *tensor, *ones;

	while (t->kind == TYPE_TUPLE && ir_as_tuple_type(t)->nfields) {
		out = proj(p, out, 0);
		t = ir_as_tuple_type(t)->fields[0];
	}
	if (t->kind == TYPE_TUPLE)
		return;
	tensor = value_of(p, out);
	ones = ir_new_op_call(p->m, out->loc, OP_ones_like, &tensor, 1, NULL);
	bind(p, ir_new_ref_write(p->m, out->loc, proj(p, out, 1), ones), NULL);
}

/* Add GRAD to the gradients of X, of type T before. */
static void
add_gradient(struct tape *p, const ir_expr *x, const ir_type *t,
	     const ir_expr *grad)
{
	const ir_expr *sum[2];

	if (t->kind == TYPE_TUPLE) {
		const struct ir_tuple_type *tt = ir_as_tuple_type(t);

		for (uint32_t i = 0; i < tt->nfields; i++)
			add_gradient(p, proj(p, x, i), tt->fields[i],
				     proj(p, grad, i));
		return;
	}
	sum[0] = gradient_read(p, x);
	sum[1] = grad;
	bind(p,
	     ir_new_ref_write(
		     p->m, x->loc, proj(p, x, 1),
		     ir_new_op_call(p->m, x->loc, OP_add, sum, 2, NULL)),
	     NULL);
}

static bool
has_floats(const ir_type *t)
{
	if (t->kind == TYPE_TENSOR) {
		struct dtype d = ir_as_tensor_type(t)->dtype;

		return dtype_is_float(d);
	}
	if (t->kind == TYPE_TUPLE)
		for (uint32_t i = 0; i < ir_as_tuple_type(t)->nfields; i++)
			if (has_floats(ir_as_tuple_type(t)->fields[i]))
				return true;
	return false;
}

/* fn () { add gradients of RESULT to those of the arguments; before() } */
static const ir_expr *
propagator(struct tape *p, const struct ir_call *e, const struct ir_call *old,
	   const struct ir_call *call, const ir_expr *out,
	   const ir_expr *result, const ir_expr *before)
{
	size_t mark = p->bindings.len;
	struct loc loc = e->base.loc;
	const ir_expr **to =
		ARENA_NEW_ARRAY(p->cx->scratch, e->nargs, const ir_expr *);
	struct gradient g = {
		.cx = p->cx,
		.b = {p->m, loc},
		.call = call,
		.out = out,
		.to = to,
	};
	struct ir_function_parts parts = {.ret_type = p->unit};

	g.grad = bind(p, map_parts(p, result, old->base.type, gradient_read),
		      old->base.type);
	if (!gradient_of_call(&g))
		return out;
	for (uint32_t i = 0; i < e->nargs; i++)
		if (to[i])
			add_gradient(p, e->args[i], old->args[i]->type,
				     bind(p, to[i], NULL));
	parts.body =
		close(p, mark, ir_new_call(p->m, loc, before, NULL, 0, NULL));
	return ir_new_function(p->m, loc, &parts);
}

static const ir_expr *
tape_op_call(struct tape *p, const struct ir_call *e, const struct ir_call *old)
{
	size_t mark = p->bindings.len;
	struct loc loc = e->base.loc;
	const ir_expr *bp = bp_of(p, &old->base);
	const ir_expr **args =
		ARENA_NEW_ARRAY(p->cx->scratch, e->nargs, const ir_expr *);
	const ir_expr *call, *out, *result, *before;

	for (uint32_t i = 0; i < e->nargs; i++)
		args[i] = bind(
			p,
			map_parts(p, e->args[i], old->args[i]->type, value_of),
			old->args[i]->type);
	call = ir_new_call(p->m, loc, e->callee, args, e->nargs, e->attrs);
	ir_set_type(call, old->base.type);
	out = bind(p, call, old->base.type);
	result = bind(p, map_parts(p, out, old->base.type, new_pair), NULL);
	if (has_floats(old->base.type) && e->nargs) {
		before = bind(p, ir_new_ref_read(p->m, loc, bp), NULL);
		bind(p,
		     ir_new_ref_write(p->m, loc, bp,
				      propagator(p, e, old, ir_as_call(call),
						 out, result, before)),
		     NULL);
	}
	return close(p, mark, result);
}

static const ir_expr *
tape_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct tape *p = env;
	const struct ir_call *c = ir_as_call(e);
	const ir_expr *callee = ir_as_call(old)->callee;
	const ir_expr **args;

	if (p->cx->failed)
		return e;
	/* A reference, function or data somewhere is what it was. */
	if (ir_is_call_of(old, OP_on_device) && !type_is_data(old->type))
		return ir_new_call(p->m, e->loc, callee, c->args, c->nargs,
				   c->attrs);
	if (callee->kind == IR_OP)
		return tape_op_call(p, c, ir_as_call(old));
	if (callee->kind == IR_CTOR)
		return ir_new_call(
			p->m, e->loc,
			&retype_ctor(&p->types, ir_as_ctor(callee))->base,
			c->args, c->nargs, c->attrs);
	args = ARENA_NEW_ARRAY(p->cx->scratch, c->nargs + 1, const ir_expr *);
	memcpy(args, c->args, c->nargs * sizeof(*args));
	args[c->nargs] = bp_of(p, old);
	return ir_new_call(p->m, e->loc, c->callee, args, c->nargs + 1,
			   c->attrs);
}

static const ir_expr *
tape_var(const ir_expr *e, const ir_expr *old, void *env)
{
	(void)old;
	return &retype_var(&((struct tape *)env)->types, ir_as_var(e))->base;
}

static const ir_expr *
tape_constant(const ir_expr *e, const ir_expr *old, void *env)
{
	struct tape *p = env;
	size_t mark = p->bindings.len;

	(void)old;
	return close(p, mark, new_pair(p, e));
}

static const ir_expr *
tape_function(const ir_expr *e, const ir_expr *old, void *env)
{
	struct tape *p = env;
	struct ir_function_parts parts =
		retype_parts(&p->types, ir_as_function(e));

	retype_add_param(p->cx->scratch, &parts, ir_as_var(bp_of(p, old)));
	return ir_new_function(p->m, e->loc, &parts);
}

static const ir_expr *
new_bp(struct tape *p, struct loc loc)
{
	return ir_new_var(p->m, loc, ir_name(p->m->cx, "bp"), p->bp_type);
}

/* A constructor as a value, as a function that has the new parameter. */
static const ir_expr *
tape_ctor(const ir_expr *e, const ir_expr *old, void *env)
{
	struct tape *p = env;
	const struct ir_ctor *c = retype_ctor(&p->types, ir_as_ctor(e));
	const struct ir_var **params = ARENA_NEW_ARRAY(
		p->cx->scratch, c->nfields, const struct ir_var *);
	const ir_expr **args =
		ARENA_NEW_ARRAY(p->cx->scratch, c->nfields, const ir_expr *);
	struct ir_function_parts parts = {
		.params = params,
		.nparams = c->nfields,
		.type_params = c->adt->params,
		.ntype_params = c->adt->nparams,
		.ret_type = ir_type_adt(p->m->cx, c->adt->name, c->adt->params,
					c->adt->nparams),
	};
	const ir_type *const *field = ir_as_ctor(e)->fields;

	(void)old;
	for (uint32_t i = 0; i < c->nfields; i++) {
		args[i] = ir_new_var(p->m, e->loc, fresh_name(&p->names),
				     retype_type(&p->types, field[i]));
		params[i] = ir_as_var(args[i]);
	}
	parts.body =
		ir_new_call(p->m, e->loc, &c->base, args, c->nfields, NULL);
	retype_add_param(p->cx->scratch, &parts, ir_as_var(new_bp(p, e->loc)));
	return ir_new_function(p->m, e->loc, &parts);
}

static const ir_expr *
tape_global(const ir_expr *e, const ir_expr *old, void *env)
{
	(void)old;
	return ir_map_get(&((struct tape *)env)->twins, e);
}

static const ir_expr *
tape_let(const ir_expr *e, const ir_expr *old, void *env)
{
	(void)old;
	return retype_let(&((struct tape *)env)->types, e);
}

static const ir_expr *
tape_match(const ir_expr *e, const ir_expr *old, void *env)
{
	(void)old;
	return retype_match(&((struct tape *)env)->types, e);
}

static const ir_expr *
tape_if(const ir_expr *e, const ir_expr *old, void *env)
{
	struct tape *p = env;
	const struct ir_if *x = ir_as_if(e);

	(void)old;
	return ir_new_if(p->m, e->loc, value_of(p, x->cond), x->then_branch,
			 x->else_branch);
}

static const struct ir_rules rules = {
	.on =
		{
			[IR_VAR] = tape_var,
			[IR_CONSTANT] = tape_constant,
			[IR_CALL] = tape_call,
			[IR_FUNCTION] = tape_function,
			[IR_CTOR] = tape_ctor,
			[IR_GLOBAL] = tape_global,
			[IR_LET] = tape_let,
			[IR_MATCH] = tape_match,
			[IR_IF] = tape_if,
		},
	.drop_types = true,
};

struct survey {
	struct tape *p;
	struct owner *owner;
	VEC(const ir_expr *) literals;
};

/* The innermost function around both; B if they are of two definitions. */
static struct owner *
common_owner(struct owner *a, struct owner *b)
{
	struct owner *x = a, *y = b;

	while (x != y) {
		bool up = x->depth >= y->depth, down = y->depth >= x->depth;

		if (up && !x->outer)
			return b;
		if (up)
			x = x->outer;
		if (down)
			y = y->outer;
	}
	return x;
}

static bool
refuse(struct tape *p, const ir_expr *e, const char *what)
{
	pass_error(p->cx, e->loc, "%s in a function to be differentiated",
		   what);
	return false;
}

static bool
survey_call(struct tape *p, const struct ir_call *c)
{
	for (uint32_t i = 0; i < c->nargs; i++) {
		const ir_type *t = c->args[i]->type;

		if (c->args[i]->kind == IR_OP)
			return refuse(p, &c->base, "an operator as a value");
		if (c->callee->kind == IR_OP && t->flags & TYPE_HAS_FUNC &&
		    !ir_is_call_of(&c->base, OP_on_device) &&
		    (t->kind == TYPE_FUNC || t->kind == TYPE_TUPLE))
			return refuse(p, &c->base, "an operator on functions");
	}
	return true;
}

static bool
survey_node(const ir_expr *e, void *env)
{
	struct survey *s = env;
	struct owner *known = ir_map_get(&s->p->owners, e);
	bool ok = true;

	if (known && e->kind == IR_FUNCTION)
		return false;
	/* on_device around a variable may be shared between functions. */
	if (known)
		known = common_owner(known, s->owner);
	ir_map_put(&s->p->owners, e, known ? known : s->owner);
	switch ((enum ir_kind)e->kind) {
	case IR_FUNCTION:
		vec_push(&s->literals, e);
		return false;
	case IR_CALL:
		ok = survey_call(s->p, ir_as_call(e));
		break;
	default:
		break;
	}
	return ok;
}

static struct owner *
new_owner(struct tape *p, const ir_expr *fn)
{
	struct owner *o = ARENA_NEW(p->cx->scratch, struct owner);

	o->bp = new_bp(p, fn->loc);
	o->outer = ir_map_get(&p->owners, fn);
	o->depth = o->outer ? o->outer->depth + 1 : 0;
	return o;
}

/* Each literal under ROOT gets its own variable for the propagator. */
static void
survey(struct tape *p, const ir_expr *root)
{
	struct survey s = {.p = p};

	vec_push(&s.literals, root);
	while (s.literals.len && !p->cx->failed) {
		const ir_expr *f = vec_pop(&s.literals);

		if (ir_is_primitive(f) || !ir_as_function(f)->body) {
			refuse(p, f, "a primitive or external function");
			break;
		}
		s.owner = new_owner(p, f);
		ir_map_put(&p->owners, f, s.owner);
		ir_walk(ir_as_function(f)->body, survey_node, NULL, &s);
	}
	vec_free(&s.literals);
}

static const ir_expr *
taped(struct tape *p, const struct ir_function *fn)
{
	survey(p, &fn->base);
	return p->cx->failed ? &fn->base
			     : ir_rewrite(p->m, &fn->base, &rules, p);
}

/* fn () { () } */
static const ir_expr *
no_propagator(struct tape *p, struct loc loc)
{
	struct ir_function_parts parts = {
		.ret_type = p->unit,
		.body = ir_new_tuple(p->m, loc, NULL, 0),
	};

	return ir_new_function(p->m, loc, &parts);
}

static const ir_type *
type_with_gradients(struct tape *p, const struct ir_function *fn)
{
	ir_context *cx = p->m->cx;
	const ir_type **params =
		ARENA_NEW_ARRAY(p->cx->scratch, fn->nparams, const ir_type *);
	const ir_type *both[2];

	for (uint32_t i = 0; i < fn->nparams; i++)
		params[i] = fn->params[i]->annotation;
	both[0] = fn->ret_type;
	both[1] = ir_type_tuple(cx, params, fn->nparams);
	return ir_type_tuple(cx, both, 2);
}

/* FN with its value and gradients, by way of INNER, which is FN taped. */
static const struct ir_function *
with_gradients(struct tape *p, const struct ir_function *fn,
	       const ir_expr *inner)
{
	struct ir_function_parts parts = ir_function_parts(fn);
	struct loc loc = fn->base.loc;
	uint32_t n = fn->nparams;
	const ir_expr **args =
		ARENA_NEW_ARRAY(p->cx->scratch, n + 1, const ir_expr *);
	const struct ir_var **params =
		ARENA_NEW_ARRAY(p->cx->scratch, n, const struct ir_var *);
	const ir_expr *both[2];
	const ir_expr *bp, *out;

	for (uint32_t i = 0; i < n; i++) {
		const struct ir_var *v = fn->params[i];
		const ir_expr *x =
			ir_new_var(p->m, v->base.loc, v->name, v->annotation);

		params[i] = ir_as_var(x);
		args[i] =
			bind(p, map_parts(p, x, v->annotation, new_pair), NULL);
	}
	bp = bind(p, ir_new_ref_new(p->m, loc, no_propagator(p, loc)), NULL);
	args[n] = bp;
	out = bind(p, ir_new_call(p->m, loc, inner, args, n + 1, NULL), NULL);
	seed(p, out, fn->ret_type);
	bind(p,
	     ir_new_call(p->m, loc,
			 bind(p, ir_new_ref_read(p->m, loc, bp), NULL), NULL, 0,
			 NULL),
	     NULL);
	both[0] = map_parts(p, out, fn->ret_type, value_of);
	for (uint32_t i = 0; i < n; i++)
		args[i] = map_parts(p, args[i], fn->params[i]->annotation,
				    gradient_read);
	both[1] = ir_new_tuple(p->m, loc, args, n);
	parts.params = params;
	parts.body = close(p, 0, ir_new_tuple(p->m, loc, both, 2));
	parts.ret_type = type_with_gradients(p, fn);
	return ir_as_function(ir_new_function(p->m, loc, &parts));
}

static bool
is_root(const struct call_graph *g, const struct call_node *node,
	const ir_def *main)
{
	(void)g;
	if (node->def->kind != DEF_FUNCTION || !node->def->fn->body)
		return false;
	return main ? node->def == main : node->ncallers == 0;
}

static bool
check_root(struct tape *p, const struct call_node *node)
{
	const struct ir_function *fn = node->def->fn;

	if (node->ncallers > node->recursive)
		return refuse(p, &fn->base, "a function that others call");
	if (fn->ntype_params)
		return refuse(p, &fn->base, "type parameters");
	for (uint32_t i = 0; i < fn->nparams; i++)
		if (!type_is_data(fn->params[i]->annotation))
			return refuse(p, &fn->params[i]->base,
				      "a parameter that is no tensor");
	if (!type_is_data(fn->ret_type))
		return refuse(p, &fn->base, "a result that is no tensor");
	return true;
}

/* Twins for all that ROOTS reach; the functions to put in their place. */
static void
differentiate(struct tape *p, const struct call_graph *g, const bool *root,
	      const struct ir_function **done)
{
	VEC(uint32_t) todo = {0};
	bool *reached = ARENA_NEW_ARRAY(p->cx->scratch, g->n, bool);

	for (uint32_t i = 0; i < g->n; i++)
		if (root[i])
			vec_push(&todo, i);
	while (todo.len) {
		uint32_t i = vec_pop(&todo);
		const struct call_node *x = &g->nodes[i];

		if (reached[i])
			continue;
		reached[i] = true;
		if (!root[i] || x->recursive)
			ir_map_put(&p->twins, &x->def->global->base,
				   ir_module_global(
					   p->m,
					   ir_module_fresh_name(
						   p->m,
						   ir_namef(p->m->cx, "%s_grad",
							    x->def->name))));
		for (uint32_t k = 0; k < x->ncallees; k++)
			vec_push(&todo, x->callees[k]);
	}
	vec_free(&todo);
	for (uint32_t i = 0; i < g->n && !p->cx->failed; i++) {
		ir_def *def = g->nodes[i].def;
		const ir_expr *twin = ir_map_get(&p->twins, &def->global->base);
		const struct ir_function *fn = def->fn;
		const ir_expr *inner;

		if (!reached[i])
			continue;
		if (def->kind != DEF_FUNCTION) {
			pass_error(p->cx, def->loc,
				   "a kernel in a function to be "
				   "differentiated");
			break;
		}
		inner = taped(p, fn);
		if (twin && !p->cx->failed) {
			ir_module_add_function(p->m, ir_as_global(twin)->name,
					       inner, fn->base.loc);
			inner = twin;
		}
		if (root[i] && !p->cx->failed)
			done[i] = with_gradients(p, fn, inner);
	}
}

/* Find the roots and check them; false after an error. */
static bool
find_roots(struct tape *p, const struct call_graph *g, bool *root)
{
	const ir_def *main = ir_module_find(p->m, ir_name(p->m->cx, "main"));
	bool any = false;

	for (uint32_t i = 0; i < g->n; i++) {
		root[i] = is_root(g, &g->nodes[i], main);
		any |= root[i];
		if (root[i] && !check_root(p, &g->nodes[i]))
			return false;
	}
	if (!any)
		pass_error(p->cx, LOC_NONE, "no function to differentiate");
	return any;
}

static bool
infer(pass_ctx *cx)
{
	cx->module->types_valid = false;
	if (ir_infer_module(cx->module, cx->diag))
		return true;
	cx->failed = true;
	return false;
}

static bool
run(pass_ctx *cx, const struct ir_function **done)
{
	ir_module *m = cx->module;
	struct tape p = {
		.cx = cx,
		.m = m,
		.types = {.m = m,
			  .arena = cx->scratch,
			  .tensor = pair_type,
			  .func = taped_func,
			  .twin_suffix = "grad"},
		.unit = ir_type_tuple(m->cx, NULL, 0),
	};
	struct call_graph g;
	bool *root;

	p.types.env = &p;
	p.bp_type = ir_type_ref(m->cx,
				ir_type_func(m->cx, NULL, 0, p.unit, NULL, 0));
	fresh_names_init(&p.names, m, "x_");
	call_graph_build(&g, m, cx->scratch);
	root = ARENA_NEW_ARRAY(cx->scratch, g.n, bool);
	if (find_roots(&p, &g, root))
		differentiate(&p, &g, root, done);
	call_graph_free(&g);
	retype_free(&p.types);
	fresh_names_free(&p.names);
	ir_map_free(&p.owners);
	ir_map_free(&p.twins);
	vec_free(&p.bindings);
	return !cx->failed;
}

bool
pass_gradient(pass_ctx *cx)
{
	ir_module *m = cx->module;
	const char *mode = pass_option(cx, "mode");
	size_t n = m->defs.len;
	size_t ntypes = m->types.len;
	const struct ir_function **old, **done;
	bool ok;

	if (strcmp(mode, "first-order") == 0)
		return pass_first_order_gradient(cx);
	if (strcmp(mode, "higher-order") != 0) {
		pass_error(cx, LOC_NONE,
			   "mode '%s' is neither higher-order nor "
			   "first-order",
			   mode);
		return false;
	}
	old = ARENA_NEW_ARRAY(cx->scratch, n, const struct ir_function *);
	done = ARENA_NEW_ARRAY(cx->scratch, n, const struct ir_function *);
	for (size_t i = 0; i < n; i++)
		old[i] = m->defs.at[i]->fn;
	normal_form_module(cx, A_NORMAL_FORM);
	ok = infer(cx) && run(cx, done);
	while (!ok && m->defs.len > n)
		ir_module_remove(m, m->defs.at[m->defs.len - 1]);
	for (size_t i = 0; i < n; i++)
		m->defs.at[i]->fn = ok && done[i] ? done[i] : old[i];
	if (!ok)
		ir_module_drop_types(m, ntypes);
	m->types_valid = false;
	cx->keeps_types = ok && infer(cx);
	return ok;
}
