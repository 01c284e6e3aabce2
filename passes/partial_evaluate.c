/*
 * partial-evaluate: run at compile time what is known at compile time.
 *
 *     let %f = fn (%a) { %a + 1 };          let %x_0 = 2; let %x_1 = 3;
 *     @g(%f(2), %y)              becomes    ... the body of @g, with %x_1
 *
 * Calls of known functions become their bodies, constants are computed,
 * conditionals and matches on known values decided, projections of tuples and
 * reads of references that are known replaced. What is left is written down
 * as lets. What depends on the unknown keeps its order; what a reference holds
 * is forgotten where code that nobody knows may have written it.
 *
 * Much of what is written down is read by nobody: dead-code-elimination
 * cleans up. A module in which values are shared is brought into A-normal
 * form first. Unfolding ends when a call makes no progress, or when it has
 * made the module much larger.
 *
 * Level: module. Needs: types. Keeps: types of literals and of variables.
 */
#include "passes/partial_machine.h"

#include "ir/copy.h"
#include "passes/normal_form.h"
#include "te/interp.h"

/*
 * Unfolding stops when so many calls were unfolded and lets written, and so
 * many more for each node.
 */
enum { free_steps = 20000, steps_per_node = 16 };

struct partial_value *
partial_new(struct partial *p, enum partial_kind kind, const ir_expr *atom)
{
	struct partial_value *v = ARENA_NEW(p->a, struct partial_value);

	v->kind = kind;
	v->atom = atom;
	v->time = p->time++;
	return v;
}

struct partial_env *
partial_new_env(struct partial *p, struct partial_env *parent)
{
	struct partial_env *env = ARENA_NEW(p->a, struct partial_env);

	env->parent = parent;
	env->all = p->envs;
	p->envs = env;
	return env;
}

const ir_expr *
partial_emit(struct partial *p, const ir_expr *value, const struct ir_var *var)
{
	if (!var)
		var = ir_as_var(ir_new_var(p->m, value->loc,
					   fresh_name(&p->names), NULL));
	p->steps++;
	vec_push(&p->lets, ((struct partial_let){var, value}));
	return &var->base;
}

/* The type parameters of ADT that some types mention. */
struct mentioned {
	const ir_type_def *adt;
	bool *seen;
	uint32_t n;
};

static void
mark_used(struct partial *p, const ir_expr *e)
{
	if (e->kind == IR_VAR)
		ir_set_add(&p->used, e);
}

/* A type parameter that FIELD mentions is known from it. */
static const ir_type *
note_mentioned(const ir_type *t, void *env)
{
	struct mentioned *m = env;

	for (uint32_t i = 0; i < m->adt->nparams; i++)
		if (m->adt->params[i] == t && !m->seen[i]) {
			m->seen[i] = true;
			m->n++;
		}
	return t;
}

/* The fields of CTOR do not say all of the type. */
static bool
leaves_type_open(struct partial *p, const struct ir_ctor *ctor)
{
	struct mentioned m = {.adt = ctor->adt};

	m.seen = ARENA_NEW_ARRAY(p->a, ctor->adt->nparams, bool);
	for (uint32_t i = 0; i < ctor->nfields; i++)
		(void)ir_type_substitute(p->m->cx, ctor->fields[i],
					 note_mentioned, &m);
	return m.n < ctor->adt->nparams;
}

/*
 * Data that nobody reads need not say by itself what it is a list of, or what
 * the other side of an alternative is.
 */
static bool
is_untyped(struct partial *p, const struct partial_let *l)
{
	const ir_expr *callee;

	if (l->value->kind != IR_CALL || ir_set_has(&p->used, &l->var->base))
		return false;
	callee = ir_as_call(l->value)->callee;
	return callee->kind == IR_CTOR &&
	       leaves_type_open(p, ir_as_ctor(callee));
}

/* Data that only what is unread reads may need its type in the text. */
static void
note_hint(struct partial *p, const struct partial_let *l)
{
	if (ir_map_get(&p->data_types, &l->var->base) &&
	    leaves_type_open(p, ir_as_ctor(ir_as_call(l->value)->callee)))
		vec_push(&p->hints, &l->var->base);
}

/* A field that is no data itself says what the type parameters are. */
static bool
tells_type(struct partial *p, const struct ir_call *data)
{
	for (uint32_t i = 0; i < data->nargs; i++)
		if (!ir_map_get(&p->data_types, data->args[i]))
			return !leaves_type_open(p, ir_as_ctor(data->callee));
	return false;
}

/* Do the types of what L reads follow from L, whoever reads it? */
static bool
is_needed(struct partial *p, const struct partial_let *l)
{
	if (ir_set_has(&p->needed, &l->var->base))
		return true;
	if (ir_map_get(&p->data_types, &l->var->base))
		return tells_type(p, ir_as_call(l->value));
	return l->value->kind != IR_TUPLE;
}

const ir_expr *
partial_close(struct partial *p, size_t mark, const ir_expr *body)
{
	mark_used(p, body);
	if (body->kind == IR_VAR)
		ir_set_add(&p->needed, body);
	while (p->lets.len > mark) {
		struct partial_let l = vec_pop(&p->lets);
		bool needed = is_needed(p, &l);

		if (is_untyped(p, &l))
			continue;
		if (!needed)
			note_hint(p, &l);
		for (uint32_t i = 0; i < ir_num_operands(l.value); i++) {
			mark_used(p, ir_operand(l.value, i));
			if (needed)
				ir_set_add(&p->needed, ir_operand(l.value, i));
		}
		body = ir_new_let(p->m, l.value->loc, l.var, l.value, body);
	}
	return body;
}

const struct ir_var *
partial_copy_var(struct partial *p, const struct partial_env *env,
		 const struct ir_var *v)
{
	const ir_expr *e = ir_new_var(p->m, v->base.loc, v->name,
				      partial_type(p->m, env, v->annotation));
	struct ir_var *copy = (struct ir_var *)(uintptr_t)ir_as_var(e);

	copy->base.flags = v->base.flags;
	copy->vdevice = v->vdevice;
	ir_map_put(&p->var_types, e, partial_type(p->m, env, v->base.type));
	return copy;
}

static void
begin(struct partial *p, enum partial_step step, const ir_expr *e,
      struct partial_env *env)
{
	vec_push(&p->tasks, ((struct partial_task){
				    .step = step,
				    .e = e,
				    .env = env,
				    .values = p->values.len,
				    .lets = p->lets.len,
			    }));
}

static void
push_builtin(struct partial *p, const ir_expr *e)
{
	struct partial_value *v = partial_new(p, PARTIAL_BUILTIN, e);

	v->builtin = e;
	vec_push(&p->values, v);
}

static void
push_constant(struct partial *p, const ir_expr *e)
{
	ir_tensor *data = ir_as_constant(e)->data;
	struct partial_value *v =
		partial_new(p, data ? PARTIAL_TENSOR : PARTIAL_UNKNOWN,
			    partial_emit(p, e, NULL));

	v->tensor = data;
	vec_push(&p->values, v);
}

void
partial_eval(struct partial *p, const ir_expr *e, struct partial_env *env,
	     const struct ir_var *name)
{
	switch ((enum ir_kind)e->kind) {
	case IR_VAR: {
		struct partial_value *v = partial_env_get(env, e);

		if (!v) /* bound by nobody */
			v = partial_new(p, PARTIAL_UNKNOWN, e);
		vec_push(&p->values, v);
		break;
	}
	case IR_CONSTANT:
		push_constant(p, e);
		break;
	case IR_OP:
	case IR_CTOR:
		push_builtin(p, e);
		break;
	case IR_GLOBAL:
		partial_global(p, e);
		break;
	case IR_FUNCTION:
		partial_literal(p, ir_as_function(e), env, name);
		break;
	case IR_LET:
		begin(p, STEP_LET, e, env);
		break;
	case IR_IF:
		begin(p, STEP_IF, e, env);
		break;
	case IR_MATCH:
		begin(p, STEP_MATCH, e, env);
		break;
	default:
		begin(p, STEP_OPERANDS, e, env);
	}
}

/* The value for a node other than a call whose operands are V. */
static struct partial_value *
combine(struct partial *p, const ir_expr *e, struct partial_value *const *v)
{
	uint32_t n = ir_num_operands(e);
	const ir_expr **atoms = ARENA_NEW_ARRAY(p->a, n, const ir_expr *);
	struct partial_value *out = NULL;
	const ir_expr *atom;
	enum partial_kind kind = PARTIAL_UNKNOWN;

	if (e->kind == IR_PROJ && v[0]->kind == PARTIAL_TUPLE)
		return v[0]->fields[ir_as_proj(e)->index];
	if (e->kind == IR_REF_READ && v[0]->kind == PARTIAL_REF)
		out = partial_store_get(&p->store, v[0]->atom);
	if (out)
		return out;
	for (uint32_t i = 0; i < n; i++)
		atoms[i] = v[i]->atom;
	atom = partial_emit(p, ir_rebuild(p->m, e, atoms), NULL);
	if (e->kind == IR_TUPLE || e->kind == IR_REF_WRITE)
		kind = PARTIAL_TUPLE;
	else if (e->kind == IR_REF_NEW)
		kind = PARTIAL_REF;
	out = partial_new(p, kind, atom);
	if (e->kind == IR_TUPLE) {
		out->n = n;
		out->fields = arena_copy(p->a, v, n * sizeof(*v));
	} else if (e->kind == IR_REF_NEW) {
		partial_store_put(&p->store, atom, v[0]);
	} else if (e->kind == IR_REF_WRITE) {
		if (v[0]->kind == PARTIAL_REF)
			partial_store_put(&p->store, v[0]->atom, v[1]);
		else
			partial_store_forget(&p->store);
	}
	return out;
}

static void
step_operands(struct partial *p, struct partial_task *t)
{
	uint32_t n = ir_num_operands(t->e);
	struct partial_task done = *t;
	struct partial_value **v;

	if (t->next < n) {
		const ir_expr *x = ir_operand(t->e, t->next++);

		partial_eval(p, x, done.env, NULL);
		return;
	}
	(void)vec_pop(&p->tasks);
	v = ARENA_NEW_ARRAY(p->a, n, struct partial_value *);
	for (uint32_t i = 0; i < n; i++)
		v[i] = p->values.at[done.values + i];
	p->values.len = done.values;
	if (done.e->kind == IR_CALL)
		partial_call(p, ir_as_call(done.e), done.env, v[0], v + 1);
	else
		vec_push(&p->values, combine(p, done.e, v));
}

static void
step_let(struct partial *p, struct partial_task *t)
{
	const struct ir_let *let = ir_as_let(t->e);
	struct partial_env *env = t->env;

	if (t->next++ == 0) {
		partial_eval(p, let->value, env, let->var);
		return;
	}
	(void)vec_pop(&p->tasks);
	partial_env_put(env, let->var, vec_pop(&p->values));
	partial_eval(p, let->body, env, NULL);
}

/* Begin a branch that runs or not. */
static void
open_branch(struct partial *p, const ir_expr *body, struct partial_env *env)
{
	partial_store_push(&p->store);
	vec_last(&p->tasks).lets = p->lets.len;
	partial_eval(p, body, env, NULL);
}

static const ir_expr *
close_branch(struct partial *p, size_t mark)
{
	const ir_expr *atom = vec_pop(&p->values)->atom;

	partial_store_pop(&p->store);
	return partial_close(p, mark, atom);
}

static void
finish_branches(struct partial *p, const ir_expr *value)
{
	const ir_expr *atom;

	(void)vec_pop(&p->tasks);
	partial_store_forget(&p->store);
	atom = partial_emit(p, value, NULL);
	vec_push(&p->values, partial_new(p, PARTIAL_UNKNOWN, atom));
}

static void
step_if(struct partial *p, struct partial_task *t)
{
	const struct ir_if *x = ir_as_if(t->e);
	struct partial_env *env = t->env;

	if (t->next == 0) {
		t->next++;
		partial_eval(p, x->cond, env, NULL);
	} else if (t->next == 1) {
		struct partial_value *c = vec_pop(&p->values);

		if (c->kind == PARTIAL_TENSOR && c->tensor->ndim == 0) {
			bool yes = ir_tensor_get_double(c->tensor, 0) != 0;

			(void)vec_pop(&p->tasks);
			partial_eval(p, yes ? x->then_branch : x->else_branch,
				     env, NULL);
			return;
		}
		t->branches = ARENA_NEW_ARRAY(p->a, 2, const ir_expr *);
		t->branches[0] = c->atom;
		t->next++;
		open_branch(p, x->then_branch, env);
	} else if (t->next == 2) {
		t->branches[1] = close_branch(p, t->lets);
		t->next++;
		open_branch(p, x->else_branch, env);
	} else {
		const ir_expr **b = t->branches;
		const ir_expr *other = close_branch(p, t->lets);

		finish_branches(
			p, ir_new_if(p->m, x->base.loc, b[0], b[1], other));
	}
}

enum outcome { MATCHES, DIFFERS, UNCLEAR };

static enum outcome
match_pattern(struct partial_env *env, const ir_pattern *pat,
	      struct partial_value *v)
{
	enum outcome all = MATCHES;

	if (pat->kind == PATTERN_WILDCARD)
		return MATCHES;
	if (pat->kind == PATTERN_VAR) {
		partial_env_put(env, pat->var, v);
		return MATCHES;
	}
	if (v->kind !=
	    (pat->kind == PATTERN_CTOR ? PARTIAL_DATA : PARTIAL_TUPLE))
		return UNCLEAR;
	if (pat->kind == PATTERN_CTOR && pat->ctor != v->ctor)
		return DIFFERS;
	for (uint32_t i = 0; i < pat->n && i < v->n; i++) {
		enum outcome o = match_pattern(env, pat->sub[i], v->fields[i]);

		if (o == DIFFERS)
			return DIFFERS;
		if (o == UNCLEAR)
			all = UNCLEAR;
	}
	return all;
}

/* A copy of PAT whose variables are new and stand for something unknown. */
static const ir_pattern *
open_pattern(struct partial *p, struct partial_env *env, const ir_pattern *pat)
{
	ir_pattern *copy = arena_copy(&p->m->arena, pat, sizeof(*pat));
	const ir_pattern **sub =
		ARENA_NEW_ARRAY(&p->m->arena, pat->n, const ir_pattern *);

	if (pat->kind == PATTERN_VAR) {
		copy->var = partial_copy_var(p, env, pat->var);
		partial_env_put(
			env, pat->var,
			partial_new(p, PARTIAL_UNKNOWN, &copy->var->base));
	}
	for (uint32_t i = 0; i < pat->n; i++)
		sub[i] = open_pattern(p, env, pat->sub[i]);
	copy->sub = sub;
	return copy;
}

/* The body of the clause that V takes for certain, or NULL. */
static const ir_expr *
decide_match(const struct ir_match *x, struct partial_env *env,
	     struct partial_value *v)
{
	for (uint32_t i = 0; i < x->nclauses; i++) {
		enum outcome o = match_pattern(env, x->clauses[i].pattern, v);

		if (o == MATCHES)
			return x->clauses[i].body;
		if (o == UNCLEAR)
			return NULL;
	}
	return NULL;
}

static void
finish_match(struct partial *p, const struct partial_task *t)
{
	const struct ir_match *x = ir_as_match(t->e);
	struct ir_clause *c =
		ARENA_NEW_ARRAY(p->a, x->nclauses, struct ir_clause);

	for (uint32_t i = 0; i < x->nclauses; i++) {
		c[i].pattern = t->clauses[i];
		c[i].body = t->branches[i + 1];
	}
	finish_branches(p, ir_new_match(p->m, x->base.loc, t->branches[0], c,
					x->nclauses, x->complete));
}

static void
step_match(struct partial *p, struct partial_task *t)
{
	const struct ir_match *x = ir_as_match(t->e);
	struct partial_env *env = t->env;
	uint32_t i;

	if (t->next++ == 0) {
		partial_eval(p, x->value, env, NULL);
		return;
	}
	if (!t->branches) {
		struct partial_value *v = vec_pop(&p->values);
		const ir_expr *body = decide_match(x, env, v);

		if (body) {
			(void)vec_pop(&p->tasks);
			partial_eval(p, body, env, NULL);
			return;
		}
		t->branches =
			ARENA_NEW_ARRAY(p->a, x->nclauses + 1, const ir_expr *);
		t->clauses =
			ARENA_NEW_ARRAY(p->a, x->nclauses, const ir_pattern *);
		t->branches[0] = v->atom;
	} else {
		t->branches[t->next - 2] = close_branch(p, t->lets);
	}
	i = t->next - 2;
	if (i == x->nclauses) {
		finish_match(p, t);
		return;
	}
	t->clauses[i] = open_pattern(p, env, x->clauses[i].pattern);
	open_branch(p, x->clauses[i].body, env);
}

static void
run(struct partial *p)
{
	while (p->tasks.len) {
		struct partial_task *t = &vec_last(&p->tasks);
		struct partial_task done;

		switch (t->step) {
		case STEP_OPERANDS:
			step_operands(p, t);
			break;
		case STEP_LET:
			step_let(p, t);
			break;
		case STEP_IF:
			step_if(p, t);
			break;
		case STEP_MATCH:
			step_match(p, t);
			break;
		case STEP_UNFOLDED:
			ir_map_put(&p->fuel, &t->called->base, t->fuel);
			(void)vec_pop(&p->tasks);
			break;
		case STEP_RESIDUAL:
			done = vec_pop(&p->tasks);
			partial_end_residual(p, &done);
			break;
		}
	}
}

struct sharing {
	struct ir_set seen;
	size_t nodes;
	bool found;
};

static bool
is_atom(const ir_expr *e)
{
	switch ((enum ir_kind)e->kind) {
	case IR_VAR:
	case IR_GLOBAL:
	case IR_OP:
	case IR_CTOR:
		return true;
	default:
		return false;
	}
}

static void
look_for_sharing(const ir_expr *e, void *env)
{
	struct sharing *s = env;

	s->nodes++;
	for (uint32_t i = 0; i < ir_num_operands(e); i++) {
		const ir_expr *x = ir_operand(e, i);

		if (!is_atom(x) && !ir_set_add(&s->seen, x))
			s->found = true;
	}
}

/* The number of nodes of M, after removing the sharing in it; 0: failed. */
static size_t
unshare(pass_ctx *cx)
{
	ir_module *m = cx->module;
	struct sharing s = {0};

	for (size_t i = 0; i < m->defs.len; i++)
		if (m->defs.at[i]->kind == DEF_FUNCTION)
			ir_walk(&m->defs.at[i]->fn->base, NULL,
				look_for_sharing, &s);
	ir_set_free(&s.seen);
	if (s.found) {
		normal_form_module(cx, A_NORMAL_FORM);
		m->types_valid = false;
		if (!ir_infer_module(m, cx->diag)) {
			cx->failed = true;
			return 0;
		}
	}
	return s.nodes + 1;
}

/* A use shows the type of its variable; a binder without uses has none. */
static void
type_variable(const ir_expr *e, void *env)
{
	struct partial *p = env;

	if (e->kind == IR_VAR && !e->type)
		ir_set_type(e, ir_map_get(&p->var_types, e));
}

static void
collect_untyped(const ir_expr *e, void *env)
{
	if (e->kind == IR_CONSTANT && !e->type)
		vec_push((ir_expr_vec *)env, e);
}

/* Can the types of FN be inferred? Asks a copy, which shares constants. */
static bool
has_types(struct partial *p, const struct ir_function *fn)
{
	const struct ir_copy_options o = {0};
	ir_expr_vec untyped = {0};
	bool ok;

	ir_walk(fn->body, NULL, collect_untyped, &untyped);
	ok = ir_infer_expr(p->m, ir_copy(p->m, &fn->base, &o), &p->quiet);
	for (size_t i = 0; i < untyped.len; i++)
		ir_set_type(untyped.at[i], NULL);
	vec_free(&untyped);
	return ok;
}

/* Give data its types where they do not follow from the rest. */
static void
write_hints(struct partial *p)
{
	bool ok = true;

	for (size_t i = 0; i < p->m->defs.len && p->hints.len && ok; i++)
		ok = !p->done[i] || has_types(p, p->done[i]);
	for (size_t i = 0; i < p->hints.len && !ok; i++) {
		struct ir_var *v =
			(struct ir_var *)(uintptr_t)ir_as_var(p->hints.at[i]);

		v->annotation = ir_map_get(&p->data_types, &v->base);
	}
}

static void
evaluate_module(struct partial *p)
{
	ir_module *m = p->m;

	p->done =
		ARENA_NEW_ARRAY(p->a, m->defs.len, const struct ir_function *);
	for (size_t i = 0; i < m->defs.len; i++)
		ir_map_put(&p->def_index, &m->defs.at[i]->global->base,
			   (void *)(uintptr_t)(i + 1));
	partial_store_push(&p->store);
	for (size_t i = 0; i < m->defs.len; i++) {
		partial_global(p, &m->defs.at[i]->global->base);
		run(p);
		p->values.len = 0;
	}
	partial_store_pop(&p->store);
	for (size_t i = 0; i < m->defs.len; i++) {
		if (!p->done[i])
			continue;
		m->defs.at[i]->fn = p->done[i];
		ir_walk(p->done[i]->body, NULL, type_variable, p);
	}
	write_hints(p);
}

static void
partial_free(struct partial *p)
{
	for (struct partial_env *e = p->envs; e; e = e->all)
		ir_map_free(&e->vars);
	interp_free(p->interp);
	fresh_names_free(&p->names);
	purity_free(&p->purity);
	vec_free(&p->tasks);
	vec_free(&p->values);
	vec_free(&p->lets);
	vec_free(&p->store.frames);
	ir_set_free(&p->used);
	ir_map_free(&p->globals);
	ir_map_free(&p->fuel);
	ir_map_free(&p->var_types);
	ir_map_free(&p->data_types);
	ir_set_free(&p->needed);
	vec_free(&p->hints);
	ir_map_free(&p->def_index);
}

bool
pass_partial_evaluate(pass_ctx *cx)
{
	struct partial p = {.cx = cx, .m = cx->module, .a = cx->scratch};
	size_t nodes = unshare(cx);

	if (cx->failed)
		return false;
	diag_init(&p.quiet, "partial-evaluate", NULL);
	p.quiet.quiet = true;
	p.budget = free_steps + steps_per_node * nodes;
	fresh_names_init(&p.names, cx->module, "x_");
	purity_compute(&p.purity, cx->module);
	evaluate_module(&p);
	partial_free(&p);
	return true;
}
