/*
 * split-args: no concatenation takes more arguments than a kernel may have.
 *
 *     concatenate((%a, %b, %c, %d, %e))      becomes, for at most 4,
 *     %0 = concatenate(annotation.stop_fusion((%a, %b, %c)));
 *     concatenate(annotation.stop_fusion((%0, %d, %e)))
 *
 * The limit counts the result too, and for a tensor with unknown extents those
 * and the strides.
 *
 * Level: function. Needs: types.
 */
#include "passes/pass.h"

struct splitter {
	pass_ctx *cx;
	uint64_t max;
};

/* What passing a tensor of type T costs. */
static uint64_t
cost_of(const ir_type *t)
{
	const struct ir_tensor_type *tt;
	uint64_t unknown = 0;

	if (!t || t->kind != TYPE_TENSOR)
		return 1;
	tt = ir_as_tensor_type(t);
	for (uint32_t i = 0; i < tt->ndim; i++)
		unknown += !ir_dim_is_const(tt->shape[i]);
	return 1 + (unknown ? unknown + tt->ndim : 0);
}

static const ir_expr *
join(ir_module *m, const ir_expr *e, const ir_expr_vec *fields)
{
	const ir_expr *x =
		ir_new_tuple(m, e->loc, fields->at, (uint32_t)fields->len);

	x = ir_new_op_call(m, e->loc, OP_annotation_stop_fusion, &x, 1, NULL);
	return ir_new_call(m, e->loc, ir_as_call(e)->callee, &x, 1,
			   ir_as_call(e)->attrs);
}

/* LIMIT is left for inputs; joined parts cost OUT, as the result does. */
static const ir_expr *
split(struct splitter *s, const ir_expr *e, const struct ir_tuple *old,
      uint64_t limit, uint64_t out)
{
	const struct ir_tuple *tuple = ir_as_tuple(ir_as_call(e)->args[0]);
	ir_expr_vec chunk = {0};
	uint64_t cost = 0;
	const ir_expr *result;

	for (uint32_t i = 0; i < tuple->nfields; i++) {
		uint64_t c = cost_of(old->fields[i]->type);

		if (cost + c > limit) {
			const ir_expr *part = join(s->cx->module, e, &chunk);

			vec_clear(&chunk);
			vec_push(&chunk, part);
			cost = out;
		}
		vec_push(&chunk, tuple->fields[i]);
		cost += c;
	}
	result = join(s->cx->module, e, &chunk);
	vec_free(&chunk);
	return result;
}

static const ir_expr *
rewrite_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct splitter *s = env;
	const struct ir_tuple *tuple;
	uint64_t out = cost_of(old->type);
	uint64_t total = out;
	uint64_t most = 0;

	if (!ir_is_call_of(e, OP_concatenate) ||
	    ir_as_call(e)->args[0]->kind != IR_TUPLE ||
	    ir_as_call(old)->args[0]->kind != IR_TUPLE)
		return e;
	tuple = ir_as_tuple(ir_as_call(old)->args[0]);
	for (uint32_t i = 0; i < tuple->nfields; i++) {
		uint64_t c = cost_of(tuple->fields[i]->type);

		total += c;
		most = c > most ? c : most;
	}
	if (total <= s->max)
		return e;
	if (2 * out + most > s->max) {
		pass_remark(s->cx, e->loc,
			    "cannot split: two tensors are too many already");
		return e;
	}
	pass_count(s->cx, "concatenations split", 1);
	return split(s, e, tuple, s->max - out, out);
}

static const struct ir_rules rules = {
	.on = {[IR_CALL] = rewrite_call},
	.counted = true,
};

const struct ir_function *
pass_split_args(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	int64_t max = pass_option_int(cx, "max-function-args");
	struct splitter s = {cx, max > 0 ? (uint64_t)max : 0};

	(void)def;
	if (s.max == 0)
		return fn;
	return ir_as_function(ir_rewrite(cx->module, &fn->base, &rules, &s));
}
