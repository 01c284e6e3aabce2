/*
 * The entry of a network: NAME_run, its constants, its descriptor.
 *
 *   int32_t NAME_run(const void *constants, void *arena,
 *                    const struct NAME_io *io, struct relay_threads *pool)
 *
 * The layout of the descriptor is that of relay_model_desc in relay_rt.h.
 */
#include "codegen/llvm/internal.h"

#include <stdlib.h>
#include <string.h>

#include "ir/tensor.h"

static LLVMValueRef
offset(struct lgen *g, LLVMValueRef p, int64_t n)
{
	LLVMValueRef at = LLVMConstInt(g->i64, (uint64_t)n, false);

	return n ? LLVMBuildInBoundsGEP2(g->b, g->i8, p, &at, 1, "") : p;
}

static void
bind(struct lgen *g, const struct tir_param *p, LLVMValueRef v)
{
	lmap_put(&g->vars, p->var, v, 0);
	if (!p->buffer)
		return;
	lmap_put(&g->buffers, p->buffer, v, 0);
	vec_push(&g->live_buffers, p->buffer);
}

static LLVMValueRef
run_function(struct lgen *g, const struct interface *x)
{
	bool pool = !g->options->no_runtime;
	LLVMTypeRef params[] = {g->ptr, g->ptr, g->ptr, g->ptr};
	LLVMTypeRef t = LLVMFunctionType(g->i32, params, pool ? 4 : 3, false);
	char *name = arena_printf(g->arena, "%s_run", g->options->name);
	LLVMValueRef fn = LLVMAddFunction(g->mod, name, t);
	uint32_t n = x->ninputs + x->noutputs, scope;

	lgen_target_attributes(g, fn);
	g->func = x->main;
	g->fn = fn;
	g->status = NULL;
	g->pool = pool ? LLVMGetParam(fn, 3) : NULL;
	LLVMPositionBuilderAtEnd(g->b, lgen_block(g, ""));
	g->scratch = offset(g, LLVMGetParam(fn, 1),
			    (x->workspace_bytes + 63) / 64 * 64);
	for (uint32_t i = 0; i < n; i++) {
		LLVMValueRef at = LLVMConstInt(g->i64, i, false);

		at = LLVMBuildInBoundsGEP2(g->b, g->ptr, LLVMGetParam(fn, 2),
					   &at, 1, "");
		bind(g, &x->main->params[i],
		     LLVMBuildLoad2(g->b, g->ptr, at, x->slots[i].name));
	}
	bind(g, &x->main->params[n], LLVMGetParam(fn, 0));
	bind(g, &x->main->params[n + 1], LLVMGetParam(fn, 1));
	scope = lgen_open_scope(g);
	lgen_stmt(g, x->main->body);
	lgen_close_scope(g, scope);
	LLVMBuildRet(g->b, LLVMConstNull(g->i32));
	return fn;
}

/* Records of inputs and results: a pointer, then dimensions if there are any. */
static LLVMTypeRef
record_type(struct lgen *g, const struct interface *x)
{
	uint32_t n = x->ninputs + x->noutputs, k = 0;
	LLVMTypeRef *fields =
		arena_alloc(g->arena, (2 * n + 1) * sizeof(*fields));

	for (uint32_t i = 0; i < n; i++) {
		fields[k++] = g->ptr;
		if (x->slots[i].ndim)
			fields[k++] = LLVMArrayType2(g->i64, x->slots[i].ndim);
	}
	return LLVMStructTypeInContext(g->cx, fields, k, false);
}

/* Dimensions between the record and the array of sizes, N of them. */
static void
move_sizes(struct lgen *g, LLVMValueRef to, LLVMValueRef from, uint32_t n)
{
	for (uint32_t d = 0; d < n; d++)
		LLVMBuildStore(g->b,
			       LLVMBuildLoad2(g->b, g->i64,
					      offset(g, from, 8 * (int64_t)d),
					      ""),
			       offset(g, to, 8 * (int64_t)d));
}

/* The body of main, as a function of its own. */
static LLVMValueRef
sized_body(struct lgen *g, const struct interface *x, LLVMTypeRef type,
	   LLVMTypeRef io)
{
	char *name = arena_printf(g->arena, "%s_main", g->options->name);
	LLVMValueRef fn = LLVMAddFunction(g->mod, name, type), arena;
	uint32_t scope, field = 0, at = 0;

	LLVMSetLinkage(fn, LLVMInternalLinkage);
	lgen_target_attributes(g, fn);
	g->func = x->main;
	g->fn = fn;
	g->status = NULL;
	g->pool = g->options->no_runtime ? NULL : LLVMGetParam(fn, 3);
	LLVMPositionBuilderAtEnd(g->b, lgen_block(g, ""));
	arena = LLVMGetParam(fn, 1);
	g->scratch = offset(g, arena, (x->workspace_bytes + 63) / 64 * 64);
	LLVMBuildStore(g->b, LLVMConstNull(g->ptr), arena);
	LLVMBuildStore(g->b, LLVMConstNull(g->i8),
		       offset(g, arena, LLVMGetIntTypeWidth(g->word) / 8));
	bind(g, &x->main->params[0], offset(g, arena, interface_sizes_at(x)));
	for (uint32_t i = 0; i < x->ninputs; i++) {
		LLVMValueRef p = LLVMBuildStructGEP2(
			g->b, io, LLVMGetParam(fn, 2), field++, "");

		bind(g, &x->main->params[1 + i],
		     LLVMBuildLoad2(g->b, g->ptr, p, x->slots[i].name));
		if (!x->slots[i].ndim)
			continue;
		p = LLVMBuildStructGEP2(g->b, io, LLVMGetParam(fn, 2), field++,
					"");
		move_sizes(g,
			   offset(g, arena,
				  interface_sizes_at(x) + 8 * (int64_t)at),
			   p, x->slots[i].ndim);
		at += x->slots[i].ndim;
	}
	bind(g, &x->main->params[x->ninputs + 1], LLVMGetParam(fn, 0));
	bind(g, &x->main->params[x->ninputs + 2], arena);
	scope = lgen_open_scope(g);
	lgen_stmt(g, x->main->body);
	lgen_close_scope(g, scope);
	LLVMBuildRet(g->b, LLVMConstNull(g->i32));
	return fn;
}

/* Pointers and dimensions of results to the record. */
static void
give_results(struct lgen *g, const struct interface *x, LLVMTypeRef io,
	     LLVMValueRef fn)
{
	LLVMValueRef arena = LLVMGetParam(fn, 1), record = LLVMGetParam(fn, 2);
	int64_t word = LLVMGetIntTypeWidth(g->word) / 8, at = 0;
	uint32_t field = 0;

	for (uint32_t i = 0; i < x->ninputs + x->noutputs; i++) {
		const struct interface_slot *s = &x->slots[i];
		LLVMValueRef p;

		if (i >= x->ninputs) {
			p = offset(g, arena,
				   word * (RELAY_ERROR_WORDS + i - x->ninputs));
			LLVMBuildStore(g->b,
				       LLVMBuildLoad2(g->b, g->ptr, p, ""),
				       LLVMBuildStructGEP2(g->b, io, record,
							   field, ""));
		}
		field++;
		if (!s->ndim)
			continue;
		if (i >= x->ninputs)
			move_sizes(g,
				   LLVMBuildStructGEP2(g->b, io, record, field,
						       ""),
				   offset(g, arena,
					  interface_sizes_at(x) + 8 * at),
				   s->ndim);
		field++;
		at += s->ndim;
	}
}

/*
 * NAME_run where shapes are known at run time only: what main left in its
 * memory is handed out when all went well.
 */
static LLVMValueRef
sized_function(struct lgen *g, const struct interface *x)
{
	bool pool = !g->options->no_runtime;
	LLVMTypeRef params[] = {g->ptr, g->ptr, g->ptr, g->ptr};
	LLVMTypeRef t = LLVMFunctionType(g->i32, params, pool ? 4 : 3, false);
	char *name = arena_printf(g->arena, "%s_run", g->options->name);
	LLVMTypeRef io = record_type(g, x);
	LLVMValueRef body = sized_body(g, x, t, io), args[4], status;
	LLVMValueRef fn = LLVMAddFunction(g->mod, name, t);
	LLVMBasicBlockRef well, end;

	lgen_target_attributes(g, fn);
	g->fn = fn;
	LLVMPositionBuilderAtEnd(g->b, lgen_block(g, ""));
	well = lgen_block(g, "results");
	end = lgen_block(g, "end");
	for (unsigned i = 0; i < 4 && i < (pool ? 4u : 3u); i++)
		args[i] = LLVMGetParam(fn, i);
	status = LLVMBuildCall2(g->b, t, body, args, pool ? 4 : 3, "");
	LLVMBuildCondBr(g->b, LLVMBuildIsNull(g->b, status, ""), well, end);
	LLVMPositionBuilderAtEnd(g->b, well);
	give_results(g, x, io, fn);
	LLVMBuildBr(g->b, end);
	LLVMPositionBuilderAtEnd(g->b, end);
	LLVMBuildRet(g->b, status);
	return fn;
}

static LLVMValueRef
global(struct lgen *g, LLVMValueRef init, const char *name)
{
	LLVMValueRef v = LLVMAddGlobal(g->mod, LLVMTypeOf(init), name);

	LLVMSetInitializer(v, init);
	LLVMSetGlobalConstant(v, true);
	LLVMSetLinkage(v, LLVMPrivateLinkage);
	return v;
}

static LLVMValueRef
string(struct lgen *g, const char *s)
{
	return global(
		g,
		LLVMConstStringInContext(g->cx, s, (unsigned)strlen(s), false),
		"text");
}

static LLVMValueRef
word(struct lgen *g, int64_t n)
{
	return LLVMConstInt(g->word, (uint64_t)n, false);
}

/* All constants in a row, or NULL if there are none. */
static LLVMValueRef
constants(struct lgen *g, const struct interface *x)
{
	char *blob;
	LLVMValueRef v;

	if (!x->constants_bytes)
		return NULL;
	blob = xcalloc(1, (size_t)x->constants_bytes);
	for (uint32_t i = 0; i < x->nconstants; i++)
		if (x->constants[i].data)
			memcpy(blob + x->constants[i].offset,
			       x->constants[i].data->data,
			       x->constants[i].data->nbytes);
	v = global(g,
		   LLVMConstStringInContext2(g->cx, blob,
					     (size_t)x->constants_bytes, true),
		   arena_printf(g->arena, "%s_constants", g->options->name));
	free(blob);
	LLVMSetAlignment(v, 64);
	return v;
}

/* struct relay_tensor_info */
static LLVMValueRef
tensor_info(struct lgen *g, const struct interface_slot *s)
{
	LLVMValueRef *shape =
		arena_alloc(g->arena, (s->ndim + 1) * sizeof(*shape));
	LLVMValueRef fields[7];

	for (uint32_t i = 0; i < s->ndim; i++)
		shape[i] = LLVMConstInt(g->i64, (uint64_t)s->shape[i], true);
	shape[s->ndim] = LLVMConstNull(g->i64);
	fields[0] = string(g, s->label);
	fields[1] = LLVMConstInt(g->i8, s->dtype.code, false);
	fields[2] = LLVMConstInt(g->i8, s->dtype.bits, false);
	fields[3] = LLVMConstInt(g->i16, 64, false);
	fields[4] = LLVMConstInt(g->i32, s->ndim, false);
	fields[5] =
		global(g, LLVMConstArray2(g->i64, shape, s->ndim + 1), "shape");
	fields[6] = word(g, s->nbytes);
	return LLVMConstStructInContext(g->cx, fields, 7, false);
}

static LLVMValueRef
infos(struct lgen *g, const struct interface_slot *s, uint32_t n)
{
	LLVMValueRef *v = arena_alloc(g->arena, (n + 1) * sizeof(*v));

	for (uint32_t i = 0; i < n; i++)
		v[i] = tensor_info(g, &s[i]);
	if (!n)
		return LLVMConstNull(g->ptr);
	return global(g, LLVMConstArray2(LLVMTypeOf(v[0]), v, n), "tensors");
}

static LLVMValueRef
features(struct lgen *g)
{
	static const char *const known[] = {"sse4.2",  "avx",      "avx2",
					    "fma",     "f16c",     "bmi2",
					    "avx512f", "avx512vl", "avx512bw"};
	const char *have = g->options->features ? g->options->features : "";
	char *text = arena_printf(g->arena, "%s", "");

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		char *plus = arena_printf(g->arena, "+%s", known[i]);
		const char *at = strstr(have, plus);

		if (at && (at[strlen(plus)] == ',' || !at[strlen(plus)]))
			text = arena_printf(g->arena, "%s%s%s", text,
					    *text ? "," : "", known[i]);
	}
	return *text ? string(g, text) : LLVMConstNull(g->ptr);
}

static void
descriptor(struct lgen *g, const struct interface *x, LLVMValueRef run)
{
	const struct llvm_options *o = g->options;
	LLVMValueRef data = o->constants_in_file ? NULL : constants(g, x);
	LLVMValueRef fields[] = {
		LLVMConstInt(g->i32,
			     x->sized ? RELAY_ABI_SIZED : RELAY_ABI_VERSION,
			     false),
		LLVMConstInt(g->i32, x->ninputs, false),
		LLVMConstInt(g->i32, x->noutputs, false),
		LLVMConstInt(g->i32, 64, false),
		string(g, o->name),
		run,
		infos(g, x->slots, x->ninputs),
		infos(g, x->slots + x->ninputs, x->noutputs),
		word(g, (x->workspace_bytes + 63) / 64 * 64 + g->scratch_max),
		word(g, x->constants_bytes),
		data ? data : LLVMConstNull(g->ptr),
		features(g),
		LLVMConstInt(g->i32, x->nslots, false),
	};
	unsigned n = sizeof(fields) / sizeof(fields[0]) - !x->sized;
	LLVMValueRef d = LLVMConstStructInContext(g->cx, fields, n, false);

	d = global(g, d, arena_printf(g->arena, "%s_model", o->name));
	LLVMSetLinkage(d, LLVMExternalLinkage);
	if (o->shared)
		LLVMSetLinkage(global(g, d, "relay_model_entry"),
			       LLVMExternalLinkage);
}

void
lgen_entry(struct lgen *g, const struct interface *x)
{
	LLVMValueRef run = x->sized ? sized_function(g, x) : run_function(g, x);

	if (!g->options->no_runtime) {
		descriptor(g, x, run);
		return;
	}
	if (!g->options->constants_in_file) {
		LLVMValueRef data = constants(g, x);

		if (data)
			LLVMSetLinkage(data, LLVMExternalLinkage);
	}
}
