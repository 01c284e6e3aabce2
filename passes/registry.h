/*
 * The table of passes and the names they are called by.
 */
#ifndef RELAY_PASSES_REGISTRY_H
#define RELAY_PASSES_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "passes/pass.h"
#include "support/buf.h"
#include "support/suggest.h"

extern const struct pass_info pass_table[];
extern const size_t pass_table_len;

/*
 * The passes of the table, then those of plugins: number I (NULL after the
 * last), the number of INFO, how many there are.
 */
const struct pass_info *pass_at(size_t i);
size_t pass_number(const struct pass_info *info);
size_t pass_total(void);

/*
 * Add a pass, which lives to the end of the process; before any context is
 * made. False: a name is taken, or there are too many.
 */
bool pass_add(const struct pass_info *info);

/*
 * The pass that NAME means: its flag, TVM's constructor or PassInfo name, or a
 * short name; case, '-' and '_' do not count. NULL if there is none.
 */
const struct pass_info *pass_find(const char *name, size_t len);

/* Where NAME stands in the options of INFO, or -1. */
int pass_option_index(const struct pass_info *info, const char *name,
		      size_t len);

/* Flags and short names in order; NULL after the last one. */
const char *pass_flag(size_t i);

/* Offer all passes, spelt as TVM does if the word looks so. */
void pass_suggest(struct suggest *s);

/* The text of --print-passes, and of --print-passes=json. */
void pass_list(struct buf *out);
void pass_list_json(struct buf *out);

/* One pass with its options, for --help=pass:NAME. */
void pass_describe(struct buf *out, const struct pass_info *info);

#endif
