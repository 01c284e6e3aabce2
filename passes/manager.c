#include "passes/manager.h"

#include <string.h>

#include "ir/infer.h"
#include "ir/module.h"
#include "ir/verify.h"
#include "ir/visits.h"
#include "ir/walk.h"
#include "parser/parser.h"
#include "passes/dot/graph.h"
#include "passes/plugin/instruments.h"
#include "passes/plugin/plugin.h"
#include "passes/registry.h"
#include "passes/reproducer.h"
#include "passes/spans.h"
#include "passes/target_text.h"
#include "passes/validate.h"
#include "passes/validate_run.h"
#include "support/crash.h"
#include "support/glob.h"
#include "support/outfile.h"

static bool
check_pass_name(const char *name, struct diag *d)
{
	struct suggest s;

	if (!name || pass_find(name, strlen(name)))
		return true;
	suggest_start(&s, name);
	pass_suggest(&s);
	diag_error(d, LOC_NONE, "unknown pass '%s'%s", name, suggest_text(&s));
	return false;
}

/*
 * Names in LIST, except for patterns and numbers, must be of passes, or of the
 * BANG-C back end, which remarks, too.
 */
static bool
check_pass_list(const struct option_list *list, struct diag *d)
{
	bool ok = true;

	for (size_t i = 0; i < list->len; i++)
		if (!strpbrk(list->at[i], "*?[") &&
		    strcmp(list->at[i], "bang-c") != 0 &&
		    list->at[i][strspn(list->at[i], "0123456789")])
			ok &= check_pass_name(list->at[i], d);
	return ok;
}

static bool
check_pass_lists(const struct pass_options *o, struct diag *d)
{
	bool ok = check_pass_name(o->stop_after, d);

	ok &= check_pass_list(&o->print_before, d);
	ok &= check_pass_list(&o->print_after, d);
	ok &= check_pass_list(&o->filter_passes, d);
	ok &= check_pass_list(&o->remarks, d);
	ok &= check_pass_list(&o->remarks_missed, d);
	return ok;
}

static bool
read_context(struct pass_manager *pm, const struct pass_options *o,
	     struct arena *a, struct diag *d)
{
	bool ok = o->opt_level >= 0 && o->opt_level <= 4;

	if (!ok)
		diag_error(d, LOC_NONE,
			   "option '--opt-level' takes a level from 0 to 4, "
			   "not '%lld'",
			   o->opt_level);
	pm->target = target_read("--target", o->target, a, d);
	return pm->target && ok;
}

bool
pass_manager_init(struct pass_manager *pm, struct diag *d,
		  const struct pass_options *options, struct arena *a)
{
	bool ok = true;

	*pm = (struct pass_manager){.diag = d, .options = options};
	for (size_t i = 0; i < options->plugins.len; i++)
		if (!plugin_load(options->plugins.at[i], d))
			return false;
	pass_context_init(&pm->context, a);
	pm->context.opt_level = (int)options->opt_level;
	ok &= pass_context_require(&pm->context, &options->required, a, d);
	ok &= pass_context_disable(&pm->context, &options->disabled, a, d);
	for (size_t i = 0; i < options->config.len; i++)
		ok &= pass_context_configure(&pm->context,
					     options->config.at[i], a, d);
	ok &= check_pass_lists(options, d);
	ok &= read_context(pm, options, a, d);
	for (size_t i = 0; i < options->debug_counters.len; i++) {
		struct debug_counter c;

		if (debug_counter_parse(&c, options->debug_counters.at[i], d))
			vec_push(&pm->instrument.counters, c);
		else
			ok = false;
	}
	return ok;
}

static void
forget_state(struct pass_manager *pm)
{
	validate_state_unref(pm->state);
	pm->state = NULL;
}

bool
pass_manager_end(struct pass_manager *pm)
{
	bool ok;

	instrument_end(pm);
	ok = !pm->instrument.failed;
	validate_free(pm->validation);
	pm->validation = NULL;
	forget_state(pm);
	arena_free(&pm->scratch);
	return ok;
}

/* Bring the types of the module up to date. */
static bool
infer(struct pass_manager *pm)
{
	const char *before = pm->diag->pass;
	bool ok = true;

	if (!pm->module->types_valid) {
		pm->diag->pass = "infer-type";
		timing_begin(&pm->instrument.timing, "infer-type");
		ok = ir_infer_module(pm->module, pm->diag);
		timing_end(&pm->instrument.timing);
		pm->diag->pass = before;
	}
	return ok;
}

/* The first node without a type, better one that has a place. */
static void
find_untyped(const ir_expr *e, void *env)
{
	const ir_expr **found = env;

	if (e->type || e->kind == IR_OP)
		return;
	if (!*found || (!loc_is_known((*found)->loc) && loc_is_known(e->loc)))
		*found = e;
}

/* A function of TVM's that is kept as text leaves its calls without types. */
static bool
has_types(struct pass_manager *pm)
{
	const ir_module *m = pm->module;
	const ir_expr *untyped = NULL;
	const char *raw = NULL;

	for (size_t i = 0; i < m->defs.len; i++)
		if (m->defs.at[i]->kind == DEF_RAW)
			raw = m->defs.at[i]->global->name;
	for (size_t i = 0; raw && i < m->defs.len; i++)
		if (m->defs.at[i]->kind == DEF_FUNCTION && m->defs.at[i]->fn)
			ir_walk(&m->defs.at[i]->fn->base, NULL, find_untyped,
				&untyped);
	if (untyped)
		diag_error(pm->diag, untyped->loc,
			   "this has no type, as '@%s' is kept as text", raw);
	return !untyped;
}

/*
 * Types of a module that a module pass has left without some: inference would
 * fill them in, and show in what is printed, so a copy is inferred instead.
 * Going through text, it also tries the printer and the reader.
 */
static bool
check_types(struct pass_manager *pm, const struct pass_info *info)
{
	const struct buf *text = &pm->state->text;
	struct source *before = pm->diag->source;
	struct source copy;
	bool ok;

	source_init(&copy,
		    arena_printf(&pm->scratch, "<after -%s>", info->flag),
		    text->at, text->len);
	pm->diag->source = &copy;
	ok = validate_read(pm->state, pm->module->cx, pm->diag) != NULL;
	pm->diag->source = before;
	source_free(&copy);
	return ok;
}

/* What the options want to know of the module that INFO has left. */
static bool
check_result(struct pass_manager *pm, const struct pass_info *info)
{
	const struct pass_options *o = pm->options;
	bool read = o->verify_each && !pm->module->types_valid;
	bool right;

	forget_state(pm);
	right = !o->verify_each || ir_verify_module(pm->module, pm->diag);
	if (right && (o->validate || read))
		pm->state = validate_state_of(pm->cache, pm->module);
	if (right && o->validate)
		validate_prepare(pm, pm->state);
	if (right && read)
		right = check_types(pm, info);
	if (!right)
		diag_error(pm->diag, LOC_NONE,
			   "the module is wrong after this pass");
	return right && (!o->validate || validate_after(pm, info, pm->state));
}

static size_t
count_nodes(const struct ir_function *fn)
{
	ir_expr_vec nodes = {0};
	size_t n;

	ir_postorder(&fn->base, &nodes);
	n = nodes.len;
	vec_free(&nodes);
	return n;
}

static size_t
count_all_nodes(const ir_module *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->defs.len; i++)
		if (m->defs.at[i]->fn)
			n += count_nodes(m->defs.at[i]->fn);
	return n;
}

static void
say_running(struct pass_manager *pm, const struct pass_info *info,
	    const ir_def *def)
{
	if (!pm->options->debug)
		return;
	if (def)
		fprintf(pm->diag->out, "Running pass: %s on @%s (%zu nodes)\n",
			info->name, def->name, count_nodes(def->fn));
	else
		fprintf(pm->diag->out,
			"Running pass: %s on the module (%zu nodes)\n",
			info->name, count_all_nodes(pm->module));
}

static bool
has_flag(pass_ctx *cx, const struct ir_function *fn, const char *name)
{
	return ir_dict_int(fn->attrs, ir_name(cx->module->cx, name), 0) != 0;
}

/* May a function pass look at DEF? */
static bool
is_optimizable(pass_ctx *cx, const ir_def *def)
{
	const struct ir_function *fn = def->fn;
	const char *only = cx->manager->only;

	if (def->kind != DEF_FUNCTION || !fn)
		return false;
	if (only && !glob_match(only, def->name))
		return false;
	return !ir_dict_get(fn->attrs, ir_name(cx->module->cx, "Compiler")) &&
	       !has_flag(cx, fn, "Extern") &&
	       !has_flag(cx, fn, "SkipOptimization");
}

/*
 * Results are stored after the last function, so that no function sees what
 * became of another; then types are inferred.
 */
static bool
run_on_functions(pass_ctx *cx, bool *changed)
{
	struct pass_manager *pm = cx->manager;
	ir_module *m = cx->module;
	size_t n = m->defs.len;
	const struct ir_function **results;

	results = ARENA_NEW_ARRAY(cx->scratch, n, const struct ir_function *);
	for (size_t i = 0; i < n && !cx->failed; i++) {
		ir_def *def = m->defs.at[i];

		results[i] = def->fn;
		if (!is_optimizable(cx, def) ||
		    !instrument_allows(pm, cx->info, def->name))
			continue;
		say_running(pm, cx->info, def);
		crash_doing("running pass", cx->info->flag, def->name);
		results[i] = cx->info->run_function(cx, def, def->fn);
	}
	for (size_t i = 0; i < n && !cx->failed; i++) {
		*changed |= results[i] != m->defs.at[i]->fn;
		m->defs.at[i]->fn = results[i];
	}
	if (*changed)
		m->types_valid = false;
	return !cx->failed && infer(pm);
}

static bool
run_on_module(pass_ctx *cx, bool *changed)
{
	if (!instrument_allows(cx->manager, cx->info, NULL))
		return true;
	say_running(cx->manager, cx->info, NULL);
	crash_doing("running pass", cx->info->flag, NULL);
	*changed = cx->info->run_module(cx);
	if (*changed && !cx->keeps_types)
		cx->module->types_valid = false;
	return !cx->failed;
}

static void
count_stats(struct pass_manager *pm, const struct pass_info *info,
	    const char *what)
{
	if (pm->options->stats)
		stats_add(&pm->instrument.stats, info->flag, what,
			  count_all_nodes(pm->module));
}

/* VISITS: the count when the pass began. */
static void
count_visits(struct pass_manager *pm, const struct pass_info *info,
	     uint64_t visits)
{
	if (pm->options->stats)
		stats_add(&pm->instrument.stats, info->flag, "node visits",
			  ir_visits() - visits);
}

/* The module and the pass to run, for --crash-reproducer. */
static void
prepare_reproducer(struct pass_manager *pm, const struct pass_step *step)
{
	struct buf *out = &pm->instrument.reproducer;
	struct print_options print = {.types = PRINT_TYPES_AUTO};

	if (!pm->options->reproducer)
		return;
	out->len = 0;
	reproducer_print(out, pm, step);
	ir_print_module(out, pm->module, &print);
	crash_reproducer(pm->options->reproducer, out->at, out->len);
}

static void
write_reproducer(struct pass_manager *pm)
{
	const char *path = pm->options->reproducer;
	const struct buf *text = &pm->instrument.reproducer;

	if (path && outfile_write(path, text->at, text->len, pm->diag))
		diag_note(pm->diag, LOC_NONE, "reproducer: %s", path);
}

/*
 * Passes leave garbage behind. Once the arena is four times what was live
 * after the last time, copy what is live away. Small modules never get there.
 */
static void
collect_garbage(struct pass_manager *pm)
{
	enum { SMALL = 64 << 20 };
	size_t *limit = &pm->compact_at;

	if (*limit == 0)
		*limit = SMALL;
	if (pm->module->arena.used < *limit)
		return;
	ir_module_compact(pm->module);
	*limit = pm->module->arena.used * 4;
	if (*limit < SMALL)
		*limit = SMALL;
}

/* Warn if there are more calls without a place than BEFORE. */
static void
check_spans(struct pass_manager *pm, const struct span_count *before)
{
	struct span_count now;
	const ir_op *op;

	spans_count(&now, pm->module);
	if (now.lost <= before->lost)
		return;
	op = ir_called_op(now.first);
	diag_warning(pm->diag, now.def->loc,
		     "this pass loses places: %zu of %zu calls have none "
		     "(before: %zu), as '%s' in '@%s'",
		     now.lost, now.calls, before->lost,
		     op ? op->name : "a function", now.def->name);
}

static bool
permits(void *env)
{
	return pass_may_rewrite(env);
}

/* Let --debug-counter decide about the rewrites of rules. */
static void
count_rewrites(pass_ctx *cx, bool now)
{
	now &= cx->manager->instrument.counters.len > 0;
	cx->module->permits = now ? permits : NULL;
	cx->module->permits_env = now ? cx : NULL;
}

/* Run a pass, whatever its level. */
static bool
run_pass(struct pass_manager *pm, const struct pass_step *step, bool *changed)
{
	const struct pass_info *info = step->info;
	pass_ctx cx = {.module = pm->module,
		       .diag = pm->diag,
		       .scratch = &pm->scratch,
		       .info = info,
		       .values = step->values,
		       .manager = pm};
	struct span_count spans;
	uint64_t visits;
	bool now = false;
	bool failed;
	bool ok;

	if ((info->needs & PASS_NEEDS_TYPES) && !(infer(pm) && has_types(pm)))
		return false;
	if (!plugin_instruments_before(
		    pm, info, pass_context_requires(&pm->context, info),
		    &failed))
		return !failed;
	instrument_before(pm, info);
	prepare_reproducer(pm, step);
	count_stats(pm, info, "nodes before");
	visits = ir_visits();
	if (pm->options->verify_spans)
		spans_count(&spans, pm->module);
	pm->diag->pass = info->flag;
	count_rewrites(&cx, true);
	ok = info->kind == PASS_FUNCTION ? run_on_functions(&cx, &now)
					 : run_on_module(&cx, &now);
	count_rewrites(&cx, false);
	if (cx.free_state)
		cx.free_state(cx.state);
	count_visits(pm, info, visits);
	ok = ok && check_result(pm, info);
	if (ok && pm->options->verify_spans)
		check_spans(pm, &spans);
	pm->diag->pass = NULL;
	crash_doing(NULL, NULL, NULL);
	if (!ok) {
		timing_end(&pm->instrument.timing);
		write_reproducer(pm);
		return false;
	}
	count_stats(pm, info, "nodes after");
	instrument_after(pm, info, now);
	ok = plugin_instruments_after(pm, info, now);
	arena_reset(&pm->scratch);
	collect_garbage(pm);
	*changed |= now;
	return ok;
}

/* "InferType,FoldConstant": with their defaults; types only if stale. */
static bool
run_required(struct pass_manager *pm, const struct pass_info *info,
	     bool *changed)
{
	const char *name = info->required;

	while (*name) {
		size_t len = strcspn(name, ",");
		struct pass_step step = {.info = pass_find(name, len)};
		bool ok = true;

		if (step.info && strcmp(step.info->flag, "infer-type") == 0)
			ok = infer(pm);
		else if (step.info)
			ok = run_pass(pm, &step, changed);
		if (!ok)
			return false;
		name += len + (name[len] == ',');
	}
	return true;
}

static bool run_pipe(struct pass_manager *pm, const struct pass_step *step,
		     bool by_level, bool *changed);

/* Passes by level under the level of the sequence. */
static bool
run_sequential(struct pass_manager *pm, const struct pass_step *step,
	       bool *changed)
{
	int level = pm->context.opt_level;
	bool ok;

	timing_begin(&pm->instrument.timing, "sequential");
	pm->context.opt_level = (int)step->number;
	ok = run_pipe(pm, step->inner, true, changed);
	pm->context.opt_level = level;
	timing_end(&pm->instrument.timing);
	return ok;
}

static bool
run_repeatedly(struct pass_manager *pm, const struct pass_step *step,
	       bool by_level, bool *changed)
{
	bool now = true;

	for (unsigned i = 0; i < step->number && !pm->stopped; i++) {
		now = false;
		if (!run_pipe(pm, step->inner, by_level, &now))
			return false;
		*changed |= now;
		if (!now && step->kind == STEP_FIXPOINT)
			return true;
	}
	if (step->kind == STEP_FIXPOINT && now && !pm->stopped)
		diag_warning(pm->diag, LOC_NONE,
			     "fixpoint: still changing after %u rounds",
			     step->number);
	return true;
}

static bool
run_restricted(struct pass_manager *pm, const struct pass_step *step,
	       bool by_level, bool *changed)
{
	const char *before = pm->only;
	bool ok, any = false;

	pm->only = step->only;
	for (size_t i = 0; i < pm->module->defs.len && !any; i++)
		any = glob_match(pm->only, pm->module->defs.at[i]->name);
	if (!any)
		diag_warning(pm->diag, LOC_NONE,
			     "function<%s>: no function of this name",
			     pm->only);
	ok = run_pipe(pm, step->inner, by_level, changed);
	pm->only = before;
	return ok;
}

/* The module as text of Relay, or as a graph in FORMAT. */
static void
print_step(struct pass_manager *pm, const char *format)
{
	static const struct dot_style style = {.types = true};
	static const struct dot_options options = {0};
	struct dot_graph g = {0};
	struct buf text = {0};

	if (!format) {
		instrument_dump(pm, "IR Dump");
		return;
	}
	dot_graph_build(&g, pm->module, &options);
	if (strcmp(format, "dot") == 0)
		dot_write_dot(&text, &g, pm->module, &style);
	else
		dot_write_text(&text, &g, pm->module, &style);
	instrument_print(pm, "IR Dump", &text);
	buf_free(&text);
	dot_graph_free(&g);
}

static bool
save_module(struct pass_manager *pm, const char *path)
{
	struct buf text = {0};
	bool ok;

	ir_print_module(&text, pm->module, &pm->print);
	ok = outfile_write(path, text.at, text.len, pm->diag);
	buf_free(&text);
	return ok;
}

static bool
run_step(struct pass_manager *pm, const struct pass_step *step, bool by_level,
	 bool *changed)
{
	switch (step->kind) {
	case STEP_PASS:
		if (by_level && !pass_context_enables(&pm->context, step->info))
			return true;
		if (by_level && !run_required(pm, step->info, changed))
			return false;
		return run_pass(pm, step, changed);
	case STEP_SEQUENTIAL:
		return run_sequential(pm, step, changed);
	case STEP_REPEAT:
	case STEP_FIXPOINT:
		return run_repeatedly(pm, step, by_level, changed);
	case STEP_FUNCTION:
		return run_restricted(pm, step, by_level, changed);
	case STEP_IF_CHANGED:
		return !pm->step_changed ||
		       run_pipe(pm, step->inner, by_level, changed);
	case STEP_PRINT:
		print_step(pm, step->only);
		break;
	case STEP_SAVE:
		return save_module(pm, step->only);
	}
	return true;
}

static bool
run_pipe(struct pass_manager *pm, const struct pass_step *step, bool by_level,
	 bool *changed)
{
	const char *stop = pm->options->stop_after;
	const struct pass_info *last = NULL;

	if (stop)
		last = pass_find(stop, strlen(stop));
	pm->step_changed = false;
	for (; step && !pm->stopped; step = step->next) {
		bool now = false;

		if (!run_step(pm, step, by_level, &now))
			return false;
		pm->step_changed = now;
		*changed |= now;
		if (last && step->kind == STEP_PASS && step->info == last)
			pm->stopped = true;
	}
	return true;
}

bool
pass_manager_run(struct pass_manager *pm, const struct pass_pipeline *p,
		 ir_module *m, bool no_infer)
{
	bool changed = false;
	bool ok;

	pm->module = m;
	pm->stopped = false;
	pm->no_infer = no_infer;
	if (!no_infer && p->first && !infer(pm))
		return false;
	if (pm->options->validate) {
		if (!pm->state)
			pm->state = validate_state_of(pm->cache, m);
		validate_start(pm, pm->state);
	}
	instrument_start(pm);
	plugin_instruments_enter();
	ok = !pm->instrument.failed && run_pipe(pm, p->first, false, &changed);
	plugin_instruments_leave();
	return ok;
}
