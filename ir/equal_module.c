/*
 * Structural equality of modules: their data types and definitions by name.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/equal_internal.h"
#include "ir/print.h"
#include "support/buf.h"

/* A difference between definitions, not inside them. */
static void
modules_differ(struct equal *q, const char *what)
{
	struct pair nothing = {NULL, NULL, {0, 0, EDGE_ROOT}};

	equal_differ(q, &nothing, what);
}

#define MODULES_DIFFER(q, ...)                                       \
	modules_differ((q), equal_wants_text(q)                      \
				    ? ir_namef((q)->cx, __VA_ARGS__) \
				    : "")

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
	equal_forget_pairs(q);
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
		equal_forget_pairs(q);
		equal_run(q, &a->fn->base, &b->fn->base);
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

	while ((i < na || j < nb) && !equal_is_decided(q)) {
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

static bool
compare_modules(struct equal *q, const ir_module *a, const ir_module *b)
{
	ir_def **defs_a = ir_module_sorted(a);
	ir_def **defs_b = ir_module_sorted(b);

	compare_type_defs(q, a, b);
	compare_all_defs(q, defs_a, a->defs.len, defs_b, b->defs.len);
	free(defs_a);
	free(defs_b);
	return equal_finish(q);
}

bool
ir_module_equal(const ir_module *a, const ir_module *b,
		const struct ir_equal_options *o, struct ir_difference *first)
{
	struct equal q;

	equal_start(&q, a->cx, o, first);
	return compare_modules(&q, a, b);
}

bool
ir_module_compare(const ir_module *a, const ir_module *b,
		  const struct ir_equal_options *o, struct ir_comparison *out)
{
	struct equal q;

	equal_start(&q, a->cx, o, NULL);
	q.all = out;
	return compare_modules(&q, a, b);
}

void
ir_comparison_free(struct ir_comparison *c)
{
	vec_free(&c->all);
	ptrmap_free(&c->pairs);
}
