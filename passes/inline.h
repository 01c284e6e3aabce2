/* The inliner behind the passes inline and inline-all. */
#ifndef RELAY_PASSES_INLINE_H
#define RELAY_PASSES_INLINE_H

#include <stdbool.h>

#include "passes/pass.h"

/*
 * Inline in cx->module. ALL: every function that is not recursive, marked or
 * not; the options of the pass inline are then not read.
 */
bool inline_functions(pass_ctx *cx, bool all);

#endif
