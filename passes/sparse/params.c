#include "passes/sparse/params.h"

#include <string.h>

static bool
is_param(const struct params *p, const char *name)
{
	for (uint32_t i = 0; i < p->fn->nparams; i++)
		if (strcmp(p->fn->params[i]->name, name) == 0)
			return true;
	return false;
}

static void
read_names(struct params *p, const char *text)
{
	char *copy = arena_strndup(p->cx->scratch, text, strlen(text));
	char *rest;

	for (char *s = strtok_r(copy, ",| ", &rest); s;
	     s = strtok_r(NULL, ",| ", &rest)) {
		struct named_weight w = {.name = *s == '%' ? s + 1 : s};

		if (is_param(p, w.name))
			pass_count(p->cx, "weights found", 1);
		vec_push(&p->named, w);
	}
}

/* All numbers in TEXT, whatever is between them. */
static bool
read_sizes(struct params *p, const char *option, uint32_t each)
{
	const char *text = pass_option(p->cx, option);
	uint32_t want = (uint32_t)p->named.len * each;
	int64_t *sizes = ARENA_NEW_ARRAY(p->cx->scratch, want, int64_t);
	uint32_t n = 0;

	while (*text) {
		char *end;

		if (*text < '0' || *text > '9') {
			text++;
			continue;
		}
		if (n == want) {
			n++;
			break;
		}
		sizes[n++] = strtoll(text, &end, 10);
		text = end;
	}
	if (n != want) {
		pass_error(p->cx, p->fn->base.loc,
			   "option '%s' needs %u numbers for each weight",
			   option, each);
		return false;
	}
	for (size_t i = 0; i < p->named.len; i++) {
		p->named.at[i].nsizes = each;
		p->named.at[i].sizes = sizes + i * each;
	}
	return true;
}

bool
params_init(struct params *p, pass_ctx *cx, const struct ir_function *fn,
	    const char *names, const char *sizes, uint32_t sizes_each)
{
	*p = (struct params){.cx = cx, .fn = fn};
	read_names(p, pass_option(cx, names));
	if (p->named.len == 0) {
		pass_error(cx, fn->base.loc, "option '%s' names no weights",
			   names);
		return false;
	}
	if (sizes && !read_sizes(p, sizes, sizes_each)) {
		vec_free(&p->named);
		return false;
	}
	return true;
}

const struct named_weight *
params_named(const struct params *p, const ir_expr *e)
{
	if (e->kind != IR_VAR)
		return NULL;
	for (size_t i = 0; i < p->named.len; i++)
		if (strcmp(p->named.at[i].name, ir_as_var(e)->name) == 0)
			for (uint32_t k = 0; k < p->fn->nparams; k++)
				if (&p->fn->params[k]->base == e)
					return &p->named.at[i];
	return NULL;
}

const struct new_params *
params_replace(struct params *p, const ir_expr *e, const char *const *suffixes,
	       const ir_type *const *types, uint32_t n)
{
	struct new_params *made = ir_map_get(&p->made, e);
	ir_context *cx = p->cx->module->cx;

	assert(n <= 3);
	if (made)
		return made;
	made = ARENA_NEW(p->cx->scratch, struct new_params);
	made->n = n;
	for (uint32_t i = 0; i < n; i++)
		made->at[i] = ir_new_var(
			p->cx->module, e->loc,
			ir_namef(cx, "%s.%s", ir_as_var(e)->name, suffixes[i]),
			types[i]);
	ir_map_put(&p->made, e, made);
	return made;
}

const struct new_params *
params_sparse(struct params *p, const ir_expr *e, const int64_t sizes[5])
{
	static const char *const suffixes[] = {"data", "indices", "indptr"};
	ir_context *cx = p->cx->module->cx;
	struct ir_dim dims[5];
	const ir_type *types[3];

	for (uint32_t i = 0; i < 5; i++)
		dims[i] = DIM(sizes[i]);
	types[0] = ir_type_tensor(cx, DTYPE(FLOAT, 32), dims, 3);
	types[1] = ir_type_tensor(cx, DTYPE(INT, 32), dims + 3, 1);
	types[2] = ir_type_tensor(cx, DTYPE(INT, 32), dims + 4, 1);
	return params_replace(p, e, suffixes, types, 3);
}

const struct ir_function *
params_finish(struct params *p, const ir_expr *body)
{
	struct ir_function_parts parts = ir_function_parts(p->fn);
	VEC(const struct ir_var *) params = {0};
	struct ir_map uses = {0};
	const struct ir_function *fn = p->fn;

	ir_use_counts(body, &uses);
	for (uint32_t i = 0; i < p->fn->nparams; i++) {
		const struct ir_var *v = p->fn->params[i];
		const struct new_params *made = ir_map_get(&p->made, &v->base);

		if (!made || ir_map_get(&uses, &v->base) || body == &v->base)
			vec_push(&params, v);
		for (uint32_t k = 0; made && k < made->n; k++)
			vec_push(&params, ir_as_var(made->at[k]));
		if (made)
			pass_remark(p->cx, v->base.loc,
				    "parameter %%%s is now %%%s and so on",
				    v->name, ir_as_var(made->at[0])->name);
	}
	if (body != p->fn->body) {
		parts.body = body;
		parts.params = params.at;
		parts.nparams = (uint32_t)params.len;
		fn = ir_as_function(
			ir_new_function(p->cx->module, fn->base.loc, &parts));
	}
	vec_free(&params);
	vec_free(&p->named);
	ir_map_free(&uses);
	ir_map_free(&p->made);
	return fn;
}
