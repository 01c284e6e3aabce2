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
equal_bind(struct equal *q, const void *a, const void *b)
{
	const void *known_a = ptrmap_get(&q->left, a);
	const void *known_b = ptrmap_get(&q->right, b);

	if (known_a || known_b)
		return known_a == b && known_b == a;
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
	if (q->def_a)
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

static void
differ(struct equal *q, const struct pair *p, const char *what)
{
	if (q->differs)
		return;
	q->differs = true;
	if (!q->first)
		return;
	*q->first = (struct ir_difference){
		.a = p->a,
		.b = p->b,
		.def_a = q->def_a,
		.def_b = q->def_b,
		.what = what,
		.path = path_to(q, p->from),
	};
}

#define DIFFER(q, p, ...) \
	differ((q), (p), (q)->first ? ir_namef((q)->cx, __VA_ARGS__) : "")

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
	if (q->first)
		DIFFER(q, p, "%s: type %s, %s", whose, type_text(q, t),
		       type_text(q, u));
	else
		differ(q, p, "");
	return false;
}

/* A is bound here on one side, B on the other. */
static bool
bind_vars(struct equal *q, const struct pair *p, const struct ir_var *a,
	  const struct ir_var *b)
{
	if (!same_annotation(q, p, &a->base, a->annotation, &b->base,
			     b->annotation,
			     q->first ? ir_namef(q->cx, "%%%s", a->name) : ""))
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

	if (ptrmap_find(&q->left, a) || ptrmap_find(&q->right, b)) {
		if (ptrmap_get(&q->left, a) != b)
			DIFFER(q, p, "variable %%%s, %%%s", a->name, b->name);
	} else if (q->o->map_free_vars) {
		bind_vars(q, p, a, b);
	} else if (a != b) {
		DIFFER(q, p, "free variable %%%s, %%%s", a->name, b->name);
	}
}

static void
compare_names(struct equal *q, const struct pair *p, const char *a,
	      const char *b, const char *what)
{
	if (a != b && strcmp(a, b) != 0)
		DIFFER(q, p, "%s %s, %s", what, a, b);
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
			differ(q, p, "different constants");
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
		DIFFER(q, p, "%u arguments, %u", a->nargs, b->nargs);
		return;
	}
	if (!equal_records(q, a->attrs, b->attrs, &name) &&
	    a->callee->kind == b->callee->kind)
		DIFFER(q, p, "attribute %s differs", name);
	for (uint32_t i = a->nargs; i > 0; i--)
		push(q, a->args[i - 1], b->args[i - 1], EDGE_ARG, i - 1);
	push(q, a->callee, b->callee, EDGE_CALLEE, 0);
}

static bool
same_head(struct equal *q, const struct pair *p, const struct ir_function *a,
	  const struct ir_function *b)
{
	const char *name;

	if (a->nparams != b->nparams) {
		DIFFER(q, p, "%u parameters, %u", a->nparams, b->nparams);
		return false;
	}
	if (a->ntype_params != b->ntype_params) {
		DIFFER(q, p, "%u type parameters, %u", a->ntype_params,
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
		differ(q, p, "different virtual devices or bodies");
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
		differ(q, p, "different patterns");
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
		DIFFER(q, p, "%s of %u clauses, %s of %u",
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
		DIFFER(q, p, "%u fields, %u", a->nfields, b->nfields);
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
		DIFFER(q, p, "field .%u, .%u", a->index, b->index);
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
		DIFFER(q, p, "%s, %s", kind_name(p->a), kind_name(p->b));
	} else if (p->a->kind <= IR_CTOR) {
		compare_leaves(q, p);
	} else if (ptrmap_find(&q->left, p->a) ||
		   ptrmap_find(&q->right, p->b)) {
		if (ptrmap_get(&q->left, p->a) != p->b)
			DIFFER(q, p, "%s shared on one side only",
			       kind_name(p->a));
	} else {
		equal_bind(q, p->a, p->b);
		compare_inside(q, p);
	}
}

static void
run(struct equal *q, const ir_expr *a, const ir_expr *b)
{
	q->visits.len = 0;
	vec_push(&q->todo, ((struct pair){a, b, {0, 0, EDGE_ROOT}}));
	while (q->todo.len && !q->differs) {
		struct pair next = vec_pop(&q->todo);

		compare(q, &next);
	}
	q->todo.len = 0;
}

static void
start(struct equal *q, ir_context *cx, const struct ir_equal_options *o,
      struct ir_difference *first)
{
	*q = (struct equal){.cx = cx, .o = o ? o : &no_options, .first = first};
	if (first)
		*first = (struct ir_difference){.path = ""};
}

static bool
finish(struct equal *q)
{
	ptrmap_free(&q->left);
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

	start(&q, cx, o, first);
	run(&q, a, b);
	return finish(&q);
}

/* ------------------------------------------------------------ modules -- */

/* A difference between definitions, not inside them. */
static void
modules_differ(struct equal *q, const char *what)
{
	struct pair nothing = {NULL, NULL, {0, 0, EDGE_ROOT}};

	differ(q, &nothing, what);
}

#define MODULES_DIFFER(q, ...) \
	modules_differ((q), (q)->first ? ir_namef((q)->cx, __VA_ARGS__) : "")

static bool
same_ctor(struct equal *q, const struct ir_ctor *a, const struct ir_ctor *b)
{
	if (strcmp(a->name, b->name) != 0 || a->nfields != b->nfields)
		return false;
	for (uint32_t i = 0; i < a->nfields; i++)
		if (!equal_types(q, a->fields[i], b->fields[i]))
			return false;
	return true;
}

static bool
same_type_def(struct equal *q, const ir_type_def *a, const ir_type_def *b)
{
	if (a->is_extern != b->is_extern || a->nparams != b->nparams ||
	    a->nctors != b->nctors)
		return false;
	for (uint32_t i = 0; i < a->nparams; i++)
		equal_bind(q, a->params[i], b->params[i]);
	for (uint32_t i = 0; i < a->nctors; i++)
		if (!same_ctor(q, a->ctors[i], b->ctors[i]))
			return false;
	return true;
}

static void
compare_type_defs(struct equal *q, const ir_module *a, const ir_module *b)
{
	for (size_t i = 0; i < a->types.len; i++) {
		const ir_type_def *t = a->types.at[i];
		const ir_type_def *u = ir_module_find_type(b, t->name);

		if (!u)
			MODULES_DIFFER(q, "only the first has type %s",
				       t->name);
		else if (!same_type_def(q, t, u))
			MODULES_DIFFER(q, "type %s differs", t->name);
	}
	for (size_t i = 0; i < b->types.len; i++)
		if (!ir_module_find_type(a, b->types.at[i]->name))
			MODULES_DIFFER(q, "only the second has type %s",
				       b->types.at[i]->name);
}

/* The text of a definition of a level below Relay. */
static void
text_of(struct buf *out, const ir_def *d)
{
	if (d->kind == DEF_RAW) {
		buf_put(out, d->raw, d->raw_len);
	} else if (d->kind == DEF_TIR) {
		tir_print_func(out, d->tir);
	} else {
		te_print_func(out, d->te);
		if (d->schedule)
			te_print_schedule(out, d->schedule);
	}
}

static void
compare_defs(struct equal *q, const ir_def *a, const ir_def *b)
{
	struct buf x = {0};
	struct buf y = {0};

	q->def_a = a;
	q->def_b = b;
	if (a->kind != b->kind) {
		MODULES_DIFFER(q, "@%s: definitions of different levels",
			       a->name);
	} else if (a->kind == DEF_FUNCTION) {
		run(q, &a->fn->base, &b->fn->base);
	} else {
		text_of(&x, a);
		text_of(&y, b);
		if (x.len != y.len || (x.len && memcmp(x.at, y.at, x.len)))
			MODULES_DIFFER(q, "the text of @%s differs", a->name);
		buf_free(&x);
		buf_free(&y);
	}
}

static bool
is_wanted(struct equal *q, const ir_def *d)
{
	const char *const *at = q->o->only;

	while (at && *at && strcmp(*at, d->name) != 0)
		at++;
	return !at || *at;
}

/* Both lists of definitions are sorted: go through them side by side. */
static void
compare_all_defs(struct equal *q, ir_def **a, size_t na, ir_def **b, size_t nb)
{
	size_t i = 0;
	size_t j = 0;

	while ((i < na || j < nb) && !q->differs) {
		int order = i == na   ? 1
			    : j == nb ? -1
				      : strcmp(a[i]->name, b[j]->name);
		const ir_def *d = order <= 0 ? a[i] : b[j];

		if (is_wanted(q, d)) {
			q->def_a = order <= 0 ? d : NULL;
			q->def_b = order >= 0 ? b[j] : NULL;
			if (order)
				MODULES_DIFFER(q, "only the %s has @%s",
					       order < 0 ? "first" : "second",
					       d->name);
			else
				compare_defs(q, d, b[j]);
		}
		i += order <= 0;
		j += order >= 0;
	}
}

bool
ir_module_equal(const ir_module *a, const ir_module *b,
		const struct ir_equal_options *o, struct ir_difference *first)
{
	ir_def **defs_a = ir_module_sorted(a);
	ir_def **defs_b = ir_module_sorted(b);
	struct equal q;

	start(&q, a->cx, o, first);
	compare_type_defs(&q, a, b);
	compare_all_defs(&q, defs_a, a->defs.len, defs_b, b->defs.len);
	free(defs_a);
	free(defs_b);
	return finish(&q);
}
