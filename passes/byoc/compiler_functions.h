/*
 * Functions that belong to an external compiler.
 */
#ifndef RELAY_PASSES_BYOC_COMPILER_FUNCTIONS_H
#define RELAY_PASSES_BYOC_COMPILER_FUNCTIONS_H

#include "passes/pass.h"

/* F has a Compiler: the one named FILTER, or any if that is empty. */
bool is_compiler_function(const struct ir_function *f, const char *filter);

#endif
