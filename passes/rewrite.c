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

/* The option "only": names by commas, and which of them there were. */
struct filter {
	const char *list;
	bool *found;
	bool asked; /* there are rules */
};

static bool
is_listed(const struct rw_rule *r, void *env)
{
	struct filter *f = env;
	size_t len = strlen(r->name);
	size_t i = 0;

	f->asked = true;
	for (const char *p = f->list; *p; p += strcspn(p, ","), i++) {
		p += *p == ',';
		if (strncmp(p, r->name, len) == 0 &&
		    (p[len] == ',' || p[len] == '\0')) {
			f->found[i] = true;
			return true;
		}
	}
	return *f->list == '\0';
}

static void
report_missing(pass_ctx *cx, const struct filter *f)
{
	size_t i = 0;

	for (const char *p = f->list; *p; p += strcspn(p, ","), i++) {
		p += *p == ',';
		if (!f->found[i])
			pass_error(cx, LOC_NONE, "there is no rule \"%.*s\"",
				   (int)strcspn(p, ","), p);
	}
}

const struct ir_function *
pass_rewrite(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct rw_options o = {.reassoc = pass_option_bool(cx, "reassoc")};
	const char *path = pass_option(cx, "rules");
	struct filter only = {.list = pass_option(cx, "only")};
	bool first = !cx->state;

	(void)def;
	if (!*path) {
		pass_error(cx, LOC_NONE,
			   "option 'rules' is needed: the file of the rules");
		return fn;
	}
	only.found = ARENA_NEW_ARRAY(cx->scratch, strlen(only.list) + 1, bool);
	fn = rw_pass_file(cx, fn, path, is_listed, &only, &o);
	if (first && only.asked)
		report_missing(cx, &only);
	return fn;
}
