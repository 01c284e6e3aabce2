/*
 * extract-intermediate-expr: make main compute one of its intermediate values.
 *
 *     def @main(%x, %y) {                  def @main(%x) {
 *       %0 = add(%x, %x);     index=0        add(%x, %x)
 *       multiply(%0, %y)                   }
 *     }
 *
 * Calls, tuples and projections in main are numbered from 0, operands first;
 * print-dependency-graph prints the numbers. The new main takes what the value
 * depends on: variables that it does not bind, in order of first use. A value
 * with types that only its uses tell, as those of parameters of a literal, is
 * refused.
 *
 * Level: module. Needs: types.
 */
#include "passes/pass.h"

#include <stdlib.h>

#include "ir/print.h"
#include "passes/analysis/intermediate.h"
#include "passes/validate_run.h"

struct extractor {
	int64_t left; /* until the one that is wanted */
	const ir_expr *found;
	unsigned total;
};

static void
count_down(const ir_expr *e, void *env)
{
	struct extractor *x = env;

	if (!is_intermediate(e))
		return;
	x->total++;
	if (x->left-- == 0)
		x->found = e;
}

/* A parameter that stands for V, which may have no annotation. */
static const struct ir_var *
parameter(ir_module *m, const ir_expr *v, struct ir_map *with)
{
	const ir_expr *p;

	if (ir_as_var(v)->annotation && !(v->flags & IR_ANNOTATION_INFERRED))
		return ir_as_var(v);
	p = ir_new_var(m, v->loc, ir_as_var(v)->name, v->type);
	ir_map_put(with, v, p);
	return ir_as_var(p);
}

/* Is there a data type in T, which its constructors may leave open? */
static bool
has_data(const ir_type *t)
{
	if (!t || t->kind == TYPE_ADT)
		return t != NULL;
	if (t->kind == TYPE_TUPLE) {
		const struct ir_tuple_type *x = ir_as_tuple_type(t);

		for (uint32_t i = 0; i < x->nfields; i++)
			if (has_data(x->fields[i]))
				return true;
	}
	if (t->kind == TYPE_FUNC) {
		const struct ir_func_type *x = ir_as_func_type(t);

		for (uint32_t i = 0; i < x->nparams; i++)
			if (has_data(x->params[i]))
				return true;
		return has_data(x->ret);
	}
	return t->kind == TYPE_REF && has_data(ir_as_ref_type(t)->value);
}

/* A function of what BODY depends on. */
static const ir_expr *
close_over(ir_module *m, const ir_expr *body)
{
	struct ir_function_parts parts = {
		.ret_type = body->type, .ret_inferred = !has_data(body->type)};
	ir_expr_vec vars = {0};
	struct ir_map with = {0};
	const struct ir_var **params;
	const ir_expr *fn;

	ir_free_vars(body, &vars);
	params = xmalloc((vars.len + 1) * sizeof(*params));
	for (size_t i = 0; i < vars.len; i++)
		params[i] = parameter(m, vars.at[i], &with);
	parts.params = params;
	parts.nparams = (uint32_t)vars.len;
	parts.body = ir_substitute(m, body, &with);
	fn = ir_new_function(m, body->loc, &parts);
	free(params);
	vec_free(&vars);
	ir_map_free(&with);
	return fn;
}

static void
ignore(void *env, const struct diag_message *m)
{
	(void)env;
	(void)m;
}

static void
note_open(const ir_expr *e, void *env)
{
	bool *any = env;

	*any |= e->kind == IR_CTOR || e->kind == IR_FUNCTION;
}

/* Does DEF tell all of its types, now that what used the value is gone? */
static bool
tells_types(ir_module *m, const ir_def *def)
{
	bool any = false;
	struct diag d;

	ir_walk(def->fn->body, NULL, note_open, &any);
	if (!any)
		return true;
	diag_init(&d, "relay-opt", NULL);
	d.handler = ignore;
	return validate_reads_bare(m, &d);
}

bool
pass_extract_intermediate_expr(pass_ctx *cx)
{
	struct extractor x = {.left = pass_option_int(cx, "index")};
	ir_module *m = cx->module;
	ir_def *def = ir_module_find(m, ir_name(m->cx, "main"));
	const struct ir_function *old;

	if (!def || def->kind != DEF_FUNCTION || !def->fn->body) {
		pass_error(cx, LOC_NONE, "there is no function '@main'");
		return false;
	}
	ir_walk(def->fn->body, NULL, count_down, &x);
	if (!x.found) {
		pass_error(cx, def->loc,
			   "option 'index' is %s, but '@main' has %u "
			   "intermediate values",
			   pass_option(cx, "index"), x.total);
		return false;
	}
	if (x.found->type && x.found->type->flags & TYPE_HAS_VAR) {
		pass_error(cx, x.found->loc,
			   "the value has the type %s of a polymorphic "
			   "function",
			   ir_type_text(m->cx, x.found->type));
		return false;
	}
	old = def->fn;
	def->fn = ir_as_function(close_over(m, x.found));
	if (!tells_types(m, def)) {
		def->fn = old;
		pass_error(cx, x.found->loc,
			   "the value has types that only its uses tell");
	}
	return !cx->failed;
}
