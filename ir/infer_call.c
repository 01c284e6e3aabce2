/*
 * Types of calls: operators through their relations, functions, constructors
 * and closures by unification. Projections wait like calls, so they are here.
 */
#include "ir/infer_internal.h"

#include <string.h>

enum { FEW_ARGS = 8 };

/* "1 argument", "2 arguments". */
static const char *
plural(uint32_t n)
{
	return n == 1 ? "" : "s";
}

/* No more is said about what the arguments of C lack. */
static void
poison_args(struct infer *in, const struct ir_call *c)
{
	for (uint32_t i = 0; i < c->nargs; i++)
		infer_poison(in, c->args[i]->type);
}

/* Fill R's types of the inputs; false: one of them is the result of a fault. */
static bool
collect_args(struct infer *in, struct rel *r)
{
	for (uint32_t i = 0; i < r->nargs; i++) {
		const ir_type *t = r->call->args[i]->type;

		if (t->flags & TYPE_HAS_HOLE) {
			t = infer_resolve(in, t);
			if (infer_is_poisoned(in, t))
				return false;
		}
		r->args[i] = t;
	}
	return true;
}

static const ir_attrs *
attrs_of(struct infer *in, const struct ir_call *c, const ir_op *op)
{
	if (c->attrs || !op->attrs)
		return c->attrs;
	return ir_attrs_defaults(in->cx, op->attrs);
}

/* A call may name another record than its operator takes. */
static bool
check_record(struct rel *r)
{
	const ir_op *op = r->op;

	if (!r->attrs || !op->attrs || r->attrs->schema == op->attrs ||
	    (op->traits & OP_TRAIT_MISMATCH) ||
	    strcmp(r->attrs->schema->key, op->attrs->key) == 0)
		return true;
	rel_error(r, "the attributes are \"%s\", but \"%s\" are expected",
		  r->attrs->schema->key, op->attrs->key);
	return false;
}

/*
 * Run the relation of OP on C. in->result goes in as what is known of the
 * result (or NULL) and comes out as its type.
 */
static enum rel_result
run_relation(struct infer *in, const struct ir_call *c, const ir_op *op)
{
	const ir_type *few[FEW_ARGS];
	struct rel r = {
		.cx = in->cx,
		.infer = in,
		.call = c,
		.op = op,
		.attrs = attrs_of(in, c, op),
		.nargs = c->nargs,
		.args = few,
		.scratch = &in->scratch,
	};
	enum rel_result res = REL_FAIL;

	if (c->nargs > FEW_ARGS)
		r.args = xmalloc(c->nargs * sizeof(*r.args));
	if (collect_args(in, &r)) {
		if (check_record(&r))
			res = op->relation(&r);
		if (res == REL_FAIL)
			in->errors++;
	}
	if (res == REL_FAIL)
		poison_args(in, c);
	if (r.args != few)
		free(r.args);
	if (in->scratch.used)
		arena_reset(&in->scratch);
	return res;
}

/* Is the number of arguments what OP takes? Reports. */
static bool
check_inputs(struct infer *in, const struct ir_call *c, const ir_op *op)
{
	if (op->id == OP_UNKNOWN) {
		infer_error(in, c->base.loc,
			    "the type of unknown operator '%s' cannot be "
			    "inferred",
			    op->name);
		return false;
	}
	if (!op->relation) {
		infer_error(in, c->base.loc,
			    "operator '%s' has no type relation", op->name);
		return false;
	}
	if (op->ninputs == OP_MANY_INPUTS || (uint32_t)op->ninputs == c->nargs)
		return true;
	infer_error(in, c->base.loc,
		    "operator '%s' takes %d argument%s, but %u %s given",
		    op->name, op->ninputs, plural((uint32_t)op->ninputs),
		    c->nargs, c->nargs == 1 ? "is" : "are");
	return false;
}

static void
call_operator(struct infer *in, const struct ir_call *c, const ir_op *op)
{
	if (!check_inputs(in, c, op)) {
		poison_args(in, c);
		infer_set_type(in, &c->base, in->error);
		return;
	}
	in->result = NULL;
	if (in->late) {
		in->result = infer_new_hole(in);
		infer_set_type(in, &c->base, in->result);
		infer_add_late(in, &c->base, in->result);
		return;
	}
	switch (run_relation(in, c, op)) {
	case REL_FAIL:
		infer_set_type(in, &c->base, in->error);
		break;
	case REL_DEFER:
		if (!in->result)
			in->result = infer_new_hole(in);
		infer_set_type(in, &c->base, in->result);
		infer_add_pending(in, &c->base, in->result);
		break;
	case REL_DONE:
		if (!in->result)
			in->result = infer_new_hole(in);
		infer_set_type(in, &c->base, in->result);
		break;
	}
}

/* How messages call the callee: "'@f'", "constructor 'Cons'", ... */
static const char *
callee_name(struct infer *in, const ir_expr *callee)
{
	switch (callee->kind) {
	case IR_GLOBAL:
		return arena_printf(&in->arena, "'@%s'",
				    ir_as_global(callee)->name);
	case IR_CTOR:
		return arena_printf(&in->arena, "constructor '%s'",
				    ir_as_ctor(callee)->name);
	case IR_VAR:
		return arena_printf(&in->arena, "'%%%s'",
				    ir_as_var(callee)->name);
	default:
		return "the function";
	}
}

/* An argument keeps the dimensions that its parameter does not know. */
static bool
pass_argument(struct infer *in, const ir_type *param, const ir_type *arg)
{
	bool forgot = in->forgot;
	bool fits = infer_unify(in, param, infer_resolve(in, arg)) != NULL;

	in->forgot = forgot;
	return fits;
}

/* Match the arguments of C with the parameters of F. */
static const ir_type *
apply_function(struct infer *in, const struct ir_call *c,
	       const struct ir_func_type *f)
{
	const ir_type *ret = f->ret;

	if (f->nparams != c->nargs) {
		poison_args(in, c);
		return infer_error(in, c->base.loc,
				   "%s takes %u argument%s, but %u %s given",
				   callee_name(in, c->callee), f->nparams,
				   plural(f->nparams), c->nargs,
				   c->nargs == 1 ? "is" : "are");
	}
	if (f->nvars) {
		f = infer_instantiate(in, f);
		ret = f->ret;
	}
	for (uint32_t i = 0; i < c->nargs; i++) {
		const ir_expr *arg = c->args[i];

		if (pass_argument(in, f->params[i], arg->type))
			continue;
		infer_error(in, c->base.loc,
			    "argument %u of %s has type %s, but %s is "
			    "expected",
			    i + 1, callee_name(in, c->callee),
			    infer_type_text(in, arg->type),
			    infer_type_text(in, f->params[i]));
		infer_poison(in, arg->type);
		infer_poison(in, f->params[i]);
	}
	return ret;
}

/* The callee's type is a free hole: it is a function of these arguments. */
static const ir_type *
call_unknown(struct infer *in, const struct ir_call *c, const ir_type *hole)
{
	const ir_type **args = xmalloc((c->nargs + 1) * sizeof(*args));
	const ir_type *ret = infer_new_hole(in);
	const ir_type *f;

	for (uint32_t i = 0; i < c->nargs; i++)
		args[i] = c->args[i]->type;
	f = ir_type_func(in->cx, args, c->nargs, ret, NULL, 0);
	free(args);
	if (infer_unify(in, hole, f))
		return ret;
	infer_poison(in, hole);
	poison_args(in, c);
	return infer_error(in, c->base.loc,
			   "%s is called with itself: its type would be "
			   "infinite",
			   callee_name(in, c->callee));
}

void
infer_call(struct infer *in, const struct ir_call *c)
{
	const ir_type *callee;
	const ir_type *t;

	if (c->callee->kind == IR_OP) {
		call_operator(in, c, ir_as_op_ref(c->callee)->op);
		return;
	}
	infer_run_queue(in);
	callee = infer_head(in, c->callee->type);
	if (callee->kind == TYPE_FUNC) {
		t = apply_function(in, c, ir_as_func_type(callee));
	} else if (callee == in->error) {
		poison_args(in, c);
		t = in->error;
	} else if (callee->kind == TYPE_HOLE) {
		t = call_unknown(in, c, callee);
	} else {
		t = infer_error(in, c->base.loc,
				"only functions can be called, but %s has "
				"type %s",
				c->callee->kind == IR_FUNCTION
					? "the callee"
					: callee_name(in, c->callee),
				infer_type_text(in, callee));
		poison_args(in, c);
	}
	infer_set_type(in, &c->base, t);
}

/* Field INDEX of a known tuple. */
static const ir_type *
field_of(struct infer *in, const struct ir_proj *p, const ir_type *t)
{
	const struct ir_tuple_type *tuple;

	if (t == in->error)
		return t;
	if (t->kind != TYPE_TUPLE)
		return infer_error(in, p->base.loc,
				   "only tuples have fields, but this has "
				   "type %s",
				   infer_type_text(in, t));
	tuple = ir_as_tuple_type(t);
	if (p->index < tuple->nfields)
		return tuple->fields[p->index];
	return infer_error(in, p->base.loc,
			   "there is no field %u in a tuple of type %s",
			   p->index, infer_type_text(in, t));
}

void
infer_proj(struct infer *in, const struct ir_proj *p)
{
	const ir_type *t = infer_head(in, p->tuple->type);

	if (t->kind != TYPE_HOLE || t == in->error) {
		infer_set_type(in, &p->base, field_of(in, p, t));
		return;
	}
	t = infer_new_hole(in);
	infer_set_type(in, &p->base, t);
	infer_add_pending(in, &p->base, t);
}

static void
retry_proj(struct infer *in, const struct ir_proj *p, uint32_t i)
{
	const ir_type *t = infer_head(in, p->tuple->type);
	const ir_type *field;

	if (t->kind == TYPE_HOLE && t != in->error)
		return;
	in->pending.at[i].done = true;
	field = field_of(in, p, t);
	if (!infer_unify(in, in->pending.at[i].result, field))
		infer_error(in, p->base.loc,
			    "this field has type %s, but %s is expected",
			    infer_type_text(in, field),
			    infer_type_text(in, in->pending.at[i].result));
}

void
infer_retry(struct infer *in, uint32_t i)
{
	const ir_expr *e = in->pending.at[i].node;
	const struct ir_call *c;

	if (e->kind == IR_PROJ) {
		retry_proj(in, ir_as_proj(e), i);
		return;
	}
	c = ir_as_call(e);
	in->result = in->pending.at[i].result;
	switch (run_relation(in, c, ir_as_op_ref(c->callee)->op)) {
	case REL_FAIL:
		infer_poison(in, in->pending.at[i].result);
		in->pending.at[i].done = true;
		break;
	case REL_DONE:
		in->pending.at[i].done = true;
		break;
	case REL_DEFER:
		break;
	}
}

/*
 * An operator as a value: a function of unknown types that the relation ties
 * together. The call that stands for it lives as long as the run.
 */
const ir_type *
infer_op_value(struct infer *in, const struct ir_op_ref *ref)
{
	const ir_op *op = ref->op;
	uint32_t n = op->ninputs < 0 ? 0 : (uint32_t)op->ninputs;
	const ir_type **params;
	struct ir_call *c;

	if (op->ninputs == OP_MANY_INPUTS || !op->relation)
		return infer_error(in, ref->base.loc,
				   "operator '%s' cannot be used as a value",
				   op->name);
	params = ARENA_NEW_ARRAY(&in->arena, n + 1, const ir_type *);
	c = arena_alloc(&in->arena, sizeof(*c) + n * sizeof(*c->args));
	c->base.kind = IR_CALL;
	c->base.loc = ref->base.loc;
	c->callee = &ref->base;
	c->nargs = n;
	for (uint32_t i = 0; i < n; i++) {
		struct ir_hole *h = ARENA_NEW(&in->arena, struct ir_hole);

		h->base.kind = IR_HOLE;
		h->base.loc = ref->base.loc;
		h->base.type = params[i] = infer_new_hole(in);
		c->args[i] = &h->base;
	}
	c->base.type = infer_new_hole(in);
	infer_add_pending(in, &c->base, c->base.type);
	infer_retry(in, (uint32_t)in->pending.len - 1);
	return ir_type_func(in->cx, params, n, c->base.type, NULL, 0);
}

const ir_type *
infer_ctor_type(struct infer *in, const struct ir_ctor *c)
{
	const ir_type_def *adt = c->adt;
	const ir_type *ret =
		ir_type_adt(in->cx, adt->name, adt->params, adt->nparams);

	return ir_type_func(in->cx, c->fields, c->nfields, ret, adt->params,
			    adt->nparams);
}
