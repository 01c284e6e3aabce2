/*
 * The code of a run of steps on rows: see rows.h.
 *
 * A task has its share of the units and works on a block of them at a time.
 * In each turn one block is loaded, the one before is computed, the one before
 * that is stored, each in the other of two places, or of three where what is
 * loaded is stored as it is; where NRAM has no room, one after the other.
 *
 * In the code, an array A has its block at A_rows and the unit at hand at
 * A_row; what all units share is A_all.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "codegen/bangc/rows.h"

static bool
is_old(const struct rows_coder *x)
{
	return x->k->arch->code < 300;
}

const char *
rows_place_name(struct rows_coder *x, const struct rows_array *a, bool row)
{
	return arena_printf(x->k->arena, "%s_%s", a->buffer->name,
			    a->kind == ROWS_SHARED ? "all"
			    : row                  ? "row"
						   : "rows");
}

const char *
rows_raw_name(struct rows_coder *x, const struct rows_array *a, bool row)
{
	return rows_is_raw(a) ? arena_printf(x->k->arena, "%s_raw%s",
					     a->buffer->name, row ? "_row" : "")
			      : rows_place_name(x, a, row);
}

/* ------------------------------------------------- units and pointers -- */

/* The loops of the units get their values: of CODE, those that it mentions. */
static void
put_unit_loops(struct rows_coder *x, struct buf *out, const char *code)
{
	const struct bang_nest *n = &x->r->steps[0].nest;
	int64_t inner = x->r->units;

	for (uint32_t i = 0; i < x->r->depth; i++) {
		const struct bang_loop *l = &n->loops[i];
		char name[32];

		inner /= l->extent;
		snprintf(name, sizeof(name), "unit_%u", i);
		if (!bang_text_mentions(code, name))
			continue;
		buf_printf(out, "          const int %s = (first + unit)",
			   name);
		if (inner != 1)
			buf_printf(out, " / %" PRId64, inner);
		if (i > 0)
			buf_printf(out, " %% %" PRId64, l->extent);
		buf_puts(out, ";\n");
	}
}

static void
put_row_pointer(struct buf *out, const struct rows_array *a, const char *type,
		const char *row, const char *rows, const char *code)
{
	if (!bang_text_mentions(code, row))
		return;
	buf_printf(out, "          %s *%s = %s + unit", type, row, rows);
	if (a->pitch != 1)
		buf_printf(out, " * %" PRId64, a->pitch);
	buf_puts(out, ";\n");
}

/* "float *A_row = A_rows + unit * pitch;" for arrays that CODE mentions. */
static void
put_row_pointers(struct rows_coder *x, struct buf *out, const char *code)
{
	for (unsigned i = 0; i < x->r->narrays; i++) {
		const struct rows_array *a = &x->r->arrays[i];

		if (a->kind == ROWS_SHARED)
			continue;
		put_row_pointer(out, a, "float", rows_place_name(x, a, true),
				rows_place_name(x, a, false), code);
		if (rows_is_raw(a))
			put_row_pointer(out, a, rows_raw_type(a),
					rows_raw_name(x, a, true),
					rows_raw_name(x, a, false), code);
	}
}

/* "(float *)relay_nram + AT", in one of several places in turn. */
static void
put_turn(struct buf *out, int64_t at, unsigned places, int64_t size,
	 const char *turn)
{
	buf_printf(out, "(float *)relay_nram + %" PRId64, at);
	if (places > 1)
		buf_printf(out, " + %s %% %u * %" PRId64, turn, places, size);
}

/* The blocks of arrays that CODE mentions, in the places of turn TURN. */
static void
put_block_pointers(struct rows_coder *x, struct buf *out, const char *code,
		   const char *turn)
{
	for (unsigned i = 0; i < x->r->narrays; i++) {
		const struct rows_array *a = &x->r->arrays[i];
		const char *rows = rows_place_name(x, a, false);
		const char *raw = rows_raw_name(x, a, false);

		if (a->kind == ROWS_SHARED)
			continue;
		if (bang_text_mentions(code, rows)) {
			buf_printf(out, "        float *%s = ", rows);
			put_turn(out, a->at, a->places,
				 rows_place_size(x->r, a), turn);
			buf_puts(out, ";\n");
		}
		if (rows_is_raw(a) && bang_text_mentions(code, raw)) {
			buf_printf(out, "        %s *%s = (%s *)(",
				   rows_raw_type(a), raw, rows_raw_type(a));
			put_turn(out, a->raw, a->raw_places,
				 rows_raw_size(x->r, a), turn);
			buf_puts(out, ");\n");
		}
	}
}

/* For each unit of the block: CODE. */
void
rows_put_each_unit(struct rows_coder *x, struct buf *out, const char *code)
{
	buf_puts(out, "        for (int unit = 0; unit < units; unit++) {\n");
	put_unit_loops(x, out, code);
	put_row_pointers(x, out, code);
	buf_puts(out, code);
	buf_puts(out, "        }\n");
}

/* ------------------------------------------------------------ steps -- */

/* N without the loops of the units: what happens to one of them. */
struct bang_nest
rows_inner(const struct rows *r, const struct bang_nest *n)
{
	struct bang_nest in = *n;

	in.nloops -= r->depth;
	in.nspatial -= r->depth;
	memmove(in.loops, n->loops + r->depth, in.nloops * sizeof(*in.loops));
	return in;
}

/* The names and places that code for a unit has. */
void
rows_add_names(struct rows_coder *x, struct bang_names *names,
	       const struct bang_nest *n, bool whole, bool raw)
{
	struct bang_places *p = ARENA_NEW(x->k->arena, struct bang_places);

	*p = (struct bang_places){
		.at = ARENA_NEW_ARRAY(x->k->arena, x->r->narrays,
				      struct bang_place),
		.n = x->r->narrays,
		.nunits = x->r->depth,
		.whole = whole,
	};
	for (unsigned i = 0; i < x->r->narrays; i++) {
		const struct rows_array *a = &x->r->arrays[i];

		p->at[i] =
			(struct bang_place){a->buffer,
					    raw ? rows_raw_name(x, a, !whole)
						: rows_place_name(x, a, !whole),
					    a->low, a->span, a->pitch};
	}
	for (uint32_t i = 0; i < x->r->depth; i++) {
		p->units[i] = n->loops[i].var;
		vec_push(names,
			 ((struct bang_name){
				 n->loops[i].var,
				 arena_printf(x->k->arena, "unit_%u", i)}));
	}
	names->places = p;
}

static void
start_vectors(struct rows_coder *x, struct bang_vectors *v,
	      struct bang_nest *inner, const struct bang_nest *whole,
	      const struct tir_var *along)
{
	bang_vectors_init(v, x->k, inner, along);
	v->indent = "            ";
	rows_add_names(x, &v->names, whole, !along, false);
}

/* The vectors that CODE mentions and that are no part of an array. */
static void
put_scratch(struct rows_coder *x, struct buf *out, const struct bang_vectors *v,
	    const char *code)
{
	for (unsigned i = 0; i < v->n; i++) {
		char name[16];

		snprintf(name, sizeof(name), "x%u", i);
		if (v->alias[i] || !bang_text_mentions(code, name))
			continue;
		buf_printf(out,
			   "            float *x%u = (float *)relay_nram + "
			   "%" PRId64 ";\n",
			   i, x->r->scratch + (int64_t)i * x->r->tile);
	}
}

/*
 * "const int start = .., real = .., count = ..;" of what CODE mentions; REAL is
 * elements, START may be NULL.
 */
static void
put_counts(struct buf *out, const char *start, const char *real,
	   bool whole_lines, const char *code)
{
	const char *before = "            const int ";

	if (start && bang_text_mentions(code, "start")) {
		buf_printf(out, "%sstart = %s", before, start);
		before = ", ";
	}
	if (bang_text_mentions(code, "real")) {
		buf_printf(out, "%sreal = %s", before, real);
		before = ", ";
		real = "real";
	}
	if (bang_text_mentions(code, "count")) {
		buf_printf(out,
			   whole_lines ? "%scount = relay_lines(%s)"
				       : "%scount = %s",
			   before, real);
		before = ", ";
	}
	buf_puts(out, *before == ',' ? ";\n" : "");
}

/* "start", "real", "count" for L, as CODE asks: tiles of it, or all at once. */
static void
put_tiles(struct rows_coder *x, struct buf *out, const struct bang_loop *l,
	  bool whole_lines, const char *code)
{
	struct arena *a = x->k->arena;
	int64_t end = l->min + l->extent;

	if (l->extent <= x->r->tile) {
		buf_puts(out, "          {\n");
		put_counts(out, arena_printf(a, "%" PRId64, l->min),
			   arena_printf(a, "%" PRId64, l->extent), whole_lines,
			   code);
		return;
	}
	buf_printf(out,
		   "          for (int start = %" PRId64 "; start < %" PRId64
		   "; start += %" PRId64 ") {\n",
		   l->min, end, x->r->tile);
	put_counts(out, NULL,
		   arena_printf(a,
				"relay_min(%" PRId64 ", %" PRId64 " - start)",
				x->r->tile, end),
		   whole_lines, code);
}

/* Where N stores, as C: "A_row + offset". */
static const char *
target_of(struct rows_coder *x, struct bang_vectors *v)
{
	const struct bang_nest *n = v->nest;
	struct buf b = {0};
	const char *text;

	v->ok &= bang_put_place(&b, n->buffer, n->index, &v->names);
	text = arena_printf(x->k->arena, "%s", bang_text(&b));
	buf_free(&b);
	return text;
}

/*
 * Vector X is the result: where that may be, it is computed in place, for
 * which DECLARE says where; else it is moved there.
 */
static void
put_result(struct rows_coder *x, struct bang_vectors *v, unsigned vector,
	   struct buf *declare, struct buf *move)
{
	const struct rows_array *a = rows_array_of(x->r, v->nest->buffer);
	const char *target = target_of(x, v);
	int64_t stride;
	bool row = v->nest->nloops == 0 ||
		   (v->nest->loops[v->nest->nspatial - 1].extent == a->span &&
		    a->pitch % x->k->arch->line == 0);

	if (v->nest->nloops)
		v->ok &= bang_stride(v->nest->index, v->along, &stride) &&
			 stride == 1;
	if (!v->alias[vector] && (!is_old(x) || row)) {
		v->alias[vector] = true;
		buf_printf(declare, "            float *x%u = %s;\n", vector,
			   target);
		return;
	}
	buf_printf(move,
		   "            __memcpy(%s, x%u, real * 4, NRAM2NRAM, "
		   "real * 4, real * 4, 0);\n",
		   target, vector);
}

/*
 * The code of V along LAST, or along the units for NULL, whose vector RESULT is
 * what N stores. False, with OUT unfinished, if there is none.
 */
static bool
put_stored(struct rows_coder *x, struct buf *out, struct bang_vectors *v,
	   const struct bang_nest *n, const struct bang_loop *last,
	   unsigned result)
{
	struct buf declare = {0}, move = {0}, body = {0};
	bool ok;

	put_result(x, v, result, &declare, &move);
	ok = v->ok;
	if (ok) {
		x->k->scalar_ops += v->scalar * bang_points(n, 0, n->nloops);
		buf_puts(&v->loads, bang_text(&v->code));
		buf_puts(&v->loads, bang_text(&move));
		put_scratch(x, &body, v, bang_text(&v->loads));
		buf_puts(&body, bang_text(&declare));
		buf_puts(&body, bang_text(&v->loads));
		if (last) {
			put_tiles(x, out, last, is_old(x), bang_text(&body));
		} else {
			buf_puts(out, "          {\n");
			put_counts(out, NULL, "units", true, bang_text(&body));
		}
		buf_puts(out, bang_text(&body));
		buf_puts(out, "          }\n");
	}
	buf_free(&body);
	buf_free(&declare);
	buf_free(&move);
	bang_vectors_free(v);
	return ok;
}

/* One number for each unit: a vector along the units. */
static bool
put_along_units(struct rows_coder *x, struct buf *out,
		const struct bang_nest *n)
{
	struct bang_nest in = rows_inner(x->r, n);
	struct bang_vectors v;

	for (unsigned i = 0; i < x->r->narrays; i++) {
		const struct rows_array *a = &x->r->arrays[i];

		if ((a->buffer == n->buffer ||
		     bang_reads(n->value, a->buffer)) &&
		    (a->pitch != 1 || a->kind == ROWS_SHARED))
			return false;
	}
	start_vectors(x, &v, &in, n, NULL);
	return put_stored(x, out, &v, n, NULL, bang_vector_of(&v, n->value));
}

static bool
put_elements(struct rows_coder *x, struct buf *out, const struct bang_nest *n)
{
	struct bang_nest in = rows_inner(x->r, n);
	const struct bang_loop *last;
	struct bang_vectors v;

	bang_merge_loops(&in);
	if (in.nloops == 0)
		return false;
	last = &in.loops[in.nloops - 1];
	start_vectors(x, &v, &in, n, last->var);
	bang_put_loops(out, &in, 0, in.nloops - 1);
	return put_stored(x, out, &v, n, last, bang_vector_of(&v, in.value));
}

/* The innermost loop of the result gets vectors; one more for each fold. */
static bool
put_fold_down(struct rows_coder *x, struct buf *out, const struct bang_nest *in,
	      const struct bang_nest *whole)
{
	const struct bang_loop *last = &in->loops[in->nspatial - 1];
	struct buf declare = {0}, move = {0}, init = {0}, all = {0};
	struct bang_nest copy = *in;
	struct bang_vectors v;
	unsigned sum, each;
	bool ok;

	if (bang_wraps(in))
		return false;
	start_vectors(x, &v, &copy, whole, last->var);
	sum = bang_new_vector(&v);
	v.ok &= bang_put_expr(&init, in->init, &v.names) &&
		!bang_mentions(in->init, last->var);
	each = bang_vector_of(&v, in->value);
	bang_put_combine(&v, in, sum, each);
	put_result(x, &v, sum, &declare, &move);
	ok = v.ok;
	if (ok) {
		x->k->scalar_ops +=
			v.scalar * bang_points(whole, 0, whole->nloops);
		buf_printf(&all, "%s", bang_text(&declare));
		buf_printf(&all,
			   "            __bang_write_value(x%u, count, "
			   "(%s)(%s));\n",
			   sum, bang_word(in->buffer->dtype), bang_text(&init));
		bang_put_loops(&all, in, in->nspatial, in->nloops);
		buf_puts(&all, "          {\n");
		buf_puts(&all, bang_text(&v.loads));
		buf_puts(&all, bang_text(&v.code));
		buf_puts(&all, "          }\n");
		buf_puts(&all, bang_text(&move));
		bang_put_loops(out, in, 0, in->nspatial - 1);
		put_tiles(x, out, last, is_old(x), bang_text(&all));
		put_scratch(x, out, &v, bang_text(&all));
		buf_puts(out, bang_text(&all));
		buf_puts(out, "          }\n");
	}
	buf_free(&declare);
	buf_free(&move);
	buf_free(&init);
	buf_free(&all);
	bang_vectors_free(&v);
	return ok;
}

/* VECTOR, or a copy of it, that a fold may overwrite. */
static unsigned
own_vector(struct bang_vectors *v, unsigned vector)
{
	unsigned own;

	if (!v->alias[vector] ||
	    (v->row[vector] &&
	     bang_class_of(v->nest->buffer->dtype) != BANG_INTS))
		return vector;
	own = bang_new_vector(v);
	buf_printf(&v->code,
		   "%s__memcpy(x%u, x%u, real * 4, NRAM2NRAM, real * 4, "
		   "real * 4, 0);\n",
		   v->indent, own, vector);
	return own;
}

/*
 * Integers that are stored one by one go to words that were written before: the
 * emulated machine takes -1 for none.
 */
static void
clear_first(struct rows_coder *x, const struct bang_nest *n)
{
	if (bang_class_of(n->buffer->dtype) == BANG_INTS)
		rows_array_of(x->r, n->buffer)->cleared = true;
}

static bool
put_fold_along(struct rows_coder *x, struct buf *out,
	       const struct bang_nest *in, const struct bang_nest *whole)
{
	const char *word = bang_word(in->buffer->dtype);
	const struct bang_loop *last = &in->loops[in->nloops - 1];
	struct buf init = {0}, target = {0};
	struct bang_nest copy = *in;
	struct bang_vectors v;
	unsigned each, scratch;
	bool ok;

	start_vectors(x, &v, &copy, whole, last->var);
	v.ok &= bang_put_expr(&init, in->init, &v.names);
	v.ok &= bang_put_place(&target, in->buffer, in->index, &v.names);
	each = bang_vector_of(&v, in->value);
	if (v.ok)
		each = own_vector(&v, each);
	scratch = bang_new_vector(&v);
	ok = v.ok;
	if (ok) {
		x->k->scalar_ops +=
			v.scalar * bang_points(whole, 0, whole->nloops);
		buf_puts(&v.loads, bang_text(&v.code));
		clear_first(x, in);
		bang_put_total(&v.loads, in, "            ", each, scratch);
		bang_put_loops(out, in, 0, in->nspatial);
		buf_printf(out,
			   "          {\n"
			   "          %s total = (%s)(%s);\n",
			   word, word, bang_text(&init));
		bang_put_loops(out, in, in->nspatial, in->nloops - 1);
		put_tiles(x, out, last, true, bang_text(&v.loads));
		put_scratch(x, out, &v, bang_text(&v.loads));
		buf_puts(out, bang_text(&v.loads));
		buf_printf(
			out,
			"          }\n"
			"          *(%s *)(%s) = %stotal;\n"
			"          }\n",
			word, bang_text(&target),
			!bang_wraps(in)
				? ""
				: arena_printf(x->k->arena, "(%s)",
					       bang_type(in->buffer->dtype)));
	}
	buf_free(&init);
	buf_free(&target);
	bang_vectors_free(&v);
	return ok;
}

static bool
put_fold(struct rows_coder *x, struct buf *out, const struct bang_nest *n)
{
	struct bang_nest in = rows_inner(x->r, n);
	size_t mark = out->len;
	bool along, down;

	bang_merge_loops(&in);
	if (in.nspatial == in.nloops || !bang_has_fold(&in))
		return false;
	along = bang_folds_along(&in, &down);
	if (along && put_fold_along(x, out, &in, n))
		return true;
	out->len = mark;
	if (down && put_fold_down(x, out, &in, n))
		return true;
	out->len = mark;
	return put_fold_along(x, out, &in, n);
}

/* Element by element, but on the chip. */
static bool
put_scalar(struct rows_coder *x, struct buf *out, const struct bang_nest *n)
{
	struct bang_nest in = rows_inner(x->r, n);
	struct bang_names names = {0};
	struct buf value = {0}, target = {0};
	bool ok = !n->reduce;

	rows_add_names(x, &names, n, false, false);
	ok = ok && bang_put_expr(&value, n->value, &names) &&
	     bang_put_place(&target, n->buffer, n->index, &names);
	if (ok) {
		clear_first(x, n);
		bang_put_loops(out, &in, 0, in.nloops);
		buf_printf(out, "            *(%s *)(%s) = %s;\n",
			   bang_word(n->buffer->dtype), bang_text(&target),
			   bang_text(&value));
		x->k->scalar_ops += x->r->units *
				    bang_points(&in, 0, in.nloops) *
				    bang_arithmetic(n->value);
	}
	vec_free(&names);
	buf_free(&value);
	buf_free(&target);
	return ok;
}

static void
put_step(struct rows_coder *x, const struct rows_step *s)
{
	struct buf code = {0};
	bool units = s->nest.nloops == x->r->depth &&
		     put_along_units(x, &code, &s->nest);
	bool ok = units;

	if (!ok) {
		code.len = 0;
		ok = s->nest.reduce ? put_fold(x, &code, &s->nest)
				    : put_elements(x, &code, &s->nest);
	}
	if (!ok) {
		code.len = 0;
		ok = put_scalar(x, &code, &s->nest);
	}
	if (ok && units)
		buf_puts(&x->compute, bang_text(&code));
	else if (ok)
		rows_put_each_unit(x, &x->compute, bang_text(&code));
	x->ok &= ok;
	buf_free(&code);
}

/* What a block has of elements that are no words: N for instructions. */
static const char *
block_count(struct rows_coder *x, const struct rows_array *a)
{
	return a->pitch == 1 ? "relay_lines(units)"
			     : arena_printf(x->k->arena, "units * %" PRId64,
					    a->pitch);
}

/* What was loaded becomes words, then results what is stored. */
static void
put_conversions(struct rows_coder *x, struct buf *before, struct buf *after)
{
	for (unsigned i = 0; i < x->r->narrays; i++) {
		const struct rows_array *a = &x->r->arrays[i];

		if (a->cleared)
			buf_printf(before,
				   "        __bang_write_value(%s, %s, 0);\n",
				   rows_place_name(x, a, false),
				   block_count(x, a));
		if (!rows_is_raw(a) || a->kind == ROWS_SHARED || a->plain)
			continue;
		if (a->kind == ROWS_IN) {
			buf_puts(before, "        ");
			rows_put_widen(before, a, rows_place_name(x, a, false),
				       rows_raw_name(x, a, false),
				       block_count(x, a));
		} else {
			buf_puts(after, "        ");
			rows_put_narrow(after, a, rows_place_name(x, a, false),
					rows_raw_name(x, a, false),
					block_count(x, a));
		}
	}
}

/* How many units a block has, if CODE asks. */
static void
put_units(struct buf *out, const char *code)
{
	if (bang_text_mentions(code, "units"))
		buf_puts(out,
			 "        const int units = relay_min(block, high - "
			 "first);\n");
}

/* A stage of turn TURN, of the block begun AGO turns before. */
static void
put_stage(struct rows_coder *x, struct buf *out, const char *when, int ago,
	  const char *code)
{
	struct buf all = {0};
	char turn[32];

	if (!*code)
		return;
	snprintf(turn, sizeof(turn), ago ? "(turn - %d)" : "turn", ago);
	put_units(&all, code);
	put_block_pointers(x, &all, code, turn);
	buf_puts(&all, code);
	buf_printf(out, "      if (%s) {\n", when);
	if (bang_text_mentions(bang_text(&all), "first"))
		buf_printf(out, "        const int first = low + %s * block;\n",
			   turn);
	buf_puts(out, bang_text(&all));
	buf_puts(out, "      }\n");
	buf_free(&all);
}

static void
put_turns(struct rows_coder *x, struct buf *out, const char *loads,
	  const char *stores)
{
	const char *compute = bang_text(&x->compute);
	struct buf all = {0};

	if (x->r->overlapped) {
		buf_puts(out,
			 "    const int turns = high > low ? (high - low + "
			 "block - 1) / block : 0;\n"
			 "    for (int turn = 0; turn < turns + 2; turn++) "
			 "{\n");
		put_stage(x, out, "turn >= 2", 2, stores);
		put_stage(x, out, "turn < turns", 0, loads);
		put_stage(x, out, "turn >= 1 && turn <= turns", 1, compute);
		buf_puts(out, "      __sync_io_move_compute();\n"
			      "    }\n");
		return;
	}
	buf_puts(&all, loads);
	buf_puts(&all, compute);
	buf_puts(&all, stores);
	buf_puts(out,
		 "    for (int first = low; first < high; first += block) {\n");
	put_units(out, bang_text(&all));
	buf_puts(out, bang_text(&all));
	buf_puts(out, "    }\n");
	buf_free(&all);
}

bool
rows_put(struct rows *r)
{
	struct rows_coder x = {.r = r, .k = r->k, .ok = true};
	struct buf loads = {0}, stores = {0}, *out = r->k->out, all = {0};
	struct buf steps = {0}, after = {0};
	int64_t before = r->k->scalar_ops;

	for (unsigned i = 0; i < r->nsteps && x.ok; i++)
		if (!r->steps[i].copies && !r->steps[i].fills)
			put_step(&x, &r->steps[i]);
	steps = x.compute;
	x.compute = (struct buf){0};
	put_conversions(&x, &x.compute, &after);
	buf_puts(&x.compute, bang_text(&steps));
	buf_puts(&x.compute, bang_text(&after));
	rows_put_loads(&x, &loads);
	rows_put_stores(&x, &stores);
	buf_puts(&all, "    __sync_io_move_compute();\n");
	rows_put_beginning(&x, &all);
	if (x.ok) {
		buf_printf(r->k->defines, "#define BLOCK_%s_%u %" PRId64 "\n",
			   r->k->name, r->k->nsteps, r->block);
		buf_printf(out,
			   "    const int block = BLOCK_%s_%u;\n"
			   "    const int share = (%" PRId64
			   " + taskDim - 1) / taskDim;\n"
			   "    const int low = taskId * share;\n"
			   "    const int high = relay_min(low + share, "
			   "%" PRId64 ");\n",
			   r->k->name, r->k->nsteps, r->units, r->units);
		buf_puts(out, bang_text(&all));
		buf_puts(&all, bang_text(&x.compute));
		buf_puts(&all, bang_text(&loads));
		buf_puts(&all, bang_text(&stores));
		if (!r->overlapped)
			put_block_pointers(&x, out, bang_text(&all), "0");
		else
			buf_puts(out, "    __sync_compute();\n");
		put_turns(&x, out, bang_text(&loads), bang_text(&stores));
	} else {
		r->k->scalar_ops = before;
	}
	buf_free(&x.compute);
	buf_free(&steps);
	buf_free(&after);
	buf_free(&loads);
	buf_free(&stores);
	buf_free(&all);
	return x.ok;
}
