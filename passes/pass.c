/*
 * The functions of passes/pass.h: how a pass asks its manager.
 */
#include "passes/pass.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "passes/manager.h"

const char *
pass_option(pass_ctx *cx, const char *name)
{
	const struct pass_option *o = cx->info->options;
	const char *config;
	size_t i = 0;

	while (o[i].name && strcmp(o[i].name, name) != 0)
		i++;
	assert(o[i].name);
	if (cx->values && cx->values[i])
		return cx->values[i];
	config = pass_context_option(&cx->manager->context, cx->info, name);
	return config ? config : o[i].default_text;
}

int64_t
pass_option_int(pass_ctx *cx, const char *name)
{
	return strtoll(pass_option(cx, name), NULL, 10);
}

bool
pass_option_bool(pass_ctx *cx, const char *name)
{
	return strcmp(pass_option(cx, name), "true") == 0;
}

int
pass_opt_level(pass_ctx *cx)
{
	return cx->manager->context.opt_level;
}

const char *
pass_config(pass_ctx *cx, const char *key)
{
	return pass_context_get(&cx->manager->context, key);
}

const char *
pass_target(pass_ctx *cx)
{
	return cx->manager->options->target;
}

void
pass_error(pass_ctx *cx, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_report(cx->diag, DIAG_ERROR, loc, fmt, ap);
	va_end(ap);
	cx->failed = true;
}

void
pass_warning(pass_ctx *cx, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_report(cx->diag, DIAG_WARNING, loc, fmt, ap);
	va_end(ap);
}

void
pass_remark(pass_ctx *cx, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	if (!instrument_lists_pass(&cx->manager->options->remarks, cx->info))
		return;
	va_start(ap, fmt);
	diag_report(cx->diag, DIAG_REMARK, loc, fmt, ap);
	va_end(ap);
}

void
pass_note(pass_ctx *cx, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_report(cx->diag, DIAG_NOTE, loc, fmt, ap);
	va_end(ap);
}

void
pass_count(pass_ctx *cx, const char *what, unsigned n)
{
	stats_add(&cx->manager->instrument.stats, cx->info->flag, what, n);
}
