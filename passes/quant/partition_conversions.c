/*
 * quantize=partition-conversions: a quantized main in three parts.
 *
 *     def @main(%x) {
 *       let %quantized_inputs = @quantize_inputs(%x);
 *       let %quantized_outputs = @quantized_main(%quantized_inputs.0);
 *       let %dequantized_outputs = @dequantize_outputs(%quantized_outputs);
 *       %dequantized_outputs
 *     }
 *
 * The first makes small integers of the inputs: what is made of parameters and
 * constants by operators that only convert. The last begins with the integers
 * that floats are made of. Between them is the network, for a machine that
 * computes on integers only.
 */
#include "ir/copy.h"
#include "ir/print.h"
#include "passes/quant/quantize.h"
#include "passes/replace.h"

enum made_of { ANYTHING, CONSTANTS, INPUTS };

struct splitter {
	pass_ctx *cx;
	ir_module *m;
	const struct qconfig *q;
	const struct ir_function *fn;
	struct ir_map made_of;    /* node -> enum made_of */
	struct ir_map origin;     /* node made of inputs -> first of them */
	struct ir_map inputs;     /* node -> parameter of the middle */
	ir_expr_vec cuts;         /* nodes of the middle that the end reads */
	struct ir_map stands_for; /* parameter of the middle -> node */
};

static bool
is_graph(const ir_expr *e)
{
	return e->kind == IR_VAR || e->kind == IR_CONSTANT ||
	       e->kind == IR_TUPLE || e->kind == IR_PROJ || e->kind == IR_OP ||
	       ir_called_op(e);
}

static bool
only_converts(const ir_expr *e)
{
	return ir_is_call_of(e, OP_add) || ir_is_call_of(e, OP_multiply) ||
	       ir_is_call_of(e, OP_right_shift) || ir_is_call_of(e, OP_clip) ||
	       ir_is_call_of(e, OP_round) || ir_is_call_of(e, OP_cast);
}

static enum made_of
what_made_of(const struct splitter *s, const ir_expr *e)
{
	return (enum made_of)(uintptr_t)ir_map_get(&s->made_of, e);
}

static void
classify(struct splitter *s, const ir_expr *e)
{
	enum made_of made = ANYTHING;
	const ir_expr *from = e;

	if (e->kind == IR_VAR)
		made = INPUTS;
	else if (e->kind == IR_CONSTANT)
		made = CONSTANTS;
	else if (only_converts(e))
		made = CONSTANTS;
	for (uint32_t i = 1; only_converts(e) && i < ir_num_operands(e); i++) {
		enum made_of x = what_made_of(s, ir_operand(e, i));

		if (x == ANYTHING || made == ANYTHING)
			made = ANYTHING;
		else if (x == INPUTS && made != INPUTS) {
			made = INPUTS;
			from = ir_map_get(&s->origin, ir_operand(e, i));
		}
	}
	ir_map_put(&s->made_of, e, (void *)(uintptr_t)made);
	ir_map_put(&s->origin, e, from);
}

static void
make_input(struct splitter *s, const ir_expr *e)
{
	const struct ir_var *from;
	const ir_expr *v;

	if (what_made_of(s, e) != INPUTS || ir_map_get(&s->inputs, e))
		return;
	from = ir_as_var(ir_map_get(&s->origin, e));
	v = ir_new_var(s->m, e->loc, from->name, e->type);
	ir_set_type(v, e->type);
	ir_map_put(&s->inputs, e, v);
	ir_map_put(&s->stands_for, v, e);
}

/* Find the inputs of the middle; false: this is no graph of operators. */
static bool
find_inputs(struct splitter *s)
{
	ir_expr_vec order = {0};
	bool ok = true;
	bool all;

	ir_postorder(s->fn->body, &order);
	for (size_t i = 0; i < order.len && ok; i++) {
		ok = is_graph(order.at[i]);
		classify(s, order.at[i]);
	}
	all = what_made_of(s, s->fn->body) != ANYTHING;
	for (size_t i = 0; i < order.len && ok; i++) {
		const ir_expr *e = order.at[i];

		if (all && e->kind == IR_VAR)
			make_input(s, e);
		for (uint32_t k = 0; k < ir_num_operands(e) && !all &&
				     what_made_of(s, e) == ANYTHING;
		     k++)
			make_input(s, ir_operand(e, k));
	}
	vec_free(&order);
	return ok;
}

static bool
is_quantized(const struct splitter *s, struct dtype t)
{
	return dtype_equal(t, s->q->input) || dtype_equal(t, s->q->weight) ||
	       dtype_equal(t, s->q->activation);
}

/* Collect what the end reads. */
static bool
find_cut(const ir_expr *e, void *env)
{
	struct splitter *s = env;
	bool cut = e->kind == IR_VAR;

	if (e->kind != IR_CONSTANT && e->kind != IR_OP &&
	    e->type->kind == TYPE_TENSOR)
		cut |= is_quantized(s, ir_as_tensor_type(e->type)->dtype);
	if (cut)
		vec_push(&s->cuts, e);
	return !cut;
}

static const ir_expr *
function(struct splitter *s, const ir_expr_vec *params, const ir_expr *body)
{
	const struct ir_var **vars = ARENA_NEW_ARRAY(
		s->cx->scratch, params->len, const struct ir_var *);
	struct ir_function_parts parts = {
		.params = vars, .nparams = (uint32_t)params->len, .body = body};

	for (size_t i = 0; i < params->len; i++)
		vars[i] = ir_as_var(params->at[i]);
	return ir_new_function(s->m, s->fn->base.loc, &parts);
}

static const ir_expr *
tuple_of(struct splitter *s, const ir_expr_vec *values)
{
	const ir_type **types =
		ARENA_NEW_ARRAY(s->cx->scratch, values->len, const ir_type *);
	const ir_expr *tuple = ir_new_tuple(s->m, s->fn->base.loc, values->at,
					    (uint32_t)values->len);

	for (size_t i = 0; i < values->len; i++)
		types[i] = values->at[i]->type;
	ir_set_type(tuple,
		    ir_type_tuple(s->m->cx, types, (uint32_t)values->len));
	return tuple;
}

static const struct ir_global *
add(struct splitter *s, const char *name, const ir_expr *fn)
{
	name = ir_module_fresh_name(s->m, ir_name(s->m->cx, name));
	return ir_module_add_function(s->m, name, fn, s->fn->base.loc)->global;
}

/* The first part, which gives what the parameters PARAMS stand for. */
static const struct ir_global *
add_begin(struct splitter *s, const ir_expr_vec *params)
{
	const struct ir_copy_options plain = {0};
	struct ir_function_parts parts = ir_function_parts(s->fn);
	ir_expr_vec values = {0};
	const ir_expr *fn;

	for (size_t i = 0; i < params->len; i++)
		vec_push(&values, ir_map_get(&s->stands_for, params->at[i]));
	parts.body = tuple_of(s, &values);
	parts.ret_type = NULL;
	parts.attrs = NULL;
	fn = ir_copy(s->m, ir_new_function(s->m, s->fn->base.loc, &parts),
		     &plain);
	vec_free(&values);
	return add(s, "quantize_inputs", fn);
}

static bool
has_integers(const struct splitter *s)
{
	for (size_t i = 0; i < s->cuts.len; i++)
		if (s->cuts.at[i]->kind != IR_VAR)
			return true;
	return false;
}

/* The middle, and what of it leaves: one value or a tuple. */
static const ir_expr *
middle_of(struct splitter *s, const ir_expr *all)
{
	ir_walk(all, find_cut, NULL, s);
	if (!has_integers(s)) {
		vec_clear(&s->cuts);
		vec_push(&s->cuts, all);
	}
	return s->cuts.len == 1 ? s->cuts.at[0] : tuple_of(s, &s->cuts);
}

/* The last part: ALL, but for what the middle gives. */
static const ir_expr *
end_of(struct splitter *s, const ir_expr *all, const ir_expr *middle)
{
	struct ir_map with = {0};
	ir_expr_vec params = {0};
	const ir_expr *v = ir_new_var(s->m, all->loc,
				      ir_name(s->m->cx, "input"), middle->type);
	const ir_expr *fn;

	ir_set_type(v, middle->type);
	vec_push(&params, v);
	for (size_t i = 0; i < s->cuts.len; i++) {
		const ir_expr *x = v;

		if (s->cuts.len > 1)
			x = ir_new_proj(s->m, all->loc, v, (uint32_t)i);
		ir_set_type(x, s->cuts.at[i]->type);
		ir_map_put(&with, s->cuts.at[i], x);
	}
	fn = function(s, &params, replace_nodes(s->m, all, &with));
	ir_map_free(&with);
	vec_free(&params);
	return fn;
}

struct integral {
	struct splitter *s;
	bool in_middle;
};

static bool
check_integral(const ir_expr *e, void *env)
{
	struct integral *x = env;
	struct splitter *s = x->s;
	const char *type;

	if (x->in_middle && e->type && e->type->kind == TYPE_TENSOR &&
	    dtype_is_float(ir_as_tensor_type(e->type)->dtype)) {
		type = ir_type_text(s->m->cx, e->type);
		pass_error(s->cx, e->loc,
			   "not fully integral: the quantized part computes "
			   "%s",
			   type);
	} else if (!x->in_middle && ir_called_op(e) && !only_converts(e)) {
		pass_error(s->cx, e->loc,
			   "not fully integral: '%s' stands outside of the "
			   "quantized part",
			   ir_called_op(e)->name);
	}
	return !s->cx->failed;
}

static void
check(struct splitter *s, const ir_expr *middle, const ir_expr *end)
{
	struct integral x = {s, true};

	ir_walk(middle, check_integral, NULL, &x);
	x.in_middle = false;
	if (!s->cx->failed)
		ir_walk(end, check_integral, NULL, &x);
}

static const ir_expr *
call_part(struct splitter *s, const struct ir_global *g,
	  const ir_expr_vec *args)
{
	return ir_new_call(s->m, s->fn->base.loc, &g->base, args->at,
			   (uint32_t)args->len, NULL);
}

static const ir_expr *
new_main(struct splitter *s, const struct ir_global *const parts[3], uint32_t n)
{
	static const char *const names[] = {
		"quantized_inputs", "quantized_outputs", "dequantized_outputs"};
	struct loc loc = s->fn->base.loc;
	const ir_expr *vars[3], *values[3];
	ir_expr_vec args = {0};
	const ir_expr *body;

	for (int i = 0; i < 3; i++)
		vars[i] = ir_new_var(s->m, loc, ir_name(s->m->cx, names[i]),
				     NULL);
	for (uint32_t i = 0; i < s->fn->nparams; i++)
		vec_push(&args, &s->fn->params[i]->base);
	values[0] = call_part(s, parts[0], &args);
	vec_clear(&args);
	for (uint32_t i = 0; i < n; i++)
		vec_push(&args, ir_new_proj(s->m, loc, vars[0], i));
	values[1] = call_part(s, parts[1], &args);
	vec_clear(&args);
	vec_push(&args, vars[1]);
	values[2] = call_part(s, parts[2], &args);
	vec_free(&args);
	body = vars[2];
	for (int i = 3; i-- > 0;)
		body = ir_new_let(s->m, loc, ir_as_var(vars[i]), values[i],
				  body);
	return body;
}

static const struct ir_function *
split(struct splitter *s)
{
	struct ir_function_parts parts = ir_function_parts(s->fn);
	const ir_expr *all = replace_nodes(s->m, s->fn->body, &s->inputs);
	const ir_expr *middle = middle_of(s, all);
	const ir_expr *end = end_of(s, all, middle);
	const struct ir_global *globals[3];
	ir_expr_vec params = {0};

	if (s->q->fully_integral)
		check(s, middle, ir_as_function(end)->body);
	if (!s->cx->failed) {
		ir_free_vars(middle, &params);
		globals[0] = add_begin(s, &params);
		globals[1] =
			add(s, "quantized_main", function(s, &params, middle));
		globals[2] = add(s, "dequantize_outputs", end);
		parts.body = new_main(s, globals, (uint32_t)params.len);
		parts.ret_type = NULL;
	}
	vec_free(&params);
	return ir_as_function(ir_new_function(s->m, s->fn->base.loc, &parts));
}

const struct ir_function *
quant_partition_conversions(pass_ctx *cx, const struct qconfig *q,
			    const struct ir_function *fn)
{
	struct splitter s = {.cx = cx, .m = cx->module, .q = q, .fn = fn};
	const struct ir_function *out = fn;

	if (find_inputs(&s)) {
		out = split(&s);
	} else {
		pass_error(cx, fn->base.loc,
			   "partition-conversions takes graphs of operators "
			   "only");
	}
	ir_map_free(&s.made_of);
	ir_map_free(&s.origin);
	ir_map_free(&s.inputs);
	ir_map_free(&s.stands_for);
	vec_free(&s.cuts);
	return cx->failed ? fn : out;
}
