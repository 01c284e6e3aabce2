/*
 * Parts of a vector expression that have no instruction: a loop over the
 * elements of the tile, on the chip.
 *
 * Either the operands lie in vectors and the operation alone is done one by
 * one, or a whole part of the expression is, which then reads device memory:
 * where elements lie in no order, or are of a type that no vector holds.
 */
#include <string.h>

#include "codegen/bangc/internal.h"

enum bang_class
bang_class_of(struct dtype t)
{
	if (t.lanes != 1)
		return BANG_NO_VECTOR;
	if (dtype_is_bool(t))
		return BANG_FLOATS;
	if (t.code == DTYPE_FLOAT && (t.bits == 32 || t.bits == 16))
		return BANG_FLOATS;
	if ((t.code == DTYPE_INT || t.code == DTYPE_UINT) && t.bits <= 32 &&
	    bang_type(t))
		return BANG_INTS;
	return BANG_NO_VECTOR;
}

const char *
bang_word(struct dtype t)
{
	return bang_class_of(t) == BANG_INTS ? "int" : "float";
}

/* Element "lane" of vector X, which holds a T. */
static const char *
lane_of(struct bang_vectors *v, unsigned x, struct dtype t)
{
	struct arena *a = v->k->arena;

	if (dtype_is_bool(t))
		return arena_printf(a, "(x%u[lane] != 0)", x);
	if (bang_class_of(t) == BANG_FLOATS)
		return arena_printf(
			a, t.bits == 16 ? "(half)x%u[lane]" : "x%u[lane]", x);
	return arena_printf(a, "(%s)((int *)x%u)[lane]", bang_type(t), x);
}

/* E with its operands in vectors, as far as they change along the loop. */
static const tir_expr *
over_vectors(struct bang_vectors *v, const tir_expr *e)
{
	struct arena *a = v->k->arena;
	tir_expr *out =
		arena_alloc(a, sizeof(*out) + e->n * sizeof(const tir_expr *));

	memcpy(out, e, sizeof(*out));
	for (uint32_t i = 0; i < e->n; i++) {
		struct tir_var *var;
		const char *text;
		tir_expr *at;

		out->arg[i] = e->arg[i];
		if (bang_is_constant(v, e->arg[i]))
			continue;
		text = lane_of(v, bang_vector_of(v, e->arg[i]),
			       e->arg[i]->dtype);
		var = ARENA_NEW(a, struct tir_var);
		*var = (struct tir_var){.name = "lane",
					.dtype = e->arg[i]->dtype};
		at = ARENA_NEW(a, tir_expr);
		at->kind = TIR_VAR;
		at->dtype = e->arg[i]->dtype;
		at->n = 0;
		at->var = var;
		vec_push(&v->names, ((struct bang_name){var, text}));
		out->arg[i] = at;
	}
	return out;
}

/* Could all operands of E that change lie in vectors? */
static bool
has_vectors(struct bang_vectors *v, const tir_expr *e)
{
	if (e->kind == TIR_LOAD || e->kind == TIR_VAR || e->kind == TIR_GUARD)
		return false;
	for (uint32_t i = 0; i < e->n; i++)
		if (!bang_is_constant(v, e->arg[i]) &&
		    bang_class_of(e->arg[i]->dtype) == BANG_NO_VECTOR)
			return false;
	return e->n > 0;
}

/* Loads and parts of them compute nothing that counts. */
static int64_t
operations(const tir_expr *e, bool alone)
{
	int64_t n = bang_arithmetic(e);

	for (uint32_t i = 0; alone && i < e->n; i++)
		n -= bang_arithmetic(e->arg[i]);
	return n;
}

/* What E does, for people. */
static const char *
title(const tir_expr *e)
{
	static const char *const kinds[TIR_KIND_COUNT] = {
		[TIR_ADD] = "+",
		[TIR_SUB] = "-",
		[TIR_MUL] = "*",
		[TIR_DIV] = "/",
		[TIR_MOD] = "%",
		[TIR_TRUNCDIV] = "truncdiv",
		[TIR_TRUNCMOD] = "truncmod",
		[TIR_MIN] = "min",
		[TIR_MAX] = "max",
		[TIR_EQ] = "==",
		[TIR_NE] = "!=",
		[TIR_LT] = "<",
		[TIR_LE] = "<=",
		[TIR_GT] = ">",
		[TIR_GE] = ">=",
		[TIR_GUARD] = "choice",
		[TIR_SELECT] = "choice",
		[TIR_CAST] = "cast",
		[TIR_LOAD] = "gather",
		[TIR_VAR] = "index",
	};

	if (e->kind == TIR_CALL)
		return tir_intrin_info[e->intrin].name;
	return kinds[e->kind] ? kinds[e->kind] : "expression";
}

unsigned
bang_lanes(struct bang_vectors *v, const tir_expr *e)
{
	bool vectors = has_vectors(v, e);
	size_t mark = v->names.len;
	const tir_expr *shown = vectors ? over_vectors(v, e) : e;
	unsigned d = bang_new_vector(v);

	if (bang_class_of(e->dtype) == BANG_NO_VECTOR ||
	    (!vectors && !v->along))
		v->ok = false;
	if (!v->ok)
		return 0;
	v->at[d] = e;
	if (!vectors)
		vec_push(&v->names,
			 ((struct bang_name){v->along, "(start + lane)"}));
	v->scalar += operations(e, vectors);
	buf_printf(&v->code,
		   "%s/* one by one: %s */\n"
		   "%s__bang_write_value(x%u, count, 0.0f);\n"
		   "%sfor (int lane = 0; lane < real; lane++)\n"
		   "%s  ",
		   v->indent, title(e), v->indent, d, v->indent, v->indent);
	if (bang_class_of(e->dtype) == BANG_INTS)
		buf_printf(&v->code, "((int *)x%u)[lane] = ", d);
	else
		buf_printf(&v->code, "x%u[lane] = ", d);
	v->ok &= bang_put_expr(&v->code, shown, &v->names);
	buf_puts(&v->code, ";\n");
	v->names.len = mark;
	return d;
}
