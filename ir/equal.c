/*
 * Structural equality of expressions and modules.
 *
 * Both graphs are walked together. A node that was met before must meet the
 * same partner again: that is what makes sharing count and keeps the walk
 * linear. Variables are paired up where they are bound.
 */
#include "ir/equal.h"

#include <stdlib.h>
#include <string.h>

#include "ir/equal_internal.h"
#include "ir/print.h"
#include "support/buf.h"

static const struct ir_equal_options no_options;

bool
equal_is_known(const struct equal *q, const void *a, const void *b)
{
	const void *other = ptrmap_get(&q->right, b);

	return ptrmap_find(&q->left, a) ||
	       (other && ptrmap_get(&q->left, other) == b);
}

bool
equal_bind(struct equal *q, const void *a, const void *b)
{
	if (equal_is_known(q, a, b))
		return ptrmap_get(&q->left, a) == b &&
		       ptrmap_get(&q->right, b) == a;
	ptrmap_put(&q->left, a, b);
	ptrmap_put(&q->right, b, a);
	return true;
}

/* ------------------------------------------------------- differences -- */

static const char *
kind_name(const ir_expr *e)
{
	static const char *const names[IR_KIND_COUNT] = {
		[IR_VAR] = "a variable",
		[IR_GLOBAL] = "a global",
		[IR_CONSTANT] = "a constant",
		[IR_OP] = "an operator",
		[IR_CTOR] = "a constructor",
		[IR_TUPLE] = "a tuple",
		[IR_PROJ] = "a projection",
		[IR_CALL] = "a call",
		[IR_FUNCTION] = "a function",
		[IR_LET] = "a let",
		[IR_IF] = "an if",
		[IR_MATCH] = "a match",
		[IR_REF_NEW] = "a new reference",
		[IR_REF_READ] = "a read of a reference",
		[IR_REF_WRITE] = "a write to a reference",
		[IR_HOLE] = "a hole",
	};

	return names[e->kind];
}

static void
put_edge(struct buf *out, struct visit v)
{
	static const char *const names[] = {
		[EDGE_ROOT] = "",           [EDGE_BODY] = ".body",
		[EDGE_CALLEE] = ".op",      [EDGE_ARG] = ".args",
		[EDGE_FIELD] = ".fields",   [EDGE_TUPLE] = ".tuple",
		[EDGE_COND] = ".cond",      [EDGE_THEN] = ".then",
		[EDGE_ELSE] = ".else",      [EDGE_VALUE] = ".value",
		[EDGE_CLAUSE] = ".clauses", [EDGE_REF] = ".ref",
		[EDGE_ATTR] = ".attrs",
	};

	buf_puts(out, names[v.edge]);
	if (v.edge == EDGE_ARG || v.edge == EDGE_FIELD || v.edge == EDGE_CLAUSE)
		buf_printf(out, "[%u]", v.i);
}

/* Of a long way only the ends are told. */
static const char *
path_to(struct equal *q, struct visit last)
{
	enum { SHOWN = 40 };
	VEC(struct visit) way = {0};
	struct buf text = {0};
	const char *path;

	for (; last.edge != EDGE_ROOT; last = q->visits.at[last.parent])
		vec_push(&way, last);
	if (q->def_a && q->def_b)
		buf_printf(&text, "@%s", q->def_a->name);
	for (size_t i = way.len; i > 0; i--) {
		if (way.len > SHOWN && i == way.len - SHOWN / 2) {
			buf_puts(&text, "...");
			i = SHOWN / 2;
		}
		put_edge(&text, way.at[i - 1]);
	}
	path = ir_name_n(q->cx, text.at ? text.at : "", text.len);
	vec_free(&way);
	buf_free(&text);
	return path;
}

void
equal_differ(struct equal *q, const struct pair *p, const char *what)
{
	enum { MOST = 1000 };
	struct ir_difference d = {
		.a = p->a,
		.b = p->b,
		.def_a = q->def_a,
		.def_b = q->def_b,
		.what = what,
	};

	if (q->all && q->all->all.len < MOST) {
		d.path = path_to(q, p->from);
		vec_push(&q->all->all, d);
	} else if (q->first && !q->differs) {
		d.path = path_to(q, p->from);
		*q->first = d;
	}
	q->differs = true;
}

/* Somebody reads the sentences. */
bool
equal_wants_text(const struct equal *q)
{
	return q->all || (q->first && !q->differs);
}

/* Nothing more to find out. */
bool
equal_is_decided(const struct equal *q)
{
	return q->differs && !q->all;
}

#define DIFFER(q, p, ...)                                                 \
	equal_differ((q), (p),                                            \
		     equal_wants_text(q) ? ir_namef((q)->cx, __VA_ARGS__) \
					 : "")

/* --------------------------------------------------------------- walk -- */

/* Compare A with B, which P's nodes have as EDGE number I. */
static void
push(struct equal *q, const ir_expr *a, const ir_expr *b, enum edge_kind edge,
     uint32_t i)
{
	uint32_t parent = (uint32_t)q->visits.len - 1;

	vec_push(&q->todo, ((struct pair){a, b, {parent, i, edge}}));
}

void
equal_later(struct equal *q, const ir_expr *a, const ir_expr *b)
{
	push(q, a, b, EDGE_ATTR, 0);
}

static const ir_type *
annotation(struct equal *q, const ir_expr *e, const ir_type *t)
{
	if (q->o->ignore_annotations ||
	    (q->o->ignore_inferred && (e->flags & IR_ANNOTATION_INFERRED)))
		return NULL;
	return t;
}

static const char *
type_text(struct equal *q, const ir_type *t)
{
	return t ? ir_type_text(q->cx, t) : "none";
}

/* Annotation T of A's against U of B's; WHOSE says which. */
static bool
same_annotation(struct equal *q, const struct pair *p, const ir_expr *a,
		const ir_type *t, const ir_expr *b, const ir_type *u,
		const char *whose)
{
	t = annotation(q, a, t);
	u = annotation(q, b, u);
	if (equal_types(q, t, u))
		return true;
	if (equal_wants_text(q))
		DIFFER(q, p, "%s: type %s against %s", whose, type_text(q, t),
		       type_text(q, u));
	else
		equal_differ(q, p, "");
	return false;
}

static const char *
name_of_var(struct equal *q, const struct ir_var *v)
{
	return equal_wants_text(q) ? ir_namef(q->cx, "%%%s", v->name) : "";
}

/* A is bound here on one side, B on the other. */
static bool
bind_vars(struct equal *q, const struct pair *p, const struct ir_var *a,
	  const struct ir_var *b)
{
	if (!same_annotation(q, p, &a->base, a->annotation, &b->base,
			     b->annotation, name_of_var(q, a)))
		return false;
	if (!equal_metas(q, a->vdevice, b->vdevice)) {
		DIFFER(q, p, "%%%s: different virtual devices", a->name);
		return false;
	}
	if (equal_bind(q, a, b))
		return true;
	DIFFER(q, p, "%%%s is bound twice", a->name);
	return false;
}

static void
compare_vars(struct equal *q, const struct pair *p)
{
	const struct ir_var *a = ir_as_var(p->a);
	const struct ir_var *b = ir_as_var(p->b);

	if (equal_is_known(q, a, b)) {
		if (ptrmap_get(&q->left, a) != b)
			DIFFER(q, p, "variable %%%s against %%%s", a->name,
			       b->name);
	} else if (q->o->map_free_vars) {
		bind_vars(q, p, a, b);
	} else if (a != b &&
		   (p->from.edge != EDGE_ATTR || strcmp(a->name, b->name))) {
		DIFFER(q, p, "free variable %%%s against %%%s", a->name,
		       b->name);
	}
}

static void
compare_names(struct equal *q, const struct pair *p, const char *a,
	      const char *b, const char *what)
{
	if (a != b && strcmp(a, b) != 0)
		DIFFER(q, p, "%s %s against %s", what, a, b);
}

static void
compare_leaves(struct equal *q, const struct pair *p)
{
	switch ((enum ir_kind)p->a->kind) {
	case IR_VAR:
		compare_vars(q, p);
		break;
	case IR_CONSTANT:
		if (!equal_constants(q, ir_as_constant(p->a),
				     ir_as_constant(p->b)))
			equal_differ(q, p, "different constants");
		break;
	case IR_GLOBAL:
		compare_names(q, p, ir_as_global(p->a)->name,
			      ir_as_global(p->b)->name, "global");
		break;
	case IR_OP:
		compare_names(q, p, ir_as_op_ref(p->a)->op->name,
			      ir_as_op_ref(p->b)->op->name, "operator");
		break;
	default:
		compare_names(q, p, ir_as_ctor(p->a)->name,
			      ir_as_ctor(p->b)->name, "constructor");
		break;
	}
}

static void
compare_calls(struct equal *q, const struct pair *p)
{
	const struct ir_call *a = ir_as_call(p->a);
	const struct ir_call *b = ir_as_call(p->b);
	const char *name;

	if (a->nargs != b->nargs) {
		DIFFER(q, p, "%u arguments against %u", a->nargs, b->nargs);
		return;
	}
	if (a->callee->kind == IR_OP && b->callee->kind == IR_OP &&
	    ir_as_op_ref(a->callee)->op != ir_as_op_ref(b->callee)->op)
		compare_names(q, p, ir_as_op_ref(a->callee)->op->name,
			      ir_as_op_ref(b->callee)->op->name, "operator");
	else if (!equal_records(q, a->attrs, b->attrs, &name))
		DIFFER(q, p, "attribute %s differs", name);
	for (uint32_t i = a->nargs; i > 0; i--)
		push(q, a->args[i - 1], b->args[i - 1], EDGE_ARG, i - 1);
	if (a->callee->kind != IR_OP || b->callee->kind != IR_OP)
		push(q, a->callee, b->callee, EDGE_CALLEE, 0);
}

static bool
same_head(struct equal *q, const struct pair *p, const struct ir_function *a,
	  const struct ir_function *b)
{
	const char *name;

	if (a->nparams != b->nparams) {
		DIFFER(q, p, "%u parameters against %u", a->nparams,
		       b->nparams);
		return false;
	}
	if (a->ntype_params != b->ntype_params) {
		DIFFER(q, p, "%u type parameters against %u", a->ntype_params,
		       b->ntype_params);
		return false;
	}
	for (uint32_t i = 0; i < a->ntype_params; i++)
		equal_bind(q, a->type_params[i], b->type_params[i]);
	for (uint32_t i = 0; i < a->nparams; i++)
		if (!bind_vars(q, p, a->params[i], b->params[i]))
			return false;
	if (equal_dicts(q, a->attrs, b->attrs, &name))
		return true;
	DIFFER(q, p, "attribute %s differs", name);
	return false;
}

static void
compare_functions(struct equal *q, const struct pair *p)
{
	const struct ir_function *a = ir_as_function(p->a);
	const struct ir_function *b = ir_as_function(p->b);

	if (!same_head(q, p, a, b) ||
	    !same_annotation(q, p, &a->base, a->ret_type, &b->base, b->ret_type,
			     "result"))
		return;
	if (!equal_metas(q, a->vdevice, b->vdevice) || !a->body != !b->body)
		equal_differ(q, p, "different virtual devices or bodies");
	else if (a->body)
		push(q, a->body, b->body, EDGE_BODY, 0);
}

static void
compare_lets(struct equal *q, const struct pair *p)
{
	const struct ir_let *a = ir_as_let(p->a);
	const struct ir_let *b = ir_as_let(p->b);

	if (!bind_vars(q, p, a->var, b->var))
		return;
	push(q, a->body, b->body, EDGE_BODY, 0);
	push(q, a->value, b->value, EDGE_VALUE, 0);
}

/* Patterns nest as deep as the brackets of the text. */
static bool
same_pattern(struct equal *q, const struct pair *p, const ir_pattern *a,
	     const ir_pattern *b)
{
	if (a->kind != b->kind || a->n != b->n ||
	    (a->kind == PATTERN_CTOR &&
	     strcmp(a->ctor->name, b->ctor->name) != 0)) {
		equal_differ(q, p, "different patterns");
		return false;
	}
	if (a->kind == PATTERN_VAR && !bind_vars(q, p, a->var, b->var))
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (!same_pattern(q, p, a->sub[i], b->sub[i]))
			return false;
	return true;
}

static void
compare_matches(struct equal *q, const struct pair *p)
{
	const struct ir_match *a = ir_as_match(p->a);
	const struct ir_match *b = ir_as_match(p->b);

	if (a->nclauses != b->nclauses || a->complete != b->complete) {
		DIFFER(q, p, "%s of %u clauses against %s of %u",
		       a->complete ? "match" : "match?", a->nclauses,
		       b->complete ? "match" : "match?", b->nclauses);
		return;
	}
	for (uint32_t i = 0; i < a->nclauses; i++)
		if (!same_pattern(q, p, a->clauses[i].pattern,
				  b->clauses[i].pattern))
			return;
	for (uint32_t i = a->nclauses; i > 0; i--)
		push(q, a->clauses[i - 1].body, b->clauses[i - 1].body,
		     EDGE_CLAUSE, i - 1);
	push(q, a->value, b->value, EDGE_VALUE, 0);
}

static void
compare_tuples(struct equal *q, const struct pair *p)
{
	const struct ir_tuple *a = ir_as_tuple(p->a);
	const struct ir_tuple *b = ir_as_tuple(p->b);

	if (a->nfields != b->nfields) {
		DIFFER(q, p, "%u fields against %u", a->nfields, b->nfields);
		return;
	}
	for (uint32_t i = a->nfields; i > 0; i--)
		push(q, a->fields[i - 1], b->fields[i - 1], EDGE_FIELD, i - 1);
}

static void
compare_ifs(struct equal *q, const struct pair *p)
{
	const struct ir_if *a = ir_as_if(p->a);
	const struct ir_if *b = ir_as_if(p->b);

	push(q, a->else_branch, b->else_branch, EDGE_ELSE, 0);
	push(q, a->then_branch, b->then_branch, EDGE_THEN, 0);
	push(q, a->cond, b->cond, EDGE_COND, 0);
}

static void
compare_projections(struct equal *q, const struct pair *p)
{
	const struct ir_proj *a = ir_as_proj(p->a);
	const struct ir_proj *b = ir_as_proj(p->b);

	if (a->index != b->index)
		DIFFER(q, p, "field .%u against .%u", a->index, b->index);
	push(q, a->tuple, b->tuple, EDGE_TUPLE, 0);
}

static void
compare_inside(struct equal *q, const struct pair *p)
{
	switch ((enum ir_kind)p->a->kind) {
	case IR_CALL:
		compare_calls(q, p);
		break;
	case IR_FUNCTION:
		compare_functions(q, p);
		break;
	case IR_LET:
		compare_lets(q, p);
		break;
	case IR_MATCH:
		compare_matches(q, p);
		break;
	case IR_TUPLE:
		compare_tuples(q, p);
		break;
	case IR_IF:
		compare_ifs(q, p);
		break;
	case IR_PROJ:
		compare_projections(q, p);
		break;
	default:
		for (uint32_t i = ir_num_operands(p->a); i > 0; i--)
			push(q, ir_operand(p->a, i - 1),
			     ir_operand(p->b, i - 1),
			     i == 1 ? EDGE_REF : EDGE_VALUE, 0);
		break;
	}
}

static void
compare(struct equal *q, const struct pair *p)
{
	vec_push(&q->visits, p->from);
	if (p->a->kind != p->b->kind) {
		DIFFER(q, p, "%s against %s", kind_name(p->a), kind_name(p->b));
	} else if (p->a->kind <= IR_CTOR) {
		compare_leaves(q, p);
	} else if (equal_is_known(q, p->a, p->b)) {
		if (ptrmap_get(&q->left, p->a) != p->b)
			DIFFER(q, p, "%s shared on one side only",
			       kind_name(p->a));
	} else {
		equal_bind(q, p->a, p->b);
		compare_inside(q, p);
	}
}

void
equal_run(struct equal *q, const ir_expr *a, const ir_expr *b)
{
	q->visits.len = 0;
	vec_push(&q->todo, ((struct pair){a, b, {0, 0, EDGE_ROOT}}));
	while (q->todo.len && !equal_is_decided(q)) {
		struct pair next = vec_pop(&q->todo);

		compare(q, &next);
	}
	q->todo.len = 0;
}

void
equal_start(struct equal *q, ir_context *cx, const struct ir_equal_options *o,
	    struct ir_difference *first)
{
	*q = (struct equal){.cx = cx, .o = o ? o : &no_options, .first = first};
	if (first)
		*first = (struct ir_difference){.path = ""};
}

void
equal_forget_pairs(struct equal *q)
{
	ptrmap_free(&q->left);
	q->left = (struct ptrmap){0};
}

bool
equal_finish(struct equal *q)
{
	ptrmap_free(&q->left);
	if (q->all)
		q->all->pairs = q->right;
	else
		ptrmap_free(&q->right);
	vec_free(&q->todo);
	vec_free(&q->visits);
	return !q->differs;
}

bool
ir_equal(ir_context *cx, const ir_expr *a, const ir_expr *b,
	 const struct ir_equal_options *o, struct ir_difference *first)
{
	struct equal q;

	equal_start(&q, cx, o, first);
	equal_run(&q, a, b);
	return equal_finish(&q);
}
