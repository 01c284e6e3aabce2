/*
 * The pass manager: runs a pipeline over a module, and everything around a
 * pass: prerequisites, types, printing, verifying, timing, bisecting.
 *
 * A pass that the pipeline names runs whatever its level; inside a sequence
 * the context decides, and passes that it requires run first. A pass that
 * needs types gets them: they are inferred if they are stale. After a function
 * pass the whole module is inferred again, after a module pass it is not.
 */
#ifndef RELAY_PASSES_MANAGER_H
#define RELAY_PASSES_MANAGER_H

#include <stdbool.h>

#include "ir/fwd.h"
#include "ir/print.h"
#include "passes/context.h"
#include "passes/instrument.h"
#include "passes/pass.h"
#include "passes/pipeline.h"

struct pass_manager {
	ir_module *module; /* borrowed */
	struct diag *diag; /* borrowed */
	struct pass_context context;
	const struct pass_options *options; /* borrowed */
	const char *target;                 /* as target_read gives it */
	struct print_options print;         /* how dumps look */
	struct pass_instrument instrument;
	struct arena scratch;
	size_t compact_at; /* bytes of the module's arena; 0: default */
	const char *only;  /* function<..>: which; NULL: all */
	unsigned depth;    /* of sequences, for timing */
	bool stopped;      /* --stop-after was reached */
	bool step_changed; /* the step before changed the module */
	struct validation *validation; /* of --validate-each; or NULL */
	struct validate_cache *cache;  /* borrowed; may be NULL */
	struct validate_state *state;  /* of the module now, or NULL */
	bool results_differ;           /* as --validate-each found */
	bool no_infer;                 /* how M came about, for reproducers */
	bool allow_unknown_ops;
};

/* The parts of OPTIONS that the context takes; false after reporting. */
bool pass_manager_init(struct pass_manager *pm, struct diag *d,
		       const struct pass_options *options, struct arena *a);

/*
 * Run P over M. Unless NO_INFER, types are inferred first. False after an
 * error; M is then what it was before the pass that failed.
 */
bool pass_manager_run(struct pass_manager *pm, const struct pass_pipeline *p,
		      ir_module *m, bool no_infer);

/* Print timings and statistics, write the index of dumps; free PM. */
bool pass_manager_end(struct pass_manager *pm);

#endif
