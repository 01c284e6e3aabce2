/*
 * lower-te: primitive functions become tensor expressions and schedules.
 *
 *     def @fused_exp(%p0: Tensor[(4), float32], Primitive=1) { exp(%p0) }
 *
 * becomes
 *
 *     te @fused_exp(%p0: Tensor[(4), float32]) { ... }
 *     schedule @fused_exp for "llvm" { ... }
 *
 * and main, whose literals are outlined first, calls it as before. te-build
 * is the first half alone, te-schedule the second; both can be repeated.
 *
 * Level: module. Needs: types.
 */
#include "passes/lower_te.h"

#include <stdlib.h>
#include <string.h>

#include "ir/print.h"
#include "passes/outline.h"
#include "te/build.h"
#include "te/schedule.h"

/* What the calls of one definition pass for its parameters. */
struct callers {
	const ir_expr **bound; /* by parameter; NULL: varies */
	bool *constant;        /* always some constant */
	bool called;
};

struct build_all {
	pass_ctx *cx;
	struct ir_map callers; /* global -> struct callers */
	struct ir_map extra;   /* global -> ir_expr_vec */
	bool keep_text;        /* of the functions, with the kernels */
};

static void
note_call(struct build_all *b, const struct ir_call *call)
{
	const struct ir_global *g = ir_as_global(call->callee);
	struct callers *c = ir_map_get(&b->callers, call->callee);
	uint32_t n = call->nargs;

	if (!g->def || !is_own_primitive(g->def) || g->def->fn->nparams != n)
		return;
	if (!c) {
		c = ARENA_NEW(b->cx->scratch, struct callers);
		c->bound = ARENA_NEW_ARRAY(b->cx->scratch, n, const ir_expr *);
		c->constant = ARENA_NEW_ARRAY(b->cx->scratch, n, bool);
		ir_map_put(&b->callers, call->callee, c);
	}
	for (uint32_t i = 0; i < n; i++) {
		const ir_expr *a = call->args[i];
		bool k = a->kind == IR_CONSTANT;

		c->constant[i] = k && (c->constant[i] || !c->called);
		if (!c->called)
			c->bound[i] = k ? a : NULL;
		else if (c->bound[i] != a)
			c->bound[i] = NULL;
	}
	c->called = true;
}

static void
note_calls(struct build_all *b, const ir_expr *root)
{
	ir_expr_vec nodes = {0};

	ir_postorder(root, &nodes);
	for (size_t i = 0; i < nodes.len; i++)
		if (nodes.at[i]->kind == IR_CALL &&
		    ir_as_call(nodes.at[i])->callee->kind == IR_GLOBAL)
			note_call(b, ir_as_call(nodes.at[i]));
	vec_free(&nodes);
}

/*
 * FN as text, for comments in code that people read: an attribute, because
 * that code may be made from this text of ours.
 */
static void
keep_text(struct build_all *b, te_func *f, const struct ir_function *fn)
{
	struct print_options o = {.types = PRINT_TYPES_NONE,
				  .no_header = true,
				  .meta = PRINT_META_OMIT};
	ir_context *cx = b->cx->module->cx;
	struct ir_function plain = *fn;
	struct buf text = {0}, all = {0};

	plain.attrs = NULL;
	ir_print_expr(&text, b->cx->module, &plain.base, &o);
	buf_putc(&text, '\0');
	buf_printf(&all, "def @%s%s", f->name, text.at + strcspn(text.at, "("));
	f->attrs = ir_dict_with(cx, f->attrs, ir_name(cx, "relay.text"),
				ATTR_STR(ir_name(cx, all.at)));
	buf_free(&text);
	buf_free(&all);
}

static bool
build_one(struct build_all *b, ir_def *def)
{
	ir_module *m = b->cx->module;
	const struct callers *c = ir_map_get(&b->callers, &def->global->base);
	ir_expr_vec extra = {0};
	struct te_build_request r = {
		.name = def->name,
		.fn = def->fn,
		.bound = c ? c->bound : NULL,
		.constant = c ? c->constant : NULL,
	};
	te_func *f = te_build(m, &r, &extra, b->cx->diag);

	if (f) {
		if (b->keep_text)
			keep_text(b, f, def->fn);
		def->kind = DEF_TE;
		def->te = f;
		def->fn = NULL;
		ir_set_type(&def->global->base, te_func_type(m->cx, f));
	} else {
		b->cx->failed = true;
	}
	if (extra.len) {
		ir_expr_vec *kept = ARENA_NEW(b->cx->scratch, ir_expr_vec);

		kept->at = arena_copy(b->cx->scratch, extra.at,
				      extra.len * sizeof(*extra.at));
		kept->len = extra.len;
		ir_map_put(&b->extra, &def->global->base, kept);
	}
	vec_free(&extra);
	return f != NULL;
}

/* A call of a kernel that took tensor constants out of its body. */
static const ir_expr *
pass_extra(const ir_expr *e, const ir_expr *old, void *env)
{
	struct build_all *b = env;
	const struct ir_call *call = ir_as_call(e);
	const ir_expr_vec *extra = ir_map_get(&b->extra, call->callee);
	const ir_expr **args;
	const ir_expr *out;

	if (!extra)
		return e;
	args = ARENA_NEW_ARRAY(b->cx->scratch, call->nargs + extra->len,
			       const ir_expr *);
	memcpy(args, call->args, call->nargs * sizeof(*args));
	memcpy(args + call->nargs, extra->at, extra->len * sizeof(*args));
	out = ir_new_call(b->cx->module, e->loc, call->callee, args,
			  call->nargs + (uint32_t)extra->len, call->attrs);
	ir_set_type(out, old->type);
	return out;
}

static const struct ir_rules extra_rules = {.on = {[IR_CALL] = pass_extra}};

static bool
is_caller(const ir_def *def)
{
	return def->kind == DEF_FUNCTION && def->fn && def->fn->body &&
	       !is_own_primitive(def);
}

bool
lower_build(pass_ctx *cx, const char *prefix, bool keep_text, bool *changed)
{
	struct outline_options o = {prefix, true};
	struct build_all b = {.cx = cx, .keep_text = keep_text};
	ir_module *m = cx->module;
	ir_def **defs;
	size_t n;
	bool ok = true;

	*changed = outline_primitives(cx, &o);
	defs = ir_module_sorted(m);
	n = m->defs.len;
	for (size_t i = 0; i < n; i++)
		if (is_caller(defs[i]))
			note_calls(&b, defs[i]->fn->body);
	for (size_t i = 0; i < n; i++) {
		if (!is_own_primitive(defs[i]))
			continue;
		ok = build_one(&b, defs[i]) && ok;
		*changed = true;
	}
	for (size_t i = 0; ok && b.extra.used && i < n; i++)
		if (is_caller(defs[i]))
			defs[i]->fn = ir_function_with_body(
				m, defs[i]->fn,
				ir_rewrite(m, defs[i]->fn->body, &extra_rules,
					   &b));
	free(defs);
	ir_map_free(&b.callers);
	ir_map_free(&b.extra);
	return ok;
}

bool
lower_schedule(pass_ctx *cx, const char *text)
{
	ir_module *m = cx->module;
	struct te_target target = te_target_parse(text);
	bool changed = false;

	for (size_t i = 0; i < m->defs.len; i++) {
		ir_def *def = m->defs.at[i];

		if (def->kind != DEF_TE || !def->te || def->schedule)
			continue;
		def->schedule = te_default_schedule(m, def->te, &target);
		changed = true;
	}
	return changed;
}

const char *
lower_target(pass_ctx *cx)
{
	const char *s = pass_option(cx, "target");

	if (!s || !*s)
		s = pass_config(cx, "te.target");
	return s && *s ? s : pass_target(cx);
}

bool
pass_lower_te(pass_ctx *cx)
{
	const char *target = lower_target(cx);
	bool changed, bang = target && !strncmp(target, "bang", 4);

	if (!lower_build(cx, pass_option(cx, "module-name"), bang, &changed))
		return false;
	return lower_schedule(cx, target) || changed;
}
