/*
 * Kinds of targets, and tags: names of machines.
 *
 * A target is a text like "cuda -arch=sm_80": a kind, and what is for those who
 * read it; which processors and features an "llvm" may name, the code generator
 * knows.
 */
#ifndef RELAY_PASSES_TARGET_KIND_H
#define RELAY_PASSES_TARGET_KIND_H

#include <stdbool.h>

#include "support/buf.h"
#include "support/diag.h"

/* The kind of device that TARGET is for (1: CPU, 2: CUDA, ..); -1: unknown. */
int target_device_type(const char *target);

/* The target that tag NAME stands for, or NULL. */
const char *target_tag_text(const char *name);

/*
 * Is KIND one that there is? If not, report that OPTION ("--target") names
 * none, with those that there are.
 */
bool target_check_kind(const char *option, const char *kind, struct diag *d);

/* The topic "targets" of --help. */
void target_list(struct buf *out);

#endif
