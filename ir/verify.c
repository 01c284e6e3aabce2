#include "ir/verify.h"

#include <stdlib.h>

#include "ir/verify_internal.h"

void
verify_error(struct verify *v, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	v->errors++;
	va_start(ap, fmt);
	diag_report(v->d, DIAG_ERROR, loc, fmt, ap);
	va_end(ap);
}

static void
start(struct verify *v, const ir_module *m, struct diag *d)
{
	*v = (struct verify){.m = m, .d = d};
	v->scope_of = xcalloc(m->next_id + 1, sizeof(*v->scope_of));
	v->binder_of = xcalloc(m->next_id + 1, sizeof(*v->binder_of));
}

static bool
finish(struct verify *v)
{
	vec_free(&v->scopes);
	ptrmap_free(&v->seen);
	free(v->scope_of);
	free(v->binder_of);
	vec_free(&v->bound);
	vec_free(&v->order);
	vec_free(&v->first);
	return v->errors == 0;
}

static void
check_type_def(struct verify *v, const ir_type_def *t)
{
	for (uint32_t i = 0; i < t->nctors; i++)
		for (uint32_t k = 0; k < t->ctors[i]->nfields; k++) {
			const ir_type *field = t->ctors[i]->fields[k];

			verify_type(v, field, t->ctors[i]->base.loc);
			if (field->flags & TYPE_HAS_HOLE)
				verify_error(v, t->ctors[i]->base.loc,
					     "the fields of '%s' must have "
					     "their types written out",
					     t->ctors[i]->name);
		}
}

/* Data types as they must be, and functions as CHECK says. */
static bool
verify_definitions(const ir_module *m, struct diag *d,
		   void (*check)(struct verify *v, const ir_expr *fn))
{
	struct verify v;

	start(&v, m, d);
	for (size_t i = 0; i < m->types.len; i++)
		check_type_def(&v, m->types.at[i]);
	for (size_t i = 0; i < m->defs.len; i++)
		if (m->defs.at[i]->kind == DEF_FUNCTION)
			check(&v, &m->defs.at[i]->fn->base);
	return finish(&v);
}

bool
ir_verify_module(const ir_module *m, struct diag *d)
{
	return verify_definitions(m, d, verify_scopes);
}

static bool
check_types_of(const ir_expr *e, void *env)
{
	const ir_type *ret;

	if (e->type)
		verify_type(env, e->type, e->loc);
	if (e->kind == IR_VAR && ir_as_var(e)->annotation)
		verify_type(env, ir_as_var(e)->annotation, e->loc);
	if (e->kind != IR_FUNCTION)
		return true;
	ret = ir_as_function(e)->ret_type;
	if (ret)
		verify_type(env, ret, e->loc);
	for (uint32_t i = 0; i < ir_as_function(e)->nparams; i++)
		check_types_of(&ir_as_function(e)->params[i]->base, env);
	return true;
}

static void
verify_types(struct verify *v, const ir_expr *fn)
{
	ir_walk(fn, check_types_of, NULL, v);
}

bool
ir_verify_types(const ir_module *m, struct diag *d)
{
	return verify_definitions(m, d, verify_types);
}

bool
ir_verify_expr(const ir_module *m, const ir_expr *e, struct diag *d)
{
	struct verify v;

	start(&v, m, d);
	v.open = true;
	verify_scopes(&v, e);
	return finish(&v);
}
