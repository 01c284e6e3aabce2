/*
 * first-order-gradient: make functions compute their gradients as well.
 *
 *     def @f(%x: T) { exp(%x) }      becomes a function to (T, (T,)) with
 *
 *     let %x_0 = %x; let %x_1 = zeros_like(%x_0);
 *     let %x_2 = exp(%x_0); let %x_3 = zeros_like(%x_2);
 *     (%x_2, (let %x_4 = add(%x_1, multiply(ones_like(%x_2), %x_2));
 *             (%x_4,)))
 *
 * Forwards, each value is bound together with a gradient of zero; backwards,
 * each operator adds to the gradients of its arguments. Calls of function
 * literals are unfolded first. Conditionals, matches, references and other
 * definitions have no place here: -gradient takes them.
 *
 * Each projection writes the gradient of its tuple anew, with one field
 * changed. That would be too much for very wide tuples: their fields are kept
 * apart, and put together where the whole is asked for.
 *
 * Level: module. Needs: types. Keeps: types of values, not of gradients.
 */
#include "passes/fresh_names.h"
#include "passes/let_list.h"
#include "passes/gradient/gradient.h"

struct dual {
	const ir_expr *node;  /* of the input */
	const ir_expr *value; /* a variable */
	const ir_expr *grad;
	const ir_expr **fields; /* of a wide tuple: instead of those in GRAD */
};

/* Fields of a tuple that is wide. */
enum { WIDE = 100 };

struct reverse {
	pass_ctx *cx;
	ir_module *m;
	struct fresh_names *names;
	struct ir_map duals;      /* node, parameter -> dual */
	struct ir_map lets;       /* variable -> value bound to it */
	VEC(struct dual *) order; /* what has something to pass on */
	struct let_list bindings;
};

/* Calls of literals become bodies. */
struct unfolder {
	ir_module *m;
	struct ir_map functions; /* variable -> literal */
	const ir_expr *generic;  /* a literal with type parameters: stays */
};

static const ir_expr *
unfold_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct unfolder *u = env;
	const struct ir_call *c = ir_as_call(e);
	const struct ir_function *f;
	struct ir_map args = {0};
	const ir_expr *body;

	(void)old;
	if (c->callee->kind != IR_FUNCTION)
		return e;
	f = ir_as_function(c->callee);
	if (f->ntype_params)
		u->generic = c->callee;
	if (!f->body || f->nparams != c->nargs || f->ntype_params)
		return e;
	for (uint32_t i = 0; i < f->nparams; i++)
		ir_map_put(&args, &f->params[i]->base, c->args[i]);
	body = ir_substitute(u->m, ir_refresh_binders(u->m, f->body), &args);
	ir_map_free(&args);
	return body;
}

static void
note_function(const struct ir_let *let, const ir_expr *value, void *env)
{
	struct unfolder *u = env;

	if (value->kind == IR_FUNCTION)
		ir_map_put(&u->functions, &let->var->base, value);
}

static const ir_expr *
replace_function(const ir_expr *e, const ir_expr *old, void *env)
{
	struct unfolder *u = env;

	(void)old;
	return ir_map_get(&u->functions, e);
}

static const ir_expr *
drop_function(const ir_expr *e, const ir_expr *old, void *env)
{
	struct unfolder *u = env;
	const struct ir_let *l = ir_as_let(e);

	(void)old;
	return ir_map_get(&u->functions, &l->var->base) ? l->body : e;
}

static const struct ir_rules unfolding = {
	.on =
		{
			[IR_CALL] = unfold_call,
			[IR_VAR] = replace_function,
			[IR_LET] = drop_function,
		},
	.bound = note_function,
};

static const ir_expr *
unfold_literals(ir_module *m, const ir_expr *body, const ir_expr **generic)
{
	struct unfolder u = {.m = m};

	body = ir_rewrite(m, body, &unfolding, &u);
	ir_map_free(&u.functions);
	*generic = u.generic;
	return body;
}

static const ir_expr *
bind(struct reverse *r, const ir_expr *value, const ir_type *type)
{
	return let_list_bind(&r->bindings, r->m, r->names, value, type);
}

static const ir_expr *
close(struct reverse *r, size_t mark, const ir_expr *body)
{
	return let_list_close(&r->bindings, r->m, mark, body);
}

/* A constant tensor, or tuple of tensors, of type T. */
static const ir_expr *
filled(struct reverse *r, struct loc loc, enum op_id op, const ir_type *t)
{
	ir_context *cx = r->m->cx;
	const struct ir_tuple_type *tt;
	const struct ir_tensor_type *x;
	const ir_expr **fields;
	const ir_attrs *a;
	ir_attr *dims;

	if (t->kind == TYPE_TUPLE) {
		tt = ir_as_tuple_type(t);
		fields = ARENA_NEW_ARRAY(r->cx->scratch, tt->nfields,
					 const ir_expr *);
		for (uint32_t i = 0; i < tt->nfields; i++)
			fields[i] = filled(r, loc, op, tt->fields[i]);
		return ir_new_tuple(r->m, loc, fields, tt->nfields);
	}
	x = ir_as_tensor_type(t);
	dims = ARENA_NEW_ARRAY(r->cx->scratch, x->ndim, ir_attr);
	for (uint32_t i = 0; i < x->ndim; i++) {
		dims[i] = ATTR_INT32(x->shape[i].value);
		if (x->shape[i].kind == DIM_INT64)
			dims[i].bits = 64;
	}
	a = ir_attrs_defaults(cx, ir_op_info(op)->attrs);
	a = ir_attrs_with(cx, a, "shape", ir_attr_array(cx, dims, x->ndim));
	a = ir_attrs_with(cx, a, "dtype", ATTR_DT(x->dtype));
	return ir_new_op_call(r->m, loc, op, NULL, 0, a);
}

/* Tensors, and tuples of them whose shapes are known. */
static bool
is_differentiable(const ir_type *t, bool inside)
{
	if (t->kind == TYPE_TENSOR)
		return !inside || ir_shape_is_static(ir_as_tensor_type(t));
	if (t->kind != TYPE_TUPLE)
		return false;
	for (uint32_t i = 0; i < ir_as_tuple_type(t)->nfields; i++)
		if (!is_differentiable(ir_as_tuple_type(t)->fields[i], true))
			return false;
	return true;
}

static struct dual *
dual_of(const struct reverse *r, const ir_expr *e)
{
	while (!ir_map_get(&r->duals, e) &&
	       (e->kind == IR_LET || e->kind == IR_VAR)) {
		const ir_expr *to = e->kind == IR_LET ? ir_as_let(e)->body
						      : ir_map_get(&r->lets, e);

		if (!to)
			break;
		e = to;
	}
	return ir_map_get(&r->duals, e);
}

/* Bind VALUE, which NODE is forwards, and a gradient of zero. */
static struct dual *
add_dual(struct reverse *r, const ir_expr *node, const ir_expr *value,
	 const ir_type *type)
{
	struct dual *d = ARENA_NEW(r->cx->scratch, struct dual);
	const ir_expr *zero;

	d->node = node;
	d->value = bind(r, value, type);
	if (type->kind == TYPE_TENSOR)
		zero = ir_new_op_call(r->m, value->loc, OP_zeros_like,
				      &d->value, 1, NULL);
	else
		zero = filled(r, value->loc, OP_zeros, type);
	d->grad = bind(r, zero, NULL);
	ir_map_put(&r->duals, node, d);
	return d;
}

static bool
refuse(struct reverse *r, const ir_expr *e, const char *what)
{
	pass_error(r->cx, e->loc, "%s in a function to be differentiated",
		   what);
	return false;
}

static bool
check_node(struct reverse *r, const ir_expr *e)
{
	switch ((enum ir_kind)e->kind) {
	case IR_GLOBAL:
		return refuse(r, e, "another definition");
	case IR_IF:
		return refuse(r, e, "'if'");
	case IR_MATCH:
	case IR_CTOR:
		return refuse(r, e, "a data type");
	case IR_REF_NEW:
	case IR_REF_READ:
	case IR_REF_WRITE:
		return refuse(r, e, "a reference");
	case IR_FUNCTION:
		return refuse(r, e, "a function as a value");
	default:
		break;
	}
	if (e->kind != IR_OP && !is_differentiable(e->type, false))
		return refuse(r, e, "a value without gradient");
	return true;
}

static bool
forward(struct reverse *r, const ir_expr *e)
{
	uint32_t n = ir_num_operands(e);
	const ir_expr **operands =
		ARENA_NEW_ARRAY(r->cx->scratch, n, const ir_expr *);
	const ir_expr *value;

	if (e->kind == IR_LET || e->kind == IR_VAR || e->kind == IR_OP)
		return e->kind != IR_VAR || dual_of(r, e) ||
		       refuse(r, e, "a free variable");
	if (!check_node(r, e))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const ir_expr *x = ir_operand(e, i);

		operands[i] = x->kind == IR_OP ? x : dual_of(r, x)->value;
	}
	value = e->kind == IR_CONSTANT ? e : ir_rebuild(r->m, e, operands);
	ir_set_type(value, e->type);
	vec_push(&r->order, add_dual(r, e, value, e->type));
	return true;
}

static const ir_expr *
proj(struct reverse *r, const ir_expr *tuple, uint32_t i)
{
	return ir_new_proj(r->m, tuple->loc, tuple, i);
}

/* The sum of A and B, of type T, component by component. */
static const ir_expr *
sum(struct reverse *r, struct loc loc, const ir_expr *a, const ir_expr *b,
    const ir_type *t)
{
	const ir_expr *args[] = {a, b};
	const struct ir_tuple_type *tt;
	const ir_expr **fields;

	if (t->kind == TYPE_TENSOR)
		return bind(r, ir_new_op_call(r->m, loc, OP_add, args, 2, NULL),
			    NULL);
	tt = ir_as_tuple_type(t);
	fields = ARENA_NEW_ARRAY(r->cx->scratch, tt->nfields, const ir_expr *);
	for (uint32_t i = 0; i < tt->nfields; i++)
		fields[i] = sum(r, loc, proj(r, a, i), proj(r, b, i),
				tt->fields[i]);
	return bind(r, ir_new_tuple(r->m, loc, fields, tt->nfields), NULL);
}

/* The gradient of field I. */
static const ir_expr *
grad_field(struct reverse *r, const struct dual *d, uint32_t i)
{
	if (d->fields && d->fields[i])
		return d->fields[i];
	return proj(r, d->grad, i);
}

/* The gradient as a whole. */
static const ir_expr *
whole_grad(struct reverse *r, struct dual *d)
{
	const struct ir_tuple_type *t;

	if (!d->fields)
		return d->grad;
	t = ir_as_tuple_type(d->node->type);
	for (uint32_t i = 0; i < t->nfields; i++)
		d->fields[i] = grad_field(r, d, i);
	d->grad =
		bind(r, ir_new_tuple(r->m, d->node->loc, d->fields, t->nfields),
		     NULL);
	d->fields = NULL;
	return d->grad;
}

static void
add_grad(struct reverse *r, struct dual *d, struct loc loc, const ir_expr *grad,
	 const ir_type *t)
{
	d->grad = sum(r, loc, whole_grad(r, d), grad, t);
}

static void
pass_on_projection(struct reverse *r, struct dual *d)
{
	const struct ir_proj *p = ir_as_proj(d->node);
	const struct ir_tuple_type *t = ir_as_tuple_type(p->tuple->type);
	struct dual *to = dual_of(r, p->tuple);
	const ir_expr *grad = whole_grad(r, d);
	const ir_expr **fields = to->fields;

	if (!fields)
		fields = ARENA_NEW_ARRAY(r->cx->scratch, t->nfields,
					 const ir_expr *);
	if (t->nfields > WIDE) {
		to->fields = fields;
		fields[p->index] =
			sum(r, d->node->loc, grad_field(r, to, p->index), grad,
			    t->fields[p->index]);
		return;
	}
	for (uint32_t i = 0; i < t->nfields; i++) {
		fields[i] = proj(r, to->grad, i);
		if (i == p->index)
			fields[i] = sum(r, d->node->loc, fields[i], grad,
					t->fields[i]);
	}
	to->grad = bind(r, ir_new_tuple(r->m, d->node->loc, fields, t->nfields),
			NULL);
}

/* Nothing flows back from integers. */
static bool
has_floats(const ir_type *t)
{
	if (t->kind == TYPE_TENSOR)
		return dtype_is_float(ir_as_tensor_type(t)->dtype);
	for (uint32_t i = 0; i < ir_as_tuple_type(t)->nfields; i++)
		if (has_floats(ir_as_tuple_type(t)->fields[i]))
			return true;
	return false;
}

static bool
pass_on_call(struct reverse *r, struct dual *d)
{
	const struct ir_call *c = ir_as_call(d->node);
	const ir_expr **to =
		ARENA_NEW_ARRAY(r->cx->scratch, c->nargs, const ir_expr *);
	const ir_expr **args =
		ARENA_NEW_ARRAY(r->cx->scratch, c->nargs, const ir_expr *);
	struct gradient g = {
		.cx = r->cx,
		.b = {r->m, c->base.loc},
		.out = d->value,
		.grad = whole_grad(r, d),
		.to = to,
	};

	for (uint32_t i = 0; i < c->nargs; i++)
		args[i] = dual_of(r, c->args[i])->value;
	g.call = ir_as_call(ir_new_call(r->m, c->base.loc, c->callee, args,
					c->nargs, c->attrs));
	ir_set_type(&g.call->base, c->base.type);
	if (!gradient_of_call(&g))
		return false;
	for (uint32_t i = 0; i < c->nargs; i++)
		if (to[i])
			add_grad(r, dual_of(r, c->args[i]), c->base.loc, to[i],
				 c->args[i]->type);
	return true;
}

static bool
pass_on(struct reverse *r, struct dual *d)
{
	if (d->node->kind == IR_CALL)
		return !has_floats(d->node->type) || pass_on_call(r, d);
	if (d->node->kind == IR_PROJ) {
		pass_on_projection(r, d);
	} else if (d->node->kind == IR_TUPLE) {
		const struct ir_tuple *t = ir_as_tuple(d->node);

		for (uint32_t i = 0; i < t->nfields; i++)
			add_grad(r, dual_of(r, t->fields[i]), d->node->loc,
				 grad_field(r, d, i), t->fields[i]->type);
	}
	return true;
}

/* (value, (gradients of the parameters)), from the end of the sweep on. */
static const ir_expr *
backward(struct reverse *r, const struct ir_function *fn, const ir_expr *body)
{
	struct dual *out = dual_of(r, body);
	struct loc loc = body->loc;
	size_t mark = r->bindings.len;
	const ir_expr **grads =
		ARENA_NEW_ARRAY(r->cx->scratch, fn->nparams, const ir_expr *);
	const ir_expr *both[2];

	out->grad = body->type->kind == TYPE_TENSOR
			    ? ir_new_op_call(r->m, loc, OP_ones_like,
					     &out->value, 1, NULL)
			    : filled(r, loc, OP_ones, body->type);
	for (size_t i = r->order.len; i-- > 0;)
		if (!pass_on(r, r->order.at[i]))
			return NULL;
	for (uint32_t i = 0; i < fn->nparams; i++)
		grads[i] = whole_grad(r, dual_of(r, &fn->params[i]->base));
	both[0] = out->value;
	both[1] = close(r, mark, ir_new_tuple(r->m, loc, grads, fn->nparams));
	return ir_new_tuple(r->m, loc, both, 2);
}

static const ir_type *
type_with_gradients(struct reverse *r, const struct ir_function *fn)
{
	ir_context *cx = r->m->cx;
	const ir_type **params =
		ARENA_NEW_ARRAY(r->cx->scratch, fn->nparams, const ir_type *);
	const ir_type *both[2];

	for (uint32_t i = 0; i < fn->nparams; i++)
		params[i] = fn->params[i]->annotation;
	both[0] = fn->ret_type;
	both[1] = ir_type_tuple(cx, params, fn->nparams);
	return ir_type_tuple(cx, both, 2);
}

static void
note_let(const ir_expr *e, void *env)
{
	struct reverse *r = env;

	if (e->kind == IR_LET)
		ir_map_put(&r->lets, &ir_as_let(e)->var->base,
			   ir_as_let(e)->value);
}

static const ir_expr *
sweep(struct reverse *r, const struct ir_function *fn, const ir_expr *body)
{
	ir_expr_vec nodes = {0};
	bool ok = true;

	for (uint32_t i = 0; i < fn->nparams && ok; i++) {
		const ir_expr *p = &fn->params[i]->base;
		const ir_type *t = fn->params[i]->annotation;

		ok = is_differentiable(t, false) ||
		     refuse(r, p, "a parameter without gradient");
		if (ok)
			add_dual(r, p, p, t);
	}
	ir_walk(body, NULL, note_let, r);
	ir_postorder(body, &nodes);
	for (size_t i = 0; i < nodes.len && ok; i++)
		ok = forward(r, nodes.at[i]);
	vec_free(&nodes);
	return ok ? backward(r, fn, body) : NULL;
}

static const struct ir_function *
differentiate(struct reverse *r, const struct ir_function *fn)
{
	struct ir_function_parts parts = ir_function_parts(fn);
	const ir_expr *body, *generic;

	body = unfold_literals(r->m, fn->body, &generic);
	if (fn->ntype_params || generic) {
		refuse(r, generic ? generic : &fn->base, "type parameters");
		return NULL;
	}
	if (body != fn->body && !ir_infer_expr(r->m, body, r->cx->diag)) {
		r->cx->failed = true;
		return NULL;
	}
	body = sweep(r, fn, body);
	if (!body)
		return NULL;
	parts.body = close(r, 0, body);
	parts.ret_type = type_with_gradients(r, fn);
	return ir_as_function(ir_new_function(r->m, fn->base.loc, &parts));
}

static bool
is_open(const ir_def *def)
{
	return def->kind == DEF_FUNCTION && def->fn->body &&
	       !ir_is_primitive(&def->fn->base) &&
	       !ir_dict_get(def->fn->attrs, "Compiler");
}

bool
pass_first_order_gradient(pass_ctx *cx)
{
	ir_module *m = cx->module;
	const struct ir_function **done = ARENA_NEW_ARRAY(
		cx->scratch, m->defs.len, const struct ir_function *);
	struct fresh_names names;

	fresh_names_init(&names, m, "x_");
	for (size_t i = 0; i < m->defs.len && !cx->failed; i++) {
		struct reverse r = {.cx = cx, .m = m, .names = &names};

		if (is_open(m->defs.at[i]))
			done[i] = differentiate(&r, m->defs.at[i]->fn);
		ir_map_free(&r.duals);
		ir_map_free(&r.lets);
		vec_free(&r.order);
		vec_free(&r.bindings);
	}
	fresh_names_free(&names);
	for (size_t i = 0; i < m->defs.len && !cx->failed; i++)
		if (done[i])
			m->defs.at[i]->fn = done[i];
	return !cx->failed;
}
