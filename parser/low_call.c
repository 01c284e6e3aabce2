/*
 * Scalar expressions that look like calls: intrinsics, choices, conversions,
 * vectors, folds.
 */
#include <string.h>

#include "parser/low.h"
#include "parser/syn.h"
#include "support/suggest.h"

struct call {
	const char *name;
	const tir_expr *const *args;
	uint32_t n;
	struct loc loc;
};

static const tir_expr *
wrong(struct parse_ctx *cx, const struct call *c, const char *what)
{
	diag_error(cx->d, c->loc, "'%s' takes %s", c->name, what);
	return low_poison();
}

static bool
is_bool_vector(const tir_expr *e)
{
	return e->dtype.code == DTYPE_UINT && e->dtype.bits == 1;
}

static bool
same_types(const tir_expr *a, const tir_expr *b)
{
	return dtype_equal(a->dtype, b->dtype);
}

/* The literal integer E as a number of lanes; 0 if it is none. */
static unsigned
lanes_of(const tir_expr *e)
{
	return e->kind == TIR_INT && e->i > 0 && e->i <= UINT16_MAX
		       ? (unsigned)e->i
		       : 0;
}

static const tir_expr *
make_choice(struct parse_ctx *cx, const struct call *c)
{
	if (c->n != 3 || !is_bool_vector(c->args[0]) ||
	    !same_types(c->args[1], c->args[2]))
		return wrong(cx, c, "a truth value and two of one type");
	if (strcmp(c->name, "select") == 0)
		return tir_select(cx->m, c->args[0], c->args[1], c->args[2]);
	return tir_guard(cx->m, c->args[0], c->args[1], c->args[2]);
}

static const tir_expr *
make_binary(struct parse_ctx *cx, const struct call *c, enum tir_kind kind)
{
	if (c->n != 2 || !same_types(c->args[0], c->args[1]))
		return wrong(cx, c, "two operands of one type");
	return tir_binary(cx->m, kind, c->args[0], c->args[1]);
}

static const tir_expr *
make_ramp(struct parse_ctx *cx, const struct call *c)
{
	unsigned lanes = c->n == 3 ? lanes_of(c->args[2]) : 0;

	if (lanes < 2 || c->args[0]->dtype.lanes != 1 ||
	    !same_types(c->args[0], c->args[1]))
		return wrong(cx, c, "a base, a stride, a number of lanes");
	return tir_ramp(cx->m, c->args[0], c->args[1], lanes);
}

static const tir_expr *
make_broadcast(struct parse_ctx *cx, const struct call *c)
{
	unsigned lanes = c->n == 2 ? lanes_of(c->args[1]) : 0;

	if (lanes < 1 || c->args[0]->dtype.lanes != 1)
		return wrong(cx, c, "a value and a number of lanes");
	return tir_broadcast(cx->m, c->args[0], lanes);
}

static const tir_expr *
make_address(struct parse_ctx *cx, const struct call *c)
{
	if (c->n != 1 || c->args[0]->kind != TIR_LOAD)
		return wrong(cx, c, "an element of a buffer");
	return tir_address_of(cx->m, c->args[0]->buffer, c->args[0]->arg[0]);
}

/* What intrinsic I gives for arguments of type T; false: it must be written */
static bool
result_type(enum tir_intrin i, struct dtype t, struct dtype *out)
{
	enum { SAME, BOOL, WRITTEN };
	static const uint8_t results[INTRIN_COUNT] = {
#define INTRIN(id, name, nargs, result) [INTRIN_##id] = result,
#include "ir/intrins.def"
	};

	*out = t;
	if (results[i] == BOOL) {
		*out = DTYPE_BOOL;
		out->lanes = t.lanes;
	}
	return results[i] != WRITTEN;
}

static const tir_expr *
make_intrinsic(struct parse_ctx *cx, const struct call *c)
{
	struct suggest s;
	struct dtype t;

	suggest_start(&s, c->name);
	for (unsigned i = 0; i < INTRIN_COUNT; i++) {
		if (strcmp(tir_intrin_info[i].name, c->name) != 0) {
			suggest_offer(&s, tir_intrin_info[i].name);
			continue;
		}
		if (c->n != tir_intrin_info[i].nargs || c->n == 0 ||
		    !result_type((enum tir_intrin)i, c->args[0]->dtype, &t))
			return wrong(cx, c, "other arguments");
		return tir_call(cx->m, (enum tir_intrin)i, t, c->args, c->n);
	}
	diag_error(cx->d, c->loc, "unknown function '%s'", c->name);
	if (suggest_best(&s))
		diag_note(cx->d, c->loc, "did you mean '%s'?",
			  suggest_best(&s));
	return low_poison();
}

static const struct {
	const char *name;
	enum tir_kind kind;
} binaries[] = {
	{"min", TIR_MIN},
	{"max", TIR_MAX},
	{"truncdiv", TIR_TRUNCDIV},
	{"truncmod", TIR_TRUNCMOD},
};

static const struct {
	const char *name;
	const tir_expr *(*make)(struct parse_ctx *cx, const struct call *c);
} others[] = {
	{"select", make_choice},      {"guard", make_choice},
	{"ramp", make_ramp},          {"broadcast", make_broadcast},
	{"address_of", make_address},
};

static const tir_expr *
make_call(struct parse_ctx *cx, const struct call *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->args[i] == low_poison())
			return low_poison();
		if (c->args[i]->kind == TIR_STRING ||
		    c->args[i]->kind == TIR_REDUCE)
			return wrong(cx, c, "numbers");
	}
	for (size_t i = 0; i < sizeof(binaries) / sizeof(*binaries); i++) {
		if (strcmp(binaries[i].name, c->name) == 0)
			return make_binary(cx, c, binaries[i].kind);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (strcmp(others[i].name, c->name) == 0)
			return others[i].make(cx, c);
	}
	return make_intrinsic(cx, c);
}

/* The arguments from AT on, popped. They live until the next is pushed. */
static struct call
take_call(struct parse_ctx *cx, struct loc loc, const char *name, uint32_t at)
{
	uint32_t n = count_items(at, cx->low.exprs.len);
	struct call c = {name, NULL, n, loc};

	cx->low.exprs.len -= n;
	if (n > 0)
		c.args = cx->low.exprs.at + cx->low.exprs.len;
	return c;
}

const tir_expr *
low_call(struct parse_ctx *cx, struct loc loc, const char *name, uint32_t args)
{
	struct call c = take_call(cx, loc, name, args);

	return make_call(cx, &c);
}

static const tir_expr *
make_extern(struct parse_ctx *cx, const struct call *c, struct dtype t)
{
	if (c->n == 0 || c->args[0]->kind != TIR_STRING)
		return wrong(cx, c, "the name of a function in quotes");
	for (uint32_t i = 1; i < c->n; i++) {
		if (c->args[i] == low_poison())
			return low_poison();
	}
	return tir_call_extern(cx->m, c->args[0]->s, t,
			       c->n > 1 ? c->args + 1 : NULL, c->n - 1);
}

const tir_expr *
low_typed_call(struct parse_ctx *cx, struct loc loc, const char *name,
	       const char *dtype, uint32_t args)
{
	struct call c = take_call(cx, loc, name, args);
	struct dtype t = low_dtype_of(dtype);

	if (strcmp(name, "call_extern") == 0)
		return make_extern(cx, &c, t);
	if (c.n == 1 && c.args[0] == low_poison())
		return low_poison();
	if (c.n != 1 || c.args[0]->kind == TIR_STRING ||
	    c.args[0]->kind == TIR_REDUCE)
		return wrong(cx, &c, "a type and a number");
	if (strcmp(name, "cast") == 0 && t.lanes == c.args[0]->dtype.lanes)
		return tir_cast(cx->m, t, c.args[0]);
	if (strcmp(name, "reinterpret") == 0 && t.bits == c.args[0]->dtype.bits)
		return tir_call(cx->m, INTRIN_REINTERPRET, t, c.args, 1);
	return wrong(cx, &c, "no type of this size");
}

static int
find_combiner(const char *name)
{
	for (int i = 0; i < TE_COMBINER_COUNT; i++) {
		if (strcmp(te_combiner_names[i], name) == 0)
			return i;
	}
	return -1;
}

/* The axes behind those of the compute are the fold's. */
void
low_fold(struct parse_ctx *cx, struct loc loc, const char *name)
{
	int combiner = find_combiner(name);

	if (combiner < 0)
		diag_error(cx->d, loc, "'%s' is no way to fold", name);
	else if (!cx->low.te)
		diag_error(cx->d, loc, "only tensor expressions have folds");
	cx->low.fold.combiner =
		combiner < 0 ? TE_SUM : (enum te_combiner)combiner;
}

/* Values and condition of the fold are right; false after a report. */
static bool
fold_fits(struct parse_ctx *cx, const struct call *c, const tir_expr *cond)
{
	bool takes_pair = cx->low.fold.combiner >= TE_ARGMIN;

	for (uint32_t i = 0; i < c->n; i++) {
		if (c->args[i] == low_poison())
			return false;
		if (c->args[i]->kind == TIR_REDUCE ||
		    c->args[i]->kind == TIR_STRING) {
			wrong(cx, c, "formulas without folds");
			return false;
		}
	}
	if (takes_pair && c->n != 2)
		wrong(cx, c, "an index and a value");
	else if (!takes_pair && c->n != 1 && cx->low.fold.combiner != TE_SUM)
		wrong(cx, c, "one value");
	else if (cond && !is_bool_vector(cond))
		wrong(cx, c, "a truth value behind 'where'");
	else
		return !cond || cond != low_poison();
	return false;
}

const tir_expr *
low_fold_end(struct parse_ctx *cx, struct loc loc, uint32_t args,
	     const tir_expr *cond)
{
	struct low_state *low = &cx->low;
	struct te_reduce r = low->fold;
	struct call c = take_call(cx, loc, te_combiner_names[r.combiner], args);
	const tir_expr *e = low_poison();

	r.naxes = low->axes.len > low->naxes
			  ? (uint32_t)low->axes.len - low->naxes
			  : 0;
	r.axes = items_from(&low->axes, low->axes.len - r.naxes);
	r.nvalues = c.n;
	r.has_cond = cond != NULL;
	if (cond != low_poison() && low->te && fold_fits(cx, &c, cond))
		e = te_new_reduce(cx->m, &r, c.args, cond);
	low->axes.len -= r.naxes;
	scope_leave(&low->vars, scope_mark(&low->vars) < r.naxes
					? 0
					: scope_mark(&low->vars) - r.naxes);
	return e;
}
