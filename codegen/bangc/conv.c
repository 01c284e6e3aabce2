/*
 * A sum of products as a call of relay_conv2d: what its loops are, how it is
 * cut into tiles (tiles.c), what follows it on the chip.
 */
#include <inttypes.h>
#include <string.h>

#include "codegen/bangc/product.h"

/* Smaller ones are not worth the padding to 64 columns. */
enum { LEAST_COLUMNS = 8, LEAST_DEPTH = 4 };

static bool
is_row(const struct product *p, uint32_t i)
{
	return p->at[i].a != 0 && p->at[i].b == 0;
}

static bool
is_column(const struct product *p, uint32_t i)
{
	return p->at[i].a == 0 && p->at[i].b != 0;
}

/* The only column loop; false if there is none, or more. */
static bool
find_column(const struct product *p, uint32_t *column)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->nspatial; i++)
		if (is_column(p, i)) {
			*column = i;
			n++;
		}
	return n == 1 && p->at[*column].extent >= LEAST_COLUMNS;
}

/* Y and X: the last two row loops. */
static bool
find_rows(const struct product *p, struct conv_loops *l)
{
	l->y = l->x = UINT32_MAX;
	for (uint32_t i = 0; i < p->nspatial; i++)
		if (is_row(p, i)) {
			l->y = l->x;
			l->x = i;
		}
	return l->x != UINT32_MAX;
}

/* Folded loops, in the order channel, row, column, some of them missing. */
static bool
find_folds(const struct product *p, struct conv_loops *l)
{
	uint32_t first = p->nspatial, count = p->nloops - first;

	l->rc = first;
	l->ry = count == 3 ? first + 1 : UINT32_MAX;
	l->rx = count >= 2 ? p->nloops - 1 : UINT32_MAX;
	for (uint32_t i = first; i < p->nloops; i++)
		if (p->at[i].a == 0 || p->at[i].b == 0)
			return false;
	return count >= 1 && count <= 3;
}

static struct product_loop
loop(const struct product *p, uint32_t i)
{
	return i == UINT32_MAX ? (struct product_loop){.extent = 1} : p->at[i];
}

static int64_t
common_divisor(int64_t a, int64_t b)
{
	while (b != 0) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static void
use(struct conv *c, uint32_t i)
{
	if (i != UINT32_MAX)
		c->used[i] = true;
}

/* Pixels and rows of an image without a border. */
static void
set_image(const struct product *p, const struct conv_loops *l, struct conv *c)
{
	c->iy = common_divisor(loop(p, l->y).a, loop(p, l->ry).a);
	c->ix = c->ac != 1 ? 1
			   : common_divisor(loop(p, l->x).a, loop(p, l->rx).a);
	c->sy = c->iy && l->y != UINT32_MAX ? loop(p, l->y).a / c->iy : 1;
	c->dy = l->ry != UINT32_MAX ? loop(p, l->ry).a / c->iy : 1;
	c->sx = loop(p, l->x).a / c->ix;
	c->dx = l->rx != UINT32_MAX ? loop(p, l->rx).a / c->ix : 1;
	c->ih = (c->height - 1) * c->sy + (c->kh - 1) * c->dy + 1;
	c->iw = (c->width - 1) * c->sx + (c->kw - 1) * c->dx + 1;
}

static bool
conv_of(struct product *p, const struct pad *pad, struct conv *c)
{
	struct conv_loops l;

	*c = (struct conv){.vectors = -1};
	if (!find_column(p, &l.column) || !find_rows(p, &l) ||
	    !find_folds(p, &l))
		return false;
	c->loops = l;
	c->filters = p->at[l.column].extent;
	c->height = loop(p, l.y).extent;
	c->width = loop(p, l.x).extent;
	c->channels = loop(p, l.rc).extent;
	c->kh = loop(p, l.ry).extent;
	c->kw = loop(p, l.rx).extent;
	if (pad && !pad_apply(pad, p, c))
		return false;
	c->ac = loop(p, l.rc).a;
	if (!pad)
		set_image(p, &l, c);
	c->bf = p->at[l.column].b;
	c->bc = loop(p, l.rc).b;
	c->by = loop(p, l.ry).b;
	c->bx = loop(p, l.rx).b;
	c->oc = p->at[l.column].out;
	c->oy = loop(p, l.y).out;
	c->ox = loop(p, l.x).out;
	use(c, l.column);
	use(c, l.y);
	use(c, l.x);
	for (uint32_t i = p->nspatial; i < p->nloops; i++)
		c->used[i] = true;
	return c->channels * c->kh * c->kw >= LEAST_DEPTH &&
	       (c->oc == 1 || c->ox == 1) && (c->ac == 1 || c->ix == 1);
}

/* One loop folded over, rows and columns: a row of pixels. */
static bool
matrix_of(struct product *p, struct conv *c)
{
	struct product_loop row = {.extent = 1, .a = 1, .out = 1}, depth;
	uint32_t r = UINT32_MAX, column;

	*c = (struct conv){.vectors = -1};
	product_merge(p);
	if (p->nloops != p->nspatial + 1 || !find_column(p, &column))
		return false;
	for (uint32_t i = 0; i < p->nspatial; i++)
		if (is_row(p, i) &&
		    (r == UINT32_MAX || p->at[i].extent >= p->at[r].extent))
			r = i;
	if (r != UINT32_MAX)
		row = p->at[r];
	depth = p->at[p->nspatial];
	*c = (struct conv){
		.filters = p->at[column].extent,
		.height = 1,
		.width = row.extent,
		.channels = depth.extent,
		.kh = 1,
		.kw = 1,
		.sy = 1,
		.sx = 1,
		.dy = 1,
		.dx = 1,
		.ih = 1,
		.iw = row.extent,
		.ac = depth.a,
		.ix = row.a,
		.bf = p->at[column].b,
		.bc = depth.b,
		.oc = p->at[column].out,
		.ox = row.out,
		.vectors = -1,
		.loops = {column, UINT32_MAX, r, p->nspatial, UINT32_MAX,
			  UINT32_MAX},
	};
	use(c, column);
	use(c, r);
	use(c, p->nspatial);
	return depth.extent >= LEAST_DEPTH && (depth.a == 1 || row.a == 1) &&
	       (depth.b == 1 || c->bf == 1) && (c->oc == 1 || row.out == 1);
}

/* ------------------------------------------------------------ code -- */

void
product_put_base(struct buf *out, const struct conv *c, const struct product *p,
		 const char *name, int64_t at, const int64_t *steps)
{
	buf_puts(out, name);
	if (at)
		buf_printf(out, " %c %" PRId64, at < 0 ? '-' : '+',
			   at < 0 ? -at : at);
	for (uint32_t i = 0; i < p->nspatial; i++)
		if (!c->used[i] && steps[i])
			buf_printf(out, " + o%u * %" PRId64, i, steps[i]);
}

/* A struct relay_conv; TILES: the names of its tile's sizes. */
static const char *
conv_text(struct bang_kernel *k, const struct conv *c, const char *tiles)
{
	return arena_printf(k->arena,
			    "{%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
			    ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
			    ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
			    ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
			    ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
			    ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
			    ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
			    ", %s, %" PRId64 ", %" PRId64 "}",
			    c->filters, c->height, c->width, c->channels, c->kh,
			    c->kw, c->sy, c->sx, c->dy, c->dx, c->top, c->left,
			    c->ih, c->iw, c->fill, c->ac, c->iy, c->ix, c->bf,
			    c->bc, c->by, c->bx, c->oc, c->oy, c->ox, c->block,
			    c->rows, c->cols, tiles, c->vectors, c->part);
}

/* Could the filters be packed: are they the same in all other loops? */
static bool
are_fixed(const struct product *p, const struct conv *c)
{
	for (uint32_t i = 0; i < p->nspatial; i++)
		if (!c->used[i] && p->at[i].b != 0)
			return false;
	return p->b_at == 0;
}

static void
offer_filters(struct bang_kernel *k, const struct product *p,
	      const struct conv *c)
{
	struct conv alike = {.filters = c->filters,
			     .height = 1,
			     .width = 1,
			     .channels = c->channels,
			     .kh = c->kh,
			     .kw = c->kw,
			     .sy = 1,
			     .sx = 1,
			     .dy = 1,
			     .dx = 1,
			     .bf = c->bf,
			     .bc = c->bc,
			     .by = c->by,
			     .bx = c->bx,
			     .block = c->block,
			     .rows = c->rows,
			     .cols = c->cols};
	struct bang_weights w = {.pack = "relay_pack_filters",
				 .rest = conv_text(k, &alike, "1, 1, 1"),
				 .type = bang_type(p->b->dtype),
				 .bytes = (c->filters + 63) / 64 * 64 *
					  c->channels * c->kh * c->kw *
					  (p->b->dtype.bits / 8)};

	bang_add_weights(k, p->b, &w);
}

/* "TALL_x_1, WIDE_x_1, GROUP_x_1", which are defined. */
static const char *
define_tiles(struct bang_kernel *k, const struct conv *c)
{
	const char *name = arena_printf(k->arena, "%s_%u", k->name, k->nsteps);

	buf_printf(k->defines,
		   "#define TALL_%s %" PRId64 "\n"
		   "#define WIDE_%s %" PRId64 "\n"
		   "#define PANELS_%s %" PRId64 "\n",
		   name, c->tall, name, c->wide, name, c->group);
	return arena_printf(k->arena, "TALL_%s, WIDE_%s, PANELS_%s", name, name,
			    name);
}

static void
put_code(struct bang_kernel *k, const struct product *p, const struct conv *c,
	 const struct tir_buffer *out, const struct end *end)
{
	int64_t a[PRODUCT_MAX_LOOPS], b[PRODUCT_MAX_LOOPS],
		to[PRODUCT_MAX_LOOPS];
	const char *type = bang_type(p->b->dtype);
	bool packed = bang_is_packed(k, p->b);

	buf_printf(k->out,
		   "    const struct relay_conv c = %s;\n"
		   "    int done = 0;\n",
		   conv_text(k, c, define_tiles(k, c)));
	for (uint32_t i = 0; i < p->nspatial; i++) {
		a[i] = p->at[i].a;
		b[i] = p->at[i].b;
		to[i] = p->at[i].out;
		if (!c->used[i])
			buf_printf(k->out,
				   "    for (int o%u = 0; o%u < %" PRId64
				   "; o%u++)\n",
				   i, i, p->at[i].extent, i);
	}
	buf_puts(k->out, "    {\n");
	if (packed)
		buf_printf(k->out, "      const relay_%spanels<%s> b = {",
			   c->shared ? "shared_" : "", type);
	else
		buf_printf(k->out, "      const relay_filters<%s, %s> b = {",
			   type, bang_load_direction(k, p->b));
	product_put_base(k->out, c, p, p->b->name, packed ? 0 : p->b_at, b);
	if (packed && c->shared)
		buf_printf(k->out, ", (%s *)" BANG_SHARED, type);
	buf_printf(k->out,
		   "};\n"
		   "      const struct %s end = {%s};\n"
		   "      done = relay_conv2d<%s, %s>(done, ",
		   end ? end->type : "relay_no_end", end ? end->values : "",
		   bang_load_direction(k, p->a), bang_store_direction(k, out));
	product_put_base(k->out, c, p, out->name, p->out_at, to);
	buf_puts(k->out, ", ");
	product_put_base(k->out, c, p, p->a->name, p->a_at, a);
	buf_puts(k->out, ", b, c, end);\n    }\n");
}

/* Tiles for filters as they come, or as they are packed, which may be shared. */
static bool
cut(struct bang_kernel *k, const struct product *p,
    const struct tir_buffer *out, bool packed, struct conv *c)
{
	if (!cut_tiles(k->arch, p, out,
		       packed ? k->arch->sram / BANG_SHARED_PART : 0, c))
		return false;
	if (c->shared > k->shared_bytes)
		k->shared_bytes = c->shared;
	return true;
}

/* What ENDS takes of vectors depends on nothing that is cut. */
static bool
put(struct bang_kernel *k, struct product *p, struct conv *c,
    const struct bang_nest *ends)
{
	const struct tir_buffer *out = ends ? ends->buffer : p->out;
	bool packed = bang_is_packed(k, p->b);
	struct conv other;
	struct end end;

	if (!cut_blocks(k->arch, p, c) ||
	    (ends && !end_of(k, p, c, ends, &end)))
		return false;
	if (ends)
		c->vectors = end.vectors;
	other = *c;
	if (!cut(k, p, out, packed, c))
		return false;
	if (!packed && are_fixed(p, c) && cut(k, p, out, true, &other))
		offer_filters(k, p, c);
	put_code(k, p, c, out, ends ? &end : NULL);
	return true;
}

bool
bang_put_product(struct bang_kernel *k, const tir_stmt *border,
		 const struct bang_nest *n, const struct bang_nest *ends)
{
	struct product p, merged;
	struct pad pad;
	struct conv c;
	size_t mark = k->out->len, helpers = k->helpers->len;
	size_t defines = k->defines->len;

	if (k->alone || !product_of(k, n, &p) ||
	    (border && (!pad_of(border, &pad) || pad.buffer != p.a)))
		return false;
	merged = p;
	if ((!border && matrix_of(&merged, &c) && put(k, &merged, &c, ends)) ||
	    (conv_of(&p, border ? &pad : NULL, &c) && put(k, &p, &c, ends)))
		return true;
	k->out->len = mark;
	k->helpers->len = helpers;
	k->defines->len = defines;
	return false;
}
