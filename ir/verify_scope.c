/*
 * Is every variable bound once, and used only where it is known?
 *
 * A node that is shared is evaluated once, in the innermost scope that holds
 * all its users; there its variables must be known. So nodes are taken users
 * first, each giving its operands the common ancestor of the scopes that ask
 * for them.
 */
#include <stdlib.h>

#include "ir/verify_internal.h"
#include "ir/walk.h"

static uint32_t
open_scope(struct verify *v, uint32_t parent)
{
	const struct verify_scope *s = v->scopes.at;
	struct verify_scope fresh = {.parent = parent,
				     .jump = parent,
				     .depth = s[parent].depth + 1,
				     .function = s[parent].function};
	uint32_t j = s[parent].jump;

	if (s[parent].depth - s[j].depth == s[j].depth - s[s[j].jump].depth)
		fresh.jump = s[j].jump;
	vec_push(&v->scopes, fresh);
	return (uint32_t)v->scopes.len - 1;
}

/* The ancestor of A at DEPTH, which is no more than A's. */
static uint32_t
ancestor(const struct verify *v, uint32_t a, uint32_t depth)
{
	const struct verify_scope *s = v->scopes.at;

	while (s[a].depth > depth)
		a = s[s[a].jump].depth >= depth ? s[a].jump : s[a].parent;
	return a;
}

static uint32_t
common_ancestor(const struct verify *v, uint32_t a, uint32_t b)
{
	const struct verify_scope *s = v->scopes.at;

	a = ancestor(v, a, s[b].depth);
	b = ancestor(v, b, s[a].depth);
	while (a != b) {
		bool far = s[a].jump != s[b].jump;

		a = far ? s[a].jump : s[a].parent;
		b = far ? s[b].jump : s[b].parent;
	}
	return a;
}

static bool
is_inside(const struct verify *v, uint32_t inner, uint32_t outer)
{
	uint32_t depth = v->scopes.at[outer].depth;

	return v->scopes.at[inner].depth >= depth &&
	       ancestor(v, inner, depth) == outer;
}

struct binding {
	struct verify *v;
	uint32_t scope;
	struct loc loc;
};

static void
bind(const struct ir_var *var, void *env)
{
	struct binding *b = env;
	uint32_t *scope = &b->v->binder_of[var->base.id];

	if (*scope) {
		verify_error(b->v, b->loc, "variable '%%%s' is bound twice",
			     var->name);
		return;
	}
	*scope = b->scope;
	vec_push(&b->v->bound, var->base.id);
	if (var->annotation)
		verify_type(b->v, var->annotation, var->base.loc);
}

/* E's operand is asked for in SCOPE. */
static void
use_in(struct verify *v, const ir_expr *operand, uint32_t scope)
{
	uint32_t *known = &v->scope_of[operand->id];

	if (operand->kind <= IR_CTOR)
		return;
	*known = *known ? common_ancestor(v, *known, scope) : scope;
}

/* Scopes that E opens are numbered one after the other from the result on. */
static uint32_t
open_scopes(struct verify *v, const ir_expr *e)
{
	uint32_t outer = v->scope_of[e->id];
	uint32_t first = (uint32_t)v->scopes.len;
	struct binding b = {v, first, e->loc};

	switch ((enum ir_kind)e->kind) {
	case IR_FUNCTION:
		open_scope(v, outer);
		v->scopes.at[first].function = v->scopes.at[first].depth;
		for (uint32_t i = 0; i < ir_as_function(e)->nparams; i++)
			bind(ir_as_function(e)->params[i], &b);
		break;
	case IR_LET:
		open_scope(v, outer);
		open_scope(v, first);
		v->scopes.at[first].has_value = true;
		bind(ir_as_let(e)->var, &b);
		break;
	case IR_MATCH:
		for (uint32_t i = 0; i < ir_as_match(e)->nclauses; i++) {
			b.scope = open_scope(v, outer);
			ir_pattern_vars(ir_as_match(e)->clauses[i].pattern,
					bind, &b);
		}
		break;
	default:
		break;
	}
	return first;
}

/*
 * The scope in which operand I of E is evaluated, where FIRST is the first
 * that E opens. A let's variable is known in its value, for recursion: its
 * value has a scope in that of its body.
 */
static uint32_t
scope_of_operand(const struct verify *v, const ir_expr *e, uint32_t i,
		 uint32_t first)
{
	if (e->kind == IR_FUNCTION)
		return first;
	if (e->kind == IR_LET)
		return i == 0 ? first + 1 : first;
	if (e->kind == IR_MATCH && i > 0)
		return first + i - 1;
	return v->scope_of[e->id];
}

/* SCOPE is in the value of the let that opened BINDER, and in no function. */
static bool
is_too_early(const struct verify *v, uint32_t scope, uint32_t binder)
{
	const struct verify_scope *s = v->scopes.at;

	return s[binder].has_value && is_inside(v, scope, binder + 1) &&
	       s[scope].function <= s[binder].depth;
}

static void
check_use(struct verify *v, const ir_expr *user, const ir_expr *var,
	  uint32_t scope)
{
	uint32_t binder = v->binder_of[var->id];
	const char *name = ir_as_var(var)->name;

	if (!binder) {
		if (!v->open)
			verify_error(v, user->loc,
				     "variable '%%%s' is not bound", name);
	} else if (!is_inside(v, scope, binder)) {
		verify_error(v, user->loc,
			     "variable '%%%s' is used outside its scope", name);
	} else if (is_too_early(v, scope, binder)) {
		verify_error(v, user->loc,
			     "variable '%%%s' is used in its own value", name);
	}
}

/* Uses are checked once all binders are known. FIRST: as they were opened. */
static void
check_uses(struct verify *v, const ir_expr *e, uint32_t first)
{
	for (uint32_t i = 0; i < ir_num_operands(e); i++) {
		const ir_expr *operand = ir_operand(e, i);

		if (operand->kind == IR_VAR)
			check_use(v, e, operand,
				  scope_of_operand(v, e, i, first));
	}
}

void
verify_scopes(struct verify *v, const ir_expr *root)
{
	ir_expr_vec *order = &v->order;
	uint32_t *first;

	vec_clear(order);
	ir_postorder(root, order);
	vec_reserve(&v->first, order->len);
	first = v->first.at;
	v->scopes.len = 0;
	vec_push(&v->scopes, ((struct verify_scope){0}));
	vec_push(&v->scopes, ((struct verify_scope){.depth = 1}));
	v->scope_of[root->id] = 1;
	for (size_t i = order->len; i > 0; i--) {
		const ir_expr *e = order->at[i - 1];

		first[i - 1] = open_scopes(v, e);
		for (uint32_t k = 0; k < ir_num_operands(e); k++)
			use_in(v, ir_operand(e, k),
			       scope_of_operand(v, e, k, first[i - 1]));
	}
	for (size_t i = 0; i < order->len; i++) {
		check_uses(v, order->at[i], first[i]);
		verify_node(v, order->at[i]);
	}
	for (size_t i = 0; i < order->len; i++)
		v->scope_of[order->at[i]->id] = 0;
	for (size_t i = 0; i < v->bound.len; i++)
		v->binder_of[v->bound.at[i]] = 0;
	vec_clear(&v->bound);
}
