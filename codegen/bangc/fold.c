/*
 * Steps that fold: sums, maxima and minima over loops.
 *
 * Two ways. Down: the vector lies along the innermost loop of the result, and
 * one more is folded into it for each point of the loops that are folded over.
 * Along: the vector lies along the innermost of the folded loops and is folded
 * into one number at its end.
 */
#include <inttypes.h>
#include <stdio.h>

#include "codegen/bangc/internal.h"

/* Fewer elements are not worth a vector along the folded loop. */
enum { LEAST_ALONG = 16 };

struct way {
	bool possible;
	bool in_order; /* every load steps by 0 or 1 */
	bool moves;    /* some load steps by 1 */
};

/* How loads of E go along V. */
static void
look_along(const tir_expr *e, const struct tir_var *v, struct way *w)
{
	int64_t stride;

	if (e->kind == TIR_LOAD) {
		if (!bang_stride(e->arg[0], v, &stride) || stride < 0)
			w->possible = false;
		w->in_order &= stride == 0 || stride == 1;
		w->moves |= stride == 1;
		return;
	}
	for (uint32_t i = 0; i < e->n; i++)
		look_along(e->arg[i], v, w);
}

static struct way
way_along(const struct bang_nest *n, uint32_t loop)
{
	struct way w = {true, true, false};

	look_along(n->value, n->loops[loop].var, &w);
	return w;
}

bool
bang_has_fold(const struct bang_nest *n)
{
	struct dtype t = n->buffer->dtype;

	if (bang_class_of(t) == BANG_INTS)
		return n->fold == TIR_ADD || bang_has_extremes(t);
	return bang_class_of(t) == BANG_FLOATS;
}

bool
bang_wraps(const struct bang_nest *n)
{
	return bang_class_of(n->buffer->dtype) == BANG_INTS &&
	       n->fold == TIR_ADD && n->buffer->dtype.bits < 32;
}

void
bang_put_combine(struct bang_vectors *v, const struct bang_nest *n,
		 unsigned sum, unsigned x)
{
	bool ints = bang_class_of(n->buffer->dtype) == BANG_INTS;
	const char *which = n->fold == TIR_MAX ? "max" : "min";

	if (ints && n->fold == TIR_ADD)
		buf_printf(&v->code,
			   "%srelay_vadd((int *)x%u, (int *)x%u, (int *)x%u, "
			   "count);\n",
			   v->indent, sum, sum, x);
	else if (ints)
		buf_printf(&v->code,
			   "%s__cn_vector_%s_s32(count, (int *)x%u, "
			   "(int *)x%u, (int *)x%u);\n",
			   v->indent, which, sum, sum, x);
	else if (n->fold == TIR_ADD)
		buf_printf(&v->code, "%s__bang_add(x%u, x%u, x%u, count);\n",
			   v->indent, sum, sum, x);
	else
		buf_printf(&v->code, "%srelay_v%s(x%u, x%u, x%u, count);\n",
			   v->indent, which, sum, sum, x);
}

void
bang_put_total(struct buf *out, const struct bang_nest *n, const char *indent,
	       unsigned x, unsigned scratch)
{
	static const char *const rest[] = {"0.0f", "-3.402823466e+38f",
					   "3.402823466e+38f"};
	static const char *const words[] = {"0", "-2147483647 - 1",
					    "2147483647"};
	static const char *const all[] = {"relay_sum", "relay_greatest",
					  "relay_least"};
	int how = n->fold == TIR_ADD ? 0 : n->fold == TIR_MAX ? 1 : 2;
	bool ints = bang_class_of(n->buffer->dtype) == BANG_INTS;
	const char *cast = ints ? "(int *)" : "";

	buf_printf(out,
		   ints ? "%sfor (int t = real; t < count; t++) "
			  "((int *)x%u)[t] = %s;\n"
			: "%sfor (int t = real; t < count; t++) x%u[t] = %s;\n",
		   indent, x, ints ? words[how] : rest[how]);
	if (how == 0)
		buf_printf(out, "%stotal += relay_sum(%sx%u, %sx%u, count);\n",
			   indent, cast, x, cast, scratch);
	else
		buf_printf(out,
			   "%stotal = relay_%s(total, %s(%sx%u, %sx%u, "
			   "count));\n",
			   indent, how == 1 ? "max" : "min", all[how], cast, x,
			   cast, scratch);
}

static void
put_all_vectors(const struct bang_vectors *v, struct buf *out)
{
	for (unsigned i = 0; i < v->n; i++)
		buf_printf(out,
			   "%sfloat *x%u = (float *)relay_nram + %u * tile;\n",
			   v->indent, i, i);
}

void
bang_put_loops(struct buf *out, const struct bang_nest *n, uint32_t from,
	       uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		const struct bang_loop *l = &n->loops[i];

		buf_printf(out,
			   "        for (int %s = %" PRId64 "; %s < %" PRId64
			   "; %s++)\n",
			   l->var->name, l->min, l->var->name,
			   l->min + l->extent, l->var->name);
	}
}

/* The tiles of the result's innermost loop; alone, it is shared out. */
static void
put_down_tiles(struct bang_kernel *k, const struct bang_nest *n,
	       const char *tile)
{
	const struct bang_loop *row = &n->loops[n->nspatial - 1];
	bool alone = n->nspatial == 1 && !k->alone;

	buf_printf(k->out, "    const int tile = %s;\n", tile);
	if (alone)
		buf_printf(k->out,
			   "    int share = relay_lines((%" PRId64
			   " + taskDim - 1) / taskDim);\n"
			   "    int low = %" PRId64 " + taskId * share;\n"
			   "    int high = relay_min(low + share, %" PRId64
			   ");\n"
			   "    {\n",
			   row->extent, row->min, row->min + row->extent);
	else
		bang_put_units(k, n, n->nspatial - 1);
	if (!alone)
		buf_printf(k->out,
			   "      const int low = %" PRId64 ", high = %" PRId64
			   ";\n",
			   row->min, row->min + row->extent);
	buf_puts(k->out,
		 "      for (int start = low; start < high; start += tile) {\n"
		 "        int real = relay_min(tile, high - start);\n"
		 "        int count = relay_lines(real);\n");
}

static bool
put_down(struct bang_kernel *k, const struct bang_nest *n)
{
	struct bang_vectors v;
	struct buf store = {0}, init = {0};
	char tile[BANG_TILE_NAME];
	unsigned sum, x;
	bool ok;

	if (bang_wraps(n))
		return false;
	bang_vectors_init(&v, k, n, n->loops[n->nspatial - 1].var);
	sum = bang_new_vector(&v);
	v.ok &= bang_put_expr(&init, n->init, &v.names) &&
		!bang_mentions(n->init, v.along);
	x = bang_vector_of(&v, n->value);
	bang_put_combine(&v, n, sum, x);
	bang_put_vector_store(&v, &store, &store, sum);
	ok = v.ok;
	if (ok) {
		bang_tile(&v, false, n->loops[n->nspatial - 1].extent, tile);
		k->scalar_ops += v.scalar * bang_points(n, 0, n->nloops);
		put_down_tiles(k, n, tile);
		put_all_vectors(&v, k->out);
		buf_printf(k->out,
			   "        __bang_write_value(x%u, count, (%s)(%s))"
			   ";\n",
			   sum, bang_word(n->buffer->dtype), bang_text(&init));
		bang_put_loops(k->out, n, n->nspatial, n->nloops);
		buf_puts(k->out, "        {\n");
		buf_puts(k->out, bang_text(&v.loads));
		buf_puts(k->out, bang_text(&v.code));
		buf_puts(k->out, "        }\n");
		buf_puts(k->out, bang_text(&store));
		buf_puts(k->out, "      }\n    }\n");
	}
	buf_free(&init);
	buf_free(&store);
	bang_vectors_free(&v);
	return ok;
}

static void
put_along_code(struct bang_vectors *v, unsigned x, unsigned scratch,
	       const char *tile, const char *init)
{
	const struct bang_nest *n = v->nest;
	const struct bang_loop *row = &n->loops[n->nloops - 1];
	struct buf *out = v->k->out;
	const char *word = bang_word(n->buffer->dtype);

	buf_printf(out, "    const int tile = %s;\n", tile);
	bang_put_units(v->k, n, n->nspatial);
	buf_printf(out, "        %s total = (%s)(%s);\n", word, word, init);
	bang_put_loops(out, n, n->nspatial, n->nloops - 1);
	buf_printf(out,
		   "        for (int start = %" PRId64 "; start < %" PRId64
		   "; start += tile) {\n"
		   "        int real = relay_min(tile, %" PRId64 " - start);\n"
		   "        int count = relay_lines(real);\n",
		   row->min, row->min + row->extent, row->min + row->extent);
	put_all_vectors(v, out);
	buf_puts(out, bang_text(&v->loads));
	buf_puts(out, bang_text(&v->code));
	bang_put_total(out, n, "        ", x, scratch);
	buf_puts(out, "        }\n");
}

static bool
put_along(struct bang_kernel *k, const struct bang_nest *n)
{
	const char *type = bang_type(n->buffer->dtype);
	struct buf init = {0}, index = {0};
	struct bang_vectors v;
	char tile[BANG_TILE_NAME];
	unsigned x, scratch;
	bool ok;

	bang_vectors_init(&v, k, n, n->loops[n->nloops - 1].var);
	v.ok &= type && !dtype_is_bool(n->buffer->dtype);
	v.ok &= bang_put_expr(&init, n->init, &v.names);
	v.ok &= bang_put_expr(&index, n->index, &v.names);
	x = bang_vector_of(&v, n->value);
	scratch = bang_new_vector(&v);
	ok = v.ok;
	if (ok) {
		bang_tile(&v, false, n->loops[n->nloops - 1].extent, tile);
		k->scalar_ops += v.scalar * bang_points(n, 0, n->nloops);
		put_along_code(&v, x, scratch, tile, bang_text(&init));
		buf_printf(k->out, "        %s[%s] = (%s)total;\n    }\n",
			   n->buffer->name, bang_text(&index), type);
	}
	buf_free(&init);
	buf_free(&index);
	bang_vectors_free(&v);
	return ok;
}

bool
bang_folds_along(const struct bang_nest *n, bool *down)
{
	struct way one = {0}, other = way_along(n, n->nloops - 1);

	if (n->nspatial > 0)
		one = way_along(n, n->nspatial - 1);
	*down = one.possible;
	return other.possible && other.in_order && other.moves &&
	       !(one.possible && one.in_order && one.moves) &&
	       n->loops[n->nloops - 1].extent >= LEAST_ALONG;
}

bool
bang_put_fold(struct bang_kernel *k, const struct bang_nest *given)
{
	struct bang_nest n = *given;
	bool down;

	bang_merge_loops(&n);
	if (!n.reduce || n.nspatial == n.nloops || !bang_has_fold(&n))
		return false;
	if (bang_folds_along(&n, &down) && put_along(k, &n))
		return true;
	if (down && put_down(k, &n))
		return true;
	return way_along(&n, n.nloops - 1).possible && put_along(k, &n);
}
