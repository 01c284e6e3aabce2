/*
 * lazy-gradient-init: make zeros and ones when they are needed, if ever.
 *
 *     def @f(%x: T) -> T { %x + zeros_like(%x) }          becomes
 *
 *     def @f(%x: T) -> T {
 *       let %x_0 = (fn (%x: GradCell[T]) -> GradCell[T] {
 *         @AddGradCell(fn (%lhs, %rhs) { %lhs + %rhs }, %x,
 *                      Zero(fn () { zeros_like(@FromGradCell(%x)) }))
 *       })(Raw(%x));
 *       @FromGradCell(%x_0)
 *     }
 *
 * Inside a function every tensor is in a cell: Raw, or Zero or One with a
 * function that makes it. Sums and products of equal types look at the cells;
 * all other operators take tensors out and put the result in. At the border
 * of the function nothing changes, so what calls it needs no change.
 *
 * A function with constructors whose fields are tensors by definition, or that
 * hands functions to other definitions, stays as it is, with a remark.
 *
 * Level: function. Needs: types.
 */
#include <string.h>

#include "parser/parser.h"
#include "passes/fresh_names.h"
#include "passes/opcall.h"
#include "passes/retype.h"
#include "support/source.h"

struct cells {
	pass_ctx *cx;
	ir_module *m;
	struct retype types;
	const struct ir_ctor *raw, *zero, *one;
	const ir_expr *from, *add, *multiply;
	struct fresh_names *names;
};

/* The definitions that come with the language, added where they lack. */
static bool
find_definitions(struct cells *c)
{
	static const char text[] =
		"(@FromGradCell, @AddGradCell, @MultiplyGradCell)";
	ir_context *cx = c->m->cx;
	const ir_expr *e;
	struct source s;

	source_init(&s, NULL, text, strlen(text));
	e = parse_expr(c->m, &s, c->cx->diag, NULL);
	source_free(&s);
	if (!e)
		return false;
	c->from = ir_as_tuple(e)->fields[0];
	c->add = ir_as_tuple(e)->fields[1];
	c->multiply = ir_as_tuple(e)->fields[2];
	c->raw = ir_module_find_ctor(c->m, ir_name(cx, "Raw"));
	c->zero = ir_module_find_ctor(c->m, ir_name(cx, "Zero"));
	c->one = ir_module_find_ctor(c->m, ir_name(cx, "One"));
	return c->raw && c->zero && c->one;
}

static const ir_type *
cell_of_tensor(const ir_type *t, void *env)
{
	struct cells *c = env;

	return ir_type_adt(c->m->cx, ir_name(c->m->cx, "GradCell"), &t, 1);
}

static const ir_expr *
call1(struct cells *c, const ir_expr *callee, const ir_expr *x)
{
	return ir_new_call(c->m, x->loc, callee, &x, 1, NULL);
}

typedef const ir_expr *convert_fn(struct cells *c, const ir_expr *x);

static const ir_expr *
put_in(struct cells *c, const ir_expr *x)
{
	return call1(c, &c->raw->base, x);
}

static const ir_expr *
take_out(struct cells *c, const ir_expr *x)
{
	return call1(c, c->from, x);
}

/*
 * Convert each tensor of X, whose type was T before there were cells. What has
 * none may still have effects.
 */
static const ir_expr *
convert(struct cells *c, const ir_expr *x, const ir_type *t, convert_fn *one)
{
	const struct ir_tuple_type *tt;
	const ir_expr **fields;

	if (t->kind == TYPE_TENSOR)
		return one(c, x);
	if (t->kind != TYPE_TUPLE)
		return x;
	tt = ir_as_tuple_type(t);
	if (tt->nfields == 0)
		return x;
	fields = ARENA_NEW_ARRAY(c->cx->scratch, tt->nfields, const ir_expr *);
	for (uint32_t i = 0; i < tt->nfields; i++)
		fields[i] = convert(c, ir_new_proj(c->m, x->loc, x, i),
				    tt->fields[i], one);
	return ir_new_tuple(c->m, x->loc, fields, tt->nfields);
}

static const ir_expr *
change_var(const ir_expr *e, const ir_expr *old, void *env)
{
	(void)old;
	return &retype_var(&((struct cells *)env)->types, ir_as_var(e))->base;
}

static const ir_expr *
change_constant(const ir_expr *e, const ir_expr *old, void *env)
{
	(void)old;
	return put_in(env, e);
}

static const ir_expr *
change_function(const ir_expr *e, const ir_expr *old, void *env)
{
	struct cells *c = env;
	struct ir_function_parts parts =
		retype_parts(&c->types, ir_as_function(e));

	(void)old;
	return ir_new_function(c->m, e->loc, &parts);
}

static const ir_expr *
change_let(const ir_expr *e, const ir_expr *old, void *env)
{
	(void)old;
	return retype_let(&((struct cells *)env)->types, e);
}

static const ir_expr *
change_if(const ir_expr *e, const ir_expr *old, void *env)
{
	struct cells *c = env;
	const struct ir_if *x = ir_as_if(e);

	(void)old;
	return ir_new_if(c->m, e->loc, take_out(c, x->cond), x->then_branch,
			 x->else_branch);
}

static const ir_expr *
change_match(const ir_expr *e, const ir_expr *old, void *env)
{
	(void)old;
	return retype_match(&((struct cells *)env)->types, e);
}

/* The call E of something that takes tensors; OLD knows their types. */
static const ir_expr *
call_with_tensors(struct cells *c, const struct ir_call *e,
		  const struct ir_call *old)
{
	const ir_expr **args =
		ARENA_NEW_ARRAY(c->cx->scratch, e->nargs, const ir_expr *);

	for (uint32_t i = 0; i < e->nargs; i++)
		args[i] = convert(c, e->args[i], old->args[i]->type, take_out);
	return ir_new_call(c->m, e->base.loc, e->callee, args, e->nargs,
			   e->attrs);
}

/* A cell that RESULT, of type T, is made for when it is asked for. */
static const ir_expr *
lazy(struct cells *c, const struct ir_ctor *ctor, const ir_expr *result,
     const ir_type *t)
{
	struct ir_function_parts parts = {.ret_type = t, .body = result};

	return call1(c, &ctor->base,
		     ir_new_function(c->m, result->loc, &parts));
}

static const ir_expr *
filled(struct cells *c, struct loc loc, enum op_id op, const ir_type *t)
{
	const struct ir_tensor_type *x = ir_as_tensor_type(t);
	const ir_attrs *a = ir_attrs_defaults(c->m->cx, ir_op_info(op)->attrs);
	ir_attr *dims = ARENA_NEW_ARRAY(c->cx->scratch, x->ndim, ir_attr);

	for (uint32_t i = 0; i < x->ndim; i++) {
		dims[i] = ATTR_INT32(x->shape[i].value);
		if (x->shape[i].kind == DIM_INT64)
			dims[i].bits = 64;
	}
	a = ir_attrs_with(c->m->cx, a, "shape",
			  ir_attr_array(c->m->cx, dims, x->ndim));
	a = ir_attrs_with(c->m->cx, a, "dtype", ATTR_DT(x->dtype));
	return ir_new_op_call(c->m, loc, op, NULL, 0, a);
}

/*
 * zeros_like, ones_like. What they look at is computed inside the function
 * only if that is a variable: anything else others may use as well.
 */
static const ir_expr *
lazy_like(struct cells *c, const struct ir_call *e, const struct ir_call *old)
{
	bool zero = ir_is_call_of(&old->base, OP_zeros_like);
	const struct ir_ctor *ctor = zero ? c->zero : c->one;
	const ir_type *t = old->base.type;
	const ir_expr *result;

	if (old->args[0]->kind == IR_VAR)
		result = call_with_tensors(c, e, old);
	else if (ir_shape_is_static(ir_as_tensor_type(t)))
		result = filled(c, e->base.loc, zero ? OP_zeros : OP_ones, t);
	else
		return put_in(c, call_with_tensors(c, e, old));
	return lazy(c, ctor, result, t);
}

/* A sum or product that looks at the cells first. */
static const ir_expr *
call_of_cells(struct cells *c, const ir_expr *function, const struct ir_call *e,
	      const ir_type *t)
{
	ir_context *cx = c->m->cx;
	struct loc loc = e->base.loc;
	const ir_expr *vars[] = {
		ir_new_var(c->m, loc, ir_name(cx, "lhs"), t),
		ir_new_var(c->m, loc, ir_name(cx, "rhs"), t),
	};
	const struct ir_var *params[] = {ir_as_var(vars[0]),
					 ir_as_var(vars[1])};
	struct ir_function_parts parts = {
		.params = params,
		.nparams = 2,
		.ret_type = t,
		.body = ir_new_call(c->m, loc, e->callee, vars, 2, e->attrs),
	};
	const ir_expr *args[] = {ir_new_function(c->m, loc, &parts), e->args[0],
				 e->args[1]};

	return ir_new_call(c->m, loc, function, args, 3, NULL);
}

static const ir_expr *
change_op_call(struct cells *c, const struct ir_call *e,
	       const struct ir_call *old, enum op_id op)
{
	const ir_type *t = old->base.type;

	switch (op) {
	case OP_add:
	case OP_multiply:
		if (old->args[0]->type != old->args[1]->type)
			break;
		return call_of_cells(c, op == OP_add ? c->add : c->multiply, e,
				     t);
	case OP_zeros:
	case OP_ones:
		return lazy(c, op == OP_zeros ? c->zero : c->one, &e->base, t);
	case OP_zeros_like:
	case OP_ones_like:
		return lazy_like(c, e, old);
	default:
		break;
	}
	return convert(c, call_with_tensors(c, e, old), t, put_in);
}

static const ir_expr *
change_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct cells *c = env;
	const struct ir_call *x = ir_as_call(e);
	const ir_op *op = ir_called_op(old);

	if (op)
		return change_op_call(c, x, ir_as_call(old), op->id);
	if (x->callee->kind != IR_GLOBAL && !ir_is_primitive(x->callee))
		return e;
	return convert(c, call_with_tensors(c, x, ir_as_call(old)), old->type,
		       put_in);
}

static bool
enter(const ir_expr *e, void *env)
{
	(void)env;
	return !ir_is_primitive(e);
}

static const struct ir_rules rules = {
	.on =
		{
			[IR_VAR] = change_var,
			[IR_CONSTANT] = change_constant,
			[IR_FUNCTION] = change_function,
			[IR_LET] = change_let,
			[IR_IF] = change_if,
			[IR_MATCH] = change_match,
			[IR_CALL] = change_call,
		},
	.enter = enter,
	.drop_types = true,
};

struct search {
	const ir_expr *obstacle;
};

/* What takes tensors, not cells, may be called, but is no value here. */
static bool
takes_tensors(const ir_expr *e)
{
	return e->kind == IR_GLOBAL || ir_is_primitive(e);
}

static const ir_expr *
operand_that_takes_tensors(const ir_expr *e)
{
	for (uint32_t i = e->kind == IR_CALL; i < ir_num_operands(e); i++)
		if (takes_tensors(ir_operand(e, i)))
			return ir_operand(e, i);
	return NULL;
}

static bool
call_is_open(const struct ir_call *c)
{
	if (c->callee->kind != IR_GLOBAL)
		return true;
	if (!type_is_data(c->base.type))
		return false;
	for (uint32_t i = 0; i < c->nargs; i++)
		if (!type_is_data(c->args[i]->type))
			return false;
	return true;
}

static bool
look_for_obstacle(const ir_expr *e, void *env)
{
	struct search *s = env;
	const ir_expr *value = operand_that_takes_tensors(e);
	bool ok = true;

	if (value && !ir_is_primitive(e)) {
		e = value;
		ok = false;
	} else if (e->kind == IR_CALL) {
		ok = call_is_open(ir_as_call(e));
	} else if (e->kind == IR_CTOR) {
		ok = ctor_is_generic(ir_as_ctor(e));
	} else if (e->kind == IR_MATCH) {
		const struct ir_match *x = ir_as_match(e);

		for (uint32_t i = 0; i < x->nclauses && ok; i++)
			ok = pattern_is_generic(x->clauses[i].pattern);
	}
	if (!ok && !s->obstacle)
		s->obstacle = e;
	return ok && !ir_is_primitive(e);
}

static bool
is_suitable(pass_ctx *cx, const struct ir_function *fn)
{
	struct search s = {0};

	if (!fn->body || fn->ntype_params || ir_is_primitive(&fn->base))
		return false;
	for (uint32_t i = 0; i < fn->nparams; i++)
		if (!type_is_data(fn->params[i]->annotation))
			return false;
	if (!type_is_data(fn->ret_type))
		return false;
	ir_walk(fn->body, look_for_obstacle, NULL, &s);
	if (s.obstacle)
		pass_remark(cx, s.obstacle->loc,
			    "what this holds cannot be put into cells");
	return !s.obstacle;
}

struct border {
	struct cells *c;
	VEC(struct ir_let) lets; /* var and value used */
};

static const ir_expr *
bind(struct border *b, const ir_expr *value)
{
	struct cells *c = b->c;
	struct ir_let l = {
		.var = ir_as_var(ir_new_var(c->m, value->loc,
					    fresh_name(c->names), NULL)),
		.value = value,
	};

	vec_push(&b->lets, l);
	return &l.var->base;
}

/* As convert, but with parts of tuples bound. */
static const ir_expr *
convert_at_border(struct border *b, const ir_expr *x, const ir_type *t,
		  convert_fn *one)
{
	struct cells *c = b->c;
	const struct ir_tuple_type *tt;
	const ir_expr **fields;

	if (t->kind != TYPE_TUPLE)
		return one(c, x);
	tt = ir_as_tuple_type(t);
	fields = ARENA_NEW_ARRAY(c->cx->scratch, tt->nfields, const ir_expr *);
	for (uint32_t i = 0; i < tt->nfields; i++)
		fields[i] = bind(b, ir_new_proj(c->m, x->loc, x, i));
	for (uint32_t i = 0; i < tt->nfields; i++)
		fields[i] = convert_at_border(b, fields[i], tt->fields[i], one);
	return ir_new_tuple(c->m, x->loc, fields, tt->nfields);
}

/* FN as before, calling INNER, which does the same with cells. */
static const struct ir_function *
wrap(struct cells *c, const struct ir_function *fn, const ir_expr *inner)
{
	struct ir_function_parts parts = ir_function_parts(fn);
	const ir_expr **args =
		ARENA_NEW_ARRAY(c->cx->scratch, fn->nparams, const ir_expr *);
	struct border b = {.c = c};
	const ir_expr *body;

	for (uint32_t i = 0; i < fn->nparams; i++)
		args[i] = convert_at_border(&b, &fn->params[i]->base,
					    fn->params[i]->annotation, put_in);
	body = bind(&b, ir_new_call(c->m, fn->base.loc, inner, args,
				    fn->nparams, NULL));
	body = convert_at_border(&b, body, fn->ret_type, take_out);
	while (b.lets.len) {
		struct ir_let l = vec_pop(&b.lets);

		body = ir_new_let(c->m, l.value->loc, l.var, l.value, body);
	}
	vec_free(&b.lets);
	parts.body = body;
	return ir_as_function(ir_new_function(c->m, fn->base.loc, &parts));
}

const struct ir_function *
pass_lazy_gradient_init(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct cells c = {
		.cx = cx,
		.m = cx->module,
		.types = {.m = cx->module,
			  .arena = cx->scratch,
			  .tensor = cell_of_tensor},
	};
	struct ir_function_parts parts = ir_function_parts(fn);
	const ir_expr *inner;

	(void)def;
	c.types.env = &c;
	if (!is_suitable(cx, fn))
		return fn;
	if (!find_definitions(&c)) {
		pass_error(cx, fn->base.loc,
			   "the module defines GradCell differently");
		return fn;
	}
	parts.attrs = NULL;
	inner = ir_new_function(c.m, fn->base.loc, &parts);
	c.names = fresh_names_of_run(cx, "x_");
	fn = wrap(&c, fn, ir_rewrite(c.m, inner, &rules, &c));
	retype_free(&c.types);
	return fn;
}
