/*
 * Passes on a command line: -O2, --passes=PIPE, or a flag per pass. Only one
 * of the three ways may be used at a time.
 */
#ifndef RELAY_PASSES_COMMAND_LINE_H
#define RELAY_PASSES_COMMAND_LINE_H

#include <stdbool.h>

#include "passes/pipeline.h"
#include "support/tool.h"

struct pass_command_line {
	struct tool *tool; /* borrowed: diag and arena */
	struct pass_pipeline flags;
	const char *last_flag; /* as it was spelt */
	bool initialised;
};

/*
 * The "take" of a struct option_others whose env is a pass_command_line: a
 * flag of a pass, or an option of the pass before it.
 */
bool pass_command_line_take(void *env, const char *name, const char *value);

/*
 * The pipeline that LEVEL (the digit of -O, or NULL), TEXT (of --passes, or
 * NULL) and the flags say. TEXT may be "@FILE". False after an error.
 */
bool pass_command_line_pipeline(struct pass_command_line *c, const char *level,
				const char *text, struct pass_pipeline *p);

/* The topics "passes", "pass:NAME", "pipelines", "targets" of --help. */
bool pass_help(struct buf *out, const char *topic);

#endif
