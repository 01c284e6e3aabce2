/*
 * relay-run: run a network on given inputs, and look at what comes out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codegen/evaluate.h"
#include "codegen/feed.h"
#include "codegen/interface.h"
#include "codegen/results.h"
#include "codegen/runner.h"
#include "ir/compare.h"
#include "ir/infer.h"
#include "ir/module.h"
#include "ir/npy.h"
#include "ir/verify.h"
#include "parser/parser.h"
#include "passes/input.h"
#include "passes/lower.h"
#include "passes/pass_options.h"
#include "passes/target_text.h"
#include "support/clock.h"
#include "support/outfile.h"
#include "support/tool.h"

enum { FILL_NOT = -1, STATUS_DIFFERS = 3 };
enum { SHOW_STATS, SHOW_FULL, SHOW_NONE };
enum { API_6, API_4 };

struct run_options {
	struct tool_options tool;
	struct pass_options passes;
	const char *engine;
	struct option_list inputs;
	struct option_list params;
	struct option_list compare;
	const char *output;
	const char *expect;
	const char *rtol;
	const char *atol;
	const char *level;
	const char *cpu;
	const char *features;
	const char *relay_passes;
	const char *bang_arch;
	int bang_shape; /* enum bangc_shape */
	int bang_keep;
	int bang_api;
	const char *bang_split;
	bool bang_host_fallback;
	int fill;
	int show;
	long long seed;
	long long threads;
	long long repeat;
	long long warmup;
	bool bench;
	bool equal_nan;
};

#define FIELD(name) offsetof(struct run_options, name)

static const struct option_def table[] = {
	{"Inputs", OPTION_HEADING, 0, NULL, NULL, NULL, 0},
	{"input", OPTION_EACH, FIELD(inputs), "NAME=FILE", NULL,
	 "take input NAME of a .npy, or all of a .npz", 0},
	{"inputs", OPTION_EACH, FIELD(inputs), "FILE", NULL,
	 "same as --input=FILE", OPTION_ALIAS},
	{"params", OPTION_EACH, FIELD(params), "FILE", NULL,
	 "take inputs and constants from .params, .npz", 0},
	{"fill", OPTION_CHOICE, FIELD(fill), "zeros|ones|random|iota|hash",
	 NULL, "make up what no file gives", 0},
	{"seed", OPTION_NUMBER, FIELD(seed), "N", NULL, "of --fill=random (0)",
	 0},
	{"Outputs", OPTION_HEADING, 0, NULL, NULL, NULL, 0},
	{"output", OPTION_TEXT, FIELD(output), "DIR/", NULL,
	 "write DIR/0.npy, DIR/1.npy, ..; or FILE.npz", 0},
	{"print-output", OPTION_CHOICE, FIELD(show), "stats|full|none", "stats",
	 "what to print of each output", 0},
	{"expect", OPTION_TEXT, FIELD(expect), "DIR/", NULL,
	 "compare with what --output writes; status 3", 0},
	{"rtol", OPTION_TEXT, FIELD(rtol), "X", NULL,
	 "relative tolerance (1e-4)", 0},
	{"atol", OPTION_TEXT, FIELD(atol), "X", NULL,
	 "absolute tolerance (1e-5)", 0},
	{"equal-nan", OPTION_FLAG, FIELD(equal_nan), NULL, NULL,
	 "NaN agrees with NaN (true)", OPTION_HIDDEN},
	{"Execution", OPTION_HEADING, 0, NULL, NULL, NULL, 0},
	{"engine", OPTION_TEXT, FIELD(engine), "ENGINE", NULL,
	 "auto, jit, interp, eval, bang-emu, lib:FILE", 0},
	{"compare-engines", OPTION_LIST, FIELD(compare), "A,B", NULL,
	 "run both and compare their outputs; status 3", 0},
	{"O", OPTION_TEXT, FIELD(level), "0..3", NULL,
	 "effort of the code generator (2)", OPTION_JOINED},
	{"mcpu", OPTION_TEXT, FIELD(cpu), "CPU", NULL,
	 "processor to generate code for (native)", 0},
	{"mattr", OPTION_TEXT, FIELD(features), "+A,-B", NULL, "features of it",
	 OPTION_HIDDEN},
	{"relay-passes", OPTION_TEXT, FIELD(relay_passes), "PIPE", NULL,
	 "run these passes first", 0},
	{"bang-arch", OPTION_TEXT, FIELD(bang_arch), "ARCH", NULL,
	 "mlu270, mlu290, mlu370 (default) or mlu590", 0},
	{"bang-shape", OPTION_CHOICE, FIELD(bang_shape), "launches|single",
	 NULL, "a kernel per primitive, or one for the network", 0},
	{"bang-keep", OPTION_CHOICE, FIELD(bang_keep), "sram|none", NULL,
	 "single: values in SRAM, on one cluster", OPTION_HIDDEN},
	{"bang-api", OPTION_CHOICE, FIELD(bang_api), "6|4", NULL,
	 "version of CNRT", OPTION_HIDDEN},
	{"bang-split", OPTION_TEXT, FIELD(bang_split), "N,..", NULL,
	 "single: at most N calls, code=N, params=N bytes", 0},
	{"bang-host-fallback", OPTION_FLAG, FIELD(bang_host_fallback), NULL,
	 NULL, "let the host do what has no BANG-C", OPTION_HIDDEN},
	{"threads", OPTION_NUMBER, FIELD(threads), "N", NULL,
	 "threads (0: one for each processor)", 0},
	{"bench", OPTION_FLAG, FIELD(bench), NULL, NULL,
	 "print times of the runs", 0},
	{"repeat", OPTION_NUMBER, FIELD(repeat), "N", NULL,
	 "run N times (1; 10 with --bench)", 0},
	{"warmup", OPTION_NUMBER, FIELD(warmup), "N", NULL,
	 "runs before those (0; 2 with --bench)", OPTION_HIDDEN},
	PASS_OPTIONS(struct run_options, passes)
		TOOL_OPTIONS(struct run_options, tool)};

struct run {
	struct run_options o;
	struct source *source;
	struct tool tool;
	struct pass_manager manager;
	ir_context *cx;
	ir_module *m;
	struct feed feed;
	struct interface x;
	const char **names; /* of the inputs, as in the text */
	struct loc result;  /* where the text computes it */
	bool evaluates;     /* whatever engine was asked for */
	bool inlined;       /* main called functions, but does no more */
	ir_tensor **in;
	ir_tensor **out;
	struct tolerance tol;
	struct bangc_limits most; /* --bang-split */
};

/* A line about what takes long, when somebody looks. */
static void
progress(const char *what)
{
	if (!isatty(2))
		return;
	if (what)
		fprintf(stderr, "\r\033[K%s ...", what);
	else
		fprintf(stderr, "\r\033[K");
}

static bool
number_option(struct run *r, const char *name, const char *text, double *out)
{
	char *end;

	if (!text)
		return true;
	*out = strtod(text, &end);
	if (end != text && !*end && *out >= 0)
		return true;
	diag_error(&r->tool.diag, LOC_NONE, "option '--%s': '%s' is no number",
		   name, text);
	return false;
}

static struct llvm_options
jit_options(const struct run *r)
{
	return (struct llvm_options){
		.cpu = r->o.cpu ? r->o.cpu : "native",
		.features = r->o.features,
		.level = r->o.level ? *r->o.level - '0' : 2,
	};
}

/* Is the machine that was asked for one that LLVM knows? */
static bool
check_machine(struct run *r)
{
	struct llvm_options o = jit_options(r);

	return (!r->o.cpu && !r->o.features) ||
	       llvm_has_target(&o, &r->tool.diag);
}

static bool
check_options(struct run *r)
{
	const char *level = r->o.level ? r->o.level : "2";

	r->tol = (struct tolerance){1e-4, 1e-5, r->o.equal_nan};
	if (strlen(level) != 1 || *level < '0' || *level > '3') {
		diag_error(&r->tool.diag, LOC_NONE,
			   "option '-O': '%s' is none of 0..3", level);
		return false;
	}
	return check_machine(r) &&
	       bangc_limits_parse(&r->most, r->o.bang_split, r->o.bang_shape,
				  &r->tool.diag) &&
	       number_option(r, "rtol", r->o.rtol, &r->tol.rtol) &&
	       number_option(r, "atol", r->o.atol, &r->tol.atol);
}

/* Schedules should know the processor that the code is for. */
static bool
wants_bang(const struct run *r)
{
	bool wants = r->o.engine && !strcmp(r->o.engine, "bang-emu");

	for (size_t i = 0; i < r->o.compare.len; i++)
		wants |= !strcmp(r->o.compare.at[i], "bang-emu");
	return wants;
}

static void
set_target(struct run *r)
{
	const char *cpu = r->o.cpu ? r->o.cpu : "native";

	if (wants_bang(r)) {
		r->o.passes.target = "bang";
		return;
	}
	if (strcmp(r->o.passes.target, "llvm") != 0)
		return;
	if (!strcmp(cpu, "native"))
		cpu = llvm_host_cpu();
	r->o.passes.target = arena_printf(&r->tool.arena, "llvm -mcpu=%s", cpu);
}

static bool
read_inputs(struct run *r)
{
	r->feed.diag = &r->tool.diag;
	r->feed.fill = r->o.fill != FILL_NOT;
	r->feed.how = (enum fill_kind)r->o.fill;
	r->feed.seed = (uint64_t)r->o.seed;
	for (size_t i = 0; i < r->o.inputs.len; i++)
		if (!feed_option(&r->feed, r->o.inputs.at[i]))
			return false;
	for (size_t i = 0; i < r->o.params.len; i++)
		if (!feed_file(&r->feed, NULL, r->o.params.at[i]))
			return false;
	return true;
}

/* Names of main's parameters, one per tensor, before they are lowered. */
static void
note_names(struct run *r, const struct ir_function *fn)
{
	size_t n = 0, max = 0;

	for (uint32_t i = 0; i < fn->nparams; i++)
		max += 1;
	r->names = arena_alloc(&r->tool.arena, (max + 1) * sizeof(*r->names));
	for (uint32_t i = 0; i < fn->nparams; i++) {
		const ir_type *t = fn->params[i]->base.type;

		if (t && t->kind != TYPE_TENSOR) {
			r->names = NULL; /* tuples: names of slots */
			return;
		}
		r->names[n++] = fn->params[i]->name;
	}
}

/* How a module can be run. */
enum how { RUN_COMPILED, RUN_SIZED, RUN_EVALUATED };

static bool
is_evaluator(const char *engine)
{
	return !strcmp(engine, "interp") || !strcmp(engine, "eval");
}

static bool
fits_in_main(const struct ir_function *fn)
{
	return !evaluate_is_needed_inlined(fn);
}

/*
 * A network made of functions is one list of calls when those are inlined,
 * which is left undone where it is of no use or R->EVALUATES.
 */
static bool
inline_functions(struct run *r, const ir_def **main)
{
	bool evaluates = r->evaluates || (r->o.engine && !r->o.compare.len &&
					  is_evaluator(r->o.engine));

	if (evaluates || !evaluate_is_needed((*main)->fn))
		return true;
	if (!lower_inline(&r->manager, r->m, *main, fits_in_main))
		return false;
	*main = ir_module_find(r->m, ir_name(r->cx, "main"));
	r->inlined = !evaluate_is_needed((*main)->fn);
	return ir_infer_module(r->m, &r->tool.diag);
}

/*
 * Check the module, type it and see how it can be run; *MAIN is its main, if
 * that is no list of calls yet.
 */
static bool
prepare(struct run *r, enum how *how, const ir_def **main_def)
{
	const ir_def *main;

	*how = RUN_COMPILED;
	*main_def = NULL;
	if (!ir_verify_module(r->m, &r->tool.diag))
		return false;
	if (r->o.relay_passes &&
	    !lower_run(&r->manager, r->m, r->o.relay_passes))
		return false;
	main = ir_module_find(r->m, ir_name(r->cx, "main"));
	if (!main) {
		diag_error(&r->tool.diag, LOC_NONE, "there is no '@main'");
		return false;
	}
	if (main->kind == DEF_FUNCTION) {
		if (!ir_infer_module(r->m, &r->tool.diag) ||
		    !feed_placeholders(&r->feed, r->m))
			return false;
		note_names(r, main->fn);
		if (!inline_functions(r, &main))
			return false;
		*main_def = main;
		if (evaluate_is_needed(main->fn))
			*how = RUN_EVALUATED;
		else if (evaluate_has_sizes(main->fn))
			*how = RUN_SIZED;
	}
	return true;
}

/* The module as it was before anything was done to it. */
static bool
read_module(struct run *r)
{
	struct parse_options o = PARSE_OPTIONS_DEFAULT;

	if (r->m) {
		input_use_spans(NULL, &r->tool.diag);
		ir_module_free(r->m);
	}
	r->m = parse_module(r->cx, r->source, &r->tool.diag, &o);
	if (r->m)
		input_use_spans(r->m, &r->tool.diag);
	return r->m != NULL;
}

static bool
lower(struct run *r)
{
	struct lower_options o = {.externals = r->o.bang_host_fallback,
				  .to = LOWER_CALLS};

	progress("compiling");
	if (!lower_module(&r->manager, r->m, &o))
		return false;
	if (!interface_of(r->m, &r->x, &r->tool.arena))
		diag_error(&r->tool.diag, LOC_NONE, "'@main' cannot be run");
	else if (r->x.incomplete)
		diag_error(&r->tool.diag, LOC_NONE,
			   "a constant of '@main' has no value");
	else
		return true;
	return false;
}

static bool
make_inputs(struct run *r)
{
	r->in = arena_alloc(&r->tool.arena,
			    (r->x.ninputs + 1) * sizeof(struct ir_tensor *));
	for (uint32_t i = 0; i < r->x.ninputs; i++) {
		const struct interface_slot *s = &r->x.slots[i];

		r->in[i] =
			feed_tensor(&r->feed, r->names ? r->names[i] : s->label,
				    s->dtype, s->shape, s->ndim);
		if (!r->in[i])
			return false;
	}
	return true;
}

static void
free_tensors(ir_tensor **t, uint32_t n)
{
	for (uint32_t i = 0; t && i < n; i++)
		ir_tensor_unref(t[i]);
}

static ir_tensor **
make_outputs(struct run *r)
{
	ir_tensor **out =
		arena_alloc(&r->tool.arena,
			    (r->x.noutputs + 1) * sizeof(struct ir_tensor *));

	for (uint32_t i = 0; i < r->x.noutputs && !r->x.sized; i++) {
		const struct interface_slot *s = &r->x.slots[r->x.ninputs + i];

		out[i] = ir_tensor_new(s->dtype, s->shape, s->ndim);
		if (out[i])
			continue;
		diag_error(&r->tool.diag, r->result,
			   "not enough memory for output %u: %lld bytes", i,
			   (long long)s->nbytes);
		free_tensors(out, i);
		return NULL;
	}
	return out;
}

static struct bangc_options
bang_options(const struct run *r)
{
	return (struct bangc_options){
		.name = "network",
		.arch = r->o.bang_arch,
		.shape = r->o.bang_shape,
		.all_clusters = r->o.bang_keep != 0,
		.host_fallback = r->o.bang_host_fallback,
		.most = r->most,
		.api = r->o.bang_api == API_4 ? 4 : 6,
		.remarks =
			instrument_lists_name(&r->o.passes.remarks, "bang-c"),
	};
}

static struct runner *
new_runner(struct run *r, const char *engine)
{
	struct diag *d = &r->tool.diag;
	struct llvm_options o = jit_options(r);

	if (!strcmp(engine, "interp"))
		return runner_interp(r->m, &r->x, d);
	if (!strcmp(engine, "jit"))
		return runner_jit(r->m, &r->x, &o, (int)r->o.threads, d);
	if (!strcmp(engine, "bang-emu")) {
		struct bangc_options b = bang_options(r);

		return runner_bang(r->m, &r->x, &b, d);
	}
	diag_error(d, LOC_NONE, "there is no engine '%s'", engine);
	diag_note(d, LOC_NONE,
		  "engines are auto, jit, interp, eval, bang-emu, lib:FILE");
	return NULL;
}

static bool
execute(struct run *r, struct runner *runner, ir_tensor **out)
{
	bool bench = r->o.bench;
	long long warmup = r->o.warmup >= 0 ? r->o.warmup : bench ? 2 : 0;
	long long n = r->o.repeat > 0 ? r->o.repeat : bench ? 10 : 1;
	double *times = xcalloc((size_t)n, sizeof(*times));
	bool ok = true;

	progress("running");
	for (long long i = 0; i < warmup && ok; i++)
		ok = runner_run(runner, r->in, out);
	for (long long i = 0; i < n && ok; i++) {
		double start = clock_now();

		ok = runner_run(runner, r->in, out);
		times[i] = clock_now() - start;
	}
	progress(NULL);
	if (ok && bench)
		clock_print_runs(times, (size_t)n);
	free(times);
	return ok;
}

/*
 * The evaluator of Relay on a module of its own, for a network that has been
 * compiled from this one.
 */
static bool
evaluate_beside(struct run *r, ir_tensor **out)
{
	ir_module *compiled = r->m;
	ir_tensor **found = NULL;
	const ir_def *main;
	enum how how;
	uint32_t n = 0;
	bool ok;

	r->m = NULL;
	r->evaluates = true;
	ok = read_module(r) && prepare(r, &how, &main) && main &&
	     evaluate_main(r->m, main, &r->feed, &found, &n);
	for (uint32_t i = 0; ok && i < n && i < r->x.noutputs; i++)
		out[i] = found[i];
	free(found);
	if (r->m) {
		input_use_spans(NULL, &r->tool.diag);
		ir_module_free(r->m);
	}
	r->m = compiled;
	input_use_spans(compiled, &r->tool.diag);
	return ok && n == r->x.noutputs;
}

static bool
run_engine(struct run *r, const char *engine, ir_tensor **out)
{
	struct runner *runner;
	bool ok;

	if (!strcmp(engine, "eval") || (r->x.sized && is_evaluator(engine)))
		return evaluate_beside(r, out);
	runner = new_runner(r, !strcmp(engine, "auto") ? "jit" : engine);
	ok = runner && execute(r, runner, out);

	runner_free(runner);
	return ok;
}

/* Compare output I with WANT; FROM says where that is from. */
static void
compare(struct run *r, uint32_t i, const ir_tensor *want, const char *from)
{
	struct buf text = {0};

	if (!tensors_agree(r->out[i], want, &r->tol, &text)) {
		fprintf(stderr, "relay-run: output %u differs from %s:\n%s", i,
			from, text.at);
		r->tool.status = STATUS_DIFFERS;
	}
	buf_free(&text);
}

static bool
compare_expected(struct run *r)
{
	struct feed want = {.diag = &r->tool.diag};
	bool npz = results_is_npz(r->o.expect), ok = true;

	if (npz)
		ok = feed_file(&want, NULL, r->o.expect);
	for (uint32_t i = 0; i < r->x.noutputs && ok; i++) {
		char name[32];
		ir_tensor *t;

		snprintf(name, sizeof(name), "%u", i);
		if (!npz)
			ok = feed_file(&want, name,
				       arena_printf(&r->tool.arena, "%s/%u.npy",
						    r->o.expect, i));
		t = named_tensors_find(&want.given, name);
		if (ok && t) {
			t = npy_as(t, r->out[i]->dtype);
			compare(r, i, t, r->o.expect);
			ir_tensor_unref(t);
		} else if (ok) {
			diag_error(&r->tool.diag, LOC_NONE,
				   "'%s' has no output %u", r->o.expect, i);
			ok = false;
		}
	}
	feed_free(&want);
	return ok;
}

static bool
compare_engines(struct run *r)
{
	ir_tensor **other;
	bool ok;

	if (r->o.compare.len != 2) {
		diag_error(&r->tool.diag, LOC_NONE,
			   "option '--compare-engines' wants two engines");
		return false;
	}
	other = make_outputs(r);
	ok = other && run_engine(r, r->o.compare.at[0], r->out) &&
	     run_engine(r, r->o.compare.at[1], other);
	for (uint32_t i = 0; i < r->x.noutputs && ok; i++)
		compare(r, i, other[i],
			arena_printf(&r->tool.arena, "engine %s",
				     r->o.compare.at[1]));
	free_tensors(other, r->x.noutputs);
	return ok;
}

static void
finish(struct run *r)
{
	struct results out = {r->out, r->x.noutputs};
	struct diag *d = &r->tool.diag;

	if (r->o.output && !results_write(&out, r->o.output, d))
		return;
	if (r->o.expect && !compare_expected(r))
		return;
	if (r->o.show != SHOW_NONE)
		results_print(&out, r->o.show == SHOW_FULL, d);
}

static bool
evaluate(struct run *r, const ir_def *main)
{
	ir_tensor **out = NULL;
	bool ok;

	progress("running");
	ok = evaluate_main(r->m, main, &r->feed, &out, &r->x.noutputs);
	progress(NULL);
	if (ok)
		r->out = arena_copy(&r->tool.arena, out,
				    r->x.noutputs * sizeof(*out));
	free(out);
	return ok;
}

/* What cannot be compiled is no error, but left to the evaluator. */
static bool
try_to_lower(struct run *r)
{
	struct diag saved = r->tool.diag;
	bool ok;

	r->tool.diag.quiet = true;
	ok = lower(r);
	r->tool.diag = saved;
	return ok;
}

/* Say that MAIN is no list of calls, and what in it is none. */
static void
refuse_bang(struct run *r, const ir_def *main)
{
	diag_error(&r->tool.diag, main->loc,
		   "'@main' is more than a list of kernel calls, which is all "
		   "that bang-emu runs");
	lower_run(&r->manager, r->m,
		  "inline-all,remove-unused-functions,"
		  "fuse-ops<fuse-opt-level=0>,outline-primitives,"
		  "check-single-call-function");
}

static void
run_module(struct run *r)
{
	const char *engine = r->o.engine ? r->o.engine : "auto";
	const ir_def *main;
	enum how how;
	bool ok;

	if (!read_inputs(r) || !prepare(r, &how, &main))
		return;
	if (main && main->kind == DEF_FUNCTION) {
		r->result = main->fn->body->loc;
		if (!feed_names_exist(&r->feed, r->o.inputs.at, r->o.inputs.len,
				      main->fn))
			return;
	}
	if (how == RUN_EVALUATED && wants_bang(r)) {
		refuse_bang(r, main);
		return;
	}
	if (how == RUN_SIZED && !r->o.compare.len && is_evaluator(engine))
		how = RUN_EVALUATED;
	if (main && !strcmp(engine, "eval") && !r->o.compare.len)
		how = RUN_EVALUATED;
	if ((how == RUN_SIZED || (r->inlined && !r->o.compare.len)) &&
	    !strcmp(engine, "auto") && !try_to_lower(r)) {
		r->evaluates = true;
		if (!read_module(r) || !prepare(r, &how, &main))
			return;
		how = RUN_EVALUATED;
	}
	if (how == RUN_EVALUATED && main) {
		if (evaluate(r, main))
			finish(r);
		return;
	}
	if (!lower(r) || !make_inputs(r))
		return;
	r->out = make_outputs(r);
	if (!r->out)
		return;
	ok = r->o.compare.len ? compare_engines(r)
			      : run_engine(r, engine, r->out);
	if (ok)
		finish(r);
}

static void
run_library(struct run *r, const char *path)
{
	struct runner *lib = runner_library(path, &r->x, &r->tool.arena,
					    (int)r->o.threads, &r->tool.diag);

	if (lib && read_inputs(r) && make_inputs(r)) {
		r->out = make_outputs(r);
		if (r->out && execute(r, lib, r->out))
			finish(r);
	}
	runner_free(lib);
}

static void
run_text(struct run *r)
{
	struct diag *d = &r->tool.diag;
	const char *path = tool_input(&r->tool), *reason;
	struct source s;

	r->o.passes.target =
		target_read("--target", r->o.passes.target, &r->tool.arena, d);
	if (!r->o.passes.target)
		return;
	set_target(r);
	if (!path ||
	    !pass_manager_init(&r->manager, d, &r->o.passes, &r->tool.arena))
		return;
	if (!source_open(&s, path, &reason)) {
		diag_error(d, LOC_NONE, "cannot read '%s': %s", path, reason);
		return;
	}
	d->source = &s;
	r->source = &s;
	r->cx = ir_context_new();
	if (read_module(r)) {
		run_module(r);
		input_use_spans(NULL, d);
	}
	progress(NULL);
	if (!pass_manager_end(&r->manager) && !d->errors)
		r->tool.status = 1;
	if (r->m)
		ir_module_free(r->m);
	ir_context_free(r->cx);
	d->source = NULL;
	source_free(&s);
}

int
main(int argc, char **argv)
{
	static struct run r = {.o = {.passes = PASS_OPTIONS_DEFAULT,
				     .bang_arch = "mlu370",
				     .fill = FILL_NOT,
				     .warmup = -1,
				     .equal_nan = true}};

	r.tool.set = (struct option_set){
		.tool = "relay-run",
		.overview = "run a Relay module on given inputs",
		.usage = "[options] [file]",
		.table = table,
		.count = sizeof(table) / sizeof(*table),
	};
	if (tool_start(&r.tool, argc, argv, &r.o, &r.o.tool) &&
	    check_options(&r)) {
		if (r.o.engine && !strncmp(r.o.engine, "lib:", 4))
			run_library(&r, r.o.engine + 4);
		else
			run_text(&r);
	}
	free_tensors(r.in, r.x.ninputs);
	free_tensors(r.out, r.x.noutputs);
	feed_free(&r.feed);
	return tool_end(&r.tool);
}
