/*
 * de-duplicate: give every binder a variable of its own.
 *
 * Each function becomes a copy of itself in which all bound variables, those
 * of patterns and type parameters are new. What passes that put one body in
 * several places leave is well-formed again.
 *
 * Level: function.
 */
#include "ir/copy.h"
#include "passes/pass.h"
#include "support/ptrmap.h"

struct renamer {
	ir_context *cx;
	struct ptrmap params; /* type parameter -> new one */
};

static void
rename_params(const ir_expr *e, void *env)
{
	struct renamer *r = env;
	const struct ir_function *f;

	if (e->kind != IR_FUNCTION)
		return;
	f = ir_as_function(e);
	for (uint32_t i = 0; i < f->ntype_params; i++) {
		const ir_type *t = f->type_params[i];

		if (!ptrmap_get(&r->params, t))
			ptrmap_put(&r->params, t,
				   ir_type_new_var(r->cx,
						   ir_as_type_var(t)->name));
	}
}

static const ir_type *
renamed(const ir_type *t, void *env)
{
	struct renamer *r = env;
	const ir_type *to = ptrmap_get(&r->params, t);

	return to ? to : t;
}

const struct ir_function *
pass_de_duplicate(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct renamer r = {.cx = cx->module->cx};
	struct ir_copy_options options = {.map_type = renamed, .env = &r};
	const ir_expr *copy;

	(void)def;
	ir_walk(&fn->base, NULL, rename_params, &r);
	copy = ir_copy(cx->module, &fn->base, &options);
	ptrmap_free(&r.params);
	return ir_as_function(copy);
}
