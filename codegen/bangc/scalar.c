/*
 * Kernels element by element: any injective one, slowly.
 *
 * The outermost loop is shared out among the cores; elements are read from
 * and written to the device's memory one by one.
 */
#include "codegen/bangc/internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

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

static const char *
operator_of(enum tir_kind k)
{
	switch (k) {
	case TIR_ADD:
		return "+";
	case TIR_SUB:
		return "-";
	case TIR_MUL:
		return "*";
	case TIR_EQ:
		return "==";
	case TIR_NE:
		return "!=";
	case TIR_LT:
		return "<";
	case TIR_LE:
		return "<=";
	case TIR_GT:
		return ">";
	case TIR_GE:
		return ">=";
	case TIR_AND:
		return "&&";
	case TIR_OR:
		return "||";
	default:
		return NULL;
	}
}

static const char *
function_of(enum tir_intrin f)
{
	switch (f) {
	case INTRIN_ABS:
		return "fabsf";
	case INTRIN_CEIL:
		return "ceilf";
	case INTRIN_COS:
		return "cosf";
	case INTRIN_ERF:
		return "erff";
	case INTRIN_EXP:
		return "expf";
	case INTRIN_FLOOR:
		return "floorf";
	case INTRIN_LOG:
		return "logf";
	case INTRIN_POW:
		return "powf";
	case INTRIN_ROUND:
		return "roundf";
	case INTRIN_RSQRT:
		return "1.0f / sqrtf";
	case INTRIN_SIGMOID:
		return "relay_sigmoid";
	case INTRIN_SIN:
		return "sinf";
	case INTRIN_SQRT:
		return "sqrtf";
	case INTRIN_TANH:
		return "tanhf";
	case INTRIN_TRUNC:
		return "truncf";
	default:
		return NULL;
	}
}

struct printer {
	struct buf *out;
	const struct tir_var *zero;
	const char *instead;
	bool ok;
};

static void expr(struct printer *p, const tir_expr *e);

static void
call(struct printer *p, const char *name, const tir_expr *e)
{
	buf_printf(p->out, "%s(", name);
	for (uint32_t i = 0; i < e->n; i++) {
		if (i)
			buf_puts(p->out, ", ");
		expr(p, e->arg[i]);
	}
	buf_putc(p->out, ')');
}

static void
number(struct printer *p, double x)
{
	if (isnan(x))
		buf_puts(p->out, "NAN");
	else if (isinf(x))
		buf_puts(p->out, x < 0 ? "-INFINITY" : "INFINITY");
	else {
		char text[40];

		snprintf(text, sizeof(text), "%.9g%s", x,
			 x == floor(x) && fabs(x) < 1e9 ? ".0" : "");
		buf_printf(p->out, x < 0 ? "(%sf)" : "%sf", text);
	}
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

static void
infix(struct printer *p, const tir_expr *e, const char *op)
{
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

/* Division, minima: helpers of the prologue, by kind of number. */
static void
helper(struct printer *p, const tir_expr *e)
{
	bool f = dtype_is_float(e->dtype);

	switch ((enum tir_kind)e->kind) {
	case TIR_DIV:
		if (f)
			infix(p, e, "/");
		else
			call(p, "relay_floordiv", e);
		break;
	case TIR_MOD:
		call(p, f ? "relay_floormodf" : "relay_floormod", e);
		break;
	case TIR_MIN:
		call(p, f ? "relay_minf" : "relay_min", e);
		break;
	case TIR_MAX:
		call(p, f ? "relay_maxf" : "relay_max", e);
		break;
	case TIR_TRUNCDIV:
		infix(p, e, "/");
		break;
	default:
		p->ok = false;
	}
}

static void
expr(struct printer *p, const tir_expr *e)
{
	const char *op = operator_of(e->kind);

	if (op) {
		infix(p, e, op);
		return;
	}
	switch ((enum tir_kind)e->kind) {
	case TIR_INT:
		buf_printf(p->out, e->i < 0 ? "(%" PRId64 ")" : "%" PRId64,
			   e->i);
		break;
	case TIR_FLOAT:
		number(p, e->f);
		break;
	case TIR_VAR:
		buf_puts(p->out, e->var == p->zero ? p->instead : e->var->name);
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
		op = dtype_is_float(e->arg[0]->dtype) ? function_of(e->intrin)
						      : NULL;
		p->ok &= op != NULL;
		call(p, op ? op : "?", e);
		break;
	case TIR_LOAD:
		buf_printf(p->out, "%s[", e->buffer->name);
		expr(p, e->arg[0]);
		buf_putc(p->out, ']');
		break;
	default:
		helper(p, e);
	}
}

bool
bang_put_expr(struct buf *out, const tir_expr *e, const struct tir_var *zero,
	      const char *instead)
{
	struct printer p = {out, zero, instead, true};

	expr(&p, e);
	return p.ok;
}

bool
bang_put_scalar(struct buf *out, const struct bang_nest *n)
{
	const tir_stmt *s = n->store;
	size_t depth = 1;
	bool ok;

	for (uint32_t i = 0; i < n->nloops; i++, depth++) {
		const struct bang_loop *l = &n->loops[i];
		const char *v = l->var->name;

		buf_fill(out, '\t', depth);
		if (i == 0)
			buf_printf(out,
				   "for (int %s = %" PRId64
				   " + taskId; %s < %" PRId64
				   "; %s += taskDim)\n",
				   v, l->min, v, l->min + l->extent, v);
		else
			buf_printf(out,
				   "for (int %s = %" PRId64 "; %s < %" PRId64
				   "; %s++)\n",
				   v, l->min, v, l->min + l->extent, v);
	}
	buf_fill(out, '\t', depth);
	if (!n->nloops)
		buf_puts(out, "if (taskId == 0)\n\t\t");
	buf_printf(out, "%s[", s->store.buffer->name);
	ok = bang_put_expr(out, s->store.index, NULL, NULL);
	buf_puts(out, "] = ");
	ok &= bang_put_expr(out, s->store.value, NULL, NULL);
	buf_puts(out, ";\n");
	return ok;
}
