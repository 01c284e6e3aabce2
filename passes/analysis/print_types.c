/*
 * print-dtypes: the element types that occur in each function.
 * print-dynamic: the calls of each function whose results have shapes that are
 * known only when they run, and those whose shapes depend on values.
 *
 * Level: analysis. Needs: types.
 */
#include "passes/analysis/report.h"

#include <stdlib.h>
#include <string.h>

struct dtypes {
	VEC(struct dtype) at;
	VEC(const ir_type *) todo;
	VEC(bool) seen; /* by id */
};

static void
add_dtype(struct dtypes *d, struct dtype t)
{
	for (size_t i = 0; i < d->at.len; i++)
		if (dtype_equal(d->at.at[i], t))
			return;
	vec_push(&d->at, t);
}

static bool
is_first_look(struct dtypes *d, const ir_type *t)
{
	bool seen;

	while (d->seen.len <= t->id)
		vec_push(&d->seen, false);
	seen = d->seen.at[t->id];
	d->seen.at[t->id] = true;
	return !seen;
}

static void
push_types(struct dtypes *d, const ir_type *const *at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		vec_push(&d->todo, at[i]);
}

static void
look_at_type(struct dtypes *d, const ir_type *t)
{
	vec_push(&d->todo, t);
	while (d->todo.len) {
		t = vec_pop(&d->todo);
		if (!is_first_look(d, t))
			continue;
		switch ((enum ir_type_kind)t->kind) {
		case TYPE_TENSOR:
			add_dtype(d, ir_as_tensor_type(t)->dtype);
			break;
		case TYPE_TUPLE:
			push_types(d, ir_as_tuple_type(t)->fields,
				   ir_as_tuple_type(t)->nfields);
			break;
		case TYPE_FUNC:
			push_types(d, ir_as_func_type(t)->params,
				   ir_as_func_type(t)->nparams);
			vec_push(&d->todo, ir_as_func_type(t)->ret);
			break;
		case TYPE_REF:
			vec_push(&d->todo, ir_as_ref_type(t)->value);
			break;
		case TYPE_ADT:
			push_types(d, ir_as_adt_type(t)->args,
				   ir_as_adt_type(t)->nargs);
			break;
		default:
			break;
		}
	}
}

/* Types of operators and constructors are not theirs alone. */
static void
look(const ir_expr *e, void *env)
{
	if (e->type && e->kind != IR_OP && e->kind != IR_CTOR &&
	    e->kind != IR_GLOBAL)
		look_at_type(env, e->type);
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
print_dtypes(struct report *r, const ir_def *def)
{
	struct dtypes d = {.at = {0}};
	struct buf out = {0};
	const char **names;

	ir_walk(&def->fn->base, NULL, look, &d);
	names = ARENA_NEW_ARRAY(r->cx->scratch, d.at.len, const char *);
	for (size_t i = 0; i < d.at.len; i++)
		names[i] = ir_type_text(
			r->cx->module->cx,
			ir_type_scalar(r->cx->module->cx, d.at.at[i]));
	if (d.at.len)
		qsort(names, d.at.len, sizeof(*names), by_text);
	for (size_t i = 0; i < d.at.len; i++)
		buf_printf(&out, "%s%s", i ? ", " : "", names[i]);
	report_line(r, 0, "@%s: %s", def->name, out.len ? out.at : "none");
	buf_free(&out);
	vec_free(&d.at);
	vec_free(&d.todo);
	vec_free(&d.seen);
}

bool
pass_print_dtypes(pass_ctx *cx)
{
	struct report r = {.cx = cx};

	for (ir_def **d = report_functions(cx); *d; d++)
		print_dtypes(&r, *d);
	report_end(&r);
	return false;
}

static bool
print_if_dynamic(const ir_expr *e, void *env)
{
	struct report *r = env;
	const ir_op *op = ir_called_op(e);
	const char *name;

	if (!op || !(e->type->flags & TYPE_HAS_ANY))
		return true;
	name = report_name(r, e);
	report_line(r, 1, "%s%s%s: %s%s", name ? name : "", name ? " = " : "",
		    op->name, ir_type_text(r->cx->module->cx, e->type),
		    op->traits & OP_TRAIT_BY_VALUE ? ", as values say" : "");
	return true;
}

bool
pass_print_dynamic(pass_ctx *cx)
{
	struct report r = {.cx = cx};

	for (ir_def **d = report_functions(cx); *d; d++) {
		report_line(&r, 0, "@%s", (*d)->name);
		ir_walk((*d)->fn->body, print_if_dynamic, NULL, &r);
	}
	report_end(&r);
	return false;
}
