/*
 * The evaluator: runs loops, and Relay modules, without generating code.
 *
 * It is the reference that compiled code is compared with, and what folds
 * constants. Every access to memory is checked.
 */
#ifndef RELAY_TE_EVAL_H
#define RELAY_TE_EVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/fwd.h"
#include "ir/tensor.h"
#include "support/diag.h"

/* Memory that a kernel may use. */
struct eval_span {
	void *data;
	size_t nbytes;
};

/* Kernels of one module, compiled for the evaluator when first called. */
struct eval_machine;
struct eval_machine *eval_machine_new(const ir_module *m, struct diag *d);
void eval_machine_free(struct eval_machine *x); /* accepts NULL */

/*
 * Run F over ARGS, the memory behind its parameters. False after reporting
 * an access out of bounds, a failed assertion or what is not supported.
 */
bool eval_run_tir(struct eval_machine *x, const tir_func *f,
		  const struct eval_span *args, uint32_t n);

#endif
