/*
 * Looking at passes while they run: dumps, differences, timings, statistics.
 *
 * Everything here goes to the standard error or to files that options name,
 * never to the standard output.
 */
#ifndef RELAY_PASSES_INSTRUMENT_H
#define RELAY_PASSES_INSTRUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "ir/fwd.h"
#include "passes/debug_counter.h"
#include "passes/pass.h"
#include "passes/timing.h"
#include "support/buf.h"
#include "support/options.h"
#include "support/vec.h"

enum print_changed {
	CHANGED_OFF,
	CHANGED_TEXT,
	CHANGED_QUIET,
	CHANGED_DIFF,
	CHANGED_DIFF_QUIET,
	CHANGED_SIDE,
	CHANGED_DOT,
};

/* Options of the manager; rows of a table in passes/pass_options.h. */
struct pass_options {
	struct option_list print_before;
	struct option_list print_after;
	bool print_before_all;
	bool print_after_all;
	int print_changed;
	bool print_before_changed;
	struct option_list filter_funcs;
	struct option_list filter_passes;
	bool module_scope; /* always so; accepted */
	bool pass_numbers;
	const char *dump_directory;
	const char *dump_to;
	const char *info_file;
	bool verify_each;
	bool verify_spans;
	long long validate; /* runs; 0: none */
	long long validate_seed;
	bool debug;
	int time_passes; /* enum timing_format */
	int stats;       /* enum stats_format */
	const char *stop_after;
	long long bisect_limit; /* PASS_NO_BISECT: none */
	struct option_list remarks;
	struct option_list remarks_missed;
	const char *remarks_file;
	struct option_list debug_counters;
	const char *time_trace;
	const char *reproducer;
	long long opt_level;
	const char *target; /* "llvm" */
	struct option_list plugins;
	struct option_list required;
	struct option_list disabled;
	struct option_list config;
};

#define PASS_NO_BISECT (1LL << 62)
#define PASS_OPTIONS_DEFAULT \
	{.bisect_limit = PASS_NO_BISECT, .opt_level = 2, .target = "llvm"}

/* One run of a pass, for the index of --ir-dump-directory. */
struct pass_record {
	const struct pass_info *info;
	bool changed;
};

struct pass_instrument {
	VEC(struct pass_record) runs; /* run I has number I + 1 */
	struct buf before;            /* the module before the pass */
	struct buf reproducer;
	struct buf dumps;   /* for --dump-to */
	struct buf remarks; /* for --pass-remarks-output */
	struct timing timing;
	struct stats stats;
	long long bisected; /* runs counted by --opt-bisect-limit */
	VEC(struct debug_counter) counters; /* of --debug-counter */
	bool failed;                        /* a dump could not be written */
};

struct pass_manager;

/* A handler of messages that appends remarks to TEXT as lines of JSON. */
struct remark_sink {
	struct buf *text;
	const char *kind; /* "passed", "missed" */
};
void instrument_keep_remark(void *env, const struct diag_message *m);

/* Before the first pass, around each, after the last. */
void instrument_start(struct pass_manager *pm);
void instrument_before(struct pass_manager *pm, const struct pass_info *info);
void instrument_after(struct pass_manager *pm, const struct pass_info *info,
		      bool changed);
void instrument_end(struct pass_manager *pm);

/* Print the module as it is now, or TEXT, headed by TITLE. */
void instrument_dump(struct pass_manager *pm, const char *title);
/* Text as it is, where dumps go. */
void instrument_emit(struct pass_manager *pm, const struct buf *text);
void instrument_print(struct pass_manager *pm, const char *title,
		      const struct buf *text);

/*
 * May the next run happen under --opt-bisect-limit? Prints the decision.
 * FUNCTION is NULL for a module pass.
 */
bool instrument_allows(struct pass_manager *pm, const struct pass_info *info,
		       const char *function);

/* Does LIST have NAME, or a pattern for it? */
bool instrument_lists_name(const struct option_list *list, const char *name);

/* Is PASS (a flag or any other of its names, or '*') in the list? */
bool instrument_lists_pass(const struct option_list *list,
			   const struct pass_info *info);

#endif
