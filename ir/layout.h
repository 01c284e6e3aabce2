/*
 * Layouts: what the axes of a tensor mean, as a string of letters.
 *
 * A capital letter is a primal axis. A small letter with a factor before it
 * is the inner part of the axis of the same letter: "NCHW16c" has batch,
 * channels / 16, height, width and 16 channels in a block. An axis may be
 * split more than once: in "OIHW4i16o2i" input channel c stands at c / 8,
 * c / 2 % 4 and c % 2. Two layouts with the same primal axes can be converted
 * into each other.
 */
#ifndef RELAY_IR_LAYOUT_H
#define RELAY_IR_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/type.h"

enum { LAYOUT_MAX_AXES = 16 };

struct ir_layout_axis {
	char letter;
	int64_t factor; /* 0 for a primal axis */
};

struct ir_layout {
	uint32_t n;
	struct ir_layout_axis axis[LAYOUT_MAX_AXES];
};

/*
 * Read TEXT. False if it is no layout: unknown characters, a small letter
 * without factor or without its capital, a factor without letter, a capital
 * twice, too many axes.
 */
bool ir_layout_parse(const char *text, struct ir_layout *out);

/* Position of the first axis LETTER, or -1. */
int ir_layout_index(const struct ir_layout *l, char letter);

/* The product of the inner parts of PRIMAL; 1 if it is not split. */
int64_t ir_layout_factor(const struct ir_layout *l, char primal);

/* The product of the parts INNER (a small letter) from axis FROM on. */
int64_t ir_layout_stride(const struct ir_layout *l, uint32_t from, char inner);

/* The same primal axes on both sides. */
bool ir_layout_convertible(const struct ir_layout *a,
			   const struct ir_layout *b);

/*
 * SHAPE, laid out as FROM (FROM->n extents), in the layout TO (TO->n
 * extents). Outer parts are divided with floor; '?' stays. The two layouts
 * must be convertible. False on overflow.
 */
bool ir_layout_convert(const struct ir_layout *from, const struct ir_layout *to,
		       const struct ir_dim *shape, struct ir_dim *out);

/*
 * A layout that a tuner chose: "8A4bc2A" has axis A split into 8 and 2 parts
 * around axis bc of extent 4. Names point into the text.
 */
struct ir_part {
	int64_t extent;
	const char *name;
	size_t len;
};

struct ir_parts {
	uint32_t n;
	struct ir_part part[LAYOUT_MAX_AXES];
};

/* False: not of this form, or too long. */
bool ir_parts_parse(const char *text, struct ir_parts *out);
bool ir_parts_same(const struct ir_part *a, const struct ir_part *b);

#endif
