/*
 * Expressions to values.
 *
 * A node that is used twice is computed once, as long as the first use
 * dominates the second and memory has not changed: scopes say so.
 */
#include "codegen/llvm/internal.h"

#include <string.h>

uint32_t
lgen_open_scope(struct lgen *g)
{
	uint32_t before = g->scope;

	if (g->nscopes == g->cap_scopes) {
		g->cap_scopes = g->cap_scopes ? 2 * g->cap_scopes : 256;
		g->active = xrealloc(g->active, g->cap_scopes);
	}
	g->scope = g->nscopes++;
	g->active[g->scope] = 1;
	return before;
}

void
lgen_close_scope(struct lgen *g, uint32_t before)
{
	g->active[g->scope] = 0;
	g->scope = before;
}

static bool
is_unsigned(struct dtype t)
{
	return t.code == DTYPE_UINT || t.code == DTYPE_HANDLE;
}

/*
 * Let V be rounded together with a product in it, but not where a last bit
 * decides: in what is compared or becomes an integer.
 */
static LLVMValueRef
contract(struct lgen *g, LLVMValueRef v)
{
	if (!g->exact && LLVMIsAInstruction(v) &&
	    LLVMCanValueUseFastMathFlags(v))
		LLVMSetFastMathFlags(v, LLVMFastMathAllowContract);
	return v;
}

static LLVMValueRef
float_binary(struct lgen *g, const tir_expr *e, LLVMValueRef a, LLVMValueRef b)
{
	bool is_double = e->dtype.bits == 64;
	LLVMValueRef v;

	switch ((enum tir_kind)e->kind) {
	case TIR_ADD:
		v = contract(g, LLVMBuildFAdd(g->b, a, b, ""));
		break;
	case TIR_SUB:
		v = contract(g, LLVMBuildFSub(g->b, a, b, ""));
		break;
	case TIR_MUL:
		v = contract(g, LLVMBuildFMul(g->b, a, b, ""));
		break;
	case TIR_DIV:
		v = LLVMBuildFDiv(g->b, a, b, "");
		break;
	case TIR_MOD:
		v = LLVMBuildFDiv(g->b, a, b, "");
		v = lgen_intrinsic1(g, "llvm.floor", v);
		v = LLVMBuildFSub(g->b, a, LLVMBuildFMul(g->b, v, b, ""), "");
		break;
	case TIR_TRUNCMOD:
		v = lgen_libm(g, is_double ? "fmod" : "fmodf", a, b);
		break;
	default:
		lgen_fail(g, "this operation on floats");
		return a;
	}
	return lgen_round_result(g, e->dtype, v);
}

/*
 * NaN if one is: the comparison picks B when either is NaN, which leaves the
 * case that A is. A constant is not.
 */
static LLVMValueRef
float_min_max(struct lgen *g, const tir_expr *e, LLVMValueRef a, LLVMValueRef b)
{
	LLVMRealPredicate p = e->kind == TIR_MIN ? LLVMRealOLT : LLVMRealOGT;
	LLVMValueRef v;

	if (LLVMIsConstant(b)) {
		v = a;
		a = b;
		b = v;
	}
	v = LLVMBuildSelect(g->b, LLVMBuildFCmp(g->b, p, a, b, ""), a, b, "");
	if (LLVMIsConstant(a))
		return v;
	return LLVMBuildSelect(g->b, LLVMBuildFCmp(g->b, LLVMRealUNO, a, a, ""),
			       a, v, "");
}

static LLVMValueRef
int_min_max(struct lgen *g, const tir_expr *e, LLVMValueRef a, LLVMValueRef b)
{
	bool u = is_unsigned(e->dtype), min = e->kind == TIR_MIN;
	LLVMValueRef args[] = {a, b};

	return lgen_intrinsic(g,
			      min ? (u ? "llvm.umin" : "llvm.smin")
				  : (u ? "llvm.umax" : "llvm.smax"),
			      LLVMTypeOf(a), args, 2);
}

static LLVMValueRef
int_binary(struct lgen *g, const tir_expr *e, LLVMValueRef a, LLVMValueRef b)
{
	switch ((enum tir_kind)e->kind) {
	case TIR_ADD:
		return LLVMBuildAdd(g->b, a, b, "");
	case TIR_SUB:
		return LLVMBuildSub(g->b, a, b, "");
	case TIR_MUL:
		return LLVMBuildMul(g->b, a, b, "");
	case TIR_MIN:
	case TIR_MAX:
		return int_min_max(g, e, a, b);
	case TIR_AND:
		return LLVMBuildAnd(g->b, a, b, "");
	case TIR_OR:
		return LLVMBuildOr(g->b, a, b, "");
	default:
		return lgen_divide(g, e, a, b, false);
	}
}

static LLVMValueRef
comparison(struct lgen *g, const tir_expr *e, LLVMValueRef a, LLVMValueRef b)
{
	static const LLVMRealPredicate real[] = {LLVMRealOEQ, LLVMRealUNE,
						 LLVMRealOLT, LLVMRealOLE,
						 LLVMRealOGT, LLVMRealOGE};
	static const LLVMIntPredicate sint[] = {LLVMIntEQ,  LLVMIntNE,
						LLVMIntSLT, LLVMIntSLE,
						LLVMIntSGT, LLVMIntSGE};
	static const LLVMIntPredicate uint[] = {LLVMIntEQ,  LLVMIntNE,
						LLVMIntULT, LLVMIntULE,
						LLVMIntUGT, LLVMIntUGE};
	struct dtype t = e->arg[0]->dtype;
	unsigned k = e->kind - TIR_EQ;

	if (dtype_is_float(t))
		return LLVMBuildFCmp(g->b, real[k], a, b, "");
	return LLVMBuildICmp(g->b, is_unsigned(t) ? uint[k] : sint[k], a, b,
			     "");
}

static LLVMValueRef
binary(struct lgen *g, const tir_expr *e)
{
	bool compares = e->kind >= TIR_EQ && e->kind <= TIR_GE;
	LLVMValueRef a, b;

	g->exact += compares;
	a = lgen_expr(g, e->arg[0]);
	b = lgen_expr(g, e->arg[1]);
	g->exact -= compares;
	if (compares)
		return comparison(g, e, a, b);
	if (!dtype_is_float(e->dtype))
		return int_binary(g, e, a, b);
	if (e->kind == TIR_MIN || e->kind == TIR_MAX)
		return float_min_max(g, e, a, b);
	return float_binary(g, e, a, b);
}

/* A float to an integer. FREEZE makes what is out of range some number. */
static LLVMValueRef
float_to_int(struct lgen *g, struct dtype to, LLVMValueRef v)
{
	LLVMTypeRef t = lgen_type(g, to);

	if (dtype_is_bool(to))
		return LLVMBuildFCmp(g->b, LLVMRealUNE, v,
				     LLVMConstNull(LLVMTypeOf(v)), "");
	if (to.code == DTYPE_UINT && to.bits >= 64)
		v = LLVMBuildFPToUI(g->b, v, t, "");
	else if (to.bits < 32 || to.code == DTYPE_UINT) {
		struct dtype wide = {DTYPE_INT, to.bits < 32 ? 32 : 64,
				     to.lanes};

		v = LLVMBuildFPToSI(g->b, v, lgen_type(g, wide), "");
		v = LLVMBuildTrunc(g->b, v, t, "");
	} else
		v = LLVMBuildFPToSI(g->b, v, t, "");
	return LLVMBuildFreeze(g->b, v, "");
}

static LLVMValueRef
int_to_float(struct lgen *g, struct dtype from, struct dtype to, LLVMValueRef v)
{
	bool narrow = to.code == DTYPE_BFLOAT || to.bits == 16;
	/* From 32 bits up, float cannot hold all: round once. */
	LLVMTypeRef t = narrow && from.bits >= 32 ? g->f64
			: to.bits == 64           ? g->f64
						  : g->f32;

	t = lgen_with_lanes(t, to.lanes);
	v = is_unsigned(from) ? LLVMBuildUIToFP(g->b, v, t, "")
			      : LLVMBuildSIToFP(g->b, v, t, "");
	return narrow ? lgen_round_to(g, to, v) : v;
}

static LLVMValueRef
float_to_float(struct lgen *g, struct dtype to, LLVMValueRef v)
{
	LLVMTypeRef t = lgen_type(g, to);

	if (to.bits == 64)
		return LLVMTypeOf(v) == t ? v : LLVMBuildFPExt(g->b, v, t, "");
	return lgen_round_to(g, to, v);
}

LLVMValueRef
lgen_cast(struct lgen *g, struct dtype from, struct dtype to, LLVMValueRef v)
{
	bool x = dtype_is_float(from), y = dtype_is_float(to);
	LLVMTypeRef t = lgen_type(g, to);

	if (dtype_equal(from, to))
		return v;
	if (x && y)
		return float_to_float(g, to, v);
	if (x)
		return float_to_int(g, to, v);
	if (y)
		return int_to_float(g, from, to, v);
	if (dtype_is_bool(to))
		return LLVMBuildICmp(g->b, LLVMIntNE, v,
				     LLVMConstNull(LLVMTypeOf(v)), "");
	if (to.bits < from.bits)
		return LLVMBuildTrunc(g->b, v, t, "");
	if (to.bits == from.bits)
		return v;
	return is_unsigned(from) ? LLVMBuildZExt(g->b, v, t, "")
				 : LLVMBuildSExt(g->b, v, t, "");
}

static LLVMValueRef
either(struct lgen *g, LLVMValueRef cond, LLVMValueRef a, LLVMValueRef b)
{
	return LLVMBuildSelect(g->b, cond, a, b, "");
}

/* A value from one of two blocks. */
static LLVMValueRef
scalar_guard(struct lgen *g, const tir_expr *e)
{
	LLVMValueRef cond = lgen_expr(g, e->arg[0]), v[2], phi;
	LLVMBasicBlockRef arm[2], end = lgen_block(g, "guard.end");

	arm[0] = lgen_block(g, "guard.then");
	arm[1] = lgen_block(g, "guard.else");
	LLVMBuildCondBr(g->b, cond, arm[0], arm[1]);
	for (int i = 0; i < 2; i++) {
		uint32_t scope;

		LLVMPositionBuilderAtEnd(g->b, arm[i]);
		scope = lgen_open_scope(g);
		v[i] = lgen_expr(g, e->arg[1 + i]);
		lgen_close_scope(g, scope);
		arm[i] = LLVMGetInsertBlock(g->b);
		LLVMBuildBr(g->b, end);
	}
	LLVMPositionBuilderAtEnd(g->b, end);
	phi = LLVMBuildPhi(g->b, lgen_type(g, e->dtype), "");
	LLVMAddIncoming(phi, v, arm, 2);
	return phi;
}

/* E as far as the lanes of COND go. */
static LLVMValueRef
masked(struct lgen *g, const tir_expr *e, LLVMValueRef cond)
{
	LLVMValueRef mask = g->mask, v;
	uint32_t scope = lgen_open_scope(g);

	g->mask = mask ? LLVMBuildAnd(g->b, mask, cond, "") : cond;
	v = lgen_expr(g, e);
	g->mask = mask;
	lgen_close_scope(g, scope);
	return v;
}

static bool
reads_memory(const tir_expr *e, unsigned depth)
{
	if (e->kind == TIR_LOAD || e->kind == TIR_CALL_EXTERN || depth > 16)
		return true;
	for (uint32_t i = 0; i < e->n; i++)
		if (reads_memory(e->arg[i], depth + 1))
			return true;
	return false;
}

static LLVMValueRef
guard(struct lgen *g, const tir_expr *e)
{
	LLVMValueRef cond, a, b;

	if (e->arg[0]->dtype.lanes == 1) {
		if (!reads_memory(e->arg[1], 8) && !reads_memory(e->arg[2], 8))
			return either(g, lgen_expr(g, e->arg[0]),
				      lgen_expr(g, e->arg[1]),
				      lgen_expr(g, e->arg[2]));
		return scalar_guard(g, e);
	}
	cond = lgen_expr(g, e->arg[0]);
	a = masked(g, e->arg[1], cond);
	b = masked(g, e->arg[2], LLVMBuildNot(g->b, cond, ""));
	return either(g, cond, a, b);
}

static LLVMValueRef
ramp(struct lgen *g, const tir_expr *e)
{
	unsigned lanes = e->dtype.lanes;
	LLVMTypeRef s = LLVMIntTypeInContext(g->cx, e->dtype.bits);
	LLVMValueRef base = lgen_expr(g, e->arg[0]);
	LLVMValueRef stride = lgen_expr(g, e->arg[1]);
	LLVMValueRef *steps = arena_alloc(g->arena, lanes * sizeof(*steps));

	for (unsigned i = 0; i < lanes; i++)
		steps[i] = LLVMConstInt(s, i, false);
	stride = LLVMBuildMul(g->b, lgen_splat(g, stride, lanes),
			      LLVMConstVector(steps, lanes), "");
	return LLVMBuildAdd(g->b, lgen_splat(g, base, lanes), stride, "");
}

static LLVMValueRef
let(struct lgen *g, const tir_expr *e)
{
	LLVMValueRef old = lmap_get(&g->vars, e->var), v;
	uint32_t scope;

	lmap_put(&g->vars, e->var, lgen_expr(g, e->arg[0]), 0);
	scope = lgen_open_scope(g);
	v = lgen_expr(g, e->arg[1]);
	lgen_close_scope(g, scope);
	if (old)
		lmap_put(&g->vars, e->var, old, 0);
	else
		lmap_drop(&g->vars, e->var);
	return v;
}

static LLVMValueRef
call_extern(struct lgen *g, const tir_expr *e)
{
	LLVMTypeRef *types = arena_alloc(g->arena, e->n * sizeof(*types) + 1);
	LLVMValueRef *args = arena_alloc(g->arena, e->n * sizeof(*args) + 1);
	LLVMTypeRef ret =
		dtype_is_void(e->dtype) ? g->none : lgen_type(g, e->dtype);
	LLVMValueRef f;
	LLVMTypeRef t;

	for (uint32_t i = 0; i < e->n; i++) {
		args[i] = lgen_expr(g, e->arg[i]);
		types[i] = LLVMTypeOf(args[i]);
	}
	f = LLVMGetNamedFunction(g->mod, e->s);
	t = LLVMFunctionType(ret, types, e->n, false);
	if (!f)
		f = LLVMAddFunction(g->mod, e->s, t);
	return LLVMBuildCall2(g->b, t, f, args, e->n, "");
}

static LLVMValueRef
variable(struct lgen *g, const tir_expr *e)
{
	LLVMValueRef v = lmap_get(&g->vars, e->var);

	if (v)
		return v;
	lgen_fail(g, "the unbound variable '%s'", e->var->name);
	return LLVMGetUndef(lgen_type(g, e->dtype));
}

static LLVMValueRef
float_constant(struct lgen *g, const tir_expr *e)
{
	double x = e->f;

	if (e->dtype.code == DTYPE_BFLOAT)
		x = bfloat_to_float(float_to_bfloat((float)x));
	else if (e->dtype.bits == 16)
		x = half_to_float(double_to_half(x));
	else if (e->dtype.bits == 32)
		x = (float)x;
	return lgen_float(lgen_type(g, e->dtype), x);
}

static LLVMValueRef
cast(struct lgen *g, const tir_expr *e)
{
	bool to_int = !dtype_is_float(e->dtype);
	LLVMValueRef v;

	g->exact += to_int;
	v = lgen_expr(g, e->arg[0]);
	g->exact -= to_int;
	return lgen_cast(g, e->arg[0]->dtype, e->dtype, v);
}

static LLVMValueRef
compute(struct lgen *g, const tir_expr *e)
{
	switch ((enum tir_kind)e->kind) {
	case TIR_INT:
		return lgen_int(g, lgen_type(g, e->dtype), e->i);
	case TIR_FLOAT:
		return float_constant(g, e);
	case TIR_STRING:
		return LLVMBuildGlobalStringPtr(g->b, e->s, "text");
	case TIR_VAR:
		return variable(g, e);
	case TIR_NOT:
		return LLVMBuildNot(g->b, lgen_expr(g, e->arg[0]), "");
	case TIR_SELECT:
		return either(g, lgen_expr(g, e->arg[0]),
			      lgen_expr(g, e->arg[1]), lgen_expr(g, e->arg[2]));
	case TIR_GUARD:
		return guard(g, e);
	case TIR_CAST:
		return cast(g, e);
	case TIR_CALL:
		return lgen_intrin(g, e);
	case TIR_CALL_EXTERN:
		return call_extern(g, e);
	case TIR_LOAD:
		return lgen_load(g, e);
	case TIR_ADDRESS_OF:
		return lgen_address(g, e->buffer, lgen_index(g, e->arg[0]));
	case TIR_RAMP:
		return ramp(g, e);
	case TIR_BROADCAST:
		return lgen_splat(g, lgen_expr(g, e->arg[0]), e->dtype.lanes);
	case TIR_LET:
		return let(g, e);
	case TIR_READ:
	case TIR_REDUCE:
	case TIR_KIND_COUNT:
		lgen_fail(g, "a tensor expression among loops");
		return LLVMGetUndef(lgen_type(g, e->dtype));
	default:
		return binary(g, e);
	}
}

LLVMValueRef
lgen_expr(struct lgen *g, const tir_expr *e)
{
	LLVMValueRef v = lmap_get(&g->exprs, e);
	uint32_t scope = g->scope;

	if (v)
		return v;
	if (g->depth >= LGEN_MAX_DEPTH || g->failed) {
		lgen_fail(g, "an expression this deep");
		return LLVMGetUndef(lgen_type(g, e->dtype));
	}
	g->depth++;
	v = compute(g, e);
	g->depth--;
	lmap_put(&g->exprs, e, v, scope);
	return v;
}
