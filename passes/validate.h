/*
 * Translation validation, --validate-each: the evaluator runs the module on
 * random inputs before the first pass and after each one, and numbers that a
 * pass changed are an error of that pass.
 *
 * What runs is @main, or without one every function. A copy of the module is
 * evaluated, so that nothing of it shows in what is printed. A function that
 * cannot be evaluated, or that a pass gave another type, is named in a remark.
 */
#ifndef RELAY_PASSES_VALIDATE_H
#define RELAY_PASSES_VALIDATE_H

#include <stdbool.h>

#include "passes/pass.h"

struct pass_manager;
struct validation;

/* Evaluate the module as it is now: later states are compared with it. */
void validate_start(struct pass_manager *pm);

/*
 * Evaluate again after INFO has run. False after reporting that a function
 * computes something else than before.
 */
bool validate_after(struct pass_manager *pm, const struct pass_info *info);

void validate_free(struct validation *v); /* accepts NULL */

#endif
