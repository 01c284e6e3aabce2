/*
 * Element-wise steps on vectors.
 *
 * Loops that go over memory in order are one. If that is all of them, tasks
 * share out the array and each works on its part in three stages: while one
 * tile is computed, the one before is stored and the next is loaded, each into
 * the other of two places; a plain copy between queues of their own has three,
 * because nothing orders its store and the load after. Otherwise tasks share
 * out the rows.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "codegen/bangc/internal.h"

/* A strided copy has at most 65536 parts; longer tiles gain nothing. */
enum { MAX_TILE = 32768 };

int64_t
bang_points(const struct bang_nest *n, uint32_t from, uint32_t to)
{
	int64_t points = 1;

	for (uint32_t i = from; i < to; i++)
		points *= n->loops[i].extent;
	return points;
}

void
bang_put_units(struct bang_kernel *k, const struct bang_nest *n, uint32_t loops)
{
	int64_t inner = bang_points(n, 0, loops);

	if (loops == 0) {
		buf_puts(k->out,
			 k->alone ? "    {\n" : "    if (taskId == 0) {\n");
		return;
	}
	buf_printf(k->out,
		   k->alone ? "    for (int u%u = 0; u%u < %" PRId64
			      "; u%u++) {\n"
			    : "    for (int u%u = taskId; u%u < %" PRId64
			      "; u%u += taskDim) {\n",
		   k->nsteps, k->nsteps, inner, k->nsteps);
	for (uint32_t i = 0; i < loops; i++) {
		const struct bang_loop *l = &n->loops[i];

		inner /= l->extent ? l->extent : 1;
		buf_printf(k->out, "      const int %s = u%u", l->var->name,
			   k->nsteps);
		if (inner != 1)
			buf_printf(k->out, " / %" PRId64, inner);
		if (i > 0)
			buf_printf(k->out, " %% %" PRId64, l->extent);
		if (l->min != 0)
			buf_printf(k->out, " + %" PRId64, l->min);
		buf_puts(k->out, ";\n");
	}
}

int64_t
bang_tile(const struct bang_vectors *v, bool twice, int64_t most,
	  char name[BANG_TILE_NAME])
{
	int64_t places = v->n, line = v->k->arch->line, tile;

	for (unsigned i = 0; twice && i < v->n; i++)
		places += v->loaded[i] ? v->places - 1 : 0;
	tile = v->k->arch->nram / (4 * places) / line * line;
	most = (most + line - 1) / line * line;
	if (tile > most)
		tile = most;
	if (tile > MAX_TILE)
		tile = MAX_TILE;
	if (tile < line)
		tile = line;
	snprintf(name, BANG_TILE_NAME, "TILE_%.150s_%u", v->k->name,
		 v->k->nsteps);
	buf_printf(v->k->defines, "#define %s %" PRId64 "\n", name, tile);
	return tile;
}

static bool
mentions(const char *code, unsigned vector)
{
	char name[16];
	size_t n = (size_t)snprintf(name, sizeof(name), "x%u", vector);

	for (const char *at = code; (at = strstr(at, name)); at += n)
		if (at == code ||
		    (!isalnum((unsigned char)at[-1]) && at[-1] != '_'))
			if (!isdigit((unsigned char)at[n]))
				return true;
	return false;
}

void
bang_put_vectors(const struct bang_vectors *v, struct buf *out,
		 const char *twice, const char *code)
{
	unsigned place = 0;

	for (unsigned i = 0; i < v->n; i++) {
		bool two = twice && v->loaded[i];

		if (mentions(code, i)) {
			buf_printf(out, "%sfloat *x%u = (float *)relay_nram",
				   v->indent, i);
			if (two)
				buf_printf(out, " + (%u + %s %% %u) * tile",
					   place, twice, v->places);
			else if (place)
				buf_printf(out, " + %u * tile", place);
			buf_puts(out, ";\n");
		}
		place += two ? v->places : 1;
	}
}

/* Tile number I of the task's part: where it is, and CODE for it. */
static void
put_tile_of(struct bang_vectors *v, const char *i, const char *code,
	    bool counts)
{
	struct buf *out = v->k->out;

	buf_printf(out,
		   "%sint start = low + %s * tile;\n"
		   "%sint real = relay_min(tile, high - start);\n",
		   v->indent, i, v->indent);
	if (counts)
		buf_printf(out, "%sint count = relay_lines(real);\n",
			   v->indent);
	bang_put_vectors(v, out, i, code);
	buf_puts(out, code);
}

/* What steps before this one left undone is waited for first. */
static void
put_stages(struct bang_vectors *v, struct buf *store, const char *tile)
{
	const struct bang_loop *row = &v->nest->loops[0];
	struct buf *out = v->k->out;

	buf_printf(out,
		   "    const int tile = %s;\n"
		   "    int share = relay_lines((%" PRId64
		   " + taskDim - 1) / taskDim);\n"
		   "    int low = %" PRId64 " + taskId * share;\n"
		   "    int high = relay_min(low + share, %" PRId64 ");\n"
		   "    __sync_io_move_compute();\n"
		   "    int tiles = high > low ? (high - low + tile - 1) / tile"
		   " : 0;\n"
		   "    for (int i = 0; i < tiles + 2; i++) {\n"
		   "      if (i >= 2) {\n",
		   tile, row->extent, row->min, row->min + row->extent);
	put_tile_of(v, "(i - 2)", bang_text(store), false);
	buf_puts(out, "      }\n"
		      "      if (i < tiles) {\n");
	put_tile_of(v, "i", bang_text(&v->loads), false);
	buf_puts(out, "      }\n");
	if (v->code.len) {
		buf_puts(out, "      if (i >= 1 && i <= tiles) {\n");
		put_tile_of(v, "(i - 1)", bang_text(&v->code), true);
		buf_puts(out, "      }\n");
	}
	buf_puts(out, "      __sync_io_move_compute();\n"
		      "    }\n");
}

static void
put_rows(struct bang_vectors *v, struct buf *store, const char *tile)
{
	const struct bang_nest *n = v->nest;
	const struct bang_loop *row = &n->loops[n->nloops - 1];
	struct buf *out = v->k->out;

	buf_printf(out, "    const int tile = %s;\n", tile);
	bang_put_units(v->k, n, n->nloops - 1);
	buf_printf(out,
		   "      for (int start = %" PRId64 "; start < %" PRId64
		   "; start += tile) {\n"
		   "        int real = relay_min(tile, %" PRId64 " - start);\n",
		   row->min, row->min + row->extent, row->min + row->extent);
	if (v->code.len)
		buf_puts(out, "        int count = relay_lines(real);\n");
	buf_puts(&v->loads, bang_text(&v->code));
	buf_puts(&v->loads, bang_text(store));
	bang_put_vectors(v, out, NULL, bang_text(&v->loads));
	buf_puts(out, bang_text(&v->loads));
	buf_puts(out, "      }\n"
		      "    }\n");
}

bool
bang_put_vector(struct bang_kernel *k, const struct bang_nest *given)
{
	struct bang_nest n = *given;
	struct bang_vectors v;
	struct buf store = {0};
	char tile[BANG_TILE_NAME];
	unsigned x;
	bool ok, flat;

	bang_merge_loops(&n);
	if (n.reduce || n.nloops == 0)
		return false;
	flat = n.nloops == 1 && !k->alone;
	bang_vectors_init(&v, k, &n, n.loops[n.nloops - 1].var);
	v.copy = flat ? "__memcpy_async" : "__memcpy";
	x = bang_vector_of(&v, n.value);
	if (v.loaded[x] && v.from_sram != bang_in_sram(k, n.buffer))
		v.places = 3;
	bang_put_vector_store(&v, &v.code, &store, x);
	v.loaded[x] = true;
	ok = v.ok;
	if (ok) {
		bang_tile(&v, flat, n.loops[n.nloops - 1].extent, tile);
		if (flat)
			put_stages(&v, &store, tile);
		else
			put_rows(&v, &store, tile);
		k->scalar_ops += v.scalar * bang_points(&n, 0, n.nloops);
	}
	buf_free(&store);
	bang_vectors_free(&v);
	return ok;
}
