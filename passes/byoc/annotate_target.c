/*
 * annotate-target: mark what external compilers take.
 *
 *     %0 = nn.relu(%x); exp(%0)          becomes, where "ext" takes nn.relu,
 *
 *     %0 = annotation.compiler_begin(%x, compiler="ext");
 *     %1 = nn.relu(%0);
 *     %2 = annotation.compiler_end(%1, compiler="ext");
 *     %3 = annotation.compiler_begin(%2, compiler="default");
 *     %4 = exp(%3);
 *     annotation.compiler_end(%4, compiler="default")
 *
 * The first target of the list that supports a call gets it; what nobody takes
 * is of the compiler "default". Tuples, projections and references go where
 * all that they hold comes from, and calls of variables are of "default"
 * (include-non-call-ops). Values of lets, branches and bodies end regions. What
 * has an annotation other than default keeps it, so targets may be added one
 * after the other.
 *
 * Level: function. Needs: types.
 */
#include <string.h>

#include "passes/byoc/regions.h"
#include "passes/byoc/support.h"

struct tables {
	struct source source;
	struct support support;
	VEC(const char *) targets; /* interned */
	bool ok;
};

struct annotator {
	pass_ctx *cx;
	ir_module *m;
	const struct tables *tables;
	const char *fallback; /* "default", interned */
	bool non_calls;
	struct ir_map target_of; /* new node -> compiler */
};

static const ir_expr *
annotate(struct annotator *a, const ir_expr *e, enum op_id op,
	 const char *target)
{
	ir_context *cx = a->m->cx;
	const ir_attrs *attrs =
		ir_attrs_defaults(cx, attrs_schema(ATTRS_Compiler));
	const ir_expr *call;

	attrs = ir_attrs_with(cx, attrs, "compiler", ATTR_STR(target));
	call = ir_new_op_call(a->m, e->loc, op, &e, 1, attrs);
	ir_set_type(call, e->type);
	return call;
}

static bool
is_input_like(const ir_expr *e)
{
	return e->kind == IR_CALL && ir_as_call(e)->nargs == 0;
}

/* E, closed if it belongs to a compiler. */
static const ir_expr *
end_region(struct annotator *a, const ir_expr *e)
{
	const char *target = ir_map_get(&a->target_of, e);

	if (!target || is_input_like(e))
		return e;
	return annotate(a, e, OP_annotation_compiler_end, target);
}

/*
 * The operand E, ended, and to be begun again; *TARGET is where it comes from.
 * NULL: it has a beginning that stays.
 */
static const ir_expr *
end_operand(struct annotator *a, const ir_expr *e, const char **target)
{
	const char *known = ir_map_get(&a->target_of, e);
	const ir_expr *inner;

	*target = known ? known : a->fallback;
	if (!is_compiler_begin(e))
		return end_region(a, e);
	inner = ir_as_call(e)->args[0];
	if (is_compiler_end(inner))
		*target = annotated_compiler(inner);
	return annotated_compiler(e) == a->fallback ? inner : NULL;
}

/*
 * NOW, N operands, between annotations of TARGET, or, if that is NULL, of the
 * compiler that all of them come from. The compiler; NULL without operands.
 */
static const char *
annotate_operands(struct annotator *a, const ir_expr **now, uint32_t n,
		  const char *target)
{
	const ir_expr **ends =
		ARENA_NEW_ARRAY(a->cx->scratch, n, const ir_expr *);
	const char *common = NULL;

	for (uint32_t i = 0; i < n; i++) {
		const char *from;

		ends[i] = end_operand(a, now[i], &from);
		if (!common)
			common = from;
		else if (common != from)
			common = a->fallback;
	}
	if (!target)
		target = common;
	for (uint32_t i = 0; i < n; i++)
		if (ends[i])
			now[i] = annotate(a, ends[i],
					  OP_annotation_compiler_begin, target);
	return target;
}

/* E with its N operands from the one numbered FIRST on annotated. */
static const ir_expr *
annotated(struct annotator *a, const ir_expr *e, uint32_t first,
	  const char *target)
{
	uint32_t n = ir_num_operands(e);
	const ir_expr **now =
		ARENA_NEW_ARRAY(a->cx->scratch, n, const ir_expr *);
	const ir_expr *to;

	for (uint32_t i = 0; i < n; i++)
		now[i] = ir_operand(e, i);
	target = annotate_operands(a, now + first, n - first, target);
	if (!target)
		return e;
	to = ir_with_operands(a->m, e, now, true);
	ir_map_put(&a->target_of, to, target);
	return to;
}

/* The compiler for the call OLD, or the fallback. */
static const char *
choose(struct annotator *a, const ir_expr *old)
{
	for (size_t i = 0; i < a->tables->targets.len; i++)
		if (support_has(&a->tables->support, a->tables->targets.at[i],
				old))
			return a->tables->targets.at[i];
	return a->fallback;
}

static const ir_expr *
annotate_end(struct annotator *a, const ir_expr *e)
{
	const ir_expr *inner = ir_as_call(e)->args[0];
	const char *target = ir_map_get(&a->target_of, inner);

	if (!target) {
		target = annotated_compiler(e);
		ir_map_put(&a->target_of, inner, target);
	}
	return annotate(a, inner, OP_annotation_compiler_end, target);
}

/* Without include-non-call-ops, what is no operator just ends regions. */
static const ir_expr *
end_operands(const ir_expr *e, const ir_expr *old, void *env)
{
	struct annotator *a = env;
	uint32_t n = ir_num_operands(e);
	const ir_expr **now =
		ARENA_NEW_ARRAY(a->cx->scratch, n, const ir_expr *);

	(void)old;
	for (uint32_t i = 0; i < n; i++)
		now[i] = end_region(a, ir_operand(e, i));
	return ir_with_operands(a->m, e, now, true);
}

static const ir_expr *
annotate_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct annotator *a = env;
	const struct ir_call *c = ir_as_call(old);
	const char *target;
	const ir_expr *to;

	if (is_compiler_begin(old))
		return e;
	if (is_compiler_end(old))
		return annotate_end(a, e);
	if (c->nargs && is_compiler_begin(c->args[0]) &&
	    annotated_compiler(c->args[0]) != a->fallback)
		return e;
	if (c->callee->kind == IR_VAR && !a->non_calls)
		return end_operands(e, old, a);
	target = choose(a, old);
	pass_count(a->cx, target, 1);
	to = annotated(a, e, 1, target);
	ir_map_put(&a->target_of, to, target);
	return to;
}

static const ir_expr *
annotate_data(const ir_expr *e, const ir_expr *old, void *env)
{
	struct annotator *a = env;

	return a->non_calls ? annotated(a, e, 0, NULL)
			    : end_operands(e, old, env);
}

static bool
enter(const ir_expr *e, void *env)
{
	(void)env;
	return e->kind != IR_FUNCTION ||
	       (!ir_is_primitive(e) &&
		!ir_dict_get(ir_as_function(e)->attrs, "Composite"));
}

static const struct ir_rules rules = {
	.on =
		{
			[IR_CALL] = annotate_call,
			[IR_TUPLE] = annotate_data,
			[IR_PROJ] = annotate_data,
			[IR_REF_NEW] = annotate_data,
			[IR_REF_READ] = annotate_data,
			[IR_REF_WRITE] = annotate_data,
			[IR_LET] = end_operands,
			[IR_IF] = end_operands,
			[IR_MATCH] = end_operands,
			[IR_FUNCTION] = end_operands,
		},
	.enter = enter,
};

static void
free_tables(void *p)
{
	struct tables *t = p;

	support_free(&t->support);
	source_free(&t->source);
	vec_free(&t->targets);
	free(t);
}

static void
read_support(pass_ctx *cx, struct tables *t, const char *path)
{
	struct diag d = *cx->diag;
	const char *reason;

	if (!source_open(&t->source, path, &reason)) {
		pass_error(cx, LOC_NONE, "cannot read '%s': %s", path, reason);
		t->ok = false;
		return;
	}
	d.source = &t->source;
	d.span_of = NULL;
	t->ok = support_read(&t->support, cx->module->cx, &t->source, &d);
	cx->failed |= !t->ok;
	cx->diag->errors = d.errors;
	cx->diag->warnings = d.warnings;
	cx->diag->stopped = d.stopped;
}

static const struct tables *
read_tables(pass_ctx *cx)
{
	struct tables *t = xcalloc(1, sizeof(*t));
	const char *at = pass_option(cx, "targets");
	const char *path = pass_option(cx, "support");

	cx->state = t;
	cx->free_state = free_tables;
	t->ok = true;
	while (*at) {
		size_t len = strcspn(at, ",");

		if (len)
			vec_push(&t->targets,
				 ir_name_n(cx->module->cx, at, len));
		at += len + (at[len] == ',');
	}
	if (t->targets.len == 0) {
		pass_error(cx, LOC_NONE,
			   "option 'targets' must name a compiler");
		t->ok = false;
	} else if (*path) {
		read_support(cx, t, path);
	}
	return t;
}

const struct ir_function *
pass_annotate_target(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	const struct tables *t = cx->state ? cx->state : read_tables(cx);
	struct annotator a = {
		.cx = cx,
		.m = cx->module,
		.tables = t,
		.fallback = ir_name(cx->module->cx, "default"),
		.non_calls = pass_option_bool(cx, "include-non-call-ops"),
	};
	const ir_expr *out;

	(void)def;
	if (!t->ok || !fn->body || !enter(&fn->base, NULL))
		return fn;
	out = ir_rewrite(cx->module, &fn->base, &rules, &a);
	ir_map_free(&a.target_of);
	return ir_as_function(out);
}
