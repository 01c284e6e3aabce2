/*
 * Delta debugging: smaller modules and pipelines that still show something.
 *
 * A state is text. A delta is a kind of edit with numbered sites; a candidate
 * is a state with the edit done at some of them, and counts only if it reads
 * back and types check. What a candidate shows, an oracle decides.
 */
#ifndef RELAY_PASSES_REDUCE_REDUCE_H
#define RELAY_PASSES_REDUCE_REDUCE_H

#include <stdbool.h>
#include <stddef.h>

#include "ir/module.h"
#include "passes/instrument.h"
#include "passes/pipeline.h"
#include "support/buf.h"
#include "support/diag.h"
#include "support/options.h"

struct reduce_state {
	struct buf pipeline; /* empty: none */
	struct buf module;
	const char *options; /* for its first line, borrowed; or NULL */
	size_t nodes;
	size_t steps; /* of the pipeline */
};

void reduce_state_free(struct reduce_state *s);

/* The state as a file: the pipeline as a first line, the module. */
void reduce_state_text(struct buf *out, const struct reduce_state *s);

/* An edit at work. */
struct reduce_edit {
	ir_module *m;
	struct pass_pipeline *pipeline;
	struct arena *arena;
	size_t next; /* sites met so far */
	size_t from; /* sites to edit */
	size_t to;
	bool changed;
};

/* The edit meets a site: shall it be edited? */
bool reduce_site(struct reduce_edit *x);

struct reduce_delta {
	const char *name;
	const char *summary;
	/*
	 * Meets all sites in an order that depends on the state alone. The
	 * module is a copy that is printed and thrown away.
	 */
	void (*edit)(struct reduce_edit *x);
	bool on_pipeline;
};

extern const struct reduce_delta reduce_deltas[];
extern const size_t reduce_ndeltas;

/* Edits of the structure of functions, of values, and of pipelines. */
void reduce_drop_functions(struct reduce_edit *x);
void reduce_drop_types(struct reduce_edit *x);
void reduce_take_part(struct reduce_edit *x);
void reduce_drop_outputs(struct reduce_edit *x);
void reduce_cut(struct reduce_edit *x);
void reduce_take_operand(struct reduce_edit *x);
void reduce_put_zeros(struct reduce_edit *x);
void reduce_inline_lets(struct reduce_edit *x);
void reduce_drop_params(struct reduce_edit *x);
void reduce_shrink_shapes(struct reduce_edit *x);
void reduce_simplify_constants(struct reduce_edit *x);
void reduce_simplify_dtypes(struct reduce_edit *x);
void reduce_drop_attributes(struct reduce_edit *x);
void reduce_drop_annotations(struct reduce_edit *x);
void reduce_drop_steps(struct reduce_edit *x);
void reduce_unwrap_steps(struct reduce_edit *x);
void reduce_drop_options(struct reduce_edit *x);

struct reduce_oracle {
	const char *command; /* a shell command, or NULL */
	struct option_list arguments;
	bool crash;                 /* no command: passes crash */
	bool miscompile;            /* no command: passes change results */
	struct pass_options passes; /* no command: for these passes */
	bool no_infer;
	bool allow_unknown_ops; /* in candidates */
	long long timeout;      /* seconds for one test; 0: any */
	bool verbose;
	bool probe;            /* report a command that cannot be run */
	const char *directory; /* for candidates */
};

/*
 * Are these N states interesting? Up to N tests run at once; the index of the
 * first interesting one, or N.
 */
size_t reduce_ask(const struct reduce_oracle *o,
		  const struct reduce_state *states, size_t n, struct diag *d);

struct reduce_options {
	struct option_list deltas; /* empty: all */
	struct option_list skipped;
	long long iterations;
	long long jobs;
	bool abort_on_invalid;
	bool verbose;
	/* Called with each better state; false: give up. */
	bool (*save)(const struct reduce_state *s, void *env);
	void *env;
};

struct reduce_result {
	size_t nodes_before;
	size_t nodes_after;
	size_t steps_before;
	size_t steps_after;
	size_t tests;
};

enum reduce_outcome { REDUCE_DONE, REDUCE_FAILED, REDUCE_NOT_INTERESTING };

/* Make S as small as can be; errors are reported to D. */
enum reduce_outcome reduce_run(struct reduce_state *s,
			       const struct reduce_oracle *oracle,
			       const struct reduce_options *o,
			       struct reduce_result *r, struct diag *d);

#endif
