/*
 * Parallel loops.
 *
 * The body becomes two functions. The outer one has the signature that the
 * pool calls; it takes what the body needs from a record and calls the inner
 * one, whose buffers are parameters, so that LLVM knows them apart. Without a
 * pool the outer function is called for the whole range.
 */
#include "codegen/llvm/internal.h"

#include <stdio.h>

/* Values that the body needs, in the order of the record's fields. */
struct captured {
	LLVMValueRef *values;
	LLVMTypeRef *types;
	unsigned n;
	unsigned nvars;    /* those before are variables, */
	unsigned nbuffers; /* then buffers, then the handles */
};

static void
capture(struct lgen *g, struct captured *c)
{
	unsigned max = (unsigned)(g->live_vars.len + g->live_buffers.len +
				  g->func->nparams) +
		       2;

	c->values = arena_alloc(g->arena, max * sizeof(*c->values));
	c->types = arena_alloc(g->arena, max * sizeof(*c->types));
	c->n = 0;
	for (size_t i = 0; i < g->live_vars.len; i++)
		c->values[c->n++] = lmap_get(&g->vars, g->live_vars.at[i]);
	c->nvars = c->n;
	for (size_t i = 0; i < g->live_buffers.len; i++)
		c->values[c->n++] =
			lmap_get(&g->buffers, g->live_buffers.at[i]);
	c->nbuffers = (unsigned)g->live_buffers.len;
	for (uint32_t i = 0; i < g->func->nparams; i++)
		c->values[c->n++] = lmap_get(&g->vars, g->func->params[i].var);
	for (unsigned i = 0; i < c->n; i++)
		c->types[i] = LLVMTypeOf(c->values[i]);
}

/* What changes while another function is being made. */
struct outside {
	LLVMBasicBlockRef block;
	LLVMValueRef fn, pool, status, scratch, mask;
	struct lmap vars, buffers, exprs;
};

static struct outside
leave(struct lgen *g)
{
	struct outside o = {LLVMGetInsertBlock(g->b),
			    g->fn,
			    g->pool,
			    g->status,
			    g->scratch,
			    g->mask,
			    g->vars,
			    g->buffers,
			    g->exprs};

	g->pool = NULL;
	g->scratch = NULL;
	g->vars = g->buffers = (struct lmap){0};
	g->exprs = (struct lmap){.active = &g->active};
	return o;
}

static void
come_back(struct lgen *g, const struct outside *o)
{
	lmap_free(&g->vars);
	lmap_free(&g->buffers);
	lmap_free(&g->exprs);
	g->fn = o->fn;
	g->pool = o->pool;
	g->status = o->status;
	g->scratch = o->scratch;
	g->mask = o->mask;
	g->vars = o->vars;
	g->buffers = o->buffers;
	g->exprs = o->exprs;
	LLVMPositionBuilderAtEnd(g->b, o->block);
}

static LLVMValueRef
new_function(struct lgen *g, const char *suffix, LLVMTypeRef t)
{
	char name[256];
	LLVMValueRef f;

	snprintf(name, sizeof(name), "%s.%s%u", g->func->name, suffix,
		 g->counter);
	f = LLVMAddFunction(g->mod, name, t);
	LLVMSetLinkage(f, LLVMInternalLinkage);
	lgen_target_attributes(g, f);
	return f;
}

/* The loop over [begin, end) as a serial loop of its own variable. */
static void
body_loop(struct lgen *g, const tir_stmt *s, LLVMValueRef begin,
	  LLVMValueRef end)
{
	const struct tir_var *var = s->loop.var;
	LLVMValueRef min = lgen_index(g, s->loop.min), i, next, v;
	LLVMBasicBlockRef before, head = lgen_block(g, "loop");
	LLVMBasicBlockRef after = lgen_block(g, "loop.end");

	begin = LLVMBuildAdd(g->b, min, LLVMBuildSExt(g->b, begin, g->i64, ""),
			     "");
	end = LLVMBuildAdd(g->b, min, LLVMBuildSExt(g->b, end, g->i64, ""), "");
	before = LLVMGetInsertBlock(g->b);
	LLVMBuildBr(g->b, head);
	LLVMPositionBuilderAtEnd(g->b, head);
	i = LLVMBuildPhi(g->b, g->i64, var->name);
	v = var->dtype.bits < 64
		    ? LLVMBuildTrunc(
			      g->b, i,
			      LLVMIntTypeInContext(g->cx, var->dtype.bits), "")
		    : i;
	lmap_put(&g->vars, var, v, 0);
	if (lgen_nonneg(g, s->loop.min))
		lmap_put(&g->vars, &var->id, i, 0);
	lgen_stmt(g, s->loop.body);
	next = LLVMBuildNSWAdd(g->b, i, LLVMConstInt(g->i64, 1, false), "");
	LLVMAddIncoming(i, (LLVMValueRef[]){begin, next},
			(LLVMBasicBlockRef[]){before, LLVMGetInsertBlock(g->b)},
			2);
	LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntSLT, next, end, ""),
			head, after);
	LLVMPositionBuilderAtEnd(g->b, after);
	LLVMBuildRetVoid(g->b);
}

/* Parameters: captured values, begin, end, address of the status. */
static LLVMValueRef
inner_function(struct lgen *g, const tir_stmt *s, const struct captured *c)
{
	unsigned n = c->n;
	LLVMTypeRef *types = arena_alloc(g->arena, (n + 3) * sizeof(*types));
	LLVMValueRef f;
	uint32_t scope;

	for (unsigned i = 0; i < n; i++)
		types[i] = c->types[i];
	types[n] = types[n + 1] = g->i32;
	types[n + 2] = g->ptr;
	f = new_function(g, "loop",
			 LLVMFunctionType(g->none, types, n + 3, false));
	g->fn = f;
	g->status = LLVMGetParam(f, n + 2);
	LLVMPositionBuilderAtEnd(g->b, lgen_block(g, ""));
	for (unsigned i = 0; i < c->nvars; i++)
		lmap_put(&g->vars, g->live_vars.at[i], LLVMGetParam(f, i), 0);
	for (unsigned i = 0; i < c->nbuffers; i++) {
		lmap_put(&g->buffers, g->live_buffers.at[i],
			 LLVMGetParam(f, c->nvars + i), 0);
		lgen_attribute(g, f, c->nvars + i + 1, "noalias", 0);
	}
	for (unsigned i = 0; i < g->func->nparams; i++)
		lmap_put(&g->vars, g->func->params[i].var,
			 LLVMGetParam(f, c->nvars + c->nbuffers + i), 0);
	scope = lgen_open_scope(g);
	vec_push(&g->live_vars, s->loop.var);
	body_loop(g, s, LLVMGetParam(f, n), LLVMGetParam(f, n + 1));
	(void)vec_pop(&g->live_vars);
	lgen_close_scope(g, scope);
	return f;
}

static LLVMTypeRef
body_type(struct lgen *g)
{
	LLVMTypeRef params[] = {g->ptr, g->i32, g->i32};

	return LLVMFunctionType(g->none, params, 3, false);
}

static LLVMValueRef
outer_function(struct lgen *g, const struct captured *c, LLVMTypeRef record,
	       LLVMValueRef inner)
{
	LLVMValueRef f = new_function(g, "body", body_type(g));
	LLVMValueRef *args = arena_alloc(g->arena, (c->n + 3) * sizeof(*args));
	LLVMValueRef at = LLVMGetParam(f, 0);

	g->fn = f;
	LLVMPositionBuilderAtEnd(g->b, lgen_block(g, ""));
	for (unsigned i = 0; i < c->n; i++)
		args[i] = LLVMBuildLoad2(
			g->b, c->types[i],
			LLVMBuildStructGEP2(g->b, record, at, i + 1, ""), "");
	args[c->n] = LLVMGetParam(f, 1);
	args[c->n + 1] = LLVMGetParam(f, 2);
	args[c->n + 2] = LLVMBuildStructGEP2(g->b, record, at, 0, "");
	LLVMBuildCall2(g->b, LLVMGlobalGetValueType(inner), inner, args,
		       c->n + 3, "");
	LLVMBuildRetVoid(g->b);
	return f;
}

/* pool ? pool->parallel_for(pool, f, at, n) : f(at, 0, n) */
static void
call_pool(struct lgen *g, LLVMValueRef f, LLVMValueRef at, LLVMValueRef n)
{
	LLVMTypeRef params[] = {g->ptr, g->ptr, g->ptr, g->i32};
	LLVMTypeRef t = LLVMFunctionType(g->none, params, 4, false);
	LLVMBasicBlockRef many = lgen_block(g, "pool");
	LLVMBasicBlockRef alone = lgen_block(g, "alone");
	LLVMBasicBlockRef end = lgen_block(g, "joined");
	LLVMValueRef args[] = {g->pool, f, at, n};
	LLVMValueRef self[] = {at, LLVMConstNull(g->i32), n};

	LLVMBuildCondBr(g->b, LLVMBuildIsNull(g->b, g->pool, ""), alone, many);
	LLVMPositionBuilderAtEnd(g->b, many);
	LLVMBuildCall2(g->b, t, LLVMBuildLoad2(g->b, g->ptr, g->pool, ""), args,
		       4, "");
	LLVMBuildBr(g->b, end);
	LLVMPositionBuilderAtEnd(g->b, alone);
	LLVMBuildCall2(g->b, body_type(g), f, self, 3, "");
	LLVMBuildBr(g->b, end);
	LLVMPositionBuilderAtEnd(g->b, end);
}

/* How often the loop S runs, in 32 bits; more is an error. */
static LLVMValueRef
iterations(struct lgen *g, const tir_stmt *s)
{
	LLVMValueRef n = lgen_index(g, s->loop.extent);
	LLVMValueRef most = LLVMConstInt(g->i64, INT32_MAX, false);
	LLVMValueRef shape = LLVMConstInt(g->i32, (uint64_t)-2, true);

	if (s->loop.extent->kind != TIR_INT)
		lgen_check_status(
			g, LLVMBuildSelect(
				   g->b,
				   LLVMBuildICmp(g->b, LLVMIntSGT, n, most, ""),
				   shape, LLVMConstNull(g->i32), ""));
	return LLVMBuildTrunc(g->b, n, g->i32, "");
}

void
lgen_parallel(struct lgen *g, const tir_stmt *s)
{
	LLVMValueRef n = iterations(g, s);
	LLVMBasicBlockRef some = lgen_block(g, "parallel");
	LLVMBasicBlockRef end = lgen_block(g, "parallel.end");
	LLVMTypeRef record, *fields;
	LLVMValueRef at, status, f;
	struct captured c;
	struct outside o;

	LLVMBuildCondBr(
		g->b,
		LLVMBuildICmp(g->b, LLVMIntSGT, n, LLVMConstNull(g->i32), ""),
		some, end);
	LLVMPositionBuilderAtEnd(g->b, some);
	capture(g, &c);
	fields = arena_alloc(g->arena, (c.n + 1) * sizeof(*fields));
	fields[0] = g->i32;
	for (unsigned i = 0; i < c.n; i++)
		fields[i + 1] = c.types[i];
	record = LLVMStructTypeInContext(g->cx, fields, c.n + 1, false);
	at = lgen_alloca(g, record, 1, 64);
	o = leave(g);
	f = outer_function(g, &c, record, inner_function(g, s, &c));
	g->counter++;
	come_back(g, &o);
	status = LLVMBuildStructGEP2(g->b, record, at, 0, "");
	LLVMBuildStore(g->b, LLVMConstNull(g->i32), status);
	for (unsigned i = 0; i < c.n; i++)
		LLVMBuildStore(
			g->b, c.values[i],
			LLVMBuildStructGEP2(g->b, record, at, i + 1, ""));
	call_pool(g, f, at, n);
	lgen_check_status(g, LLVMBuildLoad2(g->b, g->i32, status, ""));
	LLVMBuildBr(g->b, end);
	LLVMPositionBuilderAtEnd(g->b, end);
}
