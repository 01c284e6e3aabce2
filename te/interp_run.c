/*
 * The machine that evaluates cells (te/interp_internal.h).
 *
 * Work is a stack of cells being computed. A cell first asks for operands
 * that have no value yet, then computes. The last entry of an activation is
 * its result; what it forwards to (the body of a let, a branch, a callee)
 * takes its place, so that loops written as tail calls run in constant space.
 * A value is given up at its last use.
 */
#include "te/interp_internal.h"

#include "ir/walk.h"
#include "te/eval.h"

enum { MAX_FRAMES = 4000000 };

struct interp *
interp_new(ir_module *m, struct diag *d)
{
	struct interp *x = xcalloc(1, sizeof(*x));

	x->m = m;
	x->d = d;
	x->machine = eval_machine_new(m, d);
	return x;
}

void
interp_limit(struct interp *x, uint64_t calls)
{
	x->limit = calls ? calls + 1 : 0;
}

/* Cells that hold each other would never be freed. */
static void
empty_refs(struct interp *x)
{
	while (x->refs) {
		struct interp_value *cell = x->refs;
		struct interp_value *content = cell->at[0];

		x->refs = cell->cell.next;
		if (x->refs)
			x->refs->cell.link = &x->refs;
		cell->cell.link = NULL;
		cell->at[0] = NULL;
		interp_unref(content);
	}
}

void
interp_free(struct interp *x)
{
	if (!x)
		return;
	empty_refs(x);
	interp_kernels_free(x);
	eval_machine_free(x->machine);
	vec_free(&x->frames);
	vec_free(&x->slots);
	vec_free(&x->work);
	vec_free(&x->args);
	free(x->codes);
	free(x->notes.at);
	arena_free(&x->arena);
	arena_free(&x->scratch);
	free(x);
}

const struct interp_code *
interp_code_of(struct interp *x, const struct ir_function *f)
{
	uint32_t id = f->base.id;

	if (id >= x->ncodes) {
		x->codes =
			xrealloc(x->codes, x->m->next_id * sizeof(*x->codes));
		for (; x->ncodes < x->m->next_id; x->ncodes++)
			x->codes[x->ncodes] = NULL;
	}
	if (!x->codes[id])
		x->codes[id] =
			interp_compile(&x->arena, &x->notes, x->m, &f->base);
	return x->codes[id];
}

static struct interp_frame *
top_frame(struct interp *x)
{
	return &vec_last(&x->frames);
}

static struct interp_slot *
slot(struct interp *x, uint32_t cell)
{
	return &x->slots.at[top_frame(x)->base + cell];
}

struct interp_value *
interp_value_of(struct interp *x, uint32_t cell)
{
	return slot(x, cell)->value;
}

void
interp_used(struct interp *x, uint32_t cell)
{
	struct interp_slot *s = slot(x, cell);

	if (s->left > 0 && --s->left == 0) {
		interp_unref(s->value);
		s->value = NULL;
	}
}

static void
drop_slots(struct interp *x, size_t base)
{
	while (x->slots.len > base)
		interp_unref(vec_pop(&x->slots).value);
}

void
interp_set_value(struct interp *x, uint32_t cell, struct interp_value *v)
{
	struct interp_slot *s = slot(x, cell);

	interp_unref(s->value);
	s->value = v;
	if (s->left == 0) {
		s->value = NULL;
		interp_unref(v);
	}
}

static void
push_work(struct interp *x, uint32_t cell, uint32_t step)
{
	struct interp_entry e = {cell, step};

	vec_push(&x->work, e);
}

static bool fail(struct interp *x, struct loc loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static bool
fail(struct interp *x, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_report(x->d, DIAG_ERROR, loc, fmt, ap);
	va_end(ap);
	return false;
}

/*
 * Begin an activation of CODE. ARGS, as many as it has parameters, and the
 * closure are taken over.
 */
static void
open_frame(struct interp *x, const struct interp_code *code,
	   struct interp_value *closure, struct interp_value *const *args)
{
	struct interp_frame f = {
		.code = code,
		.closure = closure,
		.base = x->slots.len,
		.work = x->work.len,
	};

	vec_push(&x->frames, f);
	vec_reserve(&x->slots, x->slots.len + code->ncells);
	for (uint32_t i = 0; i < code->ncells; i++) {
		struct interp_slot s = {.left = code->cells[i].uses};

		vec_push(&x->slots, s);
	}
	for (uint32_t i = 0; i < code->nparams; i++)
		interp_set_value(x, i, args[i]);
	for (uint32_t i = 0; i < code->ncaptures; i++)
		interp_set_value(x, code->captures[i],
				 interp_ref(closure->at[i]));
	if (code->self != INTERP_NO_CELL)
		interp_set_value(x, code->self, interp_ref(closure));
	push_work(x, code->root, 0);
}

static void
close_frame(struct interp *x)
{
	struct interp_frame f = vec_pop(&x->frames);

	x->work.len = f.work;
	drop_slots(x, f.base);
	interp_unref(f.closure);
}

/* The entry at the top is the result of its activation. */
static bool
is_last(struct interp *x)
{
	return x->work.len == top_frame(x)->work + 1;
}

/* The entry at the top has the value V, which is taken over. */
static void
finish(struct interp *x, struct interp_value *v)
{
	uint32_t cell = vec_last(&x->work).cell;

	(void)vec_pop(&x->work);
	interp_set_value(x, cell, v);
}

/*
 * The entry at the top is what CELL is. In last position CELL takes its
 * place; else it waits for it with STEP.
 */
static void
forward(struct interp *x, uint32_t cell, uint32_t step)
{
	if (is_last(x)) {
		vec_last(&x->work).cell = cell;
		vec_last(&x->work).step = 0;
		return;
	}
	vec_last(&x->work).step = step;
	if (!interp_value_of(x, cell))
		push_work(x, cell, 0);
}

/* What FORWARD waited for is there. */
static void
take_forwarded(struct interp *x, uint32_t cell)
{
	struct interp_value *v = interp_ref(interp_value_of(x, cell));

	interp_used(x, cell);
	finish(x, v);
}

/* Ask for the operands [FIRST, N) of C; true: all have values. */
static bool
have_operands(struct interp *x, const struct interp_cell *c, uint32_t first,
	      uint32_t n)
{
	size_t before = x->work.len;

	for (uint32_t i = n; i-- > first;)
		if (!interp_value_of(x, c->ops[i]))
			push_work(x, c->ops[i], 0);
	return x->work.len == before;
}

static void
use_operands(struct interp *x, const struct interp_cell *c)
{
	for (uint32_t i = 0; i < c->nops; i++)
		interp_used(x, c->ops[i]);
}

static struct interp_value *
make_data(const struct ir_ctor *ctor, struct interp_value *const *fields)
{
	struct interp_value *v = interp_new_value(INTERP_DATA, ctor->nfields);

	v->ctor = ctor;
	for (uint32_t i = 0; i < ctor->nfields; i++)
		v->at[i] = interp_ref(fields[i]);
	return v;
}

/* A call of an operator that is a value. */
static struct interp_value *
call_builtin_op(struct interp *x, const struct ir_op_ref *op,
		struct interp_value *const *args, uint32_t n, struct loc loc)
{
	const ir_expr **holes = xmalloc((n + 1) * sizeof(*holes));
	const ir_expr *call;

	for (uint32_t i = 0; i < n; i++)
		holes[i] = ir_new_hole(x->m, loc);
	call = ir_new_call(x->m, loc, &op->base, holes, n,
			   op->op->attrs
				   ? ir_attrs_defaults(x->m->cx, op->op->attrs)
				   : NULL);
	free(holes);
	return interp_operator(x, ir_as_call(call), args);
}

static struct interp_value *
call_builtin(struct interp *x, const ir_expr *f,
	     struct interp_value *const *args, uint32_t n, struct loc loc)
{
	if (f->kind == IR_CTOR)
		return make_data(ir_as_ctor(f), args);
	if (f->kind == IR_GLOBAL)
		return interp_lowered(x, ir_as_global(f)->def, args, n, loc);
	return call_builtin_op(x, ir_as_op_ref(f), args, n, loc);
}

/*
 * Call CALLEE on x->args, references to which are given up. A function begins
 * an activation, in place of the one at the top if that has nothing left to
 * do.
 */
static bool
apply(struct interp *x, struct interp_value *callee, struct loc loc)
{
	struct interp_value *v = NULL;
	size_t n = x->args.len;

	if (callee->kind == INTERP_CLOSURE) {
		interp_ref(callee);
		if (callee->code->nparams != n)
			return fail(x, loc, "wrong number of arguments");
		if (x->frames.len > MAX_FRAMES)
			return fail(x, loc, "the recursion is too deep");
		if (x->limit > 0 && --x->limit == 0)
			return fail(x, loc, "too many calls");
		if (is_last(x))
			close_frame(x);
		open_frame(x, callee->code, callee, x->args.at);
		return true;
	}
	if (callee->kind == INTERP_BUILTIN)
		v = call_builtin(x, callee->builtin, x->args.at, (uint32_t)n,
				 loc);
	for (size_t i = 0; i < n; i++)
		interp_unref(x->args.at[i]);
	if (!v)
		return callee->kind == INTERP_BUILTIN
			       ? false
			       : fail(x, loc, "this is no function");
	finish(x, v);
	return true;
}

/* References to the operands of C from FIRST on, in x->args. */
static void
collect_args(struct interp *x, const struct interp_cell *c, uint32_t first)
{
	vec_clear(&x->args);
	for (uint32_t i = first; i < c->nops; i++)
		vec_push(&x->args, interp_ref(interp_value_of(x, c->ops[i])));
}

static bool
step_operator(struct interp *x, const struct interp_cell *c)
{
	struct interp_value *v;

	collect_args(x, c, 0);
	use_operands(x, c);
	v = interp_operator(x, ir_as_call(c->node), x->args.at);
	for (size_t i = 0; i < x->args.len; i++)
		interp_unref(x->args.at[i]);
	if (v)
		finish(x, v);
	return v != NULL;
}

static bool
step_call(struct interp *x, const struct interp_cell *c, uint32_t step)
{
	struct interp_value *callee;
	bool ok;

	if (step == 2) {
		/* The callee is done, and its result in the slot. */
		(void)vec_pop(&x->work);
		return true;
	}
	if (step == 0) {
		vec_last(&x->work).step = 1;
		if (!have_operands(x, c, 0, c->nops))
			return true;
	}
	if (ir_called_op(c->node))
		return step_operator(x, c);
	callee = interp_ref(interp_value_of(x, c->ops[0]));
	collect_args(x, c, 1);
	use_operands(x, c);
	vec_last(&x->work).step = 2;
	ok = apply(x, callee, c->node->loc);
	interp_unref(callee);
	return ok;
}

static struct interp_value *
make_closure(struct interp *x, const struct interp_cell *c)
{
	struct interp_value *v = interp_new_value(INTERP_CLOSURE, c->nops);

	v->code = c->code;
	for (uint32_t i = 0; i < c->nops; i++)
		v->at[i] = interp_ref(interp_value_of(x, c->ops[i]));
	return v;
}

static struct interp_value *
make_ref(struct interp *x, struct interp_value *content)
{
	struct interp_value *v = interp_new_value(INTERP_REF, 1);

	v->at[0] = interp_ref(content);
	v->cell.link = &x->refs;
	v->cell.next = x->refs;
	if (x->refs)
		x->refs->cell.link = &v->cell.next;
	x->refs = v;
	return v;
}

static struct interp_value *
write_ref(struct interp_value *cell, struct interp_value *content)
{
	struct interp_value *old = cell->at[0];

	cell->at[0] = interp_ref(content);
	interp_unref(old);
	return interp_new_value(INTERP_TUPLE, 0);
}

/* The value of a node whose operands have values and that just makes one. */
static struct interp_value *
make_value(struct interp *x, const struct interp_cell *c)
{
	struct interp_value *first =
		c->nops > 0 ? interp_value_of(x, c->ops[0]) : NULL;
	struct interp_value *v;

	switch (c->node->kind) {
	case IR_TUPLE:
		v = interp_new_value(INTERP_TUPLE, c->nops);
		for (uint32_t i = 0; i < c->nops; i++)
			v->at[i] = interp_ref(interp_value_of(x, c->ops[i]));
		return v;
	case IR_PROJ:
		return interp_ref(first->at[ir_as_proj(c->node)->index]);
	case IR_FUNCTION:
		return make_closure(x, c);
	case IR_REF_NEW:
		return make_ref(x, first);
	case IR_REF_READ:
		return interp_ref(first->at[0]);
	case IR_REF_WRITE:
		return write_ref(first, interp_value_of(x, c->ops[1]));
	default:
		return NULL;
	}
}

static bool
step_simple(struct interp *x, const struct interp_cell *c, uint32_t step)
{
	struct interp_value *v;

	if (c->node->kind == IR_FUNCTION && !c->code)
		return fail(x, c->node->loc, "this function has no body");
	if (step == 0) {
		vec_last(&x->work).step = 1;
		if (!have_operands(x, c, 0, c->nops))
			return true;
	}
	v = make_value(x, c);
	if (!v)
		return fail(x, c->node->loc, "this cannot be evaluated");
	use_operands(x, c);
	finish(x, v);
	return true;
}

static bool
step_let(struct interp *x, const struct interp_cell *c, uint32_t step)
{
	switch (step) {
	case 0:
		vec_last(&x->work).step = 1;
		if (!have_operands(x, c, 0, 1))
			return true;
		/* fall through */
	case 1:
		interp_set_value(x, c->ops[2],
				 interp_ref(interp_value_of(x, c->ops[0])));
		interp_used(x, c->ops[0]);
		interp_used(x, c->ops[2]);
		forward(x, c->ops[1], 2);
		return true;
	default:
		take_forwarded(x, c->ops[1]);
		return true;
	}
}

static bool
step_if(struct interp *x, const struct interp_cell *c, uint32_t step)
{
	bool cond;

	switch (step) {
	case 0:
		vec_last(&x->work).step = 1;
		if (!have_operands(x, c, 0, 1))
			return true;
		/* fall through */
	case 1:
		cond = ir_tensor_get_int(interp_value_of(x, c->ops[0])->tensor,
					 0);
		interp_used(x, c->ops[0]);
		forward(x, c->ops[cond ? 1 : 2], cond ? 2 : 3);
		return true;
	default:
		take_forwarded(x, c->ops[step - 1]);
		return true;
	}
}

static bool
step_match(struct interp *x, const struct interp_cell *c, uint32_t step)
{
	uint32_t i;

	switch (step) {
	case 0:
		vec_last(&x->work).step = 1;
		if (!have_operands(x, c, 0, 1))
			return true;
		/* fall through */
	case 1:
		i = interp_select_clause(x, c);
		if (i == ir_as_match(c->node)->nclauses)
			return fail(x, c->node->loc,
				    "no clause of the match fits the value");
		interp_used(x, c->ops[0]);
		forward(x, c->ops[1 + i], 2 + i);
		return true;
	default:
		take_forwarded(x, c->ops[step - 1]);
		return true;
	}
}

static struct interp_value *
builtin(const ir_expr *e)
{
	struct interp_value *v = interp_new_value(INTERP_BUILTIN, 0);

	v->builtin = e;
	return v;
}

static struct interp_value *
global_value(struct interp *x, const struct ir_global *g)
{
	struct interp_value *v;

	if (g->def && ((g->def->kind == DEF_TE && g->def->te) ||
		       (g->def->kind == DEF_TIR && g->def->tir)))
		return builtin(&g->base);
	if (!g->def || g->def->kind != DEF_FUNCTION || !g->def->fn->body) {
		fail(x, g->base.loc, "'@%s' has no body to evaluate", g->name);
		return NULL;
	}
	v = interp_new_value(INTERP_CLOSURE, 0);
	v->code = interp_code_of(x, g->def->fn);
	return v;
}

static bool
step_leaf(struct interp *x, const struct interp_cell *c)
{
	const ir_expr *e = c->node;
	struct interp_value *v = NULL;

	switch (e->kind) {
	case IR_CONSTANT:
		if (!ir_as_constant(e)->data)
			return fail(x, e->loc,
				    "meta[relay.Constant][%u] has no value",
				    ir_as_constant(e)->meta_index);
		v = interp_tensor(ir_tensor_ref(ir_as_constant(e)->data));
		break;
	case IR_GLOBAL:
		v = global_value(x, ir_as_global(e));
		break;
	case IR_CTOR:
	case IR_OP:
		v = builtin(e);
		break;
	case IR_VAR:
		return fail(x, e->loc, "variable '%%%s' has no value",
			    ir_as_var(e)->name);
	default:
		return fail(x, e->loc, "this cannot be evaluated");
	}
	if (v)
		finish(x, v);
	return v != NULL;
}

static bool
step(struct interp *x)
{
	struct interp_entry e = vec_last(&x->work);
	const struct interp_cell *c = &top_frame(x)->code->cells[e.cell];

	switch (c->node->kind) {
	case IR_CALL:
		return step_call(x, c, e.step);
	case IR_LET:
		return step_let(x, c, e.step);
	case IR_IF:
		return step_if(x, c, e.step);
	case IR_MATCH:
		return step_match(x, c, e.step);
	case IR_TUPLE:
	case IR_PROJ:
	case IR_FUNCTION:
	case IR_REF_NEW:
	case IR_REF_READ:
	case IR_REF_WRITE:
		return step_simple(x, c, e.step);
	default:
		return step_leaf(x, c);
	}
}

/* The activation at the top is done: its last entry has a value. */
static struct interp_value *
result_of(struct interp *x, uint32_t cell)
{
	struct interp_value *v = interp_ref(interp_value_of(x, cell));

	close_frame(x);
	return v;
}

/* Run until there are as many activations as DEPTH; the result of the last. */
static struct interp_value *
run(struct interp *x, size_t depth)
{
	for (;;) {
		uint32_t cell = vec_last(&x->work).cell;
		struct interp_value *v;

		if (!interp_value_of(x, cell)) {
			if (!step(x))
				return NULL;
			if (x->work.len > top_frame(x)->work)
				continue;
		} else if (!is_last(x)) {
			(void)vec_pop(&x->work);
			continue;
		}
		v = result_of(x, cell);
		if (x->frames.len == depth)
			return v;
		interp_set_value(x, vec_last(&x->work).cell, v);
		(void)vec_pop(&x->work);
	}
}

/*
 * Run CLOSURE, which is taken over; after a failure all activations that it
 * began are ended.
 */
static struct interp_value *
run_closure(struct interp *x, struct interp_value *closure,
	    struct interp_value *const *args)
{
	size_t depth = x->frames.len;
	struct interp_value *v;

	open_frame(x, closure->code, closure, args);
	v = run(x, depth);
	while (x->frames.len > depth)
		close_frame(x);
	return v;
}

static struct interp_value *
run_code(struct interp *x, const struct interp_code *code,
	 struct interp_value *const *args)
{
	struct interp_value *closure = interp_new_value(INTERP_CLOSURE, 0);

	closure->code = code;
	return run_closure(x, closure, args);
}

struct interp_value *
interp_apply(struct interp *x, struct interp_value *f,
	     struct interp_value *const *args, uint32_t n, struct loc loc)
{
	struct interp_value **at = x->args.at;
	size_t len = x->args.len, cap = x->args.cap;
	struct interp_value *v;

	if (f->kind == INTERP_BUILTIN)
		return call_builtin(x, f->builtin, args, n, loc);
	if (f->kind != INTERP_CLOSURE || f->code->nparams != n) {
		fail(x, loc, "wrong number of arguments");
		return NULL;
	}
	if (x->limit > 0 && --x->limit == 0) {
		fail(x, loc, "too many calls");
		return NULL;
	}
	for (uint32_t i = 0; i < n; i++)
		interp_ref(args[i]);
	/* ARGS may be in this scratch of the operator. */
	x->args.at = NULL;
	x->args.len = x->args.cap = 0;
	v = run_closure(x, interp_ref(f), args);
	vec_free(&x->args);
	x->args.at = at;
	x->args.len = len;
	x->args.cap = cap;
	return v;
}

struct interp_value *
interp_call(struct interp *x, const ir_def *def,
	    struct interp_value *const *args, uint32_t n)
{
	const struct interp_code *code;

	if (def->kind != DEF_FUNCTION || !def->fn->body) {
		fail(x, def->loc, "'@%s' has no body to evaluate", def->name);
		return NULL;
	}
	code = interp_code_of(x, def->fn);
	if (code->nparams != n) {
		fail(x, def->loc, "'@%s' takes %u arguments, not %u", def->name,
		     code->nparams, n);
		return NULL;
	}
	for (uint32_t i = 0; i < n; i++)
		interp_ref(args[i]);
	return run_code(x, code, args);
}

struct interp_value *
interp_eval(struct interp *x, const ir_expr *e)
{
	struct ir_function_parts parts = {.body = e};
	const ir_expr *f = ir_new_function(x->m, e->loc, &parts);

	return run_code(x, interp_code_of(x, ir_as_function(f)), NULL);
}
