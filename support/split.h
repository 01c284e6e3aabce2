/*
 * Several inputs in one file, separated by lines that hold a mark.
 */
#ifndef RELAY_SUPPORT_SPLIT_H
#define RELAY_SUPPORT_SPLIT_H

#include <stddef.h>

#include "support/source.h"
#include "support/vec.h"

typedef VEC(struct source) source_vec;

/*
 * The parts of S between lines that are MARK but for blanks at their end.
 * Lines keep the numbers they have in S. Parts borrow from S; free each with
 * source_free, and the vector.
 */
void split_source(const struct source *s, const char *mark, source_vec *parts);

#endif
