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

/*
 * States of modules of one context that were evaluated with one seed and
 * number of runs, kept from one run of the manager to the next.
 */
struct validate_cache;
struct validate_cache *validate_cache_new(void);
void validate_cache_free(struct validate_cache *c); /* accepts NULL */

/* Evaluate NOW, the state of the module: later ones are compared with it. */
struct validate_state;
void validate_start(struct pass_manager *pm, struct validate_state *now);

/* Find out what NOW computes; says nothing. */
void validate_prepare(struct pass_manager *pm, struct validate_state *now);

/*
 * Evaluate again after INFO has run and left NOW. False after reporting that a
 * function computes something else than before.
 */
bool validate_after(struct pass_manager *pm, const struct pass_info *info,
		    struct validate_state *now);

void validate_free(struct validation *v); /* accepts NULL */

#endif
