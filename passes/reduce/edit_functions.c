/*
 * Edits of what a module and its functions consist of.
 */
#include <string.h>

#include "ir/walk.h"
#include "passes/reduce/reduce.h"

enum { MOST_PARTS = 64 };

bool
reduce_site(struct reduce_edit *x)
{
	size_t i = x->next++;
	bool hit = i >= x->from && i < x->to;

	x->changed |= hit;
	return hit;
}

static bool
is_function(const ir_def *def)
{
	return def->kind == DEF_FUNCTION && def->fn && def->fn->body;
}

void
reduce_drop_functions(struct reduce_edit *x)
{
	ir_module *m = x->m;

	for (size_t i = m->defs.len; i-- > 0 && m->defs.len > 1;)
		if (reduce_site(x))
			ir_module_remove(m, m->defs.at[i]);
}

void
reduce_drop_types(struct reduce_edit *x)
{
	ir_module *m = x->m;
	size_t to = 0;

	for (size_t i = 0; i < m->types.len; i++)
		if (!reduce_site(x))
			m->types.at[to++] = m->types.at[i];
	m->types.len = to;
}

/* Does E use no variable but the parameters of FN? */
static bool
is_closed_in(const struct ir_function *fn, const ir_expr *e)
{
	ir_expr_vec free_vars = {0};
	bool ok = true;

	ir_free_vars(e, &free_vars);
	for (size_t i = 0; i < free_vars.len && ok; i++) {
		ok = false;
		for (uint32_t k = 0; k < fn->nparams && !ok; k++)
			ok = &fn->params[k]->base == free_vars.at[i];
	}
	vec_free(&free_vars);
	return ok;
}

static bool
is_value(const ir_expr *e)
{
	return e->kind != IR_OP && e->kind != IR_GLOBAL && e->kind != IR_CTOR;
}

/*
 * A node of the body takes its place: of many nodes some are tried, later
 * ones first, as they are what is nearest to the whole.
 */
void
reduce_take_part(struct reduce_edit *x)
{
	for (size_t i = 0; i < x->m->defs.len; i++) {
		ir_def *def = x->m->defs.at[i];
		ir_expr_vec nodes = {0};
		const ir_expr *part = NULL;
		size_t step;

		if (!is_function(def))
			continue;
		ir_postorder(def->fn->body, &nodes);
		step = nodes.len / MOST_PARTS + 1;
		for (size_t k = 0; k + 1 < nodes.len; k += step)
			if (is_value(nodes.at[k]) && reduce_site(x) && !part)
				part = nodes.at[k];
		if (part && is_closed_in(def->fn, part))
			def->fn = ir_function_giving(x->m, def->fn, part);
		vec_free(&nodes);
	}
}

/* What a body ends in, behind its lets. */
static const ir_expr *
result_of(const ir_expr *body)
{
	while (body->kind == IR_LET)
		body = ir_as_let(body)->body;
	return body;
}

/* BODY with RESULT in place of what it ends in. */
static const ir_expr *
with_result(ir_module *m, const ir_expr *body, const ir_expr *result)
{
	ir_expr_vec lets = {0};

	for (; body->kind == IR_LET; body = ir_as_let(body)->body)
		vec_push(&lets, body);
	while (lets.len > 0) {
		const struct ir_let *let = ir_as_let(vec_pop(&lets));

		result = ir_new_let(m, let->base.loc, let->var, let->value,
				    result);
	}
	vec_free(&lets);
	return result;
}

/* DEF gives FIELDS of its tuple, or the one that is left. */
static void
give_fields(ir_module *m, ir_def *def, struct loc loc,
	    const ir_expr_vec *fields)
{
	const ir_expr *result = fields->len == 1
					? fields->at[0]
					: ir_new_tuple(m, loc, fields->at,
						       (uint32_t)fields->len);

	def->fn = ir_function_giving(m, def->fn,
				     with_result(m, def->fn->body, result));
}

void
reduce_drop_outputs(struct reduce_edit *x)
{
	for (size_t i = 0; i < x->m->defs.len; i++) {
		ir_def *def = x->m->defs.at[i];
		const struct ir_tuple *tuple;
		ir_expr_vec kept = {0};
		const ir_expr *result;

		if (!is_function(def))
			continue;
		result = result_of(def->fn->body);
		if (result->kind != IR_TUPLE)
			continue;
		tuple = ir_as_tuple(result);
		for (uint32_t k = 0; k < tuple->nfields; k++)
			if (!reduce_site(x))
				vec_push(&kept, tuple->fields[k]);
		if (kept.len > 0 && kept.len < tuple->nfields)
			give_fields(x->m, def, result->loc, &kept);
		vec_free(&kept);
	}
}

/* ---------------------------------------------------------- parameters -- */

static void
note_global(const ir_expr *e, void *env)
{
	if (e->kind == IR_GLOBAL)
		ir_set_add(env, e);
}

/* The functions that some function mentions. */
static void
find_mentioned(const ir_module *m, struct ir_set *out)
{
	for (size_t i = 0; i < m->defs.len; i++)
		if (m->defs.at[i]->fn)
			ir_walk(&m->defs.at[i]->fn->base, NULL, note_global,
				out);
}

typedef VEC(const struct ir_var *) var_vec;

struct cutter {
	struct reduce_edit *x;
	const ir_expr *root;
	var_vec params;
};

/* Values of a closed type may come from outside instead. */
static const ir_expr *
cut_node(const ir_expr *e, const ir_expr *old, void *env)
{
	struct cutter *c = env;
	const ir_expr *var;

	if (!old->type || old->type->flags & (TYPE_HAS_VAR | TYPE_HAS_HOLE))
		return e;
	if (!reduce_site(c->x))
		return e;
	var = ir_new_var(c->x->m, old->loc, ir_name(c->x->m->cx, "c"),
			 old->type);
	vec_push(&c->params, ir_as_var(var));
	return var;
}

static bool
enter_unless_primitive(const ir_expr *e, void *env)
{
	(void)env;
	return !ir_is_primitive(e);
}

static const struct ir_rules cut_rules = {
	.on = {[IR_CALL] = cut_node,
	       [IR_CONSTANT] = cut_node,
	       [IR_PROJ] = cut_node,
	       [IR_TUPLE] = cut_node,
	       [IR_IF] = cut_node,
	       [IR_LET] = cut_node,
	       [IR_MATCH] = cut_node,
	       [IR_REF_NEW] = cut_node,
	       [IR_REF_READ] = cut_node},
	.enter = enter_unless_primitive,
};

static void
cut_function(struct reduce_edit *x, ir_def *def)
{
	struct ir_function_parts parts = ir_function_parts(def->fn);
	struct cutter c = {.x = x};

	parts.body = ir_rewrite(x->m, def->fn->body, &cut_rules, &c);
	if (c.params.len > 0) {
		var_vec all = {0};

		for (uint32_t i = 0; i < def->fn->nparams; i++)
			vec_push(&all, def->fn->params[i]);
		for (size_t i = 0; i < c.params.len; i++)
			vec_push(&all, c.params.at[i]);
		parts.params = all.at;
		parts.nparams = (uint32_t)all.len;
		def->fn = ir_as_function(
			ir_new_function(x->m, def->fn->base.loc, &parts));
		vec_free(&all);
	}
	vec_free(&c.params);
}

void
reduce_cut(struct reduce_edit *x)
{
	struct ir_set mentioned = {0};

	find_mentioned(x->m, &mentioned);
	for (size_t i = 0; i < x->m->defs.len; i++)
		if (is_function(x->m->defs.at[i]) &&
		    !ir_set_has(&mentioned, &x->m->defs.at[i]->global->base))
			cut_function(x, x->m->defs.at[i]);
	ir_set_free(&mentioned);
}

static void
note_var(const ir_expr *e, void *env)
{
	if (e->kind == IR_VAR)
		ir_set_add(env, e);
}

/* Parameters that nothing reads, of functions that nothing calls. */
static void
drop_unused(struct reduce_edit *x, ir_def *def)
{
	struct ir_function_parts parts = ir_function_parts(def->fn);
	struct ir_set used = {0};
	var_vec kept = {0};

	ir_walk(def->fn->body, NULL, note_var, &used);
	for (uint32_t i = 0; i < parts.nparams; i++)
		if (ir_set_has(&used, &parts.params[i]->base) ||
		    !reduce_site(x))
			vec_push(&kept, parts.params[i]);
	if (kept.len < parts.nparams) {
		parts.params = kept.at;
		parts.nparams = (uint32_t)kept.len;
		def->fn = ir_as_function(
			ir_new_function(x->m, def->fn->base.loc, &parts));
	}
	vec_free(&kept);
	ir_set_free(&used);
}

void
reduce_drop_params(struct reduce_edit *x)
{
	struct ir_set mentioned = {0};

	find_mentioned(x->m, &mentioned);
	for (size_t i = 0; i < x->m->defs.len; i++)
		if (is_function(x->m->defs.at[i]) &&
		    !ir_set_has(&mentioned, &x->m->defs.at[i]->global->base))
			drop_unused(x, x->m->defs.at[i]);
	ir_set_free(&mentioned);
}
