/*
 * eta-expand: put a function literal where a definition or a constructor is
 * meant as a value.
 *
 *     @map(Cons, ..)      becomes    %0 = fn [A](%a: A, %b: List[A]) {
 *                                      Cons(%a, %b)
 *                                    };  @map(%0, ..)
 *
 * Constructors that are called stay. Definitions are replaced where they are
 * called, too. There is one literal for each of them in the module.
 *
 * Level: module. Needs: types. Keeps: types, but of calls.
 */
#include "passes/pass.h"

struct expander {
	pass_ctx *cx;
	ir_module *m;
	bool constructors;
	bool globals;
	struct ir_map literals; /* by global or constructor */
};

/* fn (new parameters of these TYPES) { CALLEE(them) }, else like PARTS. */
static const ir_expr *
make_literal(struct expander *x, const ir_expr *callee,
	     struct ir_function_parts parts, const ir_type *const *types)
{
	ir_module *m = x->m;
	uint32_t n = parts.nparams;
	const struct ir_var **params =
		ARENA_NEW_ARRAY(x->cx->scratch, n, const struct ir_var *);
	const ir_expr **args =
		ARENA_NEW_ARRAY(x->cx->scratch, n, const ir_expr *);

	for (uint32_t i = 0; i < n; i++) {
		args[i] = ir_new_var(m, callee->loc,
				     ir_name(m->cx, "eta_expand_param"),
				     types[i]);
		params[i] = ir_as_var(args[i]);
	}
	parts.params = params;
	parts.body = ir_new_call(m, callee->loc, callee, args, n, NULL);
	return ir_new_function(m, callee->loc, &parts);
}

static const ir_expr *
literal_of_global(struct expander *x, const ir_expr *e)
{
	const ir_def *def = ir_as_global(e)->def;
	const struct ir_function *f;
	const ir_type **types;
	const ir_expr *out;

	if (!def || def->kind != DEF_FUNCTION)
		return e;
	f = def->fn;
	types = ARENA_NEW_ARRAY(x->cx->scratch, f->nparams, const ir_type *);
	for (uint32_t i = 0; i < f->nparams; i++)
		types[i] = f->params[i]->annotation;
	out = make_literal(x, e, ir_function_parts(f), types);
	ir_set_type(out, f->base.type);
	return out;
}

static const ir_expr *
literal_of_ctor(struct expander *x, const ir_expr *e)
{
	const struct ir_ctor *c = ir_as_ctor(e);
	struct ir_function_parts parts = {
		.nparams = c->nfields,
		.type_params = c->adt->params,
		.ntype_params = c->adt->nparams,
		.ret_type = ir_type_adt(x->m->cx, c->adt->name, c->adt->params,
					c->adt->nparams),
	};

	return make_literal(x, e, parts, c->fields);
}

/* A definition or constructor, as an operand. */
static const ir_expr *
expand(const ir_expr *e, const ir_expr *old, void *env)
{
	struct expander *x = env;
	const ir_expr *out = ir_map_get(&x->literals, e);
	bool wanted = e->kind == IR_CTOR ? x->constructors : x->globals;

	(void)old;
	if (!wanted || !pass_may_rewrite(x->cx))
		return e;
	if (!out) {
		out = e->kind == IR_CTOR ? literal_of_ctor(x, e)
					 : literal_of_global(x, e);
		ir_map_put(&x->literals, e, out);
	}
	return out;
}

/* A new call, so without a type; a constructor that is called stays. */
static const ir_expr *
renew_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct expander *x = env;
	const struct ir_call *c = ir_as_call(e);
	const ir_expr *callee = ir_as_call(old)->callee;

	if (callee->kind != IR_CTOR)
		callee = c->callee;
	return ir_new_call(x->m, e->loc, callee, c->args, c->nargs, c->attrs);
}

static const struct ir_rules rules = {.on = {
					      [IR_GLOBAL] = expand,
					      [IR_CTOR] = expand,
					      [IR_CALL] = renew_call,
				      }};

bool
pass_eta_expand(pass_ctx *cx)
{
	struct expander x = {
		.cx = cx,
		.m = cx->module,
		.constructors = pass_option_bool(cx, "expand-constructor"),
		.globals = pass_option_bool(cx, "expand-global-var"),
	};
	const struct ir_function **done;

	if (!x.constructors && !x.globals) {
		pass_error(cx, LOC_NONE,
			   "one of expand-constructor and expand-global-var "
			   "is needed");
		return false;
	}
	done = ARENA_NEW_ARRAY(cx->scratch, x.m->defs.len,
			       const struct ir_function *);
	for (size_t i = 0; i < x.m->defs.len; i++)
		if (x.m->defs.at[i]->kind == DEF_FUNCTION)
			done[i] = ir_as_function(ir_rewrite(
				x.m, &x.m->defs.at[i]->fn->base, &rules, &x));
	for (size_t i = 0; i < x.m->defs.len; i++)
		if (done[i])
			x.m->defs.at[i]->fn = done[i];
	ir_map_free(&x.literals);
	return true;
}
