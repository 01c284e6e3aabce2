/*
 * Layouts of strided_slice: begins, ends and strides go along with their
 * axes; a blocked axis is cut between blocks only.
 */
#include <string.h>

#include "passes/layout/layout_infer.h"

struct cut {
	int64_t axis;
	int64_t begin;
	int64_t end;
	int64_t stride;
};

struct cuts {
	uint32_t n;
	struct cut at[LAYOUT_MAX_AXES];
};

static int64_t
elem(const ir_attr *list, uint32_t i, int64_t missing)
{
	return i < list->n ? ir_attr_elem_int(list, i) : missing;
}

/* The extent of an axis, or a number that is cut down to it. */
static int64_t
extent(const struct ir_tensor_type *t, uint32_t axis)
{
	return ir_dim_is_const(t->shape[axis]) ? t->shape[axis].value
					       : INT32_MAX;
}

/* Entry I of the attributes; what a shorter list lacks is its axis' whole. */
static void
read_cut(const struct ir_attr *const *lists, uint32_t i,
	 const struct ir_tensor_type *t, struct cut *x)
{
	int64_t all = extent(t, (uint32_t)x->axis);

	x->stride = elem(lists[2], i, 1);
	x->begin = elem(lists[0], i, x->stride > 0 ? 0 : all - 1);
	x->end = elem(lists[1], i, x->stride > 0 ? all : 0);
}

static uint32_t
longest(const struct ir_attr *const *lists)
{
	uint32_t n = 0;

	for (int i = 0; i < 3; i++)
		n = lists[i]->n > n ? lists[i]->n : n;
	return n;
}

/* What the attributes say, an entry for each axis that they name. */
static bool
read_cuts(const struct layout_query *q, const struct ir_tensor_type *t,
	  bool size, struct cuts *c)
{
	const ir_attr *lists[] = {
		ir_attrs_get(q->attrs, "begin"),
		ir_attrs_get(q->attrs, "end"),
		ir_attrs_get(q->attrs, "strides"),
	};
	const ir_attr *axes = ir_attrs_get(q->attrs, "axes");
	bool named = axes->kind == ATTR_ARRAY;

	for (int i = 0; i < 3; i++)
		if (lists[i]->kind != ATTR_ARRAY)
			return false;
	c->n = longest(lists);
	if (c->n > t->ndim || (named && c->n > axes->n) ||
	    (size && c->n > lists[1]->n))
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		struct cut *x = &c->at[i];

		x->axis = named ? ir_attr_elem_int(axes, i) : i;
		x->axis += x->axis < 0 ? t->ndim : 0;
		if (x->axis < 0 || x->axis >= t->ndim)
			return false;
		read_cut(lists, i, t, x);
	}
	return true;
}

/* X, of an axis split by FACTOR, as a cut of its blocks. */
static bool
cut_blocks(struct cut *x, int64_t factor, bool size)
{
	if (x->stride != 1 || x->begin % factor || x->end % factor)
		return size && x->end == -1 && x->stride == 1 &&
		       x->begin % factor == 0 && ((x->begin /= factor), true);
	x->begin /= factor;
	x->end /= factor;
	return true;
}

static bool
move_cuts(struct cuts *c, const struct ir_layout *old,
	  const struct ir_layout *now, bool size)
{
	for (uint32_t i = 0; i < c->n; i++) {
		struct cut *x = &c->at[i];
		char letter = old->axis[x->axis].letter;
		int64_t factor = ir_layout_factor(now, letter);

		if (old->axis[x->axis].factor ||
		    ir_layout_index(now, letter) < 0 ||
		    (factor > 1 && !cut_blocks(x, factor, size)))
			return false;
		x->axis = ir_layout_index(now, letter);
	}
	return true;
}

/* Cuts of the leading axes in order, whole axes among them written out. */
static bool
fill_gaps(struct cuts *c, const struct ir_layout *old,
	  const struct ir_layout *now, const struct ir_tensor_type *t,
	  bool size)
{
	struct cuts all = {0};
	struct ir_dim shape[LAYOUT_MAX_AXES];
	bool cut[LAYOUT_MAX_AXES] = {false};

	if (!ir_layout_convert(old, now, t->shape, shape))
		return false;
	for (uint32_t i = 0; i < now->n; i++) {
		all.at[i] = (struct cut){i, 0, shape[i].value, 1};
		if (!ir_dim_is_const(shape[i]))
			all.at[i].end = size ? -1 : INT32_MAX;
	}
	for (uint32_t i = 0; i < c->n; i++) {
		int64_t at = c->at[i].axis;

		all.at[at] = c->at[i];
		cut[at] = true;
	}
	for (uint32_t i = 0; i < now->n; i++)
		if (cut[i])
			all.n = i + 1;
	*c = all;
	return true;
}

static const ir_attrs *
write_cuts(const struct layout_query *q, const struct cuts *c)
{
	const ir_attrs *a = q->attrs;
	int64_t v[4][LAYOUT_MAX_AXES];
	static const char *const fields[] = {"begin", "end", "strides", "axes"};

	for (uint32_t i = 0; i < c->n; i++) {
		v[0][i] = c->at[i].begin;
		v[1][i] = c->at[i].end;
		v[2][i] = c->at[i].stride;
		v[3][i] = c->at[i].axis;
	}
	for (uint32_t f = 0; f < 4; f++)
		if (ir_attrs_get(a, fields[f])->kind == ATTR_ARRAY)
			a = ir_attrs_with(
				q->cx, a, fields[f],
				ir_attr_int_array(q->cx, v[f], c->n, 32));
	return a;
}

bool
layout_strided_slice(const struct layout_query *q, struct layout_answer *a)
{
	bool size =
		strcmp(ir_attrs_string(q->attrs, "slice_mode"), "size") == 0;
	const struct ir_tensor_type *t = layout_tensor(q, 0);
	const char *layout = layout_current(q);
	struct ir_layout old;
	struct ir_layout now;
	struct cuts c;

	if (!t || q->n != 1 || !layout_read(q->old[0], &old) ||
	    !layout_read(layout, &now) || old.n != t->ndim)
		return false;
	if (q->now && q->now[0] != q->old[0]) {
		if (!read_cuts(q, t, size, &c) ||
		    !move_cuts(&c, &old, &now, size) ||
		    (ir_attrs_get(q->attrs, "axes")->kind != ATTR_ARRAY &&
		     !fill_gaps(&c, &old, &now, t, size)))
			layout = q->old[0];
		else
			a->attrs = write_cuts(q, &c);
	}
	layout_fill(q, a, 1, layout);
	return true;
}
