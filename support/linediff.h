/*
 * Differences between two texts, line by line, as "diff -u" shows them.
 */
#ifndef RELAY_SUPPORT_LINEDIFF_H
#define RELAY_SUPPORT_LINEDIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "support/buf.h"

/* Hunks with three lines around each change; nothing if the texts agree. */
void linediff(struct buf *out, const char *a, size_t alen, const char *b,
	      size_t blen);

/*
 * The same in two columns of WIDTH bytes: '|' between lines that changed, '<'
 * and '>' beside those that only one text has. Long lines go on below. WHOLE:
 * all lines, not only those around changes.
 */
void linediff_side(struct buf *out, const char *a, size_t alen, const char *b,
		   size_t blen, size_t width, bool whole);

#endif
