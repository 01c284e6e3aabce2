/*
 * Layouts of operators that cut, join and move axes.
 */
#include <stdlib.h>
#include <string.h>

#include "passes/layout/layout_infer.h"
#include "support/arena.h"

/* The attribute FIELD, an axis, moved to the layout at hand. */
static bool
move_axis_field(const struct layout_query *q, struct layout_answer *a,
		const char *field)
{
	int64_t axis = ir_attrs_int(q->attrs, field, -1);

	if (!layout_move_axis(q->old[0], q->now[0], &axis))
		return false;
	a->attrs = ir_attrs_with(q->cx, q->attrs, field, ATTR_INT32(axis));
	return true;
}

/* Likewise a list of axes. */
static bool
move_axes_field(const struct layout_query *q, struct layout_answer *a,
		const char *field)
{
	const ir_attr *axes = ir_attrs_get(q->attrs, field);
	int64_t moved[LAYOUT_MAX_AXES];

	if (axes->kind != ATTR_ARRAY)
		return true;
	if (axes->n > LAYOUT_MAX_AXES)
		return false;
	for (uint32_t i = 0; i < axes->n; i++) {
		moved[i] = ir_attr_elem_int(axes, i);
		if (!layout_move_axis(q->old[0], q->now[0], &moved[i]))
			return false;
	}
	a->attrs = ir_attrs_with(q->cx, q->attrs, field,
				 ir_attr_int_array(q->cx, moved, axes->n, 32));
	return true;
}

/*
 * Operators that name axes of operand 0 and keep its layout: in the one at
 * hand if their axes are whole there, in the old one if not.
 */
static bool
follow(const struct layout_query *q, struct layout_answer *a,
       bool (*move)(const struct layout_query *q, struct layout_answer *a,
		    const char *field),
       const char *field, uint32_t n)
{
	const char *layout = q->old[0];

	if (q->now && move(q, a, field))
		layout = q->now[0];
	else
		a->attrs = q->attrs;
	layout_fill(q, a, n, layout);
	return layout != NULL;
}

/* Operands of which only the first NDATA are data. */
static uint32_t
num_data(const struct layout_query *q)
{
	return q->op->id == OP_qnn_concatenate ? (q->n - 2) / 3 : q->n;
}

/*
 * The axis AXIS of the old layout in NOW, where it may be cut into blocks: all
 * operands are whole blocks of it. -1 if there is none such.
 */
static int64_t
axis_of_blocks(const struct layout_query *q, uint32_t n, int64_t axis,
	       const char *layout)
{
	struct ir_layout old, now;
	int64_t factor;

	if (!layout_read(q->old[0], &old) || !layout_read(layout, &now))
		return -1;
	axis += axis < 0 ? old.n : 0;
	if (axis < 0 || axis >= old.n || old.axis[axis].factor)
		return -1;
	factor = ir_layout_factor(&now, old.axis[axis].letter);
	for (uint32_t i = 0; i < n && factor > 1; i++) {
		const struct ir_tensor_type *t = layout_tensor(q, i);

		if (!t || axis >= t->ndim || !ir_dim_is_const(t->shape[axis]) ||
		    t->shape[axis].value % factor != 0)
			return -1;
	}
	return ir_layout_index(&now, old.axis[axis].letter);
}

bool
layout_concatenate(const struct layout_query *q, struct layout_answer *a)
{
	uint32_t n = num_data(q);
	const char *ret = NULL;
	bool same = q->now != NULL && n > 0;
	int64_t axis = ir_attrs_int(q->attrs, "axis", 0);
	int64_t moved = -1;
	struct ir_layout l;

	for (uint32_t i = 0; q->now && i < n; i++)
		same &= q->now[i] == q->now[0];
	if (same)
		moved = axis_of_blocks(q, n, axis, q->now[0]);
	if (moved >= 0) {
		ret = q->now[0];
		axis = moved;
		a->attrs = ir_attrs_with(q->cx, q->attrs, "axis",
					 ATTR_INT32(axis));
	}
	for (uint32_t i = 0; i < n && !ret; i++)
		ret = q->old[i];
	if (!layout_read(ret, &l) || axis >= l.n || axis < -(int64_t)l.n ||
	    l.axis[axis < 0 ? axis + l.n : axis].factor)
		return false;
	layout_fill(q, a, n, ret);
	return true;
}

/* Indices divided by what the axis is split by; false if one is within. */
static bool
divide_indices(const struct layout_query *q, struct layout_answer *a,
	       int64_t factor)
{
	const ir_attr *at = ir_attrs_get(q->attrs, "indices_or_sections");
	ir_attr *moved;
	bool ok = true;

	if (at->kind != ATTR_ARRAY) {
		const struct ir_tensor_type *t = layout_tensor(q, 0);
		int64_t axis = ir_attrs_int(q->attrs, "axis", 0);

		axis += axis < 0 ? t->ndim : 0;
		return at->kind == ATTR_INT && at->i > 0 &&
		       ir_dim_is_const(t->shape[axis]) &&
		       t->shape[axis].value % (at->i * factor) == 0;
	}
	moved = xcalloc(at->n + 1, sizeof(*moved));
	for (uint32_t i = 0; i < at->n; i++) {
		moved[i] = at->elems[i];
		ok &= moved[i].kind == ATTR_INT && moved[i].i % factor == 0;
		if (ok)
			moved[i].i /= factor;
	}
	if (ok)
		a->attrs = ir_attrs_with(q->cx, q->attrs, "indices_or_sections",
					 ir_attr_array(q->cx, moved, at->n));
	free(moved);
	return ok;
}

/* Blocks may be cut between each other. */
bool
layout_split(const struct layout_query *q, struct layout_answer *a)
{
	int64_t axis = ir_attrs_int(q->attrs, "axis", 0);
	struct ir_layout old;
	struct ir_layout now;
	const char *ret = q->old[0];
	char letter;

	if (!layout_read(ret, &old))
		return false;
	axis += axis < 0 ? old.n : 0;
	if (axis < 0 || axis >= old.n || old.axis[axis].factor)
		return false;
	letter = old.axis[axis].letter;
	if (q->now && layout_read(q->now[0], &now) &&
	    ir_layout_index(&now, letter) >= 0) {
		int64_t factor = ir_layout_factor(&now, letter);

		if (factor == 1 || divide_indices(q, a, factor)) {
			axis = ir_layout_index(&now, letter);
			ret = q->now[0];
		}
	}
	if (q->now)
		a->attrs = ir_attrs_with(q->cx, a->attrs, "axis",
					 ATTR_INT32(axis));
	layout_fill(q, a, 1, ret);
	return true;
}

static const char *
without_axes(const struct layout_query *q, const char *layout,
	     const ir_attr *axes)
{
	struct ir_layout l;
	struct ir_layout out = {0};
	const char *name;

	if (!layout_read(layout, &l))
		return NULL;
	for (uint32_t i = 0; i < l.n; i++) {
		bool gone = false;

		for (uint32_t k = 0; k < axes->n; k++) {
			int64_t at = ir_attr_elem_int(axes, k);

			gone |= at == i || at + l.n == i;
		}
		if (!gone)
			out.axis[out.n++] = l.axis[i];
	}
	name = layout_name(q->cx, &out);
	return ir_layout_parse(name, &l) ? name : NULL;
}

/* All axes of one element, as squeeze takes them without a list. */
static ir_attr
unit_axes(const struct layout_query *q)
{
	const struct ir_tensor_type *t = layout_tensor(q, 0);
	int64_t axes[LAYOUT_MAX_AXES];
	uint32_t n = 0;

	for (uint32_t i = 0; t && i < t->ndim && n < LAYOUT_MAX_AXES; i++)
		if (ir_dim_is_const(t->shape[i]) && t->shape[i].value == 1)
			axes[n++] = i;
	return ir_attr_int_array(q->cx, axes, n, 32);
}

bool
layout_squeeze(const struct layout_query *q, struct layout_answer *a)
{
	const char *layout = layout_current(q);
	const ir_attr *given = ir_attrs_get(q->attrs, "axis");
	ir_attr axes = given->kind == ATTR_ARRAY ? *given : unit_axes(q);

	if (q->now) {
		int64_t moved[LAYOUT_MAX_AXES];

		if (axes.n > LAYOUT_MAX_AXES)
			return false;
		for (uint32_t i = 0; i < axes.n; i++) {
			moved[i] = ir_attr_elem_int(&axes, i);
			if (!layout_move_axis(q->old[0], layout, &moved[i]))
				return false;
		}
		axes = ir_attr_int_array(q->cx, moved, axes.n, 32);
		a->attrs = ir_attrs_with(q->cx, q->attrs, "axis", axes);
	}
	layout_fill(q, a, 1, layout);
	a->out[0] = without_axes(q, layout, &axes);
	return a->out[0] != NULL;
}

/* Letter K of what a transpose makes of OLD. */
static bool
transposed_letter(const struct layout_query *q, const struct ir_layout *old,
		  uint32_t k, char *letter)
{
	const ir_attr *axes = ir_attrs_get(q->attrs, "axes");
	int64_t at = (int64_t)old->n - 1 - k;

	if (axes->kind == ATTR_ARRAY) {
		if (axes->n != old->n)
			return false;
		at = ir_attr_elem_int(axes, k);
		at += at < 0 ? old->n : 0;
	}
	if (at < 0 || at >= old->n || old->axis[at].factor)
		return false;
	*letter = old->axis[at].letter;
	return true;
}

/* The letters move along; parts of an axis stay behind all of them. */
bool
layout_transpose(const struct layout_query *q, struct layout_answer *a)
{
	const char *layout = layout_current(q);
	struct ir_layout out = {0};
	int64_t axes[LAYOUT_MAX_AXES];
	struct ir_layout old;
	struct ir_layout now;

	if (!layout_read(q->old[0], &old) || !layout_read(layout, &now))
		return false;
	for (uint32_t k = 0; k < old.n; k++) {
		char letter;
		int at;

		if (!transposed_letter(q, &old, k, &letter))
			return false;
		at = ir_layout_index(&now, letter);
		if (at < 0)
			return false;
		axes[out.n] = at;
		out.axis[out.n++] = now.axis[at];
	}
	for (uint32_t i = 0; i < now.n; i++) {
		if (now.axis[i].factor == 0)
			continue;
		axes[out.n] = i;
		out.axis[out.n++] = now.axis[i];
	}
	if (q->now)
		a->attrs = ir_attrs_with(
			q->cx, q->attrs, "axes",
			ir_attr_int_array(q->cx, axes, out.n, 32));
	layout_fill(q, a, 1, layout);
	a->out[0] = layout_name(q->cx, &out);
	return true;
}

bool
layout_slice_like(const struct layout_query *q, struct layout_answer *a)
{
	const char *layout = layout_current(q);

	if (!q->old[0] || !q->old[1])
		return false;
	if (q->now && !move_axes_field(q, a, "axes")) {
		a->attrs = q->attrs;
		layout = q->old[0];
	}
	layout_fill(q, a, 2, layout);
	return true;
}

bool
layout_topk(const struct layout_query *q, struct layout_answer *a)
{
	return follow(q, a, move_axis_field, "axis", 1);
}

/* Axes of which parts lie apart must not be padded. */
bool
layout_pad(const struct layout_query *q, struct layout_answer *a)
{
	const ir_attr *width = ir_attrs_get(q->attrs, "pad_width");
	const char *ret = q->old[0];
	struct ir_layout old;
	struct ir_layout now;
	ir_attr moved[LAYOUT_MAX_AXES];
	bool ok = q->now != NULL;

	if (!layout_read(ret, &old) || width->kind != ATTR_ARRAY ||
	    width->n != old.n)
		return false;
	ok = ok && layout_read(q->now[0], &now);
	for (uint32_t i = 0; ok && i < now.n; i++) {
		char letter = now.axis[i].letter;
		int at = ir_layout_index(&old, letter);

		if (now.axis[i].factor)
			at = ir_layout_index(&old, (char)(letter - 'a' + 'A'));
		ok = at >= 0;
		if (!ok)
			break;
		moved[i] = width->elems[at];
		if (now.axis[i].factor)
			ok = ir_attr_elem_int(&moved[i], 0) == 0 &&
			     ir_attr_elem_int(&moved[i], 1) == 0;
	}
	if (ok) {
		ret = q->now[0];
		a->attrs = ir_attrs_with(q->cx, q->attrs, "pad_width",
					 ir_attr_array(q->cx, moved, now.n));
	}
	layout_fill(q, a, 1, ret);
	return true;
}

/* Batch, layer and instance norm: statistics belong to one axis. */
bool
layout_norm(const struct layout_query *q, struct layout_answer *a)
{
	if (!follow(q, a, move_axis_field, "axis", 1))
		return false;
	for (uint32_t i = 1; i < a->nout; i++)
		a->out[i] = ir_name(q->cx, "C");
	return true;
}

bool
layout_l2_normalize(const struct layout_query *q, struct layout_answer *a)
{
	const char *layout = layout_current(q);

	if (q->now && !move_axes_field(q, a, "axis")) {
		a->attrs = q->attrs;
		layout = q->old[0];
	}
	layout_fill(q, a, 1, layout);
	return layout != NULL;
}

bool
layout_prelu(const struct layout_query *q, struct layout_answer *a)
{
	layout_fill(q, a, 1, q->old[0]);
	return true;
}

bool
layout_requantize(const struct layout_query *q, struct layout_answer *a)
{
	return follow(q, a, move_axis_field, "axis", 1);
}
