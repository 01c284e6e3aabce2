/*
 * Blocks of bindings, tuples and match.
 */
#include "parser/prelude.h"
#include "parser/syn.h"

uint32_t
syn_item(struct parse_ctx *cx, struct loc loc, const ir_expr *e)
{
	struct arg_item item = {e, loc, NULL};

	vec_push(&cx->args, item);
	return (uint32_t)cx->args.len - 1;
}

const ir_expr *
syn_unit(struct parse_ctx *cx, struct loc loc)
{
	return ir_new_tuple(cx->m, syn_loc(cx, loc), NULL, 0);
}

const ir_expr *
syn_tuple(struct parse_ctx *cx, struct loc loc, uint32_t at)
{
	const ir_expr *e;

	vec_clear(&cx->exprs);
	for (size_t i = at; i < cx->args.len; i++)
		vec_push(&cx->exprs, cx->args.at[i].expr);
	e = ir_new_tuple(cx->m, syn_loc(cx, loc), cx->exprs.at,
			 (uint32_t)cx->exprs.len);
	cx->args.len = at;
	return e;
}

/* One expression in parentheses is itself. */
const ir_expr *
syn_paren(struct parse_ctx *cx, struct loc loc, uint32_t at)
{
	if (cx->args.len - at == 1)
		return vec_pop(&cx->args).expr;
	return syn_tuple(cx, loc, at);
}

static struct block_mark
mark_here(const struct parse_ctx *cx)
{
	struct block_mark m = {(uint32_t)cx->lets.len,
			       (uint32_t)scope_mark(&cx->locals)};

	return m;
}

static void
push_let(struct parse_ctx *cx, struct loc loc, const struct ir_var *var,
	 const ir_expr *value)
{
	struct let_item item = {var, value, syn_loc(cx, loc)};

	vec_push(&cx->lets, item);
}

/* Bindings that wait since MARK, folded around BODY from the last to first. */
const ir_expr *
syn_block(struct parse_ctx *cx, struct block_mark mark, const ir_expr *body)
{
	while (cx->lets.len > mark.lets) {
		struct let_item item = vec_pop(&cx->lets);

		if (!item.value) /* lost in a syntax error */
			item.value = syn_hole(cx, item.loc);
		body = ir_new_let(cx->m, item.loc, item.var, item.value, body);
	}
	scope_leave(&cx->locals, mark.scope);
	return body;
}

struct block_mark
syn_drop(struct parse_ctx *cx, struct loc loc, const ir_expr *value)
{
	struct block_mark mark = mark_here(cx);
	const ir_expr *var =
		ir_new_var(cx->m, syn_loc(cx, loc), ir_name(cx->cx, ""), NULL);

	push_let(cx, loc, ir_as_var(var), value);
	return mark;
}

struct block_mark
syn_lost(struct parse_ctx *cx)
{
	cx->tainted = true;
	return mark_here(cx);
}

const ir_expr *
syn_lost_body(struct parse_ctx *cx, struct loc loc)
{
	cx->tainted = true;
	return syn_hole(cx, loc);
}

struct block_mark
syn_graph_def(struct parse_ctx *cx, struct loc loc, uint64_t number,
	      const ir_expr *value)
{
	if (!graph_bind(&cx->graph, number, value) && !cx->tainted)
		diag_warning(cx->d, loc,
			     "'%%%llu' is bound already; the first binding "
			     "stays",
			     (unsigned long long)number);
	return mark_here(cx);
}

struct loc
syn_binder_loc(struct parse_ctx *cx, struct loc loc, struct loc annot_loc)
{
	struct loc whole = loc;

	if (!cx->has_spans)
		return syn_loc(cx, loc);
	whole.len = (annot_loc.off + annot_loc.len - loc.off) & 0x7fffffff;
	whole = syn_loc(cx, whole);
	return whole.span ? whole : loc;
}

/* The value is filled in when it was read. */
struct block_mark
syn_let_open(struct parse_ctx *cx, struct loc loc, struct loc annot_loc,
	     const char *name, const ir_type *annotation)
{
	struct block_mark mark = mark_here(cx);
	const struct ir_var *var;

	var = ir_as_var(ir_new_var(cx->m, syn_binder_loc(cx, loc, annot_loc),
				   name, annotation));
	scope_bind(&cx->locals, name, var);
	push_let(cx, loc, var, NULL);
	return mark;
}

struct block_mark
syn_device_let_open(struct parse_ctx *cx, struct loc loc, struct loc annot_loc,
		    const char *name, uint32_t attrs, const ir_type *annotation)
{
	const ir_meta *device = syn_take_device(cx, attrs);
	struct block_mark mark =
		syn_let_open(cx, loc, annot_loc, name, annotation);
	const struct ir_var *var = cx->lets.at[mark.lets].var;

	((struct ir_var *)(uintptr_t)var)->vdevice = device;
	return mark;
}

struct block_mark
syn_let(struct parse_ctx *cx, struct loc loc, struct block_mark mark,
	const ir_expr *value)
{
	struct let_item *item = &cx->lets.at[mark.lets];

	cx->lets.len = mark.lets + 1;
	item->value = value;
	item->loc = syn_loc(cx, loc);
	return mark;
}

struct block_mark
syn_free_var(struct parse_ctx *cx, struct loc loc, struct loc annot_loc,
	     const char *name, const ir_type *annotation)
{
	uint64_t key = (uintptr_t)name;
	ir_expr *var;

	if (!name_map_get(&cx->free_vars, key)) {
		loc = syn_binder_loc(cx, loc, annot_loc);
		var = (ir_expr *)(uintptr_t)ir_new_var(cx->m, loc, name,
						       annotation);
		var->flags |= IR_FREE_VAR;
		name_map_set(&cx->free_vars, key, var);
	}
	return mark_here(cx);
}

uint32_t
syn_arm_open(struct parse_ctx *cx)
{
	return (uint32_t)scope_mark(&cx->locals);
}

uint32_t
syn_arm(struct parse_ctx *cx, uint32_t mark, const ir_pattern *pattern,
	const ir_expr *body)
{
	struct ir_clause clause = {pattern, body};

	scope_leave(&cx->locals, mark);
	vec_push(&cx->clauses, clause);
	return (uint32_t)cx->clauses.len - 1;
}

const ir_expr *
syn_match(struct parse_ctx *cx, struct loc loc, bool complete,
	  const ir_expr *value, uint32_t arms)
{
	uint32_t n = count_items(arms, cx->clauses.len);
	size_t first = cx->clauses.len - n;
	const ir_expr *e;

	e = ir_new_match(cx->m, syn_loc(cx, loc), value,
			 n ? cx->clauses.at + first : NULL, n, complete);
	cx->clauses.len = first;
	return e;
}

static ir_pattern *
new_pattern(struct parse_ctx *cx, enum ir_pattern_kind kind, struct loc loc)
{
	ir_pattern *p = ARENA_NEW(&cx->m->arena, ir_pattern);

	p->kind = kind;
	p->loc = cx->no_locs ? LOC_NONE : loc;
	return p;
}

/* Take the sub-patterns from AT on off the stack. */
static void
take_sub_patterns(struct parse_ctx *cx, ir_pattern *p, uint32_t at)
{
	uint32_t n = count_items(at, cx->patterns.len);
	size_t first = cx->patterns.len - n;

	if (n > 0)
		p->sub = arena_copy(&cx->m->arena, cx->patterns.at + first,
				    n * sizeof(*cx->patterns.at));
	p->n = n;
	cx->patterns.len = first;
}

const ir_pattern *
syn_wildcard(struct parse_ctx *cx, struct loc loc)
{
	return new_pattern(cx, PATTERN_WILDCARD, loc);
}

const ir_pattern *
syn_var_pattern(struct parse_ctx *cx, struct loc loc, struct loc annot_loc,
		const char *name, const ir_type *annotation)
{
	ir_pattern *p = new_pattern(cx, PATTERN_VAR, loc);

	loc = syn_binder_loc(cx, loc, annot_loc);
	p->var = ir_as_var(ir_new_var(cx->m, loc, name, annotation));
	scope_bind(&cx->locals, name, p->var);
	return p;
}

const ir_pattern *
syn_ctor_pattern(struct parse_ctx *cx, struct loc loc, const char *name,
		 uint32_t sub)
{
	ir_pattern *p = new_pattern(cx, PATTERN_CTOR, loc);

	take_sub_patterns(cx, p, sub);
	p->ctor = ir_module_find_ctor(cx->m, name);
	if (!p->ctor)
		p->ctor = prelude_ctor(cx, name);
	if (p->ctor)
		return p;
	diag_error(cx->d, loc, "unknown constructor '%s'", name);
	diag_note(cx->d, loc, "a pattern variable is written '%%%s'", name);
	p->kind = PATTERN_WILDCARD;
	p->n = 0;
	return p;
}

const ir_pattern *
syn_tuple_pattern(struct parse_ctx *cx, struct loc loc, uint32_t sub)
{
	ir_pattern *p = new_pattern(cx, PATTERN_TUPLE, loc);

	take_sub_patterns(cx, p, sub);
	return p;
}

uint32_t
syn_sub_pattern(struct parse_ctx *cx, const ir_pattern *p)
{
	vec_push(&cx->patterns, p);
	return (uint32_t)cx->patterns.len - 1;
}
