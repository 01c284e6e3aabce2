/*
 * print-free-vars, print-bound-vars, print-all-vars: the variables of each
 * function, in order of their first appearance, and of the literals in it.
 * print-free-type-vars, print-bound-type-vars, print-all-type-vars: the same
 * of type parameters.
 *
 *     // @main: %x, %y
 *     //   fn 4:8: %z
 *
 * A literal goes by its place in the text. Functions of a module have no free
 * variables; literals have those that they capture.
 *
 * Level: analysis. Needs: nothing.
 */
#include "passes/analysis/report.h"

enum which { FREE, BOUND, ALL };

typedef VEC(const ir_type *) type_vec;

struct vars {
	struct report *r;
	enum which which;
	bool of_types;
	ir_expr_vec bound, used, all;
	struct ir_set seen_bound, seen_used;
	type_vec type_bound, type_used, type_all;
	VEC(bool) type_seen[2]; /* by id: bound, used */
};

/* ---------------------------------------------------- type parameters -- */

static bool
is_marked(const struct vars *v, bool used, const ir_type *t)
{
	return t->id < v->type_seen[used].len && v->type_seen[used].at[t->id];
}

static void
put_type_var(struct vars *v, bool used, const ir_type *t)
{
	type_vec *to = used ? &v->type_used : &v->type_bound;

	while (v->type_seen[used].len <= t->id)
		vec_push(&v->type_seen[used], false);
	if (is_marked(v, used, t))
		return;
	v->type_seen[used].at[t->id] = true;
	vec_push(to, t);
	if (!is_marked(v, !used, t))
		vec_push(&v->type_all, t);
}

static const ir_type *
put_used_type_var(const ir_type *t, void *env)
{
	if (t->kind == TYPE_VAR)
		put_type_var(env, true, t);
	return t;
}

static void
look_at_type(struct vars *v, const ir_type *t)
{
	if (v->of_types && t && (t->flags & TYPE_HAS_VAR))
		(void)ir_type_substitute(v->r->cx->module->cx, t,
					 put_used_type_var, v);
}

/* ---------------------------------------------------------- variables -- */

static void
put_bound(const struct ir_var *var, void *env)
{
	struct vars *v = env;

	if (ir_set_add(&v->seen_bound, &var->base)) {
		vec_push(&v->bound, &var->base);
		if (!ir_set_has(&v->seen_used, &var->base))
			vec_push(&v->all, &var->base);
	}
	look_at_type(v, var->annotation);
}

static void
look_at_function(struct vars *v, const struct ir_function *fn)
{
	for (uint32_t i = 0; i < fn->ntype_params && v->of_types; i++)
		put_type_var(v, false, fn->type_params[i]);
	for (uint32_t i = 0; i < fn->nparams; i++)
		put_bound(fn->params[i], v);
	look_at_type(v, fn->ret_type);
}

static bool
look(const ir_expr *e, void *env)
{
	struct vars *v = env;
	const struct ir_match *match;

	switch ((enum ir_kind)e->kind) {
	case IR_VAR:
		if (!ir_set_add(&v->seen_used, e))
			break;
		vec_push(&v->used, e);
		if (!ir_set_has(&v->seen_bound, e))
			vec_push(&v->all, e);
		break;
	case IR_FUNCTION:
		look_at_function(v, ir_as_function(e));
		break;
	case IR_LET:
		put_bound(ir_as_let(e)->var, v);
		break;
	case IR_MATCH:
		match = ir_as_match(e);
		for (uint32_t i = 0; i < match->nclauses; i++)
			ir_pattern_vars(match->clauses[i].pattern, put_bound,
					v);
		break;
	default:
		break;
	}
	return true;
}

static void
put_word(struct buf *out, const char *word)
{
	if (out->len)
		buf_puts(out, ", ");
	buf_puts(out, word);
}

static void
put_vars(struct vars *v, struct buf *out)
{
	const ir_expr_vec *all = v->which == BOUND  ? &v->bound
				 : v->which == FREE ? &v->used
						    : &v->all;

	for (size_t i = 0; i < all->len; i++)
		if (v->which != FREE || !ir_set_has(&v->seen_bound, all->at[i]))
			put_word(out, report_name(v->r, all->at[i]));
}

static void
put_type_vars(struct vars *v, struct buf *out)
{
	const type_vec *all = v->which == BOUND  ? &v->type_bound
			      : v->which == FREE ? &v->type_used
						 : &v->type_all;

	for (size_t i = 0; i < all->len; i++)
		if (v->which != FREE || !is_marked(v, false, all->at[i]))
			put_word(out, ir_type_text(v->r->cx->module->cx,
						   all->at[i]));
}

/* The line of ROOT: the function called NAME, or a literal (NULL). */
static void
print_function(struct vars *v, const ir_expr *root, const char *name)
{
	struct buf out = {0};
	struct buf place = {0};

	ir_walk(root, look, NULL, v);
	if (v->of_types)
		put_type_vars(v, &out);
	else
		put_vars(v, &out);
	if (!name)
		diag_put_place(v->r->cx->diag, root->loc, &place);
	report_line(v->r, name ? 0 : 1, "%s%s: %s", name ? "@" : "fn ",
		    name        ? name
		    : place.len ? place.at
				: "without place",
		    out.len ? out.at : "none");
	buf_free(&place);
	buf_free(&out);
	vec_free(&v->bound);
	vec_free(&v->used);
	vec_free(&v->all);
	vec_free(&v->type_bound);
	vec_free(&v->type_used);
	vec_free(&v->type_all);
	vec_free(&v->type_seen[0]);
	vec_free(&v->type_seen[1]);
	ir_set_free(&v->seen_bound);
	ir_set_free(&v->seen_used);
}

static bool
print_literal(const ir_expr *e, void *env)
{
	struct vars v = *(const struct vars *)env;

	if (e->kind == IR_FUNCTION)
		print_function(&v, e, NULL);
	return true;
}

static bool
print_vars(pass_ctx *cx, enum which which, bool of_types)
{
	struct report r = {.cx = cx};
	struct vars none = {.r = &r, .which = which, .of_types = of_types};

	for (ir_def **d = report_functions(cx); *d; d++) {
		struct vars v = none;

		print_function(&v, &(*d)->fn->base, (*d)->name);
		ir_walk((*d)->fn->body, print_literal, NULL, &none);
	}
	report_end(&r);
	return false;
}

bool
pass_print_free_vars(pass_ctx *cx)
{
	return print_vars(cx, FREE, false);
}

bool
pass_print_bound_vars(pass_ctx *cx)
{
	return print_vars(cx, BOUND, false);
}

bool
pass_print_all_vars(pass_ctx *cx)
{
	return print_vars(cx, ALL, false);
}

bool
pass_print_free_type_vars(pass_ctx *cx)
{
	return print_vars(cx, FREE, true);
}

bool
pass_print_bound_type_vars(pass_ctx *cx)
{
	return print_vars(cx, BOUND, true);
}

bool
pass_print_all_type_vars(pass_ctx *cx)
{
	return print_vars(cx, ALL, true);
}
