/*
 * --opt-bisect=auto:CMD: which run of a pass turns a good module into a bad
 * one? Halves the number of runs that happen until it is known.
 *
 * A trial is a process of its own: passes may crash or hang in it, which is
 * bad. With a command, a trial is good if CMD FILE ends with status 0, FILE
 * being the module that came out, which is its standard input as well (and
 * only that if a word of CMD is "-"); without one, if the passes went well.
 */
#ifndef RELAY_PASSES_BISECT_H
#define RELAY_PASSES_BISECT_H

#include <stdbool.h>

#include "support/arena.h"
#include "support/buf.h"
#include "support/diag.h"

struct bisect {
	const char *command; /* of the shell; "": none */
	long long timeout;   /* seconds for a trial; 0: any */
	/*
	 * Run passes up to number LIMIT (-1: all) and write the module to
	 * OUTPUT; called in the process of the trial, whose messages are kept.
	 * False: they failed.
	 */
	bool (*run)(void *env, long long limit, const char *output);
	void *env;
};

/* Append what was found to OUT, a line. False after reporting to D. */
bool bisect_run(const struct bisect *b, struct buf *out, struct arena *a,
		struct diag *d);

#endif
