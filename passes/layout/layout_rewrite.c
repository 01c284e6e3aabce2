#include "passes/layout/layout_rewrite.h"

#include <string.h>

#include "passes/layout/layout_infer.h"
#include "passes/opcall.h"

/* VALUE, in layout NOW, stands for what had layout OLD; NULL: as it was. */
struct view {
	const ir_expr *value;
	const char *old;
	const char *now;
	const ir_type *type; /* in layout OLD */
};

/* What became of a node. A tuple whose fields are known is not built yet. */
struct state {
	bool is_tuple;
	uint32_t n;
	struct view *at;
	const ir_expr *whole; /* in old layouts; NULL: not made yet */
};

struct transform {
	const char *from;
	const char *to;
	const ir_expr *result;
	struct transform *next;
};

struct rewriter {
	pass_ctx *cx;
	ir_module *m;
	layout_choose_fn *choose;
	void *env;
	struct ir_map states;     /* old node -> struct state */
	struct ir_map transforms; /* value -> struct transform */
};

/* One call on its way: operands flattened, with the four layouts of each. */
struct work {
	const struct ir_call *call;
	uint32_t n;
	const struct view *views;
	const ir_type **types;
	const char **old_made; /* by the producer */
	const char **now_made;
	const char **old_used; /* by this call */
	const char **now_used;
	uint32_t nout;
	const char **old_out;
	const char **now_out;
	struct layout_choice choice;
};

static uint32_t
num_results(const ir_type *t)
{
	return t->kind == TYPE_TUPLE ? ir_as_tuple_type(t)->nfields : 1;
}

static const ir_type *
result_type(const ir_type *t, uint32_t i)
{
	return t->kind == TYPE_TUPLE ? ir_as_tuple_type(t)->fields[i] : t;
}

static bool
is_scalar(const ir_type *t)
{
	return t && t->kind == TYPE_TENSOR && ir_as_tensor_type(t)->ndim == 0;
}

/* One element, of any rank. */
static bool
is_single(const ir_type *t)
{
	int64_t size;

	return t && t->kind == TYPE_TENSOR &&
	       ir_shape_size(ir_as_tensor_type(t), &size) && size == 1;
}

/* FROM with the primal axes of TO that it lacks in front. */
static struct ir_layout
expand_layout(const struct ir_layout *from, const struct ir_layout *to)
{
	struct ir_layout out = {0};

	for (uint32_t i = 0; i < to->n; i++)
		if (to->axis[i].factor == 0 &&
		    ir_layout_index(from, to->axis[i].letter) < 0)
			out.axis[out.n++] = to->axis[i];
	for (uint32_t i = 0; i < from->n && out.n < LAYOUT_MAX_AXES; i++)
		out.axis[out.n++] = from->axis[i];
	return out;
}

/* Blocks of TO fit into the extents of T, laid out as FROM. */
static bool
is_divisible(const struct ir_layout *from, const struct ir_layout *to,
	     const struct ir_tensor_type *t)
{
	for (uint32_t i = 0; i < to->n; i++) {
		char letter = to->axis[i].letter;
		int64_t factor = ir_layout_factor(to, letter);
		int at = ir_layout_index(from, letter);
		int64_t extent = 1;

		if (to->axis[i].factor || factor == 1)
			continue;
		if (at >= 0 && (uint32_t)at < t->ndim) {
			if (!ir_dim_is_const(t->shape[at]))
				return false;
			extent = t->shape[at].value *
				 ir_layout_factor(from, letter);
		}
		if (extent % factor)
			return false;
	}
	return true;
}

/* A value of type T, in layout OLD, that is now FROM, can become TO. */
static bool
can_transform(const ir_type *t, const char *old, const char *from,
	      const char *to)
{
	struct ir_layout lold;
	struct ir_layout a;
	struct ir_layout b;
	struct ir_layout wide;

	if (from == to || from == layout_any || to == layout_any ||
	    is_scalar(t))
		return true;
	if (!t || t->kind != TYPE_TENSOR || !layout_read(old, &lold) ||
	    !layout_read(from, &a) || !layout_read(to, &b) ||
	    lold.n != ir_as_tensor_type(t)->ndim)
		return false;
	wide = expand_layout(&a, &b);
	return ir_layout_convertible(&wide, &b) &&
	       is_divisible(&lold, &b, ir_as_tensor_type(t));
}

static const ir_expr *
new_transform(struct rewriter *r, const ir_expr *value, const ir_type *t,
	      const char *from, const char *to)
{
	struct opcall b = {r->m, value->loc};
	struct ir_layout a;
	struct ir_layout c;

	if (is_scalar(t) || !layout_read(from, &a) || !layout_read(to, &c))
		return value;
	if (layout_num_primal(&a) < layout_num_primal(&c)) {
		struct ir_layout wide = expand_layout(&a, &c);

		/* It is broadcast as it is. */
		if (is_single(t))
			return value;
		value = opcall_expand_dims(&b, value, 0,
					   layout_num_primal(&c) -
						   layout_num_primal(&a));
		from = layout_name(r->m->cx, &wide);
		if (from == to)
			return value;
	}
	pass_count(r->cx, "transforms", 1);
	return opcall_layout_transform(&b, value, from, to);
}

/* VALUE of old type T, now in layout FROM, in layout TO. */
static const ir_expr *
transform(struct rewriter *r, const ir_expr *value, const ir_type *t,
	  const char *from, const char *to)
{
	struct transform *first = ir_map_get(&r->transforms, value);
	struct transform *x;

	if (from == to || from == layout_any || to == layout_any)
		return value;
	for (x = first; x; x = x->next)
		if (x->from == from && x->to == to)
			return x->result;
	x = ARENA_NEW(r->cx->scratch, struct transform);
	*x = (struct transform){from, to, new_transform(r, value, t, from, to),
				first};
	ir_map_put(&r->transforms, value, x);
	return x->result;
}

static const ir_expr *
realize_view(struct rewriter *r, const struct view *v)
{
	if (!v->now)
		return v->value;
	return transform(r, v->value, v->type, v->now, v->old);
}

/* What became of E, as it was. */
static const ir_expr *
realize(struct rewriter *r, const ir_expr *e)
{
	struct state *s = ir_map_get(&r->states, e);
	const ir_expr **fields;

	if (s->whole)
		return s->whole;
	if (!s->is_tuple) {
		s->whole = realize_view(r, &s->at[0]);
		return s->whole;
	}
	fields = xcalloc(s->n + 1, sizeof(const ir_expr *));
	for (uint32_t i = 0; i < s->n; i++)
		fields[i] = realize_view(r, &s->at[i]);
	s->whole = e->kind == IR_TUPLE
			   ? ir_with_operands(r->m, e, fields, true)
			   : ir_new_tuple(r->m, e->loc, fields, s->n);
	free(fields);
	return s->whole;
}

static struct state *
new_state(struct rewriter *r, const ir_expr *e, uint32_t n, bool is_tuple)
{
	struct state *s = ARENA_NEW(r->cx->scratch, struct state);

	s->is_tuple = is_tuple;
	s->n = n;
	s->at = ARENA_NEW_ARRAY(r->cx->scratch, n, struct view);
	ir_map_put(&r->states, e, s);
	return s;
}

static void
set_plain(struct rewriter *r, const ir_expr *e, const ir_expr *value)
{
	struct state *s = new_state(r, e, 1, false);

	s->at[0] = (struct view){value, NULL, NULL, e->type};
	s->whole = value;
}

/* The view of E, which is no unbuilt tuple, or of a field that is not. */
static struct view
view_of(struct rewriter *r, const ir_expr *e)
{
	struct state *s = ir_map_get(&r->states, e);

	if (!s->is_tuple)
		return s->at[0];
	return (struct view){realize(r, e), NULL, NULL, e->type};
}

/* E with its operands as they were. */
static void
keep(struct rewriter *r, const ir_expr *e)
{
	uint32_t n = ir_num_operands(e);
	const ir_expr **operands = xcalloc(n + 1, sizeof(const ir_expr *));

	for (uint32_t i = 0; i < n; i++)
		operands[i] = realize(r, ir_operand(e, i));
	set_plain(r, e, n ? ir_with_operands(r->m, e, operands, true) : e);
	free(operands);
}

static void
keep_tuple(struct rewriter *r, const ir_expr *e)
{
	const struct ir_tuple *t = ir_as_tuple(e);
	struct state *s = new_state(r, e, t->nfields, true);

	for (uint32_t i = 0; i < t->nfields; i++)
		s->at[i] = view_of(r, t->fields[i]);
}

static void
keep_proj(struct rewriter *r, const ir_expr *e)
{
	const struct ir_proj *p = ir_as_proj(e);
	struct state *s = ir_map_get(&r->states, p->tuple);

	if (!s->is_tuple) {
		keep(r, e);
		return;
	}
	new_state(r, e, 1, false)->at[0] = s->at[p->index];
}

/* The views of all operands; tuples are flattened by one level. */
static void
flatten_operands(struct rewriter *r, struct work *w)
{
	struct view *views;
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->call->nargs; i++) {
		const struct state *s =
			ir_map_get(&r->states, w->call->args[i]);

		n += s->is_tuple ? s->n : 1;
	}
	views = ARENA_NEW_ARRAY(r->cx->scratch, n, struct view);
	w->views = views;
	for (uint32_t i = 0; i < w->call->nargs; i++) {
		const struct state *s =
			ir_map_get(&r->states, w->call->args[i]);

		for (uint32_t k = 0; k < s->n; k++)
			views[w->n++] = s->at[k];
	}
	assert(w->n == n);
}

static void
prepare(struct rewriter *r, struct work *w)
{
	struct arena *a = r->cx->scratch;

	flatten_operands(r, w);
	w->nout = num_results(w->call->base.type);
	w->types = ARENA_NEW_ARRAY(a, w->n, const ir_type *);
	w->old_made = ARENA_NEW_ARRAY(a, w->n, const char *);
	w->now_made = ARENA_NEW_ARRAY(a, w->n, const char *);
	w->old_used = ARENA_NEW_ARRAY(a, w->n, const char *);
	w->now_used = ARENA_NEW_ARRAY(a, w->n, const char *);
	w->old_out = ARENA_NEW_ARRAY(a, w->nout, const char *);
	w->now_out = ARENA_NEW_ARRAY(a, w->nout, const char *);
	for (uint32_t i = 0; i < w->n; i++) {
		w->types[i] = w->views[i].type;
		w->old_made[i] = w->views[i].old;
		w->now_made[i] = w->views[i].now;
	}
}

/* LAYOUT has as many axes as a tensor of type T. */
static bool
describes(const char *layout, const ir_type *t)
{
	struct ir_layout l;

	if (layout == layout_any)
		return true;
	return t && t->kind == TYPE_TENSOR && layout_read(layout, &l) &&
	       l.n == ir_as_tensor_type(t)->ndim;
}

static bool
any_in_parts(const struct work *w, const char *const *layouts)
{
	struct ir_layout l;

	for (uint32_t i = 0; i < w->n; i++)
		if (layout_read(layouts[i], &l) && layout_num_primal(&l) != l.n)
			return true;
	return false;
}

static bool
ask(struct rewriter *r, struct work *w, const char *const *now,
    const char *const *old, const char **in, const char **out)
{
	const ir_op *op = ir_op_info(w->choice.op);
	layout_infer_fn *infer = layout_infer_of(w->choice.op);
	struct layout_query q = {r->m->cx, op,  w->choice.attrs, w->n,
				 now,      old, w->types};
	struct layout_answer a = {in, out, w->nout, w->choice.attrs};

	if (infer && now && layout_infer_names_axes(infer) &&
	    any_in_parts(w, old))
		q.now = NULL;
	if (!infer || !infer(&q, &a))
		return false;
	for (uint32_t i = 0; i < w->n; i++)
		if (!in[i])
			return false;
	for (uint32_t i = 0; i < w->nout; i++)
		if (!out[i] || out[i] == layout_any)
			return false;
	w->choice.attrs = a.attrs;
	return true;
}

/* What the call becomes, if that is another operator or other attributes. */
static void
choose_layouts(struct rewriter *r, struct work *w)
{
	struct layout_choice c = w->choice;

	if (r->choose(r->cx, w->call, &c, r->env) && pass_may_rewrite(r->cx))
		w->choice = c;
}

/* The layouts of the call as it is, and as it will be. */
static bool
find_layouts(struct rewriter *r, struct work *w)
{
	const ir_type *t = w->call->base.type;

	if (!ask(r, w, NULL, w->old_made, w->old_used, w->old_out))
		return false;
	for (uint32_t i = 0; i < w->n; i++) {
		if (!describes(w->old_used[i], w->types[i]))
			return false;
		if (!w->now_made[i])
			w->now_made[i] = w->old_used[i];
	}
	for (uint32_t i = 0; i < w->nout; i++)
		if (!describes(w->old_out[i], result_type(t, i)))
			return false;
	choose_layouts(r, w);
	if (!ask(r, w, w->now_made, w->old_used, w->now_used, w->now_out))
		return false;
	for (uint32_t i = 0; i < w->nout; i++)
		if (!can_transform(result_type(t, i), w->old_out[i],
				   w->now_out[i], w->old_out[i]) ||
		    !can_transform(result_type(t, i), w->old_out[i],
				   w->old_out[i], w->now_out[i]))
			return false;
	return true;
}

/*
 * A consumer may see a tensor by other names than its producer (a transpose
 * renames axes): then it is brought back first.
 */
static bool
same_names(const struct work *w, uint32_t i)
{
	return w->old_used[i] == w->old_made[i] || !w->old_made[i] ||
	       w->old_used[i] == layout_any;
}

static bool
operands_fit(const struct work *w)
{
	for (uint32_t i = 0; i < w->n; i++) {
		const ir_type *t = w->types[i];

		if (same_names(w, i)) {
			const char *old = w->old_made[i] ? w->old_made[i]
							 : w->old_used[i];

			if (!can_transform(t, old, w->now_made[i],
					   w->now_used[i]))
				return false;
		} else if (!can_transform(t, w->old_used[i], w->old_used[i],
					  w->now_used[i])) {
			return false;
		}
	}
	return true;
}

static const ir_expr *
convert_operand(struct rewriter *r, const struct work *w, uint32_t i)
{
	const ir_expr *e = w->views[i].value;
	const ir_type *t = w->types[i];

	if (same_names(w, i))
		return transform(r, e, t, w->now_made[i], w->now_used[i]);
	e = transform(r, e, t, w->now_made[i], w->old_made[i]);
	return transform(r, e, t, w->old_used[i], w->now_used[i]);
}

/* Operand ARG of the call, whose flattened parts begin at *AT. */
static const ir_expr *
convert_arg(struct rewriter *r, const struct work *w, const ir_expr *arg,
	    uint32_t *at)
{
	const struct state *s = ir_map_get(&r->states, arg);
	const ir_expr **fields;
	const ir_expr *e;

	if (!s->is_tuple)
		return convert_operand(r, w, (*at)++);
	fields = xcalloc(s->n + 1, sizeof(const ir_expr *));
	for (uint32_t i = 0; i < s->n; i++)
		fields[i] = convert_operand(r, w, (*at)++);
	e = arg->kind == IR_TUPLE ? ir_with_operands(r->m, arg, fields, false)
				  : ir_new_tuple(r->m, arg->loc, fields, s->n);
	free(fields);
	return e;
}

static const ir_expr *
build_call(struct rewriter *r, const struct work *w)
{
	const struct ir_call *call = w->call;
	const ir_expr **args =
		xcalloc(call->nargs + 1, sizeof(const ir_expr *));
	bool same = w->choice.op == ir_called_op(&call->base)->id &&
		    w->choice.attrs == call->attrs;
	uint32_t at = 0;
	const ir_expr *e = &call->base;

	for (uint32_t i = 0; i < call->nargs; i++) {
		args[i] = convert_arg(r, w, call->args[i], &at);
		same &= args[i] == call->args[i];
	}
	if (!same)
		e = ir_new_op_call(r->m, call->base.loc, w->choice.op, args,
				   call->nargs, w->choice.attrs);
	free(args);
	return e;
}

static void
rewrite_call(struct rewriter *r, const ir_expr *e)
{
	const struct ir_call *call = ir_as_call(e);
	const ir_op *op = ir_called_op(e);
	struct work w = {.call = call};
	bool is_tuple = e->type->kind == TYPE_TUPLE;
	struct state *s;
	const ir_expr *new;

	if (!op || !layout_infer_of(op->id)) {
		keep(r, e);
		return;
	}
	w.choice = (struct layout_choice){op->id, call->attrs};
	prepare(r, &w);
	if (!find_layouts(r, &w) || !operands_fit(&w)) {
		keep(r, e);
		return;
	}
	new = build_call(r, &w);
	s = new_state(r, e, w.nout, is_tuple);
	for (uint32_t i = 0; i < w.nout; i++)
		s->at[i] = (struct view){
			is_tuple ? ir_new_proj(r->m, e->loc, new, i) : new,
			w.old_out[i], w.now_out[i], result_type(e->type, i)};
}

static void
visit(const ir_expr *e, void *env)
{
	struct rewriter *r = env;

	switch ((enum ir_kind)e->kind) {
	case IR_CALL:
		rewrite_call(r, e);
		break;
	case IR_TUPLE:
		keep_tuple(r, e);
		break;
	case IR_PROJ:
		keep_proj(r, e);
		break;
	default:
		keep(r, e);
		break;
	}
}

const struct ir_function *
layout_rewrite(pass_ctx *cx, const struct ir_function *fn,
	       layout_choose_fn *choose, void *env)
{
	struct rewriter r = {
		.cx = cx, .m = cx->module, .choose = choose, .env = env};
	const ir_expr *result;

	ir_walk(&fn->base, NULL, visit, &r);
	result = realize(&r, &fn->base);
	ir_map_free(&r.states);
	ir_map_free(&r.transforms);
	return ir_as_function(result);
}
