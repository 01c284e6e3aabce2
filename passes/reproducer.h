/*
 * The first line of a reproducer: what --crash-reproducer writes, and what
 * relay-opt --run-reproducer and relay-reduce read.
 *
 *     // relay-opt: --passes='fuse-ops' --opt-level=3 --target='cuda -arch=x'
 *
 * Behind the passes stand the options that their results depend on, as on a
 * command line, where they are not the default.
 */
#ifndef RELAY_PASSES_REPRODUCER_H
#define RELAY_PASSES_REPRODUCER_H

#include <stdbool.h>

#include "passes/instrument.h"
#include "passes/manager.h"
#include "passes/pipeline.h"

struct reproducer {
	const char *passes;
	bool no_infer;
	bool allow_unknown_ops;
	struct pass_options options;
	struct option_set set; /* of all these, for options_put_under */
};

/* Does S begin with such a line, right or wrong? */
bool reproducer_has_line(const struct source *s);

/*
 * The line of S; the strings live in A. Loads the plugins that it names. P,
 * which may be NULL, gets the passes. False after reporting.
 */
bool reproducer_read(struct source *s, struct reproducer *r,
		     struct pass_pipeline *p, struct arena *a, struct diag *d);

/* " --opt-level=3 .."; empty if all is the default. */
void reproducer_print_options(struct buf *out, const struct reproducer *r);

/* The line for STEP alone, as PM is about to run it. */
void reproducer_print(struct buf *out, const struct pass_manager *pm,
		      const struct pass_step *step);

#endif
