/*
 * Literals, names, and the small forms of expressions.
 */
#include <math.h>
#include <string.h>

#include "parser/old.h"
#include "parser/prelude.h"
#include "parser/syn.h"
#include "support/suggest.h"

/* Two suffixes are tried in turn: "64" fits everything that "32" does. */
static unsigned
natural_width(const struct number *n)
{
	uint64_t limit = (uint64_t)INT32_MAX + n->negative;

	return n->magnitude <= limit ? 32 : 64;
}

bool
syn_integer(struct parse_ctx *cx, struct loc loc, const struct number *n,
	    int64_t *value, unsigned *width)
{
	uint64_t limit;

	*width = n->width ? n->width : natural_width(n);
	*value = 0;
	if (*width == 8) {
		diag_error(cx->d, loc, "there are no literals of type int8");
		return false;
	}
	limit = ((uint64_t)1 << (*width - 1)) - !n->negative;
	if (n->overflow || n->magnitude > limit) {
		diag_error(cx->d, loc, "int%u cannot hold this number", *width);
		return false;
	}
	*value = n->negative ? (int64_t)(0 - n->magnitude)
			     : (int64_t)n->magnitude;
	return true;
}

const ir_expr *
syn_literal(struct parse_ctx *cx, struct loc loc, const struct number *n)
{
	struct dtype t = DTYPE(FLOAT, 32);
	unsigned width;
	int64_t value;

	if (n->kind == NUM_FLOAT) {
		t.bits = n->width;
		return ir_new_scalar(cx->m, syn_loc(cx, loc), t,
				     n->negative ? -n->value : n->value);
	}
	if (!syn_integer(cx, loc, n, &value, &width))
		return syn_hole(cx, loc);
	t.code = DTYPE_INT;
	t.bits = (uint8_t)width;
	return ir_new_scalar_int(cx->m, syn_loc(cx, loc), t, value);
}

/* A constructor without fields stands for its call. */
const ir_expr *
syn_plain(struct parse_ctx *cx, struct loc loc, const ir_expr *e)
{
	if (e->kind != IR_CTOR || ir_as_ctor(e)->nfields > 0)
		return e;
	return ir_new_call(cx->m, syn_loc(cx, loc), e, NULL, 0, NULL);
}

const struct number *
syn_negative(struct parse_ctx *cx, const struct number *n)
{
	struct number *out = &cx->lex.numbers[n - cx->lex.numbers];

	out->negative = !n->negative;
	return out;
}

/* The negation of version 0.6. */
const ir_expr *
syn_minus(struct parse_ctx *cx, struct loc loc, const ir_expr *e)
{
	return ir_new_op_call(cx->m, syn_loc(cx, loc), OP_negative, &e, 1,
			      NULL);
}

const ir_expr *
syn_binary(struct parse_ctx *cx, struct loc loc, enum op_id op,
	   const ir_expr *a, const ir_expr *b)
{
	const ir_expr *args[] = {a, b};

	return ir_new_op_call(cx->m, syn_loc(cx, loc), op, args, 2, NULL);
}

const ir_expr *
syn_proj(struct parse_ctx *cx, struct loc loc, const ir_expr *tuple,
	 uint64_t index)
{
	if (index > INT32_MAX) {
		diag_error(cx->d, loc, "a tuple has no field of this number");
		return syn_hole(cx, loc);
	}
	return ir_new_proj(cx->m, syn_loc(cx, loc), tuple, (uint32_t)index);
}

/* A slash belongs to the name before it; tell those who meant a division. */
static void
advise_division(struct parse_ctx *cx, const char *name)
{
	const char *slash = strchr(name, '/');
	const char *left;

	if (!slash)
		return;
	left = intern_find(&cx->cx->names, name, (size_t)(slash - name));
	if (left && scope_find(&cx->locals, left))
		diag_note(cx->d, LOC_NONE,
			  "'/' is part of a name: a division is written "
			  "'%%%s / ...'",
			  left);
}

const ir_expr *
syn_local(struct parse_ctx *cx, struct loc loc, const char *name)
{
	const ir_expr *var = scope_find(&cx->locals, name);

	if (!var)
		var = name_map_get(&cx->free_vars, (uintptr_t)name);
	if (var)
		return var;
	diag_error(cx->d, loc, "variable '%%%s' is not declared here", name);
	advise_division(cx, name);
	return syn_hole(cx, loc);
}

const ir_expr *
syn_global(struct parse_ctx *cx, struct loc loc, const char *name)
{
	const struct ir_global *g = ir_module_find_global(cx->m, name);

	if (!g) {
		g = ir_module_global(cx->m, name);
		((ir_expr *)(uintptr_t)&g->base)->loc = syn_loc(cx, loc);
	}
	return &g->base;
}

const ir_expr *
syn_graph(struct parse_ctx *cx, struct loc loc, uint64_t number)
{
	const ir_expr *e = graph_find(&cx->graph, number);

	if (e)
		return e;
	if (cx->tainted) /* its binding may be lost */
		return syn_hole(cx, loc);
	diag_error(cx->d, loc, "graph variable '%%%llu' is not bound yet",
		   (unsigned long long)number);
	return syn_hole(cx, loc);
}

const ir_expr *
syn_unknown_op(struct parse_ctx *cx, const char *name)
{
	ir_op *op;

	name = ir_name(cx->cx, name);
	op = (ir_op *)(uintptr_t)name_map_get(&cx->unknown_ops,
					      (uintptr_t)name);
	if (!op) {
		op = ARENA_NEW(&cx->cx->arena, ir_op);
		op->id = OP_UNKNOWN;
		op->name = name;
		op->ninputs = OP_MANY_INPUTS;
		op->pattern = PAT_OPAQUE;
		op->inputs = op->summary = "";
		name_map_set(&cx->unknown_ops, (uintptr_t)name, op);
	}
	return ir_op_node(cx->m, op);
}

static void
report_unknown_op(struct parse_ctx *cx, struct loc loc, const char *name)
{
	struct suggest s;
	struct dtype t;

	diag_error(cx->d, loc, "unknown operator '%s'", name);
	suggest_start(&s, name);
	for (unsigned i = 0; i < OP_COUNT; i++)
		suggest_offer(&s, ir_op_info((enum op_id)i)->name);
	if (suggest_best(&s))
		diag_note(cx->d, loc, "did you mean '%s'?", suggest_best(&s));
	else if (scope_find(&cx->locals, name))
		diag_note(cx->d, loc, "a variable is written '%%%s'", name);
	else if (dtype_parse(name, strlen(name), &t))
		diag_note(cx->d, loc, "an element type is written '\"%s\"'",
			  name);
}

/* A constructor known so far, else an operator. */
const ir_expr *
syn_named(struct parse_ctx *cx, struct loc loc, const char *name)
{
	const struct ir_ctor *ctor = ir_module_find_ctor(cx->m, name);
	const ir_expr *node;
	const ir_op *op;

	if (ctor)
		return &ctor->base;
	node = name_map_get(&cx->ops, (uintptr_t)name);
	if (node)
		return node;
	op = ir_op_find(name, intern_len(name));
	if (!op)
		op = old_operator(name);
	if (op) {
		node = ir_op_node(cx->m, op);
		name_map_set(&cx->ops, (uintptr_t)name, node);
		return node;
	}
	ctor = prelude_ctor(cx, name);
	if (ctor)
		return &ctor->base;
	if (cx->o.allow_unknown_ops)
		return syn_unknown_op(cx, name);
	report_unknown_op(cx, loc, name);
	return syn_hole(cx, loc);
}

const ir_expr *
syn_bool(struct parse_ctx *cx, struct loc loc, bool value)
{
	return ir_new_scalar_int(cx->m, syn_loc(cx, loc), DTYPE_BOOL, value);
}

const ir_expr *
syn_ref_new(struct parse_ctx *cx, struct loc loc, const ir_expr *value)
{
	return ir_new_ref_new(cx->m, syn_loc(cx, loc), value);
}

const ir_expr *
syn_ref_read(struct parse_ctx *cx, struct loc loc, const ir_expr *ref)
{
	return ir_new_ref_read(cx->m, syn_loc(cx, loc), ref);
}

const ir_expr *
syn_ref_write(struct parse_ctx *cx, struct loc loc, const ir_expr *ref,
	      const ir_expr *value)
{
	return ir_new_ref_write(cx->m, syn_loc(cx, loc), ref, value);
}

/* Every caller has reported; the module will not be used. */
const ir_expr *
syn_hole(struct parse_ctx *cx, struct loc loc)
{
	return ir_new_hole(cx->m, loc);
}

const ir_expr *
syn_if(struct parse_ctx *cx, struct loc loc, const ir_expr *cond,
       const ir_expr *a, const ir_expr *b)
{
	return ir_new_if(cx->m, syn_loc(cx, loc), cond, a, b);
}
