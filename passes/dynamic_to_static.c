/*
 * dynamic-to-static: replace operators that take a shape as a tensor by those
 * that have it as an attribute, where the tensor is a constant.
 *
 *     %0 = shape_of(%y, dtype="int32");
 *     dyn.reshape(%x, %0, newshape=[])
 *                        becomes, for a %y of (8, 3)
 *     reshape(%x, newshape=[8, 3])
 *
 * Constants are folded on the way, operands before users, and each new call is
 * typed at once: a shape that depends on the shape of a result becomes a
 * constant in the same walk. Variables bound by let and results of functions
 * take the new types. A function whose types agree only as long as they are
 * unknown (the branches of a conditional, say) stays as it is.
 *
 * Level: function. Needs: types.
 */
#include "passes/fold_constant.h"
#include "passes/opcall.h"

#include <math.h>
#include <stdlib.h>

struct to_static {
	struct folder fold; /* first: rules take it as theirs */
	ir_module *m;
	struct ir_map vars; /* let variable -> typed anew */
};

enum how { SCALAR_INT, SCALAR_FLOAT, INTS, FLOATS, PAIRS };

/* Input INPUT of OP becomes the attribute FIELD of the operator TO. */
static const struct dyn_input {
	enum op_id op;
	enum op_id to;
	uint32_t input;
	const char *field;
	enum how how;
} dyn_inputs[] = {
	{OP_dyn_broadcast_to, OP_broadcast_to, 1, "shape", INTS},
	{OP_dyn_expand_dims, OP_expand_dims, 1, "axis", SCALAR_INT},
	{OP_dyn_full, OP_full, 1, "shape", INTS},
	{OP_dyn_image_resize2d, OP_image_resize2d, 1, "size", INTS},
	{OP_dyn_image_resize2d, OP_image_resize2d, 2, "roi", FLOATS},
	{OP_dyn_nn_pad, OP_nn_pad, 1, "pad_width", PAIRS},
	{OP_dyn_nn_upsampling, OP_nn_upsampling, 1, "scale_h", SCALAR_FLOAT},
	{OP_dyn_nn_upsampling, OP_nn_upsampling, 2, "scale_w", SCALAR_FLOAT},
	{OP_dyn_nn_upsampling3d, OP_nn_upsampling3d, 1, "scale_d",
	 SCALAR_FLOAT},
	{OP_dyn_nn_upsampling3d, OP_nn_upsampling3d, 2, "scale_h",
	 SCALAR_FLOAT},
	{OP_dyn_nn_upsampling3d, OP_nn_upsampling3d, 3, "scale_w",
	 SCALAR_FLOAT},
	{OP_dyn_one_hot, OP_one_hot, 3, "depth", SCALAR_INT},
	{OP_dyn_ones, OP_ones, 0, "shape", INTS},
	{OP_dyn_reshape, OP_reshape, 1, "newshape", INTS},
	{OP_dyn_sparse_to_dense, OP_sparse_to_dense, 3, "output_shape", INTS},
	{OP_dyn_squeeze, OP_squeeze, 1, "axis", INTS},
	{OP_dyn_strided_slice, OP_strided_slice, 1, "begin", INTS},
	{OP_dyn_strided_slice, OP_strided_slice, 2, "end", INTS},
	{OP_dyn_strided_slice, OP_strided_slice, 3, "strides", INTS},
	{OP_dyn_tile, OP_tile, 1, "reps", INTS},
	{OP_dyn_topk, OP_topk, 1, "k", SCALAR_INT},
	{OP_dyn_zeros, OP_zeros, 0, "shape", INTS},
};

enum { NDYN_INPUTS = sizeof(dyn_inputs) / sizeof(dyn_inputs[0]) };

static void
infer(struct to_static *s, const ir_expr *e)
{
	if (!e->type)
		ir_infer_expr(s->m, e, &s->fold.quiet);
}

static ir_attr
ints_of(struct to_static *s, const ir_tensor *t, int64_t from, uint32_t n)
{
	int64_t *v = xcalloc(n ? n : 1, sizeof(*v));
	ir_attr a;

	for (uint32_t i = 0; i < n; i++)
		v[i] = ir_tensor_get_int(t, from + i);
	a = ir_attr_int_array(s->m->cx, v, n, 32);
	free(v);
	return a;
}

static ir_attr
floats_of(struct to_static *s, const ir_tensor *t)
{
	uint32_t n = (uint32_t)ir_tensor_size(t);
	ir_attr *v = xcalloc(n ? n : 1, sizeof(*v));
	ir_attr a;

	for (uint32_t i = 0; i < n; i++)
		v[i] = (ir_attr){.kind = ATTR_FLOAT,
				 .bits = 32,
				 .f = ir_tensor_get_double(t, i)};
	a = ir_attr_array(s->m->cx, v, n);
	free(v);
	return a;
}

static ir_attr
pairs_of(struct to_static *s, const ir_tensor *t)
{
	uint32_t n = (uint32_t)t->shape[0];
	ir_attr *v = xcalloc(n ? n : 1, sizeof(*v));
	ir_attr a;

	for (uint32_t i = 0; i < n; i++)
		v[i] = ints_of(s, t, 2 * (int64_t)i, 2);
	a = ir_attr_array(s->m->cx, v, n);
	free(v);
	return a;
}

/* All elements are integers, whatever the element type. */
static bool
is_integral(const ir_tensor *t)
{
	if (t->dtype.code == DTYPE_INT || t->dtype.code == DTYPE_UINT)
		return true;
	for (int64_t i = 0; i < ir_tensor_size(t); i++) {
		double v = ir_tensor_get_double(t, i);

		if (!(fabs(v) < 9e15) || v != floor(v))
			return false;
	}
	return true;
}

/* The constant E as an attribute. */
static bool
attr_of(struct to_static *s, const ir_expr *e, enum how how, ir_attr *out)
{
	const ir_tensor *t;

	if (e->kind != IR_CONSTANT || !ir_as_constant(e)->data)
		return false;
	t = ir_as_constant(e)->data;
	if (how != SCALAR_FLOAT && how != FLOATS && !is_integral(t))
		return false;
	switch (how) {
	case SCALAR_INT:
	case SCALAR_FLOAT:
		if (ir_tensor_size(t) != 1)
			return false;
		*out = how == SCALAR_INT
			       ? ATTR_INT32(ir_tensor_get_int(t, 0))
			       : ATTR_DOUBLE(ir_tensor_get_double(t, 0));
		return true;
	case INTS:
		if (t->ndim != 1)
			return false;
		*out = ints_of(s, t, 0, (uint32_t)t->shape[0]);
		return true;
	case FLOATS:
		if (t->ndim != 1)
			return false;
		*out = floats_of(s, t);
		return true;
	case PAIRS:
		if (t->ndim != 2 || t->shape[1] != 2)
			return false;
		*out = pairs_of(s, t);
		return true;
	}
	return false;
}

/* The call with its constant inputs as attributes, or E. */
static const ir_expr *
make_static(struct to_static *s, const ir_expr *e)
{
	const ir_op *op = ir_called_op(e);
	const struct ir_call *c = ir_as_call(e);
	struct opcall b = {s->m, e->loc};
	const ir_expr *args[4];
	const ir_attrs *attrs = NULL;
	const ir_expr *out;
	enum op_id to = OP_COUNT;
	uint32_t gone = 0;
	uint32_t n = 0;

	for (size_t i = 0; op && i < NDYN_INPUTS; i++) {
		const struct dyn_input *d = &dyn_inputs[i];
		ir_attr a;

		if (d->op != op->id)
			continue;
		if (!attr_of(s, c->args[d->input], d->how, &a))
			return e;
		if (to == OP_COUNT)
			attrs = opcall_attrs(&b, d->to, c->attrs);
		attrs = ir_attrs_with(s->m->cx, attrs, d->field, a);
		to = d->to;
		gone |= 1u << d->input;
	}
	if (to == OP_COUNT)
		return e;
	for (uint32_t i = 0; i < c->nargs; i++)
		if (!(gone >> i & 1))
			args[n++] = c->args[i];
	out = ir_new_op_call(s->m, e->loc, to, args, n, attrs);
	infer(s, out);
	if (!out->type)
		return e;
	pass_count(s->fold.cx, "calls made static", 1);
	return out;
}

static const ir_expr *
rewrite_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct to_static *s = env;
	const struct ir_call *c = ir_as_call(e);
	const ir_expr *out;

	(void)old;
	if (ir_called_op(e))
		for (uint32_t i = 0; i < c->nargs; i++)
			infer(s, c->args[i]);
	e = make_static(s, e);
	out = folder_rules.on[IR_CALL](e, e, env);
	if (out && out != e && out->kind == IR_CONSTANT)
		ir_set_type(out, NULL);
	return out ? out : e;
}

/* A variable whose value has a better type now is another variable. */
static void
bind_var(const struct ir_let *let, const ir_expr *value, void *env)
{
	struct to_static *s = env;
	const ir_expr *v;

	folder_rules.bound(let, value, env);
	if (value == let->value)
		return;
	infer(s, value);
	if (!value->type || value->type == let->var->base.type)
		return;
	v = ir_new_var(s->m, let->var->base.loc, let->var->name, NULL);
	ir_set_type(v, value->type);
	ir_map_put(&s->vars, &let->var->base, v);
}

static const ir_expr *
replace_var(const ir_expr *e, const ir_expr *old, void *env)
{
	struct to_static *s = env;
	const ir_expr *constant = folder_rules.on[IR_VAR](e, old, env);

	return constant ? constant : ir_map_get(&s->vars, e);
}

static const ir_expr *
rewrite_let(const ir_expr *e, const ir_expr *old, void *env)
{
	struct to_static *s = env;
	const ir_expr *out = folder_rules.on[IR_LET](e, old, env);
	const struct ir_let *let;
	const ir_expr *v;

	if (out != e || out->kind != IR_LET)
		return out;
	let = ir_as_let(e);
	v = ir_map_get(&s->vars, &ir_as_let(old)->var->base);
	if (!v)
		return e;
	return ir_new_let(s->m, e->loc, ir_as_var(v), let->value, let->body);
}

static const ir_expr *
rewrite_function(const ir_expr *e, const ir_expr *old, void *env)
{
	struct to_static *s = env;
	struct ir_function_parts parts = ir_function_parts(ir_as_function(e));
	const ir_type *was;

	if (e == old || !parts.body)
		return e;
	was = ir_as_function(old)->body->type;
	infer(s, parts.body);
	if (!parts.body->type || parts.body->type == was)
		return e;
	parts.ret_type = NULL;
	return ir_new_function(s->m, e->loc, &parts);
}

const struct ir_function *
pass_dynamic_to_static(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct to_static s = {.m = cx->module};
	struct ir_rules rules = folder_rules;
	const ir_expr *out;

	(void)def;
	rules.on[IR_CALL] = rewrite_call;
	rules.on[IR_VAR] = replace_var;
	rules.on[IR_LET] = rewrite_let;
	rules.on[IR_FUNCTION] = rewrite_function;
	rules.bound = bind_var;
	rules.drop_types = true;
	folder_init(&s.fold, cx, false);
	out = ir_rewrite(s.m, &fn->base, &rules, &s);
	infer(&s, out);
	if (!out->type) {
		pass_remark(cx, fn->base.loc,
			    "function stays: with static shapes its types do "
			    "not agree");
		out = &fn->base;
	}
	folder_free(&s.fold);
	ir_map_free(&s.vars);
	return ir_as_function(out);
}
