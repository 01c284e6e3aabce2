/*
 * quantize-calibrate: set the scales and bounds that quantize-annotate left
 * open.
 *
 * The largest value that fits is global-scale for inputs and activations, or
 * what running the network on samples (dataset) tells: kl_divergence or
 * percentile. For weights it is the largest magnitude in the constant, or the
 * next power of two. The parameters of the function become constants.
 *
 * Level: function. Needs: types.
 */
#include "passes/quant/quant_profile.h"

#include <math.h>

struct calibrate {
	pass_ctx *cx;
	ir_module *m;
	const struct qconfig *q;
	struct quant_profile profile; /* unless the scale is global */
	struct ir_map values;         /* parameter -> constant */
};

static double
largest(const ir_tensor *t)
{
	double high = 0;

	for (int64_t i = 0; i < ir_tensor_size(t); i++)
		high = fmax(high, fabs(ir_tensor_get_double(t, i)));
	return high;
}

/* The largest value that the annotated E is to hold. */
static double
range_of(const struct calibrate *c, const struct ir_call *e,
	 enum quant_kind kind)
{
	const ir_expr *data = e->args[0];
	double high;

	if (kind != QUANT_WEIGHT && c->q->mode == QUANT_GLOBAL)
		return c->q->global_scale;
	if (kind != QUANT_WEIGHT) {
		uintptr_t i =
			(uintptr_t)ir_map_get(&c->profile.index, &e->base);

		high = i ? c->profile.range[i - 1] : 0;
		return high > 0 ? high : 1;
	}
	if (data->kind != IR_CONSTANT || !ir_as_constant(data)->data) {
		pass_error(c->cx, e->base.loc,
			   "a weight must be a constant to have a scale");
		return 1;
	}
	high = largest(ir_as_constant(data)->data);
	if (high <= 0)
		return 1;
	return c->q->max_weight_scale ? high : exp2(ceil(log2(high)));
}

static void
put(struct calibrate *c, const ir_expr *param, double value)
{
	if (param->kind == IR_VAR)
		ir_map_put(&c->values, param,
			   ir_new_scalar(c->m, param->loc, DTYPE(FLOAT, 32),
					 value));
}

static void
set_params(const ir_expr *e, void *env)
{
	struct calibrate *c = env;
	const struct ir_call *call;
	enum quant_kind kind;
	double values;

	if (!ir_is_call_of(e, OP_relay_op_annotation_simulated_quantize))
		return;
	call = ir_as_call(e);
	kind = (enum quant_kind)(ir_attrs_int(call->attrs, "kind", 0) & 3);
	if (kind == QUANT_NONE)
		return;
	values = ldexp(1, (int)c->q->nbit[kind] -
				  ir_attrs_bool(call->attrs, "sign"));
	put(c, call->args[1], range_of(c, call, kind) / values);
	put(c, call->args[2], -(values - 1));
	put(c, call->args[3], values - 1);
}

/* FN without the parameters that have values now. */
static const ir_expr *
without_params(struct calibrate *c, const struct ir_function *fn)
{
	struct ir_function_parts parts = ir_function_parts(fn);
	const struct ir_var **params = ARENA_NEW_ARRAY(
		c->cx->scratch, fn->nparams, const struct ir_var *);

	parts.nparams = 0;
	for (uint32_t i = 0; i < fn->nparams; i++)
		if (!ir_map_get(&c->values, &fn->params[i]->base))
			params[parts.nparams++] = fn->params[i];
	parts.params = params;
	parts.body = ir_substitute(c->m, fn->body, &c->values);
	return ir_new_function(c->m, fn->base.loc, &parts);
}

const struct ir_function *
quant_calibrate(pass_ctx *cx, const struct qconfig *q,
		const struct ir_function *fn)
{
	struct calibrate c = {.cx = cx, .m = cx->module, .q = q};
	const ir_expr *out = &fn->base;

	if (q->mode == QUANT_GLOBAL || quant_profile(cx, q, fn, &c.profile))
		ir_walk(fn->body, NULL, set_params, &c);
	if (!cx->failed)
		out = without_params(&c, fn);
	quant_profile_free(&c.profile);
	ir_map_free(&c.values);
	return ir_as_function(out);
}

const struct ir_function *
pass_quantize_calibrate(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	(void)def;
	return quant_run(cx, fn, quant_calibrate);
}
