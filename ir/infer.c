/*
 * Type inference of modules: definitions in order of the call graph, what is
 * left when a group is solved, and faults.
 *
 * A group is a strongly connected component of the call graph; groups are
 * taken callees first (ir/infer_order.c). Within a group a definition has the
 * type that its annotations give, with holes for the rest.
 */
#include "ir/infer.h"

#include <stdarg.h>

#include "ir/infer_internal.h"
#include "ir/print.h"
#include "ir/te.h"
#include "ir/tir.h"

/* Types of more nodes than this are not written out in messages. */
enum { MAX_TEXT = 1000 };

const ir_type *
infer_error(struct infer *in, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_report(in->d, DIAG_ERROR, loc, fmt, ap);
	va_end(ap);
	in->errors++;
	return in->error;
}

const char *
infer_type_text(struct infer *in, const ir_type *t)
{
	t = infer_resolve(in, t);
	if (t->size > MAX_TEXT)
		return "(a large type)";
	return ir_type_text(in->cx, t);
}

/* Ids are spread by a multiplication; the table is at most half full. */
static uint32_t *
find_id(const struct infer_idset *s, uint32_t id)
{
	uint32_t mask = s->nslots - 1;
	uint32_t i = id * UINT32_C(2654435761) & mask;

	while (s->slots[i] && s->slots[i] != id + 1)
		i = (i + 1) & mask;
	return &s->slots[i];
}

static void
grow_ids(struct infer_idset *s)
{
	struct infer_idset old = *s;

	s->nslots = old.nslots ? old.nslots * 2 : 64;
	s->slots = xcalloc(s->nslots, sizeof(*s->slots));
	for (uint32_t i = 0; i < old.nslots; i++)
		if (old.slots[i])
			*find_id(s, old.slots[i] - 1) = old.slots[i];
	free(old.slots);
}

bool
infer_has_seen(const struct infer *in, const ir_expr *e)
{
	if (!in->trust)
		return ir_set_has(&in->seen, e);
	return in->few.nslots && *find_id(&in->few, e->id);
}

bool
infer_see(struct infer *in, const ir_expr *e)
{
	uint32_t *slot;

	if (!in->trust)
		return ir_set_add(&in->seen, e);
	if (in->few.count * 2 >= in->few.nslots)
		grow_ids(&in->few);
	slot = find_id(&in->few, e->id);
	if (*slot)
		return false;
	*slot = e->id + 1;
	in->few.count++;
	return true;
}

static void
start(struct infer *in, ir_module *m, struct diag *d)
{
	*in = (struct infer){.m = m, .cx = m->cx, .d = d};
	in->boolean = ir_type_scalar(m->cx, DTYPE_BOOL);
	infer_solver_init(in);
}

static void
finish(struct infer *in)
{
	infer_solver_free(in);
	ir_set_free(&in->seen);
	free(in->few.slots);
	vec_free(&in->stack);
	vec_free(&in->fixups);
	vec_free(&in->hints);
	vec_free(&in->untyped);
	arena_free(&in->scratch);
	arena_free(&in->arena);
}

/* What inference found before decides where nothing else does. */
static void
apply_hints(struct infer *in)
{
	for (size_t i = 0; i < in->hints.len; i++) {
		struct infer_hint h = in->hints.at[i];

		if (!(infer_resolve(in, h.type)->flags & TYPE_HAS_HOLE))
			continue;
		infer_unify(in, h.type, h.annotation);
		infer_run_queue(in);
	}
	vec_clear(&in->hints);
}

static void
report_unknown(struct infer *in, const ir_expr *e)
{
	const char *what = "expression";

	if (e->kind == IR_VAR) {
		infer_error(in, e->loc,
			    "the type of '%%%s' cannot be inferred; it needs "
			    "an annotation",
			    ir_as_var(e)->name);
		return;
	}
	if (ir_called_op(e)) {
		infer_error(in, e->loc,
			    "the type of this call of '%s' cannot be inferred",
			    ir_called_op(e)->name);
		return;
	}
	if (e->kind == IR_FUNCTION)
		what = "function";
	infer_error(in, e->loc, "the type of this %s cannot be inferred", what);
}

/* What came last: all lets of a chain have the type of its end. */
struct resolved {
	const ir_type *from, *to;
};

/* The final type of E, which held holes when it was set. */
static void
fix_node(struct infer *in, const ir_expr *e, struct resolved *last)
{
	const ir_type *t;

	if (!e->type)
		return;
	if (e->type != last->from)
		*last = (struct resolved){e->type, infer_resolve(in, e->type)};
	t = last->to;
	if (t->flags & TYPE_HAS_HOLE) {
		if (!infer_is_poisoned(in, t))
			report_unknown(in, e);
		infer_poison(in, t);
		infer_run_queue(in);
		*last = (struct resolved){NULL, NULL};
		ir_set_type(e, NULL);
		return;
	}
	ir_set_type(e, t);
	if (e->kind == IR_VAR)
		infer_fill_var(ir_as_var(e));
	else if (e->kind == IR_FUNCTION)
		infer_fill_function(ir_as_function(e));
	else if (e->kind == IR_OP)
		ir_set_type(e, NULL);
}

static bool
is_open(struct infer *in, const ir_expr *e)
{
	return e->type && infer_resolve(in, e->type)->flags & TYPE_HAS_HOLE;
}

/*
 * What elements an empty list would have, if nobody ever says, makes no
 * difference: (). Passes drop annotations that were there to say it.
 */
static void
close_data_types(struct infer *in)
{
	const ir_type *last = NULL;

	for (size_t i = 0; i < in->fixups.len; i++) {
		const ir_expr *e = in->fixups.at[i];

		if (e->type != last && is_open(in, e))
			infer_close_data(in, e->type);
		last = e->type;
	}
	infer_run_queue(in);
}

/*
 * All constraints are in: decide what is left. ROOTS are what others will
 * see, so their types may not be just any.
 */
static void
settle(struct infer *in, const ir_expr *const *roots, uint32_t n)
{
	bool closed = true;
	struct resolved last = {NULL, NULL};

	infer_run_queue(in);
	infer_run_all(in);
	if (in->hints.len > 0) {
		apply_hints(in);
		infer_run_all(in);
	}
	for (uint32_t i = 0; i < n; i++)
		closed &= !is_open(in, roots[i]);
	if (closed)
		close_data_types(in);
	for (size_t i = 0; i < in->fixups.len; i++)
		fix_node(in, in->fixups.at[i], &last);
	vec_clear(&in->fixups);
}

/* The type of a definition that is no Relay function; NULL: it has none. */
static const ir_type *
lowered_type(ir_module *m, const ir_def *def)
{
	if (def->kind == DEF_TIR && def->tir)
		return def->tir->relay_type;
	if (def->kind == DEF_TE && def->te)
		return te_func_type(m->cx, def->te);
	return NULL;
}

/* T for the global G, for now if it is no type: after a fault. */
static void
type_global(struct infer *in, const struct ir_global *g, const ir_type *t)
{
	if (!t)
		t = in->error;
	if (t->flags & TYPE_HAS_HOLE)
		vec_push(&in->untyped, &g->base);
	ir_set_type(&g->base, t);
}

static void
clear_globals(struct infer *in)
{
	for (size_t i = 0; i < in->untyped.len; i++) {
		const ir_expr *g = in->untyped.at[i];

		if (g->type && g->type->flags & TYPE_HAS_HOLE)
			ir_set_type(g, NULL);
	}
}

static void
type_group(struct infer *in, ir_def *const *defs, uint32_t n)
{
	const ir_expr **roots = ARENA_NEW_ARRAY(&in->arena, n, const ir_expr *);

	infer_solver_reset(in);
	for (uint32_t i = 0; i < n; i++) {
		roots[i] = &defs[i]->fn->base;
		infer_declare_function(in, defs[i]->fn);
		ir_set_type(&defs[i]->global->base, defs[i]->fn->base.type);
	}
	for (uint32_t i = 0; i < n; i++) {
		infer_function(in, defs[i]->fn);
		ir_set_type(&defs[i]->global->base, defs[i]->fn->base.type);
	}
	settle(in, roots, n);
}

static void
infer_group(struct infer *in, ir_def *const *defs, uint32_t n)
{
	in->forgot = false;
	type_group(in, defs, n);
	if (in->forgot && in->errors == 0) {
		in->late = true;
		ir_set_clear(&in->seen);
		type_group(in, defs, n);
		in->late = false;
	}
	for (uint32_t i = 0; i < n; i++)
		type_global(in, defs[i]->global, defs[i]->fn->base.type);
}

bool
infer_known_global(struct infer *in, const struct ir_global *g)
{
	const ir_def *def = g->def;
	const ir_type *t;

	if (!def)
		return false;
	if (def->kind == DEF_FUNCTION && def->fn)
		t = in->trust ? def->fn->base.type : NULL;
	else
		t = lowered_type(in->m, def);
	type_global(in, g, t);
	return true;
}

bool
ir_infer_module(ir_module *m, struct diag *d)
{
	struct infer in;
	struct infer_order order;

	start(&in, m, d);
	for (size_t i = 0; i < m->globals.len; i++)
		ir_set_type(&m->globals.at[i]->base, NULL);
	infer_order_init(&order, m);
	for (uint32_t i = 0; i < order.ngroups; i++)
		infer_group(&in, order.defs + order.group[i],
			    order.group[i + 1] - order.group[i]);
	infer_order_free(&order);
	clear_globals(&in);
	finish(&in);
	m->types_valid = in.errors == 0;
	return m->types_valid;
}

bool
ir_infer_expr(ir_module *m, const ir_expr *e, struct diag *d)
{
	struct infer in;

	start(&in, m, d);
	in.trust = true;
	infer_walk(&in, e);
	settle(&in, &e, 1);
	clear_globals(&in);
	finish(&in);
	return in.errors == 0;
}

static void
forget_var(const struct ir_var *v, void *env)
{
	struct ir_var *w = (struct ir_var *)(uintptr_t)v;

	(void)env;
	w->base.type = NULL;
	if (w->base.flags & IR_ANNOTATION_INFERRED) {
		w->annotation = NULL;
		w->base.flags &= (uint8_t)~IR_ANNOTATION_INFERRED;
	}
}

static void
forget_function(const struct ir_function *f)
{
	struct ir_function *g = (struct ir_function *)(uintptr_t)f;

	for (uint32_t i = 0; i < f->nparams; i++)
		forget_var(f->params[i], NULL);
	if (g->base.flags & IR_ANNOTATION_INFERRED) {
		g->ret_type = NULL;
		g->base.flags &= (uint8_t)~IR_ANNOTATION_INFERRED;
	}
}

static void
forget_node(const ir_expr *e, void *env)
{
	const struct ir_match *m;

	switch (e->kind) {
	case IR_VAR:
		forget_var(ir_as_var(e), env);
		return;
	case IR_FUNCTION:
		forget_function(ir_as_function(e));
		break;
	case IR_LET:
		forget_var(ir_as_let(e)->var, env);
		break;
	case IR_MATCH:
		m = ir_as_match(e);
		for (uint32_t i = 0; i < m->nclauses; i++)
			ir_pattern_vars(m->clauses[i].pattern, forget_var,
					NULL);
		break;
	case IR_CONSTANT:
		if (!ir_as_constant(e)->data)
			return;
		break;
	default:
		break;
	}
	ir_set_type(e, NULL);
}

void
ir_forget_types(ir_module *m)
{
	for (size_t i = 0; i < m->defs.len; i++)
		if (m->defs.at[i]->kind == DEF_FUNCTION && m->defs.at[i]->fn)
			ir_walk(&m->defs.at[i]->fn->base, NULL, forget_node,
				NULL);
	m->types_valid = false;
}
