/*
 * Reading targets.
 *
 * They may be written in words ("llvm -mcpu=cascadelake", "cuda -arch sm_80",
 * "opencl --device=adreno"), as TVM exports them in JSON ({"kind": "llvm",
 * "mcpu": "cascadelake"}), or as a tag ("nvidia/geforce-rtx-3090").
 */
#ifndef RELAY_PASSES_TARGET_TEXT_H
#define RELAY_PASSES_TARGET_TEXT_H

#include "support/arena.h"
#include "support/diag.h"

/*
 * The target TEXT, the value of OPTION ("--target"), as a kind and words
 * "-KEY=VALUE"; a text of that form comes back as it is. A host is the value
 * of "-host", which is in quotes and a target itself. NULL after reporting.
 * The result lives in A.
 */
const char *target_read(const char *option, const char *text, struct arena *a,
			struct diag *d);

#endif
