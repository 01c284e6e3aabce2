/*
 * relay-to-tir-target-hook: let external compilers lower their functions.
 *
 * For each compiler that functions name by their attribute Compiler, in the
 * order of the functions' names, its pass runs once: the one that option hooks
 * gives it (COMPILER=PASS, separated by commas), or else a pass that is called
 * COMPILER-relay-to-tir, as a plugin may bring it. A function pass sees the
 * functions of that compiler, a module pass the module. Compilers without a
 * pass are left alone.
 *
 * Level: module. Needs: types.
 */
#include "passes/byoc/compiler_functions.h"

#include <stdlib.h>
#include <string.h>

#include "passes/registry.h"

struct hooks {
	pass_ctx *cx;
	bool changed;
	VEC(const char *) done; /* compilers */
};

/* What option hooks names for COMPILER; NULL: nothing. */
static const char *
named_hook(struct hooks *h, const char *compiler)
{
	const char *s = pass_option(h->cx, "hooks");
	size_t len = strlen(compiler);

	while (*s) {
		size_t n = strcspn(s, ",");

		if (n > len && strncmp(s, compiler, len) == 0 && s[len] == '=')
			return arena_strndup(h->cx->scratch, s + len + 1,
					     n - len - 1);
		s += n + (s[n] == ',');
	}
	return NULL;
}

static const struct pass_info *
find_hook(struct hooks *h, const char *compiler, struct loc loc)
{
	const char *name = named_hook(h, compiler);
	const struct pass_info *info;

	if (!name) {
		name = arena_printf(h->cx->scratch, "%s-relay-to-tir",
				    compiler);
		info = pass_find(name, strlen(name));
		if (!info)
			pass_remark_missed(h->cx, loc,
					   "compiler '%s' has no pass",
					   compiler);
		return info;
	}
	info = pass_find(name, strlen(name));
	if (!info)
		pass_error(h->cx, loc, "compiler '%s': unknown pass '%s'",
			   compiler, name);
	return info;
}

static void
run_on_functions(pass_ctx *inner, struct hooks *h, const char *compiler)
{
	ir_module *m = inner->module;

	for (size_t i = 0; i < m->defs.len && !inner->failed; i++) {
		ir_def *def = m->defs.at[i];
		const struct ir_function *fn = def->fn;

		if (def->kind != DEF_FUNCTION || !fn->body ||
		    !is_compiler_function(fn, compiler))
			continue;
		def->fn = inner->info->run_function(inner, def, fn);
		h->changed |= def->fn != fn;
	}
}

static void
run_hook(struct hooks *h, const struct pass_info *info, const char *compiler)
{
	pass_ctx inner = pass_part(h->cx, info, NULL);

	if ((info->needs & PASS_NEEDS_TYPES) && h->changed &&
	    !ir_infer_module(inner.module, inner.diag)) {
		h->cx->failed = true;
		return;
	}
	if (info->kind == PASS_FUNCTION)
		run_on_functions(&inner, h, compiler);
	else if (info != h->cx->info)
		h->changed |= info->run_module(&inner);
	pass_part_end(h->cx, &inner);
	if (h->changed)
		inner.module->types_valid = false;
}

static bool
is_new(struct hooks *h, const char *compiler)
{
	for (size_t i = 0; i < h->done.len; i++)
		if (strcmp(h->done.at[i], compiler) == 0)
			return false;
	vec_push(&h->done, compiler);
	return true;
}

bool
pass_relay_to_tir_target_hook(pass_ctx *cx)
{
	ir_module *m = cx->module;
	struct hooks h = {.cx = cx};
	ir_def **sorted = ir_module_sorted(m);
	size_t n = m->defs.len;
	const char **compilers = ARENA_NEW_ARRAY(cx->scratch, n, const char *);
	struct loc *places = ARENA_NEW_ARRAY(cx->scratch, n, struct loc);

	for (size_t i = 0; i < n; i++) {
		places[i] = sorted[i]->loc;
		if (sorted[i]->kind == DEF_FUNCTION)
			compilers[i] = ir_dict_string(sorted[i]->fn->attrs,
						      "Compiler");
	}
	free(sorted);
	for (size_t i = 0; i < n && !cx->failed; i++) {
		const struct pass_info *info;

		if (!compilers[i] || !is_new(&h, compilers[i]))
			continue;
		info = find_hook(&h, compilers[i], places[i]);
		if (info)
			run_hook(&h, info, compilers[i]);
	}
	vec_free(&h.done);
	return h.changed;
}
