/*
 * fake-quantization-to-integer: compute on the integers what is written as
 * arithmetic on dequantized reals.
 *
 *     %0 = qnn.dequantize(%x, 2f, 0);
 *     %1 = qnn.dequantize(%w, 0.5f, 0);
 *     %2 = nn.dense(%0, %1, units=None);
 *     qnn.quantize(%2, 1f, 0, out_dtype="int8")
 *                        becomes
 *     %0 = qnn.dense(%x, %w, 0, 0, 2f, 0.5f, out_dtype="int32");
 *     qnn.requantize(%0, 1f, 0, 1f, 0, axis=1, out_dtype="int8")
 *
 * A region is what a quantize depends on, back to dequantizes and constants.
 * If it holds nothing but calls of operators that have a rule
 * (passes/quant/fq_rules.h), and tuples, its nodes are done from the inputs
 * on: each becomes an expression on integers and an affine type. A rule may
 * refuse, and the result must have the type that the quantize had; otherwise
 * the region stays, or with hard-fail that is an error. With use-qat,
 * operators outside of such regions are done one by one, if their inputs are
 * dequantized and the affine type of the result follows from them.
 *
 * Level: function. Needs: types.
 */
#include <string.h>

#include "passes/quant/fq_region.h"
#include "passes/quant/fq_rules.h"

enum status { NOT_SEEN, POSSIBLE, NO_RULE, NOT_DATAFLOW };

struct fq {
	pass_ctx *cx;
	ir_module *m;
	bool hard_fail;
	const char *optional; /* operators, by commas */
	struct diag quiet;
	struct ir_map status; /* node -> enum status */
	ir_expr_vec stack;
	struct ir_map shared; /* node -> its value in all regions */
	/* Of one region: */
	struct ir_map values; /* node -> struct fq_value */
	const struct affine *out;
	const ir_expr *refused; /* by its rule */
};

/* NAME is one of LIST, which is separated by commas. */
static bool
is_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	while (*list) {
		size_t n = strcspn(list, ",");

		if (n == len && memcmp(list, name, n) == 0)
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

static fq_rule_fn *
rule_of(const struct fq *f, const ir_expr *e)
{
	const ir_op *op = ir_called_op(e);
	fq_rule_fn *rule;
	bool optional;

	if (!op || op->id == OP_UNKNOWN)
		return NULL;
	rule = fq_rule(op->id, &optional);
	return optional && !is_listed(f->optional, op->name) ? NULL : rule;
}

static enum status
status_of(struct fq *f, const ir_expr *e)
{
	return (enum status)(uintptr_t)ir_map_get(&f->status, e);
}

/* Of E alone, its operands being possible. */
static enum status
own_status(const struct fq *f, const ir_expr *e)
{
	switch (e->kind) {
	case IR_CONSTANT:
	case IR_TUPLE:
	case IR_PROJ:
		return POSSIBLE;
	case IR_CALL:
		if (ir_is_call_of(e, OP_qnn_dequantize) || rule_of(f, e))
			return POSSIBLE;
		return ir_called_op(e) ? NO_RULE : NOT_DATAFLOW;
	default:
		return NOT_DATAFLOW;
	}
}

/*
 * Call DONE for all of the region of ROOT that HAS does not know yet,
 * operands first.
 */
static void
region_postorder(struct fq *f, const ir_expr *root,
		 bool (*has)(struct fq *f, const ir_expr *e),
		 bool (*done)(struct fq *f, const ir_expr *e))
{
	vec_clear(&f->stack);
	vec_push(&f->stack, root);
	while (f->stack.len > 0) {
		const ir_expr *e = f->stack.at[f->stack.len - 1];
		const ir_expr *const *operands = NULL;
		uint32_t n = fq_region_operands(e, &operands);
		size_t before = f->stack.len;

		if (has(f, e)) {
			f->stack.len--;
			continue;
		}
		for (uint32_t i = n; i-- > 0;)
			if (!has(f, operands[i]))
				vec_push(&f->stack, operands[i]);
		if (f->stack.len > before)
			continue;
		f->stack.len--;
		if (!done(f, e))
			return;
	}
}

static bool
has_status(struct fq *f, const ir_expr *e)
{
	return status_of(f, e) != NOT_SEEN;
}

static bool
set_status(struct fq *f, const ir_expr *e)
{
	const ir_expr *const *operands = NULL;
	uint32_t n = fq_region_operands(e, &operands);
	enum status s = own_status(f, e);

	for (uint32_t i = 0; i < n; i++)
		if (status_of(f, operands[i]) > s)
			s = status_of(f, operands[i]);
	ir_map_put(&f->status, e, (void *)(uintptr_t)s);
	return true;
}

static struct fq_value *
new_value(struct fq *f, const ir_expr *e)
{
	struct fq_value *v = ARENA_NEW(f->cx->scratch, struct fq_value);

	*v = (struct fq_value){.e = e};
	return v;
}

static bool
dequantized_value(struct fq *f, const ir_expr *e, struct fq_value *v)
{
	const struct ir_call *c = ir_as_call(e);
	struct affine *t = ARENA_NEW(f->cx->scratch, struct affine);
	struct opcall b = {f->m, e->loc};

	if (!c->args[0]->type || c->args[0]->type->kind != TYPE_TENSOR)
		return false;
	*t = (struct affine){
		.scale = affine_scalar(&b, c->args[1]),
		.zero = affine_scalar(&b, c->args[2]),
		.dtype = ir_as_tensor_type(c->args[0]->type)->dtype,
		.axis = ir_attrs_int(c->attrs, "axis", -1),
	};
	*v = (struct fq_value){c->args[0], 1, t, false, false};
	return true;
}

static bool
tuple_value(struct fq *f, const ir_expr *e, const struct fq_value *const *parts,
	    uint32_t n, struct fq_value *v)
{
	struct affine *types =
		ARENA_NEW_ARRAY(f->cx->scratch, n, struct affine);
	const ir_expr **fields =
		ARENA_NEW_ARRAY(f->cx->scratch, n, const ir_expr *);

	for (uint32_t i = 0; i < n; i++) {
		if (parts[i]->n != 1 || parts[i]->tuple)
			return false;
		types[i] = parts[i]->types[0];
		fields[i] = parts[i]->e;
	}
	*v = (struct fq_value){ir_new_tuple(f->m, e->loc, fields, n), n, types,
			       true, false};
	return true;
}

static bool
proj_value(struct fq *f, const ir_expr *e, const struct fq_value *tuple,
	   struct fq_value *v)
{
	uint32_t i = ir_as_proj(e)->index;

	if (!tuple->tuple || i >= tuple->n)
		return false;
	*v = (struct fq_value){ir_new_proj(f->m, e->loc, tuple->e, i), 1,
			       &tuple->types[i], false, false};
	return true;
}

static bool
call_value(struct fq *f, const ir_expr *e, const struct fq_value *const *args,
	   struct fq_value *v)
{
	bool asked = false;
	struct fq_site s = {
		.cx = f->cx,
		.b = {f->m, e->loc},
		.call = ir_as_call(e),
		.args = args,
		.out = f->out,
		.asked = &asked,
	};
	bool ok = e->type && rule_of(f, e)(&s, v);

	v->own |= asked;
	return ok;
}

static const struct fq_value *
value_of(const struct fq *f, const ir_expr *e)
{
	const struct fq_value *v = ir_map_get(&f->shared, e);

	return v ? v : ir_map_get(&f->values, e);
}

static bool
has_value(struct fq *f, const ir_expr *e)
{
	return value_of(f, e) != NULL;
}

static bool
set_value(struct fq *f, const ir_expr *e)
{
	uint32_t n = e->kind == IR_CALL ? ir_as_call(e)->nargs : 0;
	const ir_expr *const *operands = NULL;
	const struct fq_value **args;
	struct fq_value *v = new_value(f, e);
	bool own = false;
	bool ok = true;

	if (n == 0)
		n = fq_region_operands(e, &operands);
	else
		operands = ir_as_call(e)->args;
	args = ARENA_NEW_ARRAY(f->cx->scratch, n, const struct fq_value *);
	for (uint32_t i = 0; i < n; i++) {
		args[i] = value_of(f, operands[i]);
		if (!args[i])
			args[i] = new_value(f, operands[i]);
		own |= args[i]->own;
	}
	if (e->kind == IR_TUPLE)
		ok = tuple_value(f, e, args, n, v);
	else if (e->kind == IR_PROJ)
		ok = proj_value(f, e, args[0], v);
	else if (ir_is_call_of(e, OP_qnn_dequantize))
		ok = dequantized_value(f, e, v);
	else if (e->kind == IR_CALL)
		ok = call_value(f, e, args, v);
	if (!ok) {
		f->refused = e;
		return false;
	}
	v->own |= own;
	ir_map_put(v->own ? &f->values : &f->shared, e, v);
	return true;
}

/* The operator's name, for messages. */
static const char *
name_of(const ir_expr *e)
{
	return ir_called_op(e) ? ir_called_op(e)->name : "a tuple";
}

/* Where the region of E stops being possible. */
static const ir_expr *
culprit(struct fq *f, const ir_expr *e)
{
	while (own_status(f, e) == POSSIBLE) {
		const ir_expr *const *operands = NULL;
		uint32_t n = fq_region_operands(e, &operands);
		uint32_t i = 0;

		while (i < n && status_of(f, operands[i]) == POSSIBLE)
			i++;
		if (i == n)
			break;
		e = operands[i];
	}
	return e;
}

static bool
is_possible(struct fq *f, const ir_expr *e)
{
	const ir_expr *where;

	region_postorder(f, e, has_status, set_status);
	if (status_of(f, e) == NO_RULE && f->hard_fail) {
		where = culprit(f, e);
		pass_error(f->cx, where->loc,
			   "there is no rule that computes '%s' on integers",
			   name_of(where));
	}
	return status_of(f, e) == POSSIBLE;
}

/* The region of the quantize E on integers, or E. */
static const ir_expr *
convert_region(struct fq *f, const ir_expr *e, const ir_type *type)
{
	const struct ir_call *c = ir_as_call(e);
	const struct fq_value *v;
	struct affine out = {
		.scale = c->args[1],
		.zero = c->args[2],
		.dtype = ir_attrs_dtype(c->attrs, "out_dtype"),
		.axis = ir_attrs_int(c->attrs, "axis", -1),
	};

	f->out = &out;
	f->refused = NULL;
	region_postorder(f, e, has_value, set_value);
	v = f->refused ? NULL : value_of(f, e);
	ir_map_free(&f->values);
	f->values = (struct ir_map){0};
	if (v && !pass_may_rewrite(f->cx))
		return e;
	if (v && ir_infer_expr(f->m, v->e, &f->quiet) && v->e->type == type) {
		pass_count(f->cx, "regions converted", 1);
		return v->e;
	}
	pass_remark(f->cx, e->loc,
		    "region stays in floating point: '%s' "
		    "cannot be done on integers here",
		    name_of(f->refused ? f->refused : e));
	if (f->hard_fail)
		pass_error(f->cx, f->refused ? f->refused->loc : e->loc,
			   "cannot compute '%s' on integers here",
			   name_of(f->refused ? f->refused : e));
	return e;
}

static const ir_expr *
rewrite_quantize(const ir_expr *e, const ir_expr *old, void *env)
{
	struct fq *f = env;

	if (f->cx->failed || !ir_is_call_of(e, OP_qnn_quantize) ||
	    ir_as_call(e)->args[0]->kind == IR_CONSTANT)
		return e;
	if (!is_possible(f, e))
		return e;
	return convert_region(f, e, old->type);
}

/* The value of an argument that needs no region: dequantized or constant. */
static const struct fq_value *
direct_value(struct fq *f, const ir_expr *e)
{
	struct fq_value *v = new_value(f, e);
	const struct fq_value **parts;
	const struct ir_tuple *t;

	if (ir_is_call_of(e, OP_qnn_dequantize))
		return dequantized_value(f, e, v) ? v : NULL;
	if (e->kind == IR_CONSTANT)
		return v;
	if (e->kind != IR_TUPLE)
		return NULL;
	t = ir_as_tuple(e);
	parts = ARENA_NEW_ARRAY(f->cx->scratch, t->nfields,
				const struct fq_value *);
	for (uint32_t i = 0; i < t->nfields; i++) {
		if (!ir_is_call_of(t->fields[i], OP_qnn_dequantize))
			return NULL;
		parts[i] = direct_value(f, t->fields[i]);
		if (!parts[i])
			return NULL;
	}
	return tuple_value(f, e, parts, t->nfields, v) ? v : NULL;
}

/* One operator between dequantizes and a new dequantize. */
static const ir_expr *
rewrite_single(const ir_expr *e, const ir_expr *old, void *env)
{
	struct fq *f = env;
	const struct ir_call *c = ir_as_call(e);
	const struct fq_value **args;
	struct opcall b = {f->m, e->loc};
	struct fq_value v;

	if (!rule_of(f, e) || ir_is_call_of(e, OP_qnn_quantize) || !e->type ||
	    e->type->kind != TYPE_TENSOR)
		return e;
	args = ARENA_NEW_ARRAY(f->cx->scratch, c->nargs,
			       const struct fq_value *);
	for (uint32_t i = 0; i < c->nargs; i++) {
		args[i] = direct_value(f, c->args[i]);
		if (!args[i])
			return e;
	}
	f->out = NULL;
	if (!call_value(f, e, args, &v) || v.n != 1 || v.tuple)
		return e;
	e = affine_dequantize(&b, v.e, v.types,
			      ir_as_tensor_type(e->type)->dtype);
	if (!ir_infer_expr(f->m, e, &f->quiet) || e->type != old->type)
		return &c->base;
	pass_count(f->cx, "operators converted", 1);
	return e;
}

static const struct ir_rules region_rules = {
	.on = {[IR_CALL] = rewrite_quantize},
};

static const struct ir_rules single_rules = {
	.on = {[IR_CALL] = rewrite_single},
};

const struct ir_function *
pass_fake_quantization_to_integer(pass_ctx *cx, ir_def *def,
				  const struct ir_function *fn)
{
	struct fq f = {
		.cx = cx,
		.m = cx->module,
		.hard_fail = pass_option_bool(cx, "hard-fail"),
		.optional = pass_option(cx, "optional-qnn-ops"),
	};
	const ir_expr *out = &fn->base;

	(void)def;
	diag_init(&f.quiet, "fake-quantization-to-integer", NULL);
	f.quiet.quiet = true;
	out = ir_rewrite(f.m, out, &region_rules, &f);
	if (pass_option_bool(cx, "use-qat") && !cx->failed)
		out = ir_rewrite(f.m, out, &single_rules, &f);
	vec_free(&f.stack);
	ir_map_free(&f.status);
	ir_map_free(&f.shared);
	return ir_as_function(out);
}
