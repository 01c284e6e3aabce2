/*
 * Rows of an option table for what the pass manager offers: a tool has a
 * struct pass_options in its own struct and puts PASS_OPTIONS in its table.
 */
#ifndef RELAY_PASSES_PASS_OPTIONS_H
#define RELAY_PASSES_PASS_OPTIONS_H

#include <stddef.h>

#include "passes/instrument.h"
#include "support/options.h"

#define PASS_FIELD(type, member, field) \
	(offsetof(type, member) + offsetof(struct pass_options, field))

/* clang-format off */
#define PASS_OPTIONS(type, member)                                             \
	{ "disable-pass", OPTION_LIST, PASS_FIELD(type, member, disabled),     \
	  "A,B", NULL, "passes that sequences leave out", 0 },                 \
	{ "required-pass", OPTION_LIST, PASS_FIELD(type, member, required),    \
	  "A,B", NULL, "passes that sequences run at any level",\
	  OPTION_HIDDEN },          \
	{ "pass-config", OPTION_EACH, PASS_FIELD(type, member, config),        \
	  "KEY=VALUE", NULL, "set a key, e.g. relay.FuseOps.max_depth=64",     \
	  0 },                                                                 \
	{ "opt-level", OPTION_NUMBER, PASS_FIELD(type, member, opt_level),     \
	  "N", NULL, "level of the context, for passes that ask (2)",          \
	  OPTION_HIDDEN },                                                     \
	{ "target", OPTION_TEXT, PASS_FIELD(type, member, target), "STR",      \
	  NULL, "target of passes: words, JSON or tag (llvm)", 0 },            \
	{ "load-plugin", OPTION_EACH, PASS_FIELD(type, member, plugins),       \
	  "FILE.so", NULL, "take operators and passes from a plugin", 0 },     \
	{ "load-pass-plugin", OPTION_EACH, PASS_FIELD(type, member, plugins),  \
	  "FILE.so", NULL, "same as --load-plugin", OPTION_ALIAS },            \
	{ "Looking at passes", OPTION_HEADING, 0, NULL, NULL, NULL, 0 },       \
	{ "print-before", OPTION_LIST, PASS_FIELD(type, member, print_before), \
	  "L", NULL, "print before these passes or run numbers", 0 },          \
	{ "print-after", OPTION_LIST, PASS_FIELD(type, member, print_after),   \
	  "L", NULL, "print after these passes or run numbers", 0 },           \
	{ "print-before-all", OPTION_FLAG,                                     \
	  PASS_FIELD(type, member, print_before_all), NULL, NULL,              \
	  "print before each pass", OPTION_HIDDEN },                           \
	{ "print-after-all", OPTION_FLAG,                                      \
	  PASS_FIELD(type, member, print_after_all), NULL, NULL,               \
	  "print after each pass", 0 },                                        \
	{ "print-changed", OPTION_CHOICE,                                      \
	  PASS_FIELD(type, member, print_changed),                             \
	  "off|text|quiet|diff|diff-quiet|side|dot", "text",                            \
	  "print after passes that changed something", 0 },                    \
	{ "print-before-changed", OPTION_FLAG,                                 \
	  PASS_FIELD(type, member, print_before_changed), NULL, NULL,          \
	  "with --print-changed, print the state before, too",                 \
	  OPTION_HIDDEN },                                                     \
	{ "print-module-scope", OPTION_FLAG,                                   \
	  PASS_FIELD(type, member, module_scope), NULL, NULL,                  \
	  "print whole modules (always so)", OPTION_HIDDEN },                  \
	{ "print-pass-numbers", OPTION_FLAG,                                   \
	  PASS_FIELD(type, member, pass_numbers), NULL, NULL,                  \
	  "number the runs in the titles of dumps", OPTION_HIDDEN },           \
	{ "filter-print-funcs", OPTION_LIST,                                   \
	  PASS_FIELD(type, member, filter_funcs), "NAME,..", NULL,             \
	  "print only these functions (globs)", OPTION_HIDDEN },             \
	{ "filter-passes", OPTION_LIST,                                        \
	  PASS_FIELD(type, member, filter_passes), "L", NULL,                  \
	  "with --print-changed, only these passes", OPTION_HIDDEN },          \
	{ "ir-dump-directory", OPTION_TEXT,                                    \
	  PASS_FIELD(type, member, dump_directory), "DIR", NULL,               \
	  "write the module after each pass into DIR", 0 },                    \
	{ "dump-to", OPTION_TEXT, PASS_FIELD(type, member, dump_to), "FILE",   \
	  NULL, "write dumps to FILE instead of the standard error",           \
	  OPTION_HIDDEN },                                                     \
	{ "verify-each", OPTION_FLAG, PASS_FIELD(type, member, verify_each),   \
	  NULL, NULL, "check form and types after each pass", 0 },             \
	{ "verify-spans", OPTION_FLAG, PASS_FIELD(type, member, verify_spans), \
	  NULL, NULL, "name passes that lose places in the text",              \
	  OPTION_HIDDEN },                                                     \
	{ "validate-each", OPTION_NUMBER, PASS_FIELD(type, member, validate),  \
	  "N", "2", "compare results on N inputs after each pass", 0 }, \
	{ "validate-seed", OPTION_NUMBER,                                      \
	  PASS_FIELD(type, member, validate_seed), "N", NULL,                  \
	  "where the random inputs come from (0)", OPTION_HIDDEN },            \
	{ "debug-pass-manager", OPTION_FLAG, PASS_FIELD(type, member, debug),  \
	  NULL, NULL, "say which pass runs on what", OPTION_HIDDEN },          \
	{ "time-passes", OPTION_CHOICE,                                        \
	  PASS_FIELD(type, member, time_passes), "off|list|tree|json",         \
	  "list", "print the time that passes took", 0 },                      \
	{ "stats", OPTION_CHOICE, PASS_FIELD(type, member, stats),             \
	  "off|text|json", "text", "print what passes counted", 0 },           \
	{ "info-output-file", OPTION_TEXT,                                     \
	  PASS_FIELD(type, member, info_file), "FILE", NULL,                   \
	  "write times and statistics to FILE", OPTION_HIDDEN },               \
	{ "pass-remarks", OPTION_LIST, PASS_FIELD(type, member, remarks), "L", \
	  "*", "show remarks of these passes", 0 },                            \
	{ "pass-remarks-missed", OPTION_LIST,                                  \
	  PASS_FIELD(type, member, remarks_missed), "L", "*",                  \
	  "of those, only what was not done", OPTION_HIDDEN },                   \
	{ "pass-remarks-output", OPTION_TEXT,                                  \
	  PASS_FIELD(type, member, remarks_file), "FILE", NULL,                \
	  "write remarks to FILE, a JSON object per line", OPTION_HIDDEN },    \
	{ "time-trace", OPTION_TEXT, PASS_FIELD(type, member, time_trace),     \
	  "FILE", NULL, "write times to FILE for a trace viewer", OPTION_HIDDEN },                                                                 \
	{ "debug-counter", OPTION_EACH,                                        \
	  PASS_FIELD(type, member, debug_counters), "PASS=A-B", NULL,          \
	  "do only rewrites A to B of PASS (1-3:5 joins ranges)",              \
	  OPTION_HIDDEN },                                                     \
	{ "stop-after", OPTION_TEXT, PASS_FIELD(type, member, stop_after),     \
	  "PASS", NULL, "run nothing after the first PASS", 0 },               \
	{ "opt-bisect-limit", OPTION_NUMBER,                                   \
	  PASS_FIELD(type, member, bisect_limit), "INT", NULL,                 \
	  "run passes up to number N only (-1: all, but count)",               \
	  OPTION_HIDDEN },                                                     \
	{ "crash-reproducer", OPTION_TEXT,                                     \
	  PASS_FIELD(type, member, reproducer), "FILE", NULL,                  \
	  "when a pass fails, write its input to FILE", OPTION_HIDDEN },
/* clang-format on */

#endif
