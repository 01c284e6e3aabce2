/*
 * The shape of a step: loops around one store, or around an element that more
 * loops fold into.
 */
#include <stddef.h>

#include "codegen/bangc/internal.h"

bool
bang_reads(const tir_expr *e, const struct tir_buffer *b)
{
	if (e->kind == TIR_LOAD && e->buffer == b)
		return true;
	for (uint32_t i = 0; i < e->n; i++)
		if (bang_reads(e->arg[i], b))
			return true;
	return false;
}

/* The only statement of S that does something, or S itself. */
static const tir_stmt *
only(const tir_stmt *s)
{
	while (s->kind == TIR_SEQ && s->seq.n == 1)
		s = s->seq.at[0];
	return s;
}

/* Loops of constant extent from S on; what stands inside of them. */
static const tir_stmt *
take_loops(const tir_stmt *s, struct bang_nest *out)
{
	for (s = only(s); s->kind == TIR_FOR; s = only(s->loop.body)) {
		if (out->nloops == BANG_MAX_LOOPS ||
		    s->loop.min->kind != TIR_INT ||
		    s->loop.extent->kind != TIR_INT)
			return NULL;
		out->loops[out->nloops++] = (struct bang_loop){
			s->loop.var, s->loop.min->i, s->loop.extent->i};
	}
	return s;
}

static bool
is_store(const tir_stmt *s)
{
	return s && s->kind == TIR_STORE && !s->store.mask &&
	       s->store.value->dtype.lanes == 1;
}

/*
 * "buffer[index] = init" before loops around "buffer[index] op= value". Sums
 * of integers have the old element behind the new if TURNED.
 */
static bool
take_fold(const tir_stmt *s, struct bang_nest *out, bool turned)
{
	const tir_stmt *first = s->seq.at[0], *update;
	const tir_expr *old;

	if (s->seq.n != 2 || !is_store(first))
		return false;
	out->nspatial = out->nloops;
	update = take_loops(s->seq.at[1], out);
	if (!is_store(update) || update->store.buffer != out->buffer ||
	    !bang_same(update->store.index, out->index) ||
	    update->store.value->n != 2)
		return false;
	old = update->store.value->arg[turned];
	if (old->kind != TIR_LOAD || old->buffer != out->buffer ||
	    !bang_same(old->arg[0], out->index))
		return false;
	out->fold = update->store.value->kind;
	out->value = update->store.value->arg[!turned];
	out->init = first->store.value;
	out->reduce = true;
	return out->fold == TIR_ADD || out->fold == TIR_MIN ||
	       out->fold == TIR_MAX;
}

static bool
nest_of(const tir_stmt *s, struct bang_nest *out, bool turned)
{
	const tir_stmt *inner, *store;

	*out = (struct bang_nest){0};
	inner = take_loops(s, out);
	if (!inner)
		return false;
	store = inner->kind == TIR_SEQ && inner->seq.n ? inner->seq.at[0]
						       : inner;
	if (!is_store(store))
		return false;
	out->nspatial = out->nloops;
	out->buffer = store->store.buffer;
	out->index = store->store.index;
	out->value = store->store.value;
	if (inner->kind == TIR_SEQ && !take_fold(inner, out, turned))
		return false;
	return !bang_reads(out->value, out->buffer) &&
	       !bang_reads(out->index, out->buffer);
}

bool
bang_nest_of(const tir_stmt *s, struct bang_nest *out)
{
	return nest_of(s, out, false);
}

bool
bang_int_sum_of(const tir_stmt *s, struct bang_nest *out)
{
	return nest_of(s, out, true) && out->reduce && out->fold == TIR_ADD &&
	       out->buffer->dtype.code == DTYPE_INT;
}

bool
bang_mentions(const tir_expr *e, const struct tir_var *v)
{
	if (e->kind == TIR_VAR)
		return e->var == v;
	for (uint32_t i = 0; i < e->n; i++)
		if (bang_mentions(e->arg[i], v))
			return true;
	return false;
}

bool
bang_stride(const tir_expr *e, const struct tir_var *v, int64_t *stride)
{
	int64_t a, b;

	*stride = 0;
	if (!bang_mentions(e, v))
		return true;
	switch ((enum tir_kind)e->kind) {
	case TIR_VAR:
		*stride = 1;
		return true;
	case TIR_ADD:
	case TIR_SUB:
		if (!bang_stride(e->arg[0], v, &a) ||
		    !bang_stride(e->arg[1], v, &b))
			return false;
		*stride = e->kind == TIR_ADD ? a + b : a - b;
		return true;
	case TIR_MUL:
		if (e->arg[1]->kind != TIR_INT ||
		    !bang_stride(e->arg[0], v, &a))
			return false;
		*stride = a * e->arg[1]->i;
		return true;
	default:
		return false;
	}
}

bool
bang_splits(const tir_expr *cond, struct bang_loop *loops, uint32_t n,
	    struct bang_loop **loop, int64_t *at)
{
	if (cond->kind != TIR_LT || cond->arg[0]->kind != TIR_VAR ||
	    cond->arg[1]->kind != TIR_INT)
		return false;
	*at = cond->arg[1]->i;
	for (uint32_t i = 0; i < n; i++) {
		*loop = &loops[i];
		if (loops[i].var == cond->arg[0]->var)
			return *at >= loops[i].min &&
			       *at <= loops[i].min + loops[i].extent;
	}
	return false;
}

bool
bang_origin(const tir_expr *e, int64_t *value)
{
	int64_t a, b;

	switch ((enum tir_kind)e->kind) {
	case TIR_INT:
		*value = e->i;
		return true;
	case TIR_VAR:
		*value = 0;
		return true;
	case TIR_ADD:
	case TIR_SUB:
	case TIR_MUL:
		if (!bang_origin(e->arg[0], &a) || !bang_origin(e->arg[1], &b))
			return false;
		*value = e->kind == TIR_ADD   ? a + b
			 : e->kind == TIR_SUB ? a - b
					      : a * b;
		return true;
	case TIR_DIV:
		*value = 0;
		return bang_origin(e->arg[0], &a) && a == 0;
	default:
		return false;
	}
}

static bool
same_leaf(const tir_expr *a, const tir_expr *b)
{
	switch ((enum tir_kind)a->kind) {
	case TIR_INT:
		return a->i == b->i;
	case TIR_FLOAT:
		return a->f == b->f;
	case TIR_VAR:
		return a->var == b->var;
	case TIR_LOAD:
		return a->buffer == b->buffer;
	case TIR_CALL:
		return a->intrin == b->intrin;
	case TIR_STRING:
	case TIR_CALL_EXTERN:
	case TIR_LET:
		return false;
	default:
		return true;
	}
}

bool
bang_same(const tir_expr *a, const tir_expr *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind || !dtype_equal(a->dtype, b->dtype) ||
	    a->n != b->n || !same_leaf(a, b))
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (!bang_same(a->arg[i], b->arg[i]))
			return false;
	return true;
}

/* The strides of all loads of E, and of E's other parts, fit together. */
static bool
merges_in(const tir_expr *e, const struct bang_loop *outer,
	  const struct bang_loop *inner)
{
	int64_t a, b;

	if (e->kind == TIR_LOAD)
		return bang_stride(e->arg[0], outer->var, &a) &&
		       bang_stride(e->arg[0], inner->var, &b) &&
		       a == b * inner->extent;
	if (e->kind == TIR_VAR)
		return e->var != outer->var && e->var != inner->var;
	for (uint32_t i = 0; i < e->n; i++)
		if (!merges_in(e->arg[i], outer, inner))
			return false;
	return true;
}

static bool
merges(const struct bang_nest *n, uint32_t i)
{
	const struct bang_loop *outer = &n->loops[i], *inner = outer + 1;
	int64_t a, b;

	return outer->min == 0 && inner->min == 0 &&
	       bang_stride(n->index, outer->var, &a) &&
	       bang_stride(n->index, inner->var, &b) &&
	       a == b * inner->extent && merges_in(n->value, outer, inner) &&
	       (!n->init || merges_in(n->init, outer, inner));
}

void
bang_merge_loops(struct bang_nest *n)
{
	for (uint32_t i = n->nloops; i-- > 1;) {
		if (i == n->nspatial || !merges(n, i - 1))
			continue;
		n->loops[i].extent *= n->loops[i - 1].extent;
		n->merged[n->nmerged++] = n->loops[i - 1].var;
		for (uint32_t k = i - 1; k + 1 < n->nloops; k++)
			n->loops[k] = n->loops[k + 1];
		n->nloops--;
		n->nspatial -= i < n->nspatial;
	}
}

static bool
loads(const tir_expr *e)
{
	bool any = e->kind == TIR_LOAD;

	for (uint32_t i = 0; i < e->n && !any; i++)
		any = loads(e->arg[i]);
	return any;
}

int64_t
bang_arithmetic(const tir_expr *e)
{
	bool counts = dtype_is_float(e->dtype) || loads(e);
	int64_t n = counts && (e->kind == TIR_CALL ||
			       (e->kind >= TIR_ADD && e->kind <= TIR_MAX));

	if (e->kind == TIR_LOAD)
		return 0;
	for (uint32_t i = 0; i < e->n; i++)
		n += bang_arithmetic(e->arg[i]);
	return n;
}
