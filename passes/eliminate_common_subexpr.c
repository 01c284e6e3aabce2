/*
 * eliminate-common-subexpr: compute equal things once.
 *
 *     add(exp(%x), exp(%x))    becomes    %0 = exp(%x); add(%0, %0)
 *
 * Two calls are equal if they call the same operator with equal attributes
 * and their arguments are the same nodes, equal scalars, or tuples of such;
 * two projections if tuple and index are the same. The first one met stays.
 * Stateful operators, calls of functions and operators named by fskip are
 * left alone.
 *
 * Level: function. Needs: types.
 */
#include "passes/pass.h"

#include <string.h>

#include "ir/tensor.h"
#include "support/hash.h"
#include "support/hashset.h"

struct cse {
	pass_ctx *cx;
	const char *skip; /* names, by commas */
	struct hashset first;
};

static bool
is_scalar(const ir_expr *e)
{
	return e->kind == IR_CONSTANT && ir_as_constant(e)->data &&
	       ir_as_constant(e)->data->ndim == 0;
}

/* Equal as arguments; tuples are looked into one level deep. */
static bool
same_value(const ir_expr *a, const ir_expr *b)
{
	if (a == b)
		return true;
	return is_scalar(a) && is_scalar(b) &&
	       ir_tensor_equal(ir_as_constant(a)->data,
			       ir_as_constant(b)->data);
}

static bool
same_arg(const ir_expr *a, const ir_expr *b)
{
	const struct ir_tuple *x;
	const struct ir_tuple *y;

	if (same_value(a, b))
		return true;
	if (a->kind != IR_TUPLE || b->kind != IR_TUPLE)
		return false;
	x = ir_as_tuple(a);
	y = ir_as_tuple(b);
	if (x->nfields != y->nfields)
		return false;
	for (uint32_t i = 0; i < x->nfields; i++)
		if (!same_value(x->fields[i], y->fields[i]))
			return false;
	return true;
}

static bool
same_node(const void *item, const void *key)
{
	const ir_expr *a = item, *b = key;

	if (a->kind != b->kind)
		return false;
	if (a->kind == IR_PROJ)
		return ir_as_proj(a)->tuple == ir_as_proj(b)->tuple &&
		       ir_as_proj(a)->index == ir_as_proj(b)->index;
	if (ir_as_call(a)->callee != ir_as_call(b)->callee ||
	    ir_as_call(a)->attrs != ir_as_call(b)->attrs ||
	    ir_as_call(a)->nargs != ir_as_call(b)->nargs)
		return false;
	for (uint32_t i = 0; i < ir_as_call(a)->nargs; i++)
		if (!same_arg(ir_as_call(a)->args[i], ir_as_call(b)->args[i]))
			return false;
	return true;
}

static uint64_t
hash_value(uint64_t h, const ir_expr *e)
{
	if (is_scalar(e)) {
		const ir_tensor *t = ir_as_constant(e)->data;

		return hash_mix(h, hash_bytes(t->data, t->nbytes));
	}
	return hash_mix(h, e->id);
}

static uint64_t
hash_node(const ir_expr *e)
{
	uint64_t h;

	if (e->kind == IR_PROJ)
		return hash_mix(ir_as_proj(e)->index, ir_as_proj(e)->tuple->id);
	h = ir_as_call(e)->callee->id;
	if (ir_as_call(e)->attrs)
		h = hash_mix(h, ir_as_call(e)->attrs->hash);
	for (uint32_t i = 0; i < ir_as_call(e)->nargs; i++) {
		const ir_expr *arg = ir_as_call(e)->args[i];
		uint32_t n =
			arg->kind == IR_TUPLE ? ir_as_tuple(arg)->nfields : 0;

		if (arg->kind != IR_TUPLE)
			h = hash_value(h, arg);
		for (uint32_t k = 0; k < n; k++)
			h = hash_value(h, ir_as_tuple(arg)->fields[k]);
	}
	return h;
}

/* The node that was first of those equal to E. */
static const ir_expr *
first_of(struct cse *c, const ir_expr *e)
{
	const void **place =
		hashset_place(&c->first, hash_node(e), same_node, e);

	if (!*place) {
		*place = e;
	} else if (*place != e) {
		if (!pass_may_rewrite(c->cx))
			return e;
		pass_count(c->cx, "expressions shared", 1);
	}
	return *place;
}

static bool
is_skipped(const struct cse *c, const char *op)
{
	size_t len = strlen(op);
	const char *p = c->skip;

	while (*p) {
		size_t n = strcspn(p, ",");

		if (n == len && memcmp(p, op, n) == 0)
			return true;
		p += n + (p[n] == ',');
	}
	return false;
}

static const ir_expr *
share_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct cse *c = env;
	const ir_op *op = ir_called_op(e);

	(void)old;
	/* Each storage is another one. */
	if (!op || !ir_op_is_pure(op) || op->id == OP_memory_alloc_storage ||
	    ir_as_call(e)->nargs == 0 || is_skipped(c, op->name))
		return e;
	return first_of(c, e);
}

static const ir_expr *
share_proj(const ir_expr *e, const ir_expr *old, void *env)
{
	(void)old;
	return first_of(env, e);
}

static const struct ir_rules rules = {
	.on = {[IR_CALL] = share_call, [IR_PROJ] = share_proj},
};

const struct ir_function *
pass_eliminate_common_subexpr(pass_ctx *cx, ir_def *def,
			      const struct ir_function *fn)
{
	struct cse c = {.cx = cx, .skip = pass_option(cx, "fskip")};
	const ir_expr *out;

	(void)def;
	out = ir_rewrite(cx->module, &fn->base, &rules, &c);
	hashset_free(&c.first);
	return ir_as_function(out);
}
