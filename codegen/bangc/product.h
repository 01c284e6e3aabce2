/*
 * Sums of products for the unit for matrices, and what stands around them:
 * private to product*.c.
 */
#ifndef RELAY_CODEGEN_BANGC_PRODUCT_H
#define RELAY_CODEGEN_BANGC_PRODUCT_H

#include "codegen/bangc/internal.h"

enum { PRODUCT_MAX_LOOPS = BANG_MAX_LOOPS + 2 };

/* A loop and the strides of the factors and the result along it. */
struct product_loop {
	int64_t extent;
	int64_t a, b, out;
};

/* OUT = sum of A * B; a loop over groups is two. */
struct product {
	const struct tir_buffer *a, *b, *out;
	int64_t a_at, b_at, out_at; /* where all variables are zero */
	uint32_t nspatial, nloops;
	struct product_loop at[PRODUCT_MAX_LOOPS];
};

/* False if N is no such sum of types that K's architecture multiplies. */
bool product_of(const struct bang_kernel *k, const struct bang_nest *n,
		struct product *out);

/* Loops next to each other that go over memory in order become one. */
void product_merge(struct product *p);

/* A dimension of an array with a border around a copy of another. */
struct pad_dim {
	int64_t extent, low;  /* of what is copied, and where that begins */
	int64_t padded, from; /* strides */
};

struct pad {
	const struct tir_buffer *buffer, *from;
	int64_t from_at; /* where all variables are zero */
	int64_t fill;
	uint32_t n;
	struct pad_dim dims[BANG_MAX_LOOPS];
};

/* pads.c: false if S is not that. */
bool pad_of(const tir_stmt *s, struct pad *out);

/* The loops of a convolution, UINT32_MAX for none. */
struct conv_loops {
	uint32_t column, y, x, rc, ry, rx;
};

/* The numbers of a struct relay_conv of device/conv2d.mlu. */
struct conv {
	struct conv_loops loops;
	int64_t filters, height, width, channels, kh, kw;
	int64_t sy, sx, dy, dx;
	int64_t top, left, ih, iw, fill;
	int64_t ac, iy, ix;
	int64_t bf, bc, by, bx;
	int64_t oc, oy, ox;
	int64_t block, rows, cols, tall, wide, group, vectors, part;
	int64_t shared;               /* bytes of SRAM for filters; 0: none */
	bool used[PRODUCT_MAX_LOOPS]; /* loops that it stands for */
};

/*
 * P reads PAD's source instead, with a border along the loops of C's window.
 * False if that is not all there is of the border.
 */
bool pad_apply(const struct pad *pad, struct product *p, struct conv *c);

/*
 * tiles.c: channels, window rows and columns of a block of C, which does P,
 * which packed filters have, too. False if none fits.
 */
bool cut_blocks(const struct bang_arch *arch, const struct product *p,
		struct conv *c);

/*
 * Pixels and panels of a tile, when OUT is what is stored: what costs least, of
 * all that fits. Filters are loaded by a cluster together if that is better
 * and they take no more than SHARED bytes of SRAM. False if nothing fits.
 */
bool cut_tiles(const struct bang_arch *arch, const struct product *p,
	       const struct tir_buffer *out, int64_t shared, struct conv *c);

/* What follows a product: a step for each element of its result. */
struct end {
	const char *type;   /* the struct that has what it reads */
	const char *values; /* of that struct, as C */
	int64_t vectors;    /* that it takes */
};

/*
 * ends.c: N, which follows P done as C, into K's helpers; P and C have its
 * result then. False if there is no code for it on a tile.
 */
bool end_of(struct bang_kernel *k, struct product *p, struct conv *c,
	    const struct bang_nest *n, struct end *out);

/* "NAME + 3 + o0 * 5": B where loops that C leaves out begin. */
void product_put_base(struct buf *out, const struct conv *c,
		      const struct product *p, const char *name, int64_t at,
		      const int64_t *strides);

#endif
