/*
 * From a source to a module that passes can run on.
 */
#ifndef RELAY_PASSES_INPUT_H
#define RELAY_PASSES_INPUT_H

#include <stdbool.h>

#include "ir/fwd.h"
#include "support/buf.h"
#include "support/diag.h"
#include "support/source.h"

/*
 * Make E the definition @main of M: a function as it is, anything else over
 * its free variables. False after reporting that M has a main already.
 */
bool input_wrap_expr(ir_module *m, const ir_expr *e, struct diag *d);

/*
 * Print M, read it again and compare; false after reporting where the two
 * differ. Messages about the printed text point into it.
 */
bool input_check_roundtrip(const ir_module *m, struct diag *d);

/* How the parts of an input are taken. */
struct input_mode {
	const char *mark;        /* between parts; NULL: one part */
	const char *output_mark; /* the same in the output; or NULL */
	bool verify_diagnostics; /* messages are compared, not shown */
};

/*
 * Call PROCESS for each part of S, which appends its result to OUT. Under
 * verify_diagnostics D is told what was not as the comments of S expect.
 */
void input_process(struct source *s, const struct input_mode *mode,
		   bool (*process)(void *env, struct source *s,
				   struct buf *out),
		   void *env, struct diag *d, struct buf *out);

/* Let D find the places that the text of M gave as spans. */
void input_use_spans(const ir_module *m, struct diag *d);

#endif
