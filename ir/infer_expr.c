/*
 * The walk that types expressions.
 *
 * A loop over an explicit stack of frames: a node is entered, its operands
 * are typed, then it. Functions, lets and matches bind variables between
 * their operands, so they take several steps. A node is typed once per run.
 */
#include "ir/infer_internal.h"

/* The type that E has from before can be relied on. */
static bool
is_trusted(struct infer *in, const ir_expr *e)
{
	if (!in->trust || !e->type || e->type->flags & TYPE_HAS_HOLE)
		return false;
	for (uint32_t i = 0; i < ir_num_operands(e); i++) {
		const ir_expr *operand = ir_operand(e, i);

		if (!operand->type && operand->kind != IR_OP)
			return false;
	}
	return true;
}

/* A type nested deeper than this around a fault is not worth keeping. */
enum { MAX_FAULTY = 20 };

static void
push(struct infer *in, const ir_expr *e)
{
	struct infer_frame f = {.node = e};

	if (!is_trusted(in, e) && !infer_has_seen(in, e))
		vec_push(&in->stack, f);
}

/* E, which has been entered already, goes on at STEP. */
static void
push_step(struct infer *in, const ir_expr *e, uint32_t step)
{
	struct infer_frame f = {.node = e, .step = step};

	vec_push(&in->stack, f);
}

void
infer_set_type(struct infer *in, const ir_expr *e, const ir_type *t)
{
	if (infer_is_too_big(t))
		t = infer_error(in, e->loc,
				"the type of this expression is too large");
	else if (t->depth > MAX_FAULTY && infer_is_poisoned(in, t))
		t = in->error;
	ir_set_type(e, t);
	if (t->flags & TYPE_HAS_HOLE)
		vec_push(&in->fixups, e);
}

struct loc
infer_place(const ir_expr *e, struct loc user)
{
	if (e->kind == IR_VAR || e->kind == IR_GLOBAL || !loc_is_known(e->loc))
		return user;
	return e->loc;
}

/* The annotation of V that counts: one that was written. */
static const ir_type *
written_annotation(const struct ir_var *v)
{
	return v->base.flags & IR_ANNOTATION_INFERRED ? NULL : v->annotation;
}

static void
add_hint(struct infer *in, const ir_type *t, const ir_type *annotation)
{
	struct infer_hint h = {.type = t, .annotation = annotation};

	if (annotation)
		vec_push(&in->hints, h);
}

/* Give V the type T and fill in its annotation. */
static void
set_var(struct infer *in, const struct ir_var *v, const ir_type *t)
{
	infer_set_type(in, &v->base, t);
	if (t->flags & TYPE_HAS_HOLE)
		return;
	infer_fill_var(v);
}

void
infer_fill_var(const struct ir_var *v)
{
	struct ir_var *w = (struct ir_var *)(uintptr_t)v;

	if (w->annotation && !(w->base.flags & IR_ANNOTATION_INFERRED))
		return;
	w->annotation = w->base.type;
	w->base.flags |= IR_ANNOTATION_INFERRED;
}

/* A parameter, or a variable that is used before it is bound. */
static void
declare_var(struct infer *in, const struct ir_var *v)
{
	const ir_type *t = v->annotation;

	if (!infer_see(in, &v->base))
		return;
	if (!t && in->trust)
		t = v->base.type;
	set_var(in, v, t ? t : infer_new_hole(in));
}

void
infer_bind_var(struct infer *in, const struct ir_var *v, const ir_type *t,
	       struct loc loc)
{
	const ir_type *want = written_annotation(v);
	const ir_type *merged;

	if (!infer_see(in, &v->base)) {
		want = v->base.type;
	} else if (!want) {
		if (t->flags & TYPE_HAS_HOLE)
			add_hint(in, t, v->annotation);
		set_var(in, v, t);
		return;
	}
	merged = infer_unify(in, want, t);
	if (!merged) {
		infer_error(in, loc,
			    "the value of '%%%s' has type %s, but %s is "
			    "expected",
			    v->name, infer_type_text(in, t),
			    infer_type_text(in, want));
		infer_poison(in, t);
		merged = want;
	}
	set_var(in, v, merged);
}

static const ir_type *
function_type(struct infer *in, const struct ir_function *f, const ir_type *ret)
{
	const ir_type **params = xmalloc((f->nparams + 1) * sizeof(*params));
	const ir_type *t;

	for (uint32_t i = 0; i < f->nparams; i++)
		params[i] = f->params[i]->base.type;
	t = ir_type_func(in->cx, params, f->nparams, ret, f->type_params,
			 f->ntype_params);
	free(params);
	return t;
}

void
infer_declare_function(struct infer *in, const struct ir_function *f)
{
	const ir_type *ret = f->ret_type;

	if (!infer_see(in, &f->base))
		return;
	for (uint32_t i = 0; i < f->nparams; i++)
		declare_var(in, f->params[i]);
	if (!ret || (f->body && f->base.flags & IR_ANNOTATION_INFERRED)) {
		ret = infer_new_hole(in);
		add_hint(in, ret, f->ret_type);
	}
	ir_set_type(&f->base, function_type(in, f, ret));
}

void
infer_fill_function(const struct ir_function *f)
{
	struct ir_function *g = (struct ir_function *)(uintptr_t)f;
	const ir_type *ret = ir_as_func_type(f->base.type)->ret;

	if (!g->ret_type)
		g->base.flags |= IR_ANNOTATION_INFERRED;
	g->ret_type = ret;
}

/* The body is typed: it decides the result type. */
static void
finish_function(struct infer *in, const struct ir_function *f)
{
	const ir_type *ret = ir_as_func_type(f->base.type)->ret;
	const ir_type *body = ret;

	if (f->body) {
		body = infer_unify(in, f->body->type, ret);
		if (!body) {
			infer_error(in, infer_place(f->body, f->base.loc),
				    "the body of the function has type %s, "
				    "but %s is expected",
				    infer_type_text(in, f->body->type),
				    infer_type_text(in, ret));
			infer_poison(in, f->body->type);
			body = ret;
		}
	}
	infer_set_type(in, &f->base, function_type(in, f, body));
	if (!(f->base.type->flags & TYPE_HAS_HOLE))
		infer_fill_function(f);
}

void
infer_function(struct infer *in, const struct ir_function *f)
{
	push_step(in, &f->base, 1);
	infer_run(in);
}

static void
step_function(struct infer *in, const struct ir_function *f, uint32_t step)
{
	if (step == 0) {
		if (infer_has_seen(in, &f->base))
			return;
		infer_declare_function(in, f);
	}
	if (step <= 1) {
		push_step(in, &f->base, 2);
		if (f->body)
			push(in, f->body);
		return;
	}
	finish_function(in, f);
}

/* A let whose value is a function literal, which may call itself. */
static bool
is_new_closure(struct infer *in, const struct ir_let *l)
{
	return l->value->kind == IR_FUNCTION && !infer_has_seen(in, l->value);
}

static void
step_let(struct infer *in, const struct ir_let *l, uint32_t step)
{
	switch (step) {
	case 0:
		if (!infer_see(in, &l->base))
			return;
		if (is_new_closure(in, l)) {
			infer_declare_function(in, ir_as_function(l->value));
			infer_bind_var(in, l->var, l->value->type,
				       infer_place(l->value, l->base.loc));
			push_step(in, &l->base, 2);
			push_step(in, l->value, 1);
			return;
		}
		push_step(in, &l->base, 1);
		push(in, l->value);
		return;
	case 1:
		infer_bind_var(in, l->var, l->value->type,
			       infer_place(l->value, l->base.loc));
		push_step(in, &l->base, 3);
		push(in, l->body);
		return;
	case 2:
		if (l->var->base.type->flags & TYPE_HAS_HOLE)
			infer_bind_var(in, l->var, l->value->type,
				       infer_place(l->value, l->base.loc));
		push_step(in, &l->base, 3);
		push(in, l->body);
		return;
	default:
		infer_set_type(in, &l->base, l->body->type);
	}
}

static void
step_match(struct infer *in, const struct ir_match *m, uint32_t step)
{
	if (step == 0) {
		if (!infer_see(in, &m->base))
			return;
		push_step(in, &m->base, 1);
		push(in, m->value);
	} else if (step == 1) {
		infer_patterns(in, m);
		push_step(in, &m->base, 2);
		for (uint32_t i = m->nclauses; i-- > 0;)
			push(in, m->clauses[i].body);
	} else {
		infer_clauses(in, m);
	}
}

static void
finish_if(struct infer *in, const struct ir_if *f)
{
	const ir_type *a = f->then_branch->type;
	const ir_type *b = f->else_branch->type;
	const ir_type *t;

	if (!infer_unify(in, f->cond->type, in->boolean)) {
		infer_error(in, infer_place(f->cond, f->base.loc),
			    "the condition has type %s, but bool is expected",
			    infer_type_text(in, f->cond->type));
		infer_poison(in, f->cond->type);
	}
	t = infer_unify(in, a, b);
	if (!t) {
		t = infer_error(in, f->base.loc,
				"the branches have different types: %s and %s",
				infer_type_text(in, a), infer_type_text(in, b));
		infer_poison(in, a);
		infer_poison(in, b);
	}
	infer_set_type(in, &f->base, t);
}

static void
finish_tuple(struct infer *in, const struct ir_tuple *t)
{
	const ir_type *few[8];
	const ir_type **fields = few;
	bool fault = false;

	if (t->nfields > 8)
		fields = xmalloc(t->nfields * sizeof(*fields));
	for (uint32_t i = 0; i < t->nfields; i++) {
		fields[i] = t->fields[i]->type;
		fault |= fields[i] == in->error;
	}
	infer_set_type(in, &t->base,
		       fault ? in->error
			     : ir_type_tuple(in->cx, fields, t->nfields));
	if (fields != few)
		free(fields);
}

/* What the reference E holds; a hole after a fault. */
static const ir_type *
referenced(struct infer *in, const ir_expr *e, struct loc loc)
{
	const ir_type *t = infer_head(in, e->type);
	const ir_type *value;

	if (t->kind == TYPE_REF)
		return ir_as_ref_type(t)->value;
	value = infer_new_hole(in);
	if (infer_unify(in, t, ir_type_ref(in->cx, value)))
		return value;
	infer_poison(in, t);
	return infer_error(in, loc,
			   "a reference is expected, but this has type %s",
			   infer_type_text(in, t));
}

static void
finish_ref_write(struct infer *in, const struct ir_ref_write *w)
{
	const ir_type *held = referenced(in, w->ref, w->base.loc);

	if (!infer_unify(in, held, w->value->type)) {
		infer_error(in, w->base.loc,
			    "the reference holds %s, but the value has type "
			    "%s",
			    infer_type_text(in, held),
			    infer_type_text(in, w->value->type));
		infer_poison(in, w->value->type);
	}
	infer_set_type(in, &w->base, ir_type_tuple(in->cx, NULL, 0));
}

static void
type_constant(struct infer *in, const struct ir_constant *c)
{
	struct ir_dim few[8];
	struct ir_dim *shape = few;
	const ir_tensor *t = c->data;

	if (!t) {
		infer_set_type(in, &c->base,
			       c->base.type ? c->base.type
					    : infer_new_hole(in));
		return;
	}
	/* A folded call with unknown extents keeps the type of the call. */
	if (c->base.type && c->base.type->flags & TYPE_HAS_ANY)
		return;
	if (t->ndim > 8)
		shape = xmalloc(t->ndim * sizeof(*shape));
	for (uint32_t i = 0; i < t->ndim; i++)
		shape[i] = DIM(t->shape[i]);
	ir_set_type(&c->base, ir_type_tensor(in->cx, t->dtype, shape, t->ndim));
	if (shape != few)
		free(shape);
}

/* Definitions have been given their types; one without is not defined. */
static void
type_global(struct infer *in, const struct ir_global *g, struct loc loc)
{
	if (g->base.type)
		return;
	if (infer_known_global(in, g))
		return;
	ir_set_type(&g->base, in->error);
	infer_error(in, loc.len ? loc : g->base.loc,
		    "global '@%s' is not defined", g->name);
}

/* A leaf: a node without operands. */
static void
type_leaf(struct infer *in, const ir_expr *e)
{
	switch (e->kind) {
	case IR_VAR:
		declare_var(in, ir_as_var(e));
		return;
	case IR_GLOBAL:
		type_global(in, ir_as_global(e), e->loc);
		break;
	case IR_CONSTANT:
		type_constant(in, ir_as_constant(e));
		break;
	case IR_CTOR:
		ir_set_type(e, infer_ctor_type(in, ir_as_ctor(e)));
		break;
	case IR_OP:
		infer_set_type(in, e, infer_op_value(in, ir_as_op_ref(e)));
		return;
	default:
		ir_set_type(e, in->error);
		in->errors++;
		break;
	}
	infer_see(in, e);
}

/* All operands of E are typed. */
static void
finish_node(struct infer *in, const ir_expr *e)
{
	const struct ir_ref_read *r;

	switch (e->kind) {
	case IR_TUPLE:
		finish_tuple(in, ir_as_tuple(e));
		break;
	case IR_PROJ:
		infer_proj(in, ir_as_proj(e));
		break;
	case IR_CALL:
		infer_call(in, ir_as_call(e));
		break;
	case IR_IF:
		finish_if(in, ir_as_if(e));
		break;
	case IR_REF_NEW:
		infer_set_type(
			in, e,
			ir_type_ref(in->cx, ir_as_ref_new(e)->value->type));
		break;
	case IR_REF_READ:
		r = ir_as_ref_read(e);
		infer_set_type(in, e, referenced(in, r->ref, e->loc));
		break;
	case IR_REF_WRITE:
		finish_ref_write(in, ir_as_ref_write(e));
		break;
	default:
		assert(!"a kind without operands");
	}
}

/* A callee that is an operator has no type of its own. */
static void
push_operands(struct infer *in, const ir_expr *e)
{
	uint32_t i;

	push_step(in, e, 1);
	for (i = ir_num_operands(e); i-- > 1;)
		push(in, ir_operand(e, i));
	if (ir_num_operands(e) > 0 &&
	    !(e->kind == IR_CALL && ir_operand(e, 0)->kind == IR_OP))
		push(in, ir_operand(e, 0));
}

static void
step(struct infer *in, struct infer_frame f)
{
	switch (f.node->kind) {
	case IR_VAR:
	case IR_GLOBAL:
	case IR_CONSTANT:
	case IR_CTOR:
	case IR_OP:
	case IR_HOLE:
		type_leaf(in, f.node);
		break;
	case IR_FUNCTION:
		step_function(in, ir_as_function(f.node), f.step);
		break;
	case IR_LET:
		step_let(in, ir_as_let(f.node), f.step);
		break;
	case IR_MATCH:
		step_match(in, ir_as_match(f.node), f.step);
		break;
	default:
		if (f.step == 1)
			finish_node(in, f.node);
		else if (infer_see(in, f.node))
			push_operands(in, f.node);
	}
}

void
infer_run(struct infer *in)
{
	while (in->stack.len > 0) {
		step(in, vec_pop(&in->stack));
		if (in->queue.len > 0 && !in->late)
			infer_run_queue(in);
	}
}

void
infer_walk(struct infer *in, const ir_expr *root)
{
	push(in, root);
	infer_run(in);
}
