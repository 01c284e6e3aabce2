/* Values for inputs. */
#include "codegen/feed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ir/compare.h"
#include "ir/module.h"
#include "ir/print.h"
#include "ir/walk.h"
#include "support/arena.h"

void
feed_free(struct feed *f)
{
	named_tensors_free(&f->given);
}

void *
feed_read_file(const char *path, size_t *len, struct diag *d)
{
	FILE *in = fopen(path, "rb");
	struct stat st;
	char *data;

	if (!in || fstat(fileno(in), &st) || !S_ISREG(st.st_mode)) {
		diag_error(d, LOC_NONE, "cannot read '%s': %s", path,
			   in ? "not a file" : strerror(errno));
		if (in)
			fclose(in);
		return NULL;
	}
	data = xmalloc((size_t)st.st_size + 1);
	*len = fread(data, 1, (size_t)st.st_size, in);
	fclose(in);
	return data;
}

bool
feed_file(struct feed *f, const char *name, const char *path)
{
	struct named_tensors list = {0};
	const char *why = "";
	size_t len;
	void *data = feed_read_file(path, &len, f->diag);
	bool ok;

	if (!data)
		return false;
	ok = tensors_read(data, len, &list, &why);
	free(data);
	if (!ok)
		diag_error(f->diag, LOC_NONE, "'%s' is %s", path, why);
	if (ok && name && list.len != 1) {
		diag_error(f->diag, LOC_NONE,
			   "'%s' holds %zu tensors, input '%s' wants one", path,
			   list.len, name);
		ok = false;
	}
	if (ok && !name && list.len && !*list.at[0].name) {
		diag_error(f->diag, LOC_NONE, "'%s' has no name; write NAME=%s",
			   path, path);
		ok = false;
	}
	for (size_t i = 0; i < list.len && ok; i++) {
		const char *n = name ? name : list.at[i].name;

		named_tensors_add(&f->given, n, strlen(n),
				  ir_tensor_ref(list.at[i].tensor));
	}
	named_tensors_free(&list);
	return ok;
}

bool
feed_option(struct feed *f, const char *text)
{
	const char *eq = strchr(text, '=');
	char *name;
	bool ok;

	if (!eq)
		return feed_file(f, NULL, text);
	name = xmalloc((size_t)(eq - text) + 1);
	memcpy(name, text, (size_t)(eq - text));
	name[eq - text] = '\0';
	if (named_tensors_find(&f->given, *name == '%' ? name + 1 : name)) {
		diag_error(f->diag, LOC_NONE, "input '%s' is given twice",
			   name);
		free(name);
		return false;
	}
	ok = feed_file(f, *name == '%' ? name + 1 : name, eq + 1);
	free(name);
	return ok;
}

static bool
is_param(const struct ir_function *fn, const char *name, size_t len)
{
	for (uint32_t i = 0; i < fn->nparams; i++)
		if (strlen(fn->params[i]->name) == len &&
		    !memcmp(fn->params[i]->name, name, len))
			return true;
	return false;
}

static bool
no_input(struct feed *f, const struct ir_function *fn, const char *name,
	 size_t len)
{
	struct buf all = {0};

	for (uint32_t i = 0; i < fn->nparams; i++)
		buf_printf(&all, "%s%s", i ? ", " : "", fn->params[i]->name);
	diag_error(f->diag, LOC_NONE, "'@main' has no input '%.*s'", (int)len,
		   name);
	if (all.len)
		diag_note(f->diag, LOC_NONE, "its inputs are %s", all.at);
	buf_free(&all);
	return false;
}

bool
feed_names_exist(struct feed *f, const char *const *options, size_t n,
		 const struct ir_function *fn)
{
	for (uint32_t i = 0; i < fn->nparams; i++) {
		const ir_type *t = fn->params[i]->base.type;

		if (t && t->kind != TYPE_TENSOR)
			return true;
	}
	for (size_t i = 0; i < n; i++) {
		const char *name = options[i], *end = strchr(name, '=');

		name += *name == '%';
		if (end && strncmp(name, "meta[", 5) != 0 &&
		    !is_param(fn, name, (size_t)(end - name)))
			return no_input(f, fn, name, (size_t)(end - name));
	}
	return true;
}

/* One element will do for a scalar. */
static bool
fits(const ir_tensor *t, const int64_t *shape, uint32_t ndim)
{
	if (ndim == 0)
		return ir_tensor_size(t) == 1;
	if (t->ndim != ndim)
		return false;
	for (uint32_t i = 0; i < ndim; i++)
		if (shape[i] >= 0 && t->shape[i] != shape[i])
			return false;
	return true;
}

/* T in another element type; NULL if an integer does not survive that. */
static ir_tensor *
convert(const ir_tensor *t, struct dtype to)
{
	ir_tensor *r = ir_tensor_new(to, t->shape, t->ndim);
	int64_t n = ir_tensor_size(t);
	bool exact = true;

	for (int64_t i = 0; i < n && r && exact; i++) {
		double x = ir_tensor_get_double(t, i);

		if (dtype_is_float(to) || dtype_is_float(t->dtype))
			ir_tensor_set_double(r, i, x);
		else
			ir_tensor_set_int(r, i, ir_tensor_get_int(t, i));
		if (!dtype_is_float(to))
			exact = ir_tensor_get_double(r, i) == x;
	}
	if (exact)
		return r;
	ir_tensor_unref(r);
	return NULL;
}

static ir_tensor *
reshape(ir_tensor *t, const int64_t *shape, uint32_t ndim)
{
	ir_tensor *r;

	if (t->ndim == ndim)
		return t;
	r = ir_tensor_new(t->dtype, shape, ndim);
	memcpy(r->data, t->data, r->nbytes);
	ir_tensor_unref(t);
	return r;
}

/*
 * GIVEN as the input wants it. A file with another element type, which is
 * what NumPy makes when it is not told, is converted, with a warning.
 */
static ir_tensor *
adapt(struct feed *f, const char *name, ir_tensor *given, struct dtype t,
      const int64_t *shape, uint32_t ndim)
{
	ir_tensor want = {.dtype = t, .shape = shape, .ndim = ndim};
	bool fit = fits(given, shape, ndim);
	struct buf a = {0}, b = {0};
	ir_tensor *r = NULL;

	given = npy_as(given, t);
	if (fit && dtype_equal(given->dtype, t))
		return reshape(given, shape, ndim);
	tensor_type_text(&a, given);
	tensor_type_text(&b, &want);
	if (fit)
		r = convert(given, t);
	if (r)
		diag_warning(f->diag, LOC_NONE,
			     "input '%s' is %s, the file has %s; converted",
			     name, b.at, a.at);
	else
		diag_error(f->diag, LOC_NONE,
			   "input '%s' is %s, the file has %s", name, b.at,
			   a.at);
	buf_free(&a);
	buf_free(&b);
	ir_tensor_unref(given);
	return r ? reshape(r, shape, ndim) : NULL;
}

ir_tensor *
feed_tensor(struct feed *f, const char *name, struct dtype t,
	    const int64_t *shape, uint32_t ndim)
{
	ir_tensor *r = named_tensors_find(&f->given, name);

	if (r)
		return adapt(f, name, r, t, shape, ndim);
	if (!f->fill) {
		diag_error(f->diag, LOC_NONE,
			   "input '%s' has no value; use --input=%s=FILE or "
			   "--fill",
			   name, name);
		return NULL;
	}
	for (uint32_t i = 0; i < ndim; i++)
		if (shape[i] < 0) {
			diag_error(f->diag, LOC_NONE,
				   "input '%s' has an unknown shape and cannot "
				   "be filled",
				   name);
			return NULL;
		}
	r = ir_tensor_new(t, shape, ndim);
	if (!r)
		diag_error(f->diag, LOC_NONE, "input '%s' is too large", name);
	else
		fill_tensor(r, f->how, name, f->seed);
	return r;
}

struct placeholders {
	struct feed *feed;
	ir_module *m;
	bool ok;
};

static void
give_data(const ir_expr *e, void *env)
{
	struct placeholders *p = env;
	const struct ir_tensor_type *t;
	int64_t shape[64];
	char name[64];
	ir_tensor *data;

	if (e->kind != IR_CONSTANT || ir_as_constant(e)->data || !p->ok)
		return;
	if (!e->type || e->type->kind != TYPE_TENSOR ||
	    ir_as_tensor_type(e->type)->ndim > 64) {
		p->ok = false;
		diag_error(p->feed->diag, e->loc,
			   "the type of this constant is not known");
		return;
	}
	t = ir_as_tensor_type(e->type);
	for (uint32_t i = 0; i < t->ndim; i++)
		shape[i] = t->shape[i].value;
	snprintf(name, sizeof(name), "meta[relay.Constant][%u]",
		 ir_as_constant(e)->meta_index);
	data = feed_tensor(p->feed, name, t->dtype, shape, t->ndim);
	if (data) {
		vec_push(&p->m->tensors, data);
		((struct ir_constant *)(uintptr_t)e)->data = data;
	}
	p->ok = data != NULL;
}

bool
feed_placeholders(struct feed *f, ir_module *m)
{
	struct placeholders p = {f, m, true};

	if (!m->has_placeholders)
		return true;
	for (size_t i = 0; i < m->defs.len && p.ok; i++)
		if (m->defs.at[i]->kind == DEF_FUNCTION)
			ir_walk(&m->defs.at[i]->fn->base, NULL, give_data, &p);
	m->has_placeholders = !p.ok;
	return p.ok;
}
