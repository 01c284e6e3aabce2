/*
 * Unification of types, part by part.
 *
 * Recursion goes over the nesting of types, which is bounded, never over the
 * graph. Unification only binds holes and puts what waited for them into the
 * queue; it runs nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/infer_internal.h"
#include "ir/meta.h"

/* A dimension that any number may stand for: a symbolic variable. */
static bool
is_free_symbol(struct ir_dim d)
{
	return d.kind == DIM_SYM && d.sym &&
	       (!strcmp(d.sym->type_key, "tir.Var") ||
		!strcmp(d.sym->type_key, "tir.SizeVar"));
}

static bool
unify_dim(struct infer *in, struct ir_dim a, struct ir_dim b,
	  struct ir_dim *out)
{
	if (ir_dim_equal(a, b)) {
		*out = a;
	} else if (a.kind == DIM_ANY || b.kind == DIM_ANY) {
		*out = DIM_UNKNOWN;
		in->forgot = true;
	} else if (is_free_symbol(a)) {
		*out = b;
	} else if (is_free_symbol(b) ||
		   (ir_dim_is_const(a) && ir_dim_is_const(b) &&
		    a.value == b.value)) {
		*out = a;
	} else {
		return false;
	}
	return true;
}

static const ir_type *
unify_tensors(struct infer *in, const ir_type *ta, const ir_type *tb)
{
	const struct ir_tensor_type *a = ir_as_tensor_type(ta);
	const struct ir_tensor_type *b = ir_as_tensor_type(tb);
	struct ir_dim few[8];
	struct ir_dim *shape = few;
	const ir_type *t = NULL;
	uint32_t i;

	if (a->ndim != b->ndim || !dtype_equal(a->dtype, b->dtype))
		return NULL;
	if (a->ndim > 8)
		shape = xmalloc(a->ndim * sizeof(*shape));
	for (i = 0; i < a->ndim; i++)
		if (!unify_dim(in, a->shape[i], b->shape[i], &shape[i]))
			break;
	if (i == a->ndim)
		t = ir_type_tensor(in->cx, a->dtype, shape, a->ndim);
	if (shape != few)
		free(shape);
	return t;
}

/* Unify N pairs into OUT; false if a pair does not match. */
static bool
unify_all(struct infer *in, const ir_type *const *a, const ir_type *const *b,
	  uint32_t n, const ir_type **out)
{
	for (uint32_t i = 0; i < n; i++) {
		out[i] = infer_unify(in, a[i], b[i]);
		if (!out[i])
			return false;
	}
	return true;
}

static const ir_type *
unify_tuples(struct infer *in, const ir_type *ta, const ir_type *tb)
{
	const struct ir_tuple_type *a = ir_as_tuple_type(ta);
	const struct ir_tuple_type *b = ir_as_tuple_type(tb);
	const ir_type **fields;
	const ir_type *t = NULL;

	if (a->nfields != b->nfields)
		return NULL;
	fields = xmalloc((a->nfields + 1) * sizeof(*fields));
	if (unify_all(in, a->fields, b->fields, a->nfields, fields))
		t = ir_type_tuple(in->cx, fields, a->nfields);
	free(fields);
	return t;
}

static const ir_type *
unify_adts(struct infer *in, const ir_type *ta, const ir_type *tb)
{
	const struct ir_adt_type *a = ir_as_adt_type(ta);
	const struct ir_adt_type *b = ir_as_adt_type(tb);
	const ir_type **args;
	const ir_type *t = NULL;

	if (a->name != b->name || a->nargs != b->nargs)
		return NULL;
	args = xmalloc((a->nargs + 1) * sizeof(*args));
	if (unify_all(in, a->args, b->args, a->nargs, args))
		t = ir_type_adt(in->cx, a->name, args, a->nargs);
	free(args);
	return t;
}

struct type_map {
	const ir_type *const *from;
	const ir_type *const *to;
	uint32_t n;
};

static const ir_type *
map_type(const ir_type *t, void *env)
{
	struct type_map *m = env;

	for (uint32_t i = 0; i < m->n; i++)
		if (m->from[i] == t)
			return m->to[i];
	return t;
}

const ir_type *
infer_replace(struct infer *in, const ir_type *t, const ir_type *const *from,
	      const ir_type *const *to, uint32_t n)
{
	struct type_map map = {.from = from, .to = to, .n = n};

	return ir_type_substitute(in->cx, t, map_type, &map);
}

/*
 * F with its first type parameters renamed to KEEP[0..NKEEP), the others
 * replaced by holes. The parameters are no longer bound.
 */
static const struct ir_func_type *
open_function(struct infer *in, const struct ir_func_type *f,
	      const ir_type *const *keep, uint32_t nkeep)
{
	const ir_type **to;
	const ir_type *t;

	if (f->nvars == 0)
		return f;
	to = xmalloc(f->nvars * sizeof(*to));
	for (uint32_t i = 0; i < f->nvars; i++)
		to[i] = i < nkeep ? keep[i] : infer_new_hole(in);
	t = ir_type_func(in->cx, f->params, f->nparams, f->ret, NULL, 0);
	/* A hole in it may stand for a parameter. */
	t = infer_replace(in, infer_resolve(in, t), f->vars, to, f->nvars);
	free(to);
	return ir_as_func_type(t);
}

const struct ir_func_type *
infer_instantiate(struct infer *in, const struct ir_func_type *f)
{
	return open_function(in, f, NULL, 0);
}

/*
 * Function types. Where one has more type parameters than the other, the
 * rest of them stand for some type each.
 */
static const ir_type *
unify_functions(struct infer *in, const ir_type *ta, const ir_type *tb)
{
	const struct ir_func_type *a = ir_as_func_type(ta);
	const struct ir_func_type *b = ir_as_func_type(tb);
	const struct ir_func_type *fewer = a->nvars < b->nvars ? a : b;
	const ir_type **params;
	const ir_type *ret;
	const ir_type *t = NULL;

	if (a->nparams != b->nparams)
		return NULL;
	if (fewer == a)
		b = open_function(in, b, a->vars, a->nvars);
	else
		a = open_function(in, a, b->vars, b->nvars);
	params = xmalloc((a->nparams + 1) * sizeof(*params));
	ret = infer_unify(in, a->ret, b->ret);
	if (ret && unify_all(in, a->params, b->params, a->nparams, params))
		t = ir_type_func(in->cx, params, a->nparams, ret, fewer->vars,
				 fewer->nvars);
	free(params);
	return t;
}

/* A and B differ. */
static const ir_type *
unify_kinds(struct infer *in, const ir_type *a, const ir_type *b)
{
	const ir_type *value;

	if (a->kind == TYPE_HOLE || b->kind == TYPE_HOLE)
		return infer_unify_hole(in, a, b);
	if (a->kind != b->kind)
		return NULL;
	switch (a->kind) {
	case TYPE_TENSOR:
		return unify_tensors(in, a, b);
	case TYPE_TUPLE:
		return unify_tuples(in, a, b);
	case TYPE_FUNC:
		return unify_functions(in, a, b);
	case TYPE_ADT:
		return unify_adts(in, a, b);
	case TYPE_REF:
		value = infer_unify(in, ir_as_ref_type(a)->value,
				    ir_as_ref_type(b)->value);
		return value ? ir_type_ref(in->cx, value) : NULL;
	default:
		return NULL;
	}
}

const ir_type *
infer_unify(struct infer *in, const ir_type *a, const ir_type *b)
{
	const ir_type *t = NULL;

	if (a == b)
		return a;
	if (in->depth < INFER_MAX_DEPTH) {
		in->depth++;
		t = unify_kinds(in, a, b);
		in->depth--;
	}
	return t;
}
