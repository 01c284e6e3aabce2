/*
 * Steps of lowering that several passes share.
 */
#ifndef RELAY_PASSES_LOWER_TE_H
#define RELAY_PASSES_LOWER_TE_H

#include <stdbool.h>

#include "passes/pass.h"

/*
 * Outline what has to be and make each primitive definition a TE definition
 * without schedule, with its text as an attribute if KEEP_TEXT. False after
 * an error.
 */
bool lower_build(pass_ctx *cx, const char *prefix, bool keep_text,
		 bool *changed);

/* Give each TE definition that has none a schedule for TARGET. */
bool lower_schedule(pass_ctx *cx, const char *target);

/*
 * The option "target" of this pass, else te.target, else --target. NULL after
 * reporting a kind that is not known.
 */
const char *lower_target(pass_ctx *cx);

#endif
