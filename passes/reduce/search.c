/*
 * The search: for each kind of edit, try all sites at once, then halves,
 * quarters, down to single ones, and keep what stays interesting; begin anew
 * until a round finds nothing.
 */
#include <string.h>

#include "ir/infer.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "ir/walk.h"
#include "parser/parser.h"
#include "passes/reduce/reduce.h"
#include "support/hash.h"

const struct reduce_delta reduce_deltas[] = {
	{"pipeline", "drop passes", reduce_drop_steps, true},
	{"unwrap", "put passes of sequences and loops outside",
	 reduce_unwrap_steps, true},
	{"pass-options", "drop options of passes", reduce_drop_options, true},
	{"functions", "drop definitions", reduce_drop_functions, false},
	{"outputs", "drop fields of the tuple that a function returns",
	 reduce_drop_outputs, false},
	{"parts", "take a part of a function for the whole", reduce_take_part,
	 false},
	{"cut", "let values come in as parameters", reduce_cut, false},
	{"operands", "replace calls by arguments, conditionals by branches",
	 reduce_take_operand, false},
	{"zeros", "replace values by zeros", reduce_put_zeros, false},
	{"lets", "put values in the place of let variables", reduce_inline_lets,
	 false},
	{"params", "drop parameters that nothing reads", reduce_drop_params,
	 false},
	{"types", "drop data types", reduce_drop_types, false},
	{"shapes", "make extents smaller", reduce_shrink_shapes, false},
	{"constants", "make constants scalars and zeros",
	 reduce_simplify_constants, false},
	{"dtypes", "make element types float32", reduce_simplify_dtypes, false},
	{"attributes", "put attributes back to their defaults",
	 reduce_drop_attributes, false},
	{"annotations", "drop written types", reduce_drop_annotations, false},
};
const size_t reduce_ndeltas = sizeof(reduce_deltas) / sizeof(*reduce_deltas);

struct search {
	struct reduce_state *best;
	const struct reduce_oracle *oracle;
	const struct reduce_options *o;
	struct reduce_result *result;
	struct diag *d;
	bool typed; /* the input passes inference, so candidates must */
	bool gave_up;
	uint64_t *seen; /* hashes of what was tried; 0: free */
	size_t nseen;
	size_t nslots;
};

void
reduce_state_free(struct reduce_state *s)
{
	buf_free(&s->pipeline);
	buf_free(&s->module);
	*s = (struct reduce_state){0};
}

void
reduce_state_text(struct buf *out, const struct reduce_state *s)
{
	if (s->pipeline.len)
		buf_printf(out, "// relay-opt: --passes='%s'%s\n",
			   s->pipeline.at, s->options ? s->options : "");
	buf_put(out, s->module.at, s->module.len);
}

/* -------------------------------------------------------------- states -- */

static void
quiet_diag(struct diag *d, struct source *s)
{
	diag_init(d, "relay-reduce", s);
	d->quiet = true;
}

/* The module of S, typed if it can be; NULL: it does not read back. */
static ir_module *
read_module(const struct search *x, ir_context *cx,
	    const struct reduce_state *s, bool *typed)
{
	struct parse_options o = PARSE_OPTIONS_DEFAULT;
	struct source text;
	struct diag d;
	ir_module *m;

	source_init(&text, "<candidate>", s->module.at, s->module.len);
	quiet_diag(&d, &text);
	o.allow_unknown_ops = x->oracle->allow_unknown_ops;
	m = parse_module(cx, &text, &d, &o);
	if (m && !ir_verify_module(m, &d)) {
		ir_module_free(m);
		m = NULL;
	}
	*typed = m && ir_infer_module(m, &d);
	source_free(&text);
	return m;
}

static size_t
count_nodes(const ir_module *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->defs.len; i++) {
		ir_expr_vec nodes = {0};

		if (m->defs.at[i]->fn)
			ir_postorder(&m->defs.at[i]->fn->base, &nodes);
		n += nodes.len ? nodes.len : 1;
		vec_free(&nodes);
	}
	return n;
}

/* Types are left out; but a constant without data has only its comment. */
static void
print_module(const ir_module *m, struct reduce_state *s)
{
	struct print_options print = {.types = m->has_placeholders
						       ? PRINT_TYPES_AUTO
						       : PRINT_TYPES_NONE};

	s->module.len = 0;
	ir_print_module(&s->module, m, &print);
}

static size_t
count_steps(const struct pass_step *step)
{
	size_t n = 0;

	for (; step; step = step->next)
		n += 1 + count_steps(step->inner);
	return n;
}

static bool
read_pipeline(const struct reduce_state *s, struct pass_pipeline *p,
	      struct arena *a)
{
	struct source text;
	struct diag d;
	bool ok;

	quiet_diag(&d, NULL);
	pass_pipeline_init(p);
	source_init(&text, NULL, s->pipeline.at ? s->pipeline.at : "",
		    s->pipeline.len);
	ok = pass_pipeline_parse(p, &text, a, &d);
	source_free(&text);
	return ok;
}

static bool
same_state(const struct reduce_state *a, const struct reduce_state *b)
{
	return a->module.len == b->module.len &&
	       a->pipeline.len == b->pipeline.len &&
	       memcmp(a->module.at, b->module.at, a->module.len) == 0 &&
	       (a->pipeline.len == 0 ||
		memcmp(a->pipeline.at, b->pipeline.at, a->pipeline.len) == 0);
}

static uint64_t
state_hash(const struct reduce_state *s)
{
	uint64_t h = hash_bytes(s->module.at, s->module.len);

	if (s->pipeline.len)
		h = hash_mix(h, hash_bytes(s->pipeline.at, s->pipeline.len));
	return h ? h : 1;
}

static void remember(struct search *x, uint64_t h);

static void
grow_seen(struct search *x)
{
	uint64_t *old = x->seen;
	size_t n = x->nslots;

	x->nslots = n ? n * 2 : 256;
	x->seen = xcalloc(x->nslots, sizeof(*x->seen));
	x->nseen = 0;
	for (size_t i = 0; i < n; i++)
		if (old[i])
			remember(x, old[i]);
	free(old);
}

static uint64_t *
seen_slot(struct search *x, uint64_t h)
{
	size_t i = h & (x->nslots - 1);

	while (x->seen[i] && x->seen[i] != h)
		i = (i + 1) & (x->nslots - 1);
	return &x->seen[i];
}

static void
remember(struct search *x, uint64_t h)
{
	if (x->nseen * 2 >= x->nslots)
		grow_seen(x);
	*seen_slot(x, h) = h;
	x->nseen++;
}

static bool
was_tried(struct search *x, const struct reduce_state *s)
{
	uint64_t h = state_hash(s);

	if (x->nslots && *seen_slot(x, h))
		return true;
	remember(x, h);
	return false;
}

/* ----------------------------------------------------------- candidates -- */

/* Do DELTA at the sites [FROM, TO) of the best state: OUT. */
static void
edit(struct search *x, const struct reduce_delta *delta, size_t from, size_t to,
     struct reduce_state *out, size_t *sites)
{
	const struct reduce_state *s = x->best;
	ir_context *cx = ir_context_new();
	struct arena a = {0};
	struct pass_pipeline p;
	bool typed;
	struct reduce_edit e = {
		.pipeline = &p, .arena = &a, .from = from, .to = to};

	if (delta->on_pipeline) {
		if (s->pipeline.len && read_pipeline(s, &p, &a))
			delta->edit(&e);
		if (out && e.changed) {
			buf_put(&out->module, s->module.at, s->module.len);
			pass_pipeline_print(&out->pipeline, &p, NULL);
		}
	} else {
		e.m = read_module(x, cx, s, &typed);
		if (e.m)
			delta->edit(&e);
		if (out && e.changed) {
			print_module(e.m, out);
			buf_put(&out->pipeline, s->pipeline.at,
				s->pipeline.len);
		}
		if (e.m)
			ir_module_free(e.m);
	}
	if (out)
		out->options = s->options;
	if (sites)
		*sites = e.next;
	arena_free(&a);
	ir_context_free(cx);
}

/* Is OUT a module that reads back, with types if the input has them? */
static bool
is_valid(struct search *x, struct reduce_state *out, bool on_pipeline)
{
	ir_context *cx = ir_context_new();
	struct arena a = {0};
	struct pass_pipeline p;
	bool typed;
	ir_module *m = read_module(x, cx, out, &typed);
	bool ok = m && (typed || !x->typed);

	if (m) {
		out->nodes = count_nodes(m);
		ir_module_free(m);
	}
	if (ok && out->pipeline.len && read_pipeline(out, &p, &a))
		out->steps = count_steps(p.first);
	ok = ok && (!on_pipeline || out->pipeline.len > 0);
	arena_free(&a);
	ir_context_free(cx);
	return ok;
}

/* A candidate that is worth a test; else OUT is empty. */
static bool
make_candidate(struct search *x, const struct reduce_delta *delta, size_t from,
	       size_t to, struct reduce_state *out)
{
	edit(x, delta, from, to, out, NULL);
	if (out->module.len && !same_state(out, x->best) &&
	    !was_tried(x, out)) {
		if (is_valid(x, out, delta->on_pipeline))
			return true;
		if (x->o->abort_on_invalid) {
			diag_error(x->d, LOC_NONE,
				   "delta pass '%s' made a module that is "
				   "invalid",
				   delta->name);
			x->gave_up = true;
		}
	}
	reduce_state_free(out);
	return false;
}

static void
accept(struct search *x, const struct reduce_delta *delta,
       struct reduce_state *s)
{
	reduce_state_free(x->best);
	*x->best = *s;
	*s = (struct reduce_state){0};
	if (x->o->verbose)
		fprintf(x->d->out, "%s: %zu nodes, %zu passes\n", delta->name,
			x->best->nodes, x->best->steps);
	if (!x->o->save(x->best, x->o->env))
		x->gave_up = true;
}

/*
 * Test up to as many candidates as there are jobs, from site *AT on in blocks
 * of CHUNK. True if one of them became the best; *AT is then its block.
 */
static bool
try_blocks(struct search *x, const struct reduce_delta *delta, size_t n,
	   size_t chunk, size_t *at)
{
	size_t jobs = x->o->jobs > 0 ? (size_t)x->o->jobs : 1;
	struct reduce_state *states = xcalloc(jobs, sizeof(*states));
	size_t *places = xcalloc(jobs, sizeof(*places));
	size_t made = 0;
	size_t first;
	size_t pos = *at;

	for (; pos < n && made < jobs && !x->gave_up; pos += chunk) {
		places[made] = pos;
		made += make_candidate(x, delta, pos,
				       pos + chunk < n ? pos + chunk : n,
				       &states[made]);
	}
	first = made ? reduce_ask(x->oracle, states, made, x->d) : 0;
	x->result->tests += first < made ? first + 1 : made;
	*at = pos;
	if (first < made) {
		*at = places[first];
		accept(x, delta, &states[first]);
	}
	for (size_t i = 0; i < made; i++)
		reduce_state_free(&states[i]);
	free(states);
	free(places);
	return first < made;
}

static size_t
count_sites(struct search *x, const struct reduce_delta *delta)
{
	size_t n;

	edit(x, delta, 0, 0, NULL, &n);
	return n;
}

/* All of DELTA; true if anything got better. */
static bool
run_delta(struct search *x, const struct reduce_delta *delta)
{
	size_t n = count_sites(x, delta);
	size_t chunk = n;
	bool better = false;

	while (chunk > 0 && !x->gave_up && !x->d->errors) {
		size_t at = 0;

		while (at < n && !x->gave_up && !x->d->errors) {
			size_t left;

			if (!try_blocks(x, delta, n, chunk, &at))
				continue;
			better = true;
			left = count_sites(x, delta);
			if (left >= n)
				at += chunk;
			n = left;
		}
		chunk = chunk == 1 ? 0 : (chunk + 1) / 2;
		if (chunk > n && n > 0)
			chunk = n;
	}
	return better;
}

static bool
in_list(const struct option_list *list, const char *name)
{
	for (size_t i = 0; i < list->len; i++)
		if (strcmp(list->at[i], name) == 0)
			return true;
	return false;
}

static bool
is_wanted(const struct reduce_options *o, const char *name)
{
	return (o->deltas.len == 0 || in_list(&o->deltas, name)) &&
	       !in_list(&o->skipped, name);
}

/* Put S into the form in which candidates are printed. */
static bool
normalise(struct search *x, struct reduce_state *s)
{
	ir_context *cx = ir_context_new();
	struct reduce_state out = {0};
	ir_module *m = read_module(x, cx, s, &x->typed);
	bool valid = m != NULL;

	if (m) {
		print_module(m, &out);
		buf_put(&out.pipeline, s->pipeline.at, s->pipeline.len);
		out.options = s->options;
		ir_module_free(m);
	}
	ir_context_free(cx);
	if (valid && is_valid(x, &out, false)) {
		s->nodes = out.nodes;
		s->steps = out.steps;
		x->result->tests++;
		if (reduce_ask(x->oracle, &out, 1, x->d) == 0) {
			buf_free(&s->module);
			s->module = out.module;
			out.module = (struct buf){0};
		}
	}
	reduce_state_free(&out);
	return valid;
}

enum reduce_outcome
reduce_run(struct reduce_state *s, const struct reduce_oracle *oracle,
	   const struct reduce_options *o, struct reduce_result *r,
	   struct diag *d)
{
	struct search x = {
		.best = s, .oracle = oracle, .o = o, .result = r, .d = d};
	struct reduce_oracle first = *oracle;
	bool better = true;

	*r = (struct reduce_result){.tests = 1};
	first.probe = true;
	if (reduce_ask(&first, s, 1, d) != 0)
		return d->errors ? REDUCE_FAILED : REDUCE_NOT_INTERESTING;
	if (!normalise(&x, s)) {
		diag_error(d, LOC_NONE, "the module is not valid");
		return REDUCE_FAILED;
	}
	r->nodes_before = s->nodes;
	r->steps_before = s->steps;
	for (long long i = 0; i < o->iterations && better && !x.gave_up; i++) {
		better = false;
		for (size_t k = 0; k < reduce_ndeltas && !x.gave_up; k++)
			if (is_wanted(o, reduce_deltas[k].name))
				better |= run_delta(&x, &reduce_deltas[k]);
	}
	free(x.seen);
	r->nodes_after = s->nodes;
	r->steps_after = s->steps;
	if (!d->errors && !o->save(s, o->env))
		return REDUCE_FAILED;
	return d->errors ? REDUCE_FAILED : REDUCE_DONE;
}
