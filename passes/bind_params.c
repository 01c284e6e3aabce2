#include "passes/bind_params.h"

#include <stdlib.h>
#include <string.h>

#include "ir/expr.h"
#include "ir/module.h"
#include "ir/npy.h"
#include "ir/print.h"
#include "ir/rewrite.h"
#include "ir/walk.h"
#include "support/source.h"

struct binder {
	ir_module *m;
	struct diag *diag;
	struct named_tensors tensors;
	bool *used; /* by place in TENSORS */
	bool failed;
	bool missing; /* a constant is still without data */
};

/* Importers write names as they are; printers make identifiers of them. */
static bool
same_name(const char *given, const char *printed)
{
	if (*printed == 'v' && *given != 'v')
		printed++;
	for (; *given && *printed; given++, printed++) {
		bool word = (*given >= 'a' && *given <= 'z') ||
			    (*given >= 'A' && *given <= 'Z') ||
			    (*given >= '0' && *given <= '9');

		if (*given != *printed && (word || *printed != '_'))
			return false;
	}
	return !*given && !*printed;
}

/* The tensor called NAME, or NULL; marks it as used. */
static ir_tensor *
find_tensor(struct binder *b, const char *name)
{
	size_t n = b->tensors.len;
	size_t at = n;

	for (size_t i = 0; i < n && at == n; i++)
		if (strcmp(b->tensors.at[i].name, name) == 0)
			at = i;
	for (size_t i = 0; i < n && at == n; i++)
		if (same_name(b->tensors.at[i].name, name))
			at = i;
	if (at == n)
		return NULL;
	b->used[at] = true;
	return b->tensors.at[at].tensor;
}

/* Does T fit the annotation of a parameter? Unknown dimensions fit all. */
static bool
fits(const ir_tensor *t, const ir_type *type)
{
	const struct ir_tensor_type *want;

	if (!type || type->kind != TYPE_TENSOR)
		return !type;
	want = ir_as_tensor_type(type);
	if (!dtype_equal(want->dtype, t->dtype) || want->ndim != t->ndim)
		return false;
	for (uint32_t i = 0; i < t->ndim; i++)
		if (ir_dim_is_const(want->shape[i]) &&
		    want->shape[i].value != t->shape[i])
			return false;
	return true;
}

/* A constant for parameter V, or NULL if no tensor is called like it. */
static const ir_expr *
constant_for(struct binder *b, const struct ir_var *v)
{
	ir_tensor *found = find_tensor(b, v->name);
	ir_tensor *t;

	if (!found)
		return NULL;
	t = found;
	if (v->annotation && v->annotation->kind == TYPE_TENSOR)
		t = npy_as(found, ir_as_tensor_type(v->annotation)->dtype);
	else
		ir_tensor_ref(t);
	vec_push(&b->m->tensors, t);
	if (!fits(t, v->annotation)) {
		diag_error(b->diag, v->base.loc,
			   "the tensor for '%%%s' does not fit its type %s",
			   v->name, ir_type_text(b->m->cx, v->annotation));
		b->failed = true;
	}
	return ir_new_constant(b->m, v->base.loc, t);
}

static void
bind_function(struct binder *b, ir_def *def)
{
	struct ir_function_parts parts = ir_function_parts(def->fn);
	const struct ir_var **left = xcalloc(parts.nparams + 1, sizeof(*left));
	struct ir_map map = {0};
	uint32_t n = 0;

	for (uint32_t i = 0; i < parts.nparams; i++) {
		const struct ir_var *v = parts.params[i];
		const ir_expr *constant = constant_for(b, v);

		if (constant)
			ir_map_put(&map, ir_var_expr(v), constant);
		else
			left[n++] = v;
	}
	if (!b->failed && n < parts.nparams) {
		parts.params = left;
		parts.nparams = n;
		parts.body = ir_substitute(b->m, parts.body, &map);
		def->fn = ir_as_function(
			ir_new_function(b->m, def->fn->base.loc, &parts));
	}
	ir_map_free(&map);
	free(left);
}

static void
give_data(const ir_expr *e, void *env)
{
	struct binder *b = env;
	struct ir_constant *c = (struct ir_constant *)(uintptr_t)e;
	char name[64];
	ir_tensor *t;

	if (e->kind != IR_CONSTANT || c->data)
		return;
	snprintf(name, sizeof(name), "meta[relay.Constant][%u]", c->meta_index);
	t = find_tensor(b, name);
	if (!t) {
		b->missing = true;
	} else if (!fits(t, e->type)) {
		diag_error(b->diag, e->loc,
			   "the tensor for '%s' does not fit its type %s", name,
			   ir_type_text(b->m->cx, e->type));
		b->failed = true;
	} else {
		c->data = ir_tensor_ref(t);
		vec_push(&b->m->tensors, c->data);
	}
}

static void
bind_constants(struct binder *b)
{
	if (!b->m->has_placeholders)
		return;
	for (size_t i = 0; i < b->m->defs.len; i++)
		if (b->m->defs.at[i]->fn)
			ir_walk(&b->m->defs.at[i]->fn->base, NULL, give_data,
				b);
	b->m->has_placeholders = b->missing;
}

static bool
read_tensors(struct binder *b, const char *file)
{
	struct source s;
	const char *why;
	bool ok;

	if (!source_open(&s, file, &why)) {
		diag_error(b->diag, LOC_NONE, "cannot read '%s': %s", file,
			   why);
		return false;
	}
	ok = tensors_read(s.text, s.len, &b->tensors, &why);
	source_free(&s);
	if (!ok)
		diag_error(b->diag, LOC_NONE, "'%s' is %s", file, why);
	return ok;
}

bool
bind_params_file(ir_module *m, const char *entry, const char *file,
		 struct diag *d)
{
	struct binder b = {.m = m, .diag = d};
	ir_def *def = ir_module_find(m, ir_name(m->cx, entry));

	if (!read_tensors(&b, file)) {
		named_tensors_free(&b.tensors);
		return false;
	}
	b.used = xcalloc(b.tensors.len + 1, sizeof(*b.used));
	bind_constants(&b);
	if (def && def->fn)
		bind_function(&b, def);
	for (size_t i = 0; i < b.tensors.len && !b.failed; i++)
		if (!b.used[i])
			diag_warning(d, LOC_NONE,
				     "nothing is called like tensor '%s' of "
				     "'%s'",
				     b.tensors.at[i].name, file);
	free(b.used);
	named_tensors_free(&b.tensors);
	return !b.failed;
}
