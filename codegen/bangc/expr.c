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

/*
 * Where the host may have no such type, device/host.mlu has one. Arithmetic on
 * bfloat16 is that of float; arrays and casts round.
 */
const char *
bang_host_type(struct dtype t)
{
	if (t.code == DTYPE_FLOAT && t.bits == 64)
		return "double";
	if (t.code == DTYPE_FLOAT && t.bits == 16)
		return "host_half";
	if (t.code == DTYPE_BFLOAT && t.bits == 16)
		return "host_bfloat16";
	return bang_type(t);
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

static bool
on_host(const struct printer *p)
{
	return p->names && p->names->on_host;
}

static const char *
type_of(const struct printer *p, struct dtype t)
{
	return on_host(p) ? bang_host_type(t) : bang_type(t);
}

/*
 * A function: on the host, "host_min" for "relay_min", and "exp" of doubles
 * for "expf".
 */
static void
put_name(struct printer *p, const char *name, struct dtype t)
{
	size_t n = strlen(name);

	if (!on_host(p))
		buf_puts(p->out, name);
	else if (!strncmp(name, "relay_", 6))
		buf_printf(p->out, "host_%s", name + 6);
	else
		buf_put(p->out, name, n - (dtype_is_float(t) && t.bits == 64));
}

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

	if (e->dtype.bits == 16 && e->dtype.code != DTYPE_BFLOAT)
		buf_printf(p->out, "(%s)", type_of(p, e->dtype));
	if (isnan(x)) {
		buf_puts(p->out, "NAN");
	} else if (isinf(x)) {
		buf_puts(p->out, x < 0 ? "(-INFINITY)" : "INFINITY");
	} else if (e->dtype.bits == 64) {
		snprintf(text, sizeof(text), "%.17g", x);
		buf_printf(p->out, signbit(x) ? "(%s%s)" : "%s%s", text,
			   strpbrk(text, ".e") ? "" : ".0");
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
	const char *t = type_of(p, e->dtype);

	if (t && e->dtype.bits < 32 && e->dtype.code != DTYPE_BFLOAT &&
	    !dtype_is_bool(e->dtype))
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
	const char *t = type_of(p, e->dtype);

	p->ok &= t != NULL;
	if (dtype_is_bool(e->dtype)) {
		buf_putc(p->out, '(');
		expr(p, e->arg[0]);
		buf_puts(p->out, " != 0)");
		return;
	}
	if (e->dtype.code == DTYPE_BFLOAT)
		buf_puts(p->out, "(float)");
	buf_printf(p->out, "(%s)", t ? t : "?");
	expr(p, e->arg[0]);
}

/* The same bits; those of bfloat16 are in floats, see above. */
static void
reinterpret(struct printer *p, const tir_expr *e)
{
	const char *to = type_of(p, e->dtype);
	const char *from = type_of(p, e->arg[0]->dtype);

	p->ok &= to && from;
	if (e->dtype.code == DTYPE_BFLOAT)
		buf_puts(p->out, "(float)");
	put_name(p, "relay_reinterpret", e->dtype);
	buf_printf(p->out, "<%s>(", to ? to : "?");
	if (e->arg[0]->dtype.code == DTYPE_BFLOAT)
		buf_printf(p->out, "(%s)", from ? from : "?");
	expr(p, e->arg[0]);
	buf_putc(p->out, ')');
}

static void
function(struct printer *p, const tir_expr *e)
{
	const char *name = dtype_is_float(e->arg[0]->dtype)
				   ? float_functions[e->intrin]
				   : int_functions[e->intrin];

	if (e->intrin == INTRIN_REINTERPRET) {
		reinterpret(p, e);
		return;
	}
	p->ok &= name != NULL;
	narrow(p, e);
	put_name(p, name ? name : "?", e->arg[0]->dtype);
	list(p, e);
}

static void
helper(struct printer *p, const tir_expr *e)
{
	const char *name = dtype_is_float(e->dtype) ? float_helpers[e->kind]
						    : int_helpers[e->kind];

	p->ok &= name != NULL;
	put_name(p, name ? name : "?", e->dtype);
	list(p, e);
}

void
bang_put_string(struct buf *out, const char *s)
{
	buf_putc(out, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			buf_putc(out, '\\');
		if ((unsigned char)*s < ' ')
			buf_printf(out, "\\%03o", (unsigned)*s);
		else
			buf_putc(out, *s);
	}
	buf_putc(out, '"');
}

/* A routine of the host, which is declared. */
static void
call(struct printer *p, const tir_expr *e)
{
	buf_printf(p->out, "%s(", e->s);
	for (uint32_t i = 0; i < e->n; i++) {
		buf_puts(p->out, i ? ", " : "");
		if (e->arg[i]->kind == TIR_INT && e->arg[i]->i != INT64_MIN)
			buf_printf(p->out, "%" PRId64, e->arg[i]->i);
		else
			expr(p, e->arg[i]);
	}
	buf_putc(p->out, ')');
}

/* Routines take any pointer, constant or not. */
static void
address(struct printer *p, const tir_expr *e)
{
	buf_puts(p->out, "(void *)");
	if (tir_is_const_int(e->arg[0], 0)) {
		buf_puts(p->out, e->buffer->name);
		return;
	}
	buf_printf(p->out, "(%s + ", e->buffer->name);
	expr(p, e->arg[0]);
	buf_putc(p->out, ')');
}

static void
let(struct printer *p, const tir_expr *e)
{
	const char *t = e->var->dtype.code == DTYPE_BFLOAT
				? "float"
				: type_of(p, e->var->dtype);

	p->ok &= t != NULL;
	buf_printf(p->out, "[&](%s %s) { return ", t ? t : "?", e->var->name);
	expr(p, e->arg[1]);
	buf_puts(p->out, "; }(");
	expr(p, e->arg[0]);
	buf_putc(p->out, ')');
}

/* What only the host has; false if E is nothing of that. */
static bool
put_on_host(struct printer *p, const tir_expr *e)
{
	if (e->kind == TIR_STRING) {
		bang_put_string(p->out, e->s);
	} else if (e->kind == TIR_ADDRESS_OF) {
		address(p, e);
	} else if (e->kind == TIR_CALL_EXTERN) {
		call(p, e);
	} else if (e->kind == TIR_LET) {
		let(p, e);
	} else {
		return false;
	}
	return true;
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

/* What lies in a word on the chip. */
static void
load_word(struct printer *p, const tir_expr *e, const struct bang_place *place)
{
	bool truth = dtype_is_bool(e->dtype);
	bool integer = bang_class_of(e->dtype) == BANG_INTS;

	if (e->dtype.bits < 32 && !truth)
		buf_printf(p->out, "(%s)", bang_type(e->dtype));
	buf_printf(p->out, "%s%s%s%s[", truth ? "(" : "",
		   integer ? "((int *)" : "", place->text, integer ? ")" : "");
	p->ok &= put_offset(p->out, e->arg[0], p->names, place->low);
	buf_puts(p->out, truth ? "] != 0)" : "]");
}

static void
load(struct printer *p, const tir_expr *e)
{
	const struct bang_place *place = bang_place_of(p->names, e->buffer);

	if (place) {
		load_word(p, e, place);
		return;
	}
	if (e->dtype.code == DTYPE_BFLOAT)
		buf_puts(p->out, "(float)");
	buf_printf(p->out, "%s[", e->buffer->name);
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
	if (on_host(p) && put_on_host(p, e))
		return;
	if (op || (e->kind == TIR_DIV && dtype_is_float(e->dtype))) {
		infix(p, e, op ? op : "/");
		return;
	}
	switch ((enum tir_kind)e->kind) {
	case TIR_INT:
		integer(p, e);
		break;
	case TIR_FLOAT:
		p->ok &= type_of(p, e->dtype) != NULL;
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
