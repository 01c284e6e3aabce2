/*
 * Expressions as C++, element by element, with the meaning that TIR gives
 * them: narrow integers wrap, '/' is floor division, a minimum is NaN when
 * either operand is. Functions of halves are computed in float.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "codegen/bangc/internal.h"

const char *
bang_type(struct dtype t)
{
	if (t.code == DTYPE_FLOAT)
		return t.bits == 32 ? "float" : t.bits == 16 ? "half" : NULL;
	if (dtype_is_bool(t))
		return "int8_t";
	if (t.code != DTYPE_INT && t.code != DTYPE_UINT)
		return NULL;
	switch (t.bits) {
	case 8:
		return t.code == DTYPE_INT ? "int8_t" : "uint8_t";
	case 16:
		return t.code == DTYPE_INT ? "int16_t" : "uint16_t";
	case 32:
		return t.code == DTYPE_INT ? "int32_t" : "uint32_t";
	case 64:
		return t.code == DTYPE_INT ? "int64_t" : "uint64_t";
	default:
		return NULL;
	}
}

/* Operators, and helpers of the prologue, by kind of expression. */
static const char *const operators[TIR_KIND_COUNT] = {
	[TIR_ADD] = "+", [TIR_SUB] = "-",  [TIR_MUL] = "*", [TIR_EQ] = "==",
	[TIR_NE] = "!=", [TIR_LT] = "<",   [TIR_LE] = "<=", [TIR_GT] = ">",
	[TIR_GE] = ">=", [TIR_AND] = "&&", [TIR_OR] = "||",
};

static const char *const int_helpers[TIR_KIND_COUNT] = {
	[TIR_DIV] = "relay_floordiv",      [TIR_MOD] = "relay_floormod",
	[TIR_TRUNCDIV] = "relay_truncdiv", [TIR_TRUNCMOD] = "relay_truncmod",
	[TIR_MIN] = "relay_min",           [TIR_MAX] = "relay_max",
};

static const char *const float_helpers[TIR_KIND_COUNT] = {
	[TIR_MOD] = "relay_fmod",
	[TIR_MIN] = "relay_min",
	[TIR_MAX] = "relay_max",
};

static const char *const float_functions[INTRIN_COUNT] = {
	[INTRIN_ABS] = "fabsf",         [INTRIN_ACOS] = "acosf",
	[INTRIN_ACOSH] = "acoshf",      [INTRIN_ASIN] = "asinf",
	[INTRIN_ASINH] = "asinhf",      [INTRIN_ATAN] = "atanf",
	[INTRIN_ATANH] = "atanhf",      [INTRIN_CEIL] = "ceilf",
	[INTRIN_COS] = "cosf",          [INTRIN_COSH] = "coshf",
	[INTRIN_ERF] = "erff",          [INTRIN_EXP] = "expf",
	[INTRIN_FLOOR] = "floorf",      [INTRIN_FMA] = "fmaf",
	[INTRIN_FMOD] = "fmodf",        [INTRIN_ISFINITE] = "relay_isfinite",
	[INTRIN_ISINF] = "relay_isinf", [INTRIN_ISNAN] = "relay_isnan",
	[INTRIN_LOG] = "logf",          [INTRIN_LOG10] = "log10f",
	[INTRIN_LOG2] = "log2f",        [INTRIN_NEARBYINT] = "nearbyintf",
	[INTRIN_POW] = "powf",          [INTRIN_ROUND] = "roundf",
	[INTRIN_RSQRT] = "relay_rsqrt", [INTRIN_SIGMOID] = "relay_sigmoid",
	[INTRIN_SIN] = "sinf",          [INTRIN_SINH] = "sinhf",
	[INTRIN_SQRT] = "sqrtf",        [INTRIN_TAN] = "tanf",
	[INTRIN_TANH] = "tanhf",        [INTRIN_TRUNC] = "truncf",
};

static const char *const int_functions[INTRIN_COUNT] = {
	[INTRIN_ABS] = "relay_abs",
	[INTRIN_BIT_AND] = "relay_bit_and",
	[INTRIN_BIT_NOT] = "relay_bit_not",
	[INTRIN_BIT_OR] = "relay_bit_or",
	[INTRIN_BIT_XOR] = "relay_bit_xor",
	[INTRIN_CLZ] = "relay_clz",
	[INTRIN_POPCOUNT] = "relay_popcount",
	[INTRIN_Q_MULTIPLY_SHIFT] = "relay_q_multiply_shift",
	[INTRIN_SHL] = "relay_shl",
	[INTRIN_SHR] = "relay_shr",
};

struct printer {
	struct buf *out;
	const struct bang_names *names;
	bool ok;
};

static void expr(struct printer *p, const tir_expr *e);

static void
list(struct printer *p, const tir_expr *e)
{
	buf_putc(p->out, '(');
	for (uint32_t i = 0; i < e->n; i++) {
		if (i)
			buf_puts(p->out, ", ");
		expr(p, e->arg[i]);
	}
	buf_putc(p->out, ')');
}

const char *
bang_name_of(const struct bang_names *names, const struct tir_var *v)
{
	for (size_t i = names ? names->len : 0; i > 0; i--)
		if (names->at[i - 1].var == v)
			return names->at[i - 1].text;
	return v->name;
}

static void
number(struct printer *p, const tir_expr *e)
{
	char text[40];
	double x = e->f;

	if (e->dtype.bits == 16)
		buf_puts(p->out, "(half)");
	if (isnan(x)) {
		buf_puts(p->out, "NAN");
	} else if (isinf(x)) {
		buf_puts(p->out, x < 0 ? "(-INFINITY)" : "INFINITY");
	} else {
		snprintf(text, sizeof(text), "%.9g%s", x,
			 x == floor(x) && fabs(x) < 1e9 ? ".0" : "");
		buf_printf(p->out, signbit(x) ? "(%sf)" : "%sf", text);
	}
}

/* Of the type it has, where an int would not be. */
static void
integer(struct printer *p, const tir_expr *e)
{
	const char *t = bang_type(e->dtype);

	if (t && (e->dtype.bits != 32 || e->dtype.code == DTYPE_UINT) &&
	    !dtype_is_bool(e->dtype))
		buf_printf(p->out, "(%s)", t);
	if (e->i == INT64_MIN)
		buf_puts(p->out, "INT64_MIN");
	else
		buf_printf(p->out, e->i < 0 ? "(%" PRId64 ")" : "%" PRId64,
			   e->i);
}

static void
choice(struct printer *p, const tir_expr *e)
{
	buf_putc(p->out, '(');
	expr(p, e->arg[0]);
	buf_puts(p->out, " ? ");
	expr(p, e->arg[1]);
	buf_puts(p->out, " : ");
	expr(p, e->arg[2]);
	buf_putc(p->out, ')');
}

/* C++ computes on wider numbers: back to the type that E has. */
static void
narrow(struct printer *p, const tir_expr *e)
{
	const char *t = bang_type(e->dtype);

	if (t && e->dtype.bits < 32 && !dtype_is_bool(e->dtype))
		buf_printf(p->out, "(%s)", t);
}

static void
infix(struct printer *p, const tir_expr *e, const char *op)
{
	narrow(p, e);
	buf_putc(p->out, '(');
	expr(p, e->arg[0]);
	buf_printf(p->out, " %s ", op);
	expr(p, e->arg[1]);
	buf_putc(p->out, ')');
}

static void
cast(struct printer *p, const tir_expr *e)
{
	const char *t = bang_type(e->dtype);

	p->ok &= t != NULL;
	if (dtype_is_bool(e->dtype)) {
		buf_putc(p->out, '(');
		expr(p, e->arg[0]);
		buf_puts(p->out, " != 0)");
		return;
	}
	buf_printf(p->out, "(%s)", t ? t : "?");
	expr(p, e->arg[0]);
}

static void
function(struct printer *p, const tir_expr *e)
{
	const char *name = dtype_is_float(e->arg[0]->dtype)
				   ? float_functions[e->intrin]
				   : int_functions[e->intrin];

	if (e->intrin == INTRIN_REINTERPRET) {
		name = bang_type(e->dtype);
		p->ok &= name != NULL;
		buf_printf(p->out, "relay_reinterpret<%s>", name ? name : "?");
	} else {
		p->ok &= name != NULL;
		narrow(p, e);
		buf_puts(p->out, name ? name : "?");
	}
	list(p, e);
}

static void
helper(struct printer *p, const tir_expr *e)
{
	const char *name = dtype_is_float(e->dtype) ? float_helpers[e->kind]
						    : int_helpers[e->kind];

	p->ok &= name != NULL;
	buf_puts(p->out, name ? name : "?");
	list(p, e);
}

const struct bang_place *
bang_place_of(const struct bang_names *names, const struct tir_buffer *b)
{
	const struct bang_places *p = names ? names->places : NULL;

	for (size_t i = 0; p && i < p->n; i++)
		if (p->at[i].buffer == b)
			return &p->at[i];
	return NULL;
}

/* INDEX as it is within the unit at hand. */
static bool
put_offset(struct buf *out, const tir_expr *index,
	   const struct bang_names *names, int64_t low)
{
	struct bang_names inner = {.places = names->places};
	bool ok;

	for (size_t i = 0; i < names->len; i++)
		vec_push(&inner, names->at[i]);
	for (uint32_t i = 0; i < names->places->nunits; i++)
		vec_push(&inner,
			 ((struct bang_name){names->places->units[i], "0"}));
	ok = bang_put_expr(out, index, &inner);
	if (low)
		buf_printf(out, low < 0 ? " + %" PRId64 : " - %" PRId64,
			   low < 0 ? -low : low);
	vec_free(&inner);
	return ok;
}

bool
bang_put_place(struct buf *out, const struct tir_buffer *b,
	       const tir_expr *index, const struct bang_names *names)
{
	const struct bang_place *place = bang_place_of(names, b);
	struct buf offset = {0};
	bool ok = place && put_offset(&offset, index, names, place->low);

	if (ok) {
		buf_puts(out, place->text);
		if (strcmp(bang_text(&offset), "0") != 0)
			buf_printf(out, " + %s", bang_text(&offset));
	}
	buf_free(&offset);
	return ok;
}

static void
load(struct printer *p, const tir_expr *e)
{
	const struct bang_place *place = bang_place_of(p->names, e->buffer);

	buf_printf(p->out, "%s[", place ? place->text : e->buffer->name);
	if (place)
		p->ok &= put_offset(p->out, e->arg[0], p->names, place->low);
	else
		expr(p, e->arg[0]);
	buf_putc(p->out, ']');
}

/* A variable that became part of another, or a multiple of one. */
static bool
is_zero(const struct printer *p, const tir_expr *e)
{
	if (e->kind == TIR_VAR)
		return !strcmp(bang_name_of(p->names, e->var), "0");
	return (e->kind == TIR_MUL && is_zero(p, e->arg[0])) ||
	       (e->kind == TIR_ADD && is_zero(p, e->arg[0]) &&
		is_zero(p, e->arg[1]));
}

static void
expr(struct printer *p, const tir_expr *e)
{
	const char *op = operators[e->kind];

	while (e->kind == TIR_ADD &&
	       (is_zero(p, e->arg[0]) || is_zero(p, e->arg[1]))) {
		e = e->arg[is_zero(p, e->arg[0])];
		op = operators[e->kind];
	}

	if (e->kind == TIR_MUL && is_zero(p, e)) {
		buf_putc(p->out, '0');
		return;
	}
	if (op || (e->kind == TIR_DIV && dtype_is_float(e->dtype))) {
		infix(p, e, op ? op : "/");
		return;
	}
	switch ((enum tir_kind)e->kind) {
	case TIR_INT:
		integer(p, e);
		break;
	case TIR_FLOAT:
		p->ok &= bang_type(e->dtype) != NULL;
		number(p, e);
		break;
	case TIR_VAR:
		buf_puts(p->out, bang_name_of(p->names, e->var));
		break;
	case TIR_NOT:
		buf_putc(p->out, '!');
		expr(p, e->arg[0]);
		break;
	case TIR_SELECT:
	case TIR_GUARD:
		choice(p, e);
		break;
	case TIR_CAST:
		cast(p, e);
		break;
	case TIR_CALL:
		function(p, e);
		break;
	case TIR_LOAD:
		load(p, e);
		break;
	default:
		helper(p, e);
	}
}

bool
bang_put_expr(struct buf *out, const tir_expr *e,
	      const struct bang_names *names)
{
	struct printer p = {out, names, true};

	expr(&p, e);
	return p.ok;
}
