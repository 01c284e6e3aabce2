/*
 * defunctionalization: functions that are values become data.
 *
 *     def @twice(%f: fn (int32) -> int32, %x: int32) { %f(%f(%x)) }
 *     def @main(%a: int32) { @twice(fn (%b: int32) { add(%a, %b) }, 1) }
 *
 * becomes
 *
 *     type Defunc_int32_int32 { Fn_main(int32) }
 *     def @apply_int32_int32(%f: Defunc_int32_int32, %y: int32) -> int32 {
 *       match (%f) { Fn_main(%a) => add(%a, %y) }
 *     }
 *     def @twice(%f: Defunc_int32_int32, %x: int32) {
 *       @apply_int32_int32(%f, @apply_int32_int32(%f, %x))
 *     }
 *     def @main(%a: int32) { @twice(Fn_main(%a), 1) }
 *
 * A literal's constructor holds what it captures. Functions may be passed,
 * returned, let-bound, recursive, and stand in tuples, references and data,
 * whose types get twins where they hold functions by definition. Polymorphic
 * definitions with functions in them are copied for each combination of types
 * that they are used with, and go; so are literals. Literals that are only
 * called are spliced in. Primitive and external functions stay as they are.
 *
 * Values that more than one block uses are bound by lets first.
 *
 * Level: module. Needs: types.
 */
#include "passes/defunc/defunc.h"

#include "passes/call_graph.h"
#include "passes/normal_form.h"

static bool
is_open(const ir_def *def)
{
	return def->kind == DEF_FUNCTION && def->fn->body &&
	       !ir_is_primitive(&def->fn->base) &&
	       !ir_dict_get(def->fn->attrs, "Compiler");
}

static bool
is_relay(const ir_def *def)
{
	return def && def->kind == DEF_FUNCTION;
}

/* A definition that stays as it is, types and all. */
static bool
is_closed(const ir_def *def)
{
	return is_relay(def) && !is_open(def);
}

static bool
is_literal(const ir_expr *e)
{
	return e->kind == IR_FUNCTION && !ir_is_primitive(e) &&
	       !ir_dict_get(ir_as_function(e)->attrs, "Compiler");
}

/* ------------------------------------------------------------- looking -- */

struct look {
	struct defunc *d;
	bool has_functions; /* as values */
};

static void
look_at_use(struct look *l, const ir_expr *e, bool called)
{
	if (called && (e->kind == IR_GLOBAL || e->kind == IR_CTOR ||
		       e->kind == IR_OP || e->kind == IR_FUNCTION))
		return;
	if (is_literal(e))
		ir_set_add(&l->d->values, e);
	if (e->kind != IR_OP && e->type && e->type->flags & TYPE_HAS_FUNC)
		l->has_functions = true;
}

static bool
look(const ir_expr *e, void *env)
{
	struct look *l = env;

	if (e->kind == IR_FUNCTION && !is_literal(e))
		return false;
	if (e->kind == IR_LET && is_literal(ir_as_let(e)->value))
		ir_map_put(&l->d->self_of, ir_as_let(e)->value,
			   ir_as_let(e)->var);
	for (uint32_t i = 0; i < ir_num_operands(e); i++)
		look_at_use(l, ir_operand(e, i), e->kind == IR_CALL && i == 0);
	return true;
}

/* Look through DEF; does it handle functions as values? */
static bool
look_at_def(struct defunc *d, const ir_def *def)
{
	struct look l = {.d = d};

	look_at_use(&l, def->fn->body, false);
	ir_walk(def->fn->body, look, NULL, &l);
	for (uint32_t i = 0; i < def->fn->nparams; i++)
		look_at_use(&l, &def->fn->params[i]->base, false);
	return l.has_functions;
}

static bool
mentions_special(const struct defunc *d, const ir_def *def)
{
	ir_expr_vec mentions = {0};
	bool found = false;

	call_graph_mentions(&def->fn->base, &mentions);
	for (size_t i = 0; i < mentions.len; i++)
		found |= ir_map_get(&d->special, mentions.at[i]) != NULL;
	vec_free(&mentions);
	return found;
}

/* Polymorphic definitions that meet functions need instances. */
static bool
find_special(struct defunc *d)
{
	struct call_graph g;
	bool any = false;
	bool more = true;

	call_graph_build(&g, d->m, d->cx->scratch);
	for (uint32_t i = 0; i < g.n; i++) {
		ir_def *def = g.nodes[g.order[i]].def;

		if (!is_open(def) || !look_at_def(d, def))
			continue;
		any = true;
		if (def->fn->ntype_params)
			ir_map_put(&d->special, &def->global->base, def);
	}
	while (more) {
		more = false;
		for (uint32_t i = 0; i < g.n; i++) {
			ir_def *def = g.nodes[g.order[i]].def;

			if (!is_open(def) || !def->fn->ntype_params ||
			    ir_map_get(&d->special, &def->global->base) ||
			    !mentions_special(d, def))
				continue;
			ir_map_put(&d->special, &def->global->base, def);
			more = true;
		}
	}
	call_graph_free(&g);
	return any;
}

/* ------------------------------------------------------------ rewriting -- */

static void
check_ctor(struct defunc *d, const struct ir_ctor *ctor, struct loc loc)
{
	const unsigned both = TYPE_HAS_FUNC | TYPE_HAS_VAR;

	for (uint32_t i = 0; i < ctor->nfields && !d->cx->failed; i++)
		if ((ctor->fields[i]->flags & both) == both)
			pass_error(d->cx, loc,
				   "constructor '%s' holds functions of its "
				   "type parameters",
				   ctor->name);
}

static void
check_pattern(struct defunc *d, const ir_pattern *p)
{
	if (p->kind == PATTERN_CTOR)
		check_ctor(d, p->ctor, p->loc);
	for (uint32_t i = 0; i < p->n; i++)
		check_pattern(d, p->sub[i]);
}

/* The types of what DEF takes and gives must be those of before. */
static void
check_closed(struct defunc *d, const ir_def *def, const ir_type *const *types,
	     uint32_t n, const ir_type *ret, struct loc loc)
{
	bool same = defunc_type(d, ret) == defunc_old_type(d, ret);

	for (uint32_t i = 0; i < n; i++)
		same &= defunc_type(d, types[i]) ==
			defunc_old_type(d, types[i]);
	if (!same && !d->cx->failed)
		pass_error(d->cx, loc,
			   "'@%s' is primitive or external and takes or gives "
			   "functions",
			   def->name);
}

/* The primitive or external literal E captures nothing. */
static void
check_kernel(struct defunc *d, const ir_expr *e)
{
	ir_expr_vec vars = {0};

	ir_free_vars(e, &vars);
	if (vars.len)
		pass_error(d->cx, e->loc,
			   "a primitive or external literal that captures "
			   "'%%%s' is a value",
			   ir_as_var(vars.at[0])->name);
	vec_free(&vars);
}

/* NOW, which stands for OLD, as a value of type T of the text. */
static const ir_expr *
as_value(struct defunc *d, const ir_expr *now, const ir_expr *old,
	 const ir_type *t)
{
	if (old->kind == IR_CTOR)
		check_ctor(d, ir_as_ctor(old), old->loc);
	else if (old->kind == IR_OP)
		pass_error(d->cx, old->loc, "an operator is a value");
	else if (old->kind == IR_FUNCTION && !is_literal(old))
		check_kernel(d, old);
	else if (old->kind != IR_GLOBAL)
		return now;
	if (d->cx->failed)
		return now;
	t = defunc_old_type(d, t);
	if (old->kind == IR_GLOBAL && is_closed(ir_as_global(old)->def) &&
	    t->kind == TYPE_FUNC)
		check_closed(d, ir_as_global(old)->def,
			     ir_as_func_type(t)->params,
			     ir_as_func_type(t)->nparams,
			     ir_as_func_type(t)->ret, old->loc);
	if (t->kind != TYPE_FUNC || t->flags & TYPE_HAS_VAR) {
		pass_error(d->cx, old->loc,
			   "a value with type parameters: see -eta-expand");
		return now;
	}
	return defunc_value(d, now, t);
}

/* The operands of E, values where functions stand. */
static const ir_expr **
operands(struct defunc *d, const ir_expr *e, const ir_expr *old,
	 const ir_type *const *types)
{
	uint32_t n = ir_num_operands(e);
	uint32_t first = e->kind == IR_CALL ? 1 : 0;
	const ir_expr **out =
		ARENA_NEW_ARRAY(d->cx->scratch, n, const ir_expr *);

	for (uint32_t i = 0; i < n; i++)
		out[i] = i < first ? ir_operand(e, i)
				   : as_value(d, ir_operand(e, i),
					      ir_operand(old, i),
					      types ? types[i - first]
						    : ir_operand(old, i)->type);
	return out;
}

static const ir_expr *
rewrite_values(const ir_expr *e, const ir_expr *old, void *env)
{
	struct defunc *d = env;

	return ir_rebuild(d->m, e, operands(d, e, old, NULL));
}

static const ir_expr *
rewrite_var(const ir_expr *e, const ir_expr *old, void *env)
{
	struct defunc *d = env;

	(void)old;
	return &retype_var(&d->types, ir_as_var(e))->base;
}

static const ir_expr *
rewrite_let(const ir_expr *e, const ir_expr *old, void *env)
{
	struct defunc *d = env;
	const struct ir_let *let = ir_as_let(old);
	const ir_type *types[] = {let->var->annotation, let->body->type};

	return retype_let(&d->types,
			  ir_rebuild(d->m, e, operands(d, e, old, types)));
}

static const ir_expr *
rewrite_match(const ir_expr *e, const ir_expr *old, void *env)
{
	struct defunc *d = env;

	for (uint32_t i = 0; i < ir_as_match(old)->nclauses; i++)
		check_pattern(d, ir_as_match(old)->clauses[i].pattern);
	return retype_match(&d->types, rewrite_values(e, old, env));
}

static const ir_expr *
rewrite_function(const ir_expr *e, const ir_expr *old, void *env)
{
	struct defunc *d = env;
	const struct ir_function *f = ir_as_function(e);
	struct ir_function_parts parts = retype_parts(&d->types, f);

	if (f->ntype_params && !d->cx->failed)
		pass_error(d->cx, old->loc, "a literal with type parameters");
	parts.body = as_value(d, f->body, ir_as_function(old)->body,
			      ir_as_function(old)->body->type);
	e = ir_new_function(d->m, e->loc, &parts);
	return ir_set_has(&d->values, old) && !d->cx->failed
		       ? defunc_literal(d, e, old)
		       : e;
}

/* A literal that is called at once: lets of its parameters. */
static const ir_expr *
splice(struct defunc *d, const struct ir_function *f,
       const ir_expr *const *args, struct loc loc)
{
	const ir_expr *body;

	if (!ir_set_add(&d->spliced, &f->base))
		f = ir_as_function(ir_refresh_binders(d->m, &f->base));
	body = f->body;
	for (uint32_t i = f->nparams; i-- > 0;)
		body = ir_new_let(d->m, loc, f->params[i], args[i], body);
	return body;
}

static const ir_expr *
apply(struct defunc *d, const ir_expr *callee, const ir_type *type,
      const ir_expr **args, uint32_t n, struct loc loc)
{
	struct encoding *x = defunc_encoding(d, type);

	args[0] = callee;
	return x ? ir_new_call(d->m, loc, &x->apply->base, args, n + 1, NULL)
		 : callee;
}

/* A kernel that an operator calls must be named, or stand there. */
static void
check_operator(struct defunc *d, const struct ir_call *call)
{
	enum op_id op = ir_as_op_ref(call->callee)->op->id;

	if (op != OP_vm_invoke_tvm_op && op != OP_call_lowered)
		return;
	if (call->args[0]->kind != IR_GLOBAL &&
	    call->args[0]->kind != IR_FUNCTION)
		pass_error(d->cx, call->base.loc, "operator '%s' calls a value",
			   ir_as_op_ref(call->callee)->op->name);
}

static const ir_expr *
rewrite_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct defunc *d = env;
	const struct ir_call *was = ir_as_call(old);
	const ir_expr *callee = ir_as_call(e)->callee;
	const ir_expr **now;
	const ir_type **types;
	const struct ir_global *g;

	if (was->callee->kind == IR_OP && !d->cx->failed)
		check_operator(d, was);
	if (was->callee->kind == IR_OP ||
	    (was->callee->kind == IR_FUNCTION && !is_literal(was->callee)) ||
	    d->cx->failed)
		return e;
	if (was->callee->kind == IR_GLOBAL &&
	    !is_relay(ir_as_global(was->callee)->def))
		return e;
	types = defunc_param_types(d, was);
	if (was->callee->kind == IR_GLOBAL &&
	    is_closed(ir_as_global(was->callee)->def))
		check_closed(d, ir_as_global(was->callee)->def, types,
			     was->nargs, old->type, e->loc);
	now = operands(d, e, old, types);
	if (was->callee->kind == IR_CTOR) {
		check_ctor(d, ir_as_ctor(callee), e->loc);
		now[0] = &retype_ctor(&d->types, ir_as_ctor(callee))->base;
		return ir_rebuild(d->m, e, now);
	}
	if (was->callee->kind == IR_GLOBAL) {
		g = defunc_instance(d, ir_as_global(callee)->def, e->loc, types,
				    was->nargs, old->type);
		now[0] = &g->base;
		return ir_rebuild(d->m, e, now);
	}
	if (callee->kind == IR_FUNCTION)
		return splice(d, ir_as_function(callee), now + 1, e->loc);
	return apply(d, callee, was->callee->type, now, was->nargs, e->loc);
}

static bool
enter(const ir_expr *e, void *env)
{
	(void)env;
	return e->kind != IR_FUNCTION || is_literal(e);
}

static const struct ir_rules rules = {
	.on = {[IR_VAR] = rewrite_var,
	       [IR_TUPLE] = rewrite_values,
	       [IR_CALL] = rewrite_call,
	       [IR_FUNCTION] = rewrite_function,
	       [IR_LET] = rewrite_let,
	       [IR_IF] = rewrite_values,
	       [IR_MATCH] = rewrite_match,
	       [IR_REF_NEW] = rewrite_values,
	       [IR_REF_WRITE] = rewrite_values},
	.enter = enter,
	.drop_types = true,
};

/* Write the instance at hand. */
static void
make_instance(struct defunc *d)
{
	const struct instance *x = &d->instances.at[d->at];
	const struct ir_function *fn = x->def->fn;
	struct ir_function_parts parts;
	const ir_expr *body;

	ir_map_free(&d->types.vars);
	d->types.vars = (struct ir_map){0};
	(void)defunc_type(d, fn->ret_type);
	parts = retype_parts(&d->types, fn);
	if (x->args)
		parts.ntype_params = 0;
	body = ir_rewrite(d->m, fn->body, &rules, d);
	parts.body = as_value(d, body, fn->body, fn->body->type);
	d->instances.at[d->at].now =
		ir_as_function(ir_new_function(d->m, fn->base.loc, &parts));
}

struct mention {
	struct defunc *d;
	const ir_def *by;
	struct ptrmap changed; /* definitions of another signature now */
};

static bool
has_same_signature(const struct instance *x)
{
	const struct ir_function *old = x->def->fn;

	for (uint32_t i = 0; i < old->nparams; i++)
		if (old->params[i]->annotation != x->now->params[i]->annotation)
			return false;
	return old->ret_type == x->now->ret_type;
}

static void
refuse_mention(const ir_expr *e, void *env)
{
	struct mention *x = env;
	const ir_def *def = e->kind == IR_GLOBAL ? ir_as_global(e)->def : NULL;

	if (!def || x->d->cx->failed ||
	    (!ir_map_get(&x->d->special, e) && !ptrmap_find(&x->changed, def)))
		return;
	pass_error(x->d->cx, x->by->loc,
		   "'@%s', which functions are passed to, is called from a "
		   "primitive or external function",
		   def->name);
}

/* What stays as it is may not mention what goes or gets another type. */
static void
check_mentions(struct defunc *d)
{
	struct mention x = {.d = d};

	for (size_t i = 0; i < d->instances.len; i++) {
		const struct instance *made = &d->instances.at[i];

		if (!made->args && !has_same_signature(made))
			ptrmap_add(&x.changed, made->def, NULL);
	}
	for (size_t i = 0; i < d->m->defs.len; i++) {
		x.by = d->m->defs.at[i];
		if (is_closed(x.by) && x.by->fn->body)
			ir_walk(x.by->fn->body, NULL, refuse_mention, &x);
	}
	ptrmap_free(&x.changed);
}

static void
make_all(struct defunc *d)
{
	ir_module *m = d->m;

	for (size_t i = 0; i < m->defs.len; i++) {
		ir_def *def = m->defs.at[i];
		struct instance x = {.def = def, .global = def->global};

		if (is_open(def) && !ir_map_get(&d->special, &x.global->base))
			vec_push(&d->instances, x);
	}
	for (; d->at < d->instances.len && !d->cx->failed; d->at++)
		make_instance(d);
	if (!d->cx->failed)
		check_mentions(d);
}

/* Put what was made into the module, and take out what it came from. */
static void
store(struct defunc *d, size_t n)
{
	ir_module *m = d->m;

	for (size_t i = 0; i < d->instances.len; i++) {
		struct instance *x = &d->instances.at[i];

		if (x->args)
			ir_module_add_function(m, x->global->name,
					       &x->now->base, x->def->loc);
		else
			x->def->fn = x->now;
	}
	for (size_t i = n; i-- > 0;) {
		ir_def *def = m->defs.at[i];

		if (ir_map_get(&d->special, &def->global->base))
			ir_module_remove(m, def);
	}
}

static bool
infer(pass_ctx *cx)
{
	cx->module->types_valid = false;
	if (!ir_infer_module(cx->module, cx->diag))
		cx->failed = true;
	return !cx->failed;
}

static void
free_all(struct defunc *d)
{
	defunc_free_encodings(d);
	vec_free(&d->instances);
	ir_map_free(&d->special);
	ir_map_free(&d->self_of);
	ir_set_free(&d->values);
	ir_set_free(&d->spliced);
	ptrmap_free(&d->known);
	retype_free(&d->types);
}

/* The same module, with lets for what several blocks use. */
static bool
prepare(struct defunc *d)
{
	bool any = find_special(d);

	if (!any)
		return false;
	ir_map_free(&d->special);
	d->special = (struct ir_map){0};
	defunc_copy_literals(d);
	if (d->cx->failed || !infer(d->cx))
		return false;
	normal_form_module(d->cx, BASIC_BLOCK_FORM);
	return infer(d->cx) && find_special(d);
}

bool
pass_defunctionalization(pass_ctx *cx)
{
	ir_module *m = cx->module;
	struct defunc d = {.cx = cx,
			   .m = m,
			   .types = {.m = m,
				     .arena = cx->scratch,
				     .twin_suffix = "defunc"}};
	size_t n = m->defs.len;
	size_t ntypes = m->types.len;
	const struct ir_function **old =
		ARENA_NEW_ARRAY(cx->scratch, n, const struct ir_function *);
	bool any;

	for (size_t i = 0; i < n; i++)
		old[i] = m->defs.at[i]->fn;
	any = prepare(&d);
	if (any)
		make_all(&d);
	if (any && !cx->failed && defunc_finish_encodings(&d)) {
		store(&d, n);
		pass_count(cx, "types of function values",
			   (unsigned)d.encodings.len);
	} else {
		while (m->defs.len > n)
			ir_module_remove(m, m->defs.at[m->defs.len - 1]);
		for (size_t i = 0; i < n; i++)
			m->defs.at[i]->fn = old[i];
		ir_module_drop_types(m, ntypes);
	}
	free_all(&d);
	return any;
}
