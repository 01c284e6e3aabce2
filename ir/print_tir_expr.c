/*
 * Scalar expressions as text.
 */
#include "ir/print_tir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/print.h"
#include "support/arena.h"

/* Take NAME; false if somebody has it. */
static bool
take(struct tir_names *n, const char *name)
{
	uintptr_t *taken = ptrmap_add(&n->taken, name, NULL);

	if (*taken)
		return false;
	*taken = 1;
	return true;
}

const char *
tir_names_push(struct tir_names *n, const struct tir_var *v)
{
	uintptr_t *where;
	const char *name;

	if (!n->names.arena)
		interner_init(&n->names, &n->arena);
	name = intern_str(&n->names, v->name);
	for (unsigned i = 1; !take(n, name); i++)
		name = intern_str(&n->names,
				  arena_printf(&n->arena, "%s_%u", v->name, i));
	where = ptrmap_add(&n->where, v, NULL);
	vec_push(&n->live, ((struct tir_named){v, name, *where}));
	*where = n->live.len;
	return name;
}

void
tir_names_pop(struct tir_names *n)
{
	struct tir_named last = vec_pop(&n->live);

	*ptrmap_find(&n->taken, last.name) = 0;
	*ptrmap_find(&n->where, last.var) = last.hidden;
}

void
tir_names_free(struct tir_names *n)
{
	vec_free(&n->live);
	interner_free(&n->names);
	ptrmap_free(&n->taken);
	ptrmap_free(&n->where);
	arena_free(&n->arena);
}

static const char *
name_of(const struct tir_names *n, const struct tir_var *v)
{
	const uintptr_t *where = ptrmap_find(&n->where, v);

	return where && *where ? n->live.at[*where - 1].name : v->name;
}

/* VALUE in the precision of T. */
static double
as_stored(struct dtype t, double value)
{
	if (t.code == DTYPE_BFLOAT)
		return bfloat_to_float(float_to_bfloat((float)value));
	if (t.bits == 16)
		return half_to_float(double_to_half(value));
	return t.bits == 32 ? (float)value : value;
}

void
tir_put_float(struct buf *out, struct dtype t, double value)
{
	const char *suffix = t.code == DTYPE_BFLOAT ? "bf" : "f";
	char text[40];

	if (isnan(value)) {
		snprintf(text, sizeof(text), "nan");
	} else {
		for (int digits = 6; digits <= 17; digits++) {
			snprintf(text, sizeof(text), "%.*g", digits, value);
			if (as_stored(t, strtod(text, NULL)) ==
			    as_stored(t, value))
				break;
		}
	}
	buf_printf(out, "%s%s%u", text, suffix, t.bits);
}

static void
put_int(struct buf *out, struct dtype t, int64_t value)
{
	if (dtype_is_bool(t)) {
		buf_puts(out, value ? "True" : "False");
		return;
	}
	if (t.code == DTYPE_UINT && t.bits == 64)
		buf_printf(out, "%llu", (unsigned long long)value);
	else
		buf_int(out, value);
	if (t.code == DTYPE_UINT)
		buf_printf(out, "u%u", t.bits);
	else if (t.bits != 32)
		buf_printf(out, "i%u", t.bits);
}

void
tir_put_string(struct buf *out, const char *s)
{
	buf_putc(out, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			buf_putc(out, '\\');
		if (*s == '\n')
			buf_puts(out, "\\n");
		else
			buf_putc(out, *s);
	}
	buf_putc(out, '"');
}

void
tir_put_attr(struct buf *out, const ir_attr *a, const struct tir_meta *meta)
{
	switch (a->kind) {
	case ATTR_INT:
		buf_int(out, a->i);
		break;
	case ATTR_FLOAT:
		tir_put_float(out, DTYPE(FLOAT, 64), a->f);
		break;
	case ATTR_BOOL:
		buf_puts(out, a->b ? "True" : "False");
		break;
	case ATTR_STRING:
		tir_put_string(out, a->s);
		break;
	case ATTR_TYPE:
		ir_print_type(out, a->type);
		break;
	case ATTR_ARRAY:
		buf_putc(out, '[');
		for (uint32_t i = 0; i < a->n; i++) {
			if (i)
				buf_puts(out, ", ");
			tir_put_attr(out, &a->elems[i], meta);
		}
		buf_putc(out, ']');
		break;
	case ATTR_EXPR:
		if (meta)
			meta->put(a->expr, meta->env);
		else
			buf_puts(out, "None");
		break;
	default:
		buf_puts(out, "None");
		break;
	}
}

void
te_put_ref(struct buf *out, const struct te_tensor *t)
{
	if (t->op->kind == TE_PARAM)
		buf_putc(out, '%');
	buf_puts(out, t->op->name);
	if (t->output > 0)
		buf_printf(out, ".%u", t->output);
}

void
te_put_type(struct buf *out, const struct te_tensor *t)
{
	char dtype[DTYPE_TEXT];

	buf_puts(out, "Tensor[(");
	for (uint32_t i = 0; i < t->ndim; i++) {
		if (i)
			buf_puts(out, ", ");
		if (te_is_size(t->shape[i]))
			buf_puts(out, te_size_var(t->shape[i])->name);
		else
			buf_int(out, t->shape[i]);
	}
	buf_printf(out, "), %s]", dtype_text(t->dtype, dtype));
}

void
te_put_axes(struct buf *out, struct tir_names *n, const struct te_axis *axes,
	    uint32_t naxes)
{
	for (uint32_t i = 0; i < naxes; i++) {
		if (i)
			buf_puts(out, ", ");
		buf_printf(out, "%s: ", tir_names_push(n, axes[i].var));
		if (te_is_size(axes[i].extent))
			buf_puts(out, te_size_var(axes[i].extent)->name);
		else
			put_int(out, axes[i].var->dtype, axes[i].extent);
	}
}

static void put(struct buf *out, struct tir_names *n, const tir_expr *e,
		int level);

static void
put_args(struct buf *out, struct tir_names *n, const tir_expr *e,
	 uint32_t first)
{
	for (uint32_t i = first; i < e->n; i++) {
		if (i)
			buf_puts(out, ", ");
		put(out, n, e->arg[i], 0);
	}
}

static void
put_call(struct buf *out, struct tir_names *n, const char *name,
	 const tir_expr *e)
{
	buf_printf(out, "%s(", name);
	put_args(out, n, e, 0);
	buf_putc(out, ')');
}

static void
put_fold(struct buf *out, struct tir_names *n, const tir_expr *e)
{
	const struct te_reduce *r = e->reduce;

	buf_printf(out, "%s(", te_combiner_names[r->combiner]);
	te_put_axes(out, n, r->axes, r->naxes);
	buf_puts(out, "; ");
	for (uint32_t i = 0; i < r->nvalues; i++) {
		if (i)
			buf_puts(out, ", ");
		put(out, n, e->arg[i], 0);
	}
	if (r->has_cond) {
		buf_puts(out, " where ");
		put(out, n, e->arg[r->nvalues], 0);
	}
	buf_putc(out, ')');
	for (uint32_t i = 0; i < r->naxes; i++)
		tir_names_pop(n);
}

/* "cast(float32, x)", "reinterpret(int32, x)", "call_extern(...)". */
static void
put_typed(struct buf *out, struct tir_names *n, const tir_expr *e)
{
	char text[DTYPE_TEXT];

	dtype_text(e->dtype, text);
	if (e->kind == TIR_CALL_EXTERN) {
		buf_printf(out, "call_extern(%s, ", text);
		tir_put_string(out, e->s);
		if (e->n)
			buf_puts(out, ", ");
	} else {
		buf_printf(out, "%s(%s, ",
			   e->kind == TIR_CAST ? "cast" : "reinterpret", text);
	}
	put_args(out, n, e, 0);
	buf_putc(out, ')');
}

static void
put_lanes(struct buf *out, struct tir_names *n, const char *name,
	  const tir_expr *e)
{
	buf_printf(out, "%s(", name);
	put_args(out, n, e, 0);
	buf_printf(out, ", %u)", e->dtype.lanes);
}

static void
put_let(struct buf *out, struct tir_names *n, const tir_expr *e)
{
	char text[DTYPE_TEXT];
	struct buf value = {0};

	put(&value, n, e->arg[0], 0);
	buf_printf(out, "let(%s: %s = %s; ", tir_names_push(n, e->var),
		   dtype_text(e->var->dtype, text), value.at);
	buf_free(&value);
	put(out, n, e->arg[1], 0);
	tir_names_pop(n);
	buf_putc(out, ')');
}

static const struct binary {
	const char *text;
	int level; /* 0: a function */
} binary[TIR_KIND_COUNT] = {
	[TIR_OR] = {" || ", 1},
	[TIR_AND] = {" && ", 2},
	[TIR_EQ] = {" == ", 3},
	[TIR_NE] = {" != ", 3},
	[TIR_LT] = {" < ", 4},
	[TIR_LE] = {" <= ", 4},
	[TIR_GT] = {" > ", 4},
	[TIR_GE] = {" >= ", 4},
	[TIR_ADD] = {" + ", 5},
	[TIR_SUB] = {" - ", 5},
	[TIR_MUL] = {" * ", 6},
	[TIR_DIV] = {" / ", 6},
	[TIR_MOD] = {" % ", 6},
	[TIR_MIN] = {"min", 0},
	[TIR_MAX] = {"max", 0},
	[TIR_TRUNCDIV] = {"truncdiv", 0},
	[TIR_TRUNCMOD] = {"truncmod", 0},
	[TIR_SELECT] = {"select", 0},
	[TIR_GUARD] = {"guard", 0},
};

enum { UNARY_LEVEL = 7 };

static void
put_binary(struct buf *out, struct tir_names *n, const tir_expr *e, int level)
{
	const struct binary *b = &binary[e->kind];
	bool compare = b->level == 3 || b->level == 4;
	const char *text = b->text;

	if (e->kind == TIR_MUL && e->arg[1]->kind == TIR_INT)
		text = "*";
	if (b->level < level)
		buf_putc(out, '(');
	put(out, n, e->arg[0], b->level + compare);
	buf_puts(out, text);
	put(out, n, e->arg[1], b->level + 1);
	if (b->level < level)
		buf_putc(out, ')');
}

/* E where operators that bind less than LEVEL need parentheses. */
static void
put(struct buf *out, struct tir_names *n, const tir_expr *e, int level)
{
	switch (e->kind) {
	case TIR_INT:
		put_int(out, e->dtype, e->i);
		break;
	case TIR_FLOAT:
		tir_put_float(out, e->dtype, e->f);
		break;
	case TIR_STRING:
		tir_put_string(out, e->s);
		break;
	case TIR_VAR:
		buf_puts(out, name_of(n, e->var));
		break;
	case TIR_NOT:
		buf_putc(out, '!');
		put(out, n, e->arg[0], UNARY_LEVEL);
		break;
	case TIR_CAST:
	case TIR_CALL_EXTERN:
		put_typed(out, n, e);
		break;
	case TIR_CALL:
		if (e->intrin == INTRIN_REINTERPRET)
			put_typed(out, n, e);
		else
			put_call(out, n, tir_intrin_info[e->intrin].name, e);
		break;
	case TIR_LOAD:
	case TIR_READ:
		if (e->kind == TIR_LOAD)
			buf_puts(out, e->buffer->name);
		else
			te_put_ref(out, e->tensor);
		buf_putc(out, '[');
		put_args(out, n, e, 0);
		buf_putc(out, ']');
		break;
	case TIR_ADDRESS_OF:
		buf_printf(out, "address_of(%s[", e->buffer->name);
		put_args(out, n, e, 0);
		buf_puts(out, "])");
		break;
	case TIR_RAMP:
		put_lanes(out, n, "ramp", e);
		break;
	case TIR_BROADCAST:
		put_lanes(out, n, "broadcast", e);
		break;
	case TIR_LET:
		put_let(out, n, e);
		break;
	case TIR_REDUCE:
		put_fold(out, n, e);
		break;
	default:
		if (binary[e->kind].level > 0)
			put_binary(out, n, e, level);
		else
			put_call(out, n, binary[e->kind].text, e);
		break;
	}
}

void
tir_put_expr(struct buf *out, struct tir_names *n, const tir_expr *e)
{
	put(out, n, e, 0);
}

void
tir_print_expr(struct buf *out, const tir_expr *e)
{
	struct tir_names names = {0};

	put(out, &names, e, 0);
	tir_names_free(&names);
}
