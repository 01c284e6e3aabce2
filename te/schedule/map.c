/*
 * Templates for stages without a fold, and for all that nothing else fits.
 */
#include "te/schedule/template.h"

/* The loops of a stage, by name, outermost first. */
struct loops {
	const char *name[64];
	int64_t extent[64];
	uint32_t root[64]; /* the last root that is in it */
	uint32_t n;
};

/* Neighbours that move alike become one loop, from the right. */
static void
gather_loops(const struct te_nest *n, const struct te_access *a,
	     struct loops *l)
{
	uint32_t first;

	l->n = 0;
	for (uint32_t i = 0; i < n->naxes && l->n < 64; i = first) {
		l->name[l->n] = n->roots[i]->name;
		l->extent[l->n] = n->roots[i]->extent;
		for (first = i + 1;
		     first < n->naxes && te_can_fuse(a, n, first - 1); first++)
			l->extent[l->n] *= n->roots[first]->extent;
		l->root[l->n++] = first - 1;
	}
}

static void
write_fused(struct te_writer *w, const struct te_nest *n, struct loops *l)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		const char *names[TE_TILE_NAMES];
		uint32_t count = l->root[i] + 1 - first;
		const char *out = n->roots[first]->name;

		for (uint32_t k = 0; k < count; k++) {
			names[k] = n->roots[first + k]->name;
			if (k)
				out = ir_namef(w->m->cx, "%s_%s", out,
					       names[k]);
		}
		if (count > 1) {
			te_write_fuse(w, names, count, out);
			l->name[i] = out;
		}
		first = l->root[i] + 1;
	}
}

/* The loop to make vectors of: the last that is long enough. */
static bool
find_vector(const struct te_access *a, const struct loops *l, uint32_t *at)
{
	for (uint32_t i = l->n; i-- > 0;) {
		if (l->extent[i] == 1)
			continue;
		*at = i;
		return l->extent[i] >= 4 && !a->odd[l->root[i]];
	}
	return false;
}

bool
te_template_map(struct te_scheduling *c, struct te_nest *n)
{
	struct te_access a;
	struct loops l;
	struct te_writer w;
	uint32_t v = 0;
	bool vectors;
	const char *outer = NULL;

	if (te_nest_fold(n) || n->naxes > TE_TILE_NAMES)
		return false;
	te_access_of(&c->plan, n, &a);
	gather_loops(n, &a, &l);
	w = te_begin_stage(c, n);
	write_fused(&w, n, &l);
	vectors = find_vector(&a, &l, &v);
	for (uint32_t i = 0; i < l.n && !outer; i++)
		if (l.extent[i] > 1 && !(vectors && i == v))
			outer = l.name[i];
	if (vectors) {
		int64_t lanes = c->target->vector_bytes / a.widest;
		const char *vo = te_suffixed(c->m, l.name[v], "_o");
		const char *vi = te_suffixed(c->m, l.name[v], "_i");

		lanes = lanes < 4 ? 4 : lanes;
		if (l.extent[v] >= 2 * lanes && te_stride(&a, l.root[v]) <= 1)
			lanes *= 2;
		if (l.extent[v] > lanes) {
			te_write_split(&w, l.name[v], vo, vi, lanes);
			te_write_mark(&w, TE_PRIM_VECTORIZE, vi);
			outer = outer ? outer : vo;
		} else {
			te_write_mark(&w, TE_PRIM_VECTORIZE, l.name[v]);
		}
	}
	if (outer && te_worth_threads(c, n))
		te_write_mark(&w, TE_PRIM_PARALLEL, outer);
	te_access_free(&a);
	return true;
}

bool
te_template_plain(struct te_scheduling *c, struct te_nest *n)
{
	struct te_writer w = te_begin_stage(c, n);
	uint32_t nroots = n->naxes + n->nreduce;
	const char **names =
		ARENA_NEW_ARRAY(&c->m->arena, nroots, const char *);

	for (uint32_t i = 0; i < nroots; i++)
		names[i] = n->roots[i]->name;
	if (n->nreduce && nroots > 1)
		te_write_order(&w, names, nroots);
	for (uint32_t i = 0; i < n->naxes; i++) {
		if (n->roots[i]->extent <= 1)
			continue;
		te_write_mark(&w, TE_PRIM_PARALLEL, names[i]);
		break;
	}
	return true;
}
