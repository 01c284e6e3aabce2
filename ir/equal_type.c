/*
 * Equality of types, symbolic dimensions and other metadata, up to the names
 * of type parameters and the identity of symbolic variables.
 */
#include <string.h>

#include "ir/equal_internal.h"

enum { META_DEPTH = 1000 };

typedef VEC(const ir_type *) type_vec;

static bool metas_below(struct equal *q, const ir_meta *a, const ir_meta *b,
			int depth);

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool
same_tensor(const ir_tensor *a, const ir_tensor *b)
{
	return a == b || (a && b && ir_tensor_equal(a, b));
}

static bool
same_field(struct equal *q, const struct ir_meta_field *a,
	   const struct ir_meta_field *b, int depth)
{
	if (!same_text(a->name, b->name))
		return false;
	return same_text(a->text, b->text) &&
	       same_tensor(a->tensor, b->tensor) &&
	       equal_types(q, a->type, b->type) &&
	       metas_below(q, a->object, b->object, depth);
}

/* Null is as good as absent, and places do not count. */
static bool
says_something(const struct ir_meta_field *f)
{
	return (f->text || f->object || f->tensor || f->type) &&
	       strcmp(f->name, "span") != 0;
}

/* The first field from I on that counts. */
static uint32_t
next_field(const ir_meta *m, uint32_t i)
{
	while (i < m->nfields && !says_something(&m->fields[i]))
		i++;
	return i;
}

/* Fields are in the order of their names. */
static bool
same_fields(struct equal *q, const ir_meta *a, const ir_meta *b, int depth)
{
	uint32_t i = next_field(a, 0);
	uint32_t j = next_field(b, 0);

	while (i < a->nfields && j < b->nfields) {
		if (!same_field(q, &a->fields[i], &b->fields[j], depth - 1))
			return false;
		i = next_field(a, i + 1);
		j = next_field(b, j + 1);
	}
	return i == a->nfields && j == b->nfields;
}

static bool
is_variable(const ir_meta *m)
{
	return strcmp(m->type_key, "tir.Var") == 0 ||
	       strcmp(m->type_key, "tir.SizeVar") == 0;
}

/* Pairs that were found equal, or are being compared, are not taken again. */
static bool
metas_below(struct equal *q, const ir_meta *a, const ir_meta *b, int depth)
{
	if (a == b)
		return true;
	if (!a || !b || depth == 0 || !same_text(a->type_key, b->type_key) ||
	    !same_text(a->repr, b->repr) || a->nkeys != b->nkeys ||
	    a->ndata != b->ndata)
		return false;
	if (ptrmap_get(&q->left, a) == b)
		return true;
	if (is_variable(a)) {
		if (!equal_bind(q, a, b))
			return false;
	} else {
		ptrmap_put(&q->left, a, b);
	}
	if (!same_fields(q, a, b, depth))
		return false;
	for (uint32_t i = 0; i < a->nkeys; i++)
		if (!same_text(a->keys[i], b->keys[i]))
			return false;
	for (uint32_t i = 0; i < a->ndata; i++)
		if (!metas_below(q, a->data[i], b->data[i], depth - 1))
			return false;
	return true;
}

/* Symbolic variables are paired up, all else is compared by value. */
bool
equal_metas(struct equal *q, const ir_meta *a, const ir_meta *b)
{
	return metas_below(q, a, b, META_DEPTH);
}

static bool
same_dims(struct equal *q, const struct ir_tensor_type *a,
	  const struct ir_tensor_type *b)
{
	if (!dtype_equal(a->dtype, b->dtype) || a->ndim != b->ndim)
		return false;
	for (uint32_t i = 0; i < a->ndim; i++) {
		struct ir_dim x = a->shape[i];
		struct ir_dim y = b->shape[i];

		if (x.kind == DIM_SYM && y.kind == DIM_SYM) {
			if (!equal_metas(q, x.sym, y.sym))
				return false;
		} else if (!ir_dim_equal(x, y)) {
			return false;
		}
	}
	return true;
}

static void
push_pairs(type_vec *todo, const ir_type *const *a, const ir_type *const *b,
	   uint32_t n)
{
	for (uint32_t i = n; i > 0; i--) {
		vec_push(todo, a[i - 1]);
		vec_push(todo, b[i - 1]);
	}
}

static bool
same_func(struct equal *q, const struct ir_func_type *a,
	  const struct ir_func_type *b, type_vec *todo)
{
	if (a->nparams != b->nparams || a->nvars != b->nvars)
		return false;
	for (uint32_t i = 0; i < a->nvars; i++)
		if (!equal_bind(q, a->vars[i], b->vars[i]))
			return false;
	push_pairs(todo, &a->ret, &b->ret, 1);
	push_pairs(todo, a->params, b->params, a->nparams);
	return true;
}

static bool
same_adt(const struct ir_adt_type *a, const struct ir_adt_type *b,
	 type_vec *todo)
{
	if (!same_text(a->name, b->name) || a->nargs != b->nargs)
		return false;
	push_pairs(todo, a->args, b->args, a->nargs);
	return true;
}

/* Compare A and B but for their parts, which go onto TODO. */
static bool
same_head(struct equal *q, const ir_type *a, const ir_type *b, type_vec *todo)
{
	if (a->kind != b->kind)
		return false;
	switch ((enum ir_type_kind)a->kind) {
	case TYPE_TENSOR:
		return same_dims(q, ir_as_tensor_type(a), ir_as_tensor_type(b));
	case TYPE_TUPLE:
		if (ir_as_tuple_type(a)->nfields !=
		    ir_as_tuple_type(b)->nfields)
			return false;
		push_pairs(todo, ir_as_tuple_type(a)->fields,
			   ir_as_tuple_type(b)->fields,
			   ir_as_tuple_type(a)->nfields);
		return true;
	case TYPE_FUNC:
		return same_func(q, ir_as_func_type(a), ir_as_func_type(b),
				 todo);
	case TYPE_REF:
		push_pairs(todo, &ir_as_ref_type(a)->value,
			   &ir_as_ref_type(b)->value, 1);
		return true;
	case TYPE_ADT:
		return same_adt(ir_as_adt_type(a), ir_as_adt_type(b), todo);
	case TYPE_VAR:
		return equal_is_known(q, a, b) ? ptrmap_get(&q->left, a) == b
					       : a == b;
	case TYPE_HOLE:
		return true;
	}
	return false;
}

bool
equal_types(struct equal *q, const ir_type *a, const ir_type *b)
{
	const unsigned special =
		TYPE_HAS_VAR | TYPE_HAS_FUNC | TYPE_HAS_ANY | TYPE_HAS_HOLE;
	type_vec todo = {0};
	bool same = true;

	if (!a || !b)
		return a == b;
	vec_push(&todo, a);
	vec_push(&todo, b);
	while (same && todo.len) {
		b = vec_pop(&todo);
		a = vec_pop(&todo);
		if (!((a->flags | b->flags) & special) ||
		    (a == b && !(a->flags & TYPE_HAS_VAR)))
			same = a == b;
		else
			same = same_head(q, a, b, &todo);
	}
	vec_free(&todo);
	return same;
}
