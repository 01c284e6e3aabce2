/*
 * The functions that rules of any kind use; those about one pass stand with
 * it.
 */
#include "passes/rewrite/rw_fn.h"

#include <math.h>
#include <string.h>

#include "passes/opcall.h"

const struct rw_fn rw_fns[] = {
#define FN(id, kind, params, summary) \
	{#id, RW_##kind, params, rw_fn_##id, summary},
#include "passes/rewrite/rw_fns.def"
	{NULL, RW_TEST, NULL, NULL, NULL},
};

const struct rw_fn *
rw_fn_find(const char *name)
{
	for (const struct rw_fn *f = rw_fns; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

#define DEFINE(id)                                                 \
	bool rw_fn_##id(struct rw_env *env, const union rw_arg *a, \
			union rw_arg *out)

/* What most functions do not need. */
#define UNUSED_ENV ((void)env)
#define UNUSED_OUT ((void)out)

static double
number_of(const ir_attr *v)
{
	return v->kind == ATTR_INT     ? (double)v->i
	       : v->kind == ATTR_FLOAT ? v->f
	       : v->kind == ATTR_BOOL  ? v->b
				       : NAN;
}

DEFINE(all_equal)
{
	const ir_tensor *t = rw_payload(a[0].e);
	double want = number_of(&a[1].v);

	UNUSED_ENV;
	UNUSED_OUT;
	for (int64_t i = 0; t && i < ir_tensor_size(t); i++)
		if (ir_tensor_get_double(t, i) != want)
			return false;
	return t != NULL;
}

DEFINE(all_positive)
{
	const ir_tensor *t = rw_payload(a[0].e);

	UNUSED_ENV;
	UNUSED_OUT;
	for (int64_t i = 0; t && i < ir_tensor_size(t); i++)
		if (!(ir_tensor_get_double(t, i) > 0))
			return false;
	return t != NULL;
}

DEFINE(any_zero)
{
	const ir_tensor *t = rw_payload(a[0].e);

	UNUSED_ENV;
	UNUSED_OUT;
	for (int64_t i = 0; t && i < ir_tensor_size(t); i++)
		if (ir_tensor_get_double(t, i) == 0)
			return true;
	return false;
}

DEFINE(is_bool)
{
	const struct ir_tensor_type *t = rw_tensor(a[0].e);

	UNUSED_ENV;
	UNUSED_OUT;
	return t && dtype_is_bool(t->dtype);
}

DEFINE(is_call_of)
{
	const ir_op *op = ir_called_op(a[0].e);

	UNUSED_ENV;
	UNUSED_OUT;
	return op && a[1].v.kind == ATTR_STRING &&
	       strcmp(op->name, a[1].v.s) == 0;
}

DEFINE(is_const)
{
	UNUSED_ENV;
	UNUSED_OUT;
	return a[0].e->kind == IR_CONSTANT;
}

DEFINE(is_float)
{
	const struct ir_tensor_type *t = rw_tensor(a[0].e);

	UNUSED_ENV;
	UNUSED_OUT;
	return t && dtype_is_float(t->dtype);
}

DEFINE(is_int)
{
	const struct ir_tensor_type *t = rw_tensor(a[0].e);

	UNUSED_ENV;
	UNUSED_OUT;
	return t && dtype_is_int(t->dtype);
}

DEFINE(is_scalar)
{
	const struct ir_tensor_type *t = rw_tensor(a[0].e);

	UNUSED_ENV;
	UNUSED_OUT;
	return t && t->ndim == 0;
}

DEFINE(is_static)
{
	const struct ir_tensor_type *t = rw_tensor(a[0].e);

	UNUSED_ENV;
	UNUSED_OUT;
	return t && ir_shape_is_static(t);
}

DEFINE(may_reassociate)
{
	const struct ir_tensor_type *t = rw_tensor(a[0].e);

	UNUSED_OUT;
	if (!t)
		return false;
	return dtype_is_float(t->dtype) ? env->reassoc : dtype_is_int(t->dtype);
}

DEFINE(same_dtype)
{
	const struct ir_tensor_type *t = rw_tensor(a[0].e);
	const struct ir_tensor_type *u = rw_tensor(a[1].e);

	UNUSED_ENV;
	UNUSED_OUT;
	return t && u && dtype_equal(t->dtype, u->dtype);
}

DEFINE(same_shape)
{
	const struct ir_tensor_type *t = rw_tensor(a[0].e);
	const struct ir_tensor_type *u = rw_tensor(a[1].e);

	UNUSED_ENV;
	UNUSED_OUT;
	if (!t || !u || t->ndim != u->ndim || !ir_shape_is_static(t) ||
	    !ir_shape_is_static(u))
		return false;
	for (uint32_t i = 0; i < t->ndim; i++)
		if (t->shape[i].value != u->shape[i].value)
			return false;
	return true;
}

DEFINE(same_type)
{
	UNUSED_ENV;
	UNUSED_OUT;
	return a[0].e->type && a[1].e->type &&
	       ir_type_equal(a[0].e->type, a[1].e->type);
}

DEFINE(dim)
{
	const struct ir_tensor_type *t = rw_tensor(a[0].e);
	int64_t axis = a[1].v.kind == ATTR_INT ? a[1].v.i : INT64_MAX;

	UNUSED_ENV;
	if (t && axis < 0)
		axis += t->ndim;
	if (!t || axis < 0 || axis >= t->ndim ||
	    !ir_dim_is_const(t->shape[axis]))
		return false;
	out->v = ATTR_INT32(t->shape[axis].value);
	return true;
}

DEFINE(dtype)
{
	const struct ir_tensor_type *t = rw_tensor(a[0].e);

	UNUSED_ENV;
	if (t)
		out->v = ATTR_DT(t->dtype);
	return t != NULL;
}

DEFINE(rank)
{
	const struct ir_tensor_type *t = rw_tensor(a[0].e);

	UNUSED_ENV;
	if (t)
		out->v = ATTR_INT32(t->ndim);
	return t != NULL;
}

DEFINE(shape)
{
	const struct ir_tensor_type *t = rw_tensor(a[0].e);
	ir_attr *dims;

	if (!t || !ir_shape_is_static(t))
		return false;
	dims = ARENA_NEW_ARRAY(env->cx->scratch, t->ndim, ir_attr);
	for (uint32_t i = 0; i < t->ndim; i++)
		dims[i] = (ir_attr){
			.kind = ATTR_INT,
			.bits = t->shape[i].kind == DIM_INT64 ? 64 : 32,
			.i = t->shape[i].value,
		};
	out->v = ir_attr_array(env->m->cx, dims, t->ndim);
	return true;
}

DEFINE(size)
{
	const struct ir_tensor_type *t = rw_tensor(a[0].e);
	int64_t n;

	UNUSED_ENV;
	if (!t || !ir_shape_size(t, &n))
		return false;
	out->v = ATTR_INT32(n);
	return true;
}

DEFINE(value)
{
	const ir_tensor *t = rw_payload(a[0].e);

	UNUSED_ENV;
	if (!t || ir_tensor_size(t) != 1)
		return false;
	out->v = dtype_is_float(t->dtype)
			 ? ATTR_DOUBLE(ir_tensor_get_double(t, 0))
			 : ATTR_INT32(ir_tensor_get_int(t, 0));
	return true;
}

DEFINE(expand_bias)
{
	const struct ir_tensor_type *t = rw_tensor(a[1].e);
	const struct ir_tensor_type *bias = rw_tensor(a[0].e);
	struct opcall b = {env->m, env->match->root->loc};
	int64_t axis = a[2].v.kind == ATTR_INT ? a[2].v.i : INT64_MAX;

	if (!t || !bias || bias->ndim != 1)
		return false;
	if (axis < 0)
		axis += t->ndim;
	if (axis < 0 || axis >= t->ndim)
		return false;
	out->e = opcall_bias_at(&b, a[0].e, t->ndim, axis);
	return true;
}

DEFINE(fold)
{
	out->e = rw_fold(env, a[0].e);
	return out->e != NULL;
}

DEFINE(replace_input)
{
	const struct ir_call *c;
	const ir_expr **args;

	if (a[0].e->kind != IR_CALL)
		return false;
	c = ir_as_call(a[0].e);
	args = ARENA_NEW_ARRAY(env->cx->scratch, c->nargs, const ir_expr *);
	for (uint32_t i = 0; i < c->nargs; i++)
		args[i] = c->args[i] == a[1].e ? a[2].e : c->args[i];
	out->e = ir_new_call(env->m, env->match->root->loc, c->callee, args,
			     c->nargs, c->attrs);
	return true;
}

DEFINE(scalar)
{
	struct loc loc = env->match->root->loc;
	const ir_attr *t = &a[1].v;
	struct dtype dtype;

	if (t->kind == ATTR_DTYPE)
		dtype = t->dtype;
	else if (t->kind != ATTR_STRING ||
		 !dtype_parse(t->s, strlen(t->s), &dtype))
		return false;
	if (a[0].v.kind == ATTR_INT && !dtype_is_float(dtype))
		out->e = ir_new_scalar_int(env->m, loc, dtype, a[0].v.i);
	else
		out->e = ir_new_scalar(env->m, loc, dtype, number_of(&a[0].v));
	return true;
}

DEFINE(shape_constant)
{
	const struct ir_tensor_type *t = rw_tensor(a[0].e);
	int64_t ndim = t ? t->ndim : 0;
	ir_tensor *dims;

	if (!t || !ir_shape_is_static(t))
		return false;
	dims = ir_tensor_new(DTYPE(INT, 32), &ndim, 1);
	for (uint32_t i = 0; i < t->ndim; i++) {
		if (t->shape[i].value > INT32_MAX) {
			ir_tensor_unref(dims);
			return false;
		}
		ir_tensor_set_int(dims, i, t->shape[i].value);
	}
	out->e = ir_new_constant(env->m, env->match->root->loc, dims);
	ir_tensor_unref(dims);
	return true;
}
