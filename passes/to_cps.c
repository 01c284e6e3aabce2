/*
 * to-cps: functions do not return, they call what comes next.
 *
 *     def @f(%x: T) -> T { let %y = @g(%x); exp(%y) }        becomes
 *
 *     def @f[answer](%x: T, %k: fn (T) -> answer) -> answer {
 *       @g_cps(%x, fn (%y: T) -> answer { let %x_0 = exp(%y); %k(%x_0) })
 *     }
 *
 * Calls of operators and constructors stay as they are. What follows a
 * conditional or a match is made a function once, and not copied into its
 * arms. Definitions that others mention get a twin NAME_cps, which is what
 * they mention then. Everything is brought into A-normal form first.
 *
 * Level: module. Needs: types.
 */
#include <string.h>

#include "passes/fresh_names.h"
#include "passes/normal_form.h"
#include "passes/retype.h"

struct cps {
	pass_ctx *cx;
	ir_module *m;
	struct retype types;
	struct fresh_names names;
	const ir_type *answer; /* of the definition at hand */
	struct ir_map twins;   /* global -> twin */
	struct ir_set wanted;  /* globals whose twin is mentioned */
};

static const ir_type *
cont_type(struct cps *c, const ir_type *t)
{
	return ir_type_func(c->m->cx, &t, 1, c->answer, NULL, 0);
}

static const ir_type *
cps_func(const struct ir_func_type *f, const ir_type *const *params,
	 const ir_type *ret, void *env)
{
	struct cps *c = env;

	return retype_func_with(c->m, c->cx->scratch, f, params,
				cont_type(c, ret), c->answer);
}

static const ir_expr *
new_cont(struct cps *c, struct loc loc, const ir_type *t)
{
	return ir_new_var(c->m, loc, ir_name(c->m->cx, "k"), cont_type(c, t));
}

/* PARTS with K as one parameter more, and the answer as the result. */
static void
add_cont(struct cps *c, struct ir_function_parts *parts, const ir_expr *k)
{
	retype_add_param(c->cx->scratch, parts, ir_as_var(k));
	parts->ret_type = c->answer;
	parts->ret_inferred = false;
}

static const ir_expr *convert(struct cps *c, const ir_expr *e,
			      const ir_expr *k);

static const ir_expr *
convert_function(struct cps *c, const struct ir_function *f)
{
	struct ir_function_parts parts = retype_parts(&c->types, f);
	const ir_expr *k = new_cont(c, f->base.loc, parts.ret_type);

	if (!f->body || ir_is_primitive(&f->base)) {
		pass_error(c->cx, f->base.loc,
			   "a primitive or external function has no "
			   "continuation");
		return &f->base;
	}
	add_cont(c, &parts, k);
	parts.body = convert(c, f->body, k);
	return ir_new_function(c->m, f->base.loc, &parts);
}

static const ir_expr *
call1(struct cps *c, const ir_expr *f, const ir_expr *x)
{
	return ir_new_call(c->m, x->loc, f, &x, 1, NULL);
}

/* Fields that are functions would change their types. */
static void
check_ctor(struct cps *c, struct loc loc, const struct ir_ctor *ctor)
{
	for (uint32_t i = 0; i < ctor->nfields; i++)
		if (ctor->fields[i]->flags & TYPE_HAS_FUNC) {
			pass_error(c->cx, loc,
				   "constructor '%s' holds functions by "
				   "definition",
				   ctor->name);
			return;
		}
}

static void
check_pattern(struct cps *c, const ir_pattern *p)
{
	if (p->kind == PATTERN_CTOR)
		check_ctor(c, p->loc, p->ctor);
	for (uint32_t i = 0; i < p->n; i++)
		check_pattern(c, p->sub[i]);
}

/* A constructor as a value: fn (fields, k) { k(C(fields)) } */
static const ir_expr *
convert_ctor(struct cps *c, const ir_expr *e)
{
	const struct ir_ctor *ctor = ir_as_ctor(e);
	uint32_t n = ctor->nfields;
	const struct ir_var **params =
		ARENA_NEW_ARRAY(c->cx->scratch, n, const struct ir_var *);
	const ir_expr **args =
		ARENA_NEW_ARRAY(c->cx->scratch, n, const ir_expr *);
	struct ir_function_parts parts = {
		.params = params,
		.nparams = n,
		.type_params = ctor->adt->params,
		.ntype_params = ctor->adt->nparams,
	};
	const ir_expr *k =
		new_cont(c, e->loc,
			 ir_type_adt(c->m->cx, ctor->adt->name,
				     ctor->adt->params, ctor->adt->nparams));

	for (uint32_t i = 0; i < n; i++) {
		args[i] = ir_new_var(c->m, e->loc, fresh_name(&c->names),
				     ctor->fields[i]);
		params[i] = ir_as_var(args[i]);
	}
	add_cont(c, &parts, k);
	parts.body = call1(c, k, ir_new_call(c->m, e->loc, e, args, n, NULL));
	return ir_new_function(c->m, e->loc, &parts);
}

static const ir_expr *
twin_of(struct cps *c, const ir_expr *global)
{
	const ir_expr *twin = ir_map_get(&c->twins, global);

	if (!twin) {
		pass_error(c->cx, global->loc,
			   "'@%s' is no function with a body",
			   ir_as_global(global)->name);
		return global;
	}
	ir_set_add(&c->wanted, global);
	return twin;
}

static const ir_expr *convert_atom(struct cps *c, const ir_expr *e);

/* An atom with on_device around it, which is one still. */
static const ir_expr *
convert_placed(struct cps *c, const ir_expr *e)
{
	VEC(const ir_expr *) around = {0};

	while (ir_is_call_of(e, OP_on_device)) {
		vec_push(&around, e);
		e = ir_as_call(e)->args[0];
	}
	e = convert_atom(c, e);
	while (around.len) {
		const struct ir_call *call = ir_as_call(vec_pop(&around));

		e = ir_new_call(c->m, call->base.loc, call->callee, &e, 1,
				call->attrs);
	}
	vec_free(&around);
	return e;
}

/* An atom, as it is called or used. */
static const ir_expr *
convert_atom(struct cps *c, const ir_expr *e)
{
	switch ((enum ir_kind)e->kind) {
	case IR_VAR:
		return &retype_var(&c->types, ir_as_var(e))->base;
	case IR_GLOBAL:
		return twin_of(c, e);
	case IR_CTOR:
		check_ctor(c, e->loc, ir_as_ctor(e));
		return convert_ctor(c, e);
	case IR_FUNCTION:
		return convert_function(c, ir_as_function(e));
	case IR_OP:
		pass_error(c->cx, e->loc,
			   "an operator as a value has no continuation");
		return e;
	case IR_CALL:
		return ir_is_call_of(e, OP_on_device) ? convert_placed(c, e)
						      : e;
	default:
		return e;
	}
}

static bool
is_direct(const ir_expr *callee)
{
	return callee->kind == IR_OP || callee->kind == IR_CTOR;
}

/* A value that needs no continuation; its operands are atoms. */
static const ir_expr *
convert_simple(struct cps *c, const ir_expr *e)
{
	uint32_t n = ir_num_operands(e);
	const ir_expr **now;

	if (n == 0 || e->kind == IR_FUNCTION)
		return convert_atom(c, e);
	if (e->kind == IR_CALL && ir_as_call(e)->callee->kind == IR_CTOR)
		check_ctor(c, e->loc, ir_as_ctor(ir_as_call(e)->callee));
	now = ARENA_NEW_ARRAY(c->cx->scratch, n, const ir_expr *);
	for (uint32_t i = 0; i < n; i++) {
		const ir_expr *x = ir_operand(e, i);

		now[i] = e->kind == IR_CALL && i == 0 ? x : convert_atom(c, x);
	}
	return ir_rebuild(c->m, e, now);
}

static const ir_expr *
convert_call(struct cps *c, const struct ir_call *e, const ir_expr *k)
{
	const ir_expr **args =
		ARENA_NEW_ARRAY(c->cx->scratch, e->nargs + 1, const ir_expr *);

	for (uint32_t i = 0; i < e->nargs; i++)
		args[i] = convert_atom(c, e->args[i]);
	args[e->nargs] = k;
	return ir_new_call(c->m, e->base.loc, convert_atom(c, e->callee), args,
			   e->nargs + 1, e->attrs);
}

/* A conditional or match whose arms go on with K, a variable. */
static const ir_expr *
convert_fork(struct cps *c, const ir_expr *e, const ir_expr *k)
{
	uint32_t n = ir_num_operands(e);
	const ir_expr **now =
		ARENA_NEW_ARRAY(c->cx->scratch, n, const ir_expr *);

	now[0] = convert_atom(c, ir_operand(e, 0));
	for (uint32_t i = 1; i < n && e->kind == IR_MATCH; i++)
		check_pattern(c, ir_as_match(e)->clauses[i - 1].pattern);
	for (uint32_t i = 1; i < n; i++)
		now[i] = convert(c, ir_operand(e, i), k);
	e = ir_rebuild(c->m, e, now);
	return e->kind == IR_MATCH ? retype_match(&c->types, e) : e;
}

static bool
is_fork(const ir_expr *e)
{
	return e->kind == IR_IF || e->kind == IR_MATCH;
}

/*
 * fn (V) { REST } for a let of V. The place where it is passed, which tells
 * the type, may be evaluated away: what was inferred becomes an annotation.
 */
static const ir_expr *
continuation(struct cps *c, const struct ir_var *v, const ir_expr *rest)
{
	struct ir_function_parts parts = {.params = &v,
					  .nparams = 1,
					  .ret_type = c->answer,
					  .body = rest};

	((struct ir_var *)(uintptr_t)v)->base.flags &=
		(uint8_t)~IR_ANNOTATION_INFERRED;
	return ir_new_function(c->m, v->base.loc, &parts);
}

/* The end of a chain of lets. */
static const ir_expr *
convert_tail(struct cps *c, const ir_expr *e, const ir_expr *k)
{
	if (is_fork(e))
		return convert_fork(c, e, k);
	if (e->kind == IR_CALL && !is_direct(ir_as_call(e)->callee))
		return convert_call(c, ir_as_call(e), k);
	return call1(c, k, convert_simple(c, e));
}

static const ir_expr *
convert_let(struct cps *c, const struct ir_let *l, const ir_expr *rest)
{
	const struct ir_var *v = retype_var(&c->types, l->var);
	const ir_expr *e = l->value;
	const ir_expr *join;

	if (e->kind == IR_CALL && !is_direct(ir_as_call(e)->callee))
		return convert_call(c, ir_as_call(e), continuation(c, v, rest));
	if (is_fork(e)) {
		join = ir_new_var(c->m, e->loc, fresh_name(&c->names), NULL);
		return ir_new_let(c->m, e->loc, ir_as_var(join),
				  continuation(c, v, rest),
				  convert_fork(c, e, join));
	}
	return ir_new_let(c->m, l->base.loc, v, convert_simple(c, e), rest);
}

typedef VEC(const struct ir_let *) let_vec;

static void
push_let(struct cps *c, let_vec *lets, const struct ir_var *v,
	 const ir_expr *value)
{
	vec_push(lets,
		 ir_as_let(ir_new_let(c->m, value->loc, v, value, &v->base)));
}

/*
 * What E, the value of a let or a result, is with an atom in the place of what
 * an on_device in it holds: that is bound by LETS first.
 */
static const ir_expr *
bind_annotated(struct cps *c, let_vec *lets, const ir_expr *e)
{
	VEC(const ir_expr *) around = {0};

	while (ir_is_call_of(e, OP_on_device)) {
		vec_push(&around, e);
		e = ir_as_call(e)->args[0];
	}
	while (around.len) {
		const struct ir_call *call = ir_as_call(vec_pop(&around));
		const ir_expr *x = e;

		if (ir_num_operands(e) > 0 && e->kind != IR_FUNCTION) {
			x = ir_new_var(c->m, e->loc, fresh_name(&c->names),
				       NULL);
			push_let(c, lets, ir_as_var(x), e);
		}
		e = ir_new_call(c->m, call->base.loc, call->callee, &x, 1,
				call->attrs);
	}
	vec_free(&around);
	return e;
}

/* E, going on with K, a variable. Recursion is over scopes in scopes. */
static const ir_expr *
convert(struct cps *c, const ir_expr *e, const ir_expr *k)
{
	let_vec lets = {0};

	for (; e->kind == IR_LET; e = ir_as_let(e)->body) {
		const struct ir_let *l = ir_as_let(e);

		if (ir_is_call_of(l->value, OP_on_device))
			push_let(c, &lets, l->var,
				 bind_annotated(c, &lets, l->value));
		else
			vec_push(&lets, l);
	}
	e = convert_tail(c, bind_annotated(c, &lets, e), k);
	while (lets.len && !c->cx->failed)
		e = convert_let(c, vec_pop(&lets), e);
	vec_free(&lets);
	return e;
}

/* F, of a definition, with a type parameter for the answer. */
static const ir_expr *
convert_definition(struct cps *c, const struct ir_function *f)
{
	struct ir_function_parts parts;
	const ir_type **vars;
	const ir_expr *out;

	retype_free(&c->types);
	c->types.vars = (struct ir_map){0};
	c->answer = ir_type_new_var(c->m->cx, ir_name(c->m->cx, "answer"));
	out = convert_function(c, f);
	if (c->cx->failed)
		return out;
	parts = ir_function_parts(ir_as_function(out));
	vars = ARENA_NEW_ARRAY(c->cx->scratch, parts.ntype_params + 1,
			       const ir_type *);
	for (uint32_t i = 0; i < parts.ntype_params; i++)
		vars[i] = parts.type_params[i];
	vars[parts.ntype_params++] = c->answer;
	parts.type_params = vars;
	return ir_new_function(c->m, f->base.loc, &parts);
}

static bool
is_open(const ir_def *def)
{
	return def->kind == DEF_FUNCTION && def->fn->body &&
	       !ir_is_primitive(&def->fn->base) &&
	       !ir_dict_get(def->fn->attrs, "Compiler");
}

/* A definition that stays as it is. */
struct closed {
	pass_ctx *cx;
	const ir_def *def;
};

static void
refuse_mention(const ir_expr *e, void *env)
{
	struct closed *c = env;

	if (e->kind == IR_GLOBAL && ir_as_global(e)->def &&
	    is_open(ir_as_global(e)->def) && !c->cx->failed)
		pass_error(c->cx, c->def->loc,
			   "'@%s' is called from a primitive or external "
			   "function, which goes without continuations",
			   ir_as_global(e)->name);
}

/* What stays as it is may not mention what changes. */
static void
check_closed(struct cps *c)
{
	for (size_t i = 0; i < c->m->defs.len; i++) {
		struct closed d = {c->cx, c->m->defs.at[i]};

		if (d.def->kind == DEF_FUNCTION && !is_open(d.def) &&
		    d.def->fn->body)
			ir_walk(&d.def->fn->base, NULL, refuse_mention, &d);
	}
}

static void
convert_all(struct cps *c, size_t n, const struct ir_function **done)
{
	ir_module *m = c->m;

	for (size_t i = 0; i < n; i++) {
		const ir_def *def = m->defs.at[i];

		if (is_open(def))
			ir_map_put(
				&c->twins, &def->global->base,
				ir_module_global(
					m, ir_module_fresh_name(
						   m, ir_namef(m->cx, "%s_cps",
							       def->name))));
	}
	for (size_t i = 0; i < n && !c->cx->failed; i++)
		if (is_open(m->defs.at[i]))
			done[i] = ir_as_function(
				convert_definition(c, m->defs.at[i]->fn));
	for (size_t i = 0; i < n && !c->cx->failed; i++) {
		const ir_def *def = m->defs.at[i];
		const struct ir_global *twin =
			ir_map_get(&c->twins, &def->global->base);

		if (ir_set_has(&c->wanted, &def->global->base))
			ir_module_add_function(m, twin->name,
					       convert_definition(c, def->fn),
					       def->loc);
	}
}

static bool
infer(pass_ctx *cx)
{
	cx->module->types_valid = false;
	if (ir_infer_module(cx->module, cx->diag))
		return true;
	cx->failed = true;
	return false;
}

bool
pass_to_cps(pass_ctx *cx)
{
	ir_module *m = cx->module;
	struct cps c = {
		.cx = cx,
		.m = m,
		.types = {.m = m, .arena = cx->scratch, .func = cps_func},
	};
	size_t n = m->defs.len;
	const struct ir_function **old, **done;

	c.types.env = &c;
	old = ARENA_NEW_ARRAY(cx->scratch, n, const struct ir_function *);
	done = ARENA_NEW_ARRAY(cx->scratch, n, const struct ir_function *);
	for (size_t i = 0; i < n; i++)
		old[i] = m->defs.at[i]->fn;
	normal_form_module(cx, A_NORMAL_FORM);
	fresh_names_init(&c.names, m, "x_");
	check_closed(&c);
	if (!cx->failed && infer(cx))
		convert_all(&c, n, done);
	while (cx->failed && m->defs.len > n)
		ir_module_remove(m, m->defs.at[m->defs.len - 1]);
	for (size_t i = 0; i < n; i++)
		m->defs.at[i]->fn = !cx->failed && done[i] ? done[i] : old[i];
	fresh_names_free(&c.names);
	retype_free(&c.types);
	ir_map_free(&c.twins);
	ir_set_free(&c.wanted);
	m->types_valid = false;
	cx->keeps_types = !cx->failed && infer(cx);
	return !cx->failed;
}
