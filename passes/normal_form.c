/*
 * Scopes are a tree: function bodies, branches, clauses and lets open one. A
 * node belongs to the lowest common ancestor of the scopes of its users; users
 * are looked at before what they use, so one sweep suffices.
 *
 * Then nodes are bound, operands first (arguments left to right, the callee
 * after them), each in the list of its scope. A list becomes a chain of lets
 * when its scope is closed.
 *
 * Everything is driven by explicit stacks, and ancestors are found by
 * skew-binary jumps: a chain of a million lets is a million nested scopes.
 */
#include "passes/normal_form.h"

#include "passes/fresh_names.h"

struct binding {
	const struct ir_var *var;
	const ir_expr *value;
	struct loc loc;
	struct binding *before;
};

struct scope {
	struct scope *parent;
	struct scope *jump;
	uint32_t depth;
	struct binding *first;
	struct binding *last;
};

struct frame {
	const ir_expr *e;
	const struct ir_var *var; /* to bind E to, or NULL */
	uint32_t next;            /* operands visited so far */
};

struct former {
	pass_ctx *cx;
	ir_module *m;
	enum normal_form form;
	struct ir_map scope_of; /* node -> scope */
	struct ir_map inner;    /* node -> scopes of its operands */
	struct ir_set lifted;   /* scope is not that of the first use */
	struct ir_map done;     /* node -> what stands for it */
	VEC(struct frame) stack;
	VEC(const struct ir_call *) devices; /* on_device around; or NULL */
	VEC(const ir_expr *) operands;
	struct fresh_names *names;
};

static struct scope *
new_scope(struct former *f, struct scope *parent)
{
	struct scope *s = ARENA_NEW(f->cx->scratch, struct scope);
	struct scope *j = parent ? parent->jump : NULL;

	s->parent = parent;
	if (!parent)
		return s;
	s->depth = parent->depth + 1;
	s->jump = j && j->jump &&
				  parent->depth - j->depth ==
					  j->depth - j->jump->depth
			  ? j->jump
			  : parent;
	return s;
}

static struct scope *
ancestor_at(struct scope *s, uint32_t depth)
{
	while (s->depth > depth)
		s = s->jump && s->jump->depth >= depth ? s->jump : s->parent;
	return s;
}

static struct scope *
common_scope(struct scope *a, struct scope *b)
{
	a = ancestor_at(a, b->depth);
	b = ancestor_at(b, a->depth);
	while (a != b) {
		if (a->jump != b->jump) {
			a = a->jump;
			b = b->jump;
		} else {
			a = a->parent;
			b = b->parent;
		}
	}
	return a;
}

static bool
opens_scope(const ir_expr *e, uint32_t operand)
{
	switch ((enum ir_kind)e->kind) {
	case IR_FUNCTION:
		return true;
	case IR_LET:
		return true;
	case IR_IF:
	case IR_MATCH:
		return operand > 0;
	default:
		return false;
	}
}

static void
use_in(struct former *f, const ir_expr *e, struct scope *s)
{
	struct scope *old = ir_map_get(&f->scope_of, e);
	struct scope *both = old ? common_scope(old, s) : s;

	if (old && old != s)
		ir_set_add(&f->lifted, e);
	ir_map_put(&f->scope_of, e, both);
}

static bool
is_kernel(const ir_expr *e)
{
	return ir_is_primitive(e);
}

static bool
enter(const ir_expr *e, void *env)
{
	(void)env;
	return !is_kernel(e);
}

static void
append(const ir_expr *e, void *env)
{
	ir_expr_vec *out = env;

	vec_push(out, e);
}

static void
scope_operands(struct former *f, const ir_expr *e)
{
	struct scope *own = ir_map_get(&f->scope_of, e);
	uint32_t n = ir_num_operands(e);
	struct scope **inner = NULL;

	for (uint32_t i = 0; i < n; i++) {
		struct scope *s = own;

		if (opens_scope(e, i)) {
			if (!inner)
				inner = ARENA_NEW_ARRAY(f->cx->scratch, n,
							struct scope *);
			s = inner[i] = i && e->kind == IR_LET
					       ? inner[0]
					       : new_scope(f, own);
		}
		use_in(f, ir_operand(e, i), s);
	}
	if (inner)
		ir_map_put(&f->inner, e, inner);
}

static void
find_scopes(struct former *f, const ir_expr *root)
{
	ir_expr_vec order = {0};

	/* Kernels are nodes, but what is in them is not. */
	ir_walk(root, enter, append, &order);
	ir_map_put(&f->scope_of, root, new_scope(f, NULL));
	for (size_t i = order.len; i-- > 0;)
		scope_operands(f, order.at[i]);
	vec_free(&order);
}

static struct scope *
scope_of(const struct former *f, const ir_expr *e)
{
	return ir_map_get(&f->scope_of, e);
}

/* E fixes the device of what it holds. */
static bool
is_on_device(const ir_expr *e)
{
	const ir_attrs *a = e->kind == IR_CALL ? ir_as_call(e)->attrs : NULL;

	return ir_is_call_of(e, OP_on_device) &&
	       ir_attrs_bool(a, "constrain_result") &&
	       ir_attrs_bool(a, "constrain_body");
}

/*
 * Where values are annotated with devices, what becomes of them is, too.
 * Functions say themselves where they are, and may call themselves.
 */
static const ir_expr *
on_device(struct former *f, const ir_expr *e)
{
	const struct ir_call *c = f->devices.len ? vec_last(&f->devices) : NULL;

	if (!c || is_on_device(e) || e->kind == IR_FUNCTION)
		return e;
	return ir_new_call(f->m, c->base.loc, c->callee, &e, 1, c->attrs);
}

static void
append_binding(struct former *f, struct scope *s, const struct ir_var *var,
	       const ir_expr *value, struct loc loc)
{
	struct binding *b = ARENA_NEW(f->cx->scratch, struct binding);

	*b = (struct binding){var, value, loc, s->last};
	if (!s->first)
		s->first = b;
	s->last = b;
}

/*
 * Bind VALUE, and what its own lets bind, in the scope of E; the use of the
 * variable stands for E.
 */
static const ir_expr *
bind(struct former *f, const ir_expr *e, const struct ir_var *var,
     const ir_expr *value)
{
	struct scope *s = scope_of(f, e);

	for (; value->kind == IR_LET; value = ir_as_let(value)->body)
		append_binding(f, s, ir_as_let(value)->var,
			       ir_as_let(value)->value, value->loc);
	if (!var)
		var = ir_as_var(
			ir_new_var(f->m, e->loc, fresh_name(f->names), NULL));
	append_binding(f, s, var, value, e->loc);
	return &var->base;
}

/* Move the bindings of FROM behind those of TO. */
static void
splice(struct scope *to, struct scope *from)
{
	if (!from->first)
		return;
	from->first->before = to->last;
	if (!to->first)
		to->first = from->first;
	to->last = from->last;
	from->first = from->last = NULL;
}

static const ir_expr *
close_scope(struct former *f, struct scope *s, const ir_expr *body)
{
	for (struct binding *b = s->last; b; b = b->before)
		body = ir_new_let(f->m, b->loc, b->var, b->value, body);
	s->first = s->last = NULL;
	return body;
}

static bool
is_atom(const ir_expr *e)
{
	switch ((enum ir_kind)e->kind) {
	case IR_VAR:
	case IR_GLOBAL:
	case IR_OP:
	case IR_CTOR:
	case IR_HOLE:
		return true;
	default:
		return false;
	}
}

static bool
stays_in_place(const struct former *f, const ir_expr *e,
	       const struct ir_var *var)
{
	return !var && f->form == BASIC_BLOCK_FORM &&
	       !ir_set_has(&f->lifted, e);
}

/*
 * E with what its operands became. Calls and projections lose their type, as
 * in TVM, also where no operand changed.
 */
static const ir_expr *
rebuilt(struct former *f, const ir_expr *e)
{
	struct scope **inner = ir_map_get(&f->inner, e);
	uint32_t n = ir_num_operands(e);
	const ir_expr *out;

	vec_reserve(&f->operands, n);
	for (uint32_t i = 0; i < n; i++) {
		const ir_expr *x = ir_map_get(&f->done, ir_operand(e, i));

		f->operands.at[i] =
			inner && inner[i] ? close_scope(f, inner[i], x) : x;
	}
	out = ir_with_operands(f->m, e, f->operands.at,
			       e->kind != IR_CALL && e->kind != IR_PROJ);
	if (out == e && e->kind == IR_CALL)
		out = ir_new_call(f->m, e->loc, ir_as_call(e)->callee,
				  ir_as_call(e)->args, ir_as_call(e)->nargs,
				  ir_as_call(e)->attrs);
	else if (out == e && e->kind == IR_PROJ)
		out = ir_new_proj(f->m, e->loc, ir_as_proj(e)->tuple,
				  ir_as_proj(e)->index);
	return out;
}

/* The value of a let is bound already; what is left is its body. */
static const ir_expr *
finish_let(struct former *f, const ir_expr *e, const struct ir_var *var)
{
	struct scope **inner = ir_map_get(&f->inner, e);
	const ir_expr *body = ir_map_get(&f->done, ir_as_let(e)->body);

	if (stays_in_place(f, e, var))
		return close_scope(f, inner[1], body);
	splice(scope_of(f, e), inner[1]);
	return bind(f, e, var, body);
}

static const ir_expr *
finish(struct former *f, const ir_expr *e, const struct ir_var *var)
{
	const ir_expr *now;

	if (is_atom(e))
		return var ? bind(f, e, var, e) : e;
	if (e->kind == IR_LET)
		return finish_let(f, e, var);
	if (is_on_device(e)) {
		(void)vec_pop(&f->devices);
		now = ir_map_get(&f->done, ir_as_call(e)->args[0]);
		return ir_new_call(f->m, e->loc, ir_as_call(e)->callee, &now, 1,
				   ir_as_call(e)->attrs);
	}
	if (e->kind == IR_FUNCTION && !is_kernel(e))
		(void)vec_pop(&f->devices);
	now = e->kind == IR_CONSTANT || is_kernel(e) ? e : rebuilt(f, e);
	now = on_device(f, now);
	return stays_in_place(f, e, var) ? now : bind(f, e, var, now);
}

static void
visit(struct former *f, const ir_expr *e, const struct ir_var *var)
{
	const ir_expr *known = ir_map_get(&f->done, e);

	if (!known) {
		vec_push(&f->stack, ((struct frame){e, var, 0}));
		if (is_on_device(e))
			vec_push(&f->devices, ir_as_call(e));
		else if (e->kind == IR_FUNCTION && !is_kernel(e))
			vec_push(&f->devices, NULL);
	} else if (var)
		bind(f, e, var, known);
}

/* Operands in the order in which they are bound. */
static const ir_expr *
nth_operand(const ir_expr *e, uint32_t k)
{
	uint32_t n = ir_num_operands(e);

	return ir_operand(e, e->kind == IR_CALL ? (k + 1) % n : k);
}

static void
fill(struct former *f, const ir_expr *root)
{
	visit(f, root, NULL);
	while (f->stack.len) {
		struct frame *top = &vec_last(&f->stack);
		struct frame done;

		if (!is_kernel(top->e) && top->next < ir_num_operands(top->e)) {
			uint32_t k = top->next++;
			const struct ir_var *var = NULL;

			if (top->e->kind == IR_LET && k == 0)
				var = ir_as_let(top->e)->var;
			else if (is_on_device(top->e) && k == 0)
				var = top->var;
			visit(f, nth_operand(top->e, k), var);
			continue;
		}
		done = vec_pop(&f->stack);
		ir_map_put(&f->done, done.e, finish(f, done.e, done.var));
	}
}

static const ir_expr *
normal_form(pass_ctx *cx, const ir_expr *body, enum normal_form form,
	    struct fresh_names *names)
{
	struct former f = {
		.cx = cx, .m = cx->module, .form = form, .names = names};
	const ir_expr *out;

	find_scopes(&f, body);
	fill(&f, body);
	out = close_scope(&f, scope_of(&f, body), ir_map_get(&f.done, body));
	ir_map_free(&f.scope_of);
	ir_map_free(&f.inner);
	ir_map_free(&f.done);
	ir_set_free(&f.lifted);
	vec_free(&f.stack);
	vec_free(&f.devices);
	vec_free(&f.operands);
	return out;
}

void
normal_form_unbound(pass_ctx *cx, const ir_expr *body, ir_expr_vec *out)
{
	struct former f = {.cx = cx, .m = cx->module};
	ir_expr_vec order = {0};

	find_scopes(&f, body);
	ir_walk(body, enter, append, &order);
	for (size_t i = 0; i < order.len; i++)
		if (ir_set_has(&f.lifted, order.at[i]) && !is_atom(order.at[i]))
			vec_push(out, order.at[i]);
	vec_free(&order);
	ir_map_free(&f.scope_of);
	ir_map_free(&f.inner);
	ir_set_free(&f.lifted);
}

bool
normal_form_module(pass_ctx *cx, enum normal_form form)
{
	ir_module *m = cx->module;
	struct fresh_names names;
	bool changed = false;

	fresh_names_init(&names, m, "x_");
	for (size_t i = 0; i < m->defs.len; i++) {
		ir_def *def = m->defs.at[i];
		const struct ir_function *fn = def->fn;

		if (def->kind != DEF_FUNCTION || !fn->body ||
		    ir_dict_get(fn->attrs, "Compiler") || is_kernel(&fn->base))
			continue;
		def->fn = ir_function_with_body(
			m, fn, normal_form(cx, fn->body, form, &names));
		changed |= def->fn != fn;
	}
	fresh_names_free(&names);
	return changed;
}
