/*
 * rewrite: apply rules that a user wrote, from a file.
 *
 *     relay-opt --rewrite=my.rules net.relay
 *     relay-opt --rewrite='rules=my.rules;only=drop-dropout' net.relay
 *
 * docs/rewrites.md tells the language of the file.
 *
 * Level: function. Needs: types.
 */
#include "passes/pass.h"
#include "passes/rewrite/rw_pass.h"

#include <string.h>

/* Is the rule one of those that the option lists, by commas? */
static bool
is_listed(const struct rw_rule *r, void *env)
{
	const char *list = env;
	size_t len = strlen(r->name);

	for (const char *p = list; *p; p += strcspn(p, ",")) {
		p += *p == ',';
		if (strncmp(p, r->name, len) == 0 &&
		    (p[len] == ',' || p[len] == '\0'))
			return true;
	}
	return *list == '\0';
}

const struct ir_function *
pass_rewrite(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct rw_options o = {.reassoc = pass_option_bool(cx, "reassoc")};
	const char *path = pass_option(cx, "rules");
	const char *only = pass_option(cx, "only");

	(void)def;
	if (!*path) {
		pass_error(cx, LOC_NONE,
			   "option 'rules' is needed: the file of the rules");
		return fn;
	}
	return rw_pass_file(cx, fn, path, is_listed, (void *)(uintptr_t)only,
			    &o);
}
