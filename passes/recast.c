/*
 * recast: compute some operators in another element type.
 *
 *     nn.conv2d(%x, %w, padding=[1, 1, 1, 1], out_dtype="float32")
 *                        becomes, with type=int8 and out-type=int32,
 *     %0 = cast(%x, dtype="int8");
 *     %1 = cast(%w, dtype="int8");
 *     %2 = nn.conv2d(%0, %1, padding=[1, 1, 1, 1], out_dtype="int32");
 *     cast(%2, dtype="float32")
 *
 * This is for measuring what operators cost in a type. The numbers are those
 * of plain casts: small fractions become zero.
 *
 * Layers are counted along the longest chain of the operators in question, so
 * that what is next to the result is the last one, whatever is before it.
 *
 * Level: function. Needs: types.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/rewrite.h"
#include "passes/opcall.h"
#include "passes/pass.h"

struct recast {
	pass_ctx *cx;
	struct dtype type;
	struct dtype out_type;
	bool chosen[OP_COUNT];
	VEC(int64_t) skip;
	/* Chosen calls between a node and the result, the longest way. */
	struct ir_map depth;
	int64_t layers;
};

/* -------------------------------------------------------------- options -- */

static bool
read_type(pass_ctx *cx, const char *option, struct dtype *type)
{
	const char *text = pass_option(cx, option);

	if (dtype_parse(text, strlen(text), type) && type->code != DTYPE_HANDLE)
		return true;
	pass_error(cx, LOC_NONE, "option '%s': an element type, not '%s'",
		   option, text);
	return false;
}

static bool
read_skip(struct recast *r)
{
	const char *s = pass_option(r->cx, "skip-layers");

	while (*s) {
		char *end;
		long long n = strtoll(s, &end, 10);

		if (end == s || (*end && *end != ',')) {
			pass_error(r->cx, LOC_NONE,
				   "option 'skip-layers': numbers by commas, "
				   "not '%s'",
				   pass_option(r->cx, "skip-layers"));
			return false;
		}
		vec_push(&r->skip, n);
		s = end + (*end == ',');
	}
	return true;
}

/* --------------------------------------------------------------- layers -- */

static bool
is_chosen(const struct recast *r, const ir_expr *e)
{
	const ir_op *op = ir_called_op(e);

	return op && op->id < OP_COUNT && r->chosen[op->id];
}

static void
deepen(struct recast *r, const ir_expr *e, intptr_t depth)
{
	if ((intptr_t)ir_map_get(&r->depth, e) < depth)
		ir_map_put(&r->depth, e, (const void *)depth);
}

/* Users come before what they use; a let hands on what its variable got. */
static void
count_layers(struct recast *r, const ir_expr *root)
{
	struct ir_map bound = {0}; /* value -> variable */
	ir_expr_vec order = {0};

	ir_postorder(root, &order);
	for (size_t i = order.len; i-- > 0;) {
		const ir_expr *e = order.at[i];
		const ir_expr *v = ir_map_get(&bound, e);
		intptr_t depth;

		if (v)
			deepen(r, e, (intptr_t)ir_map_get(&r->depth, v));
		depth = (intptr_t)ir_map_get(&r->depth, e) + is_chosen(r, e);
		if (depth > r->layers)
			r->layers = depth;
		if (e->kind == IR_LET)
			ir_map_put(&bound, ir_as_let(e)->value,
				   &ir_as_let(e)->var->base);
		for (uint32_t k = 0; k < ir_num_operands(e); k++)
			if (e->kind != IR_LET ||
			    ir_operand(e, k) != ir_as_let(e)->value)
				deepen(r, ir_operand(e, k), depth);
	}
	vec_free(&order);
	ir_map_free(&bound);
}

static bool
is_skipped(const struct recast *r, const ir_expr *old)
{
	int64_t layer = r->layers - (intptr_t)ir_map_get(&r->depth, old) - 1;

	for (size_t i = 0; i < r->skip.len; i++) {
		int64_t n = r->skip.at[i];

		if (layer == (n < 0 ? n + r->layers : n))
			return true;
	}
	return false;
}

/* ---------------------------------------------------------------- casts -- */

/* X, a tensor or a tuple of them, in the type; NULL if it is neither. */
static const ir_expr *
cast_argument(struct recast *r, const struct opcall *b, const ir_expr *x,
	      const ir_expr *old)
{
	const ir_expr **fields;

	if (old->type && old->type->kind == TYPE_TENSOR)
		return opcall_cast(b, x, r->type);
	if (x->kind != IR_TUPLE || old->kind != IR_TUPLE)
		return NULL;
	fields = ARENA_NEW_ARRAY(r->cx->scratch, ir_as_tuple(x)->nfields,
				 const ir_expr *);
	for (uint32_t i = 0; i < ir_as_tuple(x)->nfields; i++) {
		const ir_type *t = ir_as_tuple(old)->fields[i]->type;

		if (!t || t->kind != TYPE_TENSOR)
			return NULL;
		fields[i] = opcall_cast(b, ir_as_tuple(x)->fields[i], r->type);
	}
	return ir_new_tuple(b->m, b->loc, fields, ir_as_tuple(x)->nfields);
}

static const ir_expr *
recast_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct recast *r = env;
	struct opcall b = {r->cx->module, e->loc};
	const struct ir_call *c = ir_as_call(e);
	const ir_attrs *a = c->attrs;
	const ir_expr **args;

	if (!is_chosen(r, e) || is_skipped(r, old) || !old->type ||
	    old->type->kind != TYPE_TENSOR)
		return e;
	args = ARENA_NEW_ARRAY(r->cx->scratch, c->nargs, const ir_expr *);
	for (uint32_t i = 0; i < c->nargs; i++) {
		args[i] = cast_argument(r, &b, c->args[i],
					ir_as_call(old)->args[i]);
		if (!args[i])
			return e;
	}
	if (ir_attrs_get(a, "out_dtype"))
		a = ir_attrs_with(b.m->cx, a, "out_dtype",
				  ATTR_DT(r->out_type));
	e = ir_new_call(b.m, e->loc, c->callee, args, c->nargs, a);
	return opcall_cast(&b, e, ir_as_tensor_type(old->type)->dtype);
}

static const struct ir_rules rules = {
	.on = {[IR_CALL] = recast_call},
	.counted = true,
};

const struct ir_function *
pass_recast(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct recast r = {.cx = cx};

	(void)def;
	if (read_type(cx, "type", &r.type) &&
	    read_type(cx, "out-type", &r.out_type) &&
	    pass_option_ops(cx, "ops", r.chosen) && read_skip(&r)) {
		count_layers(&r, &fn->base);
		fn = ir_as_function(
			ir_rewrite(cx->module, &fn->base, &rules, &r));
	}
	ir_map_free(&r.depth);
	vec_free(&r.skip);
	return fn;
}
