/*
 * get-calibrate-module: make main return what goes into and comes out of each
 * function that it calls.
 *
 *     def @main(%x) { @f(%x) }  becomes  def @main(%x) {
 *                                          %0 = @f(%x);
 *                                          (%x, %0)
 *                                        }
 *
 * for running a network that was partitioned, to see what its parts are given.
 * A function that ends in a tuple has as many outputs as that has fields. The
 * functions lose Compiler and Primitive and get Inline=1, so that -inline makes
 * one network of it all. Calls in branches, in function literals and behind a
 * let are left out: what they are given may not be known at the end.
 *
 * print-calibrate-output-map: for each function that main calls, where its
 * inputs and outputs stand in that tuple.
 *
 *     // @f: offset 0, 1 input, 1 output
 *
 * Level: module, analysis. Needs: types.
 */
#include "passes/analysis/report.h"

#include <string.h>

/* The function that E calls by its name, or NULL. */
static const ir_def *
called(const ir_expr *e)
{
	const ir_def *def;

	if (e->kind != IR_CALL || ir_as_call(e)->callee->kind != IR_GLOBAL)
		return NULL;
	def = ir_as_global(ir_as_call(e)->callee)->def;
	return def && def->kind == DEF_FUNCTION && def->fn->body ? def : NULL;
}

/* The fields of the tuple that DEF ends in; 0: it gives one value. */
static uint32_t
fields_of(const ir_def *def)
{
	const ir_expr *body = def->fn->body;

	return body->kind == IR_TUPLE ? ir_as_tuple(body)->nfields : 0;
}

static void
keep_call(const ir_expr *e, void *env)
{
	if (called(e))
		vec_push((ir_expr_vec *)env, e);
}

/* What branches, bodies of literals and bindings see, the result does not. */
static bool
is_outside(const ir_expr *e, void *env)
{
	(void)env;
	return e->kind != IR_FUNCTION && e->kind != IR_IF &&
	       e->kind != IR_MATCH && e->kind != IR_LET;
}

/* Calls in main that are always reached, operands first. */
static ir_def *
find_calls(pass_ctx *cx, ir_expr_vec *calls)
{
	ir_module *m = cx->module;
	ir_def *def = ir_module_find(m, ir_name(m->cx, "main"));

	if (!def || def->kind != DEF_FUNCTION || !def->fn->body) {
		pass_error(cx, LOC_NONE, "there is no function '@main'");
		return NULL;
	}
	ir_walk(def->fn->body, is_outside, keep_call, calls);
	return def;
}

static void
put_values(ir_module *m, const ir_expr *e, ir_expr_vec *out)
{
	const struct ir_call *call = ir_as_call(e);
	uint32_t n = fields_of(called(e));

	for (uint32_t i = 0; i < call->nargs; i++)
		vec_push(out, call->args[i]);
	for (uint32_t i = 0; i < n; i++)
		vec_push(out, ir_new_proj(m, e->loc, e, i));
	if (n == 0)
		vec_push(out, e);
}

/* Attributes of a function for this compiler; but for main with Inline=1. */
static void
set_attributes(ir_module *m, ir_def *def, bool inlined)
{
	struct ir_function_parts parts = ir_function_parts(def->fn);

	parts.attrs =
		ir_dict_without(m->cx, parts.attrs, ir_name(m->cx, "Compiler"));
	parts.attrs = ir_dict_without(m->cx, parts.attrs,
				      ir_name(m->cx, "Primitive"));
	if (inlined)
		parts.attrs =
			ir_dict_with(m->cx, parts.attrs,
				     ir_name(m->cx, "Inline"), ATTR_INT32(1));
	def->fn = ir_as_function(ir_new_function(m, def->fn->base.loc, &parts));
}

bool
pass_get_calibrate_module(pass_ctx *cx)
{
	ir_expr_vec calls = {0};
	ir_expr_vec values = {0};
	ir_module *m = cx->module;
	ir_def *main_def = find_calls(cx, &calls);

	for (size_t i = 0; main_def && i < calls.len; i++)
		put_values(m, calls.at[i], &values);
	for (size_t i = 0; main_def && i < m->defs.len; i++)
		if (m->defs.at[i]->kind == DEF_FUNCTION)
			set_attributes(m, m->defs.at[i],
				       m->defs.at[i] != main_def);
	if (values.len)
		main_def->fn = ir_function_giving(
			m, main_def->fn,
			ir_new_tuple(m, main_def->fn->body->loc, values.at,
				     (uint32_t)values.len));
	vec_free(&calls);
	vec_free(&values);
	return main_def != NULL;
}

bool
pass_print_calibrate_output_map(pass_ctx *cx)
{
	struct report r = {.cx = cx};
	ir_expr_vec calls = {0};
	uint64_t offset = 0;

	if (!find_calls(cx, &calls))
		return false;
	for (size_t i = 0; i < calls.len; i++) {
		uint32_t nin = ir_as_call(calls.at[i])->nargs;
		uint32_t nout = fields_of(called(calls.at[i]));

		nout = nout ? nout : 1;
		report_line(&r, 0, "@%s: offset %zu, %u input%s, %u output%s",
			    called(calls.at[i])->name, (size_t)offset, nin,
			    nin == 1 ? "" : "s", nout, nout == 1 ? "" : "s");
		offset += nin + nout;
	}
	vec_free(&calls);
	report_end(&r);
	return false;
}
