/*
 * Matching one pattern at one node.
 *
 * What is still to be matched is a list of goals, each a pattern and an
 * expression. A goal is taken off, the goals that it leads to are put in
 * front, and the rest follows; where there is a choice, the whole rest is
 * tried with each possibility. So a choice made early is undone when
 * something later, or the condition of the rule, does not fit it. Recursion
 * goes as deep as the pattern is large.
 */
#include "passes/rewrite/rw_goal.h"

#include <string.h>

/*
 * Goals at one node, and definitions within themselves in one match: the
 * first bounds the time of patterns with many possibilities, the second that
 * of recursive ones, and the depth of the C stack.
 */
enum { MAX_STEPS = 200000, MAX_AGAIN = 256 };

static bool
is_commutative(const ir_op *op)
{
	switch (op->id) {
	case OP_add:
	case OP_multiply:
	case OP_maximum:
	case OP_minimum:
	case OP_equal:
	case OP_not_equal:
	case OP_logical_and:
	case OP_logical_or:
	case OP_logical_xor:
	case OP_bitwise_and:
	case OP_bitwise_or:
	case OP_bitwise_xor:
		return true;
	default:
		return false;
	}
}

const ir_attr *
rw_call_attr(const struct ir_call *c, const char *name)
{
	const ir_attrs *a = c->attrs;

	if (a && a->schema->id == ATTRS_Dict && a->value[0].kind == ATTR_DICT)
		return ir_dict_get(a->value[0].dict, name);
	return ir_attrs_get(a, name);
}

static bool
fits_attrs(const struct rw_node *p, const struct ir_call *c)
{
	for (uint32_t i = 0; i < p->nattrs; i++)
		if (!rw_fits_value(p->attrs[i].value,
				   rw_call_attr(c, p->attrs[i].name)))
			return false;
	return true;
}

/* Goals for the N parts of a node, in front of NEXT; then go on. */
static bool
solve_parts(struct rw_match *m, const struct rw_node *const *p,
	    const ir_expr *const *e, uint32_t n, const struct rw_goal *next)
{
	struct rw_goal *goals = ARENA_NEW_ARRAY(&m->scratch, n, struct rw_goal);

	for (uint32_t i = n; i-- > 0;) {
		goals[i] = (struct rw_goal){p[i], e[i], next};
		next = &goals[i];
	}
	return rw_solve(m, next);
}

struct rw_mark
rw_mark_here(const struct rw_match *m)
{
	return (struct rw_mark){m->trail.len, m->inner.len, m->leaves.len};
}

bool
rw_undo(struct rw_match *m, struct rw_mark mark)
{
	while (m->trail.len > mark.trail)
		m->slots[vec_pop(&m->trail)] = NULL;
	m->inner.len = mark.inner;
	m->leaves.len = mark.leaves;
	return false;
}

/* P ends the pattern at E. */
static bool
solve_leaf(struct rw_match *m, const struct rw_node *p, const ir_expr *e,
	   const struct rw_goal *next)
{
	vec_push(&m->leaves, ((struct rw_leaf){p, e}));
	return rw_solve(m, next);
}

/* What ".." stands for in a call, as a goal before NEXT. */
static const struct rw_goal *
rest_goal(struct rw_match *m, const struct rw_node *p, const ir_expr *call,
	  const struct rw_goal *next)
{
	struct rw_node *rest;
	struct rw_goal *goal;

	if (!p->open || p->n == ir_as_call(call)->nargs)
		return next;
	rest = ARENA_NEW(&m->scratch, struct rw_node);
	goal = ARENA_NEW(&m->scratch, struct rw_goal);
	*rest = (struct rw_node){.kind = RW_REST, .index = p->n};
	*goal = (struct rw_goal){rest, call, next};
	return goal;
}

static bool
solve_rest(struct rw_match *m, const struct rw_node *p, const ir_expr *e,
	   const struct rw_goal *next)
{
	const struct ir_call *c = ir_as_call(e);

	for (uint32_t i = (uint32_t)p->index; i < c->nargs; i++)
		vec_push(&m->leaves, ((struct rw_leaf){p, c->args[i]}));
	return rw_solve(m, next);
}

static bool
solve_arguments(struct rw_match *m, const struct rw_node *p,
		const struct ir_call *c, const struct rw_goal *next)
{
	const ir_expr *swapped[2];
	struct rw_mark mark = rw_mark_here(m);
	const ir_op *op = ir_called_op(&c->base);

	if (solve_parts(m, p->sub, c->args, p->n, next))
		return true;
	if (!op || p->ordered || p->n != 2 || c->nargs != 2 ||
	    !is_commutative(op) || c->args[0] == c->args[1])
		return false;
	rw_undo(m, mark);
	swapped[0] = c->args[1];
	swapped[1] = c->args[0];
	return solve_parts(m, p->sub, swapped, 2, next);
}

static bool
solve_call(struct rw_match *m, const struct rw_node *p, const ir_expr *e,
	   const struct rw_goal *next)
{
	const struct ir_call *c;
	struct rw_goal callee;

	if (e->kind != IR_CALL)
		return false;
	c = ir_as_call(e);
	if (p->op) {
		if (ir_called_op(e) != p->op)
			return false;
	} else if (p->classes) {
		if (!ir_called_op(e) ||
		    !(rw_class_of(ir_called_op(e)) & p->classes))
			return false;
	}
	if (!fits_attrs(p, c) || (p->open ? c->nargs < p->n : c->nargs != p->n))
		return false;
	vec_push(&m->inner, e);
	next = rest_goal(m, p, e, next);
	if (p->callee) {
		const struct rw_goal *rest = next;

		for (uint32_t i = p->n; i-- > 0;) {
			struct rw_goal *g =
				ARENA_NEW(&m->scratch, struct rw_goal);

			*g = (struct rw_goal){p->sub[i], c->args[i], rest};
			rest = g;
		}
		callee = (struct rw_goal){p->callee, c->callee, rest};
		return rw_solve(m, &callee);
	}
	return solve_arguments(m, p, c, next);
}

static bool
solve_function(struct rw_match *m, const struct rw_node *p, const ir_expr *e,
	       const struct rw_goal *next)
{
	const struct ir_function *f;
	const struct rw_goal *rest = next;
	struct rw_goal *g;

	if (e->kind != IR_FUNCTION)
		return false;
	f = ir_as_function(e);
	if (!f->body || f->nparams < p->n - 1 ||
	    (!p->open && f->nparams != p->n - 1))
		return false;
	for (uint32_t i = 0; i < p->nattrs; i++)
		if (!rw_fits_value(p->attrs[i].value,
				   ir_dict_get(f->attrs, p->attrs[i].name)))
			return false;
	for (uint32_t i = p->n; i-- > 0;) {
		const ir_expr *part =
			i == p->n - 1 ? f->body : ir_var_expr(f->params[i]);

		g = ARENA_NEW(&m->scratch, struct rw_goal);
		*g = (struct rw_goal){p->sub[i], part, rest};
		rest = g;
	}
	vec_push(&m->inner, e);
	return rw_solve(m, rest);
}

static bool
solve_slot(struct rw_match *m, const struct rw_node *p, const ir_expr *e,
	   const struct rw_goal *next)
{
	const struct rw_slot *slot = &m->rule->slots[p->slot];
	struct rw_goal def = {slot->def, e, next};

	if (m->slots[p->slot])
		return m->slots[p->slot] == e && rw_solve(m, next);
	m->slots[p->slot] = e;
	vec_push(&m->trail, p->slot);
	return slot->def ? rw_solve(m, &def) : solve_leaf(m, p, e, next);
}

/* The definition of a name, within itself. */
static bool
solve_again(struct rw_match *m, const struct rw_node *p, const ir_expr *e,
	    const struct rw_goal *next)
{
	struct rw_goal def = {m->rule->slots[p->slot].def, e, next};
	bool ok;

	if (m->again == MAX_AGAIN)
		return false;
	m->again++;
	ok = rw_solve(m, &def);
	m->again--;
	return ok;
}

static bool
solve_optional(struct rw_match *m, const struct rw_node *p, const ir_expr *e,
	       const struct rw_goal *next)
{
	struct rw_node call = *p;
	struct rw_mark mark = rw_mark_here(m);
	struct rw_goal without = {p->sub[0], e, next};

	call.kind = RW_CALL;
	if (solve_call(m, &call, e, next))
		return true;
	rw_undo(m, mark);
	return rw_solve(m, &without);
}

static bool
solve_alternatives(struct rw_match *m, const struct rw_node *p,
		   const ir_expr *e, const struct rw_goal *next)
{
	struct rw_mark mark = rw_mark_here(m);

	for (uint32_t i = 0; i < p->n; i++) {
		struct rw_goal g = {p->sub[i], e, next};

		if (rw_solve(m, &g))
			return true;
		rw_undo(m, mark);
	}
	return false;
}

/* A tuple, a projection, a conditional, a let: parts against operands. */
static bool
solve_structure(struct rw_match *m, const struct rw_node *p, const ir_expr *e,
		const struct rw_goal *next)
{
	const ir_expr *parts[3];

	vec_push(&m->inner, e);
	switch (p->kind) {
	case RW_TUPLE:
		return e->kind == IR_TUPLE && ir_as_tuple(e)->nfields == p->n &&
		       solve_parts(m, p->sub, ir_as_tuple(e)->fields, p->n,
				   next);
	case RW_PROJ:
		if (e->kind != IR_PROJ ||
		    (p->index >= 0 && ir_as_proj(e)->index != p->index))
			return false;
		parts[0] = ir_as_proj(e)->tuple;
		return solve_parts(m, p->sub, parts, 1, next);
	case RW_IF:
		if (e->kind != IR_IF)
			return false;
		for (uint32_t i = 0; i < 3; i++)
			parts[i] = ir_operand(e, i);
		return solve_parts(m, p->sub, parts, 3, next);
	default:
		if (e->kind != IR_LET)
			return false;
		parts[0] = ir_var_expr(ir_as_let(e)->var);
		parts[1] = ir_as_let(e)->value;
		parts[2] = ir_as_let(e)->body;
		return solve_parts(m, p->sub, parts, 3, next);
	}
}

bool
rw_solve(struct rw_match *m, const struct rw_goal *g)
{
	const struct rw_node *p;
	const ir_expr *e;

	if (!g)
		return !m->accept || m->accept(m, m->env);
	p = g->p;
	e = g->e;
	m->tired |= ++m->steps > MAX_STEPS;
	if (m->tired || (p->type && !rw_fits_type(p->type, e->type)))
		return false;
	switch (p->kind) {
	case RW_ANY:
	case RW_CONST:
	case RW_VAR:
	case RW_GLOBAL:
	case RW_ANY_TUPLE:
	case RW_NUMBER:
	case RW_OP:
		return rw_fits_leaf(p, e) && solve_leaf(m, p, e, g->next);
	case RW_SLOT:
		return solve_slot(m, p, e, g->next);
	case RW_AGAIN:
		return solve_again(m, p, e, g->next);
	case RW_REST:
		return solve_rest(m, p, e, g->next);
	case RW_CALL:
		return solve_call(m, p, e, g->next);
	case RW_FUNCTION:
		return solve_function(m, p, e, g->next);
	case RW_ALT:
		return solve_alternatives(m, p, e, g->next);
	case RW_OPT:
		return solve_optional(m, p, e, g->next);
	case RW_PATH:
		return rw_solve_path(m, p, e, g->next);
	default:
		return solve_structure(m, p, e, g->next);
	}
}

bool
rw_match_at(struct rw_match *m, const struct rw_rule *r, const ir_expr *e)
{
	struct rw_goal root = {r->pattern, e, NULL};

	if (r->nslots > m->cap) {
		m->cap = r->nslots;
		m->slots = xrealloc(m->slots, m->cap * sizeof(*m->slots));
	}
	if (r->nslots)
		memset(m->slots, 0, r->nslots * sizeof(*m->slots));
	m->rule = r;
	m->root = e;
	vec_clear(&m->inner);
	vec_clear(&m->leaves);
	vec_clear(&m->trail);
	m->steps = m->again = 0;
	m->tired = false;
	if (m->scratch.used)
		arena_reset(&m->scratch);
	return rw_solve(m, &root);
}

void
rw_match_free(struct rw_match *m)
{
	free(m->slots);
	vec_free(&m->inner);
	vec_free(&m->leaves);
	vec_free(&m->trail);
	arena_free(&m->scratch);
}

bool
rw_match_has(const struct rw_match *m, const ir_expr *e)
{
	for (size_t i = 0; i < m->inner.len; i++)
		if (m->inner.at[i] == e)
			return true;
	return false;
}

/* How often E is an operand of the inner nodes of M. */
static uintptr_t
uses_inside(const struct rw_match *m, const ir_expr *e)
{
	uintptr_t n = 0;

	for (size_t i = 0; i < m->inner.len; i++) {
		const ir_expr *user = m->inner.at[i];
		bool again = false;

		for (size_t k = 0; k < i && !again; k++)
			again = m->inner.at[k] == user;
		for (uint32_t k = 0; !again && k < ir_num_operands(user); k++)
			n += ir_operand(user, k) == e;
	}
	return n;
}

bool
rw_match_is_private(const struct rw_match *m, const struct ir_map *uses)
{
	for (size_t i = 0; i < m->inner.len; i++) {
		const ir_expr *e = m->inner.at[i];

		if (e != m->root &&
		    (uintptr_t)ir_map_get(uses, e) > uses_inside(m, e))
			return false;
	}
	return true;
}
