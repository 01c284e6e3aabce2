/*
 * Kinds of targets: the first word of a text like "cuda -arch=sm_80".
 *
 * What follows the first word is for those who read it; which processors and
 * features an "llvm" may name, the code generator knows.
 */
#ifndef RELAY_PASSES_TARGET_KIND_H
#define RELAY_PASSES_TARGET_KIND_H

#include <stdbool.h>

#include "support/diag.h"

/* The kind of device that TARGET is for (1: CPU, 2: CUDA, ..); -1: unknown. */
int target_device_type(const char *target);

/*
 * Is the kind of TARGET one that there is? If not, report that OPTION
 * ("--target") names none, with those that there are.
 */
bool target_check(const char *option, const char *target, struct diag *d);

#endif
