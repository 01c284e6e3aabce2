/*
 * --verify-spans: places in the text should survive passes, so that messages
 * and debug information of later stages lead back to it. A pass after which
 * more calls have no place than before is named in a warning.
 */
#ifndef RELAY_PASSES_SPANS_H
#define RELAY_PASSES_SPANS_H

#include <stddef.h>

#include "ir/module.h"

/* What is known about the places of a module. */
struct span_count {
	size_t calls;
	size_t lost;          /* calls without a place */
	const ir_expr *first; /* of those; or NULL */
	const ir_def *def;    /* where it is */
};

void spans_count(struct span_count *c, const ir_module *m);

#endif
