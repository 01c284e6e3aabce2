/*
 * PassContext: what passes and sequences of passes look at beside their own
 * options.
 */
#ifndef RELAY_PASSES_CONTEXT_H
#define RELAY_PASSES_CONTEXT_H

#include <stdbool.h>

#include "passes/pass.h"
#include "support/diag.h"
#include "support/options.h"

struct pass_context {
	int opt_level;        /* 2 */
	const bool *required; /* by index in pass_table; or NULL */
	const bool *disabled; /* wins over required */
	const char **config;  /* values by key; NULL: not set */
};

/* The default context, with room in A for what is set later. */
void pass_context_init(struct pass_context *cx, struct arena *a);

/* Take names of passes; false after reporting unknown ones. */
bool pass_context_require(struct pass_context *cx,
			  const struct option_list *names, struct arena *a,
			  struct diag *d);
bool pass_context_disable(struct pass_context *cx,
			  const struct option_list *names, struct arena *a,
			  struct diag *d);

/* Take "KEY=VALUE"; false after reporting what is wrong with it. */
bool pass_context_configure(struct pass_context *cx, const char *setting,
			    struct arena *a, struct diag *d);

/* The value of KEY, or NULL. */
const char *pass_context_get(const struct pass_context *cx, const char *key);

/* The value of the key that stands for an option of a pass, or NULL. */
const char *pass_context_option(const struct pass_context *cx,
				const struct pass_info *info,
				const char *option);

/* Is INFO in the list of required passes? */
bool pass_context_requires(const struct pass_context *cx,
			   const struct pass_info *info);

/* Does a sequence run INFO? Disabled: no; required: yes; else by level. */
bool pass_context_enables(const struct pass_context *cx,
			  const struct pass_info *info);

#endif
