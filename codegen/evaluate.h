/*
 * Running modules that are more than a list of kernel calls: with control
 * flow, closures, data types, references, recursion; or operators that cannot
 * be compiled for unknown dimensions. The evaluator of Relay runs them (te/interp.h).
 */
#ifndef RELAY_CODEGEN_EVALUATE_H
#define RELAY_CODEGEN_EVALUATE_H

#include <stdbool.h>
#include <stdint.h>

#include "codegen/feed.h"
#include "ir/expr.h"
#include "ir/module.h"

/* Kernels in a row will not do for MAIN, which is typed. */
bool evaluate_is_needed(const struct ir_function *main);

/* The same of FN, if the functions that it calls were inlined. */
bool evaluate_is_needed_inlined(const struct ir_function *fn);

/* Some dimension in MAIN, which is typed, is known at run time only. */
bool evaluate_has_sizes(const struct ir_function *main);

/*
 * Call the definition MAIN with what F has for its parameters. The tensors of
 * the result, depth-first through tuples and data, are the caller's, as is
 * the array, to be freed. False after reporting.
 */
bool evaluate_main(ir_module *m, const ir_def *main, struct feed *f,
		   ir_tensor ***out, uint32_t *n);

#endif
