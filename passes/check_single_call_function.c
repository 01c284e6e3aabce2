/*
 * check-single-call-function: is main one chain of kernel calls?
 *
 * This is the form that one entry kernel, or one host function that launches
 * kernels, is printed from: exactly one function that is no kernel, called
 * main; every computation in a kernel with Primitive=1; in main only calls of
 * kernels, lets of variables, tuples, projections, constants and parameters;
 * no closures, references, data types, recursion or branches; all shapes and
 * element types known. Every expression that is in the way is reported.
 *
 * Level: module. Changes nothing. Needs: types.
 */
#include "passes/pass.h"

#include <string.h>

#include "ir/print.h"
#include "passes/call_graph.h"

struct checker {
	pass_ctx *cx;
	struct call_graph graph; /* made for the first error that needs it */
	bool has_graph;
};

static bool
is_kernel_def(const ir_def *def)
{
	return def->kind == DEF_TE || def->kind == DEF_TIR ||
	       (def->kind == DEF_FUNCTION && ir_is_primitive(&def->fn->base));
}

static bool
calls(const struct call_graph *g, const struct call_node *node,
      const ir_def *def)
{
	for (uint32_t i = 0; i < node->ncallees; i++)
		if (g->nodes[node->callees[i]].def == def)
			return true;
	return false;
}

/* How to be rid of the function of G, which is no kernel. */
static const char *
advice(struct checker *c, const struct ir_global *g)
{
	const struct call_node *node;
	const ir_def *def = g->def;

	if (!c->has_graph)
		call_graph_build(&c->graph, c->cx->module, c->cx->scratch);
	c->has_graph = true;
	node = call_graph_node(&c->graph, &g->base);
	if (def->kind == DEF_FUNCTION &&
	    ir_dict_get(def->fn->attrs, "Compiler"))
		return "some other compiler gives its body";
	if (node && node->recursive && calls(&c->graph, node, def))
		return "it calls itself (-partial-evaluate unrolls what is "
		       "bounded)";
	if (node && node->recursive)
		return "it calls itself through others (-partial-evaluate "
		       "unrolls what is bounded)";
	return "inline it (-inline-all)";
}

static void
check_callee(struct checker *c, const ir_expr *call)
{
	const ir_expr *callee = ir_as_call(call)->callee;
	const struct ir_global *g;

	if (ir_is_primitive(callee) || callee->kind == IR_CTOR)
		return;
	if (ir_is_call_of(call, OP_on_device))
		return; /* lower-te drops it */
	if (ir_is_call_of(call, OP_device_copy)) {
		pass_error(c->cx, call->loc,
			   "'device_copy' goes to another device: a single "
			   "call function runs on one");
		return;
	}
	if (callee->kind == IR_OP) {
		pass_error(c->cx, call->loc,
			   "operator '%s' is called outside any kernel",
			   ir_as_op_ref(callee)->op->name);
		return;
	}
	if (callee->kind != IR_GLOBAL) {
		pass_error(c->cx, call->loc,
			   "the callee is a value, not a kernel");
		return;
	}
	g = ir_as_global(callee);
	if (!g->def)
		pass_error(c->cx, call->loc, "'@%s' is not defined", g->name);
	else if (!is_kernel_def(g->def))
		pass_error(c->cx, call->loc, "'@%s' is no kernel: %s", g->name,
			   advice(c, g));
}

static const char *
forbidden_kind(const ir_expr *e)
{
	switch ((enum ir_kind)e->kind) {
	case IR_FUNCTION:
		return ir_is_primitive(e) ? NULL : "a function literal";
	case IR_IF:
		return "a conditional";
	case IR_MATCH:
		return "a match";
	case IR_REF_NEW:
	case IR_REF_READ:
	case IR_REF_WRITE:
		return "a reference";
	case IR_CTOR:
		return "a data type";
	default:
		return NULL;
	}
}

/* False: what it is made of does not matter. */
static bool
check_node(struct checker *c, const ir_expr *e)
{
	const char *what = forbidden_kind(e);

	if (what) {
		pass_error(c->cx, e->loc,
			   "%s does not fit into a single call function", what);
		return e->kind != IR_FUNCTION;
	}
	if (e->kind == IR_CALL)
		check_callee(c, e);
	if (e->type && e->type->flags & TYPE_HAS_ANY)
		pass_error(c->cx, e->loc, "the shape of %s is not known",
			   ir_type_text(c->cx->module->cx, e->type));
	return !ir_is_primitive(e);
}

/* Each node under ROOT once, in the order of the text. */
static void
check_nodes(struct checker *c, const ir_expr *root)
{
	ir_expr_vec work = {0};
	struct ir_set seen = {0};

	vec_push(&work, root);
	while (work.len) {
		const ir_expr *e = vec_pop(&work);

		if (!ir_set_add(&seen, e) || !check_node(c, e))
			continue;
		for (uint32_t i = ir_num_operands(e); i-- > 0;)
			vec_push(&work, ir_operand(e, i));
	}
	vec_free(&work);
	ir_set_free(&seen);
}

static void
check_main(struct checker *c, const ir_def *def)
{
	const struct ir_function *fn = def->fn;

	for (uint32_t i = 0; i < fn->nparams; i++)
		check_node(c, &fn->params[i]->base);
	if (fn->body)
		check_nodes(c, fn->body);
}

bool
pass_check_single_call_function(pass_ctx *cx)
{
	struct checker c = {.cx = cx};
	ir_module *m = cx->module;
	bool has_main = false;

	for (size_t i = 0; i < m->defs.len; i++) {
		const ir_def *def = m->defs.at[i];

		if (is_kernel_def(def) || def->kind == DEF_RAW)
			continue;
		if (strcmp(def->name, "main") == 0) {
			has_main = true;
			check_main(&c, def);
		} else {
			pass_error(cx, def->loc,
				   "'@%s' is a second function that is no "
				   "kernel",
				   def->name);
		}
	}
	if (!has_main)
		pass_error(cx, LOC_NONE, "there is no function '@main'");
	if (c.has_graph)
		call_graph_free(&c.graph);
	return false;
}
