/*
 * Running a network: by the evaluator, as machine code in memory, or from a
 * shared library.
 */
#ifndef RELAY_CODEGEN_RUNNER_H
#define RELAY_CODEGEN_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

#include "codegen/bangc/bangc.h"
#include "codegen/interface.h"
#include "codegen/llvm/llvm.h"
#include "ir/fwd.h"
#include "ir/tensor.h"
#include "support/diag.h"

struct runner;

/*
 * Each takes a module whose main is a list of calls, and X, its interface;
 * both are borrowed until the runner is freed. NULL after reporting to D.
 * THREADS: 0 is one for each CPU.
 */
struct runner *runner_interp(const ir_module *m, const struct interface *x,
			     struct diag *d);
struct runner *runner_jit(const ir_module *m, const struct interface *x,
			  const struct llvm_options *o, int threads,
			  struct diag *d);

/*
 * BANG-C on the emulated machine, built by the system's C++ compiler. M was
 * lowered for the target "bang".
 */
struct runner *runner_bang(const ir_module *m, const struct interface *x,
			   const struct bangc_options *o, struct diag *d);

/* The library at PATH; its interface is read from it into *X, in A. */
struct runner *runner_library(const char *path, struct interface *x,
			      struct arena *a, int threads, struct diag *d);
void runner_free(struct runner *r); /* accepts NULL */

/*
 * Run over the inputs IN; the outputs are written to OUT, whose tensors the
 * caller made. Where shapes are known at run time only, OUT gets new tensors,
 * and gives back those that were in it (NULL at first). False after reporting.
 */
bool runner_run(struct runner *r, ir_tensor *const *in, ir_tensor **out);

#endif
