/*
 * Passes of plugins: function passes that replace calls, bottom-up.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "passes/plugin/internal.h"
#include "passes/registry.h"
#include "support/arena.h"

#define PASS_CX(p) ((pass_ctx *)(p))
#define NODE(n) ((const ir_expr *)(n))
#define HANDLE(e) ((const relay_node *)(e))

/* A pass of the tables, which its runs know, and its row. */
struct plugin_pass {
	struct pass_info info; /* first */
	const relay_plugin_pass *row;
};

static const char *
called(const relay_node *n)
{
	const ir_op *op = ir_called_op(NODE(n));

	return op ? op->name : NULL;
}

static const relay_attrs *
node_attrs(const relay_node *n)
{
	return NODE(n)->kind == IR_CALL
		       ? (const relay_attrs *)ir_as_call(NODE(n))->attrs
		       : NULL;
}

static int
num_args(const relay_node *n)
{
	return NODE(n)->kind == IR_CALL ? (int)ir_as_call(NODE(n))->nargs : 0;
}

static const relay_node *
arg(const relay_node *n, int i)
{
	return i >= 0 && i < num_args(n) ? HANDLE(ir_as_call(NODE(n))->args[i])
					 : NULL;
}

static int
scalar(const relay_node *n, double *value)
{
	const ir_tensor *t;

	if (NODE(n)->kind != IR_CONSTANT)
		return 0;
	t = ir_as_constant(NODE(n))->data;
	if (!t || t->ndim)
		return 0;
	*value = ir_tensor_get_double(t, 0);
	return 1;
}

static int
node_type(const relay_node *n, relay_type *type, int64_t *shape)
{
	const ir_type *t = NODE(n)->type;
	const struct ir_tensor_type *tensor;

	if (!t || t->kind != TYPE_TENSOR)
		return -1;
	tensor = ir_as_tensor_type(t);
	if (tensor->ndim > RELAY_MAX_RANK)
		return -1;
	*type = plugin_type(tensor->dtype);
	for (uint32_t i = 0; i < tensor->ndim; i++)
		shape[i] = ir_dim_is_const(tensor->shape[i])
				   ? tensor->shape[i].value
				   : RELAY_ANY;
	return (int)tensor->ndim;
}

/* A run of a pass: what rewriting knows. */
struct run {
	pass_ctx *cx;
	const relay_plugin_pass *row;
	struct loc loc; /* of the call at hand */
};

static const relay_node *
make_scalar(relay_pass *p, relay_type t, double value)
{
	struct run *r = (struct run *)p;

	return HANDLE(
		ir_new_scalar(r->cx->module, r->loc, plugin_dtype(t), value));
}

static const relay_node *
make_call(relay_pass *p, const char *name, const relay_node *const *args, int n)
{
	struct run *r = (struct run *)p;
	ir_module *m = r->cx->module;
	const ir_op *op = ir_op_find(name, strlen(name));
	const ir_attrs *attrs = NULL;

	if (!op || (op->ninputs != OP_MANY_INPUTS && op->ninputs != n)) {
		pass_error(r->cx, r->loc,
			   op ? "operator '%s' does not take %d inputs"
			      : "there is no operator '%s' to call",
			   name, n);
		return NULL;
	}
	if (op->attrs)
		attrs = ir_attrs_defaults(m->cx, op->attrs);
	return HANDLE(ir_new_call(m, r->loc, ir_op_node(m, op),
				  (const ir_expr *const *)args, (uint32_t)n,
				  attrs));
}

static const char *
option(relay_pass *p, const char *name)
{
	struct run *r = (struct run *)p;

	if (pass_option_index(r->cx->info, name, strlen(name)) < 0)
		return NULL;
	return pass_option(r->cx, name);
}

static void
count(relay_pass *p, const char *what)
{
	pass_count(((struct run *)p)->cx, what, 1);
}

static void
report(relay_pass *p, const relay_node *at, const char *fmt, ...)
{
	struct run *r = (struct run *)p;
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pass_error(r->cx, at ? NODE(at)->loc : r->loc, "%s", text);
}

void
plugin_api_passes(relay_api *api)
{
	api->called = called;
	api->node_attrs = node_attrs;
	api->num_args = num_args;
	api->arg = arg;
	api->scalar = scalar;
	api->node_type = node_type;
	api->make_scalar = make_scalar;
	api->make_call = make_call;
	api->option = option;
	api->count = count;
	api->pass_error = report;
}

static const ir_expr *
rewrite_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct run *r = env;
	const relay_node *new;

	(void)old;
	if (!ir_called_op(e) || r->cx->failed)
		return e;
	r->loc = e->loc;
	new = r->row->rewrite((relay_pass *)r, HANDLE(e));
	return new ? NODE(new) : e;
}

static const struct ir_function *
run_pass(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	static const struct ir_rules rules = {
		.on = {[IR_CALL] = rewrite_call},
		.counted = true,
	};
	struct run r = {.cx = cx};
	const ir_expr *body;

	(void)def;
	r.row = ((const struct plugin_pass *)cx->info)->row;
	if (!fn->body)
		return fn;
	body = ir_rewrite(cx->module, fn->body, &rules, &r);
	return cx->failed ? fn : ir_function_with_body(cx->module, fn, body);
}

static const struct pass_option *
make_options(const relay_plugin_pass *row)
{
	struct pass_option *options;
	unsigned n = 0;

	while (row->options && row->options[n].name)
		n++;
	options = xcalloc(n + 1, sizeof(*options));
	for (unsigned i = 0; i < n; i++) {
		options[i].name = row->options[i].name;
		options[i].default_text =
			row->options[i].deflt ? row->options[i].deflt : "";
		options[i].summary =
			row->options[i].summary ? row->options[i].summary : "";
	}
	return options;
}

bool
plugin_add_pass(const relay_plugin_pass *row, struct diag *d)
{
	struct plugin_pass *p;

	if (!row->name || !row->rewrite || !row->summary) {
		diag_error(d, LOC_NONE,
			   "pass '%s' of a plugin lacks its name, its function "
			   "or its summary",
			   row->flag);
		return false;
	}
	p = xcalloc(1, sizeof(*p));
	p->row = row;
	p->info = (struct pass_info){
		.flag = row->flag,
		.name = row->name,
		.kind = PASS_FUNCTION,
		.opt_level = row->level,
		.needs = PASS_NEEDS_TYPES,
		.required = "",
		.summary = row->summary,
		.options = make_options(row),
		.run_function = run_pass,
	};
	if (pass_add(&p->info))
		return true;
	diag_error(d, LOC_NONE, "there is a pass '%s' or '%s' already",
		   row->flag, row->name);
	return false;
}
