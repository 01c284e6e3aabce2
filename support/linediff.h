/*
 * Differences between two texts, line by line, as "diff -u" shows them.
 */
#ifndef RELAY_SUPPORT_LINEDIFF_H
#define RELAY_SUPPORT_LINEDIFF_H

#include <stddef.h>

#include "support/buf.h"

/* Hunks with three lines around each change; nothing if the texts agree. */
void linediff(struct buf *out, const char *a, size_t alen, const char *b,
	      size_t blen);

#endif
