/*
 * Equality of attributes and constants, by value.
 */
#include <math.h>
#include <string.h>

#include "ir/equal_internal.h"

static bool same_values(struct equal *q, const ir_attr *a, const ir_attr *b);

static bool
is_ignored(struct equal *q, const char *name)
{
	const char *const *at = q->o->ignore_attrs;

	while (at && *at && strcmp(*at, name) != 0)
		at++;
	return at && *at;
}

static bool
same_arrays(struct equal *q, const ir_attr *a, const ir_attr *b)
{
	if (a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (!same_values(q, &a->elems[i], &b->elems[i]))
			return false;
	return true;
}

/* Values nest as deep as the brackets of the text. */
static bool
same_values(struct equal *q, const ir_attr *a, const ir_attr *b)
{
	const char *name;

	if (a->kind != b->kind || a->boxed != b->boxed)
		return false;
	switch ((enum ir_attr_kind)a->kind) {
	case ATTR_ARRAY:
		return same_arrays(q, a, b);
	case ATTR_DICT:
		return equal_dicts(q, a->dict, b->dict, &name);
	case ATTR_RECORD:
		return equal_records(q, a->record, b->record, &name);
	case ATTR_TYPE:
		return equal_types(q, a->type, b->type);
	case ATTR_META:
		return equal_metas(q, a->meta, b->meta);
	case ATTR_EXPR:
		equal_later(q, a->expr, b->expr);
		return true;
	default:
		return ir_attr_equal(a, b);
	}
}

bool
equal_records(struct equal *q, const ir_attrs *a, const ir_attrs *b,
	      const char **name)
{
	*name = "attributes";
	if (a == b)
		return true;
	if (!a || !b || a->schema != b->schema)
		return false;
	for (uint32_t i = 0; i < a->n; i++) {
		*name = a->schema->fields[i].name;
		if (!is_ignored(q, *name) &&
		    !same_values(q, &a->value[i], &b->value[i]))
			return false;
	}
	return true;
}

static uint32_t
count_kept(struct equal *q, const ir_dict *d)
{
	uint32_t n = 0;

	for (uint32_t i = 0; d && i < d->n; i++)
		n += !is_ignored(q, d->entry[i].key);
	return n;
}

/* Order does not count. */
bool
equal_dicts(struct equal *q, const ir_dict *a, const ir_dict *b,
	    const char **name)
{
	*name = "attributes";
	if (a == b)
		return true;
	if (count_kept(q, a) != count_kept(q, b))
		return false;
	for (uint32_t i = 0; a && i < a->n; i++) {
		const struct ir_dict_entry *e = &a->entry[i];
		const ir_attr *other;

		*name = e->key;
		if (is_ignored(q, e->key))
			continue;
		other = b && i < b->n && b->entry[i].key == e->key
				? &b->entry[i].value
				: ir_dict_get(b, e->key);
		if (!other || !same_values(q, &e->value, other))
			return false;
	}
	return true;
}

static bool
same_shape(const ir_tensor *a, const ir_tensor *b)
{
	return dtype_equal(a->dtype, b->dtype) && a->ndim == b->ndim &&
	       (a->ndim == 0 ||
		memcmp(a->shape, b->shape, a->ndim * sizeof(*a->shape)) == 0);
}

static bool
close_enough(const ir_tensor *a, const ir_tensor *b, double rtol)
{
	int64_t n = ir_tensor_size(a);

	for (int64_t i = 0; i < n; i++) {
		double x = ir_tensor_get_double(a, i);
		double y = ir_tensor_get_double(b, i);

		if (x != y && !(isnan(x) && isnan(y)) &&
		    !(fabs(x - y) <= rtol * fabs(x)))
			return false;
	}
	return true;
}

bool
equal_constants(struct equal *q, const struct ir_constant *a,
		const struct ir_constant *b)
{
	if (!equal_metas(q, a->vdevice, b->vdevice))
		return false;
	if (!a->data || !b->data)
		return !a->data && !b->data && a->meta_index == b->meta_index;
	if (a->data == b->data)
		return true;
	if (!same_shape(a->data, b->data))
		return false;
	if (q->o->ignore_consts)
		return true;
	if (q->o->const_rtol > 0 && dtype_is_float(a->data->dtype))
		return close_enough(a->data, b->data, q->o->const_rtol);
	return ir_tensor_equal(a->data, b->data);
}
