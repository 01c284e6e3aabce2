/*
 * What analyses print: a title and lines that are comments of the text, so
 * that a file of dumps can be read again.
 */
#ifndef RELAY_PASSES_ANALYSIS_REPORT_H
#define RELAY_PASSES_ANALYSIS_REPORT_H

#include "ir/print.h"
#include "passes/pass.h"
#include "support/buf.h"

struct report {
	pass_ctx *cx;
	struct buf text;
	struct ir_map names; /* node -> what the text calls it */
	bool named;
};

/* A line, DEPTH steps to the right. */
void report_line(struct report *r, unsigned depth, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* "%3" or "%x" as the module prints now; NULL for what stands in place. */
const char *report_name(struct report *r, const ir_expr *e);

/* A word for E: its name, "@f", "add(..)", "tuple", ... */
const char *report_word(struct report *r, const ir_expr *e);

/* Print the lines under a title with the name of the analysis; free R. */
void report_end(struct report *r);

/*
 * Relay functions with a body in the order of their names, those that
 * function<..> selects; in the scratch arena, NULL at the end.
 */
ir_def **report_functions(pass_ctx *cx);

/* How often each operator is called, by number; a call counts once. */
void report_operators(struct report *r, unsigned depth, const ir_expr *root);

#endif
