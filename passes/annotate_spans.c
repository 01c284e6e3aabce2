/*
 * annotate-spans: make places point into the text of the module as it is now.
 *
 * The module is printed and read again; every expression then has a span
 * "GeneratedSource:LINE:COLUMN". Later messages, and dumps with spans, speak
 * of that text instead of the one that the module came from.
 *
 * Level: module. Needs: types. Keeps: types, inferred anew.
 */
#include "ir/print.h"
#include "parser/parser.h"
#include "passes/pass.h"

static const char source_name[] = "GeneratedSource";

struct marker {
	ir_module *m;
	struct source *text;
	const char *name;
};

static struct loc
span_of(struct marker *k, struct loc loc)
{
	unsigned line;
	unsigned column;

	if (loc.span || !loc_is_known(loc))
		return loc;
	source_position(k->text, loc.off, &line, &column);
	return ir_module_add_span(k->m, k->name, line, column);
}

/* Nobody but this pass has seen the nodes of the module just read. */
static void
mark(struct marker *k, const ir_expr *e)
{
	ir_expr *own = (ir_expr *)(uintptr_t)e;

	own->loc = span_of(k, e->loc);
}

static void
mark_binder(const struct ir_var *v, void *env)
{
	mark(env, &v->base);
}

static void
mark_node(const ir_expr *e, void *env)
{
	mark(env, e);
	ir_binders(e, mark_binder, env);
}

static void
mark_module(struct marker *k)
{
	for (size_t i = 0; i < k->m->defs.len; i++) {
		ir_def *def = k->m->defs.at[i];

		def->loc = span_of(k, def->loc);
		if (def->fn)
			ir_walk(&def->fn->base, NULL, mark_node, k);
	}
	for (size_t i = 0; i < k->m->types.len; i++)
		k->m->types.at[i]->loc = span_of(k, k->m->types.at[i]->loc);
}

bool
pass_annotate_spans(pass_ctx *cx)
{
	struct print_options print = {.types = PRINT_TYPES_AUTO};
	struct parse_options parse = {.allow_unknown_ops = true};
	struct source *before = cx->diag->source;
	struct buf text = {0};
	struct source source;
	struct marker k;

	ir_print_module(&text, cx->module, &print);
	source_init(&source, source_name, text.at, text.len);
	cx->diag->source = &source;
	k = (struct marker){
		parse_module(cx->module->cx, &source, cx->diag, &parse),
		&source, ir_name(cx->module->cx, source_name)};
	cx->diag->source = before;
	if (k.m) {
		mark_module(&k);
		ir_module_swap(cx->module, k.m);
		ir_module_free(k.m);
		cx->failed |= !ir_infer_module(cx->module, cx->diag);
		cx->keeps_types = true;
	} else {
		cx->failed = true;
	}
	source_free(&source);
	buf_free(&text);
	return !cx->failed;
}
