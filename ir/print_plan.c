/*
 * The order of things.
 *
 * A node that is an operand gets a %N of its own; its line is put at the end
 * of the innermost open scope when its first *user* is rendered, which is
 * later than when it is itself finished: for f(g(c()), h(d())) the order is
 * c, d, g, h. The root of a scope and the value of a let stand in place
 * unless they have a second user. Everything is written here as steps on a
 * stack of its own.
 */
#include "ir/print_internal.h"
#include "ir/walk.h"

enum step_kind {
	STEP_VISIT,  /* render E once its operands are rendered */
	STEP_RENDER, /* E's operands are rendered: name them */
	STEP_NAME,   /* E is rendered: give it a line */
	STEP_INLINE, /* E is rendered: it stands in place if it may */
	STEP_ROOT,   /* E is the root of the scope that is open */
	STEP_CLOSE,  /* leave the innermost scope */
	STEP_BRANCH, /* open scope I of E */
	STEP_BODY,   /* open the scope of let E's body */
};

struct step {
	enum step_kind kind;
	uint32_t i;
	const ir_expr *e;
};

struct plan {
	struct print *p;
	VEC(struct step) todo;
	VEC(struct print_scope *) scopes;
};

static void
push(struct plan *pl, enum step_kind kind, const ir_expr *e, uint32_t i)
{
	vec_push(&pl->todo, ((struct step){kind, i, e}));
}

static struct print_node *
node_of(struct plan *pl, const ir_expr *e)
{
	return print_node_of(pl->p, e);
}

/* Add E's line to the innermost scope. */
static void
add_line(struct plan *pl, const ir_expr *e)
{
	struct print_scope *scope = vec_last(&pl->scopes);

	if (scope->last)
		node_of(pl, scope->last)->next = e;
	else
		scope->first = e;
	scope->last = e;
}

/* Metadata of the type that E's comment gives. */
static void
plan_comment(struct plan *pl, const ir_expr *e)
{
	const ir_type *t = print_comment_type(pl->p, e);

	if (t)
		print_plan_type(pl->p, t);
}

static const char *
name_of(struct print *p, const struct ir_var *v)
{
	const struct print_node *model = print_model_node(p, &v->base);

	return model && model->name ? model->name
				    : print_unique_name(p, v->name);
}

static void
plan_var(struct plan *pl, const struct ir_var *v)
{
	struct print *p = pl->p;
	struct print_node *n = print_node_of(p, &v->base);
	const ir_type *t = print_annotation(p, v);

	if (!n->name) /* else it is bound twice, which shadows when read */
		n->name = name_of(p, v);
	if (v->vdevice)
		print_meta_add(p, v->vdevice->type_key, PRINT_META_OBJECT,
			       v->vdevice, v->vdevice);
	if (t)
		print_plan_type(p, t);
	plan_comment(pl, &v->base);
}

static void
plan_pattern_var(const struct ir_var *v, void *env)
{
	plan_var(env, v);
	print_node_of(((struct plan *)env)->p, &v->base)->state = PRINT_PLACED;
}

/* A leaf is rendered where it is first met. */
static void
render_leaf(struct plan *pl, const ir_expr *e)
{
	const struct ir_constant *c;

	if (e->kind == IR_VAR)
		plan_var(pl, ir_as_var(e));
	if (e->kind != IR_CONSTANT)
		return;
	c = ir_as_constant(e);
	if (!c->data)
		pl->p->mentions_meta = true;
	else if (!print_scalar_fits(c->data))
		print_meta_add(pl->p, "relay.Constant", PRINT_META_EXPR, e, e);
}

/* E, which is rendered, becomes a line or is found to need none. */
static void
place(struct plan *pl, const ir_expr *e, bool inline_)
{
	struct print_node *n = node_of(pl, e);
	const struct print_node *model;

	if (n->state == PRINT_PLACED)
		return;
	n->state = PRINT_PLACED;
	if (e->kind == IR_VAR) {
		add_line(pl, e); /* nobody bound it before: it is free */
		return;
	}
	plan_comment(pl, e);
	if (inline_)
		return;
	model = print_model_node(pl->p, e);
	if (model && model->number)
		n->number = model->number;
	else if (pl->p->hashes)
		n->number = print_stable_number(pl->p, e);
	else
		n->number = ++pl->p->temps;
	add_line(pl, e);
}

/* Operators, globals and constructors are a name: nothing to decide. */
static bool
is_name(const ir_expr *e)
{
	return e->kind == IR_OP || e->kind == IR_GLOBAL || e->kind == IR_CTOR;
}

/* Give operand E its name; true if that must wait for steps on the stack. */
static bool
operand(struct plan *pl, const ir_expr *e, enum step_kind kind)
{
	struct print_node *n = node_of(pl, e);
	bool inline_ =
		print_always_inline(e) || (kind == STEP_INLINE && n->uses <= 1);

	if (is_name(e) || n->state == PRINT_PLACED)
		return false;
	if (n->state == PRINT_NEW && print_always_inline(e)) {
		render_leaf(pl, e);
		n->state = PRINT_RENDERED;
	}
	if (n->state == PRINT_RENDERED) {
		place(pl, e, inline_);
		return false;
	}
	push(pl, inline_ ? STEP_INLINE : STEP_NAME, e, 0);
	push(pl, STEP_VISIT, e, 0);
	return true;
}

/* Operands that TVM visits before it renders E. */
static uint32_t
num_expanded(const ir_expr *e)
{
	if (e->kind == IR_CALL || e->kind == IR_TUPLE || e->kind == IR_PROJ)
		return ir_num_operands(e);
	return 0;
}

/* call_lowered: the fields of the tuple of arguments in place of it. */
static bool
is_call_lowered(const ir_expr *e)
{
	return e->kind == IR_CALL && ir_is_call_of(e, OP_call_lowered) &&
	       ir_as_call(e)->nargs == 2 &&
	       ir_as_call(e)->args[1]->kind == IR_TUPLE;
}

static void
push_visit(struct plan *pl, const ir_expr *e)
{
	if (!is_name(e) && node_of(pl, e)->state == PRINT_NEW)
		push(pl, STEP_VISIT, e, 0);
}

static void
visit(struct plan *pl, const ir_expr *e)
{
	if (node_of(pl, e)->state != PRINT_NEW)
		return;
	push(pl, STEP_RENDER, e, 0);
	if (is_call_lowered(e)) {
		const struct ir_tuple *t = ir_as_tuple(ir_as_call(e)->args[1]);

		for (uint32_t i = t->nfields; i > 0; i--)
			push_visit(pl, t->fields[i - 1]);
		push_visit(pl, ir_as_call(e)->args[0]);
		return;
	}
	for (uint32_t i = num_expanded(e); i > 0; i--)
		push_visit(pl, ir_operand(e, i - 1));
}

static struct print_scope *
new_scopes(struct plan *pl, const ir_expr *e, uint32_t n)
{
	struct print_scope *s =
		ARENA_NEW_ARRAY(&pl->p->arena, n, struct print_scope);

	node_of(pl, e)->scope = s;
	return s;
}

static void
open(struct plan *pl, struct print_scope *scope, const ir_expr *root)
{
	vec_push(&pl->scopes, scope);
	push(pl, STEP_CLOSE, NULL, 0);
	push(pl, STEP_ROOT, root, 0);
}

/* Names and metadata of what stands before the body of F. */
static void
plan_head(struct plan *pl, const struct ir_function *f)
{
	const ir_type *ret = print_ret_type(pl->p, f);

	for (uint32_t i = 0; i < f->nparams; i++)
		plan_pattern_var(f->params[i], pl);
	print_plan_dict(pl->p, f->attrs);
	if (f->vdevice)
		print_meta_add(pl->p, f->vdevice->type_key, PRINT_META_OBJECT,
			       f->vdevice, f->vdevice);
	if (ret)
		print_plan_type(pl->p, ret);
}

static void
render_function(struct plan *pl, const ir_expr *e)
{
	const struct ir_function *f = ir_as_function(e);

	plan_head(pl, f);
	if (f->body)
		open(pl, new_scopes(pl, e, 1), f->body);
}

/* A call, tuple or the like: names for its operands. */
static bool
render_operands(struct plan *pl, const ir_expr *e, uint32_t i)
{
	uint32_t n = ir_num_operands(e);
	uint32_t first = e->kind == IR_CALL ? 1 : 0;

	for (; i + first < n; i++)
		if (operand(pl, ir_operand(e, i + first), STEP_NAME)) {
			struct step visit_ = vec_pop(&pl->todo);
			struct step name = vec_pop(&pl->todo);

			push(pl, STEP_RENDER, e, i + 1);
			vec_push(&pl->todo, name);
			vec_push(&pl->todo, visit_);
			return false;
		}
	if (e->kind != IR_CALL)
		return true;
	if (i + first == n) {
		print_plan_call_attrs(pl->p, ir_as_call(e));
		if (operand(pl, ir_as_call(e)->callee, STEP_NAME)) {
			struct step visit_ = vec_pop(&pl->todo);
			struct step name = vec_pop(&pl->todo);

			push(pl, STEP_RENDER, e, n);
			vec_push(&pl->todo, name);
			vec_push(&pl->todo, visit_);
			return false;
		}
	}
	return true;
}

static void
render_let(struct plan *pl, const ir_expr *e)
{
	const struct ir_let *let = ir_as_let(e);

	new_scopes(pl, e, 1);
	plan_pattern_var(let->var, pl);
	push(pl, STEP_BODY, e, 0);
	operand(pl, let->value, STEP_INLINE);
}

static void
render(struct plan *pl, const ir_expr *e, uint32_t i)
{
	switch ((enum ir_kind)e->kind) {
	case IR_FUNCTION:
		pl->p->nested = true;
		render_function(pl, e);
		break;
	case IR_LET:
		pl->p->nested = true;
		render_let(pl, e);
		break;
	case IR_IF:
		pl->p->nested = true;
		new_scopes(pl, e, 2);
		push(pl, STEP_BRANCH, e, 0);
		operand(pl, ir_as_if(e)->cond, STEP_NAME);
		break;
	case IR_MATCH:
		pl->p->nested = true;
		new_scopes(pl, e, ir_as_match(e)->nclauses);
		push(pl, STEP_BRANCH, e, 0);
		operand(pl, ir_as_match(e)->value, STEP_NAME);
		break;
	case IR_HOLE:
		break;
	default:
		if (print_always_inline(e))
			render_leaf(pl, e);
		else if (!render_operands(pl, e, i))
			return;
		break;
	}
	node_of(pl, e)->state = PRINT_RENDERED;
}

/* Branch I of an if or a match. */
static void
branch(struct plan *pl, const ir_expr *e, uint32_t i)
{
	const struct ir_match *m;

	if (e->kind == IR_IF) {
		const struct ir_if *f = ir_as_if(e);

		if (i == 2)
			return;
		push(pl, STEP_BRANCH, e, i + 1);
		open(pl, &node_of(pl, e)->scope[i],
		     i ? f->else_branch : f->then_branch);
		return;
	}
	m = ir_as_match(e);
	if (i == m->nclauses)
		return;
	push(pl, STEP_BRANCH, e, i + 1);
	ir_pattern_vars(m->clauses[i].pattern, plan_pattern_var, pl);
	open(pl, &node_of(pl, e)->scope[i], m->clauses[i].body);
}

/*
 * The root of a scope. A chain of lets may be very long, so nothing is left
 * on the stack for each of them.
 */
static void
root(struct plan *pl, const ir_expr *e)
{
	struct print_node *n = node_of(pl, e);

	if (e->kind == IR_LET && n->state == PRINT_NEW && n->uses <= 1) {
		n->state = PRINT_PLACED;
		render_let(pl, e);
	} else {
		operand(pl, e, STEP_INLINE);
	}
}

/* The body of let E: its scope takes the place of one that ends with it. */
static void
open_body(struct plan *pl, const ir_expr *e)
{
	struct print_scope *scope = node_of(pl, e)->scope;

	if (pl->todo.len && vec_last(&pl->todo).kind == STEP_CLOSE) {
		vec_last(&pl->scopes) = scope;
		push(pl, STEP_ROOT, ir_as_let(e)->body, 0);
	} else {
		open(pl, scope, ir_as_let(e)->body);
	}
}

static void
take_step(struct plan *pl, struct step s)
{
	switch (s.kind) {
	case STEP_VISIT:
		visit(pl, s.e);
		break;
	case STEP_RENDER:
		render(pl, s.e, s.i);
		break;
	case STEP_NAME:
		place(pl, s.e, false);
		break;
	case STEP_INLINE:
		place(pl, s.e, true);
		break;
	case STEP_ROOT:
		root(pl, s.e);
		break;
	case STEP_CLOSE:
		(void)vec_pop(&pl->scopes);
		break;
	case STEP_BRANCH:
		branch(pl, s.e, s.i);
		break;
	case STEP_BODY:
		open_body(pl, s.e);
		break;
	}
}

static void
run(struct plan *pl)
{
	while (pl->todo.len)
		take_step(pl, vec_pop(&pl->todo));
	vec_free(&pl->todo);
	vec_free(&pl->scopes);
}

/* A node that another definition holds, too, has lines in both. */
static void
start_node(struct print *p, const ir_expr *e)
{
	struct print_node *n = print_node_of(p, e);

	if (n->state != PRINT_NEW)
		*n = (struct print_node){.uses = n->uses};
}

/* Count the edges to each node of this definition. */
static void
count_uses(struct print *p, const ir_expr *root)
{
	ir_expr_vec todo = {0};

	if (p->o->stable_names)
		print_stable_prepare(p, root);
	for (size_t i = 0; i < p->touched.len; i++)
		p->nodes[p->touched.at[i]].uses = 0;
	p->touched.len = 0;
	vec_push(&todo, root);
	while (todo.len) {
		const ir_expr *e = vec_pop(&todo);

		for (uint32_t i = ir_num_operands(e); i > 0; i--) {
			const ir_expr *child = ir_operand(e, i - 1);

			if (print_always_inline(child) ||
			    print_node_of(p, child)->uses++)
				continue;
			start_node(p, child);
			vec_push(&p->touched, child->id);
			vec_push(&todo, child);
		}
	}
	vec_free(&todo);
}

void
print_plan_root(struct print *p, const ir_expr *e, struct print_scope *scope)
{
	struct plan pl = {.p = p};

	p->nested = false;
	count_uses(p, e);
	vec_push(&pl.scopes, scope);
	push(&pl, STEP_ROOT, e, 0);
	run(&pl);
}

void
print_plan_def(struct print *p, const struct ir_function *fn)
{
	struct plan pl = {.p = p};

	p->nested = false;
	count_uses(p, &fn->base);
	render_function(&pl, &fn->base);
	run(&pl);
}
