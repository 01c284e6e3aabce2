/*
 * outline-compiler-functions: make literals of external compilers definitions.
 *
 *     %0 = fn (%p, Compiler="ext", global_symbol="ext_0") { .. }; %0(%x)
 *                                                    becomes    @ext_0(%x)
 *
 * The name is the literal's global_symbol, which it must have; literals that
 * name the same one must be equal and share the definition. One that captures
 * a variable stays.
 *
 * Level: module. Needs: types. Keeps: types.
 */
#include "passes/byoc/compiler_functions.h"

#include <string.h>

#include "ir/equal.h"

bool
is_compiler_function(const struct ir_function *f, const char *filter)
{
	const char *compiler = ir_dict_string(f->attrs, "Compiler");

	return compiler && (!*filter || strcmp(compiler, filter) == 0);
}

struct outliner {
	pass_ctx *cx;
	const char *filter;
	bool changed;
};

static bool
is_closed(struct outliner *o, const ir_expr *e)
{
	ir_expr_vec vars = {0};
	bool closed;

	if (e->type && e->type->flags & TYPE_HAS_VAR &&
	    !ir_as_function(e)->ntype_params) {
		pass_remark_missed(o->cx, e->loc,
				   "not outlined: its types depend on the "
				   "function around it");
		return false;
	}
	ir_free_vars(e, &vars);
	closed = vars.len == 0;
	if (!closed)
		pass_remark_missed(o->cx, e->loc,
				   "not outlined: it captures '%%%s'",
				   ir_as_var(vars.at[0])->name);
	vec_free(&vars);
	return closed;
}

static const ir_expr *
outline(const ir_expr *e, const ir_expr *old, void *env)
{
	static const struct ir_equal_options exact = {0};
	struct outliner *o = env;
	ir_module *m = o->cx->module;
	const struct ir_function *f = ir_as_function(e);
	const char *name;
	ir_def *def;

	(void)old;
	if (!is_compiler_function(f, o->filter) || o->cx->failed ||
	    !is_closed(o, e))
		return e;
	name = ir_dict_string(f->attrs, "global_symbol");
	if (!name) {
		pass_error(o->cx, e->loc,
			   "a function of the compiler '%s' has no "
			   "global_symbol",
			   ir_dict_string(f->attrs, "Compiler"));
		return e;
	}
	name = ir_name(m->cx, name);
	def = ir_module_find(m, name);
	if (!def) {
		def = ir_module_add_function(m, name, e, e->loc);
	} else if (def->kind != DEF_FUNCTION ||
		   !ir_equal(m->cx, &def->fn->base, e, &exact, NULL)) {
		pass_error(o->cx, e->loc,
			   "'@%s' is defined already, as something else", name);
		return e;
	}
	o->changed = true;
	ir_set_type(&def->global->base, e->type);
	return &def->global->base;
}

static const struct ir_rules rules = {.on = {[IR_FUNCTION] = outline}};

bool
pass_outline_compiler_functions(pass_ctx *cx)
{
	ir_module *m = cx->module;
	struct outliner o = {.cx = cx,
			     .filter = pass_option(cx, "compiler-filter")};
	size_t n = m->defs.len;
	const struct ir_function **done =
		ARENA_NEW_ARRAY(cx->scratch, n, const struct ir_function *);

	for (size_t i = 0; i < n; i++) {
		const ir_def *def = m->defs.at[i];

		done[i] = def->fn;
		if (def->kind == DEF_FUNCTION && def->fn->body &&
		    !ir_dict_get(def->fn->attrs, "Compiler"))
			done[i] = ir_function_with_body(
				m, def->fn,
				ir_rewrite(m, def->fn->body, &rules, &o));
	}
	while (cx->failed && m->defs.len > n)
		ir_module_remove(m, m->defs.at[m->defs.len - 1]);
	for (size_t i = 0; i < n && !cx->failed; i++)
		m->defs.at[i]->fn = done[i];
	cx->keeps_types = true;
	return o.changed && !cx->failed;
}
