/*
 * Layouts: what the axes of a tensor mean, as a string of letters.
 *
 * A capital letter is a primal axis. A small letter with a factor before it
 * is the inner part of the axis of the same letter: "NCHW16c" has batch,
 * channels / 16, height, width and 16 channels in a block. Two layouts with
 * the same primal axes can be converted into each other.
 */
#ifndef RELAY_IR_LAYOUT_H
#define RELAY_IR_LAYOUT_H

#include <stdbool.h>
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
 * without factor or without its capital, a factor without letter, an axis
 * twice, too many axes.
 */
bool ir_layout_parse(const char *text, struct ir_layout *out);

/* Position of the axis LETTER, or -1. */
int ir_layout_index(const struct ir_layout *l, char letter);

/* The factor of the inner part of PRIMAL; 1 if it is not split. */
int64_t ir_layout_factor(const struct ir_layout *l, char primal);

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

#endif
