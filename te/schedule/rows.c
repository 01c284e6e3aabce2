/*
 * The template for folds along contiguous memory: vectors of partial results,
 * which are put together at the end.
 *
 *     for i_o, j_o:                    // the host's loops
 *       rf[i_i, j_i, k_v] = 0          // in registers
 *       for k_o:
 *         rf[i_i, j_i, k_v] += x[i_i, k_v] * w[j_i, k_v]
 *       for i_i, j_i: T[i_i, j_i] = sum of rf[i_i, j_i, ...]
 *       out[i_i, j_i] = ...
 *
 * Where several vectors of partial results belong to one element, they are
 * added up as vectors first.
 */
#include "te/schedule/template.h"

struct rows {
	struct te_scheduling *c;
	struct te_nest *fold;
	struct te_nest *host;
	uint32_t first; /* fold axes from here on are one */
	int64_t length;
	int axis[2]; /* of the tile, outer first; or -1 */
	int64_t factor[2];
	unsigned lanes;
	int64_t vectors; /* of partial results per element */
};

/* What is read along the fold serves all elements along axis I. */
static bool
reuses(const struct te_access *a, uint32_t i, uint32_t k)
{
	for (uint32_t r = 0; r < a->nreads; r++)
		if (te_coef(a, r, k) != 0 && te_coef(a, r, i) == 0)
			return true;
	return false;
}

static void
choose_tile(struct rows *t, const struct te_access *a)
{
	struct te_nest *n = t->fold;
	uint32_t k = n->naxes + n->nreduce - 1;
	int found = 1;

	t->axis[0] = t->axis[1] = -1;
	t->factor[0] = t->factor[1] = 1;
	for (uint32_t i = n->naxes; i-- > 0 && found >= 0;)
		if (n->roots[i]->extent > 1 && !a->odd[i] && !a->guarded[i] &&
		    reuses(a, i, k))
			t->axis[found--] = (int)i;
	t->vectors = 1;
	if (t->axis[1] < 0) {
		t->vectors = t->length / t->lanes;
		t->vectors = t->vectors > 4 ? 4 : t->vectors;
		return;
	}
	if (t->axis[0] >= 0)
		t->factor[0] = n->roots[t->axis[0]]->extent % 3 ? 2 : 3;
	t->factor[1] = t->axis[0] >= 0 ? 4 : 8;
	for (int i = 0; i < 2; i++)
		if (t->axis[i] >= 0 &&
		    n->roots[t->axis[i]]->extent < t->factor[i])
			t->factor[i] = n->roots[t->axis[i]]->extent;
}

static bool
plan_rows(struct rows *t)
{
	struct te_nest *n = t->fold;
	const struct te_reduce *r = te_nest_fold(n);
	uint32_t last = n->naxes + n->nreduce - 1;
	struct te_access a;
	bool ok;

	if (!r || r->nvalues > 1 || r->combiner > TE_ALL || r->has_cond ||
	    !r->naxes || n->naxes > TE_TILE_NAMES - 4)
		return false;
	for (uint32_t i = n->naxes; i <= last; i++)
		if (n->roots[i]->count)
			return false; /* partial results need a number */
	te_access_of(&t->c->plan, n, &a);
	t->lanes = te_target_lanes(t->c->target, n->op->outputs[0].dtype);
	t->lanes = t->lanes < 4 ? 4 : t->lanes;
	t->first = last;
	t->length = n->roots[last]->extent;
	ok = te_stride(&a, last) == 1 && !a.guarded[last];
	while (ok && t->first > n->naxes && te_can_fuse(&a, n, t->first - 1))
		t->length *= n->roots[--t->first]->extent;
	ok = ok && t->length >= 16 && t->length >= 2 * t->lanes;
	if (ok)
		choose_tile(t, &a);
	te_access_free(&a);
	return ok;
}

static const char *
fold_name(struct rows *t)
{
	const char *s = t->fold->roots[t->first]->name;

	for (uint32_t i = t->first + 1; i < t->fold->naxes + t->fold->nreduce;
	     i++)
		s = ir_namef(t->c->m->cx, "%s_%s", s, t->fold->roots[i]->name);
	return s;
}

/* "k" in parts, and the partial results as a stage of their own. */
static void
write_factor(struct rows *t, struct te_writer *w, const char *partial)
{
	ir_module *m = t->c->m;
	const char *k = fold_name(t);
	uint32_t n = t->fold->naxes + t->fold->nreduce - t->first;
	const char **names = ARENA_NEW_ARRAY(&m->arena, n, const char *);

	for (uint32_t i = 0; i < n; i++)
		names[i] = t->fold->roots[t->first + i]->name;
	if (n > 1)
		te_write_fuse(w, names, n, k);
	te_write_split(w, k, te_suffixed(m, k, "_o"), te_suffixed(m, k, "_i"),
		       t->lanes * t->vectors);
	te_write_rfactor(w, te_suffixed(m, k, "_i"), partial);
	if (t->vectors == 1)
		return;
	te_write_split(w, te_suffixed(m, k, "_i"), te_suffixed(m, k, "_iu"),
		       te_suffixed(m, k, "_iv"), t->lanes);
	te_write_rfactor(w, te_suffixed(m, k, "_iv"),
			 te_suffixed(m, partial, "s"));
}

/* The loop over the partial results that are left at the end. */
static const char *
last_loop(struct rows *t)
{
	return te_suffixed(t->c->m, fold_name(t),
			   t->vectors > 1 ? "_iv" : "_i");
}

/* The loops over elements of H; the one around the tile is returned. */
static const char *
write_loops(struct rows *t, struct te_writer *w, const struct te_nest *h,
	    const char *last)
{
	ir_module *m = t->c->m;
	const char *names[TE_TILE_NAMES + 4];
	const char *inner[2] = {NULL, NULL};
	const char *parallel = NULL;
	const char *around = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < h->naxes; i++) {
		const char *name = h->roots[i]->name;
		int64_t extent = h->roots[i]->extent;

		for (int x = 0; x < 2; x++) {
			if (t->axis[x] != (int)i)
				continue;
			inner[x] = te_suffixed(m, name, "_i");
			te_write_split(w, name, te_suffixed(m, name, "_o"),
				       inner[x], t->factor[x]);
			name = te_suffixed(m, name, "_o");
			extent = extent > t->factor[x] ? 2 : 1;
		}
		if (extent > 1 && !parallel)
			parallel = name;
		names[n++] = around = name;
	}
	for (int x = 0; x < 2; x++)
		if (inner[x])
			names[n++] = inner[x];
	if (last)
		names[n++] = last;
	if (n > 1)
		te_write_order(w, names, n);
	if (parallel && te_worth_threads(t->c, t->fold))
		te_write_mark(w, TE_PRIM_PARALLEL, parallel);
	for (int x = 0; x < 2; x++)
		if (inner[x])
			te_write_mark(w, TE_PRIM_UNROLL, inner[x]);
	return around;
}

static void
write_partial(struct rows *t, const char *partial, const struct te_nest *h,
	      const char *around)
{
	ir_module *m = t->c->m;
	struct te_nest *n = t->fold;
	struct te_writer w = {m, t->c->s, partial};
	const char *k = fold_name(t);
	const char *vector = te_suffixed(m, k, "_i");
	const char **names = ARENA_NEW_ARRAY(
		&m->arena, n->naxes + n->nreduce + 4, const char *);
	uint32_t count = 0;

	if (around) {
		te_write_at(&w, h->op->name, around);
		te_write_scope(&w, "local");
	}
	if (t->vectors > 1) {
		te_write_split(&w, vector, te_suffixed(m, k, "_u"),
			       te_suffixed(m, k, "_v"), t->lanes);
		vector = te_suffixed(m, k, "_v");
	}
	for (uint32_t i = 0; i < n->naxes; i++)
		if ((int)i != t->axis[0] && (int)i != t->axis[1])
			names[count++] = n->roots[i]->name;
	for (uint32_t i = n->naxes; i < t->first; i++)
		names[count++] = n->roots[i]->name;
	names[count++] = te_suffixed(m, k, "_o");
	for (int x = 0; x < 2; x++)
		if (t->axis[x] >= 0)
			names[count++] = n->roots[t->axis[x]]->name;
	if (t->vectors > 1)
		names[count++] = te_suffixed(m, k, "_u");
	names[count++] = vector;
	te_write_order(&w, names, count);
	for (int x = 0; x < 2; x++)
		if (t->axis[x] >= 0)
			te_write_mark(&w, TE_PRIM_UNROLL,
				      n->roots[t->axis[x]]->name);
	if (t->vectors > 1)
		te_write_mark(&w, TE_PRIM_UNROLL, te_suffixed(m, k, "_u"));
	te_write_mark(&w, TE_PRIM_VECTORIZE, vector);
}

/* Vectors of partial results become one. */
static void
write_vectors(struct rows *t, const char *partial, const struct te_nest *h,
	      const char *around)
{
	ir_module *m = t->c->m;
	struct te_writer w = {m, t->c->s, te_suffixed(m, partial, "s")};
	const char *k = fold_name(t);
	const char *names[] = {
		te_suffixed(m, k, "_iu"),
		te_suffixed(m, k, "_iv"),
	};

	if (around) {
		te_write_at(&w, h->op->name, around);
		te_write_scope(&w, "local");
	}
	te_write_order(&w, names, 2);
	te_write_mark(&w, TE_PRIM_UNROLL, names[0]);
	te_write_mark(&w, TE_PRIM_VECTORIZE, names[1]);
}

/* The fold inside of its host: only the sum of the partial results. */
static void
write_sums(struct rows *t, struct te_writer *w, const char *around)
{
	const char *ki = last_loop(t);

	if (around) {
		te_write_at(w, t->host->op->name, around);
		te_write_scope(w, "local");
	}
	for (int x = 0; x < 2; x++)
		if (t->axis[x] >= 0)
			te_write_mark(w, TE_PRIM_UNROLL,
				      t->fold->roots[t->axis[x]]->name);
	te_write_mark(w, TE_PRIM_UNROLL, ki);
}

bool
te_template_rows(struct te_scheduling *c, struct te_nest *n)
{
	struct rows t = {.c = c, .fold = n};
	const char *partial = te_suffixed(c->m, n->op->name, "_rf");
	const char *around;
	struct te_writer w;

	if (!plan_rows(&t))
		return false;
	t.host = te_find_host(c, n);
	if (t.host) {
		w = te_begin_stage(c, t.host);
		around = write_loops(&t, &w, t.host, NULL);
		w = te_begin_stage(c, n);
		write_factor(&t, &w, partial);
		write_sums(&t, &w, around);
		write_partial(&t, partial, t.host, around);
		if (t.vectors > 1)
			write_vectors(&t, partial, t.host, around);
		return true;
	}
	w = te_begin_stage(c, n);
	write_factor(&t, &w, partial);
	around = write_loops(&t, &w, n, last_loop(&t));
	te_write_mark(&w, TE_PRIM_UNROLL, last_loop(&t));
	write_partial(&t, partial, n, around);
	if (t.vectors > 1)
		write_vectors(&t, partial, n, around);
	return true;
}
