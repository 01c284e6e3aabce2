/* What the relations share: see ir/relations/common.h. */
#include "ir/relations/common.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ir/meta.h"
#include "ir/print.h"

/* Of a longer shape a message shows so many. */
enum { SHOWN_EXTENTS = 16 };

/* More axes than this come from nonsense. */
enum { MAX_DYNAMIC_RANK = 4096 };

const char *
rel_show(struct rel *r, const ir_type *t)
{
	return ir_type_text(r->cx, t);
}

const char *
rel_show_arg(struct rel *r, uint32_t i)
{
	return rel_show(r, r->args[i]);
}

const char *
rel_show_dim(struct rel *r, struct ir_dim d)
{
	const char *name;

	switch (d.kind) {
	case DIM_INT:
	case DIM_INT64:
		return arena_printf(r->scratch, "%" PRId64, d.value);
	case DIM_SYM:
		name = d.sym ? ir_meta_text(d.sym, "name") : NULL;
		return name ? name : "<symbolic>";
	default:
		return "?";
	}
}

const char *
rel_show_shape(struct rel *r, const struct ir_dim *shape, uint32_t n)
{
	const char *s = "(";

	for (uint32_t i = 0; i < n && i <= SHOWN_EXTENTS; i++)
		s = arena_printf(
			r->scratch, "%s%s%s", s, i ? ", " : "",
			i == SHOWN_EXTENTS ? "..." : rel_show_dim(r, shape[i]));
	return arena_printf(r->scratch, "%s)", s);
}

const char *
rel_show_dtype(struct rel *r, struct dtype t)
{
	char text[DTYPE_TEXT];

	dtype_text(t, text);
	return arena_strndup(r->scratch, text, strlen(text));
}

const char *
rel_input(struct rel *r, uint32_t i)
{
	const char *p = r->op->inputs;

	for (uint32_t k = 0; k < i && (p = strchr(p, ',')); k++)
		p++;
	if (!p || !*p)
		return arena_printf(r->scratch, "input %" PRIu32, i);
	return arena_strndup(r->scratch, p, strcspn(p, ","));
}

bool
rel_check_rank(struct rel *r, uint32_t i, const struct ir_tensor_type *t,
	       uint32_t rank)
{
	if (t->ndim == rank)
		return true;
	rel_error_at(r, i, "'%s' must have rank %" PRIu32 ", but is %s",
		     rel_input(r, i), rank, rel_show(r, &t->base));
	return false;
}

bool
rel_ints(struct rel *r, const char *name, struct rel_ints *out)
{
	const ir_attr *a = ir_attrs_get(r->attrs, name);
	int64_t *at;

	*out = (struct rel_ints){0};
	if (!a || a->kind == ATTR_NULL)
		return true;
	uint32_t n = a->kind == ATTR_ARRAY ? a->n : 1;
	const ir_attr *elems = a->kind == ATTR_ARRAY ? a->elems : a;

	at = ARENA_NEW_ARRAY(r->scratch, n, int64_t);
	for (uint32_t i = 0; i < n; i++) {
		if (elems[i].kind != ATTR_INT) {
			rel_error(r, "attribute '%s' must hold integers", name);
			return false;
		}
		at[i] = elems[i].i;
	}
	*out = (struct rel_ints){true, n, at};
	return true;
}

bool
rel_ints_n(struct rel *r, const char *name, uint32_t n, int64_t least,
	   struct rel_ints *out)
{
	if (!rel_ints(r, name, out))
		return false;
	if (out->n != n) {
		rel_error(r,
			  "attribute '%s' must have %" PRIu32
			  " value%s, but has %" PRIu32,
			  name, n, n == 1 ? "" : "s", out->n);
		return false;
	}
	for (uint32_t i = 0; i < n; i++)
		if (out->at[i] < least) {
			rel_error(r,
				  "attribute '%s' must be at least %" PRId64
				  ", but has %" PRId64,
				  name, least, out->at[i]);
			return false;
		}
	return true;
}

static bool
dim_of_attr(struct rel *r, const char *name, const ir_attr *a,
	    struct ir_dim *out)
{
	switch (a->kind) {
	case ATTR_INT:
		*out = DIM(a->i);
		if (a->bits == 64)
			out->kind = DIM_INT64;
		if (a->i >= 0)
			return true;
		rel_error(r, "attribute '%s' has the negative extent %" PRId64,
			  name, a->i);
		return false;
	case ATTR_ANY:
		*out = DIM_UNKNOWN;
		return true;
	case ATTR_META:
		*out = (struct ir_dim){-1, a->meta, DIM_SYM};
		return true;
	default:
		rel_error(r, "attribute '%s' must hold extents", name);
		return false;
	}
}

bool
rel_dims(struct rel *r, const char *name, struct rel_shape *out, bool *given)
{
	const ir_attr *a = ir_attrs_get(r->attrs, name);

	*given = false;
	*out = (struct rel_shape){0};
	if (!a || a->kind == ATTR_NULL)
		return true;
	*given = true;
	if (a->kind != ATTR_ARRAY) {
		*out = rel_new_shape(r, 1);
		return dim_of_attr(r, name, a, &out->at[0]);
	}
	*out = rel_new_shape(r, a->n);
	for (uint32_t i = 0; i < a->n; i++)
		if (!dim_of_attr(r, name, &a->elems[i], &out->at[i]))
			return false;
	return true;
}

bool
rel_dim(struct rel *r, const char *name, struct ir_dim *out, bool *given)
{
	const ir_attr *a = ir_attrs_get(r->attrs, name);

	*given = a && a->kind != ATTR_NULL;
	return !*given || dim_of_attr(r, name, a, out);
}

struct dtype
rel_dtype(struct rel *r, const char *name, struct dtype deflt)
{
	const ir_attr *a = ir_attrs_get(r->attrs, name);

	if (!a || a->kind != ATTR_DTYPE || dtype_is_void(a->dtype))
		return deflt;
	return a->dtype;
}

bool
rel_axis(struct rel *r, const char *what, int64_t axis, uint32_t rank,
	 uint32_t *out)
{
	if (axis < -(int64_t)rank || axis >= (int64_t)rank) {
		rel_error_attr(r, what,
			       "%s %" PRId64
			       " is out of range for rank %" PRIu32,
			       what, axis, rank);
		return false;
	}
	*out = (uint32_t)(axis < 0 ? axis + rank : axis);
	return true;
}

bool
rel_axis_attr(struct rel *r, const char *name, uint32_t rank, uint32_t *out)
{
	const ir_attr *a = ir_attrs_get(r->attrs, name);

	if (!a || a->kind != ATTR_INT) {
		rel_error(r, "attribute '%s' must be given", name);
		return false;
	}
	return rel_axis(r, name, a->i, rank, out);
}

struct rel_shape
rel_new_shape(struct rel *r, uint32_t n)
{
	return (struct rel_shape){
		n, ARENA_NEW_ARRAY(r->scratch, n, struct ir_dim)};
}

struct rel_shape
rel_copy_shape(struct rel *r, const struct ir_tensor_type *t)
{
	return (struct rel_shape){t->ndim,
				  arena_copy(r->scratch, t->shape,
					     t->ndim * sizeof(struct ir_dim))};
}

const ir_type *
rel_tensor_type(struct rel *r, struct dtype t, const struct rel_shape *s)
{
	return ir_type_tensor(r->cx, t, s->at, s->n);
}

const ir_type *
rel_vector_type(struct rel *r, struct dtype t, struct ir_dim n)
{
	return ir_type_tensor(r->cx, t, &n, 1);
}

bool
rel_check_shape(struct rel *r, const struct rel_shape *s)
{
	int64_t size = 1;
	bool empty = false;

	for (uint32_t i = 0; i < s->n; i++) {
		if (!ir_dim_is_const(s->at[i]))
			continue;
		if (s->at[i].value < 0) {
			rel_error(r, "the result would have the shape %s",
				  rel_show_shape(r, s->at, s->n));
			return false;
		}
		empty |= s->at[i].value == 0;
	}
	for (uint32_t i = 0; i < s->n && !empty; i++)
		if (ir_dim_is_const(s->at[i]) &&
		    __builtin_mul_overflow(size, s->at[i].value, &size)) {
			rel_error(r, "a tensor of shape %s is too large",
				  rel_show_shape(r, s->at, s->n));
			return false;
		}
	return true;
}

enum rel_result
rel_finish(struct rel *r, struct dtype t, const struct rel_shape *s)
{
	if (!rel_check_shape(r, s))
		return REL_FAIL;
	return rel_assign_tensor(r, t, s->at, s->n);
}

enum rel_result
rel_finish_tuple(struct rel *r, const ir_type *const *fields, uint32_t n)
{
	return rel_assign(r, ir_type_tuple(r->cx, fields, n));
}

/* D as COEF * *BASE, where *BASE is an object that is no such product. */
static int64_t
split_symbol(struct ir_dim d, const ir_meta **base)
{
	const ir_meta *factor;
	const char *value;

	*base = d.sym;
	if (strcmp(d.sym->type_key, "tir.Mul") != 0)
		return 1;
	factor = ir_meta_object(d.sym, "b");
	value = factor ? ir_meta_text(factor, "value") : NULL;
	if (!value || !ir_meta_object(d.sym, "a"))
		return 1;
	*base = ir_meta_object(d.sym, "a");
	return strtoll(value, NULL, 10);
}

/* The object that stands for BASE * COEF. */
static const ir_meta *
make_product(struct rel *r, const ir_meta *base, int64_t coef)
{
	ir_context *cx = r->cx;
	const char *dtype = ir_meta_text(base, "dtype");
	const char *key[] = {ir_name(cx, "a"), ir_name(cx, "b"),
			     ir_name(cx, "dtype"), ir_name(cx, "span"),
			     ir_name(cx, "value")};

	dtype = dtype ? dtype : ir_name(cx, "int32");
	const struct ir_meta_field number[] = {
		{.name = key[2], .text = dtype},
		{.name = key[3]},
		{.name = key[4], .text = ir_namef(cx, "%" PRId64, coef)},
	};
	const ir_meta factor = {.type_key = ir_name(cx, "IntImm"),
				.nfields = 3,
				.fields = number};
	const struct ir_meta_field product[] = {
		{.name = key[0], .object = base},
		{.name = key[1], .object = ir_meta_new(cx, &factor)},
		{.name = key[2], .text = dtype},
		{.name = key[3]},
	};
	const ir_meta mul = {.type_key = ir_name(cx, "tir.Mul"),
			     .nfields = 4,
			     .fields = product};

	return ir_meta_new(cx, &mul);
}

struct ir_dim
rel_ratio(struct rel *r, struct ir_dim d, int64_t num, int64_t den)
{
	const ir_meta *base;
	int64_t coef = split_symbol(d, &base);

	if (num <= 0 || den <= 0 || __builtin_mul_overflow(coef, num, &coef) ||
	    coef % den != 0 || coef == 0)
		return DIM_UNKNOWN;
	coef /= den;
	if (coef == 1)
		return (struct ir_dim){-1, base, DIM_SYM};
	return (struct ir_dim){-1, make_product(r, base, coef), DIM_SYM};
}

bool
rel_mul(struct rel *r, struct ir_dim a, struct ir_dim b, struct ir_dim *out)
{
	if (a.kind == DIM_SYM && ir_dim_is_const(b)) {
		*out = rel_ratio(r, a, b.value, 1);
		return true;
	}
	if (b.kind == DIM_SYM && ir_dim_is_const(a)) {
		*out = rel_ratio(r, b, a.value, 1);
		return true;
	}
	*out = ir_dim_mul(a, b);
	if (ir_dim_is_const(a) && ir_dim_is_const(b) &&
	    !ir_dim_is_const(*out)) {
		rel_error(r,
			  "an extent of %" PRId64 " * %" PRId64 " is too large",
			  a.value, b.value);
		return false;
	}
	return true;
}

bool
rel_same_dtype(struct rel *r, uint32_t i, const struct ir_tensor_type *a,
	       uint32_t j, const struct ir_tensor_type *b)
{
	if (dtype_equal(a->dtype, b->dtype))
		return true;
	rel_error_at(
		r, j,
		"'%s' and '%s' must have one element type, but are %s and %s",
		rel_input(r, i), rel_input(r, j), rel_show(r, &a->base),
		rel_show(r, &b->base));
	return false;
}

bool
rel_tuple_dtype(struct rel *r, uint32_t i, const struct ir_tuple_type *t,
		struct dtype *out)
{
	if (t->nfields == 0) {
		rel_error_at(r, i, "'%s' must not be empty", rel_input(r, i));
		return false;
	}
	*out = ir_as_tensor_type(t->fields[0])->dtype;
	for (uint32_t k = 1; k < t->nfields; k++)
		if (!dtype_equal(ir_as_tensor_type(t->fields[k])->dtype,
				 *out)) {
			rel_error_at(
				r, i,
				"the tensors of '%s' must have one element "
				"type, but are %s and %s",
				rel_input(r, i), rel_show(r, t->fields[0]),
				rel_show(r, t->fields[k]));
			return false;
		}
	return true;
}

bool
rel_shape_of_input(struct rel *r, uint32_t i, struct rel_shape *out)
{
	const struct ir_tensor_type *t = rel_tensor(r, i);

	if (!rel_check_rank(r, i, t, 1))
		return false;
	if (dtype_is_float(t->dtype)) {
		rel_error_at(r, i, "'%s' must be made of integers, not %s",
			     rel_input(r, i), rel_show_arg(r, i));
		return false;
	}
	if (!ir_dim_is_const(t->shape[0]) ||
	    t->shape[0].value > MAX_DYNAMIC_RANK) {
		rel_error_at(r, i,
			     "the length of '%s' must be a known rank, but it "
			     "is %s",
			     rel_input(r, i), rel_show_arg(r, i));
		return false;
	}
	*out = rel_new_shape(r, (uint32_t)t->shape[0].value);
	for (uint32_t k = 0; k < out->n; k++)
		out->at[k] = DIM_UNKNOWN;
	return true;
}

bool
rel_try_broadcast(struct rel *r, const struct rel_shape *a,
		  const struct rel_shape *b, struct rel_shape *out)
{
	uint32_t n = a->n > b->n ? a->n : b->n;
	uint32_t skip_a = n - a->n, skip_b = n - b->n;

	*out = rel_new_shape(r, n);
	for (uint32_t i = 0; i < n; i++) {
		if (i < skip_a)
			out->at[i] = b->at[i];
		else if (i < skip_b)
			out->at[i] = a->at[i];
		else if (!ir_dim_broadcast(a->at[i - skip_a], b->at[i - skip_b],
					   &out->at[i]))
			return false;
	}
	return true;
}

bool
rel_broadcast_shapes(struct rel *r, const struct rel_shape *a,
		     const struct rel_shape *b, struct rel_shape *out)
{
	if (rel_try_broadcast(r, a, b, out))
		return true;
	rel_error(r, "shapes %s and %s can't be broadcast together",
		  rel_show_shape(r, a->at, a->n),
		  rel_show_shape(r, b->at, b->n));
	return false;
}

enum rel_result
rel_maybe_tensor(struct rel *r, uint32_t i, const struct ir_tensor_type **out)
{
	*out = rel_tensor(r, i);
	return *out ? REL_DONE : rel_wait(r, i);
}

enum rel_result
rel_vector(struct rel *r, uint32_t i, struct dtype t, struct ir_dim n)
{
	return rel_assign_input(r, i, rel_vector_type(r, t, n));
}

enum rel_result
rel_input_shape(struct rel *r, uint32_t i, struct dtype t,
		const struct rel_shape *s)
{
	if (!rel_check_shape(r, s))
		return REL_FAIL;
	return rel_assign_input(r, i, rel_tensor_type(r, t, s));
}

enum rel_result
rel_scalar(struct rel *r, uint32_t i, struct dtype t)
{
	return rel_assign_input(r, i, ir_type_scalar(r->cx, t));
}
