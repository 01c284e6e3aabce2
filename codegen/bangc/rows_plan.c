/*
 * Which steps make a run on rows, and where its arrays lie in NRAM.
 */
#include <string.h>

#include "codegen/bangc/rows.h"

/*
 * Tasks that a launch has at least; the share of NRAM that intermediate
 * vectors get; the longest of those; units at once; elements that one task
 * moves while the others wait.
 */
enum {
	TASKS = 16,
	SCRATCH_SHARE = 3,
	MOST_TILE = 4096,
	MOST_BLOCK = 4096,
	MOST_ALONE = 16384
};

/* ------------------------------------------------------------- steps -- */

static bool
add_step(struct rows *r, const struct bang_nest *n)
{
	if (r->nsteps == ROWS_MAX_STEPS || n->nloops > BANG_MAX_LOOPS)
		return false;
	r->steps[r->nsteps++] = (struct rows_step){.nest = *n};
	return true;
}

static bool add_parts(struct rows *r, const tir_stmt *s,
		      const struct bang_nest *around);

/* Each side of "loop variable < number" with its part of the loop. */
static bool
add_sides(struct rows *r, const tir_stmt *s, const struct bang_nest *around)
{
	struct bang_nest one = *around, other = *around;
	struct bang_loop *l;
	int64_t at;

	if (!bang_splits(s->if_.cond, one.loops, one.nloops, &l, &at))
		return false;
	l->extent = at - l->min;
	if (l->extent > 0 && !add_parts(r, s->if_.then_, &one))
		return false;
	l = &other.loops[l - one.loops];
	l->extent -= at - l->min;
	l->min = at;
	return l->extent <= 0 || !s->if_.else_ ||
	       add_parts(r, s->if_.else_, &other);
}

/*
 * S, inside of the loops AROUND, as steps of their own: its parts write
 * different elements of one array, so their order does not matter.
 */
static bool
add_parts(struct rows *r, const tir_stmt *s, const struct bang_nest *around)
{
	struct bang_nest n;

	if (s->kind == TIR_SEQ) {
		for (uint32_t i = 0; i < s->seq.n; i++)
			if (!add_parts(r, s->seq.at[i], around))
				return false;
		return true;
	}
	if (s->kind == TIR_IF)
		return add_sides(r, s, around);
	if (bang_nest_of(s, &n)) {
		if (n.reduce || n.nloops + around->nloops > BANG_MAX_LOOPS)
			return false;
		memmove(n.loops + around->nloops, n.loops,
			n.nloops * sizeof(*n.loops));
		memcpy(n.loops, around->loops,
		       around->nloops * sizeof(*n.loops));
		n.nloops += around->nloops;
		n.nspatial = n.nloops;
		return add_step(r, &n);
	}
	if (s->kind != TIR_FOR || s->loop.min->kind != TIR_INT ||
	    s->loop.extent->kind != TIR_INT || around->nloops == BANG_MAX_LOOPS)
		return false;
	n = *around;
	n.loops[n.nloops++] = (struct bang_loop){s->loop.var, s->loop.min->i,
						 s->loop.extent->i};
	return add_parts(r, s->loop.body, &n);
}

/* Steps FIRST .. of a loop's parts: all write the same, and none reads it. */
static bool
are_parts(const struct rows *r, unsigned first)
{
	const struct tir_buffer *b = r->steps[first].nest.buffer;

	for (unsigned i = first; i < r->nsteps; i++)
		if (r->steps[i].nest.buffer != b ||
		    bang_reads(r->steps[i].nest.value, b) ||
		    bang_reads(r->steps[i].nest.index, b))
			return false;
	return r->nsteps > first;
}

bool
rows_parts_of(struct rows *r, struct bang_kernel *k, const tir_stmt *s)
{
	struct bang_nest none = {0};

	*r = (struct rows){.k = k};
	return add_parts(r, s, &none) && are_parts(r, 0);
}

static bool
is_number(const tir_expr *e)
{
	return e->kind == TIR_FLOAT || e->kind == TIR_INT;
}

/* Words hold these, and instructions convert them. */
static bool
has_rows(struct dtype t)
{
	return bang_class_of(t) != BANG_NO_VECTOR &&
	       (t.code != DTYPE_UINT || dtype_is_bool(t));
}

/*
 * Parts that store one number: the array is filled with it instead, and the
 * parts that copy may be done when it is loaded. False if there are several.
 */
static bool
find_fill(struct rows *r, unsigned first, const tir_expr **fill)
{
	*fill = NULL;
	for (unsigned i = first; i < r->nsteps; i++) {
		struct rows_step *s = &r->steps[i];

		s->fills = is_number(s->nest.value);
		if (s->fills && *fill && !bang_same(*fill, s->nest.value))
			return false;
		if (s->fills)
			*fill = s->nest.value;
	}
	for (unsigned i = first; *fill && i < r->nsteps; i++)
		r->steps[i].copies =
			r->steps[i].nest.value->kind == TIR_LOAD &&
			dtype_equal(r->steps[i].nest.value->dtype,
				    r->steps[i].nest.buffer->dtype);
	return true;
}

/* ------------------------------------------------------------ arrays -- */

struct rows_array *
rows_array_of(struct rows *r, const struct tir_buffer *b)
{
	for (unsigned i = 0; i < r->narrays; i++)
		if (r->arrays[i].buffer == b)
			return &r->arrays[i];
	return NULL;
}

/* The elements that INDEX is for one unit, and how units follow. */
static bool
look_at(const struct rows *r, const struct bang_nest *n, const tir_expr *index,
	struct rows_array *out)
{
	int64_t high, points = 1;

	*out = (struct rows_array){0};
	if (!bang_origin(index, &out->low))
		return false;
	high = out->low;
	for (uint32_t i = 0; i < n->nloops; i++) {
		const struct bang_loop *l = &n->loops[i];
		int64_t s, reach;

		if (!bang_stride(index, l->var, &s) || l->extent <= 0)
			return false;
		if (i < r->depth) {
			out->strides[i] = s;
			continue;
		}
		reach = s * (l->extent - 1);
		out->low += s * l->min + (reach < 0 ? reach : 0);
		high += s * l->min + (reach > 0 ? reach : 0);
		points *= s ? l->extent : 1;
	}
	out->span = high - out->low + 1;
	out->stored = points;
	return true;
}

static struct rows_array *
add_array(struct rows *r, const struct tir_buffer *b,
	  const struct rows_array *seen)
{
	struct rows_array *a = rows_array_of(r, b);
	int64_t high;

	if (!a) {
		if (r->narrays == ROWS_MAX_ARRAYS)
			return NULL;
		a = &r->arrays[r->narrays++];
		*a = *seen;
		a->buffer = b;
		a->bytes = dtype_is_bool(b->dtype) ? 1 : b->dtype.bits / 8;
		a->stored = 0;
		return a;
	}
	if (memcmp(a->strides, seen->strides, sizeof(a->strides)) != 0)
		return NULL;
	high = a->low + a->span > seen->low + seen->span
		       ? a->low + a->span
		       : seen->low + seen->span;
	a->low = a->low < seen->low ? a->low : seen->low;
	a->span = high - a->low;
	return a;
}

/* Loads of more than twice what steps use are not worth it. */
enum { MOST_WASTE = 2 };

static bool
add_reads(struct rows *r, const struct bang_nest *n, const tir_expr *e)
{
	if (e->kind == TIR_LOAD) {
		struct rows_array seen, *a;

		if (!has_rows(e->dtype) || !look_at(r, n, e->arg[0], &seen) ||
		    seen.span > MOST_WASTE * seen.stored)
			return false;
		a = add_array(r, e->buffer, &seen);
		if (!a)
			return false;
		a->used += seen.stored;
		a->read_first |= !a->written;
		return true;
	}
	for (uint32_t i = 0; i < e->n; i++)
		if (!add_reads(r, n, e->arg[i]))
			return false;
	return true;
}

static bool
add_write(struct rows *r, const struct bang_nest *n)
{
	struct rows_array seen, *a;

	if (!has_rows(n->buffer->dtype) || !look_at(r, n, n->index, &seen))
		return false;
	a = add_array(r, n->buffer, &seen);
	if (!a || a->read_first)
		return false;
	a->written = true;
	a->stored += seen.stored;
	return true;
}

static int64_t
extent_of_units(const struct rows *r, uint32_t from)
{
	int64_t n = 1;

	for (uint32_t i = from; i < r->depth; i++)
		n *= r->steps[0].nest.loops[i].extent;
	return n;
}

/* Elements from one unit to the next: the same everywhere, or -1. */
static int64_t
step_of(const struct rows *r, const struct rows_array *a)
{
	int64_t step = r->depth ? a->strides[r->depth - 1] : a->span;

	for (uint32_t i = 0; i < r->depth; i++)
		if (r->steps[0].nest.loops[i].extent != 1 &&
		    a->strides[i] != step * extent_of_units(r, i + 1))
			return -1;
	return step;
}

/* Do all units load elements that A has, even if guards skip some? */
static bool
is_inside(const struct rows *r, const struct rows_array *a)
{
	int64_t low = a->low, high = a->low + a->span;

	for (uint32_t i = 0; i < r->depth; i++) {
		int64_t reach =
			a->strides[i] * (r->steps[0].nest.loops[i].extent - 1);

		low += reach < 0 ? reach : 0;
		high += reach > 0 ? reach : 0;
	}
	return low >= 0 && high <= a->buffer->size;
}

/* Is A filled and loaded, and nothing else? */
static bool
is_plain(const struct rows *r, const struct rows_array *a)
{
	for (unsigned i = 0; i < r->nsteps; i++) {
		const struct rows_step *s = &r->steps[i];

		if (s->nest.buffer == a->buffer && !s->copies && !s->fills)
			return false;
	}
	return a->used == 0;
}

static bool
classify(struct rows *r, const struct bang_buffers *later)
{
	for (unsigned i = 0; i < r->narrays; i++) {
		struct rows_array *a = &r->arrays[i];
		bool even;

		a->step = step_of(r, a);
		even = a->step >= a->span;
		if (!a->written) {
			a->kind = a->step == 0 ? ROWS_SHARED : ROWS_IN;
			if (a->span > MOST_WASTE * a->used || !is_inside(r, a))
				return false;
			continue;
		}
		if (!even)
			return false;
		a->kind = !bang_is_temporary(r->k, a->buffer) ||
					  bang_has(later, a->buffer)
				  ? ROWS_OUT
			  : a->fill ? ROWS_IN
				    : ROWS_TEMP;
		a->plain = a->kind == ROWS_OUT && a->fill && a->bytes != 4;
		if ((a->kind == ROWS_OUT && a->stored != a->span) ||
		    (a->plain && !is_plain(r, a)))
			return false;
	}
	return true;
}

/* Depth D: which arrays there are, or false. */
static bool
collect_arrays(struct rows *r, uint32_t d, const tir_expr *const *fills,
	       const struct bang_buffers *later)
{
	r->depth = d;
	r->narrays = 0;
	r->units = extent_of_units(r, 0);
	for (unsigned i = 0; i < r->nsteps; i++) {
		struct rows_step *s = &r->steps[i];
		struct rows_array seen;

		if (s->copies ? !look_at(r, &s->nest, s->nest.value->arg[0],
					 &seen)
			      : !add_reads(r, &s->nest, s->nest.value))
			return false;
		if (s->nest.init && !add_reads(r, &s->nest, s->nest.init))
			return false;
		if (!add_write(r, &s->nest))
			return false;
		rows_array_of(r, s->nest.buffer)->fill = fills[i];
	}
	for (unsigned i = 0; i < r->nsteps; i++)
		if (r->steps[i].copies &&
		    rows_array_of(r, r->steps[i].nest.value->buffer))
			return false;
	return classify(r, later);
}

/* ------------------------------------------------------------ memory -- */

static int64_t
lines(const struct rows *r, int64_t n)
{
	int64_t line = r->k->arch->line;

	return (n + line - 1) / line * line;
}

int64_t
rows_place_size(const struct rows *r, const struct rows_array *a)
{
	int64_t units = a->kind == ROWS_SHARED ? 1 : r->block;

	return lines(r, a->pitch * units) + r->k->arch->line;
}

int64_t
rows_raw_size(const struct rows *r, const struct rows_array *a)
{
	return (rows_place_size(r, a) * a->bytes + 127) / 128 * 32;
}

bool
rows_is_raw(const struct rows_array *a)
{
	return a->bytes != 4 && a->kind != ROWS_TEMP;
}

/* Vectors that computing E takes at most. */
static int64_t
parts_of(const tir_expr *e)
{
	int64_t n = 2;

	for (uint32_t i = 0; e->kind != TIR_LOAD && i < e->n; i++)
		n += parts_of(e->arg[i]);
	return n;
}

static void
plan_scratch(struct rows *r)
{
	int64_t longest = r->block, line = r->k->arch->line, most;

	r->vectors = 0;
	for (unsigned i = 0; i < r->nsteps; i++) {
		const struct bang_nest *n = &r->steps[i].nest;
		int64_t parts = parts_of(n->value) + 3;

		for (uint32_t l = r->depth; l < n->nloops; l++)
			if (n->loops[l].extent > longest)
				longest = n->loops[l].extent;
		r->vectors = parts > r->vectors ? parts : r->vectors;
	}
	/* Loops that follow each other may become one. */
	for (unsigned i = 0; i < r->narrays; i++)
		if (r->arrays[i].span > longest)
			longest = r->arrays[i].span;
	most = r->k->arch->nram / SCRATCH_SHARE / (4 * r->vectors) / line *
	       line;
	r->tile = lines(r, longest);
	r->tile = r->tile > most ? most : r->tile;
	r->tile = r->tile > MOST_TILE ? MOST_TILE : r->tile;
}

/* Floats for arrays with blocks of BLOCK units; places them. */
static int64_t
place_arrays(struct rows *r)
{
	int64_t at = 0;

	for (unsigned i = 0; i < r->narrays; i++) {
		struct rows_array *a = &r->arrays[i];
		bool copied = a->kind == ROWS_IN || a->kind == ROWS_OUT;

		a->pitch = a->span == 1 ? 1 : lines(r, a->span);
		bool raw = rows_is_raw(a);

		a->places = !copied || !r->overlapped || raw ? 1
			    : a->fill && a->kind == ROWS_OUT ? 3
							     : 2;
		a->raw_places = !raw                        ? 0
				: !copied || !r->overlapped ? 1
				: a->plain                  ? 3
							    : 2;
		a->places -= a->plain;
		a->at = at;
		at += a->places * rows_place_size(r, a);
		a->raw = at;
		at += a->raw_places * rows_raw_size(r, a);
	}
	r->scratch = at;
	return at + r->vectors * r->tile;
}

/* Has a step one number for each unit, so that its vectors lie along them? */
static bool
goes_along_units(const struct rows *r)
{
	for (unsigned i = 0; i < r->nsteps; i++)
		if (r->steps[i].nest.nloops == r->depth)
			return true;
	return false;
}

/* The most units at once that there is room for. */
static bool
fit(struct rows *r)
{
	int64_t room = r->k->arch->nram / 4;
	int64_t share = (r->units + TASKS - 1) / TASKS;
	int64_t least = r->k->arch->line;
	bool along = goes_along_units(r);

	for (int overlapped = 1; overlapped >= 0; overlapped--) {
		r->overlapped = overlapped;
		r->block = overlapped && share > 1 ? (share + 1) / 2 : share;
		if (r->block > MOST_BLOCK)
			r->block = MOST_BLOCK;
		for (;;) {
			plan_scratch(r);
			if (r->tile >= (along ? lines(r, r->block) : least) &&
			    place_arrays(r) <= room)
				return true;
			if (r->block == 1)
				break;
			r->block = (r->block + 1) / 2;
		}
	}
	return false;
}

/* What one task loads, in elements, if tasks share the units evenly. */
static int64_t
cost(const struct rows *r)
{
	int64_t tasks = r->units < TASKS ? r->units : TASKS, all = 0;

	for (unsigned i = 0; i < r->narrays; i++) {
		const struct rows_array *a = &r->arrays[i];

		if (a->kind != ROWS_TEMP)
			all += a->span *
			       (a->kind == ROWS_SHARED ? tasks : r->units);
	}
	return all / tasks;
}

/* ------------------------------------------------------------- a run -- */

static uint32_t
common_depth(const struct rows *r)
{
	const struct bang_nest *first = &r->steps[0].nest;
	uint32_t d = first->nspatial;

	for (unsigned i = 0; i < r->nsteps; i++) {
		const struct bang_nest *n = &r->steps[i].nest;
		uint32_t same = 0;

		while (same < d && same < n->nspatial &&
		       n->loops[same].min == 0 && first->loops[same].min == 0 &&
		       n->loops[same].extent == first->loops[same].extent)
			same++;
		d = same;
	}
	return d;
}

/* One step alone: is it better done on rows? */
static bool
is_worth_it(const struct rows *r)
{
	struct bang_nest n = r->steps[0].nest;

	if (r->nsteps > 1 || n.reduce)
		return true;
	bang_merge_loops(&n);
	return n.nloops > 1 && n.value->kind != TIR_LOAD;
}

/* All of it as the one unit of one task, if that has little to do. */
static bool
is_small(struct rows *r, const tir_expr *const *fills,
	 const struct bang_buffers *later)
{
	return collect_arrays(r, 0, fills, later) && cost(r) <= MOST_ALONE &&
	       fit(r);
}

bool
rows_plan(struct rows *r, struct bang_kernel *k, tir_stmt *const *at,
	  uint32_t n, const struct bang_buffers *later)
{
	const tir_expr *fills[ROWS_MAX_STEPS] = {0};
	struct bang_nest none = {0}, nest;
	int64_t least = INT64_MAX;
	uint32_t best = 0;

	*r = (struct rows){.k = k};
	for (uint32_t i = 0; i < n; i++) {
		unsigned first = r->nsteps;
		const tir_expr *fill = NULL;

		if (bang_nest_of(at[i], &nest) ||
		    bang_int_sum_of(at[i], &nest)) {
			if (!add_step(r, &nest))
				return false;
			continue;
		}
		if (!add_parts(r, at[i], &none) || !are_parts(r, first) ||
		    !find_fill(r, first, &fill))
			return false;
		for (unsigned s = first; s < r->nsteps; s++)
			fills[s] = fill;
	}
	if (r->nsteps == 0 || !is_worth_it(r))
		return false;
	for (uint32_t d = common_depth(r); d > 0; d--) {
		int64_t all;

		if (!collect_arrays(r, d, fills, later) || !fit(r))
			continue;
		all = cost(r);
		if (all < least) {
			least = all;
			best = d;
		}
	}
	if (best == 0)
		return is_small(r, fills, later);
	return collect_arrays(r, best, fills, later) && fit(r);
}
