/*
 * Names of variables that a pass makes: a prefix and a counter that starts at
 * 0 in every run and skips what the module has. So a pass prints the same
 * whether it runs after another one or after a pipe.
 */
#ifndef RELAY_PASSES_FRESH_NAMES_H
#define RELAY_PASSES_FRESH_NAMES_H

#include <stdint.h>

#include "ir/module.h"
#include "passes/pass.h"
#include "support/vec.h"

struct fresh_names {
	ir_context *cx;
	const char *prefix; /* "x_"; static */
	uint32_t next;
	VEC(uint32_t) taken; /* numbers in use, rising */
	size_t at;           /* first of TAKEN not behind NEXT */
};

/* Look through all variables of M for names of PREFIX and a number. */
void fresh_names_init(struct fresh_names *f, const ir_module *m,
		      const char *prefix);
void fresh_names_free(struct fresh_names *f);

/*
 * The names of one run of a function pass, which all functions share. They are
 * its state (cx->state) and go with it.
 */
struct fresh_names *fresh_names_of_run(pass_ctx *cx, const char *prefix);

/* The next free name, interned. */
const char *fresh_name(struct fresh_names *f);

#endif
