/*
 * Times of passes and counts that passes keep.
 */
#ifndef RELAY_PASSES_TIMING_H
#define RELAY_PASSES_TIMING_H

#include <stdbool.h>
#include <stddef.h>

#include "support/buf.h"
#include "support/vec.h"

enum timing_format { TIMING_OFF, TIMING_LIST, TIMING_TREE, TIMING_JSON };
enum stats_format { STATS_OFF, STATS_TEXT, STATS_JSON };

/* Something that took time; nested in what was open when it began. */
struct timed {
	const char *name; /* borrowed */
	unsigned depth;
	double start; /* seconds since some time */
	double seconds;
	double inner; /* of that, in nested ones */
};

struct timing {
	VEC(struct timed) events; /* in the order they began */
	VEC(size_t) open;
};

void timing_begin(struct timing *t, const char *name);
void timing_end(struct timing *t);
void timing_print(struct buf *out, const struct timing *t,
		  enum timing_format format);

/* The events as the trace viewers of browsers read them. */
void timing_print_trace(struct buf *out, const struct timing *t);
void timing_free(struct timing *t);

struct stat_count {
	const char *pass; /* both borrowed */
	const char *what;
	unsigned long long n;
};

struct stats {
	VEC(struct stat_count) counts; /* in order of first use */
};

void stats_add(struct stats *s, const char *pass, const char *what,
	       unsigned long long n);
void stats_print(struct buf *out, const struct stats *s,
		 enum stats_format format);
void stats_free(struct stats *s);

#endif
