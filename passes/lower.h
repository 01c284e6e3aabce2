/*
 * The way down for tools that compile: whatever is missing from the level at
 * which a module stands.
 */
#ifndef RELAY_PASSES_LOWER_H
#define RELAY_PASSES_LOWER_H

#include <stdbool.h>

#include "passes/manager.h"

enum lower_level { LOWER_TE, LOWER_TIR, LOWER_CALLS };

struct lower_options {
	const char *before; /* a pipeline to run first, or NULL */
	bool unfused;       /* every operator is a kernel */
	bool externals;     /* so are functions of other compilers */
	enum lower_level to;
};

/*
 * Run what is missing, of infer-type, fuse-ops, lower-te, lower-tir,
 * aot-lower-main, with PM, which belongs to the tool. False after an error.
 */
bool lower_module(struct pass_manager *pm, ir_module *m,
		  const struct lower_options *o);

/*
 * Inline all calls below MAIN, if each function there FITS and none is
 * recursive; nothing happens otherwise, or where main would become too large.
 * False after an error.
 */
typedef bool lower_fits_fn(const struct ir_function *fn);
bool lower_inline(struct pass_manager *pm, ir_module *m, const ir_def *main,
		  lower_fits_fn *fits);

/* Run the pipeline that TEXT says; false after an error. */
bool lower_run(struct pass_manager *pm, ir_module *m, const char *text);

#endif
