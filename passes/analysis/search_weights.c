/*
 * search-dense-op-weight, search-conv2d-op-weight: the parameters that are
 * weights of dense layers and of convolutions.
 * search-fc-transpose: those that are transposed to be weights of dense
 * layers.
 *
 *     // @main: w1,w2
 *
 * as the options of dense-to-sparse, conv2d-to-sparse and
 * simplify-fc-transpose take them.
 *
 * Level: analysis. Needs: nothing.
 */
#include "passes/analysis/report.h"

struct search {
	enum op_id op;
	bool transposed;
	struct ir_set seen;
	struct buf names;
};

static void
look(const ir_expr *e, void *env)
{
	struct search *s = env;
	const ir_expr *w;

	if (!ir_is_call_of(e, s->op))
		return;
	w = ir_as_call(e)->args[1];
	if (s->transposed && !ir_is_call_of(w, OP_transpose))
		return;
	if (s->transposed)
		w = ir_as_call(w)->args[0];
	if (w->kind != IR_VAR || !ir_set_add(&s->seen, w))
		return;
	buf_printf(&s->names, "%s%s", s->names.len ? "," : "",
		   ir_as_var(w)->name);
}

static bool
search(pass_ctx *cx, enum op_id op, bool transposed)
{
	struct report r = {.cx = cx};

	for (ir_def **d = report_functions(cx); *d; d++) {
		struct search s = {.op = op, .transposed = transposed};

		ir_walk((*d)->fn->body, NULL, look, &s);
		report_line(&r, 0, "@%s: %s", (*d)->name,
			    s.names.len ? s.names.at : "none");
		buf_free(&s.names);
		ir_set_free(&s.seen);
	}
	report_end(&r);
	return false;
}

bool
pass_search_dense_op_weight(pass_ctx *cx)
{
	return search(cx, OP_nn_dense, false);
}

bool
pass_search_conv2d_op_weight(pass_ctx *cx)
{
	return search(cx, OP_nn_conv2d, false);
}

bool
pass_search_fc_transpose(pass_ctx *cx)
{
	return search(cx, OP_nn_dense, true);
}
