#include "passes/instrument.h"

#include <stdlib.h>
#include <string.h>

#include "ir/module.h"
#include "ir/print.h"
#include "parser/parser.h"
#include "passes/dot/graph.h"
#include "passes/manager.h"
#include "passes/registry.h"
#include "support/diag_json.h"
#include "support/glob.h"
#include "support/linediff.h"
#include "support/outfile.h"

enum { SIDE_WIDTH = 60 };

bool
instrument_lists_pass(const struct option_list *list,
		      const struct pass_info *info)
{
	for (size_t i = 0; i < list->len; i++)
		if (pass_find(list->at[i], strlen(list->at[i])) == info ||
		    glob_match(list->at[i], info->flag) ||
		    glob_match(list->at[i], info->name))
			return true;
	return false;
}

/* Is the run that now happens listed, by the name of its pass or number? */
static bool
lists_run(const struct pass_manager *pm, const struct option_list *list,
	  const struct pass_info *info)
{
	size_t number = pm->instrument.runs.len;

	for (size_t i = 0; i < list->len; i++) {
		char *end;
		unsigned long n = strtoul(list->at[i], &end, 10);

		if (*list->at[i] && !*end && n == number)
			return true;
	}
	return instrument_lists_pass(list, info);
}

bool
instrument_lists_name(const struct option_list *list, const char *name)
{
	for (size_t i = 0; i < list->len; i++)
		if (glob_match(list->at[i], name))
			return true;
	return false;
}

static bool
lists_function(const struct option_list *list, const char *name)
{
	return list->len == 0 || instrument_lists_name(list, name);
}

/* The text of the module, cut down to what --filter-print-funcs lists. */
static void
print_module(struct pass_manager *pm, struct buf *out)
{
	struct print_options o = pm->print;
	VEC(const char *) names = {0};

	if (pm->options->filter_funcs.len == 0) {
		ir_print_module(out, pm->module, &o);
		return;
	}
	for (size_t i = 0; i < pm->module->defs.len; i++) {
		const char *name = pm->module->defs.at[i]->name;

		if (lists_function(&pm->options->filter_funcs, name))
			vec_push(&names, name);
	}
	vec_push(&names, NULL);
	o.only = names.at;
	ir_print_module(out, pm->module, &o);
	vec_free(&names);
}

/* Dumps go to the standard error, or are kept for --dump-to. */
void
instrument_emit(struct pass_manager *pm, const struct buf *text)
{
	if (pm->options->dump_to)
		buf_put(&pm->instrument.dumps, text->at, text->len);
	else
		fwrite(text->at, 1, text->len, pm->diag->out);
}

void
instrument_print(struct pass_manager *pm, const char *title,
		 const struct buf *text)
{
	struct buf out = {0};

	buf_printf(&out, "// *** %s ***\n", title);
	buf_put(&out, text->at, text->len);
	instrument_emit(pm, &out);
	buf_free(&out);
}

void
instrument_dump(struct pass_manager *pm, const char *title)
{
	struct buf text = {0};

	print_module(pm, &text);
	instrument_print(pm, title, &text);
	buf_free(&text);
}

/* "IR Dump After FuseOps (-fuse-ops)", with its number if asked for. */
static const char *
title(struct pass_manager *pm, const char *when, const struct pass_info *info,
      const char *tail)
{
	const char *number = "";

	if (pm->options->pass_numbers)
		number = arena_printf(&pm->scratch, " (#%zu)",
				      pm->instrument.runs.len);
	return arena_printf(&pm->scratch, "IR Dump %s %s (-%s)%s%s", when,
			    info->name, info->flag, number, tail);
}

static bool
shows_changes(const struct pass_manager *pm, const struct pass_info *info)
{
	return pm->options->print_changed &&
	       (pm->options->filter_passes.len == 0 ||
		instrument_lists_pass(&pm->options->filter_passes, info));
}

/* One file of --ir-dump-directory. */
static void
write_file(struct pass_manager *pm, const char *name)
{
	struct buf text = {0};
	const char *path = arena_printf(&pm->scratch, "%s/%s",
					pm->options->dump_directory, name);

	print_module(pm, &text);
	if (!outfile_write(path, text.at, text.len, pm->diag))
		pm->instrument.failed = true;
	buf_free(&text);
}

static const char *
file_name(struct arena *a, size_t number, const struct pass_info *info,
	  const char *suffix)
{
	return arena_printf(a, "%04zu_%s%s", number, info->name, suffix);
}

void
instrument_start(struct pass_manager *pm)
{
	const struct pass_options *o = pm->options;

	if (o->dump_directory) {
		if (outfile_make_directory(o->dump_directory, pm->diag))
			write_file(pm, "0000_input.relay");
		else
			pm->instrument.failed = true;
	}
	if (o->print_changed == CHANGED_TEXT ||
	    o->print_changed == CHANGED_DIFF)
		instrument_dump(pm, "IR Dump At Start");
}

/* What --print-changed compares: graphs need all of it, as it reads back. */
static void
print_state(struct pass_manager *pm, struct buf *out)
{
	static const struct print_options whole = {.types = PRINT_TYPES_AUTO};

	if (pm->options->print_changed == CHANGED_DOT)
		ir_print_module(out, pm->module, &whole);
	else
		print_module(pm, out);
}

void
instrument_before(struct pass_manager *pm, const struct pass_info *info)
{
	const struct pass_options *o = pm->options;
	struct pass_instrument *in = &pm->instrument;
	struct pass_record record = {.info = info};
	bool before;

	vec_push(&in->runs, record);
	before = o->print_before_all || lists_run(pm, &o->print_before, info);
	if (before)
		instrument_dump(pm, title(pm, "Before", info, ""));
	if (before && o->dump_directory)
		write_file(pm, file_name(&pm->scratch, in->runs.len, info,
					 ".before.relay"));
	in->before.len = 0;
	if (shows_changes(pm, info))
		print_state(pm, &in->before);
	timing_begin(&in->timing, info->flag);
}

/* The module as a graph, in which what BEFORE has not is marked. */
static void
put_graph(struct pass_manager *pm, const struct buf *before, struct buf *out)
{
	static const struct dot_style style = {.types = true};
	static const struct parse_options parse = {.allow_unknown_ops = true};
	struct dot_options o = {.functions = pm->options->filter_funcs};
	struct dot_graph g = {0};
	struct source s;
	struct diag d;
	ir_module *was;

	source_init(&s, "before", before->at, before->len);
	diag_init(&d, "relay-opt", &s);
	d.quiet = true;
	was = parse_module(pm->module->cx, &s, &d, &parse);
	if (was)
		dot_graph_build_against(&g, pm->module, was, &o);
	else
		dot_graph_build(&g, pm->module, &o);
	dot_write_dot(out, &g, pm->module, &style);
	dot_graph_free(&g);
	ir_module_free(was);
	source_free(&s);
}

static void
show_change(struct pass_manager *pm, const struct pass_info *info)
{
	const struct pass_options *o = pm->options;
	const struct buf *before = &pm->instrument.before;
	bool diff = o->print_changed >= CHANGED_DIFF;
	bool quiet = o->print_changed == CHANGED_QUIET ||
		     o->print_changed >= CHANGED_DIFF_QUIET;
	struct buf after = {0};
	struct buf lines = {0};

	print_state(pm, &after);
	if (after.len == before->len &&
	    memcmp(after.at, before->at, after.len) == 0) {
		if (!quiet)
			instrument_print(pm,
					 title(pm, "After", info,
					       " omitted because no change"),
					 &lines);
	} else if (diff) {
		if (o->print_changed == CHANGED_DOT)
			put_graph(pm, before, &lines);
		else if (o->print_changed == CHANGED_SIDE)
			linediff_side(&lines, before->at, before->len, after.at,
				      after.len, SIDE_WIDTH, false);
		else
			linediff(&lines, before->at, before->len, after.at,
				 after.len);
		instrument_print(pm, title(pm, "After", info, ""), &lines);
	} else {
		if (o->print_before_changed)
			instrument_print(pm, title(pm, "Before", info, ""),
					 before);
		instrument_print(pm, title(pm, "After", info, ""), &after);
	}
	buf_free(&after);
	buf_free(&lines);
}

void
instrument_after(struct pass_manager *pm, const struct pass_info *info,
		 bool changed)
{
	const struct pass_options *o = pm->options;
	struct pass_instrument *in = &pm->instrument;

	timing_end(&in->timing);
	vec_last(&in->runs).changed = changed;
	if (o->print_after_all || lists_run(pm, &o->print_after, info))
		instrument_dump(pm, title(pm, "After", info, ""));
	if (shows_changes(pm, info))
		show_change(pm, info);
	if (o->dump_directory)
		write_file(pm, file_name(&pm->scratch, in->runs.len, info,
					 ".relay"));
}

bool
instrument_allows(struct pass_manager *pm, const struct pass_info *info,
		  const char *function)
{
	long long limit = pm->options->bisect_limit;
	long long number = ++pm->instrument.bisected;
	bool runs = limit < 0 || number <= limit;

	if (limit == PASS_NO_BISECT)
		return true;
	fprintf(pm->diag->out, "BISECT: %srunning pass (%lld) %s on %s%s\n",
		runs ? "" : "NOT ", number, info->name, function ? "@" : "",
		function ? function : "the module");
	return runs;
}

/* index.json: what happened in which order, and where its result is. */
static void
write_index(struct pass_manager *pm)
{
	struct pass_instrument *in = &pm->instrument;
	struct buf out = {0};
	const char *path = arena_printf(&pm->scratch, "%s/index.json",
					pm->options->dump_directory);

	buf_puts(&out, "[\n {\"number\": 0, \"file\": \"0000_input.relay\"}");
	for (size_t i = 0; i < in->runs.len; i++) {
		const struct pass_record *r = &in->runs.at[i];
		const char *file =
			file_name(&pm->scratch, i + 1, r->info, ".relay");

		buf_printf(&out, ",\n {\"number\": %zu, \"pass\": ", i + 1);
		json_put_string(&out, r->info->name);
		buf_puts(&out, ", \"flag\": ");
		json_put_string(&out, r->info->flag);
		buf_printf(&out, ", \"changed\": %s, \"file\": ",
			   r->changed ? "true" : "false");
		json_put_string(&out, file);
		buf_putc(&out, '}');
	}
	buf_puts(&out, "\n]\n");
	if (!outfile_write(path, out.at, out.len, pm->diag))
		in->failed = true;
	buf_free(&out);
}

static void
write_trace(struct pass_manager *pm)
{
	struct buf out = {0};

	timing_print_trace(&out, &pm->instrument.timing);
	if (!outfile_write(pm->options->time_trace, out.at, out.len, pm->diag))
		pm->instrument.failed = true;
	buf_free(&out);
}

void
instrument_keep_remark(void *env, const struct diag_message *m)
{
	struct remark_sink *sink = env;
	struct buf *out = sink->text;

	buf_puts(out, "{\"pass\": ");
	json_put_string(out, m->pass ? m->pass : "");
	buf_printf(out, ", \"kind\": \"%s\"", sink->kind);
	if (m->file) {
		buf_puts(out, ", \"file\": ");
		json_put_string(out, m->file);
		buf_printf(out, ", \"line\": %u, \"column\": %u", m->line,
			   m->column);
	}
	buf_puts(out, ", \"text\": ");
	json_put_string(out, m->text);
	buf_puts(out, "}\n");
}

void
instrument_end(struct pass_manager *pm)
{
	const struct pass_options *o = pm->options;
	struct pass_instrument *in = &pm->instrument;
	struct buf info = {0};

	if (o->dump_directory && !in->failed)
		write_index(pm);
	if (o->dump_to &&
	    !outfile_write(o->dump_to, in->dumps.at, in->dumps.len, pm->diag))
		in->failed = true;
	if (o->remarks_file && !outfile_write(o->remarks_file, in->remarks.at,
					      in->remarks.len, pm->diag))
		in->failed = true;
	if (o->time_trace)
		write_trace(pm);
	if (o->time_passes)
		timing_print(&info, &in->timing,
			     (enum timing_format)o->time_passes);
	if (o->stats)
		stats_print(&info, &in->stats, (enum stats_format)o->stats);
	if (o->info_file) {
		if (!outfile_write(o->info_file, info.at, info.len, pm->diag))
			in->failed = true;
	} else if (info.len) {
		fwrite(info.at, 1, info.len, pm->diag->out);
	}
	buf_free(&info);
	buf_free(&in->before);
	buf_free(&in->reproducer);
	buf_free(&in->dumps);
	buf_free(&in->remarks);
	for (size_t i = 0; i < in->counters.len; i++) {
		debug_counter_note(&in->counters.at[i], pm->diag);
		debug_counter_free(&in->counters.at[i]);
	}
	vec_free(&in->counters);
	vec_free(&in->runs);
	timing_free(&in->timing);
	stats_free(&in->stats);
}
