/*
 * Walks and rewrites over chains of a million nodes, on a thread with a
 * small stack: nothing may recurse over the length of a graph.
 */
#include <pthread.h>

#include "ir/module.h"
#include "ir/rewrite.h"
#include "ir/walk.h"
#include "test/unit/unit.h"

enum { LENGTH = 1000 * 1000, STACK = 128 * 1024 };

static const ir_expr *
chain_of_calls(ir_module *m, const ir_expr *x)
{
	for (int i = 0; i < LENGTH; i++)
		x = ir_new_op_call(m, LOC_NONE, OP_nn_relu, &x, 1, NULL);
	return x;
}

static const ir_expr *
chain_of_lets(ir_module *m, const ir_expr *x)
{
	const ir_expr **values = xcalloc(LENGTH, sizeof *values);
	const ir_expr **vars = xcalloc(LENGTH, sizeof *vars);
	const ir_expr *body;

	for (int i = 0; i < LENGTH; i++) {
		values[i] =
			ir_new_op_call(m, LOC_NONE, OP_nn_relu, &x, 1, NULL);
		x = vars[i] =
			ir_new_var(m, LOC_NONE, ir_name(m->cx, "v"), NULL);
	}
	body = x;
	for (int i = LENGTH; i-- > 0;)
		body = ir_new_let(m, LOC_NONE, ir_as_var(vars[i]), values[i],
				  body);
	free(values);
	free(vars);
	return body;
}

static const ir_expr *
relu_to_tanh(const ir_expr *e, const ir_expr *old, void *env)
{
	const ir_expr *arg;

	(void)old;
	if (!ir_is_call_of(e, OP_nn_relu))
		return NULL;
	arg = ir_as_call(e)->args[0];
	return ir_new_op_call(env, e->loc, OP_tanh, &arg, 1, NULL);
}

static size_t
count_calls(const ir_expr *root, enum op_id op)
{
	ir_expr_vec order = {0};
	size_t n = 0;

	ir_postorder(root, &order);
	for (size_t i = 0; i < order.len; i++)
		n += ir_is_call_of(order.at[i], op);
	vec_free(&order);
	return n;
}

static void
test_chain(ir_module *m, const ir_expr *root, const ir_expr *x)
{
	static const struct ir_rules rules = {
		.on = {[IR_CALL] = relu_to_tanh},
	};
	static const struct ir_rules nothing;
	ir_expr_vec vars = {0};
	const ir_expr *changed;

	CHECK(count_calls(root, OP_nn_relu) == LENGTH);
	CHECK(ir_rewrite(m, root, &nothing, NULL) == root);
	changed = ir_rewrite(m, root, &rules, m);
	CHECK(changed != root);
	CHECK(count_calls(changed, OP_nn_relu) == 0);
	CHECK(count_calls(changed, OP_tanh) == LENGTH);
	CHECK(count_calls(ir_refresh_binders(m, root), OP_nn_relu) == LENGTH);
	ir_free_vars(root, &vars);
	CHECK(vars.len == 1 && vars.at[0] == x);
	vec_free(&vars);
}

static void *
run(void *unused)
{
	ir_context *cx = ir_context_new();
	ir_module *m = ir_module_new(cx);
	const ir_expr *x = ir_new_var(m, LOC_NONE, ir_name(cx, "x"), NULL);

	test_chain(m, chain_of_calls(m, x), x);
	test_chain(m, chain_of_lets(m, x), x);
	ir_module_free(m);
	ir_context_free(cx);
	return unused;
}

int
main(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	CHECK(pthread_create(&thread, &attr, run, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	return unit_result();
}
