/*
 * Constructors of TIR expressions and statements.
 */
#include "ir/tir.h"

#include <assert.h>
#include <string.h>

const struct tir_intrin_info tir_intrin_info[INTRIN_COUNT] = {
#define INTRIN(id, name, nargs, result) [INTRIN_##id] = {name, nargs},
#include "ir/intrins.def"
};

uint16_t
tir_depth_over(const tir_expr *const *args, uint32_t n)
{
	uint16_t depth = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (args[i]->depth == UINT16_MAX)
			return UINT16_MAX;
		if (args[i]->depth >= depth)
			depth = (uint16_t)(args[i]->depth + 1);
	}
	return depth;
}

static tir_expr *
new_expr(ir_module *m, enum tir_kind kind, struct dtype dtype,
	 const tir_expr *const *args, uint32_t n)
{
	tir_expr *e = arena_alloc(&m->arena, sizeof(*e) + n * sizeof(*args));

	e->kind = (uint8_t)kind;
	e->dtype = dtype;
	e->n = n;
	if (n)
		memcpy(e->arg, args, n * sizeof(*args));
	e->depth = tir_depth_over(args, n);
	return e;
}

static struct dtype
with_lanes(struct dtype t, unsigned lanes)
{
	t.lanes = (uint16_t)lanes;
	return t;
}

const tir_expr *
tir_int(ir_module *m, struct dtype t, int64_t value)
{
	tir_expr *e = new_expr(m, TIR_INT, t, NULL, 0);

	assert(!dtype_is_float(t) && t.lanes == 1);
	e->i = value;
	return e;
}

const tir_expr *
tir_float(ir_module *m, struct dtype t, double value)
{
	tir_expr *e = new_expr(m, TIR_FLOAT, t, NULL, 0);

	assert(dtype_is_float(t) && t.lanes == 1);
	e->f = value;
	return e;
}

const tir_expr *
tir_string(ir_module *m, const char *s)
{
	tir_expr *e = new_expr(m, TIR_STRING, DTYPE(HANDLE, 64), NULL, 0);

	e->s = s;
	return e;
}

const tir_expr *
tir_var_ref(ir_module *m, const struct tir_var *v)
{
	tir_expr *e = new_expr(m, TIR_VAR, v->dtype, NULL, 0);

	e->var = v;
	return e;
}

static bool
gives_bool(enum tir_kind k)
{
	return k >= TIR_EQ && k <= TIR_OR;
}

const tir_expr *
tir_binary(ir_module *m, enum tir_kind k, const tir_expr *a, const tir_expr *b)
{
	const tir_expr *args[] = {a, b};
	struct dtype t = a->dtype;

	assert(k >= TIR_ADD && k <= TIR_OR);
	assert(dtype_equal(a->dtype, b->dtype));
	if (gives_bool(k))
		t = with_lanes(DTYPE_BOOL, t.lanes);
	return new_expr(m, k, t, args, 2);
}

const tir_expr *
tir_not(ir_module *m, const tir_expr *a)
{
	assert(dtype_is_bool(a->dtype));
	return new_expr(m, TIR_NOT, a->dtype, &a, 1);
}

static const tir_expr *
choice(ir_module *m, enum tir_kind k, const tir_expr *cond, const tir_expr *a,
       const tir_expr *b)
{
	const tir_expr *args[] = {cond, a, b};

	assert(cond->dtype.code == DTYPE_UINT && cond->dtype.bits == 1);
	assert(dtype_equal(a->dtype, b->dtype));
	return new_expr(m, k, a->dtype, args, 3);
}

const tir_expr *
tir_select(ir_module *m, const tir_expr *cond, const tir_expr *a,
	   const tir_expr *b)
{
	return choice(m, TIR_SELECT, cond, a, b);
}

const tir_expr *
tir_guard(ir_module *m, const tir_expr *cond, const tir_expr *a,
	  const tir_expr *b)
{
	return choice(m, TIR_GUARD, cond, a, b);
}

const tir_expr *
tir_cast(ir_module *m, struct dtype t, const tir_expr *a)
{
	t = with_lanes(t, a->dtype.lanes);
	if (dtype_equal(t, a->dtype))
		return a;
	return new_expr(m, TIR_CAST, t, &a, 1);
}

const tir_expr *
tir_call(ir_module *m, enum tir_intrin f, struct dtype t,
	 const tir_expr *const *args, uint32_t n)
{
	tir_expr *e = new_expr(m, TIR_CALL, t, args, n);

	assert(tir_intrin_info[f].nargs == n);
	e->intrin = f;
	return e;
}

const tir_expr *
tir_call_extern(ir_module *m, const char *symbol, struct dtype t,
		const tir_expr *const *args, uint32_t n)
{
	tir_expr *e = new_expr(m, TIR_CALL_EXTERN, t, args, n);

	e->s = symbol;
	return e;
}

const tir_expr *
tir_load(ir_module *m, const struct tir_buffer *b, const tir_expr *index)
{
	struct dtype t = b->dtype;
	tir_expr *e;

	if (index->dtype.lanes > 1)
		t = with_lanes(t, index->dtype.lanes);
	e = new_expr(m, TIR_LOAD, t, &index, 1);
	e->buffer = b;
	return e;
}

const tir_expr *
tir_address_of(ir_module *m, const struct tir_buffer *b, const tir_expr *index)
{
	tir_expr *e = new_expr(m, TIR_ADDRESS_OF, DTYPE(HANDLE, 64), &index, 1);

	e->buffer = b;
	return e;
}

const tir_expr *
tir_ramp(ir_module *m, const tir_expr *base, const tir_expr *stride,
	 unsigned lanes)
{
	const tir_expr *args[] = {base, stride};

	assert(base->dtype.lanes == 1 && lanes > 1);
	return new_expr(m, TIR_RAMP, with_lanes(base->dtype, lanes), args, 2);
}

const tir_expr *
tir_broadcast(ir_module *m, const tir_expr *a, unsigned lanes)
{
	assert(a->dtype.lanes == 1);
	if (lanes == 1)
		return a;
	return new_expr(m, TIR_BROADCAST, with_lanes(a->dtype, lanes), &a, 1);
}

const tir_expr *
tir_let(ir_module *m, const struct tir_var *v, const tir_expr *value,
	const tir_expr *body)
{
	const tir_expr *args[] = {value, body};
	tir_expr *e = new_expr(m, TIR_LET, body->dtype, args, 2);

	e->var = v;
	return e;
}

const tir_expr *
tir_with_args(ir_module *m, const tir_expr *e, const tir_expr *const *args)
{
	tir_expr *copy;

	if (e->n == 0 || memcmp(e->arg, args, e->n * sizeof(*args)) == 0)
		return e;
	copy = new_expr(m, (enum tir_kind)e->kind, e->dtype, args, e->n);
	copy->i = e->i; /* the widest member of the union */
	return copy;
}

const struct tir_var *
tir_new_var(ir_module *m, const char *name, struct dtype t)
{
	struct tir_var *v = ARENA_NEW(&m->arena, struct tir_var);

	v->name = name;
	v->dtype = t;
	v->id = m->next_tir_id++;
	return v;
}

struct tir_buffer *
tir_new_buffer(ir_module *m, const char *name, struct dtype t, int64_t size,
	       enum tir_scope scope)
{
	struct tir_buffer *b = ARENA_NEW(&m->arena, struct tir_buffer);

	b->name = name;
	b->dtype = t;
	b->size = size;
	b->scope = scope;
	b->id = m->next_tir_id++;
	return b;
}

tir_stmt *
tir_new_stmt(ir_module *m, enum tir_stmt_kind kind)
{
	tir_stmt *s = ARENA_NEW(&m->arena, tir_stmt);

	s->kind = kind;
	return s;
}

tir_stmt *
tir_store(ir_module *m, const struct tir_buffer *b, const tir_expr *index,
	  const tir_expr *value)
{
	tir_stmt *s = tir_new_stmt(m, TIR_STORE);

	s->store.buffer = b;
	s->store.index = index;
	s->store.value = value;
	return s;
}

tir_stmt *
tir_for(ir_module *m, const struct tir_var *v, const tir_expr *min,
	const tir_expr *extent, enum tir_for_kind kind, tir_stmt *body)
{
	tir_stmt *s = tir_new_stmt(m, TIR_FOR);

	s->loop.var = v;
	s->loop.min = min;
	s->loop.extent = extent;
	s->loop.kind = kind;
	s->loop.body = body;
	return s;
}

tir_stmt *
tir_if(ir_module *m, const tir_expr *cond, tir_stmt *then_, tir_stmt *else_)
{
	tir_stmt *s = tir_new_stmt(m, TIR_IF);

	s->if_.cond = cond;
	s->if_.then_ = then_;
	s->if_.else_ = else_;
	return s;
}

tir_stmt *
tir_seq(ir_module *m)
{
	return tir_new_stmt(m, TIR_SEQ);
}

void
tir_seq_add(ir_module *m, tir_stmt *seq, tir_stmt *s)
{
	assert(seq->kind == TIR_SEQ);
	if (seq->seq.n == seq->seq.cap) {
		uint32_t cap = seq->seq.cap ? seq->seq.cap * 2 : 4;
		tir_stmt **more = ARENA_NEW_ARRAY(&m->arena, cap, tir_stmt *);

		if (seq->seq.n)
			memcpy(more, seq->seq.at, seq->seq.n * sizeof(*more));
		seq->seq.at = more;
		seq->seq.cap = cap;
	}
	seq->seq.at[seq->seq.n++] = s;
}
