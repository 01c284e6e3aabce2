/*
 * Pipelines: which passes run in which order, and their text.
 *
 *     pipe := item { ',' item }
 *     item := name [ '<' arg { ';' arg } '>' ] [ '(' pipe ')' ]
 *     arg  := key [ '=' value ] | 'no-' key
 *
 * Blanks, line ends and comments from '#' to the end of the line are free.
 * Beside passes there are
 *
 *     sequential<O2>(..)   passes by level, required and disabled lists
 *     default<O2>          the standard pipeline; build, vm, aot alike
 *     repeat<3>(..)        so many times
 *     fixpoint<max=10>(..) until nothing changes
 *     if-changed(..)       if the step before it changed anything
 *     function<main>(..)   function passes on these functions only
 *     print                the module, to the standard error
 *     print<dot>           as a graph; print<text> for the terminal
 *     save<FILE>           the module, to FILE
 */
#ifndef RELAY_PASSES_PIPELINE_H
#define RELAY_PASSES_PIPELINE_H

#include <stdbool.h>

#include "passes/context.h"
#include "passes/pass.h"
#include "support/arena.h"
#include "support/buf.h"
#include "support/diag.h"
#include "support/source.h"

enum step_kind {
	STEP_PASS,
	STEP_SEQUENTIAL,
	STEP_REPEAT,
	STEP_FIXPOINT,
	STEP_FUNCTION,
	STEP_IF_CHANGED,
	STEP_PRINT,
	STEP_SAVE,
};

struct pass_step {
	enum step_kind kind;
	struct pass_step *next;       /* in the same pipe */
	struct pass_step *inner;      /* the pipe in parentheses */
	const struct pass_info *info; /* PASS */
	const char **values;          /* its options; NULL: not given */
	unsigned number;              /* level, times, or at most */
	const char *only;             /* globs, a file, a format */
};

struct pass_pipeline {
	struct pass_step *first;
	struct pass_step **end; /* where the next one is linked */
};

void pass_pipeline_init(struct pass_pipeline *p);

/*
 * Append what the text S says; steps live in A. False after reporting errors
 * with their place in S (whose name may be NULL) to D.
 */
bool pass_pipeline_parse(struct pass_pipeline *p, struct source *s,
			 struct arena *a, struct diag *d);

/*
 * Append one pass with options as on the command line: "a=1;b". TEXT may be
 * NULL. FLAG is how the user spelt the pass.
 */
bool pass_pipeline_add(struct pass_pipeline *p, const struct pass_info *info,
		       const char *flag, const char *text, struct arena *a,
		       struct diag *d);

/* The last step, or NULL. */
struct pass_step *pass_pipeline_last(const struct pass_pipeline *p);

/* A step that runs INFO with its defaults. */
struct pass_step *pass_step_new(struct arena *a, const struct pass_info *info);

/*
 * Set option KEY of the pass STEP; VALUE is NULL for a bare key, and the key
 * may then begin with "no-". False after reporting, at LOC.
 */
bool pass_step_set_at(struct pass_step *step, const char *key,
		      const char *value, struct loc loc, struct arena *a,
		      struct diag *d);
bool pass_step_set(struct pass_step *step, const char *key, const char *value,
		   struct arena *a, struct diag *d);

/*
 * The text of P on one line, as pass_pipeline_parse takes it. What CX leaves
 * out of sequences is left out; with a NULL context all is shown.
 */
void pass_pipeline_print(struct buf *out, const struct pass_pipeline *p,
			 const struct pass_context *cx);

/*
 * The text of a standard pipeline, "default", "vm", "aot"; NULL: no such. In
 * it "sequential<O>" is of the level that the pipeline is asked for.
 */
const char *pass_standard_pipeline(const char *name, size_t len);

/* All of them, for --help=pipelines. */
void pass_list_pipelines(struct buf *out);

#endif
