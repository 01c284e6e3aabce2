/*
 * relay-reduce: make a module, and a pipeline, smaller while something about
 * them stays as it is.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parser/parser.h"
#include "passes/reduce/reduce.h"
#include "passes/registry.h"
#include "passes/reproducer.h"
#include "support/clock.h"
#include "support/outfile.h"
#include "support/tool.h"

enum { EXIT_REDUCED, EXIT_ERROR, EXIT_NOT_INTERESTING };

struct reduce_tool_options {
	struct tool_options tool;
	const char *test;
	struct option_list arguments;
	const char *crash;
	const char *miscompile;
	const char *pipeline;
	const char *output;
	bool in_place;
	bool list;
	bool abort_on_invalid;
	bool allow_unknown_ops;
	bool verbose;
	long long jobs;
	long long test_timeout;
	long long iterations;
	struct option_list deltas;
	struct option_list skipped;
};

#define FIELD(name) offsetof(struct reduce_tool_options, name)

#define ROW(name, kind, field, value, bare, text, traits) \
	{name, OPTION_##kind, FIELD(field), value, bare, text, traits}

/* clang-format off */
static const struct option_def table[] = {
	{ "What must stay: one of", OPTION_HEADING, 0, NULL, NULL, NULL, 0 },
	ROW("test", TEXT, test, "CMD", NULL, "CMD FILE exits with status 0", 0),
	ROW("crash", TEXT, crash, "PIPE", "", "these passes crash", 0),
	ROW("miscompile", TEXT, miscompile, "PIPE", "", "these passes change what the module computes", 0),
	ROW("test-arg", EACH, arguments, "ARG", NULL, "an argument for CMD, before FILE", 0),
	ROW("test-timeout", NUMBER, test_timeout, "N", NULL, "a test of more than N seconds failed (10; 0 = wait)", 0),
	{ "What is made smaller", OPTION_HEADING, 0, NULL, NULL, NULL, 0 },
	ROW("reduce-pipeline", TEXT, pipeline, "PIPE", "", "passes, too: the first line of FILE names them, for relay-opt --run-reproducer", 0),
	ROW("delta-passes", LIST, deltas, "L", NULL, "do only these edits", 0),
	ROW("skip-delta-passes", LIST, skipped, "L", NULL, "do not do these edits", 0),
	ROW("print-delta-passes", FLAG, list, NULL, NULL, "list the edits", 0),
	ROW("max-pass-iterations", NUMBER, iterations, "N", NULL, "go through all edits at most N times (5)", 0),
	ROW("abort-on-invalid-reduction", FLAG, abort_on_invalid, NULL, NULL, "an edit that breaks the module is an error", OPTION_HIDDEN),
	{ "Input", OPTION_HEADING, 0, NULL, NULL, NULL, 0 },
	ROW("allow-unknown-ops", FLAG, allow_unknown_ops, NULL, NULL, "keep unknown operators as they are", 0),
	{ "Output", OPTION_HEADING, 0, NULL, NULL, NULL, 0 },
	ROW("o", TEXT, output, "FILE", NULL, "where the result goes (reduced.relay)", 0),
	ROW("in-place", FLAG, in_place, NULL, NULL, "replace the input", 0),
	ROW("j", NUMBER, jobs, "N", NULL, "run N tests at once (1)", 0),
	ROW("v", FLAG, verbose, NULL, NULL, "say what is found, and show what tests print", 0),
	TOOL_OPTIONS(struct reduce_tool_options, tool)
};
/* clang-format on */

struct run {
	struct reduce_tool_options o;
	struct tool tool;
	struct reduce_state state;
	struct reduce_oracle oracle;
	const char *output;
};

static void
list_deltas(struct run *r)
{
	struct buf out = {0};

	for (size_t i = 0; i < reduce_ndeltas; i++)
		buf_printf(&out, "%-14s %s\n", reduce_deltas[i].name,
			   reduce_deltas[i].summary);
	outfile_write("-", out.at, out.len, &r->tool.diag);
	buf_free(&out);
}

static bool
check_deltas(struct run *r, const struct option_list *names)
{
	for (size_t i = 0; i < names->len; i++) {
		struct suggest s;
		size_t k = 0;

		suggest_start(&s, names->at[i]);
		while (k < reduce_ndeltas &&
		       strcmp(reduce_deltas[k].name, names->at[i]) != 0)
			suggest_offer(&s, reduce_deltas[k++].name);
		if (k == reduce_ndeltas)
			diag_error(&r->tool.diag, LOC_NONE,
				   "unknown delta pass '%s'%s", names->at[i],
				   suggest_text(&s));
	}
	return r->tool.diag.errors == 0;
}

static bool
check_options(struct run *r)
{
	struct diag *d = &r->tool.diag;
	int ways = (r->o.test != NULL) + (r->o.crash != NULL) +
		   (r->o.miscompile != NULL);

	if (ways != 1)
		diag_error(d, LOC_NONE,
			   "one of --test, --crash and --miscompile is needed");
	if (r->o.pipeline && !r->o.test)
		diag_error(d, LOC_NONE,
			   "--reduce-pipeline is for --test; --crash and "
			   "--miscompile name the passes themselves");
	return d->errors == 0 && check_deltas(r, &r->o.deltas) &&
	       check_deltas(r, &r->o.skipped);
}

/*
 * The pipeline: of the option, or, if that is bare, of the first line of the
 * input. The options in that line hold for both.
 */
static bool
take_pipeline(struct run *r, struct source *s)
{
	const char *text = r->o.crash        ? r->o.crash
			   : r->o.miscompile ? r->o.miscompile
					     : r->o.pipeline;
	struct diag *d = &r->tool.diag;
	struct reproducer line = {.options = PASS_OPTIONS_DEFAULT};
	struct pass_pipeline p;
	struct source pipe;
	struct buf options = {0};
	bool bare = text && !*text, ok = true;

	pass_pipeline_init(&p);
	if (bare || reproducer_has_line(s))
		ok = reproducer_read(s, &line, bare ? &p : NULL, &r->tool.arena,
				     d);
	if (ok && text && !bare) {
		source_init(&pipe, NULL, text, strlen(text));
		ok = pass_pipeline_parse(&p, &pipe, &r->tool.arena, d);
		source_free(&pipe);
	}
	if (ok && text)
		pass_pipeline_print(&r->state.pipeline, &p, NULL);
	options_put_under(&r->tool.set, &r->o, &line.set, &line,
			  &r->tool.arena);
	line.allow_unknown_ops = r->o.allow_unknown_ops;
	reproducer_print_options(&options, &line);
	r->state.options =
		arena_strndup(&r->tool.arena, options.at, options.len);
	r->oracle.passes = line.options;
	r->oracle.no_infer = line.no_infer;
	r->oracle.allow_unknown_ops = line.allow_unknown_ops;
	buf_free(&options);
	return ok;
}

/* Behind a first line that names passes. */
static void
take_module(struct run *r, struct source *s)
{
	size_t len = 0;

	if (reproducer_has_line(s)) {
		source_line(s, 1, &len);
		len += len < s->len;
	}
	buf_put(&r->state.module, s->text + len, s->len - len);
}

/* Errors of the input are told before anything is tried. */
static bool
check_module(struct run *r, struct source *s)
{
	struct parse_options o = PARSE_OPTIONS_DEFAULT;
	ir_context *cx = ir_context_new();
	ir_module *m;

	o.allow_unknown_ops = r->oracle.allow_unknown_ops;
	m = parse_module(cx, s, &r->tool.diag, &o);
	if (m)
		ir_module_free(m);
	ir_context_free(cx);
	return m != NULL;
}

static bool
save(const struct reduce_state *s, void *env)
{
	struct run *r = env;
	struct buf text = {0};
	bool ok;

	reduce_state_text(&text, s);
	ok = outfile_write(r->output, text.at, text.len, &r->tool.diag);
	buf_free(&text);
	return ok;
}

static void
report(struct run *r, const struct reduce_result *result, double seconds)
{
	fprintf(stderr, "reduced %zu nodes to %zu", result->nodes_before,
		result->nodes_after);
	if (result->steps_before)
		fprintf(stderr, ", %zu passes to %zu", result->steps_before,
			result->steps_after);
	fprintf(stderr, " in %zu tests, %.1f s: %s\n", result->tests, seconds,
		r->output);
}

static void
reduce(struct run *r)
{
	struct reduce_options o = {
		.deltas = r->o.deltas,
		.skipped = r->o.skipped,
		.iterations = r->o.iterations,
		.jobs = r->o.jobs,
		.abort_on_invalid = r->o.abort_on_invalid,
		.verbose = r->o.verbose,
		.save = save,
		.env = r,
	};
	struct reduce_result result;
	double start = clock_now();

	switch (reduce_run(&r->state, &r->oracle, &o, &result, &r->tool.diag)) {
	case REDUCE_DONE:
		report(r, &result, clock_now() - start);
		break;
	case REDUCE_NOT_INTERESTING:
		diag_error(&r->tool.diag, LOC_NONE,
			   "the input is not interesting: %s",
			   r->o.test    ? "the test fails on it"
			   : r->o.crash ? "the passes do not crash"
					: "the passes do not change what it "
					  "computes");
		r->tool.status = EXIT_NOT_INTERESTING;
		break;
	case REDUCE_FAILED:
		break;
	}
}

/* A folder of our own for candidates. */
static bool
make_directory(struct run *r)
{
	const char *tmp = getenv("TMPDIR");
	char *path = arena_printf(&r->tool.arena, "%s/relay-reduce-XXXXXX",
				  tmp && *tmp ? tmp : "/tmp");

	r->oracle.directory = mkdtemp(path);
	if (!r->oracle.directory)
		diag_error(&r->tool.diag, LOC_NONE,
			   "cannot make a temporary folder");
	return r->oracle.directory != NULL;
}

static void
run(struct run *r)
{
	const char *path = tool_input(&r->tool);
	const char *reason;
	struct source s;

	if (!path || !check_options(r))
		return;
	if (!source_open(&s, path, &reason)) {
		diag_error(&r->tool.diag, LOC_NONE, "cannot read '%s': %s",
			   path, reason);
		return;
	}
	r->output = r->o.in_place ? path
		    : r->o.output ? r->o.output
				  : "reduced.relay";
	r->oracle.command = r->o.test;
	r->oracle.arguments = r->o.arguments;
	r->oracle.crash = r->o.crash != NULL;
	r->oracle.miscompile = r->o.miscompile != NULL;
	r->oracle.timeout = r->o.test_timeout;
	r->oracle.verbose = r->o.verbose;
	r->tool.diag.source = &s;
	if (take_pipeline(r, &s) && check_module(r, &s)) {
		take_module(r, &s);
		r->tool.diag.source = NULL;
		if (make_directory(r)) {
			reduce(r);
			rmdir(r->oracle.directory);
		}
	}
	r->tool.diag.source = NULL;
	reduce_state_free(&r->state);
	source_free(&s);
}

int
main(int argc, char **argv)
{
	static struct run r = {
		.o = {.jobs = 1, .test_timeout = 10, .iterations = 5}};

	r.tool.set = (struct option_set){
		.tool = "relay-reduce",
		.overview = "make a Relay module smaller while a test of it "
			    "still says yes",
		.usage = "--test=CMD [options] [file]",
		.table = table,
		.count = sizeof(table) / sizeof(*table),
	};
	if (tool_start(&r.tool, argc, argv, &r.o, &r.o.tool)) {
		if (r.o.list)
			list_deltas(&r);
		else
			run(&r);
	}
	return tool_end(&r.tool);
}
