/*
 * Layouts of operators that work element by element, and of reductions.
 */
#include <stdlib.h>
#include <string.h>

#include "passes/layout/layout_infer.h"
#include "support/arena.h"

bool
layout_elementwise(const struct layout_query *q, struct layout_answer *a)
{
	layout_fill(q, a, 1, layout_current(q));
	return true;
}

static const char *
sub_layout(ir_context *cx, const struct ir_layout *l, uint32_t from)
{
	struct ir_layout out = {.n = l->n - from};

	memcpy(out.axis, l->axis + from, out.n * sizeof(*out.axis));
	return layout_name(cx, &out);
}

/*
 * How the operands of a broadcast see themselves: axes line up from the last
 * one, so the layout of the larger is enough.
 */
static bool
broadcast_first(const struct layout_query *q, struct layout_answer *a)
{
	const struct ir_tensor_type *t[] = {layout_tensor(q, 0),
					    layout_tensor(q, 1)};
	uint32_t large;
	struct ir_layout l;

	if (!t[0] || !t[1])
		return false;
	large = t[0]->ndim >= t[1]->ndim ? 0 : 1;
	if (!layout_read(q->old[large], &l) && t[0]->ndim == t[1]->ndim)
		large = 1 - large;
	if (!layout_read(q->old[large], &l) || l.n != t[large]->ndim)
		return false;
	layout_fill(q, a, 2, q->old[large]);
	a->in[1 - large] = sub_layout(q->cx, &l, l.n - t[1 - large]->ndim);
	return true;
}

/*
 * L with the factors that operand I allows: 1 where its axis has one element
 * or is missing.
 */
static bool
fit_factors(const struct layout_query *q, uint32_t i, struct ir_layout *l)
{
	const struct ir_tensor_type *t = layout_tensor(q, i);
	struct ir_layout old;

	if (!layout_read(q->old[i], &old) || old.n != t->ndim)
		return false;
	for (uint32_t k = 0; k < l->n; k++) {
		char primal = (char)(l->axis[k].letter - 'a' + 'A');
		int at;

		if (l->axis[k].factor == 0)
			continue;
		at = ir_layout_index(&old, primal);
		if (at < 0 ||
		    (ir_dim_is_const(t->shape[at]) &&
		     t->shape[at].value * ir_layout_factor(&old, primal) == 1))
			l->axis[k].factor = 1;
	}
	return true;
}

bool
layout_broadcast(const struct layout_query *q, struct layout_answer *a)
{
	struct ir_layout l[2];
	uint32_t large;

	if (!q->now)
		return broadcast_first(q, a);
	if (!layout_read(q->now[0], &l[0]) || !layout_read(q->now[1], &l[1]))
		return false;
	large = layout_num_primal(&l[0]) >= layout_num_primal(&l[1]) ? 0 : 1;
	layout_fill(q, a, 2, q->now[large]);
	if (l[1 - large].n == 0) {
		a->in[1 - large] = q->now[1 - large];
		return true;
	}
	if (!fit_factors(q, 1 - large, &l[large]))
		return false;
	a->in[1 - large] = layout_name(q->cx, &l[large]);
	return true;
}

/* Which letters of the old layout are reduced; false if unclear. */
static bool
reduced_axes(const struct layout_query *q, const struct ir_layout *old,
	     bool *reduced)
{
	const ir_attr *axis = ir_attrs_get(q->attrs, "axis");
	bool exclude = ir_attrs_bool(q->attrs, "exclude");
	bool all = axis->kind != ATTR_ARRAY || axis->n == 0;

	for (uint32_t i = 0; i < old->n; i++)
		reduced[i] = all ? !exclude : exclude;
	for (uint32_t i = 0; !all && i < axis->n; i++) {
		int64_t at = ir_attr_elem_int(axis, i);

		if (at < 0)
			at += old->n;
		if (at < 0 || at >= old->n)
			return false;
		reduced[at] = !exclude;
	}
	return true;
}

/* Is axis I of NOW, or what it becomes a part of, reduced in OLD? */
static bool
is_reduced(const struct ir_layout *now, uint32_t i, const struct ir_layout *old,
	   const bool *reduced)
{
	char letter = now->axis[i].letter;
	int at = ir_layout_index(old, letter);

	if (at < 0 && now->axis[i].factor)
		at = ir_layout_index(old, (char)(letter - 'a' + 'A'));
	return at >= 0 && reduced[at];
}

bool
layout_reduce(const struct layout_query *q, struct layout_answer *a)
{
	bool keep = ir_attrs_bool(q->attrs, "keepdims");
	bool exclude = ir_attrs_bool(q->attrs, "exclude");
	bool reduced[LAYOUT_MAX_AXES];
	int64_t axes[LAYOUT_MAX_AXES];
	struct ir_layout out = {0};
	struct ir_layout old;
	struct ir_layout now;
	uint32_t n = 0;

	if (!layout_read(q->old[0], &old) ||
	    !layout_read(layout_current(q), &now) ||
	    !reduced_axes(q, &old, reduced))
		return false;
	for (uint32_t i = 0; i < now.n; i++) {
		bool r = is_reduced(&now, i, &old, reduced);

		if (r != exclude)
			axes[n++] = i;
		if (!r || keep)
			out.axis[out.n++] = now.axis[i];
		/* One element is left of a part, too. */
		if (r && keep && now.axis[i].factor)
			out.axis[out.n - 1].factor = 1;
	}
	if (out.n == 0)
		return false;
	if (q->now)
		a->attrs = ir_attrs_with(q->cx, q->attrs, "axis",
					 ir_attr_int_array(q->cx, axes, n, 32));
	layout_fill(q, a, 1, layout_current(q));
	a->out[0] = layout_name(q->cx, &out);
	/* Parts of a kept axis of which the rest is gone. */
	return ir_layout_parse(a->out[0], &out);
}

/* The result counts the reduced elements, so their order must not change. */
bool
layout_arg_reduce(const struct layout_query *q, struct layout_answer *a)
{
	bool reduced[LAYOUT_MAX_AXES];
	struct ir_layout old;
	struct ir_layout now;
	int last = -1;

	if (!layout_read(q->old[0], &old) ||
	    !layout_read(layout_current(q), &now) ||
	    !reduced_axes(q, &old, reduced))
		return false;
	for (uint32_t i = 0; i < now.n; i++) {
		int at = ir_layout_index(&old, now.axis[i].letter);

		if (!is_reduced(&now, i, &old, reduced))
			continue;
		if (at <= last)
			return false;
		last = at;
	}
	return layout_reduce(q, a);
}
