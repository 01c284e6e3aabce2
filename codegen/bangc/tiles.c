/*
 * How a sum of products is cut: into blocks of channels and of the window, and
 * into tiles of pixels and filters, which tasks share out.
 *
 * Blocks are as large as NRAM and exact sums allow. Of all tiles that fit, those
 * are taken that cost least: what a task computes in turn, and what all of them
 * move, filters and the border of pixels that neighbours load, too.
 */
#include "codegen/bangc/product.h"

/*
 * Window columns of a block, and columns times rows; channels; elements that
 * are summed up in floats without error; panels and pixels of a tile; pixels
 * that what follows is done to at once.
 */
enum {
	MOST_WIDTH = 8,
	MOST_WINDOW = 12,
	MOST_CHANNELS = 256,
	MOST_EXACT = 1024,
	MOST_GROUP = 4,
	MOST_PIXELS = 1024,
	MOST_PART = 128
};

/*
 * A machine to count with: tasks, in clusters; bytes that all of them move
 * while one of them computes a word of a vector, and while it multiplies so
 * many bytes. As copies go on meanwhile, what is computed counts half.
 */
enum { TASKS = 16, CLUSTERS = 4, WORD_COST = 5, MULTIPLIES = 52 };

static int64_t
up(int64_t n, int64_t unit)
{
	return (n + unit - 1) / unit * unit;
}

static int64_t
quotient(int64_t n, int64_t d)
{
	return (n + d - 1) / d;
}

static int64_t
least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

struct cutter {
	const struct bang_arch *arch;
	int64_t size, unit; /* of an element; channels come in so many */
	int64_t result;     /* bytes of an element that is stored */
	int64_t shared;     /* bytes of SRAM for filters, at most */
	int64_t times;      /* that all of it is done, in other loops */
};

static struct cutter
cutter_of(const struct bang_arch *arch, const struct product *p)
{
	int64_t size = p->a->dtype.bits / 8;

	return (struct cutter){.arch = arch,
			       .size = size,
			       .unit = (arch->code >= 300 ? 64 : 128) / size};
}

/*
 * Channels, window rows and columns of a block. The window's pixels must be
 * next to each other in what is loaded.
 */
bool
cut_blocks(const struct bang_arch *arch, const struct product *p,
	   struct conv *c)
{
	struct cutter x = cutter_of(arch, p);
	int64_t room = arch->nram / 3, most;
	bool whole = c->sx % c->dx == 0 && (c->ac == 1 || c->dx == 1) &&
		     c->kw <= MOST_WIDTH;

	c->cols = whole ? c->kw : 1;
	c->rows = whole && c->kh * c->kw <= MOST_WINDOW && c->sy % c->dy == 0
			  ? c->kh
			  : 1;
	if (x.size == 1 && c->rows * c->cols * x.unit > MOST_EXACT)
		c->rows = 1;
	most = room / (128 * c->rows * c->cols * x.size);
	most = least(most, MOST_CHANNELS);
	if (x.size == 1)
		most = least(most, MOST_EXACT / (c->rows * c->cols));
	c->block = most / x.unit * x.unit;
	c->block = least(c->block, up(c->channels, x.unit));
	return c->block > 0;
}

/* ---------------------------------------------------------- memory -- */

/* Bytes of NRAM for C's results, sums, and vectors of what follows. */
static int64_t
result_bytes(const struct cutter *x, const struct conv *c)
{
	int64_t words = 64 * up(c->tall * c->wide, 32);
	int64_t part = 64 * up(least(c->tall * c->wide, c->part), 32);
	bool apart = c->vectors >= 0 || c->oc != 1 || x->result != 4;
	bool spare = x->size == 1 || x->result != 4;

	return words * (2 * c->group * x->result + 4 * apart * c->group +
			4 * spare) +
	       (c->vectors > 0 ? 4 * part * c->vectors : 0);
}

/* Steps between the rows and columns that are loaded. */
static int64_t
row_step(const struct conv *c)
{
	return c->rows > 1 ? c->dy : c->sy;
}

static int64_t
column_step(const struct conv *c)
{
	return c->cols > 1 ? c->dx : c->ac == 1 ? c->sx : 1;
}

/* Pixels that a tile loads for each block. */
static int64_t
pixels_of(const struct conv *c)
{
	return ((c->tall - 1) * (c->sy / row_step(c)) + c->rows) *
	       ((c->wide - 1) * (c->sx / column_step(c)) + c->cols);
}

/* Bytes for the blocks of the image and of the filters. */
static int64_t
block_bytes(const struct cutter *x, const struct conv *c)
{
	int64_t pixels = pixels_of(c), channels = up(c->block, x->unit);

	if (c->ac != 1)
		pixels = up(pixels, 128 / x->size);
	return x->size * channels *
	       (pixels * (c->ac != 1 ? 3 : 2) + 128 * c->rows * c->cols);
}

/* With as large a part for what follows as there is room for. */
static bool
fits(const struct cutter *x, struct conv *c)
{
	int64_t room = x->arch->nram - 128 - block_bytes(x, c);

	c->part = c->tall * c->wide;
	if (c->vectors > 0 && c->part > MOST_PART)
		c->part = MOST_PART;
	while (result_bytes(x, c) > room && c->vectors > 0 && c->part > 32)
		c->part = up(c->part / 2, 32);
	return result_bytes(x, c) <= room;
}

/* ------------------------------------------------------------ cost -- */

/* Tiles of all groups of panels, EACH for one. */
struct tiles {
	int64_t groups, each;
};

static struct tiles
tiles_of(const struct conv *c)
{
	return (struct tiles){quotient(quotient(c->filters, 64), c->group),
			      quotient(c->height, c->tall) *
				      quotient(c->width, c->wide)};
}

/* Groups that N parts of all tiles have something of, added up. */
static int64_t
loads_of(const struct tiles *t, int64_t n)
{
	int64_t all = t->groups * t->each, part = quotient(all, n), sum = 0;

	for (int64_t low = 0; low < all; low += part)
		sum += (least(low + part, all) - 1) / t->each - low / t->each +
		       1;
	return sum;
}

/*
 * Tiles that one task does in turn, and how often a group of panels is loaded,
 * when clusters take one group after the other.
 */
static int64_t
shared_turns(const struct tiles *t, int64_t *loads)
{
	int64_t part = quotient(t->groups * t->each, CLUSTERS);
	int64_t cores = TASKS / CLUSTERS;

	if (CLUSTERS % t->groups == 0) {
		*loads = CLUSTERS;
		part = quotient(t->each, CLUSTERS / t->groups);
		return quotient(part, cores);
	}
	*loads = loads_of(t, CLUSTERS);
	if (part % t->each == 0)
		return part / t->each * quotient(t->each, cores);
	return quotient(part, cores) + part / t->each + 1;
}

/* Bytes of a group's panels, packed, or in WRAM. */
static int64_t
panel_bytes(const struct cutter *x, const struct conv *c, bool packed)
{
	int64_t channels = packed ? c->channels : up(c->channels, x->unit);

	return c->group * 64 * c->kh * c->kw * channels * x->size;
}

/* What a task needs for a pixel of one panel. */
static int64_t
pixel_cost(const struct cutter *x, const struct conv *c)
{
	int64_t depth = c->kh * c->kw * up(c->channels, x->unit);
	int64_t vectors = c->vectors > 0 ? c->vectors : 0;

	return 64 * (2 + vectors) * WORD_COST +
	       64 * depth * x->size * x->size / MULTIPLIES;
}

/* The cost of C as it is cut; by clusters together, if C says so. */
static int64_t
cost_of(const struct cutter *x, const struct conv *c)
{
	struct tiles t = tiles_of(c);
	int64_t all = t.groups * t.each, loads, turns;
	int64_t blocks = c->kh / c->rows * (c->kw / c->cols);
	bool whole = panel_bytes(x, c, false) <= x->arch->wram;

	if (c->shared) {
		turns = x->times * shared_turns(&t, &loads);
	} else {
		turns = all < TASKS ? quotient(x->times * all, TASKS)
				    : x->times * quotient(all, TASKS);
		loads = whole ? loads_of(&t, TASKS) : all;
	}
	return turns * c->group * c->tall * c->wide * pixel_cost(x, c) +
	       x->times * (loads * panel_bytes(x, c, true) +
			   all * blocks * pixels_of(c) * c->channels * x->size);
}

/* ---------------------------------------------------------- search -- */

/* C if it fits and costs less than BEST, which costs *COST. */
static void
try(const struct cutter *x, struct conv *c, struct conv *best, int64_t *cost)
{
	bool can_share;

	if (!fits(x, c))
		return;
	can_share = panel_bytes(x, c, false) <= x->arch->wram &&
		    panel_bytes(x, c, true) <= x->shared &&
		    tiles_of(c).each > 1;
	for (int share = 0; share <= can_share; share++) {
		int64_t now;

		c->shared = share ? panel_bytes(x, c, true) : 0;
		now = cost_of(x, c);
		if (*cost < 0 || now < *cost) {
			*cost = now;
			*best = *c;
		}
	}
}

/* Tiles of some rows, or of a part of one. */
static void
try_pixels(const struct cutter *x, struct conv c, struct conv *best,
	   int64_t *cost)
{
	c.wide = c.width;
	for (c.tall = least(c.height, MOST_PIXELS / c.wide); c.tall > 1;
	     c.tall--)
		if (c.tall == quotient(c.height, quotient(c.height, c.tall)))
			try(x, &c, best, cost);
	c.tall = 1;
	for (int64_t n = quotient(c.width, MOST_PIXELS), last = 0; last != 1;
	     n++) {
		c.wide = quotient(c.width, n);
		if (c.wide > 16)
			c.wide = least(up(c.wide, 16), c.width);
		if (c.wide != last && (c.wide > 16 || *cost < 0))
			try(x, &c, best, cost);
		last = c.wide;
	}
}

bool
cut_tiles(const struct bang_arch *arch, const struct product *p,
	  const struct tir_buffer *out, int64_t shared, struct conv *c)
{
	struct cutter x = cutter_of(arch, p);
	struct conv best = *c, one = *c;
	int64_t cost = -1;

	x.result = out->dtype.bits / 8;
	x.shared = shared;
	x.times = 1;
	for (uint32_t i = 0; i < p->nspatial; i++)
		if (!c->used[i])
			x.times *= p->at[i].extent;
	for (one.group = 1; one.group <= MOST_GROUP; one.group *= 2)
		if (one.group == 1 || one.group * 64 < c->filters + 64)
			try_pixels(&x, one, &best, &cost);
	*c = best;
	return cost >= 0;
}
