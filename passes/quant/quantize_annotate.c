/*
 * quantize-annotate: say in floats what will be rounded, and to what.
 *
 *     nn.conv2d(%x, %w)
 *                        becomes
 *     %0 = relay.op.annotation.simulated_quantize(%x, %s0, %l0, %h0, kind=1);
 *     %1 = relay.op.annotation.simulated_quantize(%w, %s1, %l1, %h1, kind=2);
 *     nn.conv2d(%0, %1)
 *
 * Scale and bounds are new parameters of the function, dom_scale, clip_min and
 * clip_max, for quantize-calibrate to replace. A value is of kind input (small
 * integers), weight or activation (wide sums), or still a plain float. Rules
 * by operator say what they want of their arguments; a value of a kind with
 * several users becomes an input once for all. Nothing is annotated before the
 * convolutions that skip-conv-layers names are past, and after a global
 * average pool.
 *
 * Level: function. Needs: types.
 */
#include "passes/call_graph.h"
#include "passes/quant/quantize.h"

#include <stdio.h>

struct annotate {
	pass_ctx *cx;
	ir_module *m;
	const struct qconfig *q;
	struct ir_map kinds;   /* new node -> enum quant_kind */
	struct ir_map uses;    /* of old nodes */
	struct ir_map made[4]; /* by kind: node -> annotated */
	VEC(const struct ir_var *) params;
	unsigned convs; /* met so far */
	bool stopped;
};

static enum quant_kind
kind_of(const struct annotate *a, const ir_expr *e)
{
	return (enum quant_kind)(uintptr_t)ir_map_get(&a->kinds, e);
}

static const ir_expr *
of_kind(struct annotate *a, const ir_expr *e, enum quant_kind kind)
{
	ir_map_put(&a->kinds, e, (void *)(uintptr_t)kind);
	return e;
}

static const ir_expr *
new_param(struct annotate *a, struct loc loc, const char *name)
{
	const ir_type *t = ir_type_scalar(a->m->cx, DTYPE(FLOAT, 32));
	const ir_expr *v = ir_new_var(a->m, loc, ir_name(a->m->cx, name), t);

	ir_set_type(v, t);
	vec_push(&a->params, ir_as_var(v));
	return v;
}

/* E rounded as KIND; one node for all users of E. */
static const ir_expr *
attach(struct annotate *a, const ir_expr *e, enum quant_kind kind)
{
	ir_context *cx = a->m->cx;
	const ir_attrs *attrs;
	const ir_expr *args[4];
	const ir_expr *out;

	if (ir_is_call_of(e, OP_relay_op_annotation_simulated_quantize) &&
	    ir_attrs_int(ir_as_call(e)->attrs, "kind", 0) == (int)kind)
		return e;
	out = ir_map_get(&a->made[kind], e);
	if (out)
		return out;
	attrs = ir_attrs_defaults(cx,
				  attrs_schema(ATTRS_RelaySimulatedQuantize));
	attrs = ir_attrs_with(cx, attrs, "kind", ATTR_INT32(kind));
	args[0] = e;
	args[1] = new_param(a, e->loc, "dom_scale");
	args[2] = new_param(a, e->loc, "clip_min");
	args[3] = new_param(a, e->loc, "clip_max");
	out = ir_new_op_call(a->m, e->loc,
			     OP_relay_op_annotation_simulated_quantize, args, 4,
			     attrs);
	ir_map_put(&a->made[kind], e, out);
	return out;
}

/* NEW, or, if it has a kind and OLD several users, NEW as an input. */
static const ir_expr *
for_user(struct annotate *a, const ir_expr *old, const ir_expr *e)
{
	if (kind_of(a, e) == QUANT_NONE ||
	    (uintptr_t)ir_map_get(&a->uses, old) <= 1)
		return e;
	return of_kind(a, attach(a, e, QUANT_INPUT), QUANT_INPUT);
}

static bool
skips_conv(const struct annotate *a)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", a->convs);
	return qconfig_lists(a->q->skip_convs, number);
}

/* This call is not to be annotated; counts convolutions. */
static bool
is_skipped(struct annotate *a, const ir_op *op)
{
	bool skip;

	if (a->stopped)
		return true;
	skip = skips_conv(a);
	if (op->id == OP_nn_conv2d)
		a->convs++;
	return skip || (a->q->skip_dense && op->id == OP_nn_dense);
}

static bool
is_constant(const ir_expr *e)
{
	return e->kind == IR_CONSTANT;
}

/* A plain float becomes a weight if it is a constant, else an input. */
static const ir_expr *
as_operand(struct annotate *a, const ir_expr *e)
{
	return attach(a, e, is_constant(e) ? QUANT_WEIGHT : QUANT_INPUT);
}

static bool
wants_input(enum quant_kind k)
{
	return k == QUANT_NONE || k == QUANT_ACTIVATION;
}

/* Convolutions and dense layers: input times weight. */
static bool
annotate_linear(struct annotate *a, const ir_expr **args, enum quant_kind *out)
{
	if (kind_of(a, args[1]) != QUANT_NONE)
		return false;
	if (wants_input(kind_of(a, args[0])))
		args[0] = attach(a, args[0], QUANT_INPUT);
	args[1] = attach(a, args[1], QUANT_WEIGHT);
	*out = QUANT_ACTIVATION;
	return true;
}

static bool
annotate_batch_matmul(struct annotate *a, const ir_expr **args,
		      enum quant_kind *out)
{
	for (int i = 0; i < 2; i++)
		if (wants_input(kind_of(a, args[i])))
			args[i] = as_operand(a, args[i]);
	*out = QUANT_ACTIVATION;
	return true;
}

static bool
annotate_multiply(struct annotate *a, const ir_expr **args,
		  enum quant_kind *out)
{
	enum quant_kind k[2] = {kind_of(a, args[0]), kind_of(a, args[1])};

	if (k[0] == QUANT_NONE && k[1] == QUANT_NONE)
		return false;
	for (int i = 0; i < 2; i++) {
		if (k[i] == QUANT_ACTIVATION)
			args[i] = attach(a, args[i], QUANT_INPUT);
		else if (k[i] == QUANT_NONE)
			args[i] = as_operand(a, args[i]);
	}
	*out = QUANT_ACTIVATION;
	return true;
}

/* A sum has another range than its terms, so it is not small itself. */
static bool
annotate_add(struct annotate *a, const ir_expr **args, enum quant_kind *out)
{
	enum quant_kind l = kind_of(a, args[0]);
	enum quant_kind r = kind_of(a, args[1]);

	*out = QUANT_ACTIVATION;
	if (l == QUANT_NONE && r == QUANT_NONE)
		return false;
	if (l == QUANT_NONE)
		args[0] = attach(a, args[0], QUANT_INPUT);
	else if (r == QUANT_NONE)
		args[1] = as_operand(a, args[1]);
	else if (l == QUANT_ACTIVATION && r == QUANT_ACTIVATION)
		args[1] = attach(a, args[1], QUANT_INPUT);
	return true;
}

/* The same kind as the argument; pools and hints want inputs. */
static bool
annotate_keep(struct annotate *a, const ir_op *op, const ir_expr **args,
	      enum quant_kind *out)
{
	bool input = op->id == OP_nn_max_pool1d || op->id == OP_nn_max_pool2d ||
		     op->id == OP_annotation_cast_hint;

	*out = kind_of(a, args[0]);
	if (*out == QUANT_NONE)
		return false;
	if (input && *out == QUANT_ACTIVATION)
		args[0] = attach(a, args[0], QUANT_INPUT);
	if (input)
		*out = QUANT_INPUT;
	return true;
}

static bool
annotate_concatenate(struct annotate *a, const ir_expr **args,
		     enum quant_kind *out)
{
	const struct ir_tuple *t;
	const ir_expr **fields;
	bool any = false;

	if (args[0]->kind != IR_TUPLE)
		return false;
	t = ir_as_tuple(args[0]);
	fields = ARENA_NEW_ARRAY(a->cx->scratch, t->nfields, const ir_expr *);
	for (uint32_t i = 0; i < t->nfields; i++)
		any |= kind_of(a, t->fields[i]) != QUANT_NONE;
	if (!any)
		return false;
	for (uint32_t i = 0; i < t->nfields; i++) {
		fields[i] = t->fields[i];
		if (kind_of(a, fields[i]) == QUANT_NONE)
			fields[i] = attach(a, fields[i], QUANT_ACTIVATION);
	}
	args[0] = ir_new_tuple(a->m, t->base.loc, fields, t->nfields);
	*out = QUANT_ACTIVATION;
	return true;
}

/* What OP wants of ARGS; false: nothing. */
static bool
annotate_op(struct annotate *a, const ir_op *op, const ir_expr **args,
	    enum quant_kind *out)
{
	switch (op->id) {
	case OP_nn_conv1d:
	case OP_nn_conv2d:
	case OP_nn_dense:
		return annotate_linear(a, args, out);
	case OP_nn_batch_matmul:
		return annotate_batch_matmul(a, args, out);
	case OP_multiply:
		return annotate_multiply(a, args, out);
	case OP_add:
		return annotate_add(a, args, out);
	case OP_concatenate:
		return annotate_concatenate(a, args, out);
	case OP_nn_global_avg_pool2d:
		a->stopped |= kind_of(a, args[0]) != QUANT_NONE;
		return false;
	default:
		return annotate_keep(a, op, args, out);
	}
}

static bool
has_rule(const ir_op *op)
{
	switch (op->id) {
	case OP_nn_conv1d:
	case OP_nn_conv2d:
	case OP_nn_dense:
	case OP_nn_batch_matmul:
	case OP_multiply:
	case OP_add:
	case OP_concatenate:
	case OP_nn_global_avg_pool2d:
	case OP_nn_max_pool1d:
	case OP_nn_max_pool2d:
	case OP_annotation_cast_hint:
	case OP_annotation_stop_fusion:
	case OP_clip:
	case OP_nn_avg_pool2d:
	case OP_nn_batch_flatten:
	case OP_nn_relu:
	case OP_reshape:
	case OP_strided_slice:
	case OP_transpose:
		return true;
	default:
		return false;
	}
}

/* A float32 tensor, or a tuple of such. */
static bool
is_float32(const ir_type *t)
{
	const struct ir_tuple_type *tuple;

	if (!t)
		return false;
	if (t->kind == TYPE_TENSOR)
		return dtype_equal(ir_as_tensor_type(t)->dtype,
				   DTYPE(FLOAT, 32));
	if (t->kind != TYPE_TUPLE)
		return false;
	tuple = ir_as_tuple_type(t);
	for (uint32_t i = 0; i < tuple->nfields; i++)
		if (!is_float32(tuple->fields[i]))
			return false;
	return true;
}

/* Quantization starts from float32 alone. */
static bool
is_quantizable(const struct ir_call *c)
{
	for (uint32_t i = 0; i < c->nargs; i++)
		if (!is_float32(c->args[i]->type))
			return false;
	return is_float32(c->base.type);
}

static const ir_expr *
rewrite_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct annotate *a = env;
	const struct ir_call *c = ir_as_call(e);
	const ir_op *op = ir_called_op(e);
	enum quant_kind kind = QUANT_NONE;
	const ir_expr **args =
		ARENA_NEW_ARRAY(a->cx->scratch, c->nargs, const ir_expr *);

	for (uint32_t i = 0; i < c->nargs; i++)
		args[i] = for_user(a, ir_as_call(old)->args[i], c->args[i]);
	if (!op || !has_rule(op) || !is_quantizable(ir_as_call(old)) ||
	    (a->q->only_ops[0] && !qconfig_lists(a->q->only_ops, op->name)))
		return quant_call(a->m, e, args);
	if (is_skipped(a, op))
		/* A hint is of no use to floats. */
		return op->id == OP_annotation_cast_hint
			       ? args[0]
			       : quant_call(a->m, e, args);
	if (op->id == OP_annotation_cast_hint &&
	    kind_of(a, args[0]) == QUANT_NONE)
		return args[0];
	if (!annotate_op(a, op, args, &kind))
		return quant_call(a->m, e, args);
	pass_count(a->cx, "calls annotated", 1);
	return of_kind(a, quant_call(a->m, e, args), kind);
}

/* Tuples and all else: operands as they are, inputs where shared. */
static const ir_expr *
rewrite_other(const ir_expr *e, const ir_expr *old, void *env)
{
	struct annotate *a = env;
	uint32_t n = ir_num_operands(e);
	const ir_expr **operands =
		ARENA_NEW_ARRAY(a->cx->scratch, n, const ir_expr *);

	if (e->kind == IR_PROJ && ir_as_proj(e)->tuple->kind == IR_TUPLE)
		return ir_as_tuple(ir_as_proj(e)->tuple)
			->fields[ir_as_proj(e)->index];
	for (uint32_t i = 0; i < n; i++)
		operands[i] = for_user(a, ir_operand(old, i), ir_operand(e, i));
	return ir_with_operands(a->m, e, operands, false);
}

/* FN with the scales and bounds as further parameters. */
static const ir_expr *
with_params(struct annotate *a, const ir_expr *fn)
{
	struct ir_function_parts parts = ir_function_parts(ir_as_function(fn));
	uint32_t n = parts.nparams + (uint32_t)a->params.len;
	const struct ir_var **params =
		ARENA_NEW_ARRAY(a->cx->scratch, n, const struct ir_var *);

	for (uint32_t i = 0; i < n; i++)
		params[i] = i < parts.nparams ? parts.params[i]
					      : a->params.at[i - parts.nparams];
	parts.params = params;
	parts.nparams = n;
	return ir_new_function(a->m, fn->loc, &parts);
}

const struct ir_function *
quant_annotate(pass_ctx *cx, const struct qconfig *q,
	       const struct ir_function *fn)
{
	struct annotate a = {.cx = cx, .m = cx->module, .q = q};
	struct ir_rules rules = quant_rules(rewrite_call, rewrite_other);
	const ir_expr *out;

	ir_use_counts(&fn->base, &a.uses);
	out = ir_rewrite(a.m, &fn->base, &rules, &a);
	if (a.params.len > 0)
		out = with_params(&a, out);
	ir_map_free(&a.kinds);
	ir_map_free(&a.uses);
	for (int i = 0; i < 4; i++)
		ir_map_free(&a.made[i]);
	vec_free(&a.params);
	return ir_as_function(out);
}

static void
free_calls(void *state)
{
	call_graph_free(state);
	free(state);
}

/* Does anything call DEF, with the parameters that it has now? */
static bool
is_called(pass_ctx *cx, const ir_def *def)
{
	struct call_graph *g = cx->state;

	if (!g) {
		g = xcalloc(1, sizeof(*g));
		call_graph_build(g, cx->module, cx->scratch);
		cx->state = g;
		cx->free_state = free_calls;
	}
	return call_graph_node(g, &def->global->base)->ncallers > 0;
}

const struct ir_function *
pass_quantize_annotate(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	if (!is_called(cx, def))
		return quant_run(cx, fn, quant_annotate);
	pass_remark_missed(cx, def->loc,
			   "'@%s' is not annotated: its calls pass no scales",
			   def->name);
	return fn;
}
