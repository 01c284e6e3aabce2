/*
 * The functions of passes/pass.h: how a pass asks its manager.
 */
#include "passes/pass.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "passes/manager.h"
#include "passes/target_text.h"

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

bool
pass_option_ops(pass_ctx *cx, const char *name, bool chosen[OP_COUNT])
{
	const char *s = pass_option(cx, name);

	while (*s) {
		size_t len = strcspn(s, ",");
		const ir_op *op = ir_op_find(s, len);

		if (!op || op->id >= OP_COUNT) {
			pass_error(cx, LOC_NONE,
				   "option '%s': no operator is called "
				   "'%.*s'",
				   name, (int)len, s);
			return false;
		}
		chosen[op->id] = true;
		s += len + (s[len] == ',');
	}
	return true;
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
	return cx->manager->target;
}

const char *
pass_read_target(pass_ctx *cx, const char *option, const char *text)
{
	const char *target = target_read(option, text, cx->scratch, cx->diag);

	cx->failed |= !target;
	return target;
}

pass_ctx
pass_part(const pass_ctx *cx, const struct pass_info *info,
	  const char *const *values)
{
	pass_ctx part = *cx;

	part.info = info;
	part.values = values;
	part.state = NULL;
	part.free_state = NULL;
	return part;
}

void
pass_part_end(pass_ctx *cx, pass_ctx *part)
{
	if (part->free_state)
		part->free_state(part->state);
	cx->failed |= part->failed;
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

/* Is PASS among those whose remarks LIST asks for? */
static bool
listens(pass_ctx *cx, const struct option_list *list)
{
	const struct pass_options *o = cx->manager->options;

	if (instrument_lists_pass(list, cx->info))
		return true;
	return o->remarks_file && o->remarks.len == 0 &&
	       o->remarks_missed.len == 0;
}

bool
pass_wants_remarks(pass_ctx *cx)
{
	return listens(cx, &cx->manager->options->remarks);
}

bool
pass_wants_missed_remarks(pass_ctx *cx)
{
	return pass_wants_remarks(cx) ||
	       listens(cx, &cx->manager->options->remarks_missed);
}

/* Show a remark, or keep it for --pass-remarks-output. */
static void
remark(pass_ctx *cx, const char *kind, struct loc loc, const char *fmt,
       va_list ap)
{
	struct diag *d = cx->diag;
	struct remark_sink sink = {&cx->manager->instrument.remarks, kind};
	struct diag saved = *d;

	if (cx->manager->options->remarks_file) {
		d->handler = instrument_keep_remark;
		d->handler_env = &sink;
	}
	diag_report(d, DIAG_REMARK, loc, fmt, ap);
	d->handler = saved.handler;
	d->handler_env = saved.handler_env;
}

void
pass_remark(pass_ctx *cx, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	if (!pass_wants_remarks(cx))
		return;
	va_start(ap, fmt);
	remark(cx, "passed", loc, fmt, ap);
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
pass_print(pass_ctx *cx, const char *title, const struct buf *text)
{
	instrument_print(cx->manager, title, text);
}

void
pass_remark_missed(pass_ctx *cx, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	if (!pass_wants_missed_remarks(cx))
		return;
	va_start(ap, fmt);
	remark(cx, "missed", loc, fmt, ap);
	va_end(ap);
}

bool
pass_may_rewrite(pass_ctx *cx)
{
	struct pass_instrument *in = &cx->manager->instrument;

	for (size_t i = 0; i < in->counters.len; i++)
		if (in->counters.at[i].info == cx->info)
			return debug_counter_next(&in->counters.at[i]);
	return true;
}

void
pass_count(pass_ctx *cx, const char *what, unsigned n)
{
	stats_add(&cx->manager->instrument.stats, cx->info->flag, what, n);
}
