/*
 * fold-constant: evaluate what depends on constants only.
 *
 *     add(multiply(2f, 3f), %x)    becomes    add(6f, %x)
 *
 * Calls of operators whose arguments are constants, or tuples of constants,
 * are computed by the evaluator. The extents of a known shape are constants
 * though the data is not (shape_of, ndarray_size). A let whose value became a
 * constant, a conditional with a constant condition and a projection of a
 * tuple that is written out vanish.
 *
 * What stays: calls of stateful operators, calls without arguments, quantized
 * operators unless fold-qnn says so, anything inside primitive functions, a
 * call that cannot be evaluated, and one whose result would be much larger
 * than what it is made of.
 *
 * Level: function. Needs: types.
 */
#include "passes/fold_constant.h"

#include <string.h>

#include "te/interp.h"

/* Results up to here are always folded; above, only if inputs are as large. */
static const size_t always_fold_bytes = (size_t)1 << 20;

static bool
is_constant(const ir_expr *e)
{
	return e->kind == IR_CONSTANT && ir_as_constant(e)->data;
}

/* A constant, maybe with a word about its device. */
static bool
is_placed_constant(const ir_expr *e)
{
	if (ir_is_call_of(e, OP_on_device) && ir_as_call(e)->nargs == 1)
		e = ir_as_call(e)->args[0];
	return is_constant(e);
}

static bool
enter_new_tuple(const ir_expr *e, void *env)
{
	struct folder *f = env;

	return e->kind == IR_TUPLE && !ir_set_has(&f->tuples, e);
}

static void
classify_tuple(const ir_expr *e, void *env)
{
	struct folder *f = env;
	const struct ir_tuple *t = ir_as_tuple(e);

	ir_set_add(&f->tuples, e);
	for (uint32_t i = 0; i < t->nfields; i++)
		if (!is_constant(t->fields[i]) &&
		    !ir_set_has(&f->constant_tuples, t->fields[i]))
			return;
	ir_set_add(&f->constant_tuples, e);
}

/* A constant, or a tuple of such; tuples in tuples, too. */
static bool
is_value(struct folder *f, const ir_expr *e)
{
	if (is_placed_constant(e))
		return true;
	if (e->kind != IR_TUPLE)
		return false;
	ir_walk(e, enter_new_tuple, classify_tuple, f);
	return ir_set_has(&f->constant_tuples, e);
}

static const ir_expr *
new_constant(struct folder *f, struct loc loc, ir_tensor *t)
{
	const ir_expr *e = ir_new_constant(f->m, loc, t);

	ir_tensor_unref(t);
	return e;
}

/* The extents of a static shape as a constant, or their product. */
static const ir_expr *
fold_shape(struct folder *f, const ir_expr *e, const ir_expr *old)
{
	const ir_type *t = ir_as_call(old)->args[0]->type;
	struct dtype dtype = ir_attrs_dtype(ir_as_call(e)->attrs, "dtype");
	bool product = ir_is_call_of(e, OP_ndarray_size);
	const struct ir_tensor_type *tt;
	ir_tensor *out;
	int64_t n;

	if (!t || t->kind != TYPE_TENSOR)
		return e;
	tt = ir_as_tensor_type(t);
	if (!ir_shape_is_static(tt) || !ir_shape_size(tt, &n))
		return e;
	if (dtype_is_void(dtype))
		dtype = DTYPE(INT, 32);
	if (product) {
		out = ir_tensor_new(dtype, NULL, 0);
		ir_tensor_set_int(out, 0, n);
	} else {
		int64_t ndim = tt->ndim;

		out = ir_tensor_new(dtype, &ndim, tt->ndim ? 1 : 0);
		for (uint32_t i = 0; i < tt->ndim; i++)
			ir_tensor_set_int(out, i, tt->shape[i].value);
	}
	return new_constant(f, e->loc, out);
}

/* "argument 2", for a remark. */
static const char *
argument_text(struct folder *f, uint32_t i)
{
	return arena_printf(f->cx->scratch, "argument %u is not constant",
			    i + 1);
}

/* Why a call of OP stays, whatever its arguments; NULL: it need not. */
static const char *
operator_stays(const struct folder *f, const ir_op *op)
{
	if (!ir_op_is_pure(op))
		return "the operator has effects";
	if (op->id == OP_device_copy)
		return "it moves data between devices";
	if (!(op->traits & OP_TRAIT_NON_COMPUTATIONAL))
		return NULL;
	if (strncmp(op->name, "qnn.", 4) != 0)
		return "the operator computes nothing";
	return f->fold_qnn ? NULL : "it is quantized (see fold-qnn)";
}

/* Say why the call E stays, if one of its arguments is constant. */
static void
remark_stays(struct folder *f, const ir_expr *e, const char *why)
{
	const struct ir_call *c = ir_as_call(e);
	bool any = false;

	for (uint32_t i = 0; i < c->nargs && !any; i++)
		any = is_value(f, c->args[i]);
	if (any)
		pass_remark_missed(f->cx, e->loc, "'%s' is not folded: %s",
				   ir_called_op(e)->name, why);
}

static bool
may_fold(struct folder *f, const ir_expr *e)
{
	const ir_op *op = ir_called_op(e);
	const struct ir_call *c = ir_as_call(e);
	const char *why;
	uint32_t i = 0;

	if (!op || c->nargs == 0)
		return false;
	why = operator_stays(f, op);
	while (!why && i < c->nargs && is_value(f, c->args[i]))
		i++;
	if (!why && i == c->nargs)
		return true;
	if (pass_wants_missed_remarks(f->cx))
		remark_stays(f, e, why ? why : argument_text(f, i));
	return false;
}

static size_t
bytes_of_type(const ir_type *t)
{
	const struct ir_tensor_type *tt;
	int64_t n;

	if (!t || t->kind != TYPE_TENSOR)
		return 0;
	tt = ir_as_tensor_type(t);
	return ir_shape_size(tt, &n) ? (size_t)n * dtype_size(tt->dtype) : 0;
}

bool
fold_grows_too_much(const ir_expr *e)
{
	const struct ir_call *c = ir_as_call(e);
	size_t in = 0;

	for (uint32_t i = 0; i < c->nargs; i++)
		in += bytes_of_type(c->args[i]->type);
	return bytes_of_type(e->type) > always_fold_bytes &&
	       bytes_of_type(e->type) > in;
}

/* The value as constants and tuples; NULL if it holds anything else. */
static const ir_expr *
expr_of(struct folder *f, struct loc loc, const struct interp_value *v)
{
	const ir_expr **fields;

	if (v->kind == INTERP_TENSOR)
		return ir_new_constant(f->m, loc, v->tensor);
	if (v->kind != INTERP_TUPLE)
		return NULL;
	fields = ARENA_NEW_ARRAY(f->cx->scratch, v->n, const ir_expr *);
	for (uint32_t i = 0; i < v->n; i++) {
		fields[i] = expr_of(f, loc, v->at[i]);
		if (!fields[i])
			return NULL;
	}
	return ir_new_tuple(f->m, loc, fields, v->n);
}

/* The value of E as an expression; NULL, and *WHY, if there is none. */
static const ir_expr *
value_of(struct folder *f, const ir_expr *e, const char **why)
{
	struct interp_value *v;
	const ir_expr *out = NULL;

	*why = "its type does not check";
	if (!ir_infer_expr(f->m, e, &f->quiet))
		return NULL;
	*why = "the result is much larger than the arguments";
	if (fold_grows_too_much(e))
		return NULL;
	if (!f->interp)
		f->interp = interp_new(f->m, &f->quiet);
	v = interp_eval(f->interp, e);
	*why = "it cannot be evaluated";
	if (v)
		out = expr_of(f, e->loc, v);
	interp_unref(v);
	return out;
}

/*
 * E is OLD with constant arguments. The result keeps the type of OLD where
 * that has unknown extents: nothing around it was typed with more.
 */
static const ir_expr *
evaluate(struct folder *f, const ir_expr *e, const ir_expr *old)
{
	const char *why;
	const ir_expr *out = value_of(f, e, &why);

	if (!out) {
		remark_stays(f, e, why);
		return e;
	}
	if (!pass_may_rewrite(f->cx))
		return e;
	pass_remark(f->cx, old->loc, "'%s' is folded", ir_called_op(e)->name);
	pass_count(f->cx, "calls folded", 1);
	if (out->kind == IR_CONSTANT && old->type &&
	    old->type->flags & TYPE_HAS_ANY)
		ir_set_type(out, old->type);
	return out;
}

static const ir_expr *
fold_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct folder *f = env;

	if (ir_is_call_of(e, OP_shape_of) || ir_is_call_of(e, OP_vm_shape_of) ||
	    ir_is_call_of(e, OP_ndarray_size))
		return fold_shape(f, e, old);
	return may_fold(f, e) ? evaluate(f, e, old) : e;
}

static const ir_expr *
fold_if(const ir_expr *e, const ir_expr *old, void *env)
{
	const struct ir_if *x = ir_as_if(e);

	(void)old;
	(void)env;
	if (!is_constant(x->cond) || ir_as_constant(x->cond)->data->ndim != 0)
		return e;
	return ir_tensor_get_double(ir_as_constant(x->cond)->data, 0) != 0
		       ? x->then_branch
		       : x->else_branch;
}

static const ir_expr *
fold_proj(const ir_expr *e, const ir_expr *old, void *env)
{
	const struct ir_proj *p = ir_as_proj(e);

	(void)old;
	(void)env;
	if (p->tuple->kind != IR_TUPLE)
		return e;
	return ir_as_tuple(p->tuple)->fields[p->index];
}

static void
take_value(const struct ir_let *let, const ir_expr *value, void *env)
{
	struct folder *f = env;

	if (is_placed_constant(value))
		ir_map_put(&f->values, &let->var->base, value);
}

static const ir_expr *
replace_var(const ir_expr *e, const ir_expr *old, void *env)
{
	struct folder *f = env;

	(void)old;
	return ir_map_get(&f->values, e);
}

static const ir_expr *
drop_let(const ir_expr *e, const ir_expr *old, void *env)
{
	struct folder *f = env;

	if (!ir_map_get(&f->values, &ir_as_let(old)->var->base))
		return e;
	return ir_as_let(e)->body;
}

static bool
enter(const ir_expr *e, void *env)
{
	(void)env;
	return !ir_is_primitive(e);
}

const struct ir_rules folder_rules = {
	.on =
		{
			[IR_CALL] = fold_call,
			[IR_IF] = fold_if,
			[IR_PROJ] = fold_proj,
			[IR_VAR] = replace_var,
			[IR_LET] = drop_let,
		},
	.enter = enter,
	.bound = take_value,
};

void
folder_init(struct folder *f, pass_ctx *cx, bool fold_qnn)
{
	*f = (struct folder){.cx = cx, .m = cx->module, .fold_qnn = fold_qnn};
	diag_init(&f->quiet, "fold-constant", NULL);
	f->quiet.quiet = true;
}

void
folder_free(struct folder *f)
{
	interp_free(f->interp);
	ir_map_free(&f->values);
	ir_set_free(&f->tuples);
	ir_set_free(&f->constant_tuples);
}

static void
free_state(void *state)
{
	folder_free(state);
}

/* One for all functions: the evaluator is as large as the module. */
static struct folder *
folder_of_run(pass_ctx *cx)
{
	if (!cx->state) {
		cx->state = ARENA_NEW(cx->scratch, struct folder);
		cx->free_state = free_state;
		folder_init(cx->state, cx, pass_option_bool(cx, "fold-qnn"));
	}
	return cx->state;
}

const struct ir_function *
pass_fold_constant(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct folder *f = folder_of_run(cx);

	(void)def;
	return ir_as_function(ir_rewrite(f->m, &fn->base, &folder_rules, f));
}
