/*
 * --debug-counter: which rewrites of a pass happen, by number. To find the
 * rewrite that is wrong, halve the range until one is left.
 */
#ifndef RELAY_PASSES_DEBUG_COUNTER_H
#define RELAY_PASSES_DEBUG_COUNTER_H

#include <stdbool.h>

#include "passes/pass.h"
#include "support/vec.h"

struct debug_range {
	unsigned long long first;
	unsigned long long last;
};

struct debug_counter {
	const struct pass_info *info;
	VEC(struct debug_range) ranges;
	unsigned long long count; /* rewrites so far */
	unsigned long long done;  /* of these */
};

/* Read "PASS=1-3:5:9-"; false after reporting what is wrong. */
bool debug_counter_parse(struct debug_counter *c, const char *text,
			 struct diag *d);

/* Count a rewrite; may it happen? */
bool debug_counter_next(struct debug_counter *c);

/* Tell how many rewrites there were: what a range is chosen from. */
void debug_counter_note(const struct debug_counter *c, struct diag *d);

void debug_counter_free(struct debug_counter *c);

#endif
