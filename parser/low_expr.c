/*
 * Scalar expressions of tensor expressions and loops.
 */
#include "parser/low.h"

#include <string.h>

#include "parser/syn.h"

static const tir_expr poison = {.kind = TIR_INT, .dtype = {3, 0, 0}};

const tir_expr *
low_poison(void)
{
	return &poison;
}

struct dtype
low_dtype_of(const char *name)
{
	struct dtype t = DTYPE(INT, 32);

	dtype_parse(name, strlen(name), &t);
	if (t.code == DTYPE_HANDLE)
		t.bits = 64;
	return t;
}

/* E, or after an error poison if it nests too deep for recursion. */
static const tir_expr *
shallow(struct parse_ctx *cx, const tir_expr *e)
{
	if (e->depth <= TIR_MAX_DEPTH)
		return e;
	diag_error(cx->d, cx->low.def ? cx->low.def->loc : LOC_NONE,
		   "an expression nests deeper than %d", TIR_MAX_DEPTH);
	return &poison;
}

uint32_t
low_push(struct parse_ctx *cx, const tir_expr *e)
{
	e = shallow(cx, e);
	vec_push(&cx->low.exprs, e);
	return (uint32_t)cx->low.exprs.len - 1;
}

/* Integers that TIR has beside those of Relay: int8 and unsigned ones. */
static const tir_expr *
small_int(struct parse_ctx *cx, struct loc loc, const struct number *n)
{
	struct dtype t = DTYPE(INT, 8);
	uint64_t limit;

	t.bits = n->width;
	t.code = n->is_unsigned ? DTYPE_UINT : DTYPE_INT;
	if (n->is_unsigned)
		limit = t.bits == 64 ? UINT64_MAX : ((uint64_t)1 << t.bits) - 1;
	else
		limit = ((uint64_t)1 << (t.bits - 1)) - !n->negative;
	if (n->overflow || n->magnitude > limit ||
	    (n->is_unsigned && n->negative && n->magnitude)) {
		diag_error(cx->d, loc, "%s%u cannot hold this number",
			   n->is_unsigned ? "uint" : "int", t.bits);
		return &poison;
	}
	return tir_int(cx->m, t,
		       n->negative ? (int64_t)(0 - n->magnitude)
				   : (int64_t)n->magnitude);
}

const tir_expr *
low_number(struct parse_ctx *cx, struct loc loc, const struct number *n)
{
	struct dtype t = DTYPE(FLOAT, 32);
	unsigned width;
	int64_t value;

	if (n->kind == NUM_FLOAT) {
		t.bits = n->width;
		if (n->is_bfloat)
			t.code = DTYPE_BFLOAT;
		return tir_float(cx->m, t, n->negative ? -n->value : n->value);
	}
	if (n->is_unsigned || n->width == 8)
		return small_int(cx, loc, n);
	if (!syn_integer(cx, loc, n, &value, &width))
		return &poison;
	t.code = DTYPE_INT;
	t.bits = (uint8_t)width;
	return tir_int(cx->m, t, value);
}

const tir_expr *
low_bool(struct parse_ctx *cx, bool value)
{
	return tir_int(cx->m, DTYPE_BOOL, value);
}

const tir_expr *
low_string(struct parse_ctx *cx, const char *text)
{
	return tir_string(cx->m, text);
}

const tir_expr *
low_variable(struct parse_ctx *cx, struct loc loc, const char *name)
{
	const struct tir_var *v = scope_find(&cx->low.vars, name);

	if (v)
		return tir_var_ref(cx->m, v);
	diag_error(cx->d, loc, "variable '%s' is not declared here", name);
	return &poison;
}

/* The indices from AT on, popped; NULL, reported, if there are not WANT. */
static const tir_expr *const *
take_index(struct parse_ctx *cx, struct loc loc, uint32_t at, uint32_t want)
{
	static const tir_expr *const none[] = {NULL};
	uint32_t n = count_items(at, cx->low.exprs.len);

	cx->low.exprs.len -= n;
	if (n != want) {
		diag_error(cx->d, loc, "%u ind%s needed here, not %u", want,
			   want == 1 ? "ex is" : "ices are", n);
		return NULL;
	}
	for (uint32_t i = 0; i < n; i++) {
		const tir_expr *e = cx->low.exprs.at[at + i];

		if (e == &poison)
			return NULL;
		if (dtype_is_int(e->dtype))
			continue;
		diag_error(cx->d, loc, "an index must be an integer");
		return NULL;
	}
	return n ? cx->low.exprs.at + cx->low.exprs.len : none;
}

/* NAME[...]: of a tensor in tensor expressions, else of a buffer. */
const tir_expr *
low_element(struct parse_ctx *cx, struct loc loc, const char *name,
	    uint64_t output, uint32_t index)
{
	const tir_expr *const *at;
	const struct tir_buffer *b;
	struct te_tensor *t;

	if (cx->low.te) {
		t = low_ref(cx, loc, name, output);
		at = take_index(cx, loc, index,
				t ? t->ndim
				  : count_items(index, cx->low.exprs.len));
		return t && at ? tir_read(cx->m, t, at, t->ndim) : &poison;
	}
	b = scope_find(&cx->low.buffers, name);
	if (!b)
		diag_error(cx->d, loc, "buffer '%s' is not declared here",
			   name);
	at = take_index(cx, loc, index, 1);
	return b && at ? tir_load(cx->m, b, at[0]) : &poison;
}

static const char *
type_text(const tir_expr *e, char out[DTYPE_TEXT])
{
	return dtype_text(e->dtype, out);
}

const tir_expr *
low_not(struct parse_ctx *cx, struct loc loc, const tir_expr *a)
{
	if (a == &poison)
		return a;
	if (dtype_is_bool(a->dtype))
		return tir_not(cx->m, a);
	diag_error(cx->d, loc, "'!' takes a truth value");
	return &poison;
}

/* Both operands of KIND are what it takes, apart from being of one type. */
static bool
operand_fits(enum tir_kind kind, const tir_expr *e)
{
	if (kind == TIR_AND || kind == TIR_OR)
		return e->dtype.code == DTYPE_UINT && e->dtype.bits == 1;
	return e->kind != TIR_STRING;
}

const tir_expr *
low_binary(struct parse_ctx *cx, struct loc loc, enum tir_kind kind,
	   const tir_expr *a, const tir_expr *b)
{
	char ta[DTYPE_TEXT], tb[DTYPE_TEXT];

	if (a == &poison || b == &poison)
		return &poison;
	if (a->kind == TIR_REDUCE || b->kind == TIR_REDUCE) {
		diag_error(cx->d, loc, "a fold must be a formula of its own");
		return &poison;
	}
	if (!dtype_equal(a->dtype, b->dtype)) {
		diag_error(cx->d, loc, "the operands have types %s and %s",
			   type_text(a, ta), type_text(b, tb));
		return &poison;
	}
	if (operand_fits(kind, a) && operand_fits(kind, b))
		return shallow(cx, tir_binary(cx->m, kind, a, b));
	diag_error(cx->d, loc, "operands of type %s do not fit here",
		   type_text(a, ta));
	return &poison;
}

const tir_expr *
low_let_expr(struct parse_ctx *cx, const tir_expr *body)
{
	struct low_frame f = vec_pop(&cx->low.frames);

	scope_leave(&cx->low.vars, f.scope);
	if (body == &poison || f.first == &poison)
		return &poison;
	return tir_let(cx->m, f.var, f.first, body);
}

static bool
same_payload(const tir_expr *a, const tir_expr *b)
{
	switch (a->kind) {
	case TIR_FLOAT:
		return memcmp(&a->f, &b->f, sizeof(a->f)) == 0;
	case TIR_CALL:
		return a->intrin == b->intrin;
	case TIR_INT:
		return a->i == b->i;
	case TIR_STRING:
	case TIR_VAR:
	case TIR_CALL_EXTERN:
	case TIR_LOAD:
	case TIR_ADDRESS_OF:
	case TIR_READ:
		return a->s == b->s; /* any pointer of the union */
	case TIR_LET:
	case TIR_REDUCE:
		return false;
	default:
		return true;
	}
}

bool
low_same(const tir_expr *a, const tir_expr *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind || a->n != b->n ||
	    !dtype_equal(a->dtype, b->dtype) || !same_payload(a, b))
		return false;
	for (uint32_t i = 0; i < a->n; i++) {
		if (!low_same(a->arg[i], b->arg[i]))
			return false;
	}
	return true;
}
