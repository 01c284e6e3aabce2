#include "passes/rewrite/rw_pass.h"

#include <string.h>

struct state {
	struct source source;
	struct rw_file file;
	struct rw_set *set;
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

static struct state *
read_rules(pass_ctx *cx, const char *text)
{
	struct state *s = xcalloc(1, sizeof(*s));
	struct diag d = *cx->diag;
	bool ok;

	cx->state = s;
	cx->free_state = free_state;
	source_init(&s->source, cx->info->flag, text, strlen(text));
	d.source = &s->source;
	d.span_of = NULL;
	ok = rw_read(&s->file, cx->module->cx, &s->source, &d);
	assert(ok);
	(void)ok;
	return s;
}

const struct ir_function *
rw_pass(pass_ctx *cx, const struct ir_function *fn, const char *text,
	bool (*wanted)(const struct rw_rule *r, void *env),
	const struct rw_options *o)
{
	struct state *s = cx->state;

	if (!s) {
		s = read_rules(cx, text);
		s->set = rw_set_new(&s->file, wanted, NULL);
	}
	return ir_as_function(rw_set_run(s->set, cx, &fn->base, o));
}
