#include "passes/command_line.h"

#include <string.h>

#include "passes/registry.h"
#include "passes/target_kind.h"

bool
pass_command_line_take(void *env, const char *name, const char *value)
{
	struct pass_command_line *c = env;
	struct tool *t = c->tool;
	const struct pass_info *info = pass_find(name, strlen(name));
	struct pass_step *last;
	const char *key = name;

	if (!c->initialised)
		pass_pipeline_init(&c->flags);
	c->initialised = true;
	if (info) {
		c->last_flag = name;
		pass_pipeline_add(&c->flags, info, name, value, &t->arena,
				  &t->diag);
		return true;
	}
	last = pass_pipeline_last(&c->flags);
	if (!value && strncmp(key, "no-", 3) == 0)
		key += 3;
	if (!last || pass_option_index(last->info, key, strlen(key)) < 0)
		return false;
	pass_step_set(last, name, value, &t->arena, &t->diag);
	return true;
}

static bool
parse_text(struct pass_pipeline *p, const char *text, struct tool *t)
{
	struct source s;
	const char *reason;
	bool ok;

	if (*text != '@') {
		source_init(&s, NULL, text, strlen(text));
	} else if (!source_open(&s, text + 1, &reason)) {
		diag_error(&t->diag, LOC_NONE, "cannot read '%s': %s", text + 1,
			   reason);
		return false;
	}
	ok = pass_pipeline_parse(p, &s, &t->arena, &t->diag);
	source_free(&s);
	return ok;
}

/* Say how to write in one string what was said in several ways. */
static void
report_mixture(struct pass_command_line *c, const char *level, const char *text)
{
	struct tool *t = c->tool;
	struct buf all = {0};
	const char *comma = "";

	if (level) {
		buf_printf(&all, "default<O%s>", level);
		comma = ",";
	}
	if (text) {
		buf_printf(&all, "%s%s", comma, text);
		comma = ",";
	}
	if (c->flags.first) {
		buf_puts(&all, comma);
		pass_pipeline_print(&all, &c->flags, NULL);
	}
	diag_error(&t->diag, LOC_NONE,
		   "-O, --passes and flags of passes exclude each other; use "
		   "--passes='%s'",
		   all.at);
	buf_free(&all);
}

bool
pass_command_line_pipeline(struct pass_command_line *c, const char *level,
			   const char *text, struct pass_pipeline *p)
{
	struct tool *t = c->tool;
	bool has_flags = c->initialised && c->flags.first;

	pass_pipeline_init(p);
	if ((level != NULL) + (text != NULL) + has_flags > 1) {
		report_mixture(c, level, text);
		return false;
	}
	if (level && (strlen(level) != 1 || *level < '0' || *level > '4')) {
		diag_error(&t->diag, LOC_NONE,
			   "option '-O' takes a level from 0 to 4, not '%s'",
			   level);
		return false;
	}
	if (level)
		return parse_text(
			p, arena_printf(&t->arena, "default<O%s>", level), t);
	if (text)
		return parse_text(p, text, t);
	if (has_flags)
		*p = c->flags;
	return true;
}

bool
pass_help(struct buf *out, const char *topic)
{
	const struct pass_info *info;

	if (strcmp(topic, "passes") == 0) {
		pass_list(out);
		return true;
	}
	if (strcmp(topic, "pipelines") == 0) {
		pass_list_pipelines(out);
		return true;
	}
	if (strcmp(topic, "targets") == 0) {
		target_list(out);
		return true;
	}
	if (strncmp(topic, "pass:", 5) != 0)
		return false;
	info = pass_find(topic + 5, strlen(topic + 5));
	if (info)
		pass_describe(out, info);
	return info != NULL;
}
