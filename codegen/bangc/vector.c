/*
 * Kernels of float32 on vectors.
 *
 * Rows of the innermost loop are cut into tiles. What an expression reads
 * along the row is copied into NRAM, each step of the expression becomes one
 * vector instruction with a slot of NRAM for its result, and the last slot is
 * copied back. If every operand is read at the very index that is written,
 * the whole array is one row, which the cores share.
 */
#include "codegen/bangc/internal.h"

#include <inttypes.h>
#include <string.h>

/* A strided copy has at most 65536 parts. */
enum { MAX_SLOTS = 200, MAX_TILE = 65536 };

struct vector {
	const struct bang_nest *nest;
	const struct tir_var *along; /* the innermost loop */
	bool flat;                   /* all loops are one */
	struct buf code;
	const tir_expr *at[MAX_SLOTS]; /* what the slots hold */
	unsigned n;
	bool ok;
};

static bool
is_float32(struct dtype t)
{
	return t.code == DTYPE_FLOAT && t.bits == 32 && t.lanes == 1;
}

static void
put_slot(struct vector *v, unsigned i)
{
	buf_printf(&v->code, "relay_slot(%u)", i);
}

static unsigned
new_slot(struct vector *v, const tir_expr *e)
{
	if (v->n == MAX_SLOTS) {
		v->ok = false;
		return 0;
	}
	v->at[v->n] = e;
	return v->n++;
}

/* Does E stay the same along the row, so that one number will do? */
static bool
is_constant(struct vector *v, const tir_expr *e)
{
	int64_t stride;

	if (e->kind == TIR_LOAD)
		return !v->flat && bang_stride(e->arg[0], v->along, &stride) &&
		       stride == 0;
	if (e->kind == TIR_VAR)
		return e->var != v->along;
	for (uint32_t i = 0; i < e->n; i++)
		if (!is_constant(v, e->arg[i]))
			return false;
	return true;
}

static void
put_number(struct vector *v, const tir_expr *e)
{
	v->ok &= bang_put_expr(&v->code, e, v->along, "0");
}

/* "\tNAME(slot d, " */
static void
begin(struct vector *v, const char *name, unsigned d)
{
	buf_printf(&v->code, "\t\t%s(", name);
	put_slot(v, d);
	buf_puts(&v->code, ", ");
}

static unsigned fill(struct vector *v, const tir_expr *e);
static unsigned value(struct vector *v, const tir_expr *e);

/* A slot full of E, which is one number. */
static unsigned
fill(struct vector *v, const tir_expr *e)
{
	unsigned d = new_slot(v, e);

	begin(v, "__bang_write_value", d);
	buf_puts(&v->code, "count, (float)");
	put_number(v, e);
	buf_puts(&v->code, ");\n");
	return d;
}

static unsigned
load(struct vector *v, const tir_expr *e)
{
	unsigned d = new_slot(v, e);
	int64_t stride = 1;

	if (v->flat)
		v->ok &= bang_same(e->arg[0], v->nest->store->store.index);
	else
		v->ok &= bang_stride(e->arg[0], v->along, &stride);
	buf_puts(&v->code, "\t\t__memcpy(");
	put_slot(v, d);
	buf_printf(&v->code, ", %s + ", e->buffer->name);
	if (v->flat) {
		buf_puts(&v->code, "start");
	} else {
		v->ok &= bang_put_expr(&v->code, e->arg[0], v->along, "start");
	}
	if (stride == 1)
		buf_puts(&v->code, ", real * 4, GDRAM2NRAM);\n");
	else
		buf_printf(&v->code,
			   ", 4, GDRAM2NRAM, 4, %" PRId64 ", real - 1);\n",
			   4 * stride);
	return d;
}

static unsigned
unary(struct vector *v, const tir_expr *e, const char *name)
{
	unsigned a = value(v, e->arg[0]), d = new_slot(v, e);
	bool library = !strncmp(name, "__cn_", 5);

	if (library) {
		buf_printf(&v->code, "\t\t%s(count, ", name);
		put_slot(v, d);
		buf_puts(&v->code, ", ");
	} else {
		begin(v, name, d);
	}
	put_slot(v, a);
	buf_puts(&v->code, library ? ");\n" : ", count);\n");
	return d;
}

static unsigned
two_slots(struct vector *v, const tir_expr *e, const char *name)
{
	unsigned a = value(v, e->arg[0]), b = value(v, e->arg[1]);
	unsigned d = new_slot(v, e);

	begin(v, name, d);
	put_slot(v, a);
	buf_puts(&v->code, ", ");
	put_slot(v, b);
	buf_puts(&v->code, ", count);\n");
	return d;
}

/* SLOT op number */
static unsigned
with_number(struct vector *v, const tir_expr *e, const tir_expr *slot,
	    const tir_expr *n, const char *name)
{
	unsigned a = value(v, slot), d = new_slot(v, e);

	begin(v, name, d);
	put_slot(v, a);
	buf_puts(&v->code, ", (float)");
	put_number(v, n);
	buf_puts(&v->code, ", count);\n");
	return d;
}

static unsigned
binary(struct vector *v, const tir_expr *e)
{
	bool a = is_constant(v, e->arg[0]), b = is_constant(v, e->arg[1]);

	switch ((enum tir_kind)e->kind) {
	case TIR_ADD:
		if (b)
			return with_number(v, e, e->arg[0], e->arg[1],
					   "__bang_add_scalar");
		if (a)
			return with_number(v, e, e->arg[1], e->arg[0],
					   "__bang_add_scalar");
		return two_slots(v, e, "__bang_add");
	case TIR_SUB:
		if (b)
			return with_number(v, e, e->arg[0], e->arg[1],
					   "__bang_sub_scalar");
		return two_slots(v, e, "__bang_sub");
	case TIR_MUL:
		if (b)
			return with_number(v, e, e->arg[0], e->arg[1],
					   "__bang_mul_scalar");
		if (a)
			return with_number(v, e, e->arg[1], e->arg[0],
					   "__bang_mul_scalar");
		return two_slots(v, e, "__bang_mul");
	case TIR_DIV:
		return two_slots(v, e, "relay_div");
	case TIR_MIN:
		return two_slots(v, e, "__bang_nan_minimum");
	case TIR_MAX:
		return two_slots(v, e, "__bang_nan_maximum");
	default:
		v->ok = false;
		return 0;
	}
}

static const char *
function_of(enum tir_intrin f)
{
	switch (f) {
	case INTRIN_ABS:
		return "__bang_abs";
	case INTRIN_CEIL:
		return "__cn_vector_ceil_f32";
	case INTRIN_COS:
		return "__bang_cos";
	case INTRIN_ERF:
		return "__cn_vector_erf_f32";
	case INTRIN_EXP:
		return "relay_exp";
	case INTRIN_FLOOR:
		return "__cn_vector_floor_f32";
	case INTRIN_LOG:
		return "relay_log";
	case INTRIN_ROUND:
		return "__cn_vector_round_f32";
	case INTRIN_RSQRT:
		return "__bang_rsqrt";
	case INTRIN_SIGMOID:
		return "relay_sigmoid_vector";
	case INTRIN_SIN:
		return "__bang_sin";
	case INTRIN_SQRT:
		return "__bang_sqrt";
	case INTRIN_TANH:
		return "__cn_vector_tanh_f32";
	case INTRIN_TRUNC:
		return "__cn_vector_trunc_f32";
	default:
		return NULL;
	}
}

static unsigned
compute(struct vector *v, const tir_expr *e)
{
	const char *name;

	if (!v->ok || !is_float32(e->dtype)) {
		v->ok = false;
		return 0;
	}
	if (is_constant(v, e))
		return fill(v, e);
	if (e->kind == TIR_LOAD)
		return load(v, e);
	if (e->kind != TIR_CALL)
		return binary(v, e);
	name = e->n == 1 ? function_of(e->intrin) : NULL;
	if (name)
		return unary(v, e, name);
	v->ok = false;
	return 0;
}

static unsigned
value(struct vector *v, const tir_expr *e)
{
	for (unsigned i = 0; i < v->n; i++)
		if (bang_same(v->at[i], e))
			return i;
	return compute(v, e);
}

/* The index that is written counts all elements in order. */
static bool
writes_in_order(const struct bang_nest *n)
{
	int64_t step = 1, stride;

	for (uint32_t i = n->nloops; i-- > 0;) {
		const struct bang_loop *l = &n->loops[i];

		if (l->min != 0 ||
		    !bang_stride(n->store->store.index, l->var, &stride) ||
		    stride != step)
			return false;
		step *= l->extent;
	}
	return step == n->store->store.buffer->size;
}

static bool
reads_in_order(const tir_expr *e, const tir_expr *index)
{
	if (e->kind == TIR_LOAD)
		return bang_same(e->arg[0], index);
	for (uint32_t i = 0; i < e->n; i++)
		if (!reads_in_order(e->arg[i], index))
			return false;
	return e->kind != TIR_VAR;
}

/* Loops around the row, all but the innermost. */
static void
put_loops(struct buf *out, const struct vector *v)
{
	const struct bang_nest *n = v->nest;

	for (uint32_t i = 0; !v->flat && i + 1 < n->nloops; i++) {
		const struct bang_loop *l = &n->loops[i];
		const char *name = l->var->name;

		buf_printf(out,
			   "\tfor (int %s = %" PRId64 "%s; %s < %" PRId64
			   "; %s%s)\n",
			   name, l->min, i ? "" : " + taskId", name,
			   l->min + l->extent, name, i ? "++" : " += taskDim");
	}
}

/* The part of the row that is this core's, and its tiles. */
static void
put_tiles(struct buf *out, const struct vector *v)
{
	const struct bang_nest *n = v->nest;
	const struct bang_loop *row = &n->loops[n->nloops - 1];
	bool shared = v->flat || n->nloops == 1;
	int64_t low = v->flat ? 0 : row->min;
	int64_t extent = v->flat ? n->store->store.buffer->size : row->extent;

	if (shared)
		buf_printf(out,
			   "\tint share = relay_lines((%" PRId64
			   " + taskDim - 1) / taskDim);\n"
			   "\tint low = %" PRId64 " + taskId * share;\n"
			   "\tint high = relay_min(low + share, %" PRId64
			   ");\n",
			   extent, low, low + extent);
	put_loops(out, v);
	if (shared)
		buf_puts(out,
			 "\tfor (int start = low; start < high; "
			 "start += tile) {\n"
			 "\t\tint real = relay_min(tile, high - start);\n");
	else
		buf_printf(out,
			   "\tfor (int start = %" PRId64 "; start < %" PRId64
			   "; start += tile) {\n"
			   "\t\tint real = relay_min(tile, %" PRId64
			   " - start);\n",
			   low, low + extent, low + extent);
	buf_puts(out, "\t\tint count = relay_lines(real);\n");
}

static void
put_result(struct vector *v, unsigned slot)
{
	const tir_stmt *s = v->nest->store;
	int64_t stride = 1;

	if (!v->flat)
		v->ok &= bang_stride(s->store.index, v->along, &stride);
	buf_printf(&v->code, "\t\t__memcpy(%s + ", s->store.buffer->name);
	if (v->flat)
		buf_puts(&v->code, "start");
	else
		v->ok &= bang_put_expr(&v->code, s->store.index, v->along,
				       "start");
	buf_puts(&v->code, ", ");
	put_slot(v, slot);
	buf_puts(&v->code, ", real * 4, NRAM2GDRAM);\n\t}\n");
	v->ok &= stride == 1;
}

bool
bang_put_vector(struct buf *out, const struct bang_nest *n)
{
	struct vector v = {.nest = n, .ok = n->nloops > 0};
	int64_t bytes;

	if (!v.ok || !is_float32(n->store->store.buffer->dtype))
		return false;
	v.along = n->loops[n->nloops - 1].var;
	v.flat = writes_in_order(n) &&
		 reads_in_order(n->store->store.value, n->store->store.index);
	put_result(&v, value(&v, n->store->store.value));
	bytes = v.n ? BANG_NRAM_BYTES / v.n / BANG_LINE * BANG_LINE : 0;
	if (bytes > 4 * MAX_TILE)
		bytes = 4 * MAX_TILE;
	if (v.ok) {
		buf_printf(out,
			   "\tconst int tile = %" PRId64 "; /* elements of a "
			   "slot, edit at will */\n",
			   bytes / 4);
		put_tiles(out, &v);
		buf_put(out, v.code.at, v.code.len);
	}
	buf_free(&v.code);
	return v.ok;
}
