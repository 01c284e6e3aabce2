/*
 * What type relations are written with: looking at inputs, assigning types,
 * arithmetic on dimensions.
 */
#include "ir/relation.h"

#include <stdarg.h>
#include <string.h>

#include "ir/infer_internal.h"

const struct ir_tensor_type *
rel_tensor(struct rel *r, uint32_t i)
{
	const ir_type *t;

	assert(i < r->nargs);
	t = r->args[i];
	return t->kind == TYPE_TENSOR ? ir_as_tensor_type(t) : NULL;
}

/* All fields of T are tensors. */
static bool
all_tensors(const struct ir_tuple_type *t)
{
	for (uint32_t i = 0; i < t->nfields; i++)
		if (t->fields[i]->kind != TYPE_TENSOR)
			return false;
	return true;
}

const struct ir_tuple_type *
rel_tuple(struct rel *r, uint32_t i)
{
	const ir_type *t;

	assert(i < r->nargs);
	t = r->args[i];
	if (t->kind != TYPE_TUPLE || !all_tensors(ir_as_tuple_type(t)))
		return NULL;
	return ir_as_tuple_type(t);
}

/* The name of input I: "input 2 ('weight')", or only its number. */
static const char *
input_name(struct rel *r, uint32_t i)
{
	const char *s = r->op->inputs;
	uint32_t at = 0;
	int len;

	for (; s && at < i; at++) {
		while (*s && *s != ',')
			s++;
		s = *s ? s + 1 : NULL;
	}
	if (!s || !*s || r->op->ninputs == OP_MANY_INPUTS)
		return arena_printf(r->scratch, "argument %u", i + 1);
	for (len = 0; s[len] && s[len] != ','; len++)
		;
	return arena_printf(r->scratch, "argument %u ('%.*s')", i + 1, len, s);
}

/* Some field of the tuple T is not known yet. */
static bool
has_open_field(const ir_type *t)
{
	const struct ir_tuple_type *tuple = ir_as_tuple_type(t);

	for (uint32_t i = 0; i < tuple->nfields; i++)
		if (tuple->fields[i]->kind == TYPE_HOLE)
			return true;
	return false;
}

enum rel_result
rel_wait(struct rel *r, uint32_t i)
{
	const ir_type *t = r->args[i];
	const char *want = "a tensor";

	if (t->kind == TYPE_HOLE)
		return REL_DEFER;
	if (t->kind == TYPE_TUPLE && has_open_field(t))
		return REL_DEFER;
	if (t->kind == TYPE_TENSOR)
		want = "a tuple of tensors";
	else if (t->kind == TYPE_TUPLE && !all_tensors(ir_as_tuple_type(t)))
		want = "a tensor or a tuple of tensors";
	return rel_error_at(r, i, "%s has type %s, but %s is expected",
			    input_name(r, i), infer_type_text(r->infer, t),
			    want);
}

enum rel_result
rel_assign(struct rel *r, const ir_type *t)
{
	struct infer *in = r->infer;
	const ir_type *merged;

	if (!in->result || in->result == t) {
		in->result = t;
		return REL_DONE;
	}
	merged = infer_unify(in, in->result, t);
	if (merged) {
		in->result = merged;
		return REL_DONE;
	}
	return rel_error(r, "the result has type %s, but %s is expected",
			 infer_type_text(in, t),
			 infer_type_text(in, in->result));
}

/*
 * An input that knows a dimension which the relation does not forgets it, as
 * unification has it everywhere.
 */
static void
set_input(struct rel *r, uint32_t i, const ir_type *merged)
{
	const ir_expr *arg = r->call->args[i];

	if (arg->type != merged && !(arg->type->flags & TYPE_HAS_HOLE) &&
	    (arg->kind == IR_CONSTANT || arg->kind == IR_VAR))
		infer_set_type(r->infer, arg, merged);
	r->args[i] = infer_resolve(r->infer, merged);
}

enum rel_result
rel_assign_input(struct rel *r, uint32_t i, const ir_type *t)
{
	struct infer *in = r->infer;
	const ir_type *merged;

	assert(i < r->nargs);
	if (r->args[i] == t)
		return REL_DONE;
	merged = infer_unify(in, r->call->args[i]->type, t);
	if (merged) {
		set_input(r, i, merged);
		return REL_DONE;
	}
	return rel_error_at(r, i, "%s has type %s, but %s is expected",
			    input_name(r, i), infer_type_text(in, r->args[i]),
			    infer_type_text(in, t));
}

enum rel_result
rel_assign_tensor(struct rel *r, struct dtype dtype, const struct ir_dim *shape,
		  uint32_t ndim)
{
	return rel_assign(r, ir_type_tensor(r->cx, dtype, shape, ndim));
}

/* The attribute that TEXT begins with, or the call. */
static struct loc
place_of(const struct rel *r, const char *text)
{
	static const char word[] = "attribute '";
	size_t n = sizeof(word) - 1;

	if (strncmp(text, word, n) != 0)
		return r->call->base.loc;
	return rel_attr_place(r, text + n, strcspn(text + n, "'"));
}

enum rel_result
rel_error(struct rel *r, const char *fmt, ...)
{
	va_list ap;
	const char *text;

	va_start(ap, fmt);
	text = arena_vprintf(r->scratch, fmt, ap);
	va_end(ap);
	diag_error(r->infer->d, place_of(r, text), "operator '%s': %s",
		   r->op->name, text);
	return REL_FAIL;
}

enum rel_result
rel_error_at(struct rel *r, uint32_t i, const char *fmt, ...)
{
	va_list ap;
	const char *text;

	va_start(ap, fmt);
	text = arena_vprintf(r->scratch, fmt, ap);
	va_end(ap);
	diag_error(r->infer->d, rel_place(r, i), "operator '%s': %s",
		   r->op->name, text);
	return REL_FAIL;
}

enum rel_result
rel_error_attr(struct rel *r, const char *name, const char *fmt, ...)
{
	va_list ap;
	const char *text;

	va_start(ap, fmt);
	text = arena_vprintf(r->scratch, fmt, ap);
	va_end(ap);
	diag_error(r->infer->d, rel_attr_place(r, name, strlen(name)),
		   "operator '%s': %s", r->op->name, text);
	return REL_FAIL;
}

enum rel_result
rel_missing(struct rel *r)
{
	return rel_error(r, "its type relation is not implemented yet");
}

/* A dimension of VALUE that is as wide as the wider of A and B. */
static struct ir_dim
dim_of(int64_t value, struct ir_dim a, struct ir_dim b)
{
	struct ir_dim d = DIM(value);

	if (a.kind == DIM_INT64 || b.kind == DIM_INT64)
		d.kind = DIM_INT64;
	return d;
}

struct ir_dim
ir_dim_add(struct ir_dim a, struct ir_dim b)
{
	int64_t sum;

	if (!ir_dim_is_const(a) || !ir_dim_is_const(b) ||
	    __builtin_add_overflow(a.value, b.value, &sum))
		return DIM_UNKNOWN;
	return dim_of(sum, a, b);
}

struct ir_dim
ir_dim_sub(struct ir_dim a, struct ir_dim b)
{
	int64_t difference;

	if (!ir_dim_is_const(a) || !ir_dim_is_const(b) ||
	    __builtin_sub_overflow(a.value, b.value, &difference))
		return DIM_UNKNOWN;
	return dim_of(difference, a, b);
}

struct ir_dim
ir_dim_mul(struct ir_dim a, struct ir_dim b)
{
	int64_t product;

	if (!ir_dim_is_const(a) || !ir_dim_is_const(b) ||
	    __builtin_mul_overflow(a.value, b.value, &product))
		return DIM_UNKNOWN;
	return dim_of(product, a, b);
}

struct ir_dim
ir_dim_div(struct ir_dim a, int64_t by)
{
	int64_t quotient;

	assert(by != 0);
	if (!ir_dim_is_const(a) || (by == -1 && a.value == INT64_MIN))
		return DIM_UNKNOWN;
	quotient = a.value / by;
	if (a.value % by != 0 && (a.value < 0) != (by < 0))
		quotient--;
	return dim_of(quotient, a, a);
}

bool
ir_dim_broadcast(struct ir_dim a, struct ir_dim b, struct ir_dim *out)
{
	if (ir_dim_is_const(a) && a.value == 1)
		*out = b;
	else if (ir_dim_is_const(b) && b.value == 1)
		*out = a;
	else if (a.kind == DIM_ANY)
		*out = b;
	else if (b.kind == DIM_ANY)
		*out = a;
	else if (ir_dim_equal(a, b) ||
		 (ir_dim_is_const(a) && ir_dim_is_const(b) &&
		  a.value == b.value))
		*out = a;
	else
		return false;
	return true;
}

bool
ir_dim_may_equal(struct ir_dim a, struct ir_dim b)
{
	if (ir_dim_is_const(a) && ir_dim_is_const(b))
		return a.value == b.value;
	return true;
}
