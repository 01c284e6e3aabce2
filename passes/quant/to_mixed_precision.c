/*
 * to-mixed-precision: do what can be done in a smaller floating type.
 *
 *     %0 = nn.dense(%x, %w, units=4);
 *     nn.softmax(%0)
 *                        becomes
 *     %0 = cast(%x, dtype="float16");
 *     %1 = cast(%w, dtype="float16");
 *     %2 = nn.dense(%0, %1, units=4, out_dtype="float16");
 *     %3 = cast(%2, dtype="float32");
 *     nn.softmax(%3)
 *
 * passes/quant/mixed_precision.def tells which operators are done in the low
 * type always, never, or if their arguments are in it anyway; variables and
 * constants count as such, and what is no float does not count. An operator
 * that is not done in it gets float32, or float64 where that is what it had.
 *
 * Types change as the rewrite goes on, so each new node is typed at once. The
 * parameters of functions keep theirs. So do results, but for definitions
 * that no other mentions and for literals that are only called; values that
 * leave a function otherwise, meet in a conditional or go into a data type or
 * a reference are cast back to what they were.
 *
 * Level: function. Needs: types.
 */
#include "passes/inline_types.h"
#include "passes/pass.h"
#include "passes/quant/low_casts.h"

#include <math.h>
#include <string.h>

enum category { UNLISTED, ALWAYS, FOLLOW, NEVER };

static const uint8_t categories[OP_COUNT + 1] = {
#define PRECISION(id, category) [OP_##id] = (category),
#include "passes/quant/mixed_precision.def"
};

/* What all functions of a run share. */
struct mixed_run {
	const uint8_t *mentioned; /* by id of the global */
	uint32_t n;
};

struct mixed {
	pass_ctx *cx;
	ir_module *m;
	struct dtype low;
	bool keep_output;
	const ir_expr *root; /* the function */
	struct diag quiet;
	struct low_casts casts;
	struct ir_map called; /* literal -> uses as a callee */
	struct ir_map uses;
	struct ir_map vars; /* old let variable -> new */
	unsigned missing[OP_COUNT + 1];
	struct loc missing_at[OP_COUNT + 1];
};

static void
infer(struct mixed *x, const ir_expr *e)
{
	if (!e->type)
		ir_infer_expr(x->m, e, &x->quiet);
}

static bool
fits(double v)
{
	return !(fabs(v) > 65504.0);
}

/* Operators of plugins are unknown ones. */
static enum op_id
listed(enum op_id id)
{
	return id < OP_COUNT ? id : OP_UNKNOWN;
}

static enum category
category_of(struct mixed *x, const ir_expr *e)
{
	const ir_op *op = ir_called_op(e);
	const ir_attrs *a = ir_as_call(e)->attrs;

	if (op->id == OP_clip && dtype_equal(x->low, DTYPE(FLOAT, 16)) &&
	    !(fits(ir_attrs_double(a, "a_min")) &&
	      fits(ir_attrs_double(a, "a_max"))))
		return NEVER;
	return (enum category)categories[listed(op->id)];
}

/* All floats in T are of the low type. Recursive over tuple types. */
static bool
is_low(const struct mixed *x, const ir_type *t)
{
	const struct ir_tuple_type *tuple;

	if (t->kind == TYPE_TENSOR)
		return !dtype_is_float(ir_as_tensor_type(t)->dtype) ||
		       dtype_equal(ir_as_tensor_type(t)->dtype, x->low);
	if (t->kind != TYPE_TUPLE)
		return true;
	tuple = ir_as_tuple_type(t);
	for (uint32_t i = 0; i < tuple->nfields; i++)
		if (!is_low(x, tuple->fields[i]))
			return false;
	return true;
}

static bool
may_follow(const struct mixed *x, const struct ir_call *c)
{
	for (uint32_t i = 0; i < c->nargs; i++)
		if (c->args[i]->kind != IR_VAR &&
		    c->args[i]->kind != IR_CONSTANT &&
		    !is_low(x, c->args[i]->type))
			return false;
	return true;
}

static bool
takes_low(const ir_attr *dtype)
{
	return dtype && dtype->kind == ATTR_DTYPE &&
	       (dtype_is_float(dtype->dtype) || dtype_is_void(dtype->dtype));
}

/*
 * Results and accumulators in the low type, too, where attributes say so. TYPE
 * is what the result was: integers stay integers.
 */
static const ir_attrs *
low_attrs(const struct mixed *x, const ir_attrs *a, const ir_type *type)
{
	const char *name = "out_dtype";

	if (!a || type->kind != TYPE_TENSOR ||
	    !dtype_is_float(ir_as_tensor_type(type)->dtype))
		return a;
	switch (a->schema->id) {
	case ATTRS_InitOp:
		name = "dtype";
		break;
	case ATTRS_Conv1D:
	case ATTRS_Conv1DTranspose:
	case ATTRS_Conv2D:
	case ATTRS_Conv2DTranspose:
	case ATTRS_Conv2DWinograd:
	case ATTRS_Conv2DWinogradNNPACKWeightTransform:
	case ATTRS_DeformableConv2D:
	case ATTRS_Conv3D:
	case ATTRS_Conv3DTranspose:
	case ATTRS_Conv3DWinograd:
	case ATTRS_Dense:
	case ATTRS_BatchMatmul:
		break;
	default:
		return a;
	}
	if (!takes_low(ir_attrs_get(a, name)))
		return a;
	return ir_attrs_with(x->m->cx, a, name, ATTR_DT(x->low));
}

/* float64 if that is what T holds, else float32. */
static struct dtype
high_type(const ir_type *t)
{
	if (t->kind == TYPE_TUPLE && ir_as_tuple_type(t)->nfields > 0)
		t = ir_as_tuple_type(t)->fields[0];
	if (t->kind == TYPE_TENSOR &&
	    dtype_equal(ir_as_tensor_type(t)->dtype, DTYPE(FLOAT, 64)))
		return DTYPE(FLOAT, 64);
	return DTYPE(FLOAT, 32);
}

/* The typed call of E with ARGS, or E if that is the same. */
static const ir_expr *
call_with(struct mixed *x, const ir_expr *e, const ir_expr *const *args,
	  const ir_attrs *attrs)
{
	const struct ir_call *c = ir_as_call(e);
	bool same = e->type && attrs == c->attrs;

	for (uint32_t i = 0; i < c->nargs; i++)
		same &= args[i] == c->args[i];
	if (same)
		return e;
	e = ir_new_call(x->m, e->loc, c->callee, args, c->nargs, attrs);
	infer(x, e);
	return e;
}

static const ir_expr **
new_args(struct mixed *x, const struct ir_call *c)
{
	return ARENA_NEW_ARRAY(x->cx->scratch, c->nargs, const ir_expr *);
}

static const ir_expr *
rewrite_op(struct mixed *x, const ir_expr *e, const ir_expr *old)
{
	const struct ir_call *c = ir_as_call(e);
	enum category category = category_of(x, e);
	enum op_id op = listed(ir_called_op(e)->id);
	const ir_expr **args = new_args(x, c);
	const ir_expr *out;

	if (category == UNLISTED && x->missing[op]++ == 0)
		x->missing_at[op] = e->loc;
	if (category != ALWAYS && category != NEVER)
		category = may_follow(x, c) ? ALWAYS : NEVER;
	if (category == ALWAYS && pass_may_rewrite(x->cx)) {
		for (uint32_t i = 0; i < c->nargs; i++)
			args[i] = low_cast(&x->casts, c->args[i], NULL, x->low);
		out = call_with(x, e, args, low_attrs(x, c->attrs, old->type));
		if (out->type)
			return out;
	}
	for (uint32_t i = 0; i < c->nargs; i++)
		args[i] = low_cast(&x->casts, c->args[i], NULL,
				   high_type(ir_as_call(old)->args[i]->type));
	out = call_with(x, e, args, c->attrs);
	if (out->type)
		return out;
	for (uint32_t i = 0; i < c->nargs; i++)
		args[i] = low_cast(&x->casts, c->args[i],
				   ir_as_call(old)->args[i]->type, DTYPE_VOID);
	out = call_with(x, e, args, c->attrs);
	if (!out->type)
		ir_set_type(out, old->type);
	return out;
}

/* What the literal F, whose body may have another type now, gives for ARGS. */
static const ir_type *
result_of_literal(struct mixed *x, const struct ir_function *f,
		  const ir_expr *const *args)
{
	const struct inline_call call = {.args = args};
	struct inline_types types;

	if (f->ntype_params == 0)
		return f->body->type;
	inline_find_types(&types, f, &call, x->cx->scratch);
	return ir_type_substitute(x->m->cx, f->body->type, inline_map_type,
				  &types);
}

/* A call of something that takes what it always took. */
static const ir_expr *
rewrite_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct mixed *x = env;
	const struct ir_call *c = ir_as_call(e);
	const ir_expr **args;

	if (ir_called_op(e))
		return rewrite_op(x, e, old);
	args = new_args(x, c);
	for (uint32_t i = 0; i < c->nargs; i++)
		args[i] = low_cast(&x->casts, c->args[i],
				   ir_as_call(old)->args[i]->type, DTYPE_VOID);
	if (e == old && memcmp(args, c->args, c->nargs * sizeof(*args)) == 0)
		return e;
	e = ir_new_call(x->m, e->loc, c->callee, args, c->nargs, c->attrs);
	if (c->callee->kind == IR_FUNCTION)
		ir_set_type(e, result_of_literal(x, ir_as_function(c->callee),
						 args));
	else
		ir_set_type(e, old->type);
	return e;
}

static const ir_expr *
type_tuple(const ir_expr *e, const ir_expr *old, void *env)
{
	struct mixed *x = env;

	(void)old;
	if (!e->type)
		ir_set_type(e, low_tuple_type(&x->casts, ir_as_tuple(e)->fields,
					      ir_as_tuple(e)->nfields));
	return e;
}

static const ir_expr *
type_proj(const ir_expr *e, const ir_expr *old, void *env)
{
	const struct ir_proj *p = ir_as_proj(e);

	(void)old;
	(void)env;
	if (!e->type)
		ir_set_type(e,
			    ir_as_tuple_type(p->tuple->type)->fields[p->index]);
	return e;
}

/* A variable whose value changed its type is another variable. */
static void
bind_var(const struct ir_let *let, const ir_expr *value, void *env)
{
	struct mixed *x = env;
	const ir_expr *v;
	bool written = !(let->var->base.flags & IR_ANNOTATION_INFERRED);

	if (value->type == let->var->base.type)
		return;
	v = ir_new_var(x->m, let->var->base.loc, let->var->name,
		       written && let->var->annotation ? value->type : NULL);
	ir_set_type(v, value->type);
	ir_map_put(&x->vars, &let->var->base, v);
}

static const ir_expr *
replace_var(const ir_expr *e, const ir_expr *old, void *env)
{
	struct mixed *x = env;

	(void)old;
	return ir_map_get(&x->vars, e);
}

static const ir_expr *
rewrite_let(const ir_expr *e, const ir_expr *old, void *env)
{
	struct mixed *x = env;
	const struct ir_let *let = ir_as_let(e);
	const ir_expr *v = ir_map_get(&x->vars, &ir_as_let(old)->var->base);

	if (v)
		e = ir_new_let(x->m, e->loc, ir_as_var(v), let->value,
			       let->body);
	if (!e->type)
		ir_set_type(e, let->body->type);
	return e;
}

/* Both branches have one type, if need be the one that they had. */
static const ir_expr *
rewrite_if(const ir_expr *e, const ir_expr *old, void *env)
{
	struct mixed *x = env;
	const struct ir_if *i = ir_as_if(e);
	const ir_expr *cond = low_cast(&x->casts, i->cond,
				       ir_as_if(old)->cond->type, DTYPE_VOID);
	const ir_expr *a = i->then_branch;
	const ir_expr *b = i->else_branch;

	if (a->type != b->type) {
		a = low_cast_tail(&x->casts, a, old->type);
		b = low_cast_tail(&x->casts, b, old->type);
	}
	if (cond != i->cond || a != i->then_branch || b != i->else_branch)
		e = ir_new_if(x->m, e->loc, cond, a, b);
	if (!e->type)
		ir_set_type(e, a->type);
	return e;
}

static const ir_expr *
rewrite_match(const ir_expr *e, const ir_expr *old, void *env)
{
	struct mixed *x = env;
	const struct ir_match *m = ir_as_match(e);
	const ir_expr *value = low_cast(
		&x->casts, m->value, ir_as_match(old)->value->type, DTYPE_VOID);
	struct ir_clause *clauses =
		ARENA_NEW_ARRAY(x->cx->scratch, m->nclauses, struct ir_clause);
	bool changed = value != m->value;
	bool equal = true;

	for (uint32_t i = 1; i < m->nclauses; i++)
		equal &= m->clauses[i].body->type == m->clauses[0].body->type;
	for (uint32_t i = 0; i < m->nclauses; i++) {
		clauses[i] = m->clauses[i];
		if (!equal)
			clauses[i].body = low_cast_tail(
				&x->casts, clauses[i].body, old->type);
		changed |= clauses[i].body != m->clauses[i].body;
	}
	if (changed)
		e = ir_new_match(x->m, e->loc, value, clauses, m->nclauses,
				 m->complete);
	if (!e->type)
		ir_set_type(e, m->nclauses ? clauses[0].body->type : old->type);
	return e;
}

/* References hold what they always held. */
static const ir_expr *
rewrite_ref(const ir_expr *e, const ir_expr *old, void *env)
{
	struct mixed *x = env;
	const ir_expr *v;

	if (e->kind == IR_REF_NEW) {
		v = low_cast(&x->casts, ir_as_ref_new(e)->value,
			     ir_as_ref_new(old)->value->type, DTYPE_VOID);
		if (v != ir_as_ref_new(e)->value)
			e = ir_new_ref_new(x->m, e->loc, v);
	} else if (e->kind == IR_REF_WRITE) {
		v = low_cast(&x->casts, ir_as_ref_write(e)->value,
			     ir_as_ref_write(old)->value->type, DTYPE_VOID);
		if (v != ir_as_ref_write(e)->value)
			e = ir_new_ref_write(x->m, e->loc,
					     ir_as_ref_write(e)->ref, v);
	}
	if (!e->type)
		ir_set_type(e, old->type);
	return e;
}

static const ir_type *
function_type(struct mixed *x, const struct ir_function *f, const ir_type *ret)
{
	const ir_type **params =
		ARENA_NEW_ARRAY(x->cx->scratch, f->nparams, const ir_type *);

	for (uint32_t i = 0; i < f->nparams; i++)
		params[i] = f->params[i]->base.type;
	return ir_type_func(x->m->cx, params, f->nparams, ret, f->type_params,
			    f->ntype_params);
}

/* Nobody but the caller at hand knows the type of the result. */
static bool
may_change_result(struct mixed *x, const ir_expr *fn)
{
	if (fn == x->root)
		return !x->keep_output;
	return ir_map_get(&x->called, fn) == ir_map_get(&x->uses, fn);
}

/* A type that the value need not tell: of an empty list, say. */
static bool
holds_data(const ir_type *t)
{
	const struct ir_tuple_type *tuple;
	bool found = t->kind == TYPE_ADT;

	if (t->kind != TYPE_TUPLE)
		return found;
	tuple = ir_as_tuple_type(t);
	for (uint32_t i = 0; i < tuple->nfields && !found; i++)
		found = holds_data(tuple->fields[i]);
	return found;
}

static const ir_expr *
rewrite_function(const ir_expr *e, const ir_expr *old, void *env)
{
	struct mixed *x = env;
	const ir_type *was = ir_as_function(old)->body->type;
	struct ir_function_parts parts = ir_function_parts(ir_as_function(e));

	if (e == old || !parts.body)
		return e;
	if (!may_change_result(x, old))
		parts.body = low_cast_tail(&x->casts, parts.body, was);
	if (parts.body->type != was)
		parts.ret_type =
			holds_data(parts.body->type) ? parts.body->type : NULL;
	e = ir_new_function(x->m, e->loc, &parts);
	ir_set_type(e, function_type(x, ir_as_function(e), parts.body->type));
	return e;
}

static const struct ir_rules rules = {
	.on =
		{
			[IR_CALL] = rewrite_call,
			[IR_TUPLE] = type_tuple,
			[IR_PROJ] = type_proj,
			[IR_VAR] = replace_var,
			[IR_LET] = rewrite_let,
			[IR_IF] = rewrite_if,
			[IR_MATCH] = rewrite_match,
			[IR_REF_NEW] = rewrite_ref,
			[IR_REF_READ] = rewrite_ref,
			[IR_REF_WRITE] = rewrite_ref,
			[IR_FUNCTION] = rewrite_function,
		},
	.bound = bind_var,
	.drop_types = true,
};

static void
count_callee(const ir_expr *e, void *env)
{
	struct mixed *x = env;
	const ir_expr *f;

	if (e->kind != IR_CALL)
		return;
	f = ir_as_call(e)->callee;
	if (f->kind == IR_FUNCTION)
		ir_map_put(&x->called, f,
			   (char *)ir_map_get(&x->called, f) + 1);
}

struct mentions {
	uint8_t *at;
	uint32_t n;
};

static void
mark_global(const ir_expr *e, void *env)
{
	struct mentions *m = env;

	if (e->kind == IR_GLOBAL && e->id < m->n)
		m->at[e->id] = 1;
}

/* Which definitions any function mentions; once for a run of the pass. */
static void
find_mentions(pass_ctx *cx)
{
	ir_module *m = cx->module;
	struct mixed_run *run;
	struct mentions found;

	if (cx->state)
		return;
	run = ARENA_NEW(cx->scratch, struct mixed_run);
	found = (struct mentions){
		ARENA_NEW_ARRAY(cx->scratch, m->next_id, uint8_t), m->next_id};
	memset(found.at, 0, found.n);
	for (size_t i = 0; i < m->defs.len; i++)
		if (m->defs.at[i]->kind == DEF_FUNCTION)
			ir_walk(&m->defs.at[i]->fn->base, NULL, mark_global,
				&found);
	*run = (struct mixed_run){found.at, found.n};
	cx->state = run;
}

/* Operators that nobody classified: say so, or refuse. */
static bool
report_missing(struct mixed *x)
{
	int64_t mode = pass_option_int(x->cx, "missing-op-mode");

	for (int i = 0; i < OP_COUNT; i++) {
		if (x->missing[i] == 0 || mode == 2)
			continue;
		if (mode == 0)
			pass_error(x->cx, x->missing_at[i],
				   "'%s' has no category of precision (calls: "
				   "%u)",
				   ir_op_info((enum op_id)i)->name,
				   x->missing[i]);
		else
			pass_warning(x->cx, x->missing_at[i],
				     "'%s' has no category of precision; it "
				     "follows its arguments (calls: %u)",
				     ir_op_info((enum op_id)i)->name,
				     x->missing[i]);
	}
	return !x->cx->failed;
}

static bool
read_options(struct mixed *x, struct loc loc)
{
	const char *type = pass_option(x->cx, "type");
	int64_t mode = pass_option_int(x->cx, "missing-op-mode");

	if (!dtype_parse(type, strlen(type), &x->low) ||
	    !dtype_is_float(x->low) || x->low.lanes != 1) {
		pass_error(x->cx, loc,
			   "type must be a floating type, but is "
			   "'%s'",
			   type);
		return false;
	}
	if (mode < 0 || mode > 2) {
		pass_error(x->cx, loc, "missing-op-mode must be 0, 1 or 2");
		return false;
	}
	x->keep_output = pass_option_bool(x->cx, "keep-orig-output-dtype");
	return true;
}

const struct ir_function *
pass_to_mixed_precision(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct mixed x = {
		.cx = cx,
		.m = cx->module,
		.root = &fn->base,
		.casts = {.m = cx->module, .scratch = cx->scratch},
	};
	const struct mixed_run *run;
	const ir_expr *out;

	if (!read_options(&x, fn->base.loc))
		return fn;
	find_mentions(cx);
	run = cx->state;
	if (def->global->base.id < run->n &&
	    run->mentioned[def->global->base.id])
		x.keep_output = true;
	diag_init(&x.quiet, "to-mixed-precision", NULL);
	x.quiet.quiet = true;
	ir_use_counts(&fn->base, &x.uses);
	ir_walk(&fn->base, NULL, count_callee, &x);
	out = ir_rewrite(x.m, &fn->base, &rules, &x);
	if (!report_missing(&x))
		out = &fn->base;
	low_casts_free(&x.casts);
	ir_map_free(&x.called);
	ir_map_free(&x.uses);
	ir_map_free(&x.vars);
	return ir_as_function(out);
}
