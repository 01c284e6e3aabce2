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

/* Of E, if it is a kernel; else NULL. */
static struct callers *
callers_of(struct build_all *b, const ir_expr *e)
{
	const ir_def *def = e->kind == IR_GLOBAL ? ir_as_global(e)->def : NULL;
	struct callers *c;
	uint32_t n;

	if (!def || !is_own_primitive(def))
		return NULL;
	c = ir_map_get(&b->callers, e);
	if (!c) {
		n = def->fn->nparams;
		c = ARENA_NEW(b->cx->scratch, struct callers);
		c->bound = ARENA_NEW_ARRAY(b->cx->scratch, n, const ir_expr *);
		c->constant = ARENA_NEW_ARRAY(b->cx->scratch, n, bool);
		ir_map_put(&b->callers, e, c);
	}
	return c;
}

/* A call by who knows whom, if ARGS is NULL. */
static void
note_use(struct build_all *b, const ir_expr *kernel, const ir_expr *const *args)
{
	struct callers *c = callers_of(b, kernel);
	uint32_t n = c ? ir_as_global(kernel)->def->fn->nparams : 0;

	if (!c)
		return;
	for (uint32_t i = 0; i < n; i++) {
		const ir_expr *a = args ? args[i] : NULL;
		bool k = a && a->kind == IR_CONSTANT;

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
	for (size_t i = 0; i < nodes.len; i++) {
		const ir_expr *e = nodes.at[i];
		bool call = e->kind == IR_CALL;

		if (call)
			note_use(b, ir_as_call(e)->callee, ir_as_call(e)->args);
		for (uint32_t k = call; k < ir_num_operands(e); k++)
			note_use(b, ir_operand(e, k), NULL);
	}
	if (root->kind == IR_GLOBAL)
		note_use(b, root, NULL);
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

/* What F, of unknown sizes, is the end of, for whoever cannot use it. */
static void
keep_operator(struct build_all *b, te_func *f, const ir_expr *body)
{
	ir_context *cx = b->cx->module->cx;
	const ir_op *op = body->kind == IR_CALL ? ir_called_op(body) : NULL;

	if (op && f->nsizes)
		f->attrs = ir_dict_with(cx, f->attrs, ir_name(cx, "relay.op"),
					ATTR_STR(ir_name(cx, op->name)));
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
		if (b->keep_text) {
			keep_text(b, f, def->fn);
			keep_operator(b, f, def->fn->body);
		}
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

/* KERNEL with ARGS and the tensor constants that it took out of its body. */
static const ir_expr *
call_with(struct build_all *b, struct loc loc, const ir_expr *kernel,
	  const ir_expr *const *args, uint32_t n, const ir_expr_vec *extra)
{
	const ir_expr **all = ARENA_NEW_ARRAY(b->cx->scratch, n + extra->len,
					      const ir_expr *);

	if (n)
		memcpy(all, args, n * sizeof(*args));
	memcpy(all + n, extra->at, extra->len * sizeof(*all));
	return ir_new_call(b->cx->module, loc, kernel, all,
			   n + (uint32_t)extra->len, NULL);
}

static const ir_expr *
pass_extra(const ir_expr *e, const ir_expr *old, void *env)
{
	struct build_all *b = env;
	const struct ir_call *call = ir_as_call(e);
	const ir_expr *kernel = ir_as_call(old)->callee;
	const ir_expr_vec *extra = ir_map_get(&b->extra, kernel);
	const ir_expr *out;

	if (!extra)
		return e;
	out = call_with(b, e->loc, kernel, call->args, call->nargs, extra);
	ir_set_type(out, old->type);
	return out;
}

/* A kernel that is passed on keeps its face: fn (%p) { @kernel(%p, extra) }. */
static const ir_expr *
close_extra(const ir_expr *e, const ir_expr *old, void *env)
{
	struct build_all *b = env;
	ir_module *m = b->cx->module;
	const ir_expr_vec *extra = ir_map_get(&b->extra, e);
	te_func *f = ir_as_global(e)->def->te;
	const struct ir_func_type *t;
	struct ir_function_parts parts = {0};
	const struct ir_var **params;

	(void)old;
	if (!extra)
		return e;
	t = ir_as_func_type(te_func_type(m->cx, f));
	parts.nparams = t->nparams - (uint32_t)extra->len;
	params = ARENA_NEW_ARRAY(b->cx->scratch, parts.nparams,
				 const struct ir_var *);
	for (uint32_t i = 0; i < parts.nparams; i++) {
		const ir_expr *v = ir_new_var(m, e->loc, ir_name(m->cx, "p"),
					      t->params[i]);

		ir_set_type(v, t->params[i]);
		params[i] = ir_as_var(v);
	}
	parts.params = params;
	parts.ret_type = t->ret;
	parts.body = call_with(b, e->loc, e, (const ir_expr **)params,
			       parts.nparams, extra);
	return ir_new_function(m, e->loc, &parts);
}

static const struct ir_rules extra_rules = {
	.on = {[IR_CALL] = pass_extra, [IR_GLOBAL] = close_extra}};

static bool
is_caller(const ir_def *def)
{
	return def->kind == DEF_FUNCTION && def->fn && def->fn->body &&
	       !is_own_primitive(def);
}

/* What is lowered here runs on one device: what it is called means nothing. */
static const ir_expr *
drop_on_device(const ir_expr *e, const ir_expr *old, void *env)
{
	(void)old;
	(void)env;
	return ir_is_call_of(e, OP_on_device) ? ir_as_call(e)->args[0] : e;
}

static bool
is_no_kernel(const ir_expr *e, void *env)
{
	(void)env;
	return !ir_is_primitive(e);
}

static bool
drop_devices(ir_module *m)
{
	static const struct ir_rules rules = {
		.on = {[IR_CALL] = drop_on_device}, .enter = is_no_kernel};
	bool changed = false;

	for (size_t i = 0; i < m->defs.len; i++) {
		ir_def *def = m->defs.at[i];
		const ir_expr *body;

		if (!is_caller(def))
			continue;
		body = ir_rewrite(m, def->fn->body, &rules, NULL);
		changed |= body != def->fn->body;
		def->fn = ir_function_with_body(m, def->fn, body);
	}
	return changed;
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

	*changed = drop_devices(m);
	*changed |= outline_primitives(cx, &o);
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
	const char *option = "target";
	const char *s = pass_option(cx, option);

	if (!s || !*s) {
		option = "te.target";
		s = pass_config(cx, option);
	}
	if (!s || !*s)
		return pass_target(cx);
	return pass_read_target(cx, option, s);
}

bool
pass_lower_te(pass_ctx *cx)
{
	const char *target = lower_target(cx);
	bool changed, bang = target && !strncmp(target, "bang", 4);

	if (!target ||
	    !lower_build(cx, pass_option(cx, "module-name"), bang, &changed))
		return false;
	return lower_schedule(cx, target) || changed;
}
