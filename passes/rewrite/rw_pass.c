#include "passes/rewrite/rw_pass.h"

#include <string.h>

/* What a run of a pass keeps. */
struct state {
	struct source source;
	struct rw_file file;
	struct rw_set *set; /* NULL: the rules are wrong */
};

static void
free_state(void *p)
{
	struct state *s = p;

	rw_set_free(s->set);
	rw_file_free(&s->file);
	source_free(&s->source);
	free(s);
}

/* The rules of s->source; messages point into it. */
static void
read_rules(pass_ctx *cx, struct state *s,
	   bool (*wanted)(const struct rw_rule *r, void *env), void *env)
{
	struct diag d = *cx->diag;

	d.source = &s->source;
	d.span_of = NULL;
	if (rw_read(&s->file, cx->module->cx, &s->source, &d))
		s->set = rw_set_new(&s->file, wanted, env);
	else
		cx->failed = true;
	cx->diag->errors = d.errors;
	cx->diag->warnings = d.warnings;
	cx->diag->stopped = d.stopped;
}

static struct state *
new_state(pass_ctx *cx)
{
	struct state *s = xcalloc(1, sizeof(*s));

	cx->state = s;
	cx->free_state = free_state;
	return s;
}

static const struct ir_function *
run(pass_ctx *cx, const struct ir_function *fn, const struct rw_options *o)
{
	const struct state *s = cx->state;

	if (!s->set)
		return fn;
	return ir_as_function(rw_set_run(s->set, cx, &fn->base, o));
}

const struct ir_function *
rw_pass(pass_ctx *cx, const struct ir_function *fn, const char *text,
	bool (*wanted)(const struct rw_rule *r, void *env),
	const struct rw_options *o)
{
	if (!cx->state) {
		struct state *s = new_state(cx);

		source_init(&s->source, cx->info->flag, text, strlen(text));
		read_rules(cx, s, wanted, NULL);
	}
	return run(cx, fn, o);
}

const struct ir_function *
rw_pass_file(pass_ctx *cx, const struct ir_function *fn, const char *path,
	     bool (*wanted)(const struct rw_rule *r, void *env), void *env,
	     const struct rw_options *o)
{
	if (!cx->state) {
		struct state *s = new_state(cx);
		const char *reason;

		if (source_open(&s->source, path, &reason))
			read_rules(cx, s, wanted, env);
		else
			pass_error(cx, LOC_NONE, "cannot read '%s': %s", path,
				   reason);
	}
	return run(cx, fn, o);
}
