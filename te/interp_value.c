/*
 * Values of the evaluator. A list may be as long as memory allows, so giving
 * a value back keeps its own stack.
 */
#include "te/interp_internal.h"

struct interp_value *
interp_new_value(enum interp_kind kind, uint32_t n)
{
	struct interp_value *v = xcalloc(1, sizeof(*v) + n * sizeof(v->at[0]));

	v->kind = kind;
	v->refs = 1;
	v->n = n;
	return v;
}

struct interp_value *
interp_tensor(ir_tensor *t)
{
	struct interp_value *v = interp_new_value(INTERP_TENSOR, 0);

	v->tensor = t;
	return v;
}

struct interp_value *
interp_tuple(struct interp_value *const *fields, uint32_t n)
{
	struct interp_value *v = interp_new_value(INTERP_TUPLE, n);

	for (uint32_t i = 0; i < n; i++)
		v->at[i] = fields[i];
	return v;
}

struct interp_value *
interp_ref(struct interp_value *v)
{
	v->refs++;
	return v;
}

static void
unlink_cell(struct interp_value *v)
{
	if (!v->cell.link)
		return;
	*v->cell.link = v->cell.next;
	if (v->cell.next)
		v->cell.next->cell.link = v->cell.link;
	v->cell.link = NULL;
}

void
interp_unref(struct interp_value *v)
{
	VEC(struct interp_value *) dead = {0};

	while (v) {
		if (--v->refs == 0) {
			for (uint32_t i = 0; i < v->n; i++)
				if (v->at[i])
					vec_push(&dead, v->at[i]);
			if (v->kind == INTERP_TENSOR)
				ir_tensor_unref(v->tensor);
			else if (v->kind == INTERP_REF)
				unlink_cell(v);
			free(v);
		}
		v = dead.len > 0 ? vec_pop(&dead) : NULL;
	}
	vec_free(&dead);
}
