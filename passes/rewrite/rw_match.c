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
#include "passes/rewrite/rw.h"

#include <string.h>

/* Nodes that a path may pass: keeps the time at one node bounded. */
enum { MAX_PATH = 64 };

struct goal {
	const struct rw_node *p;
	const ir_expr *e;
	const struct goal *next;
};

static bool solve(struct rw_match *m, const struct goal *g);

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

static bool
fits_tensor(const struct rw_type *t, const ir_type *type)
{
	const struct ir_tensor_type *tt;

	if (type->kind != TYPE_TENSOR)
		return false;
	tt = ir_as_tensor_type(type);
	if (!t->any_dtype && !dtype_equal(t->dtype, tt->dtype))
		return false;
	if (t->ndim < 0)
		return true;
	if ((uint32_t)t->ndim != tt->ndim)
		return false;
	for (uint32_t i = 0; i < tt->ndim; i++)
		if (t->dims[i] >= 0 && (!ir_dim_is_const(tt->shape[i]) ||
					tt->shape[i].value != t->dims[i]))
			return false;
	return true;
}

static bool
fits_type(const struct rw_type *t, const ir_type *type)
{
	const struct ir_tuple_type *tuple;

	if (!type)
		return false;
	if (!t->tuple)
		return fits_tensor(t, type);
	if (type->kind != TYPE_TUPLE)
		return false;
	tuple = ir_as_tuple_type(type);
	if (tuple->nfields != t->nfields)
		return false;
	for (uint32_t i = 0; i < t->nfields; i++)
		if (!fits_type(t->fields[i], tuple->fields[i]))
			return false;
	return true;
}

bool
rw_value_equal(const ir_attr *a, const ir_attr *v)
{
	struct dtype t;

	if (a->kind == ATTR_DTYPE && v->kind == ATTR_STRING)
		return dtype_parse(v->s, strlen(v->s), &t) &&
		       dtype_equal(t, a->dtype);
	if (a->kind == ATTR_STRING && v->kind == ATTR_DTYPE)
		return rw_value_equal(v, a);
	if (a->kind == ATTR_INT && v->kind == ATTR_INT)
		return a->i == v->i;
	if (a->kind == ATTR_FLOAT && v->kind == ATTR_INT)
		return a->f == (double)v->i;
	if (a->kind == ATTR_INT && v->kind == ATTR_FLOAT)
		return (double)a->i == v->f;
	if (a->kind != v->kind)
		return false;
	if (a->kind != ATTR_ARRAY)
		return a->kind == ATTR_FLOAT ? a->f == v->f
					     : ir_attr_equal(a, v);
	if (a->n != v->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (!rw_value_equal(&a->elems[i], &v->elems[i]))
			return false;
	return true;
}

/* Does the attribute A (NULL: absent) have the value that N says? */
static bool
fits_value(const struct rw_node *n, const ir_attr *a)
{
	if (n->kind == RW_ALT) {
		for (uint32_t i = 0; i < n->n; i++)
			if (fits_value(n->sub[i], a))
				return true;
		return false;
	}
	if (!a)
		return n->kind == RW_VALUE && n->value.kind == ATTR_NULL;
	if (n->kind == RW_VALUE)
		return rw_value_equal(a, &n->value);
	if (a->kind != ATTR_ARRAY || a->n != n->n)
		return false;
	for (uint32_t i = 0; i < n->n; i++)
		if (!fits_value(n->sub[i], &a->elems[i]))
			return false;
	return true;
}

static bool
fits_attrs(const struct rw_match *m, const struct rw_node *p,
	   const struct ir_call *c)
{
	const ir_attrs *attrs = c->attrs;

	(void)m;
	for (uint32_t i = 0; i < p->nattrs; i++)
		if (!fits_value(p->attrs[i].value,
				ir_attrs_get(attrs, p->attrs[i].name)))
			return false;
	return true;
}

/* A scalar constant, or one of one element, with the value of P. */
static bool
fits_number(const struct rw_node *p, const ir_expr *e)
{
	const ir_tensor *t;

	if (e->kind != IR_CONSTANT || !ir_as_constant(e)->data)
		return false;
	t = ir_as_constant(e)->data;
	if (ir_tensor_size(t) != 1 ||
	    (!dtype_is_void(p->dtype) && !dtype_equal(p->dtype, t->dtype)))
		return false;
	if (p->value.kind == ATTR_INT && !dtype_is_float(t->dtype))
		return ir_tensor_get_int(t, 0) == p->value.i;
	return ir_tensor_get_double(t, 0) ==
	       (p->value.kind == ATTR_INT ? (double)p->value.i : p->value.f);
}

static unsigned
class_of(const ir_op *op)
{
	switch (op->pattern) {
	case PAT_ELEMWISE:
		return RW_ELEMENTWISE;
	case PAT_BROADCAST:
		return RW_BROADCAST;
	case PAT_INJECTIVE:
		return RW_INJECTIVE;
	case PAT_COMM_REDUCE:
		return RW_REDUCTION;
	default:
		return 0;
	}
}

/* Goals for the N parts of a node, in front of NEXT; then go on. */
static bool
solve_parts(struct rw_match *m, const struct rw_node *const *p,
	    const ir_expr *const *e, uint32_t n, const struct goal *next)
{
	struct goal *goals = ARENA_NEW_ARRAY(&m->scratch, n, struct goal);

	for (uint32_t i = n; i-- > 0;) {
		goals[i] = (struct goal){p[i], e[i], next};
		next = &goals[i];
	}
	return solve(m, next);
}

struct mark {
	size_t trail;
	size_t inner;
};

static struct mark
mark_here(const struct rw_match *m)
{
	return (struct mark){m->trail.len, m->inner.len};
}

/* Forget what was bound since MARK; always false. */
static bool
undo(struct rw_match *m, struct mark mark)
{
	while (m->trail.len > mark.trail)
		m->slots[vec_pop(&m->trail)] = NULL;
	m->inner.len = mark.inner;
	return false;
}

static bool
solve_arguments(struct rw_match *m, const struct rw_node *p,
		const struct ir_call *c, const struct goal *next)
{
	const ir_expr *swapped[2];
	struct mark mark = mark_here(m);
	const ir_op *op = ir_called_op(&c->base);

	if (solve_parts(m, p->sub, c->args, p->n, next))
		return true;
	if (!op || p->ordered || p->n != 2 || c->nargs != 2 ||
	    !is_commutative(op) || c->args[0] == c->args[1])
		return false;
	undo(m, mark);
	swapped[0] = c->args[1];
	swapped[1] = c->args[0];
	return solve_parts(m, p->sub, swapped, 2, next);
}

static bool
solve_call(struct rw_match *m, const struct rw_node *p, const ir_expr *e,
	   const struct goal *next)
{
	const struct ir_call *c;
	struct goal callee;

	if (e->kind != IR_CALL)
		return false;
	c = ir_as_call(e);
	if (p->op) {
		if (ir_called_op(e) != p->op)
			return false;
	} else if (p->classes) {
		if (!ir_called_op(e) ||
		    !(class_of(ir_called_op(e)) & p->classes))
			return false;
	}
	if (!fits_attrs(m, p, c) ||
	    (p->open ? c->nargs < p->n : c->nargs != p->n))
		return false;
	vec_push(&m->inner, e);
	if (p->callee) {
		const struct goal *rest = next;

		for (uint32_t i = p->n; i-- > 0;) {
			struct goal *g = ARENA_NEW(&m->scratch, struct goal);

			*g = (struct goal){p->sub[i], c->args[i], rest};
			rest = g;
		}
		callee = (struct goal){p->callee, c->callee, rest};
		return solve(m, &callee);
	}
	return solve_arguments(m, p, c, next);
}

static bool
solve_function(struct rw_match *m, const struct rw_node *p, const ir_expr *e,
	       const struct goal *next)
{
	const struct ir_function *f;
	const struct goal *rest = next;
	struct goal *g;

	if (e->kind != IR_FUNCTION)
		return false;
	f = ir_as_function(e);
	if (!f->body || f->nparams < p->n - 1 ||
	    (!p->open && f->nparams != p->n - 1))
		return false;
	for (uint32_t i = 0; i < p->nattrs; i++)
		if (!fits_value(p->attrs[i].value,
				ir_dict_get(f->attrs, p->attrs[i].name)))
			return false;
	for (uint32_t i = p->n; i-- > 0;) {
		const ir_expr *part =
			i == p->n - 1 ? f->body : ir_var_expr(f->params[i]);

		g = ARENA_NEW(&m->scratch, struct goal);
		*g = (struct goal){p->sub[i], part, rest};
		rest = g;
	}
	vec_push(&m->inner, e);
	return solve(m, rest);
}

static bool
solve_slot(struct rw_match *m, const struct rw_node *p, const ir_expr *e,
	   const struct goal *next)
{
	const struct rw_slot *slot = &m->rule->slots[p->slot];
	struct goal def = {slot->def, e, next};

	if (m->slots[p->slot])
		return m->slots[p->slot] == e && solve(m, next);
	m->slots[p->slot] = e;
	vec_push(&m->trail, p->slot);
	return slot->def ? solve(m, &def) : solve(m, next);
}

static bool
solve_optional(struct rw_match *m, const struct rw_node *p, const ir_expr *e,
	       const struct goal *next)
{
	struct rw_node call = *p;
	struct mark mark = mark_here(m);
	struct goal without = {p->sub[0], e, next};

	call.kind = RW_CALL;
	if (solve_call(m, &call, e, next))
		return true;
	undo(m, mark);
	return solve(m, &without);
}

/*
 * path(FROM, STEP, TO): E fits TO, and every way up from E that is not a
 * constant or a variable leads over nodes that fit STEP to one node, which
 * fits FROM. Names are bound by FROM and TO; STEP is a test.
 */
struct path {
	const struct rw_node *from, *step;
	const ir_expr *found;
	VEC(const ir_expr *) seen;
};

static bool
fits_alone(struct rw_match *m, const struct rw_node *p, const ir_expr *e)
{
	struct mark mark = mark_here(m);
	bool (*accept)(struct rw_match *, void *) = m->accept;
	struct goal g = {p, e, NULL};
	bool ok;

	m->accept = NULL;
	ok = solve(m, &g);
	m->accept = accept;
	undo(m, mark);
	return ok;
}

static bool
saw(struct path *p, const ir_expr *e)
{
	for (size_t i = 0; i < p->seen.len; i++)
		if (p->seen.at[i] == e)
			return true;
	vec_push(&p->seen, e);
	return false;
}

/* Put what E takes on the list of nodes to look at. */
static bool
follow_up(struct rw_match *m, struct path *path, const ir_expr *e)
{
	for (uint32_t i = 0; i < ir_num_operands(e); i++) {
		const ir_expr *x = ir_operand(e, i);

		if (x->kind == IR_OP || x->kind == IR_CONSTANT ||
		    x == path->found)
			continue;
		if (!path->found && fits_alone(m, path->from, x)) {
			path->found = x;
			continue;
		}
		if (x->kind == IR_VAR)
			continue;
		if (!fits_alone(m, path->step, x))
			return false;
		(void)saw(path, x);
		if (path->seen.len > MAX_PATH)
			return false;
	}
	return true;
}

static bool
solve_path(struct rw_match *m, const struct rw_node *p, const ir_expr *e,
	   const struct goal *next)
{
	struct path path = {.from = p->sub[0], .step = p->sub[1]};
	struct goal to, from;
	bool ok = follow_up(m, &path, e);

	for (size_t i = 0; ok && i < path.seen.len; i++)
		ok = follow_up(m, &path, path.seen.at[i]);
	ok = ok && path.found;
	for (size_t i = 0; ok && i < path.seen.len; i++)
		vec_push(&m->inner, path.seen.at[i]);
	vec_free(&path.seen);
	if (!ok)
		return false;
	from = (struct goal){p->sub[0], path.found, next};
	to = (struct goal){p->sub[2], e, &from};
	return solve(m, &to);
}

static bool
solve_alternatives(struct rw_match *m, const struct rw_node *p,
		   const ir_expr *e, const struct goal *next)
{
	struct mark mark = mark_here(m);

	for (uint32_t i = 0; i < p->n; i++) {
		struct goal g = {p->sub[i], e, next};

		if (solve(m, &g))
			return true;
		undo(m, mark);
	}
	return false;
}

/* A tuple, a projection, a conditional, a let: parts against operands. */
static bool
solve_structure(struct rw_match *m, const struct rw_node *p, const ir_expr *e,
		const struct goal *next)
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

static bool
solve(struct rw_match *m, const struct goal *g)
{
	const struct rw_node *p;
	const ir_expr *e;

	if (!g)
		return !m->accept || m->accept(m, m->env);
	p = g->p;
	e = g->e;
	if (p->type && !fits_type(p->type, e->type))
		return false;
	switch (p->kind) {
	case RW_ANY:
		return solve(m, g->next);
	case RW_CONST:
		return e->kind == IR_CONSTANT && solve(m, g->next);
	case RW_VAR:
		return e->kind == IR_VAR && solve(m, g->next);
	case RW_ANY_TUPLE:
		return e->kind == IR_TUPLE && solve(m, g->next);
	case RW_NUMBER:
		return fits_number(p, e) && solve(m, g->next);
	case RW_OP:
		return e->kind == IR_OP && ir_as_op_ref(e)->op == p->op &&
		       solve(m, g->next);
	case RW_SLOT:
		return solve_slot(m, p, e, g->next);
	case RW_CALL:
		return solve_call(m, p, e, g->next);
	case RW_FUNCTION:
		return solve_function(m, p, e, g->next);
	case RW_ALT:
		return solve_alternatives(m, p, e, g->next);
	case RW_OPT:
		return solve_optional(m, p, e, g->next);
	case RW_PATH:
		return solve_path(m, p, e, g->next);
	default:
		return solve_structure(m, p, e, g->next);
	}
}

bool
rw_match_at(struct rw_match *m, const struct rw_rule *r, const ir_expr *e)
{
	struct goal root = {r->pattern, e, NULL};

	if (r->nslots > m->cap) {
		m->cap = r->nslots;
		m->slots = xrealloc(m->slots, m->cap * sizeof(*m->slots));
	}
	if (r->nslots)
		memset(m->slots, 0, r->nslots * sizeof(*m->slots));
	m->rule = r;
	m->root = e;
	vec_clear(&m->inner);
	vec_clear(&m->trail);
	if (m->scratch.used)
		arena_reset(&m->scratch);
	return solve(m, &root);
}

void
rw_match_free(struct rw_match *m)
{
	free(m->slots);
	vec_free(&m->inner);
	vec_free(&m->trail);
	arena_free(&m->scratch);
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
