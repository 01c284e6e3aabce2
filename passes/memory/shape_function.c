/*
 * The formulas are those of tensor expressions (struct te_size), translated.
 */
#include "passes/memory/shape_function.h"

#include "ir/te.h"
#include "passes/opcall.h"
#include "te/build.h"

static const struct dtype int64 = {DTYPE_INT, 64, 1};

struct maker {
	ir_module *m;
	const te_func *f;
	struct opcall b;
	/* By parameter of F: what stands for its shape, and for its values. */
	const ir_expr **shapes, **data;
	const ir_expr **sizes; /* by size of F, once translated */
	bool ok;
};

static const ir_expr *translate(struct maker *k, const tir_expr *e);

static const ir_expr *
number(struct maker *k, int64_t i)
{
	return ir_new_scalar_int(k->m, k->b.loc, int64, i);
}

/* Element I of X, flattened. */
static const ir_expr *
element(struct maker *k, const ir_expr *x, int64_t i)
{
	const ir_expr *args[] = {x, number(k, i)};

	return ir_new_op_call(
		k->m, k->b.loc, OP_take, args, 2,
		ir_attrs_defaults(k->m->cx, ir_op_info(OP_take)->attrs));
}

static const ir_type *
vector_type(struct maker *k, uint32_t n)
{
	struct ir_dim d = DIM((int64_t)n);

	return ir_type_tensor(k->m->cx, int64, &d, 1);
}

/* The parameter of the shape function for PARAM of the kernel. */
static const ir_expr *
input(struct maker *k, uint32_t param, bool is_data)
{
	const ir_expr **at = is_data ? &k->data[param] : &k->shapes[param];
	const struct te_tensor *t = &k->f->ops[param]->outputs[0];
	const ir_type *type;
	struct ir_dim *dims;

	if (*at)
		return *at;
	if (is_data) {
		dims = ARENA_NEW_ARRAY(&k->m->arena, t->ndim, struct ir_dim);
		for (uint32_t i = 0; i < t->ndim; i++)
			dims[i] = DIM(t->shape[i]);
		type = ir_type_tensor(k->m->cx, t->dtype, dims, t->ndim);
	} else {
		type = vector_type(k, t->ndim);
	}
	*at = ir_new_var(
		k->m, k->b.loc,
		ir_namef(k->m->cx, is_data ? "in_%u" : "shape_%u", param),
		type);
	return *at;
}

static const ir_expr *
size(struct maker *k, const struct tir_var *v)
{
	int i = te_find_size(k->f, v);
	const struct te_size *s;

	if (i < 0) {
		k->ok = false;
		return number(k, 0);
	}
	s = &k->f->sizes[i];
	if (!k->sizes[i])
		k->sizes[i] =
			s->value ? translate(k, s->value)
				 : element(k,
					   input(k, (uint32_t)s->param, false),
					   s->dim);
	return k->sizes[i];
}

static const ir_expr *
extent(struct maker *k, int64_t n)
{
	return te_is_size(n) ? size(k, te_size_var(n)) : number(k, n);
}

/* An element of a parameter at a known place. */
static const ir_expr *
read(struct maker *k, const tir_expr *e)
{
	const struct te_tensor *t = e->tensor;
	int64_t at = 0;
	bool ok = t->op->kind == TE_PARAM && !t->op->is_const;

	for (uint32_t i = 0; i < t->ndim && ok; i++) {
		ok = !te_is_size(t->shape[i]) && e->arg[i]->kind == TIR_INT;
		at = ok ? at * t->shape[i] + e->arg[i]->i : 0;
	}
	if (!ok || t->op->id >= k->f->nparams) {
		k->ok = false;
		return number(k, 0);
	}
	return t->ndim ? element(k, input(k, t->op->id, true), at)
		       : input(k, t->op->id, true);
}

/* The operator of Relay for a kind of node or an intrinsic; OP_COUNT: none. */
static enum op_id
operator_for(const tir_expr *e)
{
	bool is_float = e->n && dtype_is_float(e->arg[0]->dtype);

	switch (e->kind) {
	case TIR_ADD:
		return OP_add;
	case TIR_SUB:
		return OP_subtract;
	case TIR_MUL:
		return OP_multiply;
	case TIR_DIV:
		return is_float ? OP_divide : OP_floor_divide;
	case TIR_MOD:
		return OP_floor_mod;
	case TIR_TRUNCDIV:
		return OP_divide;
	case TIR_TRUNCMOD:
		return OP_mod;
	case TIR_MIN:
		return OP_minimum;
	case TIR_MAX:
		return OP_maximum;
	case TIR_EQ:
		return OP_equal;
	case TIR_NE:
		return OP_not_equal;
	case TIR_LT:
		return OP_less;
	case TIR_LE:
		return OP_less_equal;
	case TIR_GT:
		return OP_greater;
	case TIR_GE:
		return OP_greater_equal;
	case TIR_AND:
		return OP_logical_and;
	case TIR_OR:
		return OP_logical_or;
	case TIR_NOT:
		return OP_logical_not;
	case TIR_SELECT:
	case TIR_GUARD:
		return OP_where;
	case TIR_CALL:
		return e->intrin == INTRIN_CEIL    ? OP_ceil
		       : e->intrin == INTRIN_FLOOR ? OP_floor
		       : e->intrin == INTRIN_ABS   ? OP_abs
						   : OP_COUNT;
	default:
		return OP_COUNT;
	}
}

static const ir_expr *
cast(struct maker *k, const tir_expr *e)
{
	const ir_expr *x = translate(k, e->arg[0]);

	return dtype_equal(e->dtype, e->arg[0]->dtype)
		       ? x
		       : opcall_cast(&k->b, x, e->dtype);
}

static const ir_expr *
translate(struct maker *k, const tir_expr *e)
{
	const ir_expr *args[3];
	enum op_id op;

	switch (e->kind) {
	case TIR_INT:
		return ir_new_scalar_int(k->m, k->b.loc, e->dtype, e->i);
	case TIR_FLOAT:
		return ir_new_scalar(k->m, k->b.loc, e->dtype, e->f);
	case TIR_VAR:
		return size(k, e->var);
	case TIR_READ:
		return read(k, e);
	case TIR_CAST:
		return cast(k, e);
	default:
		break;
	}
	op = operator_for(e);
	if (op == OP_COUNT || e->n > 3) {
		k->ok = false;
		return number(k, 0);
	}
	for (uint32_t i = 0; i < e->n; i++)
		args[i] = translate(k, e->arg[i]);
	return ir_new_op_call(k->m, k->b.loc, op, args, e->n, NULL);
}

/* The shape of T as a vector. */
static const ir_expr *
shape_of(struct maker *k, const struct te_tensor *t)
{
	int64_t rank = t->ndim;
	const ir_expr **dims;
	const ir_expr *e;
	bool known = true;

	for (uint32_t i = 0; i < t->ndim; i++)
		known &= !te_is_size(t->shape[i]);
	if (known) {
		ir_tensor *c = ir_tensor_new(int64, &rank, 1);

		for (uint32_t i = 0; i < t->ndim; i++)
			ir_tensor_set_int(c, i, t->shape[i]);
		e = ir_new_constant(k->m, k->b.loc, c);
		ir_tensor_unref(c);
		return e;
	}
	dims = ARENA_NEW_ARRAY(&k->m->arena, t->ndim, const ir_expr *);
	for (uint32_t i = 0; i < t->ndim; i++)
		dims[i] = extent(k, t->shape[i]);
	return opcall_join(&k->b, OP_stack, dims, t->ndim, 0);
}

/* The parameters that were needed, in order. */
static uint32_t
collect(struct maker *k, struct shape_input *inputs, const struct ir_var **vars)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->f->nparams; i++)
		for (int data = 0; data < 2; data++) {
			const ir_expr *e = data ? k->data[i] : k->shapes[i];

			if (!e)
				continue;
			vars[n] = ir_as_var(e);
			inputs[n++] = (struct shape_input){i, data};
		}
	return n;
}

struct shape_function *
shape_function_of_te(ir_module *m, struct arena *a, const te_func *f)
{
	struct maker k = {
		.m = m,
		.f = f,
		.b = {m, f->loc},
		.shapes = ARENA_NEW_ARRAY(a, f->nparams, const ir_expr *),
		.data = ARENA_NEW_ARRAY(a, f->nparams, const ir_expr *),
		.sizes = ARENA_NEW_ARRAY(a, f->nsizes, const ir_expr *),
		.ok = true,
	};
	struct shape_function *s = ARENA_NEW(a, struct shape_function);
	const ir_expr **out = ARENA_NEW_ARRAY(a, f->noutputs, const ir_expr *);
	struct ir_function_parts parts = {0};
	const struct ir_var **vars =
		ARENA_NEW_ARRAY(a, 2 * f->nparams, const struct ir_var *);

	for (uint32_t i = 0; i < f->nparams; i++)
		k.shapes[i] = k.data[i] = NULL;
	for (uint32_t i = 0; i < f->nsizes; i++)
		k.sizes[i] = NULL;
	s->nresults = f->noutputs;
	s->ranks = ARENA_NEW_ARRAY(a, f->noutputs, uint32_t);
	for (uint32_t i = 0; i < f->noutputs; i++) {
		s->ranks[i] = f->outputs[i]->ndim;
		out[i] = shape_of(&k, f->outputs[i]);
	}
	s->inputs = ARENA_NEW_ARRAY(a, 2 * f->nparams, struct shape_input);
	s->ninputs = collect(&k, s->inputs, vars);
	parts.params = vars;
	parts.nparams = s->ninputs;
	parts.body = f->noutputs == 1
			     ? out[0]
			     : ir_new_tuple(m, f->loc, out, f->noutputs);
	parts.attrs = ir_dict_with(m->cx, NULL, ir_name(m->cx, "Primitive"),
				   ATTR_INT32(1));
	s->fn = ir_new_function(m, f->loc, &parts);
	return k.ok ? s : NULL;
}

struct shape_function *
shape_function_of_relay(ir_module *m, struct arena *a,
			const struct ir_function *fn)
{
	struct te_build_request r = {.name = ir_name(m->cx, "shape"), .fn = fn};
	ir_expr_vec extra = {0};
	struct diag quiet;
	te_func *f;

	diag_init(&quiet, "", NULL);
	quiet.quiet = true;
	quiet.max_errors = 0;
	f = te_build(m, &r, &extra, &quiet);
	vec_free(&extra);
	return f ? shape_function_of_te(m, a, f) : NULL;
}
