/*
 * Loads and stores.
 *
 * A vector whose elements lie in a row is one access; any other goes lane by
 * lane. Under a mask, lanes that do not count touch no memory.
 */
#include "codegen/llvm/internal.h"

#include <string.h>

/* Lane L of an index is BASE + L * STRIDE. */
struct row {
	LLVMValueRef base;
	int64_t stride;
};

static struct dtype
scalar(struct dtype t)
{
	t.lanes = 1;
	return t;
}

static unsigned
element_bytes(struct dtype t)
{
	return (t.bits + 7u) / 8;
}

static LLVMValueRef
pointer_of(struct lgen *g, const struct tir_buffer *b)
{
	LLVMValueRef p = lmap_get(&g->buffers, b);

	if (p)
		return p;
	lgen_fail(g, "buffer '%s', which is not there", b->name);
	return LLVMConstNull(g->ptr);
}

static LLVMValueRef
element_pointer(struct lgen *g, const struct tir_buffer *b, LLVMValueRef index)
{
	LLVMTypeRef t = lgen_memory_type(g, scalar(b->dtype));

	return LLVMBuildInBoundsGEP2(g->b, t, pointer_of(g, b), &index, 1, "");
}

LLVMValueRef
lgen_address(struct lgen *g, const struct tir_buffer *b, LLVMValueRef index)
{
	if (b->dtype.lanes > 1)
		index = LLVMBuildNSWMul(
			g->b, index,
			LLVMConstInt(g->i64, b->dtype.lanes, false), "");
	return element_pointer(g, b, index);
}

static LLVMValueRef
plus(struct lgen *g, LLVMValueRef a, int64_t n)
{
	if (!n)
		return a;
	return LLVMBuildNSWAdd(g->b, a, LLVMConstInt(g->i64, (uint64_t)n, true),
			       "");
}

static bool row_of(struct lgen *g, const tir_expr *e, struct row *r,
		   unsigned depth);

static bool
sum_row(struct lgen *g, const tir_expr *e, struct row *r, unsigned depth)
{
	struct row a, b;

	if (!row_of(g, e->arg[0], &a, depth) ||
	    !row_of(g, e->arg[1], &b, depth))
		return false;
	if (e->kind == TIR_ADD) {
		r->base = LLVMBuildNSWAdd(g->b, a.base, b.base, "");
		r->stride = a.stride + b.stride;
	} else {
		r->base = LLVMBuildNSWSub(g->b, a.base, b.base, "");
		r->stride = a.stride - b.stride;
	}
	return true;
}

static bool
product_row(struct lgen *g, const tir_expr *e, struct row *r, unsigned depth)
{
	const tir_expr *k = e->arg[1];
	struct row a;

	if (k->kind != TIR_BROADCAST || k->arg[0]->kind != TIR_INT ||
	    !row_of(g, e->arg[0], &a, depth))
		return false;
	k = k->arg[0];
	r->base = LLVMBuildNSWMul(
		g->b, a.base, LLVMConstInt(g->i64, (uint64_t)k->i, true), "");
	r->stride = a.stride * k->i;
	return true;
}

/* Is E, a vector of indices, a row? */
static bool
row_of(struct lgen *g, const tir_expr *e, struct row *r, unsigned depth)
{
	if (depth > 16)
		return false;
	switch ((enum tir_kind)e->kind) {
	case TIR_RAMP:
		if (e->arg[1]->kind != TIR_INT)
			return false;
		r->base = lgen_index(g, e->arg[0]);
		r->stride = e->arg[1]->i;
		return true;
	case TIR_BROADCAST:
		r->base = lgen_index(g, e->arg[0]);
		r->stride = 0;
		return true;
	case TIR_ADD:
	case TIR_SUB:
		return sum_row(g, e, r, depth + 1);
	case TIR_MUL:
		return product_row(g, e, r, depth + 1);
	default:
		return false;
	}
}

static LLVMValueRef
masked_call(struct lgen *g, const char *name, LLVMTypeRef a, LLVMTypeRef b,
	    LLVMValueRef *args)
{
	LLVMTypeRef over[] = {a, b};
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMValueRef fn = LLVMGetIntrinsicDeclaration(g->mod, id, over, 2);
	LLVMTypeRef t = LLVMIntrinsicGetType(g->cx, id, over, 2);

	return LLVMBuildCall2(g->b, t, fn, args, 4, "");
}

static LLVMValueRef
align_value(struct lgen *g, struct dtype t)
{
	return LLVMConstInt(g->i32, element_bytes(t), false);
}

static LLVMValueRef
load_row(struct lgen *g, const struct tir_buffer *b, LLVMValueRef base,
	 unsigned lanes, LLVMValueRef mask)
{
	struct dtype t = scalar(b->dtype);
	LLVMTypeRef vt = lgen_with_lanes(lgen_memory_type(g, t), lanes);
	LLVMValueRef p = element_pointer(g, b, base), v;

	if (mask) {
		LLVMValueRef args[] = {p, align_value(g, t), mask,
				       LLVMConstNull(vt)};

		return masked_call(g, "llvm.masked.load", vt, g->ptr, args);
	}
	v = LLVMBuildLoad2(g->b, vt, p, "");
	LLVMSetAlignment(v, element_bytes(t));
	return v;
}

static LLVMValueRef
load_one(struct lgen *g, const struct tir_buffer *b, LLVMValueRef index)
{
	LLVMValueRef v =
		LLVMBuildLoad2(g->b, lgen_memory_type(g, scalar(b->dtype)),
			       element_pointer(g, b, index), "");

	LLVMSetAlignment(v, element_bytes(b->dtype));
	return v;
}

/* Lane I of a vector of indices, or of a row, as a number of 64 bits. */
static LLVMValueRef
lane_index(struct lgen *g, const tir_expr *e, LLVMValueRef indices,
	   const struct row *r, unsigned i)
{
	LLVMValueRef v;

	if (!indices)
		return plus(g, r->base, r->stride * (int64_t)i);
	v = LLVMBuildExtractElement(g->b, indices,
				    LLVMConstInt(g->i32, i, false), "");
	if (e->dtype.bits == 64)
		return v;
	return e->dtype.code == DTYPE_UINT ? LLVMBuildZExt(g->b, v, g->i64, "")
					   : LLVMBuildSExt(g->b, v, g->i64, "");
}

static LLVMValueRef
load_lanes(struct lgen *g, const struct tir_buffer *b, const tir_expr *e,
	   LLVMValueRef indices, const struct row *r)
{
	unsigned lanes = e->dtype.lanes;
	LLVMTypeRef vt =
		lgen_with_lanes(lgen_memory_type(g, scalar(b->dtype)), lanes);
	LLVMValueRef v = LLVMGetPoison(vt);

	for (unsigned i = 0; i < lanes; i++) {
		LLVMValueRef x =
			load_one(g, b, lane_index(g, e, indices, r, i));

		v = LLVMBuildInsertElement(g->b, v, x,
					   LLVMConstInt(g->i32, i, false), "");
	}
	return v;
}

/* Pointers to all lanes. */
static LLVMValueRef
lane_pointers(struct lgen *g, const struct tir_buffer *b, const tir_expr *e,
	      LLVMValueRef indices, const struct row *r)
{
	unsigned lanes = e->dtype.lanes;
	LLVMTypeRef vt = lgen_with_lanes(g->i64, lanes);
	LLVMValueRef v = LLVMGetPoison(vt);

	for (unsigned i = 0; i < lanes; i++)
		v = LLVMBuildInsertElement(g->b, v,
					   lane_index(g, e, indices, r, i),
					   LLVMConstInt(g->i32, i, false), "");
	return LLVMBuildGEP2(g->b, lgen_memory_type(g, scalar(b->dtype)),
			     pointer_of(g, b), &v, 1, "");
}

static LLVMValueRef
gather(struct lgen *g, const struct tir_buffer *b, const tir_expr *e,
       LLVMValueRef indices, const struct row *r, LLVMValueRef mask)
{
	struct dtype t = scalar(b->dtype);
	LLVMTypeRef vt =
		lgen_with_lanes(lgen_memory_type(g, t), e->dtype.lanes);
	LLVMValueRef p = lane_pointers(g, b, e, indices, r);
	LLVMValueRef args[] = {p, align_value(g, t), mask, LLVMConstNull(vt)};

	return masked_call(g, "llvm.masked.gather", vt, LLVMTypeOf(p), args);
}

/* A scalar load that happens only if a lane of the mask is on. */
static LLVMValueRef
load_if_any(struct lgen *g, const struct tir_buffer *b, LLVMValueRef index)
{
	LLVMTypeRef t = lgen_memory_type(g, scalar(b->dtype));
	LLVMValueRef any = lgen_intrinsic1(g, "llvm.vector.reduce.or", g->mask);
	LLVMBasicBlockRef from = LLVMGetInsertBlock(g->b), from2;
	LLVMBasicBlockRef then = lgen_block(g, "any"), end;
	LLVMValueRef v[2], phi;

	end = lgen_block(g, "any.end");
	LLVMBuildCondBr(g->b, any, then, end);
	LLVMPositionBuilderAtEnd(g->b, then);
	v[0] = load_one(g, b, index);
	from2 = LLVMGetInsertBlock(g->b);
	LLVMBuildBr(g->b, end);
	LLVMPositionBuilderAtEnd(g->b, end);
	phi = LLVMBuildPhi(g->b, t, "");
	v[1] = LLVMConstNull(t);
	LLVMAddIncoming(phi, v, (LLVMBasicBlockRef[]){from2, from}, 2);
	return phi;
}

static LLVMValueRef
load_scalar(struct lgen *g, const struct tir_buffer *b, const tir_expr *e)
{
	LLVMValueRef index = lgen_index(g, e);

	if (b->dtype.lanes > 1) {
		index = LLVMBuildNSWMul(
			g->b, index,
			LLVMConstInt(g->i64, b->dtype.lanes, false), "");
		return load_row(g, b, index, b->dtype.lanes, NULL);
	}
	return g->mask ? load_if_any(g, b, index) : load_one(g, b, index);
}

LLVMValueRef
lgen_load(struct lgen *g, const tir_expr *e)
{
	const struct tir_buffer *b = e->buffer;
	const tir_expr *index = e->arg[0];
	LLVMValueRef v, indices = NULL;
	struct row r = {NULL, 0};
	bool in_row;

	if (index->dtype.lanes == 1)
		return lgen_from_memory(g, b->dtype, load_scalar(g, b, index));
	in_row = row_of(g, index, &r, 0);
	if (!in_row)
		indices = lgen_expr(g, index);
	if (in_row && r.stride == 1)
		v = load_row(g, b, r.base, index->dtype.lanes, g->mask);
	else if (g->mask)
		v = gather(g, b, index, indices, &r, g->mask);
	else if (in_row && r.stride == 0)
		v = lgen_splat(g, load_one(g, b, r.base), index->dtype.lanes);
	else
		v = load_lanes(g, b, index, indices, &r);
	return lgen_from_memory(g, b->dtype, v);
}

static void
store_one(struct lgen *g, const struct tir_buffer *b, LLVMValueRef index,
	  LLVMValueRef v)
{
	LLVMValueRef s = LLVMBuildStore(g->b, v, element_pointer(g, b, index));

	LLVMSetAlignment(s, element_bytes(b->dtype));
}

static void
store_row(struct lgen *g, const struct tir_buffer *b, LLVMValueRef base,
	  LLVMValueRef v, LLVMValueRef mask)
{
	struct dtype t = scalar(b->dtype);
	LLVMValueRef p = element_pointer(g, b, base);

	if (mask) {
		LLVMValueRef args[] = {v, p, align_value(g, t), mask};

		masked_call(g, "llvm.masked.store", LLVMTypeOf(v), g->ptr,
			    args);
		return;
	}
	LLVMSetAlignment(LLVMBuildStore(g->b, v, p), element_bytes(t));
}

static void
store_lanes(struct lgen *g, const struct tir_buffer *b, const tir_expr *e,
	    const struct row *r, LLVMValueRef v, LLVMValueRef mask)
{
	LLVMValueRef indices = r->base ? NULL : lgen_expr(g, e);

	if (mask) {
		LLVMValueRef p = lane_pointers(g, b, e, indices, r);
		LLVMValueRef args[] = {v, p, align_value(g, b->dtype), mask};

		masked_call(g, "llvm.masked.scatter", LLVMTypeOf(v),
			    LLVMTypeOf(p), args);
		return;
	}
	for (unsigned i = 0; i < e->dtype.lanes; i++)
		store_one(g, b, lane_index(g, e, indices, r, i),
			  LLVMBuildExtractElement(
				  g->b, v, LLVMConstInt(g->i32, i, false), ""));
}

static void
store_if(struct lgen *g, const struct tir_buffer *b, LLVMValueRef index,
	 LLVMValueRef v, LLVMValueRef cond)
{
	LLVMBasicBlockRef then = lgen_block(g, "store");
	LLVMBasicBlockRef end = lgen_block(g, "store.end");

	LLVMBuildCondBr(g->b, cond, then, end);
	LLVMPositionBuilderAtEnd(g->b, then);
	store_one(g, b, index, v);
	LLVMBuildBr(g->b, end);
	LLVMPositionBuilderAtEnd(g->b, end);
}

static void
store_scalar(struct lgen *g, const tir_stmt *s, LLVMValueRef v,
	     LLVMValueRef mask)
{
	const struct tir_buffer *b = s->store.buffer;
	LLVMValueRef index = lgen_index(g, s->store.index);

	if (b->dtype.lanes > 1) {
		index = LLVMBuildNSWMul(
			g->b, index,
			LLVMConstInt(g->i64, b->dtype.lanes, false), "");
		store_row(g, b, index, v, mask);
	} else if (mask) {
		store_if(g, b, index, v, mask);
	} else {
		store_one(g, b, index, v);
	}
}

void
lgen_store(struct lgen *g, const tir_stmt *s)
{
	const struct tir_buffer *b = s->store.buffer;
	const tir_expr *index = s->store.index;
	unsigned lanes = index->dtype.lanes * b->dtype.lanes;
	LLVMValueRef v, mask = NULL;
	struct row r = {NULL, 0};

	if (s->store.mask) {
		mask = lgen_splat(g, lgen_expr(g, s->store.mask), lanes);
		g->mask = lanes > 1 ? mask : NULL;
	}
	v = lgen_expr(g, s->store.value);
	v = lgen_to_memory(g, b->dtype, lgen_splat(g, v, lanes));
	g->mask = NULL;
	if (index->dtype.lanes == 1)
		store_scalar(g, s, v, mask);
	else if (row_of(g, index, &r, 0) && r.stride == 1)
		store_row(g, b, r.base, v, mask);
	else
		store_lanes(g, b, index, &r, v, mask);
}
