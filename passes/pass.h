/*
 * What a pass sees: its context, its options, and the functions that it may
 * use. The manager (passes/manager.h) does everything around a pass:
 * prerequisites, verification, printing, timing.
 */
#ifndef RELAY_PASSES_PASS_H
#define RELAY_PASSES_PASS_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/expr.h"
#include "ir/infer.h"
#include "ir/module.h"
#include "ir/rewrite.h"
#include "ir/walk.h"
#include "support/arena.h"
#include "support/diag.h"

typedef struct pass_ctx pass_ctx;
struct pass_info;

/*
 * A pass returns whether it changed anything. A failure is reported with
 * pass_error and leaves the module as it was.
 *
 * A function pass is called for each Relay function that may be optimised (no
 * Compiler, Extern or SkipOptimization attribute). It returns the new
 * function, or FN itself. The manager stores the results after the last one,
 * so no call sees another's result, and then infers types again.
 */
typedef const struct ir_function *
pass_function_fn(pass_ctx *cx, ir_def *def, const struct ir_function *fn);
typedef bool pass_module_fn(pass_ctx *cx);

/* An analysis looks at the module, prints or complains, and returns false. */
typedef pass_module_fn pass_analysis_fn;

enum pass_kind { PASS_FUNCTION, PASS_MODULE, PASS_ANALYSIS };

enum pass_needs {
	PASS_NEEDS_NOTHING = 0,
	PASS_NEEDS_TYPES = 1, /* the manager infers them if stale */
};

/* An option of a pass: a row OPT(...) in passes.def. */
struct pass_option {
	const char *name; /* "max-depth" */
	const char *default_text;
	const char *summary;
};

struct pass_info {
	const char *flag; /* "fuse-ops" */
	const char *name; /* TVM's: "FuseOps" */
	enum pass_kind kind;
	int opt_level;
	unsigned needs;       /* pass_needs */
	const char *required; /* TVM's required passes, by commas */
	const char *summary;
	const struct pass_option *options; /* up to one without name */
	pass_function_fn *run_function;
	pass_module_fn *run_module; /* of an analysis, too */
};

struct pass_ctx {
	ir_module *module;
	struct diag *diag;
	struct arena *scratch; /* emptied after the pass */
	const struct pass_info *info;
	const char *const *values;    /* of the options; NULL: default */
	struct pass_manager *manager; /* context: level, config */
	bool failed;                  /* set by pass_error */
	bool keeps_types;             /* a module pass left all types there */
	/* Kept from function to function of one run; freed after the last. */
	void *state;
	void (*free_state)(void *state);
};

/*
 * The context for pass INFO that the pass of CX runs as a part of it, with
 * these options or (NULL) its defaults. What it kept goes at the end.
 */
pass_ctx pass_part(const pass_ctx *cx, const struct pass_info *info,
		   const char *const *values);
void pass_part_end(pass_ctx *cx, pass_ctx *part);

/* The value of an option of this pass, or its default. */
const char *pass_option(pass_ctx *cx, const char *name);
int64_t pass_option_int(pass_ctx *cx, const char *name);
bool pass_option_bool(pass_ctx *cx, const char *name);

/* Operators by commas, each CHOSEN by its id; false after reporting. */
bool pass_option_ops(pass_ctx *cx, const char *name, bool chosen[OP_COUNT]);

/* PassContext: optimisation level, and a key of --pass-config (or NULL). */
int pass_opt_level(pass_ctx *cx);
const char *pass_config(pass_ctx *cx, const char *key);

/* What --target says, as target_read gives it; "llvm" by default. */
const char *pass_target(pass_ctx *cx);

/* The same of TEXT, the value of OPTION of this pass. NULL after reporting. */
const char *pass_read_target(pass_ctx *cx, const char *option,
			     const char *text);

/* Report at LOC; the manager adds the name of the pass. Sets cx->failed. */
void pass_error(pass_ctx *cx, struct loc loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void pass_warning(pass_ctx *cx, struct loc loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void pass_remark(pass_ctx *cx, struct loc loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* What an analysis found. */
void pass_note(pass_ctx *cx, struct loc loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same as text of several lines, printed where dumps go under TITLE. */
struct buf;
void pass_print(pass_ctx *cx, const char *title, const struct buf *text);

/*
 * The same about what the pass did not do, and why. Ask first whether anyone
 * listens where the reason costs something to find.
 */
void pass_remark_missed(pass_ctx *cx, struct loc loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
bool pass_wants_remarks(pass_ctx *cx);
bool pass_wants_missed_remarks(pass_ctx *cx);

/*
 * May the pass do the rewrite that it is about to do? --debug-counter numbers
 * them from 1; a pass asks once for each.
 */
bool pass_may_rewrite(pass_ctx *cx);

/* Add N to the statistic WHAT of this pass (--stats). */
void pass_count(pass_ctx *cx, const char *what, unsigned n);

/* Entry points: one per row of passes.def, named after its flag. */
#define PASS(kind, id, ...) pass_##kind##_fn pass_##id;
#define OPT(...)
#include "passes/passes.def"

#endif
