/*
 * extract-fake-quantized-ops: which operators stand between dequantizes and a
 * quantize, and how often.
 *
 *     note: nn.conv2d: 1 [-extract-fake-quantized-ops]
 *
 * One note for each operator and function, by name. A call in two regions
 * counts twice; a region that depends on anything but calls of operators,
 * tuples and constants does not count. The module stays as it is.
 *
 * Level: function. Needs: nothing.
 */
#include "passes/pass.h"

#include <stdlib.h>
#include <string.h>

#include "passes/quant/fq_region.h"

struct counter {
	unsigned of[OP_COUNT];
	ir_expr_vec stack;
	ir_expr_vec calls; /* of the region at hand */
	struct ir_set seen;
};

static bool
is_dataflow(const ir_expr *e)
{
	switch (e->kind) {
	case IR_CONSTANT:
	case IR_TUPLE:
	case IR_PROJ:
		return true;
	case IR_CALL:
		return ir_called_op(e) && ir_called_op(e)->id < OP_COUNT;
	default:
		return false;
	}
}

/* The calls in the region of QUANTIZE; false: it holds something else. */
static bool
collect(struct counter *c, const ir_expr *quantize)
{
	vec_clear(&c->stack);
	vec_clear(&c->calls);
	ir_set_clear(&c->seen);
	vec_push(&c->stack, quantize);
	while (c->stack.len > 0) {
		const ir_expr *e = c->stack.at[--c->stack.len];
		const ir_expr *const *operands = NULL;
		uint32_t n;

		if (!ir_set_add(&c->seen, e))
			continue;
		if (!is_dataflow(e))
			return false;
		if (e->kind == IR_CALL && e != quantize &&
		    !ir_is_call_of(e, OP_qnn_dequantize))
			vec_push(&c->calls, e);
		n = fq_region_operands(e, &operands);
		for (uint32_t i = 0; i < n; i++)
			vec_push(&c->stack, operands[i]);
	}
	return true;
}

static void
count_region(const ir_expr *e, void *env)
{
	struct counter *c = env;

	if (!ir_is_call_of(e, OP_qnn_quantize) || !collect(c, e))
		return;
	for (size_t i = 0; i < c->calls.len; i++)
		c->of[ir_called_op(c->calls.at[i])->id]++;
}

struct row {
	const char *name;
	unsigned count;
};

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->name,
		      ((const struct row *)b)->name);
}

static void
report(pass_ctx *cx, const struct counter *c, struct loc loc)
{
	struct row rows[OP_COUNT];
	size_t n = 0;

	for (int i = 0; i < OP_COUNT; i++)
		if (c->of[i])
			rows[n++] = (struct row){
				ir_op_info((enum op_id)i)->name, c->of[i]};
	qsort(rows, n, sizeof(*rows), by_name);
	for (size_t i = 0; i < n; i++)
		pass_note(cx, loc, "%s: %u", rows[i].name, rows[i].count);
}

const struct ir_function *
pass_extract_fake_quantized_ops(pass_ctx *cx, ir_def *def,
				const struct ir_function *fn)
{
	struct counter c = {.stack = {0}};

	(void)def;
	ir_walk(&fn->base, NULL, count_region, &c);
	report(cx, &c, fn->base.loc);
	vec_free(&c.stack);
	vec_free(&c.calls);
	ir_set_free(&c.seen);
	return fn;
}
