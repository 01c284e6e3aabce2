/*
 * Recursion goes over types and the depth that data may have, both bounded.
 */
#include "te/interp_random.h"

#include "ir/walk.h"

enum { MAX_DEPTH = 24, DATA_DEPTH = 4 };
static const int64_t max_elements = (int64_t)1 << 26;

uint64_t
interp_random_next(struct interp_random *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Floats in [-2, 2) or [1/4, 9/4), integers in [-8, 8) or [0, 4). */
static void
fill(struct interp_random *r, ir_tensor *t)
{
	bool sign = !r->positive && t->dtype.code != DTYPE_UINT;
	int64_t n = ir_tensor_size(t);

	for (int64_t i = 0; i < n; i++) {
		uint64_t bits = interp_random_next(r) >> 11;
		double u = (double)bits * 0x1p-53;

		if (dtype_is_float(t->dtype))
			ir_tensor_set_double(t, i,
					     sign ? 4 * u - 2 : 2 * u + 0.25);
		else if (dtype_is_bool(t->dtype))
			ir_tensor_set_int(t, i, bits & 1);
		else
			ir_tensor_set_int(t, i,
					  sign ? (int64_t)(bits & 15) - 8
					       : (int64_t)(bits & 3));
	}
}

static const ir_expr *
random_tensor(struct interp_random *r, const struct ir_tensor_type *t)
{
	int64_t shape[64];
	int64_t size = 1;
	const ir_expr *e;
	ir_tensor *data;

	if (t->ndim > 64 || t->dtype.code > DTYPE_E5M2 ||
	    t->dtype.code == DTYPE_HANDLE || t->dtype.lanes != 1)
		return NULL;
	for (uint32_t i = 0; i < t->ndim; i++) {
		shape[i] = ir_dim_is_const(t->shape[i]) ? t->shape[i].value
							: r->any;
		if (shape[i] > max_elements || size * shape[i] > max_elements)
			return NULL;
		size *= shape[i];
	}
	data = ir_tensor_new(t->dtype, shape, t->ndim);
	if (!data)
		return NULL;
	fill(r, data);
	e = ir_new_constant(r->module, LOC_NONE, data);
	ir_tensor_unref(data);
	return e;
}

static const ir_expr *random_expr(struct interp_random *r, const ir_type *t,
				  unsigned depth);

/* Values of N types; false if one of them has none. */
static bool
random_exprs(struct interp_random *r, const ir_type *const *types, uint32_t n,
	     unsigned depth, ir_expr_vec *out)
{
	for (uint32_t i = 0; i < n; i++) {
		const ir_expr *e = random_expr(r, types[i], depth + 1);

		if (!e)
			return false;
		vec_push(out, e);
	}
	return true;
}

static const ir_expr *
random_tuple(struct interp_random *r, const struct ir_tuple_type *t,
	     unsigned depth)
{
	ir_expr_vec fields = {0};
	const ir_expr *e = NULL;

	if (random_exprs(r, t->fields, t->nfields, depth, &fields))
		e = ir_new_tuple(r->module, LOC_NONE, fields.at,
				 (uint32_t)fields.len);
	vec_free(&fields);
	return e;
}

/* What the parameters of a data type stand for. */
struct binding {
	const ir_type_def *def;
	const struct ir_adt_type *type;
};

static const ir_type *
bound_type(const ir_type *t, void *env)
{
	const struct binding *b = env;

	for (uint32_t i = 0; i < b->def->nparams && i < b->type->nargs; i++)
		if (b->def->params[i] == t)
			return b->type->args[i];
	return t;
}

static uint32_t
count_data(const struct ir_ctor *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->nfields; i++)
		n += c->fields[i]->kind == TYPE_ADT;
	return n;
}

/* Any constructor; once the value is deep, the one with least data in it. */
static const struct ir_ctor *
choose_ctor(struct interp_random *r, const ir_type_def *def, unsigned depth)
{
	const struct ir_ctor *best = def->ctors[0];

	if (depth < DATA_DEPTH)
		return def->ctors[interp_random_next(r) % def->nctors];
	for (uint32_t i = 1; i < def->nctors; i++)
		if (count_data(def->ctors[i]) < count_data(best))
			best = def->ctors[i];
	return best;
}

static const ir_expr *
random_data(struct interp_random *r, const struct ir_adt_type *t,
	    unsigned depth)
{
	const ir_type_def *def = ir_module_find_type(r->module, t->name);
	struct binding b = {def, t};
	const struct ir_ctor *ctor;
	VEC(const ir_type *) types = {0};
	ir_expr_vec args = {0};
	const ir_expr *e = NULL;

	if (!def || def->nctors == 0)
		return NULL;
	ctor = choose_ctor(r, def, depth);
	for (uint32_t i = 0; i < ctor->nfields; i++)
		vec_push(&types,
			 ir_type_substitute(r->module->cx, ctor->fields[i],
					    bound_type, &b));
	if (random_exprs(r, types.at, ctor->nfields, depth, &args))
		e = ir_new_call(r->module, LOC_NONE, &ctor->base, args.at,
				ctor->nfields, NULL);
	vec_free(&types);
	vec_free(&args);
	return e;
}

static bool
has_negative(const ir_type *t)
{
	return t->kind == TYPE_TENSOR &&
	       ir_as_tensor_type(t)->dtype.code != DTYPE_UINT;
}

/* A function: minus its argument if that is of the right type, else fixed. */
static const ir_expr *
random_function(struct interp_random *r, const struct ir_func_type *t,
		unsigned depth)
{
	ir_module *m = r->module;
	VEC(const struct ir_var *) params = {0};
	struct ir_function_parts parts = {.nparams = t->nparams,
					  .ret_type = t->ret,
					  .type_params = t->vars,
					  .ntype_params = t->nvars};
	const ir_expr *e = NULL;

	for (uint32_t i = 0; i < t->nparams; i++) {
		const ir_expr *p = ir_new_var(
			m, LOC_NONE, ir_namef(m->cx, "a%u", i), t->params[i]);

		vec_push(&params, ir_as_var(p));
		if (t->params[i] == t->ret)
			parts.body = p;
	}
	if (!parts.body)
		parts.body = random_expr(r, t->ret, depth + 1);
	else if (has_negative(t->ret))
		parts.body = ir_new_op_call(m, LOC_NONE, OP_negative,
					    &parts.body, 1, NULL);
	parts.params = params.at;
	if (parts.body)
		e = ir_new_function(m, LOC_NONE, &parts);
	vec_free(&params);
	return e;
}

static const ir_expr *
random_expr(struct interp_random *r, const ir_type *t, unsigned depth)
{
	const ir_expr *e;

	if (depth > MAX_DEPTH)
		return NULL;
	switch (t->kind) {
	case TYPE_TENSOR:
		return random_tensor(r, ir_as_tensor_type(t));
	case TYPE_TUPLE:
		return random_tuple(r, ir_as_tuple_type(t), depth);
	case TYPE_ADT:
		return random_data(r, ir_as_adt_type(t), depth);
	case TYPE_FUNC:
		return random_function(r, ir_as_func_type(t), depth);
	case TYPE_REF:
		e = random_expr(r, ir_as_ref_type(t)->value, depth + 1);
		return e ? ir_new_ref_new(r->module, LOC_NONE, e) : NULL;
	case TYPE_VAR:
		return random_expr(
			r, ir_type_scalar(r->module->cx, DTYPE(FLOAT, 32)),
			depth + 1);
	default:
		return NULL;
	}
}

const ir_expr *
interp_random_expr(struct interp_random *r, const ir_type *t)
{
	return random_expr(r, t, 0);
}
