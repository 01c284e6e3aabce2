/*
 * relay-opt: read a module, run passes over it, print it.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/infer.h"
#include "ir/module.h"
#include "ir/npy.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "parser/parser.h"
#include "passes/bind_params.h"
#include "passes/bisect.h"
#include "passes/command_line.h"
#include "passes/input.h"
#include "passes/manager.h"
#include "passes/op_list.h"
#include "passes/pass_options.h"
#include "passes/plugin/plugin.h"
#include "passes/registry.h"
#include "passes/reproducer.h"
#include "support/crash.h"
#include "support/outfile.h"
#include "support/tool.h"

enum { EMIT_RELAY, EMIT_NONE };
enum { TYPES_AUTO, TYPES_ALL, TYPES_NONE };
enum { LIST_OFF, LIST_TEXT, LIST_JSON };

struct opt_options {
#define FLAG(name, field, ...) bool field;
#define TEXT(name, field, ...) const char *field;
#define NUMBER(name, field, ...) long long field;
#define CHOICE(name, field, ...) int field;
#define AGAIN(...)
#define HEADING(title)
#define GROUP(type, field, rows) type field;
#include "tools/relay-opt.def"
};

#define ROW(kind, name, field, value, bare, summary, trait)                 \
	{name,          OPTION_##kind, offsetof(struct opt_options, field), \
	 value,         bare,          summary,                             \
	 OPTION_##trait},

static const struct option_def table[] = {
#define FLAG(name, field, ...) ROW(FLAG, name, field, NULL, NULL, __VA_ARGS__)
#define TEXT(...) ROW(TEXT, __VA_ARGS__)
#define NUMBER(...) ROW(NUMBER, __VA_ARGS__)
#define CHOICE(...) ROW(CHOICE, __VA_ARGS__)
#define AGAIN(kind, ...) ROW(kind, __VA_ARGS__)
#define HEADING(title) {title, OPTION_HEADING, 0, NULL, NULL, NULL, 0},
#define GROUP(type, field, rows) rows(struct opt_options, field)
#include "tools/relay-opt.def"
};

/* All that one run of the tool works with. */
struct run {
	struct opt_options o;
	struct tool tool;
	struct pass_command_line flags;
	struct pass_pipeline pipeline;
	struct pass_manager manager;
	struct parse_options parse;
	struct print_options print;
	const char *meta_file;          /* of --print-meta=file:FILE, or NULL */
	struct named_tensors constants; /* what goes into it */
	struct outfile file;            /* open while the output drains */
	bool is_open;
	bool passes_ended; /* and their reports are written */
};

static bool
help_topic(struct buf *out, const char *topic)
{
	if (pass_help(out, topic))
		return true;
	if (strcmp(topic, "environment") != 0)
		return false;
	buf_puts(out, "RELAY_OPTS      options put before those of any tool\n"
		      "RELAY_OPT_OPTS  options put before those of relay-opt\n"
		      "NO_COLOR, TERM  no colour if set, or \"dumb\"\n");
	return true;
}

static bool
set_print_options(struct run *r)
{
	const char *meta = r->o.meta ? r->o.meta : "inline";

	r->print.types =
		r->o.types == TYPES_NONE ? PRINT_TYPES_NONE : PRINT_TYPES_AUTO;
	r->print.floats = r->o.floats ? PRINT_FLOATS_TVM : PRINT_FLOATS_EXACT;
	r->print.spans = r->o.spans;
	r->print.stable_names = r->o.stable_names;
	if (strncmp(meta, "file:", 5) == 0 && meta[5]) {
		r->meta_file = meta + 5;
		r->print.constants = &r->constants;
	} else if (strcmp(meta, "elide") == 0) {
		r->print.meta = PRINT_META_OMIT;
	} else if (strcmp(meta, "inline") != 0) {
		diag_error(&r->tool.diag, LOC_NONE,
			   "option '--print-meta': '%s' is none of "
			   "inline|elide|file:FILE",
			   meta);
		return false;
	}
	return true;
}

static void
drain(void *env, const char *text, size_t len)
{
	struct run *r = env;

	outfile_put(&r->file, text, len);
}

static bool
open_output(struct run *r)
{
	r->is_open = outfile_open(&r->file, r->o.output ? r->o.output : "-",
				  &r->tool.diag);
	return r->is_open;
}

/* Write what is left in TEXT, or all of it; frees TEXT. */
static void
write_text(struct run *r, struct buf *text)
{
	if (r->is_open || open_output(r)) {
		outfile_put(&r->file, text->at, text->len);
		outfile_commit(&r->file);
	}
	r->is_open = false;
	buf_free(text);
}

/* Print what the passes have to report; false after an error. */
static bool
end_passes(struct run *r)
{
	if (!r->passes_ended && !pass_manager_end(&r->manager))
		r->tool.status = 1;
	r->passes_ended = true;
	return r->tool.status == 0;
}

/*
 * Print M, of which nothing can go wrong any more. If it is all there is to
 * print, the text goes out as it comes.
 */
static bool
print_module(struct run *r, const ir_module *m, struct buf *out)
{
	if (!r->o.mark && !r->meta_file) {
		if (!end_passes(r) || !open_output(r))
			return false;
		out->drain = drain;
		out->env = r;
	}
	ir_print_module(out, m, &r->print);
	return true;
}

/* The lists that need no input. True if one was asked for. */
static bool
print_lists(struct run *r)
{
	struct buf out = {0};

	if (r->o.list_passes == LIST_TEXT)
		pass_list(&out);
	else if (r->o.list_passes == LIST_JSON)
		pass_list_json(&out);
	else if (r->o.list_ops == LIST_TEXT)
		op_list(&out);
	else if (r->o.list_ops == LIST_JSON)
		op_list_json(&out);
	else
		return false;
	write_text(r, &out);
	return true;
}

/* A bare expression without passes: form is checked, then it is printed. */
static bool
print_expr(struct run *r, const ir_module *m, const ir_expr *e, struct buf *out)
{
	if (!ir_verify_expr(m, e, &r->tool.diag))
		return false;
	ir_print_expr(out, m, e, &r->print);
	buf_putc(out, '\n');
	return true;
}

static bool
run_passes(struct run *r, ir_module *m)
{
	struct diag *d = &r->tool.diag;

	if (!ir_verify_module(m, d))
		return false;
	if (r->o.verify_roundtrip && !input_check_roundtrip(m, d))
		return false;
	if (r->pipeline.first) {
		bool ok = pass_manager_run(&r->manager, &r->pipeline, m,
					   r->o.no_infer);

		if (!ok || !ir_verify_module(m, d))
			return false;
	}
	return r->o.types != TYPES_ALL || m->types_valid ||
	       ir_infer_module(m, d);
}

static bool
has_output(const struct run *r)
{
	return !r->o.verify_diagnostics && !r->o.disable_output &&
	       r->o.emit == EMIT_RELAY;
}

/* From the text of S to the text in OUT. */
static bool
process_in(struct run *r, ir_module *m, const ir_expr *e, struct buf *out)
{
	struct diag *d = &r->tool.diag;

	input_use_spans(m, d);
	if (e && !r->pipeline.first)
		return print_expr(r, m, e, out);
	if (e && !input_wrap_expr(m, e, d))
		return false;
	if (r->o.params &&
	    !bind_params_file(m, r->o.entry ? r->o.entry : "main", r->o.params,
			      d))
		return false;
	if (!run_passes(r, m))
		return false;
	return !has_output(r) || print_module(r, m, out);
}

static bool
process(void *env, struct source *s, struct buf *out)
{
	struct run *r = env;
	struct diag *d = &r->tool.diag;
	ir_context *cx = ir_context_new();
	ir_module *m = NULL;
	const ir_expr *e = NULL;
	bool ok;

	d->source = s;
	if (r->o.expr) {
		m = ir_module_new(cx);
		e = parse_expr(m, s, d, &r->parse);
	} else {
		m = parse_module(cx, s, d, &r->parse);
	}
	ok = m && (e || !r->o.expr) && process_in(r, m, e, out);
	input_use_spans(NULL, d);
	if (m)
		ir_module_free(m);
	ir_context_free(cx);
	d->source = NULL;
	return ok && !d->errors;
}

static void
write_result(struct run *r, struct buf *out)
{
	struct buf file = {0};

	if (r->meta_file) {
		params_write(&file, &r->constants);
		outfile_write(r->meta_file, file.at, file.len, &r->tool.diag);
		buf_free(&file);
	}
	if (!r->tool.diag.errors)
		write_text(r, out);
}

static void
process_source(struct run *r, struct source *s)
{
	struct diag *d = &r->tool.diag;
	struct buf out = {0};
	struct input_mode mode = {
		.mark = r->o.mark,
		.output_mark = r->o.output_mark,
		.verify_diagnostics = r->o.verify_diagnostics,
	};

	d->source = s;
	input_process(s, &mode, process, r, d, &out);
	d->source = NULL;
	if (end_passes(r) && !d->errors && has_output(r))
		write_result(r, &out);
	else if (r->is_open)
		outfile_discard(&r->file);
	buf_free(&out);
	named_tensors_free(&r->constants);
}

struct trial {
	struct run *run;
	struct source *source;
};

/* In a process of its own: all of it with some of the passes. */
static bool
run_trial(void *env, long long limit, const char *output)
{
	struct trial *t = env;

	t->run->o.passes.bisect_limit = limit;
	t->run->o.output = output;
	t->run->o.disable_output = false;
	t->run->o.emit = EMIT_RELAY;
	process_source(t->run, t->source);
	return t->run->tool.diag.errors == 0 && t->run->tool.status == 0;
}

/* --opt-bisect=auto:CMD; what is found is the output. */
static void
bisect(struct run *r, struct source *s)
{
	struct diag *d = &r->tool.diag;
	struct trial t = {r, s};
	struct bisect b = {
		.timeout = r->o.tool.timeout,
		.run = run_trial,
		.env = &t,
	};
	struct buf out = {0};

	if (strncmp(r->o.bisect, "auto:", 5) != 0) {
		diag_error(d, LOC_NONE,
			   "option '--opt-bisect' takes auto:CMD, not '%s'",
			   r->o.bisect);
		return;
	}
	b.command = r->o.bisect + 5;
	crash_timeout(0); /* it is for each trial */
	if (bisect_run(&b, &out, &r->tool.arena, d))
		write_text(r, &out);
	buf_free(&out);
}

static void
print_pipeline(struct run *r)
{
	struct buf out = {0};

	pass_pipeline_print(&out, &r->pipeline, &r->manager.context);
	buf_putc(&out, '\n');
	if (r->o.dry_run)
		write_text(r, &out);
	else
		fwrite(out.at, 1, out.len, stderr);
	buf_free(&out);
}

/* All options are known: get ready to run passes. */
static bool
start_passes(struct run *r)
{
	struct opt_options *o = &r->o;

	if (!pass_manager_init(&r->manager, &r->tool.diag, &o->passes,
			       &r->tool.arena))
		return false;
	r->manager.print = r->print;
	r->manager.print.constants = NULL;
	r->manager.allow_unknown_ops = o->allow_unknown_ops;
	r->parse = PARSE_OPTIONS_DEFAULT;
	r->parse.allow_unknown_ops = o->allow_unknown_ops;
	r->parse.max_nesting = (unsigned)o->max_nesting;
	if (o->print_pipeline)
		print_pipeline(r);
	return true;
}

/*
 * What the command line says, passes included, goes over the first line of the
 * input.
 */
static bool
take_reproducer(struct run *r, struct source *s)
{
	struct arena *a = &r->tool.arena;
	struct reproducer line;
	bool has_passes = r->o.pipeline || r->o.level || r->pipeline.first;

	if (!reproducer_read(s, &line, has_passes ? NULL : &r->pipeline, a,
			     &r->tool.diag))
		return false;
	options_put_under(&r->tool.set, &r->o, &line.set, &line, a);
	return start_passes(r);
}

static void
read_and_process(struct run *r, const char *path)
{
	struct source s;
	const char *reason;

	if (!source_open(&s, path, &reason)) {
		diag_error(&r->tool.diag, LOC_NONE, "cannot read '%s': %s",
			   path, reason);
		return;
	}
	if ((r->o.run_reproducer && !take_reproducer(r, &s)) || r->o.dry_run) {
		source_free(&s);
		return;
	}
	if (r->o.bisect)
		bisect(r, &s);
	else
		process_source(r, &s);
	source_free(&s);
}

static void
run(struct run *r)
{
	struct opt_options *o = &r->o;
	const char *path;

	if (print_lists(r))
		return;
	path = tool_input(&r->tool);
	if (!path || !set_print_options(r) ||
	    !pass_command_line_pipeline(&r->flags, o->level, o->pipeline,
					&r->pipeline) ||
	    !(o->run_reproducer || start_passes(r)))
		return;
	if (o->run_reproducer || !o->dry_run)
		read_and_process(r, path);
}

int
main(int argc, char **argv)
{
	static struct run r = {
		.o = {.passes = PASS_OPTIONS_DEFAULT, .max_nesting = 50000}};
	static const struct option_others others = {
		.take = pass_command_line_take,
		.name = pass_flag,
		.env = &r.flags,
	};

	r.tool.set = (struct option_set){
		.tool = "relay-opt",
		.overview = "read a Relay module, run passes over it, print it",
		.usage = "[options] [file]",
		.table = table,
		.count = sizeof(table) / sizeof(*table),
		.others = &others,
	};
	r.tool.topic = help_topic;
	r.flags.tool = &r.tool;
	if (!plugin_load_arguments("relay-opt", argc, argv))
		return 1;
	if (tool_start(&r.tool, argc, argv, &r.o, &r.o.tool))
		run(&r);
	return tool_end(&r.tool);
}
