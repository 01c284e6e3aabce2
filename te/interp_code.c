/*
 * From nodes to cells (te/interp_internal.h).
 *
 * The first pass goes from users to operands and finds the owner of each
 * node: the innermost function literal that holds all its uses. The second
 * goes the other way and makes the cells; by the time a function literal has
 * its turn, all that it captures is known.
 */
#include "te/interp_internal.h"

#include <stdlib.h>
#include <string.h>

#include "ir/walk.h"

typedef VEC(struct interp_cell) cell_vec;

/* A function literal, or the whole expression: scope 0. */
struct scope {
	uint32_t parent;
	uint32_t depth;
	const struct ir_function *fn;
	const struct ir_var *self; /* the let that it is the value of */
	cell_vec cells;
	VEC(const ir_expr *) captured;
	VEC(uint32_t) captures; /* cells */
	uint32_t self_cell;
};

/* The cell of a node in a scope that does not own it. */
struct foreign {
	const ir_expr *node; /* NULL: free */
	uint32_t scope;
	uint32_t cell;
};

struct compiler {
	struct arena *arena;
	VEC(struct scope) scopes;
	struct interp_note *notes;
	VEC(const ir_expr *) noted;
	struct foreign *foreign;
	size_t nforeign, cap;
};

static uint32_t
common_scope(struct compiler *c, uint32_t a, uint32_t b)
{
	const struct scope *s = c->scopes.at;

	while (a != b) {
		if (s[a].depth >= s[b].depth)
			a = s[a].parent;
		else
			b = s[b].parent;
	}
	return a;
}

/* SCOPE uses E. */
static void
use_in(struct compiler *c, const ir_expr *e, uint32_t scope)
{
	uint32_t *owner = &c->notes[e->id].owner;

	if (!*owner)
		vec_push(&c->noted, e);
	*owner = (*owner ? common_scope(c, *owner - 1, scope) : scope) + 1;
}

static uint32_t
open_scope(struct compiler *c, const ir_expr *fn, uint32_t parent)
{
	struct scope s = {.parent = parent, .self_cell = INTERP_NO_CELL};

	if (c->scopes.len > 0)
		s.depth = c->scopes.at[parent].depth + 1;
	if (fn->kind == IR_FUNCTION)
		s.fn = ir_as_function(fn);
	vec_push(&c->scopes, s);
	c->notes[fn->id].fn_scope = (uint32_t)c->scopes.len;
	return (uint32_t)c->scopes.len - 1;
}

struct binding {
	struct compiler *c;
	uint32_t scope;
};

static void
bind_in(const struct ir_var *v, void *env)
{
	struct binding *b = env;

	use_in(b->c, &v->base, b->scope);
}

/* Pass one. The owner of E is known; its operands are used there. */
static void
find_owners(struct compiler *c, const ir_expr *e)
{
	struct binding b = {c, c->notes[e->id].owner - 1};

	if (e->kind == IR_FUNCTION) {
		const struct ir_function *f = ir_as_function(e);

		b.scope = c->notes[e->id].fn_scope
				  ? c->notes[e->id].fn_scope - 1
				  : open_scope(c, e, b.scope);
		for (uint32_t i = 0; i < f->nparams; i++)
			bind_in(f->params[i], &b);
	} else if (e->kind == IR_LET) {
		bind_in(ir_as_let(e)->var, &b);
	} else if (e->kind == IR_MATCH) {
		const struct ir_match *m = ir_as_match(e);

		for (uint32_t i = 0; i < m->nclauses; i++)
			ir_pattern_vars(m->clauses[i].pattern, bind_in, &b);
	}
	for (uint32_t i = 0; i < ir_num_operands(e); i++)
		use_in(c, ir_operand(e, i), b.scope);
}

/* Which let names which function literal; after pass one. */
static void
find_self(struct compiler *c, const ir_expr *e)
{
	const struct ir_let *l;

	if (e->kind != IR_LET)
		return;
	l = ir_as_let(e);
	if (l->value->kind == IR_FUNCTION)
		c->scopes.at[c->notes[l->value->id].fn_scope - 1].self = l->var;
}

static struct foreign *
find_foreign(struct compiler *c, uint32_t scope, const ir_expr *e)
{
	size_t mask = c->cap - 1;
	size_t i = (e->id * UINT32_C(2654435761) + scope * 40503u) & mask;

	while (c->foreign[i].node &&
	       (c->foreign[i].node != e || c->foreign[i].scope != scope))
		i = (i + 1) & mask;
	return &c->foreign[i];
}

static void
grow_foreign(struct compiler *c)
{
	struct foreign *old = c->foreign;
	size_t n = c->cap;

	c->cap = n ? n * 2 : 64;
	c->foreign = xcalloc(c->cap, sizeof(*c->foreign));
	for (size_t i = 0; i < n; i++)
		if (old[i].node)
			*find_foreign(c, old[i].scope, old[i].node) = old[i];
	free(old);
}

static uint32_t
new_cell(struct scope *s, const ir_expr *e)
{
	struct interp_cell cell = {.node = e};

	vec_push(&s->cells, cell);
	return (uint32_t)s->cells.len - 1;
}

/* A node that every scope makes for itself. */
static bool
is_constant(const ir_expr *e)
{
	return e->kind == IR_CONSTANT || e->kind == IR_GLOBAL ||
	       e->kind == IR_CTOR || e->kind == IR_OP;
}

static uint32_t
foreign_cell(struct compiler *c, uint32_t scope, const ir_expr *e)
{
	struct scope *s = &c->scopes.at[scope];
	struct foreign *f;

	if (c->nforeign * 2 >= c->cap)
		grow_foreign(c);
	f = find_foreign(c, scope, e);
	if (f->node)
		return f->cell;
	*f = (struct foreign){e, scope, new_cell(s, e)};
	c->nforeign++;
	if (is_constant(e))
		return f->cell;
	if (s->self && e == &s->self->base) {
		s->self_cell = f->cell;
	} else {
		vec_push(&s->captured, e);
		vec_push(&s->captures, f->cell);
	}
	return f->cell;
}

static uint32_t
cell_of(struct compiler *c, uint32_t scope, const ir_expr *e)
{
	if (is_constant(e) || c->notes[e->id].owner != scope + 1)
		return foreign_cell(c, scope, e);
	if (!c->notes[e->id].cell)
		c->notes[e->id].cell = new_cell(&c->scopes.at[scope], e) + 1;
	return c->notes[e->id].cell - 1;
}

struct op_list {
	struct compiler *c;
	uint32_t scope;
	VEC(uint32_t) at;
};

static void
add_op(struct op_list *l, const ir_expr *e)
{
	vec_push(&l->at, cell_of(l->c, l->scope, e));
}

static void
add_var(const struct ir_var *v, void *env)
{
	add_op(env, &v->base);
}

/* The cells that E works on. */
static void
list_operands(struct op_list *l, const ir_expr *e)
{
	uint32_t first =
		e->kind == IR_CALL && ir_as_call(e)->callee->kind == IR_OP;

	if (e->kind == IR_FUNCTION) {
		uint32_t s = l->c->notes[e->id].fn_scope - 1;

		/* A body that is one captured value has no user but this. */
		if (ir_as_function(e)->body)
			cell_of(l->c, s, ir_as_function(e)->body);
		for (size_t i = 0; i < l->c->scopes.at[s].captured.len; i++)
			add_op(l, l->c->scopes.at[s].captured.at[i]);
		return;
	}
	for (uint32_t i = first; i < ir_num_operands(e); i++)
		add_op(l, ir_operand(e, i));
	if (e->kind == IR_LET) {
		add_op(l, &ir_as_let(e)->var->base);
	} else if (e->kind == IR_MATCH) {
		const struct ir_match *m = ir_as_match(e);

		for (uint32_t i = 0; i < m->nclauses; i++)
			ir_pattern_vars(m->clauses[i].pattern, add_var, l);
	}
}

/* The code of SCOPE, all cells of which are made. */
static const struct interp_code *
close_scope(struct compiler *c, uint32_t scope, const ir_expr *root)
{
	struct scope *s;
	struct interp_code *code = ARENA_NEW(c->arena, struct interp_code);

	code->root = cell_of(c, scope, root);
	s = &c->scopes.at[scope];
	s->cells.at[code->root].uses++;
	code->fn = s->fn;
	code->nparams = s->fn ? s->fn->nparams : 0;
	code->self = s->self_cell;
	code->ncaptures = (uint32_t)s->captures.len;
	code->captures = arena_copy(c->arena, s->captures.at,
				    s->captures.len * sizeof(uint32_t));
	code->ncells = (uint32_t)s->cells.len;
	code->cells = arena_copy(c->arena, s->cells.at,
				 s->cells.len * sizeof(*s->cells.at));
	vec_free(&s->cells);
	vec_free(&s->captured);
	vec_free(&s->captures);
	return code;
}

/* Parameters come first, in order. */
static void
open_cells(struct compiler *c, uint32_t scope)
{
	const struct ir_function *f = c->scopes.at[scope].fn;

	for (uint32_t i = 0; f && i < f->nparams; i++)
		cell_of(c, scope, &f->params[i]->base);
}

/* Pass two: the cell of E, whose operands have theirs. */
static void
make_cell(struct compiler *c, const ir_expr *e)
{
	struct op_list l = {.c = c, .scope = c->notes[e->id].owner - 1};
	struct interp_cell *cell;
	const struct interp_code *code = NULL;
	uint32_t at;

	if (is_constant(e) || e->kind == IR_VAR)
		return;
	list_operands(&l, e);
	at = cell_of(c, l.scope, e);
	if (e->kind == IR_FUNCTION && ir_as_function(e)->body)
		code = close_scope(c, c->notes[e->id].fn_scope - 1,
				   ir_as_function(e)->body);
	cell = &c->scopes.at[l.scope].cells.at[at];
	cell->code = code;
	cell->nops = (uint32_t)l.at.len;
	cell->ops = arena_copy(c->arena, l.at.at, l.at.len * sizeof(uint32_t));
	for (size_t i = 0; i < l.at.len; i++)
		c->scopes.at[l.scope].cells.at[l.at.at[i]].uses++;
	vec_free(&l.at);
}

/* Room for all nodes of M, and for some that may follow. */
static void
reserve_notes(struct interp_notes *n, const ir_module *m)
{
	uint32_t size = m->next_id + m->next_id / 4;

	if (n->n >= m->next_id)
		return;
	n->at = xrealloc(n->at, size * sizeof(*n->at));
	memset(n->at + n->n, 0, (size - n->n) * sizeof(*n->at));
	n->n = size;
}

const struct interp_code *
interp_compile(struct arena *a, struct interp_notes *notes, const ir_module *m,
	       const ir_expr *e)
{
	struct compiler c = {.arena = a};
	const ir_expr *root = e;
	const struct interp_code *code;
	ir_expr_vec order = {0};

	reserve_notes(notes, m);
	c.notes = notes->at;
	ir_postorder(e, &order);
	use_in(&c, e, 0);
	open_scope(&c, e, 0);
	for (size_t i = order.len; i-- > 0;)
		find_owners(&c, order.at[i]);
	for (size_t i = 0; i < order.len; i++)
		find_self(&c, order.at[i]);
	for (uint32_t i = 0; i < c.scopes.len; i++)
		open_cells(&c, i);
	if (e->kind == IR_FUNCTION) {
		root = ir_as_function(e)->body;
		order.len--;
	}
	for (size_t i = 0; i < order.len; i++)
		make_cell(&c, order.at[i]);
	code = close_scope(&c, 0, root);
	for (size_t i = 0; i < c.noted.len; i++)
		notes->at[c.noted.at[i]->id] = (struct interp_note){0};
	vec_free(&c.noted);
	vec_free(&order);
	vec_free(&c.scopes);
	free(c.foreign);
	return code;
}
