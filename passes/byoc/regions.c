#include "passes/byoc/regions.h"

#include <string.h>

bool
is_compiler_begin(const ir_expr *e)
{
	return ir_is_call_of(e, OP_annotation_compiler_begin);
}

bool
is_compiler_end(const ir_expr *e)
{
	return ir_is_call_of(e, OP_annotation_compiler_end);
}

const char *
annotated_compiler(const ir_expr *e)
{
	return ir_attrs_string(ir_as_call(e)->attrs, "compiler");
}

static void
list_push(struct regions *r, struct region_list *l, const ir_expr *e)
{
	struct region_link *x = ARENA_NEW(r->arena, struct region_link);

	x->e = e;
	if (l->last)
		l->last->next = x;
	else
		l->first = x;
	l->last = x;
}

static void
list_join(struct region_list *to, struct region_list *from)
{
	if (!from->first)
		return;
	if (to->last)
		to->last->next = from->first;
	else
		to->first = from->first;
	to->last = from->last;
	*from = (struct region_list){0};
}

struct region *
region_of(struct regions *r, const ir_expr *e)
{
	uintptr_t id = (uintptr_t)ir_map_get(&r->of, e);
	struct region *x;

	if (id == 0)
		return NULL;
	x = &r->all.at[id - 1];
	while (x->parent != x->id) {
		x->parent = r->all.at[x->parent].parent;
		x = &r->all.at[x->parent];
	}
	return x;
}

void
regions_merge(struct regions *r, struct region *from, struct region *into)
{
	(void)r;
	from->parent = into->id;
	list_join(&into->ins, &from->ins);
	list_join(&into->outs, &from->outs);
	list_join(&into->callees, &from->callees);
}

static void
put(struct regions *r, const ir_expr *e, const struct region *x)
{
	ir_map_put(&r->of, e, (void *)(uintptr_t)(x->id + 1));
}

static void
begin_region(struct regions *r, const ir_expr *e)
{
	struct region x = {
		.id = (uint32_t)r->all.len,
		.parent = (uint32_t)r->all.len,
		.target = annotated_compiler(e),
	};

	list_push(r, &x.ins, e);
	vec_push(&r->all, x);
	put(r, e, &x);
}

static bool
end_region(struct regions *r, pass_ctx *cx, const ir_expr *e)
{
	struct region *x = region_of(r, ir_as_call(e)->args[0]);

	if (!x) {
		pass_error(cx, e->loc,
			   "no region ends here: what is "
			   "annotated depends on no "
			   "compiler_begin");
		return false;
	}
	if (x->target != annotated_compiler(e)) {
		pass_error(cx, e->loc, "a region of '%s' ends as one of '%s'",
			   x->target, annotated_compiler(e));
		return false;
	}
	list_push(r, &x->outs, e);
	put(r, e, x);
	return true;
}

bool
region_is_neutral(const ir_expr *e)
{
	switch ((enum ir_kind)e->kind) {
	case IR_OP:
	case IR_GLOBAL:
	case IR_CTOR:
	case IR_FUNCTION:
		return true;
	case IR_CALL:
		return ir_as_call(e)->nargs == 0;
	case IR_TUPLE:
		return ir_as_tuple(e)->nfields == 0;
	default:
		return false;
	}
}

/* Is E, which is called, more than a name? */
static bool
has_value(const ir_expr *e)
{
	return e->kind != IR_OP && e->kind != IR_GLOBAL && e->kind != IR_CTOR;
}

/* E joins the open regions of its operands, which become one. */
static bool
join_operands(struct regions *r, pass_ctx *cx, const ir_expr *e)
{
	uint32_t n = ir_num_operands(e);
	uint32_t first = e->kind == IR_CALL;
	struct region *into = NULL;
	bool outside = false;

	for (uint32_t i = first; i < n; i++) {
		const ir_expr *x = ir_operand(e, i);
		struct region *region =
			is_compiler_end(x) ? NULL : region_of(r, x);

		if (!region) {
			outside |= !region_is_neutral(x);
			continue;
		}
		if (!into)
			into = region;
		if (into->target != region->target) {
			pass_error(cx, e->loc,
				   "regions of '%s' and '%s' meet here",
				   into->target, region->target);
			return false;
		}
		if (region != into)
			regions_merge(r, region, into);
	}
	if (into && outside) {
		pass_error(cx, e->loc,
			   "part of what this takes is outside the region "
			   "of '%s'",
			   into->target);
		return false;
	}
	if (into)
		put(r, e, into);
	if (into && e->kind == IR_CALL && has_value(ir_as_call(e)->callee))
		list_push(r, &into->callees, ir_as_call(e)->callee);
	return true;
}

static bool
refuse_control(struct regions *r, pass_ctx *cx, const ir_expr *e)
{
	for (uint32_t i = 0; i < ir_num_operands(e); i++) {
		const ir_expr *x = ir_operand(e, i);

		if (is_compiler_end(x) || !region_of(r, x))
			continue;
		pass_error(cx, e->loc, "control flow in a region of '%s'",
			   region_of(r, x)->target);
		return false;
	}
	return true;
}

static bool
classify(struct regions *r, pass_ctx *cx, const ir_expr *e)
{
	if (is_compiler_begin(e)) {
		begin_region(r, e);
		return true;
	}
	if (is_compiler_end(e))
		return end_region(r, cx, e);
	switch ((enum ir_kind)e->kind) {
	case IR_CALL:
	case IR_TUPLE:
	case IR_PROJ:
	case IR_REF_NEW:
	case IR_REF_READ:
	case IR_REF_WRITE:
		return join_operands(r, cx, e);
	case IR_LET:
	case IR_IF:
	case IR_MATCH:
	case IR_FUNCTION:
		return refuse_control(r, cx, e);
	default:
		return true;
	}
}

bool
regions_find(struct regions *r, pass_ctx *cx, const ir_expr *root)
{
	ir_expr_vec nodes = {0};
	bool ok = true;

	*r = (struct regions){.arena = cx->scratch};
	ir_postorder(root, &nodes);
	for (size_t i = 0; i < nodes.len && ok; i++)
		ok = classify(r, cx, nodes.at[i]);
	vec_free(&nodes);
	return ok;
}

void
regions_free(struct regions *r)
{
	vec_free(&r->all);
	ir_map_free(&r->of);
}

struct frame {
	const ir_expr *e;
	uint32_t next, n;
};

const ir_expr *
region_rewrite(struct region_walk *w, const ir_expr *root)
{
	VEC(struct frame) stack = {0};
	VEC(const ir_expr *) now = {0};
	const ir_expr *e = root;

	for (;;) {
		struct frame *top;

		if (e && !ir_map_get(&w->memo, e)) {
			if (!ir_set_add(&w->open, e)) {
				w->cycle = e;
				break;
			}
			vec_push(&stack,
				 ((struct frame){e, 0, w->count(e, w->env)}));
		}
		e = NULL;
		if (stack.len == 0)
			break;
		top = &vec_last(&stack);
		if (top->next < top->n) {
			e = w->operand(top->e, top->next++, w->env);
			continue;
		}
		vec_reserve(&now, top->n);
		for (uint32_t i = 0; i < top->n; i++)
			now.at[i] = ir_map_get(&w->memo,
					       w->operand(top->e, i, w->env));
		ir_map_put(&w->memo, top->e, w->finish(top->e, now.at, w->env));
		(void)vec_pop(&stack);
	}
	vec_free(&stack);
	vec_free(&now);
	return w->cycle ? NULL : ir_map_get(&w->memo, root);
}

void
region_walk_free(struct region_walk *w)
{
	ir_map_free(&w->memo);
	ir_set_free(&w->open);
}
