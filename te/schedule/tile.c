/*
 * The template for contractions: a tile of rows and vectors of results is
 * kept in registers while the fold runs, then goes through the rest of the
 * kernel's formula.
 *
 *     for co_o, oy, ox_o:              // the host's loops
 *       acc[co_i, ox_v] = 0            // in registers
 *       for ci, ky, kx:
 *         acc[co_i, ox_v] += pad[..., ox_v] * w[co_i, ...]
 *       out[co_i, ox_v] = max(acc[co_i, ox_v] + bias, 0)
 */
#include "te/schedule/template.h"

struct tiling {
	struct te_scheduling *c;
	struct te_nest *fold;
	struct te_nest *host; /* whose loops; FOLD itself if NULL */
	uint32_t j;           /* axis of vectors */
	int row;              /* axis of rows, or -1 */
	unsigned lanes;
	struct te_tile tile;
};

static bool
last_long_axis(const struct te_nest *n, uint32_t *at)
{
	for (uint32_t i = n->naxes; i-- > 0;) {
		if (n->roots[i]->extent <= 1)
			continue;
		*at = i;
		return n->roots[i]->extent >= 4;
	}
	return false;
}

/* Some vector that is loaded serves all rows along axis I. */
static bool
reuses(const struct te_access *a, uint32_t i, uint32_t j)
{
	for (uint32_t r = 0; r < a->nreads; r++)
		if (te_coef(a, r, j) != 0 && te_coef(a, r, i) == 0)
			return true;
	return false;
}

static int
find_rows(const struct te_nest *n, const struct te_access *a, uint32_t j)
{
	for (uint32_t i = n->naxes; i-- > 0;)
		if (i != j && n->roots[i]->extent > 1 && !a->odd[i] &&
		    !a->guarded[i] && reuses(a, i, j))
			return (int)i;
	return -1;
}

/* Fold axes could give vectors instead: read along, and long. */
static bool
better_along_fold(const struct te_nest *n, const struct te_access *a)
{
	uint32_t last = n->naxes + n->nreduce - 1;

	return n->nreduce && te_stride(a, last) == 1 &&
	       n->roots[last]->extent >= 16;
}

static bool
plan_tile(struct tiling *t)
{
	struct te_nest *n = t->fold;
	const struct te_reduce *r = te_nest_fold(n);
	struct te_access a;
	int64_t stride;
	bool ok;

	if (!r || r->nvalues > 1 || r->combiner > TE_ALL || r->has_cond ||
	    n->naxes > TE_TILE_NAMES - 4 || !last_long_axis(n, &t->j))
		return false;
	te_access_of(&t->c->plan, n, &a);
	stride = te_stride(&a, t->j);
	ok = stride >= 0 && stride <= 4 && !a.guarded[t->j] &&
	     (stride <= 1 || !better_along_fold(n, &a));
	if (ok)
		t->row = find_rows(n, &a, t->j);
	te_access_free(&a);
	if (!ok)
		return false;
	t->lanes = te_target_lanes(t->c->target, n->op->outputs[0].dtype);
	t->lanes = t->lanes < 4 ? 4 : t->lanes;
	t->tile = te_choose_tile(t->c->target,
				 t->row < 0 ? 1 : n->roots[t->row]->extent,
				 n->roots[t->j]->extent, t->lanes);
	return true;
}

/* Names of the parts of an axis. */
struct parts {
	const char *outer;
	const char *inner;
	const char *unrolled;
	const char *vector;
};

static struct parts
parts_of(ir_module *m, const char *axis)
{
	return (struct parts){
		te_suffixed(m, axis, "_o"),
		te_suffixed(m, axis, "_i"),
		te_suffixed(m, axis, "_u"),
		te_suffixed(m, axis, "_v"),
	};
}

/* The innermost loops: rows, vectors of a row, lanes. */
static void
write_tile_marks(struct te_writer *w, const char *row, const char *unrolled,
		 const char *vector)
{
	if (row)
		te_write_mark(w, TE_PRIM_UNROLL, row);
	if (unrolled)
		te_write_mark(w, TE_PRIM_UNROLL, unrolled);
	te_write_mark(w, TE_PRIM_VECTORIZE, vector);
}

/* The loops of the host; returns the one inside of which the fold stands. */
static const char *
write_host(struct tiling *t, const char *acc)
{
	struct te_nest *h = t->host ? t->host : t->fold;
	struct te_writer w = te_begin_stage(t->c, h);
	struct parts j = parts_of(t->c->m, h->roots[t->j]->name);
	const char *names[TE_TILE_NAMES];
	const char *unrolled = NULL;
	const char *vector = j.inner;
	const char *row = NULL;
	const char *parallel = NULL;
	uint32_t n = 0;

	if (!t->host)
		te_write_cache(&w, acc, "local");
	te_write_split(&w, h->roots[t->j]->name, j.outer, j.inner,
		       t->tile.vectors * t->lanes);
	if (t->tile.vectors > 1) {
		te_write_split(&w, j.inner, j.unrolled, j.vector, t->lanes);
		unrolled = j.unrolled;
		vector = j.vector;
	}
	for (uint32_t i = 0; i < h->naxes; i++) {
		const char *name = h->roots[i]->name;
		int64_t outer = h->roots[i]->extent;

		if (i == t->j) {
			name = j.outer;
			outer = outer > t->tile.vectors * t->lanes ? 2 : 1;
		} else if ((int)i == t->row && t->tile.rows > 1) {
			struct parts p = parts_of(t->c->m, name);

			te_write_split(&w, name, p.outer, p.inner,
				       t->tile.rows);
			row = p.inner;
			name = p.outer;
			outer = outer > t->tile.rows ? 2 : 1;
		}
		if (outer > 1 && !parallel)
			parallel = name;
		names[n++] = name;
	}
	if (row)
		names[n++] = row;
	if (unrolled)
		names[n++] = unrolled;
	names[n++] = vector;
	te_write_order(&w, names, n);
	if (parallel && te_worth_threads(t->c, t->fold))
		te_write_mark(&w, TE_PRIM_PARALLEL, parallel);
	write_tile_marks(&w, row, unrolled, vector);
	return j.outer;
}

static void
write_fold(struct tiling *t, const char *acc, const char *at)
{
	struct te_nest *n = t->fold;
	struct te_nest *h = t->host ? t->host : n;
	struct te_writer w = {t->c->m, t->c->s, acc};
	struct parts j = parts_of(t->c->m, n->roots[t->j]->name);
	const char **names = ARENA_NEW_ARRAY(
		&t->c->m->arena, n->naxes + n->nreduce + 2, const char *);
	const char *row = NULL;
	const char *unrolled = NULL;
	const char *vector = n->roots[t->j]->name;
	uint32_t k = 0;

	te_write_at(&w, h->op->name, at);
	if (t->host)
		te_write_scope(&w, "local");
	if (t->tile.vectors > 1) {
		te_write_split(&w, vector, j.unrolled, j.vector, t->lanes);
		unrolled = j.unrolled;
		vector = j.vector;
	}
	if (t->tile.rows > 1)
		row = n->roots[t->row]->name;
	for (uint32_t i = 0; i < n->naxes + n->nreduce; i++)
		if (i != t->j && !(row && (int)i == t->row))
			names[k++] = n->roots[i]->name;
	if (row)
		names[k++] = row;
	if (unrolled)
		names[k++] = unrolled;
	names[k++] = vector;
	te_write_order(&w, names, k);
	write_tile_marks(&w, row, unrolled, vector);
}

bool
te_template_tile(struct te_scheduling *c, struct te_nest *n)
{
	struct tiling t = {.c = c, .fold = n, .row = -1};
	const char *acc = n->op->name;
	const char *at;

	if (!plan_tile(&t))
		return false;
	t.host = te_find_host(c, n);
	if (!t.host)
		acc = te_suffixed(c->m, acc, "_acc");
	at = write_host(&t, acc);
	c->done[n->op->id] = true;
	write_fold(&t, acc, at);
	return true;
}
