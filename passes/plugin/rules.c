/*
 * What compute rules of plugins may call: te/compute.h under other names.
 */
#include <stdarg.h>
#include <stdio.h>

#include "passes/plugin/internal.h"

#define CALL(c) ((struct te_call *)(c))
#define BODY(b) ((struct te_body *)(b))
#define TENSOR(t) ((const struct te_tensor *)(t))
#define EXPR(v) ((const tir_expr *)(v))
#define VALUE(e) ((const relay_value *)(e))

static const relay_attrs *
rule_attrs(const relay_rule *c)
{
	return (const relay_attrs *)((const struct te_call *)c)->attrs;
}

static relay_tensor *
rule_input(relay_rule *c, unsigned i)
{
	return (relay_tensor *)(i < CALL(c)->nin ? CALL(c)->in[i] : NULL);
}

static relay_type
tensor_type(const relay_tensor *t)
{
	return plugin_type(TENSOR(t)->dtype);
}

static int
tensor_rank(const relay_tensor *t)
{
	return (int)TENSOR(t)->ndim;
}

static int64_t
tensor_extent(const relay_tensor *t, int axis)
{
	return TENSOR(t)->shape[axis];
}

static relay_body *
begin(relay_rule *c, const char *name, const int64_t *shape, int rank)
{
	const char *own = name ? ir_name(CALL(c)->m->cx, name) : NULL;

	return (relay_body *)te_begin(CALL(c), own, NULL, shape,
				      (uint32_t)rank);
}

static relay_body *
begin_result(relay_rule *c)
{
	return (relay_body *)te_begin_out(CALL(c), NULL, 0);
}

static const relay_value *
axis(relay_body *b, int i)
{
	return VALUE(BODY(b)->i[i]);
}

static const relay_value *
fold_axis(relay_body *b, int64_t extent)
{
	return VALUE(te_fold_axis(BODY(b), "k", extent));
}

static relay_tensor *
end(relay_body *b, const relay_value *v)
{
	return (relay_tensor *)te_end(BODY(b), EXPR(v));
}

static relay_tensor *
end_fold(relay_body *b, relay_fold how, const relay_value *v)
{
	static const enum te_combiner hows[] = {
		[RELAY_FOLD_SUM] = TE_SUM,
		[RELAY_FOLD_PROD] = TE_PROD,
		[RELAY_FOLD_MIN] = TE_MIN,
		[RELAY_FOLD_MAX] = TE_MAX,
	};

	return (relay_tensor *)te_end_fold(BODY(b), hows[how], EXPR(v));
}

static const relay_value *
read_at(relay_rule *c, const relay_tensor *t, const relay_value *const *index,
	int n)
{
	return VALUE(te_get_n(CALL(c), TENSOR(t),
			      (const tir_expr *const *)index, (size_t)n));
}

static const relay_value *
number(relay_rule *c, relay_type t, double v)
{
	return VALUE(te_lit(CALL(c), plugin_dtype(t), v));
}

static const relay_value *
index_of(relay_rule *c, int64_t v)
{
	return VALUE(te_int(CALL(c), v));
}

static const relay_value *
cast(relay_rule *c, relay_type t, const relay_value *v)
{
	return VALUE(te_cast(CALL(c), plugin_dtype(t), EXPR(v)));
}

static const relay_value *
binary(relay_rule *c, relay_binary op, const relay_value *a,
       const relay_value *b)
{
	typedef const tir_expr *fn(struct te_call *, const tir_expr *,
				   const tir_expr *);
	static fn *const plain[] = {
		[RELAY_ADD] = te_add, [RELAY_SUB] = te_sub,
		[RELAY_MUL] = te_mul, [RELAY_DIV] = te_div,
		[RELAY_MOD] = te_mod, [RELAY_MIN] = te_min,
		[RELAY_MAX] = te_max, [RELAY_AND] = te_and,
		[RELAY_OR] = te_or,
	};

	if (op <= RELAY_OR)
		return VALUE(plain[op](CALL(c), EXPR(a), EXPR(b)));
	if (op == RELAY_POW)
		return VALUE(te_intrin2(CALL(c), INTRIN_POW, EXPR(a), EXPR(b)));
	return VALUE(te_cmp(CALL(c), (enum tir_kind)(TIR_EQ + (op - RELAY_EQ)),
			    EXPR(a), EXPR(b)));
}

static const relay_value *
unary(relay_rule *c, relay_unary op, const relay_value *a)
{
	static const enum tir_intrin intrins[] = {
		[RELAY_ABS] = INTRIN_ABS,     [RELAY_CEIL] = INTRIN_CEIL,
		[RELAY_COS] = INTRIN_COS,     [RELAY_ERF] = INTRIN_ERF,
		[RELAY_EXP] = INTRIN_EXP,     [RELAY_FLOOR] = INTRIN_FLOOR,
		[RELAY_LOG] = INTRIN_LOG,     [RELAY_ROUND] = INTRIN_ROUND,
		[RELAY_SIN] = INTRIN_SIN,     [RELAY_SQRT] = INTRIN_SQRT,
		[RELAY_TAN] = INTRIN_TAN,     [RELAY_TANH] = INTRIN_TANH,
		[RELAY_TRUNC] = INTRIN_TRUNC,
	};

	return VALUE(te_unary(CALL(c), intrins[op], EXPR(a)));
}

static const relay_value *
select_one(relay_rule *c, const relay_value *cond, const relay_value *a,
	   const relay_value *b)
{
	return VALUE(te_select(CALL(c), EXPR(cond), EXPR(a), EXPR(b)));
}

static const relay_value *
guard(relay_rule *c, const relay_value *cond, const relay_value *a,
      const relay_value *b)
{
	return VALUE(te_guard(CALL(c), EXPR(cond), EXPR(a), EXPR(b)));
}

static int
rule_result(relay_rule *c, relay_tensor *t)
{
	return te_output(CALL(c), 0, (struct te_tensor *)t);
}

static int
rule_routine(relay_rule *rule, const char *routine, const int64_t *ints, int n)
{
	struct te_call *c = CALL(rule);
	struct te_extern *x = te_extern_begin(c, NULL, routine);
	int64_t shape[TE_MAX_RANK];
	uint32_t ndim = te_out_shape(c, 0, shape);
	struct te_tensor *out;

	te_extern_output(x, te_out_dtype(c, 0), shape, ndim);
	for (uint32_t i = 0; i < c->nin; i++)
		te_extern_tensor(x, c->in[i]);
	for (int i = 0; i < n; i++)
		te_extern_int(x, ints[i]);
	te_extern_end(x, &out);
	return te_output(c, 0, out);
}

static int
rule_error(relay_rule *c, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return te_error(CALL(c), "%s", text);
}

void
plugin_api_rules(relay_api *api)
{
	api->rule_attrs = rule_attrs;
	api->rule_input = rule_input;
	api->tensor_type = tensor_type;
	api->tensor_rank = tensor_rank;
	api->tensor_extent = tensor_extent;
	api->begin = begin;
	api->begin_result = begin_result;
	api->axis = axis;
	api->fold_axis = fold_axis;
	api->end = end;
	api->end_fold = end_fold;
	api->read = read_at;
	api->number = number;
	api->index = index_of;
	api->cast = cast;
	api->binary = binary;
	api->unary = unary;
	api->select = select_one;
	api->guard = guard;
	api->rule_result = rule_result;
	api->rule_routine = rule_routine;
	api->rule_error = rule_error;
}
