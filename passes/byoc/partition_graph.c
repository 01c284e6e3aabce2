/*
 * partition-graph: make each region for an external compiler a function.
 *
 *     %0 = annotation.compiler_begin(%x, compiler="dnnl");
 *     %1 = nn.relu(%0);
 *     %2 = annotation.compiler_end(%1, compiler="dnnl");
 *     exp(%2)
 *                                   becomes
 *     %0 = @tvmgen_default_dnnl_main_0(%x);
 *     exp(%0)
 *
 * with a definition marked Compiler="dnnl" that holds the region. Different
 * inputs become parameters; constants are bound inside, unless bind-constants
 * says no. A region with several results, or with one that is a tuple, returns
 * a tuple of them. Annotations for the compiler "default" mean nothing and go.
 *
 * Level: module. Needs: types. Keeps: types.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "passes/byoc/regions.h"

/* What a region becomes. */
struct part {
	VEC(const ir_expr *) inputs; /* what is outside, each once */
	VEC(const struct ir_var *) params;
	ir_expr_vec results;    /* nodes inside, each once */
	const ir_expr *call;    /* in the function around it */
	const ir_expr **fields; /* of what that returns */
};

struct partition {
	pass_ctx *cx;
	ir_module *m;
	const char *function; /* that is being cut */
	bool bind_constants;
	struct regions regions;
	struct part *parts;      /* by region */
	struct ir_map param_of;  /* compiler_begin -> what is inside */
	struct ir_map result_of; /* node -> index + 1 of the result */
};

/* A region that ends in a tuple has the fields as results. */
static const ir_expr *
end_fields(ir_module *m, const ir_expr *end, const ir_expr *tuple)
{
	uint32_t n = ir_num_operands(tuple);
	const ir_expr **fields = xcalloc(n, sizeof(*fields));
	const ir_expr *now;

	for (uint32_t i = 0; i < n; i++) {
		fields[i] = ir_operand(tuple, i);
		if (region_is_neutral(fields[i]))
			continue;
		fields[i] =
			ir_new_op_call(m, end->loc, OP_annotation_compiler_end,
				       &fields[i], 1, ir_as_call(end)->attrs);
		ir_set_type(fields[i], ir_operand(tuple, i)->type);
	}
	now = ir_with_operands(m, tuple, fields, true);
	free(fields);
	return now;
}

/* Annotations of "default" go. */
static const ir_expr *
simplify_annotation(const ir_expr *e, const ir_expr *old, void *env)
{
	const ir_expr *x;

	(void)old;
	if (!is_compiler_begin(e) && !is_compiler_end(e))
		return e;
	x = ir_as_call(e)->args[0];
	if (strcmp(annotated_compiler(e), "default") == 0)
		return x;
	return is_compiler_end(e) && x->kind == IR_TUPLE &&
			       !region_is_neutral(x)
		       ? end_fields(env, e, x)
		       : e;
}

static const struct ir_rules annotation_rules = {
	.on = {[IR_CALL] = simplify_annotation},
};

/* A constant, or a tuple of such. */
static bool
is_constant(const ir_expr *e)
{
	if (e->kind != IR_TUPLE)
		return e->kind == IR_CONSTANT;
	for (uint32_t i = 0; i < ir_as_tuple(e)->nfields; i++)
		if (ir_as_tuple(e)->fields[i]->kind != IR_CONSTANT)
			return false;
	return true;
}

/* Parameters for the inputs of R, numbered by annotations. */
static void
plan_inputs(struct partition *p, const struct region *r, struct part *part)
{
	struct ir_map known = {0};
	uint32_t i = 0;

	for (const struct region_link *l = r->ins.first; l; l = l->next, i++) {
		const ir_expr *x = ir_as_call(l->e)->args[0];
		const ir_expr *inside = ir_map_get(&known, x);

		if (!inside && p->bind_constants && is_constant(x)) {
			inside = x;
		} else if (!inside) {
			inside = ir_new_var(p->m, l->e->loc,
					    ir_namef(p->m->cx, "%s_%u_i%u",
						     r->target, r->id, i),
					    x->type);
			vec_push(&part->inputs, x);
			vec_push(&part->params, ir_as_var(inside));
		}
		ir_map_put(&known, x, inside);
		ir_map_put(&p->param_of, l->e, inside);
	}
	ir_map_free(&known);
}

static void
plan_results(struct partition *p, const struct region *r, struct part *part)
{
	for (const struct region_link *l = r->outs.first; l; l = l->next) {
		const ir_expr *x = ir_as_call(l->e)->args[0];

		if (ir_map_get(&p->result_of, x))
			continue;
		vec_push(&part->results, x);
		ir_map_put(&p->result_of, x,
			   (void *)(uintptr_t)part->results.len);
	}
}

static uint32_t
inner_count(const ir_expr *e, void *env)
{
	(void)env;
	return is_compiler_begin(e) || e->kind == IR_FUNCTION
		       ? 0
		       : ir_num_operands(e);
}

static const ir_expr *
inner_operand(const ir_expr *e, uint32_t i, void *env)
{
	(void)env;
	return ir_operand(e, i);
}

static const ir_expr *
inner_finish(const ir_expr *e, const ir_expr *const *now, void *env)
{
	struct partition *p = env;

	if (is_compiler_begin(e))
		return ir_map_get(&p->param_of, e);
	if (e->kind == IR_FUNCTION)
		return e;
	return ir_with_operands(p->m, e, now, true);
}

/* What R computes, in terms of its parameters. */
static const ir_expr *
body_of(struct partition *p, const struct part *part, struct loc loc)
{
	struct region_walk w = {
		.count = inner_count,
		.operand = inner_operand,
		.finish = inner_finish,
		.env = p,
	};
	uint32_t n = (uint32_t)part->results.len;
	const ir_expr **results =
		ARENA_NEW_ARRAY(p->cx->scratch, n, const ir_expr *);
	const ir_type **types =
		ARENA_NEW_ARRAY(p->cx->scratch, n, const ir_type *);
	const ir_expr *body;

	for (uint32_t i = 0; i < n; i++) {
		results[i] = region_rewrite(&w, part->results.at[i]);
		types[i] = part->results.at[i]->type;
	}
	region_walk_free(&w);
	if (n == 1)
		return results[0];
	body = ir_new_tuple(p->m, loc, results, n);
	ir_set_type(body, ir_type_tuple(p->m->cx, types, n));
	return body;
}

static const char *
mangled(struct partition *p, const struct region *r)
{
	const char *mod = pass_option(p->cx, "mod-name");
	char *s = arena_printf(p->cx->scratch, "%s%s%s_%s_%u", mod,
			       *mod ? "_" : "", r->target, p->function, r->id);

	for (char *c = s; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	return ir_module_fresh_name(p->m, ir_namef(p->m->cx, "tvmgen_%s", s));
}

static const ir_dict *
attrs_of(struct partition *p, const struct region *r, const char *name)
{
	ir_context *cx = p->m->cx;
	const struct ir_dict_entry entries[] = {
		{ir_name(cx, "Compiler"), ATTR_STR(r->target)},
		{ir_name(cx, "Primitive"), ATTR_INT32(1)},
		{ir_name(cx, "Inline"), ATTR_INT32(1)},
		{ir_name(cx, "global_symbol"), ATTR_STR(name)},
	};

	return ir_dict_new(cx, entries, 4);
}

/* Define the function that R becomes; the call of it. */
static const ir_expr *
cut_out(struct partition *p, const struct region *r, struct part *part,
	struct loc loc, const ir_expr *const *args)
{
	const char *name = mangled(p, r);
	const ir_expr *body = body_of(p, part, loc);
	struct ir_function_parts parts = {
		.params = part->params.at,
		.nparams = (uint32_t)part->params.len,
		.ret_type = body->type,
		.body = body,
		.attrs = attrs_of(p, r, name),
	};
	const ir_def *def = ir_module_add_function(
		p->m, name, ir_new_function(p->m, loc, &parts), loc);

	pass_count(p->cx, "regions cut out", 1);
	return ir_new_call(p->m, loc, &def->global->base, args,
			   (uint32_t)part->inputs.len, NULL);
}

/* An annotated result needs all that its region takes in. */
static uint32_t
outer_count(const ir_expr *e, void *env)
{
	struct partition *p = env;

	if (!is_compiler_end(e))
		return ir_num_operands(e);
	return (uint32_t)p->parts[region_of(&p->regions, e)->id].inputs.len;
}

static const ir_expr *
outer_operand(const ir_expr *e, uint32_t i, void *env)
{
	struct partition *p = env;

	if (!is_compiler_end(e))
		return ir_operand(e, i);
	return p->parts[region_of(&p->regions, e)->id].inputs.at[i];
}

static const ir_expr *
outer_finish(const ir_expr *e, const ir_expr *const *now, void *env)
{
	struct partition *p = env;
	const struct region *r;
	struct part *part;
	uintptr_t index;

	if (!is_compiler_end(e))
		return ir_with_operands(p->m, e, now, true);
	r = region_of(&p->regions, e);
	part = &p->parts[r->id];
	if (!part->call)
		part->call = cut_out(p, r, part, e->loc, now);
	if (part->results.len == 1)
		return part->call;
	index = (uintptr_t)ir_map_get(&p->result_of, ir_as_call(e)->args[0]) -
		1;
	if (!part->fields)
		part->fields = ARENA_NEW_ARRAY(
			p->cx->scratch, part->results.len, const ir_expr *);
	if (!part->fields[index])
		part->fields[index] =
			ir_new_proj(p->m, e->loc, part->call, (uint32_t)index);
	return part->fields[index];
}

static const ir_expr *
cut_regions(struct partition *p, const ir_expr *root)
{
	struct region_walk w = {
		.count = outer_count,
		.operand = outer_operand,
		.finish = outer_finish,
		.env = p,
	};
	size_t n = p->regions.all.len;
	const ir_expr *out;

	p->parts = ARENA_NEW_ARRAY(p->cx->scratch, n + 1, struct part);
	for (size_t i = 0; i < n; i++) {
		struct region *r = &p->regions.all.at[i];

		if (r->parent != r->id)
			continue;
		plan_inputs(p, r, &p->parts[i]);
		plan_results(p, r, &p->parts[i]);
	}
	out = region_rewrite(&w, root);
	if (!out)
		pass_error(p->cx, w.cycle->loc,
			   "a region of a compiler needs its own result");
	region_walk_free(&w);
	for (size_t i = 0; i < n; i++) {
		vec_free(&p->parts[i].inputs);
		vec_free(&p->parts[i].params);
		vec_free(&p->parts[i].results);
	}
	return out;
}

static const struct ir_function *
partition(struct partition *p, const struct ir_function *fn)
{
	const ir_expr *body =
		ir_rewrite(p->m, fn->body, &annotation_rules, p->m);

	if (regions_find(&p->regions, p->cx, body))
		body = cut_regions(p, body);
	regions_free(&p->regions);
	ir_map_free(&p->param_of);
	ir_map_free(&p->result_of);
	return p->cx->failed ? fn : ir_function_with_body(p->m, fn, body);
}

bool
pass_partition_graph(pass_ctx *cx)
{
	ir_module *m = cx->module;
	size_t n = m->defs.len;
	const struct ir_function **done =
		ARENA_NEW_ARRAY(cx->scratch, n, const struct ir_function *);
	bool changed = false;

	for (size_t i = 0; i < n && !cx->failed; i++) {
		const ir_def *def = m->defs.at[i];
		struct partition p = {
			.cx = cx,
			.m = m,
			.function = def->name,
			.bind_constants =
				pass_option_bool(cx, "bind-constants"),
		};

		done[i] = def->fn;
		if (def->kind == DEF_FUNCTION && def->fn->body &&
		    !ir_dict_get(def->fn->attrs, "Compiler"))
			done[i] = partition(&p, def->fn);
	}
	while (cx->failed && m->defs.len > n)
		ir_module_remove(m, m->defs.at[m->defs.len - 1]);
	for (size_t i = 0; i < n && !cx->failed; i++) {
		changed |= m->defs.at[i]->fn != done[i];
		m->defs.at[i]->fn = done[i];
	}
	if (changed) {
		m->types_valid = false;
		cx->keeps_types = ir_infer_module(m, cx->diag);
		cx->failed |= !cx->keeps_types;
	}
	return changed;
}
