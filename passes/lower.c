/*
 * Which passes are missing, and running them.
 */
#include "passes/lower.h"

#include <string.h>

#include "passes/call_graph.h"
#include "support/source.h"

/* A network of more nodes is not one that people meant to be one function. */
enum { MOST_INLINED = 1000000 };

/* What a module has already been through. */
struct found {
	bool te;
	bool tir;
	bool calls; /* main is a list of calls */
	bool primitives;
};

static bool
note_primitive(const ir_expr *e, void *env)
{
	struct found *f = env;

	if (ir_is_primitive(e))
		f->primitives = true;
	return !f->primitives;
}

static struct found
look(const ir_module *m)
{
	const char *main = ir_name(m->cx, "main");
	struct found f = {0};

	for (size_t i = 0; i < m->defs.len; i++) {
		const ir_def *d = m->defs.at[i];

		f.te |= d->kind == DEF_TE;
		f.tir |= d->kind == DEF_TIR;
		f.calls |= d->kind == DEF_TIR && d->name == main;
		if (d->kind == DEF_FUNCTION)
			ir_walk(&d->fn->base, note_primitive, NULL, &f);
	}
	return f;
}

static const char *
missing(const ir_module *m, const struct lower_options *o, struct arena *a)
{
	struct found f = look(m);
	const char *s = "infer-type";

	if (f.calls)
		return "";
	if (!f.te && !f.tir && !f.primitives)
		s = o->unfused ? "infer-type,fuse-ops<fuse-opt-level=0>"
			       : "infer-type,fuse-ops<fuse-opt-level=2>";
	if (!f.te && !f.tir)
		s = arena_printf(a, "%s,lower-te", s);
	if (!f.tir && o->to >= LOWER_TIR)
		s = arena_printf(a, "%s,lower-tir", s);
	if (o->to >= LOWER_CALLS)
		s = arena_printf(a, "%s,aot-lower-main%s", s,
				 o->externals ? "<externals>" : "");
	return s;
}

static bool
run_text(struct pass_manager *pm, ir_module *m, const char *text,
	 struct arena *a)
{
	struct pass_pipeline p;
	struct source s;
	bool ok;

	if (!*text)
		return true;
	pass_pipeline_init(&p);
	source_init(&s, NULL, text, strlen(text));
	ok = pass_pipeline_parse(&p, &s, a, pm->diag) &&
	     pass_manager_run(pm, &p, m, false);
	source_free(&s);
	return ok && !pm->diag->errors;
}

bool
lower_run(struct pass_manager *pm, ir_module *m, const char *text)
{
	struct arena a = {0};
	bool ok = run_text(pm, m, text, &a);

	arena_free(&a);
	return ok;
}

/* Nodes of FN when all calls in it are inlined; SIZES: of those called. */
static uint64_t
inlined_size(const struct call_graph *g, const uint64_t *sizes,
	     const struct ir_function *fn)
{
	ir_expr_vec nodes = {0};
	uint64_t size;

	ir_postorder(fn->body, &nodes);
	size = nodes.len;
	for (size_t i = 0; i < nodes.len && size < MOST_INLINED; i++) {
		const ir_expr *e = nodes.at[i];
		struct call_node *callee =
			e->kind == IR_CALL
				? call_graph_node(g, ir_as_call(e)->callee)
				: NULL;

		if (callee)
			size += sizes[callee - g->nodes];
	}
	vec_free(&nodes);
	return size;
}

/* Is MAIN small when it is inlined, and nothing but calls? */
static bool
is_worth_inlining(const ir_module *m, const ir_expr *main, lower_fits_fn *fits,
		  struct arena *a)
{
	struct call_graph g = {0};
	struct call_node *node;
	uint64_t *sizes;
	bool worth;

	call_graph_build(&g, m, a);
	sizes = ARENA_NEW_ARRAY(a, g.n, uint64_t);
	for (uint32_t i = 0; i < g.n; i++) {
		const struct call_node *x = &g.nodes[g.order[i]];
		uint64_t *size = &sizes[g.order[i]];

		if (x->def->kind != DEF_FUNCTION || !x->def->fn->body)
			*size = 1;
		else if (x->recursive || !fits(x->def->fn))
			*size = MOST_INLINED;
		else
			*size = inlined_size(&g, sizes, x->def->fn);
	}
	node = call_graph_node(&g, main);
	worth = node && sizes[node - g.nodes] < MOST_INLINED;
	call_graph_free(&g);
	return worth;
}

bool
lower_inline(struct pass_manager *pm, ir_module *m, const ir_def *main,
	     lower_fits_fn *fits)
{
	struct arena a = {0};
	bool ok = true;

	if (is_worth_inlining(m, &main->global->base, fits, &a))
		ok = run_text(pm, m, "inline-all,remove-unused-functions", &a);
	arena_free(&a);
	return ok;
}

bool
lower_module(struct pass_manager *pm, ir_module *m,
	     const struct lower_options *o)
{
	struct arena a = {0};
	bool ok = (!o->before || run_text(pm, m, o->before, &a)) &&
		  run_text(pm, m, missing(m, o, &a), &a);

	arena_free(&a);
	return ok;
}
