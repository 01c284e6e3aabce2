/*
 * Instruments of plugins: they watch passes, and may leave some out.
 */
#include "passes/plugin/instruments.h"

#include <stdarg.h>
#include <stdio.h>

#include "passes/manager.h"
#include "passes/plugin/internal.h"

/* What instruments are told of, and what they say to it. */
struct run {
	struct pass_manager *pm;
	const struct pass_info *info;
	bool changed;
	bool failed;
	struct buf text;
};

#define RUN(r) ((struct run *)(r))
#define CONST_RUN(r) ((const struct run *)(r))
#define RUN_HANDLE(r) ((relay_run *)(r))

static VEC(const relay_plugin_instrument *) instruments;

static void
add_instrument(const relay_plugin_instrument *i)
{
	vec_push(&instruments, i);
}

static const char *
run_flag(const relay_run *r)
{
	return CONST_RUN(r)->info->flag;
}

static int
run_changed(const relay_run *r)
{
	return CONST_RUN(r)->changed;
}

static const char *
run_text(relay_run *r)
{
	struct run *run = RUN(r);

	run->text.len = 0;
	ir_print_module(&run->text, run->pm->module, &run->pm->print);
	buf_putc(&run->text, '\0');
	return run->text.at;
}

__attribute__((format(printf, 2, 3))) static void
say(relay_run *r, const char *fmt, ...)
{
	struct buf line = {0};
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&line, fmt, ap);
	va_end(ap);
	buf_putc(&line, '\n');
	instrument_emit(RUN(r)->pm, &line);
	buf_free(&line);
}

__attribute__((format(printf, 2, 3))) static void
run_error(relay_run *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_report(RUN(r)->pm->diag, DIAG_ERROR, LOC_NONE, fmt, ap);
	va_end(ap);
	RUN(r)->failed = true;
}

void
plugin_api_instruments(relay_api *api)
{
	api->add_instrument = add_instrument;
	api->run_flag = run_flag;
	api->run_changed = run_changed;
	api->run_text = run_text;
	api->say = say;
	api->run_error = run_error;
}

void
plugin_instruments_enter(void)
{
	for (size_t i = 0; i < instruments.len; i++)
		if (instruments.at[i]->enter)
			instruments.at[i]->enter(instruments.at[i]->data);
}

void
plugin_instruments_leave(void)
{
	for (size_t i = 0; i < instruments.len; i++)
		if (instruments.at[i]->leave)
			instruments.at[i]->leave(instruments.at[i]->data);
}

/* Every instrument is asked, whatever the others say, until one fails. */
bool
plugin_instruments_before(struct pass_manager *pm, const struct pass_info *info,
			  bool required, bool *failed)
{
	struct run r = {.pm = pm, .info = info};
	bool runs = true;

	for (size_t i = 0; i < instruments.len && !required && !r.failed; i++)
		if (instruments.at[i]->should_run)
			runs &= instruments.at[i]->should_run(
					instruments.at[i]->data,
					RUN_HANDLE(&r)) != 0;
	for (size_t i = 0; i < instruments.len && runs && !r.failed; i++)
		if (instruments.at[i]->before)
			instruments.at[i]->before(instruments.at[i]->data,
						  RUN_HANDLE(&r));
	buf_free(&r.text);
	*failed = r.failed;
	return runs && !r.failed;
}

bool
plugin_instruments_after(struct pass_manager *pm, const struct pass_info *info,
			 bool changed)
{
	struct run r = {.pm = pm, .info = info, .changed = changed};

	for (size_t i = 0; i < instruments.len && !r.failed; i++)
		if (instruments.at[i]->after)
			instruments.at[i]->after(instruments.at[i]->data,
						 RUN_HANDLE(&r));
	buf_free(&r.text);
	return !r.failed;
}
