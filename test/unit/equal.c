/*
 * Structural equality of modules whose definitions share parts in memory.
 */
#include "ir/equal.h"

#include "ir/module.h"
#include "ir/print.h"
#include "parser/parser.h"
#include "test/unit/unit.h"

static ir_context *cx;

/* "def @NAME[A](%x: A) -> A { %x }", of these parts. */
static void
add_identity(ir_module *m, const char *name, const ir_type *a, const ir_expr *x)
{
	const struct ir_var *v = ir_as_var(x);
	struct ir_function_parts parts = {.params = &v,
					  .nparams = 1,
					  .type_params = &a,
					  .ntype_params = 1,
					  .ret_type = a,
					  .body = x};

	ir_module_add_function(m, ir_name(cx, name),
			       ir_new_function(m, LOC_NONE, &parts), LOC_NONE);
}

static ir_module *
read_again(const ir_module *m)
{
	struct print_options o = {.types = PRINT_TYPES_NONE};
	struct buf text = {0};
	struct source s;
	struct diag d;
	ir_module *out;

	ir_print_module(&text, m, &o);
	source_init(&s, "text", text.at, text.len);
	diag_init(&d, "equal", &s);
	out = parse_module(cx, &s, &d, NULL);
	source_free(&s);
	buf_free(&text);
	return out;
}

static void
check_both_ways(const ir_module *a, const ir_module *b, bool equal)
{
	struct ir_comparison c = {0};

	CHECK(ir_module_equal(a, b, NULL, NULL) == equal);
	CHECK(ir_module_equal(b, a, NULL, NULL) == equal);
	CHECK(ir_module_compare(a, b, NULL, &c) == equal);
	ir_comparison_free(&c);
}

/* Two definitions of one type parameter, or of one parameter. */
static void
test_shared(bool share_var)
{
	ir_module *m = ir_module_new(cx);
	const ir_type *a = ir_type_new_var(cx, ir_name(cx, "A"));
	const ir_expr *x = ir_new_var(m, LOC_NONE, ir_name(cx, "x"), a);
	const ir_expr *y = ir_new_var(m, LOC_NONE, ir_name(cx, "x"), a);
	ir_module *again;

	add_identity(m, "f", a, x);
	add_identity(m, "g", a, share_var ? x : y);
	again = read_again(m);
	CHECK(again != NULL);
	check_both_ways(m, again, true);
	check_both_ways(m, m, true);
	add_identity(m, "h", a, y);
	check_both_ways(m, again, false);
	ir_module_free(again);
	ir_module_free(m);
}

int
main(void)
{
	cx = ir_context_new();
	test_shared(false);
	test_shared(true);
	ir_context_free(cx);
	return unit_result();
}
