/*
 * The printer on modules that are made by hand.
 */
#include "ir/print.h"

#include <math.h>
#include <string.h>

#include "ir/module.h"
#include "test/unit/unit.h"

static ir_context *cx;
static ir_module *m;

static const ir_expr *
call(const ir_expr *callee, const ir_expr *a, const ir_expr *b)
{
	const ir_expr *args[2] = {a, b};

	return ir_new_call(m, LOC_NONE, callee, args, b ? 2 : a ? 1 : 0, NULL);
}

static const ir_expr *
op1(enum op_id op, const ir_expr *a)
{
	return call(ir_op_node(m, ir_op_info(op)), a, NULL);
}

static const ir_expr *
op2(enum op_id op, const ir_expr *a, const ir_expr *b)
{
	return call(ir_op_node(m, ir_op_info(op)), a, b);
}

static const ir_expr *
global(const char *name)
{
	return &ir_module_global(m, ir_name(cx, name))->base;
}

static const ir_expr *
var(const char *name)
{
	return ir_new_var(m, LOC_NONE, ir_name(cx, name), NULL);
}

static const ir_expr *
number(double x)
{
	return ir_new_scalar(m, LOC_NONE, DTYPE(INT, 32), x);
}

static const ir_expr *
fn1(const ir_expr *param, const ir_expr *body)
{
	const struct ir_var *v = ir_as_var(param);
	struct ir_function_parts parts = {
		.params = &v, .nparams = 1, .body = body};

	return ir_new_function(m, LOC_NONE, &parts);
}

static bool
prints(const ir_expr *e, const char *expected)
{
	struct print_options o = {.no_header = true};
	struct buf out = {0};
	bool same;

	ir_print_expr(&out, m, e, &o);
	same = strcmp(out.at, expected) == 0;
	if (!same)
		fprintf(stderr, "expected:\n%s\ngot:\n%s\n", expected, out.at);
	buf_free(&out);
	return same;
}

/* Operands get their numbers when their user is written, not before. */
static void
test_order(void)
{
	const ir_expr *c = call(global("c"), NULL, NULL);
	const ir_expr *d = call(global("d"), NULL, NULL);
	const ir_expr *x = var("x");
	const ir_expr *y = var("y");
	const ir_expr *shared;

	CHECK(prints(call(global("f"), call(global("g"), c, NULL),
			  call(global("h"), d, NULL)),
		     "%0 = @c();\n"
		     "%1 = @d();\n"
		     "%2 = @g(%0);\n"
		     "%3 = @h(%1);\n"
		     "@f(%2, %3)"));
	CHECK(prints(call(fn1(x, x), call(fn1(y, y), number(1), NULL), NULL),
		     "%0 = fn (%y) {\n"
		     "  %y\n"
		     "};\n"
		     "%1 = %0(1);\n"
		     "%2 = fn (%x) {\n"
		     "  %x\n"
		     "};\n"
		     "%2(%1)"));
	shared = ir_new_tuple(m, LOC_NONE, &x, 1);
	CHECK(prints(
		fn1(x, ir_new_let(m, LOC_NONE, ir_as_var(y), shared, shared)),
		"fn (%x) {\n"
		"  %0 = (%x,);\n"
		"  let %y = %0;\n"
		"  %0\n"
		"}"));
}

static void
test_free_vars(void)
{
	const ir_expr *a = var("a");
	const ir_expr *b = var("b");

	CHECK(prints(op2(OP_add, op1(OP_exp, a), b), "free_var %a;\n"
						     "%0 = exp(%a);\n"
						     "free_var %b;\n"
						     "add(%0, %b)"));
}

static void
test_scopes(void)
{
	const ir_expr *c = var("c");
	const ir_expr *x = var("x");
	const ir_expr *t = op1(OP_exp, x);
	const ir_expr *e = ir_new_if(m, LOC_NONE, c, op2(OP_add, t, t), x);
	const ir_expr *let = ir_new_let(m, LOC_NONE, ir_as_var(var("")),
					op1(OP_exp, t), number(2));

	CHECK(prints(fn1(c, fn1(x, op2(OP_add, e, t))), "fn (%c) {\n"
							"  fn (%x) {\n"
							"    %1 = if (%c) {\n"
							"      %0 = exp(%x);\n"
							"      add(%0, %0)\n"
							"    } else {\n"
							"      %x\n"
							"    };\n"
							"    add(%1, %0)\n"
							"  }\n"
							"}"));
	CHECK(prints(fn1(x, op2(OP_add, let, t)), "fn (%x) {\n"
						  "  %0 = exp(%x);\n"
						  "  %1 = (\n"
						  "    let %v = exp(%0);\n"
						  "    2\n"
						  "  );\n"
						  "  add(%1, %0)\n"
						  "}"));
}

static bool
prints_float(double x, unsigned bits, const char *expected)
{
	struct buf out = {0};
	bool same;

	ir_print_float(&out, x, bits, PRINT_FLOATS_EXACT);
	same = strcmp(out.at, expected) == 0;
	if (!same)
		fprintf(stderr, "expected %s, got %s\n", expected, out.at);
	buf_free(&out);
	return same;
}

static void
test_floats(void)
{
	CHECK(prints_float(1, 32, "1f"));
	CHECK(prints_float(-0.0, 32, "-0f"));
	CHECK(prints_float(0.1f, 32, "0.1f"));
	CHECK(prints_float(0.1, 64, "0.1f64"));
	CHECK(prints_float(1e-5f, 32, "1e-05f"));
	CHECK(prints_float(1e6, 32, "1e+06f"));
	CHECK(prints_float(16777216, 32, "16777216f"));
	CHECK(prints_float(3.14159274, 32, "3.1415927f"));
	CHECK(prints_float(1.0 / 3, 64, "0.3333333333333333f64"));
	CHECK(prints_float(-INFINITY, 16, "-inff16"));
	CHECK(prints_float(NAN, 64, "nanf64"));
	CHECK(prints_float(0.333251953125, 16, "0.333252f16"));
}

/* A chain that recursion would not survive. */
static void
test_long_chains(void)
{
	enum { LENGTH = 1000000 };
	struct print_options o = {.no_header = true};
	struct buf out = {0};
	const ir_expr *x = var("x");
	const ir_expr *e = x;
	const ir_expr *lets = x;

	for (int i = 0; i < LENGTH; i++)
		e = ir_new_ref_read(m, LOC_NONE, e);
	for (int i = 0; i < LENGTH; i++)
		lets = ir_new_let(m, LOC_NONE, ir_as_var(var("y")), x, lets);
	ir_print_expr(&out, m, e, &o);
	CHECK(out.len > 20u * LENGTH);
	out.len = 0;
	ir_print_expr(&out, m, lets, &o);
	CHECK(out.len > 10u * LENGTH);
	buf_free(&out);
}

int
main(void)
{
	cx = ir_context_new();
	m = ir_module_new(cx);
	test_order();
	test_free_vars();
	test_scopes();
	test_floats();
	test_long_chains();
	ir_module_free(m);
	ir_context_free(cx);
	return unit_result();
}
